//! Which files of a report folder are ours, and of which run: a list beside them. Another run's report takes the place of the whole of it, and
//! of nothing that anybody else put there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::output::{COMPARE, GATE, SUMMARY};
use crate::error::Error;
use crate::files;

pub const NAME: &str = ".redraft-files";
const HEAD: &str = "redraft 1 ";

/// Version 1: a line `redraft 1 RUN`, then one path a line, relative to the folder, with `/`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifest {
    pub run: String,
    pub files: BTreeSet<String>,
}

impl Manifest {
    /// None where there is no list that can be read: then nothing is known to be ours.
    pub fn read(folder: &Path) -> Option<Manifest> {
        let path = folder.join(NAME);
        let text = path.exists().then(|| files::text(&path, "read the list of files").ok()).flatten()?;
        let mut lines = text.lines();
        let run = lines.next()?.strip_prefix(HEAD)?.to_owned();
        Some(Manifest { run, files: lines.map(str::to_owned).collect() })
    }

    pub fn text(&self) -> String {
        let names: String = self.files.iter().map(|name| format!("{name}\n")).collect();
        format!("{HEAD}{}\n{names}", self.run)
    }
}

/// Tells runs apart by what they found: summary, comparison and verdict in a folder, as far as they are there.
pub fn run_of(folder: &Path) -> String {
    let mut hasher = blake3::Hasher::new();
    for name in [SUMMARY, COMPARE, GATE] {
        let bytes = fs::read(folder.join(name)).unwrap_or_default();
        hasher.update(&(bytes.len() as u64).to_le_bytes()).update(&bytes);
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

/// Removes files of the list, and folders that are empty then; gives the names of those that were there. A list may come from anywhere, so a name
/// that leads out of the folder is left alone.
pub fn remove<'n>(folder: &Path, names: impl Iterator<Item = &'n String>) -> Result<Vec<&'n str>, Error> {
    let root = folder.canonicalize().map_err(|e| Error::io(folder, "look into", &e))?;
    let mut removed = vec![];
    for name in names {
        let Some(path) = inside(&root, name) else { continue };
        match fs::remove_file(&path) {
            Ok(()) => removed.push(name.as_str()),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => continue,
            Err(e) => return Err(Error::io(&path, "remove what an earlier run wrote", &e)),
        }
        let above = path.ancestors().skip(1).take_while(|dir| **dir != root);
        // A folder that holds something else stays.
        let _ = above.map(fs::remove_dir).find(Result::is_err);
    }
    Ok(removed)
}

fn inside(root: &Path, name: &str) -> Option<PathBuf> {
    let plain = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    let path = root.join(name);
    // A folder on the way may be a link to elsewhere.
    let real = path.parent()?.canonicalize().is_ok_and(|parent| parent.starts_with(root));
    (plain && real && !path.is_dir()).then_some(path)
}

/// What was removed, in a line: names, and of charts and what is in folders how many.
pub fn told(removed: &[&str]) -> String {
    let (below, own): (Vec<&str>, Vec<&str>) = removed.iter().partition(|name| name.contains('/'));
    let (charts, own): (Vec<&str>, Vec<&str>) = own.into_iter().partition(|name| name.ends_with(".svg") || name.ends_with(".png"));
    let counted = [(charts.len(), "charts"), (below.len(), "files in folders")];
    let counted = counted.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}"));
    own.iter().map(|name| (*name).to_owned()).chain(counted).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_listed_and_inside_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let (folder, elsewhere) = (dir.path().join("report"), dir.path().join("elsewhere"));
        fs::create_dir_all(folder.join("drafts/a/t1")).unwrap();
        fs::create_dir_all(&elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, folder.join("link")).unwrap();
        for file in ["report/index.html", "report/notes.txt", "report/drafts/a/t1/pass0.md", "report/drafts/mine.md", "elsewhere/x", "y"] {
            fs::write(dir.path().join(file), "").unwrap();
        }
        let absolute = elsewhere.join("x").display().to_string();
        let names = ["index.html", "drafts/a/t1/pass0.md", "link/x", "../y", "gone.txt", "drafts", "", &absolute].map(str::to_owned);
        assert_eq!(remove(&folder, names.iter()).unwrap(), ["index.html", "drafts/a/t1/pass0.md"]);
        assert!(["notes.txt", "drafts/mine.md"].iter().all(|name| folder.join(name).exists()));
        assert!(elsewhere.join("x").exists() && dir.path().join("y").exists() && !folder.join("drafts/a").exists());
    }

    #[test]
    fn what_went_is_named() {
        assert_eq!(
            told(&["calls.svg", "gate.json", "index.html", "sheet.png", "drafts/a/t/pass0.md"]),
            "gate.json, index.html, 2 charts, 1 files in folders"
        );
        assert_eq!(told(&["gate.json"]), "gate.json");
    }

    #[test]
    fn a_list_is_read_as_it_was_written() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Manifest::read(dir.path()), None);
        let list = Manifest { run: run_of(dir.path()), files: ["a", "b/c"].map(str::to_owned).into() };
        fs::write(dir.path().join(NAME), list.text()).unwrap();
        assert_eq!(Manifest::read(dir.path()), Some(list));
        fs::write(dir.path().join(NAME), "something else\na\n").unwrap();
        assert_eq!(Manifest::read(dir.path()), None);
    }
}
