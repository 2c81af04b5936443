//! What a report folder holds, and the policy of a gate: gate.toml, summary.json, compare.json and gate.json, read or refused.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use redraft::compare::Comparison;
use redraft::gate::{Gate, Policy};
use redraft::side::Place;
use redraft::summary::Summary;

fuzz_target!(|text: &str| {
    let path = Path::new("file");
    let _ = Policy::parse(path, text);
    let _ = Comparison::parse(path, text.as_bytes());
    let _ = Gate::parse(path, text.as_bytes());
    if let Ok(summary) = Summary::parse(path, text.as_bytes()) {
        let once = summary.to_json();
        let again = Summary::parse(path, once.as_bytes()).map(|summary| summary.to_json()).ok();
        assert_eq!(again.as_ref(), Some(&once));
    }
    let place = Place::from(text);
    let _ = place.choose(&["a", "b"]);
});
