//! What the pages of a Parquet file claim of themselves, looked at before the library believes it: it sets memory aside for as many values
//! as a page names, and a damaged file names any number.

use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;

/// No writer makes larger pages; a million bytes are usual.
const PAGE_BYTES_MAX: i64 = 1 << 28;

/// A page's header is some dozens of bytes, its statistics the least and the greatest value.
const HEADER_BYTES_MAX: u64 = 1 << 24;

/// Structures within structures, in a header: two are usual.
const DEPTH_MAX: usize = 8;

/// Walks over the pages of one column of a row group. What is wrong is said in words.
pub fn check<R: Read + Seek>(input: &mut BufReader<R>, bytes: Range<u64>, rows: usize) -> Result<(), String> {
    let io = |e: std::io::Error| e.to_string();
    let rows = i64::try_from(rows).map_err(|e| e.to_string())?;
    input.seek(SeekFrom::Start(bytes.start)).map_err(io)?;
    let (mut at, mut seen) = (bytes.start, 0);
    while seen < rows {
        let mut header = Header::default();
        let mut thrift = Thrift { input: input.by_ref().take(HEADER_BYTES_MAX), read: 0 };
        thrift.structure(&mut header, 0, DEPTH_MAX)?;
        at += thrift.read;
        let field = |parent: i16, id: i16| header.fields.iter().find(|(place, _)| *place == (parent, id)).map(|(_, n)| *n);
        let within = |n: Option<i64>, what: &str, most: i64| match n {
            Some(n) if (0..=most).contains(&n) => Ok(n),
            Some(n) => Err(format!("a page of {n} {what}, where at most {most} can be")),
            None => Err(format!("a page that does not say its {what}")),
        };
        let left = i64::try_from(bytes.end.saturating_sub(at)).unwrap_or(i64::MAX);
        let unpacked = within(field(0, 2), "unpacked bytes", PAGE_BYTES_MAX)?;
        let packed = within(field(0, 3), "bytes", left)?;
        match field(0, 1) {
            Some(0) => seen += within(field(5, 1), "values", rows - seen)?,
            // A value of a dictionary takes a byte at least.
            Some(2) => drop(within(field(7, 1), "values of a dictionary", unpacked)?),
            Some(3) => {
                let values = within(field(8, 1), "values", rows - seen)?;
                within(field(8, 2), "nulls", values)?;
                let definitions = within(field(8, 5), "bytes of levels", packed)?;
                within(field(8, 6), "bytes of levels", packed - definitions)?;
                seen += values;
            }
            other => return Err(format!("a page of a kind that is not known: {other:?}")),
        }
        input.seek_relative(packed).map_err(io)?;
        at += packed.unsigned_abs();
    }
    Ok(())
}

/// The whole numbers of a header, each with the field of the structure it is in (0: the header itself) and its own.
#[derive(Default)]
struct Header {
    fields: Vec<((i16, i16), i64)>,
}

/// Thrift's compact protocol, as far as headers of pages use it.
struct Thrift<R> {
    input: R,
    read: u64,
}

impl<R: BufRead> Thrift<R> {
    fn byte(&mut self) -> Result<u8, String> {
        let mut byte = [0];
        self.input.read_exact(&mut byte).map_err(|_| "the header of a page is cut".to_owned())?;
        self.read += 1;
        Ok(byte[0])
    }

    fn unsigned(&mut self) -> Result<u64, String> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err("the header of a page holds a number without end".into())
    }

    fn signed(&mut self) -> Result<i64, String> {
        let n = self.unsigned()?;
        Ok((n >> 1) as i64 ^ -((n & 1) as i64))
    }

    fn skip(&mut self, bytes: u64) -> Result<(), String> {
        (0..bytes).try_for_each(|_| self.byte().map(drop))
    }

    fn structure(&mut self, header: &mut Header, parent: i16, depth: usize) -> Result<(), String> {
        let mut id = 0i16;
        loop {
            let byte = self.byte()?;
            if byte == 0 {
                return Ok(());
            }
            id = match byte >> 4 {
                0 => self.signed()? as i16,
                step => id.wrapping_add(i16::from(step)),
            };
            match byte & 0x0f {
                // True and false are in the kind itself.
                1 | 2 => {}
                4..=6 => {
                    let n = self.signed()?;
                    header.fields.push(((parent, id), n));
                }
                kind => self.value(header, id, kind, depth)?,
            }
        }
    }

    fn value(&mut self, header: &mut Header, id: i16, kind: u8, depth: usize) -> Result<(), String> {
        match kind {
            3 => self.skip(1),
            7 => self.skip(8),
            8 => {
                let length = self.unsigned()?;
                self.skip(length)
            }
            12 if depth > 0 => self.structure(header, id, depth - 1),
            _ => Err(format!("the header of a page holds a field of kind {kind}, which it never does")),
        }
    }
}
