//! Money that comes in: fees, subscriptions, currency conversion.

use super::super::topic::{CALENDAR_DAYS, HOURS, Question, Topic, Var, date, matches, money, never, number, says};

pub const FEES: Topic = Topic {
    tag: "fees",
    title: "Price list",
    policy: "A card payment costs {rate} of the amount plus a fixed {fixed}. Cards issued abroad cost {abroad} on top, business cards nothing \
        extra. Fees are taken from each payment before it enters the balance and are listed under {menu}. There is no monthly charge on the \
        Starter plan. Merchants who process more than {volume} a month may ask for a lower rate; the review takes {review} days and \
        the new rate applies to later payments only. Fees of past payments are not recalculated. Fees on refunded payments are kept.",
    record: "Payment {ref} of {amount}, card issued abroad. Taken: {base} as percentage, {fixed} fixed, {extra} for the foreign card. Volume of last \
        month: {month}. Rate review requested: no. The fee report of the current month was opened by the contact twice. \
        Invoices for fees are sent on {invoice}.",
    vars: &[
        ("amount", Var::Amount(10_000, 80_000)),
        ("rate", Var::Rate(&[14, 19, 25, 29])),
        ("abroad", Var::Rate(&[10, 15, 20, 12])),
        ("fixed", Var::Price(&[25, 30, 35])),
        ("base", Var::Share("amount", "rate")),
        ("extra", Var::Share("amount", "abroad")),
        ("volume", Var::Price(&[2_000_000, 3_000_000, 5_000_000])),
        ("month", Var::Amount(300_000, 1_900_000)),
        ("review", Var::Count(&[6, 9, 11])),
        ("invoice", Var::Day(30, 330)),
        ("menu", Var::Choice(&["Reports > Fees", "Balance > Costs", "Statements > Fee details"])),
        ("ref", Var::Reference("PM")),
    ],
    facts: &[
        number("rate", "Every card payment costs {rate} of its amount."),
        money("fixed", "A fixed {fixed} is added to each payment."),
        number("abroad", "Cards issued abroad cost {abroad} on top."),
        money("extra", "On this payment the foreign card came to {extra}."),
        money("volume", "A lower rate can be asked for above {volume} a month.").condition(),
        matches("review", CALENDAR_DAYS, "The review of a rate takes {review} days."),
        says("menu", "Each fee is listed under {menu}.").optional(),
    ],
    never: never(
        "will refund the difference",
        "Fees of past payments are not calculated again.",
        "We will refund the difference on your earlier payments.",
    ),
    questions: &[
        Question {
            wordings: &[
                "What do you take per sale, exactly?",
                "What is the normal price for a card payment, percentage and fixed part?",
                "Can you give me your price per transaction in plain words?",
            ],
            facts: &["rate", "fixed"],
        },
        Question {
            wordings: &[
                "Why was this one dearer than the others?",
                "What is the surcharge for a foreign card and how much was it here?",
                "Where does the additional cost on this payment come from?",
            ],
            facts: &["abroad", "extra"],
        },
        Question {
            wordings: &[
                "Can we get a better rate, and how long would that take?",
                "From which volume do you negotiate and when would we hear back?",
                "What do I need to turn over to pay less, and how slow is the review?",
            ],
            facts: &["volume", "review"],
        },
        Question {
            wordings: &[
                "Where can I see all of it, and what is the percentage supposed to be?",
                "My bookkeeper wants a list of what you charge and the standard rate, where is it?",
                "Is there a page with every fee? And what is the base rate?",
            ],
            facts: &["menu", "rate"],
        },
    ],
    contexts: &[
        "I sold something for {amount} and far less arrived in the balance.",
        "A tourist paid {amount} with a card from abroad.",
        "We looked at payment {ref} over {amount} and the sums do not add up.",
        "I compared the statement with my own spreadsheet, for example the sale of {amount}.",
    ],
    subjects: &["Fees on payment {ref}", "Too many fees", "What do you charge?"],
    extra: &[
        "Fees are taken from each payment before it enters your balance.",
        "Business cards do not cost anything extra.",
        "The fee for a foreign card depends on where the card was issued, not on where the buyer lives.",
        "I have looked at the payment you mention.",
    ],
};

pub const SUBSCRIPTIONS: Topic = Topic {
    tag: "subscriptions",
    title: "Subscriptions and reminders",
    policy: "A subscription is charged on its renewal day. If a card declines, we try again {tries} times within {period} days and mail the subscriber \
        each time. After the last attempt the subscription becomes {state} and nothing more is charged. It can be started again within \
        {revive} days with the old price; later it has to be set up anew. A change of plan takes effect at once and the difference \
        is charged for the rest of the period. Merchants set the reminders under {menu}. A cancelled subscription runs to the end of \
        the time that was paid for.",
    record: "Subscription {ref}, price {price} a month. Renewal was due on {renewal}; the card declined, insufficient funds. Attempts so far: all \
        but the last. The last attempt is planned for {last}. Open amount: {price}. Reminder mails: delivered, not opened. Plan change requested by \
        the subscriber to {bigger}; difference for the rest of the period: {difference}.",
    vars: &[
        ("price", Var::Price(&[1900, 2900, 3900, 4900])),
        ("difference", Var::Amount(300, 1_800)),
        ("bigger", Var::Plus("price", "difference")),
        ("tries", Var::Count(&[3, 4, 5, 6])),
        ("period", Var::Count(&[13, 16, 19, 22])),
        ("revive", Var::Count(&[30, 60, 90])),
        ("renewal", Var::Day(20, 300)),
        ("last", Var::After("renewal", "period")),
        ("state", Var::Choice(&["Unpaid", "Paused", "Suspended"])),
        ("menu", Var::Choice(&["Billing > Reminders", "Subscriptions > Dunning", "Plans > Retry rules"])),
        ("ref", Var::Reference("SB")),
    ],
    facts: &[
        number("tries", "We try a declined card {tries} times in all."),
        date("last", "The last attempt is planned for {last}."),
        says("state", "If that fails as well, the subscription becomes {state} and nothing more is charged."),
        matches("revive", CALENDAR_DAYS, "It can be started again at the old price for {revive} days.").condition(),
        money("difference", "The change of plan costs {difference} for the rest of the period."),
        says("menu", "You set the reminders under {menu}.").optional(),
    ],
    never: never(
        "will be collected",
        "Whether the card is accepted next time is up to the bank of your subscriber.",
        "Do not worry, the open amount will be collected in any case.",
    ),
    questions: &[
        Question {
            wordings: &[
                "How often do you try the card and when is it over?",
                "Will you try again, how many times in total, and when is the final one?",
                "What is the schedule of the retries?",
            ],
            facts: &["tries", "last"],
        },
        Question {
            wordings: &[
                "What happens after the last try, and can she come back at the old price?",
                "Is the contract dead afterwards or can it be revived, and until when?",
                "What state does it end up in and how long do we have to save it?",
            ],
            facts: &["state", "revive"],
        },
        Question {
            wordings: &[
                "The subscriber also wants the bigger plan, what does the switch cost, and where do I calm down the mails?",
                "What do you bill for the change of plan, and where are the reminder settings?",
                "How much is the upgrade for the current period? And where can I edit reminders?",
            ],
            facts: &["difference", "menu"],
        },
        Question {
            wordings: &[
                "On which day do you stop, and what status will I see then?",
                "When is the final attempt and what does the subscription turn into?",
                "What will I see in the dashboard once you give up, and when is that?",
            ],
            facts: &["last", "state"],
        },
    ],
    contexts: &[
        "One of our members could not pay her {price} on {renewal}.",
        "Subscription {ref} was declined and the customer swears the card is fine.",
        "We lost a renewal of {price} and I do not want to lose the subscriber too.",
        "The card of a regular was refused when the month rolled over.",
    ],
    subjects: &["Declined renewal {ref}", "Subscription in trouble", "Retry of a declined card"],
    extra: &[
        "The reminder mails were delivered, but your subscriber has not opened them.",
        "The bank gave insufficient funds as the reason.",
        "Your subscriber can enter a different card from the link in the mail.",
        "Thank you for looking after your members so carefully.",
    ],
};

pub const CURRENCY: Topic = Topic {
    tag: "currency",
    title: "Currency conversion",
    policy: "A payment in a currency that the merchant does not hold is converted when it is captured. The rate is the market rate of that hour with a margin \
        of {margin}. The converted amount is final, whatever the market does later. Merchants may open a balance in another currency under \
        {menu}; it takes {setup} hours and costs {monthly} a month, and payments in that currency are then no longer converted. Refunds of a \
        converted payment use the rate of the day of the refund, so that the amounts may differ. Rates of past days are kept \
        for {history} days.",
    record: "Payment {ref} in a foreign currency, captured on {captured}. Value at the market rate: {gross}. Margin taken: {cut}. Credited: {net}. Foreign \
        balances open: none. Refunds on this payment: none. The contact has asked for the rate table once before, by chat, and was \
        given a link to the help page.",
    vars: &[
        ("gross", Var::Amount(20_000, 150_000)),
        ("margin", Var::Rate(&[15, 20, 25, 18])),
        ("cut", Var::Share("gross", "margin")),
        ("net", Var::Minus("gross", "cut")),
        ("setup", Var::Count(&[24, 36, 48])),
        ("monthly", Var::Price(&[500, 900, 1200])),
        ("history", Var::Count(&[100, 200, 365])),
        ("captured", Var::Day(10, 340)),
        ("menu", Var::Choice(&["Balance > Currencies", "Settings > Currency accounts", "Money > Foreign balances"])),
        ("ref", Var::Reference("FX")),
    ],
    facts: &[
        number("margin", "Our margin on the market rate is {margin}."),
        money("net", "After conversion {net} was credited to you."),
        date("captured", "The rate is that of {captured}, when the payment was captured."),
        money("monthly", "A balance in another currency costs {monthly} a month.").condition(),
        matches("setup", HOURS, "Opening it takes {setup} hours."),
        says("menu", "You open one under {menu}."),
        matches("history", CALENDAR_DAYS, "You can look up rates for {history} days.").optional(),
    ],
    never: never(
        "apply the same rate again",
        "A later refund uses the rate of its own day, so the amounts may differ.",
        "If you refund it later, we apply the same rate again.",
    ),
    questions: &[
        Question {
            wordings: &[
                "How did you get to the amount that we received?",
                "What is your cut, and what should have arrived?",
                "That is not the rate I see online. What do you add, and what did you credit?",
            ],
            facts: &["margin", "net"],
        },
        Question {
            wordings: &[
                "Which day's rate was used, and can I look up older ones?",
                "From what day is that rate, and how far back can I check?",
                "Is the rate of the order or of the capture used? How long do you keep the table?",
            ],
            facts: &["captured", "history"],
        },
        Question {
            wordings: &[
                "Can I keep foreign money as it is, where, and what does it cost?",
                "How do I open a second balance and what is the price?",
                "Is there a way around the conversion, and is it free?",
            ],
            facts: &["menu", "monthly"],
        },
        Question {
            wordings: &[
                "How long does it take to set up an account in another currency, and how would I start?",
                "If I want no conversion from now on, how fast can that be done and where?",
                "Where do I switch conversion off and when does it take effect?",
            ],
            facts: &["setup", "menu"],
        },
    ],
    contexts: &[
        "A customer abroad paid us the equivalent of {gross}.",
        "Payment {ref} was converted and I do not recognise the result.",
        "My own calculator says {gross} and your statement says something else.",
        "We sell more and more across the border and the conversion eats our profit.",
    ],
    subjects: &["Conversion of {ref}", "Exchange rate", "Foreign currency"],
    extra: &[
        "The converted amount is final, whatever the market does afterwards.",
        "The rates that search engines show are without any margin.",
        "You have no foreign balance open at the moment.",
        "It makes sense to compare with the rate of the right hour.",
    ],
};
