//! How a side is named on the command line: a path, and the arm where the path holds several.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// PATH or PATH@ARM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub path: PathBuf,
    pub arm: Option<String>,
}

impl From<OsString> for Place {
    /// What exists as a path is one, whatever characters it holds. Else the longest path that exists before an `@` is meant.
    fn from(given: OsString) -> Place {
        let whole = PathBuf::from(given);
        let whole_place = |path: PathBuf| Place { path, arm: None };
        let Some(text) = whole.to_str().filter(|_| !whole.exists()) else { return whole_place(whole) };
        let cuts = || {
            text.rmatch_indices('@').map(|(at, _)| (&text[..at], &text[at + 1..])).filter(|(path, arm)| !path.is_empty() && !arm.is_empty())
        };
        match cuts().find(|(path, _)| Path::new(path).exists()).or_else(|| cuts().next()) {
            Some((path, arm)) => Place { path: path.into(), arm: Some(arm.to_owned()) },
            None => whole_place(whole),
        }
    }
}

impl From<&str> for Place {
    fn from(given: &str) -> Place {
        Place::from(OsString::from(given))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        self.arm.as_ref().map_or(Ok(()), |arm| write!(f, "@{arm}"))
    }
}

impl Place {
    /// Which of the arms at this place is meant.
    pub fn choose<'a>(&self, arms: &[&'a str]) -> Result<&'a str, Error> {
        let list = || arms.iter().map(|arm| format!("`{arm}`")).collect::<Vec<_>>().join(", ");
        match (&self.arm, arms) {
            (None, [one]) => Ok(one),
            (Some(arm), _) => arms.iter().find(|known| *known == arm).copied().ok_or_else(|| {
                Error::at(
                    &self.path,
                    format!("holds no arm `{arm}`; expected {}", if arms.is_empty() { "another file".to_owned() } else { list() }),
                )
            }),
            (None, []) => Err(Error::at(&self.path, "holds no arm: not a row, and nothing that says what it is of")),
            (None, [first, ..]) => {
                Err(Error::at(&self.path, format!("holds several arms: {}; name one, such as {}@{first}", list(), self.path.display())))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arm_is_named_after_the_path_that_exists() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| format!("{}/{name}", dir.path().display());
        std::fs::write(path("a@b"), "").unwrap();
        std::fs::write(path("plain"), "").unwrap();
        for (given, want) in [
            ("plain", ("plain", None)),
            ("plain@x", ("plain", Some("x"))),
            ("plain@set/x@2", ("plain", Some("set/x@2"))),
            ("a@b", ("a@b", None)),
            ("a@b@c", ("a@b", Some("c"))),
            ("none", ("none", None)),
            ("none@x", ("none", Some("x"))),
            ("none@", ("none@", None)),
        ] {
            let got = Place::from(path(given).as_str());
            assert_eq!((got.path, got.arm.as_deref()), (PathBuf::from(path(want.0)), want.1), "{given}");
        }
    }

    #[test]
    fn one_of_several_arms_must_be_named() {
        let place = |arm: Option<&str>| Place { path: "t.parquet".into(), arm: arm.map(str::to_owned) };
        for (arm, arms, want) in [
            (None, &["a"][..], Ok("a")),
            (Some("b"), &["a", "b"], Ok("b")),
            (None, &["a", "b"], Err("t.parquet: holds several arms: `a`, `b`; name one, such as t.parquet@a")),
            (Some("c"), &["a", "b"], Err("t.parquet: holds no arm `c`; expected `a`, `b`")),
            (None, &[], Err("t.parquet: holds no arm: not a row, and nothing that says what it is of")),
        ] {
            assert_eq!(place(arm).choose(arms).map_err(|e| e.to_string()), want.map_err(str::to_owned));
        }
    }
}
