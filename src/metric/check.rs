//! Errors by exact checks: what held and what broke, where it broke, and flips of whole drafts between right and wrong.

use super::{Better, Carry, Cell, Column, Draft, Figure, How, Kind, Metric, Step, View, nulls, section};
use crate::model::{Check, CheckRule};
use crate::text::check::holds;

pub struct Checks;

const COLUMNS: &[Column] = &[
    Column::new("checks", Kind::Int, Carry::Last, "required checks of the ticket; null without a draft or for a non-draft"),
    Column::new("checks_held", Kind::Int, Carry::Last, "of these, checks that hold in draft k"),
    Column::new("niceties", Kind::Int, Carry::Last, "checks that are not required: reported, never an error"),
    Column::new("niceties_held", Kind::Int, Carry::Last, "of these, checks that hold in draft k"),
    Column::new("correct", Kind::Flag, Carry::Last, "every required check holds in draft k; null where the ticket has none"),
    Column::new(
        "run_new_error",
        Kind::Flag,
        Carry::Last,
        "some revision of the run so far broke a required check; false from draft 0 on; null without checks, a draft, or for a non-draft",
    ),
    Column::new(
        "new_errors",
        Kind::Int,
        Carry::Sum,
        "required checks that held in draft k-1 and fail in draft k; null without a revision, beside a non-draft, or without checks",
    ),
    Column::new("new_error", Kind::Flag, Carry::Any, "there is such a check"),
    Column::new(
        "new_errors_untouched",
        Kind::Int,
        Carry::Sum,
        "of the new errors, those in sections that the critique never mentioned: where the check held before (absent: where it fails now)",
    ),
    Column::new(
        "new_errors_placeless",
        Kind::Int,
        Carry::Sum,
        "of the new errors, those of no section: word and length limits, JSON, evidence that no single section holds",
    ),
    Column::new("fixed", Kind::Int, Carry::Sum, "required checks that failed in draft k-1 and hold in draft k"),
    Column::new("to_incorrect", Kind::Flag, Carry::Any, "draft k-1 was correct and draft k is not"),
    Column::new("to_correct", Kind::Flag, Carry::Any, "draft k-1 was not correct and draft k is"),
    Column::new(
        "correct_to_incorrect",
        Kind::Flag,
        Carry::No,
        "the same as to_incorrect, of those that could flip: null where draft k-1 was not correct",
    ),
    Column::new(
        "incorrect_to_correct",
        Kind::Flag,
        Carry::No,
        "the same as to_correct, of those that could flip: null where draft k-1 was correct",
    ),
];

const FIGURES: &[Figure] = &[
    Figure::new("correct", "Drafts in which every check holds", "share", How::Share("correct"), Some(Better::Higher)).headline(),
    Figure::new("checks_held", "Checks that hold", "share", How::Ratio("checks_held", "checks"), Some(Better::Higher)),
    Figure::new("new_error", "Revisions that broke a check", "share", How::Share("new_error"), Some(Better::Lower)).headline(),
    Figure::new("run_new_error", "Runs that have broken a check so far", "share", How::Share("run_new_error"), Some(Better::Lower))
        .headline(),
    Figure::new("new_errors", "Checks broken", "errors", How::Mean("new_errors"), Some(Better::Lower)),
    Figure::new(
        "new_errors_untouched",
        "Checks broken in sections nobody mentioned, of those broken",
        "share",
        How::Ratio("new_errors_untouched", "new_errors"),
        Some(Better::Lower),
    ),
    Figure::new("fixed", "Checks mended", "checks", How::Mean("fixed"), Some(Better::Higher)),
    Figure::new("to_incorrect", "Correct drafts made incorrect, of all", "share", How::Share("to_incorrect"), Some(Better::Lower)),
    Figure::new("to_correct", "Incorrect drafts made correct, of all", "share", How::Share("to_correct"), Some(Better::Higher)),
    Figure::new(
        "correct_to_incorrect",
        "Correct drafts made incorrect, of the correct",
        "share",
        How::Share("correct_to_incorrect"),
        Some(Better::Lower),
    ),
    Figure::new(
        "incorrect_to_correct",
        "Incorrect drafts made correct, of the incorrect",
        "share",
        How::Share("incorrect_to_correct"),
        Some(Better::Higher),
    ),
];

impl Metric for Checks {
    fn columns(&self) -> &'static [Column] {
        COLUMNS
    }

    fn figures(&self) -> &'static [Figure] {
        FIGURES
    }

    fn measure(&self, view: &View<'_>, row: &mut Vec<Cell>) {
        let Some(draft) = view.draft().filter(|draft| !draft.flaw.any()) else { return nulls(COLUMNS, row) };
        let checks = &view.ticket().checks;
        let held = draft.held(view.ticket());
        let count = |required: bool| checks.iter().filter(|check| check.required == required).count();
        let count_held = |required: bool| checks.iter().zip(held).filter(|(check, held)| check.required == required && **held).count();
        let required = count(true);
        row.extend([required, count_held(true), count(false), count_held(false)].map(Cell::from));
        row.push((required > 0).then(|| count_held(true) == required).into());
        row.push((required > 0).then(|| view.views().iter().take(view.at() + 1).any(|earlier| breaks(&earlier))).into());
        match view.revision().filter(|_| required > 0) {
            Some((before, after)) => compare(view, before, after, row),
            None => nulls(&COLUMNS[6..], row),
        }
    }
}

/// True where the pass's revision broke a required check.
fn breaks(view: &View<'_>) -> bool {
    let Some((before, after)) = view.revision() else { return false };
    let ticket = view.ticket();
    let held = before.held(ticket).iter().zip(after.held(ticket));
    ticket.checks.iter().zip(held).any(|(check, (held, holds))| check.required && *held && !holds)
}

fn compare(view: &View<'_>, before: &Draft<'_>, after: &Draft<'_>, row: &mut Vec<Cell>) {
    let ticket = view.ticket();
    let (old, new) = (before.held(ticket), after.held(ticket));
    let (mut broken, mut untouched, mut placeless, mut fixed) = (0usize, 0usize, 0usize, 0usize);
    let (mut was_correct, mut is_correct) = (true, true);
    for (check, (held, holds)) in ticket.checks.iter().zip(old.iter().zip(new)).filter(|(check, _)| check.required) {
        was_correct &= *held;
        is_correct &= *holds;
        fixed += usize::from(!held && *holds);
        if *held && !holds {
            broken += 1;
            match view.step().and_then(|step| mentioned(check, before, after, step, view.mentioned())) {
                Some(mentioned) => untouched += usize::from(!mentioned),
                None => placeless += 1,
            }
        }
    }
    row.extend([broken.into(), (broken > 0).into(), untouched.into(), placeless.into(), fixed.into()]);
    row.extend([was_correct && !is_correct, !was_correct && is_correct].map(Cell::Flag));
    row.extend([was_correct.then_some(!is_correct), (!was_correct).then_some(is_correct)].map(Cell::from));
}

/// Whether the critique mentioned a section that a broken check can be pinned to; None where it can be pinned to none.
///
/// A check that asks for something is pinned to the sections of the incoming draft in which it holds alone. One that forbids something is
/// pinned to the sections of draft k in which it fails alone, by their partners before; a section without a partner counts as mentioned
/// where it borders a mentioned one. One mention is enough: so the count of untouched ones can only understate.
fn mentioned(check: &Check, before: &Draft<'_>, after: &Draft<'_>, step: &Step, mentioned: &[bool]) -> Option<bool> {
    let said = |index: usize| mentioned.get(index).copied().unwrap_or(false);
    let places: Vec<bool> = match &check.rule {
        CheckRule::MaxWords(_) | CheckRule::MinWords(_) | CheckRule::MaxChars(_) | CheckRule::MinChars(_) => vec![],
        CheckRule::JsonSchema(_) => vec![],
        CheckRule::Absent(_) => {
            let fails = (0..after.texts.len()).filter(|index| !holds(&check.rule, after.texts[*index]));
            let partner = |index: usize| step.alignment.before_of.get(index).copied().flatten();
            fails.map(|index| partner(index).map_or_else(|| section::borders_mentioned(&step.alignment, mentioned, index), said)).collect()
        }
        rule => (0..before.texts.len()).filter(|index| holds(rule, before.texts[*index])).map(said).collect(),
    };
    (!places.is_empty()).then(|| places.contains(&true))
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::super::{Settings, measure};
    use super::*;

    fn check(id: &str, rule: CheckRule, required: bool) -> Check {
        Check { id: id.into(), rule, required, class: None }
    }

    fn checked(run: &crate::model::Run) -> Rows {
        let contains = |text: &str| CheckRule::Contains(text.into());
        let mut ticket = ticket();
        ticket.checks = vec![
            check("fee", contains("$15"), true),
            check("name", contains("Sam"), true),
            check("promise", CheckRule::Absent("guarantee".into()), true),
            check("short", CheckRule::MaxWords(12), true),
            check("thanks", contains("Thank"), false),
        ];
        Rows(measure(&ticket, run, &Settings::default()))
    }

    #[test]
    fn a_run_that_broke_a_check_once_stays_one_that_did() {
        let (good, bad) = (DRAFT, "Dear Sam and all.\n\nThe fee is $16 by card.\n\nBye now.\n");
        for (drafts, want) in [
            ([good, good, good], [false, false, false]),
            ([good, bad, good], [false, true, true]),
            ([bad, good, bad], [false, false, true]),
        ] {
            let mut run = run_of(&drafts);
            critique(&mut run, 1, &[("vague", "The fee")]);
            critique(&mut run, 2, &[("vague", "The fee")]);
            let rows = checked(&run);
            assert_eq!([0, 1, 2].map(|pass| rows.flag(pass, "run_new_error")), want.map(Some), "{drafts:?}");
        }
    }

    const DRAFT: &str = "Dear Sam and all.\n\nThe fee is $15 by card.\n\nBye now.\n";

    #[test]
    fn a_new_error_is_pinned_to_the_section_where_the_check_held() {
        let names = ["new_errors", "new_errors_untouched", "new_errors_placeless", "fixed"];
        let cases = [
            ("Dear Sam and all.\n\nThe fee is $15 by cash.\n\nBye now.\n", [0, 0, 0, 0]),
            ("Dear Sam and all.\n\nThe fee is $51 by card.\n\nBye now.\n", [1, 0, 0, 0]),
            ("Dear Pam and all.\n\nThe fee is $15 by card.\n\nBye now.\n", [1, 1, 0, 0]),
            ("Dear Sam and all.\n\nThe fee is $15 by card.\n\nBye now, we guarantee.\n", [2, 1, 1, 0]),
            ("Dear Sam and all.\n\nThe fee is $15 by card, we guarantee.\n\nBye now.\n", [2, 0, 1, 0]),
            ("Dear Sam and all.\n\nThe fee is $15 by card.\n\nWe guarantee.\n\nBye now.\n", [2, 0, 1, 0]),
            ("Dear Sam and all, one two three.\n\nThe fee is $15 by card.\n\nBye now.\n", [1, 0, 1, 0]),
        ];
        for (after, want) in cases {
            let mut run = run_of(&[DRAFT, after]);
            critique(&mut run, 1, &[("figure", "fee is $15")]);
            let rows = checked(&run);
            assert_eq!(names.map(|name| rows.int(1, name)), want.map(Some), "{after}");
            assert_eq!(rows.flag(1, "new_error"), Some(want[0] > 0));
            assert_eq!(rows.flag(1, "correct_to_incorrect"), Some(want[0] > 0), "{after}");
            assert_eq!(rows.flag(1, "incorrect_to_correct"), None);
        }
    }

    #[test]
    fn flips_are_counted_both_ways_and_over_those_that_could_flip() {
        let broken = "Dear Sam and all.\n\nThe fee is $16 by card.\n\nBye now.\n";
        let mut run = run_of(&[broken, DRAFT, broken]);
        critique(&mut run, 1, &[("figure", "$16")]);
        critique(&mut run, 2, &[("figure", "$15")]);
        let rows = checked(&run);
        let flags = ["correct", "to_correct", "to_incorrect", "incorrect_to_correct", "correct_to_incorrect"];
        assert_eq!(flags.map(|name| rows.flag(0, name)), [Some(false), None, None, None, None]);
        assert_eq!(flags.map(|name| rows.flag(1, name)), [Some(true), Some(true), Some(false), Some(true), None]);
        assert_eq!(flags.map(|name| rows.flag(2, name)), [Some(false), Some(false), Some(true), None, Some(true)]);
        assert_eq!(
            ["checks", "checks_held", "niceties", "niceties_held", "fixed"].map(|name| rows.int(1, name)),
            [4, 4, 1, 0, 1].map(Some)
        );
    }

    #[test]
    fn a_ticket_without_checks_is_neither_right_nor_wrong() {
        let mut run = run_of(&[DRAFT, DRAFT]);
        critique(&mut run, 1, &[("figure", "$15")]);
        let rows = rows(&run);
        assert_eq!([rows.flag(1, "correct"), rows.flag(1, "new_error"), rows.flag(1, "to_correct")], [None; 3]);
        assert_eq!([rows.int(1, "checks"), rows.int(1, "new_errors")], [Some(0), None]);
    }
}
