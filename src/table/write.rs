//! Rows out, as Parquet and as CSV.

use std::fmt::Write as _;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use polars::prelude::{
    BatchedWriter, BooleanChunkedBuilder, ChunkedBuilder, DataFrame, Field, Float64Type, Int64Type, IntoSeries, KeyValueMetadata,
    ParquetCompression, ParquetWriter, PrimitiveChunkedBuilder, Schema, StringChunkedBuilder,
};

use super::{FORMULA, HEADERS, all_columns, dtype};
use crate::error::Error;
use crate::ledger::Header;
use crate::metric::{Cell, Kind, Measured};

/// Rows that a column has room for at first: a hundred columns of a small table should not take megabytes.
const ROOM_ROWS: usize = 1024;

/// Rows of a Parquet row group. Part of the format: another number gives other bytes.
const GROUP_ROWS: usize = 8192;

/// Writes a table row by row. Money is a float in Parquet (the nearest to the exact amount) and an exact decimal in CSV.
pub struct TableWriter {
    parquet: Sink<BatchedWriter<BufWriter<File>>>,
    csv: Option<Sink<csv::Writer<BufWriter<File>>>>,
    columns: Vec<Builder>,
    rows: usize,
    /// A cell on its way into the CSV.
    text: String,
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
    /// Creates the files, the CSV with its header. `headers` are of the arms whose runs will be pushed: a table tells what loops made it.
    pub fn create(parquet: &Path, csv: Option<&Path>, headers: &[Header]) -> Result<TableWriter, Error> {
        let create = |path: &Path| File::create(path).map(BufWriter::new).map_err(|e| Error::io(path, "create the table", &e));
        let writer = ParquetWriter::new(create(parquet)?)
            .with_compression(ParquetCompression::Uncompressed)
            .set_parallel(false)
            .with_key_value_metadata((!headers.is_empty()).then(|| about(headers)));
        let out = writer.batched(&schema()).map_err(|e| Error::at(parquet, format!("failed to start the table: {e}")))?;
        let csv =
            csv.map(|path| Ok::<_, Error>(Sink { path: path.to_path_buf(), out: csv::Writer::from_writer(create(path)?) })).transpose()?;
        let mut table =
            TableWriter { parquet: Sink { path: parquet.to_path_buf(), out }, csv, columns: builders(), rows: 0, text: String::new() };
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
                let text = &mut self.text;
                let write = || -> csv::Result<()> {
                    for value in values {
                        text.clear();
                        csv.out.write_field(value.csv(text))?;
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

/// Rows as CSV, by the rules of table.csv.
pub fn csv(head: &[&str], rows: &[Vec<Cell>]) -> String {
    let mut out = csv::Writer::from_writer(vec![]);
    // Writing into memory cannot fail, and every row is as long as the head.
    let _ = out.write_record(head);
    for row in rows {
        let _ = out.write_record(row.iter().map(|cell| Value::of(cell).csv(&mut String::new()).to_vec()));
    }
    String::from_utf8(out.into_inner().unwrap_or_default()).unwrap_or_default()
}

/// The headers as the file keeps them, one a line.
fn about(headers: &[Header]) -> KeyValueMetadata {
    // Plain data with string keys cannot fail to be written.
    let lines: Vec<String> = headers.iter().map(|header| serde_json::to_string(header).unwrap_or_default()).collect();
    KeyValueMetadata::from_static(vec![(HEADERS.to_owned(), lines.join("\n"))])
}

fn schema() -> Schema {
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

    /// As CSV shows it; null is nothing. A text that a spreadsheet would take for a formula is kept from being one by an apostrophe, and one
    /// that looks as if it had been kept so gets one too, so that each can be read back.
    /// What has to be made goes into `room`, which is empty.
    fn csv<'t>(self, room: &'t mut String) -> &'t [u8]
    where
        'a: 't,
    {
        // Writing into a string cannot fail.
        let _ = match self {
            Value::Null => return b"",
            Value::Flag(flag) => return if flag { b"true" } else { b"false" },
            Value::Text(text) if !text.trim_start_matches('\'').starts_with(FORMULA) => return text.as_bytes(),
            Value::Text(text) => write!(room, "'{text}"),
            // Most cells are small counts.
            Value::Int(n @ 0..10) => return &b"0123456789"[n as usize..=n as usize],
            Value::Int(n) => write!(room, "{n}"),
            Value::Real(x) => write!(room, "{x}"),
            Value::Usd(usd) => write!(room, "{usd}"),
        };
        room.as_bytes()
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
        Kind::Int => Builder::Int(PrimitiveChunkedBuilder::new(name.into(), ROOM_ROWS)),
        Kind::Real | Kind::Usd => Builder::Real(PrimitiveChunkedBuilder::new(name.into(), ROOM_ROWS)),
        Kind::Flag => Builder::Flag(BooleanChunkedBuilder::new(name.into(), ROOM_ROWS)),
        Kind::Text => Builder::Text(StringChunkedBuilder::new(name.into(), ROOM_ROWS)),
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
