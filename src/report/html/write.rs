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
        let special = |c: char| matches!(c, '&' | '<' | '>' | '"' | '\'') || (is_unsafe(c) && !matches!(c, '\n' | '\t'));
        let mut rest = text;
        while let Some(at) = rest.find(special) {
            let (plain, tail) = rest.split_at(at);
            self.out.push_str(plain);
            let mut chars = tail.chars();
            match chars.next() {
                Some('&') => self.out.push_str("&amp;"),
                Some('<') => self.out.push_str("&lt;"),
                Some('>') => self.out.push_str("&gt;"),
                Some('"') => self.out.push_str("&quot;"),
                Some('\'') => self.out.push_str("&#39;"),
                Some('\r') => self.out.push_str("&#13;"),
                Some(c @ ('\u{2028}' | '\u{2029}')) => self.out.push(c),
                Some(c) => self.out.extend(c.escape_default()),
                None => {}
            }
            rest = chars.as_str();
        }
        self.out.push_str(rest);
    }
}

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
    }
}
