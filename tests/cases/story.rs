//! Runs for cases that are told as ledgers: the machine is driven with scripted answers, and what it makes is measured. Cases of findings over passes.

use redraft::arm::Spec;
use redraft::machine::{Answer, Ask, Loop, Machine, Step};
use redraft::metric::{self, Cell, Fate, Settings, Views};
use redraft::model::{Critique, Fault, FaultKind, Pass, Reply, Role, Run, Slot, Stop, StopReason, Ticket};
use redraft::summary::{Accumulator, ArmSummary, Origin};
use redraft::text::section::SectionRule;
use serde_json::{Map, Value, json};

use crate::sheet::{Case, Sheet};

/// The loop that cases are run through: quotations are located, nothing is rejected, requests name the finding that is revised.
pub fn spec(strategy: &str, max_passes: usize, closing: bool) -> String {
    format!(
        r#"version = 1
dataset = "../dataset"
match = "slot"
sections = "paragraph"
model = {{ provider = "anthropic", name = "scripted" }}
writer = {{ prompt = "{{{{ ticket.prompt }}}}" }}
critic = {{ format = "findings", prompt = "{{{{ draft }}}}" }}
bounds = {{ max_passes = {max_passes} }}
stop = {{ closing_critique = {closing} }}
[reviser]
strategy = "{strategy}"
prompt = """
{{% for f in findings %}}{{{{ f.defect }}}}
{{{{ f.location }}}}
{{% endfor %}}"""
"#
    )
}

pub fn program(strategy: &str, max_passes: usize, closing: bool) -> Loop {
    let here = std::path::Path::new("scripted.toml");
    let spec = Spec::parse(here, &spec(strategy, max_passes, closing), std::path::Path::new(".")).expect("a sound spec");
    Loop::new(spec).expect("templates compile")
}

pub fn ticket(id: &str) -> Ticket {
    Ticket { id: id.into(), prompt: "p".into(), sources: vec![], checks: vec![], defects: vec![], tags: vec![], fields: Map::new() }
}

/// Runs one ticket; an ask that the script has no answer to ends the run with a fault.
pub fn drive(program: &Loop, ticket: &Ticket, mut answer: impl FnMut(&Ask) -> Option<String>) -> Run {
    let mut machine = Machine::new(program, ticket, 0);
    let mut given = None;
    loop {
        let ask = match machine.next(given.take()) {
            Ok(Step::Done(run)) => return *run,
            Ok(Step::Ask(ask)) => ask,
            Err(fault) => return machine.abandon(fault),
        };
        let Some(text) = answer(&ask) else {
            let what = "the script has no answer".to_owned();
            return machine.abandon(Fault { kind: FaultKind::Missing, at: ask.slot.to_string(), what });
        };
        let reply = Reply { text, stop: StopReason::End, usage: None, model: None };
        given = Some(Answer { reply, key: String::new(), attempts: 1 });
    }
}

pub fn last_message(ask: &Ask) -> &str {
    ask.body["messages"].as_array().and_then(|all| all.last()).and_then(|m| m["content"].as_str()).unwrap_or_default()
}

/// A run of one draft and a critique of it.
pub fn critiqued(draft: &str, critique: Critique) -> Run {
    let pass = |index, critique, draft| Pass { critique, draft, ..Pass::new(index) };
    let passes = vec![pass(0, None, Some(draft.to_owned())), pass(1, Some(critique), None)];
    Run { ticket: "T1".into(), sample: 0, passes, stop: Stop::MaxPasses, fault: None, unused: vec![] }
}

/// A measured run, read by column.
pub struct Measure(metric::Measured);

pub const SETTINGS: Settings = Settings { sections: SectionRule::Paragraph, growth: 15 };

impl Measure {
    pub fn of(run: &Run) -> Measure {
        Measure(metric::measure(&ticket(&run.ticket), run, &SETTINGS))
    }

    pub fn cells(&self, column: &str) -> impl Iterator<Item = &Cell> {
        let at = metric::column_at(column).unwrap_or_else(|| panic!("no column {column}"));
        self.0.rows.iter().map(move |row| &row.cells[at])
    }

    pub fn int(&self, pass: usize, column: &str) -> Value {
        match self.cells(column).nth(pass) {
            Some(Cell::Int(n)) => json!(n),
            _ => Value::Null,
        }
    }

    pub fn sum(&self, column: &str) -> i64 {
        self.cells(column).map(|cell| if let Cell::Int(n) = cell { *n } else { 0 }).sum()
    }

    /// Of pass 1: whether the critique could not be read, and how many findings it gave.
    pub fn first_critique(&self) -> (bool, u64) {
        let unreadable = self.cells("unreadable").nth(1) == Some(&Cell::Flag(true));
        (unreadable, self.int(1, "emitted").as_u64().unwrap_or(0))
    }
}

/// What an arm of these runs, one a ticket, is summarised as.
pub fn summary(runs: &[Run], max_passes: usize) -> ArmSummary {
    let mut sum = Accumulator::new(Origin::default(), max_passes as u32);
    runs.iter().for_each(|run| sum.add(&[Measure::of(run).0]));
    sum.finish()
}

/// A ticket's passes as a ledger case tells them, run through the machine: serial where the reviser gave statuses, else batched.
fn told(value: &Value) -> Run {
    let passes = value["passes"].as_array().cloned().unwrap_or_default();
    let revises = |pass: &Value| pass["critic"]["status"] == "ok" && pass["critic"]["findings"].as_array().is_some_and(|f| !f.is_empty());
    let has_next = |at: usize| passes.get(at + 1).is_some() || !value["final_draft"].is_null();
    let serial = passes.iter().any(|pass| pass["reviser_status"].is_array());
    let last = passes.len().saturating_sub(1);
    let closes = passes.last().is_some_and(|pass| revises(pass) && !(pass["reviser_status"].is_array() || has_next(last)));
    let max_passes = if closes { last } else { passes.len() };
    let program = program(if serial { "serial" } else { "batched" }, max_passes, closes);
    let draft = |at: usize| match passes.get(at) {
        Some(pass) => pass["draft"].as_str(),
        None => value["final_draft"].as_str().or_else(|| passes.last().and_then(|pass| pass["draft"].as_str())),
    };
    let mut revised: Vec<usize> = vec![];
    drive(&program, &ticket(value["ticket"].as_str().unwrap_or_default()), |ask| {
        let Slot { pass, role, n, .. } = ask.slot;
        let at = (pass as usize).saturating_sub(1);
        match role {
            Role::Writer => draft(0).map(str::to_owned),
            Role::Critic => Some(match passes.get(at)?["critic"]["status"].as_str()? {
                "approved" => "APPROVED".into(),
                "ok" => json!({"findings": passes[at]["critic"]["findings"]}).to_string(),
                _ => "I have some thoughts.".into(),
            }),
            _ if !serial => draft(at + 1).map(str::to_owned),
            _ => {
                if n == 0 {
                    revised.clear();
                }
                let listed = passes[at]["critic"]["findings"].as_array()?;
                let asked = |f: &Value| {
                    last_message(ask).lines().eq(["defect", "location"].iter().flat_map(|k| f[*k].as_str().unwrap_or_default().lines()))
                };
                let index = (0..listed.len()).find(|i| !revised.contains(i) && asked(&listed[*i]))?;
                revised.push(index);
                let status = passes[at]["reviser_status"][index].as_str()?;
                Some(json!({"status": status, "reason": "r", "draft": if status == "applied" { draft(at + 1) } else { None }}).to_string())
            }
        }
    })
}

/// Cases with one ledger.json or several in ledgers.jsonl.
pub fn ledgers(case: &Case, sheet: &mut Sheet) {
    let rows = if case.has("ledger.json") { vec![case.json("ledger.json")] } else { case.rows("ledgers.jsonl") };
    let runs: Vec<Run> = rows.iter().map(told).collect();
    for run in &runs {
        sheet.holds(format!("{} runs without a fault", run.ticket), &Value::Null, run.fault.is_none(), format!("{:?}", run.fault));
    }
    let rows: Vec<Measure> = runs.iter().map(Measure::of).collect();
    let sum = |column: &str| rows.iter().map(|row| row.sum(column)).sum::<i64>();
    sheet.each("", &Value::Object(case.expect.clone()), |sheet, field, name, want| {
        match name {
            _ if pass_of(name).is_some() && runs.len() == 1 => pass(sheet, &field, want, &runs[0], &rows[0], pass_of(name).unwrap_or(0)),
            "resolved" => sheet.each(&field, want, |sheet, field, id, want| {
                let Some(run) = runs.iter().find(|run| run.ticket == id) else { return false };
                sheet.each(&field, want, |sheet, field, name, want| {
                    pass_of(name).is_some_and(|k| {
                        sheet.eq(field, want, resolved(run, k));
                        true
                    })
                });
                true
            }),
            "totals" => sheet.each(&field, want, |sheet, field, name, want| {
                match name {
                    "resolved_of_observed" => sheet.eq(field, want, json!({"num": sum("fate_resolved"), "den": sum("fate_observed")})),
                    _ => match columns(name) {
                        Some(columns) => sheet.eq(field, want, columns.iter().map(|column| sum(column)).sum::<i64>()),
                        None => return false,
                    },
                }
                true
            }),
            "aligned" => sheet.eq(field, want, runs.iter().all(aligned)),
            "chars_deleted" | "chars_inserted" => sheet.eq(field, want, sum(name)),
            "paragraphs" => sheet.each(&field, want, |sheet, field, name, want| {
                pass_of(name).is_some_and(|k| {
                    sheet.eq(field, want, read_by(&runs[0], k, |incoming, _| incoming.sections.len()));
                    true
                })
            }),
            _ => match name.strip_prefix("paragraph_of_") {
                Some(label) => sheet.each(&field, want, |sheet, field, name, want| {
                    pass_of(name).is_some_and(|k| {
                        sheet.eq(field, want, read_by(&runs[0], k, |incoming, critique| place(incoming, critique, label)).flatten());
                        true
                    })
                }),
                None => return false,
            },
        }
        true
    });
}

fn pass_of(name: &str) -> Option<usize> {
    name.strip_prefix("pass_")?.parse().ok()
}

/// The columns that a case's counter is the sum of. Cases count what was raised again whether it had been applied or not.
fn columns(name: &str) -> Option<&'static [&'static str]> {
    Some(match name {
        "emitted" => &["emitted"],
        "observed" => &["fate_observed"],
        "unobserved" => &["fate_unobserved"],
        "resolved" => &["fate_resolved"],
        "re_raised" => &["origin_reraised", "origin_persisted"],
        "re_raised_after_applied" => &["origin_reraised"],
        "new" => &["origin_new"],
        "reopened" => &["origin_reopened"],
        "vanished" => &["fate_vanished"],
        "persisted" => &["fate_persisted"],
        "resolved_by_deletion" => &["resolved_by_deletion"],
        "applied" => &["applied"],
        "applied_without_change" => &["applied_without_change"],
        "changed_though_rejected" => &["changed_though_rejected"],
        _ => return None,
    })
}

fn pass(sheet: &mut Sheet, at: &str, want: &Value, run: &Run, row: &Measure, k: usize) {
    sheet.each(at, want, |sheet, field, name, want| {
        if name == "resolved" {
            sheet.eq(field, want, resolved(run, k));
            return true;
        }
        let Some(columns) = columns(name) else { return false };
        let counts: Option<Vec<i64>> = columns.iter().map(|column| row.int(k, column).as_i64()).collect();
        sheet.eq(field, want, counts.map(|counts| counts.iter().sum::<i64>()));
        true
    });
}

/// One entry a finding of pass k: true, false, or null where nobody looked.
fn resolved(run: &Run, k: usize) -> Value {
    let fates = metric::fates(&ticket(&run.ticket), run, &SETTINGS);
    fates.get(k).into_iter().flatten().map(|fate| json!(fate.map(|fate| fate == Fate::Resolved))).collect()
}

fn read_by<T>(run: &Run, k: usize, look: impl Fn(&metric::Draft<'_>, &Critique) -> T) -> Option<T> {
    let ticket = ticket(&run.ticket);
    let views = Views::new(&ticket, run, &SETTINGS);
    views.iter().nth(k).and_then(|view| Some(look(view.incoming()?, view.critique()?)))
}

/// The section that the first finding with this label points into.
fn place(incoming: &metric::Draft<'_>, critique: &Critique, label: &str) -> Option<usize> {
    let finding = critique.findings.iter().flatten().find(|f| metric::fate::label(&f.label) == label)?;
    incoming.section_at(*finding.anchor.as_ref()?.spans.first()?)
}

/// True where each finding of a pass that bears the label of one before it is told to sit in the same section.
fn aligned(run: &Run) -> bool {
    let ticket = ticket(&run.ticket);
    let views = Views::new(&ticket, run, &SETTINGS);
    let identity = |k: usize, label: &str| {
        let view = views.iter().nth(k)?;
        let (incoming, critique) = (view.incoming()?, view.critique()?);
        incoming.identity.get(place(incoming, critique, label)?).copied()
    };
    let labels = |k: usize| run.passes[k].critique.iter().flat_map(|c| c.findings.iter().flatten()).map(|f| metric::fate::label(&f.label));
    (2..run.passes.len()).all(|k| labels(k).all(|label| identity(k - 1, &label).is_none_or(|before| Some(before) == identity(k, &label))))
}
