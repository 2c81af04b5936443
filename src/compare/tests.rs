//! Comparisons of rows made by hand: who is compared, what is said of a difference, and what must not matter.

use std::path::Path;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::metric::{self, Cell, Measured, Row, column_at};
use crate::model::{Fault, FaultKind, Stop};
use crate::side::Kind;
use crate::summary::{Accumulator, Frame};

/// A run with the given cells by pass.
fn run(ticket: &str, passes: &[&[(&str, Cell)]]) -> Measured {
    let row = |(pass, set): (usize, &&[(&str, Cell)])| {
        let mut cells = vec![Cell::Null; metric::columns().count()];
        set.iter().for_each(|(name, cell)| cells[column_at(name).unwrap()] = cell.clone());
        Row { pass: pass as u32, cells }
    };
    let rows = passes.iter().enumerate().map(row).collect();
    Measured { ticket: ticket.into(), sample: 0, stop: Stop::MaxPasses, fault: None, rows, repairs: vec![], unused: vec![] }
}

fn faulted(mut run: Measured) -> Measured {
    run.fault = Some(Fault { kind: FaultKind::Missing, at: "critic pass 1".into(), what: "nothing there".into() });
    run
}

/// An arm of its own recording.
fn side(arm: &str, tickets: &[Vec<Measured>]) -> Side {
    let origin = Origin { arm: arm.into(), recording_digest: arm.into(), requests_recorded: true, ..Origin::default() };
    let (mut sum, mut frame) = (Accumulator::new(origin, 3), Frame::default());
    for ticket in tickets {
        sum.add(ticket);
        frame.push(ticket);
    }
    Side::measured(Kind::Arm, arm.into(), sum.finish(), None, frame)
}

fn single(arm: &str, runs: Vec<Measured>) -> Side {
    side(arm, &runs.into_iter().map(|run| vec![run]).collect::<Vec<_>>())
}

fn figure<'a>(comparison: &'a Comparison, name: &str) -> &'a FigureComparison {
    comparison.figures.iter().find(|figure| figure.name == name).unwrap()
}

fn against(baseline: &Side, candidate: &Side) -> Comparison {
    compare(baseline, candidate, &Options { seed: 1, replicates: 200 })
}

fn rate(at: &PassFigure) -> (f64, u64) {
    (at.value.unwrap(), at.den.unwrap())
}

/// The case of docs/statistics.md: easy tickets leave the candidate early, and three ways of counting give three answers.
#[test]
fn who_is_counted_decides_what_is_found() {
    let event = |yes: bool| [("run_new_error", Cell::Flag(yes)), ("new_error", Cell::Flag(yes))];
    let quiet = event(false);
    let arm = |easy_errors: usize, hard_errors: usize, easy_stay: bool| {
        let one = |i: usize| {
            let easy = i < 200;
            let broke = event(if easy { i < easy_errors } else { i - 200 < hard_errors });
            let first = [("run_new_error", Cell::Flag(false))];
            let id = format!("T{i:03}");
            if easy && !easy_stay { run(&id, &[&first, &quiet]) } else { run(&id, &[&first, &quiet, &quiet, &broke]) }
        };
        (0..300).map(one).collect::<Vec<_>>()
    };
    let (baseline, candidate) = (single("a", arm(2, 14, true)), single("b", arm(0, 12, false)));
    let running = |side: &Side| rate(&side.summary.figures.iter().find(|figure| figure.name == "new_error").unwrap().running[3]);
    assert_eq!((running(&baseline), running(&candidate)), ((16.0 / 300.0, 300), (0.12, 100)));
    let found = against(&baseline, &candidate);
    let error = figure(&found, "new_error");
    let both_run = error.at_risk.last().unwrap();
    assert_eq!((both_run.pass, both_run.n, rate(&both_run.baseline), rate(&both_run.candidate)), (3, 100, (0.14, 100), (0.12, 100)));
    assert!((both_run.value.unwrap() + 0.02).abs() < 1e-12);
    for name in ["new_error", "run_new_error"] {
        let end = figure(&found, name).end.as_ref().unwrap();
        assert_eq!((end.pass, end.n, rate(&end.baseline), rate(&end.candidate)), (3, 300, (16.0 / 300.0, 300), (0.04, 300)));
        assert!((end.value.unwrap() + 4.0 / 300.0).abs() < 1e-12 && end.p.is_some() && end.interval.as_deref() == Some("tango"));
    }
}

/// Some of everything, never all alike; `shift` makes an arm of its own of it.
fn varied(tickets: u32, shift: u32, samples: u32) -> Vec<Vec<Measured>> {
    let cell = |n: u32, kind: metric::Kind| match kind {
        _ if n.is_multiple_of(11) => Cell::Null,
        metric::Kind::Int => Cell::from(n % 4),
        metric::Kind::Real => Cell::from(f64::from(n % 9) / 8.0),
        metric::Kind::Flag => Cell::Flag(n.is_multiple_of(3)),
        metric::Kind::Usd => Cell::Usd(crate::model::Usd::from_pico(i64::from(n) * 1_000_000)),
        metric::Kind::Text => Cell::Null,
    };
    let one = |ticket: u32, sample: u32| {
        let rows = (0..=(ticket + sample + shift) % 4).map(|pass| {
            let cell = |(at, column): (usize, &metric::Column)| {
                let n = ticket.wrapping_mul(0x9E37_79B9)
                    ^ (at as u32).wrapping_mul(0x85EB_CA6B)
                    ^ (pass + 7 * shift + 13 * sample).wrapping_mul(0xC2B2_AE35);
                cell(n >> 16, column.kind)
            };
            Row { pass, cells: metric::columns().enumerate().map(cell).collect() }
        });
        Measured { sample, rows: rows.collect(), ..run(&format!("T{ticket:03}"), &[]) }
    };
    (0..tickets).map(|ticket| (0..samples).map(|sample| one(ticket, sample)).collect()).collect()
}

fn all(comparison: &Comparison) -> impl Iterator<Item = (&str, &Difference)> {
    comparison.figures.iter().flat_map(|figure| figure.at_risk.iter().chain(&figure.enrolled).map(|at| (figure.name.as_str(), at)))
}

#[test]
fn swapped_sides_say_the_opposite() {
    let (a, b) = (side("a", &varied(60, 0, 1)), side("b", &varied(60, 1, 1)));
    let (there, back) = (against(&a, &b), against(&b, &a));
    let near = |x: Option<f64>, y: Option<f64>| match (x, y) {
        (Some(x), Some(y)) => (x - y).abs() < 1e-9,
        (x, y) => x == y,
    };
    let minus = |x: Option<f64>| x.map(|x| -x);
    let mut compared = 0;
    for ((name, x), (other, y)) in all(&there).zip(all(&back)) {
        assert_eq!((name, x.pass, x.n, x.one_sided, &x.test), (other, y.pass, y.n, y.one_sided, &y.test));
        assert!(near(x.value, minus(y.value)) && near(x.low, minus(y.high)) && near(x.high, minus(y.low)), "{name} {x:?} {y:?}");
        assert!(
            near(x.p.map(|p| p.greater), y.p.map(|p| p.less)) && near(x.p.map(|p| p.different), y.p.map(|p| p.different)),
            "{name} {x:?} {y:?}"
        );
        compared += u32::from(x.p.is_some());
    }
    assert!(compared > 200, "{compared}");
    let names = |changes: &[TicketChange]| changes.iter().map(|change| change.ticket.clone()).collect::<Vec<_>>();
    assert_eq!((names(&there.worse), names(&there.better)), (names(&back.better), names(&back.worse)));
    assert!(there.worse_count > 10 && there.better_count > 10);
}

#[test]
fn a_side_against_itself_differs_in_nothing() {
    let (a, again) = (side("a", &varied(40, 0, 1)), side("a", &varied(40, 0, 1)));
    let same = against(&a, &again);
    assert!(same.exact && same.worse.is_empty() && same.better.is_empty());
    for (name, at) in all(&same) {
        assert!(at.value.is_none_or(|value| value == 0.0) && at.one_sided == 0, "{name} {at:?}");
        assert_eq!((&at.p, at.q, at.low, &at.interval), (&None, None, None, &None));
        assert_eq!(at.reading, if at.value.is_some() { Reading::Same } else { Reading::None });
    }
    // Another recording that happens to say the same is no exact case, and shows no difference.
    let twin = side("b", &varied(40, 0, 1));
    let found = against(&a, &twin);
    assert!(!found.exact);
    for (name, at) in all(&found) {
        assert!(at.value.is_none_or(|value| value == 0.0) && at.p.is_none_or(|p| p.different == 1.0), "{name} {at:?}");
        assert!(matches!(at.reading, Reading::NotShown | Reading::None));
    }
}

#[test]
fn the_order_of_tickets_and_the_figures_beside_change_nothing() {
    let (from, to) = (varied(50, 0, 2), varied(50, 1, 2));
    let turned = |tickets: &[Vec<Measured>]| tickets.iter().rev().cloned().collect::<Vec<_>>();
    let found = against(&side("a", &from), &side("b", &to));
    assert_eq!(found.to_json(), against(&side("a", &turned(&from)), &side("b", &turned(&to))).to_json());
    // One figure worked out alone has the same numbers.
    let (a, b) = (side("a", &from), side("b", &to));
    let (pairs, _) = pairing::pair(&a.frame, &b.frame);
    let (alone, _) = super::figure(Plan::named("calls").unwrap(), &pairs, [&a, &b], false, &Options { seed: 1, replicates: 200 });
    let (mut alone, mut among) = (alone.end.unwrap(), figure(&found, "calls").end.clone().unwrap());
    (alone.q, among.q) = (None, None);
    assert_eq!(alone, among);
}

#[test]
fn tickets_that_cannot_be_compared_are_listed() {
    let cells = [("calls", Cell::Int(3))];
    let one = |id: &str| run(id, &[&cells]);
    let baseline = single("a", vec![one("both"), one("left"), faulted(one("bad left")), one("bad right"), faulted(one("bad both"))]);
    let candidate = single("b", vec![one("right"), one("both"), one("bad left"), faulted(one("bad right")), faulted(one("bad both"))]);
    let found = against(&baseline, &candidate);
    let names = |list: &Listed| (list.count, list.tickets.join(" "));
    let Pairing { paired, only_baseline, only_candidate, faulted_baseline, faulted_candidate } = &found.pairing;
    assert_eq!((*paired, names(only_baseline), names(only_candidate)), (1, (1, "left".into()), (1, "right".into())));
    assert_eq!((names(faulted_baseline), names(faulted_candidate)), ((2, "bad both bad left".into()), (2, "bad both bad right".into())));
    assert_eq!((found.baseline.tickets, found.baseline.errored), (5, 2));
    // One ticket: a value and a difference, but nothing that would take several.
    let end = figure(&found, "calls").end.as_ref().unwrap();
    assert_eq!((end.n, end.value, end.low, end.reading), (1, Some(0.0), None, Reading::NotShown));
    assert!(found.comparable());
}

#[test]
fn nothing_to_compare_is_said_and_never_zero() {
    let cells = [("calls", Cell::Int(3)), ("correct", Cell::Flag(true))];
    let (none, some) = (single("a", vec![]), single("b", vec![run("T", &[&cells])]));
    for (a, b) in [(&none, &some), (&some, &none), (&none, &none)] {
        let found = against(a, b);
        assert!(!found.comparable() && found.figures.iter().all(|figure| figure.not_applicable.is_some() && figure.end.is_none()));
    }
    let errored = single("c", vec![faulted(run("T", &[&cells]))]);
    let found = against(&some, &errored);
    assert_eq!(figure(&found, "calls").not_applicable.as_deref(), Some("no ticket ran without a fault on both sides"));
    let blind = single("d", vec![run("T", &[&[("calls", Cell::Int(3))]])]);
    let found = against(&some, &blind);
    assert_eq!(figure(&found, "correct").not_applicable.as_deref(), Some("no pass has a value in the candidate"));
    assert_eq!(
        figure(&found, "cost_usd").not_applicable.as_deref(),
        Some("without prices in the spec or recorded usage no cost is known on either side")
    );
    assert!(found.comparable());
}

#[test]
fn values_on_one_side_alone_are_counted_and_left_out() {
    let cells = |value: Cell| [("untouched_section_edit", value)];
    let (yes, no, null) = (cells(Cell::Flag(true)), cells(Cell::Flag(false)), cells(Cell::Null));
    let arm = |name: &str, of: &dyn Fn(usize) -> [(&'static str, Cell); 1]| {
        single(name, (0..9).map(|i| run(&format!("T{i}"), &[&[], &of(i)])).collect())
    };
    let a = arm("a", &|i| if i < 3 { null.clone() } else { yes.clone() });
    let b = arm("b", &|i| if i < 5 { no.clone() } else { yes.clone() });
    let found = against(&a, &b);
    let end = figure(&found, "untouched_section_edit").end.as_ref().unwrap();
    assert_eq!((end.n, end.one_sided, end.baseline.missing, end.candidate.missing), (6, 3, 3, 0));
    assert_eq!(end.pairs, Some(Pairs { both: 4, only_candidate: 0, only_baseline: 2, neither: 0 }));
}

#[test]
fn several_samples_are_one_ticket() {
    let cells = |flag: bool, calls: i64| {
        [("correct", Cell::Flag(flag)), ("calls", Cell::Int(calls)), ("checks_held", Cell::Int(calls)), ("checks", Cell::Int(4))]
    };
    let ticket = |i: usize, flags: [bool; 2], calls: [i64; 2]| {
        (0..2).map(|s| run(&format!("T{i}"), &[&cells(flags[s], calls[s])])).collect::<Vec<_>>()
    };
    let a: Vec<_> = (0..8).map(|i| ticket(i, [true, false], [1, 3])).collect();
    let b: Vec<_> = (0..8).map(|i| ticket(i, [true, i % 2 == 0], [2, 4])).collect();
    let found = against(&side("a", &a), &side("b", &b));
    let end = |name: &str| figure(&found, name).end.clone().unwrap();
    let correct = end("correct");
    assert_eq!((correct.n, correct.baseline.value, correct.candidate.value, correct.value), (8, Some(0.5), Some(0.75), Some(0.25)));
    assert_eq!((correct.test.as_deref(), correct.interval.as_deref(), correct.pairs), (Some("sign_flip"), Some("bootstrap"), None));
    assert_eq!((end("calls").value, end("calls").n), (Some(1.0), 8));
    let held = end("checks_held");
    assert_eq!((held.baseline.den, held.value, held.test.as_deref()), (Some(64), Some(0.25), Some("ratio_z")));
}

#[test]
fn few_tickets_that_all_move_alike_are_beyond_no_doubt() {
    let arm = |name: &str, tickets: usize, calls: i64| {
        single(name, (0..tickets).map(|i| run(&format!("T{i}"), &[&[("emitted", Cell::Int(2)), ("anchored", Cell::Int(calls))]])).collect())
    };
    for (tickets, p) in [(2, 0.5), (5, 0.0625), (8, 1.0 / 128.0)] {
        let found = against(&arm("a", tickets, 1), &arm("b", tickets, 2));
        let end = figure(&found, "findings_anchored").end.clone().unwrap();
        assert_eq!((end.value, end.p.map(|p| p.different), end.low), (Some(0.5), Some(p), None), "{tickets} tickets");
    }
}

/// What never varies has no interval, which would be a point: neither a mean nor a ratio, drawn or normal. A test still tells a difference.
#[test]
fn what_never_varies_has_no_interval_and_may_be_told_apart() {
    let arm = |name: &str, more: i64, odd: i64| {
        let calls = |i: i64| {
            [("calls", Cell::Int(3 + i % 5 + more + i64::from(i == 0) * odd)), ("emitted", Cell::Int(2)), ("anchored", Cell::Int(1))]
        };
        single(name, (0..40).map(|i| run(&format!("T{i:02}"), &[&calls(i), &calls(i)])).collect())
    };
    let still = Some(NO_VARIATION);
    for (more, odd, calls, reading) in
        [(0, 0, still, Reading::NotShown), (1, 0, still, Reading::Worse), (1, 1, Some("bootstrap"), Reading::Worse)]
    {
        let found = against(&arm("a", 0, 0), &arm("b", more, odd));
        let of = |name: &str| figure(&found, name).end.clone().unwrap();
        let (mean, ratio) = (of("calls"), of("findings_anchored"));
        assert_eq!((mean.interval.as_deref(), mean.low.is_none(), mean.reading), (calls, calls == still, reading), "{more} {odd}");
        assert_eq!((ratio.interval.as_deref(), ratio.low, ratio.high, ratio.reading), (still, None, None, Reading::NotShown));
        let first = &figure(&found, "findings_anchored").at_risk[0];
        assert_eq!((first.interval.as_deref(), first.low), (still, None), "where the interval is normal too");
    }
}

/// 0 of 0 is no value: a ratio counts tickets in which there was something to count.
#[test]
fn a_ratio_counts_tickets_with_something_below_the_line() {
    let arm = |name: &str, of: fn(i64) -> i64| {
        let cells = |i: i64| [("local_checked", Cell::Int(of(i))), ("local_held", Cell::Int(of(i).min(1)))];
        single(name, (0..30).map(|i| run(&format!("T{i:02}"), &[&cells(i)])).collect())
    };
    let (prose, some, all) = (arm("prose", |_| 0), arm("some", |i| i % 2), arm("all", |_| 2));
    let local = |side: &Side| side.summary.figures.iter().find(|figure| figure.name == "local").unwrap().running[0].clone();
    assert_eq!([&prose, &some, &all].map(|side| (local(side).n, local(side).missing)), [(0, 30), (15, 15), (30, 0)]);
    assert_eq!((local(&prose).value, local(&some).value), (None, Some(1.0)));
    let found = against(&some, &all);
    let end = figure(&found, "local").end.as_ref().unwrap();
    assert_eq!((end.n, end.baseline.n, end.candidate.n, end.value), (15, 15, 30, Some(-0.5)));
    let found = against(&prose, &all);
    let why = figure(&found, "local").not_applicable.as_deref();
    assert_eq!(why, Some("nothing that it counts was seen in the baseline"));
}

/// A figure of any kind says in which tickets it moved, the most first.
#[test]
fn every_figure_names_the_tickets_that_moved() {
    let arm = |name: &str, calls: [i64; 4]| {
        single(name, calls.iter().enumerate().map(|(i, n)| run(&format!("T{i}"), &[&[("calls", Cell::Int(*n))]])).collect())
    };
    let found = against(&arm("a", [5, 5, 5, 5]), &arm("b", [6, 5, 9, 1]));
    let calls = figure(&found, "calls");
    assert_eq!((calls.rose.count, calls.fell.count), (2, 1));
    assert_eq!((&*calls.rose.tickets, &*calls.fell.tickets), (&["T2".to_owned(), "T0".to_owned()][..], &["T3".to_owned()][..]));
    assert_eq!(found.worse_count, 0, "what only costs more is no worse ticket");
}

#[test]
fn the_worst_ticket_comes_first() {
    let cells = |error: bool, correct: bool, untouched: bool, calls: i64| {
        [
            ("run_new_error", Cell::Flag(error)),
            ("correct", Cell::Flag(correct)),
            ("untouched_section_edit", Cell::Flag(untouched)),
            ("calls", Cell::Int(calls)),
        ]
    };
    let before = cells(false, true, false, 3);
    let after = [
        ("same", cells(false, true, false, 3)),
        ("dearer", cells(false, true, false, 9)),
        ("untouched", cells(false, true, true, 3)),
        ("wrong", cells(false, false, false, 3)),
        ("broke z", cells(true, true, false, 3)),
        ("broke a", cells(true, true, false, 3)),
        ("broke and wrong", cells(true, false, false, 3)),
    ];
    let baseline = single("a b", after.iter().map(|(id, _)| run(id, &[&before])).collect());
    let candidate = single("-b", after.iter().map(|(id, cells)| run(id, &[cells])).collect());
    let found = against(&baseline, &candidate);
    let names = |changes: &[TicketChange]| changes.iter().map(|change| change.ticket.clone()).collect::<Vec<_>>();
    assert_eq!(names(&found.worse), ["broke and wrong", "broke a", "broke z", "untouched", "wrong"]);
    assert_eq!((found.worse_count, found.better_count, found.worse[0].changes[0].figure.as_str()), (5, 0, "run_new_error"));
    assert_eq!(found.worse[1].show_baseline.as_deref(), Some("redraft show 'a b' 'broke a'"));
    assert_eq!(found.worse[1].show_candidate.as_deref(), Some("redraft show -- -b 'broke a'"));
    let back = against(&candidate, &baseline);
    assert_eq!(names(&back.better), names(&found.worse));
    let table = table(&[&baseline, &candidate], Some(&found));
    let calls = table.figures.iter().position(|(name, ..)| name == "calls").unwrap();
    let row = |id: &str| table.rows.iter().find(|row| row.ticket == id).unwrap();
    assert_eq!((row("wrong").change, row("dearer").change), (Some(Reading::Worse), None));
    assert_eq!(row("dearer").sides.iter().map(|side| side.as_ref().unwrap().values[calls]).collect::<Vec<_>>(), [Some(3.0), Some(9.0)]);
}

fn spec(changes: &[(&str, Value)]) -> Value {
    let mut spec = json!({
        "version": 1, "dataset": "../d", "model": { "provider": "openai-chat", "name": "m", "params": { "temperature": 0 } },
        "parts": { "case": "The case of {{ ticket.prompt }}." },
        "writer": { "prompt": "Write. {{ parts.case }}" },
        "critic": { "prompt": "Read it and say what is wrong. {{ parts.case }}", "format": "prose" },
        "reviser": { "prompt": "Mend it.", "strategy": "whole" },
    });
    for (pointer, value) in changes {
        let (table, key) = pointer.rsplit_once('/').unwrap();
        spec.pointer_mut(table).unwrap()[key] = value.clone();
    }
    spec
}

fn set_up(from: Value, to: Value) -> Setup {
    let with = |arm: &str, spec: Value| {
        let mut side = single(arm, vec![]);
        (side.spec, side.summary.origin.dataset_digest) = (Some(spec), "d".into());
        side
    };
    compare(&with("a", from), &with("b", to), &Options::default()).setup
}

#[test]
fn a_key_left_out_equals_its_default() {
    let written = [
        ("/dataset", json!("elsewhere/d")),
        ("/about", json!("Another word on it.")),
        ("/samples", json!(1)),
        ("/model/params/temperature", json!(0.0)),
        ("/critic/sentinel", json!("APPROVED")),
        ("/critic/severities", json!(["blocking", "major", "minor"])),
        ("/reviser/model", json!("m")),
        ("/reviser/send", json!("anchored")),
        ("/writer/params", json!({ "temperature": 0 })),
        ("/guards", json!({ "locality": "observe", "growth": 15 })),
        ("/bounds", json!({ "max_passes": 3 })),
    ];
    let found = set_up(spec(&[]), spec(&written));
    assert_eq!((found.known, &found.changed), (true, &vec![]));
    assert_eq!(found.held.len(), Family::ALL.len());
    assert_eq!(found.warnings, ["nothing changed between the loops: what differs is noise, and this measures it"]);
}

#[test]
fn changes_are_told_by_family() {
    use Family::*;
    for (changes, want) in [
        (&[("/critic/prompt", json!("Read it and tell me what is wrong. {{ parts.case }}"))][..], &[(CriticPrompt, "critic.prompt")][..]),
        (&[("/model/name", json!("n"))], &[(Model, "model.name")]),
        (&[("/model/params/temperature", json!(0.7))], &[(Sampling, "model.params.temperature")]),
        (&[("/critic/params", json!({ "temperature": 1 }))], &[(Sampling, "critic.params.temperature")]),
        (&[("/parts/case", json!("The matter of {{ ticket.prompt }}."))], &[(WriterPrompt, "parts.case"), (CriticPrompt, "parts.case")]),
        (
            &[("/critic/format", json!("findings")), ("/reviser/strategy", json!("serial"))],
            &[(Format, "critic.format"), (Strategy, "reviser.strategy")],
        ),
        (&[("/sections", json!("line"))], &[(Measurement, "sections")]),
        (
            &[("/prices", json!({ "m": { "input": 1, "output": 2 } }))],
            &[(Prices, "prices.m.cached"), (Prices, "prices.m.input"), (Prices, "prices.m.output")],
        ),
        (&[("/stop", json!({ "closing_critique": true }))], &[(Bounds, "stop.closing_critique")]),
    ] {
        let found = set_up(spec(&[]), spec(changes));
        let got: Vec<(Family, &str)> = found.changed.iter().map(|change| (change.family, change.key.as_str())).collect();
        assert_eq!(got, want);
        assert!(want.iter().all(|(family, _)| !found.held.contains(family)));
        let families = want.iter().map(|(family, _)| family).collect::<std::collections::BTreeSet<_>>().len();
        assert_eq!(found.warnings.iter().any(|warning| warning.contains("changed at once")), families > 1, "{:?}", found.warnings);
    }
    let found = set_up(spec(&[]), spec(&[("/critic/prompt", json!("Read it and tell me what is wrong. {{ parts.case }}"))]));
    let told: Vec<(WordOp, &str)> = found.changed[0].words.iter().map(|word| (word.op, word.text.as_str())).collect();
    let (equal, gone, new) = (WordOp::Equal, WordOp::Delete, WordOp::Insert);
    assert_eq!(told, [(equal, "Read it and "), (gone, "say "), (new, "tell me "), (equal, "what is wrong. {{ parts.case }}")]);
    let found = set_up(spec(&[]), spec(&[("/bounds", json!({ "max_calls": 7 }))]));
    assert_eq!((&found.changed[0].baseline, found.changed[0].candidate.as_deref()), (&None, Some("7")));
}

#[test]
fn what_a_reader_must_know_is_warned_of() {
    let (mut a, mut b) = (single("a", vec![]), single("b", vec![]));
    a.spec = Some(spec(&[]));
    (a.summary.origin.dataset_digest, b.summary.origin.dataset_digest) = ("one".into(), "two".into());
    b.summary.origin.synthetic = "made up".into();
    b.summary.origin.requests_recorded = false;
    b.warnings = vec!["its rows were sorted".into()];
    let found = compare(&a, &b, &Options::default()).setup;
    assert!(!found.known && found.held.is_empty() && found.changed[0].family == Family::Dataset);
    let want = [
        "the candidate does not carry its loop's spec: what was held fixed is not known",
        "the data sets differ: tickets are paired by id, and the same id need not be the same ticket",
        "the answers of the candidate were not made by a model, those of the other side were",
        "the candidate's requests were not recorded: whether its calls answer its prompts is not known",
        "the candidate: its rows were sorted",
    ];
    assert_eq!(found.warnings, want);
    b.spec = Some(json!({ "version": 9 }));
    assert!(compare(&a, &b, &Options::default()).setup.warnings[0].contains("of another form"));
}

#[test]
fn the_file_reads_back_and_keeps_to_its_schema() {
    let hostile = "T\u{1b}[2J\u{202e}\n</script>";
    let mut tickets = varied(20, 0, 1);
    tickets[0][0].ticket = hostile.into();
    let mut changed = varied(20, 1, 1);
    changed[0][0].ticket = hostile.into();
    let found = against(&side("a", &tickets), &side("b", &changed));
    let json = found.to_json();
    assert!(!json.contains(['\u{1b}', '\u{202e}']) && !json.contains("NaN") && !json.contains("inf\""));
    let path = Path::new("compare.json");
    assert_eq!(Comparison::parse(path, json.as_bytes()).unwrap(), found);
    let schema = serde_json::to_value(schemars::schema_for!(Comparison)).unwrap();
    assert!(jsonschema::is_valid(&schema, &serde_json::from_str::<Value>(&json).unwrap()));
    let other = json.replacen("\"version\": 1", "\"version\": 2", 1);
    assert_eq!(
        Comparison::parse(path, other.as_bytes()).unwrap_err().to_string(),
        "compare.json: version 2 of the comparison format is not known; expected 1"
    );
    assert!(Comparison::parse(path, b"{").unwrap_err().to_string().starts_with("compare.json:1: not a comparison"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_two_sides_can_be_compared(a in 0u32..30, b in 0u32..30, shift in 0u32..9, samples in 1u32..3, drop in 0usize..30) {
        let mut from = varied(a, 0, samples);
        if drop < from.len() {
            from.remove(drop);
        }
        let found = compare(&side("a", &from), &side("b", &varied(b, shift, 1)), &Options { seed: u64::from(shift), replicates: 20 });
        for (_, at) in all(&found) {
            let finite = [at.value, at.low, at.high, at.q].into_iter().flatten().all(f64::is_finite);
            let sure = at.p.is_none_or(|p| [p.different, p.greater, p.less].iter().all(|p| (0.0..=1.0).contains(p)));
            prop_assert!(finite && sure && at.n + at.one_sided <= found.pairing.paired, "{:?}", at);
            prop_assert!(at.low.is_none_or(|low| low <= at.high.unwrap()));
        }
        prop_assert_eq!(found.baseline.tickets, found.pairing.paired + found.pairing.only_baseline.count);
    }
}
