//! Reports of shipped arms, written by the binary: beside the other files, and afterwards from the folder, byte for byte the same.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn redraft(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_redraft")).current_dir(ROOT).args(args).output().unwrap()
}

/// Every file below a folder, by its path in it.
fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(root: &Path, dir: &Path, out: &mut BTreeMap<String, Vec<u8>>) {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(root, &path, out);
            } else {
                out.insert(path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/"), std::fs::read(&path).unwrap());
            }
        }
    }
    let mut out = BTreeMap::new();
    walk(dir, dir, &mut out);
    out
}

/// Forms that are the same whether or not the tickets are at hand, with the file of each.
const FORMS: [(&str, &str); 7] = [
    ("job-summary", "job-summary.md"),
    ("comment", "comment.md"),
    ("annotations", "annotations.txt"),
    ("junit", "junit.xml"),
    ("json", "report.json"),
    ("sarif", "findings.sarif"),
    ("gitlab", "gl-code-quality-report.json"),
];
const ARMS: [&str; 2] = ["recordings/payments/sim-prose", "recordings/payments/sim-structured"];

fn replay(out: &Path, jobs: &str, more: &[&str]) {
    let list = FORMS.map(|(form, _)| form).join(",");
    let args = [
        &["replay", ARMS[0], ARMS[1], "-q", "--filter", "pay-00*", "--jobs", jobs, "--report", &list, "--out"][..],
        &[out.to_str().unwrap()],
        more,
    ];
    let ran = redraft(&args.concat());
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}

#[test]
fn a_folder_renders_to_what_was_written_beside_it() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("one");
    replay(&folder, "1", &[]);
    for (form, file) in FORMS {
        let ran = redraft(&["report", folder.to_str().unwrap(), "--format", form]);
        assert!(ran.status.success(), "{form}: {}", String::from_utf8_lossy(&ran.stderr));
        assert!(ran.stdout == std::fs::read(folder.join(file)).unwrap(), "{form}");
    }
    // Threads and a folder that held a report already change nothing.
    let other = dir.path().join("two");
    replay(&other, "3", &[]);
    replay(&other, "2", &[]);
    assert!(files(&folder) == files(&other));
}

#[test]
fn a_comparison_names_the_same_tickets_in_every_form() {
    let dir = tempfile::tempdir().unwrap();
    let (both, out) = (dir.path().join("both"), dir.path().join("compared"));
    replay(&both, "0", &[]);
    let side = |arm: &str| format!("{}@{arm}", both.display());
    let list = FORMS.map(|(form, _)| form).join(",");
    let args = ["compare", &side("sim-structured"), &side("sim-prose"), "-q", "--report", &list, "--out", out.to_str().unwrap()];
    let ran = redraft(&args);
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let text = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    let compared: Value = serde_json::from_str(&text("compare.json")).unwrap();
    let worse: Vec<&str> = compared["worse"].as_array().unwrap().iter().map(|change| change["ticket"].as_str().unwrap()).collect();
    assert!(worse.len() >= 10, "{worse:?}");
    for ticket in &worse[..10] {
        assert!(text("comment.md").contains(&format!("- `{ticket}`: ")), "{ticket}");
        assert!(out.join("drafts/sim-prose").join(ticket).is_dir(), "{ticket}");
    }
    assert!(serde_json::from_str::<Value>(&text("report.json")).unwrap()["comparison"] == compared);
    // The sides were tables: their runs stayed where they were, so what shows runs has none to show.
    assert!(!out.join("ledger.jsonl").exists());
    for (form, file) in FORMS {
        let ran = redraft(&["report", out.to_str().unwrap(), "--format", form]);
        assert!(ran.status.success(), "{form}: {}", String::from_utf8_lossy(&ran.stderr));
        let shows_runs = ["sarif", "gitlab"].contains(&form);
        assert!(shows_runs || ran.stdout == std::fs::read(out.join(file)).unwrap(), "{form}");
    }
}

#[test]
fn every_location_of_a_finding_is_in_a_file() {
    let dir = tempfile::tempdir().unwrap();
    replay(dir.path(), "0", &["--tickets", "all"]);
    let files = files(dir.path());
    let sarif: Value = serde_json::from_slice(&files["findings.sarif"]).unwrap();
    let mut regions = 0;
    for result in sarif["runs"].as_array().unwrap().iter().flat_map(|run| run["results"].as_array().unwrap()) {
        let place = &result["locations"][0]["physicalLocation"];
        let text = std::str::from_utf8(&files[place["artifactLocation"]["uri"].as_str().unwrap()]).unwrap();
        if let Some(region) = place.get("region") {
            let units: Vec<u16> = text.encode_utf16().collect();
            let (at, len) = (region["charOffset"].as_u64().unwrap() as usize, region["charLength"].as_u64().unwrap() as usize);
            assert_eq!(String::from_utf16(&units[at..at + len]).unwrap(), region["snippet"]["text"].as_str().unwrap());
            regions += 1;
        }
    }
    assert!(regions > 500, "{regions}");
    let issues: Vec<Value> = serde_json::from_slice(&files["gl-code-quality-report.json"]).unwrap();
    assert!(issues.iter().all(|issue| files.contains_key(issue["location"]["path"].as_str().unwrap())));
    assert!(issues.len() >= regions);
}

#[test]
fn figures_alone_make_every_form() {
    let dir = tempfile::tempdir().unwrap();
    let (whole, alone) = (dir.path().join("whole"), dir.path().join("alone"));
    replay(&whole, "2", &[]);
    std::fs::create_dir(&alone).unwrap();
    std::fs::copy(whole.join("summary.json"), alone.join("summary.json")).unwrap();
    for (form, _) in FORMS {
        let ran = redraft(&["report", alone.to_str().unwrap(), "--format", form]);
        assert!(ran.status.success(), "{form}: {}", String::from_utf8_lossy(&ran.stderr));
    }
}

#[test]
fn what_cannot_be_rendered_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_str().unwrap();
    for (args, want) in [
        (vec!["report", path, "--format", "json"], "no report: expected summary.json, compare.json or gate.json"),
        (vec!["report", path, "--format", "json,junit"], "only one form can be printed"),
        (vec!["report", path, "--format", "nothing"], "invalid value 'nothing'"),
        (vec!["replay", ARMS[0], "--report", "json"], "--out <DIR>"),
    ] {
        let ran = redraft(&args);
        assert_eq!(ran.status.code(), Some(2), "{args:?}");
        assert!(String::from_utf8_lossy(&ran.stderr).contains(want), "{args:?}: {}", String::from_utf8_lossy(&ran.stderr));
    }
    std::fs::write(dir.path().join("gate.json"), "{\"version\": 2}").unwrap();
    let ran = redraft(&["report", path, "--format", "json"]);
    assert_eq!(ran.status.code(), Some(2));
    let list = redraft(&["report", "--list"]);
    assert!(FORMS.iter().all(|(form, _)| String::from_utf8_lossy(&list.stdout).contains(form)));
}

fn told(ran: &Output) -> String {
    String::from_utf8_lossy(&ran.stderr).into_owned()
}

#[test]
fn a_report_folder_holds_one_run() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("report");
    let folder = out.to_str().unwrap();
    let run = |arm: &str, more: &[&str]| redraft(&[&["replay", arm, "--filter", "pay-000*", "--out", folder][..], more].concat());
    assert!(run(ARMS[1], &["--report", "html,sarif", "--tickets", "all"]).status.success());
    let first = files(&out);
    assert!(first.contains_key("index.html") && first.keys().any(|name| name.starts_with("drafts/sim-structured/pay-0001/")));
    std::fs::write(out.join("drafts/notes.txt"), "mine").unwrap();
    std::fs::write(out.join("README.md"), "mine").unwrap();

    // A form of the same run joins it, and takes nothing away.
    let joined = redraft(&["report", folder, "--format", "junit", "--out", folder]);
    assert!(joined.status.success() && !told(&joined).contains("removed"), "{}", told(&joined));
    assert!(first.keys().chain([&"junit.xml".to_owned()]).all(|name| files(&out).contains_key(name)));

    // Another run takes the place of all of it, and of nothing else.
    let other = run(ARMS[0], &[]);
    assert!(other.status.success());
    let left = files(&out);
    for name in ["index.html", "junit.xml", "findings.sarif"] {
        assert!(!left.contains_key(name) && told(&other).contains(name), "{name}: {}", told(&other));
    }
    let drafts: Vec<&String> = left.keys().filter(|name| name.starts_with("drafts/")).collect();
    assert_eq!(drafts, ["drafts/notes.txt"]);
    assert!(left.contains_key("README.md") && left.contains_key("table.csv"));
    assert!(!out.join("drafts/sim-structured").exists(), "empty folders go too");
}

#[test]
fn the_demo_shows_both_arms_on_a_page() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("demo");
    let ran = redraft(&["demo", "--out", out.to_str().unwrap()]);
    assert!(ran.status.success(), "{}", told(&ran));
    assert!(told(&ran).contains(out.join("index.html").to_str().unwrap()), "{}", told(&ran));
    let page = std::fs::read_to_string(out.join("index.html")).unwrap();
    assert!(["What changed", "Pass by pass", "B minus A"].iter().all(|part| page.contains(part)));
    assert!(out.join("compare.json").exists());
    // Short work says how far it came once an arm.
    assert_eq!(told(&ran).matches("/300 tickets").count(), 2, "{}", told(&ran));
}

#[test]
fn a_dataset_that_no_side_needs_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("report");
    replay(&out, "0", &[]);
    let (ledger, folder) = (out.join("ledger.jsonl"), out.to_str().unwrap().to_owned());
    let ledger = format!("{}@sim-prose", ledger.display());
    for (sides, fine) in [
        ([ARMS[0], ARMS[1]], false),
        ([&*format!("{folder}/table.parquet@sim-prose"), ARMS[1]], false),
        ([&*ledger, ARMS[1]], true),
        ([&*format!("{folder}@sim-prose"), ARMS[1]], true),
    ] {
        let ran = redraft(&["compare", sides[0], sides[1], "-q", "--filter", "pay-000*", "--dataset", "datasets/payments"]);
        assert_eq!(ran.status.code(), Some(if fine { 0 } else { 2 }), "{sides:?}: {}", told(&ran));
        assert_eq!(told(&ran).contains("--dataset datasets/payments is used for ledgers alone"), !fine, "{}", told(&ran));
    }
}

#[test]
fn where_every_ticket_errored_it_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let from = Path::new(ROOT).join(ARMS[0]);
    let spec = std::fs::read_to_string(from.join("loop.toml")).unwrap();
    // Another prompt than the one that was recorded: no request fits.
    let dataset = Path::new(ROOT).join("datasets/payments").display().to_string();
    let spec = spec.replace("../../../datasets/payments", &dataset).replacen("prompt = '''", "prompt = '''Please. ", 1);
    std::fs::write(dir.path().join("loop.toml"), spec).unwrap();
    for calls in ["calls.jsonl", "calls.jsonl.zst"].iter().filter(|name| from.join(name).exists()) {
        std::fs::copy(from.join(calls), dir.path().join(calls)).unwrap();
    }
    let ran = redraft(&["replay", dir.path().to_str().unwrap(), "-q", "--filter", "pay-000*"]);
    assert_eq!(ran.status.code(), Some(3), "{}", told(&ran));
    let text = String::from_utf8_lossy(&ran.stdout);
    assert!(text.contains("every ticket errored (mismatch 9), so there is no figure to show"), "{text}");
    assert!(text.contains("`redraft show ARM pay-0001`") && text.contains("`redraft verify ARM`"), "{text}");
    assert!(!text.contains("-----") && !text.contains("not applicable here"), "{text}");
}
