//! `redraft demo`: the main job on the data that ships with the repository.

use std::path::{Path, PathBuf};

use super::replay::{self, Format};
use super::reports::Forms;
use super::{Common, Exit, say};
use crate::error::Error;

/// Replay and compare the shipped arms: HTML page, table, plots and ledger in reports/demo
#[derive(clap::Args, Debug)]
#[command(after_help = "Example (in a checkout of the repository):\n  redraft demo && xdg-open reports/demo/index.html")]
pub struct Args {
    /// Folder for the report (default: reports/demo beside the shipped recordings)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

const SHIPPED: [&str; 2] = ["recordings/payments/sim-prose", "recordings/payments/sim-structured"];

pub fn run(args: &Args, common: Common) -> Result<Exit, Error> {
    let here = std::env::current_dir().map_err(|e| Error::new(format!("failed to find the working folder: {e}")))?;
    let has_data = |dir: &&Path| SHIPPED.iter().all(|arm| dir.join(arm).is_dir());
    let Some(root) = here.ancestors().find(has_data) else {
        return Err(Error::new(format!(
            "no {} in this folder or above it; run the demo inside a checkout of the repository, or replay an arm of your own with `redraft replay`",
            SHIPPED[0]
        )));
    };
    // Paths are shown and written relative to where the user stands, where that is possible.
    let root = if root == here { PathBuf::new() } else { root.to_path_buf() };
    let out = args.out.clone().unwrap_or_else(|| root.join("reports/demo"));
    let replay = replay::Args {
        arms: SHIPPED.iter().map(|arm| root.join(arm)).collect(),
        out: Some(out.clone()),
        jobs: 0,
        format: Format::Table,
        filter: vec![],
        shard: None,
        labels: None,
        strict: false,
        all: false,
        png: false,
        forms: Forms::of("html"),
        compared: true,
    };
    let exit = replay::run(&replay, common)?;
    if !common.quiet {
        say(&format!("both arms side by side, ticket by ticket: open {} in a browser", out.join("index.html").display()));
    }
    Ok(exit)
}
