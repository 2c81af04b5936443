//! `redraft schema NAME`: the JSON Schema of a file format.

use super::{Exit, print};
use crate::arm::LoopFile;
use crate::dataset::{About, TicketLine};
use crate::error::Error;
use crate::ledger::{Header, RunLine};
use crate::tape::CallLine;

/// Print the JSON Schema of a file format
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  redraft schema loop > loop.schema.json")]
pub struct Args {
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(ALL.map(|(name, ..)| name)))]
    name: String,
}

type Make = fn() -> schemars::Schema;

/// Every format that is read or written: name, what it is, its schema.
pub const ALL: [(&str, &str, Make); 6] = [
    ("dataset", "dataset.toml", || schemars::schema_for!(About)),
    ("ticket", "a line of tickets.jsonl", || schemars::schema_for!(TicketLine)),
    ("loop", "loop.toml", || schemars::schema_for!(LoopFile)),
    ("call", "a line of calls.jsonl", || schemars::schema_for!(CallLine<'static>)),
    ("ledger-header", "the first line of ledger.jsonl", || schemars::schema_for!(Header)),
    ("ledger-run", "every further line of ledger.jsonl", || schemars::schema_for!(RunLine<'static>)),
];

pub fn run(args: &Args) -> Result<Exit, Error> {
    let Some((_, _, make)) = ALL.iter().find(|(name, ..)| *name == args.name) else {
        return Err(Error::new(format!("no format is called `{}`", args.name)));
    };
    let text = serde_json::to_string_pretty(&make()).map_err(|e| Error::new(format!("failed to write the schema: {e}")))?;
    print(&(text + "\n"))?;
    Ok(Exit::Fine)
}
