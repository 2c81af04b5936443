//! `redraft passes SIDE...`: how many passes pay, and what stop rules cost.

use std::ffi::OsString;
use std::path::PathBuf;

use super::output::Output;
use super::paint::Paint;
use super::{Common, Exit, print, sides};
use crate::error::Error;
use crate::passes::{self, Study};
use crate::replay::Filter;
use crate::report::{self, chart};
use crate::side::{Options, Place};

/// How many passes pay: what each pass mends, breaks and costs, first against last and best draft, lift over no critic
#[derive(clap::Args, Debug)]
#[command(after_help = "\
A side is an arm's folder, a report folder, a ledger.jsonl, or a table (table.parquet, table.csv); where it holds several arms, name one: \
PATH@ARM. A draft is correct where every required check of its ticket holds; without checks there is nothing to judge by, and only proxies are told.
Written to --out DIR: passes.json, passes.csv, passes.md, and passes.svg (net gain, correct share and cost by pass).
docs/passes.md explains every table.

Exit codes:
  0  told
  2  bad input
  3  nothing to judge by: no ticket has checks, or all errored

Examples:
  redraft passes recordings/payments/sim-prose recordings/payments/sim-structured
  redraft passes my/arm --baseline my/writer-alone --out reports/passes --png
  redraft passes reports/last-week/table.parquet --format json | jq '.arms[] | {arm, last_gain, conclusion}'")]
pub struct Args {
    /// Arms, report folders, ledgers or tables
    #[arg(required = true, value_name = "SIDE")]
    sides: Vec<OsString>,
    /// An arm without a critic, or any other, on the same tickets: what the sides end with over it
    #[arg(long, value_name = "SIDE")]
    baseline: Option<OsString>,
    /// What to print
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Folder for passes.json, passes.csv, passes.md and the plot
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Also draw passes.png
    #[arg(long, requires = "out")]
    png: bool,
    /// Worker threads (0: one a core); never changes a result
    #[arg(long, default_value_t = 0, value_name = "N")]
    jobs: usize,
    /// The tickets of a ledger, where they are not where its header says
    #[arg(long, value_name = "DIR")]
    dataset: Option<PathBuf>,
    /// Only these tickets: an id, with * for anything, or, of arms, tag:NAME (may be given several times)
    #[arg(long, value_name = "TERM")]
    filter: Vec<String>,
    /// Of what is drawn at random: another seed moves bootstrap ends and sign-flip p-values a little
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Text,
    Json,
    Csv,
    Markdown,
}

pub fn run(args: &Args, common: Common) -> Result<Exit, Error> {
    let options = Options { jobs: args.jobs, dataset: args.dataset.clone(), ..Options::default() };
    let filter = Filter::parse(&args.filter)?;
    let places = |given: &[OsString]| given.iter().map(|given| Place::from(given.clone())).collect::<Vec<Place>>();
    let out = Output::create(args.out.as_deref(), false)?;
    let open = |given: &[OsString]| sides::open_all(&places(given), &options, &filter, &out, common);
    let sides = open(&args.sides)?;
    let baseline = open(args.baseline.as_slice())?.pop();
    let study = passes::study(&sides, baseline.as_ref(), &passes::Options { seed: args.seed, ..passes::Options::default() });
    if args.out.is_some() {
        write(&study, &out, args.png)?;
    }
    print(&match args.format {
        Format::Text => report::passes::text(&study, Paint::stdout(common.color).style()),
        Format::Json => study.to_json(),
        Format::Csv => report::passes::csv(&study),
        Format::Markdown => report::passes::markdown(&study),
    })?;
    out.publish(common)?;
    Ok(if study.judged() { Exit::Fine } else { Exit::NoVerdict })
}

fn write(study: &Study, out: &Output, png: bool) -> Result<(), Error> {
    out.write("passes.json", study.to_json().as_bytes())?;
    out.write("passes.csv", report::passes::csv(study).as_bytes())?;
    out.write("passes.md", report::passes::markdown(study).as_bytes())?;
    let charts = report::passes::charts(study);
    if charts.is_empty() {
        return Ok(());
    }
    const TITLE: &str = "How many passes pay";
    out.write("passes.svg", chart::sheet_svg(TITLE, &charts).as_bytes())?;
    if png {
        let picture = chart::sheet_png(TITLE, &charts).map_err(|what| Error::new(format!("failed to draw: {what}")))?;
        out.write("passes.png", &picture)?;
    }
    Ok(())
}
