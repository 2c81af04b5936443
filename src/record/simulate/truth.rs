//! What is true of a simulated run, known from how it was made: one line a pass, format version 1. Nothing here is measured from text,
//! but for the counts of changed scalars, which the plain table of `lcs` decides.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// One line of truth.jsonl: one pass of one run. Sections are numbered from 0 in the incoming draft. A key is left out where there is
/// nothing to tell, and where a list is empty that can never be missing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub struct PassTruth {
    pub v: u32,
    pub ticket: String,
    pub sample: u32,
    pub pass: u32,
    /// `ok`, `approved` or `unreadable`; none for pass 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub critique: Option<String>,
    /// Complaints in the critic's order. In prose they have a quotation and no fate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<FindingTruth>,
    /// Reviser calls in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<EditTruth>,
    /// Sections that hold a quoted place; none where the critique cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mentioned: Option<Vec<usize>>,
    /// Sections that the revision changed; none where no reviser was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub touched: Option<Vec<usize>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub touched_unmentioned: Option<bool>,
    /// Checks that held before this pass and fail after it; none where no reviser was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed: Option<Vec<String>>,
    /// Checks that fail in the draft after this pass; none where the pass makes no draft.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failing: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chars_deleted: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chars_inserted: Option<usize>,
    pub calls: Calls,
    /// The run's end, in its last pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub struct Calls {
    pub writer: u32,
    pub critic: u32,
    pub reviser: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub struct FindingTruth {
    pub label: String,
    pub severity: String,
    pub quote: String,
    /// `exact`, `normalised`, `fuzzy` or `dropped`.
    pub tier: String,
    /// Why it was dropped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Number of places where the quoted words stand; 0 where dropped. More than 1 is ambiguous.
    pub places: usize,
    /// Section of the first place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<usize>,
    /// Nothing is wrong with what it is about.
    pub spurious: bool,
    /// The check that the quoted sentence breaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// `new`, `reraised`, `persisted` or `reopened`; serial revision only, and none for a dropped one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// `resolved`, `reraised`, `vanished` or `persisted`; serial revision only, none for a dropped one and where nobody looked
    /// again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fate: Option<String>,
    /// The reviser did as told (it may still have changed nothing, or the wrong thing), and the loop took it.
    pub applied: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub struct EditTruth {
    /// Findings that the call was given.
    pub findings: Vec<usize>,
    /// Serial revision: `applied`, `rejected` or `not_found`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Every byte outside the quoted places is as it was; none where no draft was taken, or where nothing is quoted (prose).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local: Option<bool>,
    /// The answer's draft differs from the one that the call was given.
    pub changed: bool,
    /// An enforced guard put the old draft back.
    pub reverted: bool,
}

/// A complaint by its definition: label (case folded, one word) and section.
type Key = (String, usize);

fn key(finding: &FindingTruth) -> Option<Key> {
    Some((finding.label.to_lowercase().replace([' ', '-'], "_"), finding.section?))
}

/// Fills in origin and fate of every finding, by the tables of docs/metrics.md: what was applied is known, and so is what was raised.
pub fn tell_fates(passes: &mut [PassTruth]) {
    let is_read = |pass: &PassTruth| matches!(pass.critique.as_deref(), Some("ok" | "approved"));
    let mut open: BTreeMap<Key, bool> = BTreeMap::new();
    let mut resolved: BTreeSet<Key> = BTreeSet::new();
    for at in 0..passes.len() {
        if !is_read(&passes[at]) {
            continue;
        }
        let again: Option<BTreeSet<Key>> =
            passes.get(at + 1).filter(|next| is_read(next)).map(|next| next.findings.iter().filter_map(key).collect());
        let mut raised: BTreeMap<Key, bool> = BTreeMap::new();
        for finding in &passes[at].findings {
            if let Some(key) = key(finding) {
                *raised.entry(key).or_default() |= finding.applied;
            }
        }
        let mut settled = BTreeSet::new();
        for finding in &mut passes[at].findings {
            let Some(key) = key(finding) else { continue };
            let origin = match open.get(&key) {
                Some(true) => "reraised",
                Some(false) => "persisted",
                None if resolved.contains(&key) => "reopened",
                None => "new",
            };
            finding.origin = Some(origin.into());
            let Some(again) = &again else { continue };
            let fate = match (raised.get(&key).copied().unwrap_or_default(), again.contains(&key)) {
                (true, false) => "resolved",
                (true, true) => "reraised",
                (false, false) => "vanished",
                (false, true) => "persisted",
            };
            finding.fate = Some(fate.into());
            if fate == "resolved" {
                settled.insert(key);
            }
        }
        resolved.retain(|key| !raised.contains_key(key));
        resolved.append(&mut settled);
        open = raised;
    }
}
