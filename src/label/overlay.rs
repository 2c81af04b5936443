//! Labels of mentions laid over runs before they are measured: they say which sections a critique speaks of, and the resolver does not.

use super::join::refuse;
use super::{Answer, Kind, Label, Labels, Rater, Thing, things};
use crate::model::Run;
use crate::text::section::SectionRule;

/// What labels did to runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Laid {
    /// Passes whose mentions come from labels.
    pub passes: u64,
    /// Labels of mentions that were made for this arm and not used, since what they are of has changed.
    pub stale: u64,
}

impl std::ops::AddAssign for Laid {
    fn add_assign(&mut self, other: Laid) {
        self.passes += other.passes;
        self.stale += other.stale;
    }
}

impl Labels {
    /// Over runs of one ticket.
    pub fn lay_over(&self, arm: &str, rule: SectionRule, runs: &mut [Run]) -> Laid {
        let mut laid = Laid::default();
        let Some(ticket) = runs.first().map(|run| run.ticket.clone()) else { return laid };
        let of_mentions: Vec<&Label> = self
            .of(arm, &ticket)
            .filter(|label| label.place.kind == Kind::Mention && runs.iter().any(|run| run.sample == label.place.sample))
            .collect();
        if of_mentions.is_empty() {
            return laid;
        }
        let mut used = vec![false; of_mentions.len()];
        for run in runs {
            let judged: Vec<Thing> = things(run, rule).into_iter().filter(|thing| thing.place.kind == Kind::Mention).collect();
            for thing in judged {
                let mut fresh = vec![];
                for (label, used) in of_mentions.iter().zip(&mut used) {
                    if label.place == thing.place && refuse(label, Some(&thing)).is_none() {
                        *used = true;
                        fresh.push(*label);
                    }
                }
                if let (false, Some(pass)) = (fresh.is_empty(), run.passes.iter_mut().find(|pass| pass.index == thing.place.pass)) {
                    pass.labelled_mentions = Some(resolve(&fresh, thing.sections));
                    laid.passes += 1;
                }
            }
        }
        laid.stale = of_mentions.iter().zip(used).filter(|(label, used)| label.arm.is_some() && !used).count() as u64;
        laid
    }
}

/// The sections that at least half of the raters named, of those whose word weighs most: planted, then people, then models. A tie counts as
/// mentioned, since edits of what nobody mentioned can then only be understated.
fn resolve(labels: &[&Label], sections: usize) -> Vec<usize> {
    let rank = |rater: &Rater| Rater::PROVENANCES.iter().position(|name| *name == rater.provenance());
    let first = labels.iter().map(|label| rank(&label.rater)).min();
    let counted: Vec<&&Label> = labels.iter().filter(|label| Some(rank(&label.rater)) == first).collect();
    let named = |section: &usize| {
        let says = |label: &&&Label| matches!(&label.answer, Answer::Sections(list) if list.contains(section));
        2 * counted.iter().filter(|label| says(label)).count() >= counted.len()
    };
    (0..sections).filter(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::label::{Place, form};
    use crate::model::{Critique, CritiqueStatus, Pass, Stop};

    const DRAFT: &str = "One.\n\nTwo.\n\nThree.\n";

    fn run(critique: &str) -> Run {
        let critique = Critique { status: CritiqueStatus::Ok, text: critique.into(), findings: None, repairs: vec![], quotations: vec![] };
        let draft = Some(DRAFT.to_owned());
        let passes = vec![Pass { draft: draft.clone(), ..Pass::new(0) }, Pass { critique: Some(critique), draft, ..Pass::new(1) }];
        Run { ticket: "a".into(), sample: 0, passes, stop: Stop::MaxPasses, fault: None, unused: vec![] }
    }

    fn file(labels: &[(&str, &str, &[usize], &str)]) -> Labels {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("labels.jsonl");
        let place = Place { ticket: "a".into(), sample: 0, pass: 1, kind: Kind::Mention, finding: None };
        let line = |(arm, rater, sections, of): &(&str, &str, &[usize], &str)| {
            form::written(&Label {
                line: None,
                arm: Some((*arm).to_owned()),
                place: place.clone(),
                of: (*of).to_owned(),
                answer: Answer::Sections(sections.to_vec()),
                rater: Rater::parse(rater).unwrap(),
                note: None,
            })
        };
        std::fs::write(&path, labels.iter().map(line).collect::<String>()).unwrap();
        Labels::read(&path).unwrap()
    }

    #[test]
    fn the_surest_raters_say_what_is_mentioned_and_stale_labels_say_nothing() {
        let of = things(&run("Two is odd."), SectionRule::Auto)[1].of.clone();
        let of = things(&run("Two is odd."), SectionRule::Auto).iter().find(|t| t.place.kind == Kind::Mention).map_or(of, |t| t.of.clone());
        let lay = |labels: &[(&str, &str, &[usize], &str)], critique: &str, rule| {
            let mut runs = [run(critique)];
            let laid = file(labels).lay_over("/data/x/arm", rule, &mut runs);
            (runs[0].passes[1].labelled_mentions.clone(), laid.passes, laid.stale)
        };
        let auto = SectionRule::Auto;
        let (ana, bo, model) = (("x/arm", "human:ana"), ("x/arm", "human:bo"), ("x/arm", "model-reader:m"));
        let label = |(arm, rater): (&'static str, &'static str), sections: &'static [usize]| (arm, rater, sections, of.as_str());
        assert_eq!(lay(&[label(ana, &[1])], "Two is odd.", auto), (Some(vec![1]), 1, 0));
        // Half of two is enough; a model's word does not count beside a person's.
        assert_eq!(lay(&[label(ana, &[1]), label(bo, &[1, 2]), label(model, &[0])], "Two is odd.", auto), (Some(vec![1, 2]), 1, 0));
        assert_eq!(lay(&[label(model, &[])], "Two is odd.", auto), (Some(vec![]), 1, 0));
        // Another critique, another way to cut the draft, a section that is not there, another arm.
        assert_eq!(lay(&[label(ana, &[1])], "Three is odd.", auto), (None, 0, 1));
        assert_eq!(lay(&[label(ana, &[1])], "Two is odd.", SectionRule::Heading), (None, 0, 1));
        assert_eq!(lay(&[label(ana, &[1, 3])], "Two is odd.", auto), (None, 0, 1));
        assert_eq!(lay(&[label(("y/arm", "human:ana"), &[1])], "Two is odd.", auto), (None, 0, 0));
    }
}
