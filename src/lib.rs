//! redraft: an offline replay and evaluation harness for generate -> critique -> revise loops.
pub mod api;
pub mod critique;
pub mod model;
pub mod report;
pub mod text;
