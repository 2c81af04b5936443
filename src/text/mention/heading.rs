//! A heading's words: its whole title where they stand as a name, or enough of them beside a word like "section".

use super::lexicon::{is_indefinite, is_preposition, is_verb};
use super::outline::{Outline, content, has_content};
use super::place::{Place, Reader};
use super::resolve::region;
use super::words::{Kind, Token, tokens};
use super::{Evidence, Target};

/// The heading that is named from a token on.
pub(super) fn title(reader: &Reader<'_, '_>, at: usize) -> Option<Place> {
    if reader.outline.heads.is_empty() {
        return None;
    }
    whole(reader, at).or_else(|| part(reader, at)).or_else(|| about(reader, at))
}

/// Where a quoted piece is a title, word for word.
pub(super) fn quoted(outline: &Outline<'_>, quote: &str) -> Option<Vec<Target>> {
    if outline.heads.is_empty() || quote.len() > 200 {
        return None;
    }
    let heads = outline.titled(&content(&tokens(quote, &[])));
    (!heads.is_empty()).then(|| heads.iter().flat_map(|head| region(outline, *head)).collect())
}

fn is_section_word(low: &str) -> bool {
    matches!(
        low,
        "section"
            | "sections"
            | "part"
            | "parts"
            | "paragraph"
            | "paragraphs"
            | "heading"
            | "headings"
            | "block"
            | "bullets"
            | "list"
            | "table"
            | "passage"
            | "chapter"
            | "abschnitt"
            | "teil"
            | "absatz"
            | "kapitel"
            | "sección"
            | "parte"
            | "partie"
    )
}

fn place(reader: &Reader<'_, '_>, heads: &[usize], from: usize, until: usize) -> Option<Place> {
    let targets: Vec<Target> = heads.iter().flat_map(|head| reader.region(*head)).collect();
    (!targets.is_empty()).then_some(Place { targets, evidence: Evidence::Heading, from, until, unit: None, inner: false })
}

/// All words of a title in a row.
fn whole(reader: &Reader<'_, '_>, at: usize) -> Option<Place> {
    let tokens = reader.tokens;
    if !has_content(tokens.get(at)?) {
        return None;
    }
    let mut words = vec![];
    let mut best = None;
    for (next, token) in tokens.iter().enumerate().skip(at).take(reader.outline.longest_title() * 2) {
        match token.kind {
            _ if has_content(token) => words.push(token.known.stem),
            Kind::Word => continue,
            Kind::Mark if token.is_mark("-&,/") => continue,
            _ => break,
        }
        let heads = reader.outline.titled(&words);
        if !heads.is_empty() {
            best = Some((heads, next + 1, words.len()));
        }
    }
    let (heads, until, count) = best?;
    let before = at.checked_sub(1).and_then(|at| tokens.get(at));
    if before.is_some_and(|token| is_indefinite(&token.low)) {
        return None;
    }
    (count > 1 || is_named(tokens, at, until)).then(|| place(reader, heads, at, until)).flatten()
}

/// A title of one word is also a word: it has to stand like a name.
fn is_named(tokens: &[Token<'_>], at: usize, until: usize) -> bool {
    let before = at.checked_sub(1).map_or("", |at| tokens[at].low.as_ref());
    let next = tokens.get(until);
    let after = next.map_or("", |token| token.low.as_ref());
    let over = next.is_none_or(|token| token.kind != Kind::Word || is_verb(&token.low) || is_preposition(&token.low) && after != "of");
    let capital = tokens[at].text.starts_with(char::is_uppercase);
    let leads = at == 0 || tokens[at - 1].is_mark("*-:#(") || tokens[at - 1].kind == Kind::Break;
    is_section_word(after)
        || matches!(before, "under" | "unter" | "titled" | "called" | "headed" | "sous" | "bajo")
        || capital && (!leads && over || leads && next.is_some_and(|token| token.is_mark(":*")))
        || matches!(before, "the" | "your") && over
}

/// "the cooling-off section": words before a word like "section" that only one title holds.
fn part(reader: &Reader<'_, '_>, at: usize) -> Option<Place> {
    let tokens = reader.tokens;
    if !is_section_word(&tokens.get(at)?.low) {
        return None;
    }
    let from = (at.saturating_sub(3)..at).find(|from| tokens[*from..at].iter().all(has_content))?;
    let words = content(&tokens[from..at]);
    let head = reader.outline.partly_titled(&words)?;
    place(reader, &[head], from, at + 1)
}

/// "the section on partial refunds".
fn about(reader: &Reader<'_, '_>, at: usize) -> Option<Place> {
    let tokens = reader.tokens;
    let preposition = tokens.get(at + 1)?.is_any(&[
        "on",
        "about",
        "for",
        "titled",
        "called",
        "headed",
        "regarding",
        "named",
        "zu",
        "über",
        "sur",
        "sobre",
    ]);
    if !preposition || !is_section_word(&tokens[at].low) {
        return None;
    }
    let from = (at + 2..tokens.len().min(at + 4)).find(|at| has_content(&tokens[*at]))?;
    let until = (from..tokens.len().min(from + 4)).take_while(|at| has_content(&tokens[*at])).last()? + 1;
    let head = reader.outline.partly_titled(&content(&tokens[from..until]))?;
    place(reader, &[head], at, until)
}
