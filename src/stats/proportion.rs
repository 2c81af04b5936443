//! Shares of one arm, and two shares of different tickets.

use super::discrete::{Discrete, TRIALS_MAX};
use super::{Interval, beta, bisect, critical, norm};

/// How many of how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Share {
    pub events: u64,
    pub of: u64,
}

impl Share {
    /// Between 0 and 1. None where there was nothing to count, or more events than that.
    pub fn value(self) -> Option<f64> {
        (self.of > 0 && self.events <= self.of).then(|| self.events as f64 / self.of as f64)
    }
}

/// Score interval of a share `k` of `n` (Wilson 1927). None where n is 0. Exactly 0 and 1 at the ends for none and all.
pub fn wilson(k: u64, n: u64, confidence: f64) -> Option<Interval> {
    let share = Share { events: k, of: n }.value()?;
    let z = critical(confidence)?;
    let total = n as f64;
    let scale = 1.0 + z * z / total;
    let middle = (share + z * z / (2.0 * total)) / scale;
    let half = z / scale * libm::sqrt(share * (1.0 - share) / total + z * z / (4.0 * total * total));
    Some(Interval { low: if k == 0 { 0.0 } else { middle - half }, high: if k == n { 1.0 } else { middle + half } })
}

/// Exact interval of a share `k` of `n` (Clopper and Pearson 1934): never less sure than asked, so wider than [`wilson`]. None where n is 0,
/// and beyond 2^32.
pub fn clopper_pearson(k: u64, n: u64, confidence: f64) -> Option<Interval> {
    Share { events: k, of: n }.value().filter(|_| n <= TRIALS_MAX)?;
    critical(confidence)?;
    let tail = (1.0 - confidence) / 2.0;
    // The share at which k or more events have just the chance of one tail. The upper end is the lower end of what did not happen.
    let low = |k: u64| match k {
        0 => 0.0,
        _ => bisect(0.0, k as f64 / n as f64, |p| beta::cdf(k as f64, (n - k) as f64 + 1.0, p) < tail),
    };
    Some(Interval { low: low(k), high: 1.0 - low(n - k) })
}

/// A ratio of two shares, with the standard error of its logarithm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RiskRatio {
    pub ratio: f64,
    pub interval: Interval,
    pub log_error: f64,
}

impl RiskRatio {
    /// Symmetric on the scale of logarithms.
    pub(super) fn new(ratio: f64, variance: f64, confidence: f64) -> Option<RiskRatio> {
        let log_error = libm::sqrt(variance.max(0.0));
        let factor = libm::exp(critical(confidence)? * log_error);
        Some(RiskRatio { ratio, interval: Interval { low: ratio / factor, high: ratio * factor }, log_error })
    }
}

/// The candidate's share over the baseline's, for arms that ran different tickets (Katz et al. 1978). None where either has no event.
pub fn risk_ratio(baseline: Share, candidate: Share, confidence: f64) -> Option<RiskRatio> {
    let (from, to) = (baseline.value()?, candidate.value()?);
    if from == 0.0 || to == 0.0 {
        return None;
    }
    let part = |share: Share| 1.0 / share.events as f64 - 1.0 / share.of as f64;
    RiskRatio::new(to / from, part(candidate) + part(baseline), confidence)
}

/// Difference of two shares of different things, candidate minus baseline: the two score intervals joined (Newcombe 1998, method 10). None where
/// a share is undefined.
pub fn newcombe(baseline: Share, candidate: Share, confidence: f64) -> Option<Interval> {
    let (from, to) = (baseline.value()?, candidate.value()?);
    let (a, b) = (wilson(baseline.events, baseline.of, confidence)?, wilson(candidate.events, candidate.of, confidence)?);
    let reach = |x: f64, y: f64| libm::sqrt(x * x + y * y);
    Some(Interval { low: to - from - reach(to - b.low, a.high - from), high: to - from + reach(b.high - to, from - a.low) })
}

/// A statistic that is standard normal if nothing differs, and its two-sided p.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ZTest {
    pub z: f64,
    pub p: f64,
}

/// Two shares of different tickets, with pooled variance. For showing what the naive comparison says; arms are compared by ticket. None where
/// a share is undefined, or none or all have the event.
pub fn two_proportions(baseline: Share, candidate: Share) -> Option<ZTest> {
    let (from, to) = (baseline.value()?, candidate.value()?);
    let (n0, n1) = (baseline.of as f64, candidate.of as f64);
    let pooled = (baseline.events as f64 + candidate.events as f64) / (n0 + n1);
    let variance = pooled * (1.0 - pooled) * (1.0 / n0 + 1.0 / n1);
    (variance > 0.0).then(|| {
        let z = (to - from) / libm::sqrt(variance);
        ZTest { z, p: 2.0 * norm::sf(libm::fabs(z)) }
    })
}

/// Two-sided exact test of a 2 x 2 table of independent counts (Fisher 1935): the chance of all tables with the same margins that are no more
/// likely than this one. None beyond 2^32 counts.
pub fn fisher_exact(table: [[u64; 2]; 2]) -> Option<f64> {
    let [[a, b], [c, d]] = table;
    let (row, column) = (a.checked_add(b)?, a.checked_add(c)?);
    let tables = Discrete::hypergeometric(row.checked_add(c)?.checked_add(d)?, column, row)?;
    // Tables that are equally likely differ in their last bits.
    let limit = tables.at(a) * (1.0 + 1e-9);
    Some(tables.each().map(|(_, weight)| weight).filter(|weight| *weight <= limit).sum::<f64>().min(1.0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn intervals_hold_the_share_and_widen_with_confidence(k in 0u64..3000, n in 1u64..3000, sure in 0.05..0.98f64) {
            prop_assume!(k <= n);
            let share = k as f64 / n as f64;
            for interval in [wilson, clopper_pearson] {
                let (narrow, wide) = (interval(k, n, sure).unwrap(), interval(k, n, sure + 0.01).unwrap());
                prop_assert!(0.0 <= wide.low && wide.low <= narrow.low && narrow.low <= share, "{narrow:?} {wide:?}");
                prop_assert!(share <= narrow.high && narrow.high <= wide.high && wide.high <= 1.0, "{narrow:?} {wide:?}");
            }
        }

        #[test]
        fn clopper_pearson_is_exact(k in 0u64..400, n in 1u64..400) {
            prop_assume!(k <= n);
            let exact = clopper_pearson(k, n, 0.95).unwrap();
            if k > 0 {
                let tail = Discrete::binomial(n, exact.low).unwrap().at_least(k);
                prop_assert!((tail - 0.025).abs() < 1e-10, "{tail}");
            }
            if k < n {
                let tail = Discrete::binomial(n, exact.high).unwrap().at_most(k);
                prop_assert!((tail - 0.025).abs() < 1e-10, "{tail}");
            }
        }

        #[test]
        fn nothing_panics(k in any::<u64>(), n in any::<u64>(), other in any::<u64>(), sure in any::<f64>()) {
            wilson(k, n, sure);
            clopper_pearson(k, n, sure);
            let (a, b) = (Share { events: k, of: n }, Share { events: other, of: n });
            let _ = (risk_ratio(a, b, sure), two_proportions(a, b), fisher_exact([[k, n], [other, k]]));
        }
    }

    #[test]
    fn newcombe_joins_two_score_intervals() {
        // 56 of 70 against 48 of 80, Newcombe's own example: 0.0524 to 0.3339.
        let got = newcombe(Share { events: 48, of: 80 }, Share { events: 56, of: 70 }, 0.95).unwrap();
        assert!((got.low - 0.0524).abs() < 5e-5 && (got.high - 0.3339).abs() < 5e-5, "{got:?}");
        // None of 9 against none of 9: as far either way.
        let none = newcombe(Share { events: 0, of: 9 }, Share { events: 0, of: 9 }, 0.95).unwrap();
        assert!((none.low + none.high).abs() < 1e-12 && none.high > 0.25, "{none:?}");
        assert_eq!(newcombe(Share::default(), Share { events: 1, of: 2 }, 0.95), None);
    }

    #[test]
    fn undefined_is_none() {
        let (none, some) = (Share { events: 0, of: 9 }, Share { events: 3, of: 9 });
        assert_eq!((wilson(0, 0, 0.95), clopper_pearson(0, 0, 0.95), clopper_pearson(2, 1, 0.95)), (None, None, None));
        assert_eq!((wilson(1, 2, 1.0), wilson(1, 2, 0.0), wilson(1, 2, f64::NAN)), (None, None, None));
        assert_eq!((risk_ratio(none, some, 0.95), risk_ratio(some, none, 0.95)), (None, None));
        assert_eq!((two_proportions(none, none), two_proportions(some, Share::default())), (None, None));
        assert_eq!((fisher_exact([[0, 0], [0, 0]]), fisher_exact([[u64::MAX, 1], [1, 1]])), (Some(1.0), None));
    }
}
