//! Runs as a study of passes sees them: what each was after every pass, the last state carried forward.

use std::ops::Range;

use crate::metric::Cell;
use crate::model::Usd;
use crate::summary::Frame;

/// What is read of a row.
const COLUMNS: [&str; 10] =
    ["correct", "checks", "checks_held", "new_errors", "fixed", "non_draft", "no_change", "blocking", "calls", "cost_usd"];

/// One arm: its tickets without a fault, in order of their ids.
pub(super) struct Arm {
    pub tickets: Vec<Ticket>,
    /// One more than the last pass that any of them had.
    pub passes: u32,
    /// True where every ticket has one run.
    pub single: bool,
}

pub(super) struct Ticket {
    pub id: String,
    pub runs: Vec<Run>,
}

/// One run, with a row for each pass it had.
pub(super) struct Run {
    pub rows: Vec<Row>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub pass: u32,
    pub correct: Option<bool>,
    /// None where draft k is none.
    pub checks: Option<i64>,
    pub held: Option<i64>,
    pub broken: i64,
    pub mended: i64,
    /// None where the pass made no draft.
    pub non_draft: Option<bool>,
    /// The pass kept the draft before it.
    pub kept: bool,
    /// Blocking findings of this pass's critic, of the draft before.
    pub blocking: Option<i64>,
    pub calls: i64,
    pub cost: Option<Usd>,
}

impl Row {
    fn of(pass: u32, cells: &[Cell]) -> Row {
        let cell = |name: &str| COLUMNS.iter().position(|known| *known == name).and_then(|at| cells.get(at)).unwrap_or(&Cell::Null);
        let int = |name: &str| if let Cell::Int(n) = cell(name) { Some(*n) } else { None };
        let flag = |name: &str| if let Cell::Flag(flag) = cell(name) { Some(*flag) } else { None };
        Row {
            pass,
            correct: flag("correct"),
            checks: int("checks"),
            held: int("checks_held"),
            broken: int("new_errors").unwrap_or(0),
            mended: int("fixed").unwrap_or(0),
            non_draft: flag("non_draft"),
            kept: flag("no_change") == Some(true),
            blocking: int("blocking"),
            calls: int("calls").unwrap_or(0),
            cost: if let Cell::Usd(usd) = cell("cost_usd") { Some(*usd) } else { None },
        }
    }
}

impl Run {
    /// Whether draft 0 is correct; None where it is none or there is nothing to judge by.
    pub fn first(&self) -> Option<bool> {
        self.rows.first().filter(|row| row.pass == 0)?.correct
    }

    /// The last state up to a pass. Drafts that are none are passed over.
    pub fn correct(&self, pass: u32) -> Option<bool> {
        self.rows.iter().rev().filter(|row| row.pass <= pass).find_map(|row| row.correct)
    }

    /// True where the last draft that was made is none.
    pub fn ends_in_non_draft(&self) -> bool {
        self.rows.iter().filter_map(|row| row.non_draft).next_back() == Some(true)
    }

    fn within(&self, passes: Range<u32>) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| passes.contains(&row.pass))
    }
}

impl Ticket {
    /// True where some run has a first state.
    pub fn judged(&self) -> bool {
        self.runs.iter().any(|run| run.first().is_some())
    }

    /// True where draft 0 of every run is none.
    pub fn lacks_first_draft(&self) -> bool {
        self.runs.iter().all(|run| run.rows.first().is_some_and(|row| row.non_draft == Some(true)))
    }

    /// Mean over the runs that can be judged; the ticket is one that can.
    pub fn mean(&self, value: impl Fn(&Run) -> f64) -> f64 {
        let (sum, count) =
            self.runs.iter().filter(|run| run.first().is_some()).fold((0.0, 0.0), |(sum, n), run| (sum + value(run), n + 1.0));
        if count > 0.0 { sum / count } else { 0.0 }
    }

    pub fn correct(&self, pass: u32) -> f64 {
        self.mean(|run| f64::from(u8::from(run.correct(pass) == Some(true))))
    }

    /// Share of runs that a pass (from 1 on) made correct, or incorrect.
    pub fn flips(&self, pass: u32, to: bool) -> f64 {
        self.mean(|run| f64::from(u8::from(run.correct(pass) == Some(to) && run.correct(pass - 1) == Some(!to))))
    }

    pub fn mended(&self, pass: u32) -> f64 {
        self.mean(|run| run.within(pass..pass + 1).map(|row| row.mended as f64).sum())
    }

    pub fn broken(&self, pass: u32) -> f64 {
        self.mean(|run| run.within(pass..pass + 1).map(|row| row.broken as f64).sum())
    }

    pub fn ran(&self, pass: u32) -> bool {
        self.runs.iter().any(|run| run.within(pass..pass + 1).next().is_some())
    }

    /// True where a run had a draft after the pass, be it the old one.
    pub fn drafted(&self, pass: u32) -> bool {
        self.runs.iter().any(|run| run.within(pass..pass + 1).any(|row| row.non_draft.is_some()))
    }

    /// Mean over its runs.
    pub fn calls(&self, passes: Range<u32>) -> f64 {
        let calls = self.runs.iter().flat_map(|run| run.within(passes.clone())).map(|row| row.calls as f64).sum::<f64>();
        if self.runs.is_empty() { 0.0 } else { calls / self.runs.len() as f64 }
    }

    /// Mean over its runs; None where a cost is unknown.
    pub fn usd(&self, passes: Range<u32>) -> Option<f64> {
        let sum: Option<Usd> = self.runs.iter().flat_map(|run| run.within(passes.clone())).map(|row| row.cost).sum();
        Some(sum?.to_f64() / self.runs.len().max(1) as f64)
    }
}

/// Dollars of some tickets; None where a cost is unknown.
pub(super) fn usd<'a>(mut tickets: impl Iterator<Item = &'a Ticket>, passes: Range<u32>) -> Option<f64> {
    tickets.try_fold(0.0, |sum, ticket| Some(sum + ticket.usd(passes.clone())?))
}

impl Arm {
    pub fn of(frame: &Frame) -> Arm {
        let mut places: Vec<usize> = (0..frame.len()).filter(|ticket| frame.fault(*ticket).is_none()).collect();
        places.sort_by(|x, y| frame.ticket(*x).cmp(frame.ticket(*y)));
        let columns = frame.columns(&COLUMNS);
        let ticket = |place: usize| {
            let mut runs: Vec<Run> = (0..frame.samples(place)).map(|_| Run { rows: vec![] }).collect();
            frame.cells(&columns, place, |run, pass, cells| runs[run].rows.push(Row::of(pass, cells)));
            Ticket { id: frame.ticket(place).to_owned(), runs }
        };
        let passes = places.iter().map(|place| 1 + frame.last_pass(*place)).max().unwrap_or(0);
        let tickets: Vec<Ticket> = places.into_iter().map(ticket).collect();
        Arm { passes, single: tickets.iter().all(|ticket| ticket.runs.len() <= 1), tickets }
    }

    pub fn judged(&self) -> impl Iterator<Item = &Ticket> {
        self.tickets.iter().filter(|ticket| ticket.judged())
    }

    pub fn last_pass(&self) -> u32 {
        self.passes.saturating_sub(1)
    }

    /// Per ticket; None without tickets.
    pub fn calls(&self, passes: Range<u32>) -> Option<f64> {
        let sum: f64 = self.tickets.iter().map(|ticket| ticket.calls(passes.clone())).sum();
        (!self.tickets.is_empty()).then(|| sum / self.tickets.len() as f64)
    }

    /// Per ticket; None without tickets, or where a cost is unknown.
    pub fn usd(&self, passes: Range<u32>) -> Option<f64> {
        let sum = usd(self.tickets.iter(), passes)?;
        (!self.tickets.is_empty()).then(|| sum / self.tickets.len() as f64)
    }
}
