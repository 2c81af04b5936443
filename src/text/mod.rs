//! Text as the metrics see it: normalising, anchoring quotations, sections, differences. Pure functions, no knowledge of loops.

mod align;
pub mod anchor;
mod bits;
pub mod bytes;
pub mod check;
pub mod claim;
pub mod control;
pub mod diff;
mod find;
mod guard;
mod kept;
pub mod locality;
mod markdown;
mod memo;
pub mod mention;
mod near;
pub mod normal;
mod numeral;
mod offsets;
mod plain;
mod polarity;
mod quotation;
mod search;
pub mod section;
mod sentence;
pub mod value;
mod window;
