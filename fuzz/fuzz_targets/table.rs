//! Tables, CSV and Parquet: read or refused. What is read has rows in order of their passes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use redraft::table::Reader;

fuzz_target!(|bytes: &[u8]| {
    let path = std::env::temp_dir().join(format!("redraft-fuzz-{}.table", std::process::id()));
    if std::fs::write(&path, bytes).is_err() {
        return;
    }
    let Ok(reader) = Reader::open(&path) else { return };
    for arm in reader.arms() {
        let _ = reader.header(arm);
        let _ = reader.each(arm, &mut |runs| {
            assert!(runs.iter().all(|run| !run.rows.is_empty() && run.rows.windows(2).all(|pair| pair[0].pass < pair[1].pass)));
            Ok(())
        });
    }
});
