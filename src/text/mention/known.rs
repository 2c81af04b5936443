//! What the grammar asks of a word that does not depend on where it stands, answered once for each word.

use std::cell::RefCell;

use super::lexical::{ends_clause, is_about, is_german, may_say_missing};
use super::lexicon::{is_definite, is_indefinite, may_name_place};
use super::words::{Kind, cardinal, hash, is_meta, is_stop, lowered, stem};
use super::{global, proposal};
use crate::text::memo::Memo;

/// The answers, and what the word is counted as.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Known {
    pub stem: u64,
    /// What it tells a section by, where `tells`.
    term: u64,
    tells: bool,
    bits: u16,
}

/// One question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Is {
    Stop,
    Number,
    Meta,
    Definite,
    Indefinite,
    About,
    German,
    EndOfClause,
    /// It may be the first word of a place.
    Place,
    /// With words beside it, it may say that something is missing.
    Missing,
    /// It may tell that a clause is of the whole.
    Global,
    /// Praise and blame are told apart there.
    Turn,
    /// It asks for a change: what follows may be a proposal.
    Request,
}

type Question = (Is, fn(&str) -> bool);

const QUESTIONS: [Question; 13] = [
    (Is::Stop, is_stop),
    (Is::Number, |low| cardinal(low).is_some()),
    (Is::Meta, is_meta),
    (Is::Definite, is_definite),
    (Is::Indefinite, is_indefinite),
    (Is::About, is_about),
    (Is::German, is_german),
    (Is::EndOfClause, ends_clause),
    (Is::Place, may_name_place),
    (Is::Missing, may_say_missing),
    (Is::Global, global::may_reach),
    (Is::Turn, global::turns),
    (Is::Request, proposal::asks),
];

thread_local! {
    static WORDS: RefCell<Memo<Known>> = RefCell::new(Memo::new());
}

impl Known {
    /// Of a word or number as it is written, which tells one from the other.
    pub fn of(text: &str, kind: Kind) -> Known {
        let find = |text: &str| {
            let low = &lowered(text, kind);
            let bits = QUESTIONS.iter().filter(|(_, holds)| holds(low)).fold(0, |bits, (is, _)| bits | 1 << *is as u16);
            let term = match kind {
                Kind::Number => Some(hash(low)),
                _ if !is_stop(low) || cardinal(low).is_some() => Some(stem(low)),
                _ => None,
            };
            Known { stem: stem(low), term: term.unwrap_or(0), tells: term.is_some(), bits }
        };
        WORDS.with_borrow_mut(|words| words.get(text, find))
    }

    /// What it tells a section by; None where it has no content.
    pub fn term(self) -> Option<u64> {
        self.tells.then_some(self.term)
    }

    pub fn is(self, is: Is) -> bool {
        self.bits & 1 << is as u16 != 0
    }
}
