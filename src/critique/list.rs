//! Findings lists: from the JSON values of a reply to findings, for every format that asks for a list.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::json::Flaw;
use super::repair::{Repair, names};
use super::scan::{Scan, scan};
use super::{Rules, is_blank, settled};
use crate::model::{Critique, CritiqueStatus, Drop, DropReason, Finding, ParseReason, Reply, StopReason};

/// The names a format gives to the parts of a finding.
pub(super) struct Shape {
    pub label: &'static str,
    pub quote: &'static str,
    pub source_id: Option<&'static str>,
    pub source_quote: Option<&'static str>,
}

const LIST: &str = "findings";

/// Reads a reply that ought to be a list of findings.
pub(super) fn read(reply: &Reply, rules: &Rules, shape: &Shape) -> Critique {
    let (status, findings, repairs) = match settled(reply, rules) {
        Some(CritiqueStatus::Approved) => (CritiqueStatus::Approved, Some(Vec::new()), Vec::new()),
        Some(status) => (status, None, Vec::new()),
        None if reply.stop == StopReason::Length => (CritiqueStatus::ParseError(ParseReason::Truncated), None, Vec::new()),
        None => match items(&reply.text, shape) {
            Ok((items, repairs)) => {
                let findings = items.into_iter().map(|item| finding(item, rules, shape)).collect();
                (CritiqueStatus::Ok, Some(findings), names(&repairs))
            }
            Err(reason) => (CritiqueStatus::ParseError(reason), None, Vec::new()),
        },
    };
    Critique { status, text: reply.text.clone(), findings, repairs, quotations: Vec::new() }
}

/// The elements of the one list in a reply.
fn items(text: &str, shape: &Shape) -> Result<(Vec<Value>, Vec<Repair>), ParseReason> {
    let mut scan = scan(text);
    let documents = pick(&scan, |value| value.get(LIST).is_some());
    let arrays = pick(&scan, |value| value.as_array().is_some_and(|list| list.iter().any(|item| is_finding(item, shape))));
    let singles = pick(&scan, |value| value.get(LIST).is_none() && is_finding(value, shape));
    if let Some((first, others)) = documents.split_first() {
        let list = &scan.values[*first].value[LIST];
        if others.iter().any(|i| scan.values[*i].value[LIST] != *list) {
            return Err(ParseReason::Malformed);
        }
        if let Some(reason) = doubt(&scan, *first, &arrays, &singles, shape) {
            return Err(reason);
        }
        let mut repairs = scan.repairs(&documents);
        if !others.is_empty() {
            repairs.push(Repair::Repeated);
        }
        return match scan.values[*first].value[LIST].take() {
            Value::Array(list) => Ok((list, repairs)),
            item @ Value::Object(_) if is_finding(&item, shape) => {
                repairs.push(Repair::SingleFinding);
                Ok((vec![item], repairs))
            }
            Value::String(inner) if holds_json(&inner) => Err(ParseReason::DoubleEncoded),
            _ => Err(ParseReason::MissingFindings),
        };
    }
    without_document(scan, &arrays, &singles)
}

/// Why a document may not be the whole answer: something unreadable follows it, or precedes an empty list, or there are
/// findings elsewhere that it lacks, or keys of a finding beside it. A list with a doubt is refused, so that none is ever shorter than it was.
fn doubt(scan: &Scan<'_>, document: usize, arrays: &[usize], singles: &[usize], shape: &Shape) -> Option<ParseReason> {
    let found = &scan.values[document];
    let list = found.value[LIST].as_array()?;
    // A finding's own keys beside the list: its bracket was closed before they were read.
    if is_finding(&found.value, shape) {
        return Some(ParseReason::Malformed);
    }
    if let Some(flaw) = scan.flaw
        && (list.is_empty() || scan.flawed >= found.end)
    {
        return Some(reason(flaw));
    }
    if arrays.is_empty() && singles.is_empty() {
        return None;
    }
    // Looked up by their text: lists in hostile replies are long.
    let known: HashSet<String> = list.iter().map(Value::to_string).collect();
    let items = arrays.iter().flat_map(|i| scan.values[*i].value.as_array().into_iter().flatten());
    let mut elsewhere = singles.iter().map(|i| &scan.values[*i].value).chain(items);
    elsewhere.any(|item| !known.contains(&item.to_string())).then_some(ParseReason::Malformed)
}

/// A list that lacks the object around it. After something unreadable these may be pieces of a longer list: refused.
fn without_document(mut scan: Scan<'_>, arrays: &[usize], singles: &[usize]) -> Result<(Vec<Value>, Vec<Repair>), ParseReason> {
    if let Some(flaw) = scan.flaw {
        return Err(reason(flaw));
    }
    if singles.iter().any(|i| scan.values[*i].open) {
        return Err(ParseReason::Truncated);
    }
    let empty = pick(&scan, |value| value.as_array().is_some_and(Vec::is_empty));
    let all: Vec<usize> = (0..scan.values.len()).collect();
    let (chosen, kind) = match (arrays, singles) {
        ([_], []) => (arrays, Repair::BareArray),
        ([], [_]) => (singles, Repair::SingleFinding),
        ([], [_, _, ..]) => (singles, Repair::JsonLines),
        // `[]` in the middle of a text is punctuation; only alone does it say that there is nothing to say.
        ([], []) if all.len() == 1 && all == empty && scan.is_bare(&all) => (&all[..], Repair::BareArray),
        ([], []) => return Err(no_list(&scan, &all)),
        _ => return Err(ParseReason::Malformed),
    };
    let mut repairs = scan.repairs(chosen);
    repairs.push(kind);
    let mut list = Vec::new();
    for i in chosen {
        match scan.values[*i].value.take() {
            Value::Array(items) => list.extend(items),
            item => list.push(item),
        }
    }
    Ok((list, repairs))
}

fn no_list(scan: &Scan<'_>, all: &[usize]) -> ParseReason {
    let cut = scan.values.last().is_some_and(|found| found.open);
    let object = scan.values.iter().any(|found| found.value.is_object());
    match () {
        _ if cut => ParseReason::Truncated,
        _ if object || (!all.is_empty() && scan.is_bare(all)) => ParseReason::MissingFindings,
        _ => ParseReason::NoJson,
    }
}

fn pick(scan: &Scan<'_>, fits: impl Fn(&Value) -> bool) -> Vec<usize> {
    (0..scan.values.len()).filter(|i| fits(&scan.values[*i].value)).collect()
}

fn is_finding(value: &Value, shape: &Shape) -> bool {
    value.get(shape.label).is_some() || value.get(shape.quote).is_some()
}

fn holds_json(text: &str) -> bool {
    let scan = scan(text);
    !scan.values.is_empty() || scan.flaw.is_some()
}

pub(super) fn reason(flaw: Flaw) -> ParseReason {
    match flaw {
        Flaw::End => ParseReason::Truncated,
        Flaw::DuplicateKey => ParseReason::DuplicateKey,
        Flaw::BadEscape => ParseReason::BadEscape,
        Flaw::Syntax => ParseReason::Malformed,
    }
}

/// One element of the list. What cannot be used is dropped with a reason, and kept for the record.
fn finding(item: Value, rules: &Rules, shape: &Shape) -> Finding {
    let (raw, whole) = match item {
        Value::Object(raw) => (raw, true),
        other => (Map::from_iter([("value".to_string(), other)]), false),
    };
    let text = |key: &str| raw.get(key).and_then(Value::as_str).map(str::to_string);
    let optional = |key: Option<&str>| key.and_then(text);
    let severity = text("severity").unwrap_or_default();
    let rank = rules.rank(&severity);
    let quote = text(shape.quote);
    let fields = [Some(shape.label), Some(shape.quote), Some("severity"), shape.source_id, shape.source_quote];
    let is_wrong = |key: &&str| raw.get(*key).is_some_and(|value| !value.is_string() && !value.is_null());
    let reason = match &quote {
        _ if !whole || fields.iter().flatten().any(is_wrong) => Some(DropReason::Malformed),
        None => Some(DropReason::NoLocation),
        Some(quote) if is_blank(quote) => Some(DropReason::EmptyLocation),
        _ if rank.is_none() && !rules.severities.is_empty() => Some(DropReason::UnknownSeverity),
        _ => None,
    };
    Finding {
        label: text(shape.label).unwrap_or_default(),
        severity,
        rank,
        quote,
        source_id: optional(shape.source_id),
        source_quote: optional(shape.source_quote),
        anchor: None,
        drop: reason.map(|reason| Drop { reason, similarity: None }),
        raw,
    }
}
