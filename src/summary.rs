//! The summary of an arm: every figure per pass in two views, with its counts, and what was counted beside it. Format version 1 of summary.json.
//!
//! Fed ticket by ticket in dataset order; memory does not grow with the tickets, and the sum of two shards is the summary of both.
//!
//! Runs with a fault are counted and left out of every figure: they are not in the denominator of anything but the coverage. With several
//! samples the runs of all of them are pooled, `n` still counts tickets, and there is no interval: runs of one ticket are not independent.

mod tally;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::metric::{self, Better, Cell, How, Measured, column_at, fault_name};
use crate::model::{DropReason, Fault, Usd};
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
    #[serde(flatten)]
    pub origin: Origin,
    /// Tickets replayed.
    pub tickets: u64,
    /// Tickets of the dataset that were left out because the arm recorded no call for them and says so.
    pub not_recorded: u64,
    /// Runs a ticket.
    pub samples: u32,
    pub runs: u64,
    /// Tickets of which a run has a fault.
    pub errored: u64,
    /// Runs with a fault, by its kind.
    pub faults: BTreeMap<String, u64>,
    /// The first of them, in dataset order.
    pub fault_list: Vec<FaultLine>,
    /// The first recorded calls that no loop asked for; `calls.unused` counts all.
    pub unused_list: Vec<UnusedLine>,
    /// Tickets of the recording that the dataset lacks.
    pub tickets_without_dataset_row: Vec<String>,
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

/// What the figures are figures of.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Origin {
    pub arm: String,
    pub dataset: String,
    pub dataset_digest: String,
    /// Not empty where the answers were not made by a model; shown wherever the figures are.
    pub synthetic: String,
    /// False where requests were not recorded, so that calls were matched by their slot alone.
    pub requests_recorded: bool,
}

/// A run that could not be replayed to its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FaultLine {
    pub ticket: String,
    pub sample: u32,
    pub kind: String,
    pub at: String,
    pub what: String,
}

/// A recorded call that was never asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UnusedLine {
    pub ticket: String,
    pub sample: u32,
    pub pass: u32,
    pub role: String,
    pub n: u32,
}

/// Lists in a summary name this many cases at most; the counts beside them are whole.
const LISTED_MAX: usize = 100;

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
    /// Of the calls, those that no attempt answered.
    pub unanswered: u64,
    /// Requests sent until the calls were answered or given up.
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
        let text = serde_json::to_string_pretty(self).unwrap_or_default() + "\n";
        // JSON escapes only some of what can steer a terminal. The rest stands in strings alone, where an escape says the same.
        let unsafe_left = |c: char| c != '\n' && crate::text::control::is_unsafe(c);
        if !text.contains(unsafe_left) {
            return text;
        }
        let escaped = |c: char| if unsafe_left(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() };
        text.chars().map(escaped).collect()
    }
}

/// A summary in the making.
pub struct Accumulator {
    origin: Origin,
    fault_list: Vec<FaultLine>,
    unused_list: Vec<UnusedLine>,
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
    pub fn new(origin: Origin, max_passes: u32) -> Accumulator {
        let calls = CallTotals { tokens_in: Some(0), tokens_out: Some(0), cost_usd: Some(Usd::ZERO), ..CallTotals::default() };
        Accumulator {
            origin,
            fault_list: vec![],
            unused_list: vec![],
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
            self.unused += run.unused.len() as u64;
            let room = LISTED_MAX.saturating_sub(self.unused_list.len());
            self.unused_list.extend(run.unused.iter().take(room).map(|slot| UnusedLine {
                ticket: run.ticket.clone(),
                sample: run.sample,
                pass: slot.pass,
                role: slot.role.name().into(),
                n: slot.n,
            }));
            self.calls.add(run);
            match &run.fault {
                Some(fault) => self.errored_run(run, fault),
                None => self.measure(run),
            }
        }
        let errored = ticket.iter().any(|run| run.fault.is_some());
        self.errored += u64::from(errored);
        let revised = |run: &Measured| run.rows.iter().any(|row| cell(&row.cells, KNOWN.revised) == &Cell::Flag(true));
        self.without_revision += u64::from(!errored && !ticket.iter().any(revised));
    }

    fn errored_run(&mut self, run: &Measured, fault: &Fault) {
        let kind = fault_name(fault.kind);
        count(&mut self.faults, kind, 1);
        if self.fault_list.len() < LISTED_MAX {
            let (at, what) = (fault.at.clone(), fault.what.clone());
            self.fault_list.push(FaultLine { ticket: run.ticket.clone(), sample: run.sample, kind: kind.into(), at, what });
        }
    }

    fn measure(&mut self, run: &Measured) {
        run.repairs.iter().for_each(|name| count(&mut self.repairs, name, 1));
        for row in &run.rows {
            if let Cell::Text(reason) = cell(&row.cells, KNOWN.parse_reason) {
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
        self.fault_list.extend(other.fault_list);
        self.fault_list.truncate(LISTED_MAX);
        self.unused_list.extend(other.unused_list);
        self.unused_list.truncate(LISTED_MAX);
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
            origin: self.origin,
            not_recorded: 0,
            tickets_without_dataset_row: vec![],
            fault_list: self.fault_list,
            unused_list: self.unused_list,
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
        let [calls, writer, critic, reviser, unanswered, attempts, tokens_in, tokens_out, cost, cost_known] = KNOWN.calls;
        for row in &run.rows {
            let whole = |at: usize| if let Cell::Int(n) = cell(&row.cells, at) { u64::try_from(*n).ok() } else { None };
            let usd = |at: usize| if let Cell::Usd(usd) = cell(&row.cells, at) { Some(*usd) } else { None };
            let some = |at: usize| whole(at).unwrap_or(0);
            let Some(calls) = whole(calls) else { continue };
            self.merge(&CallTotals {
                calls,
                writer: some(writer),
                critic: some(critic),
                reviser: some(reviser),
                unanswered: some(unanswered),
                attempts: some(attempts),
                tokens_in: whole(tokens_in),
                tokens_out: whole(tokens_out),
                cost_usd: usd(cost),
                cost_known_usd: usd(cost_known).unwrap_or_default(),
                unused: 0,
            });
        }
    }

    fn merge(&mut self, other: &CallTotals) {
        self.calls += other.calls;
        self.writer += other.writer;
        self.critic += other.critic;
        self.reviser += other.reviser;
        self.unanswered += other.unanswered;
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

/// Places of the columns that are read by name, looked up once.
struct Known {
    revised: usize,
    parse_reason: usize,
    calls: [usize; 10],
}

/// A name that is no column has no place, and its cells read as null; a test looks for every name.
static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let at = |name: &str| column_at(name).unwrap_or(usize::MAX);
    let calls = [
        "calls",
        "calls_writer",
        "calls_critic",
        "calls_reviser",
        "calls_unanswered",
        "attempts",
        "tokens_in",
        "tokens_out",
        "cost_usd",
        "cost_known_usd",
    ];
    Known { revised: at("revised"), parse_reason: at("parse_reason"), calls: calls.map(at) }
});

fn cell(cells: &[Cell], at: usize) -> &Cell {
    cells.get(at).unwrap_or(&Cell::Null)
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
mod speed_tests;
#[cfg(test)]
mod tests;
