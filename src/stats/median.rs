//! Medians, their interval, and quantiles. Nothing is drawn at random.

use super::discrete::Discrete;
use super::{Interval, critical};

/// Ranks, counted from 1, of the values between which a median lies with at least the asked confidence, and the confidence they give.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrderStatistics {
    pub low: u64,
    pub high: u64,
    pub coverage: f64,
}

/// Distribution-free interval of the median of `n` values (David and Nagaraja 2003, 7.1): the narrowest symmetric pair of ranks. None where
/// even the extremes are not enough (n of 5 and fewer at 95%), and beyond 2^32 values.
pub fn order_statistics(n: u64, confidence: f64) -> Option<OrderStatistics> {
    critical(confidence)?;
    let tail = (1.0 - confidence) / 2.0;
    let (mut low, mut cumulated) = (0, 0.0);
    // How many values lie under the median is like tossing a coin for each.
    for (k, probability) in Discrete::binomial(n, 0.5)?.each().take_while(|(k, _)| *k < n.div_ceil(2)) {
        if cumulated + probability > tail {
            break;
        }
        cumulated += probability;
        low = k + 1;
    }
    (low > 0).then(|| OrderStatistics { low, high: n - low + 1, coverage: 1.0 - 2.0 * cumulated })
}

/// Median of values given as (value, how often) in ascending order; of an even number the mean of the middle two. None for no values.
pub fn median(counts: &[(f64, u64)]) -> Option<f64> {
    let n = total(counts);
    let (low, high) = (ranked(counts, n.div_ceil(2))?, ranked(counts, n / 2 + 1)?);
    Some(if low == high { low } else { low + (high - low) / 2.0 })
}

/// Order-statistic interval of the median of values given as in [`median`].
pub fn median_interval(counts: &[(f64, u64)], confidence: f64) -> Option<Interval> {
    let ranks = order_statistics(total(counts), confidence)?;
    Some(Interval { low: ranked(counts, ranks.low)?, high: ranked(counts, ranks.high)? })
}

/// The candidate's median minus the baseline's, by ticket, with a standard error (Bonett and Price 2020): each arm's error from the width of its
/// order-statistic interval, less what the arms share, told by the sides of the medians on which the tickets lie; too large for arms that are
/// nearly the same. None for no values, one that is not finite, or arms of different length; no error where an arm is too short for an interval.
pub fn difference(baseline: &[f64], candidate: &[f64]) -> Option<(f64, Option<f64>)> {
    let (from, to) = (counted(baseline), counted(candidate));
    let (low, high) = (median(&from)?, median(&to)?);
    let value = high - low;
    if baseline.len() != candidate.len() || baseline.iter().chain(candidate).any(|value| !value.is_finite()) || !value.is_finite() {
        return None;
    }
    let side = |value: f64, middle: f64| f64::from(i8::from(value > middle) - i8::from(value < middle));
    let sides = || baseline.iter().zip(candidate).map(|(a, b)| (side(*a, low), side(*b, high)));
    let (both, one, other) = sides().fold((0.0, 0.0, 0.0), |sum, (a, b)| (sum.0 + a * b, sum.1 + a * a, sum.2 + b * b));
    let shared = if one > 0.0 && other > 0.0 { both / libm::sqrt(one * other) } else { 0.0 };
    let errors = error(&from).zip(error(&to));
    let joined = errors.map(|(a, b)| libm::sqrt((a - b) * (a - b) + 2.0 * a * b * (1.0 - shared).max(0.0)));
    Some((value, joined.filter(|error| error.is_finite())))
}

/// Standard error of a median: the half of its interval over the z of the coverage that it has.
fn error(counts: &[(f64, u64)]) -> Option<f64> {
    let ranks = order_statistics(total(counts), super::CONFIDENCE)?;
    Some((ranked(counts, ranks.high)? - ranked(counts, ranks.low)?) / (2.0 * critical(ranks.coverage)?))
}

fn counted(values: &[f64]) -> Vec<(f64, u64)> {
    let mut counts: Vec<(f64, u64)> = values.iter().map(|value| (*value, 1)).collect();
    counts.sort_by(|x, y| x.0.total_cmp(&y.0));
    counts
}

fn total(counts: &[(f64, u64)]) -> u64 {
    counts.iter().fold(0, |sum: u64, (_, count)| sum.saturating_add(*count))
}

/// The value of a rank, counted from 1.
fn ranked(counts: &[(f64, u64)], rank: u64) -> Option<f64> {
    let mut seen = 0u64;
    counts
        .iter()
        .find(|(_, count)| {
            seen = count.saturating_add(seen);
            rank > 0 && seen >= rank
        })
        .map(|(value, _)| *value)
}

/// The value below which a share `q` of ascending values lies, straight lines between neighbours (type 7 of Hyndman and Fan 1996). None for
/// no values or a `q` outside [0, 1].
pub fn quantile(sorted: &[f64], q: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    if !(0.0..=1.0).contains(&q) {
        return None;
    }
    let place = last as f64 * q;
    let below = (place as usize).min(last);
    let (low, high) = (sorted[below], sorted[(below + 1).min(last)]);
    Some(if low == high { low } else { low + (place - below as f64) * (high - low) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::draw::Stream;
    use super::super::resample;
    use super::*;

    proptest! {
        #[test]
        fn a_difference_mirrors_and_nothing_panics(pairs in prop::collection::vec((any::<f64>(), any::<f64>()), 0..40)) {
            let (a, b): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            let (there, back) = (difference(&a, &b), difference(&b, &a));
            prop_assert_eq!(there.map(|(value, error)| (-value, error)), back);
            prop_assert!(difference(&a, &a).is_none_or(|(value, error)| value == 0.0 && error.is_none_or(|error| error == 0.0)));
        }

        /// Arms that share more or less of a ticket: the error is about that of a bootstrap.
        #[test]
        fn its_error_is_about_that_of_draws(seed in any::<u64>(), shared in 0.0..0.7f64) {
            let stream = Stream::new(seed, "values");
            let uniform = |ticket: u64, what: u64| stream.draw(what, ticket, 400) as f64 / 2f64.powi(64);
            // A long tail on the right.
            let value = |ticket: u64, what: u64| 1.0 / (0.05 + uniform(ticket, what));
            let arm = |what: u64| (0..400).map(|ticket| shared * value(ticket, 0) + (1.0 - shared) * value(ticket, what)).collect::<Vec<_>>();
            let (a, b) = (arm(1), arm(2));
            let error = difference(&a, &b).unwrap().1.unwrap();
            let drawn = resample::difference_of_medians(&a, &b, Stream::new(seed, "draws"), 400).unwrap().interval(0.95).unwrap();
            let ratio = (drawn.high - drawn.low) / (2.0 * 1.96 * error);
            prop_assert!((0.4..1.8).contains(&ratio), "{ratio}");
        }
    }

    #[test]
    fn undefined_is_none() {
        assert_eq!((difference(&[], &[]), difference(&[1.0], &[1.0, 2.0]), difference(&[f64::NAN], &[1.0])), (None, None, None));
        assert_eq!(difference(&[1.0, 2.0], &[4.0, 4.0]), Some((2.5, None)));
    }
}
