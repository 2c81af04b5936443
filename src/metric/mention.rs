//! Which sections of the incoming draft the critique mentions, under the strict and the loose rule, and by what it is told.

use super::{Carry, Cell, Column, Draft, Figure, Kind, Metric, View, nulls};
use crate::critique::said::said;
use crate::model::Critique;
use crate::text::mention::{Evidence, Index, Mention};

pub struct Mentions;

const COLUMNS: &[Column] = &[
    Column::new(
        "mentioned",
        Kind::Int,
        Carry::Sum,
        "sections of the incoming draft that the critique mentions (strict); null without a readable critique",
    ),
    Column::new("mentioned_loose", Kind::Int, Carry::Sum, "the same by the loose rule: content words and remarks on the whole count too"),
    Column::new("mentioned_by_quotation", Kind::Int, Carry::Sum, "sections that a quotation in the critique's words stands in"),
    Column::new("mentioned_by_anchor", Kind::Int, Carry::Sum, "sections that an anchored finding points into"),
    Column::new("mentioned_by_ordinal", Kind::Int, Carry::Sum, "sections named by a count: paragraph 2, the last sentence, step 3"),
    Column::new("mentioned_by_position", Kind::Int, Carry::Sum, "sections named by their place: the greeting, the table, the one below it"),
    Column::new("mentioned_by_heading", Kind::Int, Carry::Sum, "sections named by a heading's words, and those under it"),
    Column::new("mentioned_by_lexical", Kind::Int, Carry::Sum, "sections told by words that no other section holds"),
    Column::new("mentioned_by_global", Kind::Int, Carry::Sum, "all sections where the critique finds fault with the whole, else 0"),
];

impl Metric for Mentions {
    fn columns(&self) -> &'static [Column] {
        COLUMNS
    }

    fn figures(&self) -> &'static [Figure] {
        &[]
    }

    fn measure(&self, view: &View<'_>, row: &mut Vec<Cell>) {
        if view.critique().is_none_or(|critique| !critique.is_readable()) {
            return nulls(COLUMNS, row);
        }
        let Mentioned { strict, loose, by } = &view.facts().mentioned;
        let count = |list: &[bool]| list.iter().filter(|mentioned| **mentioned).count();
        row.extend([count(strict), count(loose)].map(Cell::from));
        row.extend(by.map(Cell::from));
    }
}

/// The mentions of one critique, counted. Lists have one flag a section of the incoming draft.
#[derive(Debug, Clone, Default)]
pub(super) struct Mentioned {
    pub strict: Vec<bool>,
    pub loose: Vec<bool>,
    /// Sections by evidence, in the order of [`Evidence::ALL`].
    by: [usize; Evidence::ALL.len()],
}

impl Mentioned {
    /// What labels say stands under both rules. What the resolver went by stays as it saw it.
    pub fn or_as(self, labelled: Option<&[usize]>) -> Mentioned {
        let Some(sections) = labelled else { return self };
        let flags: Vec<bool> = (0..self.strict.len()).map(|section| sections.contains(&section)).collect();
        Mentioned { strict: flags.clone(), loose: flags, ..self }
    }
}

/// Prepares the draft for mentions, if the critique says anything and no other has done so before.
pub(super) fn mentioned(critique: &Critique, incoming: &mut Draft<'_>) -> Mentioned {
    let none = vec![false; incoming.sections.len()];
    let mut out = Mentioned { strict: none.clone(), loose: none, ..Mentioned::default() };
    let said = said(critique, incoming.text);
    if said.is_empty() {
        return out;
    }
    let index = incoming.index.get_or_insert_with(|| Index::new(&incoming.sections, &incoming.texts));
    for mention in index.mentions(&said) {
        out.loose[mention.section] = true;
        out.strict[mention.section] |= mention.strict;
        out.by[mention.evidence as usize] += 1;
    }
    out
}

/// What a pass's critique mentions in the draft it read, by section and evidence; nothing where there is no critique.
pub fn mentions<'a>(view: &View<'a>) -> Vec<Mention<'a>> {
    let listed = || {
        let incoming = view.incoming()?;
        Some(incoming.index.as_ref()?.mentions(&said(view.critique()?, incoming.text)))
    };
    listed().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::super::{Settings, Views};
    use super::*;
    use crate::critique::locate::locate;
    use crate::model::{CritiqueStatus, ParseReason, Run};

    const DRAFT: &str = "Hi Sam,\n\nThe fee is due soon.\n\nYour parcel left Rotterdam today.\n\nWe pay the label.\n\nRegards,\nRosa\n";

    /// Lays a prose critique over pass 1.
    fn prose(text: &str) -> Run {
        let mut run = run_of(&[DRAFT, DRAFT]);
        critique(&mut run, 1, &[("x", "x")]);
        let critique = run.passes[1].critique.as_mut().unwrap();
        (critique.status, critique.findings, critique.text) = (CritiqueStatus::Ok, None, text.into());
        locate(critique, DRAFT, &[], 0.8);
        run
    }

    #[test]
    fn the_columns_by_evidence_stand_in_its_order() {
        for (column, evidence) in COLUMNS[2..].iter().zip(Evidence::ALL) {
            assert_eq!(column.name, format!("mentioned_by_{}", evidence.name()));
        }
        assert_eq!(COLUMNS.len(), 2 + Evidence::ALL.len());
    }

    #[test]
    fn prose_is_counted_by_rule_and_evidence() {
        let rows = rows(&prose("\"due soon\" is vague. The sign-off is cold, and Rotterdam comes too early. The last paragraph too."));
        let names = COLUMNS.iter().map(|column| rows.int(1, column.name).unwrap()).collect::<Vec<_>>();
        // strict, loose; quotation, anchor, ordinal, position, heading, lexical, global
        assert_eq!(names, [3, 4, 1, 0, 1, 1, 0, 1, 0]);
        assert_eq!(rows.int(0, "mentioned_loose"), None);
    }

    #[test]
    fn findings_are_read_by_the_same_rule() {
        let mut run = run_of(&[DRAFT, DRAFT]);
        critique(&mut run, 1, &[("vague", "due soon"), ("tone", "nowhere")]);
        let findings = run.passes[1].critique.as_mut().unwrap().findings.as_mut().unwrap();
        findings[0].raw.insert("detail".into(), "When? The greeting does not say either.".into());
        findings[0].raw.insert("fix".into(), "The first paragraph will be new text.".into());
        findings[1].raw.insert("detail".into(), "It is too long. The tone is cold.".into());
        let rows = rows(&run);
        let want = [
            ("mentioned", 2),
            ("mentioned_loose", 2),
            ("mentioned_by_anchor", 1),
            ("mentioned_by_position", 1),
            ("mentioned_by_global", 0),
        ];
        for (name, count) in want {
            assert_eq!(rows.int(1, name), Some(count), "{name}");
        }
        let ticket = ticket();
        let views = Views::new(&ticket, &run, &Settings::default());
        let found: Vec<_> = views.iter().map(|view| mentions(&view)).collect();
        assert_eq!(found[1].first().map(|m| (m.section, m.words)), Some((0, "greeting")));
        assert!(found[0].is_empty());
    }

    #[test]
    fn labels_stand_under_both_rules() {
        let mut run = prose("\"due soon\" is vague. The sign-off is cold, and Rotterdam comes too early. The last paragraph too.");
        let counts = |run: &Run| ["mentioned", "mentioned_loose", "mentioned_by_quotation"].map(|name| rows(run).int(1, name));
        assert_eq!(counts(&run), [Some(3), Some(4), Some(1)]);
        run.passes[1].labelled_mentions = Some(vec![0, 2]);
        assert_eq!(counts(&run), [Some(2), Some(2), Some(1)]);
        run.passes[1].labelled_mentions = Some(vec![]);
        assert_eq!(counts(&run), [Some(0), Some(0), Some(1)]);
    }

    #[test]
    fn what_cannot_be_read_mentions_nothing_and_an_approval_none() {
        let mut run = prose("The greeting is cold.");
        run.passes[1].critique.as_mut().unwrap().status = CritiqueStatus::Approved;
        assert_eq!(rows(&run).int(1, "mentioned_loose"), Some(0));
        run.passes[1].critique.as_mut().unwrap().status = CritiqueStatus::ParseError(ParseReason::Truncated);
        assert_eq!(rows(&run).int(1, "mentioned_loose"), None);
    }
}
