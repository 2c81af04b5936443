//! Search: the windows of a text that come closest to a pattern, by Myers' bit-vector algorithm in blocks of 64 rows (Myers 1999;
//! Hyyrö 2003 for the blocks). All lengths and positions are in Unicode scalars.

use std::cmp::Ordering;

/// 1 - distance / longest, kept as the two counts so that equal is equal and no rounding decides a tie.
#[derive(Debug, Clone, Copy)]
pub(super) struct Similarity {
    pub distance: usize,
    /// The longer of pattern and window; at least 1.
    pub longest: usize,
}

impl Similarity {
    pub(super) fn value(self) -> f64 {
        1.0 - self.distance as f64 / self.longest as f64
    }

    pub(super) fn reaches(self, threshold: f64) -> bool {
        self.value() >= threshold
    }
}

/// 3 of 6 and 4 of 8 are the same similarity.
impl PartialEq for Similarity {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Similarity {}

impl Ord for Similarity {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.distance as u128 * self.longest as u128).cmp(&(self.distance as u128 * other.longest as u128))
    }
}

impl PartialOrd for Similarity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Window {
    pub start: usize,
    pub end: usize,
}

/// What a search came to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Best {
    /// The best similarity of any window; below the threshold it may be an underestimate (only the nearest ends are looked at).
    pub similarity: Similarity,
    /// The places that have it, leftmost first, one window a place; empty below the threshold. Of equally similar windows that overlap it is
    /// the one that agrees with the pattern in more of its two edges, then the shortest, then the leftmost.
    pub windows: Vec<Window>,
    /// Block steps that were taken.
    pub work: usize,
}

/// A pattern prepared for bit-parallel comparison: per distinct scalar the rows that hold it.
pub(super) struct Pattern {
    len: usize,
    blocks: usize,
    /// Symbol of an ASCII scalar; 0 where the pattern has none.
    ascii: [u32; 128],
    /// The pattern's scalars beyond ASCII, sorted, with their symbols.
    wide: Vec<(char, u32)>,
    /// `rows[symbol * blocks + block]`; symbol 0 matches nowhere.
    rows: Vec<u64>,
}

impl Pattern {
    pub(super) fn new(pattern: &[char]) -> Pattern {
        let blocks = pattern.len().div_ceil(64).max(1);
        let mut wide: Vec<char> = pattern.iter().copied().filter(|c| !c.is_ascii()).collect();
        wide.sort_unstable();
        wide.dedup();
        let wide: Vec<(char, u32)> = wide.into_iter().zip(1..).collect();
        let mut this = Pattern { len: pattern.len(), blocks, ascii: [0; 128], rows: vec![0; (wide.len() + 1) * blocks], wide };
        for (row, &c) in pattern.iter().enumerate() {
            let mut symbol = this.symbol(c);
            if symbol == 0 {
                symbol = this.rows.len() / blocks;
                this.ascii[c as usize] = symbol as u32;
                this.rows.resize(this.rows.len() + blocks, 0);
            }
            this.rows[symbol * blocks + row / 64] |= 1 << (row % 64);
        }
        this
    }

    #[inline]
    fn symbol(&self, c: char) -> usize {
        match self.ascii.get(c as usize) {
            Some(&symbol) => symbol as usize,
            None => self.wide.binary_search_by_key(&c, |w| w.0).map_or(0, |i| self.wide[i].1 as usize),
        }
    }

    /// Levenshtein distance to the whole of `text`.
    pub(super) fn distance(&self, text: &[char]) -> usize {
        let mut column = Column::new(self);
        text.iter().fold(self.len, |_, &c| column.step(self, c, 1))
    }

    /// For every scalar of `text` the least distance to a window that ends with it.
    fn ends(&self, text: &[char]) -> Vec<usize> {
        if self.blocks > 1 {
            let mut column = Column::new(self);
            return text.iter().map(|&c| column.step(self, c, 0)).collect();
        }
        // One block, the common case: the same steps with the column in two registers.
        let (mut up, mut down, mut score, last) = (!0u64, 0u64, self.len, (self.len + 63) % 64);
        let step = |&c: &char| {
            let row = self.rows[self.symbol(c)];
            let diagonal = row | down;
            let horizontal = ((row & up).wrapping_add(up) ^ up) | row;
            let (grows, falls) = (down | !(horizontal | up), up & horizontal);
            score = score + (grows >> last & 1) as usize - (falls >> last & 1) as usize;
            up = falls << 1 | !(diagonal | grows << 1);
            down = grows << 1 & diagonal;
            score
        };
        text.iter().map(step).collect()
    }

    /// How many scalars at the front of `text` the pattern comes closest to; the most where several are as close.
    pub(super) fn nearest_prefix<'t>(&self, text: impl Iterator<Item = &'t char>) -> usize {
        let mut column = Column::new(self);
        let mut best = (column.score, 0);
        for (len, &c) in (1..).zip(text) {
            column.step(self, c, 1);
            if column.score <= best.0 {
                best = (column.score, len);
            }
        }
        best.1
    }

    /// Block steps that one pass over `len` scalars takes.
    pub(super) fn work(&self, len: usize) -> usize {
        len.saturating_mul(self.blocks)
    }
}

/// One column of the distance matrix as vertical differences, and its bottom value.
struct Column {
    up: Vec<u64>,
    down: Vec<u64>,
    score: usize,
}

impl Column {
    fn new(pattern: &Pattern) -> Column {
        Column { up: vec![!0; pattern.blocks], down: vec![0; pattern.blocks], score: pattern.len }
    }

    /// Goes one scalar of the text further. `top` is the difference along the upper edge: 0 where a window may start anywhere, 1 where
    /// it starts at the beginning. Gives the bottom value.
    #[inline]
    fn step(&mut self, pattern: &Pattern, c: char, top: u64) -> usize {
        let base = pattern.symbol(c) * pattern.blocks;
        let rows = &pattern.rows[base..base + pattern.blocks];
        let (mut plus, mut minus) = (top, 0);
        for (block, ((up, down), &row)) in self.up.iter_mut().zip(&mut self.down).zip(rows).enumerate() {
            let last = if block + 1 == pattern.blocks { (pattern.len + 63) % 64 } else { 63 };
            let diagonal = row | *down;
            let row = row | minus;
            let horizontal = ((row & *up).wrapping_add(*up) ^ *up) | row;
            let grows = *down | !(horizontal | *up);
            let falls = *up & horizontal;
            let shifted = grows << 1 | plus;
            let sunk = falls << 1 | minus;
            *up = sunk | !(diagonal | shifted);
            *down = shifted & diagonal;
            (plus, minus) = (grows >> last & 1, falls >> last & 1);
        }
        self.score = self.score + plus as usize - minus as usize;
        self.score
    }
}

/// The windows of `text` most similar to `pattern`. None where either is empty or the work is beyond `WORK_MAX`.
///
/// Exact: whenever some window reaches the threshold, the best similarity is found and with it every place that has it. One pass gives the
/// distance of the best window ending at each scalar; only ends whose upper bound m / (m + distance) is still in the race get a second,
/// reversed pass, which gives the distance for every start.
pub(super) fn best(pattern: &[char], text: &[char], threshold: f64) -> Option<Best> {
    let forward = Pattern::new(pattern);
    if pattern.is_empty() || text.is_empty() || forward.work(text.len()) > WORK_MAX {
        return None;
    }
    let m = pattern.len();
    let distances = forward.ends(text);
    let nearest = distances.iter().copied().min()?;
    let bound = |distance: usize| Similarity { distance, longest: m + distance };
    let hopeless = !bound(nearest).reaches(threshold);
    let most = if hopeless { nearest } else { longest_window(m, threshold) - m };
    let mut ends: Vec<(usize, usize)> = (1..).zip(&distances).filter(|&(_, &d)| d <= most).map(|(end, &d)| (d, end)).collect();
    ends.sort_unstable();

    let backward = Pattern::new(&pattern.iter().rev().copied().collect::<Vec<_>>());
    let mut work = forward.work(text.len());
    let mut budget = forward.work(text.len()).saturating_mul(4).clamp(1 << 20, WORK_MAX);
    let mut found: Option<Similarity> = None;
    let mut windows = Vec::new();
    for (tried, &(distance, end)) in ends.iter().enumerate() {
        let beaten = found.is_some_and(|best| bound(distance) < best);
        if beaten || budget == 0 || (hopeless && tried == HOPELESS_ENDS) {
            break;
        }
        let floor = found.map_or(0.0, Similarity::value).max(threshold);
        let reach = if hopeless { m + distance } else { longest_window(m, floor) }.min(end);
        let (similarity, len) = best_start(&backward, &text[end - reach..end], pattern);
        budget = budget.saturating_sub(backward.work(reach));
        work += backward.work(reach);
        if found.is_none_or(|best| similarity > best) {
            windows.clear();
            found = Some(similarity);
        }
        if found == Some(similarity) {
            windows.push(Window { start: end - len, end });
        }
    }
    let similarity = found?;
    let windows =
        if similarity.reaches(threshold) { places(windows, |w| edges_that_differ(pattern, &text[w.start..w.end])) } else { Vec::new() };
    Some(Best { similarity, windows, work })
}

/// Most block steps that each of the two passes may take: about half a second. A megabyte draft with a page-long quotation stays below.
pub(super) const WORK_MAX: usize = 1 << 28;

/// How many of the nearest ends are looked at where none can reach the threshold.
const HOPELESS_ENDS: usize = 2;

/// A window of L scalars is at least L - m away, so its similarity is at most m / L.
fn longest_window(m: usize, similarity: f64) -> usize {
    let longest = m as f64 / similarity;
    if longest.is_finite() && longest < usize::MAX as f64 / 2.0 { longest as usize + 1 } else { usize::MAX }
}

/// The best window that ends where `text` ends: of equally similar ones one that starts as the pattern does, then the shortest.
fn best_start(backward: &Pattern, text: &[char], pattern: &[char]) -> (Similarity, usize) {
    let m = pattern.len();
    let mut column = Column::new(backward);
    let mut best = (Similarity { distance: m, longest: m }, 0, false);
    for (len, &c) in (1..).zip(text.iter().rev()) {
        column.step(backward, c, 1);
        let similarity = Similarity { distance: column.score, longest: m.max(len) };
        let agrees = pattern.first() == Some(&c);
        if best.1 == 0 || similarity > best.0 || (agrees && !best.2 && similarity == best.0) {
            best = (similarity, len, agrees);
        }
    }
    (best.0, best.1)
}

/// Where the best window that ends with `text` starts.
pub(super) fn start_of(pattern: &[char], text: &[char], threshold: f64) -> usize {
    let reach = longest_window(pattern.len(), threshold).min(text.len());
    let backward = Pattern::new(&pattern.iter().rev().copied().collect::<Vec<_>>());
    text.len() - best_start(&backward, &text[text.len() - reach..], pattern).1
}

/// How many of the two edges of a window hold another scalar than the pattern's.
fn edges_that_differ(pattern: &[char], window: &[char]) -> usize {
    usize::from(pattern.first() != window.first()) + usize::from(pattern.last() != window.last())
}

/// One window for each run of overlapping ones: the one with the fewest faults, then the shortest, then the leftmost.
fn places(mut windows: Vec<Window>, faults: impl Fn(Window) -> usize) -> Vec<Window> {
    windows.sort_unstable_by_key(|w| (w.start, w.end));
    let rank = |w: Window| (faults(w), w.end - w.start);
    let mut out: Vec<Window> = Vec::new();
    let mut reach = 0;
    for window in windows {
        match out.last_mut() {
            Some(last) if window.start < reach => {
                if rank(window) < rank(*last) {
                    *last = window;
                }
            }
            _ => out.push(window),
        }
        reach = reach.max(window.end);
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Every window, each measured in full.
    fn reference(pattern: &[char], text: &[char], threshold: f64) -> Option<Best> {
        let mut all = Vec::new();
        for start in 0..text.len() {
            for end in start + 1..=text.len() {
                let distance = strsim::generic_levenshtein(&pattern.to_vec(), &text[start..end].to_vec());
                all.push((Similarity { distance, longest: pattern.len().max(end - start) }, Window { start, end }));
            }
        }
        let similarity = all.iter().map(|a| a.0).max()?;
        // As the search does, only one window of each end takes part in a tie.
        let rank = |w: Window| (pattern.first() != Some(&text[w.start]), w.end - w.start);
        let mut ties: Vec<Window> = Vec::new();
        for &(_, w) in all.iter().filter(|a| a.0 == similarity) {
            match ties.iter_mut().find(|t| t.end == w.end) {
                Some(tie) if rank(w) < rank(*tie) => *tie = w,
                Some(_) => {}
                None => ties.push(w),
            }
        }
        let places = |ties| places(ties, |w| edges_that_differ(pattern, &text[w.start..w.end]));
        Some(Best { similarity, windows: if similarity.reaches(threshold) { places(ties) } else { vec![] }, work: 0 })
    }

    fn chars(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn equals_a_naive_search(pattern in "[ab cä五]{1,9}", text in "[ab cä五]{1,24}", threshold in 0.3f64..1.0) {
            let (p, t) = (chars(&pattern), chars(&text));
            let (got, want) = (best(&p, &t, threshold), reference(&p, &t, threshold));
            if let (Some(got), Some(want)) = (got, want) {
                prop_assert_eq!(&got.windows, &want.windows);
                if !want.windows.is_empty() {
                    prop_assert_eq!(got.similarity, want.similarity);
                }
                prop_assert!(got.similarity <= want.similarity);
            }
        }

        #[test]
        fn equals_a_naive_search_across_blocks(pattern in "[ab]{60,140}", cut in 0usize..50, extra in "[ab]{0,6}") {
            let text = format!("{extra}{}{extra}", pattern.get(cut..).unwrap_or(""));
            let (p, t) = (chars(&pattern), chars(&text));
            prop_assert_eq!(Pattern::new(&p).distance(&t), strsim::levenshtein(&pattern, &text));
            let got = best(&p, &t, 0.1).map(|b| b.similarity);
            let whole = Similarity { distance: strsim::levenshtein(&pattern, &text), longest: p.len().max(t.len()) };
            prop_assert!(got >= Some(whole));
        }
    }

    #[test]
    fn windows_across_blocks_equal_the_naive_search() {
        let pattern: String = (0..130u32).filter_map(|i| char::from_u32(97 + i * i % 23)).collect();
        let text = format!("zz{}x{}yy", &pattern[..70], &pattern[71..]);
        let (p, t) = (chars(&pattern), chars(&text));
        let best = best(&p, &t, 0.9).expect("a window");
        assert_eq!((best.similarity.distance, best.similarity.longest, &best.windows[..]), (1, 130, &[Window { start: 2, end: 132 }][..]));
    }

    #[test]
    fn equal_places_are_all_listed_leftmost_first() {
        let (p, t) = (chars("one two three"), chars("one twa three. And one twa three."));
        let got = best(&p, &t, 0.8).unwrap();
        assert_eq!(got.windows, [Window { start: 0, end: 13 }, Window { start: 19, end: 32 }]);
    }

    #[test]
    fn empty_sides_have_no_best_window() {
        assert_eq!(best(&[], &chars("a"), 0.8), None);
        assert_eq!(best(&chars("a"), &[], 0.8), None);
        assert_eq!(best(&chars("abc"), &chars("abd"), f64::NAN).map(|b| b.windows), Some(vec![]));
    }
}
