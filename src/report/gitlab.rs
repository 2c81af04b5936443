//! GitLab's code quality report: findings with places in the drafts.

use serde::Serialize;

use super::draft::{self, Located};
use super::shown::short;
use super::{Files, Renderer, Report};
use crate::jsonl;
use crate::metric::fate;

pub struct Gitlab;

/// A label is a word; a critic may make a page of it.
const NAME_CHARS_MAX: usize = 100;

#[derive(Serialize)]
struct Issue<'a> {
    description: String,
    check_name: String,
    fingerprint: String,
    severity: &'static str,
    location: Location<'a>,
}

#[derive(Serialize)]
struct Location<'a> {
    path: &'a str,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: usize,
    end: usize,
}

impl Renderer for Gitlab {
    fn name(&self) -> &'static str {
        "gitlab"
    }

    fn about(&self) -> &'static str {
        "GitLab code quality JSON for the findings, with the drafts they quote as files"
    }

    fn shows_runs(&self) -> bool {
        true
    }

    fn points_to_drafts(&self) -> bool {
        true
    }

    fn render(&self, report: &Report<'_>) -> Files {
        let mut issues = vec![];
        for arm in report.drafts {
            for found in &arm.findings {
                // An issue without a file is not taken.
                if let Some(file) = found.file.and_then(|at| arm.files.get(at)) {
                    issues.push(issue(arm.arm, found, &file.path));
                }
            }
        }
        vec![("gl-code-quality-report.json".to_owned(), jsonl::pretty(&issues).into_bytes())]
    }
}

fn issue<'a>(arm: &str, found: &Located<'_>, path: &'a str) -> Issue<'a> {
    let region = found.regions.first().map(|(region, _)| region);
    Issue {
        description: format!("{} [{}]", draft::message(found.finding), found.finding.fate_name()),
        check_name: short(&fate::label(&found.finding.label), NAME_CHARS_MAX).into_owned(),
        // Both arms are in one list, which wants each fingerprint once.
        fingerprint: blake3::hash(format!("{arm}\0{}", found.fingerprint).as_bytes()).to_hex()[..32].to_owned(),
        severity: severity(&found.finding.severity, found.finding.rank),
        location: Location { path, lines: Lines { begin: region.map_or(1, |r| r.start_line), end: region.map_or(1, |r| r.end_line) } },
    }
}

/// The critic's own word where GitLab knows it, else by its rank.
fn severity(word: &str, rank: Option<u32>) -> &'static str {
    const KNOWN: [&str; 5] = ["blocker", "critical", "major", "minor", "info"];
    match (KNOWN.iter().find(|known| known.eq_ignore_ascii_case(word.trim())), rank) {
        (Some(known), _) => known,
        (None, Some(0)) => "critical",
        (None, Some(1)) => "major",
        (None, Some(2)) => "minor",
        (None, _) => "info",
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{HOSTILE, Parts, parts};
    use super::*;
    use serde_json::Value;
    use std::collections::BTreeSet;

    fn written(parts: &Parts) -> String {
        let drafts = draft::arms(&parts.details);
        String::from_utf8(Gitlab.render(&Report { drafts: &drafts, ..parts.report() }).remove(0).1).unwrap()
    }

    #[test]
    fn every_issue_has_its_file_and_its_own_fingerprint() {
        for text in HOSTILE {
            let parts = parts(text);
            let files = draft::files(&draft::arms(&parts.details));
            let written = written(&parts);
            assert!(!written.chars().any(|c| c != '\n' && crate::text::control::is_unsafe(c)), "{text:?}");
            let issues: Vec<Value> = serde_json::from_str(&written).unwrap();
            assert_eq!(issues.len(), 8);
            let prints: BTreeSet<&str> = issues.iter().map(|issue| issue["fingerprint"].as_str().unwrap()).collect();
            assert_eq!(prints.len(), issues.len());
            for issue in &issues {
                assert!(files.iter().any(|(name, _)| issue["location"]["path"] == name.as_str()));
                assert!(!issue["description"].as_str().unwrap().is_empty());
            }
        }
    }

    #[test]
    fn a_label_of_a_page_is_no_name() {
        let mut parts = parts("");
        for pass in &mut parts.details[0].runs[0].passes {
            pass.critique.iter_mut().flat_map(|critique| critique.findings.iter_mut().flatten()).for_each(|f| f.label = "x".repeat(10_000));
        }
        let issues: Vec<Value> = serde_json::from_str(&written(&parts)).unwrap();
        assert_eq!(issues[0]["check_name"].as_str().unwrap().chars().count(), NAME_CHARS_MAX);
    }

    #[test]
    fn severities_are_those_of_gitlab() {
        for (word, rank, want) in [
            ("blocking", Some(0), "critical"),
            ("Major", Some(0), "major"),
            ("low", Some(1), "major"),
            ("low", Some(2), "minor"),
            ("low", Some(9), "info"),
            ("odd", None, "info"),
        ] {
            assert_eq!(severity(word, rank), want, "{word}");
        }
    }
}
