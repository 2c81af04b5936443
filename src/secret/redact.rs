//! Secrets taken out of files: each value becomes the same mark wherever it stands, and keys of requests are made anew.

use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::file::{Secret, is_binary, is_packed, listed, of_piece, pieces};
use super::json::strings;
use super::shape::Kind;
use crate::api::key;
use crate::arm::{Arm, CALLS};
use crate::error::Error;
use crate::tape::CallLine;

/// What is taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Credentials.
    Secrets,
    /// E-mail addresses and card numbers too.
    All,
}

/// What was done.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Redacted {
    /// Rewritten files, with the number of places each.
    pub files: BTreeMap<PathBuf, usize>,
    /// Different values.
    pub values: usize,
    /// Calls whose request held one, and so have another key now: ticket and file line.
    pub keys: Vec<(PathBuf, usize, String)>,
}

/// Rewrites the files that hold secrets, all of them or none: whatever is wrong is found before the first file is replaced. One value has one
/// mark in all files, so an arm and its tickets that are redacted together still agree.
pub fn redact(paths: &[PathBuf], scope: Scope) -> Result<Redacted, Error> {
    let mut marks = Marks { scope, known: HashMap::new(), counts: [0; Kind::ALL.len()] };
    let mut done = Redacted::default();
    let mut ready = vec![];
    for path in listed(paths, &mut vec![])? {
        if is_binary(&path)? {
            continue;
        }
        let places = count(&path, scope)?;
        if places == 0 {
            continue;
        }
        refuse_what_cannot_be_rewritten(&path)?;
        let (file, keys) = rewritten(&path, &mut marks)?;
        done.keys.extend(keys.into_iter().map(|(line, ticket)| (path.clone(), line, ticket)));
        done.files.insert(path.clone(), places);
        ready.push((path, file));
    }
    for (path, file) in ready {
        file.persist(&path).map_err(|e| Error::io(&path, "replace it by its redacted form", &e.error))?;
    }
    done.values = marks.known.len();
    Ok(done)
}

fn count(path: &Path, scope: Scope) -> Result<usize, Error> {
    let mut places = 0;
    pieces(path, &mut |_, text| {
        places += of_piece(path, text).iter().filter(|secret| scope.takes(secret.kind)).count();
        Ok(())
    })?;
    Ok(places)
}

fn refuse_what_cannot_be_rewritten(path: &Path) -> Result<(), Error> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if name.starts_with("ledger.jsonl") {
        return Err(Error::at(path, "a ledger's spans depend on its texts; redact the arm and its tickets, and make the report anew"));
    }
    if is_packed(path) {
        return Err(Error::at(path, "a packed file is not rewritten; unpack it, redact it, and pack it again"));
    }
    Ok(())
}

impl Scope {
    fn takes(self, kind: Kind) -> bool {
        self == Scope::All || !kind.is_warning()
    }
}

/// Which mark stands for which value.
struct Marks {
    scope: Scope,
    known: HashMap<(Kind, String), String>,
    counts: [usize; Kind::ALL.len()],
}

impl Marks {
    fn of(&mut self, secret: &Secret) -> String {
        let counts = &mut self.counts;
        let mark = self.known.entry((secret.kind, secret.value.clone())).or_insert_with(|| {
            counts[secret.kind as usize] += 1;
            format!("[redacted-{}-{}]", secret.kind.name(), counts[secret.kind as usize])
        });
        mark.clone()
    }
}

type Made = (tempfile::NamedTempFile, Vec<(usize, String)>);

fn rewritten(path: &Path, marks: &mut Marks) -> Result<Made, Error> {
    let failed = |e| Error::io(path, "write its redacted form beside it", &e);
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let holds_calls = path.file_name().is_some_and(|name| name == CALLS);
    // Keys leave out what the spec says.
    let ignore = if holds_calls { Arm::open(dir)?.spec.ignore } else { vec![] };
    let file = tempfile::NamedTempFile::new_in(dir).map_err(failed)?;
    let mut out = std::io::BufWriter::new(file);
    let mut keys = vec![];
    pieces(path, &mut |line, text| {
        if text.contains('\u{fffd}') {
            return Err(Error::at_line(path, line, "not valid UTF-8, so it cannot be rewritten; nothing was changed"));
        }
        let mut new = without(text, &of_piece(path, text), marks);
        if holds_calls
            && new != text
            && let Some((ticket, with_key)) = with_its_key(&new, &ignore)
        {
            if with_key != new {
                keys.push((line, ticket));
            }
            new = with_key;
        }
        out.write_all(new.as_bytes()).map_err(failed)
    })?;
    let file = out.into_inner().map_err(|e| failed(e.into_error()))?;
    file.as_file().sync_all().map_err(failed)?;
    let permissions = std::fs::metadata(path).map_err(failed)?.permissions();
    file.as_file().set_permissions(permissions).map_err(failed)?;
    Ok((file, keys))
}

/// The text with its secrets replaced, all else byte for byte.
fn without(text: &str, secrets: &[Secret], marks: &mut Marks) -> String {
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    let taken: Vec<&Secret> = secrets.iter().filter(|secret| marks.scope.takes(secret.kind)).collect();
    for of_one in taken.chunk_by(|a, b| a.string.is_some() && a.string == b.string) {
        let whole = of_one[0].string.clone().unwrap_or(of_one[0].range.clone());
        out.push_str(&text[copied..whole.start]);
        copied = whole.end;
        if of_one[0].string.is_none() {
            out.push_str(&marks.of(of_one[0]));
            continue;
        }
        let mut value: String = serde_json::from_str(&text[whole]).unwrap_or_default();
        // Named in the order of the text, replaced from its end, so that no range moves.
        let named: Vec<String> = of_one.iter().map(|secret| marks.of(secret)).collect();
        for (secret, mark) in of_one.iter().zip(named).rev() {
            value.replace_range(secret.range.clone(), &mark);
        }
        out.push_str(&Value::from(value).to_string());
    }
    out + &text[copied..]
}

/// A call with the key of its request, and its ticket; None where it is no call with both.
fn with_its_key(line: &str, ignore: &[String]) -> Option<(String, String)> {
    let call: CallLine<'_> = serde_json::from_str(line).ok()?;
    let request = call.request.as_ref()?;
    let old = call.key.as_deref()?;
    let new = key::key(&request.provider, &request.endpoint, &serde_json::from_str(request.body.get()).ok()?, ignore);
    let mut place = None;
    strings(line, |string| {
        if string.name == Some("key") && string.value == old && string.pointer.written(str::to_owned) == "/key" {
            place = Some(string.raw);
        }
    });
    let place = place?;
    Some((call.slot.ticket.to_string(), format!("{}\"{new}\"{}", &line[..place.start], &line[place.end..])))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "sk-test-000000000000000000000000";

    #[test]
    fn one_value_has_one_mark_and_the_rest_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        let line = format!(
            "{{ \"a\" : \"x {KEY} y \\u00e9 {KEY}\", \"n\": 1.50, \"b\": [\"sk-Other-0000000000000000\", \"rosa@shop.com\"] }}\r\n"
        );
        std::fs::write(path("t.jsonl"), format!("{line}\n{{\"fine\": \"\\u00e9\"}}\n")).unwrap();
        std::fs::write(path("u.txt"), format!("key {KEY}\nrosa@shop.com")).unwrap();
        std::fs::write(path("fine.txt"), "nothing\n").unwrap();
        let done = redact(&[dir.path().to_path_buf()], Scope::Secrets).unwrap();
        assert_eq!(
            std::fs::read_to_string(path("t.jsonl")).unwrap(),
            "{ \"a\" : \"x [redacted-api_key-1] y é [redacted-api_key-1]\", \"n\": 1.50, \"b\": [\"[redacted-api_key-2]\", \"rosa@shop.com\"] }\r\n\n{\"fine\": \"\\u00e9\"}\n"
        );
        assert_eq!(std::fs::read_to_string(path("u.txt")).unwrap(), "key [redacted-api_key-1]\nrosa@shop.com");
        assert_eq!(done.files.into_values().collect::<Vec<_>>(), [3, 1]);
        assert_eq!((done.values, done.keys), (2, vec![]));
        let again = redact(&[dir.path().to_path_buf()], Scope::All).unwrap();
        assert_eq!((again.files.len(), again.values), (2, 1));
        assert_eq!(redact(&[dir.path().to_path_buf()], Scope::All).unwrap(), Redacted::default());
    }

    #[test]
    fn what_depends_on_its_texts_is_refused_and_nothing_is_changed() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        std::fs::write(path("a.txt"), KEY).unwrap();
        std::fs::write(path("ledger.jsonl"), format!("{{\"x\":\"{KEY}\"}}\n")).unwrap();
        let error = redact(&[dir.path().to_path_buf()], Scope::Secrets).unwrap_err().to_string();
        assert!(error.contains("make the report anew"), "{error}");
        assert_eq!(std::fs::read_to_string(path("a.txt")).unwrap(), KEY);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2);
    }
}
