//! An audit as people and programs read it: text, JSON, and the rules' own pages.

use schemars::JsonSchema;
use serde::Serialize;

use super::grid::{Style, escape_terminal};
use super::shown::short;
use crate::audit::{Arm, Audit, Finding, Rule, Severity, Verdict};
use crate::jsonl;

/// Groups of a rule that the text names, and findings of a group.
const GROUPS_MAX: usize = 5;
const EXAMPLES_MAX: usize = 2;
const MESSAGE_CHARS_MAX: usize = 400;

/// For a terminal: by rule, the gravest first, with counts and first examples.
pub fn text(audit: &Audit, strict: bool, style: Style) -> String {
    let mut out = String::new();
    for arm in &audit.arms {
        let name = escape_terminal(&arm.dir.display().to_string()).into_owned();
        let judged = arm.rules.iter().filter(|o| o.found.judged > 0).count();
        out.push_str(&format!(
            "{}{name}{}: {} tickets, {} calls; {judged} of {} rules had something to judge\n",
            style.bold,
            style.reset,
            arm.tickets,
            arm.calls,
            arm.rules.len()
        ));
        for severity in [Severity::Error, Severity::Warning, Severity::Note] {
            for outcome in arm.rules.iter().filter(|o| o.page.severity == severity && o.found.count > 0 && o.allowed.is_none()) {
                let (page, found) = (outcome.page, &outcome.found);
                let tickets = if found.tickets > 0 { format!(", {} of {} tickets", found.tickets, arm.tickets) } else { String::new() };
                let head = format!("{} {} {}", severity.name(), page.code, page.name);
                out.push_str(&format!(
                    "  {}{head}{}: {} found, {} looked at{tickets}\n",
                    style.bold, style.reset, found.count, found.judged
                ));
                let mut groups: Vec<(&String, &usize)> = found.groups.iter().collect();
                groups.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
                for (group, n) in groups.iter().take(GROUPS_MAX) {
                    if !group.is_empty() && (groups.len() > 1 || **n > 1) {
                        out.push_str(&format!("    {}: {n}\n", escape_terminal(&short(group, MESSAGE_CHARS_MAX))));
                    }
                    for finding in found.findings.iter().filter(|f| f.group == **group).take(EXAMPLES_MAX) {
                        out.push_str(&format!("    {}\n", escape_terminal(&example(arm, finding))));
                    }
                }
                if groups.len() > GROUPS_MAX {
                    out.push_str(&format!("    ... and {} more kinds\n", groups.len() - GROUPS_MAX));
                }
            }
        }
        for outcome in arm.rules.iter().filter(|o| !o.found.unjudged.is_empty()) {
            let calls: usize = outcome.found.unjudged.values().sum();
            let why: Vec<String> = outcome.found.unjudged.iter().take(3).map(|(why, n)| format!("{why} ({n})")).collect();
            let line = format!("not judged {} {}: {calls} times: {}", outcome.page.code, outcome.page.name, why.join("; "));
            out.push_str(&format!("  {}\n", escape_terminal(&line)));
        }
        for outcome in &arm.rules {
            if let Some(reason) = &outcome.allowed {
                let line = format!("allowed {} {}: {} found: {reason}", outcome.page.code, outcome.page.name, outcome.found.count);
                out.push_str(&format!("  {}{}{}\n", style.dim, escape_terminal(&line), style.reset));
            }
        }
    }
    let [errors, warnings, notes] = [Severity::Error, Severity::Warning, Severity::Note].map(|severity| audit.count(severity));
    let verdict = match audit.verdict(strict) {
        Verdict::Clean => "clean",
        Verdict::Broken => "the contract is broken",
        Verdict::NotJudged => "not judged to the end, which is no pass",
    };
    out.push_str(&format!("{verdict}: {errors} errors, {warnings} warnings, {notes} notes"));
    out.push_str(if errors + warnings + notes > 0 { "; `redraft audit --explain CODE` says why and what to do\n" } else { "\n" });
    out
}

fn example(arm: &Arm, finding: &Finding) -> String {
    let place = place(arm, finding);
    let whose = [&finding.ticket, &finding.slot].iter().filter(|t| !t.is_empty()).map(|t| t.as_str()).collect::<Vec<_>>().join(", ");
    let whose = if whose.is_empty() { String::new() } else { format!(" {whose}:") };
    format!("{place}:{whose} {}", short(&finding.message, MESSAGE_CHARS_MAX))
}

/// `path:line`.
fn place(arm: &Arm, finding: &Finding) -> String {
    let path = arm.files.get(finding.file).filter(|_| finding.line.is_some()).unwrap_or(&arm.dir).display().to_string();
    finding.line.map_or(path.clone(), |line| format!("{path}:{line}"))
}

/// audit.json.
#[derive(Serialize, JsonSchema)]
pub struct Document {
    /// Format version: 1.
    version: u32,
    verdict: Verdict,
    arms: Vec<ArmForm>,
}

#[derive(Serialize, JsonSchema)]
struct ArmForm {
    arm: String,
    /// Files that findings point into, by number: the arm's own calls first.
    files: Vec<String>,
    tickets: usize,
    calls: usize,
    rules: Vec<RuleForm>,
}

#[derive(Serialize, JsonSchema)]
struct RuleForm {
    code: &'static str,
    name: &'static str,
    severity: Severity,
    /// Findings, all of them; `findings` holds the first thousand.
    count: usize,
    /// Tickets with a finding.
    tickets: usize,
    /// Calls, runs or arms that the rule looked at.
    judged: usize,
    /// What it could not judge: why, how often. Not empty: the rule is not passed.
    not_judged: std::collections::BTreeMap<String, usize>,
    /// Why the rule has nothing to look at in this arm; null where it has.
    not_applicable: Option<&'static str>,
    /// The reason of audit.toml; null where findings count.
    allowed: Option<String>,
    groups: std::collections::BTreeMap<String, usize>,
    findings: Vec<Finding>,
}

pub fn json(audit: &Audit, strict: bool) -> String {
    let arm = |arm: &Arm| ArmForm {
        arm: arm.dir.display().to_string(),
        files: arm.files.iter().map(|file| file.display().to_string()).collect(),
        tickets: arm.tickets,
        calls: arm.calls,
        rules: arm
            .rules
            .iter()
            .map(|outcome| RuleForm {
                code: outcome.page.code,
                name: outcome.page.name,
                severity: outcome.page.severity,
                count: outcome.found.count,
                tickets: outcome.found.tickets,
                judged: outcome.found.judged,
                not_judged: outcome.found.unjudged.clone(),
                not_applicable: outcome.found.not_applicable,
                allowed: outcome.allowed.clone(),
                groups: outcome.found.groups.clone(),
                findings: outcome.found.findings.clone(),
            })
            .collect(),
    };
    jsonl::pretty(&Document { version: 1, verdict: audit.verdict(strict), arms: audit.arms.iter().map(arm).collect() })
}

/// A rule's page: plain, or as a section of Markdown.
pub fn page(rule: &dyn Rule, markdown: bool) -> String {
    let page = rule.page();
    if markdown {
        return format!(
            "### {} {} ({})\n\n{}\n\n**Why.** {}\n\n**Fix.** {}\n\n**Example.** {}\n",
            page.code,
            page.name,
            page.severity.name(),
            literal(page.what),
            literal(page.why),
            literal(page.fix),
            literal(page.example)
        );
    }
    format!(
        "{} {} ({})\n\n{}\n\nWhy: {}\n\nFix: {}\n\nExample: {}\n",
        page.code,
        page.name,
        page.severity.name(),
        page.what,
        page.why,
        page.fix,
        page.example
    )
}

/// Our own text outside code spans: tags in it are shown, not taken for HTML, and list marks of TOML are no links.
fn literal(text: &str) -> String {
    text.split('`')
        .enumerate()
        .map(
            |(at, piece)| {
                if at % 2 == 0 { piece.replace('<', "&lt;").replace('[', "\\[").replace("{{", "\\{\\{") } else { piece.to_owned() }
            },
        )
        .collect::<Vec<_>>()
        .join("`")
}
