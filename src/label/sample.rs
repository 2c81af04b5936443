//! Which things a rater is shown: a seeded sample that sees every severity, however rare.

use std::collections::BTreeMap;

use super::{Kind, Thing};
use crate::stats::draw::Stream;

/// Findings of one severity, or all things of another kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stratum {
    /// In lower case; empty where the critic gave none, and for other kinds.
    pub severity: String,
    /// How many there are.
    pub size: usize,
    /// How many of them are in the sample.
    pub drawn: usize,
}

/// Chosen things of one kind, as places in `things`, in the order they are to be shown, and the strata they were drawn from.
///
/// Every stratum gets the same number, as far as it has so many; what it lacks goes to the others. The order is drawn too, so that neither
/// severity nor ticket can be told by it, and so that a rater who stops early leaves a random part. A larger sample of the same seed holds the
/// smaller one's things, as long as no stratum gets less.
pub fn sample(things: &[Thing], kind: Kind, size: Option<usize>, seed: u64) -> (Vec<usize>, Vec<Stratum>) {
    let stream = |thing: &Thing| Stream::new(seed, &format!("label|{}|{}", thing.place.sample, thing.place)).draw(0, 0, 1);
    let mut strata: BTreeMap<(u32, &str), Vec<(u64, usize)>> = BTreeMap::new();
    for (at, thing) in things.iter().enumerate().filter(|(_, thing)| thing.place.kind == kind && !thing.again) {
        let (rank, severity) = thing.severity.as_ref().map_or((None, ""), |(rank, word)| (*rank, word.as_str()));
        strata.entry((rank.unwrap_or(u32::MAX), severity)).or_default().push((stream(thing), at));
    }
    let mut left = size.unwrap_or(usize::MAX);
    let mut shares = vec![0; strata.len()];
    let mut by_size: Vec<(usize, usize)> = strata.values().enumerate().map(|(at, list)| (list.len(), at)).collect();
    by_size.sort_unstable();
    for (done, (size, at)) in by_size.iter().enumerate() {
        shares[*at] = (left / (by_size.len() - done)).min(*size);
        left -= shares[*at];
    }
    let (mut chosen, mut told) = (vec![], vec![]);
    for (((_, severity), mut list), drawn) in strata.into_iter().zip(shares) {
        list.sort_unstable();
        told.push(Stratum { severity: severity.to_owned(), size: list.len(), drawn });
        chosen.extend(list.into_iter().take(drawn));
    }
    chosen.sort_unstable();
    (chosen.into_iter().map(|(_, at)| at).collect(), told)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::label::Place;

    fn things(counts: &[(&str, u32)]) -> Vec<Thing> {
        let thing = |severity: &str, at: u32| Thing {
            place: Place { ticket: format!("t{at}"), sample: 0, pass: 1, kind: Kind::Finding, finding: Some(0) },
            of: String::new(),
            severity: Some((Some(u32::from(severity == "minor")), severity.to_owned())),
            sections: 0,
            again: false,
        };
        let mut next = 0;
        let mut out = vec![];
        for (severity, count) in counts {
            for _ in 0..*count {
                out.push(thing(severity, next));
                next += 1;
            }
        }
        out
    }

    #[test]
    fn rare_severities_are_seen_and_what_they_lack_goes_to_the_others() {
        let all = things(&[("blocking", 3), ("minor", 200)]);
        let told = |size| sample(&all, Kind::Finding, size, 1).1.into_iter().map(|s| (s.severity, s.size, s.drawn)).collect::<Vec<_>>();
        assert_eq!(told(Some(20)), [("blocking".into(), 3, 3), ("minor".into(), 200, 17)]);
        assert_eq!(told(Some(4)), [("blocking".into(), 3, 2), ("minor".into(), 200, 2)]);
        assert_eq!(told(None), [("blocking".into(), 3, 3), ("minor".into(), 200, 200)]);
        assert!(sample(&all, Kind::Draft, None, 1).0.is_empty());
    }

    #[test]
    fn a_sample_is_of_its_seed_and_grows() {
        let all = things(&[("blocking", 3), ("minor", 200)]);
        let chosen = |size, seed| sample(&all, Kind::Finding, Some(size), seed).0;
        assert_eq!(chosen(20, 7), chosen(20, 7));
        assert_ne!(chosen(20, 7), chosen(20, 8));
        let large = chosen(40, 7);
        assert!(chosen(20, 7).iter().all(|at| large.contains(at)));
        // The severities are mixed: the three blocking findings are not simply the first.
        assert!((0..20).any(|seed| chosen(20, seed)[..3].iter().any(|at| *at >= 3)));
    }
}
