//! Ratios of sums over tickets, such as resolved over observed findings.

/// A ratio of two sums, and its standard error when tickets are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    pub value: f64,
    /// None for fewer than two tickets.
    pub standard_error: Option<f64>,
}

/// Sum over sum, one numerator and one denominator a ticket, by first-order expansion (Cochran 1977, 6.4) with n / (n - 1): findings of one
/// ticket are not independent, and taken for such they give too small an error. None where the denominators sum to 0, the slices differ in
/// length, or a sum is not finite.
pub fn ratio_of_sums(numerators: &[f64], denominators: &[f64]) -> Option<Ratio> {
    let (over, under): (f64, f64) = (numerators.iter().sum(), denominators.iter().sum());
    let value = over / under;
    if numerators.len() != denominators.len() || under == 0.0 || !value.is_finite() {
        return None;
    }
    let n = numerators.len() as f64;
    let residual = |(over, under): (&f64, &f64)| (over - value * under) * (over - value * under);
    let squares: f64 = numerators.iter().zip(denominators).map(residual).sum();
    let standard_error = (n > 1.0).then(|| libm::sqrt(n / (n - 1.0) * squares) / libm::fabs(under)).filter(|error| error.is_finite());
    Some(Ratio { value, standard_error })
}

/// The candidate's ratio of sums minus the baseline's, and its standard error: each ticket moves the difference by about its residual over the
/// mean denominator, candidate less baseline, so what the arms share of a ticket cancels. None where [`ratio_of_sums`] is none for an arm or the
/// arms differ in length.
pub fn difference(baseline: &[(f64, f64)], candidate: &[(f64, f64)]) -> Option<Ratio> {
    let sums = |arm: &[(f64, f64)]| arm.iter().fold((0.0, 0.0), |(over, under), x| (over + x.0, under + x.1));
    let ((over0, under0), (over1, under1)) = (sums(baseline), sums(candidate));
    let (from, to) = (over0 / under0, over1 / under1);
    if baseline.len() != candidate.len() || under0 == 0.0 || under1 == 0.0 || !(from.is_finite() && to.is_finite()) {
        return None;
    }
    let n = baseline.len() as f64;
    let moved = |(a, b): (&(f64, f64), &(f64, f64))| (b.0 - to * b.1) / under1 - (a.0 - from * a.1) / under0;
    let squares: f64 = baseline.iter().zip(candidate).map(moved).map(|x| x * x).sum();
    let standard_error = (n > 1.0).then(|| libm::sqrt(n / (n - 1.0) * squares)).filter(|error| error.is_finite());
    Some(Ratio { value: to - from, standard_error })
}

/// The mean of the ratios of those with a denominator that is not 0: each counts the same, however little it holds. None where there are none.
pub fn mean_of_ratios(numerators: &[f64], denominators: &[f64]) -> Option<f64> {
    let ratios = || numerators.iter().zip(denominators).filter(|(_, under)| **under != 0.0).map(|(over, under)| over / under);
    let n = ratios().count();
    (n > 0 && numerators.len() == denominators.len()).then(|| ratios().sum::<f64>() / n as f64).filter(|mean| mean.is_finite())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::spread;
    use super::*;

    proptest! {
        #[test]
        fn over_a_constant_it_is_a_mean(values in prop::collection::vec(-100.0..100.0f64, 2..40), constant in 0.1..9.0f64) {
            let ratio = ratio_of_sums(&values, &vec![constant; values.len()]).unwrap();
            let (mean, error) = (spread::mean(&values).unwrap(), spread::standard_error(&values).unwrap());
            prop_assert!((ratio.value - mean / constant).abs() < 1e-9);
            prop_assert!((ratio.standard_error.unwrap() - error / constant).abs() < 1e-9);
            prop_assert!((mean_of_ratios(&values, &vec![constant; values.len()]).unwrap() - ratio.value).abs() < 1e-9);
        }

        #[test]
        fn a_difference_over_ones_is_that_of_means(pairs in prop::collection::vec((-100.0..100.0f64, -100.0..100.0f64), 2..40)) {
            let arm = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(|pair| (of(pair), 1.0)).collect::<Vec<_>>();
            let found = difference(&arm(|pair| pair.0), &arm(|pair| pair.1)).unwrap();
            let differences: Vec<f64> = pairs.iter().map(|(a, b)| b - a).collect();
            prop_assert!((found.value - spread::mean(&differences).unwrap()).abs() < 1e-9);
            prop_assert!((found.standard_error.unwrap() - spread::standard_error(&differences).unwrap()).abs() < 1e-9);
        }

        #[test]
        fn against_a_constant_only_one_arm_errs(arm in prop::collection::vec((0.0..9.0f64, 1.0..9.0f64), 2..40)) {
            let constant = vec![(1.0, 2.0); arm.len()];
            let (over, under): (Vec<f64>, Vec<f64>) = arm.iter().copied().unzip();
            let (found, alone) = (difference(&constant, &arm).unwrap(), ratio_of_sums(&over, &under).unwrap());
            prop_assert!((found.value - (alone.value - 0.5)).abs() < 1e-9);
            prop_assert!((found.standard_error.unwrap() - alone.standard_error.unwrap()).abs() < 1e-9);
            let back = difference(&arm, &constant).unwrap();
            prop_assert!((back.value + found.value).abs() < 1e-12 && (back.standard_error.unwrap() - found.standard_error.unwrap()).abs() < 1e-12);
        }

        #[test]
        fn nothing_panics(over in prop::collection::vec(any::<f64>(), 0..9), under in prop::collection::vec(any::<f64>(), 0..9)) {
            let _ = (ratio_of_sums(&over, &under), mean_of_ratios(&over, &under));
            let arm: Vec<(f64, f64)> = over.iter().copied().zip(under.iter().copied()).collect();
            let _ = (difference(&arm, &arm), difference(&arm, &[]));
        }
    }

    #[test]
    fn undefined_is_none() {
        assert_eq!((ratio_of_sums(&[], &[]), ratio_of_sums(&[1.0], &[0.0]), ratio_of_sums(&[1.0], &[1.0, 2.0])), (None, None, None));
        assert_eq!(ratio_of_sums(&[1.0], &[4.0]), Some(Ratio { value: 0.25, standard_error: None }));
        assert_eq!((difference(&[], &[]), difference(&[(1.0, 0.0)], &[(1.0, 1.0)]), difference(&[(1.0, 1.0)], &[])), (None, None, None));
        assert_eq!(difference(&[(1.0, 4.0)], &[(1.0, 2.0)]), Some(Ratio { value: 0.25, standard_error: None }));
        assert_eq!((mean_of_ratios(&[1.0, 3.0], &[0.0, 4.0]), mean_of_ratios(&[1.0], &[0.0])), (Some(0.75), None));
    }
}
