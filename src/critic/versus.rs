//! Two arms side by side: whether their critics had the same brief, read the same drafts and ran on the same weights, and what each caught of the
//! same defects.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::hit::Outcome;
use crate::compare::Listed;
use crate::dataset::IdHash;
use crate::stats::{CONFIDENCE, Paired, multiple, paired, tango};

/// What is kept of a run to be held against another arm's.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Kept {
    /// Prompt and sources of the ticket; None where they are not at hand.
    pub brief: Option<IdHash>,
    /// The request that draft 0 answers; None where requests were not recorded.
    pub request: Option<IdHash>,
    /// Draft 0; None where a fault came first.
    pub draft: Option<IdHash>,
    /// Which model said that it answered; None where that was not recorded.
    pub writer: Option<String>,
    pub critic: Option<String>,
    pub defects: Vec<KeptDefect>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct KeptDefect {
    pub class: String,
    /// Its words and its place among defects of the same words: what makes it the same defect in another arm.
    pub id: IdHash,
    pub outcome: Outcome,
}

/// The runs of an arm, by ticket and sample.
pub type Runs = BTreeMap<(String, u32), Kept>;

/// An arm against the first one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Versus {
    pub baseline: String,
    pub candidate: String,
    /// Runs (ticket and sample) that both arms have.
    pub paired: u64,
    pub only_baseline: Listed,
    pub only_candidate: Listed,
    /// Prompt and sources of the tickets, byte for byte.
    pub brief: Same,
    /// By the digests of the tickets files; null where one is not known. Other digests may hold the same briefs.
    pub same_dataset: Option<bool>,
    /// The recorded request for draft 0, by its key.
    pub writer_request: Same,
    /// Draft 0, byte for byte. What follows is of these runs alone.
    pub draft: Same,
    pub weights: Vec<Weights>,
    /// True where brief, draft and weights are known and the same throughout; false where one is known to differ; null where one is not known.
    pub alike: Option<bool>,
    /// One a class, over defects that both arms' critics could have caught in the same draft.
    pub classes: Vec<Difference>,
}

/// How many are the same, of those of which it is known.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Same {
    pub same: u64,
    pub known: u64,
    /// Not known on one side or both.
    pub unknown: u64,
    pub differ: Listed,
}

/// Whether one role runs on the same model in both arms, by what is known of it: its name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Weights {
    /// `writer` or `critic`.
    pub role: String,
    /// As the specs ask for it, baseline first; null where a spec does not say.
    pub requested: [Option<String>; 2],
    pub same_requested: Option<bool>,
    /// Which models said that they answered, with how many calls each, baseline first. Empty where that was not recorded.
    pub answered: [BTreeMap<String, u64>; 2],
    /// Run by run.
    pub same_answered: Same,
}

/// One class: the same defects in both arms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    pub class: String,
    /// Defects.
    pub n: u64,
    /// Tickets that hold them: where there are fewer than defects, the interval is too narrow, since defects of one ticket share a critique.
    pub tickets: u64,
    pub baseline_caught: u64,
    pub candidate_caught: u64,
    pub both: u64,
    pub only_baseline: u64,
    pub only_candidate: u64,
    pub neither: u64,
    /// Candidate's share minus baseline's; null over none.
    pub value: Option<f64>,
    /// Tango's 95% interval.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// McNemar's mid-p, two-sided.
    pub p: Option<f64>,
    /// Benjamini-Hochberg over the classes of this pair of arms. Shown; gates nothing.
    pub q: Option<f64>,
}

/// What the two arms' specs and data say of themselves.
pub(super) struct Origin<'a> {
    pub name: &'a str,
    pub digest: &'a str,
    /// Writer's and critic's model, as asked for.
    pub requested: [Option<&'a str>; 2],
    pub runs: &'a Runs,
}

pub(super) fn versus(baseline: &Origin<'_>, candidate: &Origin<'_>) -> Versus {
    let mut pairs: Vec<(&str, &Kept, &Kept)> = vec![];
    let (mut only_baseline, mut only_candidate) = (Listed::default(), Listed::default());
    for (key, mine) in baseline.runs {
        match candidate.runs.get(key) {
            Some(theirs) => pairs.push((&key.0, mine, theirs)),
            None => only_baseline.add(&key.0),
        }
    }
    candidate.runs.keys().filter(|key| !baseline.runs.contains_key(*key)).for_each(|key| only_candidate.add(&key.0));
    let brief = same(&pairs, |kept| kept.brief.as_ref());
    let draft = same(&pairs, |kept| kept.draft.as_ref());
    let weights: Vec<Weights> =
        ["writer", "critic"].into_iter().enumerate().map(|(at, role)| weigh(role, at, baseline, candidate, &pairs)).collect();
    let digests = [baseline.digest, candidate.digest];
    let known = [whole(&brief), whole(&draft)].into_iter().chain(weights.iter().map(Weights::same));
    let alike = known.reduce(|all, one| match (all, one) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    });
    let read_the_same = pairs.iter().filter(|(_, mine, theirs)| mine.draft.is_some() && mine.draft == theirs.draft);
    Versus {
        baseline: baseline.name.to_owned(),
        candidate: candidate.name.to_owned(),
        paired: pairs.len() as u64,
        only_baseline,
        only_candidate,
        same_dataset: digests.iter().all(|digest| !digest.is_empty()).then(|| digests[0] == digests[1]),
        writer_request: same(&pairs, |kept| kept.request.as_ref()),
        alike: alike.flatten(),
        classes: differences(read_the_same.copied()),
        brief,
        draft,
        weights,
    }
}

fn same<'a, T: PartialEq + 'a>(pairs: &[(&'a str, &'a Kept, &'a Kept)], of: impl Fn(&'a Kept) -> Option<&'a T>) -> Same {
    let mut out = Same::default();
    for (ticket, mine, theirs) in pairs {
        match (of(mine), of(theirs)) {
            (Some(mine), Some(theirs)) => {
                out.known += 1;
                if mine == theirs { out.same += 1 } else { out.differ.add(ticket) }
            }
            _ => out.unknown += 1,
        }
    }
    out
}

/// True where all pairs are known to be the same; None where some are not known and none differs, and where there is no pair.
fn whole(same: &Same) -> Option<bool> {
    match same {
        Same { differ, .. } if differ.count > 0 => Some(false),
        Same { unknown: 0, known: 1.., .. } => Some(true),
        _ => None,
    }
}

impl Weights {
    /// What answered counts before what was asked for: a name may stand for other weights from day to day.
    fn same(&self) -> Option<bool> {
        match (whole(&self.same_answered), self.same_requested) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        }
    }
}

fn weigh(role: &str, at: usize, baseline: &Origin<'_>, candidate: &Origin<'_>, pairs: &[(&str, &Kept, &Kept)]) -> Weights {
    let of: fn(&Kept) -> Option<&String> = if at == 0 { |kept| kept.writer.as_ref() } else { |kept| kept.critic.as_ref() };
    let requested = [baseline, candidate].map(|arm| arm.requested[at].map(str::to_owned));
    let answered = [baseline, candidate].map(|arm| {
        let mut counts = BTreeMap::new();
        arm.runs.values().filter_map(of).for_each(|model| *counts.entry(model.clone()).or_default() += 1);
        counts
    });
    // A run without a critique has no critic that could have been another.
    let asked: Vec<_> = pairs
        .iter()
        .filter(|(_, mine, theirs)| of(mine).is_some() || of(theirs).is_some() || answered.iter().all(BTreeMap::is_empty))
        .copied()
        .collect();
    Weights {
        role: role.to_owned(),
        same_requested: requested[0].as_ref().zip(requested[1].as_ref()).map(|(mine, theirs)| mine == theirs),
        requested,
        answered,
        same_answered: same(&asked, of),
    }
}

/// True and false where a critic read the draft that holds the defect.
fn caught(outcome: Outcome) -> Option<bool> {
    match outcome {
        Outcome::Caught { .. } => Some(true),
        Outcome::Missed { .. } => Some(false),
        Outcome::Absent | Outcome::Prose { .. } | Outcome::Unseen => None,
    }
}

fn differences<'a>(pairs: impl Iterator<Item = (&'a str, &'a Kept, &'a Kept)>) -> Vec<Difference> {
    #[derive(Default)]
    struct Class<'a> {
        table: Paired,
        tickets: u64,
        last: Option<&'a str>,
    }
    let mut classes: BTreeMap<&str, Class<'a>> = BTreeMap::new();
    for (ticket, mine, theirs) in pairs {
        let others: BTreeMap<IdHash, Outcome> = theirs.defects.iter().map(|defect| (defect.id, defect.outcome)).collect();
        for defect in &mine.defects {
            let Some(outcomes) = others.get(&defect.id).and_then(|other| caught(defect.outcome).zip(caught(*other))) else { continue };
            let class = classes.entry(&defect.class).or_default();
            *match outcomes {
                (true, true) => &mut class.table.both,
                (false, true) => &mut class.table.only_candidate,
                (true, false) => &mut class.table.only_baseline,
                (false, false) => &mut class.table.neither,
            } += 1;
            class.tickets += u64::from(class.last != Some(ticket));
            class.last = Some(ticket);
        }
    }
    let mut out: Vec<Difference> = classes
        .into_iter()
        .map(|(class, Class { table, tickets, .. })| {
            let interval = tango::interval(&table, CONFIDENCE);
            Difference {
                class: class.to_owned(),
                n: table.n(),
                tickets,
                baseline_caught: table.baseline().events,
                candidate_caught: table.candidate().events,
                both: table.both,
                only_baseline: table.only_baseline,
                only_candidate: table.only_candidate,
                neither: table.neither,
                value: table.difference(),
                low: interval.map(|i| i.low),
                high: interval.map(|i| i.high),
                p: paired::mcnemar(&table).map(|tests| tests.mid_p.different),
                q: None,
            }
        })
        .collect();
    let p: Vec<f64> = out.iter().filter_map(|class| class.p).collect();
    let q = multiple::benjamini_hochberg(&p).unwrap_or_default();
    out.iter_mut().filter(|class| class.p.is_some()).zip(q).for_each(|(class, q)| class.q = Some(q));
    out
}
