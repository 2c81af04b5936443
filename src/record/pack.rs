//! Recordings packed and unpacked: the calls of one or several files sorted, merged, and compressed with an index; and given back as a plain file.
//! What is replaced is removed only once its successor was read back.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use super::append::{TORN, keep, sync_folder};
use super::aside::ERRORS;
use super::lock::Lock;
use crate::api::{self, Wire};
use crate::arm::{Arm, CALLS, CALLS_PACKED};
use crate::error::Error;
use crate::files;
use crate::jsonl::{self, Line, Lines};
use crate::model::Slot;
use crate::tape::{self, CallLine, Packer};

/// What was packed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed {
    pub path: PathBuf,
    pub calls: usize,
    pub tickets: usize,
    pub frames: usize,
    pub plain_bytes: u64,
    pub packed_bytes: u64,
    /// Lines that said again what another line says.
    pub repeated: usize,
    /// Failed calls whose slot has an answer from another line: moved to [`ERRORS`].
    pub set_aside: usize,
    /// Bytes of cut last lines: those of the arm's own file moved to [`TORN`].
    pub torn: u64,
}

struct Source {
    path: PathBuf,
    file: File,
}

/// One line of a source.
struct Place {
    ticket: String,
    slot: Slot,
    source: usize,
    line: usize,
    start: u64,
    bytes: usize,
}

/// Packs an arm's calls, and with them those of other files for the same arm.
pub fn pack(arm: &Path, with: &[PathBuf]) -> Result<Packed, Error> {
    let wire = Arm::open(arm)?.spec.wire;
    let _lock = Lock::take(arm)?;
    let own: Vec<PathBuf> = [CALLS_PACKED, CALLS].map(|name| arm.join(name)).into_iter().filter(|path| path.exists()).collect();
    if own.is_empty() && with.is_empty() {
        return Err(Error::at(arm, "no calls.jsonl in this arm; expected one to pack"));
    }
    let mut sources = vec![];
    let mut places = vec![];
    let mut torn = 0;
    for path in own.iter().chain(with) {
        let cut = survey(sources.len(), path, &mut sources, &mut places)?;
        torn += cut.len() as u64;
        if path == &arm.join(CALLS) && !cut.is_empty() {
            keep(&arm.join(TORN), &[cut.as_slice(), b"\n"].concat())?;
        }
    }
    places.sort_by(|a, b| (&a.ticket, a.slot, a.source, a.line).cmp(&(&b.ticket, b.slot, b.source, b.line)));
    let target = arm.join(CALLS_PACKED);
    let part = arm.join("calls.jsonl.zst.part");
    let part_index = tape::index_path(&part);
    let failed = |e: &std::io::Error| Error::io(&part, "write", e);
    let mut packer = Packer::new(BufWriter::with_capacity(1 << 18, File::create(&part).map_err(|e| failed(&e))?));
    let (mut repeated, mut aside) = (0, vec![]);
    for slot in places.chunk_by(|a, b| a.slot == b.slot && a.ticket == b.ticket) {
        let merged = merge(slot, &sources, wire);
        if merged.is_err() {
            let _ = std::fs::remove_file(&part);
        }
        let merged = merged?;
        packer.line(&slot[0].ticket, merged.kept.trim_ascii()).map_err(|e| failed(&e))?;
        repeated += merged.repeated;
        aside.extend(merged.aside);
    }
    let made = packer.finish().map_err(|e| failed(&e))?;
    let file = made.out.into_inner().map_err(|e| failed(e.error()))?;
    file.sync_all().map_err(|e| failed(&e))?;
    write_synced(&part_index, &made.index)?;
    // As a reader will find it, before anything is replaced.
    let back =
        tape::plain_hash(&part).map_err(|what| Error::at(&part, format!("was not read back: {what}; the recording is as it was")))?;
    if back != made.plain {
        return Err(Error::at(&part, "reads back as something else than was written; the recording is as it was"));
    }
    if !aside.is_empty() {
        let bytes: Vec<u8> = aside.iter().flat_map(|line| [line.trim_ascii(), b"\n"].concat()).collect();
        keep(&arm.join(ERRORS), &bytes)?;
    }
    for (from, to) in [(&part, &target), (&part_index, &tape::index_path(&target))] {
        std::fs::rename(from, to).map_err(|e| Error::io(to, "write", &e))?;
    }
    sync_folder(arm)?;
    let plain = arm.join(CALLS);
    if own.contains(&plain) {
        std::fs::remove_file(&plain).map_err(|e| Error::io(&plain, "remove", &e))?;
        sync_folder(arm)?;
    }
    Ok(Packed {
        path: target,
        calls: made.calls,
        tickets: made.tickets,
        frames: made.frames,
        plain_bytes: made.plain_bytes,
        packed_bytes: made.packed_bytes,
        repeated,
        set_aside: aside.len(),
        torn,
    })
}

/// Gives the plain file back, and says how many bytes it has.
pub fn unpack(arm: &Path) -> Result<(PathBuf, u64), Error> {
    Arm::open(arm)?;
    let _lock = Lock::take(arm)?;
    let (packed, plain) = (arm.join(CALLS_PACKED), arm.join(CALLS));
    if plain.exists() && packed.exists() {
        return Err(Error::at(arm, "both calls.jsonl and calls.jsonl.zst are here; `redraft pack` makes one of them"));
    }
    let mut from = tape::plain(&packed)?;
    let part = arm.join("calls.jsonl.part");
    let failed = |e: std::io::Error| Error::io(&part, "write", &e);
    let mut to = File::create(&part).map_err(failed)?;
    let bytes = std::io::copy(&mut from, &mut to).and_then(|bytes| to.sync_all().map(|()| bytes)).map_err(failed)?;
    drop(to);
    // From the packed file once more, against what is on the disk.
    if !same(&mut tape::plain(&packed)?, &mut File::open(&part).map_err(failed)?).map_err(failed)? {
        return Err(Error::at(&part, "reads back as something else than was written; the recording is as it was"));
    }
    std::fs::rename(&part, &plain).map_err(|e| Error::io(&plain, "write", &e))?;
    sync_folder(arm)?;
    std::fs::remove_file(&packed).map_err(|e| Error::io(&packed, "remove", &e))?;
    let index = tape::index_path(&packed);
    if index.exists() {
        std::fs::remove_file(&index).map_err(|e| Error::io(&index, "remove", &e))?;
    }
    sync_folder(arm)?;
    Ok((plain, bytes))
}

/// Finds the calls of a file. What is left is a last line that was cut.
fn survey(source: usize, path: &Path, sources: &mut Vec<Source>, places: &mut Vec<Place>) -> Result<Vec<u8>, Error> {
    let file = tape::plain(path)?;
    let mut lines = Lines::new(path, BufReader::with_capacity(1 << 18, &file));
    let mut line = Line::empty();
    let mut cut = vec![];
    while lines.next_into(&mut line)? {
        let call = match serde_json::from_slice::<CallLine<'_>>(&line.bytes) {
            Ok(call) if jsonl::is_object(&line.bytes) => call,
            _ if !line.terminated && serde_json::from_slice::<serde::de::IgnoredAny>(&line.bytes).is_err() => {
                cut.clone_from(&line.bytes);
                break;
            }
            _ => return Err(jsonl::explain::<CallLine<'_>>(path, line.number, &line.bytes)),
        };
        if call.v != 1 {
            let what = format!("v: version {} of the call format is not known; expected 1", call.v);
            return Err(Error::at_line(path, line.number, what));
        }
        let slot = call.slot();
        let ticket = call.slot.ticket.into_owned();
        places.push(Place { ticket, slot, source, line: line.number, start: line.start, bytes: line.bytes.len() });
    }
    sources.push(Source { path: path.to_path_buf(), file });
    Ok(cut)
}

struct Merged {
    kept: Vec<u8>,
    repeated: usize,
    aside: Vec<Vec<u8>>,
}

/// The lines of one slot as one: those that say the same are the first of them, and an answer goes before a failure. Anything else nobody but a person can
/// decide.
fn merge(slot: &[Place], sources: &[Source], wire: &'static dyn Wire) -> Result<Merged, Error> {
    let mut lines = vec![];
    for place in slot {
        let source = &sources[place.source];
        let mut bytes = vec![0; place.bytes];
        files::read_at(&source.file, &mut bytes, place.start).map_err(|e| Error::io(&source.path, "read", &e))?;
        lines.push(bytes);
    }
    if let [_] = slot {
        return Ok(Merged { kept: lines.remove(0), repeated: 0, aside: vec![] });
    }
    let mut calls: Vec<(usize, CallLine<'_>)> = vec![];
    let mut repeated = 0;
    for (at, bytes) in lines.iter().enumerate() {
        let source = &sources[slot[at].source];
        let call: CallLine<'_> =
            serde_json::from_slice(bytes).map_err(|_| jsonl::explain::<CallLine<'_>>(&source.path, slot[at].line, bytes))?;
        if calls.iter().any(|(_, known)| known.says_the_same(&call)) {
            repeated += 1;
        } else {
            calls.push((at, call));
        }
    }
    let place = |at: usize| format!("{}:{}", sources[slot[at].source].path.display(), slot[at].line);
    let error = |first: usize, second: usize, what: &str| {
        Error::at_line(
            &sources[slot[second].source].path,
            slot[second].line,
            format!(
                "{what} for {}, ticket `{}`; the first is {}. Keep one of the two lines; nothing was changed",
                slot[second].slot,
                slot[second].ticket,
                place(first)
            ),
        )
    };
    let (first, known) = &calls[0];
    if let Some((second, _)) = calls.iter().find(|(_, call)| call.key != known.key) {
        return Err(error(*first, *second, "a call of another request"));
    }
    let answers = |call: &CallLine<'_>| {
        let wire = call.request.as_ref().and_then(|request| api::by_name(&request.provider)).unwrap_or(wire);
        call.response.is_success() && wire.reply(call.response.body.get()).is_ok()
    };
    let answered: Vec<usize> = calls.iter().filter(|(_, call)| answers(call)).map(|(at, _)| *at).collect();
    if let [first, second, ..] = answered.as_slice() {
        return Err(error(*first, *second, "another answer"));
    }
    let kept = answered.first().copied().unwrap_or(*first);
    let aside = calls.iter().filter(|(at, _)| *at != kept).map(|(at, _)| lines[*at].clone()).collect();
    Ok(Merged { kept: lines[kept].clone(), repeated, aside })
}

fn write_synced(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let written = File::create(path).and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()));
    written.map_err(|e| Error::io(path, "write", &e))
}

fn same(a: &mut File, b: &mut File) -> std::io::Result<bool> {
    let (mut a, mut b) = (BufReader::with_capacity(1 << 18, a), BufReader::with_capacity(1 << 18, b));
    let (mut left, mut right) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        let count = a.read(&mut left)?;
        if count == 0 {
            return Ok(b.read(&mut right)? == 0);
        }
        if b.read_exact(&mut right[..count]).is_err() || left[..count] != right[..count] {
            return Ok(false);
        }
    }
}
