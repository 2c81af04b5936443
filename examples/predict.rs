//! Predictions for labelled sets, one JSON line a row: `cargo run --release --example predict -- TASK FILE`.
//!
//! Tasks: `anchors` reads rows {id, draft, quote} and prints {id, status, spans, reason?, similarity?}; spans are bytes of the draft.

use std::error::Error;
use std::io::{BufWriter, Write};

use redraft::model::Tier;
use redraft::text::anchor::Haystack;
use serde_json::{Value, json};

/// The default of `anchor.threshold`.
const THRESHOLD: f64 = 0.80;

/// One prediction for one row of a labels file.
type Task = fn(&Value) -> Result<Value, Box<dyn Error>>;

const TASKS: &[(&str, Task)] = &[("anchors", anchors)];

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let names: Vec<&str> = TASKS.iter().map(|t| t.0).collect();
    let [task, file] = args.as_slice() else { return Err(format!("usage: predict {} FILE", names.join("|")).into()) };
    let (_, task) = TASKS.iter().find(|t| t.0 == task).ok_or_else(|| format!("{task}: expected one of {}", names.join(", ")))?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    for (number, line) in std::fs::read_to_string(file)?.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
        let row: Value = serde_json::from_str(line).map_err(|e| format!("{file}:{}: {e}", number + 1))?;
        let prediction = task(&row).map_err(|e| format!("{file}:{}: {e}", number + 1))?;
        writeln!(out, "{prediction}")?;
    }
    Ok(out.flush()?)
}

fn field<'r>(row: &'r Value, name: &str) -> Result<&'r str, Box<dyn Error>> {
    row[name].as_str().ok_or_else(|| format!("`{name}` should be a string").into())
}

fn anchors(row: &Value) -> Result<Value, Box<dyn Error>> {
    let id = field(row, "id")?;
    Ok(match Haystack::new(field(row, "draft")?).find(field(row, "quote")?, THRESHOLD) {
        Ok(anchor) => {
            let status = match anchor.tier {
                _ if anchor.is_ambiguous() => "ambiguous",
                Tier::Exact => "exact",
                Tier::Normalised => "normalised",
                Tier::Fuzzy => "fuzzy",
            };
            json!({"id": id, "status": status, "spans": anchor.spans, "similarity": anchor.similarity})
        }
        Err(drop) => json!({"id": id, "status": "not_found", "spans": [], "reason": drop.reason, "similarity": drop.similarity}),
    })
}
