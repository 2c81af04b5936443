//! Words that carry a value: months, currencies, number words, scales and units written against a number.

use super::Currency;

/// For each first letter, the second letters with which a month or a number word may start, one bit each.
const STARTS: [u32; 26] = {
    let pairs = *b"jafemaapjuauseocnodezeontwthfofisieiniteel";
    let mut table = [0; 26];
    let mut i = 0;
    while i < pairs.len() {
        table[(pairs[i] - b'a') as usize] |= 1 << (pairs[i + 1] - b'a');
        i += 2;
    }
    table
};

/// False for most words at the price of one look-up: no month and no number word starts like this.
pub(super) fn may_state(word: &str) -> bool {
    match word.as_bytes() {
        [a, b, _, ..] if a.is_ascii_alphabetic() && b.is_ascii_alphabetic() => {
            STARTS[usize::from((a | 32) - b'a')] & (1 << ((b | 32) - b'a')) != 0
        }
        _ => false,
    }
}

const MONTHS: [&str; 12] =
    ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"];

/// 1 to 12. Full names and three-letter forms (and `Sept`) in any case; `may` only with a capital, because it is a verb too.
pub(super) fn month(word: &str) -> Option<u8> {
    let &[a, b, c, ..] = word.as_bytes() else { return None };
    let at = match [a | 32, b | 32, c | 32] {
        [b'j', b'a', b'n'] => 0,
        [b'f', b'e', b'b'] => 1,
        [b'm', b'a', b'r'] => 2,
        [b'm', b'a', b'y'] => 4,
        [b'a', b'p', b'r'] => 3,
        [b'j', b'u', b'n'] => 5,
        [b'j', b'u', b'l'] => 6,
        [b'a', b'u', b'g'] => 7,
        [b's', b'e', b'p'] => 8,
        [b'o', b'c', b't'] => 9,
        [b'n', b'o', b'v'] => 10,
        [b'd', b'e', b'c'] => 11,
        _ => return None,
    };
    let named = word.len() == 3 || word.eq_ignore_ascii_case(MONTHS[at]) || (at == 8 && word.eq_ignore_ascii_case("sept"));
    (named && word.is_ascii() && (at != 4 || word.starts_with('M'))).then_some(at as u8 + 1)
}

const CODES: [&str; 42] = [
    "USD", "EUR", "GBP", "JPY", "CHF", "CAD", "AUD", "NZD", "CNY", "HKD", "SGD", "TWD", "KRW", "INR", "IDR", "MYR", "PHP", "THB", "VND",
    "SEK", "NOK", "DKK", "ISK", "PLN", "CZK", "HUF", "RON", "BGN", "TRY", "UAH", "ILS", "AED", "SAR", "EGP", "ZAR", "NGN", "KES", "BRL",
    "MXN", "ARS", "CLP", "COP",
];

/// Currencies that `$` may stand for when a code follows the amount (`$20 CAD`).
const DOLLARS: [&str; 10] = ["USD", "CAD", "AUD", "NZD", "HKD", "SGD", "TWD", "MXN", "CLP", "COP"];

fn currency(code: &str) -> Currency {
    match *code.as_bytes() {
        [a, b, c] => Currency([a, b, c]),
        _ => Currency(*b"XXX"),
    }
}

/// A capital ISO 4217 code.
pub(super) fn code(word: &str) -> Option<Currency> {
    let shaped = word.len() == 3 && word.bytes().all(|b| b.is_ascii_uppercase());
    (shaped && CODES.contains(&word)).then(|| currency(word))
}

pub(super) fn is_dollar(code: Currency) -> bool {
    DOLLARS.iter().any(|d| currency(d) == code)
}

/// The currency a symbol means by itself.
pub(super) fn symbol(c: char) -> Option<Currency> {
    let code = match c {
        '$' => "USD",
        '€' => "EUR",
        '£' => "GBP",
        '¥' => "JPY",
        '₹' => "INR",
        '₩' => "KRW",
        '₺' => "TRY",
        '₴' => "UAH",
        '₪' => "ILS",
        '฿' => "THB",
        '₫' => "VND",
        '₱' => "PHP",
        '₦' => "NGN",
        _ => return None,
    };
    Some(currency(code))
}

/// Whose dollar `X$` is, by the letters before the sign.
pub(super) fn dollar_of(letters: &str) -> Option<Currency> {
    let code = match letters {
        "US" => "USD",
        "C" | "CA" | "CAD" => "CAD",
        "A" | "AU" | "AUD" => "AUD",
        "NZ" => "NZD",
        "HK" => "HKD",
        "S" | "SG" => "SGD",
        "NT" => "TWD",
        "MX" => "MXN",
        "R" => "BRL",
        _ => return None,
    };
    Some(currency(code))
}

/// A currency by its English name, or by the letters that serve as its sign after an amount.
pub(super) fn currency_word(word: &str) -> Option<Currency> {
    let code = match word {
        "dollar" | "dollars" | "Dollar" | "Dollars" => "USD",
        "euro" | "euros" | "Euro" | "Euros" => "EUR",
        "pound" | "pounds" | "Pound" | "Pounds" => "GBP",
        "yen" | "Yen" => "JPY",
        "zł" => "PLN",
        "Kč" => "CZK",
        _ => return code(word),
    };
    Some(currency(code))
}

/// Whose dollars "Canadian dollars" are.
pub(super) fn adjective(word: &str) -> Option<Currency> {
    let code = match word {
        "US" | "American" => "USD",
        "Canadian" => "CAD",
        "Australian" => "AUD",
        "Singapore" => "SGD",
        _ => return None,
    };
    Some(currency(code))
}

/// Zeros that a scale word adds after digits: `1.5 million`.
pub(super) fn scale(word: &str) -> Option<u32> {
    match word {
        "hundred" => Some(2),
        "thousand" => Some(3),
        "million" => Some(6),
        "billion" => Some(9),
        _ => None,
    }
}

/// Letters written against digits that leave them a plain number: `24h`, `5km`, `3x`.
pub(super) fn is_unit(word: &str) -> bool {
    const UNITS: [&str; 24] = [
        "h", "hr", "hrs", "d", "w", "y", "m", "min", "mins", "s", "sec", "ms", "x", "km", "cm", "mm", "kg", "g", "kB", "KB", "MB", "GB",
        "px", "pt",
    ];
    UNITS.contains(&word)
}

/// One English number word: 0 to 19, or a ten from 20 to 90.
pub(super) fn number_word(word: &str) -> Option<u64> {
    let mut low = [0; 9];
    let low = low.get_mut(..word.len())?;
    low.copy_from_slice(word.as_bytes());
    low.make_ascii_lowercase();
    let number = match &*low {
        b"zero" => 0,
        b"one" => 1,
        b"two" => 2,
        b"three" => 3,
        b"four" => 4,
        b"five" => 5,
        b"six" => 6,
        b"seven" => 7,
        b"eight" => 8,
        b"nine" => 9,
        b"ten" => 10,
        b"eleven" => 11,
        b"twelve" => 12,
        b"thirteen" => 13,
        b"fourteen" => 14,
        b"fifteen" => 15,
        b"sixteen" => 16,
        b"seventeen" => 17,
        b"eighteen" => 18,
        b"nineteen" => 19,
        b"twenty" => 20,
        b"thirty" => 30,
        b"forty" => 40,
        b"fifty" => 50,
        b"sixty" => 60,
        b"seventy" => 70,
        b"eighty" => 80,
        b"ninety" => 90,
        _ => return None,
    };
    Some(number)
}
