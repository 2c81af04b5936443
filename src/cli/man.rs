//! `redraft man`: the manual page, in roff.

use super::{Exit, print};
use crate::error::Error;

/// Print the manual page
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  redraft man > redraft.1 && man ./redraft.1")]
pub struct Args {}

pub fn run(_: &Args, command: clap::Command) -> Result<Exit, Error> {
    let mut page = vec![];
    clap_mangen::Man::new(command).render(&mut page).map_err(|e| Error::new(format!("failed to write the manual page: {e}")))?;
    print(&String::from_utf8_lossy(&page))?;
    Ok(Exit::Fine)
}
