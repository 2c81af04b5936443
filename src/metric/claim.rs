//! What a revision did to the claims of a draft (money, dates, durations, names ...), and whether it lost or altered one where the critique never
//! mentioned anything: `claim_drift`, a proxy for new errors that needs no labels and no checks.

use std::sync::Arc;

use super::{Better, Carry, Cell, Column, Draft, Figure, How, Kind, Metric, Step, View, Views, nulls, section};
use crate::text::claim::{self, Claim as Stated, Item};

pub struct Claim;

const COLUMNS: &[Column] = &[
    Column::new("claims", Kind::Int, Carry::Last, "claims that draft k states, repeated ones included; null without a draft"),
    Column::new(
        "claims_lost",
        Kind::Int,
        Carry::Sum,
        "claims of draft k-1 that draft k states nowhere, in any section; null without a revision or beside a non-draft",
    ),
    Column::new("claims_altered", Kind::Int, Carry::Sum, "claims of draft k-1 that have another value in draft k"),
    Column::new("claims_added", Kind::Int, Carry::Sum, "claims of draft k that draft k-1 states nowhere"),
    Column::new(
        "claim_drift",
        Kind::Flag,
        Carry::Any,
        "a proxy for new errors: the revision lost or altered a claim of a section that the critique never mentioned (strict)",
    ),
    Column::new("claims_lost_untouched", Kind::Int, Carry::Sum, "of the lost claims, those of sections never mentioned"),
    Column::new("claims_altered_untouched", Kind::Int, Carry::Sum, "of the altered claims, those of sections never mentioned"),
];

const FIGURES: &[Figure] = &[Figure::new(
    "claim_drift",
    "Claim drift where nobody asked (strict), a proxy for new errors",
    "share",
    How::Share("claim_drift"),
    Some(Better::Lower),
)];

impl Metric for Claim {
    fn columns(&self) -> &'static [Column] {
        COLUMNS
    }

    fn figures(&self) -> &'static [Figure] {
        FIGURES
    }

    fn measure(&self, view: &View<'_>, row: &mut Vec<Cell>) {
        let read = view.views().claims();
        row.push(view.facts().draft.map(|draft| read.count(draft)).into());
        match drifted(view, read) {
            None => nulls(&COLUMNS[1..], row),
            Some(Drifted { lost, altered, added, lost_untouched, altered_untouched }) => {
                row.extend([lost, altered, added].map(Cell::from));
                row.push((lost_untouched + altered_untouched > 0).into());
                row.extend([lost_untouched, altered_untouched].map(Cell::from));
            }
        }
    }
}

/// The claims of all drafts of a run. A section that stays as it is is read once.
#[derive(Default)]
pub(super) struct Read {
    /// One a different section.
    lists: Vec<Arc<[Stated]>>,
    /// For each draft the places of its sections in `lists`.
    drafts: Vec<Vec<usize>>,
}

impl Read {
    pub(super) fn new(views: &Views<'_>) -> Read {
        let mut read = Read::default();
        for facts in &views.passes {
            let Some(draft) = facts.draft.filter(|draft| *draft == read.drafts.len()).and_then(|at| views.drafts.get(at)) else { continue };
            let before = facts.incoming.and_then(|at| views.drafts.get(at).zip(read.drafts.get(at)));
            let kept = |index: usize, text: &str| {
                let partner = facts.step.as_ref()?.alignment.before_of.get(index).copied().flatten()?;
                let (draft, lists) = before?;
                (draft.texts.get(partner) == Some(&text)).then(|| lists.get(partner).copied()).flatten()
            };
            let mut places = Vec::with_capacity(draft.texts.len());
            for (index, text) in draft.texts.iter().enumerate() {
                places.push(kept(index, text).unwrap_or_else(|| {
                    read.lists.push(claim::claims_of_section(text));
                    read.lists.len() - 1
                }));
            }
            read.drafts.push(places);
        }
        read
    }

    fn of(&self, draft: usize, section: usize) -> &[Stated] {
        self.drafts.get(draft).and_then(|places| places.get(section)).and_then(|at| self.lists.get(*at)).map_or(&[], |list| list)
    }

    fn count(&self, draft: usize) -> usize {
        let sections = self.drafts.get(draft).map_or(0, Vec::len);
        (0..sections).map(|section| self.of(draft, section).iter().filter(|claim| !claim.loose).count()).sum()
    }
}

/// Claims by what a revision did to them.
#[derive(Debug, Clone, Copy, Default)]
struct Drifted {
    lost: usize,
    altered: usize,
    added: usize,
    lost_untouched: usize,
    altered_untouched: usize,
}

/// One draft with its claims.
struct Side<'a> {
    draft: &'a Draft<'a>,
    read: &'a Read,
    at: usize,
}

impl<'a> Side<'a> {
    /// The claims of some sections, and the section of each.
    fn items(&self, sections: &[usize]) -> (Vec<Item<'a>>, Vec<usize>) {
        let (draft, read) = (self.draft, self.read);
        let known = sections.iter().copied().filter(|section| *section < draft.texts.len());
        known.flat_map(|section| Item::all(draft.texts[section], read.of(self.at, section)).map(move |item| (item, section))).unzip()
    }

    /// How many sections other than one state what a claim states.
    fn elsewhere(&self, item: &Item<'_>, except: Option<usize>) -> usize {
        let states = |section: &usize| {
            let text = self.draft.texts[*section];
            self.read.of(self.at, *section).iter().any(|claim| item.claim.agrees(item.text, claim, text))
        };
        (0..self.draft.texts.len()).filter(|section| Some(*section) != except).filter(states).count()
    }
}

/// None where there is no revision to judge; one that was rejected changed nothing.
///
/// Sections with a partner are compared with it, the removed ones with the added ones. What is gone from its section and stands in another
/// is not lost, whatever it is said of there: so drift can only be understated by it. A value that took another's place while that one
/// moved to a section that did not state it before is added, and nothing is altered.
fn drifted(view: &View<'_>, read: &Read) -> Option<Drifted> {
    let (before, after) = view.revision()?;
    let Some(Step { alignment, edits, .. }) = view.step() else { return Some(Drifted::default()) };
    let strays = section::strays(view)?;
    let (old, new) = view.facts().incoming.zip(view.facts().draft)?;
    let (old, new) = (Side { draft: before, read, at: old }, Side { draft: after, read, at: new });
    let mut done = Drifted::default();
    let mut compare = |sections: &[usize], partners: &[usize]| {
        let ((before, homes), (after, new_homes)) = (old.items(sections), new.items(partners));
        let untouched = |item: usize| strays.edited.contains(&homes[item]) || strays.removed.contains(&homes[item]);
        let drift = claim::compare(&before, &after);
        for place in drift.lost.iter().filter(|place| new.elsewhere(&before[place.item], None) == 0) {
            done.lost += 1;
            done.lost_untouched += usize::from(untouched(place.item));
        }
        for (from, to) in &drift.altered {
            let item = &before[from.item];
            if new.elsewhere(item, Some(new_homes[to.item])) > old.elsewhere(item, Some(homes[from.item])) {
                done.added += usize::from(old.elsewhere(&after[to.item], None) == 0);
            } else {
                done.altered += 1;
                done.altered_untouched += usize::from(untouched(from.item));
            }
        }
        done.added += drift.added.iter().filter(|place| old.elsewhere(&after[place.item], None) == 0).count();
    };
    for index in &edits.edited {
        let partner = alignment.after_of.get(*index).copied().flatten();
        compare(&[*index], partner.as_slice());
    }
    compare(&edits.removed, &edits.added);
    Some(done)
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;

    const NAMES: [&str; 5] = ["claims_lost", "claims_altered", "claims_added", "claims_lost_untouched", "claims_altered_untouched"];

    /// The counts of [`NAMES`]; the critique quotes `quotes`.
    fn check(before: &str, quotes: &[&str], after: &str, want: [i64; 5]) {
        let mut run = run_of(&[before, after]);
        critique(&mut run, 1, &quotes.iter().map(|quote| ("tone", *quote)).collect::<Vec<_>>());
        let rows = rows(&run);
        assert_eq!(NAMES.map(|name| rows.int(1, name)), want.map(Some), "{after}");
        assert_eq!(rows.flag(1, "claim_drift"), Some(want[3] + want[4] > 0), "{after}");
    }

    #[test]
    fn claims_that_nobody_mentioned_are_watched() {
        let draft = "Dear Sam and all.\n\nThe fee is $15 for order 4811.\n\nYou have 30 days for it.\n";
        let fee = "The fee";
        check(draft, &[fee], draft, [0; 5]);
        check(draft, &[fee], "Dear Sam and all.\n\nThe fee is 15 USD, for order #4811.\n\nYou have thirty days for it.\n", [0; 5]);
        check(draft, &[fee], "Dear Sam and all.\n\nThe fee is $25 for your order.\n\nYou have 30 days for it.\n", [1, 1, 0, 0, 0]);
        check(draft, &[fee], "Dear Sam and all.\n\nThe fee is $15 for order 4811.\n\nYou have 20 days for it.\n", [0, 1, 0, 0, 1]);
        check(draft, &[fee], "Dear Sam and all.\n\nThe fee is $15 for order 4811.\n\nYou have a while for it.\n", [1, 0, 0, 1, 0]);
        check(draft, &[fee], "Dear Sam and all.\n\nThe fee is $15 for order 4811.\n", [1, 0, 0, 1, 0]);
        check(
            draft,
            &["Dear Sam"],
            "Dear Sam, 5 days ago.\n\nThe fee is $15 for order 4811.\n\nYou have 30 days for it.\n",
            [0, 0, 1, 0, 0],
        );
    }

    #[test]
    fn a_claim_that_moved_to_another_section_is_not_lost() {
        let draft = "Dear Sam and all.\n\nThe fee is $15 by card now.\n\nYou have 30 days for all of it.\n";
        check(draft, &["The fee"], "Dear Sam and all.\n\nThe fee is $15 by card, in 30 days.\n\nYou have time for all of it.\n", [0; 5]);
        check(draft, &["The fee"], "Dear Sam and all.\n\nWithin 30 days, pay $15 by card.\n", [0; 5]);
        // The 30 went up and a 9 stands in its place: nothing became anything else.
        check(
            draft,
            &["The fee"],
            "Dear Sam and all.\n\nThe fee is $15 by card, in 30 days.\n\nYou have 9 days for all of it.\n",
            [0, 0, 1, 0, 0],
        );
        // What two sections said and one says otherwise now is altered there.
        let twice = "The fee is $15 by card now.\n\nDear Sam and all.\n\nIn short, the fee is $15 for you.\n";
        check(
            twice,
            &["Dear Sam"],
            "The fee is $15 by card now.\n\nDear Sam and all.\n\nIn short, the fee is $25 for you.\n",
            [0, 1, 0, 0, 1],
        );
    }

    #[test]
    fn without_a_revision_there_is_nothing_to_judge() {
        let mut run = run_of(&["The fee is $15.\n", "The fee is $15.\n", "The fee is $25 in all, or a day.\n"]);
        critique(&mut run, 1, &[("tone", "not there")]);
        run.passes[1].edits.clear();
        critique(&mut run, 2, &[("tone", "not there")]);
        let rows = rows(&run);
        assert_eq!([0, 1, 2].map(|pass| rows.int(pass, "claims")), [Some(1), Some(1), Some(1)]);
        assert_eq!([0, 1, 2].map(|pass| rows.flag(pass, "claim_drift")), [None, None, Some(true)]);
        assert_eq!([0, 1, 2].map(|pass| rows.int(pass, "claims_altered")), [None, None, Some(1)]);
        // A rejected revision is one that changed nothing.
        run.passes[2].draft = run.passes[1].draft.clone();
        let rows = super::super::testing::rows(&run);
        assert_eq!([rows.flag(2, "claim_drift"), rows.int(2, "claims_lost").map(|n| n > 0)], [Some(false); 2]);
    }
}
