//! What a loop ends with over the writer alone, or over another arm on the same tickets.

use super::judge::Judge;
use super::run::{Arm, Ticket};
use super::{Level, Lift, Shift};

/// Over draft 0 of the same arm: what critic and reviser add to the very same drafts.
pub(super) fn over_writer(arm: &Arm, judge: &Judge) -> Lift {
    let judged: Vec<&Ticket> = arm.judged().collect();
    let last = arm.last_pass();
    let of = |pass: u32| judged.iter().map(|ticket| ticket.correct(pass)).collect::<Vec<f64>>();
    let calls = judged.iter().map(|ticket| ticket.calls(1..arm.passes)).sum();
    let usd = super::run::usd(judged.iter().copied(), 1..arm.passes);
    lift(None, &of(0), &of(last), calls, usd, judge)
}

/// Over another arm, at the end of both, by ticket.
pub(super) fn over(name: &str, arm: &Arm, baseline: &Arm, judge: &Judge) -> Lift {
    let (here, there): (Vec<&Ticket>, Vec<&Ticket>) = (arm.judged().collect(), baseline.judged().collect());
    let find = |ticket: &&Ticket| there.binary_search_by(|known| known.id.as_str().cmp(&ticket.id)).ok().map(|at| there[at]);
    let pairs: Vec<(&Ticket, &Ticket)> = here.iter().filter_map(|ticket| Some((find(ticket)?, *ticket))).collect();
    let without: Vec<f64> = pairs.iter().map(|(ticket, _)| ticket.correct(baseline.last_pass())).collect();
    let with: Vec<f64> = pairs.iter().map(|(_, ticket)| ticket.correct(arm.last_pass())).collect();
    let calls = pairs.iter().map(|(a, b)| b.calls(0..arm.passes) - a.calls(0..baseline.passes)).sum();
    let usd = pairs.iter().try_fold(0.0, |sum, (a, b)| Some(sum + b.usd(0..arm.passes)? - a.usd(0..baseline.passes)?));
    let judge = Judge { single: arm.single && baseline.single, ..Judge { what: judge.what.clone(), ..*judge } };
    let n = pairs.len();
    let lift = lift(Some(name.to_owned()), &without, &with, calls, usd, &judge);
    Lift { only_here: (here.len() - n) as u64, only_there: (there.len() - n) as u64, ..lift }
}

fn lift(baseline: Option<String>, without: &[f64], with: &[f64], calls: f64, usd: Option<f64>, judge: &Judge) -> Lift {
    let n = with.len() as f64;
    let extra = with.iter().sum::<f64>() - without.iter().sum::<f64>();
    let per_ticket = |sum: f64| (n > 0.0).then(|| sum / n);
    let per_correct = |sum: f64| (extra > 0.0).then(|| sum / extra);
    let (without, with, difference): (Level, Level, Shift) = (judge.level(without), judge.level(with), judge.shift(without, with));
    Lift {
        baseline,
        n: with.n,
        only_here: 0,
        only_there: 0,
        without,
        with,
        difference,
        extra_calls: per_ticket(calls),
        extra_usd: usd.and_then(per_ticket),
        calls_per_correct: per_correct(calls),
        usd_per_correct: usd.and_then(per_correct),
    }
}
