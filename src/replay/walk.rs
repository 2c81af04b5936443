//! One ticket's way through the machine as far as recorded answers reach: where it ends, or the ask that none of them fits. Replay stops there;
//! whoever has another answer (a provider, a batch) gives it and walks on.

use crate::arm::Matching;
use crate::machine::{Answer, Ask, Loop, Machine, Step};
use crate::model::{Fault, FaultKind, Run, Slot, Ticket};
use crate::tape::{Refused, Tape};

/// A run that has not ended, ready to go on.
pub struct Walk<'a, 't, 'b> {
    program: &'a Loop,
    machine: Machine<'a>,
    sample: u32,
    /// The arm's own tape first, then those it may reuse.
    tapes: &'t mut [Tape<'b>],
    answer: Option<Answer>,
}

/// Where a walk came to.
pub enum Reached<'a, 't, 'b> {
    /// The run ended, by the loop's own rules or by a fault that no answer can mend.
    Done(Box<Run>),
    /// No recorded answer fits the next ask.
    Open(Box<Open<'a, 't, 'b>>),
}

/// An ask without a recorded answer.
pub struct Open<'a, 't, 'b> {
    walk: Walk<'a, 't, 'b>,
    pub ask: Ask,
    /// The key of the request; empty in an arm that matches by slot alone.
    pub key: String,
    /// Why the recording has no answer: nothing stands in the slot, or another request, or one without a usable answer.
    pub refused: Refused,
}

impl<'a, 't, 'b> Walk<'a, 't, 'b> {
    pub fn new(program: &'a Loop, ticket: &'a Ticket, sample: u32, tapes: &'t mut [Tape<'b>]) -> Self {
        Walk { program, machine: Machine::new(program, ticket, sample), sample, tapes, answer: None }
    }

    /// Goes on while recorded answers fit. Never a silent substitute: a call in the arm's own slot for another request is not passed over.
    pub fn advance(mut self) -> Reached<'a, 't, 'b> {
        let spec = &self.program.spec;
        let by_key = spec.matching == Matching::Key;
        loop {
            let ask = match self.machine.next(self.answer.take()) {
                Ok(Step::Done(run)) => return Reached::Done(Box::new(Run { unused: self.unused(), ..*run })),
                Ok(Step::Ask(ask)) => ask,
                Err(fault) => return Reached::Done(Box::new(self.end(fault))),
            };
            let key = if by_key { self.program.key(&ask) } else { String::new() };
            let own_has = self.tapes.first().is_some_and(|own| own.has_slot(ask.slot));
            let from = if own_has { 0 } else { self.tapes.iter().position(|t| by_key && t.has(ask.slot, &key)).unwrap_or(0) };
            let Some(tape) = self.tapes.get_mut(from) else {
                let what = "no recording was given".to_owned();
                let fault = Fault { kind: FaultKind::Missing, at: ask.slot.to_string(), what };
                return Reached::Done(Box::new(self.end(fault)));
            };
            match tape.take(ask.slot, by_key.then_some(key.as_str()), &ask.body, &spec.ignore, spec.wire) {
                Ok(taken) => self.answer = Some(Answer { reply: taken.reply, key, attempts: taken.attempts }),
                Err(refused) => return Reached::Open(Box::new(Open { walk: self, ask, key, refused })),
            }
        }
    }

    fn unused(&self) -> Vec<Slot> {
        self.tapes.first().map_or(vec![], |own| own.unused(self.sample))
    }

    fn end(self, fault: Fault) -> Run {
        let unused = self.unused();
        Run { unused, ..self.machine.abandon(fault) }
    }
}

impl<'a, 't, 'b> Open<'a, 't, 'b> {
    /// Takes an answer from elsewhere. The walk goes on with it as with a recorded one.
    pub fn answer(mut self, answer: Answer) -> Walk<'a, 't, 'b> {
        self.walk.answer = Some(answer);
        self.walk
    }

    /// Ends the run here, for want of an answer.
    pub fn abandon(mut self) -> Run {
        let Refused { kind, what, attempts } = self.refused;
        if attempts > 0 {
            self.walk.machine.unanswered(self.ask.slot, attempts);
        }
        self.walk.end(Fault { kind, at: self.ask.slot.to_string(), what })
    }
}
