//! The plot that answers how many passes pay: net gain per pass about zero, the share correct so far, and what was spent so far.

use crate::passes::{ArmPasses, PassLine, Study};
use crate::report::chart::{Chart, Point, Series};

/// Three panels, one line an arm, in the order of the study. Empty where no ticket of any arm was judged. Spending is in dollars if every arm
/// knows them, else in calls.
pub fn charts(study: &Study) -> Vec<Chart> {
    if !study.judged() {
        return vec![];
    }
    let arms = &study.arms;
    let synthetic: Vec<&str> = arms.iter().filter(|arm| !arm.origin.synthetic.is_empty()).map(|arm| arm.origin.arm.as_str()).collect();
    let note = (!synthetic.is_empty()).then(|| format!("synthetic: {}", synthetic.join(", ")));
    let chart = |id: &str, title: &str, unit: &str, point: &dyn Fn(&ArmPasses, &PassLine) -> Option<Point>| {
        let series = arms
            .iter()
            .map(|arm| Series { label: arm.origin.arm.clone(), points: arm.passes.iter().filter_map(|line| point(arm, line)).collect() });
        Chart { id: id.into(), title: title.into(), unit: unit.into(), note: note.clone(), series: series.collect() }
    };
    let net = |_: &ArmPasses, line: &PassLine| {
        let net = line.net.as_ref()?;
        Some(Point { pass: line.pass, value: net.value, low: net.low, high: net.high, n: net.n })
    };
    let correct = |_: &ArmPasses, line: &PassLine| {
        let at = &line.correct;
        Some(Point { pass: line.pass, value: at.value, low: at.low, high: at.high, n: at.n })
    };
    let spent = |value: fn(&PassLine) -> Option<f64>| {
        move |arm: &ArmPasses, line: &PassLine| Some(Point { pass: line.pass, value: value(line), low: None, high: None, n: arm.enrolled })
    };
    let priced = arms.iter().all(|arm| arm.passes.iter().all(|line| line.cost_usd_so_far.is_some()));
    vec![
        chart("passes_net", "Net gain of this pass", "per 100 tickets", &net),
        chart("passes_correct", "Correct after this pass", "share", &correct),
        if priced {
            chart("passes_cost", "Cost so far, per ticket", "USD", &spent(|line| line.cost_usd_so_far))
        } else {
            chart("passes_calls", "Calls so far, per ticket", "calls", &spent(|line| line.calls_so_far))
        },
    ]
}
