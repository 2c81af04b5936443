//! SHA-256 (FIPS 180-4), for the two digests that cases give: a test needs no dependency for them.

pub fn sha256(bytes: &[u8]) -> String {
    let primes = || (2u64..).filter(|n| (2..*n).all(|d| n % d != 0));
    let fraction = |x: f64| ((x - x.floor()) * 4_294_967_296.0) as u32;
    let k: Vec<u32> = primes().take(64).map(|p| fraction((p as f64).cbrt())).collect();
    let mut h: Vec<u32> = primes().take(8).map(|p| fraction((p as f64).sqrt())).collect();
    let mut message = bytes.to_vec();
    message.push(0x80);
    while message.len() % 64 != 56 {
        message.push(0);
    }
    message.extend(((bytes.len() as u64) * 8).to_be_bytes());
    for block in message.chunks(64) {
        let mut w: Vec<u32> = block.chunks(4).map(|c| u32::from_be_bytes([c[0], c[1], c[2], c[3]])).collect();
        for i in 16..64 {
            let (a, b) = (w[i - 15], w[i - 2]);
            let (s0, s1) = (a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3), b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10));
            w.push(w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]).wrapping_add(s1));
        }
        let mut v = h.clone();
        for i in 0..64 {
            let s1 = v[4].rotate_right(6) ^ v[4].rotate_right(11) ^ v[4].rotate_right(25);
            let choice = (v[4] & v[5]) ^ (!v[4] & v[6]);
            let t1 = v[7].wrapping_add(s1).wrapping_add(choice).wrapping_add(k[i]).wrapping_add(w[i]);
            let s0 = v[0].rotate_right(2) ^ v[0].rotate_right(13) ^ v[0].rotate_right(22);
            let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
            v.rotate_right(1);
            v[4] = v[4].wrapping_add(t1);
            v[0] = t1.wrapping_add(s0.wrapping_add(majority));
        }
        h.iter_mut().zip(v).for_each(|(h, v)| *h = h.wrapping_add(v));
    }
    h.iter().map(|word| format!("{word:08x}")).collect()
}
