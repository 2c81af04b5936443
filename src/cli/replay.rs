//! `redraft replay ARM...`: the main job. Recorded calls in; ledger, table, summary and plots out.

use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use super::output::{COMPARE, Output};
use super::paint::Paint;
use super::reports::{self, Forms};
use super::{Common, Exit, print, warn_torn};
use crate::compare;
use crate::error::Error;
use crate::ledger::Header;
use crate::progress::Progress;
use crate::replay::{Filter, Options, Prepared};
use crate::report::grid::escape_terminal;
use crate::report::overview;
use crate::side::{self, Side};
use crate::summary::{ArmSummary, Summary};

/// Replay recorded loops and measure every pass
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Written to --out DIR: ledger.jsonl (every run), table.parquet and table.csv (ticket x pass x column), summary.json (figures per pass), \
one SVG a figure, and sheet.svg (the headline as small multiples; with --all every figure).

Examples:
  redraft replay recordings/payments/sim-prose recordings/payments/sim-structured --out reports/sim
  redraft replay recordings/payments-qwen-1.5b/findings-serial --format json | jq .arms[0].anchoring
  redraft replay recordings/payments/sim-prose --filter 'pay-00*' --filter tag:refund")]
pub struct Args {
    /// Folders with a loop.toml and calls
    #[arg(required = true, value_name = "ARM")]
    pub arms: Vec<PathBuf>,
    /// Folder for ledger, table, summary and plots
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Worker threads (0: one a core); never changes a result
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub jobs: usize,
    /// What to print: the summary as text, summary.json, or table.csv
    #[arg(long, value_enum, default_value = "table")]
    pub format: Format,
    /// Only these tickets: an id, with * for anything, or tag:NAME (may be given several times)
    #[arg(long, value_name = "TERM")]
    pub filter: Vec<String>,
    /// Only this part of the dataset, such as 3/64
    #[arg(long, value_name = "I/N")]
    pub shard: Option<String>,
    /// Labels in place of those beside the dataset: they say which sections a critique mentions
    #[arg(long, value_name = "FILE")]
    pub labels: Option<PathBuf>,
    /// Recorded calls that are never asked for, and recorded tickets that the dataset lacks, count as errors
    #[arg(long)]
    pub strict: bool,
    /// Print every figure and draw them all on the sheet, not only the headline
    #[arg(long)]
    pub all: bool,
    /// Also draw PNG files
    #[arg(long, requires = "out")]
    pub png: bool,
    #[command(flatten)]
    pub forms: Forms,
    /// The demo compares its two arms as well.
    #[arg(skip)]
    pub compared: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    Table,
    Json,
    Csv,
}

pub fn run(args: &Args, common: Common) -> Result<Exit, Error> {
    let shard = args.shard.as_deref().map(shard).transpose()?;
    let options = Options { jobs: args.jobs, filter: Filter::parse(&args.filter)?, shard, first: None };
    let prepared = args.arms.iter().map(|dir| Prepared::open_labelled(dir, args.labels.as_deref())).collect::<Result<Vec<_>, _>>()?;
    let names = names(&args.arms, &prepared)?;
    let out = Output::create(args.out.as_deref(), args.format == Format::Csv)?;
    let headers: Vec<Header> = prepared.iter().zip(&names).map(|(prepared, name)| side::header(prepared, name)).collect();
    let mut files = out.files(&headers)?;
    let mut sides = vec![];
    for ((prepared, header), path) in prepared.into_iter().zip(&headers).zip(&args.arms) {
        warn_torn(&prepared.recording);
        let mut progress = Progress::new(&header.arm, prepared.expected(&options), common.quiet);
        let made = side::evaluate(&prepared, header, &options, &mut files, args.forms.keep(), &mut || progress.tick())?;
        progress.finish();
        if made.summary.tickets == 0 {
            let what = "no ticket was chosen; look at --filter, --shard and the arm's coverage";
            return Err(Error::new(format!("{}: {what}", header.arm)));
        }
        sides.push(Side::replayed(prepared, args.jobs, path.clone(), made));
    }
    files.finish()?;
    let summary = Summary::new(sides.iter().map(|side| side.summary.clone()).collect());
    let comparison = match sides.as_slice() {
        [baseline, candidate] if args.compared => Some(compare::compare(baseline, candidate, &compare::Options::default())),
        _ => None,
    };
    if let Some(comparison) = &comparison {
        out.write(COMPARE, comparison.to_json().as_bytes())?;
    }
    reports::write(&args.forms, &out, &sides, comparison.as_ref(), None)?;
    out.figures(&summary, args.all, args.png)?;
    match args.format {
        Format::Table => {
            let paint = Paint::stdout(common.color);
            print(&overview::render(&summary, args.all, paint.style()))?;
        }
        Format::Json => print(&summary.to_json())?,
        Format::Csv => print(&shown(&out.read("table.csv")?))?,
    }
    out.publish(common)?;
    Ok(exit(&summary, args.strict))
}

/// A table for a program is passed on byte for byte. On a terminal its cells must not steer it.
fn shown(csv: &str) -> String {
    if !std::io::stdout().is_terminal() {
        return csv.to_owned();
    }
    csv.split_inclusive('\n').map(|l| escape_terminal(l.trim_end_matches('\n')).into_owned() + "\n").collect()
}

fn exit(summary: &Summary, strict: bool) -> Exit {
    let left_over = |arm: &ArmSummary| arm.calls.unused > 0 || !arm.tickets_without_dataset_row.is_empty();
    let bad = |arm: &ArmSummary| arm.errored > 0 || (strict && left_over(arm));
    if summary.arms.iter().any(bad) { Exit::NoVerdict } else { Exit::Fine }
}

pub(super) fn shard(text: &str) -> Result<(usize, usize), Error> {
    let parts = text.split_once('/').and_then(|(i, of)| Some((i.parse().ok()?, of.parse().ok()?)));
    match parts {
        Some((i, of)) if i >= 1 && i <= of => Ok((i, of)),
        _ => Err(Error::new(format!("--shard {text}: expected I/N with I from 1 to N, such as 3/64"))),
    }
}

/// The arms' folder names; where two are the same, with the folder above them.
fn names(dirs: &[PathBuf], prepared: &[Prepared]) -> Result<Vec<String>, Error> {
    let plain: Vec<&str> = prepared.iter().map(|p| p.arm_name.as_str()).collect();
    let real: Vec<PathBuf> = dirs.iter().map(|d| fs::canonicalize(d).unwrap_or_else(|_| d.clone())).collect();
    let mut names = vec![];
    for (i, name) in plain.iter().enumerate() {
        let twin = plain.iter().filter(|other| other == &name).count() > 1;
        let above = real[i].parent().and_then(Path::file_name).map(|p| p.to_string_lossy().into_owned());
        let name = match above {
            Some(above) if twin => format!("{above}/{name}"),
            _ => (*name).to_owned(),
        };
        if names.contains(&name) {
            return Err(Error::at(&dirs[i], format!("two of the arms are called `{name}`; give each once, or rename a folder")));
        }
        names.push(name);
    }
    Ok(names)
}
