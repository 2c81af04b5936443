//! One ticket's recorded calls as rules look at them: requests in neutral form, what the loop's spec would have asked, and what each answer left.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::api::{self, Asked, Prompt, Speaker, key, unspoken};
use crate::arm::{Matching, Spec, Strategy};
use crate::critique;
use crate::machine::{Answer, Ask, Loop, Machine, Step};
use crate::model::{Reply, Role, Slot, Ticket};
use crate::tape::{CallLine, Tape};

use super::shingle::{Request, Runs};

/// A ticket's calls in one arm.
pub struct Case<'a> {
    pub ticket: &'a Ticket,
    pub spec: &'a Spec,
    pub template: &'a Runs,
    pub calls: Vec<Call>,
}

/// One recorded call.
pub struct Call {
    /// 0: the arm's own file; k: that of the k-th arm it may reuse.
    pub file: usize,
    pub line: usize,
    pub slot: Slot,
    /// Err says why nothing is known of the request.
    pub asked: Result<Asked, String>,
    /// All its texts.
    pub window: Option<Request>,
    pub reply: Option<Reply>,
    /// Writer and reviser: the draft of the answer.
    pub draft: Option<String>,
    /// Writer and reviser: what they put out beside the draft.
    pub aside: Vec<String>,
    pub against_spec: Against,
}

/// How a request compares with what the spec asks in its place.
pub enum Against {
    /// The spec was not followed to this call: why.
    Unknown(&'static str),
    /// Each part's first difference, recorded -> asked; None where they agree.
    Known { turns: Option<String>, model: Option<String>, rest: Option<String> },
}

impl<'a> Case<'a> {
    pub fn new(program: &'a Loop, ticket: &'a Ticket, tapes: &[Tape<'_>], template: &'a Runs) -> Case<'a> {
        let spec = &program.spec;
        let mut own: BTreeMap<Slot, (usize, usize, &CallLine<'_>)> = BTreeMap::new();
        if let Some(tape) = tapes.first() {
            own.extend(tape.calls().map(|(line, call)| (call.slot(), (0, line, call))));
        }
        let mut expected: BTreeMap<Slot, Value> = BTreeMap::new();
        let mut broken = false;
        if spec.matching == Matching::Key && !own.is_empty() {
            for sample in 0..spec.samples {
                broken |= !follow(program, ticket, sample, tapes, &mut own, &mut expected);
            }
        }
        let calls = own.into_values().map(|(file, line, call)| {
            let asked = expected.remove(&call.slot());
            read(spec, file, line, call, asked, broken)
        });
        Case { ticket, spec, template, calls: calls.collect() }
    }

    pub fn of(&self, role: Role) -> impl Iterator<Item = &Call> {
        self.calls.iter().filter(move |call| call.slot.role == role)
    }

    /// The writer's call of a run.
    pub fn writer(&self, sample: u32) -> Option<&Call> {
        self.of(Role::Writer).find(|call| call.slot.sample == sample)
    }

    /// Drafts of a run that were there before a call.
    pub fn drafts(&self, before: Slot) -> impl Iterator<Item = &str> {
        self.calls
            .iter()
            .filter(move |call| call.slot.sample == before.sample && call.slot < before)
            .filter_map(|call| call.draft.as_deref())
    }

    /// Every text that the ticket puts into prompts.
    pub fn data(&self) -> Runs {
        let mut texts = vec![self.ticket.prompt.as_str()];
        for source in &self.ticket.sources {
            texts.extend([source.text.as_str(), source.title.as_str()]);
        }
        texts.extend(self.ticket.tags.iter().map(String::as_str));
        fields(&self.ticket.fields, &mut texts);
        Runs::of(texts)
    }

    /// What the critics of a run said.
    pub fn critiques(&self, sample: u32) -> Runs {
        Runs::of(
            self.of(Role::Critic).filter(|call| call.slot.sample == sample).filter_map(|call| Some(call.reply.as_ref()?.text.as_str())),
        )
    }
}

fn fields<'t>(map: &'t Map<String, Value>, texts: &mut Vec<&'t str>) {
    let mut open: Vec<&Value> = map.values().collect();
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => texts.push(text),
            Value::Array(list) => open.extend(list),
            Value::Object(map) => open.extend(map.values()),
            _ => {}
        }
    }
}

/// Follows the spec along the recorded answers, whatever was recorded as asked. False where a call is missing on the way.
fn follow<'t>(
    program: &Loop,
    ticket: &Ticket,
    sample: u32,
    tapes: &'t [Tape<'_>],
    own: &mut BTreeMap<Slot, (usize, usize, &'t CallLine<'t>)>,
    expected: &mut BTreeMap<Slot, Value>,
) -> bool {
    let mut machine = Machine::new(program, ticket, sample);
    let mut answer = None;
    loop {
        let ask = match machine.next(answer.take()) {
            Ok(Step::Ask(ask)) => ask,
            Ok(Step::Done(_)) => return true,
            Err(_) => return false,
        };
        if !own.contains_key(&ask.slot)
            && let Some(found) = reused(program, &ask, tapes)
        {
            own.insert(ask.slot, found);
        }
        let Some((_, _, call)) = own.get(&ask.slot) else { return false };
        let reply = call.response.is_success().then(|| program.spec.wire.reply(call.response.body.get()).ok()).flatten();
        expected.insert(ask.slot, ask.body);
        let Some(reply) = reply else { return false };
        answer = Some(Answer { reply, key: String::new(), attempts: 1 });
    }
}

/// Another arm's call counts where it answers the very same request.
fn reused<'t>(program: &Loop, ask: &Ask, tapes: &'t [Tape<'_>]) -> Option<(usize, usize, &'t CallLine<'t>)> {
    let key = program.key(ask);
    tapes.iter().enumerate().skip(1).find_map(|(file, tape)| {
        let found = tape.calls().find(|(_, call)| call.slot() == ask.slot && call.key.as_deref() == Some(&key))?;
        Some((file, found.0, found.1))
    })
}

fn read(spec: &Spec, file: usize, line: usize, call: &CallLine<'_>, expected: Option<Value>, broken: bool) -> Call {
    let slot = call.slot();
    let asked = asked(call);
    let wire = call.request.as_ref().and_then(|request| api::by_name(&request.provider)).unwrap_or(spec.wire);
    let body = call.response.body.get();
    let reply = call.response.is_success().then(|| wire.reply(body).ok()).flatten();
    let writes = matches!(slot.role, Role::Writer | Role::Reviser);
    let (mut draft, mut aside) = (None, vec![]);
    if let Some(reply) = reply.as_ref().filter(|_| writes) {
        aside = unspoken(body);
        let mut text = reply.text.as_str();
        let edit = (spec.strategy == Strategy::Serial && slot.role == Role::Reviser).then(|| critique::edit(reply));
        if let Some(edit) = &edit {
            aside.extend(edit.reason.clone());
            text = edit.draft.as_deref().unwrap_or_default();
        }
        draft = Some(without_thought(text, &mut aside));
    }
    let against_spec = against(spec, slot, call, &asked, expected, broken);
    let text = |asked: &Asked| asked.turns.iter().map(|turn| turn.text.as_str()).collect::<Vec<_>>().join("\n");
    let wanted = matches!(slot.role, Role::Writer | Role::Critic);
    let window = asked.as_ref().ok().filter(|_| wanted).map(|asked| Request::of(&text(asked)));
    Call { file, line, slot, asked, window, reply, draft, aside, against_spec }
}

fn asked(call: &CallLine<'_>) -> Result<Asked, String> {
    let request = call.request.as_ref().ok_or("no request was recorded")?;
    let wire = api::by_name(&request.provider).ok_or("the request's provider has no reader")?;
    let body = serde_json::from_str(request.body.get()).map_err(|_| "the request's body is not readable")?;
    wire.asked(&request.endpoint, body).map_err(|what| format!("the request is not of the provider's form: {what}"))
}

fn against(spec: &Spec, slot: Slot, call: &CallLine<'_>, asked: &Result<Asked, String>, expected: Option<Value>, broken: bool) -> Against {
    let (Ok(asked), Some(request)) = (asked, &call.request) else { return Against::Unknown("no request was recorded that can be read") };
    if spec.matching == Matching::Slot {
        return Against::Unknown("match = \"slot\": the spec does not say what was asked");
    }
    if slot.role == Role::Judge {
        return Against::Unknown("a judge is no part of the loop");
    }
    let role = spec.role(slot.role);
    let known = expected.is_some();
    let body = expected.unwrap_or_else(|| spec.wire.request(&Prompt { model: &role.model, messages: &[], params: &role.params }));
    let Ok(want) = spec.wire.asked(&spec.wire.path(&role.model), body) else {
        return Against::Unknown("the spec's own request has no turns");
    };
    let differs = |a: &Map<String, Value>, b: &Map<String, Value>| {
        if a == b { None } else { key::difference_but(&Value::Object(a.clone()), &Value::Object(b.clone()), &spec.ignore) }
    };
    let mut rest = asked.rest.clone();
    if !known {
        rest.remove("response_format");
    }
    let turns = if known && asked.turns != want.turns { said(&asked.turns, &want.turns) } else { None };
    let model = if request.provider != spec.wire.name() {
        Some(format!("{} -> {}", request.provider, spec.wire.name()))
    } else if asked.model != want.model {
        let name = |model: &Option<String>| model.clone().unwrap_or_else(|| "none".into());
        Some(format!("{} -> {}", name(&asked.model), name(&want.model)))
    } else {
        None
    };
    if !known && broken {
        return Against::Unknown("the loop cannot be followed to this call: one before it is missing or cannot be read");
    }
    Against::Known { turns, model, rest: differs(&rest, &want.rest) }
}

/// The first turn in which two requests differ. A text and a list of one text part are the same.
fn said(recorded: &[api::Turn], asked: &[api::Turn]) -> Option<String> {
    let turn = |turn: &api::Turn| Value::Object(Map::from_iter([(turn.speaker.name().to_owned(), Value::String(turn.text.clone()))]));
    let list = |turns: &[api::Turn]| Value::Array(turns.iter().map(turn).collect());
    key::difference(&list(recorded), &list(asked))
}

/// Tags that models think in, and that hold a draft among other text.
const THOUGHT: [&str; 6] = ["think", "thinking", "reasoning", "analysis", "scratchpad", "plan"];

/// The draft without what stands in a tag of thought; that goes to `aside`.
fn without_thought(text: &str, aside: &mut Vec<String>) -> String {
    if !text.contains('<') {
        return text.to_owned();
    }
    let mut draft = text.to_owned();
    for name in THOUGHT {
        let (open, close) = (format!("<{name}>"), format!("</{name}>"));
        while let Some(from) = draft.find(&open) {
            let inner = from + open.len();
            let until = draft[inner..].find(&close).map(|at| inner + at);
            aside.push(draft[inner..until.unwrap_or(draft.len())].to_owned());
            let end = until.map_or(draft.len(), |at| at + close.len());
            draft.replace_range(from..end, "\n");
        }
    }
    draft
}

impl Call {
    /// Turns of the model in the request, with their place counted from 1.
    pub fn assistant(&self) -> impl Iterator<Item = (usize, &str)> {
        let turns = self.asked.iter().flat_map(|asked| asked.turns.iter().enumerate());
        turns.filter(|(_, turn)| turn.speaker == Speaker::Assistant).map(|(at, turn)| (at + 1, turn.text.as_str()))
    }

    /// Kinds of parts that hold no text.
    pub fn opaque(&self) -> Option<&str> {
        self.asked.as_ref().ok()?.turns.iter().flat_map(|turn| &turn.opaque).map(String::as_str).next()
    }
}

/// The literal text of the critic's templates.
pub fn template(spec: &Spec) -> Runs {
    let own = [spec.critic.system.as_deref(), Some(spec.critic.prompt.as_str())];
    let texts: Vec<&str> = own.into_iter().flatten().chain(spec.parts.values().map(String::as_str)).collect();
    Runs::of(texts.iter().flat_map(|text| literals(text)))
}

fn literals(mut rest: &str) -> Vec<&str> {
    let mut out = vec![];
    while let Some(at) = rest.find("{{").into_iter().chain(rest.find("{%")).chain(rest.find("{#")).min() {
        out.push(&rest[..at]);
        let end = match &rest[at..at + 2] {
            "{{" => "}}",
            "{%" => "%}",
            _ => "#}",
        };
        rest = rest[at..].find(end).map_or("", |e| &rest[at + e + 2..]);
    }
    out.push(rest);
    out
}
