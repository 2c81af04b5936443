//! What reaches the critic that the writer never saw, and how much of the window it takes.

use super::case::Case;
use super::fresh::critics;
use super::shingle::{Runs, covered};
use super::{Found, Page, Rule, Severity};
use crate::arm::Context;

pub struct Dilution;

/// Shorter stretches are labels, counts and joints between known texts.
const STRETCH_WORDS_MIN: usize = 12;

impl Rule for Dilution {
    fn page(&self) -> &'static Page {
        &Page {
            code: "RD205",
            name: "dilution",
            severity: Severity::Warning,
            what: "The critic's request holds text (twelve words in a row, or more) that the writer never saw and that is neither a draft nor the critic's own prompt. The message gives its share of the window in characters, and about how many of the billed input tokens that is.",
            why: "What the writer did not know it cannot be blamed for; and every word that is not draft, source or question takes attention from them. An expected answer that slips in here makes a critic look far better than it is.",
            fix: "Give the writer the same text, or take it from the critic. Where it is meant, such as a style guide for critics, allow the rule with that reason.",
            example: "`{{ ticket.fields.notes }}` or the critique of an earlier pass in the critic's prompt alone",
        }
    }

    fn case(&self, case: &Case<'_>, found: &mut Found) {
        let calls = critics(case, found);
        if calls.is_empty() {
            return;
        }
        for call in calls {
            let writer = case.writer(call.slot.sample).and_then(|writer| writer.window.as_ref());
            let (Some(window), Some(writer)) = (&call.window, writer) else {
                found.judged -= 1;
                found.cannot("the writer's request was not recorded, so nobody knows what it was given");
                continue;
            };
            let drafts = Runs::of(case.drafts(call.slot));
            let asides = Runs::of(case.calls.iter().flat_map(|call| &call.aside).map(String::as_str));
            let mut known = vec![&writer.runs, &drafts, &asides, case.template];
            let said;
            if case.spec.critic.context == Context::Conversation {
                said = case.critiques(call.slot.sample);
                known.push(&said);
            }
            let seen = covered(&window.words, &known);
            let mut chars = 0;
            let mut first = None;
            let mut at = 0;
            for stretch in seen.chunk_by(|a, b| a == b) {
                if !stretch[0] && stretch.len() >= STRETCH_WORDS_MIN {
                    let (from, until) = (window.words.spans[at].0, window.words.spans[at + stretch.len() - 1].1);
                    chars += until - from;
                    first = first.or(Some((from, until)));
                }
                at += stretch.len();
            }
            let Some((from, until)) = first else { continue };
            let text: String = match &call.asked {
                Ok(asked) => asked.turns.iter().map(|turn| turn.text.as_str()).collect::<Vec<_>>().join("\n"),
                Err(_) => continue,
            };
            let all = text.len().max(1);
            let tokens = call.reply.as_ref().and_then(|reply| reply.usage).map(|usage| {
                format!(", about {} of {} input tokens", (u128::from(usage.input) * chars as u128) / all as u128, usage.input)
            });
            let what = format!(
                "{chars} of {all} bytes of the critic's window ({}%{}) are text that the writer never saw: \"{}\"",
                chars * 100 / all,
                tokens.unwrap_or_default(),
                super::run::start(text.get(from..until).unwrap_or_default())
            );
            found.add(case, call, "", what);
        }
    }
}
