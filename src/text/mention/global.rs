//! Remarks on the whole: "the overall tone is off", "too long", "throughout". Praise of the whole asks for nothing and is none.

use super::lexicon::{Unit, unit};
use super::place::names_whole;
use super::words::{Kind, Token};

/// How surely a clause speaks of the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Reach {
    /// The tone, the style, or a bare "too long": of the whole only if nothing else is spoken of.
    Manner,
    /// The draft as the subject, or "overall".
    Subject,
    /// "Throughout", "every paragraph".
    Everywhere,
}

/// True where a clause of the sentence finds fault with the whole or asks for a change of it. `used` marks tokens that name places; `spoken`
/// is true where a place is spoken of already.
pub(super) fn is_global(tokens: &[Token<'_>], used: &[bool], spoken: bool) -> bool {
    if tokens.iter().any(|token| token.kind == Kind::Word && token.text.contains("全体")) {
        let all: String = tokens.iter().map(|token| token.text).collect();
        return !["良い", "よい", "丁寧", "わかりやす", "分かりやす", "問題ありません", "問題な"].iter().any(|praise| all.contains(praise));
    }
    let mut start = 0;
    let mut local = false;
    for at in 0..=tokens.len() {
        let turns = tokens.get(at).is_none_or(|token| {
            token.is_mark(";")
                || token.is_any(&["but", "however", "although", "though", "yet", "aber", "mais", "pero", "jedoch", "cependant"])
        });
        if turns {
            let clause = &tokens[start..at];
            local |= used[start..at].iter().any(|used| *used);
            if clause_is_global(clause, used[start..at].iter().any(|used| *used), spoken || local) {
                return true;
            }
            start = at + 1;
        }
    }
    false
}

fn clause_is_global(clause: &[Token<'_>], local: bool, spoken: bool) -> bool {
    if clause.is_empty() {
        return false;
    }
    let Some(reach) = reach(clause) else { return false };
    let asks = clause.iter().enumerate().any(|(at, token)| asks(clause, at, token));
    let praises = clause.iter().any(|token| praises(&token.low)) || clause.len() < 4;
    match reach {
        Reach::Everywhere => !local && (asks || !praises),
        Reach::Subject => !local && asks,
        Reach::Manner => !local && !spoken && asks,
    }
}

fn reach(clause: &[Token<'_>]) -> Option<Reach> {
    let low = |at: usize| clause.get(at).map_or("", |token| token.low.as_ref());
    let mut best: Option<Reach> = None;
    let mut raise = |reach: Reach| {
        if best.is_none_or(|old| old < reach) {
            best = Some(reach);
        }
    };
    for at in 0..clause.len() {
        let (here, next, third) = (low(at), low(at + 1), low(at + 2));
        let whole = |from: usize| (from..from + 3).any(|at| names_whole(low(at)));
        match here {
            "throughout"
                if matches!(next, "" | "the" | "and" | "this" | "your")
                    || !clause[at + 1..].first().is_some_and(|t| t.kind == Kind::Word) =>
            {
                raise(if next.is_empty() || whole(at + 1) || clause.get(at + 1).is_none_or(|t| t.kind == Kind::Mark) {
                    Reach::Everywhere
                } else {
                    Reach::Subject
                })
            }
            "everywhere" | "durchgehend" | "durchweg" | "überall" | "partout" => raise(Reach::Everywhere),
            "whole" | "entire" | "full" | "complete" | "gesamte" | "ganze" | "gesamten" | "ganzen" if whole(at + 1) || next == "thing" => {
                raise(Reach::Everywhere)
            }
            "todo" | "tout" | "toute" | "toda" if whole(at + 1) => raise(Reach::Everywhere),
            "every" | "each" | "all" => {
                let from = at + 1 + usize::from(matches!(next, "the" | "of")) + usize::from(third == "the");
                if clause
                    .get(from..)
                    .and_then(unit)
                    .is_some_and(|(unit, _, _)| matches!(unit, Unit::Paragraph | Unit::Section | Unit::Sentence))
                {
                    raise(Reach::Everywhere);
                }
            }
            "start" | "beginning" if matches!((next, third), ("to", "finish" | "end")) => raise(Reach::Everywhere),
            "overall" | "insgesamt" | "globalement" | "gesamteindruck" => raise(Reach::Subject),
            "as" if next == "a" && third == "whole" => raise(Reach::Subject),
            "in" | "en" | "im" if matches!(next, "general" | "conjunto" | "ganzen" | "allgemeinen") => raise(Reach::Subject),
            "ensemble" => raise(Reach::Subject),
            "tone" | "style" | "register" | "voice" | "wording" | "language" | "structure" | "formatting" | "ton" | "tonfall" | "stil"
            | "sprache" | "tono" | "estilo" | "length" | "layout" => raise(Reach::Manner),
            _ if names_whole(here)
                && (at == 0
                    || matches!(low(at - 1), "the" | "this" | "your" | "der" | "die" | "das" | "le" | "la" | "el" | "cette" | "whole")) =>
            {
                // "The draft is", "the reply reads", "shorten the draft": its own predicate or an edit of all of it.
                let state = (at + 1..at + 3).find(|at| is_state(low(*at)));
                let state = state.filter(|at| !matches!(low(at + 1), "missing" | "lacking" | "about" | "based" | "written" | "silent"));
                let wanted = (at + 1..at + 3).any(|at| is_modal(low(at)) && (at + 1..at + 4).any(|at| is_state(low(at))));
                let predicate = state.is_some() || wanted;
                if predicate || at < 3 && is_edit(low(0)) && (at == 1 || clause.len() <= at + 4 || low(at + 1) == "to") {
                    raise(Reach::Subject);
                }
            }
            "it" | "this" if at <= 2 => {
                // "It is too long", "this could be half as long", "shorten it".
                let wanted = is_modal(next) && matches!(third, "be" | "read" | "sound" | "feel") && is_measure(low(at + 3));
                if at == 0 && (is_state(next) || wanted) || at > 0 && is_edit(low(at - 1)) {
                    raise(Reach::Manner);
                }
            }
            "too" | "zu" | "trop" | "demasiado" | "more" | "less" | "fewer" | "much" | "far" | "way" if at == 0 => raise(Reach::Manner),
            "everything" if !matches!(next, "else" | "except" | "but") => raise(Reach::Everywhere),
            _ => {}
        }
    }
    best
}

fn is_state(low: &str) -> bool {
    matches!(
        low,
        "is" | "be"
            | "reads"
            | "read"
            | "sounds"
            | "sound"
            | "feels"
            | "feel"
            | "seems"
            | "seem"
            | "comes"
            | "wavers"
            | "drags"
            | "rambles"
            | "repeats"
            | "switches"
            | "mixes"
            | "ist"
            | "klingt"
            | "wirkt"
            | "liest"
            | "est"
            | "es"
            | "suena"
            | "resulta"
            | "parece"
            | "semble"
            | "paraît"
    )
}

/// How much, after "it should be".
fn is_measure(low: &str) -> bool {
    matches!(
        low,
        "more" | "less" | "half" | "much" | "far" | "a" | "cut" | "shortened" | "rewritten" | "halved" | "trimmed" | "simplified" | "toned"
    ) || low.len() > 4 && low.ends_with("er")
}

fn is_modal(low: &str) -> bool {
    matches!(
        low,
        "should"
            | "could"
            | "needs"
            | "must"
            | "can"
            | "would"
            | "ought"
            | "sollte"
            | "könnte"
            | "muss"
            | "devrait"
            | "pourrait"
            | "debería"
            | "podría"
    )
}

fn is_edit(low: &str) -> bool {
    matches!(
        low,
        "shorten"
            | "halve"
            | "trim"
            | "cut"
            | "rewrite"
            | "simplify"
            | "make"
            | "condense"
            | "tighten"
            | "rephrase"
            | "restructure"
            | "reword"
            | "proofread"
            | "kürzen"
            | "kürzer"
            | "polish"
            | "soften"
            | "warm"
            | "reformat"
            | "split"
            | "streamline"
    )
}

/// Finds fault, or wants something else than there is.
fn asks(clause: &[Token<'_>], at: usize, token: &Token<'_>) -> bool {
    let low = token.low.as_ref();
    low.ends_with("n't")
        || matches!(
            low,
            "too"
                | "not"
                | "lacks"
                | "lack"
                | "lacking"
                | "should"
                | "needs"
                | "could"
                | "must"
                | "vague"
                | "unclear"
                | "confusing"
                | "inconsistent"
                | "off"
                | "cold"
                | "stiff"
                | "bureaucratic"
                | "wordy"
                | "verbose"
                | "repetitive"
                | "wavers"
                | "drags"
                | "rambles"
                | "harsh"
                | "abrupt"
                | "robotic"
                | "impersonal"
                | "curt"
                | "terse"
                | "dense"
                | "generic"
                | "jargon"
                | "hard"
                | "difficult"
                | "awkward"
                | "unprofessional"
                | "rude"
                | "condescending"
                | "passive"
                | "never"
                | "instead"
                | "avoid"
                | "more"
                | "less"
                | "inconsistently"
                | "switches"
                | "mixes"
                | "sloppy"
                | "uneven"
                | "dry"
                | "clumsy"
                | "weak"
                | "poor"
                | "disorganised"
                | "disorganized"
                | "defensive"
                | "patronising"
                | "patronizing"
                | "aggressive"
                | "evasive"
                | "repeats"
                | "mixed"
                | "zu"
                | "nicht"
                | "wenig"
                | "kürzer"
                | "trop"
                | "pas"
                | "manque"
                | "demasiado"
                | "poco"
                | "no"
                | "falta"
                | "más"
                | "plus"
                | "zäh"
                | "steif"
                | "unklar"
        ) && !(low == "no"
            && clause.get(at + 1).is_some_and(|next| {
                next.is_any(&["changes", "change", "issues", "issue", "problems", "errors", "further", "need", "complaints", "major"])
            }))
        || low == "like" && at > 0 && is_state(&clause[at - 1].low)
        || is_edit(low) && (at == 0 || clause[at - 1].is_any(&["to", "please", "and", ","]))
}

fn praises(low: &str) -> bool {
    matches!(
        low,
        "good"
            | "great"
            | "clear"
            | "accurate"
            | "well"
            | "fine"
            | "solid"
            | "excellent"
            | "polite"
            | "friendly"
            | "correct"
            | "concise"
            | "ready"
            | "helpful"
            | "professional"
            | "appropriate"
            | "nice"
            | "nicely"
            | "strong"
            | "works"
            | "complete"
            | "thorough"
            | "informative"
            | "effective"
            | "right"
            | "clearly"
            | "consistent"
            | "consistently"
            | "happy"
            | "gut"
            | "klar"
            | "passt"
            | "bien"
            | "claro"
            | "clara"
            | "bueno"
            | "buena"
            | "bon"
            | "bonne"
            | "clair"
            | "claire"
            | "praise"
            | "readable"
            | "warm"
            | "pleasant"
            | "courteous"
    )
}
