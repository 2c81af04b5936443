//! Places in Japanese, which has no blanks and counts before the unit.

use super::lexicon::{Rank, Unit};
use super::parts::Part;
use super::place::{Place, Reader};
use super::resolve::Ranks;
use super::words::cardinal;
use super::{Evidence, Target};
use crate::text::window::is_unspaced;

impl Reader<'_, '_> {
    /// "第2段落", "最後の段落", "冒頭", "件名": words without spaces, the count before the unit.
    pub fn japanese(&self, at: usize) -> Option<Place> {
        let text = self.tokens.get(at).filter(|token| token.text.starts_with(is_unspaced))?.text;
        let next = |text: &str| self.low(at + 1) == "の" && self.tokens.get(at + 2).is_some_and(|token| token.text.contains(text));
        let outline = self.outline;
        let named: Option<Vec<usize>> = match text {
            "件名" => Some(outline.first(Part::Subject).into_iter().collect()),
            "挨拶" | "宛名" => Some(outline.greeting().into_iter().collect()),
            "署名" => Some(outline.sign_off()),
            "冒頭" | "導入" if !["段落", "文", "挨拶"].iter().any(|unit| next(unit)) => {
                Some(outline.body.first().copied().into_iter().collect())
            }
            "末尾" | "結" | "締" | "文末" if !["段落", "文"].iter().any(|unit| next(unit)) => {
                Some(outline.body.last().copied().into_iter().collect())
            }
            "表" if outline.tables.len() == 1 => Some(outline.tables.clone()),
            "箇条書" if outline.lists.len() == 1 => Some(outline.lists.clone()),
            _ => None,
        };
        if let Some(sections) = named {
            return self.placed(sections.into_iter().map(Target::strict).collect(), Evidence::Position, at, at + 1, None);
        }
        let step = matches!(text, "手順" | "ステップ").then(|| self.number(at + 1)).flatten();
        if let Some((number, until)) = step {
            let ranks = Ranks { list: vec![Rank::Nth(cardinal(&number)?)], ..Ranks::default() };
            return self.placed(self.resolve(Unit::Step, &ranks)?, Evidence::Ordinal, at, until, Some(Unit::Step));
        }
        let unit = [("段落", Unit::Paragraph), ("一文", Unit::Sentence), ("文", Unit::Sentence)]
            .into_iter()
            .find(|(name, _)| text.strip_suffix("目").unwrap_or(text).ends_with(name));
        let (name, unit) = unit?;
        let from = at.saturating_sub(4);
        let before: String = self.tokens[from..=at].iter().map(|token| token.text).collect();
        let before = before.strip_suffix("目").unwrap_or(&before);
        let count = before.strip_suffix(name)?.trim_end_matches("の").trim_end_matches("番目").trim_end_matches("つ目");
        let rank = match count.chars().next_back()? {
            digit if digit.is_ascii_digit() => Rank::Nth(count[count.trim_end_matches(|c: char| c.is_ascii_digit()).len()..].parse().ok()?),
            digit => match "一二三四五六七八九".chars().position(|c| c == digit) {
                Some(n) => Rank::Nth(n + 1),
                None if ["最後", "最終", "末尾"].iter().any(|end| count.ends_with(end)) => Rank::FromEnd(1),
                None if ["最初", "冒頭"].iter().any(|start| count.ends_with(start)) => Rank::Nth(1),
                None => return None,
            },
        };
        let ranks = Ranks { list: vec![rank], ..Ranks::default() };
        self.placed(self.resolve(unit, &ranks)?, Evidence::Ordinal, from, at + 1, Some(unit))
    }
}
