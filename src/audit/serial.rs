//! One finding a call of a serial reviser, findings never merged.

use super::case::Case;
use super::shingle::Words;
use super::{Found, Page, Rule, Severity};
use crate::arm::Strategy;
use crate::model::{Finding, Role};

pub struct MergedFindings;

impl Rule for MergedFindings {
    fn page(&self) -> &'static Page {
        &Page {
            code: "RD401",
            name: "merged-findings",
            severity: Severity::Error,
            what: "A reviser's call of a loop with `strategy = \"serial\"` is given more than one finding of the pass's critique.",
            why: "A status is the answer to one finding. With two in one call nobody can say which was applied, and fates and locality are counted against the wrong one.",
            fix: "Render `{{ finding }}` in the reviser's prompt, not `{{ findings }}` or `{{ critique }}`.",
            example: "a serial reviser whose prompt holds \"1. wrong_value ... 2. tone ...\"",
        }
    }

    fn case(&self, case: &Case<'_>, found: &mut Found) {
        if case.spec.strategy != Strategy::Serial {
            found.not_applicable = Some("the reviser is not serial");
            return;
        }
        for call in case.of(Role::Reviser) {
            let asked = match &call.asked {
                Ok(asked) => asked,
                Err(why) => {
                    found.cannot(why.as_str());
                    continue;
                }
            };
            let same = |c: &&super::case::Call| c.slot.sample == call.slot.sample && c.slot.pass == call.slot.pass;
            let Some(reply) = case.of(Role::Critic).find(same).and_then(|critic| critic.reply.as_ref()) else {
                found.cannot("the critique of its pass was not recorded, or cannot be read");
                continue;
            };
            found.judged += 1;
            let critique = case.spec.format.read(reply, &case.spec.rules);
            let findings = critique.findings.unwrap_or_default();
            let text: Vec<&str> = asked.turns.iter().map(|turn| turn.text.as_str()).collect();
            let given: Vec<usize> = (0..findings.len()).filter(|i| is_given(&findings, *i, case, call, &text)).collect();
            if given.len() > 1 {
                let numbers: Vec<String> = given.iter().map(|i| (i + 1).to_string()).collect();
                found.add(case, call, "", format!("findings {} of the critique are given in one call", numbers.join(", ")));
            }
        }
    }
}

/// Words that a field needs to stand for its finding.
const TELLING_WORDS_MIN: usize = 3;

/// True where a text of this finding's that no other finding, source, draft or prompt has stands in the request.
fn is_given(findings: &[Finding], at: usize, case: &Case<'_>, call: &super::case::Call, text: &[&str]) -> bool {
    let texts = |finding: &Finding| finding.raw.values().filter_map(|v| v.as_str().map(str::to_owned)).collect::<Vec<_>>();
    let others: Vec<String> = findings.iter().enumerate().filter(|(i, _)| *i != at).flat_map(|(_, f)| texts(f)).collect();
    let own = texts(&findings[at]);
    own.iter().any(|field| {
        Words::of(field).len() >= TELLING_WORDS_MIN
            && !others.iter().any(|other| other.contains(field.as_str()))
            && !case.drafts(call.slot).any(|draft| draft.contains(field.as_str()))
            && !case.ticket.sources.iter().any(|source| source.text.contains(field.as_str()))
            && !case.ticket.prompt.contains(field.as_str())
            && text.iter().any(|text| text.contains(field.as_str()))
    })
}
