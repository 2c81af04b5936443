//! Bit-parallel text comparison: length of the longest common subsequence, and Levenshtein distance. Exact for any size, no clock.
//!
//! Both work on one bit per scalar of the pattern, so that a word advances 128 cells of the usual table at once:
//! the subsequence after Crochemore et al. 2001 in Hyyrö's form (2004), the distance after Myers 1999 in Hyyrö's form (2003).
//! The table is gone through in strips of rows: what one strip needs stays in registers, its lower edge is the next one's upper edge,
//! and a strip of the distance is only as wide as the bound lets a best path be (Ukkonen 1985).

use super::bytes::ascii_run;

/// The rows of a strip, a bit each.
type Word = u128;
const ROWS: usize = Word::BITS as usize;

/// The scalars of a text.
pub(super) fn chars(text: &str) -> Vec<char> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let plain = ascii_run(rest.as_bytes());
        out.extend(rest.as_bytes()[..plain].iter().map(|byte| char::from(*byte)));
        rest = &rest[plain..];
        let wide = rest.bytes().position(|byte| byte.is_ascii()).unwrap_or(rest.len());
        out.extend(rest[..wide].chars());
        rest = &rest[wide..];
    }
    out
}

/// Number of scalars; for ASCII that is the number of bytes.
pub(super) fn scalars(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().count() }
}

/// Cuts what both texts begin and end with. The common part never matters: some best subsequence and some shortest edit keep all of it.
pub(super) fn trim_common<'a, 'b>(a: &'a [char], b: &'b [char]) -> (&'a [char], &'b [char]) {
    let start = common_prefix(a, b);
    let (a, b) = (&a[start..], &b[start..]);
    let end = common_suffix(a, b);
    (&a[..a.len() - end], &b[..b.len() - end])
}

/// Whole chunks are compared at once, then the scalars of the first chunk that differs.
const CHUNK: usize = 16;

fn common_prefix(a: &[char], b: &[char]) -> usize {
    let whole = a.chunks_exact(CHUNK).zip(b.chunks_exact(CHUNK)).take_while(|(x, y)| x == y).count() * CHUNK;
    whole + a[whole..].iter().zip(&b[whole..]).take_while(|(x, y)| x == y).count()
}

fn common_suffix(a: &[char], b: &[char]) -> usize {
    let whole = a.rchunks_exact(CHUNK).zip(b.rchunks_exact(CHUNK)).take_while(|(x, y)| x == y).count() * CHUNK;
    let (a, b) = (&a[..a.len() - whole], &b[..b.len() - whole]);
    whole + a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count()
}

/// Where each scalar of a strip of the pattern occurs, a bit a row. Scalars beyond ASCII are in a small hash table, made when one comes.
struct Masks {
    ascii: [Word; 128],
    wide: Vec<(char, Word)>,
}

/// More than a strip has rows, so that there is always a free place. A NUL is ASCII and marks it.
const WIDE: usize = 2 * ROWS;
const FREE: (char, Word) = ('\0', 0);

impl Masks {
    const fn new() -> Masks {
        Masks { ascii: [0; 128], wide: Vec::new() }
    }

    /// The first scalar of `strip` gets the row `first`.
    fn set(&mut self, strip: &[char], first: usize) {
        let mut bit: Word = 1 << first;
        for symbol in strip {
            match self.ascii.get_mut(*symbol as usize) {
                Some(mask) => *mask |= bit,
                None => {
                    self.wide.resize(WIDE, FREE);
                    let at = self.place(*symbol);
                    self.wide[at] = (*symbol, self.wide[at].1 | bit);
                }
            }
            bit <<= 1;
        }
    }

    fn clear(&mut self, strip: &[char]) {
        for symbol in strip.iter().filter(|symbol| symbol.is_ascii()) {
            self.ascii[*symbol as usize] = 0;
        }
        self.wide.clear();
    }

    #[inline]
    fn get(&self, symbol: char) -> Word {
        match self.ascii.get(symbol as usize) {
            Some(mask) => *mask,
            None if self.wide.is_empty() => 0,
            None => self.wide[self.place(symbol)].1,
        }
    }

    /// Where a scalar beyond ASCII stands in the table, or would.
    fn place(&self, symbol: char) -> usize {
        let mut at = symbol as usize % WIDE;
        while self.wide[at].0 != symbol && self.wide[at] != FREE {
            at = (at + 1) % WIDE;
        }
        at
    }
}

/// The last 64 rows of a strip and the first ones.
fn halves(word: Word) -> (u64, u64) {
    ((word >> 64) as u64, word as u64)
}

/// The shorter one first: it is the pattern.
fn ordered<'a>(a: &'a [char], b: &'a [char]) -> (&'a [char], &'a [char]) {
    if a.len() <= b.len() { (a, b) } else { (b, a) }
}

/// Columns of strips that one comparison may take: about a tenth of a second, two texts of 45000 scalars that have little in common.
pub(super) const WORK_MAX: usize = 1 << 24;

/// Columns of strips that [`common_subsequence`] takes.
pub(super) fn work(a: &[char], b: &[char]) -> usize {
    a.len().min(b.len()).div_ceil(ROWS).saturating_mul(a.len().max(b.len()))
}

/// Length in scalars of the longest common subsequence.
pub(super) fn common_subsequence(a: &[char], b: &[char]) -> usize {
    let (pattern, text) = ordered(a, b);
    let mut masks = Masks::new();
    // For each scalar of the text, the carry out of the strip above.
    let mut carries = vec![0; text.len()];
    let mut length = 0;
    for strip in pattern.chunks(ROWS) {
        masks.set(strip, 0);
        // A zero bit marks a step of the table's row: the subsequence grows by one at this scalar of the pattern.
        let (mut lower, mut upper) = halves(Word::MAX);
        for (symbol, carry) in text.iter().zip(&mut carries) {
            let (lower_mask, upper_mask) = halves(masks.get(*symbol));
            let (upper_hit, lower_hit) = (upper & upper_mask, lower & lower_mask);
            let (upper_sum, over) = upper.carrying_add(upper_hit, *carry != 0);
            let (lower_sum, over) = lower.carrying_add(lower_hit, over);
            *carry = u8::from(over);
            (upper, lower) = (upper_sum | (upper ^ upper_hit), lower_sum | (lower ^ lower_hit));
        }
        // Rows beyond the strip's end match nothing and stay ones.
        length += (upper.count_zeros() + lower.count_zeros()) as usize;
        masks.clear(strip);
    }
    length
}

/// How the table changes along the edge between two strips, from one scalar of the text to the next.
#[derive(Clone, Copy)]
struct Edge {
    rises: bool,
    falls: bool,
}

const RISING: Edge = Edge { rises: true, falls: false };

/// How much a stretch of an edge rises.
fn slope(edge: &[Edge]) -> isize {
    edge.iter().map(|step| isize::from(step.rises) - isize::from(step.falls)).sum()
}

/// Levenshtein distance in scalars, if it is at most `bound` (the closer that is, the less there is to do) and takes at most `work` columns.
pub(super) fn distance(a: &[char], b: &[char], bound: usize, work: usize) -> Option<usize> {
    let (pattern, text) = ordered(a, b);
    let (n, m, bound) = (pattern.len() as isize, text.len() as isize, bound.min(isize::MAX as usize / 4) as isize);
    if n == 0 || m - n > bound {
        return (m <= bound).then_some(m as usize);
    }
    let mut work = work;
    let mut masks = Masks::new();
    // The upper edge of the next strip. Beyond what the strip above has looked at it rises: no best path is there, and too large a value
    // cannot make one.
    let mut edge = vec![RISING; text.len()];
    let mut looked_at = 0;
    // What a path at the upper edge of a strip, `left` rows from the end, costs at least from there on.
    let rest = |left: isize, column: usize| (left - (m - column as isize)).abs();
    // A path comes down into the next strip in the columns `from..=until`; the table's values there.
    let (mut from, mut at_from) = (0, 0);
    let (mut until, mut at_until) = (bound.min(m) as usize, bound.min(m));
    // The first strip is filled up from above, so that every strip ends with the word's last bit: rows without a rise repeat the row above.
    let short = pattern.len().next_multiple_of(ROWS) - pattern.len();
    let mut left = n;
    while left > 0 {
        let (strip, filled) =
            if left == n { (&pattern[..ROWS - short], short) } else { (&pattern[pattern.len() - left as usize..][..ROWS], 0) };
        while at_until + rest(left, until) > bound {
            until -= 1;
            at_until -= slope(&edge[until..=until]);
        }
        left -= strip.len() as isize;
        masks.set(strip, filled);
        let mut column = Column::rising_from(filled);
        column.walk(&masks, &text[from..until], &mut edge[from..until]);
        at_from += strip.len() as isize;
        at_until = at_from + slope(&edge[from..until]);
        // Further to the right a path can only come from the left.
        while until < text.len() && at_until + left - m + until as isize <= bound {
            let some = until..text.len().min(until + STRIDE);
            column.walk(&masks, &text[some.clone()], &mut edge[some.clone()]);
            at_until += slope(&edge[some.clone()]);
            until = some.end;
        }
        masks.clear(strip);
        work = work.checked_sub(until - from)?;
        edge[until..looked_at.max(until)].fill(RISING);
        looked_at = until;
        while at_from + rest(left, from) > bound {
            if from == until {
                return None;
            }
            at_from += slope(&edge[from..=from]);
            from += 1;
        }
    }
    (until == text.len() && at_until <= bound).then_some(at_until as usize)
}

/// Columns that are gone through before the bound is looked at again.
const STRIDE: usize = 16;

/// One column of a strip of the distance table, in halves. The lower one is a column behind, so that neither waits for the other.
struct Column([Half; 2]);

/// 64 rows as vertical differences: where the column rises and where it falls by one.
#[derive(Clone, Copy)]
struct Half {
    up: u64,
    down: u64,
}

impl Column {
    /// A column that rises at every row but the first ones.
    fn rising_from(row: usize) -> Column {
        let (lower, upper) = halves(Word::MAX << row);
        Column([upper, lower].map(|up| Half { up, down: 0 }))
    }

    /// Goes on over `text`. `edge` is the strip's upper edge there, and becomes its lower one.
    fn walk(&mut self, masks: &Masks, text: &[char], edge: &mut [Edge]) {
        let [upper, lower] = &mut self.0;
        let Some((first, rest)) = text.split_first() else { return };
        let (mut lower_mask, upper_mask) = halves(masks.get(*first));
        let mut middle = upper.step(upper_mask, edge[0]);
        for (at, symbol) in rest.iter().enumerate() {
            let (next_lower, upper_mask) = halves(masks.get(*symbol));
            let next = upper.step(upper_mask, edge[at + 1]);
            edge[at] = lower.step(lower_mask, middle);
            (lower_mask, middle) = (next_lower, next);
        }
        edge[rest.len()] = lower.step(lower_mask, middle);
    }
}

impl Half {
    /// Goes on by one column: from the step along the edge above to the one along the last row.
    #[inline]
    fn step(&mut self, mask: u64, above: Edge) -> Edge {
        let Half { up, down } = *self;
        let match_or_fall = mask | u64::from(above.falls);
        let diagonal = ((match_or_fall & up).wrapping_add(up) ^ up) | match_or_fall | down;
        let (rises, falls) = (down | !(diagonal | up), diagonal & up);
        let (rise, fall) = (rises << 1 | u64::from(above.rises), falls << 1 | u64::from(above.falls));
        *self = Half { up: fall | !(diagonal | rise), down: rise & diagonal };
        Edge { rises: rises >> 63 != 0, falls: falls >> 63 != 0 }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn subsequence_by_table(a: &str, b: &str) -> usize {
        let b: Vec<char> = b.chars().collect();
        let mut row = vec![0; b.len() + 1];
        for x in a.chars() {
            let mut diagonal = 0;
            for (j, y) in b.iter().enumerate() {
                let above = row[j + 1];
                row[j + 1] = if x == *y { diagonal + 1 } else { above.max(row[j]) };
                diagonal = above;
            }
        }
        row[b.len()]
    }

    fn distance_by_table(a: &str, b: &str) -> usize {
        let b: Vec<char> = b.chars().collect();
        let mut row: Vec<usize> = (0..=b.len()).collect();
        for (i, x) in a.chars().enumerate() {
            let mut diagonal = row[0];
            row[0] = i + 1;
            for (j, y) in b.iter().enumerate() {
                let above = row[j + 1];
                row[j + 1] = (diagonal + usize::from(x != *y)).min(above + 1).min(row[j] + 1);
                diagonal = above;
            }
        }
        row[b.len()]
    }

    fn check(a: &str, b: &str) {
        let (x, y) = (chars(a), chars(b));
        assert_eq!((x.iter().collect::<String>(), x.len()), (a.to_owned(), scalars(a)));
        let (kept, distant) = (subsequence_by_table(a, b), distance_by_table(a, b));
        assert_eq!(common_subsequence(&x, &y), kept, "{a:?} {b:?}");
        for bound in [distant, distant + 1, 2 * distant, x.len().max(y.len()), usize::MAX] {
            assert_eq!(distance(&x, &y, bound, usize::MAX), Some(distant), "{bound} {a:?} {b:?}");
        }
        for bound in [0, distant / 2, distant.saturating_sub(1)].into_iter().filter(|bound| *bound < distant) {
            assert_eq!(distance(&x, &y, bound, usize::MAX), None, "{bound} {a:?} {b:?}");
        }
        let (c, d) = trim_common(&x, &y);
        assert_eq!(x.len() - c.len(), y.len() - d.len(), "{a:?} {b:?}");
        assert_eq!(distance(c, d, usize::MAX, usize::MAX), Some(distant), "{a:?} {b:?}");
        assert_eq!(x.len() - c.len() + common_subsequence(c, d), kept, "{a:?} {b:?}");
    }

    #[test]
    fn word_borders_are_exact() {
        for n in [1, 2, 63, 64, 65, 127, 128, 129, 255, 256, 257, 300] {
            for m in [0, 1, 63, 64, 65, 128, 130, 260] {
                check(&"ab".repeat(n)[..n], &"ba".repeat(m)[..m]);
                check(&"a".repeat(n), &"a".repeat(m));
                check(&"aé".repeat(n), &"é€".repeat(m));
            }
        }
    }

    #[test]
    fn the_common_ends_are_cut() {
        check("é", "è");
        check("日本", "旦本");
        check("👍🏽", "👍🏿");
        assert_eq!(trim_common(&chars("xéy"), &chars("xèy")), (&['é'][..], &['è'][..]));
        assert_eq!(trim_common(&chars("aa"), &chars("a")), (&['a'][..], &[][..]));
    }

    proptest! {
        #[test]
        fn agrees_with_the_tables(a in "[ab cé日👍]{0,220}", b in "[ab cé日👍]{0,220}") {
            check(&a, &b);
        }

        #[test]
        fn agrees_with_the_tables_on_any_unicode(a in any::<String>(), b in any::<String>()) {
            check(&a, &b);
        }

        #[test]
        fn agrees_with_the_tables_on_edited_ascii(a in "[a-e ]{0,300}", cut in 0usize..300, gone in 0usize..80, new in "[a-e ]{0,80}") {
            let at = cut.min(a.len());
            let end = (at + gone).min(a.len());
            check(&a, &format!("{}{new}{}", &a[..at], &a[end..]));
        }
    }
}
