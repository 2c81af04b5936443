//! The summary of an arm: every figure per pass in two views, with its counts, and what was counted beside it. Format version 1 of summary.json.
//!
//! Fed ticket by ticket in dataset order; memory does not grow with the tickets, and the sum of two shards is the summary of both.
//!
//! Runs with a fault are counted and left out of every figure: they are not in the denominator of anything but the coverage. With several
//! samples the runs of all of them are pooled, `n` still counts tickets, and there is no interval: runs of one ticket are not independent.

mod tally;

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::metric::{self, Better, Cell, How, Measured, column_at, fault_name};
use crate::model::{DropReason, Usd};
use tally::{Plan, Views};

/// summary.json.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// Format version: 1.
    pub version: u32,
    pub arms: Vec<ArmSummary>,
}

/// One arm over all its tickets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArmSummary {
    pub arm: String,
    pub tickets: u64,
    /// Runs a ticket.
    pub samples: u32,
    pub runs: u64,
    /// Tickets of which a run has a fault.
    pub errored: u64,
    /// Runs with a fault, by its kind.
    pub faults: BTreeMap<String, u64>,
    /// Tickets without a fault in which no pass made a revision.
    pub without_revision: u64,
    /// Tickets without a fault and with a revision.
    pub scored: u64,
    /// Tickets without a fault, over all.
    pub coverage: Rate,
    /// All runs, by why they ended.
    pub stops: BTreeMap<String, u64>,
    pub anchoring: Anchoring,
    /// Critiques that could not be read, by reason.
    pub parse_errors: BTreeMap<String, u64>,
    /// Repairs that reading critiques took, by name.
    pub repairs: BTreeMap<String, u64>,
    pub calls: CallTotals,
    /// In the order of the measurements.
    pub figures: Vec<FigureSummary>,
}

/// A share with its counts; null over nothing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rate {
    pub num: u64,
    pub den: u64,
    pub value: Option<f64>,
}

impl Rate {
    pub fn new(num: u64, den: u64) -> Rate {
        Rate { num, den, value: (den > 0).then(|| num as f64 / den as f64) }
    }
}

/// How surely the findings of all passes were located, over those emitted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Anchoring {
    pub emitted: u64,
    pub exact: u64,
    pub normalised: u64,
    pub fuzzy: u64,
    /// Of the three above, findings whose quotation occurs several times.
    pub ambiguous: u64,
    pub dropped: u64,
    /// Every reason, those that did not occur too.
    pub dropped_by_reason: BTreeMap<String, u64>,
    /// Grounded findings whose proof is the draft itself.
    pub source_internal: u64,
    pub source_eligible: u64,
    pub source_failed: u64,
}

/// What the runs used, those with a fault included.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CallTotals {
    pub calls: u64,
    pub writer: u64,
    pub critic: u64,
    pub reviser: u64,
    /// Requests sent until the calls were answered.
    pub attempts: u64,
    /// Null where a call told no usage.
    pub tokens_in: Option<u64>,
    pub tokens_out: Option<u64>,
    /// Exact; null where a call's usage or price is unknown.
    pub cost_usd: Option<Usd>,
    /// Of the calls whose cost is known: a lower bound.
    pub cost_known_usd: Usd,
    /// Recorded calls that no loop asked for.
    pub unused: u64,
}

/// One figure, pass by pass.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FigureSummary {
    pub name: String,
    pub title: String,
    pub unit: String,
    /// `share`, `median`, `mean` or `ratio`.
    pub how: String,
    pub better: Option<Better>,
    /// The tickets that ran the pass.
    pub running: Vec<PassFigure>,
    /// Every ticket, its last state carried forward. Null for a figure that has no meaning over passes.
    pub enrolled: Option<Vec<PassFigure>>,
}

/// A figure at one pass. What cannot be seen is null.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PassFigure {
    pub pass: u32,
    /// Null for a median.
    pub num: Option<Amount>,
    /// Runs (share, mean) or the second sum (ratio); null for a median.
    pub den: Option<u64>,
    pub value: Option<f64>,
    /// Ratios only: the mean of the runs' own ratios, of those that have one.
    pub mean_of_ratios: Option<f64>,
    /// 95% interval: Wilson (share), order statistics (median); null elsewhere, for too few tickets, and with several samples.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Tickets with a value.
    pub n: u64,
    /// Runs without one.
    pub missing: u64,
}

/// A sum: whole, in exact dollars (a string), or real.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Amount {
    Count(i64),
    Real(f64),
    Usd(Usd),
}

impl Summary {
    pub fn new(arms: Vec<ArmSummary>) -> Summary {
        Summary { version: 1, arms }
    }

    /// Reads a summary.json.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Summary, Error> {
        let summary: Summary = serde_json::from_slice(bytes).map_err(|e| Error::at_line(path, e.line(), format!("not a summary: {e}")))?;
        match summary.version {
            1 => Ok(summary),
            other => Err(Error::at(path, format!("version {other} of the summary format is not known; expected 1"))),
        }
    }

    /// The file's bytes, for people too: two blanks a level, a line end at the end.
    pub fn to_json(&self) -> String {
        // Plain data with string keys cannot fail to be written.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

/// A summary in the making.
pub struct Accumulator {
    arm: String,
    tickets: u64,
    samples: u32,
    runs: u64,
    errored: u64,
    without_revision: u64,
    faults: BTreeMap<String, u64>,
    stops: BTreeMap<String, u64>,
    parse_errors: BTreeMap<String, u64>,
    repairs: BTreeMap<String, u64>,
    unused: u64,
    /// One a column, over the rows of runs without a fault.
    sums: Vec<i64>,
    calls: CallTotals,
    figures: Vec<Views>,
}

impl Accumulator {
    /// `max_passes` is the loop's bound: the view `enrolled` reaches at least so far, and further where a run does (a closing critique).
    pub fn new(arm: &str, max_passes: u32) -> Accumulator {
        let calls = CallTotals { tokens_in: Some(0), tokens_out: Some(0), cost_usd: Some(Usd::ZERO), ..CallTotals::default() };
        Accumulator {
            arm: arm.into(),
            tickets: 0,
            samples: 0,
            runs: 0,
            errored: 0,
            without_revision: 0,
            faults: BTreeMap::new(),
            stops: BTreeMap::new(),
            parse_errors: BTreeMap::new(),
            repairs: BTreeMap::new(),
            unused: 0,
            sums: vec![0; metric::columns().count()],
            calls,
            figures: Plan::all().iter().map(|plan| Views::new(plan, max_passes as usize + 1)).collect(),
        }
    }

    /// Takes one ticket's runs, one a sample.
    pub fn add(&mut self, ticket: &[Measured]) {
        self.tickets += 1;
        self.samples = self.samples.max(ticket.len() as u32);
        for run in ticket {
            self.runs += 1;
            count(&mut self.stops, run.stop.name(), 1);
            self.unused += run.unused as u64;
            self.calls.add(run);
            match run.fault {
                Some(fault) => count(&mut self.faults, fault_name(fault), 1),
                None => self.measure(run),
            }
        }
        let errored = ticket.iter().any(|run| run.fault.is_some());
        self.errored += u64::from(errored);
        let revised = |run: &Measured| run.rows.iter().any(|row| cell(&row.cells, "revised") == &Cell::Flag(true));
        self.without_revision += u64::from(!errored && !ticket.iter().any(revised));
    }

    fn measure(&mut self, run: &Measured) {
        run.repairs.iter().for_each(|name| count(&mut self.repairs, name, 1));
        for row in &run.rows {
            if let Cell::Text(reason) = cell(&row.cells, "parse_reason") {
                count(&mut self.parse_errors, reason, 1);
            }
            for (sum, cell) in self.sums.iter_mut().zip(&row.cells) {
                if let Cell::Int(n) = cell {
                    *sum = sum.saturating_add(*n);
                }
            }
        }
        for (plan, views) in Plan::all().iter().zip(&mut self.figures) {
            views.add(plan, &run.rows, self.tickets);
        }
    }

    /// Adds what another shard of the same arm counted. No ticket may be in both.
    pub fn merge(&mut self, other: Accumulator) {
        self.tickets += other.tickets;
        self.samples = self.samples.max(other.samples);
        self.runs += other.runs;
        self.errored += other.errored;
        self.without_revision += other.without_revision;
        self.unused += other.unused;
        for (mine, theirs) in [
            (&mut self.faults, other.faults),
            (&mut self.stops, other.stops),
            (&mut self.parse_errors, other.parse_errors),
            (&mut self.repairs, other.repairs),
        ] {
            theirs.into_iter().for_each(|(name, n)| count(mine, &name, n));
        }
        self.sums.iter_mut().zip(other.sums).for_each(|(mine, theirs)| *mine = mine.saturating_add(theirs));
        self.calls.merge(&other.calls);
        self.figures.iter_mut().zip(other.figures).for_each(|(mine, theirs)| mine.merge(theirs));
    }

    pub fn finish(self) -> ArmSummary {
        let single = self.samples <= 1;
        let figures = Plan::all().iter().zip(&self.figures).map(|(plan, views)| {
            let figure = plan.figure;
            FigureSummary {
                name: figure.name.into(),
                title: figure.title.into(),
                unit: figure.unit.into(),
                how: how(figure.how).into(),
                better: figure.better,
                running: views.running(single),
                enrolled: plan.carried().then(|| views.enrolled(single)),
            }
        });
        ArmSummary {
            tickets: self.tickets,
            samples: self.samples,
            runs: self.runs,
            errored: self.errored,
            without_revision: self.without_revision,
            scored: self.tickets - self.errored - self.without_revision,
            coverage: Rate::new(self.tickets - self.errored, self.tickets),
            anchoring: anchoring(&self.sums),
            calls: CallTotals { unused: self.unused, ..self.calls },
            figures: figures.collect(),
            arm: self.arm,
            faults: self.faults,
            stops: self.stops,
            parse_errors: self.parse_errors,
            repairs: self.repairs,
        }
    }
}

impl CallTotals {
    /// A run that never began has rows without calls, which tell nothing.
    fn add(&mut self, run: &Measured) {
        for row in &run.rows {
            let whole = |name: &str| if let Cell::Int(n) = cell(&row.cells, name) { u64::try_from(*n).ok() } else { None };
            let usd = |name: &str| if let Cell::Usd(usd) = cell(&row.cells, name) { Some(*usd) } else { None };
            let Some(calls) = whole("calls") else { continue };
            let some = |name: &str| whole(name).unwrap_or(0);
            self.merge(&CallTotals {
                calls,
                writer: some("calls_writer"),
                critic: some("calls_critic"),
                reviser: some("calls_reviser"),
                attempts: some("attempts"),
                tokens_in: whole("tokens_in"),
                tokens_out: whole("tokens_out"),
                cost_usd: usd("cost_usd"),
                cost_known_usd: usd("cost_known_usd").unwrap_or_default(),
                unused: 0,
            });
        }
    }

    fn merge(&mut self, other: &CallTotals) {
        self.calls += other.calls;
        self.writer += other.writer;
        self.critic += other.critic;
        self.reviser += other.reviser;
        self.attempts += other.attempts;
        self.tokens_in = self.tokens_in.zip(other.tokens_in).map(|(a, b)| a.saturating_add(b));
        self.tokens_out = self.tokens_out.zip(other.tokens_out).map(|(a, b)| a.saturating_add(b));
        self.cost_usd = self.cost_usd.zip(other.cost_usd).map(|(a, b)| a + b);
        self.cost_known_usd = self.cost_known_usd + other.cost_known_usd;
        self.unused += other.unused;
    }
}

fn count(counts: &mut BTreeMap<String, u64>, name: &str, n: u64) {
    match counts.get_mut(name) {
        Some(known) => *known += n,
        None => drop(counts.insert(name.to_owned(), n)),
    }
}

/// A row's cell by its column's name; null for a name that is no column.
fn cell<'a>(cells: &'a [Cell], name: &str) -> &'a Cell {
    column_at(name).and_then(|at| cells.get(at)).unwrap_or(&Cell::Null)
}

fn anchoring(sums: &[i64]) -> Anchoring {
    let sum = |name: &str| column_at(name).and_then(|at| sums.get(at)).map_or(0, |n| u64::try_from(*n).unwrap_or(0));
    Anchoring {
        emitted: sum("emitted"),
        exact: sum("anchored_exact"),
        normalised: sum("anchored_normalised"),
        fuzzy: sum("anchored_fuzzy"),
        ambiguous: sum("ambiguous"),
        dropped: sum("dropped"),
        dropped_by_reason: DropReason::ALL
            .iter()
            .map(|reason| (reason.name().to_owned(), sum(&format!("dropped_{}", reason.name()))))
            .collect(),
        source_internal: sum("source_internal"),
        source_eligible: sum("source_eligible"),
        source_failed: sum("source_failed"),
    }
}

fn how(how: How) -> &'static str {
    match how {
        How::Share(_) => "share",
        How::Median(_) => "median",
        How::Mean(_) => "mean",
        How::Ratio(_, _) => "ratio",
    }
}

#[cfg(test)]
mod tests;
