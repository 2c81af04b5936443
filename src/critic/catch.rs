//! The catch table: defect classes by arm, how many of the known defects each first critique caught.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::hit::{Defect, Hits, Outcome};
use crate::metric::fate::label;
use crate::stats::{CONFIDENCE, wilson};
use crate::summary::Rate;

/// Defects of one class over all arms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClassRow {
    /// In lower case, words joined by underscores.
    pub class: String,
    /// What exact checks of this class found of the same defects; null where no check decides the class, or where the arms' drafts differ in it.
    pub decided_exactly: Option<Rate>,
    /// One an arm, in the arms' order.
    pub arms: Vec<Catches>,
}

/// How many of one class one arm's first critiques caught.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Catches {
    pub caught: u64,
    /// Defects in a draft that a critic read.
    pub of: u64,
    /// Wilson's 95% interval; null over none.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Of the caught: a verified finding points at its words, and none names its class there.
    pub by_span: u64,
    /// Of the caught: a verified finding names its class in its section (in the draft, for a defect of the whole), and none points at its words.
    pub by_class: u64,
    /// Of the caught: both, by one finding or by two.
    pub by_both: u64,
    /// Of those not caught: the critique could not be read.
    pub unreadable: u64,
    /// Of those not caught: a finding of the class was dropped, or names no source where the format asks for one.
    pub dropped: u64,
    /// Not counted in `of`: its words are not in this arm's draft.
    pub absent: u64,
    /// Not counted in `of`: no critique of draft 0 was made.
    pub unseen: u64,
    /// Not counted in `of`: the critic writes prose, which has no findings.
    pub prose: u64,
    /// Of the prose that has words to quote: a located quotation touches them. Says that it was spoken of, not that it was found wrong.
    pub quoted_in_prose: Option<Rate>,
    /// What exact checks of this class found of the defects in `of`, whatever their critic said; null where no check decides it.
    pub decided_exactly: Option<Rate>,
}

/// Verified findings of first critiques that hit no known defect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Strays {
    pub arm: String,
    /// An upper bound of false alarms: what is wrong with a draft beside the known defects is not known. Null where no defect is known.
    pub stray: Option<Rate>,
    /// The same in tickets without a known defect.
    pub in_clean_tickets: Option<Rate>,
    /// Findings of first critiques that were not verified.
    pub unverified: u64,
}

/// What is known of one defect in one arm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seen {
    pub outcome: Outcome,
    /// What exact checks of its class say; None where none decides it.
    pub decided: Option<bool>,
}

/// A catch table in the making: one arm.
#[derive(Debug, Clone, Default)]
pub struct CatchSum {
    classes: BTreeMap<String, Tally>,
    verified: u64,
    stray: u64,
    verified_clean: u64,
    stray_clean: u64,
    unverified: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    catches: [u64; 4],
    missed: u64,
    unreadable: u64,
    dropped: u64,
    absent: u64,
    unseen: u64,
    prose: u64,
    quoted: (u64, u64),
    decided: (u64, u64),
}

impl CatchSum {
    /// Takes one run's first critique. `decided` is one a defect, as `hits.outcomes`.
    pub fn add(&mut self, defects: &[Defect<'_>], hits: &Hits, decided: &[Option<bool>]) {
        for ((defect, outcome), decided) in defects.iter().zip(&hits.outcomes).zip(decided) {
            self.classes.entry(label(defect.class)).or_default().add(&Seen { outcome: *outcome, decided: *decided });
        }
        for hit in &hits.findings {
            let Some(hit) = hit else {
                self.unverified += 1;
                continue;
            };
            self.verified += 1;
            self.stray += u64::from(!hit);
            if defects.is_empty() {
                self.verified_clean += 1;
                self.stray_clean += u64::from(!hit);
            }
        }
    }

    pub fn classes(&self) -> impl Iterator<Item = &str> {
        self.classes.keys().map(String::as_str)
    }

    /// Zeros over nothing for a class that this arm never met.
    pub fn catches(&self, class: &str) -> Catches {
        self.classes.get(class).map_or_else(Catches::default, Tally::catches)
    }

    /// Over all classes.
    pub fn total(&self) -> Catches {
        let mut all = Tally::default();
        self.classes.values().for_each(|tally| all.merge(tally));
        all.catches()
    }

    pub fn strays(&self, arm: &str) -> Strays {
        let known = !self.classes.is_empty();
        Strays {
            arm: arm.to_owned(),
            stray: known.then(|| Rate::new(self.stray, self.verified)),
            in_clean_tickets: known.then(|| Rate::new(self.stray_clean, self.verified_clean)),
            unverified: self.unverified,
        }
    }
}

impl Tally {
    fn add(&mut self, seen: &Seen) {
        match seen.outcome {
            Outcome::Caught { on_span, named } => self.catches[usize::from(on_span) + 2 * usize::from(named)] += 1,
            Outcome::Missed { unreadable, dropped } => {
                self.missed += 1;
                self.unreadable += u64::from(unreadable);
                self.dropped += u64::from(dropped);
            }
            Outcome::Absent => self.absent += 1,
            Outcome::Unseen => self.unseen += 1,
            Outcome::Prose { quoted } => {
                self.prose += 1;
                if let Some(quoted) = quoted {
                    self.quoted = (self.quoted.0 + u64::from(quoted), self.quoted.1 + 1);
                }
            }
        }
        let counted = matches!(seen.outcome, Outcome::Caught { .. } | Outcome::Missed { .. } | Outcome::Prose { .. });
        if let Some(decided) = seen.decided.filter(|_| counted) {
            self.decided = (self.decided.0 + u64::from(decided), self.decided.1 + 1);
        }
    }

    fn merge(&mut self, other: &Tally) {
        self.catches.iter_mut().zip(other.catches).for_each(|(mine, theirs)| *mine += theirs);
        for (mine, theirs) in [
            (&mut self.missed, other.missed),
            (&mut self.unreadable, other.unreadable),
            (&mut self.dropped, other.dropped),
            (&mut self.absent, other.absent),
            (&mut self.unseen, other.unseen),
            (&mut self.prose, other.prose),
            (&mut self.quoted.0, other.quoted.0),
            (&mut self.quoted.1, other.quoted.1),
            (&mut self.decided.0, other.decided.0),
            (&mut self.decided.1, other.decided.1),
        ] {
            *mine += theirs;
        }
    }

    fn catches(&self) -> Catches {
        let caught: u64 = self.catches.iter().sum();
        let of = caught + self.missed;
        let interval = wilson(caught, of, CONFIDENCE);
        let rate = |(k, n): (u64, u64)| (n > 0).then(|| Rate::new(k, n));
        Catches {
            caught,
            of,
            low: interval.map(|i| i.low),
            high: interval.map(|i| i.high),
            by_span: self.catches[1],
            by_class: self.catches[2],
            by_both: self.catches[3],
            unreadable: self.unreadable,
            dropped: self.dropped,
            absent: self.absent,
            unseen: self.unseen,
            prose: self.prose,
            quoted_in_prose: rate(self.quoted),
            decided_exactly: rate(self.decided),
        }
    }
}

/// The rows of the table, in the order of the classes' names.
pub(super) fn rows(arms: &[CatchSum]) -> Vec<ClassRow> {
    let mut classes: Vec<&str> = arms.iter().flat_map(CatchSum::classes).collect();
    classes.sort_unstable();
    classes.dedup();
    let row = |class: &str| {
        let arms: Vec<Catches> = arms.iter().map(|arm| arm.catches(class)).collect();
        let decided_exactly = arms.first().and_then(|first| first.decided_exactly).filter(|_| {
            let [first, rest @ ..] = arms.as_slice() else { return false };
            rest.iter().all(|other| other.decided_exactly == first.decided_exactly)
        });
        ClassRow { class: class.to_owned(), decided_exactly, arms }
    };
    classes.into_iter().map(row).collect()
}
