//! At the card: failed payments, 3-D Secure, terminals.

use super::super::topic::{BUSINESS_DAYS, CALENDAR_DAYS, HOURS, Question, Topic, Var, date, matches, money, never, number, says};

pub const FAILED_PAYMENTS: Topic = Topic {
    tag: "failed-payments",
    title: "Declined and failed payments",
    policy: "A declined payment carries a code from the card's bank; we only pass it on. Code {code} means that the bank wants the cardholder to get \
        in touch. The same card may be tried {tries} times within {hours} hours, after which we block further attempts to protect the merchant. An \
        amount that shows as reserved on the customer's statement is released by the bank within {release} days; it was never \
        paid to us and cannot be refunded. Declines are listed with their codes under {menu}. A declined payment costs {fee}, \
        whatever its amount.",
    record: "Payment {ref} of {amount} declined on {declined}, code {code}. Attempts with this card: all used up. Block ends by itself. Reserved on the \
        customer's account: {amount}. Cost of the attempts: {cost}. Other cards accepted from the same customer: yes, one, with a smaller \
        amount. No incident on our side was open at that hour.",
    vars: &[
        ("amount", Var::Amount(5_000, 60_000)),
        ("fee", Var::Price(&[10, 15, 20])),
        ("fee2", Var::Price(&[30, 45, 60])),
        ("cost", Var::Plus("fee", "fee2")),
        ("tries", Var::Count(&[3, 4, 6])),
        ("hours", Var::Count(&[12, 24, 36])),
        ("release", Var::Count(&[7, 9, 11])),
        ("declined", Var::Day(10, 350)),
        ("code", Var::Choice(&["CALL_ISSUER", "DO_NOT_HONOUR", "ISSUER_HOLD"])),
        ("menu", Var::Choice(&["Payments > Declined", "Reports > Failures", "Transactions > Refused"])),
        ("ref", Var::Reference("PM")),
    ],
    facts: &[
        says("code", "The bank answered with the code {code}, so the cardholder has to call the bank."),
        number("tries", "One card may be tried {tries} times."),
        matches("hours", HOURS, "The count of attempts starts afresh after {hours} hours.").condition(),
        matches("release", CALENDAR_DAYS, "The reserved amount is released by the bank within {release} days."),
        date("declined", "The payment was declined on {declined}."),
        money("cost", "The attempts cost you {cost}."),
        says("menu", "All declines are listed under {menu}.").optional(),
    ],
    never: never(
        "will go through",
        "Whether the bank agrees next time, we cannot know.",
        "Just try it again tomorrow, then it will go through.",
    ),
    questions: &[
        Question {
            wordings: &[
                "Why was it refused, and how often may we try?",
                "What does the refusal mean, and is there a limit of attempts?",
                "What is wrong with the card and can we just swipe again?",
            ],
            facts: &["code", "tries"],
        },
        Question {
            wordings: &[
                "The customer sees the amount on his statement, when does he get it back, and when was the decline?",
                "On which day did it fail, and how long stays the money reserved?",
                "He says the money has left his account! When was that and when is it free again?",
            ],
            facts: &["release", "declined"],
        },
        Question {
            wordings: &[
                "When is the block over, and what did this cost us?",
                "How long are we locked out with this card? And did you charge for the failures?",
                "When can she try again, and what do I pay for all this?",
            ],
            facts: &["hours", "cost"],
        },
        Question {
            wordings: &[
                "Where can I see the reason myself, and what was it?",
                "Is there a list of refusals, and which code is it in our case?",
                "Which reason did the bank give, and where do I find it next time without asking you?",
            ],
            facts: &["menu", "code"],
        },
    ],
    contexts: &[
        "A customer tried to pay {amount} and was refused every time.",
        "Payment {ref} does not go through and the man is standing in our shop.",
        "We lost a sale of {amount} because the card was declined.",
        "A good customer of ours gets an error whenever she wants to pay {amount}.",
    ],
    subjects: &["Declined payment {ref}", "Card refused", "Payment does not work"],
    extra: &[
        "No incident was open on our side at that hour.",
        "A different card of the same customer was accepted before.",
        "The bank does not tell us more than the code.",
        "I am sorry that this happened in front of your customer.",
    ],
};

pub const THREE_D_SECURE: Topic = Topic {
    tag: "three-d-secure",
    title: "Strong customer authentication",
    policy: "Payments in the region are confirmed by the cardholder with the bank's app or a code. The merchant may ask for an exemption below {limit}; \
        the bank decides on each and may still want a confirmation. With a confirmation the bank carries the loss of a fraudulent payment, with an \
        exemption the merchant does. A request that is not confirmed within {minutes} minutes expires and no money moves. Rules for \
        exemptions are set under {menu} and apply after {hours} hours. The share of confirmed payments should stay over {share}; below that, exemptions are \
        switched off.",
    record: "Payment {ref} of {amount}: authentication expired on {expired}, not confirmed by the cardholder. Share of confirmed payments last month: \
        {actual}. Exemption rule on file: everything below {current}. Exemptions requested last month: a few, about half of them granted. Liability for \
        {ref}: none, no money moved.",
    vars: &[
        ("amount", Var::Amount(6_000, 70_000)),
        ("limit", Var::Price(&[3000, 5000, 10000])),
        ("current", Var::Price(&[1000, 1500, 2000])),
        ("minutes", Var::Count(&[8, 12, 15])),
        ("hours", Var::Count(&[4, 6, 24])),
        ("share", Var::Rate(&[800, 850, 900])),
        ("actual", Var::Rate(&[823, 871, 914])),
        ("expired", Var::Day(10, 350)),
        ("menu", Var::Choice(&["Risk > Exemptions", "Checkout > Authentication", "Security > 3-D Secure"])),
        ("ref", Var::Reference("PM")),
    ],
    facts: &[
        number("minutes", "A request that nobody confirms expires after {minutes} minutes."),
        date("expired", "In your case it expired on {expired} and no money moved."),
        money("limit", "You may ask for an exemption below {limit}.").condition(),
        says("menu", "The rules for exemptions are under {menu}."),
        matches("hours", HOURS, "A change there applies after {hours} hours."),
        number("actual", "Last month {actual} of your payments were confirmed."),
        number("share", "Exemptions stay on while that share is over {share}.").optional(),
    ],
    never: never(
        "no confirmation will be needed",
        "Even with an exemption the bank may want a confirmation.",
        "Once the exemption is set, no confirmation will be needed any more.",
    ),
    questions: &[
        Question {
            wordings: &[
                "What happened to this payment, and how long do people have to tap yes?",
                "Was anything charged? When did it time out and after how long?",
                "Why does it say expired, and since when?",
            ],
            facts: &["minutes", "expired"],
        },
        Question {
            wordings: &[
                "Can we skip the extra step for small sums, up to what amount, and where?",
                "Below which amount is an exemption possible and where is the setting?",
                "How do I get rid of the code for cheap items? What is cheap in your eyes?",
            ],
            facts: &["limit", "menu"],
        },
        Question {
            wordings: &[
                "How are we doing with confirmed payments, and what is the threshold?",
                "What is our share of confirmed payments and at which point do you take exemptions away?",
                "Are we close to losing the exemption? Please give me both percentages.",
            ],
            facts: &["actual", "share"],
        },
        Question {
            wordings: &[
                "If I change the rule today, when does it count, and where exactly do I do it?",
                "How fast does a new exemption rule work, and in which menu is it?",
                "I want to edit our exemption rule. Where is it and how long until it is live?",
            ],
            facts: &["hours", "menu"],
        },
    ],
    contexts: &[
        "A buyer wanted to pay {amount} and got stuck at the confirmation of the bank.",
        "Payment {ref} over {amount} says the authentication has expired.",
        "People leave our checkout because of this additional code.",
        "My customer never got the message from the bank for her order of {amount}.",
    ],
    subjects: &["Confirmation by the bank, {ref}", "Authentication expired", "Extra code at checkout"],
    extra: &[
        "With a confirmation the bank carries the loss of a fraudulent payment.",
        "With an exemption you carry that loss yourself.",
        "The message to the cardholder is sent by the bank and not by us.",
        "Your buyer is welcome to start the order again.",
    ],
};

pub const TERMINALS: Topic = Topic {
    tag: "terminals",
    title: "Card terminals",
    policy: "A terminal is leased for {lease} a month or bought for {price}. A broken leased terminal is replaced free of charge; the new one ships on the next \
        working day and arrives within {delivery} business days. The old one has to be sent back within {back} days with the label in the \
        box, else the price is charged. Without a network a terminal can take payments offline up to {offline} each; they are sent later, at the risk of the \
        merchant. Pairing starts under {menu}. Bought terminals carry a warranty of {warranty} months. Damage by liquids is not \
        covered.",
    record: "Terminal {ref}, leased, does not start. Replacement ordered on {ordered}, tracking has been mailed. Offline payments not yet sent: {stuck}, they are \
        stored in the device. Software is up to date. Lease paid until the end of the month. One further terminal on this account works without \
        faults. Old device to be returned by {deadline}.",
    vars: &[
        ("lease", Var::Price(&[900, 1200, 1500])),
        ("price", Var::Price(&[14900, 19900, 24900])),
        ("offline", Var::Price(&[5000, 7500, 10000])),
        ("stuck", Var::Amount(8_000, 50_000)),
        ("delivery", Var::Count(&[3, 4, 6])),
        ("back", Var::Count(&[14, 20, 28])),
        ("warranty", Var::Count(&[18, 24, 36])),
        ("ordered", Var::Day(20, 310)),
        ("deadline", Var::After("ordered", "back")),
        ("menu", Var::Choice(&["Devices > Pair", "In person > Terminals", "Hardware > Add device"])),
        ("ref", Var::Reference("TM")),
    ],
    facts: &[
        matches("delivery", BUSINESS_DAYS, "The new terminal arrives within {delivery} business days."),
        date("ordered", "Your replacement was ordered on {ordered}."),
        date("deadline", "Please send the old device back by {deadline}.").condition(),
        money("price", "If the old device does not come back, {price} is charged."),
        says("menu", "You pair the new one under {menu}."),
        money("offline", "Without a network it takes payments up to {offline} each."),
        money("stuck", "Offline payments of {stuck} are still stored in the device.").optional(),
    ],
    never: never(
        "be sure that no payment is lost",
        "Offline payments are taken at your own risk, and a bank may still refuse one.",
        "You can be sure that no payment is lost when the device is offline.",
    ),
    questions: &[
        Question {
            wordings: &[
                "When do I get a new one?",
                "Has the replacement been ordered, when, and how long does it travel?",
                "How many days without a terminal are we talking about?",
            ],
            facts: &["delivery", "ordered"],
        },
        Question {
            wordings: &[
                "What do I do with the dead one, and what if I forget?",
                "Until when must the old one be back and what does it cost if it is not?",
                "Do I have to return the old box? By what day, and what happens otherwise?",
            ],
            facts: &["deadline", "price"],
        },
        Question {
            wordings: &[
                "Can it take cards without internet, how much each, and are sales stuck in it?",
                "How much can I take offline, and is there money sitting in the device?",
                "What about the sales we made offline? And what is the limit for one?",
            ],
            facts: &["offline", "stuck"],
        },
        Question {
            wordings: &[
                "How do I connect the new one, and when is it here?",
                "Where is the pairing menu, and how long is the delivery?",
                "Once the parcel is here, where do I set it up? And when is that?",
            ],
            facts: &["menu", "delivery"],
        },
    ],
    contexts: &[
        "Terminal {ref} has been dead since this morning.",
        "Our card reader only shows a black screen and there is a queue.",
        "The device {ref} will not switch on any more.",
        "Nothing works at the till, we can only take cash.",
    ],
    subjects: &["Terminal {ref} is dead", "Card reader broken", "Replacement terminal"],
    extra: &[
        "The tracking link is in your mailbox.",
        "A label for the way back lies in the box.",
        "Your other terminal shows no faults.",
        "A leased terminal is replaced free of charge.",
    ],
};
