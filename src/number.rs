//! How numbers are shown, everywhere: in the terminal, in Markdown, in HTML and beside the marks of a chart. JSON keeps the unrounded values.

use crate::model::Usd;

/// What is shown where a value cannot be seen. Never a zero, never an empty cell.
pub const ABSENT: &str = "n/a";

/// A rate as a percentage with one decimal, rounded half up: `percent(299, 300)` is `99.7%`.
///
/// `0.0%` is shown only for exactly none and `100.0%` only for exactly all: what lies between is held to `0.1%`..`99.9%`, so that one failure
/// in three thousand stays visible. 0/0 is [`ABSENT`], and so is anything over nothing. More than all (`num > den`) is shown as it is.
pub fn percent(num: u64, den: u64) -> String {
    if den == 0 {
        return ABSENT.to_owned();
    }
    let (num, den) = (u128::from(num), u128::from(den));
    let tenths = (num * 2000 + den) / (2 * den);
    let tenths = if num > 0 && num < den { tenths.clamp(1, 999) } else { tenths };
    format!("{}.{}%", tenths / 10, tenths % 10)
}

/// A fraction as a percentage, by the rule of [`percent`], for values that have no numerator of their own (an interval's bound, a mean of
/// rates). Negative fractions (a difference of two rates) keep their sign. NaN and infinities are [`ABSENT`].
pub fn share(fraction: f64) -> String {
    if !fraction.is_finite() {
        return ABSENT.to_owned();
    }
    let size = fraction.abs();
    let tenths = (size * 1000.0 + 0.5).floor();
    let tenths = if size > 0.0 && size < 1.0 { tenths.clamp(1.0, 999.0) } else { tenths };
    let sign = if fraction < 0.0 { "-" } else { "" };
    format!("{sign}{}%", decimal(tenths / 10.0, 1))
}

/// A number with `places` decimals (at most 17). There is no minus zero; NaN and infinities are [`ABSENT`].
pub fn decimal(x: f64, places: usize) -> String {
    if !x.is_finite() {
        return ABSENT.to_owned();
    }
    let text = format!("{x:.*}", places.min(17));
    match text.strip_prefix('-') {
        Some(rest) if rest.bytes().all(|b| b == b'0' || b == b'.') => rest.to_owned(),
        _ => text,
    }
}

/// A value that may be missing, shown by `show`, or [`ABSENT`].
pub fn optional<T>(value: Option<T>, show: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| ABSENT.to_owned(), show)
}

/// A whole number; from five digits on in groups of three, parted by a comma: `9999`, `12,345`.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// An amount of money: cents at least, and below a dollar as many decimals as show three significant digits, rounded half up from the exact
/// amount: `$12.35`, `$0.50`, `$0.000321`. Nothing is `$0.00`, and only nothing is.
pub fn usd(amount: Usd) -> String {
    let exact = amount.to_string();
    let (whole, fraction) = exact.split_once('.').unwrap_or((&exact, ""));
    let leading_zeros = fraction.bytes().take_while(|b| *b == b'0').count();
    let places = if whole == "0" && !fraction.is_empty() { (leading_zeros + 3).min(fraction.len().max(2)) } else { 2 };
    // Integer arithmetic on the digits kept, then one for the digit that decides.
    let kept: String = whole.bytes().chain(fraction.bytes().chain(std::iter::repeat(b'0')).take(places)).map(char::from).collect();
    let round_up = fraction.as_bytes().get(places).is_some_and(|digit| *digit >= b'5');
    let units = kept.parse::<u128>().unwrap_or(0).saturating_add(u128::from(round_up));
    let digits = format!("{units:0>width$}", width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    format!("${whole}.{fraction}")
}

/// A figure's value in its unit, which only a sign names: `2.3%`, `$0.0123`, `340`, `2.50`.
pub fn in_unit(x: f64, unit: &str) -> String {
    match unit {
        "share" => share(x),
        "USD" if x < 0.0 && x.is_finite() => format!("-{}", in_unit(-x, unit)),
        "USD" => Usd::from_f64(x).map_or_else(|| decimal(x, 2), usd),
        _ => decimal(x, if x.fract() == 0.0 { 0 } else { 2 }),
    }
}

/// The same with the unit's name, for sentences: `6.40 calls`, `1 call`.
pub fn with_unit(x: f64, unit: &str) -> String {
    match unit {
        "share" | "USD" => in_unit(x, unit),
        "ratio" => decimal(x, 2),
        _ if x.abs() == 1.0 => format!("{} {}", decimal(x, 0), unit.strip_suffix('s').unwrap_or(unit)),
        _ => format!("{} {unit}", in_unit(x, unit)),
    }
}

/// The size of a difference of two values, without its sign: `2.3 pp` for shares, else as [`with_unit`].
pub fn distance(x: f64, unit: &str) -> String {
    match unit {
        "share" => share(x.abs()).replace('%', " pp"),
        _ => with_unit(x.abs(), unit),
    }
}

/// A p-value to three decimals, and what is less: `0.031`, `< 0.001`.
pub fn chance(p: f64) -> String {
    if p < 0.001 { "< 0.001".to_owned() } else { decimal(p, 3) }
}

/// The same as an equation: `p = 0.031`, `p < 0.001`.
pub fn p(p: f64) -> String {
    if p < 0.001 { format!("p {}", chance(p)) } else { format!("p = {}", chance(p)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_hundred_percent_only_when_it_is_all_of_them() {
        let rates: Vec<(u64, u64)> = serde_json::from_str(include_str!("../tests/data/report/M06-rounding/rates.json")).unwrap();
        let shown: Vec<String> = rates.iter().map(|(num, den)| percent(*num, *den)).collect();
        assert_eq!(shown, ["99.7%", "99.9%", "0.1%", "100.0%", "0.0%", "n/a", "0.1%"]);
    }

    #[test]
    fn rates_at_the_edges() {
        for (num, den, want) in [
            (1, 8, "12.5%"),
            (1, 16, "6.3%"),
            (3, 0, "n/a"),
            (5, 3, "166.7%"),
            (u64::MAX, u64::MAX, "100.0%"),
            (u64::MAX - 1, u64::MAX, "99.9%"),
            (1, u64::MAX, "0.1%"),
        ] {
            assert_eq!(percent(num, den), want, "{num}/{den}");
        }
        for (fraction, want) in
            [(0.0, "0.0%"), (-0.0, "0.0%"), (1.0, "100.0%"), (0.99999, "99.9%"), (1e-9, "0.1%"), (-0.25, "-25.0%"), (f64::NAN, "n/a")]
        {
            assert_eq!(share(fraction), want, "{fraction}");
        }
    }

    #[test]
    fn decimals_have_no_minus_zero_and_no_infinity() {
        for (x, places, want) in [
            (-0.0, 2, "0.00"),
            (-0.004, 2, "0.00"),
            (-0.006, 2, "-0.01"),
            (-0.4, 0, "0"),
            (3.4, 1, "3.4"),
            (1e15, 0, "1000000000000000"),
            (f64::NAN, 1, "n/a"),
            (f64::INFINITY, 1, "n/a"),
            (f64::NEG_INFINITY, 0, "n/a"),
        ] {
            assert_eq!(decimal(x, places), want, "{x} {places}");
        }
        assert_eq!(optional(Some(0.5), |x| decimal(x, 1)), "0.5");
        assert_eq!(optional(None, |x: f64| decimal(x, 1)), "n/a");
    }

    #[test]
    fn whole_numbers_are_grouped_from_five_digits_on() {
        for (n, want) in [(0, "0"), (9999, "9999"), (10_000, "10,000"), (123_456, "123,456"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(n), want);
        }
    }

    #[test]
    fn money_shows_cents_or_three_digits() {
        for (amount, want) in [
            ("0", "$0.00"),
            ("1.5", "$1.50"),
            ("0.5", "$0.50"),
            ("12.3456", "$12.35"),
            ("12.345", "$12.35"),
            ("0.999", "$0.999"),
            ("0.9999", "$1.000"),
            ("0.000321", "$0.000321"),
            ("0.00032149", "$0.000321"),
            ("0.0123456", "$0.0123"),
            ("0.000000000001", "$0.000000000001"),
            ("1234567", "$1234567.00"),
            ("9.996", "$10.00"),
        ] {
            assert_eq!(usd(Usd::parse(amount).unwrap()), want, "{amount}");
        }
    }

    #[test]
    fn values_have_their_unit_and_distances_no_sign() {
        for (x, unit, shown, apart) in [
            (0.0234, "share", "2.3%", "2.3 pp"),
            (-0.07, "share", "-7.0%", "7.0 pp"),
            (0.00123, "USD", "$0.00123", "$0.00123"),
            (-0.5, "USD", "-$0.50", "$0.50"),
            (6.0, "calls", "6 calls", "6 calls"),
            (-1.0, "calls", "-1 call", "1 call"),
            (-6.4, "calls", "-6.40 calls", "6.40 calls"),
            (1.25, "ratio", "1.25", "1.25"),
            (f64::NAN, "share", "n/a", "n/a"),
        ] {
            assert_eq!((with_unit(x, unit), distance(x, unit)), (shown.to_owned(), apart.to_owned()), "{x} {unit}");
        }
        assert_eq!((p(0.0312), p(0.0009), p(1.0)), ("p = 0.031".to_owned(), "p < 0.001".to_owned(), "p = 1.000".to_owned()));
    }

    proptest! {
        #[test]
        fn only_none_and_all_look_like_it(num in 0u64..10_000, den in 1u64..10_000) {
            prop_assume!(num <= den);
            let shown = percent(num, den);
            prop_assert_eq!(shown == "0.0%", num == 0);
            prop_assert_eq!(shown == "100.0%", num == den);
            let value: f64 = shown.trim_end_matches('%').parse().unwrap();
            prop_assert!((value - 100.0 * num as f64 / den as f64).abs() <= 0.1);
        }
    }
}
