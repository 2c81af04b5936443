//! The format `prose`: free text, or the sentinel.

use super::repair::Repair;
use super::{Format, Rules, settled};
use crate::model::{Critique, CritiqueStatus, Reply, StopReason};

pub struct Prose;

impl Format for Prose {
    fn name(&self) -> &'static str {
        "prose"
    }

    fn about(&self) -> &'static str {
        "free text; the sentinel alone approves"
    }

    fn has_findings(&self) -> bool {
        false
    }

    /// A critique that was cut by the token limit is still a critique, as far as it goes: kept, and counted as `truncated`.
    fn read(&self, reply: &Reply, rules: &Rules) -> Critique {
        let status = settled(reply, rules).unwrap_or(CritiqueStatus::Ok);
        let cut = status == CritiqueStatus::Ok && reply.stop == StopReason::Length;
        let repairs = if cut { vec![Repair::Truncated.name().to_string()] } else { Vec::new() };
        Critique { status, text: reply.text.clone(), findings: None, repairs, quotations: Vec::new() }
    }
}
