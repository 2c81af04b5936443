//! Recorded requests read back: who said what, the model, and the other fields, independent of any provider.

use serde_json::{Map, Value};

use super::Speaker;

/// A request as it was sent, in neutral form.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Asked {
    pub model: Option<String>,
    pub turns: Vec<Turn>,
    /// Everything else: sampling, tools, response format, by the provider's names.
    pub rest: Map<String, Value>,
    /// The field that goes on with a conversation which the provider keeps: its turns are not in the request.
    pub continues: Option<&'static str>,
}

/// One turn of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    pub speaker: Speaker,
    /// Its texts, with those of tool calls and tool results, one after the other.
    pub text: String,
    /// Kinds of parts that hold no text: images, files.
    pub opaque: Vec<String>,
}

/// Fields by which a request names turns that the provider keeps.
const CONTINUING: [&str; 3] = ["previous_response_id", "conversation", "cachedContent"];

impl Asked {
    /// From the turns, and the fields of the body that are left.
    pub(super) fn new(turns: Vec<Turn>, mut rest: Map<String, Value>) -> Asked {
        let continues = CONTINUING.into_iter().find(|field| rest.get(*field).is_some_and(|value| !value.is_null()));
        let model = rest.remove("model").and_then(|model| model.as_str().map(str::to_owned));
        Asked { model, turns, rest, continues }
    }
}

pub(super) fn object(body: Value) -> Result<Map<String, Value>, String> {
    match body {
        Value::Object(map) => Ok(map),
        other => Err(format!("expected a request's body as an object, found {}", kind(&other))),
    }
}

const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A text that stands beside the turns (`system`, `instructions`): a turn of its own.
pub(super) fn system(text: Option<Value>) -> Option<Turn> {
    let text = text.filter(|text| !text.is_null())?;
    let mut turn = Turn { speaker: Speaker::System, text: String::new(), opaque: vec![] };
    content(text, &mut turn);
    Some(turn)
}

/// `{role, content}` in a list, or one text for a single turn of the user.
pub(super) fn turns(name: &str, list: Option<Value>) -> Result<Vec<Turn>, String> {
    let list = match list {
        Some(Value::Array(list)) => list,
        Some(text @ Value::String(_)) => vec![text],
        other => return Err(format!("expected `{name}` as a list of turns, found {}", other.map_or("none", |o| kind(&o)))),
    };
    Ok(list.into_iter().map(turn).collect())
}

fn turn(value: Value) -> Turn {
    let role = value.get("role").and_then(Value::as_str);
    // Items of the responses form without a role: what the model did earlier, or what a tool gave back.
    let own = value.get("type").and_then(Value::as_str).is_some_and(|t| t == "reasoning" || t.ends_with("_call"));
    let speaker = match role {
        Some("system" | "developer") => Speaker::System,
        Some("assistant" | "model") => Speaker::Assistant,
        None if own => Speaker::Assistant,
        _ => Speaker::User,
    };
    let mut turn = Turn { speaker, text: String::new(), opaque: vec![] };
    match value {
        Value::Object(mut map) => {
            map.remove("role");
            content(Value::Object(map), &mut turn);
        }
        other => content(other, &mut turn),
    }
    turn
}

/// Where the forms keep text: of turns, of parts, of tool calls and their results.
const TEXTS: [&str; 14] = [
    "title",
    "context",
    "content",
    "parts",
    "text",
    "thinking",
    "reasoning_content",
    "summary",
    "data",
    "arguments",
    "output",
    "tool_calls",
    "function",
    "source",
];

/// Values of these are data of a tool, read as JSON text.
const DATA: [&str; 4] = ["input", "args", "functionCall", "functionResponse"];

/// Adds what a value says. It nests no deeper than the JSON reader lets it.
fn content(value: Value, turn: &mut Turn) {
    match value {
        Value::String(text) => {
            if !turn.text.is_empty() && !text.is_empty() {
                turn.text.push('\n');
            }
            turn.text.push_str(&text);
        }
        Value::Array(list) => list.into_iter().for_each(|one| content(one, turn)),
        Value::Object(mut map) => {
            let media = map.get("type").and_then(Value::as_str).map(str::to_owned).unwrap_or_default();
            let binary = ["media_type", "mimeType", "mime_type"].iter().any(|k| map.get(*k).is_some_and(|m| m != "text/plain"));
            let is_opaque = ["image", "file", "audio", "video"].iter().any(|kind| media.contains(kind)) || media == "base64" || binary;
            if is_opaque {
                turn.opaque.push(if media.is_empty() { "binary".into() } else { media });
                return;
            }
            for key in ["inlineData", "fileData", "images", "inline_data", "file_data"] {
                if map.get(key).is_some_and(|value| !value.is_null()) {
                    turn.opaque.push(key.to_owned());
                }
            }
            for key in TEXTS {
                if let Some(inner) = map.remove(key) {
                    content(inner, turn);
                }
            }
            for key in DATA {
                match map.remove(key) {
                    Some(Value::Null) | None => {}
                    Some(inner) => content(Value::String(inner.to_string()), turn),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// What an answer holds beside its visible text: reasoning, and what it gave to tools. One text each.
pub fn unspoken(body: &str) -> Vec<String> {
    // Most answers have neither; a body is read a second time only where a field's name may stand in it.
    let marks = ["reasoning", "thinking", "tool", "thought", "_call", "functionCall"];
    if !marks.iter().any(|mark| body.contains(mark)) {
        return vec![];
    }
    let mut out = vec![];
    if let Ok(body) = serde_json::from_str(body) {
        gather(&body, false, &mut out);
    }
    out
}

fn gather(value: &Value, inside: bool, out: &mut Vec<String>) {
    match value {
        Value::String(text) if inside && text.contains(' ') => out.push(text.clone()),
        Value::Array(list) => list.iter().for_each(|one| gather(one, inside, out)),
        Value::Object(map) => {
            let kind = map.get("type").and_then(Value::as_str).unwrap_or_default();
            let hidden = matches!(kind, "thinking" | "reasoning" | "tool_use")
                || kind.ends_with("_call")
                || map.get("thought") == Some(&Value::Bool(true));
            for (key, inner) in map {
                let own = matches!(
                    key.as_str(),
                    "reasoning_content" | "reasoning" | "reasoning_details" | "thinking" | "tool_calls" | "functionCall"
                );
                gather(inner, inside || hidden || own, out);
            }
        }
        _ => {}
    }
}
