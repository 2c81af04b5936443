//! Audit: does a recording keep the contract of its loop? Judged from the recorded requests, rule by rule, as a linter does.
//!
//! A rule is a file (or shares one with its kin) and one entry of [`ALL`]; command line, reports and docs follow.

pub mod allow;
mod answered;
mod between;
mod bounds;
mod case;
mod dilution;
mod drift;
mod found;
mod fresh;
mod grounding;
mod outcome;
mod run;
mod serial;
mod shingle;
mod unused;
mod wording;

pub use case::Case;
pub use found::{Facts, Finding, Found};
pub use run::{Arm, Audit, Options, Verdict, audit};

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Error,
    Warning,
    Note,
}

impl Severity {
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// What people read of a rule.
pub struct Page {
    /// `RD`, the family's digit, two more. A code is never used again for another rule.
    pub code: &'static str,
    pub name: &'static str,
    pub severity: Severity,
    pub what: &'static str,
    pub why: &'static str,
    pub fix: &'static str,
    pub example: &'static str,
}

/// One clause of the contract.
pub trait Rule: Sync {
    fn page(&self) -> &'static Page;
    /// Looks at one ticket's calls.
    fn case(&self, _case: &Case<'_>, _found: &mut Found) {}
    /// Looks at what was counted over an arm.
    fn arm(&self, _facts: &Facts, _found: &mut Found) {}
    /// Looks at two arms that are audited together; findings are the second's.
    fn between(&self, _first: &Facts, _second: &Facts, _found: &mut Found) {}
    /// True for rules that need two arms.
    fn needs_two(&self) -> bool {
        false
    }
}

/// Every rule, by code. Rules later in the list may leave a call to those before them: one cause, one finding.
pub const ALL: &[&dyn Rule] = &[
    &fresh::AssistantTurn,
    &fresh::DraftAsAssistant,
    &fresh::WriterReasoning,
    &fresh::ContinuedConversation,
    &grounding::PromptMissing,
    &grounding::SourceMissing,
    &grounding::SourceTruncated,
    &grounding::SourceIdMissing,
    &dilution::Dilution,
    &wording::SoftenedVerdict,
    &serial::MergedFindings,
    &bounds::PassesOverBound,
    &bounds::CallsOverBound,
    &bounds::CostOverBound,
    &drift::PromptDrift,
    &drift::ModelDrift,
    &drift::SamplingDrift,
    &answered::AnsweringModel,
    &answered::DatedAlias,
    &between::ModelBetween,
    &between::SamplingBetween,
    &between::SourcesBetween,
    &between::DatasetBetween,
    &outcome::TruncatedReplies,
    &outcome::EmptyReplies,
    &unused::UnusedSuppression,
];

/// The rule of a code or a name, letter case aside.
pub fn find(name: &str) -> Option<&'static dyn Rule> {
    ALL.iter().copied().find(|rule| rule.page().code.eq_ignore_ascii_case(name) || rule.page().name.eq_ignore_ascii_case(name))
}
