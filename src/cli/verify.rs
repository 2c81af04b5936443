//! `redraft verify ARM...`: does a recording keep its promises? Nothing is measured.

use std::path::{Path, PathBuf};

use super::{Common, Exit, print, warn_torn};
use crate::arm::Matching;
use crate::error::Error;
use crate::model::{FaultKind, Role};
use crate::progress::Progress;
use crate::replay::{Options, Prepared};
use crate::report::grid::escape_terminal;
use crate::tape::{Defect, check_line};

/// Recompute every request key of an arm and check its contract, without measuring
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Checked, for every recorded call: the key is the key of the recorded request, the provider's form is known, the answer is readable.
Checked, for every run: the loop's prompts ask exactly the recorded requests, and every recorded call but a judge's is asked for.

Example:
  redraft verify recordings/payments-qwen-1.5b/prose-whole")]
pub struct Args {
    /// Folders with a loop.toml and calls
    #[arg(required = true, value_name = "ARM")]
    arms: Vec<PathBuf>,
    /// Worker threads (0: one a core)
    #[arg(long, default_value_t = 0, value_name = "N")]
    jobs: usize,
    /// Calls that no run asks for are a defect too
    #[arg(long)]
    strict: bool,
}

/// Lines printed at most an arm and kind; the count is always whole.
const SHOWN_MAX: usize = 20;

pub fn run(args: &Args, common: Common) -> Result<Exit, Error> {
    let mut clean = true;
    for dir in &args.arms {
        clean &= one(dir, args, common)?;
    }
    Ok(if clean { Exit::Fine } else { Exit::NoVerdict })
}

fn one(dir: &Path, args: &Args, common: Common) -> Result<bool, Error> {
    let prepared = Prepared::open(dir)?;
    prepared.recording.check_index()?;
    let spec = &prepared.program.spec;
    let by_slot = spec.matching == Matching::Slot;
    let options = Options { jobs: args.jobs, ..Options::default() };
    let mut progress = Progress::new("verify", prepared.expected(&options), common.quiet);
    let (mut calls, mut keys_equal, mut asked, mut runs, mut judged) = (0usize, 0usize, 0usize, 0usize, 0usize);
    let (mut defects, mut faults, mut unused) = (vec![], vec![], vec![]);
    let mut mismatched = false;
    let tally = prepared.each(
        &options,
        |ticket, runs| {
            let found = prepared.lines(&ticket.id, |call| (check_line(call, &spec.ignore, by_slot), call.slot.role == Role::Judge));
            (ticket.id.clone(), runs, found)
        },
        |(ticket, made, found)| {
            progress.tick();
            for (line, (call_defects, is_judges)) in found? {
                calls += 1;
                judged += usize::from(is_judges);
                keys_equal += usize::from(!call_defects.iter().any(Defect::is_of_key));
                defects.extend(call_defects.into_iter().map(|d| format!("line {line}: {}: {}", d.code, d.what)));
            }
            for run in made {
                runs += 1;
                asked += run.passes.iter().map(|p| p.calls.len()).sum::<usize>();
                if let Some(fault) = run.fault {
                    mismatched |= fault.kind == FaultKind::Mismatch;
                    faults.push(format!("ticket {ticket}: {}: {}", fault.at, fault.what));
                } else {
                    unused.extend(run.unused.iter().map(|slot| format!("ticket {ticket}: {slot} was never asked for")));
                }
            }
            Ok(())
        },
    )?;
    progress.finish();
    warn_torn(&prepared.recording);
    unused.extend(tally.orphans.iter().map(|(line, ticket)| format!("line {line}: ticket {ticket} is not in the dataset")));
    let judges = if judged > 0 { format!(", {judged} of judges (no part of a loop: labels)") } else { String::new() };
    let keys = if by_slot { "matched by slot, requests not recorded".to_owned() } else { format!("{keys_equal} of {calls} keys equal") };
    print(&format!(
        "{}: {calls} calls{judges}, {keys}; {runs} runs, {asked} calls asked for, {} faults, {} unused\n",
        crate::report::grid::escape_terminal(&dir.display().to_string()),
        faults.len(),
        unused.len()
    ))?;
    for list in [&defects, &faults, &unused] {
        for text in list.iter().take(SHOWN_MAX) {
            print(&format!("  {}\n", escape_terminal(text)))?;
        }
        if list.len() > SHOWN_MAX {
            print(&format!("  ... and {} more\n", list.len() - SHOWN_MAX))?;
        }
    }
    if mismatched {
        print("  (recorded -> asked now: put loop.toml back, or record these calls again)\n")?;
    }
    Ok(defects.is_empty() && faults.is_empty() && (unused.is_empty() || !args.strict))
}
