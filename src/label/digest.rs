//! What a label was made of, in twelve digits: equal digests are equal texts, so that no label sticks to another text after a new recording.

use crate::model::{Critique, Finding, Span};

/// BLAKE3 over the parts, each after its length in bytes as 8 bytes little-endian; the first 12 hex digits.
fn of(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    hasher.finalize().to_hex()[..12].to_owned()
}

/// Of a finding: what it complains of (label, quotation and explanation) and the draft it read. Another severity or another proposed fix is
/// the same complaint.
pub fn finding(finding: &Finding, draft: &str) -> String {
    let said = |key: &str| finding.raw.get(key).and_then(serde_json::Value::as_str).unwrap_or_default();
    of(&["finding", &finding.label, finding.quote.as_deref().unwrap_or_default(), said("detail"), said("explanation"), draft])
}

/// Of a critique with regard to the sections it speaks of: cut another way, their numbers mean other sections.
pub fn critique(critique: &Critique, draft: &str, sections: &[Span]) -> String {
    let cuts: Vec<String> = sections.iter().map(|span| format!("{}-{}", span.start, span.end)).collect();
    of(&["mention", &critique.text, draft, &cuts.join(" ")])
}

/// Of a draft, for its defects and for its correctness alike.
pub fn draft(text: &str) -> String {
    of(&["draft", text])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_run_into_each_other() {
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
        assert_ne!(of(&["a"]), of(&["a", ""]));
        // Worked out with the Python package blake3: length 5, "draft", length 3, "abc".
        assert_eq!(draft("abc"), "47a94cc960c9");
    }
}
