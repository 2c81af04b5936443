//! `redraft lint-secrets PATH...`: credentials and personal data in files, named by place and kind, never by value; and how they are taken out.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use serde_json::json;

use super::{Common, Exit, print, say};
use crate::error::Error;
use crate::jsonl::pretty;
use crate::report::grid::escape_terminal;
use crate::secret::{self, Found, Kind, Scan, Scope};

/// Look for credentials and personal data in recordings, datasets, reports and any other text files
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Each is named by file, line, JSON pointer and kind; its value is never printed. Keys, tokens, headers and links with credentials are errors; e-mail
addresses and card numbers are warnings, since tickets are full of them. Addresses under reserved names (example.com, .test) are nobody's.

--redact rewrites the files. One value gets one mark, [redacted-api_key-1], in all files of one call: redact an arm together with its dataset, or
the loop asks for other texts than were recorded. Keys of calls are made anew.

Exit codes: 0 none found (or warnings alone), 1 some found, 2 bad input.

Examples:
  redraft lint-secrets recordings datasets
  redraft lint-secrets --redact secrets recordings/set/arm datasets/set
  redraft lint-secrets --format json reports/main")]
pub struct Args {
    /// Files, or folders with all that is in them
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// How the places are printed
    #[arg(long, value_enum, default_value = "text", value_name = "FORM")]
    format: Form,
    /// Warnings count as found
    #[arg(long)]
    strict: bool,
    /// Every place, not the first 20 of a kind and file
    #[arg(long)]
    all: bool,
    /// Take them out of the files: credentials, or all that was found
    #[arg(long, value_enum, value_name = "WHAT")]
    redact: Option<Redact>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    Text,
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Redact {
    Secrets,
    All,
}

/// Places printed at most a kind and file; the count is always whole.
const SHOWN_MAX: usize = 20;

pub fn run(args: &Args, common: Common) -> Result<Exit, Error> {
    if let Some(what) = args.redact {
        let scope = if what == Redact::All { Scope::All } else { Scope::Secrets };
        let done = secret::redact(&args.paths, scope)?;
        if !common.quiet {
            for (path, places) in &done.files {
                say(&format!("rewritten: {} ({places} places)", escape_terminal(&path.display().to_string())));
            }
            if !done.keys.is_empty() {
                let (path, line, ticket) = &done.keys[0];
                say(&format!(
                    "{} calls have another key, since their request held a secret (the first: {}:{line}, ticket {}). The tickets and prompts that it came from \
                     must be redacted in the same call; `redraft verify` tells whether they agree.",
                    done.keys.len(),
                    escape_terminal(&path.display().to_string()),
                    escape_terminal(ticket),
                ));
            }
            say(&format!("{} different values taken out of {} files", done.values, done.files.len()));
        }
    }
    let scan = secret::scan(&args.paths)?;
    print(&if args.format == Form::Json { as_json(&scan) } else { as_text(&scan, args.all) })?;
    let counts = |found: &&Found| args.strict || !found.kind.is_warning();
    Ok(if scan.found.iter().any(|found| counts(&found)) { Exit::GateBroken } else { Exit::Fine })
}

fn severity(kind: Kind) -> &'static str {
    if kind.is_warning() { "warning" } else { "error" }
}

fn as_text(scan: &Scan, all: bool) -> String {
    let mut out = String::new();
    let mut by_file: BTreeMap<(&PathBuf, Kind), Vec<&Found>> = BTreeMap::new();
    for found in &scan.found {
        by_file.entry((&found.path, found.kind)).or_default().push(found);
    }
    for ((path, kind), places) in &by_file {
        let shown = if all { places.len() } else { SHOWN_MAX };
        let path = escape_terminal(&path.display().to_string()).into_owned();
        for found in places.iter().take(shown) {
            let pointer = found.pointer.as_deref().map_or(String::new(), |pointer| format!(" at {}", escape_terminal(pointer)));
            let _ = writeln!(out, "{path}:{}: {} {}{pointer}", found.line, severity(*kind), kind.name());
        }
        if places.len() > shown {
            let _ = writeln!(out, "{path}: {} more {} (--all shows them)", places.len() - shown, kind.name());
        }
    }
    for (path, why) in &scan.not_read {
        let _ = writeln!(out, "{}: not looked at: {why}", escape_terminal(&path.display().to_string()));
    }
    let warnings = scan.found.iter().filter(|found| found.kind.is_warning()).count();
    let errors = scan.found.len() - warnings;
    let _ =
        writeln!(out, "{} files looked through: {errors} secrets, {warnings} warnings; {} not looked at", scan.files, scan.not_read.len());
    out
}

fn as_json(scan: &Scan) -> String {
    let found: Vec<_> = scan
        .found
        .iter()
        .map(|f| json!({"path": f.path, "line": f.line, "pointer": f.pointer, "kind": f.kind, "severity": severity(f.kind)}))
        .collect();
    let not_read: Vec<_> = scan.not_read.iter().map(|(path, why)| json!({"path": path, "why": why})).collect();
    pretty(&json!({"files": scan.files, "found": found, "not_read": not_read}))
}
