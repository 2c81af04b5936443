//! Files looked through for secrets: each as file, line, and JSON pointer where the file is JSON.

use std::collections::BTreeSet;
use std::io::{BufRead, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::json::strings;
use super::shape::{Hit, Kind, header_value, hits};
use crate::error::Error;
use crate::files;
use crate::jsonl::LINE_BYTES_MAX;

/// One secret in a file; never its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub path: PathBuf,
    /// Counted from 1.
    pub line: usize,
    /// None where the line (or the file) is not JSON.
    pub pointer: Option<String>,
    pub kind: Kind,
}

/// What was looked through, and what was not: a file that was not read is no clean file.
#[derive(Debug, Default)]
pub struct Scan {
    pub files: usize,
    pub found: Vec<Found>,
    /// With the reason.
    pub not_read: Vec<(PathBuf, &'static str)>,
}

/// Looks through files, and through folders with all that is in them, in the order of their names.
pub fn scan(paths: &[PathBuf]) -> Result<Scan, Error> {
    let mut scan = Scan::default();
    for path in listed(paths, &mut scan.not_read)? {
        if is_binary(&path)? {
            scan.not_read.push((path, "not a text"));
            continue;
        }
        scan.files += 1;
        pieces(&path, &mut |first_line, text| {
            for secret in of_piece(&path, text) {
                let line = first_line + text.as_bytes()[..secret.start].iter().filter(|b| **b == b'\n').count();
                scan.found.push(Found { path: path.clone(), line, pointer: secret.pointer, kind: secret.kind });
            }
            Ok(())
        })?;
    }
    Ok(scan)
}

/// Every regular file of the paths, each once.
pub(super) fn listed(paths: &[PathBuf], not_read: &mut Vec<(PathBuf, &'static str)>) -> Result<BTreeSet<PathBuf>, Error> {
    let mut out = BTreeSet::new();
    for path in paths {
        let about = std::fs::metadata(path).map_err(|e| Error::io(path, "look for secrets", &e))?;
        if about.is_dir() {
            walk(path, &mut out, not_read)?;
        } else {
            out.insert(path.clone());
        }
    }
    Ok(out)
}

fn walk(dir: &Path, out: &mut BTreeSet<PathBuf>, not_read: &mut Vec<(PathBuf, &'static str)>) -> Result<(), Error> {
    let failed = |e| Error::io(dir, "list", &e);
    let mut entries = std::fs::read_dir(dir).map_err(failed)?.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let kind = entry.file_type().map_err(failed)?;
        if entry.file_name().to_string_lossy().starts_with('.') {
            not_read.push((entry.path(), "hidden"));
        } else if kind.is_dir() {
            walk(&entry.path(), out, not_read)?;
        } else if kind.is_file() {
            out.insert(entry.path());
        } else {
            not_read.push((entry.path(), "not a regular file"));
        }
    }
    Ok(())
}

pub(super) fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "zst")
}

/// A NUL among the first bytes: a picture, a table, an archive.
pub(super) fn is_binary(path: &Path) -> Result<bool, Error> {
    const LOOKED_AT: u64 = 1 << 13;
    let mut head = vec![];
    files::stream(path, "look for secrets")?.take(LOOKED_AT).read_to_end(&mut head).map_err(|e| Error::io(path, "look for secrets", &e))?;
    Ok(head.contains(&0))
}

/// The file in pieces that are read at once, each with the number of its first line: a line, or all of a JSON document. Line ends stay.
pub(super) fn pieces(path: &Path, see: &mut dyn FnMut(usize, &str) -> Result<(), Error>) -> Result<(), Error> {
    let failed = |e| Error::io(path, "look for secrets", &e);
    let mut input = files::stream(path, "look for secrets")?;
    let is_document = path.file_name().is_some_and(|name| {
        let name = name.to_string_lossy();
        let name = name.trim_end_matches(".zst");
        name.ends_with(".json") || name.ends_with(".sarif")
    });
    let mut bytes = vec![];
    let mut line = 1;
    loop {
        bytes.clear();
        let mut limited = input.by_ref().take(LINE_BYTES_MAX as u64);
        let read = if is_document { limited.read_to_end(&mut bytes) } else { limited.read_until(b'\n', &mut bytes) }.map_err(failed)?;
        if read == LINE_BYTES_MAX {
            return Err(Error::at_line(
                path,
                line,
                format!("a line or document of {LINE_BYTES_MAX} bytes or more; nothing so long is looked through"),
            ));
        }
        if read == 0 {
            return Ok(());
        }
        see(line, &String::from_utf8_lossy(&bytes))?;
        line += bytes.iter().filter(|b| **b == b'\n').count();
    }
}

/// A secret of a piece, in bytes of it.
pub(super) struct Secret {
    pub kind: Kind,
    pub start: usize,
    /// The JSON string that holds it, with its marks; None in plain text.
    pub string: Option<Range<usize>>,
    /// In the string as decoded, or in the piece.
    pub range: Range<usize>,
    pub pointer: Option<String>,
    pub value: String,
}

/// The secrets of a piece, in order. JSON is read as such; all else as plain text.
pub(super) fn of_piece(path: &Path, text: &str) -> Vec<Secret> {
    let mut out = vec![];
    let json = text.trim_start_matches('\u{feff}');
    let shift = text.len() - json.len();
    let may_be_json = json.trim_start().starts_with(['{', '[', '"']);
    let is_json = may_be_json
        && strings(json, |string| {
            let named = string.name.and_then(|name| header_value(name, &string.value));
            for hit in named.map_or_else(|| hits(&string.value), |hit| vec![hit]) {
                let raw = string.raw.start + shift..string.raw.end + shift;
                let pointer = string.pointer.written(masked);
                out.push(Secret {
                    kind: hit.kind,
                    start: raw.start,
                    string: Some(raw),
                    value: string.value[hit.range.clone()].to_owned(),
                    range: hit.range,
                    pointer: Some(pointer),
                });
            }
        });
    // A whole document that is not JSON may still hold secrets, on many lines.
    if !is_json {
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            for hit in of_line(path, line) {
                let range = hit.range.start + start..hit.range.end + start;
                let value = text[range.clone()].to_owned();
                out.push(Secret { kind: hit.kind, start: range.start, string: None, range, pointer: None, value });
            }
            start += line.len();
        }
    }
    out
}

/// A line of plain text; in files of settings a line may be a header.
fn of_line(path: &Path, line: &str) -> Vec<Hit> {
    let is_settings = path.extension().is_some_and(|e| ["yaml", "yml", "toml", "ini", "cfg", "env"].iter().any(|known| e == *known));
    let header = is_settings.then(|| line.split_once([':', '='])).flatten().and_then(|(name, value)| {
        let name = name.trim_matches([' ', '\t', '-', '"', '\'']);
        let hit = header_value(name, value.trim_matches([' ', '\t', '"', '\'', '\r', '\n', ',']))?;
        let skipped = line.len() - value.len() + value.find(|c| ![' ', '\t', '"', '\''].contains(&c))?;
        Some(Hit { kind: hit.kind, range: hit.range.start + skipped..hit.range.end + skipped })
    });
    header.map_or_else(|| hits(line), |hit| vec![hit])
}

/// A name of an object may be a secret itself.
fn masked(name: &str) -> String {
    let mut out = name.to_owned();
    for hit in hits(name).into_iter().rev() {
        out.replace_range(hit.range, &format!("[{}]", hit.kind.name()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_and_values_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &[u8]| std::fs::write(dir.path().join(name), text).unwrap();
        let key = "sk-test-000000000000000000000000";
        write("a.jsonl", format!("\u{feff}{{\"x\":\"{key}\"}}\n\n{{\"{key}\":\"{key}\"}}\n{{\"torn\":\"{key}").as_bytes());
        write("b.json", b"{\n  \"headers\": {\n    \"Cookie\": [\"session=abcdef\"]\n  },\n  \"to\": \"rosa@shop.com\"\n}\n");
        write("c.yaml", b"authorization:\n- Bearer abcdefghijkl0123\nx-api-key: 'abcdefghij'\n");
        write("d.parquet", b"PAR1\0\0sk-test-000000000000000000000000");
        std::fs::create_dir(dir.path().join(".git")).unwrap();
        let scan = scan(&[dir.path().to_path_buf()]).unwrap();
        let found: Vec<_> =
            scan.found.iter().map(|f| (f.path.file_name().unwrap().to_str().unwrap(), f.line, f.pointer.as_deref(), f.kind)).collect();
        use Kind::*;
        assert_eq!(
            found,
            [
                ("a.jsonl", 1, Some("/x"), ApiKey),
                ("a.jsonl", 3, Some(""), ApiKey),
                ("a.jsonl", 3, Some("/[api_key]"), ApiKey),
                ("a.jsonl", 4, None, ApiKey),
                ("b.json", 3, Some("/headers/Cookie/0"), AuthHeader),
                ("b.json", 5, Some("/to"), Email),
                ("c.yaml", 2, None, AuthHeader),
                ("c.yaml", 3, None, AuthHeader),
            ]
        );
        assert!(!format!("{scan:?}").contains("000000"));
        assert_eq!(scan.files, 3);
        let not_read: Vec<_> = scan.not_read.iter().map(|(path, why)| (path.file_name().unwrap().to_str().unwrap(), *why)).collect();
        assert_eq!(not_read, [(".git", "hidden"), ("d.parquet", "not a text")]);
    }
}
