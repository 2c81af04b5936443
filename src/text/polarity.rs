//! Polarity: how many negations a text holds, so that "can be removed" is never taken for "can't be removed".
//!
//! Word lists for English, German, French, Spanish and some neighbours; Chinese, Japanese and Korean by their negating syllables. Two parts
//! of one negation ("ne ... pas", "no ... nunca") count once.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::numeral::lower;

/// Words that negate by themselves.
const NEGATIONS: &[&str] = &[
    // English
    "not",
    "no",
    "never",
    "without",
    "cannot",
    "neither",
    "nor",
    "none",
    "nobody",
    "nothing",
    "nowhere",
    "non",
    // German
    "nicht",
    "kein",
    "keine",
    "keinen",
    "keinem",
    "keiner",
    "keines",
    "nie",
    "niemals",
    "ohne",
    "weder",
    "nichts",
    "niemand",
    "niemanden",
    "nirgends",
    "keinesfalls",
    "keineswegs",
    "nein",
    // French
    "pas",
    "jamais",
    "aucun",
    "aucune",
    "rien",
    "sans",
    "ni",
    "nul",
    "nulle",
    "guère",
    // Spanish, Portuguese
    "nunca",
    "jamás",
    "sin",
    "ningún",
    "ninguno",
    "ninguna",
    "nada",
    "nadie",
    "tampoco",
    "não",
    "sem",
    "nenhum",
    "nenhuma",
    // Italian, Dutch
    "senza",
    "nessun",
    "nessuno",
    "nessuna",
    "niet",
    "geen",
    "zonder",
    "nooit",
    // Russian
    "не",
    "нет",
    "ни",
    "без",
    "никогда",
];

/// Particles that need, or may take, a second word: French "ne", Spanish and Portuguese "no".
const OPENERS: [&str; 4] = ["ne", "n", "no", "não"];

/// The second words: beside an opener they add nothing.
const PARTNERS: [&str; 21] = [
    "pas", "jamais", "aucun", "aucune", "rien", "ni", "nul", "nulle", "guère", "nunca", "jamás", "ningún", "ninguno", "ninguna", "nada",
    "nadie", "tampoco", "nenhum", "nenhuma", "plus", "personne",
];

/// How many words may stand between the two parts of one negation.
const REACH: usize = 5;

/// Negating syllables of scripts without words to look up. Those that begin another one come after it.
const SYLLABLES: [&str; 15] = ["ません", "なかっ", "なけれ", "なく", "ない", "ずに", "不", "没", "沒", "无", "無", "未", "않", "없", "못"];

/// Before "ない" these make a word of their own (few, dangerous), no negation.
const NOT_BEFORE_NAI: [char; 3] = ['少', '危', '切'];

/// How a word takes part in a negation.
#[derive(Debug, Clone, Copy, Default)]
struct Role {
    negates: bool,
    opens: bool,
    partner: bool,
}

static ROLES: LazyLock<HashMap<&'static str, Role>> = LazyLock::new(|| {
    let mut out: HashMap<&str, Role> = HashMap::new();
    NEGATIONS.iter().for_each(|word| out.entry(word).or_default().negates = true);
    OPENERS.iter().for_each(|word| out.entry(word).or_default().opens = true);
    PARTNERS.iter().for_each(|word| out.entry(word).or_default().partner = true);
    out
});

/// The number of negations in a (normalised) text.
pub(super) fn negations(text: &str) -> usize {
    let roles: Vec<Role> = words(text).collect();
    let near = |at: usize, wanted: fn(&Role) -> bool| {
        let around = at.saturating_sub(REACH)..(at + REACH + 1).min(roles.len());
        around.into_iter().any(|i| i != at && wanted(&roles[i]))
    };
    let counts = |(at, role): (usize, &Role)| {
        if role.partner && near(at, |r| r.opens) {
            return false;
        }
        role.negates || (role.opens && near(at, |r| r.partner))
    };
    roles.iter().enumerate().filter(|&r| counts(r)).count() + syllables(text)
}

/// The words' roles. An apostrophe belongs to its word, but a French elided "n'" is a word.
fn words(text: &str) -> impl Iterator<Item = Role> {
    let pieces = text.split(|c: char| !c.is_alphabetic() && c != '\'').map(|w| lower(w.trim_matches('\''))).filter(|w| !w.is_empty());
    pieces.flat_map(|word| {
        let role = |word: &str| ROLES.get(word).copied().unwrap_or_default();
        match word.strip_prefix("n'") {
            _ if word.ends_with("n't") => [Some(Role { negates: true, ..Role::default() }), None],
            Some(rest) => [Some(role("n")), Some(role(rest))],
            None => [Some(role(&word)), None],
        }
        .into_iter()
        .flatten()
    })
}

fn syllables(text: &str) -> usize {
    if text.is_ascii() {
        return 0;
    }
    let (mut count, mut rest, mut before) = (0, text, ' ');
    while let Some(c) = rest.chars().next() {
        let hit = SYLLABLES.iter().find(|s| rest.starts_with(**s)).filter(|s| !(s.starts_with('な') && NOT_BEFORE_NAI.contains(&before)));
        count += usize::from(hit.is_some());
        let len = hit.map_or(c.len_utf8(), |s| s.len());
        before = rest[..len].chars().next_back().unwrap_or(c);
        rest = &rest[len..];
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_negations_once_each() {
        for (text, want) in [
            ("it is refunded", 0),
            ("it is not refunded", 1),
            ("it can't be removed", 1),
            ("it cannot be removed", 1),
            ("Won't you? No, never.", 3),
            ("without a fee", 1),
            ("nicht und keine", 2),
            ("ohne Gebühr", 1),
            ("une somme est remboursée", 0),
            ("aucune somme n'est remboursée", 1),
            ("ce n'est pas vrai", 1),
            ("c'est pas vrai", 1),
            ("il ne peut plus payer", 1),
            ("un peu plus tard", 0),
            ("no se cobra nunca", 1),
            ("nunca se cobra, sin costes", 2),
            ("手続きは必要ありません", 1),
            ("手続きは必要です", 0),
            ("できない", 1),
            ("少ないです", 0),
            ("仍未到账", 1),
            ("필요하지 않습니다", 1),
            ("a note on knots", 0),
        ] {
            assert_eq!(negations(text), want, "{text}");
        }
    }
}
