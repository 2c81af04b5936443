//! SARIF 2.1.0: findings as results, one run an arm, with the drafts they quote as files.

mod audit;
mod form;

pub use audit::render as audit;

use std::collections::BTreeMap;

use super::draft::{self, ArmDrafts, Located, Region};
use super::shown::short;
use super::{Files, Renderer, Report};
use crate::metric::fate;
use crate::summary::ArmSummary;
use crate::text::control::json_escaped;
use form::{
    Artifact, ArtifactLocation, AutomationDetails, Configuration, Described, Driver, Finding, Invocation, Location, Log, Message,
    Notification, PhysicalLocation, Properties, RegionForm, Rule, Run, Snippet, Tool,
};

pub struct Sarif;

impl Renderer for Sarif {
    fn name(&self) -> &'static str {
        "sarif"
    }

    fn about(&self) -> &'static str {
        "SARIF 2.1.0 for the findings, with the drafts they quote as files"
    }

    fn shows_runs(&self) -> bool {
        true
    }

    fn points_to_drafts(&self) -> bool {
        true
    }

    fn render(&self, report: &Report<'_>) -> Files {
        let runs = report.drafts.iter().map(|arm| run(arm, report.summary.arms.iter().find(|known| known.origin.arm == arm.arm))).collect();
        let log = Log { schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0", runs };
        // Plain data cannot fail to be written.
        let text = serde_json::to_string(&log).unwrap_or_default() + "\n";
        vec![("findings.sarif".to_owned(), json_escaped(text).into_bytes())]
    }
}

const BASE: &str = "REPORT";
const CONTENT_CHARS_MAX: usize = 200;

fn run<'a>(arm: &'a ArmDrafts<'a>, summary: Option<&ArmSummary>) -> Run<'a> {
    let mut rules = Rules::default();
    let results = arm.findings.iter().map(|found| finding(arm, found, &mut rules)).collect();
    let fault = |fault: &crate::summary::FaultLine| Notification {
        level: "error",
        message: Message { text: plain(&format!("ticket {}: {} at {}: {}", fault.ticket, fault.kind, fault.at, fault.what)) },
    };
    let artifact = |file: &'a draft::DraftFile<'a>| Artifact {
        location: ArtifactLocation { uri: &file.path, uri_base_id: BASE, index: None },
        length: file.text.len(),
        mime_type: "text/markdown",
        encoding: "UTF-8",
    };
    let base = Described { description: Message { text: "The folder that this file stands in.".to_owned() } };
    Run {
        tool: Tool { driver: Driver { name: "redraft", semantic_version: env!("CARGO_PKG_VERSION"), rules: rules.list } },
        // What follows the last slash tells runs of one category apart; there is nothing, so a new upload replaces the last.
        automation_details: AutomationDetails { id: format!("redraft/{}/", short(arm.arm, CONTENT_CHARS_MAX)) },
        invocations: [Invocation {
            execution_successful: summary.is_none_or(|arm| arm.errored == 0),
            tool_execution_notifications: summary.map_or(vec![], |arm| arm.fault_list.iter().map(fault).collect()),
        }],
        column_kind: "utf16CodeUnits",
        original_uri_base_ids: BTreeMap::from([(BASE, base)]),
        artifacts: arm.files.iter().map(artifact).collect(),
        results,
    }
}

/// Defect labels as rules, in the order in which they first occur.
#[derive(Default)]
struct Rules {
    list: Vec<Rule>,
    at: BTreeMap<String, usize>,
}

impl Rules {
    fn index(&mut self, label: &str, level: &'static str) -> (String, usize) {
        let id = rule_id(label);
        let index = *self.at.entry(id.clone()).or_insert_with(|| {
            let text = || Message { text: plain(&format!("The critic calls it \"{}\".", short(label.trim(), CONTENT_CHARS_MAX))) };
            self.list.push(Rule {
                id: id.clone(),
                short_description: text(),
                full_description: text(),
                help: text(),
                default_configuration: Configuration { level },
            });
            self.list.len() - 1
        });
        (id, index)
    }
}

/// One id for a label however it is written. A long one is cut, and its hash keeps it apart.
fn rule_id(label: &str) -> String {
    const CHARS_MAX: usize = 100;
    let id = fate::label(label);
    if id.is_empty() {
        return "unlabelled".to_owned();
    }
    match id.char_indices().nth(CHARS_MAX) {
        Some((cut, _)) => format!("{}-{}", &id[..cut], &blake3::hash(id.as_bytes()).to_hex()[..8]),
        None => id,
    }
}

fn finding<'a>(arm: &'a ArmDrafts<'a>, found: &'a Located<'a>, rules: &mut Rules) -> Finding<'a> {
    let one = found.finding;
    // A complaint that points nowhere asks for nothing to be done.
    let level = if one.drop.is_some() { "note" } else { level(one.rank) };
    let (rule_id, rule_index) = rules.index(&one.label, level);
    let file = found.file.and_then(|index| Some((index, arm.files.get(index)?)));
    let location = |id, region, message| {
        let (index, file) = file?;
        let artifact_location = ArtifactLocation { uri: &file.path, uri_base_id: BASE, index: Some(index) };
        Some(Location { id, physical_location: PhysicalLocation { artifact_location, region }, message })
    };
    let first = found.regions.first().map(|(region, text)| region_form(region, text));
    let other = |(id, (region, text)): (usize, &(Region, &'a str))| {
        location(Some(id), Some(region_form(region, text)), Some(Message { text: "The quotation stands here too.".to_owned() }))
    };
    Finding {
        rule_id,
        rule_index,
        level,
        message: Message { text: plain(&draft::message(one)) },
        locations: location(None, first, None).into_iter().collect(),
        related_locations: found.regions.iter().enumerate().skip(1).filter_map(other).collect(),
        partial_fingerprints: BTreeMap::from([
            ("primaryLocationLineHash", &*found.fingerprint),
            ("redraftFinding/v1", &*found.fingerprint),
        ]),
        properties: Properties {
            ticket: &found.run.ticket,
            sample: found.run.sample,
            pass: found.pass,
            severity: &one.severity,
            fate: one.fate_name(),
            tier: one.tier.map(crate::model::Tier::name),
            similarity: one.similarity.filter(|x| x.is_finite()),
            dropped: one.drop.map(|drop| drop.reason.name()),
        },
    }
}

fn region_form<'a>(region: &Region, text: &'a str) -> RegionForm<'a> {
    RegionForm {
        start_line: region.start_line,
        start_column: region.start_column,
        end_line: region.end_line,
        end_column: region.end_column,
        char_offset: region.offset,
        char_length: region.length,
        snippet: Snippet { text },
    }
}

/// The worst severity that is declared is an error; one that is not declared says little.
fn level(rank: Option<u32>) -> &'static str {
    match rank {
        Some(0) => "error",
        Some(1) => "warning",
        _ => "note",
    }
}

/// A message is plain text, but a viewer makes a link of `[text](place)` and fills in `{0}`: both are written so that they stay what they are.
fn plain(text: &str) -> String {
    let text = text.replace("](", "\\](");
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find('{') {
        let inner = &rest[at + 1..];
        let digits = inner.bytes().take_while(u8::is_ascii_digit).count();
        out.push_str(&rest[..at]);
        if digits > 0 && inner[digits..].starts_with('}') {
            out.push_str(&format!("{{{{{}}}}}", &inner[..digits]));
            rest = &inner[digits + 1..];
        } else {
            out.push('{');
            rest = inner;
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::super::testing::{HOSTILE, Parts, parts};
    use super::*;
    use serde_json::Value;

    /// The report, and the drafts beside it.
    fn log(parts: &Parts) -> (Value, Files) {
        let drafts = draft::arms(&parts.details);
        let files = Sarif.render(&Report { drafts: &drafts, ..parts.report() });
        (serde_json::from_slice(&files[0].1).unwrap(), draft::files(&drafts))
    }

    /// What a region says of a file, by lines and columns and by offset.
    fn quoted(text: &str, region: &Value) -> [String; 2] {
        let n = |key: &str| region[key].as_u64().unwrap() as usize;
        let units: Vec<u16> = text.encode_utf16().collect();
        let starts: Vec<usize> =
            std::iter::once(0).chain(units.iter().enumerate().filter(|(_, u)| **u == 10).map(|(at, _)| at + 1)).collect();
        let by_line = starts[n("startLine") - 1] + n("startColumn") - 1..starts[n("endLine") - 1] + n("endColumn") - 1;
        let by_offset = n("charOffset")..n("charOffset") + n("charLength");
        [by_line, by_offset].map(|range| String::from_utf16(&units[range]).unwrap())
    }

    #[test]
    fn every_location_resolves() {
        for text in HOSTILE {
            let parts = parts(text);
            let (log, files) = log(&parts);
            assert_eq!(log["runs"].as_array().unwrap().len(), 2);
            for run in log["runs"].as_array().unwrap() {
                assert_eq!(run["columnKind"], "utf16CodeUnits");
                let results = run["results"].as_array().unwrap();
                assert_eq!(results.len(), 4);
                let mut regions = 0;
                for result in results {
                    assert_eq!(run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize]["id"], result["ruleId"]);
                    assert!(!result["message"]["text"].as_str().unwrap().is_empty());
                    let empty = vec![];
                    let related = result["relatedLocations"].as_array().unwrap_or(&empty);
                    for location in result["locations"].as_array().unwrap().iter().chain(related) {
                        let place = &location["physicalLocation"];
                        let artifact = &place["artifactLocation"];
                        let uri = artifact["uri"].as_str().unwrap();
                        assert_eq!(run["artifacts"][artifact["index"].as_u64().unwrap() as usize]["location"]["uri"], uri);
                        assert!(uri.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_./".contains(&b)), "{uri}");
                        let (_, bytes) = files.iter().find(|(name, _)| name == uri).unwrap();
                        if let Some(region) = place.get("region") {
                            regions += 1;
                            let snippet = region["snippet"]["text"].as_str().unwrap();
                            assert_eq!(quoted(std::str::from_utf8(bytes).unwrap(), region), [snippet, snippet]);
                        }
                    }
                }
                assert_eq!(regions, 4, "{text:?}");
            }
        }
    }

    #[test]
    fn labels_are_rules_and_ranks_are_levels() {
        let parts = parts("");
        let (log, _) = log(&parts);
        let run = &log["runs"][0];
        let ids: Vec<&str> = run["tool"]["driver"]["rules"].as_array().unwrap().iter().map(|rule| rule["id"].as_str().unwrap()).collect();
        assert_eq!(ids, ["wrong_value", "vague", "tone", "unlabelled"]);
        let levels: Vec<&str> = run["results"].as_array().unwrap().iter().map(|r| r["level"].as_str().unwrap()).collect();
        assert_eq!(levels, ["warning", "warning", "note", "warning"]);
        let fates: Vec<&str> = run["results"].as_array().unwrap().iter().map(|r| r["properties"]["fate"].as_str().unwrap()).collect();
        assert_eq!(fates, ["unobserved", "unobserved", "dropped", "unobserved"]);
        assert_eq!([Some(0), Some(1), Some(2), None].map(level), ["error", "warning", "note", "note"]);
        assert_eq!(run["invocations"][0]["executionSuccessful"], false);
        assert_eq!(rule_id(&"x".repeat(300)).len(), 109);
    }

    #[test]
    fn a_message_is_no_link_and_no_template() {
        for (text, want) in
            [("see [x](javascript:a)", "see [x\\](javascript:a)"), ("{0} {12}} {a} {", "{{0}} {{12}}} {a} {"), ("[1] (2)", "[1] (2)")]
        {
            assert_eq!(plain(text), want);
        }
    }
}
