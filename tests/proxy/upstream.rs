//! A provider on loopback for the proxy: answers three wire forms, in one piece or streamed in small ones, and counts.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

#[derive(Debug, Clone)]
pub struct Request {
    pub path: String,
    /// The head as it came, in lower case.
    pub head: String,
    pub body: Value,
}

pub struct Upstream {
    pub url: String,
    seen: Arc<Mutex<Vec<Request>>>,
}

/// What the last message asks.
pub fn prompt(body: &Value) -> String {
    let turns = body["messages"].as_array().or(body["input"].as_array());
    let last = turns.and_then(|turns| turns.last()).map(|turn| &turn["content"]).unwrap_or(&body["input"]);
    last.as_str().or(last[0]["text"].as_str()).unwrap_or_default().to_owned()
}

/// The answer to a prompt: long enough for many pieces, in letters of several bytes.
pub fn answer(prompt: &str) -> String {
    let short: String = prompt.chars().take(40).collect();
    format!("Antwort auf «{short}»: naïve façade, 你好, 🎉\n\nSecond paragraph, \"quoted\" \\ and {} bytes asked.", prompt.len())
}

impl Upstream {
    pub fn start() -> Upstream {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(vec![]));
        let log = seen.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let log = log.clone();
                std::thread::spawn(move || drop(serve(stream, &log)));
            }
        });
        Upstream { url, seen }
    }

    pub fn requests(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }

    pub fn count(&self) -> usize {
        self.seen.lock().unwrap().len()
    }
}

fn serve(mut stream: TcpStream, log: &Mutex<Vec<Request>>) -> std::io::Result<()> {
    let mut kept: Vec<u8> = vec![];
    let mut bytes = [0; 4096];
    loop {
        let (head, end) = loop {
            if let Some(at) = kept.windows(4).position(|window| window == b"\r\n\r\n") {
                break (String::from_utf8_lossy(&kept[..at]).into_owned(), at + 4);
            }
            match stream.read(&mut bytes)? {
                0 => return Ok(()),
                count => kept.extend_from_slice(&bytes[..count]),
            }
        };
        let lower = head.to_lowercase();
        let length = lower.lines().find_map(|line| line.strip_prefix("content-length: ")).map_or(0, |n| n.parse().unwrap());
        while kept.len() < end + length {
            let count = stream.read(&mut bytes)?;
            kept.extend_from_slice(&bytes[..count]);
        }
        let body: Value = serde_json::from_slice(&kept[end..end + length]).unwrap();
        kept.drain(..end + length);
        let path = head.split(' ').nth(1).unwrap().to_owned();
        let asked = prompt(&body);
        let mut log = log.lock().unwrap();
        let before = log.iter().filter(|request| prompt(&request.body) == asked).count();
        log.push(Request { path: path.clone(), head: lower, body: body.clone() });
        drop(log);
        if asked.contains("FAIL ONCE") && before == 0 {
            let error = r#"{"type":"error","error":{"type":"overloaded_error","message":"try again"}}"#;
            let head = format!("HTTP/1.1 503 Busy\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n", error.len());
            stream.write_all(format!("{head}{error}").as_bytes())?;
            continue;
        }
        let text = answer(&asked);
        if body["stream"] != true {
            let body = whole(&path, &body, &text).to_string();
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-request-id: r1\r\nset-cookie: c=1\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            stream.write_all(format!("{head}{body}").as_bytes())?;
            continue;
        }
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")?;
        for event in streamed(&path, &body, &text) {
            // Two writes an event, so that pieces end anywhere.
            for half in event.as_bytes().chunks(event.len() / 2 + 1) {
                stream.write_all(format!("{:x}\r\n", half.len()).as_bytes())?;
                stream.write_all(half)?;
                stream.write_all(b"\r\n")?;
                stream.flush()?;
            }
            if asked.contains("CUT") && event.contains("Antw") {
                return Ok(());
            }
            if asked.contains("SLOWLY") {
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        stream.write_all(b"0\r\n\r\n")?;
    }
}

fn whole(path: &str, body: &Value, text: &str) -> Value {
    let model = &body["model"];
    if path.contains("/chat/completions") {
        return json!({
            "id": "chatcmpl-1", "object": "chat.completion", "created": 1700000000, "model": model,
            "choices": [{"index": 0, "message": {"role": "assistant", "content": text, "refusal": null}, "logprobs": null, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
        });
    }
    if path.contains("/messages") {
        return json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": [{"type": "text", "text": text}],
            "stop_reason": "end_turn", "stop_sequence": null, "usage": {"input_tokens": 11, "output_tokens": 7},
        });
    }
    json!({
        "id": "resp_1", "object": "response", "created_at": 1700000000, "status": "completed", "error": null, "incomplete_details": null,
        "instructions": null, "metadata": {}, "model": model, "parallel_tool_calls": true, "temperature": 1.0, "tool_choice": "auto", "tools": [], "top_p": 1.0,
        "output": [{"id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}]}],
        "usage": {"input_tokens": 11, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 7, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 18},
    })
}

fn streamed(path: &str, body: &Value, text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let parts: Vec<String> = letters.chunks(9).map(|part| part.iter().collect()).collect();
    let mut out = vec![];
    let model = &body["model"];
    if path.contains("/chat/completions") {
        let mut add = |delta: Value, reason: Value| {
            let choice = json!([{"index": 0, "delta": delta, "logprobs": null, "finish_reason": reason}]);
            let frame =
                json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1700000000, "model": model, "choices": choice});
            out.push(format!("data: {frame}\n\n"));
        };
        add(json!({"role": "assistant", "content": ""}), Value::Null);
        parts.iter().for_each(|part| add(json!({"content": part}), Value::Null));
        add(json!({}), "stop".into());
        if body["stream_options"]["include_usage"] == true {
            let usage = json!({"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18});
            let frame = json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1700000000, "model": model, "choices": [], "usage": usage});
            out.push(format!("data: {frame}\n\n"));
        }
        out.push("data: [DONE]\n\n".into());
        return out;
    }
    let mut add = |data: Value| out.push(format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap()));
    if path.contains("/messages") {
        let mut message = whole(path, body, "");
        message["content"] = json!([]);
        message["stop_reason"] = Value::Null;
        message["usage"]["output_tokens"] = 1.into();
        add(json!({"type": "message_start", "message": message}));
        add(json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}));
        add(json!({"type": "ping"}));
        for part in parts {
            add(json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": part}}));
        }
        add(json!({"type": "content_block_stop", "index": 0}));
        add(json!({"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": null}, "usage": {"output_tokens": 7}}));
        add(json!({"type": "message_stop"}));
        return out;
    }
    let done = whole(path, body, text);
    let mut begun = done.clone();
    begun["status"] = "in_progress".into();
    begun["output"] = json!([]);
    add(json!({"type": "response.created", "sequence_number": 0, "response": begun}));
    let item = json!({"id": "msg_1", "type": "message", "role": "assistant", "status": "in_progress", "content": []});
    add(json!({"type": "response.output_item.added", "sequence_number": 1, "output_index": 0, "item": item}));
    let place = json!({"item_id": "msg_1", "output_index": 0, "content_index": 0});
    let mut placed = |kind: &str, number: usize, name: &str, value: Value| {
        let mut data = place.clone();
        data["type"] = kind.into();
        data["sequence_number"] = number.into();
        data[name] = value;
        if kind.contains("text") {
            data["logprobs"] = json!([]);
        }
        add(data);
    };
    placed("response.content_part.added", 2, "part", json!({"type": "output_text", "text": "", "annotations": []}));
    for (at, part) in parts.iter().enumerate() {
        placed("response.output_text.delta", 3 + at, "delta", part.as_str().into());
    }
    placed("response.output_text.done", 1000, "text", text.into());
    placed("response.content_part.done", 1001, "part", done["output"][0]["content"][0].clone());
    add(json!({"type": "response.output_item.done", "sequence_number": 1002, "output_index": 0, "item": done["output"][0]}));
    add(json!({"type": "response.completed", "sequence_number": 1003, "response": done}));
    out
}
