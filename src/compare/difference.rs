//! A figure's difference at one pass, with what its kind allows to be said of it: docs/statistics.md says which method is for what.

use super::values::Values;
use super::{Difference, FigureComparison, NO_VARIATION, P, Pairs, Reading};
use crate::metric::{Better, How};
use crate::stats::draw::Stream;
use crate::stats::{self, CONFIDENCE, Interval, PValues, Paired, multiple, norm, paired, rank, ratio, resample, spread, tango};
use crate::summary::Plan;

/// With fewer tickets that say something, no 95% interval of a mean, a median or a ratio: five coins that all fall on one side are no rarer than
/// that.
const TICKETS_MIN: usize = 6;

/// With more tickets than this the normal interval is as good as a bootstrap, and the work is not.
const DRAWN_MAX: usize = 10_000;

/// How a difference is to be worked out.
pub(super) struct Method<'a> {
    /// The figure and the view, which with pass and statistic name the stream of draws.
    pub figure: &'a str,
    pub view: &'a str,
    pub exact: bool,
    pub seed: u64,
    /// 0: nothing is drawn, intervals and tests of means and ratios are normal.
    pub replicates: u32,
}

impl Method<'_> {
    fn stream(&self, pass: u32, statistic: &str) -> Stream {
        Stream::new(self.seed, &format!("{}|{}|{pass}|{statistic}", self.figure, self.view))
    }

    fn draws(&self, tickets: usize) -> bool {
        self.replicates > 0 && tickets <= DRAWN_MAX
    }
}

/// What is said of a difference.
#[derive(Default)]
struct Said {
    value: Option<f64>,
    interval: Option<(Interval, &'static str)>,
    test: Option<(PValues, &'static str)>,
    pairs: Option<Paired>,
}

pub(super) fn of(plan: &Plan, values: &Values, method: &Method<'_>) -> Difference {
    let said = match plan.figure.how {
        How::Share(_) if values.single => share(values),
        How::Share(_) | How::Mean(_) => mean(values, method),
        How::Median(_) => median(values, method),
        How::Ratio(..) => ratio_of_sums(values, method),
    };
    let value = said.value.filter(|value| value.is_finite());
    // What the same calls give is what it is: there is nothing to be unsure of.
    let is_open = !method.exact && value.is_some();
    let interval = said.interval.filter(|(Interval { low, high }, _)| is_open && low.is_finite() && high.is_finite());
    let still = interval.is_some_and(|(interval, _)| is_still(plan, values, interval));
    // Two shares are no further apart than 1, whatever a normal interval says.
    let most = if plan.figure.unit == "share" { value.map_or(1.0, |value| value.abs().max(1.0)) } else { f64::INFINITY };
    let interval = interval.filter(|_| !still);
    let interval = interval.map(|(Interval { low, high }, name)| (Interval { low: low.max(-most), high: high.min(most) }, name));
    let said = Said { value, interval, test: said.test.filter(|_| is_open), pairs: said.pairs };
    let [baseline, candidate] = values.figures.clone();
    Difference {
        pass: values.pass,
        baseline,
        candidate,
        n: values.n,
        one_sided: values.one_sided,
        value,
        low: interval.map(|(interval, _)| interval.low),
        high: interval.map(|(interval, _)| interval.high),
        interval: if still { Some(NO_VARIATION.into()) } else { interval.map(|(_, name)| name.into()) },
        test: said.test.map(|(_, name)| name.into()),
        p: said.test.map(|(p, _)| P { different: p.different, greater: p.greater, less: p.less }),
        pairs: said.pairs.map(|table| Pairs {
            both: table.both,
            only_candidate: table.only_candidate,
            only_baseline: table.only_baseline,
            neither: table.neither,
        }),
        q: None,
        reading: reading(&said, still, plan.figure.better, method.exact),
    }
}

/// True where the interval of a mean or a ratio is a point: every ticket moved by the same amount. How far others might move is then not to be
/// known from these, and a point would say that it is known to the last digit. (A median's interval is of ranks, and may well be a point.)
fn is_still(plan: &Plan, values: &Values, Interval { low, high }: Interval) -> bool {
    let size = values.figures.iter().filter_map(|figure| figure.value).chain([low, high]).fold(0.0, |most: f64, x| most.max(x.abs()));
    let is_mean = match plan.figure.how {
        How::Share(_) => !values.single,
        How::Mean(_) | How::Ratio(..) => true,
        How::Median(_) => false,
    };
    // Sums of parts of a cent are not exact to the last bit.
    is_mean && high - low <= 1e-9 * size
}

fn reading(said: &Said, still: bool, better: Option<Better>, exact: bool) -> Reading {
    let Some(value) = said.value else { return Reading::None };
    let (interval, test) = (said.interval.map(|(interval, _)| interval), said.test.map(|(p, _)| p));
    let higher = match interval {
        _ if exact && value == 0.0 => return Reading::Same,
        _ if exact => value > 0.0,
        // Of few tickets a drawn interval is too narrow; the test has the last word.
        _ if test.is_some_and(|p| p.different >= 1.0 - CONFIDENCE) => return Reading::NotShown,
        // Every ticket moved by the same amount, and by the test that is no chance.
        None if still && test.is_some() => value > 0.0,
        Some(interval) if interval.low > 0.0 => true,
        Some(interval) if interval.high < 0.0 => false,
        _ => return Reading::NotShown,
    };
    match better {
        None => Reading::Differs,
        Some(Better::Higher) if higher => Reading::Better,
        Some(Better::Lower) if !higher => Reading::Better,
        Some(_) => Reading::Worse,
    }
}

fn share(values: &Values) -> Said {
    let events = |arm: &[resample::Fraction]| arm.iter().map(|(event, _)| Some(*event > 0.0)).collect::<Vec<_>>();
    let table = Paired::of(&events(&values.baseline), &events(&values.candidate));
    Said {
        value: table.difference(),
        interval: tango::interval(&table, CONFIDENCE).map(|interval| (interval, "tango")),
        test: paired::mcnemar(&table).filter(|_| table.n() > 0).map(|tests| (tests.mid_p, "mcnemar_mid_p")),
        pairs: Some(table),
    }
}

fn mean(values: &Values, method: &Method<'_>) -> Said {
    let differences = differences(values);
    let Some(value) = spread::mean(&differences) else { return Said::default() };
    let coins = differences.iter().filter(|d| **d != 0.0).count();
    let error = spread::standard_error(&differences);
    let stream = |statistic| method.stream(values.pass, statistic);
    let drawn = method.draws(differences.len());
    let interval = match enough(differences.len()) {
        false => None,
        true if drawn => {
            let found = resample::mean_difference(&differences, stream("mean_diff"), method.replicates);
            found.interval(CONFIDENCE).map(|interval| (interval, "bootstrap"))
        }
        true => error.and_then(|error| normal(value, error)),
    };
    let test = match drawn {
        _ if coins == 0 => Some((alike(), if drawn { "sign_flip" } else { "mean_z" })),
        true => resample::sign_flip(&differences, stream("sign_flip"), method.replicates).map(|p| (p, "sign_flip")),
        false => error.and_then(|error| z_test(value, error, coins)).map(|p| (p, "mean_z")),
    };
    Said { value: Some(value), interval, test, pairs: None }
}

fn median(values: &Values, method: &Method<'_>) -> Said {
    let arm = |arm: &[resample::Fraction]| arm.iter().map(|(value, _)| *value).collect::<Vec<_>>();
    let (from, to) = (arm(&values.baseline), arm(&values.candidate));
    let Some((value, error)) = stats::median::difference(&from, &to) else { return Said::default() };
    let interval = match enough(from.len()) {
        false => None,
        true if method.draws(from.len()) => {
            let found = resample::difference_of_medians(&from, &to, method.stream(values.pass, "median_diff"), method.replicates);
            found.and_then(|found| found.interval(CONFIDENCE)).map(|interval| (interval, "bootstrap"))
        }
        true => error.and_then(|error| normal(value, error)),
    };
    let test = rank::wilcoxon(&differences(values)).map(|found| (found.p, "wilcoxon_pratt"));
    Said { value: Some(value), interval, test, pairs: None }
}

fn ratio_of_sums(values: &Values, method: &Method<'_>) -> Said {
    let (from, to) = (&values.baseline, &values.candidate);
    let Some(found) = ratio::difference(from, to) else { return Said::default() };
    let coins = from.iter().zip(to).filter(|(a, b)| a != b).count();
    // A ticket that has nothing below the line says nothing.
    let telling = |arm: &[resample::Fraction]| arm.iter().filter(|(_, under)| *under != 0.0).count();
    let interval = match enough(telling(from).min(telling(to))) {
        false => None,
        true if method.draws(from.len()) => {
            let found = resample::difference_of_ratios(from, to, method.stream(values.pass, "ratio_diff"), method.replicates);
            found.and_then(|found| found.interval(CONFIDENCE)).map(|interval| (interval, "bootstrap"))
        }
        true => found.standard_error.and_then(|error| normal(found.value, error)),
    };
    let test = if coins == 0 { Some(alike()) } else { found.standard_error.and_then(|error| z_test(found.value, error, coins)) };
    Said { value: Some(found.value), interval, test: test.map(|p| (p, "ratio_z")), pairs: None }
}

fn differences(values: &Values) -> Vec<f64> {
    values.baseline.iter().zip(&values.candidate).map(|(a, b)| b.0 - a.0).collect()
}

const fn enough(tickets: usize) -> bool {
    tickets >= TICKETS_MIN
}

fn alike() -> PValues {
    PValues { different: 1.0, greater: 1.0, less: 1.0 }
}

fn normal(value: f64, error: f64) -> Option<(Interval, &'static str)> {
    let reach = norm::quantile(1.0 - (1.0 - CONFIDENCE) / 2.0) * error;
    reach.is_finite().then_some((Interval { low: value - reach, high: value + reach }, "normal"))
}

/// By a standard error. `coins` tickets differ between the arms; were the arms alike they would be fair coins, so no p may be smaller than the
/// chance that all of them fall on one side. Without that floor a few tickets that move by the same amount would be beyond any doubt.
fn z_test(value: f64, error: f64, coins: usize) -> Option<PValues> {
    let z = if value == 0.0 { 0.0 } else { value / error };
    let floor = all_one_way(coins);
    let p = |tail: f64, floor: f64| tail.max(floor).min(1.0);
    (!z.is_nan()).then(|| PValues {
        different: p(2.0 * norm::sf(z.abs()), 2.0 * floor),
        greater: p(norm::sf(z), floor),
        less: p(norm::cdf(z), floor),
    })
}

/// 2^-coins.
fn all_one_way(coins: usize) -> f64 {
    (0..coins.min(1100)).fold(1.0, |chance, _| chance / 2.0)
}

/// Gives every test of a view its q-value, over figures and passes; the difference at the end is one of those enrolled.
pub(super) fn adjust(figures: &mut [FigureComparison]) {
    type View = fn(&mut FigureComparison) -> &mut Vec<Difference>;
    let views: [View; 2] = [|figure| &mut figure.at_risk, |figure| &mut figure.enrolled];
    for view in views {
        let mut tested: Vec<&mut Difference> = figures.iter_mut().flat_map(view).filter(|at| at.p.is_some()).collect();
        let p: Vec<f64> = tested.iter().filter_map(|at| at.p).map(|p| p.different).collect();
        for (at, q) in tested.iter_mut().zip(multiple::benjamini_hochberg(&p).unwrap_or_default()) {
            at.q = Some(q);
        }
    }
    for figure in figures {
        if let (Some(end), Some(last)) = (&mut figure.end, figure.enrolled.last()) {
            end.q = last.q;
        }
    }
}
