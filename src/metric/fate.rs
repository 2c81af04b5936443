//! Findings over passes: what became of each (its fate), and where each came from (its origin). Tables in docs/metrics.md, "Findings over passes".
//!
//! Two findings are the same complaint where they have one label and sit in one section, by the section's number in [`super::Draft::identity`]. A finding
//! with several occurrences sits where the first is. A dropped finding has no place and so neither fate nor origin: for every critique,
//! new + reraised + persisted + reopened + dropped = emitted.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Better, Carry, Cell, Column, Figure, How, Kind, Metric, Settings, View, Views, nulls, place};
use crate::model::{Anchor, Edit, EditStatus, Finding, Pass, Run, Ticket};

/// What became of a finding, once the next critic was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// Applied, and not raised again.
    Resolved,
    /// Applied, and raised again: spinning.
    Reraised,
    /// Not applied, and the complaint went away: critic noise.
    Vanished,
    /// Not applied, and raised again.
    Persisted,
}

impl Fate {
    pub const ALL: [Fate; 4] = [Fate::Resolved, Fate::Reraised, Fate::Vanished, Fate::Persisted];

    pub const fn name(self) -> &'static str {
        match self {
            Fate::Resolved => "resolved",
            Fate::Reraised => "reraised",
            Fate::Vanished => "vanished",
            Fate::Persisted => "persisted",
        }
    }
}

/// Where a finding came from, seen from the critiques before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    New,
    /// The last critique that could be read raised it, and it was applied.
    Reraised,
    /// The last critique that could be read raised it, and it was not applied.
    Persisted,
    /// Raised again after a pass in which it was resolved.
    Reopened,
}

impl Origin {
    pub const ALL: [Origin; 4] = [Origin::New, Origin::Reraised, Origin::Persisted, Origin::Reopened];
}

/// The fate of every finding: one list a pass, one entry a finding. None: it has no anchor, or nobody looked (last pass, unreadable critic).
pub fn fates(ticket: &Ticket, run: &Run, settings: &Settings) -> Vec<Vec<Option<Fate>>> {
    Views::new(ticket, run, settings).story().passes.iter().map(|pass| pass.fates.clone()).collect()
}

/// The run's findings, followed through its passes. One entry a pass.
#[derive(Debug, Default)]
pub struct Story {
    pub passes: Vec<PassStory>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct PassStory {
    /// One a finding of the pass.
    pub fates: Vec<Option<Fate>>,
    pub origins: Vec<Option<Origin>>,
    /// True where the critic of the next pass was read.
    pub observed: bool,
    /// Resolved findings whose text is gone with nothing in its place.
    pub resolved_by_deletion: usize,
    /// Anchored findings that were applied, by the reviser's status or by what is seen.
    pub applied: usize,
    /// True where the reviser answered with statuses.
    pub has_statuses: bool,
    pub applied_without_change: usize,
    pub changed_though_rejected: usize,
}

/// A complaint: label and number of the section.
type Key = (String, Option<usize>);

pub(super) fn story(views: &Views<'_>) -> Story {
    let raised: Vec<Option<Vec<Option<Key>>>> = views.iter().map(|view| keys(&view)).collect();
    let mut story = Story::default();
    // What the last critique that was read raised, and whether it was applied; and what was resolved and has not come back.
    let mut open: BTreeMap<&Key, bool> = BTreeMap::new();
    let mut resolved: BTreeSet<&Key> = BTreeSet::new();
    for (view, keys) in views.iter().zip(&raised) {
        let Some(keys) = keys else {
            story.passes.push(PassStory::default());
            continue;
        };
        let origin = |key: &Key| match open.get(key) {
            Some(true) => Origin::Reraised,
            Some(false) => Origin::Persisted,
            None if resolved.contains(key) => Origin::Reopened,
            None => Origin::New,
        };
        let mut told = PassStory { origins: keys.iter().map(|key| key.as_ref().map(origin)).collect(), ..PassStory::default() };
        let applied = tell_applied(&view, &mut told);
        open = BTreeMap::new();
        for (key, applied) in keys.iter().zip(&applied) {
            if let Some(key) = key {
                // One label in one section has one fate, so one of them applied is enough.
                *open.entry(key).or_default() |= applied;
                resolved.remove(key);
            }
        }
        let next = raised.get(view.at() + 1).and_then(Option::as_ref);
        told.observed = next.is_some();
        let fate = |key: &Option<Key>| -> Option<Fate> {
            let again = next?.contains(key);
            Some(match (open.get(key.as_ref()?)?, again) {
                (true, false) => Fate::Resolved,
                (true, true) => Fate::Reraised,
                (false, false) => Fate::Vanished,
                (false, true) => Fate::Persisted,
            })
        };
        told.fates = keys.iter().map(fate).collect();
        for ((key, fate), finding) in keys.iter().zip(&told.fates).zip(listed(&view)) {
            if *fate == Some(Fate::Resolved) {
                resolved.extend(key);
                let first = finding.anchor.as_ref().and_then(|anchor| anchor.spans.first());
                told.resolved_by_deletion += usize::from(first.is_some_and(|span| place::deleted(&view, *span)));
            }
        }
        story.passes.push(told);
    }
    story
}

/// Every finding of a pass's critique, in the critic's order.
fn listed<'a>(view: &View<'a>) -> impl Iterator<Item = &'a Finding> {
    view.critique().into_iter().flat_map(|critique| critique.findings.iter().flatten())
}

/// The complaints of a pass, one a finding, None for one without an anchor. None where no critique could be read.
fn keys(view: &View<'_>) -> Option<Vec<Option<Key>>> {
    view.critique().filter(|critique| critique.is_readable())?;
    let place = |anchor: &Anchor| {
        let incoming = view.incoming()?;
        incoming.identity.get(incoming.section_at(*anchor.spans.first()?)?).copied()
    };
    let key = |finding: &Finding| finding.anchor.as_ref().map(|anchor| (label(&finding.label), place(anchor)));
    Some(listed(view).map(key).collect())
}

/// Labels are one whatever their letter case, and whether they are written with spaces, hyphens or underscores.
pub fn label(label: &str) -> String {
    let label = label.trim();
    if label.is_ascii() {
        return label.to_ascii_lowercase().replace([' ', '-'], "_");
    }
    label.chars().flat_map(|c| if c == ' ' || c == '-' { '_' } else { c }.to_lowercase()).collect()
}

/// Whether each finding of a pass was applied; counts what the reviser said against what its own answer did.
fn tell_applied(view: &View<'_>, told: &mut PassStory) -> Vec<bool> {
    let pass = view.pass();
    told.has_statuses = pass.edits.iter().any(|edit| edit.status.is_some());
    let mut out = vec![];
    for (index, finding) in listed(view).enumerate() {
        let anchored = finding.anchor.as_ref();
        let applied = if told.has_statuses {
            let said = said(pass, index);
            told.applied_without_change += usize::from(anchored.is_some() && said.applied && !said.changed);
            told.changed_though_rejected += usize::from(anchored.is_some() && said.refused && said.proposed);
            said.applied
        } else {
            anchored.is_some_and(|anchor| anchor.spans.iter().any(|span| place::changed(view, *span)))
        };
        told.applied += usize::from(applied && anchored.is_some());
        out.push(applied);
    }
    out
}

/// The reviser's word on a finding, and what its answers held. A guard's rejection reverts what was applied, so it is neither applied nor refused.
struct Said {
    applied: bool,
    refused: bool,
    /// An answer that was taken changed the draft.
    changed: bool,
    /// An answer that was not taken held another draft.
    proposed: bool,
}

fn said(pass: &Pass, finding: usize) -> Said {
    let own = || pass.edits.iter().filter(|edit| edit.findings.contains(&finding));
    let applied = |edit: &&Edit| edit.status == Some(EditStatus::Applied) && edit.guards.rejected.is_none();
    let refused = |edit: &&Edit| matches!(edit.status, Some(EditStatus::Rejected | EditStatus::NotFound));
    Said {
        applied: own().any(|edit| applied(&edit)),
        refused: own().any(|edit| refused(&edit)),
        changed: own().any(|edit| edit.after() != edit.before),
        proposed: own().filter(refused).any(|edit| edit.proposed.as_ref().is_some_and(|text| *text != edit.before)),
    }
}

pub struct Findings;

const COLUMNS: &[Column] = &[
    Column::new(
        "fate_observed",
        Kind::Int,
        Carry::Sum,
        "anchored findings of this pass that the next critic, read, could raise again; null without a list of findings",
    ),
    Column::new("fate_unobserved", Kind::Int, Carry::Sum, "anchored findings that nobody looked at again (last pass, unreadable critic)"),
    Column::new("fate_resolved", Kind::Int, Carry::Sum, "observed findings applied and not raised again; null where unobserved"),
    Column::new("fate_reraised", Kind::Int, Carry::Sum, "observed findings applied and raised again (spinning); null where unobserved"),
    Column::new(
        "fate_vanished",
        Kind::Int,
        Carry::Sum,
        "observed findings not applied and yet not raised again (critic noise); null where unobserved",
    ),
    Column::new("fate_persisted", Kind::Int, Carry::Sum, "observed findings not applied and raised again; null where unobserved"),
    Column::new(
        "resolved_by_deletion",
        Kind::Int,
        Carry::Sum,
        "resolved findings whose text is gone with nothing in its place; null where unobserved",
    ),
    Column::new(
        "applied",
        Kind::Int,
        Carry::Sum,
        "anchored findings applied: by the reviser's status, else where their text changed; null where no draft was made",
    ),
    Column::new("anchored_revised", Kind::Int, Carry::Sum, "anchored findings of a pass that made a draft: those that could be applied"),
    Column::new(
        "applied_without_change",
        Kind::Int,
        Carry::Sum,
        "status applied, yet the answer changed nothing; null where the reviser gives no status",
    ),
    Column::new(
        "changed_though_rejected",
        Kind::Int,
        Carry::Sum,
        "status rejected or not_found, though the answer held another draft (which was not taken); null where the reviser gives no status",
    ),
    Column::new(
        "origin_new",
        Kind::Int,
        Carry::Sum,
        "anchored findings of this pass raised for the first time; null without a list of findings",
    ),
    Column::new(
        "origin_reraised",
        Kind::Int,
        Carry::Sum,
        "anchored findings that the last critique read had raised, and that were applied",
    ),
    Column::new(
        "origin_persisted",
        Kind::Int,
        Carry::Sum,
        "anchored findings that the last critique read had raised, and that were not applied",
    ),
    Column::new("origin_reopened", Kind::Int, Carry::Sum, "anchored findings raised again after a pass in which they were resolved"),
];

const FIGURES: &[Figure] = &[
    Figure::new(
        "resolution",
        "Findings resolved, of those observed",
        "share",
        How::Ratio("fate_resolved", "fate_observed"),
        Some(Better::Higher),
    )
    .headline(),
    Figure::new(
        "reraised",
        "Findings raised again though applied, of those observed",
        "share",
        How::Ratio("fate_reraised", "fate_observed"),
        Some(Better::Lower),
    )
    .headline(),
    Figure::new(
        "vanished",
        "Findings that went away though not applied, of those observed",
        "share",
        How::Ratio("fate_vanished", "fate_observed"),
        None,
    ),
    Figure::new(
        "persisted",
        "Findings not applied and raised again, of those observed",
        "share",
        How::Ratio("fate_persisted", "fate_observed"),
        Some(Better::Lower),
    ),
    Figure::new(
        "resolved_by_deletion",
        "Findings resolved by deleting, of those resolved",
        "share",
        How::Ratio("resolved_by_deletion", "fate_resolved"),
        Some(Better::Lower),
    ),
    Figure::new(
        "applied",
        "Findings applied, of those anchored in passes that made a draft",
        "share",
        How::Ratio("applied", "anchored_revised"),
        Some(Better::Higher),
    ),
    Figure::new(
        "applied_without_change",
        "Findings said to be applied without any change",
        "share",
        How::Ratio("applied_without_change", "applied"),
        Some(Better::Lower),
    ),
    Figure::new(
        "reopened",
        "Findings raised again after they were resolved",
        "findings",
        How::Mean("origin_reopened"),
        Some(Better::Lower),
    ),
];

impl Metric for Findings {
    fn columns(&self) -> &'static [Column] {
        COLUMNS
    }

    fn figures(&self) -> &'static [Figure] {
        FIGURES
    }

    fn measure(&self, view: &View<'_>, row: &mut Vec<Cell>) {
        let listed = view.critique().and_then(super::critique::findings).is_some();
        let Some(told) = view.views().story().passes.get(view.at()).filter(|_| listed) else { return nulls(COLUMNS, row) };
        let anchored = told.origins.iter().flatten().count();
        row.extend(if told.observed { [anchored, 0] } else { [0, anchored] }.map(Cell::from));
        let seen = told.observed.then_some(());
        row.extend(Fate::ALL.map(|fate| seen.map(|()| told.fates.iter().filter(|f| **f == Some(fate)).count()).into()));
        row.push(seen.map(|()| told.resolved_by_deletion).into());
        let made = view.draft().map(|_| told.applied);
        let statuses = told.has_statuses.then_some(());
        row.extend(
            [
                made,
                view.draft().map(|_| anchored),
                statuses.map(|()| told.applied_without_change),
                statuses.map(|()| told.changed_though_rejected),
            ]
            .map(Cell::from),
        );
        row.extend(Origin::ALL.map(|origin| told.origins.iter().filter(|o| **o == Some(origin)).count().into()));
    }
}

#[cfg(test)]
#[path = "fate_tests.rs"]
mod tests;
