//! How often the gate raises a false alarm, and how often it sees a true change: `scripts/power [RUNS]`.
//!
//! Draws pairs of arms of 300 tickets, rows as a replay would measure them, and puts each pair through the comparison and the gate as they are.
//! A ticket breaks a check with the chances of the row; what both arms share of a ticket is given by the correlation of their outcomes. Beside
//! it stand two figures that do not change: sections edited though nobody mentioned them (60% of tickets, correlation 0.5) and calls.

use std::error::Error;
use std::path::Path;

use redraft::compare::{self, Options};
use redraft::gate::{self, Policy, Verdict};
use redraft::metric::{self, Cell, Measured, Row, column_at};
use redraft::model::Stop;
use redraft::side::{Kind, Side};
use redraft::stats::draw::Stream;
use redraft::stats::{power, wilson};
use redraft::summary::{Accumulator, Frame, Origin};

const TICKETS: u64 = 300;

/// Figures and their margins. Three figures of which none may get worse at all, so that Holm alone holds false alarms down; the policy that
/// `gate --init` writes; and its first figure alone.
type Gated = &'static [(&'static str, &'static str)];
const POLICIES: [(&str, Gated); 3] = [
    ("three figures, no margin", &[("run_new_error", "0pp"), ("untouched_section_edit", "0pp"), ("calls", "0%")]),
    ("as gate --init", &[("run_new_error", "2pp"), ("untouched_section_edit", "10pp"), ("calls", "10%")]),
    ("this figure alone, 2pp", &[("run_new_error", "2pp")]),
];

/// Runs that break a check: baseline, candidate, correlation of the two over tickets.
const CASES: [(f64, f64, f64); 8] = [
    (0.023, 0.023, 0.0),
    (0.023, 0.023, 0.5),
    (0.093, 0.093, 0.0),
    (0.093, 0.093, 0.5),
    (0.023, 0.093, 0.0),
    (0.023, 0.093, 0.5),
    (0.023, 0.063, 0.0),
    (0.023, 0.063, 0.5),
];

/// One ticket's outcome in either arm.
struct Outcome {
    broke: [bool; 2],
    touched: [bool; 2],
    calls: [i64; 2],
}

/// Draws of one run of one case, as numbers from 0 to 1.
struct Draws {
    stream: Stream,
    run: u64,
}

impl Draws {
    fn next(&self, ticket: u64, what: u64) -> f64 {
        self.stream.draw(self.run, what * TICKETS + ticket, 8 * TICKETS) as f64 / 2f64.powi(64)
    }

    /// Whether the event comes in either arm, from its chance in each and their correlation.
    fn event(&self, ticket: u64, what: u64, (from, to, correlation): (f64, f64, f64)) -> [bool; 2] {
        let (only_to, only_from) = power::discordant_chances(from, to, correlation).unwrap_or((0.0, 0.0));
        let both = from - only_from;
        match self.next(ticket, what) {
            x if x < both => [true, true],
            x if x < both + only_to => [false, true],
            x if x < both + only_to + only_from => [true, false],
            _ => [false, false],
        }
    }

    fn outcome(&self, ticket: u64, broken: (f64, f64, f64)) -> Outcome {
        // A ticket takes 3 to 12 calls, and either arm up to 3 more.
        let shared = (10.0 * self.next(ticket, 2)) as i64;
        let calls = [3, 4].map(|what| 3 + shared + (4.0 * self.next(ticket, what)) as i64);
        Outcome { broke: self.event(ticket, 0, broken), touched: self.event(ticket, 1, (0.6, 0.6, 0.5)), calls }
    }
}

/// A side made of outcomes; each arm is a recording of its own.
fn side(arm: usize, outcomes: &[Outcome]) -> Side {
    let at = |name: &str| column_at(name).unwrap_or(usize::MAX);
    let places = ["run_new_error", "untouched_section_edit", "calls", "revised", "emitted"].map(at);
    let origin = Origin { arm: arm.to_string(), recording_digest: arm.to_string(), requests_recorded: true, ..Origin::default() };
    let (mut sum, mut frame) = (Accumulator::new(origin, 1), Frame::default());
    let width = metric::columns().count();
    for (ticket, outcome) in outcomes.iter().enumerate() {
        let mut cells = vec![Cell::Null; width];
        let told = [outcome.broke[arm].into(), outcome.touched[arm].into(), Cell::Int(outcome.calls[arm]), true.into(), Cell::Int(3)];
        places.iter().zip(told).for_each(|(place, cell)| cells[*place] = cell);
        let rows = vec![Row { pass: 1, cells }];
        let ticket = format!("T{ticket:03}");
        let run = [Measured { ticket, sample: 0, stop: Stop::MaxPasses, fault: None, rows, repairs: vec![], unused: vec![] }];
        sum.add(&run);
        frame.push(&run);
    }
    Side::measured(Kind::Table, arm.to_string().into(), sum.finish(), None, frame)
}

fn policy(gated: Gated) -> Result<Policy, redraft::error::Error> {
    let metrics = gated.iter().map(|(figure, margin)| format!("[[metric]]\nfigure = \"{figure}\"\nmargin = \"{margin}\"\n"));
    Policy::parse(Path::new("gate.toml"), &format!("version = 1\n{}", metrics.collect::<String>()))
}

fn main() -> Result<(), Box<dyn Error>> {
    let runs: u64 = std::env::args().nth(1).map_or(Ok(1000), |text| text.parse())?;
    let policies = POLICIES.iter().map(|(_, gated)| policy(gated)).collect::<Result<Vec<_>, _>>()?;
    println!("{runs} pairs of {TICKETS} tickets a row; shares with their 95% intervals (Wilson).\n");
    println!("| runs that break a check | correlation | policy | REGRESSED | of this figure | PASS | INCONCLUSIVE |");
    println!("|---|---|---|---|---|---|---|");
    for (case, broken) in CASES.iter().enumerate() {
        let stream = Stream::new(1, &format!("power|{case}"));
        let mut counts = vec![[0u64; 4]; policies.len()];
        for run in 0..runs {
            let draws = Draws { stream, run };
            let outcomes: Vec<Outcome> = (0..TICKETS).map(|ticket| draws.outcome(ticket, *broken)).collect();
            let comparison = compare::compare(&side(0, &outcomes), &side(1, &outcomes), &Options { seed: run, ..Options::default() });
            for (policy, counts) in policies.iter().zip(&mut counts) {
                let gate = gate::judge(&comparison, policy);
                let own = gate.metrics.first().is_some_and(|metric| metric.verdict == Verdict::Regressed);
                let seen = [gate.verdict == Verdict::Regressed, own, gate.verdict == Verdict::Pass, gate.verdict == Verdict::Inconclusive];
                counts.iter_mut().zip(seen).for_each(|(count, seen)| *count += u64::from(seen));
            }
        }
        for ((name, _), counts) in POLICIES.iter().zip(counts) {
            let shown = counts.map(|count| match wilson(count, runs, 0.95) {
                Some(interval) => format!(
                    "{count} = {:.1}% ({:.1} to {:.1})",
                    100.0 * count as f64 / runs as f64,
                    100.0 * interval.low,
                    100.0 * interval.high
                ),
                None => "n/a".to_owned(),
            });
            let (from, to, correlation) = *broken;
            println!("| {:.1}% to {:.1}% | {correlation} | {name} | {} |", 100.0 * from, 100.0 * to, shown.join(" | "));
        }
    }
    Ok(())
}
