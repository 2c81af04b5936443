//! The file form of one label, version 1: a line of labels.jsonl.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Answer, Defect, Kind, Label, Place, Rater, Verdict};
use crate::error::Error;
use crate::jsonl;

/// One line of labels.jsonl.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "One line of labels.jsonl", extend("allOf" = conditions()))]
pub struct LabelLine {
    /// Format version: 1.
    v: u32,
    kind: Kind,
    /// The end of the arm's path, such as `payments/sim-prose`. Absent: of any arm that has the very same thing in this place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    arm: Option<String>,
    ticket: String,
    /// Which run of the ticket.
    #[serde(default, skip_serializing_if = "is_first")]
    sample: u32,
    /// Of the critique (finding, mention), or of the draft that this pass left (defect, draft).
    pass: u32,
    /// Place of the finding in the critique's list, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    finding: Option<u32>,
    /// Digest of what was judged: 12 hex digits, see docs/formats.md.
    #[schemars(regex(pattern = r"^[0-9a-f]{12}$"))]
    of: String,
    /// `finding`: real, spurious, unsure. `draft`: correct, incorrect, unsure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    verdict: Option<Verdict>,
    /// `mention`: the sections that the critique speaks of, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sections: Option<Vec<usize>>,
    /// `defect`: every defect of the draft; an empty list says that there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    defects: Option<Vec<DefectLine>>,
    /// `human:NAME`, `model-reader:NAME`, `judge:MODEL` or `planted`.
    #[schemars(regex(pattern = r"^((human|model-reader|judge):\s*\S[\s\S]*|planted)$"))]
    rater: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DefectLine {
    pub class: String,
    /// A piece of the draft, as it stands there; empty where something is missing from it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub quote: String,
}

fn is_first(sample: &u32) -> bool {
    *sample == 0
}

/// Which keys each kind needs, and which it must not have.
fn conditions() -> serde_json::Value {
    let verdicts = |kind: Kind| {
        let all = [Verdict::Real, Verdict::Spurious, Verdict::Correct, Verdict::Incorrect, Verdict::Unsure];
        all.into_iter().filter(|verdict| verdict.fits(kind)).map(Verdict::name).collect::<Vec<_>>()
    };
    let of = |kind: Kind| {
        let needed = needs(kind);
        let mut properties = serde_json::Map::new();
        for key in OF_KINDS {
            let value = match key {
                _ if !needed.contains(&key) => serde_json::json!({ "type": "null" }),
                "verdict" => serde_json::json!({ "enum": verdicts(kind) }),
                "finding" => serde_json::json!({ "type": "integer" }),
                _ => serde_json::json!({ "type": "array" }),
            };
            properties.insert(key.to_owned(), value);
        }
        serde_json::json!({
            "if": { "properties": { "kind": { "const": kind.name() } } },
            "then": { "required": needed, "properties": properties },
        })
    };
    Kind::ALL.into_iter().map(of).collect()
}

/// Keys that only some kinds have.
const OF_KINDS: [&str; 4] = ["finding", "verdict", "sections", "defects"];

const fn needs(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Finding => &["finding", "verdict"],
        Kind::Mention => &["sections"],
        Kind::Defect => &["defects"],
        Kind::Draft => &["verdict"],
    }
}

impl LabelLine {
    /// What no type can say.
    fn check(self) -> Result<Label, String> {
        let kind = self.kind;
        if self.v != 1 {
            return Err(format!("v: version {} of the label format is not known; expected 1", self.v));
        }
        let has = [self.finding.is_some(), self.verdict.is_some(), self.sections.is_some(), self.defects.is_some()];
        for (key, has) in OF_KINDS.into_iter().zip(has) {
            match (has, needs(kind).contains(&key)) {
                (false, true) => return Err(format!("missing key `{key}`, which a label of kind {} has", kind.name())),
                (true, false) => {
                    let expected = needs(kind).join(" and ");
                    return Err(format!("{key}: a label of kind {} has none; expected {expected}", kind.name()));
                }
                _ => {}
            }
        }
        if self.of.len() != 12 || !self.of.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(format!("of: `{}` is no digest; expected 12 hex digits in lower case", self.of));
        }
        let answer = match (self.verdict, self.sections, self.defects) {
            (Some(verdict), ..) if verdict.fits(kind) => Answer::Verdict(verdict),
            (Some(verdict), ..) => {
                let of = if kind == Kind::Finding { "real, spurious or unsure" } else { "correct, incorrect or unsure" };
                return Err(format!("verdict: a {} is not {}; expected {of}", kind.name(), verdict.name()));
            }
            (_, Some(mut sections), _) => {
                sections.sort_unstable();
                sections.dedup();
                Answer::Sections(sections)
            }
            (.., defects) => {
                let defects = defects.unwrap_or_default().into_iter().map(|d| Defect { class: d.class, quote: d.quote });
                Answer::Defects(defects.collect())
            }
        };
        let rater = Rater::parse(&self.rater)?;
        let place = Place { ticket: self.ticket, sample: self.sample, pass: self.pass, kind, finding: self.finding };
        Ok(Label { line: None, arm: self.arm, place, of: self.of, answer, rater, note: self.note })
    }
}

/// One line read. The error is for people: which key, and what was expected.
pub fn line(path: &Path, number: usize, bytes: &[u8]) -> Result<Label, Error> {
    let label = jsonl::parse::<LabelLine>(path, number, bytes)?.check().map_err(|what| Error::at_line(path, number, what))?;
    Ok(Label { line: Some(number), ..label })
}

/// A label as a line of the file, with its end.
pub fn written(label: &Label) -> String {
    let (verdict, sections, defects) = match &label.answer {
        Answer::Verdict(verdict) => (Some(*verdict), None, None),
        Answer::Sections(sections) => (None, Some(sections.clone()), None),
        Answer::Defects(defects) => {
            let line = |defect: &Defect| DefectLine { class: defect.class.clone(), quote: defect.quote.clone() };
            (None, None, Some(defects.iter().map(line).collect()))
        }
    };
    let line = LabelLine {
        v: 1,
        kind: label.place.kind,
        arm: label.arm.clone(),
        ticket: label.place.ticket.clone(),
        sample: label.place.sample,
        pass: label.place.pass,
        finding: label.place.finding,
        of: label.of.clone(),
        verdict,
        sections,
        defects,
        rater: label.rater.to_string(),
        note: label.note.clone(),
    };
    // Plain data with string keys cannot fail to be written.
    serde_json::to_string(&line).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Result<Label, String> {
        line(Path::new("labels.jsonl"), 7, text.as_bytes()).map_err(|e| e.to_string())
    }

    const FINDING: &str = r#"{"v":1,"kind":"finding","arm":"x/y","ticket":"a","pass":1,"finding":0,"of":"0123456789ab","verdict":"real","rater":"human:ana"}"#;

    #[test]
    fn a_wrong_line_says_what_was_expected() {
        assert_eq!(read(FINDING).unwrap().place.to_string(), "a pass 1 finding 1");
        for (from, to, want) in [
            (r#""verdict""#, r#""verdit""#, "unknown key `verdit`; did you mean `verdict`?"),
            (r#""v":1"#, r#""v":2"#, "v: version 2 of the label format is not known; expected 1"),
            (r#""kind":"finding""#, r#""kind":"findings""#, "kind: `findings` is not known; did you mean `finding`?"),
            (r#""finding":0,"#, "", "missing key `finding`, which a label of kind finding has"),
            (r#""verdict":"real""#, r#""verdict":"correct""#, "verdict: a finding is not correct; expected real, spurious or unsure"),
            (r#""verdict":"real""#, r#""verdict":"true""#, "verdict: `true` is not known"),
            (
                r#""verdict":"real""#,
                r#""verdict":"real","sections":[1]"#,
                "sections: a label of kind finding has none; expected finding and verdict",
            ),
            ("0123456789ab", "0123456789AB", "of: `0123456789AB` is no digest; expected 12 hex digits in lower case"),
            ("human:ana", "ana", "rater `ana` does not say what it is"),
            (r#""pass":1"#, r#""pass":-1"#, "expected a whole number, 0 or more"),
        ] {
            let got = read(&FINDING.replacen(from, to, 1)).unwrap_err();
            assert!(got.starts_with("labels.jsonl:7: ") && got.contains(want), "{to}: {got}");
        }
        let draft = FINDING.replace("\"kind\":\"finding\"", "\"kind\":\"draft\"").replace("\"finding\":0,", "");
        assert!(read(&draft).unwrap_err().contains("verdict: a draft is not real; expected correct, incorrect or unsure"));
    }

    fn any_label() -> impl Strategy<Value = Label> {
        let text = || "\\PC{0,12}|[\\x00-\\x1f\"\\\\]{1,4}";
        let answer = prop_oneof![
            (0usize..3).prop_map(|i| (Kind::Finding, Answer::Verdict([Verdict::Real, Verdict::Spurious, Verdict::Unsure][i]))),
            (0usize..3).prop_map(|i| (Kind::Draft, Answer::Verdict([Verdict::Correct, Verdict::Incorrect, Verdict::Unsure][i]))),
            prop::collection::btree_set(0usize..9, 0..4).prop_map(|set| (Kind::Mention, Answer::Sections(set.into_iter().collect()))),
            prop::collection::vec((text(), text()), 0..3).prop_map(|list| {
                (Kind::Defect, Answer::Defects(list.into_iter().map(|(class, quote)| Defect { class, quote }).collect()))
            }),
        ];
        let rater = prop_oneof![
            Just(Rater::Planted),
            "[a-z:é ]{0,6}[a-z]".prop_map(Rater::Human),
            "[a-z]{1,6}".prop_map(Rater::ModelReader),
            "[a-z:./-]{1,9}".prop_map(Rater::Judge)
        ];
        let place = (text(), 0u32..3, 0u32..4, 0u32..5);
        (answer, rater, place, "[0-9a-f]{12}", prop::option::of(text()), prop::option::of(text())).prop_map(
            |((kind, answer), rater, (ticket, sample, pass, at), of, arm, note)| {
                let finding = (kind == Kind::Finding).then_some(at);
                Label { line: Some(7), arm, place: Place { ticket, sample, pass, kind, finding }, of, answer, rater, note }
            },
        )
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(label in any_label()) {
            let text = written(&label);
            prop_assert_eq!(text.find('\n'), Some(text.len() - 1));
            prop_assert_eq!(read(&text).unwrap(), label);
        }

        #[test]
        fn nothing_panics_and_errors_name_the_line(label in any_label(), cut in 0usize..200, with in "\\PC{0,3}") {
            let mut text = written(&label);
            let at = (0..=cut.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            text.insert_str(at, &with);
            if let Err(e) = read(&text) {
                prop_assert!(e.starts_with("labels.jsonl:7: "), "{}", e);
            }
        }
    }
}
