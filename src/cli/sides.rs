//! The two sides of a comparison, named and opened as `compare` and `gate` both do: told apart, watched, and written out while they are read.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::output::Output;
use super::reports::Forms;
use super::{Common, say};
use crate::error::Error;
use crate::ledger::Header;
use crate::progress::Progress;
use crate::replay::Filter;
use crate::side::{Files, Keep, Options, Place, Side, Source, tell_apart};
use crate::table::TableWriter;

/// What every verb takes that opens two sides.
#[derive(clap::Args, Debug)]
pub struct Sides {
    /// What to print
    #[arg(long, value_enum, default_value = "table")]
    pub format: Format,
    /// Worker threads (0: one a core); never changes a result
    #[arg(long, default_value_t = 0, value_name = "N")]
    jobs: usize,
    /// The tickets of a ledger, where they are not where its header says
    #[arg(long, value_name = "DIR")]
    dataset: Option<PathBuf>,
    /// Labels in place of those beside the dataset: they say which sections a critique mentions
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    Table,
    Json,
}

impl Sides {
    pub fn options(&self, forms: &Forms) -> Options {
        let keep_runs = forms.keep() == Keep::Runs;
        Options { jobs: self.jobs, dataset: self.dataset.clone(), labels: self.labels.clone(), keep_runs }
    }
}

/// Opens and reads the baseline and the candidate, of the tickets that `filter` lets through. Their runs go to `out` on the way, where it is wanted.
pub fn open(
    baseline: &Place,
    candidate: &Place,
    options: &Options,
    filter: &Filter,
    out: &Output,
    common: Common,
) -> Result<[Side; 2], Error> {
    [baseline, candidate].into_iter().try_for_each(|place| out.spare(&place.path))?;
    let mut sources = [Source::open(baseline, options)?.only(filter)?, Source::open(candidate, options)?.only(filter)?];
    wants_dataset(options, &sources)?;
    let [first, second] = &mut sources;
    tell_apart(first, second);
    let headers: Vec<Header> = sources.iter().filter_map(Source::header).collect();
    let mut files = out.files(&headers)?;
    let [first, second] = sources;
    let sides = [read(first, &mut files, common)?, read(second, &mut files, common)?];
    files.finish()?;
    Ok(sides)
}

/// Opens and reads any number of sides, each under a name of its own, of the tickets that `filter` lets through.
pub fn open_all(places: &[Place], options: &Options, filter: &Filter, out: &Output, common: Common) -> Result<Vec<Side>, Error> {
    places.iter().try_for_each(|place| out.spare(&place.path))?;
    let mut sources = places.iter().map(|place| Source::open(place, options)?.only(filter)).collect::<Result<Vec<_>, Error>>()?;
    let names = names(places, &sources);
    sources.iter_mut().zip(names).for_each(|(source, name)| source.rename(name));
    sources.into_iter().map(|source| read(source, &mut Files::default(), common)).collect()
}

/// Reads one side into a table of its own, in a folder beside `path` that goes away with what is not moved out of it.
pub fn table(place: &Place, path: &Path, options: &Options, common: Common) -> Result<(Side, TempDir, PathBuf), Error> {
    let source = Source::open(place, options)?;
    wants_dataset(options, std::slice::from_ref(&source))?;
    let beside = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = tempfile::Builder::new().prefix(".making-").tempdir_in(beside).map_err(|e| Error::io(path, "write", &e))?;
    let file = folder.path().join("table.parquet");
    let headers: Vec<Header> = source.header().into_iter().collect();
    let mut files = Files { table: Some(TableWriter::create(&file, None, &headers)?), ledger: None };
    let side = read(source, &mut files, common)?;
    files.finish()?;
    Ok((side, folder, file))
}

/// A dataset that nothing would be measured with is a mistake.
fn wants_dataset(options: &Options, sources: &[Source]) -> Result<(), Error> {
    match &options.dataset {
        Some(dir) if !sources.iter().any(Source::wants_dataset) => {
            let what = "is used for ledgers alone, and no side is one: an arm names its own dataset, a table holds what was measured; leave it out";
            Err(Error::new(format!("--dataset {} {what}", dir.display())))
        }
        _ => Ok(()),
    }
}

fn read(source: Source, files: &mut Files, common: Common) -> Result<Side, Error> {
    let mut progress = Progress::new(source.name(), source.expected(), common.quiet);
    let side = source.read(files, &mut || progress.tick())?;
    progress.finish();
    side.warnings.iter().for_each(|warning| say(&format!("warning: {warning}")));
    Ok(side)
}

/// The arms' names; where two are the same, with the folder above them, and numbered where that does not tell them apart either.
pub fn names(places: &[Place], sources: &[Source]) -> Vec<String> {
    let plain: Vec<&str> = sources.iter().map(Source::name).collect();
    let mut names: Vec<String> = vec![];
    for (place, name) in places.iter().zip(&plain) {
        let twin = plain.iter().filter(|other| *other == name).count() > 1;
        let real = place.path.canonicalize().unwrap_or_else(|_| place.path.clone());
        let above = real.parent().and_then(Path::file_name).map(|above| above.to_string_lossy().into_owned());
        let full = match above {
            Some(above) if twin => format!("{above}/{name}"),
            _ => (*name).to_owned(),
        };
        let nth = names.iter().filter(|known| **known == full || known.starts_with(&format!("{full} #"))).count();
        names.push(if nth > 0 { format!("{full} #{}", nth + 1) } else { full });
    }
    names
}
