//! What critic and reviser say, as text in the form that the loop asks for.

use serde::Serialize;

use super::critic::Complaint;
use super::dice::Dice;
use super::phrases::PREFACES;
use crate::model::EditStatus;

/// A prose critique: every complaint in a line of its own, with the words it is about in quotation marks.
pub fn prose(complaints: &[Complaint], dice: Dice) -> String {
    let mut text = PREFACES[dice.pick("preface", 0, PREFACES.len())].to_owned();
    for complaint in complaints {
        let (what, fix) = complaint.remark();
        // Straight marks would end at those that a quotation holds itself.
        let (open, close) = if complaint.quote.contains('"') || dice.chance("curly", complaint.sentence, 0.4) {
            ('\u{201c}', '\u{201d}')
        } else {
            ('"', '"')
        };
        text.push_str(&format!("\n- {open}{}{close}: {what} ", complaint.quote));
        match complaint.about {
            Some(super::draft::Flaw::Wrong) => text.push_str(&format!("It should say: {}", complaint.fix)),
            _ => text.push_str(fix),
        }
    }
    text
}

#[derive(Serialize)]
struct Findings<'a> {
    findings: Vec<Finding<'a>>,
}

#[derive(Serialize)]
struct Finding<'a> {
    defect: &'a str,
    location: &'a str,
    severity: &'a str,
    detail: &'a str,
    fix: &'a str,
}

/// A list of findings.
pub fn findings(complaints: &[Complaint]) -> String {
    let finding = |complaint: &'_ Complaint| {
        let (detail, fix) = complaint.remark();
        (detail, if complaint.about.is_some() { complaint.fix.clone() } else { fix.to_owned() })
    };
    let texts: Vec<(&str, String)> = complaints.iter().map(finding).collect();
    let findings = complaints.iter().zip(&texts).map(|(complaint, (detail, fix))| Finding {
        defect: &complaint.label,
        location: &complaint.quote,
        severity: &complaint.severity,
        detail,
        fix,
    });
    json(&Findings { findings: findings.collect() })
}

#[derive(Serialize)]
struct Edit<'a> {
    status: &'a str,
    reason: &'a str,
    draft: &'a str,
}

/// A serial reviser's answer.
pub fn edit(status: EditStatus, draft: &str) -> String {
    let (status, reason) = match status {
        EditStatus::Rejected => ("rejected", "The words are right as they are."),
        EditStatus::NotFound | EditStatus::Invalid => ("not_found", "The quoted words are not in the draft."),
        EditStatus::Applied => ("applied", "Done as asked."),
    };
    json(&Edit { status, reason, draft })
}

/// Plain structures of text: writing them cannot fail.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
