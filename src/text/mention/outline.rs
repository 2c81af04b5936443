//! What a draft is made of, as a critic would name its parts: greeting, running text, lists, tables, headings and all they head.

use std::collections::HashMap;

use super::known::Is;
use super::parts::{Part, greets, parts, takes_leave};
use super::words::{self, Token, join};
use crate::model::Span;
use crate::text::markdown::{list_item, opening};
use crate::text::section::{SectionRule, sections};

/// One list item. A tight list has many in one section.
#[derive(Debug)]
pub(super) struct Item {
    pub section: usize,
    pub number: Option<usize>,
    /// Which list it is in: neighbouring list sections are one list.
    pub list: usize,
}

/// One heading.
#[derive(Debug)]
pub(super) struct Head {
    pub section: usize,
    level: usize,
    /// "3" or "2.1", where headings carry numbers.
    pub number: Option<String>,
    /// Stems of its words with content.
    pub words: Vec<u64>,
    /// The section behind the last one that it heads.
    pub end: usize,
}

#[derive(Debug)]
pub(super) struct Outline<'a> {
    texts: Vec<&'a str>,
    pub parts: Vec<Part>,
    /// Sections of running text, in order.
    pub body: Vec<usize>,
    pub lists: Vec<usize>,
    pub tables: Vec<usize>,
    pub codes: Vec<usize>,
    pub items: Vec<Item>,
    /// The first section with a list item of a number.
    pub steps: HashMap<usize, usize>,
    pub heads: Vec<Head>,
    /// Headings that cut the draft into parts: without the title above them all.
    pub regions: Vec<usize>,
    /// Heads by all the words of their titles.
    titles: HashMap<u64, Vec<usize>>,
    /// Heads by one word; None where several have it.
    title_words: HashMap<u64, Option<usize>>,
    longest_title: usize,
}

/// More places than this are no place: a reference that fits them all points at none.
pub(super) const PLACES_MAX: usize = 64;

impl<'a> Outline<'a> {
    pub fn new(texts: &[&'a str]) -> Outline<'a> {
        let mut out = Outline {
            texts: texts.to_vec(),
            parts: parts(texts),
            body: vec![],
            lists: vec![],
            tables: vec![],
            codes: vec![],
            items: vec![],
            steps: HashMap::new(),
            heads: vec![],
            regions: vec![],
            titles: HashMap::new(),
            title_words: HashMap::new(),
            longest_title: 0,
        };
        let mut list = 0;
        for (section, text) in texts.iter().enumerate() {
            match out.parts[section] {
                Part::Body => out.body.push(section),
                Part::List => out.lists.push(section),
                Part::Table => out.tables.push(section),
                Part::Code => out.codes.push(section),
                _ => {}
            }
            let opened = opening(text);
            let known = out.items.len();
            if out.parts[section] != Part::Code {
                out.items.extend(items(&text[opened.body..], section, list));
            }
            // A list of loose items goes on in the next section, unless something is between or a heading is above.
            if out.items.len() > known && out.parts[section] == Part::Body {
                out.lists.push(section);
            }
            list += usize::from(out.parts[section] != Part::List || !opened.headings.is_empty());
            for item in &mut out.items[known..] {
                item.list = list;
            }
            out.heads.extend(opened.headings.into_iter().map(|(level, title)| head(section, level, title)));
        }
        if out.body.is_empty() {
            let furniture = |part| matches!(part, Part::Subject | Part::Greeting | Part::SignOff | Part::Postscript);
            out.body = (0..texts.len()).filter(|at| !furniture(out.parts[*at])).collect();
        }
        for item in &out.items {
            if let Some(number) = item.number {
                out.steps.entry(number).or_insert(item.section);
            }
        }
        out.bound_heads();
        out.regions = out.main_heads();
        out
    }

    /// The list items in a section.
    pub fn items_of(&self, section: usize) -> &[Item] {
        let from = self.items.partition_point(|item| item.section < section);
        let until = self.items.partition_point(|item| item.section <= section);
        &self.items[from..until]
    }

    /// The items of one list.
    pub fn list(&self, list: usize) -> &[Item] {
        let from = self.items.partition_point(|item| item.list < list);
        let until = self.items.partition_point(|item| item.list <= list);
        &self.items[from..until]
    }

    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Where each heading's region ends, and the ways to find a heading.
    fn bound_heads(&mut self) {
        // The first later heading of the same level or a higher one ends a region; the open ones wait on a stack.
        let mut open: Vec<usize> = vec![];
        for at in 0..self.heads.len() {
            let (section, level) = (self.heads[at].section, self.heads[at].level);
            while let Some(last) = open.last().copied().filter(|last| self.heads[*last].level >= level) {
                self.heads[last].end = section.max(self.heads[last].section + 1);
                open.pop();
            }
            open.push(at);
        }
        for last in open {
            self.heads[last].end = self.texts.len();
        }
        for (at, head) in self.heads.iter().enumerate().filter(|(_, head)| !head.words.is_empty()) {
            self.longest_title = self.longest_title.max(head.words.len());
            let all = head.words.iter().fold(0, |all, word| join(all, *word));
            let same = self.titles.entry(all).or_default();
            if same.len() < PLACES_MAX {
                same.push(at);
            }
            for word in &head.words {
                self.title_words.entry(*word).and_modify(|one| *one = one.filter(|one| *one == at)).or_insert(Some(at));
            }
        }
    }

    /// Heads whose title is just these words.
    pub fn titled(&self, words: &[u64]) -> &[usize] {
        if words.len() > self.longest_title {
            return &[];
        }
        self.titles.get(&words.iter().fold(0, |all, word| join(all, *word))).map_or(&[], Vec::as_slice)
    }

    pub fn longest_title(&self) -> usize {
        self.longest_title
    }

    /// The one head whose title holds all these words, where the words tell it from the others.
    pub fn partly_titled(&self, words: &[u64]) -> Option<usize> {
        let head = words.iter().find_map(|word| self.title_words.get(word).copied().flatten())?;
        words.iter().all(|word| self.heads[head].words.contains(word)).then_some(head)
    }

    fn main_heads(&self) -> Vec<usize> {
        let title = self.title();
        let rest = || (0..self.heads.len()).filter(|at| Some(*at) != title);
        let level = rest().map(|at| self.heads[at].level).min().unwrap_or(0);
        rest().filter(|at| self.heads[*at].level == level).collect()
    }

    /// The title of the whole: a first heading that is higher than all others.
    fn title(&self) -> Option<usize> {
        let first = self.heads.first().filter(|head| head.section == 0)?;
        self.heads[1..].iter().all(|head| head.level > first.level).then_some(0)
    }

    pub fn first(&self, part: Part) -> Option<usize> {
        self.parts.iter().position(|p| *p == part)
    }

    /// The greeting's section, be it the first paragraph that opens with one.
    pub fn greeting(&self) -> Option<usize> {
        let inside = || self.body.first().copied().filter(|at| greets(self.texts[*at]));
        self.first(Part::Greeting).or_else(inside)
    }

    pub fn sign_off(&self) -> Vec<usize> {
        let found: Vec<usize> = (0..self.len()).filter(|at| self.parts[*at] == Part::SignOff).collect();
        if !found.is_empty() {
            return found;
        }
        let inside = |at: &usize| self.texts[*at].lines().rev().take(4).any(takes_leave);
        self.body.last().copied().filter(inside).into_iter().collect()
    }

    /// The section that holds sentence `n` (from 1) of the running text, from its start or its end.
    pub fn sentence(&self, n: usize, from_end: bool) -> Option<usize> {
        let mut left = n;
        let count = |at: usize| sections(self.texts[at], SectionRule::Sentence).len().max(1);
        let mut holds = |at: &usize| {
            let here = count(*at);
            let found = left <= here;
            left = left.saturating_sub(here);
            found
        };
        if n > PLACES_MAX {
            return None;
        }
        if from_end { self.body.iter().rev().copied().find(|at| holds(at)) } else { self.body.iter().copied().find(|at| holds(at)) }
    }
}

fn head(section: usize, level: usize, title: &str) -> Head {
    let digits = title.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(title.len());
    let number = title[..digits].trim_end_matches('.');
    let number = (!number.is_empty() && title[digits..].starts_with([' ', ')', '\t'])).then(|| number.to_owned());
    let rest = if number.is_some() { &title[digits..] } else { title };
    Head { section, level, number, words: content(&words::tokens(rest, &[])), end: section + 1 }
}

/// Stems of the words with content.
pub(super) fn content(tokens: &[Token<'_>]) -> Vec<u64> {
    tokens.iter().filter(|token| has_content(token)).map(|token| token.known.stem).collect()
}

/// True for a word that a title is told by; a title may be a word that elsewhere has no content ("New", "Use").
pub(super) fn has_content(token: &Token<'_>) -> bool {
    match token.kind {
        words::Kind::Word => !token.is(Is::Stop),
        words::Kind::Number => true,
        _ => false,
    }
}

fn items(body: &str, section: usize, list: usize) -> impl Iterator<Item = Item> {
    body.lines().filter_map(move |line| {
        let line = line.trim();
        list_item(line)?;
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        Some(Item { section, number: line[..digits].parse().ok(), list })
    })
}

/// Sections that share a byte with a span, in order and once each.
pub(super) fn touched(sections: &[Span], spans: &[Span]) -> Vec<usize> {
    let mut out = vec![];
    for span in spans {
        let mut at = sections.partition_point(|section| section.end <= span.start);
        while sections.get(at).is_some_and(|section| section.overlaps(*span)) {
            out.push(at);
            at += 1;
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_touched_where_a_span_shares_a_byte_with_it() {
        let spans = |list: &[(usize, usize)]| list.iter().map(|&(a, b)| Span::new(a, b)).collect::<Vec<_>>();
        let sections = spans(&[(0, 5), (7, 12), (14, 20)]);
        for (scope, want) in [
            (vec![], vec![]),
            (spans(&[(0, 1)]), vec![0]),
            (spans(&[(5, 7)]), vec![]),
            (spans(&[(4, 8)]), vec![0, 1]),
            (spans(&[(19, 30), (1, 2), (3, 4)]), vec![0, 2]),
            (spans(&[(8, 8)]), vec![]),
        ] {
            assert_eq!(touched(&sections, &scope), want, "{scope:?}");
        }
    }
}
