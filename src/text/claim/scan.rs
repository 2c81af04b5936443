//! The walk over a text that decides what of it is a claim. Values in digits and English words come from text/value; everything else is read here.

use super::time::{blank, digits_end, word_end};
use super::unit::{self, Unit};
use super::{Claim, Day, Measure, Time, Value, code, time};
use crate::model::Span;
use crate::text::numeral::{self, Word};
use crate::text::value::{self, Currency, Decimal, Found};
use crate::text::window::is_unspaced;

pub(super) struct Scanner<'a> {
    text: &'a str,
    /// Values of text/value, those behind `at` passed over.
    found: Vec<Found>,
    next: usize,
    at: usize,
    /// The last word that was no claim.
    word: Span,
    has_at: bool,
    out: Vec<Claim>,
    /// One a claim: the unit of a measure, for the other end of its range.
    units: Vec<Option<Unit>>,
}

/// A number, and where it stands.
#[derive(Clone, Copy)]
struct Amount {
    start: usize,
    end: usize,
    number: Decimal,
    other: Option<Decimal>,
    /// Without a unit it may be no number at all.
    weak: bool,
}

/// How the two ends of a range are tied.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Join {
    Dash,
    To,
    And,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let found = value::values(text);
        let has_at = text.contains('@');
        Scanner { text, found, next: 0, at: 0, word: Span::new(0, 0), has_at, out: vec![], units: vec![] }
    }

    pub(super) fn run(mut self) -> Vec<Claim> {
        let bytes = self.text.as_bytes();
        while let Some(&b) = bytes.get(self.at) {
            let here = self.found_at(self.at);
            match (b, here) {
                (b'0'..=b'9', _) => self.digits(here),
                (_, Some(found)) => self.value(found),
                (b'+' | b'(', _) => self.phone_or_step(),
                (b'#', _) => self.tag(),
                (0..0x80, _) if !b.is_ascii_alphabetic() => self.at += 1,
                _ => self.letters(),
            }
        }
        self.ranges();
        self.out
    }

    /// The value of text/value that starts at `at`; what it read in a stretch that is taken already is passed over.
    fn found_at(&mut self, at: usize) -> Option<Found> {
        while self.found.get(self.next).is_some_and(|f| f.span.start < at) {
            self.next += 1;
        }
        self.found.get(self.next).filter(|f| f.span.start == at).copied()
    }

    fn push(&mut self, start: usize, end: usize, value: Value) {
        let claim = Claim { span: Span::new(start, end), value, other: None, rate: None, loose: false, opens_range: false };
        self.out.push(claim);
        self.units.push(None);
        self.at = end;
    }

    fn last(&mut self) -> Option<&mut Claim> {
        self.out.last_mut()
    }

    /// The word right before `at`, nothing but blanks between.
    fn before(&self, at: usize) -> &'a str {
        let gap = self.text.get(self.word.end..at).unwrap_or("x");
        if gap.len() <= 4 && gap.trim().is_empty() { self.word.of(self.text).unwrap_or_default() } else { "" }
    }

    /// A value as text/value read it, with what it does not read: unit, rate, weekday.
    fn value(&mut self, found: Found) {
        let Span { start, end } = found.span;
        let own = &self.text[start..end];
        match found.value {
            value::Value::Date(date) => {
                let day = |d: value::Date| Value::Date(Day { year: d.year, month: d.month, day: Some(d.day), weekday: None });
                let timed = own.find('T').filter(|at| own[at + 1..].starts_with(|c: char| c.is_ascii_digit()));
                let end = timed.map_or(end, |at| start + at);
                let other = found.other.and_then(|v| if let value::Value::Date(d) = v { Some(day(d)) } else { None });
                self.date(start, end, day(date));
                if let Some(claim) = self.last() {
                    claim.other = other;
                }
                self.at += usize::from(timed.is_some());
            }
            value::Value::Money(amount, currency) => {
                // Cents come in twos: three digits behind a mark are thousands.
                let grouped = own.rfind(['.', ',']).is_some_and(|at| own[at + 1..].bytes().take_while(u8::is_ascii_digit).count() == 3);
                let other = found.other.and_then(|v| if let value::Value::Money(d, _) = v { Some(d) } else { None });
                let amount = match other {
                    Some(other) if grouped && own.contains('.') => other,
                    _ => amount,
                };
                self.push(start, end, Value::Money(amount, currency));
                self.rate();
            }
            value::Value::Percent(percent) => {
                let other = found.other.and_then(|v| if let value::Value::Percent(d) = v { Some(Value::Percent(d)) } else { None });
                self.push(start, end, Value::Percent(percent));
                if let Some(claim) = self.last() {
                    claim.other = other;
                }
            }
            value::Value::Number(number) => {
                let other = found.other.and_then(|v| if let value::Value::Number(d) = v { Some(d) } else { None });
                let spelled = own.starts_with(char::is_alphabetic);
                if spelled && let Some((ordinal, end)) = self.ordinal_after(end) {
                    let tens = (20..100).step_by(10).find(|n| Decimal::whole(*n) == number);
                    if let Some(tens) = tens {
                        return self.push(start, end, Value::Ordinal(tens + ordinal));
                    }
                }
                let weak = spelled && (number == Decimal::whole(1) || number == Decimal::whole(0));
                // text/value takes in letters against the digits: `5km`, `20k`.
                let letters = own.trim_end_matches(|c: char| c.is_alphabetic()).len();
                let attached = if spelled { None } else { unit::unit(&own[letters..], true) };
                let end = if attached.is_some() { start + letters } else { end };
                self.amount(Amount { start, end, number, other, weak });
            }
        }
    }

    /// `-first` behind `twenty`.
    fn ordinal_after(&self, at: usize) -> Option<(u64, usize)> {
        let start = at + usize::from(self.text[at..].starts_with('-'));
        let end = word_end(self.text, start);
        match numeral::word(self.text.get(start..end).filter(|_| start > at)?)? {
            Word::Loose(n) if n < 10 => Some((n, end)),
            _ => None,
        }
    }

    /// Takes in a date; a weekday right before it is part of it.
    fn date(&mut self, start: usize, end: usize, mut value: Value) {
        let mut from = start;
        if let Some(Claim { value: Value::Weekday(weekday), span, .. }) = self.out.last() {
            let gap = self.text[span.end..start].trim_matches([',', ' ', '\u{a0}']);
            if matches!(gap, "" | "the" | "den" | "dem" | "le" | "el") {
                from = span.start;
                if let Value::Date(day) = &mut value {
                    day.weekday = Some(*weekday);
                }
                self.out.pop();
                self.units.pop();
            }
        }
        self.push(from, end, value);
    }

    fn digits(&mut self, here: Option<Found>) {
        let (text, start) = (self.text, self.at);
        let here = here.or_else(|| self.behind_unspaced(start));
        let before = self.before(start);
        if self.is_marker(start) {
            self.at = digits_end(text, start);
            return;
        }
        if let Some(found) = here.filter(|f| matches!(f.value, value::Value::Date(_))) {
            return self.value(found);
        }
        if let Some((day, end)) = time::day_first(text, start, before) {
            return self.date(start, end, Value::Date(day));
        }
        if let Some((time, end)) = time::time(text, start, before) {
            return self.push(start, end, Value::Time(time));
        }
        if self.may_be_phone(start)
            && let Some((phone, end)) = code::phone(text, start)
        {
            return self.push(start, end, Value::Phone(phone));
        }
        if let Some((found, end)) = spaced(text, start, start) {
            return self.value_of(start, end, found);
        }
        if matches!(before, "version" | "Version" | "versión" | "release" | "Release" | "v") {
            let end = code::code_end(text, start);
            return self.push(start, end, Value::Code(code::code_key(&text[start..end])));
        }
        if let Some(found) = here {
            return self.value(found);
        }
        let end = digits_end(text, start);
        if let Some(after) = ordinal_suffix(text, end)
            && let Some(n) = time::small(text, start, end)
        {
            return self.push(start, after, Value::Ordinal(u64::from(n)));
        }
        if self.attached(start) {
            return;
        }
        let end = code::code_end(text, start);
        self.push(start, end, Value::Code(code::code_key(&text[start..end])));
    }

    /// Digits right behind a script without blanks, which text/value takes for part of its word.
    fn behind_unspaced(&self, start: usize) -> Option<Found> {
        let unspaced = self.text[..start].chars().next_back().is_some_and(is_unspaced);
        let end = self.text.floor_char_boundary(start + UNSPACED_MAX);
        let found = unspaced.then(|| value::values(&self.text[start..end])).into_iter().flatten().next()?;
        let place = Span::new(start + found.span.start, start + found.span.end);
        (place.start == start && place.end < end.max(1)).then_some(Found { span: place, ..found })
    }

    /// Digits against a unit that text/value does not know: `5TB`, `1h35m`, `3日`.
    fn attached(&mut self, start: usize) -> bool {
        let Some((number, other, end)) = value::number_at(self.text, start) else { return false };
        if !self.text[end..].starts_with(char::is_alphabetic) && !self.text[end..].starts_with(['°', '％', 'µ']) {
            return false;
        }
        let Some((unit, unit_end)) = self.unit_at(end, true) else { return false };
        let goes_on = self.text[unit_end..].starts_with(|c: char| c.is_ascii_digit());
        if goes_on && (unit.base != "s" || self.compound(Decimal::whole(0), unit, unit_end).1 == unit_end) {
            return false;
        }
        self.amount(Amount { start, end, number, other, weak: false });
        true
    }

    fn value_of(&mut self, start: usize, end: usize, found: value::Value) {
        match found {
            value::Value::Number(number) => self.amount(Amount { start, end, number, other: None, weak: false }),
            value::Value::Money(amount, currency) => {
                self.push(start, end, Value::Money(amount, currency));
                self.rate();
            }
            value::Value::Percent(percent) => self.push(start, end, Value::Percent(percent)),
            value::Value::Date(_) => self.at = end,
        }
    }

    /// Decides what a number is by the unit after it, and takes it in.
    fn amount(&mut self, mut amount: Amount) {
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
    fn restated(&self, amount: Amount) -> usize {
        let at = blank(self.text, amount.end);
        if !self.text[at..].starts_with('(') {
            return amount.end;
        }
        match value::number_at(self.text, (at + 1).min(self.text.len())) {
            Some((number, _, end)) if number == amount.number && self.text[end..].starts_with(')') => end + 1,
            _ => amount.end,
        }
    }

    fn measure(&mut self, amount: Amount, unit: Unit, end: usize) {
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
    fn unit_at(&self, end: usize, attached: bool) -> Option<(Unit, usize)> {
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
    fn compound(&self, mut total: Decimal, unit: Unit, mut end: usize) -> (Decimal, usize) {
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
    fn rate(&mut self) {
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

    fn phone_or_step(&mut self) {
        match code::phone(self.text, self.at).filter(|_| self.text[self.at + 1..].starts_with(|c: char| c.is_ascii_digit())) {
            Some((phone, end)) => self.push(self.at, end, Value::Phone(phone)),
            None => self.at += 1,
        }
    }

    /// Cheap look ahead: a second group of digits follows.
    fn may_be_phone(&self, start: usize) -> bool {
        let end = digits_end(self.text, start);
        end - start <= 5 && matches!(self.text.as_bytes()[end..], [b' ' | b'-' | b'.' | b'/', b, ..] if b.is_ascii_digit() || b == b'(')
    }

    /// `#48213`; a tag without digits is none.
    fn tag(&mut self) {
        let end = code::code_end(self.text, (self.at + 1).min(self.text.len()));
        let code = self.text.get(self.at + 1..end).unwrap_or_default();
        if code.bytes().any(|b| b.is_ascii_digit()) {
            self.push(self.at, end, Value::Code(code::code_key(code)));
        } else {
            self.at += 1;
        }
    }

    fn letters(&mut self) {
        let (text, start) = (self.text, self.at);
        let end = word_end(text, start);
        if end == start {
            self.at += text[start..].chars().next().map_or(1, char::len_utf8);
            return;
        }
        if code::is_link(text, start, end) {
            let end = code::link_end(text, start);
            return self.push(start, end, Value::Link(code::link_key(&text[start..end])));
        }
        let next = text.as_bytes().get(end).copied().unwrap_or(b' ');
        if self.has_at
            && matches!(next, b'@' | b'.' | b'_' | b'%' | b'+' | b'-')
            && let Some(end) = code::mail_end(text, start)
        {
            return self.push(start, end, Value::Mail(text[start..end].to_lowercase().into()));
        }
        if matches!(next, b'.' | b'-')
            && text[end + 1..].starts_with(|c: char| c.is_ascii_alphanumeric())
            && let Some(end) = code::bare_host(text, start)
        {
            return self.push(start, end, Value::Link(code::link_key(&text[start..end])));
        }
        let word = &text[start..end];
        let digits = word.bytes().any(|b| b.is_ascii_digit());
        if digits || matches!(next, b'-' | b'_') {
            let end = code::code_end(text, start);
            if text[start..end].bytes().any(|b| b.is_ascii_digit()) {
                return self.push(start, end, Value::Code(code::code_key(&text[start..end])));
            }
        }
        if !self.spelled(start, end) {
            (self.word, self.at) = (Span::new(start, end), end);
        }
    }

    /// A word that states something by itself or with the next ones; false where it does not.
    fn spelled(&mut self, start: usize, end: usize) -> bool {
        let word = &self.text[start..end];
        if matches!(word, "a" | "an" | "A" | "An") {
            return self.article(start, end);
        }
        if !may_state(word) {
            return false;
        }
        let lower = numeral::lower(word);
        if let Some(time) = time::moment(&lower) {
            let (zone, end) = time::zone(self.text, end).map_or((None, end), |(zone, end)| (Some(zone), end));
            self.push(start, end, Value::Time(Time { zone, ..time }));
            return true;
        }
        match numeral::word(&lower) {
            _ if lower == "half" => self.half(start, end),
            Some(Word::Weekday(day)) => {
                self.push(start, end, Value::Weekday(day));
                true
            }
            Some(Word::Month { month, sure }) => {
                let year = time::year(self.text, end);
                if year.is_none() && (!sure || !word.starts_with(char::is_uppercase)) {
                    return false;
                }
                let (year, end) = year.map_or((None, end), |(year, end)| (Some(year), end));
                self.push(start, end, Value::Date(Day { year, month, day: None, weekday: None }));
                true
            }
            Some(Word::Cardinal(n)) => {
                let (n, end) = self.tens(n, end);
                self.amount(Amount { start, end, number: Decimal::whole(n), other: None, weak: true });
                true
            }
            Some(Word::Loose(1)) if !is_first(&lower) => self.article(start, end),
            Some(Word::Loose(n)) => self.ordinal(n, start, end),
            None => ordinal_word(&lower).is_some_and(|n| self.ordinal(n, start, end)),
        }
    }

    /// `quarante-cinq`, `treinta y cinco`.
    fn tens(&self, n: u64, end: usize) -> (u64, usize) {
        let at = ["-", " y ", " et ", " "].iter().find(|gap| self.text[end..].starts_with(**gap)).map_or(end, |gap| end + gap.len());
        let word_end = word_end(self.text, at);
        match numeral::word(&numeral::lower(&self.text[at..word_end])) {
            Some(Word::Cardinal(unit)) if at > end && (1..10).contains(&unit) && (20..100).contains(&n) && n.is_multiple_of(10) => {
                (n + unit, word_end)
            }
            _ => (n, end),
        }
    }

    /// `an hour`, `einen Tag`: one of a unit of time. Only behind `within` and the like does it surely state an amount.
    fn article(&mut self, start: usize, end: usize) -> bool {
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
    fn half(&mut self, start: usize, end: usize) -> bool {
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

    fn ordinal(&mut self, n: u64, start: usize, end: usize) -> bool {
        let text = self.text;
        let rest = &text[end..];
        let opens =
            text[..start].trim_end_matches([' ', '*', '_']).ends_with(['.', '!', '?', ':', '\n']) || text[..start].trim().is_empty();
        let next = &text[blank(text, end)..word_end(text, blank(text, end))];
        let fraction = matches!(self.before(start), "a" | "one" | "two" | "ein" | "un" | "une");
        if rest.starts_with('-') || (opens && rest.starts_with(',')) || matches!(next, "party" | "parties") || (fraction && n > 2) {
            return false;
        }
        self.push(start, end, Value::Ordinal(n));
        if let Some(claim) = self.last() {
            claim.loose = n < 3;
        }
        true
    }

    /// A number that only counts the items of a list: `2.` at the start of a line or sentence, `(2)`, `2)`, `Step 2`.
    fn is_marker(&self, start: usize) -> bool {
        let text = self.text;
        let end = digits_end(text, start);
        if end - start > 2 {
            return false;
        }
        if matches!(self.before(start), "step" | "Step" | "STEP" | "Schritt" | "étape" | "Étape" | "paso" | "Paso") {
            return true;
        }
        let (mark, rest) = text[end..].split_at(text[end..].chars().next().map_or(0, char::len_utf8));
        let goes_on = rest.starts_with([' ', '\u{a0}', '*', '_'])
            && !rest.trim_start_matches([' ', '*', '_']).starts_with(['\n', '\r'])
            && !rest.trim().is_empty();
        let head = text[..start].trim_end_matches([' ', '\t', '*', '_', '#', '>', '|']);
        let line = head.is_empty() || head.ends_with('\n');
        let is_date = mark == "." && time::day_first(text, start, "").is_some();
        match mark {
            "." | ")" if !goes_on || is_date => false,
            "." => line || (head.ends_with(['.', ':', ';', '!', '?']) && rest.trim_start().starts_with(|c: char| c.is_uppercase())),
            ")" if head.ends_with('(') => {
                let head = head[..head.len() - 1].trim_end_matches([' ', '*', '_']);
                head.is_empty() || head.ends_with(['\n', ',', ';', ':', '.']) || head.ends_with(" and") || head.ends_with(" or")
            }
            ")" => line || head.ends_with([',', ';', ':', '.']),
            _ => false,
        }
    }

    /// Ties the two ends of ranges: what only one end states (unit, currency, month, zone) holds for both.
    fn ranges(&mut self) {
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

fn measured(number: Decimal, unit: Unit) -> Option<Measure> {
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

/// Longest value behind a script without blanks.
const UNSPACED_MAX: usize = 40;
const SPACED_MAX: usize = 24;

/// `1 188,00 €`: thousands grouped by plain blanks, where a decimal part, a third group or a unit shows that they are one number.
fn spaced(text: &str, start: usize, digits: usize) -> Option<(value::Value, usize)> {
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

/// Past `st`, `nd`, `rd`, `th`, `er`, `e`, `º` or `ª`, where the word ends there.
fn ordinal_suffix(text: &str, at: usize) -> Option<usize> {
    let suffixes = ["st", "nd", "rd", "th", "er", "ère", "ème", "e", "º", "ª"];
    let end = suffixes.iter().find(|s| text[at..].starts_with(**s)).map(|s| at + s.len())?;
    (!text[end..].starts_with(|c: char| c.is_alphanumeric() || c == '-')).then_some(end)
}

fn is_first(word: &str) -> bool {
    matches!(word, "first" | "premier" | "première" | "primer" | "primera" | "primero") || word.starts_with("erst")
}

/// `fifteenth`, `thirtieth`.
fn ordinal_word(word: &str) -> Option<u64> {
    let stem = word.strip_suffix("th").filter(|s| s.len() > 3)?;
    let cardinal = stem.strip_suffix("ie").map_or_else(|| stem.to_string(), |s| format!("{s}y"));
    match numeral::word(&cardinal)? {
        Word::Cardinal(n) => Some(n),
        _ => None,
    }
}

/// Words before an amount of time that make `a day` a limit and not a manner of speaking.
fn is_limit(word: &str) -> bool {
    const LIMITS: [&str; 22] = [
        "within",
        "Within",
        "in",
        "In",
        "after",
        "After",
        "for",
        "takes",
        "take",
        "least",
        "than",
        "about",
        "innerhalb",
        "binnen",
        "nach",
        "sous",
        "dans",
        "après",
        "pendant",
        "en",
        "durante",
        "lasts",
    ];
    LIMITS.contains(&word)
}

/// First two letters of words that may state something; what is no ASCII letter stands as `?`.
const STARTS: [u32; 26] = {
    let pairs =
        *b"ze nu z? ce tw zw de do th dr tr te fo vi qu cu fi f? ci si se ei ac hu oc ni ne no di el on du ca so ve un pr fe ja ma m? \
        av ab ap ju au ao ok en d? mo tu we fr sa su mi lu me je he ha e? er pe ";
    let mut table = [0; 26];
    let mut i = 0;
    while i + 1 < pairs.len() {
        let second = if pairs[i + 1] == b'?' { 31 } else { (pairs[i + 1] - b'a') as u32 };
        table[(pairs[i] - b'a') as usize] |= 1 << second;
        i += 3;
    }
    table
};

/// False for most words at the price of one look-up.
fn may_state(word: &str) -> bool {
    match word.as_bytes() {
        [a, b, _, ..] if a.is_ascii_alphabetic() => {
            let second = if b.is_ascii_alphabetic() { u32::from((b | 32) - b'a') } else { 31 };
            STARTS[usize::from((a | 32) - b'a')] & (1 << second) != 0
        }
        [b'u' | b'U', b'n'] => true,
        _ => false,
    }
}
