//! Cases and properties of values in text.

use proptest::prelude::*;

use super::*;

type Has = fn(&str, &str) -> bool;

fn check(has: Has, want: bool, cases: &[(&str, &[&str])]) {
    for (value, texts) in cases {
        assert!(read(value).is_some(), "`{value}` is no value");
        for text in *texts {
            assert_eq!(has(text, value), want, "`{value}` in `{text}`: {:?}", values(text));
        }
    }
}

#[test]
fn numbers_are_found_in_any_notation() {
    check(
        has_number,
        true,
        &[
            (
                "15",
                &[
                    "15",
                    "15.",
                    "in 15 days",
                    "15, not 16",
                    "(15)",
                    "15.00",
                    "a 15-day window",
                    "10-15 days",
                    "fifteen days",
                    "Fifteen",
                    "15x",
                ],
            ),
            ("15", &["1) yes, 15", "fee:15", "from 10\u{2013}15 days", "the last 15\nof them"]),
            ("1234.5", &["1,234.5", "1.234,5", "1\u{a0}234,5", "1\u{202f}234.50", "1'234.5", "1234,5"]),
            ("1234", &["1,234", "1.234", "1\u{a0}234", "1234.0"]),
            ("1.5", &["1.5", "1,5", "1.50 hours"]),
            ("1234567", &["1,234,567", "1.234.567", "12,34,567"]),
            ("1500000", &["1.5 million", "1,500,000"]),
            ("20000", &["20k rows", "twenty thousand"]),
            ("0.5", &["0.5", ".5 is half"]),
            ("-5", &["-5", "\u{2212}5 degrees", "(-5)"]),
            ("25", &["twenty-five", "Twenty five"]),
            ("250", &["two hundred and fifty", "two hundred fifty"]),
            ("3014", &["three thousand and fourteen"]),
            ("2", &["steps 1,2,3", "two of them", "one, two"]),
            ("3", &["steps 1,2,3"]),
            ("2.9%", &["2.9%", "2.9 %", "2,9\u{a0}%", "2.90 percent", "2.9 per cent", "2.9% + $0.30"]),
            ("5%", &["five percent"]),
        ],
    );
}

#[test]
fn other_numbers_and_digits_that_are_none_are_not_found() {
    check(
        has_number,
        false,
        &[
            (
                "15",
                &["150", "15.5", "#15-A", "$1,500", "$15", "15%", "15 March", "15th", "A15", "RF-15", "15/30", "9:15", "15:30", "v1.15.2"],
            ),
            (
                "15",
                &[
                    "3-D",
                    "15 USD",
                    "15 pm",
                    "15pm",
                    "https://x.test/15/a",
                    "15-A",
                    "ch_15",
                    "0015",
                    "15 million",
                    "1 15-22-19",
                    "fifteenth",
                ],
            ),
            ("2", &["2. Open the menu", "  2) Open", "twenty-two", "two hundred", "2026-02-02", "1/2", "two's"]),
            ("1", &["no one knows", "No one", "one-hundred-one"]),
            ("10", &["ten@shop.example", "ten's"]),
            ("3", &["3DS", "3-D Secure", "v3", "-3"]),
            ("2.9%", &["2.9", "12.9%", "2.95%", "$2.9"]),
            ("20", &["twenty-one", "20 dollars", "€20", "20\u{a0}€"]),
        ],
    );
}

#[test]
fn money_is_equal_by_amount_and_currency() {
    check(
        has_money,
        true,
        &[
            (
                "$20",
                &[
                    "$20",
                    "$20.00",
                    "USD 20.00",
                    "20 USD",
                    "20 dollars",
                    "US$20",
                    "a 20-dollar fee",
                    "USD20",
                    "20USD",
                    "20 US dollars",
                    "$20 USD",
                ],
            ),
            ("$20", &["twenty dollars", "(fee: $20).", "$20/month", "2.9% + $20", "$ 20", "$20,"]),
            ("USD 1500", &["$1,500", "$1.5k", "1,500.00 USD"]),
            ("$2,000,000", &["$2m", "$2 million"]),
            ("€1,234.50", &["1.234,50 €", "EUR 1\u{a0}234,50", "€1234.5", "1234.50 euros"]),
            ("€15", &["20 € 15 €", "20 EUR and 15 EUR", "15€"]),
            ("$15", &["€20 $15", "10 USD 15 USD"]),
            ("CAD 5", &["C$5", "CA$5.00", "$5 CAD", "5 Canadian dollars"]),
            ("-$5", &["-$5", "$-5", "\u{2212}$5.00", "USD -5"]),
            ("$0.50", &["$.50", "$0.5"]),
        ],
    );
    check(
        has_money,
        false,
        &[
            ("$20", &["$200", "$20.01", "€20", "20", "CA$20", "$20 CAD", "20 Canadian dollars", "$20k", "-$20", "20%", "$1,020"]),
            ("€15", &["20 € 15", "15 days, 20 €"]),
        ],
    );
}

#[test]
fn dates_are_equal_by_the_calendar() {
    let march = [
        "4 March 2026",
        "March 4, 2026",
        "2026-03-04",
        "4 Mar",
        "4th of March",
        "Wednesday, March 4th.",
        "on 4-Mar-2026",
        "04.03.2026",
        "Mar. 4",
        "due 2026-03-04T10:00:00Z.",
        "04/03/2026",
        "03/04/2026",
        "2026/03/04",
        "MARCH 4",
        "4\nMarch",
    ];
    check(
        has_date,
        true,
        &[("4 March 2026", &march), ("March 4", &march), ("2026-05-04", &["May 4", "4 May"]), ("29 Feb", &["29 February 2028"])],
    );
    check(
        has_date,
        false,
        &[
            (
                "2026-03-04",
                &["14 March", "4 March 2025", "March 40", "March 4.5", "4 marching", "March 2026", "2026-03-05", "March 4:30", "41 March"],
            ),
            ("2026-05-04", &["you may 4 times"]),
            ("March 20", &["March 2026", "March 2"]),
        ],
    );
    assert_eq!(read("30 February"), None);
    assert_eq!(read("29 February 2026"), None);
}

#[test]
fn a_value_of_another_kind_or_several_is_no_value() {
    for text in ["", "fee", "1 2", "15 days", "$", "#15", "about 15"] {
        assert_eq!(read(text), None, "{text}");
    }
    assert!(!has_money("20", "20") && !has_number("$20", "$20") && !has_date("3", "3"));
}

#[test]
fn spans_cover_sign_currency_and_unit() {
    let text = "Pay −$1,234.50 (2.9%) by March 4th, 2026, ref RF-2391, in ten days.";
    let spans: Vec<_> = values(text).iter().filter_map(|f| f.span.of(text)).collect();
    assert_eq!(spans, ["−$1,234.50", "2.9%", "March 4th, 2026", "ten"]);
}

const PIECES: &[&str] = &[
    "1",
    "20",
    "234",
    "2026",
    "05",
    "0",
    ",",
    ".",
    "-",
    "/",
    ":",
    " ",
    "\u{a0}",
    "\u{202f}",
    "$",
    "€",
    "USD",
    "R$",
    "March",
    "may",
    "%",
    "#",
    "é",
    "twenty",
    "hundred",
    "and",
    "one",
    "k",
    "th",
    "th.",
    "'",
    "’",
    "−",
    "\n",
    "T",
    "of ",
    "per cent",
    "Canadian dollars",
    "日",
    "http:",
    "@",
    "_",
];

proptest! {
    #[test]
    fn any_text_is_scanned_without_panic_into_ordered_spans(picks in prop::collection::vec(0..PIECES.len(), 0..24), noise in ".{0,12}") {
        let text: String = picks.iter().map(|i| PIECES[*i]).chain([noise.as_str()]).collect();
        let found = values(&text);
        prop_assert!(found.iter().all(|f| f.span.of(&text).is_some_and(|s| !s.is_empty())), "{text:?} {found:?}");
        prop_assert!(found.windows(2).all(|w| w[0].span.end <= w[1].span.start), "{text:?} {found:?}");
    }

    #[test]
    fn one_amount_is_one_value_however_it_is_grouped(whole in 0u64..10_000_000, cents in 0u64..100) {
        let digits = whole.to_string();
        let mut grouped = String::new();
        for (i, c) in digits.chars().enumerate() {
            if i > 0 && (digits.len() - i).is_multiple_of(3) {
                grouped.push('_');
            }
            grouped.push(c);
        }
        let plain = format!("USD {digits}.{cents:02}");
        for (mark, point) in [(",", "."), (".", ","), ("\u{a0}", ","), ("\u{202f}", "."), ("'", ".")] {
            let amount = format!("{}{point}{cents:02}", grouped.replace('_', mark));
            for text in [format!("pay ${amount} now"), format!("pay {amount} USD."), format!("({amount} dollars)")] {
                prop_assert!(has_money(&text, &plain), "{plain} in {text}: {:?}", values(&text));
                let more = format!("${}.{cents:02}", whole + 1);
                prop_assert!(!has_money(&text, &more), "{more} in {text}");
            }
        }
    }

    #[test]
    fn a_number_is_found_exactly_where_a_naive_reader_finds_it(numbers in prop::collection::vec(0u32..2000, 1..6), asked in 0u32..2000) {
        let text = numbers.iter().map(|n| format!("took {n} days")).collect::<Vec<_>>().join("; ");
        prop_assert_eq!(has_number(&text, &asked.to_string()), numbers.contains(&asked));
        prop_assert!(numbers.iter().all(|n| has_number(&text, &n.to_string())));
    }

    #[test]
    fn number_words_are_read_up_to_the_thousands(n in 1u64..100_000) {
        prop_assert!(has_number(&format!("It took {} days.", in_words(n)), &n.to_string()), "{}", in_words(n));
    }
}

/// Naive reference: `n` in English words.
fn in_words(n: u64) -> String {
    const ONES: [&str; 20] = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ];
    const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    let rest = |n: u64, mark: &str| if n == 0 { String::new() } else { format!("{mark}{}", in_words(n)) };
    match n {
        0..20 => ONES[n as usize].to_string(),
        20..100 => format!("{}{}", TENS[n as usize / 10 - 2], rest(n % 10, "-")),
        100..1000 => format!("{} hundred{}", in_words(n / 100), rest(n % 100, " and ")),
        _ => format!("{} thousand{}", in_words(n / 1000), rest(n % 1000, " ")),
    }
}
