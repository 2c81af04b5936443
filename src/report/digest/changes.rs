//! What changed between two loops, in Markdown: keys as a list, prompts as word diffs.

use std::fmt::Write;

use super::NAME_CHARS_MAX;
use crate::compare::{Change, Comparison, Word, WordOp};
use crate::report::markdown::{code, element_text};
use crate::report::shown::short;

// Writing into a String cannot fail, so its results are not looked at here.

/// Every key that differs, and what was held fixed.
pub(super) fn setup(comparison: &Comparison) -> String {
    let setup = &comparison.setup;
    if !setup.known {
        return "A side does not carry its loop: what was held fixed is not known.\n".to_owned();
    }
    let mut out = String::new();
    const KEYS_MAX: usize = 30;
    const VALUE_CHARS_MAX: usize = 120;
    let value = |text: &Option<String>| text.as_ref().map_or("(not set)".to_owned(), |text| code(&short(text, VALUE_CHARS_MAX)));
    for change in setup.changed.iter().take(KEYS_MAX) {
        let key = code(&short(&change.key, NAME_CHARS_MAX));
        if change.words.is_empty() {
            let _ = writeln!(out, "- {}: {key} {} → {}", change.family.words(), value(&change.baseline), value(&change.candidate));
        } else {
            let count = |op: WordOp| change.words.iter().filter(|word| word.op == op).map(|word| words(&word.text)).sum::<usize>();
            let (gone, come) = (count(WordOp::Delete), count(WordOp::Insert));
            let _ = writeln!(out, "- {}: {key}, {gone} words deleted, {come} inserted", change.family.words());
        }
    }
    if setup.changed.len() > KEYS_MAX {
        let _ = writeln!(out, "- and {} more keys", setup.changed.len() - KEYS_MAX);
    }
    if setup.changed.is_empty() {
        out.push_str("- nothing: what differs is noise, or the code that measures\n");
    }
    let held: Vec<&str> = setup.held.iter().map(|family| family.words()).collect();
    if !held.is_empty() {
        let _ = writeln!(out, "\nHeld fixed: {}.", held.join(", "));
    }
    out
}

fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

/// In an element that shows text as it is: no reference, mention or markup is looked for in it.
pub(super) fn word_diff(change: &Change, chars_max: usize) -> String {
    let mut body = String::new();
    let mut left = chars_max;
    for (at, word) in change.words.iter().enumerate() {
        if left == 0 {
            body.push_str("\n[...]");
            break;
        }
        let text = around(word, at == 0, at + 1 == change.words.len());
        let text = short(&text, left);
        left -= text.chars().count().min(left);
        let text = element_text(&text);
        match word.op {
            WordOp::Equal => body.push_str(&text),
            WordOp::Delete => _ = write!(body, "<del>{text}</del>"),
            WordOp::Insert => _ = write!(body, "<ins>{text}</ins>"),
        }
    }
    format!(
        "<details><summary>deleted words are struck through, inserted ones underlined</summary>\n\n<pre>\n{body}\n</pre>\n\n</details>\n"
    )
}

/// Of a long stretch that stayed, its ends: what stands beside a change.
fn around(word: &Word, is_first: bool, is_last: bool) -> String {
    const BESIDE: usize = 200;
    let chars = word.text.chars().count();
    let sides = usize::from(!is_first) + usize::from(!is_last);
    if word.op != WordOp::Equal || chars <= BESIDE * sides.max(1) + 100 {
        return word.text.clone();
    }
    let head: String = if is_first { String::new() } else { word.text.chars().take(BESIDE).collect() };
    let tail: String = if is_last { String::new() } else { word.text.chars().skip(chars - BESIDE).collect() };
    format!("{head} [{} characters that stayed] {tail}", chars - BESIDE * sides)
}
