//! Cases of the command line, run as the real binary: exit codes, what goes where, broken tickets, ids.

use std::path::Path;
use std::process::{Command, Stdio};

use redraft::dataset::Dataset;
use redraft::model::{FaultKind, Run};
use serde_json::{Value, json};

use crate::arm::TempArm;
use crate::sheet::{Case, Sheet};
use crate::verdict;

/// How a command ended and what it said.
pub struct Ran {
    /// None where a signal ended it.
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

fn binary() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_redraft"));
    command.env_remove("NO_COLOR").env_remove("CI").stdin(Stdio::null());
    command
}

pub fn redraft(args: &[&str]) -> Ran {
    ran(binary().args(args))
}

fn ran(command: &mut Command) -> Ran {
    let output = command.output().expect("a command that starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ran { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
}

/// Every file under a folder with its bytes, by name.
pub fn files(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = vec![];
    let mut open = vec![dir.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(dir).unwrap_or(&path).display().to_string();
                found.push((name, std::fs::read(&path).unwrap_or_default()));
            }
        }
    }
    found.sort();
    found
}

/// The most memory that a command held at once, in MiB, as the kernel counts it; None where there is no /proc.
pub fn peak_memory_mib(args: &[&str]) -> Option<u64> {
    let mut child = binary().args(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak = None;
    while child.try_wait().ok()?.is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let high = text.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
        peak = high.map(|kib| kib.div_ceil(1024)).max(peak);
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    peak
}

pub fn record(ticket: &str, step: u64, role: &str, text: &str) -> Value {
    json!({"ticket": ticket, "step": step, "role": role, "response": {"status": 200, "stop_reason": "end_turn", "text": text}})
}

/// An arm in which nothing is wrong: every ticket has one finding, one revision, and an approval.
pub fn fine_arm(tickets: usize) -> TempArm {
    let finding = json!({"findings": [{"defect": "vague", "location": "It comes soon.", "severity": "minor", "detail": "d", "fix": "f"}]});
    let records: Vec<Value> = (0..tickets)
        .flat_map(|n| {
            let id = format!("T{n}");
            [
                record(&id, 0, "writer", &format!("Hello {n}.\n\nIt comes soon.\n")),
                record(&id, 1, "critic", &finding.to_string()),
                record(&id, 2, "reviser", &format!("Hello {n}.\n\nIt comes on 4 May.\n")),
                record(&id, 3, "critic", "APPROVED"),
            ]
        })
        .collect();
    TempArm::new(&records, None, None)
}

/// An arm with one ticket whose critic was not recorded.
fn broken_arm() -> TempArm {
    let records = [record("T1", 0, "writer", "Draft."), record("T1", 1, "critic", "APPROVED"), record("T2", 0, "writer", "Draft.")];
    TempArm::new(&records, None, Some(1))
}

pub fn path(arm: &TempArm) -> String {
    arm.dir().display().to_string()
}

pub fn empty_dataset(sheet: &mut Sheet, at: &str, want: &Value, bytes: Vec<u8>) {
    let arm = fine_arm(1);
    arm.write("dataset/tickets.jsonl", &bytes);
    let out = arm.root().join("out");
    let ran = redraft(&["replay", "--out", &out.display().to_string(), &path(&arm)]);
    sheet.each(at, want, |sheet, field, name, want| {
        match name {
            "exit_code_class" | "exit_class" => sheet.eq(field, want, class(ran.code)),
            "message" => {
                let names = ran.err.contains("tickets.jsonl") && ran.err.contains("holds no tickets");
                sheet.holds(field, want, names, &ran.err);
            }
            "report_written" => sheet.eq(field, want, !files(&out).is_empty()),
            _ => return false,
        }
        true
    });
}

pub fn class(code: Option<i32>) -> &'static str {
    match code {
        Some(0) => "fine",
        Some(1) => "gate broken",
        Some(2) => "bad input",
        Some(3) => "no verdict",
        _ => "other",
    }
}

/// One ticket that cannot be replayed among others that can.
pub fn broken_ticket(case: &Case, sheet: &mut Sheet) {
    let arm = TempArm::new(&case.rows("recording.jsonl"), Some(&case.rows("dataset.jsonl")), None);
    let (runs, _) = arm.replay(1);
    let fine = |run: &&Run| run.fault.is_none();
    let told = |run: &Run| run.fault.as_ref().map(|fault| (run.ticket.clone(), json!(case_fault(fault.kind, &fault.at))));
    sheet.each("", &Value::Object(case.expect.clone()), |sheet, field, name, want| {
        match name {
            "rows in the report" => {
                sheet.eq(field.clone(), want, runs.len());
                let out = arm.root().join("rows");
                redraft(&["replay", "--quiet", "--out", &out.display().to_string(), &path(&arm)]);
                let files = files(&out);
                let file = |wanted: &str| files.iter().find(|(name, _)| name == wanted).map_or(&[][..], |(_, bytes)| bytes.as_slice());
                // A header line first.
                sheet.eq(
                    format!("{field}: ledger.jsonl"),
                    want,
                    file("ledger.jsonl").iter().filter(|b| **b == b'\n').count().saturating_sub(1),
                );
                let summary: Value = serde_json::from_slice(file("summary.json")).unwrap_or_default();
                sheet.eq(format!("{field}: summary.json"), want, summary["arms"][0]["tickets"].clone());
            }
            "ok" => sheet.eq(field, want, runs.iter().filter(fine).map(|run| json!(run.ticket)).collect::<Value>()),
            "errored" => sheet.eq(field, want, Value::Object(runs.iter().filter_map(told).collect())),
            "n_errored" => sheet.eq(field, want, runs.iter().filter(|run| run.fault.is_some()).count()),
            "exit" => {
                sheet.eq(format!("{field} of verify"), want, redraft(&["verify", &path(&arm)]).code);
                sheet.eq(format!("{field} of replay"), want, redraft(&["replay", &path(&arm)]).code);
            }
            "same for" => sheet.holds(field, want, [2, 8].iter().all(|jobs| arm.replay(*jobs).0 == runs), "other runs"),
            "a panic inside one ticket" => {
                sheet.later.push((field, "no input is known that makes redraft panic; src/replay.rs turns one into a fault"))
            }
            _ => return false,
        }
        true
    });
}

/// `miss: critic, step 1` of our `missing` at `critic pass 1`.
fn case_fault(kind: FaultKind, at: &str) -> String {
    let mut words = at.split(' ');
    let (role, pass) = (words.next().unwrap_or_default(), words.nth(1).and_then(|n| n.parse::<u32>().ok()).unwrap_or(0));
    let step = match role {
        "critic" => (2 * pass).saturating_sub(1),
        "reviser" => 2 * pass,
        _ => 0,
    };
    let kind = if kind == FaultKind::Missing { "miss".to_owned() } else { json!(kind).as_str().unwrap_or_default().to_owned() };
    format!("{kind}: {role}, step {step}")
}

/// Tickets files, good and bad, by name.
pub fn ids(case: &Case, sheet: &mut Sheet) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    sheet.each("", &Value::Object(case.expect.clone()), |sheet, field, name, want| {
        if !case.has(name) {
            return false;
        }
        let ending = name.rsplit('.').next().unwrap_or_default();
        let root = dir.path().join(name);
        let write = |file: &str, bytes: &[u8]| {
            std::fs::create_dir_all(&root).and_then(|()| std::fs::write(root.join(file), bytes)).expect("a written file")
        };
        write("dataset.toml", b"version = 1\nname = \"case\"\n");
        // The cases call an id `ticket`; our files call it `id`.
        let bytes = case.text(name).replace("{\"ticket\":", "{\"id\":");
        write(&format!("tickets.{ending}"), bytes.as_bytes());
        let ids = (|| {
            let dataset = Dataset::open(&root)?;
            let mut tickets = dataset.tickets()?;
            let mut ids = vec![];
            while let Some(raw) = tickets.next()? {
                ids.push(dataset.read(&raw)?.id);
            }
            Ok::<_, redraft::error::Error>(ids)
        })();
        let arm = fine_arm(1);
        std::fs::remove_file(arm.root().join("dataset/tickets.jsonl")).expect("a removed file");
        arm.write(&format!("dataset/tickets.{ending}"), bytes.as_bytes());
        let ran = redraft(&["verify", &path(&arm)]);
        let listed = |ids: &Vec<String>| json!(ids);
        sheet.each(&field, want, |sheet, field, name, want| {
            match name {
                "exit_class" => sheet.eq(field, want, class(ran.code)),
                "tickets" => sheet.eq(field, want, ids.as_ref().map_or_else(|e| e.to_string().into(), listed)),
                "n" => sheet.eq(field, want, ids.as_ref().ok().map(Vec::len)),
                "message names" => {
                    let id = want["id"].as_str().unwrap_or_default();
                    let numbers: Vec<String> =
                        ran.err.split(|c: char| !c.is_ascii_digit()).filter(|n| !n.is_empty()).map(str::to_owned).collect();
                    let lines = want["lines"].as_array().into_iter().flatten().all(|line| numbers.contains(&line.to_string()));
                    sheet.holds(field, want, ran.err.contains(&format!("`{id}`")) && lines, &ran.err);
                }
                // "line 1: id must be a string": ours gives the line behind the path.
                "message" => {
                    let text = want.as_str().unwrap_or_default();
                    let (line, what) = text.strip_prefix("line ").and_then(|rest| rest.split_once(": ")).unwrap_or(("", text));
                    let found = ran.err.contains(what) && (line.is_empty() || ran.err.contains(&format!(".{ending}:{line}: ")));
                    sheet.holds(field, want, found, &ran.err);
                }
                _ => return false,
            }
            true
        });
        true
    });
}

/// A table of invocations in words and their exit codes.
pub fn exit_codes(case: &Case, sheet: &mut Sheet) {
    sheet.each("", &Value::Object(case.expect.clone()), |sheet, field, name, want| {
        match name {
            "table" => {
                for row in want.as_array().into_iter().flatten() {
                    let words = row[0].as_str().unwrap_or_default();
                    if !invocation(sheet, format!("{field}: {words}"), words, &row[1]) {
                        sheet.unknown(format!("{field}: {words}"));
                    }
                }
            }
            "stdout on success with --json" | "stderr" => {
                let ran = redraft(&["replay", "--format", "json", &path(&fine_arm(3))]);
                let document = serde_json::from_str::<Value>(&ran.out).is_ok();
                let human = !ran.err.contains('{') && !ran.err.contains("panicked");
                sheet.holds(field, want, if name == "stderr" { human } else { document }, format!("{}{}", ran.out, ran.err));
            }
            _ => return false,
        }
        true
    });
}

fn invocation(sheet: &mut Sheet, field: String, words: &str, want: &Value) -> bool {
    match words {
        "gate requested and met" => {
            let arm = verdict::arm(&verdict::rows(30, false));
            sheet.eq(field, want, verdict::gate(&arm, &arm).code);
        }
        "gate requested and broken" | "gate broken and tickets errored" => {
            let mut rows = verdict::rows(30, true);
            if words.contains("errored") {
                rows[7] = json!({"ticket": "T7", "status": "error"});
            }
            let ran = verdict::gate(&verdict::arm(&verdict::rows(30, false)), &verdict::arm(&rows));
            sheet.eq(&field, want, ran.code);
            let errored = ran.out.contains("1 ticket of the candidate errored");
            sheet.holds(format!("{field}: says what errored"), want, errored == words.contains("errored"), ran.out);
        }
        "replay, no gate requested, all tickets fine" | "replay, no gate, many findings (that is the measurement)" => {
            sheet.eq(field, want, redraft(&["replay", &path(&fine_arm(3))]).code);
        }
        "unknown option, missing file, bad dataset or recording" => {
            let (bad_set, bad_calls) = (fine_arm(1), fine_arm(1));
            bad_set.write("dataset/tickets.jsonl", b"{\"id\": 7}\n");
            bad_calls.write("arm/calls.jsonl", b"no json\n");
            let fine = path(&fine_arm(1));
            for (name, args) in [
                ("unknown option", vec!["replay", "--no-such-option", &fine]),
                ("missing file", vec!["replay", "/no/such/arm"]),
                ("bad dataset", vec!["replay", &path(&bad_set)]),
                ("bad recording", vec!["replay", &path(&bad_calls)]),
            ] {
                let ran = redraft(&args);
                sheet.eq(format!("{field}: {name}"), want, ran.code);
                sheet.holds(format!("{field}: {name} says why"), want, !ran.err.is_empty() && ran.out.is_empty(), ran.out + &ran.err);
            }
        }
        "no verdict possible: baseline missing, nothing comparable, or tickets errored" => {
            sheet.eq(format!("{field}: tickets errored"), want, redraft(&["replay", &path(&broken_arm())]).code);
            let (fine, empty) = (verdict::arm(&verdict::rows(30, false)), verdict::arm(&[]));
            sheet.eq(format!("{field}: nothing comparable"), want, verdict::gate(&fine, &empty).code);
            let mut rows = verdict::rows(30, false);
            rows[7] = json!({"ticket": "T7", "status": "error"});
            sheet.eq(format!("{field}: tickets errored under a gate"), want, verdict::gate(&fine, &verdict::arm(&rows)).code);
            fine.write("gate.toml", verdict::POLICY.as_bytes());
            let policy = fine.root().join("gate.toml").display().to_string();
            sheet.eq(format!("{field}: no baseline named"), want, redraft(&["gate", &path(&fine), "--policy", &policy]).code);
        }
        "interrupted by Ctrl-C" => match interrupted() {
            Some(code) => sheet.eq(field, want, code),
            None => sheet.later.push((field, "needs kill")),
        },
        "stdout closed early (| head)" => {
            let ran = closed_early();
            let code = ran.code.map_or("141".to_owned(), |code| code.to_string());
            let allowed = want.as_str().unwrap_or_default().split([' ', ',']).any(|word| word == code);
            sheet.holds(field, want, allowed && !ran.err.contains("panicked"), format!("{code} {}", ran.err));
        }
        _ => return false,
    }
    true
}

/// The shell's code for a command that waits (its output goes into a pipe that nobody reads, and is more than the pipe holds) and is sent
/// an interrupt.
#[cfg(unix)]
fn interrupted() -> Option<i32> {
    use std::os::unix::process::ExitStatusExt;
    // Whoever starts the tests in the background may have told them to ignore interrupts, and a command inherits that.
    let ignored = std::fs::read_to_string("/proc/self/status").ok().and_then(|status| {
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?.trim().to_owned();
        u64::from_str_radix(&mask, 16).ok()
    });
    if ignored.is_some_and(|mask| mask & 2 != 0) {
        return None;
    }
    let arm = fine_arm(2000);
    let args = ["replay", &path(&arm), "--format", "csv"];
    let mut child = binary().args(args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    // Longer than the work takes: then it would have ended, were it not waiting.
    std::thread::sleep(std::time::Duration::from_secs(3));
    if child.try_wait().ok()?.is_some() {
        return Some(-1);
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().ok()?.success().then_some(())?;
    let status = child.wait().ok()?;
    status.code().or_else(|| status.signal().map(|signal| 128 + signal))
}

#[cfg(not(unix))]
fn interrupted() -> Option<i32> {
    None
}

fn closed_early() -> Ran {
    let arm = fine_arm(300);
    let mut child = binary()
        .args(["replay", "--quiet", &path(&arm)])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a command that starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("a command that ends");
    Ran { code: output.status.code(), out: String::new(), err: String::from_utf8_lossy(&output.stderr).into_owned() }
}

/// Progress where nobody watches: in files, on a dumb terminal, with --quiet.
pub fn progress(case: &Case, sheet: &mut Sheet) {
    let tickets = 300;
    let arm = fine_arm(tickets);
    let dir = path(&arm);
    let plain = redraft(&["replay", "--jobs", "2", &dir]);
    let quiet = redraft(&["replay", "--jobs", "2", "--quiet", &dir]);
    sheet.each("", &Value::Object(case.expect.clone()), |sheet, field, name, want| {
        match name {
            "with stdout and stderr redirected to files" => sheet.each(&field, want, |sheet, field, name, want| {
                match name {
                    "bytes 0x0D in either" => sheet.eq(field, want, count(&plain, '\r')),
                    "bytes 0x1B in either" => sheet.eq(field, want, count(&plain, '\u{1b}')),
                    "stdout" => sheet.holds(field, want, plain.out == quiet.out && !plain.out.is_empty(), &plain.out),
                    _ if name.starts_with("stderr lines for ") => {
                        let asked = name.split(' ').find_map(|word| word.parse::<usize>().ok()).unwrap_or(tickets);
                        let lines = if asked == tickets {
                            plain.err.lines().count()
                        } else {
                            redraft(&["replay", "--jobs", "2", &path(&fine_arm(asked))]).err.lines().count()
                        };
                        let bounds: Vec<usize> =
                            want.as_str().unwrap_or_default().split(' ').filter_map(|word| word.parse().ok()).collect();
                        sheet.holds(field, want, bounds.len() == 2 && (bounds[0]..=bounds[1]).contains(&lines), lines);
                    }
                    _ => return false,
                }
                true
            }),
            "with NO_COLOR=1 on a terminal" => match on_terminal(&["replay", &dir], "NO_COLOR", "1") {
                Some(seen) => sheet.holds(field, want, !has_colour(&seen), seen),
                None => sheet.later.push((field, "needs script, which gives a command a terminal")),
            },
            "with --quiet" => sheet.holds(field, want, quiet.err.is_empty() && quiet.code == Some(0), &quiet.err),
            "TERM=dumb" => match on_terminal(&["replay", &dir], "TERM", "dumb") {
                Some(seen) => {
                    let seen = seen.replace("\r\n", "\n");
                    sheet.holds(field, want, !seen.contains(['\r', '\u{1b}']) && done(&seen) == done(&plain.err), seen);
                }
                None => sheet.later.push((field, "needs script, which gives a command a terminal")),
            },
            "order" => {
                let all = done(&plain.err);
                let forward = all.is_sorted() && all.iter().all(|(done, total)| done <= total && *total == tickets);
                sheet.holds(field, want, forward && !all.is_empty(), &plain.err);
            }
            _ => return false,
        }
        true
    });
}

fn count(ran: &Ran, c: char) -> usize {
    ran.out.matches(c).count() + ran.err.matches(c).count()
}

/// The done/total of each progress line.
fn done(text: &str) -> Vec<(usize, usize)> {
    let pair = |word: &str| word.split_once('/').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    text.lines().filter(|line| line.ends_with(" tickets")).filter_map(|line| line.split(' ').find_map(pair)).collect()
}

/// SGR sequences, which colour; moving the cursor is no colour.
fn has_colour(text: &str) -> bool {
    let sequence = |rest: &str| {
        rest.strip_prefix('[').is_some_and(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').starts_with('m'))
    };
    text.split('\u{1b}').skip(1).any(sequence)
}

/// What a command says on a terminal, standard output and error as they come.
fn on_terminal(args: &[&str], variable: &str, value: &str) -> Option<String> {
    let quoted: Vec<String> =
        std::iter::once(env!("CARGO_BIN_EXE_redraft")).chain(args.iter().copied()).map(|a| format!("'{a}'")).collect();
    let mut command = Command::new("script");
    command.args(["-qec", &quoted.join(" "), "/dev/null"]).env("TERM", "xterm-256color").env_remove("NO_COLOR").stdin(Stdio::null());
    let output = command.env(variable, value).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
