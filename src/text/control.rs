//! Characters that do something to whoever shows them, instead of being shown.

/// What can steer a terminal or turn text around: controls, line separators, marks of direction that stay in force.
pub fn is_unsafe(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// JSON escapes only some of what is unsafe. The rest stands in strings alone, where an escape says the same.
pub fn json_escaped(json: String) -> String {
    // Whatever is unsafe begins with such a byte; most text is passed over without looking at its characters.
    let suspicious = |byte: &u8| (*byte < b' ' && *byte != b'\n') || *byte >= 0x7f;
    let mut out = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(step) = json.as_bytes()[at..].iter().position(suspicious) {
        at += step;
        let Some(c) = json[at..].chars().next() else { break };
        let end = at + c.len_utf8();
        if is_unsafe(c) {
            out.push_str(&json[copied..at]);
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
            copied = end;
        }
        at = end;
    }
    if copied == 0 { json } else { out + &json[copied..] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_characters_of_json_are_escaped() {
        for (json, want) in [
            ("", ""),
            ("{\n  \"a\": 1\n}\n", "{\n  \"a\": 1\n}\n"),
            ("\"é → 👍\"", "\"é → 👍\""),
            ("\"\u{7f}a\u{202e}é\u{85}\"", "\"\\u007fa\\u202eé\\u0085\""),
            ("\u{2028}", "\\u2028"),
        ] {
            assert_eq!(json_escaped(json.into()), want);
        }
    }
}
