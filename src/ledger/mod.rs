//! The ledger: every run of an arm as a file that others can read and write. A header line, then one line a run, format version 1.
//! Further arms follow in the same file, each with its header.

mod line;

pub use line::{Header, RunLine};

use std::fs::File;
use std::io::{BufRead, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::error::Error;
use crate::jsonl::{self, Line, Lines};
use crate::model::Run;

/// Writes the header; every run is one line after it (see [`run_line`]).
pub fn write_header(out: &mut impl Write, header: &Header) -> std::io::Result<()> {
    serde_json::to_writer(&mut *out, header)?;
    out.write_all(b"\n")
}

/// A run as its line, line end included.
pub fn run_line(run: &Run) -> Vec<u8> {
    // Of the size that a run of a few passes takes: growing copies.
    let mut bytes = Vec::with_capacity(1 << 14);
    // Writing plain data into memory cannot fail; an empty line would be passed over by readers.
    if serde_json::to_writer(&mut bytes, &RunLine::of(run)).is_err() {
        bytes.clear();
    }
    bytes.push(b'\n');
    bytes
}

/// A ledger file, written run by run.
pub struct Writer {
    path: PathBuf,
    out: BufWriter<File>,
}

impl Writer {
    pub fn create(path: PathBuf) -> Result<Writer, Error> {
        let file = File::create(&path).map_err(|e| Error::io(&path, "create the ledger", &e))?;
        Ok(Writer { path, out: BufWriter::with_capacity(1 << 18, file) })
    }

    pub fn header(&mut self, header: &Header) -> Result<(), Error> {
        write_header(&mut self.out, header).map_err(|e| self.failed(&e))
    }

    /// Appends what [`run_line`] made of a run.
    pub fn line(&mut self, line: &[u8]) -> Result<(), Error> {
        self.out.write_all(line).map_err(|e| self.failed(&e))
    }

    pub fn finish(mut self) -> Result<(), Error> {
        self.out.flush().map_err(|e| self.failed(&e))
    }

    fn failed(&self, cause: &std::io::Error) -> Error {
        Error::io(&self.path, "write", cause)
    }
}

/// A ledger file, read run by run, arm after arm.
pub struct Reader<'p, R> {
    path: &'p Path,
    lines: Lines<'p, R>,
    /// Of the arm whose runs are being read.
    pub header: Header,
}

impl<'p, R: BufRead> Reader<'p, R> {
    pub fn open(path: &'p Path, input: R) -> Result<Self, Error> {
        let mut lines = Lines::new(path, input);
        let mut line = Line::empty();
        if !lines.next_into(&mut line)? {
            return Err(Error::at(path, "is empty; expected a ledger, whose first line is its header"));
        }
        let header = header(path, &line)?;
        Ok(Reader { path, lines, header })
    }

    /// The next run, or None at the end. The header is then that of its arm.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<Run>, Error> {
        let mut line = Line::empty();
        if self.next_line(&mut line)? { run(self.path, &line).map(Some) } else { Ok(None) }
    }

    /// The next run as its line, for [`run`] to read elsewhere; false at the end. The header is then that of its arm.
    pub fn next_line(&mut self, line: &mut Line) -> Result<bool, Error> {
        while self.lines.next_into(line)? {
            if !is_header(&line.bytes) {
                return Ok(true);
            }
            self.header = header(self.path, line)?;
        }
        Ok(false)
    }

    /// Goes to the runs of an arm; false where there is none of this name after the present one.
    pub fn go_to(&mut self, arm: &str) -> Result<bool, Error> {
        let mut line = Line::empty();
        while self.header.arm != arm {
            loop {
                if !self.lines.next_into(&mut line)? {
                    return Ok(false);
                }
                if is_header(&line.bytes) {
                    break;
                }
            }
            self.header = header(self.path, &line)?;
        }
        Ok(true)
    }

    /// The headers of all arms, in order. Runs are passed over.
    pub fn headers(mut self) -> Result<Vec<Header>, Error> {
        let mut all = vec![self.header];
        let mut line = Line::empty();
        while self.lines.next_into(&mut line)? {
            if is_header(&line.bytes) {
                let header = header(self.path, &line)?;
                if all.iter().any(|known: &Header| known.arm == header.arm) {
                    let what = format!("arm `{}` comes a second time; expected the runs of an arm together, under one header", header.arm);
                    return Err(Error::at_line(self.path, line.number, what));
                }
                all.push(header);
            }
        }
        Ok(all)
    }
}

fn header(path: &Path, line: &Line) -> Result<Header, Error> {
    let header: Header = jsonl::parse(path, line.number, &line.bytes)?;
    header.known_version().map_err(|what| Error::at_line(path, line.number, what))?;
    Ok(header)
}

/// A line of a run, read.
pub fn run(path: &Path, line: &Line) -> Result<Run, Error> {
    match serde_json::from_slice::<RunLine<'_>>(&line.bytes) {
        Ok(run) => run.into_run().map_err(|what| Error::at_line(path, line.number, what)),
        Err(_) => Err(jsonl::explain::<RunLine<'_>>(path, line.number, &line.bytes)),
    }
}

/// A header has a spec and no ticket. Our own runs are told by their first bytes; others may order their keys as they like.
fn is_header(bytes: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Keys {
        ticket: Option<IgnoredAny>,
        spec: Option<IgnoredAny>,
    }
    !bytes.starts_with(br#"{"ticket":"#)
        && serde_json::from_slice::<Keys>(bytes).is_ok_and(|keys| keys.spec.is_some() && keys.ticket.is_none())
}
