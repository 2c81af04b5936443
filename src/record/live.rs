//! A live recording: tickets through the machine, several at once, each open ask answered by the provider, written down, and the walk goes on.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use super::append::Appender;
use super::exchange::{Call, Caller};
use super::halt::Cause;
use super::written::{self, Came};
use crate::arm::max_tokens;
use crate::dataset::{IdHash, Tickets};
use crate::error::Error;
use crate::machine::{Answer, worst_case};
use crate::model::{Fault, FaultKind, Run, Ticket, cost};
use crate::replay::{JOBS_MAX, Open, Options, Prepared, Reached, Walk};
use crate::tape::{Room, Tape};

/// What came of the runs that were gone through; where the recording halted, others are left.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Tickets gone through.
    pub tickets: usize,
    /// Runs that are recorded to their end, those that were before included.
    pub complete: usize,
    /// Runs that hold a call for another request than the loop makes now. Nothing was asked for them.
    pub stale: usize,
    /// Runs with a call that failed for good, or a prompt that cannot be rendered.
    pub faulted: usize,
    /// The first of these, for people, in the order in which they were seen.
    pub notes: Vec<String>,
}

/// Notes kept; the counts are always whole.
const NOTES_MAX: usize = 20;

struct Recorder<'r> {
    prepared: &'r Prepared,
    appender: &'r Appender,
    caller: &'r Caller<'r>,
    options: &'r Options,
    source: Mutex<(Tickets<'r>, usize)>,
    outcome: Mutex<Outcome>,
    tick: &'r (dyn Fn() + Sync),
}

/// Records what is missing of the chosen tickets, `threads` of them at once. `tick` is called after each. Why it ended early, if it did, is the
/// caller's halt.
pub fn record(
    prepared: &Prepared,
    appender: &Appender,
    caller: &Caller<'_>,
    options: &Options,
    threads: usize,
    tick: &(dyn Fn() + Sync),
) -> Result<Outcome, Error> {
    let source = Mutex::new((prepared.dataset.tickets()?, 0));
    let recorder = Recorder { prepared, appender, caller, options, source, outcome: Mutex::default(), tick };
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, JOBS_MAX) {
            scope.spawn(|| {
                if let Err(error) = recorder.work() {
                    caller.halt.raise(Cause::Broken(error));
                }
            });
        }
    });
    let outcome = recorder.outcome.into_inner().unwrap_or_else(|e| e.into_inner());
    match caller.halt.cause() {
        Some(Cause::Broken(error)) => Err(error),
        _ => Ok(outcome),
    }
}

impl Recorder<'_> {
    fn work(&self) -> Result<(), Error> {
        let mut rooms = self.prepared.rooms();
        while !self.caller.halt.is_raised() {
            let Some((at, raw)) = self.next()? else { return Ok(()) };
            let ticket = self.prepared.dataset.read(&raw)?;
            if self.prepared.is_chosen(self.options, at, &ticket) {
                self.ticket(&ticket, &mut rooms)?;
                (self.tick)();
            }
        }
        Ok(())
    }

    fn next(&self) -> Result<Option<(usize, crate::dataset::RawTicket)>, Error> {
        let mut source = self.source.lock().unwrap_or_else(|e| e.into_inner());
        let next = source.0.next()?;
        let at = source.1;
        source.1 += 1;
        Ok(next.map(|raw| (at, raw)))
    }

    fn ticket(&self, ticket: &Ticket, rooms: &mut [Room]) -> Result<(), Error> {
        let mut tapes = self.prepared.tapes(IdHash::of(&ticket.id), rooms)?;
        for sample in 0..self.prepared.program.spec.samples {
            // A defect of ours at one ticket must not cost the others.
            let run = catch_unwind(AssertUnwindSafe(|| self.run(ticket, sample, &mut tapes)));
            let run = run.unwrap_or_else(|cause| Ok(Some(Err(Fault::defect("record", &*cause)))))?;
            self.note(ticket, run);
        }
        self.outcome().tickets += 1;
        Ok(())
    }

    /// One run to its end, as far as answers are to be had. None: the recording halts, and nothing is known of this run.
    fn run(&self, ticket: &Ticket, sample: u32, tapes: &mut [Tape<'_>]) -> Result<Option<Result<Run, Fault>>, Error> {
        let mut walk = Walk::new(&self.prepared.program, ticket, sample, tapes);
        loop {
            let open = match walk.advance() {
                Reached::Done(run) => return Ok(Some(ended(*run))),
                Reached::Open(open) => open,
            };
            if open.refused.kind == FaultKind::Mismatch {
                return Ok(Some(ended(open.abandon())));
            }
            match self.ask(ticket, &open)? {
                None => return Ok(None),
                Some(Ok(answer)) => walk = open.answer(answer),
                Some(Err(fault)) => return Ok(Some(Err(fault))),
            }
        }
    }

    /// Makes the open call and writes it down before anybody goes on with it.
    fn ask(&self, ticket: &Ticket, open: &Open<'_, '_, '_>) -> Result<Option<Result<Answer, Fault>>, Error> {
        let program = &self.prepared.program;
        let (ask, role) = (&open.ask, program.spec.role(open.ask.slot.role));
        let body = ask.body.to_string();
        let call = Call {
            place: &format!("{} {}", ticket.id, ask.slot),
            path: &program.spec.wire.path(&role.model),
            body: &body,
            worst: worst_case(role, &ask.body),
            cost: &|usage| role.price.and_then(|p| cost(Some(usage), p.input, p.cached, p.output)),
            // Four bytes a token is what tokenisers make of English; the answer corrects it.
            tokens: body.len() as u64 / 4 + max_tokens(&role.params).unwrap_or(0),
        };
        let Some(made) = self.caller.call(&call) else { return Ok(None) };
        let came = Came {
            status: made.status,
            headers: &made.headers,
            body: &made.body,
            at: Some(made.at),
            latency: Some(made.latency),
            attempts: made.attempts,
        };
        let line = written::line(program, &ticket.id, ask, &body, &came);
        self.appender.append(line.map_err(|what| Error::new(format!("ticket {}: {}: {what}", ticket.id, ask.slot)))?)?;
        Ok(Some(match made.reply {
            Some(reply) => Ok(Answer { reply, key: open.key.clone(), attempts: made.attempts }),
            None => {
                let what = format!("no answer after {} attempt(s); the last: {}", made.attempts, made.why);
                Err(Fault { kind: FaultKind::NoAnswer, at: ask.slot.to_string(), what })
            }
        }))
    }

    fn note(&self, ticket: &Ticket, run: Option<Result<Run, Fault>>) {
        let mut outcome = self.outcome();
        let fault = match run {
            None => return,
            Some(Ok(_)) => {
                outcome.complete += 1;
                return;
            }
            Some(Err(fault)) => fault,
        };
        if fault.kind == FaultKind::Mismatch {
            outcome.stale += 1;
        } else {
            outcome.faulted += 1;
        }
        if outcome.notes.len() < NOTES_MAX {
            outcome.notes.push(format!("ticket {}: {}: {}", ticket.id, fault.at, fault.what));
        }
    }

    fn outcome(&self) -> std::sync::MutexGuard<'_, Outcome> {
        self.outcome.lock().unwrap_or_else(|e| e.into_inner())
    }
}

fn ended(run: Run) -> Result<Run, Fault> {
    run.fault.clone().map_or(Ok(run), Err)
}
