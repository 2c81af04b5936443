//! Words by which a section can be told: those, and pairs of those, that stand in it and in no other.

use std::cell::RefCell;
use std::sync::Arc;

use super::known::{Is, Known};
use super::lexicon::is_definite;
use super::parts::Part;
use super::words::{self, Kind, Token, hash, join, script};
use crate::text::kept::Kept;
use crate::text::window::is_unspaced;

/// Where each term of a draft stands: of each section that counts, its terms in order, each once.
#[derive(Debug)]
pub(super) struct Terms(Vec<(usize, Arc<[u64]>)>);

thread_local! {
    static TERMS: RefCell<Kept<u64>> = const { RefCell::new(Kept::new()) };
}

impl Terms {
    pub fn new(texts: &[&str], parts: &[Part]) -> Terms {
        // Names in a greeting and words in a subject line tell nothing: they are of the whole.
        let counts = |part: &Part| !matches!(part, Part::Greeting | Part::Subject | Part::SignOff);
        let sections = texts.iter().zip(parts).enumerate().filter(|(_, (_, part))| counts(part));
        TERMS.with_borrow_mut(|kept| Terms(sections.map(|(section, (text, _))| (section, kept.get(text, terms_of))).collect()))
    }

    /// The one section that holds a term; None where none or several do.
    pub fn section(&self, key: u64) -> Option<usize> {
        let mut holding = self.0.iter().filter(|(_, terms)| terms.binary_search(&key).is_ok());
        holding.next().filter(|_| holding.next().is_none()).map(|(section, _)| *section)
    }
}

fn terms_of(text: &str) -> Vec<u64> {
    let mut terms = Vec::with_capacity(text.len() / 3);
    let mut before = None;
    words::pieces(text, &[], |piece, _, kind| {
        let word = if matches!(kind, Kind::Word | Kind::Number) { Known::of(piece, kind) } else { Known::default() };
        if is_unspaced_word(piece, kind) {
            terms.extend(ngrams(piece));
            before = None;
            return;
        }
        let term = word.term();
        terms.extend(term);
        terms.extend(before.zip(term).map(|(last, key)| pair(last, key)));
        before = term;
    });
    terms.sort_unstable();
    terms.dedup();
    terms
}

fn pair(a: u64, b: u64) -> u64 {
    join(join(a, 0x2b), b)
}

fn is_unspaced_word(text: &str, kind: Kind) -> bool {
    kind == Kind::Word && text.bytes().next().is_some_and(|b| !b.is_ascii()) && text.starts_with(is_unspaced)
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
    let german = tokens.iter().filter(|t| t.is(Is::German)).count() > 1;
    if is_of_others(tokens) {
        return;
    }
    let mut reach = 0;
    let mut before: Option<(usize, u64)> = None;
    let mut missing = false;
    for (at, token) in tokens.iter().enumerate() {
        missing = if is_end_of_clause(token) { false } else { missing || token.is(Is::Missing) && says_missing(tokens, at) };
        if used[at] {
            (reach, before) = (0, None);
            continue;
        }
        if is_unspaced_word(token.text, token.kind) {
            if !META_UNSPACED.iter().any(|meta| token.text.contains(meta)) {
                ngrams(token.text).for_each(|key| found(at, at, key));
            }
            continue;
        }
        let low = token.low.as_ref();
        let key = token.known.term().filter(|_| !token.is(Is::Meta));
        if let (Some((last, first)), Some(key)) = (before.filter(|(last, _)| last + 1 == at), key) {
            found(last, at, pair(first, key));
        }
        before = key.map(|key| (at, key));
        reach = match key {
            _ if token.is(Is::Definite) || token.is(Is::About) => REACH,
            _ if token.is(Is::Indefinite) => 0,
            None if token.kind == Kind::Word && reach > 0 && matches!(low, "of" | "and" | "or" | "de" | "und" | "et" | "y") => reach - 1,
            None => 0,
            Some(key) => {
                if !token.is(Is::Number) && !missing && (reach > 0 || is_rare(tokens, at, german)) {
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
pub(super) fn is_about(low: &str) -> bool {
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
    token.is(Is::EndOfClause) || token.is_mark(",;:")
}

pub(super) fn ends_clause(low: &str) -> bool {
    matches!(low, "but" | "although" | "though" | "while" | "because" | "aber" | "mais" | "pero")
}

/// Words that an English sentence hardly has two of.
pub(super) fn is_german(low: &str) -> bool {
    matches!(low, "der" | "die" | "das" | "und" | "ist" | "nicht" | "im" | "den" | "wird")
}

/// Verbs of what a text may say or leave out.
#[rustfmt::skip]
fn tells(low: &str) -> bool {
    matches!(low,
        "mention" | "mentions" | "mentioning" | "mentioned" | "say" | "saying" | "state" | "stating" | "explain" | "explaining" |
            "include" | "including" | "tell" | "specify" | "address" | "clarify" | "give" | "provide" | "name" | "list" | "cover" |
            "acknowledge" | "reference" | "indicate" | "offer" | "says" | "states" | "explains" | "tells" | "gives" | "names" | "add")
}

#[rustfmt::skip]
fn is_lack(low: &str) -> bool {
    matches!(low,
        "nothing" | "nobody" | "omits" | "omitted" | "missing" | "lacks" | "lack" | "lacking" | "fehlt" | "fehlen" | "manque" | "falta")
}

/// False for a word that never says by itself or with its neighbours that something is missing.
pub(super) fn may_say_missing(low: &str) -> bool {
    tells(low) || is_lack(low) || matches!(low, "no" | "insert" | "adding" | "leaves" | "without")
}

/// "There is no mention of", "it never says", "should also state", "add".
pub(super) fn says_missing(tokens: &[Token<'_>], at: usize) -> bool {
    let low = |at: usize| tokens.get(at).map_or("", |token| token.low.as_ref());
    let here = low(at);
    let negated = |low: &str| {
        matches!(
            low,
            "not" | "never" | "doesn't" | "don't" | "fails" | "failed" | "should" | "could" | "must" | "needs" | "would" | "without" | "to"
        )
    };
    is_lack(here)
        || here == "no" && matches!(low(at + 1), "mention" | "word" | "reference" | "information" | "explanation" | "indication" | "sign")
        || at == 0 && matches!(here, "add" | "include" | "mention" | "insert")
        || tells(here) && (at.saturating_sub(3)..at).any(|at| negated(low(at)))
        || here == "add"
        || here == "adding"
        || here == "leaves" && low(at + 1) == "out"
        || here == "without" && low(at + 1) != "the"
}
