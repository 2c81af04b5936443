//! Datasets: tickets as JSON Lines (what begins like an object) or CSV (with a header `id`), or dataset.toml; read or refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use redraft::dataset::Dataset;

const ABOUT: (&str, &[u8]) = ("dataset.toml", b"version = 1\nname = \"t\"\n");
const TICKET: (&str, &[u8]) = ("tickets.jsonl", b"{\"id\":\"A\",\"prompt\":\"p\"}\n");

fuzz_target!(|bytes: &[u8]| {
    let files = match bytes {
        [b'{', ..] => [ABOUT, ("tickets.jsonl", bytes)],
        [b'i', b'd', ..] => [ABOUT, ("tickets.csv", bytes)],
        _ => [("dataset.toml", bytes), TICKET],
    };
    let name = files.map(|(name, _)| name).join("-");
    let dir = std::env::temp_dir().join(format!("redraft-fuzz-{}-{name}", std::process::id()));
    if std::fs::create_dir_all(&dir).is_err() || files.iter().any(|(name, bytes)| std::fs::write(dir.join(name), bytes).is_err()) {
        return;
    }
    let Ok(dataset) = Dataset::open(&dir) else { return };
    let Ok(mut tickets) = dataset.tickets() else { return };
    while let Ok(Some(raw)) = tickets.next() {
        if let Ok(ticket) = dataset.read(&raw) {
            assert!(!ticket.id.is_empty());
        }
    }
});
