//! What is known of single words, kept for the next time they are met: a table of fixed size, to be had once a thread. Two words may want
//! the same place; the later one gets it, and the other is looked up anew.

pub(super) struct Memo<V>(Vec<(Key, V)>);

/// The bytes of a word and its length; zero where nothing is kept.
type Key = [u64; 3];

/// Longer words are rare, and are not kept.
const LONGEST: usize = 23;
const BITS: u32 = 13;

impl<V: Copy + Default> Memo<V> {
    pub fn new() -> Memo<V> {
        Memo(vec![(Key::default(), V::default()); 1 << BITS])
    }

    /// What `find` says of a word. It must say the same each time.
    pub fn get(&mut self, word: &str, find: impl FnOnce(&str) -> V) -> V {
        let Some(key) = key(word) else { return find(word) };
        let mixed = (key[0] ^ key[1].rotate_left(21) ^ key[2].rotate_left(42)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let Some((kept, value)) = self.0.get_mut((mixed >> (64 - BITS)) as usize) else { return find(word) };
        if *kept != key {
            (*kept, *value) = (key, find(word));
        }
        *value
    }
}

fn key(word: &str) -> Option<Key> {
    let mut bytes = [0; LONGEST + 1];
    bytes.get_mut(..word.len()).filter(|place| (1..=LONGEST).contains(&place.len()))?.copy_from_slice(word.as_bytes());
    bytes[LONGEST] = word.len() as u8;
    let (words, _) = bytes.as_chunks::<8>();
    Some([0, 1, 2].map(|at| u64::from_le_bytes(words[at])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_once_and_never_taken_for_another() {
        let mut memo: Memo<usize> = Memo::new();
        assert_eq!(memo.get("fee", str::len), 3);
        assert_eq!(memo.get("fee", |_| 99), 3);
        for long in ["", "a word of four and twenty", "exactly twenty-four byte"] {
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
