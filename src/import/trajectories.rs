//! Neutral trajectories: one run of a ticket a line, its drafts and critiques as texts. What any loop can write that kept its texts and no more.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::input::{Input, cause};
use super::{Exchange, Found, Importer, Record, made};
use crate::error::{Error, describe};
use crate::model::{Role, Usage};

pub struct Trajectories;

/// One run, version 1.
#[derive(Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "One line of trajectories.jsonl")]
pub struct RunLog {
    /// The ticket's id.
    ticket: String,
    /// Which run of the ticket.
    #[serde(default)]
    sample: u32,
    /// What the writer was asked.
    #[serde(default)]
    prompt: Option<String>,
    /// Texts that the answer may rest on, as in tickets.jsonl.
    #[serde(default)]
    sources: Vec<Value>,
    /// Further values of the ticket.
    #[serde(default)]
    fields: Map<String, Value>,
    /// The model, where all calls had one.
    #[serde(default)]
    model: Option<String>,
    /// Pass 0 first: its draft is the writer's. A later pass has the critique, and the draft that the reviser made of it.
    passes: Vec<PassLine>,
}

#[derive(Deserialize, Default, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct PassLine {
    /// A text, or the JSON that the critic gave.
    critique: Option<Value>,
    draft: Option<String>,
    critique_usage: Option<Usage>,
    draft_usage: Option<Usage>,
    /// `end`, `length`, `content_filter`, `refusal` or `tool`.
    critique_stop: Option<String>,
    draft_stop: Option<String>,
    /// In place of the critique: why there is none.
    critique_error: Option<CallError>,
    /// In place of the draft.
    draft_error: Option<CallError>,
}

/// A call that failed.
#[derive(Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct CallError {
    /// HTTP status, where there was one.
    #[serde(default)]
    status: u16,
    message: String,
}

impl Importer for Trajectories {
    fn name(&self) -> &'static str {
        "trajectories"
    }

    fn about(&self) -> &'static str {
        "one run of a ticket a line, with the texts of its drafts and critiques (docs/import.md)"
    }

    fn rules(&self) -> &'static [&'static str] {
        &["ticket=ticket", "sample=sample", "pass=pass", "role=role"]
    }

    fn read(&self, inputs: &[Input]) -> Result<Vec<Record>, Error> {
        let mut out = vec![];
        for input in inputs {
            let (values, broken) = input.values(&[])?;
            out.extend(broken);
            for (at, value) in values {
                let mut reader = serde_json::Deserializer::from_str(value.get());
                match RunLog::deserialize(&mut reader) {
                    Ok(run) => calls(&at, run, &mut out),
                    Err(e) => out.push(Record::other(at, format!("no run: {}", describe("", &cause(&e))))),
                }
            }
        }
        Ok(out)
    }
}

fn calls(at: &str, run: RunLog, out: &mut Vec<Record>) {
    if run.passes.is_empty() {
        out.push(Record::other(at, "no passes; expected at least pass 0 with the writer's draft"));
    }
    let ticket = json!({"id": run.ticket, "prompt": run.prompt, "sources": run.sources, "fields": run.fields});
    for (number, pass) in run.passes.into_iter().enumerate() {
        let place = format!("{at} pass {number}");
        let critique = pass.critique.map(|value| match value {
            Value::String(text) => text,
            other => other.to_string(),
        });
        if number == 0 && (critique.is_some() || pass.critique_error.is_some()) {
            out.push(Record::other(place.clone(), "a critique in pass 0, which has none: the writer's draft stands alone there"));
        } else if let Some(found) = said(critique, pass.critique_error, pass.critique_stop, pass.critique_usage, run.model.as_deref()) {
            out.push(record(&place, Role::Critic, number, run.sample, found, &ticket));
        }
        let role = if number == 0 { Role::Writer } else { Role::Reviser };
        if let Some(found) = said(pass.draft, pass.draft_error, pass.draft_stop, pass.draft_usage, run.model.as_deref()) {
            out.push(record(&place, role, number, run.sample, found, &ticket));
        }
    }
}

/// The exchange of a text or an error; both at once are the error's, since a failed call has no answer.
fn said(
    text: Option<String>,
    error: Option<CallError>,
    stop: Option<String>,
    usage: Option<Usage>,
    model: Option<&str>,
) -> Option<Exchange> {
    let made = Exchange { provider: made::PROVIDER, is_made: true, ..Exchange::default() };
    match (text, error) {
        (_, Some(error)) => {
            // A call that failed has no status of success.
            let status = if (200..300).contains(&error.status) { 0 } else { error.status };
            Some(Exchange { status, body: made::failure(&error.message, None), ..made })
        }
        (Some(text), None) => {
            let stop = stop.map_or(crate::model::StopReason::Unknown, |word| made::stop(Some(&word)));
            Some(Exchange { status: 200, body: made::answer(&text, stop, usage, model), ..made })
        }
        (None, None) => None,
    }
}

fn record(at: &str, role: Role, pass: usize, sample: u32, exchange: Exchange, ticket: &Value) -> Record {
    let fields = json!({"ticket": ticket["id"], "sample": sample, "pass": pass, "role": role.name()});
    let asked = ticket["prompt"].as_str().filter(|_| role == Role::Writer).map(str::to_owned);
    let told = (role == Role::Writer).then(|| ticket.clone());
    Record { at: format!("{at} {}", role.name()), fields, found: Found::Call(Box::new(Exchange { asked, ticket: told, ..exchange })) }
}
