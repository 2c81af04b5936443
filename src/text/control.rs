//! Characters that act on whoever shows a text.

/// What can steer a terminal or turn text around: controls, line separators, marks of direction that stay in force.
pub fn is_unsafe(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
