//! How far two raters agree beyond what their own habits would bring about.

/// Cohen's kappa with what it is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kappa {
    /// Things that both raters judged.
    pub n: u64,
    /// Share on which they said the same.
    pub observed: f64,
    /// The share to expect of two raters who use the categories as often as these two do, each without looking.
    pub expected: f64,
    /// (observed - expected) / (1 - expected): 1 for full agreement, 0 for no more than expected. None where 1 is expected, as both put
    /// everything into one category: they agree, and nothing shows that they can tell things apart.
    pub value: Option<f64>,
}

/// Cohen (1960), unweighted: categories have no order. `counts[i][j]` are the things that the first rater put into category i and the second
/// into j. None for no things, and for a table that is not square.
pub fn kappa(counts: &[Vec<u64>]) -> Option<Kappa> {
    let size = counts.len();
    if counts.iter().any(|row| row.len() != size) {
        return None;
    }
    let sum = |values: &mut dyn Iterator<Item = u64>| values.fold(0u128, |sum, n| sum + u128::from(n));
    let n = sum(&mut counts.iter().flatten().copied());
    if n == 0 || n > u128::from(u32::MAX) {
        return None;
    }
    let same = sum(&mut (0..size).map(|i| counts[i][i]));
    let row = |i: usize| sum(&mut counts[i].iter().copied());
    let column = |j: usize| sum(&mut counts.iter().map(|row| row[j]));
    // Whole numbers up to here, so that "1 is expected" is exact.
    let chance: u128 = (0..size).map(|i| row(i) * column(i)).sum();
    let (observed, expected) = (same as f64 / n as f64, chance as f64 / (n * n) as f64);
    let value = (chance < n * n).then(|| (same * n) as f64 - chance as f64).map(|over| over / (n * n - chance) as f64);
    Some(Kappa { n: n as u64, observed, expected, value })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(counts: &[&[u64]]) -> Option<Kappa> {
        kappa(&counts.iter().map(|row| row.to_vec()).collect::<Vec<_>>())
    }

    fn near(got: f64, want: f64) -> bool {
        (got - want).abs() < 1e-12
    }

    #[test]
    fn cases_worked_out_by_hand() {
        // 50 proposals, yes or no: same on 35, expected (25 * 30 + 25 * 20) / 2500 = 0.5.
        let two = of(&[&[20, 5], &[10, 15]]).unwrap();
        assert_eq!((two.n, two.observed, two.expected), (50, 0.7, 0.5));
        assert!(near(two.value.unwrap(), 0.4));
        // Three categories: same on 14 of 20; rows 9, 6, 5, columns 8, 7, 5: expected (72 + 42 + 25) / 400.
        let three = of(&[&[7, 1, 1], &[1, 4, 1], &[0, 2, 3]]).unwrap();
        assert!(near(three.observed, 0.7) && near(three.expected, 0.3475));
        assert!(near(three.value.unwrap(), (0.7 - 0.3475) / 0.6525));
        // Worse than two who do not look.
        assert!(near(of(&[&[0, 5], &[5, 0]]).unwrap().value.unwrap(), -1.0));
        // High agreement on what is nearly always so says little: 0.9 observed, 0.905 expected.
        let rare = of(&[&[18, 1], &[1, 0]]).unwrap();
        assert!(near(rare.observed, 0.9) && near(rare.expected, 0.905));
        assert!(near(rare.value.unwrap(), -0.005 / 0.095));
    }

    #[test]
    fn where_one_is_expected_there_is_no_kappa() {
        let all = of(&[&[12, 0], &[0, 0]]).unwrap();
        assert_eq!((all.observed, all.expected, all.value), (1.0, 1.0, None));
        assert_eq!(of(&[&[3, 0], &[0, 4]]).unwrap().value, Some(1.0));
        assert_eq!((of(&[&[0, 0], &[0, 0]]), of(&[]), of(&[&[1, 2]])), (None, None, None));
    }

    proptest! {
        #[test]
        fn it_is_of_both_raters_alike_and_at_most_one(cells in prop::collection::vec(0u64..40, 9)) {
            let table: Vec<Vec<u64>> = cells.chunks(3).map(<[u64]>::to_vec).collect();
            let turned: Vec<Vec<u64>> = (0..3).map(|j| table.iter().map(|row| row[j]).collect()).collect();
            let (there, back) = (kappa(&table), kappa(&turned));
            prop_assert_eq!(there.map(|k| (k.n, k.value)), back.map(|k| (k.n, k.value)));
            if let Some(value) = there.and_then(|k| k.value) {
                prop_assert!((-1.0..=1.0).contains(&value), "{value}");
            }
        }
    }
}
