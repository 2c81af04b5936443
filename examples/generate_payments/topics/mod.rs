//! The topics, in the order in which the data set takes them in turn.

mod access;
mod cards;
mod money_in;
mod money_out;
mod paperwork;

use super::topic::Topic;

pub const ALL: [&Topic; 15] = [
    &money_out::CHARGEBACKS,
    &money_out::REFUNDS,
    &money_out::PAYOUTS,
    &money_in::FEES,
    &cards::FAILED_PAYMENTS,
    &cards::THREE_D_SECURE,
    &money_in::SUBSCRIPTIONS,
    &money_in::CURRENCY,
    &paperwork::VERIFICATION,
    &paperwork::INVOICES,
    &cards::TERMINALS,
    &paperwork::VAT,
    &access::API_KEYS,
    &access::FRAUD_RULES,
    &access::TEAM_ACCESS,
];
