//! vcrpy's cassettes, YAML and JSON: exchanges over HTTP as they went, bodies plain, in gzip, or in base64.

use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::input::{Input, cause};
use super::{Exchange, Found, Importer, Record, Sent, made};
use crate::error::Error;
use crate::secret;

pub struct Vcrpy;

/// What one packed body may become.
const BODY_BYTES_MAX: u64 = 1 << 26;

impl Importer for Vcrpy {
    fn name(&self) -> &'static str {
        "vcrpy"
    }

    fn about(&self) -> &'static str {
        "vcrpy cassettes (.yaml, .json), bodies plain, gzip or base64; headers by allowlist"
    }

    fn rules(&self) -> &'static [&'static str] {
        &[
            "ticket=headers.x-redraft-ticket",
            "sample=headers.x-redraft-sample",
            "pass=headers.x-redraft-pass",
            "role=headers.x-redraft-role",
            "n=headers.x-redraft-n",
            "ticket=body.metadata.ticket",
            "sample=body.metadata.sample",
            "pass=body.metadata.pass",
            "role=body.metadata.role",
            "n=body.metadata.n",
        ]
    }

    fn read(&self, inputs: &[Input]) -> Result<Vec<Record>, Error> {
        let mut out = vec![];
        for input in inputs {
            let text = input.text()?;
            let cassette: Value = if text.trim_start().starts_with('{') {
                serde_json::from_str(text).map_err(|e| Error::at_line(&input.path, e.line(), format!("no JSON cassette: {}", cause(&e))))?
            } else {
                yaml(text).map_err(|what| Error::at(&input.path, format!("no YAML cassette: {what}")))?
            };
            let Some(interactions) = cassette.get("interactions").and_then(Value::as_array) else {
                return Err(Error::at(&input.path, "no `interactions`; expected a cassette of vcrpy, version 1"));
            };
            for (index, interaction) in interactions.iter().enumerate() {
                let at = input.at(&format!("[{index}]"));
                out.push(match exchange(interaction) {
                    Ok((fields, call)) => Record { at, fields, found: Found::Call(Box::new(call)) },
                    Err(why) => Record::other(at, why),
                });
            }
        }
        Ok(out)
    }
}

/// A tag `!!binary` becomes base64 text; whose text it is shows when it is used.
fn yaml(text: &str) -> Result<Value, String> {
    // Long cassettes are fine, aliases that multiply are not: their budget stays as it is.
    let budget = serde_saphyr::budget! { max_events: 40_000_000, max_nodes: 10_000_000, max_total_scalar_bytes: 1 << 30 };
    let options = serde_saphyr::options! { ignore_binary_tag_for_string: true, budget: budget };
    serde_saphyr::from_str_with_options::<Value>(text, options).map_err(|e| {
        // The rest quotes the file.
        super::map::short(e.to_string().lines().next().unwrap_or("not readable"))
    })
}

fn exchange(interaction: &Value) -> Result<(Value, Exchange), String> {
    let (Some(request), Some(response)) = (interaction.get("request"), interaction.get("response")) else {
        return Err("no request and response".into());
    };
    let url = request.get("uri").and_then(Value::as_str).unwrap_or_default();
    let path = url.split_once("://").map_or(url, |(_, rest)| rest.find('/').map_or("", |at| &rest[at..]));
    let Some(provider) = made::provider_of(path) else {
        return Err(format!("no model call: {}", super::map::short(path.split('?').next().unwrap_or_default())));
    };
    let (asked_with, came_with) = (headers(request), headers(response));
    if value(&came_with, "content-type").is_some_and(|kind| kind.contains("event-stream")) {
        return Err("a streamed answer: its pieces are no answer; record it without stream".into());
    }
    let sent = body(request.get("body"), &asked_with).map_err(|what| format!("the request's body: {what}"))?;
    let came = body(response.get("body"), &came_with).map_err(|what| format!("the answer's body: {what}"))?;
    let status = response.pointer("/status/code").or_else(|| response.get("status_code")).and_then(Value::as_u64);
    let status = status.and_then(|code| u16::try_from(code).ok()).ok_or("no status")?;
    let parsed: Value = serde_json::from_str(&sent).map_err(|e| format!("the request is no JSON: {}", cause(&e)))?;
    let came = if serde_json::from_str::<serde::de::IgnoredAny>(&came).is_ok() {
        came
    } else if (200..300).contains(&status) {
        return Err("the answer is no JSON".into());
    } else {
        Value::String(came).to_string()
    };
    let endpoint = made::endpoint(provider, path, &parsed).unwrap_or_default();
    let text = made::asked(&parsed);
    // A credential is nobody's ticket.
    let harmless: Map<String, Value> = asked_with
        .iter()
        .filter(|(name, value)| secret::header_value(name, value).is_none())
        .map(|(n, v)| (n.clone(), v.as_str().into()))
        .collect();
    let fields = json!({"uri": url, "path": path, "headers": harmless, "body": parsed, "text": text});
    let latency_ms = value(&came_with, "openai-processing-ms").and_then(|ms| ms.parse().ok());
    let request = Some(Sent { endpoint, body: sent });
    Ok((fields, Exchange { provider, request, asked: text, status, headers: came_with, body: came, latency_ms, ..Exchange::default() }))
}

/// Names in lower case; of several values the first.
fn headers(side: &Value) -> Vec<(String, String)> {
    let Some(all) = side.get("headers").and_then(Value::as_object) else { return vec![] };
    let first = |value: &Value| value.as_str().or_else(|| value.get(0)?.as_str()).map(str::to_owned);
    all.iter().filter_map(|(name, value)| Some((name.to_ascii_lowercase(), first(value)?))).collect()
}

fn value<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
    headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

fn body(body: Option<&Value>, headers: &[(String, String)]) -> Result<String, String> {
    let given = match body {
        Some(Value::Object(map)) => map.get("string").or_else(|| map.get("base64_string")),
        other => other,
    };
    let text = match given {
        Some(Value::String(text)) => text,
        // Some serialisers keep a body as the JSON it was.
        Some(value @ (Value::Object(_) | Value::Array(_))) => return Ok(value.to_string()),
        _ => return Err("there is none".into()),
    };
    let is_json = text.trim_start().starts_with(['{', '[', '"']);
    let bytes = if is_json { None } else { STANDARD.decode(text.split_ascii_whitespace().collect::<String>()).ok() };
    let bytes = bytes.unwrap_or_else(|| text.clone().into_bytes());
    let plain = if bytes.starts_with(&[0x1f, 0x8b]) {
        unpacked(flate2::read::MultiGzDecoder::new(bytes.as_slice()))?
    } else if value(headers, "content-encoding") == Some("deflate") && !is_json {
        unpacked(flate2::read::ZlibDecoder::new(bytes.as_slice()))?
    } else {
        bytes
    };
    String::from_utf8(plain).map_err(|_| match value(headers, "content-encoding") {
        Some(coding) => format!("packed as {}, which is not read here; set decode_compressed_response in vcrpy", super::map::short(coding)),
        None => "not valid UTF-8".to_owned(),
    })
}

fn unpacked(packed: impl Read) -> Result<Vec<u8>, String> {
    let mut out = vec![];
    packed.take(BODY_BYTES_MAX + 1).read_to_end(&mut out).map_err(|e| format!("not readable as gzip: {e}"))?;
    if out.len() as u64 > BODY_BYTES_MAX {
        return Err(format!("unpacks to more than {BODY_BYTES_MAX} bytes"));
    }
    Ok(out)
}
