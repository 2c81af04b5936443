//! The map: how a record's fields become a ticket, sample, pass, role and n. `--map ticket=custom_id:^([^/]+)/` and the like.

use regex::Regex;
use serde_json::Value;

use crate::model::Role;

/// The parts of a call's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Ticket,
    Sample,
    Pass,
    Role,
    N,
    /// Several at once, by the names of a pattern's groups.
    Slot,
}

const PARTS: [(&str, Part); 6] =
    [("ticket", Part::Ticket), ("sample", Part::Sample), ("pass", Part::Pass), ("role", Part::Role), ("n", Part::N), ("slot", Part::Slot)];

/// One `--map`.
#[derive(Debug, Clone)]
pub struct Rule {
    part: Part,
    from: From,
}

#[derive(Debug, Clone)]
enum From {
    /// The same for every record.
    Constant(String),
    Field {
        path: String,
        pattern: Option<Regex>,
    },
}

/// What is known of a record's place. Absent is not 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Known {
    pub ticket: Option<String>,
    pub sample: Option<u32>,
    pub pass: Option<u32>,
    pub role: Option<Role>,
    pub n: Option<u32>,
}

/// A parent's parents are looked through so far up.
const PARENTS_MAX: usize = 32;

impl Rule {
    pub fn parse(text: &str) -> Result<Rule, String> {
        let usage = "expected PART=FIELD, PART=FIELD:PATTERN or PART:=VALUE with PART one of ticket, sample, pass, role, n, slot; such as ticket=custom_id:^([^/]+)/";
        let (name, rest) = text.split_once('=').ok_or_else(|| format!("`{text}`: {usage}"))?;
        let (name, constant) = name.strip_suffix(':').map_or((name, false), |name| (name, true));
        let part = PARTS.iter().find(|(known, _)| *known == name).map(|(_, part)| *part).ok_or_else(|| format!("`{name}`: {usage}"))?;
        if constant {
            if part == Part::Slot {
                return Err("slot takes a field and a pattern with named groups, no value".into());
            }
            return Ok(Rule { part, from: From::Constant(rest.to_owned()) });
        }
        let (path, pattern) = match rest.split_once(':') {
            Some((path, pattern)) => (path, Some(Regex::new(pattern).map_err(|e| format!("`{pattern}` is no pattern: {e}"))?)),
            None => (rest, None),
        };
        if path.is_empty() {
            return Err(format!("`{text}` names no field; {usage}"));
        }
        if part == Part::Slot {
            let names: Vec<&str> = pattern.iter().flat_map(|p| p.capture_names().flatten()).collect();
            if !names.iter().any(|name| PARTS.iter().any(|(known, _)| known == name)) {
                return Err(format!(
                    "`{text}`: expected a pattern with named groups, such as slot=custom_id:^(?<ticket>.+)-(?<role>[a-z]+)-(?<pass>[0-9]+)$"
                ));
            }
        }
        Ok(Rule { part, from: From::Field { path: path.to_owned(), pattern } })
    }

    fn parts(&self) -> Vec<Part> {
        match (&self.from, self.part) {
            (From::Field { pattern: Some(pattern), .. }, Part::Slot) => {
                let named = |name: &str| PARTS.iter().find(|(known, _)| *known == name).map(|(_, part)| *part);
                pattern.capture_names().flatten().filter_map(named).collect()
            }
            (_, part) => vec![part],
        }
    }

    /// The values it finds in a record or in what the record belongs to.
    fn find(&self, fields: &Value) -> Vec<(Part, String)> {
        let (path, pattern) = match &self.from {
            From::Constant(value) => return vec![(self.part, value.clone())],
            From::Field { path, pattern } => (path, pattern),
        };
        let mut here = Some(fields);
        for _ in 0..PARENTS_MAX {
            let Some(object) = here else { break };
            if let Some(text) = lookup(object, path).and_then(plain) {
                match pattern {
                    None => return vec![(self.part, text)],
                    Some(pattern) => {
                        if let Some(found) = pattern.captures(&text) {
                            if self.part == Part::Slot {
                                let named = PARTS.iter().filter_map(|(name, part)| Some((*part, found.name(name)?.as_str().to_owned())));
                                return named.collect();
                            }
                            let value = found.get(1).or_else(|| found.get(0)).map_or("", |m| m.as_str());
                            return vec![(self.part, value.to_owned())];
                        }
                    }
                }
            }
            here = object.get("parent");
        }
        vec![]
    }
}

/// What the rules find in a record. The first rule that finds a part decides it; the error says which value is none.
pub fn known(rules: &[Rule], fields: &Value) -> Result<Known, String> {
    let mut known = Known::default();
    for (part, text) in rules.iter().flat_map(|rule| rule.find(fields)) {
        let number = |what: &str| text.trim().parse::<u32>().map_err(|_| format!("{what} `{}` is no whole number", short(&text)));
        match part {
            Part::Ticket if known.ticket.is_none() => {
                if text.is_empty() {
                    return Err("the ticket is an empty text".into());
                }
                known.ticket = Some(text);
            }
            Part::Sample if known.sample.is_none() => known.sample = Some(number("sample")?),
            Part::Pass if known.pass.is_none() => known.pass = Some(number("pass")?),
            Part::N if known.n.is_none() => known.n = Some(number("n")?),
            Part::Role if known.role.is_none() => {
                known.role =
                    Some(role(&text).ok_or_else(|| {
                        format!("role `{}` is not known (writer, critic, reviser, judge, or a word for one)", short(&text))
                    })?);
            }
            _ => {}
        }
    }
    Ok(known)
}

/// The rules that are used: those asked for, and of a log's own those for parts that nobody asked for.
pub fn together(asked: &[Rule], own: &[&str]) -> Result<Vec<Rule>, String> {
    let taken: Vec<Part> = asked.iter().flat_map(Rule::parts).collect();
    let mut rules = asked.to_vec();
    for text in own {
        let rule = Rule::parse(text)?;
        if !rule.parts().iter().all(|part| taken.contains(part)) {
            rules.push(rule);
        }
    }
    Ok(rules)
}

/// Words that loops use for the three roles and the judge.
pub const WORDS: [(&[&str], Role); 4] = [
    (&["writer", "write", "draft", "drafter", "generate", "generator", "author", "answer"], Role::Writer),
    (&["critic", "critique", "review", "reviewer", "reflect", "reflection", "evaluate", "evaluator", "feedback"], Role::Critic),
    (&["reviser", "revise", "revision", "rewrite", "rewriter", "refine", "refiner", "edit", "editor"], Role::Reviser),
    (&["judge"], Role::Judge),
];

fn role(text: &str) -> Option<Role> {
    let word = text.trim().to_ascii_lowercase();
    WORDS.iter().find(|(words, _)| words.contains(&word.as_str())).map(|(_, role)| *role)
}

/// The value at a path of names with dots between them. A name may hold dots itself (`gen_ai.request.model`): the longest that is there is taken.
pub fn lookup<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    if let Value::Array(items) = value {
        let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
        let item = items.get(first.parse::<usize>().ok()?)?;
        return rest.map_or(Some(item), |rest| lookup(item, rest));
    }
    let object = value.as_object()?;
    if let Some(found) = object.get(path) {
        return Some(found);
    }
    let cuts: Vec<usize> = path.match_indices('.').map(|(at, _)| at).collect();
    cuts.into_iter().rev().find_map(|at| lookup(object.get(&path[..at])?, &path[at + 1..]))
}

fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Array(items) if items.len() == 1 => plain(&items[0]),
        _ => None,
    }
}

/// A value from a log, for a message.
pub fn short(text: &str) -> String {
    const SHOWN: usize = 60;
    let mut out: String = text.chars().take(SHOWN).map(|c| if crate::text::control::is_unsafe(c) { ' ' } else { c }).collect();
    if text.chars().nth(SHOWN).is_some() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(rules: &[&str], fields: &Value) -> Result<Known, String> {
        let rules: Vec<Rule> = rules.iter().map(|r| Rule::parse(r).unwrap()).collect();
        known(&rules, fields)
    }

    #[test]
    fn rules_find_parts_in_a_record_and_in_what_it_belongs_to() {
        let fields = json!({"custom_id": "a/b-p2", "attributes": {"gen_ai.agent.name": "Reviewer"}, "parent": {"meta": {"n": [3]}, "custom_id": "x"}});
        let got =
            of(&["ticket=custom_id:^(.+)-p", "pass=custom_id:[0-9]+", "role=attributes.gen_ai.agent.name", "n=meta.n.0"], &fields).unwrap();
        assert_eq!(got, Known { ticket: Some("a/b".into()), sample: None, pass: Some(2), role: Some(Role::Critic), n: Some(3) });
        let slot = of(&[r"slot=custom_id:^(?<ticket>.+)-p(?<pass>\d)$", "ticket:=never"], &fields).unwrap();
        assert_eq!((slot.ticket.as_deref(), slot.pass), (Some("a/b"), Some(2)));
        assert_eq!(of(&["ticket=nowhere"], &fields).unwrap(), Known::default());
        assert_eq!(of(&["pass=custom_id"], &fields).unwrap_err(), "pass `a/b-p2` is no whole number");
        assert!(of(&["role:=cook"], &fields).unwrap_err().contains("role `cook` is not known"));
    }

    #[test]
    fn a_rule_that_says_nothing_is_refused() {
        for wrong in ["", "ticket", "tickets=a", "ticket=", "ticket=a:(", "slot=a", "slot=a:(.)", "slot:=x"] {
            assert!(Rule::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn rules_of_a_log_give_way_part_by_part() {
        let asked = [Rule::parse("role:=critic").unwrap()];
        let got = together(&asked, &["role=name", "ticket=id"]).unwrap();
        assert_eq!(got.len(), 2);
        let found = known(&got, &json!({"name": "writer", "id": "t"})).unwrap();
        assert_eq!((found.role, found.ticket.as_deref()), (Some(Role::Critic), Some("t")));
    }
}
