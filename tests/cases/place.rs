//! Cases of anchoring: quotations against a draft, grounded findings against their sources, and the rows of anchor_cases.jsonl.

use redraft::critique::{self, Rules, locate};
use redraft::model::{Anchor, Drop, DropReason, Reply, Source, Span, StopReason, Tier};
use redraft::text::anchor::Haystack;
use serde_json::{Value, json};

use crate::sheet::{Case, Sheet};

/// The default of `anchor.threshold`.
pub const THRESHOLD: f64 = 0.80;

pub fn quotes(case: &Case, sheet: &mut Sheet) {
    let draft = case.text("draft.txt");
    let quotes = if case.has("quotes.json") { case.json("quotes.json") } else { locations(&case.json("findings.json")) };
    let haystack = Haystack::new(&draft);
    for (key, want) in &case.expect {
        let number = ["finding_", "q", "f"].iter().find_map(|start| key.strip_prefix(start)?.parse::<usize>().ok());
        let quote = number.and_then(|n| quotes.get(n.checked_sub(1)?)?.as_str());
        let Some(quote) = quote else {
            sheet.unknown(key);
            continue;
        };
        let found = haystack.find(quote, THRESHOLD);
        // Where a case lets a quotation be found or not, its place counts only if there is one.
        let open = want["status"].as_str().is_some_and(|status| status.contains("or not_found")) && found.is_err();
        sheet.each(key, want, |sheet, field, name, want| match name {
            "char" | "byte" | "spans" if open => {
                sheet.holds(field, want, true, "");
                true
            }
            _ => one(sheet, field, name, want, &draft, quote, &found),
        });
    }
}

/// What findings quote, where a case gives findings in place of bare quotations.
fn locations(findings: &Value) -> Value {
    let list = findings.get("findings").unwrap_or(findings);
    list.as_array().into_iter().flatten().map(|finding| finding["location"].clone()).collect()
}

fn one(sheet: &mut Sheet, field: String, name: &str, want: &Value, draft: &str, quote: &str, found: &Result<Anchor, Drop>) -> bool {
    let spans = || found.as_ref().map_or(vec![], |anchor| anchor.spans.clone());
    let first = || spans().first().copied();
    match name {
        "status" => return status(sheet, field, want, found),
        "byte" => sheet.eq(field, want, first().map_or(Value::Null, |span| json!(span))),
        "char" => sheet.eq(field, want, first().map_or(Value::Null, |span| chars(draft, span))),
        "spans" => {
            let both = |span: Span| json!({"char": chars(draft, span), "byte": span});
            sheet.eq(field, want, spans().into_iter().map(both).collect::<Value>());
        }
        "ambiguous" => sheet.eq(field, want, found.as_ref().is_ok_and(Anchor::is_ambiguous)),
        "occurrences" => sheet.eq(field, want, spans().len()),
        "reason" => sheet.eq(field, want, found.as_ref().err().map_or(Value::Null, |drop| case_reason(drop.reason).into())),
        "similarity" => sheet.eq(field, want, found.as_ref().map_or(Value::Null, |anchor| anchor.similarity.into())),
        "distance" => {
            let seen = first().and_then(|span| span.of(draft)).map(|window| redraft::text::diff::levenshtein(quote, window));
            sheet.eq(field, want, seen);
        }
        // At threshold 0 every window is in reach, so that the best of them is told whatever becomes of it.
        "best similarity" => {
            let best = Haystack::new(draft).find(quote, 0.0).map_or_else(|drop| drop.similarity, |anchor| Some(anchor.similarity));
            sheet.eq(field, want, best);
        }
        "best window" => sheet.eq(field, want, window(draft, quote).and_then(|span| Some(span.of(draft)?.to_owned()))),
        "best window char" => sheet.eq(field, want, window(draft, quote).map_or(Value::Null, |span| chars(draft, span))),
        "quote_chars" => sheet.eq(field, want, quote.chars().count()),
        "draft_chars" => sheet.eq(field, want, draft.chars().count()),
        _ => return false,
    }
    true
}

fn status(sheet: &mut Sheet, field: String, want: &Value, found: &Result<Anchor, Drop>) -> bool {
    let tier = found.as_ref().map(|anchor| anchor.tier);
    let seen = match tier {
        Ok(Tier::Exact) => "exact",
        Ok(Tier::Normalised) => "normalised",
        Ok(Tier::Fuzzy) => "fuzzy",
        Err(_) => "not_found",
    };
    match want.as_str() {
        Some("exact" | "normalised" | "fuzzy" | "not_found") => sheet.eq(field, want, seen),
        Some("ambiguous") => sheet.holds(field, want, found.as_ref().is_ok_and(Anchor::is_ambiguous), seen),
        Some("not exact, not normalised") => sheet.holds(field, want, matches!(tier, Ok(Tier::Fuzzy) | Err(_)), seen),
        // Where a case leaves it open, the span beside it says what a place must be.
        Some(text) if text.starts_with("located") => sheet.holds(field, want, tier.is_ok() || text.contains("not_found"), seen),
        _ => return false,
    }
    true
}

/// Where the ladder finds a quotation when no similarity is too low.
fn window(draft: &str, quote: &str) -> Option<Span> {
    Haystack::new(draft).find(quote, 0.0).ok()?.spans.first().copied()
}

fn chars(text: &str, span: Span) -> Value {
    let count = |at: usize| text[..at].chars().count();
    json!([count(span.start), count(span.end)])
}

/// The name that the cases use for a reason: ours, but for the word elided.
pub fn case_reason(reason: DropReason) -> &'static str {
    match reason {
        DropReason::ElidedQuote => "elided",
        other => other.name(),
    }
}

/// Findings with two quotations each, read and located as the loop does it.
pub fn grounded(case: &Case, sheet: &mut Sheet) {
    let draft = case.text("draft.txt");
    let sources: Vec<Source> = case.json("sources.json").as_object().into_iter().flatten().map(|(id, text)| source(id, text)).collect();
    let reply = Reply { text: case.text("findings.json"), stop: StopReason::End, usage: None, model: None };
    // Severities are not what such a case is about, and none are declared in it.
    let rules = Rules { sentinel: "APPROVED".into(), severities: vec![] };
    let format = critique::by_name("grounded").expect("a registered format");
    let mut critique = format.read(&reply, &rules);
    locate::locate(&mut critique, &draft, &sources, THRESHOLD);
    let run = crate::story::critiqued(&draft, critique.clone());
    let row = crate::story::Measure::of(&run);
    let findings = critique.findings.unwrap_or_default();
    let numbered = || findings.iter().enumerate().map(|(at, finding)| (at + 1, finding));
    sheet.each("", &Value::Object(case.expect.clone()), |sheet, field, name, want| {
        match name {
            "kept" => sheet.eq(field, want, numbered().filter(|(_, f)| f.anchor.is_some()).map(|(n, _)| n).collect::<Value>()),
            "dropped" => {
                let reason = |(n, f): (usize, &redraft::model::Finding)| Some((n.to_string(), Value::from(case_reason(f.drop?.reason))));
                sheet.eq(field, want, Value::Object(numbered().filter_map(reason).collect()));
            }
            "counters" => sheet.each(&field, want, |sheet, field, name, want| {
                let column = match name {
                    "emitted" => "emitted",
                    "internal" => "source_internal",
                    "eligible_for_source_check" => "source_eligible",
                    "source_check_failed_of_eligible" => "source_failed",
                    "internal_check_failed" => "source_internal_failed",
                    "draft_span_failed" => "dropped_draft_span_not_found",
                    "kept" => "anchored",
                    _ => return false,
                };
                sheet.eq(field, want, row.int(1, column));
                true
            }),
            _ => return false,
        }
        true
    });
}

fn source(id: &str, text: &Value) -> Source {
    Source { id: id.to_owned(), title: String::new(), text: text.as_str().unwrap_or_default().to_owned() }
}

/// One row of anchor_cases.jsonl: `expect` holds status (found, ambiguous, not_found, invalid), tier and spans in bytes.
pub fn row(row: &Value, sheet: &mut Sheet) {
    let found = Haystack::new(row["draft"].as_str().unwrap_or_default()).find(row["quote"].as_str().unwrap_or_default(), THRESHOLD);
    sheet.each("", &row["expect"], |sheet, field, name, want| {
        match name {
            "status" => {
                let seen = match &found {
                    Ok(anchor) if anchor.is_ambiguous() => "ambiguous",
                    Ok(_) => "found",
                    Err(drop) if drop.reason == DropReason::EmptyLocation => "invalid",
                    Err(_) => "not_found",
                };
                sheet.eq(field, want, seen);
            }
            "tier" => sheet.eq(field, want, found.as_ref().map_or_else(|drop| json!(drop.reason), |anchor| json!(anchor.tier))),
            "spans" => sheet.eq(field, want, found.as_ref().map_or(json!([]), |anchor| json!(anchor.spans))),
            _ => return false,
        }
        true
    });
}
