//! Reading a critic's reply: one file per critique format, and the tolerant JSON reader that they share.
//!
//! Reading is text in, data out: no draft is needed, so nothing is anchored here. What is forgiven around a list of
//! findings is named in [`Repair::ALL`]; what is not forgiven is a [`ParseReason`].

mod edit;
pub mod findings;
pub mod grounded;
mod json;
mod list;
pub mod locate;
pub mod prose;
mod repair;
pub mod said;
mod scan;
mod string;
mod verdict;

pub use edit::{SerialEdit, edit};
pub use repair::Repair;
pub use verdict::{Judgement, verdict};

use crate::model::{Critique, CritiqueStatus, ParseReason, Reply, StopReason};

/// A way critics are asked to write.
pub trait Format: Sync {
    /// The name that a loop spec uses.
    fn name(&self) -> &'static str;
    /// One line for people who choose a format.
    fn about(&self) -> &'static str;
    /// True where critiques come as a list of findings, which can be given to a reviser one by one.
    fn has_findings(&self) -> bool;
    /// Never fails: a reply that cannot be read is a critique whose status says why.
    fn read(&self, reply: &Reply, rules: &Rules) -> Critique;
}

/// Every format, in the order that help and docs list them.
pub const ALL: &[&dyn Format] = &[&prose::Prose, &findings::Findings, &grounded::Grounded];

pub fn by_name(name: &str) -> Option<&'static dyn Format> {
    ALL.iter().copied().find(|format| format.name() == name)
}

/// What a loop spec says of its critic's replies.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rules {
    /// The reply that approves, compared exactly after trimming. Empty: nothing approves but an empty list.
    pub sentinel: String,
    /// Declared severities, worst first. Empty: severities are not checked and have no rank.
    pub severities: Vec<String>,
}

impl Rules {
    /// Index of a severity in declared order, letter case aside.
    fn rank(&self, severity: &str) -> Option<u32> {
        let wanted = severity.trim().to_lowercase();
        let index = self.severities.iter().position(|declared| declared.trim().to_lowercase() == wanted)?;
        u32::try_from(index).ok()
    }
}

/// What the stop reason and the bare text already decide; None where the format has to read on. A reply that was cut is
/// for the format to judge, save an approval or a blank that was cut: neither says anything.
fn settled(reply: &Reply, rules: &Rules) -> Option<CritiqueStatus> {
    let text = reply.text.trim();
    let approves = !text.is_empty() && text == rules.sentinel.trim();
    let reason = match reply.stop {
        StopReason::Refusal => ParseReason::Refusal,
        StopReason::ContentFilter => ParseReason::ContentFilter,
        StopReason::Length if approves || is_blank(text) => ParseReason::Truncated,
        _ if approves => return Some(CritiqueStatus::Approved),
        _ if is_blank(text) => ParseReason::Empty,
        _ => return None,
    };
    Some(CritiqueStatus::ParseError(reason))
}

/// True for text that shows nothing: white space and characters without width or ink.
fn is_blank(text: &str) -> bool {
    let unseen = |c: char| {
        c.is_whitespace()
            || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
    };
    text.chars().all(unseen)
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
