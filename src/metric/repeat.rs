//! A loop that goes round: drafts that come back, and a critic that says the same again. And how much of what it says blocks.

use super::nondraft::Words;
use super::{Better, Carry, Cell, Column, Figure, How, Kind, Metric, View, critique};
use crate::model::{CritiqueStatus, Pass, Run};

pub struct Repeat;

/// Critiques whose words agree by this much say the same, in millionths of Dice similarity.
const NEAR: usize = 900_000;

const COLUMNS: &[Column] = &[
    Column::new("cycle_length", Kind::Int, Carry::No, "passes since the draft that this one goes back to; null where `revisit` is"),
    Column::new(
        "critique_repeated",
        Kind::Flag,
        Carry::Any,
        "the critique says what the one before it said: their words agree by 0.9 (Dice) or more; null unless both could be read and asked for something",
    ),
    Column::new(
        "critique_repeated_changed",
        Kind::Flag,
        Carry::Any,
        "the same, where the draft that was read is another: null where it is the one that was read before",
    ),
    Column::new(
        "critique_repeated_unchanged",
        Kind::Flag,
        Carry::Any,
        "the same, where the draft that was read is the one that was read before: null where it is another",
    ),
    Column::new(
        "blocking",
        Kind::Int,
        Carry::Sum,
        "located findings of the worst declared severity; null without a list of findings or without declared severities",
    ),
];

const FIGURES: &[Figure] = &[
    Figure::new(
        "critique_repeated_changed",
        "Critiques that repeat the last one though the draft changed",
        "share",
        How::Share("critique_repeated_changed"),
        Some(Better::Lower),
    ),
    Figure::new(
        "critique_repeated_unchanged",
        "Critiques that repeat the last one, of an unchanged draft",
        "share",
        How::Share("critique_repeated_unchanged"),
        None,
    ),
];

impl Metric for Repeat {
    fn columns(&self) -> &'static [Column] {
        COLUMNS
    }

    fn figures(&self) -> &'static [Figure] {
        FIGURES
    }

    fn measure(&self, view: &View<'_>, row: &mut Vec<Cell>) {
        row.push(super::change::revisit_of(view).map(|pass| view.pass().index - pass).into());
        let repeated = repeated(view);
        row.push(repeated.into());
        let before = view.at().checked_sub(1).and_then(|at| view.views().passes.get(at));
        let changed = before.map(|before| before.incoming != view.facts().incoming);
        row.push(repeated.filter(|_| changed == Some(true)).into());
        row.push(repeated.filter(|_| changed == Some(false)).into());
        row.push(blocking(view).into());
    }
}

/// Words of each critique that could be read and asked for something, one entry a pass.
pub(super) fn words(run: &Run) -> Vec<Option<Words>> {
    let asks = |pass: &Pass| {
        let critique = pass.critique.as_ref().filter(|critique| critique.status == CritiqueStatus::Ok && !critique.approves())?;
        Some(Words::new(&critique.text))
    };
    run.passes.iter().map(asks).collect()
}

fn repeated(view: &View<'_>) -> Option<bool> {
    let words = view.views().critique_words();
    let (before, now) = (words.get(view.at().checked_sub(1)?)?.as_ref()?, words.get(view.at())?.as_ref()?);
    Some(now.dice(before) >= NEAR)
}

fn blocking(view: &View<'_>) -> Option<usize> {
    let findings = view.critique().and_then(critique::findings)?;
    let ranked = findings.is_empty() || findings.iter().any(|finding| finding.rank.is_some());
    ranked.then(|| findings.iter().filter(|finding| finding.anchor.is_some() && finding.rank == Some(0)).count())
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::model::ParseReason;

    fn said(run: &mut Run, at: usize, text: &str) {
        run.passes[at].critique.as_mut().unwrap().text = text.into();
    }

    #[test]
    fn a_cycle_has_a_length_and_standing_still_is_none() {
        let mut run = run_of(&["A b c.\n", "A b d.\n", "A b c.\n", "A b c.\n", "A b d.\n"]);
        (1..5).for_each(|pass| critique(&mut run, pass, &[("tone", "A b")]));
        let rows = rows(&run);
        assert_eq!([0, 1, 2, 3, 4].map(|pass| rows.int(pass, "cycle_length")), [None, None, Some(2), None, Some(3)]);
    }

    #[test]
    fn a_critic_repeats_itself_where_nine_words_in_ten_are_the_same() {
        let ten = "The second paragraph names no date by which money arrives.";
        let names = ["critique_repeated", "critique_repeated_changed", "critique_repeated_unchanged"];
        let (yes, no) = (Some(true), Some(false));
        for (text, changes, want) in [
            (ten, true, [yes, yes, None]),
            (ten, false, [yes, None, yes]),
            ("the second paragraph names no date by which \u{201c}money\u{201d}, arrives!", true, [yes, yes, None]),
            // One word of ten is another: 2 x 9 / 20 = 0.9. Two: 0.8.
            ("The third paragraph names no date by which money arrives.", true, [yes, yes, None]),
            ("The third paragraph names no hour by which money arrives.", true, [no, no, None]),
            ("The greeting is too formal.", false, [no, None, no]),
        ] {
            let mut run = run_of(&["A b c.\n", if changes { "A b d.\n" } else { "A b c.\n" }, "A b e.\n"]);
            critique(&mut run, 1, &[("tone", "A b")]);
            critique(&mut run, 2, &[("tone", "A b")]);
            said(&mut run, 1, ten);
            said(&mut run, 2, text);
            let rows = rows(&run);
            assert_eq!(names.map(|name| rows.flag(2, name)), want, "{text}");
            assert_eq!(names.map(|name| rows.flag(1, name)), [None; 3], "there is none before it");
        }
    }

    #[test]
    fn what_was_not_read_and_what_approves_repeats_nothing() {
        for (at, approves) in [(1, false), (2, false), (2, true)] {
            let mut run = run_of(&["A b c.\n", "A b d.\n", "A b e.\n"]);
            critique(&mut run, 1, &[("tone", "A b")]);
            critique(&mut run, 2, if approves { &[] } else { &[("tone", "A b")] });
            [1, 2].into_iter().for_each(|pass| said(&mut run, pass, "the same"));
            if !approves {
                run.passes[at].critique.as_mut().unwrap().status = CritiqueStatus::ParseError(ParseReason::Malformed);
            }
            assert_eq!(rows(&run).flag(2, "critique_repeated"), None, "{at} {approves}");
        }
    }

    #[test]
    fn only_located_findings_of_the_worst_severity_block() {
        let mut run = run_of(&["A b c.\n", "A b d.\n", "A b e.\n"]);
        critique(&mut run, 1, &[("tone", "A b"), ("tone", "c"), ("tone", "nowhere"), ("tone", "A")]);
        critique(&mut run, 2, &[("tone", "A b")]);
        closing(&mut run, &[]);
        let findings = |run: &mut Run, pass: usize, ranks: &[Option<u32>]| {
            let listed = run.passes[pass].critique.as_mut().unwrap().findings.as_mut().unwrap();
            listed.iter_mut().zip(ranks).for_each(|(finding, rank)| finding.rank = *rank);
        };
        findings(&mut run, 1, &[Some(0), Some(1), Some(0), Some(0)]);
        findings(&mut run, 2, &[None]);
        let rows = rows(&run);
        assert_eq!([0, 1, 2, 3].map(|pass| rows.int(pass, "blocking")), [None, Some(2), None, Some(0)]);
    }
}
