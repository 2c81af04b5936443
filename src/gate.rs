//! Verdicts: is the candidate worse than the baseline by more than it may be. Format version 1 of gate.json.
//! Definitions: docs/metrics.md, "Comparing two arms".

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// gate.json.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Gate {
    /// Format version: 1.
    pub version: u32,
    pub verdict: Verdict,
    /// True where both sides replay the same recorded calls: any newly broken ticket is a regression, and there are no p-values.
    pub exact: bool,
    /// Why no verdict is possible, or what keeps a pass from being one, in words. Empty where nothing does.
    pub reasons: Vec<String>,
    pub alpha: f64,
    /// What an inconclusive metric means for the whole: `pass` or `fail`.
    pub on_inconclusive: OnInconclusive,
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnInconclusive {
    Pass,
    Fail,
}

/// One gated metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MetricVerdict {
    /// Name of the figure.
    pub figure: String,
    pub title: String,
    pub unit: String,
    pub verdict: Verdict,
    /// One sentence: what was seen and why that is the verdict.
    pub why: String,
    /// How much worse it may get, in the figure's unit (a share as a fraction).
    pub margin: f64,
    pub baseline: Option<f64>,
    pub candidate: Option<f64>,
    /// How much worse it got: positive is worse, whichever way is better.
    pub worse_by: Option<f64>,
    /// 95% interval of `worse_by`.
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub n: u64,
    /// One-sided, against "no worse", and adjusted over the gated metrics (Holm).
    pub p: Option<f64>,
    pub p_holm: Option<f64>,
    /// One-sided, against "worse by the margin or more".
    pub p_not_worse: Option<f64>,
    /// Shares only: tickets that differ over tickets.
    pub discordance: Option<f64>,
    /// Smallest true difference that this many tickets show with a power of 80%.
    pub detectable: Option<f64>,
    /// Tickets that would show a difference of the margin with a power of 80%.
    pub needed: Option<u64>,
    /// Newly broken tickets, worst first.
    pub tickets: Vec<String>,
}
