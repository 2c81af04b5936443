//! OpenAI's Batch API: input, output and error files in any number and order, joined on custom_id.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::input::{Input, cause};
use super::{Exchange, Found, Importer, Record, Sent, made};
use crate::error::Error;

pub struct OpenAiBatch;

/// custom_ids as `redraft` and most people write them: ticket, pass, role and perhaps a number, in this order.
pub const CUSTOM_ID: &[&str] = &[
    r"slot=custom_id:^(?<ticket>.+?)(?:[/_.:]s(?:ample)?-?(?<sample>[0-9]+))?[/_.:]p(?:ass)?-?(?<pass>[0-9]+)[/_.:](?<role>[A-Za-z]+)(?:[/_.:](?<n>[0-9]+))?$",
    "ticket=body.metadata.ticket",
    "sample=body.metadata.sample",
    "pass=body.metadata.pass",
    "role=body.metadata.role",
    "n=body.metadata.n",
];

#[derive(Deserialize)]
struct Line<'a> {
    custom_id: Option<String>,
    // Of a request.
    url: Option<String>,
    #[serde(borrow)]
    body: Option<&'a RawValue>,
    // Of a result.
    #[serde(borrow)]
    response: Option<Response<'a>>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Response<'a> {
    status_code: u16,
    request_id: Option<String>,
    #[serde(borrow)]
    body: &'a RawValue,
}

struct Asked<'a> {
    at: String,
    url: String,
    body: &'a RawValue,
    value: Value,
    is_answered: bool,
    is_ambiguous: bool,
}

impl Importer for OpenAiBatch {
    fn name(&self) -> &'static str {
        "openai-batch"
    }

    fn about(&self) -> &'static str {
        "OpenAI batches: input, output and error files together, joined on custom_id"
    }

    fn rules(&self) -> &'static [&'static str] {
        CUSTOM_ID
    }

    fn read(&self, inputs: &[Input]) -> Result<Vec<Record>, Error> {
        let mut out = vec![];
        let mut requests: BTreeMap<String, Asked<'_>> = BTreeMap::new();
        let mut results = vec![];
        for input in inputs {
            let (values, broken) = input.values(&[])?;
            out.extend(broken);
            for (at, value) in values {
                let line: Line<'_> = match serde_json::from_str(value.get()) {
                    Ok(line) => line,
                    Err(e) => {
                        out.push(Record::other(at, format!("no line of a batch: {}", cause(&e))));
                        continue;
                    }
                };
                let Some(id) = line.custom_id.clone() else {
                    out.push(Record::other(at, "no custom_id, so nothing tells which call it is"));
                    continue;
                };
                match (line.url, line.body) {
                    (Some(url), Some(body)) => {
                        let value = serde_json::from_str(body.get()).unwrap_or(Value::Null);
                        match requests.get_mut(&id) {
                            None => {
                                requests.insert(id, Asked { at, url, body, value, is_answered: false, is_ambiguous: false });
                            }
                            Some(first) => {
                                let same = first.value == value && first.url == url;
                                first.is_ambiguous |= !same;
                                let what = if same { "the same request" } else { "another request; neither is used" };
                                out.push(Record::other(at, format!("custom_id a second time, for {what}; the first is {}", first.at)));
                            }
                        }
                    }
                    _ if line.response.is_some() || line.error.is_some() => results.push((at, id, line.response, line.error)),
                    _ => out.push(Record::other(at, "neither a request (url, body) nor a result (response, error)")),
                }
            }
        }
        for (at, id, response, error) in results {
            let asked = requests.get_mut(&id);
            let mut fields = json!({"custom_id": id});
            let mut call = Exchange { provider: "openai-chat", ..Exchange::default() };
            if let Some(asked) = asked {
                asked.is_answered = true;
                let Some(provider) = made::provider_of(&asked.url) else {
                    out.push(Record::other(at, format!("a batch of {}, which is no wire form of a loop", super::map::short(&asked.url))));
                    continue;
                };
                call.provider = provider;
                if !asked.is_ambiguous {
                    fields["body"] = asked.value.clone();
                    call.asked = made::asked(&asked.value);
                    let endpoint = made::endpoint(provider, &asked.url, &asked.value).unwrap_or_default();
                    call.request = Some(Sent { endpoint, body: asked.body.get().to_owned() });
                }
            } else if response
                .as_ref()
                .is_some_and(|r| r.body.get().contains("\"object\": \"response\"") || r.body.get().contains("\"object\":\"response\""))
            {
                call.provider = "openai-responses";
            }
            match (response, error) {
                (Some(response), _) => {
                    call.status = response.status_code;
                    call.body = response.body.get().to_owned();
                    call.headers = response.request_id.map(|id| ("x-request-id".to_owned(), id)).into_iter().collect();
                }
                (None, Some(error)) => call.body = error.get().to_owned(),
                (None, None) => {}
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
