//! Text as the metrics see it: normalising, anchoring quotations, sections, differences. Pure functions, no knowledge of loops.
pub mod check;
pub mod value;
