//! The grounding table: both quotations of every grounded finding, each checked by itself, what was dropped and why, and what normalising let through.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Format;
use crate::critique::locate::INTERNAL;
use crate::model::{Anchor, Drop, DropReason, Finding, Run, Source, Ticket, Tier};
use crate::summary::Rate;
use crate::text::anchor::Haystack;
use crate::text::{claim, notation};

/// Recovered findings that the table lists; the log has all.
const LISTED_MAX: usize = 100;

/// Grounded findings of one arm, over all passes of runs without a fault.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Grounding {
    pub arm: String,
    /// Critiques that could be read, and those that could not: whose findings are not among the emitted.
    pub critiques: u64,
    pub unreadable: u64,
    pub emitted: u64,
    /// Findings whose proof is the draft itself.
    pub internal: u64,
    /// All others: those whose source can be looked up.
    pub eligible: u64,
    /// Of the eligible: name no source at all. The loop uses them; the catch table does not take them for verified.
    pub unsourced: u64,
    /// The draft's quotation, of every finding.
    pub draft: Tiers,
    /// The source's quotation in the very source that is named, of the eligible. Null where the sources are not at hand.
    pub source: Option<Tiers>,
    /// The source's quotation in the draft, of the internal.
    pub internal_source: Tiers,
    /// Of the eligible, both sides together. Null where the sources are not at hand.
    pub both: Option<Both>,
    /// Of the eligible: both quotations are the same words, so that the source is said to say what the draft says. Kept, that is no proof of an error.
    pub echoed_kept: u64,
    pub echoed_dropped: u64,
    /// Why the loop dropped findings: one reason each, the first that was met, the draft's before the source's.
    pub drops: Vec<DropLine>,
    pub dropped_eligible: u64,
    pub dropped_internal: u64,
    pub recovery: Recovery,
    /// Claims of draft 0 (amounts, dates, durations, names with digits) that the quotation of no verified first finding touches, of all. They were
    /// not found right: nobody spoke of them. Null where no first critique could be read.
    pub claims_uncovered: Option<Rate>,
}

/// How a quotation was found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tiers {
    pub checked: u64,
    pub exact: u64,
    pub normalised: u64,
    /// Never of a source: what is close to a proof proves nothing.
    pub fuzzy: u64,
    pub failed: u64,
    /// Of the found: stand there several times.
    pub ambiguous: u64,
    /// Of the failed: why.
    pub reasons: BTreeMap<String, u64>,
}

/// Two quotations, found or not.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Both {
    pub both: u64,
    pub draft_only: u64,
    pub source_only: u64,
    pub neither: u64,
}

/// One reason for which findings were dropped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DropLine {
    pub reason: String,
    pub eligible: u64,
    pub internal: u64,
}

/// What looking beyond the bytes changed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Recovery {
    /// What would have been dropped if only equal bytes counted.
    pub dropped_by_bytes: u64,
    /// Of these, kept: both quotations found after normalising at most.
    pub normalised: u64,
    /// Of these, kept: the draft's quotation found with slips.
    pub fuzzy: u64,
    /// Of these, dropped all the same.
    pub still_dropped: u64,
    /// Of the kept, in a first critique with defects known: hit one.
    pub on_defect: u64,
    /// Of the kept, in a first critique with defects known: hit none. An upper bound of what was let in wrongly there.
    pub off_defect: u64,
    /// Of the kept: whether they were rightly let in is not known here.
    pub unknown: u64,
    /// The first hundred that were kept.
    pub listed: Vec<Row>,
}

/// One finding, as the log holds it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    pub arm: String,
    pub ticket: String,
    pub sample: u32,
    pub pass: u32,
    /// Its place in the critique, from 0.
    pub finding: u64,
    pub category: String,
    pub outcome: Kept,
    /// Why it was dropped.
    pub reason: Option<String>,
    /// `internal`, the source's id, or null where none is named.
    pub source_id: Option<String>,
    pub draft: Side,
    /// Null where no source is named, or where the sources are not at hand.
    pub source: Option<Side>,
    /// Hits a known defect of draft 0; null where none is known, in later passes, and for what is not verified.
    pub on_defect: Option<bool>,
}

/// What became of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kept {
    /// All it quotes stands there byte for byte.
    Exact,
    /// Kept, though some of it stands there in another notation only.
    Normalised,
    /// Kept, though its quotation of the draft has slips.
    Fuzzy,
    Dropped,
}

/// One quotation, checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Side {
    pub quote: Option<String>,
    /// Null where it was not found.
    pub tier: Option<Tier>,
    /// Why it was not found.
    pub reason: Option<String>,
    /// The text that was taken for it; its first place.
    pub found: Option<String>,
    pub places: u64,
    /// In what the two differ.
    pub differs: Vec<String>,
}

/// What the table takes of one run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Checked {
    pub critiques: u64,
    pub unreadable: u64,
    pub rows: Vec<Row>,
    /// (uncovered, all) claims of draft 0.
    pub claims: Option<(u64, u64)>,
}

/// Checks every grounded finding of a run; nothing of a run with a fault, whose findings no table counts. `sources` is false where the ticket's
/// sources are not at hand. `hits` is one a finding of the first critique.
pub fn check(ticket: &Ticket, sources: bool, run: &Run, threshold: f64, hits: &[Option<bool>]) -> Checked {
    let mut out = Checked::default();
    if run.fault.is_some() {
        return out;
    }
    for pass in &run.passes {
        let (Some(critique), Some(text)) = (&pass.critique, run.draft_before(pass.index)) else { continue };
        if !critique.is_readable() {
            out.unreadable += 1;
            continue;
        }
        out.critiques += 1;
        let findings = critique.findings.as_deref().unwrap_or_default();
        let draft = Haystack::new(text);
        for (at, finding) in findings.iter().enumerate() {
            let on_defect = hits.get(at).copied().flatten().filter(|_| pass.index == 1);
            let sources = sources.then_some(ticket.sources.as_slice());
            let of_draft = in_draft(finding, &draft, threshold);
            let of_source = in_source(finding, &draft, sources);
            out.rows.push(Row {
                arm: String::new(),
                ticket: run.ticket.clone(),
                sample: run.sample,
                pass: pass.index,
                finding: at as u64,
                category: finding.label.clone(),
                outcome: outcome(finding, &of_draft, of_source.as_ref()),
                reason: finding.drop.map(|drop| drop.reason.name().to_owned()),
                source_id: finding.source_id.clone(),
                draft: of_draft,
                source: of_source,
                on_defect,
            });
        }
        if pass.index == 1 {
            let covers = findings.iter().filter(|f| super::hit::is_verified(f, Format::Grounded)).filter_map(|f| f.anchor.as_ref());
            let covered: Vec<_> = covers.flat_map(|anchor| &anchor.spans).collect();
            let claims: Vec<_> = claim::claims(text).into_iter().filter(|claim| !claim.loose).collect();
            let bare = claims.iter().filter(|claim| !covered.iter().any(|span| span.overlaps(claim.span))).count();
            out.claims = Some((bare as u64, claims.len() as u64));
        }
    }
    out
}

fn outcome(finding: &Finding, draft: &Side, source: Option<&Side>) -> Kept {
    let tier = |side: &Side| side.tier.unwrap_or(Tier::Exact);
    match tier(draft).max(source.map_or(Tier::Exact, tier)) {
        _ if finding.drop.is_some() => Kept::Dropped,
        Tier::Exact => Kept::Exact,
        Tier::Normalised => Kept::Normalised,
        Tier::Fuzzy => Kept::Fuzzy,
    }
}

/// The draft's quotation, whatever became of the source's.
fn in_draft(finding: &Finding, draft: &Haystack<'_>, threshold: f64) -> Side {
    let missing = Drop { reason: DropReason::NoLocation, similarity: None };
    let located = match (&finding.anchor, &finding.quote) {
        (Some(anchor), _) => Ok(anchor.clone()),
        (None, Some(quote)) => draft.find(quote, threshold),
        (None, None) => Err(missing),
    };
    let plain_miss = |reason| if reason == DropReason::NotFound { DropReason::DraftSpanNotFound } else { reason };
    side(finding.quote.as_deref(), located.map_err(|drop| plain_miss(drop.reason)), draft.text())
}

/// The source's quotation, whatever became of the draft's.
fn in_source(finding: &Finding, draft: &Haystack<'_>, sources: Option<&[Source]>) -> Option<Side> {
    let id = finding.source_id.as_deref()?;
    let quote = finding.source_quote.as_deref();
    let find = |text: &Haystack<'_>| text.find_verbatim(quote.unwrap_or_default()).map_err(|_| DropReason::SourceSpanNotFound);
    if id == INTERNAL {
        return Some(side(quote, find(draft), draft.text()));
    }
    Some(match sources?.iter().find(|source| source.id == id) {
        None => side(quote, Err(DropReason::UnknownSource), ""),
        Some(source) => side(quote, find(&Haystack::new(&source.text)), &source.text),
    })
}

fn side(quote: Option<&str>, located: Result<Anchor, DropReason>, text: &str) -> Side {
    let (anchor, reason) = match located {
        Ok(anchor) => (Some(anchor), None),
        Err(reason) => (None, Some(reason.name().to_owned())),
    };
    let found = anchor.as_ref().and_then(|anchor| anchor.spans.first()?.of(text)).map(str::to_owned);
    let differs = quote.zip(found.as_deref()).map_or(vec![], |(quote, found)| notation::difference(quote, found));
    Side {
        quote: quote.map(str::to_owned),
        tier: anchor.as_ref().map(|anchor| anchor.tier),
        reason,
        places: anchor.map_or(0, |anchor| anchor.spans.len() as u64),
        differs: differs.into_iter().map(str::to_owned).collect(),
        found,
    }
}

/// A grounding table in the making: one arm.
#[derive(Debug, Clone, Default)]
pub struct GroundingSum {
    critiques: u64,
    unreadable: u64,
    emitted: u64,
    internal: u64,
    unsourced: u64,
    /// Eligible findings with a source whose text was not at hand.
    unchecked: u64,
    draft: Tiers,
    source: Tiers,
    internal_source: Tiers,
    both: Both,
    /// Kept, dropped.
    echoed: (u64, u64),
    /// By reason: of eligible, of internal.
    drops: BTreeMap<String, (u64, u64)>,
    recovery: Recovery,
    claims: Option<(u64, u64)>,
}

impl GroundingSum {
    pub fn add(&mut self, checked: Checked) {
        self.critiques += checked.critiques;
        self.unreadable += checked.unreadable;
        if let Some((bare, all)) = checked.claims {
            let (sum_bare, sum_all) = self.claims.unwrap_or_default();
            self.claims = Some((sum_bare + bare, sum_all + all));
        }
        checked.rows.into_iter().for_each(|row| self.row(row));
    }

    fn row(&mut self, row: Row) {
        self.emitted += 1;
        self.draft.add(&row.draft);
        let internal = row.source_id.as_deref() == Some(INTERNAL);
        self.internal += u64::from(internal);
        self.unsourced += u64::from(row.source_id.is_none());
        match &row.source {
            Some(side) if internal => self.internal_source.add(side),
            Some(side) => self.source.add(side),
            None => self.unchecked += u64::from(row.source_id.is_some()),
        }
        if !internal {
            let found = (row.draft.tier.is_some(), row.source.as_ref().is_some_and(|side| side.tier.is_some()));
            *match found {
                (true, true) => &mut self.both.both,
                (true, false) => &mut self.both.draft_only,
                (false, true) => &mut self.both.source_only,
                (false, false) => &mut self.both.neither,
            } += 1;
            if row.is_echo() {
                *if row.reason.is_some() { &mut self.echoed.1 } else { &mut self.echoed.0 } += 1;
            }
        }
        if let Some(reason) = &row.reason {
            let (eligible, inside) = self.drops.entry(reason.clone()).or_default();
            *if internal { inside } else { eligible } += 1;
        }
        self.recovery.add(row);
    }

    /// None where the arm has no grounded critique.
    pub fn finish(self, arm: &str) -> Option<Grounding> {
        let known = self.unchecked == 0;
        let drops = DropReason::ALL.iter().filter_map(|reason| {
            let (eligible, internal) = *self.drops.get(reason.name())?;
            Some(DropLine { reason: reason.name().to_owned(), eligible, internal })
        });
        let drops: Vec<DropLine> = drops.collect();
        (self.critiques + self.unreadable > 0).then(|| Grounding {
            arm: arm.to_owned(),
            critiques: self.critiques,
            unreadable: self.unreadable,
            emitted: self.emitted,
            internal: self.internal,
            eligible: self.emitted - self.internal,
            unsourced: self.unsourced,
            draft: self.draft,
            source: known.then_some(self.source),
            internal_source: self.internal_source,
            both: known.then_some(self.both),
            echoed_kept: self.echoed.0,
            echoed_dropped: self.echoed.1,
            dropped_eligible: drops.iter().map(|line| line.eligible).sum(),
            dropped_internal: drops.iter().map(|line| line.internal).sum(),
            drops,
            recovery: self.recovery,
            claims_uncovered: self.claims.map(|(bare, all)| Rate::new(bare, all)),
        })
    }
}

impl Row {
    /// True where both quotations are given as the same words, notation and case aside.
    fn is_echo(&self) -> bool {
        let quotes = self.draft.quote.as_deref().zip(self.source.as_ref().and_then(|side| side.quote.as_deref()));
        quotes.is_some_and(|(draft, source)| !notation::difference(draft, source).contains(&"words"))
    }
}

impl Tiers {
    fn add(&mut self, side: &Side) {
        self.checked += 1;
        self.ambiguous += u64::from(side.places > 1);
        *match side.tier {
            Some(Tier::Exact) => &mut self.exact,
            Some(Tier::Normalised) => &mut self.normalised,
            Some(Tier::Fuzzy) => &mut self.fuzzy,
            None => &mut self.failed,
        } += 1;
        if let Some(reason) = &side.reason {
            *self.reasons.entry(reason.clone()).or_default() += 1;
        }
    }
}

impl Recovery {
    fn add(&mut self, row: Row) {
        match row.outcome {
            Kept::Exact => return,
            Kept::Dropped => {
                self.dropped_by_bytes += 1;
                self.still_dropped += 1;
                return;
            }
            Kept::Normalised => self.normalised += 1,
            Kept::Fuzzy => self.fuzzy += 1,
        }
        self.dropped_by_bytes += 1;
        *match row.on_defect {
            Some(true) => &mut self.on_defect,
            Some(false) => &mut self.off_defect,
            None => &mut self.unknown,
        } += 1;
        if self.listed.len() < LISTED_MAX {
            self.listed.push(row);
        }
    }
}
