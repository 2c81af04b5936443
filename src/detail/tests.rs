//! Runs as people look at them, from runs made by hand.

use super::*;
use crate::metric::testing::{critique, run_of, serial, ticket};
use crate::model::{EditStatus, Rejection};

fn spelled(pieces: &[Piece], keep: impl Fn(&Piece) -> bool) -> String {
    pieces.iter().filter(|piece| keep(piece)).map(|piece| piece.text.as_str()).collect()
}

const BEFORE: &str = "Dear Sam.\n\nThe fee is $15.\n\nBye now.\n";
const AFTER: &str = "Dear Pam.\n\nThe fee is $16.\n\nWe promise it.\n\nBye now.\n";

#[test]
fn a_diff_spells_both_drafts_and_says_what_lies_outside() {
    let mut run = run_of(&[BEFORE, AFTER]);
    critique(&mut run, 1, &[("figure", "fee is $15")]);
    let detail = of(&ticket(), &run, &Settings::default());
    let draft = detail.passes[1].draft.as_ref().unwrap();
    let diff = draft.diff.as_ref().unwrap();
    assert_eq!(spelled(diff, |p| p.op != Op::Insert), BEFORE);
    assert_eq!(spelled(diff, |p| p.op != Op::Delete), AFTER);
    for piece in diff.iter().filter(|piece| piece.op != Op::Insert) {
        assert_eq!(piece.before.of(BEFORE), Some(piece.text.as_str()));
    }
    let outside: Vec<(Op, &str)> = diff.iter().filter(|piece| piece.outside).map(|piece| (piece.op, piece.text.trim())).collect();
    assert_eq!(outside, [(Op::Delete, "Sam."), (Op::Insert, "Pam.")]);
    assert_eq!((draft.untouched_sections_edited, draft.kept, draft.non_draft.as_deref()), (1, false, None));
}

#[test]
fn a_piece_is_cut_where_the_kind_of_section_changes() {
    let regions = [(2, true), (5, true), (8, false), (9, true)];
    for (span, want) in [
        ((0, 2), vec![((0, 2), false)]),
        ((0, 4), vec![((0, 2), false), ((2, 4), true)]),
        ((3, 6), vec![((3, 6), true)]),
        ((4, 12), vec![((4, 8), true), ((8, 9), false), ((9, 12), true)]),
        ((8, 8), vec![((8, 8), false)]),
    ] {
        let want: Vec<(Span, bool)> = want.into_iter().map(|(span, outside)| (Span::from(span), outside)).collect();
        assert_eq!(cut(Span::from(span), &regions), want, "{span:?}");
    }
    assert_eq!(cut(Span::new(3, 6), &[]), [(Span::new(3, 6), false)]);
}

#[test]
fn checks_that_broke_and_mended_are_told_in_words() {
    let mut ticket = ticket();
    let check = |id: &str, rule, required| Check { id: id.into(), rule, required, class: None };
    ticket.checks = vec![
        check("fee", CheckRule::Money("$15".into()), true),
        check("name", CheckRule::Contains("Pam".into()), true),
        check("nice", CheckRule::Absent("promise".into()), false),
        check("short", CheckRule::MaxWords(50), true),
    ];
    let mut run = run_of(&[BEFORE, AFTER]);
    critique(&mut run, 1, &[("figure", "fee is $15")]);
    let detail = of(&ticket, &run, &Settings::default());
    let draft = detail.passes[1].draft.as_ref().unwrap();
    assert_eq!(draft.broke, ["fee: states the amount $15"]);
    assert_eq!(draft.mended, ["name: contains \"Pam\""]);
}

#[test]
fn a_finding_carries_its_place_and_what_became_of_it() {
    let mut run = run_of(&[BEFORE, AFTER, AFTER]);
    serial(&mut run, 1, &[("figure", "fee is $15", EditStatus::Applied), ("tone", "nowhere at all", EditStatus::NotFound)]);
    critique(&mut run, 2, &[("tone", "Bye now.")]);
    let detail = of(&ticket(), &run, &Settings::default());
    let findings = detail.passes[1].critique.as_ref().unwrap().findings.as_ref().unwrap();
    assert_eq!(findings[0].spans[0].of(BEFORE), Some("fee is $15"));
    assert_eq!([findings[0].fate, findings[1].fate], [Some(Fate::Resolved), None]);
    assert_eq!([findings[0].origin, findings[1].origin], [Some(Origin::New), None]);
    assert_eq!((findings[1].tier, findings[1].drop.map(|drop| drop.reason.name())), (None, Some("not_found")));
    let last = &detail.passes[2];
    assert_eq!(last.critique.as_ref().unwrap().findings.as_ref().unwrap()[0].fate, None, "nobody looked again");
    assert!(last.draft.as_ref().is_some_and(|draft| draft.kept && draft.diff.is_none()));
}

#[test]
fn a_text_that_a_guard_rejected_is_shown_as_a_diff() {
    let mut run = run_of(&[BEFORE, BEFORE]);
    critique(&mut run, 1, &[("figure", "fee is $15")]);
    run.passes[1].edits[0].proposed = Some(AFTER.into());
    run.passes[1].edits[0].guards.rejected = Some(Rejection::Locality);
    let detail = of(&ticket(), &run, &Settings::default());
    let edit = &detail.passes[1].edits[0];
    assert_eq!(edit.rejected.as_ref().map(|pieces| spelled(pieces, |p| p.op != Op::Delete)).as_deref(), Some(AFTER));
    assert!(!edit.changed);
}

#[test]
fn a_run_without_passes_is_shown_too() {
    let mut run = run_of(&[]);
    run.stop = Stop::Fault;
    assert!(of(&ticket(), &run, &Settings::default()).passes.is_empty());
}
