//! `redraft schema NAME`: the JSON Schema of a file format.

use super::{Exit, print};
use crate::arm::LoopFile;
use crate::compare::Comparison;
use crate::critic::Critic;
use crate::dataset::{About, TicketLine};
use crate::error::Error;
use crate::gate::Gate;
use crate::gate::policy::PolicyFile;
use crate::import::trajectories::RunLog;
use crate::label::LabelLine;
use crate::ledger::{Header, RunLine};
use crate::metric::{self, Kind};
use crate::passes::Study;
use crate::report::json::Document;
use crate::summary::Summary;
use crate::table;
use crate::tape::CallLine;

/// Print the JSON Schema of a file format
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Formats: dataset (dataset.toml), ticket (a line of tickets.jsonl), loop (loop.toml), call (a line of calls.jsonl), trajectory (a line of what import trajectories reads), label (a line of labels.jsonl), ledger-header and \
ledger-run (lines of ledger.jsonl), table (a row of table.parquet, every column explained), summary (summary.json), compare \
(compare.json), critic (what `critic --format json` prints), passes (passes.json), gate-policy (gate.toml), gate (gate.json), status (of status --format json), report (report.json).

Example:\n  redraft schema loop > loop.schema.json")]
pub struct Args {
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(ALL.map(|(name, ..)| name)))]
    name: String,
}

type Make = fn() -> schemars::Schema;

/// Every format that is read or written: name, what it is, its schema.
pub const ALL: [(&str, &str, Make); 17] = [
    ("dataset", "dataset.toml", || schemars::schema_for!(About)),
    ("ticket", "a line of tickets.jsonl", || schemars::schema_for!(TicketLine)),
    ("loop", "loop.toml", || schemars::schema_for!(LoopFile)),
    ("call", "a line of calls.jsonl", || schemars::schema_for!(CallLine<'static>)),
    ("trajectory", "a line of what `redraft import trajectories` reads", || schemars::schema_for!(RunLog)),
    ("label", "a line of labels.jsonl", || schemars::schema_for!(LabelLine)),
    ("ledger-header", "the first line of ledger.jsonl", || schemars::schema_for!(Header)),
    ("ledger-run", "every further line of ledger.jsonl", || schemars::schema_for!(RunLine<'static>)),
    ("table", "a row of table.parquet and table.csv", row),
    ("summary", "summary.json", || schemars::schema_for!(Summary)),
    ("compare", "compare.json", || schemars::schema_for!(Comparison)),
    ("critic", "critic.json, as `redraft critic --format json` prints it", || schemars::schema_for!(Critic)),
    ("passes", "passes.json", || schemars::schema_for!(Study)),
    ("gate-policy", "gate.toml", || schemars::schema_for!(PolicyFile)),
    ("gate", "gate.json", || schemars::schema_for!(Gate)),
    ("status", "redraft status --format json", || schemars::schema_for!(super::status::Document)),
    ("report", "report.json", || schemars::schema_for!(Document<'static>)),
];

/// The table's columns, in their order, each with its type and what it means.
fn row() -> schemars::Schema {
    let known = table::IDENTITY.iter().map(|(name, kind, about)| (*name, *kind, *about));
    let columns = known.chain(metric::columns().map(|c| (c.name, c.kind, c.about)));
    let property = |(name, kind, about): (&str, Kind, &str)| {
        let kind = match kind {
            Kind::Int => "integer",
            Kind::Real | Kind::Usd => "number",
            Kind::Flag => "boolean",
            Kind::Text => "string",
        };
        (name.to_owned(), serde_json::json!({ "type": [kind, "null"], "description": about }))
    };
    let properties: serde_json::Map<String, serde_json::Value> = columns.map(property).collect();
    schemars::json_schema!({ "title": "A row of table.parquet: one pass of one run", "type": "object", "properties": properties })
}

pub fn run(args: &Args) -> Result<Exit, Error> {
    let Some((_, _, make)) = ALL.iter().find(|(name, ..)| *name == args.name) else {
        return Err(Error::new(format!("no format is called `{}`", args.name)));
    };
    let text = serde_json::to_string_pretty(&make()).map_err(|e| Error::new(format!("failed to write the schema: {e}")))?;
    print(&(text + "\n"))?;
    Ok(Exit::Fine)
}
