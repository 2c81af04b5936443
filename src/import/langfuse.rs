//! Langfuse: observations of its API ({"data": [...]}), and the spans its SDK sends (OTLP in JSON).

use serde_json::{Value, json};

use super::input::Input;
use super::span::{Node, inner, join, otlp, status_in, times};
use super::{Exchange, Found, Importer, Record, made};
use crate::error::Error;
use crate::model::StopReason;

pub struct Langfuse;

impl Importer for Langfuse {
    fn name(&self) -> &'static str {
        "langfuse"
    }

    fn about(&self) -> &'static str {
        "Langfuse observations ({\"data\": [...]}) or its spans in OTLP JSON"
    }

    fn rules(&self) -> &'static [&'static str] {
        &[
            "ticket=metadata.ticket",
            "sample=metadata.sample",
            "pass=metadata.pass",
            "role=metadata.role",
            "n=metadata.n",
            "role=name:^(?i)(writer|critic|reviser|judge|draft|review|revise)$",
        ]
    }

    fn read(&self, inputs: &[Input]) -> Result<Vec<Record>, Error> {
        let (mut nodes, mut out) = (vec![], vec![]);
        for input in inputs {
            let is_otlp = input.bytes.windows(13).any(|w| w == b"resourceSpans");
            if is_otlp {
                let (spans, broken) = otlp(std::slice::from_ref(input))?;
                out.extend(broken);
                nodes.extend(spans.into_iter().map(of_span));
                continue;
            }
            let (values, broken) = input.values(&["data", "observations"])?;
            out.extend(broken);
            for (at, raw) in values {
                let fields: Value = serde_json::from_str(raw.get()).unwrap_or_default();
                let text = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
                if text("type").is_none() {
                    out.push(Record::other(at, "no observation; expected an object with a type"));
                    continue;
                }
                let (id, parent, began) =
                    (text("id").unwrap_or_default(), text("parentObservationId"), text("startTime").unwrap_or_default());
                let mut fields = fields;
                fields["metadata"] = inner(&fields["metadata"]);
                nodes.push(Node { at, id, parent, began, fields });
            }
        }
        let slim = |fields: &Value| json!({"name": fields["name"], "metadata": fields["metadata"], "traceId": fields["traceId"]});
        for Node { at, fields, .. } in join(nodes, slim) {
            out.push(match exchange(&fields) {
                Ok(call) => Record { at, fields, found: Found::Call(Box::new(call)) },
                Err(why) => Record::other(at, why),
            });
        }
        Ok(out)
    }
}

/// A span of the SDK as the observation it becomes. Metadata come as one attribute a key, or as one in all.
fn of_span(node: Node) -> Node {
    let attributes = &node.fields["attributes"];
    let of = |name: &str| attributes[format!("langfuse.observation.{name}")].clone();
    let mut metadata = match inner(&of("metadata")) {
        Value::Object(map) => map,
        _ => serde_json::Map::new(),
    };
    for (name, value) in attributes.as_object().into_iter().flatten() {
        let key = ["langfuse.observation.metadata.", "langfuse.trace.metadata."].iter().find_map(|start| name.strip_prefix(start));
        if let Some(key) = key {
            metadata.entry(key.to_owned()).or_insert_with(|| value.clone());
        }
    }
    let (start_time, latency) = times(&node.fields);
    let fields = json!({
        "id": node.id, "name": node.fields["name"], "traceId": node.fields["traceId"], "startTime": start_time,
        "latency": latency.map(|ms| ms / 1000.0), "type": of("type"), "input": of("input"), "output": of("output"),
        "model": of("model.name"), "usageDetails": inner(&of("usage_details")), "level": of("level"),
        "statusMessage": of("status_message"), "metadata": metadata, "attributes": attributes,
    });
    Node { fields, ..node }
}

fn exchange(fields: &Value) -> Result<Exchange, String> {
    let kind = fields["type"].as_str().unwrap_or("none");
    if !kind.eq_ignore_ascii_case("generation") {
        return Err(format!("no model call: an observation of type {}", super::map::short(kind)));
    }
    let input = inner(&fields["input"]);
    let asked = made::last_user(&input).or_else(|| made::last_user(&input["messages"]));
    let latency_ms = fields["latency"].as_f64().map(|s| (s * 10_000.0).round() / 10.0);
    let recorded_at = fields["startTime"].as_str().map(str::to_owned);
    let call = Exchange { provider: made::PROVIDER, asked, recorded_at, latency_ms, is_made: true, ..Exchange::default() };
    if fields["level"].as_str() == Some("ERROR") {
        let words = fields["statusMessage"].as_str().unwrap_or_default();
        return Ok(Exchange { status: status_in(words), body: made::failure(words, None), ..call });
    }
    let output = inner(&fields["output"]);
    let text = match &output {
        Value::String(text) => Some(text.clone()),
        // A critique in JSON that was logged as such, and not as a message.
        Value::Object(map) if !map.contains_key("content") && !map.contains_key("role") => {
            fields["output"].as_str().map(str::to_owned).or_else(|| Some(output.to_string()))
        }
        Value::Object(_) => made::content(&output["content"]).or_else(|| output["tool_calls"].is_array().then(String::new)),
        Value::Array(_) => made::content(&output[0]["content"]).or_else(|| made::content(&output)),
        _ => None,
    };
    let Some(text) = text else { return Err("no output with a text: the call had not ended, or its text was not kept".into()) };
    let body = made::answer(&text, StopReason::Unknown, made::usage(&fields["usageDetails"]), fields["model"].as_str());
    Ok(Exchange { status: 200, body, ..call })
}
