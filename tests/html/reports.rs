//! Reports for the tests: shipped arms compared, one arm alone, and one whose every text is hostile.

use std::path::Path;

use redraft::compare::{self, Comparison, Reading, TicketRow, TicketSide, TicketTable};
use redraft::detail::{CritiqueDetail, Detail, DraftDetail, EditDetail, FindingDetail, Op, PassDetail, Piece};
use redraft::gate::{Gate, MetricVerdict, OnInconclusive, Verdict};
use redraft::model::{Fault, FaultKind, Guards, Span, Stop, Tier};
use redraft::report::{ArmDetails, Report, find};
use redraft::side::{Options, Place, Side};
use redraft::summary::Summary;

/// All that a report needs, owned.
pub struct Owned {
    pub summary: Summary,
    pub comparison: Option<Comparison>,
    pub gate: Option<Gate>,
    pub tickets: TicketTable,
    pub details: Vec<ArmDetails>,
}

impl Owned {
    pub fn html(&self) -> String {
        let report = Report {
            name: "test",
            summary: &self.summary,
            comparison: self.comparison.as_ref(),
            gate: self.gate.as_ref(),
            tickets: &self.tickets,
            details: &self.details,
        };
        let mut files = find("html").expect("the form is registered").render(&report);
        assert_eq!(files.len(), 1);
        String::from_utf8(files.remove(0).1).expect("a page of text")
    }
}

fn open(arm: &str) -> Side {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings").join(arm);
    Side::open(&Place { path, arm: None }, &Options::default(), &mut || {}).unwrap_or_else(|e| panic!("{e}"))
}

/// The runs of every ticket, or of those that got worse or better.
fn details(side: &Side, rows: &TicketTable, all: bool) -> ArmDetails {
    let wanted = |row: &&TicketRow| all || row.change.is_some() || row.sides.iter().flatten().any(|side| side.fault.is_some());
    let tickets: Vec<String> = rows.rows.iter().filter(wanted).map(|row| row.ticket.clone()).collect();
    let runs = side.details(&tickets).unwrap_or_else(|e| panic!("{e}"));
    ArmDetails { arm: side.summary.origin.arm.clone(), runs, of: side.summary.runs }
}

pub fn compared(a: &str, b: &str, all: bool) -> Owned {
    let sides = [open(a), open(b)];
    let comparison = compare::compare(&sides[0], &sides[1], &compare::Options::default());
    let tickets = compare::table(&[&sides[0], &sides[1]], Some(&comparison));
    let details = sides.iter().map(|side| details(side, &tickets, all)).collect();
    let gate = Some(gate(&comparison));
    let summary = Summary::new(sides.map(|side| side.summary).to_vec());
    Owned { summary, comparison: Some(comparison), gate, tickets, details }
}

pub fn alone(arm: &str) -> Owned {
    let side = open(arm);
    let tickets = compare::table(&[&side], None);
    let details = vec![details(&side, &tickets, true)];
    Owned { summary: Summary::new(vec![side.summary]), comparison: None, gate: None, tickets, details }
}

/// A verdict on two figures, made by hand.
fn gate(comparison: &Comparison) -> Gate {
    let metric = |name: &str, margin: f64, verdict: Verdict| {
        let figure = comparison.figures.iter().find(|figure| figure.name == name).expect("a figure");
        let end = figure.end.as_ref();
        MetricVerdict {
            figure: figure.name.clone(),
            title: figure.title.clone(),
            unit: figure.unit.clone(),
            verdict,
            why: "What was seen, and why that is the verdict.".into(),
            margin,
            baseline: end.and_then(|end| end.baseline.value),
            candidate: end.and_then(|end| end.candidate.value),
            worse_by: end.and_then(|end| end.value),
            low: end.and_then(|end| end.low),
            high: end.and_then(|end| end.high),
            n: end.map_or(0, |end| end.n),
            p: Some(0.013),
            p_holm: Some(0.026),
            p_not_worse: Some(0.9),
            discordance: Some(0.12),
            detectable: Some(0.05),
            needed: Some(812),
            tickets: comparison.worse.iter().take(5).map(|change| change.ticket.clone()).collect(),
        }
    };
    Gate {
        version: 1,
        verdict: Verdict::Regressed,
        exact: comparison.exact,
        reasons: vec!["A reason, in words.".into()],
        alpha: 0.05,
        on_inconclusive: OnInconclusive::Pass,
        metrics: vec![metric("run_new_error", 0.02, Verdict::Regressed), metric("untouched_section_edit", 0.05, Verdict::Inconclusive)],
    }
}

/// A finding of the case on hostile text: a ticket's name and the fields of one finding.
pub struct Hostile {
    pub ticket: String,
    pub label: String,
    pub quote: String,
    pub severity: String,
    pub detail: String,
    pub fix: String,
    pub source: String,
}

/// One arm alone, one run, in which every text that may be anybody's is as given.
pub fn hostile(texts: &Hostile) -> Owned {
    let mut owned = alone("payments-qwen-1.5b/findings-batched");
    let draft = format!("Before. {} After.\n", texts.quote);
    let quote = Span::new(8, 8 + texts.quote.len());
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
        spans: vec![quote],
        drop: None,
        fate: None,
        origin: None,
    };
    let piece = |op, text: &str, before| Piece { op, text: text.into(), before, outside: op == Op::Insert };
    let diff =
        vec![piece(Op::Equal, &draft, Span::new(0, draft.len())), piece(Op::Insert, &texts.fix, Span::new(draft.len(), draft.len()))];
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
    };
    let pass = |pass, critique, edits, draft| PassDetail { pass, calls: 1, cost: None, critique, edits, draft: Some(draft) };
    let run = Detail {
        ticket: texts.ticket.clone(),
        sample: 0,
        prompt: texts.fix.clone(),
        tags: vec![texts.label.clone()],
        stop: Stop::Fault,
        fault: Some(Fault { kind: FaultKind::Mismatch, at: "critic pass 1".into(), what: texts.detail.clone() }),
        passes: vec![pass(0, None, vec![], made(&draft, None)), pass(1, Some(critique), vec![edit], made(&draft, Some(diff)))],
        unused: vec![],
    };
    let arm = &mut owned.summary.arms[0];
    (arm.origin.arm, arm.origin.dataset, arm.origin.synthetic) = (texts.ticket.clone(), texts.label.clone(), texts.detail.clone());
    arm.stops = [(texts.quote.clone(), 1)].into();
    let values = vec![None; owned.tickets.figures.len()];
    let side = TicketSide { stop: texts.quote.clone(), fault: Some(texts.detail.clone()), passes: 1, values };
    owned.tickets.rows = vec![TicketRow { ticket: texts.ticket.clone(), sides: vec![Some(side)], change: Some(Reading::Worse) }];
    owned.details = vec![ArmDetails { arm: texts.ticket.clone(), runs: vec![run], of: 1 }];
    owned
}
