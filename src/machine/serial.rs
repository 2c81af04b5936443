//! Strategy `serial`: one reviser call a finding, worst severity first; ties keep the critic's order.

use crate::arm::Send;
use crate::model::Critique;

pub fn plan(critique: &Critique, send: Send) -> Vec<Vec<usize>> {
    let findings = critique.findings.as_deref().unwrap_or_default();
    let mut order = super::batched::sendable(critique, send);
    order.sort_by_key(|i| findings[*i].rank.unwrap_or(u32::MAX));
    order.into_iter().map(|i| vec![i]).collect()
}
