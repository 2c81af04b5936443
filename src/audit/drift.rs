//! Drift within an arm: are prompts, models and sampling those of its loop, call by call.

use std::collections::BTreeMap;

use super::case::{Against, Case};
use super::{Facts, Found, Page, Rule, Severity};
use crate::model::Role;

pub struct PromptDrift;
pub struct ModelDrift;
pub struct SamplingDrift;

/// Fields that decide how an answer is drawn, without case and underscores, wherever in the body they stand.
pub(super) const SAMPLING: [&str; 11] = [
    "temperature",
    "topp",
    "topk",
    "minp",
    "seed",
    "frequencypenalty",
    "presencepenalty",
    "repeatpenalty",
    "repetitionpenalty",
    "reasoningeffort",
    "effort",
];

/// Looks at each call's part; `part` picks it, and names the group.
fn each(case: &Case<'_>, found: &mut Found, part: impl Fn(&Against) -> Option<&String>, what: &str) {
    for call in case.calls.iter().filter(|call| call.slot.role != Role::Judge) {
        match &call.against_spec {
            Against::Unknown(why) => found.cannot(*why),
            // One cause, one finding.
            Against::Known { .. } if found.reported.contains(&(call.file, call.line)) => {}
            known @ Against::Known { .. } => {
                found.judged += 1;
                if let Some(difference) = part(known) {
                    let field = difference.split(':').next().filter(|f| f.starts_with('[')).unwrap_or(what);
                    let group = format!("{} {}", call.slot.role.name(), if what == "messages" { field } else { what });
                    found.add(case, call, group, format!("{what}, recorded -> by loop.toml: {difference}"));
                }
            }
        }
    }
}

impl Rule for PromptDrift {
    fn page(&self) -> &'static Page {
        &Page {
            code: "RD501",
            name: "prompt-drift",
            severity: Severity::Error,
            what: "The messages of a recorded request are not those that loop.toml renders in its place, with the recorded answers before it. Findings are grouped by role and message. A call that a rule of RD1xx or RD2xx reports is left out.",
            why: "The arm mixes two prompts, or carries a spec that is not the one it was recorded with. Its numbers belong to neither.",
            fix: "Put loop.toml back, or record the calls again. The difference in the message says which text changed.",
            example: "half of the critic's calls say \"List the gravest faults\", the others \"List all faults\"",
        }
    }

    fn case(&self, case: &Case<'_>, found: &mut Found) {
        each(case, found, |against| if let Against::Known { turns, .. } = against { turns.as_ref() } else { None }, "messages");
    }
}

impl Rule for ModelDrift {
    fn page(&self) -> &'static Page {
        &Page {
            code: "RD502",
            name: "model-drift",
            severity: Severity::Error,
            what: "A request asks another model, or another provider's form, than loop.toml says; in an arm with `match = \"slot\"`: than most calls of its role.",
            why: "An arm is one configuration. With two models in it a difference between arms cannot be put down to either.",
            fix: "Record the calls of the other model again, or split the arm in two.",
            example: "40 critic's calls of model `m-large`, and 2 of `m-small`",
        }
    }

    fn case(&self, case: &Case<'_>, found: &mut Found) {
        by_slot_or(case, found, |found| {
            each(case, found, |against| if let Against::Known { model, .. } = against { model.as_ref() } else { None }, "model");
        });
    }

    fn arm(&self, facts: &Facts, found: &mut Found) {
        minority(facts, found, |field| field == "model");
    }
}

impl Rule for SamplingDrift {
    fn page(&self) -> &'static Page {
        &Page {
            code: "RD503",
            name: "sampling-drift",
            severity: Severity::Error,
            what: "A request's temperature, other sampling field, token limit, response format or tools are not those of loop.toml; in an arm with `match = \"slot\"`: its temperature or other sampling field is not that of most calls of its role.",
            why: "A warmer critic finds other things, a lower limit cuts its list. Neither is told apart from the loop's effect.",
            fix: "Record the calls again with the loop's parameters. A field that cannot change an answer goes into `ignore`.",
            example: "temperature 0 in loop.toml, 0.7 in a recorded critic's request",
        }
    }

    fn case(&self, case: &Case<'_>, found: &mut Found) {
        by_slot_or(case, found, |found| {
            each(case, found, |against| if let Against::Known { rest, .. } = against { rest.as_ref() } else { None }, "parameters");
        });
    }

    fn arm(&self, facts: &Facts, found: &mut Found) {
        minority(facts, found, |field| SAMPLING.contains(&field));
    }
}

/// In an arm by slot the spec says nothing of requests; what it recorded is compared over the arm.
fn by_slot_or(case: &Case<'_>, found: &mut Found, otherwise: impl FnOnce(&mut Found)) {
    if case.spec.matching == crate::arm::Matching::Slot {
        for call in case.calls.iter().filter(|call| call.slot.role != Role::Judge) {
            match &call.asked {
                Ok(_) => found.judged += 1,
                Err(why) => found.cannot(why.as_str()),
            }
        }
        return;
    }
    otherwise(found);
}

/// Arms by slot: every value of a field but the commonest.
fn minority(facts: &Facts, found: &mut Found, is_of: impl Fn(&str) -> bool) {
    if !facts.by_slot {
        return;
    }
    for ((role, field), values) in facts.values.iter().filter(|((_, field), _)| is_of(field)) {
        let Some((most, _)) = values.iter().max_by_key(|(value, seen)| (seen.count, std::cmp::Reverse((*value).clone()))) else { continue };
        let all: usize = values.values().map(|seen| seen.count).sum();
        for (value, seen) in values.iter().filter(|(value, _)| *value != most) {
            let what = format!("{field} {value} in {} of {all} calls of the {}; the others have {most}", seen.count, role.name());
            found.push(seen.finding(format!("{} {field}", role.name()), what));
        }
    }
}

/// Notes a call's model and sampling fields.
pub(super) fn note(case: &Case<'_>, facts: &mut Facts) {
    for call in &case.calls {
        let Ok(asked) = &call.asked else { continue };
        if let Some(model) = &asked.model {
            facts.note(case, call, "model", model.clone());
        }
        let mut fields = BTreeMap::new();
        sampling(&asked.rest, &mut fields);
        for (field, value) in fields {
            facts.note(case, call, &field, value);
        }
    }
}

fn sampling(map: &serde_json::Map<String, serde_json::Value>, out: &mut BTreeMap<String, String>) {
    for (key, value) in map {
        let name: String = key.chars().filter(|c| *c != '_').collect::<String>().to_ascii_lowercase();
        match value {
            serde_json::Value::Object(inner) if ["generationConfig", "options", "reasoning"].contains(&key.as_str()) => {
                sampling(inner, out)
            }
            serde_json::Value::Number(n) if SAMPLING.contains(&name.as_str()) => {
                // 0 and 0.0 are one value.
                out.insert(name, n.as_f64().map_or_else(|| n.to_string(), |x| x.to_string()));
            }
            serde_json::Value::String(text) if SAMPLING.contains(&name.as_str()) => drop(out.insert(name, text.clone())),
            _ => {}
        }
    }
}
