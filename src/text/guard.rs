//! Guards: what no similarity can tell about a quotation with slips. One changed digit or one flipped "not" scores 0.95 and more.

use std::ops::Range;

use super::numeral::same_numerals;
use super::polarity::negations;
use super::quotation::elisions;
use super::search::Pattern;
use crate::model::DropReason;

/// May `window` (bytes of `text`) stand for `quote`? Same numbers, same polarity, and an ellipsis only where the draft has it.
///
/// The window is also read on as far as the quotation goes on beyond it: "refunds are possible" must not be found in "refunds are
/// impossible or never given" by leaving the end out.
pub(super) fn guard(quote: &str, text: &str, window: Range<usize>, elided: usize) -> Result<(), DropReason> {
    let label = label(quote);
    let unlabelled = quote[label.len..].trim_start();
    let full = read_on(quote, text, window.clone());
    for piece in [&text[window.clone()], &text[full.clone()]] {
        let same =
            same_numerals(quote, piece) || (label.len > 0 && same_numerals(unlabelled, piece) && !label.contradicts(&text[..window.start]));
        if !same {
            return Err(DropReason::DigitsDiffer);
        }
        if negations(quote) != negations(piece) {
            return Err(DropReason::PolarityDiffers);
        }
        if full == window {
            break;
        }
    }
    if elided > 0 && elided != elisions(&text[window]) {
        return Err(DropReason::ElidedQuote);
    }
    Ok(())
}

/// The window, longer at each edge where the quotation has text that the window has no counterpart for.
fn read_on(quote: &str, text: &str, window: Range<usize>) -> Range<usize> {
    /// What replaces a piece may be this much longer.
    const LONGER: usize = 8;
    let quote: Vec<char> = quote.chars().collect();
    let inside: Vec<char> = text[window.clone()].chars().collect();
    let back = &quote[Pattern::new(&inside).nearest_prefix(quote.iter())..];
    let turned: Vec<char> = inside.iter().rev().copied().collect();
    let front = &quote[..quote.len() - Pattern::new(&turned).nearest_prefix(quote.iter().rev())];
    let letters = |piece: &[char]| piece.iter().filter(|c| c.is_alphanumeric()).count();
    let clause_end = |c: char| ".,;:!?。、，；：！？".contains(c);
    let mut out = window.clone();
    if letters(back) > 1 {
        let rest = &text[window.end..];
        let reach = rest.char_indices().nth(back.len() + LONGER).map_or(rest.len(), |(i, _)| i);
        out.end +=
            rest[..reach].find(clause_end).unwrap_or_else(|| reach + rest[reach..].find(|c: char| !c.is_alphanumeric()).unwrap_or(0));
    }
    if letters(front) > 1 {
        let rest = &text[..window.start];
        let reach = rest.char_indices().rev().nth(front.len() + LONGER).map_or(0, |(i, _)| i);
        let reach = rest[reach..].rfind(clause_end).map_or(reach, |i| reach + i);
        out.start = text.ceil_char_boundary(reach);
    }
    out
}

/// What a quotation starts with that a critic may have copied from a numbered prompt: "[P1] ", "(2) ", "3. ", "3) ", "Step 3: ".
/// Its digits are no part of the draft's statement.
struct Label<'q> {
    /// Bytes of the quotation.
    len: usize,
    number: &'q str,
    /// A number in a list, which a draft may have too; one in brackets is the prompt's own.
    list: bool,
}

impl Label<'_> {
    /// True where the text before a window ends with another list number: then the label is a wrong number, not an added one.
    fn contradicts(&self, before: &str) -> bool {
        let Some(token) = before.split(' ').rev().find(|t| !t.is_empty()).filter(|t| t.ends_with(['.', ')', ':'])) else { return false };
        let number = token.trim_matches(|c: char| !c.is_alphanumeric());
        self.list && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) && number != self.number
    }
}

fn label(quote: &str) -> Label<'_> {
    const WORD_MAX: usize = 12;
    const DIGITS_MAX: usize = 3;
    let none = Label { len: 0, number: "", list: false };
    let (head, rest) = quote.split_once(' ').unwrap_or((quote, ""));
    let is_number = |s: &str| (1..=DIGITS_MAX).contains(&s.len()) && s.bytes().all(|b| b.is_ascii_digit());
    // "Step 3:", "Absatz 2:"
    if head.len() <= WORD_MAX && !head.is_empty() && head.chars().all(char::is_alphabetic) {
        let second = rest.split(' ').next().unwrap_or(rest);
        return match second.strip_suffix(':') {
            Some(number) if is_number(number) => Label { len: head.len() + 1 + second.len(), number, list: true },
            _ => none,
        };
    }
    let bare = head.strip_suffix(':').unwrap_or(head);
    let bracketed = [('[', ']'), ('(', ')')].iter().find_map(|&(open, close)| bare.strip_prefix(open)?.strip_suffix(close));
    if let Some(inner) = bracketed {
        let number = inner.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        return if is_number(number) && inner.len() <= number.len() + 1 { Label { len: head.len(), number, list: false } } else { none };
    }
    match head.strip_suffix(['.', ')']) {
        Some(number) if is_number(number) => Label { len: head.len(), number, list: true },
        _ => none,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_other_numbers_and_the_opposite() {
        use DropReason::{DigitsDiffer, ElidedQuote, PolarityDiffers};
        for (quote, before, window, after, want) in [
            ("You have 15 days.", "", "You have 15 days.", "", None),
            ("You have 30 days.", "", "You have 15 days.", "", Some(DigitsDiffer)),
            ("It is refunded.", "", "It is not refunded.", "", Some(PolarityDiffers)),
            ("It can't go.", "", "It cannot go.", "", None),
            ("[P1] Choose it", "2. ", "Choose it", "", None),
            ("1. Choose it", "- ", "Choose it", "", None),
            ("1. Choose it", "2. ", "Choose it", "", Some(DigitsDiffer)),
            ("Step 2: Choose it", "2. ", "Choose it", "", None),
            ("12. Mai ist Schluss", "", "14. Mai ist Schluss", "", Some(DigitsDiffer)),
            ("so... it is", "", "so... it was", "", None),
            ("so... it is", "", "so it is", "", Some(ElidedQuote)),
            ("お客様側での手続きは必要です。", "", "お客様側での手続きは必要", "ありません。", Some(PolarityDiffers)),
            ("お客様側での手続きは必要です。", "", "お客様側での手続きは必要", "。できません。", None),
            ("We refund it in full today", "", "We refund it in full", " and not today", Some(PolarityDiffers)),
            ("Today we refund it in full", "we do not ", "we refund it in full", ".", Some(PolarityDiffers)),
            ("Today we refund it in full", "That is not so. ", "We refund it in full", ".", None),
        ] {
            let text = format!("{before}{window}{after}");
            let range = before.len()..before.len() + window.len();
            assert_eq!(guard(quote, &text, range, elisions(quote)).err(), want, "{quote} / {text}");
        }
    }
}
