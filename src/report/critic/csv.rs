//! The tables of `redraft critic` as one: a row a number, with what it stands on.

use crate::critic::Critic;
use crate::critic::catch::Catches;
use crate::critic::grounding::{Grounding, Tiers};
use crate::critic::versus::{Same, Versus};
use crate::metric::Cell;
use crate::summary::Rate;
use crate::table;

const HEAD: [&str; 13] = ["table", "arm", "against", "row", "figure", "k", "n", "value", "low", "high", "p", "q", "text"];

/// One number. What does not apply to it is null.
#[derive(Default)]
struct Row<'a> {
    table: &'static str,
    arm: &'a str,
    against: Option<&'a str>,
    row: &'a str,
    figure: &'static str,
    k: Option<u64>,
    n: Option<u64>,
    value: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    p: Option<f64>,
    q: Option<f64>,
    text: Option<String>,
}

impl Row<'_> {
    fn cells(self) -> Vec<Cell> {
        let text = |text: &str| Cell::Text(text.to_owned().into());
        let real = |x: Option<f64>| x.filter(|x| x.is_finite()).map_or(Cell::Null, Cell::Real);
        let whole = |n: Option<u64>| n.and_then(|n| i64::try_from(n).ok()).map_or(Cell::Null, Cell::Int);
        let mut out = vec![text(self.table), text(self.arm), self.against.map_or(Cell::Null, text), text(self.row), text(self.figure)];
        out.extend([whole(self.k), whole(self.n)]);
        out.extend([self.value, self.low, self.high, self.p, self.q].map(real));
        out.push(self.text.map_or(Cell::Null, |own| Cell::Text(own.into())));
        out
    }
}

/// Every number of every table.
pub fn csv(critic: &Critic) -> String {
    let mut rows: Vec<Vec<Cell>> = vec![];
    for class in &critic.catches {
        for (arm, of) in critic.arms.iter().zip(&class.arms) {
            rows.extend(catches(&arm.arm, &class.class, of).map(Row::cells));
        }
    }
    for of in &critic.strays {
        let row = |figure, rate: Option<Rate>| counted("strays", &of.arm, "", figure, rate);
        rows.extend([row("stray", of.stray), row("stray_in_clean_tickets", of.in_clean_tickets)].map(Row::cells));
    }
    for versus in &critic.versus {
        rows.extend(side_by_side(versus).into_iter().map(Row::cells));
    }
    for of in &critic.grounding {
        rows.extend(grounding(of).into_iter().map(Row::cells));
    }
    table::csv(&HEAD, &rows)
}

fn counted<'a>(table: &'static str, arm: &'a str, row: &'a str, figure: &'static str, rate: Option<Rate>) -> Row<'a> {
    Row {
        table,
        arm,
        row,
        figure,
        k: rate.map(|rate| rate.num),
        n: rate.map(|rate| rate.den),
        value: rate.and_then(|rate| rate.value),
        ..Row::default()
    }
}

fn catches<'a>(arm: &'a str, class: &'a str, of: &Catches) -> impl Iterator<Item = Row<'a>> {
    let caught = Row { low: of.low, high: of.high, ..counted("caught", arm, class, "caught", Some(Rate::new(of.caught, of.of))) };
    let decided = of.decided_exactly.map(|rate| counted("caught", arm, class, "decided_exactly", Some(rate)));
    let quoted = of.quoted_in_prose.map(|rate| counted("caught", arm, class, "quoted_in_prose", Some(rate)));
    let counts = [
        ("by_span", of.by_span),
        ("by_class", of.by_class),
        ("by_both", of.by_both),
        ("unreadable", of.unreadable),
        ("dropped", of.dropped),
        ("absent", of.absent),
        ("unseen", of.unseen),
        ("prose", of.prose),
    ];
    let counts = counts.map(|(figure, k)| Row { table: "caught", arm, row: class, figure, k: Some(k), ..Row::default() });
    [Some(caught), decided, quoted].into_iter().flatten().chain(counts)
}

fn side_by_side(versus: &Versus) -> Vec<Row<'_>> {
    let arm = versus.candidate.as_str();
    let against = Some(versus.baseline.as_str());
    let same = |figure, same: &Same| Row { against, ..counted("versus", arm, "", figure, Some(Rate::new(same.same, same.known))) };
    let mut out =
        vec![same("same_brief", &versus.brief), same("same_writer_request", &versus.writer_request), same("same_draft", &versus.draft)];
    for weights in &versus.weights {
        out.push(Row { row: &weights.role, ..same("same_model_answered", &weights.same_answered) });
        let text = weights.same_requested.map(|same| if same { "yes" } else { "no" }.to_owned());
        out.push(Row { table: "versus", arm, against, row: &weights.role, figure: "same_model_requested", text, ..Row::default() });
    }
    out.extend(versus.classes.iter().map(|class| Row {
        table: "difference",
        arm,
        against,
        row: &class.class,
        figure: "caught",
        n: Some(class.n),
        value: class.value,
        low: class.low,
        high: class.high,
        p: class.p,
        q: class.q,
        ..Row::default()
    }));
    out
}

fn grounding(of: &Grounding) -> Vec<Row<'_>> {
    let row = |row: &'static str, figure, k: u64, n: u64| counted("grounding", &of.arm, row, figure, Some(Rate::new(k, n)));
    let mut out = vec![
        row("", "unreadable", of.unreadable, of.critiques + of.unreadable),
        row("", "internal", of.internal, of.emitted),
        row("", "eligible", of.eligible, of.emitted),
        row("", "unsourced", of.unsourced, of.eligible),
        row("", "echoed_kept", of.echoed_kept, of.eligible),
        row("", "echoed_dropped", of.echoed_dropped, of.eligible),
        row("", "recovered_normalised", of.recovery.normalised, of.recovery.dropped_by_bytes),
        row("", "recovered_fuzzy", of.recovery.fuzzy, of.recovery.dropped_by_bytes),
        row("", "still_dropped", of.recovery.still_dropped, of.recovery.dropped_by_bytes),
        counted("grounding", &of.arm, "", "claims_uncovered", of.claims_uncovered),
    ];
    let mut tiers = |what: &'static str, tiers: &Tiers| {
        let counts = [
            ("exact", tiers.exact),
            ("normalised", tiers.normalised),
            ("fuzzy", tiers.fuzzy),
            ("failed", tiers.failed),
            ("ambiguous", tiers.ambiguous),
        ];
        out.extend(counts.map(|(figure, k)| row(what, figure, k, tiers.checked)));
    };
    tiers("draft", &of.draft);
    tiers("internal", &of.internal_source);
    of.source.iter().for_each(|source| tiers("source", source));
    for line in &of.drops {
        let drop = |figure, k, n| counted("drops", &of.arm, &line.reason, figure, Some(Rate::new(k, n)));
        out.extend([drop("eligible", line.eligible, of.eligible), drop("internal", line.internal, of.internal)]);
    }
    out
}
