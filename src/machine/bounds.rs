//! Bounds that hold by construction: a call that could break one is not made.

use serde_json::Value;

use crate::arm::{RoleSpec, Spec, Strategy, max_tokens};
use crate::model::{Stop, Usd};

/// What a run has used so far.
#[derive(Default)]
pub struct Spent {
    calls: u32,
    cost: Usd,
    /// The last ask's worst case, charged where its answer told no usage.
    worst: Usd,
}

impl Spent {
    /// The bound that the next call could break, if any. Remembers the call's worst case.
    pub fn forbids(&mut self, spec: &Spec, role: &RoleSpec, body: &Value) -> Option<Stop> {
        if spec.max_calls.is_some_and(|max| self.calls >= max) {
            return Some(Stop::MaxCalls);
        }
        if let Some(max) = spec.max_cost {
            self.worst = worst_case(role, body).unwrap_or(Usd::ZERO);
            if self.cost + self.worst > max {
                return Some(Stop::MaxCostUsd);
            }
        }
        None
    }

    pub fn add(&mut self, cost: Option<Usd>) {
        self.calls += 1;
        self.cost = self.cost + cost.unwrap_or(self.worst);
    }
}

/// The most that one request can cost; None without a price or a limit on the answer. No tokeniser makes more tokens of a text than it has bytes,
/// and the body has more bytes than its texts; the answer is cut at max_tokens.
pub fn worst_case(role: &RoleSpec, body: &Value) -> Option<Usd> {
    let (price, answer) = (role.price?, max_tokens(&role.params)?);
    let answers = role.params.get("n").and_then(Value::as_u64).unwrap_or(1).max(1);
    let asked = price.input.max(price.cached).per_million(body.to_string().len() as u64);
    Some(asked + price.output.per_million(answer.saturating_mul(answers)))
}

/// The most calls that one run can make; None for serial revision, where it depends on the number of findings.
pub fn calls_max(spec: &Spec) -> Option<u32> {
    let closing = u32::from(spec.closing_critique && spec.max_passes > 0);
    let by_passes = (spec.strategy != Strategy::Serial).then(|| spec.max_passes.saturating_mul(2).saturating_add(1 + closing));
    match (by_passes, spec.max_calls) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
