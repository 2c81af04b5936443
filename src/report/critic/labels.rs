//! What labels say of critics, in words.

use super::super::block::Block;
use super::super::number::{self, grouped, percent};
use super::{left, right};
use crate::critic::Critic;
use crate::critic::labelled::{Labelled, Measure, SeverityRow};

/// Two tables a rater: severities, and what the critic is worth.
pub fn blocks(critic: &Critic) -> Vec<Block> {
    let mut out: Vec<Block> = critic.labelled.iter().flat_map(|of| [severities(of), worth(of)]).collect();
    if !critic.stale_labels.is_empty() {
        let lead = format!("{} labels are of something else by now, and are not used.", grouped(critic.stale_labels.len() as u64));
        out.push(Block { title: "Stale labels".into(), lead: vec![lead], notes: critic.stale_labels.clone(), ..Block::default() });
    }
    out
}

/// Who is speaking, where it is not a person.
fn who(of: &Labelled) -> Vec<String> {
    let what = match of.rater.split(':').next().unwrap_or_default() {
        "human" => "By people.",
        "planted" => "By whoever put the defects there.",
        "judge" => "By a language model whose calls are recorded: one more opinion, no measurement.",
        _ => "By a language model that read what was recorded: an example, no evidence.",
    };
    vec![what.to_owned()]
}

fn bounds(low: Option<f64>, high: Option<f64>) -> String {
    let bound = |x: f64| number::decimal(100.0 * x, 0);
    low.zip(high).map_or(String::new(), |(low, high)| format!(" [{}-{}]", bound(low), bound(high)))
}

fn severities(of: &Labelled) -> Block {
    let row = |row: &SeverityRow| {
        let name = if row.severity.is_empty() { "(none)".to_owned() } else { row.severity.clone() };
        let share = match row.rate.value {
            Some(_) => {
                let SeverityRow { rate, .. } = row;
                format!("{}/{} {}{}", grouped(rate.num), grouped(rate.den), percent(rate.num, rate.den), bounds(rate.low, rate.high))
            }
            None => number::ABSENT.to_owned(),
        };
        let by_ticket = match (row.low_by_ticket, row.high_by_ticket) {
            (None, _) | (_, None) => number::ABSENT.to_owned(),
            (low, high) => bounds(low, high).trim_start().to_owned(),
        };
        let mut cells = vec![name, share, by_ticket];
        cells.extend([row.tickets, row.unsure, row.disputed, row.findings].map(grouped));
        cells
    };
    let mut notes = vec![
        "spurious: of those labelled real or spurious [Wilson 95%, which takes findings for independent]; by ticket: the same interval by bootstrap over tickets, \
         where there are two and not all is alike; unsure and disputed findings are in neither part."
            .to_owned(),
    ];
    notes.extend(of.order.as_ref().map(|order| {
        let points = |x: f64| number::decimal(100.0 * x, 1);
        let interval = order.low.zip(order.high).map_or(String::new(), |(low, high)| format!(" [{} to {}]", points(low), points(high)));
        let how = order.interval.as_ref().map_or(String::new(), |name| format!(", {name}"));
        let shares = [&order.worst_real, &order.lesser_real].map(|m| m.value.map_or(number::ABSENT.to_owned(), number::share));
        format!(
            "severity as an order: {}. Real: {} {}, lesser {}; difference {} pp{interval}{how}.",
            order.reading,
            order.worst,
            shares[0],
            shares[1],
            points(order.difference)
        )
    }));
    Block {
        title: format!("{}: spurious findings by severity, by {}", of.arm, of.rater),
        lead: who(of),
        columns: vec![left("severity")]
            .into_iter()
            .chain(["spurious", "by ticket", "tickets", "unsure", "disputed", "findings in the arm"].map(right))
            .collect(),
        rows: of.severities.iter().map(row).collect(),
        notes,
    }
}

fn worth(of: &Labelled) -> Block {
    let row = |name: &str, counted: bool, measure: &Measure| {
        let value = number::optional(measure.value, number::share);
        let parts = if counted { format!("{}/{}", grouped(measure.num), grouped(measure.den)) } else { String::new() };
        let interval = measure.interval.clone().unwrap_or_default();
        vec![name.to_owned(), parts, value + &bounds(measure.low, measure.high), interval]
    };
    let mut notes = vec![];
    if !of.unlabelled.is_empty() {
        notes.push(format!(
            "no finding of these severities was labelled real or spurious, so nothing is said of all: {}",
            of.unlabelled.join(", ")
        ));
    }
    let weighted = |m: &Measure| m.value.is_some_and(|value| m.den > 0 && (value - m.num as f64 / m.den as f64).abs() > 1e-9);
    if weighted(&of.spurious) {
        notes.push("severities were labelled in another proportion than they occur: each counts here by how many findings have it, so a share is not its two numbers' quotient.".to_owned());
    }
    Block {
        title: format!("{}: what the critic is worth, by {}", of.arm, of.rater),
        lead: vec![],
        columns: vec![left("figure"), right("of"), right("share [95%]"), left("interval")],
        rows: vec![
            row("findings that are spurious", true, &of.spurious),
            row("precision: findings that are real", true, &of.precision),
            row("recall: labelled defects caught", true, &of.recall),
            row("F1", false, &of.f1),
            row("false alarms: correct drafts found fault with", true, &of.false_alarms),
            row("false approvals: incorrect drafts approved", true, &of.false_approvals),
        ],
        notes,
    }
}
