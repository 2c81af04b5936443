//! Bytes passed over many at a time: up to the next line end, the next byte beyond ASCII, the next one that needs a closer look.

/// The high bit of each byte in a word of eight.
const HIGH: u64 = ONES << 7;
const ONES: u64 = u64::MAX / 255;

/// The high bit of each byte of `word` that is less than `n`, at most 128. Above such a byte others may be marked too, below it none.
fn less(word: u64, n: u8) -> u64 {
    word.wrapping_sub(ONES * u64::from(n)) & !word
}

/// How many bytes come before the first that `marks` marks in a word and `is` names alone.
fn run(bytes: &[u8], marks: impl Fn(u64) -> u64, is: impl Fn(u8) -> bool) -> usize {
    let mut at = 0;
    while let Some(eight) = bytes[at..].first_chunk() {
        let found = marks(u64::from_le_bytes(*eight)) & HIGH;
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at + bytes[at..].iter().take_while(|byte| !is(**byte)).count()
}

/// How many bytes at the front are neither control characters nor one of `special`.
#[inline]
pub fn plain_run<const N: usize>(bytes: &[u8], special: [u8; N]) -> usize {
    let marks = |word: u64| special.iter().fold(less(word, 0x20), |found, byte| found | less(word ^ (ONES * u64::from(*byte)), 1));
    run(bytes, marks, |byte| byte < 0x20 || special.contains(&byte))
}

/// How many bytes at the front are ASCII and none of `special`.
pub fn ascii_run_without<const N: usize>(bytes: &[u8], special: [u8; N]) -> usize {
    let marks = |word: u64| special.iter().fold(word, |found, byte| found | less(word ^ (ONES * u64::from(*byte)), 1));
    run(bytes, marks, |byte| !byte.is_ascii() || special.contains(&byte))
}

/// How many bytes at the front are ASCII.
pub fn ascii_run(bytes: &[u8]) -> usize {
    run(bytes, |word| word, |byte| !byte.is_ascii())
}

/// Where the first line feed is.
pub fn line_end(bytes: &[u8]) -> Option<usize> {
    const CHUNK: usize = 64;
    let without = |chunk: &&[u8]| !chunk.iter().fold(false, |any, byte| any | (*byte == b'\n'));
    let whole = bytes.chunks_exact(CHUNK).take_while(without).count() * CHUNK;
    bytes[whole..].iter().position(|byte| *byte == b'\n').map(|at| whole + at)
}

/// How many ASCII letters and digits stand at the start: words are short, so one at a time, each by a look-up.
pub(super) fn alphanumeric_run(bytes: &[u8]) -> usize {
    bytes.iter().position(|b| CLASS[usize::from(*b)] == OTHER).unwrap_or(bytes.len())
}

/// The word of nothing but ASCII letters at the start, where a blank, a comma, a line end or the end of the text follows: most words.
pub(super) fn plain_word(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let letters = bytes.iter().position(|b| CLASS[usize::from(*b)] != LETTER).unwrap_or(bytes.len());
    matches!(bytes.get(letters), None | Some(b' ' | b',' | b'\n')).then(|| &text[..letters])
}

const OTHER: u8 = 0;
const LETTER: u8 = 1;
const DIGIT: u8 = 2;

static CLASS: [u8; 256] = {
    let mut table = [OTHER; 256];
    let mut b = 0u8;
    while b < 128 {
        table[b as usize] = if b.is_ascii_alphabetic() {
            LETTER
        } else if b.is_ascii_digit() {
            DIGIT
        } else {
            OTHER
        };
        b += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn runs_end_where_they_should(bytes in prop::collection::vec(prop_oneof![8 => 0x20u8..0x80, 1 => any::<u8>()], 0..300)) {
            let before = |stops: &dyn Fn(u8) -> bool| bytes.iter().position(|byte| stops(*byte));
            let end = |stops: &dyn Fn(u8) -> bool| before(stops).unwrap_or(bytes.len());
            prop_assert_eq!(plain_run(&bytes, [b'"', b'\\']), end(&|byte| byte < 0x20 || byte == b'"' || byte == b'\\'));
            prop_assert_eq!(plain_run(&bytes, [0xe2]), end(&|byte| byte < 0x20 || byte == 0xe2));
            prop_assert_eq!(ascii_run_without(&bytes, [b'`', b'\'']), end(&|byte| byte >= 0x80 || byte == b'`' || byte == b'\''));
            prop_assert_eq!(ascii_run(&bytes), end(&|byte| byte >= 0x80));
            prop_assert_eq!(line_end(&bytes), before(&|byte| byte == b'\n'));
        }
    }
}
