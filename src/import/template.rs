//! Prompts found again: what of a recorded request is the ticket's, the draft or the critique, and what stays the same from call to call.
//!
//! Nothing is claimed that is not proved: a template counts only if it gives every recorded request of its role again, key for key.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::Sent;
use super::place::Call;
use crate::api::{self, Message, Prompt, Speaker, Wire, key};
use crate::model::Role;

/// What a role is asked with.
#[derive(Debug, Clone, PartialEq)]
pub struct Asking {
    pub model: String,
    pub system: Option<String>,
    /// The template's text, as loop.toml writes it.
    pub prompt: String,
    pub params: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Name(&'static str),
}

/// Names that a template may use, with their values at one call.
type Values = Vec<(&'static str, String)>;

/// A request taken apart.
struct Parts {
    model: String,
    system: Option<String>,
    user: String,
    params: Map<String, Value>,
}

/// The askings of the roles that have calls. The error says which role's requests are no fixed text around the known values.
pub fn find(calls: &[Call], provider: &str, prompts: &BTreeMap<String, String>, trim: bool) -> Result<BTreeMap<Role, Asking>, String> {
    let wire = api::by_name(provider).ok_or("an unknown wire form")?;
    let mut rows: BTreeMap<Role, Vec<(Parts, Values, &Sent)>> = BTreeMap::new();
    let mut run: Option<(&str, u32)> = None;
    let (mut draft, mut original, mut critique) = (String::new(), String::new(), String::new());
    for call in calls.iter().filter(|call| call.slot.role != Role::Judge) {
        if run != Some((&call.ticket, call.slot.sample)) {
            run = Some((&call.ticket, call.slot.sample));
            (draft, original, critique) = (String::new(), String::new(), String::new());
        }
        let role = call.slot.role;
        let sent = call.exchange.request.as_ref().ok_or_else(|| format!("{}: the request is not in the log", role.name()))?;
        let parts =
            apart(provider, sent).ok_or_else(|| format!("{}: a request that is more than a system and a user text", role.name()))?;
        let mut values: Values = vec![("ticket.id", call.ticket.clone())];
        values.extend(prompts.get(&call.ticket).map(|prompt| ("ticket.prompt", prompt.clone())));
        if role != Role::Writer {
            values.extend([("draft", draft.clone()), ("original", original.clone())]);
        }
        if role == Role::Reviser || call.slot.pass > 1 {
            values.push(("critique", critique.clone()));
        }
        values.retain(|(_, value)| !value.trim().is_empty());
        rows.entry(role).or_default().push((parts, values, sent));
        let reply = if call.exchange.is_answer() { wire.reply(&call.exchange.body).ok() } else { None };
        let Some(reply) = reply else { continue };
        let text = if trim { reply.text.trim().to_owned() } else { reply.text };
        match role {
            Role::Critic => critique = text,
            _ if text.trim().is_empty() => {}
            _ => {
                if role == Role::Writer {
                    original = text.clone();
                }
                draft = text;
            }
        }
    }
    rows.into_iter()
        .map(|(role, rows)| asking(wire, role, &rows).map(|asking| (role, asking)).map_err(|why| format!("{}: {why}", role.name())))
        .collect()
}

fn asking(wire: &dyn Wire, role: Role, rows: &[(Parts, Values, &Sent)]) -> Result<Asking, &'static str> {
    let (first, ..) = rows.first().ok_or("no calls")?;
    if rows.iter().any(|(parts, ..)| parts.model != first.model || parts.params != first.params) {
        return Err("model or params differ from call to call");
    }
    if rows.iter().any(|(parts, ..)| parts.system != first.system) {
        return Err("the system text differs from call to call");
    }
    let mut tried: Vec<Vec<Piece>> = vec![];
    for (parts, values, _) in rows {
        let pieces = cut(&parts.user, values);
        if tried.contains(&pieces) {
            continue;
        }
        // Whoever criticises or revises is shown what: a text that names none of it fits these calls alone.
        let names_work = pieces.iter().any(|piece| matches!(piece, Piece::Name("draft" | "original" | "critique")));
        if role != Role::Writer && !names_work {
            return Err("its prompt does not show a draft that the log has");
        }
        let fits = rows
            .iter()
            .all(|(parts, values, sent)| fill(&pieces, values).is_some_and(|user| user == parts.user && proves(wire, parts, &user, sent)));
        if fits {
            return Ok(Asking {
                model: first.model.clone(),
                system: first.system.clone().map(|text| escaped(&text)),
                prompt: written(&pieces),
                params: first.params.clone(),
            });
        }
        tried.push(pieces);
        // Texts that differ in every call are no template.
        if tried.len() > 8 {
            break;
        }
    }
    Err("its prompt is no fixed text around ticket, draft and critique")
}

/// True where the loop would send this very request.
fn proves(wire: &dyn Wire, parts: &Parts, user: &str, sent: &Sent) -> bool {
    let system = parts.system.iter().map(|text| Message { role: Speaker::System, text: text.clone() });
    let messages: Vec<Message> = system.chain([Message { role: Speaker::User, text: user.to_owned() }]).collect();
    let body = wire.request(&Prompt { model: &parts.model, messages: &messages, params: &parts.params });
    let Ok(recorded) = serde_json::from_str::<Value>(&sent.body) else { return false };
    let of = |body: &Value, endpoint: &str| key::key(wire.name(), endpoint, body, &[]);
    of(&body, &wire.path(&parts.model)) == of(&recorded, &sent.endpoint)
}

fn apart(provider: &str, sent: &Sent) -> Option<Parts> {
    let Value::Object(mut params) = serde_json::from_str(&sent.body).ok()? else { return None };
    let text =
        |value: &Value, who: &str| (value["role"].as_str() == Some(who)).then(|| value["content"].as_str().map(str::to_owned)).flatten();
    let model = params.remove("model")?.as_str()?.to_owned();
    let turns = params.remove("messages")?;
    let turns = turns.as_array()?;
    let (system, user) = match (provider, turns.as_slice()) {
        ("openai-chat", [user]) => (None, text(user, "user")?),
        ("openai-chat", [system, user]) => (Some(text(system, "system")?), text(user, "user")?),
        ("anthropic", [user]) => match params.remove("system") {
            None => (None, text(user, "user")?),
            Some(Value::String(system)) => (Some(system), text(user, "user")?),
            Some(_) => return None,
        },
        _ => return None,
    };
    params.retain(|name, value| !value.is_null() && !key::TRANSPORT.contains(&name.as_str()));
    Some(Parts { model, system, user, params })
}

/// The text with every value replaced by its name; of two values at one place the longer.
fn cut(text: &str, values: &Values) -> Vec<Piece> {
    let mut pieces = vec![];
    let (mut at, mut copied) = (0, 0);
    while at < text.len() {
        let here =
            values.iter().filter(|(name, value)| text[at..].starts_with(value.as_str()) && (*name != "ticket.id" || value.len() > 3));
        // The first of equals: `draft` before `original`.
        match here.rev().max_by_key(|(_, value)| value.len()) {
            Some((name, value)) => {
                if copied < at {
                    pieces.push(Piece::Text(text[copied..at].to_owned()));
                }
                pieces.push(Piece::Name(name));
                at += value.len();
                copied = at;
            }
            None => at += text[at..].chars().next().map_or(1, char::len_utf8),
        }
    }
    if copied < text.len() {
        pieces.push(Piece::Text(text[copied..].to_owned()));
    }
    pieces
}

fn fill(pieces: &[Piece], values: &Values) -> Option<String> {
    let text = |piece: &Piece| match piece {
        Piece::Text(text) => Some(text.clone()),
        Piece::Name(name) => values.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()),
    };
    pieces.iter().map(text).collect()
}

fn written(pieces: &[Piece]) -> String {
    let text = |piece: &Piece| match piece {
        Piece::Text(text) => escaped(text),
        Piece::Name(name) => format!("{{{{ {name} }}}}"),
    };
    pieces.iter().map(text).collect()
}

/// Text that a template gives again as it is.
fn escaped(text: &str) -> String {
    // A brace that opens a tag is the one thing that a template reads.
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('{', Some('{' | '%' | '#')) | ('{', None) => out.push_str("{{ '{' }}"),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_names_and_names_values_again() {
        let values: Values = vec![("ticket.prompt", "Why?".into()), ("draft", "Why? So.".into()), ("original", "Why? So.".into())];
        let pieces = cut("Q: Why?\nD: Why? So.\n{% x", &values);
        assert_eq!(written(&pieces), "Q: {{ ticket.prompt }}\nD: {{ draft }}\n{{ '{' }}% x");
        assert_eq!(fill(&pieces, &values).as_deref(), Some("Q: Why?\nD: Why? So.\n{% x"));
    }
}
