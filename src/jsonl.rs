//! JSON Lines as every file of ours uses them: lines end at LF, a byte-order mark at the start is skipped, errors name the line. And JSON that is
//! written whole.

use std::io::{BufRead, BufReader, Read, Seek};
use std::path::Path;

use serde::de::DeserializeOwned;

use crate::error::{Error, describe};
use crate::text::bytes::line_end;

/// The largest line that is read: a recorded call is a few kilobytes, so more than this is not a recording.
pub const LINE_BYTES_MAX: usize = 1 << 28;

/// One line of a file: its bytes without the line end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Counted from 1.
    pub number: usize,
    /// Offset of its first byte in the file.
    pub start: u64,
    pub bytes: Vec<u8>,
    /// False where the file ended before the line did.
    pub terminated: bool,
}

/// A value as a file of its own, for people too: two blanks a level, a line end at the end.
pub fn pretty(value: &impl serde::Serialize) -> String {
    // Plain data with string keys cannot fail to be written.
    crate::text::control::json_escaped(serde_json::to_string_pretty(value).unwrap_or_default() + "\n")
}

/// A value as one line, line end included; unsafe characters in its strings are escaped.
pub fn line(value: &impl serde::Serialize) -> String {
    crate::text::control::json_escaped(serde_json::to_string(value).unwrap_or_default() + "\n")
}

/// Reads a file line by line; blank lines are passed over (but counted).
pub struct Lines<'p, R> {
    path: &'p Path,
    input: R,
    number: usize,
    offset: u64,
}

impl<'p, R: BufRead> Lines<'p, R> {
    pub fn new(path: &'p Path, input: R) -> Self {
        Lines { path, input, number: 0, offset: 0 }
    }

    /// The next line that is not blank, into a buffer that is reused.
    pub fn next_into(&mut self, line: &mut Line) -> Result<bool, Error> {
        loop {
            line.bytes.clear();
            let read = self.line(&mut line.bytes).map_err(|e| Error::io(self.path, "read", &e))?;
            if read == 0 {
                return Ok(false);
            }
            self.number += 1;
            line.number = self.number;
            line.start = self.offset;
            self.offset += read as u64;
            line.terminated = line.bytes.last() == Some(&b'\n');
            if !line.terminated && read == LINE_BYTES_MAX {
                return Err(Error::at_line(
                    self.path,
                    self.number,
                    format!("line is longer than {LINE_BYTES_MAX} bytes; expected JSON Lines"),
                ));
            }
            if line.terminated {
                line.bytes.pop();
            }
            if line.number == 1 && line.bytes.starts_with("\u{feff}".as_bytes()) {
                line.bytes.drain(..3);
                line.start += 3;
            }
            if !line.bytes.iter().all(u8::is_ascii_whitespace) {
                return Ok(true);
            }
        }
    }
}

impl<R: Read + Seek> Lines<'_, BufReader<R>> {
    /// Goes to the line that starts at this byte and has this number.
    pub fn go_to(&mut self, start: u64, number: usize) -> Result<(), Error> {
        // Relative, since a step within the buffer then costs no reading; a file ends below 2^63 bytes.
        let step = start as i64 - self.offset as i64;
        self.input.seek_relative(step).map_err(|e| Error::io(self.path, "read", &e))?;
        (self.offset, self.number) = (start, number - 1);
        Ok(())
    }
}

impl<R: BufRead> Lines<'_, R> {
    /// The bytes up to and with the next line end, but never more than the largest line has.
    fn line(&mut self, bytes: &mut Vec<u8>) -> std::io::Result<usize> {
        loop {
            let some = match self.input.fill_buf() {
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
                some => some?,
            };
            let room = LINE_BYTES_MAX - bytes.len();
            let end = line_end(&some[..some.len().min(room)]).map(|at| at + 1);
            let taken = end.unwrap_or(some.len().min(room));
            bytes.extend_from_slice(&some[..taken]);
            self.input.consume(taken);
            if end.is_some() || taken == 0 {
                return Ok(bytes.len());
            }
        }
    }
}

impl Line {
    pub fn empty() -> Self {
        Line { number: 0, start: 0, bytes: Vec::new(), terminated: true }
    }
}

/// Reads one line as `T`. The error says which key is wrong; the second, slower reading happens only then.
pub fn parse<T: DeserializeOwned>(path: &Path, number: usize, bytes: &[u8]) -> Result<T, Error> {
    match serde_json::from_slice(bytes) {
        Ok(value) if is_object(bytes) => Ok(value),
        _ => Err(explain::<T>(path, number, bytes)),
    }
}

/// A struct would be read from a list of its values too; a line is an object.
pub fn is_object(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().first() == Some(&b'{')
}

/// Why `bytes` is no `T`, with the path of the key.
pub fn explain<'de, T: serde::Deserialize<'de>>(path: &Path, number: usize, bytes: &'de [u8]) -> Error {
    if std::str::from_utf8(bytes).is_err() {
        return Error::at_line(path, number, "not valid UTF-8; expected one JSON object");
    }
    if bytes.trim_ascii_start().first() == Some(&b'[') {
        return Error::at_line(path, number, "a list, not an object; expected one JSON object a line, such as {\"...\": ...}");
    }
    let mut de = serde_json::Deserializer::from_slice(bytes);
    let what = match serde_path_to_error::deserialize::<_, T>(&mut de) {
        Err(e) => {
            let column = e.inner().column();
            let kind = if e.inner().is_data() { "" } else { "not a complete JSON object: " };
            let text = describe(&e.path().to_string(), &e.inner().to_string());
            format!("{kind}{text} (column {column})")
        }
        Ok(_) => "text after the end of the JSON object; expected one object a line".to_owned(),
    };
    Error::at_line(path, number, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Vec<(usize, u64, String, bool)> {
        let mut lines = Lines::new(Path::new("x"), bytes);
        let mut line = Line::empty();
        let mut out = Vec::new();
        while lines.next_into(&mut line).unwrap() {
            out.push((line.number, line.start, String::from_utf8(line.bytes.clone()).unwrap(), line.terminated));
        }
        out
    }

    #[test]
    fn lines_carry_number_offset_and_end() {
        assert_eq!(all(b""), []);
        assert_eq!(all("\u{feff}a\n\n b\nc".as_bytes()), [(1, 3, "a".into(), true), (3, 6, " b".into(), true), (4, 9, "c".into(), false)]);
    }

    #[test]
    fn a_bad_line_says_where_and_what() {
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        #[allow(dead_code)]
        struct Row {
            ticket: String,
        }
        let text = |s: &str| parse::<Row>(Path::new("t.jsonl"), 7, s.as_bytes()).unwrap_err().to_string();
        assert_eq!(text(r#"{"tickt":"a"}"#), "t.jsonl:7: unknown key `tickt`; did you mean `ticket`? (known here: ticket) (column 8)");
        assert_eq!(text(r#"{"ticket":1}"#), "t.jsonl:7: ticket: invalid type: integer `1`, expected a string (column 11)");
        assert!(text(r#"{"ticket":"#).starts_with("t.jsonl:7: not a complete JSON object"));
        assert!(text(r#"{"ticket":"a"}{}"#).contains("after the end"));
        for list in [r#"["a"]"#, " [", "[1]"] {
            assert!(text(list).starts_with("t.jsonl:7: a list, not an object; expected"), "{list}");
        }
    }
}
