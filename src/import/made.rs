//! An answer's body put together from what a log keeps of it, in the form of OpenAI's chat completions, the one that most logs use themselves.

use serde_json::{Map, Value, json};

use crate::model::{StopReason, Usage};

/// The wire form of every body that is made here.
pub const PROVIDER: &str = "openai-chat";

/// A chat completion of one text.
pub fn answer(text: &str, stop: StopReason, usage: Option<Usage>, model: Option<&str>) -> String {
    let reason = match stop {
        StopReason::End => json!("stop"),
        StopReason::Length => json!("length"),
        StopReason::ContentFilter => json!("content_filter"),
        StopReason::Tool => json!("tool_calls"),
        StopReason::Refusal | StopReason::Unknown => Value::Null,
    };
    let message = match stop {
        StopReason::Refusal => json!({"role": "assistant", "content": null, "refusal": text}),
        _ => json!({"role": "assistant", "content": text}),
    };
    let mut body = Map::new();
    body.insert("choices".into(), json!([{"index": 0, "message": message, "finish_reason": reason}]));
    if let Some(model) = model {
        body.insert("model".into(), model.into());
    }
    if let Some(usage) = usage {
        body.insert("usage".into(), json!({"prompt_tokens": usage.input, "completion_tokens": usage.output, "prompt_tokens_details": {"cached_tokens": usage.cached}}));
    }
    Value::Object(body).to_string()
}

/// The body of a call that failed, of which only words are known.
pub fn failure(message: &str, kind: Option<&str>) -> String {
    json!({"error": {"message": message, "type": kind}}).to_string()
}

/// The providers' words for why a model stopped.
pub fn stop(word: Option<&str>) -> StopReason {
    match word.map(str::to_ascii_lowercase).as_deref() {
        Some("stop" | "end_turn" | "stop_sequence" | "end" | "eos") => StopReason::End,
        Some("length" | "max_tokens" | "max_output_tokens") => StopReason::Length,
        Some("content_filter" | "safety") => StopReason::ContentFilter,
        Some("tool_calls" | "tool_call" | "tool_use" | "function_call") => StopReason::Tool,
        Some("refusal") => StopReason::Refusal,
        _ => StopReason::Unknown,
    }
}

/// Token counts under any of the names that logs give them; whether cached tokens are part of the input is as OpenAI counts.
pub fn usage(counts: &Value) -> Option<Usage> {
    let first = |names: &[&str]| names.iter().find_map(|name| counts.pointer(name).and_then(Value::as_u64));
    Some(Usage {
        input: first(&["/prompt_tokens", "/input_tokens", "/input"])?,
        output: first(&["/completion_tokens", "/output_tokens", "/output"])?,
        cached: first(&[
            "/prompt_tokens_details/cached_tokens",
            "/input_tokens_details/cached_tokens",
            "/input_token_details/cache_read",
            "/input_tokens_cache_read",
            "/input_cached_tokens",
            "/cached",
        ])
        .unwrap_or(0),
    })
}

/// The text of a message's content: a text, or a list of parts of which those with text count (under any of their usual names).
pub fn content(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let texts: Vec<&str> = parts
                .iter()
                .filter(|part| !matches!(part.get("type").and_then(Value::as_str), Some("reasoning" | "thinking")))
                .filter_map(|part| part.get("text").or_else(|| part.get("content")).and_then(Value::as_str).or_else(|| part.as_str()))
                .collect();
            (!texts.is_empty()).then(|| texts.concat())
        }
        _ => None,
    }
}

/// What the user said last in a list of messages.
pub fn last_user(messages: &Value) -> Option<String> {
    let said = |message: &Value| {
        let who = ["role", "type"].iter().find_map(|name| message.get(*name).and_then(Value::as_str))?;
        matches!(who, "user" | "human").then(|| content(message.get("content").or_else(|| message.get("parts"))?)).flatten()
    };
    match messages {
        Value::String(text) => Some(text.clone()),
        _ => messages.as_array()?.iter().rev().find_map(said),
    }
}

/// The same of a request's body, in any wire form.
pub fn asked(body: &Value) -> Option<String> {
    ["messages", "input", "contents"].iter().find_map(|name| last_user(body.get(*name)?))
}

/// The wire form that a path belongs to.
pub fn provider_of(url: &str) -> Option<&'static str> {
    let path = url.split(['?', '#']).next().unwrap_or(url).trim_end_matches('/');
    [
        ("/chat/completions", "openai-chat"),
        ("/responses", "openai-responses"),
        ("/messages", "anthropic"),
        (":generateContent", "gemini"),
        ("/api/chat", "ollama"),
    ]
    .iter()
    .find(|(end, _)| path.ends_with(end))
    .map(|(_, name)| *name)
}

/// The provider's own path for a request that went to `url`.
pub fn endpoint(provider: &str, url: &str, body: &Value) -> Option<String> {
    let wire = crate::api::by_name(provider)?;
    let in_path = || Some(url.rsplit_once("/models/")?.1.split(':').next()?.to_owned());
    let model = body.get("model").and_then(Value::as_str).map(str::to_owned).or_else(in_path).unwrap_or_default();
    Some(wire.path(&model))
}
