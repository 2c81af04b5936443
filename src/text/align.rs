//! Which section of one draft is which of the next: equal ones first, then similar ones in order, then moved ones.

use std::collections::HashMap;

use unicode_segmentation::UnicodeSegmentation;

/// A partial one-to-one pairing of the sections of two drafts. `after_of[i]` is the place in the later draft of the earlier draft's
/// section i, `before_of[j]` the other way round; None is a section without a partner.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Alignment {
    pub after_of: Vec<Option<usize>>,
    pub before_of: Vec<Option<usize>>,
}

impl Alignment {
    fn pair(&mut self, before: usize, after: usize) {
        self.after_of[before] = Some(after);
        self.before_of[after] = Some(before);
    }

    fn free_before(&self) -> Vec<usize> {
        (0..self.after_of.len()).filter(|i| self.after_of[*i].is_none()).collect()
    }

    fn free_after(&self) -> Vec<usize> {
        (0..self.before_of.len()).filter(|j| self.before_of[*j].is_none()).collect()
    }
}

/// Pairs at most this many candidates by similarity in one step; beyond it only neighbours in place are compared. Hundreds of rewritten
/// sections stay far below.
const PAIRS_MAX: usize = 1 << 21;

/// Aligns the sections of two drafts (see docs/metrics.md, "Section alignment"): a longest common subsequence of equal texts, preferring
/// texts that occur once; between those the order-preserving pairing of maximal total word-Dice similarity, pairs at 0.4 or more; then
/// what is left and equal, then what is left and similar, the best pair first and ties by place.
pub fn align(before: &[&str], after: &[&str]) -> Alignment {
    let mut alignment = Alignment { after_of: vec![None; before.len()], before_of: vec![None; after.len()] };
    let head = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let tail = before[head..].iter().rev().zip(after[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    for at in 0..head {
        alignment.pair(at, at);
    }
    for back in 1..=tail {
        alignment.pair(before.len() - back, after.len() - back);
    }
    let (old, new) = (head..before.len() - tail, head..after.len() - tail);
    if old.is_empty() || new.is_empty() {
        return alignment;
    }
    for (i, j) in equal_in_order(&before[old.clone()], &after[new.clone()]) {
        alignment.pair(head + i, head + j);
    }
    let bags = Bags { before: bags(before, &alignment.after_of), after: bags(after, &alignment.before_of) };
    for (old, new) in gaps(&alignment, old, new) {
        similar_in_order(&bags, old, new, &mut alignment);
    }
    equal_moved(before, after, &mut alignment);
    similar_moved(&bags, &mut alignment);
    alignment
}

/// Pairs of equal texts along a heaviest common subsequence: as many pairs as possible, and among those as many texts as possible that
/// occur once on both sides, since a repeated line says little about what it belongs to.
fn equal_in_order(before: &[&str], after: &[&str]) -> Vec<(usize, usize)> {
    let mut places: HashMap<&str, (usize, Vec<usize>)> = HashMap::new();
    for (j, text) in after.iter().enumerate() {
        places.entry(text).or_default().1.push(j);
    }
    for text in before {
        if let Some((count, _)) = places.get_mut(text) {
            *count += 1;
        }
    }
    // Per place of `after`, the heaviest chain that ends before it: a Fenwick tree of (weight, last link).
    let mut best = vec![(0u64, usize::MAX); after.len() + 1];
    let mut links: Vec<(usize, usize, usize)> = Vec::new();
    for (i, text) in before.iter().enumerate() {
        let Some((count, columns)) = places.get(text) else { continue };
        let weight = (1 << 32) + u64::from(*count == 1 && columns.len() == 1);
        // From the right, so that a link made for this i is not continued by the same i.
        for &j in columns.iter().rev() {
            let (mut total, mut previous) = (0, usize::MAX);
            let mut at = j;
            while at > 0 {
                if best[at].0 > total {
                    (total, previous) = best[at];
                }
                at &= at - 1;
            }
            links.push((i, j, previous));
            let entry = (total + weight, links.len() - 1);
            let mut at = j + 1;
            while at <= after.len() {
                if entry.0 > best[at].0 {
                    best[at] = entry;
                }
                at += at & at.wrapping_neg();
            }
        }
    }
    let (mut total, mut link) = (0, usize::MAX);
    let mut at = after.len();
    while at > 0 {
        if best[at].0 > total {
            (total, link) = best[at];
        }
        at &= at - 1;
    }
    let mut pairs = Vec::new();
    while let Some(&(i, j, previous)) = links.get(link) {
        pairs.push((i, j));
        link = previous;
    }
    pairs
}

type Range = std::ops::Range<usize>;

/// The stretches of both lists between neighbouring pairs, where both have something left.
fn gaps(alignment: &Alignment, old: Range, new: Range) -> Vec<(Range, Range)> {
    let mut out = Vec::new();
    let (mut i, mut j) = (old.start, new.start);
    for at in old.clone() {
        if let Some(partner) = alignment.after_of[at] {
            out.push((i..at, j..partner));
            (i, j) = (at + 1, partner + 1);
        }
    }
    out.push((i..old.end, j..new.end));
    out.retain(|(old, new)| !old.is_empty() && !new.is_empty());
    out
}

/// The words of each section that has no partner yet, as sorted hashes; empty for the others.
struct Bags {
    before: Vec<Vec<u64>>,
    after: Vec<Vec<u64>>,
}

fn bags(texts: &[&str], partner: &[Option<usize>]) -> Vec<Vec<u64>> {
    texts.iter().zip(partner).map(|(text, partner)| if partner.is_some() { Vec::new() } else { bag(text) }).collect()
}

/// The words of a text, small letters, as sorted hashes. A text without a word (a rule, an emoji) counts by its marks.
fn bag(text: &str) -> Vec<u64> {
    let mut bag: Vec<u64> = text.unicode_words().map(|word| hash(word.chars())).collect();
    if bag.is_empty() {
        bag = text.chars().filter(|c| !c.is_whitespace()).map(|c| hash(std::iter::once(c))).collect();
    }
    bag.sort_unstable();
    bag
}

/// FNV-1a over the scalars in small letters.
fn hash(word: impl Iterator<Item = char>) -> u64 {
    let step = |hash: u64, c: char| (hash ^ c as u64).wrapping_mul(0x0100_0000_01b3);
    word.fold(
        0xcbf2_9ce4_8422_2325,
        |hash, c| if c.is_ascii() { step(hash, c.to_ascii_lowercase()) } else { c.to_lowercase().fold(hash, step) },
    )
}

/// Similarity one, as an integer: totals of integers have no rounding, so ties are ties.
const ONE: u64 = 1 << 20;

/// Dice similarity of two bags of words, 2 * shared / (words of both), in units of 1/ONE; 0 below the threshold of 0.4.
fn similarity(a: &[u64], b: &[u64]) -> u64 {
    let total = (a.len() + b.len()) as u64;
    if 5 * (a.len().min(b.len()) as u64) < total || total == 0 {
        return 0;
    }
    let (mut i, mut j, mut shared) = (0, 0, 0u64);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        shared += u64::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    if 5 * shared >= total { 2 * shared * ONE / total } else { 0 }
}

/// The window of columns that is compared with a row, wide open up to PAIRS_MAX pairs in all.
fn window(row: usize, rows: usize, columns: usize) -> Range {
    if rows.saturating_mul(columns) <= PAIRS_MAX {
        return 0..columns;
    }
    let half = (PAIRS_MAX / rows / 2).max(8);
    let centre = row * columns / rows;
    centre.saturating_sub(half)..(centre + half).min(columns)
}

/// Pairs similar sections of one gap in order, so that the sum of similarities is maximal. Of equal sums the one that pairs early.
fn similar_in_order(bags: &Bags, old: Range, new: Range, alignment: &mut Alignment) {
    let (rows, columns) = (old.len(), new.len());
    let windows: Vec<Range> = (0..rows).map(|row| window(row, rows, columns)).collect();
    let scores: Vec<Vec<u64>> = windows
        .iter()
        .zip(old.clone())
        .map(|(window, i)| window.clone().map(|column| similarity(&bags.before[i], &bags.after[new.start + column])).collect())
        .collect();
    // best[row][column]: the maximal sum from there to the end; only rows are kept whose windows are.
    let mut best: Vec<Vec<u64>> = vec![Vec::new(); rows + 1];
    let at = |row: &[u64], window: &Range, column: usize| -> u64 {
        if column >= window.end { 0 } else { row.get(column.saturating_sub(window.start)).copied().unwrap_or(0) }
    };
    let below = |row: usize| windows.get(row + 1).cloned().unwrap_or(0..0);
    for row in (0..rows).rev() {
        let window = windows[row].clone();
        let mut sums = vec![0; window.len()];
        for column in window.clone().rev() {
            let score = scores[row][column - window.start];
            let with = if score > 0 { score + at(&best[row + 1], &below(row), column + 1) } else { 0 };
            let without = at(&best[row + 1], &below(row), column).max(at(&sums, &window, column + 1));
            sums[column - window.start] = with.max(without);
        }
        best[row] = sums;
    }
    let (mut row, mut column) = (0, 0);
    while row < rows && column < columns {
        let window = windows[row].clone();
        if column < window.start {
            column = window.start;
            continue;
        }
        let here = at(&best[row], &window, column);
        if here == 0 || column >= window.end {
            row += 1;
            continue;
        }
        let score = scores[row][column - window.start];
        if score > 0 && here == score + at(&best[row + 1], &below(row), column + 1) {
            alignment.pair(old.start + row, new.start + column);
            (row, column) = (row + 1, column + 1);
        } else if here == at(&best[row], &window, column + 1) {
            column += 1;
        } else {
            row += 1;
        }
    }
}

/// Pairs what is left and equal, in order of place.
fn equal_moved(before: &[&str], after: &[&str], alignment: &mut Alignment) {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for j in alignment.free_after().into_iter().rev() {
        places.entry(after[j]).or_default().push(j);
    }
    for i in alignment.free_before() {
        if let Some(j) = places.get_mut(before[i]).and_then(Vec::pop) {
            alignment.pair(i, j);
        }
    }
}

/// Pairs what is left and similar, the most similar pair first, ties by place.
fn similar_moved(bags: &Bags, alignment: &mut Alignment) {
    let (old, new) = (alignment.free_before(), alignment.free_after());
    let mut pairs: Vec<(u64, usize, usize)> = Vec::new();
    for (row, &i) in old.iter().enumerate() {
        for &j in &new[window(row, old.len(), new.len())] {
            let score = similarity(&bags.before[i], &bags.after[j]);
            if score > 0 {
                pairs.push((score, i, j));
            }
        }
    }
    pairs.sort_unstable_by_key(|&(score, i, j)| (std::cmp::Reverse(score), i, j));
    for (_, i, j) in pairs {
        if alignment.after_of[i].is_none() && alignment.before_of[j].is_none() {
            alignment.pair(i, j);
        }
    }
}
