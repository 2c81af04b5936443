//! A drawing as plain data: shapes in pixels of the finished picture, in painting order, and groups that only SVG shows.

use super::paint::text_width;
use crate::report::grid::escape_terminal;

pub type Rgb = (u8, u8, u8);
pub type At = (f64, f64);

pub const INK: Rgb = (0x1f, 0x29, 0x37);
pub const MUTED: Rgb = (0x57, 0x60, 0x6e);
pub const FRAME: Rgb = (0x9a, 0xa3, 0xaf);
pub const FAINT: Rgb = (0xe5, 0xe8, 0xec);
pub const WHITE: Rgb = (0xff, 0xff, 0xff);

/// The side of a text that stands at its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Start,
    Middle,
    End,
}

/// One thing to paint. Each but the groups becomes exactly one element of an SVG.
#[derive(Debug, Clone)]
pub enum Shape {
    /// The attributes of an SVG group, already escaped, and what a pointer resting on it reads.
    Open {
        attributes: String,
        hint: Option<String>,
    },
    Close,
    Box {
        from: At,
        to: At,
        colour: Rgb,
    },
    Path {
        points: Vec<At>,
        colour: Rgb,
        alpha: f64,
        width: f64,
    },
    Area {
        points: Vec<At>,
        colour: Rgb,
        alpha: f64,
    },
    Disc {
        centre: At,
        radius: f64,
        colour: Rgb,
    },
    /// `at` is on the base line; `em` the font size in pixels; `text` has passed [`clean`].
    Text {
        at: At,
        em: f64,
        side: Side,
        colour: Rgb,
        text: String,
    },
}

/// A picture: its size in pixels, its shapes, and what a screen reader says of it.
#[derive(Debug, Clone)]
pub struct Scene {
    pub id: String,
    pub title: String,
    pub description: String,
    pub width: f64,
    pub height: f64,
    pub shapes: Vec<Shape>,
}

impl Scene {
    pub fn open(&mut self, attributes: String, hint: Option<String>) {
        self.shapes.push(Shape::Open { attributes, hint });
    }

    pub fn close(&mut self) {
        self.shapes.push(Shape::Close);
    }

    pub fn text(&mut self, at: At, em: f64, side: Side, colour: Rgb, text: impl Into<String>) {
        self.shapes.push(Shape::Text { at, em, side, colour, text: text.into() });
    }

    pub fn line(&mut self, points: Vec<At>, colour: Rgb, width: f64) {
        self.shapes.push(Shape::Path { points, colour, alpha: 1.0, width });
    }
}

/// Text of others made fit for a picture: visible escapes for control and bidirectional override characters, line breaks as spaces, and
/// nothing that XML 1.0 forbids (section 2.2; U+FFFE and U+FFFF are what remains after the escapes).
pub fn clean(text: &str) -> String {
    escape_terminal(text.trim()).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

/// Cleaned text as XML character data or attribute value.
pub fn xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The longest beginning of the text that fits `width` pixels, with an ellipsis where something was left out.
pub fn fit(text: &str, em: f64, width: f64) -> String {
    // No glyph that is seen is narrower than a fifth of its size: a text of a thousand pages is not measured in full.
    let enough = (width / em * 5.0).max(8.0) as usize;
    let mut head: Vec<&str> = unicode_segmentation::UnicodeSegmentation::graphemes(text, true).take(enough + 1).collect();
    if head.len() <= enough && text_width(text, em) <= width {
        return text.to_owned();
    }
    while let Some(last) = head.pop() {
        let shown = head.concat();
        if last.len() > 64 {
            continue; // a stack of combining marks is no letter
        }
        let shown = format!("{}\u{2026}", shown.trim_end());
        if text_width(&shown, em) <= width {
            return shown;
        }
    }
    "\u{2026}".to_owned()
}
