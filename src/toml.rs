//! TOML as the files that people write use it: loop.toml and dataset.toml.

use std::path::Path;

use crate::error::{Error, describe};

/// Reads a file's text as `T`; errors carry the line and the nearest known key.
pub fn read<T: serde::de::DeserializeOwned>(path: &Path, text: &str) -> Result<T, Error> {
    let wrong = |key: &str, e: &toml::de::Error| {
        let line = e.span().map(|s| 1 + text.get(..s.start).unwrap_or("").matches('\n').count());
        Error { path: Some(path.to_path_buf()), line, what: describe(key, e.message()) }
    };
    let document = toml::Deserializer::parse(text).map_err(|e| wrong("", &e))?;
    serde_path_to_error::deserialize(document).map_err(|e| wrong(&e.path().to_string(), e.inner()))
}

/// A value as the text of a file.
pub fn write(path: &Path, value: &impl serde::Serialize) -> Result<String, Error> {
    toml::to_string(value).map_err(|e| Error::at(path, format!("failed to write: {e}")))
}
