//! Digits with separators: which notation they are in, and what number that is.

use super::Decimal;

/// A run of digits and separators.
pub(super) struct Body {
    pub end: usize,
    /// The number, and its other reading where the notation has two. None where it is no number (a version, a code, too long).
    pub reading: Option<(Decimal, Option<Decimal>)>,
    /// End of the comma list that this is the first member of: `1,2,3`.
    pub list_end: Option<usize>,
}

const GROUPS_MAX: usize = 12;

/// End of the ASCII digits that start at `start`.
pub(super) fn run(bytes: &[u8], start: usize) -> usize {
    bytes[start..].iter().position(|b| !b.is_ascii_digit()).map_or(bytes.len(), |n| start + n)
}

/// A blank that may stand inside a number, or between a number and its unit.
pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}')
}

/// Only the digits at `start`, for members of a list.
pub(super) fn read_single(text: &str, start: usize) -> Body {
    let end = run(text.as_bytes(), start);
    Body { end, reading: integer(&[&text[start..end]]).map(|d| (d, None)), list_end: None }
}

/// The number whose first digit is at `start`.
pub(super) fn read(text: &str, start: usize) -> Body {
    let bytes = text.as_bytes();
    let mut groups = [""; GROUPS_MAX];
    let mut marks = ['\0'; GROUPS_MAX];
    let first_end = run(bytes, start);
    groups[0] = &text[start..first_end];
    let (mut count, mut end) = (1, first_end);
    while let Some(mark) = text[end..].chars().next() {
        let next = end + mark.len_utf8();
        let next_end = run(bytes, next.min(bytes.len()));
        let silent = matches!(mark, '\'' | '\u{2019}' | '\u{a0}' | '\u{202f}' | '\u{2009}');
        if next_end == next || !(silent || mark == '.' || mark == ',') {
            break;
        }
        // A blank or an apostrophe joins digits only where it groups thousands; else two numbers stand side by side.
        if silent && (next_end - next != 3 || groups[0].len() > 3 || marks[..count - 1].iter().any(|m| *m != mark)) {
            break;
        }
        if count == GROUPS_MAX {
            return Body { end: skip(bytes, end), reading: None, list_end: None };
        }
        (groups[count], marks[count - 1]) = (&text[next..next_end], mark);
        (count, end) = (count + 1, next_end);
    }
    let (groups, marks) = (&groups[..count], &marks[..count - 1]);
    if is_list(groups, marks) {
        let reading = integer(&groups[..1]).map(|d| (d, None));
        return Body { end: first_end, reading, list_end: Some(end) };
    }
    Body { end, reading: interpret(groups, marks), list_end: None }
}

/// Past all digits and separators of something too long to be a number.
fn skip(bytes: &[u8], start: usize) -> usize {
    bytes[start..].iter().position(|b| !(b.is_ascii_digit() || matches!(b, b'.' | b','))).map_or(bytes.len(), |n| start + n)
}

fn is_list(groups: &[&str], marks: &[char]) -> bool {
    marks.len() > 1 && marks.iter().all(|m| *m == ',') && !is_grouped(groups, ',')
}

/// `1,234,567`, and with commas `12,34,567` as India writes it. A group never starts the number with zero.
fn is_grouped(groups: &[&str], mark: char) -> bool {
    let [first, middle @ .., last] = groups else { return false };
    let threes = middle.iter().all(|g| g.len() == 3);
    let twos = mark == ',' && first.len() <= 2 && middle.iter().all(|g| g.len() == 2);
    first.len() <= 3 && !first.starts_with('0') && last.len() == 3 && (threes || twos)
}

fn interpret(groups: &[&str], marks: &[char]) -> Option<(Decimal, Option<Decimal>)> {
    let Some((&last, heads)) = marks.split_last() else { return integer(groups).map(|d| (d, None)) };
    let (whole, part) = groups.split_at(groups.len() - 1);
    if heads.iter().all(|m| *m == last) {
        let grouped = if is_grouped(groups, last) { integer(groups) } else { None };
        let decimal = if heads.is_empty() && matches!(last, '.' | ',') { fraction(whole, part[0]) } else { None };
        return match (last, grouped, decimal) {
            ('.', other, Some(first)) => Some((first, other)),
            (_, Some(first), other) => Some((first, other)),
            (_, None, Some(first)) => Some((first, None)),
            (_, None, None) => None,
        };
    }
    let uniform = heads.iter().all(|m| *m == heads[0]) && matches!(last, '.' | ',');
    if uniform && is_grouped(whole, heads[0]) { fraction(whole, part[0]).map(|d| (d, None)) } else { None }
}

fn integer(groups: &[&str]) -> Option<Decimal> {
    fraction(groups, "")
}

/// The groups joined, then `part` after the decimal mark. None for a leading zero (`007` is a name) and where there are too many digits.
fn fraction(groups: &[&str], part: &str) -> Option<Decimal> {
    let first = groups.first()?;
    let length: usize = groups.iter().map(|g| g.len()).sum::<usize>() + part.len();
    if (first.len() > 1 && first.starts_with('0')) || length > Decimal::MAX_DIGITS {
        return None;
    }
    let digits = groups.iter().flat_map(|g| g.bytes()).chain(part.bytes()).fold(0u128, |n, b| n * 10 + u128::from(b - b'0'));
    Some(Decimal::new(false, digits, part.len() as u32))
}

/// `.5`: digits after a bare decimal point.
pub(super) fn bare_fraction(part: &str) -> Option<Decimal> {
    fraction(&["0"], part)
}
