//! Where each ticket's calls lie in a recording, so that any ticket is one read away and no more than the tickets in flight are held.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::Tape;
use super::digest::Digest;
use super::line::CallLine;
use super::packed;
use crate::dataset::IdHash;
use crate::error::Error;
use crate::files;
use crate::jsonl::{self, Line, Lines};
use crate::text::bytes::line_end;

/// A calls file, looked through once.
pub struct Recording {
    path: PathBuf,
    store: Store,
    /// Sorted by ticket hash, then offset.
    pieces: Vec<Piece>,
    /// Number of calls.
    pub calls: usize,
    /// Hash of the lines, in hex; see docs/formats.md. Their order and packing do not change it.
    pub digest: String,
    pub torn: Option<Torn>,
    /// Why the index of a packed file was not used, where there is one.
    index_unused: Option<String>,
}

/// Where lines are read from.
enum Store {
    Plain(File),
    Packed(packed::Frames),
}

/// A half-written last line, as a crash leaves it. It was passed over; the file was not touched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Torn {
    pub line: usize,
    /// Offset of its first byte: cut the file here before appending.
    pub byte: u64,
}

/// Neighbouring lines of one ticket. The hash stands for the ticket's id, which keeps a million tickets in 40 MB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Piece {
    pub ticket: IdHash,
    pub start: u64,
    pub bytes: u64,
    pub first_line: u32,
    pub lines: u32,
}

impl Recording {
    /// Opens a calls file, plain or zstd, and finds every ticket's lines. A compressed file without an index that fits is unpacked into a temporary one.
    pub fn open(path: &Path) -> Result<Recording, Error> {
        let file = files::open(path, "open the recording")?;
        if !is_packed(path) {
            return Recording::plain(path, file, None);
        }
        let why = match packed::open(path, file) {
            Ok(Some(packed::Index { frames, pieces, calls, digest })) => {
                let store = Store::Packed(frames);
                return Ok(Recording { path: path.to_path_buf(), store, pieces, calls, digest, torn: None, index_unused: None });
            }
            Ok(None) => None,
            Err(why) => Some(why),
        };
        Recording::plain(path, plain(path)?, why)
    }

    fn plain(path: &Path, file: File, index_unused: Option<String>) -> Result<Recording, Error> {
        let mut recording = Recording::of(path, Store::Plain(file));
        recording.index_unused = index_unused;
        recording.survey()?;
        Ok(recording)
    }

    /// A recording that has no calls yet, and no file.
    pub fn empty(path: &Path) -> Result<Recording, Error> {
        let file = tempfile::tempfile().map_err(|e| Error::io(path, "make room for a recording", &e))?;
        let mut recording = Recording::of(path, Store::Plain(file));
        recording.digest = Digest::default().finish();
        Ok(recording)
    }

    fn of(path: &Path, store: Store) -> Recording {
        let path = path.to_path_buf();
        Recording { path, store, pieces: vec![], calls: 0, digest: String::new(), torn: None, index_unused: None }
    }

    /// Holds what an index told against the calls themselves. The error says what to do; a recording without an index has nothing to say.
    pub fn check_index(&self) -> Result<(), Error> {
        let Store::Packed(_) = &self.store else { return Ok(()) };
        let whole = Recording::plain(&self.path, plain(&self.path)?, None)?;
        if (whole.calls, &whole.digest, &whole.pieces) == (self.calls, &self.digest, &self.pieces) {
            return Ok(());
        }
        let index = packed::index_path(&self.path);
        Err(Error::at(&index, "does not say what the recording holds; remove it, and `redraft pack` makes it anew"))
    }

    fn survey(&mut self) -> Result<(), Error> {
        #[derive(Deserialize)]
        struct Head<'a> {
            #[serde(borrow)]
            slot: Slot<'a>,
        }
        #[derive(Deserialize)]
        struct Slot<'a> {
            #[serde(borrow)]
            ticket: Cow<'a, str>,
        }
        let path = self.path.clone();
        let Store::Plain(file) = &self.store else { return Ok(()) };
        let mut lines = Lines::new(&path, BufReader::with_capacity(1 << 18, file));
        let mut line = Line::empty();
        let mut last: Option<(String, Piece)> = None;
        let mut pieces = vec![];
        let mut digest = Digest::default();
        while lines.next_into(&mut line)? {
            let ticket = match ticket_in_front(&line) {
                Some(ticket) => Cow::Borrowed(ticket),
                None => match serde_json::from_slice::<Head<'_>>(&line.bytes) {
                    Ok(head) if jsonl::is_object(&line.bytes) => head.slot.ticket,
                    // Only the one pattern that a crash leaves is forgiven: an unreadable last line without its end.
                    _ if !line.terminated => {
                        self.torn = Some(Torn { line: line.number, byte: line.start });
                        break;
                    }
                    _ => return Err(jsonl::explain::<CallLine<'_>>(&path, line.number, &line.bytes)),
                },
            };
            self.calls += 1;
            digest.add(&line.bytes);
            let end = line.start + line.bytes.len() as u64;
            match &mut last {
                Some((known, piece)) if *known == ticket => {
                    piece.bytes = end - piece.start;
                    piece.lines += 1;
                }
                _ => {
                    pieces.extend(last.take().map(|(_, piece)| piece));
                    let piece = Piece {
                        ticket: IdHash::of(&ticket),
                        start: line.start,
                        bytes: line.bytes.len() as u64,
                        first_line: line.number as u32,
                        lines: 1,
                    };
                    last = Some((ticket.into_owned(), piece));
                }
            }
        }
        pieces.extend(last.map(|(_, piece)| piece));
        pieces.sort_unstable();
        self.pieces = pieces;
        self.digest = digest.finish();
        Ok(())
    }

    /// Reads one ticket's lines into `room`; the tape borrows from it.
    pub fn tape<'b>(&self, ticket: IdHash, room: &'b mut Room) -> Result<Tape<'b>, Error> {
        let from = self.pieces.partition_point(|p| p.ticket < ticket);
        let pieces = self.pieces[from..].iter().take_while(|p| p.ticket == ticket);
        room.pieces.clear();
        let (mut end, mut lines) = (0, 0);
        for piece in pieces {
            lines += piece.lines as usize;
            let start = end;
            end += piece.bytes as usize;
            if room.bytes.len() < end {
                room.bytes.resize(end, 0);
            }
            self.read(piece, &mut room.bytes[start..end], &mut room.frame)?;
            room.pieces.push((piece.first_line as usize, start..end));
        }
        let room = &*room;
        let is_indexed = matches!(self.store, Store::Packed(_));
        let mut calls = Vec::with_capacity(lines);
        for (first_line, range) in &room.pieces {
            for (i, bytes) in split(&room.bytes[range.clone()]).enumerate() {
                let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
                if bytes.iter().all(u8::is_ascii_whitespace) {
                    continue;
                }
                let number = first_line + i;
                let call: CallLine<'b> = std::str::from_utf8(bytes)
                    .ok()
                    .filter(|_| jsonl::is_object(bytes))
                    .and_then(|text| serde_json::from_str(text).ok())
                    .ok_or_else(|| jsonl::explain::<CallLine<'_>>(&self.path, number, bytes))?;
                if call.v != 1 {
                    return Err(Error::at_line(
                        &self.path,
                        number,
                        format!("v: version {} of the call format is not known; expected 1", call.v),
                    ));
                }
                if is_indexed && IdHash::of(&call.slot.ticket) != ticket {
                    let index = packed::index_path(&self.path);
                    let what = format!("leads to line {number}, of another ticket; remove it, and `redraft pack` makes it anew");
                    return Err(Error::at(&index, what));
                }
                calls.push((call.slot(), number, call));
            }
        }
        Tape::new(calls).map_err(|(line, what)| Error::at_line(&self.path, line, what))
    }

    fn read(&self, piece: &Piece, bytes: &mut [u8], frame: &mut packed::Cached) -> Result<(), Error> {
        let read = match &self.store {
            Store::Plain(file) => files::read_at(file, bytes, piece.start),
            Store::Packed(frames) => frames.read(piece.start, bytes, frame),
        };
        read.map_err(|e| Error::io(&self.path, "read", &e))
    }

    /// Number of tickets that have calls.
    pub fn tickets(&self) -> usize {
        self.pieces.chunk_by(|a, b| a.ticket == b.ticket).count()
    }

    /// True where at least one call of this ticket was recorded.
    pub fn has(&self, ticket: IdHash) -> bool {
        self.pieces.binary_search_by_key(&ticket, |p| p.ticket).is_ok()
    }

    /// Tells of a last line that a crash cut off.
    pub fn torn_warning(&self) -> Option<String> {
        let torn = self.torn.as_ref()?;
        let path = self.path.display();
        Some(format!("{path}:{}: a half-written last line was passed over (from byte {})", torn.line, torn.byte))
    }

    /// Tells of an index that does not fit its file, and so was not used.
    pub fn index_warning(&self) -> Option<String> {
        let why = self.index_unused.as_ref()?;
        let index = packed::index_path(&self.path);
        Some(format!("{}: not used: {why}; the recording was unpacked instead, and `redraft pack` makes the index anew", index.display()))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Which tickets of this recording are not among those seen, each with its first line, in file order.
    pub fn orphans(&self, seen: &Seen) -> Result<Vec<(usize, String)>, Error> {
        let mut left: Vec<&Piece> = self.pieces.iter().filter(|p| !seen.0.contains(&p.ticket)).collect();
        left.sort_unstable_by_key(|p| p.start);
        left.dedup_by_key(|p| p.ticket);
        let mut out = vec![];
        let mut frame = packed::Cached::default();
        for piece in left {
            let mut bytes = vec![0; piece.bytes as usize];
            self.read(piece, &mut bytes, &mut frame)?;
            let first = bytes.split(|b| *b == b'\n').next().unwrap_or_default();
            let call: CallLine<'_> =
                serde_json::from_slice(first).map_err(|_| jsonl::explain::<CallLine<'_>>(&self.path, piece.first_line as usize, first))?;
            out.push((piece.first_line as usize, call.slot.ticket.into_owned()));
        }
        Ok(out)
    }
}

/// Where the lines of a ticket are read to: one for ticket after ticket.
#[derive(Default)]
pub struct Room {
    /// As long as the longest ticket so far.
    bytes: Vec<u8>,
    /// Of each piece the first line's number, and where in `bytes` it is.
    pieces: Vec<(usize, std::ops::Range<usize>)>,
    /// Of a packed recording.
    frame: packed::Cached,
}

/// The ticket of a line that starts as redraft and most others write it. None: the line has to be read to find it, or to see that it is none.
/// The rest of the line is read when its ticket is replayed.
fn ticket_in_front(line: &Line) -> Option<&str> {
    let value = |rest: &'_ [u8]| -> Option<usize> {
        let end = rest.iter().position(|byte| matches!(byte, b'"' | b'\\') || *byte < 0x20)?;
        (rest[end] == b'"').then_some(end)
    };
    let mut rest = line.bytes.strip_prefix(b"{\"v\":1,")?;
    if let Some(key) = rest.strip_prefix(b"\"key\":\"") {
        rest = key[value(key)?..].strip_prefix(b"\",")?;
    }
    let ticket = rest.strip_prefix(b"\"slot\":{\"ticket\":\"")?;
    let ticket = &ticket[..value(ticket)?];
    // A line that was cut has no last brace, or no end.
    if !line.terminated || line.bytes.trim_ascii_end().last() != Some(&b'}') {
        return None;
    }
    std::str::from_utf8(ticket).ok()
}

/// The lines of a piece, without their ends.
fn split(mut rest: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (line, after) = match line_end(rest) {
            Some(end) => (&rest[..end], &rest[end + 1..]),
            None if rest.is_empty() => return None,
            None => (rest, &[][..]),
        };
        rest = after;
        Some(line)
    })
}

/// The tickets that a dataset has, by hash.
#[derive(Default)]
pub struct Seen(std::collections::HashSet<IdHash>);

impl Seen {
    pub fn add(&mut self, ticket: IdHash) {
        self.0.insert(ticket);
    }
}

/// A recording shrinks to a tenth or a fiftieth. What grows beyond these would fill the disk, and is no recording.
const UNPACKED_TIMES_MAX: u64 = 1000;
const UNPACKED_BYTES_FREE: u64 = 1 << 28;

fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "zst")
}

/// A calls file to be read as plain lines from its start; a packed one is unpacked into a temporary file.
pub fn plain(path: &Path) -> Result<File, Error> {
    let packed = files::open(path, "open the recording")?;
    if !is_packed(path) {
        return Ok(packed);
    }
    let mut plain = tempfile::tempfile().map_err(|e| Error::io(path, "make room for unpacking", &e))?;
    let packed_bytes = packed.metadata().map_or(0, |m| m.len());
    let mut decoder = files::unpacked(path, packed)?;
    let limit = packed_bytes.saturating_mul(UNPACKED_TIMES_MAX).max(UNPACKED_BYTES_FREE);
    let unpacked = std::io::copy(&mut (&mut decoder).take(limit + 1), &mut plain);
    if unpacked.map_err(|e| Error::at(path, format!("not readable as zstd: {e}")))? > limit {
        return Err(Error::at(
            path,
            format!("unpacks to more than {limit} bytes, which no recording of {packed_bytes} bytes does; unpack it yourself if it is one"),
        ));
    }
    plain.flush().and_then(|()| plain.seek(SeekFrom::Start(0))).map_err(|e| Error::io(path, "unpack", &e))?;
    Ok(plain)
}
