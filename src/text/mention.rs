//! Mentions: which sections of a draft a critique speaks of, and by what it can be told.
//!
//! Two rules. Strict: an anchored span, a located quotation, a place by count or position, a heading's words. Loose: strict, and words that
//! stand in one section only, all that a heading heads, and remarks on the whole, which mention every section. Praise of the whole and
//! quoted text that is only proposed mention nothing. One rule for every critique format: docs/metrics.md, "Mentioned sections".

mod global;
mod heading;
mod japanese;
mod known;
mod lexical;
mod lexicon;
mod outline;
mod parts;
mod place;
mod proposal;
mod resolve;
mod words;

use std::sync::OnceLock;

use self::lexical::Terms;
use self::outline::{Outline, touched};
use self::place::{Focus, Place, Reader};
use self::words::{Kind, Token};
use super::quotation::quotation_spans;
use crate::model::Span;

pub use self::proposal::is_instruction;

/// By what a mention is told, surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Evidence {
    /// A quotation in the critique's words that was located.
    Quotation,
    /// The span of an anchored finding.
    Anchor,
    /// A count: "paragraph 2", "the last sentence", "step 3".
    Ordinal,
    /// A place by name or by its neighbour: "the greeting", "the table", "the one below it".
    Position,
    /// A heading's words.
    Heading,
    /// Words that stand in this section and in no other.
    Lexical,
    /// A remark on the whole.
    Global,
}

impl Evidence {
    pub const ALL: [Evidence; 7] = [
        Evidence::Quotation,
        Evidence::Anchor,
        Evidence::Ordinal,
        Evidence::Position,
        Evidence::Heading,
        Evidence::Lexical,
        Evidence::Global,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Evidence::Quotation => "quotation",
            Evidence::Anchor => "anchor",
            Evidence::Ordinal => "ordinal",
            Evidence::Position => "position",
            Evidence::Heading => "heading",
            Evidence::Lexical => "lexical",
            Evidence::Global => "global",
        }
    }
}

/// One section that a critique mentions, by one kind of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mention<'c> {
    /// From 0.
    pub section: usize,
    pub evidence: Evidence,
    /// It counts under the strict rule too.
    pub strict: bool,
    /// The critique's words that say so, as it wrote them.
    pub words: &'c str,
}

/// A piece of a critique's own words.
#[derive(Debug, Clone, Default)]
pub struct Said<'c> {
    pub text: &'c str,
    /// Quotations in `text` that were located, in order: where each stands in `text` and in the draft.
    pub quoted: Vec<(Span, Vec<Span>)>,
    /// A finding's quotation: the whole text is what was quoted, and this is where it stands in the draft.
    pub anchored: Vec<Span>,
    /// A finding begins: what was said before is over, and the talk is of what it quotes.
    pub opens: bool,
}

/// A draft, prepared once for all that is said of it.
#[derive(Debug)]
pub struct Index<'d> {
    sections: Vec<Span>,
    texts: Vec<&'d str>,
    outline: Outline<'d>,
    /// Made when the first words need it.
    terms: OnceLock<Terms>,
}

impl<'d> Index<'d> {
    /// `sections` are the spans of `texts` in the draft.
    pub fn new(sections: &[Span], texts: &[&'d str]) -> Index<'d> {
        Index { sections: sections.to_vec(), texts: texts.to_vec(), outline: Outline::new(texts), terms: OnceLock::new() }
    }

    fn terms(&self) -> &Terms {
        self.terms.get_or_init(|| Terms::new(&self.texts, &self.outline.parts))
    }

    /// Everything that the critique mentions: by section, then by evidence, each pair once, with the words that came first.
    pub fn mentions<'c>(&self, said: &[Said<'c>]) -> Vec<Mention<'c>> {
        let mut found = Found { seen: vec![0; self.texts.len()], list: vec![] };
        let mut talk = Talk::default();
        for piece in said {
            if piece.opens {
                talk = Talk { quotes: true, ..Talk::default() };
            }
            if piece.anchored.is_empty() {
                self.read(piece, &mut talk, &mut found);
            } else {
                let sections = touched(&self.sections, &piece.anchored);
                found.add(sections.iter().map(|at| Target::strict(*at)), Evidence::Anchor, piece.text);
                talk.turn_to(sections, None, false);
            }
        }
        // A strict mention stands for the loose one of the same kind.
        found.list.sort_by_key(|mention| (mention.section, mention.evidence, !mention.strict));
        found.list.dedup_by_key(|mention| (mention.section, mention.evidence));
        found.list
    }

    fn read<'c>(&self, said: &Said<'c>, talk: &mut Talk, found: &mut Found<'c>) {
        let quotes = quotation_spans(said.text);
        let tokens = words::tokens(said.text, &quotes);
        for sentence in sentences(&tokens) {
            self.sentence(said, sentence, talk, found);
        }
    }

    fn sentence<'c>(&self, said: &Said<'c>, tokens: &[Token<'_>], talk: &mut Talk, found: &mut Found<'c>) {
        let words = |place: &Place| {
            let last = place.until.saturating_sub(1).clamp(place.from, tokens.len() - 1);
            said.text.get(tokens[place.from].at.start..tokens[last].at.end).unwrap_or_default()
        };
        let mut places: Vec<Place> = vec![];
        let mut at = 0;
        // Words behind "it should say:" are a proposal.
        let end = proposal::starts_at(tokens).unwrap_or(tokens.len());
        talk.age += 1;
        let mut focus = talk.focus();
        while at < end {
            let reader = Reader { tokens, outline: &self.outline, focus: &focus };
            let place = match tokens[at].kind {
                Kind::Quote(_) => self.quotation(said, tokens, at),
                _ => reader.place(at).or_else(|| heading::title(&reader, at)),
            };
            match place {
                None => at += 1,
                Some(place) => {
                    let sections = place.targets.iter().filter(|target| target.strict).map(|target| target.section).collect();
                    talk.turn_to(sections, place.unit, place.evidence != Evidence::Quotation);
                    focus = talk.focus();
                    at = place.until.max(at + 1);
                    places.push(place);
                }
            }
        }
        let places = settled(tokens, places);
        let mut used = vec![false; tokens.len()];
        for place in &places {
            found.add(place.targets.iter().copied(), place.evidence, words(place));
            used[place.from.min(tokens.len())..place.until.min(tokens.len())].fill(true);
        }
        used[end..].fill(true);
        lexical::terms(tokens, &used, |from, until, key| {
            if let Some(section) = self.terms().section(key) {
                let words = said.text.get(tokens[from].at.start..tokens[until].at.end).unwrap_or_default();
                found.add([Target { section, strict: false }], Evidence::Lexical, words);
            }
        });
        let spoken = talk.quotes || talk.age <= 1 && !talk.focus.sections.is_empty();
        if global::is_global(&tokens[..end], &used, spoken) {
            let words = said.text.get(tokens[0].at.start..tokens[end.max(1) - 1].at.end).unwrap_or_default();
            found.add_all(words);
        }
    }

    /// False for "it" in "with": the span begins or ends inside a word.
    fn is_whole(&self, span: Span) -> bool {
        let at = self.sections.partition_point(|section| section.end <= span.start);
        let Some((section, text)) = self.sections.get(at).zip(self.texts.get(at)) else { return true };
        let cuts = |at: usize| {
            let around = text.split_at_checked(at.saturating_sub(section.start));
            around.is_some_and(|(before, after)| before.ends_with(char::is_alphanumeric) && after.starts_with(char::is_alphanumeric))
        };
        !cuts(span.start) && !cuts(span.end)
    }

    fn quotation(&self, said: &Said<'_>, tokens: &[Token<'_>], at: usize) -> Option<Place> {
        let token = &tokens[at];
        let place = |targets| Place { targets, evidence: Evidence::Quotation, from: at, until: at + 1, unit: None, inner: false };
        let located = said.quoted.binary_search_by_key(&token.at.start, |(span, _)| span.start).ok();
        let spans = located.map(|at| said.quoted[at].1.as_slice());
        let titled = heading::quoted(&self.outline, token.text);
        if let (Some(targets), true) = (titled, spans.is_some()) {
            return Some(Place { evidence: Evidence::Heading, ..place(targets) });
        }
        let spans = spans.filter(|_| !proposal::is_proposed(tokens, at))?;
        let whole: Vec<Span> = spans.iter().copied().filter(|span| self.is_whole(*span)).collect();
        let sections = touched(&self.sections, if whole.is_empty() { spans } else { &whole });
        (!sections.is_empty()).then(|| place(sections.into_iter().map(Target::strict).collect()))
    }
}

/// A section, and whether it is one by the strict rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Target {
    section: usize,
    strict: bool,
}

impl Target {
    fn strict(section: usize) -> Target {
        Target { section, strict: true }
    }
}

/// What the talk is of, from sentence to sentence.
#[derive(Debug, Default)]
struct Talk {
    focus: Focus,
    /// Sentences since it was named.
    age: usize,
    /// A finding speaks: "it" is what the finding quotes, be it found or not.
    quotes: bool,
}

impl Talk {
    fn turn_to(&mut self, sections: Vec<usize>, unit: Option<lexicon::Unit>, named: bool) {
        if !sections.is_empty() {
            self.focus = Focus { sections, unit: unit.or(self.focus.unit), named };
            self.age = 0;
        }
    }

    /// A place that was named holds for the sentence and the next one.
    fn focus(&self) -> Focus {
        Focus { named: self.focus.named && self.age <= 1, ..self.focus.clone() }
    }
}

/// Mentions found so far; each pair of section and evidence once.
struct Found<'c> {
    /// One a section: a bit an evidence, and one more for its strict form.
    seen: Vec<u16>,
    list: Vec<Mention<'c>>,
}

impl<'c> Found<'c> {
    fn add(&mut self, targets: impl IntoIterator<Item = Target>, evidence: Evidence, words: &'c str) {
        for Target { section, strict } in targets {
            let bit = 1u16 << (evidence as u16) << (if strict { 8 } else { 0 });
            let Some(seen) = self.seen.get_mut(section) else { continue };
            if *seen & bit == 0 {
                *seen |= bit;
                self.list.push(Mention { section, evidence, strict, words });
            }
        }
    }

    fn add_all(&mut self, words: &'c str) {
        let bit = 1u16 << (Evidence::Global as u16);
        if self.seen.first().is_some_and(|seen| seen & bit == 0) {
            self.add((0..self.seen.len()).map(|section| Target { section, strict: false }), Evidence::Global, words);
        }
    }
}

/// A place inside another that the sentence names is the other's: "the second sentence of paragraph 2", "the last bullets under Fixed".
fn settled(tokens: &[Token<'_>], places: Vec<Place>) -> Vec<Place> {
    let is_link = |at: usize| {
        tokens.get(at).is_some_and(|t| {
            t.is_any(&[
                "of", "in", "from", "under", "within", "inside", "von", "im", "in", "unter", "du", "de", "dans", "del", "des", "der",
            ])
        })
    };
    let holds = |outer: &Place, inner: &Place| {
        if outer.inner || matches!(outer.evidence, Evidence::Lexical | Evidence::Quotation) {
            return false;
        }
        let behind = outer.from >= inner.until && outer.from - inner.until <= 3 && (inner.until..outer.from).any(is_link);
        let before = outer.until <= inner.from && (outer.from.saturating_sub(3)..outer.from).any(is_link) && outer.from <= 3;
        let owner = outer.until == inner.from;
        behind || before || owner
    };
    let mut out: Vec<Place> = Vec::with_capacity(places.len());
    for (at, place) in places.iter().enumerate() {
        let near = places[at.saturating_sub(2)..places.len().min(at + 3)].iter();
        let outer = if place.inner { near.filter(|other| other.from != place.from).find(|other| holds(other, place)) } else { None };
        let Some(outer) = outer else {
            out.push(place.clone());
            continue;
        };
        // What is inside is where both are, as far as the draft agrees.
        let both = place.targets.iter().filter(|target| outer.targets.iter().any(|o| o.section == target.section)).count();
        if both > 0 && outer.targets.iter().filter(|target| target.strict).count() > 1 {
            out.push(place.clone());
        }
    }
    out
}

/// The sentences of a critique: lines of a list are sentences too, hard wraps are none.
fn sentences<'t, 's>(tokens: &'s [Token<'t>]) -> Vec<&'s [Token<'t>]> {
    let mut out = vec![];
    let mut start = 0;
    for at in 0..tokens.len() {
        if ends_sentence(tokens, at) {
            out.push(&tokens[start..=at]);
            start = at + 1;
        }
    }
    out.push(&tokens[start..]);
    out.retain(|sentence| sentence.iter().any(|token| token.kind != Kind::Break && token.kind != Kind::Mark));
    out
}

fn ends_sentence(tokens: &[Token<'_>], at: usize) -> bool {
    let (token, next) = (&tokens[at], tokens.get(at + 1));
    let before = |back: usize| at.checked_sub(back).and_then(|at| tokens.get(at));
    if token.kind == Kind::Break {
        let counts = next.is_some_and(|t| t.kind == Kind::Number) && tokens.get(at + 2).is_some_and(|t| t.is_mark(".)"));
        return counts || next.is_none_or(|t| t.kind == Kind::Break || t.is_mark("-*•#+>|–") || t.text.starts_with(char::is_uppercase));
    }
    if token.is_mark("!?。！？") {
        return true;
    }
    if !token.is_mark(".") {
        return false;
    }
    let short = before(1).is_some_and(|t| t.is_any(&["e", "g", "i", "no", "nr", "para", "par", "p", "s", "vs", "approx", "sec"]));
    let Some(next) = next else { return true };
    let apart = next.at.start > token.at.end || next.kind == Kind::Quote(0) || next.is_mark("\"”»“");
    let counted = before(1).is_some_and(|t| t.kind == Kind::Number) && next.is_any(&["absatz", "abschnitt", "satz", "schritt"]);
    apart && !short && !counted
}

#[cfg(test)]
mod tests;
