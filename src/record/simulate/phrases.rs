//! Words that the simulated people use. None of them states a number, a date, an amount or a negation, so none can decide a check.

/// What may stand before a statement, with the defect that it is. Several of each, so that one can be swapped for its like.
pub const HEDGES: [(&str, &str); 8] = [
    ("vague", "As far as anybody can tell"),
    ("vague", "If our papers are up to date"),
    ("vague", "More or less"),
    ("tone", "As you should have read on our website"),
    ("tone", "Please read this with care for a change"),
    ("tone", "As everybody else seems to understand"),
    ("wordy", "In the framework of our customary procedures"),
    ("wordy", "With reference to the matter at hand"),
];

/// The same without a defect.
pub const LEADS: [&str; 8] = [
    "To be precise",
    "In short",
    "For your records",
    "As our policy puts it",
    "Good to know",
    "To answer your question",
    "Here is what we see",
    "A word on the rules",
];

/// What may stand behind a statement, before its full stop.
pub const TAILS: [&str; 8] = [
    ", as our records show",
    ", as the policy puts it",
    ", and that is how we handle it",
    ", which we have looked up for you",
    ", as you can see in your dashboard",
    ", and this holds for every merchant",
    ", according to your account",
    ", to put it plainly",
];

/// Sentences that are a defect themselves: label, as written, as mended.
pub const FILLERS: [(&str, &str, &str); 6] = [
    ("vague", "This should be sorted out at some point soon.", "You will hear from us by e-mail as soon as anything changes."),
    ("vague", "Somebody from some team may get in touch about it.", "Our support team stays in charge of your case."),
    ("tone", "Questions like yours reach us all the time, and the answer is always the same.", "We are glad to explain this."),
    ("tone", "Kindly check our help pages before you write to us again.", "Our help pages show every step with pictures."),
    (
        "wordy",
        "We would like to take this opportunity to point out the following for the sake of completeness.",
        "Please note the following.",
    ),
    ("unsupported_claim", "Most merchants find this very fair.", "We know that this takes some of your time."),
];

/// Sentences of courtesy, each list one meaning.
pub const THANKS: [&str; 5] = [
    "Thank you for your message.",
    "Thanks for getting in touch.",
    "Thank you for writing to us about this.",
    "Many thanks for your patience.",
    "Thank you for asking.",
];
pub const OFFERS: [&str; 5] = [
    "Just reply to this message if anything is unclear.",
    "Write to us again if there is anything else.",
    "If you have further questions, reply to this message.",
    "We are happy to help if anything else comes up.",
    "Please get back to us if something is unclear.",
];
pub const GREETINGS: [&str; 4] = ["Hello", "Dear", "Good morning", "Hi"];
pub const FAREWELLS: [&str; 4] = ["Kind regards", "Best regards", "With kind regards", "Warm regards"];
pub const AGENTS: [&str; 6] = ["Maya Lind", "Tom Okoro", "Ines Duarte", "Samir Haddad", "Lotte Vries", "Rosa Klein"];

/// Labels that a critic gives to a sentence without a flaw.
pub const SPURIOUS: [&str; 8] = ["vague", "tone", "wordy", "unsupported_claim", "unclear", "redundant", "jargon", "incomplete"];

/// What a critic says of a defect: label, what is wrong, what to do.
pub const REMARKS: [(&str, &str, &str); 10] = [
    ("vague", "It commits to nothing.", "Say plainly what holds."),
    ("tone", "It sounds condescending.", "Say it kindly."),
    ("wordy", "It spends many words on little.", "Shorten it."),
    ("unsupported_claim", "I find no support for it.", "Leave it out, or name what it rests on."),
    ("missing_precondition", "A condition that matters is missing or wrong.", "State the condition."),
    ("unclear", "I had to read it twice.", "Use plainer words."),
    ("redundant", "It repeats what is known.", "Cut it down."),
    ("jargon", "Outsiders will stumble over it.", "Use everyday words."),
    ("incomplete", "Something is left open here.", "Add what is missing."),
    ("wrong_value", "The value is another one in the material.", "Correct the value."),
];

/// What a critic writes for a quotation when it does not copy: about the reply, in no words of it.
pub const HEARSAY: [&str; 4] = [
    "the bit where the writer gets lost in generalities",
    "roughly: he keeps promising miracles nobody ordered",
    "that awkward phrase somewhere in the middle bit",
    "everything she babbles about bureaucracy",
];

/// Before and after the complaints of a prose critique. No word of place ("above", "paragraph") and none about the whole.
pub const PREFACES: [&str; 4] = [
    "Some points need work.",
    "I compared it with the material and would change this:",
    "Close, but please look at these points.",
    "These points keep me from approving it:",
];

/// Small letters that a slip of the pen must not touch: words of number and of negation, whose loss changes a meaning.
pub const UNTOUCHABLE: [&str; 24] = [
    "without",
    "cannot",
    "nothing",
    "nobody",
    "neither",
    "nowhere",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
    "thirty",
    "seventy",
    "eighty",
    "ninety",
    "hundred",
    "thousand",
    "second",
    "seventh",
];
