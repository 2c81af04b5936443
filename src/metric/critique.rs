//! What the critic said and how well it could be used: status, repairs, findings by tier and by reason of their drop, grounding.

use super::{Better, Carry, Cell, Column, Figure, How, Kind, Metric, View, nulls};
use crate::critique::locate::INTERNAL;
use crate::model::{self, CritiqueStatus, DropReason, Finding, ParseReason, Tier};

pub struct Critique;

const COLUMNS: &[Column] = &[
    Column::new("critique_status", Kind::Text, Carry::No, "ok, approved or parse_error; null where no critic answered"),
    Column::new("parse_reason", Kind::Text, Carry::No, "why the critique could not be read; null where it could"),
    Column::new("unreadable", Kind::Flag, Carry::Any, "the critique is neither readable nor an approval"),
    Column::new("approved", Kind::Flag, Carry::Last, "the critic gave the sentinel or a complete list of none"),
    Column::new("repairs", Kind::Int, Carry::Sum, "repairs that reading the critique took"),
    Column::new("repair_names", Kind::Text, Carry::No, "those repairs, separated by semicolons; null where there were none"),
    Column::new("emitted", Kind::Int, Carry::Sum, "findings in the critique; null where it is prose or could not be read"),
    Column::new("anchored", Kind::Int, Carry::Sum, "findings whose quotation was located in the incoming draft"),
    Column::new("anchored_exact", Kind::Int, Carry::Sum, "of these, by their bytes"),
    Column::new("anchored_normalised", Kind::Int, Carry::Sum, "of these, in normalised text"),
    Column::new("anchored_fuzzy", Kind::Int, Carry::Sum, "of these, as the best similar window"),
    Column::new("ambiguous", Kind::Int, Carry::Sum, "anchored findings whose quotation occurs several times"),
    Column::new("dropped", Kind::Int, Carry::Sum, "findings that cannot be used; the next columns say why"),
    Column::new("dropped_no_location", Kind::Int, Carry::Sum, "dropped: no location field"),
    Column::new("dropped_empty_location", Kind::Int, Carry::Sum, "dropped: empty or blank quotation"),
    Column::new("dropped_not_found", Kind::Int, Carry::Sum, "dropped: quotation not in the draft"),
    Column::new("dropped_digits_differ", Kind::Int, Carry::Sum, "dropped: a similar place has other digits"),
    Column::new("dropped_polarity_differs", Kind::Int, Carry::Sum, "dropped: a similar place has a negation more or less"),
    Column::new("dropped_elided_quote", Kind::Int, Carry::Sum, "dropped: quotation with an elision"),
    Column::new("dropped_unknown_severity", Kind::Int, Carry::Sum, "dropped: severity that is not declared"),
    Column::new("dropped_malformed", Kind::Int, Carry::Sum, "dropped: not of the format's shape"),
    Column::new("dropped_unknown_source", Kind::Int, Carry::Sum, "dropped: names a source that the ticket lacks"),
    Column::new("dropped_source_span_not_found", Kind::Int, Carry::Sum, "dropped: quotation not in the source it names"),
    Column::new("dropped_draft_span_not_found", Kind::Int, Carry::Sum, "dropped: grounded finding whose draft quotation was not found"),
    Column::new(
        "source_internal",
        Kind::Int,
        Carry::Sum,
        "grounded findings whose proof is the draft itself; null where no finding names a source",
    ),
    Column::new("source_eligible", Kind::Int, Carry::Sum, "grounded findings whose source is not internal"),
    Column::new("source_failed", Kind::Int, Carry::Sum, "of the eligible: unknown source, or quotation not in it"),
    Column::new("source_internal_failed", Kind::Int, Carry::Sum, "of the internal: quotation not in the draft"),
];

/// Where the reasons' columns begin; they stand in the order of [`DropReason::ALL`].
const DROPPED_BEFORE: usize = 13;

const FIGURES: &[Figure] = &[
    Figure::new("findings_emitted", "Findings emitted", "findings", How::Mean("emitted"), None).headline(),
    Figure::new(
        "findings_anchored",
        "Findings located in the draft, of those emitted",
        "share",
        How::Ratio("anchored", "emitted"),
        Some(Better::Higher),
    )
    .headline(),
    Figure::new(
        "findings_anchored_exact",
        "Findings quoted byte for byte, of those emitted",
        "share",
        How::Ratio("anchored_exact", "emitted"),
        Some(Better::Higher),
    ),
    Figure::new("findings_dropped", "Findings dropped, of those emitted", "share", How::Ratio("dropped", "emitted"), Some(Better::Lower)),
    Figure::new(
        "source_failed",
        "Source quotations that failed, of those eligible",
        "share",
        How::Ratio("source_failed", "source_eligible"),
        Some(Better::Lower),
    ),
    Figure::new("unreadable_critique", "Critiques that could not be read", "share", How::Share("unreadable"), Some(Better::Lower))
        .headline(),
    Figure::new("approved", "Critiques that approved", "share", How::Share("approved"), None).headline(),
];

impl Metric for Critique {
    fn columns(&self) -> &'static [Column] {
        COLUMNS
    }

    fn figures(&self) -> &'static [Figure] {
        FIGURES
    }

    fn measure(&self, view: &View<'_>, row: &mut Vec<Cell>) {
        let Some(critique) = view.critique() else { return nulls(COLUMNS, row) };
        let (status, reason) = status(critique.status);
        let names = (!critique.repairs.is_empty()).then(|| critique.repairs.join("; "));
        row.extend([status.into(), reason.map(ParseReason::name).into(), reason.is_some().into()]);
        row.extend([critique.approves().into(), critique.repairs.len().into(), names.into()]);
        match findings(critique) {
            Some(findings) => count(findings, row),
            None => nulls(&COLUMNS[6..], row),
        }
    }
}

/// The findings of a critique that could be read; None for prose too.
pub(super) fn findings(critique: &model::Critique) -> Option<&[Finding]> {
    critique.findings.as_deref().filter(|_| critique.is_readable())
}

fn status(status: CritiqueStatus) -> (&'static str, Option<ParseReason>) {
    match status {
        CritiqueStatus::Ok => ("ok", None),
        CritiqueStatus::Approved => ("approved", None),
        CritiqueStatus::ParseError(reason) => ("parse_error", Some(reason)),
    }
}

fn count(findings: &[Finding], row: &mut Vec<Cell>) {
    let anchors = || findings.iter().filter_map(|finding| finding.anchor.as_ref());
    let tier = |tier: Tier| anchors().filter(|anchor| anchor.tier == tier).count();
    let mut dropped = [0usize; DropReason::ALL.len()];
    for drop in findings.iter().filter_map(|finding| finding.drop) {
        dropped[drop.reason as usize] += 1;
    }
    row.push(findings.len().into());
    row.extend([anchors().count(), tier(Tier::Exact), tier(Tier::Normalised), tier(Tier::Fuzzy)].map(Cell::from));
    row.extend([anchors().filter(|anchor| anchor.is_ambiguous()).count(), dropped.iter().sum()].map(Cell::from));
    row.extend(dropped.map(Cell::from));
    grounding(findings, row);
}

/// A finding is grounded where it names a source; `internal` means that the draft is its own proof.
fn grounding(findings: &[Finding], row: &mut Vec<Cell>) {
    let internal = |finding: &&Finding| finding.source_id.as_deref().is_some_and(|id| id == INTERNAL);
    if findings.iter().all(|finding| finding.source_id.is_none() && finding.source_quote.is_none()) {
        return row.extend(std::iter::repeat_n(Cell::Null, COLUMNS.len() - DROPPED_BEFORE - DropReason::ALL.len()));
    }
    let failed = |finding: &&Finding| {
        finding.drop.is_some_and(|drop| matches!(drop.reason, DropReason::UnknownSource | DropReason::SourceSpanNotFound))
    };
    let inside = findings.iter().filter(internal).count();
    let failures = findings.iter().filter(failed).count();
    let failures_inside = findings.iter().filter(internal).filter(failed).count();
    row.extend([inside, findings.len() - inside, failures - failures_inside, failures_inside].map(Cell::from));
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    #[test]
    fn the_reasons_have_a_column_each_in_their_order() {
        for (at, reason) in DropReason::ALL.iter().enumerate() {
            assert_eq!(COLUMNS[DROPPED_BEFORE + at].name, format!("dropped_{}", reason.name()));
            assert_eq!(*reason as usize, at);
        }
    }

    #[test]
    fn an_unreadable_critique_has_no_findings_and_prose_has_none_either() {
        let mut run = run_of(&["One.\n", "One.\n", "One.\n"]);
        critique(&mut run, 1, &[("tone", "One.")]);
        run.passes[1].critique.as_mut().unwrap().status = CritiqueStatus::ParseError(ParseReason::Truncated);
        critique(&mut run, 2, &[]);
        let prose = run.passes[2].critique.as_mut().unwrap();
        (prose.status, prose.findings, prose.repairs) = (CritiqueStatus::Ok, None, vec!["truncated".into(), "fence".into()]);
        let rows = rows(&run);
        assert_eq!(rows.cell(1, "emitted"), &Cell::Null);
        assert_eq!([rows.cell(1, "critique_status"), rows.cell(1, "parse_reason")], [&Cell::from("parse_error"), &Cell::from("truncated")]);
        assert_eq!(rows.cell(2, "emitted"), &Cell::Null);
        assert_eq!(rows.cell(2, "repair_names"), &Cell::from("truncated; fence"));
        assert_eq!(rows.cell(0, "critique_status"), &Cell::Null);
    }

    #[test]
    fn grounded_findings_are_counted_by_what_could_have_failed() {
        let rows = rows(&grounded_case());
        let want = [
            ("emitted", 9),
            ("source_internal", 2),
            ("source_eligible", 7),
            ("source_failed", 3),
            ("source_internal_failed", 1),
            ("dropped_draft_span_not_found", 2),
            ("anchored", 3),
        ];
        for (name, count) in want {
            assert_eq!(rows.int(1, name), Some(count), "{name}");
        }
    }
}
