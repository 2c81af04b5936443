//! Figures: the headline table, the charts by pass, and the numbers behind them.

use super::verdict::p;
use super::write::Page;
use super::{Arms, head, scrolled};
use crate::compare::{Comparison, Difference, FigureComparison, Reading};
use crate::gate::{Gate, Worse};
use crate::metric::Better;
use crate::report::Report;
use crate::report::chart::{self, Chart, Paired, Point, Series};
use crate::report::number::{self, grouped, percent};
use crate::report::{plot, shown};
use crate::summary::PassFigure;

/// A value with what it stands on: `61.0%` and `183/300`, or `n 300`.
fn value(page: &mut Page, unit: &str, at: Option<&PassFigure>) {
    page.el("td", &[("class", "n")], |page| {
        let Some(at) = at else { return page.text(number::ABSENT) };
        let (text, of) = match shown::counts(unit, at) {
            Some((num, den)) => (percent(num, den), format!("{num}/{den}")),
            None => (shown::value(unit, at.value), format!("n {}", grouped(at.n))),
        };
        page.text(&text);
        page.text(" ");
        page.put("small", &[], &of);
    });
}

pub fn headline(page: &mut Page, report: &Report<'_>, arms: &Arms<'_>) {
    page.el("section", &[("id", "headline"), ("aria-labelledby", "headline-title")], |page| {
        page.put("h2", &[("id", "headline-title")], "Figures");
        match report.comparison {
            Some(comparison) => {
                let (first, rest): (Vec<_>, Vec<_>) = comparison.figures.iter().partition(|figure| figure.headline);
                page.put(
                    "p",
                    &[("class", "muted")],
                    "Over all tickets that both arms ran, each with its last state carried forward to the last pass; where a figure has no \
                     meaning over passes, at the last pass that both ran. Differences are B minus A, of shares in percentage points (pp), with \
                     95% intervals; p is of no difference either way.",
                );
                comparison_table(page, "Headline figures of both arms", &first);
                more(page, "Every other figure", |page| comparison_table(page, "Other figures of both arms", &rest));
            }
            None => {
                let caption = "Headline figures by pass, over the tickets that ran the pass";
                by_pass(page, report, arms, caption, true);
                more(page, "Every other figure", |page| by_pass(page, report, arms, "Other figures by pass", false));
            }
        }
    });
}

pub fn more(page: &mut Page, title: &str, inside: impl FnOnce(&mut Page)) {
    page.el("details", &[], |page| {
        page.put("summary", &[], title);
        inside(page);
    });
}

fn comparison_table(page: &mut Page, caption: &str, figures: &[&FigureComparison]) {
    scrolled(page, caption, |page| {
        page.el("table", &[], |page| {
            page.put("caption", &[], caption);
            head(page, &["Figure"], &["A", "B", "Difference [95%]", "n", "p"], &["Reading"]);
            page.el("tbody", &[], |page| figures.iter().for_each(|figure| comparison_row(page, figure)));
        });
    });
}

fn comparison_row(page: &mut Page, figure: &FigureComparison) {
    page.el("tr", &[], |page| {
        page.el("th", &[("scope", "row")], |page| {
            page.text(&shown::heading(&figure.title, &figure.how));
            let better = match figure.better {
                Some(Better::Lower) => "lower is better",
                Some(Better::Higher) => "higher is better",
                None => return,
            };
            page.text(" ");
            page.put("small", &[], better);
        });
        let at = shown::of_figure(figure).filter(|_| figure.not_applicable.is_none());
        let Some(at) = at else {
            let why = figure.not_applicable.as_deref().unwrap_or("no ticket has a value on both sides");
            return page.put("td", &[("colspan", "6"), ("class", "muted")], &format!("not applicable: {why}"));
        };
        let unit = figure.unit.as_str();
        value(page, unit, Some(&at.baseline));
        value(page, unit, Some(&at.candidate));
        page.put("td", &[("class", "n")], &shown::compared(unit, at));
        page.put("td", &[("class", "n")], &grouped(at.n));
        page.put("td", &[("class", "n")], &number::optional(at.p.map(|p| p.different), p));
        page.el("td", &[], |page| reading(page, at.reading));
    });
}

pub fn reading(page: &mut Page, reading: Reading) {
    let (class, sign) = match reading {
        Reading::Worse => ("chip bad", "\u{25bc} "),
        Reading::Better => ("chip good", "\u{25b2} "),
        Reading::Differs => ("chip open", "\u{25c6} "),
        Reading::NotShown | Reading::Same | Reading::None => ("muted", ""),
    };
    page.put("span", &[("class", class)], &format!("{sign}{}", shown::reading(reading)));
}

fn by_pass(page: &mut Page, report: &Report<'_>, arms: &Arms<'_>, caption: &str, headline: bool) {
    let all = || report.summary.arms.iter().flat_map(|arm| &arm.figures).filter(|figure| figure.headline == headline);
    let passes = all().flat_map(|figure| figure.running.iter().map(|at| at.pass + 1)).max().unwrap_or(0);
    let names: Vec<String> = (0..passes).map(|pass| format!("Pass {pass}")).collect();
    let numbers: Vec<&str> = names.iter().map(String::as_str).collect();
    let words: &[&str] = if arms.names.len() > 1 { &["Figure", "Arm"] } else { &["Figure"] };
    scrolled(page, caption, |page| {
        page.el("table", &[], |page| {
            page.put("caption", &[], caption);
            head(page, words, &numbers, &[]);
            page.el("tbody", &[], |page| {
                let Some(first) = report.summary.arms.first() else { return };
                for figure in first.figures.iter().filter(|figure| figure.headline == headline) {
                    for (at, arm) in report.summary.arms.iter().enumerate() {
                        let Some(figure) = arm.figures.iter().find(|f| f.name == figure.name) else { continue };
                        page.el("tr", &[], |page| {
                            page.put("th", &[("scope", "row")], &shown::heading(&figure.title, &figure.how));
                            if arms.names.len() > 1 {
                                page.el("td", &[], |page| arms.name(page, at));
                            }
                            for pass in 0..passes {
                                value(page, &figure.unit, figure.running.iter().find(|p| p.pass == pass && p.n + p.missing > 0));
                            }
                        });
                    }
                }
            });
        });
    });
}

/// How the lines of each arm are drawn, in the section of this id.
pub fn legend(page: &mut Page, arms: &Arms<'_>, section: &str) {
    page.el("p", &[("class", "legend")], |page| {
        for at in 0..arms.names.len() {
            page.el("span", &[], |page| {
                page.own(&chart::key_svg(section, at));
                arms.name(page, at);
            });
        }
    });
}

/// One of several charts beside each other, with its title over it.
pub fn figure(page: &mut Page, chart: Chart) {
    page.el("figure", &[], |page| {
        page.put("figcaption", &[], &chart.title);
        page.own(&chart::small_svg(&Chart { id: format!("chart-{}", chart.id), ..chart }));
    });
}

/// The charts of the headline figures, pass by pass.
pub fn passes(page: &mut Page, report: &Report<'_>, arms: &Arms<'_>) {
    page.el("section", &[("id", "passes"), ("aria-labelledby", "passes-title")], |page| {
        page.put("h2", &[("id", "passes-title")], "Pass by pass");
        legend(page, arms, "passes");
        match report.comparison {
            Some(comparison) => {
                page.put(
                    "p",
                    &[("class", "muted")],
                    "Left, both arms with 95% ribbons; right, B minus A by ticket with its 95% interval about the line of no difference. Dashes \
                     are the margin of the gate. n counts tickets; a hollow mark stands on fewer than 30.",
                );
                page.put("p", &[("class", "muted")], shown::INTERVALS);
                for figure in comparison.figures.iter().filter(|f| f.headline && f.not_applicable.is_none()) {
                    pair_of_charts(page, figure, arms, report.gate);
                }
                more(page, "Numbers by pass", |page| numbers(page, comparison));
            }
            None => {
                page.put("p", &[("class", "muted")], "Over the tickets that ran the pass, with 95% ribbons. n counts tickets; a hollow mark stands on fewer than 30.");
                page.el("div", &[("class", "charts")], |page| {
                    for (chart, _) in plot::charts(report.summary).into_iter().filter(|(_, headline)| *headline) {
                        figure(page, chart);
                    }
                });
            }
        }
    });
}

/// What the charts of a comparison show: every paired ticket, or those that both arms still run where nothing is carried.
fn drawn(figure: &FigureComparison) -> (&[Difference], &'static str) {
    if figure.enrolled.is_empty() {
        (&figure.at_risk, "tickets that both arms still run")
    } else {
        (&figure.enrolled, "every paired ticket, last state carried forward")
    }
}

fn pair_of_charts(page: &mut Page, figure: &FigureComparison, arms: &Arms<'_>, gate: Option<&Gate>) {
    let (differences, view) = drawn(figure);
    let seen = |at: &&Difference| at.baseline.n + at.candidate.n > 0;
    let differences: Vec<&Difference> = differences.iter().filter(seen).collect();
    let point = |at: &PassFigure| Point { pass: at.pass, value: at.value, low: at.low, high: at.high, n: at.n };
    let series = |number: usize, of: fn(&Difference) -> &PassFigure| Series {
        label: arms.letter(number),
        points: differences.iter().map(|at| point(of(at))).collect(),
    };
    let both = Chart {
        id: format!("chart-{}", figure.name),
        title: shown::heading(&figure.title, &figure.how),
        unit: figure.unit.clone(),
        note: None,
        series: vec![series(0, |at| &at.baseline), series(1, |at| &at.candidate)],
    };
    let paired = Paired {
        id: format!("paired-{}", figure.name),
        title: both.title.clone(),
        unit: figure.unit.clone(),
        points: differences.iter().map(|at| Point { pass: at.pass, value: at.value, low: at.low, high: at.high, n: at.n }).collect(),
        margins: margins(figure, gate),
    };
    page.el("figure", &[("class", "pair")], |page| {
        page.el("figcaption", &[], |page| {
            page.put("b", &[], &both.title);
            page.put("small", &[], &format!(" {}; {view}", figure.unit));
        });
        page.el("div", &[("class", "charts")], |page| {
            page.own(&chart::small_svg(&both));
            page.own(&chart::paired_svg(&paired));
        });
    });
}

/// How far B may fall behind A, as a difference B minus A: upwards where higher is worse.
fn margins(figure: &FigureComparison, gate: Option<&Gate>) -> Vec<f64> {
    let gated = gate.into_iter().flat_map(|gate| &gate.metrics).filter(|metric| metric.figure == figure.name);
    gated.filter_map(|metric| metric.margin.map(|margin| if metric.worse == Worse::Lower { -margin } else { margin })).collect()
}

fn numbers(page: &mut Page, comparison: &Comparison) {
    let caption = "Headline figures by pass. q is p, adjusted over all figures and passes of the view: for looking, never for a verdict. ";
    let caption = caption.to_owned() + shown::INTERVALS;
    scrolled(page, "Numbers by pass", |page| {
        page.el("table", &[], |page| {
            page.put("caption", &[], &caption);
            head(page, &["Figure", "View"], &["Pass", "A", "B", "Difference [95%]", "n", "One-sided", "p", "q"], &["Reading"]);
            page.el("tbody", &[], |page| {
                for figure in comparison.figures.iter().filter(|f| f.headline && f.not_applicable.is_none()) {
                    let views = [("both still run", &figure.at_risk), ("all, carried forward", &figure.enrolled)];
                    for (view, at) in views.into_iter().flat_map(|(view, list)| list.iter().map(move |at| (view, at))) {
                        numbers_row(page, figure, view, at);
                    }
                }
            });
        });
    });
}

fn numbers_row(page: &mut Page, figure: &FigureComparison, view: &str, at: &Difference) {
    page.el("tr", &[], |page| {
        page.put("th", &[("scope", "row")], &shown::heading(&figure.title, &figure.how));
        page.put("td", &[], view);
        page.put("td", &[("class", "n")], &at.pass.to_string());
        value(page, &figure.unit, Some(&at.baseline));
        value(page, &figure.unit, Some(&at.candidate));
        for text in [
            shown::compared(&figure.unit, at),
            grouped(at.n),
            grouped(at.one_sided),
            number::optional(at.p.map(|p| p.different), p),
            number::optional(at.q, p),
        ] {
            page.put("td", &[("class", "n")], &text);
        }
        page.el("td", &[], |page| reading(page, at.reading));
    });
}
