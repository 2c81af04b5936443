//! Cases of counts and rates: which tickets a rate is over, missing values, bounds on calls.

use redraft::machine::{Ask, calls_max};
use redraft::model::{Role, Run};
use redraft::report::number;
use redraft::summary::{ArmSummary, PassFigure};
use serde_json::{Value, json};

use crate::sheet::{Case, Sheet};
use crate::story::{Measure, drive, program, summary, ticket};

/// A draft of which any sentence can be complained about.
fn writer(points: usize) -> String {
    (0..points).map(|n| format!("Point {n} of the answer is still open.\n\n")).collect()
}

fn complaint(n: usize) -> Value {
    json!({"defect": format!("vague_{n}"), "location": format!("Point {n} of the answer is still open."), "severity": "minor", "detail": "d", "fix": "f"})
}

fn list(located: usize, lost: usize) -> String {
    let nowhere =
        json!({"defect": "vague", "location": "words that the draft does not have", "severity": "minor", "detail": "d", "fix": "f"});
    let findings: Vec<Value> = (0..located).map(complaint).chain(std::iter::repeat_n(nowhere, lost)).collect();
    json!({ "findings": findings }).to_string()
}

/// A rate over tickets with a revision, from rows of {ticket, status, revisions, revision_touched_unmentioned}.
pub fn denominator(case: &Case, sheet: &mut Sheet) {
    let run = |row: &Value| -> Run {
        let passes = row["revisions"].as_u64().unwrap_or(0) as usize;
        let touched = row["revision_touched_unmentioned"] == true;
        let program = program("batched", passes.max(1), false);
        drive(&program, &ticket(row["ticket"].as_str().unwrap_or_default()), |ask: &Ask| {
            match ask.slot.role {
            _ if row["status"] != "ok" && ask.slot.role != Role::Writer => None,
            Role::Writer => Some(writer(2)),
            Role::Critic if passes == 0 => Some("APPROVED".into()),
            Role::Critic => Some(json!({"findings": [{"defect": "vague", "location": "Point 0 of the answer is", "severity": "minor", "detail": "d", "fix": "f"}]}).to_string()),
            _ => {
                let first = format!("Point 0 of the answer is settled in step {}.\n\n", ask.slot.pass);
                let second = if touched { "Point 1 of the answer is closed now.\n\n" } else { "Point 1 of the answer is still open.\n\n" };
                Some(first + second)
            }
        }
        })
    };
    let rows = case.rows("tickets.jsonl");
    let arm = summary(&rows.iter().map(run).collect::<Vec<_>>(), 1);
    let rate = |figure: &PassFigure| json!({"num": figure.num, "den": figure.den, "value": figure.value});
    sheet.each("", &Value::Object(case.expect.clone()), |sheet, field, name, want| {
        match name {
            "untouched_edit_rate" => sheet.eq(field, want, last(&arm, "untouched_section_edit").map_or(Value::Null, rate)),
            "n_tickets" => sheet.eq(field, want, arm.tickets),
            "n_errored" => sheet.eq(field, want, arm.errored),
            "n_without_revision" => sheet.eq(field, want, arm.without_revision),
            "n_scored" => sheet.eq(field, want, arm.scored),
            // A case may leave the value out: the two counts say it.
            "coverage" if want.get("value").is_some() => sheet.eq(field, want, json!(arm.coverage)),
            "coverage" => sheet.eq(field, want, json!({"num": arm.coverage.num, "den": arm.coverage.den})),
            _ => return false,
        }
        true
    });
}

/// A figure over every ticket, after the last pass.
fn last<'a>(arm: &'a ArmSummary, name: &str) -> Option<&'a PassFigure> {
    arm.figures.iter().find(|figure| figure.name == name)?.enrolled.as_ref()?.last()
}

/// Empty sets, missing values, and what is shown for them.
pub fn missing(case: &Case, sheet: &mut Sheet) {
    sheet.each("", &Value::Object(case.expect.clone()), |sheet, field, name, want| {
        match name {
            "even_median" => {
                let (arm, _) = changed(want["values"].as_array().into_iter().flatten().map(Value::as_u64));
                sheet.eq(format!("{field}.median"), &want["median"], last(&arm, "chars_changed").and_then(|figure| figure.value));
            }
            _ if !case.has(name) => return false,
            _ if name.ends_with(".csv") => {
                let mut reader = csv::Reader::from_reader(std::io::Cursor::new(case.bytes(name)));
                let records: Vec<csv::StringRecord> = reader.records().map(|record| record.expect("a record")).collect();
                // What is no whole number, NaN or nothing, is a value that nobody saw.
                column(sheet, &field, want, records.iter().map(|record| record.iter().next_back().and_then(|cell| cell.parse().ok())));
            }
            _ if name.ends_with(".json") => {
                let file = case.json(name);
                let values = file.as_object().into_iter().flatten().find_map(|(_, value)| value.as_array().cloned()).unwrap_or_default();
                column(sheet, &field, want, values.iter().map(Value::as_u64));
            }
            _ if case.bytes(name).is_empty() => crate::command::empty_dataset(sheet, &field, want, case.bytes(name)),
            _ => approved(sheet, &field, want, &case.rows(name)),
        }
        true
    });
}

/// An arm whose tickets changed so many characters in pass 1, and the sum of its column. None: the critic approved, and nothing was revised.
fn changed(values: impl Iterator<Item = Option<u64>>) -> (ArmSummary, i64) {
    let program = program("batched", 1, false);
    let run = |(n, value): (usize, Option<u64>)| {
        drive(&program, &ticket(&format!("T{n}")), |ask| match (ask.slot.role, value) {
            (Role::Writer, _) => Some(writer(40)),
            (Role::Critic, None) => Some("APPROVED".into()),
            (Role::Critic, Some(_)) => Some(list(1, 0)),
            (_, value) => value.map(|chars| writer(40) + &"x".repeat(chars as usize)),
        })
    };
    let runs: Vec<Run> = values.enumerate().map(run).collect();
    (summary(&runs, 1), runs.iter().map(|run| Measure::of(run).sum("chars_changed")).sum())
}

fn column(sheet: &mut Sheet, at: &str, want: &Value, values: impl Iterator<Item = Option<u64>>) {
    let (arm, sum) = changed(values);
    let Some(figure) = arm.figures.iter().find(|figure| figure.name == "chars_changed").and_then(|figure| figure.running.get(1)) else {
        return sheet.unknown(at);
    };
    sheet.each(at, want, |sheet, field, name, want| {
        match name {
            "n" => sheet.eq(field, want, figure.n),
            "missing" => sheet.eq(field, want, figure.missing),
            "median" => sheet.eq(field, want, figure.value),
            "mean" => sheet.eq(field, want, json!({"num": sum, "den": figure.n})),
            _ => return false,
        }
        true
    });
}

/// Tickets whose critic approved at once, from rows of {ticket, passes: [{index, emitted, status}]}.
fn approved(sheet: &mut Sheet, at: &str, want: &Value, rows: &[Value]) {
    let program = program("batched", 3, false);
    let run = |row: &Value| {
        drive(&program, &ticket(row["ticket"].as_str().unwrap_or_default()), |ask| match ask.slot.role {
            Role::Writer => Some(writer(1)),
            Role::Critic if row["passes"][ask.slot.pass as usize - 1]["status"] == "approved" => Some("APPROVED".into()),
            _ => None,
        })
    };
    let arm = summary(&rows.iter().map(run).collect::<Vec<_>>(), 3);
    let rate =
        |name: &str| last(&arm, name).map_or(Value::Null, |figure| json!({"num": figure.num, "den": figure.den, "value": figure.value}));
    sheet.each(at, want, |sheet, field, name, want| {
        match name {
            "mean_emitted" => sheet.eq(field, want, rate("findings_emitted")),
            "resolution_rate" => sheet.eq(field, want, rate("resolution")),
            "median_chars_changed" => sheet.eq(field, want, last(&arm, "chars_changed").and_then(|figure| figure.value)),
            "text" => sheet.eq(field, want, number::percent(0, 0)),
            _ => return false,
        }
        true
    });
}

/// Calls made by loops of rows {n, max_rounds, critic: [revise | approve], mode, findings?, located_findings?}.
pub fn call_counts(case: &Case, sheet: &mut Sheet) {
    let rows = case.rows("runs.jsonl");
    let spec = |row: &Value| program(row["mode"].as_str().unwrap_or_default(), row["max_rounds"].as_u64().unwrap_or(0) as usize, false);
    let run = |row: &Value| {
        let count = |name: &str, pass: usize| row[name][pass].as_u64().map(|n| n as usize);
        drive(&spec(row), &ticket("T1"), |ask| {
            let at = (ask.slot.pass as usize).saturating_sub(1);
            let located = count("located_findings", at).or(count("findings", at)).unwrap_or(1);
            match ask.slot.role {
                Role::Writer => Some(writer(9)),
                Role::Critic => match row["critic"][at].as_str()? {
                    "approve" => Some("APPROVED".into()),
                    "revise" => Some(list(located, count("findings", at).unwrap_or(located).saturating_sub(located))),
                    _ => None,
                },
                _ if row["mode"] == "serial" => {
                    // What is revised stays in place, so that the next pass can complain about it too.
                    Some(json!({"status": "applied", "reason": "r", "draft": writer(9) + &format!("Seen {}.{}.\n", ask.slot.pass, ask.slot.n)}).to_string())
                }
                _ => Some(writer(9) + &format!("Seen {}.\n", ask.slot.pass)),
            }
        })
    };
    sheet.each("", &Value::Object(case.expect.clone()), |sheet, field, name, want| {
        match name {
            "writer_first/critic/reviser/total" => sheet.each("calls", want, |sheet, field, n, want| {
                let Some(row) = rows.iter().find(|row| row["n"] == json!(n.parse::<u64>().ok())) else { return false };
                let run = run(row);
                let calls = summary(std::slice::from_ref(&run), 0).calls;
                sheet.eq(field.clone(), want, json!([calls.writer, calls.critic, calls.reviser, calls.calls]));
                sheet.holds(format!("{field} without a fault"), &Value::Null, run.fault.is_none(), format!("{:?}", run.fault));
                true
            }),
            "upper_bound_batched" if want == "1 + 2*max_rounds" => {
                let batched = rows.iter().filter(|row| row["mode"] == "batched");
                let kept =
                    batched.clone().all(|row| calls_max(&spec(row).spec).map(u64::from) == row["max_rounds"].as_u64().map(|n| 1 + 2 * n));
                sheet.holds(field, want, kept, "another bound");
            }
            _ => return false,
        }
        true
    });
}
