//! A quoted place in the draft that followed: are its words others now, or gone with nothing in their stead?

use super::{Draft, Step, View};
use crate::model::Span;

/// A section of the incoming draft, what stands for it in draft k, and a span's place in it.
struct Place<'a> {
    section: usize,
    /// The section's text before and behind the span.
    head: &'a str,
    text: &'a str,
    tail: &'a str,
    partner: Option<&'a str>,
}

fn place<'a>(before: &Draft<'a>, after: &Draft<'a>, step: &Step, span: Span) -> Option<Place<'a>> {
    let section = before.section_at(span)?;
    let bounds = *before.sections.get(section)?;
    let partner = step.alignment.after_of.get(section).copied().flatten().and_then(|partner| after.texts.get(partner)).copied();
    let head = before.text.get(bounds.start..span.start)?;
    let tail = before.text.get(span.end..bounds.end)?;
    Some(Place { section, head, text: span.of(before.text)?, tail, partner })
}

/// The two drafts of a pass and the step between them; None where nothing changed.
fn change<'a>(view: &View<'a>) -> Option<(&'a Draft<'a>, &'a Draft<'a>, &'a Step)> {
    Some((view.incoming()?, view.draft()?, view.step()?))
}

/// True where the anchored text is another in draft k, or where something was written in right at its edge: that too is inside the scope.
pub(super) fn changed(view: &View<'_>, span: Span) -> bool {
    let Some((before, after, step)) = change(view) else { return false };
    let gone = || span.of(before.text).is_some_and(|text| !text.is_empty() && !after.text.contains(text));
    let Some(Place { section, head, text, tail, partner, .. }) = place(before, after, step, span) else { return gone() };
    let Some(partner) = partner else { return gone() };
    if text.is_empty() || partner == before.texts[section] {
        return false;
    }
    match (before.texts[section].matches(text).count(), partner.matches(text).count()) {
        (old, new) if new < old => true,
        (1, 1) => partner.split_once(text).is_some_and(|(above, below)| grown_end(head, above) || grown_start(tail, below)),
        _ => false,
    }
}

/// How much of the text beside a span tells its neighbour again, in scalars.
const NEIGHBOUR: usize = 16;

/// True where `after` is what `before` was with something written in front of it.
fn grown_start(before: &str, after: &str) -> bool {
    let end = before.char_indices().nth(NEIGHBOUR).map_or(before.len(), |(at, _)| at);
    let neighbour = &before[..end];
    grown(neighbour, after, after.starts_with(neighbour))
}

/// True where `after` is what `before` was with something written behind it.
fn grown_end(before: &str, after: &str) -> bool {
    let start = before.char_indices().rev().nth(NEIGHBOUR - 1).map_or(0, |(at, _)| at);
    let neighbour = &before[start..];
    grown(neighbour, after, after.ends_with(neighbour))
}

fn grown(neighbour: &str, after: &str, in_place: bool) -> bool {
    if neighbour.trim().is_empty() { !after.trim().is_empty() } else { !in_place && after.contains(neighbour) }
}

/// True where a span's text is gone with nothing in its place: its section is, or the section is what it was without it.
pub(super) fn deleted(view: &View<'_>, span: Span) -> bool {
    let Some((before, after, step)) = change(view) else { return false };
    let Some(Place { section, head, text, tail, partner }) = place(before, after, step, span) else { return false };
    let ink = |c: &char| !c.is_whitespace();
    match partner {
        Some(partner) => head.chars().chain(tail.chars()).filter(ink).eq(partner.chars().filter(ink)),
        None => !after.text.contains(text) && !replaced(step, section),
    }
}

/// True where a section without a partner stands between the partners of this section's neighbours.
fn replaced(step: &Step, section: usize) -> bool {
    let (above, below) = step.alignment.after_of.split_at(section);
    let from = above.iter().rev().find_map(|partner| *partner).map_or(0, |partner| partner + 1);
    let to = below.iter().find_map(|partner| *partner).unwrap_or(step.alignment.before_of.len());
    (from..to).any(|index| step.alignment.before_of[index].is_none())
}
