//! Is the critic fresh: no turn of the model before it, no draft as the model's own, nothing of the writer's thinking.

use super::case::{Call, Case};
use super::shingle::{Request, Runs, Words, passed_on, shared};
use super::{Found, Page, Rule, Severity};
use crate::arm::Context;
use crate::model::Role;

pub struct AssistantTurn;
pub struct DraftAsAssistant;
pub struct WriterReasoning;
pub struct ContinuedConversation;

/// Critic calls of an arm whose critic is to be fresh, as far as their requests are known.
pub(super) fn critics<'c>(case: &'c Case<'_>, found: &mut Found) -> Vec<&'c Call> {
    let mut calls = vec![];
    for call in case.of(Role::Critic) {
        match &call.asked {
            Ok(_) => calls.push(call),
            Err(why) => found.cannot(why.as_str()),
        }
    }
    found.judged += calls.len();
    calls
}

fn fresh<'c>(case: &'c Case<'_>, found: &mut Found) -> Vec<&'c Call> {
    if case.spec.critic.context == Context::Conversation {
        found.not_applicable = Some("the critic goes on with the writer's conversation by design (RD104)");
        return vec![];
    }
    critics(case, found)
}

/// The place of a turn of the model that holds half of an earlier draft or more.
fn draft_turn(case: &Case<'_>, call: &Call) -> Option<usize> {
    call.assistant().find_map(|(at, text)| {
        let turn = Request::of(text);
        let holds = |draft: &str| {
            let (both, all) = passed_on(&Words::of(draft), &Request::of(draft), &turn, &Runs::default());
            all > 0 && 2 * both >= all
        };
        case.drafts(call.slot).any(holds).then_some(at)
    })
}

impl Rule for AssistantTurn {
    fn page(&self) -> &'static Page {
        &Page {
            code: "RD101",
            name: "assistant-turn",
            severity: Severity::Error,
            what: "The critic's request holds a turn of the assistant, or goes on with a conversation that the provider keeps (`previous_response_id`, `conversation`, `cachedContent`), though loop.toml says that the critic is fresh.",
            why: "A model that finds its own turns before it defends them: it finds less, and agrees with itself. The numbers of such an arm are those of reflection, whatever its name says.",
            fix: "Ask the critic with a system prompt and one user message that holds the draft as data. Where the turn is an example or a prefilled answer, allow the rule with that reason. Where the conversation is meant, set `critic.context = \"conversation\"`.",
            example: "messages: system, user, assistant (\"Noted.\"), user (\"Review the draft ...\")",
        }
    }

    fn case(&self, case: &Case<'_>, found: &mut Found) {
        for call in fresh(case, found) {
            if let Some(field) = call.asked.as_ref().ok().and_then(|asked| asked.continues) {
                let what = format!("the request goes on with a conversation that the provider keeps (`{field}`)");
                found.add(case, call, field, what);
            } else if let Some((at, _)) = call.assistant().next()
                && draft_turn(case, call).is_none()
            {
                found.add(case, call, "assistant turn", format!("turn {at} of the critic's request is the assistant's"));
            }
        }
    }
}

impl Rule for DraftAsAssistant {
    fn page(&self) -> &'static Page {
        &Page {
            code: "RD102",
            name: "draft-as-assistant",
            severity: Severity::Error,
            what: "A turn of the assistant in the critic's request holds the draft (half of its runs of five words, or more), though loop.toml says that the critic is fresh.",
            why: "The draft then is what the model itself just said. It is judged as its own work, not as a text that came in.",
            fix: "Put the draft between tags into the user message. Where self-review is what is measured, set `critic.context = \"conversation\"`, and the arm is reported as a reflection arm.",
            example: "messages: system, user (the ticket), assistant (the draft), user (\"Review the reply above\")",
        }
    }

    fn case(&self, case: &Case<'_>, found: &mut Found) {
        for call in fresh(case, found) {
            if let Some(at) = draft_turn(case, call) {
                found.add(case, call, "draft", format!("turn {at} of the critic's request is the assistant's and holds the draft"));
            }
        }
    }
}

/// Runs of five words that only the writer's thinking has and the critic's request has too, from which on it is no chance: eight words in a
/// row. docs/audit.md says what was measured.
pub(super) const LEAK_RUNS: usize = 4;

impl Rule for WriterReasoning {
    fn page(&self) -> &'static Page {
        &Page {
            code: "RD103",
            name: "writer-reasoning",
            severity: Severity::Error,
            what: "What the writer or reviser put out beside the draft (reasoning blocks, text in `<think>` and like tags, tool calls, a serial reviser's reason) stands in the critic's request: four runs of five words or more that neither the ticket, the writer's request, a draft nor the critic's own prompt holds.",
            why: "A critic that reads why the writer wrote something judges the argument instead of the text, and tends to be persuaded by it.",
            fix: "Pass the draft alone. Cut reasoning off before the draft is taken from the answer, or record with a provider that keeps the two apart.",
            example: "the writer answers \"<think>The customer will not check the fee ...</think>Dear ...\" and the whole of it is put between <draft> tags",
        }
    }

    fn case(&self, case: &Case<'_>, found: &mut Found) {
        let calls = fresh(case, found);
        let asides: Vec<(&Call, Vec<Words>)> = case
            .calls
            .iter()
            .filter(|call| !call.aside.is_empty())
            .map(|call| (call, call.aside.iter().map(|text| Words::of(text)).collect()))
            .collect();
        if asides.is_empty() || calls.is_empty() {
            return;
        }
        let data = case.data();
        for call in calls {
            let Some(window) = &call.window else { continue };
            let writer = case.writer(call.slot.sample).and_then(|writer| writer.window.as_ref());
            let drafts = Runs::of(case.drafts(call.slot));
            let mut known = vec![&data, &drafts, case.template];
            known.extend(writer.map(|writer| &writer.runs));
            let before = asides.iter().filter(|(from, _)| from.slot.sample == call.slot.sample && from.slot < call.slot);
            for (from, texts) in before {
                let runs: usize = texts.iter().map(|text| shared(text, &window.runs, &known)).sum();
                if runs >= LEAK_RUNS {
                    let what = format!(
                        "{runs} runs of five words from what the {} put out beside the draft stand in the critic's request",
                        from.slot
                    );
                    found.add(case, call, from.slot.role.name(), what);
                    break;
                }
            }
        }
    }
}

impl Rule for ContinuedConversation {
    fn page(&self) -> &'static Page {
        &Page {
            code: "RD104",
            name: "reflection-arm",
            severity: Severity::Note,
            what: "The critic continues the writer's conversation, as loop.toml says: this is a reflection arm, and no separated critic.",
            why: "Nothing is wrong with it. But its catch rates are those of a model that reviews its own turn, and a comparison should say so.",
            fix: "Nothing to fix. Compare it with an arm whose critic is fresh over the same drafts.",
            example: "critic.context = \"conversation\", and requests of the form system, user, assistant, user",
        }
    }

    fn case(&self, case: &Case<'_>, found: &mut Found) {
        if case.spec.critic.context == Context::Fresh {
            found.not_applicable = Some("the critic is fresh by design");
            return;
        }
        for call in critics(case, found) {
            if call.assistant().next().is_some() {
                found.add(case, call, "reflection", "the critic continues the writer's conversation".to_owned());
            }
        }
    }
}
