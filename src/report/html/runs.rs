//! Runs shown whole: each ticket with the passes of its arms side by side, drafts as word diffs, findings as marks and as a list.

use std::collections::BTreeMap;

use super::marks::{self, Mark};
use super::write::Page;
use super::{Arms, change_chip, critique, text, ticket_id};
use crate::compare::TicketChange;
use crate::detail::{Detail, DraftDetail, EditDetail, PassDetail};
use crate::model::{Guards, Rejection};
use crate::report::number::{grouped, usd};
use crate::report::shown;
use crate::report::{Report, WHOLE_MAX};

/// The runs of one ticket (one sample of it): one an arm, None where an arm has none to show.
struct Together<'a> {
    ticket: &'a str,
    sample: u32,
    runs: Vec<Option<&'a Detail>>,
    change: Option<&'a TicketChange>,
    kind: &'static str,
}

/// What got worse first, worst first; then what faulted, what got better, and the others in the order in which they come.
fn together<'a>(report: &Report<'a>) -> Vec<Together<'a>> {
    let mut places: BTreeMap<(&str, u32), usize> = BTreeMap::new();
    let mut all: Vec<Together<'a>> = vec![];
    for (arm, details) in report.details.iter().enumerate() {
        for run in &details.runs {
            let at = *places.entry((&run.ticket, run.sample)).or_insert_with(|| {
                let runs = vec![None; report.details.len()];
                all.push(Together { ticket: &run.ticket, sample: run.sample, runs, change: None, kind: "same" });
                all.len() - 1
            });
            all[at].runs[arm] = Some(run);
        }
    }
    let mut changes: BTreeMap<&str, (usize, &'static str, &TicketChange)> = BTreeMap::new();
    if let Some(comparison) = report.comparison {
        for (rank, change) in comparison.better.iter().enumerate() {
            changes.insert(&change.ticket, (rank, "better", change));
        }
        for (rank, change) in comparison.worse.iter().enumerate() {
            changes.insert(&change.ticket, (rank, "worse", change));
        }
    }
    for one in &mut all {
        if let Some((_, kind, change)) = changes.get(one.ticket) {
            (one.kind, one.change) = (kind, Some(*change));
        }
        if one.runs.iter().flatten().any(|run| run.fault.is_some()) {
            one.kind = "faulted";
        }
    }
    let rank = |one: &Together<'_>| {
        let group = ["worse", "faulted", "better", "same"].iter().position(|kind| *kind == one.kind);
        (group, changes.get(one.ticket).map_or(0, |(rank, ..)| *rank))
    };
    all.sort_by_key(rank);
    all
}

pub fn runs(page: &mut Page, report: &Report<'_>, arms: &Arms<'_>) {
    page.el("section", &[("id", "runs"), ("aria-labelledby", "runs-title")], |page| {
        page.put("h2", &[("id", "runs-title")], "Runs");
        let all = together(report);
        page.put("p", &[], &told(report, all.len()));
        page.put("p", &[("id", "not-shown"), ("class", "note"), ("role", "status"), ("hidden", "")], "");
        if !all.is_empty() {
            legend(page);
        }
        for one in &all {
            run(page, one, report, arms);
            page.line();
        }
    });
}

/// Which runs are here, out of how many.
fn told(report: &Report<'_>, tickets: usize) -> String {
    let runs: u64 = report.details.iter().map(|arm| arm.runs.len() as u64).sum();
    let of: u64 = report.details.iter().map(|arm| arm.of).sum();
    let which = match (runs, report.comparison.is_some()) {
        (0, _) => "None is shown here; --tickets notable or --tickets all shows them.",
        _ if runs >= of => "All are here.",
        _ if tickets >= WHOLE_MAX => "No page shows more tickets whole: the notable ones are here, and the first others.",
        (_, true) => "Shown are the notable ones: worse, better or faulted; --tickets all shows every one.",
        (_, false) => "Shown are the notable ones; --tickets all shows every one.",
    };
    format!("{} of {} runs, of {} tickets. {which}", grouped(runs), grouped(of), grouped(tickets as u64))
}

fn legend(page: &mut Page) {
    page.el("p", &[("class", "legend text")], |page| {
        page.put("del", &[], "deleted");
        page.text(" ");
        page.put("ins", &[], "inserted");
        page.text(" ");
        page.put("small", &[("class", "tag")], "outside");
        page.put("ins", &[("class", "out")], "changed in a section that the critique never mentioned");
        page.text(" ");
        page.el("mark", &[], |page| {
            page.put("sup", &[], "1");
            page.text("quoted by finding 1");
        });
    });
}

fn run(page: &mut Page, one: &Together<'_>, report: &Report<'_>, arms: &Arms<'_>) {
    let id = ticket_id(one.ticket, one.sample);
    page.el("details", &[("class", "run"), ("id", &id), ("data-kind", one.kind), ("data-t", one.ticket)], |page| {
        page.el("summary", &[], |page| {
            page.el("h3", &[], |page| {
                page.put("bdi", &[], one.ticket);
                if one.sample > 0 {
                    page.text(&format!(" sample {}", one.sample));
                }
            });
            if arms.names.len() > 1 || one.kind == "faulted" {
                change_chip(page, one.kind);
            }
            for (at, run) in one.runs.iter().enumerate() {
                let Some(run) = run else { continue };
                page.el("span", &[("class", "muted")], |page| {
                    if arms.names.len() > 1 {
                        arms.short(page, at);
                    }
                    page.text(&format!(" {} after pass {}", run.stop.name(), run.passes.len().saturating_sub(1)));
                });
            }
        });
        about(page, one, report);
        for (at, run) in one.runs.iter().enumerate() {
            if let Some(run) = run {
                failed(page, run, at, arms);
            }
        }
        passes(page, one, arms, &id);
    });
}

/// What was asked, what changed, and the commands that show the runs.
fn about(page: &mut Page, one: &Together<'_>, report: &Report<'_>) {
    if let Some(first) = one.runs.iter().flatten().next() {
        page.el("div", &[("class", "asked")], |page| {
            page.put("b", &[], "Asked");
            text(page, |page| page.text(&first.prompt));
            if !first.tags.is_empty() {
                page.put("p", &[("class", "muted")], &format!("Tags: {}", first.tags.join(", ")));
            }
        });
    }
    let (Some(change), Some(comparison)) = (one.change, report.comparison) else { return };
    page.el("ul", &[], |page| {
        for value in &change.changes {
            let [a, b] = shown::of_change(comparison, value);
            page.put("li", &[], &format!("{}: A {a}, B {b}", value.title));
        }
    });
    for command in [&change.show_baseline, &change.show_candidate].into_iter().flatten() {
        page.el("p", &[], |page| page.put("code", &[], command));
    }
}

fn failed(page: &mut Page, run: &Detail, arm: usize, arms: &Arms<'_>) {
    if run.fault.is_none() && run.unused.is_empty() {
        return;
    }
    page.el("p", &[("class", "note")], |page| {
        arms.name(page, arm);
        if let Some(fault) = &run.fault {
            page.text(&format!(" fault ({}) at {}: {} ", fault.kind.name(), fault.at, fault.what));
        }
        for slot in &run.unused {
            page.text(&format!(" {slot} was recorded but never asked for. "));
        }
    });
}

fn passes(page: &mut Page, one: &Together<'_>, arms: &Arms<'_>, id: &str) {
    let mut indexes: Vec<u32> = one.runs.iter().flatten().flat_map(|run| &run.passes).map(|pass| pass.pass).collect();
    indexes.sort_unstable();
    indexes.dedup();
    // What each arm's critic read: the last draft before.
    let mut before: Vec<&str> = vec![""; one.runs.len()];
    for index in indexes {
        page.el("section", &[("class", "pass"), ("id", &format!("{id}&p={index}")), ("tabindex", "-1")], |page| {
            page.put("h4", &[], &format!("Pass {index}"));
            page.el("div", &[("class", "arms")], |page| {
                for (at, run) in one.runs.iter().enumerate() {
                    page.el("div", &[], |page| {
                        let found = run.and_then(|run| run.passes.iter().find(|pass| pass.pass == index));
                        let class = if at == 0 { "first" } else { "second" };
                        page.el("h5", &[("class", class)], |page| {
                            page.text(&arms.label(at));
                            page.put("small", &[], &found.map_or(String::new(), spent));
                        });
                        match found {
                            Some(found) => {
                                pass(page, found, before[at]);
                                before[at] = found.draft.as_ref().map_or(before[at], |draft| &draft.text);
                            }
                            None => page.put("p", &[("class", "muted")], if run.is_some() { "no such pass" } else { "no run to show" }),
                        }
                    });
                }
            });
        });
    }
}

fn spent(pass: &PassDetail) -> String {
    let cost = pass.cost.map_or(String::new(), |cost| format!(", {}", usd(cost)));
    format!(" {} {}{cost}", pass.calls, if pass.calls == 1 { "call" } else { "calls" })
}

fn pass(page: &mut Page, pass: &PassDetail, before: &str) {
    let marks = pass.critique.as_ref().map_or(vec![], |critique| critique::marks(critique, &pass.edits));
    if let Some(critique) = &pass.critique {
        critique::critique(page, critique, &pass.edits, before);
    }
    if !pass.edits.is_empty() {
        page.el("ul", &[("class", "edits")], |page| pass.edits.iter().for_each(|edit| self::edit(page, edit)));
    }
    match &pass.draft {
        Some(draft) => self::draft(page, draft, pass, before, &marks),
        None if marks.iter().any(|mark| !mark.spans.is_empty()) => {
            page.put("p", &[], "No draft was made; the findings in the draft before:");
            text(page, |page| marks::plain(page, before, &marks));
        }
        None => page.put("p", &[("class", "muted")], "No draft was made."),
    }
}

fn edit(page: &mut Page, edit: &EditDetail) {
    page.el("li", &[], |page| {
        let given: Vec<String> = edit.findings.iter().map(|at| (at + 1).to_string()).collect();
        let of = if given.is_empty() { String::new() } else { format!(" of {}", given.join(", ")) };
        let status = edit.status.as_deref().map_or(String::new(), |status| format!(": {status}"));
        let nothing = if edit.changed { "" } else { ", changed nothing" };
        page.text(&format!("Revision{of}{status}{nothing}{}", guards(edit.guards)));
        if let Some(rejected) = &edit.rejected {
            page.el("details", &[], |page| {
                page.put("summary", &[], "The text that was rejected");
                text(page, |page| marks::diff(page, rejected, &[]));
            });
        }
    });
}

fn guards(guards: Guards) -> String {
    let said = |value: Option<bool>, good: &str, bad: &str| value.map_or(String::new(), |v| format!(", {}", if v { good } else { bad }));
    let rejected = match guards.rejected {
        Some(Rejection::Locality) => ", rejected: not local",
        Some(Rejection::Length) => ", rejected: too long",
        None => "",
    };
    said(guards.local, "local", "reached outside the scope") + &said(guards.within_cap, "within the cap", "over the cap") + rejected
}

fn draft(page: &mut Page, draft: &DraftDetail, pass: &PassDetail, before: &str, marks: &[Mark]) {
    let name = match (&draft.diff, draft.kept) {
        (Some(_), _) => format!("Draft {} as a word diff", pass.pass),
        (None, true) => format!("Draft {}: unchanged", pass.pass),
        (None, false) => format!("Draft {}", pass.pass),
    };
    page.put("p", &[("class", "sub")], &name);
    if let Some(flaw) = &draft.non_draft {
        page.put("p", &[("class", "note")], &format!("Not a draft: {flaw}."));
    }
    match &draft.diff {
        Some(diff) => text(page, |page| marks::diff(page, diff, marks)),
        // A text that stayed is told again only to show where the findings are.
        None if draft.kept && marks.iter().all(|mark| mark.spans.is_empty()) => {}
        None if draft.kept => text(page, |page| marks::plain(page, before, marks)),
        None => text(page, |page| page.text(&draft.text)),
    }
    let outside = draft.untouched_sections_edited;
    if outside > 0 {
        let sections = if outside == 1 { "section" } else { "sections" };
        page.put("p", &[("class", "bad")], &format!("\u{25bc} Changed {outside} {sections} that the critique never mentioned."));
    }
    for check in &draft.broke {
        page.el("p", &[("class", "bad")], |page| {
            page.put("b", &[], "\u{2717} Broke ");
            page.text(check);
        });
    }
    for check in &draft.mended {
        page.el("p", &[("class", "good")], |page| {
            page.put("b", &[], "\u{2713} Mended ");
            page.text(check);
        });
    }
}
