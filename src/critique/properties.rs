//! Properties of reading critiques: total, faithful, and never a shorter list.

use proptest::collection::vec;
use proptest::prelude::*;

use serde_json::{Value, json};

use super::scan::scan;
use super::tests::{ONE, raws, read, reply, rules};
use super::*;

fn any_finding() -> impl Strategy<Value = Value> {
    let text = "[ -~“”’„éß→\u{1f600}\n\t\\\\\"'{}\\[\\]`]{0,24}";
    ("[a-z_]{1,12}", text, prop_oneof!["minor", "major"], text, text).prop_map(|(defect, location, severity, detail, fix)| {
        json!({"defect": defect, "location": location, "severity": severity, "detail": detail, "fix": fix})
    })
}

/// Text that holds no JSON: brackets only as people use them.
fn prose() -> impl Strategy<Value = String> {
    let piece =
        prop_oneof!["[a-zA-Z0-9 .,:;!?’“”'\"`\n-]{0,16}", "\\[[0-9]\\] ", "\\{[a-z]{1,5}\\} ", "\\[see [a-z]{1,4}\\] ", "[\\[{] of the "];
    vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

/// Text that starts like JSON and is none.
fn nasty() -> impl Strategy<Value = String> {
    let piece = prop_oneof!["[a-z .,:“”„'\"\n]{0,8}", "\\[[“'\"„][a-z]{1,4}[”'\"] [a-z]\\]", "[\\[{]+[“'\"a-z]{0,3}[:,]?", "[\\]}]"];
    vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

/// Pieces that look like JSON, so that random text reaches deep into the reader.
fn rough() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("{\"findings\":[".to_string()),
        Just(ONE.to_string()),
        Just("\"location\":\"".to_string()),
        "[\\[\\]{}\"',:/*<>\\\\„“” \nu0-9a-e-]{0,6}",
        Just("\\ud83d".to_string()),
        Just("<think>".to_string()),
        Just("</think>".to_string()),
        ".{0,4}",
    ];
    vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(text in prop_oneof![any::<String>(), rough()]) {
        for format in ALL {
            let critique = format.read(&reply(&text, StopReason::End), &rules());
            let failed = matches!(critique.status, CritiqueStatus::ParseError(_));
            prop_assert!(!failed || critique.findings.is_none());
            prop_assert_eq!(&critique.text, &text);
        }
        edit(&reply(&text, StopReason::End));
        prop_assert!(scan(&text).steps <= 18 * text.len() + 1100);
    }

    #[test]
    fn a_valid_document_is_read_back_whatever_surrounds_it(
        findings in vec(any_finding(), 0..5), before in prose(), after in prose(), fenced: bool, pretty: bool,
    ) {
        let document = json!({"findings": findings});
        let body = if pretty { serde_json::to_string_pretty(&document).unwrap() } else { document.to_string() };
        let fence = if fenced { "```json\n" } else { "" };
        let close = if fenced { "\n```\n" } else { "" };
        let bare = read(&body);
        prop_assert_eq!(raws(&bare), findings.clone());
        prop_assert!(bare.repairs.is_empty());
        let wrapped = read(&format!("{before}\n{fence}{body}{close}{after}"));
        prop_assert_eq!(wrapped.status, CritiqueStatus::Ok);
        prop_assert_eq!(wrapped.findings, bare.findings);
    }

    #[test]
    fn beside_what_starts_like_json_a_document_is_read_in_full_or_refused(
        findings in vec(any_finding(), 0..4), before in nasty(), after in nasty(),
    ) {
        let critique = read(&format!("{before}\n{}\n{after}", json!({"findings": findings})));
        prop_assert!(critique.findings.is_none() || raws(&critique) == findings, "{:?}", critique);
    }

    #[test]
    fn a_document_with_a_mistake_is_never_shorter(
        findings in vec(any_finding(), 1..4), place in any::<prop::sample::Index>(), mistake in prop::option::of("[\\[\\]{}\",:\\\\'a]"),
    ) {
        let mut text: Vec<String> = json!({"findings": findings}).to_string().chars().map(String::from).collect();
        let at = place.index(text.len());
        text[at] = mistake.unwrap_or_default();
        let critique = read(&text.concat());
        let count = critique.findings.as_ref().map(Vec::len);
        prop_assert!(count.is_none_or(|count| count == findings.len()), "{}\n{:?}", text.concat(), critique);
    }

    #[test]
    fn a_document_cut_anywhere_is_never_shorter(findings in vec(any_finding(), 1..4), cut in 0.0..1.0f64) {
        let body = json!({"findings": findings}).to_string();
        // Only the brace after the closed list may be missing.
        let mut at = (cut * (body.len() - 1) as f64) as usize;
        while !body.is_char_boundary(at) {
            at -= 1;
        }
        let critique = read(&body[..at]);
        if at < body.len() - 1 {
            prop_assert!(critique.findings.is_none(), "{}", &body[..at]);
        } else {
            prop_assert_eq!(raws(&critique), findings);
        }
    }
}
