//! `redraft critic` on shipped arms: its counts agree with the summary's, from arm and from ledger, on any number of threads.

use std::path::Path;
use std::process::{Command, Output};

use redraft::side::{self, Place, Side};
use serde_json::Value;

const GROUNDED: &str = "recordings/payments-qwen-1.5b/grounded";

fn redraft(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_redraft"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(args).arg("--quiet").output().unwrap()
}

fn critic(args: &[&str]) -> Value {
    let out = redraft(&[&["critic", "--format", "json"], args].concat());
    assert!(out.stderr.is_empty(), "{}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_slice(&out.stdout).unwrap()
}

fn sum(list: &Value, key: &str) -> u64 {
    list.as_array().unwrap().iter().map(|line| line[key].as_u64().unwrap()).sum()
}

#[test]
fn drops_agree_with_the_summary() {
    for name in [GROUNDED, "recordings/payments-qwen-0.5b/grounded"] {
        let place = Place { path: Path::new(env!("CARGO_MANIFEST_DIR")).join(name), arm: None };
        let anchoring = Side::open(&place, &side::Options::default(), &mut || ()).unwrap().summary.anchoring;
        let found = critic(&[name]);
        let of = &found["grounding"][0];
        let number = |key: &str| of[key].as_u64().unwrap();
        assert_eq!(
            [number("emitted"), number("internal"), number("eligible")],
            [anchoring.emitted, anchoring.source_internal, anchoring.source_eligible]
        );
        assert_eq!(number("dropped_eligible") + number("dropped_internal"), anchoring.dropped);
        assert_eq!(
            (sum(&of["drops"], "eligible"), sum(&of["drops"], "internal")),
            (number("dropped_eligible"), number("dropped_internal"))
        );
        for line in of["drops"].as_array().unwrap() {
            let both = line["eligible"].as_u64().unwrap() + line["internal"].as_u64().unwrap();
            assert_eq!(both, anchoring.dropped_by_reason[line["reason"].as_str().unwrap()], "{line}");
        }
        let recovery = &of["recovery"];
        let kept = recovery["normalised"].as_u64().unwrap() + recovery["fuzzy"].as_u64().unwrap();
        assert_eq!(recovery["dropped_by_bytes"].as_u64().unwrap(), kept + anchoring.dropped);
        assert_eq!(
            (recovery["still_dropped"].as_u64(), recovery["listed"].as_array().unwrap().len() as u64),
            (Some(anchoring.dropped), kept)
        );
    }
}

#[test]
fn arm_ledger_and_threads_give_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
    let [report, one, two] = ["report", "one.jsonl", "two.jsonl"].map(path);
    assert!(redraft(&["replay", GROUNDED, "--out", &report]).status.success());
    let arm = critic(&[GROUNDED, "--jobs", "1", "--log", &one]);
    assert_eq!(arm, critic(&[GROUNDED, "--jobs", "3"]));
    let ledger = critic(&[&report, "--dataset", "datasets/payments-qwen", "--log", &two]);
    assert_eq!(arm["grounding"], ledger["grounding"]);
    assert_eq!(std::fs::read(one).unwrap(), std::fs::read(two).unwrap());
    // Without its tickets a ledger knows no sources, and says so by null.
    let bare = redraft(&["critic", "--format", "json", &format!("{report}/ledger.jsonl")]);
    assert!(String::from_utf8_lossy(&bare.stderr).contains("give --dataset DIR"));
    let bare: Value = serde_json::from_slice(&bare.stdout).unwrap();
    assert!(bare["grounding"][0]["source"].is_null() && bare["grounding"][0]["drops"] == arm["grounding"][0]["drops"]);
    let table = redraft(&["critic", &format!("{report}/table.parquet")]);
    assert_eq!(table.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&table.stderr).contains("a table holds no critiques; expected"));
}

#[test]
fn arms_of_one_writer_are_told_to_stand_side_by_side() {
    let found = critic(&[GROUNDED, "recordings/payments-qwen-1.5b/findings-batched", "recordings/payments-qwen-0.5b/grounded"]);
    let [same, other] = found["versus"].as_array().unwrap().as_slice() else { panic!() };
    assert_eq!((&same["alike"], &same["draft"]["same"], &same["brief"]["same"]), (&true.into(), &14.into(), &14.into()));
    assert_eq!(other["alike"], false);
    assert_eq!(other["weights"][1]["same_requested"], false);
    assert!(other["draft"]["differ"]["count"].as_u64().unwrap() > 0);
    assert_eq!(
        (&found["arms"][0]["arm"], &found["arms"][2]["arm"]),
        (&"payments-qwen-1.5b/grounded".into(), &"payments-qwen-0.5b/grounded".into())
    );
}
