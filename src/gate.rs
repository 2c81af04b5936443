//! Verdicts: is the candidate worse than the baseline by more than it may be. Format version 1 of gate.json.
//! Definitions: docs/metrics.md, "Comparing two arms"; for people, docs/gate.md.

mod metric;
pub mod policy;

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::compare::{Comparison, Listed, Pairs, SideLine};
use crate::error::Error;
use crate::jsonl;
use crate::number;
pub use policy::{OnInconclusive, Policy, Worse};

/// gate.json.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Gate {
    /// Format version: 1.
    pub version: u32,
    pub verdict: Verdict,
    /// True where both sides replay the same recorded calls, or the policy asks for it: any newly broken ticket is a regression, without p-values.
    pub exact: bool,
    /// Why no verdict is possible, in words: also beside REGRESSED, which it does not undo. Empty where nothing is in the way.
    pub reasons: Vec<String>,
    pub alpha: f64,
    /// What an inconclusive metric means for the whole: `pass` or `fail`.
    pub on_inconclusive: OnInconclusive,
    /// In the order of the policy.
    pub metrics: Vec<MetricVerdict>,
}

/// In order of how it binds: the whole is as its worst part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verdict {
    Pass,
    Inconclusive,
    /// Nothing could be measured: empty, all errored, or a candidate that did nothing.
    #[serde(rename = "NONE")]
    NoVerdict,
    Regressed,
}

impl Verdict {
    /// As in gate.json.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "PASS",
            Verdict::Inconclusive => "INCONCLUSIVE",
            Verdict::NoVerdict => "NONE",
            Verdict::Regressed => "REGRESSED",
        }
    }
}

/// One gated metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MetricVerdict {
    /// Name of the figure.
    pub figure: String,
    pub title: String,
    pub unit: String,
    pub verdict: Verdict,
    /// One sentence or two: what was seen, and why that is the verdict.
    pub why: String,
    /// Which way is worse.
    pub worse: Worse,
    /// How much worse it may get, in the figure's unit (a share as a fraction). Null where it is relative to a value that there is not.
    pub margin: Option<f64>,
    pub baseline: Option<f64>,
    pub candidate: Option<f64>,
    /// How much worse it got: positive is worse, whichever way is better.
    pub worse_by: Option<f64>,
    /// 95% interval of `worse_by`.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Tickets with a value on both sides.
    pub n: u64,
    /// One-sided, against "no worse", and adjusted over the gated metrics (Holm).
    pub p: Option<f64>,
    pub p_holm: Option<f64>,
    /// One-sided, against "worse by the margin or more".
    pub p_not_worse: Option<f64>,
    /// Shares only: tickets by who has the bad outcome. `only_candidate` are newly broken, `only_baseline` newly fixed.
    pub pairs: Option<Pairs>,
    /// Shares only: tickets that differ over tickets.
    pub discordance: Option<f64>,
    /// Smallest true difference that this many tickets show with a power of 80% (at Holm's strictest level).
    pub detectable: Option<f64>,
    /// Tickets that would show a difference of the margin with a power of 80%.
    pub needed: Option<u64>,
    /// Tickets in which the figure got worse; left out where there are none, and by files older than it.
    #[serde(default, skip_serializing_if = "is_none")]
    pub tickets_count: u64,
    /// The worst of them by name, worst first.
    pub tickets: Vec<String>,
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

impl MetricVerdict {
    /// Tickets in which the figure got worse, whether or not they are named.
    pub fn worse_tickets(&self) -> u64 {
        self.tickets_count.max(self.tickets.len() as u64)
    }
}

impl Gate {
    /// Reads a gate.json.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Gate, Error> {
        let gate: Gate = serde_json::from_slice(bytes).map_err(|e| Error::at_line(path, e.line(), format!("not a gate: {e}")))?;
        match gate.version {
            1 => Ok(gate),
            other => Err(Error::at(path, format!("version {other} of the gate format is not known; expected 1"))),
        }
    }

    /// The file's bytes.
    pub fn to_json(&self) -> String {
        jsonl::pretty(self)
    }
}

/// Holds a comparison against a policy. Pure: the same values give the same verdicts.
pub fn judge(comparison: &Comparison, policy: &Policy) -> Gate {
    let exact = match policy.mode {
        policy::Mode::Auto => comparison.exact,
        policy::Mode::Exact => true,
        policy::Mode::Paired => false,
    };
    let metrics = metric::judge_all(comparison, policy, exact);
    let reasons = reasons(comparison, policy);
    let without = if reasons.is_empty() { Verdict::Pass } else { Verdict::NoVerdict };
    // A policy has a metric; a gate over none would pass whatever comes.
    let verdict = metrics.iter().map(|metric| metric.verdict).max().unwrap_or(Verdict::NoVerdict).max(without);
    Gate { version: 1, verdict, exact, reasons, alpha: policy.alpha, on_inconclusive: policy.on_inconclusive, metrics }
}

/// What stands in the way of any verdict but REGRESSED.
fn reasons(comparison: &Comparison, policy: &Policy) -> Vec<String> {
    let Comparison { baseline, candidate, pairing, .. } = comparison;
    let mut reasons = vec![];
    let sides = [("baseline", baseline, &pairing.faulted_baseline), ("candidate", candidate, &pairing.faulted_candidate)];
    for (name, side, faulted) in sides {
        if side.tickets == 0 {
            reasons.push(format!("the {name} has no tickets"));
        } else if side.errored >= side.tickets {
            reasons.push(format!("every ticket of the {name} errored ({} of {})", side.errored, side.tickets));
        } else if side.errored > policy.max_errored {
            let names = some(faulted);
            reasons.push(format!("{} of the {name} errored, {} may{names}", tickets(side.errored), policy.max_errored));
        }
    }
    let missing = &pairing.only_baseline;
    if baseline.tickets > 0 && candidate.tickets > 0 && missing.count > policy.max_missing {
        let names = some(missing);
        reasons.push(format!("{} of the baseline are missing in the candidate, {} may{names}", tickets(missing.count), policy.max_missing));
    }
    if pairing.paired == 0 && reasons.is_empty() {
        reasons.push("no ticket ran without a fault on both sides".to_owned());
    }
    let idle = idle(baseline, candidate, policy.min_share);
    reasons.extend(idle);
    reasons
}

/// A candidate that does next to nothing.
fn idle(baseline: &SideLine, candidate: &SideLine, min_share: f64) -> Vec<String> {
    let ran = |side: &SideLine| side.tickets.saturating_sub(side.errored);
    let (from, to) = (ran(baseline), ran(candidate));
    if from == 0 || to == 0 {
        return vec![];
    }
    let done = [("findings", baseline.findings, candidate.findings), ("revisions", Some(baseline.revisions), Some(candidate.revisions))];
    let mut reasons = vec![];
    for (what, before, after) in done {
        let (Some(before), Some(after)) = (before, after) else { continue };
        // A ticket, so that a candidate of other size is not taken for an idle one.
        let (per_before, per_after) = (before as f64 / from as f64, after as f64 / to as f64);
        if before > 0 && per_after < min_share * per_before {
            let least = number::share(min_share);
            reasons.push(format!(
                "{what} fell from {before} to {after} ({} a ticket to {}), under {least} of the baseline's: a loop that does nothing breaks nothing",
                number::decimal(per_before, 2),
                number::decimal(per_after, 2)
            ));
        }
    }
    if reasons.is_empty() && candidate.revisions == 0 && candidate.findings.unwrap_or(0) == 0 {
        reasons.push("the candidate found and revised nothing".to_owned());
    }
    reasons
}

fn tickets(n: u64) -> String {
    if n == 1 { "1 ticket".to_owned() } else { format!("{} tickets", number::grouped(n)) }
}

/// ": a, b, c ...", or nothing.
fn some(list: &Listed) -> String {
    const SHOWN_MAX: usize = 3;
    if list.tickets.is_empty() {
        return String::new();
    }
    let shown = list.tickets.iter().take(SHOWN_MAX).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = if list.count > SHOWN_MAX as u64 { " ..." } else { "" };
    format!(" ({shown}{more})")
}

#[cfg(test)]
mod tests;
