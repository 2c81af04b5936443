//! Recorded judge calls as labels. The loop never asks them; they stand in the recording of the arm whose findings and drafts they judge.
//!
//! Slot {pass k, role judge, n}: where critique k has a finding n, the call judges it; else it judges the draft that pass k left.

use super::thing::Thing;
use super::{Answer, Kind, Label, Place, Rater, Verdict};
use crate::api::{self, Wire};
use crate::critique::verdict;
use crate::model::{Finding, Role, Run, Slot, Usage};
use crate::tape::CallLine;

/// A recorded judge call, read.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeCall {
    pub slot: Slot,
    /// The model that answered, or that was asked.
    pub model: String,
    /// The word and the reason, or why there is none.
    pub said: Result<(String, Option<String>), String>,
    /// Every text of the request; None where it was not recorded.
    asked: Option<Vec<String>>,
    pub usage: Option<Usage>,
}

/// What the judge calls of one run came to.
#[derive(Debug, Clone, Default)]
pub struct Judged {
    pub labels: Vec<Label>,
    /// Calls that are no labels, each with the reason.
    pub unused: Vec<(Slot, String)>,
}

/// A line of the recording, if it is a judge's. `wire` is the loop's, for calls whose request was not recorded.
pub fn call(line: &CallLine<'_>, wire: &dyn Wire) -> Option<JudgeCall> {
    if line.slot.role != Role::Judge {
        return None;
    }
    let wire = line.request.as_ref().and_then(|request| api::by_name(&request.provider)).unwrap_or(wire);
    let body: Option<serde_json::Value> = line.request.as_ref().and_then(|request| serde_json::from_str(request.body.get()).ok());
    let reply = match line.response.is_success() {
        true => wire.reply(line.response.body.get()),
        false => Err(format!("no answer: status {}", line.response.status)),
    };
    let asked_of = body.as_ref().and_then(|body| body.get("model")?.as_str());
    let answered = reply.as_ref().ok().and_then(|reply| reply.model.as_deref());
    let model = answered.or(asked_of).filter(|name| !name.trim().is_empty()).unwrap_or("unknown").to_owned();
    let usage = reply.as_ref().ok().and_then(|reply| reply.usage);
    let said = reply.and_then(|reply| match verdict(&reply) {
        Ok(said) => Ok((said.verdict, said.reason)),
        Err(reason) => Err(format!("the answer cannot be read: {}", reason.name())),
    });
    let asked = body.map(|body| {
        let mut texts = vec![];
        collect(&body, &mut texts);
        texts
    });
    Some(JudgeCall { slot: line.slot(), model, said, asked, usage })
}

fn collect(value: &serde_json::Value, out: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) => out.push(text.clone()),
        serde_json::Value::Array(list) => list.iter().for_each(|one| collect(one, out)),
        serde_json::Value::Object(map) => map.values().for_each(|one| collect(one, out)),
        _ => {}
    }
}

/// The labels of one run, from the judge calls of its ticket. A call counts only if its request holds what it is said to judge: after a new
/// recording of the critic the old judge's call stands in the slot of another finding.
pub fn labels(run: &Run, things: &[Thing], calls: &[JudgeCall]) -> Judged {
    let mut out = Judged::default();
    for call in calls.iter().filter(|call| call.slot.sample == run.sample) {
        match label(run, things, call) {
            Ok(label) => out.labels.push(label),
            Err(why) => out.unused.push((call.slot, why)),
        }
    }
    out
}

fn label(run: &Run, things: &[Thing], call: &JudgeCall) -> Result<Label, String> {
    let (word, reason) = call.said.clone()?;
    let pass = run.passes.iter().find(|pass| pass.index == call.slot.pass).ok_or("the run has no such pass")?;
    let findings = pass.critique.as_ref().and_then(|critique| critique.findings.as_deref()).unwrap_or_default();
    let (kind, finding, judged) = match findings.get(call.slot.n as usize) {
        Some(finding) => (Kind::Finding, Some(call.slot.n), quoted(finding)),
        None => (Kind::Draft, None, pass.draft.as_deref().ok_or("the pass left no draft")?),
    };
    let known = [Verdict::Real, Verdict::Spurious, Verdict::Correct, Verdict::Incorrect, Verdict::Unsure];
    let fitting = known.into_iter().filter(|verdict| verdict.fits(kind));
    let verdict = fitting.clone().find(|verdict| verdict.name() == word).ok_or_else(|| {
        let names: Vec<&str> = fitting.map(Verdict::name).collect();
        format!("`{word}` is no verdict of a {}; expected {}", kind.name(), names.join(", "))
    })?;
    let holds = |texts: &Vec<String>| texts.iter().any(|text| text.contains(judged.trim()));
    if call.asked.as_ref().is_some_and(|texts| !holds(texts)) {
        return Err(format!("its request does not hold the {} that stands there now", kind.name()));
    }
    let place = Place { ticket: run.ticket.clone(), sample: run.sample, pass: pass.index, kind, finding };
    let thing = things.iter().find(|thing| thing.place == place).ok_or("there is nothing to judge")?;
    let (of, rater) = (thing.of.clone(), Rater::Judge(call.model.clone()));
    Ok(Label { line: None, arm: None, place, of, answer: Answer::Verdict(verdict), rater, note: reason })
}

/// What of a finding must stand in the request.
fn quoted(finding: &Finding) -> &str {
    finding.quote.as_deref().filter(|quote| !quote.trim().is_empty()).unwrap_or(&finding.label)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::label::things;
    use crate::model::{Critique, CritiqueStatus, Pass, Stop};
    use crate::text::section::SectionRule;

    fn run() -> Run {
        let finding = |label: &str, quote: Option<&str>| Finding {
            label: label.into(),
            severity: "major".into(),
            rank: Some(0),
            quote: quote.map(str::to_owned),
            source_id: None,
            source_quote: None,
            raw: serde_json::Map::new(),
            anchor: None,
            drop: None,
        };
        let critique = Critique {
            status: CritiqueStatus::Ok,
            text: "x".into(),
            findings: Some(vec![finding("vague", Some("due soon")), finding("tone", None)]),
            repairs: vec![],
            quotations: vec![],
        };
        let draft = Some("The fee is due soon.".to_owned());
        let passes = vec![Pass { draft: draft.clone(), ..Pass::new(0) }, Pass { critique: Some(critique), draft, ..Pass::new(1) }];
        Run { ticket: "a".into(), sample: 0, passes, stop: Stop::MaxPasses, fault: None, unused: vec![] }
    }

    fn told(pass: u32, n: u32, asked: Option<&str>, answer: &str) -> Result<(String, String, String), String> {
        let request = asked.map_or(String::new(), |asked| {
            let content = serde_json::to_string(asked).unwrap();
            format!(r#""request":{{"provider":"openai-chat","endpoint":"/v1/chat/completions","body":{{"model":"m-asked","messages":[{{"role":"user","content":{content}}}]}}}},"#)
        });
        let content = serde_json::to_string(answer).unwrap();
        let line = format!(
            r#"{{"v":1,"slot":{{"ticket":"a","pass":{pass},"role":"judge","n":{n}}},{request}"response":{{"status":200,"body":{{"choices":[{{"message":{{"content":{content}}},"finish_reason":"stop"}}]}}}}}}"#
        );
        let wire = api::by_name("openai-chat").unwrap();
        let line: CallLine<'_> = serde_json::from_str(&line).unwrap();
        let run = run();
        let judged = labels(&run, &things(&run, SectionRule::Auto), &[call(&line, wire).unwrap()]);
        match (judged.labels.first(), judged.unused.first()) {
            (Some(label), None) => Ok((label.place.to_string(), label.rater.to_string(), format!("{:?}", label.answer))),
            (None, Some((_, why))) => Err(why.clone()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_judge_says_what_its_slot_and_its_words_say() {
        let of = |place: &str, rater: &str, verdict: &str| Ok((place.to_owned(), rater.to_owned(), format!("Verdict({verdict})")));
        let no = |why: &str| Err(why.to_owned());
        for (pass, n, asked, answer, want) in [
            (1, 0, Some("Is 'due soon' vague?"), r#"{"verdict":"real"}"#, of("a pass 1 finding 1", "judge:m-asked", "Real")),
            (1, 1, Some("Is the tone bad?"), r#"{"verdict":"spurious"}"#, of("a pass 1 finding 2", "judge:m-asked", "Spurious")),
            (
                1,
                2,
                Some("Draft: The fee is due soon. Right?"),
                r#"{"verdict":"incorrect"}"#,
                of("a pass 1 draft", "judge:m-asked", "Incorrect"),
            ),
            (0, 0, None, "It is {verdict: \"correct\"}", of("a pass 0 draft", "judge:unknown", "Correct")),
            (
                1,
                0,
                Some("Is 'next week' vague?"),
                r#"{"verdict":"real"}"#,
                no("its request does not hold the finding that stands there now"),
            ),
            (0, 0, Some("Is it right?"), r#"{"verdict":"correct"}"#, no("its request does not hold the draft that stands there now")),
            (1, 0, None, r#"{"verdict":"correct"}"#, no("`correct` is no verdict of a finding; expected real, spurious, unsure")),
            (1, 0, None, "real", no("the answer cannot be read: no_json")),
            (2, 0, None, r#"{"verdict":"real"}"#, no("the run has no such pass")),
        ] {
            assert_eq!(told(pass, n, asked, answer), want, "{answer}");
        }
    }
}
