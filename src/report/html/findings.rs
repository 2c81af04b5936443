//! Where findings go, how surely they were located, and why runs ended: counts of each arm over all its tickets.

use super::write::Page;
use super::{Arms, head, scrolled};
use crate::report::Report;
use crate::report::number::{ABSENT, grouped, percent};
use crate::summary::{Amount, ArmSummary};

/// A part of a bar: what it counts, how many, and the class that colours it.
struct Part {
    name: &'static str,
    count: u64,
    class: &'static str,
}

const fn part(name: &'static str, count: u64, class: &'static str) -> Part {
    Part { name, count, class }
}

/// A figure's sums at the last pass, over every ticket: numerator and denominator.
fn sums(arm: &ArmSummary, figure: &str) -> Option<(u64, u64)> {
    let figure = arm.figures.iter().find(|f| f.name == figure)?;
    let last = figure.enrolled.as_ref()?.last()?;
    match last.num {
        Some(Amount::Count(num)) => Some((u64::try_from(num).ok()?, last.den?)),
        _ => None,
    }
}

/// What became of an arm's findings, stage by stage. None where its format has none.
fn stages(arm: &ArmSummary) -> Option<[(&'static str, Vec<Part>); 3]> {
    let found = &arm.anchoring;
    if found.emitted == 0 {
        return None;
    }
    let (applied, could) = sums(arm, "applied").unwrap_or((0, 0));
    let observed = sums(arm, "resolution").map_or(0, |(_, observed)| observed);
    let fate = |name: &str| sums(arm, name).map_or(0, |(count, _)| count);
    let anchored = found.emitted.saturating_sub(found.dropped);
    Some([
        (
            "Emitted",
            vec![
                part("anchored exact", found.exact, "t1"),
                part("anchored normalised", found.normalised, "t2"),
                part("anchored fuzzy", found.fuzzy, "t3"),
                part("dropped", found.dropped, "t0"),
            ],
        ),
        (
            "Anchored",
            vec![
                part("applied", applied, "t1"),
                part("not applied", could.saturating_sub(applied), "t3"),
                part("in a pass that made no draft", anchored.saturating_sub(could), "t0"),
            ],
        ),
        (
            "Seen again",
            vec![
                part("resolved (applied, not raised again)", fate("resolution"), "t1"),
                part("re-raised (applied, raised again)", fate("reraised"), "t4"),
                part("vanished (not applied, not raised again)", fate("vanished"), "t2"),
                part("persisted (not applied, raised again)", fate("persisted"), "t3"),
                part("unobserved (no critic looked again)", anchored.saturating_sub(observed), "t0"),
            ],
        ),
    ])
}

pub fn findings(page: &mut Page, report: &Report<'_>, arms: &Arms<'_>) {
    let most = report.summary.arms.iter().map(|arm| arm.anchoring.emitted).max().unwrap_or(0);
    page.el("section", &[("id", "findings"), ("aria-labelledby", "findings-title")], |page| {
        page.put("h2", &[("id", "findings-title")], "Where findings go");
        page.put(
            "p",
            &[("class", "muted")],
            "Over all passes and tickets without a fault. Every bar has the same scale, so that a shorter one holds fewer findings.",
        );
        page.el("div", &[("class", "arms")], |page| {
            for (at, arm) in report.summary.arms.iter().enumerate() {
                page.el("div", &[], |page| {
                    page.el("h3", &[], |page| arms.name(page, at));
                    match stages(arm) {
                        Some(stages) => stages.iter().for_each(|(name, parts)| stage(page, name, parts, most)),
                        None => page.put("p", &[], "Not applicable: this arm has no list of findings."),
                    }
                });
            }
        });
        tiers(page, report, arms);
        stops(page, report, arms);
    });
}

fn stage(page: &mut Page, name: &str, parts: &[Part], most: u64) {
    let whole: u64 = parts.iter().map(|part| part.count).sum();
    page.el("div", &[("class", "stage")], |page| {
        page.el("p", &[], |page| {
            page.put("b", &[], name);
            page.text(&format!(" {}", grouped(whole)));
        });
        bar(page, parts, most);
        page.el("ul", &[], |page| {
            for part in parts.iter().filter(|part| part.count > 0) {
                page.el("li", &[], |page| {
                    page.put("i", &[("class", part.class), ("aria-hidden", "true")], "");
                    page.text(&format!("{} {} ({})", part.name, grouped(part.count), percent(part.count, whole)));
                });
            }
        });
    });
}

/// Bars are pictures of the list below them, and so nothing to a screen reader.
fn bar(page: &mut Page, parts: &[Part], most: u64) {
    const WIDTH: u64 = 1000;
    let place = |count: u64| (u128::from(count) * u128::from(WIDTH) / u128::from(most.max(1))).to_string();
    page.el("svg", &[("class", "bar"), ("viewBox", "0 0 1000 10"), ("preserveAspectRatio", "none"), ("aria-hidden", "true")], |page| {
        let mut from = 0;
        for part in parts.iter().filter(|part| part.count > 0) {
            page.el("rect", &[("class", part.class), ("x", &place(from)), ("width", &place(part.count)), ("height", "10")], |_| {});
            from += part.count;
        }
    });
}

/// A row with a cell an arm: a count and the whole that it is of; None where the arm has none.
struct Row {
    name: String,
    cells: Vec<Option<(u64, u64)>>,
}

/// A table with a column an arm: counts with their share of the whole.
fn counts(page: &mut Page, caption: &str, first: &str, rows: &[Row], arms: &Arms<'_>) {
    scrolled(page, caption, |page| {
        page.el("table", &[], |page| {
            page.put("caption", &[], caption);
            let letters: Vec<String> = (0..arms.names.len()).map(|at| arms.label(at)).collect();
            let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
            head(page, &[first], &letters, &[]);
            page.el("tbody", &[], |page| {
                for Row { name, cells } in rows {
                    page.el("tr", &[], |page| {
                        page.put("th", &[("scope", "row")], name);
                        for cell in cells {
                            page.el("td", &[("class", "n")], |page| match cell {
                                Some((count, whole)) => {
                                    page.text(&format!("{} ", grouped(*count)));
                                    page.put("small", &[], &percent(*count, *whole));
                                }
                                None => page.text(ABSENT),
                            });
                        }
                    });
                }
            });
        });
    });
}

fn tiers(page: &mut Page, report: &Report<'_>, arms: &Arms<'_>) {
    let all = &report.summary.arms;
    if all.iter().all(|arm| arm.anchoring.emitted == 0) {
        return;
    }
    let row = |name: &str, of: &dyn Fn(&ArmSummary) -> u64| {
        let cell = |arm: &ArmSummary| (arm.anchoring.emitted > 0).then(|| (of(arm), arm.anchoring.emitted));
        Row { name: name.to_owned(), cells: all.iter().map(cell).collect() }
    };
    let mut rows = vec![
        row("exact", &|arm| arm.anchoring.exact),
        row("normalised", &|arm| arm.anchoring.normalised),
        row("fuzzy", &|arm| arm.anchoring.fuzzy),
        row("of these ambiguous (several places)", &|arm| arm.anchoring.ambiguous),
        row("dropped", &|arm| arm.anchoring.dropped),
    ];
    let mut reasons: Vec<&String> = all.iter().flat_map(|arm| arm.anchoring.dropped_by_reason.keys()).collect();
    reasons.sort_unstable();
    reasons.dedup();
    for reason in reasons {
        let count = |arm: &ArmSummary| arm.anchoring.dropped_by_reason.get(reason).copied().unwrap_or(0);
        if all.iter().any(|arm| count(arm) > 0) {
            rows.push(row(&format!("dropped: {reason}"), &count));
        }
    }
    counts(page, "How quotations were located, of the findings emitted", "Tier", &rows, arms);
}

fn stops(page: &mut Page, report: &Report<'_>, arms: &Arms<'_>) {
    let all = &report.summary.arms;
    let mut names: Vec<&String> = all.iter().flat_map(|arm| arm.stops.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let cells = |name: &String| all.iter().map(|arm| Some((arm.stops.get(name).copied().unwrap_or(0), arm.runs))).collect();
    let rows: Vec<Row> = names.into_iter().map(|name| Row { name: name.clone(), cells: cells(name) }).collect();
    counts(page, "Why runs ended, of all runs", "Reason", &rows, arms);
}
