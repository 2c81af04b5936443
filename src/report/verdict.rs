//! A gate as text for a terminal: the verdict first, then why, what changed between the loops, and the tickets behind it.

use std::fmt::Write;

use super::grid::{Style, escape_terminal};
use super::number::grouped;
use super::{shown, versus};
use crate::compare::Comparison;
use crate::gate::{Gate, MetricVerdict, OnInconclusive, Verdict};

/// Tickets named in all.
const TICKETS_MAX: usize = 10;

// Writing into a String cannot fail, so its results are not looked at here.

pub fn render(gate: &Gate, comparison: &Comparison, style: Style) -> String {
    let Style { bold, reset, .. } = style;
    let mut out = format!("{bold}{}{reset}{}\n", shown::verdict(gate.verdict), meaning(gate));
    for reason in &gate.reasons {
        let _ = writeln!(out, "  {}", escape_terminal(reason));
    }
    let wide = gate.metrics.iter().map(|metric| metric.figure.len()).max().unwrap_or(0);
    for metric in &gate.metrics {
        let _ = writeln!(
            out,
            "  {:<12} {bold}{:<wide$}{reset}  {}",
            shown::verdict(metric.verdict),
            escape_terminal(&metric.figure),
            escape_terminal(&metric.why)
        );
    }
    out.push('\n');
    out.push_str(&versus::head(comparison, style));
    for metric in gate.metrics.iter().filter(|metric| metric.verdict == Verdict::Regressed) {
        tickets(&mut out, metric, comparison, style);
    }
    out
}

/// What the verdict means for who asked.
fn meaning(gate: &Gate) -> &'static str {
    match (gate.verdict, gate.on_inconclusive) {
        (Verdict::Pass, _) => ": no gated metric got worse by more than it may",
        (Verdict::Inconclusive, OnInconclusive::Pass) => ": neither worse nor shown not to be; the policy lets that pass",
        (Verdict::Inconclusive, OnInconclusive::Fail) => ": neither worse nor shown not to be; the policy does not let that pass",
        (Verdict::NoVerdict, _) => ": nothing can be said",
        (Verdict::Regressed, _) => ": worse than it may be",
    }
}

fn tickets(out: &mut String, metric: &MetricVerdict, comparison: &Comparison, style: Style) {
    let Style { bold, dim, reset } = style;
    if metric.tickets.is_empty() {
        return;
    }
    let (figure, n) = (escape_terminal(&metric.figure), metric.worse_tickets());
    let _ = writeln!(out, "\n{bold}worse in {figure}: {} {}{reset}", grouped(n), if n == 1 { "ticket" } else { "tickets" });
    for ticket in metric.tickets.iter().take(TICKETS_MAX) {
        let change = comparison.worse.iter().chain(&comparison.better).find(|change| change.ticket == *ticket);
        let command = change.and_then(|change| change.show_candidate.as_deref()).unwrap_or_default();
        let _ = writeln!(out, "  {}  {dim}{}{reset}", escape_terminal(ticket), escape_terminal(command));
    }
    if n > TICKETS_MAX as u64 {
        let _ = writeln!(out, "  ... and {} more (gate.json names the worst)", grouped(n - TICKETS_MAX as u64));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::parts;
    use super::*;

    #[test]
    fn the_verdict_comes_first_and_tickets_last_with_their_commands() {
        let made = parts("");
        let text = render(&made.gate, &made.comparison, Style::default());
        assert!(text.starts_with("REGRESSED: worse than it may be\n"), "{text}");
        let places: Vec<usize> = ["REGRESSED", "new_error", "baseline ", "changed: ", "worse in new_error", "redraft show"]
            .iter()
            .map(|mark| text.find(mark).unwrap_or_else(|| panic!("{mark} is not in {text}")))
            .collect();
        assert!(places.is_sorted(), "{places:?}\n{text}");
    }

    #[test]
    fn nothing_in_it_steers_a_terminal() {
        let made = parts("\u{1b}[2J\u{202e}\r");
        let text = render(&made.gate, &made.comparison, Style::default());
        assert!(!text.chars().any(|c| c != '\n' && crate::text::control::is_unsafe(c)), "{text:?}");
    }
}
