//! Everything in an arm that can be judged, and what was said of it: by labels in a file and by judges whose calls were recorded.

use super::{Options, Prepared};
use crate::error::Error;
use crate::label::{self, Join, Label, Labels, Stale, Thing, judge, things};
use crate::model::{Run, Slot, Usage};

/// An arm as raters see it.
#[derive(Debug, Clone, Default)]
pub struct Gathered {
    /// In the order of the dataset.
    pub things: Vec<Thing>,
    /// Labels of people and readers in the order of things, then those of judges.
    pub join: Join,
    /// Recorded judge calls.
    pub judge_calls: usize,
    /// Of these, calls that are no labels: ticket, slot, and why.
    pub judge_unused: Vec<(String, Slot, String)>,
    /// What the judge calls used, where each of them says so.
    pub judge_usage: Option<Usage>,
}

impl Prepared {
    /// The recorded judge calls of a ticket.
    pub fn judge_calls(&self, ticket: &str) -> Result<Vec<judge::JudgeCall>, Error> {
        let calls = self.lines(ticket, |line| judge::call(line, self.program.spec.wire))?;
        Ok(calls.into_iter().filter_map(|(_, call)| call).collect())
    }

    /// What is said of a run by labels and judges, and what was said of something else.
    pub fn labels_of(&self, run: &Run, calls: &[judge::JudgeCall]) -> (Vec<Label>, Vec<Stale>) {
        label::of_run(self.labels.as_ref(), &self.arm_path, run, self.program.spec.sections, calls)
    }

    /// Of the chosen tickets. `labels` are those of a file, if there is one.
    pub fn gather(&self, options: &Options, labels: Option<&Labels>) -> Result<Gathered, Error> {
        let spec = &self.program.spec;
        let mut out = Gathered { judge_usage: Some(Usage::default()), ..Gathered::default() };
        let mut judged = vec![];
        self.each(
            options,
            |ticket, runs| {
                let calls = self.judge_calls(&ticket.id)?;
                let of = |run| {
                    let things = things(run, spec.sections);
                    let judged = judge::labels(run, &things, &calls);
                    (things, judged)
                };
                Ok::<_, Error>((ticket.id.clone(), runs.iter().map(of).collect::<Vec<_>>(), calls))
            },
            |made| {
                let (ticket, runs, calls) = made?;
                for (things, found) in runs {
                    out.things.extend(things);
                    judged.extend(found.labels);
                    out.judge_unused.extend(found.unused.into_iter().map(|(slot, why)| (ticket.clone(), slot, why)));
                }
                out.judge_calls += calls.len();
                for call in &calls {
                    let sum =
                        |a: Usage, b: Usage| Usage { input: a.input + b.input, cached: a.cached + b.cached, output: a.output + b.output };
                    out.judge_usage = out.judge_usage.zip(call.usage).map(|(a, b)| sum(a, b));
                }
                Ok(())
            },
        )?;
        out.judge_usage = out.judge_usage.filter(|_| out.judge_calls > 0);
        if let Some(labels) = labels {
            out.join = Join::new(labels, &self.arm_path, &out.things);
            if !options.filter.is_all() || options.shard.is_some() {
                // Labels of tickets that were not looked at are not stale.
                out.join.stale.retain(|stale| out.things.iter().any(|thing| thing.place.ticket == stale.place.ticket));
            }
        }
        out.join.fresh.extend(judged);
        Ok(out)
    }
}
