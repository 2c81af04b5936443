//! Intervals for shares and medians. Nothing is drawn at random.

use super::norm;

/// Both ends included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

/// Score interval of a share `k` of `n` (Wilson 1927). None where n is 0. Exactly 0 and 1 at the ends for none and all.
pub fn wilson(k: u64, n: u64, confidence: f64) -> Option<Interval> {
    if n == 0 || k > n {
        return None;
    }
    let (x, total) = (k as f64, n as f64);
    let z = norm::quantile(1.0 - (1.0 - confidence) / 2.0);
    let share = x / total;
    let scale = 1.0 + z * z / total;
    let middle = (share + z * z / (2.0 * total)) / scale;
    let half = z / scale * libm::sqrt(share * (1.0 - share) / total + z * z / (4.0 * total * total));
    Some(Interval { low: if k == 0 { 0.0 } else { middle - half }, high: if k == n { 1.0 } else { middle + half } })
}

/// Ranks, counted from 1, of the values between which a median lies with at least the asked confidence, and the confidence they give.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrderStatistics {
    pub low: u64,
    pub high: u64,
    pub coverage: f64,
}

/// Distribution-free interval of the median of `n` values (David and Nagaraja 2003, 7.1): the narrowest symmetric pair of ranks. None where
/// even the extremes are not enough (n of 5 and fewer at 95%).
pub fn order_statistics(n: u64, confidence: f64) -> Option<OrderStatistics> {
    let below = lower_half(n);
    let tail = (1.0 - confidence) / 2.0;
    let (mut low, mut cumulated) = (0, 0.0);
    for (k, probability) in below {
        if cumulated + probability > tail {
            break;
        }
        cumulated += probability;
        low = k + 1;
    }
    (low > 0).then(|| OrderStatistics { low, high: n - low + 1, coverage: 1.0 - 2.0 * cumulated })
}

/// (k, P(K = k)) of K ~ Bin(n, 1/2) for k below the middle, in ascending order; what is too small to change a sum is left out.
///
/// Weights go down from the middle by ratios of neighbours and are made to sum to one by symmetry: no factorial, no underflow for any n.
fn lower_half(n: u64) -> Vec<(u64, f64)> {
    let middle = n / 2;
    let mut weights = vec![(middle, 1.0)];
    let mut weight = 1.0;
    for k in (1..=middle).rev() {
        weight *= k as f64 / (n - k + 1) as f64;
        if weight < 1e-40 {
            break;
        }
        weights.push((k - 1, weight));
    }
    weights.reverse();
    let total: f64 = weights.iter().map(|(_, weight)| weight).sum::<f64>() * 2.0 - if n % 2 == 0 { 1.0 } else { 0.0 };
    weights.into_iter().map(|(k, weight)| (k, weight / total)).collect()
}

/// Median of values given as (value, how often) in ascending order; of an even number the mean of the middle two. None for no values.
pub fn median(counts: &[(f64, u64)]) -> Option<f64> {
    let n: u64 = counts.iter().map(|(_, count)| count).sum();
    let (low, high) = (ranked(counts, n.div_ceil(2))?, ranked(counts, n / 2 + 1)?);
    Some(if low == high { low } else { low + (high - low) / 2.0 })
}

/// Order-statistic interval of the median of values given as in [`median`].
pub fn median_interval(counts: &[(f64, u64)], confidence: f64) -> Option<Interval> {
    let ranks = order_statistics(counts.iter().map(|(_, count)| count).sum(), confidence)?;
    Some(Interval { low: ranked(counts, ranks.low)?, high: ranked(counts, ranks.high)? })
}

/// The value of a rank, counted from 1.
fn ranked(counts: &[(f64, u64)], rank: u64) -> Option<f64> {
    let mut seen = 0;
    counts
        .iter()
        .find(|(_, count)| {
            seen += count;
            rank > 0 && seen >= rank
        })
        .map(|(value, _)| *value)
}
