//! The summary of an arm in the making: what the runs of each ticket add to it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::tally::{Plan, Views};
use super::{Anchoring, ArmSummary, CallTotals, FaultLine, FigureSummary, Origin, Rate, UnusedLine};
use crate::label::Laid;
use crate::metric::{self, Cell, Measured, column_at};
use crate::model::{DropReason, Fault, Usd};
use crate::replay::Tally;

/// Lists in a summary name this many cases at most; the counts beside them are whole.
const LISTED_MAX: usize = 100;

/// A summary in the making.
pub struct Accumulator {
    origin: Origin,
    fault_list: Vec<FaultLine>,
    unused_list: Vec<UnusedLine>,
    tickets: u64,
    not_recorded: u64,
    orphans: Vec<String>,
    laid: Laid,
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
            not_recorded: 0,
            orphans: vec![],
            laid: Laid::default(),
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
        let revised = |run: &Measured| run.rows.iter().any(|row| row.cell(KNOWN.revised) == &Cell::Flag(true));
        self.without_revision += u64::from(!errored && !ticket.iter().any(revised));
    }

    fn errored_run(&mut self, run: &Measured, fault: &Fault) {
        let kind = fault.kind.name();
        count(&mut self.faults, kind, 1);
        if self.fault_list.len() < LISTED_MAX {
            let (at, what) = (fault.at.clone(), fault.what.clone());
            self.fault_list.push(FaultLine { ticket: run.ticket.clone(), sample: run.sample, kind: kind.into(), at, what });
        }
    }

    fn measure(&mut self, run: &Measured) {
        run.repairs.iter().for_each(|name| count(&mut self.repairs, name, 1));
        for row in &run.rows {
            if let Cell::Text(reason) = row.cell(KNOWN.parse_reason) {
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
        self.not_recorded += other.not_recorded;
        // Every part looks at the whole dataset, so all have the same.
        if self.orphans.is_empty() {
            self.orphans = other.orphans;
        }
        self.laid += other.laid;
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

    /// What the replay went over beside the runs that were added.
    pub fn replayed(&mut self, tally: &Tally) {
        self.not_recorded += tally.not_recorded as u64;
        self.orphans.extend(tally.orphans.iter().map(|(_, ticket)| ticket.clone()));
        self.labelled(tally.laid);
    }

    /// What labels of mentions did to the runs that were added.
    pub fn labelled(&mut self, laid: Laid) {
        self.laid += laid;
    }

    pub fn finish(self) -> ArmSummary {
        let single = self.samples <= 1;
        let figures = Plan::all().iter().zip(&self.figures).map(|(plan, views)| {
            let figure = plan.figure;
            FigureSummary {
                name: figure.name.into(),
                title: figure.title.into(),
                unit: figure.unit.into(),
                how: figure.how.name().into(),
                better: figure.better,
                headline: figure.headline,
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
            not_recorded: self.not_recorded,
            mentions_labelled: self.laid.passes,
            mentions_stale: self.laid.stale,
            tickets_without_dataset_row: self.orphans,
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
            let whole = |at: usize| if let Cell::Int(n) = row.cell(at) { u64::try_from(*n).ok() } else { None };
            let usd = |at: usize| if let Cell::Usd(usd) = row.cell(at) { Some(*usd) } else { None };
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
pub(super) struct Known {
    pub(super) revised: usize,
    pub(super) parse_reason: usize,
    pub(super) calls: [usize; 10],
}

/// A name that is no column has no place, and its cells read as null; a test looks for every name.
pub(super) static KNOWN: LazyLock<Known> = LazyLock::new(|| {
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
