//! One yes-or-no outcome of the same tickets in two arms: the table, exact tests, and intervals that need no search.

use super::discrete::Discrete;
use super::proportion::{RiskRatio, Share};
use super::{Interval, PValues, wilson};

/// Tickets by who had the event. Only the discordant ones, `only_candidate` and `only_baseline`, say which arm has more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Paired {
    pub both: u64,
    /// Newly broken, where the event is bad.
    pub only_candidate: u64,
    /// Newly fixed, where the event is bad.
    pub only_baseline: u64,
    pub neither: u64,
}

impl Paired {
    /// Pairs the arms ticket by ticket. A ticket that was not seen in one of them (None), or that only the longer slice has, is left out.
    pub fn of(baseline: &[Option<bool>], candidate: &[Option<bool>]) -> Paired {
        let mut table = Paired::default();
        for pair in baseline.iter().zip(candidate) {
            match pair {
                (Some(true), Some(true)) => table.both += 1,
                (Some(false), Some(true)) => table.only_candidate += 1,
                (Some(true), Some(false)) => table.only_baseline += 1,
                (Some(false), Some(false)) => table.neither += 1,
                _ => {}
            }
        }
        table
    }

    /// Tickets.
    pub fn n(&self) -> u64 {
        self.both.saturating_add(self.only_candidate).saturating_add(self.only_baseline).saturating_add(self.neither)
    }

    pub fn baseline(&self) -> Share {
        Share { events: self.both.saturating_add(self.only_baseline), of: self.n() }
    }

    pub fn candidate(&self) -> Share {
        Share { events: self.both.saturating_add(self.only_candidate), of: self.n() }
    }

    /// Candidate's share minus baseline's, between -1 and 1. None for no tickets.
    pub fn difference(&self) -> Option<f64> {
        (self.n() > 0).then(|| (self.only_candidate as f64 - self.only_baseline as f64) / self.n() as f64)
    }
}

/// What McNemar's test says, exactly and with the mid-p correction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct McNemar {
    /// Never errs more often than it says; with few discordant tickets much less often.
    pub exact: PValues,
    /// The observed table counted by half: nearer to what it says, and the one that decides.
    pub mid_p: PValues,
}

/// If nothing differs, each discordant ticket is a fair coin (McNemar 1947; mid-p: Fagerland, Lydersen and Laake 2013). No discordant ticket
/// gives 1 throughout. None beyond 2^32 of them.
pub fn mcnemar(table: &Paired) -> Option<McNemar> {
    let (b, c) = (table.only_candidate, table.only_baseline);
    let coins = Discrete::binomial(b.checked_add(c)?, 0.5)?;
    if b == 0 && c == 0 {
        let one = PValues { different: 1.0, greater: 1.0, less: 1.0 };
        return Some(McNemar { exact: one, mid_p: one });
    }
    // As likely as the mirrored table; the rarer arm's count, so that swapping the arms changes no bit of `different`.
    let here = coins.at(b.min(c));
    let exact = PValues { different: (2.0 * coins.at_most(b.min(c))).min(1.0), greater: coins.at_least(b), less: coins.at_most(b) };
    let mid_p = PValues {
        // In the middle both tails hold the observed table, and half of it is taken off once.
        different: if b == c { 1.0 - here / 2.0 } else { exact.different - here },
        greater: exact.greater - here / 2.0,
        less: exact.less - here / 2.0,
    };
    Some(McNemar { exact, mid_p })
}

/// The candidate's share over the baseline's, by ticket (Wald on the logarithm, the variance of paired shares). None where either arm has no
/// event.
pub fn risk_ratio(table: &Paired, confidence: f64) -> Option<RiskRatio> {
    let (from, to) = (table.baseline().events as f64, table.candidate().events as f64);
    if from == 0.0 || to == 0.0 {
        return None;
    }
    RiskRatio::new(to / from, (table.only_candidate as f64 + table.only_baseline as f64) / from / to, confidence)
}

/// Newcombe's interval of a paired difference, and the correlation it reckons with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Newcombe {
    pub interval: Interval,
    /// Between -1 and 1.
    pub correlation: f64,
}

/// Interval of the difference from the Wilson intervals of the two shares (Newcombe 1998, method 10). None for no tickets.
///
/// Closed form, a second opinion on [`super::tango::interval`]. Unlike that one it depends on the concordant tickets.
pub fn newcombe(table: &Paired, confidence: f64) -> Option<Newcombe> {
    let difference = table.difference()?;
    let (from, to) = (table.baseline(), table.candidate());
    let (p0, p1) = (from.value()?, to.value()?);
    let (w0, w1) = (wilson(from.events, from.of, confidence)?, wilson(to.events, to.of, confidence)?);
    let correlation = correlation(table);
    let reach = |x: f64, y: f64| libm::sqrt((x * x - 2.0 * correlation * x * y + y * y).max(0.0));
    let low = difference - reach(p1 - w1.low, w0.high - p0);
    let high = difference + reach(w1.high - p1, p0 - w0.low);
    Some(Newcombe { interval: Interval { low, high }, correlation })
}

/// Of the two outcomes over tickets; a positive one is drawn towards 0 by a continuity correction. 0 where an arm is all or nothing.
fn correlation(table: &Paired) -> f64 {
    let (from, to, n) = (table.baseline().events as f64, table.candidate().events as f64, table.n() as f64);
    let product = from * (n - from) * to * (n - to);
    let cross = table.both as f64 * table.neither as f64 - table.only_candidate as f64 * table.only_baseline as f64;
    if product <= 0.0 {
        return 0.0;
    }
    let corrected = if cross > n / 2.0 { cross - n / 2.0 } else { cross.min(0.0) };
    (corrected / libm::sqrt(product)).clamp(-1.0, 1.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn table(both: u64, only_candidate: u64, only_baseline: u64, neither: u64) -> Paired {
        Paired { both, only_candidate, only_baseline, neither }
    }

    proptest! {
        #[test]
        fn mid_p_is_at_most_exact_and_sides_mirror(b in 0u64..300, c in 0u64..300) {
            let (found, mirrored) = (mcnemar(&table(0, b, c, 0)).unwrap(), mcnemar(&table(0, c, b, 0)).unwrap());
            for (mid, exact) in [
                (found.mid_p.different, found.exact.different),
                (found.mid_p.greater, found.exact.greater),
                (found.mid_p.less, found.exact.less),
            ] {
                prop_assert!((0.0..=1.0).contains(&mid) && mid <= exact && exact <= 1.0, "{found:?}");
            }
            prop_assert_eq!(found.mid_p.different, mirrored.mid_p.different);
            prop_assert!((found.mid_p.greater - mirrored.mid_p.less).abs() < 1e-12);
            if b + c > 0 {
                prop_assert!((found.mid_p.greater + found.mid_p.less - 1.0).abs() < 1e-12);
            }
        }

        #[test]
        fn newcombe_holds_the_difference_and_widens_with_confidence(
            cells in (0u64..200, 0u64..200, 0u64..200, 0u64..200), sure in 0.05..0.98f64
        ) {
            let t = table(cells.0, cells.1, cells.2, cells.3);
            prop_assume!(t.n() > 0);
            let (narrow, wide) = (newcombe(&t, sure).unwrap().interval, newcombe(&t, sure + 0.01).unwrap().interval);
            let d = t.difference().unwrap();
            prop_assert!(narrow.low <= d && d <= narrow.high);
            prop_assert!(wide.low <= narrow.low + 1e-12 && narrow.high <= wide.high + 1e-12, "{narrow:?} {wide:?}");
        }

        #[test]
        fn nothing_panics(a in any::<u64>(), b in any::<u64>(), c in any::<u64>(), d in any::<u64>(), sure in any::<f64>()) {
            let t = table(a, b, c, d);
            let _ = (mcnemar(&t), newcombe(&t, sure), risk_ratio(&t, sure), t.difference());
        }
    }

    #[test]
    fn pairs_are_by_ticket_and_only_where_both_were_seen() {
        let (yes, no) = (Some(true), Some(false));
        let found = Paired::of(&[yes, yes, no, no, None, yes, no], &[yes, no, yes, no, yes, None]);
        assert_eq!(found, table(1, 1, 1, 1));
        assert_eq!(Paired::of(&[], &[]).difference(), None);
        assert_eq!((newcombe(&Paired::default(), 0.95), risk_ratio(&table(0, 3, 0, 9), 0.95)), (None, None));
    }
}
