//! Zip archives, within bounds: how many files, and how much each and all of them may become.

use std::io::{Cursor, Read};

/// Of an archive, and of one file in it.
const FILES_MAX: usize = 100_000;
const FILE_BYTES_MAX: u64 = 1 << 28;
const BYTES_MAX: u64 = 1 << 30;

pub fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

/// The files whose name is `wanted`, in the order of their names.
pub fn files(bytes: &[u8], wanted: impl Fn(&str) -> bool) -> Result<Vec<(String, Vec<u8>)>, String> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|e| format!("not readable as zip: {e}"))?;
    if archive.len() > FILES_MAX {
        return Err(format!("more than {FILES_MAX} files in the archive"));
    }
    let mut names: Vec<String> = archive.file_names().filter_map(Result::ok).map(Into::into).filter(|name: &String| wanted(name)).collect();
    names.sort_unstable();
    let mut out = vec![];
    let mut total = 0;
    for name in names {
        let shown = super::map::short(&name);
        let file = archive.by_name(&name).map_err(|e| format!("{shown}: {e}"))?;
        let mut bytes = vec![];
        // What the archive says of its sizes is not believed.
        file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(|e| format!("{shown}: {e}"))?;
        total += bytes.len() as u64;
        if bytes.len() as u64 > FILE_BYTES_MAX || total > BYTES_MAX {
            return Err(format!("{shown} unpacks to more than {FILE_BYTES_MAX} bytes, or all files to more than {BYTES_MAX}"));
        }
        out.push((name, bytes));
    }
    Ok(out)
}
