//! Rows back in, from Parquet or CSV, as the measured runs of one ticket after the other.
//!
//! Columns are found by name: one that is missing reads as null, one that is not known is passed over. The rows of a ticket stand together,
//! and so do those of an arm's run, in order of passes: that is how tables are written, and how one can be read without holding it.

use std::cell::Cell as Flag;
use std::collections::HashSet;
use std::io::{BufReader, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};

use polars::prelude::{Column, DataFrame, DataType, FileMetadata, ParallelStrategy, ParquetReader, PolarsResult, SerReader};

use super::{FORMULA, HEADERS, IDENTITY, all_columns, dtype, pages};
use crate::dataset::IdHash;
use crate::error::{Error, describe};
use crate::files;
use crate::jsonl;
use crate::ledger::Header;
use crate::metric::{Cell, Kind, Measured, Row};
use crate::model::{Fault, FaultKind, Stop, Usd};

/// Rows that are turned into cells at a time.
const PIECE_ROWS: usize = 8192;

/// A row group is read whole; more rows than this come from no writer of tables (their defaults are a million at most).
const GROUP_ROWS_MAX: usize = 1 << 22;

/// Figures are kept for every pass, and no loop makes more.
const PASS_MAX: i64 = 1001;

/// A table that was looked at: which columns it has, and which arms.
pub struct Reader {
    path: PathBuf,
    /// Of all columns of a table, those that this one has.
    columns: Vec<Found>,
    form: Form,
    arms: Vec<String>,
    headers: Vec<Header>,
}

/// A column of a table that a file has.
#[derive(Clone, Copy)]
struct Found {
    name: &'static str,
    kind: Kind,
    /// Its place among all columns.
    at: usize,
    /// Its place in the file.
    from: usize,
}

enum Form {
    Parquet(Box<FileMetadata>),
    Csv,
}

/// Takes one ticket's runs, one a sample.
type Sink<'s> = dyn FnMut(Vec<Measured>) -> Result<(), Error> + 's;

impl Reader {
    /// Looks at a table: Parquet by its first bytes, CSV else.
    pub fn open(path: &Path) -> Result<Reader, Error> {
        let mut magic = vec![];
        let failed = |e: &std::io::Error| Error::io(path, "read the table", e);
        files::open(path, "read the table")?.take(4).read_to_end(&mut magic).map_err(|e| failed(&e))?;
        let is_parquet = magic == b"PAR1" || path.extension().is_some_and(|e| e == "parquet");
        let mut reader = if is_parquet { Reader::parquet(path)? } else { Reader::csv(path)? };
        for name in ["ticket", "pass", "stop"] {
            if !reader.columns.iter().any(|column| column.name == name) {
                return Err(Error::at(path, format!("no column `{name}`; expected a table as `redraft replay --out DIR` writes it")));
            }
        }
        reader.arms = reader.list_arms()?;
        let empty = reader.headers.iter().map(|header| &header.arm).filter(|arm| !reader.arms.contains(arm)).cloned();
        reader.arms = reader.arms.iter().cloned().chain(empty).collect();
        Ok(reader)
    }

    fn parquet(path: &Path) -> Result<Reader, Error> {
        let mut file = files::open(path, "read the table")?;
        let (metadata, schema) = guarded(path, || {
            let mut parquet = ParquetReader::new(&mut file);
            let schema = parquet.schema()?;
            let metadata = FileMetadata::clone(parquet.get_metadata()?);
            Ok((
                metadata,
                schema.iter_values().map(|field| (field.name.to_string(), DataType::from_arrow_field(field))).collect::<Vec<_>>(),
            ))
        })?;
        let mut columns = vec![];
        for (at, (name, kind)) in all_columns().enumerate() {
            let Some((from, (_, found))) = schema.iter().enumerate().find(|(_, (known, _))| known == name) else { continue };
            match found {
                // What a writer makes of a column without a value.
                DataType::Null => {}
                found if *found == dtype(kind) => columns.push(Found { name, kind, at, from }),
                found => {
                    let what = format!("column `{name}` is of type {found}; expected {}", dtype(kind));
                    return Err(Error::at(path, what));
                }
            }
        }
        if let Some(rows) = metadata.row_groups.iter().map(|group| group.num_rows()).find(|rows| *rows > GROUP_ROWS_MAX) {
            return Err(Error::at(
                path,
                format!("a row group of {rows} rows; expected at most {GROUP_ROWS_MAX}, write it in smaller ones"),
            ));
        }
        let mut headers = vec![];
        let about = metadata.key_value_metadata.iter().flatten().find(|pair| pair.key == HEADERS).and_then(|pair| pair.value.as_deref());
        for (i, line) in about.unwrap_or_default().lines().enumerate() {
            let header: Header = jsonl::parse(path, i + 1, line.as_bytes())
                .map_err(|e| Error::at(path, format!("metadata `{HEADERS}`, line {}: {}", i + 1, e.what)))?;
            header.known_version().map_err(|what| Error::at(path, format!("metadata `{HEADERS}`, line {}: {what}", i + 1)))?;
            headers.push(header);
        }
        Ok(Reader { path: path.to_path_buf(), columns, form: Form::Parquet(Box::new(metadata)), arms: vec![], headers })
    }

    fn csv(path: &Path) -> Result<Reader, Error> {
        let file = files::open(path, "read the table")?;
        let names = csv::Reader::from_reader(file).headers().map_err(|e| csv_error(path, &e))?.clone();
        let columns = all_columns().enumerate().filter_map(|(at, (name, kind))| {
            let from = names.iter().position(|known| known == name)?;
            Some(Found { name, kind, at, from })
        });
        Ok(Reader { path: path.to_path_buf(), columns: columns.collect(), form: Form::Csv, arms: vec![], headers: vec![] })
    }

    /// Arms in the order of the rows. A table that names none holds one, called as the file is.
    pub fn arms(&self) -> &[String] {
        &self.arms
    }

    /// What made an arm, where the table carries it.
    pub fn header(&self, arm: &str) -> Option<&Header> {
        self.headers.iter().find(|header| header.arm == arm)
    }

    /// Gives the runs of an arm, all samples of a ticket together, in the order of the table.
    pub fn each(&self, arm: &str, sink: &mut Sink<'_>) -> Result<(), Error> {
        let mut gather = Gather { reader: self, arm, ticket: vec![], seen: HashSet::new(), sink };
        self.rows(&self.columns, |place, cells| gather.row(place, cells))?;
        gather.flush()
    }

    fn list_arms(&self) -> Result<Vec<String>, Error> {
        let Some(column) = self.columns.iter().find(|column| column.name == "arm") else {
            let stem = self.path.file_stem().map_or_else(|| "table".into(), |name| name.to_string_lossy().into_owned());
            return Ok(vec![stem]);
        };
        let mut arms: Vec<String> = vec![];
        self.rows(&[*column], |place, cells| {
            let Some(Cell::Text(arm)) = cells.first() else { return Err(self.wrong(place, "arm: expected a name, found nothing")) };
            // An arm's rows stand together, so the last one seen is the one that comes again.
            if arms.last().is_none_or(|last| last != arm) && !arms.iter().any(|known| known == arm) {
                arms.push(arm.to_string());
            }
            Ok(())
        })?;
        Ok(arms)
    }

    /// Every row as cells in the order of all columns, null where the file has none, with its place.
    fn rows(&self, columns: &[Found], mut take: impl FnMut(Place, Vec<Cell>) -> Result<(), Error>) -> Result<(), Error> {
        match &self.form {
            Form::Parquet(metadata) => self.parquet_rows(metadata, columns, &mut take),
            Form::Csv => self.csv_rows(columns, &mut take),
        }
    }

    fn parquet_rows(
        &self,
        metadata: &FileMetadata,
        columns: &[Found],
        take: &mut dyn FnMut(Place, Vec<Cell>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let width = all_columns().count();
        let mut file = files::open(&self.path, "read the table")?;
        let mut pages = BufReader::new(files::open(&self.path, "read the table")?);
        let mut one = FileMetadata { row_groups: vec![], ..metadata.clone() };
        let mut before = 0;
        for group in &metadata.row_groups {
            (one.num_rows, one.row_groups) = (group.num_rows(), vec![group.clone()]);
            for column in columns {
                for chunk in group.columns_under_root_iter(column.name).into_iter().flatten() {
                    let (rows, values) = (group.num_rows(), chunk.num_values());
                    let checked = match usize::try_from(values) {
                        Ok(values) if values == rows => pages::check(&mut pages, chunk.byte_range(), rows),
                        _ => Err(format!("{values} values in {rows} rows")),
                    };
                    checked.map_err(|what| damaged(&self.path, &format!("column `{}`: {what}", column.name)))?;
                }
            }
            let places = columns.iter().map(|column| column.from).collect();
            let frame = guarded(&self.path, || {
                let mut parquet = ParquetReader::new(&mut file).with_projection(Some(places)).read_parallel(ParallelStrategy::None);
                parquet.set_metadata(Arc::new(one.clone()));
                parquet.finish()
            })?;
            let mut from = 0;
            while from < frame.height() {
                let length = PIECE_ROWS.min(frame.height() - from);
                let rows = guarded(&self.path, || cells(&frame, columns, from, length, width))?;
                for (i, cells) in rows.into_iter().enumerate() {
                    take(Place::Row(before + from + i + 1), cells)?;
                }
                from += length;
            }
            before += frame.height();
        }
        Ok(())
    }

    fn csv_rows(&self, columns: &[Found], take: &mut dyn FnMut(Place, Vec<Cell>) -> Result<(), Error>) -> Result<(), Error> {
        let width = all_columns().count();
        let mut records = csv::Reader::from_reader(files::open(&self.path, "read the table")?);
        let mut record = csv::StringRecord::new();
        while records.read_record(&mut record).map_err(|e| csv_error(&self.path, &e))? {
            let place = Place::Line(record.position().map_or(0, |at| at.line() as usize));
            let mut cells = vec![Cell::Null; width];
            for Found { name, kind, at, from } in columns {
                let text = record.get(*from).unwrap_or_default();
                cells[*at] = parse(*kind, text)
                    .ok_or_else(|| self.wrong(place, &format!("column `{name}`: expected {}, found {text:?}", expected(*kind))))?;
            }
            take(place, cells)?;
        }
        Ok(())
    }

    fn wrong(&self, place: Place, what: &str) -> Error {
        match place {
            Place::Line(line) => Error::at_line(&self.path, line, what),
            Place::Row(row) => Error::at(&self.path, format!("row {row}: {what}")),
        }
    }
}

/// Where a row stands, counted from 1.
#[derive(Clone, Copy)]
enum Place {
    Line(usize),
    Row(usize),
}

/// Some rows of a row group, turned from columns into cells.
fn cells(frame: &DataFrame, columns: &[Found], from: usize, length: usize, width: usize) -> PolarsResult<Vec<Vec<Cell>>> {
    let mut rows = vec![vec![Cell::Null; width]; length];
    for (column, values) in columns.iter().zip(frame.columns()) {
        fill(&mut rows, column, &values.slice(from as i64, length))?;
    }
    Ok(rows)
}

fn fill(rows: &mut [Vec<Cell>], column: &Found, values: &Column) -> PolarsResult<()> {
    fn put<T>(rows: &mut [Vec<Cell>], at: usize, values: impl Iterator<Item = Option<T>>, cell: impl Fn(T) -> Cell) {
        for (row, value) in rows.iter_mut().zip(values) {
            if let Some(value) = value {
                row[at] = cell(value);
            }
        }
    }
    let at = column.at;
    match column.kind {
        Kind::Int => put(rows, at, values.i64()?.iter(), Cell::Int),
        Kind::Real => put(rows, at, values.f64()?.iter(), Cell::from),
        Kind::Flag => put(rows, at, values.bool()?.iter(), Cell::Flag),
        Kind::Text => put(rows, at, values.str()?.iter(), |text| Cell::from(text.to_owned())),
        // Amounts were exact decimals of at most twelve places before they became the nearest float.
        Kind::Usd => put(rows, at, values.f64()?.iter(), |dollars| Cell::from(Usd::from_f64(dollars))),
    }
    Ok(())
}

/// A cell as CSV shows it; None where it is of another kind.
fn parse(kind: Kind, text: &str) -> Option<Cell> {
    if text.is_empty() {
        return Some(Cell::Null);
    }
    Some(match kind {
        Kind::Int => Cell::Int(text.parse().ok()?),
        Kind::Real => Cell::from(text.parse::<f64>().ok()?),
        Kind::Flag => Cell::Flag(text.parse().ok()?),
        Kind::Usd => Cell::Usd(Usd::parse(text)?),
        Kind::Text => {
            let kept = text.starts_with('\'') && text.trim_start_matches('\'').starts_with(FORMULA);
            Cell::from(if kept { &text[1..] } else { text }.to_owned())
        }
    })
}

fn expected(kind: Kind) -> &'static str {
    match kind {
        Kind::Int => "a whole number",
        Kind::Real => "a number",
        Kind::Flag => "true or false",
        Kind::Text => "a text",
        Kind::Usd => "an amount in dollars such as 0.0015",
    }
}

/// Rows on their way into the runs of a ticket.
struct Gather<'a, 's> {
    reader: &'a Reader,
    arm: &'a str,
    ticket: Vec<Measured>,
    /// Tickets that were left: by hash, so that a million of them fit.
    seen: HashSet<IdHash>,
    sink: &'a mut Sink<'s>,
}

impl Gather<'_, '_> {
    fn row(&mut self, place: Place, mut cells: Vec<Cell>) -> Result<(), Error> {
        let wrong = |what: String| Err(self.reader.wrong(place, &what));
        let values = cells.split_off(IDENTITY.len());
        let [arm, ticket, sample, pass, stop, fault] = <[Cell; 6]>::try_from(cells).unwrap_or([const { Cell::Null }; 6]);
        if matches!(&arm, Cell::Text(arm) if arm != self.arm) {
            return Ok(());
        }
        let Cell::Text(ticket) = ticket else { return wrong("ticket: expected an id, found nothing".into()) };
        let sample = match sample {
            Cell::Null => 0,
            Cell::Int(n) if u32::try_from(n).is_ok() => n as u32,
            other => return wrong(format!("sample: expected 0 or more, found {}", shown(&other))),
        };
        let pass = match pass {
            Cell::Int(n) if (0..=PASS_MAX).contains(&n) => n as u32,
            other => return wrong(format!("pass: expected a number from 0 to {PASS_MAX}, found {}", shown(&other))),
        };
        let stop: Stop = match named("stop", &stop) {
            Ok(Some(stop)) => stop,
            Ok(None) => return wrong("stop: expected why the run ended, found nothing".into()),
            Err(what) => return wrong(what),
        };
        let fault: Option<FaultKind> = match named("fault", &fault) {
            Ok(fault) => fault,
            Err(what) => return wrong(what),
        };
        let fault = fault.map(|kind| Fault { kind, at: String::new(), what: "a table keeps the kind alone".into() });
        if self.ticket.first().is_some_and(|run| run.ticket != *ticket) {
            self.flush()?;
        }
        if self.ticket.is_empty() && self.seen.contains(&IdHash::of(&ticket)) {
            let what = format!("ticket `{ticket}` comes again after another one; expected the rows of a ticket together");
            return Err(self.reader.wrong(place, &what));
        }
        let row = Row { pass, cells: values };
        match self.ticket.last_mut() {
            Some(run) if run.sample == sample && run.rows.last().is_some_and(|last| last.pass < pass) => {
                if (run.stop, run.fault.as_ref().map(|f| f.kind)) != (stop, fault.map(|f| f.kind)) {
                    return wrong(format!("ticket `{ticket}`: stop and fault differ from those of the run's row before"));
                }
                run.repairs.extend(repairs(&row));
                run.rows.push(row);
            }
            Some(run) if run.sample >= sample => {
                let last = run.rows.last().map_or(0, |row| row.pass);
                let what = format!(
                    "ticket `{ticket}`: sample {sample} pass {pass} after sample {} pass {last}; expected samples and passes in order, each once",
                    run.sample
                );
                return wrong(what);
            }
            _ => {
                let repairs = repairs(&row).collect();
                self.ticket.push(Measured { ticket: ticket.into(), sample, stop, fault, rows: vec![row], repairs, unused: vec![] });
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Error> {
        let Some(run) = self.ticket.first() else { return Ok(()) };
        self.seen.insert(IdHash::of(&run.ticket));
        (self.sink)(std::mem::take(&mut self.ticket))
    }
}

/// The repairs that reading a critique took, as the column of their names lists them.
fn repairs(row: &Row) -> impl Iterator<Item = String> + use<> {
    let names = crate::metric::column_at("repair_names").map(|at| row.cell(at).clone());
    let names = if let Some(Cell::Text(names)) = names { names.into_owned() } else { String::new() };
    names.split("; ").filter(|name| !name.is_empty()).map(str::to_owned).collect::<Vec<_>>().into_iter()
}

/// A word that a type knows; None for null.
fn named<T: serde::de::DeserializeOwned>(column: &str, cell: &Cell) -> Result<Option<T>, String> {
    let Cell::Text(word) = cell else { return Ok(None) };
    let word = serde::de::value::StrDeserializer::<serde::de::value::Error>::new(word);
    T::deserialize(word).map(Some).map_err(|e| describe(column, &e.to_string()))
}

fn shown(cell: &Cell) -> String {
    match cell {
        Cell::Int(n) => n.to_string(),
        Cell::Text(text) => format!("`{text}`"),
        _ => "nothing".to_owned(),
    }
}

fn csv_error(path: &Path, e: &csv::Error) -> Error {
    let line = e.position().map(|at| at.line() as usize);
    Error { path: Some(path.to_path_buf()), line, what: format!("not readable as CSV: {e}") }
}

thread_local! {
    /// True while this thread reads a file whose damage may make the library panic.
    static READING: Flag<bool> = const { Flag::new(false) };
}

/// The library answers some damaged files with a panic. Here it ends as an error, and is not told on standard error as a defect.
fn guarded<T>(path: &Path, read: impl FnOnce() -> PolarsResult<T>) -> Result<T, Error> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !READING.get() {
                before(info);
            }
        }));
    });
    READING.set(true);
    let outcome = catch_unwind(AssertUnwindSafe(read));
    READING.set(false);
    let cause = match outcome {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(e)) => e.to_string(),
        Err(cause) => {
            let text = cause.downcast_ref::<String>().map(String::as_str).or_else(|| cause.downcast_ref::<&str>().copied());
            text.unwrap_or("no reason given").to_owned()
        }
    };
    Err(damaged(path, &cause))
}

fn damaged(path: &Path, cause: &str) -> Error {
    let cause: String = cause.lines().next().unwrap_or_default().chars().take(200).collect();
    Error::at(path, format!("not readable as Parquet ({cause}): the file is damaged or cut; write it again, or use another copy"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_of_csv_is_what_was_written() {
        for (kind, text, want) in [
            (Kind::Int, "", Some(Cell::Null)),
            (Kind::Int, "-3", Some(Cell::Int(-3))),
            (Kind::Int, "1.0", None),
            (Kind::Real, "0.25", Some(Cell::Real(0.25))),
            (Kind::Real, "x", None),
            (Kind::Flag, "false", Some(Cell::Flag(false))),
            (Kind::Flag, "0", None),
            (Kind::Usd, "0.000321", Usd::parse("0.000321").map(Cell::Usd)),
            (Kind::Usd, "-1", None),
            (Kind::Text, "'=1+1", Some(Cell::from("=1+1"))),
            (Kind::Text, "''=1+1", Some(Cell::from("'=1+1"))),
            (Kind::Text, "'tis", Some(Cell::from("'tis"))),
        ] {
            assert_eq!(parse(kind, text), want, "{text}");
        }
    }
}
