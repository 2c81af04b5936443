//! Standard errors of means, of one arm and of a difference, with tickets alone or in groups.

/// None for no values, or a sum that is not finite.
pub fn mean(values: &[f64]) -> Option<f64> {
    Some(values.iter().sum::<f64>() / values.len() as f64).filter(|mean| mean.is_finite())
}

/// Of the mean, values independent: sample standard deviation over root n. Of differences by ticket it is the paired error, smaller than that of
/// unpaired arms by what the arms share. None for fewer than two values.
pub fn standard_error(values: &[f64]) -> Option<f64> {
    let middle = mean(values)?;
    let n = values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - middle) * (value - middle)).sum();
    (n > 1.0).then(|| libm::sqrt(squares / (n - 1.0) / n)).filter(|error| error.is_finite())
}

/// Pearson's correlation of two arms over tickets, between -1 and 1. None where an arm does not vary or the slices differ in length.
pub fn correlation(a: &[f64], b: &[f64]) -> Option<f64> {
    let (middle_a, middle_b) = (mean(a)?, mean(b)?);
    let sum = |f: fn(f64, f64) -> f64| a.iter().zip(b).map(|(x, y)| f(x - middle_a, y - middle_b)).sum::<f64>();
    let (aa, ab, bb) = (sum(|x, _| x * x), sum(|x, y| x * y), sum(|_, y| y * y));
    let found = ab / (libm::sqrt(aa) * libm::sqrt(bb));
    (a.len() == b.len() && found.is_finite()).then(|| found.clamp(-1.0, 1.0))
}

/// Standard errors of a mean whose values come in groups.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clustered {
    pub groups: usize,
    /// Times the root of groups / (groups - 1), so that few groups are not taken for many: the one to use. None for a single group.
    pub standard_error: Option<f64>,
    /// As in Miller (2024), without that factor.
    pub uncorrected: f64,
}

/// Values of one group (samples of one ticket, tickets of one customer) may move together; groups are independent (Liang and Zeger 1986).
/// `group_of[i]` is the group of `values[i]`. None for no values or slices of different length.
pub fn clustered(values: &[f64], group_of: &[u64]) -> Option<Clustered> {
    let middle = mean(values)?;
    if values.len() != group_of.len() {
        return None;
    }
    let mut deviations: Vec<(u64, f64)> = group_of.iter().zip(values).map(|(group, value)| (*group, value - middle)).collect();
    // Stable: the values of a group are added in the order given.
    deviations.sort_by_key(|(group, _)| *group);
    let sums = deviations.chunk_by(|x, y| x.0 == y.0).map(|group| group.iter().map(|(_, deviation)| deviation).sum::<f64>());
    let (groups, squares) = sums.fold((0usize, 0.0), |(groups, squares), sum| (groups + 1, squares + sum * sum));
    let uncorrected = libm::sqrt(squares) / values.len() as f64;
    let count = groups as f64;
    let standard_error = (groups > 1).then(|| uncorrected * libm::sqrt(count / (count - 1.0)));
    uncorrected.is_finite().then_some(Clustered { groups, standard_error, uncorrected })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn groups_of_one_are_no_groups(values in prop::collection::vec(-100.0..100.0f64, 2..40)) {
            let alone: Vec<u64> = (0..values.len() as u64).rev().collect();
            let found = clustered(&values, &alone).unwrap();
            prop_assert!((found.standard_error.unwrap() - standard_error(&values).unwrap()).abs() < 1e-9);
            prop_assert!(found.uncorrected <= found.standard_error.unwrap());
        }

        #[test]
        fn pairing_is_the_identity_of_variances(pairs in prop::collection::vec((-100.0..100.0f64, -100.0..100.0f64), 3..40)) {
            let (a, b): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
            let d: Vec<f64> = pairs.iter().map(|(a, b)| b - a).collect();
            let (of_a, of_b, of_d) = (standard_error(&a).unwrap(), standard_error(&b).unwrap(), standard_error(&d).unwrap());
            let shared = 2.0 * of_a * of_b * correlation(&a, &b).unwrap();
            prop_assert!((of_d * of_d - (of_a * of_a + of_b * of_b - shared)).abs() < 1e-9);
        }

        #[test]
        fn nothing_panics(a in prop::collection::vec(any::<f64>(), 0..9), groups in prop::collection::vec(0u64..4, 0..9)) {
            let _ = (mean(&a), standard_error(&a), correlation(&a, &a), clustered(&a, &groups));
        }
    }

    #[test]
    fn undefined_is_none() {
        assert_eq!((mean(&[]), standard_error(&[1.0]), correlation(&[1.0, 1.0], &[1.0, 2.0])), (None, None, None));
        let one_group = clustered(&[1.0, 2.0], &[7, 7]).unwrap();
        assert_eq!((one_group.groups, one_group.standard_error), (1, None));
        assert_eq!(clustered(&[1.0], &[]), None);
    }
}
