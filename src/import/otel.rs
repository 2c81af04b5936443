//! OpenTelemetry's GenAI spans as OTLP JSON: `gen_ai.input.messages` and `gen_ai.output.messages`, with content capture on.

use serde_json::{Value, json};

use super::input::Input;
use super::span::{self, inner, join, otlp, status_in, times};
use super::{Exchange, Found, Importer, Record, made};
use crate::error::Error;

pub struct OpenTelemetry;

impl Importer for OpenTelemetry {
    fn name(&self) -> &'static str {
        "otel"
    }

    fn about(&self) -> &'static str {
        "OpenTelemetry GenAI spans, OTLP in JSON (the collector's file exporter), content captured"
    }

    fn rules(&self) -> &'static [&'static str] {
        &[
            "ticket=attributes.redraft.ticket",
            "sample=attributes.redraft.sample",
            "pass=attributes.redraft.pass",
            "role=attributes.redraft.role",
            "n=attributes.redraft.n",
            "ticket=attributes.ticket.id",
            "pass=attributes.loop.pass",
            "role=attributes.loop.role",
        ]
    }

    fn read(&self, inputs: &[Input]) -> Result<Vec<Record>, Error> {
        let (nodes, mut out) = otlp(inputs)?;
        let slim = |fields: &Value| json!({"name": fields["name"], "attributes": own(&fields["attributes"]), "traceId": fields["traceId"]});
        for span::Node { at, fields, .. } in join(nodes, slim) {
            out.push(match exchange(&fields) {
                Ok(call) => Record { at, fields, found: Found::Call(Box::new(call)) },
                Err(why) => Record::other(at, why),
            });
        }
        Ok(out)
    }
}

/// A parent's attributes without the texts of its own exchange.
fn own(attributes: &Value) -> Value {
    let short = |(name, value): (&String, &Value)| (!name.starts_with("gen_ai.")).then(|| (name.clone(), value.clone()));
    attributes.as_object().map_or(Value::Null, |map| Value::Object(map.iter().filter_map(short).collect()))
}

fn exchange(fields: &Value) -> Result<Exchange, String> {
    let attributes = &fields["attributes"];
    let name = fields["name"].as_str().unwrap_or_default();
    let Some(operation) = attributes["gen_ai.operation.name"].as_str() else {
        return Err(format!("no model call: span `{}`", super::map::short(name)));
    };
    if !matches!(operation, "chat" | "generate_content" | "text_completion") {
        return Err(format!("no model call: operation {}", super::map::short(operation)));
    }
    let (recorded_at, latency_ms) = times(fields);
    let asked = made::last_user(&inner(&attributes["gen_ai.input.messages"]));
    let call = Exchange { provider: made::PROVIDER, asked, is_made: true, recorded_at, latency_ms, ..Exchange::default() };
    let status = &fields["status"];
    let is_error = status["code"].as_u64() == Some(2)
        || status["code"].as_str() == Some("STATUS_CODE_ERROR")
        || attributes.get("error.type").is_some();
    if is_error {
        let words = status["message"].as_str().unwrap_or_default();
        return Ok(Exchange { status: status_in(words), body: made::failure(words, attributes["error.type"].as_str()), ..call });
    }
    let messages = inner(&attributes["gen_ai.output.messages"]);
    let Some(message) = messages.as_array().and_then(|all| all.first()) else {
        return Err("the answer's text was not captured (set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT)".into());
    };
    let reason = message["finish_reason"].as_str().or_else(|| attributes["gen_ai.response.finish_reasons"][0].as_str());
    let usage = json!({
        "input_tokens": attributes["gen_ai.usage.input_tokens"], "output_tokens": attributes["gen_ai.usage.output_tokens"],
        "input_cached_tokens": attributes["gen_ai.usage.cache_read.input_tokens"],
    });
    let parts = message.get("parts").or_else(|| message.get("content")).unwrap_or(&Value::Null);
    let text = made::content(parts).unwrap_or_default();
    let model = attributes["gen_ai.response.model"].as_str().or_else(|| attributes["gen_ai.request.model"].as_str());
    Ok(Exchange { status: 200, body: made::answer(&text, made::stop(reason), made::usage(&usage), model), ..call })
}
