//! How far raters agree: Cohen's kappa of every pair, per kind, and what they differ on.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{Answer, Join, Kind, Label, Place, Rater, Thing};
use crate::stats::draw::Stream;
use crate::stats::kappa::kappa;
use crate::stats::{CONFIDENCE, resample};

/// Two raters on things of one kind that both judged.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Agreement {
    pub kind: Kind,
    /// What is counted: `finding`, `draft`, or for mentions `section of a draft`.
    pub unit: &'static str,
    pub raters: [String; 2],
    /// What a unit can be called.
    pub categories: Vec<&'static str>,
    /// Rows: the first rater's categories; columns: the second's.
    pub counts: Vec<Vec<u64>>,
    pub n: u64,
    pub tickets: u64,
    pub observed: f64,
    pub expected: f64,
    /// Null where full agreement is to be expected, as both raters put everything into one category.
    pub kappa: Option<f64>,
    /// 95%, bootstrap by ticket. Null where kappa is, and where the raters never differed: draws cannot tell then.
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub differ: Vec<Differ>,
}

/// A thing on which two raters differ.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Differ {
    pub ticket: String,
    pub sample: u32,
    pub pass: u32,
    pub finding: Option<u32>,
    /// What each said, in words.
    pub said: [String; 2],
}

/// How often a bootstrap draws.
const REPLICATES: u32 = 2000;

/// Every pair of raters with something in common: by kind, then by rater.
pub fn agreements(join: &Join, things: &[Thing], seed: u64) -> Vec<Agreement> {
    let sections: BTreeMap<&Place, usize> = things.iter().map(|thing| (&thing.place, thing.sections)).collect();
    let by_place = join.by_place();
    let mut out = vec![];
    for kind in Kind::ALL {
        let raters: BTreeSet<&Rater> = join.fresh.iter().filter(|label| label.place.kind == kind).map(|label| &label.rater).collect();
        let raters: Vec<&Rater> = raters.into_iter().collect();
        for (i, first) in raters.iter().enumerate() {
            for second in &raters[i + 1..] {
                let mut both = vec![];
                for (place, said) in by_place.iter().filter(|(place, _)| place.kind == kind) {
                    let of = |rater: &Rater| said.iter().copied().find(|label| label.rater == *rater);
                    both.extend(of(first).zip(of(second)).map(|pair| (*place, pair)));
                }
                out.extend(pair(kind, [first, second], &both, &sections, seed));
            }
        }
    }
    out
}

fn pair(
    kind: Kind,
    raters: [&Rater; 2],
    both: &[(&Place, (&Label, &Label))],
    sections: &BTreeMap<&Place, usize>,
    seed: u64,
) -> Option<Agreement> {
    let categories = categories(kind);
    let empty = vec![vec![0u64; categories.len()]; categories.len()];
    let mut by_ticket: BTreeMap<&str, Vec<Vec<u64>>> = BTreeMap::new();
    let mut differ = vec![];
    for (place, (a, b)) in both {
        let table = by_ticket.entry(&place.ticket).or_insert_with(|| empty.clone());
        let units = units(a, b, sections.get(place).copied().unwrap_or(0));
        units.iter().for_each(|(i, j)| table[*i][*j] += 1);
        if units.iter().any(|(i, j)| i != j) {
            let said = [a, b].map(|label| in_words(&label.answer));
            differ.push(Differ { ticket: place.ticket.clone(), sample: place.sample, pass: place.pass, finding: place.finding, said });
        }
    }
    let tables: Vec<&Vec<Vec<u64>>> = by_ticket.values().collect();
    let sum = |chosen: &[usize]| {
        let mut all = empty.clone();
        for table in chosen.iter().map(|at| tables[*at]) {
            for (row, add) in all.iter_mut().zip(table) {
                row.iter_mut().zip(add).for_each(|(cell, add)| *cell += add);
            }
        }
        all
    };
    let counts = sum(&(0..tables.len()).collect::<Vec<_>>());
    let whole = kappa(&counts)?;
    let names = raters.map(ToString::to_string);
    let drawn = || {
        let stream = Stream::new(seed, &format!("kappa|{}|{}|{}", kind.name(), names[0], names[1]));
        let statistic = |chosen: &[usize]| kappa(&sum(chosen))?.value;
        resample::bootstrap(stream, tables.len(), REPLICATES, statistic).interval(CONFIDENCE)
    };
    let interval = whole.value.filter(|_| whole.observed < 1.0 && tables.len() > 1).and_then(|_| drawn());
    Some(Agreement {
        kind,
        unit: if kind == Kind::Mention {
            "section of a draft"
        } else if kind == Kind::Finding {
            "finding"
        } else {
            "draft"
        },
        categories: categories.to_vec(),
        counts,
        n: whole.n,
        tickets: tables.len() as u64,
        observed: whole.observed,
        expected: whole.expected,
        kappa: whole.value,
        low: interval.map(|interval| interval.low),
        high: interval.map(|interval| interval.high),
        differ,
        raters: names,
    })
}

fn categories(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Finding => &["real", "spurious", "unsure"],
        Kind::Draft => &["correct", "incorrect", "unsure"],
        Kind::Mention => &["mentioned", "not mentioned"],
        Kind::Defect => &["a defect", "no defect"],
    }
}

/// The categories that each of two answers puts each unit into.
fn units(a: &Label, b: &Label, sections: usize) -> Vec<(usize, usize)> {
    match (&a.answer, &b.answer) {
        (Answer::Verdict(x), Answer::Verdict(y)) => {
            let place = |word: &str| categories(a.place.kind).iter().position(|name| *name == word);
            place(x.name()).zip(place(y.name())).into_iter().collect()
        }
        (Answer::Sections(x), Answer::Sections(y)) => {
            (0..sections).map(|at| (usize::from(!x.contains(&at)), usize::from(!y.contains(&at)))).collect()
        }
        (Answer::Defects(x), Answer::Defects(y)) => vec![(usize::from(x.is_empty()), usize::from(y.is_empty()))],
        _ => vec![],
    }
}

/// An answer in a few words.
pub fn in_words(answer: &Answer) -> String {
    match answer {
        Answer::Verdict(verdict) => verdict.name().to_owned(),
        Answer::Sections(list) if list.is_empty() => "no section".to_owned(),
        Answer::Sections(list) => format!("sections {}", list.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
        Answer::Defects(list) if list.is_empty() => "no defect".to_owned(),
        Answer::Defects(list) => list.iter().map(|defect| defect.class.clone()).collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::label::Verdict;

    fn label(ticket: usize, kind: Kind, answer: Answer, rater: &str) -> Label {
        let finding = (kind == Kind::Finding).then_some(0);
        let place = Place { ticket: format!("t{ticket:02}"), sample: 0, pass: 1, kind, finding };
        Label { line: None, arm: None, place, of: String::new(), answer, rater: Rater::Human(rater.into()), note: None }
    }

    fn findings(said: &[(Verdict, Verdict)]) -> Vec<Agreement> {
        let mut join = Join::default();
        for (ticket, (a, b)) in said.iter().enumerate() {
            join.fresh.push(label(ticket, Kind::Finding, Answer::Verdict(*a), "ana"));
            join.fresh.push(label(ticket, Kind::Finding, Answer::Verdict(*b), "bo"));
        }
        // Only one rater judged this one.
        join.fresh.push(label(99, Kind::Finding, Answer::Verdict(Verdict::Real), "ana"));
        agreements(&join, &[], 1)
    }

    use Verdict::{Real, Spurious, Unsure};

    #[test]
    fn two_raters_are_counted_on_what_both_judged() {
        let said = [vec![(Real, Real); 4], vec![(Spurious, Spurious); 3], vec![(Real, Spurious); 2], vec![(Unsure, Real); 1]].concat();
        let [one] = &findings(&said)[..] else { panic!("one pair") };
        assert_eq!((one.n, one.tickets, one.counts.clone()), (10, 10, vec![vec![4, 2, 0], vec![0, 3, 0], vec![1, 0, 0]]));
        // Rows 6, 3, 1; columns 5, 5, 0: expected (30 + 15) / 100.
        assert!((one.observed - 0.7).abs() < 1e-12 && (one.expected - 0.45).abs() < 1e-12);
        assert!((one.kappa.unwrap() - 0.25 / 0.55).abs() < 1e-12);
        assert!(one.low.unwrap() < one.kappa.unwrap() && one.kappa.unwrap() < one.high.unwrap());
        let differ: Vec<(&str, &[String; 2])> = one.differ.iter().map(|d| (d.ticket.as_str(), &d.said)).collect();
        assert_eq!(differ[2], ("t09", &["unsure".to_owned(), "real".to_owned()]));
        assert_eq!(one.raters, ["human:ana", "human:bo"]);
    }

    #[test]
    fn without_a_difference_there_is_no_interval_and_of_one_category_no_kappa() {
        let [same] = &findings(&[(Real, Real), (Spurious, Spurious)])[..] else { panic!() };
        assert_eq!((same.kappa, same.low, same.high), (Some(1.0), None, None));
        let [one] = &findings(&[(Real, Real), (Real, Real)])[..] else { panic!() };
        assert_eq!((one.observed, one.expected, one.kappa), (1.0, 1.0, None));
    }

    #[test]
    fn mentions_are_counted_by_section_and_defects_by_draft() {
        let mut join = Join::default();
        let (a, b) = (Answer::Sections(vec![0, 2]), Answer::Sections(vec![0]));
        join.fresh.push(label(1, Kind::Mention, a, "ana"));
        join.fresh.push(label(1, Kind::Mention, b, "bo"));
        let defects = |n: usize| Answer::Defects(vec![crate::label::Defect { class: "x".into(), quote: String::new() }; n]);
        join.fresh.push(label(1, Kind::Defect, defects(2), "ana"));
        join.fresh.push(label(1, Kind::Defect, defects(0), "bo"));
        let thing = Thing { place: join.fresh[0].place.clone(), of: String::new(), severity: None, sections: 4, again: false };
        let got = agreements(&join, &[thing], 1);
        assert_eq!(got[0].counts, [[1, 1], [0, 2]]);
        assert_eq!(
            (got[1].counts.clone(), got[1].differ[0].said.clone()),
            (vec![vec![0, 1], vec![0, 0]], ["x, x".to_owned(), "no defect".to_owned()])
        );
    }
}
