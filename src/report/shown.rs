//! Values, differences and verdicts as short texts, the same in every form.

use std::borrow::Cow;

use super::number;
use crate::compare::{Comparison, Difference, FigureComparison, NO_VARIATION, Reading, ValueChange};
use crate::gate::{OnInconclusive, Verdict};
use crate::summary::{Amount, Anchoring, PassFigure};

/// At most `chars_max` scalars of a text of others; what is cut ends in an ellipsis.
pub fn short(text: &str, chars_max: usize) -> Cow<'_, str> {
    match text.char_indices().nth(chars_max) {
        None => Cow::Borrowed(text),
        Some(_) => Cow::Owned(text.chars().take(chars_max.saturating_sub(1)).chain(['\u{2026}']).collect()),
    }
}

/// A value in its unit, as [`number::in_unit`] writes it.
pub fn value(unit: &str, x: Option<f64>) -> String {
    number::optional(x, |x| number::in_unit(x, unit))
}

/// A difference with its sign; of shares in percentage points: `+7.0 pp`.
pub fn difference(unit: &str, x: Option<f64>) -> String {
    number::optional(x.filter(|x| x.is_finite()), |x| {
        let (sign, size) = (if x > 0.0 { "+" } else { "" }, number::in_unit(x, unit));
        if unit == "share" { format!("{sign}{} pp", size.trim_end_matches('%')) } else { format!("{sign}{size}") }
    })
}

/// A difference with its interval: `+7.0 pp [+2.1, +12.0]`.
pub fn with_interval(unit: &str, value: Option<f64>, low: Option<f64>, high: Option<f64>) -> String {
    let bound = |x: f64| difference(unit, Some(x)).trim_end_matches(" pp").to_owned();
    let interval = low.zip(high).map_or(String::new(), |(low, high)| format!(" [{}, {}]", bound(low), bound(high)));
    difference(unit, value) + &interval
}

/// The difference of two arms with its interval, or with the word that there is none to be had.
pub fn compared(unit: &str, at: &Difference) -> String {
    let still = at.interval.as_deref() == Some(NO_VARIATION);
    with_interval(unit, at.value, at.low, at.high) + if still { " [no variation]" } else { "" }
}

/// How sure the intervals of single passes are, and those of the end; what `no variation` says.
pub const INTERVALS: &str = "Pass by pass the intervals of means, medians and ratios are normal approximations; at the end of the runs, which is the \
                             last enrolled pass, they are bootstrapped (up to 10,000 tickets). No variation: every ticket moved by the same amount, \
                             which gives no interval.";

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

/// A figure's title with the way it is made, where its unit stands elsewhere: `Characters changed, median`.
pub fn heading(title: &str, how: &str) -> String {
    match how {
        "median" | "mean" => format!("{title}, {how}"),
        _ => title.to_owned(),
    }
}

/// The same with its unit: `Characters changed (median characters)`.
pub fn title(title: &str, how: &str, unit: &str) -> String {
    match how {
        "median" | "mean" => format!("{title} ({how} {unit})"),
        _ => title.to_owned(),
    }
}

/// Of a share: how many had it, of how many.
pub fn counts(unit: &str, at: &PassFigure) -> Option<(u64, u64)> {
    match (at.num, at.den) {
        (Some(Amount::Count(num)), Some(den)) if unit == "share" => Some((u64::try_from(num).ok()?, den)),
        _ => None,
    }
}

/// Why findings were dropped, with how many each: `elided_quote 22, not_found 64`.
pub fn dropped(anchoring: &Anchoring) -> String {
    let counted = anchoring.dropped_by_reason.iter().filter(|(_, n)| **n > 0);
    counted.map(|(reason, n)| format!("{reason} {}", number::grouped(*n))).collect::<Vec<_>>().join(", ")
}

/// A value with its interval and what it stands on: `61.0% [55-66] 183/300`, `6.40 [6-7] n=300`.
pub fn measured(unit: &str, at: &PassFigure) -> String {
    let Some(x) = at.value else {
        return if at.n == 0 && at.missing == 0 { String::new() } else { number::ABSENT.to_owned() };
    };
    let bound = |x: f64| number::decimal(if unit == "share" { 100.0 * x } else { x }, 0);
    let interval = at.low.zip(at.high).map_or(String::new(), |(low, high)| format!(" [{}-{}]", bound(low), bound(high)));
    match counts(unit, at) {
        Some((num, den)) => format!("{}{interval} {num}/{den}", number::percent(num, den)),
        None => format!("{}{interval} n={}", number::in_unit(x, unit), at.n),
    }
}

/// A value in one ticket, where a share (`is_share`) is an event that happened or not.
pub fn of_ticket(is_share: bool, unit: &str, x: Option<f64>) -> String {
    match x {
        Some(0.0) if is_share => "no".to_owned(),
        Some(1.0) if is_share => "yes".to_owned(),
        _ => value(unit, x),
    }
}

/// Both values of what changed in a ticket, baseline first.
pub fn of_change(comparison: &Comparison, change: &ValueChange) -> [String; 2] {
    let figure = comparison.figures.iter().find(|figure| figure.name == change.figure);
    let (is_share, unit) = figure.map_or((false, ""), |figure| (figure.how == "share", &*figure.unit));
    [change.baseline, change.candidate].map(|x| of_ticket(is_share, unit, x))
}

/// What an inconclusive verdict does.
pub const fn inconclusive(on: OnInconclusive) -> &'static str {
    match on {
        OnInconclusive::Pass => "passes",
        OnInconclusive::Fail => "fails",
    }
}

/// The difference of two arms that a table shows for a figure: at the end of the runs, else at the last pass that both have.
pub fn of_figure(figure: &FigureComparison) -> Option<&Difference> {
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
            ("USD", Some(-0.5), "-$0.50", "-$0.50"),
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
