//! One pass of one run as the measurements see it: everything that several of them need is worked out once, here.

use std::cell::OnceCell;

use crate::model::{Critique, Pass, Run, Span, Ticket};
use crate::text::diff::{self, Changed};
use crate::text::section::SectionRule;

/// What of the loop's spec the measurements depend on.
#[derive(Debug, Clone)]
pub struct Settings {
    /// As the spec says; `Auto` is settled by each run's first draft.
    pub sections: SectionRule,
    /// Percent by which a draft may outgrow the original.
    pub growth: u32,
}
