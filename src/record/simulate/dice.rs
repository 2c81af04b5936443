//! Chance without a state: every number is a function of seed, ticket, pass and purpose, so no order of work and no thread can change it.

/// The chance of one run, or of one pass of it.
#[derive(Debug, Clone, Copy)]
pub struct Dice(u64);

impl Dice {
    /// `names` say whose chance it is (arm, ticket ...); a blank stands between them.
    pub fn new(seed: u64, names: &[&str]) -> Dice {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&seed.to_le_bytes());
        for name in names {
            hasher.update(b"\0").update(name.as_bytes());
        }
        let mut key = [0; 8];
        key.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
        Dice(u64::from_le_bytes(key))
    }

    /// The chance of one pass, or of one call: independent of that of every other number.
    pub fn at(self, number: u32) -> Dice {
        Dice(mix(self.0 ^ mix(u64::from(number).wrapping_add(0x9e37_79b9_7f4a_7c15))))
    }

    fn draw(self, purpose: &str, n: usize) -> u64 {
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let purpose = purpose.bytes().fold(0xcbf2_9ce4_8422_2325, step);
        mix(self.0 ^ mix(purpose).rotate_left(17) ^ mix((n as u64).wrapping_add(0x51_7cc1)))
    }

    /// A number in [0, 1), of 53 bits.
    pub fn unit(self, purpose: &str, n: usize) -> f64 {
        (self.draw(purpose, n) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// True with probability `rate`: never at 0, always at 1.
    pub fn chance(self, purpose: &str, n: usize, rate: f64) -> bool {
        self.unit(purpose, n) < rate
    }

    /// A place in a list of `len`; 0 for an empty list.
    pub fn pick(self, purpose: &str, n: usize, len: usize) -> usize {
        ((u128::from(self.draw(purpose, n)) * len as u128) >> 64) as usize
    }

    /// A list in another order, every order as likely as the others.
    pub fn shuffle<T>(self, purpose: &str, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.pick(purpose, i, i + 1));
        }
    }
}

/// The finaliser of splitmix64.
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_hold_and_purposes_are_independent() {
        let count = |purpose: &str, rate: f64| (0..20_000).filter(|n| Dice::new(7, &["a"]).at(*n as u32).chance(purpose, 0, rate)).count();
        assert_eq!((count("x", 0.0), count("x", 1.0)), (0, 20_000));
        for rate in [0.02, 0.3, 0.9] {
            let far = count("x", rate) as f64 - 20_000.0 * rate;
            assert!(far.abs() < 4.0 * (20_000.0 * rate * (1.0 - rate)).sqrt(), "{rate}: {far}");
        }
        let both = (0..20_000)
            .filter(|n| {
                let dice = Dice::new(7, &["a"]).at(*n);
                dice.chance("x", 0, 0.5) && dice.chance("y", 0, 0.5)
            })
            .count() as f64;
        assert!((both - 5_000.0).abs() < 4.0 * (20_000.0f64 * 0.25 * 0.75).sqrt(), "{both}");
    }

    #[test]
    fn numbers_depend_on_every_part_and_never_change() {
        let base = Dice::new(7, &["arm", "t1"]).at(1);
        let others = [
            Dice::new(8, &["arm", "t1"]).at(1).unit("p", 0),
            Dice::new(7, &["armt", "1"]).at(1).unit("p", 0),
            Dice::new(7, &["arm", "t1"]).at(2).unit("p", 0),
            base.unit("q", 0),
            base.unit("p", 1),
        ];
        assert!(others.iter().all(|x| *x != base.unit("p", 0)));
        let mut list = [0, 1, 2, 3, 4, 5, 6, 7];
        base.shuffle("s", &mut list);
        let mut sorted = list;
        sorted.sort_unstable();
        assert_eq!(sorted, [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_ne!(list, sorted);
    }
}
