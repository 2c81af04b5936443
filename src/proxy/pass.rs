//! A call passed through: sent on as it came, its answer forwarded as it comes, and written down before the client has the end of it.

use std::io::Read;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use super::ask::{Asked, OURS};
use super::http::{Connection, Request};
use super::serve::{Served, refuse};
use super::slots::{Place, Slots};
use crate::api::stream::{Event, Events};
use crate::error::Error;
use crate::machine::{Ask, Loop};
use crate::record::append::{self, Appender};
use crate::record::aside::ERRORS;
use crate::record::clock::rfc3339;
use crate::record::exchange::Broken;
use crate::record::provider::Provider;
use crate::record::relay::{self, Incoming, Outgoing, Relay};
use crate::record::written::{self, Came};

/// Calls that belong to no slot.
pub const UNMAPPED: &str = "unmapped.jsonl";

/// More than this is no answer.
const ANSWER_BYTES_MAX: usize = 1 << 25;

/// Where calls are sent on to, and where they are written down.
pub struct Passing<'p> {
    pub relay: &'p Relay<'p>,
    /// By wire form.
    pub providers: Vec<(&'static str, Provider)>,
    /// The environment's key is put in the place of the client's.
    pub replace_key: bool,
    pub appender: Appender,
    pub program: &'p Loop,
    pub arm: &'p Path,
    /// One line at a time.
    pub aside: Mutex<()>,
}

/// What a call is to be recorded as.
pub enum Slotted {
    At(Place, Ask),
    /// In no slot, and why.
    Nowhere(String),
}

/// An answer, read.
struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    /// JSON.
    body: String,
    /// None: usable.
    why: Option<String>,
    at: SystemTime,
    latency: Duration,
}

/// Makes an answer of status, headers, body, and why it is of no use.
type Made<'a> = dyn Fn(u16, &[(String, String)], String, Option<String>) -> Answer + 'a;

impl Passing<'_> {
    /// Passes one call through. The connection is kept where it was answered whole.
    pub fn pass(
        &self,
        slots: &Slots<'_>,
        to: &mut Connection,
        request: &Request,
        asked: &Asked,
        slotted: Slotted,
    ) -> Result<Served, Error> {
        let Some((_, provider)) = self.providers.iter().find(|(wire, _)| *wire == asked.wire.name()) else {
            let why = format!("no provider of the form {} is known", asked.wire.name());
            refuse(to, asked.stream, 502, "redraft_upstream", &why, request.keep);
            return Ok(Served::Failed(why));
        };
        let mut url = provider.url(asked.wire.endpoint());
        if let Some((_, query)) = request.target.split_once('?') {
            url = format!("{url}?{query}");
        }
        let headers = relay::onward(provider, &request.headers, OURS, self.replace_key);
        let out = Outgoing { url: &url, headers, body: &asked.text };
        let begun = Instant::now();
        let answer = |status: u16, headers: &[(String, String)], body: String, why: Option<String>| Answer {
            status,
            headers: provider.kept_headers(headers),
            body: relay::scrubbed(provider.redact(body), &out.headers),
            why,
            at: SystemTime::now(),
            latency: begun.elapsed(),
        };
        let incoming = match (self.relay)(&out) {
            Ok(incoming) => incoming,
            Err(Broken { kind, what, .. }) => {
                let why = relay::scrubbed(provider.redact(format!("{}: {what}", provider.host())), &out.headers);
                let body = json!({"error": {"type": kind, "message": why}}).to_string();
                let kept = self.write_down(slots, asked, slotted, answer(0, &[], body, Some(why.clone())))?;
                refuse(to, asked.stream, 502, "redraft_upstream", &why, request.keep);
                return Ok(kept);
            }
        };
        let is_stream =
            incoming.headers.iter().any(|(name, value)| name == "content-type" && value.trim().starts_with("text/event-stream"));
        if is_stream && (200..300).contains(&incoming.status) {
            return self.stream(slots, to, request, asked, slotted, incoming, &answer);
        }
        let Incoming { status, headers, body } = incoming;
        let mut bytes = vec![];
        let read = body.take(ANSWER_BYTES_MAX as u64 + 1).read_to_end(&mut bytes);
        let cut = match read {
            Err(e) => Some(format!("the answer broke off: {e}")),
            Ok(count) if count > ANSWER_BYTES_MAX => Some(format!("the answer is longer than {ANSWER_BYTES_MAX} bytes")),
            Ok(_) => None,
        };
        let text = String::from_utf8_lossy(&bytes);
        let is_json = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
        let why = match (&cut, status) {
            (Some(why), _) => Some(why.clone()),
            (None, 200..300) => asked.wire.reply(&text).err(),
            (None, status) => Some(format!("status {status}")),
        };
        let body = if is_json { text.into_owned() } else { Value::from(&*text).to_string() };
        let kept = self.write_down(slots, asked, slotted, answer(status, &headers, body, why))?;
        match cut {
            Some(why) => refuse(to, asked.stream, 502, "redraft_upstream", &why, request.keep),
            None => drop(to.answer(status, &relay::back(&headers), &bytes, request.keep)),
        }
        Ok(kept)
    }

    #[allow(clippy::too_many_arguments)]
    fn stream(
        &self,
        slots: &Slots<'_>,
        to: &mut Connection,
        request: &Request,
        asked: &Asked,
        slotted: Slotted,
        incoming: Incoming,
        answer: &Made<'_>,
    ) -> Result<Served, Error> {
        let Incoming { status, headers, mut body } = incoming;
        let (mut reader, mut events): (Events, Vec<Event>) = Default::default();
        let mut bytes = [0; 1 << 14];
        let mut total = 0;
        // What the client may not have before the call is on the disk.
        let mut held: Option<Vec<u8>> = None;
        let mut gone = to.begin(status, &relay::back(&headers), request.keep).is_err();
        let mut broken = None;
        while held.is_none() && !gone {
            let count = match body.read(&mut bytes) {
                Ok(0) => break,
                Ok(count) => count,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(e) => {
                    broken = Some(format!("the answer broke off: {e}"));
                    break;
                }
            };
            total += count;
            if total > ANSWER_BYTES_MAX {
                broken = Some(format!("the answer is longer than {ANSWER_BYTES_MAX} bytes"));
                break;
            }
            let mut now = vec![];
            for (event, raw) in reader.push(&bytes[..count]) {
                let is_last = event.as_ref().is_some_and(|event| asked.stream.is_last(event));
                events.extend(event);
                match &mut held {
                    Some(held) => held.extend(raw),
                    None if is_last => held = Some(raw),
                    None => now.extend(raw),
                }
            }
            gone = to.piece(&now).is_err();
        }
        drop(body);
        let mut held = held.unwrap_or_default();
        if broken.is_none() {
            held.extend_from_slice(reader.rest());
        }
        let whole = match &broken {
            _ if gone => Err("the client went away before the end of its answer".to_owned()),
            Some(why) => Err(why.clone()),
            None => asked.stream.whole(&events),
        };
        let made = match whole {
            Ok(whole) => {
                let text = whole.to_string();
                let why = asked.wire.reply(&text).err();
                answer(status, &headers, text, why)
            }
            // No status of an answer that was never whole.
            Err(why) => answer(0, &headers, json!({"error": {"type": "cut", "message": why}}).to_string(), Some(why)),
        };
        let kept = self.write_down(slots, asked, slotted, made)?;
        // An answer that broke off must look so: its end is not sent.
        let sent = broken.is_none() && !gone && to.piece(&held).is_ok() && to.end().is_ok();
        Ok(if sent { kept } else { Served::Hung(Box::new(kept)) })
    }

    /// Writes a call where it belongs.
    fn write_down(&self, slots: &Slots<'_>, asked: &Asked, slotted: Slotted, answer: Answer) -> Result<Served, Error> {
        let Answer { status, headers, body, why, at, latency } = answer;
        let (place, ask) = match slotted {
            Slotted::At(place, ask) => (place, ask),
            Slotted::Nowhere(reason) => {
                self.unmapped(asked, &reason, status, &body, at)?;
                return Ok(Served::Unmapped(reason));
            }
        };
        let came = Came { status, headers: &headers, body: &body, at: Some(at), latency: Some(latency), attempts: 1 };
        let line =
            written::line(self.program, &place.ticket, &ask, &asked.text, &came).map_err(|what| Error::new(format!("{place}: {what}")));
        let written = line.and_then(|line| match &why {
            None => self.appender.append(line.clone()).and_then(|()| slots.answered(&place, &ask, line)),
            Some(_) => self.keep(ERRORS, line),
        });
        if written.is_err() || why.is_some() {
            slots.failed(&place, &ask);
        }
        written?;
        Ok(match why {
            Some(why) => Served::Failed(format!("{place}: {why}")),
            None => {
                let usage = asked.wire.reply(&body).is_ok_and(|reply| reply.usage.is_some());
                Served::Recorded { usage }
            }
        })
    }

    fn unmapped(&self, asked: &Asked, reason: &str, status: u16, body: &str, at: SystemTime) -> Result<(), Error> {
        let said = &asked.said;
        let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
        let line = json!({
            "v": 1,
            "reason": reason,
            "said": {"ticket": said.ticket, "sample": said.sample, "pass": said.pass, "role": said.role, "n": said.n},
            "request": {"provider": asked.wire.name(), "endpoint": asked.wire.endpoint(), "body": asked.body},
            "response": {"status": status, "body": parse(body)},
            "recorded_at": rfc3339(at),
        });
        self.keep(UNMAPPED, line.to_string().into_bytes())
    }

    fn keep(&self, name: &str, mut line: Vec<u8>) -> Result<(), Error> {
        line.push(b'\n');
        let _one = self.aside.lock().unwrap_or_else(|e| e.into_inner());
        append::keep(&self.arm.join(name), &line)
    }
}
