//! `redraft batch export` and `redraft batch import`: an arm's open calls through a provider's batch service.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::pick::Pick;
use super::status::{self, Format};
use super::{Common, Exit, print, say, warn_torn};
use crate::arm::{Arm, Coverage};
use crate::error::Error;
use crate::jsonl;
use crate::model::Usd;
use crate::progress::Progress;
use crate::record::append::{Appender, Tail};
use crate::record::batch::{self, Exported, Form, Imported, Kind, Results, Wanted};
use crate::record::survey::Status;
use crate::replay::{Options, Prepared};
use crate::report::grid::escape_terminal;

/// Record through a provider's batch service: write the open calls, read the answers
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Export, upload the files, wait, download what came, import; and again, until nothing is open: docs/batch.md.")]
pub struct Args {
    #[command(subcommand)]
    step: Step,
}

#[derive(clap::Subcommand, Debug)]
enum Step {
    Export(ExportArgs),
    Import(ImportArgs),
}

/// Write the calls that are open now as batch input
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Of every run that has not ended it is the one call that can be made now. The same open calls give the same files. Nobody is asked.

Without --out the files go to ARM/batch, under names made of their requests. They are split at the provider's limits, and for OpenAI
by model.

Exit code: 0, or 3 where nothing can be asked and yet not every run is complete.

Examples:
  redraft batch export my/arm
  redraft batch export my/arm --first 20 --out try.jsonl
  redraft batch export my/arm --form anthropic-jsonl")]
struct ExportArgs {
    /// Folder with a loop.toml
    #[arg(value_name = "ARM")]
    arm: PathBuf,
    /// Form of the files (default: that of the arm's provider)
    #[arg(long, value_parser = form(), value_name = "FORM")]
    form: Option<String>,
    /// File to write; several are numbered, FILE-1of3
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Requests of a file at most (default: the provider's limit)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_requests: Option<u32>,
    /// Bytes of a file at most (default: the provider's limit)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_bytes: Option<u64>,
    #[command(flatten)]
    pick: Pick,
    /// What to print
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// Append the answers of batch results to the recording
#[derive(clap::Args, Debug)]
#[command(after_help = "\
FILE is what the batch service gave back: OpenAI's output and error files, Anthropic's results. Any order, any number of files, as
often as you like: an answer is recorded once. What failed, expired or was cancelled stays open, and the next export asks it again.

Exit code: 0 where every line was an answer that is recorded now (or was before), 3 where a line needs a look.

Examples:
  redraft batch import my/arm output.jsonl errors.jsonl
  redraft batch import my/arm results/*.jsonl --all")]
struct ImportArgs {
    /// Folder with a loop.toml
    #[arg(value_name = "ARM")]
    arm: PathBuf,
    /// Result files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// List every line that needs a look, not the first 20
    #[arg(long)]
    all: bool,
    /// What to print
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

fn form() -> clap::builder::PossibleValuesParser {
    clap::builder::PossibleValuesParser::new(Form::ALL.map(Form::name))
}

pub fn run(args: &Args, common: Common) -> Result<Exit, Error> {
    match &args.step {
        Step::Export(args) => export(args, common),
        Step::Import(args) => import(args, common),
    }
}

fn export(args: &ExportArgs, common: Common) -> Result<Exit, Error> {
    let prepared = Prepared::open_or_empty(&args.arm)?;
    warn_torn(&prepared.recording);
    let spec = &prepared.program.spec;
    let spec_path = args.arm.join("loop.toml");
    let wire = spec.wire.name();
    let asked = args.form.as_deref().and_then(|name| Form::ALL.into_iter().find(|form| form.name() == name));
    let form = asked.or_else(|| Form::of(wire)).ok_or_else(|| {
        Error::at(
            &spec_path,
            format!("there is no batch form for {wire}; expected model.provider openai-chat, openai-responses or anthropic"),
        )
    })?;
    if !form.takes(wire) {
        let fits = Form::of(wire).map_or("none".to_owned(), |form| format!("--form {}", form.name()));
        let what = format!("--form {} does not take requests of model.provider {wire}; what does: {fits}", form.name());
        return Err(Error::at(&spec_path, what));
    }
    for role in [&spec.writer, &spec.critic, &spec.reviser] {
        if role.params.get("stream").is_some_and(|on| on == true) {
            let what = format!("{}.params: stream = true, which no batch takes; remove it", role.role.name());
            return Err(Error::at(&spec_path, what));
        }
    }
    let options = args.pick.options(0)?;
    let before = status::survey_of(&prepared, &options, Coverage::All, common)?;
    let wanted = Wanted {
        form,
        out: args.out.as_deref(),
        requests_max: args.max_requests.map_or(form.requests_max(), |n| (n as usize).min(form.requests_max())),
        bytes_max: args.max_bytes.map_or(form.bytes_max(), |n| n.min(form.bytes_max())),
    };
    let done = batch::export(&prepared, &args.arm, &options, &wanted, || {})?;
    if !done.secrets.is_empty() {
        let kinds: Vec<String> = done.secrets.iter().map(|(kind, count)| format!("{count} {}", kind.name())).collect();
        say(&format!(
            "warning: the requests hold what looks like {}; `redraft lint-secrets` names the places in dataset and recording",
            kinds.join(", ")
        ));
    }
    match args.format {
        Format::Json => print(&jsonl::pretty(&done))?,
        Format::Text => print(&exported(&args.arm, &done, &before))?,
    }
    Ok(if done.files.is_empty() && done.complete < done.runs { Exit::NoVerdict } else { Exit::Fine })
}

const SHOWN_MAX: usize = 20;
/// What batch services take of the price of a call by itself.
const BYTES_A_TOKEN: u64 = 4;

fn half(usd: Usd) -> Usd {
    Usd::from_pico(usd.to_pico() / 2)
}

fn exported(arm: &Path, done: &Exported, before: &Status) -> String {
    let mut out = String::new();
    let roles: Vec<String> = done.by_role().filter(|(_, count)| *count > 0).map(|(role, count)| format!("{count} {role}")).collect();
    let open: usize = done.requests.iter().sum();
    let _ = write!(out, "{}: {} of {} runs complete; ", arm.display(), done.complete, done.runs);
    let _ = match open {
        0 => writeln!(out, "no call is open, nothing was written"),
        _ => writeln!(out, "{open} calls open ({})", roles.join(", ")),
    };
    for file in &done.files {
        let _ = writeln!(out, "  {}: {} requests, {} bytes", file.path.display(), file.requests, file.bytes);
    }
    if open > 0 {
        let most = done.tokens_output_most.map_or("without a limit".to_owned(), |n| format!("at most {n}"));
        let _ = writeln!(out, "  about {} tokens in, {most} out", done.body_bytes / BYTES_A_TOKEN);
        let usd = |usd: Option<Usd>| {
            usd.map_or("unknown (no price or no max_tokens)".to_owned(), |usd| format!("${}", status::rounded(half(usd))))
        };
        let _ = writeln!(
            out,
            "  at half the prices of loop.toml: at most {} for these, about {} until all runs have ended",
            usd(done.usd_most),
            usd(before.missing.usd_likely)
        );
    }
    if done.stale + done.faulted > 0 {
        let _ = writeln!(out, "  not asked: {} stale runs (redraft fork), {} with a fault", done.stale, done.faulted);
    }
    for note in &done.notes {
        let _ = writeln!(out, "  {note}");
    }
    out.lines().map(|line| escape_terminal(line).into_owned() + "\n").collect()
}

fn import(args: &ImportArgs, common: Common) -> Result<Exit, Error> {
    let wire = Arm::open(&args.arm)?.spec.wire;
    if Form::of(wire.name()).is_none() {
        return Err(Error::at(&args.arm.join("loop.toml"), format!("there is no batch form for {}", wire.name())));
    }
    // All of it is looked through before anything is written.
    let results = Results::read(&args.files, wire)?;
    let (appender, found) = Appender::open(&args.arm, Some(wire))?;
    if let Tail::Cut(bytes) = found.tail {
        say(&format!("warning: {}: a last line cut off by a crash ({bytes} bytes) was moved to calls.torn", appender.path().display()));
    }
    if found.set_aside > 0 && !common.quiet {
        say(&format!("{}: {} failed calls are open again; what they were is in calls.errors.jsonl", args.arm.display(), found.set_aside));
    }
    let prepared = Prepared::open(&args.arm)?;
    let mut progress = Progress::new(&prepared.arm_name, prepared.expected_of(&Options::default(), Coverage::All), common.quiet);
    let done = batch::import(&prepared, &appender, &results, || progress.tick())?;
    progress.finish();
    match args.format {
        Format::Json => print(&jsonl::pretty(&done))?,
        Format::Text => print(&imported(&args.arm, &done, args.all))?,
    }
    Ok(if done.rows.is_empty() { Exit::Fine } else { Exit::NoVerdict })
}

fn imported(arm: &Path, done: &Imported, all: bool) -> String {
    let mut out = String::new();
    let counts = Kind::ALL.iter().filter_map(|kind| done.results.get(kind).map(|count| format!("{count} {}", kind.name())));
    let counts: Vec<String> = counts.collect();
    let lines: usize = done.results.values().sum();
    let _ = writeln!(out, "{}: {lines} results: {}", arm.display(), if counts.is_empty() { "none".to_owned() } else { counts.join(", ") });
    let shown = if all { done.rows.len() } else { SHOWN_MAX };
    for row in done.rows.iter().take(shown) {
        let id = if row.custom_id.is_empty() { String::new() } else { format!(" {}", row.custom_id) };
        let what = if row.what.is_empty() { String::new() } else { format!(": {}", row.what) };
        let _ = writeln!(out, "  {}:{}: {}{id}{what}", row.path.display(), row.line, row.kind.name());
    }
    if done.rows.len() > shown {
        let _ = writeln!(out, "  ... and {} more (--all lists them)", done.rows.len() - shown);
    }
    let _ = write!(out, "  {} of {} runs complete, {} calls open", done.complete, done.runs, done.open);
    if done.stale + done.faulted > 0 {
        let _ = write!(out, ", {} runs stale, {} with a fault", done.stale, done.faulted);
    }
    out.push('\n');
    out.lines().map(|line| escape_terminal(line).into_owned() + "\n").collect()
}
