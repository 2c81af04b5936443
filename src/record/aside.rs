//! Failed calls make room: a line without a usable answer is moved out of the recording before the call is tried again, since a slot has one line.
//! It is kept in a file beside it.

use std::fs::File;
use std::io::{BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use super::append::{keep, sync_folder};
use crate::api::{self, Wire};
use crate::arm::CALLS;
use crate::error::Error;
use crate::files;
use crate::jsonl::{self, Line, Lines};
use crate::tape::CallLine;

/// Where failed calls are kept once they were tried again.
pub const ERRORS: &str = "calls.errors.jsonl";

/// Moves the failed calls of an arm to [`ERRORS`] and says how many there were. The caller holds the arm's lock. A crash in between leaves every line in at
/// least one of the two files.
pub(super) fn set_aside(arm: &Path, wire: &'static dyn Wire) -> Result<usize, Error> {
    let path = arm.join(CALLS);
    if !path.exists() {
        return Ok(0);
    }
    let failed = failed(&path, wire)?;
    if failed.is_empty() {
        return Ok(0);
    }
    let bytes: Vec<u8> = failed.iter().flat_map(|line| [line.bytes.as_slice(), b"\n"].concat()).collect();
    keep(&arm.join(ERRORS), &bytes)?;
    let part = arm.join("calls.jsonl.part");
    copy_without(&path, &failed, &part).map_err(|e| Error::io(&part, "write", &e))?;
    std::fs::rename(&part, &path).map_err(|e| Error::io(&path, "write", &e))?;
    sync_folder(arm)?;
    Ok(failed.len())
}

/// The lines whose call has no usable answer, as a tape would find.
fn failed(path: &Path, wire: &'static dyn Wire) -> Result<Vec<Line>, Error> {
    let file = files::open(path, "open the recording")?;
    let mut lines = Lines::new(path, BufReader::with_capacity(1 << 18, file));
    let mut line = Line::empty();
    let mut failed = vec![];
    while lines.next_into(&mut line)? {
        let Ok(call) = serde_json::from_slice::<CallLine<'_>>(&line.bytes) else {
            // The end of a file that was not mended yet is the caller's to mend; anything else is damage.
            if !line.terminated {
                break;
            }
            return Err(jsonl::explain::<CallLine<'_>>(path, line.number, &line.bytes));
        };
        // A call of another provider, from before the spec was changed, is stale and not failed: it is read as what it is.
        let wire = call.request.as_ref().and_then(|request| api::by_name(&request.provider)).unwrap_or(wire);
        if !call.response.is_success() || wire.reply(call.response.body.get()).is_err() {
            failed.push(line.clone());
        }
    }
    Ok(failed)
}

fn copy_without(path: &Path, failed: &[Line], part: &Path) -> std::io::Result<()> {
    let mut from = File::open(path)?;
    let mut to = BufWriter::with_capacity(1 << 18, File::create(part)?);
    let mut at = 0;
    for line in failed {
        from.seek(SeekFrom::Start(at))?;
        std::io::copy(&mut std::io::Read::take(&mut from, line.start - at), &mut to)?;
        at = line.start + line.bytes.len() as u64 + u64::from(line.terminated);
    }
    from.seek(SeekFrom::Start(at))?;
    std::io::copy(&mut from, &mut to)?;
    to.flush()?;
    to.into_inner().map_err(|e| e.into_error())?.sync_data()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::openai_chat::OpenAiChat;

    #[test]
    fn failed_calls_move_and_answers_stay() {
        let call = |ticket: &str, status: u16, body: &str| {
            format!(r#"{{"v":1,"slot":{{"ticket":"{ticket}","pass":0,"role":"writer"}},"response":{{"status":{status},"body":{body}}}}}"#)
                + "\n"
        };
        let good = |ticket: &str| call(ticket, 200, r#"{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}"#);
        let bad = [call("b", 529, r#"{"error":{}}"#), call("d", 200, r#"{"error":{"message":"m"}}"#), call("e", 0, r#""reset""#)];
        let dir = tempfile::tempdir().unwrap();
        let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap();
        let request = r#""request":{"provider":"gemini","endpoint":"e","body":{}},"response""#;
        let other = call("c", 200, r#"{"candidates":[{"finishReason":"STOP"}]}"#).replace(r#""response""#, request);
        let all = [good("a"), bad[0].clone(), other.clone(), bad[1].clone(), bad[2].clone()].concat();
        std::fs::write(dir.path().join(CALLS), &all).unwrap();
        assert_eq!(set_aside(dir.path(), &OpenAiChat).unwrap(), 3);
        assert_eq!(read(CALLS), good("a") + &other);
        assert_eq!(read(ERRORS), bad.concat());
        assert_eq!(set_aside(dir.path(), &OpenAiChat).unwrap(), 0);
        assert_eq!(read(ERRORS), bad.concat());
        std::fs::write(dir.path().join(CALLS), good("a") + "nonsense\n").unwrap();
        assert!(set_aside(dir.path(), &OpenAiChat).unwrap_err().to_string().contains(":2: "));
    }
}
