//! Windows: where words begin and end, and how a window found scalar by scalar becomes one that a reader would mark.

use super::search::{Pattern, Window};

/// Scripts written without spaces: every scalar is a word of its own here.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{2E80}'..='\u{2FDF}' | '\u{3005}'..='\u{3007}'
        | '\u{3041}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{FF66}'..='\u{FF9F}'
        | '\u{20000}'..='\u{3FFFF}')
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || unicode_normalization::char::is_combining_mark(c)
}

/// True where a cut before scalar `at` would go through a word: between letters or digits, or beside the apostrophe of "can't" and the
/// point of "2.6".
pub(super) fn inside_word(text: &[char], at: usize) -> bool {
    let get = |i: Option<usize>| i.and_then(|i| text.get(i)).copied().unwrap_or(' ');
    let (before2, before, after, after2) = (get(at.checked_sub(2)), get(at.checked_sub(1)), get(Some(at)), get(Some(at + 1)));
    let joint = |left: char, mark: char, right: char| match mark {
        '\'' => left.is_alphabetic() && right.is_alphabetic(),
        '.' | ',' => left.is_numeric() && right.is_numeric(),
        _ => false,
    };
    let letters = is_word(before) && is_word(after) && !(is_unspaced(before) || is_unspaced(after));
    letters || joint(before, after, after2) || joint(before2, before, after)
}

/// How many words a text has; a scalar of an unspaced script is one.
pub(super) fn words(text: &[char]) -> usize {
    (0..text.len()).filter(|&at| is_word(text[at]) && !inside_word(text, at)).count()
}

/// Moves the edges of `window` to word boundaries, to whichever side keeps it nearer to `quote`; then takes in the list marker and the end
/// punctuation that the quote has too, and completes a pair of marks of which one half stands inside.
pub(super) fn snap(text: &[char], window: Window, quote: &[char], pattern: &Pattern) -> Window {
    let window = trim(text, window, quote);
    let starts = word_edges(text, window.start);
    let ends = word_edges(text, window.end);
    let mut best = (window, usize::MAX);
    if starts[0] == starts[1] && ends[0] == ends[1] {
        best.0 = Window { start: starts[0], end: ends[0] };
    } else {
        for (start, end) in [(starts[0], ends[1]), (starts[1], ends[1]), (starts[0], ends[0]), (starts[1], ends[0])] {
            if start >= end {
                continue;
            }
            let window = trim(text, Window { start, end }, quote);
            let distance = pattern.distance(&text[window.start..window.end]);
            if distance < best.1 {
                best = (window, distance);
            }
        }
    }
    complete_pairs(text, with_marker(text, with_punctuation(text, best.0, quote), quote))
}

/// The word boundaries before and after `at`, or `at` twice where it is one (or the word is absurdly long).
fn word_edges(text: &[char], at: usize) -> [usize; 2] {
    const WORD_MAX: usize = 64;
    if !inside_word(text, at) {
        return [at, at];
    }
    let before = (at.saturating_sub(WORD_MAX)..at).rev().find(|&i| !inside_word(text, i));
    let after = (at..=text.len().min(at + WORD_MAX)).find(|&i| !inside_word(text, i));
    [before.unwrap_or(at), after.unwrap_or(at)]
}

/// Without blanks at the ends, and without the end of what stands before: no reader marks ". Ask" for "Ask".
fn trim(text: &[char], Window { mut start, mut end }: Window, quote: &[char]) -> Window {
    let stray = |c: char| {
        c == ' ' || (matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | ')' | ']' | '。' | '、' | '，') && quote.first() != Some(&c))
    };
    while start + 1 < end && stray(text[start]) {
        start += 1;
    }
    while end > start + 1 && text[end - 1] == ' ' {
        end -= 1;
    }
    Window { start, end }
}

/// A quote that starts with a list marker takes in the marker of its line, over an emoji or another mark that stands between.
fn with_marker(text: &[char], window: Window, quote: &[char]) -> Window {
    const TOKENS_MAX: usize = 3;
    let marks = |token: &[char]| !token.is_empty() && token.len() <= MARKS_MAX && !token.iter().any(|&c| is_word(c));
    let token = quote.split(|&c| c == ' ').next().unwrap_or(quote);
    if !marks(token) || quote.first() == text.get(window.start) {
        return window;
    }
    let mut start = window.start;
    for _ in 0..TOKENS_MAX {
        let Some(before) = start.checked_sub(1).filter(|&i| text[i] == ' ') else { break };
        let len = text[..before].iter().rev().take(MARKS_MAX).take_while(|&&c| c != ' ').count();
        if !marks(&text[before - len..before]) {
            break;
        }
        start = before - len;
        if matches!(text[start..before], ['-' | '*' | '+' | '•' | '>']) {
            return Window { start, end: window.end };
        }
    }
    window
}

/// The longest run of marks that is looked through for the quote's own end punctuation.
const MARKS_MAX: usize = 6;

/// Where the quote ends in a mark that stands in the run of marks after the window, the window reaches to that mark: "Billing" in
/// "Billing**." when the quote says "Billing.".
fn with_punctuation(text: &[char], window: Window, quote: &[char]) -> Window {
    let is_mark = |c: &char| !is_word(*c) && *c != ' ';
    let Some(last) = quote.last().filter(|c| is_mark(c)) else { return window };
    // The window may already end inside that run, on another mark.
    let run = text[window.start..window.end].iter().rev().take_while(|c| is_mark(c)).count();
    if text[window.end - run..window.end].contains(last) {
        return window;
    }
    let mut after = text[window.end..].iter().take(MARKS_MAX).take_while(|c| is_mark(c));
    let reach = after.position(|c| c == last);
    Window { start: window.start, end: window.end + reach.map_or(0, |at| at + 1) }
}

/// Marks that open and close alike.
const TWINS: [char; 4] = ['*', '_', '`', '"'];
const BRACKETS: [(char, char); 4] = [('(', ')'), ('[', ']'), ('«', '»'), ('「', '」')];

/// A pair that opens inside the window and closes right behind it is taken whole, and one that closes inside and opens right before it.
fn complete_pairs(text: &[char], window: Window) -> Window {
    let inside = &text[window.start..window.end];
    let behind = missing(inside.iter(), text[window.end..].iter(), |(open, close)| (open, close));
    let mut end = window.end + behind;
    if text.get(end - 1) == Some(&']') && behind > 0 {
        end += address(&text[end..]);
    }
    let before =
        if behind > 0 { 0 } else { missing(inside.iter().rev(), text[..window.start].iter().rev(), |(open, close)| (close, open)) };
    Window { start: window.start - before, end }
}

/// How many scalars of `next`, the text that goes on where `inside` ends, complete a pair that is open in `inside`. Reading backwards,
/// `turn` swaps the halves of a bracket.
fn missing<'t>(
    inside: impl DoubleEndedIterator<Item = &'t char> + Clone,
    next: impl Iterator<Item = &'t char> + Clone,
    turn: impl Fn((char, char)) -> (char, char),
) -> usize {
    let Some(&mark) = next.clone().next() else { return 0 };
    let open = if TWINS.contains(&mark) {
        let tail = inside.clone().rev().take_while(|&&c| c == mark).count();
        let inside: Vec<char> = inside.copied().collect();
        unclosed_run(&inside[..inside.len() - tail], mark).saturating_sub(tail)
    } else {
        let count = |mark: char| inside.clone().filter(|&&c| c == mark).count();
        BRACKETS.iter().map(|&b| turn(b)).find(|b| b.1 == mark).map_or(0, |b| count(b.0).saturating_sub(count(b.1)))
    };
    next.take(open).take_while(|&&c| c == mark).count()
}

/// The length of the `(address)` of a link whose text ends here.
fn address(text: &[char]) -> usize {
    const ADDRESS_MAX: usize = 300;
    if text.first() != Some(&'(') {
        return 0;
    }
    text.iter().take(ADDRESS_MAX).take_while(|&&c| c != ' ').position(|&c| c == ')').map_or(0, |at| at + 1)
}

/// The length of the last run of `mark` where the runs do not pair up, else 0. A run inside a word (`beta_sync`) marks nothing.
fn unclosed_run(text: &[char], mark: char) -> usize {
    let (mut open, mut at) = (0, 0);
    while at < text.len() {
        let run = text[at..].iter().take_while(|&&c| c == mark).count();
        let beside = |i: Option<usize>| i.and_then(|i| text.get(i)).is_some_and(|&c| is_word(c));
        if run > 0 && !(beside(at.checked_sub(1)) && beside(Some(at + run))) {
            open = if open == 0 { run } else { 0 };
        }
        at += run.max(1);
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chars(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    #[test]
    fn counts_words_in_any_script() {
        for (text, want) in [("", 0), ("can't pay 2.6 EUR", 4), ("e-mail me", 3), ("退款将在5个", 6), ("日本語 abc", 4), ("한국어 단어", 2)]
        {
            assert_eq!(words(&chars(text)), want, "{text}");
        }
    }

    #[test]
    fn snaps_to_what_a_reader_would_mark() {
        let check = |text: &str, raw: &str, quote: &str, want: &str| {
            let at = text.find(raw).unwrap();
            let start = text[..at].chars().count();
            let (text, quote) = (chars(text), chars(quote));
            let got = snap(&text, Window { start, end: start + raw.chars().count() }, &quote, &Pattern::new(&quote));
            assert_eq!(text[got.start..got.end].iter().collect::<String>(), want);
        };
        check("Open **Settings → Billing**.", "Open **Settings → Billing*", "Open Settings → Billing.", "Open **Settings → Billing**.");
        check("Open **Settings → Billing**.", "Open **Settings → Billing", "Open Settings → Billing", "Open **Settings → Billing**");
        check("Nonrefunds always go", "refunds always go", "refunds alway go", "Nonrefunds always go");
        check("omega tests of things", "a tests of things", "a test of things", "tests of things");
        check("x. Choose *Cancel plan*; y", " Choose *Cancel plan*", "[P1] Choose *Cancel plan*", "Choose *Cancel plan*");
        check("rose to 2.6% here", "rose to 2", "rises to 2.6", "rose to 2.6");
        check("将在5个工作日内", "将在5个", "将在7个", "将在5个");
        check("set `beta_sync` now", "set `beta_sync", "set beta_sync", "set `beta_sync`");
        check("**Note:** one shop", "Note:** one shop", "Note: one shop", "**Note:** one shop");
        check("a. 3. Ask the member", ". Ask the member", "1. Ask the member", "Ask the member");
        check("end. - 🔒 Choose who", " Choose who", "- Choose who", "- 🔒 Choose who");
        check("a - b Choose who", " Choose who", "- Choose who", "Choose who");
        check("See the [guide](http://x.test/a) or", "See the [guide", "See the guide", "See the [guide](http://x.test/a)");
    }
}
