//! Studies of shipped arms: what brute force over the drafts finds, the same for any number of threads, and the same from a saved table.

use std::path::{Path, PathBuf};

use redraft::passes::{ArmPasses, Options, study};
use redraft::replay::{self, Prepared};
use redraft::side::{self, Files, Place, Side, Source};
use redraft::table::TableWriter;
use redraft::text::check::holds;

fn recording(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings").join(name)
}

fn place(path: PathBuf) -> Place {
    Place { path, arm: None }
}

fn open(path: PathBuf, jobs: usize) -> Side {
    Side::open(&place(path), &side::Options { jobs, ..side::Options::default() }, &mut || ()).unwrap()
}

fn studied(side: Side) -> ArmPasses {
    study(&[side], None, &Options::default()).arms.remove(0)
}

#[test]
fn the_gains_of_a_shipped_arm_are_those_of_its_drafts() {
    let prepared = Prepared::open(&recording("payments/sim-prose")).unwrap();
    // For each ticket whether each of its drafts is correct; an approval makes none.
    let mut tickets: Vec<Vec<bool>> = vec![];
    let judge = |ticket: &redraft::model::Ticket, runs: Vec<redraft::model::Run>| {
        let correct = |draft: &str| ticket.checks.iter().filter(|check| check.required).all(|check| holds(&check.rule, draft));
        runs[0].drafts().map(|(_, draft)| correct(draft)).collect::<Vec<bool>>()
    };
    let keep = |drafts| {
        tickets.push(drafts);
        Ok(())
    };
    prepared.each(&replay::Options::default(), judge, keep).unwrap();
    let arm = studied(open(recording("payments/sim-prose"), 0));
    assert_eq!((arm.judged, arm.passes.len()), (tickets.len() as u64, 4));
    let at = |drafts: &Vec<bool>, pass: usize| drafts[pass.min(drafts.len() - 1)];
    let count = |event: &dyn Fn(&Vec<bool>) -> bool| tickets.iter().filter(|drafts| event(drafts)).count() as f64;
    for line in &arm.passes[1..] {
        let pass = line.pass as usize;
        let up = count(&|drafts| at(drafts, pass) && !at(drafts, pass - 1));
        let down = count(&|drafts| !at(drafts, pass) && at(drafts, pass - 1));
        assert_eq!((line.made_correct, line.made_incorrect), (Some(up), Some(down)), "pass {pass}");
        assert!(up > 10.0 && down > 2.0, "{up} {down}: does the arm still flip?");
    }
    assert_eq!(arm.drafts.first.num, count(&|drafts| drafts[0]));
    assert_eq!(arm.drafts.last.num, count(&|drafts| drafts[drafts.len() - 1]));
    assert_eq!(arm.drafts.best.num, count(&|drafts| drafts.contains(&true)));
    assert_eq!(arm.drafts.delivered.num, arm.drafts.last.num);
}

#[test]
fn threads_and_a_saved_table_change_nothing() {
    let arm = || recording("payments-qwen-1.5b/findings-batched");
    let (one, many) = (studied(open(arm(), 1)), studied(open(arm(), 3)));
    assert_eq!(one, many);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("saved.parquet");
    let source = Source::open(&place(arm()), &side::Options::default()).unwrap();
    let headers: Vec<_> = source.header().into_iter().collect();
    let mut files = Files { table: Some(TableWriter::create(&path, None, &headers).unwrap()), ledger: None };
    source.read(&mut files, &mut || ()).unwrap();
    files.finish().unwrap();
    let saved = studied(open(path, 0));
    assert_eq!(ArmPasses { path: one.path.clone(), ..saved }, one);
    // Half of its runs end in what is no draft; what comes out is then less than what the last draft was.
    assert!(one.drafts.delivered.num < one.drafts.last.num && one.drafts.best.num >= one.drafts.last.num);
}
