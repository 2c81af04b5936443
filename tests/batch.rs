//! Recording in batches: whole loops stepped by export, answers and import, with results that are shuffled, partial, failing, hostile.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

const LOOP: &str = r#"
version = 1
dataset = "../data"
[model]
provider = "PROVIDER"
name = "m"
params = { max_tokens = 100 }
[prices.m]
input = 1.0
output = 10.0
[writer]
prompt = "W {{ ticket.id }}: {{ ticket.prompt }}"
[critic]
format = "prose"
prompt = "C {{ ticket.id }} pass {{ pass }}: {{ draft }}"
[reviser]
strategy = "whole"
prompt = "R {{ ticket.id }} pass {{ pass }}: {{ draft }} / {{ critique }}"
[bounds]
max_passes = 3
"#;
/// Writer, and three times critic and reviser.
const CALLS_A_RUN: usize = 7;
const TICKETS: usize = 20;

struct Set {
    dir: tempfile::TempDir,
}

impl Set {
    fn new(provider: &str) -> Set {
        let dir = tempfile::tempdir().unwrap();
        let set = Set { dir };
        set.write("data/dataset.toml", "version = 1\nname = \"d\"\n");
        // Ids that no provider would take.
        let line = |n: usize| json!({"id": format!("t {n}/\u{e4}"), "prompt": "Why?"}).to_string() + "\n";
        set.write("data/tickets.jsonl", &(0..TICKETS).map(line).collect::<String>());
        set.write("arm/loop.toml", &LOOP.replace("PROVIDER", provider));
        set
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    fn run(&self, verb: &[&str], more: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_redraft")).args(verb).arg(self.path("arm")).args(more).output().unwrap()
    }

    fn export(&self, more: &[&str]) -> (Option<i32>, Value) {
        json_of(&self.run(&["batch", "export"], &[&["--quiet", "--format", "json"], more].concat()))
    }

    fn import(&self, files: &[&Path]) -> (Option<i32>, Value) {
        let files: Vec<&str> = files.iter().map(|path| path.to_str().unwrap()).collect();
        json_of(&self.run(&["batch", "import"], &[&["--quiet", "--format", "json"], files.as_slice()].concat()))
    }

    fn status(&self) -> (Option<i32>, Value) {
        let (code, status) = json_of(&self.run(&["status"], &["--format", "json"]));
        (code, status["arms"][0].clone())
    }

    fn lines(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.path("arm/calls.jsonl")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn assert_whole(&self) {
        let lines = self.lines();
        let slots: BTreeSet<String> = lines.iter().map(|line| line["slot"].to_string()).collect();
        assert_eq!((lines.len(), slots.len()), (TICKETS * CALLS_A_RUN, TICKETS * CALLS_A_RUN));
        for verb in [&["verify", "--strict"][..], &["replay"], &["status"]] {
            let output = self.run(verb, &[]);
            assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        }
        assert!(!self.path("arm/calls.lock").exists());
    }
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn json_of(output: &Output) -> (Option<i32>, Value) {
    let value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", said(output)));
    (output.status.code(), value)
}

/// The requests of exported files, whatever their form: custom_id and body.
fn requests(exported: &Value) -> Vec<(String, Value)> {
    let mut all = vec![];
    for file in exported["files"].as_array().unwrap() {
        let text = std::fs::read_to_string(file["path"].as_str().unwrap()).unwrap();
        assert_eq!(text.len() as u64, file["bytes"].as_u64().unwrap());
        let whole = serde_json::from_str::<Value>(&text).ok().filter(|whole| whole.get("requests").is_some());
        let lines = match whole {
            Some(whole) => whole["requests"].as_array().unwrap().clone(),
            None => text.lines().map(|line| serde_json::from_str(line).unwrap()).collect(),
        };
        assert_eq!(lines.len() as u64, file["requests"].as_u64().unwrap());
        for line in lines {
            let body = line.get("params").unwrap_or(&line["body"]).clone();
            if line.get("body").is_some() {
                assert!(line["method"] == "POST" && line["url"].as_str().unwrap().starts_with("/v1/"));
            }
            all.push((line["custom_id"].as_str().unwrap().to_owned(), body));
        }
    }
    all
}

/// A result line of the provider, an answer to `body`.
fn answer(provider: &str, id: &str, body: &Value, more: &str) -> Value {
    let asked = body.get("messages").unwrap_or(&body["input"])[0]["content"].as_str().unwrap();
    let text = format!("Answer to {}{more}.", asked.split(':').next().unwrap());
    let message = match provider {
        "anthropic" => {
            let message = json!({"model": "m", "content": [{"type": "text", "text": text}], "stop_reason": "end_turn",
                "usage": {"input_tokens": 50, "output_tokens": 10}});
            return json!({"custom_id": id, "result": {"type": "succeeded", "message": message}});
        }
        "openai-responses" => json!({"model": "m", "status": "completed", "usage": {"input_tokens": 50, "output_tokens": 10},
            "output": [{"type": "message", "content": [{"type": "output_text", "text": text}]}]}),
        _ => json!({"model": "m", "choices": [{"message": {"content": text}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 50, "completion_tokens": 10}}),
    };
    json!({"id": "batch_req_1", "custom_id": id, "response": {"status_code": 200, "request_id": "req_1", "body": message}, "error": null})
}

/// One of the ways in which a batch does not answer.
fn failure(provider: &str, id: &str, way: usize) -> (&'static str, Value) {
    let error = json!({"type": "error", "error": {"type": "invalid_request_error", "message": "no\u{1b}[2J"}});
    let anthropic = |kind: &str, error: Value| json!({"custom_id": id, "result": {"type": kind, "error": error}});
    let coded = |code: &str| json!({"custom_id": id, "response": null, "error": {"code": code, "message": "no"}});
    let answered = |status: u16, body: Value| json!({"custom_id": id, "response": {"status_code": status, "body": body}, "error": null});
    match (way % 4, provider == "anthropic") {
        (0, true) => ("failed", anthropic("errored", error)),
        (0, false) => ("failed", answered(400, json!({"error": {"message": "no\u{1b}[2J"}}))),
        (1, true) => ("expired", anthropic("expired", Value::Null)),
        (1, false) => ("expired", coded("batch_expired")),
        (2, true) => ("cancelled", anthropic("canceled", Value::Null)),
        (2, false) => ("cancelled", coded("batch_cancelled")),
        (_, true) => {
            ("unreadable", json!({"custom_id": id, "result": {"type": "succeeded", "message": {"error": {"message": "upstream"}}}}))
        }
        (_, false) => ("unreadable", answered(200, json!({"error": {"message": "upstream"}}))),
    }
}

fn lines(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

/// An order that has nothing to do with that of the requests, the same every time.
fn shuffle<T>(list: &mut [T], seed: u64) {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    for at in (1..list.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        list.swap(at, (state >> 33) as usize % (at + 1));
    }
}

#[test]
fn a_loop_is_stepped_to_its_end_by_export_answers_and_import() {
    for (provider, more) in [
        ("openai-chat", &[][..]),
        ("openai-responses", &["--max-requests", "7"]),
        ("anthropic", &[]),
        ("anthropic", &["--form", "anthropic-jsonl"]),
    ] {
        let set = Set::new(provider);
        let mut rounds = 0;
        let mut failures = 0;
        loop {
            let (_, status) = set.status();
            let (code, exported) = set.export(more);
            assert_eq!(code, Some(0));
            let asked = requests(&exported);
            assert_eq!(status["missing"]["calls_open"], asked.len(), "the next export is what status says is open");
            assert_eq!(asked.len(), asked.iter().map(|(id, _)| id).collect::<BTreeSet<_>>().len());
            assert!(asked.iter().all(|(id, _)| id.len() <= 64 && id.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))));
            if asked.is_empty() {
                break;
            }
            // The same frontier, the same files.
            assert_eq!(set.export(more).1, exported);
            rounds += 1;
            assert!(rounds < 40);
            let mut want: BTreeMap<&str, usize> = BTreeMap::new();
            let mut results = vec![];
            for (at, (id, body)) in asked.iter().enumerate() {
                match (at + rounds) % 5 {
                    // Not in any file: the download was partial.
                    0 if rounds < 8 => {}
                    1 if rounds < 8 => {
                        let (kind, line) = failure(provider, id, at / 5 + rounds);
                        *want.entry(kind).or_default() += 1;
                        failures += 1;
                        results.push(line);
                    }
                    _ => {
                        *want.entry("answered").or_default() += 1;
                        results.push(answer(provider, id, body, ""));
                    }
                }
            }
            shuffle(&mut results, rounds as u64);
            let cut = results.len() / 2;
            let files = [set.write("out/a.jsonl", &lines(&results[cut..])), set.write("out/b.jsonl", &lines(&results[..cut]))];
            let (code, done) = set.import(&[&files[0], &files[1]]);
            assert_eq!(done["results"], json!(want), "{provider} round {rounds}: {done}");
            assert_eq!(code, Some(if want.len() > 1 || !want.contains_key("answered") { 3 } else { 0 }));
            assert_eq!(done["rows"].as_array().unwrap().len(), results.len() - want.get("answered").unwrap_or(&0));
            // Once more: nothing is recorded twice.
            let before = set.lines().len();
            let (_, again) = set.import(&[&files[1], &files[0]]);
            assert_eq!((again["results"].get("answered"), set.lines().len()), (None, before));
            assert_eq!(again["results"].get("recorded"), want.get("answered").map(|n| json!(n)).as_ref());
        }
        println!("{provider}: {rounds} rounds, {failures} results that were no answer");
        assert!(rounds > CALLS_A_RUN && failures > 20);
        set.assert_whole();
        assert!(set.lines().iter().all(|line| line["meta"]["attempts"] == 1));
    }
}

#[test]
fn all_results_at_once_fill_an_empty_recording() {
    let set = Set::new("openai-chat");
    let mut all = vec![];
    loop {
        let asked = requests(&set.export(&[]).1);
        if asked.is_empty() {
            break;
        }
        let results: Vec<Value> = asked.iter().map(|(id, body)| answer("openai-chat", id, body, "")).collect();
        assert_eq!(set.import(&[&set.write("out.jsonl", &lines(&results))]).0, Some(0));
        all.extend(results);
    }
    set.assert_whole();
    let sorted = |set: &Set| BTreeSet::from_iter(set.lines().iter().map(Value::to_string));
    let before = sorted(&set);
    std::fs::remove_file(set.path("arm/calls.jsonl")).unwrap();
    shuffle(&mut all, 1);
    let (code, done) = set.import(&[&set.write("all.jsonl", &lines(&all))]);
    assert_eq!((code, &done["results"]), (Some(0), &json!({"answered": TICKETS * CALLS_A_RUN})));
    assert_eq!(sorted(&set), before);
    set.assert_whole();
}

#[test]
fn what_does_not_belong_is_listed_and_nothing_of_it_recorded() {
    let set = Set::new("openai-chat");
    let asked = requests(&set.export(&[]).1);
    let line = |at: usize, more: &str| answer("openai-chat", &asked[at].0, &asked[at].1, more);
    let other = Set::new("anthropic");
    other.write("data/tickets.jsonl", "{\"id\":\"other\",\"prompt\":\"Why?\"}\n");
    let foreign = requests(&other.export(&[]).1);
    // Of the same ticket, but the loop asks something else by now.
    let (front, _) = asked[3].0.rsplit_once('-').unwrap();
    let stale = answer("openai-chat", &format!("{front}-0123456789abcdef"), &asked[3].1, "");
    let results = [
        line(0, ""),
        line(0, ""),
        line(0, " another"),
        failure("openai-chat", &asked[1].0, 0).1,
        line(1, ""),
        answer("openai-chat", "T-00001/pass-1/critic/0", &asked[1].1, ""),
        answer("openai-chat", &foreign[0].0, &asked[1].1, ""),
        stale,
        line(2, ""),
    ];
    let mut text = lines(&results);
    text.truncate(text.len() - 30);
    let file = set.write("out.jsonl", &text);
    let (code, done) = set.import(&[&file]);
    assert_eq!(code, Some(3));
    let want = json!({"answered": 2, "repeated": 1, "conflicting": 1, "failed": 1, "unknown": 2, "stale": 1, "cut": 1});
    assert_eq!(done["results"], want, "{done}");
    let rows: Vec<(u64, &str)> =
        done["rows"].as_array().unwrap().iter().map(|row| (row["line"].as_u64().unwrap(), row["kind"].as_str().unwrap())).collect();
    assert_eq!(rows, [(3, "conflicting"), (4, "failed"), (6, "unknown"), (7, "unknown"), (8, "stale"), (9, "cut")]);
    assert_eq!(set.lines().len(), 2);
    assert!(set.lines().iter().all(|line| !line.to_string().contains("another")));
    // In text, each with its place; nothing that steers a terminal.
    let output = set.run(&["batch", "import"], &[file.to_str().unwrap()]);
    let text = said(&output);
    assert!(text.contains(&format!("{}:8: stale {front}-0123456789abcdef: ", file.display())), "{text}");
    assert!(text.contains("5 recorded before") && !text.contains('\u{1b}'), "{text}");

    // A changed prompt makes what is on its way stale.
    let spec = LOOP.replace("PROVIDER", "openai-chat").replace("W {{", "X {{");
    set.write("arm/loop.toml", &spec);
    std::fs::remove_file(set.path("arm/calls.jsonl")).unwrap();
    let (_, done) = set.import(&[&set.write("late.jsonl", &lines(&[line(5, "")]))]);
    assert_eq!((&done["results"], set.lines().len()), (&json!({"stale": 1}), 0));
}

#[test]
fn a_damaged_file_is_an_error_with_its_line_and_nothing_is_written() {
    let set = Set::new("openai-chat");
    let (id, body) = requests(&set.export(&[]).1).remove(0);
    let fine = answer("openai-chat", &id, &body, "").to_string();
    for (bad, want) in [
        ("{\"custom_id\":", "out.jsonl:2: not a complete JSON object"),
        ("[1]", "out.jsonl:2: a list, not an object"),
        ("null", "out.jsonl:2: "),
        ("{\"custom_id\":7}", "out.jsonl:2: custom_id: invalid type"),
        ("{\"id\":\"x\"}", "out.jsonl:2: missing key `custom_id`"),
        ("{\"custom_id\":\"x\"}", "out.jsonl:2: expected a batch result with `response` or `error`"),
        ("{\"custom_id\":\"x\",\"response\":{\"status_code\":70000,\"body\":{}}}", "out.jsonl:2: response.status_code: invalid value"),
        (
            "{\"custom_id\":\"x\",\"result\":{\"type\":\"expired\"}}",
            "out.jsonl:2: `result` is of Anthropic's batches; this arm asks openai-chat",
        ),
    ] {
        let file = set.write("out.jsonl", &format!("{fine}\n{bad}\n{fine}\n"));
        let output = set.run(&["batch", "import"], &[file.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(2), "{bad}");
        assert!(said(&output).contains(want), "{bad}: {}", said(&output));
        assert!(!set.path("arm/calls.jsonl").exists(), "{bad}");
    }
    let output = set.run(&["batch", "import"], &[set.dir.path().to_str().unwrap()]);
    assert!(output.status.code() == Some(2) && said(&output).contains("is a folder"));
    let empty = set.write("empty.jsonl", "");
    assert_eq!(set.import(&[&empty]).1["results"], json!({}));
}

#[test]
fn files_are_split_at_their_limits_and_by_model() {
    let set = Set::new("openai-chat");
    let spec = LOOP.replace("PROVIDER", "openai-chat").replace("[critic]\n", "[critic]\nmodel = \"n\"\n");
    set.write("arm/loop.toml", &spec);
    let first = requests(&set.export(&["--first", "5"]).1);
    let results: Vec<Value> = first.iter().map(|(id, body)| answer("openai-chat", id, body, "")).collect();
    assert_eq!(set.import(&[&set.write("out.jsonl", &lines(&results))]).0, Some(0));
    // Five critics of one model, fifteen writers of another.
    let (_, whole) = set.export(&[]);
    let counts = |exported: &Value| -> Vec<u64> {
        exported["files"].as_array().unwrap().iter().map(|file| file["requests"].as_u64().unwrap()).collect()
    };
    assert_eq!((counts(&whole), &whole["requests"]), (vec![15, 5], &json!([15, 5, 0])));
    for file in whole["files"].as_array().unwrap() {
        let models = requests(&json!({"files": [file]})).into_iter().map(|(_, body)| body["model"].to_string());
        assert_eq!(models.collect::<BTreeSet<_>>().len(), 1);
    }
    let all = |exported: &Value| requests(exported).into_iter().map(|(id, _)| id).collect::<BTreeSet<_>>();
    let (_, split) = set.export(&["--max-requests", "4"]);
    assert_eq!((counts(&split), all(&split)), (vec![4, 4, 4, 3, 4, 1], all(&whole)));
    let out = set.path("my/next.jsonl");
    let (_, split) = set.export(&["--max-bytes", "1000", "--out", out.to_str().unwrap()]);
    let files = split["files"].as_array().unwrap();
    assert!(files.len() > 4 && files.iter().all(|file| file["bytes"].as_u64().unwrap() <= 1000));
    assert_eq!(files[0]["path"], set.path(&format!("my/next-1of{}.jsonl", files.len())).to_str().unwrap());
    assert_eq!(all(&split), all(&whole));
    // What is there is not written over, and a request that fits no file is named.
    let output = set.run(&["batch", "export"], &["--max-bytes", "1000", "--out", out.to_str().unwrap()]);
    assert!(output.status.code() == Some(2) && said(&output).contains("already there"), "{}", said(&output));
    let output = set.run(&["batch", "export"], &["--max-bytes", "100"]);
    assert!(
        output.status.code() == Some(2) && said(&output).contains("ticket t 0/\u{e4}: critic pass 1: the request has"),
        "{}",
        said(&output)
    );
}

#[test]
fn an_export_tells_price_and_secrets_and_refuses_other_forms() {
    let set = Set::new("openai-chat");
    let key = format!("sk-{}", "a1".repeat(12));
    set.write("data/tickets.jsonl", &format!("{}\n", json!({"id": "t", "prompt": format!("Why {key}? Ask bob@corp.example.net")})));
    let output = set.run(&["batch", "export"], &[]);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("warning: the requests hold what looks like 1 api_key") && !text.contains(&key), "{text}");
    assert!(text.contains("0 of 1 runs complete; 1 calls open (1 writer)") && text.contains("at most 100 out"), "{text}");
    // A writer's request has fewer than 200 bytes: at most 200 * $1 and 100 * $10 a million, halved.
    assert!(text.contains("at half the prices of loop.toml: at most $0.0005"), "{text}");
    for (provider, more, want) in [
        ("gemini", &[][..], "there is no batch form for gemini"),
        ("openai-chat", &["--form", "anthropic"], "--form anthropic does not take requests of model.provider openai-chat"),
    ] {
        set.write("arm/loop.toml", &LOOP.replace("PROVIDER", provider));
        let output = set.run(&["batch", "export"], more);
        assert!(output.status.code() == Some(2) && said(&output).contains(want), "{}", said(&output));
    }
    set.write("arm/loop.toml", &LOOP.replace("PROVIDER", "openai-chat").replace("max_tokens = 100", "stream = true"));
    let output = set.run(&["batch", "export"], &[]);
    assert!(output.status.code() == Some(2) && said(&output).contains("stream = true"), "{}", said(&output));
}

#[test]
fn a_recorder_at_work_is_not_disturbed() {
    let set = Set::new("openai-chat");
    let (id, body) = requests(&set.export(&[]).1).remove(0);
    let file = set.write("out.jsonl", &lines(&[answer("openai-chat", &id, &body, "")]));
    let lock = redraft::record::lock::Lock::take(&set.path("arm")).unwrap();
    let output = set.run(&["batch", "import"], &[file.to_str().unwrap()]);
    assert!(output.status.code() == Some(2) && said(&output).contains("another recorder"), "{}", said(&output));
    drop(lock);
    assert_eq!(set.import(&[&file]).0, Some(0));
}
