//! The problem cases: every row of cases.jsonl is run, every expectation checked by value. `REDRAFT_CASES=DIR` runs another folder of the same
//! form; a case is told apart by its part and the shape of its files and expectations, never by its id.

#[path = "cases/arm.rs"]
mod arm;
#[path = "cases/command.rs"]
mod command;
#[path = "cases/critic.rs"]
mod critic;
#[path = "cases/figures.rs"]
mod figures;
#[path = "html/hostile.rs"]
mod hostile;
#[path = "cases/local.rs"]
mod local;
#[path = "cases/page.rs"]
mod page;
#[path = "cases/place.rs"]
mod place;
#[path = "cases/secret.rs"]
mod secret;
#[path = "cases/sheet.rs"]
mod sheet;
#[path = "cases/shown.rs"]
mod shown;
#[path = "cases/store.rs"]
mod store;
#[path = "cases/story.rs"]
mod story;
#[path = "html/tags.rs"]
mod tags;
#[path = "cases/verdict.rs"]
mod verdict;

use std::path::{Path, PathBuf};

use serde_json::Value;
use sheet::{Case, Sheet};

/// A kind of case: its name, what it looks like, and the checks.
type Shape = (&'static str, fn(&Case) -> bool, fn(&Case, &mut Sheet));

/// The first that fits is taken.
const SHAPES: &[Shape] = &[
    ("reply files", |c| c.part == "parse critic output" && c.files.iter().all(|f| f.ends_with(".txt")), critic::reply_files),
    ("critic replies", |c| c.has("replies.jsonl"), critic::replies),
    ("verdicts", |c| c.has("verdicts.jsonl"), critic::verdicts),
    ("quotations", |c| c.has("draft.txt") && c.has("quotes.json"), place::quotes),
    ("grounded findings", |c| c.has("draft.txt") && c.has("sources.json"), place::grounded),
    ("findings of a draft", |c| c.part == "anchor" && c.has("draft.txt") && c.has("findings.json"), place::quotes),
    ("revisions", |c| c.part == "locality check" && (c.has("finding.json") || c.has("findings.json")), local::revisions),
    ("length cap", |c| c.has("original.txt"), local::length_cap),
    ("pairs of texts", |c| c.files.iter().any(|f| f.ends_with("old.txt")), local::pairs),
    ("ledgers", |c| c.has("ledger.json") || c.has("ledgers.jsonl"), story::ledgers),
    ("denominator", |c| c.has("tickets.jsonl"), figures::denominator),
    ("missing values", |c| c.part == "metrics" && c.expects("even_median") || c.has("column.json"), figures::missing),
    ("call counts", |c| c.has("runs.jsonl"), figures::call_counts),
    ("keys", |c| c.has("recorded.json") && c.has("probes.jsonl"), store::keys),
    ("calls left over", |c| c.has("recording.jsonl") && c.expects("unused"), store::left_over),
    ("broken ticket", |c| c.has("recording.jsonl") && c.expects("errored"), command::broken_ticket),
    ("secrets", |c| c.has("recording.jsonl") && c.expects("findings [line"), secret::secrets),
    ("attempts", |c| c.has("recording.jsonl") && c.expects("max_rounds"), store::attempts),
    ("torn recordings", |c| c.part == "replay store" && c.expects("appending to"), store::torn),
    ("large run", |c| c.has("gen_large.py"), store::large_run),
    ("rates", |c| c.has("rates.json"), shown::rates),
    ("columns and cells", |c| c.has("titles.json") && c.has("labels.json"), shown::columns),
    ("charts", |c| c.part == "report" && c.expects("x ticks"), shown::charts),
    ("hostile page", |c| c.part == "report" && c.files == ["findings.json"], page::hostile),
    ("order", |c| c.has("dataset.jsonl") && c.expects("row order"), shown::order),
    ("gates over nothing", |c| c.expects("gate") && c.has("baseline.jsonl"), verdict::verdicts),
    ("exit codes", |c| c.part == "CI" && c.expects("table"), command::exit_codes),
    ("progress", |c| c.part == "CLI" && c.files.is_empty(), command::progress),
    ("ids", |c| c.part == "CLI" && c.files.iter().all(|f| f.ends_with(".csv") || f.ends_with(".jsonl")), command::ids),
];

/// Where ours is not what a case says: case, field, what ours gives, why. Each must be met, and must still differ.
const KNOWN: &[(&str, &str, &str, &str)] = &[
    ("ligature_nfkc", "status", "\"not_found\"", NO_NFKC),
    ("ligature_nfkc", "tier", "\"not_found\"", NO_NFKC),
    ("ligature_nfkc", "spans", "[]", NO_NFKC),
    ("link_text_only", "tier", "\"fuzzy\"", NO_MARKUP),
    ("list_marker_kept_in_quote", "tier", "\"fuzzy\"", NO_MARKUP),
    ("table_cells", "tier", "\"fuzzy\"", NO_MARKUP),
    ("case_and_final_stop", "tier", "\"fuzzy\"", "no case folding: a letter's case is a difference, and a small one"),
    ("elided_swallows_negation", "status", "\"not_found\"", ELIDED),
    ("elided_swallows_negation", "tier", "\"elided_quote\"", ELIDED),
    ("elided_swallows_negation", "spans", "[]", ELIDED),
    ("digit_changed", "status", "\"not_found\"", GUARDED),
    ("digit_changed", "tier", "\"digits_differ\"", GUARDED),
    ("digit_changed", "spans", "[]", GUARDED),
    ("negation_flipped", "status", "\"not_found\"", GUARDED),
    ("negation_flipped", "tier", "\"polarity_differs\"", GUARDED),
    ("negation_flipped", "spans", "[]", GUARDED),
    (
        "A03-combining",
        "q2.best similarity",
        "null",
        "a quotation under 12 characters or 3 words is never fuzzy, so no window is looked for",
    ),
    ("A08-not-verbatim", "q2.best window", r#""Open **Settings → Billing**.""#, SNAPPED),
    ("A08-not-verbatim", "q2.best window char", "[3,31]", SNAPPED),
    ("A08-not-verbatim", "q4.best window", r#""Choose *Cancel plan*""#, SNAPPED),
];

const SNAPPED: &str = "a window snaps to word boundaries, and so takes in the marks that its words stand between";
const NO_NFKC: &str = "normalisation is NFC, never NFKC, and under 0.80 nothing is fuzzy";
const NO_MARKUP: &str = "normalisation takes no markup away; the fuzzy step reads past it and gives the same place";
const ELIDED: &str = "an elision inside makes a quotation elided: dropped with that reason, never located by its pieces";
const GUARDED: &str = "another number or a flipped negation is a drop with its reason, not an anchor with a flag";

fn folder() -> PathBuf {
    std::env::var_os("REDRAFT_CASES").map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cases"), PathBuf::from)
}

fn rows(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.lines().filter(|line| !line.trim().is_empty()).map(|line| serde_json::from_str(line).expect("a row of JSON")).collect()
}

#[test]
fn every_case_is_met() {
    let folder = folder();
    let mut report = Report::default();
    for row in rows(&folder.join("cases.jsonl")) {
        let case = Case::read(&folder, &row);
        let Some((_, _, check)) = SHAPES.iter().find(|(_, fits, _)| fits(&case)) else {
            report.fail(&case.id, &case.part, format!("unknown shape: {}", case.id));
            continue;
        };
        let mut sheet = Sheet::default();
        check(&case, &mut sheet);
        report.add(&case.id, &case.part, &sheet);
    }
    report.end();
}

#[test]
fn every_anchor_row_is_met() {
    let path = folder().join("anchor_cases.jsonl");
    if !path.exists() && std::env::var_os("REDRAFT_CASES").is_some() {
        return;
    }
    let mut report = Report::default();
    for row in rows(&path) {
        let mut sheet = Sheet::default();
        place::row(&row, &mut sheet);
        report.add(row["name"].as_str().expect("a name"), "anchor row", &sheet);
    }
    report.end();
}

/// The same value, but wrong: what a check that looks at it must notice. Words for people stay.
fn wrong(value: &Value) -> Value {
    match value {
        Value::Bool(flag) => (!flag).into(),
        // Not linear, so that a mean of wrong values is not the wrong mean.
        Value::Number(n) => n.as_f64().map(|n| n * n + 3.0).into(),
        Value::String(text) if text.contains(' ') => value.clone(),
        Value::String(text) => format!("{text}-not").into(),
        Value::Null => "not".into(),
        Value::Array(list) => list.iter().map(wrong).collect(),
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), wrong(value))).collect(),
    }
}

#[test]
fn every_expectation_can_fail() {
    let folder = folder();
    let mut blind = vec![];
    for row in rows(&folder.join("cases.jsonl")) {
        let case = Case::read(&folder, &row);
        let shape = SHAPES.iter().find(|(_, fits, _)| fits(&case));
        // The large case is one of counts like the others, and takes too long to be run for each of them.
        let Some((_, _, check)) = shape.filter(|(name, ..)| *name != "large run") else { continue };
        for key in case.expect.keys() {
            let mut bent = Case::read(&folder, &row);
            bent.expect.retain(|other, _| other == key);
            bent.expect[key] = wrong(&case.expect[key]);
            let mut sheet = Sheet::default();
            check(&bent, &mut sheet);
            let open = case.expect[key]["status"].as_str().is_some_and(|status| status.contains("or not_found"));
            if bent.expect[key] != case.expect[key] && !open && sheet.differs.is_empty() && sheet.later.is_empty() {
                blind.push(format!("{}: {key}", case.id));
            }
        }
        let mut odd = Case::read(&folder, &row);
        odd.expect.insert("nobody knows this".into(), Value::Null);
        let mut sheet = Sheet::default();
        check(&odd, &mut sheet);
        if !sheet.differs.iter().any(|d| d.field.ends_with("nobody knows this")) {
            blind.push(format!("{}: an unknown expectation", case.id));
        }
    }
    assert!(blind.is_empty(), "checks that a wrong expectation passes: {blind:#?}");
}

/// The table that is printed, and what makes the test fail.
#[derive(Default)]
struct Report {
    table: String,
    seen: Vec<String>,
    known: Vec<usize>,
    failures: Vec<String>,
    later: usize,
}

impl Report {
    fn line(&mut self, id: &str, part: &str, checks: &str, result: &str, note: &str) {
        self.table += &format!("{id:28} {part:20} {checks:>6}  {result:8} {note}\n");
    }

    fn fail(&mut self, id: &str, part: &str, what: String) {
        self.line(id, part, "-", "differs", &what);
        self.failures.push(what);
    }

    fn add(&mut self, id: &str, part: &str, sheet: &Sheet) {
        self.seen.push(id.to_owned());
        let mut notes = vec![];
        for d in &sheet.differs {
            let known = KNOWN.iter().position(|(case, field, ours, _)| *case == id && *field == d.field && *ours == d.got);
            match known {
                Some(at) => {
                    self.known.push(at);
                    notes.push(format!("known: {}: case {}, ours {} ({})", d.field, d.want, d.got, KNOWN[at].3));
                }
                None => {
                    notes.push(format!("DIFFERS: {}: case {}, ours {}", d.field, d.want, d.got));
                    self.failures.push(format!("{id}: {}: expected {}, got {}", d.field, d.want, d.got));
                }
            }
        }
        let unmet = notes.iter().any(|note| note.starts_with("DIFFERS"));
        let result = if unmet { "differs" } else { "passes" };
        if sheet.checks == 0 {
            self.failures.push(format!("{id}: nothing was checked"));
        }
        self.line(id, part, &sheet.checks.to_string(), result, &sheet.measured.join(", "));
        notes.extend(sheet.later.iter().map(|(field, why)| format!("later: {field}: {why}")));
        self.later += sheet.later.len();
        for note in notes {
            self.table += &format!("{:30}{note}\n", "");
        }
    }

    fn end(mut self) {
        for (at, (id, field, ours, _)) in KNOWN.iter().enumerate() {
            if self.seen.iter().any(|seen| seen == id) && !self.known.contains(&at) {
                self.failures.push(format!("{id}: {field}: no longer {ours}; take it off the list of known differences"));
            }
        }
        println!("{:28} {:20} {:>6}  result\n{}", "case", "part", "checks", self.table);
        println!("{} cases run, {} known differences, {} expectations left for later", self.seen.len(), self.known.len(), self.later);
        assert!(self.failures.is_empty(), "{} failures:\n{}", self.failures.len(), self.failures.join("\n"));
    }
}
