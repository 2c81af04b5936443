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
