//! Everything as one JSON document.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Files, Renderer, Report};
use crate::compare::Comparison;
use crate::gate::Gate;
use crate::jsonl;
use crate::summary::Summary;

pub struct Json;

/// report.json.
#[derive(Serialize, JsonSchema)]
pub struct Document<'a> {
    /// Format version: 1.
    version: u32,
    /// The version of redraft that wrote it.
    redraft: &'a str,
    /// The report's name.
    name: &'a str,
    /// As in summary.json.
    summary: &'a Summary,
    /// As in compare.json; null where nothing is compared.
    comparison: Option<&'a Comparison>,
    /// As in gate.json; null where nothing is gated.
    gate: Option<&'a Gate>,
}

impl Renderer for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn about(&self) -> &'static str {
        "summary, comparison and gate as one JSON document"
    }

    fn render(&self, report: &Report<'_>) -> Files {
        let Report { name, summary, comparison, gate, .. } = *report;
        let document = Document { version: 1, redraft: env!("CARGO_PKG_VERSION"), name, summary, comparison, gate };
        vec![("report.json".to_owned(), jsonl::pretty(&document).into_bytes())]
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{HOSTILE, parts};
    use super::*;
    use serde_json::Value;

    fn json(report: &Report<'_>) -> String {
        String::from_utf8(Json.render(report).remove(0).1).unwrap()
    }

    #[test]
    fn the_document_holds_what_the_files_hold() {
        for text in HOSTILE {
            let parts = parts(text);
            let written = json(&parts.report());
            let value: Value = serde_json::from_str(&written).unwrap();
            assert_eq!((&value["version"], &value["name"]), (&1.into(), &"nightly".into()));
            assert_eq!(serde_json::from_value::<Summary>(value["summary"].clone()).unwrap(), parts.summary);
            assert_eq!(serde_json::from_value::<Comparison>(value["comparison"].clone()).unwrap(), parts.comparison);
            assert_eq!(serde_json::from_value::<Gate>(value["gate"].clone()).unwrap(), parts.gate);
            assert!(!written.chars().any(|c| c != '\n' && crate::text::control::is_unsafe(c)), "{text:?}");
        }
        let value: Value = serde_json::from_str(&json(&parts("").alone())).unwrap();
        assert!(value["comparison"].is_null() && value["gate"].is_null());
    }
}
