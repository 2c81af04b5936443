//! Numerals: the numbers and dates a text states, in digits or in words, so that two texts can be asked whether they state the same.
//!
//! Words of English, German, French and Spanish; digits of any script; month and weekday names. A small "one" and an ordinal may be an
//! article or an adverb ("ein", "first"), so they may be missing on one side, but may not stand against another number.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

/// One symbol of the sequence of digits: a digit (0-9), a month, a weekday or another numeric sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Symbol {
    code: u32,
    /// May be missing in the other text.
    loose: bool,
}

const MONTH: u32 = 0x0100_0000;
const WEEKDAY: u32 = 0x0200_0000;

/// True where both texts state the same sequence of digits.
pub(super) fn same_numerals(a: &str, b: &str) -> bool {
    matches(&symbols(a), &symbols(b))
}

/// Equal but for loose symbols missing on one side: a gap may leave out symbols of one text only, so "first" never equals "second".
fn matches(a: &[Symbol], b: &[Symbol]) -> bool {
    // reach[j] = can a[..i] be matched with b[..j], by what the gap that is open there left out: nothing, of a, of b.
    let mut reach = vec![[false; 3]; b.len() + 1];
    reach[0][0] = true;
    for i in 0..=a.len() {
        if i > 0 {
            let one = a[i - 1];
            let before = std::mem::replace(&mut reach, vec![[false; 3]; b.len() + 1]);
            for j in 0..=b.len() {
                reach[j][1] = one.loose && (before[j][0] || before[j][1]);
                reach[j][0] = j > 0 && b[j - 1].code == one.code && before[j - 1].iter().any(|&r| r);
            }
        }
        for j in 1..=b.len() {
            reach[j][2] = b[j - 1].loose && (reach[j - 1][0] || reach[j - 1][2]);
        }
    }
    reach[b.len()].iter().any(|&r| r)
}

/// A word or a sign with what it means as a number.
enum Token<'a> {
    Digits(Vec<u32>),
    Word(&'a str),
    /// Han numerals and signs such as ½ or ② count as they are.
    Sign(u32),
}

fn symbols(text: &str) -> Vec<Symbol> {
    let tokens = tokens(text);
    let mut out = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            Token::Digits(digits) => out.extend(digits.iter().map(|&code| Symbol { code, loose: false })),
            Token::Sign(code) => out.push(Symbol { code: *code, loose: *code == u32::from('一') }),
            Token::Word(_) => {
                let (number, used) = spoken(&tokens[at..]);
                if let Some((value, loose)) = number {
                    out.extend(value.to_string().bytes().map(|d| Symbol { code: u32::from(d - b'0'), loose }));
                    at += used;
                    continue;
                }
                out.extend(date_word(&tokens, at).map(|code| Symbol { code, loose: false }));
            }
        }
        at += 1;
    }
    out
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let take = |keep: &dyn Fn(char) -> bool| rest.find(|c| !keep(c)).unwrap_or(rest.len());
        let len = if digit(c).is_some() {
            let len = take(&|c| digit(c).is_some());
            out.push(Token::Digits(rest[..len].chars().filter_map(digit).collect()));
            len
        } else if "一二三四五六七八九十百千万".contains(c) || (c.is_numeric() && !c.is_alphabetic()) || matches!(c, 'Ⅰ'..='ↈ')
        {
            out.push(Token::Sign(u32::from(c)));
            c.len_utf8()
        } else if c.is_alphabetic() {
            let len = take(&|c| c.is_alphabetic() && !super::window::is_unspaced(c)).max(c.len_utf8());
            out.push(Token::Word(&rest[..len]));
            len
        } else {
            c.len_utf8()
        };
        rest = &rest[len..];
    }
    out
}

/// The value of a decimal digit of the scripts in use, full-width ones included.
fn digit(c: char) -> Option<u32> {
    const ZEROS: [u32; 13] = [0x30, 0x660, 0x6F0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xBE6, 0xC66, 0xE50, 0xED0, 0x17E0, 0xFF10];
    ZEROS.iter().map(|&zero| u32::from(c).wrapping_sub(zero)).find(|&d| d < 10)
}

/// The number that the words from the first token on spell, whether it is loose, and how many tokens it takes.
fn spoken(tokens: &[Token]) -> (Option<(u64, bool)>, usize) {
    let (mut total, mut current, mut used, mut parts) = (0u64, 0u64, 0, 0);
    let mut loose = false;
    while let Some(Token::Word(word)) = tokens.get(used) {
        let word = lower(word);
        let joins = parts > 0 && matches!(word.as_ref(), "and" | "und" | "y" | "et");
        let (step, word) = match tokens.get(used + 1) {
            Some(Token::Word(next)) if joins => (2, lower(next)),
            _ => (1, word),
        };
        let Some(number) = number_word(&word) else { break };
        let fits = match number {
            Number::Value(v) | Number::Loose(v) if v < 10 => {
                parts == 0 || (current == 0 && total > 0) || (current > 0 && current.is_multiple_of(10) && current % 100 != 10)
            }
            Number::Value(v) | Number::Loose(v) => {
                parts == 0 || (v < 100 && current > 0 && current.is_multiple_of(100)) || (current == 0 && total > 0)
            }
            Number::Scale(_) => step == 1,
        };
        if !fits {
            break;
        }
        match number {
            Number::Value(v) => (current, loose) = (current + v, false),
            Number::Loose(v) => (current, loose) = (current + v, parts == 0),
            Number::Scale(s) if s == 100 => (current, loose) = (current.max(1) * s, false),
            Number::Scale(s) => (total, current, loose) = (total + current.max(1) * s, 0, false),
        }
        used += step;
        parts += 1;
    }
    ((parts > 0).then_some((total + current, loose)), used)
}

#[derive(Debug, Clone, Copy)]
enum Number {
    Value(u64),
    Loose(u64),
    /// A hundred, a thousand, a million: multiplies what stands before it.
    Scale(u64),
}

/// Cardinal words by value; each list is English, German, French, Spanish.
const CARDINALS: &[(u64, &[&str])] = &[
    (0, &["zero", "null", "zéro", "cero"]),
    (2, &["two", "zwei", "deux", "dos", "twice", "zweimal", "zwo"]),
    (3, &["three", "drei", "trois", "tres", "thrice", "dreimal"]),
    (4, &["four", "vier", "quatre", "cuatro"]),
    (5, &["five", "fünf", "cinq", "cinco"]),
    (6, &["six", "sechs", "seis"]),
    (7, &["seven", "sieben", "sept", "siete"]),
    (8, &["eight", "acht", "huit", "ocho"]),
    (9, &["nine", "neun", "neuf", "nueve"]),
    (10, &["ten", "zehn", "dix", "diez"]),
    (11, &["eleven", "elf", "onze"]),
    (12, &["twelve", "zwölf", "douze", "doce", "dozen", "dutzend", "douzaine", "docena"]),
    (13, &["thirteen", "dreizehn", "treize", "trece"]),
    (14, &["fourteen", "vierzehn", "quatorze", "catorce"]),
    (15, &["fifteen", "fünfzehn", "quinze", "quince"]),
    (16, &["sixteen", "sechzehn", "seize", "dieciséis"]),
    (17, &["seventeen", "siebzehn", "diecisiete"]),
    (18, &["eighteen", "achtzehn", "dieciocho"]),
    (19, &["nineteen", "neunzehn", "diecinueve"]),
    (20, &["twenty", "zwanzig", "vingt", "veinte"]),
    (30, &["thirty", "dreißig", "dreissig", "trente", "treinta"]),
    (40, &["forty", "vierzig", "quarante", "cuarenta"]),
    (50, &["fifty", "fünfzig", "cinquante", "cincuenta"]),
    (60, &["sixty", "sechzig", "soixante", "sesenta"]),
    (70, &["seventy", "siebzig", "septante", "setenta"]),
    (80, &["eighty", "achtzig", "huitante", "ochenta"]),
    (90, &["ninety", "neunzig", "nonante", "noventa"]),
];

const SCALES: &[(u64, &[&str])] = &[
    (100, &["hundred", "hundreds", "hundert", "cent", "cents", "cien", "ciento", "cientos"]),
    (1_000, &["thousand", "thousands", "tausend", "mille", "mil"]),
    (1_000_000, &["million", "millions", "millionen", "millón", "millones"]),
    (1_000_000_000, &["billion", "billions", "milliarde", "milliarden", "milliard", "milliards"]),
];

/// Words that may be a number or an article, and ordinals, which may be adverbs.
const LOOSE: &[(u64, &[&str])] = &[
    (
        1,
        &[
            "one",
            "ein",
            "eine",
            "einen",
            "einem",
            "einer",
            "eines",
            "eins",
            "un",
            "une",
            "una",
            "uno",
            "once",
            "einmal",
            "first",
            "firstly",
            "premier",
            "première",
            "primer",
            "primera",
            "primero",
        ],
    ),
    (2, &["second", "secondly", "deuxième", "segundo", "segunda"]),
    (3, &["third", "thirdly", "troisième", "tercer", "tercera", "tercero"]),
    (4, &["fourth", "quatrième", "cuarto", "cuarta"]),
    (5, &["fifth", "cinquième", "quinto", "quinta"]),
    (6, &["sixth", "sixième", "sexto", "sexta"]),
    (7, &["seventh", "septième", "séptimo"]),
    (8, &["eighth", "huitième", "octavo"]),
    (9, &["ninth", "neuvième", "noveno"]),
    (10, &["tenth", "dixième", "décimo"]),
    (12, &["twelfth", "douzième"]),
];

/// Stems of German ordinals, before their endings -e, -en, -er, -es, -em.
const GERMAN_ORDINALS: [(&str, u64); 10] = [
    ("erst", 1),
    ("zweit", 2),
    ("dritt", 3),
    ("viert", 4),
    ("fünft", 5),
    ("sechst", 6),
    ("siebt", 7),
    ("acht", 8),
    ("neunt", 9),
    ("zehnt", 10),
];

/// What a word of the lists stands for.
#[derive(Debug, Clone, Copy)]
enum Meaning {
    Number(Number),
    /// A month or weekday, as a symbol; `sure` where the word is nothing else and needs no number beside it.
    Date {
        symbol: u32,
        sure: bool,
    },
}

/// All lists as one table; a word in several lists (Spanish "once" is eleven) keeps its first meaning.
static MEANINGS: LazyLock<HashMap<&'static str, Meaning>> = LazyLock::new(|| {
    let mut out = HashMap::new();
    let mut add = |words: &[&'static str], meaning: Meaning| words.iter().for_each(|word| _ = out.entry(*word).or_insert(meaning));
    CARDINALS.iter().for_each(|(value, words)| add(words, Meaning::Number(Number::Value(*value))));
    SCALES.iter().for_each(|(value, words)| add(words, Meaning::Number(Number::Scale(*value))));
    LOOSE.iter().for_each(|(value, words)| add(words, Meaning::Number(Number::Loose(*value))));
    (WEEKDAY..).zip(WEEKDAYS).for_each(|(symbol, words)| add(words, Meaning::Date { symbol, sure: true }));
    for (symbol, (full, short)) in (MONTH..).zip(MONTHS.iter().zip(SHORT_MONTHS)) {
        let (unsure, sure): (Vec<_>, Vec<_>) = full.iter().copied().partition(|word| AMBIGUOUS.contains(word));
        add(&sure, Meaning::Date { symbol, sure: true });
        add(&unsure, Meaning::Date { symbol, sure: false });
        add(short, Meaning::Date { symbol, sure: false });
    }
    out
});

fn number_word(word: &str) -> Option<Number> {
    if let Some(Meaning::Number(number)) = MEANINGS.get(word) {
        return Some(*number);
    }
    let ordinal = || {
        let (stem, value) = GERMAN_ORDINALS.iter().find(|(stem, _)| word.starts_with(stem))?;
        matches!(&word[stem.len()..], "e" | "en" | "er" | "es" | "em" | "ens").then_some(*value)
    };
    german_compound(word).map(Number::Value).or_else(|| ordinal().map(Number::Loose))
}

/// What one word in lower case means by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    Cardinal(u64),
    /// An ordinal, or a "one" that may be an article.
    Loose(u64),
    /// From 1; `sure` where the word is nothing else and needs no number beside it.
    Month {
        month: u8,
        sure: bool,
    },
    /// From Monday, 0.
    Weekday(u8),
}

pub(super) fn word(word: &str) -> Option<Word> {
    match MEANINGS.get(word) {
        Some(Meaning::Date { symbol, .. }) if *symbol >= WEEKDAY => Some(Word::Weekday((symbol - WEEKDAY) as u8)),
        Some(Meaning::Date { symbol, sure }) => Some(Word::Month { month: (symbol - MONTH) as u8 + 1, sure: *sure }),
        _ => match number_word(word)? {
            Number::Value(n) => Some(Word::Cardinal(n)),
            Number::Loose(n) => Some(Word::Loose(n)),
            Number::Scale(_) => None,
        },
    }
}

fn cardinal(word: &str) -> Option<u64> {
    match MEANINGS.get(word) {
        Some(Meaning::Number(Number::Value(value))) => Some(*value),
        _ => None,
    }
}

/// "fünfundzwanzig", "zweihundert": German writes them as one word.
fn german_compound(word: &str) -> Option<u64> {
    // The shortest is "hundertelf".
    if word.len() < 10 {
        return None;
    }
    let value = |part: &str| if part == "ein" { Some(1) } else { cardinal(part) };
    if let Some((unit, ten)) = word.split_once("und")
        && let (Some(unit), Some(ten)) = (value(unit), value(ten))
    {
        return (unit < 10 && ten >= 20).then_some(unit + ten);
    }
    ["hundert", "tausend"].iter().zip([100, 1000]).find_map(|(scale, by)| {
        let (head, tail) = word.split_once(scale)?;
        let tail = if tail.is_empty() { 0 } else { value(tail).or_else(|| german_compound(tail))? };
        if head.is_empty() && tail == 0 { None } else { Some(if head.is_empty() { by } else { value(head)? * by } + tail) }
    })
}

/// Months from January on: English, German, French, Spanish, and short forms.
const MONTHS: [&[&str]; 12] = [
    &["january", "januar", "jänner", "janvier", "enero"],
    &["february", "februar", "février", "febrero"],
    &["march", "märz", "mars", "marzo"],
    &["april", "avril", "abril"],
    &["may", "mai", "mayo"],
    &["june", "juni", "juin", "junio"],
    &["july", "juli", "juillet", "julio"],
    &["august", "août", "agosto"],
    &["september", "septembre", "septiembre"],
    &["october", "oktober", "octobre", "octubre"],
    &["november", "novembre", "noviembre"],
    &["december", "dezember", "décembre", "diciembre"],
];
const SHORT_MONTHS: [&[&str]; 12] = [
    &["jan", "janv", "ene"],
    &["feb", "févr"],
    &["mar"],
    &["apr", "avr", "abr"],
    &[],
    &["jun"],
    &["jul", "juil"],
    &["aug"],
    &["sept", "sep"],
    &["oct", "okt"],
    &["nov"],
    &["dec", "dez", "déc", "dic"],
];
/// Weekdays from Monday on. A changed day is a changed date as much as a changed month is.
const WEEKDAYS: [&[&str]; 7] = [
    &["monday", "mondays", "montag", "montags", "lundi", "lunes"],
    &["tuesday", "tuesdays", "dienstag", "dienstags", "mardi", "martes"],
    &["wednesday", "wednesdays", "mittwoch", "mittwochs", "mercredi", "miércoles"],
    &["thursday", "thursdays", "donnerstag", "donnerstags", "jeudi", "jueves"],
    &["friday", "fridays", "freitag", "freitags", "vendredi", "viernes"],
    &["saturday", "saturdays", "samstag", "samstags", "sonnabend", "samedi", "sábado"],
    &["sunday", "sundays", "sonntag", "sonntags", "dimanche", "domingo"],
];
/// Names of months that are other words too: they count only beside a number.
const AMBIGUOUS: [&str; 6] = ["march", "may", "mars", "mar", "sept", "dec"];

/// A month's or weekday's symbol where the word at `at` names one.
fn date_word(tokens: &[Token], at: usize) -> Option<u32> {
    let Token::Word(word) = tokens.get(at)? else { return None };
    let word = lower(word);
    let beside = |i: Option<usize>| i.and_then(|i| tokens.get(i)).is_some_and(|t| matches!(t, Token::Digits(_)));
    match MEANINGS.get(word.as_ref()) {
        Some(&Meaning::Date { symbol, sure }) => (sure || beside(at.checked_sub(1)) || beside(Some(at + 1))).then_some(symbol),
        _ => None,
    }
}

/// Lower case, without an allocation where it is that already.
pub(super) fn lower(word: &str) -> Cow<'_, str> {
    if word.chars().any(char::is_uppercase) { Cow::Owned(word.to_lowercase()) } else { Cow::Borrowed(word) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_the_same_numbers_from_others() {
        for (a, b, same) in [
            ("within 15 days", "inside of 15 days", true),
            ("within 15 days", "within 30 days", false),
            ("five to ten", "5 to 10", true),
            ("five to ten", "five to twelve", false),
            ("twenty-five days", "25 days", true),
            ("two hundred and fifty", "250", true),
            ("two thousand three hundred", "2300", true),
            ("fünfundzwanzig Tage", "25 Tage", true),
            ("zweihundert Euro", "200 Euro", true),
            ("fünf bis zehn", "fünf bis zwölf", false),
            ("treinta y cinco", "35", true),
            ("trente jours", "vingt jours", false),
            ("1 188,00 €", "1188.00 €", true),
            ("１２,８００円", "12,800円", true),
            ("18 November", "18 October", false),
            ("in November", "in October", false),
            ("le 5 mars", "le 5 mai", false),
            ("4 Nov 2024", "4 November 2024", true),
            ("you may cancel", "you can cancel", true),
            ("4 May", "4 March", false),
            ("by Friday", "by Monday", false),
            ("a year", "one year", true),
            ("one year", "two years", false),
            ("1 year", "one year", true),
            ("the first dispute", "the dispute", true),
            ("the first dispute", "the second dispute", false),
            ("the first dispute", "the 1 dispute", true),
            ("eine Stunde", "zwei Stunden", false),
            ("am ersten Tag", "am zweiten Tag", false),
            ("三日以内", "五日以内", false),
            ("no numbers", "no figures", true),
            ("", "", true),
            ("", "7", false),
        ] {
            assert_eq!(same_numerals(a, b), same, "{a} / {b}");
            assert_eq!(same_numerals(b, a), same, "{b} / {a}");
        }
    }
}
