//! Files of a foreign log, and the JSON values that stand in them: JSON Lines, one document, a list, or a list under a known name.

use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::value::RawValue;

use super::Record;
use crate::error::Error;
use crate::files;

/// A log is held in memory while it is sorted.
const BYTES_MAX: u64 = 1 << 30;

/// JSON values, each with its place.
pub type Values<'a> = Vec<(String, &'a RawValue)>;

/// One file, whole.
#[derive(Debug, Clone)]
pub struct Input {
    pub path: PathBuf,
    pub bytes: Vec<u8>,
}

impl Input {
    pub fn open(path: &Path) -> Result<Input, Error> {
        let mut bytes = vec![];
        files::stream(path, "read the log")?
            .take(BYTES_MAX + 1)
            .read_to_end(&mut bytes)
            .map_err(|e| Error::io(path, "read the log", &e))?;
        if bytes.len() as u64 > BYTES_MAX {
            return Err(Error::at(path, format!("the log is larger than {BYTES_MAX} bytes; import it in parts")));
        }
        Ok(Input { path: path.to_path_buf(), bytes })
    }

    /// The place of a part of this file, by its name alone: what is written tells nothing of folders.
    pub fn at(&self, part: &str) -> String {
        format!("{}{part}", self.path.file_name().unwrap_or_default().to_string_lossy())
    }

    /// The text, without a byte-order mark.
    pub fn text(&self) -> Result<&str, Error> {
        match std::str::from_utf8(&self.bytes) {
            Ok(text) => Ok(text.trim_start_matches('\u{feff}')),
            Err(e) => {
                let line = 1 + self.bytes[..e.valid_up_to()].iter().filter(|b| **b == b'\n').count();
                Err(Error::at_line(&self.path, line, "not valid UTF-8; expected a text file"))
            }
        }
    }

    /// Every JSON value with its place. A line that is no JSON is a record that says so, in the second list.
    pub fn values<'a>(&'a self, lists: &[&str]) -> Result<(Values<'a>, Vec<Record>), Error> {
        let text = self.text()?;
        let (mut values, mut broken) = (vec![], vec![]);
        let first = text.lines().find(|line| !line.trim().is_empty());
        let is_lines = first.is_some_and(|line| serde_json::from_str::<&RawValue>(line).is_ok());
        if is_lines {
            for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
                let at = self.at(&format!(":{}", number + 1));
                match serde_json::from_str::<&RawValue>(line) {
                    Ok(value) => spread(&at, value, lists, &mut values),
                    Err(e) => broken.push(Record::other(at, format!("not JSON: {}", cause(&e)))),
                }
            }
        } else if !text.trim().is_empty() {
            let value = serde_json::from_str::<&RawValue>(text)
                .map_err(|e| Error::at_line(&self.path, e.line(), format!("not JSON: {}; is the file cut?", cause(&e))))?;
            spread(&self.at(""), value, lists, &mut values);
        }
        Ok((values, broken))
    }
}

fn spread<'a>(at: &str, value: &'a RawValue, lists: &[&str], out: &mut Values<'a>) {
    let text = value.get().trim_start();
    let items = if text.starts_with('[') {
        serde_json::from_str::<Vec<&'a RawValue>>(value.get()).ok()
    } else if text.starts_with('{') && !lists.is_empty() {
        let members = serde_json::from_str::<std::collections::BTreeMap<std::borrow::Cow<'a, str>, &'a RawValue>>(value.get()).ok();
        members.and_then(|members| lists.iter().find_map(|name| serde_json::from_str(members.get(*name)?.get()).ok()))
    } else {
        None
    };
    match items {
        Some(items) => out.extend(items.into_iter().enumerate().map(|(i, item)| (format!("{at}[{i}]"), item))),
        None => out.push((at.to_owned(), value)),
    }
}

/// serde's words without the place, which we say ourselves.
pub fn cause(e: &serde_json::Error) -> String {
    let text = e.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}
