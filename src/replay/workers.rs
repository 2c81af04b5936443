//! Threads that share out a batch and give back its results in order. The only file that knows rayon.

use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use crate::error::Error;

/// More threads than any machine has cores would only take memory.
pub const JOBS_MAX: usize = 256;

/// A pool of threads; None where the calling thread does all.
pub struct Workers(Option<Arc<rayon::ThreadPool>>);

/// The pool of the arm before, and its number of threads: what they keep of texts they read is worth having again.
static LAST: Mutex<Option<(usize, Arc<rayon::ThreadPool>)>> = Mutex::new(None);

impl Workers {
    /// `jobs` 0 is one a core.
    pub fn new(jobs: usize) -> Result<Workers, Error> {
        if jobs == 1 {
            return Ok(Workers(None));
        }
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, pool)) = last.as_ref().filter(|(threads, _)| *threads == jobs) {
            return Ok(Workers(Some(pool.clone())));
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs.min(JOBS_MAX)).build();
        let pool = Arc::new(pool.map_err(|e| Error::new(format!("failed to start worker threads: {e}")))?);
        *last = Some((jobs, pool.clone()));
        Ok(Workers(Some(pool)))
    }

    /// As many items as should be in flight: enough that no thread waits, few enough to hold.
    pub fn batch(&self) -> usize {
        const PER_THREAD: usize = 32;
        PER_THREAD * self.0.as_ref().map_or(1, |pool| pool.current_num_threads())
    }

    /// Works on every item, given with its place and something that each thread makes once; results in the order of the items.
    pub fn map<T: Send, R, U: Send>(
        &self,
        items: Vec<T>,
        room: impl Fn() -> R + Sync + Send,
        work: impl Fn(&mut R, usize, T) -> U + Sync,
    ) -> Vec<U> {
        let Some(pool) = &self.0 else {
            let mut room = room();
            return items.into_iter().enumerate().map(|(i, item)| work(&mut room, i, item)).collect();
        };
        pool.install(|| items.into_par_iter().enumerate().map_init(room, |room, (i, item)| work(room, i, item)).collect())
    }
}
