//! Text as the metrics see it: normalising, anchoring quotations, sections, differences. Pure functions, no knowledge of loops.

mod align;
mod bits;
pub mod check;
pub mod diff;
pub mod locality;
mod markdown;
pub mod section;
mod sentence;
pub mod value;
