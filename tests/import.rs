//! Other tools' logs as processes import them: every sample comes in or is refused with its reason, and a batch loop replays key for key.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

const SAMPLES: &str = "tests/data/import";

/// How each sample is imported: its name in docs/import.md, and the command line.
const COMMANDS: [(&str, &[&str]); 15] = [
    (
        "`openai_batch_{input,output,error}.jsonl`",
        &["openai-batch", "openai_batch_input.jsonl", "openai_batch_output.jsonl", "openai_batch_error.jsonl"],
    ),
    ("`openai_batch_output.jsonl` alone", &["openai-batch", "openai_batch_output.jsonl"]),
    (
        "`anthropic_batch_requests.json, _results.jsonl`",
        &["anthropic-batch", "anthropic_batch_requests.json", "anthropic_batch_results.jsonl"],
    ),
    ("`vcrpy_anthropic_filtered.yaml`", &["vcrpy", "vcrpy_anthropic_filtered.yaml", "--map", "ticket=headers.x-case", "--by-order"]),
    ("`vcrpy_anthropic_filtered.json`", &["vcrpy", "vcrpy_anthropic_filtered.json", "--map", "ticket=headers.x-case", "--by-order"]),
    (
        "`vcrpy_openai_default_LEAKS_AUTH.yaml`",
        &[
            "vcrpy",
            "vcrpy_openai_default_LEAKS_AUTH.yaml",
            "--map",
            "ticket=text:^ticket ([A-Z])",
            "--map",
            "role:=critic",
            "--map",
            "pass:=1",
        ],
    ),
    ("`vcrpy_openai_gzip.yaml`", &["vcrpy", "vcrpy_openai_gzip.yaml", "--map", "ticket=headers.x-case", "--by-order"]),
    ("`vcrpy_openai_gzip_decoded.yaml`", &["vcrpy", "vcrpy_openai_gzip_decoded.yaml", "--map", "ticket=headers.x-case", "--by-order"]),
    ("`otel_genai_traces.otlp.jsonl`", &["otel", "otel_genai_traces.otlp.jsonl", "--map", "pass=attributes.no-such", "--by-order"]),
    ("`langsmith_runs.jsonl`", &["langsmith", "langsmith_runs.jsonl", "--map", "role:=critic", "--map", "pass:=1"]),
    ("`langfuse_observations_v2.json`", &["langfuse", "langfuse_observations_v2.json"]),
    ("`langfuse_otlp_spans.jsonl`", &["langfuse", "langfuse_otlp_spans.jsonl", "--map", "ticket=name:(T-[0-9]+)", "--map", "pass:=1"]),
    (
        "`litellm_standard_logging_payload.json`",
        &["litellm", "litellm_standard_logging_payload.json", "--map", "ticket=trace_id", "--by-order"],
    ),
    ("`inspect_log.json`", &["inspect", "inspect_log.json"]),
    ("`inspect_log.eval`", &["inspect", "inspect_log.eval"]),
];

fn redraft() -> Command {
    Command::new(env!("CARGO_BIN_EXE_redraft"))
}

/// Runs in the folder of the samples.
fn import(args: &[&str], out: &Path) -> Output {
    redraft().arg("import").args(args).arg("--out").arg(out).current_dir(SAMPLES).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn calls(arm: &Path) -> Vec<Value> {
    std::fs::read_to_string(arm.join("calls.jsonl")).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn account(arm: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(arm.join("import.json")).unwrap()).unwrap()
}

/// How many things the log has, as the command says.
fn records(said: &str) -> usize {
    said.split_once(" records: ").unwrap().0.rsplit(' ').next().unwrap().parse().unwrap()
}

/// The table of docs/import.md, made by importing. REDRAFT_UPDATE=1 writes it there.
#[test]
fn every_sample_imports_with_the_counts_that_the_docs_have() {
    let mut table =
        String::from("| sample | records | calls | answers | failed | with request | listed |\n|---|---|---|---|---|---|---|\n");
    let dir = tempfile::tempdir().unwrap();
    for (number, (name, args)) in COMMANDS.iter().enumerate() {
        let arm = dir.path().join(number.to_string());
        let done = import(args, &arm);
        assert_eq!(done.status.code(), Some(0), "{name}: {}{}", text(&done.stdout), text(&done.stderr));
        let account = account(&arm);
        let listed = account["listed"].as_array().unwrap().len();
        let count = |key: &str| account[key].as_u64().unwrap();
        table += &format!(
            "| {name} | {} | {} | {} | {} | {} | {listed} |\n",
            records(&text(&done.stdout)),
            count("calls"),
            count("answers"),
            count("failed"),
            count("with_request")
        );
        // What was written keeps its promises as far as it makes any.
        let verified = redraft().args(["verify", "--strict"]).arg(&arm).output().unwrap();
        assert!(!text(&verified.stdout).contains("key_differs"), "{name}: {}", text(&verified.stdout));
        assert!(matches!(verified.status.code(), Some(0 | 3)), "{name}: {}{}", text(&verified.stdout), text(&verified.stderr));
    }
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/import.md");
    let page = std::fs::read_to_string(&docs).unwrap();
    let (begin, end) = ("<!-- counts -->\n", "<!-- end of counts -->\n");
    let (before, rest) = page.split_once(begin).unwrap();
    let (found, after) = rest.split_once(end).unwrap();
    if std::env::var_os("REDRAFT_UPDATE").is_some() {
        std::fs::write(&docs, format!("{before}{begin}{table}{end}{after}")).unwrap();
    } else {
        assert_eq!(found, table, "docs/import.md: REDRAFT_UPDATE=1 cargo test --test import writes the table");
    }
}

#[test]
fn a_database_is_refused_with_the_command_that_makes_lines_of_it() {
    let dir = tempfile::tempdir().unwrap();
    let done = import(&["langchain", "langchain_cache.db"], &dir.path().join("a"));
    assert_eq!(done.status.code(), Some(2));
    assert!(text(&done.stderr).contains("SELECT prompt,llm,idx,response FROM full_llm_cache"), "{}", text(&done.stderr));
    assert!(!dir.path().join("a").exists());
    // What that command makes of it: two rows of one request, of which only the settings differ.
    let arm = dir.path().join("b");
    let done = import(&["langchain", "langchain_cache.jsonl", "--map", "ticket:=T-1", "--map", "role:=critic", "--map", "pass:=1"], &arm);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    assert_eq!(calls(&arm).len(), 1);
    assert!(account(&arm)["listed"][0]["why"].as_str().unwrap().starts_with("a second call for critic pass 1"));
}

#[test]
fn a_key_in_a_cassette_stays_in_the_cassette() {
    let dir = tempfile::tempdir().unwrap();
    let arm = dir.path().join("arm");
    let cassette = "vcrpy_openai_default_LEAKS_AUTH.yaml";
    let lint = |path: &Path| redraft().arg("lint-secrets").arg(path).output().unwrap();
    assert_eq!(lint(&Path::new(SAMPLES).join(cassette)).status.code(), Some(1));
    assert_eq!(import(&["vcrpy", cassette, "--map", "ticket=text:^ticket ([A-Z])", "--by-order"], &arm).status.code(), Some(0));
    let clean = lint(&arm);
    assert_eq!(clean.status.code(), Some(0), "{}", text(&clean.stdout));
    for file in ["calls.jsonl", "import.json", "loop.toml", "dataset/tickets.jsonl"] {
        assert!(!std::fs::read_to_string(arm.join(file)).unwrap().contains("THISISAFAKEKEY"), "{file}");
    }
    // Nor does a header that carries it become a ticket.
    let done = import(&["vcrpy", cassette, "--map", "ticket=headers.authorization", "--by-order", "--dry-run"], &arm);
    assert_eq!(done.status.code(), Some(3));
    assert!(!text(&done.stdout).contains("THISISAFAKEKEY"));
}

#[test]
fn a_gzip_body_and_the_same_decoded_are_one_answer() {
    let dir = tempfile::tempdir().unwrap();
    let body = |file: &str| {
        let arm = dir.path().join(file);
        import(&["vcrpy", file, "--map", "ticket=headers.x-case", "--by-order"], &arm);
        calls(&arm)[0]["response"]["body"].clone()
    };
    let packed = body("vcrpy_openai_gzip.yaml");
    assert_eq!(packed, body("vcrpy_openai_gzip_decoded.yaml"));
    assert!(packed["choices"][0]["message"]["tool_calls"].is_array());
}

#[test]
fn an_inspect_log_is_the_same_in_both_its_forms() {
    let dir = tempfile::tempdir().unwrap();
    let of = |file: &str| {
        let arm = dir.path().join(file);
        import(&["inspect", file], &arm);
        let slots = calls(&arm).into_iter().map(|call| (call["slot"].clone(), call["response"].clone())).collect::<Vec<_>>();
        (slots, arm)
    };
    let (json, arm) = of("inspect_log.json");
    let (eval, _) = of("inspect_log.eval");
    assert_eq!(json.len(), 16);
    assert_eq!(json, eval);
    let replayed = redraft().arg("replay").arg(&arm).output().unwrap();
    assert_eq!(replayed.status.code(), Some(0), "{}", text(&replayed.stderr));
    assert!(text(&replayed.stdout).contains("approved 4"));
}

/// Three tickets through writer, critic, reviser and critic, as batch files: what was asked, and what came in no order.
fn batch(dir: &Path) -> Vec<PathBuf> {
    let (mut asked, mut came) = (vec![], vec![]);
    let mut add = |ticket: &str, place: &str, system: &str, user: String, text: String| {
        let id = format!("{ticket}/{place}");
        let params = if place.contains("critic") { 0.0 } else { 0.7 };
        let body = json!({"model": "m", "temperature": params, "max_tokens": 300,
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}]});
        asked.push(json!({"custom_id": id, "method": "POST", "url": "/v1/chat/completions", "body": body}).to_string());
        let body = json!({"choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}], "model": "m",
            "usage": {"prompt_tokens": 100, "completion_tokens": 20}});
        came.push(json!({"custom_id": id, "response": {"status_code": 200, "request_id": "r", "body": body}, "error": null}).to_string());
    };
    for (number, ticket) in ["T-0001", "T-0002", "T-0003"].into_iter().enumerate() {
        let question = format!("Where is parcel {number}? {{{{ no template }}}}");
        let (draft, better) = (format!("Parcel {number} left. It arrives soon."), format!("Parcel {number} left. It arrives on 4 March."));
        let critique = format!("\"It arrives soon.\" is vague: say when parcel {number} arrives.");
        add(ticket, "pass-0/writer/0", "You answer.", question.clone(), draft.clone());
        add(ticket, "pass-1/critic/0", "You review. {% as is", format!("Q: {question}\n<draft>\n{draft}\n</draft>\n"), critique.clone());
        add(ticket, "pass-1/reviser/0", "You revise.", format!("Draft:\n{draft}\nCritique:\n{critique}"), better.clone());
        add(ticket, "pass-2/critic/0", "You review. {% as is", format!("Q: {question}\n<draft>\n{better}\n</draft>\n"), "APPROVED".into());
    }
    came.reverse();
    let write = |name: &str, lines: &[String]| {
        let path = dir.join(name);
        std::fs::write(&path, lines.join("\n")).unwrap();
        path
    };
    let (first, second) = came.split_at(5);
    vec![write("output-2.jsonl", second), write("input.jsonl", &asked), write("output-1.jsonl", first)]
}

fn import_batch(files: &[PathBuf], arm: &Path, more: &[&str]) -> Output {
    redraft().args(["import", "openai-batch"]).args(files).arg("--out").arg(arm).args(more).output().unwrap()
}

#[test]
fn a_batch_loop_is_found_again_and_replays_key_for_key() {
    let dir = tempfile::tempdir().unwrap();
    let files = batch(dir.path());
    let arm = dir.path().join("arm");
    let done = import_batch(&files, &arm, &[]);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    assert!(text(&done.stdout).contains("match = \"key\""), "{}", text(&done.stdout));
    for (verb, said) in [(&["verify", "--strict"][..], "3 runs, 12 calls asked for, 0 faults, 0 unused"), (&["replay"], "approved 3")] {
        let ran = redraft().args(verb).arg(&arm).output().unwrap();
        assert_eq!(ran.status.code(), Some(0), "{verb:?}: {}{}", text(&ran.stdout), text(&ran.stderr));
        assert!(text(&ran.stdout).contains(said), "{}", text(&ran.stdout));
    }
    let spec = std::fs::read_to_string(arm.join("loop.toml")).unwrap();
    assert!(spec.contains(r#"prompt = "Q: {{ ticket.prompt }}\n<draft>\n{{ draft }}\n</draft>\n""#), "{spec}");
    assert!(!spec.contains("NOT KNOWN: put the prompt here"), "{spec}");
    // The same files in another order give the same bytes.
    let again = dir.path().join("again").join("arm");
    let turned: Vec<PathBuf> = files.iter().rev().cloned().collect();
    assert_eq!(import_batch(&turned, &again, &[]).status.code(), Some(0));
    assert_eq!(std::fs::read(arm.join("calls.jsonl")).unwrap(), std::fs::read(again.join("calls.jsonl")).unwrap());
    // A new critic that asks otherwise is told apart.
    std::fs::write(arm.join("loop.toml"), spec.replace("<draft>\\n{{ draft }}", "<d>\\n{{ draft }}")).unwrap();
    let stale = redraft().args(["verify"]).arg(&arm).output().unwrap();
    assert!(text(&stale.stdout).contains("critic pass 1"), "{}", text(&stale.stdout));
}

#[test]
fn what_is_there_is_not_written_over() {
    let dir = tempfile::tempdir().unwrap();
    let files = batch(dir.path());
    let arm = dir.path().join("arm");
    let dry = import_batch(&files, &arm, &["--dry-run"]);
    assert_eq!(dry.status.code(), Some(0));
    assert_eq!(text(&dry.stdout).lines().filter(|line| line.contains("output-")).count(), 10);
    assert!(!arm.exists());
    assert_eq!(import_batch(&files, &arm, &[]).status.code(), Some(0));
    std::fs::write(arm.join("loop.toml"), "mine").unwrap();
    let before = std::fs::read(arm.join("calls.jsonl")).unwrap();
    let refused = import_batch(&files[..2], &arm, &[]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("--force"));
    assert_eq!(std::fs::read(arm.join("calls.jsonl")).unwrap(), before);
    assert_eq!(import_batch(&files[..2], &arm, &["--force"]).status.code(), Some(0));
    assert_ne!(std::fs::read(arm.join("calls.jsonl")).unwrap(), before);
    assert_eq!(std::fs::read_to_string(arm.join("loop.toml")).unwrap(), "mine");
}

#[test]
fn partial_doubled_and_broken_lines_are_listed() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let ask = |id: &str, text: &str| json!({"custom_id": id, "url": "/v1/chat/completions", "body": {"model": "m", "messages": [{"role": "user", "content": text}]}});
    let say = |id: &str, text: &str| json!({"custom_id": id, "response": {"status_code": 200, "body": {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}}});
    let input = write(
        "input.jsonl",
        &format!("{}\n{}\n{}\n", ask("a/pass-0/writer/0", "x"), ask("b/pass-0/writer/0", "x"), ask("a/pass-0/writer/0", "y")),
    );
    let output = write(
        "output.jsonl",
        &format!(
            "{}\n{}\n{{\"custom_id\": \"cut\n{}\n{}\n",
            say("a/pass-0/writer/0", "one"),
            say("a/pass-0/writer/0", "two"),
            json!({"response": null}),
            say("nobody", "three")
        ),
    );
    let arm = dir.path().join("arm");
    let done = import_batch(&[input, output], &arm, &[]);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    let listed = account(&arm)["listed"].clone();
    let listed: Vec<String> =
        listed.as_array().unwrap().iter().map(|l| format!("{} {}", l["at"].as_str().unwrap(), l["why"].as_str().unwrap())).collect();
    let has = |start: &str| assert!(listed.iter().any(|l| l.starts_with(start)), "{start}: {listed:#?}");
    has("input.jsonl:3 custom_id a second time, for another request; neither is used");
    has("input.jsonl:2 no result for this request");
    has("output.jsonl:2 a second call for writer pass 0 of its ticket; the first is output.jsonl:1");
    has("output.jsonl:3 not JSON");
    has("output.jsonl:4 no custom_id");
    has("output.jsonl:5 no ticket is told");
    assert_eq!(listed.len(), 6);
    // Which of two requests was answered is not known, so neither is claimed.
    assert!(calls(&arm)[0].get("request").is_none());
}

#[test]
fn trajectories_replay_by_slot() {
    let dir = tempfile::tempdir().unwrap();
    let runs = [
        json!({"ticket": "t1", "prompt": "Why?", "model": "m", "sources": [{"id": "s", "text": "Because."}], "passes": [
            {"draft": "It is so. And so.", "draft_usage": {"input": 10, "output": 5}},
            {"critique": {"findings": [{"defect": "vague", "location": "And so.", "severity": "major", "detail": "d", "fix": "f"}]}, "draft": "It is so."},
            {"critique": "APPROVED"}]}),
        json!({"ticket": "t2", "passes": [{"draft": "One."}, {"critique_error": {"status": 529, "message": "overloaded"}}]}),
        json!({"ticket": "t3", "passes": [{"draft": "One.", "tokens": 3}]}),
    ];
    let log = dir.path().join("runs.jsonl");
    std::fs::write(&log, runs.map(|run| run.to_string()).join("\n")).unwrap();
    let arm = dir.path().join("arm");
    let done = redraft().args(["import", "trajectories"]).arg(&log).arg("--out").arg(&arm).output().unwrap();
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    let account = account(&arm);
    assert_eq!((&account["calls"], &account["failed"], &account["match"]), (&json!(6), &json!(1), &json!("slot")));
    assert_eq!(
        account["listed"],
        json!([{"at": "runs.jsonl:3", "why": "no run: unknown key `tokens` (known here: critique, draft, critique_usage, draft_usage, critique_stop, draft_stop, critique_error, draft_error)"}])
    );
    assert!(std::fs::read_to_string(arm.join("dataset/tickets.jsonl")).unwrap().contains("Because."));
    let replayed = redraft().args(["replay"]).arg(&arm).output().unwrap();
    assert_eq!(replayed.status.code(), Some(3));
    let shown = text(&replayed.stdout);
    assert!(shown.contains("approved 1") && shown.contains("fault 1"), "{shown}");
}

#[test]
fn secrets_are_told_by_place_and_names_of_a_log_steer_no_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let key = "sk-test-000000000000000000000000";
    let run = json!({"ticket": "t\u{1b}[2J\u{202e}", "prompt": "Why?", "passes": [{"draft": format!("Use {key} for it.")}, {"critique": {"deep\u{1b}": 1}}]});
    let wrong = json!({"ticket": "x", "passes": [], "\u{1b}[31mred": 1});
    let log = dir.path().join("runs.jsonl");
    std::fs::write(&log, format!("{run}\n{wrong}\n")).unwrap();
    for more in [&["--dry-run"][..], &[]] {
        let done =
            redraft().args(["import", "trajectories"]).arg(&log).arg("--out").arg(dir.path().join("arm")).args(more).output().unwrap();
        let said = text(&done.stdout) + &text(&done.stderr);
        assert_eq!(done.status.code(), Some(0), "{said}");
        assert!(said.contains("warning: api_key in calls.jsonl:1; `redraft lint-secrets --redact` takes it out"), "{said}");
        assert!(!said.contains(key) && !said.contains('\u{1b}') && !said.contains('\u{202e}'), "{said:?}");
    }
    // The command that it names does it.
    let cleaned = redraft().args(["lint-secrets", "--redact", "secrets"]).arg(dir.path().join("arm")).output().unwrap();
    assert_eq!(cleaned.status.code(), Some(0), "{}", text(&cleaned.stdout));
}

#[test]
fn a_data_set_that_is_there_is_kept_and_its_prompts_are_used() {
    let dir = tempfile::tempdir().unwrap();
    let files = batch(dir.path());
    let set = dir.path().join("set");
    std::fs::create_dir(&set).unwrap();
    std::fs::write(set.join("dataset.toml"), "version = 1\nname = \"mine\"\n").unwrap();
    let ticket = |n: usize| json!({"id": format!("T-000{}", n + 1), "prompt": format!("parcel {n}?")}).to_string() + "\n";
    std::fs::write(set.join("tickets.jsonl"), (0..2).map(ticket).collect::<String>()).unwrap();
    let arm = dir.path().join("arms/arm");
    let done = import_batch(&files, &arm, &["--dataset", set.to_str().unwrap()]);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    assert!(text(&done.stdout).contains("1 of 3 tickets are not in the data set"), "{}", text(&done.stdout));
    let spec = std::fs::read_to_string(arm.join("loop.toml")).unwrap();
    assert!(spec.contains("dataset = \"../../set\""), "{spec}");
    // The third ticket has no prompt there, so no template fits all: nothing is claimed.
    assert!(spec.contains("match = \"slot\""), "{spec}");
    std::fs::write(set.join("tickets.jsonl"), (0..3).map(ticket).collect::<String>()).unwrap();
    std::fs::remove_file(arm.join("loop.toml")).unwrap();
    let done = import_batch(&files, &arm, &["--dataset", set.to_str().unwrap(), "--force"]);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    let spec = std::fs::read_to_string(arm.join("loop.toml")).unwrap();
    assert!(spec.contains(r#"prompt = "Where is {{ ticket.prompt }} {{ '{' }}{ no template }}""#), "{spec}");
    assert_eq!(redraft().args(["verify", "--strict"]).arg(&arm).output().unwrap().status.code(), Some(0));
}
