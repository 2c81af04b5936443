//! Datasets in: a folder with dataset.toml and tickets.jsonl (or tickets.csv), streamed in order, format version 1.

use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::error::Error;
use crate::files;
use crate::jsonl::{self, Line, Lines};
use crate::model::{Check, CheckRule, PlantedDefect, Schema, Source, Ticket};

/// A dataset that has been looked through once: every ticket is readable as far as its id, and no id comes twice.
#[derive(Debug, Clone)]
pub struct Dataset {
    pub about: About,
    tickets_path: PathBuf,
    /// Number of tickets.
    pub count: usize,
    /// blake3 of the tickets file, in hex: two replays of one dataset can be told from two datasets.
    pub digest: String,
}

/// dataset.toml.
#[derive(Debug, Clone, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// Format version: 1.
    pub version: u32,
    pub name: String,
    /// One sentence for people.
    #[serde(default)]
    pub about: String,
    /// Who made the tickets, and how.
    #[serde(default)]
    pub provenance: String,
    #[serde(default)]
    pub licence: String,
}

/// One line of tickets.jsonl.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "One line of tickets.jsonl")]
pub struct TicketLine {
    /// Unique within the dataset, compared byte for byte.
    #[serde(deserialize_with = "id")]
    id: String,
    prompt: String,
    #[serde(default)]
    sources: Vec<SourceLine>,
    #[serde(default)]
    checks: Vec<CheckLine>,
    #[serde(default)]
    defects: Vec<DefectLine>,
    #[serde(default)]
    tags: Vec<String>,
    /// Further values for prompt templates.
    #[serde(default)]
    fields: Map<String, Value>,
}

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct SourceLine {
    id: String,
    #[serde(default)]
    title: String,
    text: String,
}

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct CheckLine {
    id: String,
    rule: RuleName,
    /// A text, a whole number for the limits, or a JSON Schema.
    value: Value,
    /// False: reported, but never an error.
    #[serde(default = "yes")]
    required: bool,
    /// The defect class that this check decides.
    #[serde(default)]
    class: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
enum RuleName {
    Contains,
    Absent,
    Regex,
    Number,
    Money,
    Date,
    MinWords,
    MaxWords,
    MinChars,
    MaxChars,
    JsonSchema,
}

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct DefectLine {
    class: String,
    /// The draft's words in which it stands. Absent for a defect of the whole draft, such as its length.
    #[serde(default)]
    quote: Option<String>,
}

fn yes() -> bool {
    true
}

fn id<'de, D: serde::Deserializer<'de>>(d: D) -> Result<String, D::Error> {
    match Value::deserialize(d)? {
        Value::String(s) if s.is_empty() => Err(serde::de::Error::custom("id must not be empty")),
        Value::String(s) => Ok(s),
        other => Err(serde::de::Error::custom(format!("id must be a string, such as \"{}\"", other.to_string().trim_matches('"')))),
    }
}

/// A ticket as it came from the file, not yet read: reading is the workers' part.
#[derive(Debug, Clone)]
pub enum RawTicket {
    Json(Line),
    Csv { number: usize, columns: csv::StringRecord, record: csv::StringRecord },
}

impl Dataset {
    /// Opens `dir` and looks through its tickets once.
    pub fn open(dir: &Path) -> Result<Dataset, Error> {
        let about_path = dir.join("dataset.toml");
        let text = files::text(&about_path, "read the dataset's description")?;
        let about: About = crate::toml::read(&about_path, &text)?;
        if about.version != 1 {
            return Err(Error::at(&about_path, format!("version {} of the dataset format is not known; expected 1", about.version)));
        }
        let tickets_path = ["tickets.jsonl", "tickets.csv"].map(|n| dir.join(n)).into_iter().find(|p| p.exists());
        let tickets_path = tickets_path.ok_or_else(|| Error::at(dir, "no tickets.jsonl (or tickets.csv) in this dataset folder"))?;
        let (count, digest) = survey(&tickets_path)?;
        Ok(Dataset { about, tickets_path, count, digest })
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        self.tickets_path.parent().unwrap_or(Path::new(""))
    }

    /// The tickets in the order of the file.
    pub fn tickets(&self) -> Result<Tickets<'_>, Error> {
        Tickets::open(&self.tickets_path)
    }

    pub fn read(&self, raw: &RawTicket) -> Result<Ticket, Error> {
        raw.read(&self.tickets_path)
    }
}

/// Where each ticket of a dataset stands, for whoever asks for them in another order. 40 bytes a ticket.
pub struct Lookup<'d> {
    dataset: &'d Dataset,
    /// Offset of the first byte, and number of the line.
    places: HashMap<IdHash, (u64, usize)>,
    tickets: Tickets<'d>,
}

impl Dataset {
    pub fn lookup(&self) -> Result<Lookup<'_>, Error> {
        let mut places = HashMap::with_capacity(self.count);
        let mut tickets = self.tickets()?;
        while let Some(raw) = tickets.next()? {
            let place = match &raw {
                RawTicket::Json(line) => (line.start, line.number),
                RawTicket::Csv { number, record, .. } => (record.position().map_or(0, csv::Position::byte), *number),
            };
            places.insert(IdHash::of(&raw.id(&self.tickets_path)?), place);
        }
        Ok(Lookup { dataset: self, places, tickets: self.tickets()? })
    }
}

impl Lookup<'_> {
    /// The ticket of this id; None where the dataset has none.
    pub fn find(&mut self, id: &str) -> Result<Option<RawTicket>, Error> {
        let Some((start, number)) = self.places.get(&IdHash::of(id)) else { return Ok(None) };
        self.tickets.go_to(&self.dataset.tickets_path, *start, *number)?;
        self.tickets.next()
    }
}

/// Stands for a ticket's id where a million of them are looked up: 128 bits, so that no two ids of one set meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IdHash([u8; 16]);

impl IdHash {
    pub fn of(id: &str) -> IdHash {
        let mut short = [0; 16];
        short.copy_from_slice(&blake3::hash(id.as_bytes()).as_bytes()[..16]);
        IdHash(short)
    }

    pub fn to_hex(self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// From its 32 hex digits.
    pub fn from_hex(text: &str) -> Option<IdHash> {
        if text.len() != 32 || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        u128::from_str_radix(text, 16).ok().map(|number| IdHash(number.to_be_bytes()))
    }
}

fn survey(path: &Path) -> Result<(usize, String), Error> {
    let mut hasher = blake3::Hasher::new();
    // Hashed in large pieces, which is several times as fast as in small ones.
    const HASHED_AT: usize = 1 << 16;
    let mut hashed = Vec::with_capacity(HASHED_AT);
    let mut seen: HashMap<IdHash, usize> = HashMap::new();
    let mut tickets = Tickets::open(path)?;
    while let Some(raw) = tickets.next()? {
        let number = match &raw {
            RawTicket::Json(line) => {
                hashed.extend_from_slice(&line.bytes);
                hashed.push(b'\n');
                line.number
            }
            RawTicket::Csv { number, record, .. } => {
                record.iter().for_each(|cell| {
                    hashed.extend_from_slice(cell.as_bytes());
                    hashed.push(b'\0');
                });
                *number
            }
        };
        if hashed.len() >= HASHED_AT {
            hasher.update(&hashed);
            hashed.clear();
        }
        let id = raw.id(path)?;
        // The hash stands for the id, so that a million ids cost 24 MB and not a gigabyte.
        if let Some(first) = seen.insert(IdHash::of(&id), number) {
            return Err(Error::at_line(path, number, format!("ticket id `{id}` was already given in line {first}; ids must be unique")));
        }
    }
    if seen.is_empty() {
        return Err(Error::at(path, "holds no tickets; expected one JSON object a line"));
    }
    hasher.update(&hashed);
    Ok((seen.len(), hasher.finalize().to_hex()[..32].to_owned()))
}

/// Streams a tickets file.
pub enum Tickets<'p> {
    Json(Lines<'p, BufReader<File>>),
    Csv { path: &'p Path, columns: csv::StringRecord, records: csv::Reader<BufReader<File>> },
}

impl<'p> Tickets<'p> {
    fn open(path: &'p Path) -> Result<Self, Error> {
        let file = files::open(path, "open the tickets")?;
        let input = BufReader::with_capacity(1 << 16, file);
        if path.extension().is_some_and(|e| e == "csv") {
            let mut records = csv::Reader::from_reader(input);
            let columns = records.headers().map_err(|e| csv_error(path, &e))?.clone();
            for needed in ["id", "prompt"] {
                if !columns.iter().any(|c| c == needed) {
                    return Err(Error::at_line(path, 1, format!("no column `{needed}`; expected a header with id and prompt")));
                }
            }
            return Ok(Tickets::Csv { path, columns, records });
        }
        Ok(Tickets::Json(Lines::new(path, input)))
    }

    /// The next ticket, or None at the end. Not an Iterator: an error must end the loop, not be one more item.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<RawTicket>, Error> {
        match self {
            Tickets::Json(lines) => {
                let mut line = Line::empty();
                Ok(lines.next_into(&mut line)?.then_some(RawTicket::Json(line)))
            }
            Tickets::Csv { path, columns, records } => {
                let mut record = csv::StringRecord::new();
                let more = records.read_record(&mut record).map_err(|e| csv_error(path, &e))?;
                let number = record.position().map_or(0, |p| p.line() as usize);
                Ok(more.then(|| RawTicket::Csv { number, columns: columns.clone(), record }))
            }
        }
    }
}

impl Tickets<'_> {
    fn go_to(&mut self, path: &Path, start: u64, number: usize) -> Result<(), Error> {
        match self {
            Tickets::Json(lines) => lines.go_to(start, number),
            Tickets::Csv { records, .. } => {
                let mut place = csv::Position::new();
                place.set_byte(start).set_line(number as u64);
                records.seek(place).map_err(|e| csv_error(path, &e))
            }
        }
    }
}

/// What could not be read as CSV, with its line.
pub(crate) fn csv_error(path: &Path, e: &csv::Error) -> Error {
    let line = e.position().map(|at| at.line() as usize);
    Error { path: Some(path.to_path_buf()), line, what: format!("not readable as CSV: {e}") }
}

impl RawTicket {
    /// The id alone, at less cost than the whole ticket.
    fn id(&self, path: &Path) -> Result<String, Error> {
        #[derive(Deserialize)]
        struct IdOnly {
            #[serde(deserialize_with = "id")]
            id: String,
        }
        match self {
            RawTicket::Json(line) => Ok(jsonl::parse::<IdOnly>(path, line.number, &line.bytes)?.id),
            RawTicket::Csv { .. } => Ok(self.read(path)?.id),
        }
    }

    fn read(&self, path: &Path) -> Result<Ticket, Error> {
        match self {
            RawTicket::Json(line) => ticket(path, line.number, jsonl::parse(path, line.number, &line.bytes)?),
            RawTicket::Csv { number, columns, record } => {
                let mut cells: Map<String, Value> = columns.iter().zip(record).map(|(k, v)| (k.to_owned(), Value::from(v))).collect();
                let mut take = |key: &str| cells.remove(key).and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default();
                let (id, prompt) = (take("id"), take("prompt"));
                if id.is_empty() {
                    return Err(Error::at_line(path, *number, "id must not be empty"));
                }
                Ok(Ticket { id, prompt, sources: vec![], checks: vec![], defects: vec![], tags: vec![], fields: cells })
            }
        }
    }
}

fn ticket(path: &Path, number: usize, line: TicketLine) -> Result<Ticket, Error> {
    let wrong = |what: String| Error::at_line(path, number, what);
    let mut checks = Vec::with_capacity(line.checks.len());
    for (i, check) in line.checks.into_iter().enumerate() {
        let rule = rule(check.rule, &check.value).map_err(|what| wrong(format!("checks[{i}] `{}`: {what}", check.id)))?;
        if checks.iter().any(|c: &Check| c.id == check.id) {
            return Err(wrong(format!("checks[{i}]: id `{}` comes twice in this ticket", check.id)));
        }
        checks.push(Check { id: check.id, rule, required: check.required, class: check.class });
    }
    let mut sources: Vec<Source> = Vec::with_capacity(line.sources.len());
    for (i, s) in line.sources.into_iter().enumerate() {
        if sources.iter().any(|known| known.id == s.id) {
            return Err(wrong(format!("sources[{i}]: id `{}` comes twice in this ticket", s.id)));
        }
        sources.push(Source { id: s.id, title: s.title, text: s.text });
    }
    let mut defects = Vec::with_capacity(line.defects.len());
    for (i, d) in line.defects.into_iter().enumerate() {
        if d.quote.as_ref().is_some_and(|quote| quote.trim().is_empty()) {
            return Err(wrong(format!("defects[{i}].quote: expected the draft's words; leave it out for a defect of the whole draft")));
        }
        defects.push(PlantedDefect { class: d.class, quote: d.quote });
    }
    Ok(Ticket { id: line.id, prompt: line.prompt, sources, checks, defects, tags: line.tags, fields: line.fields })
}

fn rule(name: RuleName, value: &Value) -> Result<CheckRule, String> {
    let text = || value.as_str().map(str::to_owned).ok_or_else(|| format!("value must be a string, not {value}"));
    let limit = || value.as_u64().map(|n| n as usize).ok_or_else(|| format!("value must be a whole number, not {value}"));
    Ok(match name {
        RuleName::Contains => CheckRule::Contains(text()?),
        RuleName::Absent => CheckRule::Absent(text()?),
        RuleName::Regex => CheckRule::Regex(regex(&text()?)?),
        RuleName::Number => CheckRule::Number(text()?),
        RuleName::Money => CheckRule::Money(text()?),
        RuleName::Date => CheckRule::Date(text()?),
        RuleName::MinWords => CheckRule::MinWords(limit()?),
        RuleName::MaxWords => CheckRule::MaxWords(limit()?),
        RuleName::MinChars => CheckRule::MinChars(limit()?),
        RuleName::MaxChars => CheckRule::MaxChars(limit()?),
        RuleName::JsonSchema => CheckRule::JsonSchema(schema(value)?),
    })
}

/// What checks were compiled to, by their text.
type Seen<T> = LazyLock<Mutex<HashMap<String, Arc<T>>>>;

/// Patterns and schemas repeat over tickets (every ticket of a topic asks for the same days), and compiling one costs more than all its uses.
fn compiled<T>(seen: &Seen<T>, text: &str, compile: impl FnOnce() -> Result<T, String>) -> Result<Arc<T>, String> {
    const SEEN_MAX: usize = 4096;
    let lock = || seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(known) = lock().get(text) {
        return Ok(known.clone());
    }
    let made = compile().map(Arc::new)?;
    let mut seen = lock();
    if seen.len() < SEEN_MAX {
        seen.insert(text.to_owned(), made.clone());
    }
    Ok(made)
}

fn regex(pattern: &str) -> Result<Arc<regex::Regex>, String> {
    static SEEN: Seen<regex::Regex> = LazyLock::new(|| Mutex::new(HashMap::new()));
    compiled(&SEEN, pattern, || {
        regex::Regex::new(pattern).map_err(|e| {
            format!("not a regular expression: {}", e.to_string().lines().last().unwrap_or_default().trim_start_matches("error: "))
        })
    })
}

fn schema(value: &Value) -> Result<Arc<Schema>, String> {
    static SEEN: Seen<Schema> = LazyLock::new(|| Mutex::new(HashMap::new()));
    if !value.is_object() && !value.is_boolean() {
        return Err(format!("value must be a JSON Schema (an object, true or false), not {value}"));
    }
    compiled(&SEEN, &value.to_string(), || Schema::compile(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dataset(file: &str, text: &str) -> (tempfile::TempDir, Result<Vec<String>, String>) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("dataset.toml"), "version = 1\nname = \"t\"\n").unwrap();
        std::fs::write(dir.path().join(file), text).unwrap();
        let ids = (|| {
            let set = Dataset::open(dir.path())?;
            let mut tickets = set.tickets()?;
            let mut ids = vec![];
            while let Some(raw) = tickets.next()? {
                ids.push(set.read(&raw)?.id);
            }
            Ok(ids)
        })();
        let ids = ids.map_err(|e: Error| e.to_string().replace(&format!("{}/", dir.path().display()), ""));
        (dir, ids)
    }

    #[test]
    fn ids_are_strings_and_unique() {
        let cases = [
            (
                "tickets.csv",
                "id,prompt\n007,a\n7,b\n7,c\n",
                Err("tickets.csv:4: ticket id `7` was already given in line 3; ids must be unique"),
            ),
            ("tickets.csv", "id,prompt\n007,a\n7,b\n1e3,c\ntrue,d\n1000,e\n", Ok(vec!["007", "7", "1e3", "true", "1000"])),
            ("tickets.jsonl", "", Err("tickets.jsonl: holds no tickets; expected one JSON object a line")),
            (
                "tickets.jsonl",
                "{\"id\":\"A\",\"prompt\":\"x\"}\n{\"id\":\"B\",\"prompt\":\"y\"}\n{\"id\":\"A\",\"prompt\":\"z\"}\n",
                Err("tickets.jsonl:3: ticket id `A` was already given in line 1; ids must be unique"),
            ),
            ("tickets.jsonl", "{\"id\":7,\"prompt\":\"x\"}\n", Err("tickets.jsonl:1: id: id must be a string, such as \"7\" (column 7)")),
            (
                "tickets.jsonl",
                "{\"id\":\"A\",\"promt\":\"x\"}\n",
                Err(
                    "tickets.jsonl:1: unknown key `promt`; did you mean `prompt`? (known here: id, prompt, sources, checks, defects, tags, fields) (column 17)",
                ),
            ),
        ];
        for (file, text, want) in cases {
            let (_dir, got) = dataset(file, text);
            assert_eq!(got, want.map(|v: Vec<&str>| v.into_iter().map(str::to_owned).collect()).map_err(str::to_owned), "{text}");
        }
    }

    #[test]
    fn a_bad_check_names_itself() {
        let (_dir, got) = dataset("tickets.jsonl", r#"{"id":"A","prompt":"x","checks":[{"id":"c1","rule":"regex","value":"(["}]}"#);
        assert!(got.unwrap_err().contains("checks[0] `c1`: not a regular expression"));
    }
}
