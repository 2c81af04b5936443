//! What rules find, over a ticket and over an arm; and what is counted over an arm for the rules that need it.

use std::collections::BTreeMap;

use super::case::{Call, Case};
use crate::model::{Role, Slot};

/// One place where a rule is broken.
#[derive(Debug, Clone, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct Finding {
    /// Empty where it is of the arm as a whole.
    pub ticket: String,
    /// Such as `critic pass 1`; empty where it is of more than one call.
    pub slot: String,
    /// 0: the arm's own calls; k: those of the k-th arm of `reuse`.
    pub file: usize,
    /// Line in that file; null where it is of none.
    pub line: Option<usize>,
    /// Findings alike have the same.
    pub group: String,
    pub message: String,
}

/// Findings kept of one rule in one arm; the counts are whole.
pub const KEPT_MAX: usize = 1000;
/// Groups kept apart; further ones are counted together.
const GROUPS_MAX: usize = 100;

/// One rule's outcome.
#[derive(Debug, Clone, Default)]
pub struct Found {
    pub findings: Vec<Finding>,
    pub count: usize,
    pub tickets: usize,
    pub groups: BTreeMap<String, usize>,
    /// Calls (or runs, or arms) that it looked at.
    pub judged: usize,
    /// What it could not judge: why, how often.
    pub unjudged: BTreeMap<String, usize>,
    /// Why it has nothing to look at here.
    pub not_applicable: Option<&'static str>,
    /// Calls that rules before it have reported.
    pub reported: Vec<(usize, usize)>,
}

impl Found {
    pub fn add(&mut self, case: &Case<'_>, call: &Call, group: impl Into<String>, message: String) {
        let (ticket, slot) = (case.ticket.id.clone(), call.slot.to_string());
        self.push(Finding { ticket, slot, file: call.file, line: Some(call.line), group: group.into(), message });
    }

    pub fn push(&mut self, finding: Finding) {
        self.count += 1;
        *self.groups.entry(finding.group.clone()).or_default() += 1;
        self.findings.push(finding);
    }

    pub fn cannot(&mut self, why: impl Into<String>) {
        *self.unjudged.entry(why.into()).or_default() += 1;
    }

    /// Takes in what was found at the next ticket.
    pub fn merge(&mut self, other: Found) {
        self.tickets += usize::from(other.count > 0);
        self.count += other.count;
        self.judged += other.judged;
        for (group, n) in other.groups {
            let full = self.groups.len() >= GROUPS_MAX && !self.groups.contains_key(&group);
            *self.groups.entry(if full { "others".into() } else { group }).or_default() += n;
        }
        for (why, n) in other.unjudged {
            *self.unjudged.entry(why).or_default() += n;
        }
        self.not_applicable = self.not_applicable.or(other.not_applicable);
        let room = KEPT_MAX.saturating_sub(self.findings.len());
        self.findings.extend(other.findings.into_iter().take(room));
    }
}

/// A value of a field: how often, and where first.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    pub count: usize,
    pub ticket: String,
    pub slot: Slot,
    pub file: usize,
    pub line: usize,
}

/// What is counted over an arm.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    pub arm: String,
    pub by_slot: bool,
    pub dataset: String,
    pub dataset_digest: String,
    /// Role and field, value, where.
    pub values: BTreeMap<(Role, String), BTreeMap<String, Seen>>,
    /// Hash of the sources that reached the writer, by ticket; kept only where arms are audited together.
    pub sources: BTreeMap<String, (u64, Seen)>,
}

/// Distinct values of a field that are kept: more is drift beyond counting.
const VALUES_MAX: usize = 50;

impl Facts {
    pub fn note(&mut self, case: &Case<'_>, call: &Call, field: &str, value: String) {
        let values = self.values.entry((call.slot.role, field.to_owned())).or_default();
        if values.len() >= VALUES_MAX && !values.contains_key(&value) {
            return;
        }
        values.entry(value).or_insert_with(|| Seen::at(case, call)).count += 1;
    }

    pub fn merge(&mut self, other: Facts) {
        for (key, values) in other.values {
            let own = self.values.entry(key).or_default();
            for (value, seen) in values {
                if own.len() >= VALUES_MAX && !own.contains_key(&value) {
                    continue;
                }
                let count = seen.count;
                own.entry(value).or_insert_with(|| Seen { count: 0, ..seen }).count += count;
            }
        }
        self.sources.extend(other.sources);
    }
}

impl Seen {
    pub fn at(case: &Case<'_>, call: &Call) -> Seen {
        Seen { count: 0, ticket: case.ticket.id.clone(), slot: call.slot, file: call.file, line: call.line }
    }

    pub fn finding(&self, group: impl Into<String>, message: String) -> Finding {
        let (ticket, slot) = (self.ticket.clone(), self.slot.to_string());
        Finding { ticket, slot, file: self.file, line: Some(self.line), group: group.into(), message }
    }
}
