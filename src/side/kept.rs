//! Runs kept while a side is read, so that those who show some of them need not replay it a second time. Held to a size: a large side is
//! read again instead.

use std::collections::HashSet;

use crate::detail::{self, Detail};
use crate::error::Error;
use crate::metric::Settings;
use crate::model::{Run, Ticket};
use crate::replay::Workers;
use crate::summary::{ArmSummary, Frame};

/// What stays of a side once it was measured, beside its summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    Nothing,
    /// The figures of every ticket.
    Frame,
    /// And the runs, for reports that show them.
    Runs,
}

/// An arm that was measured, and what was kept of it.
pub struct Evaluated {
    pub summary: ArmSummary,
    /// Empty where it was not to be kept.
    pub frame: Frame,
    /// None where they were not to be kept, or are too many.
    pub runs: Option<Kept>,
}

/// A side's runs, in its order, with the tickets that they answer.
pub struct Kept {
    settings: Settings,
    jobs: usize,
    runs: Vec<(Ticket, Run)>,
    bytes: usize,
}

impl Kept {
    /// What a side's texts may take, which is several times what 1,000 tickets of a page each do.
    const BYTES_MAX: usize = 64 << 20;

    pub(super) fn new(settings: Settings, jobs: usize) -> Kept {
        Kept { settings, jobs, runs: vec![], bytes: 0 }
    }

    /// False once they are too many: then it holds none.
    pub(super) fn push(&mut self, ticket: Ticket, run: Run) -> bool {
        self.bytes = self.bytes.saturating_add(ticket_size(&ticket)).saturating_add(run_size(&run));
        let fits = self.bytes <= Kept::BYTES_MAX;
        if fits {
            self.runs.push((ticket, run))
        } else {
            self.runs = vec![]
        }
        fits
    }

    pub fn details(&self, tickets: &[String]) -> Result<Vec<Detail>, Error> {
        let wanted: HashSet<&str> = tickets.iter().map(String::as_str).collect();
        let runs: Vec<&(Ticket, Run)> = self.runs.iter().filter(|(_, run)| wanted.contains(run.ticket.as_str())).collect();
        Ok(Workers::new(self.jobs)?.map(runs, || (), |(), _, (ticket, run)| detail::of(ticket, run, &self.settings)))
    }
}

/// Bytes, about: every text, and room for what stands around it.
fn ticket_size(ticket: &Ticket) -> usize {
    let sources: usize = ticket.sources.iter().map(|source| source.text.len()).sum();
    1024 + ticket.prompt.len() + sources + 256 * (ticket.checks.len() + ticket.fields.len())
}

fn run_size(run: &Run) -> usize {
    let passes = run.passes.iter().map(|pass| {
        // The findings say again what the reply says, as they were given and as they were read.
        let critique = pass.critique.as_ref().map_or(0, |critique| 4 * critique.text.len());
        let edits: usize = pass.edits.iter().map(|edit| edit.before.len() + edit.proposed.as_ref().map_or(0, String::len)).sum();
        1024 + critique + edits + pass.draft.as_ref().map_or(0, String::len)
    });
    passes.sum()
}
