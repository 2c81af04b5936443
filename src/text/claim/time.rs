//! Times of day, and the dates that text/value does not read: other languages, short years, months by themselves.

use super::{Day, Time, Zone};
use crate::text::bytes::alphanumeric_run;
use crate::text::numeral::{self, Word};
use crate::text::window::is_unspaced;

/// End of the ASCII digits at `start`.
pub(super) fn digits_end(text: &str, start: usize) -> usize {
    text.as_bytes()[start..].iter().position(|b| !b.is_ascii_digit()).map_or(text.len(), |n| start + n)
}

pub(super) fn small(text: &str, start: usize, end: usize) -> Option<u32> {
    if end > start && end - start <= 4 { text.get(start..end)?.parse().ok() } else { None }
}

pub(super) fn blank(text: &str, at: usize) -> usize {
    let blank = text[at..].chars().next().filter(|c| matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}'));
    at + blank.map_or(0, char::len_utf8)
}

/// Past the letters and digits at `at`; a script without blanks between its words is a word apart from digits and other scripts.
pub(super) fn word_end(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let mut end = at;
    let unspaced = !bytes.get(at).is_none_or(u8::is_ascii) && text[at..].starts_with(is_unspaced);
    if let Some(rest) = bytes.get(at..).filter(|_| !unspaced) {
        end += alphanumeric_run(rest);
        if bytes.get(end).is_none_or(u8::is_ascii) {
            return end;
        }
    }
    while let Some(&b) = bytes.get(end) {
        if b.is_ascii() {
            if unspaced || !b.is_ascii_alphanumeric() {
                break;
            }
            end += 1;
            continue;
        }
        match text[end..].chars().next() {
            Some(c) if c.is_alphanumeric() && is_unspaced(c) == unspaced => end += c.len_utf8(),
            _ => break,
        }
    }
    end
}

/// Half of the day that `am` or `pm` names, and where the mark ends.
fn meridiem(text: &str, end: usize) -> Option<(bool, usize)> {
    let at = blank(text, end);
    let rest = text.as_bytes().get(at..)?;
    let (half, len) = match rest {
        [h, b'.', b'm' | b'M', b'.', ..] => (*h, 4),
        [h, b'm' | b'M', ..] => (*h, 2),
        _ => return None,
    };
    let goes_on = text[at + len..].starts_with(char::is_alphanumeric);
    match half | 32 {
        b'a' if !goes_on => Some((false, at + len)),
        b'p' if !goes_on => Some((true, at + len)),
        _ => None,
    }
}

/// A time of day whose first digit is at `start`: `9:30`, `9:30 am`, `9am`, `14.30 Uhr`, `14h30` after a preposition, `15時30分`.
pub(super) fn time(text: &str, start: usize, before: &str) -> Option<(Time, usize)> {
    let hour_end = digits_end(text, start);
    let hour = small(text, start, hour_end).filter(|h| *h <= 24 && hour_end - start <= 2)?;
    let rest = &text[hour_end..];
    let (mut minute, mut second, mut end, mut sure) = (0, 0, hour_end, false);
    let mark = rest.chars().next().unwrap_or(' ');
    let two = |at: usize| {
        let end = digits_end(text, at.min(text.len()));
        small(text, at, end).filter(|n| *n < 60 && end - at == 2).map(|n| (n, end))
    };
    match mark {
        ':' | '.' | 'h' => {
            if let Some((m, m_end)) = two(hour_end + 1) {
                (minute, end, sure) = (m, m_end, mark == ':' || (mark == 'h' && is_at(before)));
                if mark == ':'
                    && text[end..].starts_with(':')
                    && let Some((s, s_end)) = two(end + 1)
                {
                    (second, end) = (s, s_end);
                }
            } else if mark == 'h' && is_at(before) && !text[hour_end + 1..].starts_with(char::is_alphanumeric) {
                (end, sure) = (hour_end + 1, true);
            }
        }
        '時' if !rest.starts_with("時間") => {
            (end, sure) = (hour_end + mark.len_utf8(), true);
            let m_end = digits_end(text, end);
            if let Some(m) = small(text, end, m_end).filter(|m| *m < 60)
                && text[m_end..].starts_with('分')
            {
                (minute, end) = (m, m_end + '分'.len_utf8());
            }
        }
        _ => {}
    }
    let mut hour = hour;
    if let Some((afternoon, at)) = meridiem(text, end).filter(|_| (1..=12).contains(&hour)) {
        (hour, end, sure) = (hour % 12 + if afternoon { 12 } else { 0 }, at, true);
    } else {
        let at = blank(text, end);
        if let Some(word) = ["Uhr", "o'clock", "o\u{2019}clock"].iter().find(|w| text[at..].starts_with(**w)) {
            (end, sure) = (at + word.len(), true);
        }
        if before.ends_with("午後") && hour < 12 {
            hour += 12;
        }
    }
    let goes_on = text[end..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        || matches!(text.as_bytes()[end..], [b':' | b'/', b, ..] if b.is_ascii_digit());
    let zulu = text[end..].starts_with('Z') && !text[end + 1..].starts_with(char::is_alphanumeric);
    if !sure || (goes_on && !zulu) {
        return None;
    }
    let (zone, end) = zone(text, end).map_or((None, end), |(zone, end)| (Some(zone), end));
    Some((Time { second: hour % 24 * 3600 + minute * 60 + second, zone }, end))
}

fn is_at(word: &str) -> bool {
    matches!(word, "à" | "À" | "dès" | "vers" | "avant" | "après" | "jusqu" | "at" | "um" | "las" | "de" | "et" | "entre")
}

const ZONES: &[(&str, i32)] = &[
    ("UTC", 0),
    ("GMT", 0),
    ("Z", 0),
    ("WET", 0),
    ("BST", 60),
    ("WEST", 60),
    ("CET", 60),
    ("MEZ", 60),
    ("CEST", 120),
    ("MESZ", 120),
    ("EET", 120),
    ("EEST", 180),
    ("MSK", 180),
    ("IST", 330),
    ("SGT", 480),
    ("HKT", 480),
    ("AWST", 480),
    ("JST", 540),
    ("KST", 540),
    ("AEST", 600),
    ("AEDT", 660),
    ("NZST", 720),
    ("NZDT", 780),
    ("EST", -300),
    ("EDT", -240),
    ("CST", -360),
    ("CDT", -300),
    ("MST", -420),
    ("MDT", -360),
    ("PST", -480),
    ("PDT", -420),
    ("AKST", -540),
    ("HST", -600),
];
const NAMED: [&str; 4] = ["ET", "CT", "MT", "PT"];

/// The zone after a time: `UTC`, `(CET)`, `UTC+2`.
pub(super) fn zone(text: &str, end: usize) -> Option<(Zone, usize)> {
    let mut at = blank(text, end);
    let open = text[at..].starts_with('(');
    at += usize::from(open);
    let name_end = at + text.as_bytes()[at..].iter().take(6).take_while(|b| b.is_ascii_uppercase()).count();
    let name = &text[at..name_end];
    if text[name_end..].starts_with(|c: char| c.is_alphanumeric() || c == '-' && name.is_empty()) {
        return None;
    }
    let (zone, mut end) = match ZONES.iter().find(|(known, _)| *known == name) {
        Some((_, minutes)) => {
            let (shift, end) = shift(text, name_end).filter(|_| *minutes == 0).unwrap_or((0, name_end));
            (Zone::Offset(minutes + shift), end)
        }
        None => (Zone::Named(NAMED.iter().find(|known| **known == name)?), name_end),
    };
    end += usize::from(open && text[end..].starts_with(')'));
    Some((zone, end))
}

/// `+2`, `-05:30` behind `UTC`, in minutes.
fn shift(text: &str, at: usize) -> Option<(i32, usize)> {
    let sign = text[at..].chars().next().filter(|c| matches!(c, '+' | '-' | '\u{2212}'))?;
    let start = at + sign.len_utf8();
    let end = digits_end(text, start);
    let hours = small(text, start, end).filter(|h| *h <= 14)? as i32;
    let past = (end + 1).min(text.len());
    let minutes_end = if text[end..].starts_with(':') { digits_end(text, past) } else { end };
    let (minutes, end) = match small(text, past.min(minutes_end), minutes_end).filter(|m| *m < 60) {
        Some(minutes) => (minutes as i32, minutes_end),
        None => (0, end),
    };
    let shift = hours * 60 + minutes;
    Some((if sign == '+' { shift } else { -shift }, end))
}

/// Noon and midnight by name.
pub(super) fn moment(word: &str) -> Option<Time> {
    let hour = match word {
        "noon" | "midday" | "midi" | "mediodía" => 12,
        "midnight" | "mitternacht" | "minuit" | "medianoche" => 0,
        _ => return None,
    };
    Some(Time { second: hour * 3600, zone: None })
}

/// The month that the word at `at` names, in any of the languages, and where the word ends.
fn month(text: &str, at: usize) -> Option<(u8, usize)> {
    let end = word_end(text, at);
    match numeral::word(&numeral::lower(text.get(at..end).filter(|w| !w.is_empty())?))? {
        Word::Month { month, .. } => Some((month, end)),
        _ => None,
    }
}

fn past_word(text: &str, at: usize, words: &[&str]) -> usize {
    words.iter().find(|w| text[at..].starts_with(**w)).map_or(at, |w| at + w.len())
}

/// A four-digit year at or after a blank, a comma or `de` from `end`.
pub(super) fn year(text: &str, end: usize) -> Option<(u16, usize)> {
    let at = end + usize::from(text[end..].starts_with(','));
    let at = past_word(text, blank(text, at), &["de ", "del ", "of "]);
    let year_end = digits_end(text, at);
    let year = small(text, at, year_end).filter(|y| at > end && (1900..2100).contains(y))?;
    let goes_on = text[year_end..].starts_with(char::is_alphanumeric)
        || matches!(text.as_bytes()[year_end..], [b'.' | b',' | b':', b, ..] if b.is_ascii_digit());
    (!goes_on).then_some((year as u16, year_end))
}

/// A date that starts with digits: `14. März 2025`, `1er mars`, `3 de mayo de 2025`, `14.03.` after a German preposition, `14.03.25`, `10月18日`.
pub(super) fn day_first(text: &str, start: usize, before: &str) -> Option<(Day, usize)> {
    let end = digits_end(text, start);
    let first = small(text, start, end)?;
    let rest = &text[end..];
    if rest.starts_with(['年', '月']) {
        return japanese(text, start);
    }
    let day = u8::try_from(first).ok().filter(|d| (1..=31).contains(d) && end - start <= 2)?;
    if rest.starts_with(['.', '/']) && rest[1..].starts_with(|c: char| c.is_ascii_digit()) {
        return numeric(text, day, end, before);
    }
    let after = past_word(text, end, &["er ", ". ", "º ", "st ", "nd ", "rd ", "th ", " ", "\u{a0}", "."]);
    let at = past_word(text, blank(text, after), &["de ", "of "]);
    if after == end {
        return None;
    }
    let (month, end) = month(text, at)?;
    let end = end + usize::from(text[end..].starts_with('.') && year(text, end + 1).is_some());
    let (year, end) = year(text, end).map_or((None, end), |(y, e)| (Some(y), e));
    Some((Day { year, month, day: Some(day), weekday: None }, end))
}

/// `14.03.`, `14.03.25`, `3/4/25`: day first.
fn numeric(text: &str, day: u8, end: usize, before: &str) -> Option<(Day, usize)> {
    let mark = text.as_bytes()[end];
    let month_end = digits_end(text, end + 1);
    let month = small(text, end + 1, month_end).filter(|m| (1..=12).contains(m) && month_end - end <= 3)? as u8;
    if text.as_bytes().get(month_end) != Some(&mark) {
        return None;
    }
    let year_end = digits_end(text, month_end + 1);
    let in_german = matches!(before, "am" | "vom" | "zum" | "bis" | "ab" | "seit" | "der" | "den" | "dem" | "und");
    match year_end - (month_end + 1) {
        0 if mark == b'.' && in_german => Some((Day { year: None, month, day: Some(day), weekday: None }, month_end + 1)),
        2 if !matches!(text.as_bytes()[year_end..], [b'.' | b'/', b, ..] if b.is_ascii_digit()) => {
            let year = small(text, month_end + 1, year_end)? as u16;
            Some((Day { year: Some(2000 + year), month, day: Some(day), weekday: None }, year_end))
        }
        _ => None,
    }
}

/// `2025年3月1日`, `10月18日`, `2025年3月`.
fn japanese(text: &str, start: usize) -> Option<(Day, usize)> {
    let number = |at: usize, mark: char| {
        let end = digits_end(text, at);
        small(text, at, end).filter(|_| text[end..].starts_with(mark)).map(|n| (n, end + mark.len_utf8()))
    };
    let (year, at) = number(start, '年').map_or((None, start), |(y, end)| (Some(y as u16), end));
    let (month, at) = number(at, '月').filter(|(m, _)| (1..=12).contains(m))?;
    let (day, end) = number(at, '日').map_or((None, at), |(d, end)| (Some(d as u8), end));
    Some((Day { year, month: month as u8, day, weekday: None }, end))
}
