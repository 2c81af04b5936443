//! JUnit XML: one testcase a gated metric, a regressed ticket, an arm and an errored ticket. Well-formed whatever the texts hold.

use std::fmt::Write;

use super::shown::{self, short};
use super::{Files, Renderer, Report, regressed};
use crate::gate::{Gate, OnInconclusive, Verdict};
use crate::summary::ArmSummary;
use crate::text::control::is_unsafe;

pub struct Junit;

const NAME_CHARS_MAX: usize = 200;

impl Renderer for Junit {
    fn name(&self) -> &'static str {
        "junit"
    }

    fn about(&self) -> &'static str {
        "JUnit XML: a testcase for each gated metric, regressed ticket, arm and errored ticket"
    }

    fn render(&self, report: &Report<'_>) -> Files {
        let mut suites = vec![];
        if let Some(gate) = report.gate {
            suites.push(Suite { name: "redraft.gate".to_owned(), cases: gated(gate) });
            suites.push(Suite { name: "redraft.tickets".to_owned(), cases: tickets(report) });
        }
        suites.extend(
            report.summary.arms.iter().map(|arm| Suite { name: format!("redraft.replay.{}", arm.origin.arm), cases: replayed(arm) }),
        );
        vec![("junit.xml".to_owned(), document(&suites).into_bytes())]
    }
}

struct Suite {
    name: String,
    cases: Vec<Case>,
}

struct Case {
    name: String,
    outcome: Outcome,
}

enum Outcome {
    Passed,
    /// One line, and everything there is to say.
    Failed(String, String),
    /// It could not be told.
    Errored(String, String),
    Skipped(String),
}

impl Outcome {
    const KINDS: [&'static str; 3] = ["failures", "errors", "skipped"];

    /// Place in `KINDS`.
    fn kind(&self) -> Option<usize> {
        match self {
            Outcome::Passed => None,
            Outcome::Failed(..) => Some(0),
            Outcome::Errored(..) => Some(1),
            Outcome::Skipped(_) => Some(2),
        }
    }
}

fn gated(gate: &Gate) -> Vec<Case> {
    let outcome = |verdict: Verdict, why: String, more: String| match verdict {
        Verdict::Pass => Outcome::Passed,
        Verdict::Regressed => Outcome::Failed(why, more),
        Verdict::NoVerdict => Outcome::Errored(why, more),
        Verdict::Inconclusive if gate.on_inconclusive == OnInconclusive::Fail => Outcome::Failed(why, more),
        Verdict::Inconclusive => Outcome::Skipped(why),
    };
    let reasons = gate.reasons.join("\n");
    let whole = Case { name: "verdict".to_owned(), outcome: outcome(gate.verdict, shown::verdict(gate.verdict).to_owned(), reasons) };
    let metric = |m: &crate::gate::MetricVerdict| {
        let why = format!("{}: {}", shown::verdict(m.verdict), m.why);
        let more = format!(
            "baseline {}, candidate {}, worse by {}, margin {}, {} tickets{}",
            shown::value(&m.unit, m.baseline),
            shown::value(&m.unit, m.candidate),
            shown::with_interval(&m.unit, m.worse_by, m.low, m.high),
            shown::difference(&m.unit, m.margin),
            m.n,
            m.tickets.iter().map(|ticket| format!("\n{ticket}")).collect::<String>(),
        );
        Case { name: format!("{} ({})", m.title, m.figure), outcome: outcome(m.verdict, why, more) }
    };
    std::iter::once(whole).chain(gate.metrics.iter().map(metric)).collect()
}

fn tickets(report: &Report<'_>) -> Vec<Case> {
    let case = |ticket: regressed::Regressed<'_>| Case {
        name: ticket.ticket.to_owned(),
        outcome: Outcome::Failed(format!("newly broken: {}", ticket.metrics.join(", ")), ticket.show.unwrap_or_default().to_owned()),
    };
    regressed::tickets(report).into_iter().map(case).collect()
}

/// The arm as one case, so that a replay without a fault is not an empty report, and the tickets that errored.
fn replayed(arm: &ArmSummary) -> Vec<Case> {
    let whole = match arm.errored {
        0 => Outcome::Passed,
        n => Outcome::Errored(format!("{n} of {} tickets errored", arm.tickets), String::new()),
    };
    let faults = arm.fault_list.iter().map(|fault| Case {
        name: if fault.sample > 0 { format!("{} sample {}", fault.ticket, fault.sample) } else { fault.ticket.clone() },
        outcome: Outcome::Errored(format!("{} at {}", fault.kind, fault.at), fault.what.clone()),
    });
    std::iter::once(Case { name: "every ticket replays".to_owned(), outcome: whole }).chain(faults).collect()
}

// Writing into a String cannot fail, so its results are not looked at here.

fn document(suites: &[Suite]) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let all = || suites.iter().flat_map(|suite| &suite.cases);
    let _ = writeln!(out, "<testsuites name=\"redraft\"{}>", counts(all()));
    for suite in suites {
        let _ = writeln!(out, "  <testsuite name=\"{}\"{}>", name(&suite.name), counts(suite.cases.iter()));
        for case in &suite.cases {
            let _ = write!(out, "    <testcase classname=\"{}\" name=\"{}\" time=\"0\"", name(&suite.name), name(&case.name));
            match &case.outcome {
                Outcome::Passed => out.push_str("/>\n"),
                Outcome::Failed(why, more) => element(&mut out, "failure", "regressed", why, more),
                Outcome::Errored(why, more) => element(&mut out, "error", "no verdict", why, more),
                Outcome::Skipped(why) => {
                    let _ = writeln!(out, ">\n      <skipped message=\"{}\"/>\n    </testcase>", attribute(why));
                }
            }
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

/// No time is measured: a report holds no clock. Readers that insist on the attribute find a zero.
fn counts<'a>(cases: impl Iterator<Item = &'a Case>) -> String {
    let (mut all, mut by_kind) = (0, [0; 3]);
    for case in cases {
        all += 1;
        if let Some(count) = case.outcome.kind().and_then(|kind| by_kind.get_mut(kind)) {
            *count += 1;
        }
    }
    let by_kind: String = Outcome::KINDS.iter().zip(by_kind).map(|(kind, n)| format!(" {kind}=\"{n}\"")).collect();
    format!(" tests=\"{all}\"{by_kind} time=\"0\"")
}

fn element(out: &mut String, tag: &str, kind: &str, why: &str, more: &str) {
    let body = if more.is_empty() { why.to_owned() } else { format!("{why}\n{more}") };
    let _ = writeln!(out, ">\n      <{tag} type=\"{kind}\" message=\"{}\">{}</{tag}>\n    </testcase>", attribute(why), content(&body));
}

/// A name: one line, and not too long for the tables it is shown in.
fn name(text: &str) -> String {
    attribute(&super::grid::escape_terminal(&short(text, NAME_CHARS_MAX)))
}

/// A text between tags. What XML 1.0 forbids, and what steers a terminal, is shown as `\u{1b}`.
fn content(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            // `]]>` may not stand in a text.
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            // A reader would make a line feed of it.
            '\r' => out.push_str("&#13;"),
            '\u{fffe}' | '\u{ffff}' => out.extend(c.escape_unicode()),
            _ if is_unsafe(c) => out.extend(c.escape_unicode()),
            _ => out.push(c),
        }
    }
    out
}

/// A text between quotation marks, where a reader makes a blank of a line feed that is not written as a reference.
fn attribute(text: &str) -> String {
    content(text).replace('\n', "&#10;").replace('\t', "&#9;")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{HOSTILE, parts};
    use super::*;
    use proptest::prelude::*;
    use roxmltree::{Document, Node};

    fn xml(report: &Report<'_>) -> String {
        String::from_utf8(Junit.render(report).remove(0).1).unwrap()
    }

    fn named<'a>(doc: &'a Document<'_>, tag: &'static str) -> Vec<Node<'a, 'a>> {
        doc.descendants().filter(|node| node.has_tag_name(tag)).collect()
    }

    #[test]
    fn every_metric_ticket_and_arm_is_a_case() {
        let parts = parts("");
        let text = xml(&parts.report());
        let doc = Document::parse(&text).unwrap();
        let suites: Vec<_> =
            named(&doc, "testsuite").iter().map(|s| (s.attribute("name").unwrap(), s.attribute("tests").unwrap())).collect();
        assert_eq!(suites, [("redraft.gate", "4"), ("redraft.tickets", "30"), ("redraft.replay.base", "2"), ("redraft.replay.cand", "2")]);
        let root = doc.root_element();
        let count = |name: &str| root.attribute(name).unwrap();
        assert_eq!(["tests", "failures", "errors", "skipped"].map(count), ["38", "32", "4", "1"]);
        for (tag, attribute) in [("failure", "failures"), ("error", "errors"), ("skipped", "skipped"), ("testcase", "tests")] {
            assert_eq!(named(&doc, tag).len().to_string(), count(attribute));
        }
        let failure = named(&doc, "failure").into_iter().nth(1).unwrap();
        assert_eq!(failure.attribute("message"), Some("REGRESSED: 7 of 298 became 28 of 298 "));
        assert!(
            failure
                .text()
                .unwrap()
                .contains("baseline 2.3%, candidate 9.4%, worse by +7.0 pp [+3.0, +11.0], margin +2.0 pp, 298 tickets\nt0\nt1\n")
        );
        let alone = xml(&parts.alone());
        assert_eq!(named(&Document::parse(&alone).unwrap(), "testsuite").len(), 2);
    }

    #[test]
    fn what_is_inconclusive_fails_only_where_it_must() {
        let mut parts = parts("");
        parts.gate.on_inconclusive = OnInconclusive::Fail;
        let text = xml(&parts.report());
        assert!(named(&Document::parse(&text).unwrap(), "skipped").is_empty());
    }

    #[test]
    fn a_strict_reader_takes_any_text() {
        for text in HOSTILE {
            let parts = parts(text);
            let xml = xml(&parts.report());
            let doc = Document::parse(&xml).unwrap_or_else(|e| panic!("{text:?}: {e}"));
            assert_eq!(named(&doc, "testcase").len(), 38, "{text:?}");
            assert!(!xml.chars().any(|c| c != '\n' && is_unsafe(c)), "{text:?}");
        }
    }

    /// XML 1.0, fifth edition, production 2.
    fn is_allowed(c: char) -> bool {
        matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
    }

    proptest! {
        #[test]
        fn texts_come_back(text in "\\PC{0,12}|[\\x00-\\x1f<>&\"'\\]\u{fffe}\u{ffff}\u{85}\r\n\t]{0,12}") {
            let xml = format!("<a b=\"{}\">{}</a>", attribute(&text), content(&text));
            prop_assert!(xml.chars().all(is_allowed));
            let doc = Document::parse(&xml).unwrap();
            let keep = |c: char| matches!(c, '\n' | '\t' | '\r') || !(is_unsafe(c) || c == '\u{fffe}' || c == '\u{ffff}');
            let want: String = text.chars().map(|c| if keep(c) { c.to_string() } else { c.escape_unicode().to_string() }).collect();
            prop_assert_eq!(doc.root_element().attribute("b").unwrap(), &want);
            prop_assert_eq!(doc.root_element().text().unwrap_or_default(), &want);
        }
    }
}
