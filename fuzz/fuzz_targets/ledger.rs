//! Ledgers from elsewhere: read or refused, and what was read is written back as it was.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use redraft::ledger::{Reader, run_line};

fuzz_target!(|bytes: &[u8]| {
    let path = Path::new("ledger.jsonl");
    let Ok(mut reader) = Reader::open(path, bytes) else { return };
    while let Ok(Some(run)) = reader.next() {
        let line = run_line(&run);
        assert!(line.len() > 1);
    }
});
