//! Messages in pieces: the message without content, each content block begun, lengthened and ended, then why it ended and what it used.

use serde_json::{Map, Value, json};

use super::{Event, Stream, index, lengthen, object_at, parts, text};

pub(super) struct Messages;

/// What a delta of this type lengthens, and by which of its fields.
const DELTAS: [(&str, &str); 3] = [("text_delta", "text"), ("thinking_delta", "thinking"), ("signature_delta", "signature")];

impl Stream for Messages {
    fn name(&self) -> &'static str {
        "anthropic"
    }

    fn is_last(&self, event: &Event) -> bool {
        event.name == "message_stop" || event.name.is_empty() && event.data.contains("\"message_stop\"")
    }

    fn whole(&self, events: &[Event]) -> Result<Value, String> {
        let mut message: Option<Map<String, Value>> = None;
        let mut blocks: Vec<Map<String, Value>> = vec![];
        // Tool input comes as JSON in parts.
        let mut inputs: Vec<String> = vec![];
        let mut ended = false;
        for event in events {
            let piece: Value = serde_json::from_str(&event.data).map_err(|e| format!("a piece of the answer is not JSON: {e}"))?;
            match text(&piece, "type").unwrap_or_default() {
                "message_start" => message = piece.get("message").and_then(Value::as_object).cloned(),
                "content_block_start" => {
                    let block = object_at(&mut blocks, index(&piece, "index")?);
                    *block = piece.get("content_block").and_then(Value::as_object).cloned().unwrap_or_default();
                }
                "content_block_delta" => {
                    let at = index(&piece, "index")?;
                    let block = blocks.get_mut(at).ok_or("a part of the answer belongs to no block")?;
                    let delta = piece.get("delta").unwrap_or(&Value::Null);
                    let kind = text(delta, "type").unwrap_or_default();
                    if let Some((_, field)) = DELTAS.iter().find(|(name, _)| *name == kind) {
                        lengthen(block, field, text(delta, field).unwrap_or_default());
                    } else if kind == "input_json_delta" {
                        inputs.resize(inputs.len().max(at + 1), String::new());
                        inputs[at].push_str(text(delta, "partial_json").unwrap_or_default());
                    } else if kind == "citations_delta" {
                        let citation = delta.get("citation").cloned().unwrap_or_default();
                        match block.get_mut("citations") {
                            Some(Value::Array(all)) => all.push(citation),
                            _ => drop(block.insert("citations".into(), json!([citation]))),
                        }
                    } else {
                        return Err(format!("a part of type `{kind}` is not known"));
                    }
                }
                "message_delta" => {
                    let message = message.as_mut().ok_or("the answer does not begin with message_start")?;
                    for (name, value) in piece.as_object().into_iter().flatten() {
                        match (name.as_str(), value) {
                            ("type", _) => {}
                            ("delta", Value::Object(delta)) => message.extend(delta.clone()),
                            ("usage", Value::Object(more)) => match message.get_mut("usage") {
                                Some(Value::Object(all)) => all.extend(more.clone().into_iter().filter(|(_, value)| !value.is_null())),
                                _ => drop(message.insert(name.clone(), value.clone())),
                            },
                            _ => drop(message.insert(name.clone(), value.clone())),
                        }
                    }
                }
                "message_stop" => ended = true,
                "error" => {
                    let said = piece.get("error").and_then(|error| text(error, "message"));
                    return Err(format!("the provider broke off with an error: {}", said.unwrap_or("it says no more")));
                }
                // Pings, ends of blocks, and what is yet to be invented.
                _ => {}
            }
        }
        let mut message = message.filter(|_| ended).ok_or("the answer broke off before its end")?;
        for (at, input) in inputs.iter().enumerate().filter(|(_, input)| !input.is_empty()) {
            let input: Value = serde_json::from_str(input).map_err(|e| format!("the input of a tool is not JSON: {e}"))?;
            blocks[at].insert("input".into(), input);
        }
        message.insert("content".into(), blocks.into_iter().map(Value::Object).collect());
        Ok(Value::Object(message))
    }

    fn pieces(&self, body: &Value, _: &Value) -> Vec<Event> {
        let mut message = body.as_object().cloned().unwrap_or_default();
        let content = message.insert("content".into(), json!([]));
        let mut end = Map::new();
        for name in ["stop_reason", "stop_sequence"] {
            end.insert(name.into(), message.insert(name.into(), Value::Null).unwrap_or_default());
        }
        let usage = message.get("usage").cloned();
        let mut out = vec![Event::typed(json!({"type": "message_start", "message": message}))];
        for (at, block) in content.as_ref().and_then(Value::as_array).into_iter().flatten().enumerate() {
            let mut first = block.as_object().cloned().unwrap_or_default();
            let mut deltas = vec![];
            for (kind, field) in DELTAS {
                if let Some(Value::String(text)) = first.get_mut(field) {
                    let text = std::mem::take(text);
                    deltas.extend(parts(&text).map(|part| json!({"type": kind, field: part})));
                }
            }
            if let Some(Value::Object(input)) = first.get_mut("input") {
                let input = Value::Object(std::mem::take(input)).to_string();
                deltas.extend(parts(&input).map(|part| json!({"type": "input_json_delta", "partial_json": part})));
            }
            if let Some(Value::Array(citations)) = first.get_mut("citations") {
                deltas.extend(citations.drain(..).map(|citation| json!({"type": "citations_delta", "citation": citation})));
            }
            out.push(Event::typed(json!({"type": "content_block_start", "index": at, "content_block": first})));
            let delta = |delta| Event::typed(json!({"type": "content_block_delta", "index": at, "delta": delta}));
            out.extend(deltas.into_iter().map(delta));
            out.push(Event::typed(json!({"type": "content_block_stop", "index": at})));
        }
        let mut last = json!({"type": "message_delta", "delta": end});
        if let Some(usage) = usage {
            last["usage"] = usage;
        }
        out.push(Event::typed(last));
        out.push(Event::typed(json!({"type": "message_stop"})));
        out
    }

    fn failure(&self, kind: &str, message: &str) -> Value {
        json!({"type": "error", "error": {"type": kind, "message": message}})
    }
}
