//! Arms made of the cases' simple records {ticket, step, role, attempt?, response: {status, stop_reason, text}}: one folder, matched by slot.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use redraft::model::Run;
use redraft::replay::{Options, Prepared, Tally};
use serde_json::{Value, json};

use crate::story;

/// An arm in a folder of its own, removed when dropped.
pub struct TempArm {
    root: tempfile::TempDir,
}

/// Where a simple record belongs, walked from the steps before it.
#[derive(Debug, Clone, PartialEq)]
struct Placed {
    ticket: String,
    step: u64,
    pass: u64,
    n: u64,
    attempts: u64,
    record: Value,
}

impl TempArm {
    /// `tickets` None: those of the recording, in order of appearance.
    pub fn new(records: &[Value], tickets: Option<&[Value]>, max_passes: Option<usize>) -> TempArm {
        let placed = place(records);
        let strategy = if placed.iter().any(|p| p.n > 0) { "serial" } else { "batched" };
        let last = placed.iter().map(|p| p.pass as usize).max().unwrap_or(1);
        let mut ids: Vec<&str> = match tickets {
            Some(rows) => rows.iter().filter_map(|row| row["ticket"].as_str()).collect(),
            None => placed.iter().map(|p| p.ticket.as_str()).collect(),
        };
        if tickets.is_none() {
            let mut seen = std::collections::HashSet::new();
            ids.retain(|id| seen.insert(*id));
        }
        let arm = TempArm { root: tempfile::tempdir().expect("a temporary folder") };
        let tickets: String = ids.iter().map(|id| json!({"id": id, "prompt": "p"}).to_string() + "\n").collect();
        let calls: String = placed.iter().map(|p| line(p).to_string() + "\n").collect();
        arm.write("dataset/dataset.toml", b"version = 1\nname = \"case\"\n");
        arm.write("dataset/tickets.jsonl", tickets.as_bytes());
        arm.write("arm/loop.toml", story::spec(strategy, max_passes.unwrap_or(last.max(1)), false).as_bytes());
        arm.write("arm/calls.jsonl", calls.as_bytes());
        arm
    }

    pub fn root(&self) -> &Path {
        self.root.path()
    }

    pub fn dir(&self) -> PathBuf {
        self.root.path().join("arm")
    }

    pub fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.root.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).and_then(|()| std::fs::write(&path, bytes)).expect("a written file");
    }

    pub fn open(&self) -> Prepared {
        Prepared::open(&self.dir()).expect("an arm that opens")
    }

    pub fn replay(&self, jobs: usize) -> (Vec<Run>, Tally) {
        let mut runs = vec![];
        let options = Options { jobs, ..Options::default() };
        let tally = self.open().each(
            &options,
            |_, made| made,
            |made| {
                runs.extend(made);
                Ok(())
            },
        );
        (runs, tally.expect("a replay"))
    }
}

/// Steps become slots by walking each ticket's roles: a critic opens a pass, revisers are numbered in it. Attempts at one step are one call,
/// of which the last answer is kept.
fn place(records: &[Value]) -> Vec<Placed> {
    let mut placed: Vec<Placed> = vec![];
    let mut last: HashMap<&str, usize> = HashMap::new();
    for record in records {
        let (ticket, step) = (record["ticket"].as_str().unwrap_or_default(), record["step"].as_u64().unwrap_or(0));
        let attempt = record["attempt"].as_u64();
        let before = last.get(ticket).copied();
        if let Some(same) = before.map(|at| &mut placed[at]).filter(|p| p.step == step) {
            same.attempts = attempt.unwrap_or(same.attempts + 1).max(same.attempts);
            same.record = record.clone();
            continue;
        }
        let before = before.map(|at| &placed[at]);
        let (pass, n) = match (record["role"].as_str(), before) {
            (Some("critic"), _) => (before.map_or(0, |p| p.pass) + 1, 0),
            (Some("reviser"), Some(p)) if p.record["role"] == "reviser" => (p.pass, p.n + 1),
            (_, before) => (before.map_or(0, |p| p.pass), 0),
        };
        last.insert(ticket, placed.len());
        placed.push(Placed { ticket: ticket.to_owned(), step, pass, n, attempts: attempt.unwrap_or(1), record: record.clone() });
    }
    placed
}

/// The step that a slot stands for, in loops with one reviser call a pass.
pub fn step_of(slot: redraft::model::Slot) -> u32 {
    use redraft::model::Role;
    match slot.role {
        Role::Writer => 0,
        Role::Critic | Role::Judge => (2 * slot.pass).saturating_sub(1),
        Role::Reviser => 2 * slot.pass,
    }
}

fn line(placed: &Placed) -> Value {
    let response = &placed.record["response"];
    let text = response["text"].as_str().unwrap_or_default();
    let status = response["status"].as_u64().unwrap_or(200);
    let body = if (200..300).contains(&status) {
        json!({"type": "message", "content": [{"type": "text", "text": text}], "stop_reason": response["stop_reason"]})
    } else {
        serde_json::from_str(text).unwrap_or_else(|_| text.into())
    };
    json!({
        "v": 1,
        "slot": {"ticket": placed.ticket, "sample": 0, "pass": placed.pass, "role": placed.record["role"], "n": placed.n},
        "response": {"status": status, "body": body},
        "meta": {"attempts": placed.attempts},
    })
}

/// One simple record as a line of calls.jsonl, for cases about single lines.
pub fn call(record: &Value) -> Option<Value> {
    place(std::slice::from_ref(record)).first().map(line)
}
