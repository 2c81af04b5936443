//! What can go wrong with input: where, what, and what was expected. Faults of single tickets are data (model::Fault), not errors.

use std::fmt;
use std::path::{Path, PathBuf};

/// Bad input or usage: the command ends with exit code 2. Shown as `path:line: what`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    pub path: Option<PathBuf>,
    /// Counted from 1.
    pub line: Option<usize>,
    /// What is wrong, and what was expected or what to do next.
    pub what: String,
}

impl Error {
    pub fn new(what: impl Into<String>) -> Self {
        Error { path: None, line: None, what: what.into() }
    }

    pub fn at(path: &Path, what: impl Into<String>) -> Self {
        Error { path: Some(path.to_path_buf()), line: None, what: what.into() }
    }

    pub fn at_line(path: &Path, line: usize, what: impl Into<String>) -> Self {
        Error { path: Some(path.to_path_buf()), line: Some(line), what: what.into() }
    }

    /// A failed file operation: "failed to read: No such file or directory".
    pub fn io(path: &Path, doing: &str, source: &std::io::Error) -> Self {
        let cause = match source.kind() {
            std::io::ErrorKind::NotFound => "no such file or folder".to_owned(),
            std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
            _ => source.to_string(),
        };
        Error::at(path, format!("failed to {doing}: {cause}"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}", path.display())?;
            if let Some(line) = self.line {
                write!(f, ":{line}")?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.what)
    }
}

impl std::error::Error for Error {}

/// Turns serde's words for a bad value into ours: the key first, unknown names with the nearest known one.
pub fn describe(key_path: &str, message: &str) -> String {
    let message = message.split(" at line ").next().unwrap_or(message);
    let key = if ["", ".", "?"].contains(&key_path) { "" } else { key_path };
    if let Some((unknown, known)) = choice(message, "unknown field `") {
        // The path ends in the unknown key itself; what people look for is the place that holds it.
        let holder = key.strip_suffix(unknown).unwrap_or(key).trim_end_matches('.');
        return format!("{}unknown key `{unknown}`{} (known here: {})", place(holder), hint(unknown, &known), known.join(", "));
    }
    if let Some((unknown, known)) = choice(message, "unknown variant `") {
        return format!("{}{}", place(key), self::unknown(unknown, &known));
    }
    format!(
        "{}{}",
        place(key),
        message
            .replace("missing field", "missing key")
            .replace("duplicate field", "key given twice:")
            .replace("expected u32", "expected a whole number, 0 or more")
    )
}

fn place(key: &str) -> String {
    if key.is_empty() { String::new() } else { format!("{key}: ") }
}

/// "; did you mean `near`?", or nothing.
pub fn hint(word: &str, known: &[&str]) -> String {
    crate::text::anchor::nearest(word, known).map_or(String::new(), |near| format!("; did you mean `{near}`?"))
}

/// "`name` is not known; did you mean `near`? (known: ...)".
pub fn unknown(name: &str, known: &[&str]) -> String {
    format!("`{name}` is not known{} (known: {})", hint(name, known), known.join(", "))
}

/// The unknown name in serde's message, and those it lists as known.
fn choice<'m>(message: &'m str, opening: &str) -> Option<(&'m str, Vec<&'m str>)> {
    let (unknown, expected) = message.strip_prefix(opening)?.split_once('`')?;
    Some((unknown, expected.split('`').skip(1).step_by(2).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_key_names_the_nearest_known_one() {
        for (path, message, want) in [
            (
                "critic.sevrities",
                "unknown field `sevrities`, expected one of `format`, `severities` at line 3 column 4",
                "critic: unknown key `sevrities`; did you mean `severities`? (known here: format, severities)",
            ),
            ("", "unknown field `x`, expected `file`", "unknown key `x` (known here: file)"),
            (
                "match",
                "unknown variant `slots`, expected `key` or `slot`",
                "match: `slots` is not known; did you mean `slot`? (known: key, slot)",
            ),
            ("id", "invalid type: integer `7`, expected a string at line 1 column 5", "id: invalid type: integer `7`, expected a string"),
            ("?", "EOF while parsing an object at line 1 column 9", "EOF while parsing an object"),
        ] {
            assert_eq!(describe(path, message), want);
        }
    }
}
