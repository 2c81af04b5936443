//! The nouns of the field as plain data: tickets, calls, runs, findings, verdict-free facts. No behaviour beyond constructors and names.

mod call;
mod finding;
mod money;
mod run;
mod ticket;

pub use call::{Reply, Role, Slot, StopReason, Usage, cost};
pub use finding::{Anchor, Critique, CritiqueStatus, Drop, DropReason, EditStatus, Finding, ParseReason, Tier};
pub use money::Usd;
pub use run::{CallRecord, Edit, Fault, FaultKind, Guard, Guards, Pass, Rejection, Run, Stop};
pub use ticket::{Check, CheckRule, PlantedDefect, Source, Ticket};

/// A half-open byte range `[start, end)` of a draft as stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(from = "(usize, usize)", into = "(usize, usize)")]
#[schemars(with = "(usize, usize)")]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

impl Span {
    pub const fn new(start: usize, end: usize) -> Self {
        Span { start, end }
    }

    pub const fn len(self) -> usize {
        self.end - self.start
    }

    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// True where the two share at least one byte (an empty span shares none).
    pub fn overlaps(self, other: Span) -> bool {
        self.start.max(other.start) < self.end.min(other.end)
    }

    /// The text of this span, or None where it does not fit `text` (a ledger from elsewhere may be wrong).
    pub fn of(self, text: &str) -> Option<&str> {
        text.get(self.start..self.end)
    }
}

impl From<(usize, usize)> for Span {
    fn from((start, end): (usize, usize)) -> Self {
        Span { start, end: end.max(start) }
    }
}

impl From<Span> for (usize, usize) {
    fn from(span: Span) -> Self {
        (span.start, span.end)
    }
}
