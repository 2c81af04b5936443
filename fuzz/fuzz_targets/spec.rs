//! loop.toml: read or refused.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use redraft::arm::Spec;
use redraft::machine::Loop;

fuzz_target!(|text: &str| {
    let path = Path::new("loop.toml");
    if let Ok(spec) = Spec::parse(path, text, Path::new("/nonexistent")) {
        let _ = Loop::new(spec);
    }
});
