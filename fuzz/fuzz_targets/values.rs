//! Values, dates and claims of any two texts: spans lie in the text, in order and apart, and a text drifts from itself in nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use redraft::text::{claim, value};

fuzz_target!(|input: &str| {
    let (before, after) = input.split_once('\0').unwrap_or((input, ""));
    let in_order = |spans: Vec<redraft::model::Span>| {
        assert!(spans.iter().all(|span| span.of(before).is_some_and(|text| !text.is_empty())));
        assert!(spans.windows(2).all(|pair| pair[0].end <= pair[1].start));
    };
    in_order(value::values(before).iter().map(|found| found.span).collect());
    in_order(claim::claims(before).iter().map(|claim| claim.span).collect());
    value::read(before);
    assert!(claim::drift(before, before).is_empty());
    claim::drift(before, after);
});
