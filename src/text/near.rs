//! Distances where little changed, which is what most revisions are: the cost grows with the edits, not with the texts.

/// Scalars that may be compared along all diagonals.
const FOLLOWED_MAX: usize = 1 << 27;

/// True where the points to look at are fewer than the words of a bit-parallel table, by what the two cost.
pub(super) fn is_near(a: usize, b: usize, bound: usize) -> bool {
    let slack = bound.saturating_sub(a.abs_diff(b)) + 1;
    // In a text that repeats itself every diagonal may be followed to its end.
    let longest = bound.saturating_mul(a.max(b));
    slack.saturating_mul(bound) <= a.saturating_mul(b) / 200 && longest <= FOLLOWED_MAX
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

/// Scalars deleted and inserted on a shortest way from `a` to `b`, by furthest reaching points on diagonals (Myers 1986). None where that takes more
/// than `work` steps, a scalar compared or a point looked at.
pub(super) fn indel(a: &[char], b: &[char], mut work: usize) -> Option<usize> {
    let goal = b.len() as isize - a.len() as isize;
    // Of diagonal k (place in b - place in a) how far into `a` one gets; those with even k after an even number of edits, and odd with odd.
    let (mut reach, mut middle) = (vec![0isize; 3], 1isize);
    for edits in 0..=(a.len() + b.len()) as isize {
        if middle < edits + 1 {
            // Room for as many diagonals again on both sides.
            let more = middle.unsigned_abs() + 1;
            let mut wider = vec![0; reach.len() + 2 * more];
            wider[more..more + reach.len()].copy_from_slice(&reach);
            (reach, middle) = (wider, middle + more as isize);
        }
        let mut k = -edits;
        while k <= edits {
            let at = (middle + k) as usize;
            // From the diagonal to the left a scalar of b is taken, from the right one of a.
            let from = match (k == -edits, k == edits) {
                (true, true) => 0,
                (true, false) => reach[at + 1] + 1,
                (false, true) => reach[at - 1],
                (false, false) => reach[at - 1].max(reach[at + 1] + 1),
            };
            let tail_a = a.get(from.max(0) as usize..).unwrap_or_default();
            let tail_b = b.get((from + k).max(0) as usize..).unwrap_or_default();
            let equal = if from > a.len() as isize { 0 } else { tail_a.iter().zip(tail_b).take_while(|(x, y)| x == y).count() };
            work = work.checked_sub(equal + 1)?;
            reach[at] = from + equal as isize;
            if k == goal && reach[at] >= a.len() as isize {
                return Some(edits as usize);
            }
            k += 2;
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
            prop_assert_eq!(levenshtein_scalars(&x, &y, want + budget), Some(want));
        }

        #[test]
        fn what_is_deleted_and_inserted_is_what_the_subsequence_leaves(a in "[abé]{0,24}", b in "[abé]{0,24}", work in 0usize..200) {
            let (x, y): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            let want = x.len() + y.len() - 2 * crate::text::bits::common_subsequence(&x, &y);
            prop_assert_eq!(indel(&x, &y, usize::MAX), Some(want));
            prop_assert!(indel(&x, &y, work).is_none_or(|found| found == want));
        }

        #[test]
        fn a_long_text_with_few_edits(base in "[a-d ]{200,400}", cut in 0usize..200, put in "[a-d]{0,9}") {
            let edited = format!("{}{put}{}", &base[..cut], &base[(cut + 3).min(base.len())..]);
            let (x, y): (Vec<char>, Vec<char>) = (base.chars().collect(), edited.chars().collect());
            prop_assert_eq!(levenshtein_scalars(&x, &y, 3 + put.len()), Some(naive(&base, &edited)));
        }
    }
}
