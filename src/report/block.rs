//! A table with its words, for a terminal and as Markdown: whoever makes one says what stands in it once.

use std::fmt::Write;

use super::grid::{self, Align, Column, Style, escape_terminal};
use super::markdown::prose;

/// A heading, what is to be known before, a table, what is to be known after. All of it is plain text, which may hold texts of others.
#[derive(Debug, Clone, Default)]
pub struct Block {
    pub title: String,
    pub lead: Vec<String>,
    pub columns: Vec<(String, Align)>,
    pub rows: Vec<Vec<String>>,
    pub notes: Vec<String>,
}

/// The width of a cell beyond which a terminal shows its beginning alone.
const CELL_MAX: usize = 72;

pub fn text(blocks: &[Block], style: Style) -> String {
    let Style { bold, reset, .. } = style;
    let mut out = String::new();
    for (i, block) in blocks.iter().enumerate() {
        let gap = if i > 0 { "\n" } else { "" };
        // Writing into a String cannot fail, so its results are not looked at here.
        let _ = writeln!(out, "{gap}{bold}{}{reset}", escape_terminal(&block.title));
        for line in &block.lead {
            let _ = writeln!(out, "{}", escape_terminal(line));
        }
        if !block.rows.is_empty() {
            let column = |(head, align): &(String, Align)| Column { head: head.clone(), align: *align, width_max: Some(CELL_MAX) };
            let columns: Vec<Column> = block.columns.iter().map(column).collect();
            let rows: Vec<Vec<grid::Cell>> = block.rows.iter().map(|row| row.iter().map(|cell| cell.as_str().into()).collect()).collect();
            out.push_str(&grid::render(&columns, &rows));
        }
        for line in &block.notes {
            let _ = writeln!(out, "  {}", escape_terminal(line));
        }
    }
    out
}

pub fn markdown(blocks: &[Block]) -> String {
    let mut out = String::new();
    for (i, block) in blocks.iter().enumerate() {
        let gap = if i > 0 { "\n" } else { "" };
        let _ = writeln!(out, "{gap}### {}", prose(&block.title));
        for line in &block.lead {
            let _ = writeln!(out, "\n{}", prose(line));
        }
        if !block.rows.is_empty() {
            let heads: Vec<String> = block.columns.iter().map(|(head, _)| prose(head)).collect();
            let sides: Vec<&str> = block.columns.iter().map(|(_, align)| if *align == Align::Right { "--:" } else { "---" }).collect();
            let _ = writeln!(out, "\n| {} |\n| {} |", heads.join(" | "), sides.join(" | "));
            for row in &block.rows {
                let cells: Vec<String> = row.iter().map(|cell| prose(cell)).collect();
                let _ = writeln!(out, "| {} |", cells.join(" | "));
            }
        }
        if !block.notes.is_empty() {
            out.push('\n');
        }
        for line in &block.notes {
            let _ = writeln!(out, "- {}", prose(line));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::testing::HOSTILE;
    use super::*;

    #[test]
    fn texts_of_others_stay_in_their_place() {
        for hostile in HOSTILE {
            let block = Block {
                title: format!("t{hostile}"),
                lead: vec![format!("l{hostile}")],
                columns: vec![(format!("c{hostile}"), Align::Left), ("n".into(), Align::Right)],
                rows: vec![vec![format!("r{hostile}"), "1".into()]],
                notes: vec![format!("n{hostile}")],
            };
            let blocks = [block];
            for shown in [text(&blocks, Style::default()), markdown(&blocks)] {
                assert!(!shown.chars().any(|c| c != '\n' && crate::text::control::is_unsafe(c)), "{shown:?}");
                assert!(!shown.contains("##[error]"), "{shown:?}");
            }
            assert!(!markdown(&blocks).contains("<img"));
            assert_eq!(text(&blocks, Style::default()).lines().count(), 6);
            assert_eq!(markdown(&blocks).lines().count(), 9);
        }
    }
}
