//! SHA-256, and the source of a content security policy that is made of it: a page's policy names its own style and script by their digest, and a
//! policy knows no other.

/// The value of a policy's source list for exactly this text: `sha256-...`.
pub fn source(text: &str) -> String {
    format!("'sha256-{}'", base64(&sha256(text.as_bytes())))
}

/// FIPS 180-4, section 6.2.
pub fn sha256(message: &[u8]) -> [u8; 32] {
    let primes = first_primes();
    let rounds = primes.map(|p| root_fraction(p, 3));
    let mut state = [0u32; 8];
    for (word, prime) in state.iter_mut().zip(primes) {
        *word = root_fraction(prime, 2);
    }
    let mut padded = message.to_vec();
    padded.push(0x80);
    padded.resize((padded.len() + 8).next_multiple_of(64), 0);
    let bits = (message.len() as u64).wrapping_mul(8).to_be_bytes();
    let end = padded.len() - 8;
    padded[end..].copy_from_slice(&bits);
    for block in padded.chunks_exact(64) {
        compress(&mut state, block, &rounds);
    }
    let mut out = [0u8; 32];
    for (bytes, word) in out.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    out
}

fn compress(state: &mut [u32; 8], block: &[u8], rounds: &[u32; 64]) {
    let mut w = [0u32; 64];
    for (word, bytes) in w.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
    }
    for t in 16..64 {
        let near = w[t - 15].rotate_right(7) ^ w[t - 15].rotate_right(18) ^ (w[t - 15] >> 3);
        let far = w[t - 2].rotate_right(17) ^ w[t - 2].rotate_right(19) ^ (w[t - 2] >> 10);
        w[t] = w[t - 16].wrapping_add(near).wrapping_add(w[t - 7]).wrapping_add(far);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (word, round) in w.iter().zip(rounds) {
        let choose = (e & f) ^ (!e & g);
        let high = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let first = h.wrapping_add(high).wrapping_add(choose).wrapping_add(*round).wrapping_add(*word);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let low = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        (h, g, f, e) = (g, f, e, d.wrapping_add(first));
        (d, c, b, a) = (c, b, a, first.wrapping_add(low.wrapping_add(majority)));
    }
    for (word, done) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(done);
    }
}

fn first_primes() -> [u32; 64] {
    let mut primes = [0u32; 64];
    let mut found = 0;
    let mut candidate = 2;
    while let Some(free) = primes.get_mut(found) {
        *free = candidate;
        found += 1;
        candidate += 1;
        while primes[..found].iter().any(|prime| candidate % prime == 0) {
            candidate += 1;
        }
    }
    primes
}

/// The first 32 bits of the fraction of a square or cube root: the constants of the standard, by their definition (sections 4.2.2 and 5.3.3).
/// The largest x with x^degree <= prime * 2^(32 * degree) is the root, scaled.
fn root_fraction(prime: u32, degree: u32) -> u32 {
    // A root below 20 has five bits before the point.
    let mut root: u128 = 0;
    for bit in (0..37).rev() {
        let candidate = root | 1 << bit;
        if candidate.pow(degree) <= u128::from(prime) << (32 * degree) {
            root = candidate;
        }
    }
    (root & 0xffff_ffff) as u32
}

/// RFC 4648, section 4.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let word = (0..3).fold(0usize, |word, at| word << 8 | usize::from(group.get(at).copied().unwrap_or(0)));
        for place in 0..4 {
            let letter = char::from(LETTERS[word >> (18 - 6 * place) & 63]);
            out.push(if place <= group.len() { letter } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn digests_are_those_of_the_standard() {
        // Computed with coreutils' sha256sum; the first three are the examples of FIPS 180-4.
        for (text, want) in [
            ("abc".to_owned(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".to_owned(),
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            ),
            ("a".repeat(1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
            (String::new(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("a".repeat(55), "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
            ("a".repeat(63), "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"),
            ("a".repeat(64), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
        ] {
            assert_eq!(hex(&sha256(text.as_bytes())), want, "{} letters", text.len());
        }
    }

    #[test]
    fn base64_pads() {
        for (bytes, want) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(bytes.as_bytes()), want);
        }
    }
}
