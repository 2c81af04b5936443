//! `redraft report DIR`: a report folder in another form.

use std::path::{Path, PathBuf};

use super::manifest;
use super::output::Output;
use super::reports::{self, Choice, Material};
use super::{Common, Exit, print, say};
use crate::compare::Comparison;
use crate::error::Error;
use crate::files;
use crate::gate::Gate;
use crate::side::{Options, Place, Side};
use crate::summary::Summary;

/// Render what replay, compare or gate wrote in other forms: for a CI job, a pull request, a browser
#[derive(clap::Args, Debug)]
#[command(after_help = after_help())]
pub struct Args {
    /// A report folder: holds summary.json, compare.json or gate.json
    #[arg(required_unless_present = "list", value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Which forms, parted by commas
    #[arg(long, value_name = "LIST", value_delimiter = ',', required_unless_present = "list", value_parser = reports::known())]
    format: Vec<String>,
    /// Folder for the files; - prints the one form that is asked for
    #[arg(long, default_value = "-", value_name = "DIR|-")]
    out: PathBuf,
    #[command(flatten)]
    choice: Choice,
    /// The tickets, where prompts and checks are to be shown with the runs
    #[arg(long, value_name = "DIR")]
    dataset: Option<PathBuf>,
    /// Worker threads (0: one a core); never changes a result
    #[arg(long, default_value_t = 0, value_name = "N")]
    jobs: usize,
    /// Explain every form
    #[arg(long)]
    list: bool,
}

fn after_help() -> String {
    format!(
        "\
Forms:
{}
It only renders: the exit code is 0 whatever the verdict, which `redraft gate` gives.

Examples:
  redraft report reports/gate --format job-summary >> \"$GITHUB_STEP_SUMMARY\"
  redraft report reports/gate --format html,junit,sarif --out reports/gate
  redraft report reports/gate --format annotations",
        reports::list()
    )
}

pub fn run(args: &Args, common: Common) -> Result<Exit, Error> {
    let dir = match &args.dir {
        Some(dir) if !args.list => dir,
        _ => {
            print(&reports::list())?;
            return Ok(Exit::Fine);
        }
    };
    let prints = args.out == Path::new("-");
    if prints && args.format.len() > 1 {
        return Err(Error::new("--out -: only one form can be printed; name one, or a folder for --out"));
    }
    let comparison = read(dir, "compare.json", Comparison::parse)?;
    let gate = read(dir, "gate.json", Gate::parse)?;
    let summary = read(dir, "summary.json", Summary::parse)?;
    if summary.is_none() && comparison.is_none() && gate.is_none() {
        return Err(Error::at(dir, "no report: expected summary.json, compare.json or gate.json in this folder"));
    }
    let summary = summary.unwrap_or_else(|| Summary::new(vec![]));
    let forms = reports::chosen(&args.format);
    let mut sides = vec![];
    // Figures and verdicts can be shown without the table, runs cannot.
    let has_runs = ["table.parquet", "table.csv"].iter().any(|name| dir.join(name).exists());
    if has_runs && forms.iter().any(|form| form.shows_runs()) {
        let options = Options { jobs: args.jobs, dataset: args.dataset.clone(), ..Options::default() };
        for arm in &summary.arms {
            let place = Place { path: dir.clone(), arm: Some(arm.origin.arm.clone()) };
            let side = Side::open(&place, &options, &mut || ())?;
            side.warnings.iter().for_each(|warning| say(&format!("warning: {warning}")));
            sides.push(side);
        }
    }
    let material = Material { summary: &summary, comparison: comparison.as_ref(), gate: gate.as_ref(), sides: &sides };
    let rendered = reports::render(&forms, &args.choice, &material)?;
    if prints {
        let mut files = rendered.into_iter();
        if let Some((_, bytes)) = files.next() {
            print(&String::from_utf8_lossy(&bytes))?;
        }
        let left = files.count();
        if left > 0 && !common.quiet {
            say(&format!("{left} drafts that it points to were not written; --out DIR writes them too"));
        }
        return Ok(Exit::Fine);
    }
    let out = Output::create(Some(&args.out), false)?;
    rendered.into_iter().try_for_each(|(name, bytes)| out.write(&name, &bytes))?;
    out.publish_for(&manifest::run_of(dir), common)?;
    Ok(Exit::Fine)
}

/// A file of the folder, where it is there.
fn read<T>(dir: &Path, name: &str, parse: impl Fn(&Path, &[u8]) -> Result<T, Error>) -> Result<Option<T>, Error> {
    let path = dir.join(name);
    if !path.exists() {
        return Ok(None);
    }
    parse(&path, files::text(&path, "read the report")?.as_bytes()).map(Some)
}
