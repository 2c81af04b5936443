//! `redraft label` as a process: scripted answers, a session that is killed and taken up again, two raters, stale labels, judges, hostile text.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const REAL: &str = "recordings/payments-qwen-1.5b/findings-batched";

fn command(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_redraft"));
    command.args(args).current_dir(dir).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env_remove("USER").env_remove("LOGNAME").env_remove("USERNAME");
    command
}

/// Standard output, standard error and exit code of a run with this standard input.
fn run(dir: &Path, args: &[&str], input: &str) -> (String, String, Option<i32>) {
    let mut child = command(dir, args).spawn().unwrap();
    // A command that does not read its input may be gone before it is written.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let Output { stdout, stderr, status } = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (out, err) = (text(stdout), text(stderr));
    let raw = |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    assert!(!out.contains(raw) && !err.contains(raw), "{out:?} {err:?}");
    assert!(!err.contains("panicked"), "{err}");
    (out, err, status.code())
}

fn lines(path: &Path) -> Vec<Value> {
    std::fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The places shown, in order.
fn shown(out: &str) -> Vec<String> {
    out.lines().filter_map(|line| Some(line.split_once(" of ")?.1.split_once("  ")?.1.split_once("  (")?.0.to_owned())).collect()
}

fn write(dir: &Path, name: &str, text: &str) -> PathBuf {
    let path = dir.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path
}

fn call(pass: u32, role: &str, n: u32, asked: &str, answer: &str) -> String {
    json!({
        "v": 1,
        "slot": {"ticket": "a", "pass": pass, "role": role, "n": n},
        "request": {"provider": "openai-chat", "endpoint": "/v1/chat/completions", "body": {"model": "asked", "messages": [{"role": "user", "content": asked}]}},
        "response": {"status": 200, "body": {"model": "small-judge", "choices": [{"message": {"content": answer}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}},
    })
    .to_string()
        + "\n"
}

/// An arm of one ticket whose critic has two findings of a draft of three sections.
fn small(dir: &Path, draft: &str, findings: &str, more: &str) {
    write(dir, "set/dataset.toml", "version = 1\nname = \"s\"\n");
    write(
        dir,
        "set/tickets.jsonl",
        "{\"id\":\"a\",\"prompt\":\"What is the fee?\",\"sources\":[{\"id\":\"policy\",\"text\":\"The fee is $20.\"}]}\n",
    );
    let text = "version = 1\ndataset = \"../../set\"\nmatch = \"slot\"\n[model]\nprovider = \"openai-chat\"\nname = \"m\"\n[writer]\nprompt = \"w\"\n\
        [critic]\nformat = \"findings\"\nprompt = \"c\"\nseverities = [\"blocking\", \"minor\"]\n[reviser]\nstrategy = \"batched\"\nprompt = \"r\"\n[bounds]\nmax_passes = 1\n";
    write(dir, "rec/arm/loop.toml", text);
    let calls = call(0, "writer", 0, "w", draft)
        + &call(1, "critic", 0, "c", findings)
        + &call(1, "reviser", 0, "r", "The fee is $20.\n\nSoon.\n\nBye.");
    write(dir, "rec/arm/calls.jsonl", &(calls + more));
}

const DRAFT: &str = "The fee is $25.\n\nIt is due soon.\n\nBye.";
const FINDINGS: &str = r#"{"findings":[{"defect":"wrong_value","location":"The fee is $25.","severity":"minor","detail":"It is $20."},{"defect":"vague","location":"due soon","severity":"blocking","detail":"When?"}]}"#;

#[test]
fn answers_are_appended_resumed_and_changed() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("l.jsonl");
    let args = ["label", REAL, "--rater", "ana", "--labels", file.to_str().unwrap(), "--sample", "6"];
    let (out, err, code) = run(Path::new(ROOT), &args, "r\ns the sum is right\nb\nn looked again\nu\nq\n");
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains("standard input is no terminal") && err.contains("sample: major 3 of 3, minor 3 of 103"), "{err}");
    assert!(err.contains("3 answered now; 2 of 6 judged by human:ana"), "{err}");
    let first = shown(&out);
    assert_eq!((first.len(), &first[1]), (5, &first[3]), "the second thing was shown again\n{out}");
    assert!(out.contains("you said: spurious (the sum is right)"), "{out}");
    assert!(!out.contains("major") && !out.contains("minor"), "the severity was shown\n{out}");
    let told: Vec<(Value, Value)> = lines(&file).iter().map(|line| (line["verdict"].clone(), line["note"].clone())).collect();
    assert_eq!(
        told,
        [(json!("real"), json!(null)), (json!("spurious"), json!("the sum is right")), (json!("unsure"), json!("looked again"))]
    );
    // Taken up again: what is judged is not asked; the input ends before all is.
    let (out, err, code) = run(Path::new(ROOT), &args, "r\nr\n");
    assert_eq!((code, shown(&out)[0] == first[2]), (Some(0), true), "{err}");
    assert!(err.contains("2 answered now; 4 of 6 judged"), "{err}");
    // Nothing is lost to an answer that is not known, and the command ends.
    let (_, err, code) = run(Path::new(ROOT), &args, "r\nyes\nr\n");
    assert_eq!(code, Some(2));
    assert!(err.contains("standard input, line 2: `yes` is no answer here; expected [r]eal"), "{err}");
    assert_eq!(lines(&file).len(), 6);
    let (out, _, _) = run(Path::new(ROOT), &args, "r\n");
    assert_eq!((shown(&out).len(), lines(&file).len()), (1, 7));
    let (out, err, _) = run(Path::new(ROOT), &args, "r\n");
    assert!(shown(&out).is_empty() && err.contains("0 answered now; 6 of 6 judged"), "{out} {err}");
}

#[test]
fn a_killed_session_keeps_its_answers() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("l.jsonl");
    let args = ["label", REAL, "--rater", "ana", "--labels", file.to_str().unwrap()];
    let mut child = command(Path::new(ROOT), &args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    for answers in 1..=3 {
        input.write_all(b"r\n").unwrap();
        let is_there = || std::fs::read_to_string(&file).unwrap_or_default().lines().count() == answers;
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(120);
        while !is_there() {
            assert!(std::time::Instant::now() < deadline, "answer {answers} is not on the disk though another could be given");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // And a crash in the middle of a line.
    let whole = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{whole}{}", &whole[..40])).unwrap();
    let (_, err, code) = run(Path::new(ROOT), &args, "s\nq\n");
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains("l.jsonl:4: a half-written last line was passed over; the next label takes its place"), "{err}");
    assert!(err.contains("1 answered now; 4 of 106 judged"), "{err}");
    let verdicts: Vec<Value> = lines(&file).iter().map(|line| line["verdict"].clone()).collect();
    assert_eq!(verdicts, ["real", "real", "real", "spurious"]);
}

#[test]
fn two_raters_do_not_see_each_other_and_their_agreement_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("l.jsonl");
    let label = |rater: &str, input: &str| {
        run(Path::new(ROOT), &["label", REAL, "--rater", rater, "--labels", file.to_str().unwrap(), "--sample", "10"], input)
    };
    let (first, ..) = label("ana", "r secret-of-ana\nr\nr\nr\ns\ns\ns\ns\nu\nr\n");
    let (second, ..) = label("bo", "r\nr\nr\ns\ns\ns\ns\ns\ns\n");
    assert_eq!(shown(&first)[..9], shown(&second)[..9], "one seed, one order");
    assert!(!second.contains("secret-of-ana") && !second.contains("you said"), "{second}");
    let agreement = ["label", REAL, "--labels", file.to_str().unwrap(), "--agreement"];
    let (out, err, code) = run(Path::new(ROOT), &agreement, "");
    assert_eq!(code, Some(0), "{err}");
    // ana: real 4, spurious 4, unsure 1; bo: real 3, spurious 6. Same on 7 of 9; by chance (12 + 24) / 81.
    for want in [
        "finding: human:ana and human:bo",
        "both judged 9 findings in",
        "same on 77.8%, by chance 44.4%; kappa 0.60, 95% interval ",
        "human:ana said: real 4 (44.4%), spurious 4 (44.4%), unsure 1 (11.1%)",
        "human:bo said: real 3 (33.3%), spurious 6 (66.7%), unsure 0 (0.0%)",
    ] {
        assert!(out.contains(want), "{want}\n{out}");
    }
    assert_eq!(out.matches("differ: ").count(), 2, "{out}");
    let (json, ..) = run(Path::new(ROOT), &[&agreement[..], &["--format", "json"]].concat(), "");
    let document: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(document["agreements"][0]["counts"], json!([[3, 1, 0], [0, 4, 0], [0, 1, 0]]));
    // One rater alone agrees with nobody.
    std::fs::write(&file, std::fs::read_to_string(&file).unwrap().lines().take(3).map(|l| format!("{l}\n")).collect::<String>()).unwrap();
    let (out, _, code) = run(Path::new(ROOT), &agreement, "");
    assert!(code == Some(3) && out.contains("no two raters judged the same thing"), "{out}");
}

#[test]
fn who_rates_must_be_known() {
    let dir = tempfile::tempdir().unwrap();
    small(dir.path(), DRAFT, FINDINGS, "");
    for (rater, want) in [
        (None, "who judges is not known: neither USER nor LOGNAME is set; give --rater NAME"),
        (Some("judge:m"), "only people and models that read can be asked here"),
        (Some("humn:ana"), "`humn` is not known; did you mean `human`?"),
        (Some(" "), "has no name"),
    ] {
        let args: Vec<&str> = ["label", "rec/arm"].into_iter().chain(rater.iter().flat_map(|rater| ["--rater", rater])).collect();
        let (_, err, code) = run(dir.path(), &args, "r\n");
        assert!(code == Some(2) && err.contains(want), "{err}");
    }
    let mut child = command(dir.path(), &["label", "rec/arm"]).env("USER", "kim").spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"r\n").unwrap();
    let err = String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap();
    assert!(err.contains("rater: human:kim (the user's name; --rater says another)"), "{err}");
    assert_eq!(lines(&dir.path().join("set/labels.jsonl"))[0]["rater"], "human:kim");
}

#[test]
fn a_label_of_what_has_changed_is_stale_and_asked_again() {
    let dir = tempfile::tempdir().unwrap();
    small(dir.path(), DRAFT, FINDINGS, "");
    let args = ["label", "rec/arm", "--rater", "ana"];
    run(dir.path(), &args, "r\ns\n");
    // Another recording: the first finding says something else, the second is the same.
    small(dir.path(), DRAFT, &FINDINGS.replace("It is $20.", "It is $30."), "");
    let (out, err, _) = run(dir.path(), &args, "u\n");
    assert!(err.contains("set/labels.jsonl: 1 labels of this arm are stale and not used"), "{err}");
    assert!(err.contains("a pass 1 finding 1 by human:ana: what was judged has changed"), "{err}");
    assert_eq!(shown(&out), ["a pass 1 finding 1"]);
    // The new answer takes the place of the stale one.
    let (out, err, _) = run(dir.path(), &["label", "rec/arm", "--agreement"], "");
    assert!(!out.contains("stale") && !err.contains("stale"), "{out} {err}");
    // Another draft: both are of something else. No findings: there is no such thing any more.
    small(dir.path(), "Hello. The fee is $25. It is due soon.", FINDINGS, "");
    assert!(run(dir.path(), &["label", "rec/arm", "--agreement"], "").0.contains("stale, not used: 2"));
    small(dir.path(), DRAFT, r#"{"findings":[]}"#, "");
    assert!(run(dir.path(), &["label", "rec/arm", "--agreement"], "").0.contains("there is no such thing in this arm"));
}

#[test]
fn drafts_defects_and_mentions_are_labelled_too() {
    let dir = tempfile::tempdir().unwrap();
    small(dir.path(), DRAFT, FINDINGS, "");
    let label = |kind: &str, input: &str| run(dir.path(), &["label", "rec/arm", "--rater", "ana", "--kind", kind], input);
    assert_eq!(label("drafts", "i the fee\nc\n").2, Some(0));
    let (_, err, code) = label("defects", "a wrong_value | $99\n");
    assert!(code == Some(2) && err.contains("\"$99\" does not stand in the draft"), "{err}");
    let (out, _, _) = label("defects", "a nothing\nx\na wrong_value | The fee\na vague\n.\n.\n");
    assert!(out.contains("(so far: wrong_value, vague)?"), "{out}");
    let (_, err, code) = label("mentions", "0 7\n");
    assert!(code == Some(2) && err.contains("`7` is no section of this draft; it has 3, from 0"), "{err}");
    let (out, _, _) = label("mentions", "2, 0\n");
    assert!(out.contains("| [0] The fee is $25.") && out.contains("| [2] Bye."), "{out}");
    let told: Vec<Value> = lines(&dir.path().join("set/labels.jsonl"));
    assert_eq!((&told[0]["verdict"], &told[0]["note"], &told[1]["verdict"]), (&json!("incorrect"), &json!("the fee"), &json!("correct")));
    let sets: Vec<&Value> = told.iter().map(|line| &line["defects"]).filter(|list| !list.is_null()).collect();
    let mut sizes: Vec<usize> = sets.iter().map(|list| list.as_array().unwrap().len()).collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [0, 2]);
    assert_eq!(told[4]["sections"], json!([0, 2]));
    assert_eq!(told[0]["arm"], "rec/arm");
    // The resolver said sections 0 and 1; the label says 0 and 2. It stands in place of both rules, and that is said.
    let (out, _, _) = run(dir.path(), &["replay", "rec/arm", "--format", "csv"], "");
    let mut rows = out.lines();
    let at = |name: &str| out.lines().next().unwrap().split(',').position(|column| column == name).unwrap();
    let (strict, edited) = (at("mentioned"), at("untouched_section_edit"));
    let row: Vec<&str> = rows.nth(2).unwrap().split(',').collect();
    assert_eq!((row[strict], row[edited]), ("2", "true"), "section 1 was edited, which the label does not have");
    let (out, _, _) = run(dir.path(), &["replay", "rec/arm"], "");
    assert!(out.contains("labels: in 1 passes they say which sections are mentioned"), "{out}");
    let (out, _, _) = run(dir.path(), &["show", "rec/arm", "a"], "");
    assert!(out.contains("mentions by labels: section 0, section 2 (this counts)"), "{out}");
    // Other labels in place of those beside the dataset.
    write(dir.path(), "none.jsonl", "");
    let (out, _, _) = run(dir.path(), &["replay", "rec/arm", "--labels", "none.jsonl", "--format", "csv"], "");
    let row: Vec<&str> = out.lines().nth(2).unwrap().split(',').collect();
    assert_eq!((row[strict], row[edited]), ("2", "false"));
    assert!(!run(dir.path(), &["replay", "rec/arm", "--labels", "none.jsonl"], "").0.contains("labels:"));
}

#[test]
fn judges_are_labels_and_no_part_of_the_loop() {
    let dir = tempfile::tempdir().unwrap();
    let judge = |n: u32, asked: &str, answer: &str| call(1, "judge", n, asked, answer);
    let judges = judge(0, "Is \"The fee is $25.\" a wrong_value?", "```json\n{\"verdict\": \"real\", \"reason\": \"policy: $20\"}\n```")
        + &judge(1, "Is \"next week\" vague?", r#"{"verdict":"real"}"#)
        + &judge(2, "Is this draft right? The fee is $20.\n\nSoon.\n\nBye.", r#"{"verdict":"incorrect"}"#);
    small(dir.path(), DRAFT, FINDINGS, &judges);
    let (out, _, code) = run(dir.path(), &["replay", "rec/arm", "--strict"], "");
    assert!(code == Some(0) && out.contains("3 calls (writer 1, critic 1, reviser 1)") && !out.contains("unused"), "{out}");
    let (out, _, code) = run(dir.path(), &["verify", "rec/arm", "--strict"], "");
    assert!(out.contains("6 calls, 3 of judges (no part of a loop: labels)") && out.contains("0 unused"), "{out} {code:?}");
    run(dir.path(), &["label", "rec/arm", "--rater", "ana"], "r\nr\n");
    let (out, _, _) = run(dir.path(), &["label", "rec/arm", "--agreement"], "");
    for want in [
        "human:ana: finding 2",
        "judge:small-judge: finding 1, draft 1",
        "finding: human:ana and judge:small-judge",
        "same on 100.0%, by chance 100.0%; kappa n/a: both put everything into one category",
        "judge calls that are no labels: 1",
        "ticket a: judge pass 1 n 1: its request does not hold the finding that stands there now",
    ] {
        assert!(out.contains(want), "{want}\n{out}");
    }
}

#[test]
fn hostile_text_does_not_reach_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let evil = "\u{1b}]0;x\u{7}\u{1b}[2J\u{202e}\u{9b}31m";
    let draft = format!("Fee {evil} is $25.\r\n::error::x\n\n##[error]y\n\nBye.");
    let finding = json!({"findings": [{"defect": evil, "location": format!("Fee {evil} is $25."), "severity": "minor", "detail": evil, "fix": evil}]});
    small(dir.path(), &draft, &finding.to_string(), &call(1, "judge", 0, "x", &json!({"verdict": evil}).to_string()));
    for (kind, input) in
        [("findings", "r\n"), ("drafts", "c \u{1b}[31mnote\n\u{1b}[31m\n"), ("mentions", "-\n"), ("defects", "a \u{1b}[31mclass\n.\n.\n")]
    {
        let (out, err, _) = run(dir.path(), &["label", "rec/arm", "--rater", "a\u{1b}[31mna", "--kind", kind], input);
        assert!(out.contains("\\u{1b}[2J"), "{out} {err}");
    }
    let (out, ..) = run(dir.path(), &["label", "rec/arm", "--agreement"], "");
    assert!(out.contains("a\\u{1b}[31mna"), "{out}");
    // Other labels are refused with their line.
    write(dir.path(), "bad.jsonl", "{\"v\":1,\"kind\":\"finding\",\"\u{9b}x\":1}\n");
    let (_, err, code) = run(dir.path(), &["label", "rec/arm", "--rater", "ana", "--labels", "bad.jsonl"], "");
    assert!(code == Some(2) && err.contains("bad.jsonl:1: "), "{err}");
}

#[test]
fn labels_tell_what_a_critic_is_worth() {
    let dir = tempfile::tempdir().unwrap();
    let judges = call(1, "judge", 0, "Is \"The fee is $25.\" a wrong_value?", r#"{"verdict":"spurious"}"#);
    small(dir.path(), DRAFT, FINDINGS, &judges);
    for (rater, kind, input) in [
        ("ana", "findings", "r\ns\n"),
        ("bo", "findings", "r\nr\n"),
        ("ana", "drafts", "i\nc\n"),
        // The two drafts, in the order they are shown: what is not in one is listed for the other alone.
        ("ana", "defects", ".\n.\n"),
    ] {
        assert_eq!(run(dir.path(), &["label", "rec/arm", "--rater", rater, "--kind", kind], input).2, Some(0));
    }
    let critic = |more: &[&str]| -> Value {
        let (out, err, code) = run(dir.path(), &[&["critic", "rec/arm", "--format", "json"], more].concat(), "");
        assert_eq!(code, Some(0), "{err}");
        serde_json::from_str::<Value>(&out).unwrap()["labelled"].clone()
    };
    let found = critic(&[]);
    let raters: Vec<&str> = found.as_array().unwrap().iter().map(|block| block["rater"].as_str().unwrap()).collect();
    assert_eq!(raters, ["human", "judge:small-judge"], "people and judges stand side by side");
    let counts = |block: &Value| -> Vec<Value> {
        let rows = block["severities"].as_array().unwrap().iter();
        rows.map(|row| json!([row["severity"], row["real"], row["spurious"], row["disputed"]])).collect()
    };
    // Both said of one finding that it is real; of the other they contradict each other. Whichever was shown first is the agreed one.
    let mut human = counts(&found[0]);
    human.sort_by_key(|row| row[1].as_u64());
    assert_eq!((&human[0][3], &human[1][1], &human[1][3]), (&json!(1), &json!(1), &json!(0)), "{human:?}");
    assert_eq!(counts(&found[1]), [json!(["blocking", 0, 0, 0]), json!(["minor", 0, 1, 0])]);
    assert_eq!(found[1]["spurious"]["value"], Value::Null, "a severity has no label");
    // The draft that the critic read was found fault with; the last one nobody criticised.
    let measures = |name: &str| (found[0][name]["num"].clone(), found[0][name]["den"].clone());
    let (alarms, approvals) = (measures("false_alarms"), measures("false_approvals"));
    assert!(alarms == (json!(1), json!(1)) && approvals.1 == json!(0) || alarms.1 == json!(0) && approvals == (json!(0), json!(1)));
    assert_eq!(measures("recall"), (json!(0), json!(0)));
    let (out, ..) = run(dir.path(), &["critic", "rec/arm", "--resolve", "unanimous"], "");
    assert!(out.contains("spurious findings by severity, by human") && out.contains("By people."), "{out}");
    // Labels of another recording are listed and not used.
    small(dir.path(), DRAFT, &FINDINGS.replace("It is $20.", "It is $30."), "");
    let (out, ..) = run(dir.path(), &["critic", "rec/arm"], "");
    assert!(out.contains("2 labels are of something else by now") && out.contains("what was judged has changed"), "{out}");
}

#[test]
fn the_shipped_labels_say_what_the_docs_quote() {
    let (out, err, code) = run(Path::new(ROOT), &["critic", "recordings/payments-qwen-1.5b/findings-serial"], "");
    assert_eq!(code, Some(0), "{err}");
    let docs = std::fs::read_to_string(Path::new(ROOT).join("docs/labels.md")).unwrap();
    for row in ["major    | 9/9 100.0% [70-100] |", "minor    | 26/30 86.7% [70-95] |", "35/39 |"] {
        assert!(out.contains(row) && docs.contains(row), "{row}\n{out}");
    }
    // Labels of one arm do not touch another, whose recording is not the same.
    let (out, ..) = run(Path::new(ROOT), &["critic", "recordings/payments-qwen-0.5b/findings-serial"], "");
    assert!(!out.contains("model-reader") && !out.contains("Stale"), "{out}");
}
