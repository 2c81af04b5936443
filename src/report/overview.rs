//! The per-pass summary as text for a terminal.

use std::fmt::Write;

use super::grid::{self, Cell, Column, Style, escape_terminal};
use super::number::{grouped, percent, usd};
use super::shown;
use crate::model::Usd;
use crate::summary::{Anchoring, ArmSummary, CallTotals, FigureSummary, Summary};

/// Every arm: what it is, what was counted, and its figures pass by pass in the view `running`.
pub fn render(summary: &Summary, all: bool, style: Style) -> String {
    let mut out = String::new();
    for (i, arm) in summary.arms.iter().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        head(&mut out, arm, style);
        calls(&mut out, &arm.calls);
        findings(&mut out, &arm.anchoring);
        if arm.tickets > 0 && arm.errored >= arm.tickets {
            nothing(&mut out, arm);
        } else {
            out.push_str(&table(arm, all));
        }
        notes(&mut out, arm);
    }
    out
}

// Writing into a String cannot fail, so its results are not looked at here.

fn head(out: &mut String, arm: &ArmSummary, style: Style) {
    let Style { bold, dim, reset } = style;
    let _ =
        writeln!(out, "{bold}{}{reset}  {dim}dataset {}{reset}", escape_terminal(&arm.origin.arm), escape_terminal(&arm.origin.dataset));
    if !arm.origin.synthetic.is_empty() {
        let _ = writeln!(out, "  synthetic: {}", escape_terminal(&arm.origin.synthetic));
    }
    if !arm.origin.requests_recorded {
        let _ = writeln!(out, "  requests were not recorded: calls were matched by slot alone, guards could only observe");
    }
    let stops: Vec<String> = arm.stops.iter().map(|(name, n)| format!("{name} {}", grouped(*n))).collect();
    let mut tickets = format!("{} tickets", grouped(arm.tickets));
    for (n, what) in [(arm.errored, "errored"), (arm.without_revision, "without a revision"), (arm.not_recorded, "not recorded")] {
        if n > 0 {
            let _ = write!(tickets, ", {} {what}", grouped(n));
        }
    }
    let _ = writeln!(out, "  {tickets}; stopped: {}", stops.join(", "));
}

fn calls(out: &mut String, calls: &CallTotals) {
    let cost = match calls.cost_usd {
        Some(cost) if calls.calls > 0 => format!(", {}", usd(cost)),
        _ if calls.cost_known_usd > Usd::ZERO => {
            format!(", at least {} (some calls have no usage or price)", usd(calls.cost_known_usd))
        }
        _ => ", cost n/a (no prices in loop.toml, or no usage)".to_owned(),
    };
    let by_role = format!("writer {}, critic {}, reviser {}", grouped(calls.writer), grouped(calls.critic), grouped(calls.reviser));
    let _ = writeln!(out, "  {} calls ({by_role}){cost}", grouped(calls.calls));
}

fn findings(out: &mut String, a: &Anchoring) {
    if a.emitted > 0 {
        let dropped = shown::dropped(a);
        let of = |n: u64| format!("{} {}", grouped(n), percent(n, a.emitted));
        let _ = writeln!(
            out,
            "  {} findings: exact {}, normalised {}, fuzzy {} (ambiguous {}), dropped {}{}",
            grouped(a.emitted),
            of(a.exact),
            of(a.normalised),
            of(a.fuzzy),
            grouped(a.ambiguous),
            of(a.dropped),
            if dropped.is_empty() { String::new() } else { format!(" [{dropped}]") }
        );
    }
    let grounded = a.source_internal + a.source_eligible;
    if grounded > 0 {
        let shown = percent(a.source_internal, grounded);
        let _ = writeln!(
            out,
            "  sources: {} of {} eligible quotations failed; {shown} of findings are internal",
            grouped(a.source_failed),
            grouped(a.source_eligible)
        );
    }
}

fn table(arm: &ArmSummary, all: bool) -> String {
    let seen = |f: &&FigureSummary| f.running.iter().any(|p| p.value.is_some());
    let (seen, unseen): (Vec<&FigureSummary>, Vec<_>) = arm.figures.iter().filter(|f| all || f.headline).partition(seen);
    let passes = seen.iter().flat_map(|f| f.running.iter().map(|p| p.pass + 1)).max().unwrap_or(0);
    let mut columns = vec![Column::left("figure").at_most(64)];
    columns.extend((0..passes).map(|k| Column::right(&format!("pass {k}"))));
    let mut rows = vec![];
    for figure in seen {
        let mut row: Vec<Cell> = vec![shown::title(&figure.title, &figure.how, &figure.unit).into()];
        row.extend(
            (0..passes).map(|k| {
                Cell::from(figure.running.iter().find(|p| p.pass == k).map_or(String::new(), |p| shown::measured(&figure.unit, p)))
            }),
        );
        rows.push(row);
    }
    let mut text = grid::render(&columns, &rows);
    if !unseen.is_empty() {
        let names: Vec<&str> = unseen.iter().map(|f| f.name.as_str()).collect();
        let _ = writeln!(text, "not applicable here: {}", names.join(", "));
    }
    text
}

/// In place of a table without a row: what happened, and what to look at next.
fn nothing(out: &mut String, arm: &ArmSummary) {
    let kinds: Vec<String> = arm.faults.iter().map(|(kind, n)| format!("{kind} {}", grouped(*n))).collect();
    let _ = writeln!(out, "  every ticket errored ({}), so there is no figure to show", kinds.join(", "));
    let first = arm.fault_list.first().map_or("TICKET".to_owned(), |fault| escape_terminal(&fault.ticket).into_owned());
    let _ = writeln!(
        out,
        "  next: `redraft show ARM {first}` shows one of them, `redraft verify ARM` what does not fit between loop.toml and calls"
    );
}

fn notes(out: &mut String, arm: &ArmSummary) {
    const SHOWN_MAX: usize = 5;
    for fault in arm.fault_list.iter().take(SHOWN_MAX) {
        let _ = writeln!(out, "  errored: ticket {}: {}: {}", escape_terminal(&fault.ticket), fault.at, escape_terminal(&fault.what));
    }
    if arm.fault_list.len() > SHOWN_MAX {
        let _ = writeln!(out, "  ... and {} more errored (summary.json lists them)", arm.errored.saturating_sub(SHOWN_MAX as u64));
    }
    if arm.calls.unused > 0 {
        let first: Vec<String> =
            arm.unused_list.iter().take(SHOWN_MAX).map(|u| format!("{} {} pass {}", escape_terminal(&u.ticket), u.role, u.pass)).collect();
        let _ = writeln!(out, "  unused: {} recorded calls were never asked for ({} ...)", grouped(arm.calls.unused), first.join(", "));
    }
    if arm.mentions_labelled > 0 {
        let _ = writeln!(out, "  labels: in {} passes they say which sections are mentioned", grouped(arm.mentions_labelled));
    }
    if arm.mentions_stale > 0 {
        let n = grouped(arm.mentions_stale);
        let _ = writeln!(out, "  stale labels: {n} of mentions were not used, since what they are of has changed");
    }
    if !arm.tickets_without_dataset_row.is_empty() {
        let first: Vec<_> = arm.tickets_without_dataset_row.iter().take(SHOWN_MAX).map(|t| escape_terminal(t).into_owned()).collect();
        let _ = writeln!(out, "  not in the dataset: {} recorded tickets ({})", arm.tickets_without_dataset_row.len(), first.join(", "));
    }
}
