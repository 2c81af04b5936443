//! Strategy `batched`: one reviser call with all findings, in the critic's order.

use crate::arm::Send;
use crate::model::{Critique, Finding};

/// One call with every finding that may be sent, or none where nothing may: a dropped finding is never passed on.
pub fn plan(critique: &Critique, send: Send) -> Vec<Vec<usize>> {
    let given = sendable(critique, send);
    if given.is_empty() { vec![] } else { vec![given] }
}

/// Indices of the findings that the reviser may be given.
pub fn sendable(critique: &Critique, send: Send) -> Vec<usize> {
    let may = |f: &Finding| send == Send::All || f.drop.is_none();
    critique.findings.iter().flatten().enumerate().filter(|(_, f)| may(f)).map(|(i, _)| i).collect()
}
