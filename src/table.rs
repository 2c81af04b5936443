//! The table: one row a pass of a run, as Parquet and, for those who want it, CSV. The only file that knows polars.
//!
//! Rows come in the order of the dataset and leave in groups of a fixed size, so that the same rows give the same bytes however they were
//! handed over, and no more than one group is in memory.

use std::borrow::Cow;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use polars::prelude::{
    BatchedWriter, BooleanChunkedBuilder, ChunkedBuilder, DataFrame, DataType, Field, Float64Type, Int64Type, IntoSeries,
    ParquetCompression, ParquetWriter, PrimitiveChunkedBuilder, Schema, StringChunkedBuilder,
};

use crate::error::Error;
use crate::metric::{self, Cell, Kind, Measured};

/// What every row says of itself, before the columns of the metrics.
///
/// `stop` and `fault` are the run's, on each of its rows: a faulted run has rows for the passes it completed, or one for pass 0 with nothing in it.
pub const IDENTITY: [(&str, Kind, &str); 6] = [
    ("arm", Kind::Text, "the arm's name"),
    ("ticket", Kind::Text, "the ticket's id"),
    ("sample", Kind::Int, "which of the arm's runs of the ticket, from 0"),
    ("pass", Kind::Int, "0 is the writer's; pass k is critique k and the revision it caused"),
    ("stop", Kind::Text, "why the run ended"),
    ("fault", Kind::Text, "what kept the run from being replayed; null where nothing did"),
];

/// Rows of a Parquet row group. Part of the format: another number gives other bytes.
const GROUP_ROWS: usize = 8192;

/// Writes a table row by row. Money is a float in Parquet (the nearest to the exact amount) and an exact decimal in CSV.
pub struct TableWriter {
    parquet: Sink<BatchedWriter<BufWriter<File>>>,
    csv: Option<Sink<csv::Writer<BufWriter<File>>>>,
    columns: Vec<Builder>,
    rows: usize,
}

struct Sink<W> {
    path: PathBuf,
    out: W,
}

impl<W> Sink<W> {
    fn failed(&self, cause: &dyn std::fmt::Display) -> Error {
        Error::at(&self.path, format!("failed to write the table: {cause}"))
    }
}

impl TableWriter {
    /// Creates the files, the CSV with its header.
    pub fn create(parquet: &Path, csv: Option<&Path>) -> Result<TableWriter, Error> {
        let create = |path: &Path| File::create(path).map(BufWriter::new).map_err(|e| Error::io(path, "create the table", &e));
        let writer = ParquetWriter::new(create(parquet)?).with_compression(ParquetCompression::Uncompressed).set_parallel(false);
        let out = writer.batched(&schema()).map_err(|e| Error::at(parquet, format!("failed to start the table: {e}")))?;
        let csv =
            csv.map(|path| Ok::<_, Error>(Sink { path: path.to_path_buf(), out: csv::Writer::from_writer(create(path)?) })).transpose()?;
        let mut table = TableWriter { parquet: Sink { path: parquet.to_path_buf(), out }, csv, columns: builders(), rows: 0 };
        if let Some(csv) = &mut table.csv {
            let written = csv.out.write_record(all_columns().map(|(name, _)| name));
            written.map_err(|e| csv.failed(&e))?;
        }
        Ok(table)
    }

    /// Appends every row of a run.
    pub fn push(&mut self, arm: &str, run: &Measured) -> Result<(), Error> {
        let fault = run.fault.as_ref().map(|fault| fault.kind.name());
        for row in &run.rows {
            let identity = [
                Value::Text(arm),
                Value::Text(&run.ticket),
                Value::Int(i64::from(run.sample)),
                Value::Int(i64::from(row.pass)),
                Value::Text(run.stop.name()),
                fault.map_or(Value::Null, Value::Text),
            ];
            let values = identity.into_iter().chain(row.cells.iter().map(Value::of));
            for (builder, value) in self.columns.iter_mut().zip(values.clone()) {
                builder.push(value);
            }
            if let Some(csv) = &mut self.csv {
                let write = || -> csv::Result<()> {
                    for value in values {
                        csv.out.write_field(value.csv().as_ref())?;
                    }
                    csv.out.write_record(None::<&[u8]>)
                };
                write().map_err(|e| csv.failed(&e))?;
            }
            self.rows += 1;
            if self.rows == GROUP_ROWS {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Error> {
        let rows = std::mem::take(&mut self.rows);
        if rows == 0 {
            return Ok(());
        }
        let builders = std::mem::replace(&mut self.columns, builders());
        let columns = builders.into_iter().map(Builder::finish).collect();
        let written = DataFrame::new(rows, columns).and_then(|group| self.parquet.out.write_batch(&group));
        written.map_err(|e| self.parquet.failed(&e))
    }

    /// Writes what is left and closes the files. A table without a row is a valid file too.
    pub fn finish(mut self) -> Result<(), Error> {
        self.flush()?;
        // Writes the footer and flushes.
        self.parquet.out.finish().map_err(|e| self.parquet.failed(&e))?;
        if let Some(mut csv) = self.csv {
            csv.out.flush().map_err(|e| csv.failed(&e))?;
        }
        Ok(())
    }
}

/// Every column of the table, in order.
fn all_columns() -> impl Iterator<Item = (&'static str, Kind)> {
    IDENTITY.iter().map(|(name, kind, _)| (*name, *kind)).chain(metric::columns().map(|column| (column.name, column.kind)))
}

fn schema() -> Schema {
    let dtype = |kind: Kind| match kind {
        Kind::Int => DataType::Int64,
        Kind::Real | Kind::Usd => DataType::Float64,
        Kind::Flag => DataType::Boolean,
        Kind::Text => DataType::String,
    };
    all_columns().map(|(name, kind)| Field::new(name.into(), dtype(kind))).collect()
}

/// A value on its way into the files.
#[derive(Clone, Copy)]
enum Value<'a> {
    Null,
    Int(i64),
    Real(f64),
    Flag(bool),
    Text(&'a str),
    Usd(crate::model::Usd),
}

impl<'a> Value<'a> {
    fn of(cell: &'a Cell) -> Value<'a> {
        match cell {
            Cell::Null => Value::Null,
            Cell::Int(n) => Value::Int(*n),
            Cell::Real(x) => Value::Real(*x),
            Cell::Flag(flag) => Value::Flag(*flag),
            Cell::Text(text) => Value::Text(text),
            Cell::Usd(usd) => Value::Usd(*usd),
        }
    }

    /// As CSV shows it; null is nothing. A text that a spreadsheet would take for a formula is kept from being one.
    fn csv(self) -> Cow<'a, str> {
        match self {
            Value::Null => Cow::Borrowed(""),
            Value::Int(n) => Cow::Owned(n.to_string()),
            Value::Real(x) => Cow::Owned(x.to_string()),
            Value::Flag(flag) => Cow::Borrowed(if flag { "true" } else { "false" }),
            Value::Text(text) if text.starts_with(['=', '+', '-', '@', '\t', '\r']) => Cow::Owned(format!("'{text}")),
            Value::Text(text) => Cow::Borrowed(text),
            Value::Usd(usd) => Cow::Owned(usd.to_string()),
        }
    }
}

/// A column of the row group that is being filled.
enum Builder {
    Int(PrimitiveChunkedBuilder<Int64Type>),
    Real(PrimitiveChunkedBuilder<Float64Type>),
    Flag(BooleanChunkedBuilder),
    Text(StringChunkedBuilder),
}

fn builders() -> Vec<Builder> {
    let builder = |(name, kind): (&'static str, Kind)| match kind {
        Kind::Int => Builder::Int(PrimitiveChunkedBuilder::new(name.into(), GROUP_ROWS)),
        Kind::Real | Kind::Usd => Builder::Real(PrimitiveChunkedBuilder::new(name.into(), GROUP_ROWS)),
        Kind::Flag => Builder::Flag(BooleanChunkedBuilder::new(name.into(), GROUP_ROWS)),
        Kind::Text => Builder::Text(StringChunkedBuilder::new(name.into(), GROUP_ROWS)),
    };
    all_columns().map(builder).collect()
}

impl Builder {
    /// A value of another kind than the column's is null: no metric makes one, and a test holds them to it.
    fn push(&mut self, value: Value<'_>) {
        match self {
            Builder::Int(column) => column.append_option(if let Value::Int(n) = value { Some(n) } else { None }),
            Builder::Real(column) => column.append_option(match value {
                Value::Real(x) => Some(x),
                Value::Usd(usd) => Some(usd.to_f64()),
                _ => None,
            }),
            Builder::Flag(column) => column.append_option(if let Value::Flag(flag) = value { Some(flag) } else { None }),
            Builder::Text(column) => column.append_option(if let Value::Text(text) = value { Some(text) } else { None }),
        }
    }

    fn finish(self) -> polars::prelude::Column {
        match self {
            Builder::Int(column) => column.finish().into_series(),
            Builder::Real(column) => column.finish().into_series(),
            Builder::Flag(column) => column.finish().into_series(),
            Builder::Text(column) => column.finish().into_series(),
        }
        .into()
    }
}

#[cfg(test)]
mod tests {
    use polars::prelude::{AnyValue, ParquetReader, SerReader};

    use super::*;
    use crate::metric::{Row, column_at};
    use crate::model::{Fault, FaultKind, Stop, Usd};

    fn measured(ticket: &str, passes: u32, fill: impl Fn(u32, &mut [Cell])) -> Measured {
        let row = |pass| {
            let mut cells = vec![Cell::Null; metric::columns().count()];
            fill(pass, &mut cells);
            Row { pass, cells }
        };
        let rows = (0..passes).map(row).collect();
        Measured { ticket: ticket.into(), sample: 0, stop: Stop::MaxPasses, fault: None, rows, repairs: vec![], unused: vec![] }
    }

    fn set(cells: &mut [Cell], name: &str, cell: impl Into<Cell>) {
        cells[column_at(name).unwrap()] = cell.into();
    }

    fn sample() -> Vec<Measured> {
        let mut runs = vec![measured("=1+1", 2, |pass, cells| {
            set(cells, "chars_changed", pass);
            set(cells, "preservation_previous", 0.25);
            set(cells, "no_change", pass == 0);
            set(cells, "cost_usd", Usd::parse("0.000321").unwrap());
            set(cells, "repair_names", "a;\n\"b\", c".to_string());
        })];
        runs.push(measured("007", 1, |_, _| {}));
        runs[1].fault = Some(Fault { kind: FaultKind::NoAnswer, at: "writer pass 0".into(), what: "status 500".into() });
        runs
    }

    fn write(dir: &Path, runs: &[Measured]) -> (Vec<u8>, String) {
        let (parquet, csv) = (dir.join("t.parquet"), dir.join("t.csv"));
        let mut table = TableWriter::create(&parquet, Some(&csv)).unwrap();
        runs.iter().for_each(|run| table.push("arm a", run).unwrap());
        table.finish().unwrap();
        (std::fs::read(&parquet).unwrap(), std::fs::read_to_string(&csv).unwrap())
    }

    #[test]
    fn parquet_holds_what_was_pushed_in_order_and_always_in_the_same_bytes() {
        let dir = tempfile::tempdir().unwrap();
        let (first, _) = write(dir.path(), &sample());
        let (second, _) = write(dir.path(), &sample());
        assert_eq!(first, second);
        let table = ParquetReader::new(File::open(dir.path().join("t.parquet")).unwrap()).finish().unwrap();
        assert_eq!((table.height(), table.width()), (3, 6 + metric::columns().count()));
        let cell = |name: &str, row: usize| table.column(name).unwrap().get(row).unwrap().into_static();
        assert_eq!(cell("ticket", 0), AnyValue::StringOwned("=1+1".into()));
        assert_eq!(cell("fault", 2), AnyValue::StringOwned("no_answer".into()));
        assert_eq!(
            [cell("chars_changed", 0), cell("chars_changed", 1), cell("chars_changed", 2)],
            [AnyValue::Int64(0), AnyValue::Int64(1), AnyValue::Null]
        );
        assert_eq!(cell("no_change", 1), AnyValue::Boolean(false));
        assert_eq!(cell("cost_usd", 0), AnyValue::Float64(0.000321));
        for (column, (name, kind)) in table.columns().iter().zip(all_columns()) {
            let want = match kind {
                Kind::Int => DataType::Int64,
                Kind::Real | Kind::Usd => DataType::Float64,
                Kind::Flag => DataType::Boolean,
                Kind::Text => DataType::String,
            };
            assert_eq!((column.name().as_str(), column.dtype()), (name, &want));
        }
    }

    #[test]
    fn csv_is_safe_to_open_in_a_spreadsheet_and_loses_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let (_, text) = write(dir.path(), &sample());
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let at = |name: &str| all_columns().position(|(known, _)| known == name).unwrap();
        assert_eq!(reader.headers().unwrap().iter().collect::<Vec<_>>(), all_columns().map(|(name, _)| name).collect::<Vec<_>>());
        let rows: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().unwrap();
        assert_eq!(rows.len(), 3);
        let got = ["arm", "ticket", "pass", "chars_changed", "preservation_previous", "no_change", "cost_usd", "repair_names", "fault"]
            .map(|name| &rows[1][at(name)]);
        assert_eq!(got, ["arm a", "'=1+1", "1", "1", "0.25", "false", "0.000321", "a;\n\"b\", c", ""]);
        assert_eq!([&rows[2][at("ticket")], &rows[2][at("fault")]], ["007", "no_answer"]);
    }

    #[test]
    fn many_rows_leave_in_groups_and_none_are_a_table_too() {
        let dir = tempfile::tempdir().unwrap();
        let run = measured("T", 3, |pass, cells| set(cells, "chars_changed", pass));
        let runs = vec![run; GROUP_ROWS / 3 + 2];
        write(dir.path(), &runs);
        let read = || ParquetReader::new(File::open(dir.path().join("t.parquet")).unwrap()).finish().unwrap();
        assert_eq!(read().height(), 3 * runs.len());
        write(dir.path(), &[]);
        assert_eq!(read().height(), 0);
    }
}
