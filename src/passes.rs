//! How many passes pay: what each pass gains and costs, the first, last and best draft of a run, and what a loop is worth over one without a
//! critic. Format version 1 of passes.json. Definitions: docs/passes.md.
//!
//! The ticket is the unit: of several samples its mean. Runs with a fault are in no number. A run that stops is carried forward with its last
//! draft that is one, so every pass is judged over the same tickets.

mod best;
mod judge;
mod lift;
mod outcome;
mod run;
#[cfg(test)]
mod tests;
mod words;

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::jsonl;
use crate::metric::Better;
use crate::side::Side;
use crate::stats::multiple;
use crate::summary::{Origin, PassFigure, Rate};
use judge::Judge;
use run::Arm;
pub use words::{per_100, signed};

/// What a study may be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Of what is drawn at random.
    pub seed: u64,
    /// Draws of a bootstrap and of a sign-flip test.
    pub replicates: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options { seed: 1, replicates: 2000 }
    }
}

/// passes.json.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Study {
    /// Format version: 1.
    pub version: u32,
    pub arms: Vec<ArmPasses>,
}

/// One arm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArmPasses {
    #[serde(flatten)]
    pub origin: Origin,
    /// The path as it was given.
    pub path: String,
    pub tickets: u64,
    /// Tickets of which a run has a fault: in no number below.
    pub errored: u64,
    /// The others: every ticket that calls and cost are of.
    pub enrolled: u64,
    /// Of these, tickets with required checks whose draft 0 is a draft: what is said of gains rests on them.
    pub judged: u64,
    /// Enrolled tickets without a required check (or whose checks are not known).
    pub without_checks: u64,
    /// Enrolled tickets whose draft 0 is none.
    pub without_first_draft: u64,
    /// Most runs a ticket.
    pub samples: u32,
    /// From pass 0 to the last pass that any enrolled ticket had.
    pub passes: Vec<PassLine>,
    /// The last pass whose gain is shown; null where none is.
    pub last_gain: Option<u32>,
    /// What that means, sentence by sentence.
    pub conclusion: Vec<String>,
    pub drafts: Drafts,
    /// Over the writer alone (draft 0 of this arm), then over the baseline, where one was given.
    pub lifts: Vec<Lift>,
    /// Flips, approvals, leaks, cycles, repetitions, non-drafts.
    pub outcomes: Vec<Outcome>,
    /// Lengths of cycles, each with the number of drafts that went back so far.
    pub cycles: Vec<Cycle>,
    /// What can be seen without labels or checks. None of these says that a draft got better.
    pub proxies: Vec<Proxy>,
}

/// One pass over all judged tickets, the last state of each carried forward.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PassLine {
    pub pass: u32,
    /// Enrolled tickets of which a run had this pass.
    pub running: u64,
    /// Of these, tickets of which a run had a draft after it, be it the old one. 0 in a pass that only approves or closes: it can gain nothing.
    pub drafted: u64,
    /// Judged tickets that are correct after this pass.
    pub correct: Level,
    /// Judged tickets that this pass made correct, and incorrect; of several samples the sums of shares. Null where `net` is.
    pub made_correct: Option<f64>,
    pub made_incorrect: Option<f64>,
    /// The first less the second, per 100 judged tickets. Null for pass 0 and for a pass without any draft.
    pub net: Option<Shift>,
    /// The p of `net` over all passes of the arm (Holm).
    pub p_holm: Option<f64>,
    pub reading: Reading,
    /// The smallest true net gain per 100 tickets that so many tickets, of which so many flip, show four times in five. Null where even the largest
    /// possible one is missed more often.
    pub detectable: Option<f64>,
    /// Required checks that revisions of this pass mended, and broke, over judged tickets (of several samples the sums of means).
    pub checks_mended: Option<f64>,
    pub checks_broken: Option<f64>,
    /// The first less the second, per 100 judged tickets.
    pub checks_net: Option<Shift>,
    /// Calls of this pass, and of all passes so far, per enrolled ticket. A ticket that stopped before costs nothing here.
    pub calls: Option<f64>,
    pub calls_so_far: Option<f64>,
    /// The same in dollars; null where a cost is unknown.
    pub cost_usd: Option<f64>,
    pub cost_usd_so_far: Option<f64>,
    /// Of the judged tickets: calls, and dollars, of this pass over its net number of tickets made correct. Null where that is 0 or less.
    pub calls_per_correct: Option<f64>,
    pub usd_per_correct: Option<f64>,
}

/// What a pass is shown to do: by its interval, and by the test after adjustment for looking at several passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    Gain,
    Loss,
    /// Not shown to do either, which is not shown to do nothing.
    NotShown,
    /// Nothing to judge by.
    None,
}

/// A share of tickets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Level {
    /// Tickets that have it; of several samples the sum of shares.
    pub num: f64,
    pub n: u64,
    /// Null over nothing.
    pub value: Option<f64>,
    /// 95%: Wilson; of several samples drawn by ticket.
    pub low: Option<f64>,
    pub high: Option<f64>,
}

/// A difference by ticket. A positive one is a gain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Shift {
    pub n: u64,
    pub value: Option<f64>,
    /// 95% interval.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// `tango`, `bootstrap`, `normal`; null without an interval.
    pub interval: Option<String>,
    /// `mcnemar_mid_p`, `sign_flip`, `mean_z`; null without a test.
    pub test: Option<String>,
    /// Two-sided.
    pub p: Option<f64>,
}

/// First, last and best draft, over the judged tickets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Drafts {
    /// Draft 0.
    pub first: Level,
    /// The last draft that is one.
    pub last: Level,
    /// What the loop hands out: the last draft, and where that is none (empty, truncated, role collapse) it counts as not correct.
    pub delivered: Level,
    /// An oracle: the best draft by the checks themselves, which no stop rule knows. A bound, not an aim.
    pub best: Level,
    pub last_minus_first: Shift,
    pub delivered_minus_first: Shift,
    pub best_minus_last: Shift,
    /// Runs by the pass that made their best draft: by checks held, then fewest blocking findings of the next critic, then the earliest.
    pub best_at: Vec<BestAt>,
    /// Runs with checks whose last draft holds as many of them as their best one.
    pub last_as_good: Rate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BestAt {
    pub pass: u32,
    pub runs: u64,
}

/// What an arm ends with over something without a critic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Lift {
    /// The baseline's arm; null for the writer alone, that is draft 0 of this arm.
    pub baseline: Option<String>,
    /// Judged tickets of both.
    pub n: u64,
    /// Judged tickets of this arm that the baseline lacks or that were not judged there, and the other way round: left out.
    pub only_here: u64,
    pub only_there: u64,
    /// Correct at the end.
    pub without: Level,
    pub with: Level,
    pub difference: Shift,
    /// More calls and dollars a ticket than without; null where a cost is unknown.
    pub extra_calls: Option<f64>,
    pub extra_usd: Option<f64>,
    /// Over the extra correct tickets. Null where there is none.
    pub calls_per_correct: Option<f64>,
    pub usd_per_correct: Option<f64>,
}

/// How often something happened, of those in which it could.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    pub name: String,
    pub title: String,
    /// What is counted: `run`, `revision`, `critique`, `approval`, `check`, `draft`.
    pub per: String,
    pub num: u64,
    pub den: u64,
    /// Tickets with something to count.
    pub tickets: u64,
    pub value: Option<f64>,
    /// 95%: Wilson where each ticket counts once, else drawn by ticket; of none or all, Wilson over tickets.
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub better: Option<Better>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cycle {
    /// Passes.
    pub length: u32,
    pub drafts: u64,
}

/// A figure of the summary, pass by pass, over the tickets that ran the pass.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Proxy {
    pub name: String,
    pub title: String,
    pub unit: String,
    pub how: String,
    pub running: Vec<PassFigure>,
}

/// Figures that need neither checks nor labels.
const PROXIES: [&str; 7] =
    ["resolution", "reraised", "findings_emitted", "claim_drift", "approved", "no_change", "critique_repeated_changed"];

impl Study {
    /// Reads a passes.json.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Study, Error> {
        let study: Study =
            serde_json::from_slice(bytes).map_err(|e| Error::at_line(path, e.line(), format!("not a study of passes: {e}")))?;
        match study.version {
            1 => Ok(study),
            other => Err(Error::at(path, format!("version {other} of the passes format is not known; expected 1"))),
        }
    }

    /// The file's bytes.
    pub fn to_json(&self) -> String {
        jsonl::pretty(self)
    }

    /// True where some ticket could be judged.
    pub fn judged(&self) -> bool {
        self.arms.iter().any(|arm| arm.judged > 0)
    }
}

/// Studies each side by itself, and what it ends with over the baseline, where there is one. The order of tickets changes nothing.
pub fn study(sides: &[Side], baseline: Option<&Side>, options: &Options) -> Study {
    let without = baseline.map(|side| (side.summary.origin.arm.as_str(), Arm::of(&side.frame)));
    Study { version: 1, arms: sides.iter().map(|side| arm(side, without.as_ref().map(|(name, arm)| (*name, arm)), options)).collect() }
}

fn arm(side: &Side, baseline: Option<(&str, &Arm)>, options: &Options) -> ArmPasses {
    let arm = Arm::of(&side.frame);
    let judge = |what: &str| Judge { seed: options.seed, replicates: options.replicates, single: arm.single, what: what.to_owned() };
    let mut passes: Vec<PassLine> = (0..arm.passes).map(|pass| line(&arm, pass, &judge)).collect();
    let tested = read(&mut passes);
    let last_gain = passes.iter().filter(|line| line.reading == Reading::Gain).map(|line| line.pass).next_back();
    let judged = arm.judged().count() as u64;
    let cleared = arm.tickets.iter().filter(|ticket| !ticket.judged());
    let without_first_draft = cleared.clone().filter(|ticket| ticket.lacks_first_draft()).count() as u64;
    let mut lifts = vec![lift::over_writer(&arm, &judge("lift"))];
    lifts.extend(baseline.map(|(name, without)| lift::over(name, &arm, without, &judge("lift_over"))));
    let known = |name: &&str| side.summary.figures.iter().find(|figure| figure.name == **name);
    let seen = |figure: &&crate::summary::FigureSummary| figure.running.iter().any(|at| at.value.is_some());
    let proxies = PROXIES.iter().filter_map(known).filter(seen).map(|figure| Proxy {
        name: figure.name.clone(),
        title: figure.title.clone(),
        unit: figure.unit.clone(),
        how: figure.how.clone(),
        running: figure.running.clone(),
    });
    let mut out = ArmPasses {
        origin: side.summary.origin.clone(),
        path: side.path.to_string_lossy().into_owned(),
        tickets: side.summary.tickets,
        errored: side.summary.errored,
        enrolled: arm.tickets.len() as u64,
        judged,
        without_checks: arm.tickets.len() as u64 - judged - without_first_draft,
        without_first_draft,
        samples: side.summary.samples,
        last_gain,
        conclusion: vec![],
        drafts: best::drafts(&arm, &judge),
        lifts,
        outcomes: outcome::outcomes(&side.frame, options),
        cycles: outcome::cycles(&side.frame),
        proxies: proxies.collect(),
        passes,
    };
    out.conclusion = words::conclusion(&out, tested);
    out
}

fn line(arm: &Arm, pass: u32, judge: &dyn Fn(&str) -> Judge) -> PassLine {
    let judged: Vec<&run::Ticket> = arm.judged().collect();
    let of = |value: &dyn Fn(&run::Ticket) -> f64| judged.iter().map(|ticket| value(ticket)).collect::<Vec<f64>>();
    let sum = |values: &[f64]| values.iter().sum::<f64>();
    let after = of(&|ticket| ticket.correct(pass));
    let mut line = PassLine {
        pass,
        running: arm.tickets.iter().filter(|ticket| ticket.ran(pass)).count() as u64,
        drafted: arm.tickets.iter().filter(|ticket| ticket.drafted(pass)).count() as u64,
        correct: judge(&format!("correct|{pass}")).level(&after),
        made_correct: None,
        made_incorrect: None,
        net: None,
        p_holm: None,
        reading: Reading::None,
        detectable: None,
        checks_mended: None,
        checks_broken: None,
        checks_net: None,
        calls: arm.calls(pass..pass + 1),
        calls_so_far: arm.calls(0..pass + 1),
        cost_usd: arm.usd(pass..pass + 1),
        cost_usd_so_far: arm.usd(0..pass + 1),
        calls_per_correct: None,
        usd_per_correct: None,
    };
    if pass == 0 || judged.is_empty() || line.drafted == 0 {
        return line;
    }
    let before = of(&|ticket| ticket.correct(pass - 1));
    let (up, down) = (of(&|ticket| ticket.flips(pass, true)), of(&|ticket| ticket.flips(pass, false)));
    line.made_correct = Some(sum(&up));
    line.made_incorrect = Some(sum(&down));
    line.net = Some(judge(&format!("net|{pass}")).shift(&before, &after).times(100.0));
    let (mended, broken) = (of(&|ticket| ticket.mended(pass)), of(&|ticket| ticket.broken(pass)));
    line.checks_mended = Some(sum(&mended));
    line.checks_broken = Some(sum(&broken));
    let differences: Vec<f64> = mended.iter().zip(&broken).map(|(mended, broken)| mended - broken).collect();
    line.checks_net = Some(judge(&format!("checks|{pass}")).mean(&differences).times(100.0));
    // Counted, not multiplied back from the mean: no rounding may turn nothing into something.
    let net = sum(&up) - sum(&down);
    if net > 0.0 {
        line.calls_per_correct = Some(sum(&of(&|ticket| ticket.calls(pass..pass + 1))) / net);
        line.usd_per_correct = run::usd(judged.iter().copied(), pass..pass + 1).map(|usd| usd / net);
    }
    line
}

/// Adjusts for looking at several passes, and says what each is shown to do. Gives the number of passes that were tested.
fn read(passes: &mut [PassLine]) -> usize {
    let p: Vec<f64> = passes.iter().filter_map(|line| line.net.as_ref()?.p).collect();
    let adjusted = multiple::holm(&p).unwrap_or_default();
    for (line, p) in passes.iter_mut().filter(|line| line.net.as_ref().is_some_and(|net| net.p.is_some())).zip(adjusted) {
        line.p_holm = Some(p);
    }
    for line in passes.iter_mut() {
        let Some(net) = &line.net else { continue };
        let flips = line.made_correct.unwrap_or(0.0) + line.made_incorrect.unwrap_or(0.0);
        line.detectable = judge::detectable(net, flips, p.len()).map(|share| 100.0 * share);
        let test = line.p_holm.is_some_and(|p| p < judge::ALPHA);
        line.reading = match (net.low, net.high) {
            (Some(low), _) if test && low > 0.0 => Reading::Gain,
            (_, Some(high)) if test && high < 0.0 => Reading::Loss,
            _ => Reading::NotShown,
        };
    }
    p.len()
}
