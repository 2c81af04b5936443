//! Text that a critic proposes: it is not in the draft yet, so it mentions nothing.

use std::borrow::Cow;

use super::known::Is;
use super::words::{Kind, Token, tokens};

/// Verbs by which a critic asks for a change.
#[rustfmt::skip]
fn changes(low: &str) -> bool {
    matches!(low,
        "change" | "changing" | "replace" | "replacing" | "replaced" | "reword" | "rephrase" | "rewrite" | "revise" | "correct" | "swap"
            | "update" | "amend" | "edit" | "modify" | "fix" | "shorten" | "turn" | "switch" | "alter" | "reduce" | "rename" | "changed"
            | "reworded" | "rephrased" | "rewritten" | "ersetzen" | "ersetze" | "ändern" | "remplacer" | "remplacez" | "reemplazar"
            | "cambiar")
}

#[rustfmt::skip]
fn requests(low: &str) -> bool {
    matches!(low,
        "should" | "could" | "would" | "must" | "needs" | "instead" | "better" | "simply" | "just" | "consider" | "perhaps" | "maybe"
            | "try" | "suggest" | "recommend" | "might")
}

/// The verbs and adverbs of a request: what stands behind a colon after one may be proposed.
pub(super) fn asks(low: &str) -> bool {
    requests(low) || changes(low)
}

/// True where the quoted piece at `at` is proposed and too short to be told from words that stand in the draft by chance.
pub(super) fn is_proposed(tokens: &[Token<'_>], at: usize) -> bool {
    let words = tokens[at].text.split_whitespace().count();
    let before: Vec<&Token<'_>> = tokens[..at].iter().rev().filter(|token| token.kind == Kind::Word).take(12).collect();
    let low = |back: usize| before.get(back).map_or("", |token| token.low.as_ref());
    let any = |test: fn(&str) -> bool| before.iter().any(|token| test(&token.low));
    let proposed = match low(0) {
        "to" | "with" | "into" | "as" | "by" | "durch" | "par" | "por" | "in" => any(changes),
        "add" | "adding" | "insert" | "append" | "include" | "including" | "write" | "try" | "consider" | "instead" | "perhaps" => true,
        "say" | "saying" | "read" | "use" | "using" | "be" | "state" => at <= 2 || before.len() == 1 || any(requests),
        "like" => low(1) == "something",
        _ => false,
    };
    proposed && words <= 3
}

/// The token behind which an unquoted proposal begins: "it should say: ...".
pub(super) fn starts_at(tokens: &[Token<'_>]) -> Option<usize> {
    let mut asked = false;
    for (at, token) in tokens.iter().enumerate() {
        asked |= token.is(Is::Request);
        if token.is_mark(":") {
            let word = at.checked_sub(1).map_or("", |at| tokens[at].low.as_ref());
            let says = matches!(word, "say" | "read" | "write" | "be" | "to" | "with" | "instead" | "example" | "like") && asked;
            let names = matches!(word, "suggestion" | "suggested" | "rewrite" | "revised" | "replacement" | "better" | "proposed");
            if (says || names) && at + 1 < tokens.len() && !tokens[at + 1..].iter().take(2).any(|t| matches!(t.kind, Kind::Quote(_))) {
                return Some(at + 1);
            }
        }
    }
    None
}

/// The first word of a text in small letters, for the most part without reading the rest of it.
fn first_word(text: &str) -> Option<Cow<'_, str>> {
    let first = |text| tokens(text, &[]).into_iter().find(|token: &Token<'_>| token.kind == Kind::Word);
    let head = &text[..text.floor_char_boundary(64)];
    // A mark of up to three bytes may tie a word to what stands behind it.
    let known = first(head).filter(|token| token.at.end + 3 < head.len());
    known.or_else(|| first(text)).map(|token| token.low)
}

/// True where a finding's fix says what to do; else it is the text to put in.
pub fn is_instruction(fix: &str) -> bool {
    let Some(first) = first_word(fix) else { return false };
    changes(&first)
        || matches!(
            first.as_ref(),
            "add"
                | "remove"
                | "delete"
                | "drop"
                | "cut"
                | "insert"
                | "include"
                | "mention"
                | "state"
                | "say"
                | "clarify"
                | "specify"
                | "explain"
                | "use"
                | "make"
                | "move"
                | "merge"
                | "split"
                | "leave"
                | "avoid"
                | "provide"
                | "give"
                | "name"
                | "put"
                | "start"
                | "end"
                | "begin"
                | "consider"
                | "ensure"
                | "check"
                | "verify"
                | "simplify"
                | "tighten"
                | "soften"
                | "combine"
                | "restructure"
                | "omit"
                | "trim"
                | "expand"
                | "instead"
                | "write"
                | "keep"
                | "set"
                | "spell"
                | "link"
                | "cite"
                | "tell"
                | "offer"
                | "confirm"
                | "apologise"
                | "apologize"
                | "acknowledge"
                | "streichen"
                | "ergänzen"
                | "kürzen"
        )
}
