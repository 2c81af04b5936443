//! Each request of a client: understood, found in the recording or passed through, and answered.

use std::sync::Mutex;

use serde_json::Value;

use super::ask::{Asked, wire};
use super::http::{Bad, Connection, Request};
use super::pass::{Passing, Slotted};
use super::slots::{Placed, Slots};
use super::tell::Session;
use crate::api::stream::{self, Stream};
use crate::error::Error;

/// Paths of the proxy itself.
const STOP: &str = "/__redraft/stop";
const STATUS: &str = "/__redraft/status";

/// What became of a call.
pub enum Served {
    Recorded {
        /// The answer says what it used.
        usage: bool,
    },
    Unmapped(String),
    Failed(String),
    /// The same, and the connection is of no more use.
    Hung(Box<Served>),
}

/// Everything that the connections of one session share.
pub struct Desk<'p> {
    pub slots: Slots<'p>,
    /// None: the recording is served, and nobody is asked.
    pub passing: Option<Passing<'p>>,
    pub session: Mutex<Session>,
    /// Names under which the proxy may be called.
    pub hosts: Vec<String>,
    /// It is meant to be called under any name.
    pub any_host: bool,
}

/// What follows on a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    Keep,
    Close,
    /// The whole proxy ends.
    Stop,
}

impl Desk<'_> {
    pub fn session(&self) -> std::sync::MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Answers what was no request.
    pub fn refuse_bad(&self, to: &mut Connection, bad: Bad) {
        if let Bad::Refused(status, what) = bad {
            self.bad(&what);
            refuse(to, openai(), status, "redraft_bad_request", &what, false);
            to.drain();
        }
    }

    fn bad(&self, what: &str) {
        let mut session = self.session();
        session.bad += 1;
        session.note("refused", what);
    }

    /// Answers one request. An error is one of the recording itself: then everything ends.
    pub fn answer(&self, to: &mut Connection, request: &Request) -> Result<Next, Error> {
        let next = if request.keep { Next::Keep } else { Next::Close };
        let form = wire(request.path()).map_or(openai(), |(_, stream)| stream);
        if let Err(what) = self.is_ours(request) {
            self.bad(&what);
            refuse(to, form, 403, "redraft_forbidden", &what, request.keep);
            return Ok(next);
        }
        match (request.method.as_str(), request.path()) {
            ("POST", STOP) => {
                let _ = to.answer(200, &json_header(), b"{\"stopping\":true}\n", false);
                return Ok(Next::Stop);
            }
            ("GET", STATUS) => {
                let body = serde_json::to_vec(&*self.session()).unwrap_or_default();
                let _ = to.answer(200, &json_header(), &body, request.keep);
                return Ok(next);
            }
            _ => {}
        }
        let asked = match Asked::of(request) {
            Ok(asked) => asked,
            Err((status, what)) => {
                self.bad(&what);
                refuse(to, form, status, "redraft_bad_request", &what, request.keep);
                return Ok(next);
            }
        };
        let (passing, slotted) = match (self.slots.place(&asked)?, &self.passing) {
            (Placed::Recorded { status, body, .. }, _) => {
                self.session().served += 1;
                let fine = recorded(to, &asked, status, &body, request.keep).is_ok();
                return Ok(if fine { next } else { Next::Close });
            }
            (Placed::Open(place, ask), Some(passing)) => (passing, Slotted::At(place, ask)),
            (Placed::Nowhere(nowhere), Some(passing)) => (passing, Slotted::Nowhere(nowhere.why)),
            (placed, None) => {
                let (status, why) = match placed {
                    Placed::Nowhere(nowhere) => (if nowhere.conflict { 409 } else { 404 }, nowhere.why),
                    _ => (404, "nothing is recorded here".to_owned()),
                };
                let mut session = self.session();
                session.unmatched += 1;
                session.note("unmatched", &why);
                drop(session);
                refuse(to, asked.stream, status, "redraft_not_recorded", &why, request.keep);
                return Ok(next);
            }
        };
        self.session().upstream += 1;
        let served = passing.pass(&self.slots, to, request, &asked, slotted)?;
        Ok(self.count(served, next))
    }

    fn count(&self, served: Served, next: Next) -> Next {
        let mut session = self.session();
        match served {
            Served::Recorded { usage } => {
                session.recorded += 1;
                session.without_usage += u64::from(!usage);
                next
            }
            Served::Unmapped(why) => {
                session.unmapped += 1;
                session.note("unmapped", &why);
                next
            }
            Served::Failed(why) => {
                session.failed += 1;
                session.note("failed", &why);
                next
            }
            Served::Hung(served) => {
                drop(session);
                self.count(*served, next);
                Next::Close
            }
        }
    }

    /// A page in a browser must not reach the proxy: it would spend the key of the environment.
    fn is_ours(&self, request: &Request) -> Result<(), String> {
        if request.header("origin").is_some() {
            return Err("requests of web pages are not answered".to_owned());
        }
        let host = request.header("host").unwrap_or_default().to_ascii_lowercase();
        if !self.any_host && !self.hosts.contains(&host) {
            return Err(format!("expected host: {}", self.hosts.join(" or ")));
        }
        Ok(())
    }
}

fn openai() -> &'static dyn Stream {
    stream::KNOWN[0]
}

fn json_header() -> Vec<(String, String)> {
    vec![("content-type".to_owned(), "application/json".to_owned())]
}

/// An error as the client's own library reads it. Libraries try some again by themselves, which changes nothing here.
pub fn refuse(to: &mut Connection, form: &dyn Stream, status: u16, kind: &str, what: &str, keep: bool) {
    let mut headers = json_header();
    if status != 502 {
        headers.push(("x-should-retry".to_owned(), "false".to_owned()));
    }
    let body = form.failure(kind, &format!("redraft: {what}")).to_string();
    // Whoever does not read it has gone.
    let _ = to.answer(status, &headers, body.as_bytes(), keep);
}

/// A recorded answer, in pieces where the client asked so.
fn recorded(to: &mut Connection, asked: &Asked, status: u16, body: &str, keep: bool) -> std::io::Result<()> {
    if !stream::is_asked(&asked.body) {
        return to.answer(status, &json_header(), body.as_bytes(), keep);
    }
    let Ok(body) = serde_json::from_str::<Value>(body) else {
        return to.answer(status, &json_header(), body.as_bytes(), keep);
    };
    let headers = [("content-type", "text/event-stream; charset=utf-8"), ("cache-control", "no-cache")];
    to.begin(status, &headers.map(|(name, value)| (name.to_owned(), value.to_owned())), keep)?;
    for event in asked.stream.pieces(&body, &asked.body) {
        let mut bytes = vec![];
        event.write(&mut bytes);
        to.piece(&bytes)?;
    }
    to.end()
}
