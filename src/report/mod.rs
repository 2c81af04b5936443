//! Output forms: one file each. A renderer computes nothing.

pub mod grid;
pub mod markdown;
pub mod number;
