//! Cases of recordings: keys, calls left over, files cut off by a crash, failed attempts, and sets that are large.

use redraft::api::key;
use redraft::model::{Run, Slot};
use redraft::tape::Recording;
use serde_json::{Value, json};

use crate::arm::{TempArm, call, step_of};
use crate::command::{peak_memory_mib, redraft};
use crate::sheet::{Case, Sheet};

fn digest(bytes: &[u8]) -> String {
    redraft::report::hash::sha256(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A recorded request and probes that may or may not be answered by it.
pub fn keys(case: &Case, sheet: &mut Sheet) {
    let ignore = ["request_id", "sent_at"].map(String::from);
    let recorded = case.json("recorded.json");
    let key = |body: &Value| key::key("anthropic", "/v1/messages", body, &ignore);
    let probes = case.rows("probes.jsonl");
    let hits: Vec<bool> = probes.iter().map(|probe| key(&probe["request"]) == key(&recorded)).collect();
    let prompts: Vec<&String> = case.files.iter().filter(|file| file.starts_with("prompt")).collect();
    sheet.each("", &Value::Object(case.expect.clone()), |sheet, field, name, want| {
        match name {
            "by_probe" => sheet.eq(field, want, hits.iter().map(|hit| json!(if *hit { "hit" } else { "miss" })).collect::<Value>()),
            "hits" => sheet.eq(field, want, hits.iter().filter(|hit| **hit).count()),
            "misses" => sheet.eq(field, want, hits.iter().filter(|hit| !**hit).count()),
            // That a miss ends the ticket, with slot and field, is held by tests/replay.rs; here: a field is named for every miss.
            "on a miss" => {
                let told = |(probe, hit): (&Value, &bool)| key::difference_but(&recorded, &probe["request"], &ignore).is_some() != *hit;
                sheet.holds(field, want, probes.iter().zip(&hits).all(told), "a miss without a field, or a hit with one");
            }
            "prompt file hash (both files)" => {
                for file in &prompts {
                    let arm = TempArm::new(&[], Some(&[]), None);
                    arm.write("prompt.txt", &case.bytes(file));
                    let toml =
                        crate::story::spec("batched", 1, false).replace("prompt = \"{{ draft }}\"", "prompt = { file = \"prompt.txt\" }");
                    let spec = redraft::arm::Spec::parse(&arm.root().join("loop.toml"), &toml, arm.root()).expect("a sound spec");
                    sheet.eq(format!("{field}: {file}"), want, digest(spec.critic.prompt.as_bytes()));
                }
            }
            _ => match name.strip_prefix("raw bytes of ").and_then(|rest| rest.split(' ').next()).filter(|file| case.has(file)) {
                Some(file) => sheet.eq(field, want, digest(&case.bytes(file))),
                None => return false,
            },
        }
        true
    });
}

/// Every recorded call that the loop never asked for, the tickets that the dataset lacks included, as [ticket, step, role].
fn unused(arm: &TempArm) -> (usize, Vec<Value>, Vec<String>) {
    let (runs, tally) = arm.replay(1);
    let of = |ticket: &str, slot: Slot| json!([ticket, step_of(slot), slot.role]);
    let mut list: Vec<Value> = runs.iter().flat_map(|run| run.unused.iter().map(|slot| of(&run.ticket, *slot))).collect();
    let orphans: Vec<String> = tally.orphans.iter().map(|(_, ticket)| ticket.clone()).collect();
    let prepared = arm.open();
    for ticket in &orphans {
        list.extend(prepared.lines(ticket, |call| of(ticket, call.slot())).expect("readable lines").into_iter().map(|(_, row)| row));
    }
    (runs.iter().map(calls).sum(), list, orphans)
}

fn calls(run: &Run) -> usize {
    run.passes.iter().map(|pass| pass.calls.len()).sum()
}

pub fn left_over(case: &Case, sheet: &mut Sheet) {
    let arm = TempArm::new(&case.rows("recording.jsonl"), Some(&case.rows("dataset.jsonl")), None);
    let (consumed, list, orphans) = unused(&arm);
    let dir = arm.dir().display().to_string();
    sheet.each("", &Value::Object(case.expect.clone()), |sheet, field, name, want| {
        match name {
            "consumed" => sheet.eq(field, want, consumed),
            "unused" => sheet.eq(field, want, list.len()),
            "unused_list" => sheet.eq(field, want, json!(list)),
            "tickets_without_dataset_row" => sheet.eq(field, want, json!(orphans)),
            "default_exit" => {
                sheet.eq(format!("{field} of verify"), want, redraft(&["verify", &dir]).code);
                sheet.eq(format!("{field} of replay"), want, redraft(&["replay", &dir]).code);
            }
            "exit with a strict switch" if want == "non-zero" => {
                let strict = |verb: &str| redraft(&[verb, "--strict", &dir]).code;
                sheet.holds(format!("{field} of verify"), want, !matches!(strict("verify"), Some(0) | None), "0");
                sheet.holds(format!("{field} of replay"), want, !matches!(strict("replay"), Some(0) | None), "0");
            }
            "shown in" => {
                let table = redraft(&["replay", &dir]);
                let said = table.out + &table.err;
                let counted = said.lines().any(|line| line.contains("never asked for") || line.contains("unused"));
                sheet.holds(format!("{field}: summary"), want, counted && orphans.iter().all(|id| said.contains(id)), said);
                let report: Value =
                    serde_json::from_str(&redraft(&["replay", "--quiet", "--format", "json", &dir]).out).unwrap_or_default();
                let arm = &report["arms"][0];
                // Calls of tickets that the dataset lacks are told by their tickets, not one by one.
                let inside = list.iter().filter(|row| !orphans.iter().any(|id| row[0] == *id)).count();
                let told = arm["calls"]["unused"] == inside && arm["unused_list"].as_array().map(Vec::len) == Some(inside);
                let told = told && arm["tickets_without_dataset_row"] == json!(orphans) && arm["calls"]["calls"] == consumed;
                sheet.holds(format!("{field}: JSON report"), want, told, arm);
            }
            _ => return false,
        }
        true
    });
}

/// A file in our form whose lines correspond one to one to those of a simple recording; what is no record is copied as it stands.
struct Converted {
    bytes: Vec<u8>,
    /// Offsets at which each line begins, there and here.
    starts: Vec<(usize, usize)>,
}

fn convert(simple: &[u8]) -> Converted {
    let mut done = Converted { bytes: vec![], starts: vec![] };
    let mut at = 0;
    for line in simple.split_inclusive(|byte| *byte == b'\n') {
        done.starts.push((at, done.bytes.len()));
        at += line.len();
        let (text, end) = line.strip_suffix(b"\n").map_or((line, &b""[..]), |text| (text, &b"\n"[..]));
        match serde_json::from_slice::<Value>(text).ok().and_then(|record| call(&record)) {
            Some(call) => done.bytes.extend(call.to_string().as_bytes()),
            None => done.bytes.extend(text),
        }
        done.bytes.extend(end);
    }
    done
}

/// Recordings that a crash or an accident left behind.
pub fn torn(case: &Case, sheet: &mut Sheet) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = dir.path().join("calls.jsonl");
    sheet.each("", &Value::Object(case.expect.clone()), |sheet, field, name, want| {
        let file = name.strip_prefix("appending to ").unwrap_or(name);
        if !case.has(file) {
            return false;
        }
        let converted = convert(&case.bytes(file));
        std::fs::write(&path, &converted.bytes).expect("a written file");
        let opened = Recording::open(&path);
        sheet.holds(
            format!("{field} is only read"),
            &Value::Null,
            std::fs::read(&path).is_ok_and(|now| now == converted.bytes),
            "another file",
        );
        if file != name {
            let torn = opened.ok().and_then(|recording| recording.torn).map_or(0, |torn| torn.byte as usize);
            let whole = converted.bytes.iter().position(|byte| *byte == b'\n').map_or(0, |end| end + 1);
            let first = [&converted.bytes[..torn], &converted.bytes[..whole]].concat();
            std::fs::write(&path, first).expect("a written file");
            let lines = Recording::open(&path).map_or(0, |recording| recording.calls);
            sheet.holds(field, want, want.as_str().is_some_and(|text| text.contains(&format!("{lines} valid lines"))), lines);
            return true;
        }
        let opened = opened.as_ref();
        sheet.each(&field, want, |sheet, field, name, want| {
            match name {
                "records" => sheet.eq(field, want, opened.map_or(Value::Null, |recording| json!(recording.calls))),
                "warning" => sheet.eq(field, want, opened.is_ok_and(|recording| recording.torn.is_some())),
                "dropped_from_byte" => {
                    let here = opened.ok().and_then(|recording| recording.torn.as_ref()).map(|torn| torn.byte as usize);
                    sheet.eq(field, want, converted.starts.iter().find(|(_, start)| Some(*start) == here).map(|(there, _)| *there));
                }
                "error" => sheet.eq(field, want, opened.err().and_then(|e| e.line).map(|line| format!("line {line}"))),
                _ => return false,
            }
            true
        });
        true
    });
}

/// Attempts that failed, and answers that only sound like failures.
pub fn attempts(case: &Case, sheet: &mut Sheet) {
    let max_passes = case.expect.get("max_rounds").and_then(Value::as_u64).map(|n| n as usize);
    let arm = TempArm::new(&case.rows("recording.jsonl"), None, max_passes);
    let prepared = arm.open();
    let (runs, _) = arm.replay(2);
    let summary = crate::story::summary(&runs, max_passes.unwrap_or(0));
    let counts: Vec<[u64; 3]> = runs
        .iter()
        .map(|run| {
            let calls = || run.passes.iter().flat_map(|pass| &pass.calls);
            let answered = calls().filter(|call| call.answered).count() as u64;
            [calls().count() as u64, answered, calls().map(|call| u64::from(call.attempts)).sum()]
        })
        .collect();
    sheet.each("", &Value::Object(case.expect.clone()), |sheet, field, name, want| {
        if name == "max_rounds" {
            sheet.eq(field, want, prepared.program.spec.max_passes);
            return true;
        }
        if name == "totals" {
            sheet.each(&field, want, |sheet, field, name, want| {
                match name {
                    "tickets" => sheet.eq(field, want, summary.tickets),
                    "errored" => sheet.eq(field, want, summary.errored),
                    "calls" => sheet.eq(field, want, summary.calls.calls),
                    "answered" => sheet.eq(field, want, summary.calls.calls - summary.calls.unanswered),
                    "attempts" => sheet.eq(field, want, summary.calls.attempts),
                    _ => return false,
                }
                true
            });
            return true;
        }
        let Some(at) = runs.iter().position(|run| run.ticket == name) else { return false };
        let (run, count) = (&runs[at], counts[at]);
        sheet.each(&field, want, |sheet, field, name, want| {
            match name {
                "calls" => sheet.eq(field, want, count[0]),
                "answered" => sheet.eq(field, want, count[1]),
                "attempts" => sheet.eq(field, want, count[2]),
                "status" => sheet.eq(field, want, if run.fault.is_some() { "error" } else { "ok" }),
                "final" => sheet.eq(field, want, run.drafts().last().map(|(_, draft)| draft)),
                "reason" => {
                    // Ours names the slot, the status and the number of attempts beside the case's words.
                    let role = run.fault.as_ref().and_then(|fault| fault.at.split(' ').next().map(str::to_owned));
                    let what = run.fault.as_ref().and_then(|fault| fault.what.split(':').next().map(str::to_owned));
                    sheet.eq(field, want, role.zip(what).map(|(role, what)| format!("{what} for {role}")));
                }
                _ => match name.strip_prefix("draft_").and_then(|n| n.parse::<u32>().ok()) {
                    Some(pass) => sheet.eq(field, want, run.drafts().find(|(index, _)| *index == pass).map(|(_, draft)| draft)),
                    None => return false,
                },
            }
            true
        });
        true
    });
}

/// The generator of the large case, as its Python original has it: ticket i has i % 4 findings; every 1000th first critique is not JSON.
fn large(tickets: u64) -> impl Iterator<Item = Value> {
    let para = "The parcel left the depot and the carrier will call before noon. ";
    (1..=tickets).flat_map(move |i| {
        let points: String = (0..40).map(|k| format!("Point {k}: {para}\n\n")).collect();
        let finding = |k: u64| json!({"defect": "vague", "location": format!("Point {k}: {}", para.trim()), "severity": "minor", "detail": "d", "fix": "f"});
        let first = match i % 1000 {
            0 => "I have some thoughts.".to_owned(),
            _ => json!({"findings": (0..i % 4).map(finding).collect::<Vec<_>>()}).to_string(),
        };
        let texts = [("writer", format!("Reply {i}.\n\n{points}")), ("critic", first), ("critic", "APPROVED".to_owned())];
        texts.into_iter().enumerate().map(move |(step, (role, text))| {
            let response = json!({"status": 200, "stop_reason": "end_turn", "text": text});
            json!({"ticket": format!("T{i}"), "step": step, "role": role, "request": {"h": format!("{i}-{step}")}, "response": response})
        })
    })
}

/// Set to run the large case at its full size; a twentieth otherwise, for which the expected counts are scaled.
const LARGE: &str = "REDRAFT_LARGE";

pub fn large_run(case: &Case, sheet: &mut Sheet) {
    let tickets = case.expect.get("tickets").and_then(Value::as_u64).unwrap_or(0);
    let part = if std::env::var_os(LARGE).is_some() { 1 } else { 20 };
    let scaled = |want: &Value| want.as_u64().map_or(want.clone(), |n| json!(n / part));
    let records: Vec<Value> = large(tickets / part).collect();
    let arm = TempArm::new(&records, None, None);
    drop(records);
    let counted = |jobs: usize| {
        let (mut tickets, mut parse_errors, mut emitted) = (0u64, 0u64, 0u64);
        let options = redraft::replay::Options { jobs, ..Default::default() };
        let first = |runs: Vec<Run>| runs.iter().map(|run| crate::story::Measure::of(run).first_critique()).collect::<Vec<_>>();
        let tally = arm.open().each(
            &options,
            |_, runs| first(runs),
            |rows| {
                for (unreadable, findings) in rows {
                    tickets += 1;
                    parse_errors += u64::from(unreadable);
                    emitted += findings;
                }
                Ok(())
            },
        );
        tally.expect("a replay");
        [tickets, parse_errors, emitted]
    };
    let once = counted(1);
    sheet.each("", &Value::Object(case.expect.clone()), |sheet, field, name, want| {
        match name {
            "command" => sheet.holds(field, want, case.has("gen_large.py"), "no generator"),
            "records" => sheet.eq(field, &scaled(want), arm.open().recording.calls),
            "tickets" => sheet.eq(field, &scaled(want), once[0]),
            "pass_1_parse_errors" => sheet.eq(field, &scaled(want), once[1]),
            "pass_1_emitted" => sheet.eq(field, &scaled(want), once[2]),
            "same counts for" => sheet.eq(field, &json!(once), json!(counted(2))),
            "peak_memory" => {
                let limit = want.as_str().and_then(|text| text.split(' ').find_map(|word| word.parse::<u64>().ok()));
                match (limit, peak_memory_mib(&["replay", "--quiet", "--jobs", "2", &arm.dir().display().to_string()])) {
                    (Some(limit), Some(peak)) => {
                        sheet.measured.push(format!("{} tickets, peak {peak} MiB", tickets / part));
                        sheet.holds(field, want, peak <= limit, format!("{peak} MiB"));
                    }
                    (None, _) => sheet.unknown(field),
                    (_, None) => sheet.later.push((field, "the peak of a process is read from /proc, which this system lacks")),
                }
            }
            _ => return false,
        }
        true
    });
}
