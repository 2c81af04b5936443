//! Places by count and by position: "the second paragraph", "paragraphs 2-4", "the closing", "the one below it".

use super::lexicon::{self, Named, Rank, Sure, Unit, is_definite, is_indefinite, is_preposition, named, rank, unit};
use super::outline::{Item, Outline, PLACES_MAX, Part};
use super::words::{Kind, Token, cardinal};
use super::{Evidence, Target};
use crate::text::window::is_unspaced;

/// A place that a critique names.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub targets: Vec<Target>,
    pub evidence: Evidence,
    /// Tokens that name it.
    pub from: usize,
    pub until: usize,
    pub unit: Option<Unit>,
    /// It lies inside something larger that the sentence may name as well: a sentence of a paragraph, a bullet under a heading.
    pub inner: bool,
}

/// What was spoken of before.
#[derive(Debug, Clone, Default)]
pub(super) struct Focus {
    pub sections: Vec<usize>,
    pub unit: Option<Unit>,
    /// The focus is a place that was named, and not a quotation.
    pub named: bool,
}

/// Reads places off the tokens of one sentence.
pub(super) struct Reader<'r, 't> {
    pub tokens: &'r [Token<'t>],
    pub outline: &'r Outline<'r>,
    pub focus: &'r Focus,
}

/// Ranks joined by commas and words ("first and third"), or a number of them ("first two").
#[derive(Debug, Default)]
struct Ranks {
    list: Vec<Rank>,
    /// "first THREE paragraphs".
    count: Option<usize>,
    /// "second through fourth".
    range: bool,
}

impl Reader<'_, '_> {
    fn low(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.low.as_ref())
    }

    /// The place that is named from token `at` on.
    pub fn place(&self, at: usize) -> Option<Place> {
        self.ranked(at)
            .or_else(|| self.numbered(at))
            .or_else(|| self.part(at))
            .or_else(|| self.beside(at))
            .or_else(|| self.plain(at))
            .or_else(|| self.japanese(at))
    }

    /// "the first two paragraphs", "second and third bullets", "the last one", "the second is longer".
    fn ranked(&self, start: usize) -> Option<Place> {
        // "First, the tone ...; second, the closing ..." count what the critic says.
        let leads = start == 0 || self.tokens[start - 1].kind != Kind::Word;
        if leads && matches!(self.low(start + 1), "," | ":" | ".") {
            return None;
        }
        let (ranks, mut at) = self.ranks(start)?;
        let postposed = matches!(self.low(start), "suivant" | "suivante" | "siguiente" | "anterior" | "précédent" | "précédente");
        let named_unit = if postposed { None } else { self.unit_near(at) };
        let (unit, plural) = match named_unit {
            Some((unit, len, plural)) => {
                at = len;
                (unit, plural)
            }
            None => {
                at = self.elliptic(start, at)?;
                (self.unit_before(start).or(self.focus.unit)?, false)
            }
        };
        if self.is_wished_for(start) || plural && ranks.list.len() == 1 && ranks.count.is_none() && matches!(ranks.list[0], Rank::Nth(_)) {
            return None;
        }
        let mut ranks = ranks;
        if let ([Rank::Nth(n)], Some(len)) = (ranks.list.as_slice(), self.from_end(at)) {
            ranks.list = vec![Rank::FromEnd(*n)];
            at += len;
        }
        let relative = matches!(ranks.list[0], Rank::Next | Rank::Previous);
        if relative && (matches!(unit, Unit::Step | Unit::Item | Unit::Sentence) || plural || self.low(at) == ":") {
            return None;
        }
        let places = self.resolve(unit, &ranks)?;
        let evidence = if relative { Evidence::Position } else { Evidence::Ordinal };
        self.placed(places, evidence, start, at, Some(unit))
    }

    /// The unit at a token or behind one word before it, and the token after it.
    fn unit_near(&self, at: usize) -> Option<(Unit, usize, bool)> {
        let at_once = unit(self.tokens.get(at..)?).map(|(unit, len, plural)| (unit, at + len, plural));
        let adjective = || {
            let token = self
                .tokens
                .get(at)
                .filter(|t| t.kind == Kind::Word && !is_preposition(&t.low) && !is_definite(&t.low) && !is_verb(&t.low))?;
            (token.low.len() > 2 && rank(&token.low).is_none()).then_some(())?;
            unit(self.tokens.get(at + 1..)?).map(|(unit, len, plural)| (unit, at + 1 + len, plural))
        };
        at_once.or_else(adjective)
    }

    /// Ordinals from a token on, and the token after them.
    fn ranks(&self, start: usize) -> Option<(Ranks, usize)> {
        let (first, mut at) = self.rank(start)?;
        let mut ranks = Ranks { list: vec![first], ..Ranks::default() };
        loop {
            let mut next = at;
            while matches!(
                self.low(next),
                "," | "and"
                    | "or"
                    | "&"
                    | "to"
                    | "through"
                    | "und"
                    | "bis"
                    | "et"
                    | "y"
                    | "-"
                    | "–"
                    | "the"
                    | "der"
                    | "den"
                    | "le"
                    | "la"
                    | "el"
            ) {
                next += 1;
            }
            let Some((rank, after)) = self.rank(next).filter(|_| next > at) else { break };
            ranks.range |= (at..next).any(|at| matches!(self.low(at), "to" | "through" | "bis" | "-" | "–"));
            ranks.list.push(rank);
            at = after;
        }
        if let Some(count) = cardinal(self.low(at)).filter(|n| (2..=PLACES_MAX).contains(n)) {
            ranks.count = Some(count);
            at += 1 + usize::from(self.low(at) == "couple" && self.low(at + 1) == "of");
        }
        Some((ranks, at))
    }

    fn rank(&self, at: usize) -> Option<(Rank, usize)> {
        let token = self.tokens.get(at)?;
        // "2. Absatz"
        if token.kind == Kind::Number && self.low(at + 1) == "." && matches!(self.low(at + 2), "absatz" | "abschnitt" | "satz" | "schritt")
        {
            return Some((Rank::Nth(token.low.parse().ok()?), at + 2));
        }
        if token.kind != Kind::Word {
            return None;
        }
        match [token.low.as_ref(), self.low(at + 1), self.low(at + 2)] {
            ["second" | "next", "to", "last" | "final"] | ["second", "from", "last"] => return Some((Rank::FromEnd(2), at + 3)),
            ["last", "but", "one"] => return Some((Rank::FromEnd(2), at + 3)),
            ["second", "last", ..] => return Some((Rank::FromEnd(2), at + 2)),
            ["third", "to" | "from", "last"] => return Some((Rank::FromEnd(3), at + 3)),
            ["very", word, ..] => return rank(word).map(|rank| (rank, at + 2)),
            _ => {}
        }
        rank(&token.low).map(|rank| (rank, at + 1))
    }

    /// A rank without a unit goes on with the unit before: "... but the second could be shorter", "the last one".
    fn elliptic(&self, start: usize, at: usize) -> Option<usize> {
        let the = start > 0 && matches!(self.low(start - 1), "the" | "der" | "die" | "das" | "le" | "la" | "el");
        let one = matches!(self.low(at), "one" | "ones");
        let over = self.tokens.get(at).is_none_or(|token| token.kind == Kind::Mark && token.is_mark(".,;:)?!") || is_verb(&token.low));
        (the && (one || over)).then_some(at + usize::from(one))
    }

    /// "(the third paragraph) from the end".
    fn from_end(&self, at: usize) -> Option<usize> {
        let the = usize::from(self.low(at + 1) == "the");
        (self.low(at) == "from" && matches!(self.low(at + 1 + the), "end" | "bottom" | "last")).then_some(2 + the)
    }

    /// The unit that the sentence named last: "all paragraphs but the second".
    fn unit_before(&self, start: usize) -> Option<Unit> {
        (start.saturating_sub(12)..start).rev().find_map(|at| unit(&self.tokens[at..start])).map(|(unit, _, _)| unit)
    }

    /// "paragraph 2", "paragraphs 2-4", "steps 1, 2 and 4", "section 2.1".
    fn numbered(&self, start: usize) -> Option<Place> {
        let (unit, len) = match self.low(start) {
            "¶" => (Unit::Paragraph, 1),
            "§" => (Unit::Section, 1),
            _ => unit(self.tokens.get(start..)?).map(|(unit, len, _)| (unit, len))?,
        };
        let mut at = start + len;
        while matches!(self.low(at), "no" | "nr" | "number" | "#" | "(" | "." | "n°" | "nº") {
            at += 1;
        }
        let (first, mut at) = self.number(at)?;
        if unit == Unit::Section && first.contains('.') {
            let heads = self.outline.heads.iter().enumerate().filter(|(_, head)| head.number.as_deref() == Some(first.as_str()));
            let places = heads.flat_map(|(head, _)| self.region(head)).collect();
            return self.placed(places, Evidence::Ordinal, start, at, Some(unit));
        }
        let mut numbers = vec![cardinal(&first)?];
        loop {
            let mut next = at;
            while matches!(
                self.low(next),
                "," | "and" | "or" | "&" | "to" | "through" | "und" | "bis" | "et" | "à" | "y" | "a" | "-" | "–" | "—"
            ) {
                next += 1;
            }
            // "From paragraph 2 to paragraph 4".
            let again = self
                .tokens
                .get(next..)
                .and_then(lexicon::unit)
                .filter(|(same, _, _)| next > at && *same == unit)
                .map_or(0, |(_, len, _)| len);
            let Some(number) = self.number(next + again).filter(|_| next > at).and_then(|(n, after)| Some((cardinal(&n)?, after))) else {
                break;
            };
            let ranges = (at..next).any(|at| matches!(self.low(at), "to" | "through" | "bis" | "à" | "a" | "-" | "–" | "—"));
            // "paragraph 2, 30 days" and "step 2 and 3 files": a list goes on upwards and ends before a unit of measure.
            let last = numbers.last().copied().unwrap_or(0);
            if number.0 <= last || number.0 - last > PLACES_MAX || !self.ends_list(number.1) {
                break;
            }
            if ranges {
                numbers.extend(last + 1..number.0);
            }
            numbers.push(number.0);
            at = number.1;
        }
        let ranks = Ranks { list: numbers.into_iter().map(Rank::Nth).collect(), ..Ranks::default() };
        let places = self.resolve(unit, &ranks)?;
        self.placed(places, Evidence::Ordinal, start, at, Some(unit))
    }

    /// A list of numbers may end here: what follows is no noun that the number could count.
    fn ends_list(&self, at: usize) -> bool {
        self.tokens
            .get(at)
            .is_none_or(|token| token.kind != Kind::Word || is_preposition(&token.low) || is_verb(&token.low) || token.low.len() < 4)
    }

    fn number(&self, at: usize) -> Option<(String, usize)> {
        let token = self.tokens.get(at)?;
        let fits = match token.kind {
            Kind::Number => true,
            Kind::Word => cardinal(&token.low).is_some_and(|n| n < 21) && !matches!(token.low.as_ref(), "couple" | "both"),
            _ => false,
        };
        fits.then(|| (token.low.to_string(), at + 1))
    }

    /// "the greeting", "closing", "P.S."
    fn part(&self, start: usize) -> Option<Place> {
        let (part, len, sure) = named(self.tokens.get(start..)?)?;
        let end = start + len;
        // "opening hours", "closing date", "subject matter": part of another name.
        let article = self.has_article(start);
        let leads = start == 0 || self.tokens[start - 1].kind == Kind::Break || self.tokens[start - 1].is_mark("*-:#(");
        let goes_on = self
            .tokens
            .get(end)
            .is_some_and(|token| token.kind == Kind::Word && !is_preposition(&token.low) && !is_verb(&token.low) && !ends_noun(&token.low));
        let of_text = !matches!(self.low(end), "of" | "von" | "der" | "des" | "du" | "de" | "del")
            || (end..end + 4).any(|at| names_whole(self.low(at)));
        let fits = match sure {
            Sure::Alone => true,
            Sure::Article => {
                (article || leads && self.tokens.get(end).is_some_and(|t| t.kind == Kind::Mark || is_verb(&t.low)))
                    && (!goes_on || part == Named::Title)
            }
            Sure::Edge => {
                start > 0 && is_definite(self.low(start - 1)) && !goes_on && of_text && !(start > 1 && self.low(start - 2) == "in")
            }
        };
        if !fits || self.is_wished_for(start) {
            return None;
        }
        let outline = self.outline;
        let sections: Vec<usize> = match part {
            Named::Subject => outline.first(Part::Subject).into_iter().collect(),
            Named::Greeting => outline.greeting().into_iter().collect(),
            Named::Opening => outline.body.first().copied().into_iter().collect(),
            Named::Closing => outline.body.last().copied().into_iter().collect(),
            Named::SignOff => outline.sign_off(),
            Named::Postscript => outline.first(Part::Postscript).into_iter().collect(),
            Named::Title => outline.heads.first().map(|head| head.section).into_iter().collect(),
        };
        self.placed(sections.into_iter().map(Target::strict).collect(), Evidence::Position, start, end, None)
    }

    /// An article before a token, or before an adjective in front of it.
    fn has_article(&self, at: usize) -> bool {
        let points = |token: &Token<'_>| is_definite(&token.low) && !matches!(token.low.as_ref(), "these" | "those" | "that");
        let mut back = self.tokens[..at].iter().rev();
        match (back.next(), back.next()) {
            (Some(one), _) if points(one) => true,
            (Some(one), Some(two)) => (is_adjective(&one.low) || names_whole(&one.low)) && points(two),
            _ => false,
        }
    }

    /// An article before one more word: "the usage table", "the Default column".
    fn is_told_apart(&self, at: usize) -> bool {
        let word = at.checked_sub(1).and_then(|at| self.tokens.get(at));
        let noun = word.is_some_and(|t| t.kind == Kind::Word && !is_preposition(&t.low) && !is_verb(&t.low));
        noun && at > 1 && matches!(self.low(at - 2), "the" | "your" | "der" | "die" | "le" | "la" | "el")
    }

    /// True where what is named is missing or asked for: "add a closing line", "there is no greeting".
    fn is_wished_for(&self, start: usize) -> bool {
        for token in self.tokens[..start].iter().rev().take(3) {
            if token.kind != Kind::Word || is_definite(&token.low) {
                return false;
            }
            if is_indefinite(&token.low) {
                return true;
            }
            if is_preposition(&token.low) {
                return false;
            }
        }
        false
    }

    /// "the paragraph right after the table", "the one below it", "the paragraph above".
    fn beside(&self, start: usize) -> Option<Place> {
        let (unit, mut at) = match self.low(start) {
            "one" | "ones" | "bit" => (self.focus.unit, start + 1),
            _ => unit(self.tokens.get(start..)?).map(|(unit, len, _)| (Some(unit), start + len))?,
        };
        // "The two paragraphs after the table".
        let count = start.checked_sub(1).and_then(|at| cardinal(self.low(at))).filter(|n| (2..=PLACES_MAX).contains(n));
        if !self.has_article(start - usize::from(count.is_some())) {
            return None;
        }
        let targets = |base: &[usize], forward| self.neighbours(base, forward, count.unwrap_or(1));
        while matches!(
            self.low(at),
            "right" | "just" | "directly" | "immediately" | "that" | "comes" | "which" | "coming" | "is" | "stands"
        ) {
            at += 1;
        }
        let forward = match self.low(at) {
            "after" | "below" | "beneath" | "under" | "following" | "nach" | "hinter" | "unter" | "après" => true,
            "before" | "above" | "preceding" | "vor" | "über" | "avant" => false,
            _ => return None,
        };
        at += 1;
        // "The paragraph after the first one": the first paragraph.
        let focus = Focus { unit: unit.or(self.focus.unit), ..self.focus.clone() };
        let reader = Reader { focus: &focus, ..*self };
        let named =
            |next| reader.ranked(next).or_else(|| reader.numbered(next)).or_else(|| reader.part(next)).or_else(|| reader.plain(next));
        let anchor = (at..at + 3).find_map(named);
        if let Some(landmark) = anchor {
            let base: Vec<usize> = landmark.targets.iter().map(|target| target.section).collect();
            let beside = targets(&base, forward);
            if beside.is_empty() {
                return None;
            }
            // The landmark is spoken of, but only to say where something else is.
            let loose = landmark.targets.iter().map(|target| Target { strict: false, ..*target });
            let targets = beside.into_iter().chain(loose).collect();
            return self.placed(targets, Evidence::Position, start, landmark.until, unit);
        }
        let pronoun = self.tokens.get(at).is_none_or(|token| {
            token.kind == Kind::Mark
                || matches!(token.low.as_ref(), "it" | "that" | "this" | "them" | "these" | "those")
                || is_verb(&token.low)
        });
        // "The sentence after that" is most likely in the same section.
        let inside = unit == Some(Unit::Sentence) && self.focus.sections.iter().any(|at| self.outline.parts[*at] == Part::Body);
        if !pronoun || inside {
            return None;
        }
        self.placed(targets(&self.focus.sections, forward), Evidence::Position, start, at, unit)
    }

    /// The sections right behind or before some others.
    fn neighbours(&self, base: &[usize], forward: bool, count: usize) -> Vec<Target> {
        let range = match (base.iter().min(), base.iter().max()) {
            (Some(_), Some(last)) if forward => last + 1..(last + 1 + count).min(self.outline.len()),
            (Some(first), Some(_)) => first.saturating_sub(count)..*first,
            _ => 0..0,
        };
        range.map(Target::strict).collect()
    }

    /// "the table", "the bullet points", "both paragraphs", "the code": things that need no count where there is one.
    fn plain(&self, start: usize) -> Option<Place> {
        let low = self.low(start);
        if low == "code" && self.has_article(start) && self.outline.codes.len() == 1 && self.ends_list(start + 1) {
            return self.placed(vec![Target::strict(self.outline.codes[0])], Evidence::Position, start, start + 1, Some(Unit::Code));
        }
        let (unit, len, plural) = unit(self.tokens.get(start..)?)?;
        let at = start + len;
        if start > 0 && self.low(start - 1) == "both" && plural {
            let body = &self.outline.body;
            let sections = if unit == Unit::Paragraph && body.len() == 2 { body.as_slice() } else { &[] };
            return self.placed(sections.iter().map(|at| Target::strict(*at)).collect(), Evidence::Ordinal, start - 1, at, Some(unit));
        }
        let all: &[usize] = match unit {
            Unit::Table => &self.outline.tables,
            Unit::Code => &self.outline.codes,
            Unit::List => &self.outline.lists,
            Unit::Item | Unit::Step if plural => &self.outline.lists,
            _ => return None,
        };
        let leads = start == 0 || self.tokens[start - 1].kind == Kind::Break;
        if all.is_empty()
            || all.len() > PLACES_MAX
            || !(self.has_article(start) || leads || self.is_told_apart(start))
            || self.is_wished_for(start)
        {
            return None;
        }
        // One of several is not told by "the list"; all of them are meant at most.
        let strict = plural || all.len() == 1;
        let mut place =
            self.placed(all.iter().map(|at| Target { section: *at, strict }).collect(), Evidence::Position, start, at, Some(unit))?;
        place.inner = all.len() > 1;
        Some(place)
    }

    /// "第2段落", "最後の段落", "冒頭", "件名": words without spaces, the count before the unit.
    fn japanese(&self, at: usize) -> Option<Place> {
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

    fn placed(&self, targets: Vec<Target>, evidence: Evidence, from: usize, until: usize, unit: Option<Unit>) -> Option<Place> {
        let inner = matches!(unit, Some(Unit::Sentence | Unit::Item | Unit::Step));
        (!targets.is_empty() && targets.len() <= PLACES_MAX).then_some(Place { targets, evidence, from, until, unit, inner })
    }

    /// A heading's own block, and as a looser mention all it heads.
    pub fn region(&self, head: usize) -> Vec<Target> {
        region(self.outline, head)
    }

    /// The sections that ranks of a unit stand for; None where the draft has no such thing.
    fn resolve(&self, unit: Unit, ranks: &Ranks) -> Option<Vec<Target>> {
        let outline = self.outline;
        if let [rank @ (Rank::Next | Rank::Previous)] = ranks.list.as_slice() {
            return Some(self.neighbours(&self.focus.sections, *rank == Rank::Next, 1));
        }
        let strict = |sections: Vec<usize>| sections.into_iter().map(Target::strict).collect::<Vec<_>>();
        let found: Vec<Target> = match unit {
            Unit::Paragraph => strict(picked(ranks, outline.body.len()).into_iter().map(|at| outline.body[at]).collect()),
            Unit::Section => return self.sections(ranks),
            Unit::Sentence => {
                let mut sections: Vec<usize> = ranks.expanded().filter_map(|rank| self.sentence(rank)).collect();
                sections.dedup();
                strict(sections)
            }
            Unit::Step => strict(ranks.expanded().filter_map(|rank| self.step(rank)).collect()),
            Unit::Item => strict(ranks.expanded().filter_map(|rank| self.item(rank)).collect()),
            Unit::Table => match outline.tables.as_slice() {
                [only] => strict(vec![*only]),
                tables => strict(picked(ranks, tables.len()).into_iter().map(|at| tables[at]).collect()),
            },
            Unit::List => strict(picked(ranks, outline.lists.len()).into_iter().map(|at| outline.lists[at]).collect()),
            Unit::Code => strict(picked(ranks, outline.codes.len()).into_iter().map(|at| outline.codes[at]).collect()),
            Unit::Heading => strict(picked(ranks, outline.heads.len()).into_iter().map(|at| outline.heads[at].section).collect()),
        };
        Some(found)
    }

    /// Sections are what headings cut, by their own numbers where they carry some; without headings they are paragraphs.
    fn sections(&self, ranks: &Ranks) -> Option<Vec<Target>> {
        let outline = self.outline;
        let regions = &outline.regions;
        if regions.len() < 2 {
            return Some(picked(ranks, outline.body.len()).into_iter().map(|at| Target::strict(outline.body[at])).collect());
        }
        let numbers: Vec<Option<usize>> = regions.iter().map(|at| outline.heads[*at].number.as_deref()?.parse().ok()).collect();
        let heads: Vec<usize> =
            if numbers.iter().any(Option::is_some) && ranks.list.iter().all(|rank| matches!(rank, Rank::Nth(_))) && ranks.count.is_none() {
                let wanted = ranks.expanded().filter_map(|rank| if let Rank::Nth(n) = rank { Some(n) } else { None });
                wanted.filter_map(|n| numbers.iter().position(|number| *number == Some(n)).map(|at| regions[at])).collect()
            } else {
                picked(ranks, regions.len()).into_iter().map(|at| regions[at]).collect()
            };
        Some(heads.into_iter().flat_map(|head| self.region(head)).collect())
    }

    /// A sentence by its number is one of the place spoken of, else of the whole.
    fn sentence(&self, rank: Rank) -> Option<usize> {
        let spoken = self.focus.sections.first().filter(|_| self.focus.named && self.focus.sections.len() == 1);
        match (rank, spoken) {
            (Rank::Nth(_) | Rank::FromEnd(_), Some(section)) => Some(*section),
            (Rank::Nth(n), None) => self.outline.sentence(n, false),
            (Rank::FromEnd(n), None) => self.outline.sentence(n, true),
            _ => None,
        }
    }

    fn step(&self, rank: Rank) -> Option<usize> {
        let items = &self.outline.items;
        match rank {
            Rank::Nth(n) => {
                let of = |section: &usize| self.outline.items_of(*section).iter().find(|item| item.number == Some(n));
                let here = self.focus.sections.iter().find_map(of).map(|item| item.section);
                here.or_else(|| self.outline.steps.get(&n).copied())
            }
            Rank::FromEnd(n) => items.iter().rev().filter(|item| item.number.is_some()).nth(n.checked_sub(1)?).map(|item| item.section),
            _ => None,
        }
    }

    fn item(&self, rank: Rank) -> Option<usize> {
        let outline = self.outline;
        let spoken = self.focus.sections.iter().find_map(|section| outline.items_of(*section).first()).map(|item| item.list);
        match rank {
            Rank::Nth(n) => {
                let fits = |list: &[Item]| list.get(n.checked_sub(1)?).map(|item| item.section);
                let here = spoken.and_then(|list| fits(outline.list(list)));
                here.or_else(|| outline.items.chunk_by(|a, b| a.list == b.list).find_map(fits))
            }
            Rank::FromEnd(n) => {
                let list = outline.list(spoken.or(outline.items.last().map(|item| item.list))?);
                list.len().checked_sub(n).and_then(|at| list.get(at)).map(|item| item.section)
            }
            _ => None,
        }
    }
}

impl Ranks {
    /// Each rank on its own, counts and ranges spelled out.
    fn expanded(&self) -> impl Iterator<Item = Rank> {
        let mut out = vec![];
        match (self.list.as_slice(), self.count) {
            ([Rank::Nth(n)], Some(count)) => out.extend((*n..n.saturating_add(count)).map(Rank::Nth)),
            ([Rank::FromEnd(n)], Some(count)) => out.extend((*n..n.saturating_add(count)).map(Rank::FromEnd)),
            ([Rank::Nth(a), Rank::Nth(b)], _) if self.range && a < b && b - a <= PLACES_MAX => out.extend((*a..=*b).map(Rank::Nth)),
            (list, _) => out.extend(list),
        }
        out.into_iter()
    }
}

/// Places in a list of `len` that ranks pick, in order.
fn picked(ranks: &Ranks, len: usize) -> Vec<usize> {
    let one = |rank| match rank {
        Rank::Nth(n) => n.checked_sub(1).filter(|at| *at < len),
        Rank::FromEnd(n) => len.checked_sub(n).filter(|at| *at < len),
        Rank::Middle => (len % 2 == 1).then_some(len / 2),
        Rank::Next | Rank::Previous => None,
    };
    let mut places: Vec<usize> = ranks.expanded().filter_map(one).collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// A heading's own block (strict) and all it heads (loose).
pub(super) fn region(outline: &Outline<'_>, head: usize) -> Vec<Target> {
    let Some(head) = outline.heads.get(head) else { return vec![] };
    let rest = head.section + 1..head.end.min(head.section + PLACES_MAX);
    std::iter::once(Target::strict(head.section)).chain(rest.map(|section| Target { section, strict: false })).collect()
}

/// A guess by the ending: "the abrupt ending" against "the account ending".
fn is_adjective(low: &str) -> bool {
    let endings = ["al", "ive", "ous", "ic", "ful", "ish", "ent", "ant", "ed", "y", "pt", "ble", "less", "ary", "en", "em", "er", "e"];
    low.len() > 3 && endings.iter().any(|ending| low.ends_with(ending))
        || matches!(low, "long" | "short" | "current" | "weak" | "new" | "old" | "whole" | "only")
}

/// Words that say something of what stands before them.
pub(super) fn is_verb(low: &str) -> bool {
    low.ends_with("n't")
        || matches!(
            low,
            "is" | "are"
                | "was"
                | "were"
                | "be"
                | "has"
                | "have"
                | "had"
                | "should"
                | "could"
                | "would"
                | "can"
                | "cannot"
                | "may"
                | "might"
                | "must"
                | "will"
                | "need"
                | "needs"
                | "does"
                | "do"
                | "did"
                | "reads"
                | "read"
                | "sounds"
                | "sound"
                | "feels"
                | "feel"
                | "seems"
                | "seem"
                | "lacks"
                | "lack"
                | "repeats"
                | "repeat"
                | "says"
                | "say"
                | "states"
                | "gives"
                | "leaves"
                | "makes"
                | "contains"
                | "comes"
                | "goes"
                | "tells"
                | "promises"
                | "mentions"
                | "explains"
                | "lists"
                | "describes"
                | "contradicts"
                | "mixes"
                | "uses"
                | "assumes"
                | "never"
                | "not"
                | "also"
                | "then"
                | "ist"
                | "sind"
                | "war"
                | "soll"
                | "sollte"
                | "sollten"
                | "muss"
                | "müsste"
                | "kann"
                | "könnte"
                | "fehlt"
                | "klingt"
                | "wirkt"
                | "passt"
                | "hat"
                | "est"
                | "sont"
                | "doit"
                | "devrait"
                | "peut"
                | "manque"
                | "pourrait"
                | "es"
                | "son"
                | "está"
                | "debe"
                | "debería"
                | "puede"
                | "podría"
                | "suena"
        )
}

/// Adverbs and conjunctions that cannot continue a noun.
fn ends_noun(low: &str) -> bool {
    matches!(
        low,
        "too"
            | "as"
            | "which"
            | "that"
            | "while"
            | "because"
            | "so"
            | "or"
            | "itself"
            | "remains"
            | "works"
            | "before"
            | "after"
            | "above"
            | "below"
            | "only"
            | "still"
            | "just"
    ) || is_definite(low)
}

/// Words for the text as a whole.
pub(super) fn names_whole(low: &str) -> bool {
    matches!(
        low,
        "text"
            | "draft"
            | "message"
            | "email"
            | "e-mail"
            | "reply"
            | "response"
            | "answer"
            | "letter"
            | "document"
            | "note"
            | "report"
            | "piece"
            | "post"
            | "article"
            | "page"
            | "entwurf"
            | "nachricht"
            | "antwort"
            | "schreiben"
            | "brief"
            | "texte"
            | "réponse"
            | "lettre"
            | "courriel"
            | "texto"
            | "respuesta"
            | "mensaje"
            | "correo"
            | "carta"
            | "write-up"
            | "memo"
            | "review"
            | "guide"
            | "copy"
            | "content"
    )
}
