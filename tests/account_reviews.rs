//! The account reviews: what is committed is what the generator writes, and the tool finds exactly what was planted, arm by arm and class by class.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use redraft::critic::Critic;
use redraft::dataset::Dataset;
use redraft::metric::fate::label;
use redraft::model::{Run, Ticket, Tier};
use redraft::replay::{Options, Prepared};
use redraft::text::check::Reading;
use serde_json::Value;

#[allow(dead_code)]
#[path = "../examples/generate_account_reviews/main.rs"]
mod generate_account_reviews;

use generate_account_reviews as generator;

const ARMS: [&str; 3] = ["reflection", "separated", "grounded"];

fn dataset() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/account-reviews")
}

fn arm(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings/account-reviews").join(name)
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn tickets() -> Vec<Ticket> {
    let set = Dataset::open(&dataset()).unwrap();
    let mut tickets = set.tickets().unwrap();
    let mut out = vec![];
    while let Some(raw) = tickets.next().unwrap() {
        out.push(set.read(&raw).unwrap());
    }
    out
}

fn runs(name: &str) -> Vec<Run> {
    let mut out = vec![];
    let take = |_: &_, runs: Vec<Run>| runs;
    let keep = |runs: Vec<Run>| {
        out.extend(runs);
        Ok(())
    };
    Prepared::open(&arm(name)).unwrap().each(&Options::default(), take, keep).unwrap();
    out
}

fn drafts(name: &str) -> Vec<String> {
    runs(name).iter().map(|run| run.drafts().next().unwrap().1.to_owned()).collect()
}

/// The lines of an arm's truth.jsonl.
fn truth(name: &str) -> Vec<Value> {
    read(&arm(name).join("truth.jsonl")).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().unwrap()
}

fn redraft(args: &[&str]) -> Output {
    let folders = ARMS.map(arm);
    Command::new(env!("CARGO_BIN_EXE_redraft")).args(args).args(folders).output().unwrap()
}

#[test]
fn the_files_are_what_the_generator_writes() {
    let again = "run: cargo run --example generate_account_reviews -- datasets/account-reviews recordings/account-reviews";
    assert_eq!(read(&dataset().join("dataset.toml")), generator::DATASET_TOML);
    assert!(read(&dataset().join("tickets.jsonl")) == generator::tickets_jsonl(), "{again}");
    for made in &generator::critic::ARMS {
        let (calls, truth) = generator::record::record(made, &arm(made.name)).unwrap();
        assert!(read(&arm(made.name).join("calls.jsonl")) == calls, "{}: {again}", made.name);
        assert!(read(&arm(made.name).join("truth.jsonl")) == truth, "{}: {again}", made.name);
    }
}

#[test]
fn reviews_are_distinct_whole_and_of_the_length_that_was_planted() {
    let (tickets, drafts) = (tickets(), drafts("grounded"));
    assert_eq!((tickets.len(), drafts.len()), (120, 120));
    let mut skeletons = BTreeSet::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (ticket, draft) in tickets.iter().zip(&drafts) {
        let names = ["account", "contact", "manager"].map(|key| ticket.fields[key].as_str().unwrap());
        let bare = names.iter().fold(draft.clone(), |text, name| text.replace(name, "N"));
        assert!(
            skeletons.insert(bare.replace(|c: char| c.is_ascii_digit(), "")),
            "{}: repeats another review but for names and numbers",
            ticket.id
        );
        let sources: String = ticket.sources.iter().map(|source| source.text.as_str()).collect();
        assert!(!format!("{draft}{}{sources}", ticket.prompt).contains(['{', '}']), "{}: a value was not filled in", ticket.id);
        for defect in &ticket.defects {
            *counts.entry(defect.class.as_str()).or_default() += 1;
            let places = defect.quote.as_ref().map(|quote| draft.matches(quote.as_str()).count());
            assert_eq!(places, (defect.class != "over_length").then_some(1), "{}: {defect:?}", ticket.id);
        }
        // The tool's own checks decide the length exactly; every other check holds in every draft 0.
        let reading = Reading::new(draft);
        let failing: Vec<&str> = ticket.checks.iter().filter(|check| !reading.holds(&check.rule)).map(|check| check.id.as_str()).collect();
        let long = ticket.defects.iter().any(|defect| defect.class == "over_length");
        assert_eq!(failing, if long { vec!["length"] } else { vec![] }, "{}", ticket.id);
    }
    let planted = [
        ("contradicted_constraint", 28),
        ("over_length", 41),
        ("unsupported_recommendation", 37),
        ("vague_commitment", 52),
        ("wrong_price", 34),
    ];
    assert_eq!(counts, BTreeMap::from(planted));
}

#[test]
fn a_wrong_price_is_wrong_and_every_other_price_is_the_lists() {
    let (tickets, drafts) = (tickets(), drafts("separated"));
    for (ticket, draft) in tickets.iter().zip(&drafts) {
        let list = &ticket.sources.iter().find(|source| source.id == "price-list").unwrap().text;
        let addon = |line: &&str| draft.contains(line.split(" – ").next().unwrap());
        let line = list.split_inclusive(". ").map(|line| line.trim_end_matches(['.', ' '])).find(addon).unwrap();
        let price = line.split(" – ").nth(1).unwrap();
        let wrong = ticket.defects.iter().any(|defect| defect.class == "wrong_price");
        assert_eq!(draft.contains(price), !wrong, "{}: {line}", ticket.id);
    }
}

#[test]
fn the_arms_share_their_drafts_and_replay_without_a_fault() {
    let [first, rest @ ..] = ARMS.map(drafts);
    assert!(rest.iter().all(|other| *other == first));
    let verified = redraft(&["--quiet", "verify", "--strict"]);
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
}

/// What truth.jsonl says of one class in one arm: caught, known, and how they were caught.
fn planted(truth: &[Value], class: &str) -> (u64, u64, BTreeMap<String, u64>, u64) {
    let (mut caught, mut known, mut how, mut dropped) = (0, 0, BTreeMap::new(), 0);
    for line in truth {
        for defect in list(line, "defects").iter().filter(|defect| defect["class"] == class) {
            known += 1;
            caught += u64::from(defect["caught"] == true);
            for finding in list(line, "findings").iter().filter(|finding| finding["defect"] == class) {
                match finding["quoted"] == "fabricated" {
                    true => dropped += 1,
                    false => *how.entry(finding["how"].as_str().unwrap().to_owned()).or_default() += 1,
                }
            }
        }
    }
    (caught, known, how, dropped)
}

/// What `redraft critic` tells of the three arms.
fn critic() -> Critic {
    let told = redraft(&["--quiet", "critic", "--format", "json"]);
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    serde_json::from_slice(&told.stdout).unwrap()
}

#[test]
fn the_catch_table_is_what_was_planted() {
    let critic = critic();
    assert_eq!(critic.arms.iter().map(|arm| arm.arm.as_str()).collect::<Vec<_>>(), ARMS);
    let truths = ARMS.map(truth);
    assert_eq!(critic.catches.len(), 5);
    for row in &critic.catches {
        for ((name, truth), found) in ARMS.iter().zip(&truths).zip(&row.arms) {
            let (caught, known, how, dropped) = planted(truth, &row.class);
            let of = |key: &str| how.get(key).copied().unwrap_or(0);
            assert_eq!((found.caught, found.of), (caught, known), "{name}: {}", row.class);
            assert_eq!((found.by_both, found.by_span, found.by_class), (of("both"), of("span"), of("class")), "{name}: {}", row.class);
            assert_eq!((found.dropped, found.absent, found.unreadable), (dropped, 0, 0), "{name}: {}", row.class);
        }
        let exact = row.decided_exactly.as_ref().map(|rate| (rate.num, rate.den));
        assert_eq!(exact, (row.class == "over_length").then_some((41, 41)), "{}", row.class);
    }
    let caught = |class: &str| {
        let row = critic.catches.iter().find(|row| row.class == class).unwrap();
        row.arms.iter().map(|arm| arm.caught).collect::<Vec<_>>()
    };
    assert_eq!((caught("wrong_price"), caught("over_length")), (vec![2, 3, 31], vec![38, 40, 41]));
    for (strays, truth) in critic.strays.iter().zip(&truths) {
        let findings = || truth.iter().flat_map(|line| list(line, "findings"));
        let fabricated = findings().filter(|finding| finding["quoted"] == "fabricated").count() as u64;
        let stray = findings().filter(|finding| finding["quoted"] != "fabricated" && finding["defect"].is_null()).count() as u64;
        let found = strays.stray.as_ref().unwrap();
        assert_eq!(
            (strays.unverified, found.num, found.den + fabricated),
            (fabricated, stray, findings().count() as u64),
            "{}",
            strays.arm
        );
    }
}

#[test]
fn of_214_sourced_findings_19_are_not_verbatim_and_15_stay_dropped() {
    let tickets = tickets();
    let (mut eligible, mut inexact, mut dropped, mut recovered) = (0, 0, 0, 0);
    for ((run, ticket), line) in runs("grounded").iter().zip(&tickets).zip(truth("grounded")) {
        let draft = run.drafts().next().unwrap().1;
        let critique = run.passes.iter().find_map(|pass| pass.critique.as_ref()).unwrap();
        let findings = critique.findings.as_ref().unwrap();
        assert_eq!(findings.len(), list(&line, "findings").len());
        for (finding, planted) in findings.iter().zip(list(&line, "findings")) {
            assert_eq!(
                (label(&finding.label).as_str(), finding.quote.as_deref()),
                (planted["label"].as_str().unwrap(), planted["quote"].as_str())
            );
            let fabricated = planted["quoted"] == "fabricated";
            assert_eq!(finding.drop.is_some(), fabricated, "{}: {finding:?}", ticket.id);
            let Some(source) = ticket.sources.iter().find(|source| Some(&source.id) == finding.source_id.as_ref()) else {
                assert_eq!(finding.source_id.as_deref(), Some("internal"));
                continue;
            };
            let verbatim = draft.contains(finding.quote.as_ref().unwrap()) && source.text.contains(finding.source_quote.as_ref().unwrap());
            assert_eq!(verbatim, planted["quoted"] == "exact", "{}: {finding:?}", ticket.id);
            eligible += 1;
            inexact += usize::from(!verbatim);
            dropped += usize::from(fabricated);
            recovered += usize::from(planted["quoted"] == "typographic");
            let tier = finding.anchor.as_ref().map(|anchor| anchor.tier);
            let want = (!fabricated).then_some(if planted["side"] == "draft" { Tier::Normalised } else { Tier::Exact });
            assert_eq!(tier, want, "{}: {finding:?}", ticket.id);
        }
    }
    assert_eq!((eligible, inexact, recovered, dropped), (214, 19, 4, 15));
}

#[test]
fn the_drop_log_is_what_was_planted() {
    let critic = critic();
    let [log] = critic.grounding.as_slice() else { panic!("only one arm grounds its findings: {:?}", critic.grounding) };
    let truth = truth("grounded");
    let findings: Vec<(&str, u64, &Value)> = truth
        .iter()
        .flat_map(|line| (0..).zip(list(line, "findings")).map(|(at, finding)| (line["ticket"].as_str().unwrap(), at, finding)))
        .collect();
    let count = |quoted: &str, side: &str| {
        findings.iter().filter(|(.., finding)| finding["quoted"] == quoted && finding["side"] == side).count() as u64
    };
    let (sources, drafts) = (count("fabricated", "source"), count("fabricated", "draft"));
    assert_eq!((log.arm.as_str(), log.emitted, log.eligible, log.internal), ("grounded", findings.len() as u64, 214, 12));
    let drops: Vec<_> = log.drops.iter().map(|drop| (drop.reason.as_str(), drop.eligible, drop.internal)).collect();
    assert_eq!(drops, [("source_span_not_found", sources, 0), ("draft_span_not_found", drafts, 0)]);
    assert_eq!((log.dropped_eligible, log.dropped_internal, sources + drafts), (15, 0, 15));
    let recovery = &log.recovery;
    assert_eq!((recovery.dropped_by_bytes, recovery.normalised, recovery.fuzzy, recovery.still_dropped), (19, 4, 0, 15));
    assert_eq!((log.draft.normalised, count("typographic", "draft")), (2, 2));
    assert_eq!((log.source.as_ref().unwrap().normalised, count("typographic", "source")), (2, 2));
    let listed: Vec<(&str, u64)> = recovery.listed.iter().map(|row| (row.ticket.as_str(), row.finding)).collect();
    let typographic = findings.iter().filter(|(.., finding)| finding["quoted"] == "typographic");
    assert_eq!(listed, typographic.map(|(ticket, at, _)| (*ticket, *at)).collect::<Vec<_>>());
}
