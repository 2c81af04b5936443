//! Anthropic's Message Batches: the requests that were sent and the results file, joined on custom_id.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::input::{Input, cause};
use super::{Exchange, Found, Importer, Record, Sent, made};
use crate::error::Error;

pub struct AnthropicBatch;

const PROVIDER: &str = "anthropic";

#[derive(Deserialize)]
struct Line<'a> {
    custom_id: Option<String>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<Outcome<'a>>,
}

#[derive(Deserialize)]
struct Outcome<'a> {
    r#type: String,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

struct Asked<'a> {
    at: String,
    body: &'a RawValue,
    value: Value,
    is_answered: bool,
    is_ambiguous: bool,
}

impl Importer for AnthropicBatch {
    fn name(&self) -> &'static str {
        "anthropic-batch"
    }

    fn about(&self) -> &'static str {
        "Anthropic message batches: requests ({\"requests\": [...]}) and results together, joined on custom_id"
    }

    fn rules(&self) -> &'static [&'static str] {
        super::openai_batch::CUSTOM_ID
    }

    fn read(&self, inputs: &[Input]) -> Result<Vec<Record>, Error> {
        let mut out = vec![];
        let mut requests: BTreeMap<String, Asked<'_>> = BTreeMap::new();
        let mut results = vec![];
        for input in inputs {
            let (values, broken) = input.values(&["requests"])?;
            out.extend(broken);
            for (at, value) in values {
                let line: Line<'_> = match serde_json::from_str(value.get()) {
                    Ok(line) => line,
                    Err(e) => {
                        out.push(Record::other(at, format!("no line of a batch: {}", cause(&e))));
                        continue;
                    }
                };
                match (line.custom_id, line.params, line.result) {
                    (None, ..) => out.push(Record::other(at, "no custom_id, so nothing tells which call it is")),
                    (Some(id), _, Some(result)) => results.push((at, id, result)),
                    (Some(id), Some(body), None) => {
                        let value = serde_json::from_str(body.get()).unwrap_or(Value::Null);
                        match requests.get_mut(&id) {
                            None => {
                                requests.insert(id, Asked { at, body, value, is_answered: false, is_ambiguous: false });
                            }
                            Some(first) => {
                                first.is_ambiguous |= first.value != value;
                                let what = if first.value == value { "the same request" } else { "another request; neither is used" };
                                out.push(Record::other(at, format!("custom_id a second time, for {what}; the first is {}", first.at)));
                            }
                        }
                    }
                    (Some(_), None, None) => out.push(Record::other(at, "neither a request (params) nor a result")),
                }
            }
        }
        for (at, id, result) in results {
            let mut fields = json!({"custom_id": id});
            let mut call = Exchange { provider: PROVIDER, ..Exchange::default() };
            if let Some(asked) = requests.get_mut(&id) {
                asked.is_answered = true;
                if !asked.is_ambiguous {
                    fields["body"] = asked.value.clone();
                    call.asked = made::asked(&asked.value);
                    let endpoint = made::endpoint(PROVIDER, "", &asked.value).unwrap_or_default();
                    call.request = Some(Sent { endpoint, body: asked.body.get().to_owned() });
                }
            }
            match (result.r#type.as_str(), result.message, result.error) {
                ("succeeded", Some(message), _) => (call.status, call.body) = (200, message.get().to_owned()),
                // A result has no HTTP status of its own.
                (_, _, Some(error)) => call.body = error.get().to_owned(),
                (kind, ..) => call.body = json!({"type": kind}).to_string(),
            }
            out.push(Record { at, fields, found: Found::Call(Box::new(call)) });
        }
        let unanswered = requests.into_values().filter(|asked| !asked.is_answered);
        out.extend(
            unanswered.map(|asked| Record::other(asked.at, "no result for this request: the batch is not complete, or a file is missing")),
        );
        Ok(out)
    }
}
