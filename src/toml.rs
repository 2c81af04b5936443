//! TOML as the files that people write use it: loop.toml and dataset.toml.

use std::path::Path;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, Deserializer};

use crate::error::{Error, describe};

/// Reads a file's text as `T`; errors carry the line and the nearest known key.
pub fn read<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T, Error> {
    of(path, text, parse(path, text)?)
}

/// The same as two types, for one parsing.
pub fn read_both<T: DeserializeOwned, U: DeserializeOwned>(path: &Path, text: &str) -> Result<(T, U), Error> {
    let document = parse(path, text)?;
    Ok((of(path, text, document.clone())?, of(path, text, document)?))
}

fn parse<'t>(path: &Path, text: &'t str) -> Result<Spanned<DeTable<'t>>, Error> {
    DeTable::parse(text).map_err(|e| wrong(path, text, "", &e))
}

fn of<T: DeserializeOwned>(path: &Path, text: &str, document: Spanned<DeTable<'_>>) -> Result<T, Error> {
    serde_path_to_error::deserialize(Deserializer::from(document)).map_err(|e| wrong(path, text, &e.path().to_string(), e.inner()))
}

fn wrong(path: &Path, text: &str, key: &str, e: &toml::de::Error) -> Error {
    let line = e.span().map(|s| 1 + text.get(..s.start).unwrap_or("").matches('\n').count());
    Error { path: Some(path.to_path_buf()), line, what: describe(key, e.message()) }
}

/// A value as the text of a file.
pub fn write(path: &Path, value: &impl serde::Serialize) -> Result<String, Error> {
    toml::to_string(value).map_err(|e| Error::at(path, format!("failed to write: {e}")))
}

/// A text as TOML writes it, on one line.
pub fn quoted(text: &str) -> String {
    // JSON escapes what TOML does, but for one character.
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

/// Puts TOML in the place of a value, all else as it was: comments, order, spaces. A key of the top level that is not there comes after the line of
/// `after`. None where the value has no place of its own in the text (a table with a header).
pub fn spliced(path: &Path, text: &str, keys: &[&str], toml: &str, after: &str) -> Result<Option<String>, Error> {
    let document = parse(path, text)?;
    let span = span_of(document.get_ref(), keys);
    let (start, end, put) = match (span, keys) {
        (Some(span), _) => (span.start, span.end, toml.to_owned()),
        (None, [key]) => {
            let Some(above) = span_of(document.get_ref(), &[after]) else { return Ok(None) };
            let at = text[above.end..].find('\n').map_or(text.len(), |end| above.end + end);
            (at, at, format!("\n{key} = {toml}"))
        }
        _ => return Ok(None),
    };
    Ok(text.is_char_boundary(start).then(|| format!("{}{put}{}", &text[..start], &text[end..])))
}

fn span_of(table: &DeTable<'_>, keys: &[&str]) -> Option<std::ops::Range<usize>> {
    let (first, rest) = keys.split_first()?;
    let value = table.iter().find(|(key, _)| key.get_ref() == first).map(|(_, value)| value)?;
    match (rest, value.get_ref()) {
        ([], _) => Some(value.span()),
        (rest, toml::de::DeValue::Table(inner)) => span_of(inner, rest),
        _ => None,
    }
}
