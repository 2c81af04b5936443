//! Output forms: one file each. A renderer computes nothing.

pub mod chart;
pub mod grid;
pub mod markdown;
pub mod number;
pub mod overview;
pub mod plot;
