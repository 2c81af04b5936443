//! Papers: verification, invoices, value added tax.

use super::super::topic::{BUSINESS_DAYS, CALENDAR_DAYS, Question, Topic, Var, date, matches, money, never, number, says};

pub const VERIFICATION: Topic = Topic {
    tag: "verification",
    title: "Account verification",
    policy: "The law asks us to know who owns an account. We need an identity document of each owner with {stake} or more of the company and a proof of address that is \
        not older than {age} days. Uploads are made under {menu} and checked within {check} business days. Until then payments are accepted up to \
        {cap}, and payouts are on hold. Screenshots and photos with cut edges are returned. If papers are still missing on the \
        deadline in the account record, payments stop as well; the balance stays the property of the merchant. We cannot \
        shorten the check.",
    record: "Verification {ref}: identity document accepted. Proof of address returned, reason: {reason}. Deadline for missing papers: {deadline}. Balance on \
        hold: {held}. Payments continue for now. Owners on file: two, both over the limit for identity documents. A reminder was sent a week ago; \
        no answer so far.",
    vars: &[
        ("held", Var::Amount(40_000, 700_000)),
        ("cap", Var::Price(&[200_000, 300_000, 500_000])),
        ("stake", Var::Rate(&[250, 200, 300])),
        ("age", Var::Count(&[90, 120, 180])),
        ("check", Var::Count(&[3, 4, 5])),
        ("deadline", Var::Day(30, 350)),
        ("reason", Var::Choice(&["edges cut off", "document too old", "name does not match"])),
        ("menu", Var::Choice(&["Account > Documents", "Settings > Verification", "Company > Papers"])),
        ("ref", Var::Reference("KY")),
    ],
    facts: &[
        says("reason", "Your proof of address came back with the reason: {reason}."),
        matches("age", CALENDAR_DAYS, "It must not be older than {age} days.").condition(),
        date("deadline", "The missing paper has to be there by {deadline}."),
        matches("check", BUSINESS_DAYS, "We check an upload within {check} business days."),
        says("menu", "You upload it under {menu}."),
        money("held", "Your balance of {held} is on hold and stays yours."),
        number("stake", "Every owner with {stake} or more needs an identity document.").optional(),
    ],
    never: never(
        "asked my colleagues to speed up",
        "The check takes its time, and we cannot shorten it.",
        "I have asked my colleagues to speed up the check for you.",
    ),
    questions: &[
        Question {
            wordings: &[
                "What was wrong with my paper, and how new must it be?",
                "Why did you send my document back and what do you accept?",
                "What is the matter with my proof of address? How old may it be?",
            ],
            facts: &["reason", "age"],
        },
        Question {
            wordings: &[
                "By when do you need it and how long do you look at it?",
                "What is the deadline, and how long does your check take?",
                "How much time do I have, and how much time do you take?",
            ],
            facts: &["deadline", "check"],
        },
        Question {
            wordings: &[
                "What about the money you are sitting on, and where do I upload?",
                "Is our balance lost? And where do the papers go?",
                "How much are you holding back, and in which menu do I finally end this?",
            ],
            facts: &["held", "menu"],
        },
        Question {
            wordings: &[
                "Which owners have to show a passport, and until what day?",
                "Does my partner with a small share need to do this too? By when?",
                "Who of us needs to be identified, and what is the last day?",
            ],
            facts: &["stake", "deadline"],
        },
    ],
    contexts: &[
        "You rejected my upload and stopped our payouts.",
        "There is {held} on hold because of verification {ref}.",
        "I have sent you the papers already and they came back.",
        "Your mail says that our verification is incomplete, again.",
    ],
    subjects: &["Verification {ref}", "Documents returned", "Payouts on hold"],
    extra: &[
        "Your identity document has been accepted.",
        "Payments from your customers continue for now.",
        "A scan or a photo that shows the whole page works best.",
        "The law asks us to know who owns an account.",
    ],
};

pub const INVOICES: Topic = Topic {
    tag: "invoices",
    title: "Invoices to customers",
    policy: "An invoice can be edited until it is sent; afterwards it can only be voided and written again, with a new number. It is due {due} days after it was \
        sent. We remind the customer {reminders} times, the first time {first} days after the due day. A paid invoice costs {rate} of its amount, at most {cap}. Bank transfers need the \
        reference of the invoice; a transfer without it waits under {menu} until the merchant assigns it. Invoices in draft are \
        deleted after a year. An invoice cannot be paid in instalments.",
    record: "Invoice {ref} over {amount}, sent on {sent}, due on {payable}. Status: open. A bank transfer of {amount} without a reference came in and \
        is not assigned. Cost when paid: {cost}. Reminders sent: none yet. The customer on the invoice is spelled differently from the sender \
        of the transfer. Currency and amount agree.",
    vars: &[
        ("amount", Var::Amount(30_000, 400_000)),
        ("rate", Var::Rate(&[4, 5, 8])),
        ("cost", Var::Share("amount", "rate")),
        ("cap", Var::Price(&[3500, 4000, 4500])),
        ("due", Var::Count(&[14, 21, 30])),
        ("reminders", Var::Count(&[2, 3, 4])),
        ("first", Var::Count(&[5, 7, 9])),
        ("sent", Var::Day(10, 300)),
        ("payable", Var::After("sent", "due")),
        ("menu", Var::Choice(&["Invoices > Unassigned", "Balance > Open transfers", "Receivables > Match"])),
        ("ref", Var::Reference("IN")),
    ],
    facts: &[
        date("payable", "The invoice is due on {payable}."),
        matches("first", CALENDAR_DAYS, "The first reminder goes out {first} days after that day."),
        says("menu", "A transfer without a reference waits for you under {menu}.").condition(),
        money("cost", "When it is paid, the invoice costs you {cost}."),
        number("rate", "The price is {rate} of the amount."),
        money("cap", "It is never more than {cap} for one invoice."),
        number("reminders", "We remind your customer {reminders} times.").optional(),
    ],
    never: never(
        "may pay this invoice in instalments",
        "One invoice has to be paid in one piece.",
        "Your customer may pay this invoice in instalments.",
    ),
    questions: &[
        Question {
            wordings: &[
                "When is it due and when do you start to remind them?",
                "On what day must they pay, and when does the first reminder go out?",
                "Is it late already? When do you chase them?",
            ],
            facts: &["payable", "first"],
        },
        Question {
            wordings: &[
                "The customer says it is paid, so where is the money, and what do you take?",
                "They show me a transfer. Why is it still open, and what will it cost me?",
                "Where do unassigned transfers end up, and what is your fee on this one?",
            ],
            facts: &["menu", "cost"],
        },
        Question {
            wordings: &[
                "What do invoices cost in general, and is there a ceiling?",
                "How much per invoice do you charge, in percent, and what is the maximum?",
                "Can you tell me the rate and the upper limit for invoices?",
            ],
            facts: &["rate", "cap"],
        },
        Question {
            wordings: &[
                "How many reminders do they get, and what is the due day?",
                "How often do you nag them, and from which due date?",
                "Do you remind them more than once? And when does the clock run out?",
            ],
            facts: &["reminders", "payable"],
        },
    ],
    contexts: &[
        "I sent invoice {ref} over {amount} and it is still open.",
        "There is a misunderstanding about {amount} with one of our clients.",
        "Our client says {amount} were transferred, your page says open.",
        "My first big invoice, {amount}, and nothing happens.",
    ],
    subjects: &["Invoice {ref}", "Invoice still open", "Transfer not matched"],
    extra: &[
        "The sender of the transfer is spelled differently from your customer.",
        "An invoice that was sent can only be voided and written again.",
        "Currency and amount of the transfer agree with your invoice.",
        "No reminder has been sent so far.",
    ],
};

pub const VAT: Topic = Topic {
    tag: "vat",
    title: "Tax on our fees",
    policy: "Our fees carry value added tax of {rate}. A business in another member state that has given us a valid VAT number is billed without tax, and its own \
        country collects it. A number counts from the day it was confirmed; invoices before that day are not rewritten. The check of a \
        number takes up to {check} business days. Tax invoices are issued on the day {day} of each month and kept for {years} years under {menu}. \
        We do not advise on the tax of the merchant's own sales. A wrong company name is corrected on request within {correct} days \
        of the issue.",
    record: "Tax invoice {ref} issued on {issued}: fees {net}, tax {tax}, total {total}. VAT number given by the contact, check passed, confirmed on {confirmed}. \
        Company name on the invoice differs from the register by one letter. No correction requested. Earlier invoices: paid by deduction from \
        the balance, as agreed. Next one without tax.",
    vars: &[
        ("net", Var::Amount(5_000, 60_000)),
        ("rate", Var::Rate(&[190, 210, 230, 250])),
        ("tax", Var::Share("net", "rate")),
        ("total", Var::Plus("net", "tax")),
        ("check", Var::Count(&[3, 4, 6])),
        ("day", Var::Count(&[5, 8])),
        ("years", Var::Count(&[7, 10, 12])),
        ("correct", Var::Count(&[15, 20, 45])),
        ("issued", Var::Day(20, 200)),
        ("confirmed", Var::Day(201, 350)),
        ("menu", Var::Choice(&["Documents > Tax", "Billing > Tax invoices", "Reports > VAT"])),
        ("ref", Var::Reference("TX")),
    ],
    facts: &[
        money("tax", "The tax on this invoice is {tax}."),
        number("rate", "Our fees are taxed at {rate}."),
        date("confirmed", "Your VAT number counts from {confirmed}, when it was confirmed.").condition(),
        money("total", "The invoice comes to {total} in all."),
        says("menu", "Your tax invoices are kept under {menu}."),
        number("years", "They stay there for {years} years.").optional(),
        matches("correct", CALENDAR_DAYS, "A wrong company name is corrected within {correct} days of the issue."),
    ],
    never: never(
        "we rewrite the earlier",
        "Invoices from before the confirmation stay as they are.",
        "Of course we rewrite the earlier invoices without tax.",
    ),
    questions: &[
        Question {
            wordings: &[
                "Why is there tax on it, and how much is it?",
                "How much tax did you charge, and at which rate?",
                "Please break down the tax for me, amount and percentage.",
            ],
            facts: &["tax", "rate"],
        },
        Question {
            wordings: &[
                "I gave you our VAT number, from when does it count, and what is the total now?",
                "Since what day is our number valid with you? And what do we owe in all?",
                "From which day on are we billed without tax, and what is the sum of this one?",
            ],
            facts: &["confirmed", "total"],
        },
        Question {
            wordings: &[
                "Where do I download these invoices, and for how long?",
                "My tax adviser wants all invoices. Where are they, and for how many years?",
                "In which menu are the tax papers kept, and when do they vanish?",
            ],
            facts: &["menu", "years"],
        },
        Question {
            wordings: &[
                "Our name is misspelled on it, until when can that be put right, and what is the tax?",
                "Can you correct a letter in our company name, is there a time limit? Also, how much of it is tax?",
                "How long do we have to get the name corrected, and which part is tax?",
            ],
            facts: &["correct", "tax"],
        },
    ],
    contexts: &[
        "I am looking at invoice {ref} with fees of {net}.",
        "Your last invoice has tax on it although we are a business abroad.",
        "The fees of {net} are clear to me, the rest is not.",
        "Our year end is near and your invoice {ref} does not look right.",
    ],
    subjects: &["Tax invoice {ref}", "VAT on your fees", "VAT number"],
    extra: &[
        "The invoice was paid by deduction from your balance.",
        "On the tax of your own sales we are not allowed to advise.",
        "Your VAT number has passed the check.",
        "A business in another member state pays the tax in its own country.",
    ],
};
