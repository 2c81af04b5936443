//! Who may do what: keys for programs, rules against fraud, people on the team.

use super::super::topic::{CALENDAR_DAYS, HOURS, Question, Topic, Var, date, matches, money, never, number, says};

pub const API_KEYS: Topic = Topic {
    tag: "api-keys",
    title: "Keys and their rotation",
    policy: "A secret key is valid for {life} days. When it is rotated, the old key keeps working for {grace} hours and is then switched off for good; it cannot be brought \
        back. A key that was published is to be revoked at once, which ends it within {minutes} minutes. Rotation is done under {menu} by a member with the role \
        {role}. Test keys do not expire. A key is shown once, when it is made. Calls with an expired key are answered with the error \
        {error} and nothing is charged. We never ask for a key in a message.",
    record: "Live key ending in {tail}, made on {made}, expires on {expires}. Last used today, from two servers. Failed calls in the last day: {failed}, all \
        with the same error. Members with the right to rotate: one, the owner. Webhooks are signed with another secret and are not affected. No \
        sign of misuse was found.",
    vars: &[
        ("life", Var::Count(&[90, 120, 150])),
        ("grace", Var::Count(&[12, 24, 72])),
        ("minutes", Var::Count(&[5, 10, 15])),
        ("failed", Var::Count(&[214, 387, 1_206, 642])),
        ("made", Var::Day(10, 200)),
        ("expires", Var::After("made", "life")),
        ("tail", Var::Choice(&["x7Qd", "m2Lp", "r9Tz"])),
        ("error", Var::Choice(&["key_expired", "auth_stale_key", "credential_ended"])),
        ("role", Var::Choice(&["Administrator", "Key holder", "Security owner"])),
        ("menu", Var::Choice(&["Developers > Keys", "Settings > API access", "Integrations > Secrets"])),
    ],
    facts: &[
        date("expires", "Your live key expires on {expires}."),
        matches("grace", HOURS, "After a rotation the old key works for another {grace} hours.").condition(),
        says("menu", "You rotate it under {menu}."),
        says("role", "The member who does it needs the role {role}."),
        number("minutes", "A revoked key ends within {minutes} minutes."),
        says("error", "Calls with an old key are answered with {error}."),
        number("failed", "In the last day {failed} calls failed.").optional(),
    ],
    never: never(
        "simply send us the key",
        "Please never put a key into a message, we do not need it.",
        "To check it, simply send us the key in your next message.",
    ),
    questions: &[
        Question {
            wordings: &[
                "When does our key run out, and is there an overlap?",
                "What is the last day of the key, and how long does the old one live after a change?",
                "Do we have downtime when we swap it? And until when must that be done?",
            ],
            facts: &["expires", "grace"],
        },
        Question {
            wordings: &[
                "Where do I make a new one, and who is allowed to?",
                "I do not see the button, which menu is it and which role do I need?",
                "How is it done and what rights does it take?",
            ],
            facts: &["menu", "role"],
        },
        Question {
            wordings: &[
                "What is the error in our logs, and how many calls were hit?",
                "Which error do expired keys give, and how bad was it since yesterday?",
                "How many requests failed, and what should we look for in the log?",
            ],
            facts: &["error", "failed"],
        },
        Question {
            wordings: &[
                "Our intern pushed the key to a public page!! How fast can it be dead, and where?",
                "If it leaked, how do I kill it and how long does that take?",
                "I may have pasted it in a forum. Where do I revoke it and when is it off?",
            ],
            facts: &["minutes", "menu"],
        },
    ],
    contexts: &[
        "It is about the live key ending in {tail}.",
        "Our integration throws errors since last night.",
        "We got your mail that the key ending in {tail} will expire.",
        "Our developer left and nobody here has ever touched the keys.",
    ],
    subjects: &["Key ending in {tail}", "Rotating our key", "Errors from the API"],
    extra: &[
        "Webhooks are signed with another secret and are not affected.",
        "Test keys do not expire.",
        "We found no sign of misuse.",
        "A new key is shown only when it is made, so please store it well.",
    ],
};

pub const FRAUD_RULES: Topic = Topic {
    tag: "fraud-rules",
    title: "Rules against fraud",
    policy: "Each payment gets a risk score from nought to a hundred. Scores over {block} are blocked, scores over {review} wait for the merchant, who has {hours} hours to decide; afterwards the \
        payment is released back to the customer. Merchants write their own rules under {menu}. A rule may be tried on the payments of the last {days} days before it is \
        switched on. A customer on the allow list is never blocked by a rule of the merchant, but may be by ours. The score itself is not \
        explained in detail, because that would help fraudsters. A review costs {fee}.",
    record: "Payment {ref} of {amount} is waiting for review with a score of {score}. To be decided by {decide}. Rule that caught it: {rule}. Payments caught by this \
        rule last month: several, most of them from returning customers. Allow list: empty. Fraud losses of this account in the last \
        year: none. Rule was written by a former employee.",
    vars: &[
        ("amount", Var::Amount(9_000, 95_000)),
        ("fee", Var::Price(&[5, 10, 12])),
        ("block", Var::Count(&[85, 88, 91])),
        ("review", Var::Count(&[60, 65, 70])),
        ("score", Var::Count(&[73, 76, 79, 82])),
        ("hours", Var::Count(&[24, 48, 96])),
        ("days", Var::Count(&[30, 45, 90])),
        ("decide", Var::Day(10, 350)),
        ("rule", Var::Choice(&["card country differs", "several cards, one address", "first order over limit"])),
        ("menu", Var::Choice(&["Risk > Rules", "Protection > My rules", "Fraud > Rule editor"])),
        ("ref", Var::Reference("PM")),
    ],
    facts: &[
        says("rule", "It was caught by your own rule \"{rule}\"."),
        number("score", "Its score is {score}."),
        date("decide", "You have to decide by {decide}."),
        matches("hours", HOURS, "A payment under review waits for {hours} hours and then goes back to the customer.").condition(),
        says("menu", "You change or switch off the rule under {menu}."),
        matches("days", CALENDAR_DAYS, "You can try a rule on the payments of the last {days} days first."),
        number("review", "Payments that score over {review} wait for you.").optional(),
    ],
    never: never(
        "and it is not fraud",
        "Whether the order is genuine is for you to judge, as we only see the score.",
        "I looked at the order, and it is not fraud.",
    ),
    questions: &[
        Question {
            wordings: &[
                "Why was it stopped, and what is its score?",
                "Which rule did this, and how risky is it in your numbers?",
                "What set off the alarm and how high is the score?",
            ],
            facts: &["rule", "score"],
        },
        Question {
            wordings: &[
                "What happens if I do nothing, and until when can I decide?",
                "How long does it wait, and what is the last day for me?",
                "When do I have to say yes or no? And how much time is that in general?",
            ],
            facts: &["decide", "hours"],
        },
        Question {
            wordings: &[
                "Where can I turn this rule off, and can I test a new one first?",
                "How do I loosen it, where, and on how much history can I try?",
                "In which menu are the rules, and is there a way to test them on old payments?",
            ],
            facts: &["menu", "days"],
        },
        Question {
            wordings: &[
                "At which score does a payment wait, and what does this one have?",
                "Where is the line, and how far over it are we here?",
                "What is your threshold for a review, and what was the value this time?",
            ],
            facts: &["review", "score"],
        },
    ],
    contexts: &[
        "A regular of ours ordered for {amount} and you held the payment.",
        "Payment {ref} is stuck in review and the buyer is waiting.",
        "You keep stopping good customers, today somebody with {amount}.",
        "An order of {amount} looks odd to me as well, but I know the man.",
    ],
    subjects: &["Payment {ref} in review", "Good customers blocked", "Fraud rule"],
    extra: &[
        "The rule was written by somebody who has left your company.",
        "Most of the payments it caught came from returning customers.",
        "Your allow list is empty at the moment.",
        "How the score comes about we do not explain in detail, because that would help fraudsters.",
    ],
};

pub const TEAM_ACCESS: Topic = Topic {
    tag: "team-access",
    title: "Team members and sign-in",
    policy: "An invitation to the team is valid for {valid} days. Every member signs in with a second factor. After {tries} wrong codes the account of the member is locked for {lock} hours; \
        support cannot lift the lock. A lost phone is replaced with one of the recovery codes, else the owner removes the second factor under {menu}. \
        Each seat beyond the first {free} costs {seat} a month. The role {role} sees payments and cannot move money. Removing a member \
        ends all sessions at once. The log of sign-ins is kept for {log} days.",
    record: "Member {email} locked since {locked}, wrong codes. Recovery codes left: none. Invitation {ref} to a second person is open and will expire. \
        Paid seats: all in use. Cost of the next seat: {seat} a month. Owner has signed in today. No sign-in from an unknown country. Role asked for \
        in the invitation: {role}.",
    vars: &[
        ("valid", Var::Count(&[7, 10, 14])),
        ("tries", Var::Count(&[4, 5, 6])),
        ("lock", Var::Count(&[3, 12, 24])),
        ("free", Var::Count(&[8, 9, 11])),
        ("log", Var::Count(&[60, 90, 400])),
        ("seat", Var::Price(&[400, 600, 800])),
        ("locked", Var::Day(10, 350)),
        ("role", Var::Choice(&["Viewer", "Analyst", "Observer"])),
        ("menu", Var::Choice(&["Team > Security", "People > Sign-in", "Organisation > Members"])),
        ("email", Var::Choice(&["till@shop.example", "books@shop.example", "store@shop.example"])),
        ("ref", Var::Reference("IV")),
    ],
    facts: &[
        matches("lock", HOURS, "The lock lasts {lock} hours."),
        date("locked", "It has been in place since {locked}."),
        number("tries", "A member is locked after {tries} wrong codes."),
        says("menu", "The owner removes the second factor under {menu}."),
        matches("valid", CALENDAR_DAYS, "An invitation is valid for {valid} days."),
        money("seat", "A further seat costs {seat} a month."),
        says("role", "The role {role} sees payments and cannot move money.").condition(),
        matches("log", CALENDAR_DAYS, "The log of sign-ins is kept for {log} days.").optional(),
    ],
    never: never(
        "I will unlock it for you",
        "Support cannot lift a lock before its time.",
        "Give me a moment and I will unlock it for you.",
    ),
    questions: &[
        Question {
            wordings: &[
                "How long is the lock and when did it start?",
                "When can he get in again, and since when is it closed?",
                "For how many hours are we out? And from when on?",
            ],
            facts: &["lock", "locked"],
        },
        Question {
            wordings: &[
                "What did we do wrong, and how do I get around the lost phone?",
                "How many wrong codes are too many, and where can I reset the second factor?",
                "Why the lock? And where do I remove the old phone?",
            ],
            facts: &["tries", "menu"],
        },
        Question {
            wordings: &[
                "What does one more person cost, and which role may look but not touch?",
                "I need a seat for our accountant, read only. Which role, what price?",
                "How much is another seat, and what do I pick for somebody who must not move money?",
            ],
            facts: &["seat", "role"],
        },
        Question {
            wordings: &[
                "How long is the invitation good for, and can I see who signed in?",
                "Does the invitation expire? And how far back does the sign-in log go?",
                "My colleague ignores your invitation, how many days has she got? And for how long do you keep the log?",
            ],
            facts: &["valid", "log"],
        },
    ],
    contexts: &[
        "Our colleague with {email} cannot get in.",
        "Somebody here dropped the phone into the sea, and now {email} is locked.",
        "We have a new person in the office and one who is locked out.",
        "It is about access for our team, {email} for a start.",
    ],
    subjects: &["Locked out", "Access for a colleague", "Invitation {ref}"],
    extra: &[
        "There was no sign-in from an unknown country.",
        "No recovery codes are left for this member.",
        "Removing a member ends all sessions at once.",
        "New recovery codes are best printed and kept in a safe place.",
    ],
};
