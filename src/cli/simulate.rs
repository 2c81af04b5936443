//! `redraft simulate ARM`: fill an arm with calls of simulated models, whose faults have names and rates.

use std::path::PathBuf;

use super::{Common, Exit, print};
use crate::error::Error;
use crate::progress::Progress;
use crate::record::simulate::{Options, rates, simulate};

/// Fill an arm with calls of simulated models whose faults have names, rates and a known truth
#[derive(clap::Args, Debug)]
#[command(after_help = "\
A seeded model of writer, critic and reviser answers the loop of ARM/loop.toml over its dataset.
calls.jsonl replays like any recording; truth.jsonl tells what is true of every pass: which
quotations are verbatim, what was applied, which sections and checks were touched.
The same seed gives the same bytes. Tickets need fields.facts, as in datasets/payments, and
loop.toml needs `synthetic`, so that no report takes the answers for a model's.

Examples:
  redraft simulate --list-rates
  redraft simulate recordings/payments/sim-structured --force
  redraft simulate my/arm --seed 7 --rate spins=0.5 --rate unreadable=0
  redraft simulate recordings/payments/sim-prose --tickets 30000 --out big   # big/dataset, big/sim-prose")]
pub struct Args {
    /// Folder with a loop.toml
    #[arg(required_unless_present = "list_rates", value_name = "ARM")]
    arm: Option<PathBuf>,
    /// Where the rates come from
    #[arg(long, default_value = "published", value_name = "NAME")]
    preset: String,
    /// Another seed gives other drafts, complaints and edits at the same rates
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Change one rate of the preset (several times)
    #[arg(long = "rate", value_name = "NAME=VALUE", value_parser = rate)]
    rates: Vec<(String, f64)>,
    /// Explain every rate, with its value per preset
    #[arg(long)]
    list_rates: bool,
    /// Make a dataset of N tickets by going round, in a folder of its own
    #[arg(long, value_name = "N", requires = "out", value_parser = clap::value_parser!(u32).range(1..))]
    tickets: Option<u32>,
    /// Folder for --tickets: gets dataset/ and the arm
    #[arg(long, value_name = "DIR", requires = "tickets")]
    out: Option<PathBuf>,
    /// Write over calls that are already there
    #[arg(long)]
    force: bool,
    /// Worker threads (0: one a core); makes no difference to what is written
    #[arg(long, default_value_t = 0, value_name = "N")]
    jobs: usize,
}

fn rate(text: &str) -> Result<(String, f64), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, such as spins=0.5")?;
    let value = value.parse().map_err(|_| format!("`{value}` is not a number"))?;
    Ok((name.trim().to_owned(), value))
}

pub fn run(args: &Args, common: Common) -> Result<Exit, Error> {
    if args.list_rates {
        print(&list())?;
        return Ok(Exit::Fine);
    }
    let Some(arm) = &args.arm else { return Err(Error::new("no arm was named; expected a folder with a loop.toml")) };
    let options = Options {
        preset: args.preset.clone(),
        seed: args.seed,
        rates: args.rates.clone(),
        jobs: args.jobs,
        force: args.force,
        scaled: args.tickets.zip(args.out.clone()).map(|(count, out)| (count as usize, out)),
    };
    let mut progress = None;
    let written = simulate(arm, &options, |total| progress.get_or_insert_with(|| Progress::new("simulate", total, common.quiet)).tick())?;
    if let Some(progress) = progress {
        progress.finish();
    }
    print(&format!("{}: {} tickets, {} calls, {} bytes\n", written.arm.display(), written.tickets, written.calls, written.bytes))?;
    Ok(Exit::Fine)
}

/// Every rate with its value per preset, and what it means.
fn list() -> String {
    let mut out = String::from("Presets:\n");
    for (name, about) in rates::PRESETS {
        out.push_str(&format!("  {name:<12} {about}\n"));
    }
    out.push_str("\nRates, with preset published for prose and for findings (faultless: 0 for all):\n");
    out.push_str(&format!("  {:<22} {:>6} {:>9}\n", "rate", "prose", "findings"));
    for rate in &rates::ALL {
        out.push_str(&format!("  {:<22} {:>6} {:>9}  {}\n", rate.name, rate.published[0], rate.published[1], rate.about));
    }
    out
}
