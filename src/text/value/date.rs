//! Calendar dates in text: ISO, day and English month in either order, digits with a four-digit year.

use super::Date;
use super::digits::run;
use super::names;

/// A date that was read: where it ends, and its other reading where day and month could be swapped.
pub(super) struct Dated {
    pub end: usize,
    pub date: Date,
    pub other: Option<Date>,
}

/// A date whose first digit is at `start`.
pub(super) fn at_digits(text: &str, start: usize) -> Option<Dated> {
    let end = run(text.as_bytes(), start);
    match end - start {
        4 => iso(text, start, end),
        1 | 2 => in_digits(text, start, end).or_else(|| day_first(text, start, end)),
        _ => None,
    }
}

/// `March 4th, 2026`: a date that starts with the month word `text[start..end]`.
pub(super) fn month_first(text: &str, start: usize, end: usize) -> Option<Dated> {
    let month = names::month(&text[start..end])?;
    let at = blanks(text, past(text, end, '.'));
    let day_end = run(text.as_bytes(), at);
    if at == end || !(1..=2).contains(&(day_end - at)) {
        return None;
    }
    let day = number(text, at, day_end)?;
    let after = ordinal_end(text, day_end).unwrap_or(day_end);
    let rest = &text.as_bytes()[after..];
    let goes_on = matches!(rest, [b, ..] if b.is_ascii_alphanumeric() || *b == b'%')
        || matches!(rest, [b'.' | b':' | b'/', b, ..] if b.is_ascii_digit());
    if goes_on {
        return None;
    }
    with_year(text, after, day, u16::from(month))
}

fn iso(text: &str, start: usize, end: usize) -> Option<Dated> {
    let bytes = text.as_bytes();
    let mark = *bytes.get(end).filter(|b| matches!(b, b'-' | b'/'))?;
    let month_end = run(bytes, end + 1);
    if month_end - (end + 1) != 2 || bytes.get(month_end) != Some(&mark) {
        return None;
    }
    let day_end = run(bytes, month_end + 1);
    if day_end - (month_end + 1) != 2 {
        return None;
    }
    let date = valid(Some(number(text, start, end)?), number(text, end + 1, month_end)?, number(text, month_end + 1, day_end)?)?;
    let timed = matches!(&bytes[day_end..], [b'T', b, ..] if b.is_ascii_digit());
    let end = if timed { time_end(bytes, day_end + 1) } else { day_end };
    Some(Dated { end, date, other: None })
}

/// Past `10:00:00.5Z` after the T of an ISO time.
fn time_end(bytes: &[u8], start: usize) -> usize {
    bytes[start..].iter().position(|b| !(b.is_ascii_digit() || matches!(b, b':' | b'Z'))).map_or(bytes.len(), |n| start + n)
}

/// `04/03/2026`, `04-03-2026` (either order) and `04.03.2026` (day first).
fn in_digits(text: &str, start: usize, end: usize) -> Option<Dated> {
    let bytes = text.as_bytes();
    let mark = *bytes.get(end).filter(|b| matches!(b, b'/' | b'.' | b'-'))?;
    let second_end = run(bytes, end + 1);
    if !(1..=2).contains(&(second_end - (end + 1))) || bytes.get(second_end) != Some(&mark) {
        return None;
    }
    let year_end = run(bytes, second_end + 1);
    if year_end - (second_end + 1) != 4 {
        return None;
    }
    let (a, b) = (number(text, start, end)?, number(text, end + 1, second_end)?);
    let year = Some(number(text, second_end + 1, year_end)?);
    let day_first = valid(year, b, a);
    let month_first = if mark == b'.' || a == b { None } else { valid(year, a, b) };
    let date = day_first.or(month_first)?;
    Some(Dated { end: year_end, date, other: day_first.and(month_first) })
}

/// `4 March 2026`, `4th of March`, `4-Mar-2026`.
fn day_first(text: &str, start: usize, end: usize) -> Option<Dated> {
    let day = number(text, start, end)?;
    let after = ordinal_end(text, end).unwrap_or(end);
    let mut at = past(text, blanks(text, after), '-');
    if at == after {
        return None;
    }
    if text[at..].starts_with("of ") {
        at = blanks(text, at + 3);
    }
    let word_end = text[at..].find(|c: char| !c.is_alphanumeric()).map_or(text.len(), |n| at + n);
    let month = names::month(&text[at..word_end])?;
    // The dot of `Mar.` is taken only where a year follows: it may as well end the sentence.
    let dotted = with_year(text, past(text, word_end, '.'), day, u16::from(month)).filter(|d| d.date.year.is_some());
    dotted.or_else(|| with_year(text, word_end, day, u16::from(month)))
}

/// The date that ends at `end`, or after a year that follows there.
fn with_year(text: &str, end: usize, day: u16, month: u16) -> Option<Dated> {
    let at = blanks(text, past(text, end, ','));
    let at = if at == end { past(text, end, '-') } else { at };
    let year_end = run(text.as_bytes(), at);
    let follows_letter = text[year_end..].starts_with(|c: char| c.is_alphanumeric());
    let year = if at > end && year_end - at == 4 && !follows_letter { number(text, at, year_end) } else { None };
    match year.filter(|y| (1900..2100).contains(y)) {
        Some(year) => Some(Dated { end: year_end, date: valid(Some(year), month, day)?, other: None }),
        None => Some(Dated { end, date: valid(None, month, day)?, other: None }),
    }
}

fn valid(year: Option<u16>, month: u16, day: u16) -> Option<Date> {
    let leap = year.is_none_or(|y| y % 4 == 0 && (y % 100 != 0 || y % 400 == 0));
    let last = match month {
        2 => 28 + u16::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    (1..=last).contains(&day).then_some(Date { year, month: month as u8, day: day as u8 })
}

fn number(text: &str, start: usize, end: usize) -> Option<u16> {
    text.get(start..end)?.parse().ok()
}

/// Past `st`, `nd`, `rd` or `th` at `at`, where the word ends there.
fn ordinal_end(text: &str, at: usize) -> Option<usize> {
    let rest = text.as_bytes().get(at..)?;
    let ordinal = matches!(rest, [b's', b't', ..] | [b'n', b'd', ..] | [b'r', b'd', ..] | [b't', b'h', ..]);
    (ordinal && !rest.get(2).is_some_and(u8::is_ascii_alphanumeric)).then_some(at + 2)
}

fn past(text: &str, at: usize, mark: char) -> usize {
    if text[at..].starts_with(mark) { at + mark.len_utf8() } else { at }
}

fn blanks(text: &str, at: usize) -> usize {
    text[at..].find(|c: char| !c.is_whitespace()).map_or(text.len(), |n| at + n)
}
