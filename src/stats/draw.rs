//! Draws without a state: the bits of a draw depend on seed, label, replicate and place alone, so any order and any number of threads give the
//! same ones, and the numbers of one figure do not move when another is added.

/// The 64-bit finaliser of SplitMix64 (Steele, Lea and Flood 2014), its increment included.
pub fn mix64(counter: u64) -> u64 {
    let mut z = counter.wrapping_add(INCREMENT);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// 2^64 over the golden ratio, odd.
const INCREMENT: u64 = 0x9E37_79B9_7F4A_7C15;

/// 64-bit FNV-1a of the label's bytes (Fowler, Noll and Vo): keeps the streams of different figures apart.
pub fn fnv1a64(label: &str) -> u64 {
    label.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3))
}

/// The SplitMix64 stream of a key, read at any place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stream {
    pub key: u64,
}

impl Stream {
    /// The stream of one figure. The label names figure and statistic, such as `chars_changed|median_diff`.
    pub fn new(seed: u64, label: &str) -> Stream {
        Stream { key: mix64(seed ^ fnv1a64(label)) }
    }

    /// Draw `index` of a replicate that makes `units` draws.
    pub fn draw(self, replicate: u64, index: u64, units: u64) -> u64 {
        let counter = replicate.wrapping_mul(units).wrapping_add(index);
        mix64(self.key.wrapping_add(counter.wrapping_mul(INCREMENT)))
    }

    /// The same draw as a number below `units`, by Lemire's multiplication (2019) without rejection: off even by less than units / 2^64.
    pub fn below(self, replicate: u64, index: u64, units: u64) -> u64 {
        ((u128::from(self.draw(replicate, index, units)) * u128::from(units)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_even_enough() {
        let stream = Stream::new(7, "even");
        let mut counts = [0u64; 10];
        for replicate in 0..2_000 {
            for index in 0..10 {
                counts[stream.below(replicate, index, 10) as usize] += 1;
            }
        }
        // 20,000 draws into ten bins: 2,000 each, give or take five standard deviations of 42.
        assert!(counts.iter().all(|count| count.abs_diff(2_000) < 212), "{counts:?}");
        assert_ne!(stream.key, Stream::new(7, "odd").key);
        assert_eq!(stream.below(0, 0, 0), 0);
    }
}
