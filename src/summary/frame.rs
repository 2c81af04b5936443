//! What a comparison needs of an arm: the columns that figures are made of, ticket by ticket, eight bytes a cell.

use std::sync::LazyLock;

use super::tally::{Carried, Plan};
use crate::metric::{self, Cell, Kind, Measured};
use crate::model::{FaultKind, Stop, Usd};

/// Tickets in dataset order. A ticket has one run a sample, a run one row a pass.
#[derive(Debug, Clone, Default)]
pub struct Frame {
    tickets: Vec<TicketLine>,
    runs: Vec<RunLine>,
    /// One a row.
    passes: Vec<u32>,
    /// One a column of [`KEPT`], each with one cell a row.
    columns: Vec<Vec<u64>>,
}

#[derive(Debug, Clone)]
struct TicketLine {
    id: String,
    /// Where its runs end; they begin where those of the ticket before end.
    end: usize,
}

#[derive(Debug, Clone)]
struct RunLine {
    end: usize,
    stop: Stop,
    fault: Option<FaultKind>,
}

/// Columns of a frame that were looked up.
pub struct Columns<'a>(Vec<Option<(&'a [u64], Kind)>>);

/// What no figure is made of, but a comparison or a study of passes asks for.
const ALSO: [&str; 7] = ["revised", "empty", "truncated", "role_collapse", "approved_non_draft", "cycle_length", "blocking"];

/// The columns that are kept: places in a row, ascending.
static KEPT: LazyLock<Vec<(usize, Kind)>> = LazyLock::new(|| {
    let mut kept: Vec<(usize, Kind)> = Plan::all().iter().flat_map(Plan::columns).collect();
    kept.extend(metric::columns().enumerate().filter(|(_, column)| ALSO.contains(&column.name)).map(|(at, column)| (at, column.kind)));
    kept.sort_unstable_by_key(|(at, _)| *at);
    kept.dedup_by_key(|(at, _)| *at);
    kept
});

/// Null of a column of whole numbers, amounts and flags: no count is negative.
const NULL: i64 = i64::MIN;

fn pack(kind: Kind, cell: &Cell) -> u64 {
    match (kind, cell) {
        (Kind::Real, Cell::Real(x)) => x.to_bits(),
        (Kind::Real, _) => f64::NAN.to_bits(),
        (Kind::Int, Cell::Int(n)) => (*n).max(NULL + 1) as u64,
        (Kind::Flag, Cell::Flag(flag)) => u64::from(*flag),
        (Kind::Usd, Cell::Usd(usd)) => usd.to_pico() as u64,
        _ => NULL as u64,
    }
}

fn unpack(kind: Kind, bits: u64) -> Cell {
    match (kind, bits as i64) {
        (Kind::Real, _) => Cell::from(f64::from_bits(bits)),
        (_, NULL) => Cell::Null,
        (Kind::Int, n) => Cell::Int(n),
        (Kind::Flag, flag) => Cell::Flag(flag != 0),
        (Kind::Usd, pico) => Cell::Usd(Usd::from_pico(pico)),
        (Kind::Text, _) => Cell::Null,
    }
}

impl Frame {
    /// Takes one ticket's runs, one a sample. None is no ticket.
    pub fn push(&mut self, ticket: &[Measured]) {
        let Some(first) = ticket.first() else { return };
        self.columns.resize(KEPT.len(), vec![]);
        for run in ticket {
            self.passes.extend(run.rows.iter().map(|row| row.pass));
            for ((at, kind), column) in KEPT.iter().zip(&mut self.columns) {
                column.extend(run.rows.iter().map(|row| pack(*kind, row.cell(*at))));
            }
            self.runs.push(RunLine { end: self.passes.len(), stop: run.stop, fault: run.fault.as_ref().map(|fault| fault.kind) });
        }
        self.tickets.push(TicketLine { id: first.ticket.clone(), end: self.runs.len() });
    }

    /// Tickets.
    pub fn len(&self) -> usize {
        self.tickets.len()
    }

    pub fn is_empty(&self) -> bool {
        self.tickets.is_empty()
    }

    /// Id of a ticket. This and what follows panic for a place that is none, as a slice does.
    pub fn ticket(&self, ticket: usize) -> &str {
        &self.tickets[ticket].id
    }

    /// What kept a run of the ticket from being replayed.
    pub fn fault(&self, ticket: usize) -> Option<FaultKind> {
        self.runs(ticket).iter().find_map(|run| run.fault)
    }

    /// Why its first run ended; where one has a fault, that one.
    pub fn stop(&self, ticket: usize) -> Stop {
        let runs = self.runs(ticket);
        runs.iter().find(|run| run.fault.is_some()).or(runs.first()).map_or(Stop::Fault, |run| run.stop)
    }

    pub fn samples(&self, ticket: usize) -> usize {
        self.runs(ticket).len()
    }

    /// The last pass that a run of the ticket had.
    pub fn last_pass(&self, ticket: usize) -> u32 {
        self.passes[self.rows(ticket)].iter().copied().max().unwrap_or(0)
    }

    fn run_start(&self, ticket: usize) -> usize {
        if ticket == 0 { 0 } else { self.tickets[ticket - 1].end }
    }

    fn row_start(&self, run: usize) -> usize {
        if run == 0 { 0 } else { self.runs[run - 1].end }
    }

    fn rows(&self, ticket: usize) -> std::ops::Range<usize> {
        self.row_start(self.run_start(ticket))..self.row_start(self.tickets[ticket].end)
    }

    fn runs(&self, ticket: usize) -> &[RunLine] {
        &self.runs[self.run_start(ticket)..self.tickets[ticket].end]
    }

    /// A figure's cells in every row of every run of a ticket: which run, which pass, and the two.
    fn each(&self, plan: &Plan, ticket: usize, mut take: impl FnMut(usize, u32, &Cell, &Cell)) {
        let columns = plan.columns().map(|(at, kind)| (KEPT.partition_point(|(kept, _)| *kept < at), kind));
        let columns: Vec<(&[u64], Kind)> = columns.filter_map(|(at, kind)| Some((self.columns.get(at)?.as_slice(), kind))).collect();
        for run in self.run_start(ticket)..self.tickets[ticket].end {
            for row in self.row_start(run)..self.runs[run].end {
                let cell = |at: usize| columns.get(at).map_or(Cell::Null, |(cells, kind)| unpack(*kind, cells[row]));
                take(run, self.passes[row], &cell(0), &cell(1));
            }
        }
    }

    /// Some columns by name, for [`Frame::cells`]; one that is not kept reads as null.
    pub fn columns(&self, names: &[&str]) -> Columns<'_> {
        let kept = |name: &&str| {
            let place = metric::column_at(name)?;
            let (at, (_, kind)) = KEPT.iter().enumerate().find(|(_, (kept, _))| *kept == place)?;
            Some((self.columns.get(at)?.as_slice(), *kind))
        };
        Columns(names.iter().map(kept).collect())
    }

    /// Cells of some columns in every row of every run of a ticket: which run (from 0), which pass, and one cell a column.
    pub fn cells(&self, columns: &Columns<'_>, ticket: usize, mut take: impl FnMut(usize, u32, &[Cell])) {
        let mut cells = vec![Cell::Null; columns.0.len()];
        let first = self.run_start(ticket);
        for run in first..self.tickets[ticket].end {
            for row in self.row_start(run)..self.runs[run].end {
                for (cell, kept) in cells.iter_mut().zip(&columns.0) {
                    *cell = kept.map_or(Cell::Null, |(column, kind)| unpack(kind, column[row]));
                }
                take(run - first, self.passes[row], &cells);
            }
        }
    }

    /// Sum of a column's counts, or how often its flag is set, over the tickets without a fault. None where it holds nothing.
    pub fn total(&self, column: &str) -> Option<u64> {
        let place = metric::column_at(column)?;
        let (at, kind) = KEPT.iter().enumerate().find_map(|(at, (kept, kind))| (*kept == place).then_some((at, *kind)))?;
        let cells = self.columns.get(at)?;
        let mut sum = None;
        for ticket in (0..self.len()).filter(|ticket| self.fault(*ticket).is_none()) {
            for bits in &cells[self.rows(ticket)] {
                let n = match unpack(kind, *bits) {
                    Cell::Int(n) => u64::try_from(n).unwrap_or(0),
                    Cell::Flag(flag) => u64::from(flag),
                    _ => continue,
                };
                sum = Some(sum.unwrap_or(0u64).saturating_add(n));
            }
        }
        sum
    }

    /// A figure's cells in the passes that the ticket's runs had.
    pub fn running(&self, plan: &Plan, ticket: usize, mut take: impl FnMut(u32, &Cell, &Cell)) {
        self.each(plan, ticket, |_, pass, over, under| take(pass, over, under));
    }

    /// A figure's cells at every pass before `passes`, the last state of each run carried forward.
    pub fn enrolled(&self, plan: &Plan, ticket: usize, passes: u32, mut take: impl FnMut(u32, &Cell, &Cell)) {
        let mut state = Carried::new(plan);
        let (mut run, mut reached) = (self.run_start(ticket), 0);
        // Passes before `to` that are not told yet.
        let mut tell = |state: &Carried<'_>, reached: &mut u32, to: u32| {
            (*reached..to.min(passes)).for_each(|pass| take(pass, state.over(), state.under()));
            *reached = to.max(*reached);
        };
        self.each(plan, ticket, |of, pass, over, under| {
            if of != run {
                tell(&state, &mut reached, passes);
                (state, run, reached) = (Carried::new(plan), of, 0);
            }
            tell(&state, &mut reached, pass);
            state.take(over, under);
        });
        if !self.runs(ticket).is_empty() {
            tell(&state, &mut reached, passes);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::metric::{How, Row};

    use super::super::{Accumulator, Origin, Spot};
    use super::*;

    #[test]
    fn cells_come_back_as_they_went_in() {
        let usd = Usd::parse("0.000321").unwrap();
        for (kind, cell) in [
            (Kind::Int, Cell::Int(0)),
            (Kind::Int, Cell::Int(i64::MAX)),
            (Kind::Int, Cell::Int(-1)),
            (Kind::Real, Cell::Real(-0.25)),
            (Kind::Flag, Cell::Flag(true)),
            (Kind::Flag, Cell::Flag(false)),
            (Kind::Usd, Cell::Usd(usd)),
            (Kind::Usd, Cell::Usd(Usd::ZERO)),
        ] {
            assert_eq!(unpack(kind, pack(kind, &cell)), cell);
            assert_eq!(unpack(kind, pack(kind, &Cell::Null)), Cell::Null);
        }
    }

    /// Some of everything, by a rule that leaves no column all alike.
    fn runs() -> Vec<Vec<Measured>> {
        let row = |ticket: u32, sample: u32, pass: u32| {
            let cell = |(at, column): (usize, &metric::Column)| {
                let n = ticket * 7 + sample * 5 + pass * 3 + at as u32;
                match column.kind {
                    _ if n.is_multiple_of(5) => Cell::Null,
                    Kind::Int => Cell::from(n % 4),
                    Kind::Real => Cell::from(f64::from(n % 9) / 8.0),
                    Kind::Flag => Cell::Flag(n.is_multiple_of(2)),
                    Kind::Usd => Cell::Usd(Usd::from_pico(i64::from(n))),
                    Kind::Text => Cell::Null,
                }
            };
            Row { pass, cells: metric::columns().enumerate().map(cell).collect() }
        };
        let run = |ticket: u32, sample: u32| Measured {
            ticket: format!("T{ticket}"),
            sample,
            stop: Stop::MaxPasses,
            fault: None,
            rows: (0..=(ticket + sample) % 4).map(|pass| row(ticket, sample, pass)).collect(),
            repairs: vec![],
            unused: vec![],
        };
        (0..23).map(|ticket| (0..1 + ticket % 3).map(|sample| run(ticket, sample)).collect()).collect()
    }

    #[test]
    fn both_views_are_those_of_the_summary() {
        let (mut frame, mut sum) = (Frame::default(), Accumulator::new(Origin::default(), 4));
        for ticket in runs() {
            frame.push(&ticket);
            sum.add(&ticket);
        }
        let summary = sum.finish();
        for (plan, figure) in Plan::all().iter().zip(&summary.figures) {
            let fill = |carried: bool| {
                let mut spots = vec![Spot::new(plan); if carried { 5 } else { 4 }];
                for ticket in 0..frame.len() {
                    let mut values = 0;
                    let take = |pass: u32, over: &Cell, under: &Cell| {
                        spots[pass as usize].add(over, under, ticket as u64 + 1);
                        values += u32::from(plan.fraction(over, under).is_some());
                    };
                    if carried { frame.enrolled(plan, ticket, 5, take) } else { frame.running(plan, ticket, take) }
                }
                spots.iter().enumerate().map(|(pass, spot)| spot.figure(pass, false)).collect::<Vec<_>>()
            };
            assert_eq!(fill(false), figure.running, "{}", figure.name);
            if plan.carried() {
                assert_eq!(Some(fill(true)), figure.enrolled, "{}", figure.name);
            }
        }
    }

    #[test]
    fn a_fraction_is_what_the_tally_takes() {
        let cells = [Cell::Null, Cell::Int(3), Cell::Real(0.5), Cell::Flag(true), Cell::Usd(Usd::ZERO)];
        for plan in Plan::all() {
            for (over, under) in cells.iter().flat_map(|over| cells.iter().map(move |under| (over, under))) {
                let mut spot = Spot::new(plan);
                spot.add(over, under, 1);
                let fits = plan.columns().zip([over, under]).all(|((_, kind), cell)| unpack(kind, pack(kind, cell)) == *cell);
                if fits {
                    assert_eq!(plan.fraction(over, under).is_some(), spot.figure(0, true).n == 1, "{} {over:?}", plan.figure.name);
                }
            }
            assert!(!matches!(plan.figure.how, How::Ratio(..)) || plan.columns().count() == 2);
        }
    }

    #[test]
    fn tickets_know_their_runs() {
        let mut frame = Frame::default();
        frame.push(&[]);
        assert!(frame.is_empty());
        for ticket in runs() {
            frame.push(&ticket);
        }
        assert_eq!((frame.len(), frame.ticket(2), frame.samples(2), frame.last_pass(2), frame.last_pass(0)), (23, "T2", 3, 3, 0));
        assert_eq!((frame.stop(1), frame.fault(1)), (Stop::MaxPasses, None));
    }
}
