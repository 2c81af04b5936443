//! Workflow commands that a CI runner turns into annotations: the worst first, at most ten of a kind.

use super::shown::{self, short};
use super::{Files, Renderer, Report, regressed};
use crate::compare::Reading;
use crate::gate::{OnInconclusive, Verdict};

pub struct Annotations;

/// More of one kind are not shown by the runner, step by step.
const KIND_MAX: usize = 10;
const TITLE_CHARS_MAX: usize = 200;
const MESSAGE_CHARS_MAX: usize = 2000;

impl Renderer for Annotations {
    fn name(&self) -> &'static str {
        "annotations"
    }

    fn about(&self) -> &'static str {
        "workflow commands (::error, ::warning, ::notice) for a GitHub job's log, ten of a kind"
    }

    fn render(&self, report: &Report<'_>) -> Files {
        let notes = notes(report);
        let mut out = String::new();
        for kind in ["error", "warning", "notice"] {
            let own: Vec<&Note> = notes.iter().filter(|note| note.kind == kind).collect();
            let shown = if own.len() > KIND_MAX { KIND_MAX - 1 } else { own.len() };
            for note in own.iter().take(shown) {
                out.push_str(&command(kind, &note.title, &note.message));
            }
            if shown < own.len() {
                let more = own.len() - shown;
                out.push_str(&command(kind, &format!("+{more} more"), "The job summary and the files of the report name them all."));
            }
        }
        vec![("annotations.txt".to_owned(), out.into_bytes())]
    }
}

struct Note {
    kind: &'static str,
    title: String,
    message: String,
}

/// Ranked within each kind.
fn notes(report: &Report<'_>) -> Vec<Note> {
    let mut notes = vec![];
    let mut note = |kind, title: String, message: String| notes.push(Note { kind, title, message });
    if let Some(gate) = report.gate {
        let kind = match gate.verdict {
            Verdict::Regressed | Verdict::NoVerdict => "error",
            Verdict::Inconclusive => inconclusive(gate.on_inconclusive),
            Verdict::Pass => "notice",
        };
        note(kind, format!("Gate: {}", shown::verdict(gate.verdict)), verdict(report, gate));
        for metric in &gate.metrics {
            let kind = match metric.verdict {
                Verdict::Regressed | Verdict::NoVerdict => "error",
                Verdict::Inconclusive => inconclusive(gate.on_inconclusive),
                Verdict::Pass => continue,
            };
            note(kind, format!("{}: {}", shown::verdict(metric.verdict), metric.title), metric.why.clone());
        }
    }
    for ticket in regressed::tickets(report) {
        let show = ticket.show.map_or(String::new(), |show| format!("\n{show}"));
        note("error", format!("Ticket {} regressed", ticket.ticket), ticket.metrics.join(", ") + &show);
    }
    for arm in &report.summary.arms {
        for fault in &arm.fault_list {
            let title = format!("{}: ticket {} errored", arm.origin.arm, fault.ticket);
            note("error", title, format!("{} at {}: {}", fault.kind, fault.at, fault.what));
        }
    }
    if let Some(comparison) = report.comparison {
        for warning in &comparison.setup.warnings {
            note("warning", "What is compared".to_owned(), warning.clone());
        }
        // What a gate looks at, it has said already.
        let gated = |name: &str| report.gate.is_some_and(|gate| gate.metrics.iter().any(|m| m.figure == name));
        for figure in comparison.figures.iter().filter(|f| f.headline && !gated(&f.name)) {
            if let Some(end) = figure.end.as_ref().filter(|end| end.reading == Reading::Worse) {
                let change = shown::compared(&figure.unit, end);
                note("warning", format!("Worse: {}", figure.title), format!("{change}, over {} tickets", end.n));
            }
        }
    }
    notes
}

fn inconclusive(on: OnInconclusive) -> &'static str {
    match on {
        OnInconclusive::Pass => "warning",
        OnInconclusive::Fail => "error",
    }
}

fn verdict(report: &Report<'_>, gate: &crate::gate::Gate) -> String {
    let arms = report.comparison.map_or(String::new(), |c| format!("{} against {}", c.candidate.origin.arm, c.baseline.origin.arm));
    [arms].into_iter().chain(gate.reasons.iter().cloned()).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

fn command(kind: &str, title: &str, message: &str) -> String {
    let title = property(&visible(&short(title, TITLE_CHARS_MAX)));
    // A command without a message is none.
    let message = if message.trim().is_empty() { "(no text)" } else { message };
    format!("::{kind} title={title}::{}\n", data(&visible(&short(message, MESSAGE_CHARS_MAX))))
}

/// Control characters are shown, and commands of the runner or of Azure Pipelines inside a text are parted, for whatever reads the log next.
fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let parted = (c == ':' && out.ends_with(':')) || (c != '#' && c != ' ' && out.ends_with("##"));
        if parted {
            out.push(' ');
        }
        match c {
            '\n' | '\r' => out.push(c),
            _ if crate::text::control::is_unsafe(c) => out.extend(c.escape_default()),
            _ => out.push(c),
        }
    }
    out
}

/// The runner's escapes of a message; the percent sign first.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The runner's escapes of a property's value.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{HOSTILE, parts};
    use super::*;

    fn lines(report: &Report<'_>) -> Vec<String> {
        let files = Annotations.render(report);
        assert_eq!(files[0].0, "annotations.txt");
        String::from_utf8(files[0].1.clone()).unwrap().lines().map(str::to_owned).collect()
    }

    /// As the runner reads a line: kind, title and message.
    fn read(line: &str) -> Option<(String, String, String)> {
        let (head, message) = line.strip_prefix("::")?.split_once("::")?;
        let (kind, title) = head.split_once(" title=")?;
        let back = |text: &str| text.replace("%0D", "\r").replace("%0A", "\n").replace("%3A", ":").replace("%2C", ",").replace("%25", "%");
        Some((kind.to_owned(), back(title), back(message)))
    }

    #[test]
    fn the_worst_comes_first_and_ten_of_a_kind_at_most() {
        let parts = parts("");
        let lines: Vec<_> = lines(&parts.report()).iter().map(|line| read(line).unwrap()).collect();
        let titles: Vec<&str> = lines.iter().filter(|(kind, ..)| kind == "error").map(|(_, title, _)| title.as_str()).collect();
        let expected = ["Gate: REGRESSED", "REGRESSED: Revisions that broke a check", "Ticket t0 regressed"];
        assert_eq!(titles[..3], expected);
        assert_eq!(titles.len(), 10);
        // 1 + 1 + 30 tickets + 2 errored, of which nine are shown.
        assert_eq!(titles[9], "+25 more");
        let message = &lines.iter().find(|(_, title, _)| title == "Ticket t0 regressed").unwrap().2;
        assert_eq!(message, "Revisions that broke a check\nredraft show 'recordings/cand' 't0'");
        assert_eq!(lines.iter().filter(|(kind, ..)| kind == "warning").count(), 2);
    }

    #[test]
    fn a_text_stays_in_its_command() {
        for text in HOSTILE {
            let parts = parts(text);
            for line in lines(&parts.report()) {
                let (kind, title, message) = read(&line).unwrap_or_else(|| panic!("{line:?}"));
                assert!(["error", "warning", "notice"].contains(&kind.as_str()), "{line:?}");
                assert!(!title.contains("::") && !message.contains("::"), "{line:?}");
                assert!(!line.contains("##[") && !line.contains("##vso") && !message.is_empty(), "{line:?}");
                assert!(!line.chars().any(crate::text::control::is_unsafe), "{line:?}");
            }
        }
    }

    #[test]
    fn escapes_are_undone_by_the_runner() {
        for (text, want) in
            [("100%0A,a:b", "100%0A,a:b"), ("a\nb\r", "a\nb\r"), (":::", ": : :"), ("###[x]", "### [x]"), ("## head", "## head")]
        {
            let (_, title, message) = read(command("notice", text, text).trim_end_matches('\n')).unwrap();
            assert_eq!((title.as_str(), message.as_str()), (want, want));
        }
    }

    #[test]
    fn one_arm_alone_names_what_errored() {
        let parts = parts("");
        let titles: Vec<String> = lines(&parts.alone()).iter().map(|line| read(line).unwrap().1).collect();
        assert_eq!(titles, ["base: ticket bad errored", "cand: ticket bad errored"]);
    }
}
