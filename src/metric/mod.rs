//! What is measured: one file a measurement, each naming its columns. docs/metrics.md is the definition; a column's `about` quotes its heart.
//!
//! A row is one pass of one run. A new measurement is one file and two lines here; table, summary, charts, help and schema follow.

mod view;

pub use view::{Settings, View};

use crate::model::Usd;

/// One value of a row. Null means "cannot be seen here" and is never 0.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    Null,
    Int(i64),
    Real(f64),
    Flag(bool),
    Text(String),
    Usd(Usd),
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Int,
    Real,
    Flag,
    Text,
    Usd,
}

/// How a ticket's state up to a pass is made of its passes, for the view `enrolled`. Null passes are passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carry {
    /// Counts add up.
    Sum,
    /// A flag that was once true stays true.
    Any,
    /// The last state stands.
    Last,
    /// Not carried: has no meaning over passes.
    No,
}

/// One column of the table.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// snake_case, units last (`cost_usd`).
    pub name: &'static str,
    pub kind: Kind,
    pub carry: Carry,
    /// One line: what it is, its unit, when it is null.
    pub about: &'static str,
}

/// A figure of a pass over all tickets, made of columns.
#[derive(Debug, Clone, Copy)]
pub struct Figure {
    /// Stable name, also the file name of its chart.
    pub name: &'static str,
    pub title: &'static str,
    /// `share`, `characters`, `findings`, `calls`, `USD` ...
    pub unit: &'static str,
    pub how: How,
    /// Which way is better; None where neither is.
    pub better: Option<Better>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    Lower,
    Higher,
}

/// How a figure is made of its columns. Nulls are left out and counted.
#[derive(Debug, Clone, Copy)]
pub enum How {
    /// True over not null, of a flag column; Wilson interval.
    Share(&'static str),
    /// Median of a number column; order-statistic interval.
    Median(&'static str),
    /// Sum over count, of a number column.
    Mean(&'static str),
    /// Sum of the first over sum of the second (resolved over observed), with the mean of the rows' own ratios beside it.
    Ratio(&'static str, &'static str),
}

/// One measurement.
pub trait Metric: Sync {
    fn name(&self) -> &'static str;
    fn columns(&self) -> &'static [Column];
    fn figures(&self) -> &'static [Figure];
    /// Appends exactly one cell a column, in the order of `columns`.
    fn measure(&self, view: &View<'_>, row: &mut Vec<Cell>);
}
