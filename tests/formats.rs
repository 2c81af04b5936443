//! File formats: one kept fixture per version stays readable for ever, the JSON Schemas say what the readers say, and errors name place and cure.

#[path = "formats/errors.rs"]
mod errors;

use std::path::{Path, PathBuf};
use std::process::Command;

use redraft::arm::LoopFile;
use redraft::dataset::{About, Dataset, TicketLine};
use redraft::gate::policy::{Margin, Mode, PolicyFile, Worse};
use redraft::gate::{Gate, OnInconclusive, Policy, Verdict};
use redraft::label::{Answer, Defect, Label, Labels, Verdict as LabelVerdict};
use redraft::ledger::{Header, Reader, RunLine};
use redraft::metric::{Cell, Measured, column_at};
use redraft::model::{CritiqueStatus, EditStatus, FaultKind, ParseReason, Run, Span, Stop, Tier, Usd};
use redraft::replay::{Options, Prepared};
use redraft::table::Reader as Table;
use redraft::tape::CallLine;
use serde_json::{Map, Value, json};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn kept(name: &str) -> PathBuf {
    Path::new(ROOT).join("tests/data/formats/v1").join(name)
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

// ---- Kept fixtures.

#[test]
fn a_dataset_of_version_1_reads_as_ever() {
    let set = Dataset::open(&kept("dataset")).unwrap();
    assert_eq!((set.about.name.as_str(), set.about.licence.as_str(), set.count), ("formats", "MIT OR Apache-2.0", 2));
    let mut tickets = set.tickets().unwrap();
    let first = set.read(&tickets.next().unwrap().unwrap()).unwrap();
    assert_eq!((first.id.as_str(), first.prompt.as_str(), first.checks.len()), ("T1", "How long does a refund take?", 0));
    let second = set.read(&tickets.next().unwrap().unwrap()).unwrap();
    assert_eq!((second.sources[0].title.as_str(), second.sources[1].text.as_str()), ("Fees", "Evidence is due within 10 days."));
    let ids: Vec<&str> = second.checks.iter().map(|check| check.id.as_str()).collect();
    assert_eq!(ids, ["c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9"]);
    assert_eq!((second.checks[0].required, second.checks[1].required, second.checks[1].class.as_deref()), (false, true, Some("overreach")));
    assert_eq!((second.defects[0].class.as_str(), second.defects[0].quote.as_deref(), second.tags.len()), ("vague", Some("soon"), 2));
    assert_eq!(Value::Object(second.fields), json!({"customer": "Noor", "nested": {"any": [1, 2, null]}}));
    assert!(tickets.next().unwrap().is_none());
}

#[test]
fn a_dataset_with_json_checks_and_a_defect_without_a_place_reads_as_ever() {
    let set = Dataset::open(&kept("dataset-checks")).unwrap();
    let ticket = set.read(&set.tickets().unwrap().next().unwrap().unwrap()).unwrap();
    let holds = |draft: &str| -> Vec<bool> {
        let reading = redraft::text::check::Reading::new(draft);
        ticket.checks.iter().map(|check| reading.holds(&check.rule)).collect()
    };
    assert_eq!(ticket.checks[1].class.as_deref(), Some("wrong_form"));
    assert_eq!(
        (holds("{\"total\": 3}"), holds("{\"sum\": 3}"), holds("3")),
        (vec![true; 3], vec![true, false, true], vec![false, false, true])
    );
    let defects: Vec<_> = ticket.defects.iter().map(|defect| (defect.class.as_str(), defect.quote.as_deref())).collect();
    assert_eq!(defects, [("over_length", None), ("vague", Some("soon"))]);
}

#[test]
fn a_loop_and_calls_of_version_1_replay_as_ever() {
    let prepared = Prepared::open(&kept("arm")).unwrap();
    let spec = &prepared.program.spec;
    assert_eq!((spec.samples, spec.threshold, spec.growth, spec.max_passes, spec.max_calls), (1, 0.8, 15, 1, Some(9)));
    assert_eq!(
        (spec.critic.prompt.as_str(), spec.max_cost),
        ("Read the draft. Reply APPROVED or a list of findings.\n{{ draft }}\n", Usd::parse("0.5"))
    );
    assert_eq!((spec.rules.severities.len(), spec.critic.params["seed"].as_u64(), spec.trim), (3, Some(7), true));
    assert_eq!((prepared.recording.calls, &prepared.recording.torn), (6, &None));
    let mut runs = vec![];
    let keep = |made: Vec<Run>| {
        runs.extend(made);
        Ok(())
    };
    prepared.each(&Options::default(), |_, made| made, keep).unwrap();
    let told = |run: &Run| (run.ticket.clone(), run.stop, run.fault.is_none(), run.unused.len(), run.passes.len());
    assert_eq!(
        runs.iter().map(told).collect::<Vec<_>>(),
        [("T1".into(), Stop::Approved, true, 0, 2), ("T2".into(), Stop::MaxPasses, true, 0, 3)]
    );
    assert_eq!(runs[1].drafts().last(), Some((1, "Dear Noor,\n\nthe dispute costs you a fee of $20.00, due on 4 May 2026.\n\nBye.")));
    let call = &runs[1].passes[0].calls[0];
    assert_eq!(
        (call.attempts, call.usage.map(|u| (u.input, u.cached, u.output)), call.cost),
        (2, Some((40, 8, 12)), Usd::parse("0.0000126"))
    );
}

#[test]
fn a_ledger_of_version_1_reads_as_ever() {
    let path = kept("arm/ledger.jsonl");
    let text = read(&path);
    let mut reader = Reader::open(&path, text.as_bytes()).unwrap();
    assert_eq!(
        (reader.header.arm.as_str(), reader.header.dataset.as_str(), reader.header.synthetic.as_str()),
        ("arm", "formats", "answers written by hand")
    );
    let mut runs = vec![];
    while let Some(run) = reader.next().unwrap() {
        runs.push(run);
    }
    assert_eq!(runs.iter().map(|run| (run.ticket.as_str(), run.sample)).collect::<Vec<_>>(), [("T1", 0), ("T2", 0), ("T3", 1)]);
    let (second, third) = (&runs[1], &runs[2]);
    assert_eq!(
        second.fault.as_ref().map(|f| (f.kind, f.at.as_str(), f.what.as_str())),
        Some((FaultKind::Mismatch, "critic pass 2", "temperature: 0 -> 0.7"))
    );
    assert_eq!(second.unused.iter().map(ToString::to_string).collect::<Vec<_>>(), ["judge pass 3 n 1"]);
    let findings = second.passes[1].critique.as_ref().unwrap().findings.as_ref().unwrap();
    assert_eq!(findings[0].anchor.as_ref().map(|a| (a.tier, a.spans.clone())), Some((Tier::Exact, vec![Span::new(24, 54)])));
    assert_eq!(findings[1].drop.map(|d| (d.reason.name(), d.similarity)), Some(("digits_differ", Some(0.9761904761904762))));
    assert_eq!(second.passes[2].critique.as_ref().map(|c| c.status), Some(CritiqueStatus::ParseError(ParseReason::NoJson)));
    assert_eq!(second.passes[1].edits[0].before, second.passes[0].draft.clone().unwrap());
    assert_eq!(third.passes[1].critique.as_ref().unwrap().quotations[0].spans, [Span::new(18, 26)]);
    let edits = &third.passes[2].edits;
    assert_eq!(
        (edits[0].status, edits[0].guards.rejected.is_some(), edits[1].status),
        (Some(EditStatus::Applied), true, Some(EditStatus::NotFound))
    );
    assert_eq!(
        (edits[1].before.as_str(), third.passes[2].calls[0].attempts),
        ("One fee. One fee. Two days.", 1),
        "the guard reverted the first edit"
    );
}

#[test]
fn a_ledger_of_several_arms_reads_as_ever() {
    let path = kept("arms.jsonl");
    let text = read(&path);
    let open = || Reader::open(&path, text.as_bytes()).unwrap();
    let headers = open().headers().unwrap();
    let told = |header: &Header| (header.arm.clone(), header.recording_digest.clone(), header.spec["bounds"]["max_passes"].clone());
    assert_eq!(
        headers.iter().map(told).collect::<Vec<_>>(),
        [("first".into(), "9b96d87e0a157c42194e8c9495612b9f".into(), json!(1)), ("second/of two".into(), String::new(), json!(1))]
    );
    let mut reader = open();
    let mut runs = vec![];
    while let Some(run) = reader.next().unwrap() {
        runs.push((reader.header.arm.clone(), run.ticket, run.sample));
    }
    let want = [("first", "T1", 0), ("first", "T2", 0), ("second/of two", "T3", 1)];
    assert_eq!(runs, want.map(|(arm, ticket, sample)| (arm.to_owned(), ticket.to_owned(), sample)));
    let mut second = open();
    assert!(second.go_to("second/of two").unwrap());
    assert_eq!(second.next().unwrap().map(|run| run.ticket), Some("T3".into()));
    assert!(!open().go_to("third").unwrap());
}

#[test]
fn a_table_of_version_1_reads_as_ever() {
    let cell = |run: &Measured, pass: usize, name: &str| run.rows[pass].cell(column_at(name).unwrap()).clone();
    for name in ["table/table.parquet", "table/table.csv"] {
        let table = Table::open(&kept(name)).unwrap();
        assert_eq!(table.arms(), ["arm"]);
        let header = table.header("arm").map(|header| (header.dataset.as_str(), header.spec["critic"]["format"].clone()));
        assert_eq!(header, name.ends_with("parquet").then(|| ("formats", json!("findings"))));
        let mut tickets = vec![];
        let mut keep = |ticket: Vec<Measured>| {
            tickets.extend(ticket);
            Ok(())
        };
        table.each("arm", &mut keep).unwrap();
        let told = |run: &Measured| (run.ticket.clone(), run.sample, run.stop, run.fault.clone(), run.rows.len(), run.repairs.clone());
        assert_eq!(
            tickets.iter().map(told).collect::<Vec<_>>(),
            [("T1".into(), 0, Stop::Approved, None, 2, vec![]), ("T2".into(), 0, Stop::MaxPasses, None, 3, vec!["fence".to_owned()])]
        );
        let second = &tickets[1];
        assert_eq!(
            [cell(second, 1, "emitted"), cell(second, 2, "emitted"), cell(second, 2, "parse_reason"), cell(second, 1, "unreadable")],
            [Cell::Int(3), Cell::Null, Cell::from("no_json"), Cell::Flag(false)]
        );
        assert_eq!(cell(second, 0, "cost_usd"), Cell::Usd(Usd::parse("0.0000126").unwrap()));
    }
}

#[test]
fn a_gate_of_version_1_reads_as_ever() {
    let path = kept("gate/gate.toml");
    let policy = Policy::parse(&path, &read(&path)).unwrap();
    assert_eq!((policy.baseline.as_deref(), policy.alpha, policy.min_share), (Some("table.parquet@first"), 0.01, 0.25));
    assert_eq!((policy.mode, policy.on_inconclusive), (Mode::Paired, OnInconclusive::Pass));
    assert_eq!((policy.max_errored, policy.max_missing), (2, 3));
    let metrics: Vec<(&str, Margin, Worse)> = policy.metrics.iter().map(|m| (m.figure.name, m.margin, m.worse)).collect();
    assert_eq!(
        metrics,
        [
            ("run_new_error", Margin::Amount(0.02), Worse::Higher),
            ("chars_changed", Margin::Amount(50.0), Worse::Higher),
            ("cost_usd", Margin::Amount(0.001), Worse::Higher),
            ("calls", Margin::Relative(0.1), Worse::Higher),
        ]
    );
    let path = kept("gate/gate.json");
    let gate = Gate::parse(&path, read(&path).as_bytes()).unwrap();
    let verdicts: Vec<(&str, Verdict)> = gate.metrics.iter().map(|m| (m.figure.as_str(), m.verdict)).collect();
    assert_eq!(
        verdicts,
        [
            ("run_new_error", Verdict::Regressed),
            ("chars_changed", Verdict::Inconclusive),
            ("cost_usd", Verdict::Pass),
            ("calls", Verdict::Inconclusive)
        ]
    );
    assert_eq!((gate.verdict, gate.exact, gate.alpha, gate.metrics[0].tickets.len()), (Verdict::Regressed, false, 0.01, 11));
    assert_eq!(gate.to_json(), read(&path));
}

#[test]
fn labels_of_version_1_read_as_ever() {
    let labels = Labels::read(&kept("labels.jsonl")).unwrap();
    let told = |label: &Label| (label.line, label.place.to_string(), label.rater.to_string(), label.answer.clone());
    let want = |line, place: &str, rater: &str, answer| (Some(line), place.to_owned(), rater.to_owned(), answer);
    let defect = |class: &str, quote: &str| Defect { class: class.into(), quote: quote.into() };
    assert_eq!(
        labels.all.iter().map(told).collect::<Vec<_>>(),
        [
            want(2, "T2 pass 1 sample 1 finding 2", "judge:some-model:7b", Answer::Verdict(LabelVerdict::Unsure)),
            want(3, "T2 pass 2 mention", "model-reader:reader-1", Answer::Sections(vec![0, 2])),
            want(4, "T1 pass 0 defect", "planted", Answer::Defects(vec![defect("vague", "soon"), defect("missing_precondition", "")])),
            want(5, "T1 pass 0 draft", "human:bo", Answer::Verdict(LabelVerdict::Incorrect)),
            want(6, "T2 pass 1 finding 1", "human:ana", Answer::Verdict(LabelVerdict::Spurious)),
        ]
    );
    assert_eq!((labels.replaced, labels.torn, labels.all[1].arm.as_deref()), (1, None, Some("arm")));
}

// ---- Schemas.

fn schema(name: &str) -> jsonschema::Validator {
    let output = Command::new(env!("CARGO_BIN_EXE_redraft")).args(["schema", name]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let schema: Value = serde_json::from_slice(&output.stdout).unwrap();
    jsonschema::meta::validate(&schema).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

/// A format's schema name, and whether its reader takes a document.
type Format = (&'static str, fn(&str) -> bool);

const FORMATS: [Format; 8] = [
    ("dataset", |text| serde_json::from_str::<About>(text).is_ok()),
    ("ticket", |text| serde_json::from_str::<TicketLine>(text).is_ok()),
    ("loop", |text| serde_json::from_str::<LoopFile>(text).is_ok()),
    ("call", |text| serde_json::from_str::<CallLine<'_>>(text).is_ok()),
    ("label", |text| redraft::label::line(Path::new("labels.jsonl"), 1, text.as_bytes()).is_ok()),
    ("ledger-header", |text| serde_json::from_str::<Header>(text).is_ok()),
    ("ledger-run", |text| serde_json::from_str::<RunLine<'_>>(text).is_ok()),
    ("gate-policy", |text| serde_json::from_str::<PolicyFile>(text).is_ok()),
];

fn lines(path: &Path) -> Vec<Value> {
    read(path).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn toml(path: &Path) -> Value {
    redraft::toml::read(path, &read(path)).unwrap()
}

/// The kept documents of a format.
fn kept_documents(format: &str) -> Vec<Value> {
    match format {
        "dataset" => vec![toml(&kept("dataset/dataset.toml"))],
        "ticket" => [lines(&kept("dataset/tickets.jsonl")), lines(&kept("dataset-checks/tickets.jsonl"))].concat(),
        "loop" => vec![toml(&kept("arm/loop.toml"))],
        "call" => lines(&kept("arm/calls.jsonl")),
        "label" => lines(&kept("labels.jsonl")),
        "ledger-header" => lines(&kept("arm/ledger.jsonl")).into_iter().take(1).collect(),
        "ledger-run" => lines(&kept("arm/ledger.jsonl")).into_iter().skip(1).collect(),
        "gate-policy" => vec![toml(&kept("gate/gate.toml"))],
        other => panic!("no kept document of {other}"),
    }
}

/// Files of this name under a folder of the repository, in order.
fn files(folder: &str, name: &str) -> Vec<PathBuf> {
    let mut open = vec![Path::new(ROOT).join(folder)];
    let mut found = vec![];
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => open.push(path),
                false if path.file_name().is_some_and(|file| file == name) => found.push(path),
                false => {}
            }
        }
    }
    found.sort();
    found
}

#[test]
fn the_schemas_take_every_shipped_file_line_by_line() {
    let check = |format: &str, path: &Path, documents: Vec<Value>| {
        let validator = schema(format);
        for (at, document) in documents.iter().enumerate() {
            if let Err(error) = validator.validate(document) {
                panic!("{}:{}: {error} at {}", path.display(), at + 1, error.instance_path());
            }
        }
        documents.len()
    };
    let (mut set_count, mut tickets, mut labels, mut loops, mut calls, mut runs) = (0, 0, 0, 0, 0, 0);
    for path in files("datasets", "dataset.toml") {
        set_count += check("dataset", &path, vec![toml(&path)]);
    }
    for path in files("datasets", "tickets.jsonl") {
        tickets += check("ticket", &path, lines(&path));
    }
    for path in files("datasets", "labels.jsonl") {
        labels += check("label", &path, lines(&path));
    }
    for folder in ["recordings", "tests/data/replay"] {
        for path in files(folder, "loop.toml") {
            loops += check("loop", &path, vec![toml(&path)]);
            let arm = path.parent().unwrap();
            if arm.join("calls.jsonl").exists() {
                calls += check("call", &path, lines(&arm.join("calls.jsonl")));
            }
            let mut made = vec![];
            let prepared = Prepared::open(arm).unwrap();
            let ledger = |_: &_, runs: Vec<Run>| runs.iter().flat_map(redraft::ledger::run_line).collect::<Vec<u8>>();
            let keep = |bytes: Vec<u8>| {
                made.extend(bytes);
                Ok(())
            };
            prepared.each(&Options::default(), ledger, keep).unwrap();
            let documents = made.split(|b| *b == b'\n').filter(|l| !l.is_empty()).map(|l| serde_json::from_slice(l).unwrap()).collect();
            runs += check("ledger-run", &path, documents);
        }
    }
    println!("{set_count} datasets, {tickets} tickets, {labels} labels, {loops} loops, {calls} calls, {runs} runs");
    assert!(set_count >= 2 && tickets >= 100 && loops >= 15 && calls >= 1000 && runs >= 300);
}

/// Every way to add one unknown key to a document, with the place of it.
fn with_unknown_key(document: &Value) -> Vec<(String, Value)> {
    fn places(value: &Value, at: &str, out: &mut Vec<String>) {
        match value {
            Value::Object(map) => {
                out.push(at.to_owned());
                map.iter().for_each(|(key, value)| places(value, &format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), out));
            }
            Value::Array(list) => list.iter().enumerate().for_each(|(i, value)| places(value, &format!("{at}/{i}"), out)),
            _ => {}
        }
    }
    let mut all = vec![];
    places(document, "", &mut all);
    let add = |at: String| {
        let mut changed = document.clone();
        let object: &mut Map<String, Value> = changed.pointer_mut(&at).unwrap().as_object_mut().unwrap();
        object.insert("nonsense".into(), json!("x"));
        (at, changed)
    };
    all.into_iter().map(add).collect()
}

/// Objects that are free by design: the JSON Schema of a check, the provider's own JSON, templates' values, and names that people choose.
fn is_free(format: &str, at: &str) -> bool {
    let free: &[&str] = match format {
        "ticket" => &["/fields"],
        "loop" => &["/parts", "/model/params", "/writer/params", "/critic/params", "/reviser/params"],
        "call" => &["/request/body", "/response/body", "/response/headers"],
        "ledger-header" => &["/spec"],
        _ => &[],
    };
    let schema = format == "ticket" && at.contains("/value");
    schema || free.iter().any(|free| at == *free || at.starts_with(&format!("{free}/"))) || (format == "ledger-run" && at.contains("/raw"))
}

#[test]
fn schemas_and_readers_refuse_the_same_unknown_keys() {
    let mut wrong = std::collections::BTreeSet::new();
    for (format, reads) in FORMATS {
        let validator = schema(format);
        for document in kept_documents(format) {
            assert!(validator.is_valid(&document) && reads(&document.to_string()), "{format}: {document}");
            for (at, changed) in with_unknown_key(&document) {
                let part = |part: &str| if part.parse::<usize>().is_ok() { "/N".to_owned() } else { format!("/{part}") };
                let place: String = at.split('/').skip(1).map(part).collect();
                let free = is_free(format, &at);
                let (valid, read) = (validator.is_valid(&changed), reads(&changed.to_string()));
                if (valid, read) != (free, free) {
                    wrong.insert(format!("{format}: a key `nonsense` in `{place}`: schema takes it: {valid}, reader takes it: {read}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn schemas_ask_for_what_the_readers_need() {
    for (format, reads) in FORMATS {
        let validator = schema(format);
        for document in kept_documents(format) {
            for key in document.as_object().unwrap().keys() {
                let mut changed = document.clone();
                changed.as_object_mut().unwrap().remove(key);
                assert_eq!(validator.is_valid(&changed), reads(&changed.to_string()), "{format} without `{key}`");
                let mut changed = document.clone();
                changed[key] = json!([[null]]);
                assert_eq!(validator.is_valid(&changed), reads(&changed.to_string()), "{format} with another type of `{key}`");
            }
        }
    }
}
