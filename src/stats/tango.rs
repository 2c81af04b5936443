//! Tango's score test and interval for a difference of paired shares (Tango 1998, Statistics in Medicine 17, 891-908).
//!
//! Only the discordant tickets and n matter. Good for few events and for none, where textbook intervals collapse.

use super::{Interval, Paired, bisect, critical, norm};

/// How far the data are from a true difference of `difference`, in standard errors under that difference: standard normal if it is true,
/// falling as `difference` grows, 0 at the observed one. Infinite where the data are impossible under it. None for no tickets or a difference
/// outside [-1, 1].
pub fn score(table: &Paired, difference: f64) -> Option<f64> {
    (table.n() > 0 && (-1.0..=1.0).contains(&difference)).then(|| statistic(table, difference))
}

/// The differences that the score test does not reject. None for no tickets.
pub fn interval(table: &Paired, confidence: f64) -> Option<Interval> {
    let (observed, z) = (table.difference()?, critical(confidence)?);
    let low = if observed <= -1.0 { -1.0 } else { bisect(-1.0, observed, |difference| statistic(table, difference) > z) };
    let high = if observed >= 1.0 { 1.0 } else { bisect(observed, 1.0, |difference| statistic(table, difference) > -z) };
    Some(Interval { low, high })
}

/// One-sided p against "the candidate's share is higher by `margin` or more": small means shown to be less than that worse. With margin 0 it
/// tests for an improvement. None as for [`score`].
pub fn not_worse(table: &Paired, margin: f64) -> Option<f64> {
    score(table, margin).map(norm::cdf)
}

/// One-sided p against "the candidate's share is higher by `margin` at most": small means shown to be more than that worse.
pub fn worse(table: &Paired, margin: f64) -> Option<f64> {
    score(table, margin).map(norm::sf)
}

fn statistic(table: &Paired, difference: f64) -> f64 {
    let (n, b, c) = (table.n() as f64, table.only_candidate as f64, table.only_baseline as f64);
    let distance = b - c - n * difference;
    let variance = n * (2.0 * only_baseline(n, b, c, difference) + difference * (1.0 - difference));
    if variance > 0.0 {
        distance / libm::sqrt(variance)
    } else if distance == 0.0 {
        0.0
    } else {
        libm::copysign(f64::INFINITY, distance)
    }
}

/// The likeliest chance of "only the baseline" if the difference is the given one: the larger root of 2n q^2 + middle q + last.
fn only_baseline(n: f64, b: f64, c: f64, difference: f64) -> f64 {
    let middle = (2.0 * n - b + c) * difference - b - c;
    let last = -c * difference * (1.0 - difference);
    let root = libm::sqrt((middle * middle - 8.0 * n * last).max(0.0));
    // Of two equal forms the one that subtracts nothing nearly equal.
    if middle > 0.0 { -2.0 * last / (middle + root) } else { (root - middle) / (4.0 * n) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The same statistic with the likeliest chance searched for, not solved for.
    fn by_search(n: f64, b: f64, c: f64, difference: f64) -> f64 {
        let log = |count: f64, chance: f64| if count == 0.0 { 0.0 } else { count * chance.max(1e-300).ln() };
        let likelihood = |q: f64| log(b, q + difference) + log(c, q) + log(n - b - c, 1.0 - 2.0 * q - difference);
        let (mut low, mut high) = ((-difference).max(0.0), (1.0 - difference) / 2.0);
        for _ in 0..100 {
            let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if likelihood(left) < likelihood(right) { low = left } else { high = right }
        }
        let q = (low + high) / 2.0;
        (b - c - n * difference) / (n * (2.0 * q + difference * (1.0 - difference))).sqrt()
    }

    fn tables() -> impl Strategy<Value = Paired> {
        (1u64..400, any::<u64>(), any::<u64>()).prop_map(|(n, x, y)| {
            let (b, c) = (x % (n + 1), y % (n - x % (n + 1) + 1));
            Paired { both: 0, only_candidate: b, only_baseline: c, neither: n - b - c }
        })
    }

    proptest! {
        #[test]
        fn score_is_that_of_the_likeliest_table(t in tables(), difference in -0.99..0.99f64) {
            let want = by_search(t.n() as f64, t.only_candidate as f64, t.only_baseline as f64, difference);
            let found = score(&t, difference).unwrap();
            prop_assert!((found - want).abs() <= 1e-4 * (1.0 + want.abs()), "{found} {want}");
        }

        #[test]
        fn interval_is_what_the_test_does_not_reject(t in tables()) {
            let Interval { low, high } = interval(&t, 0.95).unwrap();
            let search = |difference: f64| by_search(t.n() as f64, t.only_candidate as f64, t.only_baseline as f64, difference);
            for step in -59..60 {
                let difference = f64::from(step) / 60.0;
                // Search is good to four digits, so just at the ends it may say either.
                if (difference - low).abs() > 1e-3 && (difference - high).abs() > 1e-3 {
                    let kept = search(difference).abs() <= 1.959963984540054;
                    prop_assert_eq!(kept, low < difference && difference < high, "{} in {}..{}", difference, low, high);
                }
            }
        }

        #[test]
        fn interval_holds_the_difference_widens_and_mirrors(t in tables(), sure in 0.05..0.98f64) {
            let (narrow, wide) = (interval(&t, sure).unwrap(), interval(&t, sure + 0.01).unwrap());
            let d = t.difference().unwrap();
            prop_assert!(-1.0 <= wide.low && wide.low <= narrow.low && narrow.low <= d, "{narrow:?} {wide:?}");
            prop_assert!(d <= narrow.high && narrow.high <= wide.high && wide.high <= 1.0, "{narrow:?} {wide:?}");
            let mirror = Paired { only_candidate: t.only_baseline, only_baseline: t.only_candidate, ..t };
            let other = interval(&mirror, sure).unwrap();
            prop_assert!((other.low + narrow.high).abs() < 1e-9 && (other.high + narrow.low).abs() < 1e-9, "{narrow:?} {other:?}");
        }

        #[test]
        fn nothing_panics(b in any::<u64>(), c in any::<u64>(), d in any::<u64>(), x in any::<f64>()) {
            let t = Paired { both: 0, only_candidate: b, only_baseline: c, neither: d };
            let _ = (interval(&t, x), score(&t, x), worse(&t, x), not_worse(&t, x));
        }
    }

    #[test]
    fn the_ends() {
        let all_broken = Paired { only_candidate: 7, ..Paired::default() };
        assert_eq!(interval(&all_broken, 0.95).unwrap().high, 1.0);
        assert_eq!((score(&all_broken, 1.0), score(&all_broken, -1.0)), (Some(0.0), Some(f64::INFINITY)));
        assert_eq!((interval(&Paired::default(), 0.95), score(&all_broken, 1.5)), (None, None));
    }
}
