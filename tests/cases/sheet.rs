//! A case as its file gives it, and the sheet on which its checks are noted: every expectation is compared by value or named as unknown.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

/// One row of cases.jsonl.
pub struct Case {
    pub id: String,
    pub part: String,
    pub expect: Map<String, Value>,
    /// Names of its input files, without the folder.
    pub files: Vec<String>,
    dir: PathBuf,
}

impl Case {
    pub fn read(folder: &Path, row: &Value) -> Case {
        let id = row["id"].as_str().expect("a case has an id").to_owned();
        let names = row["input"]["files"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let files = names.map(|name| name.rsplit('/').next().unwrap_or(name).to_owned()).collect();
        let expect = row["expect"].as_object().cloned().unwrap_or_default();
        Case { part: row["part"].as_str().unwrap_or_default().to_owned(), expect, files, dir: folder.join("inputs").join(&id), id }
    }

    pub fn has(&self, name: &str) -> bool {
        self.files.iter().any(|file| file == name)
    }

    /// True where an expectation's name begins so.
    pub fn expects(&self, start: &str) -> bool {
        self.expect.keys().any(|key| key.starts_with(start))
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.dir.join(name)).unwrap_or_else(|e| panic!("{}/{name}: {e}", self.id))
    }

    /// The text of a file, byte for byte: no line end is touched.
    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap_or_else(|e| panic!("{}/{name}: {e}", self.id))
    }

    pub fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.text(name)).unwrap_or_else(|e| panic!("{}/{name}: {e}", self.id))
    }

    pub fn rows(&self, name: &str) -> Vec<Value> {
        let row = |line: &str| serde_json::from_str(line).unwrap_or_else(|e| panic!("{}/{name}: {e}", self.id));
        self.text(name).lines().filter(|line| !line.trim().is_empty()).map(row).collect()
    }
}

/// An expectation that was not met.
#[derive(Debug, Clone)]
pub struct Difference {
    pub field: String,
    pub want: String,
    pub got: String,
}

/// What was checked of one case.
#[derive(Default)]
pub struct Sheet {
    pub checks: usize,
    pub differs: Vec<Difference>,
    /// Expectations that nothing checks yet, with the reason.
    pub later: Vec<(String, &'static str)>,
    /// Figures worth showing.
    pub measured: Vec<String>,
}

impl Sheet {
    /// Compares by value; a number with decimals is compared to as many decimals as the case gives.
    pub fn eq(&mut self, field: impl Into<String>, want: &Value, got: impl Into<Value>) {
        let got = got.into();
        let equal = same(want, &got);
        self.note(field, equal, want, got);
    }

    /// An expectation in words, and whether what it says holds.
    pub fn holds(&mut self, field: impl Into<String>, want: &Value, holds: bool, seen: impl std::fmt::Display) {
        self.note(field, holds, want, seen);
    }

    pub fn unknown(&mut self, field: impl Into<String>) {
        self.note(field, false, "an expectation that the runner can check", "no check for this key");
    }

    /// Walks an object of expectations; the check says false for a name that it does not know. Notes for people are passed over.
    pub fn each(&mut self, at: &str, want: &Value, mut check: impl FnMut(&mut Sheet, String, &str, &Value) -> bool) {
        let Some(map) = want.as_object() else { return self.unknown(at) };
        for (key, want) in map.iter().filter(|(key, _)| *key != "note") {
            let field = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
            if !check(self, field.clone(), key, want) {
                self.unknown(field);
            }
        }
    }

    fn note(&mut self, field: impl Into<String>, equal: bool, want: impl std::fmt::Display, got: impl std::fmt::Display) {
        self.checks += 1;
        if !equal {
            self.differs.push(Difference { field: field.into(), want: want.to_string(), got: got.to_string() });
        }
    }
}

fn same(want: &Value, got: &Value) -> bool {
    match (want, got) {
        (Value::Number(want), Value::Number(got)) => {
            let decimals = want.to_string().split_once('.').map_or(0, |(_, fraction)| fraction.len());
            let unit = 10f64.powi(-(decimals as i32));
            match (want.as_f64(), got.as_f64()) {
                (Some(want), Some(got)) if decimals > 0 => (want - got).abs() <= unit / 2.0 + 1e-12,
                (Some(want), Some(got)) => want == got,
                _ => false,
            }
        }
        (Value::Array(want), Value::Array(got)) => want.len() == got.len() && want.iter().zip(got).all(|(a, b)| same(a, b)),
        (Value::Object(want), Value::Object(got)) => {
            want.len() == got.len() && want.iter().all(|(key, a)| got.get(key).is_some_and(|b| same(a, b)))
        }
        _ => want == got,
    }
}
