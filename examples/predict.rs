//! Predictions for labelled sets, one JSON line a row: `cargo run --release --example predict -- TASK FILE`.
//!
//! Tasks:
//! - `anchors` reads rows {id, draft, quote} and prints {id, status, spans, reason?, similarity?}; spans are bytes of the draft.
//! - `mentions` reads rows {id, draft, critique} and prints {id, strict, loose, global, evidence}: the sections that a prose critique
//!   mentions, and by which words.
//! - `critiques` reads rows {id, raw}, a critic's reply as it came, and prints {id, status, reason, findings}; a finding is as the critic gave it.
//! - `claims` reads rows {id, before, after} and prints {id, lost, altered, added}, claims as they stand in the texts.

use std::error::Error;
use std::io::{BufWriter, Write};

use redraft::critique::locate::locate;
use redraft::critique::said::said;
use redraft::critique::{self, Rules};
use redraft::model::{Critique, CritiqueStatus, Reply, StopReason, Tier};
use redraft::text::anchor::Haystack;
use redraft::text::claim;
use redraft::text::mention::{Evidence, Index};
use redraft::text::section::{self, SectionRule};
use serde_json::{Value, json};

/// The default of `anchor.threshold`.
const THRESHOLD: f64 = 0.80;

/// One prediction for one row of a labels file.
pub type Task = fn(&Value) -> Result<Value, Box<dyn Error>>;

pub const TASKS: &[(&str, Task)] = &[("anchors", anchors), ("mentions", mentions), ("critiques", critiques), ("claims", claims)];

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

fn read(format: &str, text: &str) -> Result<Critique, Box<dyn Error>> {
    let reply = Reply { text: text.to_owned(), stop: StopReason::End, usage: None, model: None };
    let rules = Rules { sentinel: "APPROVED".into(), severities: vec![] };
    let format = critique::by_name(format).ok_or_else(|| format!("no format is called `{format}`"))?;
    Ok(format.read(&reply, &rules))
}

fn mentions(row: &Value) -> Result<Value, Box<dyn Error>> {
    let draft = field(row, "draft")?;
    let mut critique = read("prose", field(row, "critique")?)?;
    locate(&mut critique, draft, &[], THRESHOLD);
    let sections = section::sections(draft, SectionRule::Auto);
    let texts = section::section_texts(draft, SectionRule::Auto);
    let found = Index::new(&sections, &texts).mentions(&said(&critique, draft));
    let is_global = found.iter().any(|mention| mention.evidence == Evidence::Global);
    let sections = |strict: bool| {
        let mut list: Vec<usize> =
            found.iter().filter(|m| m.strict || !strict && m.evidence != Evidence::Global).map(|mention| mention.section).collect();
        list.dedup();
        list
    };
    let evidence: Vec<Value> = found.iter().map(|m| json!([m.section, m.evidence.name(), m.words])).collect();
    Ok(json!({"id": field(row, "id")?, "strict": sections(true), "loose": sections(false), "global": is_global, "evidence": evidence}))
}

fn critiques(row: &Value) -> Result<Value, Box<dyn Error>> {
    let critique = read("findings", field(row, "raw")?)?;
    let (status, reason) = match critique.status {
        CritiqueStatus::Ok => ("ok", None),
        CritiqueStatus::Approved => ("approved", None),
        CritiqueStatus::ParseError(reason) => ("parse_error", Some(reason)),
    };
    let findings = critique.findings.map(|list| list.into_iter().map(|finding| Value::Object(finding.raw)).collect::<Vec<_>>());
    Ok(json!({"id": field(row, "id")?, "status": status, "reason": reason, "findings": findings}))
}

fn claims(row: &Value) -> Result<Value, Box<dyn Error>> {
    let (before, after) = (field(row, "before")?, field(row, "after")?);
    let drift = claim::drift(before, after);
    let old = |place: &claim::Place| place.span.of(before).unwrap_or_default();
    let new = |place: &claim::Place| place.span.of(after).unwrap_or_default();
    let lost: Vec<_> = drift.lost.iter().map(old).collect();
    let altered: Vec<_> = drift.altered.iter().map(|(b, a)| [old(b), new(a)]).collect();
    let added: Vec<_> = drift.added.iter().map(new).collect();
    Ok(json!({"id": field(row, "id")?, "lost": lost, "altered": altered, "added": added}))
}
