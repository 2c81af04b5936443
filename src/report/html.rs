//! One HTML page that holds everything: no network, readable without scripts, for people and for screen readers.

mod critique;
mod figures;
mod findings;
mod gains;
mod marks;
mod runs;
mod tickets;
mod verdict;
mod write;

use std::collections::BTreeSet;

use super::number::grouped;
use super::{Files, Renderer, Report, hash};
use write::{Page, fragment};

pub struct Html;

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");

impl Renderer for Html {
    fn name(&self) -> &'static str {
        "html"
    }

    fn about(&self) -> &'static str {
        "one self-contained page: verdict, figures, charts, tickets and runs"
    }

    fn shows_runs(&self) -> bool {
        true
    }

    fn render(&self, report: &Report<'_>) -> Files {
        vec![("index.html".to_owned(), page(report).into_bytes())]
    }
}

/// The arms as the page names them, the tickets whose runs it shows, and the figures that are true or false of one run.
struct Arms<'a> {
    names: Vec<&'a str>,
    shown: BTreeSet<&'a str>,
    flags: BTreeSet<&'a str>,
}

impl<'a> Arms<'a> {
    fn of(report: &Report<'a>) -> Arms<'a> {
        let names = report.summary.arms.iter().map(|arm| arm.origin.arm.as_str()).collect();
        let shown = report.details.iter().flat_map(|arm| &arm.runs).map(|run| run.ticket.as_str()).collect();
        let figures = report.summary.arms.iter().flat_map(|arm| &arm.figures);
        let flags = figures.filter(|figure| figure.how == "share").map(|figure| figure.name.as_str()).collect();
        Arms { names, shown, flags }
    }

    /// `A`, `B` ...; numbers where letters run out.
    fn letter(&self, at: usize) -> String {
        u8::try_from(at).ok().filter(|at| *at < 26).map_or_else(|| format!("#{}", at + 1), |at| char::from(b'A' + at).to_string())
    }

    /// Letter and name; the name alone where there is one arm.
    fn label(&self, at: usize) -> String {
        let name = self.names.get(at).copied().unwrap_or_default();
        if self.names.len() > 1 { format!("{} {name}", self.letter(at)) } else { name.to_owned() }
    }

    fn name(&self, page: &mut Page, at: usize) {
        page.el("span", &[("class", "arm")], |page| {
            if self.names.len() > 1 {
                self.short(page, at);
                page.text(" ");
            }
            page.put("bdi", &[], self.names.get(at).copied().unwrap_or_default());
        });
    }

    fn short(&self, page: &mut Page, at: usize) {
        page.put("b", &[("class", if at == 0 { "letter first" } else { "letter" })], &self.letter(at));
    }
}

/// The id of a ticket's place in the page, which a link names after `#`: `t=TICKET`, with `&s=N` for a further sample.
fn ticket_id(ticket: &str, sample: u32) -> String {
    let sample = if sample > 0 { format!("&s={sample}") } else { String::new() };
    format!("t={}{sample}", fragment(ticket))
}

fn ticket_href(ticket: &str) -> String {
    format!("#{}", ticket_id(ticket, 0))
}

/// Links to tickets; `count` is how many there are, listed or not.
fn ticket_links(page: &mut Page, tickets: &[String], count: u64) {
    for (at, ticket) in tickets.iter().enumerate() {
        if at > 0 {
            page.text(", ");
        }
        page.put("a", &[("href", &ticket_href(ticket))], ticket);
    }
    let more = count.saturating_sub(tickets.len() as u64);
    if more > 0 {
        page.text(&format!(" and {} more", grouped(more)));
    }
}

/// How a ticket changed: a word with a sign, coloured.
fn change_chip(page: &mut Page, kind: &str) {
    let (class, text) = match kind {
        "worse" => ("chip bad", "\u{25bc} worse"),
        "better" => ("chip good", "\u{25b2} better"),
        "faulted" => ("chip open", "\u{2717} faulted"),
        _ => ("muted", "\u{2013}"),
    };
    page.put("span", &[("class", class)], text);
}

/// A row of column heads: of words, of numbers, of words again.
fn head(page: &mut Page, words: &[&str], numbers: &[&str], last: &[&str]) {
    page.el("thead", &[], |page| {
        page.el("tr", &[], |page| {
            words.iter().for_each(|name| page.put("th", &[("scope", "col")], name));
            numbers.iter().for_each(|name| page.put("th", &[("scope", "col"), ("class", "n")], name));
            last.iter().for_each(|name| page.put("th", &[("scope", "col")], name));
        });
    });
}

/// A part that may be wider than the page and then scrolls by itself, by keys too.
fn scrolled(page: &mut Page, name: &str, inside: impl FnOnce(&mut Page)) {
    page.el("div", &[("class", "wide"), ("tabindex", "0"), ("role", "region"), ("aria-label", name)], inside);
    page.line();
}

/// A text of others, in whatever direction it is written.
fn text(page: &mut Page, inside: impl FnOnce(&mut Page)) {
    page.el("div", &[("class", "text"), ("dir", "auto")], inside);
}

fn page(report: &Report<'_>) -> String {
    let arms = Arms::of(report);
    let labels: Vec<String> = (0..arms.names.len()).map(|at| arms.label(at)).collect();
    let title = labels.join(if report.comparison.is_some() { " against " } else { " / " });
    let mut page = Page::default();
    page.own("<!DOCTYPE html>\n");
    page.el("html", &[("lang", "en")], |page| {
        page.el("head", &[], |page| {
            page.open("meta", &[("charset", "utf-8")]);
            let policy = format!(
                "default-src 'none'; style-src {}; script-src {}; base-uri 'none'; form-action 'none'",
                hash::source(STYLE),
                hash::source(SCRIPT)
            );
            page.open("meta", &[("http-equiv", "Content-Security-Policy"), ("content", &policy)]);
            page.open("meta", &[("name", "viewport"), ("content", "width=device-width, initial-scale=1")]);
            page.put("title", &[], &format!("{title} - {}", report.name));
            page.el("style", &[], |page| page.own(STYLE));
        });
        page.line();
        page.el("body", &[], |page| {
            page.put("a", &[("class", "skip"), ("href", "#main")], "Skip to the report");
            header(page, report, &arms);
            page.el("main", &[("id", "main"), ("tabindex", "-1")], |page| {
                verdict::verdict(page, report, &arms);
                if let Some(comparison) = report.comparison {
                    verdict::changed(page, comparison);
                }
                figures::headline(page, report, &arms);
                figures::passes(page, report, &arms);
                if let Some(study) = report.study {
                    gains::gains(page, study, &arms);
                }
                findings::findings(page, report, &arms);
                tickets::tickets(page, report, &arms);
                runs::runs(page, report, &arms);
            });
            page.el("footer", &[], |page| {
                let size = page.bytes().div_ceil(1000);
                page.text(&format!("redraft {}, {} kB.", env!("CARGO_PKG_VERSION"), grouped(size as u64)));
            });
            page.line();
            page.el("script", &[], |page| page.own(SCRIPT));
        });
    });
    page.line();
    page.finish()
}

fn header(page: &mut Page, report: &Report<'_>, arms: &Arms<'_>) {
    page.el("header", &[], |page| {
        page.el("div", &[("class", "top")], |page| {
            page.el("h1", &[], |page| {
                for at in 0..arms.names.len() {
                    if at > 0 {
                        page.put("span", &[("class", "muted")], if report.comparison.is_some() { " against " } else { " / " });
                    }
                    arms.name(page, at);
                }
            });
            theme(page);
        });
        page.el("p", &[("class", "muted")], |page| {
            page.text(report.name);
            let mut datasets: Vec<&str> = report.summary.arms.iter().map(|arm| arm.origin.dataset.as_str()).collect();
            datasets.dedup();
            page.text(&format!(" \u{b7} dataset {}", datasets.join(", ")));
            for (at, arm) in report.summary.arms.iter().enumerate() {
                page.text(&format!(" \u{b7} {}: {} tickets", arms.label(at), grouped(arm.tickets)));
            }
        });
        for (at, arm) in report.summary.arms.iter().enumerate() {
            if !arm.origin.synthetic.is_empty() {
                page.put("p", &[("class", "note")], &format!("{}: synthetic, {}", arms.label(at), arm.origin.synthetic));
            }
            if !arm.origin.requests_recorded {
                let what = "requests were not recorded: calls were matched by slot alone, guards could only observe";
                page.put("p", &[("class", "note")], &format!("{}: {what}", arms.label(at)));
            }
        }
        page.el("nav", &[("aria-label", "Parts of the report")], |page| {
            let compared = report.comparison.is_some();
            let parts = [
                ("#verdict", verdict::title(report), true),
                ("#changed", "What changed", compared),
                ("#headline", "Figures", true),
                ("#passes", "Pass by pass", true),
                ("#gains", gains::TITLE, report.study.is_some()),
                ("#findings", "Findings", true),
                ("#tickets", "Tickets", !report.tickets.rows.is_empty()),
                ("#runs", "Runs", true),
            ];
            page.el("ul", &[], |page| {
                for (href, name, _) in parts.into_iter().filter(|(.., is_there)| *is_there) {
                    page.el("li", &[], |page| page.put("a", &[("href", href)], name));
                }
            });
        });
    });
}

/// Dark and light are chosen by style alone, so that the choice is there without scripts.
fn theme(page: &mut Page) {
    page.el("fieldset", &[("class", "theme")], |page| {
        page.put("legend", &[], "Colours");
        for (id, name, checked) in [("theme-auto", "auto", true), ("theme-light", "light", false), ("theme-dark", "dark", false)] {
            let attributes: &[(&str, &str)] = &[("type", "radio"), ("name", "theme"), ("id", id), ("checked", "")];
            page.el("label", &[], |page| {
                page.open("input", if checked { attributes } else { &attributes[..3] });
                page.text(name);
            });
        }
    });
}
