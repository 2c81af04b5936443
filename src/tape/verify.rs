//! What a recorded call promises, checked on the line itself: its key is the key of its request, its answer is of the provider's form.

use serde_json::Value;

use super::line::CallLine;
use crate::api::{self, key};

/// A promise that a line breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect {
    /// A stable name: `key_differs`, `no_request`, `unknown_provider`, `endpoint_differs`, `unreadable_answer`.
    pub code: &'static str,
    pub what: String,
}

impl Defect {
    /// True where the line's key is not that of a recorded request.
    pub fn is_of_key(&self) -> bool {
        matches!(self.code, "key_differs" | "no_request")
    }
}

/// Checks one call. `ignore` are the fields that the arm's spec leaves out of keys; `by_slot` arms need no request.
pub fn check_line(call: &CallLine<'_>, ignore: &[String], by_slot: bool) -> Vec<Defect> {
    let mut defects = vec![];
    let mut add = |code, what: String| defects.push(Defect { code, what });
    let wire = match &call.request {
        None => {
            if !by_slot {
                add("no_request", "no request was recorded, so nothing proves what was asked".to_owned());
            }
            None
        }
        Some(request) => {
            match serde_json::from_str::<Value>(request.body.get()) {
                Ok(body) => {
                    let want = key::key(&request.provider, &request.endpoint, &body, ignore);
                    if call.key.as_deref() != Some(&want) {
                        let recorded = call.key.as_deref().unwrap_or("none");
                        add("key_differs", format!("the line says key {recorded}, its request has {want}"));
                    }
                }
                Err(e) => add("key_differs", format!("the request's body is not readable: {e}")),
            }
            let wire = api::by_name(&request.provider);
            match wire {
                None => add("unknown_provider", format!("provider `{}` has no reader", request.provider)),
                Some(wire) if !fits(wire.endpoint(), &request.endpoint) => {
                    add("endpoint_differs", format!("endpoint {} where {} uses {}", request.endpoint, request.provider, wire.endpoint()));
                }
                Some(_) => {}
            }
            wire
        }
    };
    if let Some(wire) = wire
        && call.response.is_success()
        && let Err(what) = wire.reply(call.response.body.get())
    {
        add("unreadable_answer", what);
    }
    defects
}

/// True where a path has the form of an endpoint, in which `{model}` stands for any model.
fn fits(endpoint: &str, path: &str) -> bool {
    match endpoint.split_once("{model}") {
        None => endpoint == path,
        Some((before, after)) => path.len() > before.len() + after.len() && path.starts_with(before) && path.ends_with(after),
    }
}
