//! A packed recording: independent zstd frames of sorted lines, and an index beside it that says where each ticket's lines lie, so that opening it unpacks
//! nothing and a ticket is one frame. An index that does not fit its file is not used.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::digest::Digest;
use super::index::Piece;
use crate::dataset::IdHash;
use crate::files;

/// Plain bytes after which a frame ends with its ticket. Larger frames shrink a little better, and cost more for one ticket.
const FRAME_BYTES: usize = 1 << 17;
/// A frame holds one ticket at least, so a long one makes it longer; never than this.
const FRAME_BYTES_MAX: u64 = 1 << 30;
const VERSION: u32 = 1;

/// Where the index of a packed file is: beside it, `.idx` after its name.
pub fn index_path(packed: &Path) -> PathBuf {
    let mut name = packed.as_os_str().to_owned();
    name.push(".idx");
    PathBuf::from(name)
}

/// The first line of an index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    v: u32,
    /// The packed file's length and BLAKE3 hash.
    packed_bytes: u64,
    packed_blake3: String,
    /// Of the lines after this one.
    index_blake3: String,
    /// Number of calls, and their digest as in a ledger's header.
    calls: usize,
    digest: String,
    /// Lines of frames, then lines of tickets.
    frames: usize,
    tickets: usize,
}

/// A frame's place in the packed file, and in what it unpacks to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Frame {
    packed: u64,
    packed_bytes: u64,
    plain: u64,
    plain_bytes: u64,
}

/// What an index tells of a recording.
pub(super) struct Index {
    pub frames: Frames,
    pub pieces: Vec<Piece>,
    pub calls: usize,
    pub digest: String,
}

/// The frames of a packed file, to read from.
pub(super) struct Frames {
    file: File,
    frames: Vec<Frame>,
    /// Tells this file from another one whose frame a [`Cached`] may hold.
    tag: u64,
}

/// The frame that was read last.
#[derive(Default)]
pub(super) struct Cached {
    of: Option<(u64, usize)>,
    plain: Vec<u8>,
}

impl Frames {
    pub fn read(&self, start: u64, out: &mut [u8], cached: &mut Cached) -> std::io::Result<()> {
        let ended = || std::io::Error::from(std::io::ErrorKind::UnexpectedEof);
        let mut filled = 0;
        while filled < out.len() {
            let at = start + filled as u64;
            let number = self.frames.partition_point(|frame| frame.plain + frame.plain_bytes <= at);
            let frame = self.frames.get(number).ok_or_else(ended)?;
            if cached.of != Some((self.tag, number)) {
                cached.of = None;
                let mut packed = vec![0; frame.packed_bytes as usize];
                files::read_at(&self.file, &mut packed, frame.packed)?;
                cached.plain = files::unpacked_frame(&packed, frame.plain_bytes as usize)?;
                cached.of = Some((self.tag, number));
            }
            let plain = cached.plain.get((at - frame.plain) as usize..).filter(|plain| !plain.is_empty()).ok_or_else(ended)?;
            let count = plain.len().min(out.len() - filled);
            out[filled..filled + count].copy_from_slice(&plain[..count]);
            filled += count;
        }
        Ok(())
    }

    /// Plain bytes of all frames.
    pub fn plain_bytes(&self) -> u64 {
        self.frames.last().map_or(0, |frame| frame.plain + frame.plain_bytes)
    }
}

/// Reads the index beside a packed file. None: there is none. The error says why it cannot be used.
pub(super) fn open(path: &Path, mut file: File) -> Result<Option<Index>, String> {
    let text = match std::fs::read(index_path(path)) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(|e| e.to_string())?,
    };
    let (first, rest) = text.iter().position(|b| *b == b'\n').map(|at| (&text[..at], &text[at + 1..])).ok_or("it has no lines")?;
    #[derive(Deserialize)]
    struct Version {
        v: u32,
    }
    let version: Version = serde_json::from_slice(first).map_err(|e| format!("its first line: {e}"))?;
    if version.v != VERSION {
        return Err(format!("v: version {} of the index is not known; expected {VERSION}", version.v));
    }
    let header: Header = serde_json::from_slice(first).map_err(|e| format!("its first line: {e}"))?;
    if hash(rest) != header.index_blake3 {
        return Err("its lines were changed".to_owned());
    }
    let tag = hash_of(&mut file).map_err(|e| e.to_string())?;
    if tag.to_hex().as_str() != header.packed_blake3 {
        return Err("the packed file is another one".to_owned());
    }
    let mut lines = rest.split(|b| *b == b'\n').filter(|line| !line.is_empty());
    let mut frames: Vec<Frame> = vec![];
    let (mut packed, mut plain) = (0u64, 0u64);
    for line in lines.by_ref().take(header.frames) {
        let (packed_bytes, plain_bytes): (u64, u64) = serde_json::from_slice(line).map_err(|e| format!("a frame: {e}"))?;
        if plain_bytes > FRAME_BYTES_MAX || packed_bytes > header.packed_bytes {
            return Err("a frame has no possible length".to_owned());
        }
        frames.push(Frame { packed, packed_bytes, plain, plain_bytes });
        packed = packed.saturating_add(packed_bytes);
        plain = plain.saturating_add(plain_bytes);
    }
    let mut pieces = vec![];
    let mut calls = 0usize;
    for line in lines {
        let (ticket, start, bytes, first_line, lines): (&str, u64, u64, u32, u32) =
            serde_json::from_slice(line).map_err(|e| format!("a ticket: {e}"))?;
        let ticket = IdHash::from_hex(ticket).ok_or("a ticket: expected 32 hex digits")?;
        if start.checked_add(bytes).is_none_or(|end| end > plain) {
            return Err("a ticket lies outside of the frames".to_owned());
        }
        calls = calls.saturating_add(lines as usize);
        pieces.push(Piece { ticket, start, bytes, first_line, lines });
    }
    if packed != header.packed_bytes || frames.len() != header.frames || pieces.len() != header.tickets || calls != header.calls {
        return Err("its counts do not agree".to_owned());
    }
    pieces.sort_unstable();
    let mut short = [0; 8];
    short.copy_from_slice(&tag.as_bytes()[..8]);
    let frames = Frames { file, frames, tag: u64::from_le_bytes(short) };
    Ok(Some(Index { frames, pieces, calls: header.calls, digest: header.digest }))
}

fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

fn hash_of(file: &mut File) -> std::io::Result<blake3::Hash> {
    file.seek(SeekFrom::Start(0))?;
    let mut hasher = blake3::Hasher::new();
    let mut bytes = vec![0; 1 << 18];
    loop {
        match file.read(&mut bytes)? {
            0 => return Ok(hasher.finalize()),
            n => hasher.update(&bytes[..n]),
        };
    }
}

/// Packs lines that come sorted by ticket. Gives the packed bytes to `out`, and makes the index of them.
pub struct Packer<W> {
    out: W,
    packed: blake3::Hasher,
    packed_bytes: u64,
    plain: blake3::Hasher,
    plain_bytes: u64,
    frame: Vec<u8>,
    frames: Vec<(u64, u64)>,
    pieces: Vec<Piece>,
    last: Option<String>,
    digest: Digest,
    calls: usize,
}

/// What was packed.
pub struct Made<W> {
    pub out: W,
    /// The bytes of the index.
    pub index: Vec<u8>,
    pub calls: usize,
    pub tickets: usize,
    pub frames: usize,
    pub plain_bytes: u64,
    pub packed_bytes: u64,
    /// Hash of what the file unpacks to.
    pub plain: [u8; 32],
}

impl<W: Write> Packer<W> {
    pub fn new(out: W) -> Packer<W> {
        Packer {
            out,
            packed: blake3::Hasher::new(),
            packed_bytes: 0,
            plain: blake3::Hasher::new(),
            plain_bytes: 0,
            frame: vec![],
            frames: vec![],
            pieces: vec![],
            last: None,
            digest: Digest::default(),
            calls: 0,
        }
    }

    /// A call's line, without its end.
    pub fn line(&mut self, ticket: &str, line: &[u8]) -> std::io::Result<()> {
        if self.last.as_deref() != Some(ticket) {
            if self.frame.len() >= FRAME_BYTES {
                self.end_frame()?;
            }
            let (ticket_hash, first_line) = (IdHash::of(ticket), self.calls as u32 + 1);
            self.pieces.push(Piece { ticket: ticket_hash, start: self.plain_bytes, bytes: 0, first_line, lines: 0 });
            self.last = Some(ticket.to_owned());
        }
        let bytes = line.len() as u64 + 1;
        if let Some(piece) = self.pieces.last_mut() {
            // Without the last line's end, as a look through a plain file finds it.
            piece.bytes = self.plain_bytes + line.len() as u64 - piece.start;
            piece.lines += 1;
        }
        self.digest.add(line);
        self.calls += 1;
        self.plain_bytes += bytes;
        self.frame.extend_from_slice(line);
        self.frame.push(b'\n');
        // A ticket of unusual length spans frames.
        if self.frame.len() as u64 >= FRAME_BYTES_MAX / 4 { self.end_frame() } else { Ok(()) }
    }

    fn end_frame(&mut self) -> std::io::Result<()> {
        let packed = files::packed_frame(&self.frame)?;
        self.plain.update(&self.frame);
        self.packed.update(&packed);
        self.out.write_all(&packed)?;
        self.packed_bytes += packed.len() as u64;
        self.frames.push((packed.len() as u64, self.frame.len() as u64));
        self.frame.clear();
        Ok(())
    }

    pub fn finish(mut self) -> std::io::Result<Made<W>> {
        // Where there is nothing to pack an empty frame says so: a file without any is no zstd.
        if !self.frame.is_empty() || self.frames.is_empty() {
            self.end_frame()?;
        }
        self.out.flush()?;
        let frames = self.frames.iter().map(|(packed, plain)| format!("[{packed},{plain}]\n"));
        let tickets =
            self.pieces.iter().map(|p| format!("[\"{}\",{},{},{},{}]\n", p.ticket.to_hex(), p.start, p.bytes, p.first_line, p.lines));
        let rest: String = frames.chain(tickets).collect();
        let header = Header {
            v: VERSION,
            packed_bytes: self.packed_bytes,
            packed_blake3: self.packed.finalize().to_hex().to_string(),
            index_blake3: hash(rest.as_bytes()),
            calls: self.calls,
            digest: self.digest.finish(),
            frames: self.frames.len(),
            tickets: self.pieces.len(),
        };
        Ok(Made {
            out: self.out,
            index: (serde_json::to_string(&header)? + "\n" + &rest).into_bytes(),
            calls: self.calls,
            tickets: self.pieces.len(),
            frames: self.frames.len(),
            plain_bytes: self.plain_bytes,
            packed_bytes: self.packed_bytes,
            plain: *self.plain.finalize().as_bytes(),
        })
    }
}

/// Hash of what a packed file unpacks to, read through its index frame by frame.
pub fn plain_hash(path: &Path) -> Result<[u8; 32], String> {
    let file = files::open(path, "read the packed recording").map_err(|e| e.to_string())?;
    let index = open(path, file)?.ok_or("its index is missing")?;
    let mut cached = Cached::default();
    let mut hasher = blake3::Hasher::new();
    let (mut at, end) = (0, index.frames.plain_bytes());
    let mut bytes = vec![];
    while at < end {
        bytes.resize((end - at).min(1 << 20) as usize, 0);
        index.frames.read(at, &mut bytes, &mut cached).map_err(|e| e.to_string())?;
        hasher.update(&bytes);
        at += bytes.len() as u64;
    }
    Ok(*hasher.finalize().as_bytes())
}
