//! The recordings: the real machine asks, the made-up writer, critic and reviser answer, and what is true stands in truth.jsonl.

use std::collections::BTreeSet;
use std::path::Path;

use redraft::arm;
use redraft::dataset::Dataset;
use redraft::machine::{Answer, Ask, Loop, Machine, Step};
use redraft::model::{Role, Ticket};
use redraft::tape::{CallLine, Meta, RequestLine, ResponseLine, SlotLine};
use serde::Serialize;
use serde_json::json;
use serde_json::value::to_raw_value;

use super::critic::{self, Arm, Finding, Truth};
use super::review::{CLASSES, Class, Review};

/// calls.jsonl and truth.jsonl of one arm, asked by the loop.toml in `dir`.
pub fn record(arm: &Arm, dir: &Path) -> Result<(String, String), String> {
    let reviews = super::review::all();
    let opened = arm::Arm::open(dir).map_err(|e| e.to_string())?;
    let dataset = Dataset::open(&opened.dataset).map_err(|e| e.to_string())?;
    let program = Loop::new(opened.spec)?;
    let mut tickets = dataset.tickets().map_err(|e| e.to_string())?;
    let (mut calls, mut truth) = (String::new(), String::new());
    for (findings, (account, review)) in critic::critiques(arm, &reviews).iter().zip(&reviews) {
        let raw = tickets.next().map_err(|e| e.to_string())?.ok_or("the dataset has fewer tickets than there are accounts")?;
        let ticket = dataset.read(&raw).map_err(|e| e.to_string())?;
        if ticket.id != account.id {
            return Err(format!("ticket `{}` stands where `{}` was expected; write the dataset first", ticket.id, account.id));
        }
        calls += &play(arm, &program, &ticket, review, findings)?;
        truth += &(serde_json::to_string(&told(&ticket.id, review, findings)).map_err(|e| e.to_string())? + "\n");
    }
    Ok((calls, truth))
}

fn play(arm: &Arm, program: &Loop, ticket: &Ticket, review: &Review, findings: &[Finding]) -> Result<String, String> {
    let mut machine = Machine::new(program, ticket, 0);
    let (mut calls, mut answer) = (String::new(), None);
    loop {
        match machine.next(answer.take()).map_err(|fault| format!("{}: {}", fault.at, fault.what))? {
            Step::Done(_) => return Ok(calls),
            Step::Ask(ask) => {
                let said = match ask.slot.role {
                    Role::Writer => review.text(),
                    Role::Reviser => review.written(&mended(findings)),
                    _ => critique(arm, findings),
                };
                let (line, given) = call(program, ticket, &ask, &said)?;
                calls += &line;
                answer = Some(given);
            }
        }
    }
}

/// The reviser puts right what it was told of: a finding that quotes badly never reaches it.
fn mended(findings: &[Finding]) -> BTreeSet<Class> {
    let reached = findings.iter().filter(|f| f.truth.quoted != "fabricated").filter_map(|f| f.truth.defect);
    reached.filter_map(|name| CLASSES.iter().find(|(_, own, _)| *own == name)).map(|(class, ..)| *class).collect()
}

#[derive(Serialize)]
struct Plain<'a> {
    defect: &'a str,
    location: &'a str,
    severity: &'a str,
    detail: &'a str,
    fix: &'a str,
}

#[derive(Serialize)]
struct Grounded<'a> {
    category: &'a str,
    severity: &'a str,
    draft_span: &'a str,
    source_id: &'a str,
    source_span: &'a str,
    explanation: &'a str,
}

fn critique(arm: &Arm, findings: &[Finding]) -> String {
    let plain = |f: &Finding| json!(Plain { defect: &f.label, location: &f.quote, severity: f.severity, detail: &f.detail, fix: &f.fix });
    let grounded = |f: &Finding| {
        let (category, draft_span, source_span) = (f.label.as_str(), f.quote.as_str(), f.proof.as_str());
        json!(Grounded { category, severity: f.severity, draft_span, source_id: f.source, source_span, explanation: &f.detail })
    };
    let list: Vec<_> = findings.iter().map(|f| if arm.grounded { grounded(f) } else { plain(f) }).collect();
    json!({ "findings": list }).to_string()
}

fn call(program: &Loop, ticket: &Ticket, ask: &Ask, said: &str) -> Result<(String, Answer), String> {
    let spec = &program.spec;
    let model = &spec.role(ask.slot.role).model;
    let raw = |value: &serde_json::Value| to_raw_value(value).map_err(|e| e.to_string());
    let request = raw(&ask.body)?;
    // A token a started four bytes.
    let (asked, told) = (request.get().len().div_ceil(4), said.len().div_ceil(4));
    let response = raw(&json!({
        "object": "chat.completion",
        "model": model,
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": said}}],
        "usage": {"prompt_tokens": asked, "completion_tokens": told, "total_tokens": asked + told},
    }))?;
    let key = program.key(ask);
    let slot = ask.slot;
    let line = CallLine {
        v: 1,
        key: Some(key.as_str().into()),
        slot: SlotLine { ticket: ticket.id.as_str().into(), sample: slot.sample, pass: slot.pass, role: slot.role, n: slot.n },
        request: Some(RequestLine { provider: spec.wire.name().into(), endpoint: spec.wire.path(model).into(), body: &request }),
        response: ResponseLine { status: 200, headers: Default::default(), body: &response },
        meta: Meta::default(),
    };
    let line = serde_json::to_string(&line).map_err(|e| e.to_string())? + "\n";
    Ok((line, Answer { reply: spec.wire.reply(response.get())?, key, attempts: 1 }))
}

/// One line of truth.jsonl.
#[derive(Serialize)]
struct Told<'a> {
    ticket: &'a str,
    defects: Vec<Known<'a>>,
    findings: Vec<&'a Truth>,
}

#[derive(Serialize)]
struct Known<'a> {
    class: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    quote: Option<&'a str>,
    caught: bool,
}

fn told<'a>(ticket: &'a str, review: &'a Review, findings: &'a [Finding]) -> Told<'a> {
    let known = |class: &Class| {
        let name = CLASSES.iter().find(|(own, ..)| own == class).map_or("", |(_, name, _)| name);
        let caught = findings.iter().any(|f| f.truth.defect == Some(name) && f.truth.quoted != "fabricated");
        Known { class: name, quote: review.place(*class).map(|(own, _)| own), caught }
    };
    Told { ticket, defects: review.defects.iter().map(known).collect(), findings: findings.iter().map(|f| &f.truth).collect() }
}
