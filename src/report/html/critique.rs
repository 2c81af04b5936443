//! A critique in a run that is shown whole: findings as a list or prose, the sections it speaks of, and its marks in the draft.

use super::marks::Mark;
use super::text;
use super::write::Page;
use crate::detail::{CritiqueDetail, EditDetail, FindingDetail, MentionDetail};
use crate::report::shown;

/// What can be pointed at: findings of a list, or the quotations of prose.
pub fn marks(critique: &CritiqueDetail, edits: &[EditDetail]) -> Vec<Mark> {
    let findings = critique.findings.iter().flatten().enumerate();
    let quoted = critique.quotations.iter().enumerate();
    findings
        .map(|(at, finding)| Mark { spans: finding.spans.clone(), number: at + 1, hint: hint(finding, at, edits) })
        .chain(quoted.map(|(at, quotation)| Mark {
            spans: quotation.spans.clone(),
            number: at + 1,
            hint: format!("{}. quoted, {}", at + 1, quotation.tier.name()),
        }))
        .collect()
}

/// A finding in a line, as a pointer that rests on its mark reads it.
fn hint(finding: &FindingDetail, at: usize, edits: &[EditDetail]) -> String {
    let reason = edits.iter().filter(|edit| edit.findings.contains(&at)).find_map(|edit| edit.reason.as_deref());
    let said = reason.or(finding.said.first().map(|(_, text)| text.as_str()));
    let tail = said.map_or(String::new(), |said| format!(": {}", shown::short(said, 120)));
    format!("{}. {} [{}] {}{tail}", at + 1, finding.label, finding.severity, finding.fate_name())
}

/// What the critic said, and what it speaks of.
pub fn critique(page: &mut Page, critique: &CritiqueDetail, edits: &[EditDetail], before: &str) {
    said(page, critique, edits, before);
    if critique.parse_reason.is_none() && critique.status != "approved" {
        mentions(page, &critique.mentions);
    }
}

/// Sections are counted from 0, as everywhere. What is quoted stands in the critique, word for word.
fn mentions(page: &mut Page, mentions: &[MentionDetail]) {
    let one = |mention: &MentionDetail| {
        let words = match mention.evidence {
            "quotation" | "anchor" => String::new(),
            _ => format!(": '{}'", mention.words),
        };
        format!("section {} ({}{words}{})", mention.section, mention.evidence, if mention.strict { "" } else { ", loose" })
    };
    let (whole, parts): (Vec<_>, Vec<_>) = mentions.iter().partition(|mention| mention.evidence == "global");
    let mut listed: Vec<String> = parts.into_iter().map(one).collect();
    listed.extend(whole.first().map(|_| "all sections (global, loose)".to_owned()));
    let list = if listed.is_empty() { "nothing".to_owned() } else { listed.join(", ") };
    page.put("p", &[("class", "muted")], &format!("Mentions {list}."));
}

fn said(page: &mut Page, critique: &CritiqueDetail, edits: &[EditDetail], before: &str) {
    let repairs = if critique.repairs.is_empty() { String::new() } else { format!(" Repaired: {}.", critique.repairs.join(", ")) };
    if let Some(reason) = &critique.parse_reason {
        page.put("p", &[("class", "note")], &format!("Critique: unreadable ({reason}).{repairs}"));
        return text(page, |page| page.text(&critique.text));
    }
    if critique.status == "approved" {
        return page.put("p", &[], &format!("Critique: approved.{repairs}"));
    }
    let Some(findings) = &critique.findings else {
        page.put("p", &[], &format!("Critique, in prose.{repairs}"));
        text(page, |page| page.text(&critique.text));
        if !critique.quotations.is_empty() {
            page.put("p", &[], "Quotations that were located:");
            page.el("ol", &[("class", "findings")], |page| {
                for quotation in &critique.quotations {
                    page.el("li", &[], |page| {
                        page.put("q", &[("dir", "auto")], quotation.spans.first().and_then(|span| span.of(before)).unwrap_or_default());
                        page.text(&format!(" {}", quotation.tier.name()));
                    });
                }
            });
        }
        return;
    };
    page.put("p", &[], &format!("Critique: {} {}.{repairs}", findings.len(), if findings.len() == 1 { "finding" } else { "findings" }));
    page.el("ol", &[("class", "findings")], |page| {
        findings.iter().enumerate().for_each(|(at, one)| page.el("li", &[], |page| finding(page, one, at, edits)));
    });
}

fn finding(page: &mut Page, finding: &FindingDetail, at: usize, edits: &[EditDetail]) {
    page.put("b", &[("dir", "auto")], &finding.label);
    page.text(" ");
    page.put("span", &[("class", "chip"), ("dir", "auto")], &finding.severity);
    let fate = finding.fate_name();
    let class = match fate {
        "resolved" => "chip good",
        "reraised" | "persisted" => "chip bad",
        _ => "chip open",
    };
    page.text(" ");
    page.put("span", &[("class", class)], fate);
    page.text(" ");
    let place = match (finding.tier, finding.drop) {
        (Some(tier), _) => {
            let likeness = finding.similarity.filter(|s| *s < 1.0).map_or(String::new(), |s| format!(" {s:.2}"));
            let many = if finding.spans.len() > 1 { format!(", {} places", finding.spans.len()) } else { String::new() };
            format!("{}{likeness}{many}", tier.name())
        }
        (None, Some(drop)) => drop.reason.name().to_owned(),
        (None, None) => String::new(),
    };
    page.text(&place);
    page.el("dl", &[], |page| {
        let mut said = |name: &str, text: &str| {
            page.put("dt", &[], name);
            page.put("dd", &[("dir", "auto")], text);
        };
        if let Some(quote) = &finding.quote {
            said("quote", quote);
        }
        if let Some(source) = &finding.source_id {
            said("source", source);
        }
        if let Some(quote) = &finding.source_quote {
            said("source quote", quote);
        }
        finding.said.iter().for_each(|(name, text)| said(name, text));
        for edit in edits.iter().filter(|edit| edit.findings.contains(&at)) {
            if let Some(reason) = &edit.reason {
                said("reviser", reason);
            }
        }
    });
}
