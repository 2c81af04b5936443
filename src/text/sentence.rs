//! Sentences: Unicode's sentence bounds, less the breaks behind abbreviations, initials, ordinals and list numbers.

use unicode_segmentation::UnicodeSegmentation;

use super::markdown::Block;
use crate::model::Span;

/// Abbreviations that end in a full stop and never end a sentence, small letters, without the last full stop.
const ABBREVIATIONS: &[&str] = &[
    "mr", "mrs", "ms", "dr", "prof", "rev", "hon", "messrs", "st", "mt", "ft", "vs", "cf", "e.g", "i.e", "eg", "ie", "viz", "approx",
    "dept", "resp", "al", "incl", "excl", "z.b", "d.h", "u.a", "o.ä", "bzw", "ca", "vgl", "evtl", "ggf", "inkl", "zzgl", "sog", "hr", "fr",
    "str", "mme", "mlle", "mm", "c.-à-d", "p.ex", "sr", "sra", "srta", "dra", "ud", "uds", "p.ej", "ej",
];

/// Abbreviations only where a number follows ("No. 5", but "The answer is no. Then").
const BEFORE_NUMBERS: &[&str] = &[
    "no", "nos", "nr", "nrn", "n", "p", "pp", "s", "fig", "figs", "eq", "eqs", "art", "abs", "vol", "ch", "sec", "sect", "para", "tab",
    "núm", "pág",
];

/// Words that a day or quarter in German ordinals stands before ("am 3. März").
const AFTER_ORDINALS: &[&str] = &[
    "Januar",
    "Februar",
    "März",
    "April",
    "Mai",
    "Juni",
    "Juli",
    "August",
    "September",
    "Oktober",
    "November",
    "Dezember",
    "Quartal",
    "Tag",
];

/// The sentences of a block, without the white space between them. What is verbatim stays whole; headings go with the first sentence.
pub(super) fn split(text: &str, block: &Block) -> Vec<Span> {
    if block.verbatim {
        return vec![block.span];
    }
    let raw = &text[block.span.start..block.span.end];
    // A line end inside a block is a blank to a sentence; every scalar keeps its length, so offsets stay true.
    let joined: String;
    let prose = if raw.contains('\n') {
        joined = raw.replace(['\n', '\r'], " ");
        joined.as_str()
    } else {
        raw
    };
    let title_end = block.title_end.saturating_sub(block.span.start);
    let mut spans: Vec<Span> = Vec::new();
    let mut start = 0;
    for (at, piece) in prose.split_sentence_bound_indices() {
        let end = at + piece.len();
        let next = &prose[end..];
        if end < prose.len() && (end <= title_end || goes_on(&prose[start..end], next)) {
            continue;
        }
        let sentence = &prose[start..end];
        let body = sentence.trim_end();
        // The first sentence keeps the block's own indent.
        let lead = if spans.is_empty() { 0 } else { sentence.len() - sentence.trim_start().len() };
        if !body.trim_start().is_empty() {
            let tail = if end == prose.len() { sentence.len() } else { body.len() };
            spans.push(Span::new(block.span.start + start + lead, block.span.start + start + tail));
        }
        start = end;
    }
    spans
}

/// True where a break of Unicode's rules is none: what stands before it ends in an abbreviation, an initial or a number that counts.
fn goes_on(sentence: &str, next: &str) -> bool {
    let sentence = sentence.trim_end();
    let Some(stem) = sentence.strip_suffix('.') else { return is_marker(sentence) };
    let word = stem.rsplit(|c: char| c.is_whitespace() || matches!(c, '(' | '[' | '"' | '“' | '„' | '«' | '/')).next().unwrap_or("");
    let next = next.trim_start();
    if is_marker(sentence) {
        return true;
    }
    let mut letters = word.chars();
    if let (Some(initial), None) = (letters.next(), letters.next()) {
        return initial.is_uppercase() && initial != 'I' || BEFORE_NUMBERS.contains(&word) && starts_with_digit(next);
    }
    if word.len() <= 2 && word.bytes().all(|b| b.is_ascii_digit()) {
        return AFTER_ORDINALS.iter().any(|month| next.starts_with(month));
    }
    let folded = word.to_lowercase();
    ABBREVIATIONS.contains(&folded.as_str()) || BEFORE_NUMBERS.contains(&folded.as_str()) && starts_with_digit(next)
}

/// A list number or bullet that stands alone before its item.
fn is_marker(piece: &str) -> bool {
    let piece = piece.trim();
    let digits = piece.trim_end_matches(['.', ')']);
    piece.len() <= 4
        && (piece == "-"
            || piece == "*"
            || digits.len() < piece.len()
                && !digits.is_empty()
                && digits.bytes().all(|b| b.is_ascii_alphanumeric())
                && digits.bytes().any(|b| b.is_ascii_digit()))
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_numeric())
}
