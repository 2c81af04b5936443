//! `redraft critic SIDE...`: what critics caught, whether arms can be held side by side, and whether quotations hold.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use super::paint::Paint;
use super::{Common, Exit, print, say, sides};
use crate::critic::grounding::Row;
use crate::critic::{self, About, ArmSum, Critic, labelled};
use crate::error::Error;
use crate::jsonl;
use crate::ledger::Header;
use crate::progress::Progress;
use crate::replay::Filter;
use crate::report;
use crate::side::{Options, Place, Source};

/// Which defects critics catch, by class and arm, and whether what they quote holds
#[derive(clap::Args, Debug)]
#[command(after_help = "\
A side is an arm's folder, a ledger.jsonl, or a report folder that holds one; where it holds several arms, name one: PATH@ARM. A ledger tells \
nothing of defects and sources: give --dataset DIR. Arms are held against the first one.
docs/critic.md explains every table.

Exit codes:
  0  told
  2  bad input
  3  nothing to tell: no known defect and no grounded finding, or no run of two arms with the same draft 0

Examples:
  redraft critic recordings/payments-qwen-1.5b/grounded --log grounded.jsonl
  redraft critic recordings/payments-qwen-1.5b/findings-batched recordings/payments-qwen-1.5b/grounded --format markdown
  redraft critic reports/last-week@grounded --dataset datasets/payments --format json | jq '.catches[] | {class, arms}'")]
pub struct Args {
    /// Arms, report folders with a ledger, or ledgers
    #[arg(required = true, value_name = "SIDE")]
    sides: Vec<OsString>,
    /// What to print
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Worker threads (0: one a core); never changes a result
    #[arg(long, default_value_t = 0, value_name = "N")]
    jobs: usize,
    /// The tickets of a ledger: their defects, checks and sources
    #[arg(long, value_name = "DIR")]
    dataset: Option<PathBuf>,
    /// Labels in place of those beside the dataset
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Where raters of one kind differ: the word of most who were sure, or only that of all
    #[arg(long, value_enum, default_value = "majority", value_name = "HOW")]
    resolve: Resolve,
    /// Only these tickets: an id, with * for anything, or, of arms, tag:NAME (may be given several times)
    #[arg(long, value_name = "TERM")]
    filter: Vec<String>,
    /// Also write every grounded finding, a JSON object a line: both quotations, what each was found as, and what differs
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Resolve {
    Majority,
    Unanimous,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Text,
    Json,
    Csv,
    Markdown,
}

pub fn run(args: &Args, common: Common) -> Result<Exit, Error> {
    let options = Options { jobs: args.jobs, dataset: args.dataset.clone(), labels: args.labels.clone(), ..Options::default() };
    let filter = Filter::parse(&args.filter)?;
    let places: Vec<Place> = args.sides.iter().map(|given| Place::from(given.clone())).collect();
    let sources = places.iter().map(|place| Source::open(place, &options)?.only(&filter)).collect::<Result<Vec<_>, Error>>()?;
    let names = sides::names(&places, &sources);
    let mut log = args.log.as_deref().map(Log::create).transpose()?;
    let mut sums = vec![];
    for ((source, name), place) in sources.iter().zip(&names).zip(&places) {
        sums.push(read((source, name, place), sources.len() > 1, args.resolve, log.as_mut(), common)?);
    }
    log.map_or(Ok(()), Log::finish)?;
    let found = critic::finish(sums);
    print(&match args.format {
        Format::Text => report::critic::text(&found, Paint::stdout(common.color).style()),
        Format::Json => found.to_json(),
        Format::Csv => report::critic::csv(&found),
        Format::Markdown => report::critic::markdown(&found),
    })?;
    Ok(exit(&found))
}

fn read(
    (source, name, place): (&Source, &str, &Place),
    paired: bool,
    resolve: Resolve,
    mut log: Option<&mut Log>,
    common: Common,
) -> Result<ArmSum, Error> {
    let resolve = match resolve {
        Resolve::Majority => labelled::Resolve::Majority,
        Resolve::Unanimous => labelled::Resolve::Unanimous,
    };
    let about = About { resolve, ..About::of(Header { arm: name.to_owned(), ..source.header().unwrap_or_default() }) };
    let mut sum = ArmSum::new(name, &place.to_string(), &about, source.warnings(), paired);
    source.warnings().iter().for_each(|warning| say(&format!("warning: {warning}")));
    let mut progress = Progress::new(name, source.expected(), common.quiet);
    source.look(
        |look| critic::look(look, &about, &look.ticket.defects),
        |seen| {
            progress.tick();
            if let Some(log) = &mut log {
                seen.rows().iter().try_for_each(|row| log.line(row))?;
            }
            sum.add(seen);
            Ok(())
        },
    )?;
    progress.finish();
    Ok(sum)
}

/// The log in the making.
struct Log {
    path: PathBuf,
    out: BufWriter<File>,
}

impl Log {
    fn create(path: &Path) -> Result<Log, Error> {
        let file = File::create(path).map_err(|e| Error::io(path, "create the log", &e))?;
        Ok(Log { path: path.to_path_buf(), out: BufWriter::new(file) })
    }

    fn line(&mut self, row: &Row) -> Result<(), Error> {
        self.out.write_all(jsonl::line(row).as_bytes()).map_err(|e| Error::io(&self.path, "write the log", &e))
    }

    fn finish(mut self) -> Result<(), Error> {
        self.out.flush().map_err(|e| Error::io(&self.path, "write the log", &e))
    }
}

fn exit(critic: &Critic) -> Exit {
    let apart = !critic.versus.is_empty() && critic.versus.iter().all(|versus| versus.draft.same == 0);
    if critic.tells() && !apart { Exit::Fine } else { Exit::NoVerdict }
}
