//! What providers take as a batch: the form of a file and of a request in it, and how large a file may be.

use serde_json::Value;

/// The form of a batch file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// JSON Lines, one model a file.
    OpenAi,
    /// The body of a request to create a batch.
    Anthropic,
    /// The same requests as JSON Lines, for programs that put the body together themselves.
    AnthropicLines,
}

impl Form {
    pub const ALL: [Form; 3] = [Form::OpenAi, Form::Anthropic, Form::AnthropicLines];

    pub const fn name(self) -> &'static str {
        match self {
            Form::OpenAi => "openai",
            Form::Anthropic => "anthropic",
            Form::AnthropicLines => "anthropic-jsonl",
        }
    }

    /// The first form that takes requests of this wire form; None where there is none.
    pub fn of(wire: &str) -> Option<Form> {
        Form::ALL.into_iter().find(|form| form.takes(wire))
    }

    pub fn takes(self, wire: &str) -> bool {
        match self {
            Form::OpenAi => ["openai-chat", "openai-responses"].contains(&wire),
            Form::Anthropic | Form::AnthropicLines => wire == "anthropic",
        }
    }

    /// Requests of a file at most.
    pub const fn requests_max(self) -> usize {
        match self {
            Form::OpenAi => 50_000,
            Form::Anthropic | Form::AnthropicLines => 100_000,
        }
    }

    /// Bytes of a file at most. Providers count in megabytes and do not say which; the smaller ones are safe.
    pub const fn bytes_max(self) -> u64 {
        match self {
            Form::OpenAi => 200_000_000,
            Form::Anthropic | Form::AnthropicLines => 256_000_000,
        }
    }

    pub const fn one_model_a_file(self) -> bool {
        matches!(self, Form::OpenAi)
    }

    pub const fn ending(self) -> &'static str {
        match self {
            Form::Anthropic => "json",
            Form::OpenAi | Form::AnthropicLines => "jsonl",
        }
    }

    /// What stands before, between and after the requests of a file.
    pub const fn around(self) -> [&'static str; 3] {
        match self {
            Form::Anthropic => ["{\"requests\": [\n", ",\n", "\n]}\n"],
            Form::OpenAi | Form::AnthropicLines => ["", "\n", "\n"],
        }
    }

    /// One request on one line, without its end. `body` is the JSON that a call by itself would send.
    pub fn request(self, id: &str, path: &str, body: &str) -> String {
        match self {
            Form::OpenAi => format!(r#"{{"custom_id":"{id}","method":"POST","url":{},"body":{body}}}"#, Value::from(path)),
            Form::Anthropic | Form::AnthropicLines => format!(r#"{{"custom_id":"{id}","params":{body}}}"#),
        }
    }
}
