//! The committed data sets: what the generator writes is what is committed, every check can be met and can be broken, and nothing repeats.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use redraft::model::CheckRule;
use redraft::text::check::{Reading, is_readable};
use serde_json::Value;

#[allow(dead_code)]
#[path = "../examples/generate_payments/main.rs"]
mod generate_payments;

use generate_payments::ticket;

const PAYMENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/datasets/payments");
const QWEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/datasets/payments-qwen");

fn read(folder: &str, name: &str) -> String {
    let path = format!("{folder}/{name}");
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn rows(folder: &str, name: &str) -> Vec<Value> {
    read(folder, name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("no text `{key}` in {value}"))
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().unwrap_or_else(|| panic!("no list `{key}` in {value}"))
}

/// Patterns repeat from ticket to ticket, and compiling them is most of what these tests do.
fn regex(pattern: &str) -> Arc<regex::Regex> {
    thread_local! {
        static COMPILED: RefCell<BTreeMap<String, Arc<regex::Regex>>> = const { RefCell::new(BTreeMap::new()) };
    }
    COMPILED
        .with_borrow_mut(|known| known.entry(pattern.to_string()).or_insert_with(|| Arc::new(regex::Regex::new(pattern).unwrap())).clone())
}

fn rule(check: &Value) -> CheckRule {
    let value = || text(check, "value").to_string();
    let count = || usize::try_from(check["value"].as_u64().unwrap()).unwrap();
    match text(check, "rule") {
        "contains" => CheckRule::Contains(value()),
        "absent" => CheckRule::Absent(value()),
        "regex" => CheckRule::Regex(regex(text(check, "value"))),
        "number" => CheckRule::Number(value()),
        "money" => CheckRule::Money(value()),
        "date" => CheckRule::Date(value()),
        "min_words" => CheckRule::MinWords(count()),
        "max_words" => CheckRule::MaxWords(count()),
        "min_chars" => CheckRule::MinChars(count()),
        "max_chars" => CheckRule::MaxChars(count()),
        "json_schema" => CheckRule::JsonSchema(Arc::new(redraft::model::Schema::compile(&check["value"]).unwrap())),
        other => panic!("unknown rule {other}"),
    }
}

type Rules = Vec<(String, CheckRule)>;

/// A ticket's checks by id, ready to be judged.
fn rules(ticket: &Value) -> Rules {
    list(ticket, "checks").iter().map(|c| (text(c, "id").to_string(), rule(c))).collect()
}

/// The checks that fail in `draft`.
fn broken<'a>(rules: &'a Rules, draft: &str) -> Vec<&'a str> {
    let reading = Reading::new(draft);
    rules.iter().filter(|(_, rule)| !reading.holds(rule)).map(|(id, _)| id.as_str()).collect()
}

fn sources(ticket: &Value) -> String {
    list(ticket, "sources").iter().map(|s| text(s, "text")).collect::<Vec<_>>().join("\n\n")
}

#[test]
fn payments_is_what_the_generator_writes() {
    assert!(
        read(PAYMENTS, "tickets.jsonl") == generate_payments::tickets_jsonl(),
        "run: cargo run --example generate_payments -- datasets/payments"
    );
    assert_eq!(read(PAYMENTS, "dataset.toml"), generate_payments::DATASET_TOML);
    assert!(read(PAYMENTS, "README.md").contains(&generate_payments::counts()), "the README's table is not what --counts prints");
}

#[test]
fn payments_has_300_tickets_and_no_prompt_twice() {
    let rows = rows(PAYMENTS, "tickets.jsonl");
    let distinct = |key: &str| rows.iter().map(|r| text(r, key)).collect::<BTreeSet<_>>().len();
    assert_eq!((rows.len(), distinct("id"), distinct("prompt")), (300, 300, 300));
    let skeletons: BTreeSet<String> = ticket::all().iter().map(ticket::skeleton).collect();
    assert_eq!(skeletons.len(), 300, "prompts that differ only in names and numbers");
    let topics: BTreeSet<&str> = rows.iter().map(|r| r["tags"][0].as_str().unwrap()).collect();
    assert_eq!(topics.len(), 15);
}

#[test]
fn payments_tickets_are_whole() {
    for ticket in rows(PAYMENTS, "tickets.jsonl") {
        let id = text(&ticket, "id");
        assert!(id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'), "{id}");
        assert_eq!(list(&ticket, "sources").len(), 2, "{id}");
        for source in list(&ticket, "sources") {
            let words = text(source, "text").split_whitespace().count();
            assert!((60..=120).contains(&words), "{id} {}: {words} words", text(source, "id"));
        }
        assert!((3..=5).contains(&list(&ticket, "checks").len()), "{id}");
        assert!((3..=4).contains(&list(&ticket["fields"], "extra").len()), "{id}");
        let left = ticket.to_string().replace("\"{", "").replace("{\"", "");
        assert!(
            !left.contains("!}") && !text(&ticket, "prompt").contains('{') && !sources(&ticket).contains('{'),
            "{id}: a variable was not filled in"
        );
    }
}

#[test]
fn payments_sources_decide_every_check() {
    for ticket in rows(PAYMENTS, "tickets.jsonl") {
        let rules = rules(&ticket);
        assert_eq!(broken(&rules, &sources(&ticket)), [""; 0], "{}: {rules:?}", text(&ticket, "id"));
    }
}

#[test]
fn payments_true_sentences_meet_their_checks_and_wrong_twins_break_exactly_one() {
    for ticket in rows(PAYMENTS, "tickets.jsonl") {
        let id = text(&ticket, "id");
        let (facts, rules) = (list(&ticket["fields"], "facts"), rules(&ticket));
        assert_eq!(facts.len(), rules.len(), "{id}");
        let sentences: Vec<&str> = facts.iter().map(|f| text(f, "sentence")).collect();
        let extra: Vec<&str> = list(&ticket["fields"], "extra").iter().filter_map(Value::as_str).collect();
        let reply = [sentences.as_slice(), extra.as_slice()].concat().join("\n\n");
        assert_eq!(broken(&rules, &reply), [""; 0], "{id}");
        for (i, (fact, (check, rule))) in facts.iter().zip(&rules).enumerate() {
            assert_eq!(text(fact, "check"), check);
            assert!(is_readable(rule), "{id} {rule:?}");
            assert!(Reading::new(sentences[i]).holds(rule), "{id}: {}", sentences[i]);
            assert!(!Reading::new(text(fact, "wrong")).holds(rule), "{id}: {}", text(fact, "wrong"));
            let mut swapped = sentences.clone();
            swapped[i] = text(fact, "wrong");
            assert_eq!(broken(&rules, &swapped.join(" ")), [check], "{id}: {swapped:?}");
            let absent = matches!(rule, CheckRule::Absent(_));
            assert!(extra.iter().all(|s| Reading::new(s).holds(rule) == absent), "{id}: an extra sentence decides {rule:?}");
        }
    }
}

#[test]
fn payments_qwen_is_the_recorded_set_in_our_form() {
    let recorded = rows(QWEN, "as-recorded.jsonl");
    let tickets = rows(QWEN, "tickets.jsonl");
    assert_eq!((recorded.len(), tickets.len()), (105, 105));
    for (old, new) in recorded.iter().zip(&tickets) {
        let id = text(new, "id");
        assert_eq!((id, text(new, "prompt")), (text(old, "ticket_id"), text(old, "body")));
        for key in ["customer", "merchant", "subject"] {
            assert_eq!(new["fields"][key], old[key], "{id}");
        }
        for (old, new) in list(old, "sources").iter().zip(list(new, "sources")) {
            assert_eq!((&old["source_id"], &old["title"], &old["text"]), (&new["id"], &new["title"], &new["text"]), "{id}");
        }
        for (old, new) in list(old, "facts").iter().zip(list(new, "checks")) {
            assert_eq!((&old["fact_id"], &old["match"], &old["required"]), (&new["id"], &new["value"], &new["required"]), "{id}");
            // Some statements only say that the value must be given: the value itself has to satisfy the check.
            assert!(Reading::new(text(old, "value")).holds(&rule(new)), "{id}: {}", text(old, "value"));
        }
        assert_eq!(list(old, "facts").len(), list(new, "checks").len());
    }
}
