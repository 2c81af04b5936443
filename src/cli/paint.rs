//! Colour on a terminal: when, and which.

use std::io::IsTerminal;

use crate::progress::{is_dumb, no_colour};
use crate::report::grid::Style;

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum When {
    Auto,
    Always,
    Never,
}

/// Paints text with ANSI codes, or leaves it as it is.
#[derive(Debug, Clone, Copy)]
pub struct Paint {
    on: bool,
}

impl Paint {
    /// For text that goes to standard output.
    pub fn stdout(when: When) -> Paint {
        let auto = std::io::stdout().is_terminal() && !no_colour() && !is_dumb();
        Paint { on: when == When::Always || (when == When::Auto && auto) }
    }

    /// For renderers that set whole lines apart.
    pub fn style(self) -> Style {
        if self.on { Style { bold: "\x1b[1m", dim: "\x1b[2m", reset: "\x1b[0m" } } else { Style::default() }
    }

    fn code(self, code: &str, text: &str) -> String {
        if self.on && !text.is_empty() { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    pub fn bold(self, text: &str) -> String {
        self.code("1", text)
    }

    pub fn dim(self, text: &str) -> String {
        self.code("2", text)
    }

    /// Text that went: red and struck through, or in `[-...-]` where there is no colour.
    pub fn deleted(self, text: &str) -> String {
        if self.on { self.code("31;9", text) } else { format!("[-{text}-]") }
    }

    /// Text that came: green and underlined, or in `{+...+}`.
    pub fn inserted(self, text: &str) -> String {
        if self.on { self.code("32;4", text) } else { format!("{{+{text}+}}") }
    }

    /// Text that is pointed at: reversed, or in `>>...<<`.
    pub fn marked(self, text: &str) -> String {
        match (self.on, text.is_empty()) {
            (_, true) => String::new(),
            (true, _) => self.code("7", text),
            (false, _) => format!(">>{text}<<"),
        }
    }

    pub fn good(self, text: &str) -> String {
        self.code("32", text)
    }

    pub fn bad(self, text: &str) -> String {
        self.code("31", text)
    }

    pub fn warn(self, text: &str) -> String {
        self.code("33", text)
    }
}
