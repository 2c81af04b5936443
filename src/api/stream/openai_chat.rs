//! Chat completions in pieces: each a delta of one choice's message, the usage in a last one if the request asks for it.

use serde_json::{Map, Value, json};

use super::{Event, Stream, index, lengthen, object_at, openai_failure, parts, text};

pub(super) struct Chat;

const DONE: &str = "[DONE]";

impl Stream for Chat {
    fn name(&self) -> &'static str {
        "openai-chat"
    }

    fn is_last(&self, event: &Event) -> bool {
        event.data.trim() == DONE
    }

    fn whole(&self, events: &[Event]) -> Result<Value, String> {
        let mut body = Map::new();
        let mut choices: Vec<Map<String, Value>> = vec![];
        let mut done = false;
        for event in events {
            if self.is_last(event) {
                done = true;
                break;
            }
            let piece: Value = serde_json::from_str(&event.data).map_err(|e| format!("a piece of the answer is not JSON: {e}"))?;
            let Value::Object(piece) = piece else { return Err("expected every piece of the answer to be an object".to_owned()) };
            if let Some(error) = piece.get("error").filter(|error| !error.is_null()) {
                return Err(format!("the provider broke off with an error: {}", text(error, "message").unwrap_or("it says no more")));
            }
            for (name, value) in piece {
                match (name.as_str(), value) {
                    ("choices", Value::Array(list)) => list.iter().try_for_each(|piece| add(&mut choices, piece))?,
                    ("object", _) => drop(body.insert(name, "chat.completion".into())),
                    // The last usage counts; nulls come in between.
                    ("usage", value) if !value.is_null() => drop(body.insert(name, value)),
                    // Noise against those who measure lengths; no part of an answer.
                    ("obfuscation" | "usage", _) => {}
                    (_, value) => {
                        if body.get(&name).is_none_or(Value::is_null) {
                            body.insert(name, value);
                        }
                    }
                }
            }
        }
        let ended = |choice: &Map<String, Value>| choice.get("finish_reason").is_some_and(|reason| !reason.is_null());
        if choices.is_empty() || !(done || choices.iter().all(ended)) {
            return Err("the answer broke off before its end".to_owned());
        }
        body.insert("choices".into(), choices.into_iter().map(Value::Object).collect());
        Ok(Value::Object(body))
    }

    fn pieces(&self, body: &Value, request: &Value) -> Vec<Event> {
        let mut frame: Map<String, Value> = body.as_object().cloned().unwrap_or_default();
        let usage = frame.remove("usage");
        let choices = frame.remove("choices");
        frame.insert("object".into(), "chat.completion.chunk".into());
        let mut out = vec![];
        let mut send = |choices: Value, usage: Option<&Value>| {
            let mut piece = frame.clone();
            piece.insert("choices".into(), choices);
            if let Some(usage) = usage {
                piece.insert("usage".into(), usage.clone());
            }
            out.push(Event::unnamed(Value::Object(piece).to_string()));
        };
        for choice in choices.as_ref().and_then(Value::as_array).into_iter().flatten() {
            let place = choice.get("index").cloned().unwrap_or(0.into());
            let mut delta = |delta: Value| send(json!([{"index": place, "delta": delta, "finish_reason": null}]), None);
            for (name, value) in choice.get("message").and_then(Value::as_object).into_iter().flatten() {
                match (name.as_str(), value) {
                    ("role", role) => delta(json!({"role": role})),
                    ("tool_calls", Value::Array(calls)) => {
                        for (at, call) in calls.iter().enumerate() {
                            let mut call = call.clone();
                            call["index"] = at.into();
                            delta(json!({"tool_calls": [call]}));
                        }
                    }
                    (_, Value::String(text)) => parts(text).for_each(|part| delta(json!({name: part}))),
                    (_, Value::Null) => {}
                    (_, other) => delta(json!({name: other})),
                }
            }
            let mut last: Map<String, Value> = choice.as_object().cloned().unwrap_or_default();
            last.remove("message");
            last.insert("delta".into(), json!({}));
            send(json!([last]), None);
        }
        let asked = request.get("stream_options").and_then(|options| options.get("include_usage")).is_some_and(|on| on == true);
        if let Some(usage) = usage.as_ref().filter(|usage| asked && !usage.is_null()) {
            send(json!([]), Some(usage));
        }
        out.push(Event::unnamed(DONE.to_owned()));
        out
    }

    fn failure(&self, kind: &str, message: &str) -> Value {
        openai_failure(kind, message)
    }
}

/// Adds a piece to its choice.
fn add(choices: &mut Vec<Map<String, Value>>, piece: &Value) -> Result<(), String> {
    let Value::Object(piece) = piece else { return Err("expected `choices` to hold objects".to_owned()) };
    let at = index(&Value::Object(piece.clone()), "index").or_else(|e| if piece.contains_key("index") { Err(e) } else { Ok(0) })?;
    let choice = object_at(choices, at);
    if choice.is_empty() {
        choice.insert("index".into(), at.into());
        choice.insert("message".into(), json!({"role": "assistant", "content": null}));
        choice.insert("finish_reason".into(), Value::Null);
    }
    for (name, value) in piece {
        match (name.as_str(), value) {
            ("delta", Value::Object(delta)) => {
                if let Some(Value::Object(message)) = choice.get_mut("message") {
                    merge(message, delta, 0)?;
                }
            }
            ("delta" | "index", _) => {}
            ("logprobs", Value::Object(more)) => match choice.get_mut("logprobs") {
                Some(Value::Object(all)) => merge(all, more, 0)?,
                _ => drop(choice.insert(name.clone(), value.clone())),
            },
            (_, value) => {
                if !value.is_null() || !choice.contains_key(name) {
                    choice.insert(name.clone(), value.clone());
                }
            }
        }
    }
    Ok(())
}

/// Deltas nest no deeper.
const DEPTH_MAX: usize = 8;
/// Texts that are sent once, or again and again as they are, never in parts.
const WHOLE: [&str; 5] = ["role", "id", "type", "name", "format"];

fn merge(into: &mut Map<String, Value>, delta: &Map<String, Value>, depth: usize) -> Result<(), String> {
    if depth > DEPTH_MAX {
        return Err("a piece of the answer nests too deep".to_owned());
    }
    for (name, value) in delta {
        match (into.get_mut(name), value) {
            (_, Value::Null) => {}
            (Some(Value::Array(all)), Value::Array(more)) => merge_lists(all, more, depth)?,
            (_, Value::Array(more)) => {
                let mut all = vec![];
                merge_lists(&mut all, more, depth)?;
                into.insert(name.clone(), all.into());
            }
            (Some(Value::Object(all)), Value::Object(more)) => merge(all, more, depth + 1)?,
            (Some(Value::String(_)), Value::String(more)) if !WHOLE.contains(&name.as_str()) => lengthen(into, name, more),
            (Some(Value::String(known)), Value::String(_)) if !known.is_empty() => {}
            _ => drop(into.insert(name.clone(), value.clone())),
        }
    }
    Ok(())
}

/// Objects with an index belong to the one at that place; others follow.
fn merge_lists(all: &mut Vec<Value>, more: &[Value], depth: usize) -> Result<(), String> {
    for item in more {
        let Value::Object(fields) = item else {
            all.push(item.clone());
            continue;
        };
        if !fields.contains_key("index") {
            all.push(item.clone());
            continue;
        }
        let at = index(item, "index")?;
        if all.len() <= at {
            all.resize(at + 1, json!({}));
        }
        if let Value::Object(into) = &mut all[at] {
            let mut fields = fields.clone();
            fields.remove("index");
            merge(into, &fields, depth + 1)?;
        }
    }
    Ok(())
}
