//! `redraft gate CANDIDATE`: a candidate held against a baseline by gate.toml.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::output::Output;
use super::paint::Paint;
use super::reports::{self, Forms};
use super::sides::{self, Format, Sides};
use super::{Common, Exit, init, print, say};
use crate::compare::{self, Comparison};
use crate::error::Error;
use crate::files;
use crate::gate::{self, Gate, OnInconclusive, Policy, Verdict, policy};
use crate::replay::Filter;
use crate::report::grid::escape_terminal;
use crate::report::verdict;
use crate::side::{self, Place};

/// Is a candidate worse than its baseline by more than gate.toml allows?
#[derive(clap::Args, Debug)]
#[command(after_help = "\
A side is an arm's folder, a report folder, a ledger.jsonl, or a table (table.parquet, table.csv); where it holds several arms: PATH@ARM.
The baseline is what --baseline names, else `baseline` of the policy. A table is enough, and small enough to keep in a repository.
Written to --out DIR: gate.json, compare.json, what replay writes of both sides, and the forms of --report.

Exit codes:
  0  PASS, or INCONCLUSIVE where the policy lets that pass
  1  REGRESSED
  2  bad input: a file is missing or cannot be read, the policy is wrong
  3  no verdict: nothing comparable, tickets errored, no baseline was named; INCONCLUSIVE where the policy does not let that pass

Examples:
  redraft gate --init                                           a commented gate.toml
  redraft gate my/arm --save-baseline baseline.parquet          save what later candidates are held against
  redraft gate my/arm --baseline baseline.parquet
  redraft gate my/new-critic --baseline my/arm --out reports/gate --report junit,html")]
pub struct Args {
    /// What is judged: an arm, a report folder, a ledger or a table
    #[arg(required_unless_present = "init")]
    candidate: Option<OsString>,
    /// What it is held against (default: `baseline` of the policy)
    #[arg(long, value_name = "PLACE")]
    baseline: Option<OsString>,
    /// The policy
    #[arg(long, default_value = "gate.toml", value_name = "FILE")]
    policy: PathBuf,
    /// Folder for gate.json, compare.json, reports, ledger, table, summary and plots
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    forms: Forms,
    #[command(flatten)]
    sides: Sides,
    /// Write a commented policy (default: gate.toml) and judge nothing; never over a file that is there
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "gate.toml", conflicts_with_all = ["candidate", "baseline", "out", "save_baseline"])]
    init: Option<PathBuf>,
    /// Save CANDIDATE as a table to be a baseline, and judge nothing; replaces an older one
    #[arg(long, value_name = "FILE", conflicts_with_all = ["baseline", "out", "names"])]
    save_baseline: Option<PathBuf>,
}

pub fn run(args: &Args, common: Common) -> Result<Exit, Error> {
    if let Some(path) = &args.init {
        init::create(path, policy::TEMPLATE)?;
        print(&format!("wrote {}; margins are yours to choose\n", shown(path)))?;
        return Ok(Exit::Fine);
    }
    let Some(candidate) = &args.candidate else { return Err(Error::new("no candidate was named")) };
    let candidate = Place::from(candidate.clone());
    let options = args.sides.options(&args.forms);
    match &args.save_baseline {
        Some(path) => save(&candidate, path, &options, common),
        None => judge(args, &candidate, &options, common),
    }
}

fn judge(args: &Args, candidate: &Place, options: &side::Options, common: Common) -> Result<Exit, Error> {
    let policy = read(&args.policy)?;
    let Some(baseline) = baseline(args, &policy) else {
        say(&format!(
            "no verdict: no baseline was named; give --baseline, or save one with --save-baseline baseline.parquet and name it in {}",
            args.policy.display()
        ));
        return Ok(Exit::NoVerdict);
    };
    if !baseline.path.exists() {
        let hint = "no such file or folder; save one with `redraft gate ARM --save-baseline FILE.parquet`";
        return Err(Error::at(&baseline.path, format!("failed to read the baseline: {hint}")));
    }
    let out = Output::create(args.out.as_deref(), false)?;
    let sides = sides::open(&baseline, candidate, options, &Filter::default(), &out, common)?;
    let comparison = compare::compare(&sides[0], &sides[1], &compare::Options::default());
    let gate = gate::judge(&comparison, &policy);
    if args.out.is_some() {
        reports::write_compared(&args.forms, &out, sides, &comparison, Some(&gate), false)?;
    }
    tell(args.sides.format, &gate, &comparison, common)?;
    out.publish(common)?;
    Ok(exit(&gate))
}

fn read(path: &Path) -> Result<Policy, Error> {
    let text = files::text(path, "read the policy").map_err(|mut e| {
        if !path.exists() {
            e.what.push_str("; `redraft gate --init` writes one");
        }
        e
    })?;
    Policy::parse(path, &text)
}

/// A baseline in the policy is named relative to the policy's folder.
fn baseline(args: &Args, policy: &Policy) -> Option<Place> {
    let of_policy = || {
        let named = policy.baseline.as_ref()?;
        Some(args.policy.parent().map_or_else(|| named.into(), |dir| dir.join(named)).into_os_string())
    };
    args.baseline.clone().or_else(of_policy).map(Place::from)
}

fn tell(format: Format, gate: &Gate, comparison: &Comparison, common: Common) -> Result<(), Error> {
    match format {
        Format::Table => print(&verdict::render(gate, comparison, Paint::stdout(common.color).style())),
        Format::Json => print(&gate.to_json()),
    }
}

fn exit(gate: &Gate) -> Exit {
    match (gate.verdict, gate.on_inconclusive) {
        (Verdict::Pass, _) | (Verdict::Inconclusive, OnInconclusive::Pass) => Exit::Fine,
        (Verdict::Regressed, _) => Exit::GateBroken,
        (Verdict::NoVerdict, _) | (Verdict::Inconclusive, OnInconclusive::Fail) => Exit::NoVerdict,
    }
}

/// Saves a side as a table. One with errored tickets is no baseline: they would be missing in every comparison to come.
fn save(candidate: &Place, path: &Path, options: &side::Options, common: Common) -> Result<Exit, Error> {
    if path.extension().is_none_or(|end| end != "parquet") {
        return Err(Error::at(path, "a baseline is a table; expected a name that ends in .parquet"));
    }
    let (side, _folder, table) = sides::table(candidate, path, options, common)?;
    if side.summary.tickets == 0 || side.summary.errored > 0 {
        let (errored, tickets) = (side.summary.errored, side.summary.tickets);
        say(&format!(
            "{}: not saved: {errored} of {tickets} tickets errored, and a baseline needs tickets without a fault",
            path.display()
        ));
        return Ok(Exit::NoVerdict);
    }
    fs::rename(&table, path).map_err(|e| Error::io(path, "write", &e))?;
    print(&format!("wrote {}: {}, {} tickets\n", shown(path), escape_terminal(&side.summary.origin.arm), side.summary.tickets))?;
    Ok(Exit::Fine)
}

fn shown(path: &Path) -> String {
    escape_terminal(&path.display().to_string()).into_owned()
}
