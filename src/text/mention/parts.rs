//! What each section of a draft is: running text, or a greeting, a list, a sign-off.

use crate::text::markdown::{list_item, opening};

/// What a section is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Subject,
    Greeting,
    /// Running text: what "paragraph 2" counts.
    Body,
    List,
    Table,
    Code,
    SignOff,
    Postscript,
}

pub(super) fn parts(texts: &[&str]) -> Vec<Part> {
    let mut parts: Vec<Part> = texts.iter().map(|text| flow(text)).collect();
    let greeted = texts.iter().take(3).position(|text| is_greeting(text));
    for (at, text) in texts.iter().enumerate().take(3) {
        if is_subject(text) {
            parts[at] = Part::Subject;
        } else if Some(at) == greeted {
            parts[at] = Part::Greeting;
        } else {
            break;
        }
    }
    let mut names = vec![];
    for at in (1..texts.len()).rev().take(6) {
        if parts[at] != Part::Body {
            break;
        } else if is_postscript(texts[at]) {
            parts[at] = Part::Postscript;
        } else if is_sign_off(texts[at]) {
            names.push(at);
            names.drain(..).for_each(|at| parts[at] = Part::SignOff);
        } else if is_name(texts[at]) {
            names.push(at);
        } else {
            break;
        }
    }
    // A lone name under a greeting signs too.
    if let ([name], Some(_)) = (names.as_slice(), greeted) {
        parts[*name] = Part::SignOff;
    }
    parts
}

/// Running text, or what else stands under the headings of a section.
fn flow(text: &str) -> Part {
    let body = &text[opening(text).body..];
    let first = body.lines().next().unwrap_or_default();
    let second = body.lines().nth(1).unwrap_or_default();
    let row = |line: &str| line.contains('|') && line.bytes().all(|b| matches!(b, b'|' | b'-' | b':' | b' ' | b'\t'));
    match first.trim_start() {
        line if line.starts_with("```") || line.starts_with("~~~") => Part::Code,
        _ if row(second) && second.contains('-') => Part::Table,
        _ if list_item(first).is_some() => Part::List,
        _ => Part::Body,
    }
}

fn lowered_start(text: &str) -> String {
    text.trim_start().chars().take(40).flat_map(char::to_lowercase).collect()
}

/// True where one of the openings stands at the start, as whole words.
fn starts(text: &str, openings: &[&str]) -> bool {
    let plain = text.trim_start();
    let bytes = plain.as_bytes();
    if bytes.iter().take(40).all(u8::is_ascii) {
        let begins = |o: &str| bytes.get(..o.len()).is_some_and(|start| start.eq_ignore_ascii_case(o.as_bytes()));
        let first = bytes.first().map(u8::to_ascii_lowercase);
        return openings
            .iter()
            .any(|o| o.as_bytes().first().copied() == first && begins(o) && !bytes.get(o.len()).is_some_and(u8::is_ascii_alphanumeric));
    }
    let low = lowered_start(text);
    openings.iter().any(|o| low.strip_prefix(o).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)))
}

fn is_subject(text: &str) -> bool {
    let low = lowered_start(text.trim_start_matches(['*', '#', ' ']));
    text.lines().count() <= 2
        && ["subject", "subject line", "re", "betreff", "objet", "asunto", "件名"].iter().any(|o| {
            low.strip_prefix(o).is_some_and(|rest| rest.trim_start_matches([' ', '\u{a0}', '\u{202f}', '*']).starts_with([':', '：']))
        })
}

const GREETINGS: &[&str] = &[
    "hi",
    "hello",
    "hey",
    "dear",
    "greetings",
    "good morning",
    "good afternoon",
    "good evening",
    "good day",
    "to whom",
    "guten tag",
    "guten morgen",
    "hallo",
    "liebe",
    "lieber",
    "sehr geehrte",
    "sehr geehrter",
    "moin",
    "bonjour",
    "bonsoir",
    "cher",
    "chère",
    "chers",
    "madame",
    "monsieur",
    "salut",
    "hola",
    "estimado",
    "estimada",
    "estimados",
    "querido",
    "querida",
    "buenos días",
    "buenas tardes",
    "ciao",
    "olá",
];

pub(super) fn greets(text: &str) -> bool {
    starts(text, GREETINGS)
}

/// A block that greets and does nothing else.
fn is_greeting(text: &str) -> bool {
    let text = text.trim();
    let short = text.chars().count() <= 60 && text.lines().count() <= 2 && text.split_whitespace().count() <= 8;
    let one = !text.trim_end_matches(['.', '!', ',', ':', '。', '、']).contains(['!', '?', '。']);
    let to_somebody = ["様", "御中", "さん", "殿"].iter().any(|end| text.trim_end_matches(['、', '。', ',']).ends_with(end));
    short && one && (greets(text) && !text.contains(". ") || to_somebody) || short && greets(text) && text.ends_with([',', ':'])
}

fn is_postscript(text: &str) -> bool {
    starts(text, &["p.s", "ps", "p.p.s", "pps", "p.d", "pd", "n.b", "nb", "追伸"])
}

const FAREWELLS: &[&str] = &[
    "kind regards",
    "best regards",
    "warm regards",
    "warmest regards",
    "with kind regards",
    "with best regards",
    "with warm regards",
    "regards",
    "best",
    "best wishes",
    "all the best",
    "sincerely",
    "yours sincerely",
    "sincerely yours",
    "yours faithfully",
    "yours truly",
    "yours",
    "cheers",
    "respectfully",
    "cordially",
    "warmly",
    "take care",
    "mit freundlichen grüßen",
    "mit freundlichem gruß",
    "freundliche grüße",
    "viele grüße",
    "beste grüße",
    "liebe grüße",
    "herzliche grüße",
    "schöne grüße",
    "mfg",
    "cordialement",
    "bien cordialement",
    "bien à vous",
    "sincères salutations",
    "salutations",
    "un saludo",
    "saludos",
    "atentamente",
    "cordialmente",
    "saludos cordiales",
    "cordiali saluti",
    "atenciosamente",
    "敬具",
    "よろしくお願い",
];

pub(super) fn takes_leave(line: &str) -> bool {
    line.chars().count() <= 60 && starts(line, FAREWELLS)
}

const THANKS: &[&str] = &["thanks", "thank you", "many thanks", "with thanks", "danke", "merci", "gracias"];

/// A farewell, with a name below it or without one.
fn is_sign_off(text: &str) -> bool {
    let lines: Vec<&str> = text.trim().lines().map(str::trim).collect();
    let Some(first) = lines.first() else { return false };
    let short = lines.len() <= 6 && lines.iter().all(|line| line.chars().count() <= 60);
    let thanks = starts(first, THANKS) && (first.ends_with(',') || lines.len() > 1 && lines.last().is_some_and(|last| is_name(last)));
    let bare = first.split_whitespace().count() <= 7;
    short && (starts(first, FAREWELLS) && bare || thanks)
}

/// A line that could be a signature: few words and no sentence.
fn is_name(text: &str) -> bool {
    let text = text.trim();
    text.lines().count() <= 3
        && text.chars().count() <= 60
        && text.split_whitespace().count() <= 6
        && !text.ends_with(['.', '!', '?', ':', ';', '。', '！', '？'])
        && text.starts_with(|c: char| !c.is_lowercase() && (c.is_alphabetic() || c == '[' || c == '-' || c == '—' || c == '–'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_is_taken_apart_as_its_reader_would() {
        use Part::*;
        let check = |texts: &[&str], want: &[Part]| assert_eq!(parts(texts), want, "{texts:?}");
        check(
            &["Subject: x", "Hi Dana,", "It left.", "Kind regards,\nMaya", "P.S. Closed."],
            &[Subject, Greeting, Body, SignOff, Postscript],
        );
        check(&["Hello, and thanks for writing. It left on Tuesday.", "It is late."], &[Body, Body]);
        check(&["Dear Sam,", "It left.", "Thanks for taking this over!\nLena"], &[Greeting, Body, SignOff]);
        check(&["Dear Sam,", "It left.", "Kind regards,", "Maya", "Billing team"], &[Greeting, Body, SignOff, SignOff, SignOff]);
        check(&["It left.", "Thank you for your patience."], &[Body, Body]);
        check(&["# T\n\nIt left.", "- a\n- b", "| a | b |\n|---|---|", "```\nx\n```"], &[Body, List, Table, Code]);
        check(&["佐藤様", "届きました。", "サポートチーム　田中"], &[Greeting, Body, SignOff]);
        check(&[], &[]);
    }
}
