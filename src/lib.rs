//! redraft: an offline replay and evaluation harness for generate -> critique -> revise loops.
//!
//! # The arrow
//! ```text
//! dataset + arm (loop spec, recorded calls) -> replay -> ledger -> measure -> table -> summary -> report
//!                                        an arm, a ledger or a table, twice -> compare -> gate -> report
//! ```
//! Data moves along it once. Every arrow's file form is documented and versioned (docs/formats.md), so each step can be run alone.
//!
//! # The map
//! From the ground up: a module uses those above it in this table, never those below. tests/tree.rs holds the tree to it.
//!
//! | module | owns |
//! |---|---|
//! | `model` | the nouns, plain data: ticket, call, reply, finding, run |
//! | `number` | how numbers are shown, everywhere |
//! | `text` | text as the metrics see it: normalising, anchoring, sections, differences, locality, values, claims, mentions, checks |
//! | `error` | bad input: where, what, and what was expected |
//! | `files` | files of the user in: regular ones, only so large |
//! | `jsonl` | JSON Lines, read line by line |
//! | `toml` | TOML, read and written whole |
//! | `stats` | intervals, and the statistics for comparing two arms by ticket |
//! | `api` | one file a provider's wire form; the request key |
//! | `critique` | one file a critique format; locating what it quotes |
//! | `dataset` | tickets in |
//! | `arm` | loop.toml in |
//! | `tape` | recorded calls in: form, index, one ticket's tape, what a call promises |
//! | `secret` | secrets in files: shapes, places, taking them out |
//! | `machine` | the loop without input or output; one file a revise strategy |
//! | `ledger` | the file form of runs |
//! | `label` | what raters and judges say of findings, critiques and drafts, joined to runs |
//! | `replay` | tapes through machines, in parallel, in order |
//! | `metric` | one file a measurement |
//! | `summary` | figures per pass over all tickets |
//! | `table` | rows to Parquet and CSV |
//! | `record` | answers from elsewhere than a tape: live providers, the simulator; where a recording stands |
//! | `import` | other tools' logs in: one file a log; which call a record is; the arm they become |
//! | `proxy` | an endpoint on loopback that an existing loop calls: passes calls through and records them, or serves a recording |
//! | `detail` | one run as people look at it |
//! | `side` | one side of a comparison in: an arm, a report folder, a ledger, a table |
//! | `compare` | two arms side by side, ticket by ticket |
//! | `critic` | what critics caught, whether arms can be held side by side, whether quotations hold; one file a table |
//! | `passes` | what each pass gains, first, last and best draft, lift over no critic: how many passes pay |
//! | `gate` | verdicts: is the candidate worse by more than it may be |
//! | `audit` | the contract of a recording, judged from its requests; one file a rule or a family of rules |
//! | `report` | one file an output form; chart draws |
//! | `progress` | how far long work has come |
//! | `cli` | the command line, one file a verb |
//!
//! # Invariants
//! - The machine does no input or output: whoever holds it decides where replies come from, so what is recorded and what is replayed cannot
//!   drift apart.
//! - A reply is used only in its slot and only for the request it was recorded for. A mismatch is a fault of that ticket, and a fault is a row.
//! - Same inputs, same bytes out, for any number of threads, on any day: no clock, no randomness, no hash-map order in anything written.
//!   (The `meta` of a call recorded live says when that was; no result reads it.)
//! - Memory is bounded by the tickets in flight. A tape is read, run, measured and dropped.
//! - None means "cannot be seen here" and is never 0; a numerator travels with its denominator.
//! - A renderer computes nothing, a metric prints nothing, and only `cli` and `progress` know a terminal.
//! - A dependency is named in its homes alone: one file or folder, where that can be.

pub mod api;
pub mod arm;
pub mod audit;
pub mod cli;
pub mod compare;
pub mod critic;
pub mod critique;
pub mod dataset;
pub mod detail;
pub mod error;
pub mod files;
pub mod gate;
pub mod import;
pub mod jsonl;
pub mod label;
pub mod ledger;
pub mod machine;
pub mod metric;
pub mod model;
pub mod number;
pub mod passes;
pub mod progress;
pub mod proxy;
pub mod record;
pub mod replay;
pub mod report;
pub mod secret;
pub mod side;
pub mod stats;
pub mod summary;
pub mod table;
pub mod tape;
pub mod text;
pub mod toml;
