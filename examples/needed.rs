//! How many tickets a margin of the gate takes, by how often the event comes: `cargo run --release --example needed`. The table of docs/gate.md, and
//! the figures that `redraft gate --init` writes into its policy.

use redraft::stats::power::{chance, discordant_chances, tickets};
use redraft::stats::{Paired, tango};

/// One-sided, as a verdict PASS has it; and how often a candidate that is as good shall pass.
const ALPHA: f64 = 0.05;
const POWER: f64 = 0.8;
/// Of both arms' outcomes over tickets. Arms that share drafts and models are seldom less alike.
const CORRELATION: f64 = 0.5;

fn main() {
    println!("| tickets with the event | margin | tickets it takes | an equal candidate passes |\n|---|---|---:|---:|");
    for share in [0.02, 0.1, 0.3, 0.6] {
        for margin in [0.0, 0.02, 0.05, 0.1] {
            let (took, passes) = needed(share, margin)
                .map_or(("no number".to_owned(), "n/a".to_owned()), |(n, passes)| (n.to_string(), format!("{:.0}%", 100.0 * passes)));
            println!("| {:.0}% | {:.0}pp | {took} | {passes} |", 100.0 * share, 100.0 * margin);
        }
    }
}

/// The first number of two digits and zeros with which an equal candidate passes often enough, and how often that is. The formula says where to look;
/// of rare events it promises too much.
fn needed(share: f64, margin: f64) -> Option<(u64, f64)> {
    let (broken, fixed) = discordant_chances(share, share, CORRELATION)?;
    let about = tickets(margin, (broken + fixed).max(margin), 2.0 * ALPHA, POWER)?;
    let mut n = round(about / 2);
    loop {
        let passes = passes(n, broken, fixed, margin)?;
        if passes >= POWER {
            return Some((n, passes));
        }
        n = round(n + 1);
    }
}

fn round(n: u64) -> u64 {
    let unit = 10u64.pow(n.max(1).ilog10().saturating_sub(1));
    n.div_ceil(unit) * unit
}

/// By the gate's own test, every count of broken and fixed tickets weighed.
fn passes(n: u64, broken: f64, fixed: f64, margin: f64) -> Option<f64> {
    let rule = |only_candidate: u64, only_baseline: u64| {
        let table = Paired { both: 0, only_candidate, only_baseline, neither: n - only_candidate - only_baseline };
        tango::not_worse(&table, margin).is_some_and(|p| p < ALPHA)
    };
    chance(n, broken, fixed, rule)
}
