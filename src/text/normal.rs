//! Normalised text: the one form in which quotations and drafts are compared, with a map back to the text as stored.
//!
//! Every run of white space is one space; typographic quotes, dashes and the ellipsis become ASCII; canonical composition (NFC);
//! zero-width spaces, joiners of words, soft hyphens and direction marks are gone. Letters keep their case and compatibility forms
//! stay (no NFKC): docs/metrics.md, "Units and text".

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, is_nfc_quick};
use unicode_segmentation::UnicodeSegmentation;

use super::bytes::ascii_run;
use super::offsets::Offsets;
use crate::model::Span;

/// A text in normalised form, with a map back to byte offsets of the original.
#[derive(Debug, Clone)]
pub struct Normal {
    text: String,
    offsets: Offsets,
    /// Grapheme clusters of the original that hold more than one scalar, in order. Left empty where no scalar can form one.
    clusters: Vec<Span>,
}

impl Normal {
    pub fn new(text: &str) -> Normal {
        if text.is_ascii() {
            return ascii(text);
        }
        let clusters = if text.chars().all(stands_alone) { Vec::new() } else { clusters(text) };
        let mut writer = Writer::new(text);
        let mut at = 0;
        while at < text.len() {
            let run = plain_run(&text.as_bytes()[at..]);
            writer.copy(at, run);
            at += run;
            if let Some(c) = text[at..].chars().next() {
                writer.push(at, c);
                at += c.len_utf8();
            }
        }
        writer.end_segment();
        writer.end_blanks();
        Normal { text: writer.out, offsets: writer.offsets, clusters }
    }

    /// The normalised text. Blanks at its ends are kept (as one space).
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The bytes of the original that `start..end` of the normalised text stands for, widened to whole grapheme clusters.
    /// Ranges that do not fit are clamped; an empty range gives an empty span.
    pub fn original(&self, start: usize, end: usize) -> Span {
        let start = self.text.floor_char_boundary(start);
        let end = self.text.ceil_char_boundary(end);
        let (from, until) = self.offsets.source(start, end);
        let from = self.cluster_around(from).map_or(from, |c| c.start);
        Span::new(from, if end <= start { from } else { self.cluster_around(until).map_or(until, |c| c.end) })
    }

    /// The same for a place that was matched scalar by scalar: None where an edge cuts a grapheme cluster, because a letter without
    /// its accent is another letter. Half an ellipsis is no such case: it is widened.
    pub(super) fn located(&self, start: usize, end: usize) -> Option<Span> {
        let cuts = |at: usize| self.offsets.splits(at) && !self.text.as_bytes()[at].is_ascii();
        let (from, until) = self.offsets.source(start, end);
        let whole = |at: usize| self.cluster_around(at).is_none();
        (!cuts(start) && !cuts(end) && whole(from) && whole(until)).then(|| Span::new(from, until))
    }

    /// True where byte `at` of the original lies inside a grapheme cluster.
    pub(super) fn cuts_original(&self, at: usize) -> bool {
        self.cluster_around(at).is_some()
    }

    fn cluster_around(&self, at: usize) -> Option<Span> {
        let next = self.clusters.partition_point(|c| c.start < at);
        self.clusters.get(next.checked_sub(1)?).copied().filter(|c| at < c.end)
    }
}

/// The normalised form alone.
pub fn normalise(text: &str) -> String {
    Normal::new(text).text
}

/// ASCII needs no composition and has one-byte scalars only: what is left is to join white space.
fn ascii(text: &str) -> Normal {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut offsets = Offsets::default();
    let mut at = 0;
    while at < bytes.len() {
        let run = plain_run(&bytes[at..]);
        if run > 0 {
            out.push_str(&text[at..at + run]);
            offsets.copy(at, run);
            at += run;
        }
        let run = bytes[at..].iter().position(|&b| !char::from(b).is_whitespace()).unwrap_or(bytes.len() - at);
        if run > 0 {
            out.push(' ');
            if run == 1 {
                offsets.copy(at, 1)
            } else {
                offsets.replace(1, at, at + run)
            }
            at += run;
        }
    }
    Normal { text: out, offsets, clusters: Vec::new() }
}

/// How many bytes at the front stand for themselves, whatever follows: ASCII words with one space between them. The last scalar before what is
/// not ASCII is left out, for it may be composed with that.
pub(super) fn plain_run(bytes: &[u8]) -> usize {
    let whole = plain_words(bytes);
    let mut after_blank = whole == 0 || bytes[whole - 1] == b' ';
    for (at, &byte) in bytes.iter().enumerate().skip(whole) {
        let blank = char::from(byte).is_whitespace();
        if !byte.is_ascii() {
            return at.saturating_sub(1);
        }
        if blank && (after_blank || byte != b' ') {
            return at.saturating_sub(usize::from(after_blank));
        }
        after_blank = blank;
    }
    bytes.len().saturating_sub(usize::from(after_blank))
}

/// How many bytes at the front, in words of eight, are ASCII without control characters and without two spaces in a row (or one at the start).
fn plain_words(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    let mut before = ONES << 7;
    let mut at = 0;
    while let Some(eight) = bytes[at..].first_chunk() {
        let word = u64::from_le_bytes(*eight);
        // The high bit of each byte: it is less than a space; it is a space. In the first a borrow can mark more than it should: then the
        // bytes are looked at one by one.
        let control = word.wrapping_sub(ONES * 0x20);
        let other = word ^ (ONES * 0x20);
        let spaces = !(other | ((other & !(ONES << 7)) + !(ONES << 7))) & (ONES << 7);
        let doubled = spaces & (spaces << 8 | before >> 56);
        if (word | control | doubled) & (ONES << 7) != 0 {
            break;
        }
        before = spaces;
        at += 8;
    }
    at
}

/// Writes normalised text scalar by scalar, or in runs that need no change. A segment is a starter with all that may combine with it: composition never crosses its ends.
struct Writer<'a> {
    source: &'a str,
    out: String,
    offsets: Offsets,
    segment: Vec<char>,
    segment_from: usize,
    segment_until: usize,
    /// The run of white space that is still open.
    blanks: Option<Span>,
}

impl<'a> Writer<'a> {
    fn new(source: &'a str) -> Self {
        let out = String::with_capacity(source.len());
        Writer { source, out, offsets: Offsets::default(), segment: Vec::new(), segment_from: 0, segment_until: 0, blanks: None }
    }

    /// Writes a run of [`plain_run`] bytes.
    fn copy(&mut self, at: usize, run: usize) {
        if run > 0 {
            self.end_segment();
            self.end_blanks();
            self.out.push_str(&self.source[at..at + run]);
            self.offsets.copy(at, run);
        }
    }

    fn push(&mut self, at: usize, c: char) {
        let until = at + c.len_utf8();
        if c.is_whitespace() {
            self.end_segment();
            let from = self.blanks.map_or(at, |run| run.start);
            self.blanks = Some(Span::new(from, until));
            return;
        }
        if is_dropped(c) {
            return;
        }
        self.end_blanks();
        if let Some(plain) = folded(c) {
            self.end_segment();
            self.out.push_str(plain);
            self.offsets.replace(plain.len(), at, until);
            return;
        }
        if !combines(c) {
            self.end_segment();
        }
        if self.segment.is_empty() {
            self.segment_from = at;
        }
        self.segment.push(c);
        self.segment_until = until;
    }

    fn end_blanks(&mut self) {
        if let Some(run) = self.blanks.take() {
            self.out.push(' ');
            if run.len() == 1 { self.offsets.copy(run.start, 1) } else { self.offsets.replace(1, run.start, run.end) }
        }
    }

    fn end_segment(&mut self) {
        let start = self.out.len();
        match self.segment[..] {
            [] => return,
            [one] if one < '\u{300}' => self.out.push(one),
            _ => self.out.extend(self.segment.iter().copied().nfc()),
        }
        self.segment.clear();
        if self.out[start..] == self.source[self.segment_from..self.segment_until] {
            self.offsets.copy(self.segment_from, self.out.len() - start);
        } else {
            self.offsets.replace(self.out.len() - start, self.segment_from, self.segment_until);
        }
    }
}

/// True for a scalar that canonical composition or reordering may join to the one before it.
fn combines(c: char) -> bool {
    c >= '\u{300}' && (canonical_combining_class(c) != 0 || is_nfc_quick(std::iter::once(c)) == IsNormalized::Maybe)
}

/// The ASCII form of a quotation mark, dash or ellipsis.
pub(super) fn folded(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{2018}'..='\u{201B}' | '\u{2032}' | '\u{2035}' => "'",
        '\u{201C}'..='\u{201F}' | '\u{2033}' | '\u{2036}' => "\"",
        '\u{2010}'..='\u{2015}' | '\u{2212}' => "-",
        '\u{2026}' => "...",
        _ => return None,
    })
}

/// True where canonical composition and the dropping of invisible characters bring no ASCII letter or digit of this text together with another, and
/// make none: those of the normalised text are those of the text, in one order. (The Kelvin sign is a K.)
pub(super) fn keeps_letters(text: &str) -> bool {
    let mut rest = &text[ascii_run(text.as_bytes())..];
    while let Some(c) = rest.chars().next() {
        if is_dropped(c) || c == '\u{212A}' {
            return false;
        }
        rest = &rest[c.len_utf8()..];
        rest = &rest[ascii_run(rest.as_bytes())..];
    }
    true
}

/// Zero-width space, word joiner, byte order mark, soft hyphen, direction marks. U+200C and U+200D carry meaning and stay.
pub(super) fn is_dropped(c: char) -> bool {
    matches!(c, '\u{AD}' | '\u{61C}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
}

/// True for scalars that never share a grapheme cluster with a neighbour of the same kind (CR LF apart, which is white space here).
/// Not complete on purpose: it only spares the common scripts the cost of segmentation.
fn stands_alone(c: char) -> bool {
    matches!(c,
        ..'\u{300}' | '\u{370}'..'\u{483}' | '\u{2000}'..'\u{200C}' | '\u{200E}'..'\u{2066}' | '\u{20A0}'..'\u{20D0}' | '\u{2100}'..'\u{2C00}'
        | '\u{2E80}'..'\u{302A}' | '\u{3030}'..'\u{3099}' | '\u{309B}'..'\u{A000}' | '\u{AC00}'..'\u{D7A4}' | '\u{FF01}'..'\u{FF9E}'
        | '\u{1F300}'..'\u{1F3FB}' | '\u{1F400}'..'\u{1FB00}')
}

fn clusters(text: &str) -> Vec<Span> {
    let several = |g: &str| g.chars().nth(1).is_some();
    text.grapheme_indices(true).filter(|(_, g)| several(g)).map(|(at, g)| Span::new(at, at + g.len())).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn folds_notation_and_nothing_else() {
        for (text, want) in [
            ("", ""),
            ("a \r\n\t b", "a b"),
            ("a\u{a0} \u{202f}b", "a b"),
            ("a \u{200b} b", "a b"),
            ("‘a’ ‚b‛ “c” „d‟ 5′ 6″", "'a' 'b' \"c\" \"d\" 5' 6\""),
            ("‐‑‒–—―−", "-------"),
            ("so… on", "so... on"),
            ("sub\u{ad}scription work\u{200b}space\u{feff}", "subscription workspace"),
            ("cafe\u{301} Sa\u{303}o", "café São"),
            ("e\u{ad}\u{301}", "é"),
            ("a\u{323}\u{307}", "a\u{323}\u{307}".nfc().collect::<String>().as_str()),
            ("\u{1112}\u{1161}\u{11ab}", "한"),
            ("\u{212b}", "Å"),
            ("ﬁnal ５ Straße «x» 〜 a\u{200d}b", "ﬁnal ５ Straße «x» 〜 a\u{200d}b"),
            (" a ", " a "),
        ] {
            assert_eq!(normalise(text), want, "{text:?}");
        }
    }

    #[test]
    fn spans_come_back_in_original_bytes_and_whole_clusters() {
        let check = |text: &str, piece: &str, want: &str| {
            let normal = Normal::new(text);
            let at = normal.text().find(piece).unwrap_or_else(|| panic!("{piece:?} in {:?}", normal.text()));
            assert_eq!(normal.original(at, at + piece.len()).of(text), Some(want), "{text:?}");
        };
        check("is\u{a0}15 days  from\r\nnow", "15 days from now", "15 days  from\r\nnow");
        check("The cafe\u{301} on", "café", "cafe\u{301}");
        check("roll… now", ".. n", "… n");
        check("work\u{200b}space\u{200b} x", "workspace", "work\u{200b}space");
        check("ok 👍🏽!", "👍", "👍🏽");
        check("a\r\nb", " ", "\r\n");
        check("x\u{336}y", "x", "x\u{336}");
    }

    #[test]
    fn a_place_that_cuts_a_cluster_is_not_located() {
        let normal = Normal::new("ok 👍🏽! x\u{336} so…");
        for (piece, found) in [("👍", false), ("👍🏽", true), ("x", false), ("so.", true), ("ok", true)] {
            let at = normal.text().find(piece).unwrap();
            assert_eq!(normal.located(at, at + piece.len()).is_some(), found, "{piece}");
        }
    }

    fn text() -> impl Strategy<Value = String> {
        let pool =
            "aB. \n\r\t\u{a0}\u{200b}\u{ad}\u{301}\u{323}e👍🏽🇩🇪\u{200d}👩“’—…\u{feff}한\u{1100}\u{1161}\u{11ab}５\u{fe0f}が\u{3099}か";
        let pool: Vec<char> = pool.chars().collect();
        let mixed = proptest::collection::vec(proptest::sample::select(pool), 0..40).prop_map(|v| v.into_iter().collect::<String>());
        prop_oneof![3 => mixed, 1 => any::<String>()]
    }

    /// The definition, word for word and slowly: fold and drop, join blanks, compose.
    fn reference(text: &str) -> String {
        let kept: String = text.chars().filter(|&c| !is_dropped(c)).collect();
        let mut out = String::new();
        for c in kept.chars() {
            match folded(c) {
                _ if c.is_whitespace() && out.ends_with(' ') => {}
                _ if c.is_whitespace() => out.push(' '),
                Some(plain) => out.push_str(plain),
                None => out.push(c),
            }
        }
        out.nfc().collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn equals_the_definition_and_is_idempotent(text in text()) {
            let once = normalise(&text);
            prop_assert_eq!(&once, &reference(&text));
            prop_assert_eq!(normalise(&once), once);
        }

        #[test]
        fn every_range_maps_to_whole_clusters_that_normalise_to_it(text in text(), a in 0usize..60, b in 0usize..60) {
            let normal = Normal::new(&text);
            let (a, b) = (a.min(b), a.max(b));
            let span = normal.original(a, b);
            let piece = span.of(&text);
            prop_assert!(piece.is_some());
            let edges: Vec<usize> = text.grapheme_indices(true).map(|(i, _)| i).chain([text.len()]).collect();
            prop_assert!(edges.contains(&span.start) && edges.contains(&span.end), "{span:?} {text:?}");
            let (a, b) = (normal.text().floor_char_boundary(a), normal.text().ceil_char_boundary(b));
            if a < b {
                prop_assert!(normalise(piece.unwrap_or("")).contains(&normal.text()[a..b]));
            }
        }

        #[test]
        fn the_shortcut_for_lone_scalars_is_true(text in text()) {
            if text.chars().all(stands_alone) && !text.contains("\r\n") {
                prop_assert_eq!(clusters(&text), vec![]);
            }
        }
    }
}
