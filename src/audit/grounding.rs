//! Grounding parity: does everything that the writer was given reach the critic, with its identifier.

use super::case::{Call, Case};
use super::fresh::critics;
use super::shingle::{Request, Runs, Words, passed_on};
use super::{Found, Page, Rule, Severity};
use crate::api::Asked;

pub struct PromptMissing;
pub struct SourceMissing;
pub struct SourceTruncated;
pub struct SourceIdMissing;

/// Below this share of its runs a source is missing rather than cut: two texts of one desk share a phrase.
const MISSING_PERCENT: usize = 20;

/// Critic calls with the writer's request and their own.
fn pairs<'c>(case: &'c Case<'_>, found: &mut Found) -> Vec<(&'c Call, &'c Call)> {
    let mut out = vec![];
    for call in critics(case, found) {
        let writer = case.writer(call.slot.sample).filter(|writer| writer.window.is_some());
        let missing = "the writer's request was not recorded, so nobody knows what it was given";
        match writer {
            None => unjudged(found, missing),
            Some(writer) => match call.opaque() {
                Some(kind) => unjudged(found, &format!("the critic's request holds parts that are no text ({kind})")),
                None => out.push((call, writer)),
            },
        }
    }
    out
}

fn unjudged(found: &mut Found, why: &str) {
    found.judged -= 1;
    found.cannot(why);
}

enum Reach {
    /// The writer did not have it.
    NotGiven,
    Whole,
    /// Runs that reach the critic, of those that the writer had.
    Part(usize, usize),
    Missing,
}

/// A draft repeats what it rests on: what it says too does not show that the source is there.
fn reach(case: &Case<'_>, text: &Words, call: &Call, writer: &Call) -> Reach {
    let (Some(first), Some(second)) = (&writer.window, &call.window) else { return Reach::NotGiven };
    let (_, given) = passed_on(text, first, second, &Runs::default());
    // A few shared phrases do not make the text one that the writer was given.
    if given * 2 < text.len().saturating_sub(4).max(1) {
        return Reach::NotGiven;
    }
    let (both, had) = passed_on(text, first, second, &Runs::of(case.drafts(call.slot)));
    match (both, had) {
        (both, had) if both == had => Reach::Whole,
        (both, had) if both * 100 < had * MISSING_PERCENT => Reach::Missing,
        (both, had) => Reach::Part(both, had),
    }
}

impl Rule for PromptMissing {
    fn page(&self) -> &'static Page {
        &Page {
            code: "RD201",
            name: "prompt-missing",
            severity: Severity::Error,
            what: "The ticket's prompt, which the writer was given, does not reach the critic whole.",
            why: "A critic that does not know the question cannot see what the answer leaves out.",
            fix: "Render the ticket in the critic's prompt as in the writer's; a shared part (`[parts]`) keeps the two alike.",
            example: "the writer is asked about two charges, and the critic is shown the draft alone",
        }
    }

    fn case(&self, case: &Case<'_>, found: &mut Found) {
        let prompt = Words::of(&case.ticket.prompt);
        for (call, writer) in pairs(case, found) {
            match reach(case, &prompt, call, writer) {
                Reach::NotGiven | Reach::Whole => {}
                Reach::Missing => found.add(case, call, "missing", "the ticket's prompt does not reach the critic".into()),
                Reach::Part(both, had) => {
                    found.add(case, call, "cut", format!("{} of the ticket's prompt reach the critic", share(both, had)));
                }
            }
        }
    }
}

fn share(both: usize, had: usize) -> String {
    format!("{both} of {had} runs of five words ({}%)", both * 100 / had.max(1))
}

/// The sources with their words: read once a ticket.
fn sources<'t>(case: &'t Case<'_>) -> Vec<(&'t str, Words)> {
    case.ticket.sources.iter().map(|source| (source.id.as_str(), Words::of(&source.text))).collect()
}

impl Rule for SourceMissing {
    fn page(&self) -> &'static Page {
        &Page {
            code: "RD202",
            name: "source-missing",
            severity: Severity::Error,
            what: "A source that the writer was given does not reach the critic (less than a fifth of its runs of five words do).",
            why: "What rests on that source looks unsupported to the critic, and what contradicts it looks fine. Both count against the wrong part of the loop.",
            fix: "Render every source in the critic's prompt as in the writer's.",
            example: "the writer has `policy-fees` and `account-record`; the critic has `policy-fees`",
        }
    }

    fn case(&self, case: &Case<'_>, found: &mut Found) {
        let sources = sources(case);
        for (call, writer) in pairs(case, found) {
            for (id, words) in &sources {
                if let Reach::Missing = reach(case, words, call, writer) {
                    found.add(case, call, *id, format!("source `{id}` ({} words) does not reach the critic", words.len()));
                }
            }
        }
    }
}

impl Rule for SourceTruncated {
    fn page(&self) -> &'static Page {
        &Page {
            code: "RD203",
            name: "source-truncated",
            severity: Severity::Error,
            what: "A source reaches the critic cut or altered: some of the words that the writer was given are not in the critic's request.",
            why: "The critic checks the draft against another text than it was written from.",
            fix: "Pass the source as it is. Where the window is too small for it, cut it for the writer in the same place.",
            example: "`{{ source.text | truncate(200) }}` in the critic's prompt alone",
        }
    }

    fn case(&self, case: &Case<'_>, found: &mut Found) {
        let sources = sources(case);
        for (call, writer) in pairs(case, found) {
            for (id, words) in &sources {
                if let Reach::Part(both, had) = reach(case, words, call, writer) {
                    found.add(case, call, *id, format!("of source `{id}`, {} reach the critic", share(both, had)));
                }
            }
        }
    }
}

impl Rule for SourceIdMissing {
    fn page(&self) -> &'static Page {
        &Page {
            code: "RD204",
            name: "source-id-missing",
            severity: Severity::Error,
            what: "A source's text reaches the critic, but not the identifier that the writer saw with it.",
            why: "A finding that cannot name its source cannot be checked against it, and two sources that disagree cannot be told apart.",
            fix: "Write the identifier beside the text, such as `<source id=\"policy-fees\">`, for both.",
            example: "sources joined with blank lines in the critic's prompt, and in tags with an id in the writer's",
        }
    }

    fn case(&self, case: &Case<'_>, found: &mut Found) {
        let sources = sources(case);
        for (call, writer) in pairs(case, found) {
            let (Ok(first), Ok(second)) = (&writer.asked, &call.asked) else { continue };
            for (id, words) in &sources {
                let there = matches!(reach(case, words, call, writer), Reach::Whole | Reach::Part(..));
                if there && names(first, id) && !names(second, id) {
                    found.add(case, call, *id, format!("source `{id}` reaches the critic without its identifier"));
                }
            }
        }
    }
}

/// True where the identifier stands in a request, as no part of a longer word.
fn names(asked: &Asked, id: &str) -> bool {
    let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    !id.is_empty()
        && asked.turns.iter().any(|turn| {
            let text = &turn.text;
            text.match_indices(id).any(|(at, _)| edge(text[..at].chars().next_back()) && edge(text[at + id.len()..].chars().next()))
        })
}

/// A hash of the sources that reach the writer, for the comparison of arms.
pub(super) fn writers_sources(case: &Case<'_>, writer: &Call) -> u64 {
    let Some(window) = &writer.window else { return 0 };
    let mut hash = 0u64;
    for (id, words) in sources(case) {
        let whole = Request::of(&case.ticket.sources.iter().find(|s| s.id == id).map(|s| s.text.clone()).unwrap_or_default());
        let (both, had) = passed_on(&words, &whole, window, &Runs::default());
        if had > 0 && both == had {
            let of_id = Words::of(id);
            for word in of_id.hashes.iter().chain(&words.hashes) {
                hash = (hash.rotate_left(7) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            }
        }
    }
    hash
}
