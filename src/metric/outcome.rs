//! How a run comes out by its checks: flips since draft 0, approvals of drafts that fail, and mended checks that fail again.

use super::{Better, Carry, Cell, Column, Draft, Figure, How, Kind, Metric, View};

pub struct Outcome;

const COLUMNS: &[Column] = &[
    Column::new(
        "run_to_incorrect",
        Kind::Flag,
        Carry::Last,
        "draft 0 was correct and draft k is not; null where `correct` is null for either of the two",
    ),
    Column::new("run_to_correct", Kind::Flag, Carry::Last, "draft 0 was not correct and draft k is"),
    Column::new(
        "run_correct_to_incorrect",
        Kind::Flag,
        Carry::Last,
        "the same as run_to_incorrect, of those that could flip: null where draft 0 was not correct",
    ),
    Column::new(
        "run_incorrect_to_correct",
        Kind::Flag,
        Carry::Last,
        "the same as run_to_correct, of those that could flip: null where draft 0 was correct",
    ),
    Column::new(
        "false_approval",
        Kind::Flag,
        Carry::Any,
        "the critic approved draft k-1 though a required check fails in it; null without an approval, without checks, or for a non-draft",
    ),
    Column::new(
        "approved_incorrect",
        Kind::Flag,
        Carry::Any,
        "the critic approved, of the drafts in which a required check fails: null for others, and where the critique could not be read",
    ),
    Column::new("approved_non_draft", Kind::Flag, Carry::Any, "the critic approved a non-draft; null without an approval"),
    Column::new(
        "fixes_standing",
        Kind::Int,
        Carry::Sum,
        "required checks that an earlier revision mended and that hold in draft k-1: they can come back; null where new_errors is",
    ),
    Column::new("fixes_leaked", Kind::Int, Carry::Sum, "of these, checks that fail in draft k: the defect is back"),
];

const FIGURES: &[Figure] = &[
    Figure::new(
        "run_to_incorrect",
        "Runs made incorrect since draft 0, of all",
        "share",
        How::Share("run_to_incorrect"),
        Some(Better::Lower),
    ),
    Figure::new("run_to_correct", "Runs made correct since draft 0, of all", "share", How::Share("run_to_correct"), Some(Better::Higher)),
    Figure::new(
        "run_correct_to_incorrect",
        "Runs made incorrect since draft 0, of those that began correct",
        "share",
        How::Share("run_correct_to_incorrect"),
        Some(Better::Lower),
    ),
    Figure::new(
        "run_incorrect_to_correct",
        "Runs made correct since draft 0, of those that began incorrect",
        "share",
        How::Share("run_incorrect_to_correct"),
        Some(Better::Higher),
    ),
    Figure::new("false_approval", "Approvals of a draft that fails a check", "share", How::Share("false_approval"), Some(Better::Lower)),
    Figure::new(
        "approved_incorrect",
        "Drafts that fail a check and were approved, of those read",
        "share",
        How::Share("approved_incorrect"),
        Some(Better::Lower),
    ),
    Figure::new(
        "fixes_leaked",
        "Mended checks that fail again, of those that held",
        "share",
        How::Ratio("fixes_leaked", "fixes_standing"),
        Some(Better::Lower),
    ),
];

impl Metric for Outcome {
    fn columns(&self) -> &'static [Column] {
        COLUMNS
    }

    fn figures(&self) -> &'static [Figure] {
        FIGURES
    }

    fn measure(&self, view: &View<'_>, row: &mut Vec<Cell>) {
        let correct = |draft: Option<&Draft<'_>>| correct(view, draft?);
        let flip = correct(view.original()).zip(correct(view.draft()));
        row.push(flip.map(|(was, is)| was && !is).into());
        row.push(flip.map(|(was, is)| !was && is).into());
        row.push(flip.and_then(|(was, is)| was.then_some(!is)).into());
        row.push(flip.and_then(|(was, is)| (!was).then_some(is)).into());
        let approves = view.critique().filter(|critique| critique.is_readable()).map(|critique| critique.approves());
        let approved = (approves == Some(true)).then_some(());
        row.push(approved.and_then(|()| correct(view.incoming())).map(|correct| !correct).into());
        row.push(approves.filter(|_| correct(view.incoming()) == Some(false)).into());
        row.push(approved.and(view.incoming()).map(|draft| draft.flaw.any()).into());
        let (standing, leaked) = leaks(view).unzip();
        row.extend([standing, leaked].map(Cell::from));
    }
}

/// Whether every required check holds in a draft; None where there is none, or the draft is none.
fn correct(view: &View<'_>, draft: &Draft<'_>) -> Option<bool> {
    let checks = &view.ticket().checks;
    if draft.flaw.any() || !checks.iter().any(|check| check.required) {
        return None;
    }
    Some(checks.iter().zip(draft.held(view.ticket())).all(|(check, held)| *held || !check.required))
}

/// Required checks that an earlier revision mended and that held until now; and of these, those that this revision broke. A revision beside a
/// non-draft mends nothing and breaks nothing.
fn leaks(view: &View<'_>) -> Option<(usize, usize)> {
    let ticket = view.ticket();
    let (before, after) = view.revision().filter(|_| ticket.checks.iter().any(|check| check.required))?;
    let mut mended = vec![false; ticket.checks.len()];
    for (old, new) in view.views().iter().take(view.at()).filter_map(|earlier| earlier.revision()) {
        let held = old.held(ticket).iter().zip(new.held(ticket));
        mended.iter_mut().zip(held).for_each(|(mended, (held, holds))| *mended |= !held && *holds);
    }
    let held = before.held(ticket).iter().zip(after.held(ticket));
    let standing = ticket.checks.iter().zip(mended).zip(held).filter(|((check, mended), (held, _))| check.required && *mended && **held);
    Some(standing.fold((0, 0), |(standing, leaked), (_, (_, holds))| (standing + 1, leaked + usize::from(!holds))))
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::super::{Settings, measure};
    use crate::model::{Check, CheckRule, Run, StopReason};

    fn checked(run: &Run) -> Rows {
        let check = |text: &str, required| Check { id: text.into(), rule: CheckRule::Contains(text.into()), required, class: None };
        let mut ticket = ticket();
        ticket.checks = vec![check("$15", true), check("Sam", true), check("Thank", false)];
        Rows(measure(&ticket, run, &Settings::default()))
    }

    /// "1" holds the fee, "s" the name: a draft is named by the checks that hold in it.
    fn drafts(held: &[&str]) -> Vec<String> {
        let word = |held: &str, key: char, good: &str, bad: &str| if held.contains(key) { good.to_owned() } else { bad.to_owned() };
        let draft = |held: &&str| {
            format!(
                "Dear {}, here is what you asked us for.\n\nThe fee is {} by card.\n",
                word(held, 's', "Sam", "Pam"),
                word(held, '1', "$15", "$16")
            )
        };
        held.iter().map(draft).collect()
    }

    fn revised(held: &[&str]) -> Run {
        let drafts = drafts(held);
        let mut run = run_of(&drafts.iter().map(String::as_str).collect::<Vec<_>>());
        (1..held.len()).for_each(|pass| critique(&mut run, pass, &[("figure", "The fee")]));
        run
    }

    #[test]
    fn flips_of_a_run_are_against_draft_0() {
        let names = ["run_to_incorrect", "run_to_correct", "run_correct_to_incorrect", "run_incorrect_to_correct"];
        let (yes, no) = (Some(true), Some(false));
        let (still_right, made_wrong) = ([no, no, no, None], [yes, no, yes, None]);
        let (still_wrong, made_right) = ([no, no, None, no], [no, yes, None, yes]);
        for (held, want) in [
            (["1s", "s", "1s"], [still_right, made_wrong, still_right]),
            (["s", "1s", "1"], [still_wrong, made_right, still_wrong]),
            (["", "1", "1s"], [still_wrong, still_wrong, made_right]),
        ] {
            let rows = checked(&revised(&held));
            assert_eq!([0, 1, 2].map(|pass| names.map(|name| rows.flag(pass, name))), want, "{held:?}");
        }
        let mut run = revised(&["1s", "s"]);
        run.passes[0].draft_stop = Some(StopReason::Length);
        assert_eq!([0, 1].map(|pass| checked(&run).flag(pass, "run_to_incorrect")), [None, None], "draft 0 is none");
        assert_eq!(rows(&revised(&["1s", "s"])).flag(1, "run_to_incorrect"), None, "a ticket without checks");
    }

    #[test]
    fn an_approval_is_held_against_the_draft_that_was_read() {
        let names = ["false_approval", "approved_incorrect", "approved_non_draft"];
        let (yes, no) = (Some(true), Some(false));
        for (held, approves, want) in
            [("1s", true, [no, None, no]), ("1", true, [yes, yes, no]), ("1", false, [None, no, None]), ("1s", false, [None, None, None])]
        {
            let mut run = revised(&["", held]);
            closing(&mut run, if approves { &[] } else { &[("figure", "The fee")] });
            assert_eq!(names.map(|name| checked(&run).flag(2, name)), want, "{held} {approves}");
        }
        let mut run = revised(&["", "1"]);
        run.passes[1].draft_stop = Some(StopReason::Length);
        closing(&mut run, &[]);
        assert_eq!(names.map(|name| checked(&run).flag(2, name)), [None, None, yes], "a cut draft");
        assert_eq!(names.map(|name| checked(&run).flag(1, name)), [None, no, None]);
    }

    #[test]
    fn a_mended_check_that_fails_again_is_a_leak_and_one_that_never_failed_is_not() {
        let counts = |rows: &Rows, pass| [rows.int(pass, "fixes_standing"), rows.int(pass, "fixes_leaked")];
        for (held, want) in [
            // The name is broken, never having been mended; the fee is mended, broken, mended, broken.
            (["s", "1s", "", "1", ""], [[0, 0], [1, 1], [0, 0], [1, 1]]),
            // Mended in one pass, back two passes later.
            (["s", "1s", "1s", "1s", "s"], [[0, 0], [1, 0], [1, 0], [1, 1]]),
            (["", "1s", "s", "s", "1"], [[0, 0], [2, 1], [1, 0], [1, 1]]),
        ] {
            let rows = checked(&revised(&held));
            assert_eq!([1, 2, 3, 4].map(|pass| counts(&rows, pass)), want.map(|counts| counts.map(Some)), "{held:?}");
            assert_eq!(counts(&rows, 0), [None, None]);
        }
        let mut run = revised(&["s", "1s", "s"]);
        run.passes[1].draft_stop = Some(StopReason::Length);
        assert_eq!([1, 2].map(|pass| counts(&checked(&run), pass)), [[None; 2]; 2], "beside a non-draft");
    }
}
