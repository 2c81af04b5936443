//! Levenshtein distance where little changed, which is what most revisions are: the cost grows with the edits, not with the texts.

/// True where the points to look at are fewer than the words of a bit-parallel table, by what the two cost.
pub(super) fn is_near(a: usize, b: usize, bound: usize) -> bool {
    let slack = bound.saturating_sub(a.abs_diff(b)) + 1;
    slack.saturating_mul(bound) <= a.saturating_mul(b) / 200
}

/// The distance of two sequences if it is at most `budget`, by furthest reaching points on diagonals (Ukkonen 1985).
pub(super) fn distance(a: &[char], b: &[char], budget: usize) -> Option<usize> {
    let goal = b.len() as isize - a.len() as isize;
    if goal.unsigned_abs() > budget {
        return None;
    }
    // reach[budget + 1 + k]: how far into `a` one gets on diagonal k (place in b - place in a) with the edits so far; -1 is nowhere yet.
    let middle = budget as isize + 1;
    let mut reach = vec![-1isize; 2 * budget + 3];
    let slide = |from: isize, k: isize| -> isize {
        let (tail_a, tail_b) = (a.get(from as usize..).unwrap_or_default(), b.get((from + k) as usize..).unwrap_or_default());
        let equal = tail_a.iter().zip(tail_b).take_while(|(x, y)| x == y).count();
        from + equal as isize
    };
    reach[middle as usize] = slide(0, 0);
    for edits in 0..=budget as isize {
        if edits > 0 {
            // A diagonal from which the goal is out of reach with the edits that are left is not looked at.
            let spare = budget as isize - edits;
            let (from, to) = ((goal - spare).max(-edits), (goal + spare).min(edits));
            let mut left = reach[(middle + from - 1) as usize];
            for k in from..=to {
                let at = (middle + k) as usize;
                let here = reach[at];
                let step = |from: isize, cost: isize| if from < 0 { -1 } else { from + cost };
                // From the diagonal to the left a scalar of b is taken, from the right one of a, from this one both.
                let best = left.max(step(here, 1)).max(step(reach[at + 1], 1)).min(a.len() as isize).min(b.len() as isize - k);
                left = here;
                reach[at] = if best < 0 || best + k < 0 { -1 } else { slide(best, k) };
            }
        }
        if reach[(middle + goal) as usize] >= a.len() as isize {
            return Some(edits as usize);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::diff::levenshtein_scalars;

    fn naive(a: &str, b: &str) -> usize {
        let b: Vec<char> = b.chars().collect();
        let mut row: Vec<usize> = (0..=b.len()).collect();
        for (i, x) in a.chars().enumerate() {
            let mut corner = row[0];
            row[0] = i + 1;
            for (j, y) in b.iter().enumerate() {
                let next = (corner + usize::from(x != *y)).min(row[j] + 1).min(row[j + 1] + 1);
                corner = std::mem::replace(&mut row[j + 1], next);
            }
        }
        row[b.len()]
    }

    proptest! {
        #[test]
        fn the_distance_is_the_naive_one_whatever_the_budget(a in "[abé]{0,24}", b in "[abé]{0,24}", budget in 0usize..30) {
            let want = naive(&a, &b);
            let (x, y): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            prop_assert_eq!(distance(&x, &y, budget), (want <= budget).then_some(want));
            prop_assert_eq!(levenshtein_scalars(&x, &y, want + budget), want);
        }

        #[test]
        fn a_long_text_with_few_edits(base in "[a-d ]{200,400}", cut in 0usize..200, put in "[a-d]{0,9}") {
            let edited = format!("{}{put}{}", &base[..cut], &base[(cut + 3).min(base.len())..]);
            let (x, y): (Vec<char>, Vec<char>) = (base.chars().collect(), edited.chars().collect());
            prop_assert_eq!(levenshtein_scalars(&x, &y, 3 + put.len()), naive(&base, &edited));
        }
    }
}
