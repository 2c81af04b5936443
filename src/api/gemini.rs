//! Google's generateContent: turns are made of parts, and the sampling fields stand in `generationConfig`.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Asked, Failure, Prompt, Speaker, Wire, asked, body, parse, spoken, system};
use crate::model::{Reply, StopReason, Usage};

pub struct Gemini;

impl Wire for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn endpoint(&self) -> &'static str {
        "/v1beta/models/{model}:generateContent"
    }

    /// The model is no part of the body: it stands in the path, see [`Wire::path`].
    fn request(&self, ask: &Prompt) -> Value {
        let role = |speaker| if speaker == Speaker::Assistant { "model" } else { "user" };
        let contents = spoken(ask.messages).map(|m| json!({"role": role(m.role), "parts": [{"text": m.text}]})).collect();
        let mut body = body(ask.params, [("contents", contents)]);
        if let Some(system) = system(ask.messages) {
            body.insert("systemInstruction".into(), json!({"parts": [{"text": system}]}));
        }
        Value::Object(body)
    }

    fn reply(&self, text: &str) -> Result<Reply, String> {
        let body: Body = parse(text, "a generateContent response")?;
        if let Some(failure) = body.error {
            return Err(failure.to_string());
        }
        let blocked = body.prompt_feedback.and_then(|feedback| feedback.block_reason).is_some();
        let candidate = body.candidates.unwrap_or_default().into_iter().next();
        let (text, stop) = match candidate {
            Some(candidate) => {
                let parts = candidate.content.and_then(|content| content.parts).unwrap_or_default();
                let visible = parts.into_iter().filter(|part| part.thought != Some(true));
                (visible.filter_map(|part| part.text).collect(), stop(candidate.finish_reason.as_deref()))
            }
            None if blocked => (String::new(), StopReason::ContentFilter),
            None => return Err("expected a generateContent response with `candidates[0]`, found none".into()),
        };
        Ok(Reply { text, stop, usage: body.usage_metadata.and_then(Tokens::usage), model: body.model_version })
    }

    /// The model is the part of the path between `/models/` and the colon.
    fn asked(&self, endpoint: &str, body: Value) -> Result<Asked, String> {
        let mut body = asked::object(body)?;
        let turns = asked::turns("contents", body.remove("contents"))?;
        let system = body.remove("systemInstruction").or_else(|| body.remove("system_instruction"));
        let named = endpoint.split_once("/models/").and_then(|(_, rest)| rest.split(':').next());
        if let Some(model) = named {
            body.insert("model".into(), model.into());
        }
        Ok(Asked::new(asked::system(system).into_iter().chain(turns).collect(), body))
    }
}

fn stop(reason: Option<&str>) -> StopReason {
    match reason {
        Some("STOP") => StopReason::End,
        Some("MAX_TOKENS") => StopReason::Length,
        Some("SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII") => StopReason::ContentFilter,
        Some("MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL") => StopReason::Tool,
        _ => StopReason::Unknown,
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    candidates: Option<Vec<Candidate>>,
    prompt_feedback: Option<Feedback>,
    usage_metadata: Option<Tokens>,
    model_version: Option<String>,
    error: Option<Failure>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback {
    block_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    content: Option<Content>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Content {
    parts: Option<Vec<Part>>,
}

#[derive(Deserialize)]
struct Part {
    text: Option<String>,
    thought: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tokens {
    prompt_token_count: Option<u64>,
    cached_content_token_count: Option<u64>,
    candidates_token_count: Option<u64>,
    thoughts_token_count: Option<u64>,
}

impl Tokens {
    /// A count that is left out is zero by this provider's rule, save the prompt's.
    fn usage(self) -> Option<Usage> {
        let output = self.candidates_token_count.unwrap_or(0).saturating_add(self.thoughts_token_count.unwrap_or(0));
        Some(Usage { input: self.prompt_token_count?, cached: self.cached_content_token_count.unwrap_or(0), output })
    }
}
