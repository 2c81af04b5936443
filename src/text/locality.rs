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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::diff::{Changed, changed};
    use crate::text::section::{SectionRule, edits, sections};

    fn input(path: &str) -> String {
        std::fs::read_to_string(format!("{}/tests/data/locality/{path}", env!("CARGO_MANIFEST_DIR"))).expect("a kept input")
    }

    /// Paragraphs of `before` that meet no span and were edited or removed.
    fn untouched_edited(before: &str, scope: &[Span], after: &str) -> Vec<usize> {
        let found = edits(before, after, SectionRule::Paragraph);
        let spans = sections(before, SectionRule::Paragraph);
        let mut all = [found.edited, found.whitespace_only, found.removed].concat();
        all.retain(|index| !scope.iter().any(|span| span.overlaps(spans[*index])));
        all.sort_unstable();
        all
    }

    fn check(
        folder: &str,
        before: &str,
        quotes: &[&str],
        after: &str,
        accepted: bool,
        (deleted, inserted): (usize, usize),
        untouched: &[usize],
    ) {
        let (before, name) = (input(&format!("{folder}/{before}")), after);
        let after = input(&format!("{folder}/{after}"));
        let place = |quote: &&str| before.find(*quote).map(|at| Span::new(at, at + quote.len())).expect("a quote of the draft");
        let scope = merge(quotes.iter().map(place).collect());
        assert_eq!(is_local(&before, &scope, &after), accepted, "{folder}/{name}");
        assert_eq!(changed(&before, &after), Changed { deleted, inserted }, "{folder}/{name}");
        assert_eq!(untouched_edited(&before, &scope, &after), untouched, "{folder}/{name}");
    }

    #[test]
    fn damaged_bytes_are_not_local() {
        let check = |after: &str, accepted, changed, untouched: &[usize]| {
            check("L01-byte-damage", "draft.txt", &["Your refund is on its way soon."], after, accepted, changed, untouched);
        };
        check("ok.txt", true, (12, 11), &[]);
        check("crlf_to_lf.txt", false, (18, 11), &[1, 4]);
        check("one_line_ending.txt", false, (13, 11), &[1]);
        check("separator_only.txt", false, (14, 11), &[]);
        check("curly_to_straight.txt", false, (14, 13), &[1]);
        check("tabs_to_spaces.txt", false, (14, 19), &[3]);
        check("nbsp_to_space.txt", false, (13, 12), &[1]);
        check("nfc.txt", false, (14, 12), &[3]);
        check("no_final_newline.txt", false, (13, 11), &[]);
    }

    #[test]
    fn white_space_damage_is_told_apart() {
        let before = input("L01-byte-damage/draft.txt");
        let of = |name: &str| {
            let found = edits(&before, &input(&format!("L01-byte-damage/{name}")), SectionRule::Paragraph);
            assert_eq!((found.removed.len(), found.added.len()), (0, 0), "{name}");
            (found.edited, found.whitespace_only)
        };
        assert_eq!(of("crlf_to_lf.txt"), (vec![2], vec![1, 4]));
        assert_eq!(of("nbsp_to_space.txt"), (vec![2], vec![1]));
        assert_eq!(of("tabs_to_spaces.txt"), (vec![2], vec![3]));
        assert_eq!(of("curly_to_straight.txt"), (vec![1, 2], vec![]));
        assert_eq!(of("nfc.txt"), (vec![2, 3], vec![]));
    }

    #[test]
    fn an_elided_rest_is_not_local() {
        let quote = ["Your key was rotated recently."];
        check("L02-elision", "draft_1.txt", &quote, "revision_1.txt", false, (149, 14), &[2, 3]);
        check("L02-elision", "draft_2.txt", &quote, "revision_2.txt", true, (6, 8), &[]);
    }

    #[test]
    fn several_spans_move_each_other() {
        let (cancel, prices, keep) = ("You can cancel any time", "Prices may change.", "cancel any time and keep your data.");
        check("L05-batched-spans", "draft.txt", &[cancel, prices], "revision_1.txt", true, (9, 50), &[]);
        check("L05-batched-spans", "draft.txt", &[cancel, prices], "revision_2.txt", true, (0, 32), &[]);
        check("L05-batched-spans", "draft.txt", &[cancel, prices], "revision_3.txt", false, (13, 53), &[2]);
        check("L05-batched-spans", "draft.txt", &[cancel, keep], "revision_4.txt", true, (11, 28), &[]);
        assert_eq!(merge(vec![Span::new(19, 54), Span::new(11, 34)]), [Span::new(11, 54)]);
    }

    #[test]
    fn the_cap_counts_scalars_of_the_original() {
        let original = input("L07-length-cap/original.txt");
        for (name, within) in [("pass1_230", true), ("pass1_231", false), ("pass2_245", false), ("pass1_240_ascii", false)] {
            assert_eq!(within_cap(&original, &input(&format!("L07-length-cap/{name}.txt")), 15), within, "{name}");
        }
        assert!(within_cap("", "", 0));
        assert!(!within_cap("", "a", u32::MAX));
    }

    #[test]
    fn spans_that_do_not_fit_are_read_generously() {
        assert!(is_local("aéb", &[Span::new(2, 99)], "axyz"));
        assert!(!is_local("aéb", &[Span::new(2, 99)], "xéb"));
        assert!(is_local("ab", &[Span::new(9, 12)], "abc"));
        assert!(is_local("ab", &[Span { start: 1, end: 0 }], "axb"));
        assert!(!is_local("ab", &[], "abc"));
        assert_eq!(merge(vec![Span::new(4, 5), Span::new(0, 2), Span::new(2, 3)]), [Span::new(0, 3), Span::new(4, 5)]);
    }

    /// The definition tried out: any text for each span, by trying every place for every gap.
    fn by_every_place(gaps: &[&str], after: &str, first: bool) -> bool {
        match gaps {
            [] => true,
            [last] if first => after == *last,
            [last] => after.ends_with(last),
            [gap, rest @ ..] => {
                let places = if first { 0..=0 } else { 0..=after.len() };
                places
                    .filter(|at| after.get(*at..).is_some_and(|tail| tail.starts_with(gap)))
                    .any(|at| by_every_place(rest, &after[at + gap.len()..], false))
            }
        }
    }

    fn scopes(text: &str, marks: &[usize]) -> Vec<Span> {
        let mut marks: Vec<usize> = marks.iter().map(|mark| text.floor_char_boundary(mark % (text.len() + 1))).collect();
        marks.sort_unstable();
        merge(marks.chunks_exact(2).map(|pair| Span::new(pair[0], pair[1])).collect())
    }

    fn gaps<'a>(text: &'a str, scope: &[Span]) -> Vec<&'a str> {
        let starts = std::iter::once(0).chain(scope.iter().map(|span| span.end));
        let ends = scope.iter().map(|span| span.start).chain([text.len()]);
        starts.zip(ends).map(|(start, end)| &text[start..end]).collect()
    }

    proptest! {
        #[test]
        fn agrees_with_trying_every_place(before in "[abé]{0,12}", after in "[abé]{0,12}", marks in prop::collection::vec(0usize..40, 0..7)) {
            let scope = scopes(&before, &marks);
            prop_assert_eq!(is_local(&before, &scope, &after), by_every_place(&gaps(&before, &scope), &after, true));
        }

        #[test]
        fn any_replacement_inside_the_scope_is_local(before in any::<String>(), marks in prop::collection::vec(any::<usize>(), 0..9), new in prop::collection::vec(any::<String>(), 5)) {
            let scope = scopes(&before, &marks);
            let mut after = String::new();
            for (at, gap) in gaps(&before, &scope).into_iter().enumerate() {
                if at > 0 {
                    after.push_str(&new[at % new.len()]);
                }
                after.push_str(gap);
            }
            prop_assert!(is_local(&before, &scope, &after));
        }

        #[test]
        fn no_span_panics(before in any::<String>(), after in any::<String>(), spans in prop::collection::vec((0usize..60, 0usize..60), 0..6)) {
            let scope: Vec<Span> = spans.into_iter().map(|(start, end)| Span { start, end }).collect();
            is_local(&before, &scope, &after);
        }
    }
}
