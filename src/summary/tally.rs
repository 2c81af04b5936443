//! Counting: what a figure needs of the rows of a run, added up per pass in two views. Order of addition never shows in a result.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::{Amount, PassFigure};
use crate::metric::{self, Carry, Cell, Column, Figure, How, Kind, Row};
use crate::model::Usd;
use crate::stats::{self, CONFIDENCE, Interval};

/// A figure with its columns looked up.
pub struct Plan {
    pub figure: &'static Figure,
    over: Source,
    /// Ratios only.
    under: Option<Source>,
}

struct Source {
    at: usize,
    column: &'static Column,
}

impl Plan {
    /// Every figure whose columns are known; a test holds all of them to it.
    pub fn all() -> &'static [Plan] {
        static ALL: LazyLock<Vec<Plan>> = LazyLock::new(|| metric::figures().filter_map(Plan::of).collect());
        &ALL
    }

    fn of(figure: &'static Figure) -> Option<Plan> {
        let source = |name: &str| metric::columns().enumerate().find(|(_, c)| c.name == name).map(|(at, column)| Source { at, column });
        let (over, under) = match figure.how {
            How::Share(over) | How::Median(over) | How::Mean(over) => (source(over)?, None),
            How::Ratio(over, under) => (source(over)?, Some(source(under)?)),
        };
        Some(Plan { figure, over, under })
    }

    /// The plan of a figure by its name.
    pub fn named(name: &str) -> Option<&'static Plan> {
        Plan::all().iter().find(|plan| plan.figure.name == name)
    }

    /// True where the figure can be carried over passes.
    pub fn carried(&self) -> bool {
        self.sources().all(|source| source.column.carry != Carry::No)
    }

    fn sources(&self) -> impl Iterator<Item = &Source> {
        std::iter::once(&self.over).chain(&self.under)
    }

    /// Places of its columns in a row, and what each holds.
    pub fn columns(&self) -> impl Iterator<Item = (usize, Kind)> {
        self.sources().map(|source| (source.at, source.column.kind))
    }

    fn cells<'a>(&self, row: &'a Row) -> (&'a Cell, &'a Cell) {
        (row.cell(self.over.at), self.under.as_ref().map_or(&Cell::Null, |source| row.cell(source.at)))
    }

    /// What a run adds to the figure: a value over 1 (a flag is 1 or 0), or the two counts of a ratio. None where it adds nothing.
    pub fn fraction(&self, over: &Cell, under: &Cell) -> Option<(f64, f64)> {
        match (self.figure.how, over, under) {
            (How::Share(_), Cell::Flag(flag), _) => Some((f64::from(u8::from(*flag)), 1.0)),
            (How::Share(_), ..) => None,
            (How::Median(_) | How::Mean(_), value, _) => Some((value.number()?, 1.0)),
            (How::Ratio(..), Cell::Int(over), Cell::Int(under)) => Some((*over as f64, *under as f64)),
            (How::Ratio(..), ..) => None,
        }
    }

    fn tally(&self) -> Tally {
        match (self.figure.how, self.over.column.kind) {
            (How::Share(_), _) => Tally::Share { yes: 0, all: 0 },
            (How::Median(_), _) => Tally::Median(Values::default()),
            (How::Ratio(_, _), _) => Tally::Ratio(BTreeMap::new()),
            (How::Mean(_), Kind::Usd) => Tally::Money { sum: Usd::ZERO, count: 0 },
            (How::Mean(_), Kind::Real) => Tally::Mean(Values::default()),
            (How::Mean(_), _) => Tally::Whole { sum: 0, count: 0 },
        }
    }
}

/// How often each value came, in order of value. Sums over it are the same however its parts were merged.
#[derive(Clone, Default)]
pub struct Values {
    counted: BTreeMap<u64, u64>,
    /// Single values that are still to be counted: many at once are counted at less cost.
    single: Vec<u64>,
}

const SINGLE_MAX: usize = 1 << 8;

impl Values {
    /// Bits that order as the numbers do: those of the float, turned over for negative ones.
    fn add(&mut self, value: f64) {
        let bits = (value + 0.0).to_bits();
        let key = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
        self.single.push(key);
        if self.single.len() == SINGLE_MAX {
            self.count_singles();
        }
    }

    fn count_singles(&mut self) {
        self.single.sort_unstable();
        for same in self.single.chunk_by(|a, b| a == b) {
            *self.counted.entry(same[0]).or_default() += same.len() as u64;
        }
        self.single.clear();
    }

    fn merge(&mut self, mut other: Values) {
        other.count_singles();
        other.counted.into_iter().for_each(|(key, count)| *self.counted.entry(key).or_default() += count);
    }

    fn counts(&self) -> Vec<(f64, u64)> {
        let value = |key: u64| f64::from_bits(if key >> 63 == 1 { key & !(1 << 63) } else { !key });
        let mut all = self.clone();
        all.count_singles();
        all.counted.iter().map(|(key, count)| (value(*key), *count)).collect()
    }
}

#[derive(Clone)]
enum Tally {
    Share {
        yes: u64,
        all: u64,
    },
    Median(Values),
    Mean(Values),
    Whole {
        sum: i128,
        count: u64,
    },
    Money {
        sum: Usd,
        count: u64,
    },
    /// How often each pair of the two counts came.
    Ratio(BTreeMap<(i64, i64), u64>),
}

impl Tally {
    /// False where there is no value to add. Of a ratio 0 of 0 is none: its sums are what they were.
    fn add(&mut self, over: &Cell, under: &Cell) -> bool {
        match (self, over, under) {
            (Tally::Share { yes, all }, Cell::Flag(flag), _) => {
                *yes += u64::from(*flag);
                *all += 1;
            }
            (Tally::Median(values) | Tally::Mean(values), cell, _) => match cell.number() {
                Some(value) => values.add(value),
                None => return false,
            },
            (Tally::Whole { sum, count }, Cell::Int(n), _) => {
                *sum += i128::from(*n);
                *count += 1;
            }
            (Tally::Money { sum, count }, Cell::Usd(usd), _) => {
                *sum = *sum + *usd;
                *count += 1;
            }
            (Tally::Ratio(pairs), Cell::Int(a), Cell::Int(b)) => {
                *pairs.entry((*a, *b)).or_default() += 1;
                return *b != 0;
            }
            _ => return false,
        }
        true
    }

    fn merge(&mut self, other: Tally) {
        match (self, other) {
            (Tally::Share { yes, all }, Tally::Share { yes: y, all: a }) => (*yes, *all) = (*yes + y, *all + a),
            (Tally::Median(mine), Tally::Median(theirs)) | (Tally::Mean(mine), Tally::Mean(theirs)) => mine.merge(theirs),
            (Tally::Whole { sum, count }, Tally::Whole { sum: s, count: c }) => (*sum, *count) = (*sum + s, *count + c),
            (Tally::Money { sum, count }, Tally::Money { sum: s, count: c }) => (*sum, *count) = (*sum + s, *count + c),
            (Tally::Ratio(mine), Tally::Ratio(theirs)) => theirs.into_iter().for_each(|(pair, n)| *mine.entry(pair).or_default() += n),
            // The same figure has the same kind of tally.
            _ => {}
        }
    }
}

/// One figure at one pass.
#[derive(Clone)]
pub struct Spot {
    tally: Tally,
    /// Tickets with a value; `ticket` is the last of them, so that its further samples are not counted again.
    n: u64,
    ticket: u64,
    missing: u64,
}

impl Spot {
    pub fn new(plan: &Plan) -> Spot {
        Spot { tally: plan.tally(), n: 0, ticket: 0, missing: 0 }
    }

    /// Adds a run. Tickets are numbered from 1, and the runs of one come together.
    pub fn add(&mut self, over: &Cell, under: &Cell, ticket: u64) {
        if !self.tally.add(over, under) {
            self.missing += 1;
        } else if self.ticket != ticket {
            (self.n, self.ticket) = (self.n + 1, ticket);
        }
    }

    fn merge(&mut self, other: Spot) {
        self.tally.merge(other.tally);
        (self.n, self.missing) = (self.n + other.n, self.missing + other.missing);
    }

    pub fn figure(&self, pass: usize, single: bool) -> PassFigure {
        let mut out = PassFigure {
            pass: pass as u32,
            num: None,
            den: None,
            value: None,
            mean_of_ratios: None,
            low: None,
            high: None,
            n: self.n,
            missing: self.missing,
        };
        let mut fraction = |num: Amount, over: f64, den: u64| {
            (out.num, out.den, out.value) = (Some(num), Some(den), (den > 0).then(|| over / den as f64));
        };
        let mut interval: Option<Interval> = None;
        match &self.tally {
            Tally::Share { yes, all } => {
                fraction(Amount::Count(whole(*yes)), *yes as f64, *all);
                interval = stats::wilson(*yes, *all, CONFIDENCE);
            }
            Tally::Whole { sum, count } => fraction(Amount::Count(whole(*sum)), *sum as f64, *count),
            Tally::Money { sum, count } => fraction(Amount::Usd(*sum), sum.to_f64(), *count),
            Tally::Mean(values) => {
                let counts = values.counts();
                let sum: f64 = counts.iter().map(|(value, count)| value * *count as f64).sum();
                fraction(Amount::Real(sum), sum, counts.iter().map(|(_, count)| count).sum());
            }
            Tally::Median(values) => {
                let counts = values.counts();
                out.value = stats::median(&counts);
                interval = stats::median_interval(&counts, CONFIDENCE);
            }
            Tally::Ratio(pairs) => {
                let sum = |of: fn(&(i64, i64)) -> i64| pairs.iter().map(|(pair, n)| i128::from(of(pair)) * i128::from(*n)).sum::<i128>();
                let (over, under) = (sum(|pair| pair.0), sum(|pair| pair.1));
                fraction(Amount::Count(whole(over)), over as f64, u64::try_from(under).unwrap_or(0));
                let own = || pairs.iter().filter(|((_, under), _)| *under > 0);
                let count: u64 = own().map(|(_, n)| n).sum();
                let total: f64 = own().map(|((over, under), n)| *over as f64 / *under as f64 * *n as f64).sum();
                out.mean_of_ratios = (count > 0).then(|| total / count as f64);
            }
        }
        if let Some(Interval { low, high }) = interval.filter(|_| single) {
            (out.low, out.high) = (Some(low), Some(high));
        }
        out
    }
}

fn whole<T: TryInto<i64>>(n: T) -> i64 {
    n.try_into().unwrap_or(i64::MAX)
}

/// A figure at every pass, in both views.
pub struct Views {
    empty: Spot,
    running: Vec<Spot>,
    /// As long as the longest run at least, so that its last spot holds the final state of every run.
    enrolled: Vec<Spot>,
}

impl Views {
    pub fn new(plan: &Plan, passes: usize) -> Views {
        let empty = Spot::new(plan);
        Views { running: vec![], enrolled: vec![empty.clone(); if plan.carried() { passes } else { 0 }], empty }
    }

    pub fn add(&mut self, plan: &Plan, rows: &[Row], ticket: u64) {
        let length = rows.iter().map(|row| row.pass as usize + 1).max().unwrap_or(0);
        if self.running.len() < length {
            self.running.resize(length, self.empty.clone());
        }
        for row in rows {
            let (over, under) = plan.cells(row);
            self.running[row.pass as usize].add(over, under, ticket);
        }
        if !plan.carried() {
            return;
        }
        self.reach(length);
        let mut state = Carried::new(plan);
        let mut rows = rows.iter().peekable();
        for (pass, spot) in self.enrolled.iter_mut().enumerate() {
            while let Some(row) = rows.next_if(|row| row.pass as usize <= pass) {
                let (over, under) = plan.cells(row);
                state.take(over, under);
            }
            spot.add(state.over(), state.under(), ticket);
        }
    }

    /// A longer run than any before: the others stay as they last were.
    fn reach(&mut self, length: usize) {
        if self.enrolled.len() < length {
            let last = self.enrolled.last().unwrap_or(&self.empty).clone();
            self.enrolled.resize(length, last);
        }
    }

    pub fn merge(&mut self, mut other: Views) {
        let length = self.running.len().max(other.running.len());
        for views in [&mut self.running, &mut other.running] {
            views.resize(length, self.empty.clone());
        }
        let length = self.enrolled.len().max(other.enrolled.len());
        self.reach(length);
        other.reach(length);
        self.running.iter_mut().zip(other.running).for_each(|(mine, theirs)| mine.merge(theirs));
        self.enrolled.iter_mut().zip(other.enrolled).for_each(|(mine, theirs)| mine.merge(theirs));
    }

    pub fn running(&self, single: bool) -> Vec<PassFigure> {
        self.running.iter().enumerate().map(|(pass, spot)| spot.figure(pass, single)).collect()
    }

    pub fn enrolled(&self, single: bool) -> Vec<PassFigure> {
        self.enrolled.iter().enumerate().map(|(pass, spot)| spot.figure(pass, single)).collect()
    }
}

/// A run's state in the columns of a figure, up to a pass: what the view `enrolled` is made of.
pub struct Carried<'a> {
    plan: &'a Plan,
    over: State,
    under: State,
}

impl<'a> Carried<'a> {
    pub fn new(plan: &'a Plan) -> Carried<'a> {
        Carried { plan, over: State::default(), under: State::default() }
    }

    /// Takes the next pass.
    pub fn take(&mut self, over: &Cell, under: &Cell) {
        self.over.take(self.plan.over.column.carry, over);
        if let Some(source) = &self.plan.under {
            self.under.take(source.column.carry, under);
        }
    }

    pub fn over(&self) -> &Cell {
        &self.over.cell
    }

    pub fn under(&self) -> &Cell {
        &self.under.cell
    }
}

/// A run's state in one column, up to a pass.
struct State {
    cell: Cell,
    unknown: bool,
}

impl Default for State {
    fn default() -> Self {
        State { cell: Cell::Null, unknown: false }
    }
}

impl State {
    fn take(&mut self, carry: Carry, next: &Cell) {
        self.unknown |= carry == Carry::Total && *next == Cell::Null;
        if *next == Cell::Null || self.unknown {
            if self.unknown {
                self.cell = Cell::Null;
            }
            return;
        }
        self.cell = match (carry, &self.cell, next) {
            (Carry::Sum | Carry::Total, Cell::Int(a), Cell::Int(b)) => Cell::Int(a.saturating_add(*b)),
            (Carry::Sum | Carry::Total, Cell::Real(a), Cell::Real(b)) => Cell::Real(a + b),
            (Carry::Sum | Carry::Total, Cell::Usd(a), Cell::Usd(b)) => Cell::Usd(*a + *b),
            (Carry::Any, Cell::Flag(true), _) => Cell::Flag(true),
            (_, _, next) => next.clone(),
        };
    }
}
