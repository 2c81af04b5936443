//! Summaries of rows made by hand: which tickets count, what is null, views, merging, and the file's form.

use serde_json::Value;

use super::accumulator::KNOWN;
use super::tally::Plan;
use super::*;
use crate::metric::{self, Cell, Measured, Row, column_at};
use crate::model::{Fault, FaultKind, Stop};

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

fn summarise(runs: &[Measured], max_passes: u32) -> ArmSummary {
    let mut accumulator = Accumulator::new(named("arm"), max_passes);
    runs.iter().for_each(|run| accumulator.add(std::slice::from_ref(run)));
    accumulator.finish()
}

fn figure<'a>(summary: &'a ArmSummary, name: &str) -> &'a FigureSummary {
    summary.figures.iter().find(|figure| figure.name == name).unwrap()
}

fn input(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/metric").join(path)).unwrap()
}

/// num, den, value, n, missing.
fn counts(at: &PassFigure) -> (Option<Amount>, Option<u64>, Option<f64>, u64, u64) {
    (at.num, at.den, at.value, at.n, at.missing)
}

#[test]
fn every_figure_and_every_column_read_by_name_is_found() {
    assert_eq!(Plan::all().len(), metric::figures().count());
    let width = metric::columns().count();
    assert!(KNOWN.revised < width && KNOWN.parse_reason < width && KNOWN.calls.iter().all(|at| *at < width));
}

#[test]
fn tickets_without_a_revision_and_tickets_with_a_fault_are_counted_beside_the_rate() {
    let text = input("M01-denominator/tickets.jsonl");
    let runs: Vec<Measured> = text
        .lines()
        .map(|line| {
            let ticket: Value = serde_json::from_str(line).unwrap();
            let touched = ticket["revision_touched_unmentioned"].as_bool();
            let revised = ticket["revisions"].as_u64().map(|n| n > 0);
            let pass = [("untouched_section_edit", Cell::from(touched)), ("revised", Cell::from(revised))];
            let mut run = run(ticket["ticket"].as_str().unwrap(), &[&[], &pass]);
            run.fault = (ticket["status"] == "error").then(|| Fault {
                kind: FaultKind::Missing,
                at: "writer pass 0".into(),
                what: "no call was recorded".into(),
            });
            run
        })
        .collect();
    let summary = summarise(&runs, 1);
    assert_eq!((summary.tickets, summary.errored, summary.without_revision, summary.scored), (10, 1, 1, 8));
    assert_eq!(summary.coverage, Rate { num: 9, den: 10, value: Some(0.9) });
    assert_eq!(summary.faults, BTreeMap::from([("missing".into(), 1)]));
    let rate = figure(&summary, "untouched_section_edit");
    let want = (Some(Amount::Count(2)), Some(8), Some(0.25), 8, 1);
    assert_eq!(counts(&rate.running[1]), want);
    assert_eq!(counts(&rate.enrolled.as_ref().unwrap()[1]), want);
    assert!(rate.running[1].low.unwrap() > 0.07 && rate.running[1].high.unwrap() < 0.6);
}

#[test]
fn nothing_is_null_and_zero_is_zero() {
    let approved = [("emitted", Cell::Int(0)), ("fate_observed", Cell::Int(0)), ("approved", Cell::Flag(true))];
    let runs: Vec<Measured> = input("M03-empty-null/all_approved.jsonl")
        .lines()
        .map(|line| run(serde_json::from_str::<Value>(line).unwrap()["ticket"].as_str().unwrap(), &[&[], &approved]))
        .collect();
    let summary = summarise(&runs, 1);
    assert_eq!(counts(&figure(&summary, "findings_emitted").running[1]), (Some(Amount::Count(0)), Some(2), Some(0.0), 2, 0));
    assert_eq!(counts(&figure(&summary, "resolution").running[1]), (Some(Amount::Count(0)), Some(0), None, 0, 2));
    assert_eq!(counts(&figure(&summary, "chars_changed").running[1]), (None, None, None, 0, 2));
    let json = Summary::new(vec![summary]).to_json();
    assert!(!json.contains("NaN") && !json.contains("inf"));
}

#[test]
fn missing_values_are_left_out_and_counted() {
    let column: Value = serde_json::from_str(&input("M03-empty-null/column.json")).unwrap();
    let listed: Vec<Cell> = column["chars_changed"].as_array().unwrap().iter().map(|n| n.as_u64().into()).collect();
    let mut reader_rows = vec![];
    for line in input("M03-empty-null/column_nan.csv").lines().skip(1) {
        let text = line.split(',').nth(1).unwrap();
        reader_rows.push(text.parse::<f64>().ok().map_or(Cell::Null, Cell::from));
    }
    let even = [10u64, 30, 340, 900].map(Cell::from).to_vec();
    for (cells, n, missing, median) in [(listed, 3, 1, 30.0), (reader_rows, 3, 2, 30.0), (even, 4, 0, 185.0)] {
        let runs: Vec<Measured> =
            cells.iter().map(|cell| run("T", &[&[("chars_changed", cell.clone()), ("new_errors", cell.clone())]])).collect();
        let summary = summarise(&runs, 0);
        assert_eq!(counts(&figure(&summary, "chars_changed").running[0]), (None, None, Some(median), n, missing));
        if n == 3 && missing == 1 {
            assert_eq!(counts(&figure(&summary, "new_errors").running[0]), (Some(Amount::Count(380)), Some(3), Some(380.0 / 3.0), 3, 1));
        }
    }
}

#[test]
fn enrolled_carries_each_column_in_its_own_way() {
    let usd = |text: &str| Cell::Usd(Usd::parse(text).unwrap());
    let first = [("calls", Cell::Int(1)), ("cost_usd", usd("0.1")), ("correct", Cell::Flag(true)), ("new_error", Cell::Null)];
    let second = [("calls", Cell::Int(2)), ("cost_usd", usd("0.2")), ("correct", Cell::Flag(false)), ("new_error", Cell::Flag(true))];
    let third = [("calls", Cell::Int(2)), ("cost_usd", Cell::Null), ("correct", Cell::Null), ("new_error", Cell::Flag(false))];
    let runs = [run("A", &[&first, &second, &third]), run("B", &[&first]), run("C", &[&first, &second])];
    let summary = summarise(&runs, 3);
    let enrolled = |name: &str| figure(&summary, name).enrolled.as_ref().unwrap().iter().map(counts).collect::<Vec<_>>();
    let count = |n: i64, den: u64, n_tickets: u64, missing: u64| {
        (Some(Amount::Count(n)), Some(den), Some(n as f64 / den as f64), n_tickets, missing)
    };
    assert_eq!(enrolled("calls"), [count(3, 3, 3, 0), count(7, 3, 3, 0), count(9, 3, 3, 0), count(9, 3, 3, 0)]);
    assert_eq!(enrolled("correct"), [count(3, 3, 3, 0), count(1, 3, 3, 0), count(1, 3, 3, 0), count(1, 3, 3, 0)]);
    assert_eq!(enrolled("new_error")[1..], [count(2, 2, 2, 1), count(2, 2, 2, 1), count(2, 2, 2, 1)]);
    let costs = enrolled("cost_usd");
    assert_eq!(costs[1].0, Some(Amount::Usd(Usd::parse("0.7").unwrap())));
    assert_eq!((costs[2].0, costs[2].1, costs[2].4), (Some(Amount::Usd(Usd::parse("0.4").unwrap())), Some(2), 1));
    let running = &figure(&summary, "calls").running;
    assert_eq!(running.iter().map(|at| at.n).collect::<Vec<_>>(), [3, 2, 1]);
    assert_eq!((summary.calls.calls, summary.calls.cost_usd, summary.calls.cost_known_usd), (9, None, Usd::ZERO));
    assert!(figure(&summary, "no_change").enrolled.is_none());
}

#[test]
fn samples_are_pooled_and_the_unit_stays_the_ticket() {
    let flag = |value: bool| run("A", &[&[("correct", Cell::Flag(value)), ("chars_changed", Cell::Int(i64::from(value)))]]);
    let mut accumulator = Accumulator::new(named("arm"), 0);
    accumulator.add(&[flag(true), flag(false)]);
    accumulator.add(&[flag(true), flag(true)]);
    let summary = accumulator.finish();
    assert_eq!((summary.tickets, summary.samples, summary.runs), (2, 2, 4));
    let at = &figure(&summary, "correct").running[0];
    assert_eq!((counts(at), at.low, at.high), ((Some(Amount::Count(3)), Some(4), Some(0.75), 2, 0), None, None));
}

#[test]
fn shards_add_up_to_the_whole_whatever_their_lengths() {
    let runs: Vec<Measured> = (0..40u32)
        .map(|i| {
            let pass = |k: u32| {
                vec![
                    ("preservation_original", Cell::from(f64::from(1 + (i * 7 + k) % 11) / 7.0)),
                    ("fate_resolved", Cell::from(i % 3)),
                    ("fate_observed", Cell::from(3u32)),
                    ("correct", Cell::Flag((i + k).is_multiple_of(2))),
                    ("emitted", Cell::from(i)),
                ]
            };
            let passes: Vec<_> = (0..1 + i % 4).map(pass).collect();
            run("T", &passes.iter().map(Vec::as_slice).collect::<Vec<_>>())
        })
        .collect();
    let whole = summarise(&runs, 1);
    for cut in [0, 1, 5, 39, 40] {
        let part = |runs: &[Measured]| {
            let mut accumulator = Accumulator::new(named("arm"), 1);
            runs.iter().for_each(|run| accumulator.add(std::slice::from_ref(run)));
            accumulator
        };
        let mut first = part(&runs[..cut]);
        first.merge(part(&runs[cut..]));
        let merged = first.finish();
        assert_eq!(Summary::new(vec![merged]).to_json(), Summary::new(vec![whole.clone()]).to_json(), "cut at {cut}");
    }
    let resolution = &figure(&whole, "resolution").running[0];
    assert_eq!(resolution.value, Some(39.0 / 120.0));
    assert!((resolution.mean_of_ratios.unwrap() - 39.0 / 120.0).abs() < 1e-12);
}

#[test]
fn the_file_reads_back_and_keeps_to_its_schema() {
    let usd = Cell::Usd(Usd::parse("0.000321").unwrap());
    let row = [("cost_usd", usd), ("preservation_original", Cell::Real(0.5)), ("calls", Cell::Int(7)), ("correct", Cell::Flag(true))];
    let mut run = run("A", &[&row, &[]]);
    run.repairs = vec!["fence".into(), "fence".into()];
    let summary = Summary::new(vec![summarise(&[run], 3)]);
    let json = summary.to_json();
    let path = Path::new("summary.json");
    assert_eq!(Summary::parse(path, json.as_bytes()).unwrap(), summary);
    assert_eq!(summary.arms[0].repairs, BTreeMap::from([("fence".into(), 2)]));
    let schema = serde_json::to_value(schemars::schema_for!(Summary)).unwrap();
    let value: Value = serde_json::from_str(&json).unwrap();
    assert!(jsonschema::is_valid(&schema, &value));
    let other = json.replacen("\"version\": 1", "\"version\": 2", 1);
    assert_eq!(
        Summary::parse(path, other.as_bytes()).unwrap_err().to_string(),
        "summary.json: version 2 of the summary format is not known; expected 1"
    );
}

fn named(arm: &str) -> Origin {
    Origin { arm: arm.into(), requests_recorded: true, ..Origin::default() }
}
