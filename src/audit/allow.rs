//! audit.toml beside an arm's loop.toml: which rules are allowed to be broken there, and why. Format version 1.

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::error::{Error, hint};
use crate::files;

pub const FILE: &str = "audit.toml";

/// audit.toml as it is written.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "audit.toml: what an arm's audit allows")]
pub struct AllowFile {
    /// Format version: 1.
    version: u32,
    #[serde(default)]
    allow: Vec<Allow>,
}

/// One rule that this arm may break.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Allow {
    /// Code or name of the rule.
    pub rule: String,
    /// Why it may; must say something.
    pub reason: String,
}

/// What the arm allows, rules by code; nothing where there is no such file.
pub fn read(dir: &Path) -> Result<Vec<Allow>, Error> {
    let path = dir.join(FILE);
    if !path.exists() {
        return Ok(vec![]);
    }
    let text = files::text(&path, "read what the audit allows")?;
    let file: AllowFile = crate::toml::read(&path, &text)?;
    if file.version != 1 {
        return Err(Error::at(&path, format!("version: {} of the audit format is not known; expected 1", file.version)));
    }
    let mut out: Vec<Allow> = vec![];
    for (at, allow) in file.allow.into_iter().enumerate() {
        let wrong = |what: String| Error::at(&path, format!("allow[{at}]: {what}"));
        let Some(rule) = super::find(&allow.rule) else {
            let codes: Vec<&str> = super::ALL.iter().map(|rule| rule.page().code).collect();
            let what = format!("no rule is called `{}`{}; `redraft audit --explain all` lists them", allow.rule, hint(&allow.rule, &codes));
            return Err(wrong(what));
        };
        let code = rule.page().code;
        if allow.reason.trim().is_empty() {
            return Err(wrong(format!("{code} is allowed without a reason; expected `reason = \"...\"`")));
        }
        if out.iter().any(|known| known.rule == code) {
            return Err(wrong(format!("{code} is allowed twice")));
        }
        out.push(Allow { rule: code.to_owned(), reason: allow.reason });
    }
    Ok(out)
}
