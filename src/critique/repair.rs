//! The names of everything that reading a reply forgives.

/// One kind of deviation from a bare, valid JSON document (or, for prose, from a complete text).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Repair {
    ByteOrderMark,
    Reasoning,
    Fence,
    SurroundingText,
    DoubleEncoded,
    BareArray,
    SingleFinding,
    JsonLines,
    Repeated,
    MissingClose,
    ExtraClose,
    TrailingComma,
    MissingComma,
    Comment,
    SingleQuotes,
    SmartQuotes,
    InnerQuote,
    UnquotedKey,
    PythonLiteral,
    NotANumber,
    ControlCharacter,
    InvalidEscape,
    WhiteSpace,
    Truncated,
}

impl Repair {
    /// Every kind, with its stable name and what was done. The order is that of the docs.
    pub const ALL: &'static [(Repair, &'static str, &'static str)] = &[
        (Repair::ByteOrderMark, "byte_order_mark", "a U+FEFF at the start was skipped"),
        (Repair::Reasoning, "reasoning", "a reasoning block, or all before a lone closing tag, was left out"),
        (Repair::Fence, "fence", "the JSON stood in a Markdown code fence"),
        (Repair::SurroundingText, "surrounding_text", "other text stood before, between or after the JSON"),
        (Repair::DoubleEncoded, "double_encoded", "the whole reply was a JSON string that holds the JSON"),
        (Repair::BareArray, "bare_array", "the list stood alone, without the object around it"),
        (Repair::SingleFinding, "single_finding", "one finding stood where the list belongs"),
        (Repair::JsonLines, "json_lines", "the findings stood one after the other, without a list"),
        (Repair::Repeated, "repeated", "the same document was given more than once"),
        (Repair::MissingClose, "missing_close", "the last brace was missing after a list that is closed"),
        (Repair::ExtraClose, "extra_close", "closing brackets too many stood after the document"),
        (Repair::TrailingComma, "trailing_comma", "a comma before a closing bracket was skipped"),
        (Repair::MissingComma, "missing_comma", "a comma between two members or elements was supplied"),
        (Repair::Comment, "comment", "a // or /* */ comment was skipped"),
        (Repair::SingleQuotes, "single_quotes", "strings were delimited by single quotes"),
        (Repair::SmartQuotes, "smart_quotes", "strings were delimited by typographic quotes"),
        (Repair::InnerQuote, "inner_quote", "a straight quote that closes a low one was taken as text"),
        (Repair::UnquotedKey, "unquoted_key", "a key stood without quotes"),
        (Repair::PythonLiteral, "python_literal", "True, False or None was read as JSON's own literal"),
        (Repair::NotANumber, "not_a_number", "NaN, an infinity or a number beyond range was read as null"),
        (Repair::ControlCharacter, "control_character", "a control character stood unescaped in a string"),
        (Repair::InvalidEscape, "invalid_escape", "an escape that JSON lacks was read literally, outside quotations"),
        (Repair::WhiteSpace, "white_space", "white space that JSON lacks stood between tokens"),
        (Repair::Truncated, "truncated", "a prose critique was cut by the token limit and read as far as it goes"),
    ];

    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _, _)| *kind == self).map_or("", |(_, name, _)| name)
    }
}

/// Notes a kind once, at its first place.
pub(super) fn note(repairs: &mut Vec<Repair>, kind: Repair) {
    if !repairs.contains(&kind) {
        repairs.push(kind);
    }
}

pub(super) fn names(repairs: &[Repair]) -> Vec<String> {
    repairs.iter().map(|kind| kind.name().to_string()).collect()
}
