//! `redraft fork ARM NEW`: a new arm that starts from the calls of another.

use std::path::PathBuf;

use super::{Common, Exit, print, say};
use crate::error::Error;
use crate::record::fork::{Wanted, fork};
use crate::report::grid::escape_terminal;

/// Start a new arm from another: its loop.toml, and its calls wherever they still match
#[derive(clap::Args, Debug)]
#[command(after_help = "\
NEW gets ARM's loop.toml with reuse = [\"ARM\"], an empty calls.jsonl, and copies of the texts that lie in ARM. Change the \
texts in NEW, look with `redraft status NEW` what has to be asked anew, and record it.

Example:
  redraft fork recordings/payments/base recordings/payments/stricter --critic-prompt stricter.txt
  redraft status recordings/payments/stricter
  redraft record recordings/payments/stricter")]
pub struct Args {
    /// Folder with a loop.toml
    #[arg(value_name = "ARM")]
    arm: PathBuf,
    /// Folder to make
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// A text that becomes the critic's prompt in NEW
    #[arg(long, value_name = "FILE")]
    critic_prompt: Option<PathBuf>,
}

pub fn run(args: &Args, common: Common) -> Result<Exit, Error> {
    let forked = fork(&args.arm, &args.new, Wanted { reuse: true, critic_prompt: args.critic_prompt.as_deref() })?;
    if !forked.as_written && !common.quiet {
        say("note: loop.toml was written anew; its comments stayed behind");
    }
    let texts = if forked.copied.is_empty() { String::new() } else { format!(", with {}", forked.copied.join(", ")) };
    print(&format!("{}{}\n", escape_terminal(&args.new.display().to_string()), escape_terminal(&texts)))?;
    Ok(Exit::Fine)
}
