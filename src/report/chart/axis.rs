//! Scales: which range of values is shown, where its ticks are, and how a value of each unit is written.

use crate::model::Usd;
use crate::report::number;

/// A value axis: its range and its ticks from the bottom up, each with its label. `low < high`, both finite.
#[derive(Debug, Clone)]
pub struct Axis {
    pub low: f64,
    pub high: f64,
    pub ticks: Vec<(f64, String)>,
}

impl Axis {
    /// Where a value lies between the bottom (0) and the top (1) of the axis, held to that range.
    pub fn place(&self, value: f64) -> f64 {
        ((tame(value) - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }
}

/// Sizes that a double holds but a difference or a quotient of two would not: held to 1e200, and to zero under 1e-200.
pub fn tame(value: f64) -> f64 {
    if value.abs() < 1e-200 { 0.0 } else { value.clamp(-1e200, 1e200) }
}

/// The axis for these values (finite), with about `wanted` steps.
///
/// Counts, shares and amounts start at zero, and so does everything that spreads over more than a quarter of its size; nothing that has no
/// negative value goes below zero. A share ends at 100% at most, unless a value is over it. One value, or none, still gives a range.
pub fn axis(unit: &str, values: impl Iterator<Item = f64>, wanted: usize) -> Axis {
    let range = values.map(tame).fold(None, |range: Option<(f64, f64)>, v| match range {
        None => Some((v, v)),
        Some((low, high)) => Some((low.min(v), high.max(v))),
    });
    let (min, max) = range.unwrap_or((0.0, 0.0));
    // Everything that is counted starts at nothing; only a ratio has its own neighbourhood.
    let from_zero = unit != "ratio" || max - min > 0.25 * max.abs().max(min.abs());
    let (mut low, mut high) = if from_zero { (min.min(0.0), max.max(0.0)) } else { (min, max) };
    if high - low <= 1e-9 * high.abs().max(low.abs()) {
        let pad = if high == 0.0 { 1.0 } else { 0.1 * high.abs() };
        (low, high) = if high == 0.0 { (0.0, pad) } else { (low - pad, high + pad) };
    }
    // Headroom, so that no marker sits on the edge of the frame.
    let span = high - low;
    let full_share = unit == "share" && max <= 1.0;
    high = if max == 0.0 { high } else { high + 0.04 * span };
    low = if min < 0.0 || !from_zero { low - 0.04 * span } else { low };
    if min >= 0.0 {
        low = low.max(0.0);
    }
    if full_share {
        high = high.min(1.0);
    }
    let step = step((high - low) / wanted.max(1) as f64, unit);
    let first = (low / step.size).floor();
    let count = ((high / step.size - 1e-9).ceil() - first).clamp(1.0, 40.0) as usize;
    let ticks: Vec<(f64, String)> = (0..=count).map(|k| (first + k as f64) * step.size).map(|v| (v, step.label(v, unit))).collect();
    Axis { low: first * step.size, high: (first + count as f64) * step.size, ticks }
}

/// A round distance between ticks, and the decimals that tell its multiples apart.
struct Step {
    size: f64,
    decimals: usize,
}

/// The smallest round step that is at least `wanted` (positive): 1, 2 or 5 times a power of ten, for shares and from 25 on also 2.5;
/// whole for counts unless the range is within one.
fn step(wanted: f64, unit: &str) -> Step {
    // The decimal exponent read off the printed number: the same on every platform, which a logarithm is not.
    let printed = format!("{wanted:e}");
    let exponent: i32 = printed.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let power = |e: i32| format!("1e{e}").parse::<f64>().unwrap_or(1.0);
    let quarters = unit == "share" || exponent >= 1;
    let rounds: &[(f64, i32)] = if quarters { &[(1.0, 0), (2.0, 0), (2.5, 1), (5.0, 0)] } else { &[(1.0, 0), (2.0, 0), (5.0, 0)] };
    let scaled = wanted / power(exponent) - 1e-9;
    let (size, exponent, extra) = match rounds.iter().find(|(round, _)| *round >= scaled) {
        Some((round, extra)) if exponent >= 0 => (round * power(exponent), exponent, *extra),
        Some((round, extra)) => (round / power(-exponent), exponent, *extra),
        None if exponent >= -1 => (power(exponent + 1), exponent + 1, 0),
        None => (1.0 / power(-exponent - 1), exponent + 1, 0),
    };
    if unit == "count" && size < 1.0 && wanted > 0.25 {
        return Step { size: 1.0, decimals: 0 };
    }
    let percent = if unit == "share" { 2 } else { 0 };
    Step { size, decimals: usize::try_from(extra - exponent - percent).unwrap_or(0) }
}

impl Step {
    fn label(&self, value: f64, unit: &str) -> String {
        let scaled = if unit == "share" { value * 100.0 } else { value };
        let size = scaled.abs();
        let plain = if size >= 1e7 || self.decimals > 6 {
            short_exponent(scaled)
        } else if self.decimals == 0 && (1e4..1e7).contains(&scaled) {
            number::grouped(scaled.round() as u64)
        } else {
            number::decimal(scaled, self.decimals)
        };
        with_unit(&plain, unit)
    }
}

fn with_unit(plain: &str, unit: &str) -> String {
    match (unit, plain.strip_prefix('-')) {
        ("share", _) => format!("{plain}%"),
        ("USD", Some(size)) => format!("-${size}"),
        ("USD", None) => format!("${plain}"),
        _ => plain.to_owned(),
    }
}

/// `2.5e9`: at most three significant digits.
fn short_exponent(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let printed = format!("{value:.2e}");
    match printed.split_once('e') {
        Some((digits, exponent)) if digits.contains('.') => format!("{}e{exponent}", digits.trim_end_matches('0').trim_end_matches('.')),
        _ => printed,
    }
}

/// A value in words, for the description and the hints: `45.2%`, `$0.0123`, `1,234`, `3.4`.
pub fn value(value: f64, unit: &str) -> String {
    match unit {
        "share" if value.abs() < 1e4 => number::share(value),
        "USD" if (0.0..1e9).contains(&value) => number::optional(Usd::from_f64(value), number::usd),
        _ if value != 0.0 && !(1e-3..1e7).contains(&value.abs()) => {
            with_unit(&short_exponent(if unit == "share" { value * 100.0 } else { value }), unit)
        }
        _ if value >= 1e4 => with_unit(&number::grouped(value.round() as u64), unit),
        _ => {
            let text = number::decimal(value, 3);
            with_unit(text.trim_end_matches('0').trim_end_matches('.'), unit)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(unit: &str, values: &[f64], wanted: usize) -> Vec<String> {
        axis(unit, values.iter().copied(), wanted).ticks.into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_are_round_and_cover_the_values() {
        for (unit, values, want) in [
            ("share", &[0.5, 0.2, 0.1][..], "0% 20% 40% 60%"),
            ("share", &[0.0, 1.0], "0% 25% 50% 75% 100%"),
            ("share", &[0.013], "0.0% 0.5% 1.0% 1.5%"),
            ("share", &[1.4], "0% 50% 100% 150%"),
            ("count", &[2.0, 2.0, 2.0], "0 1 2 3"),
            ("count", &[3.4], "0 1 2 3 4"),
            ("count", &[0.2], "0.0 0.1 0.2 0.3"),
            ("characters", &[12.0, 48_000.0], "0 20,000 40,000 60,000"),
            ("characters", &[1003.0], "0 500 1000 1500"),
            ("characters", &[960.0], "0 250 500 750 1000"),
            ("USD", &[0.012], "$0.000 $0.005 $0.010 $0.015"),
            ("ratio", &[1.02, 1.05], "1.01 1.02 1.03 1.04 1.05 1.06"),
            ("ratio", &[-0.5, 0.5], "-1.0 -0.5 0.0 0.5 1.0"),
            ("count", &[5e20], "0 2e20 4e20 6e20"),
            ("share", &[0.0, 0.0], "0% 25% 50% 75% 100%"),
            ("count", &[], "0.0 0.5 1.0"),
        ] {
            assert_eq!(labels(unit, values, 4).join(" "), want, "{unit} {values:?}");
        }
    }

    #[test]
    fn values_in_words() {
        for (x, unit, want) in [
            (0.452, "share", "45.2%"),
            (0.0123, "USD", "$0.0123"),
            (1234.0, "characters", "1234"),
            (12_345.0, "characters", "12,345"),
            (3.4, "count", "3.4"),
            (-2.0, "USD", "-$2"),
            (0.0, "count", "0"),
            (1e300, "count", "1e300"),
            (-0.25, "share", "-25.0%"),
        ] {
            assert_eq!(value(x, unit), want);
        }
    }
}
