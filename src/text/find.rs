//! Looking for a piece of text: every place of it, sixteen at once.

/// Places that are looked at together.
const STRIDE: usize = 16;

/// A longer needle is looked for in time linear in both lengths, whatever they hold; a short one by comparing it where its ends fit.
const SHORT: usize = 256;

/// The first place of `needle` in `text`; an empty one stands at the start.
pub(super) fn first(text: &[u8], needle: &[u8]) -> Option<usize> {
    let (Some((front, rest)), Some(back)) = (needle.split_first(), needle.last()) else { return Some(0) };
    if needle.len() > SHORT {
        return linear(text, needle, 1).pop();
    }
    let places = (text.len() + 1).checked_sub(needle.len())?;
    let ends = &text[needle.len() - 1..];
    let mut at = 0;
    while at < places {
        let block = at..places.min(at + STRIDE);
        let fits = |(x, y): (&u8, &u8)| (*x == *front) & (*y == *back);
        let any = match (text[block.start..].first_chunk::<STRIDE>(), ends[block.start..].first_chunk::<STRIDE>()) {
            (Some(starts), Some(ends)) => starts.iter().zip(ends).fold(false, |any, pair| any | fits(pair)),
            _ => true,
        };
        if any {
            let here = |at: &usize| text[*at] == *front && ends[*at] == *back && text[at + 1..at + needle.len()] == *rest;
            if let Some(found) = block.clone().find(here) {
                return Some(found);
            }
        }
        at = block.end;
    }
    None
}

/// Every place of `needle` in `text`, overlapping ones included; none of an empty one.
pub(super) fn all(text: &[u8], needle: &[u8]) -> Vec<usize> {
    if needle.is_empty() {
        return Vec::new();
    }
    if needle.len() > SHORT {
        return linear(text, needle, usize::MAX);
    }
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(found) = first(&text[at..], needle) {
        out.push(at + found);
        at += found + 1;
    }
    out
}

/// The first `most` places in time linear in both lengths (Knuth, Morris, Pratt).
fn linear(text: &[u8], needle: &[u8], most: usize) -> Vec<usize> {
    // `border[i]` is the length of the longest proper border of needle[..=i].
    let mut border = vec![0; needle.len()];
    let mut len = 0;
    for at in 1..needle.len() {
        while len > 0 && needle[at] != needle[len] {
            len = border[len - 1];
        }
        len += usize::from(needle[at] == needle[len]);
        border[at] = len;
    }
    let mut out = Vec::new();
    let mut len = 0;
    for (at, byte) in text.iter().enumerate() {
        while len > 0 && *byte != needle[len] {
            len = border[len - 1];
        }
        len += usize::from(*byte == needle[len]);
        if len == needle.len() {
            out.push(at + 1 - len);
            if out.len() == most {
                break;
            }
            len = border[len - 1];
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_place_is_found(text in "[ab]{0,80}|[a-d ]{0,200}", needle in "[ab]{0,5}|[a-d ]{1,9}") {
            let (text, needle) = (text.as_bytes(), needle.as_bytes());
            let naive: Vec<usize> = (0..text.len()).filter(|at| !needle.is_empty() && text[*at..].starts_with(needle)).collect();
            prop_assert_eq!(all(text, needle), naive.clone());
            prop_assert_eq!(first(text, needle), if needle.is_empty() { Some(0) } else { naive.first().copied() });
            if !needle.is_empty() {
                prop_assert_eq!(linear(text, needle, 1).pop(), naive.first().copied());
                prop_assert_eq!(linear(text, needle, usize::MAX), naive);
            }
        }
    }
}
