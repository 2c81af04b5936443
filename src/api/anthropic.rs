//! Anthropic's messages: the system text stands beside the turns, and cached tokens are counted apart.

use serde::Deserialize;
use serde_json::Value;

use super::{Asked, Failure, Prompt, Wire, asked, body, parse, spoken, system, turns};
use crate::model::{Reply, StopReason, Usage};

pub struct Anthropic;

impl Wire for Anthropic {
    fn name(&self) -> &'static str {
        "anthropic"
    }

    fn endpoint(&self) -> &'static str {
        "/v1/messages"
    }

    /// `max_tokens`, which this provider demands, is the caller's to give.
    fn request(&self, ask: &Prompt) -> Value {
        let mut body = body(ask.params, [("model", ask.model.into()), ("messages", turns(spoken(ask.messages)))]);
        if let Some(system) = system(ask.messages) {
            body.insert("system".into(), system.into());
        }
        Value::Object(body)
    }

    fn reply(&self, text: &str) -> Result<Reply, String> {
        let body: Body = parse(text, "a message")?;
        if let Some(failure) = body.error {
            return Err(failure.to_string());
        }
        let content = body.content.ok_or("expected a message with `content`, found none")?;
        let blocks = content.iter().filter(|block| block.r#type.as_deref() == Some("text"));
        let text = blocks.filter_map(|block| block.text.as_deref()).collect();
        let stop = match body.stop_reason.as_deref() {
            Some("end_turn" | "stop_sequence") => StopReason::End,
            Some("max_tokens" | "model_context_window_exceeded") => StopReason::Length,
            Some("tool_use") => StopReason::Tool,
            Some("refusal") => StopReason::Refusal,
            _ => StopReason::Unknown,
        };
        Ok(Reply { text, stop, usage: body.usage.and_then(Tokens::usage), model: body.model })
    }

    fn asked(&self, _endpoint: &str, body: Value) -> Result<Asked, String> {
        let mut body = asked::object(body)?;
        let turns = asked::turns("messages", body.remove("messages"))?;
        Ok(Asked::new(asked::system(body.remove("system")).into_iter().chain(turns).collect(), body))
    }
}

#[derive(Deserialize)]
struct Body {
    content: Option<Vec<Block>>,
    stop_reason: Option<String>,
    usage: Option<Tokens>,
    model: Option<String>,
    error: Option<Failure>,
}

#[derive(Deserialize)]
struct Block {
    r#type: Option<String>,
    text: Option<String>,
}

#[derive(Deserialize)]
struct Tokens {
    input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

impl Tokens {
    fn usage(self) -> Option<Usage> {
        let cached = self.cache_read_input_tokens.unwrap_or(0);
        let written = self.cache_creation_input_tokens.unwrap_or(0);
        let input = self.input_tokens?.saturating_add(written).saturating_add(cached);
        Some(Usage { input, cached, output: self.output_tokens? })
    }
}
