//! Other tools' logs in: one file a log, each read into records; a map says which call of a loop a record is.
//!
//! An importer finds exchanges with a model and says of each what it knows for certain: the request, byte for byte, or nothing of it. It never
//! guesses a slot; that is the map's part ([`map`], [`place`]). What is no call, or cannot be placed, is listed with its reason.

pub mod anthropic_batch;
pub mod archive;
pub mod input;
pub mod inspect;
pub mod langchain;
pub mod langfuse;
pub mod langsmith;
pub mod litellm;
pub mod made;
pub mod map;
pub mod openai_batch;
pub mod otel;
pub mod place;
pub mod skeleton;
pub mod span;
pub mod template;
pub mod trajectories;
pub mod vcrpy;
pub mod write;

use serde_json::Value;

use crate::error::Error;
use input::Input;

/// A foreign log.
pub trait Importer: Sync {
    /// The name that the command line uses.
    fn name(&self) -> &'static str;
    /// One line: what it reads.
    fn about(&self) -> &'static str;
    /// How a record's fields become a slot where nobody says otherwise, as `--map` writes it. Several for one part are tried in turn.
    fn rules(&self) -> &'static [&'static str];
    /// True where a ticket's calls are sure to stand in the order in which they were made.
    fn is_ordered(&self) -> bool {
        false
    }
    /// Reads all files of one log together. A record that is broken is a record with the reason; an error is a log that cannot be read at all.
    fn read(&self, inputs: &[Input]) -> Result<Vec<Record>, Error>;
}

/// Every log, in the order that help and docs list them.
pub const ALL: &[&dyn Importer] = &[
    &trajectories::Trajectories,
    &openai_batch::OpenAiBatch,
    &anthropic_batch::AnthropicBatch,
    &vcrpy::Vcrpy,
    &otel::OpenTelemetry,
    &langsmith::LangSmith,
    &langfuse::Langfuse,
    &litellm::LiteLlm,
    &inspect::Inspect,
    &langchain::LangChain,
];

pub fn by_name(name: &str) -> Option<&'static dyn Importer> {
    ALL.iter().copied().find(|importer| importer.name() == name)
}

/// One thing that a log tells.
#[derive(Debug, Clone)]
pub struct Record {
    /// Where it stands: `file:line`, `file[index]`.
    pub at: String,
    /// What the map may look at. A field that is not here is looked for in `parent`, which is an object of the same form.
    pub fields: Value,
    pub found: Found,
}

#[derive(Debug, Clone)]
pub enum Found {
    Call(Box<Exchange>),
    /// No call, or a broken one: why.
    Other(String),
}

/// One exchange with a model.
#[derive(Debug, Clone, Default)]
pub struct Exchange {
    /// The wire form of the answer's body.
    pub provider: &'static str,
    /// What was sent, where the log has it as it was sent.
    pub request: Option<Sent>,
    /// What the user said last, where the log tells it: the ticket's prompt, if it was the writer who was asked.
    pub asked: Option<String>,
    /// HTTP status; 0 where none is told.
    pub status: u16,
    /// Of the answer; only harmless ones are kept.
    pub headers: Vec<(String, String)>,
    /// JSON.
    pub body: String,
    /// True where the body was put together from the log's fields.
    pub is_made: bool,
    pub recorded_at: Option<String>,
    pub latency_ms: Option<f64>,
    /// What the log tells of the ticket itself.
    pub ticket: Option<Value>,
}

#[derive(Debug, Clone)]
pub struct Sent {
    pub endpoint: String,
    /// JSON, verbatim.
    pub body: String,
}

impl Exchange {
    pub fn is_answer(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

impl Record {
    pub fn other(at: impl Into<String>, why: impl Into<String>) -> Record {
        Record { at: at.into(), fields: Value::Null, found: Found::Other(why.into()) }
    }
}

#[cfg(test)]
mod tests;
