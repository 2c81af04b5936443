//! Sentences: Unicode's sentence bounds, less the breaks behind abbreviations, initials, ordinals and list numbers.

use unicode_segmentation::UnicodeSegmentation;

use super::markdown::Block;
use crate::model::Span;

/// Abbreviations that end in a full stop and never end a sentence, small letters, without the last full stop.
const ABBREVIATIONS: &[&str] = &[
    "mr", "mrs", "ms", "dr", "prof", "rev", "hon", "messrs", "st", "mt", "vs", "cf", "e.g", "i.e", "eg", "ie", "viz", "approx", "dept",
    "resp", "al", "incl", "excl", "z.b", "d.h", "u.a", "o.ä", "bzw", "ca", "vgl", "evtl", "ggf", "inkl", "zzgl", "sog", "hr", "fr", "str",
    "mme", "mlle", "c.-à-d", "p.ex", "sr", "sra", "srta", "dra", "ud", "uds", "p.ej", "ej",
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
        let mut end = at + piece.len();
        if end < prose.len() {
            // Unicode's rules leave an opening mark that follows without a blank with the sentence before it.
            end = prose[..end].trim_end_matches(['「', '『', '（', '【', '《', '〈', '“', '‘', '(']).len().max(start);
        }
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
    let (sentence, next) = (sentence.trim(), next.trim_start());
    if is_marker(sentence) {
        return true;
    }
    let Some(stem) = sentence.strip_suffix('.') else { return false };
    let word = stem.rsplit(|c: char| c.is_whitespace() || "([\"“„«/".contains(c)).next().unwrap_or("");
    if word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit()) {
        return AFTER_ORDINALS.iter().any(|name| next.starts_with(name));
    }
    let mut letters = word.chars();
    if let (Some(initial), None) = (letters.next(), letters.next())
        && initial.is_uppercase()
    {
        return initial != 'I';
    }
    let folded = word.to_lowercase();
    ABBREVIATIONS.contains(&folded.as_str()) || BEFORE_NUMBERS.contains(&folded.as_str()) && next.starts_with(char::is_numeric)
}

/// A list number or bullet that stands alone before its item.
fn is_marker(piece: &str) -> bool {
    let number = piece.strip_suffix(['.', ')']).unwrap_or("");
    matches!(piece, "-" | "*" | "+" | "•") || (1..=3).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use crate::text::section::{SectionRule, section_texts};

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(section_texts(text, SectionRule::Sentence), expected, "{text:?}");
    }

    #[test]
    fn prose() {
        check("One. Two! Three? \"Four.\" Five", &["One.", "Two!", "Three?", "\"Four.\"", "Five"]);
        check(
            "It rose 3.5 percent to $1.204. See v2.1.0 at fern.example.com now.",
            &["It rose 3.5 percent to $1.204.", "See v2.1.0 at fern.example.com now."],
        );
        check(
            "Dr. Ines met Mr. J. Ode, e.g. Monday. See Fig. 3 and No. 5. The answer is no. Then go.",
            &["Dr. Ines met Mr. J. Ode, e.g. Monday.", "See Fig. 3 and No. 5.", "The answer is no.", "Then go."],
        );
        check("Am 3. März kam z.B. Frau Dr. Lenz. Sie blieb.", &["Am 3. März kam z.B. Frau Dr. Lenz.", "Sie blieb."]);
        check("费用是15元。请在6月9日前付款！谢谢", &["费用是15元。", "请在6月9日前付款！", "谢谢"]);
        check("本当です。「はい。」と言った。", &["本当です。", "「はい。」", "と言った。"]);
    }

    #[test]
    fn lines() {
        check("Hi Noor,\nYour key was rotated.\n\nBye,\nRosa", &["Hi Noor,", "Your key was rotated.", "Bye,", "Rosa"]);
        check(
            "This is a line that was wrapped by hand at sixty or\r\nSo columns. It ends.",
            &["This is a line that was wrapped by hand at sixty or\r\nSo columns.", "It ends."],
        );
        check(
            "Steps:\n1. Open it. Press Go.\n2. Wait\n   a bit.\n\nDone.",
            &["Steps:", "1. Open it.", "Press Go.", "2. Wait\n   a bit.", "Done."],
        );
    }

    #[test]
    fn what_is_no_prose_stays_whole() {
        check("See:\n```\na. B. C.\n\nD.\n```\nEnd. Really.", &["See:", "```\na. B. C.\n\nD.\n```", "End.", "Really."]);
        check("| a. B |\n|---|\n| C. D |\nEnd.", &["| a. B |\n|---|\n| C. D |", "End."]);
        check("## What now? Well\n\nWait. Then go.", &["## What now? Well\n\nWait.", "Then go."]);
    }
}
