//! What critics are worth: which known defects of draft 0 they caught, whether arms can be held side by side, and whether their quotations hold.
//!
//! One file a table. A table is plain data, made by an accumulator that is fed run by run; docs/critic.md defines every number.

pub mod catch;
pub mod grounding;
pub mod hit;
pub mod labelled;
pub mod versus;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::arm::LoopFile;
use crate::dataset::IdHash;
use crate::ledger::Header;
use crate::metric::fate::label;
use crate::model::{Critique, PlantedDefect, Role, Ticket};
use crate::side::Look;
use crate::text::section::SectionRule;
use catch::{CatchSum, Catches, ClassRow, Strays};
use grounding::{Checked, Grounding, GroundingSum, Row};
use hit::{Defect, Hits};
use labelled::{LabelSum, Labelled, Resolve, RunLabels};
use versus::{Kept, KeptDefect, Origin, Runs, Versus};

/// What `redraft critic` finds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "critic.json: what critics caught, and whether their quotations hold")]
pub struct Critic {
    /// Format version: 1.
    pub version: u32,
    /// In the order they were given; the first is what the others are held against.
    pub arms: Vec<ArmLine>,
    /// Known defects of draft 0, class by class.
    pub catches: Vec<ClassRow>,
    /// Over all classes, one an arm.
    pub all_classes: Vec<Catches>,
    /// Findings that hit no known defect, one an arm.
    pub strays: Vec<Strays>,
    /// Every other arm against the first.
    pub versus: Vec<Versus>,
    /// Grounded findings, one an arm that has such critiques.
    pub grounding: Vec<Grounding>,
    /// What labels say of each arm, one an arm and kind of rater.
    #[serde(default)]
    pub labelled: Vec<Labelled>,
    /// Labels that are of something else by now: not used.
    #[serde(default)]
    pub stale_labels: Vec<String>,
}

impl Critic {
    pub fn to_json(&self) -> String {
        crate::jsonl::pretty(self)
    }

    /// True where a table has something to tell.
    pub fn tells(&self) -> bool {
        self.all_classes.iter().any(|arm| arm.of + arm.prose > 0) || !self.grounding.is_empty() || !self.labelled.is_empty()
    }
}

/// One arm: what it is, and what was looked at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArmLine {
    pub arm: String,
    /// As it was given.
    pub place: String,
    /// Null where the spec does not say: then each critique is taken for what it looks like.
    pub format: Option<Format>,
    /// What the critic sees of the conversation: `fresh` or `conversation`; null where the spec does not say.
    pub context: Option<String>,
    pub dataset: String,
    pub dataset_digest: String,
    /// Not empty where the answers were not made by a model.
    pub synthetic: String,
    pub runs: u64,
    /// Runs whose ticket is not at hand: nothing is known of their defects, checks and sources.
    pub tickets_unknown: u64,
    /// Runs that ended in a fault, be it after the first critique.
    pub faults: u64,
    /// First critiques that could not be read: they caught nothing.
    pub unreadable: u64,
    /// Runs without a critique of draft 0.
    pub uncritiqued: u64,
    /// Known defects of all runs.
    pub defects: u64,
    /// What a reader must know of how it was read.
    pub warnings: Vec<String>,
}

/// How an arm's critics write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    Prose,
    Findings,
    Grounded,
}

impl Format {
    pub const fn name(self) -> &'static str {
        match self {
            Format::Prose => "prose",
            Format::Findings => "findings",
            Format::Grounded => "grounded",
        }
    }
}

/// What of an arm's spec the tables depend on. Keys that are missing have the defaults of loop.toml.
#[derive(Debug, Clone, PartialEq)]
pub struct About {
    pub header: Header,
    /// None where the spec does not say.
    pub format: Option<Format>,
    pub context: Option<String>,
    pub sections: SectionRule,
    /// Least similarity of a fuzzy anchor.
    pub threshold: f64,
    /// How raters of one kind who differ are resolved.
    pub resolve: Resolve,
    /// Writer's and critic's model.
    pub requested: [Option<String>; 2],
}

impl About {
    pub fn of(header: Header) -> About {
        let spec = LoopFile::resolved(&header.spec).unwrap_or_else(|| header.spec.clone());
        let text = |path: &str| spec.pointer(path).and_then(Value::as_str).map(str::to_owned);
        let model = |role: &str| text(&format!("/{role}/model")).or_else(|| text("/model/name"));
        let sections = spec.get("sections").and_then(|rule| serde_json::from_value(rule.clone()).ok()).unwrap_or_default();
        About {
            format: match text("/critic/format").as_deref() {
                Some("prose") => Some(Format::Prose),
                Some("findings") => Some(Format::Findings),
                Some("grounded") => Some(Format::Grounded),
                _ => None,
            },
            context: text("/critic/context"),
            resolve: Resolve::default(),
            sections,
            threshold: spec.pointer("/anchor/threshold").and_then(Value::as_f64).unwrap_or(0.80),
            requested: [model("writer"), model("critic")],
            header,
        }
    }
}

impl About {
    /// The format, where need be by what the critique looks like.
    pub fn format_of(&self, critique: Option<&Critique>) -> Format {
        let guess = || match critique.map(|critique| critique.findings.as_deref()) {
            Some(Some(findings)) if findings.iter().any(|finding| finding.source_id.is_some()) => Format::Grounded,
            Some(None) if critique.is_some_and(Critique::is_readable) => Format::Prose,
            _ => Format::Findings,
        };
        self.format.unwrap_or_else(guess)
    }
}

/// What the tables take of one run.
pub struct Seen {
    ticket: String,
    sample: u32,
    known: bool,
    fault: bool,
    unreadable: bool,
    critiqued: bool,
    defects: Vec<PlantedDefect>,
    hits: Hits,
    decided: Vec<Option<bool>>,
    kept: Kept,
    checked: Checked,
    labels: RunLabels,
}

impl Seen {
    /// Its grounded findings, as the log holds them.
    pub fn rows(&self) -> &[Row] {
        &self.checked.rows
    }
}

/// Known defects as the tables take them.
pub fn defects(planted: &[PlantedDefect]) -> Vec<Defect<'_>> {
    planted.iter().map(|defect| Defect { class: &defect.class, quote: defect.quote.as_deref() }).collect()
}

/// Looks at one run. `planted` are the known defects of its draft 0.
pub fn look(look: &Look<'_>, about: &About, planted: &[PlantedDefect]) -> Seen {
    let run = look.run;
    let draft = run.drafts().next().filter(|(pass, _)| *pass == 0).map(|(_, draft)| draft);
    let critique = run.passes.iter().find(|pass| pass.index == 1).and_then(|pass| pass.critique.as_ref());
    let known = defects(planted);
    let text = draft.unwrap_or_default();
    let critique = critique.filter(|_| draft.is_some());
    let format = about.format_of(critique);
    let hits = hit::hits(&known, text, about.sections.settle(text), format, critique);
    // Where no defect is known, a finding that hits none says nothing.
    let on_defects = if known.is_empty() { &[][..] } else { &hits.findings };
    let grounded = format == Format::Grounded && !run.passes.is_empty();
    let mut checked =
        if grounded { grounding::check(look.ticket, look.known, run, about.threshold, on_defects) } else { Checked::default() };
    checked.rows.iter_mut().for_each(|row| row.arm.clone_from(&about.header.arm));
    let answered = |role: Role| look.answered.iter().find(|(slot, _)| slot.role == role).map(|(_, model)| model.clone());
    let request = run.passes.iter().flat_map(|pass| &pass.calls).find(|call| call.slot.role == Role::Writer);
    let kept = Kept {
        brief: look.known.then(|| brief(look.ticket)),
        request: request.filter(|call| !call.key.is_empty()).map(|call| IdHash::of(&call.key)),
        draft: draft.map(IdHash::of),
        writer: answered(Role::Writer),
        critic: answered(Role::Critic),
        defects: kept_defects(&known, &hits),
    };
    Seen {
        ticket: run.ticket.clone(),
        sample: run.sample,
        known: look.known,
        fault: run.fault.is_some(),
        unreadable: critique.is_some_and(|critique| !critique.is_readable()),
        critiqued: critique.is_some(),
        decided: hit::decided(&known, &look.ticket.checks, text),
        defects: planted.to_vec(),
        hits,
        kept,
        checked,
        labels: labelled::look(look, about, about.resolve),
    }
}

/// Everything of a ticket that a prompt can show of its case.
fn brief(ticket: &Ticket) -> IdHash {
    let sources: Vec<[&str; 3]> = ticket.sources.iter().map(|s| [s.id.as_str(), s.title.as_str(), s.text.as_str()]).collect();
    // JSON keeps the pieces apart, whatever they hold.
    IdHash::of(&serde_json::json!([ticket.prompt, sources, ticket.fields]).to_string())
}

fn kept_defects<'d>(known: &[Defect<'d>], hits: &Hits) -> Vec<KeptDefect> {
    let mut seen: BTreeMap<(String, Option<&'d str>), u64> = BTreeMap::new();
    let one = |(defect, outcome): (&Defect<'d>, &hit::Outcome)| {
        let class = label(defect.class);
        let nth = seen.entry((class.clone(), defect.quote)).or_default();
        *nth += 1;
        // JSON keeps the pieces apart, whatever they hold.
        KeptDefect { id: IdHash::of(&serde_json::json!([class, defect.quote, nth]).to_string()), class, outcome: *outcome }
    };
    known.iter().zip(&hits.outcomes).map(one).collect()
}

/// One arm in the making.
pub struct ArmSum {
    line: ArmLine,
    about: About,
    catches: CatchSum,
    grounding: GroundingSum,
    labels: LabelSum,
    /// None where no other arm is held against it.
    runs: Option<Runs>,
}

impl ArmSum {
    /// `paired`: other arms are looked at too, so runs are kept to be held against theirs.
    pub fn new(name: &str, place: &str, about: &About, warnings: &[String], paired: bool) -> ArmSum {
        let header = &about.header;
        let line = ArmLine {
            arm: name.to_owned(),
            place: place.to_owned(),
            format: about.format,
            context: about.context.clone(),
            dataset: header.dataset.clone(),
            dataset_digest: header.dataset_digest.clone(),
            synthetic: header.synthetic.clone(),
            runs: 0,
            tickets_unknown: 0,
            faults: 0,
            unreadable: 0,
            uncritiqued: 0,
            defects: 0,
            warnings: warnings.to_vec(),
        };
        ArmSum {
            line,
            about: about.clone(),
            catches: CatchSum::default(),
            grounding: GroundingSum::default(),
            labels: LabelSum::default(),
            runs: paired.then(Runs::new),
        }
    }

    pub fn add(&mut self, seen: Seen) {
        self.line.runs += 1;
        self.line.tickets_unknown += u64::from(!seen.known);
        self.line.faults += u64::from(seen.fault);
        self.line.unreadable += u64::from(seen.unreadable);
        self.line.uncritiqued += u64::from(!seen.critiqued);
        self.line.defects += seen.defects.len() as u64;
        self.catches.add(&defects(&seen.defects), &seen.hits, &seen.decided);
        self.grounding.add(seen.checked);
        self.labels.add(seen.labels);
        if let Some(runs) = &mut self.runs {
            runs.insert((seen.ticket, seen.sample), seen.kept);
        }
    }
}

/// The tables of all arms.
pub fn finish(arms: Vec<ArmSum>) -> Critic {
    let sums: Vec<CatchSum> = arms.iter().map(|arm| arm.catches.clone()).collect();
    Critic {
        version: 1,
        catches: catch::rows(&sums),
        all_classes: sums.iter().map(CatchSum::total).collect(),
        strays: arms.iter().map(|arm| arm.catches.strays(&arm.line.arm)).collect(),
        versus: pairs(&arms),
        grounding: arms.iter().filter_map(|arm| arm.grounding.clone().finish(&arm.line.arm)).collect(),
        labelled: arms.iter().flat_map(|arm| arm.labels.finish(&arm.line.arm)).collect(),
        stale_labels: arms.iter().flat_map(|arm| arm.labels.stale.iter().map(|stale| format!("{}: {stale}", arm.line.arm))).collect(),
        arms: arms.into_iter().map(|arm| arm.line).collect(),
    }
}

fn pairs(arms: &[ArmSum]) -> Vec<Versus> {
    let Some((first, rest)) = arms.split_first() else { return vec![] };
    rest.iter().filter_map(|other| Some(versus::versus(&first.origin()?, &other.origin()?))).collect()
}

impl ArmSum {
    fn origin(&self) -> Option<Origin<'_>> {
        let [writer, critic] = &self.about.requested;
        let requested = [writer.as_deref(), critic.as_deref()];
        Some(Origin { name: &self.line.arm, digest: &self.line.dataset_digest, requested, runs: self.runs.as_ref()? })
    }
}

#[cfg(test)]
mod tests;
