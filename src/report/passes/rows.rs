//! The table of passes as CSV, by the rules of table.csv: one row a pass of an arm.

use crate::metric::Cell;
use crate::passes::{ArmPasses, PassLine, Reading, Shift, Study};
use crate::table;

const HEAD: [&str; 27] = [
    "arm",
    "pass",
    "running",
    "judged",
    "correct",
    "correct_low",
    "correct_high",
    "made_correct",
    "made_incorrect",
    "net_per_100",
    "net_low",
    "net_high",
    "p",
    "p_holm",
    "reading",
    "detectable_per_100",
    "checks_mended",
    "checks_broken",
    "checks_net_per_100",
    "checks_net_low",
    "checks_net_high",
    "calls",
    "calls_so_far",
    "cost_usd",
    "cost_usd_so_far",
    "calls_per_correct",
    "usd_per_correct",
];

pub fn csv(study: &Study) -> String {
    let rows: Vec<Vec<Cell>> = study.arms.iter().flat_map(|arm| arm.passes.iter().map(|line| row(arm, line))).collect();
    table::csv(&HEAD, &rows)
}

fn row(arm: &ArmPasses, line: &PassLine) -> Vec<Cell> {
    let of = |shift: &Option<Shift>, value: fn(&Shift) -> Option<f64>| Cell::from(shift.as_ref().and_then(value));
    let reading = match line.reading {
        Reading::Gain => Some("gain"),
        Reading::Loss => Some("loss"),
        Reading::NotShown => Some("not_shown"),
        Reading::None => None,
    };
    let mut out = vec![Cell::from(arm.origin.arm.clone())];
    out.extend([u64::from(line.pass), line.running, line.correct.n].map(Cell::from));
    out.extend([line.correct.value, line.correct.low, line.correct.high, line.made_correct, line.made_incorrect].map(Cell::from));
    out.extend([of(&line.net, |net| net.value), of(&line.net, |net| net.low), of(&line.net, |net| net.high), of(&line.net, |net| net.p)]);
    out.extend([line.p_holm.into(), reading.into(), line.detectable.into()]);
    out.extend([line.checks_mended, line.checks_broken].map(Cell::from));
    let net = &line.checks_net;
    out.extend([of(net, |net| net.value), of(net, |net| net.low), of(net, |net| net.high)]);
    out.extend([line.calls, line.calls_so_far, line.cost_usd, line.cost_usd_so_far].map(Cell::from));
    out.extend([line.calls_per_correct, line.usd_per_correct].map(Cell::from));
    out
}
