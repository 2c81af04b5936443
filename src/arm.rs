//! Arms in: a folder with a loop.toml, the whole truth about one loop, and its calls. Here its words and its checked form, `Spec`.

mod file;
mod outline;

pub use file::LoopFile;
pub use outline::Outline;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::api::{self, Wire};
use crate::critique::{self, Format};
use crate::error::{Error, unknown};
use crate::files;
use crate::model::{Guard, Role, Usd};
use crate::text::section::SectionRule;
use file::{CriticFile, PriceFile, ReviserFile, RoleFile, Text};

/// The runs of a ticket are held in memory together.
const SAMPLES_MAX: u32 = 1000;

/// The recorded calls of an arm, plain and packed.
pub const CALLS: &str = "calls.jsonl";
pub const CALLS_PACKED: &str = "calls.jsonl.zst";

/// Figures are kept for every pass that a loop may make.
const PASSES_MAX: u32 = 1000;

/// How a recorded call answers an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Matching {
    /// Slot and request key must both agree.
    #[default]
    Key,
    /// Requests were not recorded (an imported arm): the slot alone decides, guards only observe, and every report says so.
    Slot,
}

/// Which of the dataset's tickets the arm stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Coverage {
    /// Every ticket: one without calls is a fault.
    #[default]
    All,
    /// Those that have calls: the others are counted as not recorded.
    Recorded,
}

/// How a critique becomes revisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// One call with the whole critique, which may rewrite anything.
    Whole,
    /// One call with all findings.
    Batched,
    /// One call a finding, in severity order, each answered with a status and the draft.
    Serial,
}

/// What a role sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Context {
    /// A system prompt and one user message, nothing of earlier calls.
    #[default]
    Fresh,
    /// The writer's conversation goes on: the role is asked as its next turn.
    Conversation,
}

/// Which findings the reviser is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Send {
    /// Only those whose quotation was located.
    #[default]
    Anchored,
    /// All, as the critic gave them (what many loops do).
    All,
}

/// What a critique that cannot be read does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnUnreadable {
    /// The draft stays and the next pass follows.
    #[default]
    Continue,
    Stop,
}

/// A role's half of the spec, checked.
#[derive(Debug, Clone)]
pub struct RoleSpec {
    pub role: Role,
    pub model: String,
    pub price: Option<Price>,
    pub system: Option<String>,
    pub prompt: String,
    pub params: Map<String, Value>,
    pub response_format: Option<String>,
    pub context: Context,
}

/// US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    pub input: Usd,
    pub cached: Usd,
    pub output: Usd,
}

/// A loop, checked: every name resolved, every bound sound. What the machine runs on.
pub struct Spec {
    pub about: String,
    pub synthetic: String,
    pub samples: u32,
    pub coverage: Coverage,
    pub matching: Matching,
    pub ignore: Vec<String>,
    pub sections: SectionRule,
    pub trim: bool,
    pub wire: &'static dyn Wire,
    pub parts: BTreeMap<String, String>,
    pub writer: RoleSpec,
    pub critic: RoleSpec,
    pub reviser: RoleSpec,
    pub format: &'static dyn Format,
    pub rules: critique::Rules,
    pub strategy: Strategy,
    pub send: Send,
    pub threshold: f64,
    pub locality: Guard,
    pub length: Guard,
    pub growth: u32,
    pub max_passes: u32,
    pub max_calls: Option<u32>,
    pub max_cost: Option<Usd>,
    pub closing_critique: bool,
    pub stop_on_no_change: bool,
    pub on_unreadable: OnUnreadable,
}

/// A folder with a loop.toml and its recorded calls.
pub struct Arm {
    pub dir: PathBuf,
    /// The folder's name: what people call the arm.
    pub name: String,
    pub spec: Spec,
    /// The folder's path without links, `/` between folders: what labels name the end of.
    pub path: String,
    /// The spec as written, with its files put in place: what a ledger keeps of it.
    pub source: Value,
    pub dataset: PathBuf,
    pub reuse: Vec<PathBuf>,
}

impl Arm {
    pub fn open(dir: &Path) -> Result<Arm, Error> {
        let path = dir.join("loop.toml");
        let text = files::text(&path, "read the loop's spec")?;
        let (file, mut source): (LoopFile, Value) = crate::toml::read_both(&path, &text)?;
        let dataset = dir.join(&file.dataset);
        let reuse = file.reuse.iter().map(|r| dir.join(r)).collect();
        // "." and "a/.." name folders too, so the name comes from the real path where there is one.
        let real = std::fs::canonicalize(dir).unwrap_or_else(|_| dir.to_path_buf());
        let name = real.file_name().map_or_else(|| "arm".into(), |n| n.to_string_lossy().into_owned());
        let whole: Vec<_> = real.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
        let spec = Spec::check(file, dir).map_err(|what| Error::at(&path, what))?;
        inline(&mut source, &spec);
        Ok(Arm { dir: dir.to_path_buf(), name, path: whole.join("/"), spec, source, dataset, reuse })
    }

    /// True where a calls file is here, plain or packed.
    pub fn has_calls(&self) -> bool {
        [CALLS, CALLS_PACKED].iter().any(|name| self.dir.join(name).exists())
    }

    /// Where the calls are: calls.jsonl, or calls.jsonl.zst.
    pub fn calls_path(&self) -> Result<PathBuf, Error> {
        let found: Vec<PathBuf> = [CALLS, CALLS_PACKED].map(|n| self.dir.join(n)).into_iter().filter(|p| p.exists()).collect();
        match found.as_slice() {
            [one] => Ok(one.clone()),
            [] => Err(Error::at(
                &self.dir,
                "no calls.jsonl (or calls.jsonl.zst) in this arm; docs/formats.md says how to write one, and an empty file will do to begin with",
            )),
            _ => Err(Error::at(&self.dir, "both calls.jsonl and calls.jsonl.zst are here; `redraft pack` merges them, or remove one")),
        }
    }
}

impl Spec {
    /// Reads a spec from the text of a loop.toml whose file references are relative to `dir`.
    pub fn parse(path: &Path, text: &str, dir: &Path) -> Result<Spec, Error> {
        Spec::check(crate::toml::read(path, text)?, dir).map_err(|what| Error::at(path, what))
    }

    fn check(file: LoopFile, dir: &Path) -> Result<Spec, String> {
        if file.version != 1 {
            return Err(format!("version: {} of the loop format is not known; expected 1", file.version));
        }
        let wire = api::by_name(&file.model.provider).ok_or_else(|| {
            format!("model.provider: {}", unknown(&file.model.provider, &api::ALL.iter().map(|w| w.name()).collect::<Vec<_>>()))
        })?;
        let format = critique::by_name(&file.critic.format).ok_or_else(|| {
            format!("critic.format: {}", unknown(&file.critic.format, &critique::ALL.iter().map(|f| f.name()).collect::<Vec<_>>()))
        })?;
        let prices = prices(&file.prices)?;
        let text = |at: &str, text: Text| load(at, text, dir);
        let role = |role: Role, said: RoleFile, context: Context| {
            let at = role.name();
            let model = said.model.unwrap_or_else(|| file.model.name.clone());
            let mut params = file.model.params.clone();
            params.extend(said.params);
            Ok::<RoleSpec, String>(RoleSpec {
                role,
                price: prices.get(&model).copied(),
                model,
                system: said.system.map(|t| text(&format!("{at}.system"), t)).transpose()?,
                prompt: text(&format!("{at}.prompt"), said.prompt)?,
                params,
                response_format: said.response_format.map(|t| text(&format!("{at}.response_format"), t)).transpose()?,
                context,
            })
        };
        let parts = file.parts.into_iter().map(|(k, t)| text(&format!("parts.{k}"), t).map(|t| (k, t))).collect::<Result<_, _>>()?;
        let writer = role(Role::Writer, file.writer, Context::Fresh)?;
        let CriticFile { model, system, prompt, params, response_format, context, sentinel, severities, .. } = file.critic;
        let critic = role(Role::Critic, RoleFile { model, system, prompt, params, response_format }, context)?;
        let ReviserFile { model, system, prompt, params, response_format, strategy, context, send } = file.reviser;
        let reviser = role(Role::Reviser, RoleFile { model, system, prompt, params, response_format }, context)?;
        let spec = Spec {
            about: file.about,
            synthetic: file.synthetic,
            samples: file.samples,
            coverage: file.coverage,
            matching: file.matching,
            ignore: file.ignore,
            sections: file.sections,
            trim: file.trim,
            wire,
            parts,
            writer,
            critic,
            reviser,
            format,
            rules: critique::Rules { sentinel, severities },
            strategy,
            send,
            threshold: file.anchor.threshold,
            locality: file.guards.locality,
            length: file.guards.length,
            growth: file.guards.growth,
            max_passes: file.bounds.max_passes,
            max_calls: file.bounds.max_calls,
            max_cost: file
                .bounds
                .max_cost_usd
                .map(|x| Usd::from_f64(x).ok_or("bounds.max_cost_usd: expected an amount of dollars, 0 or more"))
                .transpose()?,
            closing_critique: file.stop.closing_critique,
            stop_on_no_change: file.stop.no_change,
            on_unreadable: file.stop.unreadable,
        };
        spec.sound()?;
        Ok(spec)
    }

    /// What no type can say.
    fn sound(&self) -> Result<(), String> {
        if self.samples == 0 {
            return Err("samples: expected at least 1".into());
        }
        if self.samples > SAMPLES_MAX {
            return Err(format!("samples: {} is more than {SAMPLES_MAX}", self.samples));
        }
        if self.max_passes > PASSES_MAX {
            return Err(format!("bounds.max_passes: {} is more than {PASSES_MAX}", self.max_passes));
        }
        if !(0.0..=1.0).contains(&self.threshold) {
            return Err(format!("anchor.threshold: {} is not between 0 and 1", self.threshold));
        }
        if !self.format.has_findings() && self.strategy != Strategy::Whole {
            return Err(
                "reviser.strategy: a prose critique has no findings to apply one by one; expected `whole`, or critic.format = \"findings\""
                    .into(),
            );
        }
        for role in [&self.critic, &self.reviser] {
            if role.context == Context::Conversation && role.system.is_some() {
                let name = role.role.name();
                return Err(format!(
                    "{name}.system: a conversation keeps the writer's system prompt; remove it, or set {name}.context = \"fresh\""
                ));
            }
        }
        if self.matching == Matching::Slot && (self.locality == Guard::Enforce || self.length == Guard::Enforce) {
            return Err(
                "guards: with match = \"slot\" the requests are unknown, so a guard can only observe; set it to \"observe\" or \"off\""
                    .into(),
            );
        }
        if self.max_cost.is_some() {
            for role in [&self.writer, &self.critic, &self.reviser] {
                if role.price.is_none() || max_tokens(&role.params).is_none() {
                    let name = role.role.name();
                    return Err(format!(
                        "bounds.max_cost_usd: cannot be kept unless {name}'s model has a price and {name}.params a max_tokens"
                    ));
                }
            }
        }
        Ok(())
    }

    pub fn role(&self, role: Role) -> &RoleSpec {
        match role {
            Role::Writer => &self.writer,
            Role::Critic | Role::Judge => &self.critic,
            Role::Reviser => &self.reviser,
        }
    }
}

/// The limit on generated tokens, under any of the names that providers use.
pub fn max_tokens(params: &Map<String, Value>) -> Option<u64> {
    let inner = |outer: &str, name: &str| params.get(outer)?.get(name)?.as_u64();
    let plain = ["max_tokens", "max_completion_tokens", "max_output_tokens"].iter().find_map(|k| params.get(*k)?.as_u64());
    plain.or_else(|| inner("generationConfig", "maxOutputTokens")).or_else(|| inner("options", "num_predict"))
}

fn prices(file: &BTreeMap<String, PriceFile>) -> Result<BTreeMap<String, Price>, String> {
    let usd = |model: &str, key: &str, x: f64| {
        Usd::from_f64(x).ok_or_else(|| format!("prices.\"{model}\".{key}: {x} is not a price in US dollars"))
    };
    file.iter()
        .map(|(model, p)| {
            let input = usd(model, "input", p.input)?;
            let cached = p.cached.map_or(Ok(input), |x| usd(model, "cached", x))?;
            Ok((model.clone(), Price { input, cached, output: usd(model, "output", p.output)? }))
        })
        .collect()
}

fn load(at: &str, text: Text, dir: &Path) -> Result<String, String> {
    match text {
        Text::Inline(text) => Ok(text),
        Text::File { file } => {
            let path = dir.join(file);
            let text = files::text(&path, "read the text").map_err(|e| format!("{at}: {e}"))?;
            Ok(text.replace("\r\n", "\n"))
        }
    }
}

/// Puts the text of every `{ file = "..." }` in its place, where the spec takes texts. Elsewhere (`params`) such a table is a value like any other.
fn inline(source: &mut Value, spec: &Spec) {
    let replace = |value: Option<&mut Value>, text: Option<&String>| {
        if let (Some(value @ Value::Object(_)), Some(text)) = (value, text) {
            *value = Value::String(text.clone());
        }
    };
    for (name, text) in &spec.parts {
        replace(source.get_mut("parts").and_then(|parts| parts.get_mut(name)), Some(text));
    }
    for role in [&spec.writer, &spec.critic, &spec.reviser] {
        let texts = [("system", role.system.as_ref()), ("prompt", Some(&role.prompt)), ("response_format", role.response_format.as_ref())];
        for (key, text) in texts {
            replace(source.get_mut(role.role.name()).and_then(|table| table.get_mut(key)), text);
        }
    }
}
