//! Values, differences and verdicts as short texts, the same in every form.

use std::borrow::Cow;

use super::number::{self, decimal};
use crate::compare::{Comparison, Difference, Reading};
use crate::gate::Verdict;
use crate::model::Usd;

/// At most `chars_max` scalars of a text of others; what is cut ends in an ellipsis.
pub fn short(text: &str, chars_max: usize) -> Cow<'_, str> {
    match text.char_indices().nth(chars_max) {
        None => Cow::Borrowed(text),
        Some(_) => Cow::Owned(text.chars().take(chars_max.saturating_sub(1)).chain(['\u{2026}']).collect()),
    }
}

/// A value in its unit: `61.0%`, `$0.0123`, `340`, `2.50`.
pub fn value(unit: &str, x: Option<f64>) -> String {
    number::optional(x, |x| match unit {
        "share" => number::share(x),
        "USD" => money(x),
        _ => decimal(x, places(x)),
    })
}

/// A difference with its sign; of shares in percentage points: `+7.0 pp`.
pub fn difference(unit: &str, x: Option<f64>) -> String {
    number::optional(x.filter(|x| x.is_finite()), |x| {
        let sign = if x > 0.0 { "+" } else { "" };
        match unit {
            "share" => format!("{sign}{} pp", number::share(x).trim_end_matches('%')),
            "USD" if x < 0.0 => format!("-{}", money(-x)),
            "USD" => format!("{sign}{}", money(x)),
            _ => format!("{sign}{}", decimal(x, places(x))),
        }
    })
}

/// A difference with its interval: `+7.0 pp [+2.1, +12.0]`.
pub fn with_interval(unit: &str, value: Option<f64>, low: Option<f64>, high: Option<f64>) -> String {
    let bound = |x: f64| difference(unit, Some(x)).trim_end_matches(" pp").to_owned();
    let interval = low.zip(high).map_or(String::new(), |(low, high)| format!(" [{}, {}]", bound(low), bound(high)));
    difference(unit, value) + &interval
}

fn places(x: f64) -> usize {
    if x.fract() == 0.0 { 0 } else { 2 }
}

fn money(x: f64) -> String {
    Usd::from_f64(x).map_or_else(|| decimal(x, 2), number::usd)
}

pub const fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "PASS",
        Verdict::Inconclusive => "INCONCLUSIVE",
        Verdict::NoVerdict => "NO VERDICT",
        Verdict::Regressed => "REGRESSED",
    }
}

pub const fn reading(reading: Reading) -> &'static str {
    match reading {
        Reading::Worse => "worse",
        Reading::Better => "better",
        Reading::Differs => "differs",
        Reading::NotShown => "not shown to differ",
        Reading::Same => "the same",
        Reading::None => number::ABSENT,
    }
}

/// What a figure is measured in, by its name; empty where a comparison does not know it.
pub fn unit<'a>(comparison: &'a Comparison, figure: &str) -> &'a str {
    comparison.figures.iter().find(|f| f.name == figure).map_or("", |f| &f.unit)
}

/// The difference of two arms that a table shows for a figure: at the end of the runs, else at the last pass that both have.
pub fn of_figure(figure: &crate::compare::FigureComparison) -> Option<&Difference> {
    figure.end.as_ref().or_else(|| figure.at_risk.last())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_carry_their_unit_and_differences_their_sign() {
        for (unit, x, shown, differs) in [
            ("share", Some(0.07), "7.0%", "+7.0 pp"),
            ("share", Some(-0.07), "-7.0%", "-7.0 pp"),
            ("share", Some(0.0), "0.0%", "0.0 pp"),
            ("USD", Some(0.0123), "$0.0123", "+$0.0123"),
            ("USD", Some(-0.5), "-0.50", "-$0.50"),
            ("calls", Some(3.0), "3", "+3"),
            ("calls", Some(-0.25), "-0.25", "-0.25"),
            ("calls", None, "n/a", "n/a"),
            ("share", Some(f64::NAN), "n/a", "n/a"),
        ] {
            assert_eq!((value(unit, x), difference(unit, x)), (shown.to_owned(), differs.to_owned()), "{unit} {x:?}");
        }
        assert_eq!(with_interval("share", Some(0.07), Some(0.021), Some(0.12)), "+7.0 pp [+2.1, +12.0]");
        assert_eq!(with_interval("share", None, None, None), "n/a");
    }

    #[test]
    fn texts_are_shortened_by_scalars() {
        for (text, max, want) in [("abc", 3, "abc"), ("abcd", 3, "ab\u{2026}"), ("", 3, ""), ("退款问题", 2, "退\u{2026}")] {
            assert_eq!(short(text, max), want);
        }
    }
}
