//! Answers that are cut or empty: no breach of a contract, but a reader of the numbers should know how many.

use super::case::{Call, Case};
use super::{Found, Page, Rule, Severity};
use crate::model::StopReason;

pub struct TruncatedReplies;
pub struct EmptyReplies;

fn each(case: &Case<'_>, found: &mut Found, is_of: impl Fn(&Call) -> bool, what: &str) {
    for call in case.calls.iter().filter(|call| call.reply.is_some()) {
        found.judged += 1;
        if is_of(call) {
            found.add(case, call, call.slot.role.name(), what.to_owned());
        }
    }
}

impl Rule for TruncatedReplies {
    fn page(&self) -> &'static Page {
        &Page {
            code: "RD701",
            name: "truncated-replies",
            severity: Severity::Note,
            what: "Answers that the token limit cut (stop reason `length`), of all answers, by role.",
            why: "A cut critique is no shorter list, and a cut draft is no draft: both are counted apart everywhere.",
            fix: "Raise the token limit of the role where the share is large.",
            example: "61 of 480 critic's answers end at 160 tokens",
        }
    }

    fn case(&self, case: &Case<'_>, found: &mut Found) {
        each(case, found, |call| call.reply.as_ref().is_some_and(|r| r.stop == StopReason::Length), "the token limit cut this answer");
    }
}

impl Rule for EmptyReplies {
    fn page(&self) -> &'static Page {
        &Page {
            code: "RD702",
            name: "empty-replies",
            severity: Severity::Note,
            what: "Answers without visible text, of all answers, by role.",
            why: "An empty critique is unreadable, and an empty revision keeps the old draft. Neither is an opinion.",
            fix: "Look at the stop reason: a refusal, a filter, or a limit that reasoning used up.",
            example: "a reasoning model with 400 output tokens, all of them spent before the first word",
        }
    }

    fn case(&self, case: &Case<'_>, found: &mut Found) {
        each(case, found, |call| call.reply.as_ref().is_some_and(|r| r.text.trim().is_empty()), "this answer has no visible text");
    }
}
