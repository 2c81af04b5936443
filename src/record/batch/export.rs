//! The frontier of an arm as batch files: of every run that has not ended the one call that can be made now.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use tempfile::NamedTempFile;

use super::form::Form;
use super::id;
use crate::arm::{Coverage, max_tokens};
use crate::error::Error;
use crate::machine::worst_case;
use crate::model::{FaultKind, Role, Slot, Ticket, Usd};
use crate::record::append::sync_folder;
use crate::record::survey::{ROLES, place};
use crate::replay::{Options, Prepared, Reached, Walk};
use crate::secret::{self, Kind};
use crate::tape::Tape;

/// What to write, and where.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    pub form: Form,
    /// None: into the folder `batch` of the arm, under a name made of the requests.
    pub out: Option<&'a Path>,
    pub requests_max: usize,
    pub bytes_max: u64,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Exported {
    pub files: Vec<Part>,
    pub runs: usize,
    pub complete: usize,
    /// Runs that hold a call for another request than the loop makes now. Nothing is asked for them.
    pub stale: usize,
    /// Runs that end in a fault which no answer mends.
    pub faulted: usize,
    /// Requests by role: writer, critic, reviser.
    pub requests: [usize; 3],
    /// Bytes of the request bodies.
    pub body_bytes: u64,
    /// None where a role has no limit on its answer.
    pub tokens_output_most: Option<u64>,
    /// The most that the requests cost by the prices of loop.toml; None where a price or a limit is not given.
    pub usd_most: Option<Usd>,
    /// What looks like a secret in the requests, by kind.
    pub secrets: BTreeMap<Kind, usize>,
    /// The first of what is stale or faulted.
    pub notes: Vec<String>,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    pub path: PathBuf,
    pub requests: usize,
    pub bytes: u64,
}

const NOTES_MAX: usize = 20;

struct Asked {
    id: String,
    role: Role,
    slot: Slot,
    line: String,
    body_bytes: u64,
    worst: Option<Usd>,
    secrets: Vec<(Kind, usize)>,
}

enum Looked {
    Complete,
    Stale(String),
    Faulted(String),
    Open(Box<Asked>),
}

/// Writes the open calls of the chosen tickets, in the order of the dataset. The same frontier gives the same files. `tick` is called after each ticket.
pub fn export(prepared: &Prepared, arm: &Path, options: &Options, wanted: &Wanted<'_>, mut tick: impl FnMut()) -> Result<Exported, Error> {
    let spec = &prepared.program.spec;
    let form = wanted.form;
    let folder = match wanted.out {
        Some(out) => out.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_path_buf(),
        None => arm.join("batch"),
    };
    let mut files = Files { wanted, folder, groups: BTreeMap::new(), named: blake3::Hasher::new() };
    let mut done = Exported {
        files: vec![],
        runs: 0,
        complete: 0,
        stale: 0,
        faulted: 0,
        requests: [0; 3],
        body_bytes: 0,
        tokens_output_most: Some(0),
        usd_most: Some(Usd::ZERO),
        secrets: BTreeMap::new(),
        notes: vec![],
    };
    let look = |ticket: &Ticket, tapes: &mut [Tape<'_>]| {
        let runs: Vec<Looked> = (0..spec.samples).map(|sample| look(prepared, form, ticket, sample, tapes)).collect();
        (ticket.id.clone(), runs)
    };
    prepared.each_taped(options, Coverage::All, look, |(ticket, runs)| {
        tick();
        for run in runs {
            done.runs += 1;
            let note = match run {
                Looked::Complete => {
                    done.complete += 1;
                    None
                }
                Looked::Stale(what) => {
                    done.stale += 1;
                    Some(what)
                }
                Looked::Faulted(what) => {
                    done.faulted += 1;
                    Some(what)
                }
                Looked::Open(asked) => {
                    let role = spec.role(asked.role);
                    let group = if form.one_model_a_file() { role.model.as_str() } else { "" };
                    files.add(group, &asked).map_err(|e| match e {
                        Unwritten::Large => Error::new(format!(
                            "ticket {ticket}: {}: the request has {} bytes, more than a file may have ({})",
                            asked.slot,
                            asked.line.len(),
                            wanted.bytes_max
                        )),
                        Unwritten::Io(e) => Error::io(&files.folder, "write a batch file", &e),
                    })?;
                    done.requests[place(asked.role)] += 1;
                    done.body_bytes += asked.body_bytes;
                    done.tokens_output_most = done.tokens_output_most.zip(max_tokens(&role.params)).map(|(all, one)| all + one);
                    done.usd_most = done.usd_most.zip(asked.worst).map(|(all, one)| all + one);
                    for (kind, count) in asked.secrets {
                        *done.secrets.entry(kind).or_default() += count;
                    }
                    None
                }
            };
            done.notes.extend(note.filter(|_| done.notes.len() < NOTES_MAX).map(|what| format!("ticket {ticket}: {what}")));
        }
        Ok(())
    })?;
    done.files = files.finish()?;
    Ok(done)
}

fn look(prepared: &Prepared, form: Form, ticket: &Ticket, sample: u32, tapes: &mut [Tape<'_>]) -> Looked {
    let program = &prepared.program;
    let open = match Walk::new(program, ticket, sample, tapes).advance() {
        Reached::Done(run) => {
            return run.fault.map_or(Looked::Complete, |fault| Looked::Faulted(format!("{}: {}", fault.at, fault.what)));
        }
        Reached::Open(open) => open,
    };
    let ask = &open.ask;
    if open.refused.kind == FaultKind::Mismatch {
        return Looked::Stale(format!("{}: {}", ask.slot, open.refused.what));
    }
    let role = program.spec.role(ask.slot.role);
    let body = ask.body.to_string();
    let id = id::of(&ticket.id, ask.slot, &program.key(ask));
    Looked::Open(Box::new(Asked {
        role: ask.slot.role,
        slot: ask.slot,
        line: form.request(&id, &program.spec.wire.path(&role.model), &body),
        id,
        body_bytes: body.len() as u64,
        worst: worst_case(role, &ask.body),
        secrets: secret::count(std::iter::once(body.as_str())),
    }))
}

/// Roles by name, for those who print the counts.
impl Exported {
    pub fn by_role(&self) -> impl Iterator<Item = (&'static str, usize)> {
        ROLES.iter().map(|role| role.name()).zip(self.requests)
    }
}

/// The files under way, a group a model where a file may hold but one.
struct Files<'a> {
    wanted: &'a Wanted<'a>,
    folder: PathBuf,
    groups: BTreeMap<String, Vec<Open>>,
    named: blake3::Hasher,
}

struct Open {
    out: BufWriter<NamedTempFile>,
    requests: usize,
    bytes: u64,
}

enum Unwritten {
    Large,
    Io(std::io::Error),
}

impl Files<'_> {
    fn add(&mut self, group: &str, asked: &Asked) -> Result<(), Unwritten> {
        let [before, between, after] = self.wanted.form.around();
        let alone = (before.len() + asked.line.len() + after.len()) as u64;
        if alone > self.wanted.bytes_max {
            return Err(Unwritten::Large);
        }
        self.named.update(asked.id.as_bytes());
        let more = (between.len() + asked.line.len()) as u64;
        let parts = self.groups.entry(group.to_owned()).or_default();
        let fits =
            |part: &Open| part.requests < self.wanted.requests_max && part.bytes + more + after.len() as u64 <= self.wanted.bytes_max;
        match parts.last_mut().filter(|part| fits(part)) {
            Some(part) => {
                write!(part.out, "{between}{}", asked.line).map_err(Unwritten::Io)?;
                part.requests += 1;
                part.bytes += more;
            }
            None => {
                if let Some(full) = parts.last_mut() {
                    full.end(after).map_err(Unwritten::Io)?;
                }
                std::fs::create_dir_all(&self.folder).map_err(Unwritten::Io)?;
                let file = NamedTempFile::new_in(&self.folder).map_err(Unwritten::Io)?;
                let mut out = BufWriter::with_capacity(1 << 18, file);
                write!(out, "{before}{}", asked.line).map_err(Unwritten::Io)?;
                parts.push(Open { out, requests: 1, bytes: (before.len() + asked.line.len()) as u64 });
            }
        }
        Ok(())
    }

    /// Gives the files their names, all of them or none.
    fn finish(mut self) -> Result<Vec<Part>, Error> {
        let [_, _, after] = self.wanted.form.around();
        let failed = |e: &std::io::Error| Error::io(&self.folder, "write a batch file", e);
        for part in self.groups.values_mut().filter_map(|parts| parts.last_mut()) {
            part.end(after).map_err(|e| failed(&e))?;
        }
        let count = self.groups.values().map(Vec::len).sum::<usize>();
        if count == 0 {
            return Ok(vec![]);
        }
        let name = format!("{}.{}", &self.named.finalize().to_hex()[..12], self.wanted.form.ending());
        let base = self.wanted.out.map_or_else(|| self.folder.join(name), Path::to_path_buf);
        let paths: Vec<PathBuf> = (1..=count).map(|at| numbered(&base, at, count)).collect();
        // Files that were named by their requests hold the same requests.
        if self.wanted.out.is_some()
            && let Some(there) = paths.iter().find(|path| path.symlink_metadata().is_ok())
        {
            return Err(Error::at(there, "is already there and is not written over; choose another name, or remove it first"));
        }
        let mut parts = vec![];
        for (open, path) in self.groups.into_values().flatten().zip(paths) {
            let file = open.out.into_inner().map_err(|e| Error::io(&path, "write", e.error()))?;
            file.as_file().sync_all().map_err(|e| Error::io(&path, "write", &e))?;
            file.persist(&path).map_err(|e| Error::io(&path, "write", &e.error))?;
            parts.push(Part { path, requests: open.requests, bytes: open.bytes });
        }
        sync_folder(&self.folder)?;
        Ok(parts)
    }
}

impl Open {
    fn end(&mut self, after: &str) -> std::io::Result<()> {
        self.out.write_all(after.as_bytes())?;
        self.bytes += after.len() as u64;
        self.out.flush()
    }
}

/// `a.jsonl`, or where there are several `a-1of3.jsonl`.
fn numbered(base: &Path, at: usize, of: usize) -> PathBuf {
    if of == 1 {
        return base.to_path_buf();
    }
    let text = |part: Option<&std::ffi::OsStr>| part.map(|part| part.to_string_lossy().into_owned()).unwrap_or_default();
    let ending = base.extension().map_or(String::new(), |e| format!(".{}", e.to_string_lossy()));
    base.with_file_name(format!("{}-{at}of{of}{ending}", text(base.file_stem())))
}
