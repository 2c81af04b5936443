//! The request key `rr1`: which recorded answer belongs to which request, and where two requests differ.
//!
//! key = "rr1:" + the first 16 bytes, in hex, of blake3("rr1\0" provider "\0" endpoint "\0" canonical body). The canonical
//! body is RFC 8785 (sorted keys, shortest numbers, minimal escapes) of the body as sent, less what cannot change an answer:
//! [`TRANSPORT`] fields, nulls in objects, `cache_control`; ids of calls are numbered by first appearance. Nothing is
//! defaulted, folded or normalised: the model saw those bytes.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;

use serde_json::{Map, Number, Value};

use crate::text::bytes::plain_run;

/// Top-level fields that say how an answer travels or who pays, never what it is.
pub const TRANSPORT: [&str; 9] = [
    "metadata",
    "prompt_cache_key",
    "prompt_cache_retention",
    "safety_identifier",
    "service_tier",
    "store",
    "stream",
    "stream_options",
    "user",
];

const CALL_IDS: [&str; 4] = ["call_id", "id", "tool_call_id", "tool_use_id"];
const CALL_MARKS: [&str; 5] = ["call_", "toolu_", "fc_", "msg_", "rs_"];

/// The key of a request. `ignore` names further top-level fields that a spec leaves out.
pub fn key(provider: &str, endpoint: &str, body: &Value, ignore: &[String]) -> String {
    // In one piece: hashed bit by bit, the first kilobyte would be gone through block by block.
    let mut hashed = String::with_capacity(4096);
    for part in ["rr1\0", provider, "\0", endpoint, "\0"] {
        hashed.push_str(part);
    }
    let hash = blake3::hash(canonical_after(hashed, body, ignore).as_bytes());
    let mut key = String::with_capacity("rr1:".len() + 32);
    key.push_str("rr1:");
    for byte in &hash.as_bytes()[..16] {
        key.push(hex(byte >> 4));
        key.push(hex(byte & 15));
    }
    key
}

/// The body as the key sees it. Integers beyond 2^53, which RFC 8785 has no form for, keep all their digits.
pub fn canonical(body: &Value, ignore: &[String]) -> String {
    canonical_after(String::with_capacity(4096), body, ignore)
}

fn canonical_after(out: String, body: &Value, ignore: &[String]) -> String {
    let mut writer = Writer { out, ids: Ids::default() };
    match body {
        Value::Object(map) => writer.object(map, |name| is_left_out(name, ignore)),
        other => writer.value(other),
    }
    writer.out
}

fn is_left_out(name: &str, ignore: &[String]) -> bool {
    TRANSPORT.contains(&name) || ignore.iter().any(|field| field == name)
}

/// Members in RFC 8785 order that count: neither null nor cache marks.
fn members<'a>(map: &'a Map<String, Value>) -> impl Iterator<Item = (&'a String, &'a Value)> {
    let sorted = map.keys().is_sorted_by(|a, b| utf16(a, b) != Ordering::Greater);
    let resorted = (!sorted).then(|| {
        let mut all: Vec<(&'a String, &'a Value)> = map.iter().collect();
        all.sort_by(|a, b| utf16(a.0, b.0));
        all
    });
    let plain = map.iter().take(if sorted { usize::MAX } else { 0 });
    plain.chain(resorted.into_iter().flatten()).filter(|(name, value)| !value.is_null() && *name != "cache_control")
}

/// Order of UTF-16 code units. It is the order of bytes but for surrogates, which sort below U+E000.
fn utf16(a: &str, b: &str) -> Ordering {
    if a.is_ascii() && b.is_ascii() { a.cmp(b) } else { a.encode_utf16().cmp(b.encode_utf16()) }
}

/// Ids of calls, which providers make up anew for each answer, numbered as they appear.
#[derive(Default)]
struct Ids<'a>(HashMap<&'a str, usize>);

impl<'a> Ids<'a> {
    /// The value's number where it is the id of a call.
    fn number(&mut self, name: &str, value: &'a Value) -> Option<usize> {
        let id = value.as_str().filter(|id| CALL_IDS.contains(&name) && CALL_MARKS.iter().any(|mark| id.starts_with(mark)))?;
        let next = self.0.len();
        Some(*self.0.entry(id).or_insert(next))
    }
}

struct Writer<'a> {
    out: String,
    ids: Ids<'a>,
}

impl<'a> Writer<'a> {
    fn object(&mut self, map: &'a Map<String, Value>, left_out: impl Fn(&str) -> bool) {
        self.out.push('{');
        let mut first = true;
        for (name, value) in members(map).filter(|(name, _)| !left_out(name)) {
            if !first {
                self.out.push(',');
            }
            first = false;
            self.text(name);
            self.out.push(':');
            match self.ids.number(name, value) {
                Some(number) => {
                    self.out.push_str("\"#");
                    self.out.push_str(&number.to_string());
                    self.out.push('"');
                }
                None => self.value(value),
            }
        }
        self.out.push('}');
    }

    fn value(&mut self, value: &'a Value) {
        match value {
            Value::Null => self.out.push_str("null"),
            Value::Bool(true) => self.out.push_str("true"),
            Value::Bool(false) => self.out.push_str("false"),
            Value::Number(number) => self.number(number),
            Value::String(text) => self.text(text),
            Value::Array(items) => {
                self.out.push('[');
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        self.out.push(',');
                    }
                    self.value(item);
                }
                self.out.push(']');
            }
            Value::Object(map) => self.object(map, |_| false),
        }
    }

    fn number(&mut self, number: &Number) {
        match number.as_f64() {
            Some(float) if number.is_f64() => self.out.push_str(ryu_js::Buffer::new().format(float)),
            _ => self.out.push_str(&number.to_string()),
        }
    }

    fn text(&mut self, text: &str) {
        self.out.push('"');
        let mut run = 0;
        let mut at = plain(text.as_bytes());
        while let Some(&byte) = text.as_bytes().get(at) {
            let short = match byte {
                b'"' => "\\\"",
                b'\\' => "\\\\",
                0x08 => "\\b",
                b'\t' => "\\t",
                b'\n' => "\\n",
                0x0c => "\\f",
                b'\r' => "\\r",
                _ => "",
            };
            self.out.push_str(&text[run..at]);
            run = at + 1;
            if short.is_empty() {
                self.out.push_str("\\u00");
                self.out.push(hex(byte >> 4));
                self.out.push(hex(byte & 15));
            } else {
                self.out.push_str(short);
            }
            at = run + plain(&text.as_bytes()[run..]);
        }
        self.out.push_str(&text[run..]);
        self.out.push('"');
    }
}

/// How many bytes at the front need no escape.
fn plain(bytes: &[u8]) -> usize {
    plain_run(bytes, [b'"', b'\\'])
}

fn hex(digit: u8) -> char {
    char::from_digit(u32::from(digit), 16).unwrap_or('0')
}

/// The first field in canonical order in which two requests differ, for people: `temperature: 0 -> 0.7`,
/// `messages[1].content: "…fee is $15" -> "…fee is $20"`, `seed: only in the recording`. None where their keys agree.
pub fn difference(recorded: &Value, asked: &Value) -> Option<String> {
    difference_but(recorded, asked, &[])
}

/// [`difference`], less further top-level fields that a spec leaves out.
pub fn difference_but(recorded: &Value, asked: &Value, ignore: &[String]) -> Option<String> {
    let mut walk = Walk { recorded: Ids::default(), asked: Ids::default(), path: String::new() };
    match (recorded, asked) {
        (Value::Object(a), Value::Object(b)) => walk.objects(a, b, |name| is_left_out(name, ignore)),
        _ => walk.values(recorded, asked),
    }
}

struct Walk<'a> {
    recorded: Ids<'a>,
    asked: Ids<'a>,
    path: String,
}

impl<'a> Walk<'a> {
    fn objects(&mut self, a: &'a Map<String, Value>, b: &'a Map<String, Value>, left_out: impl Fn(&str) -> bool) -> Option<String> {
        let mut left = members(a).filter(|(name, _)| !left_out(name)).peekable();
        let mut right = members(b).filter(|(name, _)| !left_out(name)).peekable();
        loop {
            let order = match (left.peek(), right.peek()) {
                (None, None) => return None,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some((x, _)), Some((y, _))) => utf16(x, y),
            };
            let found = match order {
                Ordering::Less => left.next().and_then(|(name, _)| self.at(name, |walk| walk.only("the recording"))),
                Ordering::Greater => right.next().and_then(|(name, _)| self.at(name, |walk| walk.only("the request"))),
                Ordering::Equal => match (left.next(), right.next()) {
                    (Some((name, x)), Some((_, y))) => self.at(name, |walk| walk.members(name, x, y)),
                    _ => None,
                },
            };
            if found.is_some() {
                return found;
            }
        }
    }

    fn members(&mut self, name: &str, a: &'a Value, b: &'a Value) -> Option<String> {
        match (self.recorded.number(name, a), self.asked.number(name, b)) {
            (Some(x), Some(y)) if x == y => None,
            _ => self.values(a, b),
        }
    }

    fn values(&mut self, a: &'a Value, b: &'a Value) -> Option<String> {
        match (a, b) {
            (Value::Object(a), Value::Object(b)) => self.objects(a, b, |_| false),
            (Value::Array(a), Value::Array(b)) => self.arrays(a, b),
            (Value::Number(x), Value::Number(y)) if number(x) == number(y) => None,
            _ if a == b => None,
            _ => {
                let (x, y) = shortened(a, b);
                Some(format!("{}: {x} -> {y}", if self.path.is_empty() { "body" } else { &self.path }))
            }
        }
    }

    fn arrays(&mut self, a: &'a [Value], b: &'a [Value]) -> Option<String> {
        let pair = a.iter().zip(b).enumerate().find_map(|(i, (x, y))| self.at_index(i, |walk| walk.values(x, y)));
        let whose = if a.len() > b.len() { "the recording" } else { "the request" };
        pair.or_else(|| if a.len() == b.len() { None } else { self.at_index(a.len().min(b.len()), |walk| walk.only(whose)) })
    }

    fn only(&self, whose: &str) -> Option<String> {
        Some(format!("{}: only in {whose}", self.path))
    }

    fn at<T>(&mut self, name: &str, look: impl FnOnce(&mut Self) -> T) -> T {
        let len = self.path.len();
        if len > 0 {
            self.path.push('.');
        }
        self.path.push_str(&escaped(name));
        let found = look(self);
        self.path.truncate(len);
        found
    }

    fn at_index<T>(&mut self, index: usize, look: impl FnOnce(&mut Self) -> T) -> T {
        let len = self.path.len();
        self.path.push_str(&format!("[{index}]"));
        let found = look(self);
        self.path.truncate(len);
        found
    }
}

fn number(number: &Number) -> String {
    let mut writer = Writer { out: String::new(), ids: Ids::default() };
    writer.number(number);
    writer.out
}

/// Characters shown of a value, and of these how many before the first difference.
const SHOWN: usize = 60;
const LEAD: usize = 20;

fn shortened(a: &Value, b: &Value) -> (String, String) {
    let (a, b) = match (a, b) {
        (Value::String(a), Value::String(b)) => return (around(a, b, true), around(b, a, true)),
        _ => (canonical_of(a), canonical_of(b)),
    };
    (around(&a, &b, false), around(&b, &a, false))
}

fn canonical_of(value: &Value) -> Cow<'_, str> {
    let mut writer = Writer { out: String::new(), ids: Ids::default() };
    writer.value(value);
    Cow::Owned(writer.out)
}

/// The part of `text` around its first difference from `other`, made visible.
fn around(text: &str, other: &str, quoted: bool) -> String {
    let same = text.chars().zip(other.chars()).take_while(|(x, y)| x == y).count();
    let skip = same.saturating_sub(LEAD);
    let mut rest = text.chars().skip(skip);
    let shown: String = rest.by_ref().take(SHOWN).collect();
    let mut out = String::with_capacity(SHOWN + 8);
    out.push_str(if quoted { "\"" } else { "" });
    out.push_str(if skip > 0 { "…" } else { "" });
    out.push_str(&if quoted { escaped(&shown.replace('\\', "\\\\").replace('"', "\\\"")) } else { escaped(&shown) });
    out.push_str(if rest.next().is_some() { "…" } else { "" });
    out.push_str(if quoted { "\"" } else { "" });
    out
}

/// Control characters, and those that a reader cannot see or tell from a space, as escapes.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            ' ' => out.push(' '),
            _ if c.is_control() || c.is_whitespace() || is_unseen(c) => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            _ => out.push(c),
        }
    }
    out
}

fn is_unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}
