//! A draft's text with findings marked in it and changes set apart: which finding covers which bytes.

use std::collections::BTreeSet;

use super::write::Page;
use crate::detail::{Op, Piece};
use crate::model::Span;

/// A place that a critique points at, with what a pointer resting on it reads.
pub struct Mark {
    pub spans: Vec<Span>,
    /// As the list beside the text numbers it.
    pub number: usize,
    pub hint: String,
}

/// Bytes that the same marks cover.
#[derive(Debug, PartialEq)]
struct Cover {
    span: Span,
    /// Places in the list of marks.
    by: Vec<usize>,
    /// Of these, the ones that begin here.
    opens: Vec<usize>,
}

/// Cuts overlapping spans into stretches that are each covered by the same marks, in text order.
fn covers(marks: &[Mark]) -> Vec<Cover> {
    let mut edges: Vec<(usize, bool, usize)> = vec![];
    for (at, mark) in marks.iter().enumerate() {
        for span in mark.spans.iter().filter(|span| !span.is_empty()) {
            edges.extend([(span.start, true, at), (span.end, false, at)]);
        }
    }
    edges.sort_unstable();
    let mut out = vec![];
    let mut open: BTreeSet<usize> = BTreeSet::new();
    let mut from = 0;
    let mut opens = vec![];
    for (place, opening, mark) in edges {
        if place > from && !open.is_empty() {
            out.push(Cover { span: Span::new(from, place), by: open.iter().copied().collect(), opens: std::mem::take(&mut opens) });
        }
        from = place;
        if opening {
            open.insert(mark);
            opens.push(mark);
        } else {
            open.remove(&mark);
        }
    }
    out
}

/// Writes a draft as it was, with its marks.
pub fn plain(page: &mut Page, text: &str, marks: &[Mark]) {
    let piece = Piece { op: Op::Equal, text: text.to_owned(), before: Span::new(0, text.len()), outside: false };
    diff(page, std::slice::from_ref(&piece), marks);
}

/// Writes a word diff with its marks. A change outside of what the critique mentioned says so, once a run of such pieces.
pub fn diff(page: &mut Page, pieces: &[Piece], marks: &[Mark]) {
    let covers = covers(marks);
    let mut was_outside = false;
    for piece in pieces {
        let class: &[(&str, &str)] = if piece.outside { &[("class", "out")] } else { &[] };
        if piece.outside && !was_outside {
            page.put("small", &[("class", "tag")], "outside");
        }
        was_outside = piece.outside || (was_outside && piece.text.trim().is_empty());
        match piece.op {
            Op::Equal => parts(page, piece, &covers, marks),
            Op::Delete => page.el("del", class, |page| parts(page, piece, &covers, marks)),
            Op::Insert => page.put("ins", class, &piece.text),
        }
    }
}

fn parts(page: &mut Page, piece: &Piece, covers: &[Cover], marks: &[Mark]) {
    let Span { start, end } = piece.before;
    let first = covers.partition_point(|cover| cover.span.end <= start);
    let mut at = start;
    for cover in covers.iter().skip(first).take_while(|cover| cover.span.start < end) {
        let (from, to) = (cover.span.start.max(start), cover.span.end.min(end));
        // A span that cuts a character is no span of this text.
        let (Some(before), Some(inside)) = (piece.text.get(at - start..from - start), piece.text.get(from - start..to - start)) else {
            continue;
        };
        page.text(before);
        let hint: Vec<&str> = cover.by.iter().filter_map(|mark| marks.get(*mark)).map(|mark| mark.hint.as_str()).collect();
        page.el("mark", &[("title", &hint.join("\n"))], |page| {
            for mark in cover.opens.iter().filter_map(|mark| marks.get(*mark)).filter(|_| from == cover.span.start) {
                page.put("sup", &[], &mark.number.to_string());
            }
            page.text(inside);
        });
        at = to;
    }
    page.text(piece.text.get(at - start..).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::diff::pieces;

    fn mark(number: usize, spans: &[(usize, usize)]) -> Mark {
        Mark { spans: spans.iter().map(|&span| Span::from(span)).collect(), number, hint: format!("h{number}") }
    }

    fn marked(text: &str, marks: &[Mark]) -> String {
        let mut page = Page::default();
        plain(&mut page, text, marks);
        page.finish()
    }

    #[test]
    fn marks_overlap_and_begin_where_they_begin() {
        for (marks, want) in [
            (vec![], "abcdef"),
            (vec![mark(1, &[(1, 3)])], "a<mark title=\"h1\"><sup>1</sup>bc</mark>def"),
            (
                vec![mark(1, &[(0, 4)]), mark(2, &[(2, 6)])],
                "<mark title=\"h1\"><sup>1</sup>ab</mark><mark title=\"h1\nh2\"><sup>2</sup>cd</mark><mark title=\"h2\">ef</mark>",
            ),
            (vec![mark(1, &[(0, 1), (5, 6)])], "<mark title=\"h1\"><sup>1</sup>a</mark>bcde<mark title=\"h1\"><sup>1</sup>f</mark>"),
            (vec![mark(1, &[(2, 2)]), mark(2, &[(9, 12)])], "abcdef"),
        ] {
            assert_eq!(marked("abcdef", &marks), want);
        }
        assert_eq!(marked("é1", &[mark(1, &[(1, 2)]), mark(2, &[(2, 3)])]), "é<mark title=\"h2\"><sup>2</sup>1</mark>");
    }

    fn shown(html: &str) -> String {
        let mut out = String::new();
        let (mut tag, mut number) = (false, false);
        for part in html.split_inclusive(['<', '>']) {
            if tag {
                number = part.starts_with("sup") || part.starts_with("small") || (number && !part.starts_with('/'));
            } else if !number {
                out.push_str(part.trim_end_matches('<'));
            }
            tag = part.ends_with('<');
        }
        out
    }

    proptest! {
        #[test]
        fn no_text_is_lost_or_told_twice(
            before in "[ab é\n]{0,24}", after in "[ab é\n]{0,24}",
            spans in prop::collection::vec((0usize..28, 0usize..28), 0..5)
        ) {
            let marks: Vec<Mark> = spans.iter().enumerate().map(|(n, span)| mark(n, &[*span])).collect();
            prop_assert_eq!(shown(&marked(&before, &marks)), before.clone());
            let told: Vec<Piece> = pieces(&before, &after).into_iter().map(|p| {
                let text = if p.op == Op::Insert { p.after.of(&after) } else { p.before.of(&before) };
                Piece { op: p.op, text: text.unwrap().to_owned(), before: p.before, outside: p.op == Op::Delete }
            }).collect();
            let mut page = Page::default();
            diff(&mut page, &told, &marks);
            let html = page.finish();
            let whole: String = told.iter().map(|piece| piece.text.as_str()).collect();
            prop_assert_eq!(shown(&html), whole);
        }
    }
}
