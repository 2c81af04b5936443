//! `redraft compare BASELINE CANDIDATE`: two arms side by side, ticket by ticket.

use std::ffi::OsString;
use std::path::PathBuf;

use super::output::Output;
use super::paint::Paint;
use super::reports::{self, Forms};
use super::sides::{self, Format, Sides};
use super::{Common, Exit, print};
use crate::compare::{self, Comparison};
use crate::error::Error;
use crate::replay::Filter;
use crate::report::versus;
use crate::side::Place;

/// Compare two arms ticket by ticket: what changed between them, and what differs
#[derive(clap::Args, Debug)]
#[command(after_help = "\
A side is an arm's folder, a report folder, a ledger.jsonl, or a table (table.parquet, table.csv). Where it holds several \
arms, name one: PATH@ARM. Differences are candidate minus baseline, over the tickets that both ran without a fault.
Written to --out DIR: compare.json, and what replay writes, of both sides.

Examples:
  redraft compare recordings/payments/sim-prose recordings/payments/sim-structured
  redraft compare reports/last-week my/arm --out reports/compared --format json | jq '.figures[] | select(.headline) | .end'
  redraft compare reports/both@sim-prose reports/both@sim-structured --all")]
pub struct Args {
    /// What is compared with: an arm, a report folder, a ledger or a table
    baseline: OsString,
    /// What is compared
    candidate: OsString,
    /// Folder for compare.json, ledger, table, summary and plots
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    sides: Sides,
    /// Only these tickets: an id, with * for anything, or, between arms, tag:NAME (may be given several times)
    #[arg(long, value_name = "TERM")]
    filter: Vec<String>,
    /// Of what is drawn at random: another seed moves bootstrap ends and sign-flip p-values a little
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Print every figure, not only the headline
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    forms: Forms,
}

pub fn run(args: &Args, common: Common) -> Result<Exit, Error> {
    let [baseline, candidate] = [&args.baseline, &args.candidate].map(|given| Place::from(given.clone()));
    let options = args.sides.options(&args.forms);
    let out = Output::create(args.out.as_deref(), false)?;
    let sides = sides::open(&baseline, &candidate, &options, &Filter::parse(&args.filter)?, &out, common)?;
    let comparison = compare::compare(&sides[0], &sides[1], &compare::Options { seed: args.seed, ..compare::Options::default() });
    if args.out.is_some() {
        reports::write_compared(&args.forms, &out, sides, &comparison, None, args.all)?;
    }
    match args.sides.format {
        Format::Table => print(&versus::render(&comparison, args.all, Paint::stdout(common.color).style()))?,
        Format::Json => print(&comparison.to_json())?,
    }
    out.publish(common)?;
    Ok(exit(&comparison))
}

fn exit(comparison: &Comparison) -> Exit {
    if comparison.comparable() { Exit::Fine } else { Exit::NoVerdict }
}
