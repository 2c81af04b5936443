//! Cases of the wire forms and the request key; the byte-exact inputs stand in tests/data/api.

use serde_json::{Value, json};

use super::*;
use crate::model::{StopReason, Usage};

pub(super) fn data(file: &str) -> String {
    std::fs::read_to_string(format!("{}/tests/data/api/{file}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn ask<'a>(model: &'a str, messages: &'a [Message], params: &'a Value) -> Prompt<'a> {
    Prompt { model, messages, params: params.as_object().unwrap() }
}

fn say(role: Speaker, text: &str) -> Message {
    Message { role, text: text.into() }
}

#[test]
fn replies_of_every_form_are_read() {
    use StopReason::*;
    let list = "{\"findings\": [{\"defect\": \"unsupported_claim\"";
    // (wire, file, start of the text, stop, input, cached, output)
    let cases = [
        ("openai-chat", "openai_chat_response_stop_json_schema", list, End, 1106, 1024, 402),
        ("openai-chat", "openai_chat_response_reasoning", list, End, 1106, 0, 1890),
        ("openai-chat", "openai_chat_response_fenced", "Here are my findings:\n\n```json\n", End, 1106, 1024, 402),
        ("openai-chat", "openai_chat_response_approved", "APPROVED", End, 1106, 1024, 402),
        ("openai-chat", "openai_chat_response_length", list, Length, 1106, 0, 256),
        ("openai-chat", "openai_chat_response_content_filter", "", ContentFilter, 1106, 1024, 402),
        ("openai-chat", "openai_chat_response_refusal", "I'm sorry, I can't help", Refusal, 1106, 1024, 402),
        ("openai-chat", "openai_chat_response_tool_calls", "", Tool, 1106, 1024, 402),
        ("openai-chat", "openrouter_chat_response", list, End, 1106, 1024, 402),
        ("openai-responses", "openai_responses_response_completed", list, End, 1106, 0, 1890),
        ("openai-responses", "openai_responses_response_incomplete", list, Length, 1106, 0, 1890),
        ("openai-responses", "openai_responses_response_refusal", "I'm sorry, I can't assist", Refusal, 1106, 0, 1890),
        ("anthropic", "anthropic_message_end_turn", list, End, 1106, 1020, 402),
        ("anthropic", "anthropic_message_approved", "APPROVED", End, 1106, 1020, 402),
        ("anthropic", "anthropic_message_thinking", list, End, 1106, 1020, 402),
        ("anthropic", "anthropic_message_two_text_blocks", "Looking at the draft:\n\n{\"findings\": [", End, 1106, 1020, 402),
        ("anthropic", "anthropic_message_max_tokens", list, Length, 1106, 1020, 402),
        ("anthropic", "anthropic_message_refusal", "", Refusal, 1106, 1020, 402),
        ("anthropic", "anthropic_message_tool_use", "I'll report the findings.", Tool, 1106, 1020, 402),
        ("gemini", "gemini_generateContent_stop", list, End, 1106, 0, 714),
        ("gemini", "gemini_generateContent_max_tokens", list, Length, 1106, 0, 64),
        ("gemini", "gemini_generateContent_blocked", "", ContentFilter, 1106, 0, 0),
        ("ollama", "ollama_chat_stop", list, End, 1106, 0, 402),
        ("ollama", "ollama_chat_length", list, Length, 1106, 0, 402),
    ];
    for (wire, file, start, stop, input, cached, output) in cases {
        let body = data(&format!("{file}.json"));
        let reply = by_name(wire).unwrap().reply(&body).unwrap_or_else(|e| panic!("{file}: {e}"));
        assert!(reply.text.starts_with(start) && start.is_empty() == reply.text.is_empty(), "{file}: {}", reply.text);
        assert_eq!((reply.stop, reply.usage), (stop, Some(Usage { input, cached, output })), "{file}");
        let raw: Value = serde_json::from_str(&body).unwrap();
        let model = raw.get("model").or(raw.get("modelVersion")).and_then(Value::as_str);
        assert_eq!(reply.model.as_deref(), model, "{file}");
    }
}

#[test]
fn forms_that_no_sample_shows_are_read_too() {
    use StopReason::*;
    let chat = |message: Value, finish: Value| json!({"choices": [{"message": message, "finish_reason": finish}]});
    let cases = [
        (
            "openai-chat",
            chat(json!({"content": [{"type": "text", "text": "a"}, {"type": "thinking", "text": "x"}, {"text": "b"}]}), json!("stop")),
            "ab",
            End,
        ),
        ("openai-chat", chat(json!({"content": "a\u{e9}", "reasoning_content": "x"}), json!(null)), "a\u{e9}", Unknown),
        ("openai-chat", chat(json!({"content": "so far", "refusal": "no"}), json!("stop")), "so far", Refusal),
        ("openai-responses", json!({"status": "completed", "output": [{"type": "function_call", "arguments": "{}"}]}), "", Tool),
        (
            "openai-responses",
            json!({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}, "output": []}),
            "",
            ContentFilter,
        ),
        ("anthropic", json!({"content": [{"type": "text", "text": "a"}], "stop_reason": "pause_turn"}), "a", Unknown),
        (
            "gemini",
            json!({"candidates": [{"content": {"parts": [{"text": "x", "thought": true}, {"text": "a"}]}, "finishReason": "SAFETY"}]}),
            "a",
            ContentFilter,
        ),
        ("ollama", json!({"message": {"content": "a"}, "done": true, "eval_count": 3}), "a", Unknown),
    ];
    for (wire, body, text, stop) in cases {
        let reply = by_name(wire).unwrap().reply(&body.to_string()).unwrap();
        assert_eq!((reply.text.as_str(), reply.stop, reply.usage), (text, stop, None), "{wire} {body}");
    }
}

#[test]
fn what_is_no_reply_is_refused_and_says_why() {
    let recorded = |file: &str| serde_json::from_str::<Value>(&data(file)).unwrap()["body"].to_string();
    let rate = recorded("openai_error_429.json");
    let cases = [
        ("openai-chat", rate.as_str(), "the provider answered with an error (rate_limit_exceeded): Rate limit reached"),
        ("openai-responses", &rate, "the provider answered with an error (rate_limit_exceeded): Rate limit reached"),
        ("anthropic", &recorded("anthropic_error_429.json"), "the provider answered with an error (rate_limit_error): Number of request"),
        ("anthropic", &recorded("anthropic_error_529.json"), "the provider answered with an error (overloaded_error): Overloaded"),
        (
            "gemini",
            r#"{"error":{"code":429,"message":"Quota","status":"RESOURCE_EXHAUSTED"}}"#,
            "the provider answered with an error (429): Quota",
        ),
        ("ollama", r#"{"error":"model not found"}"#, "the provider answered with an error: model not found"),
        ("ollama", r#"{"message":{"content":"a"},"done":false}"#, "expected a whole chat answer (`done` true), found one piece"),
        (
            "openai-responses",
            r#"{"status":"in_progress","output":[]}"#,
            "expected a response with status completed or incomplete, found in_progress",
        ),
        ("openai-chat", r#"{"choices":[]}"#, "expected a chat completion with `choices[0]`, found none"),
        ("openai-chat", r#"{"choices":[{"text":"a"}]}"#, "expected a chat completion with `choices[0].message`, found none"),
        (
            "openai-chat",
            r#"{"choices":[{"message":{"content":7}}]}"#,
            "expected a chat completion: invalid type: integer `7`, expected a text",
        ),
    ];
    for (wire, body, start) in cases {
        let error = by_name(wire).unwrap().reply(body).unwrap_err();
        assert!(error.starts_with(start), "{wire}: {error}");
    }
    for wire in ALL {
        for body in ["", "{}", "null", "[]", "<html>502</html>", "\"ok\""] {
            let error = wire.reply(body).unwrap_err();
            assert!(error.starts_with("expected a"), "{} {body}: {error}", wire.name());
        }
    }
}

#[test]
fn requests_have_each_providers_form() {
    let messages = [say(Speaker::System, "S"), say(Speaker::User, "U"), say(Speaker::Assistant, "A"), say(Speaker::User, "V")];
    let turns = json!([{"role": "user", "content": "U"}, {"role": "assistant", "content": "A"}, {"role": "user", "content": "V"}]);
    let all = json!([{"role": "system", "content": "S"}, turns[0], turns[1], turns[2]]);
    let sampling = json!({"temperature": 0, "seed": 7, "max_tokens": 9, "stop": ["</draft>"]});
    let contents = json!([
        {"role": "user", "parts": [{"text": "U"}]}, {"role": "model", "parts": [{"text": "A"}]}, {"role": "user", "parts": [{"text": "V"}]},
    ]);
    let config = json!({"generationConfig": {"temperature": 0}});
    let options = json!({"options": {"seed": 7}});
    let cases = [
        (
            "openai-chat",
            &sampling,
            json!({"model": "m", "messages": all, "temperature": 0, "seed": 7, "max_tokens": 9, "stop": ["</draft>"]}),
        ),
        ("openai-responses", &json!({"store": false}), json!({"model": "m", "instructions": "S", "input": turns, "store": false})),
        ("anthropic", &json!({"max_tokens": 9}), json!({"model": "m", "system": "S", "messages": turns, "max_tokens": 9})),
        (
            "gemini",
            &config,
            json!({"systemInstruction": {"parts": [{"text": "S"}]}, "contents": contents, "generationConfig": {"temperature": 0}}),
        ),
        ("ollama", &options, json!({"model": "m", "messages": all, "stream": false, "options": {"seed": 7}})),
    ];
    for (wire, params, want) in cases {
        assert_eq!(by_name(wire).unwrap().request(&ask("m", &messages, params)), want, "{wire}");
    }
    assert_eq!(gemini::Gemini.path("g-1"), "/v1beta/models/g-1:generateContent");
    let bare = anthropic::Anthropic.request(&ask("m", &messages[1..2], &json!({})));
    assert_eq!(bare, json!({"model": "m", "messages": [turns[0]]}), "no system text, no field");
}

/// The request samples are what our forms give for the same conversation and parameters.
#[test]
fn request_samples_come_out_equal() {
    for (wire, file, turns, system) in [
        ("openai-chat", "openai_chat_request_json_schema", "messages", None),
        ("ollama", "ollama_request", "messages", None),
        ("gemini", "gemini_request", "contents", Some("systemInstruction")),
    ] {
        let want: Value = serde_json::from_str(&data(&format!("{file}.json"))).unwrap();
        let mut params = want.clone();
        let own = params.as_object_mut().unwrap();
        let model = own.remove("model").unwrap_or_default();
        own.remove(turns);
        let mut messages = Vec::new();
        if let Some(system) = system.and_then(|name| own.remove(name)) {
            messages.push(say(Speaker::System, system["parts"][0]["text"].as_str().unwrap()));
        }
        for turn in want[turns].as_array().unwrap() {
            let role = if turn["role"] == "system" { Speaker::System } else { Speaker::User };
            messages.push(say(role, turn.get("content").unwrap_or(&turn["parts"][0]["text"]).as_str().unwrap()));
        }
        let got = by_name(wire).unwrap().request(&ask(model.as_str().unwrap_or_default(), &messages, &params));
        assert_eq!(got, want, "{wire}");
    }
}

#[test]
fn wires_are_found_by_name() {
    for wire in ALL {
        assert_eq!(by_name(wire.name()).map(|found| found.endpoint()), Some(wire.endpoint()));
    }
    assert!(by_name("telegraph").is_none());
}
