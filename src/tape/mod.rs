//! Recorded calls in: the file form of a call, where each ticket's calls lie in a file, and one ticket's calls as a tape.

mod digest;
mod index;
mod line;
mod packed;
mod verify;

pub use digest::joined as joined_digest;
pub use index::{Recording, Room, Seen, Torn, plain};
pub use line::{CallLine, Meta, RequestLine, ResponseLine, SlotLine};
pub use packed::{Packer, index_path, plain_hash};
pub use verify::{Defect, check_line};

use serde_json::Value;

use crate::api::{Wire, key};
use crate::model::{FaultKind, Reply, Role, Slot};

/// The recorded calls of one ticket, in slot order.
pub struct Tape<'a> {
    calls: Vec<(Slot, usize, CallLine<'a>)>,
    used: Vec<bool>,
}

/// A recorded answer that was taken from a tape.
pub struct Taken {
    pub reply: Reply,
    pub attempts: u32,
}

/// Why a tape gives no answer.
pub struct Refused {
    pub kind: FaultKind,
    pub what: String,
    /// Attempts on record that led to nothing usable; 0 where no call stands in the slot, or one for another request.
    pub attempts: u32,
}

impl Refused {
    fn new(kind: FaultKind, what: String) -> Refused {
        Refused { kind, what, attempts: 0 }
    }
}

impl<'a> Tape<'a> {
    /// Calls with their slots and the lines they stand in. Sorts them by slot; two calls in one slot are an error that names both lines.
    pub fn new(mut calls: Vec<(Slot, usize, CallLine<'a>)>) -> Result<Tape<'a>, (usize, String)> {
        calls.sort_by_key(|(slot, number, _)| (*slot, *number));
        for pair in calls.windows(2) {
            let [(slot, first, call), (other, second, again)] = pair else { continue };
            if slot == other {
                let next = match call.says_the_same(again) {
                    true => "It says the same: `redraft pack` makes one of the two",
                    false => "They differ: keep the one that counts (`redraft pack` does so where one of them failed)",
                };
                let what = format!("a second call for {slot}, ticket `{}`; the first is in line {first}. {next}", call.slot.ticket);
                return Err((*second, what));
            }
        }
        Ok(Tape { used: vec![false; calls.len()], calls })
    }

    pub fn empty() -> Tape<'a> {
        Tape { calls: vec![], used: vec![] }
    }

    /// The calls with the line each stands in.
    pub fn calls(&self) -> impl Iterator<Item = (usize, &CallLine<'a>)> {
        self.calls.iter().map(|(_, number, call)| (*number, call))
    }

    /// Every slot that has a call, and whether its answer was taken.
    pub fn slots(&self) -> impl Iterator<Item = (Slot, bool)> {
        self.calls.iter().zip(&self.used).map(|((slot, ..), used)| (*slot, *used))
    }

    fn at(&self, slot: Slot) -> Option<usize> {
        self.calls.binary_search_by_key(&slot, |(s, ..)| *s).ok()
    }

    /// The answer recorded in `slot`, if the request that was recorded there is the one asked now (`key` None: by slot alone).
    pub fn take(&mut self, slot: Slot, key: Option<&str>, asked: &Value, ignore: &[String], wire: &dyn Wire) -> Result<Taken, Refused> {
        let at = self.at(slot).ok_or_else(|| Refused::new(FaultKind::Missing, self.missing(slot)))?;
        let call = &self.calls[at].2;
        if let Some(key) = key
            && call.key.as_deref() != Some(key)
        {
            return Err(Refused::new(FaultKind::Mismatch, difference(call, asked, ignore)));
        }
        self.used[at] = true;
        if !call.response.is_success() {
            let attempts = call.meta.attempts;
            let what = format!("no successful attempt: status {} after {attempts} attempt(s)", call.response.status);
            return Err(Refused { attempts, ..Refused::new(FaultKind::NoAnswer, what) });
        }
        let reply = wire
            .reply(call.response.body.get())
            .map_err(|what| Refused { attempts: call.meta.attempts, ..Refused::new(FaultKind::Unreadable, what) })?;
        Ok(Taken { reply, attempts: call.meta.attempts })
    }

    /// True where a call for exactly this request stands in this slot.
    pub fn has(&self, slot: Slot, key: &str) -> bool {
        self.at(slot).is_some_and(|at| self.calls[at].2.key.as_deref() == Some(key))
    }

    pub fn has_slot(&self, slot: Slot) -> bool {
        self.at(slot).is_some()
    }

    /// Calls of this sample that nobody asked for. A judge's are no part of a loop: they are labels.
    pub fn unused(&self, sample: u32) -> Vec<Slot> {
        self.calls
            .iter()
            .zip(&self.used)
            .filter(|((slot, ..), used)| slot.sample == sample && !**used && slot.role != Role::Judge)
            .map(|((slot, ..), _)| *slot)
            .collect()
    }

    fn missing(&self, slot: Slot) -> String {
        let nearest = self.calls.iter().map(|(s, ..)| *s).filter(|s| s.sample == slot.sample && *s < slot).max();
        match nearest {
            Some(last) => format!("no call was recorded; the last one before it is {last}"),
            None => "no call was recorded".to_owned(),
        }
    }
}

/// Names the first field in which the recorded request differs from the one asked.
fn difference(call: &CallLine<'_>, asked: &Value, ignore: &[String]) -> String {
    let Some(request) = &call.request else {
        return "the recording holds no request to compare with; set match = \"slot\" if it was imported without".to_owned();
    };
    match serde_json::from_str::<Value>(request.body.get()) {
        Ok(recorded) => key::difference_but(&recorded, asked, ignore).unwrap_or_else(|| {
            "the bodies agree, so provider, endpoint or the recorded key itself differs; `redraft verify` lists keys that are wrong"
                .to_owned()
        }),
        Err(e) => format!("the recorded request is not readable: {e}"),
    }
}
