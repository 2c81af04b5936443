//! Money, kept exact: integer pico-dollars, because prices are dollars per million tokens with up to six decimals.

use std::fmt;
use std::iter::Sum;
use std::ops::Add;

/// US dollars in units of 1e-12. Sums are exact whatever their order; the largest sum is 340 thousand million million dollars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Usd(u128);

const PICO_DIGITS: usize = 12;

impl Usd {
    pub const ZERO: Usd = Usd(0);

    /// Reads a plain decimal such as `0.15`; None for anything else (signs, exponents, more than 12 decimals).
    pub fn parse(text: &str) -> Option<Usd> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
        if (whole.is_empty() && fraction.is_empty())
            || !digits(whole)
            || !digits(fraction)
            || whole.len() > 12
            || fraction.len() > PICO_DIGITS
        {
            return None;
        }
        let whole: u128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        let fraction: u128 = format!("{fraction:0<PICO_DIGITS$}").parse().ok()?;
        Some(Usd(whole * 10u128.pow(PICO_DIGITS as u32) + fraction))
    }

    /// From a price written as a number; None where it is negative, not finite, or absurdly large.
    pub fn from_f64(dollars: f64) -> Option<Usd> {
        if !dollars.is_finite() || !(0.0..1e12).contains(&dollars) {
            return None;
        }
        Usd::parse(&format!("{dollars:.12}"))
    }

    /// The cost of `tokens` where this is the price of a million.
    pub fn per_million(self, tokens: u64) -> Usd {
        // In two parts, so that neither an absurd price nor an absurd count overflows; both are far from where it saturates.
        let (whole, rest) = (self.0 / 1_000_000, self.0 % 1_000_000);
        let tokens = u128::from(tokens);
        Usd(whole.saturating_mul(tokens).saturating_add(rest * tokens / 1_000_000))
    }

    /// What is left of it; nothing where `other` is more.
    pub fn less(self, other: Usd) -> Usd {
        Usd(self.0.saturating_sub(other.0))
    }

    /// In units of 1e-12, held to what the integer holds: more than nine million dollars are that.
    pub fn to_pico(self) -> i64 {
        i64::try_from(self.0).unwrap_or(i64::MAX)
    }

    /// Nothing for a negative amount.
    pub fn from_pico(pico: i64) -> Usd {
        Usd(u128::try_from(pico).unwrap_or(0))
    }

    /// For plots and tables; exact sums stay in [`Usd`].
    pub fn to_f64(self) -> f64 {
        /// Below it a float holds every whole number, and dividing rounds once, as reading the decimal does.
        const EXACT_MAX: u128 = 1 << 53;
        if self.0 <= EXACT_MAX { self.0 as f64 / 1e12 } else { self.to_string().parse().unwrap_or(0.0) }
    }
}

impl Add for Usd {
    type Output = Usd;
    fn add(self, other: Usd) -> Usd {
        Usd(self.0.saturating_add(other.0))
    }
}

impl Sum for Usd {
    fn sum<I: Iterator<Item = Usd>>(iter: I) -> Usd {
        iter.fold(Usd::ZERO, Add::add)
    }
}

impl fmt::Display for Usd {
    /// The shortest exact decimal: `1.5`, `0.000321`, `0`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = 10u128.pow(PICO_DIGITS as u32);
        // Less than 2^64, which is divided faster; zeros at the end are not shown.
        let (mut fraction, mut digits) = ((self.0 % unit) as u64, PICO_DIGITS);
        while fraction.is_multiple_of(10) && digits > 0 {
            (fraction, digits) = (fraction / 10, digits - 1);
        }
        write!(f, "{}", self.0 / unit)?;
        if digits > 0 { write!(f, ".{fraction:0digits$}") } else { Ok(()) }
    }
}

impl serde::Serialize for Usd {
    /// As a decimal string, so that no reader rounds it.
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Usd {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(d)?;
        Usd::parse(&text).ok_or_else(|| serde::de::Error::custom(format!("`{text}` is not an amount in dollars such as \"0.0015\"")))
    }
}

impl schemars::JsonSchema for Usd {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Usd".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": r"^[0-9]{0,12}(\.[0-9]{1,12})?$", "description": "US dollars, exact" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact_in_any_order() {
        let parts = ["0.1", "0.2", "0.3", "0.7", "0.1", "0.1"];
        let sum = |it: &mut dyn Iterator<Item = &&str>| it.map(|s| Usd::parse(s).unwrap()).sum::<Usd>().to_string();
        assert_eq!(sum(&mut parts.iter()), "1.5");
        assert_eq!(sum(&mut parts.iter().rev()), "1.5");
    }

    #[test]
    fn reads_plain_decimals_only() {
        for (text, want) in [("0", Some("0")), ("2", Some("2")), (".5", Some("0.5")), ("0.000000000001", Some("0.000000000001"))] {
            assert_eq!(Usd::parse(text).map(|u| u.to_string()).as_deref(), want, "{text}");
        }
        for text in ["", ".", "-1", "1e3", "0.0000000000001", "1,5", "NaN"] {
            assert_eq!(Usd::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_million_tokens_cost_the_price() {
        let price = Usd::parse("0.15").unwrap();
        assert_eq!(price.per_million(1_000_000), price);
        assert_eq!(price.per_million(1).to_string(), "0.00000015");
    }
}
