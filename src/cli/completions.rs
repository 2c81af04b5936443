//! `redraft completions SHELL`: a completion script.

use super::{Exit, print};
use crate::error::Error;

/// Print a completion script for a shell
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  redraft completions bash > ~/.local/share/bash-completion/completions/redraft")]
pub struct Args {
    shell: clap_complete::Shell,
}

pub fn run(args: &Args, mut command: clap::Command) -> Result<Exit, Error> {
    let mut script = vec![];
    clap_complete::generate(args.shell, &mut command, "redraft", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Fine)
}
