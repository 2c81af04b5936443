//! Claims: what a text states that can be looked up and found wrong. Money, numbers with and without units, percentages, dates, times,
//! durations, ordinals, mail addresses, links, phone numbers, identifiers. Compared by value and not by how they are written, so that a
//! rewritten equal value is no drift.
//!
//! [`claims`] reads a text, [`drift`] says what of it another text lost, altered or added. Both know words of English, German, French and
//! Spanish, and some Japanese; what they do not know they do not report.

mod code;
mod compare;
mod context;
mod fold;
mod scan;
mod time;
mod unit;

use std::cell::RefCell;
use std::sync::Arc;

use super::kept::Kept;
use super::value::{Currency, Decimal};
use crate::model::Span;

pub use compare::{Drift, Item, Place, compare, drift};

/// What a claim states.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Value {
    Number(Decimal),
    Percent(Decimal),
    Money(Decimal, Currency),
    Measure(Measure),
    Ordinal(u64),
    Date(Day),
    /// From Monday, 0.
    Weekday(u8),
    Time(Time),
    /// In lower case.
    Mail(Box<str>),
    /// Without scheme, `www.` and a slash at the end; the host in lower case.
    Link(Box<str>),
    /// Digits, with the plus sign where there is one.
    Phone(Box<str>),
    /// As written, without `#` and a version's `v`.
    Code(Box<str>),
}

/// An amount of something: a duration, a size, a length.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Measure {
    /// As it stands before its unit; what a text says that leaves the unit out.
    pub written: Decimal,
    /// In `base`.
    pub total: Decimal,
    /// The unit that all of its kind are told in: `s`, `month`, `B`, `m`.
    pub base: &'static str,
    /// `business` of `business days`; a qualified unit is another unit.
    pub qualifier: &'static str,
}

/// A calendar date or part of one: a day of any year, a month.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Day {
    pub year: Option<u16>,
    pub month: u8,
    pub day: Option<u8>,
    /// From Monday, 0, where it was told with the date.
    pub weekday: Option<u8>,
}

/// A time of day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Time {
    /// Seconds from midnight.
    pub second: u32,
    pub zone: Option<Zone>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Zone {
    /// Minutes east of Greenwich.
    Offset(i32),
    /// A zone whose offset depends on the season: ET, PT.
    Named(&'static str),
}

/// A claim and where it stands, in bytes of the text it was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Covers sign, currency, unit and rate.
    pub span: Span,
    pub value: Value,
    /// The second reading of a notation that has two: `1.234` is also 1234, `03/04/2026` a day in March or in April.
    pub other: Option<Value>,
    /// `per month` of an amount, in seconds or months; compared only where both sides have one.
    pub rate: Option<(&'static str, u64)>,
    /// The words may state nothing (`one`, `a day`, `first`): never lost or added by themselves.
    pub loose: bool,
    /// The next claim is the upper end of a range that starts here and is read as one expression (`3-5 days`).
    pub opens_range: bool,
}

/// What a claim is about; only claims of one kind can be two values of the same fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Numbers, with a unit or without, and codes of digits only.
    Amount,
    Duration,
    Percent,
    Money,
    Ordinal,
    Date,
    Weekday,
    Time,
    Mail,
    Link,
    Phone,
    Code,
}

impl Value {
    pub fn kind(&self) -> Kind {
        match self {
            Value::Number(_) => Kind::Amount,
            Value::Measure(m) if matches!(m.base, "s" | "month") => Kind::Duration,
            Value::Measure(m) if m.base == "pp" => Kind::Percent,
            Value::Measure(_) => Kind::Amount,
            Value::Percent(_) => Kind::Percent,
            Value::Money(..) => Kind::Money,
            Value::Ordinal(_) => Kind::Ordinal,
            Value::Date(_) => Kind::Date,
            Value::Weekday(_) => Kind::Weekday,
            Value::Time(_) => Kind::Time,
            Value::Mail(_) => Kind::Mail,
            Value::Link(_) => Kind::Link,
            Value::Phone(_) => Kind::Phone,
            Value::Code(code) if code.bytes().all(|b| b.is_ascii_digit()) => Kind::Amount,
            Value::Code(_) => Kind::Code,
        }
    }

    /// Equal by value. What only one side states (a year, a unit) does not make them differ; a currency, a qualifier and a time zone do.
    fn agrees(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Date(a), Value::Date(b)) => a.agrees(*b),
            (Value::Money(a, x), Value::Money(b, y)) => a == b && (x == y || [x, y].contains(&&unit::ANY_CURRENCY)),
            (Value::Measure(a), Value::Measure(b)) => a.total == b.total && a.base == b.base && a.qualifier == b.qualifier,
            (Value::Measure(m), Value::Number(n)) | (Value::Number(n), Value::Measure(m)) => m.written == *n,
            (Value::Time(a), Value::Time(b)) => a.agrees(*b),
            (Value::Phone(a), Value::Phone(b)) => code::same_phone(a, b),
            (a, b) => a == b,
        }
    }
}

impl Day {
    fn agrees(self, other: Day) -> bool {
        let years = self.year.is_none() || other.year.is_none() || self.year == other.year;
        let weekdays = self.weekday.is_none() || other.weekday.is_none() || self.weekday == other.weekday;
        years && weekdays && self.month == other.month && self.day == other.day
    }
}

impl Time {
    fn agrees(self, other: Time) -> bool {
        match (self.zone, other.zone) {
            (Some(Zone::Offset(a)), Some(Zone::Offset(b))) => {
                let utc = |second: u32, zone: i32| (i64::from(second) - i64::from(zone) * 60).rem_euclid(86_400);
                utc(self.second, a) == utc(other.second, b)
            }
            (a, b) => a == b && self.second == other.second,
        }
    }
}

impl Claim {
    /// Both claims state the same value.
    pub fn agrees(&self, text: &str, other: &Claim, other_text: &str) -> bool {
        let readings = |c: &'_ Claim| [Some(c.value.clone()), c.other.clone()];
        let rates = self.rate.is_none() || other.rate.is_none() || self.rate == other.rate;
        let same = self.value.agrees(&other.value)
            || (self.other.is_some() || other.other.is_some())
                && readings(self).iter().flatten().any(|a| readings(other).iter().flatten().any(|b| a.agrees(b)));
        rates && (same || self.written_alike(text, other, other_text))
    }

    /// A number in one text and a code in the other, in the same characters: `#48213` and `48213`, `v2.10` and `2.10`.
    fn written_alike(&self, text: &str, other: &Claim, other_text: &str) -> bool {
        match (&self.value, &other.value) {
            (Value::Code(code), Value::Number(_)) => other.span.of(other_text) == Some(code),
            (Value::Number(_), Value::Code(code)) => self.span.of(text) == Some(code),
            _ => false,
        }
    }
}

thread_local! {
    static CLAIMS: RefCell<Kept<Claim>> = const { RefCell::new(Kept::new()) };
}

/// [`claims`] of a section, which may have been read before.
pub fn claims_of_section(text: &str) -> Arc<[Claim]> {
    CLAIMS.with_borrow_mut(|kept| kept.get(text, claims))
}

/// The claims of `text` in text order; spans do not overlap. Numbers of lists are none.
pub fn claims(text: &str) -> Vec<Claim> {
    let Some((folded, offsets)) = fold::fold(text) else { return scan::Scanner::new(text).run() };
    let mut claims = scan::Scanner::new(&folded).run();
    for claim in &mut claims {
        let (start, end) = offsets.source(claim.span.start, claim.span.end);
        claim.span = Span::new(start, end);
    }
    claims
}

#[cfg(test)]
mod tests;
