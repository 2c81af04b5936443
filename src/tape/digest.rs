//! What tells one recording from another: a hash over every call's slot, key and answer that does not depend on the order of lines.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::line::SlotLine;

/// Of a recorded response, what a loop can see.
#[derive(Deserialize)]
pub(super) struct Answer<'a> {
    status: Option<u16>,
    #[serde(borrow)]
    body: Option<&'a RawValue>,
}

/// The calls so far: each call's hash as four numbers, added up one by one. A sum, since it is the same in any order and takes no memory.
#[derive(Default)]
pub(super) struct Digest([u64; 4]);

impl Digest {
    pub fn add(&mut self, slot: &SlotLine<'_>, key: Option<&str>, answer: Option<&Answer<'_>>) {
        let status = answer.and_then(|answer| answer.status).unwrap_or(0);
        let body = answer.and_then(|answer| answer.body).map_or("", RawValue::get);
        let mut hasher = blake3::Hasher::new();
        // No field but the last can hold a zero byte: ids are JSON strings, in which one would be escaped, so they are written as such.
        let ticket = serde_json::Value::from(slot.ticket.as_ref());
        let head =
            format!("{ticket}\0{}\0{}\0{}\0{}\0{}\0{status}\0", slot.sample, slot.pass, slot.role.name(), slot.n, key.unwrap_or_default());
        hasher.update(head.as_bytes()).update(body.as_bytes());
        for (sum, part) in self.0.iter_mut().zip(hasher.finalize().as_bytes().chunks_exact(8)) {
            *sum = sum.wrapping_add(part.iter().rev().fold(0, |n, byte| n << 8 | u64::from(*byte)));
        }
    }

    pub fn finish(self) -> String {
        let bytes: Vec<u8> = self.0.iter().flat_map(|sum| sum.to_le_bytes()).collect();
        blake3::hash(&bytes).to_hex()[..32].to_owned()
    }
}

/// One digest for an arm's own recording and those it may reuse, in the order of its spec.
pub fn joined(own: &str, reused: &[&str]) -> String {
    if reused.is_empty() {
        return own.to_owned();
    }
    let all = std::iter::once(&own).chain(reused).copied().collect::<Vec<_>>().join("\n");
    blake3::hash(all.as_bytes()).to_hex()[..32].to_owned()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::tape::Recording;

    fn digest(dir: &Path, name: &str, bytes: &[u8]) -> String {
        let path = dir.join(name);
        std::fs::write(&path, bytes).unwrap();
        Recording::open(&path).unwrap().digest
    }

    #[test]
    fn an_answer_changes_it_and_the_order_of_lines_does_not() {
        let call = |ticket: &str, pass: u32, rest: &str| {
            format!(r#"{{"v":1,"slot":{{"ticket":"{ticket}","pass":{pass},"role":"writer"}},{rest}}}"#) + "\n"
        };
        let answer = |text: &str| format!(r#""key":"rr1:0","response":{{"status":200,"body":{{"text":"{text}"}}}}"#);
        let (a, b, c) = (call("A", 0, &answer("x")), call("A", 1, &answer("x")), call("B", 0, &answer("y")));
        let dir = tempfile::tempdir().unwrap();
        let of = |text: &str| digest(dir.path(), "calls.jsonl", text.as_bytes());
        let whole = of(&format!("{a}{b}{c}"));
        let packed = zstd::encode_all(format!("{a}{b}{c}").as_bytes(), 1).unwrap();
        let with_meta = call("B", 0, &format!(r#"{},"meta":{{"latency_ms":1.5,"recorded_at":"now"}}"#, answer("y")));
        let with_default = c.replace(r#""role""#, r#""sample":0,"n":0,"role""#);
        assert_eq!(digest(dir.path(), "calls.jsonl.zst", &packed), whole);
        for same in [format!("{c}{b}{a}"), format!("{a}{b}{with_meta}"), format!("{a}\n{b}{with_default}{{\"v\":1,")] {
            assert_eq!(of(&same), whole, "{same}");
        }
        let others = [
            format!("{a}{b}{}", call("B", 0, &answer("z"))),
            format!("{a}{b}{}", call("C", 0, &answer("y"))),
            format!("{a}{b}{}", call("B", 1, &answer("y"))),
            format!("{a}{b}{}", c.replace("rr1:0", "rr1:1")),
            format!("{a}{b}{}", c.replace("200", "500")),
            format!("{a}{b}"),
            format!("{a}{c}"),
            String::new(),
        ];
        let mut all: Vec<String> = others.iter().map(|text| of(text)).chain([whole]).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), others.len() + 1);
    }

    #[test]
    fn reused_recordings_count_in_their_order() {
        assert_eq!(joined("a", &[]), "a");
        assert_ne!(joined("a", &["b", "c"]), joined("a", &["c", "b"]));
    }
}
