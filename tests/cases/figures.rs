//! Cases of counts and rates: which tickets a rate is over, missing values, bounds on calls.

use redraft::machine::{Ask, calls_max};
use redraft::metric::Cell;
use redraft::model::{Role, Run};
use redraft::report::number;
use redraft::stats;
use serde_json::{Value, json};

use crate::sheet::{Case, Sheet};
use crate::story::{Measure, drive, program, ticket};

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
    let rows: Vec<Measure> = case.rows("tickets.jsonl").iter().map(|row| Measure::of(&run(row))).collect();
    let flags = |row: &Measure| {
        row.cells("untouched_section_edit").filter(|cell| **cell != Cell::Null).map(|cell| *cell == Cell::Flag(true)).collect::<Vec<_>>()
    };
    let errored = rows.iter().filter(|row| row.has_fault()).count();
    let scored = rows.iter().filter(|row| !flags(row).is_empty()).count();
    let hits = rows.iter().filter(|row| flags(row).contains(&true)).count();
    let fraction = |num: usize, den: usize, want: &Value| {
        let mut all = json!({"num": num, "den": den});
        if !want["value"].is_null() || want.get("value").is_some() {
            all["value"] = if den == 0 { Value::Null } else { json!(num as f64 / den as f64) };
        }
        all
    };
    sheet.each("", &Value::Object(case.expect.clone()), |sheet, field, name, want| {
        match name {
            "untouched_edit_rate" => sheet.eq(field, want, fraction(hits, scored, want)),
            "n_tickets" => sheet.eq(field, want, rows.len()),
            "n_errored" => sheet.eq(field, want, errored),
            "n_without_revision" => sheet.eq(field, want, rows.len() - errored - scored),
            "n_scored" => sheet.eq(field, want, scored),
            "coverage" => sheet.eq(field, want, fraction(rows.len() - errored, rows.len(), want)),
            _ => return false,
        }
        true
    });
}

/// Empty sets, missing values, and what is shown for them.
pub fn missing(case: &Case, sheet: &mut Sheet) {
    sheet.each("", &Value::Object(case.expect.clone()), |sheet, field, name, want| {
        match name {
            "even_median" => {
                let values = want["values"].as_array().into_iter().flatten().map(|v| Cell::from(v.as_f64()));
                sheet.eq(format!("{field}.median"), &want["median"], Column::of(values).median());
            }
            _ if !case.has(name) => return false,
            _ if name.ends_with(".csv") => {
                let mut reader = csv::Reader::from_reader(std::io::Cursor::new(case.bytes(name)));
                let records: Vec<csv::StringRecord> = reader.records().map(|record| record.expect("a record")).collect();
                let cells = records.iter().map(|record| Cell::from(record.iter().next_back().and_then(|cell| cell.parse::<f64>().ok())));
                column(sheet, &field, want, &Column::of(cells));
            }
            _ if name.ends_with(".json") => {
                let file = case.json(name);
                let values = file.as_object().into_iter().flatten().find_map(|(_, value)| value.as_array().cloned()).unwrap_or_default();
                column(sheet, &field, want, &Column::of(values.iter().map(|value| Cell::from(value.as_f64()))));
            }
            _ if case.bytes(name).is_empty() => crate::command::empty_dataset(sheet, &field, want, case.bytes(name)),
            _ => approved(sheet, &field, want, &case.rows(name)),
        }
        true
    });
}

/// A column of cells, counted as the summary does it: null cells are left out and counted.
struct Column {
    seen: Vec<f64>,
    missing: usize,
}

impl Column {
    fn of(cells: impl Iterator<Item = Cell>) -> Column {
        let all: Vec<Option<f64>> = cells.map(|cell| cell.number()).collect();
        let mut seen: Vec<f64> = all.iter().flatten().copied().collect();
        seen.sort_by(f64::total_cmp);
        Column { missing: all.len() - seen.len(), seen }
    }

    fn median(&self) -> Option<f64> {
        stats::median(&self.seen.iter().map(|value| (*value, 1)).collect::<Vec<_>>())
    }
}

fn column(sheet: &mut Sheet, at: &str, want: &Value, column: &Column) {
    sheet.each(at, want, |sheet, field, name, want| {
        match name {
            "n" => sheet.eq(field, want, column.seen.len()),
            "missing" => sheet.eq(field, want, column.missing),
            "mean" => sheet.eq(field, want, json!({"num": column.seen.iter().sum::<f64>(), "den": column.seen.len()})),
            "median" => sheet.eq(field, want, column.median()),
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
    let rows: Vec<Measure> = rows.iter().map(|row| Measure::of(&run(row))).collect();
    let all = |name: &str| Column::of(rows.iter().flat_map(|row| row.cells(name).cloned().collect::<Vec<_>>()));
    let fraction = |num: f64, den: f64| json!({"num": num, "den": den, "value": (den > 0.0).then(|| num / den)});
    sheet.each(at, want, |sheet, field, name, want| {
        match name {
            "mean_emitted" => {
                let emitted = all("emitted");
                sheet.eq(field, want, fraction(emitted.seen.iter().sum(), emitted.seen.len() as f64));
            }
            "resolution_rate" => {
                let sum = |name: &str| all(name).seen.iter().sum::<f64>();
                sheet.eq(field, want, fraction(sum("fate_resolved"), sum("fate_observed")));
            }
            "median_chars_changed" => sheet.eq(field, want, all("chars_changed").median()),
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
                let row = Measure::of(&run);
                let counts = ["calls_writer", "calls_critic", "calls_reviser", "calls"].map(|column| row.sum(column));
                sheet.eq(field.clone(), want, json!(counts));
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
