//! An audit as SARIF: rules with their pages, findings at lines of the recordings.

use std::collections::BTreeMap;

use serde::Serialize;

use super::form::{AutomationDetails, Configuration, Message, Rule, Tool};
use super::{CONTENT_CHARS_MAX, plain};
use crate::audit::{Arm, Audit, Finding};
use crate::report::shown::short;
use crate::text::control::json_escaped;

/// Findings of rules that an arm allows are written with a suppression, as the form asks.
pub fn render(audit: &Audit) -> String {
    let runs: Vec<Run> = audit.arms.iter().map(run).collect();
    let log = Log { schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0", runs };
    // Plain data cannot fail to be written.
    json_escaped(serde_json::to_string(&log).unwrap_or_default() + "\n")
}

#[derive(Serialize)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'a str,
    version: &'a str,
    runs: Vec<Run>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    automation_details: AutomationDetails,
    invocations: [Invocation; 1],
    results: Vec<ResultForm>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    tool_execution_notifications: Vec<super::form::Notification>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResultForm {
    rule_id: &'static str,
    rule_index: usize,
    level: &'static str,
    message: Message,
    locations: Vec<Location>,
    partial_fingerprints: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suppressions: Vec<Suppression>,
}

#[derive(Serialize)]
struct Suppression {
    kind: &'static str,
    justification: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: Place,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Place {
    artifact_location: Artifact,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Serialize)]
struct Artifact {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: usize,
}

fn run(arm: &Arm) -> Run {
    let text = |text: &str| Message { text: plain(text) };
    let rules = arm.rules.iter().map(|outcome| {
        let page = outcome.page;
        Rule {
            id: page.code.to_owned(),
            short_description: text(page.name),
            full_description: text(page.what),
            help: text(&format!("Why: {}\n\nFix: {}\n\nExample: {}", page.why, page.fix, page.example)),
            default_configuration: Configuration { level: page.severity.name() },
        }
    });
    let results = arm.rules.iter().enumerate().flat_map(|(index, outcome)| {
        outcome.found.findings.iter().map(move |finding| ResultForm {
            rule_id: outcome.page.code,
            rule_index: index,
            level: outcome.page.severity.name(),
            message: Message { text: plain(&message(finding)) },
            locations: vec![location(arm, finding)],
            partial_fingerprints: BTreeMap::from([("redraftAudit/v1", fingerprint(outcome.page.code, finding))]),
            suppressions: outcome.allowed.iter().map(|why| Suppression { kind: "external", justification: why.clone() }).collect(),
        })
    });
    let unjudged = arm.rules.iter().flat_map(|outcome| {
        outcome.found.unjudged.iter().map(|(why, n)| super::form::Notification {
            level: "warning",
            message: text(&format!("not judged {} {}: {n} times: {why}", outcome.page.code, outcome.page.name)),
        })
    });
    Run {
        tool: Tool { driver: super::form::Driver { name: "redraft", semantic_version: env!("CARGO_PKG_VERSION"), rules: rules.collect() } },
        automation_details: AutomationDetails {
            id: format!("redraft-audit/{}/", short(&arm.dir.display().to_string(), CONTENT_CHARS_MAX)),
        },
        invocations: [Invocation { execution_successful: true, tool_execution_notifications: unjudged.collect() }],
        results: results.collect(),
    }
}

fn message(finding: &Finding) -> String {
    const CHARS_MAX: usize = 1000;
    let whose = [&finding.ticket, &finding.slot].iter().filter(|t| !t.is_empty()).map(|t| t.as_str()).collect::<Vec<_>>().join(", ");
    let text = if whose.is_empty() { finding.message.clone() } else { format!("{whose}: {}", finding.message) };
    short(&text, CHARS_MAX).into_owned()
}

fn location(arm: &Arm, finding: &Finding) -> Location {
    let path = arm.files.get(finding.file).filter(|_| finding.line.is_some()).cloned().unwrap_or_else(|| arm.dir.join("loop.toml"));
    let region = finding.line.map(|start_line| Region { start_line });
    Location { physical_location: Place { artifact_location: Artifact { uri: uri(&path) }, region } }
}

/// A path as a relative reference, or as a file's address where it is absolute; bytes beyond the plain ones as %XX.
fn uri(path: &std::path::Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/");
    let mut out = String::from(if text.starts_with('/') { "file://" } else { "" });
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// The same finding in another version of the file has the same one: no line number in it.
fn fingerprint(code: &str, finding: &Finding) -> String {
    let text = [code, &finding.ticket, &finding.slot, &finding.group].join("\0");
    blake3::hash(text.as_bytes()).to_hex()[..32].to_owned()
}
