//! Responses in pieces: many events on the way, of which the last holds the whole response.

use serde_json::{Value, json};

use super::{Event, Stream, openai_failure, parts, text};

pub(super) struct Responses;

/// Events that hold the response as it ended.
const ENDS: [&str; 3] = ["response.completed", "response.incomplete", "response.failed"];

impl Stream for Responses {
    fn name(&self) -> &'static str {
        "openai-responses"
    }

    fn is_last(&self, event: &Event) -> bool {
        let named = !event.name.is_empty();
        ENDS.iter().any(|end| if named { event.name == *end } else { event.data.contains(&format!("\"{end}\"")) })
    }

    fn whole(&self, events: &[Event]) -> Result<Value, String> {
        for event in events {
            let piece: Value = serde_json::from_str(&event.data).map_err(|e| format!("a piece of the answer is not JSON: {e}"))?;
            match text(&piece, "type").unwrap_or_default() {
                "error" => {
                    let said = text(&piece, "message").or_else(|| piece.get("error").and_then(|error| text(error, "message")));
                    return Err(format!("the provider broke off with an error: {}", said.unwrap_or("it says no more")));
                }
                kind if ENDS.contains(&kind) => {
                    return piece.get("response").cloned().ok_or_else(|| format!("expected {kind} to hold a response"));
                }
                _ => {}
            }
        }
        Err("the answer broke off before its end".to_owned())
    }

    fn pieces(&self, body: &Value, _: &Value) -> Vec<Event> {
        let mut begun = body.clone();
        begun["status"] = "in_progress".into();
        begun["output"] = json!([]);
        begun["usage"] = Value::Null;
        let mut out = Numbered(vec![]);
        out.push(json!({"type": "response.created", "response": begun}));
        out.push(json!({"type": "response.in_progress", "response": begun}));
        for (at, item) in body.get("output").and_then(Value::as_array).into_iter().flatten().enumerate() {
            let id = item.get("id").cloned().unwrap_or_default();
            let mut first = item.clone();
            for (name, empty) in [("content", json!([])), ("arguments", "".into())] {
                if first.get(name).is_some() {
                    first[name] = empty;
                }
            }
            out.push(json!({"type": "response.output_item.added", "output_index": at, "item": first}));
            if text(item, "type") == Some("message") {
                for (number, part) in item.get("content").and_then(Value::as_array).into_iter().flatten().enumerate() {
                    content_part(&mut out, &json!({"item_id": id, "output_index": at, "content_index": number}), part);
                }
            }
            if let Some(arguments) = text(item, "arguments") {
                for part in parts(arguments) {
                    out.push(json!({"type": "response.function_call_arguments.delta", "item_id": id, "output_index": at, "delta": part}));
                }
                let name = item.get("name").cloned().unwrap_or_default();
                let done = "response.function_call_arguments.done";
                out.push(json!({"type": done, "item_id": id, "output_index": at, "name": name, "arguments": arguments}));
            }
            out.push(json!({"type": "response.output_item.done", "output_index": at, "item": item}));
        }
        let end = if text(body, "status") == Some("incomplete") { ENDS[1] } else { ENDS[0] };
        out.push(json!({"type": end, "response": body}));
        out.0
    }

    fn failure(&self, kind: &str, message: &str) -> Value {
        openai_failure(kind, message)
    }
}

/// Events in this form are numbered.
struct Numbered(Vec<Event>);

impl Numbered {
    fn push(&mut self, mut data: Value) {
        data["sequence_number"] = self.0.len().into();
        self.0.push(Event::typed(data));
    }
}

/// A part of a message: text or refusal.
fn content_part(out: &mut Numbered, place: &Value, part: &Value) {
    let (field, kind) = if part.get("refusal").is_some() { ("refusal", "refusal") } else { ("text", "output_text") };
    let mut add = |what: &str, more: Value| {
        let mut data = place.clone();
        data["type"] = format!("response.{what}").into();
        for (name, value) in more.as_object().cloned().unwrap_or_default() {
            data[name] = value;
        }
        out.push(data);
    };
    let mut first = part.clone();
    first[field] = "".into();
    add("content_part.added", json!({"part": first}));
    if let Some(said) = text(part, field) {
        let logprobs = |mut value: Value| {
            if field == "text" {
                value["logprobs"] = json!([]);
            }
            value
        };
        for piece in parts(said) {
            add(&format!("{kind}.delta"), logprobs(json!({"delta": piece})));
        }
        add(&format!("{kind}.done"), logprobs(json!({field: said})));
    }
    add("content_part.done", json!({"part": part}));
}
