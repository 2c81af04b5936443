//! Which words of a text stand in other texts: runs of five words, hashed. Work and memory grow with the text, never with its square.

/// Words in a run. Five in a row are seldom shared by chance.
pub const RUN: usize = 5;

const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// The words of a text: hashes without letter case, and where each stands.
#[derive(Default)]
pub struct Words {
    pub hashes: Vec<u64>,
    pub spans: Vec<(usize, usize)>,
    /// True where a mark that ends a sentence or a clause, or an underscore, stands before the word: no phrase goes on over it.
    pub parted: Vec<bool>,
}

impl Words {
    /// Words are letters and digits. What JSON and HTML write for other characters (`\n`, `&quot;`) parts words, as the characters do;
    /// in scripts that write no blanks a character is a word.
    pub fn of(text: &str) -> Words {
        let mut words = Words::default();
        let (mut hash, mut start) = (0u64, None);
        let mut skip_to = 0;
        let mut parted = false;
        for (at, c) in text.char_indices() {
            if at < skip_to {
                continue;
            }
            let alone = c >= '\u{2e80}' && c.is_alphanumeric();
            if c.is_alphanumeric() && !alone {
                start.get_or_insert(at);
                hash = mixed(hash, u64::from(u32::from(c.to_ascii_lowercase())));
                continue;
            }
            if let Some(from) = start.take() {
                words.push(std::mem::take(&mut hash), from, at, std::mem::take(&mut parted));
            }
            parted |= matches!(c, '.' | '!' | '?' | ':' | ';' | '_');
            if alone {
                words.push(mixed(0, u64::from(u32::from(c))), at, at + c.len_utf8(), std::mem::take(&mut parted));
            } else if c == '\\' || c == '&' {
                skip_to = at + escape(&text[at..]);
            }
        }
        if let Some(from) = start {
            words.push(hash, from, text.len(), parted);
        }
        words
    }

    fn push(&mut self, hash: u64, from: usize, until: usize, parted: bool) {
        self.parted.push(parted);
        self.hashes.push(hash);
        self.spans.push((from, until));
    }

    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Hash of each run of `n` words.
    fn runs(&self, n: usize) -> impl Iterator<Item = u64> + '_ {
        self.hashes.windows(n).map(run)
    }
}

fn mixed(hash: u64, value: u64) -> u64 {
    (hash.rotate_left(5) ^ value).wrapping_add(1).wrapping_mul(BASE)
}

fn run(words: &[u64]) -> u64 {
    words.iter().fold(0, |hash, word| mixed(hash, *word))
}

/// How many bytes an escape takes, 1 where it is none.
fn escape(rest: &str) -> usize {
    match rest.as_bytes() {
        [b'\\', b'n' | b't' | b'r', ..] => 2,
        [b'&', name @ ..] => match name.iter().take(9).position(|b| *b == b';') {
            Some(end) if end > 0 && name[..end].iter().all(|b| b.is_ascii_alphanumeric() || *b == b'#') => end + 2,
            _ => 1,
        },
        _ => 1,
    }
}

/// The runs of one or more texts.
#[derive(Default)]
pub struct Runs {
    /// By length of run, 1 to [`RUN`]: sorted hashes. Only texts of fewer than RUN words have shorter runs: themselves.
    by_length: [Vec<u64>; RUN],
}

impl Runs {
    pub fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Runs {
        let mut runs = Runs::default();
        texts.into_iter().for_each(|text| runs.add(&Words::of(text)));
        runs.sorted()
    }

    pub fn of_words<'w>(texts: impl IntoIterator<Item = &'w Words>) -> Runs {
        let mut runs = Runs::default();
        texts.into_iter().for_each(|words| runs.add(words));
        runs.sorted()
    }

    fn add(&mut self, words: &Words) {
        let n = words.len().min(RUN);
        if n > 0 {
            self.by_length[n - 1].extend(words.runs(n));
        }
    }

    fn sorted(mut self) -> Runs {
        for list in &mut self.by_length {
            list.sort_unstable();
            list.dedup();
        }
        self
    }

    fn has(&self, length: usize, hash: u64) -> bool {
        self.by_length[length - 1].binary_search(&hash).is_ok()
    }
}

/// For each word whether it stands in one of `known`, as part of a run.
pub fn covered(words: &Words, known: &[&Runs]) -> Vec<bool> {
    let mut out = vec![false; words.len()];
    for n in 1..=RUN {
        let of_length: Vec<&&Runs> = known.iter().filter(|runs| !runs.by_length[n - 1].is_empty()).collect();
        if of_length.is_empty() || words.len() < n {
            continue;
        }
        for (at, hash) in words.runs(n).enumerate() {
            if of_length.iter().any(|runs| runs.has(n, hash)) {
                out[at..at + n].fill(true);
            }
        }
    }
    out
}

/// How many runs of `needle` are in `known` and in none of `less`; and the longest stretch of them in words.
pub fn shared(needle: &Words, known: &Runs, less: &[&Runs]) -> usize {
    if needle.len() < RUN {
        return 0;
    }
    needle.runs(RUN).filter(|hash| known.has(RUN, *hash) && !less.iter().any(|runs| runs.has(RUN, *hash))).count()
}

/// Of a text's runs that `first` has, how many `second` has too: (both, first). A text shorter than a run counts as one run, looked for as it is.
/// Runs that `less` has do not count.
pub fn passed_on(text: &Words, first: &Request, second: &Request, less: &Runs) -> (usize, usize) {
    let n = text.len();
    if n == 0 {
        return (0, 0);
    }
    if n < RUN {
        let had = usize::from(first.holds(&text.hashes));
        return (had * usize::from(second.holds(&text.hashes)), had);
    }
    let mut both = 0;
    let mut had = 0;
    for hash in text.runs(RUN).filter(|hash| first.runs.has(RUN, *hash) && !less.has(RUN, *hash)) {
        had += 1;
        both += usize::from(second.runs.has(RUN, hash));
    }
    (both, had)
}

/// A request's words, ready to be looked into.
pub struct Request {
    pub words: Words,
    pub runs: Runs,
}

impl Request {
    pub fn of(text: &str) -> Request {
        let words = Words::of(text);
        let runs = Runs::of_words([&words]);
        Request { words, runs }
    }

    fn holds(&self, few: &[u64]) -> bool {
        self.words.hashes.windows(few.len()).any(|some| some == few)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_part_words_as_their_characters_do() {
        for (a, b, words) in [
            ("one two\nthree", r"One two\nthree", 3),
            ("say \"yes\" now", r#"say \"yes\" now"#, 3),
            ("fish & chips", "fish &amp; chips", 2),
            ("退款 ok", "退款ok", 3),
            ("", " -- ", 0),
        ] {
            let (a, b) = (Words::of(a), Words::of(b));
            assert_eq!((a.len(), &a.hashes), (words, &b.hashes));
        }
    }

    #[test]
    fn words_are_known_by_the_runs_around_them() {
        let known = Runs::of(["the fee is twenty pounds a dispute", "be kind"]);
        let text = Words::of("Note: the fee is twenty pounds a day. Be kind to the fee.");
        let seen = covered(&text, &[&known]);
        let unknown: Vec<usize> = seen.iter().enumerate().filter(|(_, known)| !**known).map(|(at, _)| at).collect();
        assert_eq!(unknown, [0, 7, 10, 11, 12]);
    }

    #[test]
    fn what_is_passed_on_is_counted_in_runs() {
        let (first, cut) = (Request::of("a b c d e f g h"), Request::of("x a b c d e f y"));
        assert_eq!(passed_on(&Words::of("a b c d e f g h"), &first, &cut, &Runs::default()), (2, 4));
        assert_eq!(passed_on(&Words::of("a b c d e f g h"), &first, &cut, &Runs::of(["b c d e f"])), (1, 3));
        assert_eq!(passed_on(&Words::of("g h"), &first, &cut, &Runs::default()), (0, 1));
        assert_eq!(passed_on(&Words::of("never said"), &first, &cut, &Runs::default()), (0, 0));
    }
}
