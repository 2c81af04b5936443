//! Text tables for the terminal: columns that line up whatever the script, and cells that cannot steer the terminal.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::text::control::is_unsafe;

const SEPARATOR: &str = " | ";
const RULE_SEPARATOR: &str = "-+-";
const ELLIPSIS: char = '\u{2026}';
const RESET: &str = "\u{1b}[0m";

/// Bold and dim, or nothing: the caller knows whether there is a terminal.
#[derive(Clone, Copy, Default)]
pub struct Style {
    pub bold: &'static str,
    pub dim: &'static str,
    pub reset: &'static str,
}

/// On which side of its column a cell stands: words left, numbers right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
}

/// A column: its head, its side, and the width in terminal columns beyond which a cell is shortened.
#[derive(Debug, Clone)]
pub struct Column {
    pub head: String,
    pub align: Align,
    pub width_max: Option<usize>,
}

impl Column {
    pub fn left(head: &str) -> Column {
        Column { head: head.to_owned(), align: Align::Left, width_max: None }
    }

    pub fn right(head: &str) -> Column {
        Column { head: head.to_owned(), align: Align::Right, width_max: None }
    }

    /// Cells wider than `columns` end in an ellipsis.
    pub fn at_most(self, columns: usize) -> Column {
        Column { width_max: Some(columns), ..self }
    }
}

/// One cell. `colour` is the ANSI sequence that opens it (such as `"\x1b[31m"`): whoever prints decides whether there is colour at all.
#[derive(Debug, Clone, Default)]
pub struct Cell {
    pub text: String,
    pub colour: Option<&'static str>,
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Cell {
        Cell { text: text.into(), colour: None }
    }
}

/// The table as text, one line per row, no blanks at line ends. Without any head (all empty) there is no header and no rule. A row may be
/// shorter than the columns (its cells are then empty); cells beyond the last column are left out.
pub fn render(columns: &[Column], rows: &[Vec<Cell>]) -> String {
    let has_head = columns.iter().any(|column| !column.head.is_empty());
    let head: Vec<Cell> = columns.iter().map(|column| column.head.as_str().into()).collect();
    let lines: Vec<Vec<Shown>> = has_head
        .then_some(&head)
        .into_iter()
        .chain(rows)
        .map(|row| columns.iter().zip(row).map(|(c, cell)| shown(cell, c)).collect())
        .collect();
    let mut widths = vec![0; columns.len()];
    for line in &lines {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = (*width).max(cell.width);
        }
    }
    let mut out = String::new();
    for (at, line) in lines.iter().enumerate() {
        push_line(&mut out, columns, &widths, line);
        if has_head && at == 0 {
            let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
            out.push_str(&rule.join(RULE_SEPARATOR));
            out.push('\n');
        }
    }
    out
}

/// A cell ready to be placed: escaped, shortened, measured.
struct Shown<'a> {
    text: Cow<'a, str>,
    width: usize,
    colour: Option<&'static str>,
}

fn shown<'a>(cell: &'a Cell, column: &Column) -> Shown<'a> {
    let text = escape_terminal(&cell.text);
    let text = match column.width_max {
        Some(limit) if width(&text) > limit => Cow::Owned(shorten(&text, limit)),
        _ => text,
    };
    Shown { width: width(&text), text, colour: cell.colour }
}

fn push_line(out: &mut String, columns: &[Column], widths: &[usize], line: &[Shown]) {
    let start = out.len();
    for (at, (column, &wanted)) in columns.iter().zip(widths).enumerate() {
        if at > 0 {
            out.push_str(SEPARATOR);
        }
        let (text, taken, colour) = line.get(at).map_or(("", 0, None), |cell| (&*cell.text, cell.width, cell.colour));
        let blanks = wanted.saturating_sub(taken);
        if column.align == Align::Right {
            out.extend(std::iter::repeat_n(' ', blanks));
        }
        match colour {
            Some(colour) if !text.is_empty() => {
                out.push_str(colour);
                out.push_str(text);
                out.push_str(RESET);
            }
            _ => out.push_str(text),
        }
        if column.align == Align::Left {
            out.extend(std::iter::repeat_n(' ', blanks));
        }
    }
    let end = out[start..].trim_end_matches(' ').len() + start;
    out.truncate(end);
    out.push('\n');
}

/// How many columns a terminal gives a text, counted by grapheme cluster: East Asian wide and fullwidth 2, combining marks 0, an emoji with
/// its modifiers 2 (Unicode Standard Annexes 11 and 29). Control characters must have been escaped before.
pub fn width(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.graphemes(true).map(UnicodeWidthStr::width).sum()
}

/// The text cut at a cluster so that it takes at most `limit` columns, the ellipsis that then ends it included.
fn shorten(text: &str, limit: usize) -> String {
    if width(text) <= limit {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut taken = 1;
    for cluster in text.graphemes(true) {
        taken += UnicodeWidthStr::width(cluster);
        if taken > limit {
            break;
        }
        out.push_str(cluster);
    }
    if limit > 0 {
        out.push(ELLIPSIS);
    }
    out
}

/// Text of others made safe to print: a line break (CR LF, LF, CR, NEL, U+2028, U+2029) becomes one space; other control characters, escape
/// sequences included, and the bidirectional overrides and isolates (U+202A-202E, U+2066-2069) become visible escapes such as `\u{1b}`.
/// `##[` and `##vso[` are parted: a CI runner obeys what follows them, wherever in a line of its log they stand; and `::`, where a line begins.
pub fn escape_terminal(text: &str) -> Cow<'_, str> {
    for (command, parted) in [("##[", "## ["), ("##vso[", "## vso[")] {
        if text.contains(command) {
            return Cow::Owned(escape_terminal(&text.replace(command, parted)).into_owned());
        }
    }
    // The runner looks behind the blanks that a line begins with.
    let trimmed = text.trim_start();
    if let Some(rest) = trimmed.strip_prefix("::") {
        let blanks = text.strip_suffix(trimmed).unwrap_or_default();
        return Cow::Owned(escape_terminal(&format!("{blanks}: :{rest}")).into_owned());
    }
    if !text.chars().any(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' => {
                chars.next_if_eq(&'\n');
                out.push(' ');
            }
            '\n' | '\u{85}' | '\u{2028}' | '\u{2029}' => out.push(' '),
            _ if is_unsafe(c) => out.extend(c.escape_default()),
            _ => out.push(c),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn titles() -> Vec<String> {
        serde_json::from_str(include_str!("../../tests/data/report/H03-width-pipes/titles.json")).unwrap()
    }

    #[test]
    fn widths_are_those_of_a_terminal() {
        let widths: Vec<usize> = titles().iter().map(|title| width(title)).collect();
        assert_eq!(widths, [6, 8, 9, 5]);
        for (text, want) in [("", 0), ("\u{1f1e9}\u{1f1ea}", 2), ("\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}", 2), ("한글", 4), ("ａ", 2)]
        {
            assert_eq!(width(text), want, "{text}");
        }
    }

    #[test]
    fn columns_line_up_after_wide_text() {
        let rows: Vec<Vec<Cell>> = titles().into_iter().zip(["3", "12", "0", "7"]).map(|(title, n)| vec![title.into(), n.into()]).collect();
        let table = render(&[Column::left(""), Column::left("")], &rows);
        let want = ["Refund    | 3", "退款问题  | 12", "caf\u{e9} cafe\u{301} | 0", "\u{1f44d}\u{1f3fd} ok     | 7"];
        assert_eq!(table.lines().collect::<Vec<_>>(), want);
    }

    #[test]
    fn a_header_has_a_rule_and_numbers_stand_right() {
        let rows = vec![
            vec!["arm \u{1b}[2Jone".into(), Cell { text: "9.5".into(), colour: Some("\u{1b}[31m") }],
            vec!["a very long name indeed".into(), "10.25".into(), "beyond".into()],
            vec!["short".into()],
        ];
        let table = render(&[Column::left("arm").at_most(16), Column::right("mean")], &rows);
        let want = [
            "arm              |  mean",
            "-----------------+------",
            "arm \\u{1b}[2Jone |   \u{1b}[31m9.5\u{1b}[0m",
            "a very long nam\u{2026} | 10.25",
            "short            |",
        ];
        assert_eq!(table.lines().collect::<Vec<_>>(), want);
        assert_eq!(render(&[], &[]), "");
    }

    #[test]
    fn cells_cannot_steer_the_terminal() {
        for (text, want) in [
            ("plain", "plain"),
            ("two\r\nlines\nand\rmore\u{2028}x\u{85}y", "two lines and more x y"),
            ("\u{1b}[31mred\u{7}", "\\u{1b}[31mred\\u{7}"),
            ("tab\there\0", "tab\\there\\u{0}"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("a\u{202e}b\u{2066}c", "a\\u{202e}b\\u{2066}c"),
            ("###[error]x\n##[debug]y", "### [error]x ## [debug]y"),
            ("a ##vso[task.complete]", "a ## vso[task.complete]"),
            ("::error::x", ": :error::x"),
            ("\n\u{2003}::::x", " \u{2003}: :::x"),
            ("a::b", "a::b"),
        ] {
            assert_eq!(escape_terminal(text), want, "{text:?}");
        }
        assert!(matches!(escape_terminal("caf\u{e9}"), Cow::Borrowed(_)));
    }

    #[test]
    fn shortening_never_cuts_a_cluster() {
        for (text, limit, want) in [
            ("退款问题", 5, "退款…"),
            ("退款问题", 4, "退…"),
            ("cafe\u{301}s", 4, "caf…"),
            ("abc", 3, "abc"),
            ("abc", 0, ""),
            ("abc", 1, "…"),
        ] {
            assert_eq!(shorten(text, limit), want);
        }
    }

    proptest! {
        #[test]
        fn any_table_has_lines_of_one_shape(cells in prop::collection::vec(prop::collection::vec("\\PC{0,8}|[\\x00-\\x1f]{0,3}", 2), 0..6), limit in 0usize..9) {
            let rows: Vec<Vec<Cell>> = cells.into_iter().map(|row| row.into_iter().map(Cell::from).collect()).collect();
            let table = render(&[Column::left("left").at_most(limit.max(4)), Column::right("r")], &rows);
            prop_assert_eq!(table.lines().count(), rows.len() + 2);
            let first = table.lines().next().map_or(0, |head| head.find('|').unwrap_or(0));
            for line in table.lines().skip(2) {
                prop_assert!(!line.chars().any(is_unsafe));
                let clusters: Vec<&str> = line.graphemes(true).collect();
                let mut at = 0;
                let mut found = false;
                for cluster in clusters {
                    found |= at == first && cluster == "|";
                    at += UnicodeWidthStr::width(cluster);
                }
                prop_assert!(found, "no separator in column {} of {:?}", first, line);
            }
        }

        #[test]
        fn shortened_text_fits(text in "\\PC{0,12}", limit in 0usize..12) {
            prop_assert!(width(&shorten(&text, limit)) <= limit);
        }
    }
}
