//! Which slot a call belongs to: by the client's headers, or because the request is one that the recording holds or that the loop asks next.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::Value;

use super::ask::{Asked, Said};
use super::nearest;
use crate::api::key;
use crate::arm::{Coverage, Matching, Strategy};
use crate::dataset::{IdHash, Lookup};
use crate::error::Error;
use crate::machine::Ask;
use crate::model::{FaultKind, Role, Slot, Ticket};
use crate::replay::{Options, Prepared, Reached, Walk};
use crate::tape::{CallLine, Tape};

/// A call's place, and where its answer lies if there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub ticket: Arc<str>,
    /// The ticket's place in the dataset.
    order: usize,
    pub slot: Slot,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ticket {} {}", self.ticket, self.slot)
    }
}

/// What is to be done with a call.
pub enum Placed {
    /// The recording holds the answer.
    Recorded {
        place: Place,
        status: u16,
        body: String,
    },
    /// To be asked, and recorded in this slot. It is kept for this call until [`Slots::answered`] or [`Slots::failed`].
    Open(Place, Ask),
    Nowhere(Nowhere),
}

/// Why a call belongs to no slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nowhere {
    /// Something else stands where the call wants to be.
    pub conflict: bool,
    pub why: String,
}

/// What is known at the end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Left {
    /// Recorded calls of tickets that were asked for, which nobody asked for.
    pub unused: Vec<String>,
    /// Recorded calls of tickets of which nothing was asked.
    pub untouched: usize,
    /// Runs that had begun and wait for their next call.
    pub begun: Vec<String>,
}

/// The slots of an arm during one session.
pub struct Slots<'p> {
    prepared: &'p Prepared,
    /// Calls that are not recorded are asked: what the loop asks next is known.
    live: bool,
    state: Mutex<State<'p>>,
}

struct State<'p> {
    lookup: Lookup<'p>,
    ids: Vec<Arc<str>>,
    orders: HashMap<Arc<str>, usize>,
    /// Recorded calls that were not served yet, by key, in the order of dataset and slots.
    recorded: HashMap<String, VecDeque<Place>>,
    /// What the loop asks next, by key: tickets and samples.
    open: HashMap<String, BTreeSet<(usize, u32)>>,
    /// The same by ticket and sample.
    asks: BTreeMap<(usize, u32), (String, Slot)>,
    /// Slots that this session's calls took.
    taken: HashMap<usize, BTreeSet<Slot>>,
    /// Lines that were written in this session, as far as they are still needed.
    fresh: HashMap<usize, Vec<(Slot, Vec<u8>)>>,
    /// The place from which a request was answered last; None where it was asked and failed.
    last: HashMap<String, Option<Place>>,
}

/// One ticket, looked at before the first call.
struct Looked {
    id: Arc<str>,
    recorded: Vec<(String, Slot)>,
    asks: Vec<(String, Slot)>,
    notes: Vec<String>,
}

impl<'p> Slots<'p> {
    /// Looks through the arm. The notes say what in it does not fit its spec.
    pub fn new(prepared: &'p Prepared, live: bool) -> Result<(Slots<'p>, Vec<String>), Error> {
        const NOTES_MAX: usize = 10;
        let samples = prepared.program.spec.samples;
        let look = |ticket: &Ticket, tapes: &mut [Tape<'_>]| {
            let (mut asks, mut notes) = (vec![], vec![]);
            for sample in 0..samples {
                match next(prepared, ticket, sample, tapes) {
                    Next::Asks(ask) => asks.push((prepared.program.key(&ask), ask.slot)),
                    Next::Stale(what) => notes.push(format!("ticket {}: {what}", ticket.id)),
                    Next::Nothing => {}
                }
            }
            let mut recorded: Vec<(String, Slot)> = vec![];
            for (source, tape) in tapes.iter().enumerate() {
                let used: HashSet<Slot> = tape.slots().filter(|(_, used)| *used).map(|(slot, _)| slot).collect();
                let counts = |call: &CallLine<'_>| call.response.is_success() && (source == 0 || used.contains(&call.slot()));
                let calls = tape.calls().map(|(_, call)| call).filter(|call| counts(call));
                recorded.extend(calls.filter_map(|call| Some((call.key.as_deref()?.to_owned(), call.slot()))));
            }
            recorded.sort_by_key(|(_, slot)| *slot);
            Looked { id: ticket.id.as_str().into(), recorded, asks, notes }
        };
        let mut state = State {
            lookup: prepared.dataset.lookup()?,
            ids: vec![],
            orders: HashMap::new(),
            recorded: HashMap::new(),
            open: HashMap::new(),
            asks: BTreeMap::new(),
            taken: HashMap::new(),
            fresh: HashMap::new(),
            last: HashMap::new(),
        };
        let mut notes = vec![];
        prepared.each_taped(&Options::default(), Coverage::All, look, |looked| {
            let order = state.ids.len();
            state.ids.push(looked.id.clone());
            state.orders.insert(looked.id.clone(), order);
            for (key, slot) in looked.recorded {
                state.recorded.entry(key).or_default().push_back(Place { ticket: looked.id.clone(), order, slot });
            }
            if live {
                looked.asks.into_iter().for_each(|(key, slot)| state.opened(order, key, slot));
                notes.extend(looked.notes.into_iter().take(NOTES_MAX.saturating_sub(notes.len())));
            }
            Ok(())
        })?;
        Ok((Slots { prepared, live, state: Mutex::new(state) }, notes))
    }

    fn lock(&self) -> MutexGuard<'_, State<'p>> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// The key of a request in this arm.
    pub fn key(&self, body: &Value) -> String {
        let spec = &self.prepared.program.spec;
        key::key(spec.wire.name(), spec.wire.endpoint(), body, &spec.ignore)
    }

    /// Finds the place of a call, and keeps it for this call.
    pub fn place(&self, asked: &Asked) -> Result<Placed, Error> {
        let spec = &self.prepared.program.spec;
        let nowhere = |why: String| Ok(Placed::Nowhere(Nowhere { conflict: false, why }));
        if asked.wire.name() != spec.wire.name() {
            return nowhere(format!("model.provider of loop.toml is {}, the call came as {}", spec.wire.name(), asked.wire.name()));
        }
        let key = self.key(&asked.body);
        let mut state = self.lock();
        if asked.again
            && let Some(Some(place)) = state.last.get(&key).cloned()
        {
            return self.recorded(&mut state, place, &key);
        }
        let order = match &asked.said.ticket {
            _ if asked.said.is_empty() => None,
            None => return nowhere("x-redraft-ticket is missing beside the other x-redraft headers".to_owned()),
            Some(ticket) => match state.orders.get(ticket.as_str()) {
                Some(order) => Some(*order),
                None => return nowhere(format!("the dataset {} has no ticket `{ticket}`", self.prepared.dataset.about.name)),
            },
        };
        match (order, asked.said.role) {
            (Some(order), Some(role)) => self.by_slot(&mut state, order, role, asked, &key),
            _ => self.by_key(&mut state, order, asked, &key),
        }
    }

    fn by_slot(&self, state: &mut State<'p>, order: usize, role: Role, asked: &Asked, key: &str) -> Result<Placed, Error> {
        let spec = &self.prepared.program.spec;
        let taken = state.taken.entry(order).or_default();
        let slot = slot(&asked.said, role, spec.strategy, taken);
        let place = Place { ticket: state.ids[order].clone(), order, slot };
        let nowhere = |conflict, why: String| Ok(Placed::Nowhere(Nowhere { conflict, why }));
        if let Err(why) = possible(slot, spec.samples, spec.strategy) {
            return nowhere(false, format!("{place}: {why}"));
        }
        if taken.contains(&slot) {
            return nowhere(true, format!("{place}: another call of this session has this slot"));
        }
        let mut rooms = self.prepared.rooms();
        let tapes = self.prepared.tapes(IdHash::of(&place.ticket), &mut rooms)?;
        let own = tapes.first().and_then(|own| own.calls().map(|(_, call)| call).find(|call| call.slot() == slot));
        if let Some(call) = own {
            let by_slot_alone = call.key.is_none() && spec.matching == Matching::Slot;
            if !by_slot_alone && call.key.as_deref() != Some(key) {
                let recorded = call.request.as_ref().and_then(|request| serde_json::from_str(request.body.get()).ok());
                let what = recorded.and_then(|recorded: Value| key::difference_but(&recorded, &asked.body, &spec.ignore));
                let what = what.unwrap_or_else(|| "the recorded key is another".to_owned());
                return nowhere(true, format!("{place}: the recording holds another request: {what}"));
            }
            if !call.response.is_success() {
                return nowhere(true, format!("{place}: the recording holds no answer, but status {}", call.response.status));
            }
            return self.recorded(state, place, key);
        }
        if tapes.iter().skip(1).any(|tape| tape.has(slot, key)) {
            return self.recorded(state, place, key);
        }
        if !self.live {
            let what = self.nearest(state, Some(order), &asked.body)?;
            return nowhere(false, format!("{place}: nothing is recorded in this slot{what}"));
        }
        Ok(state.keep(place, key, asked))
    }

    /// `order`: the ticket that the client names, if it does.
    fn by_key(&self, state: &mut State<'p>, order: Option<usize>, asked: &Asked, key: &str) -> Result<Placed, Error> {
        let said = &asked.said;
        let fits = |at: usize, slot: Slot| {
            order.is_none_or(|order| order == at)
                && said.sample.is_none_or(|sample| sample == slot.sample)
                && said.pass.is_none_or(|pass| pass == slot.pass)
                && said.n.is_none_or(|n| n == slot.n)
        };
        let found = state.recorded.get(key).and_then(|places| places.iter().find(|place| fits(place.order, place.slot)).cloned());
        if let Some(place) = found {
            return self.recorded(state, place, key);
        }
        let asks = &state.asks;
        let open = state.open.get(key).into_iter().flatten();
        let found = open.copied().find_map(|run| asks.get(&run).filter(|(_, slot)| fits(run.0, *slot)).map(|(_, slot)| (run.0, *slot)));
        if let Some((order, slot)) = found {
            let place = Place { ticket: state.ids[order].clone(), order, slot };
            return Ok(state.keep(place, key, asked));
        }
        let again = match state.last.get(key) {
            Some(Some(place)) => format!("the same request was answered before as {place}, and not recorded once more"),
            _ if self.live => "it is neither recorded nor what the loop asks next".to_owned(),
            _ => "no recorded call has this request".to_owned(),
        };
        let what = self.nearest(state, order, &asked.body)?;
        Ok(Placed::Nowhere(Nowhere { conflict: false, why: again + &what }))
    }

    /// Takes a recorded answer out, and notes that it was.
    fn recorded(&self, state: &mut State<'p>, place: Place, key: &str) -> Result<Placed, Error> {
        let mut answer = None;
        let fresh = state.fresh.get(&place.order).and_then(|lines| lines.iter().find(|(slot, _)| *slot == place.slot));
        if let Some((_, line)) = fresh
            && let Ok(call) = serde_json::from_slice::<CallLine<'_>>(line)
        {
            answer = Some((call.response.status, call.response.body.get().to_owned()));
        }
        if answer.is_none() {
            let mut rooms = self.prepared.rooms();
            let tapes = self.prepared.tapes(IdHash::of(&place.ticket), &mut rooms)?;
            let calls = tapes.iter().flat_map(Tape::calls).map(|(_, call)| call);
            let call = calls.into_iter().find(|call| {
                call.slot() == place.slot && call.response.is_success() && call.key.as_deref().is_none_or(|known| known == key)
            });
            answer = call.map(|call| (call.response.status, call.response.body.get().to_owned()));
        }
        let Some((status, body)) = answer else {
            let why = format!("{place}: its answer is no longer at hand; start the proxy again");
            return Ok(Placed::Nowhere(Nowhere { conflict: true, why }));
        };
        state.taken.entry(place.order).or_default().insert(place.slot);
        if let Some(places) = state.recorded.get_mut(key) {
            places.retain(|other| *other != place);
        }
        state.last.insert(key.to_owned(), Some(place.clone()));
        Ok(Placed::Recorded { place, status, body })
    }

    /// The call is on the disk. What the loop asks next of this ticket is known from now on.
    pub fn answered(&self, place: &Place, ask: &Ask, line: Vec<u8>) -> Result<(), Error> {
        let mut guard = self.lock();
        let state = &mut *guard;
        state.last.insert(self.prepared.program.key(ask), Some(place.clone()));
        let lines = state.fresh.entry(place.order).or_default();
        lines.push((place.slot, line));
        let Some(raw) = state.lookup.find(&place.ticket)? else { return Ok(()) };
        let ticket = self.prepared.dataset.read(&raw)?;
        let next = self.walked(&ticket, place.slot.sample, lines)?;
        state.closed(place.order, place.slot.sample);
        match next {
            Next::Asks(ask) => state.opened(place.order, self.prepared.program.key(&ask), ask.slot),
            Next::Stale(_) => {}
            // The last answer may be asked for again, the others not.
            Next::Nothing if self.prepared.program.spec.samples == 1 => {
                let lines = state.fresh.entry(place.order).or_default();
                lines.drain(..lines.len().saturating_sub(1));
            }
            Next::Nothing => {}
        }
        Ok(())
    }

    /// The call had no answer: its place is free again.
    pub fn failed(&self, place: &Place, ask: &Ask) {
        let mut state = self.lock();
        if let Some(taken) = state.taken.get_mut(&place.order) {
            taken.remove(&place.slot);
        }
        state.last.insert(self.prepared.program.key(ask), None);
        let run = (place.order, place.slot.sample);
        if let Some((key, slot)) = state.asks.get(&run).cloned()
            && slot == place.slot
        {
            state.open.entry(key).or_default().insert(run);
        }
    }

    fn walked(&self, ticket: &Ticket, sample: u32, fresh: &[(Slot, Vec<u8>)]) -> Result<Next, Error> {
        let mut rooms = self.prepared.rooms();
        let mut tapes = self.prepared.tapes(IdHash::of(&ticket.id), &mut rooms)?;
        let own = tapes.first().map(|own| own.calls().map(|(line, call)| (call.slot(), line, call.clone())).collect::<Vec<_>>());
        let mut calls = own.unwrap_or_default();
        for (slot, line) in fresh {
            let call = serde_json::from_slice::<CallLine<'_>>(line).map_err(|e| Error::new(format!("a call just written: {e}")))?;
            calls.push((*slot, usize::MAX, call));
        }
        let own = Tape::new(calls).map_err(|(_, what)| Error::at(self.prepared.recording.path(), what))?;
        match tapes.first_mut() {
            Some(first) => *first = own,
            None => tapes.push(own),
        }
        Ok(next(self.prepared, ticket, sample, &mut tapes))
    }

    /// Words about the call most like this one: where it belongs and the first field that differs.
    fn nearest(&self, state: &mut State<'p>, order: Option<usize>, body: &Value) -> Result<String, Error> {
        const LOOKED_AT_MAX: usize = 64;
        let ignore = &self.prepared.program.spec.ignore;
        let mut best = nearest::Nearest::new(body, ignore);
        if self.live {
            let runs: Vec<(usize, u32)> = state.asks.keys().copied().filter(|(at, _)| order.is_none_or(|order| order == *at)).collect();
            for (at, sample) in runs.into_iter().take(LOOKED_AT_MAX) {
                let id = state.ids[at].clone();
                let Some(raw) = state.lookup.find(&id)? else { continue };
                let ticket = self.prepared.dataset.read(&raw)?;
                let fresh = state.fresh.get(&at).map_or(&[][..], Vec::as_slice);
                if let Next::Asks(ask) = self.walked(&ticket, sample, fresh)? {
                    best.look(&format!("ticket {id} {}", ask.slot), &ask.body);
                }
            }
            return Ok(best.tell("what the loop asks next is most like it in"));
        }
        let mut first: BTreeMap<usize, BTreeSet<Slot>> = BTreeMap::new();
        for place in state.recorded.values().flatten().filter(|place| order.is_none_or(|order| order == place.order)) {
            first.entry(place.order).or_default().insert(place.slot);
        }
        let mut rooms = self.prepared.rooms();
        let mut left = LOOKED_AT_MAX;
        for (at, slots) in first {
            let tapes = self.prepared.tapes(IdHash::of(&state.ids[at]), &mut rooms)?;
            for (_, call) in tapes.iter().flat_map(Tape::calls).filter(|(_, call)| slots.contains(&call.slot())) {
                let Some(request) = call.request.as_ref().filter(|_| left > 0) else { continue };
                left -= 1;
                if let Ok(recorded) = serde_json::from_str::<Value>(request.body.get()) {
                    best.look(&format!("ticket {} {}", state.ids[at], call.slot()), &recorded);
                }
            }
        }
        Ok(best.tell("of what is recorded and was not served yet, most like it is"))
    }

    /// What was not asked for.
    pub fn left(&self) -> Left {
        let state = self.lock();
        let mut left = Left::default();
        let mut unused: Vec<&Place> = vec![];
        let touched = |order: &usize| state.taken.get(order).is_some_and(|slots| !slots.is_empty());
        for place in state.recorded.values().flatten().filter(|place| place.slot.role != Role::Judge) {
            match touched(&place.order) {
                true => unused.push(place),
                false => left.untouched += 1,
            }
        }
        unused.sort_by_key(|place| (place.order, place.slot));
        left.unused = unused.into_iter().map(Place::to_string).collect();
        let begun = state.asks.iter().filter(|((order, _), _)| touched(order));
        left.begun = begun.map(|((order, _), (_, slot))| format!("ticket {} {slot}", state.ids[*order])).collect();
        left
    }
}

impl State<'_> {
    fn opened(&mut self, order: usize, key: String, slot: Slot) {
        self.open.entry(key.clone()).or_default().insert((order, slot.sample));
        self.asks.insert((order, slot.sample), (key, slot));
    }

    fn closed(&mut self, order: usize, sample: u32) {
        if let Some((key, _)) = self.asks.remove(&(order, sample)) {
            self.unlist(&key, (order, sample));
        }
    }

    fn unlist(&mut self, key: &str, run: (usize, u32)) {
        if let Some(runs) = self.open.get_mut(key) {
            runs.remove(&run);
            if runs.is_empty() {
                self.open.remove(key);
            }
        }
    }

    /// Keeps a slot for a call under way.
    fn keep(&mut self, place: Place, key: &str, asked: &Asked) -> Placed {
        self.taken.entry(place.order).or_default().insert(place.slot);
        let run = (place.order, place.slot.sample);
        if let Some((key, _)) = self.asks.get(&run).filter(|(_, slot)| *slot == place.slot).cloned() {
            self.unlist(&key, run);
        }
        self.last.remove(key);
        let ask = Ask { slot: place.slot, body: asked.body.clone() };
        Placed::Open(place, ask)
    }
}

enum Next {
    Asks(Ask),
    /// The recording holds another call in the slot of the next ask.
    Stale(String),
    /// The run has ended.
    Nothing,
}

fn next(prepared: &Prepared, ticket: &Ticket, sample: u32, tapes: &mut [Tape<'_>]) -> Next {
    match Walk::new(&prepared.program, ticket, sample, tapes).advance() {
        Reached::Done(_) => Next::Nothing,
        Reached::Open(open) if open.refused.kind == FaultKind::Mismatch => {
            Next::Stale(format!("{}: the recording holds another request: {}", open.ask.slot, open.refused.what))
        }
        Reached::Open(open) => Next::Asks(open.ask),
    }
}

/// The slot that headers name. What they leave out is the first that is free.
fn slot(said: &Said, role: Role, strategy: Strategy, taken: &BTreeSet<Slot>) -> Slot {
    let sample = said.sample.unwrap_or(0);
    let at = |pass, n| Slot { sample, pass, role, n };
    let free = |slot: &Slot| !taken.contains(slot);
    let serial = role == Role::Judge || role == Role::Reviser && strategy == Strategy::Serial;
    let pass = said.pass.or_else(|| match role {
        Role::Writer | Role::Judge => Some(0),
        // Each critique has its edits: they belong to the last pass that has a critique.
        Role::Reviser if serial => {
            let critics = taken.iter().filter(|slot| slot.sample == sample && slot.role == Role::Critic);
            Some(critics.map(|slot| slot.pass).max().unwrap_or(1))
        }
        Role::Critic | Role::Reviser => (1..=taken.len() as u32 + 1).find(|pass| free(&at(*pass, said.n.unwrap_or(0)))),
    });
    let pass = pass.unwrap_or(1);
    let n = said.n.or_else(|| if serial { (0..=taken.len() as u32).find(|n| free(&at(pass, *n))) } else { Some(0) });
    at(pass, n.unwrap_or(0))
}

/// Passes count from 1, and the writer has one call, in pass 0.
fn possible(slot: Slot, samples: u32, strategy: Strategy) -> Result<(), String> {
    if slot.sample >= samples {
        return Err(format!("loop.toml has samples = {samples}, counted from 0"));
    }
    match slot.role {
        Role::Writer if slot.pass > 0 || slot.n > 0 => Err("the writer is asked once, in pass 0".to_owned()),
        Role::Critic | Role::Reviser if slot.pass == 0 => Err("passes of critics and revisers count from 1".to_owned()),
        Role::Critic if slot.n > 0 => Err("there is one critic call a pass".to_owned()),
        Role::Reviser if slot.n > 0 && strategy != Strategy::Serial => {
            Err("there is one reviser call a pass, unless strategy is serial".to_owned())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_headers_leave_out_is_the_first_that_is_free() {
        let at = |pass, role, n| Slot { sample: 0, pass, role, n };
        let mut taken = BTreeSet::new();
        let mut take = |role, strategy, said: &Said| {
            let found = slot(said, role, strategy, &taken);
            taken.insert(found);
            found
        };
        let nothing = Said::default();
        let whole = Strategy::Whole;
        assert_eq!(take(Role::Writer, whole, &nothing), at(0, Role::Writer, 0));
        for pass in 1..=3 {
            assert_eq!(take(Role::Critic, whole, &nothing), at(pass, Role::Critic, 0));
            assert_eq!(take(Role::Reviser, whole, &nothing), at(pass, Role::Reviser, 0));
        }
        let named = Said { pass: Some(7), ..Said::default() };
        assert_eq!(take(Role::Critic, whole, &named), at(7, Role::Critic, 0));
        for n in 0..3 {
            assert_eq!(take(Role::Reviser, Strategy::Serial, &nothing), at(7, Role::Reviser, n));
        }
        let other = Said { sample: Some(1), ..Said::default() };
        assert_eq!(take(Role::Critic, whole, &other), Slot { sample: 1, pass: 1, role: Role::Critic, n: 0 });
    }

    #[test]
    fn slots_that_no_loop_has_are_refused() {
        for (sample, pass, role, n, fine) in [
            (0, 0, Role::Writer, 0, true),
            (0, 1, Role::Writer, 0, false),
            (1, 0, Role::Writer, 0, false),
            (0, 0, Role::Critic, 0, false),
            (0, 1, Role::Critic, 1, false),
            (0, 1, Role::Reviser, 1, false),
            (0, 5, Role::Reviser, 0, true),
        ] {
            assert_eq!(possible(Slot { sample, pass, role, n }, 1, Strategy::Whole).is_ok(), fine);
        }
        assert!(possible(Slot { sample: 0, pass: 1, role: Role::Reviser, n: 4 }, 1, Strategy::Serial).is_ok());
    }
}
