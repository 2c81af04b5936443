//! Tickets by name: those that got worse or better, and the table of all of them.

use std::cmp::Ordering;

use super::pairing::Matched;
use super::values::Values;
use super::{Comparison, Listed, Reading, TicketChange, ValueChange};
use crate::metric::{Better, Figure, How};
use crate::side::{Kind, Side};
use crate::summary::{Frame, Plan};

/// Lists name so many tickets; the counts beside them are whole.
const NAMED_MAX: usize = 1000;

/// One ticket that changed.
pub(super) struct Change {
    pair: usize,
    /// Place in the order in which figures count, by how much it got worse (better: negative), and what changed.
    figures: Vec<(usize, f64, ValueChange)>,
}

impl Change {
    /// The worst first. Sorting is stable and pairs come in order of ids, so equals stay in that.
    fn order(&self, other: &Change) -> Ordering {
        let (mut mine, mut theirs) = (self.figures.iter().peekable(), other.figures.iter().peekable());
        loop {
            let next = [&mut mine, &mut theirs].map(|figures| figures.peek().map(|(place, worse, _)| (*place, *worse)));
            let [a, b] = match next {
                [None, None] => return Ordering::Equal,
                [Some((place, worse)), None] => [Some((place, worse)), Some((place, 0.0))],
                [None, Some((place, worse))] => [Some((place, 0.0)), Some((place, worse))],
                [Some((x, worse)), Some((y, _))] if x < y => [Some((x, worse)), Some((x, 0.0))],
                [Some((x, _)), Some((y, worse))] if y < x => [Some((y, 0.0)), Some((y, worse))],
                both => both,
            };
            let (Some((place, a)), Some((_, b))) = (a, b) else { return Ordering::Equal };
            match b.total_cmp(&a) {
                Ordering::Equal => {}
                other => return other,
            }
            mine.next_if(|(at, ..)| *at == place);
            theirs.next_if(|(at, ..)| *at == place);
        }
    }
}

pub(super) struct Changes {
    pub worse: Vec<Change>,
    pub better: Vec<Change>,
}

/// Place of a figure in the order in which figures count: new errors, edits of what nobody mentioned, other headline figures, other shares, cost.
fn rank(figure: &Figure) -> usize {
    match figure.name {
        "run_new_error" => 0,
        "new_error" => 1,
        name if name.starts_with("untouched_section_edit") => 2,
        _ if ["calls", "USD", "tokens"].contains(&figure.unit) => 5,
        _ if figure.headline => 3,
        _ => 4,
    }
}

/// Up to this rank a figure makes a ticket worse or better. A ticket that only cost more, or came to the same end another way, is neither.
const DECIDES: usize = 3;

/// Figures that have a better way, by ticket, in the order in which they count.
fn order() -> Vec<(usize, &'static Figure)> {
    let tells = |figure: &Figure| figure.better.is_some() && (figure.headline || matches!(figure.how, How::Share(_)));
    let mut figures: Vec<(usize, &'static Figure)> = Plan::all()
        .iter()
        .enumerate()
        .filter(|(_, plan)| plan.carried() && tells(plan.figure))
        .map(|(at, plan)| (at, plan.figure))
        .collect();
    figures.sort_by_key(|(at, figure)| (rank(figure), *at));
    figures
}

/// `ends` holds the values at the end, one a figure of [`Plan::all`].
pub(super) fn changes(pairs: &Matched<'_>, ends: &[Option<Values>]) -> Changes {
    let mut found: Vec<Change> = (0..pairs.tickets.len()).map(|pair| Change { pair, figures: vec![] }).collect();
    let order = order();
    let deciding = order.iter().take_while(|(_, figure)| rank(figure) <= DECIDES).count();
    for (place, (at, figure)) in order.into_iter().enumerate() {
        let Some(values) = ends.get(at).and_then(Option::as_ref) else { continue };
        for ((pair, from), to) in values.tickets.iter().zip(&values.baseline).zip(&values.candidate) {
            let (Some(from), Some(to)) = (quotient(*from), quotient(*to)) else { continue };
            let worse = if figure.better == Some(Better::Higher) { from - to } else { to - from };
            if worse != 0.0 {
                let change =
                    ValueChange { figure: figure.name.into(), title: figure.title.into(), baseline: Some(from), candidate: Some(to) };
                found[*pair].figures.push((place, worse, change));
            }
        }
    }
    let first = |change: &Change| change.figures.first().filter(|(place, ..)| *place < deciding).map_or(0.0, |(_, worse, _)| *worse);
    let (mut worse, mut better) = (vec![], vec![]);
    for change in found {
        match first(&change) {
            x if x > 0.0 => worse.push(change),
            x if x < 0.0 => better.push(change),
            _ => {}
        }
    }
    worse.sort_by(Change::order);
    better.sort_by(|x, y| y.order(x));
    Changes { worse, better }
}

/// Tickets whose value of one figure rose, and those in which it fell, the most first. Sorting is stable, so equals stay in order of their ids.
pub(super) fn moved(pairs: &Matched<'_>, end: &Values) -> (Listed, Listed) {
    let mut changed: Vec<(usize, f64)> = vec![];
    for ((pair, from), to) in end.tickets.iter().zip(&end.baseline).zip(&end.candidate) {
        if let (Some(from), Some(to)) = (quotient(*from), quotient(*to)) {
            changed.push((*pair, to - from));
        }
    }
    changed.sort_by(|(_, x), (_, y)| y.abs().total_cmp(&x.abs()));
    let (mut rose, mut fell) = (Listed::default(), Listed::default());
    for (pair, by) in changed {
        match by {
            x if x > 0.0 => rose.add(pairs.id(pair)),
            x if x < 0.0 => fell.add(pairs.id(pair)),
            _ => {}
        }
    }
    (rose, fell)
}

fn quotient((over, under): (f64, f64)) -> Option<f64> {
    (under != 0.0).then(|| over / under)
}

/// The first of them by name, with the commands that show them.
pub(super) fn named(changes: &[Change], pairs: &Matched<'_>, [baseline, candidate]: [&Side; 2]) -> Vec<TicketChange> {
    let one = |change: &Change| {
        let ticket = pairs.id(change.pair);
        TicketChange {
            ticket: ticket.to_owned(),
            changes: change.figures.iter().map(|(_, _, change)| change.clone()).collect(),
            show_baseline: show(baseline, ticket),
            show_candidate: show(candidate, ticket),
        }
    };
    changes.iter().take(NAMED_MAX).map(one).collect()
}

/// The command that shows a ticket of a side.
fn show(side: &Side, ticket: &str) -> Option<String> {
    if side.kind != Kind::Arm {
        return None;
    }
    let path = side.path.to_str()?;
    let dashes = if path.starts_with('-') || ticket.starts_with('-') { "-- " } else { "" };
    Some(format!("redraft show {dashes}{} {}", quoted(path), quoted(ticket)))
}

/// A word of a shell's command line, whatever is in it. What a terminal would obey is written as an escape.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    if !word.chars().any(crate::text::control::is_unsafe) {
        return format!("'{}'", word.replace('\'', r"'\''"));
    }
    let mut out = String::from("$'");
    for c in word.chars() {
        match c {
            '\'' | '\\' => out.extend(['\\', c]),
            _ if crate::text::control::is_unsafe(c) => {
                let mut bytes = [0; 4];
                // Octal ends after three digits, whatever follows.
                c.encode_utf8(&mut bytes).bytes().for_each(|byte| out.push_str(&format!("\\{byte:03o}")));
            }
            _ => out.push(c),
        }
    }
    out + "'"
}

/// Every ticket as one line: the headline figures at the end of the run, on each side. For tables that people sort and filter.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TicketTable {
    /// Name, title and unit of each value.
    pub figures: Vec<(String, String, String)>,
    /// In dataset order of the baseline, then what only the candidate has.
    pub rows: Vec<TicketRow>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct TicketRow {
    pub ticket: String,
    /// One a side; one alone where a single arm is shown. None where the side lacks the ticket.
    pub sides: Vec<Option<TicketSide>>,
    /// Among those that got worse or better.
    pub change: Option<Reading>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct TicketSide {
    pub stop: String,
    pub fault: Option<String>,
    /// The last pass.
    pub passes: u32,
    /// One a figure of the table.
    pub values: Vec<Option<f64>>,
}

/// Every ticket of one side, or of two that are compared (baseline first): the headline figures at the end of its runs.
pub fn table(sides: &[&Side], comparison: Option<&Comparison>) -> TicketTable {
    let plans: Vec<&'static Plan> = Plan::all().iter().filter(|plan| plan.figure.headline && plan.carried()).collect();
    let mut rows: Vec<TicketRow> = vec![];
    let mut places = std::collections::HashMap::new();
    for (at, side) in sides.iter().enumerate() {
        for ticket in 0..side.frame.len() {
            let id = side.frame.ticket(ticket);
            let row = *places.entry(id.to_owned()).or_insert_with(|| {
                rows.push(TicketRow { ticket: id.to_owned(), sides: vec![None; sides.len()], change: None });
                rows.len() - 1
            });
            rows[row].sides[at] = Some(line(&side.frame, ticket, &plans));
        }
    }
    if let Some(comparison) = comparison {
        for (changes, reading) in [(&comparison.worse, Reading::Worse), (&comparison.better, Reading::Better)] {
            for row in changes.iter().filter_map(|change| places.get(&change.ticket)) {
                rows[*row].change = Some(reading);
            }
        }
    }
    let figures = plans.iter().map(|plan| (plan.figure.name.into(), plan.figure.title.into(), plan.figure.unit.into())).collect();
    TicketTable { figures, rows }
}

fn line(frame: &Frame, ticket: usize, plans: &[&'static Plan]) -> TicketSide {
    let last = frame.last_pass(ticket);
    let value = |plan: &&'static Plan| {
        let (mut sum, mut count) = ((0.0, 0.0), 0.0);
        frame.enrolled(plan, ticket, last + 1, |pass, over, under| {
            if let Some((over, under)) = plan.fraction(over, under).filter(|_| pass == last) {
                sum = (sum.0 + over, sum.1 + under);
                count += 1.0;
            }
        });
        if matches!(plan.figure.how, How::Ratio(..)) { quotient(sum) } else { quotient((sum.0, count)) }
    };
    let fault = frame.fault(ticket);
    TicketSide {
        stop: frame.stop(ticket).name().into(),
        fault: fault.map(|fault| fault.name().into()),
        passes: last,
        values: if fault.is_some() { vec![None; plans.len()] } else { plans.iter().map(value).collect() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_a_shell_stays_one_word() {
        for (word, want) in [
            ("pay-0001", "pay-0001"),
            ("", "''"),
            ("a b", "'a b'"),
            ("it's; rm -rf /", r"'it'\''s; rm -rf /'"),
            ("$(x)`y`", "'$(x)`y`'"),
            ("-n", "-n"),
            ("é", "'é'"),
            ("a\n\u{1b}[2J'7", r"$'a\012\033[2J\'7'"),
            ("\u{202e}x\\", r"$'\342\200\256x\\'"),
        ] {
            assert_eq!(quoted(word), want);
        }
    }

    #[test]
    fn new_errors_count_first_and_cost_last() {
        let names: Vec<&str> = order().into_iter().map(|(_, figure)| figure.name).collect();
        assert_eq!(names[..2], ["run_new_error", "new_error"]);
        assert!(names[2].starts_with("untouched_section_edit"));
        assert_eq!(names[names.len() - 2..], ["calls", "cost_usd"]);
    }
}
