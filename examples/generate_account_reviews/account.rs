//! One made-up account: its figures and terms, and the five sources that state them.

use super::dice::Dice;
use super::phrases::{ADDONS, CONSTRAINTS, CONTACTS, FEATURES, FIRST, GUIDE, INDUSTRIES, ISSUES, MANAGERS, PLANS, ROLES, SECOND};
use super::show::{date, grouped};

pub const ACCOUNTS: usize = 120;

const SEED: u64 = 0x6163_636f_756e_7473;

/// Named values of an account, for templates.
pub struct Account {
    pub id: String,
    pub name: String,
    values: Vec<(&'static str, String)>,
    /// Index in [`CONSTRAINTS`].
    pub constraint: usize,
    /// Index in [`ADDONS`].
    pub addon: usize,
    pub dice: Dice,
}

impl Account {
    pub fn new(n: usize) -> Account {
        let mut dice = Dice::new(SEED, n as u64, 0);
        let name = format!("{} {}", FIRST[n % FIRST.len()], SECOND[(n / FIRST.len() * 5 + n * 7) % SECOND.len()]);
        let (plan, cents) = PLANS[dice.below(PLANS.len())];
        let seats = 24 + dice.below(210);
        let active = seats * (62 + dice.below(34)) / 100;
        let jobs = 2_400 + dice.below(19_000);
        let before = jobs * (88 + dice.below(22)) / 100;
        let annual = (seats * cents * 12 / 100) as i64;
        let renewal = date(15 + dice.below(330) as i64, 0).replace("2026", "2027");
        let tickets = 6 + dice.below(41);
        let constraint = (n * 3 + n / 8) % CONSTRAINTS.len();
        let (reference, issue, plain) = ISSUES[dice.below(ISSUES.len())];
        let day = |dice: &mut Dice| date(275 + dice.below(29) as i64, 0);
        let (fix, call) = (day(&mut dice), day(&mut dice));
        let addon = (n + n / 6) % ADDONS.len();
        let number = |n: usize| grouped(n as i64);
        let values = vec![
            ("account", name.clone()),
            ("industry", dice.pick(&INDUSTRIES).to_string()),
            ("contact", CONTACTS[(n * 11 + 3) % CONTACTS.len()].to_string()),
            ("role", dice.pick(&ROLES).to_string()),
            ("manager", MANAGERS[n % MANAGERS.len()].to_string()),
            ("plan", plan.to_string()),
            ("seats", number(seats)),
            ("active", number(active)),
            ("idle", number(seats - active)),
            ("jobs", number(jobs)),
            ("before", number(before)),
            ("trend", if jobs >= before { "up" } else { "down" }.to_string()),
            ("mobile", format!("{}%", 41 + dice.below(50))),
            ("feature", dice.pick(&FEATURES).to_string()),
            ("annual", format!("${}", grouped(annual))),
            ("renewal", renewal),
            ("notice", [30, 45, 60, 90][dice.below(4)].to_string()),
            ("cap", format!("{}%", 3 + dice.below(3))),
            ("more", format!("{}%", 8 + dice.below(5))),
            ("tickets", tickets.to_string()),
            ("reply", (2 + dice.below(9)).to_string()),
            ("escalated", (2 + dice.below(4)).to_string()),
            ("reference", format!("{reference}-{}", 2_100 + dice.below(6_800))),
            ("issue", issue.to_string()),
            ("plain", plain.to_string()),
            ("fix", fix),
            ("call", call),
            ("units", number(300 + dice.below(5_000))),
            ("addon", ADDONS[addon].name.to_string()),
            ("price", format!("{} {}", ADDONS[addon].price, ADDONS[addon].unit)),
            ("wrong", format!("{} {}", ADDONS[addon].others[dice.below(2)], ADDONS[addon].unit)),
        ];
        Account { id: format!("qar-{:03}", n + 1), name, values, constraint, addon, dice }
    }

    pub fn value(&self, name: &str) -> &str {
        self.values.iter().find(|(own, _)| *own == name).map_or("", |(_, value)| value.as_str())
    }

    /// `template` with every `{name}` filled in.
    pub fn fill(&self, template: &str) -> String {
        self.values.iter().fold(template.to_string(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
    }

    pub fn constraint_clause(&self) -> String {
        self.fill(CONSTRAINTS[self.constraint].clause)
    }

    pub fn price_line(&self) -> String {
        price_line(self.addon)
    }

    /// Id, title and text of each source.
    pub fn sources(&self) -> Vec<(&'static str, &'static str, String)> {
        let contract = self.fill(
            "Customer: {account}, {industry}. Plan: {plan}, {seats} seats, {annual} a year. The term ends on {renewal}; notice is {notice} days before. ",
        ) + &self.constraint_clause()
            + " Changes to these terms are made in writing.";
        let list: Vec<String> = (0..ADDONS.len()).map(price_line).collect();
        let usage = self.fill(
            "Third quarter of 2026. Seats assigned: {seats}. Seats active in the last 30 days: {active}. Jobs scheduled: {jobs}, in the quarter before \
             {before}. Share of jobs closed on a phone: {mobile}. Most used after the calendar: {feature}. {addon} used: {units} units.",
        );
        let support = self.fill(
            "Tickets opened: {tickets}. Median time to a first reply: {reply} hours. Escalated: {escalated}. Open at the end of the quarter: \
             {reference}, {issue}; {manager} owns it, due {fix}. No request for a further module is on file. Contact: {contact}, {role}. Next call: {call}.",
        );
        vec![
            ("contract", "Contract terms", contract),
            ("price-list", "Price list 2026", list.join(" ")),
            ("usage", "Usage figures", usage),
            ("support-history", "Support history", support),
            ("review-guide", "How we write reviews", GUIDE.to_string()),
        ]
    }
}

fn price_line(addon: usize) -> String {
    let addon = &ADDONS[addon];
    format!("{} – {} {}.", addon.name, addon.price, addon.unit)
}
