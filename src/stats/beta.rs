//! The regularised incomplete beta function, behind exact binomial intervals.

/// I_x(a, b), the probability of at most x under Beta(a, b), for a and b over 0: the continued fraction of DLMF 8.17.22, taken on the side
/// where it converges fast.
pub fn cdf(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        0.0
    } else if x >= 1.0 {
        1.0
    } else if x > (a + 1.0) / (a + b + 2.0) {
        1.0 - left(b, a, 1.0 - x)
    } else {
        left(a, b, x)
    }
}

fn left(a: f64, b: f64, x: f64) -> f64 {
    let scale = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b) + a * libm::log(x) + b * libm::log1p(-x);
    libm::exp(scale) / (a * fraction(a, b, x))
}

/// 1 + d1 / (1 + d2 / (1 + ...)), by Lentz's method (1976).
fn fraction(a: f64, b: f64, x: f64) -> f64 {
    let (mut value, mut over, mut under) = (1.0, 1.0, 0.0);
    // The number of steps grows with the root of a + b.
    for step in 1..100_000 {
        let m = (step / 2) as f64;
        let term = if step % 2 == 0 {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        };
        under = 1.0 / away_from_zero(1.0 + term * under);
        over = away_from_zero(1.0 + term / over);
        let change = over * under;
        value *= change;
        if libm::fabs(change - 1.0) < 1e-15 {
            break;
        }
    }
    value
}

fn away_from_zero(x: f64) -> f64 {
    if libm::fabs(x) < 1e-300 { 1e-300 } else { x }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::discrete::Discrete;
    use super::*;

    proptest! {
        #[test]
        fn is_the_upper_tail_of_a_binomial(n in 1u64..500, k in 1u64..500, p in 0.001..0.999f64) {
            prop_assume!(k <= n);
            let tail = Discrete::binomial(n, p).unwrap().at_least(k);
            let found = cdf(k as f64, (n - k + 1) as f64, p);
            prop_assert!((found - tail).abs() < 1e-11, "{found} {tail}");
        }
    }
}
