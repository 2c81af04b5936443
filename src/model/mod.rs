//! The nouns of the field as plain data: tickets, calls, runs, findings, verdict-free facts. No behaviour beyond constructors and names.

mod call;
mod finding;
mod money;
mod run;
mod schema;
mod ticket;

pub use call::{Reply, Role, Slot, StopReason, Usage, cost};
pub use finding::{Anchor, Critique, CritiqueStatus, Drop, DropReason, EditStatus, Finding, ParseReason, Tier};
pub use money::Usd;
pub use run::{CallRecord, Edit, Fault, FaultKind, Guard, Guards, Pass, Rejection, Run, Stop};
pub use schema::Schema;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_what_the_file_forms_write() {
        fn check<T: serde::Serialize>(all: &[T], name: fn(&T) -> &'static str) {
            for one in all {
                assert_eq!(serde_json::to_value(one).unwrap(), name(one));
            }
        }
        check(&[Role::Writer, Role::Critic, Role::Reviser, Role::Judge], |x| x.name());
        check(&[Tier::Exact, Tier::Normalised, Tier::Fuzzy], |x| x.name());
        check(&DropReason::ALL, |x| x.name());
        check(&[EditStatus::Applied, EditStatus::Rejected, EditStatus::NotFound, EditStatus::Invalid], |x| x.name());
        use {FaultKind as F, ParseReason as P, Stop as S};
        check(&[F::Missing, F::Mismatch, F::NoAnswer, F::Unreadable, F::Prompt, F::Internal], |x| x.name());
        check(&[P::Truncated, P::Refusal, P::ContentFilter, P::Empty, P::NoJson], |x| x.name());
        check(&[P::MissingFindings, P::DoubleEncoded, P::DuplicateKey, P::BadEscape, P::Malformed], |x| x.name());
        check(&[S::Approved, S::NoFindings, S::MaxPasses, S::MaxCalls, S::MaxCostUsd, S::NoChange, S::Unreadable, S::Fault], |x| x.name());
    }
}
