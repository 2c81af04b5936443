//! Server-sent events: read from bytes however they are cut, and written.

use serde_json::Value;

/// One event. Its data is JSON in every form known here, but for OpenAI's `[DONE]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Empty where the stream names none.
    pub name: String,
    pub data: String,
}

impl Event {
    /// One whose name is the `type` of its data.
    pub(super) fn typed(data: Value) -> Event {
        Event { name: super::text(&data, "type").unwrap_or_default().to_owned(), data: data.to_string() }
    }

    pub(super) fn unnamed(data: String) -> Event {
        Event { name: String::new(), data }
    }

    /// As it goes over the wire. Data of one line, as JSON is.
    pub fn write(&self, out: &mut Vec<u8>) {
        if !self.name.is_empty() {
            out.extend_from_slice(format!("event: {}\n", self.name).as_bytes());
        }
        out.extend_from_slice(format!("data: {}\n\n", self.data).as_bytes());
    }
}

/// Finds events in bytes that come in pieces.
#[derive(Default)]
pub struct Events {
    /// Bytes of the event that is not whole yet.
    kept: Vec<u8>,
    /// Of these, how many were looked through without finding the end.
    seen: usize,
}

impl Events {
    /// Takes bytes, and gives each event that they complete with the bytes it came in, its end included.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<(Option<Event>, Vec<u8>)> {
        self.kept.extend_from_slice(bytes);
        let mut out = vec![];
        while let Some(end) = self.end() {
            let rest = self.kept.split_off(end);
            let raw = std::mem::replace(&mut self.kept, rest);
            self.seen = 0;
            out.push((event(&raw), raw));
        }
        out
    }

    /// What is left of an event without an end.
    pub fn rest(&self) -> &[u8] {
        &self.kept
    }

    /// Where the first event ends: behind an empty line.
    fn end(&mut self) -> Option<usize> {
        // A line end may be split: look again at the few bytes before.
        let from = self.seen.saturating_sub(3);
        for at in from..self.kept.len() {
            let rest = &self.kept[at..];
            let length = [&b"\r\n\r\n"[..], b"\n\n", b"\r\r"].iter().find(|mark| rest.starts_with(mark)).map(|mark| mark.len());
            if let Some(length) = length {
                return Some(at + length);
            }
        }
        self.seen = self.kept.len();
        None
    }
}

/// None for comments, and for what carries no data.
fn event(raw: &[u8]) -> Option<Event> {
    let text = String::from_utf8_lossy(raw);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let (mut name, mut data): (String, Option<String>) = (String::new(), None);
    for line in text.split(['\n', '\r']) {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut name),
            "data" => match &mut data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => data = Some(value.to_owned()),
            },
            _ => {}
        }
    }
    data.map(|data| Event { name, data })
}
