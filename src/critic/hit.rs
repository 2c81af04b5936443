//! Which known defects of draft 0 the first critique caught: pure functions of a draft, its defects and a critique.

use std::collections::BTreeSet;

use super::Format;
use crate::metric::fate::label;
use crate::model::{Check, Critique, Finding, Span};
use crate::text::anchor::Haystack;
use crate::text::check::Reading;
use crate::text::locality;
use crate::text::section::{self, SectionRule};

/// A defect that is known to be in a draft, planted or labelled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Defect<'a> {
    pub class: &'a str,
    /// Its words; None for a defect of the whole draft, such as its length.
    pub quote: Option<&'a str>,
}

/// What the first critique made of one defect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Caught {
        /// A verified finding points at its words.
        on_span: bool,
        /// A verified finding names its class, in its section.
        named: bool,
    },
    Missed {
        /// The critique could not be read, so it caught nothing.
        unreadable: bool,
        /// A finding named its class but was not verified.
        dropped: bool,
    },
    /// Its words are not in this draft, so nobody could catch it.
    Absent,
    /// The critic writes prose, which has no findings to verify.
    Prose {
        /// A located quotation touches its words; None for a defect of the whole draft.
        quoted: Option<bool>,
    },
    /// No critique of draft 0 was made: a fault came first, or the loop has no critic.
    Unseen,
}

/// One critique held against the known defects of the draft it read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hits {
    /// One a defect, in their order.
    pub outcomes: Vec<Outcome>,
    /// One a finding: whether it hits a defect; None where it is not verified.
    pub findings: Vec<Option<bool>>,
}

/// A defect's places in a draft.
enum Place {
    /// Every occurrence, merged, and the sections that hold them.
    Spans(Vec<Span>, BTreeSet<usize>),
    Whole,
    Absent,
}

/// Holds the first critique against the defects of draft 0. `critique` is None where there was none.
pub fn hits(defects: &[Defect<'_>], draft: &str, rule: SectionRule, format: Format, critique: Option<&Critique>) -> Hits {
    let haystack = Haystack::new(draft);
    let sections = section::sections(draft, rule);
    let sections = &sections;
    let at = |span: Span| (first(sections, span)..sections.len()).take_while(move |i| sections[*i].overlaps(span));
    let place = |defect: &Defect<'_>| match defect.quote {
        None => Place::Whole,
        // By its very words: a sentence that is only like it need not have the defect.
        Some(quote) => match haystack.find_verbatim(quote) {
            Ok(anchor) => {
                let within = anchor.spans.iter().flat_map(|span| at(*span)).collect();
                Place::Spans(locality::merge(anchor.spans), within)
            }
            Err(_) => Place::Absent,
        },
    };
    let places: Vec<Place> = defects.iter().map(place).collect();
    let Some(critique) = critique else {
        let outcome = |place: &Place| if matches!(place, Place::Absent) { Outcome::Absent } else { Outcome::Unseen };
        return Hits { outcomes: places.iter().map(outcome).collect(), findings: vec![] };
    };
    if format == Format::Prose {
        let quoted = |spans: &[Span]| critique.quotations.iter().flat_map(|q| &q.spans).any(|quote| meets(spans, *quote));
        let outcome = |place: &Place| match place {
            Place::Absent => Outcome::Absent,
            Place::Whole => Outcome::Prose { quoted: None },
            Place::Spans(spans, _) => Outcome::Prose { quoted: Some(quoted(spans)) },
        };
        return Hits { outcomes: places.iter().map(outcome).collect(), findings: vec![] };
    }
    let findings = critique.findings.as_deref().filter(|_| critique.is_readable()).unwrap_or_default();
    let mut hit: Vec<Option<bool>> = findings.iter().map(|finding| is_verified(finding, format).then_some(false)).collect();
    let mut outcomes = vec![];
    for (defect, place) in defects.iter().zip(&places) {
        let class = label(defect.class);
        let (mut on_span, mut named, mut dropped) = (false, false, false);
        for (finding, hit) in findings.iter().zip(&mut hit) {
            let same_class = label(&finding.label) == class;
            let Some(hit) = hit else {
                dropped |= same_class;
                continue;
            };
            let spans = finding.anchor.iter().flat_map(|anchor| &anchor.spans);
            let (touches, within) = match place {
                Place::Absent => (false, false),
                Place::Whole => (false, true),
                Place::Spans(own, sections) => (
                    spans.clone().any(|span| meets(own, *span)),
                    same_class && spans.clone().any(|span| at(*span).any(|section| sections.contains(&section))),
                ),
            };
            on_span |= touches;
            named |= same_class && within;
            *hit |= touches || (same_class && within);
        }
        outcomes.push(match place {
            Place::Absent => Outcome::Absent,
            _ if on_span || named => Outcome::Caught { on_span, named },
            _ => Outcome::Missed { unreadable: !critique.is_readable(), dropped },
        });
    }
    Hits { outcomes, findings: hit }
}

/// The first of spans in text order, apart from each other, that does not end before this one.
fn first(spans: &[Span], span: Span) -> usize {
    spans.partition_point(|own| own.end <= span.start)
}

fn meets(spans: &[Span], span: Span) -> bool {
    spans.get(first(spans, span)).is_some_and(|own| own.overlaps(span))
}

/// Located in the draft and, where the format asks for a source, proved by the one it names.
pub fn is_verified(finding: &Finding, format: Format) -> bool {
    finding.anchor.is_some() && (format != Format::Grounded || finding.source_id.is_some())
}

/// Whether the ticket's own exact checks find a defect of each class in the draft: true where one of that class fails. None for a class that no
/// check of this ticket decides.
pub fn decided(defects: &[Defect<'_>], checks: &[Check], draft: &str) -> Vec<Option<bool>> {
    let reading = Reading::new(draft);
    let mut out = vec![];
    for defect in defects {
        let class = label(defect.class);
        let mut of_class = checks.iter().filter(|check| check.class.as_deref().is_some_and(|own| label(own) == class)).peekable();
        out.push(of_class.peek().is_some().then(|| of_class.any(|check| !reading.holds(&check.rule))));
    }
    out
}
