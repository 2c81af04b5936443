//! What any critique mentions of any draft: sections that the draft has, each kind of evidence once, in words that the critique says.
#![no_main]

use libfuzzer_sys::fuzz_target;
use redraft::text::anchor::quotation_spans;
use redraft::text::mention::{Index, Said, is_instruction};
use redraft::text::section::{SectionRule, sections};

fuzz_target!(|input: &str| {
    let (draft, critique) = input.split_once('\0').unwrap_or((input, ""));
    let spans = sections(draft, SectionRule::Auto);
    let texts: Vec<&str> = spans.iter().filter_map(|span| span.of(draft)).collect();
    let index = Index::new(&spans, &texts);
    let quoted = quotation_spans(critique).into_iter().filter_map(|span| Some((span, vec![*spans.first()?]))).collect();
    let said = [
        Said { text: critique, quoted, opens: true, ..Said::default() },
        Said { text: critique, anchored: spans.iter().take(1).copied().collect(), ..Said::default() },
    ];
    let found = index.mentions(&said);
    assert!(found.iter().all(|mention| mention.section < texts.len() && critique.contains(mention.words)));
    assert!(found.windows(2).all(|pair| (pair[0].section, pair[0].evidence) < (pair[1].section, pair[1].evidence)));
    is_instruction(critique);
});
