//! Replay: every ticket's tape through the machine, in parallel, in the dataset's order, holding only the tickets in flight.

mod filter;
mod gather;
mod walk;
mod workers;

pub use filter::Filter;
pub use gather::Gathered;
pub use walk::{Open, Reached, Walk};
pub use workers::{JOBS_MAX, Workers};

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crate::arm::{Arm, CALLS, Coverage};
use crate::dataset::{Dataset, IdHash, RawTicket};
use crate::error::Error;
use crate::label::{Labels, Laid};
use crate::machine::Loop;
use crate::model::{CallRecord, Fault, Role, Run, Slot, Stop, Ticket};
use crate::tape::{self, CallLine, Recording, Room, Seen, Tape};

/// An arm made ready: spec compiled, dataset and recordings looked through.
pub struct Prepared {
    pub arm_name: String,
    /// The arm's path without links, `/` between folders.
    pub arm_path: String,
    /// Those beside the dataset, or in the file that was given.
    pub labels: Option<Labels>,
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
    /// Of these, so many from the front.
    pub first: Option<usize>,
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
    /// What labels of mentions did to the runs.
    pub laid: Laid,
}

enum Outcome<T> {
    NotChosen,
    NotRecorded,
    Made(T),
}

impl Prepared {
    /// With the labels beside its dataset, if there are any.
    pub fn open(dir: &Path) -> Result<Prepared, Error> {
        Prepared::open_labelled(dir, None)
    }

    /// With the labels of this file, where one is given.
    pub fn open_labelled(dir: &Path, labels: Option<&Path>) -> Result<Prepared, Error> {
        let arm = Arm::open(dir)?;
        let recording = Recording::open(&arm.calls_path()?)?;
        Prepared::with(dir, arm, recording, labels)
    }

    /// The same for an arm that need not have a recording yet: one without a calls file counts as one without calls.
    pub fn open_or_empty(dir: &Path) -> Result<Prepared, Error> {
        let arm = Arm::open(dir)?;
        let recording = match arm.has_calls() {
            true => Recording::open(&arm.calls_path()?)?,
            false => Recording::empty(&dir.join(CALLS))?,
        };
        Prepared::with(dir, arm, recording, None)
    }

    /// As if nothing had been recorded, here or in an arm under `reuse`.
    pub fn without_calls(self) -> Result<Prepared, Error> {
        Ok(Prepared { recording: Recording::empty(self.recording.path())?, reuse: vec![], ..self })
    }

    fn with(dir: &Path, arm: Arm, recording: Recording, labels: Option<&Path>) -> Result<Prepared, Error> {
        let mut reuse = vec![];
        for other in &arm.reuse {
            reuse.push(Recording::open(&Arm::open(other)?.calls_path()?)?);
        }
        let dataset = Dataset::open(&arm.dataset)?;
        let program = Loop::new(arm.spec).map_err(|what| Error::at(&dir.join("loop.toml"), what))?;
        let labels = labels.map_or_else(|| Labels::beside(dataset.dir()), |path| Labels::read(path).map(Some))?;
        Ok(Prepared { arm_name: arm.name, arm_path: arm.path, labels, source: arm.source, program, dataset, recording, reuse })
    }

    /// Replays the chosen tickets. `work` sees each with its runs (one a sample) on some thread; `sink` gets what it made, in dataset order.
    pub fn each<T, W, S>(&self, options: &Options, work: W, mut sink: S) -> Result<Tally, Error>
    where
        T: Send,
        W: Fn(&Ticket, Vec<Run>) -> T + Sync,
        S: FnMut(T) -> Result<(), Error>,
    {
        let program = &self.program;
        let all = |ticket: &Ticket, tapes: &mut [Tape<'_>]| {
            let mut runs: Vec<Run> = (0..program.spec.samples).map(|sample| guarded(program, ticket, sample, tapes)).collect();
            let lay = |labels: &Labels| labels.lay_over(&self.arm_path, program.spec.sections, &mut runs);
            let laid = self.labels.as_ref().map_or(Laid::default(), lay);
            (work(ticket, runs), laid)
        };
        let mut sum = Laid::default();
        let take = |(made, laid)| {
            sum += laid;
            sink(made)
        };
        let tally = self.each_taped(options, program.spec.coverage, all, take)?;
        Ok(Tally { laid: sum, ..tally })
    }

    /// The chosen tickets with their tapes (the arm's own first), whatever is done with them. `coverage` as a spec has it: whether tickets without
    /// a call are looked at.
    pub fn each_taped<T, W, S>(&self, options: &Options, coverage: Coverage, work: W, mut sink: S) -> Result<Tally, Error>
    where
        T: Send,
        W: Fn(&Ticket, &mut [Tape<'_>]) -> T + Sync,
        S: FnMut(T) -> Result<(), Error>,
    {
        let workers = Workers::new(options.jobs)?;
        let batch_max = workers.batch();
        let (from, to) = self.range(options);
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
            let one = |rooms: &mut Vec<Room>, i, raw: RawTicket| {
                let chosen = (from..to).contains(&(at + i));
                self.one(&raw, chosen.then_some(options), coverage, &work, rooms)
            };
            let done = workers.map(batch, || self.rooms(), one);
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

    /// Which model says that it answered the writer's call and the first critic's, as far as they are recorded with a model's name.
    pub fn answered(&self, run: &Run) -> Result<Vec<(Slot, String)>, Error> {
        let mut room: Vec<Room> = std::iter::repeat_with(Room::default).take(1 + self.reuse.len()).collect();
        let mut found: Vec<(Slot, String)> = vec![];
        let id = IdHash::of(&run.ticket);
        for (recording, room) in std::iter::once(&self.recording).chain(&self.reuse).zip(&mut room) {
            let missing = |call: &&CallRecord| call.slot.pass <= 1 && !found.iter().any(|(slot, _)| *slot == call.slot);
            let wanted = run.passes.iter().flat_map(|pass| &pass.calls).filter(|call| call.slot.role != Role::Reviser);
            let wanted: Vec<&CallRecord> = wanted.filter(missing).collect();
            if wanted.is_empty() {
                break;
            }
            let tape = recording.tape(id, room)?;
            for record in wanted {
                // Another arm's call in the same slot counts only where it answers the same request.
                let answers = |call: &CallLine<'_>| record.key.is_empty() || call.key.as_deref() == Some(record.key.as_str());
                let same = |call: &CallLine<'_>| call.slot() == record.slot && answers(call);
                let call = tape.calls().map(|(_, call)| call).find(|call| same(call) && call.response.is_success());
                let model = call.and_then(|call| self.program.spec.wire.reply(call.response.body.get()).ok()?.model);
                found.extend(model.map(|model| (record.slot, model)));
            }
        }
        Ok(found)
    }

    /// How many tickets a replay will go over, for whoever shows how far it is; None where a filter decides that on the way.
    pub fn expected(&self, options: &Options) -> Option<usize> {
        self.expected_of(options, self.program.spec.coverage)
    }

    /// The same for [`Prepared::each_taped`].
    pub fn expected_of(&self, options: &Options, coverage: Coverage) -> Option<usize> {
        let (from, to) = self.range(options);
        let all = match coverage {
            Coverage::All => to - from,
            Coverage::Recorded => self.recording.tickets().min(to - from),
        };
        options.filter.is_all().then_some(all)
    }

    fn range(&self, options: &Options) -> (usize, usize) {
        let (i, of) = options.shard.unwrap_or((1, 1));
        let cut = |k: usize| (self.dataset.count as u128 * k as u128 / of as u128) as usize;
        let (from, to) = (cut(i - 1), cut(i));
        (from, options.first.map_or(to, |first| to.min(from.saturating_add(first))))
    }

    /// True where a ticket, the `at`-th of the dataset from 0, is among those that the options choose.
    pub fn is_chosen(&self, options: &Options, at: usize, ticket: &Ticket) -> bool {
        let (from, to) = self.range(options);
        (from..to).contains(&at) && options.filter.takes(ticket)
    }

    /// `options` None: the ticket is outside the shard.
    fn one<T>(
        &self,
        raw: &RawTicket,
        options: Option<&Options>,
        coverage: Coverage,
        work: &(impl Fn(&Ticket, &mut [Tape<'_>]) -> T + Sync),
        rooms: &mut [Room],
    ) -> Result<(IdHash, Outcome<T>), Error> {
        let ticket = self.dataset.read(raw)?;
        let id = IdHash::of(&ticket.id);
        if !options.is_some_and(|options| options.filter.takes(&ticket)) {
            return Ok((id, Outcome::NotChosen));
        }
        if coverage == Coverage::Recorded && !self.recording.has(id) {
            return Ok((id, Outcome::NotRecorded));
        }
        let made = work(&ticket, &mut self.tapes(id, rooms)?);
        Ok((id, Outcome::Made(made)))
    }

    /// The files that calls come from: the arm's own, then those of the arms it may reuse.
    pub fn files(&self) -> Vec<std::path::PathBuf> {
        std::iter::once(&self.recording).chain(&self.reuse).map(|recording| recording.path().to_path_buf()).collect()
    }

    /// Where the tapes of a ticket are read to, for [`Prepared::tapes`]: one set a thread.
    pub fn rooms(&self) -> Vec<Room> {
        std::iter::repeat_with(Room::default).take(1 + self.reuse.len()).collect()
    }

    /// A ticket's tapes: the arm's own, then those of the arms it may reuse.
    pub fn tapes<'b>(&self, ticket: IdHash, rooms: &'b mut [Room]) -> Result<Vec<Tape<'b>>, Error> {
        std::iter::once(&self.recording).chain(&self.reuse).zip(rooms).map(|(recording, room)| recording.tape(ticket, room)).collect()
    }
}

/// A defect of ours at one ticket must not cost the others: it becomes that ticket's fault.
fn guarded(program: &Loop, ticket: &Ticket, sample: u32, tapes: &mut [Tape<'_>]) -> Run {
    catch_unwind(AssertUnwindSafe(|| replay(program, ticket, sample, tapes))).unwrap_or_else(|cause| {
        let fault = Fault::defect("replay", &*cause);
        Run { ticket: ticket.id.clone(), sample, passes: vec![], stop: Stop::Fault, fault: Some(fault), unused: vec![] }
    })
}

/// One ticket's tapes through the machine: the arm's own first, then those it may reuse.
pub fn replay(program: &Loop, ticket: &Ticket, sample: u32, tapes: &mut [Tape<'_>]) -> Run {
    match Walk::new(program, ticket, sample, tapes).advance() {
        Reached::Done(run) => *run,
        Reached::Open(open) => open.abandon(),
    }
}
