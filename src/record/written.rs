//! A call as a line of calls.jsonl, made of the ask and of what came back.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use serde_json::value::RawValue;

use super::clock::rfc3339;
use crate::machine::{Ask, Loop};
use crate::tape::{CallLine, Meta, RequestLine, ResponseLine, SlotLine};

/// What came back, from whatever source.
#[derive(Debug, Clone, Copy)]
pub struct Came<'a> {
    /// 0 where no HTTP answer came.
    pub status: u16,
    pub headers: &'a [(String, String)],
    /// JSON. Line ends between its tokens are written as blanks, since a call is one line.
    pub body: &'a str,
    pub at: Option<SystemTime>,
    pub latency: Option<Duration>,
    pub attempts: u32,
}

/// The line of a call, without its end. `request` is the body as it was sent.
pub fn line(program: &Loop, ticket: &str, ask: &Ask, request: &str, came: &Came<'_>) -> Result<Vec<u8>, String> {
    let spec = &program.spec;
    let raw = |what: &str, text: &str| RawValue::from_string(text.to_owned()).map_err(|e| format!("{what} is not JSON: {e}"));
    // JSON has no line ends within its texts.
    let one_line = |text: &str| text.replace(['\n', '\r'], " ");
    let (request, response) = (raw("the request", &one_line(request))?, raw("the answer", &one_line(came.body))?);
    let key = program.key(ask);
    let path = spec.wire.path(&spec.role(ask.slot.role).model);
    let headers: BTreeMap<_, _> = came.headers.iter().map(|(name, value)| (name.as_str().into(), value.as_str().into())).collect();
    let slot = ask.slot;
    let call = CallLine {
        v: 1,
        key: Some(key.as_str().into()),
        slot: SlotLine { ticket: ticket.into(), sample: slot.sample, pass: slot.pass, role: slot.role, n: slot.n },
        request: Some(RequestLine { provider: spec.wire.name().into(), endpoint: path.as_str().into(), body: &request }),
        response: ResponseLine { status: came.status, headers, body: &response },
        meta: Meta {
            recorded_at: came.at.map(|at| rfc3339(at).into()),
            latency_ms: came.latency.map(|latency| (latency.as_secs_f64() * 10_000.0).round() / 10.0),
            attempts: came.attempts,
            copied_from: None,
        },
    };
    serde_json::to_vec(&call).map_err(|e| e.to_string())
}
