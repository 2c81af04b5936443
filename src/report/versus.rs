//! A comparison as text for a terminal: what was held fixed, what changed, who is compared, then the differences and the tickets behind them.

use std::fmt::Write;

use super::grid::{self, Cell, Column, Style, escape_terminal};
use super::number::{self, grouped};
use super::shown::{self, short};
use crate::compare::{Change, Comparison, Difference, Family, FigureComparison, Listed, SideLine, TicketChange, ValueChange, Word, WordOp};

/// Tickets named a list.
const TICKETS_MAX: usize = 10;

/// Scalars of a value of a spec, and of what a word diff keeps around a change.
const TEXT_MAX: usize = 160;
const DIFF_MAX: usize = 1200;
const AROUND: usize = 24;

/// `all`: every figure, not only the headline.
pub fn render(comparison: &Comparison, all: bool, style: Style) -> String {
    let mut out = head(comparison, style);
    if comparison.pairing.paired == 0 {
        // Every figure would say the same: that there is none.
        return out;
    }
    let figures: Vec<&FigureComparison> = comparison.figures.iter().filter(|figure| all || figure.headline).collect();
    ends(&mut out, &figures, style);
    passes(&mut out, &figures, style);
    tickets(&mut out, "got worse", comparison.worse_count, &comparison.worse, comparison, style);
    tickets(&mut out, "got better", comparison.better_count, &comparison.better, comparison, style);
    out
}

/// The two sides, what was held fixed and what changed, and which tickets are compared.
pub fn head(comparison: &Comparison, style: Style) -> String {
    let mut out = String::new();
    side(&mut out, "baseline ", &comparison.baseline, style);
    side(&mut out, "candidate", &comparison.candidate, style);
    setup(&mut out, comparison, style);
    pairing(&mut out, comparison);
    if comparison.exact {
        out.push_str("Both sides replay the same recorded calls: every difference is exact, and chance has no part in it.\n");
    }
    out
}

// Writing into a String cannot fail, so its results are not looked at here.

fn side(out: &mut String, name: &str, side: &SideLine, style: Style) {
    let Style { bold, dim, reset } = style;
    let mut told = format!("{} tickets", grouped(side.tickets));
    for (n, what) in [(side.errored, "errored"), (side.without_revision, "without a revision")] {
        if n > 0 {
            let _ = write!(told, ", {} {what}", grouped(n));
        }
    }
    let (arm, path) = (escape_terminal(&side.origin.arm), escape_terminal(&side.path));
    let _ = writeln!(out, "{name} {bold}{arm}{reset}  {dim}{} {path}{reset}  {told}", side.kind);
    if !side.origin.synthetic.is_empty() {
        let _ = writeln!(out, "          synthetic: {}", escape_terminal(&side.origin.synthetic));
    }
}

fn setup(out: &mut String, comparison: &Comparison, style: Style) {
    let Style { bold, reset, .. } = style;
    let setup = &comparison.setup;
    if !setup.held.is_empty() {
        let held: Vec<&str> = setup.held.iter().map(|family| family.words()).collect();
        let _ = writeln!(out, "held fixed: {}", held.join(", "));
    }
    let mut last: Option<Family> = None;
    for change in &setup.changed {
        if last != Some(change.family) {
            let _ = writeln!(out, "changed: {bold}{}{reset}", change.family.words());
            last = Some(change.family);
        }
        let _ = writeln!(out, "  {}", changed(change));
    }
    for warning in &setup.warnings {
        let _ = writeln!(out, "warning: {}", escape_terminal(warning));
    }
}

fn changed(change: &Change) -> String {
    let key = escape_terminal(&change.key);
    if !change.words.is_empty() {
        return format!("{key}: {}", words(&change.words));
    }
    let value = |value: &Option<String>| match value {
        Some(text) => escape_terminal(&short(text, TEXT_MAX)).into_owned(),
        None => "(none)".to_owned(),
    };
    format!("{key}: {} -> {}", value(&change.baseline), value(&change.candidate))
}

/// A word diff on one line: what changed, with a few words around it.
fn words(words: &[Word]) -> String {
    let mut out = String::new();
    for (i, word) in words.iter().enumerate() {
        match word.op {
            WordOp::Delete => out.push_str(&format!("[-{}-]", short(trimmed(&word.text), TEXT_MAX))),
            WordOp::Insert => out.push_str(&format!("{{+{}+}}", short(trimmed(&word.text), TEXT_MAX))),
            WordOp::Equal => out.push_str(&around(&word.text, i > 0, i + 1 < words.len())),
        }
    }
    escape_terminal(&short(out.trim(), DIFF_MAX)).into_owned()
}

/// White space alone is a change too, and is shown.
fn trimmed(text: &str) -> &str {
    if text.trim().is_empty() { text } else { text.trim() }
}

/// The end of a common text that a change follows, the beginning of one that follows a change.
fn around(text: &str, follows: bool, leads: bool) -> String {
    let scalars: Vec<char> = text.chars().collect();
    if scalars.len() <= 2 * AROUND + 5 {
        return format!(" {} ", text.trim());
    }
    let head: String = scalars[..AROUND].iter().collect();
    let tail: String = scalars[scalars.len() - AROUND..].iter().collect();
    match (follows, leads) {
        (true, true) => format!(" {} ... {} ", head.trim(), tail.trim()),
        (true, false) => format!(" {} ...", head.trim()),
        _ => format!("... {} ", tail.trim()),
    }
}

fn pairing(out: &mut String, comparison: &Comparison) {
    let pairing = &comparison.pairing;
    let _ = writeln!(out, "{} tickets are compared", grouped(pairing.paired));
    let lists: [(&Listed, &str); 4] = [
        (&pairing.only_baseline, "only in the baseline"),
        (&pairing.only_candidate, "only in the candidate"),
        (&pairing.faulted_baseline, "errored in the baseline"),
        (&pairing.faulted_candidate, "errored in the candidate"),
    ];
    for (list, what) in lists.into_iter().filter(|(list, _)| list.count > 0) {
        let named: Vec<_> = list.tickets.iter().take(TICKETS_MAX).map(|ticket| escape_terminal(ticket).into_owned()).collect();
        let more = if list.count > named.len() as u64 { " ..." } else { "" };
        let _ = writeln!(out, "  left out, {what}: {} ({}{more})", grouped(list.count), named.join(", "));
    }
}

fn ends(out: &mut String, figures: &[&FigureComparison], style: Style) {
    let Style { bold, reset, .. } = style;
    let _ = writeln!(out, "\n{bold}At the end of the runs{reset}  (every compared ticket, last state carried forward)");
    let mut columns = vec![Column::left("figure").at_most(64)];
    columns.extend(["baseline", "candidate", "difference [95%]", "n"].map(Column::right));
    columns.push(Column::left("reading"));
    let told = figures.iter().filter_map(|figure| Some((figure, figure.end.as_ref()?)));
    let rows: Vec<Vec<Cell>> = told
        .map(|(figure, end)| {
            vec![
                shown::title(&figure.title, &figure.how, &figure.unit).into(),
                shown::value(&figure.unit, end.baseline.value).into(),
                shown::value(&figure.unit, end.candidate.value).into(),
                shown::compared(&figure.unit, end).into(),
                of(end).into(),
                reading(end).into(),
            ]
        })
        .collect();
    out.push_str(&grid::render(&columns, &rows));
    for figure in figures {
        if let Some(why) = &figure.not_applicable {
            let _ = writeln!(out, "not applicable: {} ({})", figure.name, escape_terminal(why));
        }
    }
}

/// Tickets with a value on both sides; those with one on one side alone are told.
fn of(at: &Difference) -> String {
    let n = grouped(at.n);
    if at.one_sided > 0 { format!("{n} (+{} one-sided)", grouped(at.one_sided)) } else { n }
}

fn reading(at: &Difference) -> String {
    let p = at.p.map_or(String::new(), |p| format!(", p {}", number::chance(p.different)));
    let pairs = at.pairs.filter(|pairs| pairs.only_candidate + pairs.only_baseline > 0);
    let moved = pairs.map_or(String::new(), |pairs| {
        format!(" ({} only candidate, {} only baseline)", grouped(pairs.only_candidate), grouped(pairs.only_baseline))
    });
    format!("{}{p}{moved}", shown::reading(at.reading))
}

fn passes(out: &mut String, figures: &[&FigureComparison], style: Style) {
    let Style { bold, reset, .. } = style;
    let passes = figures.iter().flat_map(|f| f.at_risk.iter().chain(&f.enrolled)).map(|at| at.pass + 1).max().unwrap_or(0);
    if passes == 0 {
        return;
    }
    let _ = writeln!(
        out,
        "\n{bold}Differences pass by pass{reset}  (at risk: tickets that both sides still run; enrolled: every compared ticket; * q under 0.05)"
    );
    let mut columns = vec![Column::left("figure").at_most(64), Column::left("view")];
    columns.extend((0..passes).map(|pass| Column::right(&format!("pass {pass}"))));
    let mut rows = vec![];
    for figure in figures {
        let views = [("at risk", &figure.at_risk), ("enrolled", &figure.enrolled)];
        for (i, (view, line)) in views.into_iter().filter(|(_, line)| line.iter().any(|at| at.value.is_some())).enumerate() {
            let title = if i == 0 { shown::title(&figure.title, &figure.how, &figure.unit) } else { String::new() };
            let mut row: Vec<Cell> = vec![title.into(), view.into()];
            row.extend(
                (0..passes).map(|pass| Cell::from(line.iter().find(|at| at.pass == pass).map_or(String::new(), |at| cell(figure, at)))),
            );
            rows.push(row);
        }
    }
    out.push_str(&grid::render(&columns, &rows));
    let _ = writeln!(out, "{}", shown::INTERVALS);
}

fn cell(figure: &FigureComparison, at: &Difference) -> String {
    let mark = if at.q.is_some_and(|q| q < 0.05) { "*" } else { "" };
    format!("{}{mark} n={}", shown::compared(&figure.unit, at), grouped(at.n))
}

fn tickets(out: &mut String, what: &str, count: u64, changes: &[TicketChange], comparison: &Comparison, style: Style) {
    let Style { bold, dim, reset } = style;
    let _ = writeln!(out, "\n{bold}{} of {} tickets {what}{reset}", grouped(count), grouped(comparison.pairing.paired));
    for change in changes.iter().take(TICKETS_MAX) {
        let values: Vec<String> = change.changes.iter().map(|value| moved(value, comparison)).collect();
        let _ = writeln!(out, "  {bold}{}{reset}  {}", escape_terminal(&change.ticket), values.join("; "));
        for command in [&change.show_baseline, &change.show_candidate].into_iter().flatten() {
            let _ = writeln!(out, "    {dim}{}{reset}", escape_terminal(command));
        }
    }
    if count > TICKETS_MAX as u64 {
        let _ = writeln!(out, "  ... and {} more (compare.json names the first thousand)", grouped(count - TICKETS_MAX as u64));
    }
}

/// "new_error no -> yes", "calls 5 -> 7".
fn moved(change: &ValueChange, comparison: &Comparison) -> String {
    let [before, after] = shown::of_change(comparison, change);
    format!("{} {before} -> {after}", change.figure)
}
