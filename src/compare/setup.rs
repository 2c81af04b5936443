//! What was held fixed between two loops, what changed, and what that means for a difference between them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{Change, Family, Setup, Word, WordOp};
use crate::arm::LoopFile;
use crate::side::{Kind, Side};
use crate::text::diff::{self, Op};

const ROLES: [(&str, Family); 3] = [("writer", Family::WriterPrompt), ("critic", Family::CriticPrompt), ("reviser", Family::ReviserPrompt)];

pub(super) fn setup(baseline: &Side, candidate: &Side, exact: bool) -> Setup {
    let specs = [baseline, candidate].map(|side| side.spec.as_ref().and_then(Keys::of));
    let mut changed = vec![];
    if let [Some(from), Some(to)] = &specs {
        changed = changes(from, to);
    }
    let digests = [baseline, candidate].map(|side| side.summary.origin.dataset_digest.as_str());
    let datasets_known = digests.iter().all(|digest| !digest.is_empty());
    if datasets_known && digests[0] != digests[1] {
        let [from, to] = [baseline, candidate].map(dataset);
        changed
            .insert(0, Change { family: Family::Dataset, key: "dataset".into(), baseline: Some(from), candidate: Some(to), words: vec![] });
    }
    let known = specs.iter().all(Option::is_some);
    let moved: BTreeSet<Family> = changed.iter().map(|change| change.family).collect();
    let held = |family: &Family| !moved.contains(family) && if *family == Family::Dataset { datasets_known } else { known };
    let held = Family::ALL.into_iter().filter(held).collect();
    let mut warnings = vec![];
    for (name, side, spec) in [("baseline", baseline, &specs[0]), ("candidate", candidate, &specs[1])] {
        if side.spec.is_none() {
            warnings.push(format!("the {name} does not carry its loop's spec: what was held fixed is not known"));
        } else if spec.is_none() {
            warnings.push(format!("the {name}'s spec is of another form than this version reads: what was held fixed is not known"));
        }
    }
    warnings.extend(moves(&moved, known, exact));
    warnings.extend(origins(baseline, candidate));
    let labelled = [baseline, candidate].map(|side| side.summary.mentions_labelled);
    // A table does not say how many of its rows were told by labels.
    if labelled[0] != labelled[1] && [baseline, candidate].iter().all(|side| side.kind != Kind::Table) {
        let [from, to] = labelled;
        let what = "what is untouched there is told by another rule";
        warnings.push(format!("labels say what is mentioned in {from} passes of the baseline and {to} of the candidate: {what}"));
    }
    for (name, side) in [("baseline", baseline), ("candidate", candidate)] {
        warnings.extend(side.warnings.iter().map(|warning| format!("the {name}: {warning}")));
    }
    Setup { known, held, changed, warnings }
}

fn dataset(side: &Side) -> String {
    let digest: String = side.summary.origin.dataset_digest.chars().take(12).collect();
    format!("{} ({digest})", side.summary.origin.dataset)
}

/// What the moved families mean for a difference.
fn moves(moved: &BTreeSet<Family>, known: bool, exact: bool) -> Vec<String> {
    let mut warnings = vec![];
    if moved.contains(&Family::Dataset) {
        warnings.push("the data sets differ: tickets are paired by id, and the same id need not be the same ticket".into());
    }
    if moved.contains(&Family::Measurement) {
        warnings.push("the sides are measured by different rules: a difference may come from measuring and not from the loop".into());
    }
    // Prices change what calls cost and nothing else.
    let causes: Vec<Family> =
        moved.iter().copied().filter(|f| ![Family::Dataset, Family::Measurement, Family::Prices].contains(f)).collect();
    let names = |families: &[Family]| families.iter().map(|family| family.words()).collect::<Vec<_>>().join(", ");
    if causes.len() > 1 {
        let mut text = format!(
            "{} things changed at once ({}): a difference is that of all of them together and cannot be put down to one",
            causes.len(),
            names(&causes)
        );
        if causes.contains(&Family::Format) || causes.contains(&Family::Strategy) {
            let bound = [Family::Format, Family::Strategy, Family::CriticPrompt, Family::ReviserPrompt];
            let beside: Vec<Family> = causes.iter().copied().filter(|family| !bound.contains(family)).collect();
            text.push_str("; another format or strategy needs other prompts");
            if !beside.is_empty() {
                text.push_str(&format!(", but no other {}", names(&beside)));
            }
        }
        warnings.push(text);
    }
    if known && moved.is_empty() {
        warnings.push(match exact {
            true => "nothing changed, and both sides replay the same calls: any difference comes from redraft itself".into(),
            false => "nothing changed between the loops: what differs is noise, and this measures it".into(),
        });
    }
    warnings
}

/// What is said of where the answers come from.
fn origins(baseline: &Side, candidate: &Side) -> Vec<String> {
    let mut warnings = vec![];
    let sides = [("baseline", baseline), ("candidate", candidate)];
    let synthetic: Vec<&str> = sides.iter().filter(|(_, side)| !side.summary.origin.synthetic.is_empty()).map(|(name, _)| *name).collect();
    if let [one] = synthetic.as_slice() {
        warnings.push(format!("the answers of the {one} were not made by a model, those of the other side were"));
    }
    for (name, side) in sides {
        if !side.summary.origin.requests_recorded {
            warnings.push(format!("the {name}'s requests were not recorded: whether its calls answer its prompts is not known"));
        }
    }
    warnings
}

impl Family {
    pub const ALL: [Family; 14] = [
        Family::Dataset,
        Family::Model,
        Family::Sampling,
        Family::WriterPrompt,
        Family::CriticPrompt,
        Family::ReviserPrompt,
        Family::Format,
        Family::Context,
        Family::Strategy,
        Family::Guards,
        Family::Bounds,
        Family::Measurement,
        Family::Prices,
        Family::Other,
    ];

    /// As people say it.
    pub const fn words(self) -> &'static str {
        match self {
            Family::Dataset => "dataset",
            Family::Model => "model",
            Family::Sampling => "sampling",
            Family::WriterPrompt => "writer prompt",
            Family::CriticPrompt => "critic prompt",
            Family::ReviserPrompt => "reviser prompt",
            Family::Format => "critique format",
            Family::Context => "context",
            Family::Strategy => "revise strategy",
            Family::Guards => "guards",
            Family::Bounds => "bounds",
            Family::Measurement => "measurement",
            Family::Prices => "prices",
            Family::Other => "other",
        }
    }
}

/// A spec as keys and values, each where it takes effect: a role's model and parameters are its own, whether they were written there or for all.
struct Keys {
    values: BTreeMap<String, Value>,
    /// By part, the roles whose texts name it.
    parts: BTreeMap<String, Vec<Family>>,
}

impl Keys {
    fn of(spec: &Value) -> Option<Keys> {
        let mut spec = LoopFile::resolved(spec)?;
        let mut values = BTreeMap::new();
        let all = spec.as_object_mut()?;
        // What is said of a loop, where its files are, and which format its spec has, is not the loop.
        for key in ["version", "dataset", "about", "synthetic", "reuse"] {
            all.remove(key);
        }
        let model = all.remove("model")?;
        values.insert("model.provider".to_owned(), model.get("provider")?.clone());
        let mut parts = BTreeMap::new();
        if let Some(Value::Object(texts)) = all.get("parts") {
            for name in texts.keys() {
                let at = format!("parts.{name}");
                let named = |(role, _): &&(&str, Family)| all.get(*role).is_some_and(|role| role.to_string().contains(&at));
                parts.insert(at.clone(), ROLES.iter().filter(named).map(|(_, family)| *family).collect());
            }
        }
        for (role, _) in ROLES {
            let Some(Value::Object(table)) = all.get_mut(role) else { return None };
            if table.get("model").is_none_or(Value::is_null) {
                table.insert("model".into(), model.get("name")?.clone());
            }
            let mut params: Map<String, Value> = model.get("params").and_then(Value::as_object).cloned().unwrap_or_default();
            params.extend(table.get("params").and_then(Value::as_object).cloned().unwrap_or_default());
            table.insert("params".into(), Value::Object(params));
        }
        if let Some(Value::Object(prices)) = all.get_mut("prices") {
            for price in prices.values_mut() {
                if price.get("cached").is_some_and(Value::is_null) {
                    price["cached"] = price.get("input").cloned().unwrap_or_default();
                }
            }
        }
        flatten("", &spec, &mut values);
        Some(Keys { values, parts })
    }

    fn families(&self, key: &str) -> Vec<Family> {
        if let Some(families) = self.parts.get(key) {
            return families.clone();
        }
        let words: Vec<&str> = key.split('.').collect();
        let prompt = || ROLES.iter().find(|(role, _)| words.first() == Some(role)).map_or(Family::Other, |(_, family)| *family);
        vec![match words.as_slice() {
            [_, "response_format"] | [_, "params", "response_format"] | ["critic", "format" | "sentinel" | "severities"] | [_, "send"] => {
                Family::Format
            }
            ["model", "provider" | "name"] | [_, "model"] => Family::Model,
            [_, "params", ..] | ["samples"] => Family::Sampling,
            [_, "context"] => Family::Context,
            ["reviser", "strategy"] => Family::Strategy,
            ["guards", ..] => Family::Guards,
            ["bounds" | "stop", ..] => Family::Bounds,
            ["sections" | "anchor" | "match" | "coverage", ..] => Family::Measurement,
            ["prices", ..] => Family::Prices,
            [_, "system" | "prompt"] => prompt(),
            _ => Family::Other,
        }]
    }
}

/// Tables become dotted keys; lists and what a provider's parameter holds stay whole. Null is no key.
fn flatten(at: &str, value: &Value, out: &mut BTreeMap<String, Value>) {
    let whole = at.split('.').nth(1) == Some("params") && at.split('.').count() > 2;
    match value {
        Value::Null => {}
        Value::Object(table) if !whole => {
            for (key, value) in table {
                flatten(&if at.is_empty() { key.clone() } else { format!("{at}.{key}") }, value, out);
            }
        }
        // 0.0 and 0 are one number, and one request.
        value => match value.as_f64().filter(|x| x.fract() == 0.0 && x.abs() < 9e15) {
            Some(x) => drop(out.insert(at.to_owned(), Value::from(x as i64))),
            None => drop(out.insert(at.to_owned(), value.clone())),
        },
    }
}

fn changes(from: &Keys, to: &Keys) -> Vec<Change> {
    let keys: BTreeSet<&String> = from.values.keys().chain(to.values.keys()).collect();
    let differs = |key: &&String| from.values.get(*key) != to.values.get(*key);
    let mut differing: Vec<(String, Option<&Value>, Option<&Value>)> =
        keys.into_iter().filter(differs).map(|key| (key.clone(), from.values.get(key), to.values.get(key))).collect();
    joined(&mut differing);
    let mut out = vec![];
    for (key, before, after) in differing {
        let mut families = to.families(&key);
        families.extend(from.families(&key));
        families.sort_unstable();
        families.dedup();
        if families.is_empty() {
            families.push(Family::Other);
        }
        let (baseline, candidate) = (before.map(shown), after.map(shown));
        for (i, family) in families.into_iter().enumerate() {
            // A part that several prompts name is a change of each; what changed in it is said once.
            let words = if i == 0 { words(before, after) } else { vec![] };
            out.push(Change { family, key: key.clone(), baseline: baseline.clone(), candidate: candidate.clone(), words });
        }
    }
    out.sort_by(|x, y| (x.family, &x.key).cmp(&(y.family, &y.key)));
    out
}

/// The same change of all three roles is one change of the model.
fn joined(differing: &mut Vec<(String, Option<&Value>, Option<&Value>)>) {
    let of_writer: Vec<_> = differing.iter().filter(|(key, ..)| key.starts_with("writer.")).cloned().collect();
    for (key, before, after) in of_writer {
        let rest = key.trim_start_matches("writer.").to_owned();
        let alike: Vec<String> = ROLES.iter().map(|(role, _)| format!("{role}.{rest}")).collect();
        let same = |key: &String| differing.iter().any(|(other, b, a)| other == key && *b == before && *a == after);
        if (rest == "model" || rest.starts_with("params.")) && alike.iter().all(same) {
            differing.retain(|(key, ..)| !alike.contains(key));
            differing.push((if rest == "model" { "model.name".into() } else { format!("model.{rest}") }, before, after));
        }
    }
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The word diff of two texts of several words.
fn words(before: Option<&Value>, after: Option<&Value>) -> Vec<Word> {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    let (before, after) = (text(before), text(after));
    if before.split_whitespace().count().max(after.split_whitespace().count()) < 2 {
        return vec![];
    }
    let op = |op| match op {
        Op::Equal => WordOp::Equal,
        Op::Delete => WordOp::Delete,
        Op::Insert => WordOp::Insert,
    };
    diff::words(&before, &after).into_iter().map(|(kind, text)| Word { op: op(kind), text }).collect()
}
