//! A recording opened for appending. A call counts as recorded once its line is on the disk; a crash at any moment costs no line that was.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::sync::{Mutex, mpsc};
use std::thread::JoinHandle;

use super::aside;
use super::lock::Lock;
use crate::api::Wire;
use crate::arm::{CALLS, CALLS_PACKED};
use crate::error::Error;
use crate::jsonl;

/// Where the bytes of a cut last line are kept.
pub const TORN: &str = "calls.torn";

/// Appends lines to an arm's calls. Safe to share: lines that come at once go to the disk together.
pub struct Appender {
    path: PathBuf,
    queue: Mutex<Option<mpsc::Sender<Entry>>>,
    writer: Option<JoinHandle<()>>,
    _lock: Lock,
}

struct Entry {
    line: Vec<u8>,
    done: SyncSender<Result<(), Error>>,
}

/// What was put in order before the first call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    pub tail: Tail,
    /// Failed calls that were moved to [`ERRORS`](super::aside::ERRORS).
    pub set_aside: usize,
}

/// What was found at the end of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tail {
    Whole,
    /// The last line was whole but for its end, which was added.
    Ended,
    /// The last line was cut: so many bytes were moved to [`TORN`].
    Cut(u64),
}

impl Appender {
    /// Takes the arm for itself, puts the end of its calls file in order, and opens it; a file that is not there is made. With `retried` the arm's wire
    /// form, calls that failed are moved out of the way, so that they can be made again.
    pub fn open(arm: &Path, retried: Option<&'static dyn Wire>) -> Result<(Appender, Found), Error> {
        let packed = arm.join(CALLS_PACKED);
        if packed.exists() {
            return Err(Error::at(&packed, "a packed recording cannot be appended to; `redraft unpack` gives calls.jsonl back"));
        }
        let lock = Lock::take(arm)?;
        let path = arm.join(CALLS);
        let is_new = !path.exists();
        let open = || {
            let opened = OpenOptions::new().read(true).append(true).create(true).open(&path);
            opened.map_err(|e| Error::io(&path, "open for appending", &e))
        };
        let tail = mend(arm, &path, &mut open()?)?;
        if is_new {
            sync_folder(arm)?;
        }
        let set_aside = retried.map_or(Ok(0), |wire| aside::set_aside(arm, wire))?;
        // Only now: setting calls aside puts another file in the place of this one.
        let file = open()?;
        let (queue, entries) = channel();
        let of_thread = path.clone();
        let writer = std::thread::Builder::new().name("calls".into()).spawn(move || write_all(&of_thread, file, entries));
        let writer = writer.map_err(|e| Error::new(format!("failed to start a thread: {e}")))?;
        let appender = Appender { path, queue: Mutex::new(Some(queue)), writer: Some(writer), _lock: lock };
        Ok((appender, Found { tail, set_aside }))
    }

    /// Appends a line, or several at once, and comes back once they are on the disk. The last line's end may be missing.
    pub fn append(&self, mut line: Vec<u8>) -> Result<(), Error> {
        if line.last() != Some(&b'\n') {
            line.push(b'\n');
        }
        let (done, wait) = sync_channel(1);
        let queue = self.queue.lock().map_or(None, |queue| queue.clone());
        let sent = queue.and_then(|queue| queue.send(Entry { line, done }).ok());
        let gone = || Error::at(&self.path, "failed to write: the recording is closed after an earlier error");
        sent.ok_or_else(gone)?;
        wait.recv().map_err(|_| gone())?
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Appender {
    fn drop(&mut self) {
        if let Ok(mut queue) = self.queue.lock() {
            queue.take();
        }
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

/// Writes what waits in the queue as one piece, syncs, and tells all of it. An error ends the thread: nothing is appended after it.
fn write_all(path: &Path, mut file: File, entries: Receiver<Entry>) {
    const PIECE_BYTES: usize = 1 << 20;
    let mut bytes = vec![];
    while let Ok(first) = entries.recv() {
        bytes.clear();
        bytes.extend_from_slice(&first.line);
        let mut waiting = vec![first.done];
        while bytes.len() < PIECE_BYTES {
            let Ok(entry) = entries.try_recv() else { break };
            bytes.extend_from_slice(&entry.line);
            waiting.push(entry.done);
        }
        let length = file.metadata().map(|about| about.len());
        let written = length.and_then(|length| {
            file.write_all(&bytes).and_then(|()| file.sync_data()).inspect_err(|_| {
                // A full disk must not leave half a line behind.
                let _ = file.set_len(length);
            })
        });
        let result = written.map_err(|e| Error::io(path, "write", &e));
        for done in waiting {
            let _ = done.send(result.clone());
        }
        if result.is_err() {
            return;
        }
    }
}

/// Makes the file end in a line end: adds one to a whole line, moves a cut line away.
fn mend(arm: &Path, path: &Path, file: &mut File) -> Result<Tail, Error> {
    let io = |e: std::io::Error| Error::io(path, "read", &e);
    let start = last_line_start(file).map_err(io)?;
    file.seek(SeekFrom::Start(start)).map_err(io)?;
    let mut tail = vec![];
    file.take(jsonl::LINE_BYTES_MAX as u64 + 1).read_to_end(&mut tail).map_err(io)?;
    if tail.is_empty() {
        return Ok(Tail::Whole);
    }
    let write = |e: std::io::Error| Error::io(path, "mend the end of the recording", &e);
    if tail.iter().all(u8::is_ascii_whitespace) || jsonl::is_object(&tail) && serde_json::from_slice::<serde::de::IgnoredAny>(&tail).is_ok()
    {
        file.write_all(b"\n").and_then(|()| file.sync_data()).map_err(write)?;
        return Ok(Tail::Ended);
    }
    let aside = arm.join(TORN);
    tail.push(b'\n');
    keep(&aside, &tail)?;
    sync_folder(arm)?;
    file.set_len(start).and_then(|()| file.sync_data()).map_err(write)?;
    Ok(Tail::Cut(tail.len() as u64 - 1))
}

/// Appends to a file beside the recording and waits for the disk.
pub fn keep(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let open = OpenOptions::new().append(true).create(true).open(path);
    open.and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_data())).map_err(|e| Error::io(path, "write", &e))
}

/// Where the line begins that has no end; the file's length where the last line has one.
fn last_line_start(file: &mut File) -> std::io::Result<u64> {
    const STEP: u64 = 1 << 16;
    let mut end = file.metadata()?.len();
    let mut bytes = vec![];
    while end > 0 {
        let start = end.saturating_sub(STEP);
        bytes.resize((end - start) as usize, 0);
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut bytes)?;
        if let Some(at) = bytes.iter().rposition(|b| *b == b'\n') {
            return Ok(start + at as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

/// A new name in a folder is on the disk only when the folder is.
pub(super) fn sync_folder(dir: &Path) -> Result<(), Error> {
    #[cfg(unix)]
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(|e| Error::io(dir, "sync", &e))?;
    #[cfg(not(unix))]
    let _ = dir;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_file_is_put_in_order_and_nothing_is_lost() {
        let whole = "{\"v\":1}\n";
        for (before, tail, calls, torn) in [
            ("", Tail::Whole, "", None),
            (whole, Tail::Whole, whole, None),
            ("{\"v\":1}", Tail::Ended, whole, None),
            ("{\"v\":1}\n{\"v\":1}", Tail::Ended, "{\"v\":1}\n{\"v\":1}\n", None),
            ("{\"v\":1}\n{\"v\":", Tail::Cut(5), whole, Some("{\"v\":\n")),
            ("{\"v\":", Tail::Cut(5), "", Some("{\"v\":\n")),
            ("{\"v\":1}\nnull", Tail::Cut(4), whole, Some("null\n")),
        ] {
            let dir = tempfile::tempdir().unwrap();
            std::fs::write(dir.path().join(CALLS), before).unwrap();
            let (appender, found) = Appender::open(dir.path(), None).unwrap();
            assert_eq!(found.tail, tail, "{before}");
            appender.append(b"{\"v\":2}".to_vec()).unwrap();
            drop(appender);
            let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).ok();
            assert_eq!(read(CALLS).unwrap(), format!("{calls}{{\"v\":2}}\n"), "{before}");
            assert_eq!(read(TORN).as_deref(), torn, "{before}");
        }
    }

    #[test]
    fn a_long_cut_line_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let cut = "x".repeat(200_000);
        std::fs::write(dir.path().join(CALLS), format!("{{}}\n{cut}")).unwrap();
        assert_eq!(Appender::open(dir.path(), None).unwrap().1.tail, Tail::Cut(200_000));
        assert_eq!(std::fs::read_to_string(dir.path().join(CALLS)).unwrap(), "{}\n");
    }

    #[test]
    fn lines_of_many_threads_are_whole() {
        let dir = tempfile::tempdir().unwrap();
        let (appender, _) = Appender::open(dir.path(), None).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let appender = &appender;
                scope.spawn(move || (0..50).for_each(|n| appender.append(format!("[{thread},{n}]").into_bytes()).unwrap()));
            }
        });
        drop(appender);
        let text = std::fs::read_to_string(dir.path().join(CALLS)).unwrap();
        let mut lines: Vec<[u32; 2]> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        lines.sort_unstable();
        assert_eq!(lines.len(), 400);
        lines.dedup();
        assert_eq!(lines.len(), 400);
    }

    #[test]
    fn a_packed_recording_and_a_second_recorder_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let first = Appender::open(dir.path(), None).unwrap();
        assert!(Appender::open(dir.path(), None).err().unwrap().to_string().contains("another recorder"));
        drop(first);
        std::fs::write(dir.path().join(CALLS_PACKED), "").unwrap();
        assert!(Appender::open(dir.path(), None).err().unwrap().to_string().contains("packed"));
    }
}
