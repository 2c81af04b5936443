//! A drawing as plain data: shapes in pixels of the finished picture, in painting order, and groups that only SVG shows.

use unicode_segmentation::UnicodeSegmentation;

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

/// The text where it fits `width` pixels; else its beginning and its end about an ellipsis, since names that differ often do so in their last word.
pub fn fit(text: &str, em: f64, width: f64) -> String {
    // No glyph that is seen is narrower than a fifth of its size: a text of a thousand pages is not measured in full.
    let enough = (width / em * 5.0).max(8.0) as usize;
    // A stack of combining marks is no letter.
    let letters = || UnicodeSegmentation::graphemes(text, true).filter(|letter| letter.len() <= 64);
    let head: Vec<&str> = letters().take(enough + 1).collect();
    if head.len() <= enough && text_width(text, em) <= width {
        return text.to_owned();
    }
    let mut tail: Vec<&str> = letters().rev().take(enough).collect();
    tail.reverse();
    let cut = |kept: usize| {
        let (first, last) = (kept.div_ceil(2).min(head.len()), (kept / 2).min(tail.len()));
        format!("{}\u{2026}{}", head[..first].concat().trim_end(), tail[tail.len() - last..].concat().trim_start())
    };
    (0..enough.min(head.len())).rev().map(cut).find(|shown| text_width(shown, em) <= width).unwrap_or_else(|| "\u{2026}".to_owned())
}

/// The text on one line where it fits, else on two, broken at a space; what then is too long still is cut.
pub fn wrap(text: &str, em: f64, width: f64) -> Vec<String> {
    let whole = fit(text, em, width);
    if whole == text {
        return vec![whole];
    }
    // A line of more letters than this fits no picture.
    let breaks = text.match_indices(' ').map(|(at, _)| at).take_while(|at| *at < 400);
    let Some(at) = breaks.filter(|at| text_width(&text[..*at], em) <= width).last() else { return vec![whole] };
    vec![text[..at].trim_end().to_owned(), fit(text[at..].trim_start(), em, width)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_keeps_its_end() {
        let [loose, strict] =
            ["loose", "strict"].map(|rule| format!("Untouched-section edits among all revisions of a run ({rule}) (share)"));
        for (width, lines) in [(600.0, 1), (330.0, 2), (120.0, 2)] {
            let [a, b] = [&loose, &strict].map(|title| wrap(title, 12.0, width));
            assert_eq!([a.len(), b.len()], [lines; 2], "{a:?}");
            assert_ne!(a, b);
            assert!(a.iter().chain(&b).all(|line| text_width(line, 12.0) <= width), "{a:?} {b:?}");
        }
        assert_eq!(wrap(&loose, 12.0, 330.0).join(" "), loose, "two lines hold it all");
        for (text, want) in [("Findings", "Findings"), ("abcdefghijklmnopqrstuvwxyz", "abcd\u{2026}xyz"), ("", "")] {
            assert_eq!(fit(text, 12.0, 55.0), want);
        }
        assert_eq!(fit("abc", 12.0, 1.0), "\u{2026}");
    }
}
