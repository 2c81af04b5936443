//! The file form of a run. Text that another field already holds is not written twice: an edit's `before` is the draft the edits before it left.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::model::{
    Anchor, CallRecord, Critique, CritiqueStatus, Drop, Edit, EditStatus, Fault, Finding, Guards, Pass, Role, Run, Slot, Span, Stop,
    StopReason, Usage, Usd,
};

/// The first line of a ledger: what made it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "First line of ledger.jsonl")]
pub struct Header {
    /// Format version: 1.
    pub v: u32,
    pub arm: String,
    pub dataset: String,
    /// Hash of the tickets, so that two datasets of one name can be told apart.
    pub dataset_digest: String,
    /// Hash of the recorded calls: two arms that have the same replay the same answers. Empty where it is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub recording_digest: String,
    /// Not empty where the answers were not made by a model.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub synthetic: String,
    /// The loop's spec with its files put in place.
    pub spec: Value,
}

impl Header {
    /// The version, or what is wrong with it.
    pub fn known_version(&self) -> Result<(), String> {
        match self.v {
            1 => Ok(()),
            other => Err(format!("v: version {other} of the ledger format is not known; expected 1")),
        }
    }
}

/// One run.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Every further line of ledger.jsonl: one run")]
pub struct RunLine<'a> {
    #[serde(borrow)]
    ticket: Cow<'a, str>,
    #[serde(default)]
    sample: u32,
    stop: Stop,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fault: Option<Fault>,
    #[serde(borrow)]
    passes: Vec<PassLine<'a>>,
    /// Recorded calls that were never asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    unused: Vec<SlotForm>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PassLine<'a> {
    pass: u32,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    critique: Option<CritiqueLine<'a>>,
    #[serde(borrow, default, skip_serializing_if = "Vec::is_empty")]
    edits: Vec<EditLine<'a>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    draft: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    draft_stop: Option<StopReason>,
    #[serde(default)]
    calls: Vec<CallForm>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CritiqueLine<'a> {
    status: CritiqueStatus,
    #[serde(borrow)]
    text: Cow<'a, str>,
    /// Absent where the format has none or the reply could not be read.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    findings: Option<Vec<FindingLine<'a>>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    repairs: Vec<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    quotations: Vec<Anchor>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FindingLine<'a> {
    #[serde(borrow)]
    label: Cow<'a, str>,
    #[serde(borrow)]
    severity: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rank: Option<u32>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    quote: Option<Cow<'a, str>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    source_id: Option<Cow<'a, str>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    source_quote: Option<Cow<'a, str>>,
    #[serde(default)]
    raw: Cow<'a, Map<String, Value>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    anchor: Option<Anchor>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    drop: Option<Drop>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EditLine<'a> {
    findings: Vec<usize>,
    scope: Vec<Span>,
    /// The text the reviser returned.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    proposed: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    status: Option<EditStatus>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    reason: Option<Cow<'a, str>>,
    #[serde(default)]
    guards: Guards,
    stop: StopReason,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CallForm {
    role: Role,
    #[serde(default)]
    n: u32,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    key: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    usage: Option<Usage>,
    /// US dollars; absent where usage or price is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cost_usd: Option<Usd>,
    stop: StopReason,
    #[serde(default = "once")]
    attempts: u32,
    /// False where no attempt succeeded.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    answered: bool,
}

fn yes() -> bool {
    true
}

fn once() -> u32 {
    1
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SlotForm {
    pass: u32,
    role: Role,
    #[serde(default)]
    n: u32,
}

fn cow(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
}

impl<'a> RunLine<'a> {
    pub fn of(run: &'a Run) -> RunLine<'a> {
        RunLine {
            ticket: cow(&run.ticket),
            sample: run.sample,
            stop: run.stop,
            fault: run.fault.clone(),
            passes: run.passes.iter().map(PassLine::of).collect(),
            unused: run.unused.iter().map(|s| SlotForm { pass: s.pass, role: s.role, n: s.n }).collect(),
        }
    }

    /// Back into a run. Spans that do not fit their draft are an error: a ledger from elsewhere may be wrong.
    pub fn into_run(self) -> Result<Run, String> {
        let sample = self.sample;
        let mut passes: Vec<Pass> = vec![];
        let mut draft = String::new();
        for line in self.passes {
            if passes.last().map_or(line.pass != 0, |p| line.pass != p.index + 1) {
                return Err(format!("passes: expected pass {}, found {}", passes.last().map_or(0, |p| p.index + 1), line.pass));
            }
            let pass = line.into_pass(sample, &draft)?;
            if let Some(next) = &pass.draft {
                draft.clone_from(next);
            }
            passes.push(pass);
        }
        let unused = self.unused.into_iter().map(|s| Slot { sample, pass: s.pass, role: s.role, n: s.n }).collect();
        Ok(Run { ticket: self.ticket.into_owned(), sample, passes, stop: self.stop, fault: self.fault, unused })
    }
}

impl<'a> PassLine<'a> {
    fn of(pass: &'a Pass) -> PassLine<'a> {
        PassLine {
            pass: pass.index,
            critique: pass.critique.as_ref().map(CritiqueLine::of),
            edits: pass.edits.iter().map(EditLine::of).collect(),
            draft: pass.draft.as_deref().map(cow),
            draft_stop: pass.draft_stop,
            calls: pass.calls.iter().map(CallForm::of).collect(),
        }
    }

    fn into_pass(self, sample: u32, incoming: &str) -> Result<Pass, String> {
        let index = self.pass;
        let critique = self.critique.map(CritiqueLine::into_critique);
        let anchors = critique.iter().flat_map(|c| c.findings.iter().flatten().filter_map(|f| f.anchor.as_ref()).chain(&c.quotations));
        if let Some(span) = anchors.flat_map(|a| &a.spans).find(|s| s.of(incoming).is_none()) {
            return Err(format!(
                "pass {index}: span [{}, {}] does not lie in the draft before this pass ({} bytes)",
                span.start,
                span.end,
                incoming.len()
            ));
        }
        let count = critique.as_ref().and_then(|c| c.findings.as_ref()).map_or(0, Vec::len);
        let mut edits: Vec<Edit> = vec![];
        for line in self.edits {
            let before = edits.last().map_or(incoming, Edit::after).to_owned();
            if let Some(bad) = line.findings.iter().find(|i| **i >= count) {
                return Err(format!("pass {index}: an edit names finding {bad}, but the critique has {count}"));
            }
            if let Some(span) = line.scope.iter().find(|s| s.of(&before).is_none()) {
                return Err(format!("pass {index}: scope [{}, {}] does not lie in the draft the edit was given", span.start, span.end));
            }
            edits.push(line.into_edit(before));
        }
        let calls = self.calls.into_iter().map(|c| c.into_record(sample, index)).collect();
        let draft = self.draft.map(Cow::into_owned);
        Ok(Pass { critique, edits, draft, draft_stop: self.draft_stop, calls, ..Pass::new(index) })
    }
}

impl<'a> CritiqueLine<'a> {
    fn of(c: &'a Critique) -> CritiqueLine<'a> {
        CritiqueLine {
            status: c.status,
            text: cow(&c.text),
            findings: c.findings.as_ref().map(|list| list.iter().map(FindingLine::of).collect()),
            repairs: c.repairs.iter().map(|r| cow(r)).collect(),
            quotations: c.quotations.clone(),
        }
    }

    fn into_critique(self) -> Critique {
        Critique {
            status: self.status,
            text: self.text.into_owned(),
            findings: self.findings.map(|list| list.into_iter().map(FindingLine::into_finding).collect()),
            repairs: self.repairs.into_iter().map(Cow::into_owned).collect(),
            quotations: self.quotations,
        }
    }
}

impl<'a> FindingLine<'a> {
    fn of(f: &'a Finding) -> FindingLine<'a> {
        FindingLine {
            label: cow(&f.label),
            severity: cow(&f.severity),
            rank: f.rank,
            quote: f.quote.as_deref().map(cow),
            source_id: f.source_id.as_deref().map(cow),
            source_quote: f.source_quote.as_deref().map(cow),
            raw: Cow::Borrowed(&f.raw),
            anchor: f.anchor.clone(),
            drop: f.drop,
        }
    }

    fn into_finding(self) -> Finding {
        Finding {
            label: self.label.into_owned(),
            severity: self.severity.into_owned(),
            rank: self.rank,
            quote: self.quote.map(Cow::into_owned),
            source_id: self.source_id.map(Cow::into_owned),
            source_quote: self.source_quote.map(Cow::into_owned),
            raw: self.raw.into_owned(),
            anchor: self.anchor,
            drop: self.drop,
        }
    }
}

impl<'a> EditLine<'a> {
    fn of(e: &'a Edit) -> EditLine<'a> {
        EditLine {
            findings: e.findings.clone(),
            scope: e.scope.clone(),
            proposed: e.proposed.as_deref().map(cow),
            status: e.status,
            reason: e.reason.as_deref().map(cow),
            guards: e.guards,
            stop: e.stop,
        }
    }

    fn into_edit(self, before: String) -> Edit {
        Edit {
            findings: self.findings,
            scope: self.scope,
            before,
            proposed: self.proposed.map(Cow::into_owned),
            status: self.status,
            reason: self.reason.map(Cow::into_owned),
            guards: self.guards,
            stop: self.stop,
        }
    }
}

impl CallForm {
    fn of(c: &CallRecord) -> CallForm {
        CallForm {
            role: c.slot.role,
            n: c.slot.n,
            key: c.key.clone(),
            usage: c.usage,
            cost_usd: c.cost,
            stop: c.stop,
            attempts: c.attempts,
            answered: c.answered,
        }
    }

    fn into_record(self, sample: u32, pass: u32) -> CallRecord {
        let slot = Slot { sample, pass, role: self.role, n: self.n };
        CallRecord {
            slot,
            key: self.key,
            usage: self.usage,
            cost: self.cost_usd,
            stop: self.stop,
            attempts: self.attempts,
            answered: self.answered,
        }
    }
}
