//! Finding the complete JSON values in a reply: past reasoning, prose and stray brackets.

use super::json::{Flaw, Found, value_at, whole_string};
use super::repair::{Repair, note};

/// Fields whose text is a quotation: read as it is, or refused.
const QUOTATIONS: &[&str] = &["location", "draft_span", "source_span"];

/// Tags that models put around what is not their answer.
const REASONING: &[&str] = &["think", "thinking", "thought", "reasoning"];

/// The complete values of a reply, in text order, and what else was seen.
pub(super) struct Scan<'a> {
    text: std::borrow::Cow<'a, str>,
    pub values: Vec<Found>,
    /// Why the first thing that was plainly meant as JSON could not be read. Later pieces may then be parts of it.
    pub flaw: Option<Flaw>,
    /// Where the last such thing starts.
    pub flawed: usize,
    repairs: Vec<Repair>,
    /// Where the answer starts: after the last reasoning block.
    visible: usize,
    /// Bytes looked at, for the bound on time.
    pub steps: usize,
}

/// Steps that may be spent on a reply, as a multiple of its length. Honest replies take one or two.
const EFFORT: usize = 16;

/// Takes time in proportion to the reply's length, whatever stands in it.
pub(super) fn scan(reply: &str) -> Scan<'_> {
    let mut repairs = Vec::new();
    if reply.starts_with('\u{feff}') {
        repairs.push(Repair::ByteOrderMark);
    }
    let text = match whole_string(reply) {
        Some(inner) => {
            repairs.push(Repair::DoubleEncoded);
            std::borrow::Cow::Owned(inner)
        }
        None => std::borrow::Cow::Borrowed(reply),
    };
    let mut scan = Scan { values: Vec::new(), flaw: None, flawed: 0, repairs, visible: 0, steps: reply.len(), text };
    scan.run();
    scan
}

impl Scan<'_> {
    fn run(&mut self) {
        let mut pos = 0;
        let enough = EFFORT * self.text.len() + 1024;
        while let Some(ahead) = self.text.as_bytes()[pos..].iter().position(|b| matches!(b, b'{' | b'[' | b'<')) {
            let at = pos + ahead;
            self.steps += ahead + 1;
            if self.text.as_bytes()[at] == b'<' {
                match self.reasoning(at) {
                    Some(next) => pos = next,
                    None => return,
                }
                continue;
            }
            match value_at(&self.text, at, QUOTATIONS, &mut self.steps) {
                Ok(found) => {
                    // `[1]` and `["so" it goes]` may be prose too: what stands inside may be more than it seems.
                    pos = if found.committed || self.steps > enough { found.end } else { at + 1 };
                    self.values.push(found);
                }
                Err(fail) => {
                    // What was meant as JSON is left behind whole: its pieces are no documents. A bracket in prose is only that,
                    // and what stands after it may be anything.
                    let flaw = if self.steps > enough { Some(Flaw::Syntax) } else { fail.committed.then_some(fail.flaw) };
                    pos = at + 1;
                    if flaw.is_some() {
                        pos = fail.at.max(pos);
                        self.flaw = self.flaw.or(flaw);
                        self.flawed = at;
                    }
                }
            }
        }
    }

    /// Where to go on after the `<` at `at`; None where an unclosed reasoning block hides all the rest.
    fn reasoning(&mut self, at: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        if let Some(name) = REASONING.iter().find(|name| is_tag(bytes, at, "<", name)) {
            let close = (at..bytes.len()).find(|i| bytes[*i] == b'<' && is_tag(bytes, *i, "</", name));
            self.steps += close.unwrap_or(bytes.len()) - at;
            note(&mut self.repairs, Repair::Reasoning);
            self.visible = close? + "</>".len() + name.len();
            return Some(self.visible);
        }
        if let Some(name) = REASONING.iter().find(|name| is_tag(bytes, at, "</", name)) {
            // A lone closing tag: the opening one was part of the prompt, and all so far was reasoning.
            note(&mut self.repairs, Repair::Reasoning);
            self.values.clear();
            self.flaw = None;
            self.visible = at + "</>".len() + name.len();
            return Some(self.visible);
        }
        Some(at + 1)
    }

    /// Everything forgiven on the way to the chosen values (indices, ascending), in the order made.
    pub(super) fn repairs(&self, chosen: &[usize]) -> Vec<Repair> {
        let mut repairs = self.repairs.clone();
        let chosen: Vec<&Found> = chosen.iter().filter_map(|i| self.values.get(*i)).collect();
        for kind in self.around(&chosen) {
            note(&mut repairs, kind);
        }
        for found in chosen {
            for kind in &found.repairs {
                note(&mut repairs, *kind);
            }
            if found.open {
                note(&mut repairs, Repair::MissingClose);
            }
        }
        repairs
    }

    fn around(&self, chosen: &[&Found]) -> Vec<Repair> {
        let (Some(first), Some(last)) = (chosen.first(), chosen.last()) else { return Vec::new() };
        let mut repairs = Vec::new();
        let mut before = trim(&self.text[self.visible.min(first.start)..first.start]);
        let opening = before.rsplit('\n').next().unwrap_or_default();
        if is_fence(opening.trim_start()) {
            repairs.push(Repair::Fence);
            before = trim(&before[..before.len() - opening.len()]);
        }
        let tail = trim(&self.text[last.end..]);
        let mut after = tail.trim_start_matches(|c: char| matches!(c, '}' | ']') || c.is_whitespace());
        let extra = after.len() < tail.len();
        if is_fence(after) {
            note(&mut repairs, Repair::Fence);
            after = trim(after.trim_start_matches(['`', '~']));
        }
        let between = |pair: &[&Found]| self.text[pair[0].end..pair[1].start].trim_matches(|c: char| c.is_whitespace() || c == ',');
        if !before.is_empty() || !after.is_empty() || chosen.windows(2).any(|pair| !between(pair).is_empty()) {
            repairs.push(Repair::SurroundingText);
        }
        if extra {
            repairs.push(Repair::ExtraClose);
        }
        repairs
    }

    /// True where nothing visible but a fence surrounds the values.
    pub(super) fn is_bare(&self, chosen: &[usize]) -> bool {
        let repairs = self.repairs(chosen);
        !repairs.contains(&Repair::SurroundingText) && !repairs.contains(&Repair::ExtraClose)
    }
}

fn is_tag(bytes: &[u8], at: usize, open: &str, name: &str) -> bool {
    let tag = &bytes[at..];
    let end = open.len() + name.len();
    tag.starts_with(open.as_bytes()) && tag.get(end) == Some(&b'>') && tag[open.len()..end].eq_ignore_ascii_case(name.as_bytes())
}

fn is_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}

fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
}
