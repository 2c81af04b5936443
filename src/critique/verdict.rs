//! A judge's reply: {"verdict": ..., "reason": ...}, read with the tolerance of a critique.

use serde_json::Value;

use super::list;
use super::scan::scan;
use super::{is_blank, repair};
use crate::model::{ParseReason, Reply, StopReason};

/// What a judge said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// Trimmed and in lower case. Which words are known is for whoever asked.
    pub verdict: String,
    pub reason: Option<String>,
    /// What reading forgave, see [`super::Repair::ALL`].
    pub repairs: Vec<String>,
}

/// Reads the one verdict of a reply. Two that differ are none.
pub fn verdict(reply: &Reply) -> Result<Judgement, ParseReason> {
    match reply.stop {
        StopReason::Refusal => return Err(ParseReason::Refusal),
        StopReason::ContentFilter => return Err(ParseReason::ContentFilter),
        StopReason::Length => return Err(ParseReason::Truncated),
        _ if is_blank(&reply.text) => return Err(ParseReason::Empty),
        _ => {}
    }
    let scan = scan(&reply.text);
    let answers: Vec<usize> = (0..scan.values.len()).filter(|i| scan.values[*i].value.get("verdict").is_some()).collect();
    let Some((first, others)) = answers.split_first() else {
        return Err(scan.flaw.map_or(ParseReason::NoJson, list::reason));
    };
    let word = |at: &usize| Some(scan.values[*at].value.get("verdict")?.as_str()?.trim().to_lowercase());
    let Some(verdict) = word(first).filter(|verdict| !verdict.is_empty()) else { return Err(ParseReason::Malformed) };
    if others.iter().any(|at| word(at).as_ref() != Some(&verdict)) {
        return Err(ParseReason::Malformed);
    }
    let reason = scan.values[*first].value.get("reason").and_then(Value::as_str).map(str::to_owned);
    Ok(Judgement { verdict, reason, repairs: repair::names(&scan.repairs(&answers)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_verdict_is_read_past_what_models_write_around_it() {
        let read = |text: &str, stop| {
            let reply = Reply { text: text.into(), stop, usage: None, model: None };
            verdict(&reply).map(|said| (said.verdict, said.reason.unwrap_or_default()))
        };
        let of = |verdict: &str, reason: &str| Ok((verdict.to_owned(), reason.to_owned()));
        for (text, want) in [
            (r#"{"verdict":"real","reason":"the fee is $20"}"#, of("real", "the fee is $20")),
            ("```json\n{\"verdict\": \" Spurious \",}\n```", of("spurious", "")),
            ("<think>{\"verdict\":\"real\"}</think>So: {'verdict': 'unsure'}", of("unsure", "")),
            (r#"{"verdict":"real"} {"verdict":"real"}"#, of("real", "")),
            (r#"{"verdict":"real"} or {"verdict":"spurious"}"#, Err(ParseReason::Malformed)),
            (r#"{"verdict":true}"#, Err(ParseReason::Malformed)),
            (r#"{"verdict":"re"#, Err(ParseReason::Truncated)),
            ("It is real.", Err(ParseReason::NoJson)),
            (" ", Err(ParseReason::Empty)),
        ] {
            assert_eq!(read(text, StopReason::End), want, "{text}");
        }
        assert_eq!(read(r#"{"verdict":"real"}"#, StopReason::Length), Err(ParseReason::Truncated));
    }
}
