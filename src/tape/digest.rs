//! What tells one recording from another: a hash over its lines that does not depend on their order.

/// The calls so far: each line's hash as four numbers, added up one by one. A sum, since it is the same in any order and takes no memory.
#[derive(Default)]
pub(super) struct Digest([u64; 4]);

impl Digest {
    /// A call's line without its end.
    pub fn add(&mut self, line: &[u8]) {
        let hash = blake3::hash(line.trim_ascii());
        for (sum, part) in self.0.iter_mut().zip(hash.as_bytes().chunks_exact(8)) {
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
        assert_eq!(digest(dir.path(), "calls.jsonl.zst", &packed), whole);
        for same in [format!("{c}{b}{a}"), format!("{a}\n{b}{}\r\n{{\"v\":1,", c.trim_end())] {
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
