//! loop.toml as it is written, format version 1: the file form, with what each key means and is by default.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Context, Coverage, Matching, OnUnreadable, Send, Strategy};
use crate::model::Guard;
use crate::text::section::SectionRule;

/// loop.toml as it is written.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "loop.toml: one loop configuration")]
pub struct LoopFile {
    /// Format version: 1.
    pub(super) version: u32,
    /// The dataset's folder, relative to this file.
    pub(super) dataset: PathBuf,
    #[serde(default)]
    pub(super) about: String,
    /// Set where the answers were not made by a model: shown wherever the arm's numbers are.
    #[serde(default)]
    pub(super) synthetic: String,
    /// Runs per ticket.
    #[serde(default = "one")]
    pub(super) samples: u32,
    #[serde(default)]
    pub(super) coverage: Coverage,
    /// Arms whose calls may answer where this one has none, relative to this file.
    #[serde(default)]
    pub(super) reuse: Vec<PathBuf>,
    #[serde(default, rename = "match")]
    pub(super) matching: Matching,
    /// Top-level fields of a request's body that cannot change an answer and are left out of its key.
    #[serde(default)]
    pub(super) ignore: Vec<String>,
    #[serde(default)]
    pub(super) sections: SectionRule,
    /// Strip outer white space from every reply before it is used.
    #[serde(default)]
    pub(super) trim: bool,
    pub(super) model: ModelFile,
    /// US dollars per million tokens, by model name.
    #[serde(default)]
    pub(super) prices: BTreeMap<String, PriceFile>,
    /// Texts that several prompts share; templates over `ticket`, available to prompts as `parts.NAME`.
    #[serde(default)]
    pub(super) parts: BTreeMap<String, Text>,
    pub(super) writer: RoleFile,
    pub(super) critic: CriticFile,
    pub(super) reviser: ReviserFile,
    #[serde(default)]
    pub(super) anchor: AnchorFile,
    #[serde(default)]
    pub(super) guards: GuardsFile,
    #[serde(default)]
    pub(super) bounds: BoundsFile,
    #[serde(default)]
    pub(super) stop: StopFile,
}

impl LoopFile {
    /// A spec with every key that was left out at its default, so that specs can be compared. None where it is no spec.
    pub fn resolved(spec: &Value) -> Option<Value> {
        let file: LoopFile = serde_json::from_value(spec.clone()).ok()?;
        serde_json::to_value(file).ok()
    }
}

fn one() -> u32 {
    1
}

/// A text in place, or `{ file = "..." }` relative to loop.toml (CRLF is read as LF there: a template is source text).
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
pub(super) enum Text {
    Inline(String),
    File { file: PathBuf },
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ModelFile {
    /// The wire form, such as `openai-chat`.
    pub(super) provider: String,
    pub(super) name: String,
    /// Merged into every request's body as they stand.
    #[serde(default)]
    pub(super) params: Map<String, Value>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PriceFile {
    pub(super) input: f64,
    /// Default: as `input`.
    pub(super) cached: Option<f64>,
    pub(super) output: f64,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RoleFile {
    pub(super) model: Option<String>,
    pub(super) system: Option<Text>,
    pub(super) prompt: Text,
    #[serde(default)]
    pub(super) params: Map<String, Value>,
    /// A template that renders to JSON, put into the body under this name.
    pub(super) response_format: Option<Text>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CriticFile {
    pub(super) model: Option<String>,
    pub(super) system: Option<Text>,
    pub(super) prompt: Text,
    #[serde(default)]
    pub(super) params: Map<String, Value>,
    pub(super) response_format: Option<Text>,
    /// `prose`, `findings` or `grounded`.
    pub(super) format: String,
    #[serde(default)]
    pub(super) context: Context,
    /// The exact reply that approves.
    #[serde(default = "approved")]
    pub(super) sentinel: String,
    /// Worst first.
    #[serde(default = "severities")]
    pub(super) severities: Vec<String>,
}

fn approved() -> String {
    "APPROVED".into()
}

fn severities() -> Vec<String> {
    ["blocking", "major", "minor"].map(String::from).into()
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReviserFile {
    pub(super) model: Option<String>,
    pub(super) system: Option<Text>,
    pub(super) prompt: Text,
    #[serde(default)]
    pub(super) params: Map<String, Value>,
    pub(super) response_format: Option<Text>,
    pub(super) strategy: Strategy,
    #[serde(default)]
    pub(super) context: Context,
    #[serde(default)]
    pub(super) send: Send,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AnchorFile {
    /// Least similarity of a fuzzy match, 0 to 1.
    pub(super) threshold: f64,
}

impl Default for AnchorFile {
    fn default() -> Self {
        AnchorFile { threshold: 0.80 }
    }
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GuardsFile {
    #[serde(default = "observe")]
    pub(super) locality: Guard,
    #[serde(default = "observe")]
    pub(super) length: Guard,
    /// Percent by which a draft may outgrow the original.
    #[serde(default = "growth")]
    pub(super) growth: u32,
}

fn observe() -> Guard {
    Guard::Observe
}

fn growth() -> u32 {
    15
}

impl Default for GuardsFile {
    fn default() -> Self {
        GuardsFile { locality: observe(), length: observe(), growth: growth() }
    }
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BoundsFile {
    #[serde(default = "three")]
    pub(super) max_passes: u32,
    pub(super) max_calls: Option<u32>,
    pub(super) max_cost_usd: Option<f64>,
}

fn three() -> u32 {
    3
}

impl Default for BoundsFile {
    fn default() -> Self {
        BoundsFile { max_passes: three(), max_calls: None, max_cost_usd: None }
    }
}

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StopFile {
    /// One more critic call after the last revision, so that the last pass is observed too.
    #[serde(default)]
    pub(super) closing_critique: bool,
    /// Stop after a pass that changed nothing.
    #[serde(default)]
    pub(super) no_change: bool,
    #[serde(default)]
    pub(super) unreadable: OnUnreadable,
}
