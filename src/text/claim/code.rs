//! Claims that are names: links, mail addresses, phone numbers, identifiers.

use super::time::digits_end;
use crate::text::window::is_unspaced;

/// Two phone numbers are one where they have the same digits, be it with a country code in one and a leading zero in the other.
pub(super) fn same_phone(a: &str, b: &str) -> bool {
    let national = |short: &str, long: &str| {
        short.strip_prefix('0').is_some_and(|n| n.len() >= 6 && long.strip_prefix('+').is_some_and(|l| l.len() > n.len() && l.ends_with(n)))
    };
    a == b || national(a, b) || national(b, a)
}

const PHONE_MAX: usize = 40;

/// A phone number that starts at `start` with a plus sign, a parenthesis or a digit: its digits, and where it ends.
pub(super) fn phone(text: &str, start: usize) -> Option<(Box<str>, usize)> {
    let bytes = text.as_bytes();
    let plus = bytes[start] == b'+';
    let (mut at, mut end) = (start + usize::from(plus), start);
    let mut key = String::new();
    let mut groups: Vec<usize> = vec![];
    let mut marks: Vec<u8> = vec![];
    let limit = (start + PHONE_MAX).min(text.len());
    while at < limit {
        // `(0)` behind a country code is dropped when dialling from abroad.
        if plus && bytes[at..].starts_with(b"(0)") {
            at += 3;
            at += usize::from(bytes.get(at) == Some(&b' '));
        }
        let open = usize::from(bytes.get(at) == Some(&b'('));
        let group_end = digits_end(text, (at + open).min(text.len()));
        let length = group_end - (at + open).min(group_end);
        if length == 0 || length > 11 {
            break;
        }
        key.push_str(&text[at + open..group_end]);
        groups.push(length);
        end = group_end;
        at = group_end;
        if open == 1 {
            if bytes.get(at) != Some(&b')') {
                return None;
            }
            (at, end) = (at + 1, at + 1);
        }
        let mark = match bytes.get(at) {
            Some(b @ (b' ' | b'-' | b'.' | b'/')) => *b,
            _ if open == 1 => b' ',
            _ if text[at..].starts_with('\u{a0}') => b'n',
            _ => break,
        };
        marks.push(mark);
        at += match mark {
            b'n' => 2,
            _ if bytes.get(at) == Some(&mark) => 1,
            _ => 0,
        };
    }
    let inner = &marks[..marks.len().min(groups.len().saturating_sub(1))];
    let uniform = inner.windows(2).all(|w| w[0] == w[1]);
    let starts_open = bytes[start] == b'(';
    let shape = match groups.as_slice() {
        _ if plus => groups.len() > 1 || groups.first().is_some_and(|n| *n >= 8),
        [_, _, ..] if key.starts_with('0') => !inner.contains(&b'.') || !uniform || groups.len() > 3,
        [3, 3, 4] | [1, 3, 3, 4] => uniform || starts_open,
        [3, 4] => inner == [b'-'],
        _ => false,
    };
    let tied = text[end..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    if !shape || tied || !(7..=15).contains(&key.len()) {
        return None;
    }
    if plus {
        key.insert(0, '+');
    }
    Some((key.into(), end))
}

/// Whether a link starts at `at`, where a word does.
pub(super) fn is_link(text: &str, at: usize, word_end: usize) -> bool {
    let (word, rest) = (&text[at..word_end], &text[word_end..]);
    if !rest.starts_with([':', '.']) {
        return false;
    }
    let scheme = matches!(word, "http" | "https" | "ftp" | "HTTP" | "HTTPS") && rest.starts_with("://");
    scheme || (matches!(word, "www" | "WWW") && rest.starts_with('.'))
}

/// Last labels of addresses that are written without a scheme.
const TOP: [&str; 20] = [
    "com", "org", "net", "io", "dev", "app", "example", "test", "edu", "gov", "info", "eu", "de", "fr", "es", "uk", "ch", "at", "ai", "co",
];

/// `status.shop.example/history`: an address without a scheme, from `at`; None for any other dotted word.
pub(super) fn bare_host(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let end = at + bytes[at..].iter().position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.'))).unwrap_or(bytes.len() - at);
    let host = text[at..end].trim_end_matches(['.', '-']);
    let (head, top) = host.rsplit_once('.')?;
    let end = at + host.len();
    let known = TOP.contains(&top) && head.len() > 1 && head.bytes().any(|b| b.is_ascii_lowercase());
    let followed = text[end..].starts_with(['/', '?']);
    known.then(|| if followed { link_end(text, at) } else { end })
}

/// Where a link that starts at `at` ends: marks at its end belong to the sentence.
pub(super) fn link_end(text: &str, at: usize) -> usize {
    let stop = |c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '`' | '|' | ']' | '}' | '»' | '“' | '”' | '、' | '。');
    let link = &text[at..at + text[at..].find(stop).unwrap_or(text.len() - at)];
    let mut kept = link.trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '_', '\'', '\u{2019}', '…']);
    while kept.ends_with(')') && kept.matches(')').count() > kept.matches('(').count() {
        kept = kept[..kept.len() - 1].trim_end_matches(['.', ',', ')']);
    }
    at + kept.len().max(1)
}

pub(super) fn link_key(link: &str) -> Box<str> {
    let bare = link.split_once("://").map_or(link, |(_, rest)| rest);
    let bare = bare.strip_prefix("www.").unwrap_or(bare);
    let bare = bare.strip_suffix('/').unwrap_or(bare);
    let host = bare.find(['/', '?', '#']).unwrap_or(bare.len());
    (bare[..host].to_lowercase() + &bare[host..]).into()
}

/// The mail address that starts at `at`, where a word does.
pub(super) fn mail_end(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'%' | b'+' | b'-');
    let sign = at + bytes[at..].iter().take(65).take_while(|b| name(b)).count();
    if bytes.get(sign) != Some(&b'@') {
        return None;
    }
    let host = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-');
    let end = sign + 1 + bytes[sign + 1..].iter().take_while(|b| host(b)).count();
    let kept = text[sign + 1..end].trim_end_matches(['.', '-']);
    kept.contains('.').then_some(sign + 1 + kept.len())
}

/// End of letters and digits with the marks that tie them together: `PO-77120`, `2.14.1`, `24/7`.
pub(super) fn code_end(text: &str, at: usize) -> usize {
    let tied = |c: char| (c.is_alphanumeric() && !is_unspaced(c)) || matches!(c, '_' | '-' | '/' | ':' | '.');
    let end = at + text[at..].find(|c| !tied(c)).unwrap_or(text.len() - at);
    let kept = text[at..end].trim_end_matches(['-', '/', ':', '.', '_']).len();
    // A mark doubled or followed by a word of letters only ends the code: `#12.Then`.
    at + kept.max(text[at..].chars().next().map_or(1, char::len_utf8))
}

/// `v2.14.1` and `2.14.1` are one version.
pub(super) fn code_key(code: &str) -> Box<str> {
    let code = code.trim_start_matches('#');
    let version = code.strip_prefix(['v', 'V']).filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    version.unwrap_or(code).into()
}
