//! Bit-parallel text comparison: length of the longest common subsequence, and Levenshtein distance. Exact for any size, no clock.
//!
//! Both work on one bit per scalar of the pattern, so that a machine word advances 64 cells of the usual table at once:
//! the subsequence after Crochemore et al. 2001 in Hyyrö's form (2004), the distance after Myers 1999 in Hyyrö's form (2003).

const WORD: usize = u64::BITS as usize;

/// Where each scalar of the pattern occurs, as one row of bits per distinct scalar. Row 0 is empty: a scalar the pattern lacks.
struct Masks {
    words: usize,
    rows: Vec<u64>,
    ascii: [u32; 128],
    /// Distinct scalars beyond ASCII, sorted; the n-th one has row `first_wide + n`.
    wide: Vec<char>,
    first_wide: u32,
}

impl Masks {
    fn new(pattern: &str, scalars: usize) -> Masks {
        let words = scalars.div_ceil(WORD);
        let mut ascii = [0u32; 128];
        let mut wide: Vec<char> = Vec::new();
        let mut next = 1;
        for symbol in pattern.chars() {
            match ascii.get_mut(symbol as usize) {
                Some(row) if *row == 0 => {
                    *row = next;
                    next += 1;
                }
                Some(_) => {}
                None => wide.push(symbol),
            }
        }
        wide.sort_unstable();
        wide.dedup();
        let mut masks = Masks { words, rows: vec![0; (next as usize + wide.len()) * words], ascii, wide, first_wide: next };
        for (at, symbol) in pattern.chars().enumerate() {
            let row = masks.row_index(symbol);
            masks.rows[row * words + at / WORD] |= 1 << (at % WORD);
        }
        masks
    }

    fn row_index(&self, symbol: char) -> usize {
        match self.ascii.get(symbol as usize) {
            Some(row) => *row as usize,
            None => self.wide.binary_search(&symbol).map_or(0, |n| self.first_wide as usize + n),
        }
    }

    fn row(&self, symbol: char) -> &[u64] {
        let start = self.row_index(symbol) * self.words;
        &self.rows[start..start + self.words]
    }
}

/// Cuts what both texts begin and end with. The common part never matters: some best subsequence and some shortest edit keep all of it.
pub(super) fn trim_common<'a, 'b>(a: &'a str, b: &'b str) -> (&'a str, &'b str) {
    let mut start = common_prefix(a.as_bytes(), b.as_bytes());
    // Equal bytes so far, so a boundary of one text is a boundary of the other.
    while !a.is_char_boundary(start) || !b.is_char_boundary(start) {
        start -= 1;
    }
    let (a, b) = (&a[start..], &b[start..]);
    let mut end = common_suffix(a.as_bytes(), b.as_bytes());
    while !a.is_char_boundary(a.len() - end) || !b.is_char_boundary(b.len() - end) {
        end -= 1;
    }
    (&a[..a.len() - end], &b[..b.len() - end])
}

/// Whole chunks are compared at once, then the bytes of the first chunk that differs.
const CHUNK: usize = 32;

fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let whole = a.chunks_exact(CHUNK).zip(b.chunks_exact(CHUNK)).take_while(|(x, y)| x == y).count() * CHUNK;
    whole + a[whole..].iter().zip(&b[whole..]).take_while(|(x, y)| x == y).count()
}

fn common_suffix(a: &[u8], b: &[u8]) -> usize {
    let whole = a.rchunks_exact(CHUNK).zip(b.rchunks_exact(CHUNK)).take_while(|(x, y)| x == y).count() * CHUNK;
    let (a, b) = (&a[..a.len() - whole], &b[..b.len() - whole]);
    whole + a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count()
}

/// Number of scalars; for ASCII that is the number of bytes.
pub(super) fn scalars(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().count() }
}

/// Length in scalars of the longest common subsequence of two texts that hold `n` and `m` scalars.
pub(super) fn common_subsequence(a: &str, n: usize, b: &str, m: usize) -> usize {
    let (pattern, length, text) = if n <= m { (a, n, b) } else { (b, m, a) };
    if length == 0 {
        return 0;
    }
    let masks = Masks::new(pattern, length);
    // A zero bit marks a step of the table's row: the subsequence grows by one at this scalar of the pattern.
    let open: usize = if masks.words == 1 {
        let mut v = u64::MAX;
        for_each_scalar(text, |symbol| {
            let hit = v & masks.row(symbol)[0];
            v = v.wrapping_add(hit) | (v - hit);
        });
        ones(&[v], length)
    } else {
        let mut v = vec![u64::MAX; masks.words];
        for_each_scalar(text, |symbol| {
            let mut carry = false;
            for (v, mask) in v.iter_mut().zip(masks.row(symbol)) {
                let hit = *v & mask;
                let (sum, over) = v.carrying_add(hit, carry);
                carry = over;
                *v = sum | (*v & !mask);
            }
        });
        ones(&v, length)
    };
    length - open
}

/// Levenshtein distance in scalars of two texts that hold `n` and `m` scalars.
pub(super) fn distance(a: &str, n: usize, b: &str, m: usize) -> usize {
    let (pattern, length, text, other) = if n <= m { (a, n, b, m) } else { (b, m, a, n) };
    if length == 0 {
        return other;
    }
    let masks = Masks::new(pattern, length);
    let last = 1u64 << ((length - 1) % WORD);
    // Per word the vertical differences of the current column: where the table rises and where it falls by one.
    let mut column = vec![(u64::MAX, 0u64); masks.words];
    let mut score = length;
    for_each_scalar(text, |symbol| {
        // The top row of the table rises by one at each scalar of the text.
        let (mut rise_in, mut fall_in) = (1u64, 0u64);
        let (mut rise_out, mut fall_out) = (0u64, 0u64);
        for ((up, down), mask) in column.iter_mut().zip(masks.row(symbol)) {
            let match_or_fall = mask | fall_in;
            let diagonal = ((match_or_fall & *up).wrapping_add(*up) ^ *up) | match_or_fall | *down;
            rise_out = *down | !(diagonal | *up);
            fall_out = diagonal & *up;
            let rise = (rise_out << 1) | rise_in;
            let fall = (fall_out << 1) | fall_in;
            (rise_in, fall_in) = (rise_out >> (WORD - 1), fall_out >> (WORD - 1));
            *up = fall | !(diagonal | rise);
            *down = rise & diagonal;
        }
        score += usize::from(rise_out & last != 0);
        score -= usize::from(fall_out & last != 0);
    });
    score
}

fn for_each_scalar(text: &str, step: impl FnMut(char)) {
    if text.is_ascii() {
        text.bytes().map(char::from).for_each(step);
    } else {
        text.chars().for_each(step);
    }
}

/// Ones among the lowest `bits` bits.
fn ones(words: &[u64], bits: usize) -> usize {
    let all: u32 = words.iter().map(|word| word.count_ones()).sum();
    let unused = words.len() * WORD - bits;
    let above = words.last().map_or(0, |word| if unused == 0 { 0 } else { (word >> (WORD - unused)).count_ones() });
    (all - above) as usize
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
        let (n, m) = (scalars(a), scalars(b));
        assert_eq!(common_subsequence(a, n, b, m), subsequence_by_table(a, b), "{a:?} {b:?}");
        assert_eq!(distance(a, n, b, m), distance_by_table(a, b), "{a:?} {b:?}");
        let (c, d) = trim_common(a, b);
        assert_eq!(n - scalars(c), m - scalars(d), "{a:?} {b:?}");
        assert_eq!(distance(c, scalars(c), d, scalars(d)), distance_by_table(a, b), "{a:?} {b:?}");
        assert_eq!(n - scalars(c) + subsequence_by_table(c, d), subsequence_by_table(a, b), "{a:?} {b:?}");
    }

    #[test]
    fn word_borders_are_exact() {
        for n in [1, 2, 63, 64, 65, 127, 128, 129, 192, 200] {
            for m in [0, 1, 63, 64, 65, 128, 130] {
                check(&"ab".repeat(n)[..n], &"ba".repeat(m)[..m]);
                check(&"a".repeat(n), &"a".repeat(m));
                check(&"aé".repeat(n), &"é€".repeat(m));
            }
        }
    }

    #[test]
    fn scalars_that_share_leading_bytes_are_not_split() {
        check("é", "è");
        check("日本", "旦本");
        check("👍🏽", "👍🏿");
        assert_eq!(trim_common("xéy", "xèy"), ("é", "è"));
        assert_eq!(trim_common("aa", "a"), ("a", ""));
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
