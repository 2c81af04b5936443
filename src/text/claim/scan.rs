//! The walk over a text that decides what of it is a claim. Values in digits and English words come from text/value; everything else is read here.

mod amount;
mod range;

use std::cell::RefCell;

use super::time::{blank, digits_end, word_end};
use super::unit::{self, Unit};
use super::{Claim, Day, Time, Value, code, time};
use crate::model::Span;
use crate::text::bytes::plain_word;
use crate::text::memo::Memo;
use crate::text::numeral::{self, Word};
use crate::text::value::{self, Decimal, Found};
use crate::text::window::is_unspaced;
use amount::{Amount, spaced};

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
        // Most words are plain and state nothing.
        if let Some(word) = plain_word(&text[start..]).filter(|word| !matches!(*word, "" | "a" | "an" | "A" | "An") && !may_state(word)) {
            (self.word, self.at) = (Span::new(start, start + word.len()), start + word.len());
            return;
        }
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
        if !may_state(word) || !states(word) {
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
}

/// Longest value behind a script without blanks.
const UNSPACED_MAX: usize = 40;
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

thread_local! {
    static STATES: RefCell<Memo<bool>> = RefCell::new(Memo::new());
}

/// False where a word states nothing, whatever stands beside it.
fn states(word: &str) -> bool {
    STATES.with_borrow_mut(|words| {
        words.get(word, |word| {
            let lower = numeral::lower(word);
            lower == "half" || time::moment(&lower).is_some() || numeral::word(&lower).is_some() || ordinal_word(&lower).is_some()
        })
    })
}

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
