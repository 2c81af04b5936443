//! Wilcoxon's signed-rank test of skewed differences by ticket, such as characters changed.

use super::{PValues, norm};

/// Ranks summed over tickets that rose and that fell, and what they say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wilcoxon {
    pub plus: f64,
    pub minus: f64,
    /// Of `plus`, without continuity correction; 0 where every difference is 0.
    pub z: f64,
    /// By the normal approximation.
    pub p: PValues,
}

/// Signed-rank test (Wilcoxon 1945) of differences candidate minus baseline, in any unit. Zeros are ranked and then left out (Pratt 1959), ties
/// share their mean rank and shrink the variance. None for no differences, or one that is not finite.
pub fn wilcoxon(differences: &[f64]) -> Option<Wilcoxon> {
    let ranks = signed_ranks(differences)?;
    let (plus, minus) = (ranks.sum(true), ranks.sum(false));
    let (n, zeros) = (differences.len() as f64, ranks.zeros as f64);
    let squares = |n: f64| n * (n + 1.0) * (2.0 * n + 1.0);
    let mean = (n * (n + 1.0) - zeros * (zeros + 1.0)) / 4.0;
    let variance = (squares(n) - squares(zeros)) / 24.0 - ranks.ties / 48.0;
    let z = if variance > 0.0 { (plus - mean) / libm::sqrt(variance) } else { 0.0 };
    let p = PValues { different: 2.0 * norm::sf(libm::fabs(z)), greater: norm::sf(z), less: norm::cdf(z) };
    Some(Wilcoxon { plus, minus, z, p })
}

/// More differences than this are left to the normal approximation: the work grows with the cube of their number.
pub const EXACT_MAX: usize = 100;

/// The same test by counting every pattern of signs, zeros and ties included as in [`wilcoxon`]: for few tickets. None for no differences, one
/// that is not finite, and for more than [`EXACT_MAX`].
pub fn wilcoxon_exact(differences: &[f64]) -> Option<PValues> {
    if differences.len() > EXACT_MAX {
        return None;
    }
    let ranks = signed_ranks(differences)?;
    // chances[s] = chance that the doubled ranks of rising tickets sum to s, each sign a fair coin.
    let mut chances = vec![1.0];
    for (doubled, _) in &ranks.doubled {
        let mut next = vec![0.0; chances.len() + doubled];
        for (sum, chance) in chances.iter().enumerate() {
            next[sum] += chance / 2.0;
            next[sum + doubled] += chance / 2.0;
        }
        chances = next;
    }
    let observed: usize = ranks.doubled.iter().filter(|(_, rose)| *rose).map(|(doubled, _)| doubled).sum();
    let greater = chances[observed..].iter().rev().sum::<f64>().min(1.0);
    let less = chances[..=observed].iter().sum::<f64>().min(1.0);
    Some(PValues { different: (2.0 * greater.min(less)).min(1.0), greater, less })
}

struct SignedRanks {
    /// Of every difference but the zeros: twice its rank, which is whole for ties too, and whether it rose.
    doubled: Vec<(usize, bool)>,
    zeros: usize,
    /// Sum of t^3 - t over groups of t equal sizes, zeros apart.
    ties: f64,
}

impl SignedRanks {
    fn sum(&self, rose: bool) -> f64 {
        self.doubled.iter().filter(|(_, r)| *r == rose).map(|(doubled, _)| *doubled as f64 / 2.0).sum()
    }
}

fn signed_ranks(differences: &[f64]) -> Option<SignedRanks> {
    if differences.is_empty() || differences.iter().any(|d| !d.is_finite()) {
        return None;
    }
    let mut sorted = differences.to_vec();
    sorted.sort_unstable_by(|x, y| libm::fabs(*x).total_cmp(&libm::fabs(*y)));
    let zeros = sorted.iter().filter(|d| **d == 0.0).count();
    let mut ranks = SignedRanks { doubled: Vec::with_capacity(sorted.len() - zeros), zeros, ties: 0.0 };
    let mut before = zeros;
    for group in sorted[zeros..].chunk_by(|x, y| libm::fabs(*x) == libm::fabs(*y)) {
        let size = group.len();
        // Ranks before + 1 to before + size, twice their mean.
        ranks.doubled.extend(group.iter().map(|d| (2 * before + size + 1, *d > 0.0)));
        ranks.ties += (size as f64) * ((size as f64) * (size as f64) - 1.0);
        before += size;
    }
    Some(ranks)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Every pattern of signs, one by one.
    fn by_hand(differences: &[f64]) -> PValues {
        let rank = |d: f64| {
            let size = |test: fn(f64, f64) -> bool| differences.iter().filter(|e| test(e.abs(), d.abs())).count() as f64;
            size(|x, y| x < y) + (size(|x, y| x == y) + 1.0) / 2.0
        };
        let ranks: Vec<f64> = differences.iter().filter(|d| **d != 0.0).map(|d| rank(*d)).collect();
        let observed: f64 = differences.iter().filter(|d| **d > 0.0).map(|d| rank(*d)).sum();
        let sums = (0..1u32 << ranks.len()).map(|signs| (0..ranks.len()).filter(|i| signs >> i & 1 == 1).map(|i| ranks[i]).sum::<f64>());
        let sums: Vec<f64> = sums.collect();
        let share = |test: &dyn Fn(f64) -> bool| sums.iter().filter(|s| test(**s)).count() as f64 / sums.len() as f64;
        let (greater, less) = (share(&|s| s >= observed), share(&|s| s <= observed));
        PValues { different: (2.0 * greater.min(less)).min(1.0), greater, less }
    }

    proptest! {
        #[test]
        fn exact_counts_every_pattern(differences in prop::collection::vec(-4i8..5, 1..11)) {
            let differences: Vec<f64> = differences.into_iter().map(f64::from).collect();
            let (found, want) = (wilcoxon_exact(&differences).unwrap(), by_hand(&differences));
            for (a, b) in [(found.different, want.different), (found.greater, want.greater), (found.less, want.less)] {
                prop_assert!((a - b).abs() < 1e-12, "{found:?} {want:?}");
            }
        }

        #[test]
        fn normal_comes_near_exact_and_sides_mirror(differences in prop::collection::vec(-50i8..50, 40..60)) {
            let differences: Vec<f64> = differences.into_iter().map(f64::from).collect();
            let (normal, exact) = (wilcoxon(&differences).unwrap(), wilcoxon_exact(&differences).unwrap());
            prop_assert!((normal.p.different - exact.different).abs() < 0.02, "{normal:?} {exact:?}");
            let mirrored: Vec<f64> = differences.iter().map(|d| -d).collect();
            let other = wilcoxon(&mirrored).unwrap();
            prop_assert_eq!((normal.plus, normal.minus, normal.p.different), (other.minus, other.plus, other.p.different));
        }

        #[test]
        fn nothing_panics(differences in prop::collection::vec(any::<f64>(), 0..30)) {
            let _ = (wilcoxon(&differences), wilcoxon_exact(&differences));
        }
    }

    #[test]
    fn undefined_is_none() {
        assert_eq!((wilcoxon(&[]), wilcoxon(&[f64::NAN]), wilcoxon_exact(&[0.0; EXACT_MAX + 1])), (None, None, None));
        assert_eq!(wilcoxon_exact(&[0.0, 0.0]), Some(PValues { different: 1.0, greater: 1.0, less: 1.0 }));
    }
}
