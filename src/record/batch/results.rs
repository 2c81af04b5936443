//! What a batch service gave back: result files looked through, each line told from answers by what it says.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::form::Form;
use crate::api::Wire;
use crate::error::Error;
use crate::files;
use crate::jsonl::{self, Line, Lines};

/// What came of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// An answer, and now recorded.
    Answered,
    /// The provider gave an error. The call stays open.
    Failed,
    /// Not executed before the batch's time was over. The call stays open.
    Expired,
    /// The batch was cancelled before. The call stays open.
    Cancelled,
    /// An answer of a form that cannot be read. The call stays open.
    Unreadable,
    /// For a call that was recorded before.
    Recorded,
    /// The same answer again.
    Repeated,
    /// A second, different answer for one call. The first is recorded.
    Conflicting,
    /// For a request that the loop does not make any more, or not yet.
    Stale,
    /// Not of this arm's making.
    Unknown,
    /// The last line of a file that ends within it.
    Cut,
}

impl Kind {
    pub const ALL: [Kind; 11] = [
        Kind::Answered,
        Kind::Failed,
        Kind::Expired,
        Kind::Cancelled,
        Kind::Unreadable,
        Kind::Recorded,
        Kind::Repeated,
        Kind::Conflicting,
        Kind::Stale,
        Kind::Unknown,
        Kind::Cut,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Kind::Answered => "answered",
            Kind::Failed => "failed",
            Kind::Expired => "expired",
            Kind::Cancelled => "cancelled",
            Kind::Unreadable => "unreadable",
            Kind::Recorded => "recorded before",
            Kind::Repeated => "repeated",
            Kind::Conflicting => "conflicting",
            Kind::Stale => "stale",
            Kind::Unknown => "unknown",
            Kind::Cut => "cut",
        }
    }

    /// True where nobody has to look.
    pub const fn is_fine(self) -> bool {
        matches!(self, Kind::Answered | Kind::Recorded | Kind::Repeated)
    }
}

/// The lines of all files, and where the answers are. Bodies stay in their files.
pub struct Results {
    files: Vec<(PathBuf, File)>,
    pub(super) entries: Vec<Entry>,
    by_id: HashMap<String, Vec<usize>>,
}

/// One line.
pub(super) struct Entry {
    file: usize,
    pub line: usize,
    start: u64,
    bytes: usize,
    pub id: String,
    /// `Answered` where it holds an answer.
    pub kind: Kind,
    /// For people; empty for an answer.
    pub what: String,
    /// Tells answers apart.
    pub hash: Option<blake3::Hash>,
}

/// An answer as the line has it.
pub(super) struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

/// Either provider's line. What is not needed here is passed over: it is the provider's form, and may grow.
#[derive(Deserialize)]
struct ResultLine<'a> {
    #[serde(borrow)]
    custom_id: Cow<'a, str>,
    #[serde(borrow)]
    response: Option<Response<'a>>,
    error: Option<Failure>,
    #[serde(borrow)]
    result: Option<Outcome<'a>>,
}

#[derive(Deserialize)]
struct Response<'a> {
    status_code: u16,
    #[serde(borrow)]
    request_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    body: &'a RawValue,
}

#[derive(Deserialize)]
struct Failure {
    code: Option<Value>,
    message: Option<String>,
}

#[derive(Deserialize)]
struct Outcome<'a> {
    #[serde(borrow)]
    r#type: Cow<'a, str>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
    error: Option<Value>,
}

enum Said<'a> {
    Answer(&'a RawValue),
    Not(Kind, String),
}

impl Results {
    /// Looks through the files for results of an arm of this wire form. A line that is no result is an error, for then the file is damaged or another
    /// one; only a last line without its end is passed over, as a download that broke off leaves it.
    pub fn read(paths: &[PathBuf], wire: &dyn Wire) -> Result<Results, Error> {
        let mut all = Results { files: vec![], entries: vec![], by_id: HashMap::new() };
        for (at, path) in paths.iter().enumerate() {
            let file = files::open(path, "read the results")?;
            let mut lines = Lines::new(path, BufReader::with_capacity(1 << 18, &file));
            let mut line = Line::empty();
            while lines.next_into(&mut line)? {
                all.take(at, path, &line, wire)?;
            }
            all.files.push((path.clone(), file));
        }
        Ok(all)
    }

    fn take(&mut self, file: usize, path: &Path, line: &Line, wire: &dyn Wire) -> Result<(), Error> {
        let mut entry = Entry {
            file,
            line: line.number,
            start: line.start,
            bytes: line.bytes.len(),
            id: String::new(),
            kind: Kind::Cut,
            what: "the file ends within this line; fetch it again".to_owned(),
            hash: None,
        };
        let parsed = serde_json::from_slice::<ResultLine<'_>>(&line.bytes).ok().filter(|_| jsonl::is_object(&line.bytes));
        match parsed {
            None if !line.terminated && serde_json::from_slice::<Value>(&line.bytes).is_err() => {}
            None => return Err(jsonl::explain::<ResultLine<'_>>(path, line.number, &line.bytes)),
            Some(parsed) => {
                let said = said(&parsed, wire).map_err(|what| Error::at_line(path, line.number, what))?;
                entry.id = parsed.custom_id.to_string();
                (entry.kind, entry.what) = match said {
                    Said::Not(kind, what) => (kind, what),
                    Said::Answer(body) => match wire.reply(body.get()) {
                        Err(what) => (Kind::Unreadable, what),
                        Ok(_) => {
                            entry.hash = Some(blake3::hash(body.get().as_bytes()));
                            (Kind::Answered, String::new())
                        }
                    },
                };
                self.by_id.entry(entry.id.clone()).or_default().push(self.entries.len());
            }
        }
        self.entries.push(entry);
        Ok(())
    }

    pub(super) fn path(&self, entry: &Entry) -> &Path {
        &self.files[entry.file].0
    }

    pub(super) fn mentions(&self, id: &str) -> bool {
        self.by_id.contains_key(id)
    }

    /// The first answer for an id, in the order of the files and their lines.
    pub(super) fn answer(&self, id: &str) -> Result<Option<(usize, Answer)>, Error> {
        let places = self.by_id.get(id).map_or(&[][..], Vec::as_slice);
        let Some(at) = places.iter().copied().find(|at| self.entries[*at].kind == Kind::Answered) else { return Ok(None) };
        let entry = &self.entries[at];
        let (path, file) = &self.files[entry.file];
        let mut bytes = vec![0; entry.bytes];
        files::read_at(file, &mut bytes, entry.start).map_err(|e| Error::io(path, "read", &e))?;
        // The file may have been changed since it was looked through.
        let changed = || Error::at_line(path, entry.line, "is not what it was a moment ago; was the file changed?");
        let parsed: ResultLine<'_> = serde_json::from_slice(&bytes).map_err(|_| changed())?;
        let (status, request_id, body) = match (&parsed.response, &parsed.result) {
            (Some(response), _) => (response.status_code, response.request_id.as_deref(), response.body),
            (None, Some(Outcome { message: Some(message), .. })) => (200, None, *message),
            _ => return Err(changed()),
        };
        if Some(blake3::hash(body.get().as_bytes())) != entry.hash {
            return Err(changed());
        }
        let headers = request_id.map(|id| ("x-request-id".to_owned(), id.to_owned()));
        Ok(Some((at, Answer { status, headers: headers.into_iter().collect(), body: body.get().to_owned() })))
    }
}

/// What a line says, in the form of the arm's provider.
fn said<'l>(line: &'l ResultLine<'_>, wire: &dyn Wire) -> Result<Said<'l>, String> {
    let form = Form::of(wire.name());
    match (&line.result, form) {
        (Some(outcome), Some(Form::Anthropic)) => Ok(of_anthropic(outcome)),
        (None, Some(Form::OpenAi)) => of_openai(line),
        (Some(_), _) => Err(format!("`result` is of Anthropic's batches; this arm asks {}", wire.name())),
        (None, _) if line.response.is_some() || line.error.is_some() => {
            Err(format!("`response` and `error` are of OpenAI's batches; this arm asks {}", wire.name()))
        }
        (None, _) => Err("expected a batch result with `result`".to_owned()),
    }
}

fn of_openai<'l>(line: &'l ResultLine<'_>) -> Result<Said<'l>, String> {
    if let Some(failure) = &line.error {
        let code = failure.code.as_ref().map(|code| code.as_str().map_or_else(|| code.to_string(), str::to_owned)).unwrap_or_default();
        let kind = match code.as_str() {
            "batch_expired" => Kind::Expired,
            "batch_cancelled" | "batch_canceled" => Kind::Cancelled,
            _ => Kind::Failed,
        };
        return Ok(Said::Not(kind, joined(&code, failure.message.as_deref())));
    }
    let Some(response) = &line.response else {
        return Err("expected a batch result with `response` or `error`".to_owned());
    };
    if (200..300).contains(&response.status_code) {
        return Ok(Said::Answer(response.body));
    }
    let body: Value = serde_json::from_str(response.body.get()).unwrap_or_default();
    Ok(Said::Not(Kind::Failed, joined(&format!("status {}", response.status_code), message(&body))))
}

fn of_anthropic<'l>(outcome: &'l Outcome<'_>) -> Said<'l> {
    let error = outcome.error.clone().unwrap_or_default();
    match (outcome.r#type.as_ref(), outcome.message) {
        ("succeeded", Some(body)) => Said::Answer(body),
        ("expired", _) => Said::Not(Kind::Expired, String::new()),
        ("canceled" | "cancelled", _) => Said::Not(Kind::Cancelled, String::new()),
        ("errored", _) => {
            let kind = error.pointer("/error/type").or_else(|| error.get("type")).and_then(Value::as_str).unwrap_or("errored");
            Said::Not(Kind::Failed, joined(kind, message(&error)))
        }
        (other, _) => Said::Not(Kind::Failed, format!("result of type `{other}` without a message")),
    }
}

fn message(error: &Value) -> Option<&str> {
    error.pointer("/error/message").or_else(|| error.get("message")).and_then(Value::as_str)
}

fn joined(code: &str, message: Option<&str>) -> String {
    const CHARS_MAX: usize = 300;
    let text = [code].into_iter().chain(message).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ");
    text.chars().take(CHARS_MAX).collect()
}
