//! From thing to thing: shows it, reads the answer, and has it on the disk before the next is shown.

use std::io::BufRead;
use std::path::PathBuf;

use super::card::Card;
use crate::cli::paint::Paint;
use crate::cli::print;
use crate::error::Error;
use crate::label::agree::in_words;
use crate::label::{self, Answer, Defect, Kind, Label, Rater, Verdict};
use crate::report::grid::escape_terminal;

/// One thing, and what this rater has said of it.
pub struct Deck {
    pub card: Card,
    pub of: String,
    pub said: Option<Label>,
}

pub struct Walk {
    pub deck: Vec<Deck>,
    pub rater: Rater,
    /// As labels name the arm.
    pub arm: String,
    pub path: PathBuf,
    /// Answers come from a file or a pipe: one that is not known is an error, since those after it would fall on the wrong things.
    pub scripted: bool,
    pub paint: Paint,
}

/// What a line of input asks for.
enum Input {
    Answer(Answer, Option<String>),
    Note(String),
    Add(Defect),
    TakeAway,
    Back,
    Open,
    Quit,
    Help,
}

/// The longest line of input that is read as an answer.
const INPUT_BYTES_MAX: u64 = 1 << 16;

impl Walk {
    /// Goes on until all is judged, the rater quits, or the input ends. Returns how many answers were given.
    pub fn run(&mut self, input: &mut dyn BufRead) -> Result<usize, Error> {
        let (mut answered, mut lines) = (0, 0);
        let mut next = self.open_from(0);
        while let Some(at) = next {
            let mut note = None;
            let mut defects: Vec<Defect> = vec![];
            print(&self.page(at))?;
            next = loop {
                print(&self.question(at, &defects))?;
                let Some(text) = read_line(input, &mut lines)? else { return Ok(answered) };
                match self.parse(at, &text, &defects) {
                    Err(what) if self.scripted => return Err(Error::new(format!("standard input, line {lines}: {what}"))),
                    Err(what) => print(&format!("  {what}\n"))?,
                    Ok(Input::Quit) => return Ok(answered),
                    Ok(Input::Help) => print(&format!("  {}\n", self.keys(at)))?,
                    Ok(Input::Note(text)) => note = Some(text).filter(|text| !text.is_empty()),
                    Ok(Input::Add(defect)) => defects.push(defect),
                    Ok(Input::TakeAway) => _ = defects.pop(),
                    Ok(Input::Back) if at == 0 => print("  this is the first one\n")?,
                    Ok(Input::Back) => break Some(at - 1),
                    Ok(Input::Open) => break self.open_from(at + 1),
                    Ok(Input::Answer(answer, words)) => {
                        self.keep(at, answer, words.or(note))?;
                        answered += 1;
                        break self.open_from(at + 1);
                    }
                }
            };
        }
        Ok(answered)
    }

    /// The next one without an answer.
    fn open_from(&self, at: usize) -> Option<usize> {
        (at..self.deck.len()).find(|at| self.deck[*at].said.is_none())
    }

    fn keep(&mut self, at: usize, answer: Answer, note: Option<String>) -> Result<(), Error> {
        let one = &mut self.deck[at];
        let (arm, rater) = (Some(self.arm.clone()), self.rater.clone());
        let label = Label { line: None, arm, place: one.card.place.clone(), of: one.of.clone(), answer, rater, note };
        label::append(&self.path, &label)?;
        one.said = Some(label);
        Ok(())
    }

    fn page(&self, at: usize) -> String {
        let one = &self.deck[at];
        let judged = self.deck.iter().filter(|one| one.said.is_some()).count();
        let head = format!("{} of {}  {}  ({judged} judged)", at + 1, self.deck.len(), escape_terminal(&one.card.place.to_string()));
        let said = one.said.as_ref().map_or(String::new(), |label| {
            let note = label.note.as_ref().map_or(String::new(), |note| format!(" ({})", escape_terminal(note)));
            format!("  you said: {}{note}\n", escape_terminal(&in_words(&label.answer)))
        });
        format!("\n{}\n{}{said}", self.paint.bold(&head), one.card.page(self.paint))
    }

    fn question(&self, at: usize, defects: &[Defect]) -> String {
        let so_far: Vec<String> = defects.iter().map(|defect| escape_terminal(&defect.class).into_owned()).collect();
        let so_far = if so_far.is_empty() { String::new() } else { format!(" (so far: {})", so_far.join(", ")) };
        let end = if self.scripted { "\n" } else { " " };
        format!("{}{so_far}?{end}", self.keys(at))
    }

    fn keys(&self, at: usize) -> String {
        let own = match self.deck[at].card.place.kind {
            Kind::Finding => "[r]eal [s]purious [u]nsure",
            Kind::Draft => "[c]orrect [i]ncorrect [u]nsure",
            Kind::Mention => "sections spoken of, such as 0 2, or -",
            Kind::Defect => "[a] CLASS | QUOTE, [x] take away, [.] done",
        };
        format!("{own}, [n]ote [b]ack [q]uit, Enter leaves it open")
    }

    fn parse(&self, at: usize, text: &str, defects: &[Defect]) -> Result<Input, String> {
        let card = &self.deck[at].card;
        let text = text.trim();
        let (word, rest) = text.split_once(char::is_whitespace).map_or((text, ""), |(word, rest)| (word, rest.trim()));
        let words = Some(rest.to_owned()).filter(|rest| !rest.is_empty());
        let verdict = |verdict| Ok(Input::Answer(Answer::Verdict(verdict), words.clone()));
        match (card.place.kind, word) {
            (_, "") => Ok(Input::Open),
            (_, "q") if rest.is_empty() => Ok(Input::Quit),
            (_, "b") if rest.is_empty() => Ok(Input::Back),
            (_, "n") => Ok(Input::Note(rest.to_owned())),
            (_, "?" | "h") if rest.is_empty() => Ok(Input::Help),
            (Kind::Finding, "r") => verdict(Verdict::Real),
            (Kind::Finding, "s") => verdict(Verdict::Spurious),
            (Kind::Draft, "c") => verdict(Verdict::Correct),
            (Kind::Draft, "i") => verdict(Verdict::Incorrect),
            (Kind::Finding | Kind::Draft, "u") => verdict(Verdict::Unsure),
            (Kind::Mention, _) => Ok(Input::Answer(Answer::Sections(sections(text, card.sections.len())?), None)),
            (Kind::Defect, "a") => defect(rest, &card.draft).map(Input::Add),
            (Kind::Defect, "x") if rest.is_empty() => Ok(Input::TakeAway),
            (Kind::Defect, ".") => Ok(Input::Answer(Answer::Defects(defects.to_vec()), words)),
            _ => Err(format!("`{}` is no answer here; expected {}", escape_terminal(text), self.keys(at))),
        }
    }
}

fn sections(text: &str, count: usize) -> Result<Vec<usize>, String> {
    if text == "-" {
        return Ok(vec![]);
    }
    let one = |part: &str| {
        let section: Option<usize> = part.parse().ok();
        section
            .filter(|at| *at < count)
            .ok_or_else(|| format!("`{}` is no section of this draft; it has {count}, from 0", escape_terminal(part)))
    };
    let mut list = text.split([' ', ',', '\t']).filter(|part| !part.is_empty()).map(one).collect::<Result<Vec<_>, _>>()?;
    list.sort_unstable();
    list.dedup();
    Ok(list)
}

fn defect(text: &str, draft: &str) -> Result<Defect, String> {
    let (class, quote) = text.split_once('|').map_or((text, ""), |(class, quote)| (class.trim(), quote.trim()));
    if class.is_empty() {
        return Err("a defect has a class; expected a CLASS | QUOTE, such as a wrong_value | $20.00".to_owned());
    }
    if !draft.contains(quote) {
        return Err(format!(
            "\"{}\" does not stand in the draft; expected a piece of it, or nothing after the bar",
            escape_terminal(quote)
        ));
    }
    Ok(Defect { class: class.to_owned(), quote: quote.to_owned() })
}

/// A line without its end; None where the input is over.
fn read_line(input: &mut dyn BufRead, lines: &mut usize) -> Result<Option<String>, Error> {
    let mut bytes = vec![];
    let wrong = |what: String| Error::new(format!("standard input: {what}"));
    std::io::Read::take(&mut *input, INPUT_BYTES_MAX).read_until(b'\n', &mut bytes).map_err(|e| wrong(format!("failed to read: {e}")))?;
    if bytes.is_empty() {
        return Ok(None);
    }
    *lines += 1;
    if bytes.len() as u64 == INPUT_BYTES_MAX {
        return Err(wrong(format!("line {lines} is longer than {INPUT_BYTES_MAX} bytes")));
    }
    String::from_utf8(bytes).map(Some).map_err(|_| wrong(format!("line {lines} is not valid UTF-8")))
}
