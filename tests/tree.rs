//! The architecture, held by a test: this file reads the source tree, and what src/lib.rs says of it must be so.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Modules from the ground up: a module may use those before it, never those after it.
#[rustfmt::skip]
const ORDER: &[&str] = &[
    "model",
    "number",
    "text",
    "error",
    "files",
    "jsonl",
    "toml",
    "stats",
    "api",
    "critique",
    "dataset",
    "arm",
    "tape",
    "secret",
    "machine",
    "ledger",
    "label",
    "replay",
    "metric",
    "summary",
    "table",
    "record",
    "import",
    "proxy",
    "detail",
    "side",
    "compare",
    "critic",
    "passes",
    "gate",
    "audit",
    "report",
    "progress",
    "cli",
];

/// Where a dependency may be named. Change a library, touch one place.
const HOMES: &[(&str, &[&str])] = &[
    ("clap", &["cli"]),
    ("clap_complete", &["cli/completions"]),
    ("clap_mangen", &["cli/man"]),
    ("indicatif", &["progress"]),
    ("rayon", &["replay/workers"]),
    ("mimalloc", &["main"]),
    ("polars", &["table"]),
    ("csv", &["dataset", "table"]),
    ("plotters", &["report/chart"]),
    ("png", &["report/chart"]),
    ("epaint_default_fonts", &["report/chart"]),
    ("similar", &["text/diff"]),
    ("strsim", &["text/anchor"]),
    ("unicode_normalization", &["text"]),
    ("unicode_segmentation", &["text", "report/grid", "report/chart"]),
    ("unicode_width", &["report/grid", "report/chart"]),
    ("jsonschema", &["model/schema"]),
    ("regex", &["dataset", "import/map", "model/ticket", "secret/shape"]),
    ("minijinja", &["machine/prompt"]),
    ("toml", &["toml"]),
    ("serde_path_to_error", &["jsonl", "toml", "arm/outline"]),
    ("tempfile", &["cli", "tape/index", "record/batch", "record/fork", "secret/redact"]),
    ("ureq", &["record/http"]),
    ("zstd", &["files"]),
    (
        "blake3",
        &["api/key", "dataset", "label/digest", "tape/digest", "tape/packed", "record/batch", "record/simulate", "report", "cli/manifest"],
    ),
    ("ryu_js", &["api/key"]),
    ("libm", &["stats"]),
    ("serde_saphyr", &["import/vcrpy"]),
    ("flate2", &["import/vcrpy"]),
    ("base64", &["import/vcrpy"]),
    ("zip", &["import/archive"]),
];

/// Dependencies that any file form may name.
const EVERYWHERE: [&str; 3] = ["serde", "serde_json", "schemars"];

fn sources() -> BTreeMap<String, String> {
    fn walk(dir: &Path, out: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, out);
            } else if path.extension().is_some_and(|e| e == "rs") {
                out.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = vec![];
    walk(&root, &mut files);
    let name = |p: &Path| p.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/").trim_end_matches(".rs").to_owned();
    files.into_iter().map(|p| (name(&p), fs::read_to_string(&p).unwrap())).collect()
}

fn module(file: &str) -> &str {
    file.split('/').next().unwrap()
}

/// Code without comments and string contents is not needed: the patterns below do not occur in prose.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(i, l)| (i + 1, l)).filter(|(_, l)| !l.trim_start().starts_with("//"))
}

fn without_tests(text: &str) -> &str {
    &text[..text.find("#[cfg(test)]\nmod ").unwrap_or(text.len())]
}

fn after<'a>(line: &'a str, mark: &'a str) -> impl Iterator<Item = &'a str> {
    line.match_indices(mark).map(move |(at, _)| {
        let rest = &line[at + mark.len()..];
        &rest[..rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())]
    })
}

#[test]
fn imports_point_down() {
    let place = |name: &str| ORDER.iter().position(|m| *m == name);
    let mut wrong = vec![];
    for (file, text) in sources() {
        let own = module(&file);
        if ["main", "lib"].contains(&own) {
            continue;
        }
        let Some(rank) = place(own) else {
            wrong.push(format!("src/{file}.rs: module `{own}` is not in the order of tests/tree.rs"));
            continue;
        };
        for (number, line) in code(&text) {
            for used in after(line, "crate::").filter(|m| *m != own) {
                match place(used) {
                    Some(below) if below < rank => {}
                    Some(_) => wrong.push(format!("src/{file}.rs:{number}: `{own}` uses `{used}`, which stands above it")),
                    None => wrong.push(format!("src/{file}.rs:{number}: `crate::{used}` names no module")),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_architecture_page_names_every_module_in_order() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    let listed: Vec<&str> =
        page.lines().filter_map(|l| l.strip_prefix("//! | `")?.split('`').next()).filter(|m| ORDER.contains(m)).collect();
    assert_eq!(listed.as_slice(), ORDER, "the table in src/lib.rs");
    let mut declared: Vec<&str> = page.lines().filter_map(|l| l.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    let mut order = ORDER.to_vec();
    order.sort_unstable();
    declared.sort_unstable();
    assert_eq!(declared, order);
}

#[test]
fn every_dependency_is_named_in_its_homes_alone() {
    let (mut wrong, mut seen) = (vec![], BTreeSet::new());
    for (file, text) in sources().into_iter().filter(|(file, _)| !file.ends_with("tests")) {
        // A test may hold our own code against a library's.
        for (number, line) in code(without_tests(&text)) {
            for (name, homes) in HOMES.iter().copied() {
                let named = line.contains(&format!("use {name}::"))
                    || after(line, &format!("{name}::")).next().is_some() && outside_word(line, name);
                if !named {
                    continue;
                }
                match homes.iter().find(|home| file.starts_with(*home)) {
                    Some(home) => drop(seen.insert((name, *home))),
                    None => wrong.push(format!("src/{file}.rs:{number}: `{name}` belongs in {}", homes.join(" or "))),
                }
            }
        }
    }
    let empty =
        HOMES.iter().copied().flat_map(|(name, homes)| homes.iter().map(move |home| (name, *home))).filter(|home| !seen.contains(home));
    wrong.extend(empty.map(|(name, home)| format!("`{name}` is not named in src/{home}")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_dependency_has_a_home() {
    let manifest = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap();
    let listed = manifest.split("[dependencies]\n").nth(1).and_then(|rest| rest.split("\n[").next()).unwrap();
    let names: Vec<String> =
        listed.lines().filter_map(|l| Some(l.split_once(" = ")?.0.replace('-', "_"))).filter(|n| !n.starts_with('#')).collect();
    let homeless: Vec<&String> =
        names.iter().filter(|n| !EVERYWHERE.contains(&n.as_str()) && !HOMES.iter().any(|(name, _)| name == n)).collect();
    assert!(names.len() > 20 && homeless.is_empty(), "without a home in tests/tree.rs: {homeless:?}");
}

/// True where `name::` starts a path of its own and is no part of a longer name or path.
fn outside_word(line: &str, name: &str) -> bool {
    let mark = format!("{name}::");
    line.match_indices(&mark).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        before.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != ':')
    })
}

#[test]
fn nothing_but_the_command_line_and_progress_prints() {
    let mut wrong = vec![];
    for (file, text) in sources() {
        if ["cli", "progress"].contains(&module(&file)) {
            continue;
        }
        // Tests may print what they measured.
        if file.ends_with("tests") {
            continue;
        }
        for (number, line) in code(without_tests(&text)) {
            if ["println!", "eprintln!", "print!(", "dbg!", "stdout()", "stderr()"].iter().any(|mark| line.contains(mark)) {
                wrong.push(format!("src/{file}.rs:{number}: {}", line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_member_of_a_registry_is_registered() {
    let files = sources();
    let mut wrong = vec![];
    let mut members = 0;
    for (folder, traits) in
        [("metric", "Metric"), ("critique", "Format"), ("api", "Wire"), ("report", "Renderer"), ("audit", "Rule"), ("import", "Importer")]
    {
        let registry = &files[&format!("{folder}/mod")];
        let list = registry.split("pub const ALL").nth(1).and_then(|rest| rest.split("];").next()).unwrap_or_default();
        for (file, text) in files.iter().filter(|(f, _)| module(f) == folder) {
            for (_, line) in code(text) {
                if let Some(name) = line.split(&format!("impl {traits} for ")).nth(1).and_then(|rest| rest.split([' ', '{']).next()) {
                    members += 1;
                    let own = file.rsplit('/').next().unwrap();
                    if !list.contains(&format!("&{own}::{name}")) {
                        wrong.push(format!("src/{file}.rs: {name} is not in {folder}::ALL"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(members >= 14, "only {members} members were found: does the test still read the tree?");
}

#[test]
fn every_file_says_what_it_owns() {
    let silent: Vec<String> =
        sources().into_iter().filter(|(_, text)| !text.starts_with("//!")).map(|(file, _)| format!("src/{file}.rs")).collect();
    assert!(silent.is_empty(), "no //! line at the top of {silent:?}");
}
