//! `redraft init [DIR]`: a small project that works at once.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Common, Exit, print, say};
use crate::error::Error;
use crate::gate::policy;
use crate::record::simulate::{self, simulate};

/// Start a project: example tickets, two recorded loops, a gate
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Written: datasets/example (24 tickets), recordings/example/current and recordings/example/new-critic (simulated calls; in the second a \
regression is planted), gate.toml, README.md, .gitignore and .gitattributes. A file that is already there is never written over.

Example:
  redraft init my-loops && cd my-loops && cat README.md")]
pub struct Args {
    /// The project's folder, made if it is not there
    #[arg(default_value = ".", value_name = "DIR")]
    dir: PathBuf,
}

const TICKETS: &str = include_str!("init/tickets.jsonl");
const DATASET: &str = include_str!("init/dataset.toml");
const LOOP: &str = include_str!("init/loop.toml");
const README: &str = include_str!("init/README.md");
const IGNORED: &str = "/reports/\n";
const ATTRIBUTES: &str = "\
# Recordings and tickets are compared byte for byte: git must not touch their line ends.
datasets/** -text
recordings/** -text
# Calls that two people recorded are all kept when their branches meet; `redraft pack` finds those that are there twice.
calls.jsonl merge=union
*.zst binary
*.parquet binary
";

/// The line of the critic's prompt in which the two loops differ.
const ASKED: &str = "One finding a sentence, at most six.";
const ASKED_ANEW: &str = "Be strict: every sentence that could be better has a finding, at most six in all.";

const SEED: u64 = 1;

/// An example arm: its folder, what it is, and where its simulation leaves the preset.
struct Example {
    name: &'static str,
    about: &'static str,
    asked: &'static str,
    rates: &'static [(&'static str, f64)],
}

const EXAMPLES: [Example; 2] = [
    Example { name: "current", about: "The loop as it runs today.", asked: ASKED, rates: &[] },
    Example {
        name: "new-critic",
        about: "Another critic prompt, and a regression to be found: the reviser breaks facts.",
        asked: ASKED_ANEW,
        rates: &[("breaks_fact", 0.8)],
    },
];

pub fn run(args: &Args, common: Common) -> Result<Exit, Error> {
    let mut files = vec![
        ("datasets/example/dataset.toml".to_owned(), DATASET.to_owned()),
        ("datasets/example/tickets.jsonl".to_owned(), TICKETS.to_owned()),
    ];
    files.extend(EXAMPLES.iter().map(|example| (format!("{}/loop.toml", arm(example)), spec(example))));
    files.push(("gate.toml".to_owned(), policy::TEMPLATE.replace("# baseline =", "baseline =")));
    for (name, text) in [("README.md", README), (".gitignore", IGNORED), (".gitattributes", ATTRIBUTES)] {
        files.push((name.to_owned(), text.to_owned()));
    }
    let calls = EXAMPLES.iter().flat_map(|example| ["calls.jsonl", "truth.jsonl"].map(|name| format!("{}/{name}", arm(example))));
    let all: Vec<String> = files.iter().map(|(name, _)| name.clone()).chain(calls).collect();
    // Looked at before anything is written, so that a refusal leaves nothing behind.
    if let Some(there) = all.iter().map(|name| args.dir.join(name)).find(|path| path.symlink_metadata().is_ok()) {
        return Err(Error::at(&there, "is already there and is not written over; expected a folder without it"));
    }
    for (name, text) in &files {
        create(&args.dir.join(name), text)?;
    }
    for example in &EXAMPLES {
        let options = simulate::Options {
            preset: "published".to_owned(),
            seed: SEED,
            rates: example.rates.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
            jobs: 0,
            force: false,
            scaled: None,
        };
        simulate(&args.dir.join(arm(example)), &options, |_| {})?;
    }
    if !common.quiet {
        all.iter().for_each(|name| say(&format!("wrote {}", args.dir.join(name).display())));
    }
    print(&next(&args.dir))?;
    Ok(Exit::Fine)
}

fn arm(example: &Example) -> String {
    format!("recordings/example/{}", example.name)
}

fn spec(example: &Example) -> String {
    let planted: Vec<String> = example.rates.iter().map(|(name, value)| format!(", {name} {value}")).collect();
    let label = format!("made by redraft simulate, preset published, seed {SEED}{}", planted.concat());
    LOOP.replace("ABOUT", example.about).replace("SYNTHETIC", &label).replace(ASKED, example.asked)
}

/// The commands of the README.
fn next(dir: &Path) -> String {
    let enter = if dir == Path::new(".") {
        String::new()
    } else {
        format!("  cd {}\n", crate::report::grid::escape_terminal(&dir.display().to_string()))
    };
    let commands: String = README.lines().filter_map(|line| line.strip_prefix("    ")).map(|line| format!("  {line}\n")).collect();
    format!("A project with example tickets and two simulated loops. Next:\n{enter}{commands}")
}

/// A file that is not there yet, with its folders.
pub fn create(path: &Path, text: &str) -> Result<(), Error> {
    let failed = |e: &std::io::Error| Error::io(path, "write", e);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(|e| failed(&e))?;
    }
    let mut file = match fs::File::create_new(path) {
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {
            return Err(Error::at(path, "is already there and is not written over; choose another name, or remove it first"));
        }
        other => other.map_err(|e| failed(&e))?,
    };
    std::io::Write::write_all(&mut file, text.as_bytes()).map_err(|e| failed(&e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_loops_differ_in_what_the_critic_is_asked() {
        let [current, new] = EXAMPLES.each_ref().map(spec);
        let differ: Vec<(&str, &str)> = current.lines().zip(new.lines()).filter(|(a, b)| a != b).collect();
        assert_eq!(current.lines().count(), new.lines().count());
        // about, synthetic, and the line of the prompt.
        assert_eq!(differ.len(), 3, "{differ:?}");
        assert!(differ[2].0.contains(ASKED) && differ[2].1.contains(ASKED_ANEW));
        assert!(new.contains(r#"synthetic = "made by redraft simulate, preset published, seed 1, breaks_fact 0.8""#));
    }

    #[test]
    fn the_readme_names_three_commands() {
        let text = next(Path::new("my-loops"));
        assert_eq!(text.matches("  redraft gate recordings/example/").count(), 3);
        assert!(text.contains("  cd my-loops\n"));
        assert!(!next(Path::new(".")).contains("cd "));
    }
}
