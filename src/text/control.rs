//! Characters that do something to whoever shows them, instead of being shown.

/// What can steer a terminal or turn text around: controls, line separators, marks of direction that stay in force.
pub fn is_unsafe(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// JSON escapes only some of what is unsafe. The rest stands in strings alone, where an escape says the same.
pub fn json_escaped(json: String) -> String {
    let unsafe_left = |c: char| c != '\n' && is_unsafe(c);
    if !json.contains(unsafe_left) {
        return json;
    }
    let mut out = String::with_capacity(json.len() + 64);
    for c in json.chars() {
        if unsafe_left(c) { out.push_str(&format!("\\u{:04x}", u32::from(c))) } else { out.push(c) }
    }
    out
}
