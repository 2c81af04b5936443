//! The loop.toml that an import begins with: what the log proves, and marked lines for what it does not tell.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Map, Value};

use super::place::{Call, Placed};
use super::template::{self, Asking};
use crate::api;
use crate::critique::prose::Prose;
use crate::critique::{self, Format};
use crate::jsonl::line;
use crate::model::{CritiqueStatus, Reply, Role};

/// What an import knows of its loop.
pub struct Skeleton {
    pub text: String,
    /// True where requests must agree, not slots alone.
    pub by_key: bool,
    /// Why they need not, where they do not have to.
    pub why_slot: Option<String>,
}

/// The text of a prompt that is not known. It stands in no request.
const UNKNOWN: &str = "NOT KNOWN: put the prompt here";

pub fn skeleton(placed: &Placed, importer: &str, dataset: &str, prompts: &BTreeMap<String, String>) -> Skeleton {
    let calls = &placed.calls;
    let exact = calls.iter().filter(|call| call.exchange.request.is_some()).count();
    // Plain replies first; some loops strip them.
    let found = match template::find(calls, placed.provider, prompts, false) {
        Ok(found) => Ok((found, false)),
        Err(why) => template::find(calls, placed.provider, prompts, true).map(|found| (found, true)).map_err(|_| why),
    };
    let (askings, trim, why_slot) = match found {
        Ok((askings, trim)) if exact == calls.len() => (askings, trim, None),
        Ok(_) => (BTreeMap::new(), false, Some("not every call has its request".to_owned())),
        Err(why) => (BTreeMap::new(), false, Some(why)),
    };
    let by_key = why_slot.is_none();
    let mut out = String::new();
    let mut say = |text: &str| {
        out.push_str(text);
        out.push('\n');
    };
    say(&format!("# Made by `redraft import {importer}`. Lines with NOT KNOWN say what the log does not tell."));
    say("version = 1");
    say(&format!("dataset = {}", quoted(dataset)));
    say(&format!("about = {}", quoted(&format!("imported from {importer}"))));
    say("coverage = \"recorded\"");
    let samples = calls.iter().map(|call| call.slot.sample).max().unwrap_or(0).saturating_add(1).min(1000);
    if samples > 1 {
        say(&format!("samples = {samples}"));
    }
    match &why_slot {
        None => say("# Every recorded request is made again by the prompts below: that was tried, key by key."),
        Some(why) => {
            say(&format!("# The slot alone decides which answer is used, and nothing proves what was asked: {}.", one_line(why)));
            if exact == calls.len() {
                say(
                    "# The requests are in calls.jsonl. Put the prompts below, set match = \"key\", and `redraft verify` names the first field that differs.",
                );
            } else {
                say(&format!(
                    "# {exact} of {} calls have their request as it was sent; prompts that are not known take no part in any number.",
                    calls.len()
                ));
            }
            say("match = \"slot\"");
        }
    }
    if trim {
        say("trim = true");
    }
    let models = models(calls, placed.provider);
    let model = askings.get(&Role::Writer).or_else(|| askings.values().next()).map(|asking| asking.model.clone());
    let model = model.or_else(|| models.first().cloned());
    say("\n[model]");
    say(&format!("provider = {}", quoted(placed.provider)));
    match &model {
        Some(model) => say(&format!("name = {}", quoted(model))),
        None => say("name = \"unknown\"   # NOT KNOWN: the model"),
    }
    say("\n# NOT KNOWN: prices, in US dollars per million tokens. Without them costs are unknown, not 0.");
    for model in &models {
        say(&format!("# [prices.{}]\n# input = \n# output = ", quoted(model)));
    }
    let shape = Shape::of(calls, placed.provider);
    for role in [Role::Writer, Role::Critic, Role::Reviser] {
        say(&format!("\n[{}]", role.name()));
        let has_calls = calls.iter().any(|call| call.slot.role == role);
        if !has_calls {
            say(&format!("# NOT KNOWN: the log has no call of the {}.", role.name()));
        }
        match role {
            Role::Critic => {
                say(&format!("format = {}   # {}", quoted(shape.format), shape.format_why));
                say("# NOT KNOWN: the reply that approves, if it is not APPROVED: sentinel = \"...\"");
            }
            Role::Reviser => {
                say(&format!("strategy = {}", quoted(shape.strategy)));
                say("send = \"all\"");
            }
            _ => {}
        }
        match askings.get(&role) {
            Some(asking) => say(&of_role(asking, model.as_deref())),
            None => say(&format!("prompt = {}", quoted(UNKNOWN))),
        }
    }
    say("\n[bounds]");
    say(&format!("max_passes = {}   # as many as the log has", shape.max_passes));
    if shape.is_closed {
        say("\n[stop]\nclosing_critique = true   # the last critiques have no revision");
    }
    Skeleton { text: out, by_key, why_slot }
}

fn of_role(asking: &Asking, model: Option<&str>) -> String {
    let mut out = String::new();
    if Some(asking.model.as_str()) != model {
        let _ = writeln!(out, "model = {}", quoted(&asking.model));
    }
    if let Some(system) = &asking.system {
        let _ = writeln!(out, "system = {}", quoted(system));
    }
    let _ = write!(out, "prompt = {}", quoted(&asking.prompt));
    if !asking.params.is_empty() {
        let _ = write!(out, "\nparams = {}", table(&asking.params));
    }
    out
}

/// A JSON text is a TOML text, once unsafe characters are escaped.
fn quoted(text: &str) -> String {
    line(&text).trim_end().to_owned()
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if crate::text::control::is_unsafe(c) { ' ' } else { c }).collect()
}

fn table(map: &Map<String, Value>) -> String {
    let members: Vec<String> =
        map.iter().filter(|(_, v)| !v.is_null()).map(|(name, v)| format!("{} = {}", quoted(name), value(v))).collect();
    format!("{{ {} }}", members.join(", "))
}

fn value(value: &Value) -> String {
    match value {
        Value::Object(map) => table(map),
        Value::Array(items) => format!("[{}]", items.iter().map(self::value).collect::<Vec<_>>().join(", ")),
        Value::String(text) => quoted(text),
        // TOML has no null: whoever has one in a list finds out by its key.
        Value::Null => "\"\"".into(),
        other => other.to_string(),
    }
}

/// The models that answered, by name.
fn models(calls: &[Call], provider: &str) -> Vec<String> {
    let Some(wire) = api::by_name(provider) else { return vec![] };
    let asked =
        |call: &Call| serde_json::from_str::<Value>(&call.exchange.request.as_ref()?.body).ok()?["model"].as_str().map(str::to_owned);
    let said = |call: &Call| wire.reply(&call.exchange.body).ok()?.model;
    let mut models: Vec<String> = calls.iter().filter_map(|call| asked(call).or_else(|| said(call))).collect();
    models.sort_unstable();
    models.dedup();
    models.truncate(20);
    models
}

/// How the loop must have gone, by its calls.
struct Shape {
    format: &'static str,
    format_why: String,
    strategy: &'static str,
    max_passes: u32,
    is_closed: bool,
}

impl Shape {
    fn of(calls: &[Call], provider: &str) -> Shape {
        let rules = critique::Rules { sentinel: "APPROVED".into(), severities: vec![] };
        let wire = api::by_name(provider);
        let critics: Vec<_> = calls.iter().filter(|call| call.slot.role == Role::Critic && call.exchange.is_answer()).collect();
        let replies: Vec<_> = critics.iter().filter_map(|call| Some((call, wire?.reply(&call.exchange.body).ok()?))).collect();
        let approves = |reply: &Reply| Prose.read(reply, &rules).status == CritiqueStatus::Approved;
        let said: Vec<_> = replies.iter().filter(|(_, reply)| !approves(reply)).collect();
        let has_list = |format: &dyn Format, reply: &Reply| {
            format.read(reply, &rules).findings.is_some_and(|all| all.is_empty() || all.iter().any(|finding| finding.quote.is_some()))
        };
        let read =
            |name: &str| critique::by_name(name).map_or(0, |format| said.iter().filter(|(_, reply)| has_list(format, reply)).count());
        let (findings, grounded) = (read("findings"), read("grounded"));
        let (format, count) = if grounded > findings { ("grounded", grounded) } else { ("findings", findings) };
        let is_list = count > 0 && count * 2 >= said.len();
        let format_why = if is_list {
            format!("{count} of {} critiques read so", said.len())
        } else {
            format!("{findings} of {} critiques read as findings", said.len())
        };
        let format = if is_list { format } else { "prose" };
        let revisers = || calls.iter().filter(|call| call.slot.role == Role::Reviser);
        let is_serial = revisers().any(|call| call.slot.n > 0);
        let strategy = match (is_list, is_serial) {
            (true, true) => "serial",
            (true, false) => "batched",
            (false, _) => "whole",
        };
        let revised = revisers().map(|call| call.slot.pass).max().unwrap_or(0);
        let criticised = calls.iter().filter(|call| call.slot.role == Role::Critic).map(|call| call.slot.pass).max().unwrap_or(0);
        let is_closed = criticised == revised + 1 && revised > 0 && said.iter().any(|(call, _)| call.slot.pass == criticised);
        let max_passes = if is_closed { revised } else { revised.max(criticised) }.min(1000);
        Shape { format, format_why, strategy, max_passes, is_closed }
    }
}
