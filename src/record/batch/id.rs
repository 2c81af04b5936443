//! The custom_id of a call: its slot in the clear, its ticket and its request as digests. Nothing else is needed to find the call again, or to see that
//! the loop asks something else by now.

use crate::model::Slot;

/// Hex digits of each digest. With the slot before them an id has 61 characters at most; providers take 64 of `[A-Za-z0-9_-]`.
const DIGITS: usize = 16;

/// The id of a request. `key` is that of [`Loop::key`](crate::machine::Loop::key).
pub fn of(ticket: &str, slot: Slot, key: &str) -> String {
    let Slot { sample, pass, role, n } = slot;
    format!("{}-{pass}-{n}-{sample}-{}-{}", role.name(), digest(ticket), digest(key))
}

/// A text of any length and alphabet in 16 hex digits.
pub fn digest(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..DIGITS].to_owned()
}

/// The ticket's digest in an id of ours; None for an id of somebody else's making.
pub fn ticket(id: &str) -> Option<&str> {
    let parts: Vec<&str> = id.split('-').collect();
    let [role, pass, n, sample, ticket, key] = parts.as_slice() else { return None };
    let digits = |text: &str, radix| !text.is_empty() && text.chars().all(|c| c.is_digit(radix));
    let hex = |text: &&str| text.len() == DIGITS && digits(text, 16);
    let fine = ["writer", "critic", "reviser"].contains(role) && [pass, n, sample].iter().all(|n| digits(n, 10)) && hex(ticket) && hex(key);
    fine.then_some(ticket)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Role;

    #[test]
    fn an_id_fits_every_provider_and_names_its_ticket() {
        let slot = Slot { sample: 999, pass: 1001, role: Role::Reviser, n: u32::MAX };
        for name in ["t1", "", "Ä ticket/with \"anything\"\n", &"x".repeat(5000)] {
            let id = of(name, slot, "rr1:00112233445566778899aabbccddeeff");
            assert!(id.len() <= 64 && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'), "{id}");
            assert_eq!(ticket(&id), Some(digest(name).as_str()));
        }
        let slot = Slot { sample: 0, pass: 2, role: Role::Critic, n: 0 };
        let id = of("t", slot, "rr1:0");
        assert!(id.starts_with("critic-2-0-0-"), "{id}");
        let others = [of("u", slot, "rr1:0"), of("t", slot, "rr1:1"), of("t", Slot { pass: 3, ..slot }, "rr1:0")];
        assert!(!others.contains(&id));
        for foreign in ["", "T-00001/pass-1/critic/0", "critic-2-0-0-zz-11", "a-b-c-d-e-f", "critic-2-0-0-0011223344556677-"] {
            assert_eq!(ticket(foreign), None, "{foreign}");
        }
    }
}
