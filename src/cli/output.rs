//! The report folder in the making: files that appear all together, or not at all.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::manifest::{self, Manifest};
use super::{Common, say};
use crate::error::Error;
use crate::ledger::{self, Header};
use crate::report::chart::{self, Chart};
use crate::report::plot;
use crate::side::Files;
use crate::summary::Summary;
use crate::table::TableWriter;

/// Where files go: beside the wanted folder first, and into it once all are whole, so that a stopped run leaves no half report.
pub struct Output {
    wanted: Option<PathBuf>,
    /// None where nothing is written at all.
    making: Option<tempfile::TempDir>,
    /// Held while this run lives, so that the next one can tell its folder from one that was left behind.
    _lock: Option<File>,
}

const MAKING: &str = ".making-";
const LOCK: &str = "lock";
const LEDGER: &str = "ledger.jsonl";
pub const SUMMARY: &str = "summary.json";
/// What `compare` and `gate` find, as `report` reads it.
pub const COMPARE: &str = "compare.json";
pub const GATE: &str = "gate.json";

/// Removes what runs that were killed left in the report folder: folders whose lock nobody holds.
fn sweep(dir: &Path) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let is_making = entry.file_name().to_string_lossy().starts_with(MAKING) && entry.file_type().is_ok_and(|t| t.is_dir());
        // What cannot be removed is in nobody's way.
        if is_making && File::open(entry.path().join(LOCK)).is_ok_and(|lock| lock.try_lock().is_ok()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Every file below a folder, by its path there, with `/`; in order of names.
fn walk(dir: &Path, above: &str, files: &mut Vec<String>) -> Result<(), Error> {
    let failed = |e| Error::io(dir, "list", &e);
    let mut entries = fs::read_dir(dir).map_err(failed)?.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    entries.sort_unstable_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = format!("{above}{}", entry.file_name().to_string_lossy());
        if entry.file_type().map_err(failed)?.is_dir() { walk(&entry.path(), &format!("{name}/"), files)? } else { files.push(name) }
    }
    Ok(())
}

/// Moves what is in one folder into another, over files that are there. A folder that is not there yet moves as a whole.
fn move_into(from: &Path, to: &Path) -> Result<(), Error> {
    for entry in fs::read_dir(from).map_err(|e| Error::io(from, "list", &e))?.flatten() {
        let target = to.join(entry.file_name());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) && target.is_dir() {
            move_into(&entry.path(), &target)?;
        } else {
            fs::rename(entry.path(), &target).map_err(|e| Error::io(&target, "write", &e))?;
        }
    }
    Ok(())
}

impl Output {
    /// `wanted` None writes nothing that stays; `csv` then makes the table all the same, to be printed.
    pub fn create(wanted: Option<&Path>, csv: bool) -> Result<Output, Error> {
        let mut lock = None;
        let making = match wanted {
            Some(dir) => {
                fs::create_dir_all(dir).map_err(|e| Error::io(dir, "create the report folder", &e))?;
                sweep(dir);
                let failed = |e| Error::io(dir, "write into the report folder", &e);
                let making = tempfile::Builder::new().prefix(MAKING).tempdir_in(dir).map_err(failed)?;
                let file = File::create_new(making.path().join(LOCK)).map_err(failed)?;
                // A file system without locks costs the sweep, not the report.
                lock = file.try_lock().is_ok().then_some(file);
                Some(making)
            }
            None if csv => Some(tempfile::tempdir().map_err(|e| Error::new(format!("failed to make a temporary folder: {e}")))?),
            None => None,
        };
        Ok(Output { wanted: wanted.map(Path::to_path_buf), making, _lock: lock })
    }

    /// A side that the report would be written over is refused: it is read once, and the next run would hold its candidate against another.
    pub fn spare(&self, side: &Path) -> Result<(), Error> {
        let Some(wanted) = &self.wanted else { return Ok(()) };
        let is_report = || side.is_dir() && !side.join("loop.toml").exists();
        let is_written = || side.file_name().is_some_and(|name| ["table.parquet", "table.csv", LEDGER].iter().any(|own| name == *own));
        let folder = match side.parent() {
            _ if is_report() => side,
            Some(parent) if !side.is_dir() && is_written() => {
                if parent.as_os_str().is_empty() {
                    Path::new(".")
                } else {
                    parent
                }
            }
            _ => return Ok(()),
        };
        match (folder.canonicalize(), wanted.canonicalize()) {
            (Ok(read), Ok(written)) if read == written => {
                Err(Error::at(side, format!("would be written over by the report in {}; choose another --out", wanted.display())))
            }
            _ => Ok(()),
        }
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        self.making.as_ref().map(|dir| dir.path().join(name))
    }

    /// The files that runs are written to as they are made: the table, and the ledger where it stays. `headers` are of all arms to come.
    pub fn files(&self, headers: &[Header]) -> Result<Files, Error> {
        let Some(parquet) = self.path("table.parquet") else { return Ok(Files::default()) };
        let table = TableWriter::create(&parquet, self.path("table.csv").as_deref(), headers)?;
        let ledger = self.path(LEDGER).filter(|_| self.wanted.is_some()).map(ledger::Writer::create).transpose()?;
        Ok(Files { table: Some(table), ledger })
    }

    /// Writes summary.json, a chart a figure, and a sheet of the headline (`all`: of every figure).
    pub fn figures(&self, summary: &Summary, all: bool, png: bool) -> Result<(), Error> {
        if self.wanted.is_none() {
            return Ok(());
        }
        self.write(SUMMARY, summary.to_json().as_bytes())?;
        let charts = plot::charts(summary);
        let failed = |what: String| Error::new(format!("failed to draw: {what}"));
        let title = summary.arms.iter().map(|a| a.origin.arm.as_str()).collect::<Vec<_>>().join(" / ");
        for (chart, _) in &charts {
            self.write(&format!("{}.svg", chart.id), chart::svg(chart).as_bytes())?;
            if png {
                self.write(&format!("{}.png", chart.id), &chart::png(chart).map_err(failed)?)?;
            }
        }
        let sheet: Vec<Chart> = charts.into_iter().filter(|(_, headline)| all || *headline).map(|(chart, _)| chart).collect();
        self.write("sheet.svg", chart::sheet_svg(&title, &sheet).as_bytes())?;
        if png {
            self.write("sheet.png", &chart::sheet_png(&title, &sheet).map_err(failed)?)?;
        }
        Ok(())
    }

    /// A file of the report; its name may have folders.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        let Some(path) = self.path(name) else { return Ok(()) };
        let written = match fs::write(&path, bytes) {
            // Of the many drafts of a ticket only the first has to make its folder.
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, bytes))
            }
            other => other,
        };
        written.map_err(|e| Error::io(&path, "write", &e))
    }

    pub fn read(&self, name: &str) -> Result<String, Error> {
        match self.path(name) {
            Some(path) => fs::read_to_string(&path).map_err(|e| Error::io(&path, "read", &e)),
            None => Ok(String::new()),
        }
    }

    /// Moves every finished file into the wanted folder, takes away what another run left there, and says where they are.
    pub fn publish(self, common: Common) -> Result<(), Error> {
        let run = self.making.as_ref().map(|making| manifest::run_of(making.path())).unwrap_or_default();
        self.publish_for(&run, common)
    }

    /// The same for a report of a run that was made before: it joins what is there of that run, and takes the place of another's.
    pub fn publish_for(self, run: &str, common: Common) -> Result<(), Error> {
        let (Some(wanted), Some(making)) = (self.wanted, self.making) else { return Ok(()) };
        let made = making.path();
        // Where the sides are tables alone there are no runs, and an empty file is no ledger.
        let ledger = made.join(LEDGER);
        if fs::metadata(&ledger).is_ok_and(|about| about.len() == 0) {
            fs::remove_file(&ledger).map_err(|e| Error::io(&ledger, "remove", &e))?;
        }
        let lock = made.join(LOCK);
        fs::remove_file(&lock).map_err(|e| Error::io(&lock, "remove", &e))?;
        let mut files = vec![];
        walk(made, "", &mut files)?;
        // Two reports into one folder at once: one after the other, not a mixture. (Where a folder cannot be locked, the last file wins.)
        let turn = File::open(&wanted).ok();
        let _ = turn.as_ref().map(File::lock);
        if let Some(name) = files.iter().find(|name| wanted.join(name).is_dir()) {
            return Err(Error::at(&wanted.join(name), "a folder stands where the report goes; remove it, or choose another --out"));
        }
        // What another run said must not stand beside this one's figures: a report would be made of both.
        let mut list = Manifest { run: run.to_owned(), files: files.into_iter().collect() };
        let before = Manifest::read(&wanted).unwrap_or_default();
        let mut stale: Vec<String> = vec![];
        if before.run == list.run {
            list.files.extend(before.files);
        } else {
            stale.extend(before.files.difference(&list.files).cloned());
        }
        // These are read back by name, listed or not.
        let unlisted = [GATE, COMPARE, LEDGER].map(str::to_owned).into_iter().filter(|_| made.join(SUMMARY).exists());
        stale.extend(unlisted.filter(|name| !made.join(name).exists()));
        let removed = manifest::remove(&wanted, stale.iter())?;
        if !removed.is_empty() && !common.quiet {
            say(&format!("removed from {} what another run wrote: {}", wanted.display(), manifest::told(&removed)));
        }
        list.files.retain(|name| !removed.contains(&name.as_str()));
        let listed = wanted.join(manifest::NAME);
        fs::write(&listed, list.text()).map_err(|e| Error::io(&listed, "write", &e))?;
        move_into(made, &wanted)?;
        if !common.quiet {
            say(&format!("wrote {}", wanted.display()));
        }
        Ok(())
    }
}
