//! Where a recording stands against its spec: what is recorded and asked for, what is open, stale, failed or never asked for, and what the rest will
//! take. Nothing is written and nobody is asked.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::fill::{Fill, Observed, Shape};
use crate::arm::Coverage;
use crate::error::Error;
use crate::machine::worst_case;
use crate::model::{FaultKind, Role, Run, Slot, Ticket, Usd};
use crate::replay::{Options, Prepared, Reached, Walk};
use crate::tape::Tape;

/// Roles of a loop, in its order: what counts per role are indexed by.
pub const ROLES: [Role; 3] = [Role::Writer, Role::Critic, Role::Reviser];

pub(super) const fn place(role: Role) -> usize {
    match role {
        Role::Writer => 0,
        Role::Critic | Role::Judge => 1,
        Role::Reviser => 2,
    }
}

/// What `redraft status` tells of one arm.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(title = "redraft status --format json, an entry of `arms`")]
pub struct Status {
    pub arm: String,
    pub dataset: String,
    /// Set where the answers were not made by a model.
    pub synthetic: String,
    /// Tickets looked at.
    pub tickets: usize,
    /// Tickets without a call, in an arm that covers recorded ones only.
    pub not_recorded: usize,
    pub runs: usize,
    /// Runs whose every call is recorded.
    pub complete: usize,
    pub roles: Vec<RoleCounts>,
    /// Why calls are stale: the field in which the recorded request differs from the one asked now.
    pub stale: Vec<StaleGroup>,
    /// Prompts that cannot be rendered, and calls that failed: the first of them.
    pub notes: Vec<String>,
    /// Recorded tickets that the dataset lacks.
    pub tickets_without_dataset_row: usize,
    /// To fill what is missing or failed.
    pub missing: Fill,
    /// To record what is stale anew, in a new arm.
    pub renew: Fill,
}

/// Calls of one role.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    /// Recorded, and asked for by the loop as it is now.
    pub current: u64,
    /// Of these, answered by an arm under `reuse`.
    pub reused: u64,
    /// Could be asked now: nothing usable is recorded, and everything before it is.
    pub open: u64,
    /// Of the open ones, tried and failed.
    pub failed: u64,
    /// Recorded for another request than the loop makes now.
    pub stale: u64,
    /// Recorded behind an open or stale call of the same run, so that nobody knows yet whether they fit.
    pub behind: u64,
    /// Never asked for by a run that came to its end.
    pub unused: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RoleCounts {
    pub role: Role,
    #[serde(flatten)]
    pub counts: Counts,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StaleGroup {
    pub role: Role,
    /// The first field that differs, such as `messages[0].content`.
    pub field: String,
    pub calls: u64,
    /// Where the first of them is, and what it says.
    pub example: String,
}

/// Notes kept; the counts are always whole.
const NOTES_MAX: usize = 20;

/// One run, looked at.
struct Looked {
    calls: Vec<(Role, Option<crate::model::Usage>, Option<Usd>)>,
    end: End,
    note: Option<String>,
}

enum End {
    Complete,
    /// A fault that no answer mends.
    Faulted,
    Open {
        shape: Shape,
        bytes: u64,
        worst: Option<Usd>,
        failed: bool,
    },
    Stale {
        shape: Shape,
        bytes: u64,
        worst: Option<Usd>,
        slot: Slot,
        what: String,
    },
}

/// Goes through the chosen tickets. `coverage` All looks also at those that a spec leaves out of a replay while nothing of them is recorded.
pub fn survey(prepared: &Prepared, options: &Options, coverage: Coverage, mut tick: impl FnMut()) -> Result<Status, Error> {
    let program = &prepared.program;
    let spec = &program.spec;
    let mut counts = [Counts::default(); 3];
    let mut observed = Observed::default();
    let (mut missing, mut renew) = (BTreeMap::new(), BTreeMap::new());
    let mut known = [Fill::default(), Fill::default()];
    let mut stale: BTreeMap<(usize, String), StaleGroup> = BTreeMap::new();
    let (mut runs, mut complete, mut notes) = (0, 0, vec![]);
    let look = |ticket: &Ticket, tapes: &mut [Tape<'_>]| {
        let looked: Vec<Looked> = (0..spec.samples).map(|sample| look(prepared, ticket, sample, tapes)).collect();
        let slots: Vec<Vec<(Slot, bool)>> = tapes.iter().map(|tape| tape.slots().collect()).collect();
        (ticket.id.clone(), looked, slots)
    };
    let tally = prepared.each_taped(options, coverage, look, |(ticket, looked, slots)| {
        tick();
        for (source, slots) in slots.iter().enumerate() {
            for (slot, used) in slots {
                let counts = &mut counts[place(slot.role)];
                let end = looked.get(slot.sample as usize).map(|run| &run.end);
                match end {
                    _ if *used && source > 0 => {
                        counts.current += 1;
                        counts.reused += 1;
                    }
                    _ if source > 0 => {}
                    // A failed call was taken from its tape too, and found to be no answer.
                    Some(End::Open { shape, failed: true, .. }) if *used && shape.slot() == (slot.role, slot.pass, slot.n) => {}
                    _ if *used => counts.current += 1,
                    Some(End::Stale { slot: at, .. }) if at == slot => {}
                    Some(End::Open { .. } | End::Stale { .. } | End::Faulted) => counts.behind += 1,
                    Some(End::Complete) | None => counts.unused += 1,
                }
            }
        }
        for run in looked {
            runs += 1;
            run.calls.iter().for_each(|(role, usage, cost)| observed.call(*role, *usage, *cost));
            if notes.len() < NOTES_MAX {
                notes.extend(run.note.map(|note| format!("ticket {ticket}: {note}")));
            }
            match run.end {
                End::Complete => {
                    complete += 1;
                    observed.run(run.calls.iter().map(|(role, ..)| *role));
                }
                End::Faulted => {}
                End::Open { shape, bytes, worst, failed } => {
                    let counts = &mut counts[place(shape.role)];
                    counts.open += 1;
                    counts.failed += u64::from(failed);
                    known[0].open(&mut observed, shape.role, bytes, worst);
                    *missing.entry(shape).or_insert(0u64) += 1;
                }
                End::Stale { shape, bytes, worst, slot, what } => {
                    counts[place(shape.role)].stale += 1;
                    known[1].open(&mut observed, shape.role, bytes, worst);
                    *renew.entry(shape).or_insert(0u64) += 1;
                    let field = what.split_once(": ").map_or("provider, endpoint or key", |(field, _)| field).to_owned();
                    let group = stale.entry((place(slot.role), field.clone())).or_insert_with(|| StaleGroup {
                        role: ROLES[place(slot.role)],
                        field,
                        calls: 0,
                        example: format!("ticket {ticket}: {slot}: {what}"),
                    });
                    group.calls += 1;
                }
            }
        }
        Ok(())
    })?;
    let mut groups: Vec<StaleGroup> = stale.into_values().collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.calls));
    let [known_missing, known_renew] = known;
    Ok(Status {
        arm: prepared.arm_name.clone(),
        dataset: prepared.dataset.about.name.clone(),
        synthetic: spec.synthetic.clone(),
        tickets: tally.tickets,
        not_recorded: tally.not_recorded,
        runs,
        complete,
        roles: ROLES.iter().zip(counts).map(|(role, counts)| RoleCounts { role: *role, counts }).collect(),
        stale: groups,
        notes,
        tickets_without_dataset_row: tally.orphans.len(),
        missing: known_missing.finish(spec, &missing, &observed),
        renew: known_renew.finish(spec, &renew, &observed),
    })
}

fn look(prepared: &Prepared, ticket: &Ticket, sample: u32, tapes: &mut [Tape<'_>]) -> Looked {
    let program = &prepared.program;
    let calls = |run: &Run| {
        let answered = run.passes.iter().flat_map(|pass| &pass.calls).filter(|call| call.answered);
        answered.map(|call| (call.slot.role, call.usage, call.cost)).collect()
    };
    let open = match Walk::new(program, ticket, sample, tapes).advance() {
        Reached::Done(run) => {
            let note = run.fault.as_ref().map(|fault| format!("{}: {}", fault.at, fault.what));
            return Looked { calls: calls(&run), end: if note.is_some() { End::Faulted } else { End::Complete }, note };
        }
        Reached::Open(open) => open,
    };
    let slot = open.ask.slot;
    let bytes = open.ask.body.to_string().len() as u64;
    let worst = worst_case(program.spec.role(slot.role), &open.ask.body);
    let (kind, what) = (open.refused.kind, open.refused.what.clone());
    let calls: Vec<_> = calls(&open.abandon());
    let shape = Shape::new(slot, calls.iter().map(|(role, ..)| *role));
    match kind {
        FaultKind::Mismatch => Looked { calls, end: End::Stale { shape, bytes, worst, slot, what }, note: None },
        FaultKind::Missing => Looked { calls, end: End::Open { shape, bytes, worst, failed: false }, note: None },
        _ => {
            let note = Some(format!("{slot}: {what}"));
            Looked { calls, end: End::Open { shape, bytes, worst, failed: true }, note }
        }
    }
}
