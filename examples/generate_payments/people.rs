//! Invented customers and merchants, and the voices they write in.

pub const CUSTOMERS: [&str; 60] = [
    "Zoë Kaufmann",
    "Łukasz Wiśniewski",
    "Nguyễn Thị Hạnh",
    "José Ibáñez",
    "Søren Ødegård",
    "Ngozi Adeyemi",
    "Chloë O'Rourke",
    "Åsa Lindqvist",
    "Dvořák Petr",
    "Müge Yıldız",
    "François Lefèvre",
    "Priya Raghunathan",
    "Tomás Peñalver",
    "Aoife Ní Bhriain",
    "Kwame Boateng",
    "Jürgen Weiß",
    "Inés Carvalhão",
    "Hye-jin Park",
    "Þóra Jónsdóttir",
    "Mihăiță Popescu",
    "Ravi Menon",
    "Eleni Παπαδάκη",
    "Олена Коваль",
    "王小明",
    "Yuki 高橋",
    "Marta Kowalczyk",
    "Declan Hughes",
    "Amélie Rousseau",
    "Bram de Wit",
    "Fatoumata Diallo",
    "Grzegorz Źrebiec",
    "Hanna Mäkinen",
    "Ivo Šarić",
    "Joana Araújo",
    "Karim Benali",
    "Liesl Höfer",
    "Matteo Ricci",
    "Nadia Haddad",
    "Oskar Nyström",
    "Paula Núñez",
    "Quentin Baker",
    "Rosa Jiménez",
    "Sinéad Walsh",
    "Tadeusz Bąk",
    "Uma Krishnan",
    "Vera Novotná",
    "Wanjiru Kamau",
    "Xavier Puig",
    "Yasmin Rahimi",
    "Zsófia Szabó",
    "Ana Đorđević",
    "Bilal Siddiqui",
    "Carla Mendonça",
    "Dana Whitfield",
    "Emre Çelik",
    "Frida Håkansson",
    "Gita Sharma",
    "Hugo Bélanger",
    "Isla McTavish",
    "Jörg Pfeil",
];

pub const MERCHANT_FIRST: [&str; 30] = [
    "Copper Kettle",
    "Pebble & Pine",
    "Blaue Stunde",
    "Marmalade",
    "Kestrel",
    "Café Ñandú",
    "Lantern Lane",
    "Ostrich",
    "Três Rios",
    "Fjordlys",
    "Hollow Oak",
    "Tin Drum",
    "Zebra Crossing",
    "Moonlit",
    "Sugarloaf",
    "Le Petit Phare",
    "Nine Acres",
    "Rusty Anchor",
    "Velvet Fern",
    "Old Mint",
    "Brickyard",
    "Żuraw",
    "Gull & Gale",
    "Papaya",
    "Northgate",
    "Orchard End",
    "Sable",
    "Wren",
    "Crème de Coco",
    "Tidewater",
];

pub const MERCHANT_SECOND: [&str; 24] = [
    "Books",
    "Bikes",
    "Tea House",
    "Outfitters",
    "Records",
    "Candles",
    "Yoga",
    "Bakery",
    "Print Studio",
    "Garden Supply",
    "Optics",
    "Ceramics",
    "Hostel",
    "Kayaks",
    "Software",
    "Roasters",
    "Pet Care",
    "Music School",
    "Cheese",
    "Catering",
    "Toys",
    "Repairs",
    "Nursery",
    "Leather",
];

pub const ROLES: [&str; 6] = ["owner", "bookkeeper", "office manager", "co-founder", "finance lead", "developer"];
pub const PLANS: [&str; 4] = ["Starter", "Standard", "Growth", "Scale"];

/// Country, currency code, currency sign.
pub const COUNTRIES: [(&str, &str, &str); 8] = [
    ("Ireland", "EUR", "€"),
    ("United States", "USD", "$"),
    ("United Kingdom", "GBP", "£"),
    ("Germany", "EUR", "€"),
    ("Spain", "EUR", "€"),
    ("United States", "USD", "$"),
    ("Finland", "EUR", "€"),
    ("United Kingdom", "GBP", "£"),
];

/// A way of writing: how it begins and ends, and what the keyboard does to it.
pub struct Voice {
    pub openers: [&'static str; 5],
    pub closers: [&'static str; 5],
    pub typing: Typing,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Typing {
    Clean,
    /// No capitals, no apostrophes.
    Phone,
    /// Common slips: letters swapped or dropped.
    Slips,
}

pub const VOICES: [Voice; 7] = [
    Voice {
        openers: ["Hello,", "Good morning,", "Hi there,", "Hello support team,", "Dear all,"],
        closers: [
            "Many thanks in advance.",
            "Thank you for looking into this.",
            "Best wishes, {customer}",
            "Thanks, {first} from {merchant}",
            "I would be grateful for a clear answer.",
        ],
        typing: Typing::Clean,
    },
    Voice {
        openers: [
            "This is the third time I am writing.",
            "I am honestly fed up.",
            "Is anyone reading these messages?",
            "Unbelievable.",
            "I have been passed around for a week.",
        ],
        closers: [
            "And please, no copy and paste answer this time!",
            "If nobody answers I will move to another provider.",
            "I expect a reply TODAY.",
            "You take our money quickly enough, so answer quickly too.",
            "I want this in writing.",
        ],
        typing: Typing::Clean,
    },
    Voice {
        openers: ["hey", "hi, quick one", "hiya,", "sorry to bother you again,", "ok so"],
        closers: ["cheers", "thx!!", "sent from my phone, sorry for typos", "ping me when you know", "ta, {first}"],
        typing: Typing::Phone,
    },
    Voice {
        openers: [
            "Dear Sir or Madam,",
            "To whom it may concern,",
            "I am writing on behalf of {merchant}.",
            "For our records we need a written statement.",
            "Our auditor has raised a point.",
        ],
        closers: [
            "Yours faithfully, {customer}",
            "We look forward to your written confirmation.",
            "Please quote the rule you rely on.",
            "Kind regards, {customer}, {merchant}",
            "A short reply will do, provided it is exact.",
        ],
        typing: Typing::Clean,
    },
    Voice {
        openers: [
            "Hello, I am new to all of this.",
            "Sorry, this may be a stupid question.",
            "Hi, I took over the books from my sister last month.",
            "I have read the help page twice and I still do not get it.",
            "Hello! First time writing to you.",
        ],
        closers: [
            "Please explain it like I am five.",
            "Sorry if this was asked before.",
            "I only want to do it right.",
            "Thanks for your patience with me!",
            "I am a bit lost, to be honest.",
        ],
        typing: Typing::Slips,
    },
    Voice {
        openers: [
            "Hello from {merchant}!",
            "Hi team, hope you are all well.",
            "Me again :)",
            "Happy customer here, mostly.",
            "Hi, {first} here, we spoke about something else before.",
        ],
        closers: [
            "Otherwise everything works great, by the way.",
            "No rush, but I would sleep better if I knew.",
            "Have a lovely week!",
            "You were very helpful last time, so fingers crossed.",
            "All the best from the shop floor.",
        ],
        typing: Typing::Clean,
    },
    Voice {
        openers: [
            "Please help, it is urgent.",
            "I have my accountant on the other line.",
            "We open in an hour and I need to know this.",
            "My boss wants an answer from me before lunch.",
            "Need help fast.",
        ],
        closers: [
            "Please be quick.",
            "I need the numbers, not a link.",
            "Waiting by the phone, {first}",
            "Every hour costs us.",
            "Just tell me what I have to do and by when.",
        ],
        typing: Typing::Slips,
    },
];

/// What the keyboard makes of a text. Names, amounts and references are not words that slip.
pub fn typed(text: &str, typing: Typing) -> String {
    const SLIPS: [(&str, &str); 12] = [
        (" because ", " becuase "),
        (" the ", " teh "),
        (" receive", " recieve"),
        (" money", " moeny"),
        (" which ", " wich "),
        (" until ", " untill "),
        (" payment", " payement"),
        (" customer", " custommer"),
        (" what ", " waht "),
        (" my ", " mz "),
        (" account", " acount"),
        (" really ", " realy "),
    ];
    match typing {
        Typing::Clean => text.to_string(),
        Typing::Phone => lowered(text).replace(" I ", " i ").replace('\'', "").replace(" do not ", " dont ").replace(" you ", " u "),
        // One slip of a kind, and not every kind: a text of nothing but slips reads like a machine's.
        Typing::Slips => {
            let picked = SLIPS.iter().enumerate().filter(|(i, _)| (i + text.len()).is_multiple_of(2));
            picked.fold(text.to_string(), |text, (_, (from, to))| text.replacen(from, to, 1))
        }
    }
}

/// Without the capitals that begin sentences; words in capitals keep them.
fn lowered(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or(' ');
    let mut ended = true;
    let mut out = String::with_capacity(text.len());
    for (i, c) in chars.iter().enumerate() {
        let word = !at(i + 1).is_uppercase();
        out.push(if ended && word { c.to_ascii_lowercase() } else { *c });
        ended = matches!(c, '.' | '?' | '!' | '\n') || (*c == ' ' && ended);
    }
    out
}
