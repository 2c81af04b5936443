//! Cases of reading a critic's reply: one reply in a file, replies with their stop reasons, and verdicts by the sentinel.

use redraft::api;
use redraft::critique::{self, Rules, locate};
use redraft::model::{Critique, CritiqueStatus, ParseReason, Reply, StopReason};
use serde_json::{Value, json};

use crate::place::{THRESHOLD, case_reason};
use crate::sheet::{Case, Sheet};

pub fn rules() -> Rules {
    Rules { sentinel: "APPROVED".into(), severities: ["blocking", "major", "minor"].map(String::from).into() }
}

fn read(format: &str, text: &str, stop: StopReason) -> Critique {
    let reply = Reply { text: text.to_owned(), stop, usage: None, model: None };
    critique::by_name(format).expect("a registered format").read(&reply, &rules())
}

/// The name that the cases use for a reason: ours, but for a reply without any JSON.
fn reason_name(reason: ParseReason) -> Value {
    match reason {
        ParseReason::NoJson => json!("no_payload"),
        other => json!(other),
    }
}

fn status(critique: &Critique) -> &'static str {
    match critique.status {
        CritiqueStatus::Ok => "ok",
        CritiqueStatus::Approved => "approved",
        CritiqueStatus::ParseError(_) => "parse_error",
    }
}

fn emitted(critique: &Critique) -> Option<usize> {
    critique.findings.as_ref().map(Vec::len)
}

/// Replies in text files: with one of them the expectations are about it, with several they stand under its name, with or without its ending.
pub fn reply_files(case: &Case, sheet: &mut Sheet) {
    let texts: Vec<&String> = case.files.iter().filter(|file| file.ends_with(".txt")).collect();
    if let [file] = texts.as_slice() {
        return one_reply(sheet, "", &Value::Object(case.expect.clone()), &case.text(file));
    }
    sheet.each("", &Value::Object(case.expect.clone()), |sheet, field, name, want| {
        let Some(file) = texts.iter().find(|file| **file == name || file.strip_suffix(".txt") == Some(name)) else { return false };
        one_reply(sheet, &field, want, &case.text(file));
        true
    });
}

fn one_reply(sheet: &mut Sheet, at: &str, want: &Value, text: &str) {
    let critique = read("findings", text, StopReason::End);
    sheet.each(at, want, |sheet, field, name, want| {
        match name {
            "status" => sheet.eq(field, want, status(&critique)),
            "reason" => sheet.eq(field, want, reason(&critique, want)),
            "findings_emitted" => sheet.eq(field, want, emitted(&critique)),
            "defects" => sheet.eq(field, want, critique.findings.iter().flatten().map(|f| json!(f.label)).collect::<Value>()),
            "format_deviation" => sheet.eq(field, want, !critique.repairs.is_empty()),
            _ => {
                let part = name.strip_prefix("finding_").and_then(|rest| rest.split_once('.'));
                let Some((Ok(n), key)) = part.map(|(n, key)| (n.parse::<usize>(), key)) else { return false };
                let finding = critique.findings.iter().flatten().nth(n.saturating_sub(1));
                sheet.eq(field, want, finding.and_then(|f| f.raw.get(key)).cloned().unwrap_or_default());
            }
        }
        true
    });
}

pub fn replies(case: &Case, sheet: &mut Sheet) {
    let rows = case.rows("replies.jsonl");
    let read = |row: &Value| {
        // The provider's own form carries the stop reason, so its reader is part of the case.
        let body = json!({"content": [{"type": "text", "text": row["text"]}], "stop_reason": row["stop_reason"]});
        let reply = api::by_name("anthropic").expect("a registered form").reply(&body.to_string()).expect("a message");
        let mut critique = critique::by_name("findings").expect("a registered format").read(&reply, &rules());
        locate::locate(&mut critique, "", &[], THRESHOLD);
        (row["id"].as_str().unwrap_or_default().to_owned(), critique)
    };
    let critiques: Vec<(String, Critique)> = rows.iter().map(read).collect();
    sheet.each("", &Value::Object(case.expect.clone()), |sheet, field, name, want| {
        match name {
            "by_id [status, reason, findings_emitted]" => sheet.each("by_id", want, |sheet, field, id, want| {
                let Some((_, critique)) = critiques.iter().find(|(known, _)| known == id) else { return false };
                sheet.eq(field, want, json!([status(critique), reason(critique, &want[1]), emitted(critique)]));
                true
            }),
            "totals" => sheet.each(&field, want, |sheet, field, name, want| total(sheet, field, name, want, &critiques)),
            _ => return false,
        }
        true
    });
    let listed = case.expect.get("by_id [status, reason, findings_emitted]").and_then(Value::as_object).map_or(0, |ids| ids.len());
    sheet.eq("replies with an expectation", &json!(critiques.len()), listed);
}

/// Why a reply could not be read; where it could, why its findings were dropped before any place was looked for.
fn reason(critique: &Critique, want: &Value) -> Value {
    if let CritiqueStatus::ParseError(reason) = critique.status {
        return reason_name(reason);
    }
    let dropped = critique.findings.iter().flatten().filter_map(|f| f.drop).next();
    match dropped {
        Some(drop) if want.is_string() => format!("finding dropped: {}", case_reason(drop.reason)).into(),
        _ => Value::Null,
    }
}

fn total(sheet: &mut Sheet, field: String, name: &str, want: &Value, critiques: &[(String, Critique)]) -> bool {
    let all = || critiques.iter().map(|(_, critique)| critique);
    let of = |wanted: &str| all().filter(|critique| status(critique) == wanted).count();
    let findings = || all().filter_map(emitted).sum::<usize>();
    match name {
        "replies" => sheet.eq(field, want, critiques.len()),
        "ok" | "approved" | "parse_error" => sheet.eq(field, want, of(name)),
        "findings_emitted" => sheet.eq(field, want, findings()),
        "findings_located" => {
            sheet.eq(field, want, all().flat_map(|c| c.findings.iter().flatten()).filter(|f| f.anchor.is_some()).count());
        }
        "mean_findings_per_readable_reply" => {
            sheet.eq(field, want, json!({"num": findings(), "den": all().filter(|c| c.findings.is_some()).count()}));
        }
        _ => return false,
    }
    true
}

pub fn verdicts(case: &Case, sheet: &mut Sheet) {
    let verdict = |row: &Value| match read("prose", row["reply"].as_str().unwrap_or_default(), StopReason::End).status {
        CritiqueStatus::Approved => "approve",
        CritiqueStatus::Ok => "revise",
        CritiqueStatus::ParseError(_) => "parse_error",
    };
    let verdicts: Vec<&str> = case.rows("verdicts.jsonl").iter().map(verdict).collect();
    sheet.each("", &Value::Object(case.expect.clone()), |sheet, field, name, want| {
        match name {
            "verdicts" => sheet.eq(field, want, json!(verdicts)),
            _ => match name.strip_suffix("_count") {
                Some(kind @ ("approve" | "revise" | "parse_error")) => {
                    sheet.eq(field, want, verdicts.iter().filter(|v| **v == kind).count());
                }
                _ => return false,
            },
        }
        true
    });
}
