//! `redraft pack ARM`: an arm's calls sorted, merged and compressed, with an index.

use std::path::PathBuf;

use super::{Common, Exit, print, say};
use crate::error::Error;
use crate::record::pack::pack;
use crate::report::grid::escape_terminal;

/// Sort, merge and compress an arm's calls; every verb reads the packed file as it is
#[derive(clap::Args, Debug)]
#[command(after_help = "\
ARM/calls.jsonl becomes ARM/calls.jsonl.zst and calls.jsonl.zst.idx. Lines are sorted by ticket and slot. Lines that say the same are
one; of a failed call and an answer the answer is kept (the other goes to calls.errors.jsonl); two different answers for one call are an
error that names both, and nothing is changed. The plain file is removed once the packed one was read back.

Examples:
  redraft pack recordings/payments/base
  redraft pack my/arm --with theirs/calls.jsonl      two people's recordings of one arm
  redraft pack my/arm && redraft unpack my/arm       sorted and merged, as a plain file")]
pub struct Args {
    /// Folder with a loop.toml and calls
    #[arg(value_name = "ARM")]
    arm: PathBuf,
    /// Further calls of the same arm, plain or packed; they stay as they are
    #[arg(long, value_name = "FILE", num_args = 1..)]
    with: Vec<PathBuf>,
}

pub fn run(args: &Args, common: Common) -> Result<Exit, Error> {
    let done = pack(&args.arm, &args.with)?;
    if done.torn > 0 {
        say(&format!(
            "warning: {} bytes of a cut last line are no call and were left out (those of calls.jsonl are in calls.torn)",
            done.torn
        ));
    }
    if !common.quiet && done.repeated + done.set_aside > 0 {
        say(&format!("{} lines were there twice, {} failed calls went to calls.errors.jsonl", done.repeated, done.set_aside));
    }
    let times = done.plain_bytes as f64 / done.packed_bytes.max(1) as f64;
    print(&escape_terminal(&format!(
        "{}: {} calls of {} tickets in {} frames, {} bytes for {} ({times:.1} times smaller)",
        done.path.display(),
        done.calls,
        done.tickets,
        done.frames,
        done.packed_bytes,
        done.plain_bytes
    )))?;
    print("\n")?;
    Ok(Exit::Fine)
}
