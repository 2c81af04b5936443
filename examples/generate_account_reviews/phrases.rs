//! The words of the reviews: names, terms, and every sentence in several wordings. All of it is invented.

/// Words that a review may have, as the guide and a check say.
pub const WORDS_MAX: usize = 230;

pub const GUIDE: &str = "A review has at most 230 words. Prices are those of the current list. A recommendation rests on a figure or a request in the \
    sources. Every commitment names an owner and a date. Nothing in a review may go against the contract.";

pub const FIRST: [&str; 30] = [
    "Alder",
    "Bramley",
    "Calder",
    "Dunmore",
    "Eastwick",
    "Foxglove",
    "Garnet",
    "Hollin",
    "Ivybridge",
    "Juniper",
    "Kestrel",
    "Lindqvist",
    "Marlow",
    "Northgate",
    "Orchard",
    "Penrose",
    "Quayside",
    "Ravensworth",
    "Saltmarsh",
    "Thornbury",
    "Underhill",
    "Vantage",
    "Westerby",
    "Yarrow",
    "Zephyr",
    "Birchfield",
    "Copperline",
    "Driftwood",
    "Elmstead",
    "Fairlight",
];

pub const SECOND: [&str; 16] = [
    "Heating",
    "Lifts",
    "Plumbing",
    "Facilities",
    "Solar",
    "Landscapes",
    "Refrigeration",
    "Glazing",
    "Roofing",
    "Pest Control",
    "Pools",
    "Fire Safety",
    "Locksmiths",
    "Drainage",
    "Electrical",
    "Cleaning",
];

pub const INDUSTRIES: [&str; 6] =
    ["field service", "building maintenance", "property services", "installation and repair", "commercial maintenance", "home services"];

pub const CONTACTS: [&str; 24] = [
    "Amara Osei",
    "Ben Fairclough",
    "Carla Mendes",
    "Dylan Prosser",
    "Eun-ji Park",
    "Farid Haddad",
    "Greta Lund",
    "Hamish Orr",
    "Ines Cardoso",
    "Jonas Weber",
    "Katya Morozova",
    "Leon Abara",
    "Maeve Byrne",
    "Nikhil Rao",
    "Olga Petrenko",
    "Piotr Zielinski",
    "Rosa Villalba",
    "Sofia Lindgren",
    "Tomas Novak",
    "Uma Desai",
    "Victor Amadi",
    "Wren Castle",
    "Yusuf Demir",
    "Zoe Hartmann",
];

pub const ROLES: [&str; 5] = ["operations manager", "head of dispatch", "managing director", "service director", "office manager"];

pub const MANAGERS: [&str; 7] =
    ["Priya Nair", "Callum Reid", "Dana Whitlock", "Mateo Ruiz", "Hanna Berg", "Owen Adeyemi", "Lucie Fournier"];

/// Cents a seat and month.
pub const PLANS: [(&str, usize); 3] = [("Team", 1_900), ("Business", 3_400), ("Enterprise", 5_200)];

pub const FEATURES: [&str; 6] =
    ["photo reports", "the parts list", "customer signatures", "recurring visits", "the map view", "time sheets"];

pub const ISSUES: [(&str, &str, &str); 6] = [
    ("SYNC", "calendar entries that arrive twice", "the duplicate calendar entries"),
    ("MOB", "the phone app losing photos without a signal", "the lost photos"),
    ("EXP", "the payroll export leaving out overtime", "the payroll export"),
    ("MAP", "addresses placed in the wrong postcode", "the misplaced addresses"),
    ("MAIL", "appointment mails held back by filters", "the held-back appointment mails"),
    ("REP", "weekly reports that arrive without charts", "the weekly reports"),
];

pub struct Addon {
    pub name: &'static str,
    pub price: &'static str,
    pub unit: &'static str,
    /// Last year's price, and that of a neighbouring line.
    pub others: [&'static str; 2],
}

pub const ADDONS: [Addon; 6] = [
    Addon { name: "SMS reminders", price: "$0.06", unit: "per message", others: ["$0.04", "$0.09"] },
    Addon { name: "Route Planner", price: "$12.50", unit: "per vehicle and month", others: ["$9.50", "$18.00"] },
    Addon { name: "Customer Portal", price: "$85.00", unit: "per month", others: ["$70.00", "$120.00"] },
    Addon { name: "Sandbox", price: "$120.00", unit: "per environment and month", others: ["$95.00", "$85.00"] },
    Addon { name: "Extra storage", price: "$18.00", unit: "per 100 GB and month", others: ["$15.00", "$12.50"] },
    Addon { name: "Training by video", price: "$240.00", unit: "per session", others: ["$190.00", "$275.00"] },
];

/// A clause of the contract, what a review rightly makes of it, and what goes against it.
pub struct Constraint {
    pub clause: &'static str,
    pub kept: [&'static str; 3],
    pub broken: [&'static str; 3],
}

pub const CONSTRAINTS: [Constraint; 8] = [
    Constraint {
        clause: "A price increase at renewal is limited to {cap}.",
        kept: [
            "Whatever we offer at renewal, the increase stays within the agreed {cap}.",
            "Their contract caps a renewal increase at {cap}, and the offer will respect that.",
            "The increase at renewal may not pass {cap}, which {contact} knows well.",
        ],
        broken: [
            "For the renewal we’ll open with an increase of {more}.",
            "A {more} increase at renewal is in order, given the volume they run.",
            "The renewal offer should carry {more} more per seat.",
        ],
    },
    Constraint {
        clause: "The number of seats may not be reduced before the end of the term.",
        kept: [
            "The seat count is fixed until the term ends, so the {idle} idle seats stay on the bill.",
            "Seats cannot go down during the term; that topic waits for the renewal talk.",
            "All {seats} seats run to the end of the term, used or not.",
        ],
        broken: [
            "They’re free to hand back the {idle} idle seats from next month.",
            "To keep them happy we can take the {idle} unused seats off the bill in November.",
            "Dropping the {idle} idle seats before the term ends is the simplest gesture we have.",
        ],
    },
    Constraint {
        clause: "The customer’s data stays in the EU region.",
        kept: [
            "Any module they add has to run in the EU region, as their contract asks.",
            "Their data stays in the EU region, which rules out two of the newer services.",
            "The EU region is a fixed term for them, and nothing here changes it.",
        ],
        broken: [
            "Moving them to the faster US region before the winter would cure the slow mornings.",
            "We’ll switch their workspace to the US region over a weekend.",
            "Their archive can go to the US region, where storage is cheaper for us.",
        ],
    },
    Constraint {
        clause: "Nothing is rolled out to the customer between 15 November and 6 January.",
        kept: [
            "Roll-outs pause for them from 15 November to 6 January, so dates below avoid those weeks.",
            "Their winter freeze runs from 15 November to 6 January and we plan around it.",
            "No change reaches them during the freeze from 15 November to 6 January.",
        ],
        broken: [
            "The new dispatch board goes live for them on 1 December.",
            "We’ll roll the new phone app out to their crews in the first week of December.",
            "Their switch to the new calendar is set for 20 November.",
        ],
    },
    Constraint {
        clause: "Orders need a purchase order from the customer’s procurement office.",
        kept: [
            "Every extension goes through their procurement office first, and that takes about two weeks.",
            "An order needs a purchase order from procurement; {contact} will open one if it comes to that.",
            "Nothing is ordered without a purchase order, so there is no rush on our side.",
        ],
        broken: [
            "A nod from {contact} is enough for us to start the extension.",
            "We can book the extension on {contact}’s word and sort the paperwork out later.",
            "No purchase order is needed for an extension of this size.",
        ],
    },
    Constraint {
        clause: "Subcontractors have no access to the customer’s records.",
        kept: [
            "Clean-up of their records stays with our own staff, since subcontractors have no access.",
            "Only our own people may open their records, and that is how the work is staffed.",
            "Subcontractors are kept out of their records, as agreed.",
        ],
        broken: [
            "Our partner agency can clean up their customer records for them.",
            "We’ll have the agency in Porto go through their records and merge the doubles.",
            "A subcontractor can take over the import of their old records.",
        ],
    },
    Constraint {
        clause: "Invoices are payable within 45 days, and no advance payment is asked.",
        kept: [
            "Invoices keep their 45 days, and we ask for nothing in advance.",
            "Payment stays at 45 days after the invoice, without any advance.",
            "The 45 days to pay are part of the deal and remain so.",
        ],
        broken: [
            "From the renewal on we’ll bill the whole year in advance.",
            "Finance wants a deposit from them before the next extension.",
            "We should ask for half of next year’s fee up front.",
        ],
    },
    Constraint {
        clause: "The customer’s name may not be used in marketing.",
        kept: [
            "They do not want to be named in public, so this stays an internal story.",
            "Their name stays out of any marketing, however well the quarter went.",
            "There will be no case study, because the contract rules one out.",
        ],
        broken: [
            "Marketing will put their logo on the customer page this autumn.",
            "We’ll publish a case study about them before the trade fair.",
            "They make a fine reference, and their name can go into the next brochure.",
        ],
    },
];

pub const SUMMARY: [&str; 7] = [
    "{account} had a steady quarter on the {plan} plan. {contact}, their {role}, remains our main contact and answers within a day.",
    "The third quarter was calm for {account}. Our contact is still {contact}, {role}, and the tone of the calls is friendly.",
    "{account} is a {industry} company on the {plan} plan. We spoke with {contact}, the {role}, three times in the quarter.",
    "This quarter {account} used the product much as before. {contact}, who is {role} there, called the summer season demanding.",
    "Relations with {account} are sound. {contact} took part in both calls as {role} and brought a dispatcher along to the second.",
    "{account} stays on the {plan} plan. {contact}, {role}, describes the product as the place where their day starts.",
    "We close the quarter with {account} in good standing. The {role}, {contact}, had few complaints and one clear wish.",
];

pub const USAGE: [&str; 7] = [
    "They scheduled {jobs} jobs, {trend} from {before} in the second quarter. Of {seats} seats, {active} were active in the last month. After the calendar, people mostly open {feature}.",
    "{active} of the {seats} seats were active over the last 30 days. The number of jobs went {trend} from {before} to {jobs}, and {mobile} of them were closed on a phone.",
    "Jobs are {trend}: {jobs} against {before} the quarter before. Crews close {mobile} of them on a phone. Active seats stand at {active} of {seats}.",
    "Usage came to {jobs} jobs after {before}. {active} people of {seats} signed in during the last month, most of them for the calendar and for {feature}.",
    "Their crews closed {mobile} of all jobs on a phone. Across the quarter there were {jobs} jobs, where the second quarter had {before}; {active} of {seats} seats are in use.",
    "With {jobs} jobs they are {trend} on the {before} of spring. {idle} of the {seats} seats lie idle and {active} are active. Beside the calendar, people open {feature}.",
    "We counted {jobs} scheduled jobs, {before} in the quarter before. Seats in use: {active} of {seats}. The phone share is {mobile}.",
];

pub const SUPPORT: [&str; 7] = [
    "Support saw {tickets} tickets with a median first reply of {reply} hours. Of these, {escalated} went to the second line.",
    "They opened {tickets} tickets and waited {reply} hours for a first reply, as the median. Escalations: {escalated}.",
    "{tickets} tickets came in. The median first reply took {reply} hours, and the second line handled {escalated}.",
    "The support load was {tickets} tickets, {escalated} of them escalated. Half were answered within {reply} hours.",
    "On the support side there were {tickets} tickets. {escalated} needed an engineer; the median first reply was {reply} hours.",
    "Of {tickets} support tickets {escalated} were escalated. First replies took {reply} hours at the median.",
    "Help was asked for {tickets} times. A first reply came after {reply} hours at the median, and {escalated} cases were escalated.",
];

pub const TERMS: [&str; 6] = [
    "The contract is worth {annual} a year and runs until {renewal}, with {notice} days of notice.",
    "At {annual} a year, the term ends on {renewal}; notice is {notice} days.",
    "Renewal falls on {renewal} at a current value of {annual} a year, and notice is due {notice} days before.",
    "Their term runs to {renewal}. The yearly fee is {annual}, and either side gives {notice} days of notice.",
    "We bill {annual} a year. The next renewal is {renewal}, notice {notice} days ahead.",
    "The agreement of {annual} a year renews on {renewal}. Notice has to arrive {notice} days earlier.",
];

/// `{price}` is the list's; a wrong draft has another in its place.
pub const PRICE: [&str; 7] = [
    "{addon} is billed at {price}.",
    "For {addon} they pay the list price of {price}.",
    "{addon} costs them {price}, as it does everyone.",
    "They asked what {addon} costs, and we quoted {price}.",
    "The price of {addon} is {price}.",
    "We told them that {addon} comes at {price}.",
    "{addon} continues at {price} through the renewal.",
];

pub const AFTER_CONSTRAINT: [&str; 6] = [
    "{contact} raised the contract once and had no further question.",
    "The paperwork is in order on both sides.",
    "Nobody has asked for other terms so far.",
    "Their legal team read the terms in spring and left them as they are.",
    "We went through the main terms with {contact} in the last call.",
    "No amendment is open.",
];

/// Rests on the figures.
pub const ADVICE: [&str; 6] = [
    "With {idle} idle seats, an hour of onboarding for the people who hold them is the best next step.",
    "We recommend a short session on {feature}, which their people already open most.",
    "Since {mobile} of jobs are closed on a phone, the phone checklist deserves a walk-through.",
    "{idle} seats are idle, so we suggest a clean-up of the user list before the renewal.",
    "We advise a review of {reference} with their dispatchers, as it is their only open case.",
    "The {escalated} escalated tickets should be read together with {contact} before winter.",
];

/// Rests on nothing in the sources.
pub const UNSUPPORTED: [&str; 9] = [
    "They should upgrade one plan, which will cut missed appointments by a third.",
    "We recommend our forecasting module, because their planners are overworked.",
    "A second workspace for the new branch they’re about to open would serve them well.",
    "They ought to buy a premium support package, as a competitor is courting them.",
    "We suggest doubling the seats before spring, when their headcount grows.",
    "The fleet tracker would pay for itself within two months at a company like this.",
    "It’s time to sell them the inventory module, since their stock keeping is a mess.",
    "They need an integration with their accounting system to stop losing invoices.",
    "A dedicated success manager is advisable, since the board is watching costs.",
];

pub const AFTER_ADVICE: [&str; 6] = [
    "{contact} is open to a proposal of one page.",
    "This fits the time they have before the season.",
    "It needs no budget on their side.",
    "We would keep it to one topic per call.",
    "Their dispatchers have asked for short formats.",
    "Anything bigger can wait for the renewal talk.",
];

/// With owner and date.
pub const COMMITMENT: [&str; 6] = [
    "{manager} closes {reference} by {fix}.",
    "By {fix}, {manager} will have {reference} fixed and confirmed with {contact}.",
    "{reference} is with {manager} and due on {fix}.",
    "{manager} owns {reference}; the fix is due {fix}.",
    "The open case {reference} goes to {manager}, to be done by {fix}.",
    "On {fix} {manager} reports the fix of {reference} to {contact}.",
];

/// Without.
pub const VAGUE: [&str; 9] = [
    "We will look into {plain} soon.",
    "Somebody from the team will get back to them about {plain}.",
    "We’re going to do our best to sort out {plain}.",
    "{reference} will be taken care of in due course.",
    "We hope to have {plain} behind us before long.",
    "The team is aware of {plain} and will act when there is time.",
    "A fix for {plain} should come at some point.",
    "We’ll keep an eye on {reference} and follow up as needed.",
    "Improvements around {plain} are on our radar.",
];

pub const CLOSING: [&str; 6] = [
    "The next call is on {call}.",
    "We speak again on {call}.",
    "{contact} and {manager} meet next on {call}.",
    "A call with {contact} is booked for {call}.",
    "Our next date with them is {call}.",
    "{manager} calls {contact} on {call}.",
];

/// What makes a review too long: true, and of no use here.
pub const ASIDES: [&str; 16] = [
    "As in earlier quarters, the first two weeks were slower than the rest, which {contact} put down to holidays, and which we have seen with other companies of their trade as well.",
    "The dispatch room has moved to the ground floor, there are now two large screens on the wall, and the team there spoke at length about how the morning round is prepared.",
    "In the first call we went through the figures one by one, compared them with the spring, and agreed that the overall picture is a familiar one that needs no explanation here.",
    "It is worth remembering how the account began, with a handful of seats and a spreadsheet beside it, and how much of the daily work has moved over since then, step by step.",
    "Several crews keep a paper copy of the day’s plan in the van, mostly out of habit, and none of the people we spoke with saw a reason to take that habit away from them.",
    "The weather in July made for long days, as {contact} told us in some detail, and the crews were glad of every appointment that could be moved to the early morning.",
    "We also talked about the layout of the calendar, the colours of the job types and the order of the columns, all of which can be set by their own administrators at any time.",
    "Their newsletter now has a short column about the planning desk, written by one of the dispatchers, and the last one explained why appointments are given as windows of two hours.",
    "Among the smaller topics were the print layout of the work order, the font size on older phones, and the question of who may see the notes that crews leave on a job.",
    "The tone in the calls is open and quick, people come prepared, and it has become a custom to close with ten minutes on whatever comes to mind, which often is the best part.",
    "Looking back over the year so far, the account has gone through its usual cycle, with a busy spring, a hot summer and a September in which everybody catches up on paperwork.",
    "Some of the newer people asked for the basics again, and {contact} arranged a round at the coffee table in which colleagues showed each other how they go about their day.",
    "The company keeps a list of wishes on a board in the kitchen, and we were shown a photo of it, though most of what is on it concerns the coffee machine and the car park.",
    "For completeness we note that the holiday calendar was set up by their own staff in August, that it took an afternoon, and that nobody had to ask us for help with it.",
    "It was mentioned in passing that the office will be painted over the winter, that desks will move, and that the planning desk would like to keep its place by the window.",
    "Two of the dispatchers have been with the company for more than ten years, know every street of the district, and still check each route by hand before the vans leave.",
];

pub const PROMPTS: [&str; 8] = [
    "Write the review of {account} for the third quarter of 2026. I need it for Monday’s round.",
    "Please put together the Q3 2026 account review for {account}. Usage, support, terms, one recommendation, next steps.",
    "Quarterly account review, Q3 2026, {account}. The usual order, short paragraphs, and mind the house rules.",
    "I take over {account} from {manager} next week. Give me the Q3 2026 review so that I know where we stand.",
    "{account}: review of the third quarter, please. What they used, what went wrong, what we owe them.",
    "We have a renewal round coming up and I need the Q3 2026 review of {account}, with the terms in it.",
    "Draft the third-quarter review for {account}. It goes to the regional lead, so stick to what the files say.",
    "Could you write up {account} for Q3 2026? Same form as always, with the open case and the date of the next call.",
];

pub const TITLES: [&str; 4] = [
    "Account review, third quarter 2026: {account}",
    "{account} – Q3 2026",
    "Quarterly review: {account}, Q3 2026",
    "Q3 2026 review of {account}",
];
