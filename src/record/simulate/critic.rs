//! The simulated critic: what it complains about, and how it quotes.

use super::dice::Dice;
use super::draft::{Case, Draft, Flaw, Lead, Sentence};
use super::phrases::{HEARSAY, REMARKS, SPURIOUS, UNTOUCHABLE};
use super::rates::Rates;
use crate::model::DropReason;

/// What a complaint is about: a flaw of the sentence, or nothing that is wrong with it.
pub type About = Option<Flaw>;

/// How a quotation was made, and so how it must be located.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quoted {
    Exact,
    Normalised,
    Fuzzy,
    Dropped(DropReason),
}

/// One complaint, with everything that is true of it.
#[derive(Debug, Clone)]
pub struct Complaint {
    /// The sentence it is about, and the section that holds it.
    pub sentence: usize,
    pub home: usize,
    pub about: About,
    pub label: String,
    pub severity: String,
    pub quote: String,
    /// The bytes of the sentence that the quotation means.
    pub range: (usize, usize),
    pub quoted: Quoted,
    /// Sections of every occurrence of the quoted words, one entry an occurrence, in text order. Empty for a dropped one.
    pub places: Vec<usize>,
    /// What the critic asks for instead.
    pub fix: String,
}

impl Complaint {
    pub fn is_dropped(&self) -> bool {
        matches!(self.quoted, Quoted::Dropped(_))
    }

    /// The section where the finding sits: that of the first occurrence.
    pub fn section(&self) -> Option<usize> {
        self.places.first().copied()
    }

    pub fn remark(&self) -> (&'static str, &'static str) {
        REMARKS.iter().find(|(label, ..)| *label == self.label).map_or(("It is wrong.", "Change it."), |(_, what, fix)| (*what, *fix))
    }
}

/// A complaint that comes back: the same label about the same sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Again {
    pub sentence: usize,
    pub about: About,
    pub label: String,
}

/// What the critic reads and remembers.
pub struct Scene<'a> {
    pub case: &'a Case,
    pub draft: &'a Draft,
    pub rates: &'a Rates,
    pub severities: &'a [String],
    pub again: Vec<Again>,
    /// Labels that were raised in a section before: a complaint about something else avoids them, or it would pass for the old one.
    pub known: &'a [(String, usize)],
    pub dice: Dice,
}

/// The complaints of one critique, no two about the same sentence.
pub fn complain(scene: &Scene<'_>) -> Vec<Complaint> {
    let Scene { case, draft, rates, dice, .. } = scene;
    let wanted = how_many(rates, *dice);
    let mut raised: Vec<Again> = vec![];
    let is_new = |raised: &[Again], sentence: usize| raised.iter().all(|a| a.sentence != sentence);
    for again in &scene.again {
        let stands = draft.find(again.sentence).is_some_and(|(_, s)| again.about.is_none() || s.flaw() == again.about);
        if stands && is_new(&raised, again.sentence) {
            raised.push(again.clone());
        }
    }
    for (_, sentence) in draft.sentences() {
        let Some(flaw) = sentence.flaw() else { continue };
        let noticed = dice.chance("notices", sentence.id, rates.notices);
        if raised.len() < wanted && noticed && is_new(&raised, sentence.id) {
            raised.push(Again { sentence: sentence.id, about: Some(flaw), label: sentence.label(flaw, case) });
        }
    }
    let mut flawless: Vec<Sentence> = draft.sentences().map(|(_, s)| *s).filter(|s| s.is_statement() && s.flaw().is_none()).collect();
    dice.shuffle("spurious", &mut flawless);
    let free = wanted.saturating_sub(raised.len());
    for (n, sentence) in flawless.iter().filter(|s| is_new(&raised, s.id)).take(free).collect::<Vec<_>>().into_iter().enumerate() {
        if dice.chance("spurious_finding", n, rates.spurious_finding) {
            let label = fresh_label(scene, sentence.id);
            raised.push(Again { sentence: sentence.id, about: None, label });
        }
    }
    dice.shuffle("order of complaints", &mut raised);
    raised.iter().enumerate().filter_map(|(n, again)| word(scene, again, n)).collect()
}

/// A label for a complaint about nothing, one that its section has not heard yet where there is one.
fn fresh_label(scene: &Scene<'_>, sentence: usize) -> String {
    let section = scene.draft.find(sentence).map_or(0, |(at, _)| at);
    let from = scene.dice.pick("spurious label", sentence, SPURIOUS.len());
    let mut labels = (0..SPURIOUS.len()).map(|n| SPURIOUS[(from + n) % SPURIOUS.len()]);
    let fresh = labels.find(|label| !scene.known.iter().any(|(known, at)| known == label && *at == section));
    fresh.unwrap_or(SPURIOUS[from]).to_owned()
}

/// One to six where the mean is at least one, else none or one.
fn how_many(rates: &Rates, dice: Dice) -> usize {
    if rates.complaints < 1.0 {
        return usize::from(dice.chance("complaints", 0, rates.complaints));
    }
    1 + (1..=5).filter(|n| dice.chance("complaints", *n, (rates.complaints - 1.0) / 5.0)).count()
}

/// Puts a complaint into words.
fn word(scene: &Scene<'_>, again: &Again, n: usize) -> Option<Complaint> {
    let Scene { case, draft, rates, dice, .. } = scene;
    let dice = dice.at(n as u32);
    let (home, sentence) = draft.find(again.sentence)?;
    let text = sentence.text(case);
    let range = quoted_range(&sentence, &text, again.about, dice);
    let verbatim = text.get(range.0..range.1)?.to_owned();
    let places = occurrences(draft, case, &verbatim);
    let severity = severity(scene.severities, again, rates, dice);
    let mut complaint = Complaint {
        sentence: again.sentence,
        home,
        about: again.about,
        label: again.label.clone(),
        quote: verbatim,
        range,
        quoted: Quoted::Exact,
        places,
        fix: again.about.map_or_else(|| text.clone(), |flaw| sentence.mended(flaw).text(case)),
        severity,
    };
    // One fault a finding: what is wrong with two things has no one reason to be dropped.
    if !scene.severities.is_empty() && !scene.severities.contains(&complaint.severity) {
        complaint.quoted = Quoted::Dropped(DropReason::UnknownSeverity);
    } else if dice.chance("paraphrases_quote", 0, rates.paraphrases_quote) && complaint.places.len() == 1 {
        distort(&mut complaint, rates, dice);
    }
    if complaint.is_dropped() {
        complaint.places.clear();
    }
    Some(complaint)
}

fn severity(declared: &[String], again: &Again, rates: &Rates, dice: Dice) -> String {
    if dice.chance("unknown_severity", 0, rates.unknown_severity) {
        return "catastrophic".into();
    }
    let last = declared.len().saturating_sub(1);
    let rank = match (again.about, again.label.as_str()) {
        (Some(Flaw::Wrong), _) => 0,
        (_, "unsupported_claim") => last.min(1),
        _ => last - usize::from(last > 0 && dice.chance("graver", 0, 0.3)),
    };
    declared.get(rank).cloned().unwrap_or_else(|| "major".into())
}

/// Which bytes of a sentence are quoted. What has to change is always inside.
fn quoted_range(sentence: &Sentence, text: &str, about: About, dice: Dice) -> (usize, usize) {
    let whole = (0, text.len());
    let open = (0, text.strip_suffix('.').map_or(text.len(), str::len));
    let style = dice.unit("how much is quoted", 0);
    let lead = sentence.lead_text().map_or(0, |lead| lead.len());
    match about {
        Some(Flaw::Hedge) if style < 0.25 && matches!(sentence.lead, Some(Lead::Hedge(_))) => (0, lead),
        Some(Flaw::Hedge) | None if style < 0.55 => {
            let after = if lead == 0 { 0 } else { lead + 2 };
            let words = 4 + dice.pick("words", 0, 4);
            let stretch = text.get(after..).unwrap_or_default();
            let ends: Vec<usize> = stretch.match_indices(' ').map(|(at, _)| after + at).collect();
            ends.get(words - 1).map_or(open, |end| (0, *end))
        }
        _ if style < 0.8 => whole,
        _ => open,
    }
}

/// The sections of every occurrence, overlapping ones included, by comparing at every place.
fn occurrences(draft: &Draft, case: &Case, quote: &str) -> Vec<usize> {
    let mut out = vec![];
    for at in 0..draft.0.len() {
        let section = draft.section(at, case);
        out.extend(section.char_indices().filter(|(i, _)| section[*i..].starts_with(quote)).map(|_| at));
    }
    out
}

/// Makes a quotation that is not verbatim. Where its words do not allow for a slip it is typed otherwise.
fn distort(complaint: &mut Complaint, rates: &Rates, dice: Dice) {
    let kind = dice.unit("paraphrase", 0);
    let quote = complaint.quote.as_str();
    let made = if kind < rates.paraphrase_normalised {
        Some((retyped(quote, dice), Quoted::Normalised))
    } else if kind < rates.paraphrase_normalised + rates.paraphrase_fuzzy {
        slipped(quote, dice).map(|slip| (slip, Quoted::Fuzzy))
    } else {
        let kind = dice.unit("beyond", 0);
        let digits = (kind < 0.3).then(|| other_digit(quote, dice)).flatten().map(|q| (q, DropReason::DigitsDiffer));
        let elided = (0.3..0.6).contains(&kind).then(|| elided(quote)).flatten().map(|q| (q, DropReason::ElidedQuote));
        let empty = (kind > 0.95).then(|| (String::new(), DropReason::EmptyLocation));
        let hearsay = || (HEARSAY[dice.pick("hearsay", 0, HEARSAY.len())].to_owned(), DropReason::NotFound);
        let (quote, reason) = digits.or(elided).or(empty).unwrap_or_else(hearsay);
        Some((quote, Quoted::Dropped(reason)))
    };
    let (quote, quoted) = made.unwrap_or_else(|| (retyped(quote, dice), Quoted::Normalised));
    complaint.quote = quote;
    complaint.quoted = quoted;
}

/// The same words, typed otherwise.
fn retyped(quote: &str, dice: Dice) -> String {
    let spaces: Vec<usize> = quote.match_indices(' ').map(|(at, _)| at).collect();
    let space = spaces.get(dice.pick("which space", 0, spaces.len())).copied();
    let swapped = |at: usize, other: &str| format!("{}{other}{}", &quote[..at], &quote[at + 1..]);
    match (dice.pick("retyped", 0, 4), space) {
        (0, Some(at)) => swapped(at, "\u{a0}"),
        (1, Some(at)) => swapped(at, "\n"),
        (2, _) if !quote.ends_with('.') => format!("{quote}..."),
        _ => format!("\u{201c}{quote}\u{201d}"),
    }
}

/// One letter left out of a word inside the quotation. None where it is too short to be known again, or has no word that may suffer it.
fn slipped(quote: &str, dice: Dice) -> Option<String> {
    const CHARS_MIN: usize = 25;
    const LETTERS_MIN: usize = 6;
    let words: Vec<(usize, &str)> =
        quote.split(' ').scan(0, |at, word| Some((std::mem::replace(at, *at + word.len() + 1), word))).collect();
    let inner = words.get(1..words.len().saturating_sub(1)).filter(|_| quote.chars().count() >= CHARS_MIN)?;
    let may = |word: &str| word.len() >= LETTERS_MIN && word.bytes().all(|b| b.is_ascii_lowercase()) && !UNTOUCHABLE.contains(&word);
    let open: Vec<usize> = inner.iter().filter(|(_, word)| may(word)).map(|(at, _)| *at).collect();
    let at = open.get(dice.pick("which word", 0, open.len()))? + 2;
    Some(format!("{}{}", &quote[..at], &quote[at + 1..]))
}

/// Another digit for the last one.
fn other_digit(quote: &str, dice: Dice) -> Option<String> {
    const CHARS_MIN: usize = 25;
    let (at, digit) = quote.char_indices().rfind(|(_, c)| c.is_ascii_digit()).filter(|_| quote.chars().count() >= CHARS_MIN)?;
    let other = (digit as usize - '0' as usize + 1 + dice.pick("digit", 0, 9)) % 10;
    Some(format!("{}{other}{}", &quote[..at], &quote[at + 1..]))
}

/// The quotation without its middle.
fn elided(quote: &str) -> Option<String> {
    let words: Vec<&str> = quote.split(' ').collect();
    (words.len() >= 8).then(|| format!("{} ... {}", words[..3].join(" "), words[words.len() - 3..].join(" ")))
}
