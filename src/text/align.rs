//! Which section of one draft is which of the next: equal ones first, then similar ones in order, then moved ones.

use std::cell::OnceCell;
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
    align_sections(before, &Words::new(before.len()), after, &Words::new(after.len()))
}

/// [`align`] of sections whose words are kept, for drafts that are aligned both with the one before and with the one after.
pub fn align_sections(before: &[&str], before_words: &Words, after: &[&str], after_words: &Words) -> Alignment {
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
    let bags = Bags { before: bags(before, before_words, &alignment.after_of), after: bags(after, after_words, &alignment.before_of) };
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
    let mut texts: Texts<'_> = Texts::new(after.len());
    for (j, text) in after.iter().enumerate() {
        texts.add(text).after.push(j);
    }
    for text in before {
        if let Some(text) = texts.find(text) {
            text.before += 1;
        }
    }
    // Per place of `after`, the heaviest chain that ends before it: a Fenwick tree of (weight, last link).
    let mut best = vec![(0u64, usize::MAX); after.len() + 1];
    let mut links: Vec<(usize, usize, usize)> = Vec::new();
    for (i, text) in before.iter().enumerate() {
        let Some(text) = texts.find(text) else { continue };
        let near = window(text.seen, text.before, text.after.len());
        text.seen += 1;
        let weight = (1 << 32) + u64::from(text.before == 1 && text.after.len() == 1);
        // From the right, so that a link made for this i is not continued by the same i.
        for &j in text.after[near].iter().rev() {
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

/// Where one text occurs: how often before, how many of those were passed, and each place after.
#[derive(Default)]
struct Occurrences {
    before: usize,
    seen: usize,
    after: Vec<usize>,
}

/// Texts and where they occur: a short list is looked through, which costs less than hashing whole paragraphs.
enum Texts<'a> {
    Few(Vec<(&'a str, Occurrences)>),
    Many(HashMap<&'a str, Occurrences>),
}

const FEW: usize = 32;

impl<'a> Texts<'a> {
    fn new(texts: usize) -> Texts<'a> {
        if texts <= FEW { Texts::Few(Vec::with_capacity(texts)) } else { Texts::Many(HashMap::with_capacity(texts)) }
    }

    fn add(&mut self, text: &'a str) -> &mut Occurrences {
        match self {
            Texts::Many(all) => all.entry(text).or_default(),
            Texts::Few(all) => {
                let at = all.iter().position(|(known, _)| *known == text).unwrap_or_else(|| {
                    all.push((text, Occurrences::default()));
                    all.len() - 1
                });
                &mut all[at].1
            }
        }
    }

    fn find(&mut self, text: &str) -> Option<&mut Occurrences> {
        match self {
            Texts::Many(all) => all.get_mut(text),
            Texts::Few(all) => all.iter_mut().find(|(known, _)| *known == text).map(|(_, places)| places),
        }
    }
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

/// The words of each section of a draft, read when they are first asked for.
#[derive(Debug, Clone)]
pub struct Words(Vec<OnceCell<Vec<u64>>>);

impl Words {
    /// Of a draft with so many sections.
    pub fn new(sections: usize) -> Words {
        Words(vec![OnceCell::new(); sections])
    }
}

/// The words of each section that has no partner yet, as sorted hashes; empty for the others.
struct Bags<'w> {
    before: Vec<&'w [u64]>,
    after: Vec<&'w [u64]>,
}

fn bags<'w>(texts: &[&str], words: &'w Words, partner: &[Option<usize>]) -> Vec<&'w [u64]> {
    let bag = |at: usize| words.0[at].get_or_init(|| bag(texts[at])).as_slice();
    partner.iter().enumerate().map(|(at, partner)| if partner.is_some() { &[][..] } else { bag(at) }).collect()
}

/// The words of a text, small letters, as sorted hashes. A text without a word (a rule, an emoji) counts by its marks.
fn bag(text: &str) -> Vec<u64> {
    let mut bag = Vec::with_capacity(text.len() / 5);
    // No word holds a blank.
    for piece in text.split_ascii_whitespace() {
        if piece.is_ascii() {
            ascii_words(piece.as_bytes(), |word| bag.push(word));
        } else {
            bag.extend(piece.unicode_words().map(|word| hash(word.chars())));
        }
    }
    if bag.is_empty() {
        bag = text.chars().filter(|c| !c.is_whitespace()).map(|c| hash(std::iter::once(c))).collect();
    }
    bag.sort_unstable();
    bag
}

/// The hashes of the words of an ASCII text by the rules of UAX 29, as `unicode_words` finds them: letters, digits and `_`; a mark between two
/// letters (`. : '`) or between two digits (`. , ; '`) joins them.
fn ascii_words(text: &[u8], mut each: impl FnMut(u64)) {
    let class = |at: usize| text.get(at).map_or(OTHER, |byte| CLASS[usize::from(*byte)]);
    let mut at = 0;
    while at < text.len() {
        if class(at) & WORD == 0 {
            at += 1;
            continue;
        }
        let mut says = 0;
        let mut hash = FNV_START;
        loop {
            says |= class(at);
            hash = fnv(hash, text[at].to_ascii_lowercase().into());
            at += 1;
            let joined = class(at);
            if joined & WORD != 0 {
                continue;
            }
            // What a mark may join is of one kind on both sides, and no mark.
            let next = class(at + 1);
            if next & WORD == 0 || joined & class(at - 1) & next & (LETTER | DIGIT) == 0 {
                break;
            }
            hash = fnv(hash, text[at].into());
            at += 1;
        }
        if says & (LETTER | DIGIT) != 0 {
            each(hash);
        }
    }
}

const OTHER: u8 = 0;
const LETTER: u8 = 1;
const DIGIT: u8 = 2;
const WORD: u8 = 4;

/// What each byte is; of a mark, what it may join.
const CLASS: [u8; 256] = {
    let mut class = [OTHER; 256];
    let mut byte = 0;
    while byte < 256 {
        class[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' => WORD | LETTER,
            b'0'..=b'9' => WORD | DIGIT,
            b'_' => WORD,
            b'.' | b'\'' => LETTER | DIGIT,
            b':' => LETTER,
            b',' | b';' => DIGIT,
            _ => OTHER,
        };
        byte += 1;
    }
    class
};

/// FNV-1a over the scalars in small letters.
fn hash(word: impl Iterator<Item = char>) -> u64 {
    let step = |hash: u64, c: char| fnv(hash, c.into());
    word.fold(FNV_START, |hash, c| if c.is_ascii() { step(hash, c.to_ascii_lowercase()) } else { c.to_lowercase().fold(hash, step) })
}

const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

fn fnv(hash: u64, symbol: u64) -> u64 {
    (hash ^ symbol).wrapping_mul(0x0100_0000_01b3)
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
fn similar_in_order(bags: &Bags<'_>, old: Range, new: Range, alignment: &mut Alignment) {
    let (rows, columns) = (old.len(), new.len());
    let windows: Vec<Range> = (0..rows).map(|row| window(row, rows, columns)).collect();
    let scores: Vec<Vec<u64>> = windows
        .iter()
        .zip(old.clone())
        .map(|(window, i)| window.clone().map(|column| similarity(bags.before[i], bags.after[new.start + column])).collect())
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
    let free = alignment.free_after();
    let mut texts: Texts<'_> = Texts::new(free.len());
    for j in free.into_iter().rev() {
        texts.add(after[j]).after.push(j);
    }
    for i in alignment.free_before() {
        if let Some(j) = texts.find(before[i]).and_then(|places| places.after.pop()) {
            alignment.pair(i, j);
        }
    }
}

/// Pairs what is left and similar, the most similar pair first, ties by place.
fn similar_moved(bags: &Bags<'_>, alignment: &mut Alignment) {
    let (old, new) = (alignment.free_before(), alignment.free_after());
    let mut pairs: Vec<(u64, usize, usize)> = Vec::new();
    for (row, &i) in old.iter().enumerate() {
        for &j in &new[window(row, old.len(), new.len())] {
            let score = similarity(bags.before[i], bags.after[j]);
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::diff::{Changed, changed};
    use crate::text::section::{SectionRule, section_texts};

    fn check(before: &[&str], after: &[&str], expected: &[Option<usize>]) {
        assert_eq!(align(before, after).after_of, expected, "{before:?} {after:?}");
    }

    #[test]
    fn equal_then_similar_then_moved() {
        let (fee, fee_edited) = ("The fee is $15 and due now.", "The fee is $20 and due at once.");
        check(&[], &["a"], &[]);
        check(&["a", "b"], &["x", "a", "b"], &[Some(1), Some(2)]);
        check(&[fee, "Bye"], &["New text altogether", fee_edited, "Bye"], &[Some(1), Some(2)]);
        // A swap keeps one in order; the other is moved, not lost.
        check(&["a", "b"], &["b", "a"], &[Some(1), Some(0)]);
        check(&[fee, "b", "c"], &["b", "c", fee_edited], &[Some(2), Some(0), Some(1)]);
        check(&["one two", "x"], &["three four", "x"], &[None, Some(1)]);
        // Exactly 0.4 is similar, just below is not.
        check(&["a b c d e"], &["a b v w x"], &[Some(0)]);
        check(&["a b c d e"], &["a b u v w x"], &[None]);
        check(&["🎉🎉", "x"], &["🎉 🎉", "y"], &[Some(0), None]);
    }

    #[test]
    fn unique_texts_decide_between_repeated_ones() {
        // Both subsequences have two pairs; the one with the unique text is the one that tells.
        check(&["---", "---", "a"], &["a", "---", "a2", "---"], &[Some(1), Some(3), Some(0)]);
        check(&["x", "---", "a", "y"], &["z", "a", "---", "w"], &[None, Some(2), Some(1), None]);
        check(&["p", "r", "u", "r"], &["r", "u", "q", "s"], &[None, Some(0), Some(1), None]);
    }

    #[test]
    fn the_best_total_wins_over_the_best_pair() {
        let before = ["alpha beta gamma delta", "alpha beta gamma epsilon"];
        let after = ["alpha beta zeta delta", "alpha beta gamma delta eta", "other words here"];
        check(&before, &after, &[Some(0), Some(1)]);
    }

    fn drafts(ledger: &str) -> Vec<String> {
        let ledger: serde_json::Value = serde_json::from_str(ledger).expect("a ledger");
        let passes = ledger["passes"].as_array().expect("passes");
        passes.iter().filter_map(|pass| pass["draft"].as_str().map(str::to_owned)).collect()
    }

    #[test]
    fn a_paragraph_added_above_moves_the_rest() {
        let drafts = drafts(include_str!("../../tests/data/locality/R01-shifted-paragraph/ledger.json"));
        let cut = |at: usize| section_texts(&drafts[at], SectionRule::Auto);
        assert_eq!(align(&cut(0), &cut(1)).after_of, [Some(0), Some(2), Some(3)]);
        assert_eq!(align(&cut(0), &cut(1)).before_of, [Some(0), None, Some(1), Some(2)]);
    }

    #[test]
    fn a_deleted_paragraph_has_no_partner() {
        let drafts = drafts(include_str!("../../tests/data/locality/R04-deleted-or-noop/ledger.json"));
        let cut = |at: usize| section_texts(&drafts[at], SectionRule::Auto);
        assert_eq!((cut(0).len(), cut(1).len()), (3, 2));
        assert_eq!(align(&cut(0), &cut(1)).after_of, [Some(0), None, Some(1)]);
        assert_eq!(changed(&drafts[0], &drafts[1]), Changed { deleted: 27, inserted: 0 });
    }

    #[test]
    fn thousands_of_sections_stay_bounded() {
        let old: Vec<String> = (0..3_000).map(|n| format!("word{n} and word{} of old", n + 1)).collect();
        let new: Vec<String> = (0..3_000).map(|n| format!("word{n} and word{} of new", n + 1)).collect();
        let (old, new): (Vec<&str>, Vec<&str>) = (old.iter().map(String::as_str).collect(), new.iter().map(String::as_str).collect());
        let straight: Vec<Option<usize>> = (0..3_000).map(Some).collect();
        assert_eq!(align(&old, &new).after_of, straight);
    }

    /// Length of the longest common subsequence, by the table.
    fn subsequence(a: &[&str], b: &[&str]) -> usize {
        let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 0..a.len() {
            for j in 0..b.len() {
                rows[i + 1][j + 1] = if a[i] == b[j] { rows[i][j] + 1 } else { rows[i][j + 1].max(rows[i + 1][j]) };
            }
        }
        rows[a.len()][b.len()]
    }

    /// The best total of any pairing in order, by trying all.
    fn best_total(a: &[&[u64]], b: &[&[u64]]) -> u64 {
        let (Some(first), Some(second)) = (a.first(), b.first()) else { return 0 };
        let paired = match similarity(first, second) {
            0 => 0,
            score => score + best_total(&a[1..], &b[1..]),
        };
        paired.max(best_total(&a[1..], b)).max(best_total(a, &b[1..]))
    }

    #[test]
    fn marks_join_letters_or_digits_only() {
        for (text, words) in
            [("1;.", 1), ("1.2", 1), ("1.a", 2), ("a.b", 1), ("a,b", 2), ("1,2;3", 1), ("_.a", 1), ("a..b", 2), ("it's", 1), ("___", 0)]
        {
            let mut found = 0;
            ascii_words(text.as_bytes(), |_| found += 1);
            assert_eq!((found, text.unicode_words().count()), (words, words), "{text}");
        }
    }

    proptest! {
        #[test]
        fn words_are_those_of_unicode(text in "[ab1_.,:;' \n-]{0,30}|[a-zA-Z0-9 .,:;'_!é£\u{200d}\u{301}\t日ß-]{0,40}") {
            let mut want: Vec<u64> = text.unicode_words().map(|word| hash(word.chars())).collect();
            want.sort_unstable();
            if !want.is_empty() {
                prop_assert_eq!(bag(&text), want, "{:?}", text);
            }
        }

        #[test]
        fn pairs_are_one_to_one(before in prop::collection::vec("[ab]( [ab-d]){0,3}", 0..9), after in prop::collection::vec("[ab]( [ab-d]){0,3}", 0..9)) {
            let (before, after): (Vec<&str>, Vec<&str>) = (before.iter().map(String::as_str).collect(), after.iter().map(String::as_str).collect());
            let found = align(&before, &after);
            prop_assert_eq!((found.after_of.len(), found.before_of.len()), (before.len(), after.len()));
            for (i, partner) in found.after_of.iter().enumerate() {
                if let Some(j) = partner {
                    prop_assert_eq!(found.before_of[*j], Some(i));
                    prop_assert!(similarity(&bag(before[i]), &bag(after[*j])) > 0);
                }
            }
            for (j, partner) in found.before_of.iter().enumerate() {
                if let Some(i) = partner {
                    prop_assert_eq!(found.after_of[*i], Some(j));
                }
            }
            // No text without a partner is left on both sides.
            let free = |texts: &[&str], partner: &[Option<usize>]| -> Vec<String> {
                texts.iter().zip(partner).filter(|(_, partner)| partner.is_none()).map(|(text, _)| text.to_string()).collect()
            };
            let left = free(&after, &found.before_of);
            prop_assert!(free(&before, &found.after_of).iter().all(|text| !left.contains(text)));
        }

        #[test]
        fn equal_pairs_are_a_longest_subsequence(before in prop::collection::vec("[a-d]", 0..14), after in prop::collection::vec("[a-d]", 0..14)) {
            let (before, after): (Vec<&str>, Vec<&str>) = (before.iter().map(String::as_str).collect(), after.iter().map(String::as_str).collect());
            let mut pairs = equal_in_order(&before, &after);
            pairs.reverse();
            prop_assert!(pairs.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
            prop_assert!(pairs.iter().all(|(i, j)| before[*i] == after[*j]));
            prop_assert_eq!(pairs.len(), subsequence(&before, &after));
        }

        #[test]
        fn similar_pairs_have_the_best_total(before in prop::collection::vec("[ab]( [a-e]){1,4}", 1..6), after in prop::collection::vec("[ab]( [a-e]){1,4}", 1..6)) {
            let read = |texts: &[String]| -> Vec<Vec<u64>> { texts.iter().map(|text| bag(text)).collect() };
            let (before, after) = (read(&before), read(&after));
            let bags = Bags { before: before.iter().map(Vec::as_slice).collect(), after: after.iter().map(Vec::as_slice).collect() };
            let mut found = Alignment { after_of: vec![None; before.len()], before_of: vec![None; after.len()] };
            similar_in_order(&bags, 0..before.len(), 0..after.len(), &mut found);
            let pairs: Vec<(usize, usize)> = found.after_of.iter().enumerate().filter_map(|(i, j)| Some((i, (*j)?))).collect();
            prop_assert!(pairs.windows(2).all(|two| two[0].1 < two[1].1));
            let total: u64 = pairs.iter().map(|(i, j)| similarity(bags.before[*i], bags.after[*j])).sum();
            prop_assert_eq!(total, best_total(&bags.before, &bags.after));
        }
    }
}
