//! The audit of arms: every rule over every ticket, in parallel, in the dataset's order; then over each arm, and over each pair with the first.

use std::path::{Path, PathBuf};

use super::allow::{self, Allow};
use super::case::{Case, template};
use super::found::{Facts, Finding, Found, KEPT_MAX};
use super::{ALL, Page, Rule, Severity, answered, drift, grounding};
use crate::arm::{Coverage, Matching};
use crate::error::Error;
use crate::model::Role;
use crate::replay::{self, Prepared};

/// What is audited, and by which rules.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// 0 = one a core.
    pub jobs: usize,
    /// Codes; empty: all.
    pub only: Vec<&'static str>,
    pub without: Vec<&'static str>,
}

/// One arm, audited.
pub struct Arm {
    pub dir: PathBuf,
    /// The arm's own calls, then those of the arms it may reuse.
    pub files: Vec<PathBuf>,
    pub tickets: usize,
    pub calls: usize,
    /// Rules that were asked for, by code.
    pub rules: Vec<Outcome>,
    facts: Facts,
    allowed: Vec<Allow>,
}

/// One rule in one arm.
pub struct Outcome {
    pub page: &'static Page,
    pub found: Found,
    /// The reason why its findings are allowed.
    pub allowed: Option<String>,
}

pub struct Audit {
    pub arms: Vec<Arm>,
}

/// What the audit comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Clean,
    /// At least one error (with `strict`: or warning) that is not allowed.
    Broken,
    /// Nothing is broken as far as it could be seen, and something could not be.
    NotJudged,
}

impl Options {
    fn takes(&self, page: &Page) -> bool {
        (self.only.is_empty() || self.only.contains(&page.code)) && !self.without.contains(&page.code)
    }
}

/// Audits arms; `tick` is told of every ticket.
pub fn audit(arms: &[(PathBuf, Prepared)], options: &Options, tick: &mut dyn FnMut()) -> Result<Audit, Error> {
    let several = arms.len() > 1;
    let rules: Vec<&dyn Rule> = ALL.iter().copied().filter(|rule| options.takes(rule.page())).collect();
    let mut audited = vec![];
    for (dir, prepared) in arms {
        audited.push(one(dir, prepared, &rules, options, several, tick)?);
    }
    for (at, rule) in rules.iter().enumerate().filter(|(_, rule)| rule.needs_two()) {
        if !several {
            audited
                .iter_mut()
                .for_each(|arm: &mut Arm| arm.rules[at].found.not_applicable = Some("one arm was given, so none to compare with"));
        }
        for second in 1..audited.len() {
            let mut found = Found::default();
            rule.between(&audited[0].facts, &audited[second].facts, &mut found);
            close(&mut found);
            audited[second].rules[at].found.merge(found);
        }
        if several {
            audited[0].rules[at].found.not_applicable = Some("the other arms are held against this one");
        }
    }
    for (at, arm) in audited.iter_mut().enumerate() {
        allow_all(arm, at == 0);
    }
    Ok(Audit { arms: audited })
}

fn one(
    dir: &Path,
    prepared: &Prepared,
    rules: &[&dyn Rule],
    options: &Options,
    several: bool,
    tick: &mut dyn FnMut(),
) -> Result<Arm, Error> {
    let allowed = allow::read(dir)?;
    let spec = &prepared.program.spec;
    let template = template(spec);
    let mut outcomes: Vec<Outcome> =
        rules.iter().map(|rule| Outcome { page: rule.page(), found: Found::default(), allowed: None }).collect();
    let mut facts = Facts {
        arm: dir.display().to_string(),
        by_slot: spec.matching == Matching::Slot,
        dataset: prepared.dataset.about.name.clone(),
        dataset_digest: prepared.dataset.digest.clone(),
        ..Facts::default()
    };
    let (mut tickets, mut calls) = (0, 0);
    prepared.each_taped(
        &replay::Options { jobs: options.jobs, ..replay::Options::default() },
        Coverage::Recorded,
        |ticket, tapes| {
            let case = Case::new(&prepared.program, ticket, tapes, &template);
            let mut facts = Facts::default();
            drift::note(&case, &mut facts);
            answered::note(&case, &mut facts);
            if several && let Some(writer) = case.of(Role::Writer).next() {
                let seen = super::found::Seen::at(&case, writer);
                facts.sources.insert(ticket.id.clone(), (grounding::writers_sources(&case, writer), seen));
            }
            let mut reported = vec![];
            let found: Vec<Found> = rules
                .iter()
                .map(|rule| {
                    let mut found = Found { reported: reported.clone(), ..Found::default() };
                    rule.case(&case, &mut found);
                    close(&mut found);
                    let explains =
                        rule.page().severity == Severity::Error && ["RD1", "RD2"].iter().any(|f| rule.page().code.starts_with(f));
                    if explains {
                        reported.extend(found.findings.iter().filter_map(|f| Some((f.file, f.line?))));
                    }
                    found
                })
                .collect();
            (case.calls.len(), facts, found)
        },
        |(count, of_ticket, found)| {
            tick();
            tickets += 1;
            calls += count;
            facts.merge(of_ticket);
            outcomes.iter_mut().zip(found).for_each(|(outcome, found)| outcome.found.merge(found));
            Ok(())
        },
    )?;
    for (rule, outcome) in rules.iter().zip(&mut outcomes) {
        let mut found = Found::default();
        rule.arm(&facts, &mut found);
        outcome.found.merge(found);
        if calls == 0 {
            outcome.found.cannot("no call was recorded");
        }
    }
    Ok(Arm { dir: dir.to_path_buf(), files: prepared.files(), tickets, calls, rules: outcomes, facts, allowed })
}

/// Findings of one ticket stand in the order of the file; no more are kept than an arm keeps.
fn close(found: &mut Found) {
    found.findings.sort_by_key(|finding| (finding.file, finding.line));
    found.findings.truncate(KEPT_MAX);
}

/// Applies what the arm allows. What is allowed and was not found is itself found.
fn allow_all(arm: &mut Arm, first: bool) {
    let mut unused = vec![];
    for allow in &arm.allowed {
        let Some(outcome) = arm.rules.iter_mut().find(|outcome| outcome.page.code == allow.rule) else { continue };
        let ran = outcome.found.judged > 0 && !(first && outcome.page.code.starts_with("RD6"));
        if outcome.found.count > 0 {
            outcome.allowed = Some(allow.reason.clone());
        } else if ran {
            unused.push(format!("{} {} is allowed (\"{}\") and was not found", allow.rule, outcome.page.name, allow.reason));
        }
    }
    if let Some(outcome) = arm.rules.iter_mut().find(|outcome| outcome.page.code == "RD901") {
        outcome.found.judged += arm.allowed.len();
        for message in unused {
            outcome.found.push(Finding { ticket: String::new(), slot: String::new(), file: 0, line: None, group: String::new(), message });
        }
    }
}

impl Audit {
    pub fn verdict(&self, strict: bool) -> Verdict {
        let outcomes = || self.arms.iter().flat_map(|arm| &arm.rules);
        let breaks = |o: &Outcome| o.page.severity == Severity::Error || (strict && o.page.severity == Severity::Warning);
        if outcomes().any(|o| o.found.count > 0 && o.allowed.is_none() && breaks(o)) {
            Verdict::Broken
        } else if outcomes().any(|o| !o.found.unjudged.is_empty() && o.page.severity != Severity::Note) {
            Verdict::NotJudged
        } else {
            Verdict::Clean
        }
    }

    /// Rules with findings of a severity, those that are allowed left out.
    pub fn count(&self, severity: Severity) -> usize {
        let outcomes = self.arms.iter().flat_map(|arm| &arm.rules);
        outcomes.filter(|o| o.page.severity == severity && o.allowed.is_none()).map(|o| o.found.count).sum()
    }
}

/// The start of a text of others, for a message.
pub(super) fn start(text: &str) -> String {
    const CHARS_MAX: usize = 60;
    let cut: String = text.split_whitespace().flat_map(|word| [word, " "]).collect::<String>();
    let cut = cut.trim_end();
    match cut.char_indices().nth(CHARS_MAX) {
        Some((end, _)) => format!("{}…", &cut[..end]),
        None => cut.to_owned(),
    }
}
