//! Places by count and by position: "the second paragraph", "paragraphs 2-4", "the closing", "the one below it".

use super::known::Is;
use super::lexicon::{
    self, Named, Rank, Sure, Unit, ends_noun, is_adjective, is_definite, is_indefinite, is_preposition, is_verb, named, names_whole, rank,
    unit,
};
use super::outline::{Outline, PLACES_MAX};
use super::parts::Part;
use super::resolve::{Ranks, region};
use super::words::{Kind, Token, cardinal};
use super::{Evidence, Target};

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

impl Reader<'_, '_> {
    pub fn low(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.low.as_ref())
    }

    /// The place that is named from token `at` on.
    pub fn place(&self, at: usize) -> Option<Place> {
        let token = self.tokens.get(at)?;
        let may_begin = match token.kind {
            Kind::Word => token.is(Is::Place) || !token.text.is_ascii(),
            // "2. Absatz"
            Kind::Number => self.low(at + 1) == ".",
            // "§ 2", "¶ 2"
            _ => !token.text.is_ascii(),
        };
        if !may_begin {
            return None;
        }
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
        if let ([Rank::Nth(n)], Some(len)) = (ranks.list.as_slice(), self.back_from_end(at)) {
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
    fn back_from_end(&self, at: usize) -> Option<usize> {
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

    pub fn number(&self, at: usize) -> Option<(String, usize)> {
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
        let anchor = (at..self.tokens.len().min(at + 3)).find_map(named);
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

    pub fn placed(&self, targets: Vec<Target>, evidence: Evidence, from: usize, until: usize, unit: Option<Unit>) -> Option<Place> {
        let inner = matches!(unit, Some(Unit::Sentence | Unit::Item | Unit::Step));
        (!targets.is_empty() && targets.len() <= PLACES_MAX).then_some(Place { targets, evidence, from, until, unit, inner })
    }

    /// A heading's own block, and as a looser mention all it heads.
    pub fn region(&self, head: usize) -> Vec<Target> {
        region(self.outline, head)
    }
}
