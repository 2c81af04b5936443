//! A page in which every text that may be anybody's is hostile.

use redraft::compare::{Reading, TicketRow, TicketSide, TicketTable};
use redraft::detail::{CritiqueDetail, Detail, DraftDetail, EditDetail, FindingDetail, MentionDetail, Op, PassDetail, Piece};
use redraft::model::{Fault, FaultKind, Guards, Span, Stop, Tier};
use redraft::report::{ArmDetails, Report, find};
use redraft::summary::{Accumulator, Origin, Summary};
use serde_json::Value;

/// A ticket's name and the fields of one finding.
pub struct Texts {
    pub ticket: String,
    pub label: String,
    pub quote: String,
    pub severity: String,
    pub detail: String,
    pub fix: String,
    pub source: String,
}

impl Texts {
    /// From a finding as the case on hostile text writes it.
    pub fn read(finding: &Value) -> Texts {
        let text = |key: &str| finding[key].as_str().expect("a text").to_owned();
        Texts {
            ticket: text("ticket"),
            label: text("defect"),
            quote: text("location"),
            severity: text("severity"),
            detail: text("detail"),
            fix: text("fix"),
            source: text("source_id"),
        }
    }

    pub fn benign() -> Texts {
        let [ticket, label, quote, severity, detail, fix, source] =
            ["T-1", "vague", "some words", "major", "what is wrong", "what to do", "s1"].map(str::to_owned);
        Texts { ticket, label, quote, severity, detail, fix, source }
    }

    pub fn all(&self) -> [&str; 7] {
        [&self.ticket, &self.label, &self.quote, &self.severity, &self.detail, &self.fix, &self.source]
    }
}

/// One arm, one run.
pub fn page(texts: &Texts) -> String {
    let origin = Origin {
        arm: texts.ticket.clone(),
        dataset: texts.label.clone(),
        synthetic: texts.detail.clone(),
        requests_recorded: true,
        ..Origin::default()
    };
    let mut arm = Accumulator::new(origin, 1).finish();
    arm.stops = [(texts.quote.clone(), 1)].into();
    let summary = Summary::new(vec![arm]);
    let side = TicketSide { stop: texts.quote.clone(), fault: Some(texts.detail.clone()), passes: 1, values: vec![] };
    let row = TicketRow { ticket: texts.ticket.clone(), sides: vec![Some(side)], change: Some(Reading::Worse) };
    let details = [ArmDetails { arm: texts.ticket.clone(), runs: vec![run(texts)], of: 1 }];
    let report = Report {
        name: &texts.source,
        summary: &summary,
        comparison: None,
        gate: None,
        study: None,
        tickets: &TicketTable { figures: vec![], rows: vec![row] },
        details: &details,
        drafts: &[],
    };
    let files = find("html").expect("the form is registered").render(&report);
    String::from_utf8(files[0].1.clone()).expect("a page of text")
}

fn run(texts: &Texts) -> Detail {
    let draft = format!("Before. {} After.\n", texts.quote);
    let finding = FindingDetail {
        label: texts.label.clone(),
        severity: texts.severity.clone(),
        rank: None,
        quote: Some(texts.quote.clone()),
        source_id: Some(texts.source.clone()),
        source_quote: Some(texts.detail.clone()),
        said: vec![("detail".into(), texts.detail.clone()), ("fix".into(), texts.fix.clone())],
        tier: Some(Tier::Exact),
        similarity: Some(1.0),
        spans: vec![Span::new(8, 8 + texts.quote.len())],
        drop: None,
        fate: None,
        origin: None,
    };
    let piece = |op, text: &str, before| Piece { op, text: text.into(), before, outside: op == Op::Insert };
    let end = Span::new(draft.len(), draft.len());
    let diff = vec![piece(Op::Equal, &draft, Span::new(0, draft.len())), piece(Op::Insert, &texts.fix, end)];
    let made = |text: &str, diff| DraftDetail {
        text: text.into(),
        diff,
        kept: false,
        non_draft: None,
        broke: vec![texts.detail.clone()],
        mended: vec![texts.fix.clone()],
        untouched_sections_edited: 1,
    };
    let edit = EditDetail {
        findings: vec![0],
        status: Some("rejected".into()),
        reason: Some(texts.detail.clone()),
        guards: Guards::default(),
        changed: true,
        rejected: Some(vec![piece(Op::Insert, &texts.fix, Span::new(0, 0))]),
    };
    let critique = CritiqueDetail {
        status: "ok".into(),
        parse_reason: None,
        text: texts.detail.clone(),
        repairs: vec![],
        findings: Some(vec![finding]),
        quotations: vec![],
        mentions: vec![MentionDetail { section: 0, evidence: "ordinal", strict: true, words: texts.quote.clone() }],
        labelled_mentions: None,
    };
    let pass = |pass, critique, edits, draft| PassDetail { pass, calls: 1, cost: None, critique, edits, draft: Some(draft) };
    Detail {
        ticket: texts.ticket.clone(),
        sample: 0,
        prompt: texts.fix.clone(),
        tags: vec![texts.label.clone()],
        stop: Stop::Fault,
        fault: Some(Fault { kind: FaultKind::Mismatch, at: "critic pass 1".into(), what: texts.detail.clone() }),
        passes: vec![pass(0, None, vec![], made(&draft, None)), pass(1, Some(critique), vec![edit], made(&draft, Some(diff)))],
        unused: vec![],
    }
}
