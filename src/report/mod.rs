//! Output forms: one file each. A renderer computes nothing.

mod annotations;
pub mod audit;
pub mod block;
pub mod chart;
mod comment;
pub mod critic;
mod digest;
pub mod draft;
mod gitlab;
pub mod grid;
pub mod hash;
mod html;
mod job_summary;
pub mod json;
mod junit;
pub mod markdown;
pub mod overview;
pub mod passes;
pub mod plot;
pub mod regressed;
pub mod sarif;
mod shown;
#[cfg(test)]
mod testing;
pub mod verdict;
pub mod versus;

pub use crate::number;

use crate::compare::{Comparison, TicketTable};
use crate::detail::Detail;
use crate::gate::Gate;
use crate::passes::Study;
use crate::summary::Summary;

/// All that a report may show.
#[derive(Clone, Copy)]
pub struct Report<'a> {
    /// Tells this report from others that are posted to the same place, and stays the same from run to run.
    pub name: &'a str,
    /// One arm, several, or the two that are compared (baseline first).
    pub summary: &'a Summary,
    pub comparison: Option<&'a Comparison>,
    pub gate: Option<&'a Gate>,
    /// How many passes pay, by arm, in the order of `summary`; none where nothing could be judged, or no form that was asked for shows it.
    pub study: Option<&'a Study>,
    pub tickets: &'a TicketTable,
    /// The runs that are shown whole, by arm, in the order of `summary`.
    pub details: &'a [ArmDetails],
    /// The drafts of `details`, with the findings located in them; empty where no form points to drafts.
    pub drafts: &'a [draft::ArmDrafts<'a>],
}

/// At most so many tickets are shown whole: a page of more takes a browser minutes and some hundred megabytes, and drafts are a file each.
pub const WHOLE_MAX: usize = 2000;

/// Runs of one arm that are shown whole.
pub struct ArmDetails {
    pub arm: String,
    pub runs: Vec<Detail>,
    /// Runs there are, shown or not.
    pub of: u64,
}

/// One output form.
pub trait Renderer: Sync {
    /// As `--report` and `--format` name it.
    fn name(&self) -> &'static str;
    fn about(&self) -> &'static str;
    /// True for a form that shows runs whole: they are read only where a form asks for them.
    fn shows_runs(&self) -> bool {
        false
    }
    /// True for a form that points to places in drafts: they are written out as files beside it.
    fn points_to_drafts(&self) -> bool {
        false
    }
    /// The files of the form: a name below the report folder, and its bytes.
    fn render(&self, report: &Report<'_>) -> Files;
}

/// Names and bytes.
pub type Files = Vec<(String, Vec<u8>)>;

/// Every output form.
pub const ALL: &[&dyn Renderer] = &[
    &html::Html,
    &job_summary::JobSummary,
    &comment::Comment,
    &annotations::Annotations,
    &junit::Junit,
    &json::Json,
    &sarif::Sarif,
    &gitlab::Gitlab,
];

pub fn find(name: &str) -> Option<&'static dyn Renderer> {
    ALL.iter().copied().find(|form| form.name() == name)
}
