//! Ollama's chat, for models on one's own machine; the sampling fields stand in `options`.

use serde::Deserialize;
use serde_json::Value;

use super::{Asked, Failure, Prompt, Wire, asked, body, parse, turns};
use crate::model::{Reply, StopReason, Usage};

pub struct Ollama;

impl Wire for Ollama {
    fn name(&self) -> &'static str {
        "ollama"
    }

    fn endpoint(&self) -> &'static str {
        "/api/chat"
    }

    /// Asks for one whole answer: by itself this server streams.
    fn request(&self, ask: &Prompt) -> Value {
        let own = [("model", ask.model.into()), ("messages", turns(ask.messages.iter())), ("stream", false.into())];
        Value::Object(body(ask.params, own))
    }

    fn reply(&self, text: &str) -> Result<Reply, String> {
        let body: Body = parse(text, "a chat answer")?;
        if let Some(failure) = body.error {
            return Err(failure.to_string());
        }
        if body.done == Some(false) {
            return Err("expected a whole chat answer (`done` true), found one piece of a stream".into());
        }
        let message = body.message.ok_or("expected a chat answer with `message`, found none")?;
        let stop = match body.done_reason.as_deref() {
            Some("stop") => StopReason::End,
            Some("length") => StopReason::Length,
            _ => StopReason::Unknown,
        };
        let usage = match (body.prompt_eval_count, body.eval_count) {
            (Some(input), Some(output)) => Some(Usage { input, cached: 0, output }),
            _ => None,
        };
        Ok(Reply { text: message.content.unwrap_or_default(), stop, usage, model: body.model })
    }

    fn asked(&self, _endpoint: &str, body: Value) -> Result<Asked, String> {
        let mut body = asked::object(body)?;
        let turns = asked::turns("messages", body.remove("messages"))?;
        Ok(Asked::new(turns, body))
    }
}

#[derive(Deserialize)]
struct Body {
    message: Option<Said>,
    done: Option<bool>,
    done_reason: Option<String>,
    prompt_eval_count: Option<u64>,
    eval_count: Option<u64>,
    model: Option<String>,
    error: Option<Failure>,
}

#[derive(Deserialize)]
struct Said {
    content: Option<String>,
}
