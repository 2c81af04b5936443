//! OpenAI's responses: a list of output items, with reasoning, messages and tool calls told apart.

use serde::Deserialize;
use serde_json::Value;

use super::{Asked, Failure, Prompt, Wire, asked, body, parse, spoken, system, turns};
use crate::model::{Reply, StopReason, Usage};

pub struct OpenAiResponses;

impl Wire for OpenAiResponses {
    fn name(&self) -> &'static str {
        "openai-responses"
    }

    fn endpoint(&self) -> &'static str {
        "/v1/responses"
    }

    /// System texts go into `instructions`.
    fn request(&self, ask: &Prompt) -> Value {
        let mut body = body(ask.params, [("model", ask.model.into()), ("input", turns(spoken(ask.messages)))]);
        if let Some(system) = system(ask.messages) {
            body.insert("instructions".into(), system.into());
        }
        Value::Object(body)
    }

    fn reply(&self, text: &str) -> Result<Reply, String> {
        let body: Body = parse(text, "a response")?;
        if let Some(failure) = body.error {
            return Err(failure.to_string());
        }
        let output = body.output.ok_or("expected a response with `output`, found none")?;
        let (mut said, mut refusal, mut tool) = (String::new(), None, false);
        for item in output {
            match item.r#type.as_deref() {
                Some("message") => {
                    for part in item.content.unwrap_or_default() {
                        said.push_str(part.text.as_deref().unwrap_or_default());
                        refusal = refusal.or(part.refusal);
                    }
                }
                Some(kind) => tool |= kind.ends_with("_call"),
                None => {}
            }
        }
        let cut = body.incomplete_details.and_then(|details| details.reason);
        let stop = match (body.status.as_deref(), cut.as_deref()) {
            _ if refusal.is_some() => StopReason::Refusal,
            (_, Some("max_output_tokens")) => StopReason::Length,
            (_, Some("content_filter")) => StopReason::ContentFilter,
            (Some("completed"), None) if tool && said.is_empty() => StopReason::Tool,
            (Some("completed"), None) => StopReason::End,
            (Some(status @ ("failed" | "cancelled" | "queued" | "in_progress")), _) => {
                return Err(format!("expected a response with status completed or incomplete, found {status}"));
            }
            _ => StopReason::Unknown,
        };
        let text = if said.is_empty() { refusal.unwrap_or_default() } else { said };
        Ok(Reply { text, stop, usage: body.usage.and_then(Tokens::usage), model: body.model })
    }

    fn asked(&self, _endpoint: &str, body: Value) -> Result<Asked, String> {
        let mut body = asked::object(body)?;
        let turns = asked::turns("input", body.remove("input"))?;
        Ok(Asked::new(asked::system(body.remove("instructions")).into_iter().chain(turns).collect(), body))
    }
}

#[derive(Deserialize)]
struct Body {
    status: Option<String>,
    incomplete_details: Option<Incomplete>,
    output: Option<Vec<Item>>,
    usage: Option<Tokens>,
    model: Option<String>,
    error: Option<Failure>,
}

#[derive(Deserialize)]
struct Incomplete {
    reason: Option<String>,
}

#[derive(Deserialize)]
struct Item {
    r#type: Option<String>,
    content: Option<Vec<Part>>,
}

#[derive(Deserialize)]
struct Part {
    text: Option<String>,
    refusal: Option<String>,
}

#[derive(Deserialize)]
struct Tokens {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    input_tokens_details: Option<Details>,
}

#[derive(Deserialize)]
struct Details {
    cached_tokens: Option<u64>,
}

impl Tokens {
    fn usage(self) -> Option<Usage> {
        let cached = self.input_tokens_details.and_then(|d| d.cached_tokens).unwrap_or(0);
        Some(Usage { input: self.input_tokens?, cached, output: self.output_tokens? })
    }
}
