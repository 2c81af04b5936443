//! What was read off a section, kept for when the same text comes again: in the next draft, in another arm's draft, in another ticket's
//! farewell. A table of fixed size, to be had once a thread; a text that wants a taken place gets it.

use std::sync::Arc;

pub(super) struct Kept<T>(Vec<Option<Place<T>>>);

/// A text, and what was read off it.
type Place<T> = (Box<str>, Arc<[T]>);

const BITS: u32 = 13;

/// Longer texts are not kept, so that the table takes a few megabytes at most.
const LONGEST: usize = 1 << 10;

impl<T> Kept<T> {
    pub const fn new() -> Kept<T> {
        Kept(vec![])
    }

    /// What `read` reads off a text. It must read the same each time.
    pub fn get(&mut self, text: &str, read: impl FnOnce(&str) -> Vec<T>) -> Arc<[T]> {
        if text.len() > LONGEST {
            return read(text).into();
        }
        if self.0.is_empty() {
            self.0.resize_with(1 << BITS, || None);
        }
        let Some(place) = self.0.get_mut(place(text.as_bytes())) else { return read(text).into() };
        match place {
            Some((known, read)) if **known == *text => read.clone(),
            _ => {
                let made: Arc<[T]> = read(text).into();
                *place = Some((text.into(), made.clone()));
                made
            }
        }
    }
}

fn place(text: &[u8]) -> usize {
    let step = |hash: u64, next: u64| (hash.rotate_left(5) ^ next).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let (eights, rest) = text.as_chunks::<8>();
    let hash = eights.iter().fold(text.len() as u64, |hash, eight| step(hash, u64::from_le_bytes(*eight)));
    (rest.iter().fold(hash, |hash, byte| step(hash, u64::from(*byte))) >> (64 - BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_once_and_never_taken_for_another() {
        let mut kept: Kept<usize> = Kept::new();
        assert_eq!(*kept.get("The fee is due.", |_| vec![1, 2]), [1, 2]);
        assert_eq!(*kept.get("The fee is due.", |_| vec![]), [1, 2]);
        assert_eq!(*kept.get("", |_| vec![3]), [3]);
        let long = "x".repeat(LONGEST + 1);
        assert_eq!((*kept.get(&long, |_| vec![4])).len() + (*kept.get(&long, |_| vec![])).len(), 1);
        // More texts than places, and texts that differ in their length only.
        for _ in 0..2 {
            for n in 0..20_000 {
                assert_eq!(*kept.get(&format!("Paragraph {n}."), |text| vec![text[10..text.len() - 1].parse().unwrap()]), [n]);
            }
            for n in 0..40 {
                assert_eq!(*kept.get(&"\0".repeat(n), |text| vec![text.len()]), [n]);
            }
        }
    }
}
