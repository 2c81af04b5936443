//! How long measuring takes. Run with: cargo test --release --lib speed -- --ignored --nocapture

use std::time::Instant;

use super::{Accumulator, Origin};
use crate::metric::testing::*;
use crate::metric::{Measured, Settings, measure};
use crate::model::{Check, CheckRule, Run, Ticket};

const SENTENCES: [&str; 12] = [
    "Thank you for writing to us about the charge that you saw on your statement.",
    "The refund was issued in full and should reach your bank account soon.",
    "Please keep in mind that banks need a few working days to book it.",
    "You can follow its state at any time under Settings, Billing, Refunds.",
    "If it has not arrived by then, reply to this mail and we will look into it.",
    "The monthly fee is $15 for each seat, billed on the first day of the month.",
    "Your plan includes two hundred gigabytes of storage for the whole team.",
    "We have changed the card on file as you asked and kept the old one as a backup.",
    "The export holds every invoice since the account was opened in March 2021.",
    "Our support team answers within four hours on weekdays, and one day else.",
    "Deleting the workspace cannot be undone, so please download your data first.",
    "We are sorry for the trouble and thank you for your patience with this.",
];

pub fn run(seed: usize) -> Run {
    let sentence = |i: usize| SENTENCES[(seed * 5 + i * 7) % SENTENCES.len()].to_string();
    let mut paragraphs: Vec<String> = (0..6).map(|i| format!("{} {}", sentence(2 * i), sentence(2 * i + 1))).collect();
    let mut drafts = vec![paragraphs.join("\n\n")];
    for pass in 1..4 {
        let at = (seed + pass) % 6;
        paragraphs[at] = paragraphs[at].replacen("the", "this very", 1).replacen("soon", "by 9 June", 1);
        if seed.is_multiple_of(3) {
            paragraphs[(at + 2) % 6].push_str(" Kind regards.");
        }
        drafts.push(paragraphs.join("\n\n"));
    }
    let mut run = run_of(&drafts.iter().map(String::as_str).collect::<Vec<_>>());
    for pass in 1..4 {
        let quotes: Vec<String> = (0..3).map(|i| sentence(seed + pass + i * 2)[..30].to_string()).collect();
        critique(&mut run, pass, &quotes.iter().map(|quote| ("vague", quote.as_str())).collect::<Vec<_>>());
        run.passes[pass].calls = vec![call(crate::model::Role::Critic, pass as u32, Some("0.001")); 2];
    }
    run
}

#[test]
#[ignore = "a measurement, not a test"]
fn measuring_six_hundred_runs() {
    let rule = |id: &str, rule: CheckRule| Check { id: id.into(), rule, required: true, class: None };
    let checks = vec![
        rule("fee", CheckRule::Money("$15".into())),
        rule("regex", CheckRule::Regex(std::sync::Arc::new(regex::Regex::new(r"(?i)\brefund(ed|s)?\b").unwrap()))),
        rule("absent", CheckRule::Absent("guarantee".into())),
        rule("long", CheckRule::MaxWords(250)),
    ];
    let runs: Vec<Run> = (0..600).map(run).collect();
    let chars: usize = runs.iter().flat_map(|run| run.drafts()).map(|(_, draft)| draft.len()).sum();
    for (name, ticket) in [("without checks", ticket()), ("with 4 checks", Ticket { checks, ..ticket() })] {
        let mut best = [f64::MAX; 2];
        for _ in 0..15 {
            let start = Instant::now();
            let measured: Vec<Measured> = runs.iter().map(|run| measure(&ticket, run, &Settings::default())).collect();
            best[0] = best[0].min(start.elapsed().as_secs_f64());
            let start = Instant::now();
            let mut accumulator = Accumulator::new(Origin::default(), 3);
            measured.iter().for_each(|run| accumulator.add(std::slice::from_ref(run)));
            assert_eq!(accumulator.finish().tickets, 600);
            best[1] = best[1].min(start.elapsed().as_secs_f64());
        }
        println!(
            "600 runs x 4 passes, {} bytes a draft, {name}: measure {:.1} ms, summarise {:.1} ms",
            chars / 2400,
            best[0] * 1e3,
            best[1] * 1e3
        );
    }
}
