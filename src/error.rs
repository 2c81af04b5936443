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

/// Turns serde's words for a bad value into ours: unknown keys get the nearest known one.
pub fn describe(key_path: &str, message: &str) -> String {
    let message = message.split(" at line ").next().unwrap_or(message);
    let place = if key_path.is_empty() || key_path == "." { String::new() } else { format!("{key_path}: ") };
    let Some(rest) = message.strip_prefix("unknown field `") else {
        return format!("{place}{}", message.replace("missing field", "missing key").replace("duplicate field", "key given twice:"));
    };
    let (unknown, expected) = rest.split_once('`').unwrap_or((rest, ""));
    let known: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
    let place = place.strip_suffix(&format!("{unknown}: ")).map_or(place.clone(), str::to_owned);
    let place = place.trim_end_matches(['.', ' ']);
    let place = if place.is_empty() { String::new() } else { format!("{}: ", place.trim_end_matches(':')) };
    let hint = crate::text::anchor::nearest(unknown, &known).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    format!("{place}unknown key `{unknown}`{hint} (known here: {})", known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_key_names_the_nearest_known_one() {
        let text = describe("critic.sevrities", "unknown field `sevrities`, expected one of `format`, `severities` at line 3 column 4");
        assert_eq!(text, "critic: unknown key `sevrities`; did you mean `severities`? (known here: format, severities)");
        assert_eq!(
            describe("id", "invalid type: integer `7`, expected a string at line 1 column 5"),
            "id: invalid type: integer `7`, expected a string"
        );
    }
}
