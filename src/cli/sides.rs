//! The two sides of a comparison, opened as `compare` and `gate` both do: told apart, watched, and written out while they are read.

use super::output::Output;
use super::{Common, say};
use crate::error::Error;
use crate::ledger::Header;
use crate::progress::Progress;
use crate::side::{Options, Place, Side, Source, tell_apart};

/// Opens and reads the baseline and the candidate. Their runs go to `out` on the way, where it is wanted.
pub fn open(baseline: &Place, candidate: &Place, options: &Options, out: &Output, common: Common) -> Result<[Side; 2], Error> {
    let mut sources = [Source::open(baseline, options)?, Source::open(candidate, options)?];
    let [first, second] = &mut sources;
    tell_apart(first, second);
    let headers: Vec<Header> = sources.iter().filter_map(Source::header).collect();
    let mut files = out.files(&headers)?;
    let mut read = |source: Source| {
        let mut progress = Progress::new(source.name(), source.expected(), common.quiet);
        let side = source.read(&mut files, &mut || progress.tick())?;
        progress.finish();
        side.warnings.iter().for_each(|warning| say(&format!("warning: {warning}")));
        Ok::<Side, Error>(side)
    };
    let [first, second] = sources;
    let sides = [read(first)?, read(second)?];
    files.finish()?;
    Ok(sides)
}
