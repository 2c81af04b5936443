//! The tickets that a broken gate rests on: the same ones, in the same order, in every form.

use std::collections::BTreeMap;

use super::Report;
use crate::gate::Verdict;

/// A newly broken ticket of a metric that regressed.
pub struct Regressed<'a> {
    pub ticket: &'a str,
    /// Titles of the metrics, in the gate's order.
    pub metrics: Vec<&'a str>,
    /// The command that shows it, where there is one.
    pub show: Option<&'a str>,
}

/// In the order of the gate's metrics, worst first within one; each ticket once. Without a gate there are none.
pub fn tickets<'a>(report: &Report<'a>) -> Vec<Regressed<'a>> {
    let mut out: Vec<Regressed<'a>> = vec![];
    let mut at: BTreeMap<&str, usize> = BTreeMap::new();
    let worse = report.comparison.map_or(&[][..], |c| &c.worse);
    let show: BTreeMap<&str, &str> = worse.iter().filter_map(|t| Some((&*t.ticket, t.show_candidate.as_deref()?))).collect();
    let metrics = report.gate.map_or(&[][..], |gate| &gate.metrics);
    for metric in metrics.iter().filter(|m| m.verdict == Verdict::Regressed) {
        for ticket in &metric.tickets {
            let place = *at.entry(ticket).or_insert_with(|| {
                out.push(Regressed { ticket, metrics: vec![], show: show.get(&**ticket).copied() });
                out.len() - 1
            });
            if let Some(known) = out.get_mut(place) {
                known.metrics.push(&metric.title);
            }
        }
    }
    out
}
