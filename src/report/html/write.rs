//! HTML as it is written: tags and attribute names are ours, text and attribute values may be anybody's and are escaped on the way in.

use crate::text::control::is_unsafe;

/// A page in the making.
#[derive(Default)]
pub struct Page {
    out: String,
}

/// Names are part of this program, never data; values may be anything.
pub type Attributes<'a> = &'a [(&'static str, &'a str)];

impl Page {
    /// An element with whatever `inside` writes.
    pub fn el(&mut self, tag: &'static str, attributes: Attributes<'_>, inside: impl FnOnce(&mut Page)) {
        self.open(tag, attributes);
        inside(self);
        self.out.push_str("</");
        self.out.push_str(tag);
        self.out.push('>');
    }

    /// An element that holds a text and nothing else.
    pub fn put(&mut self, tag: &'static str, attributes: Attributes<'_>, text: &str) {
        self.el(tag, attributes, |page| page.text(text));
    }

    /// An element that holds nothing and has no end.
    pub fn open(&mut self, tag: &'static str, attributes: Attributes<'_>) {
        self.out.push('<');
        self.out.push_str(tag);
        for (name, value) in attributes {
            self.out.push(' ');
            self.out.push_str(name);
            if !value.is_empty() {
                self.out.push_str("=\"");
                self.escaped(value);
                self.out.push('"');
            }
        }
        self.out.push('>');
    }

    /// Text of anybody.
    pub fn text(&mut self, text: &str) {
        self.escaped(text);
    }

    /// A line end of the file, for people who read the source and for tools that compare lines.
    pub fn line(&mut self) {
        self.out.push('\n');
    }

    /// Markup of our own: style, script and pictures.
    pub fn own(&mut self, markup: &str) {
        self.out.push_str(markup);
    }

    pub fn bytes(&self) -> usize {
        self.out.len()
    }

    pub fn finish(self) -> String {
        self.out
    }

    /// What HTML reads as markup becomes references. Characters that steer instead of being seen become visible escapes, as everywhere; a line
    /// separator stays, for HTML shows it as any other blank.
    fn escaped(&mut self, text: &str) {
        let mut from = 0;
        let mut at = 0;
        let bytes = text.as_bytes();
        while let Some(next) = bytes.iter().skip(at).position(|byte| LOOK[usize::from(*byte)]) {
            at += next;
            // Every byte of the table begins a character.
            let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else { break };
            if is_special(c) {
                self.out.push_str(text.get(from..at).unwrap_or_default());
                self.special(c);
                from = at + c.len_utf8();
            }
            at += c.len_utf8();
        }
        self.out.push_str(text.get(from..).unwrap_or_default());
    }

    fn special(&mut self, c: char) {
        match c {
            '&' => self.out.push_str("&amp;"),
            '<' => self.out.push_str("&lt;"),
            '>' => self.out.push_str("&gt;"),
            '"' => self.out.push_str("&quot;"),
            '\'' => self.out.push_str("&#39;"),
            '\r' => self.out.push_str("&#13;"),
            c => self.out.extend(c.escape_default()),
        }
    }
}

fn is_special(c: char) -> bool {
    match c {
        '&' | '<' | '>' | '"' | '\'' => true,
        '\n' | '\t' | '\u{2028}' | '\u{2029}' => false,
        c => is_unsafe(c),
    }
}

/// Bytes that may begin a special character: a page is mostly others.
const LOOK: [bool; 256] = {
    let mut look = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        // 0xc2 begins the controls beyond ASCII, 0xe2 the marks of direction.
        look[byte] = byte < 0x20 || matches!(byte as u8, b'&' | b'<' | b'>' | b'"' | b'\'' | 0x7f | 0xc2 | 0xe2);
        byte += 1;
    }
    look
};

/// A text as part of an address or an id: everything but letters, digits and `-._~` of ASCII as percent escapes (RFC 3986, section 2).
pub fn fragment(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(text: &str) -> String {
        let mut page = Page::default();
        page.put("b", &[("title", text), ("hidden", "")], text);
        page.finish()
    }

    #[test]
    fn text_of_others_is_text() {
        for (text, want) in [
            ("plain", "plain"),
            ("</b><script>", "&lt;/b&gt;&lt;script&gt;"),
            ("\" onload='x'", "&quot; onload=&#39;x&#39;"),
            ("&amp; a&b", "&amp;amp; a&amp;b"),
            ("two\nlines\tand\r\nmore", "two\nlines\tand&#13;\nmore"),
            ("\u{1b}[31m\u{0}\u{202e}x\u{2028}y", "\\u{1b}[31m\\u{0}\\u{202e}x\u{2028}y"),
        ] {
            assert_eq!(written(text), format!("<b title=\"{want}\" hidden>{want}</b>"), "{text:?}");
        }
    }

    #[test]
    fn a_fragment_is_one_word_of_safe_characters() {
        for (text, want) in [("cb-001", "cb-001"), ("a b&c=d", "a%20b%26c%3Dd"), ("é", "%C3%A9"), ("<x>\"", "%3Cx%3E%22")] {
            assert_eq!(fragment(text), want);
        }
    }

    proptest! {
        #[test]
        fn no_text_opens_a_tag_or_leaves_its_attribute(text in "[<>&\"'a= \n\r\\x00-\\x1f\u{202e}é]{0,12}") {
            let page = written(&text);
            prop_assert_eq!(page.matches('<').count(), 2);
            prop_assert_eq!(page.matches('>').count(), 2);
            prop_assert_eq!(page.matches('"').count(), 2 * usize::from(!text.is_empty()));
        }

        #[test]
        fn what_steers_is_found_wherever_it_stands(text in "[a<\u{80}-\u{a0}\u{2020}-\u{2070}\u{e000}é]{0,8}") {
            let mut page = Page::default();
            page.text(&text);
            let naive: String = text.chars().map(|c| match c {
                '<' => "&lt;".to_owned(),
                '\u{2028}' | '\u{2029}' => c.to_string(),
                c if is_unsafe(c) => c.escape_default().to_string(),
                c => c.to_string(),
            }).collect();
            prop_assert_eq!(page.finish(), naive);
        }
    }
}
