//! labels.jsonl in, and one more label at its end: append-only, each label durable before the next is asked for.

use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::{Label, form};
use crate::error::Error;
use crate::files;
use crate::jsonl::{Line, Lines};

/// The labels of a file.
#[derive(Debug, Clone, Default)]
pub struct Labels {
    pub path: PathBuf,
    /// In the order of the file. Of one rater and one thing the last counts, and the earlier ones are not here.
    pub all: Vec<Label>,
    /// How many were replaced by a later one.
    pub replaced: usize,
    /// Number of a half-written last line, as a crash leaves it: passed over.
    pub torn: Option<usize>,
    by_ticket: HashMap<String, Vec<usize>>,
}

impl Labels {
    /// A file that is not there yet.
    pub fn none(path: &Path) -> Labels {
        Labels { path: path.to_path_buf(), ..Labels::default() }
    }

    /// Reads a label file whole: every line, or the first error.
    pub fn read(path: &Path) -> Result<Labels, Error> {
        let input = files::stream(path, "open the labels")?;
        let mut out = Labels { path: path.to_path_buf(), ..Labels::default() };
        let mut lines = Lines::new(path, input);
        let mut line = Line::empty();
        while lines.next_into(&mut line)? {
            match form::line(path, line.number, &line.bytes) {
                Ok(label) => out.all.push(label),
                Err(_) if !line.terminated && serde_json::from_slice::<serde_json::Value>(&line.bytes).is_err() => {
                    out.torn = Some(line.number);
                }
                Err(e) => return Err(e),
            }
        }
        out.replace();
        Ok(out)
    }

    /// Those beside a dataset; None where there are none.
    pub fn beside(dataset: &Path) -> Result<Option<Labels>, Error> {
        let path = dataset.join("labels.jsonl");
        if path.exists() { Labels::read(&path).map(Some) } else { Ok(None) }
    }

    fn replace(&mut self) {
        let lines = self.all.len();
        let mut seen = HashSet::new();
        let last_first = std::mem::take(&mut self.all).into_iter().rev();
        self.all = last_first.filter(|l| seen.insert((l.arm.clone(), l.place.clone(), l.rater.clone()))).collect();
        self.all.reverse();
        self.replaced = lines - self.all.len();
        for (at, label) in self.all.iter().enumerate() {
            self.by_ticket.entry(label.place.ticket.clone()).or_default().push(at);
        }
    }

    /// Those of one ticket, for an arm of this path.
    pub fn of<'a>(&'a self, arm: &'a str, ticket: &str) -> impl Iterator<Item = &'a Label> {
        let places = self.by_ticket.get(ticket).map_or(&[][..], Vec::as_slice);
        places.iter().map(|at| &self.all[*at]).filter(move |label| label.is_for(arm))
    }

    pub fn torn_warning(&self) -> Option<String> {
        let line = self.torn?;
        Some(format!("{}:{line}: a half-written last line was passed over", self.path.display()))
    }
}

/// The offset of a half-written last line of an open file, if there is one; the file's length else.
pub fn torn_end(file: &mut File) -> std::io::Result<u64> {
    let length = file.seek(SeekFrom::End(0))?;
    const STEP: u64 = 4096;
    let mut end = length;
    while end > 0 {
        let start = end.saturating_sub(STEP);
        let mut bytes = vec![0; (end - start) as usize];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut bytes)?;
        if let Some(at) = bytes.iter().rposition(|b| *b == b'\n') {
            return Ok(start + at as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

/// Appends a label and waits until it is on the disk. A half-written last line is cut off first; a whole one that merely lacks its end gets it.
pub fn append(path: &Path, label: &Label) -> Result<(), Error> {
    let doing = |e: std::io::Error| Error::io(path, "append a label", &e);
    if path.exists() {
        // Says what is wrong with a folder or a device.
        files::open(path, "append a label")?;
    }
    let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(doing)?;
    // Two raters may be at work on one file.
    file.lock().map_err(doing)?;
    let end = torn_end(&mut file).map_err(doing)?;
    let mut rest = vec![];
    file.seek(SeekFrom::Start(end)).and_then(|_| file.read_to_end(&mut rest)).map_err(doing)?;
    let mut text = form::written(label);
    if form::line(path, 0, &rest).is_ok() {
        text.insert(0, '\n');
    } else {
        file.set_len(end).map_err(doing)?;
    }
    file.seek(SeekFrom::End(0)).and_then(|_| file.write_all(text.as_bytes())).and_then(|()| file.sync_data()).map_err(doing)
}

#[cfg(test)]
mod tests {
    use super::super::{Answer, Kind, Place, Rater, Verdict};
    use super::*;

    fn label(ticket: &str, verdict: Verdict, rater: &str) -> Label {
        Label {
            line: None,
            arm: Some("arm".into()),
            place: Place { ticket: ticket.into(), sample: 0, pass: 1, kind: Kind::Finding, finding: Some(0) },
            of: "0123456789ab".into(),
            answer: Answer::Verdict(verdict),
            rater: Rater::Human(rater.into()),
            note: None,
        }
    }

    #[test]
    fn the_last_word_of_a_rater_counts_and_raters_do_not_touch_each_other() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("labels.jsonl");
        for one in [
            label("a", Verdict::Real, "ana"),
            label("a", Verdict::Spurious, "bo"),
            label("b", Verdict::Real, "ana"),
            label("a", Verdict::Unsure, "ana"),
        ] {
            append(&path, &one).unwrap();
        }
        let read = Labels::read(&path).unwrap();
        let told: Vec<_> = read.all.iter().map(|l| (l.line, l.place.ticket.as_str(), l.answer.clone(), l.rater.to_string())).collect();
        let want = |line, ticket, verdict, rater: &str| (Some(line), ticket, Answer::Verdict(verdict), rater.to_owned());
        assert_eq!(
            told,
            [
                want(2, "a", Verdict::Spurious, "human:bo"),
                want(3, "b", Verdict::Real, "human:ana"),
                want(4, "a", Verdict::Unsure, "human:ana")
            ]
        );
        assert_eq!((read.replaced, read.torn), (1, None));
    }

    #[test]
    fn a_half_written_line_is_passed_over_and_cut_off_before_the_next() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("labels.jsonl");
        append(&path, &label("a", Verdict::Real, "ana")).unwrap();
        let whole = std::fs::read(&path).unwrap();
        for cut in 1..whole.len() - 1 {
            std::fs::write(&path, [&whole, &whole[..cut]].concat()).unwrap();
            let read = Labels::read(&path).unwrap();
            assert_eq!((read.all.len(), read.torn), (1, Some(2)), "{cut}");
            append(&path, &label("b", Verdict::Real, "ana")).unwrap();
            let read = Labels::read(&path).unwrap();
            assert_eq!((read.all.len(), read.torn), (2, None), "{cut}");
        }
        // Whole but for its end: it stays.
        std::fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        append(&path, &label("b", Verdict::Real, "ana")).unwrap();
        assert_eq!(Labels::read(&path).unwrap().all.len(), 2);
        // Damage elsewhere is an error.
        std::fs::write(&path, [&whole[..9], b"\n", &whole].concat()).unwrap();
        assert!(Labels::read(&path).unwrap_err().to_string().contains("labels.jsonl:1: not a complete JSON object"));
    }

    #[test]
    fn an_unknown_key_in_the_last_line_is_no_torn_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("labels.jsonl");
        std::fs::write(&path, r#"{"v":1,"kind":"draft","tickt":"a"}"#).unwrap();
        assert!(Labels::read(&path).unwrap_err().to_string().contains("did you mean `ticket`?"));
    }
}
