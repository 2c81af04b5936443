//! Anchoring: where a quotation stands in a text, by the ladder exact, normalised, fuzzy, not found. The one home of strsim.
//!
//! Definitions: docs/metrics.md, "Anchoring a quotation". Fuzzy costs O(n * ceil(m / 64)) for a draft of n and a quotation of m scalars.

use std::cell::Cell;
use std::sync::OnceLock;

use super::find;
use super::guard::{guard, label};
use super::normal::{Normal, keeps_letters, plain_run};
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
    /// Each made when the first quotation needs it: most stand in the draft word for word.
    keeps_letters: OnceLock<bool>,
    normal: OnceLock<Normal>,
    scalars: OnceLock<Scalars>,
    plain: OnceLock<(Plain, Scalars)>,
    /// What the fuzzy step has cost so far, over all quotations.
    spent: Cell<usize>,
}

/// Block steps that the fuzzy step may take for one text, over all quotations: a few seconds. A quotation that comes when they are spent is looked
/// for word for word only, as one for which the search itself would be too much work.
const SPENT_MAX: usize = 4 * search::WORK_MAX;

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
        Haystack {
            text,
            keeps_letters: OnceLock::new(),
            normal: OnceLock::new(),
            scalars: OnceLock::new(),
            plain: OnceLock::new(),
            spent: Cell::new(0),
        }
    }

    fn normal(&self) -> &Normal {
        self.normal.get_or_init(|| Normal::new(self.text))
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
        if let Some(spans) = self.plain_places(quote) {
            return Ok(Anchor { tier: Tier::Exact, spans, similarity: 1.0 });
        }
        let normal = Normal::new(quote);
        let quote_text = self.visible(&normal)?;
        if let Some(anchor) = self.verbatim(quote, quote_text) {
            return Ok(anchor);
        }
        let nothing_left = is_elision(quote_text);
        let quote_text = bare(quote_text);
        let elided = elisions(quote_text);
        if nothing_left || (elided > 0 && !self.normal().text().contains("...")) {
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

    /// Every place of a quotation that normalising leaves as it is, in a text where it could stand nowhere else: wherever its longest word stands,
    /// the whole of it does, among ASCII. None where that cannot be seen without normalising.
    fn plain_places(&self, quote: &str) -> Option<Vec<Span>> {
        let (text, quote) = (self.text.as_bytes(), quote.as_bytes());
        if plain_run(quote) < quote.len() || !*self.keeps_letters.get_or_init(|| keeps_letters(self.text)) {
            return None;
        }
        let (word, from) = longest_word(quote)?;
        let place = |at: usize| -> Option<Span> {
            let start = at.checked_sub(from)?;
            let end = start + quote.len();
            let is_ascii = |at: Option<usize>| at.and_then(|at| text.get(at)).is_none_or(u8::is_ascii);
            (text.get(start..end) == Some(quote) && is_ascii(start.checked_sub(1)) && is_ascii(Some(end))).then(|| Span::new(start, end))
        };
        let places = find::all(text, word).into_iter().map(place).collect::<Option<Vec<Span>>>()?;
        (!places.is_empty()).then_some(places)
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
        let text = self.normal().text();
        let whole = |end: usize| !ends_word || !cuts_word(text, end);
        let mut spans: Vec<Span> = find::all(text.as_bytes(), needle.as_bytes())
            .into_iter()
            .filter(|at| whole(at + needle.len()))
            .filter_map(|at| self.normal().located(at, at + needle.len()))
            .collect();
        // Half an ellipsis widens to the whole: neighbouring halves are one place.
        spans.dedup();
        spans
    }

    /// Every place of the quotation in the text as stored, without the blanks at its ends.
    fn raw_places(&self, quote: &str) -> Vec<Span> {
        let (front, len) = (quote.len() - quote.trim_start().len(), quote.trim().len());
        let hits = find::all(self.text.as_bytes(), quote.as_bytes()).into_iter().map(|at| Span::new(at + front, at + front + len));
        hits.filter(|s| !self.normal().cuts_original(s.start) && !self.normal().cuts_original(s.end)).collect()
    }

    fn stands_as_is(&self, quote: &str) -> bool {
        let Some(first) = find::first(self.text.as_bytes(), quote.as_bytes()) else { return false };
        let whole = |s: usize| !self.normal().cuts_original(s) && !self.normal().cuts_original(s + quote.len());
        whole(first) || !self.raw_places(quote).is_empty()
    }

    fn scalars(&self) -> &Scalars {
        self.scalars.get_or_init(|| Scalars::new(self.normal().text()))
    }

    /// The fuzzy step on the normalised draft. None where the quotation is too short or the work too much.
    fn fuzzy(&self, quote: &str, elided: usize, threshold: f64) -> Option<Fuzzy> {
        near(quote, self.normal().text(), self.scalars(), elided, threshold, &self.spent, |start, end| self.normal().original(start, end))
    }

    /// The fuzzy step on both texts as a reader sees them, where that differs from how they are stored.
    fn fuzzy_plain(&self, quote: &str, elided: usize, threshold: f64) -> Option<Fuzzy> {
        let (plain, scalars) = self.plain.get_or_init(|| {
            let plain = Plain::new(self.normal().text());
            let scalars = Scalars::new(&plain.text);
            (plain, scalars)
        });
        let read = Plain::new(quote).text;
        if read == quote && plain.text == self.normal().text().trim() {
            return None;
        }
        near(&read, &plain.text, scalars, elided, threshold, &self.spent, |start, end| {
            let (start, end) = plain.offsets.source(start, end);
            self.normal().original(start, end)
        })
    }
}

/// The best windows of `text` for a quotation with slips, checked by the guards.
fn near(
    quote: &str,
    text: &str,
    scalars: &Scalars,
    elided: usize,
    threshold: f64,
    spent: &Cell<usize>,
    span: impl Fn(usize, usize) -> Span,
) -> Option<Fuzzy> {
    let pattern: Vec<char> = quote.chars().collect();
    if pattern.len() < FUZZY_CHARS_MIN || words(&pattern) < FUZZY_WORDS_MIN {
        return None;
    }
    if spent.get() > SPENT_MAX {
        return None;
    }
    let chars = &scalars.chars;
    let best = search::best(&pattern, chars, threshold)?;
    // Each window is compared a few times more, the first one by a table of its own: a block step there stands for the cells of its row.
    let windows = best.windows.iter().map(|window| window.end - window.start);
    let table = windows.clone().next().map_or(0, |first| first * pattern.len() / 16);
    let compared = windows.sum::<usize>() * pattern.len().div_ceil(64) * 16;
    spent.set(spent.get() + best.work + compared + table.min(TABLE_MAX / 16));
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

/// Cells that the table of the chosen window may have.
const TABLE_MAX: usize = 1 << 22;

/// The similarity of the chosen window by strsim; for very long ones, where its table would be too big, by the search itself.
fn scored(pattern: &[char], text: &[char], window: Window, searched: search::Similarity) -> f64 {
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

/// The longest run of ASCII letters and digits, and where it starts.
fn longest_word(text: &[u8]) -> Option<(&[u8], usize)> {
    let mut at = 0;
    let pieces = text.split(|byte| !byte.is_ascii_alphanumeric()).map(|piece| {
        at += piece.len() + 1;
        (piece, at - piece.len() - 1)
    });
    pieces.max_by_key(|(piece, _)| piece.len()).filter(|(piece, _)| !piece.is_empty())
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
