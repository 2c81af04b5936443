//! The writer's draft 0 of each account: right sentences, and the defects planted among them.

use std::collections::BTreeSet;

use super::account::{ACCOUNTS, Account};
use super::dice::Dice;
use super::phrases::{
    ADVICE, AFTER_ADVICE, AFTER_CONSTRAINT, ASIDES, CLOSING, COMMITMENT, CONSTRAINTS, PRICE, SUMMARY, SUPPORT, TERMS, TITLES, UNSUPPORTED,
    USAGE, VAGUE,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    WrongPrice,
    ContradictedConstraint,
    UnsupportedRecommendation,
    VagueCommitment,
    OverLength,
}

/// Every class, its name, and in how many drafts it is planted.
pub const CLASSES: [(Class, &str, usize); 5] = [
    (Class::WrongPrice, "wrong_price", 34),
    (Class::ContradictedConstraint, "contradicted_constraint", 28),
    (Class::UnsupportedRecommendation, "unsupported_recommendation", 37),
    (Class::VagueCommitment, "vague_commitment", 52),
    (Class::OverLength, "over_length", 41),
];

/// `count` of `from`, seeded, in their order.
pub fn chosen(seed: u64, from: &[usize], count: usize) -> BTreeSet<usize> {
    let mut dice = Dice::new(0x7069_636b, seed, 0);
    let mut left = from.to_vec();
    (0..count.min(left.len())).map(|_| left.swap_remove(dice.below(left.len()))).collect()
}

/// The accounts in whose drafts each class is planted, in the order of [`CLASSES`].
pub fn planted() -> Vec<BTreeSet<usize>> {
    let all: Vec<usize> = (0..ACCOUNTS).collect();
    CLASSES.iter().enumerate().map(|(at, (.., count))| chosen(at as u64, &all, *count)).collect()
}

/// A sentence, and its right form where it has a defect.
pub struct Sentence {
    pub text: String,
    pub defect: Option<(Class, String)>,
    aside: bool,
}

pub struct Review {
    /// Paragraphs of sentences; the first is the title.
    pub paragraphs: Vec<Vec<Sentence>>,
    pub defects: Vec<Class>,
}

pub const OPENING: usize = 1;
pub const USED: usize = 2;
pub const HELPED: usize = 3;

impl Review {
    pub fn of(account: &mut Account, defects: &[Class]) -> Review {
        let mut pick = |list: &[&'static str]| account.dice.pick(list);
        let (title, summary, usage, support, terms) = (pick(&TITLES), pick(&SUMMARY), pick(&USAGE), pick(&SUPPORT), pick(&TERMS));
        let (price, after_constraint, after_advice, closing) = (pick(&PRICE), pick(&AFTER_CONSTRAINT), pick(&AFTER_ADVICE), pick(&CLOSING));
        let (advice, unsupported, commitment, vague) = (pick(&ADVICE), pick(&UNSUPPORTED), pick(&COMMITMENT), pick(&VAGUE));
        let constraint = &CONSTRAINTS[account.constraint];
        let (kept, broken) = (account.dice.pick(&constraint.kept), account.dice.pick(&constraint.broken));
        let asides = chosen(1_000 + account.dice.below(1 << 20) as u64, &(0..ASIDES.len()).collect::<Vec<_>>(), 3);
        let account = &*account;
        let plain = |template: &str| -> Vec<Sentence> { sentences(&account.fill(template)) };
        let site = |class: Class, right: &str, wrong: &str| {
            let right = account.fill(right);
            match defects.contains(&class) {
                true => Sentence { text: account.fill(wrong), defect: Some((class, right)), aside: false },
                false => Sentence { text: right, defect: None, aside: false },
            }
        };
        let section = |site: Sentence, after: &str| [vec![site], plain(after)].into_iter().flatten().collect::<Vec<_>>();
        let priced = site(Class::WrongPrice, price, &price.replace("{price}", "{wrong}"));
        let mut paragraphs = vec![
            vec![Sentence { text: account.fill(title), defect: None, aside: false }],
            plain(summary),
            plain(usage),
            plain(support),
            plain(terms).into_iter().chain([priced]).collect(),
            section(site(Class::ContradictedConstraint, kept, broken), after_constraint),
            section(site(Class::UnsupportedRecommendation, advice, unsupported), after_advice),
            section(site(Class::VagueCommitment, commitment, vague), closing),
        ];
        if defects.contains(&Class::OverLength) {
            let mut aside = asides.iter().map(|at| Sentence { text: account.fill(ASIDES[*at]), defect: None, aside: true });
            paragraphs[USED].extend(aside.next());
            paragraphs.insert(HELPED + 1, aside.collect());
        }
        Review { paragraphs, defects: defects.to_vec() }
    }

    pub fn text(&self) -> String {
        self.written(&BTreeSet::new())
    }

    /// With the defects of `mended` put right and everything else as it is.
    pub fn written(&self, mended: &BTreeSet<Class>) -> String {
        let shown = |sentence: &Sentence| match &sentence.defect {
            _ if sentence.aside && mended.contains(&Class::OverLength) => None,
            Some((class, right)) if mended.contains(class) => Some(right.clone()),
            _ => Some(sentence.text.clone()),
        };
        let paragraph = |sentences: &Vec<Sentence>| sentences.iter().filter_map(shown).collect::<Vec<_>>().join(" ");
        let kept: Vec<String> = self.paragraphs.iter().map(paragraph).filter(|text| !text.is_empty()).collect();
        kept.join("\n\n") + "\n"
    }

    /// The sentence that has the defect, and one of its section that has none. None for a defect of the whole draft.
    pub fn place(&self, class: Class) -> Option<(&str, &str)> {
        let is = |sentence: &&Sentence| sentence.defect.as_ref().is_some_and(|(own, _)| *own == class);
        self.paragraphs.iter().find_map(|paragraph| {
            let own = paragraph.iter().find(is)?;
            let other = paragraph.iter().find(|sentence| sentence.defect.is_none())?;
            Some((own.text.as_str(), other.text.as_str()))
        })
    }
}

fn sentences(text: &str) -> Vec<Sentence> {
    text.split_inclusive(". ").map(|part| Sentence { text: part.trim_end().to_string(), defect: None, aside: false }).collect()
}

/// All accounts with their drafts.
pub fn all() -> Vec<(Account, Review)> {
    let planted = planted();
    let defects = |n: usize| -> Vec<Class> {
        CLASSES.iter().zip(&planted).filter(|(_, accounts)| accounts.contains(&n)).map(|((class, ..), _)| *class).collect()
    };
    (0..ACCOUNTS)
        .map(|n| {
            let mut account = Account::new(n);
            let review = Review::of(&mut account, &defects(n));
            (account, review)
        })
        .collect()
}
