//! Offsets: which bytes of a source text each byte of a text derived from it stands for.

/// One stretch of the derived text. `copied` stretches correspond byte by byte, others only as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Piece {
    /// Where the stretch starts in the derived text; it ends where the next one starts.
    at: usize,
    from: usize,
    until: usize,
    copied: bool,
}

/// The map back from a derived text, built front to back while that text is written.
#[derive(Debug, Clone, Default)]
pub(super) struct Offsets {
    pieces: Vec<Piece>,
    len: usize,
}

impl Offsets {
    /// The next `len` bytes are the source's bytes from `from` on, or stand one for one in their place.
    pub(super) fn copy(&mut self, from: usize, len: usize) {
        match self.pieces.last_mut() {
            Some(last) if last.copied && last.until == from => last.until += len,
            _ => self.pieces.push(Piece { at: self.len, from, until: from + len, copied: true }),
        }
        self.len += len;
    }

    /// The next `len` bytes stand for the source's `from..until`, indivisibly.
    pub(super) fn replace(&mut self, len: usize, from: usize, until: usize) {
        self.pieces.push(Piece { at: self.len, from, until, copied: false });
        self.len += len;
    }

    fn piece(&self, at: usize) -> Option<Piece> {
        let after = self.pieces.partition_point(|p| p.at <= at);
        self.pieces.get(after.checked_sub(1)?).copied()
    }

    /// The source range of the derived range `start..end` (clamped). A replaced piece that is met is covered whole.
    pub(super) fn source(&self, start: usize, end: usize) -> (usize, usize) {
        let (end, start) = (end.min(self.len), start.min(self.len));
        let Some(first) = self.piece(start) else { return (0, 0) };
        let from = if start == self.len {
            first.until
        } else if first.copied {
            first.from + (start - first.at)
        } else {
            first.from
        };
        if end <= start {
            return (from, from);
        }
        let Some(last) = self.piece(end - 1) else { return (from, from) };
        (from, if last.copied { last.from + (end - last.at) } else { last.until })
    }

    /// True where `at` lies strictly inside a replaced piece.
    pub(super) fn splits(&self, at: usize) -> bool {
        at < self.len && self.piece(at).is_some_and(|p| !p.copied && p.at != at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copied_stretches_map_byte_by_byte_and_replaced_ones_whole() {
        let mut map = Offsets::default();
        map.copy(2, 3); // derived 0..3 = source 2..5
        map.replace(3, 5, 8); // derived 3..6 = source 5..8
        map.copy(10, 2); // derived 6..8 = source 10..12, a gap before it
        for (range, want) in [
            ((0, 1), (2, 3)),
            ((1, 3), (3, 5)),
            ((2, 4), (4, 8)),
            ((4, 5), (5, 8)),
            ((5, 7), (5, 11)),
            ((7, 8), (11, 12)),
            ((8, 8), (12, 12)),
            ((3, 3), (5, 5)),
            ((5, 99), (5, 12)),
            ((9, 2), (12, 12)),
        ] {
            assert_eq!(map.source(range.0, range.1), want, "{range:?}");
        }
        assert_eq!((0..=8).filter(|&at| map.splits(at)).collect::<Vec<_>>(), [4, 5]);
        assert_eq!(Offsets::default().source(0, 5), (0, 0));
    }
}
