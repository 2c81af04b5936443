//! Serial revision: the reviser's {status, reason, draft} for one finding.

use serde_json::Value;

use super::repair::{Repair, names};
use super::scan::scan;
use crate::model::{EditStatus, Reply, StopReason};

/// A reviser's answer to one finding, read.
#[derive(Debug, Clone, PartialEq)]
pub struct SerialEdit {
    /// `Invalid` where the answer was cut, refused, or is not one object with a known status.
    pub status: EditStatus,
    pub reason: Option<String>,
    /// The full draft as the reviser gave it; None where it gave none, and always where the status is `Invalid`.
    pub draft: Option<String>,
    /// What reading forgave, see [`Repair::ALL`].
    pub repairs: Vec<String>,
}

/// Reads an answer with the tolerance of a critique. A draft that was cut is no draft.
pub fn edit(reply: &Reply) -> SerialEdit {
    let cut = matches!(reply.stop, StopReason::Length | StopReason::Refusal | StopReason::ContentFilter);
    let read = if cut { None } else { object(&reply.text) };
    read.unwrap_or(SerialEdit { status: EditStatus::Invalid, reason: None, draft: None, repairs: Vec::new() })
}

fn object(text: &str) -> Option<SerialEdit> {
    let scan = scan(text);
    let answers: Vec<usize> = (0..scan.values.len()).filter(|i| scan.values[*i].value.get("status").is_some()).collect();
    let (first, others) = answers.split_first()?;
    let found = &scan.values[*first];
    let differs = others.iter().any(|i| scan.values[*i].value != found.value);
    // Without its last brace the answer counts only if the draft, its last and longest part, is there.
    if differs || (found.open && found.value.get("draft").is_none()) {
        return None;
    }
    let mut repairs = scan.repairs(&answers);
    if !others.is_empty() {
        repairs.push(Repair::Repeated);
    }
    let field = |key: &str| found.value.get(key).filter(|value| !value.is_null());
    let status = match field("status")?.as_str()?.trim() {
        word if word.eq_ignore_ascii_case("applied") => EditStatus::Applied,
        word if word.eq_ignore_ascii_case("rejected") => EditStatus::Rejected,
        word if word.eq_ignore_ascii_case("not_found") => EditStatus::NotFound,
        _ => return None,
    };
    let draft = match field("draft") {
        None => None,
        Some(value) => Some(value.as_str()?.to_string()),
    };
    let reason = field("reason").and_then(Value::as_str).map(str::to_string);
    Some(SerialEdit { status, reason, draft, repairs: names(&repairs) })
}
