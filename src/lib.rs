//! redraft: an offline replay and evaluation harness for generate -> critique -> revise loops.
pub mod api;
pub mod arm;
pub mod cli;
pub mod critique;
pub mod dataset;
pub mod error;
pub mod jsonl;
pub mod ledger;
pub mod machine;
pub mod model;
pub mod progress;
pub mod record;
pub mod replay;
pub mod report;
pub mod tape;
pub mod text;
