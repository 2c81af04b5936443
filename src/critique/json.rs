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
    /// False where no object with a member stands in it: such a value may be prose.
    pub committed: bool,
    pub repairs: Vec<Repair>,
}

/// Reads the value that starts at `start`, a `{` or `[`. `steps` counts the bytes looked at.
pub(super) fn value_at(text: &str, start: usize, quotations: &[&str], steps: &mut usize) -> Result<Found, Fail> {
    let mut reader = Reader::new(text, start, quotations);
    let result = reader.value(false, MAX_DEPTH);
    *steps += reader.steps + (reader.pos - start);
    match result {
        Ok(value) => {
            let Reader { pos, open, committed, repairs, .. } = reader;
            Ok(Found { value, start, end: pos, open, committed, repairs })
        }
        Err(flaw) => {
            // `{"find` and no more: cut inside its first key.
            let keyed = text[start..].strip_prefix('{').is_some_and(|rest| rest.trim_start().starts_with('"'));
            let committed = reader.committed || (flaw == Flaw::End && keyed);
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

pub(super) struct Reader<'a> {
    pub text: &'a str,
    pub bytes: &'a [u8],
    pub pos: usize,
    quotations: &'a [&'a str],
    repairs: Vec<Repair>,
    committed: bool,
    open: bool,
    /// Bytes looked at without moving past them.
    pub steps: usize,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, pos: usize, quotations: &'a [&'a str]) -> Reader<'a> {
        Reader { text, bytes: text.as_bytes(), pos, quotations, repairs: Vec::new(), committed: false, open: false, steps: 0 }
    }

    pub fn note(&mut self, kind: Repair) {
        note(&mut self.repairs, kind);
    }

    pub fn peek(&self) -> Option<u8> {
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
}
