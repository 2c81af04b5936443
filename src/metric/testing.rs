//! Runs made by hand for tests: drafts first, critiques laid over them, findings anchored where their quotation stands.

use serde_json::{Map, Value};

use super::{Cell, Measured, Settings, column_at, measure};
use crate::critique::locate::locate;
use crate::model::{
    Anchor, CallRecord, Critique, CritiqueStatus, Drop, DropReason, Edit, EditStatus, Finding, Pass, Role, Run, Slot, Source, Span, Stop,
    StopReason, Ticket, Tier, Usage, Usd,
};

pub fn ticket() -> Ticket {
    Ticket { id: "T1".into(), prompt: "p".into(), sources: vec![], checks: vec![], defects: vec![], tags: vec![], fields: Map::new() }
}

/// A run whose pass k made draft k. Critiques come with [`critique`].
pub fn run_of(drafts: &[&str]) -> Run {
    let pass = |(index, draft): (usize, &&str)| pass(index as u32, Some((*draft).into()));
    Run {
        ticket: "T1".into(),
        sample: 0,
        passes: drafts.iter().enumerate().map(pass).collect(),
        stop: Stop::MaxPasses,
        fault: None,
        unused: vec![],
    }
}

pub fn pass(index: u32, draft: Option<String>) -> Pass {
    Pass { draft, ..Pass::new(index) }
}

/// Lays a critique over pass k, with one whole revision where the pass has a draft. Findings are (label, quotation).
pub fn critique(run: &mut Run, at: usize, findings: &[(&str, &str)]) {
    let before = run.draft_before(at as u32).unwrap_or_default().to_owned();
    let findings: Vec<Finding> = findings.iter().map(|(label, quote)| finding(label, quote, &before)).collect();
    let pass = &mut run.passes[at];
    let status = if findings.is_empty() { CritiqueStatus::Approved } else { CritiqueStatus::Ok };
    let given: Vec<usize> = (0..findings.len()).filter(|i| findings[*i].anchor.is_some()).collect();
    pass.critique = Some(Critique { status, text: String::new(), findings: Some(findings), repairs: vec![], quotations: vec![] });
    if let Some(after) = pass.draft.clone().filter(|_| status == CritiqueStatus::Ok) {
        pass.edits = vec![edit(given, &before, &after, None)];
    }
}

/// The same for a serial pass: the reviser's status of each finding; the first applied one makes the whole change.
pub fn serial(run: &mut Run, at: usize, findings: &[(&str, &str, EditStatus)]) {
    critique(run, at, &findings.iter().map(|(label, quote, _)| (*label, *quote)).collect::<Vec<_>>());
    let before = run.draft_before(at as u32).unwrap_or_default().to_owned();
    let after = run.passes[at].draft.clone().unwrap_or_default();
    let mut current = before;
    run.passes[at].edits = findings
        .iter()
        .enumerate()
        .map(|(index, (_, _, status))| {
            let edit = edit(vec![index], &current, &after, Some(*status));
            current = edit.after().to_owned();
            edit
        })
        .collect();
}

pub fn edit(findings: Vec<usize>, before: &str, after: &str, status: Option<EditStatus>) -> Edit {
    Edit {
        findings,
        scope: vec![],
        before: before.into(),
        proposed: Some(after.into()),
        status,
        reason: None,
        guards: Default::default(),
        stop: StopReason::End,
    }
}

/// A critic call after the last revision.
pub fn closing(run: &mut Run, findings: &[(&str, &str)]) {
    run.passes.push(pass(run.passes.len() as u32, None));
    critique(run, run.passes.len() - 1, findings);
}

pub fn finding(label: &str, quote: &str, draft: &str) -> Finding {
    let spans: Vec<Span> = draft.match_indices(quote).map(|(at, text)| Span::new(at, at + text.len())).collect();
    let anchor = (!spans.is_empty()).then_some(Anchor { tier: Tier::Exact, spans, similarity: 1.0 });
    let drop = anchor.is_none().then_some(Drop { reason: DropReason::NotFound, similarity: None });
    Finding {
        label: label.into(),
        severity: "major".into(),
        rank: Some(1),
        quote: Some(quote.into()),
        source_id: None,
        source_quote: None,
        raw: Map::new(),
        anchor,
        drop,
    }
}

pub fn call(role: Role, pass: u32, cost: Option<&str>) -> CallRecord {
    let usage = cost.map(|_| Usage { input: 100, cached: 0, output: 50 });
    let slot = Slot { sample: 0, pass, role, n: 0 };
    CallRecord { slot, key: String::new(), usage, cost: cost.and_then(Usd::parse), stop: StopReason::End, attempts: 1, answered: true }
}

/// A case's input file.
pub fn case(path: &str) -> String {
    std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/metric").join(path)).unwrap()
}

/// Case A11: grounded findings anchored in draft and sources.
pub fn grounded_case() -> Run {
    let draft = case("A11-grounded-eligible/draft.txt");
    let file: Value = serde_json::from_str(&case("A11-grounded-eligible/findings.json")).unwrap();
    let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let mut run = run_of(&[&draft, &draft]);
    critique(&mut run, 1, &[("none", "none")]);
    let grounded = |value: &Value| {
        let mut finding = finding(&text(value, "category"), &text(value, "draft_span"), "");
        (finding.source_id, finding.source_quote, finding.drop) = (Some(text(value, "source_id")), Some(text(value, "source_span")), None);
        finding
    };
    let sources: Map<String, Value> = serde_json::from_str(&case("A11-grounded-eligible/sources.json")).unwrap();
    let source = |(id, text): (&String, &Value)| Source { id: id.clone(), title: String::new(), text: text.as_str().unwrap().into() };
    let critique = run.passes[1].critique.as_mut().unwrap();
    critique.findings = Some(file["findings"].as_array().unwrap().iter().map(grounded).collect());
    locate(critique, &draft, &sources.iter().map(source).collect::<Vec<_>>(), 0.8);
    run
}

/// Cases R01 to R04: a ledger of drafts, critiques and statuses as a serial run.
pub fn ledger_case(value: &Value) -> Run {
    let passes = value["passes"].as_array().unwrap();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let mut drafts: Vec<String> = passes.iter().map(|pass| text(&pass["draft"]).unwrap()).collect();
    let last = text(&value["final_draft"]);
    let made_last = passes.last().is_some_and(|pass| pass["reviser_status"].is_array());
    drafts.extend(last.filter(|_| made_last));
    let mut run = run_of(&drafts.iter().map(String::as_str).collect::<Vec<_>>());
    run.ticket = text(&value["ticket"]).unwrap();
    if !made_last {
        run.passes.push(pass(passes.len() as u32, None));
    }
    for (index, entry) in passes.iter().enumerate() {
        let at = index + 1;
        let status = |n: usize| match entry["reviser_status"][n].as_str() {
            Some("applied") => EditStatus::Applied,
            Some("rejected") => EditStatus::Rejected,
            _ => EditStatus::NotFound,
        };
        let listed = entry["critic"]["findings"].as_array();
        let texts: Vec<(String, String)> =
            listed.into_iter().flatten().map(|f| (text(&f["defect"]).unwrap(), text(&f["location"]).unwrap())).collect();
        if entry["reviser_status"].is_array() {
            let findings: Vec<_> =
                texts.iter().enumerate().map(|(n, (label, quote))| (label.as_str(), quote.as_str(), status(n))).collect();
            serial(&mut run, at, &findings);
        } else {
            critique(&mut run, at, &texts.iter().map(|(label, quote)| (label.as_str(), quote.as_str())).collect::<Vec<_>>());
        }
        if entry["critic"]["status"] == "parse_error" {
            let critique = run.passes[at].critique.as_mut().unwrap();
            (critique.status, critique.findings) = (CritiqueStatus::ParseError(crate::model::ParseReason::Malformed), None);
        }
    }
    run
}

/// A measured run, read by name.
pub struct Rows(pub Measured);

pub fn rows(run: &Run) -> Rows {
    Rows(measure(&ticket(), run, &Settings::default()))
}

impl Rows {
    pub fn cell(&self, pass: usize, name: &str) -> &Cell {
        &self.0.rows[pass].cells[column_at(name).unwrap()]
    }

    pub fn int(&self, pass: usize, name: &str) -> Option<i64> {
        match self.cell(pass, name) {
            Cell::Int(n) => Some(*n),
            Cell::Null => None,
            other => panic!("{name} is {other:?}"),
        }
    }

    pub fn flag(&self, pass: usize, name: &str) -> Option<bool> {
        match self.cell(pass, name) {
            Cell::Flag(flag) => Some(*flag),
            Cell::Null => None,
            other => panic!("{name} is {other:?}"),
        }
    }

    pub fn real(&self, pass: usize, name: &str) -> Option<f64> {
        match self.cell(pass, name) {
            Cell::Real(x) => Some(*x),
            Cell::Null => None,
            other => panic!("{name} is {other:?}"),
        }
    }
}
