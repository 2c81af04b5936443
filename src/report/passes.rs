//! A study of passes as text, Markdown and CSV, and its plots.

mod plot;
mod rows;

pub use plot::charts;
pub use rows::csv;

use std::fmt::Write;

use super::block::{self, Block};
use super::grid::{Align, Style};
use super::number::{self, grouped};
use super::shown;
use crate::passes::{ArmPasses, Level, Lift, Outcome, PassLine, Proxy, Reading, Shift, Study, per_100};

/// For a terminal.
pub fn text(study: &Study, style: Style) -> String {
    block::text(&blocks(study), style)
}

/// For a page or a pull request.
pub fn markdown(study: &Study) -> String {
    block::markdown(&blocks(study))
}

fn blocks(study: &Study) -> Vec<Block> {
    study.arms.iter().flat_map(of_arm).collect()
}

/// What an arm says, then its tables.
pub fn of_arm(arm: &ArmPasses) -> Vec<Block> {
    std::iter::once(head(arm)).chain(tables(arm)).collect()
}

fn head(arm: &ArmPasses) -> Block {
    let mut lead = vec![counted(arm)];
    if !arm.origin.synthetic.is_empty() {
        lead.insert(0, format!("synthetic: {}", arm.origin.synthetic));
    }
    Block { title: format!("{}: how many passes pay", arm.origin.arm), lead, notes: arm.conclusion.clone(), ..Block::default() }
}

/// Heads that begin with `<` stand left.
fn table(title: &str, about: &str, heads: &[&str], rows: Vec<Vec<String>>) -> Block {
    let column = |head: &&str| match head.strip_prefix('<') {
        Some(head) => (head.to_owned(), Align::Left),
        None => ((*head).to_owned(), Align::Right),
    };
    Block { title: title.to_owned(), lead: vec![about.to_owned()], columns: heads.iter().map(column).collect(), rows, notes: vec![] }
}

// Writing into a String cannot fail, so its results are not looked at here.

fn counted(arm: &ArmPasses) -> String {
    let mut out = format!("{} tickets", grouped(arm.tickets));
    let told = [(arm.errored, "errored"), (arm.without_checks, "without checks"), (arm.without_first_draft, "whose first draft is none")];
    for (n, what) in told.into_iter().filter(|(n, _)| *n > 0) {
        let _ = write!(out, ", {} {what}", grouped(n));
    }
    let _ = write!(out, "; judged: {}", grouped(arm.judged));
    if arm.samples > 1 {
        let _ = write!(out, " ({} runs a ticket, of which the mean counts)", arm.samples);
    }
    out
}

fn tables(arm: &ArmPasses) -> Vec<Block> {
    let mut out = vec![];
    if arm.passes.len() > 1 {
        out.push(passes(arm));
    }
    if arm.judged > 0 {
        out.extend([drafts(arm), lifts(arm)]);
    }
    let outcomes: Vec<&Outcome> = arm.outcomes.iter().filter(|outcome| outcome.den > 0).collect();
    if !outcomes.is_empty() {
        out.push(outcome_table(arm, &outcomes));
    }
    if !arm.proxies.is_empty() {
        out.push(proxies(arm));
    }
    out
}

fn passes(arm: &ArmPasses) -> Block {
    let count = |x: Option<f64>| number::optional(x, plain);
    let row = |line: &PassLine| {
        let (first, net) = (line.pass == 0, line.net.as_ref());
        let later = |text: String| if first { String::new() } else { text };
        vec![
            line.pass.to_string(),
            grouped(line.running),
            later(format!("{} / {}", count(line.made_correct), count(line.made_incorrect))),
            later(number::optional(net, per_100)),
            later(number::optional(line.p_holm, number::chance)),
            later(reading(line.reading).to_owned()),
            level(&line.correct),
            later(number::optional(line.checks_net.as_ref(), per_100)),
            number::optional(line.calls, |x| number::decimal(x, 2)),
            shown::value("USD", line.cost_usd),
            shown::value("USD", line.cost_usd_so_far),
            later(price(line.usd_per_correct, line.calls_per_correct)),
        ]
    };
    table(
        "Passes",
        "every judged ticket, last state carried forward; net = made correct less made incorrect, per 100 tickets; calls and cost per ticket",
        &[
            "pass",
            "running",
            "made correct / incorrect",
            "net per 100 [95%]",
            "p (Holm)",
            "<shown",
            "correct so far [95%]",
            "checks net per 100 [95%]",
            "calls",
            "cost",
            "cost so far",
            "per extra correct",
        ],
        arm.passes.iter().map(row).collect(),
    )
}

fn drafts(arm: &ArmPasses) -> Block {
    let d = &arm.drafts;
    let row = |name: &str, at: &Level, against: &str, shift: Option<&Shift>| {
        let p = shift.and_then(|shift| shift.p);
        vec![
            name.to_owned(),
            level(at),
            shift.map_or(String::new(), |shift| format!("{} {against}", shown::with_interval("share", shift.value, shift.low, shift.high))),
            shift.map_or(String::new(), |_| number::optional(p, number::chance)),
        ]
    };
    let mut rows = vec![
        row("first (draft 0)", &d.first, "", None),
        row("last", &d.last, "over first", Some(&d.last_minus_first)),
        row("delivered", &d.delivered, "over first", Some(&d.delivered_minus_first)),
        row("best (oracle)", &d.best, "over last", Some(&d.best_minus_last)),
    ];
    let ranked: u64 = d.best_at.iter().map(|at| at.runs).sum();
    if ranked > 0 {
        let at: Vec<String> =
            d.best_at.iter().filter(|at| at.runs > 0).map(|at| format!("pass {}: {}", at.pass, grouped(at.runs))).collect();
        rows.push(vec!["best draft made in".to_owned(), at.join(", "), "runs, by the earliest best draft".to_owned(), String::new()]);
        let good = d.last_as_good;
        let share = format!("{} {}/{}", number::percent(good.num, good.den), grouped(good.num), grouped(good.den));
        let why = "runs whose last draft holds as many checks as their best";
        rows.push(vec!["last holds as many checks".to_owned(), share, why.to_owned(), String::new()]);
    }
    table(
        "First, last and best draft",
        "correct, of the judged tickets; delivered counts a last draft that is none as not correct; best is chosen with the checks, which no stop rule knows",
        &["<draft", "<correct [95%]", "<difference [95%]", "p"],
        rows,
    )
}

fn lifts(arm: &ArmPasses) -> Block {
    let row = |lift: &Lift| {
        let mut name = lift.baseline.clone().unwrap_or_else(|| "the writer alone (draft 0)".to_owned());
        if lift.only_here + lift.only_there > 0 {
            let _ = write!(name, " ({} tickets not judged in both)", grouped(lift.only_here + lift.only_there));
        }
        let d = &lift.difference;
        vec![
            name,
            level(&lift.without),
            level(&lift.with),
            shown::with_interval("share", d.value, d.low, d.high),
            number::optional(d.p, number::chance),
            number::optional(lift.extra_calls, |x| number::decimal(x, 2)),
            shown::value("USD", lift.extra_usd),
            price(lift.usd_per_correct, lift.calls_per_correct),
        ]
    };
    table(
        "Lift",
        "correct at the end over something without this critic, by ticket; calls and cost are what is spent more a ticket",
        &["<over", "without [95%]", "with [95%]", "difference [95%]", "p", "calls", "cost", "per extra correct"],
        arm.lifts.iter().map(row).collect(),
    )
}

fn outcome_table(arm: &ArmPasses, outcomes: &[&Outcome]) -> Block {
    let row = |outcome: &&Outcome| {
        let bound = |x: f64| number::decimal(100.0 * x, 1);
        let interval = outcome.low.zip(outcome.high).map_or(String::new(), |(low, high)| format!(" [{}, {}]", bound(low), bound(high)));
        vec![
            outcome.title.clone(),
            format!("{}{interval}", number::percent(outcome.num, outcome.den)),
            format!("{}/{}", grouped(outcome.num), grouped(outcome.den)),
            format!("{}s", outcome.per),
            grouped(outcome.tickets),
        ]
    };
    let mut rows: Vec<Vec<String>> = outcomes.iter().map(row).collect();
    if !arm.cycles.is_empty() {
        let lengths: Vec<String> = arm.cycles.iter().map(|cycle| format!("{} back: {}", cycle.length, grouped(cycle.drafts))).collect();
        rows.push(vec![
            "Passes that such drafts went back".to_owned(),
            lengths.join(", "),
            String::new(),
            "drafts".to_owned(),
            String::new(),
        ]);
    }
    table("Outcomes", "of those in which it could happen; intervals by ticket", &["<what", "share [95%]", "count", "<of", "tickets"], rows)
}

/// Of more passes a table would not fit a page; JSON has all.
const PASSES_MAX: usize = 10;

fn proxies(arm: &ArmPasses) -> Block {
    let passes: Vec<u32> = arm.passes.iter().map(|line| line.pass).take(PASSES_MAX).collect();
    let heads: Vec<String> = std::iter::once("<figure".to_owned()).chain(passes.iter().map(|pass| format!("pass {pass}"))).collect();
    let row = |proxy: &Proxy| {
        let at = |pass: &u32| proxy.running.iter().find(|at| at.pass == *pass).map_or(String::new(), |at| shown::measured(&proxy.unit, at));
        std::iter::once(shown::title(&proxy.title, &proxy.how, &proxy.unit)).chain(passes.iter().map(at)).collect()
    };
    table(
        "Proxies",
        "need no checks, and say nothing of whether drafts got better; of the tickets that ran the pass, so no trend is to be read off them",
        &heads.iter().map(String::as_str).collect::<Vec<_>>(),
        arm.proxies.iter().map(row).collect(),
    )
}

const fn reading(reading: Reading) -> &'static str {
    match reading {
        Reading::Gain => "gain",
        Reading::Loss => "loss",
        Reading::NotShown => "not shown",
        Reading::None => number::ABSENT,
    }
}

/// A count, which of several samples is a sum of shares.
fn plain(x: f64) -> String {
    number::decimal(x, if x.fract() == 0.0 { 0 } else { 2 })
}

/// `61.0% [55.4, 66.3] 183/300`.
fn level(at: &Level) -> String {
    let bound = |x: f64| number::decimal(100.0 * x, 1);
    let interval = at.low.zip(at.high).map_or(String::new(), |(low, high)| format!(" [{}, {}]", bound(low), bound(high)));
    format!("{}{interval} {}/{}", number::optional(at.value, number::share), plain(at.num), grouped(at.n))
}

/// What one more correct ticket costs: dollars where they are known, else calls.
fn price(usd: Option<f64>, calls: Option<f64>) -> String {
    match (usd, calls) {
        (Some(_), _) => shown::value("USD", usd),
        (None, Some(calls)) => format!("{} calls", number::decimal(calls, 1)),
        (None, None) => number::ABSENT.to_owned(),
    }
}
