//! SARIF's own objects, as far as they are written (SARIF 2.1.0, section 3).

use std::collections::BTreeMap;

use serde::Serialize;

#[derive(Serialize)]
pub struct Log<'a> {
    #[serde(rename = "$schema")]
    pub schema: &'a str,
    pub version: &'a str,
    pub runs: Vec<Run<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Run<'a> {
    pub tool: Tool,
    pub automation_details: AutomationDetails,
    pub invocations: [Invocation; 1],
    pub column_kind: &'a str,
    pub original_uri_base_ids: BTreeMap<&'a str, Described>,
    pub artifacts: Vec<Artifact<'a>>,
    pub results: Vec<Finding<'a>>,
}

#[derive(Serialize)]
pub struct Tool {
    pub driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Driver {
    pub name: &'static str,
    pub semantic_version: &'static str,
    pub rules: Vec<Rule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    pub id: String,
    pub short_description: Message,
    pub full_description: Message,
    pub help: Message,
    pub default_configuration: Configuration,
}

#[derive(Serialize)]
pub struct Configuration {
    pub level: &'static str,
}

#[derive(Serialize)]
pub struct AutomationDetails {
    pub id: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Invocation {
    pub execution_successful: bool,
    pub tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
pub struct Notification {
    pub level: &'static str,
    pub message: Message,
}

#[derive(Serialize)]
pub struct Message {
    pub text: String,
}

#[derive(Serialize)]
pub struct Described {
    pub description: Message,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Artifact<'a> {
    pub location: ArtifactLocation<'a>,
    pub length: usize,
    pub mime_type: &'static str,
    pub encoding: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ArtifactLocation<'a> {
    pub uri: &'a str,
    pub uri_base_id: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding<'a> {
    pub rule_id: String,
    pub rule_index: usize,
    pub level: &'static str,
    pub message: Message,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<Location<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related_locations: Vec<Location<'a>>,
    pub partial_fingerprints: BTreeMap<&'static str, &'a str>,
    pub properties: Properties<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Location<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<usize>,
    pub physical_location: PhysicalLocation<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PhysicalLocation<'a> {
    pub artifact_location: ArtifactLocation<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<RegionForm<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RegionForm<'a> {
    pub start_line: usize,
    pub start_column: usize,
    pub end_line: usize,
    pub end_column: usize,
    pub char_offset: usize,
    pub char_length: usize,
    pub snippet: Snippet<'a>,
}

#[derive(Serialize)]
pub struct Snippet<'a> {
    pub text: &'a str,
}

#[derive(Serialize)]
pub struct Properties<'a> {
    pub ticket: &'a str,
    pub sample: u32,
    pub pass: u32,
    pub severity: &'a str,
    pub fate: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropped: Option<&'static str>,
}
