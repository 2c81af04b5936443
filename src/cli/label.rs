//! `redraft label ARM`: walks a person through a sample of an arm, or tells how far raters agree.

mod agreement;
mod card;
mod walk;

use std::collections::{BTreeSet, HashMap};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use self::card::Card;
use self::walk::{Deck, Walk};
use super::paint::Paint;
use super::{Common, Exit, say, warn_torn};
use crate::error::Error;
use crate::label::{Kind, Labels, Place, Rater, Stale, sample};
use crate::replay::{Filter, Options, Prepared};

/// Label findings, drafts, mentions or defects of an arm, one by one; or tell how far raters agree
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Shown for each thing: what was asked, the sources, the draft with the quotation marked, and the critic's words; never its severity, nor what \
another rater said. Each answer is appended to the label file at once. What this rater has judged already is not asked again, so the command \
can be stopped and started at will. Type a letter, then Enter:
  findings  r real, s spurious, u unsure
  drafts    c correct, i incorrect, u unsure
  mentions  the numbers of the sections that the critique speaks of, or - for none
  defects   a CLASS | QUOTE adds one, x takes the last away, . is done
  always    n NOTE keeps a note with the answer, b back, Enter leave open, q quit
Where standard input is no terminal, answers are read from it, one a line, and an answer that is not known ends the command.

Examples:
  redraft label recordings/payments-qwen-1.5b/findings-serial --rater ana --sample 40
  printf 'r\\ns the sum is right\\nq\\n' | redraft label my/arm --rater ana --labels my-labels.jsonl
  redraft label recordings/payments-qwen-1.5b/findings-serial --agreement")]
pub struct Args {
    /// Folder with a loop.toml and calls
    arm: PathBuf,
    /// Who judges: a name (a person's), or model-reader:NAME (default: the user's name)
    #[arg(long, value_name = "NAME")]
    rater: Option<String>,
    /// What is judged
    #[arg(long, value_enum, default_value = "findings")]
    kind: What,
    /// How many things, spread over the severities (default: all)
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// Of the sample: two raters with one seed see the same things
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// The label file (default: labels.jsonl beside the dataset)
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Only these tickets: an id, with * for anything, or tag:NAME (may be given several times)
    #[arg(long, value_name = "TERM")]
    filter: Vec<String>,
    /// Tell how far raters agree, judges included, and on what they differ; nothing is asked
    #[arg(long, conflicts_with_all = ["rater", "sample"])]
    agreement: bool,
    /// What --agreement prints
    #[arg(long, value_enum, default_value = "table", requires = "agreement")]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum What {
    Findings,
    Drafts,
    Mentions,
    Defects,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Table,
    Json,
}

impl What {
    const fn kind(self) -> Kind {
        match self {
            What::Findings => Kind::Finding,
            What::Drafts => Kind::Draft,
            What::Mentions => Kind::Mention,
            What::Defects => Kind::Defect,
        }
    }
}

pub fn run(args: &Args, common: Common) -> Result<Exit, Error> {
    let rater = if args.agreement { None } else { Some(rater(args.rater.as_deref())?) };
    let prepared = Prepared::open(&args.arm)?;
    warn_torn(&prepared.recording);
    let path = args.labels.clone().unwrap_or_else(|| prepared.dataset.dir().join("labels.jsonl"));
    let labels = if path.exists() { Labels::read(&path)? } else { Labels::none(&path) };
    if let Some(warning) = labels.torn_warning() {
        say(&format!("warning: {warning}; the next label takes its place"));
    }
    let options = Options { filter: Filter::parse(&args.filter)?, ..Options::default() };
    let gathered = prepared.gather(&options, Some(&labels))?;
    if !args.agreement {
        tell_stale(&labels.path, &gathered.join.stale);
    }
    let Some((rater, from)) = rater else {
        return agreement::run(&gathered, &labels, args.seed, args.format == Format::Json, Paint::stdout(common.color));
    };
    let kind = args.kind.kind();
    let (chosen, strata) = sample::sample(&gathered.things, kind, args.sample, args.seed);
    if chosen.is_empty() {
        return Err(Error::at(&args.arm, format!("no {} to label among the chosen tickets", kind.name())));
    }
    let chosen: Vec<&crate::label::Thing> = chosen.iter().map(|at| &gathered.things[*at]).collect();
    let tickets: BTreeSet<&str> = chosen.iter().map(|thing| thing.place.ticket.as_str()).collect();
    let mut cards = cards(&prepared, kind, &tickets.into_iter().map(str::to_owned).collect::<Vec<_>>())?;
    let own = gathered.join.fresh.iter().filter(|label| label.rater == rater);
    let done: HashMap<&Place, _> = own.map(|label| (&label.place, label)).collect();
    let deck: Vec<Deck> = chosen
        .iter()
        .filter_map(|thing| {
            Some(Deck { card: cards.remove(&thing.place)?, of: thing.of.clone(), said: done.get(&thing.place).map(|l| (*l).clone()) })
        })
        .collect();
    let asks = !std::io::stdin().is_terminal();
    if !common.quiet {
        say(&format!("rater: {rater}{from}; labels: {}", path.display()));
        if kind == Kind::Finding && args.sample.is_some() {
            let told = |s: &sample::Stratum| {
                format!("{} {} of {}", if s.severity.is_empty() { "(no severity)" } else { &s.severity }, s.drawn, s.size)
            };
            say(&format!("sample: {}", strata.iter().map(told).collect::<Vec<_>>().join(", ")));
        }
        if asks {
            say("standard input is no terminal: answers are read from it, one a line");
        }
    }
    let mut walk = Walk { deck, rater, arm: arm_name(&prepared.arm_path), path, scripted: asks, paint: Paint::stdout(common.color) };
    let answered = walk.run(&mut std::io::stdin().lock())?;
    let judged = walk.deck.iter().filter(|one| one.said.is_some()).count();
    if !common.quiet {
        say(&format!("{answered} answered now; {judged} of {} judged by {}", walk.deck.len(), walk.rater));
    }
    Ok(Exit::Fine)
}

/// Who judges, and where the name is from.
fn rater(given: Option<&str>) -> Result<(Rater, &'static str), Error> {
    let of = |text: &str| match text.split_once(':') {
        None => Rater::parse(&format!("human:{text}")),
        Some(_) => Rater::parse(text),
    };
    if let Some(text) = given {
        let rater = of(text).map_err(|what| Error::new(format!("--rater: {what}")))?;
        return match rater {
            Rater::Human(_) | Rater::ModelReader(_) => Ok((rater, "")),
            _ => Err(Error::new(format!(
                "--rater {rater}: only people and models that read can be asked here; a judge's labels are its recorded calls, planted ones are written by whoever plants"
            ))),
        };
    }
    let user = ["USER", "LOGNAME", "USERNAME"].iter().find_map(|name| std::env::var(name).ok().filter(|user| !user.trim().is_empty()));
    let user = user.ok_or_else(|| Error::new("who judges is not known: neither USER nor LOGNAME is set; give --rater NAME"))?;
    Ok((Rater::Human(user), " (the user's name; --rater says another)"))
}

/// As labels name an arm: its folder and the one above.
fn arm_name(path: &str) -> String {
    let parts: Vec<&str> = path.rsplit('/').take(2).collect();
    parts.into_iter().rev().collect::<Vec<_>>().join("/")
}

/// Lines printed at most; the count is always whole.
const SHOWN_MAX: usize = 20;

fn tell_stale(path: &Path, stale: &[Stale]) {
    if stale.is_empty() {
        return;
    }
    say(&format!("warning: {}: {} labels of this arm are stale and not used", path.display(), stale.len()));
    for one in stale.iter().take(SHOWN_MAX) {
        say(&format!("  {}", stale_line(one)));
    }
    if stale.len() > SHOWN_MAX {
        say(&format!("  ... and {} more", stale.len() - SHOWN_MAX));
    }
}

fn stale_line(stale: &Stale) -> String {
    let line = stale.line.map_or(String::new(), |line| format!("line {line}: "));
    format!("{line}{} by {}: {}", stale.place, stale.rater, stale.why)
}

/// What is to be shown, by place.
fn cards(prepared: &Prepared, kind: Kind, tickets: &[String]) -> Result<HashMap<Place, Card>, Error> {
    let options = Options { filter: Filter::ids(tickets), ..Options::default() };
    let rule = prepared.program.spec.sections;
    let mut all = HashMap::new();
    prepared.each(
        &options,
        |ticket, runs| runs.iter().flat_map(|run| card::cards(ticket, run, kind, rule)).collect::<Vec<_>>(),
        |made| {
            all.extend(made.into_iter().map(|card| (card.place.clone(), card)));
            Ok(())
        },
    )?;
    Ok(all)
}
