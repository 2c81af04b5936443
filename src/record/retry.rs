//! What is tried again, and after how long. Waiting is drawn from the call's place, not from chance, so that a test sees the same times.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::clock;

/// How an attempt that gave no answer is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It may go better next time.
    Again,
    /// The same request will fail the same way.
    Never,
    /// Every other call would fail too: nothing more is asked.
    Stop,
}

/// Of a status outside 200 to 299. `code` is the provider's own word in the body, where it has one.
pub fn verdict(status: u16, code: Option<&str>, headers: &[(String, String)]) -> Verdict {
    match status {
        300..=399 | 401 | 402 | 403 | 407 => Verdict::Stop,
        // An account without credit says so with the status of a rate limit.
        429 if matches!(code, Some("insufficient_quota" | "billing_hard_limit_reached")) => Verdict::Stop,
        _ => match (value(headers, "x-should-retry"), status) {
            (Some("true"), _) => Verdict::Again,
            (Some("false"), _) => Verdict::Never,
            (_, 501 | 505) => Verdict::Never,
            (_, 408 | 409 | 425 | 429 | 500..) => Verdict::Again,
            _ => Verdict::Never,
        },
    }
}

/// How retries are spaced.
#[derive(Debug, Clone, Copy)]
pub struct Policy {
    /// Attempts after the first.
    pub retries: u32,
    /// The longest first wait; it doubles with every attempt.
    pub base: Duration,
}

const BACKOFF_MAX: Duration = Duration::from_secs(60);
/// A provider that wants to be left alone for longer is not waited for.
pub const ASKED_MAX: Duration = Duration::from_secs(600);

impl Policy {
    /// The wait before attempt `attempt + 1` (attempts count from 1): full jitter up to a limit that doubles, or what the provider asks for with a
    /// little on top, so that not all come back at once.
    pub fn wait(&self, attempt: u32, asked: Option<Duration>, place: &str) -> Duration {
        let draw = draw(place, attempt);
        match asked {
            Some(asked) => asked + self.base.mul_f64(draw),
            None => self.base.saturating_mul(1 << attempt.saturating_sub(1).min(16)).min(BACKOFF_MAX).mul_f64(draw),
        }
    }
}

/// A number from 0 to 1 that a place and an attempt always get.
fn draw(place: &str, attempt: u32) -> f64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let mut hash = place.bytes().chain(attempt.to_le_bytes()).fold(0xcbf2_9ce4_8422_2325, step);
    // The low bits of such a hash are poor; two rounds of mixing spread them.
    for _ in 0..2 {
        hash = (hash ^ (hash >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    (hash >> 11) as f64 / (1u64 << 53) as f64
}

/// How long the provider asks to wait, in any of the forms in use.
pub fn asked(headers: &[(String, String)], now: SystemTime) -> Option<Duration> {
    let seconds = |text: &str| text.trim().parse::<f64>().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
    let until = |time: SystemTime| time.duration_since(now).unwrap_or_default();
    if let Some(wait) = value(headers, "retry-after-ms").and_then(seconds) {
        return Some(wait / 1000);
    }
    if let Some(text) = value(headers, "retry-after") {
        return seconds(text).or_else(|| clock::parse(text).map(until));
    }
    let reset = |name: &str, left: &str| value(headers, left).filter(|left| left.trim() == "0").and_then(|_| value(headers, name));
    let spans = ["requests", "tokens"]
        .into_iter()
        .filter_map(|what| reset(&format!("x-ratelimit-reset-{what}"), &format!("x-ratelimit-remaining-{what}")).and_then(span));
    let moments = ["requests", "tokens", "input-tokens", "output-tokens"].into_iter().filter_map(|what| {
        reset(&format!("anthropic-ratelimit-{what}-reset"), &format!("anthropic-ratelimit-{what}-remaining"))
            .and_then(clock::parse)
            .map(until)
    });
    let stamp = reset("x-ratelimit-reset", "x-ratelimit-remaining").and_then(|text| {
        let number: u64 = text.trim().parse().ok()?;
        // Seconds or milliseconds of the epoch, by size.
        let time = if number > 100_000_000_000 { Duration::from_millis(number) } else { Duration::from_secs(number) };
        UNIX_EPOCH.checked_add(time).map(until)
    });
    spans.chain(moments).chain(stamp).max()
}

/// A length of time as in `6m0s`, `1.5s`, `20ms`.
fn span(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    let mut all = Duration::ZERO;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..end].parse().ok()?;
        let unit_end = rest[end..].find(|c: char| c.is_ascii_digit()).map_or(rest.len(), |at| end + at);
        let unit = match &rest[end..unit_end] {
            "ms" => 0.001,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            "d" => 86_400.0,
            _ => return None,
        };
        all = all.checked_add(Duration::try_from_secs_f64(number * unit).ok()?)?;
        rest = &rest[unit_end..];
    }
    (!text.trim().is_empty()).then_some(all)
}

/// A header's value; names are lower case.
pub fn value<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
    headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect()
    }

    #[test]
    fn statuses_are_tried_again_given_up_or_stop_everything() {
        use Verdict::{Again, Never, Stop};
        for (status, code, want) in [
            (429, None, Again),
            (429, Some("rate_limit_exceeded"), Again),
            (429, Some("insufficient_quota"), Stop),
            (408, None, Again),
            (500, None, Again),
            (503, None, Again),
            (529, None, Again),
            (501, None, Never),
            (400, None, Never),
            (404, None, Never),
            (413, None, Never),
            (422, None, Never),
            (401, None, Stop),
            (402, None, Stop),
            (403, None, Stop),
            (307, None, Stop),
        ] {
            assert_eq!(verdict(status, code, &[]), want, "{status} {code:?}");
        }
        assert_eq!(verdict(500, None, &headers(&[("x-should-retry", "false")])), Never);
        assert_eq!(verdict(400, None, &headers(&[("x-should-retry", "true")])), Again);
        assert_eq!(verdict(401, None, &headers(&[("x-should-retry", "true")])), Stop);
    }

    #[test]
    fn what_the_provider_asks_for_is_read_in_every_form() {
        let now = UNIX_EPOCH + Duration::from_secs(784_111_770);
        let ms = Duration::from_millis;
        for (pairs, want) in [
            (&[("retry-after", "3")][..], Some(ms(3000))),
            (&[("retry-after", "0.5")], Some(ms(500))),
            (&[("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")], Some(ms(7000))),
            (&[("retry-after", "Sun, 06 Nov 1994 08:49:07 GMT")], Some(ms(0))),
            (&[("retry-after", "soon")], None),
            (&[("retry-after", "-3")], None),
            (&[("retry-after", "3"), ("retry-after-ms", "20")], Some(ms(20))),
            (&[("x-ratelimit-reset-requests", "6m0s"), ("x-ratelimit-remaining-requests", "0")], Some(ms(360_000))),
            (&[("x-ratelimit-reset-tokens", "1.5s"), ("x-ratelimit-remaining-tokens", "0")], Some(ms(1500))),
            (&[("x-ratelimit-reset-tokens", "20ms"), ("x-ratelimit-remaining-tokens", "5")], None),
            (
                &[("anthropic-ratelimit-requests-reset", "1994-11-06T08:49:40Z"), ("anthropic-ratelimit-requests-remaining", "0")],
                Some(ms(10_000)),
            ),
            (&[("x-ratelimit-reset", "784111775000"), ("x-ratelimit-remaining", "0")], Some(ms(5000))),
            (&[], None),
        ] {
            assert_eq!(asked(&headers(pairs), now), want, "{pairs:?}");
        }
        for (text, want) in [("6m0s", Some(ms(360_000))), ("1h1m1s", Some(ms(3_661_000))), ("", None), ("5", None), ("1y", None)] {
            assert_eq!(span(text), want, "{text}");
        }
    }

    #[test]
    fn waits_double_at_most_and_are_the_same_each_time() {
        let policy = Policy { retries: 5, base: Duration::from_millis(100) };
        for attempt in 1..=20 {
            let wait = policy.wait(attempt, None, "t writer pass 0");
            assert!(wait <= Duration::from_millis(100 << (attempt - 1).min(10)).min(BACKOFF_MAX), "{attempt}: {wait:?}");
            assert_eq!(wait, policy.wait(attempt, None, "t writer pass 0"));
        }
        let asked = Duration::from_secs(2);
        let wait = policy.wait(1, Some(asked), "t");
        assert!(wait >= asked && wait <= asked + policy.base);
        let draws: Vec<f64> = (0..1000).map(|n| draw(&format!("ticket-{n}"), 1)).collect();
        let mean = draws.iter().sum::<f64>() / 1000.0;
        assert!((mean - 0.5).abs() < 0.05 && draws.iter().all(|d| (0.0..1.0).contains(d)), "{mean}");
    }
}
