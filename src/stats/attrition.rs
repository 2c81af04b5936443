//! Loops end at different passes, so the tickets still running at a pass are not those that were enrolled. Three ways to count one event at one
//! pass: here of one arm, and [`super::Paired::of`] for the tickets that both arms still ran. docs/statistics.md has the example in which they
//! contradict each other.
//!
//! A slice holds one value a ticket, of every enrolled ticket: whether it had the event at this pass, None where its loop had ended before.

use super::Share;

/// Of the tickets that this arm still ran. Not for comparing arms: an arm that ends its easy tickets early is left with the hard ones.
pub fn running(arm: &[Option<bool>]) -> Share {
    let ran = || arm.iter().flatten();
    Share { events: ran().filter(|event| **event).count() as u64, of: ran().count() as u64 }
}

/// Of all tickets; one whose loop had ended had no event at this pass. Fair between arms, since what is divided by does not depend on the loop.
pub fn enrolled(arm: &[Option<bool>]) -> Share {
    Share { of: arm.len() as u64, ..running(arm) }
}
