//! The format `findings`: a list of {defect, location, severity, detail, fix}, where `location` quotes the draft.

use super::list::{self, Shape};
use super::{Format, Rules};
use crate::model::{Critique, Reply};

pub(super) const SHAPE: Shape = Shape { label: "defect", quote: "location", source_id: None, source_quote: None };

pub struct Findings;

impl Format for Findings {
    fn name(&self) -> &'static str {
        "findings"
    }

    fn about(&self) -> &'static str {
        "{\"findings\": [{defect, location, severity, detail, fix}]}, location copied from the draft"
    }

    fn has_findings(&self) -> bool {
        true
    }

    fn read(&self, reply: &Reply, rules: &Rules) -> Critique {
        list::read(reply, rules, &SHAPE)
    }
}
