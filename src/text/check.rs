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
    json: OnceCell<Option<serde_json::Value>>,
}

impl<'a> Reading<'a> {
    pub fn new(draft: &'a str) -> Reading<'a> {
        let (folded, values, words, json) = (OnceCell::new(), OnceCell::new(), OnceCell::new(), OnceCell::new());
        Reading { draft, folded, values, words, json }
    }

    /// Whether `rule` holds. `contains` and `absent` compare with every run of white space as one space; `regex` reads the draft as stored;
    /// words are Unicode words (UAX 29), characters Unicode scalar values; `json_schema` asks for JSON and nothing else, see [`document`]. A number, money or date rule whose own value cannot be read (see
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
            CheckRule::MinChars(limit) => self.draft.chars().count() >= *limit,
            CheckRule::JsonSchema(schema) => {
                self.json.get_or_init(|| document(self.draft)).as_ref().is_some_and(|json| schema.accepts(json))
            }
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
        CheckRule::Regex(_) | CheckRule::JsonSchema(_) => true,
        CheckRule::MaxWords(_) | CheckRule::MinWords(_) | CheckRule::MaxChars(_) | CheckRule::MinChars(_) => true,
    }
}

/// The JSON value that a draft is: RFC 8259, nested at most 127 deep, of members with one name the last. White space around it is passed over,
/// and one Markdown code fence around all of it. Whatever else stands beside it, a trailing comma or a comment is no JSON.
fn document(draft: &str) -> Option<serde_json::Value> {
    serde_json::from_str(unfenced(draft.trim())).ok()
}

/// What stands between an opening fence in the first line and its closing fence in the last; a text without them as it is.
fn unfenced(text: &str) -> &str {
    let Some(mark) = text.chars().next().filter(|c| ['`', '~'].contains(c)) else { return text };
    let inside = || {
        let after = text.trim_start_matches(mark);
        let length = text.len() - after.len();
        let (info, body) = after.split_once('\n')?;
        let content = body.trim_end_matches(mark);
        let closes = body.len() - content.len() >= length && content.rsplit('\n').next()?.trim().is_empty();
        (length >= 3 && closes && !info.contains('`')).then_some(content)
    };
    inside().unwrap_or(text)
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
    use serde_json::json;

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
            (CheckRule::MinChars(draft.chars().count()), true),
            (CheckRule::MinChars(draft.chars().count() + 1), false),
        ];
        for (rule, want) in cases {
            assert_eq!(holds(&rule, draft), want, "{rule:?}: {} words", Reading::new(draft).words());
        }
    }

    fn schema(schema: serde_json::Value) -> CheckRule {
        CheckRule::JsonSchema(std::sync::Arc::new(crate::model::Schema::compile(&schema).unwrap()))
    }

    #[test]
    fn json_is_the_whole_draft_but_for_one_fence_around_it() {
        let rule = schema(json!({"type": "object", "required": ["total"], "properties": {"total": {"type": "integer", "minimum": 0}}}));
        let cases = [
            (r#"{"total": 3}"#, true),
            ("\u{a0}\n {\"total\": 3, \"more\": [null]}\r\n", true),
            ("```json\n{\"total\": 3}\n```", true),
            ("\n~~~~\r\n{\"total\":\n 3}\r\n  ~~~~~\n", true),
            ("```\n{\"total\": 3}\n``` ", true),
            (r#"{"total": 1, "total": 3.5}"#, false),
            (r#"{"total": 3.5, "total": 1}"#, true),
            (r#"{"total": 1.0}"#, true),
            (r#"{"total": -1}"#, false),
            (r#"{"sum": 3}"#, false),
            ("3", false),
            ("", false),
            ("```", false),
            ("```\n```", false),
            // Nothing else is forgiven.
            ("Here it is: {\"total\": 3}", false),
            ("{\"total\": 3} Done.", false),
            ("{\"total\": 3,}", false),
            ("{'total': 3}", false),
            ("// total\n{\"total\": 3}", false),
            ("{\"total\": 3}{\"total\": 3}", false),
            ("\u{feff}{\"total\": 3}", false),
            ("Here:\n```json\n{\"total\": 3}\n```", false),
            ("```json\n{\"total\": 3}\n```\nDone.", false),
            ("``\n{\"total\": 3}\n``", false),
            ("```json {\"total\": 3} ```", false),
            ("````\n{\"total\": 3}\n```", false),
            ("~~~\n```\n{\"total\": 3}\n```\n~~~", false),
            ("```\n{\"total\": 3} ```", false),
        ];
        for (draft, want) in cases {
            assert_eq!(holds(&rule, draft), want, "{draft:?}");
        }
        assert!(holds(&schema(json!(true)), "[1]") && !holds(&schema(json!(true)), "[1"));
        assert!(!holds(&schema(json!(false)), "[1]"));
    }

    #[test]
    fn a_schema_that_cannot_be_used_says_why() {
        let compile = |schema: serde_json::Value| crate::model::Schema::compile(&schema).map(|_| ()).unwrap_err();
        for (bad, part) in [
            (json!({"type": "objekt"}), "at `/type`"),
            (json!({"properties": {"a": {"minimum": "3"}}}), "at `/properties/a/minimum`"),
            (json!({"$ref": "https://example.com/other.json"}), "example.com"),
            (json!({"$ref": "other.json#/a"}), "other.json"),
            (json!({"$ref": "#/$defs/none"}), "/$defs/none"),
            (json!({"$schema": "https://example.com/own"}), "example.com/own"),
            (json!({"pattern": "(?=a)"}), "pattern"),
        ] {
            let said = compile(bad.clone());
            assert!(said.starts_with("not a JSON Schema that can be used here: ") && said.contains(part), "{bad}: {said}");
        }
    }

    #[test]
    fn hostile_drafts_cost_no_more_than_their_length() {
        let tree = json!({"$defs": {"n": {"anyOf": [
            {"type": "object", "properties": {"a": {"$ref": "#/$defs/n"}}, "required": ["b"]},
            {"type": "object", "properties": {"a": {"$ref": "#/$defs/n"}}, "required": ["c"]},
            {"type": "array", "items": {"$ref": "#/$defs/n"}, "uniqueItems": true}]}}, "$ref": "#/$defs/n"});
        let rules = [schema(tree), schema(json!({"$ref": "#"})), schema(json!({"items": {"pattern": "^(a+)+$"}, "uniqueItems": true}))];
        let nest = |open: &str, close: &str, depth: usize| format!("{}0{}", open.repeat(depth), close.repeat(depth));
        let drafts = [
            nest("{\"a\":", "}", 100),
            nest("{\"a\":", "}", 500_000),
            nest("[", "]", 120),
            nest("[", "]", 1_000_000),
            "`".repeat(1_000_000),
            format!("[\"{}b\"]", "a".repeat(200_000)),
            format!("[{}]", (0..100_000).map(|n| format!("\"{n}\"")).collect::<Vec<_>>().join(",")),
        ];
        let held: Vec<Vec<bool>> = drafts.iter().map(|draft| rules.iter().map(|rule| holds(rule, draft)).collect()).collect();
        let [json, none] = [[false, true, true], [false; 3]];
        assert_eq!(held, [json, none, json, none, none, [false, true, false], [false, true, false]]);
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
