//! Words of a critique and of a draft: tokens with their places, stems, and the numbers that words name.

use std::borrow::Cow;

use super::known::{Is, Known};
use crate::model::Span;
use crate::text::bytes::alphanumeric_run;
use crate::text::window::is_unspaced;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Number,
    Mark,
    /// A quoted piece, by its place in the list of quotations.
    Quote(usize),
    /// The end of a line.
    Break,
}

#[derive(Debug, Clone)]
pub(super) struct Token<'t> {
    /// Small letters; a number without thousands marks; possessive endings are off.
    pub low: Cow<'t, str>,
    pub text: &'t str,
    pub at: Span,
    pub kind: Kind,
    /// Of a word or number; nothing is known of anything else.
    pub known: Known,
}

impl Token<'_> {
    pub fn is_any(&self, words: &[&str]) -> bool {
        words.contains(&self.low.as_ref())
    }

    /// A mark is one character.
    pub fn is_mark(&self, marks: &str) -> bool {
        self.kind == Kind::Mark && self.text.chars().next().is_some_and(|mark| marks.contains(mark))
    }

    /// False for what is neither word nor number.
    pub fn is(&self, is: Is) -> bool {
        self.known.is(is)
    }
}

/// The tokens of a text. `quotes` are sorted spans of quoted pieces without their marks; each is one token.
pub(super) fn tokens<'t>(text: &'t str, quotes: &[Span]) -> Vec<Token<'t>> {
    let mut out = Vec::with_capacity(text.len() / 4 + 4);
    pieces(text, quotes, |text, at, kind| {
        let known = if matches!(kind, Kind::Word | Kind::Number) { Known::of(text, kind) } else { Known::default() };
        out.push(Token { low: lowered(text, kind), text, at: Span::new(at, at + text.len()), kind, known });
    });
    out
}

/// The pieces that are tokens, and where each begins.
pub(super) fn pieces<'t>(text: &'t str, quotes: &[Span], mut found: impl FnMut(&'t str, usize, Kind)) {
    let mut at = 0;
    let mut quote = 0;
    while let Some(&b) = text.as_bytes().get(at) {
        while quotes.get(quote).is_some_and(|q| q.start < at) {
            quote += 1;
        }
        if let Some(span) = quotes.get(quote).filter(|q| q.start == at && q.end > at) {
            found(&text[span.start..span.end], at, Kind::Quote(quote));
            (at, quote) = (span.end, quote + 1);
            continue;
        }
        if b == b' ' {
            at += 1;
            continue;
        }
        let rest = &text[at..quotes.get(quote).map_or(text.len(), |q| q.start)];
        let (len, kind) = match b {
            b'\n' => (1, Kind::Break),
            b'0'..=b'9' => number(rest),
            b'a'..=b'z' | b'A'..=b'Z' => (word(rest, char::from(b)), Kind::Word),
            _ => {
                let Some(c) = rest.chars().next() else { break };
                if c.is_whitespace() {
                    at += c.len_utf8();
                    continue;
                }
                if c.is_alphabetic() { (word(rest, c), Kind::Word) } else { (c.len_utf8(), Kind::Mark) }
            }
        };
        found(&rest[..len], at, kind);
        at += len;
    }
}

/// Digits with the marks inside them; with letters behind them it is a word: "2nd", "3SABC".
fn number(rest: &str) -> (usize, Kind) {
    let bytes = rest.as_bytes();
    let mut len = 1;
    while len < bytes.len() {
        let inner = matches!(bytes[len], b'.' | b',') && bytes.get(len + 1).is_some_and(u8::is_ascii_digit);
        if !(bytes[len].is_ascii_digit() || inner) {
            break;
        }
        len += 1;
    }
    match rest[len..].chars().next() {
        Some(c) if c.is_alphabetic() && !is_unspaced(c) => (len + word(&rest[len..], c), Kind::Word),
        _ => (len, Kind::Number),
    }
}

/// Letters and digits with apostrophes and hyphens inside; in scripts without spaces, a run of one kind of letter.
fn word(rest: &str, first: char) -> usize {
    if is_unspaced(first) {
        return rest.find(|c| !is_unspaced(c) || script(c) != script(first)).unwrap_or(rest.len());
    }
    // Nothing but ASCII letters and digits up to a blank or a mark that joins nothing: the common case.
    let plain = alphanumeric_run(rest.as_bytes());
    if rest.as_bytes().get(plain).is_none_or(|b| b.is_ascii() && !matches!(b, b'\'' | b'-')) {
        return plain;
    }
    let mut len = 0;
    let mut chars = rest.chars().peekable();
    while let Some(c) = chars.next() {
        let joins =
            matches!(c, '\'' | '’' | '-' | '‐' | '‑') && len > 0 && chars.peek().is_some_and(|n| n.is_alphanumeric() && !is_unspaced(*n));
        if !(joins || (c.is_alphanumeric() && !is_unspaced(c)) || is_combining(c)) {
            break;
        }
        len += c.len_utf8();
        // French articles and pronouns that lose their vowel are words of their own: "l'introduction".
        if matches!(c, '\'' | '’') && ELIDED.iter().any(|e| rest[..len - c.len_utf8()].eq_ignore_ascii_case(e)) {
            break;
        }
    }
    len
}

const ELIDED: [&str; 8] = ["l", "d", "s", "n", "j", "c", "qu", "m"];

fn is_combining(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

/// Han, Hiragana, Katakana or other: words of Japanese change with the script.
pub(super) fn script(c: char) -> u8 {
    match c {
        '\u{3041}'..='\u{309f}' => 1,
        '\u{30a0}'..='\u{30ff}' => 2,
        '\u{3400}'..='\u{9fff}' | '々' => 3,
        _ => 0,
    }
}

pub(super) fn lowered(piece: &str, kind: Kind) -> Cow<'_, str> {
    match kind {
        Kind::Quote(_) => Cow::Borrowed(""),
        Kind::Number if piece.contains(',') => Cow::Owned(piece.replace(',', "")),
        Kind::Word => {
            let own = piece.strip_suffix("'s").or_else(|| piece.strip_suffix("’s")).unwrap_or(piece);
            if own.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-') {
                Cow::Borrowed(own)
            } else if own.is_ascii() {
                Cow::Owned(own.to_ascii_lowercase())
            } else {
                Cow::Owned(own.to_lowercase().replace('’', "'").replace(['‐', '‑'], "-"))
            }
        }
        _ => Cow::Borrowed(piece),
    }
}

/// Endings that come off a longer word, with how many letters must be left. Rough, and the same on both sides.
const ENDINGS: [(&str, usize); 15] = [
    ("ations", 4),
    ("ation", 4),
    ("ings", 4),
    ("ing", 4),
    ("ed", 4),
    ("ment", 5),
    ("ance", 5),
    ("ally", 4),
    ("ly", 4),
    ("er", 5),
    ("ir", 5),
    ("ar", 5),
    ("en", 5),
    ("ion", 5),
    ("e", 4),
];

/// A number that stands for a word's stem: equal for its plural and for its commoner derivations.
pub(super) fn stem(low: &str) -> u64 {
    if let Some(n) = cardinal(low) {
        return hash(&n.to_string());
    }
    let mut root = low;
    if root.len() >= 4 {
        root = match root.strip_suffix("ies") {
            Some(_) => &root[..root.len() - 2],
            None if ["xes", "ches", "shes", "sses"].iter().any(|e| root.ends_with(e)) => &root[..root.len() - 2],
            None if root.ends_with('s') && !["ss", "us", "is"].iter().any(|e| root.ends_with(e)) => &root[..root.len() - 1],
            None => root,
        };
    }
    let cut = ENDINGS.iter().find_map(|(ending, least)| root.strip_suffix(ending).filter(|left| left.chars().count() >= *least));
    if let Some(left) = cut {
        root = left;
        let mut back = root.chars().rev();
        if let (Some(a), Some(b)) = (back.next(), back.next())
            && a == b
            && a.is_alphabetic()
            && !matches!(a, 'l' | 's')
        {
            root = &root[..root.len() - a.len_utf8()];
        }
        // "cancelled" and "cancel": a double l goes too, but "bill" stays where nothing came off.
        root = root.strip_suffix("ll").map_or(root, |left| &root[..left.len() + 1]);
    }
    match root.strip_suffix('y') {
        Some(head) if !head.is_empty() => join(hash(head), u64::from(b'i')),
        _ => match root.strip_suffix('i') {
            Some(head) if !head.is_empty() => join(hash(head), u64::from(b'i')),
            _ => hash(root),
        },
    }
}

/// FNV-1a: the same on every machine.
pub(super) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| join(h, u64::from(b)))
}

pub(super) fn join(hash: u64, next: u64) -> u64 {
    (hash ^ next).wrapping_mul(0x0000_0100_0000_01b3)
}

/// Small numbers in digits or words.
pub(super) fn cardinal(low: &str) -> Option<usize> {
    #[rustfmt::skip]
    const WORDS: [(&str, usize); 52] = [
        ("acht", 8), ("both", 2), ("cinco", 5), ("cinq", 5), ("couple", 2), ("cuatro", 4), ("deux", 2), ("diez", 10), ("dix", 10),
        ("dos", 2), ("drei", 3), ("eight", 8), ("eighteen", 18), ("eins", 1), ("eleven", 11), ("fifteen", 15), ("five", 5), ("four", 4),
        ("fourteen", 14), ("fünf", 5), ("huit", 8), ("neuf", 9), ("neun", 9), ("nine", 9), ("ninety", 90), ("nueve", 9), ("ocho", 8),
        ("one", 1), ("quatre", 4), ("quince", 15), ("quinze", 15), ("sechs", 6), ("seis", 6), ("sept", 7), ("seven", 7), ("sieben", 7),
        ("siete", 7), ("six", 6), ("sixteen", 16), ("sixty", 60), ("ten", 10), ("thirteen", 13), ("thirty", 30), ("three", 3),
        ("tres", 3), ("trois", 3), ("twelve", 12), ("twenty", 20), ("two", 2), ("vier", 4), ("zehn", 10), ("zwei", 2),
    ];
    if low.as_bytes().first().is_some_and(u8::is_ascii_digit) {
        return low.parse().ok();
    }
    WORDS.binary_search_by(|(word, _)| (*word).cmp(low)).ok().map(|at| WORDS[at].1)
}

/// Words without content of their own, in the languages that are read: no rare term is among them.
pub(super) fn is_stop(low: &str) -> bool {
    low.chars().count() < 3 || STOP.binary_search(&low).is_ok()
}

#[rustfmt::skip]
const STOP: &[&str] = &[
    "aber", "able", "about", "above", "after", "again", "against", "ainsi", "all", "alle", "aller", "also", "although", "always", "and",
    "another", "any", "anything", "apart", "are", "around", "así", "auch", "auf", "aus", "aussi", "avant", "avec", "avoir", "away",
    "back", "because", "become", "been", "before", "bei", "being", "below", "beside", "between", "bien", "bis", "both", "but", "came",
    "can", "cannot", "cette", "come", "comme", "como", "con", "could", "cuando", "dans", "das", "dass", "del", "dem", "den", "denn",
    "der", "des", "desde", "did", "die", "dies", "diese", "dieser", "does", "doing", "don't", "donc", "donde", "done", "down", "durch",
    "during", "each", "ein", "eine", "einem", "einen", "einer", "either", "elle", "ellos", "else", "enough", "entre", "era", "eso",
    "est", "esta", "este", "esto", "está", "están", "etc", "even", "ever", "every", "everything", "except", "few", "for", "from", "fue",
    "full", "für", "gar", "gave", "get", "gets", "give", "given", "gives", "goes", "going", "had", "has", "hasta", "hat", "have",
    "having", "hay", "her", "here", "hier", "him", "his", "how", "however", "ich", "ihr", "ihre", "ihrer", "ils", "immer", "indeed",
    "instead", "into", "ist", "it's", "its", "itself", "just", "kann", "kein", "keine", "las", "last", "les", "less", "let", "leur",
    "like", "los", "made", "mais", "make", "makes", "man", "many", "may", "maybe", "mehr", "mein", "meine", "might", "mit", "more",
    "most", "much", "must", "más", "nach", "neither", "never", "nicht", "noch", "none", "nor", "nos", "not", "nothing", "notre", "nous",
    "now", "nun", "nur", "oben", "oder", "off", "ohne", "once", "one", "ones", "only", "onto", "other", "others", "ought", "our", "out",
    "over", "own", "par", "para", "pas", "per", "perhaps", "pero", "plus", "por", "pour", "put", "que", "qui", "quite", "quoi", "rather",
    "really", "same", "sans", "say", "saying", "says", "schon", "sein", "seine", "ses", "several", "shall", "she", "should", "sich",
    "sie", "sin", "since", "sind", "sobre", "some", "something", "son", "sont", "such", "sur", "take", "takes", "tan", "than", "that",
    "the", "their", "them", "then", "there", "these", "they", "thing", "things", "this", "those", "though", "through", "thus", "tiene",
    "together", "too", "tous", "tout", "toute", "très", "two", "una", "und", "under", "une", "unless", "uns", "unser", "unsere", "until",
    "upon", "use", "used", "uses", "using", "very", "via", "viel", "vom", "von", "vor", "vos", "votre", "vous", "war", "was", "way",
    "well", "were", "what", "when", "where", "whether", "which", "while", "who", "whom", "whose", "why", "wie", "will", "wir", "wird",
    "with", "within", "without", "would", "yet", "you", "your", "zum", "zur", "über",
];

/// Words that a critic uses of drafts, of readers and of writing in general: they name no place, even where a draft happens to hold one.
pub(super) fn is_meta(low: &str) -> bool {
    META.binary_search(&low).is_ok()
}

#[rustfmt::skip]
const META: &[&str] = &[
    "absatz", "absender", "accuracy", "action", "actions", "actual", "addition", "additional", "advice", "agent", "agents", "anfrage",
    "answer", "answers", "antwort", "approach", "argument", "aspect", "assumption", "attention", "audience", "author", "available",
    "best", "better", "body", "brief", "change", "changes", "claim", "clarity", "clarté", "clear", "client", "cliente", "clients",
    "closing", "colleague", "comma", "commitment", "company", "complete", "concern", "concerns", "confusion", "content", "context",
    "correct", "correction", "critique", "current", "customer", "customers", "description", "detail", "details", "different", "document",
    "documento", "draft", "drafts", "e-mail", "effect", "email", "emphasis", "ending", "entire", "entwurf", "error", "errors", "exact",
    "example", "examples", "expectation", "explanation", "expression", "fact", "facts", "feedback", "fix", "flow", "formatting", "frage",
    "full", "general", "gist", "goal", "good", "grammar", "guidance", "higher", "hint", "idea", "important", "impression", "improvement",
    "information", "instruction", "instructions", "intent", "issue", "issues", "item", "job", "kunde", "kunden", "kundin", "lack",
    "language", "layout", "lector", "length", "leser", "letter", "line", "lines", "list", "logic", "long", "lower", "main", "matter",
    "meaning", "mensaje", "merchant", "merchants", "message", "mistake", "name", "need", "needs", "note", "number", "numbers",
    "official", "omission", "opening", "original", "paragraph", "paragraphs", "part", "parts", "passage", "people", "person", "phrase",
    "phrases", "phrasing", "place", "places", "point", "points", "possible", "precision", "premise", "problem", "problems", "promise",
    "proposal", "prose", "purpose", "quality", "question", "questions", "reader", "readers", "reading", "real", "reason", "reasoning",
    "reasons", "recent", "recipient", "remark", "repetition", "reply", "request", "requirement", "respect", "response", "rest", "result",
    "reviewer", "revision", "right", "sake", "scope", "section", "sections", "sender", "sense", "sentence", "sentences", "short",
    "single", "situation", "source", "sources", "specific", "specifics", "spelling", "standard", "statement", "statements", "story",
    "structure", "style", "subject", "substance", "suggestion", "summary", "syntax", "task", "team", "teams", "term", "terms", "text",
    "texte", "texto", "thought", "ticket", "time", "title", "tone", "topic", "transition", "truth", "type", "user", "users", "usual",
    "vague", "value", "version", "voice", "warning", "whole", "word", "wording", "words", "work", "writer", "writing", "wrong",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_in_order() {
        for list in [STOP, META] {
            let mut sorted = list.to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, list);
        }
    }

    #[test]
    fn words_numbers_and_quotations() {
        let text = "The 2nd \"one two\" costs $1,100.50, it’s 手続きが";
        let shown: Vec<String> = tokens(text, &[Span::new(9, 16)]).iter().map(|t| format!("{}|{}", t.low, t.text)).collect();
        let want = [
            "the|The",
            "2nd|2nd",
            "\"|\"",
            "|one two",
            "\"|\"",
            "costs|costs",
            "$|$",
            "1100.50|1,100.50",
            ",|,",
            "it|it’s",
            "手続|手続",
            "きが|きが",
        ];
        assert_eq!(shown, want);
    }

    #[test]
    fn stems_join_what_belongs_together() {
        for (a, b) in [
            ("fee", "fees"),
            ("policy", "policies"),
            ("charge", "charged"),
            ("cancelled", "cancel"),
            ("cancellation", "cancel"),
            ("résiliation", "résilier"),
            ("fifteen", "15"),
            ("boxes", "box"),
        ] {
            assert_eq!(stem(a), stem(b), "{a} {b}");
        }
        for (a, b) in [("name", "named"), ("bill", "bile"), ("transfer", "transaction"), ("compensation", "complaint")] {
            assert_ne!(stem(a), stem(b), "{a} {b}");
        }
    }
}
