//! A place that was looked at: of what kind it is, which arm is meant, what made it. Reading it makes a [`Side`].

use std::path::Path;

use super::kept::{Keep, Kept};
use super::runs::{Ledger, Look, Runs};
use super::{Files, Kind, Options, Place, Side, evaluate};
use crate::arm::{Matching, Outline};
use crate::dataset::Dataset;
use crate::error::Error;
use crate::files;
use crate::ledger::{self, Header};
use crate::metric::Settings;
use crate::model::{Run, Ticket};
use crate::replay::{self, Filter, Prepared};
use crate::summary::{Accumulator, ArmSummary, Frame, Origin, Summary};
use crate::table;

/// A place with one arm chosen. Nothing of its runs was read yet.
pub struct Source {
    place: Place,
    kind: Kind,
    /// What the arm is called here; in its file it may have another name.
    name: String,
    jobs: usize,
    keep_runs: bool,
    warnings: Vec<String>,
    filter: Filter,
    from: From,
}

enum From {
    Arm(Box<Prepared>),
    Ledger(Box<Ledger>),
    /// With the runs beside it, if they are there.
    Table {
        table: Box<table::Reader>,
        arm: String,
        runs: Option<Box<Ledger>>,
    },
}

impl Source {
    pub fn open(place: &Place, options: &Options) -> Result<Source, Error> {
        let path = &place.path;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if path.is_dir() {
            let of_report = || ["table.parquet", "table.csv"].map(|name| path.join(name)).into_iter().find(|file| file.exists());
            return match (path.join("loop.toml").exists(), of_report()) {
                (true, _) => Source::of_arm(place, options),
                (false, Some(file)) => Source::of_table(place, &file, Kind::Report, options),
                (false, None) => Err(Error::at(path, "neither an arm nor a report: expected loop.toml or table.parquet in this folder")),
            };
        }
        let ends_in = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
        if ends_in(&[".parquet", ".csv"]) {
            return Source::of_table(place, path, Kind::Table, options);
        }
        if ends_in(&[".jsonl", ".jsonl.zst"]) {
            return Source::of_ledger(place, options);
        }
        // Says that there is no such file, where that is what is wrong.
        files::open(path, "open this side")?;
        Err(Error::at(
            path,
            "not known by its name; expected an arm or a report folder, a ledger (.jsonl, .jsonl.zst) or a table (.parquet, .csv)",
        ))
    }

    fn new(place: &Place, kind: Kind, name: &str, options: &Options, from: From) -> Source {
        Source {
            place: place.clone(),
            kind,
            name: name.to_owned(),
            jobs: options.jobs,
            keep_runs: options.keep_runs,
            warnings: vec![],
            filter: Filter::default(),
            from,
        }
    }

    fn of_arm(place: &Place, options: &Options) -> Result<Source, Error> {
        let prepared = Prepared::open_labelled(&place.path, options.labels.as_deref())?;
        let name = place.choose(&[prepared.arm_name.as_str()])?.to_owned();
        let recording = &prepared.recording;
        let warnings: Vec<String> = recording.torn_warning().into_iter().chain(recording.index_warning()).collect();
        let mut source = Source::new(place, Kind::Arm, &name, options, From::Arm(Box::new(prepared)));
        source.warnings.extend(warnings);
        Ok(source)
    }

    fn of_ledger(place: &Place, options: &Options) -> Result<Source, Error> {
        let headers = ledger::Reader::open(&place.path, files::stream(&place.path, "open the ledger")?)?.headers()?;
        let arms: Vec<&str> = headers.iter().map(|header| header.arm.as_str()).collect();
        let name = place.choose(&arms)?.to_owned();
        let Some(header) = headers.into_iter().find(|header| header.arm == name) else {
            return Err(Error::at(&place.path, "holds no arm"));
        };
        let (ledger, warning) = Ledger::new(&place.path, header, options, true)?;
        let mut source = Source::new(place, Kind::Ledger, &name, options, From::Ledger(Box::new(ledger)));
        source.warnings.extend(warning);
        Ok(source)
    }

    fn of_table(place: &Place, file: &Path, kind: Kind, options: &Options) -> Result<Source, Error> {
        let table = table::Reader::open(file)?;
        let arm = place.choose(&table.arms().iter().map(String::as_str).collect::<Vec<_>>())?.to_owned();
        let ledger = ["ledger.jsonl", "ledger.jsonl.zst"].map(|name| place.path.join(name)).into_iter().find(|file| file.exists());
        let mut runs = None;
        if let Some(path) = ledger.filter(|_| kind == Kind::Report) {
            let headers = ledger::Reader::open(&path, files::stream(&path, "open the ledger")?)?.headers()?;
            if let Some(header) = headers.into_iter().find(|header| header.arm == arm) {
                runs = Some(Box::new(Ledger::new(&path, header, options, false)?.0));
            }
        }
        let mut source = Source::new(place, kind, &arm, options, From::Table { table: Box::new(table), arm: arm.clone(), runs });
        if options.labels.is_some() {
            let what = "was measured already, so the labels that were given do not change it";
            source.warnings.push(format!("{}: arm `{arm}` {what}", file.display()));
        }
        if source.header().is_none() {
            let what = "carries no spec, so what was held fixed is not known";
            source.warnings.push(format!("{}: arm `{arm}` {what}", file.display()));
        }
        Ok(source)
    }

    /// Reads only these tickets. What holds no dataset knows no tags.
    pub fn only(self, filter: &Filter) -> Result<Source, Error> {
        if filter.asks_for_tags() && self.kind != Kind::Arm {
            let what = format!("a {} knows no tags; give --filter ids, with * for anything", self.kind.name());
            return Err(Error::at(&self.place.path, what));
        }
        Ok(Source { filter: filter.clone(), ..self })
    }

    /// What the arm is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Gives the arm another name here.
    pub fn rename(&mut self, name: String) {
        self.name = name;
    }

    /// True where the tickets of a dataset can be put to its runs; an arm names its own, and a table holds what was measured.
    pub fn wants_dataset(&self) -> bool {
        matches!(self.from, From::Ledger(_) | From::Table { runs: Some(_), .. })
    }

    /// How many tickets reading will go over, for whoever shows how far it is; None where that is not known before.
    pub fn expected(&self) -> Option<usize> {
        match &self.from {
            From::Arm(prepared) => prepared.expected(&replay::Options { filter: self.filter.clone(), ..replay::Options::default() }),
            From::Ledger(_) | From::Table { .. } => None,
        }
    }

    /// What made the arm, under the name it has here; None where a table does not say.
    pub fn header(&self) -> Option<Header> {
        let header = match &self.from {
            From::Arm(prepared) => header(prepared, &self.name),
            From::Ledger(ledger) => ledger.header.clone(),
            From::Table { table, arm, runs } => table.header(arm).or(runs.as_ref().map(|runs| &runs.header))?.clone(),
        };
        Some(Header { arm: self.name.clone(), ..header })
    }

    /// What a reader must know of how it is read: one sentence each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Looks at every run without measuring it: `look` on some thread, `take` in the order of the side. A table has no runs.
    pub fn look<T: Send>(&self, look: impl Fn(&Look<'_>) -> T + Sync, mut take: impl FnMut(T) -> Result<(), Error>) -> Result<(), Error> {
        match &self.from {
            From::Arm(prepared) => {
                let options = replay::Options { jobs: self.jobs, filter: self.filter.clone(), ..replay::Options::default() };
                let work = |ticket: &Ticket, runs: Vec<Run>| -> Result<Vec<T>, Error> {
                    let calls = prepared.judge_calls(&ticket.id)?;
                    let one = |run: &Run| {
                        let (labels, stale) = prepared.labels_of(run, &calls);
                        Ok(look(&Look { ticket, known: true, run, answered: &prepared.answered(run)?, labels: &labels, stale: &stale }))
                    };
                    runs.iter().map(one).collect()
                };
                prepared.each(&options, work, |looked| looked?.into_iter().try_for_each(&mut take))?;
                Ok(())
            }
            From::Ledger(ledger) | From::Table { runs: Some(ledger), .. } => ledger.look(&self.filter, look, take),
            From::Table { runs: None, .. } => {
                let what = "a table holds no critiques; expected an arm's folder, a ledger, or a report folder with its ledger.jsonl";
                Err(Error::at(&self.place.path, what))
            }
        }
    }

    /// Reads and measures what is there, and writes it out on the way. A table gives rows alone, and no runs for a ledger.
    pub fn read(self, files: &mut Files, tick: &mut dyn FnMut()) -> Result<Side, Error> {
        let header = self.header();
        let mut frame = Frame::default();
        let mut kept = None;
        let outline = |header: &Option<Header>, path: &Path| match header {
            Some(header) => Outline::of(&header.spec).map_err(|what| Error::at(path, format!("spec of arm `{}`: {what}", header.arm))),
            None => Outline::of(&serde_json::json!({})).map_err(|what| Error::at(path, what)),
        };
        let nameless = Header { arm: self.name.clone(), ..Header::default() };
        let of = header.as_ref().unwrap_or(&nameless);
        let summary = match &self.from {
            From::Arm(prepared) => {
                let options = replay::Options { jobs: self.jobs, filter: self.filter.clone(), ..replay::Options::default() };
                let keep = if self.keep_runs { Keep::Runs } else { Keep::Frame };
                let made = evaluate(prepared, of, &options, files, keep, tick)?;
                (frame, kept) = (made.frame, made.runs);
                made.summary
            }
            From::Ledger(ledger) => {
                let outline = outline(&header, &ledger.path)?;
                let mut sum = Accumulator::new(origin(of, outline.matching), outline.max_passes);
                files.begin(of)?;
                let settings = Settings { sections: outline.sections, growth: outline.growth };
                kept = self.keep_runs.then(|| Kept::new(settings, self.jobs));
                let laid = ledger.measure(&settings, files.keeps_runs(), &mut kept, &mut |measured, lines| {
                    if !measured.first().is_some_and(|run| self.filter.takes_id(&run.ticket)) {
                        return Ok(());
                    }
                    tick();
                    files.push(&self.name, measured, lines)?;
                    sum.add(measured);
                    frame.push(measured);
                    Ok(())
                })?;
                sum.labelled(laid);
                sum.finish()
            }
            From::Table { table, arm, .. } => {
                let outline = outline(&header, &self.place.path)?;
                let mut sum = Accumulator::new(origin(of, outline.matching), outline.max_passes);
                table.each(arm, &mut |measured| {
                    if !measured.first().is_some_and(|run| self.filter.takes_id(&run.ticket)) {
                        return Ok(());
                    }
                    tick();
                    files.push(&self.name, &measured, &[])?;
                    sum.add(&measured);
                    frame.push(&measured);
                    Ok(())
                })?;
                let mut summary = sum.finish();
                if self.kind == Kind::Report {
                    complete(&mut summary, arm, &self.place.path);
                }
                summary
            }
        };
        let runs = match self.from {
            From::Arm(prepared) => Some(Runs::Arm(prepared, self.jobs)),
            From::Ledger(ledger) => Some(Runs::Ledger(ledger)),
            From::Table { runs, .. } => runs.map(Runs::Ledger),
        };
        let spec = header.map(|header| header.spec);
        Ok(Side { kind: self.kind, path: self.place.path, summary, spec, frame, warnings: self.warnings, kept, runs })
    }
}

/// Gives two sides of one name different ones, since rows and charts are told apart by it.
pub fn tell_apart(baseline: &mut Source, candidate: &mut Source) {
    if baseline.name == candidate.name {
        baseline.name = format!("baseline/{}", baseline.name);
        candidate.name = format!("candidate/{}", candidate.name);
    }
}

/// What made an arm's runs, as a ledger and a table keep it.
pub fn header(prepared: &Prepared, name: &str) -> Header {
    let (spec, dataset) = (&prepared.program.spec, &prepared.dataset);
    Header {
        v: 1,
        arm: name.to_owned(),
        dataset: dataset.about.name.clone(),
        dataset_digest: dataset.digest.clone(),
        recording_digest: prepared.recording_digest(),
        synthetic: spec.synthetic.clone(),
        spec: prepared.source.clone(),
    }
}

pub(super) fn origin(header: &Header, matching: Matching) -> Origin {
    Origin {
        arm: header.arm.clone(),
        dataset: header.dataset.clone(),
        dataset_digest: header.dataset_digest.clone(),
        recording_digest: header.recording_digest.clone(),
        synthetic: header.synthetic.clone(),
        requests_recorded: matching == Matching::Key,
    }
}

/// A report's table lacks what is not of a row: what the faults were, unused calls, tickets that were not replayed. Its summary has it.
fn complete(summary: &mut ArmSummary, arm: &str, report: &Path) {
    let path = report.join("summary.json");
    let Ok(text) = files::text(&path, "read the summary") else { return };
    let Ok(whole) = Summary::parse(&path, text.as_bytes()) else { return };
    let Some(known) = whole.arms.into_iter().find(|known| known.origin.arm == arm) else { return };
    if (known.tickets, known.runs, known.errored) != (summary.tickets, summary.runs, summary.errored) {
        return;
    }
    summary.not_recorded = known.not_recorded;
    summary.mentions_labelled = known.mentions_labelled;
    summary.mentions_stale = known.mentions_stale;
    summary.fault_list = known.fault_list;
    summary.unused_list = known.unused_list;
    summary.tickets_without_dataset_row = known.tickets_without_dataset_row;
    summary.calls.unused = known.calls.unused;
}

/// The dataset whose tickets a ledger is measured with, and what is odd about it.
pub(super) fn dataset(path: &Path, header: &Header, options: &Options, measure: bool) -> Result<(Option<Dataset>, Option<String>), Error> {
    let Some(dir) = &options.dataset else {
        let what = "measured without its tickets, so nothing is known of their checks; give --dataset DIR";
        return Ok((None, measure.then(|| format!("{}: arm `{}` was {what}", path.display(), header.arm))));
    };
    let set = Dataset::open(dir)?;
    let other = set.digest != header.dataset_digest;
    let warning = other.then(|| {
        format!("{}: arm `{}` was made with another version of the tickets than those in {}", path.display(), header.arm, dir.display())
    });
    Ok((Some(set), warning))
}
