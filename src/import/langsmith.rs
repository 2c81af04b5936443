//! LangSmith's runs, JSON Lines or a list: each `llm` run is a call, its chains are what it belongs to.

use serde_json::{Value, json};

use super::input::Input;
use super::span::{Node, join, status_in};
use super::{Exchange, Found, Importer, Record, made};
use crate::error::Error;
use crate::model::StopReason;

pub struct LangSmith;

impl Importer for LangSmith {
    fn name(&self) -> &'static str {
        "langsmith"
    }

    fn about(&self) -> &'static str {
        "LangSmith runs, one a line or a list ({\"runs\": [...]})"
    }

    fn rules(&self) -> &'static [&'static str] {
        &[
            "ticket=extra.metadata.ticket",
            "sample=extra.metadata.sample",
            "pass=extra.metadata.pass",
            "role=extra.metadata.role",
            "n=extra.metadata.n",
            "ticket=inputs.ticket",
            "pass=inputs.pass",
            "role=extra.metadata.langgraph_node",
        ]
    }

    fn read(&self, inputs: &[Input]) -> Result<Vec<Record>, Error> {
        let (mut nodes, mut out) = (vec![], vec![]);
        for input in inputs {
            let (values, broken) = input.values(&["runs", "post"])?;
            out.extend(broken);
            for (at, raw) in values {
                let fields: Value = serde_json::from_str(raw.get()).unwrap_or_default();
                if !fields.is_object() {
                    out.push(Record::other(at, "no run; expected an object"));
                    continue;
                }
                let text = |name: &str| fields[name].as_str().map(str::to_owned);
                let began = text("dotted_order").or_else(|| text("start_time")).unwrap_or_default();
                nodes.push(Node { at, id: text("id").unwrap_or_default(), parent: text("parent_run_id"), began, fields });
            }
        }
        let slim = |fields: &Value| json!({"name": fields["name"], "inputs": fields["inputs"], "extra": {"metadata": fields["extra"]["metadata"]}, "tags": fields["tags"]});
        for Node { at, fields, .. } in join(nodes, slim) {
            out.push(match exchange(&fields) {
                Ok(call) => Record { at, fields, found: Found::Call(Box::new(call)) },
                Err(why) => Record::other(at, why),
            });
        }
        Ok(out)
    }
}

fn exchange(run: &Value) -> Result<Exchange, String> {
    let kind = run["run_type"].as_str().unwrap_or("none");
    if kind != "llm" {
        return Err(format!("no model call: a run of type {}", super::map::short(kind)));
    }
    let asked = made::last_user(&run["inputs"]["messages"]).or_else(|| made::last_user(&run["inputs"]["messages"][0]));
    let recorded_at = run["start_time"].as_str().map(str::to_owned);
    let call = Exchange { provider: made::PROVIDER, asked, recorded_at, is_made: true, ..Exchange::default() };
    if let Some(words) = run["error"].as_str() {
        return Ok(Exchange { status: status_in(words), body: made::failure(words.lines().next().unwrap_or_default(), None), ..call });
    }
    let outputs = &run["outputs"];
    // wrap_openai keeps the completion, but for its usage, which it renames.
    if outputs["choices"].is_array() {
        let choice = &outputs["choices"][0];
        let stop = choice["message"]["refusal"].as_str().map_or(made::stop(choice["finish_reason"].as_str()), |_| StopReason::Refusal);
        let text = made::content(&choice["message"]["content"]).or_else(|| choice["message"]["refusal"].as_str().map(str::to_owned));
        let counts = if outputs["usage_metadata"].is_object() { &outputs["usage_metadata"] } else { &outputs["usage"] };
        let body = made::answer(&text.unwrap_or_default(), stop, made::usage(counts), outputs["model"].as_str());
        return Ok(Exchange { status: 200, body, ..call });
    }
    // LangChain's own chat models.
    let generation = if outputs["generations"][0].is_array() { &outputs["generations"][0][0] } else { &outputs["generations"][0] };
    let message = &generation["message"]["kwargs"];
    let Some(text) = made::content(&message["content"]).or_else(|| generation["text"].as_str().map(str::to_owned)) else {
        return Err(if outputs.is_null() { "no outputs: the run had not ended" } else { "outputs of a form that is not known here" }.into());
    };
    let reason = generation["generation_info"]["finish_reason"].as_str().or_else(|| message["response_metadata"]["finish_reason"].as_str());
    let model = message["response_metadata"]["model_name"].as_str().or_else(|| outputs["llm_output"]["model_name"].as_str());
    let body = made::answer(&text, made::stop(reason), made::usage(&message["usage_metadata"]), model);
    Ok(Exchange { status: 200, body, ..call })
}
