//! One JSON value at a given place, read with tolerance for how models write it.
//!
//! Recursive descent with a bound on depth; every byte is looked at a constant number of times. Strings under a quotation
//! key are taken as they are or refused: there an escape that JSON lacks is an error, never repaired.

use serde_json::{Map, Number, Value};

use super::repair::{Repair, note};

/// Deeper nesting than this is no critique.
const MAX_DEPTH: usize = 64;

/// Why no complete value stands at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    /// The text ends inside the value.
    End,
    DuplicateKey,
    BadEscape,
    Syntax,
}

#[derive(Debug)]
pub(super) struct Fail {
    pub flaw: Flaw,
    /// Where reading stopped; all before it was looked at.
    pub at: usize,
    /// True where enough was read to know that this was meant as JSON, not a bracket in prose.
    pub committed: bool,
}

/// A complete value and the bytes it stands on.
#[derive(Debug)]
pub(super) struct Found {
    pub value: Value,
    pub start: usize,
    pub end: usize,
    /// The text ended after a complete member of the outermost object, before its brace.
    pub open: bool,
    pub repairs: Vec<Repair>,
}

/// Reads the value that starts at `start`, a `{` or `[`. `steps` counts the bytes looked at.
pub(super) fn value_at(text: &str, start: usize, quotations: &[&str], steps: &mut usize) -> Result<Found, Fail> {
    let mut reader = Reader::new(text, start, quotations);
    let result = reader.value(false, MAX_DEPTH);
    *steps += reader.steps + (reader.pos - start);
    match result {
        Ok(value) => Ok(Found { value, start, end: reader.pos, open: reader.open, repairs: reader.repairs }),
        Err(flaw) => {
            let committed = reader.committed || (flaw == Flaw::End && text.as_bytes()[start] == b'{');
            Err(Fail { flaw, at: reader.pos, committed })
        }
    }
}

/// The content of a text that is one double-quoted JSON string and nothing else but white space.
pub(super) fn whole_string(text: &str) -> Option<String> {
    let start = text.len() - text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}').len();
    if text.as_bytes().get(start) != Some(&b'"') {
        return None;
    }
    let mut reader = Reader::new(text, start, &[]);
    let content = reader.string(true).ok()?;
    text[reader.pos..].trim().is_empty().then_some(content)
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    pos: usize,
    quotations: &'a [&'a str],
    repairs: Vec<Repair>,
    committed: bool,
    open: bool,
    /// Bytes looked at without moving past them.
    steps: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quote {
    Double,
    Single,
    Smart,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, pos: usize, quotations: &'a [&'a str]) -> Reader<'a> {
        Reader { text, bytes: text.as_bytes(), pos, quotations, repairs: Vec::new(), committed: false, open: false, steps: 0 }
    }

    fn note(&mut self, kind: Repair) {
        note(&mut self.repairs, kind);
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.pos).copied()
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.pos..).unwrap_or_default()
    }

    /// Skips white space and comments.
    fn gap(&mut self) -> Result<(), Flaw> {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => self.pos += 1,
                b'/' if self.rest().starts_with(b"//") => {
                    self.note(Repair::Comment);
                    let line = self.rest().iter().position(|b| *b == b'\n').unwrap_or(self.rest().len());
                    self.pos += line;
                }
                b'/' if self.rest().starts_with(b"/*") => {
                    self.note(Repair::Comment);
                    let Some(close) = self.rest()[2..].windows(2).position(|pair| pair == b"*/") else {
                        self.pos = self.bytes.len();
                        return Err(Flaw::End);
                    };
                    self.pos += close + 4;
                }
                0x0b | 0x0c | 0x80.. => match self.text[self.pos..].chars().next() {
                    Some(c) if c.is_whitespace() || c == '\u{feff}' => {
                        self.note(Repair::WhiteSpace);
                        self.pos += c.len_utf8();
                    }
                    _ => return Ok(()),
                },
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    fn value(&mut self, quotation: bool, depth: usize) -> Result<Value, Flaw> {
        match self.peek() {
            None => Err(Flaw::End),
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(quotation, depth),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) if self.quote().is_some() => self.string(quotation).map(Value::String),
            Some(_) => self.literal(),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, Flaw> {
        if depth == 0 {
            return Err(Flaw::Syntax);
        }
        self.pos += 1;
        let mut map = Map::new();
        let mut comma = false;
        loop {
            self.gap()?;
            match self.peek() {
                Some(b'}') => {
                    if comma && !map.is_empty() {
                        self.note(Repair::TrailingComma);
                    }
                    self.pos += 1;
                    return Ok(Value::Object(map));
                }
                None if depth == MAX_DEPTH && !comma && !map.is_empty() => {
                    self.open = true;
                    return Ok(Value::Object(map));
                }
                None => return Err(Flaw::End),
                Some(_) if !comma && !map.is_empty() => {
                    if self.quote().is_none() {
                        return Err(Flaw::Syntax);
                    }
                    self.note(Repair::MissingComma);
                }
                Some(_) => {}
            }
            let (key, value) = self.member(&map, depth)?;
            map.insert(key, value);
            self.gap()?;
            comma = self.peek() == Some(b',');
            self.pos += usize::from(comma);
        }
    }

    fn member(&mut self, map: &Map<String, Value>, depth: usize) -> Result<(String, Value), Flaw> {
        let quoted = self.quote().is_some();
        let key = if quoted { self.string(false)? } else { self.word().ok_or(Flaw::Syntax)?.to_string() };
        self.gap()?;
        match self.peek() {
            Some(b':') => self.pos += 1,
            None => return Err(Flaw::End),
            Some(_) => return Err(Flaw::Syntax),
        }
        self.committed |= quoted;
        if map.contains_key(&key) {
            return Err(Flaw::DuplicateKey);
        }
        self.gap()?;
        let quotation = self.quotations.contains(&key.as_str());
        let value = self.value(quotation, depth - 1)?;
        self.committed = true;
        if !quoted {
            self.note(Repair::UnquotedKey);
        }
        Ok((key, value))
    }

    fn array(&mut self, quotation: bool, depth: usize) -> Result<Value, Flaw> {
        if depth == 0 {
            return Err(Flaw::Syntax);
        }
        self.pos += 1;
        let mut items = Vec::new();
        let mut comma = false;
        loop {
            self.gap()?;
            match self.peek() {
                Some(b']') => {
                    if comma {
                        self.note(Repair::TrailingComma);
                    }
                    self.pos += 1;
                    return Ok(Value::Array(items));
                }
                None => return Err(Flaw::End),
                Some(byte) if !comma && !items.is_empty() => {
                    if byte != b'{' && self.quote().is_none() {
                        return Err(Flaw::Syntax);
                    }
                    self.note(Repair::MissingComma);
                }
                Some(_) => {}
            }
            items.push(self.value(quotation, depth - 1)?);
            self.gap()?;
            comma = self.peek() == Some(b',');
            self.pos += usize::from(comma);
        }
    }

    fn number(&mut self) -> Result<Value, Flaw> {
        if self.rest().starts_with(b"-Infinity") {
            self.pos += 1;
            return self.literal();
        }
        let len = self.rest().iter().take_while(|b| matches!(b, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')).count();
        let digits = &self.text[self.pos..self.pos + len];
        self.steps += len;
        let number = serde_json::from_str::<Number>(digits);
        let value = match number {
            Ok(number) => Value::Number(number),
            Err(_) if digits.parse::<f64>().is_ok_and(f64::is_infinite) => {
                self.note(Repair::NotANumber);
                Value::Null
            }
            Err(_) => return Err(Flaw::Syntax),
        };
        self.pos += len;
        Ok(value)
    }

    /// A bare word: letters, digits, `_`, `$` and, not first, `-`.
    fn word(&mut self) -> Option<&'a str> {
        let first = self.peek()?;
        if !(first.is_ascii_alphabetic() || matches!(first, b'_' | b'$')) {
            return None;
        }
        let len = self.rest().iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'-')).count();
        let word = &self.text[self.pos..self.pos + len];
        self.pos += len;
        Some(word)
    }

    fn literal(&mut self) -> Result<Value, Flaw> {
        let start = self.pos;
        let word = self.word().ok_or(Flaw::Syntax)?;
        let (value, repair) = match word {
            "true" => (Value::Bool(true), None),
            "false" => (Value::Bool(false), None),
            "null" => (Value::Null, None),
            "True" => (Value::Bool(true), Some(Repair::PythonLiteral)),
            "False" => (Value::Bool(false), Some(Repair::PythonLiteral)),
            "None" => (Value::Null, Some(Repair::PythonLiteral)),
            "NaN" | "Infinity" => (Value::Null, Some(Repair::NotANumber)),
            // A literal cut by the end of the text is a cut, not a mistake.
            _ if self.pos == self.bytes.len() && ["true", "false", "null"].iter().any(|full| full.starts_with(word)) => {
                return Err(Flaw::End);
            }
            _ => {
                self.pos = start;
                return Err(Flaw::Syntax);
            }
        };
        if let Some(kind) = repair {
            self.note(kind);
        }
        Ok(value)
    }

    fn quote(&self) -> Option<Quote> {
        match self.peek()? {
            b'"' => Some(Quote::Double),
            b'\'' => Some(Quote::Single),
            0xe2 if self.text[self.pos..].starts_with(['“', '”', '„']) => Some(Quote::Smart),
            _ => None,
        }
    }

    /// True where a string may end before `at`: the next token is one that follows a string.
    fn closes(&mut self, at: usize) -> bool {
        let after = self.bytes.get(at..).unwrap_or_default();
        let blank = after.iter().take_while(|b| b.is_ascii_whitespace()).count();
        self.steps += blank + 1;
        matches!(after.get(blank), None | Some(b',' | b':' | b'}' | b']'))
    }

    fn string(&mut self, quotation: bool) -> Result<String, Flaw> {
        let quote = self.quote().ok_or(Flaw::Syntax)?;
        match quote {
            Quote::Double => self.pos += 1,
            Quote::Single => {
                self.note(Repair::SingleQuotes);
                self.pos += 1;
            }
            Quote::Smart => {
                self.note(Repair::SmartQuotes);
                self.pos += '“'.len_utf8();
            }
        }
        let mut content = String::new();
        let mut run = self.pos;
        // A low quote is open: the next straight quote may be its partner (Romanian, German and Polish critics).
        let mut low = false;
        while let Some(byte) = self.peek() {
            let width = match byte {
                b'\\' => {
                    content.push_str(&self.text[run..self.pos]);
                    self.escape(&mut content, quote, quotation)?;
                    run = self.pos;
                    continue;
                }
                b'"' if quote == Quote::Double => {
                    if !low || self.closes(self.pos + 1) {
                        return Ok(self.ended(content, run, 1));
                    }
                    self.note(Repair::InnerQuote);
                    low = false;
                    1
                }
                b'\'' if quote == Quote::Single && self.closes(self.pos + 1) => return Ok(self.ended(content, run, 1)),
                0xe2 => match self.text[self.pos..].chars().next() {
                    Some('“' | '”') if quote == Quote::Smart && self.closes(self.pos + 3) => return Ok(self.ended(content, run, 3)),
                    Some(c) => {
                        low = c == '„' || (low && !matches!(c, '“' | '”'));
                        c.len_utf8()
                    }
                    None => 1,
                },
                0..0x20 => {
                    self.note(Repair::ControlCharacter);
                    1
                }
                _ => 1,
            };
            self.pos += width;
        }
        Err(Flaw::End)
    }

    fn ended(&mut self, mut content: String, run: usize, width: usize) -> String {
        content.push_str(&self.text[run..self.pos]);
        self.pos += width;
        content
    }

    /// One escape, from its backslash on.
    fn escape(&mut self, content: &mut String, quote: Quote, quotation: bool) -> Result<(), Flaw> {
        let Some(next) = self.text[self.pos + 1..].chars().next() else {
            self.pos = self.bytes.len();
            return Err(Flaw::End);
        };
        let plain = match next {
            '"' | '\\' | '/' => Some(next),
            'b' => Some('\u{8}'),
            'f' => Some('\u{c}'),
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            '\'' if quote == Quote::Single => Some(next),
            '“' | '”' if quote == Quote::Smart => Some(next),
            _ => None,
        };
        if let Some(c) = plain {
            content.push(c);
            self.pos += 1 + next.len_utf8();
            return Ok(());
        }
        if next == 'u'
            && let Some(unit) = self.hex(self.pos + 2)?
        {
            return self.unicode(content, unit);
        }
        if quotation {
            return Err(Flaw::BadEscape);
        }
        self.note(Repair::InvalidEscape);
        // Before a letter or digit the backslash is meant (a path, a pattern); before punctuation it only protects.
        if next.is_alphanumeric() {
            content.push('\\');
        }
        content.push(next);
        self.pos += 1 + next.len_utf8();
        Ok(())
    }

    /// Four hex digits at `at`; None where there are others, an error where the text ends first.
    fn hex(&mut self, at: usize) -> Result<Option<u32>, Flaw> {
        let digits = self.bytes.get(at..).unwrap_or_default();
        let count = digits.iter().take(4).take_while(|b| b.is_ascii_hexdigit()).count();
        if count == 4 {
            return Ok(u32::from_str_radix(&self.text[at..at + 4], 16).ok());
        }
        if count == digits.len() {
            self.pos = self.bytes.len();
            return Err(Flaw::End);
        }
        Ok(None)
    }

    fn unicode(&mut self, content: &mut String, unit: u32) -> Result<(), Flaw> {
        if let Some(c) = char::from_u32(unit) {
            content.push(c);
            self.pos += 6;
            return Ok(());
        }
        let pair = self.bytes.get(self.pos + 6..).unwrap_or_default();
        if unit < 0xdc00 && pair.starts_with(b"\\u") {
            let low = self.hex(self.pos + 8)?.filter(|low| (0xdc00..0xe000).contains(low));
            if let Some(c) = low.and_then(|low| char::from_u32(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00))) {
                content.push(c);
                self.pos += 12;
                return Ok(());
            }
        }
        if unit < 0xdc00 && (pair.is_empty() || pair == b"\\") {
            self.pos = self.bytes.len();
            return Err(Flaw::End);
        }
        Err(Flaw::BadEscape)
    }
}
