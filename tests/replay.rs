//! The recorded arms, replayed: they arrive at the drafts that the recorder wrote down, byte for byte, and nothing in a recording changes unnoticed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use redraft::api::key;
use redraft::ledger::{self, Header, Reader};
use redraft::model::{FaultKind, Run, Slot};
use redraft::replay::{Options, Prepared, Tally};
use redraft::tape::check_line;
use serde_json::{Value, json};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Folders with a loop.toml below the given ones whose names begin so, in order.
fn arms(parents: &str, start: &str) -> Vec<PathBuf> {
    let folders = |dir: &Path| -> Vec<PathBuf> {
        let mut all: Vec<PathBuf> =
            std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
        all.sort();
        all
    };
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    let parents = folders(&Path::new(ROOT).join(parents)).into_iter().filter(|path| name(path).starts_with(start));
    parents.flat_map(|parent| folders(&parent)).filter(|path| path.join("loop.toml").exists()).collect()
}

fn complete_arms() -> Vec<PathBuf> {
    let all = [arms("recordings", "payments-qwen-"), arms("tests/data/replay", "smollm2")].concat();
    assert!(all.len() >= 15, "{all:?}");
    all
}

fn run_arm(prepared: &Prepared, jobs: usize) -> (Vec<Run>, Tally) {
    let mut runs = vec![];
    let options = Options { jobs, ..Options::default() };
    let tally = prepared.each(
        &options,
        |_, made| made,
        |made| {
            runs.extend(made);
            Ok(())
        },
    );
    (runs, tally.unwrap())
}

fn runs_of(dir: &Path) -> Vec<Run> {
    run_arm(&Prepared::open(dir).unwrap(), 1).0
}

/// Draft 0, and every draft that a further pass made.
fn drafts(run: &Run) -> Vec<&str> {
    run.passes.iter().filter_map(|pass| pass.draft.as_deref()).collect()
}

fn ledger_of(runs: &[Run]) -> Vec<u8> {
    runs.iter().flat_map(ledger::run_line).collect()
}

#[test]
fn every_arm_arrives_at_the_drafts_that_were_recorded() {
    let (mut all_runs, mut all_drafts, mut all_calls) = (0, 0, 0);
    for dir in complete_arms() {
        let recorded = std::fs::read_to_string(dir.join("drafts.jsonl")).unwrap();
        let recorded: BTreeMap<String, Vec<String>> = recorded
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .map(|row| (row["ticket"].as_str().unwrap().to_owned(), serde_json::from_value(row["drafts"].clone()).unwrap()))
            .collect();
        let prepared = Prepared::open(&dir).unwrap();
        let (runs, tally) = run_arm(&prepared, 2);
        let shown = dir.strip_prefix(ROOT).unwrap().display();
        let mut calls = 0;
        for run in &runs {
            assert_eq!(run.fault, None, "{shown} {}", run.ticket);
            assert_eq!(run.unused, [], "{shown} {}", run.ticket);
            assert_eq!(
                Some(drafts(run)),
                recorded.get(&run.ticket).map(|all| all.iter().map(String::as_str).collect()),
                "{shown} {}",
                run.ticket
            );
            let defects = prepared.lines(&run.ticket, |call| check_line(call, &prepared.program.spec.ignore, false)).unwrap();
            calls += defects.len();
            assert!(defects.iter().all(|(_, found)| found.is_empty()), "{shown} {}: {defects:?}", run.ticket);
        }
        let asked: usize = runs.iter().flat_map(|run| &run.passes).map(|pass| pass.calls.len()).sum();
        assert_eq!(
            [runs.len(), tally.tickets, calls, asked],
            [recorded.len(), recorded.len(), prepared.recording.calls, prepared.recording.calls],
            "{shown}"
        );
        assert_eq!(tally.orphans, [], "{shown}");
        let count: usize = recorded.values().map(Vec::len).sum();
        println!("{shown}: {} runs, {count} drafts equal, {calls} keys equal", runs.len());
        (all_runs, all_drafts, all_calls) = (all_runs + runs.len(), all_drafts + count, all_calls + calls);
    }
    println!("in all: {all_runs} runs, {all_drafts} drafts, {all_calls} calls");
}

#[test]
fn a_recording_that_was_cut_off_has_one_fault_that_names_the_slot() {
    let dirs = arms("tests/data/replay", "cut-off");
    assert!(!dirs.is_empty());
    for dir in dirs {
        let prepared = Prepared::open(&dir).unwrap();
        let (runs, _) = run_arm(&prepared, 1);
        let faults: Vec<_> = runs.iter().filter_map(|run| run.fault.as_ref().map(|fault| (run, fault))).collect();
        let [(run, fault)] = faults.as_slice() else { panic!("{}: {faults:?}", dir.display()) };
        assert_eq!(fault.kind, FaultKind::Missing, "{}", dir.display());
        assert!(fault.what.starts_with("no call was recorded"), "{}", fault.what);
        // The slot is the first that the recording lacks: all it has were asked for.
        let slots: Vec<Slot> = prepared.lines(&run.ticket, |call| call.slot()).unwrap().into_iter().map(|(_, slot)| slot).collect();
        let asked: Vec<Slot> = run.passes.iter().flat_map(|pass| pass.calls.iter().map(|call| call.slot)).collect();
        assert_eq!(asked, slots, "{}", dir.display());
        assert!(slots.iter().all(|slot| slot.to_string() != fault.at), "{}", fault.at);
        assert!(["writer pass ", "critic pass ", "reviser pass "].iter().any(|role| fault.at.starts_with(role)), "{}", fault.at);
        println!("{}: {}: {}: {}", dir.strip_prefix(ROOT).unwrap().display(), run.ticket, fault.at, fault.what);
    }
}

#[test]
fn threads_change_nothing_and_a_ledger_reads_back_as_it_was_written() {
    for dir in complete_arms().into_iter().chain(arms("tests/data/replay", "cut-off")) {
        let prepared = Prepared::open(&dir).unwrap();
        let (runs, _) = run_arm(&prepared, 1);
        let once = ledger_of(&runs);
        for jobs in [2, 8] {
            assert!(ledger_of(&run_arm(&prepared, jobs).0) == once, "{}: {jobs} jobs", dir.display());
        }
        let header = Header {
            v: 1,
            arm: prepared.arm_name.clone(),
            dataset: prepared.dataset.about.name.clone(),
            dataset_digest: prepared.dataset.digest.clone(),
            recording_digest: prepared.recording_digest(),
            synthetic: String::new(),
            spec: prepared.source.clone(),
        };
        let mut file = vec![];
        ledger::write_header(&mut file, &header).unwrap();
        file.extend(once);
        let mut reader = Reader::open(Path::new("ledger.jsonl"), file.as_slice()).unwrap();
        assert_eq!(reader.header, header);
        let mut back = vec![];
        while let Some(run) = reader.next().unwrap() {
            back.push(run);
        }
        assert!(back == runs, "{}", dir.display());
    }
}

/// A small arm copied into a folder of its own, where it can be damaged.
struct Copy {
    dir: tempfile::TempDir,
    lines: Vec<String>,
}

impl Copy {
    fn new() -> Copy {
        let from = Path::new(ROOT).join("tests/data/replay/smollm2-135m/findings-batched");
        let copy = Copy {
            dir: tempfile::tempdir().unwrap(),
            lines: std::fs::read_to_string(from.join("calls.jsonl")).unwrap().lines().map(str::to_owned).collect(),
        };
        let set = Path::new(ROOT).join("datasets/payments-qwen");
        let text = std::fs::read_to_string(from.join("loop.toml")).unwrap();
        let relative = "dataset = \"../../../../../datasets/payments-qwen\"";
        assert!(text.contains(relative));
        copy.write("loop.toml", text.replace(relative, &format!("dataset = {}", json!(set))).as_bytes());
        copy.write_lines();
        copy
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.dir.path().join(name), bytes).unwrap();
    }

    fn write_lines(&self) {
        self.write("calls.jsonl", (self.lines.join("\n") + "\n").as_bytes());
    }

    /// Changes the text of loop.toml.
    fn edit_spec(&self, from: &str, to: &str) {
        let text = std::fs::read_to_string(self.dir.path().join("loop.toml")).unwrap();
        assert!(text.contains(from), "{from}");
        self.write("loop.toml", text.replacen(from, to, 1).as_bytes());
    }

    fn runs(&self) -> Vec<Run> {
        runs_of(self.dir.path())
    }

    /// Place of the first line of this role and pass.
    fn at(&self, role: &str, pass: u32) -> usize {
        let fits = |line: &String| {
            let call: Value = serde_json::from_str(line).unwrap();
            call["slot"]["role"] == role && call["slot"]["pass"] == pass
        };
        self.lines.iter().position(fits).unwrap()
    }

    fn ticket_at(&self, line: usize) -> String {
        let call: Value = serde_json::from_str(&self.lines[line]).unwrap();
        call["slot"]["ticket"].as_str().unwrap().to_owned()
    }

    /// What `redraft verify` says of the copy, and its exit code.
    fn verify(&self) -> (String, Option<i32>) {
        let output = Command::new(env!("CARGO_BIN_EXE_redraft")).arg("verify").arg(self.dir.path()).output().unwrap();
        (String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap(), output.status.code())
    }
}

/// The faults of runs: ticket, kind, slot, what.
fn faults(runs: &[Run]) -> Vec<(&str, FaultKind, &str, &str)> {
    runs.iter().filter_map(|run| run.fault.as_ref().map(|f| (run.ticket.as_str(), f.kind, f.at.as_str(), f.what.as_str()))).collect()
}

#[test]
fn a_flipped_character_of_a_recorded_request_is_named() {
    let mut copy = Copy::new();
    let whole = copy.runs();
    assert_eq!(copy.verify().1, Some(0));
    let at = copy.at("critic", 1);
    let ticket = copy.ticket_at(at);
    let mut call: Value = serde_json::from_str(&copy.lines[at]).unwrap();
    let text = call["request"]["body"]["messages"][1]["content"].as_str().unwrap();
    assert!(text.contains("exacting"));
    call["request"]["body"]["messages"][1]["content"] = text.replacen("exacting", "exactinG", 1).into();
    // The body alone: the line no longer keeps its promise.
    copy.lines[at] = call.to_string();
    copy.write_lines();
    let (said, code) = copy.verify();
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains(&format!("line {}: key_differs: ", at + 1)), "{said}");
    // With the key of that body, replay finds another request in the slot.
    call["key"] = key::key("openai-chat", "/v1/chat/completions", &call["request"]["body"], &[]).into();
    copy.lines[at] = call.to_string();
    copy.write_lines();
    let runs = copy.runs();
    let found = faults(&runs);
    let [(who, FaultKind::Mismatch, "critic pass 1", what)] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(*who, ticket);
    assert!(what.starts_with("messages[1].content: \"…") && what.contains("exactinG") && what.contains("\" -> \"…"), "{what}");
    let (said, code) = copy.verify();
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains(&format!("ticket {ticket}: critic pass 1: messages[1].content: ")), "{said}");
    // The other tickets are as they were.
    let others = |runs: &[Run]| runs.iter().filter(|run| run.ticket != ticket).cloned().collect::<Vec<_>>();
    assert_eq!(others(&runs), others(&whole));
}

#[test]
fn another_temperature_is_named_with_both_values() {
    let copy = Copy::new();
    copy.edit_spec("params = { temperature = 0, max_tokens = 480 }", "params = { temperature = 0.7, max_tokens = 480 }");
    let runs = copy.runs();
    assert!(!runs.is_empty());
    for run in &runs {
        let found = faults(std::slice::from_ref(run));
        assert_eq!(found, [(run.ticket.as_str(), FaultKind::Mismatch, "critic pass 1", "temperature: 0 -> 0.7")]);
    }
    let (said, code) = copy.verify();
    assert_eq!(code, Some(3));
    assert!(said.contains("critic pass 1: temperature: 0 -> 0.7"), "{said}");
}

#[test]
fn a_deleted_line_is_missing() {
    let mut copy = Copy::new();
    let whole = copy.runs();
    let at = copy.at("reviser", 1);
    let ticket = copy.ticket_at(at);
    copy.lines.remove(at);
    copy.write_lines();
    let runs = copy.runs();
    let found = faults(&runs);
    assert_eq!(
        found,
        [(ticket.as_str(), FaultKind::Missing, "reviser pass 1", "no call was recorded; the last one before it is critic pass 1")]
    );
    let run = runs.iter().find(|run| run.ticket == ticket).unwrap();
    let used = whole.iter().find(|run| run.ticket == ticket).unwrap().passes.iter().map(|pass| pass.calls.len()).sum::<usize>();
    assert_eq!(run.unused.len(), used - 3, "what follows the gap is left over");
    assert_eq!(copy.verify().1, Some(3));
}

#[test]
fn a_line_given_twice_is_an_error_that_names_both() {
    let mut copy = Copy::new();
    let at = copy.at("critic", 2);
    let ticket = copy.ticket_at(at);
    copy.lines.insert(at, copy.lines[at].clone());
    copy.write_lines();
    let prepared = Prepared::open(copy.dir.path()).unwrap();
    let error = prepared.each(&Options::default(), |_, made| made, |_| Ok(())).unwrap_err();
    assert_eq!(error.line, Some(at + 2));
    let want = "It says the same: `redraft pack` makes one of the two";
    assert_eq!(error.what, format!("a second call for critic pass 2, ticket `{ticket}`; the first is in line {}. {want}", at + 1));
    let (said, code) = copy.verify();
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains(&format!("calls.jsonl:{}: a second call", at + 2)), "{said}");
}

#[test]
fn the_order_of_lines_and_packing_change_nothing() {
    let mut copy = Copy::new();
    let whole = ledger_of(&copy.runs());
    let plain = copy.lines.clone();
    copy.lines.reverse();
    copy.write_lines();
    assert!(ledger_of(&copy.runs()) == whole, "reversed");
    // No two neighbours of one ticket stay neighbours.
    let (even, odd): (Vec<_>, Vec<_>) = plain.iter().cloned().enumerate().partition(|(at, _)| at % 2 == 0);
    copy.lines = odd.into_iter().chain(even).map(|(_, line)| line).collect();
    copy.write_lines();
    assert!(ledger_of(&copy.runs()) == whole, "interleaved");
    let packed = zstd::encode_all((plain.join("\n") + "\n").as_bytes(), 3).unwrap();
    std::fs::remove_file(copy.dir.path().join("calls.jsonl")).unwrap();
    copy.write("calls.jsonl.zst", &packed);
    assert!(ledger_of(&copy.runs()) == whole, "packed");
    copy.write_lines();
    let both = Prepared::open(copy.dir.path()).err().unwrap();
    assert!(both.what.contains("`redraft pack` merges them"), "{both}");
}
