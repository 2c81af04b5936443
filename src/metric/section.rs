//! Did a revision keep its hands off what the critique never mentioned? Under both rules, strict and loose; sections edited, removed and
//! added under the strict one.

use super::{Better, Carry, Cell, Column, Figure, How, Kind, Metric, Step, View, nulls};
use crate::text::diff;
use crate::text::section::{Alignment, SectionEdits};

pub struct Section;

const COLUMNS: &[Column] = &[
    Column::new("sections", Kind::Int, Carry::Last, "sections of draft k; null without a draft"),
    Column::new(
        "untouched_section_edit_loose",
        Kind::Flag,
        Carry::Any,
        "the revision changed any byte of a section that the critique never mentioned (loose), or removed or added one: understates if anything; null without a revision or beside a non-draft",
    ),
    Column::new(
        "untouched_section_edit",
        Kind::Flag,
        Carry::Any,
        "the revision changed any byte of a section that the critique never mentioned (strict), or removed or added one; null without a revision or beside a non-draft",
    ),
    Column::new("untouched_sections_edited", Kind::Int, Carry::Sum, "never-mentioned sections changed in more than white space"),
    Column::new("untouched_sections_whitespace", Kind::Int, Carry::Sum, "never-mentioned sections changed in white space only"),
    Column::new("untouched_sections_removed", Kind::Int, Carry::Sum, "never-mentioned sections without a partner in draft k"),
    Column::new(
        "untouched_sections_added",
        Kind::Int,
        Carry::Sum,
        "sections of draft k without a partner that border no mentioned section",
    ),
];

const FIGURES: &[Figure] = &[
    Figure::new(
        "untouched_section_edit_loose",
        "Revisions that changed a section nobody mentioned (loose)",
        "share",
        How::Share("untouched_section_edit_loose"),
        Some(Better::Lower),
    )
    .headline(),
    Figure::new(
        "untouched_section_edit",
        "Revisions that changed a section nobody mentioned (strict)",
        "share",
        How::Share("untouched_section_edit"),
        Some(Better::Lower),
    )
    .headline(),
    Figure::new(
        "untouched_sections_edited",
        "Never-mentioned sections edited",
        "sections",
        How::Mean("untouched_sections_edited"),
        Some(Better::Lower),
    ),
];

impl Metric for Section {
    fn columns(&self) -> &'static [Column] {
        COLUMNS
    }

    fn figures(&self) -> &'static [Figure] {
        FIGURES
    }

    fn measure(&self, view: &View<'_>, row: &mut Vec<Cell>) {
        row.push(view.draft().map(|draft| draft.sections.len()).into());
        match untouched(view) {
            None => nulls(&COLUMNS[1..], row),
            Some(Untouched { edited, whitespace, removed, added, .. }) => {
                let strict = edited + whitespace + removed + added > 0;
                row.extend([strict && reaches_outside(view, view.mentioned_loose()), strict].map(Cell::from));
                row.extend([edited, whitespace, removed, added].map(Cell::from));
            }
        }
    }
}

/// What a revision did to sections that the critique never mentioned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Untouched {
    pub edited: usize,
    pub whitespace: usize,
    pub removed: usize,
    pub added: usize,
    /// Scalars deleted and inserted in all of them; None where one is too long and too different for it to be known.
    pub chars: Option<usize>,
}

/// The never-mentioned sections that a revision changed, removed or added. None where there is no revision to judge; one that was rejected
/// touched nothing.
pub fn strays(view: &View<'_>) -> Option<SectionEdits> {
    view.revision()?;
    let Some(Step { alignment, edits, .. }) = view.step() else { return Some(SectionEdits::default()) };
    let mentioned = view.mentioned();
    let never = |list: &[usize]| list.iter().copied().filter(|index| !mentioned.get(*index).copied().unwrap_or(false)).collect();
    let added = edits.added.iter().copied().filter(|index| !borders_mentioned(alignment, mentioned, *index)).collect();
    Some(SectionEdits {
        edited: never(&edits.edited),
        whitespace_only: never(&edits.whitespace_only),
        removed: never(&edits.removed),
        added,
    })
}

/// None where there is no revision to judge.
pub(super) fn untouched(view: &View<'_>) -> Option<Untouched> {
    let (before, after) = view.revision()?;
    let strays = strays(view)?;
    let alignment = view.step().map(|step| &step.alignment);
    let changed = |index: &usize| alignment.map_or(Some(0), |alignment| partner_change(&before.texts, &after.texts, alignment, *index));
    let whole = strays.removed.iter().map(|index| super::view::scalars(before.texts[*index])).sum::<usize>()
        + strays.added.iter().map(|index| super::view::scalars(after.texts[*index])).sum::<usize>();
    let chars = strays.edited.iter().chain(&strays.whitespace_only).map(changed).sum::<Option<usize>>().map(|chars| chars + whole);
    Some(Untouched {
        edited: strays.edited.len(),
        whitespace: strays.whitespace_only.len(),
        removed: strays.removed.len(),
        added: strays.added.len(),
        chars,
    })
}

/// True where the revision changed, removed or added a section outside those mentioned.
fn reaches_outside(view: &View<'_>, mentioned: &[bool]) -> bool {
    let Some(Step { alignment, edits, .. }) = view.step() else { return false };
    let mut changed = edits.edited.iter().chain(&edits.whitespace_only).chain(&edits.removed);
    changed.any(|index| !mentioned.get(*index).copied().unwrap_or(false))
        || edits.added.iter().any(|index| !borders_mentioned(alignment, mentioned, *index))
}

fn partner_change(before: &[&str], after: &[&str], alignment: &Alignment, index: usize) -> Option<usize> {
    let partner = alignment.after_of.get(index).copied().flatten().and_then(|partner| after.get(partner));
    partner.map_or(Some(0), |partner| Some(diff::changed_scalars(&diff::scalars(before[index]), &diff::scalars(partner))?.total()))
}

/// True where a section without a partner stands at, or in place of, a mentioned one: a split of it, its replacement, or a text at its edge,
/// which the locality check takes for inside too.
pub(super) fn borders_mentioned(alignment: &Alignment, mentioned: &[bool], added: usize) -> bool {
    let Some(last) = mentioned.len().checked_sub(1) else { return false };
    let (above, below) = alignment.before_of.split_at(added.min(alignment.before_of.len()));
    let above = above.iter().rev().find_map(|partner| *partner);
    let below = below.iter().find_map(|partner| *partner);
    match (above.unwrap_or(0), below.unwrap_or(last)) {
        (from, to) if from <= to => (from..=to).any(|index| mentioned[index.min(last)]),
        (from, to) => mentioned[from.min(last)] || mentioned[to.min(last)],
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;

    /// Edited, white space only, removed, added, and the flag.
    fn check(before: &str, quotes: &[&str], after: &str, want: ([i64; 4], bool)) {
        let mut run = run_of(&[before, after]);
        critique(&mut run, 1, &quotes.iter().map(|quote| ("tone", *quote)).collect::<Vec<_>>());
        let rows = rows(&run);
        let names =
            ["untouched_sections_edited", "untouched_sections_whitespace", "untouched_sections_removed", "untouched_sections_added"];
        assert_eq!(names.map(|name| rows.int(1, name)), want.0.map(Some), "{after}");
        assert_eq!(rows.flag(1, "untouched_section_edit"), Some(want.1), "{after}");
    }

    #[test]
    fn sections_nobody_mentioned_are_watched() {
        let draft = "Dear Sam and all.\n\nThe fee is due soon now.\n\nBye for now, Rosa.\n";
        let fee = "The fee is due soon now.";
        check(draft, &[fee], draft, ([0; 4], false));
        check(draft, &[fee], "Dear Sam and all.\n\nThe fee is due on 4 May.\n\nBye for now, Rosa.\n", ([0; 4], false));
        check(draft, &[fee], "Dear Sam and you.\n\nThe fee is due on 4 May.\n\nBye  for now, Rosa.\n", ([1, 1, 0, 0], true));
        check(draft, &[fee], "The fee is due on 4 May.\n\nBye for now, Rosa.\n", ([0, 0, 1, 0], true));
        check(draft, &[fee], "Dear Sam and all.\n\nBye for now, Rosa.\n", ([0; 4], false));
        check(draft, &[fee], "Dear Sam and all.\n\nThe fee is due.\n\nIt was late.\n\nBye for now, Rosa.\n", ([0; 4], false));
        check(
            draft,
            &["Dear Sam"],
            "Dear Sam and all.\n\nThe fee is due soon now.\n\nBye for now, Rosa.\n\nPS: hurry!\n",
            ([0, 0, 0, 1], true),
        );
        check(draft, &["nowhere"], "Dear Sam and you.\n\nThe fee is due soon now.\n\nBye for now, Rosa.\n", ([1, 0, 0, 0], true));
    }

    #[test]
    fn bytes_nobody_mentioned_are_watched_even_where_no_eye_sees_them() {
        let read = |name: &str| case(&format!("L01-byte-damage/{name}"));
        let draft = read("draft.txt");
        let cases = [
            ("ok.txt", (12, 11), vec![], true),
            ("crlf_to_lf.txt", (18, 11), vec![1, 4], false),
            ("one_line_ending.txt", (13, 11), vec![1], false),
            ("separator_only.txt", (14, 11), vec![], false),
            ("curly_to_straight.txt", (14, 13), vec![1], false),
            ("tabs_to_spaces.txt", (14, 19), vec![3], false),
            ("nbsp_to_space.txt", (13, 12), vec![1], false),
            ("nfc.txt", (14, 12), vec![3], false),
            ("no_final_newline.txt", (13, 11), vec![], false),
        ];
        for (file, (deleted, inserted), edited, local) in cases {
            let after = read(file);
            let mut run = run_of(&[&draft, &after]);
            critique(&mut run, 1, &[("vague_commitment", "Your refund is on its way soon.")]);
            let ticket = ticket();
            let views = super::super::Views::new(&ticket, &run, &Default::default());
            let view = views.iter().last().unwrap();
            assert_eq!(view.scope(), [crate::model::Span::new(74, 105)]);
            assert_eq!(crate::text::locality::is_local(&draft, view.scope(), &after), local, "{file}");
            let edits = &view.step().unwrap().edits;
            let mut found: Vec<usize> =
                edits.edited.iter().chain(&edits.whitespace_only).copied().filter(|i| !view.mentioned()[*i]).collect();
            found.sort_unstable();
            assert_eq!(found, edited, "{file}");
            let rows = rows(&run);
            assert_eq!([rows.int(1, "chars_deleted"), rows.int(1, "chars_inserted")], [Some(deleted), Some(inserted)], "{file}");
            let counted = rows.int(1, "untouched_sections_edited").zip(rows.int(1, "untouched_sections_whitespace")).map(|(a, b)| a + b);
            assert_eq!(counted, Some(edited.len() as i64), "{file}");
            assert_eq!(rows.flag(1, "untouched_section_edit"), Some(!edited.is_empty()), "{file}");
        }
    }

    #[test]
    fn without_a_revision_there_is_nothing_to_judge() {
        let mut run = run_of(&["One two.\n", "One two.\n", "One three.\n"]);
        critique(&mut run, 1, &[("tone", "not there")]);
        run.passes[1].edits.clear();
        critique(&mut run, 2, &[("tone", "One two.")]);
        run.passes[2].critique.as_mut().unwrap().status = crate::model::CritiqueStatus::ParseError(crate::model::ParseReason::NoJson);
        let rows = rows(&run);
        assert_eq!([0, 1, 2].map(|pass| rows.flag(pass, "untouched_section_edit")), [None; 3]);
        assert_eq!([0, 1, 2].map(|pass| rows.int(pass, "mentioned")), [None, Some(0), None]);
    }
}
