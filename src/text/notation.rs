//! What sets a quotation apart from the text it was found as, where anchoring took the two for the same.

use super::normal::{folded, is_dropped, normalise};

/// One way in which two texts of the same words may differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Space,
    Quotes,
    Dashes,
    Ellipsis,
    Unseen,
}

impl Kind {
    const ALL: [(Kind, &'static str); 5] = [
        (Kind::Space, "white space"),
        (Kind::Quotes, "quotation marks"),
        (Kind::Dashes, "dashes"),
        (Kind::Ellipsis, "ellipsis"),
        (Kind::Unseen, "invisible characters"),
    ];
}

/// The names of what differs: `white space`, `quotation marks`, `dashes`, `ellipsis`, `invisible characters`; `accents` where the same letters
/// are composed another way; `ends` where one text has marks around it that the other lacks; `letter case`; `words` where the words differ. None for the same bytes.
pub fn difference(quote: &str, found: &str) -> Vec<&'static str> {
    if quote == found {
        return vec![];
    }
    let same = |but: Option<Kind>| fold(quote, but) == fold(found, but);
    let needed = || Kind::ALL.iter().filter(|(kind, _)| !same(Some(*kind))).map(|(_, name)| *name);
    if same(None) {
        let kinds: Vec<&str> = needed().collect();
        // Two kinds may stand for the same difference: then neither is needed alone, and blanks at the ends are the last to differ.
        return if kinds.is_empty() { vec!["white space"] } else { kinds };
    }
    let [quote, found] = [quote, found].map(|text| normalise(text).trim().to_owned());
    if quote == found {
        return vec!["accents"];
    }
    let bare = |text: &str| text.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    match [&quote, &found].map(|text| bare(text)) {
        [quote, found] if quote == found => vec!["ends"],
        [quote, found] if quote.to_lowercase() == found.to_lowercase() => vec!["letter case"],
        _ => vec!["words"],
    }
}

/// The text with every kind of notation made one, but for one kind.
fn fold(text: &str, but: Option<Kind>) -> String {
    let does = |kind: Kind| but != Some(kind);
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            _ if is_dropped(c) && does(Kind::Unseen) => {}
            _ if c.is_whitespace() && does(Kind::Space) => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            _ => match folded(c) {
                Some("-") if does(Kind::Dashes) => out.push('-'),
                Some("...") if does(Kind::Ellipsis) => out.push_str("..."),
                Some(quote @ ("'" | "\"")) if does(Kind::Quotes) => out.push_str(quote),
                _ => out.push(c),
            },
        }
    }
    if does(Kind::Space) { out.trim().to_owned() } else { out }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_differs_has_a_name() {
        let check = |quote: &str, found: &str, want: &[&str]| {
            assert_eq!(difference(quote, found), want, "{quote:?} {found:?}");
            assert_eq!(difference(found, quote), want, "{found:?} {quote:?}");
        };
        check("the fee", "the fee", &[]);
        check("the fee", "the\u{a0}\n fee", &["white space"]);
        check("the fee ", "the fee", &["white space"]);
        check("\"$0.12\"", "\u{201c}$0.12\u{201d}", &["quotation marks"]);
        check("3-5 don't", "3\u{2013}5 don\u{2019}t", &["quotation marks", "dashes"]);
        check("so... on", "so\u{2026} on", &["ellipsis"]);
        check("workspace", "work\u{200b}space", &["invisible characters"]);
        check("caf\u{e9}", "cafe\u{301}", &["accents"]);
        check("the fee.", "the fee", &["ends"]);
        check("\"the fee\"", "the fee", &["ends"]);
        check("The fee.", "the fee", &["letter case"]);
        check("the fee is due", "the fees are due", &["words"]);
        check("", "a", &["words"]);
        check("", "\u{200b} ", &["white space", "invisible characters"]);
    }

    proptest! {
        #[test]
        fn texts_that_differ_say_in_what(a in "[a.'\u{2019}\u{2014} -\u{a0}\u{200b}\u{e9}\u{2026}]{0,8}", b in "[a.'\u{2019}\u{2014} -\u{a0}\u{200b}\u{e9}\u{2026}]{0,8}") {
            prop_assert_eq!(difference(&a, &b).is_empty(), a == b);
            prop_assert_eq!(difference(&a, &b), difference(&b, &a));
        }
    }
}
