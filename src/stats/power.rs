//! What a comparison of paired shares can show: the smallest difference, the number of tickets, the fewest discordant ones, and how often a rule
//! fires. `discordance` is the share of tickets with the event in one arm only. Levels are two-sided; for a one-sided test hand in twice its level.

use super::discrete::Discrete;
use super::paired::{McNemar, mcnemar};
use super::{Paired, norm, tango};

/// The z of a two-sided level and of a power. None unless both lie strictly between 0 and 1.
fn level_and_power(alpha: f64, power: f64) -> Option<(f64, f64)> {
    let (level, power) = (norm::quantile(1.0 - alpha / 2.0), norm::quantile(power));
    (alpha > 0.0 && level.is_finite() && power.is_finite()).then_some((level, power))
}

/// The smallest true difference that `n` tickets show with the given power, as a share (Connor 1987). None where even the largest possible, all
/// discordant tickets going one way, would be missed too often.
pub fn detectable(n: u64, discordance: f64, alpha: f64, power: f64) -> Option<f64> {
    let (za, zb) = level_and_power(alpha, power)?;
    let n = n as f64;
    if !(0.0..=1.0).contains(&discordance) || n <= za * za {
        return None;
    }
    // Connor's equation, root(n) d = za root(psi) + zb root(psi - d^2), squared and solved for d.
    let root = libm::sqrt(n + zb * zb - za * za);
    let found = libm::sqrt(discordance) * (libm::sqrt(n) * za + zb * root) / (n + zb * zb);
    (found > 0.0 && found <= discordance).then_some(found)
}

/// How many tickets show a true `difference` (as a share, either sign) with the given power. None where it is 0 or more than `discordance`.
pub fn tickets(difference: f64, discordance: f64, alpha: f64, power: f64) -> Option<u64> {
    let (za, zb) = level_and_power(alpha, power)?;
    let size = libm::fabs(difference);
    if !(size > 0.0 && size <= discordance && discordance <= 1.0) {
        return None;
    }
    let root = za * libm::sqrt(discordance) + zb * libm::sqrt(discordance - size * size);
    // A power under the level is had for nothing.
    let n = libm::ceil((root.max(0.0) / size) * (root.max(0.0) / size));
    (n < u64::MAX as f64).then(|| (n as u64).max(1))
}

/// Fewest discordant tickets, all going one way, that reach a level. With fewer the test cannot decide, and a verdict must say so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fewest {
    pub exact: u64,
    pub mid_p: u64,
    pub exact_one_sided: u64,
    pub mid_p_one_sided: u64,
}

/// Of McNemar's test. None unless 10^-300 < alpha <= 1.
pub fn fewest_discordant(alpha: f64) -> Option<Fewest> {
    if !(alpha > 0.0 && alpha <= 1.0) {
        return None;
    }
    let reaches = |only_candidate: u64, p: fn(&McNemar) -> f64| {
        mcnemar(&Paired { only_candidate, ..Paired::default() }).is_some_and(|tests| p(&tests) <= alpha)
    };
    // 1,000 that go one way have p of about 10^-301, and every one more halves it: the border can be halved for.
    let fewest = |p: fn(&McNemar) -> f64| {
        let (mut short, mut enough) = (0, 1000);
        while enough - short > 1 {
            let middle = (short + enough) / 2;
            if reaches(middle, p) { enough = middle } else { short = middle }
        }
        reaches(enough, p).then_some(enough)
    };
    Some(Fewest {
        exact: fewest(|m| m.exact.different)?,
        mid_p: fewest(|m| m.mid_p.different)?,
        exact_one_sided: fewest(|m| m.exact.greater)?,
        mid_p_one_sided: fewest(|m| m.mid_p.greater)?,
    })
}

/// Most newly broken tickets with which a candidate is still shown not worse by `margin` (Tango's test, one-sided `alpha`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MostBroken {
    /// As many newly fixed as newly broken. None where not even no change passes.
    pub balanced: Option<u64>,
    /// None newly fixed.
    pub none_fixed: Option<u64>,
}

/// Of `n` tickets.
pub fn most_broken(n: u64, margin: f64, alpha: f64) -> MostBroken {
    let bound = norm::quantile(alpha);
    let most = |limit: u64, fixed: fn(u64) -> u64| {
        let passes = |broken: u64| {
            let neither = n - broken - fixed(broken);
            tango::score(&Paired { both: 0, only_candidate: broken, only_baseline: fixed(broken), neither }, margin)
                .is_some_and(|t| t < bound)
        };
        // More broken never passes where fewer does not, so the border can be halved for.
        let (mut pass, mut fail) = (passes(0).then_some(0)?, limit + 1);
        while fail - pass > 1 {
            let middle = pass + (fail - pass) / 2;
            if passes(middle) { pass = middle } else { fail = middle }
        }
        Some(pass)
    };
    MostBroken { balanced: most(n / 2, |broken| broken), none_fixed: most(n.min(u64::MAX - 1), |_| 0) }
}

/// Chances of a ticket to break newly and to be fixed newly, from the two arms' shares and their correlation over tickets, held to what the shares
/// allow. None for a share outside [0, 1] or a correlation outside [-1, 1].
pub fn discordant_chances(baseline: f64, candidate: f64, correlation: f64) -> Option<(f64, f64)> {
    let shares = (0.0..=1.0).contains(&baseline) && (0.0..=1.0).contains(&candidate);
    if !shares || !(-1.0..=1.0).contains(&correlation) {
        return None;
    }
    let spread = libm::sqrt(baseline * (1.0 - baseline) * candidate * (1.0 - candidate));
    let both = (baseline * candidate + correlation * spread).max(baseline + candidate - 1.0).max(0.0).min(baseline).min(candidate);
    Some((candidate - both, baseline - both))
}

/// The chance that a rule fires, when each of `n` tickets breaks newly with one chance and is fixed newly with the other: exact, every count of
/// broken and fixed weighed. The rule gets (broken, fixed). A combination rarer than 10^-15 is passed over. None where the
/// chances are none, and beyond 2^32 tickets; the work grows with the square of the discordant ones.
pub fn chance(n: u64, broken: f64, fixed: f64, mut fires: impl FnMut(u64, u64) -> bool) -> Option<f64> {
    const RARE: f64 = 1e-15;
    let discordance = broken + fixed;
    if !(broken >= 0.0 && fixed >= 0.0) {
        return None;
    }
    let share = if discordance > 0.0 { broken / discordance } else { 0.0 };
    let mut sum = 0.0;
    for (discordant, outer) in Discrete::binomial(n, discordance)?.each().filter(|(_, weight)| *weight > RARE) {
        for (broken, inner) in Discrete::binomial(discordant, share)?.each().filter(|(_, weight)| outer * weight > RARE) {
            if fires(broken, discordant - broken) {
                sum += outer * inner;
            }
        }
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn tickets_and_detectable_are_inverse(n in 20u64..5_000, discordance in 0.01..1.0f64, alpha in 0.001..0.2f64, power in 0.5..0.99f64) {
            if let Some(found) = detectable(n, discordance, alpha, power) {
                let back = tickets(found, discordance, alpha, power).unwrap();
                prop_assert!(back.abs_diff(n) <= 1, "{n} {found} {back}");
                prop_assert!(detectable(n, discordance, alpha, power - 0.1).is_none_or(|less| less < found));
            }
        }

        #[test]
        fn borders_are_where_passing_ends(n in 1u64..400, margin in 0.001..0.2f64) {
            let passes = |b: u64, c: u64| tango::not_worse(&Paired { both: 0, only_candidate: b, only_baseline: c, neither: n - b - c }, margin)
                .is_some_and(|p| p < 0.05);
            let found = most_broken(n, margin, 0.05);
            prop_assert_eq!(found.balanced, (0..=n / 2).rev().find(|k| passes(*k, *k)));
            prop_assert_eq!(found.none_fixed, (0..=n).rev().find(|k| passes(*k, 0)));
        }

        #[test]
        fn nothing_panics(n in any::<u64>(), a in any::<f64>(), b in any::<f64>(), c in any::<f64>()) {
            let _ = (detectable(n, a, b, c), tickets(a, b, c, 0.8), fewest_discordant(a), most_broken(n, a, b), discordant_chances(a, b, c));
            chance(n % 50, a, b, |_, _| true);
        }
    }

    #[test]
    fn chances_sum_to_one_and_powers_come_near_the_formula() {
        assert!((chance(200, 0.05, 0.03, |_, _| true).unwrap() - 1.0).abs() < 1e-9);
        assert_eq!(
            (chance(9, 0.0, 0.0, |b, c| b == 0 && c == 0), chance(9, 0.7, 0.7, |_, _| true), chance(9, -0.1, 0.2, |_, _| true)),
            (Some(1.0), None, None)
        );
        // The difference that 300 tickets show with power 0.8 is seen by the exact test's mid-p about so often.
        let found = detectable(300, 0.2, 0.05, 0.8).unwrap();
        let rejects = |only_candidate, only_baseline| {
            mcnemar(&Paired { only_candidate, only_baseline, ..Paired::default() }).is_some_and(|m| m.mid_p.different <= 0.05)
        };
        let power = chance(300, (0.2 + found) / 2.0, (0.2 - found) / 2.0, rejects).unwrap();
        assert!((power - 0.8).abs() < 0.02, "{power}");
    }

    #[test]
    fn undefined_is_none() {
        assert_eq!((detectable(300, 1.5, 0.05, 0.8), detectable(3, 0.5, 0.05, 0.8), detectable(300, 0.2, 0.0, 0.8)), (None, None, None));
        assert_eq!((tickets(0.0, 0.2, 0.05, 0.8), tickets(0.3, 0.2, 0.05, 0.8)), (None, None));
        assert_eq!((fewest_discordant(0.0), fewest_discordant(f64::NAN)), (None, None));
        assert_eq!(most_broken(0, 0.02, 0.05), MostBroken { balanced: None, none_fixed: None });
    }
}
