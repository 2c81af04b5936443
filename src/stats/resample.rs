//! The bootstrap by ticket, and the sign-flip test. Both read a [`Stream`], so they are the same on any machine and for any number of threads.

use super::draw::Stream;
use super::median::{median, quantile};
use super::{Interval, PValues, spread};

/// A statistic of the tickets as they are, and of tickets drawn anew from them.
#[derive(Debug, Clone, PartialEq)]
pub struct Replicates {
    /// Of the tickets as they are.
    pub estimate: Option<f64>,
    /// Of the draws, ascending.
    pub sorted: Vec<f64>,
    /// Draws of which the statistic was undefined, such as a ratio over nothing: left out of the interval, and to be shown beside it.
    pub undefined: u32,
}

impl Replicates {
    /// Percentile interval (Efron 1979). None where no draw had the statistic.
    pub fn interval(&self, confidence: f64) -> Option<Interval> {
        super::critical(confidence)?;
        let tail = (1.0 - confidence) / 2.0;
        Some(Interval { low: quantile(&self.sorted, tail)?, high: quantile(&self.sorted, 1.0 - tail)? })
    }
}

/// Which tickets replicate number `replicate` draws, `units` with replacement out of `units`: `chosen` is overwritten.
pub fn indices(stream: Stream, replicate: u32, units: usize, chosen: &mut Vec<usize>) {
    let below = |index| stream.below(u64::from(replicate), index, units as u64) as usize;
    chosen.clear();
    chosen.extend((0..units as u64).map(below));
}

/// The statistic over `replicates` draws of tickets. It gets indices of tickets, of both arms at once when two are compared, and says None where
/// it is undefined.
pub fn bootstrap(stream: Stream, units: usize, replicates: u32, mut statistic: impl FnMut(&[usize]) -> Option<f64>) -> Replicates {
    let mut chosen: Vec<usize> = (0..units).collect();
    let mut defined = |chosen: &[usize]| if units == 0 { None } else { statistic(chosen).filter(|value| value.is_finite()) };
    let mut out = Replicates { estimate: defined(&chosen), sorted: vec![], undefined: 0 };
    for replicate in 0..replicates {
        indices(stream, replicate, units, &mut chosen);
        match defined(&chosen) {
            Some(value) => out.sorted.push(value),
            None => out.undefined += 1,
        }
    }
    out.sorted.sort_unstable_by(f64::total_cmp);
    out
}

/// Of the mean of differences by ticket, such as calls or cost.
pub fn mean_difference(differences: &[f64], stream: Stream, replicates: u32) -> Replicates {
    let n = differences.len() as f64;
    bootstrap(stream, differences.len(), replicates, |chosen| Some(chosen.iter().map(|i| differences[*i]).sum::<f64>() / n))
}

/// Of the candidate's median minus the baseline's, such as characters changed. None where the arms differ in length: a ticket is one place in
/// both.
pub fn difference_of_medians(baseline: &[f64], candidate: &[f64], stream: Stream, replicates: u32) -> Option<Replicates> {
    let (mut from, mut to) = (Sorted::new(baseline), Sorted::new(candidate));
    (baseline.len() == candidate.len())
        .then(|| bootstrap(stream, baseline.len(), replicates, |chosen| Some(to.median(chosen)? - from.median(chosen)?)))
}

/// Values sorted once: a draw only counts how often each was taken.
struct Sorted {
    counts: Vec<(f64, u64)>,
    place: Vec<usize>,
}

impl Sorted {
    fn new(values: &[f64]) -> Sorted {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|i, j| values[*i].total_cmp(&values[*j]));
        let mut place = vec![0; values.len()];
        order.iter().enumerate().for_each(|(rank, ticket)| place[*ticket] = rank);
        Sorted { counts: order.iter().map(|ticket| (values[*ticket], 0)).collect(), place }
    }

    fn median(&mut self, chosen: &[usize]) -> Option<f64> {
        self.counts.iter_mut().for_each(|(_, count)| *count = 0);
        chosen.iter().for_each(|ticket| self.counts[self.place[*ticket]].1 += 1);
        median(&self.counts)
    }
}

/// Per ticket, a numerator and a denominator of one arm.
pub type Fraction = (f64, f64);

/// Of a ratio of sums over tickets. A draw with denominators that sum to 0 is undefined.
pub fn ratio(fractions: &[Fraction], stream: Stream, replicates: u32) -> Replicates {
    bootstrap(stream, fractions.len(), replicates, |chosen| sum_ratio(fractions, chosen))
}

/// Of the candidate's ratio minus the baseline's. None where the arms differ in length.
pub fn difference_of_ratios(baseline: &[Fraction], candidate: &[Fraction], stream: Stream, replicates: u32) -> Option<Replicates> {
    (baseline.len() == candidate.len())
        .then(|| bootstrap(stream, baseline.len(), replicates, |chosen| Some(sum_ratio(candidate, chosen)? - sum_ratio(baseline, chosen)?)))
}

fn sum_ratio(fractions: &[Fraction], chosen: &[usize]) -> Option<f64> {
    let (over, under) = chosen.iter().fold((0.0, 0.0), |(over, under), i| (over + fractions[*i].0, under + fractions[*i].1));
    (under != 0.0).then(|| over / under)
}

/// Test of a mean difference by ticket (Fisher 1935): if the arms are alike, each difference might as well have the other sign. Share of
/// `replicates` drawn patterns, the observed one counted in, whose sum is at least as far out; so never 0. None for no differences or where
/// their sizes do not sum to a number.
///
/// Against a margin, subtract it from every difference first.
pub fn sign_flip(differences: &[f64], stream: Stream, replicates: u32) -> Option<PValues> {
    let observed: f64 = differences.iter().sum();
    let size: f64 = differences.iter().map(|d| libm::fabs(*d)).sum();
    spread::mean(differences).filter(|_| size.is_finite())?;
    // Sums of fractions that are equal may differ in their last bits; of whole numbers they never do.
    let slack = size * 1e-12;
    let units = differences.len() as u64;
    let (mut different, mut greater, mut less) = (1u64, 1u64, 1u64);
    for replicate in 0..u64::from(replicates) {
        let sign = |(i, d): (u64, &f64)| if stream.draw(replicate, i, units) >> 63 == 1 { *d } else { -d };
        let sum: f64 = (0..).zip(differences).map(sign).sum();
        different += u64::from(libm::fabs(sum) >= libm::fabs(observed) - slack);
        greater += u64::from(sum >= observed - slack);
        less += u64::from(sum <= observed + slack);
    }
    let share = |count: u64| count as f64 / (f64::from(replicates) + 1.0);
    Some(PValues { different: share(different), greater: share(greater), less: share(less) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const REPLICATES: u32 = 200;

    proptest! {
        #[test]
        fn the_order_of_replicates_does_not_matter(values in prop::collection::vec(-100i32..100, 1..40), seed in any::<u64>()) {
            let values: Vec<f64> = values.into_iter().map(f64::from).collect();
            let stream = Stream::new(seed, "order");
            let found = mean_difference(&values, stream, REPLICATES);
            // Backwards, each with a buffer of its own, as threads would.
            let mut other: Vec<f64> = (0..REPLICATES).rev().map(|replicate| {
                let mut chosen = vec![];
                indices(stream, replicate, values.len(), &mut chosen);
                chosen.iter().map(|i| values[*i]).sum::<f64>() / values.len() as f64
            }).collect();
            other.sort_by(f64::total_cmp);
            prop_assert_eq!(&found.sorted, &other);
            let (narrow, wide) = (found.interval(0.8).unwrap(), found.interval(0.95).unwrap());
            prop_assert!(wide.low <= narrow.low && narrow.low <= narrow.high && narrow.high <= wide.high);
        }

        #[test]
        fn medians_by_counting_are_medians_by_sorting(pairs in prop::collection::vec((-9i32..9, -9i32..9), 1..30), seed in any::<u64>()) {
            let (a, b): (Vec<f64>, Vec<f64>) = pairs.iter().map(|(a, b)| (f64::from(*a), f64::from(*b))).unzip();
            let stream = Stream::new(seed, "median");
            let plain = |values: &[f64], chosen: &[usize]| {
                let mut drawn: Vec<f64> = chosen.iter().map(|i| values[*i]).collect();
                drawn.sort_by(f64::total_cmp);
                (drawn[(drawn.len() - 1) / 2] + drawn[drawn.len() / 2]) / 2.0
            };
            let want = bootstrap(stream, a.len(), 50, |chosen| Some(plain(&b, chosen) - plain(&a, chosen)));
            prop_assert_eq!(difference_of_medians(&a, &b, stream, 50).unwrap(), want);
        }

        #[test]
        fn sign_flip_comes_near_every_pattern(differences in prop::collection::vec(-9i32..9, 1..9), seed in any::<u64>()) {
            let values: Vec<f64> = differences.iter().map(|d| f64::from(*d)).collect();
            let found = sign_flip(&values, Stream::new(seed, "flip"), 4_000).unwrap();
            let observed: i32 = differences.iter().sum();
            let patterns = 1u32 << differences.len();
            let sum = |signs: u32| (0..differences.len()).map(|i| if signs >> i & 1 == 1 { differences[i] } else { -differences[i] }).sum::<i32>();
            let share = |test: &dyn Fn(i32) -> bool| (0..patterns).filter(|signs| test(sum(*signs))).count() as f64 / f64::from(patterns);
            let want = [share(&|s| s.abs() >= observed.abs()), share(&|s| s >= observed), share(&|s| s <= observed)];
            for (a, b) in [found.different, found.greater, found.less].into_iter().zip(want) {
                // Five standard deviations of a share of 4,000 draws.
                prop_assert!((a - b).abs() < 0.045, "{found:?} {want:?}");
            }
        }

        #[test]
        fn nothing_panics(a in prop::collection::vec(any::<f64>(), 0..9), b in prop::collection::vec(any::<f64>(), 0..9), sure in any::<f64>()) {
            let stream = Stream::new(1, "any");
            mean_difference(&a, stream, 9).interval(sure);
            difference_of_medians(&a, &b, stream, 9).map(|found| found.interval(sure));
            let fractions: Vec<Fraction> = a.iter().copied().zip(b.iter().copied()).collect();
            let _ = (ratio(&fractions, stream, 9), difference_of_ratios(&fractions, &fractions, stream, 9), sign_flip(&a, stream, 9));
        }
    }

    #[test]
    fn draws_over_nothing_are_counted_apart() {
        let found = ratio(&[(1.0, 2.0), (0.0, 0.0)], Stream::new(3, "ratio"), 1_000);
        assert_eq!((found.estimate, found.interval(0.95)), (Some(0.5), Some(Interval { low: 0.5, high: 0.5 })));
        assert!((200..300).contains(&found.undefined) && found.sorted.len() as u32 + found.undefined == 1_000, "{}", found.undefined);
        let empty = mean_difference(&[], Stream::new(3, "none"), 10);
        assert_eq!((empty.estimate, empty.undefined, empty.interval(0.95)), (None, 10, None));
        assert_eq!(sign_flip(&[], Stream::new(3, "none"), 10), None);
        let all_zero = sign_flip(&[0.0, 0.0], Stream::new(3, "zero"), 10).unwrap();
        assert_eq!((all_zero.different, all_zero.greater, all_zero.less), (1.0, 1.0, 1.0));
    }
}
