//! Text as the metrics see it: normalising, anchoring quotations, sections, differences. Pure functions, no knowledge of loops.

pub mod anchor;
mod guard;
pub mod normal;
mod numeral;
mod offsets;
mod plain;
mod polarity;
mod quotation;
mod search;
mod window;
