//! The scan: one walk over a text that decides for every digit and every number word whether it states a value, and which.

use super::digits::{self, is_blank};
use super::{Currency, Date, Decimal, Found, Value, date, names};
use crate::model::Span;
use crate::text::bytes::{alphanumeric_run, plain_word};

pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// End of the last value: what lies before belongs to it and to no other.
    floor: usize,
    /// Up to here digits are members of a comma list.
    list_end: usize,
    found: Vec<Found>,
}

/// What stands after an amount.
struct Tail {
    end: usize,
    unit: Unit,
}

enum Unit {
    None,
    Percent,
    Money(Currency),
    /// Not an amount at all: an identifier, a time.
    Other,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Scanner { text, at: 0, floor: 0, list_end: 0, found: Vec::new() }
    }

    pub(super) fn run(mut self) -> Vec<Found> {
        while let Some(&b) = self.text.as_bytes().get(self.at) {
            match b {
                b'0'..=b'9' => self.digits(),
                b'a'..=b'z' | b'A'..=b'Z' => match plain_word(&self.text[self.at..]) {
                    Some(word) if !names::may_state(word) => self.at += word.len(),
                    _ => self.word(),
                },
                b'#' => self.at = self.identifier_end(self.at + 1),
                0..0x80 => self.at += 1,
                _ => {
                    let c = self.text[self.at..].chars().next().unwrap_or('\0');
                    self.at = if c.is_alphanumeric() { self.word_end(self.at) } else { self.at + c.len_utf8() };
                }
            }
        }
        self.found
    }

    fn push(&mut self, start: usize, end: usize, value: Value, other: Option<Value>) {
        self.found.push(Found { span: Span::new(start, end), value, other });
        (self.at, self.floor) = (end, end);
    }

    fn push_date(&mut self, start: usize, end: usize, date: Date, other: Option<Date>) {
        self.push(start, end, Value::Date(date), other.map(Value::Date));
    }

    fn word(&mut self) {
        let (start, end) = (self.at, self.word_end(self.at));
        let word = &self.text[start..end];
        if names::may_state(word) {
            if let Some(dated) = date::month_first(self.text, start, end) {
                return self.push_date(start, dated.end, dated.date, dated.other);
            }
            if let Some((number, end)) = self.cardinal(start, end) {
                return self.amount(start, end, number, None, None);
            }
        }
        let link = match self.text.as_bytes().get(end) {
            Some(b':') => word.starts_with("http"),
            Some(b'.') => word == "www",
            Some(b'@') => true,
            _ => false,
        };
        if link {
            self.at = self.text[end..].find(char::is_whitespace).map_or(self.text.len(), |n| end + n);
        } else if self.joined_digit(end) {
            self.at = self.identifier_end(end);
        } else if word.bytes().any(|b| b.is_ascii_digit()) {
            // `USD20` is an amount, `A15` a name.
            let code = word.get(..3).filter(|_| word.as_bytes().get(3).is_some_and(u8::is_ascii_digit)).and_then(names::code);
            match code {
                Some(_) => {
                    self.at = start + 3;
                    self.digits();
                }
                None => self.at = self.identifier_end(end),
            }
        } else {
            self.at = end;
        }
    }

    /// A hyphen at `at` that ties a digit to the word before it: `RF-2391`.
    fn joined_digit(&self, at: usize) -> bool {
        matches!(self.text.as_bytes()[at..], [b'-', b, ..] if b.is_ascii_digit())
    }

    fn digits(&mut self) {
        let start = self.at;
        let before = self.char_before(start);
        if matches!(before, Some('/' | '\\' | '_' | '@')) && self.char_before(start - 1).is_some_and(char::is_alphanumeric) {
            self.at = self.identifier_end(start);
            return;
        }
        if let Some(dated) = date::at_digits(self.text, start) {
            self.push_date(start, dated.end, dated.date, dated.other);
            return;
        }
        let pointed = before == Some('.') && !self.char_before(start - 1).is_some_and(char::is_alphanumeric) && start > self.floor;
        let single = pointed || start < self.list_end;
        let body = if single { digits::read_single(self.text, start) } else { digits::read(self.text, start) };
        self.list_end = body.list_end.unwrap_or(self.list_end);
        let bare = if pointed { digits::bare_fraction(&self.text[start..body.end]) } else { None };
        let (start, reading) = match bare {
            Some(number) => (start - 1, Some((number, None))),
            None => (start, body.reading),
        };
        match reading {
            Some((number, other)) if !self.is_marker(start, body.end) => self.signed(start, body.end, number, other),
            _ => self.at = if self.list_end > start { body.end } else { self.identifier_end(body.end) },
        }
    }

    /// Takes in the sign and the currency that stand before an amount.
    fn signed(&mut self, start: usize, end: usize, number: Decimal, other: Option<Decimal>) {
        let mut from = start;
        let mut negative = false;
        if let Some(sign) = self.sign_before(from) {
            (negative, from) = (true, sign);
        }
        let mut currency = None;
        if let Some((at, code)) = self.currency_before(from) {
            (from, currency) = (at, Some(code));
            if let Some(sign) = self.sign_before(from).filter(|_| !negative) {
                (negative, from) = (true, sign);
            }
        }
        let (number, other) = if negative { (number.negated(), other.map(Decimal::negated)) } else { (number, other) };
        self.amount(from, end, number, other, currency);
    }

    /// Decides what an amount is by what stands after it, and takes it in.
    fn amount(&mut self, start: usize, end: usize, number: Decimal, other: Option<Decimal>, before: Option<Currency>) {
        let (zeros, scaled) = self.scale_after(end, before.is_some());
        let number = number.shifted(zeros);
        let other = other.and_then(|d| d.shifted(zeros));
        let tail = self.tail(scaled, before);
        let Some(number) = number else {
            self.at = tail.end;
            return;
        };
        let value = |d: Decimal| match tail.unit {
            Unit::None => Some(Value::Number(d)),
            Unit::Percent => Some(Value::Percent(d)),
            Unit::Money(code) => Some(Value::Money(d, code)),
            Unit::Other => None,
        };
        match value(number) {
            Some(first) => self.push(start, tail.end, first, other.and_then(value)),
            None => self.at = tail.end,
        }
    }

    /// `1.5 million`, `20k`, and with a currency before it `$2m`: zeros to add, and where the scale ends.
    fn scale_after(&self, end: usize, money: bool) -> (u32, usize) {
        let at = self.past_blank(end);
        let word_end = self.word_end(at);
        let word = &self.text[at..word_end];
        let zeros = match word {
            "k" | "K" if at == end => Some(3),
            "m" | "M" if at == end && money => Some(6),
            "bn" if money => Some(9),
            _ if at > end => names::scale(word),
            _ => None,
        };
        zeros.map_or((0, end), |z| (z, word_end))
    }

    fn tail(&self, end: usize, before: Option<Currency>) -> Tail {
        let known = before.map_or(Unit::None, Unit::Money);
        let rest = &self.text[end..];
        let bytes = rest.as_bytes();
        if matches!(bytes, [b':' | b'/', b, ..] if b.is_ascii_digit()) || bytes.first() == Some(&b'_') {
            return Tail { end: self.identifier_end(end + 1), unit: Unit::Other };
        }
        if let Some((at, code)) = self.currency_after(end, before) {
            return Tail { end: at, unit: Unit::Money(code) };
        }
        if let Some(at) = self.percent_after(end) {
            return Tail { end: at, unit: if before.is_some() { known } else { Unit::Percent } };
        }
        if rest.starts_with(char::is_alphanumeric) {
            let word_end = self.word_end(end);
            let unit = names::is_unit(&self.text[end..word_end]);
            return if unit { Tail { end: word_end, unit: known } } else { Tail { end: self.identifier_end(word_end), unit: Unit::Other } };
        }
        if bytes.first() == Some(&b'-') && !self.is_range_or_compound(end) {
            return Tail { end: self.identifier_end(end), unit: Unit::Other };
        }
        let at = self.past_blank(end);
        let hour = ["am", "pm", "a.m.", "p.m.", "AM", "PM"].iter().find(|w| self.text[at..].starts_with(**w));
        match hour.filter(|w| !self.text[at + w.len()..].starts_with(char::is_alphanumeric)) {
            Some(w) if before.is_none() => Tail { end: at + w.len(), unit: Unit::Other },
            _ => Tail { end, unit: known },
        }
    }

    /// What a hyphen after a number ties to it: `10-15` and `15-day` leave it a number, `15-A` and `555-12-34` do not.
    fn is_range_or_compound(&self, hyphen: usize) -> bool {
        let bytes = self.text.as_bytes();
        let next = hyphen + 1;
        match bytes.get(next) {
            Some(b) if b.is_ascii_digit() => !self.joined_digit(digits::run(bytes, next)) && !self.chained(hyphen),
            Some(b) if b.is_ascii_alphabetic() => {
                let word = &self.text[next..self.word_end(next)];
                word.len() > 1 && word.bytes().skip(1).any(|b| b.is_ascii_lowercase()) && !word.bytes().any(|b| b.is_ascii_digit())
            }
            _ => true,
        }
    }

    /// The digits before this hyphen have a hyphen before them too: a chain, not a range.
    fn chained(&self, hyphen: usize) -> bool {
        let bytes = &self.text.as_bytes()[..hyphen];
        let digits = bytes.iter().rev().take_while(|b| b.is_ascii_digit()).count();
        matches!(bytes[..hyphen - digits], [.., b, b'-'] if b.is_ascii_digit())
    }

    fn percent_after(&self, end: usize) -> Option<usize> {
        let at = self.past_joint(end);
        if self.text[at..].starts_with('%') {
            return Some(at + 1);
        }
        let word_end = self.word_end(at);
        match &self.text[at..word_end] {
            "percent" | "pct" if at > end => Some(word_end),
            "per" if at > end && self.text[word_end..].starts_with(" cent") && self.word_end(word_end + 1) == word_end + 5 => {
                Some(word_end + 5)
            }
            _ => None,
        }
    }

    fn currency_after(&self, end: usize, before: Option<Currency>) -> Option<(usize, Currency)> {
        let at = self.past_joint(end);
        let c = self.text[at..].chars().next()?;
        if let Some(code) = names::symbol(c).filter(|_| before.is_none()) {
            let after = at + c.len_utf8();
            // A symbol against the next digit is the sign of that amount.
            let next_owns = at > end && self.text[after..].starts_with(|c: char| c.is_ascii_digit());
            return (!next_owns).then_some((after, code));
        }
        let word_end = self.word_end(at);
        let word = &self.text[at..word_end];
        let next = self.past_blank(word_end);
        if before.is_none() && next > word_end && at > end {
            let second_end = self.word_end(next);
            let dollars = matches!(&self.text[next..second_end], "dollar" | "dollars");
            if let Some(code) = names::adjective(word).filter(|_| dollars) {
                return Some((second_end, code));
            }
        }
        let code = names::currency_word(word)?;
        match before {
            None => Some((word_end, code)),
            Some(sign) if sign == code || (sign == Currency(*b"USD") && names::is_dollar(code)) => Some((word_end, code)),
            Some(_) => None,
        }
    }

    fn currency_before(&self, end: usize) -> Option<(usize, Currency)> {
        let at = match self.char_before(end) {
            Some(c) if is_blank(c) => end - c.len_utf8(),
            _ => end,
        };
        let c = self.char_before(at).filter(|_| at > self.floor)?;
        let letters_end = at - c.len_utf8();
        if let Some(code) = names::symbol(c) {
            let letters = self.letters_before(letters_end);
            let dollar = if c == '$' { names::dollar_of(&self.text[letters..letters_end]) } else { None };
            return Some(dollar.map_or((letters_end, code), |own| (letters, own)));
        }
        let start = self.letters_before(at);
        names::code(&self.text[start..at]).map(|code| (start, code))
    }

    fn sign_before(&self, end: usize) -> Option<usize> {
        let sign = self.char_before(end).filter(|c| matches!(c, '-' | '\u{2212}'))?;
        let at = end - sign.len_utf8();
        let free = self.char_before(at).is_none_or(|c| c.is_whitespace() || c == '(' || names::symbol(c).is_some());
        (free && at >= self.floor).then_some(at)
    }

    /// A list marker: `2.` or `2)` that opens a line with something after it.
    fn is_marker(&self, start: usize, end: usize) -> bool {
        let opens = self.text[..start].chars().rev().find(|c| !is_blank(*c)).is_none_or(|c| c == '\n');
        let mut after = self.text[end..].chars();
        let marked = matches!(after.next(), Some('.' | ')')) && after.next() == Some(' ');
        opens && marked && end - start <= 2 && !after.as_str().trim_start_matches(is_blank).starts_with(['\n', '\r'])
    }

    /// A cardinal in English words from `start`, as far as it goes: `twenty-five`, `two hundred and fifty`, `three thousand`.
    fn cardinal(&self, start: usize, end: usize) -> Option<(Decimal, usize)> {
        let first = names::number_word(&self.text[start..end])?;
        let before = &self.text[..start];
        let hyphened = before.strip_suffix('-').is_some_and(|s| s.ends_with(char::is_alphabetic));
        let no_one = first == 1 && ["no ", "No "].iter().any(|no| before.ends_with(no));
        if hyphened || no_one || self.text[end..].starts_with(['\'', '\u{2019}', '@']) {
            return None;
        }
        // `total` holds the finished thousands, `group` the hundreds being read.
        let (mut total, mut group, mut last, mut at) = (0u64, first, first, end);
        while let Some((word, word_end)) = self.next_number_word(at) {
            match (names::number_word(word), word) {
                (Some(n), _) if (20..100).contains(&last) && last.is_multiple_of(10) && (1..10).contains(&n) => {
                    (group, last) = (group + n, n)
                }
                (Some(n), _) if last == 100 || (last >= 1000 && n > 0) => (group, last) = (group + n, n),
                (None, "hundred") if (1..100).contains(&group) => (group, last) = (group * 100, 100),
                (None, "thousand" | "million") if group > 0 && last < 1000 => {
                    let unit = if word == "thousand" { 1000 } else { 1_000_000 };
                    (total, group, last) = (total + group * unit, 0, unit);
                }
                _ => break,
            }
            at = word_end;
        }
        Some((Decimal::new(false, u128::from(total + group), 0), at))
    }

    /// The number or scale word after `at`, one blank or hyphen (and an `and`) further on.
    fn next_number_word(&self, at: usize) -> Option<(&'a str, usize)> {
        let start = at + self.text[at..].chars().next().filter(|c| is_blank(*c) || *c == '-')?.len_utf8();
        let end = self.word_end(start);
        let word = &self.text[start..end];
        if word == "and" && self.text[end..].starts_with(' ') {
            let next_end = self.word_end(end + 1);
            let next = &self.text[end + 1..next_end];
            let joins = self.text[..at].ends_with("hundred") || self.text[..at].ends_with("thousand");
            return (joins && names::number_word(next).is_some()).then_some((next, next_end));
        }
        (names::number_word(word).is_some() || names::scale(word).is_some()).then_some((word, end))
    }

    fn char_before(&self, at: usize) -> Option<char> {
        self.text[..at].chars().next_back()
    }

    /// Start of the ASCII letters that end at `end`, no further back than the last value; `end` itself where a letter or digit precedes them.
    fn letters_before(&self, end: usize) -> usize {
        let bytes = &self.text.as_bytes()[self.floor.min(end)..end];
        let start = end - bytes.iter().rev().take(4).take_while(|b| b.is_ascii_alphabetic()).count();
        let tied = self.char_before(start).is_some_and(|c| c.is_alphanumeric() || c == '_');
        if tied && start > self.floor { end } else { start }
    }

    fn past_blank(&self, at: usize) -> usize {
        at + self.text[at..].chars().next().filter(|c| is_blank(*c)).map_or(0, char::len_utf8)
    }

    /// Past one blank or the hyphen of `20-dollar`.
    fn past_joint(&self, at: usize) -> usize {
        if self.text[at..].starts_with('-') { at + 1 } else { self.past_blank(at) }
    }

    fn word_end(&self, start: usize) -> usize {
        let rest = &self.text.as_bytes()[start..];
        let plain = alphanumeric_run(rest);
        if rest.get(plain).is_none_or(|b| b.is_ascii() && *b != b'_') {
            return start + plain;
        }
        self.end_of(start + plain, |c| c.is_alphanumeric() || c == '_')
    }

    /// Past letters and digits with the marks that tie them together.
    fn identifier_end(&self, start: usize) -> usize {
        let tied = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | ':' | '.');
        let end = self.end_of(start, tied);
        // Marks at the end are punctuation.
        let kept = self.text[start..end].trim_end_matches(['-', '/', ':', '.']).len();
        (start + kept).max(self.at + 1).min(self.text.len())
    }

    fn end_of(&self, start: usize, inside: impl Fn(char) -> bool) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = start;
        while let Some(&b) = bytes.get(at) {
            if b.is_ascii() {
                if !inside(char::from(b)) {
                    break;
                }
                at += 1;
                continue;
            }
            match self.text[at..].chars().next() {
                Some(c) if inside(c) => at += c.len_utf8(),
                _ => break,
            }
        }
        at
    }
}
