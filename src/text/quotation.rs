//! Quotations: the pieces that prose puts in quotation marks, and what a critic wraps around the words it quotes.

use std::ops::Range;

use crate::model::Span;
use crate::text::bytes::ascii_run_without;

/// Marks that enclose, as (opening, closing), in normalised text.
const ENCLOSING: [(char, char); 10] =
    [('"', '"'), ('\'', '\''), ('`', '`'), ('«', '»'), ('»', '«'), ('‹', '›'), ('›', '‹'), ('「', '」'), ('『', '』'), ('„', '“')];

/// Marks of an elision, longest first, in normalised text (U+2026 is three dots there).
const ELISIONS: [&str; 6] = ["[...]", "(...)", "<...>", ". . .", "...", "⋯"];

/// Punctuation that a critic may put inside its own quotation marks.
const END_MARKS: [char; 12] = ['.', ',', ';', ':', '!', '?', '。', '、', '，', '！', '？', '；'];

/// A part of a quotation that is left when what the critic put around it is taken off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Peeled {
    pub range: Range<usize>,
    /// End punctuation was taken off last: what is left ends a word.
    pub ends_word: bool,
}

/// Takes marks off a normalised quotation one by one; every step is a candidate, the least peeled first. Not the quotation itself.
pub(super) fn peel(quote: &str) -> Vec<Peeled> {
    let mut out = Vec::new();
    let mut range = 0..quote.len();
    let mut ends_word = false;
    loop {
        let rest = &quote[range.clone()];
        let (front, back) = match unwrapped(rest) {
            Some(cut) => cut,
            None => match rest.chars().next_back().filter(|c| END_MARKS.contains(c)) {
                Some(mark) => {
                    ends_word = true;
                    (0, mark.len_utf8())
                }
                None => break,
            },
        };
        range = trimmed(quote, range.start + front..range.end - back);
        if !quote[range.clone()].contains(char::is_alphanumeric) {
            break;
        }
        out.push(Peeled { range: range.clone(), ends_word });
    }
    out
}

/// The quotation without enclosing marks and without elision marks at its edges. End punctuation stays: the draft may have it.
pub(super) fn bare(quote: &str) -> &str {
    let mut range = trimmed(quote, 0..quote.len());
    while let Some((front, back)) = unwrapped(&quote[range.clone()]) {
        range = trimmed(quote, range.start + front..range.end - back);
    }
    &quote[range]
}

/// How many elision marks a normalised text holds.
pub(super) fn elisions(text: &str) -> usize {
    let (mut count, mut at) = (0, 0);
    while let Some(rest) = text.get(at..).filter(|r| !r.is_empty()) {
        match ELISIONS.iter().find(|mark| rest.starts_with(**mark)) {
            Some(mark) => {
                count += 1;
                at += mark.len();
                at += text[at..].bytes().take_while(|&b| b == b'.').count();
            }
            None => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    count
}

/// Bytes to take off front and back for one enclosing pair or the elision marks at the edges; None where there is neither.
fn unwrapped(rest: &str) -> Option<(usize, usize)> {
    let (first, last) = (rest.chars().next()?, rest.chars().next_back()?);
    if rest.len() > first.len_utf8() && ENCLOSING.contains(&(first, last)) {
        return Some((first.len_utf8(), last.len_utf8()));
    }
    let front = ELISIONS.iter().find(|mark| rest.starts_with(**mark)).map_or(0, |m| m.len());
    if front > 0 {
        let dots = rest[front..].bytes().take_while(|&b| b == b'.').count();
        return Some((front + dots, 0));
    }
    let back = ELISIONS.iter().find(|mark| rest.ends_with(**mark)).map_or(0, |m| m.len());
    (back > 0).then_some((0, back))
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let piece = &text[range.clone()];
    let start = range.start + (piece.len() - piece.trim_start().len());
    start..start + piece.trim().len()
}

/// The pieces that a prose critique puts in quotation marks: straight, curly, low, angle, corner marks and backticks; in text order, outer
/// ones only, without blanks at their ends. An apostrophe is no quotation mark; straight and single marks close within a paragraph.
pub fn quotations(prose: &str) -> Vec<&str> {
    quotation_spans(prose).into_iter().filter_map(|span| span.of(prose)).collect()
}

/// The same, as places in the text.
pub fn quotation_spans(prose: &str) -> Vec<Span> {
    let mut out = Vec::new();
    let mut at = 0;
    loop {
        at += ascii_run_without(&prose.as_bytes()[at..], [b'`', b'"', b'\'']);
        let Some(c) = prose[at..].chars().next() else { break };
        let found = match c {
            '`' => backticks(prose, at),
            '"' | '\'' | '‘' | '‚' => plain_marks(prose, at, c),
            _ => directed_marks(prose, at, c),
        };
        match found {
            Some((inner, next)) => {
                let inner = trimmed(prose, inner);
                if !inner.is_empty() {
                    out.push(Span::new(inner.start, inner.end));
                }
                at = next;
            }
            None => at += if c == '`' { prose[at..].bytes().take_while(|&b| b == b'`').count() } else { c.len_utf8() },
        }
    }
    out
}

/// A piece's range and where to read on.
type Found = Option<(Range<usize>, usize)>;

/// A run of backticks closes with a run of the same length (CommonMark); a fence's info line is not part of the piece.
fn backticks(prose: &str, at: usize) -> Found {
    let run = prose[at..].bytes().take_while(|&b| b == b'`').count();
    let mut start = at + run;
    if run >= 3 {
        start += prose[start..].find('\n').map_or(0, |i| i + 1);
    }
    let scope = if run >= 3 { prose.len() } else { paragraph_end(prose, start) };
    let mut from = start;
    while let Some(hit) = prose[from..scope].find('`') {
        let open = from + hit;
        let length = prose[open..].bytes().take_while(|&b| b == b'`').count();
        if length == run {
            return Some((start..open, open + run));
        }
        from = (open + length).min(scope);
    }
    None
}

/// Straight and single marks, which do not say by themselves whether they open, close or stand for a letter.
fn plain_marks(prose: &str, at: usize, mark: char) -> Found {
    let start = at + mark.len_utf8();
    let before = prose[..at].chars().next_back();
    let opens = before.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '"' | '\'' | '.' | ',' | '!' | '?' | ')' | '’' | '”'));
    if !opens || prose[start..].chars().next().is_none_or(char::is_whitespace) {
        return None;
    }
    let closing: &[char] = match mark {
        '"' => &['"'],
        '\'' => &['\''],
        '‚' => &['‘', '’'],
        _ => &['’'],
    };
    let scope = paragraph_end(prose, start);
    for (i, c) in prose[start..scope].char_indices().filter(|(_, c)| closing.contains(c)) {
        let close = start + i;
        let next = close + c.len_utf8();
        let ends = prose[next..].chars().next().is_none_or(|c| !c.is_alphanumeric());
        let after_blank = prose[..close].chars().next_back().is_some_and(char::is_whitespace);
        if ends && !after_blank && close > start {
            return Some((start..close, next));
        }
    }
    None
}

/// Marks whose shape tells the opening from the closing; what is nested in them belongs to them.
fn directed_marks(prose: &str, at: usize, open: char) -> Found {
    let closing: &[char] = match open {
        '“' => &['”'],
        '„' => &['“', '”'],
        '«' => &['»'],
        '»' => &['«'],
        '‹' => &['›'],
        '›' => &['‹'],
        '「' => &['」'],
        '『' => &['』'],
        _ => return None,
    };
    let start = at + open.len_utf8();
    // » and › open only where a word begins; elsewhere they are closing marks that lost their partner.
    if matches!(open, '»' | '›')
        && (prose[start..].chars().next().is_none_or(char::is_whitespace) || prose[..at].ends_with(char::is_alphanumeric))
    {
        return None;
    }
    let mut depth = 1;
    for (i, c) in prose[start..].char_indices() {
        if closing.contains(&c) {
            depth -= 1;
            if depth == 0 {
                return Some((start..start + i, start + i + c.len_utf8()));
            }
        } else if c == open {
            depth += 1;
        }
    }
    None
}

/// Where the paragraph that holds `at` ends: the next blank line or the end of the text.
fn paragraph_end(prose: &str, at: usize) -> usize {
    let mut line = at;
    while let Some(next) = prose[line..].find('\n').map(|i| line + i + 1) {
        let blank = prose[next..].lines().next().is_some_and(|l| l.trim().is_empty());
        if blank {
            return next;
        }
        line = next;
    }
    prose.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn finds_pieces_in_quotation_marks_of_every_kind() {
        for (prose, want) in [
            (r#"The line "12 seats" and "12 days." are wrong."#, vec!["12 seats", "12 days."]),
            ("“Fees” and „Kosten“ and „Preis” and « prix » and »Wert« and ‹x›.", vec!["Fees", "Kosten", "Preis", "prix", "Wert", "x"]),
            ("It's 'not a fact' that the customers' bank can't pay.", vec!["not a fact"]),
            ("‘You can’t cancel’ isn’t right, don’t say ‚immer‘.", vec!["You can’t cancel", "immer"]),
            ("Use `retries` or ``a ` b`` here.", vec!["retries", "a ` b"]),
            ("```text\nOpen the app.\n```\ndone", vec!["Open the app."]),
            ("“the “premium” line” stays", vec!["the “premium” line"]),
            ("「返金」と『期限』", vec!["返金", "期限"]),
            ("A 5\" disk and a 3\" disk", vec![]),
            ("A stray \" mark\n\nand \"a quotation\" later", vec!["a quotation"]),
            ("(\"in brackets\")", vec!["in brackets"]),
            ("\"\" and \" \" and ``", vec![]),
            ("no marks at all, it's the users' choice", vec![]),
        ] {
            assert_eq!(quotations(prose), want, "{prose}");
        }
    }

    #[test]
    fn peels_what_a_critic_puts_around_a_quotation() {
        let check = |quote: &str, want: &[&str]| {
            let got: Vec<&str> = peel(quote).iter().map(|p| &quote[p.range.clone()]).collect();
            assert_eq!(got, want, "{quote}");
        };
        check("Install it.", &["Install it"]);
        check("\"Install it.\"", &["Install it.", "Install it"]);
        check("'Install it',", &["'Install it'", "Install it"]);
        check("... ends here...", &["ends here...", "ends here"]);
        check("[...] it goes on [...].", &["it goes on [...].", "it goes on [...]", "it goes on"]);
        check("Why?!", &["Why?", "Why"]);
        check("plain", &[]);
        check("...", &[]);
        check("\"\"", &[]);
    }

    #[test]
    fn counts_elision_marks() {
        for (text, want) in [("a ... b", 1), ("a [...] b (...) c", 2), ("a...... b", 1), ("a . . . b", 1), ("[38, 39] .. x", 0), ("", 0)] {
            assert_eq!(elisions(text), want, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_prose_can_be_read(prose in "[a '\"`“”„«»‘’\\n.é「」]{0,40}") {
            for piece in quotations(&prose) {
                prop_assert!(prose.contains(piece));
            }
            peel(&prose);
            prop_assert!(prose.contains(bare(&prose)));
            elisions(&prose);
        }
    }
}
