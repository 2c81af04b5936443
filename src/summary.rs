//! The summary of an arm: every figure per pass in two views, with its counts, and what was counted beside it. Format version 1 of summary.json.
//!
//! Fed ticket by ticket in dataset order; memory does not grow with the tickets, and the sum of two shards is the summary of both.
//!
//! Runs with a fault are counted and left out of every figure: they are not in the denominator of anything but the coverage. With several
//! samples the runs of all of them are pooled, `n` still counts tickets, and there is no interval: runs of one ticket are not independent.

mod accumulator;
mod frame;
mod tally;

pub use accumulator::Accumulator;
pub use frame::{Columns, Frame};
pub use tally::{Plan, Spot};

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::jsonl;
use crate::metric::Better;
use crate::model::Usd;

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
    /// Passes whose mentioned sections come from labels and not from the resolver.
    #[serde(default, skip_serializing_if = "is_none")]
    pub mentions_labelled: u64,
    /// Labels of mentions that were not used, since what they are of has changed.
    #[serde(default, skip_serializing_if = "is_none")]
    pub mentions_stale: u64,
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

fn is_none(count: &u64) -> bool {
    *count == 0
}

/// What the figures are figures of.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Origin {
    pub arm: String,
    pub dataset: String,
    pub dataset_digest: String,
    /// Hash of the recorded calls: arms that have the same replay the same answers. Empty where it is not known.
    #[serde(default)]
    pub recording_digest: String,
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
    /// One of those that a person looks at first.
    pub headline: bool,
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

    /// The file's bytes.
    pub fn to_json(&self) -> String {
        jsonl::pretty(self)
    }
}

#[cfg(test)]
mod speed_tests;
#[cfg(test)]
mod tests;
