//! What stands around a claim: the words that say which fact it is. Two claims are about one fact as far as these agree.

use super::Claim;
use crate::text::numeral::lower;

/// How much two contexts agree, from 0 to this.
pub(super) const FULL: i64 = 1000;

/// How far a context reaches: bytes to either side, and words.
const REACH: usize = 160;
const WORDS: usize = 6;

/// Weights of words by distance; nearer words say more.
const WEIGHTS: [i64; WORDS] = [100, 80, 65, 50, 40, 30];

#[derive(Debug)]
enum Sign<'a> {
    Word(&'a str),
    Claim(&'a str, &'a Claim),
}

#[derive(Debug)]
struct Mark<'a> {
    sign: Sign<'a>,
    before: bool,
    weight: i64,
}

#[derive(Debug)]
pub(super) struct Context<'a> {
    marks: Vec<Mark<'a>>,
    total: i64,
}

impl<'a> Context<'a> {
    /// The context of `claim` in `text`; `previous` and `next` are the claims beside it. A claim of another kind beside it is part of the
    /// context, one of the same kind ends it.
    pub(super) fn new(text: &'a str, claim: &Claim, previous: Option<&'a Claim>, next: Option<&'a Claim>) -> Context<'a> {
        let mut context = Context { marks: Vec::new(), total: 0 };
        let (start, end) = (claim.span.start, claim.span.end);
        let floor = text.floor_char_boundary(start.saturating_sub(REACH)).max(previous.map_or(0, |p| p.span.end)).min(start);
        if context.walk_back(&text[floor..start])
            && let Some(beside) = previous.filter(|p| p.span.end == floor)
        {
            context.beside(text, claim, beside, true);
        }
        let ceiling =
            text.ceil_char_boundary(end.saturating_add(REACH).min(text.len())).min(next.map_or(text.len(), |n| n.span.start)).max(end);
        if context.walk_on(&text[end..ceiling])
            && let Some(beside) = next.filter(|n| n.span.start == ceiling)
        {
            context.beside(text, claim, beside, false);
        }
        context.total = context.marks.iter().map(|mark| mark.weight).sum();
        context
    }

    fn beside(&mut self, text: &'a str, claim: &Claim, beside: &'a Claim, before: bool) {
        if beside.value.kind() != claim.value.kind() {
            self.marks.push(Mark { sign: Sign::Claim(text, beside), before, weight: WEIGHTS[0] });
        }
    }

    /// Words before the claim, the nearest first, back to the end of the sentence, or to a comma once something was said. True where it got
    /// to the start of `head`.
    fn walk_back(&mut self, head: &'a str) -> bool {
        let (mut end, mut rank) = (head.len(), 0);
        let mut after = ' ';
        while let Some(c) = head[..end].chars().next_back() {
            let start = end - c.len_utf8();
            if c.is_alphanumeric() {
                let from = head[..end]
                    .rfind(|c: char| !c.is_alphanumeric() && c != '\'' && c != '\u{2019}')
                    .map_or(0, |at| at + head[at..].chars().next().map_or(1, char::len_utf8));
                self.word(&head[from..end], true, &mut rank);
                if rank == WORDS {
                    return false;
                }
                after = 'x';
                end = from;
                continue;
            }
            if ends_sentence(c, after) || (rank > 0 && matches!(c, ',' | ':' | '(' | '|' | '、')) {
                return false;
            }
            (after, end) = (c, start);
        }
        true
    }

    /// Words after the claim to the end of its clause. True where it got to the end of `tail`.
    fn walk_on(&mut self, tail: &'a str) -> bool {
        let (mut at, mut rank) = (0, 0);
        while let Some(c) = tail[at..].chars().next() {
            if c.is_alphanumeric() {
                let end = tail[at..].find(|c: char| !c.is_alphanumeric() && c != '\'' && c != '\u{2019}').map_or(tail.len(), |n| at + n);
                let word = &tail[at..end];
                if is_joint(word) {
                    return false;
                }
                self.word(word, false, &mut rank);
                if rank == WORDS - 2 {
                    return false;
                }
                at = end;
                continue;
            }
            let next = tail[at + c.len_utf8()..].chars().next().unwrap_or(' ');
            if ends_sentence(c, next) || matches!(c, ',' | ')' | '|' | '、') {
                return false;
            }
            at += c.len_utf8();
        }
        true
    }

    fn word(&mut self, word: &'a str, before: bool, rank: &mut usize) {
        let weight = if is_weak(word) {
            20
        } else if is_direction(word) {
            60
        } else {
            let weight = WEIGHTS[(*rank).min(WORDS - 1)];
            *rank += 1;
            weight
        };
        self.marks.push(Mark { sign: Sign::Word(word), before, weight });
    }

    /// From 0 to [`FULL`]: twice the weight in common over all weight. A word on the other side of the claim counts less.
    pub(super) fn agreement(&self, other: &Context<'_>) -> i64 {
        if self.total + other.total == 0 {
            return FULL / 5;
        }
        let mut used = vec![false; other.marks.len()];
        let mut common = 0;
        for same_side in [true, false] {
            for mark in &self.marks {
                let partner = other
                    .marks
                    .iter()
                    .enumerate()
                    .find(|(at, o)| !used[*at] && (o.before == mark.before) == same_side && alike(&mark.sign, &o.sign));
                // A word that has its partner on its own side may find another on the other side; weights are small enough for that not to matter.
                if let Some((at, partner)) = partner {
                    used[at] = true;
                    common += mark.weight.min(partner.weight) * if same_side { 10 } else { 6 };
                }
            }
        }
        (2 * common * FULL / (10 * (self.total + other.total))).min(FULL)
    }
}

fn alike(a: &Sign<'_>, b: &Sign<'_>) -> bool {
    match (a, b) {
        (Sign::Word(a), Sign::Word(b)) => same_word(a, b),
        (Sign::Claim(a_text, a), Sign::Claim(b_text, b)) => a.agrees(a_text, b, b_text),
        _ => false,
    }
}

/// Equal but for case and a plural s.
fn same_word(a: &str, b: &str) -> bool {
    if a.eq_ignore_ascii_case(b) {
        return true;
    }
    let stem = |w: &str| if w.len() > 3 && w.ends_with('s') { w.len() - 1 } else { w.len() };
    let (x, y) = (&a[..stem(a)], &b[..stem(b)]);
    x.eq_ignore_ascii_case(y) || (!a.is_ascii() && lower(x) == lower(y))
}

fn ends_sentence(c: char, next: char) -> bool {
    matches!(c, '\n' | ';' | '。') || (matches!(c, '.' | '!' | '?') && next.is_whitespace())
}

/// Words after which another clause may begin.
fn is_joint(word: &str) -> bool {
    matches!(word, "and" | "or" | "but" | "while" | "whereas" | "und" | "oder" | "aber" | "et" | "ou" | "mais" | "y" | "o" | "pero")
}

/// The longest word that is asked for.
const SHORT: usize = 7;

/// A short word in small letters; nothing of a longer one.
fn short<'r>(word: &str, room: &'r mut [u8; SHORT]) -> &'r [u8] {
    let Some(room) = room.get_mut(..word.len()) else { return b"" };
    room.copy_from_slice(word.as_bytes());
    room.make_ascii_lowercase();
    room
}

/// Words that say next to nothing about which fact it is.
#[rustfmt::skip]
fn is_weak(word: &str) -> bool {
    matches!(
        short(word, &mut [0; SHORT]),
        b"a" | b"an" | b"the" | b"is" | b"are" | b"was" | b"be" | b"been" | b"it" | b"of" | b"and" | b"or" | b"that" | b"this" |
            b"about" | b"around" | b"roughly" | b"only" | b"your" | b"our" | b"you" | b"we" | b"will" | b"has" | b"have" | b"had" |
            b"der" | b"die" | b"das" | b"den" | b"dem" | b"ist" | b"sind" | b"le" | b"la" | b"les" | b"de" | b"du" | b"est" | b"el" |
            b"los" | b"es" | b"que" | b"und"
    )
}

/// Words that tell the ends of a span or a change apart.
#[rustfmt::skip]
fn is_direction(word: &str) -> bool {
    matches!(
        short(word, &mut [0; SHORT]),
        b"from" | b"to" | b"before" | b"after" | b"until" | b"till" | b"by" | b"over" | b"under" | b"above" | b"below" | b"since" |
            b"within" | b"at" | b"on" | b"for" | b"von" | b"bis" | b"nach" | b"vor" | b"avant" | b"apr\xc3\xa8s"
    )
}
