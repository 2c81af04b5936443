//! What is known of single words, kept for the next time they are met: a table of fixed size, to be had once a thread. Two words may want
//! the same place; the later one gets it, and the other is looked up anew. The table is small, so that it stays near the processor.

pub(super) struct Memo<V>(Vec<(Key, V)>);

/// The first and the last eight bytes of a word, which may overlap, and its length; zero where nothing is kept.
#[derive(Clone, Copy, PartialEq, Default)]
struct Key {
    ends: [u64; 2],
    length: u8,
}

/// Longer words are rare, and are not kept.
const LONGEST: usize = 16;
const BITS: u32 = 12;

impl<V: Copy + Default> Memo<V> {
    pub fn new() -> Memo<V> {
        Memo(vec![(Key::default(), V::default()); 1 << BITS])
    }

    /// What `find` says of a word. It must say the same each time.
    pub fn get(&mut self, word: &str, find: impl FnOnce(&str) -> V) -> V {
        let Some(key) = key(word.as_bytes()) else { return find(word) };
        let mixed = (key.ends[0] ^ key.ends[1].rotate_left(29) ^ u64::from(key.length)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let Some((kept, value)) = self.0.get_mut((mixed >> (64 - BITS)) as usize) else { return find(word) };
        if *kept != key {
            (*kept, *value) = (key, find(word));
        }
        *value
    }
}

fn key(word: &[u8]) -> Option<Key> {
    let ends = match word {
        [] => return None,
        [a] => [u64::from(*a), 0],
        [a, .., z] if word.len() < 4 => [u64::from(*a) | u64::from(word[1]) << 8 | u64::from(*z) << 16, 0],
        _ if word.len() > LONGEST => return None,
        _ => match (word.first_chunk(), word.last_chunk()) {
            (Some(first), Some(last)) => [u64::from_le_bytes(*first), u64::from_le_bytes(*last)],
            _ => {
                let four = |chunk: Option<&[u8; 4]>| chunk.map_or(0, |chunk| u64::from(u32::from_le_bytes(*chunk)));
                [four(word.first_chunk()), four(word.last_chunk())]
            }
        },
    };
    Some(Key { ends, length: word.len() as u8 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_once_and_never_taken_for_another() {
        let mut memo: Memo<usize> = Memo::new();
        assert_eq!(memo.get("fee", str::len), 3);
        assert_eq!(memo.get("fee", |_| 99), 3);
        for long in ["", "a word of four and twenty", "seventeen letters"] {
            assert_eq!((memo.get(long, |_| 1), memo.get(long, |_| 2)), (1, 2), "{long:?}");
        }
        // More words than places, and words that differ in zeros only.
        for _ in 0..2 {
            for n in 0..20_000 {
                let word = format!("w{n}");
                assert_eq!(memo.get(&word, |word| word[1..].parse().unwrap()), n);
            }
            for zeros in ["\0", "\0\0", "\0\0\0"] {
                assert_eq!(memo.get(zeros, str::len), zeros.len());
            }
        }
    }
}
