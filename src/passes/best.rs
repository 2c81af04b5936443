//! First, last and best draft of a run.

use std::cmp::Reverse;

use super::judge::Judge;
use super::run::{Arm, Row, Run, Ticket};
use super::{BestAt, Drafts};
use crate::summary::Rate;

pub(super) fn drafts(arm: &Arm, judge: &dyn Fn(&str) -> Judge) -> Drafts {
    let judged: Vec<&Ticket> = arm.judged().collect();
    let of = |value: &dyn Fn(&Run) -> bool| -> Vec<f64> {
        judged.iter().map(|ticket| ticket.mean(|run| f64::from(u8::from(value(run))))).collect()
    };
    let last_pass = arm.last_pass();
    let first = of(&|run| run.first() == Some(true));
    let last = of(&|run| run.correct(last_pass) == Some(true));
    let delivered = of(&|run| run.correct(last_pass) == Some(true) && !run.ends_in_non_draft());
    let best = of(&|run| best(run).is_some_and(|row| row.correct == Some(true)));
    let mut best_at: Vec<BestAt> = (0..arm.passes).map(|pass| BestAt { pass, runs: 0 }).collect();
    let (mut as_good, mut checked) = (0, 0);
    for run in arm.tickets.iter().flat_map(|ticket| &ticket.runs).filter(|run| ranked(run)) {
        let Some(row) = self::best(run) else { continue };
        best_at[row.pass as usize].runs += 1;
        if row.checks.is_some_and(|checks| checks > 0) {
            checked += 1;
            as_good += u64::from(made(run).last().is_some_and(|(last, _)| last.held == row.held));
        }
    }
    Drafts {
        first: judge("first").level(&first),
        last: judge("last").level(&last),
        delivered: judge("delivered").level(&delivered),
        best: judge("best").level(&best),
        last_minus_first: judge("last_minus_first").shift(&first, &last),
        delivered_minus_first: judge("delivered_minus_first").shift(&first, &delivered),
        best_minus_last: judge("best_minus_last").shift(&last, &best),
        best_at,
        last_as_good: Rate::new(as_good, checked),
    }
}

/// Drafts that are drafts, each once: a pass that kept its draft made none. With the blocking findings that the next critic raised.
fn made(run: &Run) -> impl Iterator<Item = (&Row, Option<i64>)> {
    let next = run.rows.iter().skip(1).map(Some).chain([None]);
    let made = run.rows.iter().zip(next).filter(|(row, _)| row.non_draft == Some(false) && !row.kept);
    made.map(|(row, next)| (row, next.and_then(|next| next.blocking)))
}

/// Most checks held, then fewest blocking findings (a draft that was never read comes after those that were), then the earliest.
fn best(run: &Run) -> Option<&Row> {
    let rank = |(row, blocking): &(&Row, Option<i64>)| (Reverse(row.held), blocking.is_none(), blocking.unwrap_or(0), row.pass);
    made(run).min_by_key(rank).map(|(row, _)| row)
}

/// True where there is something to tell drafts apart by.
fn ranked(run: &Run) -> bool {
    made(run).any(|(row, blocking)| row.checks.is_some_and(|checks| checks > 0) || blocking.is_some())
}
