//! From runs to rows, figures and files, in one pass: what replaying an arm and opening a side share.

use super::kept::{Evaluated, Keep, Kept};
use crate::error::Error;
use crate::ledger::{self, Header};
use crate::metric::{self, Measured, Settings};
use crate::model::{Run, Ticket};
use crate::replay::{Options, Prepared};
use crate::summary::{Accumulator, Frame};
use crate::table::TableWriter;

/// Where runs go while they are measured. Any of the files may be left out.
#[derive(Default)]
pub struct Files {
    pub table: Option<TableWriter>,
    pub ledger: Option<ledger::Writer>,
}

impl Files {
    /// Begins an arm whose runs are at hand.
    pub(super) fn begin(&mut self, header: &Header) -> Result<(), Error> {
        self.ledger.as_mut().map_or(Ok(()), |ledger| ledger.header(header))
    }

    pub(super) fn keeps_runs(&self) -> bool {
        self.ledger.is_some()
    }

    /// Writes one ticket's runs: measured, and as lines of the ledger.
    pub(super) fn push(&mut self, arm: &str, measured: &[Measured], lines: &[Vec<u8>]) -> Result<(), Error> {
        if let Some(table) = &mut self.table {
            measured.iter().try_for_each(|run| table.push(arm, run))?;
        }
        if let Some(ledger) = &mut self.ledger {
            lines.iter().try_for_each(|line| ledger.line(line))?;
        }
        Ok(())
    }

    /// Writes what is left and closes the files.
    pub fn finish(self) -> Result<(), Error> {
        self.table.map_or(Ok(()), TableWriter::finish)?;
        self.ledger.map_or(Ok(()), ledger::Writer::finish)
    }
}

/// Replays and measures an arm in one pass: into the summary, the files, and what is to be kept.
pub fn evaluate(
    prepared: &Prepared,
    header: &Header,
    options: &Options,
    files: &mut Files,
    keep: Keep,
    tick: &mut dyn FnMut(),
) -> Result<Evaluated, Error> {
    let spec = &prepared.program.spec;
    let settings = Settings::of(spec);
    let keep_lines = files.keeps_runs();
    files.begin(header)?;
    let mut frame = Frame::default();
    let mut kept = (keep == Keep::Runs).then(|| Kept::new(settings, options.jobs));
    let mut sum = Accumulator::new(super::source::origin(header, spec.matching), spec.max_passes);
    let tally = prepared.each(
        options,
        |ticket, mut runs| {
            let measured: Vec<_> = runs.iter_mut().map(|run| metric::measure_guarded(ticket, run, &settings)).collect();
            let lines: Vec<Vec<u8>> = if keep_lines { runs.iter().map(ledger::run_line).collect() } else { vec![] };
            let runs: Vec<(Ticket, Run)> =
                if keep == Keep::Runs { runs.into_iter().map(|run| (ticket.clone(), run)).collect() } else { vec![] };
            (measured, lines, runs)
        },
        |(measured, lines, runs)| {
            tick();
            files.push(&header.arm, &measured, &lines)?;
            sum.add(&measured);
            if keep != Keep::Nothing {
                frame.push(&measured);
            }
            for (ticket, run) in runs {
                kept.take_if(|kept| !kept.push(ticket, run));
            }
            Ok(())
        },
    )?;
    sum.replayed(&tally);
    Ok(Evaluated { summary: sum.finish(), frame, runs: kept })
}
