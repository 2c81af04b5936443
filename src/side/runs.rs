//! The runs behind a side: an arm's, replayed again, or a ledger's, read again.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::kept::Kept;
use super::{Options, source};
use crate::arm::Outline;
use crate::dataset::{Dataset, IdHash, Lookup, RawTicket};
use crate::detail::{self, Detail};
use crate::error::Error;
use crate::files;
use crate::jsonl::Line;
use crate::label::{self, Label, Labels, Laid, Stale};
use crate::ledger::{self, Header};
use crate::metric::{self, Measured, Settings};
use crate::model::{Run, Slot, Ticket};
use crate::replay::{self, Filter, Prepared, Workers};
use crate::text::section::SectionRule;

pub(super) enum Runs {
    /// With the number of threads to replay it on.
    Arm(Box<Prepared>, usize),
    Ledger(Box<Ledger>),
}

impl Runs {
    pub fn details(&self, tickets: &[String]) -> Result<Vec<Detail>, Error> {
        let mut all = vec![];
        let mut keep = |some: Vec<Detail>| {
            all.extend(some);
            Ok(())
        };
        match self {
            Runs::Arm(prepared, jobs) => {
                let settings = Settings::of(&prepared.program.spec);
                let options = replay::Options { jobs: *jobs, filter: Filter::ids(tickets), ..replay::Options::default() };
                let of = |ticket: &Ticket, runs: Vec<Run>| runs.iter().map(|run| detail::of(ticket, run, &settings)).collect();
                prepared.each(&options, of, keep)?;
            }
            Runs::Ledger(ledger) => {
                let outline = Outline::of(&ledger.header.spec).map_err(|what| Error::at(&ledger.path, what))?;
                let settings = Settings { sections: outline.sections, growth: outline.growth };
                let wanted: HashSet<&str> = tickets.iter().map(String::as_str).collect();
                let of = |ticket: &Ticket, mut run: Run| {
                    ledger.lay_over(&settings, &mut run);
                    detail::of(ticket, &run, &settings)
                };
                ledger.each(Some(&wanted), of, |_, detail| keep(vec![detail]))?;
            }
        }
        Ok(all)
    }
}

/// A run as it is looked at where it is not measured.
pub struct Look<'a> {
    /// With nothing but its id where `known` is false.
    pub ticket: &'a Ticket,
    pub known: bool,
    pub run: &'a Run,
    /// Which model said that it answered, by call; empty where the recording is not at hand.
    pub answered: &'a [(Slot, String)],
    /// What is said of it: by labels and by judges.
    pub labels: &'a [Label],
    /// Labels that are of something else by now.
    pub stale: &'a [Stale],
}

/// Holds the lines of a ledger to their order: the runs of a ticket together, its samples each once and in order.
#[derive(Default)]
struct Order {
    seen: HashSet<IdHash>,
    last: Option<(String, u32)>,
}

impl Order {
    fn check(&mut self, path: &Path, number: usize, ticket: &str, sample: u32) -> Result<(), Error> {
        let same = self.last.as_ref().filter(|(last, _)| last == ticket);
        let what = match same {
            Some((_, last)) if *last >= sample => {
                format!("ticket `{ticket}`: sample {sample} after sample {last}; expected samples in order, each once")
            }
            None if !self.seen.insert(IdHash::of(ticket)) => {
                format!("ticket `{ticket}` comes again after another one; expected the runs of a ticket together")
            }
            _ => {
                self.last = Some((ticket.to_owned(), sample));
                return Ok(());
            }
        };
        Err(Error::at_line(path, number, what))
    }
}

/// One arm of a ledger file.
pub(super) struct Ledger {
    pub path: PathBuf,
    pub header: Header,
    dataset: Option<Dataset>,
    labels: Option<Labels>,
    jobs: usize,
}

/// Takes one ticket's runs, measured, and their lines if they are to be written again.
type Take<'t> = dyn FnMut(&[Measured], &[Vec<u8>]) -> Result<(), Error> + 't;

impl Ledger {
    /// With what must be said of it; `measure` where its runs will be measured and not only shown.
    pub fn new(path: &Path, header: Header, options: &Options, measure: bool) -> Result<(Ledger, Option<String>), Error> {
        let (dataset, warning) = source::dataset(path, &header, options, measure)?;
        let labels = match (&options.labels, &dataset) {
            (Some(file), _) => Some(Labels::read(file)?),
            (None, Some(dataset)) => Labels::beside(dataset.dir())?,
            (None, None) => None,
        };
        Ok((Ledger { path: path.to_path_buf(), header, dataset, labels, jobs: options.jobs }, warning))
    }

    /// Measures every run anew. All runs of a ticket are taken together; `kept` gets each where they are to be kept.
    pub fn measure(&self, settings: &Settings, keep_lines: bool, kept: &mut Option<Kept>, take: &mut Take<'_>) -> Result<Laid, Error> {
        let known = self.dataset.is_some();
        let keeps = kept.is_some();
        let work = |ticket: &Ticket, mut run: Run| {
            let laid = self.lay_over(settings, &mut run);
            let mut measured = metric::measure_guarded(ticket, &mut run, settings);
            if !known {
                metric::forget_checks(&mut measured);
            }
            (measured, keep_lines.then(|| ledger::run_line(&run)), laid, keeps.then(|| (ticket.clone(), run)))
        };
        let mut sum = Laid::default();
        let mut order = Order::default();
        let (mut runs, mut lines): (Vec<Measured>, Vec<Vec<u8>>) = (vec![], vec![]);
        self.each(None, work, |number, (measured, line, laid, run)| {
            sum += laid;
            if runs.last().is_some_and(|last| last.ticket != measured.ticket) {
                take(&runs, &lines)?;
                runs.clear();
                lines.clear();
            }
            order.check(&self.path, number, &measured.ticket, measured.sample)?;
            runs.push(measured);
            lines.extend(line);
            if let Some((ticket, run)) = run {
                kept.take_if(|kept| !kept.push(ticket, run));
            }
            Ok(())
        })?;
        if !runs.is_empty() {
            take(&runs, &lines)?;
        }
        Ok(sum)
    }

    fn lay_over(&self, settings: &Settings, run: &mut Run) -> Laid {
        let labels = self.labels.as_ref();
        labels.map_or(Laid::default(), |labels| labels.lay_over(&self.header.arm, settings.sections, std::slice::from_mut(run)))
    }

    /// Looks at every run, in the order of the file.
    pub fn look<T: Send>(
        &self,
        filter: &Filter,
        look: impl Fn(&Look<'_>) -> T + Sync,
        mut take: impl FnMut(T) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let known = self.dataset.is_some();
        let mut order = Order::default();
        let work = |ticket: &Ticket, run: Run| {
            let chosen = filter.takes_id(&run.ticket);
            let looked = chosen.then(|| {
                let rule = Outline::of(&self.header.spec).map_or_else(|_| SectionRule::default(), |outline| outline.sections);
                let (labels, stale) = label::of_run(self.labels.as_ref(), &self.header.arm, &run, rule, &[]);
                look(&Look { ticket, known, run: &run, answered: &[], labels: &labels, stale: &stale })
            });
            (run.ticket, run.sample, looked)
        };
        self.each(None, work, |number, (ticket, sample, looked)| {
            order.check(&self.path, number, &ticket, sample)?;
            looked.map_or(Ok(()), &mut take)
        })
    }

    /// Works on the wanted runs in parallel; what comes of them is given in the order of the file, with the line.
    fn each<T: Send>(
        &self,
        wanted: Option<&HashSet<&str>>,
        work: impl Fn(&Ticket, Run) -> T + Sync,
        mut take: impl FnMut(usize, T) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let workers = Workers::new(self.jobs)?;
        let mut reader = ledger::Reader::open(&self.path, files::stream(&self.path, "open the ledger")?)?;
        let mut lookup = self.dataset.as_ref().map(Dataset::lookup).transpose()?;
        reader.go_to(&self.header.arm)?;
        loop {
            let mut lines = vec![];
            while lines.len() < workers.batch() {
                let mut line = Line::empty();
                if !reader.next_line(&mut line)? || reader.header.arm != self.header.arm {
                    break;
                }
                lines.push(line);
            }
            if lines.is_empty() {
                return Ok(());
            }
            let read = workers.map(lines, || (), |(), _, line| ledger::run(&self.path, &line).map(|run| (line.number, run)));
            let mut runs = vec![];
            for result in read {
                let (number, run) = result?;
                if wanted.is_none_or(|wanted| wanted.contains(run.ticket.as_str())) {
                    runs.push((number, self.ticket(&mut lookup, number, &run)?, run));
                }
            }
            let made = workers.map(
                runs,
                || (),
                |(), _, (number, raw, run)| {
                    let ticket = match (raw, &self.dataset) {
                        (Some(raw), Some(dataset)) => dataset.read(&raw)?,
                        _ => Ticket::bare(&run.ticket),
                    };
                    Ok((number, work(&ticket, run)))
                },
            );
            for result in made {
                let (number, value) = result?;
                take(number, value)?;
            }
        }
    }

    fn ticket(&self, lookup: &mut Option<Lookup<'_>>, number: usize, run: &Run) -> Result<Option<RawTicket>, Error> {
        let Some(lookup) = lookup else { return Ok(None) };
        let found = lookup.find(&run.ticket)?;
        found.map(Some).ok_or_else(|| {
            let what = format!("ticket `{}` is not in the dataset that was given; expected the one this ledger was made with", run.ticket);
            Error::at_line(&self.path, number, what)
        })
    }
}
