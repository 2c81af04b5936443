//! Runs: one ticket's way through one loop, as drafts, critiques and edits. What the machine writes and every metric reads.

use serde::{Deserialize, Serialize};

use super::{Critique, EditStatus, Slot, Span, StopReason, Usage, Usd};

/// Why a loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// The critic gave the sentinel.
    Approved,
    /// The critic gave a complete list of no findings.
    NoFindings,
    MaxPasses,
    MaxCalls,
    MaxCostUsd,
    /// A revision changed nothing and the spec stops there.
    NoChange,
    /// The critique could not be read and the spec stops there.
    Unreadable,
    /// Replay could not go on; see the run's fault.
    Fault,
}

impl Stop {
    pub const fn name(self) -> &'static str {
        match self {
            Stop::Approved => "approved",
            Stop::NoFindings => "no_findings",
            Stop::MaxPasses => "max_passes",
            Stop::MaxCalls => "max_calls",
            Stop::MaxCostUsd => "max_cost_usd",
            Stop::NoChange => "no_change",
            Stop::Unreadable => "unreadable",
            Stop::Fault => "fault",
        }
    }
}

/// What kept a ticket from being replayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// No call was recorded in this slot.
    Missing,
    /// A call was recorded in this slot for another request.
    Mismatch,
    /// The recorded call failed (no status 2xx) after all its attempts.
    NoAnswer,
    /// The recorded answer's body is not of the provider's form.
    Unreadable,
    /// A prompt of the spec could not be rendered for this ticket.
    Prompt,
    /// A defect of redraft itself, caught at this ticket.
    Internal,
}

impl FaultKind {
    pub const fn name(self) -> &'static str {
        match self {
            FaultKind::Missing => "missing",
            FaultKind::Mismatch => "mismatch",
            FaultKind::NoAnswer => "no_answer",
            FaultKind::Unreadable => "unreadable",
            FaultKind::Prompt => "prompt",
            FaultKind::Internal => "internal",
        }
    }
}

/// A fault is data: the ticket is counted as errored and the others go on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    pub kind: FaultKind,
    /// "critic pass 1"
    pub at: String,
    /// What differs or is missing, in one line: "temperature 0 -> 0.7".
    pub what: String,
}

impl Fault {
    /// A defect of ours, from what a panic left: `at` is what was being done.
    pub fn defect(at: &str, cause: &(dyn std::any::Any + Send)) -> Fault {
        let what = cause.downcast_ref::<String>().map(String::as_str).or_else(|| cause.downcast_ref::<&str>().copied());
        let what = format!("a defect of redraft, please report it: {}", what.unwrap_or("no message"));
        Fault { kind: FaultKind::Internal, at: at.to_owned(), what }
    }
}

/// How a guard acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Guard {
    /// Reject the revision and keep the draft.
    Enforce,
    /// Keep the revision, record what was seen.
    Observe,
    Off,
}

/// Why an enforced guard rejected a revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rejection {
    Locality,
    Length,
}

/// What the guards said of one revision. None where the guard is off or cannot be applied (prose has no scope).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Guards {
    pub local: Option<bool>,
    pub within_cap: Option<bool>,
    pub rejected: Option<Rejection>,
}

/// One reviser call and what was made of its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// The findings (indices into the critique's list) that this call was given; empty for prose.
    pub findings: Vec<usize>,
    /// Where the finding(s) sat in the draft this call was given (serial revision re-anchors after each edit).
    pub scope: Vec<Span>,
    /// The draft this call was given.
    pub before: String,
    /// The text it returned, as taken by the loop; None where there was none to take.
    pub proposed: Option<String>,
    /// Serial revision only: the reviser's own status and reason.
    pub status: Option<EditStatus>,
    pub reason: Option<String>,
    pub guards: Guards,
    pub stop: StopReason,
}

impl Edit {
    /// True where the reviser itself does not offer its text: it refused the finding, or its answer cannot be read.
    pub fn is_refused(&self) -> bool {
        matches!(self.status, Some(EditStatus::Rejected | EditStatus::NotFound | EditStatus::Invalid))
    }

    /// The draft after this edit: the proposal unless it was rejected, refused, unreadable or empty.
    pub fn after(&self) -> &str {
        match &self.proposed {
            Some(text) if self.guards.rejected.is_none() && !self.is_refused() => text,
            _ => &self.before,
        }
    }
}

/// One exchange, as the ledger counts it.
#[derive(Debug, Clone, PartialEq)]
pub struct CallRecord {
    pub slot: Slot,
    pub key: String,
    pub usage: Option<Usage>,
    /// None where the usage or the price is unknown: the total is then a lower bound.
    pub cost: Option<Usd>,
    pub stop: StopReason,
    /// How often the provider was asked until this answer came, or until nobody asked any more.
    pub attempts: u32,
    /// False where no attempt succeeded; the run then ends with a fault.
    pub answered: bool,
}

/// Pass 0 is the writer's; pass k >= 1 is critique k of draft k-1 and the revision(s) it caused.
#[derive(Debug, Clone, PartialEq)]
pub struct Pass {
    pub index: u32,
    /// None for pass 0.
    pub critique: Option<Critique>,
    /// Sections of the draft before that the critique speaks of, as somebody who read it says; None: the resolver says it. No part of a ledger.
    pub labelled_mentions: Option<Vec<usize>>,
    pub edits: Vec<Edit>,
    /// The draft after this pass. None where the pass makes no draft: an approval, a closing critique, a cut by a bound before the reviser.
    pub draft: Option<String>,
    /// Why the model stopped writing the draft; None where the pass kept the draft before it.
    pub draft_stop: Option<StopReason>,
    pub calls: Vec<CallRecord>,
}

impl Pass {
    /// A pass in which nothing has happened yet.
    pub fn new(index: u32) -> Pass {
        Pass { index, critique: None, labelled_mentions: None, edits: vec![], draft: None, draft_stop: None, calls: vec![] }
    }
}

/// One ticket (one sample of it) through one loop.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    pub ticket: String,
    pub sample: u32,
    pub passes: Vec<Pass>,
    pub stop: Stop,
    pub fault: Option<Fault>,
    /// Recorded calls of this run that the loop never asked for.
    pub unused: Vec<Slot>,
}

impl Run {
    /// The draft that pass `k` read: draft k-1, the last one made before pass k.
    pub fn draft_before(&self, k: u32) -> Option<&str> {
        self.passes.iter().filter(|p| p.index < k).filter_map(|p| p.draft.as_deref()).next_back()
    }

    /// Drafts in order, with the pass that made each.
    pub fn drafts(&self) -> impl Iterator<Item = (u32, &str)> {
        self.passes.iter().filter_map(|p| p.draft.as_deref().map(|d| (p.index, d)))
    }
}
