//! The loop, without input or output: it asks, is answered, and ends in a run. It knows prompts, formats, bounds and guards; no file, network or clock.

mod batched;
mod bounds;
mod guard;
mod prompt;
mod serial;
mod whole;

pub use bounds::{calls_max, worst_case};
pub use prompt::Loop;

use serde_json::Value;

use crate::api::{Message, Speaker, key};
use crate::arm::{Context, OnUnreadable, Spec, Strategy};
use crate::critique::{self, locate};
use crate::model::{
    CallRecord, Critique, CritiqueStatus, Edit, Fault, FaultKind, Pass, Reply, Role, Run, Slot, Span, Stop, StopReason, Ticket, cost,
};
use crate::text::locality;
use bounds::Spent;
use prompt::Scene;

/// What the machine wants next.
pub enum Step {
    /// Send this request; its answer goes into the next call of [`Machine::next`].
    Ask(Ask),
    Done(Box<Run>),
}

/// One request, in its slot.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    pub slot: Slot,
    /// The body in the provider's form.
    pub body: Value,
}

impl Loop {
    /// The key that an ask is recorded under, and by which its recording is known again.
    pub fn key(&self, ask: &Ask) -> String {
        let wire = self.spec.wire;
        key::key(wire.name(), &wire.path(&self.spec.role(ask.slot.role).model), &ask.body, &self.spec.ignore)
    }
}

/// The answer to an ask, from wherever it came.
pub struct Answer {
    pub reply: Reply,
    pub key: String,
    pub attempts: u32,
}

/// One ticket's way through one loop.
pub struct Machine<'a> {
    program: &'a Loop,
    ticket: &'a Ticket,
    sample: u32,
    scene: Scene<'a>,
    spent: Spent,
    /// The writer's conversation, which roles in conversation context go on with.
    conversation: Vec<Message>,
    draft: String,
    passes: Vec<Pass>,
    state: State,
}

enum State {
    Start,
    Waiting(Waiting),
    Ended,
}

/// The one open ask, and what its answer will be used for.
struct Waiting {
    slot: Slot,
    /// The messages that the ask appended to the conversation, if it goes on in it.
    said: Option<Message>,
    purpose: Purpose,
}

enum Purpose {
    Draft,
    Critique { closing: bool },
    Revision(Plan),
}

/// The reviser calls of a pass: which findings each is given, and how far it has come.
struct Plan {
    calls: Vec<Vec<usize>>,
    at: usize,
    scope: Vec<Span>,
}

impl<'a> Machine<'a> {
    pub fn new(program: &'a Loop, ticket: &'a Ticket, sample: u32) -> Self {
        let scene = Scene::new(program, ticket, sample);
        Machine {
            program,
            ticket,
            sample,
            scene,
            spent: Spent::default(),
            conversation: vec![],
            draft: String::new(),
            passes: vec![],
            state: State::Start,
        }
    }

    fn spec(&self) -> &'a Spec {
        &self.program.spec
    }

    /// The draft as it stands: after each answer, what the loop took of it.
    pub fn draft(&self) -> &str {
        &self.draft
    }

    /// Goes one step. The first call takes no answer; every later one takes the answer to the ask before it.
    /// A prompt that cannot be rendered for this ticket is its fault.
    pub fn next(&mut self, answer: Option<Answer>) -> Result<Step, Fault> {
        match (std::mem::replace(&mut self.state, State::Ended), answer) {
            (State::Start, None) => {
                self.scene.prepare().map_err(|what| prompt_fault(Role::Writer, 0, what))?;
                self.passes.push(Pass::new(0));
                self.ask(Role::Writer, 0, Purpose::Draft)
            }
            (State::Waiting(waiting), Some(answer)) => {
                self.count(waiting.slot, &answer);
                let text = self.taken_text(&answer.reply);
                if let Some(said) = waiting.said {
                    self.conversation.extend([said, Message { role: Speaker::Assistant, text: text.clone() }]);
                }
                match waiting.purpose {
                    Purpose::Draft => self.drafted(text, answer.reply.stop),
                    Purpose::Critique { closing } => self.criticised(&answer.reply, closing),
                    Purpose::Revision(plan) => self.revised(plan, &answer.reply, text),
                }
            }
            _ => Ok(self.end(Stop::Fault)),
        }
    }

    /// Notes that the open ask was made `attempts` times and never answered. The run cannot go on: abandon it next.
    pub fn unanswered(&mut self, slot: Slot, attempts: u32) {
        let record = CallRecord { slot, key: String::new(), usage: None, cost: None, stop: StopReason::Unknown, attempts, answered: false };
        self.pass().calls.push(record);
    }

    /// Ends the run where it stands, with the fault that stopped it.
    pub fn abandon(mut self, fault: Fault) -> Run {
        Run { fault: Some(fault), ..self.finish(Stop::Fault) }
    }

    fn taken_text(&self, reply: &Reply) -> String {
        if self.spec().trim { reply.text.trim().to_owned() } else { reply.text.clone() }
    }

    fn pass(&mut self) -> &mut Pass {
        if self.passes.is_empty() {
            self.passes.push(Pass::new(0));
        }
        let last = self.passes.len() - 1;
        &mut self.passes[last]
    }

    /// Opens an ask, unless a bound forbids the call: then the run ends before it is made.
    fn ask(&mut self, role: Role, n: u32, purpose: Purpose) -> Result<Step, Fault> {
        let index = self.passes.last().map_or(0, |p| p.index);
        let slot = Slot { sample: self.sample, pass: index, role, n };
        let spec = self.spec().role(role);
        let (mut messages, body) = self.request(role).map_err(|what| prompt_fault(role, index, what))?;
        if let Some(stop) = self.spent.forbids(self.spec(), spec, &body) {
            return Ok(self.cut(stop, matches!(purpose, Purpose::Revision(_))));
        }
        let said = if role == Role::Writer || spec.context == Context::Conversation { messages.pop() } else { None };
        if role == Role::Writer {
            self.conversation = messages;
        }
        self.state = State::Waiting(Waiting { slot, said, purpose });
        Ok(Step::Ask(Ask { slot, body }))
    }

    /// What a role is asked: the messages, the prompt last, and the body that holds them.
    fn request(&self, role: Role) -> Result<(Vec<Message>, Value), String> {
        let user = Message { role: Speaker::User, text: self.scene.prompt(role)? };
        let mut messages = if role != Role::Writer && self.spec().role(role).context == Context::Conversation {
            self.conversation.clone()
        } else {
            self.scene.system(role)?.map(|text| Message { role: Speaker::System, text }).into_iter().collect()
        };
        messages.push(user);
        let body = self.scene.body(role, &messages)?;
        Ok((messages, body))
    }

    fn count(&mut self, slot: Slot, answer: &Answer) {
        let role = self.spec().role(slot.role);
        let cost = role.price.and_then(|p| cost(answer.reply.usage, p.input, p.cached, p.output));
        self.spent.add(cost);
        let record = CallRecord {
            slot,
            key: answer.key.clone(),
            usage: answer.reply.usage,
            cost,
            stop: answer.reply.stop,
            attempts: answer.attempts,
            answered: true,
        };
        self.pass().calls.push(record);
    }

    fn drafted(&mut self, text: String, stop: StopReason) -> Result<Step, Fault> {
        self.draft.clone_from(&text);
        self.scene.original(&text);
        let pass = self.pass();
        pass.draft_stop = Some(stop);
        pass.draft = Some(text);
        self.begin_pass(1)
    }

    fn begin_pass(&mut self, index: u32) -> Result<Step, Fault> {
        let closing = index > self.spec().max_passes;
        if closing && !(self.spec().closing_critique && self.spec().max_passes > 0) {
            return Ok(self.end(Stop::MaxPasses));
        }
        self.passes.push(Pass::new(index));
        self.scene.draft(index, &self.draft);
        self.ask(Role::Critic, 0, Purpose::Critique { closing })
    }

    fn criticised(&mut self, reply: &Reply, closing: bool) -> Result<Step, Fault> {
        let spec = self.spec();
        let mut critique = spec.format.read(reply, &spec.rules);
        if spec.trim {
            critique.text = critique.text.trim().to_owned();
        }
        locate::locate(&mut critique, &self.draft, &self.ticket.sources, spec.threshold);
        let status = critique.status;
        let none_left = critique.findings.as_ref().is_some_and(Vec::is_empty);
        let calls = self.plan(&critique);
        self.scene.critique(&critique);
        self.pass().critique = Some(critique);
        match status {
            _ if closing => Ok(self.end(Stop::MaxPasses)),
            CritiqueStatus::Approved => Ok(self.end(Stop::Approved)),
            CritiqueStatus::Ok if none_left => Ok(self.end(Stop::NoFindings)),
            CritiqueStatus::ParseError(_) if spec.on_unreadable == OnUnreadable::Stop => Ok(self.end(Stop::Unreadable)),
            CritiqueStatus::ParseError(_) => self.end_pass(None),
            CritiqueStatus::Ok => self.revise(Plan { calls, at: 0, scope: vec![] }),
        }
    }

    fn plan(&self, critique: &Critique) -> Vec<Vec<usize>> {
        match self.spec().strategy {
            Strategy::Whole => whole::plan(critique, self.spec().send),
            Strategy::Batched => batched::plan(critique, self.spec().send),
            Strategy::Serial => serial::plan(critique, self.spec().send),
        }
    }

    /// Makes the next reviser call of the plan, or ends the pass after the last.
    fn revise(&mut self, mut plan: Plan) -> Result<Step, Fault> {
        let Some(given) = plan.calls.get(plan.at) else {
            let stop = self.pass().edits.iter().rev().find(|e| e.after() != e.before).map(|e| e.stop);
            return self.end_pass(stop);
        };
        plan.scope = self.scope(given, plan.at > 0);
        self.scene.revision(&self.draft, given);
        let n = plan.at as u32;
        self.ask(Role::Reviser, n, Purpose::Revision(plan))
    }

    /// The places of the given findings in the current draft. After an edit in the same pass the draft has moved, so they are located anew.
    fn scope(&mut self, given: &[usize], moved: bool) -> Vec<Span> {
        let Some(findings) = self.passes.last().and_then(|p| p.critique.as_ref()).and_then(|c| c.findings.as_ref()) else {
            return vec![];
        };
        let given = given.iter().filter_map(|i| findings.get(*i));
        if moved {
            return locality::merge(given.flat_map(|f| locate::spans(f, &self.draft, self.spec().threshold)).collect());
        }
        locality::merge(given.filter_map(|f| f.anchor.as_ref()).flat_map(|a| a.spans.iter().copied()).collect())
    }

    fn revised(&mut self, mut plan: Plan, reply: &Reply, text: String) -> Result<Step, Fault> {
        let mut edit = Edit {
            findings: plan.calls.get(plan.at).cloned().unwrap_or_default(),
            scope: std::mem::take(&mut plan.scope),
            before: self.draft.clone(),
            proposed: Some(text),
            status: None,
            reason: None,
            guards: Default::default(),
            stop: reply.stop,
        };
        if self.spec().strategy == Strategy::Serial {
            let read = critique::edit(reply);
            edit.status = Some(read.status);
            edit.reason = read.reason;
            edit.proposed = read.draft;
            if self.spec().trim {
                edit.proposed = edit.proposed.map(|t| t.trim().to_owned());
            }
        }
        // An empty answer is no draft: the one before it stays.
        edit.proposed = edit.proposed.filter(|t| !t.trim().is_empty());
        let original = self.passes.first().and_then(|p| p.draft.as_deref()).unwrap_or_default();
        edit.guards = guard::judge(self.spec(), &edit, original);
        self.draft = edit.after().to_owned();
        self.pass().edits.push(edit);
        plan.at += 1;
        self.revise(plan)
    }

    fn end_pass(&mut self, stop: Option<StopReason>) -> Result<Step, Fault> {
        let unchanged = self.passes.iter().rev().skip(1).find_map(|p| p.draft.as_ref()) == Some(&self.draft);
        let draft = self.draft.clone();
        let pass = self.pass();
        pass.draft = Some(draft);
        pass.draft_stop = stop;
        let index = pass.index;
        if unchanged && self.spec().stop_on_no_change {
            return Ok(self.end(Stop::NoChange));
        }
        self.begin_pass(index + 1)
    }

    /// A bound ends the run before a call. A pass that was never begun leaves no trace; edits already made in it stand.
    fn cut(&mut self, stop: Stop, revising: bool) -> Step {
        let draft = self.draft.clone();
        match self.passes.last_mut() {
            Some(pass) if revising && !pass.edits.is_empty() => pass.draft = Some(draft),
            Some(pass) if pass.calls.is_empty() => drop(self.passes.pop()),
            _ => {}
        }
        self.end(stop)
    }

    fn end(&mut self, stop: Stop) -> Step {
        self.state = State::Ended;
        Step::Done(Box::new(self.finish(stop)))
    }

    fn finish(&mut self, stop: Stop) -> Run {
        Run {
            ticket: self.ticket.id.clone(),
            sample: self.sample,
            passes: std::mem::take(&mut self.passes),
            stop,
            fault: None,
            unused: vec![],
        }
    }
}

fn prompt_fault(role: Role, pass: u32, what: String) -> Fault {
    Fault { kind: FaultKind::Prompt, at: format!("{} pass {pass}", role.name()), what }
}
