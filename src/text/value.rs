//! Values stated in a text, compared by what they mean and not by how they are written: numbers, percentages, money, calendar dates.
//!
//! A value is of one kind only. `15` is not found in `$15`, `15%`, `15 March`, `15:30`, `1,500` or `#15-A`, because none of these says fifteen
//! of something. One scan of a text finds every value with its place ([`values`]); [`has_number`], [`has_money`] and [`has_date`] ask for one.

mod date;
mod digits;
mod names;
mod scan;

use crate::model::Span;

/// An exact decimal: `digits` times ten to the power of minus `scale`, in lowest terms, so that equal numbers are equal values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Decimal {
    negative: bool,
    digits: u128,
    scale: u32,
}

impl Decimal {
    /// Longest number that is read, in digits; anything longer is an identifier.
    const MAX_DIGITS: usize = 30;

    fn new(negative: bool, mut digits: u128, mut scale: u32) -> Decimal {
        while scale > 0 && digits.is_multiple_of(10) {
            digits /= 10;
            scale -= 1;
        }
        Decimal { negative: negative && digits > 0, digits, scale }
    }

    pub(super) fn whole(n: u64) -> Decimal {
        Decimal::new(false, u128::from(n), 0)
    }

    fn negated(self) -> Decimal {
        Decimal { negative: self.digits > 0 && !self.negative, ..self }
    }

    /// This times `by`; None where it would not fit.
    pub(super) fn times(self, by: u64) -> Option<Decimal> {
        Some(Decimal::new(self.negative, self.digits.checked_mul(u128::from(by))?, self.scale))
    }

    /// This over ten to the power of `places`.
    pub(super) fn over(self, places: u32) -> Decimal {
        Decimal::new(self.negative, self.digits, self.scale.saturating_add(places))
    }

    /// The sum of two amounts of one sign; None where it would not fit or the signs differ.
    pub(super) fn plus(self, other: Decimal) -> Option<Decimal> {
        let scale = self.scale.max(other.scale);
        let digits = |d: Decimal| d.digits.checked_mul(10u128.checked_pow(scale - d.scale)?);
        let sum = digits(self)?.checked_add(digits(other)?)?;
        (self.negative == other.negative).then(|| Decimal::new(self.negative, sum, scale))
    }

    /// This times ten to the power of `zeros`; None where it would not fit.
    fn shifted(self, zeros: u32) -> Option<Decimal> {
        let digits = self.digits.checked_mul(10u128.checked_pow(zeros)?)?;
        Some(Decimal::new(self.negative, digits, self.scale))
    }
}

/// ISO 4217 code of a currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Currency(pub [u8; 3]);

/// A calendar date, the year where it was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Date {
    pub year: Option<u16>,
    pub month: u8,
    pub day: u8,
}

impl Date {
    /// Same day and month, and the same year unless one of the two has none.
    fn agrees(self, other: Date) -> bool {
        let years = self.year.is_none() || other.year.is_none() || self.year == other.year;
        self.day == other.day && self.month == other.month && years
    }
}

/// What is stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Value {
    Number(Decimal),
    Percent(Decimal),
    Money(Decimal, Currency),
    Date(Date),
}

impl Value {
    /// Equal in kind and amount; a date without a year agrees with that day of any year.
    pub fn agrees(self, other: Value) -> bool {
        match (self, other) {
            (Value::Date(a), Value::Date(b)) => a.agrees(b),
            (a, b) => a == b,
        }
    }
}

/// A value and where it stands (currency, sign, percent mark and year included), in bytes of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    pub span: Span,
    pub value: Value,
    /// The second reading of a notation that has two: `1.234` is also 1234, `1,234` also 1.234, `03/04/2026` is a day in March or in April.
    pub other: Option<Value>,
}

impl Found {
    pub fn is(&self, value: Value) -> bool {
        self.value.agrees(value) || self.other.is_some_and(|v| v.agrees(value))
    }
}

/// Every value of `text` in text order; spans do not overlap. Numbers are read in digits (grouped by comma, dot, apostrophe, no-break or thin
/// space) and in English words, money with a symbol, an ISO 4217 code or a name on either side, dates as ISO, with an English month, or in
/// digits with a four-digit year. Digits in identifiers, references, times of day, fractions, versions, links and list markers are no numbers.
pub fn values(text: &str) -> Vec<Found> {
    scan::Scanner::new(text).run()
}

/// The one value that `text` is, blanks around it aside; None where it is anything else. The first reading counts.
pub fn read(text: &str) -> Option<Value> {
    let text = text.trim();
    match values(text).as_slice() {
        [one] if one.span == Span::new(0, text.len()) => Some(one.value),
        _ => None,
    }
}

/// A number (`1,234.5`, `fifteen`) or, where `value` is a percentage (`2.9%`), a percentage equal to `value` stands in `text`.
/// False where `value` is neither.
pub fn has_number(text: &str, value: &str) -> bool {
    read_number(value).is_some_and(|want| stands(text, want))
}

/// An amount equal to `value` (`$20`, `20.00 USD`) in the same currency stands in `text`. False where `value` is no money.
pub fn has_money(text: &str, value: &str) -> bool {
    read_money(value).is_some_and(|want| stands(text, want))
}

/// The date `value` (`2026-03-04`, `4 March`) stands in `text`; where either has no year, day and month decide. False where `value` is no date.
pub fn has_date(text: &str, value: &str) -> bool {
    read_date(value).is_some_and(|want| stands(text, want))
}

pub(super) fn read_number(text: &str) -> Option<Value> {
    read(text).filter(|v| matches!(v, Value::Number(_) | Value::Percent(_)))
}

pub(super) fn read_money(text: &str) -> Option<Value> {
    read(text).filter(|v| matches!(v, Value::Money(..)))
}

pub(super) fn read_date(text: &str) -> Option<Value> {
    read(text).filter(|v| matches!(v, Value::Date(_)))
}

/// The number whose first digit is at `start`: its first reading and its other one (see [`Found::other`]), and where it ends.
pub(super) fn number_at(text: &str, start: usize) -> Option<(Decimal, Option<Decimal>, usize)> {
    // No number is longer; a list without end is not walked to its end for each of its members.
    let text = &text[..text.floor_char_boundary(start.saturating_add(2 * Decimal::MAX_DIGITS))];
    let body = digits::read(text, start);
    body.reading.map(|(first, other)| (first, other, body.end))
}

fn stands(text: &str, want: Value) -> bool {
    values(text).iter().any(|found| found.is(want))
}

#[cfg(test)]
mod tests;
