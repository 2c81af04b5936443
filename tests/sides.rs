//! A side of a comparison is the same wherever it is read from: the arm, its report, its ledger, its table.

use std::path::{Path, PathBuf};
use std::process::Command;

use redraft::ledger;
use redraft::side::{Files, Kind, Options, Place, Side, Source, tell_apart};
use redraft::summary::ArmSummary;
use redraft::table::TableWriter;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const SERIAL: &str = "recordings/payments-qwen-1.5b/findings-serial";
const PROSE: &str = "recordings/payments-qwen-1.5b/prose-whole";
/// Runs that were cut off: they end with faults.
const CUT: &str = "tests/data/replay/cut-off-1.5b/findings-batched";

fn report(dir: &Path, arms: &[&str]) {
    let paths = arms.iter().map(|arm| Path::new(ROOT).join(arm));
    let output = Command::new(env!("CARGO_BIN_EXE_redraft")).args(["replay", "--quiet", "--out"]).arg(dir).args(paths).output().unwrap();
    assert!(dir.join("table.parquet").exists(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn open(place: &str, dataset: Option<&str>) -> Result<Side, String> {
    let options = Options { jobs: 2, dataset: dataset.map(|set| Path::new(ROOT).join(set)), ..Options::default() };
    let mut ticks = 0;
    let side = Side::open(&Place::from(place), &options, &mut || ticks += 1).map_err(|e| e.to_string())?;
    assert_eq!(ticks, side.summary.tickets, "{place}: one tick a ticket");
    Ok(side)
}

const SET: Option<&str> = Some("datasets/payments-qwen");

/// Without what no row holds: texts of faults, unused calls, tickets that were not replayed.
fn of_rows(mut summary: ArmSummary) -> ArmSummary {
    summary.fault_list.iter_mut().for_each(|fault| (fault.at, fault.what) = (String::new(), String::new()));
    (summary.unused_list, summary.calls.unused) = (vec![], 0);
    of_runs(summary)
}

/// Without what no run holds.
fn of_runs(mut summary: ArmSummary) -> ArmSummary {
    (summary.not_recorded, summary.tickets_without_dataset_row) = (0, vec![]);
    summary
}

#[test]
fn an_arm_is_the_same_wherever_it_is_read_from() {
    let dir = tempfile::tempdir().unwrap();
    let arms = [SERIAL, PROSE, CUT];
    report(dir.path(), &arms);
    let names = ["findings-serial", "prose-whole", "findings-batched"];
    for (path, name) in arms.iter().zip(names) {
        let arm = open(&format!("{ROOT}/{path}"), None).unwrap();
        let at = |file: &str| format!("{}{file}@{name}", dir.path().display());
        let mut whole = arm.summary.clone();
        whole.origin.arm = name.to_owned();
        assert!(!whole.origin.recording_digest.is_empty());

        let report = open(&at(""), None).unwrap();
        assert_eq!((report.kind, &report.summary, &report.warnings), (Kind::Report, &whole, &vec![]));
        let table = open(&at("/table.parquet"), None).unwrap();
        assert_eq!((table.kind, of_rows(table.summary)), (Kind::Table, of_rows(whole.clone())));
        let ledger = open(&at("/ledger.jsonl"), SET).unwrap();
        assert_eq!((ledger.kind, of_runs(ledger.summary), &ledger.warnings), (Kind::Ledger, of_runs(whole.clone()), &vec![]));
        let csv = open(&at("/table.csv"), None).unwrap();
        assert_eq!(csv.warnings.len(), 1, "a CSV table has no place for a spec");
        assert_eq!((csv.summary.stops, csv.summary.calls.cost_usd), (whole.stops.clone(), whole.calls.cost_usd));
        for (from, figures) in [("csv", csv.summary.figures), ("arm", arm.summary.figures.clone())] {
            for (figure, want) in figures.iter().zip(&whole.figures) {
                assert_eq!((&figure.name, &figure.running), (&want.name, &want.running), "{from}");
            }
        }
        for (spec, frame) in [(report.spec, report.frame), (table.spec, table.frame), (ledger.spec, ledger.frame)] {
            assert_eq!((spec, format!("{frame:?}")), (arm.spec.clone(), format!("{:?}", arm.frame)));
        }
    }
}

#[test]
fn chosen_runs_are_shown_from_wherever_there_are_runs() {
    let dir = tempfile::tempdir().unwrap();
    report(dir.path(), &[SERIAL]);
    let ids: Vec<String> = ["cb-001", "none", "cb-002"].map(str::to_owned).into();
    let of = |place: &str, dataset| open(place, dataset).unwrap().details(&ids).unwrap();
    let path = |file: &str| format!("{}{file}", dir.path().display());
    let arm = of(&format!("{ROOT}/{SERIAL}"), None);
    assert_eq!(arm.iter().map(|detail| detail.ticket.as_str()).collect::<Vec<_>>(), ["cb-001", "cb-002"]);
    assert!(arm[0].passes.len() > 1 && !arm[0].prompt.is_empty());
    assert_eq!(of(&path("/ledger.jsonl"), SET), arm);
    assert_eq!(of(&path(""), SET), arm);
    let bare = of(&path(""), None);
    assert!(bare[0].prompt.is_empty() && bare[0].passes[0].draft == arm[0].passes[0].draft, "drafts without the tickets");
    assert_eq!(of(&path("/table.parquet"), None), vec![]);
    assert_eq!(open(&path("/ledger.jsonl"), None).unwrap().details(&[]).unwrap(), vec![]);
}

#[test]
fn without_its_tickets_a_ledger_tells_nothing_of_checks() {
    let dir = tempfile::tempdir().unwrap();
    report(dir.path(), &[PROSE]);
    let ledger = format!("{}/ledger.jsonl", dir.path().display());
    let side = open(&ledger, None).unwrap();
    assert_eq!(side.warnings.len(), 1);
    assert!(side.warnings[0].ends_with("so nothing is known of their checks; give --dataset DIR"), "{}", side.warnings[0]);
    let figure = |name: &str| side.summary.figures.iter().find(|figure| figure.name == name).unwrap();
    assert!(figure("new_error").running.iter().all(|at| at.value.is_none() && at.n == 0));
    assert!(figure("calls").running.iter().all(|at| at.n > 0));
    let other = open(&ledger, Some("tests/data/formats/v1/dataset")).map(|side| side.summary.tickets).unwrap_err();
    assert!(other.contains("ledger.jsonl:2: ticket `cb-001` is not in the dataset that was given"), "{other}");
}

#[test]
fn sides_of_one_name_are_told_apart_and_copied_through() {
    let dir = tempfile::tempdir().unwrap();
    let (from, to) = (dir.path().join("from"), dir.path().join("to"));
    std::fs::create_dir(&to).unwrap();
    report(&from, &[SERIAL]);
    let options = Options { jobs: 0, dataset: Some(Path::new(ROOT).join("datasets/payments-qwen")), ..Options::default() };
    let source = |place: &str| Source::open(&Place::from(place), &options).unwrap();
    let (arm, ledger) = (format!("{ROOT}/{SERIAL}"), format!("{}/ledger.jsonl", from.display()));
    let (mut first, mut second) = (source(&arm), source(&ledger));
    tell_apart(&mut first, &mut second);
    let headers = [first.header().unwrap(), second.header().unwrap()];
    assert_eq!(headers.each_ref().map(|header| header.arm.as_str()), ["baseline/findings-serial", "candidate/findings-serial"]);
    assert_eq!(headers[0].spec, headers[1].spec);
    let file = |name: &str| to.join(name);
    let mut files = Files {
        table: Some(TableWriter::create(&file("table.parquet"), Some(&file("table.csv")), &headers).unwrap()),
        ledger: Some(ledger::Writer::create(file("ledger.jsonl")).unwrap()),
    };
    for source in [first, second] {
        source.read(&mut files, &mut || {}).unwrap();
    }
    files.finish().unwrap();
    for arm in ["baseline/findings-serial", "candidate/findings-serial"] {
        let named = |path: &Path| open(&format!("{}@{arm}", path.display()), SET).unwrap().summary;
        let want = of_rows(named(&file("ledger.jsonl")));
        assert_eq!(of_rows(named(&to)), want);
        assert_eq!(of_rows(named(&file("table.parquet"))), want);
        let mut original = open(&arm_path(&from), SET).unwrap().summary;
        original.origin.arm = arm.to_owned();
        assert_eq!(of_rows(original), want);
    }
    // A table is copied through too: its rows, and what made them.
    let mut table = source(&from.join("table.parquet").display().to_string());
    let mut other = source(&format!("{ROOT}/{PROSE}"));
    tell_apart(&mut table, &mut other);
    let headers = [table.header().unwrap()];
    let copy = dir.path().join("copy.parquet");
    let mut files = Files { table: Some(TableWriter::create(&copy, None, &headers).unwrap()), ledger: None };
    let whole = table.read(&mut files, &mut || {}).unwrap();
    files.finish().unwrap();
    assert_eq!(open(&copy.display().to_string(), None).unwrap().summary, whole.summary);
    assert_eq!(std::fs::read(&copy).unwrap(), std::fs::read(from.join("table.parquet")).unwrap(), "byte for byte");
}

fn arm_path(report: &Path) -> String {
    report.join("table.parquet").display().to_string()
}

#[test]
fn a_place_that_is_none_says_what_is_expected() {
    let dir = tempfile::tempdir().unwrap();
    report(dir.path(), &[SERIAL, PROSE]);
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    let line = |of: usize| std::fs::read_to_string(dir.path().join("ledger.jsonl")).unwrap().lines().nth(of).unwrap().to_owned() + "\n";
    std::fs::create_dir(dir.path().join("empty")).unwrap();
    write("notes.txt", "");
    write("empty.jsonl", "");
    write("again.jsonl", &[line(0), line(1), line(2), line(1)].concat());
    write("twice.jsonl", &[line(0), line(1), line(1)].concat());
    write("headers.jsonl", &[line(0), line(1), line(0)].concat());
    write("torn.jsonl", &[line(0), line(1)[..200].to_owned()].concat());
    for (place, want) in [
        ("", ": holds several arms: `findings-serial`, `prose-whole`; name one, such as "),
        ("@grounded", ": holds no arm `grounded`; expected `findings-serial`, `prose-whole`"),
        ("/ledger.jsonl", "/ledger.jsonl: holds several arms: `findings-serial`, `prose-whole`; name one, such as "),
        ("/table.csv", "/table.csv: holds several arms: `findings-serial`, `prose-whole`; name one, such as "),
        ("/empty", "/empty: neither an arm nor a report: expected loop.toml or table.parquet in this folder"),
        ("/none", "/none: failed to open this side: no such file or folder"),
        ("/none.parquet", "/none.parquet: failed to read the table: no such file or folder"),
        ("/notes.txt", "/notes.txt: not known by its name; expected an arm or a report folder, a ledger"),
        ("/empty.jsonl", "/empty.jsonl: is empty; expected a ledger, whose first line is its header"),
        ("/again.jsonl", "/again.jsonl:4: ticket `cb-001` comes again after another one; expected the runs of a ticket together"),
        ("/twice.jsonl", "/twice.jsonl:3: ticket `cb-001`: sample 0 after sample 0; expected samples in order, each once"),
        ("/headers.jsonl", "/headers.jsonl:3: arm `findings-serial` comes a second time"),
        ("/torn.jsonl", "/torn.jsonl:2: not a complete JSON object"),
    ] {
        let got = open(&format!("{}{place}", dir.path().display()), None).map(|side| side.summary.tickets).unwrap_err();
        let got = got.replace(&dir.path().display().to_string(), "");
        assert!(got.starts_with(want), "{place}: {got}");
    }
    let arm = PathBuf::from(ROOT).join(SERIAL);
    let wrong = open(&format!("{}@other", arm.display()), None).map(|side| side.summary.tickets).unwrap_err();
    assert!(wrong.ends_with("holds no arm `other`; expected `findings-serial`"), "{wrong}");
}
