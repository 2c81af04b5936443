//! Locating a critique in the draft it speaks of: every finding gets an anchor or a reason to be dropped, every quotation in prose its place.

use crate::model::{Critique, CritiqueStatus, Drop, DropReason, Finding, Source, Span};
use crate::text::anchor::{Haystack, quotations};

/// The `source_id` that names the draft itself as the proof.
pub const INTERNAL: &str = "internal";

/// Anchors everything in `critique` that quotes. Findings that reading already dropped stay dropped.
pub fn locate(critique: &mut Critique, draft: &str, sources: &[Source], threshold: f64) {
    if critique.status != CritiqueStatus::Ok {
        return;
    }
    let haystack = Haystack::new(draft);
    let Some(findings) = &mut critique.findings else {
        critique.quotations = quotations(&critique.text).into_iter().filter_map(|quote| haystack.find(quote, threshold).ok()).collect();
        return;
    };
    for finding in findings.iter_mut().filter(|f| f.drop.is_none()) {
        let located = match (&finding.quote, &finding.source_id) {
            (None, _) => Err(Drop { reason: DropReason::NoLocation, similarity: None }),
            (Some(quote), None) => haystack.find(quote, threshold),
            (Some(quote), Some(id)) => haystack.find(quote, threshold).map_err(draft_side).and_then(|anchor| {
                source_side(id, finding.source_quote.as_deref().unwrap_or_default(), &haystack, sources)?;
                Ok(anchor)
            }),
        };
        match located {
            Ok(anchor) => finding.anchor = Some(anchor),
            Err(drop) => finding.drop = Some(drop),
        }
    }
}

/// Where a finding's quotation stands in another draft than the one it was written about: serial revision moves the text between calls.
pub fn spans(finding: &Finding, draft: &str, threshold: f64) -> Vec<Span> {
    let quote = finding.quote.as_deref().filter(|_| finding.drop.is_none());
    quote.and_then(|q| Haystack::new(draft).find(q, threshold).ok()).map_or_else(Vec::new, |anchor| anchor.spans)
}

/// With two quotations to a finding, a plain miss must say which of them was missed.
fn draft_side(drop: Drop) -> Drop {
    match drop.reason {
        DropReason::NotFound => Drop { reason: DropReason::DraftSpanNotFound, ..drop },
        _ => drop,
    }
}

/// The source's quotation must stand in the very source that is named, word for word: what is close to a proof proves nothing.
fn source_side(id: &str, quote: &str, draft: &Haystack<'_>, sources: &[Source]) -> Result<(), Drop> {
    let missed = Drop { reason: DropReason::SourceSpanNotFound, similarity: None };
    if id == INTERNAL {
        return draft.find_verbatim(quote).map(|_| ()).map_err(|_| missed);
    }
    let source = sources.iter().find(|s| s.id == id).ok_or(Drop { reason: DropReason::UnknownSource, similarity: None })?;
    Haystack::new(&source.text).find_verbatim(quote).map(|_| ()).map_err(|_| missed)
}
