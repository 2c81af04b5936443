//! Numbers about numbers: what is needed to say how sure a figure is, and whether two arms differ. Plain functions of counts and values;
//! docs/statistics.md says when each is used, tests/data/stats holds reference values.
//!
//! Throughout: a *baseline* and a *candidate* arm, an event that a ticket has or has not (usually a bad one), differences candidate minus
//! baseline, tests by ticket. None where a number is undefined, never a panic.

mod beta;
mod discrete;

pub mod attrition;
pub mod draw;
pub mod kappa;
pub mod median;
pub mod multiple;
pub mod norm;
pub mod paired;
pub mod power;
pub mod proportion;
pub mod rank;
pub mod ratio;
pub mod resample;
pub mod spread;
pub mod tango;

pub use median::{OrderStatistics, median, median_interval, order_statistics};
pub use paired::Paired;
pub use proportion::{Share, wilson};

/// Confidence of every interval that is reported.
pub const CONFIDENCE: f64 = 0.95;

/// Both ends included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

/// What one test says against "no difference": against each alternative, the chance of data at least as far out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PValues {
    /// The arms differ, either way (two-sided).
    pub different: f64,
    /// The candidate has more (one-sided).
    pub greater: f64,
    /// The candidate has less (one-sided).
    pub less: f64,
}

/// The z with `confidence` of a standard normal between -z and z. None unless 0 < confidence < 1.
fn critical(confidence: f64) -> Option<f64> {
    let z = norm::quantile(1.0 - (1.0 - confidence) / 2.0);
    (confidence > 0.0 && z.is_finite()).then_some(z)
}

/// The point of [low, high] where `below` turns from true to false, to the last bit: halving ends when no number lies between.
fn bisect(mut low: f64, mut high: f64, below: impl Fn(f64) -> bool) -> f64 {
    // 2^-1074 is the smallest step there is, so 1100 halvings of numbers up to 1 always end before the bound.
    for _ in 0..1100 {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if below(middle) { low = middle } else { high = middle }
    }
    low + (high - low) / 2.0
}

#[cfg(test)]
mod tests;
