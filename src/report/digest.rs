//! A report as Markdown for people who read it once, in a hurry: sections in the order of what they need first, cut where a limit is.

mod changes;

use std::fmt::Write;

use super::Report;
use super::markdown::{amount, code, prose};
use super::number::{self, grouped, percent};
use super::shown::{self, short};
use crate::compare::{Comparison, FigureComparison, Listed, TicketChange, ValueChange};
use crate::gate::{Gate, Verdict};
use crate::summary::{ArmSummary, FigureSummary, Summary};

/// How much of what is shown.
pub struct Extent {
    /// Tickets a list.
    pub tickets_max: usize,
    /// Scalars of a word diff.
    pub diff_chars_max: usize,
}

/// A part that is shown whole or left out.
struct Section {
    title: String,
    body: String,
}

/// Of a text of others in a line: an error message, a warning.
const LINE_CHARS_MAX: usize = 300;
const NAME_CHARS_MAX: usize = 80;
/// Room for the line that says what was left out.
const RESERVE: usize = 1500;

/// The report in at most `limit` units of `size`. The heading is always there; a section that does not fit is named.
pub fn render(report: &Report<'_>, opening: &str, extent: &Extent, limit: usize, size: fn(&str) -> usize) -> String {
    let mut out = opening.to_owned() + &head(report);
    let mut used = size(&out);
    let mut left_out = vec![];
    for section in sections(report, extent) {
        let text = if section.title.is_empty() { section.body } else { format!("\n### {}\n\n{}", section.title, section.body) };
        let more = size(&text);
        if used + more + RESERVE <= limit {
            used += more;
            out.push_str(&text);
        } else {
            left_out.push(section.title);
        }
    }
    if !left_out.is_empty() {
        const NAMED_MAX: usize = 6;
        let more = left_out.len().saturating_sub(NAMED_MAX);
        left_out.truncate(NAMED_MAX);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let _ = writeln!(out, "\n_Left out, for length: {}{more}. The report's other files hold them._", left_out.join("; "));
    }
    out
}

// Writing into a String cannot fail, so its results are not looked at here.

fn head(report: &Report<'_>) -> String {
    let mut out = String::new();
    let mut warnings: Vec<String> = vec![];
    match (report.gate, report.comparison) {
        (Some(gate), _) => {
            let _ = writeln!(out, "## {} {}\n", mark(gate.verdict), shown::verdict(gate.verdict));
            warnings.extend(gate.reasons.iter().cloned());
        }
        (None, Some(_)) => out.push_str("## Two arms compared\n\n"),
        (None, None) => out.push_str("## Replayed arms\n\n"),
    }
    if let Some(c) = report.comparison {
        let name = |side: &crate::compare::SideLine| code(&short(&side.origin.arm, NAME_CHARS_MAX));
        let _ = writeln!(out, "{} against {}, {} tickets paired.", name(&c.candidate), name(&c.baseline), grouped(c.pairing.paired));
        if c.exact {
            out.push_str("Both replay the same recorded calls: any newly broken ticket is a regression.\n");
        }
        warnings.extend(c.setup.warnings.iter().cloned());
    }
    for part in [arm_notes(report), notes(&warnings)].iter().filter(|part| !part.is_empty()) {
        // What a list or a quotation stands after ends in a blank line.
        let _ = write!(out, "{}{part}", if out.ends_with("\n\n") { "" } else { "\n" });
    }
    out
}

/// What must be known of an arm before its figures are believed, as a list.
fn arm_notes(report: &Report<'_>) -> String {
    const ARMS_MAX: usize = 8;
    let mut out = String::new();
    for arm in report.summary.arms.iter().take(ARMS_MAX) {
        let mut notes = vec![];
        if report.comparison.is_none() {
            notes.push(format!("{} tickets", grouped(arm.tickets)));
        }
        if arm.errored > 0 {
            notes.push(format!("{} of {} tickets errored", grouped(arm.errored), grouped(arm.tickets)));
        }
        if !arm.origin.synthetic.is_empty() {
            notes.push(format!("synthetic: {}", prose(&short(&arm.origin.synthetic, LINE_CHARS_MAX))));
        }
        if !arm.origin.requests_recorded {
            notes.push("requests were not recorded, calls were matched by slot alone".to_owned());
        }
        if !notes.is_empty() {
            let _ = writeln!(out, "- {}: {}", code(&short(&arm.origin.arm, NAME_CHARS_MAX)), notes.join("; "));
        }
    }
    out
}

fn notes(warnings: &[String]) -> String {
    const WARNINGS_MAX: usize = 8;
    let mut lines: Vec<String> = warnings.iter().take(WARNINGS_MAX).map(|w| prose(&short(w, LINE_CHARS_MAX))).collect();
    if warnings.len() > WARNINGS_MAX {
        lines.push(format!("and {} more.", warnings.len() - WARNINGS_MAX));
    }
    if lines.is_empty() { String::new() } else { format!("> **Note:** {}\n", lines.join("\n>\n> **Note:** ")) }
}

const fn mark(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "✅",
        Verdict::Inconclusive | Verdict::NoVerdict => "⚠️",
        Verdict::Regressed => "❌",
    }
}

fn sections(report: &Report<'_>, extent: &Extent) -> Vec<Section> {
    let mut out = vec![];
    let mut add = |title: &str, body: String| {
        if !body.is_empty() {
            out.push(Section { title: title.to_owned(), body });
        }
    };
    if let Some(comparison) = report.comparison {
        add("What changed", changes::setup(comparison));
        for change in comparison.setup.changed.iter().filter(|change| !change.words.is_empty()) {
            add(&format!("Word diff of {}", code(&short(&change.key, NAME_CHARS_MAX))), changes::word_diff(change, extent.diff_chars_max));
        }
        add("Headline", headline(comparison));
    } else {
        for arm in &report.summary.arms {
            add(&format!("Headline of {}", code(&short(&arm.origin.arm, NAME_CHARS_MAX))), passes(arm));
        }
    }
    if let Some(gate) = report.gate {
        add("Gated metrics", gated(gate));
    }
    if let Some(comparison) = report.comparison {
        add("Tickets that got worse", tickets(comparison, &comparison.worse, comparison.worse_count, extent.tickets_max));
        add("Tickets that got better", tickets(comparison, &comparison.better, comparison.better_count, extent.tickets_max));
    }
    add("How quotations were found", anchoring(report.summary));
    add("Errored tickets", faults(report.summary, extent.tickets_max));
    if let Some(comparison) = report.comparison {
        add("Tickets that were not compared", unpaired(comparison));
    }
    out
}

fn headline(comparison: &Comparison) -> String {
    let rows: Vec<String> = comparison.figures.iter().filter(|f| f.headline).map(headline_row).collect();
    if rows.is_empty() {
        return String::new();
    }
    format!(
        "| Figure, at the end | Baseline | Candidate | Difference [95%] | Tickets | Reading |\n|---|---:|---:|---:|---:|---|\n{}",
        rows.concat()
    )
}

fn headline_row(figure: &FigureComparison) -> String {
    let title = prose(&shown::title(&figure.title, &figure.how, &figure.unit));
    if let Some(why) = &figure.not_applicable {
        return format!("| {title} | {0} | {0} | {0} | | not applicable: {1} |\n", number::ABSENT, prose(&short(why, LINE_CHARS_MAX)));
    }
    let Some(end) = shown::of_figure(figure) else { return format!("| {title} | {0} | {0} | {0} | | {0} |\n", number::ABSENT) };
    format!(
        "| {title} | {} | {} | {} | {} | {} |\n",
        amount(&shown::measured(&figure.unit, &end.baseline)),
        amount(&shown::measured(&figure.unit, &end.candidate)),
        amount(&shown::compared(&figure.unit, end)),
        grouped(end.n),
        shown::reading(end.reading)
    )
}

/// One arm alone: its figures pass by pass, of the tickets that ran the pass.
fn passes(arm: &ArmSummary) -> String {
    let seen = |f: &&FigureSummary| f.headline && f.running.iter().any(|p| p.value.is_some());
    let figures: Vec<&FigureSummary> = arm.figures.iter().filter(seen).collect();
    let count = figures.iter().flat_map(|f| f.running.iter().map(|p| p.pass + 1)).max().unwrap_or(0);
    if figures.is_empty() {
        return String::new();
    }
    let mut out = String::from("| Figure |");
    (0..count).for_each(|k| _ = write!(out, " Pass {k} |"));
    out.push_str("\n|---|");
    (0..count).for_each(|_| out.push_str("---:|"));
    out.push('\n');
    for figure in figures {
        let _ = write!(out, "| {} |", prose(&shown::title(&figure.title, &figure.how, &figure.unit)));
        for k in 0..count {
            let at = figure.running.iter().find(|p| p.pass == k);
            let _ = write!(out, " {} |", at.map_or(String::new(), |at| amount(&shown::measured(&figure.unit, at))));
        }
        out.push('\n');
    }
    out
}

fn gated(gate: &Gate) -> String {
    let mut out = String::from("| | Metric | Baseline | Candidate | Worse by [95%] | Margin |\n|---|---|---:|---:|---:|---:|\n");
    for m in &gate.metrics {
        let _ = writeln!(
            out,
            "| {} {} | {} | {} | {} | {} | {} |",
            mark(m.verdict),
            shown::verdict(m.verdict),
            prose(&m.title),
            amount(&shown::value(&m.unit, m.baseline)),
            amount(&shown::value(&m.unit, m.candidate)),
            amount(&shown::with_interval(&m.unit, m.worse_by, m.low, m.high)),
            amount(&shown::difference(&m.unit, m.margin)),
        );
    }
    out.push('\n');
    for m in &gate.metrics {
        let _ = writeln!(out, "- **{}**: {}", prose(&m.title), prose(&short(&m.why, 2 * LINE_CHARS_MAX)));
        const TICKETS_MAX: usize = 10;
        if m.verdict == Verdict::Regressed && !m.tickets.is_empty() {
            let names: Vec<String> = m.tickets.iter().take(TICKETS_MAX).map(|t| code(&short(t, NAME_CHARS_MAX))).collect();
            let more = m.worse_tickets().saturating_sub(names.len() as u64);
            let more = if more > 0 { format!(" and {} more", grouped(more)) } else { String::new() };
            let what = if m.pairs.is_some() { "Newly broken" } else { "Worse in" };
            let _ = writeln!(out, "  {what}: {}{more}", names.join(", "));
        }
    }
    let how = if gate.exact {
        "exact: any newly broken ticket fails".to_owned()
    } else {
        format!("alpha {}, adjusted over the metrics (Holm)", gate.alpha)
    };
    let _ = writeln!(out, "\n{how}; what is inconclusive {}.", shown::inconclusive(gate.on_inconclusive));
    out
}

fn tickets(comparison: &Comparison, list: &[TicketChange], count: u64, max: usize) -> String {
    let mut out = String::new();
    for ticket in list.iter().take(max) {
        const CHANGES_MAX: usize = 6;
        let change = |change: &ValueChange| {
            let [before, after] = shown::of_change(comparison, change);
            format!("{} {} → {}", prose(&change.title), amount(&before), amount(&after))
        };
        let changes: Vec<String> = ticket.changes.iter().take(CHANGES_MAX).map(change).collect();
        let _ = writeln!(out, "- {}: {}", code(&short(&ticket.ticket, NAME_CHARS_MAX)), changes.join("; "));
        if let Some(show) = ticket.show_candidate.as_ref().or(ticket.show_baseline.as_ref()) {
            let _ = writeln!(out, "  {}", code(&short(show, LINE_CHARS_MAX)));
        }
    }
    let more = count.saturating_sub(list.len().min(max) as u64);
    if more > 0 {
        let _ = writeln!(out, "- and {} more", grouped(more));
    }
    out
}

fn anchoring(summary: &Summary) -> String {
    let rows: Vec<String> = summary.arms.iter().filter(|arm| arm.anchoring.emitted > 0).map(anchoring_row).collect();
    if rows.is_empty() {
        return String::new();
    }
    format!(
        "| Arm | Findings | Exact | Normalised | Fuzzy | Ambiguous | Dropped | Why dropped |\n|---|---:|---:|---:|---:|---:|---:|---|\n{}",
        rows.concat()
    )
}

fn anchoring_row(arm: &ArmSummary) -> String {
    let a = &arm.anchoring;
    let of = |n: u64| format!("{} ({})", grouped(n), percent(n, a.emitted));
    format!(
        "| {} | {} | {} | {} | {} | {} | {} | {} |\n",
        prose(&short(&arm.origin.arm, NAME_CHARS_MAX)),
        grouped(a.emitted),
        of(a.exact),
        of(a.normalised),
        of(a.fuzzy),
        grouped(a.ambiguous),
        of(a.dropped),
        prose(&shown::dropped(a))
    )
}

fn faults(summary: &Summary, max: usize) -> String {
    let mut out = String::new();
    for arm in &summary.arms {
        for fault in arm.fault_list.iter().take(max) {
            let (name, ticket) = (code(&short(&arm.origin.arm, NAME_CHARS_MAX)), code(&short(&fault.ticket, NAME_CHARS_MAX)));
            let what = prose(&short(&fault.what, LINE_CHARS_MAX));
            let _ = writeln!(out, "- {name}, {ticket}: {} at {}: {what}", prose(&fault.kind), prose(&fault.at));
        }
        let shown = arm.fault_list.len().min(max) as u64;
        if arm.errored > shown {
            let _ = writeln!(out, "- and {} more in {}", grouped(arm.errored - shown), code(&short(&arm.origin.arm, NAME_CHARS_MAX)));
        }
    }
    out
}

fn unpaired(comparison: &Comparison) -> String {
    let mut out = String::new();
    let pairing = &comparison.pairing;
    let lists = [
        ("only in the baseline", &pairing.only_baseline),
        ("only in the candidate", &pairing.only_candidate),
        ("errored in the baseline", &pairing.faulted_baseline),
        ("errored in the candidate", &pairing.faulted_candidate),
    ];
    for (what, Listed { count, tickets }) in lists {
        const NAMED_MAX: usize = 10;
        if *count > 0 {
            let names: Vec<String> = tickets.iter().take(NAMED_MAX).map(|t| code(&short(t, NAME_CHARS_MAX))).collect();
            let more = count.saturating_sub(names.len() as u64);
            let more = if more > 0 { format!(" and {} more", grouped(more)) } else { String::new() };
            let _ = writeln!(out, "- {} {what}: {}{more}", grouped(*count), names.join(", "));
        }
    }
    out
}

#[cfg(test)]
mod tests;
