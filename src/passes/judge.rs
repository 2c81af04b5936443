//! Shares and differences by ticket, with what may be said of how sure they are. docs/statistics.md says which method is for what.

use super::{Level, Shift};
use crate::stats::draw::Stream;
use crate::stats::{CONFIDENCE, Interval, Paired, norm, paired, power, resample, spread, tango, wilson};

/// Level of every test.
pub(super) const ALPHA: f64 = 1.0 - CONFIDENCE;

/// Chance of showing what is there, for what is said of detectable differences.
pub(super) const POWER: f64 = 0.8;

/// With fewer tickets no interval is drawn: five coins that all fall on one side are no rarer than its level.
pub(super) const TICKETS_MIN: usize = 6;

/// With more tickets than this the normal interval is as good as a bootstrap, and the work is not.
const DRAWN_MAX: usize = 10_000;

/// How something is to be judged.
pub(super) struct Judge {
    pub seed: u64,
    pub replicates: u32,
    /// Each ticket's value is that of one run, 0 or 1.
    pub single: bool,
    /// Names the stream of draws.
    pub what: String,
}

impl Judge {
    fn stream(&self, statistic: &str) -> Stream {
        Stream::new(self.seed, &format!("passes|{}|{statistic}", self.what))
    }

    /// A share of tickets, one value a ticket.
    pub fn level(&self, values: &[f64]) -> Level {
        let num: f64 = values.iter().sum();
        let n = values.len() as u64;
        let interval = if self.single { wilson(num as u64, n, CONFIDENCE) } else { self.drawn(values).map(|(interval, _)| interval) };
        Level { num, n, value: spread::mean(values), low: interval.map(|i| i.low), high: interval.map(|i| i.high) }
    }

    /// A difference of two shares of the same tickets.
    pub fn shift(&self, before: &[f64], after: &[f64]) -> Shift {
        if !self.single {
            return self.mean(&before.iter().zip(after).map(|(before, after)| after - before).collect::<Vec<f64>>());
        }
        let events = |values: &[f64]| values.iter().map(|value| Some(*value > 0.0)).collect::<Vec<_>>();
        let table = Paired::of(&events(before), &events(after));
        let interval = tango::interval(&table, CONFIDENCE).map(|interval| (interval, "tango"));
        let p = paired::mcnemar(&table).filter(|_| table.n() > 0).map(|tests| (tests.mid_p.different, "mcnemar_mid_p"));
        Shift::new(table.n(), table.difference(), interval, p)
    }

    /// A mean of differences by ticket.
    pub fn mean(&self, differences: &[f64]) -> Shift {
        let n = differences.len();
        let value = spread::mean(differences);
        let moves = differences.iter().any(|difference| *difference != 0.0);
        let p = match value {
            None => None,
            Some(_) if !moves => Some((1.0, "sign_flip")),
            Some(_) if n <= DRAWN_MAX => {
                resample::sign_flip(differences, self.stream("sign_flip"), self.replicates).map(|p| (p.different, "sign_flip"))
            }
            Some(value) => spread::standard_error(differences).map(|error| (2.0 * norm::sf((value / error).abs()), "mean_z")),
        };
        Shift::new(n as u64, value, self.drawn(differences), p)
    }

    /// Interval of a mean. None for few tickets, and where all are alike: what is drawn from them then has no width, which is not certainty.
    fn drawn(&self, values: &[f64]) -> Option<(Interval, &'static str)> {
        let first = values.first()?;
        if values.len() < TICKETS_MIN || values.iter().all(|value| value == first) {
            return None;
        }
        if values.len() > DRAWN_MAX {
            let (mean, error) = (spread::mean(values)?, spread::standard_error(values)?);
            let reach = norm::quantile(1.0 - ALPHA / 2.0) * error;
            return Some((Interval { low: mean - reach, high: mean + reach }, "normal"));
        }
        let found = resample::mean_difference(values, self.stream("mean"), self.replicates);
        found.interval(CONFIDENCE).map(|interval| (interval, "bootstrap"))
    }
}

impl Shift {
    fn new(n: u64, value: Option<f64>, interval: Option<(Interval, &str)>, p: Option<(f64, &str)>) -> Shift {
        let interval = interval.filter(|(i, _)| i.low.is_finite() && i.high.is_finite());
        let p = p.filter(|(p, _)| (0.0..=1.0).contains(p));
        Shift {
            n,
            value,
            low: interval.map(|(i, _)| i.low),
            high: interval.map(|(i, _)| i.high),
            interval: interval.map(|(_, name)| name.to_owned()),
            test: p.map(|(_, name)| name.to_owned()),
            p: p.map(|(p, _)| p),
        }
    }

    /// The same in another unit.
    pub(super) fn times(self, factor: f64) -> Shift {
        let scaled = |x: Option<f64>| x.map(|x| x * factor);
        Shift { value: scaled(self.value), low: scaled(self.low), high: scaled(self.high), ..self }
    }
}

/// The smallest true difference of shares that would be shown, of `tests` at once the first: by the tickets that flip where each counts once, else
/// by the width of the interval. `net` is per 100 tickets.
pub(super) fn detectable(net: &Shift, flips: f64, tests: usize) -> Option<f64> {
    let level = ALPHA / tests.max(1) as f64;
    if net.test.as_deref() == Some("mcnemar_mid_p") {
        return power::detectable(net.n, flips / net.n as f64, level, POWER);
    }
    let error = (net.high? - net.low?) / 100.0 / (2.0 * norm::quantile(1.0 - ALPHA / 2.0));
    let reach = (norm::quantile(1.0 - level / 2.0) + norm::quantile(POWER)) * error;
    Some(reach).filter(|reach| reach.is_finite() && *reach > 0.0 && *reach <= 1.0)
}
