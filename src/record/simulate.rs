//! Simulated recordings: a seeded model of writer, critic and reviser with named rates of faults answers the real machine, and what is true
//! of every pass is written beside the calls. No model is asked; the spec of a simulated arm has to say so.

mod answer;
mod critic;
mod dice;
mod draft;
mod lcs;
mod phrases;
pub mod rates;
mod reviser;
mod run;
pub mod truth;
mod voice;
mod writer;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use serde_json::value::to_raw_value;
use serde_json::{Value, json};

use crate::arm::{Arm, Spec};
use crate::dataset::{Dataset, RawTicket, Tickets};
use crate::error::Error;
use crate::machine::{Answer, Ask, Loop, Machine, Step};
use crate::model::Ticket;
use crate::replay::JOBS_MAX;
use crate::tape::{CallLine, Meta, RequestLine, ResponseLine, SlotLine};
use draft::Case;
use rates::Rates;

/// What to simulate, and where.
#[derive(Debug, Clone)]
pub struct Options {
    /// See [`rates::PRESETS`].
    pub preset: String,
    pub seed: u64,
    /// Rates that differ from the preset's.
    pub rates: Vec<(String, f64)>,
    /// Worker threads, 0 = one a core. The bytes written do not depend on it.
    pub jobs: usize,
    /// Write over calls that are already there.
    pub force: bool,
    /// Number of tickets and the folder that gets a dataset and an arm of its own. None: the arm's own dataset, into the arm.
    pub scaled: Option<(usize, PathBuf)>,
}

/// What was written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    pub arm: PathBuf,
    pub tickets: usize,
    pub calls: usize,
    /// Bytes of calls.jsonl.
    pub bytes: u64,
}

/// Tickets a thread works on between two writes: enough to keep it busy, few enough that memory stays flat.
const TICKETS_PER_THREAD: usize = 16;

/// Fills an arm with simulated calls and their truth. `progress` is called once a ticket, with the number of all.
pub fn simulate(arm_dir: &Path, options: &Options, mut progress: impl FnMut(usize)) -> Result<Written, Error> {
    let arm = Arm::open(arm_dir)?;
    let spec_path = arm_dir.join("loop.toml");
    check(&arm.spec).map_err(|what| Error::at(&spec_path, what))?;
    let rates = Rates::new(&options.preset, arm.spec.format.has_findings(), &options.rates)?;
    let dataset = Dataset::open(&arm.dataset)?;
    let target = match &options.scaled {
        Some((_, out)) => out.join(&arm.name),
        None => arm_dir.to_path_buf(),
    };
    refuse_overwriting(&target, options.force)?;
    if let Some((_, out)) = &options.scaled {
        refuse_own_input(&target, arm_dir, "--out names the folder that holds the arm itself")?;
        refuse_own_input(&out.join("dataset"), &arm.dataset, "--out would write over the dataset that is read")?;
    }
    let mut tickets_out = None;
    if let Some((count, out)) = &options.scaled {
        tickets_out = Some(prepare(out, &target, &arm, &dataset, options, *count)?);
    }
    let program = Loop::new(arm.spec).map_err(|what| Error::at(&spec_path, what))?;
    let model = Model { program: &program, rates, seed: options.seed, arm: &arm.name };
    let count = options.scaled.as_ref().map_or(dataset.count, |(count, _)| *count);
    let jobs = if options.jobs == 0 { std::thread::available_parallelism().map_or(1, usize::from) } else { options.jobs.min(JOBS_MAX) };
    let mut calls = Output::create(&target.join("calls.jsonl"))?;
    let mut truth = Output::create(&target.join("truth.jsonl"))?;
    let mut written = Written { arm: target, ..Written::default() };
    let mut source = Cycle { dataset: &dataset, tickets: dataset.tickets()?, round: 0 };
    while written.tickets < count {
        let size = (jobs * TICKETS_PER_THREAD).min(count - written.tickets);
        let batch = (0..size).map(|_| source.next()).collect::<Result<Vec<_>, _>>()?;
        for (made, (_, line)) in model.all(&batch, jobs).into_iter().zip(&batch) {
            let made = made?;
            calls.write(&made.calls)?;
            truth.write(&made.truth)?;
            if let Some(out) = &mut tickets_out {
                out.write(line.as_bytes())?;
            }
            written.tickets += 1;
            written.calls += made.count;
            progress(count);
        }
    }
    written.bytes = calls.finish()?;
    truth.finish()?;
    tickets_out.map(Output::finish).transpose()?;
    Ok(written)
}

/// What only a model could do, or what would pass simulated answers for real ones.
fn check(spec: &Spec) -> Result<(), String> {
    if spec.synthetic.trim().is_empty() {
        return Err(
            "synthetic: is not set; write `synthetic = \"made by redraft simulate\"`, so that no report takes these answers for a model's"
                .into(),
        );
    }
    if spec.format.name() == "grounded" {
        return Err("critic.format: grounded critiques cannot be simulated yet; expected prose or findings".into());
    }
    Ok(())
}

fn refuse_overwriting(arm: &Path, force: bool) -> Result<(), Error> {
    let packed = arm.join("calls.jsonl.zst");
    if packed.exists() {
        return Err(Error::at(&packed, "this arm has calls already; remove them first"));
    }
    let calls = arm.join("calls.jsonl");
    if calls.exists() && !force {
        return Err(Error::at(&calls, "this arm has calls already; --force writes over them"));
    }
    Ok(())
}

/// A scaled simulation is a copy: it never replaces what it is made from, forced or not.
fn refuse_own_input(target: &Path, input: &Path, what: &str) -> Result<(), Error> {
    let same = matches!((std::fs::canonicalize(target), std::fs::canonicalize(input)), (Ok(a), Ok(b)) if a == b);
    if same { Err(Error::at(target, format!("{what}; expected another folder"))) } else { Ok(()) }
}

/// Writes the folders of a scaled simulation: dataset/ without its tickets yet, and the arm with its spec.
fn prepare(out: &Path, target: &Path, arm: &Arm, dataset: &Dataset, options: &Options, count: usize) -> Result<Output, Error> {
    let data = out.join("dataset");
    for dir in [&data, target] {
        std::fs::create_dir_all(dir).map_err(|e| Error::io(dir, "make the folder", &e))?;
    }
    let tickets_path = data.join("tickets.jsonl");
    let about = &dataset.about;
    let description = json!({
        "version": 1,
        "name": format!("{}, {count} tickets", about.name),
        "about": format!("The tickets of {} over and over, with ids of their own.", about.name),
        "provenance": about.provenance,
        "licence": about.licence,
    });
    let path = data.join("dataset.toml");
    write(&path, &crate::toml::write(&path, &description)?)?;
    let mut source = arm.source.clone();
    if let Value::Object(spec) = &mut source {
        spec.insert("dataset".into(), "../dataset".into());
        let label = format!("made by redraft simulate, preset {}, seed {}, {count} tickets", options.preset, options.seed);
        spec.insert("synthetic".into(), label.into());
    }
    let path = target.join("loop.toml");
    write(&path, &crate::toml::write(&path, &source)?)?;
    Output::create(&tickets_path)
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    create_anew(path)?.write_all(text.as_bytes()).map_err(|e| Error::io(path, "write", &e))
}

/// A new file in place of what is there: what a link of that name points to stays as it is.
fn create_anew(path: &Path) -> Result<File, Error> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(Error::io(path, "write", &e)),
        _ => {}
    }
    File::create_new(path).map_err(|e| Error::io(path, "write", &e))
}

/// A file that takes its name only once it is whole.
struct Output {
    path: PathBuf,
    part: PathBuf,
    file: BufWriter<File>,
    bytes: u64,
}

impl Output {
    fn create(path: &Path) -> Result<Output, Error> {
        let part = path.with_extension("jsonl.part");
        let file = create_anew(&part)?;
        Ok(Output { path: path.to_path_buf(), part, file: BufWriter::with_capacity(1 << 18, file), bytes: 0 })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.bytes += bytes.len() as u64;
        self.file.write_all(bytes).map_err(|e| Error::io(&self.part, "write", &e))
    }

    fn finish(mut self) -> Result<u64, Error> {
        self.file.flush().map_err(|e| Error::io(&self.part, "write", &e))?;
        std::fs::rename(&self.part, &self.path).map_err(|e| Error::io(&self.path, "write", &e))?;
        Ok(self.bytes)
    }
}

/// The dataset's tickets over and over; from the second round on their ids say the round.
struct Cycle<'d> {
    dataset: &'d Dataset,
    tickets: Tickets<'d>,
    round: usize,
}

impl Cycle<'_> {
    /// The next ticket, and its line in the dataset it belongs to.
    fn next(&mut self) -> Result<(Ticket, String), Error> {
        let raw = match self.tickets.next()? {
            Some(raw) => raw,
            None => {
                self.round += 1;
                self.tickets = self.dataset.tickets()?;
                self.tickets.next()?.ok_or_else(|| Error::new("the dataset holds no tickets"))?
            }
        };
        let mut ticket = self.dataset.read(&raw)?;
        let RawTicket::Json(line) = raw else {
            return Err(Error::new(format!(
                "ticket {}: a CSV dataset has no fields.facts to simulate from; expected tickets.jsonl",
                ticket.id
            )));
        };
        let mut text = String::from_utf8_lossy(&line.bytes).into_owned();
        if self.round > 0 {
            ticket.id = format!("{}-r{}", ticket.id, self.round + 1);
            let mut value: Value = serde_json::from_str(&text).map_err(|e| Error::new(format!("ticket {}: {e}", ticket.id)))?;
            value["id"] = ticket.id.as_str().into();
            text = value.to_string();
        }
        text.push('\n');
        Ok((ticket, text))
    }
}

/// One ticket's lines.
struct Made {
    calls: Vec<u8>,
    truth: Vec<u8>,
    count: usize,
}

/// What answers: the same for every ticket.
struct Model<'a> {
    program: &'a Loop,
    rates: Rates,
    seed: u64,
    arm: &'a str,
}

impl Model<'_> {
    /// A batch on several threads; results in the order of the batch.
    fn all(&self, batch: &[(Ticket, String)], jobs: usize) -> Vec<Result<Made, Error>> {
        let share = batch.len().div_ceil(jobs.max(1)).max(1);
        std::thread::scope(|scope| {
            let work = |part| {
                scope.spawn(move || -> Vec<_> { Vec::from_iter(<[(Ticket, String)]>::iter(part).map(|(ticket, _)| self.one(ticket))) })
            };
            let workers: Vec<_> = batch.chunks(share).map(work).collect();
            workers
                .into_iter()
                .flat_map(|worker| worker.join().unwrap_or_else(|_| vec![Err(Error::new("a worker thread failed"))]))
                .collect()
        })
    }

    fn one(&self, ticket: &Ticket) -> Result<Made, Error> {
        let wrong = |what: String| Error::new(format!("ticket {}: {what}", ticket.id));
        let case = Case::of(ticket).map_err(wrong)?;
        let mut made = Made { calls: vec![], truth: vec![], count: 0 };
        for sample in 0..self.program.spec.samples {
            self.play(ticket, &case, sample, &mut made).map_err(wrong)?;
        }
        Ok(made)
    }

    /// The machine asks, the cast answers, until the loop is done.
    fn play(&self, ticket: &Ticket, case: &Case, sample: u32, made: &mut Made) -> Result<(), String> {
        let spec = &self.program.spec;
        let mut cast = run::Cast::new(spec, case, &self.rates, self.seed, self.arm, &ticket.id, sample);
        let mut machine = Machine::new(self.program, ticket, sample);
        let mut answer = None;
        let run = loop {
            match machine.next(answer.take()).map_err(|fault| format!("{}: {}", fault.at, fault.what))? {
                Step::Done(run) => break run,
                Step::Ask(ask) => {
                    let said = cast.answer(ask.slot, machine.draft());
                    answer = Some(self.record(ticket, &ask, &said, &mut made.calls)?);
                    made.count += 1;
                }
            }
        };
        for pass in cast.truth(&run, machine.draft()) {
            line(&mut made.truth, &pass)?;
        }
        Ok(())
    }

    /// Writes one call down and gives it to the machine as a tape would.
    fn record(&self, ticket: &Ticket, ask: &Ask, said: &answer::Said, calls: &mut Vec<u8>) -> Result<Answer, String> {
        let spec = &self.program.spec;
        let model = &spec.role(ask.slot.role).model;
        let path = spec.wire.path(model);
        let request = to_raw_value(&ask.body).map_err(|e| e.to_string())?;
        let response = answer::body(spec.wire, model, request.get().len(), said)?;
        let response = to_raw_value(&response).map_err(|e| e.to_string())?;
        let key = self.program.key(ask);
        let call = CallLine {
            v: 1,
            key: Some(key.as_str().into()),
            slot: SlotLine {
                ticket: ticket.id.as_str().into(),
                sample: ask.slot.sample,
                pass: ask.slot.pass,
                role: ask.slot.role,
                n: ask.slot.n,
            },
            request: Some(RequestLine { provider: spec.wire.name().into(), endpoint: path.as_str().into(), body: &request }),
            response: ResponseLine { status: 200, headers: Default::default(), body: &response },
            meta: Meta::default(),
        };
        line(calls, &call)?;
        let reply = spec.wire.reply(response.get())?;
        Ok(Answer { reply, key, attempts: 1 })
    }
}

fn line(out: &mut Vec<u8>, value: &impl serde::Serialize) -> Result<(), String> {
    serde_json::to_writer(&mut *out, value).map_err(|e| e.to_string())?;
    out.push(b'\n');
    Ok(())
}
