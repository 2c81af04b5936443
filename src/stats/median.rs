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
