//! What is measured: one file a measurement, each naming its columns. docs/metrics.md is the definition; a column's `about` quotes its heart.
//!
//! A row is one pass of one run. A new measurement is one file and two lines here; table, summary, charts, help and schema follow.

mod calls;
mod change;
mod check;
mod claim;
mod critique;
pub mod fate;
mod guard;
mod mention;
mod nondraft;
mod outcome;
mod place;
mod repeat;
mod section;
#[cfg(test)]
pub(crate) mod testing;
mod view;

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::{Deserialize, Serialize};

pub use fate::{Fate, Origin, PassStory, fates};
pub use mention::mentions;
pub use nondraft::Flaw;
pub use section::strays;
pub use view::{Draft, Settings, Step, View, Views};

use crate::model::{Fault, Run, Slot, Stop, Ticket, Usd};

/// One value of a row. Null means "cannot be seen here" and is never 0.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    Null,
    Int(i64),
    /// Always finite.
    Real(f64),
    Flag(bool),
    Text(Cow<'static, str>),
    Usd(Usd),
}

impl Cell {
    /// A number as it is summed and ranked; None for null and for what is no number.
    pub fn number(&self) -> Option<f64> {
        match self {
            Cell::Int(n) => Some(*n as f64),
            Cell::Real(x) => Some(*x),
            Cell::Usd(usd) => Some(usd.to_f64()),
            _ => None,
        }
    }
}

impl From<bool> for Cell {
    fn from(flag: bool) -> Cell {
        Cell::Flag(flag)
    }
}

impl From<usize> for Cell {
    fn from(n: usize) -> Cell {
        Cell::from(n as u64)
    }
}

impl From<u32> for Cell {
    fn from(n: u32) -> Cell {
        Cell::Int(i64::from(n))
    }
}

impl From<u64> for Cell {
    fn from(n: u64) -> Cell {
        Cell::Int(i64::try_from(n).unwrap_or(i64::MAX))
    }
}

impl From<f64> for Cell {
    /// Not a number and the infinities are null: a table holds none.
    fn from(x: f64) -> Cell {
        if x.is_finite() { Cell::Real(x) } else { Cell::Null }
    }
}

impl From<Usd> for Cell {
    fn from(usd: Usd) -> Cell {
        Cell::Usd(usd)
    }
}

impl From<&'static str> for Cell {
    fn from(text: &'static str) -> Cell {
        Cell::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell::Text(Cow::Owned(text))
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Cell {
        value.map_or(Cell::Null, Into::into)
    }
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

/// How a run's state up to a pass is made of its passes, for the view `enrolled`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carry {
    /// Counts add up; null passes are passed over.
    Sum,
    /// Amounts add up, and one that is unknown makes the total unknown: a lower bound must not pass for a total.
    Total,
    /// A flag that was once true stays true; null passes are passed over.
    Any,
    /// The last state stands; null passes are passed over.
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

impl Column {
    const fn new(name: &'static str, kind: Kind, carry: Carry, about: &'static str) -> Column {
        Column { name, kind, carry, about }
    }
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
    /// One of those that a person looks at first.
    pub headline: bool,
}

impl Figure {
    const fn new(name: &'static str, title: &'static str, unit: &'static str, how: How, better: Option<Better>) -> Figure {
        Figure { name, title, unit, how, better, headline: false }
    }

    const fn headline(self) -> Figure {
        Figure { headline: true, ..self }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    Lower,
    Higher,
}

/// How a figure is made of its columns. Nulls are left out and counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

impl How {
    /// As summaries write it.
    pub const fn name(self) -> &'static str {
        match self {
            How::Share(_) => "share",
            How::Median(_) => "median",
            How::Mean(_) => "mean",
            How::Ratio(..) => "ratio",
        }
    }
}

/// One measurement.
pub trait Metric: Sync {
    fn columns(&self) -> &'static [Column];
    fn figures(&self) -> &'static [Figure];
    /// Appends exactly one cell a column, in the order of `columns`.
    fn measure(&self, view: &View<'_>, row: &mut Vec<Cell>);
}

/// Every measurement, in the order of the table's columns.
pub const ALL: &[&dyn Metric] = &[
    &critique::Critique,
    &mention::Mentions,
    &section::Section,
    &change::Change,
    &guard::Guard,
    &fate::Findings,
    &check::Checks,
    &outcome::Outcome,
    &claim::Claim,
    &nondraft::NonDraft,
    &repeat::Repeat,
    &calls::Calls,
];

/// Every metric column, in table order. A row's cells stand in the same order.
pub fn columns() -> impl Iterator<Item = &'static Column> {
    ALL.iter().flat_map(|metric| metric.columns())
}

/// Every figure, in the order of its measurement.
pub fn figures() -> impl Iterator<Item = &'static Figure> {
    ALL.iter().flat_map(|metric| metric.figures())
}

/// Place of a column in a row's cells.
pub fn column_at(name: &str) -> Option<usize> {
    columns().position(|column| column.name == name)
}

/// One pass of one run, measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub pass: u32,
    /// One a column of [`columns`].
    pub cells: Vec<Cell>,
}

impl Row {
    /// The cell at a column's place; a place that is none holds nothing.
    pub fn cell(&self, at: usize) -> &Cell {
        self.cells.get(at).unwrap_or(&Cell::Null)
    }
}

/// One run, measured: all that the table and the summary need of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    pub ticket: String,
    pub sample: u32,
    pub stop: Stop,
    pub fault: Option<Fault>,
    /// In order of passes, never empty: a run without a pass has one row, pass 0, all null.
    pub rows: Vec<Row>,
    /// Repairs that reading its critiques took, by name, in the order made.
    pub repairs: Vec<String>,
    /// Recorded calls that the loop never asked for.
    pub unused: Vec<Slot>,
}

/// Measures a run. `ticket` is the case that the run answers.
pub fn measure(ticket: &Ticket, run: &Run, settings: &Settings) -> Measured {
    let views = Views::new(ticket, run, settings);
    let width = columns().count();
    let mut rows: Vec<Row> = views.iter().map(|view| row(&view, width)).collect();
    if rows.is_empty() {
        rows.push(Row { pass: 0, cells: vec![Cell::Null; width] });
    }
    let repairs =
        run.passes.iter().filter_map(|pass| pass.critique.as_ref()).flat_map(|critique| critique.repairs.iter().cloned()).collect();
    Measured {
        ticket: run.ticket.clone(),
        sample: run.sample,
        stop: run.stop,
        fault: run.fault.clone(),
        rows,
        repairs,
        unused: run.unused.clone(),
    }
}

/// [`measure`], but a defect of ours at one run must not cost the others: it becomes that run's fault, with nothing measured.
pub fn measure_guarded(ticket: &Ticket, run: &mut Run, settings: &Settings) -> Measured {
    guarded(run, |run| measure(ticket, run, settings))
}

/// Takes back what was measured with the ticket's checks, where the ticket itself was not at hand: 0 of 0 would say that it has none.
pub fn forget_checks(measured: &mut Measured) {
    let checks = check::Checks.columns();
    let Some(from) = checks.first().and_then(|first| column_at(first.name)) else { return };
    for row in &mut measured.rows {
        row.cells.iter_mut().skip(from).take(checks.len()).for_each(|cell| *cell = Cell::Null);
    }
}

fn guarded(run: &mut Run, work: impl Fn(&Run) -> Measured) -> Measured {
    catch_unwind(AssertUnwindSafe(|| work(run))).unwrap_or_else(|cause| {
        run.fault = Some(Fault::defect("measure", &*cause));
        run.stop = Stop::Fault;
        work(&Run { passes: vec![], ..run.clone() })
    })
}

fn row(view: &View<'_>, width: usize) -> Row {
    let mut cells = Vec::with_capacity(width);
    for metric in ALL {
        metric.measure(view, &mut cells);
    }
    Row { pass: view.pass().index, cells }
}

/// One null a column, for a measurement that has nothing to see.
fn nulls(columns: &[Column], row: &mut Vec<Cell>) {
    row.extend(std::iter::repeat_n(Cell::Null, columns.len()));
}

#[cfg(test)]
mod tests {
    use super::testing::*;
    use super::*;

    #[test]
    fn column_and_figure_names_are_unique_and_well_formed() {
        let mut names: Vec<&str> = columns().map(|c| c.name).collect();
        assert!(
            names
                .iter()
                .chain(&figures().map(|f| f.name).collect::<Vec<_>>())
                .all(|n| n.chars().all(|c| c.is_ascii_lowercase() || c == '_'))
        );
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
        let mut names: Vec<&str> = figures().map(|f| f.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn every_figure_rests_on_columns_of_the_right_kind() {
        for figure in figures() {
            let kind = |name: &str| columns().find(|c| c.name == name).map(|c| c.kind);
            match figure.how {
                How::Share(column) => assert_eq!(kind(column), Some(Kind::Flag), "{}", figure.name),
                How::Median(column) => assert!(matches!(kind(column), Some(Kind::Int | Kind::Real)), "{}", figure.name),
                How::Mean(column) => assert!(matches!(kind(column), Some(Kind::Int | Kind::Real | Kind::Usd)), "{}", figure.name),
                How::Ratio(over, under) => assert_eq!([kind(over), kind(under)], [Some(Kind::Int); 2], "{}", figure.name),
            }
        }
    }

    #[test]
    fn every_cell_is_of_its_columns_kind() {
        let mut run = run_of(&["A soon.\n\nB fee.\n", "A today.\n\nB fee.\n", "A today.\n\nB fee.\n"]);
        critique(&mut run, 1, &[("vague", "A soon.")]);
        critique(&mut run, 2, &[("vague", "nowhere at all")]);
        let measured = measure(&ticket(), &run, &Settings::default());
        assert_eq!(measured.rows.len(), 3);
        for row in &measured.rows {
            assert_eq!(row.cells.len(), columns().count());
            for (cell, column) in row.cells.iter().zip(columns()) {
                let fits = matches!(
                    (cell, column.kind),
                    (Cell::Null, _)
                        | (Cell::Int(_), Kind::Int)
                        | (Cell::Real(_), Kind::Real)
                        | (Cell::Flag(_), Kind::Flag)
                        | (Cell::Text(_), Kind::Text)
                        | (Cell::Usd(_), Kind::Usd)
                );
                assert!(fits, "{} holds {cell:?}", column.name);
            }
        }
    }

    #[test]
    fn a_defect_while_measuring_is_the_runs_fault() {
        let mut run = run_of(&["A soon.\n", "A today.\n"]);
        let whole = run.clone();
        let measured = guarded(&mut run, |run| {
            assert!(run.passes.is_empty(), "a hole at {}", 7);
            measure(&ticket(), run, &Settings::default())
        });
        let fault = run.fault.clone().expect("a fault");
        assert_eq!((fault.kind.name(), fault.at.as_str()), ("internal", "measure"));
        assert!(fault.what.ends_with("a hole at 7"), "{}", fault.what);
        assert_eq!((measured.stop, &measured.fault, measured.rows.len()), (Stop::Fault, &Some(fault), 1));
        assert!(measured.rows[0].cells.iter().all(|cell| *cell == Cell::Null));
        assert_eq!(run.passes, whole.passes);
    }

    #[test]
    fn a_run_without_a_pass_is_one_row_of_nulls() {
        let mut run = run_of(&[]);
        run.stop = Stop::Fault;
        let measured = measure(&ticket(), &run, &Settings::default());
        assert_eq!(measured.rows.len(), 1);
        assert!(measured.rows[0].cells.iter().all(|cell| *cell == Cell::Null));
    }
}
