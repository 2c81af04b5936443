//! The ledger: every run of an arm as a file that others can read and write. A header line, then one line a run, format version 1.

mod line;

pub use line::{Header, RunLine};

use std::fs::File;
use std::io::{BufRead, BufWriter, Write};
use std::path::{Path, PathBuf};

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
    let mut bytes = Vec::with_capacity(8192);
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

/// A ledger file, read run by run.
pub struct Reader<'p, R> {
    path: &'p Path,
    lines: Lines<'p, R>,
    pub header: Header,
}

impl<'p, R: BufRead> Reader<'p, R> {
    pub fn open(path: &'p Path, input: R) -> Result<Self, Error> {
        let mut lines = Lines::new(path, input);
        let mut line = Line::empty();
        if !lines.next_into(&mut line)? {
            return Err(Error::at(path, "is empty; expected a ledger, whose first line is its header"));
        }
        let header: Header = jsonl::parse(path, line.number, &line.bytes)?;
        if header.v != 1 {
            return Err(Error::at_line(
                path,
                line.number,
                format!("v: version {} of the ledger format is not known; expected 1", header.v),
            ));
        }
        Ok(Reader { path, lines, header })
    }

    /// The next run, or None at the end.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<Run>, Error> {
        let mut line = Line::empty();
        if !self.lines.next_into(&mut line)? {
            return Ok(None);
        }
        match serde_json::from_slice::<RunLine<'_>>(&line.bytes) {
            Ok(run) => run.into_run().map(Some).map_err(|what| Error::at_line(self.path, line.number, what)),
            Err(_) => Err(jsonl::explain::<RunLine<'_>>(self.path, line.number, &line.bytes)),
        }
    }
}
