//! Recordings: opened and walked, or refused with a line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use redraft::tape::Recording;

fuzz_target!(|bytes: &[u8]| {
    let path = std::env::temp_dir().join(format!("redraft-fuzz-{}.jsonl", std::process::id()));
    if std::fs::write(&path, bytes).is_err() {
        return;
    }
    if let Ok(recording) = Recording::open(&path) {
        let mut buffer = vec![];
        let _ = recording.tape("A", &mut buffer);
        let _ = recording.orphans(&redraft::tape::Seen::default());
    }
});
