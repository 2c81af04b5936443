//! Studies of rows made by hand: every figure worked out beside it, and brute force over rows drawn at random.

use proptest::prelude::*;

use super::*;
use crate::metric::{self, Cell, Measured, Row, column_at};
use crate::model::{Fault, FaultKind, Stop, Usd};
use crate::side::Kind;
use crate::summary::{Accumulator, Frame};

/// One pass by hand: `held` of two required checks, or None for a draft that is none.
#[derive(Debug, Clone, Default)]
struct P {
    held: Option<i64>,
    /// No draft at all: an approval or a closing critique.
    idle: bool,
    kept: bool,
    blocking: Option<i64>,
    cost: Option<&'static str>,
}

const CHECKS: i64 = 2;

fn held(held: i64) -> P {
    P { held: Some(held), ..P::default() }
}

fn none() -> P {
    P::default()
}

fn run(ticket: &str, sample: u32, passes: &[P]) -> Measured {
    let row = |(pass, p): (usize, &P)| {
        let mut cells = vec![Cell::Null; metric::columns().count()];
        let mut set = |name: &str, cell: Cell| cells[column_at(name).unwrap()] = cell;
        set("calls", Cell::Int(if pass == 0 { 1 } else { 2 }));
        set("cost_usd", p.cost.and_then(Usd::parse).into());
        set("blocking", p.blocking.map_or(Cell::Null, Cell::Int));
        if !p.idle {
            set("non_draft", Cell::Flag(p.held.is_none()));
            set("no_change", Cell::Flag(p.kept));
            set("checks", p.held.map_or(Cell::Null, |_| Cell::Int(CHECKS)));
            set("checks_held", p.held.map_or(Cell::Null, Cell::Int));
            set("correct", p.held.map(|held| held == CHECKS).into());
            let before = pass.checked_sub(1).and_then(|at| passes[at].held);
            if let Some((before, after)) = before.zip(p.held) {
                set("fixed", Cell::Int((after - before).max(0)));
                set("new_errors", Cell::Int((before - after).max(0)));
                set("to_correct", Cell::Flag(before < CHECKS && after == CHECKS));
                set("to_incorrect", Cell::Flag(before == CHECKS && after < CHECKS));
            }
        }
        Row { pass: pass as u32, cells }
    };
    let rows = passes.iter().enumerate().map(row).collect();
    Measured { ticket: ticket.into(), sample, stop: Stop::MaxPasses, fault: None, rows, repairs: vec![], unused: vec![] }
}

fn side(arm: &str, tickets: &[Vec<Measured>]) -> Side {
    let (mut sum, mut frame) = (Accumulator::new(Origin { arm: arm.into(), ..Origin::default() }, 4), Frame::default());
    for ticket in tickets {
        sum.add(ticket);
        frame.push(ticket);
    }
    Side::measured(Kind::Table, arm.into(), sum.finish(), None, frame)
}

fn single(arm: &str, runs: &[&[P]]) -> Side {
    let runs = runs.iter().enumerate().map(|(i, passes)| vec![run(&format!("T{i:03}"), 0, passes)]);
    side(arm, &runs.collect::<Vec<_>>())
}

fn studied(side: &Side) -> ArmPasses {
    study(std::slice::from_ref(side), None, &Options { seed: 1, replicates: 200 }).arms.remove(0)
}

fn counts(arm: &ArmPasses) -> Vec<(u64, Option<f64>, Option<f64>, f64)> {
    arm.passes.iter().map(|line| (line.running, line.made_correct, line.made_incorrect, line.correct.num)).collect()
}

/// 100 tickets begin incorrect. 60 are mended and stop at once; 40 go on, and pass 2 mends 10 of those. Of the 40 that ran pass 2 that is 25%, of
/// all it is 10 per 100: the sixty that stopped are carried forward.
#[test]
fn tickets_that_stop_early_are_carried_forward() {
    let (easy, hard, lost) = ([held(1), held(2)], [held(1), held(1), held(2)], [held(1), held(1), held(1)]);
    let runs: Vec<&[P]> = (0..100)
        .map(|i| {
            if i < 60 {
                &easy[..]
            } else if i < 70 {
                &hard[..]
            } else {
                &lost[..]
            }
        })
        .collect();
    let arm = studied(&single("a", &runs));
    let want = [(100, None, None, 0.0), (100, Some(60.0), Some(0.0), 60.0), (40, Some(10.0), Some(0.0), 70.0)];
    assert_eq!(counts(&arm), want);
    let net = arm.passes[2].net.as_ref().unwrap();
    assert_eq!((net.n, net.value, net.interval.as_deref()), (100, Some(10.0), Some("tango")));
    assert_eq!((arm.passes[2].reading, arm.last_gain), (Reading::Gain, Some(2)));
    // 40 of 100 ran pass 2 with two calls each: 0.8 calls a ticket, and 80 calls for ten more correct tickets.
    assert_eq!([arm.passes[1].calls, arm.passes[2].calls, arm.passes[2].calls_so_far], [Some(2.0), Some(0.8), Some(3.8)]);
    assert_eq!((arm.passes[2].calls_per_correct, arm.passes[2].cost_usd), (Some(8.0), None));
    assert!(arm.conclusion.iter().any(|said| said.starts_with("Of 100 tickets 40 still ran in pass 2.")), "{:?}", arm.conclusion);
}

#[test]
fn a_pass_that_breaks_as_much_as_it_mends_gains_nothing_and_one_that_breaks_is_shown_to_lose() {
    let (mended, broken) = ([held(1), held(2), held(2)], [held(2), held(1), held(1)]);
    let (steady, late) = ([held(2), held(2), held(2)], [held(2), held(2), held(0)]);
    let runs: Vec<&[P]> = (0..40)
        .map(|i| {
            if i < 6 {
                &mended[..]
            } else if i < 12 {
                &broken[..]
            } else if i < 22 {
                &late[..]
            } else {
                &steady[..]
            }
        })
        .collect();
    let arm = studied(&single("a", &runs));
    assert_eq!(counts(&arm), [(40, None, None, 34.0), (40, Some(6.0), Some(6.0), 34.0), (40, Some(0.0), Some(10.0), 24.0)]);
    assert_eq!([1, 2].map(|pass| arm.passes[pass].reading), [Reading::NotShown, Reading::Loss]);
    assert_eq!((arm.passes[1].net.as_ref().unwrap().value, arm.passes[1].usd_per_correct, arm.last_gain), (Some(0.0), None, None));
    // Checks: 6 mended and 6 broken in pass 1; ten tickets lose two each in pass 2.
    let checks = |pass: usize| (arm.passes[pass].checks_mended, arm.passes[pass].checks_broken);
    assert_eq!((checks(1), checks(2)), ((Some(6.0), Some(6.0)), (Some(0.0), Some(20.0))));
    assert_eq!(arm.passes[2].checks_net.as_ref().unwrap().value, Some(-50.0));
    assert!(arm.conclusion[0].starts_with("No pass is shown to gain."), "{:?}", arm.conclusion);
    assert!(arm.conclusion[1].starts_with("Pass 2 is shown to lose: -25.0"), "{:?}", arm.conclusion);
    // McNemar's mid-p of 10 against 0 is 2^-10, twice over two passes: 0.00195; of 6 against 6 it is 1 less half the middle.
    assert!((arm.passes[2].p_holm.unwrap() - 2.0 / 1024.0).abs() < 1e-12);
}

#[test]
fn few_tickets_are_said_to_be_few() {
    let (mended, steady) = ([held(1), held(2)], [held(2), held(2)]);
    let arm = studied(&single("a", &[&mended, &mended, &mended, &steady, &steady]));
    // Three coins on one side: p = 2 x (1/8 - 1/16) = 0.125.
    assert_eq!(
        (arm.passes[1].net.as_ref().unwrap().p, arm.passes[1].reading, arm.passes[1].detectable),
        (Some(0.125), Reading::NotShown, None)
    );
    let said = arm.conclusion.join(" ");
    assert!(said.contains("At least 5 tickets must flip in a pass, all one way; at most 3 did."), "{said}");
}

/// Runs with their first, last, delivered and best correctness, and the pass of the best draft.
#[test]
fn the_best_draft_is_by_checks_then_by_blocking_findings_then_the_earliest() {
    let read = |held: P, blocking: Option<i64>| P { blocking, ..held };
    let idle = |blocking: Option<i64>| P { idle: true, blocking, ..P::default() };
    let kept = |of: P| P { kept: true, ..of };
    let cases: [(&[P], [f64; 4], u32); 8] = [
        (&[held(1), held(2), held(1)], [0.0, 0.0, 0.0, 1.0], 1),
        (&[held(2), held(2)], [1.0, 1.0, 1.0, 1.0], 0),
        // The next critic blocks draft 0 and not draft 1.
        (&[held(1), read(held(1), Some(1)), idle(Some(0))], [0.0; 4], 1),
        // Draft 1 was never read, so draft 0 is known and it is not.
        (&[held(1), read(held(1), Some(3))], [0.0; 4], 0),
        // Kept drafts are no drafts of their own: what the second reading of draft 0 says makes no difference.
        (&[held(1), read(kept(held(1)), Some(2)), read(held(1), Some(0)), idle(Some(1))], [0.0; 4], 2),
        // The last draft is none: it is passed over as the last state, and delivered as not correct.
        (&[held(1), held(2), none()], [0.0, 1.0, 0.0, 1.0], 1),
        (&[held(2), idle(Some(0))], [1.0, 1.0, 1.0, 1.0], 0),
        (&[held(0), none(), held(1)], [0.0; 4], 2),
    ];
    for (passes, want, at) in cases {
        let drafts = studied(&single("a", &[passes])).drafts;
        assert_eq!([&drafts.first, &drafts.last, &drafts.delivered, &drafts.best].map(|level| level.num), want, "{passes:?}");
        let best: Vec<u32> = drafts.best_at.iter().filter(|best| best.runs > 0).map(|best| best.pass).collect();
        assert_eq!(best, [at], "{passes:?}");
    }
    let all: Vec<&[P]> = cases.iter().map(|(passes, ..)| *passes).collect();
    let drafts = studied(&single("a", &all)).drafts;
    assert_eq!([drafts.first.num, drafts.last.num, drafts.delivered.num, drafts.best.num], [2.0, 3.0, 2.0, 4.0]);
    // 4 of 8 against 3 of 8, one ticket only in the best: 12.5 points, mid-p of one coin 0.5.
    assert_eq!((drafts.best_minus_last.value, drafts.best_minus_last.p), (Some(0.125), Some(0.5)));
    assert_eq!((drafts.last_minus_first.value, drafts.delivered_minus_first.value), (Some(0.125), Some(0.0)));
    // All but the first, whose last draft lost a check; a draft that is none is not the last that was made.
    assert_eq!((drafts.last_as_good.num, drafts.last_as_good.den), (7, 8));
    let wilson = crate::stats::wilson(3, 8, 0.95).unwrap();
    assert_eq!((drafts.last.low, drafts.last.high), (Some(wilson.low), Some(wilson.high)));
}

#[test]
fn lift_is_over_the_same_tickets_and_a_price_needs_a_gain() {
    let paid = |p: P, cost: &'static str| P { cost: Some(cost), ..p };
    let (better, same) = ([paid(held(1), "0.1"), paid(held(2), "0.3")], [paid(held(2), "0.1"), paid(held(2), "0.3")]);
    let with = single("with", &[&better, &better, &same, &same]);
    let alone = single("alone", &[&[paid(held(2), "0.1")], &[paid(held(1), "0.1")], &[paid(held(1), "0.1")]]);
    let arm = study(std::slice::from_ref(&with), Some(&alone), &Options::default()).arms.remove(0);
    let [own, over] = &arm.lifts[..] else { panic!("{:?}", arm.lifts) };
    // Two more of four for 4 x 2 calls and 4 x $0.3.
    assert_eq!((own.baseline.as_deref(), own.n, own.without.num, own.with.num), (None, 4, 2.0, 4.0));
    assert_eq!((own.extra_calls, own.calls_per_correct), (Some(2.0), Some(4.0)));
    assert!((own.extra_usd.unwrap() - 0.3).abs() < 1e-12 && (own.usd_per_correct.unwrap() - 0.6).abs() < 1e-12);
    // T003 is in one arm alone. 1 of 3 against 3 of 3; calls 3 against 1 a ticket; dollars 0.4 against 0.1.
    assert_eq!((over.baseline.as_deref(), over.n, over.only_here, over.only_there), (Some("alone"), 3, 1, 0));
    assert_eq!((over.without.num, over.with.num, over.extra_calls, over.calls_per_correct), (1.0, 3.0, Some(2.0), Some(3.0)));
    assert!((over.usd_per_correct.unwrap() - 0.45).abs() < 1e-12);
    let back = study(std::slice::from_ref(&alone), Some(&with), &Options::default()).arms.remove(0);
    assert_eq!((back.lifts[1].usd_per_correct, back.lifts[1].difference.value.map(|d| d < 0.0)), (None, Some(true)));
    let unpriced = single("unpriced", &[&[held(1), held(2)], &[held(1), held(2)]]);
    assert_eq!((studied(&unpriced).lifts[0].usd_per_correct, studied(&unpriced).lifts[0].calls_per_correct), (None, Some(2.0)));
}

#[test]
fn what_cannot_be_judged_is_null_and_said() {
    let blank = |cells: &[(&str, Cell)]| {
        let mut run = run("T0", 0, &[none(), none()]);
        for row in &mut run.rows {
            cells.iter().for_each(|(name, cell)| row.cells[column_at(name).unwrap()] = cell.clone());
        }
        run
    };
    // No checks, but drafts.
    let bare = studied(&side("a", &[vec![blank(&[("non_draft", Cell::Flag(false)), ("checks", Cell::Int(0))])]]));
    assert_eq!((bare.judged, bare.without_checks, bare.without_first_draft, bare.passes.len()), (0, 1, 0, 2));
    assert!(bare.conclusion[0].starts_with("There is nothing to judge by: no ticket has a required check."), "{:?}", bare.conclusion);
    for line in &bare.passes {
        assert_eq!(
            (line.correct.value, &line.net, line.made_correct, line.checks_net.is_some(), line.reading),
            (None, &None, None, false, Reading::None)
        );
    }
    assert_eq!((bare.drafts.first.value, bare.drafts.best_minus_last.value, bare.lifts[0].difference.value), (None, None, None));
    assert!(bare.drafts.best_at.iter().all(|at| at.runs == 0) && bare.passes[1].calls == Some(2.0));
    assert!(!study(&[side("a", &[])], None, &Options::default()).judged());
    // No first draft that is one.
    let cut = studied(&single("a", &[&[none(), held(2)]]));
    assert_eq!((cut.judged, cut.without_first_draft, cut.without_checks), (0, 1, 0));
    // One pass.
    let alone = studied(&single("a", &[&[held(1)], &[held(2)]]));
    assert!(alone.conclusion[0].contains("the writer alone") && alone.passes.len() == 1 && alone.lifts[0].difference.value == Some(0.0));
    // All errored.
    let mut broken = run("T0", 0, &[held(1), held(2)]);
    broken.fault = Some(Fault { kind: FaultKind::Missing, at: "critic pass 2".into(), what: "nothing there".into() });
    let errored = studied(&side("a", &[vec![broken]]));
    assert_eq!(
        (errored.errored, errored.enrolled, errored.passes.len(), errored.outcomes.iter().map(|o| o.den).sum::<u64>()),
        (1, 0, 0, 0)
    );
    assert!(errored.conclusion[0].starts_with("No ticket ran without a fault"));
    // A pass that made no draft is not tested.
    let closing = P { idle: true, ..P::default() };
    let closed = studied(&single("a", &[&[held(1), held(2), closing.clone()], &[held(1), held(1), closing]]));
    assert_eq!((closed.passes[2].drafted, &closed.passes[2].net, closed.passes[2].calls), (0, &None, Some(2.0)));
    assert_eq!(closed.passes[1].p_holm, closed.passes[1].net.as_ref().unwrap().p, "one pass is no family");
}

/// Two tickets of two runs: the ticket is the unit, so four runs are two values.
#[test]
fn of_several_samples_the_mean_of_a_ticket_counts() {
    let ticket = |id: &str, a: &[P], b: &[P]| vec![run(id, 0, a), run(id, 1, b)];
    let (mended, never) = ([held(1), held(2)], [held(1), held(1)]);
    let arm = studied(&side("a", &[ticket("T0", &mended, &never), ticket("T1", &mended, &mended)]));
    assert_eq!((arm.samples, arm.judged), (2, 2));
    let line = &arm.passes[1];
    assert_eq!((line.correct.num, line.correct.n, line.correct.value, line.correct.low), (1.5, 2, Some(0.75), None));
    assert_eq!((line.made_correct, line.net.as_ref().unwrap().value), (Some(1.5), Some(75.0)));
    assert_eq!((line.net.as_ref().unwrap().test.as_deref(), line.net.as_ref().unwrap().low), (Some("sign_flip"), None));
    // 8 calls of pass 1 by four runs: two a ticket as it is run once, over a net of 1.5 tickets.
    assert_eq!((line.calls, line.calls_per_correct), (Some(2.0), Some(4.0 / 1.5)));
    let flips = arm.outcomes.iter().find(|outcome| outcome.name == "to_correct").unwrap();
    assert_eq!((flips.num, flips.den, flips.tickets, flips.low), (3, 4, 2, None));
}

#[test]
fn outcomes_have_the_interval_that_their_tickets_allow() {
    let (mended, steady) = ([held(1), held(2)], [held(2), held(2), held(2)]);
    let runs: Vec<&[P]> = (0..20).map(|i| if i < 5 { &mended[..] } else { &steady[..] }).collect();
    let arm = studied(&single("a", &runs));
    let of = |name: &str| arm.outcomes.iter().find(|outcome| outcome.name == name).unwrap();
    let up = of("to_correct");
    assert_eq!((up.num, up.den, up.tickets), (5, 35, 20));
    assert!(up.low.unwrap() > 0.0 && up.low.unwrap() < 5.0 / 35.0 && up.high.unwrap() > 5.0 / 35.0);
    // None of 35 revisions by 20 tickets: twenty tickets say so, not thirty-five.
    let down = of("to_incorrect");
    assert_eq!((down.num, down.den, down.high), (0, 35, crate::stats::wilson(0, 20, 0.95).map(|interval| interval.high)));
    assert_eq!((of("false_approval").den, of("false_approval").value), (0, None));
}

/// What a run is after each pass, counted without any of the code above.
fn brute(runs: &[Vec<Option<i64>>], pass: usize) -> (i64, i64, i64) {
    let last = |run: &[Option<i64>]| run.iter().flatten().last().copied();
    let (mut up, mut down, mut correct) = (0, 0, 0);
    for run in runs.iter().filter(|run| run[0].is_some()) {
        let now = last(&run[..run.len().min(pass + 1)]).unwrap() == CHECKS;
        correct += i64::from(now);
        if pass > 0 {
            let before = last(&run[..run.len().min(pass)]).unwrap() == CHECKS;
            up += i64::from(now && !before);
            down += i64::from(before && !now);
        }
    }
    (up, down, correct)
}

proptest! {
    #[test]
    fn made_correct_and_incorrect_are_those_of_brute_force(
        runs in prop::collection::vec(prop::collection::vec(prop::option::weighted(0.85, 0..=CHECKS), 1..5), 1..25), turn in 0usize..25
    ) {
        let measured: Vec<Vec<Measured>> = runs.iter().enumerate().map(|(i, drafts)| {
            let passes: Vec<P> = drafts.iter().map(|held| P { held: *held, ..P::default() }).collect();
            vec![run(&format!("T{i:03}"), 0, &passes)]
        }).collect();
        let arm = studied(&side("a", &measured));
        let judged = runs.iter().filter(|run| run[0].is_some()).count() as u64;
        prop_assert_eq!(arm.judged, judged);
        let mut sum = 0.0;
        for line in &arm.passes {
            let (up, down, correct) = brute(&runs, line.pass as usize);
            prop_assert_eq!(line.correct.num, correct as f64);
            if line.pass > 0 && judged > 0 {
                prop_assert_eq!((line.made_correct, line.made_incorrect), (Some(up as f64), Some(down as f64)));
                let net = line.net.as_ref().unwrap();
                prop_assert!((net.value.unwrap() - 100.0 * (up - down) as f64 / judged as f64).abs() < 1e-9);
                prop_assert!(net.low.unwrap() <= net.value.unwrap() && net.value.unwrap() <= net.high.unwrap());
                sum += net.value.unwrap();
            }
        }
        // Marginal gains add up to what the loop does from first to last draft.
        if let Some(whole) = arm.drafts.last_minus_first.value {
            prop_assert!((sum - 100.0 * whole).abs() < 1e-9);
            prop_assert!(arm.drafts.best.num >= arm.drafts.last.num && arm.drafts.last.num >= arm.drafts.delivered.num);
        }
        // The order in which tickets come changes nothing.
        let mut turned = measured;
        let by = turn % turned.len();
        turned.rotate_left(by);
        prop_assert_eq!(study(&[side("a", &turned)], None, &Options { seed: 1, replicates: 200 }).arms.remove(0), arm);
    }
}

#[test]
fn a_study_reads_back_and_another_version_is_refused() {
    let study = study(&[single("a", &[&[held(1), held(2)], &[held(1), none()]])], None, &Options::default());
    let json = study.to_json();
    assert_eq!(Study::parse(Path::new("passes.json"), json.as_bytes()).unwrap(), study);
    let other = json.replacen("\"version\": 1", "\"version\": 2", 1);
    let refused = Study::parse(Path::new("passes.json"), other.as_bytes()).unwrap_err().to_string();
    assert_eq!(refused, "passes.json: version 2 of the passes format is not known; expected 1");
}
