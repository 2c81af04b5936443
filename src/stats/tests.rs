//! Reference values from other implementations: every case of a kind that is built is run, every other kind is named.

use std::collections::BTreeMap;

use serde_json::Value;

use super::*;

/// Kinds of cases that no code answers yet. A kind that is built leaves this list; one that is unknown fails the test.
const NOT_YET_BUILT: [&str; 28] = [
    "boot_indices",
    "clopper_pearson",
    "cluster_boot_diff_of_medians",
    "cluster_boot_mean_diff",
    "divide",
    "fdr_bh",
    "fisher_exact_two_sided",
    "fnv1a64",
    "gate_false_fail_table",
    "holm",
    "length_cap",
    "mcnemar_floor",
    "mixture_curve",
    "paired_and_clustered_se",
    "paired_binary",
    "paired_mde",
    "quantile7",
    "ratio_of_sums",
    "ratio_vs_mean",
    "rr_paired",
    "rr_unpaired",
    "signflip",
    "splitmix64_stream",
    "stream_key",
    "survivorship",
    "tango_noninf_limits",
    "wilcoxon_exact",
    "wilcoxon_pratt",
];

/// What our code answers to a case, in the shape of its `expected`; None for a kind that is not built.
fn answer(kind: &str, input: &Value) -> Option<Value> {
    let number = |key: &str| input[key].as_f64().unwrap_or(f64::NAN);
    let count = |key: &str| input[key].as_u64().unwrap_or(0);
    let pair = |interval: Option<Interval>| interval.map_or(Value::Null, |i| serde_json::json!({ "lo": i.low, "hi": i.high }));
    Some(match kind {
        "wilson" => {
            let mut answer = pair(wilson(count("x"), count("n"), number("conf")));
            if answer.is_object() {
                answer["p"] = (count("x") as f64 / count("n") as f64).into();
            }
            answer
        }
        "median_orderstat_ci" => order_statistics(count("n"), number("conf"))
            .map_or(Value::Null, |ranks| serde_json::json!({ "l": ranks.low, "u": ranks.high, "coverage": ranks.coverage })),
        "median_ci" => {
            let counts = counted(&floats(&input["x"]));
            let mut answer = pair(median_interval(&counts, CONFIDENCE));
            answer["median"] = median(&counts).into();
            answer
        }
        "norm_ppf" => serde_json::json!({ "z": each(&input["p"], norm::quantile) }),
        "norm_sf" => serde_json::json!({ "p": each(&input["z"], norm::sf) }),
        _ => return None,
    })
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
        let tolerance = case["abs_tol"].as_f64().unwrap_or(1e-12);
        match answer(kind, &case["input"]) {
            Some(got) => {
                assert!(agrees(&case["expected"], &got, tolerance), "{}: expected {}, got {got}", case["id"], case["expected"]);
                *ran.entry(kind).or_default() += 1;
            }
            None => assert!(NOT_YET_BUILT.contains(&kind), "{kind} is neither answered nor listed"),
        }
    }
    assert!(ran.keys().all(|kind| !NOT_YET_BUILT.contains(kind)), "built and still listed");
    assert_eq!([ran["wilson"], ran["median_orderstat_ci"], ran["median_ci"]], [22, 7, 1]);
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
