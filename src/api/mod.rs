//! Providers' wire forms: one file each, request out and reply in. No network.

pub mod anthropic;
mod asked;
pub mod gemini;
pub mod key;
pub mod ollama;
pub mod openai_chat;
pub mod openai_responses;
pub mod stream;

pub use asked::{Asked, Turn, unspoken};

use serde_json::{Map, Value, json};

use crate::model::Reply;

/// How one provider wants to be asked, and how it answers.
pub trait Wire: Sync {
    /// The name that a loop spec and a recording use.
    fn name(&self) -> &'static str;
    /// The path of the call, `{model}` standing for the model where the path holds it.
    fn endpoint(&self) -> &'static str;
    /// The path for one model: what is called, and what a key is made of.
    fn path(&self, model: &str) -> String {
        self.endpoint().replace("{model}", model)
    }
    /// The body to send. Fields of `ask.params` stand in it as they are, except where the form itself sets the field.
    fn request(&self, ask: &Prompt) -> Value;
    /// Reads the body of an answer with status 2xx. The error says what was expected and what came.
    fn reply(&self, body: &str) -> Result<Reply, String>;
    /// Reads the body of a request that was sent to `endpoint`, by whomever and in whatever shape the form allows.
    fn asked(&self, endpoint: &str, body: Value) -> Result<Asked, String>;
}

/// Every wire form, in the order that help and docs list them.
pub const ALL: &[&dyn Wire] =
    &[&openai_chat::OpenAiChat, &openai_responses::OpenAiResponses, &anthropic::Anthropic, &gemini::Gemini, &ollama::Ollama];

pub fn by_name(name: &str) -> Option<&'static dyn Wire> {
    ALL.iter().copied().find(|wire| wire.name() == name)
}

/// A request, independent of any provider.
#[derive(Debug, Clone, Copy)]
pub struct Prompt<'a> {
    pub model: &'a str,
    pub messages: &'a [Message],
    /// The provider's own sampling fields, by the provider's names: temperature, max_tokens, seed, response_format ...
    pub params: &'a Map<String, Value>,
}

/// Who speaks in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Speaker {
    System,
    User,
    Assistant,
}

impl Speaker {
    pub const fn name(self) -> &'static str {
        match self {
            Speaker::System => "system",
            Speaker::User => "user",
            Speaker::Assistant => "assistant",
        }
    }
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub role: Speaker,
    pub text: String,
}

/// The body that every form starts from: the parameters, then what the form itself says.
fn body<const N: usize>(params: &Map<String, Value>, own: [(&str, Value); N]) -> Map<String, Value> {
    let mut body = params.clone();
    body.extend(own.into_iter().map(|(key, value)| (key.to_string(), value)));
    body
}

/// Turns as `{role, content}`, for the forms that write them so.
fn turns<'a>(messages: impl Iterator<Item = &'a Message>) -> Value {
    messages.map(|m| json!({"role": m.role.name(), "content": m.text})).collect()
}

/// System texts as one, a blank line between them; None where there is none. For forms that keep them apart from the turns.
fn system(messages: &[Message]) -> Option<String> {
    let texts: Vec<&str> = messages.iter().filter(|m| m.role == Speaker::System).map(|m| m.text.as_str()).collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

fn spoken(messages: &[Message]) -> impl Iterator<Item = &Message> {
    messages.iter().filter(|m| m.role != Speaker::System)
}

/// A provider's error object, or the bare text that some send in its place.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Failure {
    Text(String),
    Object {
        message: Option<String>,
        #[serde(alias = "status")]
        r#type: Option<String>,
        code: Option<Value>,
    },
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (message, kind) = match self {
            Failure::Text(message) => (Some(message), None),
            Failure::Object { message, r#type, code } => {
                let code = code.as_ref().filter(|code| !code.is_null()).map(|code| code.to_string().replace('"', ""));
                (message.as_ref(), code.or_else(|| r#type.clone()))
            }
        };
        write!(f, "the provider answered with an error")?;
        if let Some(kind) = kind {
            write!(f, " ({kind})")?;
        }
        match message {
            Some(message) => write!(f, ": {message}"),
            None => Ok(()),
        }
    }
}

/// Parses a body into a form's own fields; `what` names the form in the error.
fn parse<'a, T: serde::Deserialize<'a>>(text: &'a str, what: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|e| format!("expected {what}: {e}"))
}

#[cfg(test)]
mod key_tests;
#[cfg(test)]
mod tests;
