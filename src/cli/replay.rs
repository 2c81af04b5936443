//! `redraft replay ARM...`: the main job. Recorded calls in; ledger, table, summary and plots out.

use std::fs::{self, File};
use std::io::{BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use super::paint::Paint;
use super::{Common, Exit, print, say};
use crate::arm::Matching;
use crate::error::Error;
use crate::ledger::{self, Header};
use crate::metric::{self, Settings};
use crate::progress::Progress;
use crate::replay::{Filter, Options, Prepared};
use crate::report::grid::escape_terminal;
use crate::report::{chart, overview, plot};
use crate::summary::{Accumulator, ArmSummary, Origin, Summary};
use crate::table::TableWriter;

/// Replay recorded loops and measure every pass
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Written to --out DIR: ledger.jsonl (every run), table.parquet and table.csv (ticket x pass x column), summary.json (figures per pass),
one SVG a figure, and sheet.svg (all of them as small multiples).

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
    /// Recorded calls that are never asked for, and recorded tickets that the dataset lacks, count as errors
    #[arg(long)]
    pub strict: bool,
    /// Print every figure, not only the headline
    #[arg(long)]
    pub all: bool,
    /// Also draw PNG files
    #[arg(long, requires = "out")]
    pub png: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    Table,
    Json,
    Csv,
}

pub fn run(args: &Args, common: Common) -> Result<Exit, Error> {
    let options = Options { jobs: args.jobs, filter: Filter::parse(&args.filter)?, shard: args.shard.as_deref().map(shard).transpose()? };
    let prepared = args.arms.iter().map(|dir| Prepared::open(dir)).collect::<Result<Vec<_>, _>>()?;
    let names = names(&args.arms, &prepared)?;
    let out = Output::create(args)?;
    let mut table = out.table()?;
    let mut ledger = out.ledger()?;
    let mut arms = vec![];
    for (prepared, name) in prepared.iter().zip(&names) {
        arms.push(one_arm(prepared, name, &options, common, &mut table, &mut ledger)?);
    }
    if let Some(table) = table {
        table.finish()?;
    }
    if let Some(ledger) = ledger {
        ledger.finish()?;
    }
    let summary = Summary::new(arms);
    if args.out.is_some() {
        out.write("summary.json", summary.to_json().as_bytes())?;
        draw(&summary, &out, args.png)?;
    }
    match args.format {
        Format::Table => {
            let paint = Paint::stdout(common.color);
            print(&overview::render(&summary, args.all, paint.style()))?;
        }
        Format::Json => print(&summary.to_json())?,
        Format::Csv => print(&shown(&out.read("table.csv")?))?,
    }
    let written = out.publish()?;
    if let (Some(dir), false) = (written, common.quiet) {
        say(&format!("wrote {}", dir.display()));
    }
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

fn shard(text: &str) -> Result<(usize, usize), Error> {
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

fn one_arm(
    prepared: &Prepared,
    name: &str,
    options: &Options,
    common: Common,
    table: &mut Option<TableWriter>,
    ledger: &mut Option<LedgerFile>,
) -> Result<ArmSummary, Error> {
    let spec = &prepared.program.spec;
    if let Some(torn) = &prepared.recording.torn {
        say(&format!(
            "warning: {}:{}: a half-written last line was passed over (from byte {})",
            prepared.recording.path().display(),
            torn.line,
            torn.byte
        ));
    }
    let origin = Origin {
        arm: name.to_owned(),
        dataset: prepared.dataset.about.name.clone(),
        dataset_digest: prepared.dataset.digest.clone(),
        synthetic: spec.synthetic.clone(),
        requests_recorded: spec.matching == Matching::Key,
    };
    if let Some(ledger) = ledger {
        ledger.header(&Header {
            v: 1,
            arm: name.to_owned(),
            dataset: origin.dataset.clone(),
            dataset_digest: origin.dataset_digest.clone(),
            synthetic: origin.synthetic.clone(),
            spec: prepared.source.clone(),
        })?;
    }
    let settings = Settings::of(spec);
    let keep_runs = ledger.is_some();
    let mut progress = Progress::new(name, prepared.dataset.count, common.quiet);
    let mut sum = Accumulator::new(origin, spec.max_passes);
    let tally = prepared.each(
        options,
        |ticket, runs| {
            let lines: Vec<Vec<u8>> = if keep_runs { runs.iter().map(ledger::run_line).collect() } else { vec![] };
            let measured: Vec<_> = runs.iter().map(|run| metric::measure(ticket, run, &settings)).collect();
            (measured, lines)
        },
        |(measured, lines)| {
            progress.tick();
            if let Some(table) = table {
                for run in &measured {
                    table.push(name, run)?;
                }
            }
            if let Some(ledger) = ledger {
                lines.iter().try_for_each(|line| ledger.line(line))?;
            }
            sum.add(&measured);
            Ok(())
        },
    )?;
    progress.finish();
    if tally.tickets == 0 {
        return Err(Error::new(format!("{name}: no ticket was chosen; look at --filter, --shard and the arm's coverage")));
    }
    let mut arm = sum.finish();
    arm.not_recorded = tally.not_recorded as u64;
    arm.tickets_without_dataset_row = tally.orphans.into_iter().map(|(_, ticket)| ticket).collect();
    Ok(arm)
}

fn draw(summary: &Summary, out: &Output, png: bool) -> Result<(), Error> {
    let charts = plot::charts(summary);
    let failed = |what: String| Error::new(format!("failed to draw: {what}"));
    let title = summary.arms.iter().map(|a| a.origin.arm.as_str()).collect::<Vec<_>>().join(" / ");
    for chart in &charts {
        out.write(&format!("{}.svg", chart.id), chart::svg(chart).as_bytes())?;
        if png {
            out.write(&format!("{}.png", chart.id), &chart::png(chart).map_err(failed)?)?;
        }
    }
    out.write("sheet.svg", chart::sheet_svg(&title, &charts).as_bytes())?;
    if png {
        out.write("sheet.png", &chart::sheet_png(&title, &charts).map_err(failed)?)?;
    }
    Ok(())
}

/// Where files go: beside the wanted folder first, and into it once all are whole, so that a stopped run leaves no half report.
struct Output {
    wanted: Option<PathBuf>,
    csv: bool,
    making: Option<tempfile::TempDir>,
    /// Held while this run lives, so that the next one can tell its folder from one that was left behind.
    _lock: Option<File>,
}

const MAKING: &str = ".making-";
const LOCK: &str = "lock";

/// Removes what runs that were killed left in the report folder: folders whose lock nobody holds.
fn sweep(dir: &Path) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let is_making = entry.file_name().to_string_lossy().starts_with(MAKING) && entry.file_type().is_ok_and(|t| t.is_dir());
        // What cannot be removed is in nobody's way.
        if is_making && File::open(entry.path().join(LOCK)).is_ok_and(|lock| lock.try_lock().is_ok()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

impl Output {
    fn create(args: &Args) -> Result<Output, Error> {
        let csv = args.format == Format::Csv;
        let mut lock = None;
        let making = match &args.out {
            Some(dir) => {
                fs::create_dir_all(dir).map_err(|e| Error::io(dir, "create the report folder", &e))?;
                sweep(dir);
                let failed = |e| Error::io(dir, "write into the report folder", &e);
                let making = tempfile::Builder::new().prefix(MAKING).tempdir_in(dir).map_err(failed)?;
                let file = File::create_new(making.path().join(LOCK)).map_err(failed)?;
                // A file system without locks costs the sweep, not the report.
                lock = file.try_lock().is_ok().then_some(file);
                Some(making)
            }
            None if csv => Some(tempfile::tempdir().map_err(|e| Error::new(format!("failed to make a temporary folder: {e}")))?),
            None => None,
        };
        Ok(Output { wanted: args.out.clone(), csv, making, _lock: lock })
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        self.making.as_ref().map(|dir| dir.path().join(name))
    }

    fn table(&self) -> Result<Option<TableWriter>, Error> {
        let Some(parquet) = self.path("table.parquet") else { return Ok(None) };
        let csv = self.path("table.csv").filter(|_| self.csv || self.wanted.is_some());
        TableWriter::create(&parquet, csv.as_deref()).map(Some)
    }

    fn ledger(&self) -> Result<Option<LedgerFile>, Error> {
        match self.path("ledger.jsonl").filter(|_| self.wanted.is_some()) {
            Some(path) => LedgerFile::create(path).map(Some),
            None => Ok(None),
        }
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        match self.path(name) {
            Some(path) => fs::write(&path, bytes).map_err(|e| Error::io(&path, "write", &e)),
            None => Ok(()),
        }
    }

    fn read(&self, name: &str) -> Result<String, Error> {
        match self.path(name) {
            Some(path) => fs::read_to_string(&path).map_err(|e| Error::io(&path, "read", &e)),
            None => Ok(String::new()),
        }
    }

    /// Moves every finished file into the wanted folder, in name order.
    fn publish(self) -> Result<Option<PathBuf>, Error> {
        let (Some(wanted), Some(making)) = (self.wanted, self.making) else { return Ok(None) };
        let entries = fs::read_dir(making.path()).map_err(|e| Error::io(making.path(), "list", &e))?;
        let mut files: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).filter(|p| !p.ends_with(LOCK)).collect();
        files.sort_unstable();
        // Two reports into one folder at once: one after the other, not a mixture. (Where a folder cannot be locked, the last file wins.)
        let turn = File::open(&wanted).ok();
        let _ = turn.as_ref().map(File::lock);
        let in_the_way = files.iter().filter_map(|from| Some(wanted.join(from.file_name()?))).find(|to| to.is_dir());
        if let Some(to) = in_the_way {
            return Err(Error::at(&to, "a folder stands where the report goes; remove it, or choose another --out"));
        }
        for from in files {
            if let Some(name) = from.file_name() {
                let to = wanted.join(name);
                fs::rename(&from, &to).map_err(|e| Error::io(&to, "write", &e))?;
            }
        }
        Ok(Some(wanted))
    }
}

/// ledger.jsonl on its way to disk.
struct LedgerFile {
    path: PathBuf,
    out: BufWriter<File>,
}

impl LedgerFile {
    fn create(path: PathBuf) -> Result<LedgerFile, Error> {
        let file = File::create(&path).map_err(|e| Error::io(&path, "create the ledger", &e))?;
        Ok(LedgerFile { path, out: BufWriter::with_capacity(1 << 18, file) })
    }

    fn header(&mut self, header: &Header) -> Result<(), Error> {
        ledger::write_header(&mut self.out, header).map_err(|e| Error::io(&self.path, "write", &e))
    }

    fn line(&mut self, line: &[u8]) -> Result<(), Error> {
        self.out.write_all(line).map_err(|e| Error::io(&self.path, "write", &e))
    }

    fn finish(mut self) -> Result<(), Error> {
        self.out.flush().map_err(|e| Error::io(&self.path, "write", &e))
    }
}
