//! What a critique says in words, whatever its format: prose as it is, findings by their quotation and their fields of prose.

use super::list::Shape;
use super::{findings, grounded};
use crate::model::{Anchor, Critique, CritiqueStatus, Finding, Span};
use crate::text::anchor::{Haystack, quotation_spans};
use crate::text::mention::{Said, is_instruction};

/// The pieces of a critique's words, in order, with the quotations in them that stand in `draft`. Nothing for an approval or a critique
/// that could not be read.
pub fn said<'c>(critique: &'c Critique, draft: &str) -> Vec<Said<'c>> {
    if critique.status != CritiqueStatus::Ok {
        return vec![];
    }
    let Some(findings) = &critique.findings else {
        let quoted = quoted_in_prose(&critique.text, &critique.quotations, draft);
        return vec![Said { text: &critique.text, quoted, ..Said::default() }];
    };
    let mut haystack = None;
    let mut out = vec![];
    for finding in findings {
        let first = out.len();
        if let (Some(quote), Some(anchor)) = (&finding.quote, &finding.anchor) {
            out.push(Said { text: quote, anchored: anchor.spans.clone(), ..Said::default() });
        }
        for text in prose_fields(finding) {
            let mut quoted = vec![];
            for span in quotation_spans(text) {
                let haystack = haystack.get_or_insert_with(|| Haystack::new(draft));
                if let Some(anchor) = span.of(text).and_then(|quote| haystack.find_verbatim(quote).ok()) {
                    quoted.push((span, anchor.spans));
                }
            }
            out.push(Said { text, quoted, ..Said::default() });
        }
        if let Some(opening) = out.get_mut(first) {
            opening.opens = true;
        }
    }
    out
}

/// The fields in which a finding speaks: not its label, severity, source and quotations, and not a fix that is the text to put in.
fn prose_fields(finding: &Finding) -> impl Iterator<Item = &str> {
    let is_of = |shape: &Shape, key: &str| [Some(shape.label), Some(shape.quote), shape.source_id, shape.source_quote].contains(&Some(key));
    let fields =
        finding.raw.iter().filter(move |(key, _)| *key != "severity" && !is_of(&findings::SHAPE, key) && !is_of(&grounded::SHAPE, key));
    fields
        .filter_map(|(key, value)| Some((key, value.as_str()?)))
        .filter(|(key, text)| *key != "fix" || is_instruction(text))
        .map(|(_, text)| text)
}

/// Which quotation each located anchor is of: anchors stand in the order of their quotations, and those not found have none.
fn quoted_in_prose(text: &str, anchors: &[Anchor], draft: &str) -> Vec<(Span, Vec<Span>)> {
    let mut anchors = anchors.iter().peekable();
    let mut out = vec![];
    for span in quotation_spans(text) {
        let Some(quote) = span.of(text) else { continue };
        if let Some(anchor) = anchors.next_if(|anchor| is_of(quote, anchor, draft)) {
            out.push((span, anchor.spans.clone()));
        }
    }
    out
}

/// True where the anchor's place alone holds the quotation as surely as the anchor says.
fn is_of(quote: &str, anchor: &Anchor, draft: &str) -> bool {
    /// Two ways to the same similarity may differ in the last bits.
    const SLACK: f64 = 1e-6;
    let Some(window) = anchor.spans.first().and_then(|span| span.of(draft)) else { return false };
    window == quote || Haystack::new(window).find(quote, anchor.similarity - SLACK).is_ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::locate::locate;
    use super::super::{Rules, by_name};
    use super::*;
    use crate::model::{Reply, StopReason};

    const DRAFT: &str = "Dear Sam,\n\nThe fee is $15 and due soon.\n\nWe refund it at the end of the month.\n\nBye, Rosa";

    fn read(format: &str, text: &str) -> Critique {
        let reply = Reply { text: text.into(), stop: StopReason::End, usage: None, model: None };
        let mut critique = by_name(format).unwrap().read(&reply, &Rules { sentinel: "APPROVED".into(), severities: vec![] });
        locate(&mut critique, DRAFT, &[], 0.8);
        critique
    }

    /// Each piece: what it says, and the draft's words that are quoted in it or that it is anchored to.
    fn check(format: &str, text: &str, want: &[(&str, &[&str])]) {
        let critique = read(format, text);
        let found: Vec<(&str, Vec<&str>)> = said(&critique, DRAFT)
            .iter()
            .map(|piece| {
                let spans = piece.anchored.iter().chain(piece.quoted.iter().flat_map(|(_, spans)| spans));
                (piece.text, spans.filter_map(|span| span.of(DRAFT)).collect())
            })
            .collect();
        let want: Vec<(&str, Vec<&str>)> = want.iter().map(|(text, quotes)| (*text, quotes.to_vec())).collect();
        assert_eq!(found, want);
    }

    #[test]
    fn prose_is_one_piece_with_its_located_quotations() {
        let text = "\"nowhere in it\" and \"The fee is\" and \"We refnd it at the end of a month\" and \"gone\" and \"fee\".";
        check("prose", text, &[(text, &["The fee is", "We refund it at the end of the month", "fee"])]);
        check("prose", "APPROVED", &[]);
        check("prose", "", &[]);
    }

    #[test]
    fn a_finding_speaks_in_its_fields() {
        let list = json!({"findings": [
            {"defect": "vague", "location": "due soon", "severity": "major", "detail": "When? \"The fee\" is clear.", "fix": "State the day."},
            {"defect": "wrong", "location": "not there at all", "severity": "major", "detail": "The last sentence.", "fix": "It is due on 9 June."},
        ]});
        let want: &[(&str, &[&str])] = &[
            ("due soon", &["due soon"]),
            ("When? \"The fee\" is clear.", &["The fee"]),
            ("State the day.", &[]),
            ("The last sentence.", &[]),
        ];
        check("findings", &list.to_string(), want);
        let list = json!({"findings": [{"category": "x", "severity": "major", "draft_span": "due soon", "source_id": "internal",
            "source_span": "due soon", "explanation": "See the greeting."}]});
        check("grounded", &list.to_string(), &[("due soon", &["due soon"]), ("See the greeting.", &[])]);
        check("findings", "{\"findings\": [", &[]);
    }
}
