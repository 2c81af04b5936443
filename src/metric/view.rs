//! One pass of one run as the measurements see it: everything that several of them need is worked out once, here.

use std::cell::OnceCell;

use super::claim::Read;
use super::fate::{self, Story};
use super::mention::{self, Mentioned};
use super::nondraft::{self, Flaw, Words as Bag};
use super::repeat;
use crate::arm::Spec;
use crate::model::{Critique, CritiqueStatus, Pass, Run, Span, Ticket};
use crate::text::check::Reading;
use crate::text::diff::{self, Changed};
use crate::text::locality;
use crate::text::mention::Index;
use crate::text::section::{self, Alignment, SectionEdits, SectionRule, Words};

/// What of the loop's spec the measurements depend on.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// As the spec says; `Auto` is settled by each run's first draft.
    pub sections: SectionRule,
    /// Percent by which a draft may outgrow the original.
    pub growth: u32,
}

impl Settings {
    pub fn of(spec: &Spec) -> Settings {
        Settings { sections: spec.sections, growth: spec.growth }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings { sections: SectionRule::Auto, growth: 15 }
    }
}

/// A run with what its passes share. A draft that a pass kept is looked at once, however many passes read it.
pub struct Views<'a> {
    pub(super) ticket: &'a Ticket,
    pub(super) run: &'a Run,
    pub(super) settings: Settings,
    /// Different drafts in the order they were made.
    pub(super) drafts: Vec<Draft<'a>>,
    /// One a pass of the run.
    pub(super) passes: Vec<Facts>,
    story: OnceCell<Story>,
    claims: OnceCell<Read>,
    critique_words: OnceCell<Vec<Option<Bag>>>,
}

/// A draft, cut and judged.
pub struct Draft<'a> {
    pub text: &'a str,
    pub(super) scalars: Vec<char>,
    /// How many scalars.
    pub chars: usize,
    pub sections: Vec<Span>,
    /// The texts of `sections`.
    pub texts: Vec<&'a str>,
    words: Words,
    /// Which section each is, over all drafts of the run: a section keeps its number while alignment finds it again.
    pub identity: Vec<usize>,
    pub flaw: Flaw,
    /// Levenshtein distance from draft 0, in scalars; None where the two are too long and too different for it to be known.
    pub from_original: Option<usize>,
    held: OnceCell<Vec<bool>>,
    /// Made when a critique speaks of the draft.
    pub(super) index: Option<Index<'a>>,
}

impl<'a> Draft<'a> {
    fn new(text: &'a str, rule: SectionRule) -> Draft<'a> {
        let sections = section::sections(text, rule);
        let texts: Vec<&str> = sections.iter().map(|span| span.of(text).unwrap_or_default()).collect();
        let scalars = diff::scalars(text);
        Draft {
            text,
            chars: scalars.len(),
            scalars,
            sections,
            words: Words::new(texts.len()),
            texts,
            identity: vec![],
            flaw: Flaw::default(),
            from_original: Some(0),
            held: OnceCell::new(),
            index: None,
        }
    }

    /// Whether each of the ticket's checks holds in this draft.
    pub fn held(&self, ticket: &Ticket) -> &[bool] {
        self.held.get_or_init(|| {
            let reading = Reading::new(self.text);
            ticket.checks.iter().map(|check| reading.holds(&check.rule)).collect()
        })
    }

    /// The first section that a span shares a byte with.
    pub fn section_at(&self, span: Span) -> Option<usize> {
        let first = self.sections.partition_point(|section| section.end <= span.start);
        self.sections.get(first).filter(|section| section.overlaps(span)).map(|_| first)
    }
}

/// Scalars of a text.
pub(super) fn scalars(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().count() }
}

/// The way from one draft to the next, where they differ.
pub struct Step {
    pub alignment: Alignment,
    pub edits: SectionEdits,
    /// None where the drafts are too long and too different for it to be known.
    pub changed: Option<Changed>,
    /// Levenshtein distance in scalars; None likewise.
    pub distance: Option<usize>,
}

impl Step {
    fn new(before: &Draft<'_>, after: &Draft<'_>) -> Step {
        let alignment = section::align_sections(&before.texts, &before.words, &after.texts, &after.words);
        let edits = section::edits_of(&before.texts, &after.texts, &alignment);
        let changed = diff::changed_scalars(&before.scalars, &after.scalars);
        // Deleting and inserting alone is a way from one to the other, so its length is a bound.
        let distance = changed.and_then(|changed| diff::levenshtein_scalars(&before.scalars, &after.scalars, changed.total()));
        Step { edits, alignment, changed, distance }
    }
}

/// What is known of a pass beyond the run itself. Drafts are places in [`Views::drafts`].
pub(super) struct Facts {
    pub incoming: Option<usize>,
    pub draft: Option<usize>,
    /// None where the pass made no draft or kept the incoming one.
    pub step: Option<Step>,
    /// Merged spans that the critique points at, in the incoming draft.
    pub scope: Vec<Span>,
    /// What the critique mentions of the incoming draft.
    pub mentioned: Mentioned,
}

impl<'a> Views<'a> {
    pub fn new(ticket: &'a Ticket, run: &'a Run, settings: &Settings) -> Views<'a> {
        let rule = run.drafts().next().map_or(settings.sections, |(_, first)| settings.sections.settle(first));
        let mut views = Views {
            ticket,
            run,
            settings: *settings,
            drafts: vec![],
            passes: Vec::with_capacity(run.passes.len()),
            story: OnceCell::new(),
            claims: OnceCell::new(),
            critique_words: OnceCell::new(),
        };
        let mut sections_seen = 0;
        for pass in &run.passes {
            let incoming = views.drafts.len().checked_sub(1);
            let (draft, step) = match (pass.draft.as_deref(), incoming.map(|at| &views.drafts[at])) {
                (None, _) => (None, None),
                (Some(text), Some(before)) if before.text == text => (incoming, None),
                (Some(text), before) => {
                    let mut after = Draft::new(text, rule);
                    let step = before.map(|before| Step::new(before, &after));
                    after.identity = identify(before, &after, step.as_ref(), &mut sections_seen);
                    after.flaw = nondraft::flaw(pass, before, &after, step.as_ref());
                    after.from_original = from_original(&views.drafts, &after, step.as_ref());
                    views.drafts.push(after);
                    (Some(views.drafts.len() - 1), step)
                }
            };
            let scope = pass.critique.as_ref().map_or(vec![], pointed_at);
            let read = pass.critique.as_ref().zip(incoming.map(|at| &mut views.drafts[at]));
            let labelled = pass.labelled_mentions.as_deref();
            let mentioned = read.map_or_else(Mentioned::default, |(critique, draft)| mention::mentioned(critique, draft).or_as(labelled));
            views.passes.push(Facts { incoming, draft, step, scope, mentioned });
        }
        views
    }

    pub fn iter(&self) -> impl Iterator<Item = View<'_>> {
        (0..self.passes.len()).map(|at| View { views: self, at })
    }

    /// What became of every finding of the run.
    pub fn story(&self) -> &Story {
        self.story.get_or_init(|| fate::story(self))
    }

    /// The claims of every draft.
    pub(super) fn claims(&self) -> &Read {
        self.claims.get_or_init(|| Read::new(self))
    }

    /// The words of every critique that asks for something.
    pub(super) fn critique_words(&self) -> &[Option<Bag>] {
        self.critique_words.get_or_init(|| repeat::words(self.run))
    }

    pub(super) fn draft(&self, at: Option<usize>) -> Option<&Draft<'a>> {
        self.drafts.get(at?)
    }
}

/// A section with a partner is the same one; the others get new numbers.
fn identify(before: Option<&Draft<'_>>, after: &Draft<'_>, step: Option<&Step>, seen: &mut usize) -> Vec<usize> {
    let known = |index: usize| before?.identity.get(step?.alignment.before_of.get(index).copied().flatten()?).copied();
    let mut fresh = || {
        *seen += 1;
        *seen - 1
    };
    (0..after.sections.len()).map(|index| known(index).unwrap_or_else(&mut fresh)).collect()
}

/// After the first step the draft before is the original. Later the way over the draft before is a bound.
fn from_original(drafts: &[Draft<'_>], after: &Draft<'_>, step: Option<&Step>) -> Option<usize> {
    match (drafts, step) {
        ([original, .., before], Some(step)) => {
            let way = before.from_original.zip(step.distance).map(|(there, on)| there.saturating_add(on));
            let bound = way.unwrap_or(usize::MAX).min(original.chars.max(after.chars));
            diff::levenshtein_scalars(&original.scalars, &after.scalars, bound)
        }
        (_, Some(step)) => step.distance,
        (_, None) => Some(0),
    }
}

/// Where a critique points: its anchored findings, or the quotations of its prose.
fn pointed_at(critique: &Critique) -> Vec<Span> {
    let anchors = critique.findings.iter().flatten().filter_map(|finding| finding.anchor.as_ref()).chain(&critique.quotations);
    locality::merge(anchors.flat_map(|anchor| anchor.spans.iter().copied()).collect())
}

/// One pass, with everything that its measurements share.
#[derive(Clone, Copy)]
pub struct View<'a> {
    views: &'a Views<'a>,
    at: usize,
}

impl<'a> View<'a> {
    pub fn ticket(&self) -> &'a Ticket {
        self.views.ticket
    }

    pub fn run(&self) -> &'a Run {
        self.views.run
    }

    pub fn settings(&self) -> Settings {
        self.views.settings
    }

    pub fn views(&self) -> &'a Views<'a> {
        self.views
    }

    /// Place of this pass among the passes of the run.
    pub fn at(&self) -> usize {
        self.at
    }

    pub fn pass(&self) -> &'a Pass {
        &self.views.run.passes[self.at]
    }

    pub fn critique(&self) -> Option<&'a Critique> {
        self.pass().critique.as_ref()
    }

    pub(super) fn facts(&self) -> &'a Facts {
        &self.views.passes[self.at]
    }

    /// Draft 0.
    pub fn original(&self) -> Option<&'a Draft<'a>> {
        self.views.drafts.first()
    }

    /// Draft k-1: what the critic read.
    pub fn incoming(&self) -> Option<&'a Draft<'a>> {
        self.views.draft(self.facts().incoming)
    }

    /// Draft k; None where the pass made none.
    pub fn draft(&self) -> Option<&'a Draft<'a>> {
        self.views.draft(self.facts().draft)
    }

    /// The way from the incoming draft to draft k; None where there is none or nothing changed.
    pub fn step(&self) -> Option<&'a Step> {
        self.facts().step.as_ref()
    }

    /// Merged spans of the incoming draft that the critique points at.
    pub fn scope(&self) -> &'a [Span] {
        &self.facts().scope
    }

    /// One a section of the incoming draft: mentioned by the critique (strict rule).
    pub fn mentioned(&self) -> &'a [bool] {
        &self.facts().mentioned.strict
    }

    /// The same by the loose rule: at least what is mentioned by the strict one.
    pub fn mentioned_loose(&self) -> &'a [bool] {
        &self.facts().mentioned.loose
    }

    /// True where a reviser was asked after a readable critique and a draft came of it, be it the old one.
    pub fn revised(&self) -> bool {
        let readable = self.critique().is_some_and(|critique| critique.status == CritiqueStatus::Ok);
        readable && !self.pass().edits.is_empty() && self.draft().is_some() && self.incoming().is_some()
    }

    /// The two drafts of a revision that can be compared: None where there was no revision, or where either side is a non-draft.
    pub fn revision(&self) -> Option<(&'a Draft<'a>, &'a Draft<'a>)> {
        let (before, after) = (self.incoming()?, self.draft()?);
        (self.revised() && !before.flaw.any() && !after.flaw.any()).then_some((before, after))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    #[test]
    fn a_kept_draft_is_looked_at_once_and_sections_keep_their_numbers() {
        let drafts = [
            "One two three.\n\nFour five six.\n",
            "One two three.\n\nFour five six.\n",
            "New here now.\n\nOne two three.\n\nFour five seven.\n",
        ];
        let run = run_of(&drafts);
        let ticket = ticket();
        let views = Views::new(&ticket, &run, &Settings::default());
        assert_eq!(views.drafts.len(), 2);
        assert_eq!(views.drafts[1].identity, [2, 0, 1]);
        let last = views.iter().last().unwrap();
        assert!(last.step().is_some() && last.incoming().unwrap().text == drafts[0]);
    }
}
