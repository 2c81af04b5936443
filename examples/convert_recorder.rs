//! How the recordings under recordings/payments-qwen-* were made from the recorder's own logs: one calls.jsonl an arm, bodies verbatim, keys computed.
//!
//!     cargo run --example convert_recorder -- LOGS_DIR MODEL finished|unfinished OUT_DIR
//!
//! LOGS_DIR holds tickets.jsonl, MODEL__A.jsonl .. MODEL__E.jsonl and MODEL__ledger.jsonl. Finished runs are those with a ledger line; the drafts
//! that the recorder wrote down for them go to OUT_DIR/ARM/drafts.jsonl, where a test compares them with what replay arrives at.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::error::Error;
use std::fs;
use std::path::Path;

use redraft::api::key;
use redraft::model::Role;
use redraft::tape::{CallLine, Meta, RequestLine, ResponseLine, SlotLine};
use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Logged<'a> {
    ticket_id: String,
    pass: u32,
    role: Role,
    #[serde(borrow)]
    request: &'a RawValue,
    #[serde(borrow)]
    response: &'a RawValue,
    started: String,
    latency_ms: f64,
    reused_from: Option<Origin>,
}

#[derive(Deserialize)]
struct Origin {
    arm: String,
    pass: u32,
    role: Role,
}

#[derive(Deserialize)]
struct Finished {
    ticket_id: String,
    arm: String,
    drafts: Vec<String>,
}

const ARMS: [(&str, &str); 5] = [("A", "prose-whole"), ("B", "findings-batched"), ("C", "findings-serial"), ("D", "reflection"), ("E", "grounded")];

fn arm_name(letter: &str) -> &str {
    ARMS.iter().find(|(l, _)| *l == letter).map_or(letter, |(_, name)| name)
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [logs, model, which, out] = args.as_slice() else { return Err("usage: convert_recorder LOGS_DIR MODEL finished|unfinished OUT_DIR".into()) };
    let logs = Path::new(logs);
    let order: Vec<String> = fs::read_to_string(logs.join("tickets.jsonl"))?
        .lines()
        .map(|l| serde_json::from_str::<serde_json::Value>(l).map(|v| v["ticket_id"].as_str().unwrap_or_default().to_owned()))
        .collect::<Result<_, _>>()?;
    let ledger = fs::read_to_string(logs.join(format!("{model}__ledger.jsonl")))?;
    let finished: Vec<Finished> = ledger.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    for (letter, name) in ARMS {
        let ended: HashSet<&str> = finished.iter().filter(|f| f.arm == letter).map(|f| f.ticket_id.as_str()).collect();
        let text = fs::read_to_string(logs.join(format!("{model}__{letter}.jsonl")))?;
        let mut lines: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        let mut reviser_calls: BTreeMap<(String, u32), u32> = BTreeMap::new();
        for logged in text.lines() {
            let logged: Logged<'_> = serde_json::from_str(logged)?;
            if ended.contains(logged.ticket_id.as_str()) != (which == "finished") {
                continue;
            }
            let n = match logged.role {
                Role::Reviser => {
                    let count = reviser_calls.entry((logged.ticket_id.clone(), logged.pass)).or_default();
                    *count += 1;
                    *count - 1
                }
                _ => 0,
            };
            let at = order.iter().position(|t| *t == logged.ticket_id).ok_or("a ticket that tickets.jsonl lacks")?;
            lines.entry(at).or_default().push(line(&logged, n)?);
        }
        if lines.is_empty() {
            continue;
        }
        let dir = Path::new(out).join(name);
        fs::create_dir_all(&dir)?;
        fs::write(dir.join("calls.jsonl"), lines.into_values().flatten().collect::<Vec<_>>().concat())?;
        if which == "finished" {
            let mut drafts: Vec<&Finished> = finished.iter().filter(|f| f.arm == letter).collect();
            drafts.sort_by_key(|f| order.iter().position(|t| *t == f.ticket_id));
            let rows = drafts.iter().map(|f| serde_json::json!({ "ticket": f.ticket_id, "drafts": f.drafts }).to_string() + "\n");
            fs::write(dir.join("drafts.jsonl"), rows.collect::<String>())?;
        }
    }
    Ok(())
}

fn line(logged: &Logged<'_>, n: u32) -> Result<String, Box<dyn Error>> {
    let (provider, endpoint) = ("openai-chat", "/v1/chat/completions");
    let body: serde_json::Value = serde_json::from_str(logged.request.get())?;
    let copied = logged.reused_from.as_ref().map(|o| format!("{}: {} pass {}", arm_name(&o.arm), o.role.name(), o.pass));
    let call = CallLine {
        v: 1,
        key: Some(Cow::Owned(key::key(provider, endpoint, &body, &[]))),
        slot: SlotLine { ticket: Cow::Borrowed(&logged.ticket_id), sample: 0, pass: logged.pass, role: logged.role, n },
        request: Some(RequestLine { provider: provider.into(), endpoint: endpoint.into(), body: logged.request }),
        response: ResponseLine { status: 200, headers: BTreeMap::new(), body: logged.response },
        meta: Meta { recorded_at: Some(Cow::Borrowed(&logged.started)), latency_ms: Some(logged.latency_ms), attempts: 1, copied_from: copied.map(Cow::Owned) },
    };
    Ok(serde_json::to_string(&call)? + "\n")
}
