//! Sections, alignment, differences and locality of any two texts.
#![no_main]

use libfuzzer_sys::fuzz_target;
use redraft::text::section::{SectionRule, edits, sections};
use redraft::text::{diff, locality};

fuzz_target!(|input: &str| {
    let (before, after) = input.split_once('\0').unwrap_or((input, ""));
    for rule in [SectionRule::Auto, SectionRule::Paragraph, SectionRule::Line, SectionRule::Heading, SectionRule::Sentence] {
        let spans = sections(before, rule);
        assert!(spans.windows(2).all(|pair| pair[0].end <= pair[1].start));
        assert!(spans.iter().all(|span| span.of(before).is_some_and(|text| !text.trim().is_empty())));
        edits(before, after, rule);
    }
    let changed = diff::changed(before, after);
    assert_eq!(before.chars().count() + changed.inserted, after.chars().count() + changed.deleted);
    assert_eq!(locality::is_local(before, &[], after), before == after);
    diff::pieces(before, after);
});
