//! Calls: where a recorded model exchange belongs (slot) and what came back (reply), independent of any provider.

use serde::{Deserialize, Serialize};

use super::Usd;

/// Who is asked. The order is the order of a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Writer,
    Critic,
    Reviser,
    Judge,
}

impl Role {
    pub const fn name(self) -> &'static str {
        match self {
            Role::Writer => "writer",
            Role::Critic => "critic",
            Role::Reviser => "reviser",
            Role::Judge => "judge",
        }
    }
}

/// A call's place in the run of one ticket. Orders as the loop asks: sample, pass, role, n.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    pub sample: u32,
    pub pass: u32,
    pub role: Role,
    /// Which reviser call of the pass (serial revision: 0, 1, 2 ...); 0 elsewhere.
    pub n: u32,
}

impl std::fmt::Display for Slot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} pass {}", self.role.name(), self.pass)?;
        if self.n > 0 {
            write!(f, " n {}", self.n)?;
        }
        if self.sample > 0 {
            write!(f, " sample {}", self.sample)?;
        }
        Ok(())
    }
}

/// Why a model stopped writing, folded from the providers' own words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model ended by itself or at a stop sequence.
    End,
    /// Cut by the token limit.
    Length,
    ContentFilter,
    Refusal,
    /// The model asked for a tool.
    Tool,
    /// The provider gave none, or one that is not known here.
    Unknown,
}

/// Token counts as the provider billed them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// Prompt tokens, those read from a cache included.
    pub input: u64,
    /// Of `input`, tokens read from the provider's prompt cache.
    #[serde(default)]
    pub cached: u64,
    /// Generated tokens, reasoning included.
    pub output: u64,
}

/// What a model answered, read from a provider's body.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The visible text: text blocks joined, reasoning left out.
    pub text: String,
    pub stop: StopReason,
    /// None where the body carried none; the cost is then unknown, not zero.
    pub usage: Option<Usage>,
    /// The model that says it answered.
    pub model: Option<String>,
}

/// Exact cost of a reply in a given price, see [`Usd`].
pub fn cost(usage: Option<Usage>, input: Usd, cached: Usd, output: Usd) -> Option<Usd> {
    let u = usage?;
    let fresh = u.input.saturating_sub(u.cached);
    Some(input.per_million(fresh) + cached.per_million(u.cached) + output.per_million(u.output))
}
