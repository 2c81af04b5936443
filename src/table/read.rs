//! Rows back in, from Parquet or CSV, as the measured runs of one ticket after the other.
//!
//! Columns are found by name: one that is missing reads as null, one that is not known is passed over. The rows of a ticket stand together,
//! and so do those of an arm's run, in order of passes: that is how tables are written, and how one can be read without holding it.

mod parquet;

use std::collections::HashSet;
use std::io::Read;
use std::path::{Path, PathBuf};

use polars::prelude::FileMetadata;

use super::{FORMULA, IDENTITY, all_columns};
use crate::dataset::{IdHash, csv_error};
use crate::error::{Error, describe};
use crate::files;
use crate::ledger::Header;
use crate::metric::{self, Cell, Kind, Measured, Row};
use crate::model::{Fault, FaultKind, Stop, Usd};

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
                let repairs = repairs(&row);
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
fn repairs(row: &Row) -> Vec<String> {
    match metric::column_at("repair_names").map(|at| row.cell(at)) {
        Some(Cell::Text(names)) => names.split("; ").filter(|name| !name.is_empty()).map(str::to_owned).collect(),
        _ => vec![],
    }
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
