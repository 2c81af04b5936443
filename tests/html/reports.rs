//! Reports of shipped arms: two compared and judged, and one alone.

use std::path::Path;

use redraft::compare::{self, Comparison, TicketRow, TicketTable};
use redraft::gate::{self, Gate, Policy};
use redraft::passes;
use redraft::report::{ArmDetails, Report, find};
use redraft::side::{Options, Place, Side};
use redraft::summary::Summary;

/// Which runs are shown whole.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Runs {
    All,
    /// The first of those that got worse or better.
    Notable,
}

fn open(arm: &str) -> Side {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings").join(arm);
    Side::open(&Place { path, arm: None }, &Options::default(), &mut || {}).unwrap_or_else(|e| panic!("{e}"))
}

fn details(side: &Side, table: &TicketTable, runs: Runs) -> ArmDetails {
    let changed = table.rows.iter().filter(|row| runs == Runs::All || row.change.is_some());
    let most = if runs == Runs::All { usize::MAX } else { 20 };
    let tickets: Vec<String> = changed.take(most).map(|row: &TicketRow| row.ticket.clone()).collect();
    let runs = side.details(&tickets).unwrap_or_else(|e| panic!("{e}"));
    ArmDetails { arm: side.summary.origin.arm.clone(), runs, of: side.summary.runs }
}

const POLICY: &str = "
version = 1
on_inconclusive = \"pass\"
metric = [
  { figure = \"run_new_error\", margin = \"2pp\" },
  { figure = \"untouched_section_edit\", margin = \"5pp\" },
  { figure = \"calls\", margin = \"10%\" },
]
";

/// The page of two arms that are compared and judged.
pub fn compared(a: &str, b: &str, runs: Runs) -> String {
    let sides = [open(a), open(b)];
    let comparison = compare::compare(&sides[0], &sides[1], &compare::Options::default());
    let policy = Policy::parse(Path::new("gate.toml"), POLICY).unwrap_or_else(|e| panic!("{e}"));
    let gate = gate::judge(&comparison, &policy);
    let table = compare::table(&[&sides[0], &sides[1]], Some(&comparison));
    let details = [0, 1].map(|at| details(&sides[at], &table, runs));
    render(&sides, Some((&comparison, &gate)), &table, &details)
}

/// The page of one arm by itself.
pub fn alone(arm: &str) -> String {
    let sides = [open(arm)];
    let table = compare::table(&[&sides[0]], None);
    let details = [details(&sides[0], &table, Runs::All)];
    render(&sides, None, &table, &details)
}

fn render(sides: &[Side], judged: Option<(&Comparison, &Gate)>, table: &TicketTable, details: &[ArmDetails]) -> String {
    let summary = Summary::new(sides.iter().map(|side| side.summary.clone()).collect());
    let study = passes::study(sides, None, &passes::Options::default());
    let report = Report {
        name: "nightly",
        summary: &summary,
        comparison: judged.map(|(comparison, _)| comparison),
        gate: judged.map(|(_, gate)| gate),
        study: Some(&study),
        tickets: table,
        details,
        drafts: &[],
    };
    let mut files = find("html").expect("the form is registered").render(&report);
    assert_eq!(files.len(), 1);
    String::from_utf8(files.remove(0).1).expect("a page of text")
}
