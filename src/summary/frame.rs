//! What a comparison needs of an arm: the columns that figures are made of, ticket by ticket.

use crate::metric::Measured;

/// Tickets in dataset order.
#[derive(Debug, Clone, Default)]
pub struct Frame {
    tickets: Vec<String>,
}

impl Frame {
    /// Takes one ticket's runs, one a sample.
    pub fn push(&mut self, ticket: &[Measured]) {
        self.tickets.extend(ticket.first().map(|run| run.ticket.clone()));
    }
}
