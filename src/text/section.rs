//! Sections: the units a draft is cut into, and what a revision did to each.
//!
//! A section is a paragraph: a block between blank lines. Markdown matters where a blank line would mislead: a fenced code block stays
//! whole, a heading belongs to the section it heads, an indented continuation belongs to its list item. Defined in docs/metrics.md.

use serde::{Deserialize, Serialize};

use super::markdown::{Grain, Scan, scan};
use super::sentence;
use crate::model::Span;

pub use super::align::{Alignment, align};
pub use super::markdown::heading_text;

/// How drafts are cut into sections, as a loop spec says it. [`SectionRule::settle`] turns Auto into the rule of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SectionRule {
    /// Paragraph, but Line for a run whose draft 0 has several lines and no blank line between them.
    #[default]
    Auto,
    /// Blocks between blank lines.
    Paragraph,
    /// Every line that is not blank; a fenced code block and a table stay whole.
    Line,
    /// From one heading to the next; what stands before the first heading is a section of its own.
    Heading,
    /// Sentences; a fenced code block and a table stay whole, a list item never joins its neighbour.
    Sentence,
}

impl SectionRule {
    /// The rule for a whole run, from its first draft. Only Auto depends on the draft. A blank line inside a fenced code block separates
    /// nothing and does not count.
    pub fn settle(self, draft0: &str) -> SectionRule {
        if self != SectionRule::Auto {
            return self;
        }
        let Scan { lines, separated, .. } = scan(draft0, Grain::Block);
        if lines > 1 && !separated { SectionRule::Line } else { SectionRule::Paragraph }
    }
}

/// The sections of a draft in text order, numbered from 0 by their place in the list. Spans are byte ranges that start and end with a line
/// (or sentence), without the line ends and blank lines around it; they never overlap and never hold white space only.
///
/// Auto is settled on `text` itself: settle it on draft 0 first where several drafts of one run are compared.
pub fn sections(text: &str, rule: SectionRule) -> Vec<Span> {
    let grain = match rule.settle(text) {
        SectionRule::Line => Grain::Line,
        SectionRule::Sentence => Grain::Run,
        SectionRule::Auto | SectionRule::Paragraph | SectionRule::Heading => Grain::Block,
    };
    let blocks = scan(text, grain).blocks;
    match rule {
        SectionRule::Sentence => blocks.iter().flat_map(|block| sentence::split(text, block)).collect(),
        SectionRule::Heading => {
            let mut regions: Vec<Span> = Vec::new();
            for block in blocks {
                match regions.last_mut() {
                    Some(region) if block.title_end == 0 => region.end = block.span.end,
                    _ => regions.push(block.span),
                }
            }
            regions
        }
        _ => blocks.into_iter().map(|block| block.span).collect(),
    }
}

/// The texts of the sections, in order.
pub fn section_texts(text: &str, rule: SectionRule) -> Vec<&str> {
    sections(text, rule).into_iter().map(|span| &text[span.start..span.end]).collect()
}

/// What a revision did to the sections of a draft. Moving a section unchanged is no edit of it, and bytes between sections are in none.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SectionEdits {
    /// Sections of `before` whose partner in `after` differs in more than white space.
    pub edited: Vec<usize>,
    /// Sections of `before` whose partner differs, but in white space only.
    pub whitespace_only: Vec<usize>,
    /// Sections of `before` without a partner.
    pub removed: Vec<usize>,
    /// Sections of `after` without a partner.
    pub added: Vec<usize>,
}

/// Compares two drafts section by section, each list in ascending order. The caller settles Auto and filters by what was mentioned.
pub fn edits(before: &str, after: &str, rule: SectionRule) -> SectionEdits {
    let rule = rule.settle(before);
    let (before, after) = (section_texts(before, rule), section_texts(after, rule));
    edits_of(&before, &after, &align(&before, &after))
}

/// The same where the sections are cut and aligned already.
pub fn edits_of(before: &[&str], after: &[&str], alignment: &Alignment) -> SectionEdits {
    let mut edits = SectionEdits::default();
    for (index, text) in before.iter().enumerate() {
        match alignment.after_of.get(index).copied().flatten().and_then(|partner| after.get(partner)) {
            None => edits.removed.push(index),
            Some(partner) if partner == text => {}
            Some(partner) if same_but_for_space(text, partner) => edits.whitespace_only.push(index),
            Some(_) => edits.edited.push(index),
        }
    }
    edits.added = (0..after.len()).filter(|index| alignment.before_of.get(*index).copied().flatten().is_none()).collect();
    edits
}

/// True where two texts differ in white space at most.
pub(super) fn same_but_for_space(a: &str, b: &str) -> bool {
    a.chars().filter(|c| !c.is_whitespace()).eq(b.chars().filter(|c| !c.is_whitespace()))
}
