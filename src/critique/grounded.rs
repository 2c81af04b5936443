//! The format `grounded`: a list of {category, severity, draft_span, source_id, source_span, explanation}, with one quotation
//! from the draft and one from the source that proves it (`internal`: from the draft itself).

use super::list::{self, Shape};
use super::{Format, Rules};
use crate::model::{Critique, Reply};

pub(super) const SHAPE: Shape =
    Shape { label: "category", quote: "draft_span", source_id: Some("source_id"), source_quote: Some("source_span") };

pub struct Grounded;

impl Format for Grounded {
    fn name(&self) -> &'static str {
        "grounded"
    }

    fn about(&self) -> &'static str {
        "{\"findings\": [{category, severity, draft_span, source_id, source_span, explanation}]}, both spans copied"
    }

    fn has_findings(&self) -> bool {
        true
    }

    fn read(&self, reply: &Reply, rules: &Rules) -> Critique {
        list::read(reply, rules, &SHAPE)
    }
}
