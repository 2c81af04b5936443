//! Change counted the plain way: the whole table of the longest common subsequence, so that what is measured has something to be held against.

/// Scalars deleted and inserted by a shortest edit script. Independent of `text::diff` on purpose; O(n * m) after the ends that are equal.
pub fn changed(before: &str, after: &str) -> (usize, usize) {
    let (a, b): (Vec<char>, Vec<char>) = (before.chars().collect(), after.chars().collect());
    let head = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let tail = a[head..].iter().rev().zip(b[head..].iter().rev()).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[head..a.len() - tail], &b[head..b.len() - tail]);
    let common = common(a, b);
    (a.len() - common, b.len() - common)
}

/// Length of the longest common subsequence. The table is filled along its diagonals, whose cells do not depend on each other.
fn common(a: &[char], b: &[char]) -> usize {
    let reversed: Vec<char> = b.iter().rev().copied().collect();
    let (n, m) = (a.len(), b.len());
    // Cell i of a diagonal is the table's (i, diagonal - i); border cells stay 0.
    let mut diagonals = [vec![0u32; n + 1], vec![0u32; n + 1], vec![0u32; n + 1]];
    for diagonal in 2..=n + m {
        let (from, to) = (diagonal.saturating_sub(m).max(1), n.min(diagonal - 1));
        let [two, one, now] = &mut diagonals;
        if from <= to {
            let width = to - from + 1;
            let right = &reversed[m + from - diagonal..][..width];
            let cells = now[from..][..width].iter_mut().zip(&a[from - 1..][..width]).zip(right);
            let olds = one[from - 1..][..width].iter().zip(&one[from..][..width]).zip(&two[from - 1..][..width]);
            for (((cell, x), y), ((up, left), corner)) in cells.zip(olds) {
                *cell = (*up).max(*left).max(corner + u32::from(x == y));
            }
        }
        if diagonal <= m {
            now[0] = 0;
        }
        if diagonal <= n {
            now[diagonal] = 0;
        }
        diagonals.rotate_left(1);
    }
    diagonals[1].get(n).map_or(0, |length| *length as usize)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The textbook table, row by row.
    fn reference(a: &[char], b: &[char]) -> usize {
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 1..=a.len() {
            for j in 1..=b.len() {
                table[i][j] = if a[i - 1] == b[j - 1] { table[i - 1][j - 1] + 1 } else { table[i - 1][j].max(table[i][j - 1]) };
            }
        }
        table[a.len()][b.len()]
    }

    proptest! {
        #[test]
        fn equals_the_textbook(a in "[abc ä]{0,24}", b in "[abc ä]{0,24}") {
            let (x, y): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            let common = reference(&x, &y);
            prop_assert_eq!(changed(&a, &b), (x.len() - common, y.len() - common));
        }
    }
}
