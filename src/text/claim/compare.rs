//! What became of the claims of one text in another: each is paired with at most one, so that equal values in equal places meet first and a
//! changed value meets what it became. The pairing is the best one there is, and the same whichever text comes first.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use super::context::{Context, FULL};
use super::{Claim, Kind, Value, claims};
use crate::model::Span;

/// A claim with the text it stands in and the claims beside it there.
#[derive(Debug, Clone, Copy)]
pub struct Item<'a> {
    pub text: &'a str,
    pub claim: &'a Claim,
    pub previous: Option<&'a Claim>,
    pub next: Option<&'a Claim>,
}

impl<'a> Item<'a> {
    /// Items of the claims of one text.
    pub fn all(text: &'a str, claims: &'a [Claim]) -> impl Iterator<Item = Item<'a>> {
        let beside = |at: usize| at.checked_sub(1).and_then(|at| claims.get(at));
        claims.iter().enumerate().map(move |(at, claim)| Item { text, claim, previous: beside(at), next: claims.get(at + 1) })
    }

    fn agrees(&self, other: &Item<'_>) -> bool {
        self.claim.agrees(self.text, other.claim, other.text)
    }
}

/// A claim that changed: its place in the list it came from, and its span in its text. A range that is one expression is one entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub item: usize,
    pub span: Span,
}

/// What a text lost, altered and added against the one before, each in text order. A value said twice is in it once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Drift {
    /// Stated before and nowhere after.
    pub lost: Vec<Place>,
    /// The same fact with another value.
    pub altered: Vec<(Place, Place)>,
    /// Stated after and nowhere before.
    pub added: Vec<Place>,
}

impl Drift {
    pub fn is_empty(&self) -> bool {
        self.lost.is_empty() && self.altered.is_empty() && self.added.is_empty()
    }

    pub(super) fn turned(self) -> Drift {
        let mut altered: Vec<_> = self.altered.into_iter().map(|(a, b)| (b, a)).collect();
        altered.sort_by_key(|(before, after)| (before.item, after.item));
        Drift { lost: self.added, altered, added: self.lost }
    }
}

/// Compares two texts claim by claim.
pub fn drift(before: &str, after: &str) -> Drift {
    let (old, new) = (claims(before), claims(after));
    let (old, new): (Vec<_>, Vec<_>) = (Item::all(before, &old).collect(), Item::all(after, &new).collect());
    compare(&old, &new)
}

/// The same for claims that are read already, of one text or of several.
pub fn compare(before: &[Item<'_>], after: &[Item<'_>]) -> Drift {
    // Where several pairings are equally good the choice must not depend on which text is called the first.
    let turn = before.len() > after.len() || (before.len() == after.len() && comes_later(before, after));
    if turn { directed(after, before).turned() } else { directed(before, after) }
}

/// By texts and places; items of one text are not compared text by text again.
fn comes_later(a: &[Item<'_>], b: &[Item<'_>]) -> bool {
    let mut last: Option<(&str, &str)> = None;
    for (a, b) in a.iter().zip(b) {
        let known = last.is_some_and(|(x, y)| std::ptr::eq(x, a.text) && std::ptr::eq(y, b.text));
        let texts = if known { Ordering::Equal } else { a.text.cmp(b.text) };
        last = Some((a.text, b.text));
        match texts.then_with(|| a.claim.span.cmp(&b.claim.span)) {
            Ordering::Equal => {}
            unequal => return unequal.is_gt(),
        }
    }
    false
}

fn directed(before: &[Item<'_>], after: &[Item<'_>]) -> Drift {
    let mut partner: Vec<Option<usize>> = vec![None; before.len()];
    for group in [0, 1, 2, 3, 4, 5, 6, 7, 8] {
        let of = |items: &[Item<'_>]| (0..items.len()).filter(|i| group_of(items[*i].claim.value.kind()) == group).collect::<Vec<_>>();
        let (old, new) = (of(before), of(after));
        match (old.as_slice(), new.as_slice()) {
            ([], _) | (_, []) => {}
            ([b], [a]) if before[*b].agrees(&after[*a]) => partner[*b] = Some(*a),
            _ if old.len().saturating_mul(new.len()) > PAIRS_MAX => pair_many(before, after, &old, &new, &mut partner),
            _ => pair(before, after, &old, &new, &mut partner),
        }
    }
    report(before, after, &partner)
}

/// Claims of one group may be equal or become each other.
fn group_of(kind: Kind) -> usize {
    match kind {
        Kind::Amount | Kind::Duration | Kind::Code => 0,
        Kind::Percent => 1,
        Kind::Money => 2,
        Kind::Ordinal => 3,
        Kind::Date => 4,
        Kind::Weekday => 5,
        Kind::Time => 6,
        Kind::Mail | Kind::Link => 7,
        Kind::Phone => 8,
    }
}

/// Above so many possible pairs (no human text) values are paired in order.
const PAIRS_MAX: usize = 10_000;

/// What an equal value is worth beside the agreement of contexts: less than two full agreements, so that two swapped values are seen.
const EQUAL: i64 = 500;
/// Context that a value needs to have become another one, where both values are stated in both texts.
const SWAP_MIN: i64 = 500;
/// The same where one side may be no claim.
const LOOSE_MIN: i64 = 400;
/// The same where the new value is new and the old one gone, likeness included.
const ALTERED_MIN: i64 = 210;

fn pair(before: &[Item<'_>], after: &[Item<'_>], old: &[usize], new: &[usize], partner: &mut [Option<usize>]) {
    let before_contexts: Vec<_> = old.iter().map(|b| context_of(&before[*b])).collect();
    let after_contexts: Vec<_> = new.iter().map(|a| context_of(&after[*a])).collect();
    let equal: Vec<Vec<bool>> = old.iter().map(|b| new.iter().map(|a| before[*b].agrees(&after[*a])).collect()).collect();
    let stays: Vec<bool> = equal.iter().map(|row| row.contains(&true)).collect();
    let known: Vec<bool> = (0..new.len()).map(|a| equal.iter().any(|row| row[a])).collect();
    let mut worth = vec![vec![0; new.len()]; old.len()];
    for (i, b) in old.iter().enumerate() {
        for (j, a) in new.iter().enumerate() {
            let agreement = before_contexts[i].agreement(&after_contexts[j]);
            let near = 50 - 50 * (i * new.len()).abs_diff(j * old.len()) as i64 / (old.len() * new.len()) as i64;
            let (b, a) = (&before[*b].claim, &after[*a].claim);
            worth[i][j] = if equal[i][j] {
                EQUAL + agreement + near
            } else {
                let stated = stays[i] || known[j];
                let likely = agreement + likeness(&b.value, &a.value) + near;
                let enough = if stated { agreement >= SWAP_MIN } else { likely >= ALTERED_MIN };
                let sure = agreement >= LOOSE_MIN || !(b.loose || a.loose);
                match b.value.kind() == a.value.kind() && enough && sure {
                    true if stated => agreement,
                    true => likely.min(FULL),
                    false => 0,
                }
            };
        }
    }
    let mut chosen = assign(&worth);
    for round in 0.. {
        let wrong = homeless(&chosen, &equal);
        if wrong.is_empty() {
            break;
        }
        wrong.iter().for_each(|(i, j)| worth[*i][*j] = 0);
        if round < ROUNDS {
            chosen = assign(&worth);
        } else {
            wrong.iter().for_each(|(i, _)| chosen[*i] = None);
        }
    }
    for (i, j) in chosen.into_iter().enumerate() {
        partner[old[i]] = j.map(|j| new[j]);
    }
}

/// How often values are paired anew without the pairs that were wrong.
const ROUNDS: usize = 8;

/// Pairs of unequal values that are no change: a value took another's place only if that other value went somewhere too; else it is gone, and
/// the other one is still there.
fn homeless(chosen: &[Option<usize>], equal: &[Vec<bool>]) -> Vec<(usize, usize)> {
    let left_before = |j: usize| chosen.iter().zip(equal).any(|(other, row)| row[j] && other.is_none());
    let left_after = |i: usize| (0..equal[i].len()).any(|other| equal[i][other] && !chosen.contains(&Some(other)));
    let pairs = chosen.iter().enumerate().filter_map(|(i, j)| Some((i, (*j)?)));
    pairs.filter(|(i, j)| !equal[*i][*j] && (left_before(*j) || left_after(*i))).collect()
}

fn context_of<'a>(item: &Item<'a>) -> Context<'a> {
    Context::new(item.text, item.claim, item.previous, item.next)
}

/// How readily one value of a kind becomes another.
fn likeness(a: &Value, b: &Value) -> i64 {
    match (a, b) {
        (Value::Measure(a), Value::Measure(b)) if a.base == b.base => 150,
        (Value::Measure(_), Value::Measure(_)) if a.kind() == Kind::Duration => 120,
        (Value::Measure(_), Value::Measure(_)) => -300,
        (Value::Money(_, a), Value::Money(_, b)) => {
            if a == b {
                150
            } else {
                100
            }
        }
        (Value::Code(a), Value::Code(b)) => {
            if shape(a) == shape(b) {
                150
            } else {
                0
            }
        }
        (Value::Mail(_), _) | (Value::Link(_), _) => 100,
        (Value::Number(_), _) | (_, Value::Number(_)) => 50,
        _ => 150,
    }
}

/// The letters that a code starts with: `INV` of `INV-00412`.
fn shape(code: &str) -> &str {
    &code[..code.find(|c: char| !c.is_alphabetic()).unwrap_or(code.len())]
}

/// Equal values in order of the text; the rest is lost and added.
fn pair_many(before: &[Item<'_>], after: &[Item<'_>], old: &[usize], new: &[usize], partner: &mut [Option<usize>]) {
    let mut places: HashMap<&Value, Vec<usize>> = HashMap::new();
    for a in new.iter().rev() {
        places.entry(&after[*a].claim.value).or_default().push(*a);
    }
    for b in old {
        partner[*b] = places.get_mut(&before[*b].claim.value).and_then(Vec::pop);
    }
}

/// The assignment of rows to columns of the highest total worth (Kuhn 1955, by shortest augmenting paths); a row may stay without a column.
fn assign(worth: &[Vec<i64>]) -> Vec<Option<usize>> {
    let rows = worth.len();
    // Each row has a column of its own worth nothing: that of staying alone.
    let columns = worth.first().map_or(0, Vec::len);
    let width = columns + rows;
    let cost = |row: usize, column: usize| if column < columns { -worth[row][column] } else { 0 };
    let (mut row_price, mut column_price) = (vec![0; rows + 1], vec![0; width + 1]);
    let mut owner = vec![0; width + 1];
    let mut way = vec![0; width + 1];
    for row in 1..=rows {
        owner[0] = row;
        let mut column = 0;
        let mut least = vec![i64::MAX; width + 1];
        let mut used = vec![false; width + 1];
        loop {
            used[column] = true;
            let own = owner[column];
            let (mut step, mut next) = (i64::MAX, 0);
            for at in 1..=width {
                if used[at] {
                    continue;
                }
                let reduced = cost(own - 1, at - 1) - row_price[own] - column_price[at];
                if reduced < least[at] {
                    (least[at], way[at]) = (reduced, column);
                }
                if least[at] < step {
                    (step, next) = (least[at], at);
                }
            }
            for at in 0..=width {
                if used[at] {
                    row_price[owner[at]] += step;
                    column_price[at] -= step;
                } else {
                    least[at] -= step;
                }
            }
            column = next;
            if owner[column] == 0 {
                break;
            }
        }
        while column != 0 {
            owner[column] = owner[way[column]];
            column = way[column];
        }
    }
    let mut out = vec![None; rows];
    for (column, row) in owner[1..=columns].iter().enumerate() {
        if let Some(row) = row.checked_sub(1).filter(|row| worth[*row][column] > 0) {
            out[row] = Some(column);
        }
    }
    out
}

/// The pairing told as what was lost, altered and added.
fn report<'a>(before: &'a [Item<'a>], after: &'a [Item<'a>], partner: &[Option<usize>]) -> Drift {
    let mut taken: Vec<Option<usize>> = vec![None; after.len()];
    for (b, a) in partner.iter().enumerate().filter_map(|(b, a)| a.map(|a| (b, a))) {
        taken[a] = Some(b);
    }
    let mut drift = Drift::default();
    let mut told = Told::default();
    let (old, new) = (Values::of(before, after.len()), Values::of(after, before.len()));
    for (b, a) in partner.iter().enumerate() {
        match a {
            Some(a) if before[b].agrees(&after[*a]) => {}
            Some(a) => told.altered(&mut drift, before, after, b, *a),
            None if before[b].claim.loose || new.state(&before[b]) => {}
            // One end of a range is gone and the other still stands: the range became that.
            None => match range_end(before, b).and_then(|end| partner[end]).filter(|a| range_end(after, *a).is_none()) {
                Some(a) => told.altered(&mut drift, before, after, b, a),
                None => tell(&mut drift.lost, &mut told.lost, before, b),
            },
        }
    }
    for (a, b) in taken.iter().enumerate().filter(|(_, b)| b.is_none()).map(|(a, _)| (a, range_end(after, a).and_then(|end| taken[end]))) {
        if after[a].claim.loose || old.state(&after[a]) {
            continue;
        }
        match b.filter(|b| range_end(before, *b).is_none()) {
            Some(b) => told.altered(&mut drift, before, after, b, a),
            None => tell(&mut drift.added, &mut told.added, after, a),
        }
    }
    drift.altered.sort_by_key(|(b, a)| (b.item, a.item));
    drift
}

/// What a text states, to be asked for one claim. Texts with more claims than a person writes are asked for the same value only.
struct Values<'a> {
    exact: HashSet<&'a Value>,
    items: &'a [Item<'a>],
}

impl<'a> Values<'a> {
    fn of(items: &'a [Item<'a>], asked: usize) -> Values<'a> {
        let many = items.len().saturating_mul(asked) > PAIRS_MAX;
        Values { exact: items.iter().map(|item| &item.claim.value).collect(), items: if many { &[] } else { items } }
    }

    fn state(&self, item: &Item<'_>) -> bool {
        self.exact.contains(&item.claim.value) || self.items.iter().any(|other| item.agrees(other))
    }
}

/// The other end of the range that a claim is an end of.
fn range_end(items: &[Item<'_>], at: usize) -> Option<usize> {
    let same_text = |a: usize, b: usize| items[a].next == Some(items[b].claim) && std::ptr::eq(items[a].text, items[b].text);
    if items[at].claim.opens_range && items.len() > at + 1 && same_text(at, at + 1) {
        return Some(at + 1);
    }
    at.checked_sub(1).filter(|low| items[*low].claim.opens_range && same_text(*low, at))
}

/// A claim's place; that of its whole range where it is an end of one.
fn place(items: &[Item<'_>], at: usize) -> Place {
    let other = range_end(items, at).unwrap_or(at);
    let (low, high) = (at.min(other), at.max(other));
    Place { item: low, span: Span::new(items[low].claim.span.start, items[high].claim.span.end) }
}

/// What was told already, so that a value said twice is told once.
#[derive(Default)]
struct Told<'a> {
    lost: HashSet<&'a Value>,
    added: HashSet<&'a Value>,
    altered: HashSet<[(&'a Value, &'a Value); 2]>,
}

impl<'a> Told<'a> {
    fn altered(&mut self, drift: &mut Drift, before: &[Item<'a>], after: &[Item<'a>], b: usize, a: usize) {
        let (from, to) = (place(before, b), place(after, a));
        if self.altered.insert([ends(before, b), ends(after, a)]) {
            drift.altered.push((from, to));
        }
    }
}

/// Puts a claim on a list, unless its value or its range is there.
fn tell<'a>(list: &mut Vec<Place>, told: &mut HashSet<&'a Value>, items: &[Item<'a>], at: usize) {
    let place = place(items, at);
    if told.insert(&items[at].claim.value) && list.last() != Some(&place) {
        list.push(place);
    }
}

/// The values of both ends of a range; of a single claim twice its value.
fn ends<'a>(items: &[Item<'a>], at: usize) -> (&'a Value, &'a Value) {
    let other = range_end(items, at).unwrap_or(at);
    (&items[at.min(other)].claim.value, &items[at.max(other)].claim.value)
}
