//! Packed recordings: what they give is what the plain ones give, nothing is lost on the way, and an index that does not fit is not believed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use redraft::replay::{Options, Prepared};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const ARM: &str = "recordings/payments-qwen-0.5b/findings-batched";

struct Copy {
    dir: tempfile::TempDir,
}

impl Copy {
    fn new() -> Copy {
        let dir = tempfile::tempdir().unwrap();
        let spec = std::fs::read_to_string(Path::new(ROOT).join(ARM).join("loop.toml")).unwrap();
        let dataset = format!("{ROOT}/datasets/");
        std::fs::write(dir.path().join("loop.toml"), spec.replace("../../../datasets/", &dataset)).unwrap();
        std::fs::copy(Path::new(ROOT).join(ARM).join("calls.jsonl"), dir.path().join("calls.jsonl")).unwrap();
        Copy { dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        std::fs::write(self.path(name), text).unwrap();
        self.path(name)
    }

    fn names(&self) -> BTreeSet<String> {
        std::fs::read_dir(self.dir.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    fn run(&self, verb: &[&str], more: &[&str]) -> (Option<i32>, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_redraft")).args(verb).arg(self.dir.path()).args(more).output().unwrap();
        (output.status.code(), said(&output))
    }

    fn pack(&self, more: &[&str]) -> String {
        let (code, said) = self.run(&["pack"], more);
        assert_eq!(code, Some(0), "{said}");
        said
    }

    /// Everything that a replay makes of the arm.
    fn runs(&self) -> (Vec<String>, String, usize) {
        let prepared = Prepared::open(self.dir.path()).unwrap();
        let mut runs = vec![];
        let keep = |made: Vec<String>| {
            runs.extend(made);
            Ok(())
        };
        let line = |runs: Vec<redraft::model::Run>| runs.iter().map(|run| format!("{run:?}")).collect();
        prepared.each(&Options { jobs: 2, ..Options::default() }, |_, made| line(made), keep).unwrap();
        (runs, prepared.recording_digest(), prepared.recording.calls)
    }
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

#[test]
fn a_packed_recording_is_the_plain_one_to_everybody() {
    let copy = Copy::new();
    let plain = copy.read("calls.jsonl");
    let (before, verified) = (copy.runs(), copy.run(&["verify", "--strict", "--quiet"], &[]));
    println!("{}", copy.pack(&[]));
    assert_eq!(copy.names(), ["calls.jsonl.zst", "calls.jsonl.zst.idx", "loop.toml"].map(String::from).into());
    assert_eq!(copy.runs(), before);
    assert_eq!(copy.run(&["verify", "--strict", "--quiet"], &[]), verified);
    let bytes = std::fs::read(copy.path("calls.jsonl.zst")).unwrap();
    assert!(bytes.len() * 10 < plain.len(), "{} of {}", bytes.len(), plain.len());
    // Any zstd reads it.
    let unpacked = String::from_utf8(zstd::decode_all(bytes.as_slice()).unwrap()).unwrap();
    assert!(sorted(&unpacked) == sorted(&plain));
    // Packing what is packed changes nothing.
    let index = copy.read("calls.jsonl.zst.idx");
    copy.pack(&[]);
    assert!(std::fs::read(copy.path("calls.jsonl.zst")).unwrap() == bytes && copy.read("calls.jsonl.zst.idx") == index);
    let (code, said) = copy.run(&["unpack"], &[]);
    assert_eq!((code, copy.read("calls.jsonl") == unpacked), (Some(0), true), "{said}");
    assert_eq!(copy.names(), ["calls.jsonl", "loop.toml"].map(String::from).into());
    assert_eq!(copy.runs(), before);
    // Nothing at all can be packed too.
    copy.write("calls.jsonl", "");
    copy.pack(&[]);
    assert_eq!(Prepared::open(copy.dir.path()).unwrap().recording.calls, 0);
    assert_eq!((copy.run(&["unpack"], &[]).0, copy.read("calls.jsonl").as_str()), (Some(0), ""));
}

#[test]
fn an_index_that_does_not_fit_is_not_believed() {
    let copy = Copy::new();
    let before = copy.runs();
    copy.pack(&[]);
    let (index, packed) = (copy.read("calls.jsonl.zst.idx"), std::fs::read(copy.path("calls.jsonl.zst")).unwrap());
    let (first, rest) = index.split_once('\n').unwrap();
    let half = |text: &str| text[..text.len() / 2].to_owned();
    for (bad, why) in [
        (String::new(), "it has no lines"),
        ("no json\n".to_owned(), "its first line"),
        (index.replacen("\"v\":1", "\"v\":2", 1), "version 2 of the index is not known"),
        (index.replacen("\"calls\":", "\"calls\":1", 1), "its counts do not agree"),
        (half(&index), "its lines were changed"),
        (format!("{first}\n{}", rest.replacen(",1,", ",2,", 1)), "its lines were changed"),
        (index.replacen("\"packed_bytes\":", "\"packed_bytes\":1", 1), "its counts do not agree"),
    ] {
        copy.write("calls.jsonl.zst.idx", &bad);
        assert_eq!(copy.runs(), before, "{why}");
        let (_, said) = copy.run(&["status", "--quiet"], &[]);
        assert!(said.contains("calls.jsonl.zst.idx: not used: ") && said.contains(why), "{why}: {said}");
    }
    // The file was packed anew by somebody else, and the index stayed behind.
    std::fs::write(copy.path("calls.jsonl.zst"), zstd::encode_all(zstd::decode_all(packed.as_slice()).unwrap().as_slice(), 1).unwrap())
        .unwrap();
    copy.write("calls.jsonl.zst.idx", &index);
    assert_eq!(copy.runs(), before);
    assert!(copy.run(&["status", "--quiet"], &[]).1.contains("the packed file is another one"));
    // Without an index it is unpacked, and nobody is bothered.
    std::fs::remove_file(copy.path("calls.jsonl.zst.idx")).unwrap();
    assert_eq!(copy.runs(), before);
    assert!(!copy.run(&["status", "--quiet"], &[]).1.contains("not used"));

    // One that was made to lie: its hashes are right, but two tickets are exchanged.
    copy.pack(&[]);
    let index = copy.read("calls.jsonl.zst.idx");
    let (first, rest) = index.split_once('\n').unwrap();
    let tickets: Vec<&str> = rest.lines().filter_map(|line| line.strip_prefix("[\"")?.split('"').next()).take(2).collect();
    let lie = rest.replace(tickets[0], "x").replace(tickets[1], tickets[0]).replace('x', tickets[1]);
    let header = first.replace(blake3::hash(rest.as_bytes()).to_hex().as_str(), blake3::hash(lie.as_bytes()).to_hex().as_str());
    copy.write("calls.jsonl.zst.idx", &format!("{header}\n{lie}"));
    let prepared = Prepared::open(copy.dir.path()).unwrap();
    let error = prepared.each(&Options::default(), |_, made| made, |_| Ok(())).unwrap_err();
    assert!(error.what.contains("of another ticket") && error.path.unwrap().ends_with("calls.jsonl.zst.idx"));
    let (code, said) = copy.run(&["verify", "--quiet"], &[]);
    assert!(code == Some(2) && said.contains("does not say what the recording holds"), "{said}");
}

#[test]
fn two_recordings_become_one_and_nothing_is_lost() {
    let copy = Copy::new();
    let plain = copy.read("calls.jsonl");
    let before = copy.runs();
    let lines: Vec<&str> = plain.lines().collect();
    let (mine, theirs) = lines.split_at(lines.len() / 2);
    let ended = |lines: &[&str]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    // The last of mine is theirs too, recorded at another time; and one failed here, and succeeded there.
    let again = mine[0].replace("\"recorded_at\":\"20", "\"recorded_at\":\"19");
    assert_ne!(again, mine[0]);
    let failed = theirs[0].replacen("\"status\":200", "\"status\":529", 1);
    copy.write("calls.jsonl", &format!("{}{failed}\n{{\"v\":1,\"ke", ended(mine)));
    let other = copy.write("other.jsonl", &(ended(theirs) + &again + "\n" + theirs[1] + "\n"));
    let said = copy.pack(&["--with", other.to_str().unwrap()]);
    assert!(said.contains("2 lines were there twice, 1 failed calls went to calls.errors.jsonl"), "{said}");
    assert_eq!((copy.read("calls.errors.jsonl"), copy.read("calls.torn").as_str()), (failed.clone() + "\n", "{\"v\":1,\"ke\n"));
    assert!(other.exists());
    assert_eq!(copy.runs(), before);

    // A merge that leaves a line twice in a plain file is found on load, and mended by a round.
    copy.write("calls.errors.jsonl", "");
    assert_eq!(copy.run(&["unpack"], &[]).0, Some(0));
    let whole = copy.read("calls.jsonl");
    copy.write("calls.jsonl", &format!("{whole}{}\n", lines[3]));
    let error = Prepared::open(copy.dir.path()).unwrap().each(&Options::default(), |_, made| made, |_| Ok(())).unwrap_err();
    assert!(error.what.contains("`redraft pack` makes one of the two"), "{error}");
    copy.pack(&[]);
    assert_eq!(copy.run(&["unpack"], &[]).0, Some(0));
    assert!(copy.read("calls.jsonl") == whole);

    // Both forms at once, as a crash between two steps leaves them.
    copy.pack(&[]);
    copy.write("calls.jsonl", &whole);
    assert!(Prepared::open(copy.dir.path()).err().unwrap().what.contains("`redraft pack` merges them"));
    assert!(copy.run(&["unpack"], &[]).1.contains("`redraft pack` makes one of them"));
    copy.pack(&[]);
    assert_eq!(copy.runs(), before);
    assert!(!copy.path("calls.jsonl").exists());
}

#[test]
fn what_nobody_can_decide_is_an_error_that_names_both_lines_and_changes_nothing() {
    let copy = Copy::new();
    let plain = copy.read("calls.jsonl");
    let first = plain.lines().next().unwrap();
    let answer = first.replacen("\"status\":200", "\"status\":201", 1);
    let request = first.replacen("\"key\":\"rr1:", "\"key\":\"rr1:f", 1);
    for (bad, want) in [
        (answer.as_str(), "other.jsonl:1: another answer for "),
        (&request, "other.jsonl:1: a call of another request for "),
        ("{\"v\":1}", "other.jsonl:1: missing key"),
        (&first.replacen("{\"v\":1", "{\"v\":2", 1), "other.jsonl:1: v: version 2"),
    ] {
        let other = copy.write("other.jsonl", &format!("{bad}\n"));
        let (code, said) = copy.run(&["pack"], &["--with", other.to_str().unwrap()]);
        assert!(code == Some(2) && said.contains(want), "{said}");
        assert!(!bad.contains("slot") || !want.contains(" for ") || said.contains("calls.jsonl:1. Keep one of the two lines"), "{said}");
        assert_eq!(copy.names(), ["calls.jsonl", "loop.toml", "other.jsonl"].map(String::from).into());
        assert!(copy.read("calls.jsonl") == plain);
    }
    let lock = redraft::record::lock::Lock::take(copy.dir.path()).unwrap();
    assert!(copy.run(&["pack"], &[]).1.contains("another recorder"));
    drop(lock);
    copy.pack(&[]);
    let lock = redraft::record::lock::Lock::take(copy.dir.path()).unwrap();
    assert!(copy.run(&["unpack"], &[]).1.contains("another recorder"));
    drop(lock);
    assert!(copy.run(&["record"], &["--yes", "--base-url", "http://127.0.0.1:9"]).1.contains("`redraft unpack` gives calls.jsonl back"));
}

#[test]
fn an_index_of_version_1_reads_as_ever() {
    let kept = Path::new(ROOT).join("tests/data/formats/v1");
    let of = |name: &str| Prepared::open(&kept.join(name)).unwrap();
    let (plain, packed) = (of("arm"), of("packed"));
    assert_eq!(packed.recording.index_warning(), None);
    assert_eq!((packed.recording.calls, packed.recording_digest()), (plain.recording.calls, plain.recording_digest()));
    packed.recording.check_index().unwrap();
    let runs = |prepared: &Prepared| {
        let mut all = vec![];
        let keep = |made: Vec<redraft::model::Run>| {
            all.extend(made.iter().map(|run| format!("{run:?}")));
            Ok(())
        };
        prepared.each(&Options::default(), |_, made| made, keep).unwrap();
        all
    };
    assert_eq!(runs(&packed), runs(&plain));
}
