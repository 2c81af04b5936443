//! One recorder an arm: a lock file beside the calls, held as long as the recorder lives and free as soon as it is dead, however it died.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::error::Error;

pub const LOCK: &str = "calls.lock";

/// Held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    /// The lock goes with the file handle.
    _file: File,
}

/// How often a lock file that was removed under our hands is made anew.
const TRIES: u32 = 10;

impl Lock {
    /// Takes the arm, or says who has it.
    pub fn take(arm: &Path) -> Result<Lock, Error> {
        let path = arm.join(LOCK);
        for _ in 0..TRIES {
            let mut file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)
                .map_err(|e| Error::io(&path, "open the lock", &e))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(taken(arm, &mut file)),
                Err(TryLockError::Error(e)) => return Err(Error::io(&path, "lock the arm", &e)),
            }
            let owner = owner();
            let written = file.set_len(0).and_then(|()| file.seek(SeekFrom::Start(0))).and_then(|_| file.write_all(owner.as_bytes()));
            written.map_err(|e| Error::io(&path, "write", &e))?;
            // Whoever held it before may have removed the file between our opening and our locking. Then the lock is on a file without a name.
            // (Where a lock keeps even its owner from reading by the name, a file in use cannot be lost so.)
            if cfg!(not(unix)) || std::fs::read_to_string(&path).is_ok_and(|text| text == owner) {
                return Ok(Lock { path, _file: file });
            }
        }
        Err(Error::at(&path, "failed to lock the arm: the lock file is removed again and again; is another recorder at work?"))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While it is still locked, so that nobody else's file is removed. If it cannot be removed, the next recorder takes it over.
        let _ = std::fs::remove_file(&self.path);
    }
}

fn owner() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").ok().or_else(|| std::env::var("HOSTNAME").ok());
    let host = host.map(|host| host.trim().to_owned()).filter(|host| !host.is_empty());
    let nanos = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_nanos();
    // The number tells two locks of one process from each other.
    format!("process {}{}\n{nanos}\n", std::process::id(), host.map_or(String::new(), |host| format!(" on {host}")))
}

fn taken(arm: &Path, file: &mut File) -> Error {
    const SHOWN_MAX: u64 = 300;
    let mut text = String::new();
    // Where the lock keeps others from reading too, nobody is named.
    let _ = file.take(SHOWN_MAX).read_to_string(&mut text);
    let who = text.lines().next().filter(|line| line.starts_with("process ")).map_or(String::new(), |line| format!(" ({line})"));
    Error::at(arm, format!("another recorder{who} is writing to this arm; wait until it ends, or end it: what it has recorded is kept"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_is_refused_and_told_who_is_first() {
        let dir = tempfile::tempdir().unwrap();
        let first = Lock::take(dir.path()).unwrap();
        let error = Lock::take(dir.path()).unwrap_err().to_string();
        assert!(error.contains(&format!("process {}", std::process::id())), "{error}");
        drop(first);
        assert!(!dir.path().join(LOCK).exists());
        std::fs::write(dir.path().join(LOCK), "process 1 of the dead\n").unwrap();
        drop(Lock::take(dir.path()).unwrap());
    }
}
