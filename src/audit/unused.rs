//! Suppressions that suppress nothing.

use super::{Page, Rule, Severity};

/// What it finds is made where suppressions are applied, see `run`.
pub struct UnusedSuppression;

impl Rule for UnusedSuppression {
    fn page(&self) -> &'static Page {
        &Page {
            code: "RD901",
            name: "unused-suppression",
            severity: Severity::Warning,
            what: "An `[[allow]]` of audit.toml names a rule that ran and found nothing.",
            why: "It would hide the next real finding behind a reason that no longer holds.",
            fix: "Remove the entry.",
            example: "[[allow]] rule = \"RD205\" in an arm whose critic no longer has the style guide",
        }
    }
}
