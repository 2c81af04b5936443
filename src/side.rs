//! One side of a comparison in: measured runs of an arm that is replayed, of a report folder, a ledger, or a table.

use std::path::PathBuf;

use serde_json::Value;

use crate::summary::{ArmSummary, Frame};

/// Where a side comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Arm,
    Report,
    Ledger,
    Table,
}

impl Kind {
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Arm => "arm",
            Kind::Report => "report",
            Kind::Ledger => "ledger",
            Kind::Table => "table",
        }
    }
}

/// One arm, measured.
pub struct Side {
    pub kind: Kind,
    /// As it was given.
    pub path: PathBuf,
    pub summary: ArmSummary,
    /// The loop's spec, where the side carries it.
    pub spec: Option<Value>,
    pub frame: Frame,
}
