//! Files of the user in: regular ones only, so that no pipe is waited for and no device read without end.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use crate::error::Error;

/// The largest text file that is read whole: specs and prompts are kilobytes.
const TEXT_BYTES_MAX: u64 = 1 << 26;

/// Opens a regular file. `doing` completes "failed to".
pub fn open(path: &Path, doing: &str) -> Result<File, Error> {
    // Looked at before it is opened: to open a pipe is to wait for its writer.
    let about = std::fs::metadata(path).map_err(|e| Error::io(path, doing, &e))?;
    if !about.is_file() {
        let what = if about.is_dir() { "is a folder" } else { "is no regular file" };
        return Err(Error::at(path, format!("failed to {doing}: {what}; expected a file")));
    }
    File::open(path).map_err(|e| Error::io(path, doing, &e))
}

/// Opens a regular file to be read once from front to end, unpacked where its name says that it is packed.
pub fn stream(path: &Path, doing: &str) -> Result<Box<dyn BufRead>, Error> {
    const BUFFER: usize = 1 << 18;
    let file = open(path, doing)?;
    if path.extension().is_some_and(|e| e == "zst") {
        return Ok(Box::new(BufReader::with_capacity(BUFFER, unpacked(path, file)?)));
    }
    Ok(Box::new(BufReader::with_capacity(BUFFER, file)))
}

/// What a zstd file holds.
pub fn unpacked(path: &Path, packed: File) -> Result<impl Read + use<>, Error> {
    zstd::stream::read::Decoder::new(packed).map_err(|e| Error::at(path, format!("not readable as zstd: {e}")))
}

/// Reads a text file whole. Errors say that it is too large, or where it is not UTF-8.
pub fn text(path: &Path, doing: &str) -> Result<String, Error> {
    let mut bytes = vec![];
    open(path, doing)?.take(TEXT_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(|e| Error::io(path, doing, &e))?;
    if bytes.len() as u64 > TEXT_BYTES_MAX {
        return Err(Error::at(path, format!("failed to {doing}: it is larger than {TEXT_BYTES_MAX} bytes")));
    }
    String::from_utf8(bytes).map_err(|e| {
        let valid = &e.as_bytes()[..e.utf8_error().valid_up_to()];
        let line = 1 + valid.iter().filter(|b| **b == b'\n').count();
        Error::at_line(path, line, format!("failed to {doing}: it is not valid UTF-8"))
    })
}

/// A zstd frame of its own, with a checksum. The same bytes give the same frame.
pub fn packed_frame(plain: &[u8]) -> std::io::Result<Vec<u8>> {
    const LEVEL: i32 = 12;
    let mut compressor = zstd::bulk::Compressor::new(LEVEL)?;
    compressor.include_checksum(true)?;
    compressor.compress(plain)
}

/// What one frame holds: exactly so many bytes, or it is not the frame that was meant.
pub fn unpacked_frame(packed: &[u8], bytes: usize) -> std::io::Result<Vec<u8>> {
    let plain = zstd::bulk::decompress(packed, bytes)?;
    if plain.len() == bytes { Ok(plain) } else { Err(std::io::ErrorKind::UnexpectedEof.into()) }
}

/// Fills `bytes` from a place of a file, wherever others read it.
#[cfg(unix)]
pub fn read_at(file: &File, bytes: &mut [u8], start: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, start)
}

#[cfg(windows)]
pub fn read_at(file: &File, mut bytes: &mut [u8], mut start: u64) -> std::io::Result<()> {
    while !bytes.is_empty() {
        let n = std::os::windows::fs::FileExt::seek_read(file, bytes, start)?;
        if n == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        bytes = &mut bytes[n..];
        start += n as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_of_text_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| std::fs::write(dir.path().join(name), bytes).unwrap();
        write("fine", b"a");
        write("bytes", b"a\n\xff");
        for (name, want) in [
            ("fine", Ok("a")),
            ("bytes", Err("bytes:2: failed to read: it is not valid UTF-8")),
            ("", Err(": failed to read: is a folder; expected a file")),
            ("none", Err("none: failed to read: no such file or folder")),
        ] {
            let got = text(&dir.path().join(name), "read").map_err(|e| e.to_string().replace(&format!("{}/", dir.path().display()), ""));
            assert_eq!(got, want.map(str::to_owned).map_err(str::to_owned));
        }
        #[cfg(unix)]
        assert!(text(Path::new("/dev/zero"), "read").unwrap_err().to_string().contains("is no regular file"));
    }
}
