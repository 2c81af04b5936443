//! What an import writes: calls.jsonl, loop.toml, import.json, and a dataset where there is none. All of it is made before any of it is written.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::Exchange;
use super::place::{Call, Listed, Placed};
use super::skeleton::{Skeleton, skeleton};
use crate::api::key;
use crate::arm::{CALLS, CALLS_PACKED};
use crate::dataset::Dataset;
use crate::error::Error;
use crate::jsonl;
use crate::model::Role;
use crate::record::lock::Lock;
use crate::secret::{self, Kind};
use crate::tape::{CallLine, Meta, RequestLine, ResponseLine, SlotLine};

/// The account of an import, in the arm.
pub const ACCOUNT: &str = "import.json";
const SPEC: &str = "loop.toml";

/// Everything an import will write, ready.
pub struct Package {
    pub calls: String,
    pub tickets: String,
    pub skeleton: Skeleton,
    /// Tickets of which the log tells no prompt.
    pub without_prompt: usize,
    /// Secrets in what will be written: file, line, slot and kind.
    pub secrets: Vec<(String, usize, Kind)>,
}

pub struct Target<'a> {
    pub arm: &'a Path,
    pub dataset: &'a Path,
    pub force: bool,
    pub importer: &'static str,
    pub rules: &'a [String],
    pub sources: &'a [String],
}

/// Makes the files' texts. `dataset` as loop.toml will name it; `known` are the prompts of a data set that is there already.
pub fn package(placed: &mut Placed, importer: &str, dataset: &str, known: Option<&BTreeMap<String, String>>) -> Package {
    let mut lines = String::new();
    let mut kept = vec![];
    let mut secrets = vec![];
    for call in std::mem::take(&mut placed.calls) {
        match line(&call) {
            Ok(line) => {
                for hit in secret::hits(&line) {
                    secrets.push((CALLS.to_owned(), kept.len() + 1, hit.kind));
                }
                lines.push_str(&line);
                kept.push(call);
            }
            Err(why) => placed.listed.push(Listed { at: call.at, why }),
        }
    }
    placed.calls = kept;
    let prompts = prompts(&placed.calls);
    let mut tickets = String::new();
    let mut without_prompt = 0;
    let mut ids: Vec<&str> = placed.calls.iter().map(|call| call.ticket.as_str()).collect();
    ids.dedup();
    let mut told: BTreeMap<&str, &Value> = BTreeMap::new();
    for call in &placed.calls {
        if let Some(ticket) = &call.exchange.ticket {
            told.entry(&call.ticket).or_insert(ticket);
        }
    }
    for (number, id) in ids.iter().enumerate() {
        let told = told.get(*id);
        let prompt = prompts.get(*id).map_or("", String::as_str);
        without_prompt += usize::from(prompt.is_empty());
        let mut ticket = json!({"id": id, "prompt": prompt});
        for name in ["sources", "fields"] {
            if let Some(value) = told
                .and_then(|told| told.get(name))
                .filter(|v| v.as_array().is_some_and(|a| !a.is_empty()) || v.as_object().is_some_and(|o| !o.is_empty()))
            {
                ticket[name] = value.clone();
            }
        }
        let line = jsonl::line(&ticket);
        secrets.extend(secret::hits(&line).into_iter().map(|hit| ("tickets.jsonl".to_owned(), number + 1, hit.kind)));
        tickets.push_str(&line);
    }
    let skeleton = skeleton(placed, importer, dataset, known.unwrap_or(&prompts));
    secrets.extend(
        skeleton
            .text
            .lines()
            .enumerate()
            .flat_map(|(n, line)| secret::hits(line).into_iter().map(move |hit| (SPEC.to_owned(), n + 1, hit.kind))),
    );
    Package { calls: lines, tickets, skeleton, without_prompt, secrets }
}

/// The prompts of a data set; None where there is none.
pub fn dataset_prompts(dir: &Path) -> Result<Option<BTreeMap<String, String>>, Error> {
    if !dir.join("dataset.toml").exists() {
        return Ok(None);
    }
    let dataset = Dataset::open(dir)?;
    let mut tickets = dataset.tickets()?;
    let mut out = BTreeMap::new();
    while let Some(raw) = tickets.next()? {
        let ticket = dataset.read(&raw)?;
        out.insert(ticket.id, ticket.prompt);
    }
    Ok(Some(out))
}

/// What the writer was asked for each ticket, as far as the log tells.
fn prompts(calls: &[Call]) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    for call in calls {
        let told = call.exchange.ticket.as_ref().and_then(|ticket| ticket["prompt"].as_str().map(str::to_owned));
        let asked = || call.exchange.asked.clone().filter(|_| call.slot.role == Role::Writer);
        if let Some(prompt) = told.or_else(asked) {
            out.entry(call.ticket.clone()).or_insert(prompt);
        }
    }
    out
}

/// One line of calls.jsonl.
fn line(call: &Call) -> Result<String, String> {
    let Exchange { provider, request, status, headers, body, recorded_at, latency_ms, .. } = &call.exchange;
    let raw = |what: &str, text: &str| {
        // JSON has no line ends within its texts.
        let text = text.trim().replace(['\n', '\r'], " ");
        RawValue::from_string(text).map_err(|e| format!("{what} is not JSON: {}", super::input::cause(&e)))
    };
    let response = raw("the answer", body)?;
    let request = request.as_ref().map(|sent| raw("the request", &sent.body).map(|body| (sent, body))).transpose()?;
    let key = match &request {
        Some((sent, body)) => {
            let value: Value = serde_json::from_str(body.get()).map_err(|e| format!("the request is not JSON: {e}"))?;
            Some(key::key(provider, &sent.endpoint, &value, &[]))
        }
        None => None,
    };
    let slot = call.slot;
    let line = CallLine {
        v: 1,
        key: key.map(Into::into),
        slot: SlotLine { ticket: call.ticket.as_str().into(), sample: slot.sample, pass: slot.pass, role: slot.role, n: slot.n },
        request: request.as_ref().map(|(sent, body)| RequestLine {
            provider: (*provider).into(),
            endpoint: sent.endpoint.as_str().into(),
            body,
        }),
        response: ResponseLine { status: *status, headers: kept(headers), body: &response },
        meta: Meta {
            recorded_at: recorded_at.as_deref().map(Into::into),
            latency_ms: *latency_ms,
            attempts: call.attempts,
            copied_from: Some(call.at.as_str().into()),
        },
    };
    serde_json::to_string(&line).map(|line| line + "\n").map_err(|e| e.to_string())
}

/// Of an answer's headers, those that tell nothing secret.
fn kept(headers: &[(String, String)]) -> BTreeMap<std::borrow::Cow<'_, str>, std::borrow::Cow<'_, str>> {
    crate::record::provider::harmless(headers).map(|(name, value)| (name.as_str().into(), value.as_str().into())).collect()
}

/// Writes it all, or refuses before anything is written. Gives the files with what was done to each.
pub fn write(package: &Package, placed: &Placed, target: &Target<'_>) -> Result<Vec<(PathBuf, &'static str)>, Error> {
    let Target { arm, dataset, force, .. } = *target;
    let (calls, packed) = (arm.join(CALLS), arm.join(CALLS_PACKED));
    if packed.exists() {
        return Err(Error::at(&packed, "calls are here already, packed; choose another --out"));
    }
    if calls.exists() && !force {
        return Err(Error::at(&calls, "calls are here already; choose another --out, or --force writes over them"));
    }
    let about = dataset.join("dataset.toml");
    let tickets = dataset.join("tickets.jsonl");
    let has_dataset = about.exists();
    if has_dataset {
        Dataset::open(dataset)?;
    } else if tickets.exists() && !force {
        return Err(Error::at(
            &tickets,
            "a file is here already, but no dataset.toml; choose another --dataset, or --force writes over it",
        ));
    }
    let made = |dir: &Path| fs::create_dir_all(dir).map_err(|e| Error::io(dir, "create the folder", &e));
    made(arm)?;
    let _lock = Lock::take(arm)?;
    let mut done = vec![];
    if has_dataset {
        done.push((about, "kept"));
    } else {
        made(dataset)?;
        let name = arm.file_name().map_or("imported".into(), |name| name.to_string_lossy().into_owned());
        let text = format!(
            "version = 1\nname = {}\nabout = {}\n",
            jsonl::line(&name).trim_end(),
            jsonl::line(&format!("Tickets of an import from {}; no checks.", target.importer)).trim_end()
        );
        put(&about, &text)?;
        put(&tickets, &package.tickets)?;
        done.extend([(about, "written"), (tickets, "written")]);
    }
    let spec = arm.join(SPEC);
    if spec.exists() {
        done.push((spec, "kept"));
    } else {
        put(&spec, &package.skeleton.text)?;
        done.push((spec, "written"));
    }
    put(&calls, &package.calls)?;
    done.push((calls, "written"));
    let account = arm.join(ACCOUNT);
    put(&account, &self::account(package, placed, target))?;
    done.push((account, "written"));
    Ok(done)
}

fn account(package: &Package, placed: &Placed, target: &Target<'_>) -> String {
    let answers = placed.calls.iter().filter(|call| call.exchange.is_answer()).count();
    jsonl::pretty(&json!({
        "version": 1,
        "format": target.importer,
        "sources": target.sources,
        "map": target.rules,
        "calls": placed.calls.len(),
        "answers": answers,
        "failed": placed.calls.len() - answers,
        "with_request": placed.calls.iter().filter(|call| call.exchange.request.is_some()).count(),
        "bodies_made": placed.calls.iter().filter(|call| call.exchange.is_made).count(),
        "by_order": placed.by_order,
        "match": if package.skeleton.by_key { "key" } else { "slot" },
        "listed": placed.listed,
    }))
}

/// Beside it first, so that no half file is ever there.
fn put(path: &Path, text: &str) -> Result<(), Error> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".making");
    let beside = PathBuf::from(beside);
    fs::write(&beside, text).and_then(|()| fs::rename(&beside, path)).map_err(|e| Error::io(path, "write", &e))
}

/// How one folder names another in a file of its own.
pub fn relative(from: &Path, to: &Path) -> String {
    let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let (from, to) = (plain(&whole(from)), plain(&whole(to)));
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..".to_owned(), from.len() - shared);
    let parts: Vec<String> = up.chain(to[shared..].iter().cloned()).collect();
    if parts.is_empty() { ".".into() } else { parts.join("/") }
}

fn plain(path: &Path) -> Vec<String> {
    let mut out: Vec<String> = vec![];
    for part in path.components() {
        match part {
            Component::ParentDir => drop(out.pop()),
            Component::CurDir => {}
            other => out.push(other.as_os_str().to_string_lossy().into_owned()),
        }
    }
    out
}
