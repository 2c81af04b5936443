//! The file form of one call, version 1. Bodies are the provider's own JSON and stay raw until somebody needs them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::model::{Role, Slot};

/// One line of calls.jsonl.
#[derive(Debug, Clone, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "One line of calls.jsonl")]
pub struct CallLine<'a> {
    /// Format version: 1.
    pub v: u32,
    /// Request key, `rr1:` and 32 hex digits. Absent only in arms with match = "slot".
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub slot: SlotLine<'a>,
    /// Absent only in arms with match = "slot".
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestLine<'a>>,
    #[serde(borrow)]
    pub response: ResponseLine<'a>,
    #[serde(borrow, default)]
    pub meta: Meta<'a>,
}

/// Where the call belongs.
#[derive(Debug, Clone, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlotLine<'a> {
    #[serde(borrow)]
    pub ticket: Cow<'a, str>,
    #[serde(default)]
    pub sample: u32,
    pub pass: u32,
    pub role: Role,
    #[serde(default)]
    pub n: u32,
}

#[derive(Debug, Clone, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestLine<'a> {
    #[serde(borrow)]
    pub provider: Cow<'a, str>,
    #[serde(borrow)]
    pub endpoint: Cow<'a, str>,
    /// As sent, verbatim.
    #[serde(borrow)]
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub body: &'a RawValue,
}

#[derive(Debug, Clone, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResponseLine<'a> {
    pub status: u16,
    /// Only headers that tell nothing secret (request ids, rate limits).
    #[serde(borrow, default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<Cow<'a, str>, Cow<'a, str>>,
    /// As received, verbatim.
    #[serde(borrow)]
    #[schemars(with = "serde_json::Value")]
    pub body: &'a RawValue,
}

impl ResponseLine<'_> {
    /// Only the body of a status 2xx is of the provider's answering form.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// What is known about the exchange. Never part of a key, never of a result.
#[derive(Debug, Clone, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Meta<'a> {
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub recorded_at: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<f64>,
    /// How often the provider was asked until this answer.
    #[serde(default = "once")]
    pub attempts: u32,
    /// Where the answer was copied from, when the very same request had been answered before.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub copied_from: Option<Cow<'a, str>>,
}

fn once() -> u32 {
    1
}

impl Default for Meta<'_> {
    fn default() -> Self {
        Meta { recorded_at: None, latency_ms: None, attempts: once(), copied_from: None }
    }
}

impl CallLine<'_> {
    pub fn slot(&self) -> Slot {
        Slot { sample: self.slot.sample, pass: self.slot.pass, role: self.slot.role, n: self.slot.n }
    }

    /// True where the other line records the same exchange in the same slot; when and how fast is no part of it.
    pub fn says_the_same(&self, other: &CallLine<'_>) -> bool {
        let request = |call: &CallLine<'_>| {
            let request = call.request.as_ref();
            request.map(|r| (r.provider.to_string(), r.endpoint.to_string(), r.body.get().to_owned()))
        };
        self.slot() == other.slot()
            && self.slot.ticket == other.slot.ticket
            && self.key == other.key
            && self.response.status == other.response.status
            && self.response.body.get() == other.response.body.get()
            && request(self) == request(other)
    }
}
