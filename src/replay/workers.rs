//! Threads that share out a batch and give back its results in order. The only file that knows rayon.

use rayon::prelude::*;

use crate::error::Error;

/// More threads than any machine has cores would only take memory.
pub const JOBS_MAX: usize = 256;

/// A pool of threads.
pub struct Workers(rayon::ThreadPool);

impl Workers {
    /// `jobs` 0 is one a core.
    pub fn new(jobs: usize) -> Result<Workers, Error> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs.min(JOBS_MAX)).build();
        pool.map(Workers).map_err(|e| Error::new(format!("failed to start worker threads: {e}")))
    }

    /// As many items as should be in flight: enough that no thread waits, few enough to hold.
    pub fn batch(&self) -> usize {
        const PER_THREAD: usize = 32;
        PER_THREAD * self.0.current_num_threads()
    }

    /// Works on every item, given with its place and something that each thread makes once; results in the order of the items.
    pub fn map<T: Send, R, U: Send>(
        &self,
        items: Vec<T>,
        room: impl Fn() -> R + Sync + Send,
        work: impl Fn(&mut R, usize, T) -> U + Sync,
    ) -> Vec<U> {
        self.0.install(|| items.into_par_iter().enumerate().map_init(room, |room, (i, item)| work(room, i, item)).collect())
    }
}
