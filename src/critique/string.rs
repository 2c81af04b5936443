//! Strings of a reply's JSON: their delimiters, escapes and, in quotations, the refusal to repair.
//!
//! Odd delimiters and raw control characters are read in any string, because they leave its text as the critic wrote it.
//! An escape that JSON lacks would have to be guessed: outside quotations it is, in a quotation it is an error.

use super::json::{Flaw, Reader};
use super::repair::Repair;
use crate::text::bytes::plain_run;

/// How a string is delimited.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Quote {
    Double,
    Single,
    /// From `“` or `”` to `”`, or, as Germans and others write, from `„` to `“` or `”`.
    Smart {
        low: bool,
    },
}

impl Quote {
    fn may_end_at(self, c: char) -> bool {
        matches!((self, c), (Quote::Smart { .. }, '”') | (Quote::Smart { low: true }, '“'))
    }
}

impl Reader<'_> {
    pub fn quote(&self) -> Option<Quote> {
        match self.peek()? {
            b'"' => Some(Quote::Double),
            b'\'' => Some(Quote::Single),
            0xe2 => match self.text[self.pos..].chars().next()? {
                '“' | '”' => Some(Quote::Smart { low: false }),
                '„' => Some(Quote::Smart { low: true }),
                _ => None,
            },
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

    pub fn string(&mut self, quotation: bool) -> Result<String, Flaw> {
        let quote = self.quote().ok_or(Flaw::Syntax)?;
        match quote {
            Quote::Double => self.pos += 1,
            Quote::Single => {
                self.note(Repair::SingleQuotes);
                self.pos += 1;
            }
            Quote::Smart { .. } => {
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
                    Some(c) if quote.may_end_at(c) && self.closes(self.pos + 3) => return Ok(self.ended(content, run, 3)),
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
                // No string ends here, nor has anything to be read.
                _ => plain_run(&self.bytes[self.pos..], [b'"', b'\'', b'\\', 0xe2]).max(1),
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
            '“' | '”' | '„' if matches!(quote, Quote::Smart { .. }) => Some(next),
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
