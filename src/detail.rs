//! One run as people look at it: drafts as word diffs, findings as marks in the text, what the guards said, what broke.
//!
//! Made from a ticket and its run; renderers (terminal, HTML, SARIF) only lay it out.

use crate::metric::{Fate, Origin};
use crate::model::{Drop, Fault, Guards, Span, Stop, Tier, Usd};

/// One run, pass by pass.
#[derive(Debug, Clone, PartialEq)]
pub struct Detail {
    pub ticket: String,
    pub sample: u32,
    pub prompt: String,
    pub tags: Vec<String>,
    pub stop: Stop,
    pub fault: Option<Fault>,
    pub passes: Vec<PassDetail>,
    /// Recorded calls that were never asked for, as slots.
    pub unused: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PassDetail {
    pub pass: u32,
    pub calls: usize,
    /// None where a call's cost is unknown.
    pub cost: Option<Usd>,
    pub critique: Option<CritiqueDetail>,
    pub edits: Vec<EditDetail>,
    /// None where the pass made no draft.
    pub draft: Option<DraftDetail>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CritiqueDetail {
    /// `ok`, `approved` or `parse_error`.
    pub status: String,
    /// Why it could not be read.
    pub parse_reason: Option<String>,
    /// The reply as the critic wrote it.
    pub text: String,
    pub repairs: Vec<String>,
    /// None for prose and for what could not be read.
    pub findings: Option<Vec<FindingDetail>>,
    /// Quotations of a prose critique that were located.
    pub quotations: Vec<QuotationDetail>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct FindingDetail {
    pub label: String,
    pub severity: String,
    /// Rank of the severity in declared order, 0 = worst; None where it is not declared.
    pub rank: Option<u32>,
    pub quote: Option<String>,
    pub source_id: Option<String>,
    pub source_quote: Option<String>,
    /// What else the critic said, by field: detail, explanation, fix.
    pub said: Vec<(String, String)>,
    /// How it was located; None for a dropped finding.
    pub tier: Option<Tier>,
    pub similarity: Option<f64>,
    /// In the incoming draft. Several where the quotation is ambiguous.
    pub spans: Vec<Span>,
    pub drop: Option<Drop>,
    /// None: dropped, or not observed.
    pub fate: Option<Fate>,
    pub origin: Option<Origin>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct QuotationDetail {
    pub tier: Tier,
    pub spans: Vec<Span>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct EditDetail {
    /// Places in the critique's list; empty for prose.
    pub findings: Vec<usize>,
    /// `applied`, `rejected`, `not_found`, `invalid`; None where the strategy has none.
    pub status: Option<String>,
    pub reason: Option<String>,
    pub guards: Guards,
    pub changed: bool,
    /// The word diff of a text that a guard rejected.
    pub rejected: Option<Vec<Piece>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct DraftDetail {
    pub text: String,
    /// Word diff against the incoming draft; None for the first draft and for one that was kept.
    pub diff: Option<Vec<Piece>>,
    /// True where the pass kept the incoming draft.
    pub kept: bool,
    /// `empty`, `truncated` or `role_collapse`, where the draft is none.
    pub non_draft: Option<String>,
    /// Required checks that held before and fail now: what each asks for, in words.
    pub broke: Vec<String>,
    /// Required checks that failed before and hold now.
    pub mended: Vec<String>,
    /// Never-mentioned sections of the incoming draft that changed.
    pub untouched_sections_edited: usize,
}

/// A piece of a word diff.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    pub op: Op,
    pub text: String,
    /// For what is deleted or kept: its bytes in the incoming draft, so that findings can be marked.
    pub before: Span,
    /// True where it changed a section that the critique never mentioned.
    pub outside: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    Equal,
    Delete,
    Insert,
}
