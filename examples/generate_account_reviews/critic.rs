//! What each arm's critic says of each draft: which planted defects it finds, where it is wrong, and what it quotes badly. Counts are fixed.

use std::collections::BTreeSet;

use serde::Serialize;

use super::account::Account;
use super::phrases::GUIDE;
use super::review::{CLASSES, Class, HELPED, OPENING, Review, USED, chosen, planted};

/// An arm's critic: how many of each class it catches (in the order of [`CLASSES`]), and what else it says.
pub struct Arm {
    pub name: &'static str,
    pub grounded: bool,
    caught: [usize; 5],
    /// Findings about sentences that have nothing wrong.
    strays: usize,
    /// The same, with the draft itself for a proof.
    internal: usize,
    /// Findings whose words are not in the draft.
    invented: usize,
    /// Missed defects that were raised, with words that their source does not have.
    unproved: [usize; 5],
    /// Quotations that differ from the text in typography alone: of the source, of the draft.
    typographic: [usize; 2],
}

pub const ARMS: [Arm; 3] = [
    Arm {
        name: "reflection",
        grounded: false,
        caught: [2, 5, 8, 19, 38],
        strays: 18,
        internal: 0,
        invented: 5,
        unproved: [0; 5],
        typographic: [0; 2],
    },
    Arm {
        name: "separated",
        grounded: false,
        caught: [3, 9, 17, 38, 40],
        strays: 29,
        internal: 0,
        invented: 8,
        unproved: [0; 5],
        typographic: [0; 2],
    },
    Arm {
        name: "grounded",
        grounded: true,
        caught: [31, 26, 33, 45, 41],
        strays: 23,
        internal: 12,
        invented: 3,
        unproved: [3, 2, 4, 3, 0],
        typographic: [2, 2],
    },
];

/// A finding, and what is true of it.
#[derive(Clone)]
pub struct Finding {
    pub label: String,
    pub severity: &'static str,
    pub quote: String,
    pub source: &'static str,
    pub proof: String,
    pub detail: String,
    pub fix: String,
    pub truth: Truth,
}

#[derive(Clone, Serialize)]
pub struct Truth {
    pub label: String,
    pub quote: String,
    /// The planted defect that it is about.
    pub defect: Option<&'static str>,
    /// How it is about it: `both` its words and its class, its `span` alone, its `class` alone.
    pub how: Option<&'static str>,
    /// How it quotes: `exact`, `typographic`, or `fabricated`.
    pub quoted: &'static str,
    /// The quotation that is not exact: `draft` or `source`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<&'static str>,
}

/// The critiques of one arm, one a draft.
pub fn critiques(arm: &Arm, reviews: &[(Account, Review)]) -> Vec<Vec<Finding>> {
    let mut out: Vec<Vec<Finding>> = reviews.iter().map(|_| vec![]).collect();
    let own = arm.name.bytes().fold(0, |sum, byte| sum * 31 + u64::from(byte));
    let seed = |what: usize| own + what as u64;
    for (at, (class, name, _)) in CLASSES.into_iter().enumerate() {
        let there: Vec<usize> = planted()[at].iter().copied().collect();
        let caught = chosen(seed(at), &there, arm.caught[at]);
        let missed: Vec<usize> = there.into_iter().filter(|n| !caught.contains(n)).collect();
        for (nth, n) in caught.into_iter().enumerate() {
            let how = match nth % 8 {
                _ if class == Class::OverLength => "class",
                5 => "class",
                2 => "span",
                _ => "both",
            };
            let (account, review) = &reviews[n];
            out[n].push(raised(account, review, class, name, how));
        }
        for n in chosen(seed(10 + at), &missed, arm.unproved[at]) {
            let (account, review) = &reviews[n];
            let mut finding = raised(account, review, class, name, "both");
            finding.proof = account.fill(unproved(class));
            (finding.truth.quoted, finding.truth.side) = ("fabricated", Some("source"));
            out[n].push(finding);
        }
    }
    let all: Vec<usize> = (0..reviews.len()).collect();
    for (nth, n) in chosen(seed(20), &all, arm.strays).into_iter().enumerate() {
        out[n].push(stray(&reviews[n], nth));
    }
    for n in chosen(seed(21), &all, arm.internal) {
        out[n].push(internal(&reviews[n].1));
    }
    for (nth, n) in chosen(seed(22), &all, arm.invented).into_iter().enumerate() {
        out[n].push(invented(&reviews[n].0, nth));
    }
    typographic(&mut out, arm.typographic);
    out.iter_mut()
        .for_each(|findings| findings.iter_mut().for_each(|f| (f.truth.label, f.truth.quote) = (f.label.clone(), f.quote.clone())));
    out
}

fn finding(label: &str, severity: &'static str, quote: &str, source: &'static str, proof: &str, detail: &str, fix: &str) -> Finding {
    let [label, quote, proof, detail, fix] = [label, quote, proof, detail, fix].map(str::to_string);
    let truth = Truth { label: label.clone(), quote: quote.clone(), defect: None, how: None, quoted: "exact", side: None };
    Finding { label, severity, quote, source, proof, detail, fix, truth }
}

/// A finding about a planted defect.
fn raised(account: &Account, review: &Review, class: Class, name: &'static str, how: &'static str) -> Finding {
    let opening = review.paragraphs[OPENING][0].text.as_str();
    let (own, other) = review.place(class).unwrap_or((opening, opening));
    let quote = if how == "class" { other } else { own };
    let label = if how == "span" { "inaccurate" } else { name };
    let guide = |mark: &str| GUIDE.split_inclusive('.').map(str::trim).find(|rule| rule.contains(mark)).unwrap_or(GUIDE);
    let mut found = match class {
        Class::WrongPrice => finding(
            label,
            "blocking",
            quote,
            "price-list",
            &account.price_line(),
            "This price is not the one on the current list.",
            "Give the price of the current list.",
        ),
        Class::ContradictedConstraint => finding(
            label,
            "blocking",
            quote,
            "contract",
            &account.constraint_clause(),
            "The contract does not allow this.",
            "Take it out and say what the contract asks for.",
        ),
        Class::UnsupportedRecommendation => finding(
            label,
            "major",
            quote,
            "support-history",
            "No request for a further module is on file.",
            "No figure and no request in the sources stands behind this advice.",
            "Recommend something that the figures support.",
        ),
        Class::VagueCommitment => finding(
            label,
            "minor",
            quote,
            "review-guide",
            guide("commitment"),
            "Nobody is named who does it, and no day.",
            "Name the owner and the date.",
        ),
        Class::OverLength => finding(
            label,
            "major",
            quote,
            "review-guide",
            guide("at most"),
            "The review as a whole is longer than the house rule allows.",
            "Cut what does not help the reader.",
        ),
    };
    (found.truth.defect, found.truth.how) = (Some(name), Some(how));
    found
}

/// Sounds like a source, and is in none.
fn unproved(class: Class) -> &'static str {
    match class {
        Class::WrongPrice => "The current list has {addon} at {price}.",
        Class::ContradictedConstraint => "This is expressly ruled out by the agreement with {account}.",
        Class::UnsupportedRecommendation => "The account has shown no interest in further products this year.",
        Class::VagueCommitment => "Promises without an owner must not be made.",
        Class::OverLength => "Keep reviews short.",
    }
}

/// A complaint about a sentence that is right.
fn stray((account, review): &(Account, Review), nth: usize) -> Finding {
    let used = account.fill("Seats active in the last 30 days: {active}.");
    let helped = account.fill("Tickets opened: {tickets}.");
    let [usage, support] = [USED, HELPED].map(|at| review.paragraphs[at][0].text.as_str());
    match nth % 2 {
        0 => {
            finding("missing_context", "minor", usage, "usage", &used, "The reader cannot tell whether this is good.", "Add a comparison.")
        }
        _ => finding("tone", "minor", support, "support-history", &helped, "This reads like a log entry.", "Say it in a warmer way."),
    }
}

fn internal(review: &Review) -> Finding {
    let [opening, usage] = [OPENING, USED].map(|at| review.paragraphs[at][0].text.as_str());
    finding("tone", "minor", opening, "internal", usage, "The opening promises more than the figures after it.", "Open more plainly.")
}

/// Quotes a sentence that nobody wrote.
fn invented(account: &Account, nth: usize) -> Finding {
    let quotes = [
        "Churn risk is rated amber after two unanswered invitations to the steering group.",
        "Their invoices from spring are overdue and finance has been told.",
        "Sales forecasts a second site in Leeds during the winter quarter.",
    ];
    let proof = account.fill("Tickets opened: {tickets}.");
    let quote = quotes[nth % quotes.len()];
    let mut found =
        finding("inaccurate", "major", quote, "support-history", &proof, "The sources do not say so.", "Take the sentence out.");
    (found.truth.quoted, found.truth.side) = ("fabricated", Some("draft"));
    found
}

/// Typeset marks as a keyboard has them.
fn typed(text: &str) -> String {
    text.replace('–', "-").replace('’', "'")
}

/// Makes the first `of_source` and `of_draft` exact quotations that hold a typeset mark differ from their text in it.
fn typographic(critiques: &mut [Vec<Finding>], [of_source, of_draft]: [usize; 2]) {
    let about = |f: &&mut Finding| f.truth.defect.is_some() && f.truth.quoted == "exact";
    let mut done = BTreeSet::new();
    for (n, f) in critiques.iter_mut().enumerate().flat_map(|(n, list)| list.iter_mut().map(move |f| (n, f))) {
        if done.len() < of_source && about(&f) && f.source == "price-list" && done.insert(n) {
            (f.proof, f.truth.quoted, f.truth.side) = (typed(&f.proof), "typographic", Some("source"));
        }
    }
    let mut left = of_draft;
    for f in critiques.iter_mut().flatten() {
        if left > 0 && about(&f) && typed(&f.quote) != f.quote {
            (f.quote, f.truth.quoted, f.truth.side) = (typed(&f.quote), "typographic", Some("draft"));
            left -= 1;
        }
    }
}
