//! Reference values from other implementations: every case is run through the code that answers its kind.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::draw::Stream;
use super::proportion::{RiskRatio, clopper_pearson, fisher_exact, risk_ratio, two_proportions};
use super::resample::Replicates;
use super::*;

/// How many cases of each kind the file holds; another kind or number fails the test.
const KINDS: [(&str, usize); 33] = [
    ("boot_indices", 2),
    ("clopper_pearson", 20),
    ("cluster_boot_diff_of_medians", 1),
    ("cluster_boot_mean_diff", 1),
    ("divide", 1),
    ("fdr_bh", 2),
    ("fisher_exact_two_sided", 1),
    ("fnv1a64", 1),
    ("gate_false_fail_table", 1),
    ("holm", 2),
    ("length_cap", 1),
    ("mcnemar_floor", 1),
    ("median_ci", 1),
    ("median_orderstat_ci", 7),
    ("mixture_curve", 1),
    ("norm_ppf", 1),
    ("norm_sf", 1),
    ("paired_and_clustered_se", 1),
    ("paired_binary", 15),
    ("paired_mde", 6),
    ("quantile7", 1),
    ("ratio_of_sums", 1),
    ("ratio_vs_mean", 1),
    ("rr_paired", 2),
    ("rr_unpaired", 1),
    ("signflip", 1),
    ("splitmix64_stream", 1),
    ("stream_key", 1),
    ("survivorship", 1),
    ("tango_noninf_limits", 4),
    ("wilcoxon_exact", 1),
    ("wilcoxon_pratt", 2),
    ("wilson", 22),
];

/// What our code answers to a case, in the shape of its `expected`; None for a kind that is not known.
fn answer(kind: &str, input: &Value) -> Option<Value> {
    let number = |key: &str| input[key].as_f64().unwrap_or(f64::NAN);
    let count = |key: &str| input[key].as_u64().unwrap();
    let values = |key: &str| floats(&input[key]);
    let label = || input["label"].as_str().unwrap();
    let stream = || Stream::new(count("seed"), label());
    let hex = |bits: u64| format!("{bits:016x}");
    Some(match kind {
        "wilson" => {
            let (x, n) = (count("x"), count("n"));
            wilson(x, n, number("conf"))
                .map_or(Value::Null, |i| json!({ "p": Share { events: x, of: n }.value(), "lo": i.low, "hi": i.high }))
        }
        "clopper_pearson" => ends(clopper_pearson(count("x"), count("n"), number("conf"))),
        "median_orderstat_ci" => order_statistics(count("n"), number("conf"))
            .map_or(Value::Null, |ranks| json!({ "l": ranks.low, "u": ranks.high, "coverage": ranks.coverage })),
        "median_ci" => {
            let counts = counted(&values("x"));
            let mut answer = ends(median_interval(&counts, CONFIDENCE));
            answer["median"] = median(&counts).into();
            answer
        }
        "quantile7" => json!({ "v": values("q").into_iter().map(|q| median::quantile(&values("x"), q)).collect::<Vec<_>>() }),
        "norm_ppf" => json!({ "z": each(&input["p"], norm::quantile) }),
        "norm_sf" => json!({ "p": each(&input["z"], norm::sf) }),
        "paired_binary" => paired_binary(&Paired {
            both: count("a_both"),
            only_candidate: count("b_onlyB"),
            only_baseline: count("c_onlyA"),
            neither: count("d_neither"),
        }),
        "rr_unpaired" => {
            let share = |events: &str, of: &str| Share { events: count(events), of: count(of) };
            ratio_json(risk_ratio(share("x0", "n0"), share("x1", "n1"), CONFIDENCE))
        }
        "rr_paired" => {
            let table = Paired { both: count("a"), only_candidate: count("b"), only_baseline: count("c"), neither: count("d") };
            ratio_json(paired::risk_ratio(&table, CONFIDENCE))
        }
        "fisher_exact_two_sided" => {
            json!({ "p": serde_json::from_value(input["table"].clone()).ok().and_then(fisher_exact) })
        }
        "mcnemar_floor" => power::fewest_discordant(number("alpha")).map_or(Value::Null, |fewest| {
            json!({
                "two_sided_exact": fewest.exact, "two_sided_midp": fewest.mid_p,
                "one_sided_exact": fewest.exact_one_sided, "one_sided_midp": fewest.mid_p_one_sided,
            })
        }),
        "tango_noninf_limits" => {
            let most = power::most_broken(count("n"), number("margin"), number("alpha"));
            json!({ "max_b_eq_c_passing": most.balanced, "max_b_with_c0_passing": most.none_fixed })
        }
        "paired_mde" => match power::detectable(count("n"), number("psi"), number("alpha"), number("power")) {
            Some(mde) => json!({ "mde": mde }),
            None => Value::Null,
        },
        "gate_false_fail_table" => gates(count("n"), number("margin")),
        "wilcoxon_pratt" => {
            let found = rank::wilcoxon(&differences(input)).unwrap();
            json!({ "W_plus": found.plus, "W_minus": found.minus, "z": found.z, "p": found.p.different })
        }
        "wilcoxon_exact" => {
            let sums = rank::wilcoxon(&values("d")).unwrap();
            json!({ "W_min": sums.plus.min(sums.minus), "p": rank::wilcoxon_exact(&values("d")).unwrap().different })
        }
        "fnv1a64" => json!({ "hex": hex(draw::fnv1a64(input["s"].as_str().unwrap())) }),
        "splitmix64_stream" => {
            let stream = Stream { key: u64::from_str_radix(input["key"].as_str().unwrap(), 16).unwrap() };
            json!({ "hex": (0..count("count")).map(|i| hex(stream.draw(0, i, count("count")))).collect::<Vec<_>>() })
        }
        "stream_key" => json!({ "hex": hex(stream().key) }),
        "boot_indices" => {
            let mut chosen = vec![];
            resample::indices(stream(), count("r") as u32, count("n") as usize, &mut chosen);
            json!({ "idx": chosen[..count("first") as usize] })
        }
        "cluster_boot_mean_diff" => {
            let differences = differences(input);
            let found = resample::mean_difference(&differences, stream(), count("R") as u32);
            let mut first = vec![];
            resample::indices(stream(), 0, differences.len(), &mut first);
            let drawn: Vec<f64> = first.into_iter().map(|i| differences[i]).collect();
            let mut answer = replicates(&found, number("conf"));
            answer["rep0"] = spread::mean(&drawn).into();
            (answer["min"], answer["max"]) = (found.sorted.first().copied().into(), found.sorted.last().copied().into());
            answer
        }
        "cluster_boot_diff_of_medians" => {
            let found = resample::difference_of_medians(&values("A"), &values("B"), stream(), count("R") as u32).unwrap();
            replicates(&found, number("conf"))
        }
        "signflip" => json!({ "p": resample::sign_flip(&values("d"), stream(), count("R") as u32).unwrap().different }),
        "ratio_of_sums" => ratio_of_sums(&input["rows"]),
        "ratio_vs_mean" => {
            let rows: Vec<Vec<f64>> =
                std::iter::once(&input["one_pass"]).chain(input["ten_passes"].as_array().unwrap()).map(floats).collect();
            let (emitted, resolved): (Vec<f64>, Vec<f64>) = rows.iter().map(|row| (row[0], row[1])).unzip();
            json!({
                "ratio_of_sums": ratio::ratio_of_sums(&resolved, &emitted).map(|r| r.value),
                "mean_of_ratios": ratio::mean_of_ratios(&resolved, &emitted),
            })
        }
        "divide" => json!({ "ratio": ratio::ratio_of_sums(&[number("num")], &[number("den")]).map(|r| r.value) }),
        "paired_and_clustered_se" => errors(&values("A"), &values("B"), &values("cluster")),
        "holm" | "fdr_bh" => {
            let adjusted = if kind == "holm" { multiple::holm } else { multiple::benjamini_hochberg }(&values("p")).unwrap();
            json!({ "reject": adjusted.iter().map(|p| *p <= number("alpha")).collect::<Vec<_>>(), "adj": adjusted })
        }
        "survivorship" => survivorship(&input["strata"]),
        "mixture_curve" => {
            let rates = [number("rate_easy"), number("rate_hard")];
            let alive: Vec<Vec<f64>> = input["alive_easy_hard"].as_array().unwrap().iter().map(floats).collect();
            let events = |row: &[f64]| row.iter().zip(rates).map(|(n, rate)| n * rate).collect::<Vec<f64>>();
            let over = |of: &dyn Fn(&[f64]) -> Vec<f64>| -> Vec<Option<f64>> {
                alive.iter().map(|row| ratio::ratio_of_sums(&events(row), &of(row)).map(|r| r.value)).collect()
            };
            json!({
                "at_risk": alive.iter().map(|row| row.iter().sum()).collect::<Vec<f64>>(),
                "naive_rate": over(&|row| row.to_vec()),
                "per_enrolled": over(&|_| alive[0].clone()),
            })
        }
        "length_cap" => length_cap(count("original"), count("passes")),
        _ => return None,
    })
}

fn ends(interval: Option<Interval>) -> Value {
    interval.map_or(Value::Null, |i| json!({ "lo": i.low, "hi": i.high }))
}

fn ratio_json(found: Option<RiskRatio>) -> Value {
    let found = found.unwrap();
    json!({ "rr": found.ratio, "lo": found.interval.low, "hi": found.interval.high, "se_log": found.log_error })
}

fn replicates(found: &Replicates, confidence: f64) -> Value {
    let mut answer = ends(found.interval(confidence));
    answer["est"] = found.estimate.into();
    answer
}

fn differences(input: &Value) -> Vec<f64> {
    floats(&input["A"]).iter().zip(floats(&input["B"])).map(|(a, b)| b - a).collect()
}

fn paired_binary(table: &Paired) -> Value {
    let pair = |i: Interval| [i.low, i.high];
    let (tests, newcombe) = (paired::mcnemar(table).unwrap(), paired::newcombe(table, 0.95).unwrap());
    let tango = |confidence: f64| pair(tango::interval(table, confidence).unwrap());
    json!({
        "n": table.n(), "pA": table.baseline().value(), "pB": table.candidate().value(), "delta": table.difference(),
        "mcnemar_exact": tests.exact.different, "mcnemar_midp": tests.mid_p.different,
        "one_sided_B_greater_exact": tests.exact.greater, "one_sided_B_greater_midp": tests.mid_p.greater,
        "newcombe95": pair(newcombe.interval), "phi": newcombe.correlation,
        "tango95": tango(0.95), "tango90": tango(0.90),
        "noninf_margin_0p02_T": tango::score(table, 0.02), "noninf_margin_0p02_p": tango::not_worse(table, 0.02),
    })
}

/// How often each rule for failing a candidate fires, by scenario: shares of the arms, and their correlation.
fn gates(n: u64, margin: f64) -> Value {
    const SCENARIOS: [(f64, f64, f64); 10] = [
        (7.0 / 300.0, 7.0 / 300.0, 0.0),
        (7.0 / 300.0, 7.0 / 300.0, 0.5),
        (28.0 / 300.0, 28.0 / 300.0, 0.0),
        (28.0 / 300.0, 28.0 / 300.0, 0.5),
        (7.0 / 300.0, 7.0 / 300.0 + 0.02, 0.3),
        (7.0 / 300.0, 7.0 / 300.0 + 0.04, 0.3),
        (7.0 / 300.0, 28.0 / 300.0, 0.3),
        (28.0 / 300.0, 28.0 / 300.0 + 0.05, 0.3),
        (0.27, 0.27, 0.5),
        (0.61, 0.61, 0.5),
    ];
    let table = |b: u64, c: u64| Paired { both: 0, only_candidate: b, only_baseline: c, neither: n - b - c };
    let mid_p = |b: u64, c: u64| paired::mcnemar(&table(b, c)).unwrap().mid_p.greater;
    let score = |b: u64, c: u64| tango::score(&table(b, c), margin).unwrap();
    let over = |b: u64, c: u64| table(b, c).difference().unwrap() > margin;
    let (low, high) = (norm::quantile(0.05), norm::quantile(0.95));
    let row = |&(baseline, candidate, correlation): &(f64, f64, f64)| {
        let (broken, fixed) = power::discordant_chances(baseline, candidate, correlation).unwrap();
        let chance = |rule: &dyn Fn(u64, u64) -> bool| power::chance(n, broken, fixed, rule).unwrap();
        json!({
            "pA": baseline, "pB": candidate, "rho": correlation, "p_newly_broken": broken, "p_newly_fixed": fixed,
            "mass": chance(&|_, _| true),
            "P_fail": {
                "any_newly_broken": chance(&|b, _| b > 0),
                "point_est_worse_gt_2pts": chance(&over),
                "midp_one_sided_p<.05": chance(&|b, c| mid_p(b, c) < 0.05),
                "midp<.05_and_point>2pts": chance(&|b, c| over(b, c) && mid_p(b, c) < 0.05),
                "Tango_LB90>2pts(confident worse than margin)": chance(&|b, c| score(b, c) > high),
                "Tango_UB90>=2pts(not shown non-inferior)": chance(&|b, c| score(b, c) >= low),
            },
        })
    };
    SCENARIOS.iter().map(row).collect()
}

/// Rows are passes of tickets; a finding of a last pass is not checkable.
fn ratio_of_sums(rows: &Value) -> Value {
    let rows = rows.as_array().unwrap();
    let column = |key: &str| -> Vec<f64> { rows.iter().map(|row| row[key].as_f64().unwrap()).collect() };
    let by_ticket = |key: &str| -> Vec<f64> {
        let mut sums: BTreeMap<u64, f64> = BTreeMap::new();
        rows.iter().for_each(|row| *sums.entry(row["ticket"].as_u64().unwrap()).or_default() += row[key].as_f64().unwrap());
        sums.into_values().collect()
    };
    let (emitted, checkable, resolved) = (by_ticket("emitted"), by_ticket("checkable"), by_ticket("resolved"));
    let of_emitted = ratio::ratio_of_sums(&resolved, &emitted).unwrap();
    let of_checkable = ratio::ratio_of_sums(&resolved, &checkable).unwrap();
    // As if every finding were a ticket of its own.
    let findings: Vec<f64> = rows
        .iter()
        .flat_map(|row| (0..row["emitted"].as_u64().unwrap()).map(|i| f64::from(u8::from(i < row["resolved"].as_u64().unwrap()))))
        .collect();
    let fractions: Vec<resample::Fraction> = resolved.iter().copied().zip(checkable).collect();
    let drawn = resample::ratio(&fractions, Stream::new(42, "resolved_ratio"), 2_000).interval(0.95).unwrap();
    json!({
        "ratio_of_sums_emitted": of_emitted.value, "se_clustered_emitted": of_emitted.standard_error,
        "se_naive_per_finding": spread::standard_error(&findings),
        "ratio_of_sums_checkable": of_checkable.value, "se_clustered_checkable": of_checkable.standard_error,
        "mean_of_ratios_emitted": ratio::mean_of_ratios(&column("resolved"), &column("emitted")),
        "mean_of_ratios_checkable": ratio::mean_of_ratios(&column("resolved"), &column("checkable")),
        "boot95_checkable": [drawn.low, drawn.high],
    })
}

fn errors(a: &[f64], b: &[f64], cluster: &[f64]) -> Value {
    let groups: Vec<u64> = cluster.iter().map(|group| *group as u64).collect();
    let d: Vec<f64> = a.iter().zip(b).map(|(a, b)| b - a).collect();
    let error = |values: &[f64]| spread::standard_error(values).unwrap();
    let (of_a, of_b, correlation) = (error(a), error(b), spread::correlation(a, b).unwrap());
    let clustered = spread::clustered(a, &groups).unwrap();
    json!({
        "se_A": of_a, "se_B": of_b, "se_unpaired": (of_a * of_a + of_b * of_b).sqrt(), "se_paired": error(&d), "corr": correlation,
        "se_paired_identity": (of_a * of_a + of_b * of_b - 2.0 * of_a * of_b * correlation).sqrt(),
        "se_clustered_A_inspect": clustered.standard_error, "se_clustered_A_paper": clustered.uncorrected,
        "se_paired_clustered_inspect": spread::clustered(&d, &groups).unwrap().standard_error,
    })
}

/// The strata spelt out ticket by ticket, as an arm has them.
fn survivorship(strata: &Value) -> Value {
    let arm = |alive: &str, events: &str| -> Vec<Option<bool>> {
        let ticket = |stratum: &Value, i: u64| (i < stratum[alive].as_u64().unwrap()).then(|| i < stratum[events].as_u64().unwrap());
        strata.as_array().unwrap().iter().flat_map(|s| (0..s["tickets"].as_u64().unwrap()).map(move |i| ticket(s, i))).collect()
    };
    let (a, b) = (arm("A_alive_at_p3", "A_err"), arm("B_alive_at_p3", "B_err"));
    let (of_a, of_b, both) = (attrition::running(&a), attrition::running(&b), Paired::of(&a, &b));
    let interval = |share: Share| wilson(share.events, share.of, CONFIDENCE).map(|i| [i.low, i.high]);
    let naive = two_proportions(of_a, of_b).unwrap();
    json!({
        "naive_A": of_a.value(), "naive_B": of_b.value(), "naive_delta": of_b.value().unwrap() - of_a.value().unwrap(),
        "naive_wilson_A": interval(of_a), "naive_wilson_B": interval(of_b),
        "common_at_risk_A": both.baseline().value(), "common_at_risk_B": both.candidate().value(),
        "per_enrolled_A": attrition::enrolled(&a).value(), "per_enrolled_B": attrition::enrolled(&b).value(),
        "unpaired_z_naive": naive.z, "unpaired_p_naive": naive.p,
    })
}

/// The cap is the longest revision that passes, and names the original. What a cap of each draft before would have come to is no code of ours: it
/// is worked out here, to show that ours stays below.
fn length_cap(original: u64, passes: u64) -> Value {
    const GROWTH_PERCENT: u32 = 15;
    let draft = |n: u64| "x".repeat(n as usize);
    let passing = (0..4 * original).rev().find(|n| crate::text::locality::within_cap(&draft(original), &draft(*n), GROWTH_PERCENT));
    let compounding = (0..passes).fold(original as f64, |cap, _| cap * (1.0 + f64::from(GROWTH_PERCENT) / 100.0));
    assert!(passing.is_some_and(|n| (n as f64) < compounding));
    json!({ "absolute_cap": passing, "compounding_cap": compounding })
}

fn floats(values: &Value) -> Vec<f64> {
    values.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
}

fn counted(values: &[f64]) -> Vec<(f64, u64)> {
    let mut counts: BTreeMap<i64, u64> = BTreeMap::new();
    values.iter().for_each(|value| *counts.entry(*value as i64).or_default() += 1);
    counts.into_iter().map(|(value, count)| (value as f64, count)).collect()
}

fn each(arguments: &Value, f: fn(f64) -> f64) -> Value {
    floats(arguments).into_iter().map(f).collect()
}

/// Within the tolerance wherever a number is expected; every expected key must be answered.
fn agrees(want: &Value, got: &Value, tolerance: f64) -> bool {
    match (want, got) {
        (Value::Number(a), Value::Number(b)) => (a.as_f64().unwrap() - b.as_f64().unwrap()).abs() <= tolerance,
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| agrees(a, b, tolerance)),
        (Value::Object(a), Value::Object(b)) => a.iter().all(|(key, a)| b.get(key).is_some_and(|b| agrees(a, b, tolerance))),
        _ => want == got,
    }
}

#[test]
fn reference_values_agree() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/stats/vectors.json");
    let file: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let mut ran: BTreeMap<&str, usize> = BTreeMap::new();
    for case in file["cases"].as_array().unwrap() {
        let kind = case["fn"].as_str().unwrap();
        let tolerance = case["abs_tol"].as_f64().unwrap();
        let got = answer(kind, &case["input"]).unwrap_or_else(|| panic!("no code answers {kind}"));
        assert!(agrees(&case["expected"], &got, tolerance), "{}: expected {}, got {got}", case["id"], case["expected"]);
        *ran.entry(kind).or_default() += 1;
    }
    assert_eq!(ran.into_iter().collect::<Vec<_>>(), KINDS);
}

#[test]
fn medians_of_few_and_of_many() {
    assert_eq!(median(&[]), None);
    assert_eq!(median(&counted(&[10.0, 30.0, 340.0])), Some(30.0));
    assert_eq!(median(&counted(&[10.0, 30.0, 340.0, 900.0])), Some(185.0));
    assert_eq!(median_interval(&counted(&[1.0, 2.0, 3.0]), CONFIDENCE), None);
    let ranks = order_statistics(1_000_000, CONFIDENCE).unwrap();
    assert!((0.95..0.951).contains(&ranks.coverage) && ranks.low + ranks.high == 1_000_001);
}

#[test]
fn an_undefined_answer_is_none_and_an_extreme_one_no_panic() {
    assert_eq!((order_statistics(9, 0.0), order_statistics(9, f64::NAN), order_statistics(u64::MAX, 0.95)), (None, None, None));
    assert_eq!(median(&[(1.0, u64::MAX), (2.0, u64::MAX)]), Some(1.0));
    assert_eq!((median::quantile(&[], 0.5), median::quantile(&[1.0], 1.5), median::quantile(&[1.0], 1.0)), (None, None, Some(1.0)));
    for p in [f64::MIN_POSITIVE, 5e-324, 1e-310, 1.0 - f64::EPSILON, 0.5] {
        let x = norm::quantile(p);
        assert!(x.is_finite() && (norm::cdf(x) - p).abs() < 1e-12, "{p} {x}");
    }
}
