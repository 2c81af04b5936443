//! The proxy and the providers' own Python libraries. Skipped with a notice where they are not there: REDRAFT_PYTHON names a Python that has the
//! packages openai and anthropic, and `REDRAFT_PYTHON_CLIENTS=required` makes their absence a failure.

#![cfg(feature = "record")]

// Shared with tests/proxy.rs, which looks at more of it.
#[allow(dead_code)]
#[path = "proxy/upstream.rs"]
mod upstream;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use upstream::{Upstream, answer};

/// A Python that has both libraries.
fn python() -> Option<PathBuf> {
    let python = PathBuf::from(std::env::var_os("REDRAFT_PYTHON").unwrap_or("python3".into()));
    let found = Command::new(&python).args(["-c", "import openai, anthropic"]).stderr(Stdio::null()).status();
    let is_there = found.is_ok_and(|status| status.success());
    assert!(
        is_there || std::env::var_os("REDRAFT_PYTHON_CLIENTS").is_none_or(|v| v != "required"),
        "{} lacks openai or anthropic",
        python.display()
    );
    if !is_there {
        println!("skipped: {} has not both openai and anthropic; REDRAFT_PYTHON names one that has", python.display());
    }
    is_there.then_some(python)
}

fn arm(provider: &str, tickets: usize, matching: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("data/dataset.toml", "version = 1\nname = \"d\"\n");
    let line = |n: usize| json!({"id": format!("t{n}"), "prompt": format!("Question {n}?")}).to_string() + "\n";
    write("data/tickets.jsonl", &(0..tickets).map(line).collect::<String>());
    let spec = format!(
        "version = 1\ndataset = \"../data\"\nmatch = \"{matching}\"\n[model]\nprovider = \"{provider}\"\nname = \"m\"\nparams = {{ max_tokens = 100 }}\n\
         [writer]\nsystem = \"You write.\"\nprompt = \"W {{{{ ticket.id }}}}: {{{{ ticket.prompt }}}}\"\n\
         [critic]\nformat = \"prose\"\nprompt = \"C {{{{ ticket.id }}}}: {{{{ draft }}}}\"\n\
         [reviser]\nstrategy = \"whole\"\nprompt = \"R {{{{ ticket.id }}}}: {{{{ draft }}}} / {{{{ critique }}}}\"\n[bounds]\nmax_passes = 1\n"
    );
    write("arm/loop.toml", &spec);
    dir
}

/// What the script says through the proxy, and the proxy's exit code.
fn through(dir: &Path, python: &Path, proxy: &[&str], script: &[&str]) -> (Option<i32>, Vec<Value>, String) {
    let clients = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/proxy/clients.py");
    let mut command = Command::new(env!("CARGO_BIN_EXE_redraft"));
    for name in ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"]
    {
        command.env_remove(name);
    }
    command.arg("proxy").arg(dir.join("arm")).args(proxy).arg("--").arg(python).arg(clients).args(script);
    let output = command.stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = text.lines().filter(|line| line.starts_with('[')).map(|line| serde_json::from_str(line).unwrap()).collect();
    (output.status.code(), said, text + &String::from_utf8_lossy(&output.stderr))
}

#[test]
fn every_form_is_recorded_and_served_to_its_own_library() {
    let Some(python) = python() else { return };
    for form in ["openai-chat", "openai-responses", "anthropic"] {
        for recorded in ["streamed", "whole"] {
            let up = Upstream::start();
            let dir = arm(form, 1, "slot");
            let (code, said, all) = through(dir.path(), &python, &["--upstream", &up.url], &[form, recorded]);
            assert_eq!((code, &said), (Some(0), &vec![json!([form, answer("Was kostet «das»? 你好")])]), "{all}");
            assert_eq!(up.count(), 1);
            for served in ["streamed", "whole"] {
                let (code, again, all) = through(dir.path(), &python, &["--replay"], &[form, served]);
                assert_eq!((code, &again), (Some(0), &said), "{form} {recorded} {served}: {all}");
            }
            assert_eq!(up.count(), 1);
            let calls = std::fs::read_to_string(dir.path().join("arm/calls.jsonl")).unwrap();
            assert!(!calls.contains("sk-test-0123456789-secret"));
        }
    }
}

#[test]
fn a_loop_that_knows_nothing_of_redraft_is_recorded_served_and_replayed() {
    let Some(python) = python() else { return };
    let up = Upstream::start();
    let dir = arm("openai-chat", 3, "key");
    let script = ["loop", "t0", "t1", "t2"];
    let (code, said, all) = through(dir.path(), &python, &["--upstream", &up.url], &script);
    assert_eq!((code, said.len(), up.count()), (Some(0), 3, 9), "{all}");
    let (code, again, all) = through(dir.path(), &python, &["--replay"], &script);
    assert_eq!((code, &again, up.count()), (Some(0), &said, 9), "{all}");
    assert!(all.contains("9 served, 0 unmatched, 0 unused"), "{all}");
    for verb in ["replay", "verify"] {
        let output = Command::new(env!("CARGO_BIN_EXE_redraft")).arg(verb).arg(dir.path().join("arm")).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
