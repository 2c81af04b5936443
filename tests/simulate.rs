//! Simulated arms: what was planted is what replay and measurement find, ticket by ticket, and the shipped bytes are what the seed gives.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use redraft::metric::{self, Cell, Settings, Views, column_at, fates};
use redraft::model::{Critique, CritiqueStatus, EditStatus, Finding, Pass, Role, Run, Ticket, Tier};
use redraft::record::simulate::truth::{FindingTruth, PassTruth};
use redraft::record::simulate::{Options, simulate};
use redraft::replay::{self, Prepared};
use redraft::text::check::Reading;
use redraft::text::section::{SectionRule, edits};

const ARMS: [&str; 2] = ["sim-prose", "sim-structured"];

fn shipped(arm: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings/payments").join(arm)
}

fn options(rates: &[(&str, f64)]) -> Options {
    let rates = rates.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    Options { preset: "published".into(), seed: 1, rates, jobs: 0, force: false, scaled: None }
}

/// A small simulation in a folder of its own.
fn small(arm: &str, tickets: usize, options: Options) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let options = Options { scaled: Some((tickets, dir.path().to_path_buf())), ..options };
    let written = simulate(&shipped(arm), &options, |_| {}).expect("a simulation");
    assert_eq!(written.tickets, tickets);
    (dir, written.arm)
}

/// The lines of truth.jsonl by ticket.
fn truths(arm: &Path) -> BTreeMap<String, Vec<PassTruth>> {
    let text = std::fs::read_to_string(arm.join("truth.jsonl")).expect("truth.jsonl");
    let mut out: BTreeMap<String, Vec<PassTruth>> = BTreeMap::new();
    for line in text.lines() {
        let pass: PassTruth = serde_json::from_str(line).expect("a line of truth");
        out.entry(pass.ticket.clone()).or_default().push(pass);
    }
    out
}

/// Replays an arm: every ticket with its run and the loop's settings.
fn replayed(arm: &Path) -> (Settings, Vec<(Ticket, Run)>) {
    let prepared = Prepared::open(arm).expect("an arm");
    let settings = Settings { sections: prepared.program.spec.sections, growth: prepared.program.spec.growth };
    let mut runs = vec![];
    prepared
        .each(
            &replay::Options::default(),
            |ticket, runs| (ticket.clone(), runs),
            |(ticket, mut made)| {
                assert_eq!(made.len(), 1);
                runs.extend(made.pop().map(|run| (ticket, run)));
                Ok(())
            },
        )
        .expect("a replay");
    (settings, runs)
}

/// What must agree, each counted over tickets: a ticket agrees where all its passes do.
const TRUTHS: [&str; 14] = [
    "calls and stop",
    "critique read",
    "quotations located",
    "labels and severities",
    "sections mentioned",
    "reviser statuses",
    "locality",
    "sections touched",
    "unmentioned touched",
    "checks failing",
    "checks broken and fixed",
    "characters changed",
    "fates",
    "origins",
];

/// Edits said to be applied and kept that changed nothing; null, as found, where no status was given.
fn applied_in_vain(truth: &PassTruth, found: &Cell) -> Cell {
    let applied = truth.edits.iter().filter(|edit| edit.status.as_deref() == Some("applied") && !edit.reverted);
    if *found == Cell::Null && truth.edits.iter().all(|edit| edit.status.is_none()) {
        Cell::Null
    } else {
        applied.filter(|edit| !edit.changed).count().into()
    }
}

/// One flag a truth: does what was planted in this ticket agree with what is found?
fn agreement(ticket: &Ticket, run: &Run, truth: &[PassTruth], settings: &Settings) -> [bool; TRUTHS.len()] {
    let mut agrees = [true; TRUTHS.len()];
    agrees[0] = run.fault.is_none()
        && run.unused.is_empty()
        && run.passes.len() == truth.len()
        && truth.last().and_then(|t| t.stop.as_deref()) == Some(run.stop.name());
    let measured = metric::measure(ticket, run, settings);
    let views = Views::new(ticket, run, settings);
    let mentioned: Vec<Vec<usize>> = views.iter().map(|view| places(view.mentioned())).collect();
    let found_fates = fates(ticket, run, settings);
    // Without statuses the truth tells no fates.
    let has_statuses = truth.iter().flat_map(|t| &t.edits).any(|edit| edit.status.is_some());
    for (at, (pass, truth)) in run.passes.iter().zip(truth).enumerate() {
        let cells = &measured.rows[at].cells;
        let cell = |name: &str| &cells[column_at(name).expect("a column")];
        let before = run.draft_before(pass.index);
        let of_pass = [
            calls(pass) == [truth.calls.writer, truth.calls.critic, truth.calls.reviser],
            pass.critique.as_ref().map(status) == truth.critique.as_deref().map(str::to_owned),
            findings_agree(pass, truth, located),
            findings_agree(pass, truth, |found, truth| found.label == truth.label && found.severity == truth.severity),
            truth.mentioned.as_ref().is_none_or(|planted| *planted == mentioned[at]),
            pass.edits.len() == truth.edits.len()
                && *cell("applied_without_change") == applied_in_vain(truth, cell("applied_without_change"))
                && pass.edits.iter().zip(&truth.edits).all(|(edit, truth)| {
                    edit.status.map(edit_status) == truth.status.as_deref()
                        && edit.findings == truth.findings
                        && (edit.after() != edit.before) == (truth.changed && !truth.reverted)
                }),
            pass.edits.iter().zip(&truth.edits).all(|(edit, truth)| edit.guards.local == truth.local),
            touched_agrees(pass, before, truth),
            *cell("untouched_section_edit") == Cell::from(truth.touched_unmentioned),
            failing(ticket, pass) == truth.failing,
            *cell("new_errors") == Cell::from(required(ticket, truth.broken.as_deref()))
                && *cell("fixed") == Cell::from(required(ticket, truth.fixed.as_deref())),
            *cell("chars_deleted") == Cell::from(truth.chars_deleted) && *cell("chars_inserted") == Cell::from(truth.chars_inserted),
            !has_statuses
                || found_fates[at].len() == pass.critique.as_ref().map_or(0, |c| c.findings.iter().flatten().count())
                    && (pass.critique.as_ref().is_none_or(|c| c.findings.is_none())
                        || found_fates[at].iter().map(|f| f.map(|f| f.name())).eq(truth.findings.iter().map(|f| f.fate.as_deref()))),
            !has_statuses
                || ["new", "reraised", "persisted", "reopened"].iter().all(|origin| {
                    let planted = truth.findings.iter().filter(|f| f.origin.as_deref() == Some(origin)).count();
                    matches!(cell(&format!("origin_{origin}")), Cell::Null if planted == 0)
                        || *cell(&format!("origin_{origin}")) == Cell::from(planted)
                }),
        ];
        agrees.iter_mut().zip(of_pass).for_each(|(all, one)| *all &= one);
    }
    agrees
}

fn calls(pass: &Pass) -> [u32; 3] {
    [Role::Writer, Role::Critic, Role::Reviser].map(|role| pass.calls.iter().filter(|call| call.slot.role == role).count() as u32)
}

fn status(critique: &Critique) -> String {
    let none_left = critique.findings.as_ref().is_some_and(Vec::is_empty);
    match critique.status {
        CritiqueStatus::Approved => "approved",
        CritiqueStatus::Ok if none_left => "approved",
        CritiqueStatus::Ok => "ok",
        CritiqueStatus::ParseError(_) => "unreadable",
    }
    .to_owned()
}

fn edit_status(status: EditStatus) -> &'static str {
    match status {
        EditStatus::Applied => "applied",
        EditStatus::Rejected => "rejected",
        EditStatus::NotFound => "not_found",
        EditStatus::Invalid => "invalid",
    }
}

/// In prose there are no findings to compare; there the number of located quotations has to be that of the complaints' places.
fn findings_agree(pass: &Pass, truth: &PassTruth, same: impl Fn(&Finding, &FindingTruth) -> bool) -> bool {
    match pass.critique.as_ref() {
        None => truth.findings.is_empty(),
        Some(Critique { findings: Some(found), .. }) => {
            found.len() == truth.findings.len() && found.iter().zip(&truth.findings).all(|(found, truth)| same(found, truth))
        }
        Some(Critique { findings: None, quotations, .. }) => {
            let places = quotations.iter().map(|q| (q.tier, q.spans.len()));
            places.eq(truth.findings.iter().map(|f| (Tier::Exact, f.places)))
        }
    }
}

fn located(found: &Finding, truth: &FindingTruth) -> bool {
    let tier = found.anchor.as_ref().map_or("dropped", |anchor| match anchor.tier {
        Tier::Exact => "exact",
        Tier::Normalised => "normalised",
        Tier::Fuzzy => "fuzzy",
    });
    tier == truth.tier
        && found.quote.as_deref() == Some(&truth.quote)
        && found.drop.map(|drop| drop.reason.name()) == truth.reason.as_deref()
        && found.anchor.as_ref().map_or(0, |anchor| anchor.spans.len()) == truth.places
}

/// Where a list of flags is true.
fn places(flags: &[bool]) -> Vec<usize> {
    (0..flags.len()).filter(|at| flags[*at]).collect()
}

/// A section whose text was replaced altogether counts as removed and added: it was touched too.
fn touched_agrees(pass: &Pass, before: Option<&str>, truth: &PassTruth) -> bool {
    let (Some(touched), Some(before), Some(after)) = (&truth.touched, before, pass.draft.as_deref()) else {
        return truth.touched.is_none();
    };
    let found = edits(before, after, SectionRule::Paragraph);
    let mut found = [found.edited, found.whitespace_only, found.removed].concat();
    found.sort_unstable();
    found == *touched
}

/// Checks that fail in the pass's draft, by id.
fn failing(ticket: &Ticket, pass: &Pass) -> Option<Vec<String>> {
    let reading = Reading::new(pass.draft.as_deref()?);
    Some(ticket.checks.iter().filter(|check| !reading.holds(&check.rule)).map(|check| check.id.clone()).collect())
}

/// How many of the checks are required: a lost nicety is no error.
fn required(ticket: &Ticket, checks: Option<&[String]>) -> Option<usize> {
    let is_required = |id: &&String| ticket.checks.iter().any(|check| check.id == **id && check.required);
    Some(checks?.iter().filter(is_required).count())
}

/// Every truth, recovered for every ticket of an arm.
fn check_recovered(arm: &Path, tickets: usize) {
    let truths = truths(arm);
    let (settings, runs) = replayed(arm);
    assert_eq!((runs.len(), truths.len()), (tickets, tickets));
    let mut recovered = [0; TRUTHS.len()];
    let mut missed: Vec<String> = vec![];
    for (ticket, run) in &runs {
        let agrees = agreement(ticket, run, &truths[&ticket.id], &settings);
        for (at, agrees) in agrees.into_iter().enumerate() {
            recovered[at] += usize::from(agrees);
            if !agrees {
                missed.push(format!("{}: {}", ticket.id, TRUTHS[at]));
            }
        }
    }
    for (name, count) in TRUTHS.iter().zip(recovered) {
        println!("{}: {name}: {count} of {tickets}", arm.display());
    }
    assert_eq!(recovered, [tickets; TRUTHS.len()], "{missed:?}");
}

#[test]
fn every_planted_truth_is_recovered_in_every_ticket() {
    for arm in ARMS {
        check_recovered(&shipped(arm), 300);
    }
}

/// The truths that no longer agree once a pass's truth was changed.
fn noticed(arm: &Path, change: impl Fn(&mut PassTruth) -> bool) -> Vec<&'static str> {
    let (settings, runs) = replayed(arm);
    let mut truths = truths(arm);
    let mut changed = None;
    for (ticket, run) in &runs {
        let truth = truths.get_mut(&ticket.id).expect("its truth");
        if truth.iter_mut().any(&change) {
            changed = Some(agreement(ticket, run, truth, &settings));
            break;
        }
    }
    let agrees = changed.expect("a pass that can be changed so");
    TRUTHS.iter().zip(agrees).filter(|(_, agrees)| !agrees).map(|(name, _)| *name).collect()
}

type Change = fn(&mut PassTruth) -> bool;

#[test]
fn a_truth_that_is_not_so_is_noticed() {
    let (_dir, arm) = small("sim-structured", 60, options(&[]));
    let changes: [(&str, Change); 12] = [
        ("calls and stop", |t| t.stop.replace("unreadable".into()).is_some()),
        ("critique read", |t| t.critique.replace("unreadable".into()).is_some_and(|old| old == "approved")),
        ("quotations located", |t| {
            t.findings.iter_mut().any(|f| f.tier == "fuzzy" && std::mem::replace(&mut f.tier, "exact".into()) == "fuzzy")
        }),
        ("labels and severities", |t| t.findings.first_mut().is_some_and(|f| std::mem::replace(&mut f.label, "x".into()) != "x")),
        ("sections mentioned", |t| t.mentioned.as_mut().is_some_and(|m| m.pop().is_some())),
        ("reviser statuses", |t| t.edits.iter_mut().any(|e| e.status.replace("applied".into()).is_some_and(|old| old == "rejected"))),
        ("locality", |t| t.edits.iter_mut().any(|e| e.local.replace(true) == Some(false))),
        ("sections touched", |t| t.touched.as_mut().is_some_and(|touched| touched.pop().is_some())),
        ("unmentioned touched", |t| t.touched_unmentioned.replace(false) == Some(true)),
        ("checks failing", |t| t.failing.as_mut().is_some_and(|f| f.pop().is_some())),
        ("characters changed", |t| t.chars_inserted.as_mut().is_some_and(|n| std::mem::replace(n, *n + 1) > 0)),
        ("fates", |t| t.findings.iter_mut().any(|f| f.fate.replace("resolved".into()).is_some_and(|old| old == "persisted"))),
    ];
    for (name, change) in changes {
        // A changed critique or count also shows elsewhere; what it is about has to be among what is noticed.
        assert!(noticed(&arm, change).contains(&name), "{name}");
    }
}

/// An arm made of a shipped one's spec with some text replaced, filled with simulated calls.
fn varied(arm: &str, replace: &[(&str, &str)], tickets: usize, options: Options) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let mut spec = std::fs::read_to_string(shipped(arm).join("loop.toml")).expect("loop.toml");
    let dataset = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/payments");
    let quoted = format!("{:?}", dataset.display().to_string());
    for (from, to) in replace.iter().chain(&[("\"../../../datasets/payments\"", quoted.as_str())]) {
        assert!(spec.contains(from), "{from}");
        spec = spec.replace(from, to);
    }
    let template = dir.path().join("template");
    std::fs::create_dir(&template).expect("a folder");
    std::fs::write(template.join("loop.toml"), spec).expect("a spec");
    let options = Options { scaled: Some((tickets, dir.path().join("out"))), ..options };
    let written = simulate(&template, &options, |_| {}).expect("a simulation");
    (dir, written.arm)
}

#[test]
fn truths_are_recovered_whatever_the_loop() {
    let enforce: (&str, &str) = ("locality = \"observe\"", "locality = \"enforce\"");
    let wire = |name: &'static str| ("\"openai-chat\"", name);
    let strict = [("reaches_unmentioned", 0.6), ("ignores_locality", 0.4), ("breaks_fact", 0.5), ("paraphrases_quote", 0.4)];
    let noisy = [("unreadable", 0.3), ("unknown_severity", 0.2), ("rejects", 0.3), ("not_found", 0.2), ("applies_nothing", 0.2)];
    for (arm, replace, rates) in [
        ("sim-structured", vec![("\"serial\"", "\"batched\""), wire("\"anthropic\"")], &strict[..]),
        ("sim-structured", vec![("\"serial\"", "\"whole\""), wire("\"gemini\"")], &noisy[..]),
        ("sim-structured", vec![("send = \"anchored\"", "send = \"all\""), wire("\"ollama\"")], &noisy[..]),
        ("sim-structured", vec![("send = \"anchored\"", "send = \"all\"")], &strict[..]),
        ("sim-structured", vec![("max_passes = 3", "max_passes = 6"), ("closing_critique = true", "unreadable = \"stop\"")], &noisy[..]),
        ("sim-structured", vec![enforce], &strict[..]),
        ("sim-structured", vec![("\"serial\"", "\"batched\""), enforce], &strict[..]),
        ("sim-structured", vec![("max_passes = 3", "max_passes = 3\nmax_calls = 7")], &strict[..]),
        ("sim-prose", vec![("max_passes = 3", "max_passes = 5"), wire("\"openai-responses\"")], &strict[..3]),
        ("sim-prose", vec![("max_passes = 3", "max_passes = 3\nmax_calls = 4")], &[("unreadable", 0.3)]),
    ] {
        println!("{arm} {replace:?} {rates:?}");
        let (_dir, made) = varied(arm, &replace, 40, options(rates));
        check_recovered(&made, 40);
    }
}

/// Every truth of a simulation, in one list.
fn all(arm: &Path) -> Vec<PassTruth> {
    truths(arm).into_values().flatten().collect()
}

#[test]
fn rates_of_zero_plant_nothing() {
    let preset = |preset: &str, rates| Options { preset: preset.into(), ..options(rates) };
    for arm in ARMS {
        let (_dir, made) = small(arm, 60, preset("faultless", &[]));
        let passes = all(&made);
        assert_eq!(passes.len(), 120, "a flawless draft is approved at once");
        assert!(passes.iter().all(|t| t.findings.is_empty() && t.edits.is_empty() && t.failing.as_ref().is_none_or(Vec::is_empty)));

        // Something to complain about, and nobody who does it badly.
        let (_dir, made) =
            small(arm, 60, preset("faultless", &[("writes_wrong", 0.5), ("writes_flawed", 0.8), ("complaints", 6.0), ("notices", 1.0)]));
        let passes = all(&made);
        let findings: Vec<&FindingTruth> = passes.iter().flat_map(|t| &t.findings).collect();
        assert!(findings.len() > 200);
        assert!(findings.iter().all(|f| f.tier == "exact" && !f.spurious && f.applied));
        assert!(findings.iter().all(|f| !matches!(f.fate.as_deref(), Some("vanished" | "persisted"))));
        assert!(passes.iter().flat_map(|t| &t.edits).all(|e| e.local != Some(false) && e.changed && !e.reverted));
        assert!(passes.iter().all(|t| t.touched_unmentioned != Some(true) && t.broken.as_ref().is_none_or(Vec::is_empty)));
        assert!(passes.iter().any(|t| t.fixed.as_ref().is_some_and(|fixed| !fixed.is_empty())));
        check_recovered(&made, 60);
    }
}

#[test]
fn rates_of_one_plant_in_every_place() {
    let count = |passes: &[PassTruth], is: &dyn Fn(&PassTruth) -> bool| passes.iter().filter(|t| is(t)).count();
    let (_dir, made) = small("sim-prose", 60, options(&[("reaches_unmentioned", 1.0), ("approves", 0.0), ("spurious_finding", 1.0)]));
    let passes = all(&made);
    let revised = count(&passes, &|t| t.touched.is_some());
    assert_eq!((revised, count(&passes, &|t| t.touched_unmentioned == Some(true))), (180, 180));

    let (_dir, made) =
        small("sim-structured", 60, options(&[("paraphrases_quote", 1.0), ("paraphrase_normalised", 0.0), ("paraphrase_fuzzy", 0.0)]));
    let passes = all(&made);
    let findings: Vec<&FindingTruth> = passes.iter().flat_map(|t| &t.findings).collect();
    // Words that stand in two places are always copied.
    assert!(!findings.is_empty() && findings.iter().all(|f| f.tier == "dropped" || f.places > 1));
    check_recovered(&made, 60);

    let (_dir, made) = small("sim-structured", 60, options(&[("breaks_fact", 1.0), ("approves", 0.0)]));
    let passes = all(&made);
    assert!(count(&passes, &|t| t.broken.as_ref().is_some_and(|b| !b.is_empty())) >= 57);
}

#[test]
fn another_seed_gives_other_drafts_and_arms_of_one_seed_share_the_first() {
    let first = |dir: &Path| {
        let text = std::fs::read_to_string(dir.join("calls.jsonl")).expect("calls");
        let line: serde_json::Value = serde_json::from_str(text.lines().next().expect("a line")).expect("JSON");
        line["response"]["body"]["choices"][0]["message"]["content"].as_str().expect("a draft").to_owned()
    };
    let (_dir, other) = small("sim-prose", 1, Options { seed: 2, ..options(&[]) });
    assert_ne!(first(&other), first(&shipped("sim-prose")));
    assert_eq!(first(&shipped("sim-structured")), first(&shipped("sim-prose")));
}

#[test]
fn tickets_go_round_under_ids_of_their_own() {
    let (dir, made) = small("sim-prose", 301, options(&[]));
    let tickets = std::fs::read_to_string(dir.path().join("dataset/tickets.jsonl")).expect("tickets");
    let (settings, runs) = replayed(&made);
    assert_eq!((tickets.lines().count(), runs.len(), settings.growth), (301, 301, 15));
    assert_eq!(["pay-0001", "pay-0300", "pay-0001-r2"], [0, 299, 300].map(|at| runs[at].0.id.as_str()));
    assert!(runs.iter().all(|(_, run)| run.fault.is_none() && run.unused.is_empty()));
}

#[test]
fn what_cannot_be_simulated_is_refused() {
    let refused = |arm: &Path, options: &Options| simulate(arm, options, |_| {}).expect_err("an error").to_string();
    assert!(refused(&shipped("sim-prose"), &options(&[])).ends_with("this arm has calls already; --force writes over them"));
    assert!(
        refused(&shipped("sim-prose"), &Options { preset: "publshed".into(), force: true, ..options(&[]) })
            .contains("did you mean `published`?")
    );
    let dir = tempfile::tempdir().expect("a temporary folder");
    let spec = std::fs::read_to_string(shipped("sim-prose").join("loop.toml")).expect("loop.toml");
    let unlabelled: Vec<&str> = spec.lines().filter(|line| !line.starts_with("synthetic")).collect();
    std::fs::write(dir.path().join("loop.toml"), unlabelled.join("\n")).expect("a spec");
    assert!(refused(dir.path(), &options(&[])).contains("synthetic: is not set"));
    assert_eq!(std::fs::read_dir(dir.path()).expect("a folder").count(), 1, "nothing was written");
}

#[test]
fn the_shipped_bytes_are_what_the_seed_gives_on_any_number_of_threads() {
    for (arm, jobs) in [("sim-prose", 3), ("sim-structured", 1)] {
        let (_dir, made) = small(arm, 300, Options { jobs, ..options(&[]) });
        for file in ["calls.jsonl", "truth.jsonl"] {
            let read = |dir: &Path| std::fs::read(dir.join(file)).expect("a file");
            assert!(read(&made) == read(&shipped(arm)), "{arm}/{file}: run redraft simulate recordings/payments/{arm} --force");
        }
        let spec = std::fs::read_to_string(shipped(arm).join("loop.toml")).expect("loop.toml");
        assert!(spec.contains("synthetic = \"made by redraft simulate, preset published, seed 1\""));
    }
}
