//! From counts to sections: what the second paragraph, step 3 or the last two bullets of a draft are.

use super::Target;
use super::lexicon::{Rank, Unit};
use super::outline::{Item, Outline, PLACES_MAX};
use super::place::Reader;

/// Ranks joined by commas and words ("first and third"), or a number of them ("first two").
#[derive(Debug, Default)]
pub(super) struct Ranks {
    pub list: Vec<Rank>,
    /// "first THREE paragraphs".
    pub count: Option<usize>,
    /// "second through fourth".
    pub range: bool,
}

impl Reader<'_, '_> {
    /// The sections that ranks of a unit stand for; None where the draft has no such thing.
    pub fn resolve(&self, unit: Unit, ranks: &Ranks) -> Option<Vec<Target>> {
        let outline = self.outline;
        if let [rank @ (Rank::Next | Rank::Previous)] = ranks.list.as_slice() {
            return Some(self.neighbours(&self.focus.sections, *rank == Rank::Next, 1));
        }
        let strict = |sections: Vec<usize>| sections.into_iter().map(Target::strict).collect::<Vec<_>>();
        let found: Vec<Target> = match unit {
            Unit::Paragraph => strict(picked(ranks, outline.body.len()).into_iter().map(|at| outline.body[at]).collect()),
            Unit::Section => return self.sections(ranks),
            Unit::Sentence => {
                let mut sections: Vec<usize> = ranks.expanded().filter_map(|rank| self.sentence(rank)).collect();
                sections.dedup();
                strict(sections)
            }
            Unit::Step => strict(ranks.expanded().filter_map(|rank| self.step(rank)).collect()),
            Unit::Item => strict(ranks.expanded().filter_map(|rank| self.item(rank)).collect()),
            Unit::Table => match outline.tables.as_slice() {
                [only] => strict(vec![*only]),
                tables => strict(picked(ranks, tables.len()).into_iter().map(|at| tables[at]).collect()),
            },
            Unit::List => strict(picked(ranks, outline.lists.len()).into_iter().map(|at| outline.lists[at]).collect()),
            Unit::Code => strict(picked(ranks, outline.codes.len()).into_iter().map(|at| outline.codes[at]).collect()),
            Unit::Heading => strict(picked(ranks, outline.heads.len()).into_iter().map(|at| outline.heads[at].section).collect()),
        };
        Some(found)
    }

    /// Sections are what headings cut, by their own numbers where they carry some; without headings they are paragraphs.
    fn sections(&self, ranks: &Ranks) -> Option<Vec<Target>> {
        let outline = self.outline;
        let regions = &outline.regions;
        if regions.len() < 2 {
            return Some(picked(ranks, outline.body.len()).into_iter().map(|at| Target::strict(outline.body[at])).collect());
        }
        let numbers: Vec<Option<usize>> = regions.iter().map(|at| outline.heads[*at].number.as_deref()?.parse().ok()).collect();
        let heads: Vec<usize> =
            if numbers.iter().any(Option::is_some) && ranks.list.iter().all(|rank| matches!(rank, Rank::Nth(_))) && ranks.count.is_none() {
                let wanted = ranks.expanded().filter_map(|rank| if let Rank::Nth(n) = rank { Some(n) } else { None });
                wanted.filter_map(|n| numbers.iter().position(|number| *number == Some(n)).map(|at| regions[at])).collect()
            } else {
                picked(ranks, regions.len()).into_iter().map(|at| regions[at]).collect()
            };
        Some(heads.into_iter().flat_map(|head| self.region(head)).collect())
    }

    /// A sentence by its number is one of the place spoken of, else of the whole.
    fn sentence(&self, rank: Rank) -> Option<usize> {
        let spoken = self.focus.sections.first().filter(|_| self.focus.named && self.focus.sections.len() == 1);
        match (rank, spoken) {
            (Rank::Nth(_) | Rank::FromEnd(_), Some(section)) => Some(*section),
            (Rank::Nth(n), None) => self.outline.sentence(n, false),
            (Rank::FromEnd(n), None) => self.outline.sentence(n, true),
            _ => None,
        }
    }

    fn step(&self, rank: Rank) -> Option<usize> {
        let items = &self.outline.items;
        match rank {
            Rank::Nth(n) => {
                let of = |section: &usize| self.outline.items_of(*section).iter().find(|item| item.number == Some(n));
                let here = self.focus.sections.iter().find_map(of).map(|item| item.section);
                here.or_else(|| self.outline.steps.get(&n).copied())
            }
            Rank::FromEnd(n) => items.iter().rev().filter(|item| item.number.is_some()).nth(n.checked_sub(1)?).map(|item| item.section),
            _ => None,
        }
    }

    fn item(&self, rank: Rank) -> Option<usize> {
        let outline = self.outline;
        let spoken = self.focus.sections.iter().find_map(|section| outline.items_of(*section).first()).map(|item| item.list);
        match rank {
            Rank::Nth(n) => {
                let fits = |list: &[Item]| list.get(n.checked_sub(1)?).map(|item| item.section);
                let here = spoken.and_then(|list| fits(outline.list(list)));
                here.or_else(|| outline.items.chunk_by(|a, b| a.list == b.list).find_map(fits))
            }
            Rank::FromEnd(n) => {
                let list = outline.list(spoken.or(outline.items.last().map(|item| item.list))?);
                list.len().checked_sub(n).and_then(|at| list.get(at)).map(|item| item.section)
            }
            _ => None,
        }
    }

    /// The sections right behind or before some others.
    pub fn neighbours(&self, base: &[usize], forward: bool, count: usize) -> Vec<Target> {
        let range = match (base.iter().min(), base.iter().max()) {
            (Some(_), Some(last)) if forward => last + 1..(last + 1 + count).min(self.outline.len()),
            (Some(first), Some(_)) => first.saturating_sub(count)..*first,
            _ => 0..0,
        };
        range.map(Target::strict).collect()
    }
}

impl Ranks {
    /// Each rank on its own, counts and ranges spelled out.
    fn expanded(&self) -> impl Iterator<Item = Rank> {
        let mut out = vec![];
        match (self.list.as_slice(), self.count) {
            ([Rank::Nth(n)], Some(count)) => out.extend((*n..n.saturating_add(count)).map(Rank::Nth)),
            ([Rank::FromEnd(n)], Some(count)) => out.extend((*n..n.saturating_add(count)).map(Rank::FromEnd)),
            ([Rank::Nth(a), Rank::Nth(b)], _) if self.range && a < b && b - a <= PLACES_MAX => out.extend((*a..=*b).map(Rank::Nth)),
            (list, _) => out.extend(list),
        }
        out.into_iter()
    }
}

/// Places in a list of `len` that ranks pick, in order.
fn picked(ranks: &Ranks, len: usize) -> Vec<usize> {
    let one = |rank| match rank {
        Rank::Nth(n) => n.checked_sub(1).filter(|at| *at < len),
        Rank::FromEnd(n) => len.checked_sub(n).filter(|at| *at < len),
        Rank::Middle => (len % 2 == 1).then_some(len / 2),
        Rank::Next | Rank::Previous => None,
    };
    let mut places: Vec<usize> = ranks.expanded().filter_map(one).collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// A heading's own block (strict) and all it heads (loose).
pub(super) fn region(outline: &Outline<'_>, head: usize) -> Vec<Target> {
    let Some(head) = outline.heads.get(head) else { return vec![] };
    let rest = head.section + 1..head.end.min(head.section + PLACES_MAX);
    std::iter::once(Target::strict(head.section)).chain(rest.map(|section| Target { section, strict: false })).collect()
}
