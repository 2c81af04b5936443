//! One side of a comparison in: measured runs of an arm that is replayed, of a report folder, a ledger, or a table.
//!
//! A side is opened in two steps, so that both sides are known before either is read: a [`Source`] is a place that was looked at, a
//! [`Side`] is what was measured there. While it is read its runs can be written out ([`Files`]), ticket by ticket.

mod files;
mod kept;
mod place;
mod runs;
mod source;

pub use files::{Files, evaluate};
pub use kept::{Evaluated, Keep};
pub use place::Place;
pub use runs::Look;
pub use source::{Source, header, tell_apart};

use std::path::PathBuf;

use serde_json::Value;

use crate::detail::Detail;
use crate::error::Error;
use crate::replay::Prepared;
use crate::summary::{ArmSummary, Frame};

/// Where a side comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Arm,
    Report,
    Ledger,
    Table,
}

impl Kind {
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Arm => "arm",
            Kind::Report => "report",
            Kind::Ledger => "ledger",
            Kind::Table => "table",
        }
    }
}

/// How sides are opened.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// 0 = one a core.
    pub jobs: usize,
    /// Where the tickets of a ledger are: their checks are needed to measure it, and their prompts to show it.
    pub dataset: Option<PathBuf>,
    /// Labels in place of those beside the dataset.
    pub labels: Option<PathBuf>,
    /// True where runs will be shown: then those of a side that is not too large are kept while it is read.
    pub keep_runs: bool,
}

/// One arm, measured.
pub struct Side {
    pub kind: Kind,
    /// As it was given, without the name of an arm.
    pub path: PathBuf,
    pub summary: ArmSummary,
    /// The loop's spec, where the side carries it.
    pub spec: Option<Value>,
    pub frame: Frame,
    /// What a reader must know of how it was read: one sentence each.
    pub warnings: Vec<String>,
    kept: Option<kept::Kept>,
    /// Where its runs can be had again; None where there are none.
    runs: Option<runs::Runs>,
}

impl Side {
    /// Opens and reads a place; `tick` is told of every ticket.
    pub fn open(place: &Place, options: &Options, tick: &mut dyn FnMut()) -> Result<Side, Error> {
        Source::open(place, options)?.read(&mut Files::default(), tick)
    }

    /// A side that was measured elsewhere and has no runs to show.
    pub fn measured(kind: Kind, path: PathBuf, summary: ArmSummary, spec: Option<Value>, frame: Frame) -> Side {
        Side { kind, path, summary, spec, frame, warnings: vec![], kept: None, runs: None }
    }

    /// An arm that was replayed and measured already, and can be replayed again for those who show its runs.
    pub fn replayed(prepared: Prepared, jobs: usize, path: PathBuf, made: Evaluated) -> Side {
        let Evaluated { summary, frame, runs: kept } = made;
        let spec = Some(prepared.source.clone());
        let runs = Some(runs::Runs::Arm(Box::new(prepared), jobs));
        Side { kind: Kind::Arm, path, summary, spec, frame, warnings: vec![], kept, runs }
    }

    /// The chosen tickets' runs as people look at them, in the order of the side. Empty where the side holds no runs.
    pub fn details(&self, tickets: &[String]) -> Result<Vec<Detail>, Error> {
        match (&self.kept, &self.runs) {
            _ if tickets.is_empty() => Ok(vec![]),
            (Some(kept), _) => kept.details(tickets),
            (None, Some(runs)) => runs.details(tickets),
            (None, None) => Ok(vec![]),
        }
    }
}
