//! How much changed between two texts (exact counts) and what changed (a word diff for people).

use std::collections::HashMap;

use similar::{Algorithm, DiffOp, capture_diff_slices};
use unicode_segmentation::UnicodeSegmentation;

use super::{bits, near};
use crate::model::Span;

/// Size of a shortest edit script that only deletes and inserts, in Unicode scalars. A replaced scalar counts on both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Changed {
    pub deleted: usize,
    pub inserted: usize,
}

impl Changed {
    /// Scalars deleted plus scalars inserted: `chars_changed` of docs/metrics.md.
    pub const fn total(self) -> usize {
        self.deleted + self.inserted
    }
}

/// Scalars deleted and inserted on the way from `before` to `after`: both lengths minus the longest common subsequence, so the two
/// numbers are the same whatever algorithm finds them. Exact for any size, and for two books it takes its time.
pub fn changed(before: &str, after: &str) -> Changed {
    let (before, after) = (bits::chars(before), bits::chars(after));
    let (before, after) = bits::trim_common(&before, &after);
    kept(before, after, bits::common_subsequence(before, after))
}

fn kept(before: &[char], after: &[char], kept: usize) -> Changed {
    Changed { deleted: before.len() - kept, inserted: after.len() - kept }
}

/// The scalars of a text, for comparing it with several others.
pub fn scalars(text: &str) -> Vec<char> {
    bits::chars(text)
}

/// Points and scalars that are looked at where texts are too long for a table; a text that was edited here and there takes less.
const NEAR_WORK_MAX: usize = 1 << 25;

/// [`changed`] of texts that are taken apart already. None where they are too long and differ too much: it is not known then, and a number would
/// be wrong. What decides is counted in steps, so it is the same on every machine.
pub fn changed_scalars(before: &[char], after: &[char]) -> Option<Changed> {
    let (before, after) = bits::trim_common(before, after);
    if bits::work(before, after) <= bits::WORK_MAX {
        return Some(kept(before, after, bits::common_subsequence(before, after)));
    }
    let edits = near::indel(before, after, NEAR_WORK_MAX)?;
    Some(kept(before, after, (before.len() + after.len() - edits) / 2))
}

/// Levenshtein distance in Unicode scalars (a replaced scalar counts once). Exact for any size.
pub fn levenshtein(a: &str, b: &str) -> usize {
    let (a, b) = (bits::chars(a), bits::chars(b));
    bits::distance(&a, &b, usize::MAX, usize::MAX).unwrap_or_default()
}

/// [`levenshtein`] of texts that are taken apart already. `bound` is a number that the distance cannot exceed: the closer it is, the less there
/// is to do. None where the texts are too long and differ too much, as with [`changed_scalars`].
pub fn levenshtein_scalars(a: &[char], b: &[char], bound: usize) -> Option<usize> {
    let (a, b) = bits::trim_common(a, b);
    if near::is_near(a.len(), b.len(), bound) { near::distance(a, b, bound) } else { bits::distance(a, b, bound, bits::WORK_MAX) }
}

/// What a piece of a word diff is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Op {
    Equal,
    Delete,
    Insert,
}

/// One piece of a word diff, in bytes of either text. The span of the side that a piece does not touch is empty and says where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    pub op: Op,
    pub before: Span,
    pub after: Span,
}

/// A word diff as text: the Equal and Delete pieces spell `before`, the Equal and Insert pieces spell `after`.
pub fn words(before: &str, after: &str) -> Vec<(Op, String)> {
    pieces(before, after)
        .into_iter()
        .map(|piece| {
            let (span, text) = if piece.op == Op::Insert { (piece.after, after) } else { (piece.before, before) };
            (piece.op, text[span.start..span.end].to_owned())
        })
        .collect()
}

/// A word diff as spans, in text order, neighbours of one kind joined, a deletion before the insertion that replaces it. It is made for
/// reading: use [`changed`] for figures.
pub fn pieces(before: &str, after: &str) -> Vec<Piece> {
    let (old, new) = (tokens(before), tokens(after));
    let same = |(a, b): &(&Token, &Token)| before[a.start..a.word_end] == after[b.start..b.word_end];
    let head = old.iter().zip(&new).take_while(same).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(same).count();
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    let mut out = Pieces::default();
    out.equal(before, &old[..head], after, &new[..head]);
    out.middle(before, &old[head..old_end], after, &new[head..new_end]);
    out.equal(before, &old[old_end..], after, &new[new_end..]);
    out.done
}

/// Each word as a number, equal words as equal ones: the diff compares them many times.
fn numbered<'a>(text: &'a str, tokens: &[Token], numbers: &mut HashMap<&'a str, u32>) -> Vec<u32> {
    let word = |token: &Token| &text[token.start..token.word_end];
    tokens
        .iter()
        .map(|token| {
            let next = numbers.len() as u32;
            *numbers.entry(word(token)).or_insert(next)
        })
        .collect()
}

/// A word with the white space behind it.
#[derive(Debug, Clone, Copy)]
struct Token {
    start: usize,
    word_end: usize,
    end: usize,
}

fn length(tokens: &[Token]) -> usize {
    tokens.iter().map(|token| token.end - token.start).sum()
}

/// Cuts a text into words with their white space. A run without blanks is one word, unless it holds letters of a script that writes
/// none: then its words are those of Unicode's word boundaries. White space before the first word is a token with an empty word.
fn tokens(text: &str) -> Vec<Token> {
    let mut out = Vec::with_capacity(text.len() / 6 + 1);
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let word_end = at + rest.find(char::is_whitespace).unwrap_or(rest.len());
        let tail = &text[word_end..];
        let end = word_end + tail.find(|c: char| !c.is_whitespace()).unwrap_or(tail.len());
        let word = &text[at..word_end];
        let mut start = at;
        if !word.is_ascii() && word.chars().any(is_unspaced) {
            for part in word.split_word_bounds() {
                let part_end = start + part.len();
                out.push(Token { start, word_end: part_end, end: if part_end == word_end { end } else { part_end } });
                start = part_end;
            }
        } else {
            out.push(Token { start, word_end, end });
        }
        at = end;
    }
    out
}

/// Letters of scripts written without blanks between words: Chinese, Japanese, Thai, Lao, Burmese, Khmer.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{3040}'..='\u{30FF}'
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

/// Pieces under construction: where both sides stand, and what has been said so far.
#[derive(Default)]
struct Pieces {
    before: usize,
    after: usize,
    done: Vec<Piece>,
}

impl Pieces {
    fn push(&mut self, op: Op, before: usize, after: usize) {
        if before + after == 0 {
            return;
        }
        let piece = Piece { op, before: Span::new(self.before, self.before + before), after: Span::new(self.after, self.after + after) };
        (self.before, self.after) = (piece.before.end, piece.after.end);
        match self.done.last_mut() {
            Some(last) if last.op == op => (last.before.end, last.after.end) = (piece.before.end, piece.after.end),
            _ => self.done.push(piece),
        }
    }

    fn delete(&mut self, bytes: usize) {
        // A deletion right behind an insertion is moved in front of it, so that a change always reads old first, new second.
        if let [.., insert] = self.done.as_mut_slice()
            && insert.op == Op::Insert
            && bytes > 0
        {
            let moved = *insert;
            self.done.pop();
            self.after = moved.after.start;
            self.push(Op::Delete, bytes, 0);
            self.push(Op::Insert, 0, moved.after.len());
        } else {
            self.push(Op::Delete, bytes, 0);
        }
    }

    fn insert(&mut self, bytes: usize) {
        self.push(Op::Insert, 0, bytes);
    }

    /// What lies between a common beginning and end. Histogram keeps to rare words, which reads best, and is the fastest on rewrites.
    fn middle(&mut self, before: &str, old: &[Token], after: &str, new: &[Token]) {
        let mut numbers = HashMap::new();
        let (old_words, new_words) = (numbered(before, old, &mut numbers), numbered(after, new, &mut numbers));
        for op in capture_diff_slices(Algorithm::Histogram, &old_words, &new_words) {
            match op {
                DiffOp::Equal { old_index, new_index, len } => {
                    self.equal(before, &old[old_index..old_index + len], after, &new[new_index..new_index + len]);
                }
                DiffOp::Delete { old_index, old_len, .. } => self.delete(length(&old[old_index..old_index + old_len])),
                DiffOp::Insert { new_index, new_len, .. } => self.insert(length(&new[new_index..new_index + new_len])),
                DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                    self.delete(length(&old[old_index..old_index + old_len]));
                    self.insert(length(&new[new_index..new_index + new_len]));
                }
            }
        }
    }

    fn equal(&mut self, before: &str, old: &[Token], after: &str, new: &[Token]) {
        for (a, b) in old.iter().zip(new) {
            self.equal_token(before, *a, after, *b);
        }
    }

    /// The words are equal; the white space behind them need not be.
    fn equal_token(&mut self, before: &str, a: Token, after: &str, b: Token) {
        if before[a.word_end..a.end] == after[b.word_end..b.end] {
            self.push(Op::Equal, a.end - a.start, b.end - b.start);
        } else {
            self.push(Op::Equal, a.word_end - a.start, b.word_end - b.start);
            self.delete(a.end - a.word_end);
            self.insert(b.end - b.word_end);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn input(name: &str) -> String {
        let path = format!("{}/tests/data/locality/D01-clock-free-diff/{name}.txt", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).expect("a kept input")
    }

    #[test]
    fn counts_are_those_of_a_shortest_script() {
        let cases = [
            (&*input("old"), &*input("new"), 1049, 1049),
            (&*input("emoji_old"), &*input("emoji_new"), 2, 2),
            (&*input("repeat_old"), &*input("repeat_new"), 4, 0),
            ("", "", 0, 0),
            ("", "日本", 0, 2),
            ("kitten", "sitting", 2, 3),
        ];
        for (before, after, deleted, inserted) in cases {
            assert_eq!(changed(before, after), Changed { deleted, inserted });
            assert_eq!(changed(after, before), Changed { deleted: inserted, inserted: deleted });
        }
        assert_eq!(levenshtein("kitten", "sitting"), 3);
    }

    #[test]
    fn texts_that_are_too_long_and_too_different_have_no_count() {
        let long = |words: &[&str], count: usize| -> Vec<char> { scalars(&words.iter().cycle().take(count).copied().collect::<String>()) };
        let (a, b) = (long(&["fee ", "due "], 100_000), long(&["ask ", "now ", "so "], 100_000));
        assert_eq!((changed_scalars(&a, &b), levenshtein_scalars(&a, &b, 400_000)), (None, None));
        // What is long but edited here and there is counted.
        let mut edited = a.clone();
        for at in (1_000..400_000).step_by(40_000) {
            edited.splice(at..at + 3, "XYZ+".chars());
        }
        assert_eq!(changed_scalars(&a, &edited), Some(Changed { deleted: 30, inserted: 40 }));
        assert_eq!(levenshtein_scalars(&a, &edited, 70), Some(40));
    }

    fn spell(before: &str, after: &str) -> String {
        let mark = |(op, text)| match op {
            Op::Equal => text,
            Op::Delete => format!("[-{text}-]"),
            Op::Insert => format!("[+{text}+]"),
        };
        words(before, after).into_iter().map(mark).collect()
    }

    #[test]
    fn word_diffs_read_well() {
        let cases = [
            ("It costs $15 now.", "It costs $20 now.", "It costs [-$15 -][+$20 +]now."),
            ("one two", "one two three", "one two[+ three+]"),
            ("one two\nthree", "one two three", "one two[-\n-][+ +]three"),
            (" lead", "lead", "[- -]lead"),
            ("费用是十元。", "费用是九元。", "费用是[-十-][+九+]元。"),
            ("", "new", "[+new+]"),
        ];
        for (before, after, expected) in cases {
            assert_eq!(spell(before, after), expected);
        }
    }

    proptest! {
        #[test]
        fn pieces_spell_both_texts(before in "[ab é日\n]{0,60}", after in "[ab é日\n]{0,60}") {
            let (mut old, mut new) = (String::new(), String::new());
            let (mut i, mut j) = (0, 0);
            let mut last = None;
            for piece in pieces(&before, &after) {
                prop_assert_eq!((piece.before.start, piece.after.start), (i, j));
                (i, j) = (piece.before.end, piece.after.end);
                prop_assert!(last != Some(piece.op) && (last, piece.op) != (Some(Op::Insert), Op::Delete));
                if piece.op == Op::Equal {
                    prop_assert_eq!(piece.before.of(&before), piece.after.of(&after));
                }
                last = Some(piece.op);
            }
            for (op, text) in words(&before, &after) {
                old.push_str(if op == Op::Insert { "" } else { &text });
                new.push_str(if op == Op::Delete { "" } else { &text });
            }
            prop_assert_eq!(old, before);
            prop_assert_eq!(new, after);
        }

        #[test]
        fn any_text_can_be_compared(before in any::<String>(), after in any::<String>()) {
            let found = changed(&before, &after);
            prop_assert_eq!(before.chars().count() - found.deleted, after.chars().count() - found.inserted);
            let (x, y) = (scalars(&before), scalars(&after));
            prop_assert_eq!(changed_scalars(&x, &y), Some(found));
            let distance = levenshtein(&before, &after);
            prop_assert_eq!(levenshtein_scalars(&x, &y, found.total()), Some(distance));
            prop_assert!(distance <= found.total() && found.total() <= 2 * distance);
            pieces(&before, &after);
        }
    }
}
