//! Hostile input through the command line: no panic, no raw control characters, a clear error.

use std::path::Path;
use std::process::{Command, Output};

fn write(dir: &Path, name: &str, text: &str) {
    let path = dir.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

const CALLS: &str = r#"{"v":1,"slot":{"ticket":"a","pass":0,"role":"writer"},"response":{"status":200,"body":{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":18446744073709551615,"completion_tokens":18446744073709551615}}}}
{"v":1,"slot":{"ticket":"a","pass":1,"role":"critic"},"response":{"status":200,"body":{"choices":[{"message":{"content":"APPROVED"},"finish_reason":"stop"}]}}}
"#;

/// A folder with a dataset of one ticket and an arm called `arm`; `top` and `end` go into its loop.toml.
fn arm(dir: &Path, arm: &str, top: &str, prompt: &str, end: &str) {
    write(dir, "set/dataset.toml", "version = 1\nname = \"s\"\n");
    write(dir, "set/tickets.jsonl", "{\"id\":\"a\",\"prompt\":\"p\"}\n");
    write(dir, &format!("{arm}/calls.jsonl"), CALLS);
    let text = format!(
        "version = 1\ndataset = \"../set\"\nmatch = \"slot\"\n{top}\n[model]\nprovider = \"openai-chat\"\nname = \"m\"\n\
         [prices]\nm = {{ input = 999999999999.0, output = 999999999999.0 }}\n[writer]\nprompt = {prompt}\n\
         [critic]\nformat = \"findings\"\nprompt = \"c\"\n[reviser]\nstrategy = \"batched\"\nprompt = \"r\"\n{end}\n"
    );
    write(dir, &format!("{arm}/loop.toml"), &text);
}

fn redraft(args: &[&str], dir: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_redraft")).args(args).current_dir(dir).output().unwrap()
}

/// Exit code and everything said; asserts what holds for any input.
fn said(args: &[&str], dir: &Path) -> (Option<i32>, String) {
    let out = redraft(args, dir);
    let text = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    assert!(!text.contains("panicked"), "{text}");
    let raw = |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    assert!(!text.contains(raw), "{text:?}");
    (out.status.code(), text)
}

#[test]
fn absurd_specs_are_refused_or_harmless() {
    for (top, prompt, end, code, want) in [
        ("", "\"w\"", "", 0, "arm"),
        ("samples = 4294967295", "\"w\"", "", 2, "samples: 4294967295 is more than 1000"),
        ("", "\"w\"", "[bounds]\nmax_passes = 4294967295", 2, "bounds.max_passes: 4294967295 is more than 1000"),
        ("", "\"w\"", "[bounds]\nmax_passes = 1000", 0, "arm"),
        ("", "{ file = \"..\" }", "", 2, "is a folder; expected a file"),
        #[cfg(unix)]
        ("", "{ file = \"/dev/zero\" }", "", 2, "is no regular file; expected a file"),
        ("", "\"{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}\"", "", 3, "fault"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        arm(dir.path(), "arm", top, prompt, end);
        let (got, text) = said(&["replay", "arm", "--jobs", "100000"], dir.path());
        assert_eq!(got, Some(code), "{text}");
        assert!(text.contains(want), "{want}: {text}");
    }
}

#[test]
#[cfg(unix)]
fn names_cannot_steer_a_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let name = "a\u{1b}[31m\u{202e}\u{9b}m<b>&";
    arm(dir.path(), name, "synthetic = \"\\u009b\\u202e\"", "\"w\"", "");
    for args in [&["verify", name][..], &["replay", name], &["replay", name, "--format", "json"], &["show", name, "a"]] {
        assert_eq!(said(args, dir.path()).0, Some(0), "{args:?}");
    }
    let (code, text) = said(&["replay", name, "--out", "set/tickets.jsonl"], dir.path());
    assert_eq!(code, Some(2), "{text}");
}

#[test]
#[cfg(unix)]
fn progress_is_no_command() {
    let dir = tempfile::tempdir().unwrap();
    let name = "\n::error::a\u{1b}[31m";
    arm(dir.path(), name, "", "\"w\"", "");
    let (mut tickets, mut calls) = (String::new(), String::new());
    for n in 0..100 {
        tickets += &format!("{{\"id\":\"::error::{n}\",\"prompt\":\"p\"}}\n");
        calls += &CALLS.replace("\"ticket\":\"a\"", &format!("\"ticket\":\"::error::{n}\""));
    }
    write(dir.path(), "set/tickets.jsonl", &tickets);
    write(dir.path(), &format!("{name}/calls.jsonl"), &calls);
    for args in [&["replay", name][..], &["compare", name, name], &["show", name, "::error::7"]] {
        let (code, text) = said(args, dir.path());
        assert_eq!(code, Some(0), "{args:?}: {text}");
        assert!(!text.lines().any(|line| line.trim_start().starts_with("::")), "{args:?}: {text}");
        assert!(args[0] == "show" || text.contains("100/100 tickets"), "{args:?}: {text}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn what_cannot_be_said_changes_no_exit_code() {
    let dir = tempfile::tempdir().unwrap();
    arm(dir.path(), "arm", "", "\"w\"", "");
    for (args, code) in [(&["replay", "arm", "--out", "out"][..], 0), (&["replay", "none"], 2)] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let status = Command::new(env!("CARGO_BIN_EXE_redraft")).args(args).current_dir(dir.path()).stderr(full).output().unwrap().status;
        assert_eq!(status.code(), Some(code), "{args:?}");
    }
}

#[test]
fn a_recording_that_unpacks_without_end_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    arm(dir.path(), "arm", "", "\"w\"", "");
    std::fs::remove_file(dir.path().join("arm/calls.jsonl")).unwrap();
    let blank = zstd::stream::encode_all(std::io::Read::take(std::io::repeat(b'\n'), (1 << 28) + 2), 1).unwrap();
    std::fs::write(dir.path().join("arm/calls.jsonl.zst"), blank).unwrap();
    let (code, text) = said(&["replay", "arm"], dir.path());
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("unpacks to more than 268435456 bytes"), "{text}");
}

#[test]
fn what_a_killed_run_left_is_swept_up_and_a_report_is_whole() {
    let dir = tempfile::tempdir().unwrap();
    arm(dir.path(), "arm", "", "\"w\"", "");
    write(dir.path(), "out/.making-dead/lock", "");
    write(dir.path(), "out/.making-dead/ledger.jsonl", "half");
    write(dir.path(), "out/.making-mine/notes", "not ours");
    assert_eq!(said(&["replay", "arm", "--out", "out"], dir.path()).0, Some(0));
    let exists = |name: &str| dir.path().join("out").join(name).exists();
    assert_eq!([exists(".making-dead"), exists(".making-mine"), exists("lock"), exists("ledger.jsonl")], [false, true, false, true]);
    std::fs::create_dir_all(dir.path().join("taken/table.csv")).unwrap();
    let (code, text) = said(&["replay", "arm", "--out", "taken"], dir.path());
    assert_eq!((code, text.contains("a folder stands where the report goes")), (Some(2), true), "{text}");
    assert!(!dir.path().join("taken/ledger.jsonl").exists());
}
