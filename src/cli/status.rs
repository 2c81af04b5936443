//! `redraft status ARM...`: how far a recording has come, what of it no longer fits, and what the rest will take.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::pick::Pick;
use super::{Common, Exit, print, warn_torn};
use crate::arm::Coverage;
use crate::error::Error;
use crate::jsonl;
use crate::model::Usd;
use crate::progress::Progress;
use crate::record::fill::Fill;
use crate::record::survey::{Status, survey};
use crate::replay::{Options, Prepared};
use crate::report::grid::escape_terminal;

/// Tell what of an arm is recorded, missing, stale or failed, and what filling it takes
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Nothing is written, no provider is asked. An arm without calls.jsonl counts as one without calls.

current   recorded, and asked for by the loop as it is now (of these `reused`: by an arm under reuse)
open      could be asked now: one a run, the first that nothing usable is recorded for
failed    of the open ones: tried, and given up
stale     recorded for another request than the loop makes now
behind    recorded after an open or stale call of the same run: nobody knows yet whether it fits
unused    never asked for by a run that came to its end

Exit code: 0 where every run is complete, 3 where something is missing, stale or failed.

Examples:
  redraft status recordings/payments/*
  redraft status my/arm --format json | jq .arms[0].missing")]
pub struct Args {
    /// Folders with a loop.toml
    #[arg(required = true, value_name = "ARM")]
    arms: Vec<PathBuf>,
    #[command(flatten)]
    pick: Pick,
    /// Worker threads (0: one a core)
    #[arg(long, default_value_t = 0, value_name = "N")]
    jobs: usize,
    /// What to print
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    Text,
    Json,
}

/// What `--format json` prints.
#[derive(Serialize, schemars::JsonSchema)]
#[schemars(title = "redraft status --format json")]
pub struct Document {
    /// Format version: 1.
    version: u32,
    arms: Vec<Status>,
}

pub fn run(args: &Args, common: Common) -> Result<Exit, Error> {
    let options = args.pick.options(args.jobs)?;
    let mut arms = vec![];
    for dir in &args.arms {
        let status = of(dir, &options, common)?;
        if args.format == Format::Text {
            print(&text(dir, &status))?;
        }
        arms.push(status);
    }
    let complete = arms.iter().all(|arm| arm.complete == arm.runs && arm.runs > 0);
    if args.format == Format::Json {
        print(&json(arms))?;
    }
    Ok(if complete { Exit::Fine } else { Exit::NoVerdict })
}

pub fn json(arms: Vec<Status>) -> String {
    jsonl::pretty(&Document { version: 1, arms })
}

fn of(dir: &Path, options: &Options, common: Common) -> Result<Status, Error> {
    let prepared = Prepared::open_or_empty(dir)?;
    warn_torn(&prepared.recording);
    survey_of(&prepared, options, prepared.program.spec.coverage, common)
}

/// Looks an arm through, with a bar.
pub fn survey_of(prepared: &Prepared, options: &Options, coverage: Coverage, common: Common) -> Result<Status, Error> {
    let mut progress = Progress::new(&prepared.arm_name, prepared.expected_of(options, coverage), common.quiet);
    let status = survey(prepared, options, coverage, || progress.tick())?;
    progress.finish();
    Ok(status)
}

/// Groups and notes printed at most; the counts are always whole.
const SHOWN_MAX: usize = 10;

pub fn text(dir: &Path, status: &Status) -> String {
    let mut out = format!("{}  dataset {}\n", dir.display(), status.dataset);
    if !status.synthetic.is_empty() {
        out.push_str(&format!("  synthetic: {}\n", status.synthetic));
    }
    out.push_str(&format!("  {} tickets, {} of {} runs complete\n", status.tickets, status.complete, status.runs));
    if status.not_recorded > 0 {
        out.push_str(&format!("  {} more tickets have no call, and coverage = \"recorded\" leaves them out\n", status.not_recorded));
    }
    let mut out = lines(&out);
    out.push_str(&table(status));
    let mut rest = String::new();
    for (what, fill) in [("missing", &status.missing), ("stale, to record anew (redraft fork)", &status.renew)] {
        if fill.calls_open > 0 {
            rest.push_str(&format!("  {what}: {}\n", price(fill)));
        }
    }
    for group in status.stale.iter().take(SHOWN_MAX) {
        rest.push_str(&format!("  stale: {} {} calls differ in {}; {}\n", group.calls, group.role.name(), group.field, group.example));
    }
    if status.stale.len() > SHOWN_MAX {
        rest.push_str(&format!("  ... and {} more reasons\n", status.stale.len() - SHOWN_MAX));
    }
    for note in status.notes.iter().take(SHOWN_MAX) {
        rest.push_str(&format!("  {note}\n"));
    }
    if status.tickets_without_dataset_row > 0 {
        rest.push_str(&format!("  {} recorded tickets are not in the dataset\n", status.tickets_without_dataset_row));
    }
    out + &lines(&rest)
}

/// Line by line, so that a name from data cannot steer a terminal.
fn lines(text: &str) -> String {
    text.lines().map(|line| escape_terminal(line).into_owned() + "\n").collect()
}

fn table(status: &Status) -> String {
    let head = ["role", "current", "reused", "open", "failed", "stale", "behind", "unused"];
    let rows = status.roles.iter().map(|row| {
        let c = row.counts;
        let counts = [c.current, c.reused, c.open, c.failed, c.stale, c.behind, c.unused].map(|n| n.to_string());
        std::iter::once(row.role.name().to_owned()).chain(counts).collect::<Vec<_>>()
    });
    let rows: Vec<Vec<String>> = std::iter::once(head.map(str::to_owned).to_vec()).chain(rows).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let line = |row: &Vec<String>| {
        let cells: Vec<String> = row.iter().enumerate().map(|(at, cell)| pad(cell, width(at), at > 0)).collect();
        format!("    {}\n", cells.join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

fn pad(cell: &str, width: usize, right: bool) -> String {
    if right { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
}

/// Calls and dollars, with what the figures rest on.
pub fn price(fill: &Fill) -> String {
    if fill.calls_open == 0 {
        return "no call is open".to_owned();
    }
    let most = fill.calls_most.map_or("no bound".to_owned(), |most| format!("at most {most}"));
    let usd = |usd: Option<Usd>| usd.map_or("unknown (no price or no max_tokens)".to_owned(), |usd| format!("${}", rounded(usd)));
    let basis = match fill.calls_observed {
        0 => "a guess, nothing is recorded yet".to_owned(),
        n => format!("as the {n} recorded calls with a price suggest"),
    };
    format!(
        "{} calls open now, at most {}; {} calls until all runs have ended ({most}), about {}, {basis}",
        fill.calls_open,
        usd(fill.usd_open_most),
        fill.calls_likely,
        usd(fill.usd_likely),
    )
}

/// To what people compare: four digits after the point, more only for less than a cent.
pub fn rounded(usd: Usd) -> String {
    let value = usd.to_f64();
    if value >= 0.01 || value == 0.0 { format!("{value:.2}") } else { format!("{value:.6}") }
}
