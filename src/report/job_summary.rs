//! Markdown for the summary page of a CI job.

use super::digest::{self, Extent};
use super::{Files, Renderer, Report};

pub struct JobSummary;

/// What GitHub takes for one step, in bytes.
const BYTES_MAX: usize = 1 << 20;

impl Renderer for JobSummary {
    fn name(&self) -> &'static str {
        "job-summary"
    }

    fn about(&self) -> &'static str {
        "Markdown for a CI job's summary page, at most 1 MiB"
    }

    fn render(&self, report: &Report<'_>) -> Files {
        let extent = Extent { tickets_max: 50, diff_chars_max: 60_000 };
        vec![("job-summary.md".to_owned(), digest::render(report, "", &extent, BYTES_MAX, str::len).into_bytes())]
    }
}
