//! Which tickets a verb goes over: the flags that choose them.

use crate::error::Error;
use crate::replay::{Filter, Options};

/// Tickets by id, by tag, by part of the dataset.
#[derive(clap::Args, Debug)]
pub struct Pick {
    /// Only these tickets: an id, with * for anything, or tag:NAME (may be given several times)
    #[arg(long, value_name = "TERM")]
    filter: Vec<String>,
    /// Only this part of the dataset, such as 3/64
    #[arg(long, value_name = "I/N")]
    shard: Option<String>,
    /// Only the first N tickets of the dataset, or of its part
    #[arg(long, value_name = "N")]
    first: Option<usize>,
}

impl Pick {
    pub fn options(&self, jobs: usize) -> Result<Options, Error> {
        let shard = self.shard.as_deref().map(super::replay::shard).transpose()?;
        Ok(Options { jobs, filter: Filter::parse(&self.filter)?, shard, first: self.first })
    }
}
