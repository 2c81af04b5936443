//! Arms that are audited together are about to be compared: what differs between them besides what is compared?

use std::collections::BTreeSet;

use super::found::Finding;
use super::{Facts, Found, Page, Rule, Severity, drift};

pub struct ModelBetween;
pub struct SamplingBetween;
pub struct SourcesBetween;
pub struct DatasetBetween;

/// Fields of the same role whose values differ, first arm against second.
fn values(first: &Facts, second: &Facts, found: &mut Found, is_of: impl Fn(&str) -> bool) {
    found.judged += 1;
    let keys: BTreeSet<_> = first.values.keys().chain(second.values.keys()).filter(|(_, field)| is_of(field)).collect();
    for key in keys {
        let names = |facts: &Facts| facts.values.get(key).map(|values| values.keys().cloned().collect::<Vec<_>>());
        let role_in = |facts: &Facts| facts.values.keys().any(|(role, _)| *role == key.0);
        if !role_in(first) || !role_in(second) {
            continue;
        }
        let (a, b) = (names(first), names(second));
        if a != b {
            let shown = |names: Option<Vec<String>>| names.map_or("none".to_owned(), |names| names.join(", "));
            let (role, field) = (key.0.name(), &key.1);
            let message = format!("{field} of the {role}: {} in {}, {} in {}", shown(a), first.arm, shown(b), second.arm);
            let group = format!("{role} {field}");
            let seen = second.values.get(key).and_then(|values| values.values().next());
            found.push(seen.map_or_else(|| of_arm(&group, &message), |seen| seen.finding(group.clone(), message.clone())));
        }
    }
}

fn of_arm(group: &str, message: &str) -> Finding {
    Finding { ticket: String::new(), slot: String::new(), file: 0, line: None, group: group.to_owned(), message: message.to_owned() }
}

impl Rule for ModelBetween {
    fn page(&self) -> &'static Page {
        &Page {
            code: "RD601",
            name: "model-between-arms",
            severity: Severity::Warning,
            what: "A role asks different models in two arms that are audited together.",
            why: "If the models are not what you compare, their difference will pass for that of the loops.",
            fix: "Record one of the arms again, or allow the rule where the models are what is compared.",
            example: "critic `m-large` in one arm, `m-small` in the other",
        }
    }

    fn needs_two(&self) -> bool {
        true
    }

    fn between(&self, first: &Facts, second: &Facts, found: &mut Found) {
        values(first, second, found, |field| field == "model");
    }
}

impl Rule for SamplingBetween {
    fn page(&self) -> &'static Page {
        &Page {
            code: "RD602",
            name: "sampling-between-arms",
            severity: Severity::Warning,
            what: "A role has another temperature, seed or other sampling field in two arms that are audited together. Token limits and response formats are not compared: a format may need its own.",
            why: "A difference in temperature changes how often findings come again, which looks like a difference of the loops.",
            fix: "Record one of the arms again, or allow the rule where this is what is compared.",
            example: "the critic's temperature is 0 in one arm and 0.7 in the other",
        }
    }

    fn needs_two(&self) -> bool {
        true
    }

    fn between(&self, first: &Facts, second: &Facts, found: &mut Found) {
        values(first, second, found, |field| drift::SAMPLING.contains(&field));
    }
}

impl Rule for SourcesBetween {
    fn page(&self) -> &'static Page {
        &Page {
            code: "RD603",
            name: "sources-between-arms",
            severity: Severity::Error,
            what: "A ticket's sources, as they reach the writer, differ between two arms that are audited together: another text, another identifier, or one source more or less.",
            why: "The two arms answer different questions. Pairing them by ticket then pairs nothing.",
            fix: "Use one dataset and the same part for the sources in both arms.",
            example: "one arm's writer has `policy-fees` and `account-record`, the other's `policy-fees`",
        }
    }

    fn needs_two(&self) -> bool {
        true
    }

    fn between(&self, first: &Facts, second: &Facts, found: &mut Found) {
        let shared = second.sources.iter().filter_map(|(ticket, (hash, seen))| Some((ticket, hash, seen, first.sources.get(ticket)?)));
        for (ticket, hash, seen, (other, _)) in shared {
            found.judged += 1;
            if hash != other {
                let what = format!("the sources that reach the writer of ticket `{ticket}` are not those of {}", first.arm);
                found.push(seen.finding("", what));
            }
        }
    }
}

impl Rule for DatasetBetween {
    fn page(&self) -> &'static Page {
        &Page {
            code: "RD604",
            name: "dataset-between-arms",
            severity: Severity::Warning,
            what: "Two arms that are audited together stand on datasets of different content.",
            why: "Checks, tags and defects may differ with them, even where prompts and sources agree.",
            fix: "Let both arms name one dataset.",
            example: "`dataset = \"../a\"` and `dataset = \"../a-fixed\"`",
        }
    }

    fn needs_two(&self) -> bool {
        true
    }

    fn between(&self, first: &Facts, second: &Facts, found: &mut Found) {
        found.judged += 1;
        if first.dataset_digest != second.dataset_digest {
            let what = format!(
                "dataset {} ({}) in {}, {} ({}) in {}",
                first.dataset, first.dataset_digest, first.arm, second.dataset, second.dataset_digest, second.arm
            );
            found.push(of_arm("", &what));
        }
    }
}
