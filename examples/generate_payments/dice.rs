//! Seeded choices: no clock, no state beyond a count.

/// Counter-based numbers: the n-th draw of a seed is a pure function of both (the finaliser of SplitMix64).
pub struct Dice {
    seed: u64,
    drawn: u64,
}

impl Dice {
    pub fn new(set: u64, ticket: u64, attempt: u64) -> Dice {
        Dice { seed: mix(mix(set ^ ticket) ^ attempt), drawn: 0 }
    }

    /// A number in 0..limit.
    pub fn below(&mut self, limit: usize) -> usize {
        self.drawn += 1;
        (mix(self.seed ^ self.drawn) % limit.max(1) as u64) as usize
    }

    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

fn mix(n: u64) -> u64 {
    let n = n.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}
