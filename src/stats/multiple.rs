//! Several tests at once: p-values adjusted so that each may be held against the level asked for. Order is kept; a test that could not be made is
//! not to be handed in, and does not count.

/// Holm's step-down (1979): the chance of even one false alarm stays under the level, whatever the tests share. For what gates. None where a p is
/// outside [0, 1].
pub fn holm(p: &[f64]) -> Option<Vec<f64>> {
    let order = ascending(p)?;
    let mut adjusted = vec![0.0; p.len()];
    let mut most = 0.0f64;
    for (rank, i) in order.iter().enumerate() {
        most = most.max(p[*i] * (p.len() - rank) as f64).min(1.0);
        adjusted[*i] = most;
    }
    Some(adjusted)
}

/// Benjamini and Hochberg's q-values (1995): of those under the level, the expected share of false ones stays under it, if tests are independent
/// or move together. For looking, never for gates. None where a p is outside [0, 1].
pub fn benjamini_hochberg(p: &[f64]) -> Option<Vec<f64>> {
    let order = ascending(p)?;
    let mut adjusted = vec![0.0; p.len()];
    let mut least = 1.0f64;
    for (rank, i) in order.iter().enumerate().rev() {
        least = least.min(p[*i] * (p.len() as f64 / (rank + 1) as f64));
        adjusted[*i] = least;
    }
    Some(adjusted)
}

fn ascending(p: &[f64]) -> Option<Vec<usize>> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|i, j| p[*i].total_cmp(&p[*j]));
    p.iter().all(|p| (0.0..=1.0).contains(p)).then_some(order)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn adjusted_is_no_less_than_raw_and_keeps_its_order(p in prop::collection::vec(0.0..=1.0f64, 0..30)) {
            let (holm, q) = (holm(&p).unwrap(), benjamini_hochberg(&p).unwrap());
            for i in 0..p.len() {
                prop_assert!(p[i] <= q[i] && q[i] <= holm[i] && holm[i] <= 1.0, "{} {} {}", p[i], q[i], holm[i]);
                for j in 0..p.len() {
                    prop_assert!(p[i] > p[j] || holm[i] <= holm[j] && q[i] <= q[j]);
                }
            }
        }

        /// By their definitions as procedures: step down while small enough; the largest rank under its line and all before it.
        #[test]
        fn rejects_what_the_procedures_reject(p in prop::collection::vec(0.0..0.1f64, 1..20)) {
            let (m, level) = (p.len() as f64, 0.05);
            let mut sorted = p.clone();
            sorted.sort_by(f64::total_cmp);
            let stepped = sorted.iter().enumerate().take_while(|(rank, p)| **p * (m - *rank as f64) <= level).count();
            let under = (0..p.len()).rev().find(|rank| sorted[*rank] * m / (*rank as f64 + 1.0) <= level).map_or(0, |rank| rank + 1);
            let rejected = |adjusted: Vec<f64>| adjusted.iter().filter(|p| **p <= level).count();
            prop_assert_eq!((rejected(holm(&p).unwrap()), rejected(benjamini_hochberg(&p).unwrap())), (stepped, under));
        }

        #[test]
        fn nothing_panics(p in prop::collection::vec(any::<f64>(), 0..9)) {
            let _ = (holm(&p), benjamini_hochberg(&p));
        }
    }

    #[test]
    fn no_tests_and_no_probabilities() {
        assert_eq!((holm(&[]), benjamini_hochberg(&[])), (Some(vec![]), Some(vec![])));
        assert_eq!((holm(&[0.5, f64::NAN]), benjamini_hochberg(&[1.1])), (None, None));
    }
}
