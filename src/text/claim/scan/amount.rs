//! Numbers with what follows them: restated, scaled, with a unit or a currency, in several parts, at a rate.

use super::super::time::{blank, digits_end, word_end};
use super::super::unit::{self, Unit};
use super::super::{Measure, Value};
use super::{Scanner, is_limit};
use crate::text::value::{self, Currency, Decimal};

/// A number, and where it stands.
#[derive(Clone, Copy)]
pub(super) struct Amount {
    pub start: usize,
    pub end: usize,
    pub number: Decimal,
    pub other: Option<Decimal>,
    /// Without a unit it may be no number at all.
    pub weak: bool,
}

impl Scanner<'_> {
    /// Decides what a number is by the unit after it, and takes it in.
    pub(super) fn amount(&mut self, mut amount: Amount) {
        let text = self.text;
        amount.end = self.restated(amount);
        if text[amount.end..].starts_with(" and a half")
            && let Some(half) = amount.number.plus(Decimal::whole(5).over(1))
        {
            (amount.number, amount.other, amount.end) = (half, None, amount.end + " and a half".len());
        }
        // `1.299,- €`
        let dashed = [",-", ",\u{2013}", ".-", ".\u{2013}"].iter().find(|mark| text[amount.end..].starts_with(**mark));
        if let Some((currency, end)) = dashed.and_then(|mark| currency(text, blank(text, amount.end + mark.len()))) {
            self.push(amount.start, end, Value::Money(amount.other.unwrap_or(amount.number), currency));
            return self.rate();
        }
        if let Some((zeros, end)) = scale(text, amount.end)
            && let Some(number) = amount.number.times(10u64.pow(zeros))
        {
            (amount.number, amount.other, amount.end) = (number, None, end);
            let at = blank(text, end);
            if let Some((currency, end)) = currency(text, at) {
                self.push(amount.start, end, Value::Money(number, currency));
                return self.rate();
            }
        }
        match self.unit_at(amount.end, text[amount.end..].starts_with(char::is_alphabetic)) {
            Some((unit, end)) => self.measure(amount, unit, end),
            None => {
                self.push(amount.start, amount.end, Value::Number(amount.number));
                if let Some(claim) = self.last() {
                    claim.other = amount.other.map(Value::Number);
                    claim.loose = amount.weak;
                }
            }
        }
    }

    /// Past `(15)` behind `fifteen`.
    pub(super) fn restated(&self, amount: Amount) -> usize {
        let at = blank(self.text, amount.end);
        if !self.text[at..].starts_with('(') {
            return amount.end;
        }
        match value::number_at(self.text, (at + 1).min(self.text.len())) {
            Some((number, _, end)) if number == amount.number && self.text[end..].starts_with(')') => end + 1,
            _ => amount.end,
        }
    }

    pub(super) fn measure(&mut self, amount: Amount, unit: Unit, end: usize) {
        let Amount { start, number, other, .. } = amount;
        match unit.base {
            "%" => self.push(start, end, Value::Percent(number)),
            "円" => self.push(start, end, Value::Money(other.unwrap_or(number), Currency(*b"JPY"))),
            "cent" => self.push(start, end, Value::Money(number.over(2), unit::ANY_CURRENCY)),
            _ => {
                let Some(first) = measured(number, unit) else {
                    self.at = end;
                    return;
                };
                let (total, end) = self.compound(first.total, unit, end);
                self.push(start, end, Value::Measure(Measure { total, ..first }));
                let other = other.and_then(|d| measured(d, unit)).map(Value::Measure);
                if let Some(claim) = self.last() {
                    claim.other = other;
                }
                if let Some(last) = self.units.last_mut() {
                    *last = Some(unit);
                }
            }
        }
        self.rate();
    }

    /// The unit after a number that ends at `end`, and where it ends.
    pub(super) fn unit_at(&self, end: usize, attached: bool) -> Option<(Unit, usize)> {
        let text = self.text;
        let rest = &text[end..];
        if rest.as_bytes().first().is_some_and(|b| !b.is_ascii())
            && let Some((len, unit)) = unit::unspaced(rest)
        {
            return Some((unit, end + len));
        }
        let hyphen = rest.starts_with('-') && rest[1..].starts_with(|c: char| c.is_alphabetic());
        let at = if hyphen { end + 1 } else { blank(text, end) };
        if text[at..].starts_with('°') {
            let letter = text[at + '°'.len_utf8()..].chars().next().filter(|c| matches!(c, 'C' | 'F'))?;
            let unit_end = at + '°'.len_utf8() + letter.len_utf8();
            return unit::unit(&text[at..unit_end], attached).map(|u| (u, unit_end));
        }
        // The unit of `1h35m` ends where the next number starts.
        let letters = text[at..].find(|c: char| !c.is_alphabetic()).map_or(text.len(), |n| at + n);
        let first_end = if attached && at == end { letters } else { word_end(text, at) };
        let first = &text[at..first_end];
        if first.is_empty() || (at == end && !attached) {
            return None;
        }
        let next = if hyphen && text[first_end..].starts_with('-') { first_end + 1 } else { blank(text, first_end) };
        let second_end = word_end(text, next);
        let second = if next > first_end { &text[next..second_end] } else { "" };
        let percent = |places| Unit { base: "%", times: 1, places, qualifier: "" };
        match (first, second) {
            ("pour", "cent") | ("por", "ciento") | ("per", "cent") => return Some((percent(0), second_end)),
            ("percentage", "point" | "points") => return Some((Unit { base: "pp", ..percent(0) }, second_end)),
            ("basis", "point" | "points") => return Some((percent(2), second_end)),
            _ => {}
        }
        if let Some(found) = unit::unit(first, attached || hyphen) {
            // The second of "the 2 second attempts" and the `in` of "5 in all" are no units; "2 an" is French.
            return match unit::qualifier_after(second).filter(|_| found.base == "s") {
                Some(qualifier) => Some((Unit { qualifier, ..found }, second_end)),
                None => Some((found, first_end)),
            };
        }
        let qualifier = unit::qualifier(first);
        if qualifier.is_none() && !unit::is_filler(first) {
            return None;
        }
        let (qualifier, word, word_at) = match qualifier {
            None => match unit::qualifier(second) {
                Some(qualifier) => {
                    let third = blank(text, second_end);
                    (qualifier, &text[third..word_end(text, third)], third)
                }
                None => ("", second, next),
            },
            Some(qualifier) => (qualifier, second, next),
        };
        let unit = unit::unit(word, false).filter(|u| matches!(u.base, "s" | "month") || qualifier.is_empty())?;
        Some((Unit { qualifier, ..unit }, word_at + word.len()))
    }

    /// Adds the smaller parts of `2 h 10 min`, `1 year and 6 months`, `1h35m`, `an hour and a half`.
    pub(super) fn compound(&self, mut total: Decimal, unit: Unit, mut end: usize) -> (Decimal, usize) {
        let text = self.text;
        if text[end..].starts_with(" and a half")
            && let Some(half) = Decimal::whole(5).over(1).times(unit.times).and_then(|half| total.plus(half))
        {
            return (half, end + " and a half".len());
        }
        let mut smallest = unit;
        loop {
            let rest = &text[end..];
            let gap = [", and ", " and ", " und ", " et ", " y ", ", ", ". ", " ", ""]
                .iter()
                .find(|gap| rest.starts_with(**gap))
                .map_or(0, |gap| gap.len());
            // The dot of `2 Std. 10 Min.`: after a short form only.
            let short = text[..end].ends_with("Std") || text[..end].ends_with("Min") || text[..end].ends_with("hrs");
            if rest.starts_with(". ") && !short {
                break;
            }
            let at = end + gap;
            let (number, number_end) = if rest[gap..].starts_with(|c: char| c.is_ascii_digit()) {
                match value::number_at(text, at) {
                    Some((number, _, end)) => (number, end),
                    None => break,
                }
            } else {
                let from = self.next.min(self.found.len());
                match self.found[from..].iter().take(4).find(|f| f.span.start == at).map(|f| (f.value, f.span.end)) {
                    Some((value::Value::Number(number), end)) => (number, end),
                    _ => break,
                }
            };
            let attached = text[number_end..].starts_with(char::is_alphabetic);
            let next = match self.unit_at(number_end, attached) {
                // The m of `1h35m` is minutes.
                Some((next, next_end)) if next.base == "m" && gap == 0 && unit.base == "s" => {
                    Some((Unit { base: "s", times: 60, ..next }, next_end))
                }
                next => next,
            };
            let part = next.filter(|(next, _)| next.base == unit.base && next.qualifier == unit.qualifier && smaller(*next, smallest));
            let Some(((next, next_end), sum)) = part.and_then(|p| Some((p, measured(number, p.0)?.total.plus(total)?))) else { break };
            (total, end, smallest) = (sum, next_end, next);
        }
        (total, end)
    }

    /// Takes in `per month`, `a year`, `/mo`, `monthly` behind an amount.
    pub(super) fn rate(&mut self) {
        let text = self.text;
        let end = self.at;
        let slash = text[end..].starts_with('/');
        let first = if slash { end + 1 } else { blank(text, end) };
        let first_end = word_end(text, first);
        let word = &text[first..first_end];
        let (rate, rate_end) = if slash {
            (unit::unit(word, true).map(|u| (u.base, u.times)), first_end)
        } else if matches!(word, "per" | "a" | "an" | "each" | "every" | "pro" | "par" | "por" | "al" | "je" | "im") {
            let at = blank(text, first_end);
            let unit_end = word_end(text, at);
            (unit::unit(&text[at..unit_end], false).map(|u| (u.base, u.times)), unit_end)
        } else {
            (unit::rate_word(word), first_end)
        };
        if let Some(rate) = rate.filter(|(base, _)| matches!(*base, "s" | "month"))
            && let Some(claim) = self.last()
        {
            (claim.rate, claim.span.end) = (Some(rate), rate_end);
            self.at = rate_end;
        }
    }

    /// `an hour`, `einen Tag`: one of a unit of time. Only behind `within` and the like does it surely state an amount.
    pub(super) fn article(&mut self, start: usize, end: usize) -> bool {
        let scale_at = blank(self.text, end);
        let scale_end = word_end(self.text, scale_at);
        let scale = match &self.text[scale_at..scale_end] {
            "dozen" => 12,
            "hundred" => 100,
            "thousand" => 1_000,
            "million" => 1_000_000,
            _ => 0,
        };
        if scale > 0 {
            self.amount(Amount { start, end: scale_end, number: Decimal::whole(scale), other: None, weak: false });
            return true;
        }
        let Some((unit, unit_end)) = self.unit_at(end, false) else { return false };
        if !matches!(unit.base, "s" | "month") || unit_end == end {
            return false;
        }
        let before = self.before(start);
        let one = Amount { start, end, number: Decimal::whole(1), other: None, weak: true };
        self.measure(one, unit, unit_end);
        let sure = is_limit(before);
        if let Some(claim) = self.last() {
            claim.loose = !sure;
        }
        true
    }

    /// `half an hour`.
    pub(super) fn half(&mut self, start: usize, end: usize) -> bool {
        let at = blank(self.text, end);
        let article_end = word_end(self.text, at);
        let Some((unit, unit_end)) = self.unit_at(article_end, false).filter(|_| matches!(&self.text[at..article_end], "a" | "an")) else {
            return false;
        };
        if !matches!(unit.base, "s" | "month") {
            return false;
        }
        let half = Amount { start, end, number: Decimal::whole(5).over(1), other: None, weak: false };
        self.measure(half, unit, unit_end);
        true
    }
}

pub(super) fn measured(number: Decimal, unit: Unit) -> Option<Measure> {
    let total = number.times(unit.times)?.over(unit.places);
    Some(Measure { written: number, total, base: unit.base, qualifier: unit.qualifier })
}

fn smaller(a: Unit, b: Unit) -> bool {
    u128::from(a.times) * 10u128.pow(b.places) < u128::from(b.times) * 10u128.pow(a.places)
}

/// A scale word of another language, or `M` against the digits: zeros, and where it ends.
fn scale(text: &str, end: usize) -> Option<(u32, usize)> {
    let at = blank(text, end);
    let word_end = word_end(text, at);
    let zeros = match &text[at..word_end] {
        "M" if at == end => 6,
        "Mio" | "Millionen" | "millions" | "millones" | "millón" if at > end => 6,
        "Mrd" | "Milliarden" | "milliards" if at > end => 9,
        "Tausend" | "tausend" | "mille" | "mil" if at > end => 3,
        _ => return None,
    };
    let dotted = matches!(&text[at..word_end], "Mio" | "Mrd") && text[word_end..].starts_with('.');
    let end = word_end + usize::from(dotted);
    Some((zeros, text[end..].strip_prefix(" de ").or(text[end..].strip_prefix(" d'")).map_or(end, |rest| text.len() - rest.len())))
}

/// A currency behind a scale word.
fn currency(text: &str, at: usize) -> Option<(Currency, usize)> {
    let end = if text[at..].starts_with(char::is_alphabetic) { word_end(text, at) } else { at + text[at..].chars().next()?.len_utf8() };
    match value::read(&format!("1 {}", &text[at..end])) {
        Some(value::Value::Money(_, currency)) => Some((currency, end)),
        _ => None,
    }
}

const SPACED_MAX: usize = 24;

/// `1 188,00 €`: thousands grouped by plain blanks, where a decimal part, a third group or a unit shows that they are one number.
pub(super) fn spaced(text: &str, start: usize, digits: usize) -> Option<(value::Value, usize)> {
    let bytes = text.as_bytes();
    let first = digits_end(text, digits);
    if first - digits > 3 || bytes.get(first) != Some(&b' ') {
        return None;
    }
    let mut end = first;
    let mut joined = text[start..first].to_string();
    let mut groups = 1;
    while bytes.get(end) == Some(&b' ') && end - start < SPACED_MAX {
        let group_end = digits_end(text, end + 1);
        if group_end - (end + 1) != 3 {
            break;
        }
        joined.push_str(&text[end + 1..group_end]);
        (end, groups) = (group_end, groups + 1);
    }
    let part = matches!(bytes.get(end), Some(b',' | b'.')).then(|| digits_end(text, end + 1)).filter(|e| (1..=2).contains(&(e - end - 1)));
    if groups < 2 || text[start..first].starts_with('0') {
        return None;
    }
    if let Some(part_end) = part {
        joined.push_str(&text[end..part_end]);
        end = part_end;
    }
    let length = joined.len();
    let tail = text[end..].char_indices().take(12).last().map_or(0, |(i, c)| i + c.len_utf8());
    joined.push_str(&text[end..end + tail]);
    let found = value::values(&joined).into_iter().next().filter(|f| f.span.start == 0 && f.span.end >= length)?;
    let noun = text[blank(text, end)..].starts_with(|c: char| c.is_lowercase()) && blank(text, end) > end;
    let unit = noun || !matches!(found.value, value::Value::Number(_));
    (part.is_some() || groups > 2 || unit).then(|| (found.value, end + found.span.end - length))
}
