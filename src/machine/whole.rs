//! Strategy `whole`: one reviser call with the whole critique, which may rewrite anything.

use crate::arm::Send;
use crate::model::Critique;

/// One call. With findings it is given those that may be sent; with prose it needs none.
pub fn plan(critique: &Critique, send: Send) -> Vec<Vec<usize>> {
    if critique.findings.is_none() {
        return vec![vec![]];
    }
    super::batched::plan(critique, send)
}
