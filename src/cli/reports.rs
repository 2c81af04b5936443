//! Reports beside what a verb writes: which forms, which runs are shown whole, and what they are made of.

use std::collections::BTreeSet;

use super::output::{COMPARE, GATE, Output};
use super::say;
use crate::compare::{self, Comparison, TicketTable};
use crate::error::Error;
use crate::gate::Gate;
use crate::metric::Better;
use crate::passes::{self, Study};
use crate::report::{self, ArmDetails, Files, Renderer, Report, WHOLE_MAX, draft, number, regressed};
use crate::side::{Keep, Side};
use crate::summary::Summary;

/// `--report` and what goes with it, as every verb that has it takes it.
#[derive(clap::Args, Debug, Clone, Default)]
pub struct Forms {
    /// Also write these reports into --out, parted by commas (redraft report --list explains them)
    #[arg(long = "report", value_name = "LIST", value_delimiter = ',', requires = "out", value_parser = known())]
    names: Vec<String>,
    #[command(flatten)]
    choice: Choice,
}

/// What of a report is a matter of taste.
#[derive(clap::Args, Debug, Clone, Default)]
pub struct Choice {
    /// Whose runs a report shows whole, where its form shows runs
    #[arg(long = "tickets", value_enum, default_value = "notable", value_name = "WHICH")]
    pub which: Which,
    /// The report's name, by which a bot finds its comment again
    #[arg(long = "report-name", default_value = "report", value_name = "NAME")]
    pub name: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Which {
    /// Every ticket; of more than 2,000 the notable ones and the first others
    All,
    /// Errored, worse, better; of one arm alone those with something gone wrong
    #[default]
    Notable,
    None,
}

pub fn known() -> clap::builder::PossibleValuesParser {
    report::ALL.iter().map(|form| form.name()).collect::<Vec<_>>().into()
}

/// Every form with what it is, for people.
pub fn list() -> String {
    report::ALL.iter().map(|form| format!("  {:<12} {}\n", form.name(), form.about())).collect()
}

/// What reports are made of.
pub struct Material<'a> {
    pub summary: &'a Summary,
    pub comparison: Option<&'a Comparison>,
    pub gate: Option<&'a Gate>,
    /// In the order of the summary; none where no form that was asked for shows runs.
    pub sides: &'a [Side],
}

impl Forms {
    pub fn of(form: &str) -> Forms {
        Forms { names: vec![form.to_owned()], choice: Choice { name: "report".to_owned(), ..Choice::default() } }
    }

    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// What must be kept of a side for them. Only reports look at single tickets; the summary of a large set does not hold them.
    pub fn keep(&self) -> Keep {
        match chosen(&self.names).iter().any(|form| form.shows_runs()) {
            true if self.choice.which != Which::None => Keep::Runs,
            _ if self.is_empty() => Keep::Nothing,
            _ => Keep::Frame,
        }
    }
}

/// Writes every form that was asked for, of one or more arms, or of the two that are compared.
pub fn write(forms: &Forms, out: &Output, sides: &[Side], comparison: Option<&Comparison>, gate: Option<&Gate>) -> Result<(), Error> {
    if forms.is_empty() {
        return Ok(());
    }
    let summary = Summary::new(sides.iter().map(|side| side.summary.clone()).collect());
    let material = Material { summary: &summary, comparison, gate, sides };
    let files = render(&chosen(&forms.names), &forms.choice, &material)?;
    files.into_iter().try_for_each(|(name, bytes)| out.write(&name, &bytes))
}

/// What compare and gate write: the comparison, the verdict where there is one, the forms that were asked for, summary and charts.
pub fn write_compared(
    forms: &Forms,
    out: &Output,
    sides: [Side; 2],
    comparison: &Comparison,
    gate: Option<&Gate>,
    all: bool,
) -> Result<(), Error> {
    out.write(COMPARE, comparison.to_json().as_bytes())?;
    if let Some(gate) = gate {
        out.write(GATE, gate.to_json().as_bytes())?;
    }
    write(forms, out, &sides, Some(comparison), gate)?;
    out.figures(&Summary::new(sides.map(|side| side.summary).into()), all, false)
}

pub fn chosen(names: &[String]) -> Vec<&'static dyn Renderer> {
    names.iter().filter_map(|name| report::find(name)).collect()
}

/// The files of each form, in the order in which forms were named, and then the drafts that they point to.
pub fn render(forms: &[&dyn Renderer], choice: &Choice, material: &Material<'_>) -> Result<Files, Error> {
    let Material { summary, comparison, gate, .. } = *material;
    let mut tickets = TicketTable::default();
    let mut details = vec![];
    let mut study = None;
    if forms.iter().any(|form| form.shows_runs()) {
        tickets = compare::table(&material.sides.iter().collect::<Vec<_>>(), comparison);
        let bare = Report { name: &choice.name, summary, comparison, gate, study: None, tickets: &tickets, details: &[], drafts: &[] };
        let wanted = match choice.which {
            Which::All => whole(&bare),
            Which::Notable => notable(&bare),
            Which::None => vec![],
        };
        if choice.which == Which::All && wanted.len() < tickets.rows.len() {
            let (shown, of) = (number::grouped(wanted.len() as u64), number::grouped(tickets.rows.len() as u64));
            say(&format!("{shown} of {of} tickets are shown whole, notable ones first; fewer tickets (--filter) show others"));
        }
        for side in material.sides {
            let runs = side.details(&wanted)?;
            details.push(ArmDetails { arm: side.summary.origin.arm.clone(), runs, of: side.summary.runs });
        }
        study = Some(passes::study(material.sides, None, &passes::Options::default())).filter(Study::judged);
    }
    let points_to_drafts = forms.iter().any(|form| form.points_to_drafts());
    let drafts = if points_to_drafts { draft::arms(&details) } else { vec![] };
    let report = Report {
        name: &choice.name,
        summary,
        comparison,
        gate,
        study: study.as_ref(),
        tickets: &tickets,
        details: &details,
        drafts: &drafts,
    };
    let files = forms.iter().flat_map(|form| form.render(&report));
    Ok(files.chain(draft::files(&drafts)).collect())
}

/// A page that people read to its end holds about so many runs of each kind.
const WORSE_MAX: usize = 50;
const OTHERS_MAX: usize = 25;

/// All tickets, or as many as are shown whole: the notable ones, and then others from the top of the table.
fn whole(report: &Report<'_>) -> Vec<String> {
    let rows = &report.tickets.rows;
    let first: BTreeSet<String> = if rows.len() > WHOLE_MAX { notable(report).into_iter().collect() } else { BTreeSet::new() };
    let mut room = WHOLE_MAX.saturating_sub(first.len());
    let mut is_shown = |ticket: &String| {
        let fits = !first.contains(ticket) && room > 0;
        room -= usize::from(fits);
        fits || first.contains(ticket)
    };
    rows.iter().map(|row| &row.ticket).filter(|ticket| is_shown(ticket)).cloned().collect()
}

/// In the order of the table, each once.
fn notable(report: &Report<'_>) -> Vec<String> {
    let rows = &report.tickets.rows;
    let mut chosen: BTreeSet<&str> = BTreeSet::new();
    let errored = rows.iter().filter(|row| row.sides.iter().flatten().any(|side| side.fault.is_some()));
    chosen.extend(errored.take(OTHERS_MAX).map(|row| row.ticket.as_str()));
    match report.comparison {
        Some(comparison) => {
            chosen.extend(regressed::tickets(report).iter().take(WORSE_MAX).map(|one| one.ticket));
            chosen.extend(comparison.worse.iter().take(WORSE_MAX).map(|change| change.ticket.as_str()));
            chosen.extend(comparison.better.iter().take(OTHERS_MAX).map(|change| change.ticket.as_str()));
        }
        None => {
            let bad = bad_events(report);
            // Sorting is stable, so equals stay in the order of the dataset.
            let mut ranked: Vec<(usize, &str)> = rows
                .iter()
                .map(|row| {
                    (
                        row.sides.iter().flatten().map(|side| bad.iter().filter(|at| happened(side.values.get(**at))).count()).sum(),
                        &*row.ticket,
                    )
                })
                .collect();
            ranked.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
            chosen.extend(ranked.iter().filter(|(count, _)| *count > 0).take(WORSE_MAX).map(|(_, ticket)| ticket));
        }
    }
    rows.iter().filter(|row| chosen.contains(row.ticket.as_str())).map(|row| row.ticket.clone()).collect()
}

/// Places of those figures of the table that say that something went wrong in a ticket.
fn bad_events(report: &Report<'_>) -> Vec<usize> {
    let is_bad = |name: &str| {
        let mut known = report.summary.arms.iter().flat_map(|arm| &arm.figures).filter(|figure| figure.name == name);
        known.next().is_some_and(|figure| figure.better == Some(Better::Lower) && figure.how == "share")
    };
    report.tickets.figures.iter().enumerate().filter(|(_, (name, ..))| is_bad(name)).map(|(at, _)| at).collect()
}

fn happened(value: Option<&Option<f64>>) -> bool {
    value.copied().flatten().is_some_and(|x| x > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{TicketRow, TicketSide};

    #[test]
    fn so_many_tickets_are_shown_whole_and_no_more() {
        let rows = |n: usize| -> Vec<TicketRow> {
            let side = |fault: bool| TicketSide { stop: String::new(), fault: fault.then(String::new), passes: 0, values: vec![] };
            // The last is notable.
            (0..n).map(|at| TicketRow { ticket: format!("t{at}"), sides: vec![Some(side(at + 1 == n))], change: None }).collect()
        };
        let summary = Summary::new(vec![]);
        for (n, shown, last) in
            [(0, 0, None), (3, 3, Some("t2")), (WHOLE_MAX, WHOLE_MAX, Some("t1999")), (30_000, WHOLE_MAX, Some("t29999"))]
        {
            let tickets = TicketTable { figures: vec![], rows: rows(n) };
            let report = Report {
                name: "",
                summary: &summary,
                comparison: None,
                gate: None,
                study: None,
                tickets: &tickets,
                details: &[],
                drafts: &[],
            };
            let whole = whole(&report);
            assert_eq!((whole.len(), whole.last().map(String::as_str)), (shown, last));
        }
    }
}
