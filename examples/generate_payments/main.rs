//! Writes the data set `payments`: `cargo run --example generate_payments -- OUTDIR` (dataset.toml, tickets.jsonl), or its counts with `--counts`.
//!
//! Everything is invented. The same program writes the same bytes on any machine: no clock, no randomness beyond seeded arithmetic.

mod dice;
mod people;
mod show;
pub mod ticket;
mod topic;
mod topics;
mod values;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

pub const DATASET_TOML: &str = r#"version = 1
name = "payments"
about = "300 support tickets of a made-up payments company, with a policy and an account record each, and exact checks of the reply."
licence = "CC0-1.0"
provenance = "Invented and synthetic: written by examples/generate_payments from hand-written templates and seeded arithmetic. No real person, merchant, company or price."
"#;

const RULES: [&str; 6] = ["absent", "contains", "date", "money", "number", "regex"];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let result = match args.as_slice() {
        [flag] if flag == "--counts" => {
            print!("{}", counts());
            Ok(())
        }
        [folder] if !folder.starts_with('-') => write(Path::new(folder)),
        _ => Err("usage: generate_payments OUTDIR | --counts".to_string()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn write(folder: &Path) -> Result<(), String> {
    let put = |name: &str, text: &str| std::fs::write(folder.join(name), text).map_err(|e| format!("{}: {e}", folder.join(name).display()));
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    put("dataset.toml", DATASET_TOML)?;
    put("tickets.jsonl", &tickets_jsonl())
}

/// One ticket a line.
pub fn tickets_jsonl() -> String {
    let lines = ticket::all().into_iter().filter_map(|t| serde_json::to_string(&t).ok());
    lines.map(|line| line + "\n").collect()
}

/// Checks by topic and rule, as a table in Markdown.
pub fn counts() -> String {
    let tickets = ticket::all();
    let mut by_topic: BTreeMap<&str, (usize, [usize; 6])> = BTreeMap::new();
    for ticket in &tickets {
        let (n, rules) = by_topic.entry(ticket.tags[0]).or_default();
        *n += 1;
        for check in &ticket.checks {
            if let Some(i) = RULES.iter().position(|r| *r == check.rule) {
                rules[i] += 1;
            }
        }
    }
    let mut out = format!("| topic | tickets | {} | checks |\n|---|{}\n", RULES.join(" | "), "---:|".repeat(RULES.len() + 2));
    let mut total = (0, [0; 6]);
    for (topic, (n, rules)) in &by_topic {
        out += &row(topic, *n, rules);
        total.0 += n;
        total.1.iter_mut().zip(rules).for_each(|(sum, n)| *sum += n);
    }
    out + &row("all", total.0, &total.1)
}

fn row(name: &str, tickets: usize, rules: &[usize; 6]) -> String {
    let cells: Vec<String> = rules.iter().map(usize::to_string).collect();
    format!("| {name} | {tickets} | {} | {} |\n", cells.join(" | "), rules.iter().sum::<usize>())
}
