//! What a topic is made of: a policy, an account record, the values in both, the facts that decide an answer, and how people ask.
//!
//! Texts are templates: `{fee}` stands for the value of the variable `fee`, `{fee!}` for its corrupted twin.

/// One kind of ticket. Everything a ticket says comes from here and from the seeded choices.
pub struct Topic {
    /// The topic's tag, also the id of its policy source.
    pub tag: &'static str,
    pub title: &'static str,
    pub policy: &'static str,
    pub record: &'static str,
    /// In order: a derived variable names earlier ones.
    pub vars: &'static [(&'static str, Var)],
    pub facts: &'static [Fact],
    /// What the reply must not promise.
    pub never: Fact,
    pub questions: &'static [Question],
    /// How the case came about, in the customer's words.
    pub contexts: &'static [&'static str],
    pub subjects: &'static [&'static str],
    /// Sentences for a reply that state nothing a check looks for.
    pub extra: &'static [&'static str],
}

/// A question in several wordings, and the facts its answer needs.
pub struct Question {
    pub wordings: &'static [&'static str],
    pub facts: &'static [&'static str],
}

/// How a variable gets its value. Amounts are in cents, days are days of 2026.
#[derive(Clone, Copy)]
pub enum Var {
    /// One of a price list.
    Price(&'static [u32]),
    /// Any amount from, to.
    Amount(u32, u32),
    Count(&'static [u32]),
    /// A percentage in tenths of a percent.
    Rate(&'static [u32]),
    Choice(&'static [&'static str]),
    /// The prefix of a reference such as `RF-20391`.
    Reference(&'static str),
    Day(u32, u32),
    Plus(&'static str, &'static str),
    Minus(&'static str, &'static str),
    /// An amount times a rate, rounded half up to the cent.
    Share(&'static str, &'static str),
    /// A day that many days after another.
    After(&'static str, &'static str),
}

#[derive(Clone, Copy)]
pub enum Rule {
    Money,
    Number,
    Date,
    Contains,
    /// `{}` stands for the variable's value, in digits or, up to twenty, in words.
    Regex(&'static str),
    Absent(&'static str),
}

/// A statement of the true answer, and the check that looks for it.
#[derive(Clone, Copy)]
pub struct Fact {
    pub id: &'static str,
    pub rule: Rule,
    pub sentence: &'static str,
    /// None where the false twin is the sentence with the variable `id` corrupted.
    pub wrong: Option<&'static str>,
    pub required: bool,
    pub class: &'static str,
}

const fn fact(id: &'static str, rule: Rule, sentence: &'static str) -> Fact {
    Fact { id, rule, sentence, wrong: None, required: true, class: "wrong_value" }
}

pub const fn money(id: &'static str, sentence: &'static str) -> Fact {
    fact(id, Rule::Money, sentence)
}

pub const fn number(id: &'static str, sentence: &'static str) -> Fact {
    fact(id, Rule::Number, sentence)
}

pub const fn date(id: &'static str, sentence: &'static str) -> Fact {
    fact(id, Rule::Date, sentence)
}

pub const fn says(id: &'static str, sentence: &'static str) -> Fact {
    fact(id, Rule::Contains, sentence)
}

pub const fn matches(id: &'static str, pattern: &'static str, sentence: &'static str) -> Fact {
    fact(id, Rule::Regex(pattern), sentence)
}

pub const fn never(phrase: &'static str, sentence: &'static str, wrong: &'static str) -> Fact {
    Fact { id: "never", rule: Rule::Absent(phrase), sentence, wrong: Some(wrong), required: true, class: "unsupported_claim" }
}

impl Fact {
    /// A nicety: reported, never an error.
    pub const fn optional(mut self) -> Fact {
        self.required = false;
        self
    }

    /// A condition of the answer; leaving it out misleads.
    pub const fn condition(mut self) -> Fact {
        self.class = "missing_precondition";
        self
    }
}

pub const CALENDAR_DAYS: &str = r"(?i)\b{}[\s-]+(?:calendar\s+)?days?\b";
pub const BUSINESS_DAYS: &str = r"(?i)\b{}[\s-]+(?:business|working)[\s-]+days?\b";
pub const HOURS: &str = r"(?i)\b{}[\s-]*(?:hours?|h)\b";
