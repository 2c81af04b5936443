//! The table: one row a pass of a run, as Parquet and, for those who want it, CSV. The only place that knows polars.
//!
//! Rows come in the order of the dataset and leave in groups of a fixed size, so that the same rows give the same bytes however they were
//! handed over, and no more than one group is in memory. Read back, they come ticket by ticket, one group in memory.

mod pages;
mod read;
mod write;

pub use read::Reader;
pub use write::{TableWriter, csv};

use polars::prelude::DataType;

use crate::metric::{self, Kind};

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

/// Under this key a Parquet file keeps what its arms are: one header of the ledger's form a line.
const HEADERS: &str = "redraft";

/// What a spreadsheet would take for a formula when a cell begins with it.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// Every column of the table, in order.
fn all_columns() -> impl Iterator<Item = (&'static str, Kind)> {
    IDENTITY.iter().map(|(name, kind, _)| (*name, *kind)).chain(metric::columns().map(|column| (column.name, column.kind)))
}

fn dtype(kind: Kind) -> DataType {
    match kind {
        Kind::Int => DataType::Int64,
        Kind::Real | Kind::Usd => DataType::Float64,
        Kind::Flag => DataType::Boolean,
        Kind::Text => DataType::String,
    }
}

#[cfg(test)]
mod tests;
