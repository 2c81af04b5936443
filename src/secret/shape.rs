//! What a secret looks like: shapes of keys and tokens, credentials in headers and links, and, as warnings, e-mail addresses and card numbers.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The value of a header that carries credentials, or `Bearer ...` in a text.
    AuthHeader,
    /// A query parameter of a link that carries credentials.
    UrlCredential,
    PrivateKey,
    JsonWebToken,
    ApiKey,
    CardNumber,
    Email,
}

impl Kind {
    pub const ALL: [Kind; 7] =
        [Kind::AuthHeader, Kind::UrlCredential, Kind::PrivateKey, Kind::JsonWebToken, Kind::ApiKey, Kind::CardNumber, Kind::Email];

    pub const fn name(self) -> &'static str {
        match self {
            Kind::AuthHeader => "auth_header",
            Kind::UrlCredential => "url_credential",
            Kind::PrivateKey => "private_key",
            Kind::JsonWebToken => "json_web_token",
            Kind::ApiKey => "api_key",
            Kind::CardNumber => "card_number",
            Kind::Email => "email",
        }
    }

    /// Personal data that tickets are full of: to be looked at, but no credential.
    pub const fn is_warning(self) -> bool {
        matches!(self, Kind::CardNumber | Kind::Email)
    }
}

/// A secret in a text, in bytes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub kind: Kind,
    pub range: Range<usize>,
}

/// One group a kind, in the order of [`GROUPS`].
static SHAPES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?x)
        (-----BEGIN\ (?:[A-Z]{2,10}\ ){0,2}PRIVATE\ KEY-----)
        | (?-u:\b)(eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})
        | (?-u:\b)(
              sk-[A-Za-z0-9_-]{16,}
            | [a-z]{2,6}_(?:live|test|prod)_[A-Za-z0-9_-]{16,}
            | pk-lf-[A-Za-z0-9-]{16,}
            | AIza[A-Za-z0-9_-]{30,}
            | A[KS]IA[A-Z0-9]{16}
            | gh[opsur]_[A-Za-z0-9]{30,}
            | github_pat_[A-Za-z0-9_]{22,}
            | glpat-[A-Za-z0-9_-]{18,}
            | xox[abeoprs]-[A-Za-z0-9-]{16,}
            | hf_[A-Za-z0-9]{24,}
            | gsk_[A-Za-z0-9]{24,}
            | xai-[A-Za-z0-9]{24,}
            | r8_[A-Za-z0-9]{24,}
            | pplx-[A-Za-z0-9]{24,}
            | npm_[A-Za-z0-9]{30,}
            | lsv2_[a-z]{2}_[A-Za-z0-9_]{24,}
          )
        | (?-u:\b)(?i:bearer|basic)[\ \t]+([A-Za-z0-9._~+/-]{12,}={0,2})
        | [?&](?i:key|api_?key|token|access_token|auth|sig|signature)=([^\s&\#"'<>{}\[\]]{8,})
        "#,
    )
    .ok()
});

const GROUPS: [Kind; 5] = [Kind::PrivateKey, Kind::JsonWebToken, Kind::ApiKey, Kind::AuthHeader, Kind::UrlCredential];

/// The secrets of a text, in order, none overlapping another.
pub fn hits(text: &str) -> Vec<Hit> {
    let mut found = vec![];
    if let Some(shapes) = SHAPES.as_ref() {
        for taken in shapes.captures_iter(text) {
            let group = (1..=GROUPS.len()).find_map(|at| Some((GROUPS[at - 1], taken.get(at)?)));
            if let Some((kind, value)) = group
                && (matches!(kind, Kind::PrivateKey | Kind::JsonWebToken) || is_random(value.as_str()))
            {
                found.push(Hit { kind, range: value.range() });
            }
        }
    }
    emails(text, &mut found);
    cards(text, &mut found);
    found.sort_by_key(|hit| (hit.range.start, hit.kind));
    found.dedup_by(|next, kept| next.range.start < kept.range.end);
    found
}

/// Prose has no digits inside its words and no capitals behind the first letter: "sk-learn-style-pipelines", "Bearer Authentication".
fn is_random(value: &str) -> bool {
    value.bytes().any(|b| b.is_ascii_digit()) || value.bytes().skip(1).any(|b| b.is_ascii_uppercase())
}

/// Headers whose value is a credential.
const HEADERS: [&str; 11] = [
    "authorization",
    "proxy-authorization",
    "x-api-key",
    "x-goog-api-key",
    "api-key",
    "apikey",
    "x-auth-token",
    "cookie",
    "set-cookie",
    "openai-api-key",
    "anthropic-api-key",
];

/// The credential that `value` carries as the value of a header (or any field) called `name`; None where it is none, or was taken out already.
pub fn header_value(name: &str, value: &str) -> Option<Hit> {
    let name = name.trim().to_ascii_lowercase().replace('_', "-");
    if !HEADERS.contains(&name.as_str()) {
        return None;
    }
    let all = value.trim();
    let start = value.len() - value.trim_start().len();
    let whole = Hit { kind: Kind::AuthHeader, range: start..start + all.len() };
    if name.ends_with("cookie") {
        return (all.len() >= 8 && all.contains('=') && !is_placeholder(all)).then_some(whole);
    }
    let credential = all.split_once([' ', '\t']).map_or(all, |(_, rest)| rest.trim());
    (credential.len() >= 8 && !credential.contains(char::is_whitespace) && !is_placeholder(credential)).then_some(whole)
}

/// What stands where a credential stood, or should be put in.
fn is_placeholder(value: &str) -> bool {
    let low = value.to_ascii_lowercase();
    let marks = ["redacted", "filtered", "dummy", "masked", "removed", "hidden", "your_", "your-", "***", "..."];
    low.starts_with(['<', '[', '{', '$', '%', '*']) || marks.iter().any(|mark| low.contains(mark))
}

/// Reserved for examples (RFC 2606, RFC 6761): nobody's address.
const NOBODYS: [&str; 4] = [".test", ".example", ".invalid", ".localhost"];

fn emails(text: &str, found: &mut Vec<Hit>) {
    let bytes = text.as_bytes();
    let local = |b: &u8| b.is_ascii_alphanumeric() || b"._%+-".contains(b);
    let domain = |b: &u8| b.is_ascii_alphanumeric() || b".-".contains(b);
    for (at, _) in text.match_indices('@') {
        let start = at - bytes[..at].iter().rev().take(64).take_while(|b| local(b)).count();
        let rest = bytes[at + 1..].iter().take(253).take_while(|b| domain(b)).count();
        let host = text[at + 1..at + 1 + rest].trim_end_matches(['.', '-']);
        let Some((name, top)) = host.rsplit_once('.') else { continue };
        let is_host = !name.is_empty() && top.len() >= 2 && top.bytes().all(|b| b.is_ascii_alphabetic()) && !host.starts_with(['.', '-']);
        let low = format!(".{}", host.to_ascii_lowercase());
        let reserved = NOBODYS.iter().any(|end| low.ends_with(end))
            || ["com", "org", "net"].iter().any(|top| low.ends_with(&format!(".example.{top}")));
        if start < at && is_host && !reserved {
            found.push(Hit { kind: Kind::Email, range: start..at + 1 + host.len() });
        }
    }
}

const CARD_DIGITS: std::ops::RangeInclusive<usize> = 13..=19;

/// Runs of digits, in groups or not, that begin as a card does and pass its check digit (ISO/IEC 7812).
fn cards(text: &str, found: &mut Vec<Hit>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        let mut digits = vec![];
        let mut end = at;
        while at < bytes.len() {
            let b = bytes[at];
            let joins = (b == b' ' || b == b'-') && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
            if b.is_ascii_digit() {
                digits.push(b - b'0');
                end = at + 1;
            } else if !joins {
                break;
            }
            at += 1;
        }
        let stands_alone = |b: Option<&u8>| b.is_none_or(|b| !b.is_ascii_alphanumeric() && !b".,_".contains(b));
        let before = start.checked_sub(1).and_then(|at| bytes.get(at));
        // A full stop may end the sentence.
        let behind = bytes.get(end).filter(|b| **b != b'.' && **b != b',' || bytes.get(end + 1).is_some_and(u8::is_ascii_digit));
        if CARD_DIGITS.contains(&digits.len()) && stands_alone(before) && stands_alone(behind) && is_issued(&digits) && luhn(&digits) {
            found.push(Hit { kind: Kind::CardNumber, range: start..end });
        }
    }
}

/// First digits that card schemes have.
fn is_issued(digits: &[u8]) -> bool {
    let head = |n: usize| digits[..n].iter().fold(0u32, |sum, d| sum * 10 + u32::from(*d));
    digits[0] == 4 || matches!(head(2), 34 | 37 | 51..=55 | 62 | 65) || matches!(head(4), 2221..=2720 | 3528..=3589 | 6011)
}

fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, d)| {
            let d = u32::from(*d) << (at % 2);
            if d > 9 { d - 9 } else { d }
        })
        .sum();
    sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(Kind, &str)> {
        hits(text).into_iter().map(|hit| (hit.kind, &text[hit.range])).collect()
    }

    #[test]
    fn shapes_of_secrets() {
        use Kind::*;
        for (text, want) in [
            ("use sk-proj-Abcdefghij0123456789 here", vec![(ApiKey, "sk-proj-Abcdefghij0123456789")]),
            ("kp_live_EXAMPLE_AAAAAAAAAAAAAAAA stopped", vec![(ApiKey, "kp_live_EXAMPLE_AAAAAAAAAAAAAAAA")]),
            ("AKIAABCDEFGHIJKLMNOP", vec![(ApiKey, "AKIAABCDEFGHIJKLMNOP")]),
            ("(ghp_0123456789abcdefghijABCDEFGHIJ012345)", vec![(ApiKey, "ghp_0123456789abcdefghijABCDEFGHIJ012345")]),
            ("Authorization: Bearer abcdefghijkl0123", vec![(AuthHeader, "abcdefghijkl0123")]),
            ("basic RXhhbXBsZTpub3QtcmVhbA==", vec![(AuthHeader, "RXhhbXBsZTpub3QtcmVhbA==")]),
            ("https://a.test/v1?a=1&key=abcdefgh1", vec![(UrlCredential, "abcdefgh1")]),
            ("https://a.test/v1?key=sk-test-000000000000000000000000", vec![(UrlCredential, "sk-test-000000000000000000000000")]),
            ("-----BEGIN RSA PRIVATE KEY-----\nabc", vec![(PrivateKey, "-----BEGIN RSA PRIVATE KEY-----")]),
            ("eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl", vec![(JsonWebToken, "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl")]),
            ("write to rosa.m+x@shop-one.co.uk.", vec![(Email, "rosa.m+x@shop-one.co.uk")]),
            ("card 4111 1111 1111 1111.", vec![(CardNumber, "4111 1111 1111 1111")]),
            ("card 378282246310005, please", vec![(CardNumber, "378282246310005")]),
            ("two@a.com and 4242-4242-4242-4242", vec![(Email, "two@a.com"), (CardNumber, "4242-4242-4242-4242")]),
        ] {
            assert_eq!(found(text), want, "{text}");
        }
    }

    #[test]
    fn prose_is_no_secret() {
        for text in [
            "",
            "A bearer token is sent as \"Authorization: Bearer <token>\".",
            "Bearer Authentication is required; basic understanding helps",
            "sk-learn-style-pipelines-and-more, a risk-adjusted-return-on-capital",
            "task-0123456789abcdefghij0123",
            "sk-xxxxxxxxxxxxxxxxxxxxxxxx",
            "https://a.test/?monkey=abcdefgh1&q=token",
            "mail me @ noon, @home, a@b, rosa@mail.example, x@example.com, y@sub.example.org",
            "order 4111111111111112, 1234567890123456, 41111111111111111111111, v4111111111111111",
            "2026-11-30 12:00 0000 0000 0000 0000",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn headers_carry_credentials() {
        for (name, value, want) in [
            ("Authorization", "Bearer sk-test-000000000000", true),
            ("proxy-authorization", "Basic abcdefgh", true),
            ("X-API-Key", "abcdefgh", true),
            ("api_key", "abcdefgh", true),
            ("Cookie", "session=abcdef; b=c", true),
            ("Cookie", "chocolate chip", false),
            ("authorization", "[redacted-auth_header-1]", false),
            ("authorization", "Bearer ***", false),
            ("x-api-key", "<REDACTED>", false),
            ("x-api-key", "DUMMY-KEY-1", false),
            ("authorization", "a statement that the card holder agreed", false),
            ("content-type", "application/json", false),
        ] {
            assert_eq!(header_value(name, value).is_some(), want, "{name}: {value}");
        }
        assert_eq!(header_value("authorization", " Bearer abcdefgh ").map(|hit| hit.range), Some(1..16));
    }

    proptest::proptest! {
        #[test]
        fn hits_are_ordered_pieces_of_the_text(text in "[ a-zA-Z0-9@.=?&_\u{e9}-]{0,80}|.{0,60}") {
            let mut end = 0;
            for hit in hits(&text) {
                proptest::prop_assert!(hit.range.start >= end && hit.range.start < hit.range.end);
                proptest::prop_assert!(text.get(hit.range.clone()).is_some());
                end = hit.range.end;
            }
        }
    }
}
