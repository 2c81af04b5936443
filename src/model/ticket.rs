//! Tickets: one case of a dataset, with what is needed to answer it and to judge the answer without a model.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::Schema;

/// One case: what the customer asks, what the answer must rest on, and what can be checked exactly.
#[derive(Debug, Clone, PartialEq)]
pub struct Ticket {
    /// Unique within its dataset, compared byte for byte.
    pub id: String,
    pub prompt: String,
    pub sources: Vec<Source>,
    pub checks: Vec<Check>,
    pub defects: Vec<PlantedDefect>,
    pub tags: Vec<String>,
    /// Further values that prompt templates may use (`customer`, `subject` ...).
    pub fields: Map<String, Value>,
}

impl Ticket {
    /// A ticket of which nothing is known but its id.
    pub fn bare(id: &str) -> Ticket {
        let fields = Map::new();
        Ticket { id: id.to_owned(), prompt: String::new(), sources: vec![], checks: vec![], defects: vec![], tags: vec![], fields }
    }
}

/// A text that the answer may rest on.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    pub id: String,
    pub title: String,
    pub text: String,
}

/// An exact test of a draft.
#[derive(Debug, Clone)]
pub struct Check {
    pub id: String,
    pub rule: CheckRule,
    /// False for a nicety that is reported but never counts as an error.
    pub required: bool,
    /// The defect class that this check decides, where it decides one.
    pub class: Option<String>,
}

#[derive(Debug, Clone)]
pub enum CheckRule {
    Contains(String),
    Absent(String),
    /// Shared: a compiled pattern keeps what it learned of the texts it searched, and a copy would start anew.
    Regex(Arc<regex::Regex>),
    /// A number equal to this one, whatever its notation, stands in the draft.
    Number(String),
    /// The same for an amount with its currency.
    Money(String),
    /// The same for a calendar date.
    Date(String),
    MaxWords(usize),
    MinWords(usize),
    MaxChars(usize),
    MinChars(usize),
    /// The draft is JSON that this schema accepts.
    JsonSchema(Arc<Schema>),
}

impl PartialEq for Check {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && self.required == other.required && format!("{:?}", self.rule) == format!("{:?}", other.rule)
    }
}

/// A defect that was put into a ticket's draft on purpose, or that a person labelled.
#[derive(Debug, Clone, PartialEq)]
pub struct PlantedDefect {
    pub class: String,
    /// Where it stands; None for a defect of the whole draft, such as its length.
    pub quote: Option<String>,
}
