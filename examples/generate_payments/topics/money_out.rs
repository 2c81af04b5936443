//! Money that leaves: chargebacks, refunds, payouts.

use super::super::topic::{BUSINESS_DAYS, CALENDAR_DAYS, Question, Topic, Var, date, matches, money, never, number, says};

pub const CHARGEBACKS: Topic = Topic {
    tag: "chargebacks",
    title: "Chargeback policy",
    policy: "When a cardholder disputes a charge, the disputed amount is taken from the merchant's balance at once, together with a dispute fee of \
        {fee}. The fee comes back only if the merchant wins. Evidence must be uploaded within {window} calendar days of the notice, under \
        {menu}. Late evidence is not forwarded. The card issuer decides, as a rule within {decision} days of the upload, and nobody can say \
        beforehand how. A merchant may accept a dispute instead; the amount and the fee are then final. Refunding a charge that is already \
        disputed does not close the dispute and costs the amount twice.",
    record: "Dispute {case} on a charge of {amount}. Notice sent {notice}. Evidence due {due}. Taken from the balance: {total}, that is the \
        disputed amount and the dispute fee. Evidence received so far: none. Reason given by the cardholder: goods not received. Earlier \
        disputes on this account: none lost.",
    vars: &[
        ("fee", Var::Price(&[1500, 2000, 2500, 1800])),
        ("amount", Var::Amount(4_000, 90_000)),
        ("total", Var::Plus("amount", "fee")),
        ("window", Var::Count(&[7, 10, 14, 18])),
        ("decision", Var::Count(&[45, 60, 75, 90])),
        ("notice", Var::Day(20, 300)),
        ("due", Var::After("notice", "window")),
        ("menu", Var::Choice(&["Disputes > Evidence", "Payments > Disputes", "Cases > Upload documents"])),
        ("case", Var::Reference("DP")),
    ],
    facts: &[
        money("fee", "Each dispute costs a fee of {fee}, which comes back only if you win."),
        money("total", "We took {total} from your balance, the disputed amount and the dispute fee together."),
        matches("window", CALENDAR_DAYS, "You have {window} days from the notice to send evidence."),
        date("due", "Your evidence has to be with us by {due}."),
        says("menu", "You upload it in the dashboard under {menu}."),
        matches("decision", CALENDAR_DAYS, "The card issuer usually decides within {decision} days of the upload.").optional(),
    ],
    never: never(
        "you will win",
        "The issuer alone decides, and we cannot say beforehand how.",
        "With a delivery note like yours you will win, so do not worry.",
    ),
    questions: &[
        Question {
            wordings: &[
                "Why is more gone from my balance than the customer paid?",
                "What exactly did you deduct, and do I get the fee back?",
                "Can you explain the deduction to me line by line?",
            ],
            facts: &["total", "fee"],
        },
        Question {
            wordings: &[
                "Until when can I send you my proof?",
                "What is the deadline for evidence, and how was it counted?",
                "How many days do I have, and on which day is it too late?",
            ],
            facts: &["due", "window"],
        },
        Question {
            wordings: &[
                "Where do I put the tracking slip and the signed note?",
                "I cannot find the place for documents, where is it and how long does the bank think about it?",
                "How do I hand in documents and when will somebody decide?",
            ],
            facts: &["menu", "decision"],
        },
        Question {
            wordings: &[
                "If I win, what comes back, and when would I know?",
                "Is the dispute fee refunded, and how long does the decision take?",
                "What does a lost case cost me and how long is the wait?",
            ],
            facts: &["fee", "decision"],
        },
    ],
    contexts: &[
        "A customer has charged back {amount} although the parcel was delivered.",
        "I got notice {case} about {amount} and the buyer does not answer my mails.",
        "My balance is suddenly short because of a dispute over {amount}.",
        "Somebody claims that an order worth {amount} never arrived, which is simply not true.",
    ],
    subjects: &["Dispute {case}", "Chargeback of {amount}", "Money gone after a dispute"],
    extra: &[
        "I can see that no evidence has reached us for this dispute yet.",
        "A delivery confirmation with a name and an address tends to be the most useful document.",
        "Please do not refund the charge while the dispute is open, because you would pay twice.",
        "I understand that this is annoying when the parcel was delivered.",
    ],
};

pub const REFUNDS: Topic = Topic {
    tag: "refunds",
    title: "Refund policy",
    policy: "A refund goes back to the card that paid and to no other account. Banks show it within {arrival} business days of the day it was \
        submitted. The processing fee of the original charge is kept. A charge can be refunded in full or in parts for {limit} days after it \
        was made; afterwards the merchant has to pay the customer by other means. A refund that has been submitted cannot be stopped. If the \
        card was closed, its bank passes the money on or returns it to us. Refunds are made under {menu}, and the reference shown there lets \
        the bank trace the money.",
    record: "Charge of {charge} made on {made}. Processing fee on it: {fee}. Partial refund of {amount} submitted on {submitted}, \
        reference {ref}, status: sent to the bank. Still refundable on this charge: {left}. Balance before the refund was \
        sufficient. The customer paid with a debit card.",
    vars: &[
        ("left", Var::Amount(2_000, 30_000)),
        ("amount", Var::Amount(3_000, 40_000)),
        ("charge", Var::Plus("amount", "left")),
        ("fee", Var::Price(&[310, 455, 780, 620])),
        ("arrival", Var::Count(&[5, 7, 8, 10])),
        ("limit", Var::Count(&[90, 120, 180])),
        ("made", Var::Day(10, 200)),
        ("gap", Var::Count(&[6, 9, 12])),
        ("submitted", Var::After("made", "gap")),
        ("menu", Var::Choice(&["Payments > Refund", "Orders > Return money", "Transactions > Refunds"])),
        ("ref", Var::Reference("RF")),
    ],
    facts: &[
        matches("arrival", BUSINESS_DAYS, "The bank shows the money within {arrival} business days of the day it was submitted."),
        date("submitted", "Your refund was submitted on {submitted}."),
        says("ref", "The bank can trace it with the reference {ref}.").optional(),
        money("fee", "The processing fee of {fee} on the original charge is kept."),
        money("left", "On this charge {left} can still be refunded."),
        matches("limit", CALENDAR_DAYS, "Refunds are possible for {limit} days after the charge.").condition(),
        says("menu", "You refund the rest under {menu}."),
    ],
    never: never(
        "can be cancelled",
        "Once submitted, a refund can no longer be stopped.",
        "If you change your mind, the refund can be cancelled from your side.",
    ),
    questions: &[
        Question {
            wordings: &[
                "My customer says nothing has arrived, where is the money?",
                "When did you send it and how long does the bank take?",
                "How long should I tell the buyer to wait, and from which day on?",
            ],
            facts: &["arrival", "submitted"],
        },
        Question {
            wordings: &[
                "Their bank wants some number to look for, do you have one, and how long may it take?",
                "Is there anything the customer can show at the counter to find it, and by when should it be there?",
                "Can the transfer be traced, or do we just wait? And how long?",
            ],
            facts: &["ref", "arrival"],
        },
        Question {
            wordings: &[
                "How much of it can I still give back, and did you keep your fee?",
                "I want to return the rest too, how much is that and what happens to the processing fee?",
                "What is left on that sale, and why am I out of pocket for the fee?",
            ],
            facts: &["left", "fee"],
        },
        Question {
            wordings: &[
                "Until when, and where, can I refund the remaining part?",
                "Is there a time limit for a second refund and where do I click?",
                "Where is the button for another refund, and is it too late already?",
            ],
            facts: &["limit", "menu"],
        },
    ],
    contexts: &[
        "I sent {amount} back to a customer who returned half of the order.",
        "On {submitted} I refunded {amount} out of {charge}.",
        "We gave back {amount} on a sale of {charge} and now there is an argument.",
        "A lady keeps calling about the {amount} we returned to her card.",
    ],
    subjects: &["Refund of {amount}", "Where is the refund?", "Question about a part refund"],
    extra: &[
        "The money goes back to the card that paid and to no other account.",
        "Some banks book a refund without a separate line on the statement.",
        "You do not have to do anything on your side for the part that was sent.",
        "I checked the status, and the bank has accepted the refund.",
    ],
};

pub const PAYOUTS: Topic = Topic {
    tag: "payouts",
    title: "Payout schedule",
    policy: "Payouts leave on the schedule chosen by the merchant and reach the bank {delay} business days after they were sent. An instant payout \
        arrives within {minutes} minutes, costs {rate} of its amount and is open to accounts without a hold. The smallest payout is {minimum}; \
        lower balances wait for the next run. A bank that rejects a payout sends it back, and the money is paid again after the account \
        number was confirmed under {menu}. Bank holidays move a payout to the next working day. Changing the bank account pauses payouts for \
        {pause} hours.",
    record: "Next payout: {amount}, planned for {next}. Schedule: weekly. Last payout {ref} was returned by the bank, reason: account number \
        does not exist. An instant payout of the full amount would cost {cost}. No hold on the account. Bank account on file was changed \
        by the contact recently, confirmation outstanding.",
    vars: &[
        ("amount", Var::Amount(50_000, 900_000)),
        ("rate", Var::Rate(&[10, 15, 12, 8])),
        ("cost", Var::Share("amount", "rate")),
        ("delay", Var::Count(&[3, 4, 5])),
        ("minutes", Var::Count(&[30, 45, 20])),
        ("minimum", Var::Price(&[1000, 2500, 5000])),
        ("pause", Var::Count(&[48, 72, 24])),
        ("next", Var::Day(15, 330)),
        ("menu", Var::Choice(&["Balance > Bank account", "Settings > Payouts", "Account > Bank details"])),
        ("ref", Var::Reference("PO")),
    ],
    facts: &[
        date("next", "Your next payout is planned for {next}."),
        matches("delay", BUSINESS_DAYS, "It reaches your bank {delay} business days after it was sent."),
        money("cost", "An instant payout of the full amount would cost {cost}."),
        number("rate", "The price of an instant payout is {rate} of its amount."),
        says("menu", "Please confirm the account number under {menu}.").condition(),
        says("ref", "Your bank returned the payout {ref}, because the account number does not exist.").optional(),
        money("minimum", "A balance below {minimum} waits for the next run."),
    ],
    never: never(
        "will arrive today",
        "Which hour your bank books it is not in our hands.",
        "If you confirm now, the money will arrive today for sure.",
    ),
    questions: &[
        Question {
            wordings: &[
                "When does the next one go out and when do I have it?",
                "Which day can I count on, including what the bank needs?",
                "What is the date of the next run and how long is the money on its way?",
            ],
            facts: &["next", "delay"],
        },
        Question {
            wordings: &[
                "Can I have it faster, and what would that cost in total?",
                "What would you charge me for the instant version, in percent and in money?",
                "How expensive is it to get everything right now?",
            ],
            facts: &["cost", "rate"],
        },
        Question {
            wordings: &[
                "Why did the last one bounce, and what do you need from me?",
                "My last payout came back, which one was it and where do I fix it?",
                "What went wrong with the previous transfer and where is the form for the account number?",
            ],
            facts: &["ref", "menu"],
        },
        Question {
            wordings: &[
                "Is there a minimum, and when is the next run?",
                "Do small balances get paid at all? And which date is next?",
                "How low can a payout be and when should I look at my account again?",
            ],
            facts: &["minimum", "next"],
        },
    ],
    contexts: &[
        "There is {amount} in our balance and the rent is due.",
        "I need {amount} for a supplier and nothing reaches our bank.",
        "We are waiting for {amount} since last week.",
        "Our payout of {amount} is not where it should be.",
    ],
    subjects: &["Payout of {amount}", "Payout missing", "When will we be paid?"],
    extra: &[
        "There is no hold on your account.",
        "A bank holiday moves a payout to the following working day.",
        "I know that rent and suppliers do not wait.",
        "The change of your bank details is still waiting for your confirmation.",
    ],
};
