//! Does a run keep to the bounds of its loop: passes, calls, cost.

use std::collections::BTreeMap;

use super::case::{Call, Case};
use super::{Found, Page, Rule, Severity};
use crate::arm::Strategy;
use crate::model::{Role, Usd, cost};

pub struct PassesOverBound;
pub struct CallsOverBound;
pub struct CostOverBound;

/// The calls of each run, in slot order.
fn runs<'c>(case: &'c Case<'_>) -> BTreeMap<u32, Vec<&'c Call>> {
    let mut runs: BTreeMap<u32, Vec<&Call>> = BTreeMap::new();
    for call in case.calls.iter().filter(|call| call.slot.role != Role::Judge) {
        runs.entry(call.slot.sample).or_default().push(call);
    }
    runs
}

impl Rule for PassesOverBound {
    fn page(&self) -> &'static Page {
        &Page {
            code: "RD402",
            name: "passes-over-bound",
            severity: Severity::Error,
            what: "A run has calls in a pass beyond `bounds.max_passes` (with `stop.closing_critique` one more critic's call is allowed), or a run beyond `samples`.",
            why: "The recording is not of this loop. Later passes cost, and are not counted.",
            fix: "Put the bound back that the recording was made with, or take the calls out.",
            example: "max_passes = 2, and a critic's call in pass 3",
        }
    }

    fn case(&self, case: &Case<'_>, found: &mut Found) {
        let max = case.spec.max_passes;
        for (sample, calls) in runs(case) {
            found.judged += 1;
            if sample >= case.spec.samples {
                let what = format!("a call of sample {sample} where the loop makes {} run(s) a ticket, counted from 0", case.spec.samples);
                found.add(case, calls[0], "sample", what);
                continue;
            }
            let allowed = |call: &Call| {
                let closing = case.spec.closing_critique && call.slot.role == Role::Critic && max > 0;
                call.slot.pass <= max + u32::from(closing)
            };
            if let Some(call) = calls.iter().find(|call| !allowed(call)) {
                found.add(case, call, "pass", format!("a call in pass {} where the loop makes at most {max}", call.slot.pass));
            }
        }
    }
}

impl Rule for CallsOverBound {
    fn page(&self) -> &'static Page {
        &Page {
            code: "RD403",
            name: "calls-over-bound",
            severity: Severity::Error,
            what: "A run has more calls than the loop can make: more than `bounds.max_calls`; a second call of a writer or critic in a pass; a second reviser's call where the strategy makes one; or more reviser's calls in a pass than its critique has findings.",
            why: "Cost and calls of this arm are not those of its loop, and a second try that was kept because it was better is no measurement.",
            fix: "Keep one call a slot. Failed attempts belong into `meta.attempts` of the call that answered.",
            example: "max_calls = 5, and a run of 7 calls",
        }
    }

    fn case(&self, case: &Case<'_>, found: &mut Found) {
        for (_, calls) in runs(case) {
            found.judged += 1;
            let over = case.spec.max_calls.map(|max| max as usize).filter(|max| calls.len() > *max);
            if let Some(max) = over {
                found.add(case, calls[max], "max_calls", format!("{} calls in a run where the loop makes at most {max}", calls.len()));
                continue;
            }
            for call in &calls {
                let most = most(case, call);
                if call.slot.n as usize >= most {
                    let what = format!(
                        "call {} of the {} in pass {}, where the loop makes at most {most}",
                        call.slot.n + 1,
                        call.slot.role.name(),
                        call.slot.pass
                    );
                    found.add(case, call, call.slot.role.name(), what);
                    break;
                }
            }
        }
    }
}

/// The most calls that a role makes in a pass.
fn most(case: &Case<'_>, call: &Call) -> usize {
    match call.slot.role {
        Role::Writer => usize::from(call.slot.pass == 0),
        Role::Critic | Role::Judge => usize::from(call.slot.pass > 0),
        Role::Reviser if case.spec.strategy != Strategy::Serial => usize::from(call.slot.pass > 0),
        // The first needs no counting: most passes have no more.
        Role::Reviser if call.slot.n == 0 => 1,
        Role::Reviser => {
            let same = |c: &&Call| c.slot.sample == call.slot.sample && c.slot.pass == call.slot.pass;
            let reply = case.of(Role::Critic).find(same).and_then(|critic| critic.reply.as_ref());
            let findings = reply.and_then(|reply| case.spec.format.read(reply, &case.spec.rules).findings);
            findings.map_or(usize::MAX, |findings| findings.len())
        }
    }
}

impl Rule for CostOverBound {
    fn page(&self) -> &'static Page {
        &Page {
            code: "RD404",
            name: "cost-over-bound",
            severity: Severity::Error,
            what: "The calls of a run cost more than `bounds.max_cost_usd`, at the loop's prices and the recorded usage.",
            why: "The loop would have stopped before. What came after is not what it does.",
            fix: "Put the bound or the prices back that the recording was made with, or record again.",
            example: "max_cost_usd = 0.001, and a run of 0.0014 dollars",
        }
    }

    fn case(&self, case: &Case<'_>, found: &mut Found) {
        let Some(max) = case.spec.max_cost else {
            found.not_applicable = Some("the loop has no max_cost_usd");
            return;
        };
        for (_, calls) in runs(case) {
            let mut sum = Usd::ZERO;
            let mut known = true;
            let mut over = None;
            for call in &calls {
                let price = case.spec.role(call.slot.role).price;
                let usage = call.reply.as_ref().and_then(|reply| reply.usage);
                match price.and_then(|p| cost(usage, p.input, p.cached, p.output)) {
                    Some(usd) => sum = sum + usd,
                    None => known = false,
                }
                if over.is_none() && sum > max {
                    over = Some(*call);
                }
            }
            if over.is_none() && !known {
                found.cannot("a call's usage is not known");
                continue;
            }
            found.judged += 1;
            if let Some(call) = over {
                found.add(case, call, "", format!("the run's calls cost {sum} dollars, more than max_cost_usd = {max}"));
            }
        }
    }
}
