//! Non-drafts: empty, cut by the token limit, or a reviser that answered in the critic's voice. They are counted, and their quality is not measured.

use super::{Better, Carry, Cell, Column, Draft, Figure, How, Kind, Metric, Step, View, nulls};
use crate::model::{Pass, StopReason};

pub struct NonDraft;

/// What keeps a text from being a draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flaw {
    /// White space only.
    pub empty: bool,
    /// The model was cut by the token limit.
    pub truncated: bool,
    /// The text is a critique, feedback or an apology.
    pub collapsed: bool,
}

impl Flaw {
    pub fn any(self) -> bool {
        self.empty || self.truncated || self.collapsed
    }
}

/// Judges the draft that a pass made. A pass that keeps a draft keeps its flaw.
pub(super) fn flaw(pass: &Pass, before: Option<&Draft<'_>>, after: &Draft<'_>, step: Option<&Step>) -> Flaw {
    let empty = after.sections.is_empty() && after.text.trim().is_empty();
    Flaw { empty, truncated: pass.draft_stop == Some(StopReason::Length), collapsed: !empty && collapsed(pass, before, after, step) }
}

/// Half of the longer text or more kept means that the draft was revised, whatever else is in it: a critique may hold a whole rewrite.
fn collapsed(pass: &Pass, before: Option<&Draft<'_>>, after: &Draft<'_>, step: Option<&Step>) -> bool {
    let (Some(before), Some(step)) = (before, step) else { return refuses(after.text) };
    if step.distance.is_some_and(|distance| 2 * distance <= before.chars.max(after.chars)) {
        return false;
    }
    let text = Words::new(after.text);
    let to_before = text.dice(&Words::new(before.text));
    let to_critique = pass.critique.as_ref().map_or(0, |critique| text.dice(&Words::new(&critique.text)));
    to_critique > to_before || refuses(after.text)
}

/// Words of a text in small letters, without the marks around them, as sorted hashes.
pub(super) struct Words(Vec<u64>);

impl Words {
    pub fn new(text: &str) -> Words {
        let word = |piece: &str| -> Option<u64> {
            if piece.is_ascii() {
                let bytes = piece.as_bytes();
                let ends = bytes.iter().position(u8::is_ascii_alphanumeric).zip(bytes.iter().rposition(u8::is_ascii_alphanumeric));
                return ends.map(|(first, last)| hash(bytes[first..=last].iter().map(u8::to_ascii_lowercase)));
            }
            let piece = piece.trim_matches(|c: char| !c.is_alphanumeric());
            (!piece.is_empty()).then(|| hash(piece.to_lowercase().bytes()))
        };
        let mut words: Vec<u64> = text.split_whitespace().filter_map(word).collect();
        words.sort_unstable();
        Words(words)
    }

    /// Dice similarity of the two bags of words, in millionths.
    pub fn dice(&self, other: &Words) -> usize {
        let (a, b) = (&self.0, &other.0);
        let (mut i, mut j, mut shared) = (0, 0, 0);
        while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
            shared += usize::from(x == y);
            i += usize::from(x <= y);
            j += usize::from(y <= x);
        }
        (2_000_000 * shared).checked_div(a.len() + b.len()).unwrap_or(0)
    }
}

/// FNV-1a.
fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The ways in which models decline to write. A customer's letter may say sorry; it does not say that it cannot be written.
fn refuses(text: &str) -> bool {
    const OPENERS: [&str; 10] = [
        "i'm sorry, but i can't",
        "i'm sorry, but i cannot",
        "i'm sorry, i can't",
        "i'm sorry, i cannot",
        "i am sorry, but i cannot",
        "i apologize, but i cannot",
        "i apologize, but i can't",
        "i can't assist with",
        "i cannot assist with",
        "as an ai ",
    ];
    let head: String = text.trim_start().chars().take(40).map(|c| if c == '\u{2019}' { '\'' } else { c.to_ascii_lowercase() }).collect();
    OPENERS.iter().any(|opener| head.starts_with(opener))
}

const COLUMNS: &[Column] = &[
    Column::new(
        "non_draft",
        Kind::Flag,
        Carry::Last,
        "draft k is none: empty, truncated or a role collapse; its quality is null; null without a draft",
    ),
    Column::new("empty", Kind::Flag, Carry::Last, "draft k is white space only"),
    Column::new("truncated", Kind::Flag, Carry::Last, "draft k was cut by the token limit"),
    Column::new(
        "role_collapse",
        Kind::Flag,
        Carry::Last,
        "draft k is a critique, feedback or an apology: less than half of the incoming draft is kept and its words are closer to the critique's, or it declines to answer",
    ),
];

const FIGURES: &[Figure] = &[Figure::new(
    "non_draft",
    "Drafts that are none (empty, truncated, role collapse)",
    "share",
    How::Share("non_draft"),
    Some(Better::Lower),
)
.headline()];

impl Metric for NonDraft {
    fn columns(&self) -> &'static [Column] {
        COLUMNS
    }

    fn figures(&self) -> &'static [Figure] {
        FIGURES
    }

    fn measure(&self, view: &View<'_>, row: &mut Vec<Cell>) {
        let Some(draft) = view.draft() else { return nulls(COLUMNS, row) };
        let Flaw { empty, truncated, collapsed } = draft.flaw;
        row.extend([draft.flaw.any(), empty, truncated, collapsed].map(Cell::Flag));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    #[test]
    fn a_non_draft_is_named_and_its_quality_is_null() {
        let draft = "Dear Sam,\n\nYour refund of $20 arrives by 9 June.\n";
        let critique_text = "The tone is too formal, and the second paragraph promises a date that no source supports.";
        let cases = [
            ("Dear Sam,\n\nYour refund of $20 arrives on 9 June.\n", None, [false; 4]),
            ("  \n", None, [true, true, false, false]),
            ("Dear Sam,\n\nYour refund", Some(StopReason::Length), [true, false, true, false]),
            ("The tone is too formal. The second paragraph promises a date no source supports.", None, [true, false, false, true]),
            ("I’m sorry, but I can’t help with that request.", None, [true, false, false, true]),
            ("Sorry for the wait, Sam! By 9 June your refund will be in your account.", None, [false; 4]),
        ];
        for (after, stop, want) in cases {
            let mut run = run_of(&[draft, after]);
            critique(&mut run, 1, &[("tone", "Dear Sam,")]);
            run.passes[1].critique.as_mut().unwrap().text = critique_text.into();
            run.passes[1].draft_stop = stop;
            let rows = rows(&run);
            let got = ["non_draft", "empty", "truncated", "role_collapse"].map(|name| rows.flag(1, name));
            assert_eq!(got, want.map(Some), "{after}");
            for name in ["untouched_section_edit", "preservation_previous", "chars_changed"] {
                assert_eq!(rows.cell(1, name) == &Cell::Null, want[0], "{after}: {name}");
            }
        }
    }

    #[test]
    fn a_writer_that_declines_made_no_draft() {
        let rows = rows(&run_of(&["I'm sorry, but I cannot help with that."]));
        assert_eq!(rows.flag(0, "role_collapse"), Some(true));
        assert_eq!(rows.flag(0, "truncated"), Some(false));
    }
}
