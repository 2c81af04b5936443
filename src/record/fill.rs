//! What it takes to fill a recording: calls and dollars, at most and as recorded runs suggest.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::survey::{ROLES, place};
use crate::arm::{Spec, Strategy, max_tokens};
use crate::model::{Role, Slot, Usage, Usd, cost};

/// Calls and dollars still to come.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Fill {
    /// Calls that can be made now, one a run.
    pub calls_open: u64,
    /// Calls until every run has ended, as the complete runs of this recording suggest; where there are none, as many as the loop allows.
    pub calls_likely: u64,
    /// Calls that the loop allows at most; null for serial revision without a bound on calls.
    pub calls_most: Option<u64>,
    /// The most that the calls open now can cost; null where a price or a limit on the answer is not given.
    pub usd_open_most: Option<Usd>,
    /// What `calls_likely` calls would cost; null where a price is not given.
    pub usd_likely: Option<Usd>,
    /// Recorded calls whose usage `usd_likely` rests on. 0: it is a guess from the length of the requests and the limits on the answers.
    pub calls_observed: u64,
}

impl Default for Fill {
    fn default() -> Self {
        let usd = Some(Usd::ZERO);
        Fill { calls_open: 0, calls_likely: 0, calls_most: Some(0), usd_open_most: usd, usd_likely: usd, calls_observed: 0 }
    }
}

/// How far a run came, as far as the calls to come depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Shape {
    pub role: Role,
    pass: u32,
    n: u32,
    /// Calls made so far, by role.
    used: [u32; 3],
}

impl Shape {
    pub fn new(slot: Slot, calls: impl Iterator<Item = Role>) -> Shape {
        let mut used = [0; 3];
        calls.for_each(|role| used[place(role)] += 1);
        Shape { role: slot.role, pass: slot.pass, n: slot.n, used }
    }

    /// The open call's place in its run.
    pub fn slot(&self) -> (Role, u32, u32) {
        (self.role, self.pass, self.n)
    }

    /// Calls to come at most, the open one included, where a pass has `per_pass` reviser calls.
    fn most(&self, spec: &Spec, per_pass: u64) -> [u64; 3] {
        let passes = u64::from(spec.max_passes);
        let closing = u64::from(spec.closing_critique && passes > 0);
        let left = passes.saturating_sub(u64::from(self.pass));
        match self.role {
            Role::Writer => [1, passes + closing, passes * per_pass],
            Role::Critic | Role::Judge if u64::from(self.pass) > passes => [0, 1, 0],
            Role::Critic | Role::Judge => [0, left + 1 + closing, (left + 1) * per_pass],
            Role::Reviser => [0, left + closing, left * per_pass + per_pass.saturating_sub(u64::from(self.n)).max(1)],
        }
    }
}

/// What the recording tells of calls and runs like those to come.
#[derive(Default)]
pub(super) struct Observed {
    runs: u64,
    /// Calls of complete runs, by role.
    calls: [u64; 3],
    /// Calls with a known cost, and their sum.
    priced: [(u64, Usd); 3],
    /// Bytes of open requests.
    asked: [(u64, u64); 3],
}

/// Reviser calls a pass where nothing says how many findings a critic has.
const FINDINGS_GUESSED: u64 = 3;
const ANSWER_TOKENS_GUESSED: u64 = 500;
const BYTES_A_TOKEN: u64 = 4;

impl Observed {
    pub fn call(&mut self, role: Role, usage: Option<Usage>, cost: Option<Usd>) {
        if let (Some(_), Some(cost)) = (usage, cost) {
            let (count, sum) = &mut self.priced[place(role)];
            (*count, *sum) = (*count + 1, *sum + cost);
        }
    }

    pub fn run(&mut self, calls: impl Iterator<Item = Role>) {
        self.runs += 1;
        calls.for_each(|role| self.calls[place(role)] += 1);
    }

    /// What one call of a role costs on average, or else by its size.
    fn one(&self, spec: &Spec, role: Role) -> Option<f64> {
        let (count, sum) = self.priced[place(role)];
        if count > 0 {
            return Some(sum.to_f64() / count as f64);
        }
        let said = spec.role(role);
        let price = said.price?;
        let answer = max_tokens(&said.params).unwrap_or(ANSWER_TOKENS_GUESSED);
        let (mut requests, mut bytes) = self.asked[place(role)];
        if requests == 0 {
            // Nobody knows the prompt yet: as long as the others', and a draft on top.
            (requests, bytes) = self.asked.iter().fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
            bytes += requests * BYTES_A_TOKEN * max_tokens(&spec.writer.params).unwrap_or(ANSWER_TOKENS_GUESSED);
        }
        let input = bytes / BYTES_A_TOKEN / requests.max(1);
        cost(Some(Usage { input, cached: 0, output: answer }), price.input, price.cached, price.output).map(Usd::to_f64)
    }
}

impl Fill {
    /// Counts one open call in.
    pub(super) fn open(&mut self, observed: &mut Observed, role: Role, bytes: u64, worst: Option<Usd>) {
        self.calls_open += 1;
        self.usd_open_most = self.usd_open_most.zip(worst).map(|(all, one)| all + one);
        let asked = &mut observed.asked[place(role)];
        *asked = (asked.0 + 1, asked.1 + bytes);
    }

    pub(super) fn finish(mut self, spec: &Spec, shapes: &BTreeMap<Shape, u64>, observed: &Observed) -> Fill {
        let serial = spec.strategy == Strategy::Serial;
        let per_pass = if serial { FINDINGS_GUESSED } else { 1 };
        let mut likely = [0.0; 3];
        for (shape, count) in shapes {
            let most = shape.most(spec, per_pass);
            let room = spec.max_calls.map(|max| u64::from(max.saturating_sub(shape.used.iter().sum::<u32>())));
            let total: u64 = most.iter().sum();
            let bound = match room {
                Some(room) => Some(if serial { room } else { room.min(total) }),
                None => (!serial).then_some(total),
            };
            self.calls_most = self.calls_most.zip(bound).map(|(all, one)| all + one * count);
            for role in ROLES.map(place) {
                let open = f64::from(u8::from(role == place(shape.role)));
                let each = match observed.runs {
                    0 => most[role] as f64,
                    runs => (observed.calls[role] as f64 / runs as f64 - f64::from(shape.used[role])).max(open),
                };
                likely[role] += each * *count as f64;
            }
        }
        let sum: f64 = likely.iter().sum();
        self.calls_likely = (sum.round() as u64).min(self.calls_most.unwrap_or(u64::MAX));
        let parts = ROLES.iter().zip(likely).filter(|(_, calls)| *calls > 0.0);
        let cost = parts.map(|(role, calls)| observed.one(spec, *role).map(|one| one * calls));
        let cost: Option<Vec<f64>> = cost.collect();
        self.usd_likely = cost.and_then(|parts| Usd::from_f64(parts.iter().fold(0.0, |all, one| all + one)));
        self.calls_observed = observed.priced.iter().map(|(count, _)| count).sum();
        self
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn spec(strategy: &str, bounds: &str) -> Spec {
        let text = format!(
            "version = 1\ndataset = \"d\"\n[model]\nprovider = \"openai-chat\"\nname = \"m\"\nparams = {{ max_tokens = 100 }}\n\
             [prices.m]\ninput = 1.0\noutput = 10.0\n[writer]\nprompt = \"w\"\n[critic]\nformat = \"findings\"\nprompt = \"c\"\n\
             [reviser]\nstrategy = \"{strategy}\"\nprompt = \"r\"\n{bounds}"
        );
        Spec::parse(Path::new("loop.toml"), &text, Path::new(".")).unwrap()
    }

    fn shape(role: Role, pass: u32, used: [u32; 3]) -> Shape {
        Shape { role, pass, n: 0, used }
    }

    #[test]
    fn the_most_that_a_run_can_still_ask() {
        let batched = spec("batched", "[stop]\nclosing_critique = true");
        for (at, want) in [
            (shape(Role::Writer, 0, [0; 3]), [1, 4, 3]),
            (shape(Role::Critic, 1, [1, 0, 0]), [0, 4, 3]),
            (shape(Role::Reviser, 1, [1, 1, 0]), [0, 3, 3]),
            (shape(Role::Reviser, 3, [1, 3, 2]), [0, 1, 1]),
            (shape(Role::Critic, 4, [1, 3, 3]), [0, 1, 0]),
        ] {
            assert_eq!(at.most(&batched, 1), want, "{at:?}");
        }
        let shapes = BTreeMap::from([(shape(Role::Writer, 0, [0; 3]), 10)]);
        let most = |spec: &Spec| Fill::default().finish(spec, &shapes, &Observed::default()).calls_most;
        assert_eq!(most(&batched), Some(80));
        assert_eq!(most(&spec("serial", "")), None);
        assert_eq!(most(&spec("serial", "[bounds]\nmax_calls = 5")), Some(50));
        assert_eq!(most(&spec("batched", "[bounds]\nmax_calls = 5")), Some(50));
    }

    #[test]
    fn complete_runs_tell_what_the_others_will_take() {
        let spec = spec("batched", "");
        let mut observed = Observed::default();
        // Two runs: one pass each, 4 calls on average would be 1 + 1 + 1.
        for _ in 0..2 {
            observed.run([Role::Writer, Role::Critic, Role::Reviser].into_iter());
            for role in ROLES {
                observed.call(role, Some(Usage { input: 1, cached: 0, output: 1 }), Usd::parse("0.01"));
            }
        }
        let mut fill = Fill::default();
        fill.open(&mut observed, Role::Writer, 400, Usd::parse("0.5"));
        let shapes = BTreeMap::from([(shape(Role::Writer, 0, [0; 3]), 1)]);
        let fill = fill.finish(&spec, &shapes, &observed);
        let want = Fill {
            calls_open: 1,
            calls_likely: 3,
            calls_most: Some(7),
            usd_open_most: Usd::parse("0.5"),
            usd_likely: Usd::parse("0.03"),
            calls_observed: 6,
        };
        assert_eq!(fill, want);
        // Nothing is open, and that costs nothing.
        assert_eq!(Fill::default().finish(&spec, &BTreeMap::new(), &observed), Fill { calls_observed: 6, ..Fill::default() });
        // Nothing recorded: the loop's own bound, and 100 tokens in, 100 out.
        let mut observed = Observed::default();
        let mut fill = Fill::default();
        fill.open(&mut observed, Role::Writer, 400, None);
        let fill = fill.finish(&spec, &shapes, &observed);
        assert_eq!((fill.calls_likely, fill.usd_open_most, fill.calls_observed), (7, None, 0));
        // The writer's 100 + 1000, and six more with a draft's 100 tokens on top: 0.0011 + 6 * 0.0012.
        assert_eq!(fill.usd_likely.unwrap().to_string(), "0.0083");
    }
}
