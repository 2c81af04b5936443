//! The end of a recording before its time: raised once by whoever sees the cause, and every thread that waits wakes up.

use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

use crate::error::Error;

/// Why nothing more is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// A cap would be broken by the next call.
    Budget(String),
    /// The provider would refuse every other call too: the key, the account or the address is wrong.
    Refused(String),
    /// So many calls failed one after the other that something is wrong with all of them.
    Failing(String),
    /// A file cannot be read or written.
    Broken(Error),
}

/// Raised or not, for all threads of a recording.
#[derive(Default)]
pub struct Halt {
    cause: Mutex<Option<Cause>>,
    raised: Condvar,
}

impl Halt {
    /// The first cause is kept.
    pub fn raise(&self, cause: Cause) {
        let mut kept = self.lock();
        kept.get_or_insert(cause);
        self.raised.notify_all();
    }

    pub fn is_raised(&self) -> bool {
        self.lock().is_some()
    }

    pub fn cause(&self) -> Option<Cause> {
        self.lock().clone()
    }

    /// Waits until then. False where the halt was raised before.
    pub fn wait_until(&self, until: Instant) -> bool {
        let mut kept = self.lock();
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if kept.is_some() || left == Duration::ZERO {
                return kept.is_none();
            }
            kept = self.raised.wait_timeout(kept, left).map_or_else(|e| e.into_inner().0, |(kept, _)| kept);
        }
    }

    /// A thread that panicked while holding it changed nothing by halves.
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Cause>> {
        self.cause.lock().unwrap_or_else(|e| e.into_inner())
    }
}
