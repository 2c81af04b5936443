//! Checks judged: whether an exact rule holds in a draft. A draft is read once for all its checks.

use std::borrow::Cow;
use std::cell::OnceCell;

use unicode_segmentation::UnicodeSegmentation;

use super::find;
use super::normal::plain_run;
use super::value::{self, Found, Value};
use crate::model::CheckRule;

/// A draft read for checking; each reading (values, folded text, words) is done when a rule first asks for it, and once.
pub struct Reading<'a> {
    draft: &'a str,
    folded: OnceCell<Cow<'a, str>>,
    values: OnceCell<Vec<Found>>,
    words: OnceCell<usize>,
}

impl<'a> Reading<'a> {
    pub fn new(draft: &'a str) -> Reading<'a> {
        Reading { draft, folded: OnceCell::new(), values: OnceCell::new(), words: OnceCell::new() }
    }

    /// Whether `rule` holds. `contains` and `absent` compare with every run of white space as one space; `regex` reads the draft as stored;
    /// words are Unicode words (UAX 29), characters Unicode scalar values. A number, money or date rule whose own value cannot be read (see
    /// [`is_readable`]) never holds.
    pub fn holds(&self, rule: &CheckRule) -> bool {
        match rule {
            CheckRule::Contains(text) => self.contains(text),
            CheckRule::Absent(text) => !self.contains(text),
            CheckRule::Regex(regex) => regex.is_match(self.draft),
            CheckRule::Number(value) => self.states(value::read_number(value)),
            CheckRule::Money(value) => self.states(value::read_money(value)),
            CheckRule::Date(value) => self.states(value::read_date(value)),
            CheckRule::MaxWords(limit) => self.words() <= *limit,
            CheckRule::MinWords(limit) => self.words() >= *limit,
            CheckRule::MaxChars(limit) => self.draft.chars().count() <= *limit,
        }
    }

    fn contains(&self, text: &str) -> bool {
        find::first(self.folded.get_or_init(|| fold(self.draft)).as_bytes(), fold(text).trim().as_bytes()).is_some()
    }

    fn states(&self, want: Option<Value>) -> bool {
        let found = self.values.get_or_init(|| value::values(self.draft));
        want.is_some_and(|want| found.iter().any(|f| f.is(want)))
    }

    fn words(&self) -> usize {
        *self.words.get_or_init(|| self.draft.unicode_words().count())
    }
}

/// Whether `rule` holds in `draft`, see [`Reading::holds`]. For several rules of one draft make a [`Reading`].
pub fn holds(rule: &CheckRule, draft: &str) -> bool {
    Reading::new(draft).holds(rule)
}

/// False for a rule that can never tell two drafts apart: a value that is not of its kind, or an empty text to look for.
pub fn is_readable(rule: &CheckRule) -> bool {
    match rule {
        CheckRule::Contains(text) | CheckRule::Absent(text) => !text.trim().is_empty(),
        CheckRule::Number(value) => value::read_number(value).is_some(),
        CheckRule::Money(value) => value::read_money(value).is_some(),
        CheckRule::Date(value) => value::read_date(value).is_some(),
        CheckRule::Regex(_) | CheckRule::MaxWords(_) | CheckRule::MinWords(_) | CheckRule::MaxChars(_) => true,
    }
}

/// Every run of white space as one space; the text itself where it is so already.
fn fold(text: &str) -> Cow<'_, str> {
    let mut run = plain_run(text.as_bytes());
    if run == text.len() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    loop {
        out.push_str(&rest[..run]);
        rest = &rest[run..];
        let Some(c) = rest.chars().next() else { return Cow::Owned(out) };
        match c.is_whitespace() {
            false => out.push(c),
            true if out.ends_with(' ') => {}
            true => out.push(' '),
        }
        rest = &rest[c.len_utf8()..];
        run = plain_run(rest.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn regex(pattern: &str) -> CheckRule {
        CheckRule::Regex(std::sync::Arc::new(regex::Regex::new(pattern).unwrap()))
    }

    #[test]
    fn rules_hold_where_they_should() {
        let draft = "Open Settings\u{a0}>\n  Payouts.\nThe fee is USD 20.00,\r\ndue March 4, in ten days (2.9%). It's done.";
        let text = |s: &str| s.to_string();
        let cases = [
            (CheckRule::Contains(text("Settings > Payouts")), true),
            (CheckRule::Contains(text(" Settings >\tPayouts ")), true),
            (CheckRule::Contains(text("settings > Payouts")), false),
            (CheckRule::Absent(text("guarantee")), true),
            (CheckRule::Absent(text("fee is")), false),
            (regex(r"(?i)\bfee\b"), true),
            (regex(r"Settings > Payouts"), false),
            (CheckRule::Number(text("10")), true),
            (CheckRule::Number(text("2.9%")), true),
            (CheckRule::Number(text("20")), false),
            (CheckRule::Number(text("ten days")), false),
            (CheckRule::Money(text("$20")), true),
            (CheckRule::Money(text("20")), false),
            (CheckRule::Date(text("2026-03-04")), true),
            (CheckRule::Date(text("2026-03-05")), false),
            (CheckRule::MaxWords(17), true),
            (CheckRule::MinWords(17), true),
            (CheckRule::MaxWords(16), false),
            (CheckRule::MinWords(18), false),
            (CheckRule::MaxChars(draft.chars().count()), true),
            (CheckRule::MaxChars(draft.chars().count() - 1), false),
        ];
        for (rule, want) in cases {
            assert_eq!(holds(&rule, draft), want, "{rule:?}: {} words", Reading::new(draft).words());
        }
    }

    #[test]
    fn a_rule_that_cannot_decide_is_not_readable() {
        let text = |s: &str| s.to_string();
        for rule in
            [CheckRule::Number(text("ten days")), CheckRule::Money(text("20")), CheckRule::Date(text("soon")), CheckRule::Absent(text(" "))]
        {
            assert!(!is_readable(&rule), "{rule:?}");
        }
        assert!(is_readable(&CheckRule::Money(text("20 EUR"))));
    }

    proptest! {
        #[test]
        fn contains_is_a_search_with_blanks_folded(draft in "[ab \t\n\u{a0}]{0,30}", wanted in "[ab \n]{1,4}") {
            let words = |s: &str| s.split_whitespace().collect::<Vec<_>>().join(" ");
            let naive = format!(" {} ", words(&draft)).contains(&words(&wanted));
            prop_assert_eq!(holds(&CheckRule::Contains(wanted.clone()), &draft), naive);
            prop_assert_ne!(holds(&CheckRule::Absent(wanted), &draft), naive);
        }
    }
}
