//! Comparisons of shipped arms: what was planted in the two simulated loops is what a comparison finds between them.

use std::path::Path;

use redraft::compare::{self, Comparison, Difference, Options, Reading};
use redraft::metric::Better;
use redraft::side::{self, Place, Side};

fn arm(name: &str) -> Side {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings").join(name);
    Side::open(&Place { path, arm: None }, &side::Options::default(), &mut || ()).unwrap()
}

fn end<'a>(comparison: &'a Comparison, figure: &str) -> &'a Difference {
    let found = comparison.figures.iter().find(|known| known.name == figure).unwrap();
    found.end.as_ref().unwrap_or_else(|| panic!("{figure}: {:?}", found.not_applicable))
}

#[test]
fn the_published_rates_are_found_within_their_intervals() {
    let (prose, structured) = (arm("payments/sim-prose"), arm("payments/sim-structured"));
    let found = compare::compare(&prose, &structured, &Options::default());
    assert_eq!((found.pairing.paired, found.exact), (300, false));

    // Runs that gain an error: 9.3% and 2.3% were reported and planted.
    let error = end(&found, "run_new_error");
    let holds = |low: Option<f64>, high: Option<f64>, value: f64| low.unwrap() <= value && value <= high.unwrap();
    assert!(holds(error.baseline.low, error.baseline.high, 0.093) && holds(error.candidate.low, error.candidate.high, 0.023));
    assert!(holds(error.low, error.high, 0.023 - 0.093));
    assert_eq!((error.n, error.reading), (300, Reading::Better));

    // Revisions that reach a section nobody mentioned: 61% and 27% of a pass, which the first pass shows before tickets leave.
    let edits = found.figures.iter().find(|figure| figure.name == "untouched_section_edit").unwrap();
    let first = edits.at_risk.iter().find(|at| at.pass == 1).unwrap();
    assert!(holds(first.baseline.low, first.baseline.high, 0.61) && holds(first.candidate.low, first.candidate.high, 0.27));
    assert!(holds(first.low, first.high, 0.27 - 0.61));
    assert_eq!((edits.better, first.reading), (Some(Better::Lower), Reading::Better));

    // Prose has no findings: not applicable, in words, and never 0.
    for figure in ["findings_emitted", "findings_anchored", "resolution", "reraised"] {
        let known = found.figures.iter().find(|known| known.name == figure).unwrap();
        assert_eq!(known.not_applicable.as_deref(), Some("critiques of the baseline are prose, which has no findings"));
        assert!(known.end.is_none() && known.at_risk.is_empty());
    }
    assert!(found.candidate.findings.unwrap() > 3000 && found.baseline.findings.is_none() && found.baseline.revisions > 700);
    assert!(found.setup.warnings[0].contains("changed at once") && found.setup.changed.iter().any(|change| change.key == "critic.prompt"));
}

#[test]
fn an_arm_against_itself_is_exact_and_the_same() {
    let (once, again) = (arm("payments-qwen-1.5b/findings-serial"), arm("payments-qwen-1.5b/findings-serial"));
    let found = compare::compare(&once, &again, &Options::default());
    assert!(found.exact && found.worse.is_empty() && found.better.is_empty() && found.setup.changed.is_empty());
    let ends = || found.figures.iter().filter_map(|figure| figure.end.as_ref());
    assert!(ends().all(|end| end.value.is_none_or(|value| value == 0.0) && end.p.is_none()));
    assert!(ends().any(|end| end.reading == Reading::Same));
}
