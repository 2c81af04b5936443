//! The command line: one file a verb. Results go to standard output, everything said to people about the work to standard error.

mod audit;
mod batch;
mod compare;
mod completions;
mod critic;
mod demo;
mod exit;
mod fork;
mod gate;
mod import;
mod init;
mod label;
mod lint_secrets;
mod man;
mod manifest;
mod output;
mod pack;
mod paint;
mod passes;
mod pick;
mod proxy;
mod record;
mod replay;
mod report;
mod reports;
mod schema;
mod show;
mod sides;
mod simulate;
mod status;
mod unpack;
mod verify;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

pub use exit::Exit;

use crate::error::Error;
use crate::tape::Recording;

const AFTER_HELP: &str = "\
Exit codes:
  0  fine
  1  a gate is broken: a candidate got worse by more than it may, an audit found errors, a secret was found
  2  bad input or usage
  3  no verdict: tickets errored, nothing to compare, or a gate that could not decide

Examples:
  redraft demo                                        replay the shipped arms into reports/demo
  redraft replay recordings/payments/sim-structured   per-pass summary of one arm
  redraft show recordings/payments/sim-prose pay-0001 one ticket's way through the loop
  redraft verify recordings/payments-qwen-1.5b/*      do the recordings keep their promises
  redraft init my-loops                               a small project to begin with
  redraft record my-loops/arm --dry-run               what a live recording would ask and cost

More: the docs folder of the repository.";

/// Records and replays generate -> critique -> revise loops and measures what each pass did.
#[derive(Parser)]
#[command(name = "redraft", version, about, after_help = AFTER_HELP, arg_required_else_help = true)]
struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    verb: Verb,
}

/// What every verb takes.
#[derive(clap::Args, Debug, Clone, Copy)]
pub struct Common {
    /// Say nothing on standard error unless something is wrong
    #[arg(long, short, global = true)]
    quiet: bool,
    /// When to colour output (auto: on a terminal, unless NO_COLOR is set)
    #[arg(long, global = true, value_enum, default_value = "auto", value_name = "WHEN")]
    color: paint::When,
}

#[derive(Subcommand)]
enum Verb {
    Replay(replay::Args),
    Report(report::Args),
    Compare(compare::Args),
    Critic(critic::Args),
    Passes(passes::Args),
    Gate(gate::Args),
    Show(show::Args),
    Label(label::Args),
    Demo(demo::Args),
    Init(init::Args),
    Verify(verify::Args),
    Audit(audit::Args),
    Record(record::Args),
    Batch(batch::Args),
    Proxy(proxy::Args),
    Status(status::Args),
    Fork(fork::Args),
    Import(import::Args),
    Pack(pack::Args),
    Unpack(unpack::Args),
    LintSecrets(lint_secrets::Args),
    Schema(schema::Args),
    Simulate(simulate::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// Parses, runs, and turns the outcome into an exit code.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let common = cli.common;
    let outcome = match cli.verb {
        Verb::Replay(args) => replay::run(&args, common),
        Verb::Report(args) => report::run(&args, common),
        Verb::Compare(args) => compare::run(&args, common),
        Verb::Critic(args) => critic::run(&args, common),
        Verb::Passes(args) => passes::run(&args, common),
        Verb::Gate(args) => gate::run(&args, common),
        Verb::Show(args) => show::run(&args, common),
        Verb::Label(args) => label::run(&args, common),
        Verb::Demo(args) => demo::run(&args, common),
        Verb::Init(args) => init::run(&args, common),
        Verb::Verify(args) => verify::run(&args, common),
        Verb::Audit(args) => audit::run(&args, common),
        Verb::Record(args) => record::run(&args, common),
        Verb::Batch(args) => batch::run(&args, common),
        Verb::Proxy(args) => proxy::run(&args, common),
        Verb::Status(args) => status::run(&args, common),
        Verb::Fork(args) => fork::run(&args, common),
        Verb::Import(args) => import::run(&args, common),
        Verb::Pack(args) => pack::run(&args, common),
        Verb::Unpack(args) => unpack::run(&args, common),
        Verb::LintSecrets(args) => lint_secrets::run(&args, common),
        Verb::Schema(args) => schema::run(&args),
        Verb::Simulate(args) => simulate::run(&args, common),
        Verb::Completions(args) => completions::run(&args, Cli::command()),
        Verb::Man(args) => man::run(&args, Cli::command()),
    };
    match outcome {
        Ok(exit) => exit.into(),
        Err(error) => {
            say(&format!("error: {error}"));
            Exit::BadInput.into()
        }
    }
}

/// Says something to people, on standard error, line by line.
pub fn say(text: &str) {
    text.lines().for_each(crate::progress::line);
}

/// Tells of a recording whose last line a crash cut off, or whose index does not fit.
fn warn_torn(recording: &Recording) {
    for warning in recording.torn_warning().into_iter().chain(recording.index_warning()) {
        say(&format!("warning: {warning}"));
    }
}

/// Writes a result to standard output. A reader that went away early (`| head`) is no error.
pub fn print(text: &str) -> Result<(), Error> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(Error::new(format!("failed to write to standard output: {e}"))),
        _ => Ok(()),
    }
}
