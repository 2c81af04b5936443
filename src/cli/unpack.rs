//! `redraft unpack ARM`: the plain calls of a packed arm.

use std::path::PathBuf;

use super::{Common, Exit, print};
use crate::error::Error;
use crate::record::pack::unpack;
use crate::report::grid::escape_terminal;

/// Give a packed arm its plain calls.jsonl back
#[derive(clap::Args, Debug)]
#[command(after_help = "\
ARM/calls.jsonl.zst becomes ARM/calls.jsonl, which `redraft record` and `redraft batch import` can append to. The packed file is removed
once the plain one was read back.

Example:
  redraft unpack recordings/payments/base")]
pub struct Args {
    /// Folder with a loop.toml and a packed recording
    #[arg(value_name = "ARM")]
    arm: PathBuf,
}

pub fn run(args: &Args, _: Common) -> Result<Exit, Error> {
    let (path, bytes) = unpack(&args.arm)?;
    print(&format!("{}: {bytes} bytes\n", escape_terminal(&path.display().to_string())))?;
    Ok(Exit::Fine)
}
