//! Points in time as text: what is written beside a call, and the two forms in which providers say when to come again.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

const DAY: u64 = 86_400;

/// RFC 3339 in UTC with milliseconds: `2026-11-30T16:32:26.409Z`.
pub fn rfc3339(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (days, second) = (since.as_secs() / DAY, since.as_secs() % DAY);
    let (year, month, day) = civil(days);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{:03}Z", second / 3600, second / 60 % 60, second % 60, since.subsec_millis())
}

/// A moment as HTTP writes it (`Sun, 06 Nov 1994 08:49:37 GMT`) or as RFC 3339 does (`2026-01-27T12:00:30Z`). None for anything else.
pub fn parse(text: &str) -> Option<SystemTime> {
    let text = text.trim();
    http_date(text).or_else(|| rfc3339_date(text))
}

fn http_date(text: &str) -> Option<SystemTime> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (_, rest) = text.split_once(", ")?;
    let mut words = rest.split(' ');
    let day = number(words.next()?)?;
    let name = words.next()?;
    let month = 1 + MONTHS.iter().position(|month| *month == name)? as u64;
    let year = number(words.next()?)?;
    let second = time_of_day(words.next()?)?;
    (words.next()? == "GMT" && words.next().is_none()).then_some(())?;
    moment(year, month, day, second)
}

fn rfc3339_date(text: &str) -> Option<SystemTime> {
    let (date, time) = text.strip_suffix(['Z', 'z'])?.split_once(['T', 't'])?;
    let mut parts = date.split('-');
    let (year, month, day) = (number(parts.next()?)?, number(parts.next()?)?, number(parts.next()?)?);
    parts.next().is_none().then_some(())?;
    // Fractions of a second are waited for in full.
    let (whole, fraction) = time.split_once('.').unwrap_or((time, "0"));
    moment(year, month, day, time_of_day(whole)? + u64::from(number(fraction)? > 0))
}

fn time_of_day(text: &str) -> Option<u64> {
    let mut parts = text.split(':');
    let (hour, minute, second) = (number(parts.next()?)?, number(parts.next()?)?, number(parts.next()?)?);
    (parts.next().is_none() && hour < 24 && minute < 60 && second <= 60).then_some(hour * 3600 + minute * 60 + second)
}

fn number(text: &str) -> Option<u64> {
    (!text.is_empty() && text.len() <= 9 && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

fn moment(year: u64, month: u64, day: u64, second: u64) -> Option<SystemTime> {
    let fits = (1970..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    fits.then(|| UNIX_EPOCH + Duration::from_secs(days(year, month, day) * DAY + second))
}

/// Days from 1970-01-01. Years are counted from March, so that the leap day is the last of its year.
fn days(year: u64, month: u64, day: u64) -> u64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year / 4 - year / 100 + year / 400;
    365 * year + leap_days + (153 * month + 2) / 5 + day - 1 - 719_468
}

/// Year, month and day of a day counted from 1970-01-01.
fn civil(count: u64) -> (u64, u64, u64) {
    // The year is one of two candidates, the month at most one off an even share: look them up with `days`.
    let guess = 1970 + count / 366;
    let year = (guess..).find(|year| days(year + 1, 1, 1) > count).unwrap_or(guess);
    let month = (1..=12).rev().find(|month| days(year, *month, 1) <= count).unwrap_or(1);
    (year, month, 1 + count - days(year, month, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_and_read() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (784_111_777, "1994-11-06T08:49:37.000Z"),
            (951_782_399, "2000-02-28T23:59:59.000Z"),
            (951_782_400, "2000-02-29T00:00:00.000Z"),
            (1_796_083_199, "2026-11-30T23:59:59.000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000Z"),
        ] {
            let time = UNIX_EPOCH + Duration::from_secs(seconds);
            assert_eq!(rfc3339(time), text);
            assert_eq!(parse(text), Some(time), "{text}");
        }
        for (text, seconds) in [
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(784_111_777)),
            ("Thu, 01 Jan 1970 00:00:01 GMT", Some(1)),
            ("2026-11-30T23:59:58.2Z", Some(1_796_083_199)),
            ("Sun, 06 Nov 1994 08:49:37 CET", None),
            ("Sun, 06 Nov 1994 08:49 GMT", None),
            ("Sun, 32 Nov 1994 08:49:37 GMT", None),
            ("1994-11-06", None),
            ("12", None),
            ("", None),
        ] {
            assert_eq!(parse(text), seconds.map(|s| UNIX_EPOCH + Duration::from_secs(s)), "{text}");
        }
    }

    #[test]
    fn every_day_has_its_date() {
        for count in 0..60_000 {
            let (year, month, day) = civil(count);
            assert_eq!(days(year, month, day), count, "{year}-{month}-{day}");
            assert!((1..=31).contains(&day));
        }
    }
}
