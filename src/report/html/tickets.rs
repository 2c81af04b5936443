//! The table of tickets, to be sorted and filtered.

use super::write::Page;
use super::{Arms, change_chip, scrolled, ticket_href, ticket_id};
use crate::compare::{Reading, TicketRow, TicketSide};
use crate::report::number::ABSENT;
use crate::report::{Report, shown};

pub fn tickets(page: &mut Page, report: &Report<'_>, arms: &Arms<'_>) {
    let table = report.tickets;
    if table.rows.is_empty() {
        return;
    }
    page.el("section", &[("id", "tickets"), ("aria-labelledby", "tickets-title")], |page| {
        page.put("h2", &[("id", "tickets-title")], "Tickets");
        filter(page, table.rows.len(), arms.names.len() > 1);
        scrolled(page, "Table of tickets", |page| {
            page.el("table", &[("id", "ticket-table")], |page| {
                page.put("caption", &[], "Every ticket at the end of its run");
                head(page, report, arms);
                page.el("tbody", &[], |page| {
                    for row in &table.rows {
                        ticket(page, row, report, arms);
                        page.line();
                    }
                });
            });
        });
    });
}

/// Hidden until a script makes it work.
fn filter(page: &mut Page, rows: usize, compared: bool) {
    page.el("form", &[("id", "filter"), ("role", "search"), ("hidden", ""), ("aria-label", "Filter tickets")], |page| {
        page.put("label", &[("for", "filter-text")], "Ticket");
        page.open("input", &[("id", "filter-text"), ("type", "search"), ("autocomplete", "off"), ("spellcheck", "false")]);
        page.put("label", &[("for", "filter-kind")], "Show");
        page.el("select", &[("id", "filter-kind")], |page| {
            page.put("option", &[("value", "")], "all");
            let kinds: &[(&str, &str)] = if compared {
                &[("worse", "worse"), ("better", "better"), ("faulted", "faulted"), ("same", "neither worse nor better")]
            } else {
                &[("faulted", "faulted"), ("same", "not faulted")]
            };
            for (value, name) in kinds {
                page.put("option", &[("value", value)], name);
            }
        });
        page.put("output", &[("id", "filter-count"), ("for", "filter-text filter-kind")], &format!("{rows} of {rows}"));
    });
}

fn head(page: &mut Page, report: &Report<'_>, arms: &Arms<'_>) {
    let span = arms.names.len().to_string();
    let many = arms.names.len() > 1;
    page.el("thead", &[], |page| {
        page.el("tr", &[], |page| {
            let own: &[(&str, &str)] = if many { &[("scope", "col"), ("rowspan", "2")] } else { &[("scope", "col")] };
            for (name, kind) in [("Ticket", "text"), ("Change", "text")] {
                if many || name == "Ticket" {
                    page.put("th", &[own, &[("data-sort", kind)]].concat(), name);
                }
            }
            let mut group = |name: &str, kind: &'static str| {
                if many {
                    page.put("th", &[("scope", "colgroup"), ("colspan", &span)], name);
                } else {
                    page.put("th", &[("scope", "col"), ("data-sort", kind)], name);
                }
            };
            group("Stopped", "text");
            group("Passes", "number");
            for (name, title, unit) in &report.tickets.figures {
                group(&if arms.flags.contains(name.as_str()) { title.clone() } else { format!("{title} ({unit})") }, "number");
            }
        });
        if many {
            page.el("tr", &[], |page| {
                for kind in std::iter::once("text").chain(std::iter::repeat_n("number", 1 + report.tickets.figures.len())) {
                    for at in 0..arms.names.len() {
                        let attributes = &[("scope", "col"), ("data-sort", kind), ("class", "n")];
                        page.put("th", &attributes[..if kind == "number" { 3 } else { 2 }], &arms.letter(at));
                    }
                }
            });
        }
    });
}

fn ticket(page: &mut Page, row: &TicketRow, report: &Report<'_>, arms: &Arms<'_>) {
    let many = arms.names.len() > 1;
    let faulted = row.sides.iter().flatten().any(|side| side.fault.is_some());
    let kind = match row.change {
        _ if faulted => "faulted",
        Some(Reading::Worse) => "worse",
        Some(Reading::Better) => "better",
        _ => "same",
    };
    let id = ticket_id(&row.ticket, 0);
    let is_shown = arms.shown.contains(row.ticket.as_str());
    let attributes: &[(&'static str, &str)] = &[("data-kind", kind), ("id", &id)];
    page.el("tr", if is_shown { &attributes[..1] } else { attributes }, |page| {
        page.el("th", &[("scope", "row")], |page| {
            if is_shown {
                page.put("a", &[("href", &ticket_href(&row.ticket))], &row.ticket);
            } else {
                page.put("bdi", &[], &row.ticket);
            }
        });
        if many {
            page.el("td", &[], |page| change_chip(page, kind));
        }
        let sides = || (0..arms.names.len()).map(|at| row.sides.get(at).and_then(Option::as_ref));
        for side in sides() {
            match side {
                Some(TicketSide { fault: Some(fault), .. }) => page.put("td", &[("title", fault)], "fault"),
                Some(side) => page.put("td", &[], &side.stop),
                None => page.put("td", &[("class", "muted")], "not there"),
            }
        }
        for side in sides() {
            let passes = side.map(|side| side.passes);
            number(page, passes.map(f64::from), passes.map_or(ABSENT.to_owned(), |n| n.to_string()));
        }
        for (at, (name, _, unit)) in report.tickets.figures.iter().enumerate() {
            let is_share = arms.flags.contains(name.as_str());
            for side in sides() {
                let value = side.and_then(|side| side.values.get(at).copied().flatten());
                number(page, value, shown::of_ticket(is_share, unit, value));
            }
        }
    });
}

/// A number as it is shown, with the whole of it for the sort where the shown one is rounded. None sorts last.
fn number(page: &mut Page, value: Option<f64>, text: String) {
    match value {
        Some(value) if value.to_string() != text => page.put("td", &[("class", "n"), ("data-v", &value.to_string())], &text),
        Some(_) => page.put("td", &[("class", "n")], &text),
        None => page.put("td", &[("class", "n"), ("data-v", "")], &text),
    }
}
