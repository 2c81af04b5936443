//! What a session of the proxy came to.

use schemars::JsonSchema;
use serde::Serialize;

/// Notes kept of each kind; the counts are always whole.
const NOTES_MAX: usize = 20;

/// Counts and the first notes of each kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(title = "redraft proxy --format json")]
pub struct Session {
    pub arm: String,
    /// True where the recording was served and nobody asked.
    pub replay: bool,
    /// Calls answered from the recording.
    pub served: u64,
    /// Calls passed through and recorded in their slot.
    pub recorded: u64,
    /// Calls passed through that belong to no slot: unmapped.jsonl.
    pub unmapped: u64,
    /// Calls without a usable answer: calls.errors.jsonl.
    pub failed: u64,
    /// Calls that the recording does not have, and that were refused therefore.
    pub unmatched: u64,
    /// Requests that were none, or none that is spoken here.
    pub bad: u64,
    /// Requests sent to the provider.
    pub upstream: u64,
    /// Recorded calls whose answer does not say what it used, so that they have no price.
    pub without_usage: u64,
    /// Recorded calls that nobody asked for, of tickets that were asked for.
    pub unused: u64,
    /// Recorded calls of tickets of which nothing was asked.
    pub untouched: u64,
    /// Runs that were begun and wait for their next call.
    pub begun: u64,
    /// The first of each kind.
    pub notes: Vec<String>,
}

impl Session {
    pub fn note(&mut self, kind: &str, what: &str) {
        let of_kind = self.notes.iter().filter(|note| note.starts_with(kind)).count();
        if of_kind < NOTES_MAX {
            self.notes.push(format!("{kind}: {what}"));
        }
    }

    /// Nothing is left to be looked at.
    pub fn is_fine(&self) -> bool {
        let passed = self.unmapped == 0 && self.failed == 0;
        let strict = self.unmatched == 0 && self.unused == 0;
        self.bad == 0 && if self.replay { strict } else { passed }
    }

    /// For people, one thing a line.
    pub fn text(&self) -> Vec<String> {
        let mut out = vec![match self.replay {
            true => format!("{}  replay: {} served, {} unmatched, {} unused, 0 asked", self.arm, self.served, self.unmatched, self.unused),
            false => format!(
                "{}  {} recorded, {} served from the recording, {} unmapped, {} failed; {} requests sent",
                self.arm, self.recorded, self.served, self.unmapped, self.failed, self.upstream
            ),
        }];
        let mut add = |count: u64, words: &str| {
            if count > 0 {
                out.push(format!("  {count} {words}"));
            }
        };
        add(self.bad, "requests were refused: not HTTP, or not what is spoken here");
        if self.replay {
            add(self.untouched, "recorded calls are of tickets of which nothing was asked");
        } else {
            add(self.unmapped, "calls belong to no slot; they are in unmapped.jsonl");
            add(self.failed, "calls failed; they are in calls.errors.jsonl");
            add(
                self.without_usage,
                "recorded answers do not say what they used; streamed chat completions need stream_options.include_usage",
            );
            add(self.begun, "runs were begun and wait for their next call");
        }
        out.extend(self.notes.iter().map(|note| format!("  {note}")));
        out
    }
}
