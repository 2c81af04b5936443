//! A draft as its author knows it: sections of sentences, each with its role, so that every truth about the text is known before it is text.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;

use super::phrases::{AGENTS, FAREWELLS, FILLERS, GREETINGS, HEDGES, LEADS, OFFERS, TAILS, THANKS};
use crate::model::Ticket;

/// What a ticket gives to write about.
#[derive(Debug, Clone)]
pub struct Case {
    pub customer: String,
    pub facts: Vec<Fact>,
    pub extra: Vec<String>,
}

/// A true sentence and its wrong twin.
#[derive(Debug, Clone)]
pub struct Fact {
    pub check: String,
    pub sentence: String,
    pub wrong: String,
    /// The defect that the twin is.
    pub label: String,
    pub required: bool,
}

impl Case {
    /// Reads `fields.facts`, `fields.extra` and `fields.customer`. The error says what is missing.
    pub fn of(ticket: &Ticket) -> Result<Case, String> {
        #[derive(Deserialize)]
        struct Line {
            check: String,
            sentence: String,
            wrong: String,
        }
        let needed = "expected fields.facts: a list of {check, sentence, wrong}, as in datasets/payments";
        let facts = ticket.fields.get("facts").cloned().ok_or_else(|| format!("no fields.facts; {needed}"))?;
        let facts: Vec<Line> = serde_json::from_value(facts).map_err(|e| format!("fields.facts: {e}; {needed}"))?;
        if facts.is_empty() {
            return Err(format!("fields.facts is empty; {needed}"));
        }
        let facts = facts.into_iter().map(|line| {
            let check = ticket.checks.iter().find(|check| check.id == line.check);
            let label = check.and_then(|check| check.class.clone()).unwrap_or_else(|| "wrong_value".into());
            Fact {
                required: check.is_some_and(|check| check.required),
                label,
                check: line.check,
                sentence: line.sentence,
                wrong: line.wrong,
            }
        });
        let facts = facts.collect();
        let extra = ticket.fields.get("extra").and_then(Value::as_array).into_iter().flatten();
        let extra = extra.filter_map(|text| text.as_str().map(str::to_owned)).collect();
        let customer = ticket.fields.get("customer").and_then(Value::as_str).unwrap_or("customer").to_owned();
        Ok(Case { customer, facts, extra })
    }
}

/// What a sentence is about. Numbers are places in the lists of `phrases`, or in the case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    Greeting(usize),
    Farewell { how: usize, agent: usize },
    Thanks(usize),
    Offer(usize),
    Fact { fact: usize, wrong: bool },
    Extra(usize),
    Filler { kind: usize, mended: bool },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lead {
    /// One of `HEDGES`: a defect.
    Hedge(usize),
    /// One of `LEADS`.
    Plain(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sentence {
    /// The same through all drafts of a run.
    pub id: usize,
    pub base: Base,
    pub lead: Option<Lead>,
    pub tail: Option<usize>,
}

/// A flaw of a sentence, the one that a critic would name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flaw {
    Wrong,
    Filler,
    Hedge,
}

impl Sentence {
    pub fn new(id: usize, base: Base) -> Sentence {
        Sentence { id, base, lead: None, tail: None }
    }

    /// The words before the colon; None without a lead.
    pub fn lead_text(&self) -> Option<&'static str> {
        self.lead.map(|lead| match lead {
            Lead::Hedge(n) => HEDGES[n % HEDGES.len()].1,
            Lead::Plain(n) => LEADS[n % LEADS.len()],
        })
    }

    pub fn text(&self, case: &Case) -> String {
        let at = |list: &[&'static str], n: usize| list[n % list.len()];
        let core = match self.base {
            Base::Greeting(n) => return format!("{} {},", at(&GREETINGS, n), case.customer),
            Base::Farewell { how, agent } => return format!("{},\n{}", at(&FAREWELLS, how), at(&AGENTS, agent)),
            Base::Thanks(n) => at(&THANKS, n),
            Base::Offer(n) => at(&OFFERS, n),
            Base::Fact { fact, wrong } => case.facts.get(fact).map_or("", |f| if wrong { &f.wrong } else { &f.sentence }),
            Base::Extra(n) => case.extra.get(n).map_or("", String::as_str),
            Base::Filler { kind, mended } => {
                let (_, flawed, good) = FILLERS[kind % FILLERS.len()];
                if mended { good } else { flawed }
            }
        };
        let lead = self.lead_text().map_or(String::new(), |lead| format!("{lead}: "));
        match (self.tail, core.strip_suffix('.')) {
            (Some(n), Some(open)) => format!("{lead}{open}{}.", at(&TAILS, n)),
            _ => format!("{lead}{core}"),
        }
    }

    /// True for what a critic may complain about: statements, not courtesy.
    pub fn is_statement(&self) -> bool {
        matches!(self.base, Base::Fact { .. } | Base::Extra(_) | Base::Filler { .. })
    }

    pub fn flaw(&self) -> Option<Flaw> {
        match (self.base, self.lead) {
            (Base::Fact { wrong: true, .. }, _) => Some(Flaw::Wrong),
            (Base::Filler { mended: false, .. }, _) => Some(Flaw::Filler),
            (_, Some(Lead::Hedge(_))) => Some(Flaw::Hedge),
            _ => None,
        }
    }

    /// The label of a flaw of this sentence.
    pub fn label(&self, flaw: Flaw, case: &Case) -> String {
        match (flaw, self.base, self.lead) {
            (Flaw::Wrong, Base::Fact { fact, .. }, _) => case.facts.get(fact).map_or_else(String::new, |f| f.label.clone()),
            (Flaw::Filler, Base::Filler { kind, .. }, _) => FILLERS[kind % FILLERS.len()].0.to_owned(),
            (_, _, Some(Lead::Hedge(n))) => HEDGES[n % HEDGES.len()].0.to_owned(),
            _ => "vague".to_owned(),
        }
    }

    /// The sentence without one of its flaws.
    pub fn mended(mut self, flaw: Flaw) -> Sentence {
        match (flaw, &mut self.base) {
            (Flaw::Wrong, Base::Fact { wrong, .. }) => *wrong = false,
            (Flaw::Filler, Base::Filler { mended, .. }) => *mended = true,
            _ => self.lead = None,
        }
        self
    }
}

/// Sections in order. No section is ever added, removed or moved, so its place is its name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Draft(pub Vec<Vec<Sentence>>);

impl Draft {
    pub fn text(&self, case: &Case) -> String {
        (0..self.0.len()).map(|at| self.section(at, case)).collect::<Vec<_>>().join("\n\n")
    }

    pub fn section(&self, at: usize, case: &Case) -> String {
        self.0.get(at).map_or(String::new(), |section| joined(section, case))
    }

    pub fn sentences(&self) -> impl Iterator<Item = (usize, &Sentence)> {
        self.0.iter().enumerate().flat_map(|(at, section)| section.iter().map(move |sentence| (at, sentence)))
    }

    /// A sentence and its section.
    pub fn find(&self, id: usize) -> Option<(usize, Sentence)> {
        self.sentences().find(|(_, sentence)| sentence.id == id).map(|(at, sentence)| (at, *sentence))
    }

    pub fn put(&mut self, sentence: Sentence) {
        if let Some(place) = self.0.iter_mut().flatten().find(|old| old.id == sentence.id) {
            *place = sentence;
        }
    }

    /// Checks of the facts that the draft states wrongly, in the case's order.
    pub fn failing(&self, case: &Case) -> Vec<String> {
        let wrong = |fact: usize| self.sentences().any(|(_, s)| s.base == Base::Fact { fact, wrong: true });
        (0..case.facts.len()).filter(|fact| wrong(*fact)).map(|fact| case.facts[fact].check.clone()).collect()
    }

    /// Sections whose text differs in another draft.
    pub fn touched(&self, after: &Draft, case: &Case) -> Vec<usize> {
        (0..self.0.len()).filter(|at| self.0[*at] != after.0[*at] && self.section(*at, case) != after.section(*at, case)).collect()
    }
}

/// The text of a section.
pub fn joined(section: &[Sentence], case: &Case) -> String {
    section.iter().map(|sentence| sentence.text(case)).collect::<Vec<_>>().join(" ")
}

/// Share of words that two texts have in common, as Dice counts it.
pub fn kept_words(before: &str, after: &str) -> f64 {
    let words = |text: &str| {
        let mut bag: HashMap<String, i32> = HashMap::new();
        let pieces = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        pieces.for_each(|word| *bag.entry(word.to_lowercase()).or_default() += 1);
        bag
    };
    let (a, b) = (words(before), words(after));
    let shared: i32 = a.iter().map(|(word, n)| (*n).min(b.get(word).copied().unwrap_or(0))).sum();
    let total: i32 = a.values().chain(b.values()).sum();
    if total == 0 { 1.0 } else { 2.0 * f64::from(shared) / f64::from(total) }
}
