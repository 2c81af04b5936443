//! A figure's values by ticket at a pass, in the two views that arms are compared in. The ticket is the unit: of several samples its mean.

use super::pairing::Matched;
use crate::metric::{Cell, How};
use crate::stats::{self, resample::Fraction};
use crate::summary::{Amount, Frame, PassFigure, Plan, Spot};

/// The paired tickets of a view at a pass, as far as they have a value on both sides.
pub(super) struct Values {
    pub pass: u32,
    /// Places in [`Matched::tickets`]; the next two have one value each.
    pub tickets: Vec<usize>,
    /// A value over 1, or the two counts of a ratio.
    pub baseline: Vec<Fraction>,
    pub candidate: Vec<Fraction>,
    /// The figure of each side.
    pub figures: [PassFigure; 2],
    /// Tickets with a value on both sides: of a ratio, those with something below the line on both. Its sums hold the others too.
    pub n: u64,
    /// Tickets with a value on one side alone.
    pub one_sided: u64,
    /// True where each value is that of one run.
    pub single: bool,
}

/// Every pass that some ticket had in both arms: the tickets that both still ran.
pub(super) fn at_risk(plan: &'static Plan, pairs: &Matched<'_>) -> Vec<Values> {
    let take = |frame: &Frame, ticket, cells: &mut [Vec<(Cell, Cell)>]| {
        frame.running(plan, ticket, |pass, over, under| {
            if let Some(at) = cells.get_mut(pass as usize) {
                at.push((over.clone(), under.clone()));
            }
        });
    };
    // Two loops that go on equally long for no ticket at all still both run pass 0.
    collect(plan, pairs, take).into_iter().filter(|(seen, _)| *seen > 0).map(|(_, values)| values).collect()
}

/// Every pass: all paired tickets, last state carried forward. Nothing for a figure that is not carried.
pub(super) fn enrolled(plan: &'static Plan, pairs: &Matched<'_>) -> Vec<Values> {
    if !plan.carried() {
        return vec![];
    }
    let take = |frame: &Frame, ticket, cells: &mut [Vec<(Cell, Cell)>]| {
        frame.enrolled(plan, ticket, pairs.passes, |pass, over, under| {
            if let Some(at) = cells.get_mut(pass as usize) {
                at.push((over.clone(), under.clone()));
            }
        });
    };
    collect(plan, pairs, take).into_iter().map(|(_, values)| values).collect()
}

/// For each pass: how many tickets both sides have cells of, and their values. `take` puts a ticket's cells, one a run, by pass.
fn collect(plan: &'static Plan, pairs: &Matched<'_>, take: impl Fn(&Frame, usize, &mut [Vec<(Cell, Cell)>])) -> Vec<(u64, Values)> {
    let passes = pairs.passes as usize;
    let mut growing: Vec<Growing> = (0..pairs.passes).map(|pass| Growing::new(plan, pass)).collect();
    let [mut from, mut to] = [vec![vec![]; passes], vec![vec![]; passes]];
    for (place, (a, b)) in pairs.tickets.iter().enumerate() {
        for (frame, ticket, cells) in [(pairs.baseline, *a, &mut from), (pairs.candidate, *b, &mut to)] {
            cells.iter_mut().for_each(Vec::clear);
            take(frame, ticket, cells);
        }
        for ((at, from), to) in growing.iter_mut().zip(&from).zip(&to) {
            at.add(place, from, to);
        }
    }
    growing.into_iter().map(|at| (at.seen, at.finish(pairs.single))).collect()
}

/// One pass of one view in the making.
struct Growing {
    plan: &'static Plan,
    pass: u32,
    seen: u64,
    tickets: Vec<usize>,
    sides: [Growth; 2],
    one_sided: u64,
}

/// One side of it.
struct Growth {
    values: Vec<Fraction>,
    spot: Spot,
    missing: u64,
}

impl Growing {
    fn new(plan: &'static Plan, pass: u32) -> Growing {
        let side = || Growth { values: vec![], spot: Spot::new(plan), missing: 0 };
        Growing { plan, pass, seen: 0, tickets: vec![], sides: [side(), side()], one_sided: 0 }
    }

    fn add(&mut self, place: usize, from: &[(Cell, Cell)], to: &[(Cell, Cell)]) {
        if from.is_empty() || to.is_empty() {
            return;
        }
        self.seen += 1;
        let found = [from, to].map(|cells| value(self.plan, cells));
        if let [Some(a), Some(b)] = found {
            self.tickets.push(place);
            for ((side, cells), value) in self.sides.iter_mut().zip([from, to]).zip([a, b]) {
                side.values.push(value);
                cells.iter().for_each(|(over, under)| side.spot.add(over, under, place as u64 + 1));
            }
            return;
        }
        self.one_sided += u64::from(found.iter().any(Option::is_some));
        for ((side, cells), found) in self.sides.iter_mut().zip([from, to]).zip(found) {
            side.missing += if found.is_none() { cells.len() as u64 } else { 0 };
        }
    }

    fn finish(self, single: bool) -> Values {
        let Growing { plan, pass, tickets, sides, one_sided, .. } = self;
        let figures = [&sides[0], &sides[1]].map(|side| {
            let mut figure = side.spot.figure(pass as usize, single);
            figure.missing += side.missing;
            if single || matches!(plan.figure.how, How::Ratio(..)) { figure } else { of_means(plan, figure, &side.values) }
        });
        let [baseline, candidate] = sides.map(|side| side.values);
        let n = baseline.iter().zip(&candidate).filter(|((_, a), (_, b))| *a != 0.0 && *b != 0.0).count() as u64;
        Values { pass, tickets, baseline, candidate, figures, n, one_sided, single }
    }
}

/// A ticket's value: the mean of its runs' values, or the sums of their counts. None where no run has one.
fn value(plan: &Plan, cells: &[(Cell, Cell)]) -> Option<Fraction> {
    let (mut over, mut under, mut count) = (0.0, 0.0, 0.0);
    for (a, b) in cells.iter().filter_map(|(over, under)| plan.fraction(over, under)) {
        (over, under, count) = (over + a, under + b, count + 1.0);
    }
    match plan.figure.how {
        _ if count == 0.0 => None,
        How::Ratio(..) => Some((over, under)),
        _ => Some((over / count, 1.0)),
    }
}

/// The figure of several samples, each ticket counted once: without intervals, which are those of single runs.
fn of_means(plan: &Plan, pooled: PassFigure, values: &[Fraction]) -> PassFigure {
    let n = values.len() as u64;
    let sum: f64 = values.iter().map(|(value, _)| value).sum();
    let mean =
        PassFigure { num: Some(Amount::Real(sum)), den: Some(n), value: (n > 0).then(|| sum / n as f64), low: None, high: None, ..pooled };
    match plan.figure.how {
        How::Median(_) => {
            let mut sorted: Vec<(f64, u64)> = values.iter().map(|(value, _)| (*value, 1)).collect();
            sorted.sort_by(|x, y| x.0.total_cmp(&y.0));
            PassFigure { num: None, den: None, value: stats::median(&sorted), ..mean }
        }
        _ => mean,
    }
}
