//! `redraft gate` from end to end, in an empty folder: a project is begun, a baseline saved, a planted regression found; an unchanged arm, one
//! that did nothing, and a wrong path. And the same by the script that CI runs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use redraft::report;
use serde_json::Value;

struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

fn run(command: &mut Command) -> Ran {
    let output = command.env_remove("CI").env_remove("GITHUB_ACTIONS").env("NO_COLOR", "1").stdin(Stdio::null()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ran { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
}

fn redraft(dir: &Path, args: &[&str]) -> Ran {
    run(Command::new(env!("CARGO_BIN_EXE_redraft")).current_dir(dir).args(args))
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Made once, and copied for every test.
static PROJECT: LazyLock<PathBuf> = LazyLock::new(|| {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gate");
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    assert_eq!(redraft(&dir, &["init", "-q"]).code, Some(0));
    let saved = redraft(&dir, &["gate", "recordings/example/current", "--save-baseline", "baseline.parquet", "-q"]);
    assert_eq!((saved.code, saved.out.as_str()), (Some(0), "wrote baseline.parquet: current, 24 tickets\n"), "{}", saved.err);
    dir
});

/// A project in an empty folder, with its baseline saved.
fn project() -> tempfile::TempDir {
    fn copy(from: &Path, to: &Path) {
        std::fs::create_dir_all(to).unwrap();
        for entry in std::fs::read_dir(from).unwrap().flatten() {
            let (from, to) = (entry.path(), to.join(entry.file_name()));
            if from.is_dir() { copy(&from, &to) } else { std::fs::copy(from, to).map(|_| ()).unwrap() }
        }
    }
    let dir = tempfile::tempdir().unwrap();
    copy(&PROJECT, dir.path());
    dir
}

/// The ids of the example that a text holds.
fn ids(text: &str) -> BTreeSet<String> {
    let of = |(at, _)| text.get(at..at + 5).filter(|id| id.bytes().skip(3).all(|b| b.is_ascii_digit())).map(str::to_owned);
    text.match_indices("ex-").filter_map(of).collect()
}

#[test]
fn the_commands_that_init_names_do_what_it_says() {
    let dir = tempfile::tempdir().unwrap();
    let begun = redraft(dir.path(), &["init", "-q"]);
    let commands: Vec<&str> = begun.out.lines().filter_map(|line| line.strip_prefix("  redraft ")).collect();
    let codes: Vec<Option<i32>> = commands.iter().map(|line| redraft(dir.path(), &line.split(' ').collect::<Vec<_>>()).code).collect();
    assert_eq!(codes, [Some(0), Some(0), Some(1)], "{commands:?}");
}

#[test]
fn every_form_of_the_report_names_the_tickets_of_a_planted_regression() {
    let dir = project();
    let forms: Vec<&str> = report::ALL.iter().map(|form| form.name()).collect();
    let args = ["gate", "recordings/example/new-critic", "-q", "--out", "reports/new", "--report", &forms.join(",")];
    let ran = redraft(dir.path(), &args);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    assert!(ran.out.starts_with("REGRESSED"), "{}", ran.out);
    let out = dir.path().join("reports/new");
    let gate: Value = serde_json::from_str(&read(&out.join("gate.json"))).unwrap();
    let named = &gate["metrics"][0];
    assert_eq!((named["figure"].as_str(), named["verdict"].as_str()), (Some("run_new_error"), Some("REGRESSED")));
    let tickets: Vec<&str> = named["tickets"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    assert!(tickets.len() >= 6, "{tickets:?}");
    let all: BTreeSet<String> = tickets.iter().map(|id| (*id).to_owned()).collect();
    // Whole where a program reads on, and the worst where a form has a limit.
    let junit = read(&out.join("junit.xml"));
    let suite = junit.split("<testsuite name=\"redraft.tickets\"").nth(1).and_then(|rest| rest.split("</testsuite>").next()).unwrap();
    assert_eq!(ids(suite), all, "{junit}");
    for form in ["annotations", "job-summary", "comment", "html", "json"] {
        let text = redraft(dir.path(), &["report", "reports/new", "-q", "--format", form]).out;
        let missing: Vec<&&str> = tickets.iter().take(5).filter(|id| !text.contains(**id)).collect();
        assert!(missing.is_empty(), "{form} lacks {missing:?}");
    }
    // Of other tickets an error is never told.
    let errors: String = read(&out.join("annotations.txt")).lines().filter(|line| line.starts_with("::error")).collect();
    assert!(ids(&errors).is_subset(&all) && !ids(&errors).is_empty(), "{errors}");
    // Every ticket comes with a command, and the command works.
    let command = ran.out.lines().find_map(|line| line.split_once("redraft show ")).map(|(_, rest)| rest.to_owned()).unwrap();
    let shown = redraft(dir.path(), &["show", command.split(' ').next().unwrap(), tickets[0]]);
    assert_eq!(shown.code, Some(0), "{}", shown.err);
}

#[test]
fn an_unchanged_arm_passes_against_a_table_of_itself() {
    let dir = project();
    let ran = redraft(dir.path(), &["gate", "recordings/example/current", "-q", "--format", "json"]);
    let gate: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.code, gate["verdict"].as_str(), gate["exact"].as_bool()), (Some(0), Some("PASS"), Some(true)), "{}", ran.out);
    // The baseline says the same as the arm that it was saved from.
    let direct = redraft(
        dir.path(),
        &["gate", "recordings/example/new-critic", "-q", "--baseline", "recordings/example/current", "--format", "json"],
    );
    let saved = redraft(dir.path(), &["gate", "recordings/example/new-critic", "-q", "--format", "json"]);
    assert_eq!((direct.code, direct.out), (saved.code, saved.out));
}

#[test]
fn exit_codes_tell_a_verdict_from_none_and_from_bad_input() {
    let dir = project();
    let arm = |name: &str| dir.path().join("recordings/example").join(name);
    // An arm that covers nothing, and one in which every ticket lacks its calls.
    let spec = read(&arm("current").join("loop.toml"));
    for (name, text) in [("nothing", format!("coverage = \"recorded\"\n{spec}")), ("faulted", spec)] {
        std::fs::create_dir_all(arm(name)).unwrap();
        std::fs::write(arm(name).join("loop.toml"), text).unwrap();
        std::fs::write(arm(name).join("calls.jsonl"), "").unwrap();
    }
    let policy = read(&dir.path().join("gate.toml"));
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write("bad.toml", &policy.replace("2pp", "2%"));
    write("alone.toml", &policy.replace("baseline =", "# baseline ="));
    write("lost.toml", &policy.replace("baseline.parquet", "lost.parquet"));
    write("paired.toml", &policy.replace("\"auto\"", "\"paired\""));
    write("lenient.toml", &policy.replace("\"auto\"", "\"paired\"").replace("on_inconclusive = \"fail\"", "on_inconclusive = \"pass\""));
    for (args, code, says) in [
        (&["recordings/example/nothing"][..], 3, "the candidate has no tickets"),
        (&["recordings/example/faulted"], 3, "every ticket of the candidate errored (24 of 24)"),
        (&["recordings/example/current", "--baseline", "recordings/example/nothing"], 3, "the baseline has no tickets"),
        (&["recordings/example/none"], 2, "recordings/example/none"),
        (&["recordings/example/current", "--baseline", "none"], 2, "none: failed to read the baseline"),
        (&["recordings/example/current", "--policy", "lost.toml"], 2, "lost.parquet: failed to read the baseline"),
        (&["recordings/example/current", "--policy", "none.toml"], 2, "`redraft gate --init` writes one"),
        (&["recordings/example/current", "--policy", "bad.toml"], 2, "expected percentage points, such as 2pp"),
        (&["recordings/example/current", "--policy", "alone.toml"], 3, "no baseline was named"),
        // 24 tickets cannot rule out what the policy asks for.
        (&["recordings/example/current", "--policy", "paired.toml"], 3, "INCONCLUSIVE"),
        (&["recordings/example/current", "--policy", "lenient.toml"], 0, "INCONCLUSIVE"),
        (&["recordings/example/faulted", "--save-baseline", "new.parquet"], 3, "not saved: 24 of 24 tickets errored"),
        (&["recordings/example/current", "--save-baseline", "new.txt"], 2, "expected a name that ends in .parquet"),
        (&["--init"], 2, "gate.toml: is already there and is not written over"),
        (&["--init", "new.toml", "-q"], 0, "wrote new.toml"),
        (&["recordings/example/current", "--init", "x.toml"], 2, "cannot be used with"),
        (&["--no-such-option"], 2, "unexpected argument"),
    ] {
        let ran = redraft(dir.path(), &[&["gate"], args].concat());
        let all = ran.out + &ran.err;
        assert_eq!(ran.code, Some(code), "{args:?}: {all}");
        assert!(all.contains(says) && !all.contains("panicked"), "{args:?}: {all}");
    }
    assert!(!dir.path().join("new.parquet").exists());
    let left: Vec<_> =
        std::fs::read_dir(dir.path()).unwrap().flatten().filter(|e| e.file_name().to_string_lossy().contains("making")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_baseline_is_not_written_over_by_its_own_report() {
    let dir = project();
    assert_eq!(redraft(dir.path(), &["replay", "-q", "recordings/example/current", "--out", "base"]).code, Some(0));
    let files = || ["table.parquet", "ledger.jsonl", "summary.json"].map(|name| std::fs::read(dir.path().join("base").join(name)).unwrap());
    let before = files();
    for (verb, args) in [
        ("gate", &["recordings/example/current", "--baseline", "base", "--out", "base"][..]),
        ("gate", &["recordings/example/current", "--baseline", "base/table.parquet", "--out", "./base/"]),
        ("gate", &["base/ledger.jsonl@current", "--out", "recordings/../base"]),
        ("compare", &["base@current", "recordings/example/current", "--out", "base"]),
    ] {
        let ran = redraft(dir.path(), &[&[verb, "-q"], args].concat());
        assert_eq!(ran.code, Some(2), "{args:?}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains("would be written over") && files() == before, "{args:?}: {}", ran.err);
    }
    // A file of another name is in nobody's way.
    let ran = redraft(dir.path(), &["gate", "-q", "recordings/example/current", "--out", "."]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

#[test]
fn a_verdict_does_not_outlive_its_figures() {
    let dir = project();
    let there = || ["gate.json", "compare.json", "ledger.jsonl", "summary.json"].map(|name| dir.path().join("out").join(name).exists());
    for (args, want) in [
        (&["gate", "recordings/example/new-critic"][..], [true; 4]),
        (&["compare", "recordings/example/current", "recordings/example/new-critic"], [false, true, true, true]),
        // Tables have no runs: those of the run before are of others.
        (&["compare", "baseline.parquet", "baseline.parquet"], [false, true, false, true]),
        (&["replay", "recordings/example/current"], [false, false, true, true]),
    ] {
        redraft(dir.path(), &[args, &["-q", "--out", "out"]].concat());
        assert_eq!(there(), want, "{args:?}");
    }
}

#[test]
fn init_never_writes_over_anything() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("README.md"), "mine").unwrap();
    let ran = redraft(dir.path(), &["init"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("README.md: is already there"), "{}", ran.err);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    assert_eq!(redraft(dir.path(), &["init", "-q", "sub"]).code, Some(0));
    assert_eq!(redraft(dir.path(), &["init", "-q", "sub"]).code, Some(2));
}

/// The script of the CI kit, in a project, as a runner would run it.
fn ci(dir: &Path, variables: &[(&str, &str)]) -> (Ran, String, String) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/ci-gate");
    let (summary, outputs) = (dir.join("summary.md"), dir.join("outputs.txt"));
    let mut command = Command::new("bash");
    command.arg(script).current_dir(dir).env("REDRAFT", env!("CARGO_BIN_EXE_redraft"));
    command.env("GITHUB_STEP_SUMMARY", &summary).env("GITHUB_OUTPUT", &outputs).envs(variables.iter().copied());
    let ran = run(&mut command);
    (ran, std::fs::read_to_string(summary).unwrap_or_default(), std::fs::read_to_string(outputs).unwrap_or_default())
}

#[cfg(unix)]
#[test]
fn the_script_of_the_ci_kit_tells_its_verdict() {
    for (variables, code, outputs, summary) in [
        (&[("CANDIDATE", "recordings/example/current")][..], 0, "verdict=PASS\nexit-code=0\nreport=redraft-report\n", "PASS"),
        (
            &[("CANDIDATE", "recordings/example/new-critic"), ("OUT", "reports/a b"), ("REPORT_NAME", "nightly")],
            1,
            "verdict=REGRESSED\nexit-code=1\nreport=reports/a b\n",
            "REGRESSED",
        ),
        (
            &[("CANDIDATE", "$(touch pwned)"), ("BASELINE", "`touch pwned`")],
            2,
            "verdict=ERROR\nexit-code=2\nreport=redraft-report\n",
            "could not run",
        ),
        (&[("CANDIDATE", "--init=pwned")], 2, "verdict=ERROR\nexit-code=2\nreport=redraft-report\n", "could not run"),
        (&[("CANDIDATE", "x"), ("OUT", "a\nverdict=PASS")], 2, "", ""),
        // No part of a command line, whatever it begins with.
        (&[("CANDIDATE", "recordings/example/current"), ("OUT", "-x")], 0, "verdict=PASS\nexit-code=0\nreport=./-x\n", "PASS"),
        (&[], 2, "", ""),
    ] {
        let dir = project();
        let (ran, written, told) = ci(dir.path(), variables);
        assert_eq!((ran.code, told.as_str()), (Some(code), outputs), "{variables:?}: {}{}", ran.out, ran.err);
        assert!(written.contains(summary) && !dir.path().join("pwned").exists(), "{variables:?}: {written}");
        if variables.len() > 2 {
            assert!(read(&dir.path().join("reports/a b/comment.md")).starts_with("<!-- redraft:nightly -->"));
        }
    }
}

#[test]
fn an_old_report_does_not_pass_for_a_new_one() {
    let dir = project();
    assert_eq!(ci(dir.path(), &[("CANDIDATE", "recordings/example/current")]).0.code, Some(0));
    let (ran, _, told) = ci(dir.path(), &[("CANDIDATE", "recordings/example/none")]);
    assert!(ran.code == Some(2) && told.ends_with("verdict=ERROR\nexit-code=2\nreport=redraft-report\n"), "{told}");
}

#[test]
fn no_input_of_the_action_is_part_of_a_script() {
    let action = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("action.yml"));
    let indent = |line: &str| line.len() - line.trim_start().len();
    let (mut within, mut scripts) = (None, 0);
    for line in action.lines() {
        if within.is_some_and(|at| indent(line) <= at && !line.trim().is_empty()) {
            within = None;
        }
        if line.trim_start().starts_with("run:") || line.trim_start().starts_with("- run:") {
            within = Some(indent(line));
            scripts += 1;
        }
        assert!(within.is_none() || !line.contains("${{"), "{line}");
    }
    assert_eq!(scripts, 3);
    // What a script reads is set for it, and every input is used.
    let inputs = action.split("\ninputs:\n").nth(1).and_then(|rest| rest.split("\noutputs:").next()).unwrap();
    for name in inputs.lines().filter(|line| indent(line) == 2).map(|line| line.trim().trim_end_matches(':')) {
        assert!(action.contains(&format!("inputs.{name}")), "{name}");
    }
}

#[test]
fn the_shipped_loops_are_gated_by_the_policy_that_ships() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let policy = "recordings/payments/gate.toml";
    let gate = |candidate: &str, more: &[&str]| redraft(root, &[&["gate", candidate, "-q", "--policy", policy], more].concat());
    let better = gate("recordings/payments/sim-structured", &[]);
    assert_eq!(better.code, Some(0), "{}{}", better.out, better.err);
    let worse = gate("recordings/payments/sim-prose", &["--baseline", "recordings/payments/sim-structured"]);
    assert_eq!(worse.code, Some(1), "{}{}", worse.out, worse.err);
}
