//! Ranges: what only one end of a range states holds for both.

use super::super::{Day, Time, Value};
use super::Scanner;
use super::amount::measured;
use crate::model::Span;
use crate::text::value::Decimal;

/// How the two ends of a range are tied.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Join {
    Dash,
    To,
    And,
}

impl Scanner<'_> {
    /// Ties the two ends of ranges: what only one end states (unit, currency, month, zone) holds for both.
    pub(super) fn ranges(&mut self) {
        for at in 1..self.out.len() {
            let (head, tail) = self.out.split_at_mut(at);
            let (Some(low), Some(high)) = (head.last_mut(), tail.first_mut()) else { continue };
            let Some(join) = join(self.text, low.span, high.span) else { continue };
            let high_unit = self.units[at];
            let shared = match (&low.value, &high.value) {
                (Value::Number(n), Value::Measure(_)) => {
                    let value = high_unit.and_then(|unit| measured(*n, unit));
                    value.map(|v| low.value = Value::Measure(v)).is_some()
                }
                (Value::Number(n), Value::Money(_, currency)) => {
                    low.value = Value::Money(*n, *currency);
                    true
                }
                (Value::Money(_, currency), Value::Number(n)) if join != Join::To => {
                    high.value = Value::Money(*n, *currency);
                    true
                }
                (Value::Number(n), Value::Percent(_)) => {
                    low.value = Value::Percent(*n);
                    true
                }
                (Value::Number(n), Value::Date(date)) if date.day.is_some() => {
                    day_of(*n, *date).map(|day| low.value = Value::Date(day)).is_some()
                }
                (Value::Ordinal(n), Value::Date(date)) if date.day.is_some() => {
                    day_of(Decimal::whole(*n), *date).map(|day| low.value = Value::Date(day)).is_some()
                }
                (Value::Date(date), Value::Number(n)) if date.day.is_some() && join == Join::Dash => {
                    day_of(*n, *date).map(|day| high.value = Value::Date(day)).is_some()
                }
                (Value::Date(a), Value::Date(b)) if a.year.is_none() && b.year.is_some() => {
                    low.value = Value::Date(Day { year: b.year, ..*a });
                    false
                }
                (Value::Number(n), Value::Time(end)) => {
                    let hour = (0..=24).find(|h| Decimal::whole(*h) == *n);
                    hour.map(|hour| low.value = Value::Time(start_time(hour as u32 * 3600, *end, high.span, self.text))).is_some()
                }
                (Value::Time(start), Value::Time(end)) if start.zone.is_none() => {
                    let own = low.span.of(self.text).unwrap_or_default().ends_with(['m', 'M', '.']);
                    let value = if own { Time { zone: end.zone, ..*start } } else { start_time(start.second, *end, high.span, self.text) };
                    low.value = Value::Time(value);
                    false
                }
                _ => false,
            };
            let one_kind = low.value.kind() == high.value.kind();
            low.loose &= !shared;
            low.opens_range = one_kind && (join == Join::Dash || (join == Join::To && shared));
            if low.rate.is_none() {
                low.rate = high.rate;
            }
        }
    }
}

/// The start of a range of times takes half of the day and zone of its end.
fn start_time(second: u32, end: Time, end_span: Span, text: &str) -> Time {
    let half = end_span.of(text).is_some_and(|t| t.contains("pm") || t.contains("PM") || t.contains("p.m"));
    let later = second + 43_200;
    let second = if half && second < 43_200 && later < end.second { later } else { second % 86_400 };
    Time { second, zone: end.zone }
}

fn day_of(n: Decimal, date: Day) -> Option<Day> {
    let day = (1..=31u8).find(|d| Decimal::whole(u64::from(*d)) == n)?;
    Some(Day { day: Some(day), ..date })
}

fn join(text: &str, low: Span, high: Span) -> Option<Join> {
    let gap = text.get(low.end..high.start).filter(|gap| gap.len() <= 12)?;
    match gap.trim() {
        "-" | "\u{2013}" | "\u{2014}" | "\u{2212}" | "~" | "\u{301c}" | "から" => Some(Join::Dash),
        "to" | "bis" | "à" | "a" | "through" => Some(Join::To),
        "and" | "und" | "et" | "y" => {
            let before = text[..low.start].trim_end();
            ["between", "Between", "zwischen", "Zwischen", "entre", "Entre"].iter().any(|w| before.ends_with(w)).then_some(Join::And)
        }
        _ => None,
    }
}
