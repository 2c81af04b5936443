//! `redraft import FORMAT SOURCE... --out ARM`: an arm from another tool's log.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use super::{Common, Exit, print, say};
use crate::api;
use crate::error::Error;
use crate::import::input::Input;
use crate::import::map::{self, Rule};
use crate::import::place::{Listed, Options, Placed, place};
use crate::import::write::{Package, Target, dataset_prompts, package, relative, write};
use crate::import::{self, Importer};
use crate::model::Role;
use crate::report::grid::escape_terminal;

/// Make an arm from another tool's log
#[derive(clap::Args, Debug)]
#[command(after_help = after_help())]
pub struct Args {
    /// What wrote the log
    #[arg(value_name = "FORMAT", value_parser = clap::builder::PossibleValuesParser::new(import::ALL.iter().map(|i| i.name())))]
    format: String,
    /// Files of the log, all together (.zst is unpacked)
    #[arg(required = true, value_name = "SOURCE")]
    sources: Vec<PathBuf>,
    /// Folder of the arm
    #[arg(long, value_name = "ARM")]
    out: PathBuf,
    /// Folder of the data set; made from the log where it is not there [default: ARM/dataset]
    #[arg(long, value_name = "DIR")]
    dataset: Option<PathBuf>,
    /// Where a record tells a part of its slot: PART=FIELD, PART=FIELD:PATTERN, PART:=VALUE (several times)
    #[arg(long = "map", value_name = "RULE", value_parser = rule)]
    rules: Vec<(String, Rule)>,
    /// Take role and pass that a record does not tell from the order of its ticket's calls
    #[arg(long)]
    by_order: bool,
    /// Import the calls of this wire form, where a log has several [default: the most frequent one]
    #[arg(long, value_name = "FORM", value_parser = clap::builder::PossibleValuesParser::new(api::ALL.iter().map(|w| w.name())))]
    provider: Option<String>,
    /// Show ten calls in their slots, and the counts; write nothing
    #[arg(long)]
    dry_run: bool,
    /// Write over calls that are already there (loop.toml and a data set are kept)
    #[arg(long)]
    force: bool,
    /// Show everything that was not imported, not the first five of a reason
    #[arg(long)]
    all: bool,
}

fn rule(text: &str) -> Result<(String, Rule), String> {
    Ok((text.to_owned(), Rule::parse(text)?))
}

fn after_help() -> String {
    let mut out = String::from("Formats, and where each finds the slot unless --map says otherwise:\n");
    for importer in import::ALL {
        let _ = writeln!(out, "  {:<16} {}", importer.name(), importer.about());
        let rules: Vec<&str> = importer.rules().iter().copied().filter(|rule| rule.len() < 60).take(4).collect();
        let rules = if rules.is_empty() { "--map only".to_owned() } else { rules.join(" ") };
        let _ = writeln!(out, "  {:<16}   {rules}", "");
    }
    out.push_str(
        "
ARM gets calls.jsonl, a loop.toml that says what is not known, and import.json with all that was not imported and why. A call without its request
as it was sent is addressed by its slot alone (match = \"slot\"). Failed calls are kept as such. Secrets are reported, never shown.

Exit codes: 0 imported, 2 bad input, 3 nothing could be imported.

Examples:
  redraft import openai-batch input.jsonl output.jsonl errors.jsonl --out recordings/set/arm --dry-run
  redraft import vcrpy cassettes/*.yaml --out my/arm --map 'ticket=uri:case=([a-z0-9]+)' --by-order
  redraft import otel traces.jsonl --out my/arm --map role=attributes.gen_ai.agent.name --map pass=parent.attributes.round
  redraft import trajectories runs.jsonl --out my/arm --dataset datasets/mine",
    );
    out
}

const ROWS: usize = 10;
const LISTED_SHOWN: usize = 5;

pub fn run(args: &Args, common: Common) -> Result<Exit, Error> {
    let importer = import::by_name(&args.format).ok_or_else(|| Error::new(format!("`{}` is no format", args.format)))?;
    let asked: Vec<Rule> = args.rules.iter().map(|(_, rule)| rule.clone()).collect();
    let rules = map::together(&asked, importer.rules()).map_err(Error::new)?;
    let inputs: Vec<Input> = args.sources.iter().map(|path| Input::open(path)).collect::<Result<_, _>>()?;
    let records = importer.read(&inputs)?;
    let total = records.len();
    drop(inputs);
    let by_order = args.by_order || importer.is_ordered();
    let mut placed = place(records, Options { rules: &rules, by_order, provider: args.provider.as_deref() });
    let dataset = args.dataset.clone().unwrap_or_else(|| args.out.join("dataset"));
    let known = dataset_prompts(&dataset)?;
    let package = package(&mut placed, importer.name(), &relative(&args.out, &dataset), known.as_ref());
    let mut out = String::new();
    if args.dry_run && !placed.calls.is_empty() {
        rows(&placed, &mut out);
    }
    counts(&placed, &package, known.as_ref(), importer, total, &mut out);
    listed(&placed.listed, if args.all { usize::MAX } else { LISTED_SHOWN }, &mut out);
    if !placed.calls.is_empty() && !args.dry_run {
        let texts: Vec<String> = args.rules.iter().map(|(text, _)| text.clone()).collect();
        let sources: Vec<String> = args.sources.iter().map(|s| s.file_name().unwrap_or_default().to_string_lossy().into_owned()).collect();
        let target =
            Target { arm: &args.out, dataset: &dataset, force: args.force, importer: importer.name(), rules: &texts, sources: &sources };
        for (path, what) in write(&package, &placed, &target)? {
            let _ = writeln!(out, "{what}: {}", escape_terminal(&path.display().to_string()));
        }
    }
    print(&out)?;
    if placed.calls.is_empty() {
        say("error: nothing was imported; see the reasons above, and `redraft import --help` for --map");
        return Ok(Exit::NoVerdict);
    }
    if !common.quiet && !args.dry_run {
        let arm = escape_terminal(&args.out.display().to_string()).into_owned();
        say(&format!("next: redraft verify {arm}; redraft replay {arm}"));
    }
    Ok(Exit::Fine)
}

fn rows(placed: &Placed, out: &mut String) {
    let cells = |call: &import::place::Call| {
        let request = if call.exchange.request.is_some() { "yes" } else { "no" };
        let slot = call.slot;
        [
            map::short(&call.at),
            map::short(&call.ticket),
            slot.sample.to_string(),
            slot.pass.to_string(),
            slot.role.name().to_owned(),
            slot.n.to_string(),
            call.exchange.status.to_string(),
            request.to_owned(),
        ]
    };
    let head = ["place", "ticket", "sample", "pass", "role", "n", "status", "request"].map(str::to_owned);
    let table: Vec<[String; 8]> = std::iter::once(head).chain(placed.calls.iter().take(ROWS).map(cells)).collect();
    let widths: [usize; 8] = std::array::from_fn(|i| table.iter().map(|row| row[i].chars().count()).max().unwrap_or(0));
    for row in &table {
        let line: Vec<String> =
            row.iter().zip(widths).map(|(cell, width)| format!("{}{}", cell, " ".repeat(width - cell.chars().count()))).collect();
        let _ = writeln!(out, "{}", line.join("  ").trim_end());
    }
    if placed.calls.len() > ROWS {
        let _ = writeln!(out, "... and {} more", placed.calls.len() - ROWS);
    }
}

fn counts(
    placed: &Placed,
    package: &Package,
    known: Option<&BTreeMap<String, String>>,
    importer: &dyn Importer,
    total: usize,
    out: &mut String,
) {
    let calls = &placed.calls;
    let count = |wanted: &dyn Fn(&import::place::Call) -> bool| calls.iter().filter(|call| wanted(call)).count();
    let failed = count(&|call| !call.exchange.is_answer());
    let mut tickets: Vec<&str> = calls.iter().map(|call| call.ticket.as_str()).collect();
    tickets.dedup();
    let _ = writeln!(
        out,
        "{}: {total} records: {} calls of {} tickets ({} answers, {failed} failed), {} not imported",
        importer.name(),
        calls.len(),
        tickets.len(),
        calls.len() - failed,
        placed.listed.len()
    );
    if calls.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "  {} with the request as it was sent; {} bodies put together from the log's fields; {} placed by order; wire form {}",
        count(&|call| call.exchange.request.is_some()),
        count(&|call| call.exchange.is_made),
        placed.by_order,
        placed.provider
    );
    if count(&|call| call.slot.role == Role::Writer) == 0 {
        out.push_str("  no call of a writer: without a draft 0 every ticket is a fault when replayed; import those calls too\n");
    }
    match &package.skeleton.why_slot {
        None => out.push_str("  match = \"key\": the prompts were found, and every request is made again\n"),
        Some(why) => {
            let _ = writeln!(out, "  match = \"slot\": {}", escape_terminal(why));
        }
    }
    if let Some(known) = known {
        let missing = tickets.iter().filter(|id| !known.contains_key(**id)).count();
        if missing > 0 {
            let _ = writeln!(out, "  {missing} of {} tickets are not in the data set: their calls are never asked for", tickets.len());
        }
    } else if package.without_prompt > 0 {
        let _ = writeln!(out, "  {} tickets without a prompt: the log has no call of their writer", package.without_prompt);
    }
    let mut by_kind: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (file, line, kind) in &package.secrets {
        by_kind.entry(kind.name()).or_default().push(format!("{file}:{line}"));
    }
    for (kind, places) in by_kind {
        let more = if places.len() > LISTED_SHOWN { format!(" and {} more", places.len() - LISTED_SHOWN) } else { String::new() };
        let _ = writeln!(
            out,
            "  warning: {kind} in {}{more}; `redraft lint-secrets --redact` takes it out",
            places[..places.len().min(LISTED_SHOWN)].join(", ")
        );
    }
}

/// By reason, the most frequent first.
fn listed(all: &[Listed], shown: usize, out: &mut String) {
    let mut groups: BTreeMap<String, Vec<&Listed>> = BTreeMap::new();
    for one in all {
        // What names another place is one reason all the same.
        let reason = ["; the first is ", ", see "].iter().fold(one.why.as_str(), |why, mark| why.split(mark).next().unwrap_or(why));
        groups.entry(reason.to_owned()).or_default().push(one);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, places)| std::cmp::Reverse(places.len()));
    for (reason, places) in groups {
        let _ = writeln!(out, "not imported, {}: {}", places.len(), escape_terminal(&reason));
        for one in places.iter().take(shown) {
            let _ = writeln!(out, "    {}", escape_terminal(&one.at));
        }
        if places.len() > shown {
            let _ = writeln!(out, "    ... and {} more (--all shows them)", places.len() - shown);
        }
    }
}
