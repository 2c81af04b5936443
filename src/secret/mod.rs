//! Secrets in files: what one looks like, where it stands, and how it is taken out. A value that was found is never shown.

mod file;
mod json;
mod redact;
mod shape;

pub use file::{Found, Scan, scan};
pub use redact::{Redacted, Scope, redact};
pub use shape::{Hit, Kind, header_value, hits};

/// How often each kind stands in some texts, for whoever is about to write them where others read them.
pub fn count<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<(Kind, usize)> {
    let mut counts = [0usize; Kind::ALL.len()];
    for hit in texts.flat_map(hits) {
        counts[hit.kind as usize] += 1;
    }
    Kind::ALL.into_iter().zip(counts).filter(|(_, count)| *count > 0).collect()
}
