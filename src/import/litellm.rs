//! LiteLLM's standard logging payloads: a list, or one a line. Answers of every provider stand there in OpenAI's form.

use std::time::{Duration, UNIX_EPOCH};

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::input::Input;
use super::{Exchange, Found, Importer, Record, made};
use crate::error::Error;
use crate::record::clock::rfc3339;

pub struct LiteLlm;

#[derive(Deserialize)]
struct Payload<'a> {
    #[serde(borrow)]
    response: Option<&'a RawValue>,
}

impl Importer for LiteLlm {
    fn name(&self) -> &'static str {
        "litellm"
    }

    fn about(&self) -> &'static str {
        "LiteLLM standard logging payloads, a list or one a line"
    }

    fn rules(&self) -> &'static [&'static str] {
        &[
            "ticket=metadata.requester_metadata.ticket",
            "sample=metadata.requester_metadata.sample",
            "pass=metadata.requester_metadata.pass",
            "role=metadata.requester_metadata.role",
            "n=metadata.requester_metadata.n",
            "ticket=metadata.spend_logs_metadata.ticket",
            "pass=metadata.spend_logs_metadata.pass",
            "role=metadata.spend_logs_metadata.role",
            "ticket=metadata.requester_custom_headers.x-redraft-ticket",
            "pass=metadata.requester_custom_headers.x-redraft-pass",
            "role=metadata.requester_custom_headers.x-redraft-role",
        ]
    }

    fn read(&self, inputs: &[Input]) -> Result<Vec<Record>, Error> {
        let (mut out, mut calls) = (vec![], vec![]);
        for input in inputs {
            let (values, broken) = input.values(&[])?;
            out.extend(broken);
            for (at, raw) in values {
                let fields: Value = serde_json::from_str(raw.get()).unwrap_or_default();
                let body = serde_json::from_str::<Payload<'_>>(raw.get()).ok().and_then(|p| p.response);
                let began = fields["startTime"].as_f64().unwrap_or(f64::MAX);
                match exchange(&fields, body) {
                    Ok(call) => calls.push((began, Record { at, fields, found: Found::Call(Box::new(call)) })),
                    Err(why) => out.push(Record::other(at, why)),
                }
            }
        }
        calls.sort_by(|a, b| a.0.total_cmp(&b.0));
        out.extend(calls.into_iter().map(|(_, record)| record));
        Ok(out)
    }
}

fn exchange(payload: &Value, body: Option<&RawValue>) -> Result<Exchange, String> {
    let Some(kind) = payload["call_type"].as_str() else { return Err("no payload; expected an object with a call_type".into()) };
    if !matches!(kind, "completion" | "acompletion") {
        return Err(format!("no chat completion: call_type {}", super::map::short(kind)));
    }
    let recorded_at = payload["startTime"]
        .as_f64()
        .and_then(|s| Duration::try_from_secs_f64(s).ok())
        .and_then(|d| UNIX_EPOCH.checked_add(d))
        .map(rfc3339);
    let latency_ms = payload["response_time"].as_f64().map(|s| (s * 10_000.0).round() / 10.0);
    let asked = made::last_user(&payload["messages"]);
    let call = Exchange { provider: made::PROVIDER, asked, recorded_at, latency_ms, is_made: true, ..Exchange::default() };
    if payload["status"].as_str() != Some("success") {
        let about = &payload["error_information"];
        let status = about["error_code"].as_str().and_then(|code| code.parse().ok()).unwrap_or(0);
        let words = about["error_message"].as_str().or_else(|| payload["error_str"].as_str()).unwrap_or_default();
        return Ok(Exchange { status, body: made::failure(words, about["error_class"].as_str()), ..call });
    }
    match body.filter(|body| body.get().starts_with('{')) {
        Some(body) => Ok(Exchange { status: 200, body: body.get().to_owned(), ..call }),
        None => Err("no response: message logging was off".into()),
    }
}
