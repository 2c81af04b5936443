//! One ticket: the choices put together into a prompt, sources, checks and the sentences that decide them.

use std::collections::BTreeSet;

use serde::Serialize;

use super::dice::Dice;
use super::people::{self, COUNTRIES, CUSTOMERS, MERCHANT_FIRST, MERCHANT_SECOND, PLANS, ROLES, VOICES};
use super::topic::{Fact, Question, Rule, Topic};
use super::topics;
use super::values::{Bound, bind};

pub const TICKETS: usize = 300;

const SEED: u64 = 0x7061_796d_656e_7473;

#[derive(Serialize)]
pub struct Ticket {
    pub id: String,
    pub prompt: String,
    pub sources: Vec<Source>,
    pub checks: Vec<Check>,
    pub defects: [(); 0],
    pub tags: Vec<&'static str>,
    pub fields: Fields,
}

#[derive(Serialize)]
pub struct Source {
    pub id: String,
    pub title: String,
    pub text: String,
}

#[derive(Serialize)]
pub struct Check {
    pub id: String,
    pub rule: &'static str,
    pub value: String,
    pub required: bool,
    pub class: &'static str,
}

#[derive(Serialize)]
pub struct Fields {
    pub customer: String,
    pub merchant: String,
    pub subject: String,
    pub country: &'static str,
    pub currency: &'static str,
    pub facts: Vec<Sentences>,
    pub extra: Vec<&'static str>,
}

/// The sentence that satisfies a check, and its twin that breaks this check and no other.
#[derive(Serialize)]
pub struct Sentences {
    pub check: String,
    pub sentence: String,
    pub wrong: String,
}

/// All tickets. A draw whose values could be mixed up, or whose prompt repeats an earlier one, is drawn again.
pub fn all() -> Vec<Ticket> {
    let mut seen = BTreeSet::new();
    (0..TICKETS).filter_map(|n| (0..1000).find_map(|attempt| draw(n, attempt).filter(|t| seen.insert(skeleton(t))))).collect()
}

/// A prompt without what a template would fill in: names, amounts, numbers, dates, references.
pub fn skeleton(ticket: &Ticket) -> String {
    let fields = &ticket.fields;
    let first = first_name(&fields.customer);
    let bare = ticket.prompt.replace(&fields.customer, "N").replace(&fields.merchant, "N").replace(first, "N");
    const MONTHS: [&str; 12] =
        ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
    let bare = MONTHS.iter().fold(bare, |text, month| text.replace(month, "0"));
    let mut out = String::with_capacity(bare.len());
    for c in bare.chars() {
        match c {
            '0'..='9' | '$' | '€' | '£' if out.ends_with('0') => {}
            '0'..='9' | '$' | '€' | '£' => out.push('0'),
            ',' | '.' | ' ' | '-' if out.ends_with('0') => {}
            _ => out.push(c),
        }
    }
    out
}

fn first_name(customer: &str) -> &str {
    customer.split(' ').next().unwrap_or(customer)
}

fn draw(n: usize, attempt: u64) -> Option<Ticket> {
    let topic = topics::ALL[n % topics::ALL.len()];
    let round = n / topics::ALL.len();
    let mut dice = Dice::new(SEED, n as u64, attempt);
    let customer = CUSTOMERS[(n * 7 + dice.below(7)) % CUSTOMERS.len()];
    let merchant = format!("{} {}", dice.pick(&MERCHANT_FIRST), dice.pick(&MERCHANT_SECOND));
    let (country, currency, sign) = dice.pick(&COUNTRIES);
    let mut bound = bind(topic, sign, &mut dice)?;
    for (name, value) in [("customer", customer), ("first", first_name(customer)), ("merchant", &merchant)] {
        bound.push(Bound::text(name, value));
    }
    let first = round % topic.questions.len();
    let second = (!round.is_multiple_of(5)).then(|| (first + 1 + dice.below(3)) % topic.questions.len());
    let asked: Vec<&Question> = [Some(first), second].into_iter().flatten().map(|q| &topic.questions[q]).collect();
    let (checks, facts) = judged(topic, &asked, &bound);
    let prompt = prompt(topic, &asked, &bound, &mut dice);
    let subject = fill(dice.pick(topic.subjects), &bound);
    let header = format!(
        "Merchant: {merchant}, {country}. Contact: {customer}, {}. Plan: {}, settled in {currency}. Language: English. Other open cases: none. ",
        dice.pick(&ROLES),
        dice.pick(&PLANS)
    );
    let extra = if dice.below(2) == 0 { topic.extra } else { &topic.extra[..3] };
    Some(Ticket {
        id: format!("pay-{:04}", n + 1),
        prompt,
        sources: vec![
            Source { id: format!("policy-{}", topic.tag), title: topic.title.to_string(), text: fill(topic.policy, &bound) },
            Source { id: "account-record".to_string(), title: "Account record".to_string(), text: header + &fill(topic.record, &bound) },
        ],
        checks,
        defects: [],
        tags: vec![topic.tag, if second.is_some() { "two-questions" } else { "one-question" }],
        fields: Fields { customer: customer.to_string(), merchant, subject, country, currency, facts, extra: extra.to_vec() },
    })
}

/// The checks of the questions asked, in the topic's order, and the promise that must not be made.
fn judged(topic: &Topic, asked: &[&Question], bound: &[Bound]) -> (Vec<Check>, Vec<Sentences>) {
    let needed = |fact: &&Fact| asked.iter().any(|q| q.facts.contains(&fact.id));
    let facts = topic.facts.iter().filter(needed).chain([&topic.never]);
    facts
        .enumerate()
        .map(|(i, fact)| {
            let id = format!("c{}", i + 1);
            let (rule, value) = rule(fact, bound);
            let twin =
                fact.wrong.map_or_else(|| fact.sentence.replace(&format!("{{{}}}", fact.id), &format!("{{{}!}}", fact.id)), str::to_string);
            let sentences = Sentences { check: id.clone(), sentence: fill(fact.sentence, bound), wrong: fill(&twin, bound) };
            (Check { id, rule, value, required: fact.required, class: fact.class }, sentences)
        })
        .unzip()
}

fn rule(fact: &Fact, bound: &[Bound]) -> (&'static str, String) {
    let asked = bound.iter().find(|b| b.name == fact.id).map_or("", |b| b.asked.as_str());
    match fact.rule {
        Rule::Money => ("money", asked.to_string()),
        Rule::Number => ("number", asked.to_string()),
        Rule::Date => ("date", asked.to_string()),
        Rule::Contains => ("contains", asked.to_string()),
        Rule::Regex(pattern) => ("regex", pattern.replace("{}", &digits_or_word(asked))),
        Rule::Absent(phrase) => ("absent", phrase.to_string()),
    }
}

fn digits_or_word(number: &str) -> String {
    const WORDS: [&str; 21] = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
    ];
    let word = number.parse().ok().and_then(|n: usize| WORDS.get(n));
    word.map_or_else(|| number.to_string(), |word| format!("(?:{number}|{word})"))
}

/// Opening, how it came about, the questions, an ending; typed as the voice types, then filled in.
fn prompt(topic: &Topic, asked: &[&Question], bound: &[Bound], dice: &mut Dice) -> String {
    const JOINTS: [&str; 6] = ["", "And another thing. ", "Second question: ", "While I am at it: ", "One more. ", "Also, if I may: "];
    let voice = &VOICES[dice.below(VOICES.len())];
    let context = dice.pick(topic.contexts);
    let mut questions = String::new();
    for (i, question) in asked.iter().enumerate() {
        if i > 0 {
            questions.push(' ');
            questions.push_str(dice.pick(&JOINTS));
        }
        questions.push_str(dice.pick(question.wordings));
    }
    let (opener, closer) = (dice.pick(&voice.openers), dice.pick(&voice.closers));
    let text = match dice.below(4) {
        0 => format!("{opener}\n\n{context} {questions}\n\n{closer}"),
        1 => format!("{opener} {questions} {context} {closer}"),
        2 => format!("{opener}\n{context}\n{questions}\n{closer}"),
        _ => format!("{opener} {context} {questions} {closer}"),
    };
    fill(&people::typed(&text, voice.typing), bound)
}

/// `template` with every `{name}` and `{name!}` filled in.
fn fill(template: &str, bound: &[Bound]) -> String {
    bound.iter().fold(template.to_string(), |text, b| {
        if !text.contains(b.name) {
            return text;
        }
        text.replace(&format!("{{{}}}", b.name), &b.shown).replace(&format!("{{{}!}}", b.name), &b.twin)
    })
}
