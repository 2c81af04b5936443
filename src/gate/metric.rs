//! The verdict on one figure: by the tickets that broke (exact), or by differences held against chance (paired).

use std::collections::HashSet;

use super::policy::{Metric, Worse};
use super::{MetricVerdict, Policy, Verdict, tickets};
use crate::compare::{Comparison, Difference, Listed, NO_VARIATION, Pairs, ValueChange};
use crate::number::{self, distance};
use crate::stats::{Paired, multiple, norm, power, tango};

/// Chance of showing what is there, for what is said of detectable differences.
const POWER: f64 = 0.8;

/// Fewer tickets than this are too few for a bootstrap interval or a ratio's normal approximation: such a figure stays inconclusive.
const TICKETS_MIN: u64 = 20;

/// Every metric of the policy, adjusted for being several.
pub(super) fn judge_all(comparison: &Comparison, policy: &Policy, exact: bool) -> Vec<MetricVerdict> {
    let mut all: Vec<(MetricVerdict, Option<&Difference>)> = policy.metrics.iter().map(|metric| measured(comparison, metric)).collect();
    if exact {
        for (verdict, end) in &mut all {
            end.iter().for_each(|end| judge_exact(verdict, end.one_sided, comparison.exact));
        }
        return all.into_iter().map(|(verdict, _)| verdict).collect();
    }
    for (verdict, end) in &mut all {
        end.iter().for_each(|end| test(verdict, end));
    }
    let p: Vec<f64> = all.iter().filter_map(|(verdict, _)| verdict.p).collect();
    let adjusted = multiple::holm(&p).unwrap_or_default();
    for ((verdict, _), p) in all.iter_mut().filter(|(verdict, _)| verdict.p.is_some()).zip(adjusted) {
        verdict.p_holm = Some(p);
    }
    // Of Holm's levels the strictest: what can be shown whatever the other metrics say.
    let strictest = policy.alpha / p.len().max(1) as f64;
    for (verdict, end) in &mut all {
        end.iter().for_each(|end| judge_paired(verdict, end, policy.alpha, strictest));
    }
    all.into_iter().map(|(verdict, _)| verdict).collect()
}

/// What was seen, in the sense of the policy: positive is worse. Where both sides have a value, the difference to judge it by; else that is
/// all, and there is no verdict.
fn measured<'c>(comparison: &'c Comparison, metric: &Metric) -> (MetricVerdict, Option<&'c Difference>) {
    let known = metric.figure;
    let mut out = MetricVerdict {
        figure: known.name.to_owned(),
        title: known.title.to_owned(),
        unit: known.unit.to_owned(),
        verdict: Verdict::NoVerdict,
        why: String::new(),
        worse: metric.worse,
        margin: metric.margin.amount(None),
        baseline: None,
        candidate: None,
        worse_by: None,
        low: None,
        high: None,
        n: 0,
        p: None,
        p_holm: None,
        p_not_worse: None,
        pairs: None,
        discordance: None,
        detectable: None,
        needed: None,
        tickets_count: 0,
        tickets: vec![],
    };
    let Some(figure) = comparison.figures.iter().find(|figure| figure.name == known.name) else {
        out.why = "not in the comparison".to_owned();
        return (out, None);
    };
    if let Some(why) = &figure.not_applicable {
        out.why = format!("not applicable: {why}");
        return (out, None);
    }
    let Some(end) = &figure.end else {
        out.why = "has no state at the end of a run".to_owned();
        return (out, None);
    };
    let sign = if metric.worse == Worse::Higher { 1.0 } else { -1.0 };
    let finite = |value: Option<f64>| value.filter(|value| value.is_finite());
    out.n = end.n;
    out.baseline = finite(end.baseline.value);
    out.candidate = finite(end.candidate.value);
    out.margin = metric.margin.amount(out.baseline);
    out.worse_by = finite(end.value).map(|value| sign * value);
    let ends = (finite(end.low), finite(end.high));
    (out.low, out.high) = if metric.worse == Worse::Higher { ends } else { (ends.1.map(|x| -x), ends.0.map(|x| -x)) };
    out.pairs = end.pairs.map(|pairs| bad_outcomes(pairs, metric.worse));
    out.discordance = out.pairs.filter(|_| end.n > 0).map(|p| (p.only_candidate + p.only_baseline) as f64 / end.n as f64);
    let moved = if metric.worse == Worse::Higher { &figure.rose } else { &figure.fell };
    out.tickets = worse_tickets(comparison, moved, end.pairs.is_some(), known.name, metric.worse);
    out.tickets_count = moved.count;
    if out.n == 0 || out.worse_by.is_none() || out.baseline.is_none() || out.candidate.is_none() {
        out.why = format!(
            "baseline {}, candidate {} over {} with a value on both sides ({} on one side alone): nothing to compare",
            number::optional(out.baseline, |x| number::with_unit(x, known.unit)),
            number::optional(out.candidate, |x| number::with_unit(x, known.unit)),
            tickets(end.n),
            end.one_sided
        );
        return (out, None);
    }
    out.verdict = Verdict::Inconclusive;
    (out, Some(end))
}

/// Tickets by who has the bad outcome: of a figure that is better high, the bad outcome is not to have the event.
fn bad_outcomes(pairs: Pairs, worse: Worse) -> Pairs {
    match worse {
        Worse::Higher => pairs,
        Worse::Lower => {
            Pairs { both: pairs.neither, only_candidate: pairs.only_baseline, only_baseline: pairs.only_candidate, neither: pairs.both }
        }
    }
}

/// Tickets in which the figure got worse: where it is an event in the order of the comparison, which knows what else broke in them, else by how much
/// worse it got.
fn worse_tickets(comparison: &Comparison, moved: &Listed, event: bool, figure: &str, worse: Worse) -> Vec<String> {
    let got_worse = |before: f64, after: f64| if worse == Worse::Higher { after > before } else { after < before };
    let is_told = |change: &ValueChange| {
        change.figure == figure && change.baseline.zip(change.candidate).is_some_and(|(before, after)| got_worse(before, after))
    };
    let told = comparison.worse.iter().chain(&comparison.better).filter(|ticket| event && ticket.changes.iter().any(is_told));
    let mut out: Vec<String> = told.map(|ticket| ticket.ticket.clone()).collect();
    let known: HashSet<String> = out.iter().cloned().collect();
    out.extend(moved.tickets.iter().filter(|ticket| !known.contains(*ticket)).cloned());
    out
}

/// What broke, broke. From the same recorded calls only the code or the measurement can have done it; from others a policy may ask for this
/// all the same.
fn judge_exact(out: &mut MetricVerdict, one_sided: u64, same_calls: bool) {
    let (Some(worse_by), Some(margin)) = (out.worse_by, out.margin) else { return };
    let seen = seen(out, worse_by);
    let (from, although) = if same_calls { (", from the same recorded calls", ", although both replay the same calls") } else { ("", "") };
    if let Some(pairs) = out.pairs {
        let (broken, fixed) = (pairs.only_candidate, pairs.only_baseline);
        if broken > 0 {
            out.verdict = Verdict::Regressed;
            out.why = format!("{} newly broken, {fixed} newly fixed{from}: {seen}.", tickets(broken));
            return;
        }
    } else if worse_by > margin {
        out.verdict = Verdict::Regressed;
        out.why = format!("{seen}{from}; {} is allowed.", distance(margin, &out.unit));
        return;
    }
    if one_sided > 0 {
        out.why = format!("{} have a value on one side alone{although}: {seen}.", tickets(one_sided));
        return;
    }
    out.verdict = Verdict::Pass;
    out.why = if out.pairs.is_some() { format!("no ticket newly broken: {seen}.") } else { format!("{seen}.") };
}

/// What the tests say, before they are adjusted.
fn test(out: &mut MetricVerdict, end: &Difference) {
    let approximate = end.test.as_deref() == Some("ratio_z");
    let p = end.p.filter(|_| !approximate || end.n >= TICKETS_MIN);
    out.p = p.map(|p| if out.worse == Worse::Higher { p.greater } else { p.less }).filter(|p| (0.0..=1.0).contains(p));
    let (Some(worse_by), Some(margin)) = (out.worse_by, out.margin) else { return };
    out.p_not_worse = match out.pairs {
        Some(pairs) => tango::not_worse(&table(pairs), margin),
        None if end.n < TICKETS_MIN => None,
        // Every ticket lies on one side of the margin. Were it in the middle, each would be a fair coin: the sign-flip test, without its draws.
        None if end.interval.as_deref() == Some(NO_VARIATION) => {
            Some(if worse_by < margin { 0.5f64.powi(end.n.min(1000) as i32) } else { 1.0 })
        }
        None => error(out).map(|error| norm::cdf((worse_by - margin) / error)),
    };
}

fn table(pairs: Pairs) -> Paired {
    Paired { both: pairs.both, only_candidate: pairs.only_candidate, only_baseline: pairs.only_baseline, neither: pairs.neither }
}

/// Standard error of `worse_by` on its bad side, from the half of the interval that lies there: at a one-sided level of 2.5% the bound is then
/// the interval's own end, and other levels are scaled from it.
fn error(out: &MetricVerdict) -> Option<f64> {
    let z = norm::quantile(1.0 - (1.0 - crate::stats::CONFIDENCE) / 2.0);
    Some((out.high? - out.worse_by?) / z).filter(|error| error.is_finite() && *error >= 0.0)
}

fn judge_paired(out: &mut MetricVerdict, end: &Difference, alpha: f64, level: f64) {
    let (Some(worse_by), Some(margin)) = (out.worse_by, out.margin) else { return };
    if let Some(discordance) = out.discordance {
        out.detectable = power::detectable(out.n, discordance, 2.0 * level, POWER);
        // Fewer discordant tickets than the margin: a difference of the margin would make more of them.
        out.needed = power::tickets(margin, discordance.max(margin), 2.0 * level, POWER);
    } else if let Some(error) = error(out) {
        let reach = (norm::quantile(1.0 - level) + norm::quantile(POWER)) * error;
        out.detectable = Some(reach).filter(|reach| reach.is_finite() && *reach > 0.0);
        let times = (reach / margin) * (reach / margin);
        let needed = (times * out.n as f64).ceil();
        out.needed = (needed.is_finite() && needed < u64::MAX as f64).then(|| (needed as u64).max(TICKETS_MIN));
    }
    let seen = seen(out, worse_by);
    let allowed = distance(margin, &out.unit);
    let moved = out.pairs.map_or(String::new(), |p| format!(", {} newly broken and {} newly fixed", p.only_candidate, p.only_baseline));
    let chance = out.p_holm.is_some_and(|p| p < alpha);
    if chance && worse_by > margin {
        out.verdict = Verdict::Regressed;
        out.why = format!("{seen}; {allowed} is allowed ({}{moved}, {}).", out.p_holm.map_or(String::new(), number::p), of(end));
        return;
    }
    if let Some(p) = out.p_not_worse.filter(|p| *p < alpha) {
        out.verdict = Verdict::Pass;
        out.why = format!("{seen}; worse by {allowed} or more is ruled out ({}, {}).", number::p(p), of(end));
        return;
    }
    let open = if worse_by > margin {
        let p = out.p_holm.map_or("no test is possible".to_owned(), number::p);
        format!("more than the {allowed} allowed, but this may be chance ({p}{moved}, {})", of(end))
    } else {
        let bound = bound(out, alpha).map_or(String::new(), |bound| {
            let side = if bound >= 0.0 { "worse" } else { "better" };
            format!("{} {side} is not ruled out, ", distance(bound, &out.unit))
        });
        format!("{bound}{allowed} is allowed ({}{moved})", of(end))
    };
    out.why = format!("{seen}; {open}.{}", reach(out, margin));
}

/// What lies just inside of what is not ruled out.
fn bound(out: &MetricVerdict, alpha: f64) -> Option<f64> {
    match out.pairs {
        Some(pairs) => tango::interval(&table(pairs), 1.0 - 2.0 * alpha).map(|interval| interval.high),
        None => Some(out.worse_by? + norm::quantile(1.0 - alpha) * error(out)?),
    }
}

/// What so many tickets can show, and what it would take.
fn reach(out: &MetricVerdict, margin: f64) -> String {
    let discordance = out.discordance.map_or(String::new(), |share| format!(" with {} of them discordant", number::share(share)));
    let shows = match out.detectable {
        Some(difference) => format!("{} can show a difference of {}{discordance}", tickets(out.n), distance(difference, &out.unit)),
        None => format!("{} are too few to show any difference{discordance}", tickets(out.n)),
    };
    match out.needed.filter(|needed| *needed > out.n) {
        Some(needed) => format!(" {shows}; {} would take {}.", distance(margin, &out.unit), tickets(needed)),
        None => format!(" {shows}."),
    }
}

/// "7.0 pp worse (2.3% to 9.3%)".
fn seen(out: &MetricVerdict, worse_by: f64) -> String {
    let value = |value: Option<f64>| number::optional(value, |x| number::with_unit(x, &out.unit));
    let values = format!("{} to {}", value(out.baseline), value(out.candidate));
    match worse_by.partial_cmp(&0.0) {
        Some(std::cmp::Ordering::Greater) => format!("{} worse ({values})", distance(worse_by, &out.unit)),
        Some(std::cmp::Ordering::Less) => format!("{} better ({values})", distance(worse_by, &out.unit)),
        _ => format!("no difference ({values})"),
    }
}

fn of(end: &Difference) -> String {
    let left_out = if end.one_sided > 0 { format!(", {} with a value on one side alone left out", end.one_sided) } else { String::new() };
    format!("{}{left_out}", tickets(end.n))
}
