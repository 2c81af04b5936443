//! LangChain's cache (SQLiteCache), as JSON Lines of its rows. The database itself is not read: a command turns it into lines.

use serde_json::{Value, json};

use super::input::Input;
use super::{Exchange, Found, Importer, Record, made};
use crate::error::Error;

pub struct LangChain;

/// How the rows get out of a database.
pub const DUMP: &str = "python3 -c 'import sqlite3,json; [print(json.dumps(dict(zip((\"prompt\",\"llm\",\"idx\",\"response\"),r)))) for r in \
sqlite3.connect(\"cache.db\").execute(\"SELECT prompt,llm,idx,response FROM full_llm_cache ORDER BY rowid\")]' > cache.jsonl";

impl Importer for LangChain {
    fn name(&self) -> &'static str {
        "langchain"
    }

    fn about(&self) -> &'static str {
        "LangChain's SQLiteCache as JSON Lines of its rows (a .db is refused with the command that makes them)"
    }

    /// A cache knows what was asked, never for whom: who imports it says how the prompt tells.
    fn rules(&self) -> &'static [&'static str] {
        &[]
    }

    fn read(&self, inputs: &[Input]) -> Result<Vec<Record>, Error> {
        let mut out = vec![];
        for input in inputs {
            if input.bytes.starts_with(b"SQLite format 3\0") {
                return Err(Error::at(
                    &input.path,
                    format!("a SQLite database, which is not read here. Write its rows as JSON Lines and import those:\n{DUMP}"),
                ));
            }
            let (values, broken) = input.values(&[])?;
            out.extend(broken);
            for (at, raw) in values {
                let row: Value = serde_json::from_str(raw.get()).unwrap_or_default();
                out.push(match exchange(&row) {
                    Ok((fields, call)) => Record { at, fields, found: Found::Call(Box::new(call)) },
                    Err(why) => Record::other(at, why),
                });
            }
        }
        Ok(out)
    }
}

fn exchange(row: &Value) -> Result<(Value, Exchange), String> {
    let (Some(prompt), Some(response)) = (row["prompt"].as_str(), row["response"].as_str()) else {
        return Err("no row of the cache; expected prompt, llm, idx and response as texts".into());
    };
    let generation: Value = serde_json::from_str(response).map_err(|_| "the response is no JSON")?;
    let kwargs = &generation["kwargs"];
    let message = &kwargs["message"]["kwargs"];
    let text =
        kwargs["text"].as_str().map(str::to_owned).or_else(|| made::content(&message["content"])).ok_or("a generation without a text")?;
    let about = &message["response_metadata"];
    let reason = kwargs["generation_info"]["finish_reason"].as_str().or_else(|| about["finish_reason"].as_str());
    let counts = if message["usage_metadata"].is_object() { &message["usage_metadata"] } else { &about["token_usage"] };
    let body = made::answer(&text, made::stop(reason), made::usage(counts), about["model_name"].as_str());
    // Messages as LangChain writes objects, or the bare text of a completion model.
    let messages: Value = serde_json::from_str(prompt).unwrap_or_else(|_| prompt.into());
    let turns: Vec<Value> = messages.as_array().map_or(vec![], |all| all.iter().map(|m| m["kwargs"].clone()).collect());
    let asked = if turns.is_empty() { made::last_user(&messages) } else { made::last_user(&Value::Array(turns.clone())) };
    let system = turns.iter().find(|m| m["type"] == "system").and_then(|m| made::content(&m["content"]));
    // What stands behind the model's settings is how it was called.
    let llm = row["llm"].as_str().unwrap_or_default();
    let settings: Value = llm.split("---").next().and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default();
    let fields = json!({"text": asked, "system": system, "model": settings["kwargs"]["model_name"], "settings": settings["kwargs"], "idx": row["idx"]});
    Ok((fields, Exchange { provider: made::PROVIDER, asked, status: 200, body, is_made: true, ..Exchange::default() }))
}
