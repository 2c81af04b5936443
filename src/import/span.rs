//! Spans: OTLP in JSON as plain objects, in the order in which they began, and how what stands under another finds it.

use std::collections::HashMap;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Map, Value, json};

use super::Record;
use super::input::Input;
use crate::error::Error;
use crate::record::clock::rfc3339;

/// A parent's parent counts, but not without end.
const PARENTS_MAX: usize = 16;

/// Attributes nested deeper than this are not looked at; a JSON text is not deeper than serde_json lets it be.
const DEPTH_MAX: usize = 64;

/// Something with an id that may belong to something else.
pub struct Node {
    pub at: String,
    pub id: String,
    pub parent: Option<String>,
    /// What orders it among others.
    pub began: String,
    pub fields: Value,
}

/// Orders nodes by when they began, and gives each what it belongs to, as `parent`, parent's parents within. `slim` is what a parent shows of itself.
pub fn join(mut nodes: Vec<Node>, slim: impl Fn(&Value) -> Value) -> Vec<Node> {
    let parents: HashMap<String, (Option<String>, Value)> =
        nodes.iter().map(|node| (node.id.clone(), (node.parent.clone(), slim(&node.fields)))).collect();
    for node in &mut nodes {
        let mut chain = vec![];
        let mut next = node.parent.as_ref();
        while let Some((up, fields)) = next.and_then(|id| parents.get(id)) {
            if chain.len() == PARENTS_MAX {
                break;
            }
            chain.push(fields.clone());
            next = up.as_ref();
        }
        let all = chain.into_iter().rev().reduce(|above, mut own| {
            own["parent"] = above;
            own
        });
        if let (Some(all), Value::Object(fields)) = (all, &mut node.fields) {
            fields.insert("parent".into(), all);
        }
    }
    nodes.sort_by(|a, b| a.began.cmp(&b.began));
    nodes
}

/// All spans of OTLP JSON, one export request a line or one in all. Attributes are plain values under their names.
pub fn otlp(inputs: &[Input]) -> Result<(Vec<Node>, Vec<Record>), Error> {
    let (mut nodes, mut broken) = (vec![], vec![]);
    for input in inputs {
        let (values, unreadable) = input.values(&[])?;
        broken.extend(unreadable);
        for (at, raw) in values {
            let Ok(request) = serde_json::from_str::<Value>(raw.get()) else { continue };
            let list = |value: &Value, names: [&str; 2]| -> Vec<Value> {
                names.iter().find_map(|name| value.get(*name)?.as_array().cloned()).unwrap_or_default()
            };
            let resources = list(&request, ["resourceSpans", "resource_spans"]);
            if resources.is_empty() {
                broken.push(Record::other(at, "no resourceSpans; expected OTLP in JSON"));
                continue;
            }
            let mut index = 0usize;
            for resource in &resources {
                let about = attributes(resource.pointer("/resource/attributes"));
                for scope in list(resource, ["scopeSpans", "scope_spans"]) {
                    for span in list(&scope, ["spans", "spans"]) {
                        nodes.push(node(format!("{at} span {index}"), &span, &about));
                        index += 1;
                    }
                }
            }
        }
    }
    Ok((nodes, broken))
}

fn node(at: String, span: &Value, resource: &Value) -> Node {
    let text = |name: &str| span.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let nanos = |name: &str| span.get(name).and_then(|v| v.as_u64().or_else(|| v.as_str()?.parse().ok()));
    let began = nanos("startTimeUnixNano");
    let fields = json!({
        "name": span.get("name"), "traceId": span.get("traceId"), "spanId": span.get("spanId"),
        "start": began, "end": nanos("endTimeUnixNano"), "status": span.get("status"),
        "attributes": attributes(span.get("attributes")), "resource": resource,
        "events": span.get("events").and_then(Value::as_array).map(|events| events.iter().map(|e| json!({"name": e.get("name"), "attributes": attributes(e.get("attributes"))})).collect::<Vec<_>>()),
    });
    let parent = Some(text("parentSpanId")).filter(|id| !id.is_empty());
    Node { at, id: text("spanId"), parent, began: format!("{:020}", began.unwrap_or(u64::MAX)), fields }
}

/// When it began, and how long it took.
pub fn times(fields: &Value) -> (Option<String>, Option<f64>) {
    let (began, ended) = (fields["start"].as_u64(), fields["end"].as_u64());
    let latency = began.zip(ended).and_then(|(from, to)| Some(to.checked_sub(from)? as f64 / 1e6)).map(|ms| (ms * 10.0).round() / 10.0);
    (began.map(|nanos| rfc3339(UNIX_EPOCH + Duration::from_nanos(nanos))), latency)
}

fn attributes(list: Option<&Value>) -> Value {
    let items = list.and_then(Value::as_array).into_iter().flatten();
    let named = items.filter_map(|item| Some((item.get("key")?.as_str()?.to_owned(), any_value(item.get("value")?, 0))));
    Value::Object(named.collect::<Map<_, _>>())
}

fn any_value(value: &Value, depth: usize) -> Value {
    let Some((kind, inner)) = value.as_object().and_then(|map| map.iter().next()).filter(|_| depth < DEPTH_MAX) else { return Value::Null };
    match kind.as_str() {
        "intValue" => inner.as_str().and_then(|text| text.parse::<i64>().ok()).map_or_else(|| inner.clone(), Value::from),
        "arrayValue" => {
            let items = inner.get("values").and_then(Value::as_array).into_iter().flatten();
            items.map(|item| any_value(item, depth + 1)).collect()
        }
        "kvlistValue" => {
            let items = inner.get("values").and_then(Value::as_array).into_iter().flatten();
            let named = items.filter_map(|item| Some((item.get("key")?.as_str()?.to_owned(), any_value(item.get("value")?, depth + 1))));
            Value::Object(named.collect())
        }
        _ => inner.clone(),
    }
}

/// JSON that an attribute holds as text, or holds as it is.
pub fn inner(value: &Value) -> Value {
    match value {
        Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| value.clone()),
        other => other.clone(),
    }
}

/// The first HTTP status in an error's words: `Error code: 429 - ...`.
pub fn status_in(words: &str) -> u16 {
    let numbers = words.split(|c: char| !c.is_ascii_digit()).filter(|digits| digits.len() == 3);
    numbers.filter_map(|digits| digits.parse().ok()).find(|code| (400..600).contains(code)).unwrap_or(0)
}
