//! The standard normal distribution. Built on libm, so that every machine gives the same bits.

use std::f64::consts::{PI, SQRT_2};

/// P(Z <= x).
pub fn cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x / SQRT_2)
}

/// P(Z > x), precise far out where 1 - cdf is not.
pub fn sf(x: f64) -> f64 {
    0.5 * libm::erfc(x / SQRT_2)
}

/// The x with cdf(x) = p; infinite at 0 and 1, not a number outside.
pub fn quantile(p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    if p > 0.5 {
        return -quantile(1.0 - p);
    }
    if p == 0.0 {
        return f64::NEG_INFINITY;
    }
    // A start that is right to three digits (Abramowitz and Stegun 1964, 26.2.23), then Halley's steps, each tripling the digits.
    let t = libm::sqrt(-2.0 * libm::log(p));
    let mut x = (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t;
    for _ in 0..3 {
        let error = (cdf(x) - p) * libm::sqrt(2.0 * PI) * libm::exp(0.5 * x * x);
        // So far out that the density is no number any more: nothing to correct with.
        if !error.is_finite() {
            break;
        }
        x -= error / (1.0 + 0.5 * x * error);
    }
    x
}
