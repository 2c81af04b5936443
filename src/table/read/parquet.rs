//! Rows from Parquet, a row group at a time, from files that are not believed.

use std::cell::Cell as Flag;
use std::io::BufReader;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Once};

use polars::prelude::{Column, DataFrame, DataType, FileMetadata, ParallelStrategy, ParquetReader, PolarsResult, SerReader};

use super::{Form, Found, Place, Reader};
use crate::error::Error;
use crate::files;
use crate::jsonl;
use crate::ledger::Header;
use crate::metric::{Cell, Kind};
use crate::model::Usd;
use crate::table::{HEADERS, all_columns, dtype, pages};

/// Rows that are turned into cells at a time.
const PIECE_ROWS: usize = 8192;

/// A row group is read whole; more rows than this come from no writer of tables (their defaults are a million at most).
const GROUP_ROWS_MAX: usize = 1 << 22;

impl Reader {
    pub(super) fn parquet(path: &Path) -> Result<Reader, Error> {
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

    pub(super) fn parquet_rows(
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
