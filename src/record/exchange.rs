//! One call: asked until it is answered or given up, within pace and budget, and what is kept of the exchange.

use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime};

use serde::Deserialize;
use serde_json::{Value, json};

use super::budget::Budget;
use super::halt::{Cause, Halt};
use super::pace::Pace;
use super::provider::Provider;
use super::retry::{self, Policy, Verdict};
use crate::api::Wire;
use crate::model::{Reply, Usage, Usd};

/// One request as it goes out.
pub struct Post<'a> {
    pub url: &'a str,
    pub headers: &'a [(&'static str, &'a str)],
    pub body: &'a str,
}

/// An HTTP answer, whatever its status. Names of headers are lower case.
#[derive(Debug, Clone, Default)]
pub struct Raw {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// No HTTP answer came, or not all of it.
#[derive(Debug, Clone)]
pub struct Broken {
    /// A stable word: `connect`, `timeout`, `reset`, `cut`, `too_large`, `tls`, `request`, `protocol`.
    pub kind: &'static str,
    pub what: String,
    /// False where nothing can have been answered, and so nothing billed.
    pub sent: bool,
}

/// Sends one request and reads the answer whole.
pub type Transport<'a> = dyn Fn(&Post<'_>) -> Result<Raw, Broken> + Sync + 'a;

/// Everything that the calls of one recording share.
pub struct Caller<'a> {
    pub send: &'a Transport<'a>,
    pub provider: &'a Provider,
    pub wire: &'static dyn Wire,
    pub policy: Policy,
    pub pace: Pace,
    pub budget: Budget,
    pub halt: Halt,
    counts: Mutex<Counts>,
}

/// What the exchanges came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub answered: u64,
    pub failed: u64,
    /// Requests sent; more than calls where some were tried again.
    pub requests: u64,
    pub usage: Usage,
    /// None where a price or a usage is unknown.
    pub cost: Option<Usd>,
    /// From the end of the first failed attempt to the next.
    pub first_retry: Option<Duration>,
    failed_in_a_row: u64,
}

/// A call to make.
pub struct Call<'a> {
    /// Ticket and slot: what waiting is drawn from.
    pub place: &'a str,
    /// The wire form's path, model filled in.
    pub path: &'a str,
    pub body: &'a str,
    /// The most it can cost; None where that is not known.
    pub worst: Option<Usd>,
    /// What it cost, from its usage.
    pub cost: &'a dyn Fn(Usage) -> Option<Usd>,
    /// The most tokens that it is likely to use.
    pub tokens: u64,
}

/// What came of a call.
pub struct Exchange {
    /// None: all attempts failed, and the last is told.
    pub reply: Option<Reply>,
    /// 0 where no HTTP answer came.
    pub status: u16,
    pub headers: Vec<(String, String)>,
    /// JSON: the provider's own where it sent JSON, else its text as a JSON string.
    pub body: String,
    pub attempts: u32,
    /// What the last attempt came to, for people; empty where it was answered.
    pub why: String,
    /// Of the last attempt.
    pub latency: Duration,
    pub at: SystemTime,
}

/// So many calls that fail in a row mean that something is wrong with all of them.
const FAILING: u64 = 10;
/// What is kept of a body that is no JSON.
const TEXT_BYTES_MAX: usize = 1 << 16;

impl<'a> Caller<'a> {
    pub fn new(
        send: &'a Transport<'a>,
        provider: &'a Provider,
        wire: &'static dyn Wire,
        policy: Policy,
        pace: Pace,
        budget: Budget,
    ) -> Self {
        let counts = Mutex::new(Counts { cost: Some(Usd::ZERO), ..Counts::default() });
        Caller { send, provider, wire, policy, pace, budget, halt: Halt::default(), counts }
    }

    pub fn counts(&self) -> Counts {
        *self.lock()
    }

    /// Makes a call. None: it was not made, or not to its end, because the recording halts.
    pub fn call(&self, call: &Call<'_>) -> Option<Exchange> {
        if self.halt.is_raised() {
            return None;
        }
        self.budget.begin().map_err(|what| self.halt.raise(Cause::Budget(what))).ok()?;
        let url = self.provider.url(call.path);
        let headers: Vec<_> = self.provider.headers().collect();
        let post = Post { url: &url, headers: &headers, body: call.body };
        let mut first_end = None;
        for attempt in 1.. {
            let worst = call.worst.unwrap_or(Usd::ZERO);
            self.budget.reserve(worst).map_err(|what| self.halt.raise(Cause::Budget(what))).ok()?;
            if !self.wait_for_turn(call.tokens) {
                self.budget.settle(worst, Usd::ZERO);
                return None;
            }
            if let Some(end) = first_end {
                self.note_retry(end);
            }
            let begun = Instant::now();
            let sent = (self.send)(&post);
            let seen = self.look(sent);
            self.settle(call, &seen);
            let exchange = |seen: Seen| Exchange {
                reply: seen.reply,
                status: seen.status,
                headers: seen.kept,
                body: seen.body,
                attempts: attempt,
                why: seen.why,
                latency: begun.elapsed(),
                at: SystemTime::now(),
            };
            match seen.verdict {
                None => {
                    self.count_end(true);
                    return Some(exchange(seen));
                }
                Some(Verdict::Stop) => {
                    self.halt.raise(Cause::Refused(seen.why));
                    return None;
                }
                Some(Verdict::Again) if attempt <= self.policy.retries && seen.asked.is_none_or(|asked| asked <= retry::ASKED_MAX) => {
                    first_end.get_or_insert_with(Instant::now);
                    let until = Instant::now() + self.policy.wait(attempt, seen.asked, call.place);
                    // What a provider asks of one it asks of all.
                    if let Some(asked) = seen.asked {
                        self.pace.hold(Instant::now() + asked);
                    }
                    if !self.halt.wait_until(until) {
                        return None;
                    }
                }
                Some(_) => {
                    if self.count_end(false) >= FAILING {
                        self.halt.raise(Cause::Failing(format!("{FAILING} calls failed one after the other; the last: {}", seen.why)));
                    }
                    return Some(exchange(seen));
                }
            }
        }
        None
    }

    /// Waits until the pace lets a request through. False where the recording halts before.
    fn wait_for_turn(&self, tokens: u64) -> bool {
        let booked = self.pace.book(tokens, Instant::now());
        loop {
            let until = self.pace.held().map_or(booked, |held| held.max(booked));
            if !self.halt.wait_until(until) {
                return false;
            }
            if self.pace.held().is_none_or(|held| held <= Instant::now()) {
                return true;
            }
        }
    }

    fn look(&self, sent: Result<Raw, Broken>) -> Seen {
        let raw = match sent {
            Ok(raw) => raw,
            Err(Broken { kind, what, sent }) => {
                let what = self.provider.redact(what);
                let body = json!({"error": {"type": kind, "message": what}}).to_string();
                let verdict = match kind {
                    "tls" => Verdict::Stop,
                    "too_large" | "request" => Verdict::Never,
                    _ => Verdict::Again,
                };
                let why = format!("{}: {what}", self.provider.host());
                return Seen { verdict: Some(verdict), billed: sent, body, why, ..Seen::default() };
            }
        };
        let kept = self.provider.kept_headers(&raw.headers);
        let asked = retry::asked(&raw.headers, SystemTime::now());
        let text = self.provider.redact(String::from_utf8_lossy(&raw.body).into_owned());
        let text = text.trim_start_matches('\u{feff}');
        let is_json = std::str::from_utf8(&raw.body).is_ok() && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
        let body = match is_json {
            true => text.to_owned(),
            false => Value::from(&text[..text.floor_char_boundary(TEXT_BYTES_MAX)]).to_string(),
        };
        let seen = Seen { status: raw.status, kept, asked, body, ..Seen::default() };
        if (200..300).contains(&raw.status) {
            let read = if is_json { self.wire.reply(&seen.body) } else { Err("the answer is not JSON".to_owned()) };
            return match read {
                Ok(reply) => Seen { reply: Some(reply), billed: true, ..seen },
                Err(why) => Seen { verdict: Some(Verdict::Again), billed: true, why: format!("status {}, but {why}", raw.status), ..seen },
            };
        }
        let said = Said::of(&seen.body);
        let verdict = retry::verdict(raw.status, said.code.as_deref(), &raw.headers);
        let why = self.explain(raw.status, &said, retry::value(&raw.headers, "location"));
        Seen { verdict: Some(verdict), why, ..seen }
    }

    fn explain(&self, status: u16, said: &Said, location: Option<&str>) -> String {
        let host = self.provider.host();
        let message = said.message.as_ref().map_or(String::new(), |message| format!(": {message}"));
        match status {
            300..=399 => {
                let to = location.and_then(|to| to.split("://").nth(1)).and_then(|to| to.split(['/', '?', '#']).next());
                let to = to.map_or(String::new(), |to| format!(" to {}", to.rsplit('@').next().unwrap_or_default()));
                format!(
                    "{host} answered with a redirect (status {status}){to}. Redirects are not followed, since the key would go along; set --base-url"
                )
            }
            401 | 403 | 407 => match &self.provider.key_env {
                Some(name) => format!("{host} refused the key in {name} (status {status}){message}"),
                None => {
                    format!("{host} wants a key (status {status}){message}; name the environment variable that holds it with --key-env")
                }
            },
            402 | 429 if retry::verdict(status, said.code.as_deref(), &[]) == Verdict::Stop => {
                format!("{host} says that the account has no credit left (status {status}){message}")
            }
            _ => format!("{host} answered with status {status}{message}"),
        }
    }

    fn settle(&self, call: &Call<'_>, seen: &Seen) {
        let worst = call.worst.unwrap_or(Usd::ZERO);
        let usage = seen.reply.as_ref().and_then(|reply| reply.usage);
        let known = usage.and_then(call.cost);
        // What broke off may have been billed, and nobody says how much.
        let cost = if seen.billed { known.or(call.worst) } else { Some(Usd::ZERO) };
        self.budget.settle(worst, cost.unwrap_or(Usd::ZERO));
        let used = usage.map_or(if seen.billed { call.tokens } else { 0 }, |usage| usage.input + usage.output);
        self.pace.correct(call.tokens, used);
        let mut counts = self.lock();
        counts.requests += 1;
        let known = if seen.billed { known } else { Some(Usd::ZERO) };
        counts.cost = counts.cost.zip(known).map(|(all, one)| all + one);
        if let Some(usage) = usage {
            let all = &mut counts.usage;
            (all.input, all.cached, all.output) = (all.input + usage.input, all.cached + usage.cached, all.output + usage.output);
        }
    }

    fn note_retry(&self, first_end: Instant) {
        let mut counts = self.lock();
        let waited = first_end.elapsed();
        counts.first_retry = Some(counts.first_retry.map_or(waited, |least| least.min(waited)));
    }

    /// Counts a call that came to its end, and tells how many have failed in a row.
    fn count_end(&self, answered: bool) -> u64 {
        let mut counts = self.lock();
        if answered {
            counts.answered += 1;
            counts.failed_in_a_row = 0;
        } else {
            counts.failed += 1;
            counts.failed_in_a_row += 1;
        }
        counts.failed_in_a_row
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(|e| e.into_inner())
    }
}

/// One attempt, looked at.
#[derive(Default)]
struct Seen {
    /// None: answered.
    verdict: Option<Verdict>,
    reply: Option<Reply>,
    status: u16,
    kept: Vec<(String, String)>,
    asked: Option<Duration>,
    body: String,
    billed: bool,
    /// For people; empty where it was answered.
    why: String,
}

/// What a provider's error says: its own word and its message.
#[derive(Default)]
struct Said {
    code: Option<String>,
    message: Option<String>,
}

impl Said {
    fn of(body: &str) -> Said {
        const MESSAGE_CHARS_MAX: usize = 300;
        #[derive(Deserialize)]
        struct Body {
            error: Option<Value>,
        }
        let error = serde_json::from_str::<Body>(body).ok().and_then(|body| body.error);
        let Some(error) = error else { return Said::default() };
        let text = |name: &str| error.get(name).and_then(Value::as_str).map(str::to_owned);
        let message = text("message").or_else(|| error.as_str().map(str::to_owned));
        Said { code: text("code").or_else(|| text("type")), message: message.map(|m| m.chars().take(MESSAGE_CHARS_MAX).collect()) }
    }
}
