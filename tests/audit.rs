//! The audit on planted violations: for each rule an arm on disk that breaks it and nothing else, made of a clean arm by mutation.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A copy of a shipped arm and its dataset; only tickets without a cut answer, so that nothing at all is found.
struct Copy {
    root: tempfile::TempDir,
    spec: String,
    calls: Vec<Value>,
    tickets: Vec<Value>,
}

impl Copy {
    fn of(arm: &str) -> Copy {
        let from = Path::new(ROOT).join("recordings/payments-qwen-1.5b").join(arm);
        let set = Path::new(ROOT).join("datasets/payments-qwen");
        let read = |path: PathBuf| std::fs::read_to_string(path).unwrap();
        let lines = |text: String| text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>();
        let mut calls = lines(read(from.join("calls.jsonl")));
        let cut: BTreeSet<String> = calls.iter().filter(|call| call["response"].to_string().contains("\"length\"")).map(ticket).collect();
        calls.retain(|call| !cut.contains(&ticket(call)));
        assert!(calls.len() >= 10, "{}", calls.len());
        let spec = read(from.join("loop.toml")).replace("../../../datasets/payments-qwen", "../set");
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("set")).unwrap();
        std::fs::copy(set.join("dataset.toml"), root.path().join("set/dataset.toml")).unwrap();
        Copy { root, spec, calls, tickets: lines(read(set.join("tickets.jsonl"))) }
    }

    fn write(&self, name: &str) -> PathBuf {
        let dir = self.root.path().join(name);
        std::fs::create_dir_all(&dir).unwrap();
        let text = |rows: &[Value]| rows.iter().map(|row| row.to_string() + "\n").collect::<String>();
        std::fs::write(dir.join("loop.toml"), &self.spec).unwrap();
        std::fs::write(dir.join("calls.jsonl"), text(&self.calls)).unwrap();
        std::fs::write(self.root.path().join("set/tickets.jsonl"), text(&self.tickets)).unwrap();
        dir
    }

    /// Changes the texts of a role's turns of the user.
    fn say(&mut self, role: &str, change: impl Fn(&str, &Value) -> String) {
        let tickets = self.tickets.clone();
        for call in self.calls.iter_mut().filter(|call| role.is_empty() || call["slot"]["role"] == role) {
            let known = tickets.iter().find(|t| t["id"] == call["slot"]["ticket"]).unwrap();
            let turn = call["request"]["body"]["messages"].as_array_mut().unwrap().last_mut().unwrap();
            turn["content"] = change(turn["content"].as_str().unwrap(), known).into();
        }
    }

    fn first(&mut self, role: &str) -> &mut Value {
        self.calls.iter_mut().find(|call| call["slot"]["role"] == role).unwrap()
    }
}

fn ticket(call: &Value) -> String {
    call["slot"]["ticket"].as_str().unwrap().to_owned()
}

fn audit(arms: &[&Path], flags: &[&str]) -> (Option<i32>, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_redraft")).arg("audit").args(arms).args(flags).arg("--quiet").output().unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    (out.status.code(), if text.is_empty() { String::from_utf8_lossy(&out.stderr).into_owned() } else { text })
}

/// Codes of the rules that found something in the last of the arms.
fn codes(arms: &[&Path]) -> (Option<i32>, Vec<String>) {
    let (exit, text) = audit(arms, &["--format", "json"]);
    let json: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
    let rules = json["arms"].as_array().unwrap().last().unwrap()["rules"].as_array().unwrap();
    let found = rules.iter().filter(|rule| rule["count"] != 0);
    (exit, found.map(|rule| rule["code"].as_str().unwrap().to_owned()).collect())
}

fn insert_assistant(copy: &mut Copy, text: &str) {
    let messages = copy.first("critic")["request"]["body"]["messages"].as_array_mut().unwrap();
    messages.insert(1, json!({"role": "assistant", "content": text}));
}

const NOTES: &str = "The merchant has called four times this week already and was promised a credit by a colleague on Tuesday afternoon";
const THOUGHT: &str = "I will leave the seven day limit out here because this person surely knows about it from last year anyway";

#[test]
fn every_rule_finds_its_planted_violation_and_no_other_does() {
    let prose = || Copy::of("prose-whole");
    let base = prose();
    assert_eq!(codes(&[&base.write("arm")]), (Some(0), vec![]), "the clean arm");
    let change = |code: &str| -> Option<Copy> {
        let mut copy = prose();
        match code {
            "RD101" => insert_assistant(&mut copy, "Noted."),
            "RD102" => {
                let draft = copy.first("writer")["response"]["body"]["choices"][0]["message"]["content"].as_str().unwrap().to_owned();
                insert_assistant(&mut copy, &draft);
            }
            "RD103" => {
                for call in copy.calls.iter_mut().filter(|call| call["slot"]["role"] == "writer") {
                    call["response"]["body"]["choices"][0]["message"]["reasoning_content"] = THOUGHT.into();
                }
                copy.say("critic", |text, _| format!("{THOUGHT}\n{text}"));
            }
            "RD104" => copy = Copy::of("reflection"),
            "RD201" => copy.say("critic", |text, ticket| text.replace(ticket["prompt"].as_str().unwrap(), "")),
            "RD202" => copy.say("critic", |text, ticket| text.replace(ticket["sources"][0]["text"].as_str().unwrap(), "")),
            "RD203" => copy.say("critic", |text, ticket| {
                let source = ticket["sources"][0]["text"].as_str().unwrap();
                text.replace(source, &source[..source.floor_char_boundary(source.len() / 2)])
            }),
            "RD204" => copy.say("critic", |text, ticket| text.replace(ticket["sources"][0]["id"].as_str().unwrap(), "")),
            "RD205" => {
                copy.tickets.iter_mut().for_each(|ticket| ticket["fields"]["notes"] = NOTES.into());
                let at = copy.spec.find("[critic]").unwrap();
                let prompt = copy.spec[at..].replacen("prompt = '''\n", "prompt = '''\n{{ ticket.fields.notes }}\n", 1);
                copy.spec.replace_range(at.., &prompt);
                copy.say("critic", |text, _| format!("{NOTES}\n{text}"));
            }
            "RD301" => {
                let (old, new) = ("You are an exacting editor.", "This draft is AI-generated. You are an exacting editor.");
                copy.spec = copy.spec.replace(old, new);
                copy.say("critic", |text, _| text.replace(old, new));
            }
            "RD401" => {
                copy = Copy::of("findings-serial");
                let at = copy.spec.find("[reviser]").unwrap();
                let prompt = copy.spec[at..].replacen("prompt = '''\n", "prompt = '''\n{{ critique }}\n", 1);
                copy.spec.replace_range(at.., &prompt);
                let critics: Vec<Value> = copy.calls.iter().filter(|call| call["slot"]["role"] == "critic").cloned().collect();
                for call in copy.calls.iter_mut().filter(|call| call["slot"]["role"] == "reviser") {
                    let same = |c: &&Value| c["slot"]["ticket"] == call["slot"]["ticket"] && c["slot"]["pass"] == call["slot"]["pass"];
                    let said = critics.iter().find(same).unwrap()["response"]["body"]["choices"][0]["message"]["content"].as_str().unwrap();
                    let turn = call["request"]["body"]["messages"].as_array_mut().unwrap().last_mut().unwrap();
                    turn["content"] = format!("{}\n{}", said.trim(), turn["content"].as_str().unwrap()).into();
                }
            }
            "RD402" => copy.spec = copy.spec.replace("max_passes = 3", "max_passes = 0"),
            "RD403" => copy.spec = copy.spec.replace("max_passes = 3", "max_passes = 3\nmax_calls = 2"),
            "RD404" => {
                copy.spec = copy.spec.replace("max_passes = 3", "max_passes = 3\nmax_cost_usd = 0.0001");
                copy.spec.push_str("\n[prices.\"qwen2.5-coder-1.5b\"]\ninput = 1.0\noutput = 1.0\n");
            }
            "RD501" => copy.say("critic", |text, _| text.replace("exacting editor", "careful editor")),
            "RD502" => {
                copy.first("critic")["request"]["body"]["model"] = "another".into();
                copy.first("critic")["response"]["body"]["model"] = "another".into();
            }
            "RD503" => copy.first("critic")["request"]["body"]["temperature"] = json!(0.7),
            "RD504" => copy.first("critic")["response"]["body"]["model"] = "another".into(),
            "RD505" => copy.first("critic")["response"]["body"]["model"] = "qwen2.5-coder-1.5b-20250929".into(),
            "RD701" => copy.calls.last_mut().unwrap()["response"]["body"]["choices"][0]["finish_reason"] = "length".into(),
            "RD702" => copy.calls.last_mut().unwrap()["response"]["body"]["choices"][0]["message"]["content"] = "".into(),
            "RD901" => {
                let allow = "version = 1\n[[allow]]\nrule = \"RD205\"\nreason = \"a style guide\"\n";
                std::fs::write(copy.write("arm").join("audit.toml"), allow).unwrap();
            }
            _ => return None,
        }
        Some(copy)
    };
    let mut wrong = vec![];
    for rule in redraft::audit::ALL {
        let page = rule.page();
        let Some(copy) = change(page.code) else {
            assert!(rule.needs_two(), "{}: no arm is planted for it", page.code);
            continue;
        };
        let dir = copy.write("arm");
        let exit = i32::from(page.severity == redraft::audit::Severity::Error);
        let got = codes(&[&dir]);
        if got != (Some(exit), vec![page.code.to_owned()]) {
            wrong.push(format!("{}: {got:?}\n{}", page.code, audit(&[&dir], &[]).1));
        }
        let (_, text) = audit(&[&dir], &[]);
        if page.code != "RD901" && !text.contains("arm/calls.jsonl:") {
            wrong.push(format!("{}: no line is named:\n{text}", page.code));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn differences_between_arms_are_found() {
    let mut wrong = vec![];
    for code in ["RD601", "RD602", "RD603", "RD604"] {
        let mut copy = Copy::of("prose-whole");
        let first = copy.write("first");
        match code {
            "RD601" => {
                copy.spec = copy.spec.replace("qwen2.5-coder-1.5b", "qwen-next");
                let text = serde_json::to_string(&copy.calls).unwrap().replace("qwen2.5-coder-1.5b", "qwen-next");
                copy.calls = serde_json::from_str(&text).unwrap();
            }
            "RD602" => {
                let at = copy.spec.find("[critic]").unwrap();
                let params = copy.spec[at..].replacen("temperature = 0", "temperature = 0.3", 1);
                copy.spec.replace_range(at.., &params);
                for call in copy.calls.iter_mut().filter(|call| call["slot"]["role"] == "critic") {
                    call["request"]["body"]["temperature"] = json!(0.3);
                }
            }
            "RD603" => {
                copy.spec = copy.spec.replace("{% for s in ticket.sources %}<source", "{% for s in ticket.sources[1:] %}<source");
                copy.say("", |text, ticket| {
                    let source = &ticket["sources"][0];
                    let block =
                        format!("<source id=\"{}\">\n{}\n</source>\n", source["id"].as_str().unwrap(), source["text"].as_str().unwrap());
                    assert!(text.contains(&block));
                    text.replacen(&block, "", 1)
                });
            }
            _ => {
                copy.spec = copy.spec.replace("\"../set\"", "\"../other\"");
                std::fs::create_dir(copy.root.path().join("other")).unwrap();
                std::fs::copy(copy.root.path().join("set/dataset.toml"), copy.root.path().join("other/dataset.toml")).unwrap();
                let text = std::fs::read_to_string(copy.root.path().join("set/tickets.jsonl")).unwrap().replacen('\n', " \n", 1);
                std::fs::write(copy.root.path().join("other/tickets.jsonl"), text).unwrap();
            }
        }
        let second = copy.write("second");
        let got = codes(&[&first, &second]).1;
        if got != [code] {
            wrong.push(format!("{code}: {got:?}\n{}", audit(&[&first, &second], &[]).1));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_cannot_be_judged_is_no_pass_and_hostile_requests_are_data() {
    let mut copy = Copy::of("prose-whole");
    let deep = serde_json::from_str::<Value>(&format!("{}{}", "[".repeat(100), "]".repeat(100))).unwrap();
    let bodies = [
        json!([1]),
        json!({"messages": 7}),
        json!({"messages": [deep]}),
        json!({"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]}),
    ];
    for (call, body) in copy.calls.iter_mut().filter(|call| call["slot"]["role"] == "critic").zip(bodies) {
        call["request"]["body"] = body;
    }
    copy.first("writer")["request"]["body"]["messages"][0]["content"] = "a\u{1b}[2J\u{202e}b".into();
    let dir = copy.write("arm");
    for (format, want) in [("text", 1), ("json", 1), ("sarif", 1)] {
        let (exit, text) = audit(&[&dir], &["--format", format]);
        assert_eq!(exit, Some(want), "{text}");
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{format}");
    }
    let mut copy = Copy::of("prose-whole");
    copy.spec = copy.spec.replacen("version = 1\n", "version = 1\nmatch = \"slot\"\n", 1);
    copy.calls.iter_mut().for_each(|call| drop(call.as_object_mut().unwrap().remove("request")));
    let (exit, text) = audit(&[&copy.write("arm")], &[]);
    assert_eq!(exit, Some(3), "{text}");
    assert!(text.contains("not judged RD101") && text.contains("no request was recorded"), "{text}");
}

#[test]
fn suppressions_need_a_known_rule_and_a_reason() {
    let mut copy = Copy::of("prose-whole");
    copy.say("critic", |text, ticket| text.replace(ticket["sources"][0]["text"].as_str().unwrap(), ""));
    let dir = copy.write("arm");
    for (allow, exit, says) in [
        ("[[allow]]\nrule = \"source-missing\"\nreason = \"the critic knows it by heart\"\n", 0, "allowed RD202"),
        ("[[allow]]\nrule = \"RD202\"\nreason = \" \"\n", 2, "allowed without a reason"),
        ("[[allow]]\nrule = \"RD999\"\nreason = \"x\"\n", 2, "no rule is called `RD999`"),
    ] {
        std::fs::write(dir.join("audit.toml"), format!("version = 1\n{allow}")).unwrap();
        let (code, text) = audit(&[&dir], &[]);
        assert!(code == Some(exit) && text.contains(says), "{code:?} {text}");
    }
}

#[test]
fn shipped_arms_keep_the_contract() {
    for arm in ["payments/sim-prose", "payments-qwen-1.5b/grounded", "payments-qwen-1.5b/findings-serial"] {
        let dir = Path::new(ROOT).join("recordings").join(arm);
        let (exit, text) = audit(&[&dir], &["--strict"]);
        assert_eq!(exit, Some(0), "{text}");
        assert!(text.contains("0 errors, 0 warnings"), "{text}");
    }
}
