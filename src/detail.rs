//! One run as people look at it: drafts as word diffs, findings as marks in the text, what the guards said, what broke.
//!
//! Made from a ticket and its run; renderers (terminal, HTML, SARIF) only lay it out.

use crate::metric::{self, Draft, Fate, Flaw, Origin, PassStory, Settings, View, Views};
use crate::model::{Check, CheckRule, Critique, CritiqueStatus, Drop, Edit, Fault, Finding, Guards, Run, Span, Stop, Ticket, Tier, Usd};
use crate::text::diff;
use crate::text::mention::Mention;

pub use crate::text::diff::Op;

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
    /// Sections of the incoming draft that it speaks of.
    pub mentions: Vec<MentionDetail>,
    /// The same as labels say it, from 0; they stand in place of what the resolver sees.
    pub labelled_mentions: Option<Vec<usize>>,
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

impl FindingDetail {
    /// What became of it, in one word: a fate, `dropped` or `unobserved`.
    pub fn fate_name(&self) -> &'static str {
        match (self.drop, self.fate) {
            (Some(_), _) => "dropped",
            (None, Some(fate)) => fate.name(),
            (None, None) => "unobserved",
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct QuotationDetail {
    pub tier: Tier,
    pub spans: Vec<Span>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct MentionDetail {
    /// From 0.
    pub section: usize,
    /// `quotation`, `anchor`, `ordinal`, `position`, `heading`, `lexical` or `global`.
    pub evidence: &'static str,
    pub strict: bool,
    /// The critic's words that say so.
    pub words: String,
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

/// A run as people look at it. `ticket` is the case that the run answers.
pub fn of(ticket: &Ticket, run: &Run, settings: &Settings) -> Detail {
    let views = Views::new(ticket, run, settings);
    let passes = views.iter().zip(&views.story().passes).map(|(view, told)| pass(&view, told)).collect();
    Detail {
        ticket: ticket.id.clone(),
        sample: run.sample,
        prompt: ticket.prompt.clone(),
        tags: ticket.tags.clone(),
        stop: run.stop,
        fault: run.fault.clone(),
        passes,
        unused: run.unused.iter().map(ToString::to_string).collect(),
    }
}

fn pass(view: &View<'_>, told: &PassStory) -> PassDetail {
    let pass = view.pass();
    PassDetail {
        pass: pass.index,
        calls: pass.calls.len(),
        cost: pass.calls.iter().map(|call| call.cost).sum(),
        critique: view.critique().map(|read| critique(view, read, told)),
        edits: pass.edits.iter().map(edit).collect(),
        draft: draft(view),
    }
}

fn critique(view: &View<'_>, critique: &Critique, told: &PassStory) -> CritiqueDetail {
    let (status, parse_reason) = match critique.status {
        CritiqueStatus::Ok => ("ok", None),
        CritiqueStatus::Approved => ("approved", None),
        CritiqueStatus::ParseError(reason) => ("parse_error", Some(reason.name().to_owned())),
    };
    let listed = |findings: &Vec<Finding>| {
        let told = |at: usize| (told.fates.get(at).copied().flatten(), told.origins.get(at).copied().flatten());
        findings.iter().enumerate().map(|(at, one)| finding(one, told(at))).collect()
    };
    CritiqueDetail {
        status: status.to_owned(),
        parse_reason,
        text: critique.text.clone(),
        repairs: critique.repairs.clone(),
        findings: critique.findings.as_ref().map(listed),
        quotations: critique.quotations.iter().map(|a| QuotationDetail { tier: a.tier, spans: a.spans.clone() }).collect(),
        mentions: metric::mentions(view).iter().map(mention).collect(),
        labelled_mentions: view.pass().labelled_mentions.clone(),
    }
}

fn mention(mention: &Mention<'_>) -> MentionDetail {
    MentionDetail { section: mention.section, evidence: mention.evidence.name(), strict: mention.strict, words: mention.words.to_owned() }
}

fn finding(finding: &Finding, (fate, origin): (Option<Fate>, Option<Origin>)) -> FindingDetail {
    let said = |key: &str| {
        let text = finding.raw.get(key)?.as_str().filter(|text| !text.is_empty())?;
        Some((key.to_owned(), text.to_owned()))
    };
    let anchor = finding.anchor.as_ref();
    FindingDetail {
        label: finding.label.clone(),
        severity: finding.severity.clone(),
        rank: finding.rank,
        quote: finding.quote.clone(),
        source_id: finding.source_id.clone(),
        source_quote: finding.source_quote.clone(),
        said: ["detail", "explanation", "fix"].into_iter().filter_map(said).collect(),
        tier: anchor.map(|anchor| anchor.tier),
        similarity: anchor.map(|anchor| anchor.similarity),
        spans: anchor.map_or(vec![], |anchor| anchor.spans.clone()),
        drop: finding.drop,
        fate,
        origin,
    }
}

fn edit(edit: &Edit) -> EditDetail {
    let rejected = edit.proposed.as_ref().filter(|_| edit.guards.rejected.is_some());
    EditDetail {
        findings: edit.findings.clone(),
        status: edit.status.map(|status| status.name().to_owned()),
        reason: edit.reason.clone(),
        guards: edit.guards,
        changed: edit.after() != edit.before,
        rejected: rejected.map(|proposed| pieces(&edit.before, proposed, &[], &[])),
    }
}

fn draft(view: &View<'_>) -> Option<DraftDetail> {
    let after = view.draft()?;
    let before = view.incoming();
    let kept = before.is_some_and(|before| std::ptr::eq(before, after));
    let strays = metric::strays(view).unwrap_or_default();
    let removed = [&strays.edited, &strays.whitespace_only, &strays.removed].into_iter().flatten().copied();
    let stray_before: Vec<usize> = removed.collect();
    let partner = |index: &usize| view.step()?.alignment.after_of.get(*index).copied().flatten();
    let stray_after: Vec<usize> = stray_before.iter().filter_map(partner).chain(strays.added.iter().copied()).collect();
    let diff = before.filter(|_| !kept).map(|before| {
        let regions = |draft: &Draft<'_>, stray: &[usize]| regions(&draft.sections, stray);
        pieces(before.text, after.text, &regions(before, &stray_before), &regions(after, &stray_after))
    });
    let (broke, mended) = checks(view);
    Some(DraftDetail {
        text: after.text.to_owned(),
        diff,
        kept,
        non_draft: non_draft(after).map(str::to_owned),
        broke,
        mended,
        untouched_sections_edited: stray_before.len(),
    })
}

fn non_draft(draft: &Draft<'_>) -> Option<&'static str> {
    match draft.flaw {
        Flaw { empty: true, .. } => Some("empty"),
        Flaw { truncated: true, .. } => Some("truncated"),
        Flaw { collapsed: true, .. } => Some("role_collapse"),
        _ => None,
    }
}

/// Required checks that a revision broke, and those that it mended.
fn checks(view: &View<'_>) -> (Vec<String>, Vec<String>) {
    let (mut broke, mut mended) = (vec![], vec![]);
    if let Some((before, after)) = view.revision() {
        let ticket = view.ticket();
        let held = before.held(ticket).iter().zip(after.held(ticket));
        for (check, (held, holds)) in ticket.checks.iter().zip(held).filter(|(check, _)| check.required) {
            match (held, holds) {
                (true, false) => broke.push(asks(check)),
                (false, true) => mended.push(asks(check)),
                _ => {}
            }
        }
    }
    (broke, mended)
}

/// What a check asks of a draft, in words.
fn asks(check: &Check) -> String {
    let rule = match &check.rule {
        CheckRule::Contains(text) => format!("contains \"{text}\""),
        CheckRule::Absent(text) => format!("does not contain \"{text}\""),
        CheckRule::Regex(pattern) => format!("matches {pattern}"),
        CheckRule::Number(value) => format!("states the number {value}"),
        CheckRule::Money(value) => format!("states the amount {value}"),
        CheckRule::Date(value) => format!("states the date {value}"),
        CheckRule::MaxWords(n) => format!("has at most {n} words"),
        CheckRule::MinWords(n) => format!("has at least {n} words"),
        CheckRule::MaxChars(n) => format!("has at most {n} characters"),
        CheckRule::MinChars(n) => format!("has at least {n} characters"),
        CheckRule::JsonSchema(schema) => format!("is JSON of the schema {}", schema.source()),
    };
    format!("{}: {rule}", check.id)
}

/// Where each section begins, and whether it is one of `stray`. What stands between two sections counts to the one above.
fn regions(sections: &[Span], stray: &[usize]) -> Vec<(usize, bool)> {
    sections.iter().enumerate().map(|(index, section)| (section.start, stray.contains(&index))).collect()
}

/// A word diff, cut where sections begin, so that a piece is inside or outside as a whole.
fn pieces(before: &str, after: &str, regions_before: &[(usize, bool)], regions_after: &[(usize, bool)]) -> Vec<Piece> {
    let mut out = vec![];
    for piece in diff::pieces(before, after) {
        let (span, text, regions) = match piece.op {
            Op::Insert => (piece.after, after, regions_after),
            Op::Delete => (piece.before, before, regions_before),
            Op::Equal => (piece.before, before, &[][..]),
        };
        for (part, outside) in cut(span, regions) {
            let before = if piece.op == Op::Insert { piece.before } else { part };
            out.push(Piece { op: piece.op, text: part.of(text).unwrap_or_default().to_owned(), before, outside });
        }
    }
    out
}

/// A span in parts that are each of one kind. Bytes before the first region are of none.
fn cut(span: Span, regions: &[(usize, bool)]) -> Vec<(Span, bool)> {
    let first = regions.partition_point(|(start, _)| *start <= span.start);
    let mut outside = first.checked_sub(1).and_then(|at| regions.get(at)).is_some_and(|(_, outside)| *outside);
    let mut parts = vec![];
    let mut start = span.start;
    for (next, kind) in regions.iter().skip(first).take_while(|(next, _)| *next < span.end) {
        if *kind != outside {
            parts.push((Span::new(start, *next), outside));
            (start, outside) = (*next, *kind);
        }
    }
    parts.push((Span::new(start, span.end), outside));
    parts
}

#[cfg(test)]
mod tests;
