//! Text of others inside Markdown: a cell stays a cell, a line stays a line, and nothing in it becomes markup, loads, runs, or calls somebody.

use super::grid::escape_terminal;

/// Stands between a sign and a word, unseen, so that no forge takes the two for a reference.
const BREAK: &str = "&#8203;";

/// One line of prose. Everything is shown as it is written; no markup of its own, no link, no mention (`@name`), no reference (`#12`, `GH-12`,
/// `!12`), no closing of an issue, no commit hash, no emoji by name, no formula.
pub fn prose(text: &str) -> String {
    let text = escape_terminal(text);
    let text = text.trim();
    let mut out = String::with_capacity(text.len() + 16);
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let rest = &text[at + c.len_utf8()..];
        let next = rest.chars().next().unwrap_or(' ');
        let (starts_line, refers) = (at == 0, next.is_alphanumeric() || next == '_');
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' => out.extend(['\\', c]),
            '+' | '-' | '=' | '#' if starts_line => out.extend(['\\', c]),
            '.' | ')' if next == ' ' && is_list_number(&text[..at]) => out.extend(['\\', c]),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // A formula starts and ends with it; GitHub's own way to write one that does not.
            '$' => out.push_str("<span>$</span>"),
            _ => out.push(c),
        }
        let breaks = match c {
            '@' | '#' | '!' | '%' => refers,
            '&' => next.is_ascii_digit(),
            ':' => rest.starts_with("//") || is_shortcode(rest),
            '-' => next.is_ascii_digit() && ends_with(&text[..at], "gh"),
            'w' | 'W' => next == '.' && ends_with(&text[..=at], "www"),
            _ => !before.is_alphanumeric() && starts_hash(&text[at..]),
        };
        if breaks {
            out.push_str(BREAK);
        }
        before = c;
    }
    out
}

/// True for what a full stop after it makes an item of a list.
fn is_list_number(text: &str) -> bool {
    (1..10).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())
}

/// A number of our own, in which a dollar sign begins no formula.
pub fn amount(shown: &str) -> String {
    shown.replace('$', "<span>$</span>")
}

/// ASCII letters alone, whatever their case.
fn ends_with(text: &str, end: &str) -> bool {
    text.len() >= end.len() && text.as_bytes()[text.len() - end.len()..].eq_ignore_ascii_case(end.as_bytes())
}

/// True after a colon for `tada:` and the like.
fn is_shortcode(rest: &str) -> bool {
    let end = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'+' | b'-')).count();
    end > 0 && rest.as_bytes().get(end) == Some(&b':')
}

/// True for a word that a forge may take for a commit: 7 to 64 hexadecimal digits.
fn starts_hash(rest: &str) -> bool {
    let digits = rest.bytes().take(65).take_while(u8::is_ascii_hexdigit).count();
    (7..=64).contains(&digits) && !rest[digits..].starts_with(char::is_alphanumeric)
}

/// A code span: nothing in it is markup or a reference, whatever it holds.
pub fn code(text: &str) -> String {
    let text = escape_terminal(text);
    if text.is_empty() {
        return "(empty)".to_owned();
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let edge = |c| c == '`' || c == ' ';
    let pad = if text.starts_with(edge) || text.ends_with(edge) { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Text inside an HTML element: lines and tabs stay, other control characters are shown. What a CI runner would obey, were this printed into its
/// log, is written another way.
pub fn element_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            ':' if out.ends_with(':') => out.push_str("&#58;"),
            '#' if out.ends_with('#') => out.push_str("&#35;"),
            '\n' | '\t' => out.push(c),
            _ if crate::text::control::is_unsafe(c) => out.extend(c.escape_default()),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn prose_calls_nobody_and_links_nothing() {
        for (text, want) in [
            ("ask @someone, see #12 and o/r#7", "ask @&#8203;someone, see #&#8203;12 and o/r#&#8203;7"),
            ("Fixes #12; closes GH-3", "Fixes #&#8203;12; closes GH-&#8203;3"),
            ("resolves https://x.test/o/r/issues/1", "resolves https:&#8203;//x.test/o/r/issues/1"),
            ("www.x.test", "www&#8203;.x.test"),
            ("see deadbeef or 0a1b2c3d4e", "see d&#8203;eadbeef or 0&#8203;a1b2c3d4e"),
            ("abcdefg facade", "abcdefg facade"),
            (
                "<img src=x> & &lt; **b** _i_ `c` [a](b) ~x~ |",
                "&lt;img src=x&gt; &amp; &amp;lt; \\*\\*b\\*\\* \\_i\\_ \\`c\\` \\[a\\](b) \\~x\\~ \\|",
            ),
            ("# head", "\\# head"),
            ("12. item", "12\\. item"),
            ("12.", "12\\."),
            ("5.7 pp worse", "5.7 pp worse"),
            ("--- ", "\\---"),
            (":tada: 10:30", ":&#8203;tada: 10:30"),
            ("a $x$ b", "a <span>$</span>x<span>$</span> b"),
            ("two\nlines \u{1b}[31m", "two lines \\\\u{1b}\\[31m"),
            ("", ""),
        ] {
            assert_eq!(prose(text), want, "{text:?}");
        }
    }

    #[test]
    fn code_holds_any_text() {
        for (text, want) in [
            ("redraft show a b", "`redraft show a b`"),
            ("a`b", "``a`b``"),
            ("``", "``` `` ```"),
            (" x", "`  x `"),
            ("a\n```\nb", "````a ``` b````"),
            ("", "(empty)"),
        ] {
            assert_eq!(code(text), want, "{text:?}");
        }
        assert_eq!(element_text("::error::x\n##[debug]"), ":&#58;error:&#58;x\n#&#35;[debug]");
        assert_eq!(element_text("a </pre><b>\n\t& \u{1b}\r"), "a &lt;/pre&gt;&lt;b&gt;\n\t&amp; \\u{1b}\\r");
    }

    /// How a table is split by GitHub Flavored Markdown, section 4.10: at pipes with no backslash before them, where `\\` is no escape of
    /// the pipe after it only if the row is read left to right.
    fn bare_pipes(cell: &str) -> usize {
        let (mut count, mut escaped) = (0, false);
        for c in cell.chars() {
            count += usize::from(c == '|' && !escaped);
            escaped = c == '\\' && !escaped;
        }
        count
    }

    proptest! {
        #[test]
        fn no_text_leaves_its_line(text in "[\\\\|<&a`\n\r@#1!\\[\\]()f:w.$-]{0,16}") {
            let line = prose(&text);
            prop_assert_eq!(bare_pipes(&line), 0);
            let bare = regex::Regex::new(r"[@#!][0-9a-z]|(^|[^\\])[`|\[\]]|[\n\r]|<[^s/]|://|www\.|(^|[^&;0-9a-z])[0-9a-f]{7}").unwrap();
            prop_assert!(!bare.is_match(&line.replace("\\\\", "\u{2216}").replace(BREAK, "\u{200b}")), "{}", line);
            let span = code(&text);
            prop_assert!(!span.contains(['\n', '\r']));
            let fence = span.bytes().take_while(|b| *b == b'`').count();
            prop_assert!(text.is_empty() || !span[fence..span.len() - fence].contains(&"`".repeat(fence)));
        }
    }
}
