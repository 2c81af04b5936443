//! Writes the data set `account-reviews` and its three simulated arms: `cargo run --example generate_account_reviews -- DATASET_DIR ARMS_DIR`.
//!
//! Everything is invented. The same program writes the same bytes on any machine: no clock, no randomness beyond seeded arithmetic.
//! The arms' loop.toml are written by hand, and the machine asks what they say.

mod account;
pub mod critic;
#[path = "../generate_payments/dice.rs"]
mod dice;
mod phrases;
pub mod record;
pub mod review;
#[path = "../generate_payments/show.rs"]
mod show;

use std::path::Path;
use std::process::ExitCode;

use serde::Serialize;
use serde_json::{Value, json};

use account::Account;
use phrases::{PROMPTS, WORDS_MAX};
use review::{CLASSES, Review};

pub const DATASET_TOML: &str = r#"version = 1
name = "account-reviews"
about = "120 quarterly account reviews of a made-up software vendor: a brief, five sources, exact checks, and the defects planted in draft 0."
licence = "CC0-1.0"
provenance = "Invented and synthetic: written by examples/generate_account_reviews from hand-written sentences and seeded arithmetic. No real person, company or price."
"#;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let result = match args.as_slice() {
        [dataset, arms] if !dataset.starts_with('-') => write(Path::new(dataset), Path::new(arms)),
        _ => Err("usage: generate_account_reviews DATASET_DIR ARMS_DIR".to_string()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn write(dataset: &Path, arms: &Path) -> Result<(), String> {
    let put = |path: &Path, text: &str| std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()));
    std::fs::create_dir_all(dataset).map_err(|e| format!("{}: {e}", dataset.display()))?;
    put(&dataset.join("dataset.toml"), DATASET_TOML)?;
    put(&dataset.join("tickets.jsonl"), &tickets_jsonl())?;
    for arm in &critic::ARMS {
        let dir = arms.join(arm.name);
        let (calls, truth) = record::record(arm, &dir)?;
        put(&dir.join("calls.jsonl"), &calls)?;
        put(&dir.join("truth.jsonl"), &truth)?;
    }
    Ok(())
}

#[derive(Serialize)]
struct Ticket {
    id: String,
    prompt: String,
    sources: Vec<Value>,
    checks: Vec<Check>,
    defects: Vec<Value>,
    tags: Vec<&'static str>,
    fields: Value,
}

#[derive(Serialize)]
struct Check {
    id: &'static str,
    rule: &'static str,
    value: Value,
    required: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<&'static str>,
}

/// One ticket a line.
pub fn tickets_jsonl() -> String {
    let lines = review::all().into_iter().filter_map(|(account, review)| serde_json::to_string(&ticket(account, &review)).ok());
    lines.map(|line| line + "\n").collect()
}

fn ticket(mut account: Account, review: &Review) -> Ticket {
    let prompt = account.dice.pick(&PROMPTS);
    let check = |id, rule, value: Value, class| Check { id, rule, value, required: true, class };
    let checks = vec![
        check("length", "max_words", WORDS_MAX.into(), Some("over_length")),
        check("enough", "min_words", 120.into(), None),
        check("name", "contains", account.name.as_str().into(), None),
        check("value", "money", account.value("annual").into(), None),
        check("renewal", "date", account.value("renewal").into(), None),
        check("active", "number", account.value("active").into(), None),
        check("tickets", "number", account.value("tickets").into(), None),
        check("promise", "absent", "guarantee".into(), None),
    ];
    let name = |class| CLASSES.iter().find(|(own, ..)| *own == class).map_or("", |(_, name, _)| name);
    let defect = |class: &review::Class| match review.place(*class) {
        Some((quote, _)) => json!({"class": name(*class), "quote": quote}),
        None => json!({"class": name(*class)}),
    };
    Ticket {
        prompt: account.fill(prompt),
        sources: account.sources().into_iter().map(|(id, title, text)| json!({"id": id, "title": title, "text": text})).collect(),
        checks,
        defects: review.defects.iter().map(defect).collect(),
        tags: vec![if review.defects.is_empty() { "clean" } else { "planted" }],
        fields: json!({"account": account.name, "contact": account.value("contact"), "manager": account.value("manager")}),
        id: account.id,
    }
}
