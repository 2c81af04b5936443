//! Labels and what they are of: which still stand, and which are stale.

use std::collections::{BTreeMap, HashMap};

use super::{Answer, Label, Labels, Place, Thing, judge, things};
use crate::model::Run;
use crate::text::section::SectionRule;

/// Labels of an arm, joined to its runs.
#[derive(Debug, Clone, Default)]
pub struct Join {
    /// Usable, in the order of things, then of the file.
    pub fresh: Vec<Label>,
    /// Made for this arm, of something that is not there as it was: listed and not used.
    pub stale: Vec<Stale>,
    /// Without the name of an arm, and of nothing here.
    pub elsewhere: usize,
}

/// A label that is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stale {
    pub line: Option<usize>,
    pub place: Place,
    pub rater: String,
    pub why: &'static str,
}

/// Why labels are not used.
pub const CHANGED: &str = "what was judged has changed";
pub const GONE: &str = "there is no such thing in this arm";
const SECTION: &str = "it names a section that the draft does not have";

impl Join {
    /// `things` are all of the arm's runs.
    pub fn new(labels: &Labels, arm: &str, things: &[Thing]) -> Join {
        let places: HashMap<&Place, (usize, &Thing)> = things.iter().enumerate().map(|(at, thing)| (&thing.place, (at, thing))).collect();
        let mut out = Join::default();
        let mut fresh: Vec<(usize, Label)> = vec![];
        for label in labels.all.iter().filter(|label| label.is_for(arm)) {
            let found = places.get(&label.place);
            match refuse(label, found.map(|(_, thing)| *thing)) {
                None => fresh.extend(found.map(|(at, _)| (*at, label.clone()))),
                Some(CHANGED | GONE) if label.arm.is_none() => out.elsewhere += 1,
                Some(why) => out.stale.push(Stale::new(label, why)),
            }
        }
        fresh.sort_by_key(|(at, label)| (*at, label.line));
        out.fresh = fresh.into_iter().map(|(_, label)| label).collect();
        out
    }

    /// What each rater said of each thing, things in order of their places.
    pub fn by_place(&self) -> BTreeMap<&Place, Vec<&Label>> {
        let mut out: BTreeMap<&Place, Vec<&Label>> = BTreeMap::new();
        for label in &self.fresh {
            out.entry(&label.place).or_default().push(label);
        }
        out
    }
}

impl Stale {
    pub fn new(label: &Label, why: &'static str) -> Stale {
        Stale { line: label.line, place: label.place.clone(), rater: label.rater.to_string(), why }
    }
}

/// The labels of one run that still stand, and those that do not: of a file, and of the judge calls of its ticket.
pub fn of_run(labels: Option<&Labels>, arm: &str, run: &Run, rule: SectionRule, calls: &[judge::JudgeCall]) -> (Vec<Label>, Vec<Stale>) {
    let of_file = labels.into_iter().flat_map(|labels| labels.of(arm, &run.ticket));
    let of_file: Vec<&Label> = of_file.filter(|label| label.place.sample == run.sample).collect();
    let (mut fresh, mut stale) = (vec![], vec![]);
    if of_file.is_empty() && calls.is_empty() {
        return (fresh, stale);
    }
    let things = things(run, rule);
    for label in of_file {
        match refuse(label, things.iter().find(|thing| thing.place == label.place)) {
            None => fresh.push(label.clone()),
            Some(CHANGED | GONE) if label.arm.is_none() => {}
            Some(why) => stale.push(Stale::new(label, why)),
        }
    }
    fresh.extend(judge::labels(run, &things, calls).labels);
    (fresh, stale)
}

/// Why a label of this thing is not used; None where it is.
pub(super) fn refuse(label: &Label, thing: Option<&Thing>) -> Option<&'static str> {
    let Some(thing) = thing else { return Some(GONE) };
    match &label.answer {
        _ if label.of != thing.of => Some(CHANGED),
        Answer::Sections(sections) if sections.last().is_some_and(|last| *last >= thing.sections) => Some(SECTION),
        _ => None,
    }
}
