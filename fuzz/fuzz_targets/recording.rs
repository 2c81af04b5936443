//! Recordings: opened and walked, or refused with a line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use redraft::dataset::IdHash;
use redraft::tape::{Recording, Room};

fuzz_target!(|bytes: &[u8]| {
    let path = std::env::temp_dir().join(format!("redraft-fuzz-{}.jsonl", std::process::id()));
    if std::fs::write(&path, bytes).is_err() {
        return;
    }
    if let Ok(recording) = Recording::open(&path) {
        let mut room = Room::default();
        let _ = recording.tape(IdHash::of("A"), &mut room);
        let _ = recording.orphans(&redraft::tape::Seen::default());
    }
});
