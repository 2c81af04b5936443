//! Verdicts on comparisons made by hand.

use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::compare::{self, Difference, FigureComparison, P, Pairing, Reading, Setup, TicketChange, ValueChange};
use crate::metric::{self, How};
use crate::stats::{Paired, paired, power, tango};
use crate::summary::{Origin, PassFigure};

fn policy(keys: &str, metrics: &[(&str, &str)]) -> Policy {
    let lines: String =
        metrics.iter().map(|(figure, margin)| format!("[[metric]]\nfigure = \"{figure}\"\nmargin = \"{margin}\"\n")).collect();
    Policy::parse(Path::new("gate.toml"), &format!("version = 1\n{keys}\n{lines}")).unwrap()
}

fn side(tickets: u64) -> SideLine {
    SideLine {
        origin: Origin::default(),
        kind: "arm".into(),
        path: "arm".into(),
        tickets,
        errored: 0,
        without_revision: 0,
        findings: Some(3 * tickets),
        revisions: 2 * tickets,
    }
}

fn comparison(tickets: u64, figures: Vec<FigureComparison>) -> Comparison {
    Comparison {
        version: 1,
        baseline: side(tickets),
        candidate: side(tickets),
        setup: Setup::default(),
        pairing: Pairing { paired: tickets, ..Pairing::default() },
        exact: false,
        figures,
        worse_count: 0,
        worse: vec![],
        better_count: 0,
        better: vec![],
    }
}

fn figure(name: &str, end: Option<Difference>) -> FigureComparison {
    let known = metric::figures().find(|figure| figure.name == name).unwrap();
    let how = match known.how {
        How::Share(_) => "share",
        How::Median(_) => "median",
        How::Mean(_) => "mean",
        How::Ratio(..) => "ratio",
    };
    FigureComparison {
        name: name.into(),
        title: known.title.into(),
        unit: known.unit.into(),
        how: how.into(),
        rose: Listed::default(),
        fell: Listed::default(),
        better: known.better,
        headline: known.headline,
        not_applicable: None,
        end,
        at_risk: vec![],
        enrolled: vec![],
    }
}

fn at_end(value: Option<f64>, n: u64) -> PassFigure {
    PassFigure { pass: 3, num: None, den: None, value, mean_of_ratios: None, low: None, high: None, n, missing: 0 }
}

/// A share, with what the statistics say of it.
fn share(both: u64, broken: u64, fixed: u64, neither: u64) -> Difference {
    let table = Paired { both, only_candidate: broken, only_baseline: fixed, neither };
    let (interval, p) = (tango::interval(&table, 0.95), paired::mcnemar(&table).map(|m| m.mid_p));
    Difference {
        pass: 3,
        baseline: at_end(table.baseline().value(), table.n()),
        candidate: at_end(table.candidate().value(), table.n()),
        n: table.n(),
        one_sided: 0,
        value: table.difference(),
        low: interval.map(|i| i.low),
        high: interval.map(|i| i.high),
        interval: Some("tango".into()),
        test: Some("mcnemar_mid_p".into()),
        p: p.map(|p| P { different: p.different, greater: p.greater, less: p.less }),
        pairs: Some(Pairs { both, only_candidate: broken, only_baseline: fixed, neither }),
        q: None,
        reading: Reading::NotShown,
    }
}

/// A number: values, interval of the difference, one-sided p against "not more".
fn number(values: (f64, f64), ends: (f64, f64), greater: f64, n: u64, test: &str) -> Difference {
    Difference {
        value: Some(values.1 - values.0),
        low: Some(ends.0),
        high: Some(ends.1),
        baseline: at_end(Some(values.0), n),
        candidate: at_end(Some(values.1), n),
        n,
        test: Some(test.into()),
        p: Some(P { different: (2.0 * greater.min(1.0 - greater)).min(1.0), greater, less: 1.0 - greater }),
        pairs: None,
        ..share(0, 0, 0, n)
    }
}

fn one(figure_name: &str, margin: &str, end: Difference) -> MetricVerdict {
    let n = end.n;
    let gate = judge(&comparison(n, vec![figure(figure_name, Some(end))]), &policy("", &[(figure_name, margin)]));
    assert_eq!(gate.reasons, Vec::<String>::new());
    assert_eq!(gate.verdict, gate.metrics[0].verdict);
    gate.metrics.into_iter().next().unwrap()
}

#[test]
fn shares_are_held_against_their_margin_and_chance() {
    use Verdict::*;
    for (both, broken, fixed, neither, margin, want, says) in [
        // 2.3% to 9.3%.
        (
            0,
            28,
            7,
            265,
            "2pp",
            Regressed,
            "7.0 pp worse (2.3% to 9.3%); 2.0 pp is allowed (p < 0.001, 28 newly broken and 7 newly fixed, 300 tickets).",
        ),
        // The same counts the other way round are an improvement.
        (0, 7, 28, 265, "2pp", Pass, "7.0 pp better (9.3% to 2.3%); worse by 2.0 pp or more is ruled out"),
        (7, 0, 0, 293, "2pp", Pass, "no difference (2.3% to 2.3%); worse by 2.0 pp or more is ruled out (p = 0.007, 300 tickets)."),
        // Nothing seen, but too few tickets to rule anything out.
        (1, 0, 0, 9, "2pp", Inconclusive, "no difference (10.0% to 10.0%); 21.3 pp worse is not ruled out, 2.0 pp is allowed"),
        // Shown worse, and not by more than it may be, which is not shown to be less either.
        (
            0,
            6,
            0,
            294,
            "2pp",
            Inconclusive,
            "2.0 pp worse (0.0% to 2.0%); 3.8 pp worse is not ruled out, 2.0 pp is allowed (300 tickets, 6 newly broken and 0",
        ),
        // More than the margin, and it may be chance.
        (0, 3, 1, 46, "2pp", Inconclusive, "4.0 pp worse (2.0% to 6.0%); more than the 2.0 pp allowed, but this may be chance (p = 0.188,"),
        (0, 28, 7, 265, "20pp", Pass, "worse by 20.0 pp or more is ruled out"),
        (0, 300, 0, 0, "0pp", Regressed, "100.0 pp worse (0.0% to 100.0%)"),
        (5, 0, 0, 295, "0pp", Inconclusive, "0.9 pp worse is not ruled out, 0.0 pp is allowed"),
    ] {
        let got = one("run_new_error", margin, share(both, broken, fixed, neither));
        assert_eq!(got.verdict, want, "{broken} {fixed} {margin}: {}", got.why);
        assert!(got.why.contains(says), "{}\n{says}", got.why);
    }
}

#[test]
fn an_inconclusive_metric_says_what_it_would_take() {
    let got = one("run_new_error", "2pp", share(5, 10, 8, 277));
    assert_eq!(got.verdict, Verdict::Inconclusive);
    assert_eq!((got.discordance, got.needed), (Some(0.06), power::tickets(0.02, 0.06, 0.1, 0.8)));
    assert_eq!(got.detectable, power::detectable(300, 0.06, 0.1, 0.8));
    assert!(
        got.why.ends_with("300 tickets can show a difference of 3.5 pp with 6.0% of them discordant; 2.0 pp would take 926 tickets."),
        "{}",
        got.why
    );
    // With two metrics the strictest level is half of it.
    let both = vec![figure("run_new_error", Some(share(5, 10, 8, 277))), figure("correct", Some(share(5, 10, 8, 277)))];
    let two = judge(&comparison(300, both), &policy("", &[("run_new_error", "2pp"), ("correct", "2pp")]));
    assert_eq!(two.metrics[0].needed, power::tickets(0.02, 0.06, 0.05, 0.8));
    // Without any discordant ticket: as if all that the margin needs went one way.
    let none = one("run_new_error", "2pp", share(1, 0, 0, 9));
    assert_eq!((none.detectable, none.needed), (None, power::tickets(0.02, 0.02, 0.1, 0.8)));
    assert!(none.why.contains("10 tickets are too few to show any difference with 0.0% of them discordant"), "{}", none.why);
}

#[test]
fn of_a_figure_that_is_better_high_falling_is_worse() {
    let fell = one("correct", "2pp", share(200, 7, 40, 53));
    assert_eq!(
        (fell.verdict, fell.pairs),
        (Verdict::Regressed, Some(Pairs { both: 53, only_candidate: 40, only_baseline: 7, neither: 200 }))
    );
    assert!(fell.why.starts_with("11.0 pp worse (80.0% to 69.0%)"), "{}", fell.why);
    let mirrored = one("run_new_error", "2pp", share(53, 40, 7, 200));
    let numbers = |v: &MetricVerdict| (v.worse_by, v.pairs, v.p_not_worse, v.needed, v.detectable, v.discordance);
    assert_eq!(numbers(&fell), numbers(&mirrored));
    // Up to the last bits, as these sums are taken from the other end.
    let near = |a: Option<f64>, b: Option<f64>| (a.unwrap() - b.unwrap()).abs() < 1e-12;
    assert!(near(fell.low, mirrored.low) && near(fell.high, mirrored.high) && near(fell.p, mirrored.p));
    assert_eq!(one("correct", "2pp", share(200, 40, 7, 53)).verdict, Verdict::Pass);
}

#[test]
fn numbers_are_held_by_their_interval() {
    use Verdict::*;
    let wide = (-0.4, 0.6);
    for (figure, margin, end, want, says) in [
        (
            "calls",
            "0.5 calls",
            number((6.0, 7.0), (0.6, 1.4), 0.001, 300, "sign_flip"),
            Regressed,
            "1 call worse (6 calls to 7 calls); 0.50 calls is allowed (p = 0.001",
        ),
        ("calls", "10%", number((6.0, 7.0), (0.6, 1.4), 0.001, 300, "sign_flip"), Regressed, "0.60 calls is allowed"),
        (
            "calls",
            "20%",
            number((6.0, 7.0), (0.6, 1.4), 0.001, 300, "sign_flip"),
            Inconclusive,
            "1.34 calls worse is not ruled out, 1.20 calls is allowed",
        ),
        (
            "calls",
            "1.5 calls",
            number((6.0, 7.0), (0.6, 1.4), 0.001, 300, "sign_flip"),
            Pass,
            "worse by 1.50 calls or more is ruled out (p = 0.007",
        ),
        (
            "calls",
            "0.5 calls",
            number((6.0, 6.1), wide, 0.35, 300, "sign_flip"),
            Inconclusive,
            "300 tickets can show a difference of 0.63 calls; 0.50 calls would take 483 tickets.",
        ),
        // A bound just at 97.5% is the interval's own end.
        ("calls", "0.7 calls", number((6.0, 6.1), wide, 0.35, 300, "sign_flip"), Pass, "p = 0.009"),
        // No spread: among many tickets that is so, among few it is luck.
        (
            "calls",
            "0.5 calls",
            number((6.0, 6.0), (0.0, 0.0), 1.0, 300, "sign_flip"),
            Pass,
            "no difference (6 calls to 6 calls); worse by 0.50 calls or more is ruled out (p < 0.001",
        ),
        ("calls", "0.5 calls", number((6.0, 6.0), (0.0, 0.0), 1.0, 3, "sign_flip"), Inconclusive, "no difference"),
        ("resolution", "2pp", number((0.6, 0.3), (-0.4, -0.2), 0.999, 300, "ratio_z"), Regressed, "30.0 pp worse (60.0% to 30.0%)"),
        (
            "resolution",
            "2pp",
            number((0.6, 0.3), (-0.3, -0.3), 1.0, 2, "ratio_z"),
            Inconclusive,
            "but this may be chance (no test is possible, 2 tickets)",
        ),
        ("resolution", "2pp", number((0.3, 0.6), (0.2, 0.4), 0.0, 300, "ratio_z"), Pass, "30.0 pp better"),
    ] {
        let got = one(figure, margin, end);
        assert_eq!(got.verdict, want, "{figure} {margin}: {}", got.why);
        assert!(got.why.contains(says), "{}\n{says}", got.why);
    }
}

#[test]
fn holm_is_over_the_metrics_that_could_be_tested() {
    // 9 broken and 2 fixed: p = 0.019, under 5% alone, over it when doubled twice.
    let names = ["run_new_error", "over_cap", "non_draft"];
    let end = || share(0, 9, 2, 289);
    let gate = |names: &[&str], extra: Vec<FigureComparison>| {
        let figures = names.iter().map(|name| figure(name, Some(end()))).chain(extra).collect();
        let metrics: Vec<(&str, &str)> = names.iter().map(|name| (*name, "1pp")).chain([("resolution", "1pp")]).collect();
        judge(&comparison(300, figures), &policy("", &metrics))
    };
    let absent = || vec![FigureComparison { not_applicable: Some("prose has no findings".into()), ..figure("resolution", None) }];
    let (alone, three) = (gate(&names[..1], absent()), gate(&names, absent()));
    assert_eq!((alone.metrics[0].verdict, three.metrics[0].verdict), (Verdict::Regressed, Verdict::Inconclusive));
    let p = alone.metrics[0].p.unwrap();
    assert_eq!((alone.metrics[0].p_holm, three.metrics[0].p_holm), (Some(p), Some(3.0 * p)));
    let last = &three.metrics[3];
    assert_eq!((last.verdict, last.why.as_str()), (Verdict::NoVerdict, "not applicable: prose has no findings"));
    // The whole is as its worst part.
    assert_eq!((alone.verdict, three.verdict), (Verdict::Regressed, Verdict::NoVerdict));
}

fn changed(ticket: &str, figure: &str, before: f64, after: f64) -> TicketChange {
    let change = ValueChange { figure: figure.into(), title: figure.into(), baseline: Some(before), candidate: Some(after) };
    TicketChange { ticket: ticket.into(), changes: vec![change], show_baseline: None, show_candidate: None }
}

#[test]
fn the_same_calls_leave_nothing_to_chance() {
    use Verdict::*;
    let exact = |keys: &str, name: &str, margin: &str, end: Difference| {
        let rose = Listed { count: 2, tickets: vec!["b".into(), "a".into()] };
        let mut comparison = comparison(end.n, vec![FigureComparison { rose, ..figure(name, Some(end)) }]);
        comparison.exact = true;
        comparison.worse = vec![changed("b", name, 0.0, 1.0), changed("a", name, 0.0, 1.0), changed("c", "other", 0.0, 1.0)];
        comparison.better = vec![changed("d", name, 1.0, 0.0)];
        judge(&comparison, &policy(keys, &[(name, margin)]))
    };
    for (name, end, want, says) in [
        (
            "run_new_error",
            share(1, 2, 0, 3),
            Regressed,
            "2 tickets newly broken, 0 newly fixed, from the same recorded calls: 33.3 pp worse (16.7% to 50.0%).",
        ),
        // As many fixed as broken: something broke all the same, whatever the margin.
        ("run_new_error", share(0, 1, 5, 294), Regressed, "1 ticket newly broken, 5 newly fixed"),
        ("run_new_error", share(3, 0, 0, 3), Pass, "no ticket newly broken: no difference (50.0% to 50.0%)."),
        ("run_new_error", Difference { one_sided: 2, ..share(3, 0, 0, 1) }, Inconclusive, "2 tickets have a value on one side alone"),
        ("calls", number((6.0, 6.0), (0.0, 0.0), 1.0, 4, "sign_flip"), Pass, "no difference (6 calls to 6 calls)."),
    ] {
        let margin = if name == "calls" { "0 calls" } else { "50pp" };
        let gate = exact("", name, margin, end);
        assert_eq!((gate.exact, gate.verdict), (true, want), "{}", gate.metrics[0].why);
        assert!(gate.metrics[0].why.contains(says), "{}\n{says}", gate.metrics[0].why);
        assert_eq!((gate.metrics[0].p, gate.metrics[0].p_holm, gate.metrics[0].p_not_worse), (None, None, None));
        assert_eq!(gate.metrics[0].tickets, ["b", "a"]);
    }
    let more = || number((6.0, 6.5), (0.0, 1.0), 0.2, 4, "sign_flip");
    assert_eq!(exact("", "calls", "0.4 calls", more()).verdict, Regressed);
    assert_eq!(exact("", "calls", "0.5 calls", more()).verdict, Pass);
    // The policy may insist on either.
    let paired = exact("mode = \"paired\"", "run_new_error", "2pp", share(0, 1, 0, 299));
    assert_eq!((paired.exact, paired.verdict), (false, Pass));
    let mut other = comparison(300, vec![figure("run_new_error", Some(share(0, 1, 0, 299)))]);
    other.exact = false;
    let insisted = judge(&other, &policy("mode = \"exact\"", &[("run_new_error", "2pp")]));
    assert_eq!(insisted.verdict, Regressed);
    // It cannot make the calls the same.
    assert!(insisted.metrics[0].why.starts_with("1 ticket newly broken, 0 newly fixed: "), "{}", insisted.metrics[0].why);
}

/// Tickets in which a gated figure got worse are named whatever kind it is: of an event in the order of the comparison, else the most first.
#[test]
fn a_gated_figure_names_its_tickets() {
    let listed = |names: &[&str], count: u64| Listed { count, tickets: names.iter().map(|name| (*name).to_owned()).collect() };
    let moved = |name: &str, end: Difference| FigureComparison {
        rose: listed(&["up 9", "up 2"], 7),
        fell: listed(&["down 3"], 1),
        ..figure(name, Some(end))
    };
    let number = || number((6.0, 7.0), (0.5, 1.5), 0.001, 300, "sign_flip");
    let mut comparison = comparison(
        300,
        vec![
            moved("calls", number()),
            moved("resolution", number()),
            moved("chars_changed", number()),
            moved("run_new_error", share(0, 28, 7, 265)),
        ],
    );
    comparison.worse = vec![changed("worst", "run_new_error", 0.0, 1.0), changed("up 2", "run_new_error", 0.0, 1.0)];
    let policy = format!(
        "version = 1\n{}",
        ["calls", "resolution", "run_new_error"]
            .map(|figure| {
                let margin = match figure {
                    "calls" => "1%",
                    "resolution" => "1pp",
                    _ => "2pp",
                };
                format!("[[metric]]\nfigure = \"{figure}\"\nmargin = \"{margin}\"\n")
            })
            .concat()
    );
    let gate = judge(&comparison, &Policy::parse(Path::new("gate.toml"), &policy).unwrap());
    let named: Vec<(&[String], u64)> = gate.metrics.iter().map(|metric| (&*metric.tickets, metric.tickets_count)).collect();
    let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(named[0], (&*own(&["up 9", "up 2"]), 7));
    assert_eq!(named[1], (&*own(&["down 3"]), 1));
    assert_eq!(named[2], (&*own(&["worst", "up 2", "up 9"]), 7));
}

/// Without any variation there is no interval; each ticket is then a coin that fell on one side of the margin.
#[test]
fn what_never_varies_is_held_against_the_margin() {
    use Verdict::*;
    let still = |values, greater, n| {
        let end = number(values, (0.0, 0.0), greater, n, "sign_flip");
        one("calls", "0.5 calls", Difference { low: None, high: None, interval: Some(compare::NO_VARIATION.into()), ..end })
    };
    for (values, greater, n, want, p) in [
        ((6.0, 6.0), 1.0, 300, Pass, Some(0.5f64.powi(300))),
        ((6.0, 6.0), 1.0, 20, Pass, Some(0.5f64.powi(20))),
        ((6.0, 6.0), 1.0, 19, Inconclusive, None),
        ((6.0, 7.0), 0.0005, 300, Regressed, Some(1.0)),
    ] {
        let found = still(values, greater, n);
        assert_eq!((found.verdict, found.p_not_worse), (want, p), "{values:?} of {n}: {}", found.why);
    }
}

/// With the tickets that the template names an equal candidate passes about four times out of five.
#[test]
fn the_template_says_what_a_margin_takes() {
    let mut seen = 0;
    for line in policy::TEMPLATE.lines().filter_map(|line| line.strip_prefix("#   ")) {
        let Some((share, margins)) = line.split_once("%: ") else { continue };
        let share = share.parse::<f64>().unwrap() / 100.0;
        let (broken, fixed) = power::discordant_chances(share, share, 0.5).unwrap();
        for (margin, n) in margins.split(", ").map(|part| part.strip_suffix(" tickets").unwrap().split_once("pp ").unwrap()) {
            let (margin, n) = (margin.parse::<f64>().unwrap() / 100.0, n.parse::<u64>().unwrap());
            let passes = |b, c| {
                tango::not_worse(&Paired { both: 0, only_candidate: b, only_baseline: c, neither: n - b - c }, margin).unwrap() < 0.05
            };
            let chance = power::chance(n, broken, fixed, passes).unwrap();
            assert!((0.79..0.86).contains(&chance), "{line}: {n} tickets pass {chance}");
            seen += 1;
        }
    }
    assert_eq!(seen, 6);
}

#[test]
fn what_was_not_measured_is_no_pass() {
    use Verdict::*;
    let fine = || comparison(300, vec![figure("run_new_error", Some(share(5, 0, 0, 295)))]);
    let listed = |tickets: &[&str]| Listed { count: tickets.len() as u64, tickets: tickets.iter().map(|t| (*t).to_owned()).collect() };
    type Bend = fn(&mut Comparison);
    let rows: [(&str, Bend, &str, Verdict, &str); 14] = [
        ("nothing bent", |_| {}, "", Pass, ""),
        ("empty candidate", |c| (c.candidate, c.pairing.paired) = (side(0), 0), "", NoVerdict, "the candidate has no tickets"),
        ("empty baseline", |c| (c.baseline, c.pairing.paired) = (side(0), 0), "", NoVerdict, "the baseline has no tickets"),
        (
            "all errored",
            |c| c.candidate.errored = 300,
            "max_errored = 300",
            NoVerdict,
            "every ticket of the candidate errored (300 of 300)",
        ),
        ("one errored", |c| c.candidate.errored = 1, "", NoVerdict, "1 ticket of the candidate errored, 0 may"),
        ("one may", |c| c.candidate.errored = 1, "max_errored = 1", Pass, ""),
        ("baseline errored", |c| c.baseline.errored = 2, "", NoVerdict, "2 tickets of the baseline errored, 0 may"),
        ("no pairs", |c| c.pairing.paired = 0, "", NoVerdict, "no ticket ran without a fault on both sides"),
        (
            "findings gone",
            |c| c.candidate.findings = Some(0),
            "",
            NoVerdict,
            "findings fell from 900 to 0 (3.00 a ticket to 0.00), under 10.0%",
        ),
        ("revisions gone", |c| c.candidate.revisions = 59, "", NoVerdict, "revisions fell from 600 to 59"),
        ("just enough", |c| c.candidate.revisions = 60, "", Pass, ""),
        ("prose", |c| c.candidate.findings = None, "", Pass, ""),
        (
            "both do nothing",
            |c| {
                for side in [&mut c.baseline, &mut c.candidate] {
                    (side.findings, side.revisions) = (Some(0), 0)
                }
            },
            "activity = { min_share = 0.0 }",
            NoVerdict,
            "the candidate found and revised nothing",
        ),
        ("part of the tickets", |c| (c.candidate, c.pairing.paired) = (side(30), 30), "max_missing = 270", Pass, ""),
    ];
    for (name, bend, keys, want, says) in rows {
        let mut comparison = fine();
        bend(&mut comparison);
        let gate = judge(&comparison, &policy(keys, &[("run_new_error", "2pp")]));
        assert_eq!(gate.verdict, want, "{name}: {:?}", gate.reasons);
        assert!(gate.reasons.join("; ").contains(says) && gate.reasons.is_empty() == says.is_empty(), "{name}: {:?}", gate.reasons);
    }
    let mut missing = fine();
    missing.pairing.only_baseline = listed(&["a", "b", "c", "d"]);
    let gate = judge(&missing, &policy("", &[("run_new_error", "2pp")]));
    assert_eq!(gate.reasons, ["4 tickets of the baseline are missing in the candidate, 0 may (a, b, c ...)"]);
    // A broken gate stays broken.
    let mut broken = comparison(300, vec![figure("run_new_error", Some(share(0, 28, 7, 265)))]);
    (broken.candidate.errored, broken.pairing.faulted_candidate) = (2, listed(&["x", "y"]));
    let gate = judge(&broken, &policy("", &[("run_new_error", "2pp")]));
    assert_eq!((gate.verdict, gate.reasons.len()), (Regressed, 1));
}

#[test]
fn a_null_on_either_side_is_no_verdict() {
    for (end, says) in [
        (
            Some(share(0, 0, 0, 0)),
            "baseline n/a, candidate n/a over 0 tickets with a value on both sides (0 on one side alone): nothing to compare",
        ),
        (Some(Difference { candidate: at_end(None, 0), ..share(3, 0, 0, 3) }), "baseline 50.0%, candidate n/a"),
        (Some(Difference { baseline: at_end(Some(f64::NAN), 3), ..share(3, 0, 0, 3) }), "baseline n/a, candidate 50.0%"),
        (None, "has no state at the end of a run"),
    ] {
        for exact in [false, true] {
            let mut comparison = comparison(6, vec![figure("run_new_error", end.clone())]);
            comparison.exact = exact;
            let gate = judge(&comparison, &policy("", &[("run_new_error", "100pp")]));
            assert_eq!((gate.verdict, gate.metrics[0].why.as_str().contains(says)), (Verdict::NoVerdict, true), "{}", gate.metrics[0].why);
        }
    }
    let gate = judge(&comparison(6, vec![]), &policy("", &[("run_new_error", "100pp")]));
    assert_eq!((gate.verdict, gate.metrics[0].why.as_str()), (Verdict::NoVerdict, "not in the comparison"));
}

#[test]
fn the_whole_is_as_its_worst_part() {
    use Verdict::*;
    let all = [Pass, Inconclusive, NoVerdict, Regressed];
    assert!(all.is_sorted());
    for verdict in all {
        assert_eq!(serde_json::to_value(verdict).unwrap(), verdict.name());
    }
}

proptest! {
    #[test]
    fn verdicts_keep_their_promises(
        cells in prop::collection::vec(prop_oneof![Just(0u64), 0..40u64], 4..=4),
        points in 0..30u32,
        better_high in any::<bool>(),
        exact in any::<bool>(),
        one_sided in 0..3u64,
    ) {
        let name = if better_high { "correct" } else { "run_new_error" };
        let end = Difference { one_sided, ..share(cells[0], cells[1], cells[2], cells[3]) };
        let n = end.n;
        let mut comparison = comparison(n, vec![figure(name, Some(end))]);
        comparison.exact = exact;
        let gate = judge(&comparison, &policy("", &[(name, &format!("{points}pp"))]));
        let metric = &gate.metrics[0];
        let pairs = metric.pairs.unwrap();
        let worse_by = metric.worse_by.unwrap_or(0.0);
        let margin = f64::from(points) / 100.0;
        prop_assert_eq!(gate.verdict == Verdict::NoVerdict, n == 0);
        match gate.verdict {
            Verdict::Pass if exact => prop_assert!(pairs.only_candidate == 0 && one_sided == 0),
            Verdict::Pass => prop_assert!(n > 0 && worse_by < margin && metric.p_not_worse.unwrap() < 0.05),
            Verdict::Regressed if exact => prop_assert!(pairs.only_candidate > 0),
            Verdict::Regressed => prop_assert!(worse_by > margin && metric.p_holm.unwrap() < 0.05),
            _ => {}
        }
        prop_assert!(!metric.why.is_empty() && !metric.why.contains("NaN") && !metric.why.contains("inf"), "{}", metric.why);
    }

    #[test]
    fn no_number_makes_it_panic_or_pass(
        value in any::<f64>(), low in any::<f64>(), high in any::<f64>(), from in any::<f64>(), to in any::<f64>(), p in any::<f64>(), n in 0..400u64,
    ) {
        let end = Difference {
            value: Some(value), low: Some(low), high: Some(high), baseline: at_end(Some(from), n), candidate: at_end(Some(to), n),
            p: Some(P { different: p, greater: p, less: p }), ..number((0.0, 0.0), (0.0, 0.0), 0.5, n, "sign_flip")
        };
        let gate = judge(&comparison(n, vec![figure("calls", Some(end))]), &policy("", &[("calls", "1 calls")]));
        if gate.verdict == Verdict::Pass {
            prop_assert!(n >= 20 && value < 1.0 && high.is_finite() && from.is_finite() && to.is_finite());
        }
    }
}
