//! Reports beside what a verb writes: which forms, which runs are shown whole, and what they are made of.

use std::collections::BTreeSet;

use super::output::{COMPARE, GATE, Output};
use crate::compare::{self, Comparison, TicketTable};
use crate::error::Error;
use crate::gate::Gate;
use crate::metric::Better;
use crate::report::{self, ArmDetails, Files, Renderer, Report, regressed};
use crate::side::Side;
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
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
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
    files.into_iter().flatten().try_for_each(|(name, bytes)| out.write(&name, &bytes))
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

/// The files of each form, in the order in which forms were named.
pub fn render(forms: &[&dyn Renderer], choice: &Choice, material: &Material<'_>) -> Result<Vec<Files>, Error> {
    let Material { summary, comparison, gate, .. } = *material;
    let mut tickets = TicketTable::default();
    let mut details = vec![];
    if forms.iter().any(|form| form.shows_runs()) {
        tickets = compare::table(&material.sides.iter().collect::<Vec<_>>(), comparison);
        let bare = Report { name: &choice.name, summary, comparison, gate, tickets: &tickets, details: &[] };
        let wanted = match choice.which {
            Which::All => tickets.rows.iter().map(|row| row.ticket.clone()).collect(),
            Which::Notable => notable(&bare),
            Which::None => vec![],
        };
        for side in material.sides {
            let runs = side.details(&wanted)?;
            details.push(ArmDetails { arm: side.summary.origin.arm.clone(), runs, of: side.summary.runs });
        }
    }
    let report = Report { name: &choice.name, summary, comparison, gate, tickets: &tickets, details: &details };
    Ok(forms.iter().map(|form| form.render(&report)).collect())
}

/// A page that people read to its end holds about so many runs of each kind.
const WORSE_MAX: usize = 50;
const OTHERS_MAX: usize = 25;

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
