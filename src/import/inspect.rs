//! Inspect's eval logs, .json and .eval: the model events of each sample, in order. Epochs are samples of a ticket.

use serde_json::{Value, json};

use super::input::{Input, cause};
use super::span::status_in;
use super::{Exchange, Found, Importer, Record, archive, made};
use crate::error::Error;

pub struct Inspect;

const ATTACHMENT: &str = "attachment://";

impl Importer for Inspect {
    fn name(&self) -> &'static str {
        "inspect"
    }

    fn about(&self) -> &'static str {
        "Inspect eval logs (.json, .eval): model events by sample; epochs are samples"
    }

    fn rules(&self) -> &'static [&'static str] {
        &["ticket=id", "sample=sample", "role=role"]
    }

    fn is_ordered(&self) -> bool {
        true
    }

    fn read(&self, inputs: &[Input]) -> Result<Vec<Record>, Error> {
        let mut out = vec![];
        for input in inputs {
            if archive::is_zip(&input.bytes) {
                let is_sample = |name: &str| name.starts_with("samples/") && name.ends_with(".json");
                let files = archive::files(&input.bytes, is_sample).map_err(|what| Error::at(&input.path, what))?;
                if files.is_empty() {
                    return Err(Error::at(&input.path, "no samples/*.json in the archive; expected an .eval log of Inspect"));
                }
                for (name, bytes) in files {
                    let at = input.at(&format!(":{}", super::map::short(&name)));
                    match serde_json::from_slice::<Value>(&bytes) {
                        Ok(sample) => calls(&at, &sample, &mut out),
                        Err(e) => out.push(Record::other(at, format!("not JSON: {}", cause(&e)))),
                    }
                }
                continue;
            }
            let text = input.text()?;
            let log: Value = serde_json::from_str(text)
                .map_err(|e| Error::at_line(&input.path, e.line(), format!("not JSON: {}; is the file cut?", cause(&e))))?;
            let Some(samples) = log.get("samples").and_then(Value::as_array) else {
                return Err(Error::at(&input.path, "no `samples`; expected a log of Inspect (read_eval_log of a header alone has none)"));
            };
            for (index, sample) in samples.iter().enumerate() {
                calls(&input.at(&format!(" sample {index}")), sample, &mut out);
            }
        }
        Ok(out)
    }
}

fn calls(at: &str, sample: &Value, out: &mut Vec<Record>) {
    let Some(events) = sample["events"].as_array() else {
        out.push(Record::other(at, "no events: the log keeps no model calls"));
        return;
    };
    // Epochs count from 1, samples of a ticket from 0.
    let epoch = sample["epoch"].as_u64().and_then(|epoch| epoch.checked_sub(1));
    let mut seen = 0;
    for (index, event) in events.iter().enumerate().filter(|(_, event)| event["event"] == "model") {
        let at = format!("{at} event {index}");
        let fields = json!({
            "id": sample["id"], "epoch": sample["epoch"], "sample": epoch, "model": event["model"], "role": event["role"],
            "metadata": event["metadata"], "sample_metadata": sample["metadata"], "index": seen,
        });
        seen += 1;
        match exchange(event, sample) {
            Ok(mut call) => {
                // Every sample asks its own input; the writer's is the ticket's.
                call.ticket = made::last_user(&sample["input"]).map(|prompt| json!({"id": sample["id"], "prompt": prompt}));
                out.push(Record { at, fields, found: Found::Call(Box::new(call)) });
            }
            Err(why) => out.push(Record::other(at, why)),
        }
    }
    if seen == 0 {
        out.push(Record::other(at, "a sample without model events"));
    }
}

fn exchange(event: &Value, sample: &Value) -> Result<Exchange, String> {
    let recorded_at = event["timestamp"].as_str().map(str::to_owned);
    let latency_ms = event["working_time"].as_f64().map(|s| (s * 10_000.0).round() / 10.0);
    let call = Exchange { provider: made::PROVIDER, is_made: true, recorded_at, latency_ms, ..Exchange::default() };
    if let Some(words) = event["error"].as_str().or_else(|| event["output"]["error"].as_str()) {
        return Ok(Exchange { status: status_in(words), body: made::failure(words, None), ..call });
    }
    let output = &event["output"];
    let choice = &output["choices"][0];
    let Some(text) = made::content(&choice["message"]["content"]) else {
        return Err("an event without an answer: it had not ended".into());
    };
    let text = resolved(&text, sample).ok_or("the answer's text is an attachment that the log lacks")?;
    let body = made::answer(&text, made::stop(choice["stop_reason"].as_str()), made::usage(&output["usage"]), output["model"].as_str());
    Ok(Exchange { status: 200, body, ..call })
}

/// Long texts stand once in the sample, under their hash.
fn resolved(text: &str, sample: &Value) -> Option<String> {
    match text.strip_prefix(ATTACHMENT) {
        Some(hash) => sample["attachments"][hash].as_str().map(str::to_owned),
        None => Some(text.to_owned()),
    }
}
