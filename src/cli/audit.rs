//! `redraft audit ARM...`: does a recording keep the contract of its loop?

use std::path::PathBuf;

use super::paint::Paint;
use super::{Common, Exit, print, warn_torn};
use crate::audit::{self, ALL, Options, Verdict};
use crate::error::{Error, unknown};
use crate::progress::Progress;
use crate::replay::{self, Prepared};
use crate::report;

/// Judge the contract of recordings from their requests: fresh critic, grounding, wording, bounds, drift
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Several arms are about to be compared: they are audited one by one, and each is held against the first.
What an arm may break stands in audit.toml beside its loop.toml: version = 1, and [[allow]] with rule and reason.

Exit codes:
  0  no error was found (warnings and notes may have been; with --strict no warning either)
  1  errors were found; with --strict: errors or warnings
  2  bad input: a file is missing or cannot be read, a rule is not known
  3  no error was found, but rules could not judge everything (such as requests that were not recorded)

Examples:
  redraft audit recordings/payments/sim-structured
  redraft audit recordings/payments/sim-prose recordings/payments/sim-structured --strict
  redraft audit my/arm --format sarif > audit.sarif
  redraft audit --explain RD202")]
pub struct Args {
    /// Folders with a loop.toml and calls
    #[arg(required_unless_present = "explain", value_name = "ARM")]
    arms: Vec<PathBuf>,
    /// How to say it (markdown: rules' pages only)
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Only these rules, by code or name
    #[arg(long, value_name = "RULE")]
    rule: Vec<String>,
    /// Leave these rules out
    #[arg(long, value_name = "RULE")]
    no_rule: Vec<String>,
    /// Warnings count as errors
    #[arg(long)]
    strict: bool,
    /// Print a rule's page and audit nothing; `all` prints every page
    #[arg(long, value_name = "RULE", conflicts_with_all = ["arms", "rule", "no_rule", "strict"])]
    explain: Option<String>,
    /// Worker threads (0: one a core)
    #[arg(long, default_value_t = 0, value_name = "N")]
    jobs: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Text,
    Json,
    Sarif,
    Markdown,
}

pub fn run(args: &Args, common: Common) -> Result<Exit, Error> {
    if let Some(name) = &args.explain {
        return explain(name, args.format);
    }
    if args.format == Format::Markdown {
        return Err(Error::new("--format markdown is for --explain; expected text, json or sarif"));
    }
    let options = Options { jobs: args.jobs, only: codes(&args.rule)?, without: codes(&args.no_rule)? };
    let mut arms = vec![];
    for dir in &args.arms {
        arms.push((dir.clone(), Prepared::open(dir)?));
    }
    let total = arms.iter().map(|(_, arm)| arm.expected(&replay::Options::default())).sum::<Option<usize>>();
    let mut progress = Progress::new("audit", total, common.quiet);
    let audit = audit::audit(&arms, &options, &mut || progress.tick())?;
    progress.finish();
    arms.iter().for_each(|(_, arm)| warn_torn(&arm.recording));
    match args.format {
        Format::Text | Format::Markdown => print(&report::audit::text(&audit, args.strict, Paint::stdout(common.color).style()))?,
        Format::Json => print(&report::audit::json(&audit, args.strict))?,
        Format::Sarif => print(&report::sarif::audit(&audit))?,
    }
    Ok(match audit.verdict(args.strict) {
        Verdict::Clean => Exit::Fine,
        Verdict::Broken => Exit::GateBroken,
        Verdict::NotJudged => Exit::NoVerdict,
    })
}

fn codes(names: &[String]) -> Result<Vec<&'static str>, Error> {
    names.iter().map(|name| find(name).map(|rule| rule.page().code)).collect()
}

fn find(name: &str) -> Result<&'static dyn audit::Rule, Error> {
    let known: Vec<&str> = ALL.iter().map(|rule| rule.page().code).collect();
    audit::find(name).ok_or_else(|| Error::new(format!("rule {}", unknown(name, &known))))
}

fn explain(name: &str, format: Format) -> Result<Exit, Error> {
    let rules = if name == "all" { ALL.to_vec() } else { vec![find(name)?] };
    let pages: Vec<String> = rules.into_iter().map(|rule| report::audit::page(rule, format == Format::Markdown)).collect();
    print(&pages.join("\n"))?;
    Ok(Exit::Fine)
}
