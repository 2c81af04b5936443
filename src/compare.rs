//! Two arms side by side, ticket by ticket. Format version 1 of compare.json. Definitions: docs/metrics.md, "Comparing two arms".
//!
//! Differences are candidate minus baseline. Only tickets that both sides ran without a fault are paired; the others are listed.

mod absent;
mod difference;
mod pairing;
mod setup;
mod tickets;
mod values;

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::jsonl;
use crate::metric::Better;
use crate::side::Side;
use crate::summary::{ArmSummary, Origin, PassFigure, Plan};
use difference::Method;
use pairing::Matched;
pub use tickets::{TicketRow, TicketSide, TicketTable, table};

/// What a comparison may be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Of what is drawn at random.
    pub seed: u64,
    /// Draws of a bootstrap and of a sign-flip test.
    pub replicates: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options { seed: 1, replicates: 2000 }
    }
}

/// compare.json.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// Format version: 1.
    pub version: u32,
    pub baseline: SideLine,
    pub candidate: SideLine,
    /// What was held fixed and what changed between the two loops.
    pub setup: Setup,
    pub pairing: Pairing,
    /// True where both sides replay the same recorded calls: then any ticket that is newly broken is a regression, and chance has no part in it.
    pub exact: bool,
    /// Every figure, in the order of the measurements. `enrolled` at the last pass is what verdicts rest on.
    pub figures: Vec<FigureComparison>,
    /// Tickets that got worse; `worse` names the first thousand.
    pub worse_count: u64,
    /// Tickets that got worse, worst first: by new errors, then by edits of what nobody mentioned, then by the other headline figures that have a
    /// better way. A ticket belongs here or there by the first of them that changed; what it cost decides nothing.
    pub worse: Vec<TicketChange>,
    pub better_count: u64,
    /// Tickets that got better, best first.
    pub better: Vec<TicketChange>,
}

/// What stands on one side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SideLine {
    #[serde(flatten)]
    pub origin: Origin,
    /// `arm`, `report`, `ledger` or `table`.
    pub kind: String,
    /// The path as it was given, for the commands that show a ticket.
    pub path: String,
    pub tickets: u64,
    pub errored: u64,
    pub without_revision: u64,
    /// Findings over all passes; null where the format has none.
    pub findings: Option<u64>,
    /// Revisions over all passes.
    pub revisions: u64,
}

/// The two specs, key by key.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Setup {
    /// False where a side does not carry its spec (a table of another tool): then nothing is known of what was held fixed.
    pub known: bool,
    /// Families in which nothing differs.
    pub held: Vec<Family>,
    pub changed: Vec<Change>,
    /// What a reader must know before believing a difference: several families moved, nothing moved, datasets differ.
    pub warnings: Vec<String>,
}

/// A group of things of a loop that one would change on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    Dataset,
    Model,
    Sampling,
    WriterPrompt,
    CriticPrompt,
    ReviserPrompt,
    /// Format of the critique, and what is passed on of it.
    Format,
    /// Fresh or conversation.
    Context,
    Strategy,
    Guards,
    /// Passes, calls, cost, and when the loop stops.
    Bounds,
    /// How it is measured: sections, anchoring.
    Measurement,
    Prices,
    Other,
}

/// One key that differs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    pub family: Family,
    /// Its path in loop.toml: `critic.prompt`.
    pub key: String,
    /// As written; null where the key is not there and has no default.
    pub baseline: Option<String>,
    pub candidate: Option<String>,
    /// Of texts of several words: the word diff.
    pub words: Vec<Word>,
}

/// A piece of a word diff.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Word {
    pub op: WordOp,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WordOp {
    Equal,
    Delete,
    Insert,
}

/// Which tickets are compared, and which are not. Lists name the first hundred; the counts are whole.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pairing {
    pub paired: u64,
    pub only_baseline: Listed,
    pub only_candidate: Listed,
    /// On both sides, but with a fault on one: not compared.
    pub faulted_baseline: Listed,
    pub faulted_candidate: Listed,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Listed {
    pub count: u64,
    pub tickets: Vec<String>,
}

/// One figure of both arms, over the paired tickets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FigureComparison {
    pub name: String,
    pub title: String,
    pub unit: String,
    /// `share`, `median`, `mean` or `ratio`.
    pub how: String,
    pub better: Option<Better>,
    pub headline: bool,
    /// Why there is no difference to tell, in words: the format of a side cannot show it, or no ticket has a value on both sides. Null where there is one.
    pub not_applicable: Option<String>,
    /// Every paired ticket, last state carried forward, at the last pass: what verdicts rest on. Null for a figure that is not carried.
    pub end: Option<Difference>,
    /// Tickets in which it rose by the end of the runs, and those in which it fell: the most first, a hundred by name.
    #[serde(default)]
    pub rose: Listed,
    #[serde(default)]
    pub fell: Listed,
    /// Pass by pass, tickets that both arms still run.
    pub at_risk: Vec<Difference>,
    /// Pass by pass, every paired ticket, last state carried forward.
    pub enrolled: Vec<Difference>,
}

/// In place of an interval's name: there is none, since every ticket moved by the same amount.
pub const NO_VARIATION: &str = "no_variation";

/// A figure in both arms, and the difference by ticket.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    pub pass: u32,
    /// Over the tickets that have a value on both sides.
    pub baseline: PassFigure,
    pub candidate: PassFigure,
    /// Tickets with a value on both sides. Of a ratio: with something to count below the line on both; its sums hold the others too.
    pub n: u64,
    /// Tickets with a value on one side alone: left out.
    pub one_sided: u64,
    pub value: Option<f64>,
    /// 95% interval of the difference.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// `tango`, `bootstrap` (at the end of the runs), `normal` (at every other pass, and at the end of more than 10,000 tickets), or `no_variation`: a
    /// mean or ratio that moved by the same amount in every ticket has no interval, and `low` and `high` are null. Null without an interval.
    pub interval: Option<String>,
    /// `mcnemar_mid_p`, `wilcoxon_pratt`, `sign_flip` (means at the end), `mean_z` (at other passes), `ratio_z`; null without a test.
    pub test: Option<String>,
    pub p: Option<P>,
    /// Shares only: tickets by who had the event.
    pub pairs: Option<Pairs>,
    /// Benjamini-Hochberg over all figures and passes of the view; for looking, never for a verdict.
    pub q: Option<f64>,
    pub reading: Reading,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct P {
    pub different: f64,
    pub greater: f64,
    pub less: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pairs {
    pub both: u64,
    pub only_candidate: u64,
    pub only_baseline: u64,
    pub neither: u64,
}

/// What a difference says: by its interval, or by itself where both sides replay the same calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// The interval lies on the bad side of 0, and the test agrees (p < 0.05).
    Worse,
    Better,
    /// The interval leaves 0 out, the test agrees, and neither way is better.
    Differs,
    /// The interval holds 0 or the test does not agree: not shown to differ, which is not shown to be equal.
    NotShown,
    /// No difference, and chance has no part in it: both sides replay the same calls.
    Same,
    /// There is no difference to tell.
    None,
}

/// One ticket that changed, with what changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TicketChange {
    pub ticket: String,
    /// Worst first: names of figures with the values of both sides at the end.
    pub changes: Vec<ValueChange>,
    /// Commands that show the ticket on either side; null where a side has no runs to show.
    pub show_baseline: Option<String>,
    pub show_candidate: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ValueChange {
    pub figure: String,
    pub title: String,
    pub baseline: Option<f64>,
    pub candidate: Option<f64>,
}

impl Comparison {
    /// Reads a compare.json.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Comparison, Error> {
        let comparison: Comparison =
            serde_json::from_slice(bytes).map_err(|e| Error::at_line(path, e.line(), format!("not a comparison: {e}")))?;
        match comparison.version {
            1 => Ok(comparison),
            other => Err(Error::at(path, format!("version {other} of the comparison format is not known; expected 1"))),
        }
    }

    /// The file's bytes.
    pub fn to_json(&self) -> String {
        jsonl::pretty(self)
    }

    /// True where some figure has a difference to tell.
    pub fn comparable(&self) -> bool {
        let told = |difference: &Difference| difference.value.is_some();
        self.figures.iter().any(|figure| figure.at_risk.iter().chain(&figure.enrolled).any(told))
    }
}

/// Compares two sides, ticket by ticket. The order of tickets and the number of threads change nothing.
pub fn compare(baseline: &Side, candidate: &Side, options: &Options) -> Comparison {
    let (pairs, pairing) = pairing::pair(&baseline.frame, &candidate.frame);
    let exact = same_calls(baseline, candidate);
    let mut figures = vec![];
    let mut ends = vec![];
    for plan in Plan::all() {
        let (figure, end) = figure(plan, &pairs, [baseline, candidate], exact, options);
        figures.push(figure);
        ends.push(end);
    }
    difference::adjust(&mut figures);
    let changes = tickets::changes(&pairs, &ends);
    let named = |changes: &[tickets::Change]| tickets::named(changes, &pairs, [baseline, candidate]);
    Comparison {
        version: 1,
        baseline: SideLine::of(baseline),
        candidate: SideLine::of(candidate),
        setup: setup::setup(baseline, candidate, exact),
        pairing,
        exact,
        worse_count: changes.worse.len() as u64,
        worse: named(&changes.worse),
        better_count: changes.better.len() as u64,
        better: named(&changes.better),
        figures,
    }
}

/// One figure in both views, and its values by ticket at the end.
fn figure(
    plan: &'static Plan,
    pairs: &Matched<'_>,
    sides: [&Side; 2],
    exact: bool,
    options: &Options,
) -> (FigureComparison, Option<values::Values>) {
    let known = plan.figure;
    let method =
        |view, full| Method { figure: known.name, view, exact, seed: options.seed, replicates: if full { options.replicates } else { 0 } };
    let at_risk = values::at_risk(plan, pairs).iter().map(|values| difference::of(plan, values, &method("at_risk", false))).collect();
    let mut carried = values::enrolled(plan, pairs);
    let last = carried.len().saturating_sub(1);
    let of = |(pass, values)| difference::of(plan, values, &method("enrolled", pass == last));
    let enrolled: Vec<Difference> = carried.iter().enumerate().map(of).collect();
    let mut out = FigureComparison {
        name: known.name.into(),
        title: known.title.into(),
        unit: known.unit.into(),
        how: known.how.name().into(),
        better: known.better,
        headline: known.headline,
        not_applicable: None,
        end: enrolled.last().cloned(),
        rose: Listed::default(),
        fell: Listed::default(),
        at_risk,
        enrolled,
    };
    if let Some(end) = carried.last() {
        (out.rose, out.fell) = tickets::moved(pairs, end);
    }
    if out.at_risk.iter().chain(&out.enrolled).all(|difference| difference.n == 0) {
        out.not_applicable = Some(absent::why(plan, pairs, sides));
        (out.end, out.at_risk, out.enrolled) = (None, vec![], vec![]);
        (out.rose, out.fell) = (Listed::default(), Listed::default());
    }
    (out, carried.pop())
}

/// True where both sides replay the same recorded calls.
fn same_calls(baseline: &Side, candidate: &Side) -> bool {
    let [from, to] = [baseline, candidate].map(|side| side.summary.origin.recording_digest.as_str());
    !from.is_empty() && from == to
}

impl SideLine {
    fn of(side: &Side) -> SideLine {
        let ArmSummary { origin, tickets, errored, without_revision, .. } = &side.summary;
        SideLine {
            origin: origin.clone(),
            kind: side.kind.name().into(),
            path: side.path.to_string_lossy().into_owned(),
            tickets: *tickets,
            errored: *errored,
            without_revision: *without_revision,
            findings: side.frame.total("emitted"),
            revisions: side.frame.total("revised").unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests;
