//! The tables held against ones made by hand.

use proptest::prelude::*;

use super::hit::{Outcome, decided, hits};
use super::versus::versus;
use super::*;
use crate::metric::testing::{case, finding, grounded_case, ticket};
use crate::model::{Check, CheckRule, CritiqueStatus, ParseReason, Source};
use crate::summary::Rate;
use crate::text::anchor::Haystack;

const DRAFT: &str = "Dear Zoë,\n\nThe fee is €15. The fee is €15 again.\n\nWe may look at it some day. 退款需要五天。\n\nBye";

const MISSED: Outcome = Outcome::Missed { unreadable: false, dropped: false };

fn caught(on_span: bool, named: bool) -> Outcome {
    Outcome::Caught { on_span, named }
}

fn critique(findings: &[(&str, &str)]) -> Critique {
    let findings = findings.iter().map(|(label, quote)| finding(label, quote, DRAFT)).collect();
    Critique { status: CritiqueStatus::Ok, text: String::new(), findings: Some(findings), repairs: vec![], quotations: vec![] }
}

fn defect<'a>(class: &'a str, quote: &'a str) -> Defect<'a> {
    Defect { class, quote: (quote != "*").then_some(quote) }
}

/// What a list of findings catches of a list of defects, `*` for the whole draft.
#[track_caller]
fn check(defects: &[(&str, &str)], findings: &[(&str, &str)], outcomes: &[Outcome], hit: &[Option<bool>]) {
    let defects: Vec<Defect<'_>> = defects.iter().map(|(class, quote)| defect(class, quote)).collect();
    let found = hits(&defects, DRAFT, SectionRule::Paragraph, Format::Findings, Some(&critique(findings)));
    assert_eq!((found.outcomes.as_slice(), found.findings.as_slice()), (outcomes, hit));
}

#[test]
fn a_defect_is_caught_at_its_words_or_by_its_class_in_its_section() {
    let price: &[(&str, &str)] = &[("wrong price", "The fee is €15 again")];
    check(price, &[("tone", "again")], &[caught(true, false)], &[Some(true)]);
    check(price, &[("Wrong-Price", "The fee is €15.")], &[caught(false, true)], &[Some(true)]);
    check(price, &[("wrong_price", "€15 again")], &[caught(true, true)], &[Some(true)]);
    check(price, &[("tone", "The fee is €15."), ("wrong_price", "some day")], &[MISSED], &[Some(false), Some(false)]);
    check(price, &[], &[MISSED], &[]);
    // One finding may hit several defects, and several findings one.
    let two: &[(&str, &str)] = &[("wrong_price", "The fee is €15"), ("vague", "some day")];
    check(two, &[("x", "again.\n\nWe may look at it some day")], &[MISSED, caught(true, false)], &[Some(true)]);
    check(two, &[("x", "fee"), ("y", "The fee")], &[caught(true, false), MISSED], &[Some(true), Some(true)]);
}

#[test]
fn a_defect_of_the_whole_draft_is_caught_by_its_class_anywhere() {
    check(&[("over_length", "*")], &[("Over length", "Bye")], &[caught(false, true)], &[Some(true)]);
    check(&[("over_length", "*")], &[("long", "Bye")], &[MISSED], &[Some(false)]);
}

#[test]
fn hostile_defects() {
    // Words that occur twice: either place counts, and both are in one section here.
    check(&[("p", "The fee is €15")], &[("x", "The fee is €15 again")], &[caught(true, false)], &[Some(true)]);
    // Words of another draft, none, and only blanks: nobody could catch it, and no finding hits it.
    for quote in ["The fee is €16", "", " \u{a0}\n", "\u{200b}"] {
        check(&[("p", quote)], &[("p", "The fee is €15.")], &[Outcome::Absent], &[Some(false)]);
    }
    // A sentence that is only like the planted one is another sentence.
    check(&[("p", "The fees are €15 again")], &[("p", "€15 again")], &[Outcome::Absent], &[Some(false)]);
    // Overlapping defects, one within the other; and other notation of the same words.
    let nested: &[(&str, &str)] = &[("a", "We may look at it some day."), ("b", "look\u{a0}at it")];
    check(nested, &[("x", "look at")], &[caught(true, false); 2], &[Some(true)]);
    check(nested, &[("x", "some day")], &[caught(true, false), MISSED], &[Some(true)]);
    check(&[("五天", "退款需要五天")], &[("五天", "五天。")], &[caught(true, true)], &[Some(true)]);
    // Touching is not overlapping.
    check(&[("a", "We may")], &[("x", " look at")], &[MISSED], &[Some(false)]);
}

#[test]
fn what_is_not_verified_catches_nothing() {
    check(&[("p", "some day")], &[("p", "not in it")], &[Outcome::Missed { unreadable: false, dropped: true }], &[None]);
    let known = [defect("p", "some day"), defect("long", "*"), defect("q", "gone")];
    let of = |format, critique: Option<&Critique>| hits(&known, DRAFT, SectionRule::Paragraph, format, critique).outcomes;
    let mut grounded = critique(&[("p", "some day")]);
    let [own, whole] = [MISSED, MISSED];
    assert_eq!(of(Format::Grounded, Some(&grounded)), [Outcome::Missed { unreadable: false, dropped: true }, whole, Outcome::Absent]);
    if let Some(findings) = &mut grounded.findings {
        findings[0].source_id = Some("s".into());
    }
    assert_eq!(of(Format::Grounded, Some(&grounded)), [caught(true, true), whole, Outcome::Absent]);
    let mut cut = critique(&[("p", "some day")]);
    cut.status = CritiqueStatus::ParseError(ParseReason::Truncated);
    let unreadable = Outcome::Missed { unreadable: true, dropped: false };
    assert_eq!(of(Format::Findings, Some(&cut)), [unreadable, unreadable, Outcome::Absent]);
    assert_eq!(of(Format::Findings, None), [Outcome::Unseen, Outcome::Unseen, Outcome::Absent]);
    let approval = Critique { status: CritiqueStatus::Approved, findings: Some(vec![]), ..critique(&[]) };
    assert_eq!(of(Format::Findings, Some(&approval)), [own, whole, Outcome::Absent]);
    let mut prose = Critique { findings: None, ..critique(&[]) };
    let quoted = |quoted| Outcome::Prose { quoted };
    assert_eq!(of(Format::Prose, Some(&prose)), [quoted(Some(false)), quoted(None), Outcome::Absent]);
    prose.quotations = vec![Haystack::new(DRAFT).find_verbatim("at it some").unwrap()];
    assert_eq!(of(Format::Prose, Some(&prose)), [quoted(Some(true)), quoted(None), Outcome::Absent]);
}

#[test]
fn an_exact_check_of_the_class_decides() {
    let rule = |class: &str, rule| Check { id: class.into(), rule, required: false, class: Some(class.into()) };
    let checks = [
        rule("Over length", CheckRule::MaxWords(3)),
        rule("price", CheckRule::Contains("€15".into())),
        rule("price", CheckRule::Contains("€16".into())),
        rule("fine", CheckRule::Contains("Bye".into())),
    ];
    let known = ["over_length", "price", "fine", "tone"].map(|class| defect(class, "*"));
    assert_eq!(decided(&known, &checks, DRAFT), [Some(true), Some(true), Some(false), None]);
}

#[test]
fn a_table_made_by_hand() {
    let known = [defect("p", "The fee"), defect("p", "some day"), defect("q", "gone"), defect("long", "*")];
    let mut sum = CatchSum::default();
    let add = |sum: &mut CatchSum, findings: &[(&str, &str)]| {
        let found = hits(&known, DRAFT, SectionRule::Paragraph, Format::Findings, Some(&critique(findings)));
        sum.add(&known, &found, &[Some(true), Some(false), None, None]);
    };
    add(&mut sum, &[("x", "fee"), ("y", "Bye"), ("z", "nowhere")]);
    add(&mut sum, &[("p", "some day"), ("long", "Bye")]);
    let clean = hits(&[], DRAFT, SectionRule::Paragraph, Format::Findings, Some(&critique(&[("x", "Bye")])));
    sum.add(&[], &clean, &[]);
    let p = sum.catches("p");
    assert_eq!((p.caught, p.of, p.by_span, p.by_class, p.by_both), (2, 4, 1, 0, 1));
    assert_eq!(p.decided_exactly, Some(Rate::new(2, 4)));
    // Wilson: (0.5 + z^2/8) / (1 + z^2/4) -+ ..., z = 1.96.
    assert!((p.low.unwrap() - 0.150).abs() < 5e-4 && (p.high.unwrap() - 0.850).abs() < 5e-4);
    let (q, long, never) = (sum.catches("q"), sum.catches("long"), sum.catches("never"));
    assert_eq!((q.of, q.absent, q.low), (0, 2, None));
    assert_eq!((long.caught, long.of, long.by_class), (1, 2, 1));
    assert_eq!((never.of, never.absent, never.decided_exactly), (0, 0, None));
    let all = sum.total();
    assert_eq!((all.caught, all.of, all.absent), (3, 6, 2));
    let strays = sum.strays("arm");
    assert_eq!((strays.stray, strays.in_clean_tickets, strays.unverified), (Some(Rate::new(2, 5)), Some(Rate::new(1, 1)), 1));
    assert_eq!(CatchSum::default().strays("arm").stray, None);
}

fn kept(draft: &str, outcomes: &[(&str, Outcome)]) -> Kept {
    let known: Vec<Defect<'_>> = outcomes.iter().map(|(class, _)| defect(class, "*")).collect();
    let found = Hits { outcomes: outcomes.iter().map(|(_, outcome)| *outcome).collect(), findings: vec![] };
    Kept {
        brief: Some(IdHash::of("brief")),
        draft: Some(IdHash::of(draft)),
        writer: Some("m".into()),
        critic: Some("m".into()),
        defects: kept_defects(&known, &found),
        ..Kept::default()
    }
}

fn held(baseline: &[(&str, Kept)], candidate: &[(&str, Kept)]) -> Versus {
    let runs = |arm: &[(&str, Kept)]| -> Runs { arm.iter().map(|(id, kept)| (((*id).to_owned(), 0), kept.clone())).collect() };
    let (mine, theirs) = (runs(baseline), runs(candidate));
    let origin = |name, runs| Origin { name, digest: "d", requested: [Some("m"), Some("m")], runs };
    versus(&origin("base", &mine), &origin("cand", &theirs))
}

#[test]
fn arms_are_held_against_each_other_on_equal_drafts_alone() {
    let (yes, no) = (caught(true, false), MISSED);
    let base = [("t1", kept("d", &[("p", no), ("p", yes)])), ("t2", kept("d", &[("p", yes)])), ("t3", kept("d", &[("p", no)]))];
    let cand = [("t1", kept("d", &[("p", yes), ("p", yes)])), ("t2", kept("other", &[("p", no)])), ("t4", kept("d", &[("p", no)]))];
    let found = held(&base, &cand);
    assert_eq!((found.paired, found.only_baseline.count, found.only_candidate.count), (2, 1, 1));
    assert_eq!((found.draft.same, found.draft.known, found.draft.differ.tickets.clone()), (1, 2, vec!["t2".to_owned()]));
    assert_eq!((found.brief.same, found.brief.unknown, found.alike), (2, 0, Some(false)));
    let [class] = found.classes.as_slice() else { panic!("{found:?}") };
    assert_eq!((class.n, class.tickets, class.both, class.only_candidate, class.only_baseline, class.neither), (2, 1, 1, 1, 0, 0));
    assert_eq!((class.baseline_caught, class.candidate_caught, class.value), (1, 2, Some(0.5)));
    // One discordant pair: two-sided mid-p is 1/2, and one class is its own q.
    assert_eq!((class.p, class.q), (Some(0.5), Some(0.5)));
    assert!(class.low.unwrap() < 0.0 && class.high.unwrap() > 0.5);
}

#[test]
fn what_is_not_known_is_not_called_the_same() {
    let one = |kept: Kept| [("t", kept)];
    let whole = kept("d", &[]);
    assert_eq!(held(&one(whole.clone()), &one(whole.clone())).alike, Some(true));
    for unknown in [Kept { brief: None, ..whole.clone() }, Kept { draft: None, ..whole.clone() }, Kept { critic: None, ..whole.clone() }] {
        assert_eq!(held(&one(whole.clone()), &one(unknown)).alike, None);
    }
    let other = Kept { critic: Some("m-2".into()), ..whole.clone() };
    let found = held(&one(whole.clone()), &one(other));
    assert_eq!((found.alike, found.weights[1].same_answered.differ.count), (Some(false), 1));
    let apart = held(&one(whole), &[]);
    assert_eq!((apart.alike, apart.paired, apart.classes.len()), (None, 0, 0));
    // Prose and drafts that nobody read are in no difference.
    let prose = Outcome::Prose { quoted: Some(true) };
    let found = held(&one(kept("d", &[("p", prose), ("q", Outcome::Unseen)])), &one(kept("d", &[("p", MISSED), ("q", MISSED)])));
    assert!(found.classes.is_empty());
}

#[test]
fn the_same_words_twice_are_two_defects() {
    let known = [defect("p", "a"), defect("P", "a"), defect("p", "b")];
    let outcomes = vec![MISSED; 3];
    let kept: Vec<KeptDefect> = kept_defects(&known, &Hits { outcomes, findings: vec![] });
    assert!(kept[0].id != kept[1].id && kept[1].id != kept[2].id && kept[0].id != kept[2].id);
}

#[test]
fn both_quotations_are_checked_whatever_became_of_the_other() {
    let run = grounded_case();
    let sources: serde_json::Map<String, Value> = serde_json::from_str(&case("A11-grounded-eligible/sources.json")).unwrap();
    let source = |(id, text): (&String, &Value)| Source { id: id.clone(), title: String::new(), text: text.as_str().unwrap().into() };
    let ticket = Ticket { sources: sources.iter().map(source).collect(), ..ticket() };
    let sum = |known: bool| {
        let mut sum = GroundingSum::default();
        sum.add(grounding::check(&ticket, known, &run, 0.8, &[]));
        sum.finish("arm").unwrap()
    };
    let found = sum(true);
    assert_eq!((found.emitted, found.internal, found.eligible, found.unsourced), (9, 2, 7, 0));
    assert_eq!((found.draft.checked, found.draft.exact, found.draft.failed), (9, 7, 2));
    let source = found.source.unwrap();
    assert_eq!((source.checked, source.exact, source.normalised, source.fuzzy, source.failed), (7, 2, 1, 0, 4));
    assert_eq!(source.reasons, BTreeMap::from([("source_span_not_found".into(), 3), ("unknown_source".into(), 1)]));
    assert_eq!((found.internal_source.exact, found.internal_source.failed), (1, 1));
    let both = found.both.unwrap();
    assert_eq!((both.both, both.draft_only, both.source_only, both.neither), (2, 3, 1, 1));
    assert_eq!((found.echoed_kept, found.echoed_dropped), (0, 0));
    let drops: Vec<_> = found.drops.iter().map(|line| (line.reason.as_str(), line.eligible, line.internal)).collect();
    assert_eq!(drops, [("unknown_source", 1, 0), ("source_span_not_found", 2, 1), ("draft_span_not_found", 2, 0)]);
    assert_eq!((found.dropped_eligible, found.dropped_internal), (5, 1));
    let recovery = &found.recovery;
    assert_eq!((recovery.dropped_by_bytes, recovery.normalised, recovery.fuzzy, recovery.still_dropped), (7, 1, 0, 6));
    let [row] = recovery.listed.as_slice() else { panic!("{recovery:?}") };
    let side = row.source.as_ref().unwrap();
    assert_eq!((row.finding, side.differs.as_slice()), (2, &["quotation marks".to_owned()][..]));
    assert_eq!(side.found.as_deref(), Some("Overage: \u{201c}$0.12 per GB\u{201d}, billed monthly."));
    // Claims of the draft: 12 seats, 200 GB, $0.09 per GB, 90 days, two archives, four hours. Verified are findings 1, 3 and 7: 12, $0.09, two.
    assert_eq!(found.claims_uncovered, Some(Rate::new(3, 6)));
    let unknown = sum(false);
    assert_eq!((unknown.source, unknown.both, unknown.eligible, unknown.dropped_eligible), (None, None, 7, 5));
}

#[test]
fn a_source_that_says_what_the_draft_says_is_no_proof() {
    let mut run = grounded_case();
    let ticket = Ticket {
        sources: vec![Source { id: "S1".into(), title: String::new(), text: "ARCHIVE data is kept for 90 days".into() }],
        ..ticket()
    };
    let findings = run.passes[1].critique.as_mut().and_then(|critique| critique.findings.as_mut()).unwrap();
    findings.truncate(2);
    for (finding, source) in findings.iter_mut().zip(["archive data is kept for 90 days.", "ARCHIVE data is kept for 90 days"]) {
        (finding.quote, finding.source_quote) = (Some("Archive data is kept for 90 days".into()), Some(source.into()));
        (finding.source_id, finding.anchor, finding.drop) = (Some("S1".into()), None, None);
    }
    let draft = case("A11-grounded-eligible/draft.txt");
    crate::critique::locate::locate(run.passes[1].critique.as_mut().unwrap(), &draft, &ticket.sources, 0.8);
    let mut sum = GroundingSum::default();
    sum.add(grounding::check(&ticket, true, &run, 0.8, &[]));
    let found = sum.finish("arm").unwrap();
    assert_eq!((found.emitted, found.dropped_eligible, found.echoed_kept, found.echoed_dropped), (2, 1, 1, 1));
}

proptest! {
    #[test]
    fn counts_add_up(
        defects in prop::collection::vec(("[pq]", prop::sample::select(vec!["*", "fee", "some day", "gone", "", "退款", "The fee is €15", "Bye"])), 0..6),
        findings in prop::collection::vec(("[pqr]", prop::sample::select(vec!["fee", "day. 退", "nowhere", "Zoë", "The fee is €15. The fee"])), 0..6),
        mode in 0..5u8,
    ) {
        let known: Vec<Defect<'_>> = defects.iter().map(|(class, quote)| defect(class, quote)).collect();
        let pairs: Vec<(&str, &str)> = findings.iter().map(|(label, quote)| (label.as_str(), *quote)).collect();
        let mut made = critique(&pairs);
        let format = [Format::Findings, Format::Grounded, Format::Prose, Format::Findings, Format::Findings][usize::from(mode)];
        if mode == 3 {
            made.status = CritiqueStatus::ParseError(ParseReason::Empty);
        }
        let found = hits(&known, DRAFT, SectionRule::Paragraph, format, (mode != 4).then_some(&made));
        prop_assert_eq!(found.outcomes.len(), known.len());
        let mut sum = CatchSum::default();
        sum.add(&known, &found, &vec![None; known.len()]);
        let all = sum.total();
        prop_assert_eq!(all.of + all.absent + all.unseen + all.prose, known.len() as u64);
        prop_assert!(all.caught <= all.of && all.caught == all.by_span + all.by_class + all.by_both);
        prop_assert!(all.unreadable + all.dropped <= all.of - all.caught || mode != 3);
        let classes: u64 = ["p", "q"].iter().map(|class| sum.catches(class).caught).sum();
        prop_assert_eq!(classes, all.caught);
        // Something is caught exactly where some finding hits something.
        prop_assert_eq!(all.caught > 0, found.findings.contains(&Some(true)));
    }
}
