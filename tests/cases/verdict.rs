//! Cases of gates: arms made of rows {ticket, emitted, revision_touched_unmentioned} or {ticket, status: error}, held against each other by the
//! real binary.

use serde_json::{Value, json};

use crate::arm::TempArm;
use crate::command::{Ran, class, path, record, redraft};
use crate::sheet::{Case, Sheet};

/// The share of runs that touched what nobody mentioned must not exceed the baseline's.
pub const POLICY: &str = "version = 1\n[[metric]]\nfigure = \"untouched_section_edit\"\nmargin = \"0pp\"\n";

fn draft(first: &str, last: &str) -> String {
    format!("{first}\n\nPoint 1 is open.\n\nPoint 2 is open.\n\n{last}\n")
}

fn calls(row: &Value) -> Vec<Value> {
    let id = row["ticket"].as_str().unwrap_or_default();
    let (first, last) = ("Point 0 is open.", "The farewell stays.");
    let mut calls = vec![record(id, 0, "writer", &draft(first, last))];
    if row["status"] == "error" {
        return calls;
    }
    let finding =
        |n: u64| json!({"defect": "vague", "location": format!("Point {n} is open."), "severity": "minor", "detail": "d", "fix": "f"});
    let emitted = row["emitted"].as_u64().unwrap_or(0);
    calls.push(record(id, 1, "critic", &json!({"findings": (0..emitted).map(finding).collect::<Vec<_>>()}).to_string()));
    if emitted > 0 {
        let touched = row["revision_touched_unmentioned"] == true;
        let last = if touched { "The farewell is another." } else { last };
        calls.push(record(id, 2, "reviser", &draft("Point 0 is settled.", last)));
    }
    calls
}

/// An arm of these rows, of one pass. Without rows one that covers no ticket of its dataset.
pub fn arm(rows: &[Value]) -> TempArm {
    let records: Vec<Value> = rows.iter().flat_map(calls).collect();
    if !rows.is_empty() {
        return TempArm::new(&records, None, Some(1));
    }
    let arm = TempArm::new(&records, Some(&[json!({"ticket": "T1"})]), Some(1));
    let spec = std::fs::read_to_string(arm.dir().join("loop.toml")).expect("a loop.toml");
    arm.write("arm/loop.toml", format!("coverage = \"recorded\"\n{spec}").as_bytes());
    arm
}

/// Rows of an arm in which every revision did what nobody asked for, or none did.
pub fn rows(tickets: usize, touched: bool) -> Vec<Value> {
    (0..tickets).map(|n| json!({"ticket": format!("T{n}"), "emitted": 3, "revision_touched_unmentioned": touched})).collect()
}

/// `redraft gate` of one arm against another, with the policy above.
pub fn gate(baseline: &TempArm, candidate: &TempArm) -> Ran {
    candidate.write("gate.toml", POLICY.as_bytes());
    let policy = candidate.root().join("gate.toml").display().to_string();
    redraft(&["gate", "--quiet", &path(candidate), "--baseline", &path(baseline), "--policy", &policy, "--format", "json"])
}

fn figure(arm: &TempArm, name: &str) -> Value {
    let summary: Value = serde_json::from_str(&redraft(&["replay", "--quiet", "--format", "json", &path(arm)]).out).unwrap_or_default();
    let figures = summary["arms"][0]["figures"].as_array().cloned().unwrap_or_default();
    let found = figures.iter().find(|figure| figure["name"] == name).cloned().unwrap_or_default();
    found["enrolled"].as_array().and_then(|passes| passes.last()).cloned().unwrap_or_default()
}

fn rate(arm: &TempArm) -> String {
    let at = figure(arm, "untouched_section_edit");
    format!("{}/{}{}", at["num"], at["den"], if at["value"].is_null() { " (null)" } else { "" })
}

/// Gates over next to nothing.
pub fn verdicts(case: &Case, sheet: &mut Sheet) {
    let of = |name: &str| arm(&case.rows(name));
    sheet.each("", &Value::Object(case.expect.clone()), |sheet, field, name, want| {
        let (baseline, candidate) = match name {
            // What the policy above says.
            "gate" => {
                sheet.holds(field, want, want.as_str().is_some_and(|text| text.contains("must not exceed the baseline")), POLICY);
                return true;
            }
            "missing baseline file" => {
                let candidate = of("baseline.jsonl");
                candidate.write("gate.toml", POLICY.as_bytes());
                let (policy, none) = (candidate.root().join("gate.toml"), candidate.root().join("none.parquet"));
                let [policy, none] = [policy, none].map(|path| path.display().to_string());
                let ran = redraft(&["gate", &path(&candidate), "--baseline", &none, "--policy", &policy]);
                sheet.eq(format!("{field}.exit_class"), &want["exit_class"], class(ran.code));
                sheet.holds(format!("{field} is named"), want, ran.err.contains("none.parquet") && ran.out.is_empty(), &ran.err);
                return true;
            }
            "candidate = baseline" => {
                let arm = of("baseline.jsonl");
                sheet_of(sheet, &field, want, &arm, &arm);
                return true;
            }
            _ => match name.split_once(' ') {
                Some(("baseline", file)) => (of(file), of("baseline.jsonl")),
                Some(("candidate", file)) => (of("baseline.jsonl"), of(file)),
                _ => return false,
            },
        };
        sheet_of(sheet, &field, want, &baseline, &candidate);
        true
    });
}

fn sheet_of(sheet: &mut Sheet, field: &str, want: &Value, baseline: &TempArm, candidate: &TempArm) {
    let ran = gate(baseline, candidate);
    let gate: Value = serde_json::from_str(&ran.out).unwrap_or_default();
    sheet.each(field, want, |sheet, field, name, want| {
        match name {
            "verdict" => sheet.eq(field, want, gate["verdict"].as_str().unwrap_or_default().to_lowercase()),
            "exit_class" => sheet.eq(field, want, class(ran.code)),
            "exit" => sheet.eq(field, want, ran.code),
            "baseline_rate" => sheet.eq(field, want, rate(baseline)),
            "candidate_rate" => sheet.eq(field, want, rate(candidate)),
            "mean_emitted" => {
                sheet.eq(field, want, json!([baseline, candidate].map(|arm| figure(arm, "findings_emitted")["value"].clone())))
            }
            "message" => {
                let says = want.as_str().and_then(|text| text.strip_prefix("says that ")).is_some_and(|text| ran.out.contains(text));
                sheet.holds(field, want, says, &ran.out);
            }
            _ => return false,
        }
        true
    });
}
