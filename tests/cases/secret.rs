//! Cases of credentials in recordings: each place is told, no value is, and what taking them out changes.

use redraft::api::key;
use serde_json::{Value, json};

use crate::arm::{TempArm, call};
use crate::command::redraft;
use crate::sheet::{Case, Sheet};

const FILE: &str = "recording.jsonl";

/// The places of a file as [line, pointer], and all that was printed.
fn scan(path: &str) -> (Vec<Value>, String) {
    let [text, json] = ["text", "json"].map(|format| redraft(&["lint-secrets", "--format", format, path]));
    let report: Value = serde_json::from_str(&json.out).unwrap_or_default();
    let places = report["found"].as_array().into_iter().flatten().map(|f| json!([f["line"], f["pointer"]])).collect();
    (places, [text.out, text.err, json.out, json.err].concat())
}

/// A set has no order.
fn sorted(places: &Value) -> Value {
    let mut list = places.as_array().cloned().unwrap_or_default();
    list.sort_by_key(Value::to_string);
    list.into()
}

/// The secrets themselves, by looking where they were found: words of a shape that no prose has.
fn values(case: &Case, places: &[Value]) -> Vec<String> {
    let rows = case.rows(FILE);
    let at = |place: &Value| rows[place[0].as_u64()? as usize - 1].pointer(place[1].as_str()?)?.as_str().map(str::to_owned);
    let words = places.iter().filter_map(at);
    words
        .flat_map(|text| {
            text.split([' ', '=', '?', ',']).filter(|w| w.len() >= 16 && !w.contains("://")).map(str::to_owned).collect::<Vec<_>>()
        })
        .collect()
}

pub fn secrets(case: &Case, sheet: &mut Sheet) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join(FILE);
    std::fs::write(&file, case.bytes(FILE)).expect("a written file");
    let (places, printed) = scan(&file.display().to_string());
    let secrets = values(case, &places);
    sheet.each("", &Value::Object(case.expect.clone()), |sheet, field, name, want| {
        match name {
            "findings [line, JSON pointer]" => sheet.eq(field, &sorted(want), sorted(&json!(places))),
            "values printed anywhere" => {
                sheet.holds(format!("{field}: there are some"), want, !secrets.is_empty(), "nothing was found");
                sheet.eq(field, want, secrets.iter().filter(|secret| printed.contains(secret.as_str())).count());
            }
            "after redaction" => after(case, sheet, want, &secrets),
            _ => match name.strip_prefix("line ").and_then(|n| n.parse::<u64>().ok()) {
                Some(line) => sheet.holds(field, want, places.iter().all(|place| place[0] != line), "a finding in this line"),
                None => return false,
            },
        }
        true
    });
}

/// The same records as an arm whose requests are recorded, redacted.
fn after(case: &Case, sheet: &mut Sheet, want: &Value, secrets: &[String]) {
    let rows = case.rows(FILE);
    let arm = TempArm::new(&rows, None, None);
    let lines: String = rows.iter().map(|row| with_request(row).to_string() + "\n").collect();
    arm.write("arm/calls.jsonl", lines.as_bytes());
    let path = arm.dir().join("calls.jsonl");
    let read = || -> Vec<Value> {
        let text = std::fs::read_to_string(&path).expect("a calls file");
        assert!(text.ends_with('\n'));
        text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
    };
    let (old, runs) = (read(), arm.replay(1).0);
    let ran = redraft(&["lint-secrets", "--redact", "secrets", &arm.dir().display().to_string()]);
    let (new, runs_after) = (read(), arm.replay(1).0);
    let said = ran.out + &ran.err;
    let text = std::fs::read_to_string(&path).expect("a calls file");
    let gone = secrets.iter().all(|secret| !text.contains(secret.as_str()) && !said.contains(secret.as_str()));
    let ticket = |row: &Value| row["slot"]["ticket"].as_str().unwrap_or_default().to_owned();
    let same_key = |id: &str| old.iter().zip(&new).filter(|(row, _)| ticket(row) == id).all(|(a, b)| a["key"] == b["key"]);
    let same_run = |id: &str| {
        runs.iter()
            .zip(&runs_after)
            .filter(|(run, _)| run.ticket == id)
            .all(|(a, b)| a.passes.len() == b.passes.len() && a.drafts().eq(b.drafts()))
    };
    sheet.each("after redaction", want, |sheet, field, name, want| {
        if name == "replay result" {
            let ids = want.as_str().unwrap_or_default().split([' ', ',']).filter(|word| rows.iter().any(|row| row["ticket"] == *word));
            let holds = ids.into_iter().all(|id| same_key(id) && same_run(id));
            sheet.holds(field, want, holds && gone && ran.code == Some(0), &said);
            return true;
        }
        if !rows.iter().any(|row| row["ticket"] == name) {
            return false;
        }
        let verified = redraft(&["lint-secrets", &arm.dir().display().to_string()]);
        sheet.holds(field, want, !same_key(name) && said.contains(&format!("ticket {name}")) && verified.code == Some(0), &said);
        true
    });
}

/// A record as a call: what travelled beside the body becomes headers, which are no part of a key.
fn with_request(record: &Value) -> Value {
    let mut line = call(record).expect("a record");
    let body = &record["request"];
    line["key"] = key::key("anthropic", "/v1/messages", body, &[]).into();
    line["request"] = json!({"provider": "anthropic", "endpoint": "/v1/messages", "body": body});
    let mut headers = record["http"]["headers"].clone();
    if headers.is_object() {
        headers["location"] = record["http"]["url"].clone();
        line["response"]["headers"] = headers;
    }
    line
}
