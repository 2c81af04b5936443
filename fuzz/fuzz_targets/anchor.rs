//! Quotations in drafts: a span lies in the draft, on character borders, and a verbatim quotation is always found.
#![no_main]

use libfuzzer_sys::fuzz_target;
use redraft::text::anchor::{Haystack, quotations};

fuzz_target!(|input: &str| {
    let (draft, quote) = input.split_once('\0').unwrap_or((input, ""));
    let haystack = Haystack::new(draft);
    for found in [haystack.find(quote, 0.8), haystack.find_verbatim(quote)].into_iter().flatten() {
        assert!(!found.spans.is_empty());
        assert!(found.spans.iter().all(|span| span.of(draft).is_some_and(|text| !text.is_empty())));
    }
    for piece in quotations(draft) {
        assert!(draft.contains(piece));
    }
});
