//! Cases of reading critiques; the byte-exact inputs stand in tests/data/critique.

use serde_json::{Value, json};

use super::scan::scan;
use super::*;
use crate::model::{DropReason, EditStatus, Finding};

pub(super) fn rules() -> Rules {
    Rules { sentinel: "APPROVED".into(), severities: ["blocking", "major", "minor"].map(String::from).into() }
}

pub(super) fn reply(text: &str, stop: StopReason) -> Reply {
    Reply { text: text.into(), stop, usage: None, model: None }
}

pub(super) fn read(text: &str) -> Critique {
    findings::Findings.read(&reply(text, StopReason::End), &rules())
}

fn data(file: &str) -> String {
    std::fs::read_to_string(format!("{}/tests/data/critique/{file}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn rows(file: &str) -> Vec<Value> {
    data(file).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// `ok 2`, `approved 0`, `truncated null`: status or reason, and how many findings there are.
fn shown(critique: &Critique) -> String {
    let count = critique.findings.as_ref().map_or("null".to_string(), |list| list.len().to_string());
    let status = match critique.status {
        CritiqueStatus::Ok => json!("ok"),
        CritiqueStatus::Approved => json!("approved"),
        CritiqueStatus::ParseError(reason) => json!(reason),
    };
    format!("{} {count}", status.as_str().unwrap())
}

fn list(critique: &Critique) -> &[Finding] {
    critique.findings.as_deref().unwrap_or_default()
}

pub(super) fn raws(critique: &Critique) -> Vec<Value> {
    list(critique).iter().map(|finding| Value::Object(finding.raw.clone())).collect()
}

pub(super) const ONE: &str = r#"{"defect":"tone","location":"Calm down","severity":"minor","detail":"rude","fix":"rephrase"}"#;

#[test]
fn a_fenced_list_keeps_brackets_and_backticks_inside_and_around_it() {
    let critique = read(&data("fence_brackets.txt"));
    assert_eq!(shown(&critique), "ok 2");
    let found = list(&critique);
    assert_eq!([&found[0].label, &found[1].label], ["missing_precondition", "tone"]);
    assert_eq!(found[0].raw["fix"], "Say `5 business days after approval`.");
    assert_eq!(found[0].raw["detail"], "The clock starts at approval [see policy 3].");
    assert_eq!(found[1].raw["fix"], "Use this instead: ```Thanks for waiting.```");
    assert_eq!(critique.repairs, ["fence", "surrounding_text"]);
}

#[test]
fn no_malformed_reply_reads_as_a_clean_pass() {
    let want = [
        ("a", "truncated null"),
        ("b", "truncated null"),
        ("d", "double_encoded null"),
        ("e", "empty null"),
        ("f", "empty null"),
        ("g", "no_json null"),
        ("h", "missing_findings null"),
        ("i", "missing_findings null"),
        ("j", "ok 0"),
        ("k", "no_json null"),
        ("l", "duplicate_key null"),
        ("m", "missing_findings null"),
        ("n", "bad_escape null"),
        ("o", "approved 0"),
        ("p", "ok 1"),
    ];
    let got: Vec<(String, Critique)> = rows("malformed_replies.jsonl")
        .iter()
        .map(|row| {
            let stop = if row["stop_reason"] == "max_tokens" { StopReason::Length } else { StopReason::End };
            let reply = reply(row["text"].as_str().unwrap(), stop);
            (row["id"].as_str().unwrap().to_string(), findings::Findings.read(&reply, &rules()))
        })
        .collect();
    let seen: Vec<(&str, String)> = got.iter().map(|(id, critique)| (id.as_str(), shown(critique))).collect();
    assert_eq!(seen, want.map(|(id, want)| (id, want.to_string())));
    let dropped = list(&got[14].1)[0].drop.map(|drop| drop.reason);
    assert_eq!(dropped, Some(DropReason::NoLocation));
    // A cut is seen in the text too, where the provider gives no stop reason.
    for (id, critique) in &got[..2] {
        assert_eq!(shown(&read(&critique.text)), "truncated null", "{id}");
    }
}

#[test]
fn the_sentinel_is_equality_after_trimming() {
    for row in rows("sentinel.jsonl") {
        let text = row["reply"].as_str().unwrap();
        let n = row["n"].as_u64().unwrap();
        let critique = prose::Prose.read(&reply(text, StopReason::End), &rules());
        let want = match n {
            1..=4 => CritiqueStatus::Approved,
            13 => CritiqueStatus::ParseError(ParseReason::Empty),
            _ => CritiqueStatus::Ok,
        };
        assert_eq!(critique.status, want, "row {n}");
        assert_eq!(critique.findings, None, "prose has no findings");
        let listed = read(text).status;
        assert_eq!(listed == CritiqueStatus::Approved, n <= 4, "row {n} as a list: {listed:?}");
    }
}

/// Where our reading differs from the sample rows on purpose: (row, what we say, why).
const DIFFERENCES: &[(&str, &str, &str)] = &[("dup_key", "duplicate_key null", "equal keys are an error: which of them was meant?")];

#[test]
fn tolerant_rows_are_read_or_refused_as_expected() {
    for row in rows("tolerant_json_cases.jsonl") {
        let id = row["id"].as_str().unwrap();
        let critique = read(row["raw"].as_str().unwrap());
        if let Some((_, ours, _)) = DIFFERENCES.iter().find(|(name, ..)| *name == id) {
            assert_eq!(shown(&critique), *ours, "{id}");
            continue;
        }
        let want = match &row["expect"] {
            Value::String(word) if word == "REJECT" => {
                assert!(matches!(critique.status, CritiqueStatus::ParseError(_)), "{id}: {}", shown(&critique));
                continue;
            }
            Value::Array(list) => list.clone(),
            document => document.get("findings").and_then(Value::as_array).cloned().unwrap_or_else(|| vec![document.clone()]),
        };
        assert_eq!(critique.status, CritiqueStatus::Ok, "{id}");
        assert_eq!(raws(&critique), want, "{id}");
        let bare = matches!(id, "plain" | "pretty" | "fence_inside_string" | "empty_list");
        assert_eq!(critique.repairs.is_empty(), bare, "{id}: {:?}", critique.repairs);
    }
}

#[test]
fn each_repair_is_named_once() {
    let doc = format!(r#"{{"findings":[{ONE}]}}"#);
    let with = |from: &str, to: &str| doc.replace(from, to);
    let cases: Vec<(String, &[&str])> = vec![
        (doc.clone(), &[]),
        (format!("\u{feff}{doc}"), &["byte_order_mark"]),
        (format!("<think>is it {{\"findings\": []}}?</think>{doc}"), &["reasoning"]),
        (format!("<THINKING>hm</Thinking>\n{doc}"), &["reasoning"]),
        (format!("hm {{\"findings\": [1]}} {{\"a\": </think>{doc}"), &["reasoning"]),
        (format!("~~~ jsonc {{}}\n{doc}\n~~~"), &["fence"]),
        (format!("```json\n{doc}\n```"), &["fence"]),
        (format!("```\n{doc}}}\n```"), &["fence", "extra_close"]),
        (format!("Here:\n```json\n{doc}\n```\n[1] policy"), &["fence", "surrounding_text"]),
        (format!("See [“Refunds” section] and ['fees' too] {{'it's}} [\". {doc}"), &["surrounding_text"]),
        (format!("First: {ONE}\nAll: {doc}"), &["surrounding_text"]),
        (format!("{{\"findings\": [...]}} as in {doc}"), &["surrounding_text"]),
        (format!("{doc}\n{doc}"), &["repeated"]),
        (format!("[{ONE}]"), &["bare_array"]),
        ("[]".into(), &["bare_array"]),
        ("```\n[]\n```".into(), &["fence", "bare_array"]),
        (ONE.into(), &["single_finding"]),
        (format!(r#"{{"findings": {ONE}}}"#), &["single_finding"]),
        (format!("{ONE}\n{ONE}"), &["json_lines"]),
        (format!("1. {ONE}\n2. {ONE}"), &["surrounding_text", "json_lines"]),
        (serde_json::to_string(&doc).unwrap(), &["double_encoded"]),
        (doc[..doc.len() - 1].into(), &["missing_close"]),
        (format!("{doc}}}]"), &["extra_close"]),
        (with("}]", ",},]"), &["trailing_comma"]),
        (with(r#","severity"#, "\n\"severity"), &["missing_comma"]),
        (with("[", "[ // all of them\n /* two */"), &["comment"]),
        (doc.replace('"', "'"), &["single_quotes"]),
        (doc.replace('"', "”"), &["smart_quotes"]),
        (with("rude", "„rude\" word"), &["inner_quote"]),
        (with("\"defect\"", "defect"), &["unquoted_key"]),
        (with("\"rude\"", "None"), &["python_literal"]),
        (with("\"rude\"", "-Infinity"), &["not_a_number"]),
        (with("\"rude\"", "1e999"), &["not_a_number"]),
        (with("rude", "very\nrude\tindeed"), &["control_character"]),
        (with("rude", r"very \rude \$ \'"), &["invalid_escape"]),
        (with(",\"severity", ",\u{a0}\"severity"), &["white_space"]),
    ];
    for (text, want) in cases {
        let critique = read(&text);
        assert_eq!(critique.status, CritiqueStatus::Ok, "{text}");
        assert_eq!(critique.repairs, want, "{text}");
        assert_eq!(critique.text, text);
        assert!(list(&critique).iter().all(|finding| finding.quote.as_deref() == Some("Calm down") && finding.drop.is_none()), "{text}");
    }
    let cut = prose::Prose.read(&reply("The fee is", StopReason::Length), &rules());
    assert_eq!((cut.status, cut.repairs), (CritiqueStatus::Ok, vec!["truncated".to_string()]));
}

#[test]
fn what_is_not_forgiven_has_its_reason() {
    let doc = format!(r#"{{"findings":[{ONE},{ONE}]}}"#);
    let with = |from: &str, to: &str| doc.replacen(from, to, 1);
    let cases: Vec<(String, &str)> = vec![
        // A list that is not closed is never a shorter list.
        (doc[..doc.len() - 2].into(), "truncated null"),
        (doc[..doc.len() - 30].into(), "truncated null"),
        (format!("[{ONE},{ONE}"), "truncated null"),
        (format!("{ONE}\n{{\"defect\": \"to"), "truncated null"),
        (format!("{ONE}\n{}", &ONE[..ONE.len() - 1]), "truncated null"),
        ("{\"find".into(), "truncated null"),
        ("{\"findings\": [], ".into(), "truncated null"),
        ("{\"findings\": [], \"summary\": \"all go".into(), "truncated null"),
        ("{\"findings\": []} {\"findings\": [{".into(), "truncated null"),
        // Pieces of a list that cannot be read are no list.
        (with("\"tone\"", "tone"), "malformed null"),
        (with("}", ""), "malformed null"),
        (format!("{{\"findings\": [{ONE}, oops, {ONE}]}}"), "malformed null"),
        ("{\"findings\": [oops]} or {\"findings\": []}".into(), "malformed null"),
        // Two documents that disagree.
        (format!("{doc} or {{\"findings\": []}}"), "malformed null"),
        (format!("{{\"findings\": []}} {ONE}"), "malformed null"),
        (format!("{doc} {}", ONE.replace("tone", "vague")), "malformed null"),
        (format!("{doc} {{\"findings\": [{ONE}, oops"), "malformed null"),
        (format!("[{ONE}] [{ONE}]"), "malformed null"),
        // Quotations are taken as they are or not at all.
        (with("Calm", r"\$Calm"), "bad_escape null"),
        (with("Calm", r"\uZZZZ"), "bad_escape null"),
        (with("rude", r"\udc00"), "bad_escape null"),
        (with("rude", r"\ud83dx"), "bad_escape null"),
        (with("\"fix\"", "\"detail\""), "duplicate_key null"),
        // No list at all.
        ("The [1] and [] of {draft}.".into(), "no_json null"),
        ("Use [] here.".into(), "no_json null"),
        ("[1, 2]".into(), "missing_findings null"),
        ("{\"result\": {\"findings\": []}}".into(), "missing_findings null"),
        ("{\"findings\": \"none\"}".into(), "missing_findings null"),
        ("<think>APPROVED".into(), "no_json null"),
        ("\u{feff}\u{200b} ".into(), "empty null"),
        (format!("{}1{}", "[".repeat(100), "]".repeat(100)), "no_json null"),
    ];
    for (text, want) in cases {
        assert_eq!(shown(&read(&text)), want, "{text}");
    }
}

#[test]
fn the_stop_reason_comes_first() {
    use StopReason::*;
    let doc = format!(r#"{{"findings":[{ONE}]}}"#);
    let cases = [
        (Length, doc.as_str(), "truncated null", "ok null"),
        (Length, "APPROVED", "truncated null", "truncated null"),
        (Length, " ", "truncated null", "truncated null"),
        (Refusal, "APPROVED", "refusal null", "refusal null"),
        (ContentFilter, &doc, "content_filter null", "content_filter null"),
        (Unknown, &doc, "ok 1", "ok null"),
        (Tool, "APPROVED", "approved 0", "approved null"),
    ];
    for (stop, text, as_list, as_prose) in cases {
        let reply = reply(text, stop);
        assert_eq!(shown(&findings::Findings.read(&reply, &rules())), as_list, "{stop:?} {text}");
        assert_eq!(shown(&prose::Prose.read(&reply, &rules())), as_prose, "{stop:?} {text}");
    }
}

#[test]
fn findings_that_need_no_draft_to_be_useless_are_dropped() {
    let cases = [
        (json!({"defect": "a", "location": "x", "severity": "Major"}), None, Some(1)),
        (json!({"defect": "a", "location": "x", "severity": " MINOR "}), None, Some(2)),
        (json!({"defect": "a", "location": "x", "severity": "dire"}), Some(DropReason::UnknownSeverity), None),
        (json!({"defect": "a", "location": "x"}), Some(DropReason::UnknownSeverity), None),
        (json!({"defect": "a", "severity": "dire"}), Some(DropReason::NoLocation), None),
        (json!({"defect": "a", "location": null, "severity": "minor"}), Some(DropReason::NoLocation), Some(2)),
        (json!({"defect": "a", "location": " \u{a0}\u{200b}", "severity": "minor"}), Some(DropReason::EmptyLocation), Some(2)),
        (json!({"defect": "a", "location": ["x"], "severity": "minor"}), Some(DropReason::Malformed), Some(2)),
        (json!({"defect": 7, "location": "x", "severity": "minor"}), Some(DropReason::Malformed), Some(2)),
        (json!("too long"), Some(DropReason::Malformed), None),
    ];
    for (item, drop, rank) in cases {
        let critique = read(&json!({"findings": [item]}).to_string());
        let finding = &list(&critique)[0];
        assert_eq!((finding.drop.map(|d| d.reason), finding.rank), (drop, rank), "{item}");
        assert!(finding.anchor.is_none());
    }
    let free = Rules { severities: Vec::new(), ..rules() };
    let critique = findings::Findings.read(&reply(ONE, StopReason::End), &free);
    assert_eq!(list(&critique)[0].drop, None, "no severities declared, none unknown");
}

#[test]
fn grounded_findings_carry_both_quotations() {
    let rules = Rules { severities: ["high", "medium", "low"].map(String::from).into(), ..rules() };
    let critique = grounded::Grounded.read(&reply(&data("grounded.json"), StopReason::End), &rules);
    assert_eq!(shown(&critique), "ok 9");
    let second = &list(&critique)[1];
    assert_eq!(second.label, "wrong_figure");
    assert_eq!(second.rank, Some(1));
    assert_eq!(second.quote.as_deref(), Some("Overage costs $0.09 per GB"));
    assert_eq!(second.source_id.as_deref(), Some("S1"));
    assert_eq!(second.source_quote.as_deref(), Some("Overage: “$0.12 per GB”"));
    assert!(list(&critique).iter().all(|finding| finding.drop.is_none()));
}

#[test]
fn serial_edits_are_read_with_the_same_tolerance() {
    use EditStatus::*;
    let cases = [
        (r#"{"status":"applied","reason":"r","draft":"D"}"#, Applied, Some("r"), Some("D"), 0),
        ("```json\n{'status': 'Rejected', 'reason': None, 'draft': 'it's D',}\n```", Rejected, None, Some("it's D"), 4),
        (r#"Done. {"status":"not_found","reason":"r"}"#, NotFound, Some("r"), None, 1),
        (r#"{"status":"applied","draft":"D""#, Applied, None, Some("D"), 1),
        (r#"{"status":"applied","#, Invalid, None, None, 0),
        (r#"{"status":"applied""#, Invalid, None, None, 0),
        (r#"{"status":"applied","draft":"D"#, Invalid, None, None, 0),
        (r#"{"status":"applied","draft":7}"#, Invalid, None, None, 0),
        (r#"{"status":"done","draft":"D"}"#, Invalid, None, None, 0),
        (r#"{"status":"applied","draft":"D"} {"status":"applied","draft":"E"}"#, Invalid, None, None, 0),
        (r#"{"draft":"D"}"#, Invalid, None, None, 0),
        ("D", Invalid, None, None, 0),
        ("", Invalid, None, None, 0),
    ];
    for (text, status, reason, draft, repairs) in cases {
        let got = edit(&reply(text, StopReason::End));
        assert_eq!((got.status, got.reason.as_deref(), got.draft.as_deref()), (status, reason, draft), "{text}");
        assert_eq!(got.repairs.len(), repairs, "{text}: {:?}", got.repairs);
        assert_eq!(edit(&reply(text, StopReason::Length)).status, Invalid, "{text}");
    }
}

#[test]
fn reading_takes_time_in_proportion_to_length() {
    let seeds = [
        "[",
        "{",
        "[{",
        "{\"a\":",
        "[\"",
        "['",
        "{“",
        "<",
        "<think>",
        "</think>",
        "[1]",
        "{\"a\":1}",
        "/*",
        "[/*",
        "[//",
        "\\",
        "{'a':'\\u",
        "' ",
        "[„\" ",
        "{\"a\":\"„\"  ",
        "{\"defect\":1}",
        "[true ",
        "[\"a\" ",
        "{a:1 ",
        "\"{",
        "{\"a\":\"\\ud83d",
    ];
    for seed in seeds {
        for n in [1000, 2000, 4000] {
            let text = seed.repeat(n);
            let steps = scan(&text).steps;
            assert!(steps <= 18 * text.len() + 1100, "{n} times {seed:?}: {steps} steps for {} bytes", text.len());
        }
    }
}

#[test]
fn names_are_unique_and_found() {
    for format in ALL {
        assert_eq!(by_name(format.name()).map(|found| found.name()), Some(format.name()));
        assert!(!format.about().is_empty());
    }
    assert!(by_name("poem").is_none());
    let mut names: Vec<&str> = Repair::ALL.iter().map(|(_, name, _)| *name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Repair::ALL.len());
    assert!(Repair::ALL.iter().all(|(kind, name, _)| kind.name() == *name));
}
