//! Text of others inside Markdown: a cell stays a cell, a line stays a line, and nothing in it becomes markup, loads, runs, or calls somebody.

use super::grid::escape_terminal;

/// A cell of a Markdown table.
///
/// A line break becomes a space, `\` is doubled and `|` escaped (also inside back-ticks: the table is split before code is recognised), `<`
/// becomes `&lt;`, and text that looks like a character reference is kept from being one. Images and inline links are defused. Control and
/// bidirectional override characters are shown as escapes, for Markdown is read in terminals too. Back-ticks and emphasis pass.
pub fn markdown_cell(text: &str) -> String {
    let text = escape_terminal(text);
    let mut out = String::with_capacity(text.len() + 8);
    let mut before = '\0';
    for (at, c) in text.char_indices() {
        match c {
            '\\' => out.push_str("\\\\"),
            '|' => out.push_str("\\|"),
            '<' => out.push_str("&lt;"),
            '&' if starts_reference(&text[at + 1..]) => out.push_str("&amp;"),
            '[' if before == '!' => out.push_str("\\["),
            '(' if before == ']' => out.push_str("\\("),
            _ => out.push(c),
        }
        before = c;
    }
    out
}

/// True for `amp;`, `#60;`, `#x3c;` and the like: what HTML would read as a character after an ampersand.
fn starts_reference(rest: &str) -> bool {
    let name = rest.strip_prefix('#').unwrap_or(rest);
    let end = name.bytes().take_while(u8::is_ascii_alphanumeric).count();
    end > 0 && name.as_bytes().get(end) == Some(&b';')
}

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
    fn labels_stay_in_their_cell() {
        let labels: Vec<String> = serde_json::from_str(include_str!("../../tests/data/report/H03-width-pipes/labels.json")).unwrap();
        let cells: Vec<String> = labels.iter().map(|label| markdown_cell(label)).collect();
        assert_eq!(cells, [r"tone\|style", "two lines", r"`code \| x`", r"a\\\|b"]);
    }

    #[test]
    fn markup_of_others_is_text() {
        for (text, want) in [
            ("<script>alert(1)</script>", "&lt;script>alert(1)&lt;/script>"),
            ("&lt;b&gt; AT&T &#60; a&b", "&amp;lt;b&amp;gt; AT&T &amp;#60; a&b"),
            ("![x](http://a/b)", r"!\[x]\(http://a/b)"),
            ("a\r\nb\tc\u{1b}[31m", r"a b\\tc\\u{1b}[31m"),
            ("\u{202e}gnp", r"\\u{202e}gnp"),
            ("", ""),
        ] {
            assert_eq!(markdown_cell(text), want, "{text:?}");
        }
    }

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
        fn no_text_breaks_a_row(text in "[\\\\|<&a`\n\r\u{202e}!\\[\\]()]{0,12}") {
            let cell = markdown_cell(&text);
            prop_assert_eq!(bare_pipes(&cell), 0);
            let broken = cell.contains(['\n', '\r', '<', '\u{202e}']);
            prop_assert!(!broken);
        }

        #[test]
        fn no_text_leaves_its_line(text in "[\\\\|<&a`\n\r@#1!\\[\\]()f:w.$-]{0,16}") {
            let line = prose(&text);
            let bare = regex::Regex::new(r"[@#!][0-9a-z]|(^|[^\\])[`|\[\]]|[\n\r]|<[^s/]|://|www\.|(^|[^&;0-9a-z])[0-9a-f]{7}").unwrap();
            prop_assert!(!bare.is_match(&line.replace("\\\\", "\u{2216}").replace(BREAK, "\u{200b}")), "{}", line);
            let span = code(&text);
            prop_assert!(!span.contains(['\n', '\r']));
            let fence = span.bytes().take_while(|b| *b == b'`').count();
            prop_assert!(text.is_empty() || !span[fence..span.len() - fence].contains(&"`".repeat(fence)));
        }
    }
}
