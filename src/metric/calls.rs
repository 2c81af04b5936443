//! What a pass cost: calls by role, attempts, tokens, dollars.

use super::{Better, Carry, Cell, Column, Figure, How, Kind, Metric, View};
use crate::model::{CallRecord, Role, Usd};

pub struct Calls;

const COLUMNS: &[Column] = &[
    Column::new("calls", Kind::Int, Carry::Sum, "model calls of the pass"),
    Column::new("calls_writer", Kind::Int, Carry::Sum, "of these, by the writer"),
    Column::new("calls_critic", Kind::Int, Carry::Sum, "of these, by the critic"),
    Column::new("calls_reviser", Kind::Int, Carry::Sum, "of these, by the reviser"),
    Column::new("calls_unanswered", Kind::Int, Carry::Sum, "of these, those that no attempt answered"),
    Column::new("attempts", Kind::Int, Carry::Sum, "requests sent until the calls were answered or given up"),
    Column::new("tokens_in", Kind::Int, Carry::Total, "prompt tokens, cached ones included; null where a call tells no usage"),
    Column::new("tokens_out", Kind::Int, Carry::Total, "generated tokens, reasoning included; null where a call tells no usage"),
    Column::new("cost_usd", Kind::Usd, Carry::Total, "exact cost; null where a call's usage or price is unknown"),
    Column::new("cost_known_usd", Kind::Usd, Carry::Sum, "cost of the calls whose cost is known: a lower bound"),
];

const FIGURES: &[Figure] = &[
    Figure::new("calls", "Model calls", "calls", How::Mean("calls"), Some(Better::Lower)).headline(),
    Figure::new("tokens_out", "Tokens generated", "tokens", How::Mean("tokens_out"), Some(Better::Lower)),
    Figure::new("cost_usd", "Cost", "USD", How::Mean("cost_usd"), Some(Better::Lower)).headline(),
];

impl Metric for Calls {
    fn columns(&self) -> &'static [Column] {
        COLUMNS
    }

    fn figures(&self) -> &'static [Figure] {
        FIGURES
    }

    fn measure(&self, view: &View<'_>, row: &mut Vec<Cell>) {
        let calls = &view.pass().calls;
        let by = |role: Role| calls.iter().filter(|call| call.slot.role == role).count();
        row.extend([calls.len(), by(Role::Writer), by(Role::Critic), by(Role::Reviser)].map(Cell::from));
        row.push(calls.iter().filter(|call| !call.answered).count().into());
        row.push(calls.iter().map(|call| u64::from(call.attempts)).sum::<u64>().into());
        let tokens = |of: fn(&CallRecord) -> Option<u64>| calls.iter().map(of).try_fold(0u64, |sum, n| Some(sum.saturating_add(n?)));
        row.extend(
            [tokens(|call| call.usage.map(|usage| usage.input)), tokens(|call| call.usage.map(|usage| usage.output))].map(Cell::from),
        );
        row.push(calls.iter().map(|call| call.cost).sum::<Option<Usd>>().into());
        row.push(calls.iter().filter_map(|call| call.cost).sum::<Usd>().into());
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    #[test]
    fn an_unknown_cost_makes_the_sum_unknown_and_leaves_a_lower_bound() {
        let mut run = run_of(&["A b c.\n", "A b d.\n"]);
        critique(&mut run, 1, &[("tone", "A b c.")]);
        run.passes[0].calls = vec![call(Role::Writer, 0, Some("0.1"))];
        run.passes[1].calls = vec![call(Role::Critic, 1, Some("0.2")), call(Role::Reviser, 1, None)];
        let rows = rows(&run);
        let usd = |text: &str| Cell::Usd(Usd::parse(text).unwrap());
        assert_eq!(
            [rows.cell(0, "cost_usd"), rows.cell(1, "cost_usd"), rows.cell(1, "cost_known_usd")],
            [&usd("0.1"), &Cell::Null, &usd("0.2")]
        );
        assert_eq!(
            ["calls", "calls_writer", "calls_critic", "calls_reviser", "attempts"].map(|name| rows.int(1, name)),
            [2, 0, 1, 1, 2].map(Some)
        );
        assert_eq!([rows.int(0, "tokens_in"), rows.int(0, "tokens_out"), rows.int(1, "tokens_in")], [Some(100), Some(50), None]);
    }
}
