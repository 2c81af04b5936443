//! Results joined to the calls that asked for them: every run goes on as far as answers reach, and what it took is appended to the recording.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

use serde::Serialize;

use super::id;
use super::results::{Kind, Results};
use crate::arm::Coverage;
use crate::error::Error;
use crate::machine;
use crate::model::{FaultKind, Ticket};
use crate::record::append::Appender;
use crate::record::written::{self, Came};
use crate::replay::{Options, Prepared, Reached, Walk};
use crate::tape::Tape;

/// What came of the results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Imported {
    /// Lines of the files, by what came of them. Every line is one of them.
    pub results: BTreeMap<Kind, usize>,
    /// Lines that somebody should look at, in the order of the files.
    pub rows: Vec<Row>,
    pub runs: usize,
    pub complete: usize,
    /// Runs whose next call has no answer yet: what the next export asks.
    pub open: usize,
    pub stale: usize,
    pub faulted: usize,
}

/// One line of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Row {
    pub path: PathBuf,
    pub line: usize,
    pub custom_id: String,
    pub kind: Kind,
    pub what: String,
}

#[derive(Default)]
struct Made {
    /// Lines of calls, ended, and the entries that they are of.
    calls: Vec<u8>,
    taken: Vec<usize>,
    /// Ids of the results that were asked for, and of those that were recorded before.
    asked: Vec<String>,
    recorded: Vec<String>,
    ticket: String,
    runs: usize,
    complete: usize,
    open: usize,
    stale: usize,
    faulted: usize,
}

/// Appends every answer that a run asks for. One file may hold answers to several calls of one run: the run goes on as long as there are any. `tick` is
/// called after each ticket.
pub fn import(prepared: &Prepared, appender: &Appender, results: &Results, mut tick: impl FnMut()) -> Result<Imported, Error> {
    const PIECE_BYTES: usize = 1 << 20;
    let mut out = Imported { results: BTreeMap::new(), rows: vec![], runs: 0, complete: 0, open: 0, stale: 0, faulted: 0 };
    let mut seen = Seen::default();
    let mentioned: HashSet<&str> = results.entries.iter().filter_map(|entry| id::ticket(&entry.id)).collect();
    let mut calls: Vec<u8> = vec![];
    let work = |ticket: &Ticket, tapes: &mut [Tape<'_>]| of_ticket(prepared, results, ticket, tapes);
    prepared.each_taped(&Options::default(), Coverage::All, work, |made: Result<Made, Error>| {
        let made = made?;
        tick();
        calls.extend_from_slice(&made.calls);
        if calls.len() >= PIECE_BYTES {
            appender.append(std::mem::take(&mut calls))?;
        }
        out.runs += made.runs;
        out.complete += made.complete;
        out.open += made.open;
        out.stale += made.stale;
        out.faulted += made.faulted;
        seen.taken.extend(made.taken.iter().map(|at| (results.entries[*at].id.clone(), *at)));
        seen.asked.extend(made.asked);
        seen.recorded.extend(made.recorded);
        if mentioned.contains(made.ticket.as_str()) {
            seen.tickets.insert(made.ticket);
        }
        Ok(())
    })?;
    if !calls.is_empty() {
        appender.append(calls)?;
    }
    for (at, entry) in results.entries.iter().enumerate() {
        let (kind, what) = seen.kind(results, at);
        *out.results.entry(kind).or_default() += 1;
        if !kind.is_fine() {
            out.rows.push(Row { path: results.path(entry).to_path_buf(), line: entry.line, custom_id: entry.id.clone(), kind, what });
        }
    }
    Ok(out)
}

/// What the runs had to do with the results.
#[derive(Default)]
struct Seen {
    tickets: HashSet<String>,
    asked: HashSet<String>,
    recorded: HashSet<String>,
    taken: HashMap<String, usize>,
}

impl Seen {
    fn kind(&self, results: &Results, at: usize) -> (Kind, String) {
        let entry = &results.entries[at];
        if entry.kind == Kind::Cut {
            return (Kind::Cut, entry.what.clone());
        }
        match id::ticket(&entry.id) {
            None => return (Kind::Unknown, "no custom_id of `redraft batch export`".to_owned()),
            Some(ticket) if !self.tickets.contains(ticket) => return (Kind::Unknown, "no ticket of this arm's dataset".to_owned()),
            Some(_) => {}
        }
        if self.recorded.contains(&entry.id) {
            return (Kind::Recorded, String::new());
        }
        if !self.asked.contains(&entry.id) {
            return (Kind::Stale, "the loop does not ask this here: its spec or an earlier answer is another one".to_owned());
        }
        match self.taken.get(&entry.id) {
            Some(first) if entry.kind == Kind::Answered && *first != at => {
                let first = &results.entries[*first];
                if first.hash == entry.hash {
                    return (Kind::Repeated, String::new());
                }
                (Kind::Conflicting, format!("another answer than {}:{}, which was recorded", results.path(first).display(), first.line))
            }
            _ => (entry.kind, entry.what.clone()),
        }
    }
}

fn of_ticket(prepared: &Prepared, results: &Results, ticket: &Ticket, tapes: &mut [Tape<'_>]) -> Result<Made, Error> {
    let program = &prepared.program;
    let mut made = Made { ticket: id::digest(&ticket.id), ..Made::default() };
    for (_, call) in tapes.iter().flat_map(Tape::calls) {
        let id = id::of(&ticket.id, call.slot(), call.key.as_deref().unwrap_or_default());
        if call.response.is_success() && results.mentions(&id) {
            made.recorded.push(id);
        }
    }
    for sample in 0..program.spec.samples {
        made.runs += 1;
        let mut walk = Walk::new(program, ticket, sample, tapes);
        loop {
            let open = match walk.advance() {
                Reached::Done(run) => {
                    let ended = if run.fault.is_some() { &mut made.faulted } else { &mut made.complete };
                    *ended += 1;
                    break;
                }
                Reached::Open(open) if open.refused.kind == FaultKind::Mismatch => {
                    made.stale += 1;
                    break;
                }
                Reached::Open(open) => open,
            };
            let id = id::of(&ticket.id, open.ask.slot, &program.key(&open.ask));
            let answer = results.answer(&id)?;
            if results.mentions(&id) {
                made.asked.push(id);
            }
            let Some((at, answer)) = answer else {
                made.open += 1;
                break;
            };
            let place = |what: String| Error::new(format!("ticket {}: {}: {what}", ticket.id, open.ask.slot));
            let came = Came { status: answer.status, headers: &answer.headers, body: &answer.body, at: None, latency: None, attempts: 1 };
            let line = written::line(program, &ticket.id, &open.ask, &open.ask.body.to_string(), &came).map_err(place)?;
            made.calls.extend_from_slice(&line);
            made.calls.push(b'\n');
            made.taken.push(at);
            let reply = program.spec.wire.reply(&answer.body).map_err(place)?;
            let key = open.key.clone();
            walk = open.answer(machine::Answer { reply, key, attempts: 1 });
        }
    }
    Ok(made)
}
