//! Critiques as data: findings with a quotation, where the quotation sits in the draft, and why one was dropped.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Span;

/// How surely a quotation was located, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    Exact,
    Normalised,
    Fuzzy,
}

impl Tier {
    pub const fn name(self) -> &'static str {
        match self {
            Tier::Exact => "exact",
            Tier::Normalised => "normalised",
            Tier::Fuzzy => "fuzzy",
        }
    }
}

/// Where a quotation stands in a draft.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Anchor {
    pub tier: Tier,
    /// Every occurrence, in text order, in bytes of the draft as stored. Never empty; more than one means ambiguous.
    pub spans: Vec<Span>,
    /// 1.0 for exact and normalised; 1 - Levenshtein / max(len) for fuzzy.
    pub similarity: f64,
}

impl Anchor {
    pub fn is_ambiguous(&self) -> bool {
        self.spans.len() > 1
    }
}

/// Why a finding cannot be used. A dropped finding is never passed on as free text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DropReason {
    /// The finding carries no location field at all.
    NoLocation,
    EmptyLocation,
    NotFound,
    DigitsDiffer,
    PolarityDiffers,
    ElidedQuote,
    UnknownSeverity,
    Malformed,
    UnknownSource,
    SourceSpanNotFound,
    DraftSpanNotFound,
}

impl DropReason {
    pub const ALL: [DropReason; 11] = [
        DropReason::NoLocation,
        DropReason::EmptyLocation,
        DropReason::NotFound,
        DropReason::DigitsDiffer,
        DropReason::PolarityDiffers,
        DropReason::ElidedQuote,
        DropReason::UnknownSeverity,
        DropReason::Malformed,
        DropReason::UnknownSource,
        DropReason::SourceSpanNotFound,
        DropReason::DraftSpanNotFound,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            DropReason::NoLocation => "no_location",
            DropReason::EmptyLocation => "empty_location",
            DropReason::NotFound => "not_found",
            DropReason::DigitsDiffer => "digits_differ",
            DropReason::PolarityDiffers => "polarity_differs",
            DropReason::ElidedQuote => "elided_quote",
            DropReason::UnknownSeverity => "unknown_severity",
            DropReason::Malformed => "malformed",
            DropReason::UnknownSource => "unknown_source",
            DropReason::SourceSpanNotFound => "source_span_not_found",
            DropReason::DraftSpanNotFound => "draft_span_not_found",
        }
    }
}

/// A dropped finding's reason with the best similarity that was reached, where a place was looked for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Drop {
    pub reason: DropReason,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
}

/// One complaint about a draft. `quote` is the critic's text, never repaired.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The defect label (`defect`, or `category` in the grounded format), as the critic wrote it.
    pub label: String,
    pub severity: String,
    /// Rank of the severity in declared order, 0 = worst; None where it is not declared.
    pub rank: Option<u32>,
    pub quote: Option<String>,
    /// Grounded findings: the source's id, `internal` where the draft itself is the proof.
    pub source_id: Option<String>,
    pub source_quote: Option<String>,
    /// Every field as the critic gave it, for prompt templates and for people.
    pub raw: Map<String, Value>,
    /// Exactly one of `anchor` and `drop` is set once the finding has been anchored; before, neither is.
    pub anchor: Option<Anchor>,
    pub drop: Option<Drop>,
}

/// Why a critic's reply is neither a critique nor an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ParseReason {
    Truncated,
    Refusal,
    ContentFilter,
    Empty,
    /// No JSON value in the reply.
    NoJson,
    /// A JSON value, but without a list of findings.
    MissingFindings,
    /// The list of findings is itself a string of JSON.
    DoubleEncoded,
    DuplicateKey,
    BadEscape,
    Malformed,
}

impl ParseReason {
    pub const fn name(self) -> &'static str {
        match self {
            ParseReason::Truncated => "truncated",
            ParseReason::Refusal => "refusal",
            ParseReason::ContentFilter => "content_filter",
            ParseReason::Empty => "empty",
            ParseReason::NoJson => "no_json",
            ParseReason::MissingFindings => "missing_findings",
            ParseReason::DoubleEncoded => "double_encoded",
            ParseReason::DuplicateKey => "duplicate_key",
            ParseReason::BadEscape => "bad_escape",
            ParseReason::Malformed => "malformed",
        }
    }
}

/// How a critic's reply was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CritiqueStatus {
    /// A critique: prose, or a complete list of findings, be it empty.
    Ok,
    /// The sentinel.
    Approved,
    ParseError(ParseReason),
}

/// A critic's reply, read.
#[derive(Debug, Clone, PartialEq)]
pub struct Critique {
    pub status: CritiqueStatus,
    /// The reply as the loop took it: trimmed where its spec says so.
    pub text: String,
    /// None where a format has no findings (prose) or the reply could not be read: never an empty list then.
    pub findings: Option<Vec<Finding>>,
    /// Each repair that reading took, by name, in the order made.
    pub repairs: Vec<String>,
    /// Prose: the quotations in the critique that were located in the draft.
    pub quotations: Vec<Anchor>,
}

impl Critique {
    /// False where the reply is neither a critique nor an approval.
    pub fn is_readable(&self) -> bool {
        !matches!(self.status, CritiqueStatus::ParseError(_))
    }

    /// True for the sentinel and for a complete list of none: the draft has no fault that the critic would name.
    pub fn approves(&self) -> bool {
        let none = self.findings.as_ref().is_some_and(Vec::is_empty);
        self.status == CritiqueStatus::Approved || (self.status == CritiqueStatus::Ok && none)
    }
}

/// What became of one finding at the reviser's hands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EditStatus {
    Applied,
    Rejected,
    NotFound,
    /// The reviser's answer could not be read.
    Invalid,
}

impl EditStatus {
    pub const fn name(self) -> &'static str {
        match self {
            EditStatus::Applied => "applied",
            EditStatus::Rejected => "rejected",
            EditStatus::NotFound => "not_found",
            EditStatus::Invalid => "invalid",
        }
    }
}
