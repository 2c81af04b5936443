//! Sections: the units a draft is cut into, and what a revision did to each.
//!
//! A section is a paragraph: a block between blank lines. Markdown matters where a blank line would mislead: a fenced code block stays
//! whole, a heading belongs to the section it heads, an indented continuation belongs to its list item. Defined in docs/metrics.md.

use serde::{Deserialize, Serialize};

use super::markdown::{Grain, Scan, scan};
use super::sentence;
use crate::model::Span;

pub use super::align::{Alignment, Words, align, align_sections};
pub use super::markdown::heading_text;

/// How drafts are cut into sections, as a loop spec says it. [`SectionRule::settle`] turns Auto into the rule of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, schemars::JsonSchema)]
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const RULES: [SectionRule; 5] =
        [SectionRule::Auto, SectionRule::Paragraph, SectionRule::Line, SectionRule::Heading, SectionRule::Sentence];

    fn check(rule: SectionRule, text: &str, expected: &[&str]) {
        assert_eq!(section_texts(text, rule), expected, "{rule:?} {text:?}");
    }

    #[test]
    fn paragraphs_are_blocks_between_blank_lines() {
        let check = |text: &str, expected: &[&str]| check(SectionRule::Paragraph, text, expected);
        check("", &[]);
        check(" \n\t\r\n\u{a0}\n", &[]);
        check("a\nb\n\n \t\nc", &["a\nb", "c"]);
        check("\r\n\r\na\r\nb\r\n\u{a0}\r\nc\r\n", &["a\r\nb", "c"]);
        check("  a  \n\nb\n\n\n\n", &["  a  ", "b"]);
    }

    #[test]
    fn a_fence_is_one_section() {
        let check = |text: &str, expected: &[&str]| check(SectionRule::Paragraph, text, expected);
        check("a\n\n```py\nx\n\n# y\n```\n\nb", &["a", "```py\nx\n\n# y\n```", "b"]);
        check("see:\n~~~\n\n```\n\n~~~\nb\n\nc", &["see:\n~~~\n\n```\n\n~~~\nb", "c"]);
        check("````\n```\n\n```\n````\n\nb", &["````\n```\n\n```\n````", "b"]);
        check("- a\n  ```\n  x\n\n  y\n  ```\n- b\n\nc", &["- a\n  ```\n  x\n\n  y\n  ```\n- b", "c"]);
        // Inline code and a fence that never closes are no fences.
        check("```a``` b\n\nc\n\n```", &["```a``` b", "c", "```"]);
        check("```\n\nx\n\ny", &["```", "x", "y"]);
    }

    #[test]
    fn a_heading_belongs_to_what_it_heads() {
        let check = |text: &str, expected: &[&str]| check(SectionRule::Paragraph, text, expected);
        check("# A\n\n## B ##\n\nx\n\ny", &["# A\n\n## B ##\n\nx", "y"]);
        check("x\n# A\ny\n\n# B", &["x", "# A\ny", "# B"]);
        check("A title\n===\n\nx\n\nB\n---\ny", &["A title\n===\n\nx", "B\n---\ny"]);
        check("# A\n\n```\n\n```\n\nx", &["# A\n\n```\n\n```", "x"]);
        // A sentence over a rule, a tag and indented code are no headings.
        check("It is so.\n---\n\nx", &["It is so.\n---", "x"]);
        check("#tag\n\n    # code\n\nx", &["#tag", "    # code", "x"]);
        check("- a\n---\n\n| a |\n|---|\n\nx", &["- a\n---", "| a |\n|---|", "x"]);
        assert_eq!(heading_text("# A #\n\nB\n---\n\nx\n# C"), ["A", "B"]);
        assert_eq!(heading_text("x"), Vec::<&str>::new());
    }

    #[test]
    fn lists_are_cut_between_loose_items() {
        let check = |text: &str, expected: &[&str]| check(SectionRule::Paragraph, text, expected);
        check("Steps:\n- a\n  - b\n    c\n- d\n\ne", &["Steps:\n- a\n  - b\n    c\n- d", "e"]);
        check("1. a\n\n   more\n\n       code\n\n2. b\n\nc", &["1. a\n\n   more\n\n       code", "2. b", "c"]);
        check("- a\n\n  - b\n\n- c", &["- a", "  - b", "- c"]);
        check("a\n\n    code\n\n    more code", &["a", "    code", "    more code"]);
    }

    #[test]
    fn lines_and_regions() {
        check(SectionRule::Line, "a\nb\r\n\nc\n", &["a", "b", "c"]);
        check(
            SectionRule::Line,
            "# A\na\n- b\n  c\n```\nx\n\ny\n```\n| h |\n|---|\n| r |\nd",
            &["# A\na", "- b", "  c", "```\nx\n\ny\n```", "| h |\n|---|\n| r |", "d"],
        );
        check(SectionRule::Heading, "a\n\nb\n\n# A\n\n## B\n\nc\n\nd\n\n# C\ne\n", &["a\n\nb", "# A\n\n## B\n\nc\n\nd", "# C\ne"]);
        check(SectionRule::Heading, "a\n\nb\n", &["a\n\nb"]);
    }

    #[test]
    fn auto_is_settled_by_draft_zero() {
        let cases = [
            ("a\nb\n", SectionRule::Line),
            ("\n\na\nb\n\n", SectionRule::Line),
            ("a\n", SectionRule::Paragraph),
            ("", SectionRule::Paragraph),
            ("a\nb\n \nc", SectionRule::Paragraph),
            ("# A\n\na", SectionRule::Paragraph),
            ("a\n```\n\n```\nb", SectionRule::Line),
        ];
        for (draft0, rule) in cases {
            assert_eq!(SectionRule::Auto.settle(draft0), rule, "{draft0:?}");
            assert_eq!(SectionRule::Heading.settle(draft0), SectionRule::Heading);
        }
        assert_eq!(edits("a\nb", "a\n\nb", SectionRule::Auto), SectionEdits::default());
    }

    #[test]
    fn sections_agree_with_a_reader() {
        let lines = include_str!("../../tests/data/locality/sections.jsonl").lines();
        let mut drafts = 0;
        for line in lines {
            let row: serde_json::Value = serde_json::from_str(line).expect("a JSON line");
            let draft = row["draft"].as_str().expect("a draft");
            let expected: Vec<&str> = row["sections"].as_array().expect("sections").iter().filter_map(|s| s.as_str()).collect();
            check(SectionRule::Auto, draft, &expected);
            drafts += 1;
        }
        assert_eq!(drafts, 21);
    }

    #[test]
    fn what_happened_to_each_section() {
        let before = "Hello.\n\nThe fee is due on the 3rd of May.\n\nKeep the box.\n\nOld news here.\n\nBye,\nRosa";
        let after = "Keep the box.\n\nHello.\n\nThe fee is due on the 9th of May.\n\nBye,\r\nRosa\n\nSomething else entirely.";
        let expected = SectionEdits { edited: vec![1], whitespace_only: vec![4], removed: vec![3], added: vec![4] };
        assert_eq!(edits(before, after, SectionRule::Auto), expected);
        assert_eq!(edits(before, before, SectionRule::Auto), SectionEdits::default());
    }

    #[test]
    fn fences_that_never_close_are_looked_for_once() {
        let text = "````` a\n\n```` a\n\n``` a\n\n~~~ a\n\n".repeat(5_000) + "end";
        assert_eq!(sections(&text, SectionRule::Paragraph).len(), 20_001);
    }

    proptest! {
        #[test]
        fn spans_are_sound(text in "([a-c#>|`~=. -]{0,6}|```|~~~|- a|1\\. b|# c|---|\\|--\\||é日。|Dr\\. |\t|    )(\n|\r\n|\n\n| |\n \n){0,2}([a-c#|`-]{0,4}\n?\n?){0,12}") {
            for rule in RULES {
                check_sound(&text, rule)?;
            }
        }

        #[test]
        fn spans_are_sound_for_any_text(text in any::<String>(), lines in prop::collection::vec("[#`~|a.A \t\u{3000}。é-]{0,7}", 0..30)) {
            for rule in RULES {
                check_sound(&text, rule)?;
                check_sound(&lines.join("\n"), rule)?;
                check_sound(&lines.join("\r\n"), rule)?;
            }
        }
    }

    /// In order, apart, on boundaries, never blank, and nothing but white space lies between.
    fn check_sound(text: &str, rule: SectionRule) -> Result<(), TestCaseError> {
        let mut at = 0;
        for span in sections(text, rule) {
            prop_assert!(span.start >= at && span.end > span.start, "{:?} {:?}", rule, text);
            prop_assert!(text[at..span.start].trim().is_empty(), "{:?} {:?}", rule, text);
            prop_assert!(!text[span.start..span.end].trim().is_empty(), "{:?} {:?}", rule, text);
            prop_assert!(!text[..span.end].ends_with('\n') && !text[span.start..].starts_with(['\n', '\r']), "{:?} {:?}", rule, text);
            at = span.end;
        }
        prop_assert!(text[at..].trim().is_empty(), "{:?} {:?}", rule, text);
        Ok(())
    }
}
