//! Tests of fates and origins: the written cases, tables of runs, and the identity that every critique must keep.

use proptest::prelude::*;
use serde_json::Value;

use super::super::testing::*;
use super::*;
use crate::model::{CritiqueStatus, ParseReason};

const APPLIED: EditStatus = EditStatus::Applied;

fn ledger(path: &str) -> Run {
    ledger_case(&serde_json::from_str::<Value>(&case(path)).unwrap())
}

fn fates_of(run: &Run) -> Vec<Vec<Option<Fate>>> {
    fates(&ticket(), run, &Settings::default())
}

fn counts(rows: &Rows, pass: usize, names: &[&str]) -> Vec<Option<i64>> {
    names.iter().map(|name| rows.int(pass, name)).collect()
}

#[test]
fn a_paragraph_added_above_does_not_make_an_old_complaint_a_new_one() {
    let run = ledger("R01-shifted-paragraph/ledger.json");
    assert_eq!(fates_of(&run), [vec![], vec![Some(Fate::Resolved), Some(Fate::Persisted)], vec![None]]);
    let rows = rows(&run);
    assert_eq!(counts(&rows, 1, &["emitted", "fate_resolved", "origin_new"]), [Some(2), Some(1), Some(2)]);
    assert_eq!(counts(&rows, 2, &["emitted", "origin_reraised", "origin_persisted", "origin_new"]), [Some(1), Some(0), Some(1), Some(0)]);
    let ticket = ticket();
    let views = Views::new(&ticket, &run, &Settings::default());
    let section = |pass: usize| {
        let critique = run.passes[pass].critique.as_ref().unwrap();
        let tone = critique.findings.as_ref().unwrap().iter().find(|f| f.label == "tone").unwrap();
        views.draft(views.passes[pass].incoming).unwrap().section_at(tone.anchor.as_ref().unwrap().spans[0])
    };
    assert_eq!([section(1), section(2)], [Some(2), Some(3)]);
}

#[test]
fn what_nobody_looked_at_is_null() {
    let text = case("R03-unobserved/ledgers.jsonl");
    let runs: Vec<Run> = text.lines().map(|line| ledger_case(&serde_json::from_str(line).unwrap())).collect();
    let resolved = |run: &Run| -> Vec<Vec<Option<bool>>> {
        fates_of(run).into_iter().skip(1).map(|pass| pass.into_iter().map(|fate| fate.map(|f| f == Fate::Resolved)).collect()).collect()
    };
    assert_eq!(resolved(&runs[0]), [vec![Some(true), Some(false)], vec![None]]);
    assert_eq!(resolved(&runs[1]), [vec![None, None, None], vec![]]);
    assert_eq!(resolved(&runs[2]), [vec![Some(true), Some(true)], vec![]]);
    let total = |name: &str| -> i64 {
        runs.iter().map(rows).map(|rows| (0..rows.0.rows.len()).filter_map(|pass| rows.int(pass, name)).sum::<i64>()).sum()
    };
    let names = ["emitted", "fate_observed", "fate_resolved", "origin_reraised", "fate_unobserved"];
    assert_eq!(names.map(total), [8, 4, 3, 1, 4]);
}

#[test]
fn deletion_and_empty_promises_are_counted_apart() {
    let run = ledger("R04-deleted-or-noop/ledger.json");
    assert_eq!(fates_of(&run)[1], [Some(Fate::Resolved), Some(Fate::Reraised)]);
    let rows = rows(&run);
    let names = ["emitted", "resolved_by_deletion", "applied", "applied_without_change", "chars_deleted", "chars_inserted", "sections"];
    assert_eq!(counts(&rows, 1, &names), [2, 1, 2, 1, 27, 0, 2].map(Some));
    assert_eq!(counts(&rows, 2, &["emitted", "origin_reraised", "origin_new"]), [1, 1, 0].map(Some));
    assert_eq!(rows.int(0, "sections"), Some(3));
}

#[test]
fn the_four_fates() {
    let drafts = [
        "Alpha beta gamma.\n\nDelta epsilon zeta.\n\nEta theta iota.\n\nKappa lambda mu.\n",
        "Alpha beta 3.\n\nDelta epsilon 6.\n\nEta theta iota.\n\nKappa lambda mu.\n",
    ];
    let mut run = run_of(&drafts);
    critique(
        &mut run,
        1,
        &[("Wrong figure", "beta gamma"), ("tone", "epsilon zeta"), ("tone", "Eta theta"), ("tone", "Kappa"), ("tone", "absent words")],
    );
    closing(&mut run, &[("TONE", "epsilon"), ("tone", "lambda"), ("wrong-figure", "Kappa")]);
    let want = [Some(Fate::Resolved), Some(Fate::Reraised), Some(Fate::Vanished), Some(Fate::Persisted), None];
    assert_eq!(fates_of(&run)[1], want);
    let ticket = ticket();
    let views = Views::new(&ticket, &run, &Settings::default());
    assert_eq!(views.story().passes[2].origins, [Origin::Reraised, Origin::Persisted, Origin::New].map(Some));
    let rows = rows(&run);
    assert_eq!(counts(&rows, 1, &["applied", "applied_without_change", "fate_observed"]), [Some(2), None, Some(4)]);
    assert_eq!(counts(&rows, 2, &["applied", "fate_observed", "fate_unobserved", "fate_resolved"]), [None, Some(0), Some(3), None]);
}

#[test]
fn what_was_resolved_and_comes_back_is_reopened() {
    let mut run = run_of(&["The fee is low.\n", "The fee is $9.\n", "The fee is $9 now.\n", "The fee is small.\n"]);
    critique(&mut run, 1, &[("vague", "is low")]);
    critique(&mut run, 2, &[("tone", "$9")]);
    critique(&mut run, 3, &[("vague", "The fee"), ("tone", "$9")]);
    let ticket = ticket();
    let views = Views::new(&ticket, &run, &Settings::default());
    let origins: Vec<_> = views.story().passes.iter().map(|pass| pass.origins.clone()).collect();
    assert_eq!(origins, [vec![], vec![Some(Origin::New)], vec![Some(Origin::New)], vec![Some(Origin::Reopened), Some(Origin::Reraised)]]);
}

#[test]
fn a_critique_between_that_could_not_be_read_hides_the_fate_and_not_the_origin() {
    let mut run = run_of(&["The fee is low.\n", "The fee is $9.\n", "The fee is $9.\n", "The fee is $8.\n"]);
    critique(&mut run, 1, &[("vague", "is low")]);
    critique(&mut run, 2, &[]);
    run.passes[2].critique.as_mut().unwrap().status = CritiqueStatus::ParseError(ParseReason::NoJson);
    run.passes[2].critique.as_mut().unwrap().findings = None;
    critique(&mut run, 3, &[("vague", "The fee")]);
    let ticket = ticket();
    let views = Views::new(&ticket, &run, &Settings::default());
    assert_eq!(views.story().passes[1].fates, [None]);
    assert_eq!(views.story().passes[3].origins, [Some(Origin::Reraised)]);
}

#[test]
fn a_reviser_without_statuses_is_believed_by_what_is_seen() {
    let cases = [
        ("The fee is low. Pay soon.", "is low", "The fee is $9. Pay soon.", true),
        ("The fee is low. Pay soon.", "is low", "The fee is low. Pay by May.", false),
        ("You can reopen it. We close at nine.", "You can reopen it.", "You can reopen it. It takes 30 days. We close at nine.", true),
        ("You can reopen it today", "reopen it", "You can reopen it within 30 days today", true),
        ("You can reopen it", "reopen it", "You can reopen it within 30 days", true),
        ("Reopen it now, please do", "Reopen it", "Kindly: Reopen it now, please do", true),
        ("Pay soon. Pay soon. Bye then.", "Pay soon.", "Pay soon. Bye then.", true),
        ("One two three.\n\nFour five six.", "Four five six.", "Four five six.\n\nOne two three.", false),
        ("One two three.\n\nFour five six.", "Four five six.", "One two three. Four five six.", false),
        ("One two three.\n\nFour five six.", "three.\n\nFour", "One two 3.\n\nFour five six.", true),
    ];
    for (before, quote, after, applied) in cases {
        let mut run = run_of(&[before, after]);
        critique(&mut run, 1, &[("tone", quote)]);
        assert_eq!(rows(&run).int(1, "applied"), Some(i64::from(applied)), "{before} / {quote} / {after}");
    }
}

#[test]
fn statuses_decide_and_contradictions_are_counted() {
    let mut run = run_of(&["The fee is low.\n\nPay it soon.\n", "The fee is $9.\n\nPay it soon.\n"]);
    serial(&mut run, 1, &[("vague", "is low", APPLIED), ("vague", "Pay it soon", EditStatus::Rejected)]);
    run.passes[1].edits[1].proposed = Some("The fee is $9.\n\nPay by May.\n".into());
    closing(&mut run, &[]);
    assert_eq!(fates_of(&run)[1], [Some(Fate::Resolved), Some(Fate::Vanished)]);
    assert_eq!(counts(&rows(&run), 1, &["applied", "applied_without_change", "changed_though_rejected"]), [1, 0, 1].map(Some));
    run.passes[1].edits[0].guards.rejected = Some(crate::model::Rejection::Locality);
    assert_eq!(fates_of(&run)[1], [Some(Fate::Vanished), Some(Fate::Vanished)], "a rejected revision applies nothing");
}

#[test]
fn one_label_in_one_section_has_one_fate() {
    let mut run = run_of(&["The fee is low and the date is near.\n", "The fee is $9 and the date is near.\n"]);
    serial(&mut run, 1, &[("vague", "is low", APPLIED), ("vague", "is near", EditStatus::Rejected)]);
    closing(&mut run, &[("vague", "is near")]);
    assert_eq!(fates_of(&run)[1], [Some(Fate::Reraised), Some(Fate::Reraised)]);
}

proptest! {
    /// Origins and drops add up to what was emitted, fates to what was observed, whatever the run.
    #[test]
    fn every_finding_is_counted_once(
        drafts in prop::collection::vec(prop::collection::vec(0usize..6, 1..5), 2..6),
        findings in prop::collection::vec(prop::collection::vec((0usize..2, 0usize..8), 0..6), 5),
        unreadable in prop::collection::vec(0u8..4, 5),
        close in any::<bool>(),
    ) {
        const WORDS: [&str; 8] = ["alpha one two", "beta three four", "gamma five six", "delta seven", "alpha one nine", "beta 3 4", "absent", "six"];
        let texts: Vec<String> = drafts.iter().map(|ids| ids.iter().map(|id| WORDS[*id]).collect::<Vec<_>>().join("\n\n")).collect();
        let mut run = run_of(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let quotes = |at: usize| findings[at % 5].iter().map(|(label, quote)| (["tone", "vague"][*label], WORDS[*quote])).collect::<Vec<_>>();
        for at in 1..run.passes.len() {
            critique(&mut run, at, &quotes(at));
            if unreadable[at % 5] == 0 {
                let critique = run.passes[at].critique.as_mut().unwrap();
                (critique.status, critique.findings) = (CritiqueStatus::ParseError(ParseReason::NoJson), None);
            }
        }
        if close {
            closing(&mut run, &quotes(0));
        }
        let rows = rows(&run);
        for pass in 1..run.passes.len() {
            let Some(emitted) = rows.int(pass, "emitted") else { continue };
            let sum = |names: &[&str]| names.iter().map(|name| rows.int(pass, name).unwrap()).sum::<i64>();
            prop_assert_eq!(sum(&["origin_new", "origin_reraised", "origin_persisted", "origin_reopened", "dropped"]), emitted);
            prop_assert_eq!(sum(&["fate_observed", "fate_unobserved"]), sum(&["anchored"]));
            if rows.int(pass, "fate_resolved").is_some() {
                prop_assert_eq!(sum(&["fate_resolved", "fate_reraised", "fate_vanished", "fate_persisted"]), sum(&["fate_observed"]));
            }
        }
    }
}
