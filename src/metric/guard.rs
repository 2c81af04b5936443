//! What the guards said of the reviser's answers: locality and length cap, held or broken, and revisions rejected for it.

use super::{Better, Carry, Cell, Column, Figure, How, Kind, Metric, View, nulls};
use crate::model::{Edit, Rejection};

pub struct Guard;

const COLUMNS: &[Column] = &[
    Column::new(
        "local",
        Kind::Flag,
        Carry::No,
        "every answer that was checked kept to its scope, byte for byte; null where none was checked (guard off, prose)",
    ),
    Column::new("local_checked", Kind::Int, Carry::Sum, "reviser answers whose locality was checked; null without a reviser call"),
    Column::new("local_held", Kind::Int, Carry::Sum, "of these, answers that kept to their scope"),
    Column::new("within_cap", Kind::Flag, Carry::No, "every answer that was checked kept to the length cap; null where none was checked"),
    Column::new("cap_checked", Kind::Int, Carry::Sum, "reviser answers whose length was checked"),
    Column::new("cap_held", Kind::Int, Carry::Sum, "of these, answers within the cap"),
    Column::new("rejected", Kind::Flag, Carry::Any, "an enforced guard rejected an answer; null without a reviser call"),
    Column::new("rejected_locality", Kind::Int, Carry::Sum, "answers rejected for leaving their scope"),
    Column::new("rejected_length", Kind::Int, Carry::Sum, "answers rejected for their length"),
    Column::new(
        "answers_without_draft",
        Kind::Int,
        Carry::Sum,
        "reviser answers that held no text to take: empty, unreadable, or a status other than applied",
    ),
];

const FIGURES: &[Figure] = &[
    Figure::new(
        "local",
        "Reviser answers that kept to their scope",
        "share",
        How::Ratio("local_held", "local_checked"),
        Some(Better::Higher),
    )
    .headline(),
    Figure::new(
        "within_cap",
        "Reviser answers within the length cap",
        "share",
        How::Ratio("cap_held", "cap_checked"),
        Some(Better::Higher),
    ),
    Figure::new("rejected", "Passes with a rejected revision", "share", How::Share("rejected"), Some(Better::Lower)),
];

impl Metric for Guard {
    fn columns(&self) -> &'static [Column] {
        COLUMNS
    }

    fn figures(&self) -> &'static [Figure] {
        FIGURES
    }

    fn measure(&self, view: &View<'_>, row: &mut Vec<Cell>) {
        let edits = &view.pass().edits;
        if edits.is_empty() {
            return nulls(COLUMNS, row);
        }
        judged(edits, |edit| edit.guards.local, row);
        judged(edits, |edit| edit.guards.within_cap, row);
        let rejected = |why: Rejection| edits.iter().filter(|edit| edit.guards.rejected == Some(why)).count();
        let counts = [rejected(Rejection::Locality), rejected(Rejection::Length)];
        row.push(counts.iter().any(|count| *count > 0).into());
        row.extend(counts.map(Cell::from));
        row.push(edits.iter().filter(|edit| edit.proposed.is_none()).count().into());
    }
}

fn judged(edits: &[Edit], by: impl Fn(&Edit) -> Option<bool>, row: &mut Vec<Cell>) {
    let checked = edits.iter().filter_map(&by).count();
    let held = edits.iter().filter_map(&by).filter(|held| *held).count();
    row.extend([(checked > 0).then_some(held == checked).into(), checked.into(), held.into()]);
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::model::Guards;

    #[test]
    fn a_serial_pass_is_judged_call_by_call() {
        let mut run = run_of(&["A b c.\n", "A b d.\n"]);
        critique(&mut run, 1, &[("tone", "A b c.")]);
        let edit = run.passes[1].edits[0].clone();
        let guards = |local, within_cap, rejected| Guards { local, within_cap, rejected };
        run.passes[1].edits = [
            guards(Some(true), Some(true), None),
            guards(Some(false), Some(true), Some(Rejection::Locality)),
            guards(None, Some(false), Some(Rejection::Length)),
        ]
        .map(|guards| Edit { guards, ..edit.clone() })
        .into();
        run.passes[1].edits[2].proposed = None;
        let rows = rows(&run);
        let names =
            ["local_checked", "local_held", "cap_checked", "cap_held", "rejected_locality", "rejected_length", "answers_without_draft"];
        assert_eq!(names.map(|name| rows.int(1, name)), [2, 1, 3, 2, 1, 1, 1].map(Some));
        assert_eq!(["local", "within_cap", "rejected"].map(|name| rows.flag(1, name)), [Some(false), Some(false), Some(true)]);
        assert_eq!(rows.cell(0, "local"), &Cell::Null);
    }
}
