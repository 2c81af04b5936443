//! Streams as providers send them, and every body taken apart and put together again.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Event, Events, by_name};
use crate::api;

fn events(text: &str) -> Vec<Event> {
    Events::default().push(text.as_bytes()).into_iter().filter_map(|(event, _)| event).collect()
}

fn whole(form: &str, text: &str) -> Result<Value, String> {
    by_name(form).unwrap().whole(&events(text))
}

#[test]
fn a_chat_completion_is_put_together() {
    let stream = r#"data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null}],"usage":null}

: a comment

data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"Dear"},"logprobs":{"content":[{"token":"Dear"}]},"finish_reason":null}],"usage":null,"obfuscation":"x"}

data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":" custömer"},"logprobs":{"content":[{"token":" c"}]},"finish_reason":null}],"usage":null}

data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"look","arguments":""}}]},"finish_reason":null}]}

data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":"}}]},"finish_reason":null}]}

data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]},"finish_reason":null}]}

data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}

data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}

data: [DONE]

"#;
    let want = json!({
        "id": "c1", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{
            "index": 0, "finish_reason": "stop", "logprobs": {"content": [{"token": "Dear"}, {"token": " c"}]},
            "message": {
                "role": "assistant", "content": "Dear custömer",
                "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{\"a\":1}"}}],
            },
        }],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2},
    });
    assert_eq!(whole("openai-chat", stream).unwrap(), want);
    // However the bytes are cut.
    let mut reader = Events::default();
    let cut: Vec<Event> = stream.bytes().flat_map(|byte| reader.push(&[byte])).filter_map(|(event, _)| event).collect();
    assert_eq!(by_name("openai-chat").unwrap().whole(&cut).unwrap(), want);
    let crlf = stream.replace('\n', "\r\n");
    assert_eq!(whole("openai-chat", &crlf).unwrap(), want);
}

#[test]
fn a_message_is_put_together() {
    let stream = r#"event: message_start
data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":25,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

event: ping
data: {"type": "ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Let me"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"Eq"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Hel"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"lo"}}

event: content_block_start
data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_1","name":"n","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"a\": "}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"[1]}"}}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":15}}

event: message_stop
data: {"type":"message_stop"}

"#;
    let want = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn", "stop_sequence": null,
        "content": [
            {"type": "thinking", "thinking": "Let me", "signature": "Eq"},
            {"type": "text", "text": "Hello"},
            {"type": "tool_use", "id": "toolu_1", "name": "n", "input": {"a": [1]}},
        ],
        "usage": {"input_tokens": 25, "output_tokens": 15},
    });
    assert_eq!(whole("anthropic", stream).unwrap(), want);
}

#[test]
fn what_broke_off_is_no_answer() {
    for (form, stream, why) in [
        ("openai-chat", "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hal\"}}]}\n\n", "broke off"),
        ("openai-chat", "data: [DONE]\n\n", "broke off"),
        ("openai-chat", "data: {\"error\":{\"message\":\"overloaded\"}}\n\n", "overloaded"),
        ("openai-chat", "data: {\"choices\":[{\"index\":99999999,\"delta\":{}}]}\n\n", "small whole number"),
        ("openai-chat", "data: nonsense\n\n", "not JSON"),
        ("anthropic", "data: {\"type\":\"message_start\",\"message\":{}}\n\n", "broke off"),
        ("anthropic", "data: {\"type\":\"content_block_delta\",\"index\":3,\"delta\":{}}\n\n", "no block"),
        ("anthropic", "event: error\ndata: {\"type\":\"error\",\"error\":{\"message\":\"Overloaded\"}}\n\n", "Overloaded"),
        ("openai-responses", "data: {\"type\":\"response.created\",\"response\":{}}\n\n", "broke off"),
        ("openai-responses", "data: {\"type\":\"error\",\"message\":\"no\"}\n\n", "no"),
    ] {
        let found = whole(form, stream).unwrap_err();
        assert!(found.contains(why), "{stream}: {found}");
    }
}

/// Bodies of each form with what only some answers have.
fn bodies(said: &str) -> Vec<(&'static str, Value)> {
    vec![
        (
            "openai-chat",
            json!({
                "id": "c", "object": "chat.completion", "created": 1, "model": "m", "system_fingerprint": null,
                "choices": [
                    {"index": 0, "message": {"role": "assistant", "content": said, "reasoning_content": said}, "finish_reason": "stop"},
                    {"index": 1, "message": {"role": "assistant", "content": null, "refusal": "I cannot."}, "finish_reason": "stop"},
                    {"index": 2, "message": {"role": "assistant", "content": null, "tool_calls": [
                        {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{\"a\": 1}"}},
                        {"id": "call_2", "type": "function", "function": {"name": "g", "arguments": "{}"}}
                    ]}, "finish_reason": "tool_calls"},
                ],
                "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3},
            }),
        ),
        (
            "anthropic",
            json!({
                "id": "msg", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn", "stop_sequence": null,
                "content": [
                    {"type": "thinking", "thinking": said, "signature": "s"},
                    {"type": "redacted_thinking", "data": "d"},
                    {"type": "text", "text": said, "citations": [{"type": "char_location", "cited_text": said}]},
                    {"type": "text", "text": ""},
                    {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": [said]}},
                    {"type": "tool_use", "id": "toolu_2", "name": "f", "input": {}},
                ],
                "usage": {"input_tokens": 1, "output_tokens": 2, "cache_read_input_tokens": 0},
            }),
        ),
        (
            "openai-responses",
            json!({
                "id": "resp", "object": "response", "status": "completed", "model": "m",
                "output": [
                    {"id": "rs_1", "type": "reasoning", "summary": []},
                    {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [
                        {"type": "output_text", "text": said, "annotations": []}, {"type": "refusal", "refusal": "No."}
                    ]},
                    {"id": "fc_1", "type": "function_call", "name": "f", "call_id": "call_1", "arguments": "{}"},
                ],
                "usage": {"input_tokens": 1, "output_tokens": 2},
            }),
        ),
    ]
}

proptest! {
    #[test]
    fn a_body_taken_apart_is_the_body_again(said in "\\PC{0,200}|[\\x00-\\x7f]{0,60}") {
        for (form, body) in bodies(&said) {
            let stream = by_name(form).unwrap();
            let asked = json!({"stream": true, "stream_options": {"include_usage": true}});
            let mut wire = vec![];
            let pieces = stream.pieces(&body, &asked);
            prop_assert!(pieces.len() > 3);
            pieces.iter().for_each(|event| event.write(&mut wire));
            let read: Vec<Event> = Events::default().push(&wire).into_iter().filter_map(|(event, _)| event).collect();
            prop_assert_eq!(&read, &pieces);
            let ends: Vec<bool> = read.iter().map(|event| stream.is_last(event)).collect();
            prop_assert_eq!(ends.iter().position(|last| *last), Some(read.len() - 1));
            let again = stream.whole(&read).unwrap();
            prop_assert_eq!(&again, &body);
            let reply = |body: &Value| api::by_name(form).unwrap().reply(&body.to_string());
            prop_assert_eq!(reply(&again), reply(&body));
        }
    }
}
