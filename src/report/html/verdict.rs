//! The top of the page: the verdict, what was held fixed and what changed, and which tickets are compared.

use super::Arms;
use super::write::Page;
use crate::compare::{Change, Comparison, Listed, Pairing, Reading, WordOp};
use crate::gate::{Gate, MetricVerdict, Verdict};
use crate::report::Report;
use crate::report::number::{self, decimal, grouped, percent};
use crate::report::shown;

/// A cell of a table names so many tickets; the table of tickets holds all.
const LINKS_MAX: usize = 12;

pub fn title(report: &Report<'_>) -> &'static str {
    if report.gate.is_some() { "Verdict" } else { "At a glance" }
}

pub fn verdict(page: &mut Page, report: &Report<'_>, arms: &Arms<'_>) {
    page.el("section", &[("id", "verdict"), ("aria-labelledby", "verdict-title")], |page| {
        page.put("h2", &[("id", "verdict-title")], title(report));
        match (report.gate, report.comparison) {
            (Some(gate), comparison) => gated(page, gate, comparison.is_some_and(|comparison| comparison.exact)),
            (None, Some(comparison)) => compared(page, comparison),
            (None, None) => alone(page, report, arms),
        }
    });
}

fn gated(page: &mut Page, gate: &Gate, same_calls: bool) {
    let class = match gate.verdict {
        Verdict::Regressed => "banner bad",
        Verdict::Pass => "banner good",
        Verdict::Inconclusive | Verdict::NoVerdict => "banner open",
    };
    let named =
        |verdict: Verdict| -> Vec<&str> { gate.metrics.iter().filter(|m| m.verdict == verdict).map(|m| m.title.as_str()).collect() };
    page.el("div", &[("class", class)], |page| {
        page.el("p", &[], |page| {
            page.put("strong", &[], shown::verdict(gate.verdict));
            page.text(" ");
            page.text(match gate.verdict {
                Verdict::Regressed => "The candidate is worse than the baseline by more than it may be.",
                Verdict::Pass => "The candidate is shown to be no worse than the baseline by more than it may be.",
                Verdict::Inconclusive => "These tickets show neither that the candidate is worse nor that it is not.",
                Verdict::NoVerdict => "Nothing could be judged.",
            });
        });
        for (verdict, what) in [(Verdict::Regressed, "Regressed"), (Verdict::Inconclusive, "Inconclusive")] {
            let titles = named(verdict);
            if !titles.is_empty() {
                page.put("p", &[], &format!("{what}: {}.", titles.join("; ")));
            }
        }
        list(page, &gate.reasons);
        if gate.exact && same_calls {
            exact(page);
        } else if gate.exact {
            page.put("p", &[], "The policy is exact: any newly broken ticket is a regression, whatever chance may have done.");
        }
    });
    metrics(page, gate);
}

fn exact(page: &mut Page) {
    page.put("p", &[], "Both sides replay the same recorded calls: any newly broken ticket is a regression, and chance has no part in it.");
}

fn list(page: &mut Page, texts: &[String]) {
    if !texts.is_empty() {
        page.el("ul", &[], |page| texts.iter().for_each(|text| page.put("li", &[], text)));
    }
}

fn metrics(page: &mut Page, gate: &Gate) {
    if gate.metrics.is_empty() {
        return;
    }
    super::scrolled(page, "Gated metrics", |page| {
        page.el("table", &[], |page| {
            let alpha = decimal(gate.alpha, 3);
            let alpha = alpha.trim_end_matches('0');
            let inconclusive = shown::inconclusive(gate.on_inconclusive);
            page.put("caption", &[], &format!("Gated metrics. Alpha {alpha}, over all of them; what is inconclusive {inconclusive}."));
            super::head(page, &["Metric", "Verdict"], &["A", "B", "Worse by [95%]", "Margin", "n", "p (Holm)"], &[]);
            gate.metrics.iter().for_each(|metric| page.el("tbody", &[], |page| metric_rows(page, metric)));
        });
    });
}

/// The numbers, and under them, over the whole width, why that is the verdict: a column for it would be beyond the edge of most screens.
fn metric_rows(page: &mut Page, metric: &MetricVerdict) {
    let unit = metric.unit.as_str();
    page.el("tr", &[("class", "above")], |page| {
        page.put("th", &[("scope", "rowgroup")], &metric.title);
        page.el("td", &[], |page| {
            let class = match metric.verdict {
                Verdict::Regressed => "chip bad",
                Verdict::Pass => "chip good",
                _ => "chip open",
            };
            page.put("span", &[("class", class)], shown::verdict(metric.verdict));
        });
        for value in [
            shown::value(unit, metric.baseline),
            shown::value(unit, metric.candidate),
            shown::with_interval(unit, metric.worse_by, metric.low, metric.high),
            shown::difference(unit, metric.margin),
            grouped(metric.n),
            number::optional(metric.p_holm.or(metric.p), p),
        ] {
            page.put("td", &[("class", "n")], &value);
        }
    });
    page.el("tr", &[], |page| {
        page.el("td", &[("class", "why"), ("colspan", "8")], |page| page.el("div", &[], |page| why(page, metric)));
    });
}

fn why(page: &mut Page, metric: &MetricVerdict) {
    page.text(&metric.why);
    if !metric.tickets.is_empty() {
        page.el("p", &[], |page| {
            page.text("Got worse in ");
            let first = metric.tickets.get(..LINKS_MAX).unwrap_or(&metric.tickets);
            super::ticket_links(page, first, metric.worse_tickets());
        });
    }
}

/// A p-value: never 0, which no test gives.
pub fn p(p: f64) -> String {
    if p > 0.0 && p < 0.0001 { "<0.0001".to_owned() } else { decimal(p, if p < 0.01 { 4 } else { 3 }) }
}

fn compared(page: &mut Page, comparison: &Comparison) {
    let count = |reading: Reading| {
        let headline = comparison.figures.iter().filter(|figure| figure.headline);
        headline.filter(|figure| shown::of_figure(figure).is_some_and(|d| d.reading == reading)).count()
    };
    page.el("div", &[("class", "banner open")], |page| {
        page.el("p", &[], |page| {
            page.put("strong", &[], "No gate");
            page.text(&format!(
                " Of the headline figures {} got worse, {} better, {} differ without a better way, {} are not shown to differ (95% intervals).",
                count(Reading::Worse),
                count(Reading::Better),
                count(Reading::Differs),
                count(Reading::NotShown)
            ));
        });
        if comparison.exact {
            exact(page);
        }
    });
}

fn alone(page: &mut Page, report: &Report<'_>, arms: &Arms<'_>) {
    page.el("div", &[("class", "banner open")], |page| {
        page.el("p", &[], |page| {
            page.put("strong", &[], "No comparison");
            page.text(if arms.names.len() == 1 { " One arm, measured by itself." } else { " Several arms, each measured by itself." });
        });
    });
    super::scrolled(page, "Tickets by arm", |page| {
        page.el("table", &[], |page| {
            page.put("caption", &[], "What was replayed");
            super::head(page, &["Arm"], &["Tickets", "Without a fault", "Errored", "Without a revision", "Calls", "Cost"], &[]);
            page.el("tbody", &[], |page| {
                for (at, arm) in report.summary.arms.iter().enumerate() {
                    page.el("tr", &[], |page| {
                        page.el("th", &[("scope", "row")], |page| arms.name(page, at));
                        for value in [
                            grouped(arm.tickets),
                            percent(arm.coverage.num, arm.coverage.den),
                            grouped(arm.errored),
                            grouped(arm.without_revision),
                            grouped(arm.calls.calls),
                            number::optional(arm.calls.cost_usd, number::usd),
                        ] {
                            page.put("td", &[("class", "n")], &value);
                        }
                    });
                }
            });
        });
    });
}

pub fn changed(page: &mut Page, comparison: &Comparison) {
    let setup = &comparison.setup;
    page.el("section", &[("id", "changed"), ("aria-labelledby", "changed-title")], |page| {
        page.put("h2", &[("id", "changed-title")], "What changed");
        for warning in &setup.warnings {
            page.el("p", &[("class", "note")], |page| {
                page.put("strong", &[], "Note ");
                page.text(warning);
            });
        }
        if !setup.known {
            page.put("p", &[], "One side does not carry its spec, so nothing is known of what was held fixed.");
        } else if setup.changed.is_empty() {
            page.put("p", &[], "Nothing differs between the two specs.");
        }
        for change in &setup.changed {
            one_change(page, change);
        }
        if !setup.held.is_empty() {
            let held: Vec<&str> = setup.held.iter().map(|family| family.words()).collect();
            page.put("p", &[("class", "muted")], &format!("Held fixed: {}.", held.join(", ")));
        }
        pairing(page, &comparison.pairing);
    });
}

fn one_change(page: &mut Page, change: &Change) {
    page.el("p", &[("class", "change")], |page| {
        page.put("b", &[], change.family.words());
        page.text(" ");
        page.put("code", &[], &change.key);
        if change.words.is_empty() {
            page.text(" ");
            page.put("del", &[], change.baseline.as_deref().unwrap_or("not set"));
            page.text(" \u{2192} ");
            page.put("ins", &[], change.candidate.as_deref().unwrap_or("not set"));
        }
    });
    if !change.words.is_empty() {
        page.el("div", &[("class", "text"), ("dir", "auto")], |page| {
            for word in &change.words {
                match word.op {
                    WordOp::Equal => page.text(&word.text),
                    WordOp::Delete => page.put("del", &[], &word.text),
                    WordOp::Insert => page.put("ins", &[], &word.text),
                }
            }
        });
    }
}

fn pairing(page: &mut Page, pairing: &Pairing) {
    page.put("p", &[], &format!("{} tickets are compared, each with itself.", grouped(pairing.paired)));
    let lists: [(&Listed, &str); 4] = [
        (&pairing.only_baseline, "in A alone"),
        (&pairing.only_candidate, "in B alone"),
        (&pairing.faulted_baseline, "faulted in A"),
        (&pairing.faulted_candidate, "faulted in B"),
    ];
    if lists.iter().all(|(listed, _)| listed.count == 0) {
        return;
    }
    page.put("p", &[], "Left out of every difference:");
    page.el("ul", &[], |page| {
        for (listed, what) in lists.iter().filter(|(listed, _)| listed.count > 0) {
            page.el("li", &[], |page| {
                page.text(&format!("{} {what}: ", grouped(listed.count)));
                super::ticket_links(page, &listed.tickets, listed.count);
            });
        }
    });
}
