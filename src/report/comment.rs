//! Markdown for a comment on a pull request, with a mark by which a bot finds its comment again.

use super::digest::{self, Extent};
use super::{Files, Renderer, Report};

pub struct Comment;

/// What GitHub takes for a comment. It counts characters; UTF-16 code units are never fewer.
const UNITS_MAX: usize = 65_536;

impl Renderer for Comment {
    fn name(&self) -> &'static str {
        "comment"
    }

    fn about(&self) -> &'static str {
        "Markdown for a comment on a pull request, at most 65,536 characters, with a hidden mark"
    }

    fn render(&self, report: &Report<'_>) -> Files {
        let extent = Extent { tickets_max: 10, diff_chars_max: 8000 };
        let units = |text: &str| text.encode_utf16().count();
        vec![("comment.md".to_owned(), digest::render(report, &marker(report.name), &extent, UNITS_MAX, units).into_bytes())]
    }
}

/// Not shown, and the same for every report of this name. What could end the comment or look like another name is left out of it.
fn marker(name: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '.' { c } else { '-' };
    let name: String = name.chars().take(80).map(safe).collect();
    let name = name.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
    format!("<!-- redraft:{name} -->\n")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{HOSTILE, parts};
    use super::*;

    #[test]
    fn a_bot_finds_its_comment_by_the_first_line() {
        for (name, want) in [
            ("nightly", "<!-- redraft:nightly -->\n"),
            ("a b--> <script>", "<!-- redraft:a-b-script -->\n"),
            ("Set_1.x/arm", "<!-- redraft:Set_1.x-arm -->\n"),
        ] {
            assert_eq!(marker(name), want);
        }
        let parts = parts("");
        let text = String::from_utf8(Comment.render(&parts.report()).remove(0).1).unwrap();
        assert!(text.starts_with("<!-- redraft:nightly -->\n## ❌ REGRESSED\n"), "{text}");
    }

    #[test]
    fn a_comment_fits_whatever_it_holds() {
        for text in HOSTILE {
            let mut parts = parts(&text.repeat(40));
            let many: Vec<_> = parts.comparison.setup.changed.iter().cycle().take(200).cloned().collect();
            parts.comparison.setup.changed = many;
            let text = String::from_utf8(Comment.render(&parts.report()).remove(0).1).unwrap();
            assert!(text.encode_utf16().count() <= UNITS_MAX);
        }
    }
}
