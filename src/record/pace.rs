//! How fast requests may follow each other: evenly over the minute, by number and by tokens, and not at all while a provider asks for a pause.

use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Requests and tokens a minute; None is no limit.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    pub requests: Option<u32>,
    pub tokens: Option<u64>,
}

/// Gives each request the moment from which it may be sent.
pub struct Pace {
    limits: Limits,
    next: Mutex<Next>,
}

#[derive(Default)]
struct Next {
    /// From when the next request is within the limit of requests, and of tokens.
    request: Option<Instant>,
    token: Option<Instant>,
    /// Nothing is sent before.
    held: Option<Instant>,
}

impl Pace {
    pub fn new(limits: Limits) -> Pace {
        Pace { limits, next: Mutex::default() }
    }

    /// When a request of so many tokens may be sent; its share of the minute is then taken.
    pub fn book(&self, tokens: u64, now: Instant) -> Instant {
        let mut next = self.lock();
        let at = [next.request, next.token, next.held].into_iter().flatten().fold(now, Instant::max);
        if let Some(limit) = self.limits.requests {
            next.request = Some(at + share(1, u64::from(limit)));
        }
        if let Some(limit) = self.limits.tokens {
            next.token = Some(at + share(tokens, limit));
        }
        at
    }

    /// What an answer says it used, where the booking could only guess.
    pub fn correct(&self, booked: u64, used: u64) {
        let mut next = self.lock();
        let (Some(limit), Some(token)) = (self.limits.tokens, next.token) else { return };
        next.token = match used.checked_sub(booked) {
            Some(more) => Some(token + share(more, limit)),
            None => token.checked_sub(share(booked - used, limit)).or(Some(token)),
        };
    }

    /// Nobody sends before `until`.
    pub fn hold(&self, until: Instant) {
        let mut next = self.lock();
        next.held = Some(next.held.map_or(until, |held| held.max(until)));
    }

    pub fn held(&self) -> Option<Instant> {
        self.lock().held
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Next> {
        self.next.lock().unwrap_or_else(|e| e.into_inner())
    }
}

/// The part of a minute that `count` of `limit` take, at most a day.
fn share(count: u64, limit: u64) -> Duration {
    Duration::try_from_secs_f64(60.0 * count as f64 / limit.max(1) as f64).unwrap_or(Duration::MAX).min(Duration::from_secs(86_400))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_and_tokens_are_spread_over_the_minute() {
        let now = Instant::now();
        let after = |at: Instant| at.saturating_duration_since(now).as_millis();
        let free = Pace::new(Limits::default());
        assert_eq!([free.book(1 << 40, now), free.book(1 << 40, now)].map(after), [0, 0]);
        let by_requests = Pace::new(Limits { requests: Some(120), tokens: None });
        assert_eq!([0; 4].map(|_| after(by_requests.book(1000, now))), [0, 500, 1000, 1500]);
        // A pause is no credit: after it requests are spread as before.
        let later = now + Duration::from_secs(60);
        assert_eq!([0; 2].map(|_| after(by_requests.book(1000, later))), [60_000, 60_500]);
        let by_tokens = Pace::new(Limits { requests: Some(6000), tokens: Some(60_000) });
        assert_eq!([500, 2000, 1].map(|tokens| after(by_tokens.book(tokens, now))), [0, 500, 2500]);
        by_tokens.correct(2000, 3000);
        by_tokens.correct(600, 100);
        assert_eq!(after(by_tokens.book(1, now)), 2501 + 1000 - 500);
    }

    #[test]
    fn a_hold_holds_everybody() {
        let now = Instant::now();
        let pace = Pace::new(Limits { requests: Some(60), tokens: None });
        pace.hold(now + Duration::from_secs(5));
        pace.hold(now + Duration::from_secs(2));
        assert_eq!(pace.book(1, now), now + Duration::from_secs(5));
        assert_eq!(pace.book(1, now), now + Duration::from_secs(6));
        assert_eq!(pace.held(), Some(now + Duration::from_secs(5)));
    }
}
