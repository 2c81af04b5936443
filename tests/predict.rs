//! The predictions of examples/predict.rs, scored against the rows that ship with the tests: what was read right is counted, and held.

#[allow(dead_code)]
#[path = "../examples/predict.rs"]
mod predict;

use serde_json::Value;

fn rows(file: &str) -> Vec<Value> {
    let path = format!("{}/tests/data/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn predictions(task: &str, rows: &[Value]) -> Vec<Value> {
    let (_, task) = predict::TASKS.iter().find(|(name, _)| *name == task).unwrap();
    rows.iter().map(|row| task(row).unwrap()).collect()
}

/// Ids of rows whose prediction is not right, with what was predicted.
fn wrong(rows: &[Value], predictions: &[Value], right: impl Fn(&Value, &Value) -> bool) -> Vec<String> {
    assert_eq!(rows.len(), predictions.len());
    let wrong = rows.iter().zip(predictions).filter(|(row, prediction)| !right(row, prediction));
    let wrong: Vec<String> = wrong.map(|(row, prediction)| format!("{} {prediction}", row["id"].as_str().unwrap())).collect();
    println!("{} of {} rows right", rows.len() - wrong.len(), rows.len());
    wrong
}

#[test]
fn critiques_are_read_or_refused_as_their_rows_expect() {
    let rows = rows("critique/tolerant_json_cases.jsonl");
    let right = |row: &Value, prediction: &Value| match &row["expect"] {
        Value::String(word) => word == "REJECT" && prediction["status"] == "parse_error" && prediction["findings"].is_null(),
        Value::Array(list) => prediction["status"] == "ok" && prediction["findings"] == Value::Array(list.clone()),
        document => {
            let one = || Value::Array(vec![document.clone()]);
            prediction["status"] == "ok" && prediction["findings"] == document.get("findings").cloned().unwrap_or_else(one)
        }
    };
    let wrong = wrong(&rows, &predictions("critiques", &rows), right);
    // Equal keys in one object are an error here, and not a matter of which came last.
    assert_eq!(wrong, [r#"dup_key {"findings":null,"id":"dup_key","reason":"duplicate_key","status":"parse_error"}"#]);
    assert!(rows.len() >= 40);
}

#[test]
fn quotations_are_placed_where_people_would() {
    let rows = rows("labels/anchors.open.jsonl");
    let meets = |want: &Value, prediction: &Value| {
        let status = match prediction["status"].as_str() {
            Some("exact" | "normalised" | "fuzzy") => "found",
            Some(other) => other,
            None => "",
        };
        let spans = want.get("spans").cloned().unwrap_or_else(|| Value::Array(vec![]));
        want["status"] == status && spans == prediction["spans"]
    };
    let right =
        |row: &Value, prediction: &Value| meets(&row["expect"], prediction) || (row["disputed"] == true && meets(&row["alt"], prediction));
    let wrong = wrong(&rows, &predictions("anchors", &rows), right);
    println!("{}", wrong.join("\n"));
    assert!(wrong.len() * 20 <= rows.len(), "more than one in twenty: {wrong:#?}");
}

/// Hits, false alarms and misses over sections, the undecided ones left out.
fn score(rows: &[Value], predictions: &[Value], loose: bool) -> (usize, usize, usize) {
    let list = |value: &Value| value.as_array().into_iter().flatten().filter_map(Value::as_u64).collect::<Vec<_>>();
    let (field, maybe) = if loose { ("loose", "maybe_loose") } else { ("strict", "maybe_strict") };
    let mut out = (0, 0, 0);
    for (row, prediction) in rows.iter().zip(predictions) {
        for section in 0..row["sections"].as_array().unwrap().len() as u64 {
            // A remark on the whole is of every section.
            let said = list(&row[field]).contains(&section) || loose && row["global"] == true;
            let open = list(&row[maybe]).contains(&section) || loose && row["maybe_global"] == true;
            let found = list(&prediction[field]).contains(&section) || loose && prediction["global"] == true;
            match (said, found) {
                (true, true) => out.0 += 1,
                (false, true) if !open => out.1 += 1,
                (true, false) => out.2 += 1,
                _ => {}
            }
        }
    }
    out
}

#[test]
fn sections_are_mentioned_as_readers_say() {
    let rows = rows("labels/mentions.open.jsonl");
    let predictions = predictions("mentions", &rows);
    for (loose, least) in [(false, 0.95), (true, 0.90)] {
        let (hits, alarms, misses) = score(&rows, &predictions, loose);
        let f1 = 2.0 * hits as f64 / (2 * hits + alarms + misses) as f64;
        println!("loose {loose}: F1 {f1:.3}, {hits} hits, {alarms} false alarms, {misses} misses");
        assert!(hits > 40 && f1 >= least, "F1 {f1}");
    }
}
