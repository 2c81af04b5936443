//! The form in which claims are read: invisible characters gone, hyphens plain, full-width forms narrow, letters composed. Line ends and
//! blanks stay, because lists and grouped digits depend on them.

use unicode_normalization::char::{compose, is_combining_mark};

use crate::text::offsets::Offsets;

/// The folded text with a map back; None where the text is in that form already.
pub(super) fn fold(text: &str) -> Option<(String, Offsets)> {
    if text.is_ascii() || !text.chars().any(|c| changed(c) || is_combining_mark(c)) {
        return None;
    }
    let (mut out, mut offsets) = (String::with_capacity(text.len()), Offsets::default());
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let (mut folded, mut end) = (narrow(c), at + c.len_utf8());
        while let Some((next_at, next)) = chars.peek().copied()
            && let Some(whole) = folded.and_then(|c| compose(c, next)).filter(|_| is_combining_mark(next))
        {
            (folded, end) = (Some(whole), next_at + next.len_utf8());
            chars.next();
        }
        let Some(folded) = folded else { continue };
        out.push(folded);
        if folded.len_utf8() == end - at {
            offsets.copy(at, end - at);
        } else {
            offsets.replace(folded.len_utf8(), at, end);
        }
    }
    Some((out, offsets))
}

fn changed(c: char) -> bool {
    narrow(c) != Some(c)
}

fn narrow(c: char) -> Option<char> {
    match c {
        '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}' | '\u{200e}' | '\u{200f}' => None,
        '\u{2010}' | '\u{2011}' => Some('-'),
        '！'..='～' => char::from_u32(u32::from(c) - 0xFEE0),
        _ => Some(c),
    }
}
