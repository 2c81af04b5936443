//! OpenAI's chat completions, which most servers of open models and most gateways speak too.

use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::Value;

use super::{Asked, Failure, Prompt, Wire, asked, body, parse, turns};
use crate::model::{Reply, StopReason, Usage};

pub struct OpenAiChat;

impl Wire for OpenAiChat {
    fn name(&self) -> &'static str {
        "openai-chat"
    }

    fn endpoint(&self) -> &'static str {
        "/v1/chat/completions"
    }

    fn request(&self, ask: &Prompt) -> Value {
        Value::Object(body(ask.params, [("model", ask.model.into()), ("messages", turns(ask.messages.iter()))]))
    }

    /// Reads the first choice. A refusal's text stands for the content where there is none.
    fn reply(&self, text: &str) -> Result<Reply, String> {
        let body: Body = parse(text, "a chat completion")?;
        if let Some(failure) = body.error {
            return Err(failure.to_string());
        }
        let choice = body.choices.unwrap_or_default().into_iter().next();
        let choice = choice.ok_or("expected a chat completion with `choices[0]`, found none")?;
        let message = choice.message.ok_or("expected a chat completion with `choices[0].message`, found none")?;
        let refusal = message.refusal.filter(|refusal| !refusal.is_empty());
        let stop = match choice.finish_reason.as_deref() {
            _ if refusal.is_some() => StopReason::Refusal,
            Some("stop") => StopReason::End,
            Some("length") => StopReason::Length,
            Some("content_filter") => StopReason::ContentFilter,
            Some("tool_calls" | "function_call") => StopReason::Tool,
            _ => StopReason::Unknown,
        };
        let content = message.content.unwrap_or_default().0;
        let text = if content.is_empty() { refusal.unwrap_or_default() } else { content };
        Ok(Reply { text, stop, usage: body.usage.and_then(Tokens::usage), model: body.model })
    }

    fn asked(&self, _endpoint: &str, body: Value) -> Result<Asked, String> {
        let mut body = asked::object(body)?;
        let turns = asked::turns("messages", body.remove("messages"))?;
        Ok(Asked::new(turns, body))
    }
}

#[derive(Deserialize)]
struct Body {
    choices: Option<Vec<Choice>>,
    usage: Option<Tokens>,
    model: Option<String>,
    error: Option<Failure>,
}

#[derive(Deserialize)]
struct Choice {
    message: Option<Said>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Said {
    content: Option<Content>,
    refusal: Option<String>,
}

#[derive(Deserialize)]
struct Tokens {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<Details>,
}

#[derive(Deserialize)]
struct Details {
    cached_tokens: Option<u64>,
}

impl Tokens {
    fn usage(self) -> Option<Usage> {
        let cached = self.prompt_tokens_details.and_then(|d| d.cached_tokens).unwrap_or(0);
        Some(Usage { input: self.prompt_tokens?, cached, output: self.completion_tokens? })
    }
}

/// Content is a string, or a list of parts of which those of type text count.
#[derive(Default)]
struct Content(String);

#[derive(Deserialize)]
struct Part {
    r#type: Option<String>,
    text: Option<String>,
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Content, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Content;

            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("a text or a list of content parts")
            }

            fn visit_str<E>(self, text: &str) -> Result<Content, E> {
                Ok(Content(text.to_string()))
            }

            fn visit_string<E>(self, text: String) -> Result<Content, E> {
                Ok(Content(text))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Content, A::Error> {
                let mut content = String::new();
                while let Some(part) = parts.next_element::<Part>()? {
                    if part.r#type.is_none_or(|kind| matches!(kind.as_str(), "text" | "output_text")) {
                        content.push_str(part.text.as_deref().unwrap_or_default());
                    }
                }
                Ok(Content(content))
            }
        }
        deserializer.deserialize_any(Either)
    }
}
