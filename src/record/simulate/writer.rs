//! The simulated writer: a greeting, the facts and extras over a few paragraphs, a farewell; some of it wrong or badly said.

use super::dice::Dice;
use super::draft::{Base, Case, Draft, Lead, Sentence};
use super::phrases::{AGENTS, FAREWELLS, FILLERS, GREETINGS, HEDGES, OFFERS, TAILS, THANKS};
use super::rates::Rates;

/// Statements that a paragraph has at least: with fewer, a rewritten paragraph could not be told from a new one.
const STATEMENTS_MIN: usize = 2;
/// An extra sentence is used, a neutral tail is put on: habits, not faults.
const USES_EXTRA: f64 = 0.85;
const PUTS_TAIL: f64 = 0.15;

pub fn write(case: &Case, rates: &Rates, dice: Dice) -> Draft {
    let mut statements: Vec<Base> = (0..case.facts.len())
        .map(|fact| Base::Fact { fact, wrong: dice.chance("writes_wrong", fact, rates.writes_wrong) })
        .chain((0..case.extra.len()).filter(|n| dice.chance("extra", *n, USES_EXTRA)).map(Base::Extra))
        .collect();
    if dice.chance("filler", 0, 2.0 * rates.writes_flawed) {
        statements.push(Base::Filler { kind: dice.pick("filler", 1, FILLERS.len()), mended: false });
    }
    dice.shuffle("order", &mut statements);
    let mut sentences: Vec<Sentence> = statements.into_iter().enumerate().map(|(id, base)| Sentence::new(id, base)).collect();
    for sentence in &mut sentences {
        let fillers = matches!(sentence.base, Base::Filler { .. });
        if !fillers && dice.chance("writes_flawed", sentence.id, rates.writes_flawed) {
            sentence.lead = Some(Lead::Hedge(dice.pick("hedge", sentence.id, HEDGES.len())));
        }
        if !fillers && dice.chance("tail", sentence.id, PUTS_TAIL) {
            sentence.tail = Some(dice.pick("which tail", sentence.id, TAILS.len()));
        }
    }
    let paragraphs = (sentences.len() / STATEMENTS_MIN).clamp(1, 4).min(2 + dice.pick("paragraphs", 0, 3));
    let mut id = sentences.len();
    let mut courtesy = |base: Base| {
        id += 1;
        Sentence::new(id, base)
    };
    let mut body: Vec<Vec<Sentence>> = vec![];
    for at in 0..paragraphs {
        let cut = |k: usize| sentences.len() * k / paragraphs;
        body.push(sentences[cut(at)..cut(at + 1)].to_vec());
    }
    if let Some(first) = body.first_mut() {
        first.insert(0, courtesy(Base::Thanks(dice.pick("thanks", 0, THANKS.len()))));
    }
    if let Some(last) = body.last_mut() {
        last.push(courtesy(Base::Offer(dice.pick("offer", 0, OFFERS.len()))));
    }
    let greeting = courtesy(Base::Greeting(dice.pick("greeting", 0, GREETINGS.len())));
    let farewell = Base::Farewell { how: dice.pick("farewell", 0, FAREWELLS.len()), agent: dice.pick("agent", 0, AGENTS.len()) };
    let farewell = courtesy(farewell);
    let mut sections = vec![vec![greeting]];
    sections.extend(body);
    sections.push(vec![farewell]);
    Draft(sections)
}
