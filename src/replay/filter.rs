//! Which tickets are replayed, by id and by tag.

use std::collections::HashSet;

use crate::error::Error;
use crate::model::Ticket;

/// Tickets by id or tag; empty means all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter(Vec<Term>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Term {
    /// An id, in which `*` stands for anything.
    Id(String),
    Tag(String),
    /// One of these ids.
    Exactly(HashSet<String>),
}

impl Filter {
    /// `pay-00*`, `tag:refund`; several terms are alternatives.
    pub fn parse(terms: &[String]) -> Result<Filter, Error> {
        let term = |t: &String| match t.split_once(':') {
            Some(("tag", tag)) if !tag.is_empty() => Ok(Term::Tag(tag.to_owned())),
            Some(("tag", _)) => Err(Error::new("--filter tag: names no tag; expected tag:NAME")),
            _ if t.is_empty() => Err(Error::new("--filter is empty; expected a ticket id (with * for anything) or tag:NAME")),
            _ => Ok(Term::Id(t.clone())),
        };
        Ok(Filter(terms.iter().map(term).collect::<Result<_, _>>()?))
    }

    /// Exactly this ticket, whatever characters its id holds.
    pub fn id(id: &str) -> Filter {
        Filter(vec![Term::Exactly(HashSet::from([id.to_owned()]))])
    }

    /// Exactly these tickets; none where there are none to name.
    pub fn ids(ids: &[String]) -> Filter {
        Filter(vec![Term::Exactly(ids.iter().cloned().collect())])
    }

    pub fn is_all(&self) -> bool {
        self.0.is_empty()
    }

    /// True where it asks for tags, which only a dataset knows.
    pub fn asks_for_tags(&self) -> bool {
        self.0.iter().any(|term| matches!(term, Term::Tag(_)))
    }

    /// Of a ticket of which nothing but its id is known.
    pub fn takes_id(&self, id: &str) -> bool {
        self.takes(&Ticket::bare(id))
    }

    pub(super) fn takes(&self, ticket: &Ticket) -> bool {
        self.0.is_empty()
            || self.0.iter().any(|term| match term {
                Term::Id(pattern) => glob(pattern, &ticket.id),
                Term::Tag(tag) => ticket.tags.contains(tag),
                Term::Exactly(ids) => ids.contains(&ticket.id),
            })
    }
}

/// `*` stands for any text; the pieces between are found leftmost, which suffices when each may move freely.
fn glob(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut last = None;
    for piece in pieces {
        if let Some(middle) = last.replace(piece) {
            let Some(at) = rest.find(middle) else { return false };
            rest = &rest[at + middle.len()..];
        }
    }
    match last {
        Some(end) => rest.ends_with(end),
        None => rest.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_taken_as_they_are() {
        for (ids, id, want) in
            [(vec!["a*", "b"], "a*", true), (vec!["a*", "b"], "ab", false), (vec![], "", false), (vec!["tag:x"], "tag:x", true)]
        {
            let ids: Vec<String> = ids.into_iter().map(str::to_owned).collect();
            assert_eq!(Filter::ids(&ids).takes_id(id), want, "{ids:?} {id}");
        }
        // Thirty thousand tickets are each looked for once, not held against every name: that took minutes.
        let ids: Vec<String> = (0..30_000).map(|n| format!("ticket-{n:060}")).collect();
        let filter = Filter::ids(&ids);
        let started = std::time::Instant::now();
        assert!(ids.iter().all(|id| filter.takes_id(id)));
        assert!(started.elapsed().as_secs() < 5);
    }

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, text, want) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("a*", "ab", true),
            ("*b", "ab", true),
            ("a*b*c", "a--b--c", true),
            ("a*b*c", "a--c--b", false),
            ("*", "", true),
            ("ab*ba", "aba", false),
        ] {
            assert_eq!(glob(pattern, text), want, "{pattern} {text}");
        }
    }
}
