//! Numbers about numbers: intervals and the distributions they need. Plain functions of counts and values; tests/data/stats holds reference values.

pub mod interval;
pub mod norm;

pub use interval::{Interval, OrderStatistics, median, median_interval, order_statistics, wilson};

/// Confidence of every interval that is reported.
pub const CONFIDENCE: f64 = 0.95;

#[cfg(test)]
mod tests;
