//! How much a revision changed, where, and how much of the drafts before it is left.

use super::{Better, Carry, Cell, Column, Figure, How, Kind, Metric, View, section};
use crate::text::diff::Changed;
use crate::text::locality;

pub struct Change;

const COLUMNS: &[Column] = &[
    Column::new(
        "revised",
        Kind::Flag,
        Carry::Any,
        "a reviser was asked after a readable critique and a draft came of it, be it the old one; null for pass 0",
    ),
    Column::new("chars", Kind::Int, Carry::Last, "scalars of draft k; null without a draft"),
    Column::new(
        "chars_deleted",
        Kind::Int,
        Carry::Sum,
        "scalars deleted by a shortest edit script from draft k-1; null without a revision or beside a non-draft",
    ),
    Column::new("chars_inserted", Kind::Int, Carry::Sum, "scalars inserted by that script"),
    Column::new("chars_changed", Kind::Int, Carry::Sum, "deleted plus inserted"),
    Column::new("chars_scope", Kind::Int, Carry::Sum, "scalars of the incoming draft inside the scope; null without a readable critique"),
    Column::new(
        "chars_outside",
        Kind::Int,
        Carry::Sum,
        "scalars deleted and inserted in sections that the critique never mentioned (strict)",
    ),
    Column::new(
        "preservation_previous",
        Kind::Real,
        Carry::No,
        "1 - Levenshtein / length of draft k-1, at least 0; null without a revision",
    ),
    Column::new("preservation_original", Kind::Real, Carry::Last, "1 - Levenshtein / length of draft 0, at least 0; null without a draft"),
    Column::new("length_ratio_previous", Kind::Real, Carry::No, "scalars of draft k over those of draft k-1; null without a revision"),
    Column::new("length_ratio_original", Kind::Real, Carry::Last, "scalars of draft k over those of draft 0; null without a draft"),
    Column::new(
        "over_cap",
        Kind::Flag,
        Carry::Last,
        "draft k outgrows draft 0 by more than the loop allows; null for pass 0 and without a draft",
    ),
    Column::new("no_change", Kind::Flag, Carry::No, "draft k is draft k-1, byte for byte; null without a draft"),
    Column::new(
        "revisit",
        Kind::Int,
        Carry::No,
        "latest pass before k-1 that made this very draft, where draft k-1 is another; null where there is none",
    ),
    Column::new("revisited", Kind::Flag, Carry::Any, "there is such a pass: the loop goes round; null without a draft"),
];

const FIGURES: &[Figure] = &[
    Figure::new("chars_changed", "Characters changed", "characters", How::Median("chars_changed"), None).headline(),
    Figure::new(
        "chars_outside",
        "Characters changed in sections nobody mentioned (strict)",
        "characters",
        How::Median("chars_outside"),
        Some(Better::Lower),
    ),
    Figure::new("preservation_previous", "Kept of the draft before", "share", How::Median("preservation_previous"), None),
    Figure::new("preservation_original", "Kept of the original draft", "share", How::Median("preservation_original"), Some(Better::Higher)),
    Figure::new("length_ratio_original", "Length against the original", "ratio", How::Median("length_ratio_original"), None),
    Figure::new("over_cap", "Drafts over the length cap", "share", How::Share("over_cap"), Some(Better::Lower)),
    Figure::new("no_change", "Passes that changed nothing", "share", How::Share("no_change"), None),
    Figure::new("revisited", "Passes that went back to an earlier draft", "share", How::Share("revisited"), Some(Better::Lower)),
];

impl Metric for Change {
    fn columns(&self) -> &'static [Column] {
        COLUMNS
    }

    fn figures(&self) -> &'static [Figure] {
        FIGURES
    }

    fn measure(&self, view: &View<'_>, row: &mut Vec<Cell>) {
        let later = (view.pass().index > 0).then_some(());
        row.push(later.map(|()| view.revised()).into());
        row.push(view.draft().map(|draft| draft.chars).into());
        let revision = view.revision();
        let changed = revision.and_then(|_| view.step().map_or(Some(Changed::default()), |step| step.changed));
        row.extend([changed.map(|c| c.deleted), changed.map(|c| c.inserted), changed.map(|c| c.total())].map(Cell::from));
        row.push(scope(view).into());
        row.push(section::untouched(view).and_then(|untouched| untouched.chars).into());
        let sound = view.draft().filter(|draft| !draft.flaw.any()).zip(view.original().filter(|original| !original.flaw.any()));
        row.push(revision.and_then(|(before, _)| kept(view.step().map_or(Some(0), |step| step.distance)?, before.chars)).into());
        row.push(sound.and_then(|(draft, original)| kept(draft.from_original?, original.chars)).into());
        row.push(revision.and_then(|(before, after)| ratio(after.chars, before.chars)).into());
        row.push(sound.and_then(|(draft, original)| ratio(draft.chars, original.chars)).into());
        let capped = later.and(sound);
        row.push(capped.map(|(draft, original)| !locality::within_cap(original.text, draft.text, view.settings().growth)).into());
        let kept = later.and(view.incoming()).zip(view.draft()).map(|(before, after)| std::ptr::eq(before, after));
        row.push(kept.into());
        let revisit = kept.map(|_| revisit_of(view));
        row.extend([revisit.flatten().into(), revisit.map(|pass| pass.is_some()).into()]);
    }
}

/// Scalars inside the scope; 0 for a critique that points nowhere.
fn scope(view: &View<'_>) -> Option<usize> {
    let incoming = view.incoming()?;
    view.critique()?.is_readable().then(|| view.scope().iter().filter_map(|span| span.of(incoming.text)).map(super::view::scalars).sum())
}

fn kept(distance: usize, length: usize) -> Option<f64> {
    ratio(length.saturating_sub(distance), length)
}

fn ratio(over: usize, under: usize) -> Option<f64> {
    (under > 0).then(|| over as f64 / under as f64)
}

/// The latest pass before the last one that made this very draft; None where the pass kept the draft it was given.
pub(super) fn revisit_of(view: &View<'_>) -> Option<u32> {
    let text = view.draft()?.text;
    if view.facts().draft == view.facts().incoming {
        return None;
    }
    let earlier = &view.run().passes[..view.at()];
    earlier.iter().rev().find(|pass| pass.draft.as_deref() == Some(text)).map(|pass| pass.index)
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    #[test]
    fn change_is_counted_in_scalars_and_split_by_what_was_mentioned() {
        let mut run = run_of(&["Café one two.\n\nThree four five.\n", "Café one 2.\n\nThree four 55.\n"]);
        critique(&mut run, 1, &[("tone", "Café one two.")]);
        let rows = rows(&run);
        let want =
            [("chars", 28), ("chars_deleted", 7), ("chars_inserted", 3), ("chars_changed", 10), ("chars_scope", 13), ("chars_outside", 6)];
        for (name, count) in want {
            assert_eq!(rows.int(1, name), Some(count), "{name}");
        }
        assert_eq!(rows.real(1, "preservation_previous"), Some(25.0 / 32.0));
        assert_eq!(rows.real(1, "length_ratio_original"), Some(28.0 / 32.0));
        assert_eq!(rows.flag(1, "over_cap"), Some(false));
        assert_eq!([rows.int(0, "chars"), rows.int(0, "chars_changed")], [Some(32), None]);
        assert_eq!(rows.real(0, "preservation_original"), Some(1.0));
    }

    #[test]
    fn a_cycle_is_named_by_the_pass_it_goes_back_to_and_standing_still_is_none() {
        let mut run = run_of(&["A b c.\n", "A b d.\n", "A b c.\n", "A b c.\n", "A b d.\n"]);
        (1..5).for_each(|pass| critique(&mut run, pass, &[("tone", "A b")]));
        let rows = rows(&run);
        assert_eq!([1, 2, 3, 4].map(|pass| rows.int(pass, "revisit")), [None, Some(0), None, Some(1)]);
        assert_eq!([0, 1, 2, 3, 4].map(|pass| rows.flag(pass, "revisited")), [None, Some(false), Some(true), Some(false), Some(true)]);
        assert_eq!([0, 1, 2, 3, 4].map(|pass| rows.flag(pass, "no_change")), [None, Some(false), Some(false), Some(true), Some(false)]);
    }

    #[test]
    fn a_closing_critique_has_no_draft_cells() {
        let mut run = run_of(&["A b c.\n", "A b d.\n"]);
        critique(&mut run, 1, &[("tone", "A b c.")]);
        closing(&mut run, &[("tone", "A b d.")]);
        let rows = rows(&run);
        for name in
            ["chars", "chars_changed", "sections", "no_change", "preservation_original", "untouched_section_edit", "non_draft", "checks"]
        {
            assert_eq!(rows.cell(2, name), &Cell::Null, "{name}");
        }
        assert_eq!([rows.int(2, "emitted"), rows.int(2, "chars_scope")], [Some(1), Some(6)]);
    }
}
