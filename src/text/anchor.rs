//! Anchoring: where a quotation stands in a text, by the ladder exact, normalised, fuzzy, not found. The one home of strsim.
//!
//! Definitions: docs/metrics.md, "Anchoring a quotation". Fuzzy costs O(n * ceil(m / 64)) for a draft of n and a quotation of m scalars.

use std::sync::OnceLock;

use super::guard::{guard, label};
use super::normal::Normal;
use super::plain::Plain;
use super::quotation::{bare, elisions, peel};
pub use super::quotation::{quotation_spans, quotations};
use super::search::{self, Window};
use super::window::{Sought, inside_word, snap, words};
use crate::model::{Anchor, Drop, DropReason, Span, Tier};

/// A quotation shorter than this, in scalars, is never looked for with slips.
const FUZZY_CHARS_MIN: usize = 12;
/// The same in words; a scalar of a script without spaces is a word.
const FUZZY_WORDS_MIN: usize = 3;

/// A draft (or source) prepared once for many quotations.
#[derive(Debug)]
pub struct Haystack<'a> {
    text: &'a str,
    normal: Normal,
    /// Made when the first quotation needs them: most stand in the draft word for word.
    scalars: OnceLock<Scalars>,
    plain: OnceLock<(Plain, Scalars)>,
}

/// A text as scalars, for the search, with the byte offset of each.
#[derive(Debug)]
struct Scalars {
    chars: Vec<char>,
    /// Byte offset of each scalar and of the end; empty where all are ASCII.
    bytes: Vec<usize>,
}

impl Scalars {
    fn new(text: &str) -> Scalars {
        let bytes = if text.is_ascii() { Vec::new() } else { text.char_indices().map(|(i, _)| i).chain([text.len()]).collect() };
        Scalars { chars: text.chars().collect(), bytes }
    }

    fn byte(&self, at: usize) -> usize {
        self.bytes.get(at).copied().unwrap_or(at)
    }
}

/// What a search with slips came to: spans that the guards let through, or why there are none.
struct Fuzzy {
    similarity: f64,
    outcome: Result<Vec<Span>, DropReason>,
}

impl<'a> Haystack<'a> {
    pub fn new(text: &'a str) -> Haystack<'a> {
        Haystack { text, normal: Normal::new(text), scalars: OnceLock::new(), plain: OnceLock::new() }
    }

    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Locates `quote` by the full ladder. `threshold` is the least similarity of a fuzzy anchor (`anchor.threshold`, 0.80 by default).
    ///
    /// Errors: `EmptyLocation` where nothing visible is quoted, `ElidedQuote` where the quotation leaves something out, `DigitsDiffer` and
    /// `PolarityDiffers` where the best place states another number or its opposite, else `NotFound`. The similarity is that of the best
    /// window; where the threshold is out of reach it may be a slight underestimate. None where no window was looked for.
    pub fn find(&self, quote: &str, threshold: f64) -> Result<Anchor, Drop> {
        let normal = Normal::new(quote);
        let quote_text = self.visible(&normal)?;
        if let Some(anchor) = self.verbatim(quote, quote_text) {
            return Ok(anchor);
        }
        let nothing_left = is_elision(quote_text);
        let quote_text = bare(quote_text);
        let elided = elisions(quote_text);
        if nothing_left || (elided > 0 && !self.normal.text().contains("...")) {
            return Err(Drop { reason: DropReason::ElidedQuote, similarity: None });
        }
        let mut best = self.fuzzy(quote_text, elided, threshold);
        if best.as_ref().is_none_or(|stored| stored.outcome.is_err()) {
            let read = self.fuzzy_plain(quote_text, elided, threshold);
            let unseen = best.as_ref().is_none_or(|stored| stored.outcome == Err(DropReason::NotFound));
            // The similarity that is reported of a drop stays that of the text as stored, unless a guard speaks only on the text as read.
            if read.as_ref().is_some_and(|r| r.outcome.is_ok() || (unseen && r.outcome != Err(DropReason::NotFound))) {
                best = read;
            }
        }
        match best {
            None if elided > 0 => Err(Drop { reason: DropReason::ElidedQuote, similarity: None }),
            None => Err(Drop { reason: DropReason::NotFound, similarity: None }),
            Some(Fuzzy { similarity, outcome: Ok(spans) }) => Ok(Anchor { tier: Tier::Fuzzy, spans, similarity }),
            Some(Fuzzy { similarity, outcome: Err(reason) }) => Err(Drop { reason, similarity: Some(similarity) }),
        }
    }

    /// The same without the fuzzy step: for sources of grounded findings.
    pub fn find_verbatim(&self, quote: &str) -> Result<Anchor, Drop> {
        let normal = Normal::new(quote);
        let quote_text = self.visible(&normal)?;
        let reason = if elisions(bare(quote_text)) > 0 || is_elision(quote_text) { DropReason::ElidedQuote } else { DropReason::NotFound };
        self.verbatim(quote, quote_text).ok_or(Drop { reason, similarity: None })
    }

    /// The normalised quotation without blanks at its ends, if there is anything to see in it.
    fn visible<'q>(&self, quote: &'q Normal) -> Result<&'q str, Drop> {
        let text = quote.text().trim();
        let invisible = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '\u{200C}' | '\u{200D}' | '\u{FE00}'..='\u{FE0F}');
        if text.chars().all(invisible) { Err(Drop { reason: DropReason::EmptyLocation, similarity: None }) } else { Ok(text) }
    }

    /// Exact and normalised: as it is, then with what the critic put around it taken off.
    fn verbatim(&self, quote: &str, normal: &str) -> Option<Anchor> {
        let anchor = |tier, spans: Vec<Span>| (!spans.is_empty()).then_some(Anchor { tier, spans, similarity: 1.0 });
        let spans = self.places(normal, false);
        if spans.is_empty() {
            // Composition may join what stands apart in the text as stored, so a quotation may be there all the same.
            let raw = if self.text.is_ascii() { Vec::new() } else { self.raw_places(quote) };
            if !raw.is_empty() {
                return anchor(Tier::Exact, raw);
            }
        } else if self.stands_as_is(quote) {
            return anchor(Tier::Exact, spans);
        }
        anchor(Tier::Normalised, spans)
            .or_else(|| peel(normal).iter().find_map(|p| anchor(Tier::Normalised, self.places(&normal[p.range.clone()], p.ends_word))))
    }

    /// Every place of `needle` in the normalised text, overlapping ones included, none that cuts a grapheme cluster.
    fn places(&self, needle: &str, ends_word: bool) -> Vec<Span> {
        let text = self.normal.text();
        let whole = |end: usize| !ends_word || !cuts_word(text, end);
        let mut spans: Vec<Span> = occurrences(text, needle)
            .into_iter()
            .filter(|at| whole(at + needle.len()))
            .filter_map(|at| self.normal.located(at, at + needle.len()))
            .collect();
        // Half an ellipsis widens to the whole: neighbouring halves are one place.
        spans.dedup();
        spans
    }

    /// Every place of the quotation in the text as stored, without the blanks at its ends.
    fn raw_places(&self, quote: &str) -> Vec<Span> {
        let (front, len) = (quote.len() - quote.trim_start().len(), quote.trim().len());
        let hits = occurrences(self.text, quote).into_iter().map(|at| Span::new(at + front, at + front + len));
        hits.filter(|s| !self.normal.cuts_original(s.start) && !self.normal.cuts_original(s.end)).collect()
    }

    fn stands_as_is(&self, quote: &str) -> bool {
        let Some(first) = self.text.find(quote) else { return false };
        let whole = |s: usize| !self.normal.cuts_original(s) && !self.normal.cuts_original(s + quote.len());
        whole(first) || !self.raw_places(quote).is_empty()
    }

    fn scalars(&self) -> &Scalars {
        self.scalars.get_or_init(|| Scalars::new(self.normal.text()))
    }

    /// The fuzzy step on the normalised draft. None where the quotation is too short or the work too much.
    fn fuzzy(&self, quote: &str, elided: usize, threshold: f64) -> Option<Fuzzy> {
        near(quote, self.normal.text(), self.scalars(), elided, threshold, |start, end| self.normal.original(start, end))
    }

    /// The fuzzy step on both texts as a reader sees them, where that differs from how they are stored.
    fn fuzzy_plain(&self, quote: &str, elided: usize, threshold: f64) -> Option<Fuzzy> {
        let (plain, scalars) = self.plain.get_or_init(|| {
            let plain = Plain::new(self.normal.text());
            let scalars = Scalars::new(&plain.text);
            (plain, scalars)
        });
        let read = Plain::new(quote).text;
        if read == quote && plain.text == self.normal.text().trim() {
            return None;
        }
        near(&read, &plain.text, scalars, elided, threshold, |start, end| {
            let (start, end) = plain.offsets.source(start, end);
            self.normal.original(start, end)
        })
    }
}

/// The best windows of `text` for a quotation with slips, checked by the guards.
fn near(quote: &str, text: &str, scalars: &Scalars, elided: usize, threshold: f64, span: impl Fn(usize, usize) -> Span) -> Option<Fuzzy> {
    let pattern: Vec<char> = quote.chars().collect();
    if pattern.len() < FUZZY_CHARS_MIN || words(&pattern) < FUZZY_WORDS_MIN {
        return None;
    }
    let chars = &scalars.chars;
    let best = search::best(&pattern, chars, threshold)?;
    let label = label(quote);
    let whole = Sought::new(quote, threshold);
    let unlabelled = (label.len > 0).then(|| Sought::new(quote[label.len..].trim_start(), threshold));
    let mut refusal = DropReason::NotFound;
    let mut spans = Vec::new();
    for (i, &raw) in best.windows.iter().enumerate() {
        let (sought, raw) = match &unlabelled {
            Some(rest) if !label.stands_at(&text[scalars.byte(raw.start)..]) => {
                (rest, Window { start: rest.start(&chars[..raw.end]), ..raw })
            }
            _ => (&whole, raw),
        };
        let window = snap(chars, raw, sought);
        let (start, end) = (scalars.byte(window.start), scalars.byte(window.end));
        match guard(quote, text, start..end, elided) {
            Ok(()) => spans.push(span(start, end)),
            Err(reason) if i == 0 || refusal == DropReason::NotFound => refusal = reason,
            Err(_) => {}
        }
    }
    spans.dedup();
    let similarity = match best.windows.first() {
        Some(w) => scored(&pattern, chars, *w, best.similarity),
        None => best.similarity.value(),
    };
    Some(Fuzzy { similarity, outcome: if spans.is_empty() { Err(refusal) } else { Ok(spans) } })
}

/// The similarity of the chosen window by strsim; for very long ones, where its table would be too big, by the search itself.
fn scored(pattern: &[char], text: &[char], window: Window, searched: search::Similarity) -> f64 {
    const TABLE_MAX: usize = 1 << 22;
    let window = &text[window.start..window.end];
    if pattern.len().saturating_mul(window.len()) > TABLE_MAX {
        return searched.value();
    }
    let distance = strsim::generic_levenshtein(&Each(pattern), &Each(window));
    1.0 - distance as f64 / pattern.len().max(window.len()) as f64
}

/// A slice in the shape that strsim takes: a type whose reference can be iterated.
struct Each<'s>(&'s [char]);

impl<'s> IntoIterator for &Each<'s> {
    type Item = &'s char;
    type IntoIter = std::slice::Iter<'s, char>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

/// True for a quotation of nothing but elision marks.
fn is_elision(quote: &str) -> bool {
    bare(quote).is_empty() && elisions(quote) > 0
}

/// True where byte `at` lies inside a word of `text`.
fn cuts_word(text: &str, at: usize) -> bool {
    let before: Vec<char> = text[..at].chars().rev().take(2).collect();
    let after = text[at..].chars().take(2);
    let around: Vec<char> = before.iter().rev().copied().chain(after).collect();
    inside_word(&around, before.len())
}

/// Byte offsets of every occurrence, overlapping ones included, in time linear in both lengths.
fn occurrences(text: &str, needle: &str) -> Vec<usize> {
    let Some(first) = text.find(needle).filter(|_| !needle.is_empty()) else { return Vec::new() };
    let (text, needle) = (text.as_bytes(), needle.as_bytes());
    // Knuth, Morris, Pratt: `border[i]` is the length of the longest proper border of needle[..=i].
    let mut border = vec![0; needle.len()];
    let mut len = 0;
    for at in 1..needle.len() {
        while len > 0 && needle[at] != needle[len] {
            len = border[len - 1];
        }
        len += usize::from(needle[at] == needle[len]);
        border[at] = len;
    }
    let mut out = vec![first];
    let mut len = border[needle.len() - 1];
    for (at, byte) in text.iter().enumerate().skip(first + needle.len()) {
        while len > 0 && *byte != needle[len] {
            len = border[len - 1];
        }
        len += usize::from(*byte == needle[len]);
        if len == needle.len() {
            out.push(at + 1 - len);
            len = border[len - 1];
        }
    }
    out
}

/// The known word that `word` was probably meant to be, for "did you mean"; None where all are too far. Case makes no difference; ties
/// go to the first.
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let word = word.to_lowercase();
    let distance = |k: &str| strsim::damerau_levenshtein(&word, &k.to_lowercase());
    let (best, far) = known.iter().map(|&k| (k, distance(k))).min_by_key(|&(_, d)| d)?;
    let longest = word.chars().count().max(best.chars().count());
    (far * 3 <= longest.max(3)).then_some(best)
}

#[cfg(test)]
mod tests;
