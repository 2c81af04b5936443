//! Did a revision stay inside its scope, and under its length cap? Bytes decide, never a diff.

use super::bits::scalars;
use crate::model::Span;

/// The scope that spans cover: sorted, overlapping or touching spans merged into one. An empty span is kept; it is a place to insert at.
pub fn merge(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_unstable();
    let mut merged: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => merged.push(Span { start: span.start, end: span.end.max(span.start) }),
        }
    }
    merged
}

/// True where `after` is `before` with nothing but the text of the scope's spans replaced: gap0 + x1 + gap1 + ... + gapN for some x, every
/// gap byte-identical. Text added right at a span's edge is inside. With an empty scope only an identical text is local.
///
/// Spans may come in any order. A span that ends beyond the text or inside a character is read as reaching to the next boundary.
pub fn is_local(before: &str, scope: &[Span], after: &str) -> bool {
    let scope = merge(scope.to_vec());
    let (Some(first), Some(last)) = (scope.first(), scope.last()) else { return before == after };
    let head = &before[..before.floor_char_boundary(first.start)];
    let tail = &before[before.ceil_char_boundary(last.end)..];
    // The first and the last gap are anchored at the ends; the rest lies between them, in order, each behind the one before.
    let Some(mut rest) = after.strip_prefix(head).and_then(|rest| rest.strip_suffix(tail)) else { return false };
    // Taking each middle gap at its leftmost place is enough: any valid placing stays valid when its first gap is moved to the left.
    for pair in scope.windows(2) {
        let (start, end) = (before.ceil_char_boundary(pair[0].end), before.floor_char_boundary(pair[1].start));
        let gap = before.get(start..end).unwrap_or("");
        match rest.find(gap) {
            Some(at) => rest = &rest[at + gap.len()..],
            None => return false,
        }
    }
    true
}

/// True where the revision has at most `growth_percent` more scalars than the ORIGINAL draft: 100 * revision <= (100 + growth) * original.
/// Integers, so that the boundary itself is within.
pub fn within_cap(original: &str, revision: &str, growth_percent: u32) -> bool {
    100 * scalars(revision) as u128 <= (100 + u128::from(growth_percent)) * scalars(original) as u128
}
