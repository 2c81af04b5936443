//! Words by which a section can be told: those, and pairs of those, that stand in it and in no other.

use std::collections::HashMap;

use super::lexicon::{is_definite, is_indefinite};
use super::parts::Part;
use super::words::{self, Kind, Token, cardinal, hash, is_meta, is_stop, join, script, stem};
use crate::text::window::is_unspaced;

const MANY: u32 = u32::MAX;

/// Where each term of a draft stands, if it is one section.
#[derive(Debug)]
pub(super) struct Terms(HashMap<u64, u32>);

impl Terms {
    pub fn new(texts: &[&str], parts: &[Part]) -> Terms {
        let mut terms = HashMap::new();
        let mut add = |key: u64, section: u32| {
            terms.entry(key).and_modify(|at| *at = if *at == section { section } else { MANY }).or_insert(section);
        };
        for (section, (text, part)) in texts.iter().zip(parts).enumerate() {
            // Names in a greeting and words in a subject line tell nothing: they are of the whole.
            if matches!(part, Part::Greeting | Part::Subject | Part::SignOff) {
                continue;
            }
            let section = u32::try_from(section).unwrap_or(MANY);
            let tokens = words::tokens(text, &[]);
            let mut before: Option<(usize, u64)> = None;
            for (at, token) in tokens.iter().enumerate() {
                if is_unspaced_word(token) {
                    ngrams(token.text).for_each(|key| add(key, section));
                } else if let Some(key) = term(token) {
                    add(key, section);
                    if let Some((_, last)) = before.filter(|(last, _)| last + 1 == at) {
                        add(pair(last, key), section);
                    }
                    before = Some((at, key));
                }
            }
        }
        Terms(terms)
    }

    /// The one section that holds a term; None where none or several do.
    pub fn section(&self, key: u64) -> Option<usize> {
        self.0.get(&key).filter(|at| **at != MANY).map(|at| *at as usize)
    }
}

fn pair(a: u64, b: u64) -> u64 {
    join(join(a, 0x2b), b)
}

fn is_unspaced_word(token: &Token<'_>) -> bool {
    token.kind == Kind::Word && token.text.starts_with(is_unspaced)
}

/// What a word or number is known by, where it has content.
fn term(token: &Token<'_>) -> Option<u64> {
    match token.kind {
        Kind::Number => Some(hash(&token.low)),
        Kind::Word if !is_stop(&token.low) || cardinal(&token.low).is_some() => Some(stem(&token.low)),
        _ => None,
    }
}

/// Pairs of Han characters and runs of Katakana; Hiragana is grammar.
fn ngrams(text: &str) -> impl Iterator<Item = u64> {
    let kind = text.chars().next().map_or(0, script);
    let chars: Vec<char> = text.chars().collect();
    let whole = (kind == 2 && chars.len() > 2).then(|| hash(text));
    let pairs: Vec<u64> = if kind == 3 {
        chars.windows(2).map(|two| join(u64::from(u32::from(two[0])), u64::from(u32::from(two[1])))).collect()
    } else {
        vec![]
    };
    whole.into_iter().chain(pairs)
}

/// Words about texts that a Japanese critique uses.
const META_UNSPACED: [&str; 18] = [
    "全体", "表現", "文章", "印象", "曖昧", "案内", "段落", "説明", "内容", "読者", "敬語", "最初", "最後", "顧客", "情報", "具体", "明確",
    "必要",
];

/// How many words a definite article reaches.
const REACH: usize = 5;

/// Hands on what could tell a section: first and last token, and the term. Of what is said to be missing only pairs of words count: it is
/// not there, but where both words stand is where it is missed.
pub(super) fn terms(tokens: &[Token<'_>], used: &[bool], mut found: impl FnMut(usize, usize, u64)) {
    let german = tokens.iter().filter(|t| t.is_any(&["der", "die", "das", "und", "ist", "nicht", "im", "den", "wird"])).count() > 1;
    if is_of_others(tokens) {
        return;
    }
    let mut reach = 0;
    let mut before: Option<(usize, u64)> = None;
    let mut missing = false;
    for (at, token) in tokens.iter().enumerate() {
        missing = if is_end_of_clause(token) { false } else { missing || says_missing(tokens, at) };
        if used[at] {
            (reach, before) = (0, None);
            continue;
        }
        if is_unspaced_word(token) {
            if !META_UNSPACED.iter().any(|meta| token.text.contains(meta)) {
                ngrams(token.text).for_each(|key| found(at, at, key));
            }
            continue;
        }
        let low = token.low.as_ref();
        let key = term(token).filter(|_| !is_meta(low));
        if let (Some((last, first)), Some(key)) = (before.filter(|(last, _)| last + 1 == at), key) {
            found(last, at, pair(first, key));
        }
        before = key.map(|key| (at, key));
        reach = match key {
            _ if is_definite(low) || is_about(low) => REACH,
            _ if is_indefinite(low) => 0,
            None if token.kind == Kind::Word && reach > 0 && matches!(low, "of" | "and" | "or" | "de" | "und" | "et" | "y") => reach - 1,
            None => 0,
            Some(key) => {
                if cardinal(low).is_none() && !missing && (reach > 0 || is_rare(tokens, at, german)) {
                    found(at, at, key);
                }
                reach.saturating_sub(1)
            }
        };
    }
}

/// True where a sentence tells what something other than the draft says: the ticket, a source, a policy.
fn is_of_others(tokens: &[Token<'_>]) -> bool {
    let mut words = tokens.iter().filter(|token| token.kind == Kind::Word).skip_while(|token| is_definite(&token.low));
    let other = words.next().is_some_and(|t| t.is_any(&["ticket", "source", "sources", "policy", "policies", "customer"]));
    let says = [
        "does",
        "do",
        "states",
        "state",
        "says",
        "say",
        "mentions",
        "mention",
        "asks",
        "asked",
        "wrote",
        "specifies",
        "requires",
        "did",
        "also",
        "clearly",
    ];
    other && words.next().is_some_and(|t| t.is_any(&says))
}

/// Prepositions that bring a topic without an article.
fn is_about(low: &str) -> bool {
    matches!(low, "about" | "regarding" | "concerning" | "of" | "on" | "between" | "versus")
}

/// Rare by its form: a name inside a sentence, an identifier, an amount.
fn is_rare(tokens: &[Token<'_>], at: usize, german: bool) -> bool {
    let token = &tokens[at];
    let digits = token.text.bytes().any(|b| b.is_ascii_digit());
    let letters = token.text.bytes().any(|b| b.is_ascii_alphabetic());
    let amount = token.kind == Kind::Number && (at > 0 && tokens[at - 1].is_mark("$€£¥") || token.low.contains('.') || token.low.len() > 3);
    let name = at > 0
        && !german
        && token.kind == Kind::Word
        && token.text.chars().count() > 3
        && token.text.starts_with(char::is_uppercase)
        && tokens[at - 1].kind == Kind::Word;
    amount || digits && letters && token.low.len() > 3 || name
}

fn is_end_of_clause(token: &Token<'_>) -> bool {
    token.is_mark(",;:") || token.is_any(&["but", "although", "though", "while", "because", "aber", "mais", "pero"])
}

/// "There is no mention of", "it never says", "should also state", "add".
pub(super) fn says_missing(tokens: &[Token<'_>], at: usize) -> bool {
    let low = |at: usize| tokens.get(at).map_or("", |token| token.low.as_ref());
    let verb = |low: &str| {
        matches!(
            low,
            "mention"
                | "mentions"
                | "mentioning"
                | "mentioned"
                | "say"
                | "saying"
                | "state"
                | "stating"
                | "explain"
                | "explaining"
                | "include"
                | "including"
                | "tell"
                | "specify"
                | "address"
                | "clarify"
                | "give"
                | "provide"
                | "name"
                | "list"
                | "cover"
                | "acknowledge"
                | "reference"
                | "indicate"
                | "offer"
                | "says"
                | "states"
                | "explains"
                | "tells"
                | "gives"
                | "names"
                | "add"
        )
    };
    let here = low(at);
    let negated = |low: &str| {
        matches!(
            low,
            "not" | "never" | "doesn't" | "don't" | "fails" | "failed" | "should" | "could" | "must" | "needs" | "would" | "without" | "to"
        )
    };
    matches!(
        here,
        "nothing" | "nobody" | "omits" | "omitted" | "missing" | "lacks" | "lack" | "lacking" | "fehlt" | "fehlen" | "manque" | "falta"
    ) || here == "no" && matches!(low(at + 1), "mention" | "word" | "reference" | "information" | "explanation" | "indication" | "sign")
        || at == 0 && matches!(here, "add" | "include" | "mention" | "insert")
        || verb(here) && (at.saturating_sub(3)..at).any(|at| negated(low(at)))
        || here == "add"
        || here == "adding"
        || here == "leaves" && low(at + 1) == "out"
        || here == "without" && low(at + 1) != "the"
}
