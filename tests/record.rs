//! Live recording against a provider on loopback that fails in every way: what is retried, what is kept, what stops, and what survives a kill.

#![cfg(feature = "record")]

#[path = "record/stub.rs"]
mod stub;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use stub::{Act, Request, Stub, gzip};

const KEY: &str = "sk-test-0123456789-secret";
const LOOP: &str = r#"
version = 1
dataset = "../data"
[model]
provider = "openai-chat"
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
max_passes = 2
"#;
/// Writer, and twice critic and reviser.
const CALLS_A_RUN: usize = 5;

struct Set {
    dir: tempfile::TempDir,
}

impl Set {
    fn new(tickets: usize) -> Set {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("data/dataset.toml", "version = 1\nname = \"d\"\n");
        let line = |n: usize| json!({"id": format!("t{n}"), "prompt": "Why?"}).to_string() + "\n";
        write("data/tickets.jsonl", &(0..tickets).map(line).collect::<String>());
        write("arm/loop.toml", LOOP);
        Set { dir }
    }

    fn arm(&self) -> PathBuf {
        self.dir.path().join("arm")
    }

    fn command(&self, stub: &Stub, more: &[&str]) -> Command {
        let mut command = redraft();
        command.arg("record").arg(self.arm()).args(["--base-url", &stub.url, "--key-env", "MY_KEY", "--backoff-ms", "20", "--yes"]);
        command.args(more).env("MY_KEY", KEY).stdin(Stdio::null());
        command
    }

    fn record(&self, stub: &Stub, more: &[&str]) -> Output {
        self.command(stub, more).output().unwrap()
    }

    /// The summary that `--format json` prints.
    fn summary(&self, stub: &Stub, more: &[&str]) -> (Option<i32>, Value) {
        let output = self.record(stub, &[&["--quiet", "--format", "json"], more].concat());
        let text = String::from_utf8_lossy(&output.stdout);
        (output.status.code(), serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text} {}", said(&output))))
    }

    fn lines(&self, name: &str) -> Vec<Value> {
        let text = std::fs::read_to_string(self.arm().join(name)).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn run(&self, verb: &[&str]) -> Output {
        redraft().arg(verb[0]).arg(self.arm()).args(&verb[1..]).output().unwrap()
    }

    /// Complete, every slot once, every key right, every call asked for.
    fn assert_whole(&self, tickets: usize) {
        let lines = self.lines("calls.jsonl");
        let slots: BTreeSet<String> = lines.iter().map(|line| line["slot"].to_string()).collect();
        assert_eq!((lines.len(), slots.len()), (tickets * CALLS_A_RUN, tickets * CALLS_A_RUN));
        let verify = self.run(&["verify", "--strict"]);
        assert_eq!(verify.status.code(), Some(0), "{}", said(&verify));
        let replay = self.run(&["replay"]);
        assert_eq!(replay.status.code(), Some(0), "{}", said(&replay));
        assert!(!self.arm().join("calls.lock").exists());
    }

    /// No file of the set holds the key.
    fn assert_no_key(&self, outputs: &[&Output]) {
        fn files(dir: &Path) -> Vec<PathBuf> {
            let all = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
            all.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
        }
        for file in files(self.dir.path()) {
            assert!(!String::from_utf8_lossy(&std::fs::read(&file).unwrap()).contains(KEY), "{}", file.display());
        }
        outputs.iter().for_each(|output| assert!(!said(output).contains(KEY)));
    }
}

fn redraft() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_redraft"));
    for name in ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        command.env_remove(name);
    }
    command
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Who is asked in this request: `W t0`, `C t0 pass 1` ...
fn prompt(request: &Request) -> String {
    let body: Value = serde_json::from_str(&request.body).unwrap();
    let text = body["messages"][0]["content"].as_str().unwrap();
    text.split(':').next().unwrap().to_owned()
}

/// A whole answer to the request.
fn answer(request: &Request) -> Vec<u8> {
    let text = format!("Answer to {}.", prompt(request));
    let body = json!({
        "model": "m", "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 50, "completion_tokens": 10},
    });
    // As many providers write it, over several lines.
    serde_json::to_string_pretty(&body).unwrap().into_bytes()
}

fn fine(request: &Request) -> Act {
    Act::Answer(200, vec![("x-request-id", "r1".into()), ("set-cookie", "c=1".into())], answer(request))
}

fn error(status: u16, headers: &[(&'static str, &str)], code: &str) -> Act {
    let body = json!({"error": {"message": format!("no: {code}, {KEY}"), "code": code}}).to_string();
    Act::Answer(status, headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect(), body.into_bytes())
}

fn http_date(after: Duration) -> String {
    let seconds = (SystemTime::now() + after).duration_since(UNIX_EPOCH).unwrap().as_secs();
    let text = Command::new("date").args(["-u", "-d", &format!("@{seconds}"), "+%a, %d %b %Y %H:%M:%S GMT"]).env("LC_ALL", "C").output();
    String::from_utf8(text.unwrap().stdout).unwrap().trim().to_owned()
}

/// Every way to fail once and then answer: the first attempt's act, and the least wait before the second.
fn hiccup(ticket: &str, request: &Request) -> Option<Act> {
    Some(match ticket {
        "t0" => error(429, &[("retry-after", "1")], "rate_limit_exceeded"),
        "t1" => error(429, &[("retry-after", &http_date(Duration::from_secs(2)))], "rate_limit_exceeded"),
        "t2" => error(429, &[("retry-after-ms", "300"), ("retry-after", "60")], "rate_limit_exceeded"),
        "t3" => error(529, &[], "overloaded_error"),
        "t4" => error(500, &[], "server_error"),
        "t5" => Act::Stall(answer(request), Duration::from_secs(3)),
        "t6" => Act::Cut(answer(request)),
        "t7" => Act::Answer(200, vec![], b"<html>wrong</html>".to_vec()),
        "t8" => Act::Reset,
        "t9" => error(503, &[("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", "300ms")], "busy"),
        "t10" => Act::Answer(200, vec![], br#"{"error": {"message": "upstream", "code": 502}}"#.to_vec()),
        _ => return None,
    })
}

#[test]
fn what_may_go_better_is_tried_again_and_the_wait_is_what_was_asked_for() {
    let set = Set::new(12);
    let stub = Stub::start(|request| {
        let asked = prompt(request);
        match asked.strip_prefix("W ").filter(|_| request.again == 0).and_then(|ticket| hiccup(ticket, request)) {
            Some(act) => act,
            // One answer comes packed.
            None if asked == "W t11" => Act::Answer(200, vec![("content-encoding", "gzip".into())], gzip(&answer(request))),
            None => fine(request),
        }
    });
    // One at a time, so that a wait is the asked one's alone.
    let (code, summary) = set.summary(&stub, &["--concurrency", "1", "--timeout", "0.7"]);
    assert_eq!((code, &summary["calls_failed"], &summary["complete"]), (Some(0), &json!(0), &json!(12)), "{summary}");
    assert_eq!((&summary["requests"], &summary["calls_answered"]), (&json!(60 + 11), &json!(60)), "{summary}");
    let requests = stub.requests();
    let wait = |ticket: &str| {
        let at: Vec<_> = requests.iter().filter(|r| prompt(r) == format!("W {ticket}")).map(|r| r.at).collect();
        assert_eq!(at.len(), 2, "{ticket}");
        (at[1] - at[0]).as_millis()
    };
    assert!((1000..3000).contains(&wait("t0")), "{}", wait("t0"));
    // A date has whole seconds, so the second is up to one second early.
    assert!((900..4000).contains(&wait("t1")), "{}", wait("t1"));
    assert!((300..2000).contains(&wait("t2")), "{}", wait("t2"));
    assert!((300..2000).contains(&wait("t9")), "{}", wait("t9"));
    assert!((700..2500).contains(&wait("t5")), "{}", wait("t5"));
    for quick in ["t3", "t4", "t6", "t7", "t8", "t10"] {
        assert!(wait(quick) < 900, "{quick}: {}", wait(quick));
    }
    set.assert_whole(12);
    set.assert_no_key(&[]);
    let lines = set.lines("calls.jsonl");
    let of = |ticket: &str| lines.iter().find(|l| l["slot"]["ticket"] == ticket && l["slot"]["role"] == "writer").unwrap();
    assert_eq!(of("t3")["meta"]["attempts"], 2);
    assert_eq!(of("t11")["response"].get("headers"), None);
    assert_eq!(of("t0")["response"]["headers"], json!({"x-request-id": "r1"}));
    assert_eq!(of("t0")["request"]["endpoint"], "/v1/chat/completions");
    assert!(requests.iter().all(|r| r.headers["authorization"] == format!("Bearer {KEY}") && r.path == "/v1/chat/completions"));
}

#[test]
fn a_call_that_fails_for_good_is_data_and_is_tried_again_by_the_next_run() {
    let set = Set::new(4);
    let bad = Stub::start(|request| match prompt(request).as_str() {
        "W t0" => error(400, &[], "bad_request"),
        "C t1 pass 1" => error(500, &[], "server_error"),
        "W t2" => Act::Answer(200, vec![], "no JSON: \u{e9}\n".as_bytes().to_vec()),
        _ => fine(request),
    });
    let (code, summary) = set.summary(&bad, &["--retries", "2"]);
    assert_eq!((code, &summary["calls_failed"], &summary["complete"], &summary["faulted"]), (Some(3), &json!(3), &json!(1), &json!(3)));
    let lines = set.lines("calls.jsonl");
    let failed: Vec<(u64, u64)> = lines
        .iter()
        .filter(|l| l["slot"]["ticket"] != "t3")
        .filter(|l| l["response"]["body"].get("choices").is_none())
        .map(|l| (l["response"]["status"].as_u64().unwrap(), l["meta"]["attempts"].as_u64().unwrap()))
        .collect();
    assert_eq!(BTreeSet::from_iter(failed), BTreeSet::from([(400, 1), (500, 3), (200, 3)]));
    let text = lines.iter().find(|l| l["slot"]["ticket"] == "t2").unwrap()["response"]["body"].clone();
    assert_eq!(text, "no JSON: \u{e9}\n");
    let replay = set.run(&["replay", "--format", "json"]);
    assert_eq!(replay.status.code(), Some(3));
    let faults = &serde_json::from_slice::<Value>(&replay.stdout).unwrap()["arms"][0];
    assert_eq!(faults["errored"], 3, "{faults}");
    let status = said(&set.run(&["status"]));
    assert!(status.contains("1 of 4 runs complete") && status.contains("no successful attempt: status 500 after 3 attempt(s)"), "{status}");
    set.assert_no_key(&[&set.run(&["status"])]);

    let good = Stub::start(fine);
    let output = set.record(&good, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains("3 failed calls are tried again"), "{}", said(&output));
    assert_eq!(good.requests().len(), 14, "what was answered is not asked again");
    assert_eq!(set.lines("calls.errors.jsonl").len(), 3);
    set.assert_whole(4);
    let again = set.record(&good, &[]);
    assert_eq!((again.status.code(), good.requests().len()), (Some(0), 14));
}

#[test]
fn a_provider_that_refuses_everything_is_asked_once() {
    for (act, want) in [
        ((|_| error(401, &[], "invalid_api_key")) as fn(&Request) -> Act, "refused the key in MY_KEY (status 401)"),
        (|_| error(403, &[], "forbidden"), "refused the key in MY_KEY (status 403)"),
        (|_| error(429, &[], "insufficient_quota"), "no credit left"),
        (
            |_| Act::Answer(307, vec![("location", "https://elsewhere.example/v1?k=1".into())], vec![]),
            "redirect (status 307) to elsewhere.example.",
        ),
    ] {
        let set = Set::new(50);
        let stub = Stub::start(act);
        let output = set.record(&stub, &["--concurrency", "1"]);
        assert_eq!((output.status.code(), stub.requests().len()), (Some(2), 1), "{}", said(&output));
        assert!(said(&output).contains(want), "{}", said(&output));
        assert!(set.lines("calls.jsonl").is_empty());
        set.assert_no_key(&[&output]);
    }
    // Failures that look like the call's own stop too, once they are ten in a row.
    let set = Set::new(50);
    let stub = Stub::start(|_| error(404, &[], "model_not_found"));
    let output = set.record(&stub, &["--concurrency", "1"]);
    assert_eq!((output.status.code(), stub.requests().len()), (Some(3), 10), "{}", said(&output));
    assert!(said(&output).contains("10 calls failed one after the other"), "{}", said(&output));
}

#[test]
fn every_sample_is_asked_though_the_request_is_the_same() {
    let set = Set::new(2);
    std::fs::write(set.arm().join("loop.toml"), LOOP.replace("version = 1", "version = 1\nsamples = 3")).unwrap();
    let stub = Stub::start(fine);
    let (code, summary) = set.summary(&stub, &["--concurrency", "2"]);
    assert_eq!((code, &summary["complete"], stub.requests().len()), (Some(0), &json!(6), 6 * CALLS_A_RUN), "{summary}");
    let slots: BTreeSet<String> = set.lines("calls.jsonl").iter().map(|line| line["slot"].to_string()).collect();
    assert_eq!(slots.len(), 6 * CALLS_A_RUN);
    assert_eq!(set.run(&["verify", "--strict"]).status.code(), Some(0));
}

#[test]
fn an_answer_without_end_is_cut_off_and_not_asked_for_again() {
    let set = Set::new(1);
    let stub = Stub::start(|_| Act::Answer(200, vec![], vec![b' '; (1 << 25) + 1]));
    let (code, summary) = set.summary(&stub, &[]);
    assert_eq!((code, stub.requests().len(), &summary["calls_failed"]), (Some(3), 1, &json!(1)), "{summary}");
    let line = &set.lines("calls.jsonl")[0];
    assert_eq!((&line["response"]["status"], &line["response"]["body"]["error"]["type"]), (&json!(0), &json!("too_large")));
}

#[test]
fn a_content_filter_is_an_answer() {
    let set = Set::new(1);
    let stub = Stub::start(|request| {
        let text = String::from_utf8(answer(request)).unwrap();
        let filtered = text.replace("\"stop\"", "\"content_filter\"");
        // Of a critic it would be a critique that cannot be read, and no revision.
        Act::Answer(200, vec![], if prompt(request).starts_with('C') { text } else { filtered }.into_bytes())
    });
    let output = set.record(&stub, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    set.assert_whole(1);
}

#[test]
fn caps_are_reached_exactly_and_never_broken() {
    for threads in ["1", "7"] {
        let set = Set::new(20);
        let stub = Stub::start(fine);
        let (code, summary) = set.summary(&stub, &["--max-calls", "13", "--concurrency", threads]);
        assert_eq!((code, stub.requests().len(), set.lines("calls.jsonl").len()), (Some(3), 13, 13), "{summary}");
        assert!(summary["stopped"].as_str().unwrap().contains("--max-calls 13"));
        // Each call costs 50 * $1 + 10 * $10 = $150 a million, and could cost its bytes and 100 * $10.
        let (code, summary) = set.summary(&stub, &["--max-usd", "0.005", "--concurrency", threads]);
        let usd: f64 = summary["usd"].as_str().unwrap().parse().unwrap();
        let calls = summary["calls_answered"].as_u64().unwrap();
        assert_eq!(code, Some(3), "{summary}");
        assert!((usd - calls as f64 * 0.00015).abs() < 1e-9 && usd <= 0.005, "{summary}");
        // The next could have cost some $0.0012; with that much left it would have been made.
        assert!(usd > 0.005 - 0.0014, "{summary}");
        let (code, _) = set.summary(&stub, &[]);
        assert_eq!(code, Some(0));
        set.assert_whole(20);
        assert_eq!(stub.requests().len(), 100);
    }
    let set = Set::new(1);
    std::fs::write(set.arm().join("loop.toml"), LOOP.replace("params = { max_tokens = 100 }", "")).unwrap();
    let output = set.record(&Stub::start(fine), &["--max-usd", "1"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("--max-usd cannot be kept unless writer's model has a price"), "{}", said(&output));
}

#[test]
fn a_dry_run_asks_nobody_and_writes_nothing() {
    let set = Set::new(3);
    let stub = Stub::start(fine);
    let output = set.record(&stub, &["--dry-run"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains("3 calls open now") && said(&output).contains("at most 15"), "{}", said(&output));
    assert!(stub.requests().is_empty());
    assert_eq!(std::fs::read_dir(set.arm()).unwrap().count(), 1);
    // No key, no call, and no file.
    let output = redraft().arg("record").arg(set.arm()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("OPENAI_API_KEY is not set"), "{}", said(&output));
    assert_eq!(std::fs::read_dir(set.arm()).unwrap().count(), 1);
}

#[test]
fn the_pace_is_kept() {
    let set = Set::new(2);
    let stub = Stub::start(fine);
    let (code, _) = set.summary(&stub, &["--rpm", "1200", "--concurrency", "4"]);
    assert_eq!(code, Some(0));
    let at: Vec<_> = stub.requests().iter().map(|r| r.at).collect();
    // Ten requests, 50 ms apart: nine gaps.
    assert!(at[9] - at[0] >= Duration::from_millis(440), "{:?}", at[9] - at[0]);
}

#[test]
fn a_killed_recorder_loses_nothing_that_was_recorded() {
    const TICKETS: usize = 80;
    const THREADS: usize = 4;
    let set = Set::new(TICKETS);
    let stub = Stub::start(|request| Act::After(Duration::from_millis(8), answer(request)));
    let calls = set.arm().join("calls.jsonl");
    let mut kills = 0;
    for round in 0..10u64 {
        let before = std::fs::read(&calls).unwrap_or_default();
        let mut child = set.command(&stub, &["--concurrency", "4", "--quiet"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        if round == 0 {
            // Nobody else may write meanwhile.
            while !set.arm().join("calls.lock").exists() {
                std::thread::sleep(Duration::from_millis(2));
            }
            let second = set.record(&stub, &[]);
            assert_eq!(second.status.code(), Some(2));
            assert!(said(&second).contains(&format!("another recorder (process {}", child.id())), "{}", said(&second));
        }
        // Wait for some new calls, then for a moment that is another one each time.
        let lines = |bytes: &[u8]| bytes.iter().filter(|b| **b == b'\n').count();
        let enough = lines(&before) + 6;
        while child.try_wait().unwrap().is_none() && lines(&std::fs::read(&calls).unwrap_or_default()) < enough {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(700 * round));
        kills += usize::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
        let after = std::fs::read(&calls).unwrap();
        let whole = before.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        assert_eq!(after[..whole], before[..whole], "round {round}");
    }
    assert_eq!(kills, 10);
    // A kill within a write leaves this, which is too seldom to wait for.
    let mut file = std::fs::OpenOptions::new().append(true).open(&calls).unwrap();
    std::io::Write::write_all(&mut file, br#"{"v":1,"key":"rr1:0","slot":{"tick"#).unwrap();
    let output = set.record(&stub, &["--concurrency", "4"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains("moved to calls.torn"), "{}", said(&output));
    set.assert_whole(TICKETS);
    let asked = stub.requests().len();
    println!("{kills} kills, {asked} requests for {} calls", TICKETS * CALLS_A_RUN);
    assert!(asked <= TICKETS * CALLS_A_RUN + kills * THREADS, "{asked}");
}

#[test]
fn a_new_prompt_asks_only_what_changed_and_the_old_recording_stays() {
    let set = Set::new(3);
    let stub = Stub::start(fine);
    assert_eq!(set.record(&stub, &[]).status.code(), Some(0));
    let before = std::fs::read(set.arm().join("calls.jsonl")).unwrap();
    let new = set.dir.path().join("new");
    let prompt = set.dir.path().join("prompt.txt");
    std::fs::write(&prompt, "C {{ ticket.id }} pass {{ pass }}: strictly! {{ draft }}").unwrap();
    let fork = redraft().arg("fork").arg(set.arm()).arg(&new).arg("--critic-prompt").arg(&prompt).output().unwrap();
    assert_eq!(fork.status.code(), Some(0), "{}", said(&fork));
    let status = |arm: &Path| {
        let output = redraft().arg("status").arg(arm).args(["--format", "json"]).output().unwrap();
        (output.status.code(), serde_json::from_slice::<Value>(&output.stdout).unwrap()["arms"][0].clone())
    };
    let (code, found) = status(&new);
    assert_eq!(code, Some(3));
    assert_eq!(
        (&found["roles"][0]["reused"], &found["roles"][1]["open"], &found["missing"]["calls_open"]),
        (&json!(3), &json!(3), &json!(3)),
        "{found}"
    );
    assert_eq!(found["missing"]["calls_most"], 12);
    let run = redraft().arg("record").arg(&new).args(["--base-url", &stub.url, "--yes"]).output().unwrap();
    assert_eq!(run.status.code(), Some(0), "{}", said(&run));
    assert!(!stub.requests().last().unwrap().headers.contains_key("authorization"), "a key that nobody named goes nowhere");
    // Three critics, twice. The writers are the old arm's, and so are the revisers, since these critics say what the old ones said.
    assert_eq!(stub.requests().len(), 15 + 6);
    assert_eq!(status(&new).0, Some(0));

    // The same edit in the arm itself: nothing is overwritten, and status says what no longer fits.
    std::fs::write(set.arm().join("loop.toml"), LOOP.replace("C {{", "D {{")).unwrap();
    let (code, found) = status(&set.arm());
    assert_eq!((code, &found["roles"][1]["stale"], &found["roles"][2]["behind"]), (Some(3), &json!(3), &json!(6)), "{found}");
    assert_eq!((&found["stale"][0]["field"], &found["stale"][0]["calls"]), (&json!("messages[0].content"), &json!(3)), "{found}");
    assert_eq!(found["renew"]["calls_most"], 12);
    let (code, summary) = set.summary(&stub, &[]);
    assert_eq!((code, &summary["stale"], &summary["requests"]), (Some(3), &json!(3), &json!(0)), "{summary}");
    assert_eq!(std::fs::read(set.arm().join("calls.jsonl")).unwrap(), before);

    // Everything anew goes into an arm of its own.
    let output = set.record(&stub, &["--mode", "all"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(std::fs::read(set.arm().join("calls.jsonl")).unwrap(), before);
    assert_eq!(status(&set.dir.path().join("arm-2")).1["complete"], 3);
    assert_eq!(stub.requests().len(), 21 + 15);
}

#[test]
fn every_wire_form_is_asked_its_own_way() {
    let sample = |name: &str| std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/api").join(name)).unwrap();
    for (provider, path, header, file) in [
        ("openai-chat", "/v1/chat/completions", ("authorization", format!("Bearer {KEY}")), "openai_chat_response_stop_json_schema.json"),
        ("openai-responses", "/v1/responses", ("authorization", format!("Bearer {KEY}")), "openai_responses_response_completed.json"),
        ("anthropic", "/v1/messages", ("x-api-key", KEY.to_owned()), "anthropic_message_end_turn.json"),
        ("gemini", "/v1beta/models/m:generateContent", ("x-goog-api-key", KEY.to_owned()), "gemini_generateContent_stop.json"),
        ("ollama", "/api/chat", ("authorization", format!("Bearer {KEY}")), "ollama_chat_stop.json"),
    ] {
        let set = Set::new(1);
        let spec = LOOP.replace("openai-chat", provider).replace("max_passes = 2", "max_passes = 0");
        std::fs::write(set.arm().join("loop.toml"), spec).unwrap();
        let body = sample(file);
        let stub = Stub::start(move |_| Act::Answer(200, vec![], body.clone()));
        let output = set.record(&stub, &[]);
        assert_eq!(output.status.code(), Some(0), "{provider}: {}", said(&output));
        let request = &stub.requests()[0];
        assert_eq!((request.path.as_str(), request.headers.get(header.0)), (path, Some(&header.1)), "{provider}");
        assert_eq!(request.headers.contains_key("anthropic-version"), provider == "anthropic");
        assert_eq!(set.run(&["verify", "--strict"]).status.code(), Some(0), "{provider}");
        let line = &set.lines("calls.jsonl")[0];
        assert_eq!(line["response"]["body"], serde_json::from_slice::<Value>(&sample(file)).unwrap(), "{provider}");
        assert_eq!(line["request"]["endpoint"], path);
    }
}
