//! Who is compared: tickets by id, in both arms, without a fault.

use super::{Listed, Pairing};
use crate::summary::Frame;

/// The tickets that are compared, in order of their ids, so that no order in which they came shows in a result.
pub struct Matched<'a> {
    pub baseline: &'a Frame,
    pub candidate: &'a Frame,
    /// Places in the two.
    pub tickets: Vec<(usize, usize)>,
    /// One more than the last pass that any of them had.
    pub passes: u32,
    /// True where every one of them has one run a side.
    pub single: bool,
}

impl Matched<'_> {
    pub fn id(&self, pair: usize) -> &str {
        self.tickets.get(pair).map_or("", |(at, _)| self.baseline.ticket(*at))
    }
}

pub(super) fn pair<'a>(baseline: &'a Frame, candidate: &'a Frame) -> (Matched<'a>, Pairing) {
    let by_id = |frame: &Frame| {
        let mut places: Vec<usize> = (0..frame.len()).collect();
        places.sort_by(|x, y| frame.ticket(*x).cmp(frame.ticket(*y)));
        places
    };
    let (from, to) = (by_id(baseline), by_id(candidate));
    let mut pairing = Pairing::default();
    let mut tickets = vec![];
    let (mut i, mut j) = (0, 0);
    while let (Some(a), Some(b)) = (from.get(i), to.get(j)) {
        match baseline.ticket(*a).cmp(candidate.ticket(*b)) {
            std::cmp::Ordering::Less => {
                pairing.only_baseline.add(baseline.ticket(*a));
                i += 1;
            }
            std::cmp::Ordering::Greater => {
                pairing.only_candidate.add(candidate.ticket(*b));
                j += 1;
            }
            std::cmp::Ordering::Equal => {
                let faults = [baseline.fault(*a).is_some(), candidate.fault(*b).is_some()];
                for (_, list) in
                    faults.iter().zip([&mut pairing.faulted_baseline, &mut pairing.faulted_candidate]).filter(|(fault, _)| **fault)
                {
                    list.add(baseline.ticket(*a));
                }
                if faults == [false, false] {
                    tickets.push((*a, *b));
                }
                (i, j) = (i + 1, j + 1);
            }
        }
    }
    from[i..].iter().for_each(|a| pairing.only_baseline.add(baseline.ticket(*a)));
    to[j..].iter().for_each(|b| pairing.only_candidate.add(candidate.ticket(*b)));
    pairing.paired = tickets.len() as u64;
    let passes = tickets.iter().map(|(a, b)| 1 + baseline.last_pass(*a).max(candidate.last_pass(*b))).max().unwrap_or(0);
    let single = tickets.iter().all(|(a, b)| baseline.samples(*a).max(candidate.samples(*b)) <= 1);
    (Matched { baseline, candidate, tickets, passes, single }, pairing)
}

impl Listed {
    const NAMED_MAX: usize = 100;

    /// Counts a ticket, and names it while there is room.
    pub fn add(&mut self, ticket: &str) {
        self.count += 1;
        if self.tickets.len() < Listed::NAMED_MAX {
            self.tickets.push(ticket.to_owned());
        }
    }
}
