//! Labels: what somebody who looked says of a finding, a critique or a draft. Read from labels.jsonl and from recorded judge calls, joined to
//! the runs of an arm, and never used where what was judged has changed since.

pub mod agree;
mod digest;
mod file;
mod form;
pub mod join;
pub mod judge;
mod overlay;
pub mod sample;
mod thing;

pub use digest::draft as draft_digest;
pub use file::{Labels, append, torn_end};
pub use form::{DefectLine, LabelLine, line};
pub use join::{Join, Stale, of_run};
pub use overlay::Laid;
pub use thing::{Thing, things};

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::hint;

/// What is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A finding of a critique: is there such a defect in the draft it speaks of?
    Finding,
    /// A critique: which sections of the draft does it speak of?
    Mention,
    /// A draft: which defects are in it?
    Defect,
    /// A draft: is it correct?
    Draft,
}

impl Kind {
    pub const ALL: [Kind; 4] = [Kind::Finding, Kind::Mention, Kind::Defect, Kind::Draft];

    pub const fn name(self) -> &'static str {
        match self {
            Kind::Finding => "finding",
            Kind::Mention => "mention",
            Kind::Defect => "defect",
            Kind::Draft => "draft",
        }
    }
}

/// A judgement in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Of a finding: the draft has this defect.
    Real,
    /// Of a finding: the draft has no such defect.
    Spurious,
    /// Of a draft.
    Correct,
    /// Of a draft.
    Incorrect,
    /// Of either: what is at hand does not tell.
    Unsure,
}

impl Verdict {
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Real => "real",
            Verdict::Spurious => "spurious",
            Verdict::Correct => "correct",
            Verdict::Incorrect => "incorrect",
            Verdict::Unsure => "unsure",
        }
    }

    /// True where things of this kind can be judged so.
    pub const fn fits(self, kind: Kind) -> bool {
        match kind {
            Kind::Finding => matches!(self, Verdict::Real | Verdict::Spurious | Verdict::Unsure),
            Kind::Draft => matches!(self, Verdict::Correct | Verdict::Incorrect | Verdict::Unsure),
            Kind::Mention | Kind::Defect => false,
        }
    }
}

/// Who judged, and what makes the judgement worth something. Written `human:NAME`, `model-reader:NAME`, `judge:MODEL` or `planted`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rater {
    /// The defect was put there on purpose, so nobody had to look.
    Planted,
    /// A person.
    Human(String),
    /// A language model that read what was recorded, off the record: no call says how it was asked.
    ModelReader(String),
    /// A language model whose call was recorded.
    Judge(String),
}

impl Rater {
    /// Surest first.
    pub const PROVENANCES: [&'static str; 4] = ["planted", "human", "model-reader", "judge"];

    /// The part before the colon.
    pub const fn provenance(&self) -> &'static str {
        match self {
            Rater::Planted => Rater::PROVENANCES[0],
            Rater::Human(_) => Rater::PROVENANCES[1],
            Rater::ModelReader(_) => Rater::PROVENANCES[2],
            Rater::Judge(_) => Rater::PROVENANCES[3],
        }
    }

    pub fn parse(text: &str) -> Result<Rater, String> {
        let expected = "expected human:NAME, model-reader:NAME, judge:MODEL or planted";
        let made: fn(String) -> Rater = match text.split_once(':') {
            None if text == "planted" => return Ok(Rater::Planted),
            None => return Err(format!("rater `{text}` does not say what it is; {expected}")),
            Some(("human", _)) => Rater::Human,
            Some(("model-reader", _)) => Rater::ModelReader,
            Some(("judge", _)) => Rater::Judge,
            Some((other, _)) => {
                return Err(format!("rater `{text}`: `{other}` is not known{}; {expected}", hint(other, &Rater::PROVENANCES)));
            }
        };
        match text.split_once(':') {
            Some((_, name)) if !name.trim().is_empty() => Ok(made(name.to_owned())),
            _ => Err(format!("rater `{text}` has no name; {expected}")),
        }
    }
}

impl fmt::Display for Rater {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.provenance())?;
        match self {
            Rater::Planted => Ok(()),
            Rater::Human(name) | Rater::ModelReader(name) | Rater::Judge(name) => write!(f, ":{name}"),
        }
    }
}

/// Where the judged thing is: of the critique in pass k, or of the draft that pass k left.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    pub ticket: String,
    pub sample: u32,
    pub pass: u32,
    pub kind: Kind,
    /// Place in the critique's list, from 0; None for other kinds.
    pub finding: Option<u32>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} pass {}", self.ticket, self.pass)?;
        if self.sample > 0 {
            write!(f, " sample {}", self.sample)?;
        }
        match self.finding {
            Some(at) => write!(f, " finding {}", at + 1),
            None => write!(f, " {}", self.kind.name()),
        }
    }
}

/// What was said of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Verdict(Verdict),
    /// The sections that the critique speaks of, ascending, from 0; none where it speaks of none.
    Sections(Vec<usize>),
    /// Every defect that the rater saw in the draft; none where there is none.
    Defects(Vec<Defect>),
}

/// A defect in a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect {
    pub class: String,
    /// The piece of the draft that has it; empty where something is missing.
    pub quote: String,
}

/// One judgement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// In labels.jsonl; None for a judge's call.
    pub line: Option<usize>,
    /// End of the arm's path, such as `payments/sim-prose`. None: of whichever arm has the very same thing there.
    pub arm: Option<String>,
    pub place: Place,
    /// Digest of what was judged, see docs/formats.md.
    pub of: String,
    pub answer: Answer,
    pub rater: Rater,
    pub note: Option<String>,
}

impl Label {
    /// True where it was made for an arm of this path (`/` between folders), as far as both paths go.
    pub fn is_for(&self, arm: &str) -> bool {
        self.arm.as_deref().is_none_or(|own| own.rsplit('/').zip(arm.rsplit('/')).all(|(a, b)| a == b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rater_says_what_it_is() {
        for text in ["human:ana", "model-reader:reader-1", "judge:gpt:4", "planted"] {
            assert_eq!(Rater::parse(text).unwrap().to_string(), text);
        }
        for (text, want) in [
            ("ana", "rater `ana` does not say what it is; expected human:NAME"),
            ("humen:ana", "`humen` is not known; did you mean `human`?"),
            ("human: ", "has no name"),
            ("planted:x", "`planted` is not known"),
        ] {
            assert!(Rater::parse(text).unwrap_err().contains(want), "{text}: {}", Rater::parse(text).unwrap_err());
        }
    }

    #[test]
    fn an_arm_is_named_by_the_end_of_its_path() {
        let label = |arm: Option<&str>| Label {
            line: None,
            arm: arm.map(str::to_owned),
            place: Place { ticket: "a".into(), sample: 0, pass: 1, kind: Kind::Draft, finding: None },
            of: String::new(),
            answer: Answer::Verdict(Verdict::Correct),
            rater: Rater::Planted,
            note: None,
        };
        for (own, arm, want) in [
            (Some("x/arm"), "/data/x/arm", true),
            (Some("y/arm"), "/data/x/arm", false),
            (Some("x/arm"), "arm", true),
            (Some("arm"), "x/other-arm", false),
            (None, "anything", true),
        ] {
            assert_eq!(label(own).is_for(arm), want, "{own:?} {arm}");
        }
    }
}
