//! Exact distributions of counts: binomial and hypergeometric.

/// More trials than this are refused: time and memory grow with the root of their number.
pub const TRIALS_MAX: u64 = 1 << 32;

/// Probabilities of the counts `first`, `first` + 1, ...; those too small for a number are left out at both ends.
pub struct Discrete {
    first: u64,
    weights: Vec<f64>,
}

impl Discrete {
    /// How many of `n` independent trials succeed, each with probability `p`. None for a `p` outside [0, 1] and beyond 2^32 trials.
    pub fn binomial(n: u64, p: f64) -> Option<Discrete> {
        if n > TRIALS_MAX || !(0.0..=1.0).contains(&p) {
            return None;
        }
        let mode = (((n + 1) as f64 * p) as u64).min(n);
        let odds = p / (1.0 - p);
        Some(around(mode, 0, n, |k| (n - k) as f64 / (k + 1) as f64 * odds))
    }

    /// How many of `drawn` items are marked, when `marked` of `all` are and none is put back. None where more are marked or drawn than there
    /// are, and beyond 2^32 items.
    pub fn hypergeometric(all: u64, marked: u64, drawn: u64) -> Option<Discrete> {
        if all > TRIALS_MAX || marked > all || drawn > all {
            return None;
        }
        let (low, high) = ((marked + drawn).saturating_sub(all), marked.min(drawn));
        let mode = ((marked + 1) as f64 * (drawn + 1) as f64 / (all + 2) as f64) as u64;
        let up = |k: u64| (marked - k) as f64 * (drawn - k) as f64 / ((k + 1) as f64 * (all + k + 1 - marked - drawn) as f64);
        Some(around(mode.clamp(low, high), low, high, up))
    }

    pub fn at(&self, k: u64) -> f64 {
        k.checked_sub(self.first).and_then(|i| self.weights.get(i as usize)).copied().unwrap_or(0.0)
    }

    /// P(K <= k). Small terms are added first, and the far tail keeps its digits.
    pub fn at_most(&self, k: u64) -> f64 {
        let Some(i) = k.checked_sub(self.first) else { return 0.0 };
        let end = (i as usize).saturating_add(1);
        if end >= self.weights.len() { 1.0 } else { self.weights[..end].iter().sum::<f64>().min(1.0) }
    }

    /// P(K >= k).
    pub fn at_least(&self, k: u64) -> f64 {
        match k.checked_sub(self.first) {
            None | Some(0) => 1.0,
            Some(i) => self.weights.get(i as usize..).unwrap_or_default().iter().rev().sum::<f64>().min(1.0),
        }
    }

    /// (k, P(K = k)), ascending.
    pub fn each(&self) -> impl Iterator<Item = (u64, f64)> + '_ {
        (self.first..).zip(self.weights.iter().copied())
    }
}

/// Weights outwards from the mode by the ratio `up` of a neighbour above to the one at k, then made to sum to one: no factorial, no overflow,
/// and a relative error that grows only with the number of steps.
fn around(mode: u64, low: u64, high: u64, up: impl Fn(u64) -> f64) -> Discrete {
    let mut weights = vec![];
    let mut weight = 1.0;
    for k in (low..mode).rev() {
        weight /= up(k);
        if weight <= 0.0 {
            break;
        }
        weights.push(weight);
    }
    let first = mode - weights.len() as u64;
    weights.reverse();
    weights.push(1.0);
    weight = 1.0;
    for k in mode..high {
        weight *= up(k);
        if weight <= 0.0 {
            break;
        }
        weights.push(weight);
    }
    let total: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= total);
    Discrete { first, weights }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Plain products of factors, for small numbers.
    fn choose(n: u64, k: u64) -> f64 {
        (1..=k).map(|i| (n - k + i) as f64 / i as f64).product()
    }

    proptest! {
        #[test]
        fn binomial_is_its_formula(n in 0u64..40, p in 0.0..=1.0f64) {
            let found = Discrete::binomial(n, p).unwrap();
            let want: Vec<f64> = (0..=n).map(|k| choose(n, k) * p.powi(k as i32) * (1.0 - p).powi((n - k) as i32)).collect();
            for k in 0..=n {
                prop_assert!((found.at(k) - want[k as usize]).abs() < 1e-12);
                prop_assert!((found.at_most(k) - want[..=k as usize].iter().sum::<f64>()).abs() < 1e-12);
                prop_assert!((found.at_least(k) - want[k as usize..].iter().sum::<f64>()).abs() < 1e-12);
            }
        }

        #[test]
        fn hypergeometric_is_its_formula(all in 0u64..30, marked in 0u64..30, drawn in 0u64..30) {
            prop_assume!(marked <= all && drawn <= all);
            let found = Discrete::hypergeometric(all, marked, drawn).unwrap();
            for k in 0..=drawn {
                let fits = k <= marked && drawn - k <= all - marked;
                let want = if fits { choose(marked, k) * choose(all - marked, drawn - k) / choose(all, drawn) } else { 0.0 };
                prop_assert!((found.at(k) - want).abs() < 1e-12, "{k}: {} {want}", found.at(k));
            }
        }
    }

    #[test]
    fn far_tails_keep_their_digits_and_ends_are_exact() {
        let fair = Discrete::binomial(200, 0.5).unwrap();
        let (found, want) = (fair.at_most(0), libm::exp2(-200.0));
        assert!((found / want - 1.0).abs() < 1e-12, "{found} {want}");
        assert_eq!((fair.at_least(0), fair.at_most(200), fair.at_most(u64::MAX), fair.at_least(201)), (1.0, 1.0, 1.0, 0.0));
        for (p, sure) in [(0.0, 0), (1.0, 9)] {
            assert_eq!(Discrete::binomial(9, p).unwrap().at(sure), 1.0);
        }
        assert!(Discrete::binomial(u64::MAX, 0.5).is_none() && Discrete::binomial(3, f64::NAN).is_none());
        assert!(Discrete::hypergeometric(u64::MAX, 1, 1).is_none() && Discrete::hypergeometric(3, 4, 1).is_none());
    }
}
