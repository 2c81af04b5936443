//! The report folder in the making: files that appear all together, or not at all.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::ledger;
use crate::table::TableWriter;

/// Where files go: beside the wanted folder first, and into it once all are whole, so that a stopped run leaves no half report.
pub struct Output {
    wanted: Option<PathBuf>,
    /// None where nothing is written at all.
    making: Option<tempfile::TempDir>,
}

impl Output {
    /// `wanted` None writes nothing that stays; `csv` then makes the table all the same, to be printed.
    pub fn create(wanted: Option<&Path>, csv: bool) -> Result<Output, Error> {
        let making = match wanted {
            Some(dir) => {
                fs::create_dir_all(dir).map_err(|e| Error::io(dir, "create the report folder", &e))?;
                Some(
                    tempfile::Builder::new()
                        .prefix(".making-")
                        .tempdir_in(dir)
                        .map_err(|e| Error::io(dir, "write into the report folder", &e))?,
                )
            }
            None if csv => Some(tempfile::tempdir().map_err(|e| Error::new(format!("failed to make a temporary folder: {e}")))?),
            None => None,
        };
        Ok(Output { wanted: wanted.map(Path::to_path_buf), making })
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        self.making.as_ref().map(|dir| dir.path().join(name))
    }

    pub fn table(&self) -> Result<Option<TableWriter>, Error> {
        let Some(parquet) = self.path("table.parquet") else { return Ok(None) };
        TableWriter::create(&parquet, self.path("table.csv").as_deref()).map(Some)
    }

    pub fn ledger(&self) -> Result<Option<ledger::Writer>, Error> {
        match self.path("ledger.jsonl").filter(|_| self.wanted.is_some()) {
            Some(path) => ledger::Writer::create(path).map(Some),
            None => Ok(None),
        }
    }

    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        match self.path(name) {
            Some(path) => fs::write(&path, bytes).map_err(|e| Error::io(&path, "write", &e)),
            None => Ok(()),
        }
    }

    pub fn read(&self, name: &str) -> Result<String, Error> {
        match self.path(name) {
            Some(path) => fs::read_to_string(&path).map_err(|e| Error::io(&path, "read", &e)),
            None => Ok(String::new()),
        }
    }

    /// Moves every finished file into the wanted folder, in name order.
    pub fn publish(self) -> Result<Option<PathBuf>, Error> {
        let (Some(wanted), Some(making)) = (self.wanted, self.making) else { return Ok(None) };
        let entries = fs::read_dir(making.path()).map_err(|e| Error::io(making.path(), "list", &e))?;
        let mut files: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
        files.sort_unstable();
        for from in files {
            if let Some(name) = from.file_name() {
                let to = wanted.join(name);
                fs::rename(&from, &to).map_err(|e| Error::io(&to, "write", &e))?;
            }
        }
        Ok(Some(wanted))
    }
}
