//! How often runs, revisions, critiques and approvals went one way, of those that could: each a column of the table.

use std::collections::BTreeMap;

use super::judge::TICKETS_MIN;
use super::{Cycle, Options, Outcome};
use crate::metric::{Better, Cell};
use crate::stats::draw::Stream;
use crate::stats::{CONFIDENCE, resample, wilson};
use crate::summary::{Columns, Frame};

/// How a run's rows make its counts.
#[derive(Clone, Copy)]
enum Of {
    /// Every row that has the flag.
    Rows(&'static str),
    /// The last row that has it: the run's state at its end.
    Last(&'static str),
    /// Once a run: whether any row has it set.
    Any(&'static str),
    /// A count over another.
    Counts(&'static str, &'static str),
}

use Better::{Higher, Lower};
use Of::{Any, Counts, Last, Rows};

const ALL: [(&str, &str, &str, Of, Option<Better>); 20] = [
    ("run_to_correct", "Made correct from first to last draft, of all", "run", Last("run_to_correct"), Some(Higher)),
    ("run_incorrect_to_correct", "the same, of those that began incorrect", "run", Last("run_incorrect_to_correct"), Some(Higher)),
    ("run_to_incorrect", "Made incorrect from first to last draft, of all", "run", Last("run_to_incorrect"), Some(Lower)),
    ("run_correct_to_incorrect", "the same, of those that began correct", "run", Last("run_correct_to_incorrect"), Some(Lower)),
    ("to_correct", "Revisions that made a draft correct, of all", "revision", Rows("to_correct"), Some(Higher)),
    ("incorrect_to_correct", "the same, of those of an incorrect draft", "revision", Rows("incorrect_to_correct"), Some(Higher)),
    ("to_incorrect", "Revisions that made a draft incorrect, of all", "revision", Rows("to_incorrect"), Some(Lower)),
    ("correct_to_incorrect", "the same, of those of a correct draft", "revision", Rows("correct_to_incorrect"), Some(Lower)),
    ("fixes_leaked", "Mended checks that a later revision broke again", "check", Counts("fixes_leaked", "fixes_standing"), Some(Lower)),
    ("false_approval", "Approvals of a draft that fails a check", "approval", Rows("false_approval"), Some(Lower)),
    ("approved_incorrect", "Incorrect drafts read that were approved", "critique", Rows("approved_incorrect"), Some(Lower)),
    ("approved_non_draft", "Approvals of what is no draft", "approval", Rows("approved_non_draft"), Some(Lower)),
    ("revisited", "Runs that went back to an earlier draft", "run", Any("revisited"), Some(Lower)),
    (
        "critique_repeated_changed",
        "Critiques that repeat the last one though the draft changed",
        "critique",
        Rows("critique_repeated_changed"),
        Some(Lower),
    ),
    (
        "critique_repeated_unchanged",
        "Critiques that repeat the last one, of an unchanged draft",
        "critique",
        Rows("critique_repeated_unchanged"),
        None,
    ),
    ("ends_in_non_draft", "Runs whose last draft is none", "run", Last("non_draft"), Some(Lower)),
    ("non_draft", "Drafts that are none", "draft", Rows("non_draft"), Some(Lower)),
    ("empty", "of these, empty", "draft", Rows("empty"), Some(Lower)),
    ("truncated", "of these, cut by the token limit", "draft", Rows("truncated"), Some(Lower)),
    ("role_collapse", "of these, a critique, feedback or an apology", "draft", Rows("role_collapse"), Some(Lower)),
];

/// In the order above; tickets with a fault are left out.
pub(super) fn outcomes(frame: &Frame, options: &Options) -> Vec<Outcome> {
    let mut places: Vec<usize> = (0..frame.len()).filter(|ticket| frame.fault(*ticket).is_none()).collect();
    places.sort_by(|x, y| frame.ticket(*x).cmp(frame.ticket(*y)));
    let outcome = |(name, title, per, of, better): (&str, &str, &str, Of, Option<Better>)| {
        let columns = frame.columns(&match of {
            Rows(column) | Last(column) | Any(column) => [column, column],
            Counts(over, under) => [over, under],
        });
        let counts: Vec<(u64, u64)> =
            places.iter().map(|ticket| counted(frame, &columns, *ticket, of)).filter(|(_, den)| *den > 0).collect();
        let (num, den) = counts.iter().fold((0, 0), |(num, den), (n, d)| (num + n, den + d));
        let interval = interval(&counts, Stream::new(options.seed, &format!("passes|outcome|{name}|ratio")), options.replicates);
        Outcome {
            name: name.to_owned(),
            title: title.to_owned(),
            per: per.to_owned(),
            num,
            den,
            tickets: counts.len() as u64,
            value: (den > 0).then(|| num as f64 / den as f64),
            low: interval.map(|(low, _)| low),
            high: interval.map(|(_, high)| high),
            better,
        }
    };
    ALL.map(outcome).into()
}

/// How often, of how often it could, over the runs of a ticket.
fn counted(frame: &Frame, columns: &Columns<'_>, ticket: usize, of: Of) -> (u64, u64) {
    let mut runs = vec![(0u64, 0u64); frame.samples(ticket)];
    frame.cells(columns, ticket, |run, _, cells| {
        let at = &mut runs[run];
        match (of, cells) {
            (Rows(_), [Cell::Flag(flag), ..]) => *at = (at.0 + u64::from(*flag), at.1 + 1),
            (Last(_), [Cell::Flag(flag), ..]) => *at = (u64::from(*flag), 1),
            (Any(_), [Cell::Flag(flag), ..]) => *at = (at.0.max(u64::from(*flag)), 1),
            (Counts(..), [Cell::Int(over), Cell::Int(under)]) => {
                let count = |n: i64| u64::try_from(n).unwrap_or(0);
                *at = (at.0.saturating_add(count(*over)), at.1.saturating_add(count(*under)));
            }
            _ => {}
        }
    });
    runs.iter().fold((0, 0), |(num, den), (n, d)| (num.saturating_add(*n), den.saturating_add(*d)))
}

/// Wilson where each ticket counts once. Else tickets are drawn, since what happens within one is not independent; but of none and of all, what
/// is drawn is always the same, so there each ticket is taken for one.
fn interval(counts: &[(u64, u64)], stream: Stream, replicates: u32) -> Option<(f64, f64)> {
    let n = counts.len() as u64;
    let num: u64 = counts.iter().map(|(num, _)| num).sum();
    let full = counts.iter().all(|(num, den)| num == den);
    let found = if counts.iter().all(|(_, den)| *den == 1) {
        wilson(num, n, CONFIDENCE)
    } else if num == 0 || full {
        wilson(if full { n } else { 0 }, n, CONFIDENCE)
    } else if counts.len() < TICKETS_MIN {
        None
    } else {
        let fractions: Vec<resample::Fraction> = counts.iter().map(|(num, den)| (*num as f64, *den as f64)).collect();
        resample::ratio(&fractions, stream, replicates).interval(CONFIDENCE)
    };
    found.map(|interval| (interval.low, interval.high))
}

/// How far drafts went back, and how many each.
pub(super) fn cycles(frame: &Frame) -> Vec<Cycle> {
    let mut lengths: BTreeMap<u32, u64> = BTreeMap::new();
    let column = frame.columns(&["cycle_length"]);
    for ticket in (0..frame.len()).filter(|ticket| frame.fault(*ticket).is_none()) {
        frame.cells(&column, ticket, |_, _, cells| {
            if let [Cell::Int(length)] = cells
                && let Ok(length) = u32::try_from(*length)
            {
                *lengths.entry(length).or_default() += 1;
            }
        });
    }
    lengths.into_iter().map(|(length, drafts)| Cycle { length, drafts }).collect()
}
