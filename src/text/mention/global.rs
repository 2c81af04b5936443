//! Remarks on the whole: "the overall tone is off", "too long", "throughout". Praise of the whole asks for nothing and is none.

use super::known::Is;
use super::lexicon::{Unit, names_whole, unit};
use super::words::{Kind, Token};

/// How surely a clause speaks of the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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
        let praise = ["良い", "よい", "丁寧", "わかりやす", "分かりやす", "問題ありません", "問題な"];
        return !praise.iter().any(|praise| all.contains(praise));
    }
    let mut start = 0;
    let mut local = spoken;
    for at in 0..=tokens.len() {
        if tokens.get(at).is_none_or(|token| token.is(Is::Turn) || token.is_mark(";")) {
            let here = used[start..at].iter().any(|used| *used);
            let clause = Clause { tokens: &tokens[start..at], leads: start == 0 };
            local |= here;
            if !here && clause.is_global(local) {
                return true;
            }
            start = at + 1;
        }
    }
    false
}

/// Praise and blame of one sentence are told apart where it turns.
pub(super) fn turns(low: &str) -> bool {
    matches!(low, "but" | "however" | "although" | "though" | "yet" | "aber" | "mais" | "pero" | "jedoch" | "cependant")
}

/// False for a word by which no clause is of the whole.
#[rustfmt::skip]
pub(super) fn may_reach(low: &str) -> bool {
    names_whole(low)
        || is_manner(low)
        || matches!(low,
        "throughout" | "everywhere" | "durchgehend" | "durchweg" | "überall" | "partout" | "whole" | "entire" | "full" | "complete"
            | "gesamte" | "ganze" | "gesamten" | "ganzen" | "todo" | "tout" | "toute" | "toda" | "every" | "each" | "all" | "everything"
            | "start" | "beginning" | "overall" | "insgesamt" | "globalement" | "gesamteindruck" | "ensemble" | "as" | "in" | "en" | "im"
            | "it" | "this" | "too" | "zu" | "trop" | "demasiado" | "more" | "less" | "fewer" | "much" | "far" | "way")
}

struct Clause<'s, 't> {
    tokens: &'s [Token<'t>],
    /// It opens its sentence: "it" is not what the clause before spoke of.
    leads: bool,
}

impl Clause<'_, '_> {
    fn low(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.low.as_ref())
    }

    /// `spoken`: a place is spoken of already.
    fn is_global(&self, spoken: bool) -> bool {
        let Some(reach) = (0..self.tokens.len()).filter_map(|at| self.reach(at)).max() else { return false };
        let asks = (0..self.tokens.len()).any(|at| self.asks(at));
        // "All paragraphs" alone is the head of a remark whose rest decides.
        let praises = self.tokens.len() < 4 || self.tokens.iter().any(|token| praises(&token.low));
        match reach {
            Reach::Everywhere => asks || !praises,
            Reach::Subject => asks,
            Reach::Manner => asks && !spoken,
        }
    }

    fn reach(&self, at: usize) -> Option<Reach> {
        if !self.tokens[at].is(Is::Global) {
            return None;
        }
        let low = |at: usize| self.low(at);
        let (next, third) = (low(at + 1), low(at + 2));
        let whole = (at + 1..at + 4).any(|at| names_whole(low(at)));
        let ends = self.tokens.get(at + 1).is_none_or(|token| token.kind != Kind::Word);
        Some(match low(at) {
            "throughout" if ends || whole => Reach::Everywhere,
            "throughout" if matches!(next, "the" | "and" | "this" | "your") => Reach::Subject,
            "everywhere" | "durchgehend" | "durchweg" | "überall" | "partout" => Reach::Everywhere,
            "whole" | "entire" | "full" | "complete" if whole || next == "thing" => Reach::Everywhere,
            "gesamte" | "ganze" | "gesamten" | "ganzen" | "todo" | "tout" | "toute" | "toda" if whole => Reach::Everywhere,
            "every" | "each" | "all" if self.counts_all(at) => Reach::Everywhere,
            "everything" if !matches!(next, "else" | "except" | "but") => Reach::Everywhere,
            "start" | "beginning" if matches!((next, third), ("to", "finish" | "end")) => Reach::Everywhere,
            "overall" | "insgesamt" | "globalement" | "gesamteindruck" | "ensemble" => Reach::Subject,
            "as" if next == "a" && third == "whole" => Reach::Subject,
            "in" | "en" | "im" if matches!(next, "general" | "conjunto" | "ganzen" | "allgemeinen") => Reach::Subject,
            low if names_whole(low) && self.is_judged(at) => Reach::Subject,
            low if is_manner(low)
                && (self.has_predicate(at) || is_edit(self.low(0)) || matches!(self.low(0), "use" | "adopt" | "please")) =>
            {
                Reach::Manner
            }
            "it" | "this" if self.is_judged_pronoun(at) => Reach::Manner,
            "too" | "zu" | "trop" | "demasiado" | "more" | "less" | "fewer" | "much" | "far" | "way" if at == 0 && self.leads => {
                Reach::Manner
            }
            _ => return None,
        })
    }

    /// "Every paragraph", "all of the sections".
    fn counts_all(&self, at: usize) -> bool {
        let from = at + 1 + usize::from(self.low(at + 1) == "of");
        let from = from + usize::from(matches!(self.low(from), "the" | "your"));
        let counted = self.tokens.get(from..).and_then(unit);
        counted.is_some_and(|(unit, _, _)| matches!(unit, Unit::Paragraph | Unit::Section | Unit::Sentence))
    }

    /// "(The tone) is", "(the draft) still reads", "(the length) should be".
    fn has_predicate(&self, at: usize) -> bool {
        let adverb = |low: &str| low.ends_with("ly") || matches!(low, "also" | "still" | "itself" | "now" | "often" | "as" | "throughout");
        let verb = at + 1 + usize::from(adverb(self.low(at + 1)));
        is_state(self.low(verb))
            || self.low(verb) == "lacks"
            || is_modal(self.low(verb)) && (verb + 1..verb + 4).any(|at| is_state(self.low(at)))
    }

    /// The draft as the subject of a judgement or the object of an edit; not where the judgement is about a thing in it.
    fn is_judged(&self, at: usize) -> bool {
        let article = ["the", "this", "your", "der", "die", "das", "le", "la", "el", "cette", "whole"];
        if at > 0 && !article.contains(&self.low(at - 1)) {
            return false;
        }
        let thing = |low: &str| {
            let about = ["about", "regarding", "concerning", "on", "how", "what", "when", "whether", "why", "which", "who"];
            about.contains(&low) || matches!(low, "missing" | "lacking" | "based" | "written" | "silent")
        };
        let edited = at < 3 && is_edit(self.low(0)) && (at == 1 || self.tokens.len() <= at + 4 || self.low(at + 1) == "to");
        self.has_predicate(at) && !(at + 2..at + 6).any(|at| thing(self.low(at))) || edited
    }

    /// "It is too long", "this could be half as long", "shorten it".
    fn is_judged_pronoun(&self, at: usize) -> bool {
        let (next, third) = (self.low(at + 1), self.low(at + 2));
        let wanted = is_modal(next) && matches!(third, "be" | "read" | "sound" | "feel") && is_measure(self.low(at + 3));
        // "It is unclear what ..." has no subject.
        let open = (at + 2..at + 5).any(|at| matches!(self.low(at), "what" | "how" | "whether" | "who" | "when" | "if" | "that" | "why"));
        self.leads && at == 0 && (is_state(next) && !open || wanted) || (1..3).contains(&at) && is_edit(self.low(at - 1))
    }

    /// Finds fault, or wants something else than there is.
    fn asks(&self, at: usize) -> bool {
        let low = self.low(at);
        if low == "no"
            && matches!(
                self.low(at + 1),
                "changes" | "change" | "issues" | "issue" | "problems" | "errors" | "further" | "need" | "complaints" | "major"
            )
        {
            return false;
        }
        let before = at.checked_sub(1).map_or("", |at| self.low(at));
        low.ends_with("n't")
            || faults(low)
            || low == "like" && is_state(before)
            || is_edit(low) && matches!(before, "" | "to" | "please" | "and" | ",")
    }
}

#[rustfmt::skip]
fn is_manner(low: &str) -> bool {
    matches!(low,
        "tone" | "style" | "register" | "voice" | "wording" | "language" | "structure" | "formatting" | "ton" | "tonfall" | "stil"
            | "sprache" | "tono" | "estilo" | "length" | "layout")
}

#[rustfmt::skip]
fn faults(low: &str) -> bool {
    matches!(low,
        "too" | "not" | "lacks" | "lack" | "lacking" | "should" | "needs" | "could" | "must" | "vague" | "unclear" | "confusing"
            | "inconsistent" | "off" | "cold" | "stiff" | "bureaucratic" | "wordy" | "verbose" | "repetitive" | "wavers" | "drags"
            | "rambles" | "harsh" | "abrupt" | "robotic" | "impersonal" | "curt" | "terse" | "dense" | "generic" | "jargon" | "hard"
            | "difficult" | "awkward" | "unprofessional" | "rude" | "condescending" | "passive" | "never" | "instead" | "avoid" | "more"
            | "less" | "fewer" | "inconsistently" | "switches" | "mixes" | "sloppy" | "uneven" | "dry" | "clumsy" | "weak" | "poor"
            | "disorganised" | "disorganized" | "defensive" | "patronising" | "patronizing" | "aggressive" | "evasive" | "repeats"
            | "mixed" | "pompous" | "flat" | "chatty" | "legalistic" | "choppy" | "zu" | "nicht" | "wenig" | "kürzer" | "trop" | "pas"
            | "manque" | "demasiado" | "poco" | "no" | "falta" | "más" | "plus" | "zäh" | "steif" | "unklar")
}

#[rustfmt::skip]
fn is_state(low: &str) -> bool {
    matches!(low,
        "is" | "be" | "reads" | "read" | "sounds" | "sound" | "feels" | "feel" | "seems" | "seem" | "comes" | "wavers" | "drags"
            | "rambles" | "repeats" | "switches" | "mixes" | "ist" | "klingt" | "wirkt" | "liest" | "est" | "es" | "suena" | "resulta"
            | "parece" | "semble" | "paraît")
}

/// How much, after "it should be".
fn is_measure(low: &str) -> bool {
    matches!(
        low,
        "more" | "less" | "half" | "much" | "far" | "cut" | "shortened" | "rewritten" | "halved" | "trimmed" | "simplified" | "toned"
    ) || low.len() > 4 && low.ends_with("er")
}

#[rustfmt::skip]
fn is_modal(low: &str) -> bool {
    matches!(low,
        "should" | "could" | "needs" | "must" | "can" | "would" | "ought" | "sollte" | "könnte" | "muss" | "devrait" | "pourrait"
            | "debería" | "podría")
}

#[rustfmt::skip]
fn is_edit(low: &str) -> bool {
    matches!(low,
        "shorten" | "halve" | "trim" | "cut" | "rewrite" | "simplify" | "make" | "condense" | "tighten" | "rephrase" | "restructure"
            | "reword" | "proofread" | "kürzen" | "kürzer" | "polish" | "soften" | "warm" | "reformat" | "split" | "streamline")
}

#[rustfmt::skip]
fn praises(low: &str) -> bool {
    matches!(low,
        "good" | "great" | "clear" | "accurate" | "well" | "fine" | "solid" | "excellent" | "polite" | "friendly" | "correct"
            | "concise" | "ready" | "helpful" | "professional" | "appropriate" | "nice" | "nicely" | "strong" | "works" | "complete"
            | "thorough" | "informative" | "effective" | "right" | "clearly" | "consistent" | "consistently" | "happy" | "gut" | "klar"
            | "passt" | "bien" | "claro" | "clara" | "bueno" | "buena" | "bon" | "bonne" | "clair" | "claire" | "praise" | "readable"
            | "warm" | "pleasant" | "courteous")
}
