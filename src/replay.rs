//! Replay: every ticket's tape through the machine, in parallel, in the dataset's order, holding only the tickets in flight.

mod filter;
mod workers;

pub use filter::Filter;
pub use workers::{JOBS_MAX, Workers};

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crate::arm::{Arm, Coverage, Matching};
use crate::dataset::{Dataset, IdHash, RawTicket};
use crate::error::Error;
use crate::machine::{Answer, Loop, Machine, Step};
use crate::model::{Fault, FaultKind, Run, Stop, Ticket};
use crate::tape::{self, CallLine, Recording, Room, Seen, Tape};

/// An arm made ready: spec compiled, dataset and recordings looked through.
pub struct Prepared {
    pub arm_name: String,
    /// The spec as written, for the ledger's header.
    pub source: serde_json::Value,
    pub program: Loop,
    pub dataset: Dataset,
    pub recording: Recording,
    reuse: Vec<Recording>,
}

/// Which tickets are replayed, and on how many threads.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// 0 = one a core.
    pub jobs: usize,
    pub filter: Filter,
    /// (i, of): the i-th of `of` equal parts of the dataset, counted from 1.
    pub shard: Option<(usize, usize)>,
}

/// What a replay went over.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// Tickets replayed.
    pub tickets: usize,
    /// Tickets chosen but without a call, in an arm that covers recorded ones only.
    pub not_recorded: usize,
    /// Tickets of the recording that the dataset lacks: first line and id.
    pub orphans: Vec<(usize, String)>,
}

enum Outcome<T> {
    NotChosen,
    NotRecorded,
    Made(T),
}

impl Prepared {
    pub fn open(dir: &Path) -> Result<Prepared, Error> {
        let arm = Arm::open(dir)?;
        let recording = Recording::open(&arm.calls_path()?)?;
        let mut reuse = vec![];
        for other in &arm.reuse {
            reuse.push(Recording::open(&Arm::open(other)?.calls_path()?)?);
        }
        let dataset = Dataset::open(&arm.dataset)?;
        let program = Loop::new(arm.spec).map_err(|what| Error::at(&dir.join("loop.toml"), what))?;
        Ok(Prepared { arm_name: arm.name, source: arm.source, program, dataset, recording, reuse })
    }

    /// Replays the chosen tickets. `work` sees each with its runs (one a sample) on some thread; `sink` gets what it made, in dataset order.
    pub fn each<T, W, S>(&self, options: &Options, work: W, mut sink: S) -> Result<Tally, Error>
    where
        T: Send,
        W: Fn(&Ticket, Vec<Run>) -> T + Sync,
        S: FnMut(T) -> Result<(), Error>,
    {
        let workers = Workers::new(options.jobs)?;
        let batch_max = workers.batch();
        let (from, to) = self.range(options.shard);
        let mut tally = Tally::default();
        let mut seen = Seen::default();
        let mut tickets = self.dataset.tickets()?;
        let mut at = 0;
        loop {
            let mut batch: Vec<RawTicket> = Vec::with_capacity(batch_max);
            while batch.len() < batch_max {
                let Some(raw) = tickets.next()? else { break };
                batch.push(raw);
            }
            if batch.is_empty() {
                break;
            }
            let count = batch.len();
            let rooms = || std::iter::repeat_with(Room::default).take(1 + self.reuse.len()).collect::<Vec<_>>();
            let one = |rooms: &mut Vec<Room>, i, raw: RawTicket| self.one(&raw, (from..to).contains(&(at + i)), options, &work, rooms);
            let done = workers.map(batch, rooms, one);
            at += count;
            for result in done {
                let (id, outcome) = result?;
                seen.add(id);
                match outcome {
                    Outcome::NotChosen => {}
                    Outcome::NotRecorded => tally.not_recorded += 1,
                    Outcome::Made(made) => {
                        tally.tickets += 1;
                        sink(made)?;
                    }
                }
            }
        }
        tally.orphans = self.recording.orphans(&seen)?;
        Ok(tally)
    }

    /// Tells what was recorded: equal where the same calls were, whatever the files are called and however they are sorted.
    pub fn recording_digest(&self) -> String {
        let reused: Vec<&str> = self.reuse.iter().map(|recording| recording.digest.as_str()).collect();
        tape::joined_digest(&self.recording.digest, &reused)
    }

    /// Looks at every recorded call of a ticket: its line and what `look` says of it.
    pub fn lines<T>(&self, ticket: &str, look: impl Fn(&CallLine<'_>) -> T) -> Result<Vec<(usize, T)>, Error> {
        let mut room = Room::default();
        Ok(self.recording.tape(IdHash::of(ticket), &mut room)?.calls().map(|(line, call)| (line, look(call))).collect())
    }

    /// How many tickets a replay will go over, for whoever shows how far it is; None where a filter decides that on the way.
    pub fn expected(&self, options: &Options) -> Option<usize> {
        let (from, to) = self.range(options.shard);
        let all = match self.program.spec.coverage {
            Coverage::All => to - from,
            Coverage::Recorded => self.recording.tickets().min(to - from),
        };
        options.filter.is_all().then_some(all)
    }

    fn range(&self, shard: Option<(usize, usize)>) -> (usize, usize) {
        let (i, of) = shard.unwrap_or((1, 1));
        let cut = |k: usize| (self.dataset.count as u128 * k as u128 / of as u128) as usize;
        (cut(i - 1), cut(i))
    }

    fn one<T>(
        &self,
        raw: &RawTicket,
        in_shard: bool,
        options: &Options,
        work: &(impl Fn(&Ticket, Vec<Run>) -> T + Sync),
        rooms: &mut [Room],
    ) -> Result<(IdHash, Outcome<T>), Error> {
        let ticket = self.dataset.read(raw)?;
        let id = IdHash::of(&ticket.id);
        if !in_shard || !options.filter.takes(&ticket) {
            return Ok((id, Outcome::NotChosen));
        }
        if self.program.spec.coverage == Coverage::Recorded && !self.recording.has(id) {
            return Ok((id, Outcome::NotRecorded));
        }
        let mut tapes = vec![];
        for (recording, room) in std::iter::once(&self.recording).chain(&self.reuse).zip(rooms) {
            tapes.push(recording.tape(id, room)?);
        }
        let runs = (0..self.program.spec.samples).map(|sample| guarded(&self.program, &ticket, sample, &mut tapes)).collect();
        let made = work(&ticket, runs);
        Ok((id, Outcome::Made(made)))
    }
}

/// A defect of ours at one ticket must not cost the others: it becomes that ticket's fault.
fn guarded(program: &Loop, ticket: &Ticket, sample: u32, tapes: &mut [Tape<'_>]) -> Run {
    catch_unwind(AssertUnwindSafe(|| replay(program, ticket, sample, tapes))).unwrap_or_else(|cause| {
        let fault = Fault::defect("replay", &*cause);
        Run { ticket: ticket.id.clone(), sample, passes: vec![], stop: Stop::Fault, fault: Some(fault), unused: vec![] }
    })
}

/// One ticket's tapes through the machine: the arm's own first, then those it may reuse. Never a silent substitute.
pub fn replay(program: &Loop, ticket: &Ticket, sample: u32, tapes: &mut [Tape<'_>]) -> Run {
    let spec = &program.spec;
    let by_key = spec.matching == Matching::Key;
    let mut machine = Machine::new(program, ticket, sample);
    let mut answer = None;
    let mut run = loop {
        let ask = match machine.next(answer.take()) {
            Ok(Step::Done(run)) => break *run,
            Ok(Step::Ask(ask)) => ask,
            Err(fault) => break machine.abandon(fault),
        };
        let key = if by_key { program.key(&ask) } else { String::new() };
        let own_has = tapes.first().is_some_and(|own| own.has_slot(ask.slot));
        let from = if own_has { 0 } else { tapes.iter().position(|t| by_key && t.has(ask.slot, &key)).unwrap_or(0) };
        let Some(tape) = tapes.get_mut(from) else {
            let what = "no recording was given".to_owned();
            break machine.abandon(Fault { kind: FaultKind::Missing, at: ask.slot.to_string(), what });
        };
        match tape.take(ask.slot, by_key.then_some(key.as_str()), &ask.body, &spec.ignore, spec.wire) {
            Ok(taken) => answer = Some(Answer { reply: taken.reply, key, attempts: taken.attempts }),
            Err(refused) => {
                if refused.attempts > 0 {
                    machine.unanswered(ask.slot, refused.attempts);
                }
                break machine.abandon(Fault { kind: refused.kind, at: ask.slot.to_string(), what: refused.what });
            }
        }
    };
    run.unused = tapes.first().map_or(vec![], |own| own.unused(sample));
    run
}
