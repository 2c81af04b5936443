//! Text of others inside a Markdown table: one cell stays one cell, and nothing in it becomes markup that loads or runs.

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
    }
}
