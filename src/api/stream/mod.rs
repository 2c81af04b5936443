//! Answers in pieces: server-sent events put together to the body that would have come in one, and a body taken apart again. No network.

mod anthropic;
mod event;
mod openai_chat;
mod openai_responses;

pub use event::{Event, Events};

use serde_json::{Map, Value, json};

/// How one wire form answers in pieces.
pub trait Stream: Sync {
    /// The name of its [`Wire`](super::Wire).
    fn name(&self) -> &'static str;
    /// True for the event after which nothing more is to come.
    fn is_last(&self, event: &Event) -> bool;
    /// The body that would have come in one. The error says what is missing, or what the provider says went wrong on the way.
    fn whole(&self, events: &[Event]) -> Result<Value, String>;
    /// The events of which [`Stream::whole`] makes this body. `request` is what was asked.
    fn pieces(&self, body: &Value, request: &Value) -> Vec<Event>;
    /// A body that says that something went wrong, as the provider would say it.
    fn failure(&self, kind: &str, message: &str) -> Value;
}

/// Every wire form whose streams are known.
pub const KNOWN: &[&dyn Stream] = &[&openai_chat::Chat, &openai_responses::Responses, &anthropic::Messages];

pub fn by_name(name: &str) -> Option<&'static dyn Stream> {
    KNOWN.iter().copied().find(|stream| stream.name() == name)
}

/// True where a request asks for an answer in pieces.
pub fn is_asked(request: &Value) -> bool {
    request.get("stream").is_some_and(|on| on == true)
}

/// OpenAI's two forms say errors alike.
fn openai_failure(kind: &str, message: &str) -> Value {
    json!({"error": {"message": message, "type": "invalid_request_error", "param": null, "code": kind}})
}

/// A text in pieces of a few words, as models send it. Never none.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    const PART_BYTES: usize = 24;
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let left = rest.take()?;
        if left.len() <= PART_BYTES {
            return Some(left);
        }
        let (part, left) = left.split_at(left.ceil_char_boundary(PART_BYTES));
        rest = (!left.is_empty()).then_some(left);
        Some(part)
    })
}

fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name).and_then(Value::as_str)
}

/// An index beyond this is no answer's, and would make room for a million.
const INDEX_MAX: u64 = 1000;

fn index(value: &Value, name: &str) -> Result<usize, String> {
    let index = value.get(name).and_then(Value::as_u64).filter(|index| *index < INDEX_MAX);
    index.map(|index| index as usize).ok_or_else(|| format!("expected `{name}` to be a small whole number in a piece of an answer"))
}

/// The object at this place of a list, which grows as far as needed.
fn object_at(list: &mut Vec<Map<String, Value>>, index: usize) -> &mut Map<String, Value> {
    if list.len() <= index {
        list.resize_with(index + 1, Map::new);
    }
    &mut list[index]
}

/// Lengthens a text that a field holds.
fn lengthen(map: &mut Map<String, Value>, name: &str, more: &str) {
    match map.get_mut(name) {
        Some(Value::String(text)) => text.push_str(more),
        _ => drop(map.insert(name.to_owned(), more.into())),
    }
}

#[cfg(test)]
mod tests;
