//! gate.toml, format version 1: which figures may get how much worse, and when no verdict is possible.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Error, unknown};
use crate::metric::{self, Better, Figure};
use crate::summary::Plan;

/// gate.toml as it is written.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "gate.toml: which figures may get how much worse")]
pub struct PolicyFile {
    /// Format version: 1.
    version: u32,
    /// What candidates are held against, unless --baseline says otherwise: a table, a ledger, a report folder or an arm, relative to this file.
    baseline: Option<String>,
    /// Chance of even one false REGRESSED over all metrics, and of a false PASS of one.
    #[serde(default = "five_percent")]
    alpha: f64,
    #[serde(default)]
    mode: Mode,
    #[serde(default = "fail")]
    on_inconclusive: OnInconclusive,
    /// Tickets with a fault that a side may have; with more there is no verdict.
    #[serde(default)]
    max_errored: u64,
    /// Tickets of the baseline that the candidate may lack; with more there is no verdict.
    #[serde(default)]
    max_missing: u64,
    #[serde(default)]
    activity: Activity,
    #[schemars(with = "Vec<MetricFile>")]
    metric: Vec<Metric>,
}

fn five_percent() -> f64 {
    0.05
}

fn fail() -> OnInconclusive {
    OnInconclusive::Fail
}

/// A candidate that does next to nothing has perfect locality: it gets no verdict.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Activity {
    /// Findings and revisions a ticket that the candidate must have, as a share of the baseline's.
    min_share: f64,
}

impl Default for Activity {
    fn default() -> Activity {
        Activity { min_share: 0.1 }
    }
}

/// One gated figure, as it is written.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MetricFile {
    /// Name of the figure.
    figure: String,
    /// How much worse it may get: "2pp" for a share; else a number with the figure's unit ("50 characters", "$0.001") or "10%" of the baseline's.
    margin: String,
    /// Which way is worse: only, and always, for a figure that has no better direction of its own.
    worse: Option<Worse>,
}

/// How tickets are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// `exact` where both sides replay the same recorded calls, else `paired`.
    #[default]
    Auto,
    /// Any newly broken ticket is a regression; chance has no part in it.
    Exact,
    /// Differences by ticket are held against chance.
    Paired,
}

/// What an inconclusive verdict means for the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnInconclusive {
    Pass,
    Fail,
}

/// Which way a figure gets worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Worse {
    Higher,
    Lower,
}

/// A policy, checked.
#[derive(Debug, Clone)]
pub struct Policy {
    pub baseline: Option<String>,
    pub alpha: f64,
    pub mode: Mode,
    pub on_inconclusive: OnInconclusive,
    pub max_errored: u64,
    pub max_missing: u64,
    pub min_share: f64,
    /// At least one, each figure once.
    pub metrics: Vec<Metric>,
}

/// One gated figure.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "MetricFile")]
pub struct Metric {
    pub figure: &'static Figure,
    pub margin: Margin,
    pub worse: Worse,
}

/// How much worse a figure may get.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Margin {
    /// In the figure's unit; a share as a fraction.
    Amount(f64),
    /// As a fraction of the baseline's value.
    Relative(f64),
}

impl Margin {
    /// In the figure's unit. None where it is relative to a value that there is not.
    pub fn amount(self, baseline: Option<f64>) -> Option<f64> {
        match self {
            Margin::Amount(amount) => Some(amount),
            Margin::Relative(share) => baseline.map(|value| share * value.abs()).filter(|amount| amount.is_finite()),
        }
    }
}

impl Policy {
    /// Reads a gate.toml.
    pub fn parse(path: &Path, text: &str) -> Result<Policy, Error> {
        let file: PolicyFile = crate::toml::read(path, text)?;
        let wrong = |what: String| Err(Error::at(path, what));
        if file.version != 1 {
            return wrong(format!("version {} of the gate format is not known; expected 1", file.version));
        }
        if !(file.alpha > 0.0 && file.alpha <= 0.5) {
            return wrong(format!("alpha: {} is no level; expected more than 0 and at most 0.5, such as 0.05", file.alpha));
        }
        if !(0.0..=1.0).contains(&file.activity.min_share) {
            return wrong(format!("activity.min_share: {} is no share; expected 0 to 1, such as 0.1", file.activity.min_share));
        }
        if file.metric.is_empty() {
            return wrong("no [[metric]] is gated; expected one at least".into());
        }
        for (i, metric) in file.metric.iter().enumerate() {
            if file.metric[..i].iter().any(|other| other.figure.name == metric.figure.name) {
                return wrong(format!("metric[{i}].figure: `{}` is gated twice", metric.figure.name));
            }
        }
        Ok(Policy {
            baseline: file.baseline,
            alpha: file.alpha,
            mode: file.mode,
            on_inconclusive: file.on_inconclusive,
            max_errored: file.max_errored,
            max_missing: file.max_missing,
            min_share: file.activity.min_share,
            metrics: file.metric,
        })
    }
}

impl TryFrom<MetricFile> for Metric {
    type Error = String;

    fn try_from(file: MetricFile) -> Result<Metric, String> {
        let figures: Vec<&'static Figure> = metric::figures().collect();
        let Some(figure) = figures.iter().find(|figure| figure.name == file.figure) else {
            let names: Vec<&str> = figures.iter().map(|figure| figure.name).collect();
            return Err(format!("figure: {}", unknown(&file.figure, &names)));
        };
        if !Plan::named(figure.name).is_some_and(Plan::carried) {
            return Err(format!("figure: `{}` says something of single passes and has no state at the end of a run to gate", figure.name));
        }
        let worse = match (figure.better, file.worse) {
            (Some(Better::Lower), None) => Worse::Higher,
            (Some(Better::Higher), None) => Worse::Lower,
            (None, Some(worse)) => worse,
            (None, None) => {
                return Err(format!("worse: `{}` has no better direction; expected worse = \"higher\" or \"lower\"", figure.name));
            }
            (Some(better), Some(_)) => {
                let better = if better == Better::Lower { "lower" } else { "higher" };
                return Err(format!("worse: of `{}` {better} is better already; leave the key out", figure.name));
            }
        };
        let margin = margin(&file.margin, figure.unit).map_err(|what| format!("margin: `{}`: {what}", file.margin))?;
        Ok(Metric { figure, margin, worse })
    }
}

/// Reads a margin in a figure's unit.
fn margin(text: &str, unit: &str) -> Result<Margin, String> {
    let text = text.trim();
    let (dollars, text) = text.strip_prefix('$').map_or((false, text), |rest| (true, rest));
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, given) = (&text[..end], text[end..].trim());
    let example = match unit {
        "share" => "2pp".to_owned(),
        "USD" => "$0.001 or 10%".to_owned(),
        "ratio" => "0.05 or 10%".to_owned(),
        other => format!("5 {other} or 10%"),
    };
    // Digits and a point alone: a sign, an exponent or "inf" is no margin.
    let Some(number) = number.parse::<f64>().ok().filter(|number| number.is_finite()) else {
        return Err(format!("begins with no plain number, 0 or more; expected a margin such as {example}"));
    };
    let of_unit = match (given, unit) {
        ("", "USD") => dollars,
        ("", "ratio") => !dollars,
        ("", _) => false,
        (given, unit) => !dollars && (given == unit || unit.strip_suffix('s') == Some(given)),
    };
    match (given, unit) {
        ("pp", "share") if !dollars && number <= 100.0 => Ok(Margin::Amount(number / 100.0)),
        ("pp", "share") if !dollars => Err("more than all; expected 0pp to 100pp".into()),
        ("%", "share") if !dollars => {
            Err(format!("of a share, % may mean points or a part of it; expected percentage points, such as {}pp", number))
        }
        ("%", _) if !dollars => Ok(Margin::Relative(number / 100.0)),
        (_, "share") => Err(format!("a share gets worse by percentage points; expected a margin such as {example}")),
        _ if of_unit => Ok(Margin::Amount(number)),
        _ => Err(format!("the figure is in {unit}; expected a margin such as {example}")),
    }
}

/// What `redraft gate --init` writes.
pub const TEMPLATE: &str = include_str!("gate.toml");

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Result<Policy, String> {
        Policy::parse(Path::new("gate.toml"), text).map_err(|e| e.to_string())
    }

    #[test]
    fn the_template_reads_and_says_the_defaults() {
        let written = parse(TEMPLATE).unwrap();
        let bare = parse("version = 1\n[[metric]]\nfigure = \"run_new_error\"\nmargin = \"2pp\"\n").unwrap();
        let defaults = |p: &Policy| (p.alpha, p.mode, p.on_inconclusive, p.max_errored, p.max_missing, p.min_share);
        assert_eq!(defaults(&written), defaults(&bare));
        assert_eq!(defaults(&bare), (0.05, Mode::Auto, OnInconclusive::Fail, 0, 0, 0.1));
        // What is commented out in it reads too.
        let all: String = TEMPLATE
            .lines()
            .map(|l| l.strip_prefix("# ").filter(|rest| rest.starts_with("[[") || rest.contains(" = \"")).unwrap_or(l).to_owned() + "\n")
            .collect();
        let all = parse(&all).unwrap();
        assert_eq!((all.metrics.len(), all.baseline.as_deref()), (5, Some("baseline.parquet")));
        assert_eq!(all.metrics[4].margin, Margin::Amount(50.0));
    }

    #[test]
    fn margins_have_units() {
        for (text, unit, want) in [
            ("2pp", "share", Ok(Margin::Amount(0.02))),
            (" 0.5 pp ", "share", Ok(Margin::Amount(0.005))),
            ("0pp", "share", Ok(Margin::Amount(0.0))),
            ("5%", "share", Err("of a share, % may mean points or a part of it; expected percentage points, such as 5pp")),
            ("101pp", "share", Err("more than all; expected 0pp to 100pp")),
            ("0.05", "share", Err("a share gets worse by percentage points; expected a margin such as 2pp")),
            ("50 characters", "characters", Ok(Margin::Amount(50.0))),
            ("1 character", "characters", Ok(Margin::Amount(1.0))),
            ("10%", "characters", Ok(Margin::Relative(0.1))),
            ("50", "characters", Err("the figure is in characters; expected a margin such as 5 characters or 10%")),
            ("50pp", "characters", Err("the figure is in characters; expected a margin such as 5 characters or 10%")),
            ("0.5 calls", "calls", Ok(Margin::Amount(0.5))),
            ("0.5 call", "characters", Err("the figure is in characters; expected a margin such as 5 characters or 10%")),
            ("$0.001", "USD", Ok(Margin::Amount(0.001))),
            ("0.001 USD", "USD", Ok(Margin::Amount(0.001))),
            ("0.001", "USD", Err("the figure is in USD; expected a margin such as $0.001 or 10%")),
            ("$5 calls", "calls", Err("the figure is in calls; expected a margin such as 5 calls or 10%")),
            ("$5%", "USD", Err("the figure is in USD; expected a margin such as $0.001 or 10%")),
            ("0.05", "ratio", Ok(Margin::Amount(0.05))),
            ("-1 calls", "calls", Err("begins with no plain number, 0 or more; expected a margin such as 5 calls or 10%")),
            ("inf calls", "calls", Err("begins with no plain number, 0 or more; expected a margin such as 5 calls or 10%")),
            ("", "calls", Err("begins with no plain number, 0 or more; expected a margin such as 5 calls or 10%")),
        ] {
            assert_eq!(margin(text, unit), want.map_err(str::to_owned), "{text} {unit}");
        }
        assert_eq!((Margin::Relative(0.1).amount(Some(6.0)), Margin::Relative(0.1).amount(None)), (Some(0.6000000000000001), None));
    }

    #[test]
    fn errors_say_where_and_what_was_expected() {
        let metric = "version = 1\n[[metric]]\n";
        for (text, want) in [
            ("version = 2\nmetric = []\n", "gate.toml: version 2 of the gate format is not known; expected 1"),
            ("version = 1\nmetric = []\n", "gate.toml: no [[metric]] is gated; expected one at least"),
            ("version = 1\nalhpa = 0.1\nmetric = []\n", "gate.toml:2: unknown key `alhpa`; did you mean `alpha`? (known here: version"),
            ("version = 1\nalpha = 0\nmetric = []\n", "gate.toml: alpha: 0 is no level"),
            ("version = 1\nmode = \"exct\"\nmetric = []\n", "gate.toml:2: mode: `exct` is not known; did you mean `exact`?"),
            ("version = 1\nmax_errored = -1\nmetric = []\n", "gate.toml:2: max_errored: invalid value: integer `-1`"),
            ("version = 1\nmetric = []\n[activity]\nmin_share = 2.0\n", "gate.toml: activity.min_share: 2 is no share"),
            (&format!("{metric}figure = \"run_new_eror\"\nmargin = \"1pp\"\n"), "did you mean `run_new_error`?"),
            (&format!("{metric}figure = \"run_new_error\"\nmargn = \"1pp\"\n"), "unknown key `margn`; did you mean `margin`?"),
            (&format!("{metric}figure = \"run_new_error\"\nmargin = \"5%\"\n"), "margin: `5%`: of a share, % may mean"),
            (&format!("{metric}figure = \"run_new_error\"\nmargin = 2\n"), "invalid type: integer `2`, expected a string"),
            (&format!("{metric}figure = \"chars_changed\"\nmargin = \"5%\"\n"), "expected worse = \"higher\" or \"lower\""),
            (&format!("{metric}figure = \"calls\"\nmargin = \"5%\"\nworse = \"higher\"\n"), "worse: of `calls` lower is better already"),
            (
                "version = 1\n[[metric]]\nfigure = \"calls\"\nmargin = \"5%\"\n[[metric]]\nfigure = \"calls\"\nmargin = \"6%\"\n",
                "gate.toml: metric[1].figure: `calls` is gated twice",
            ),
        ] {
            let got = parse(text).unwrap_err();
            assert!(got.contains(want) && got.starts_with("gate.toml"), "{text}\n{got}\n{want}");
        }
        // What is wrong in a metric has a line.
        assert!(parse(&format!("{metric}figure = \"nothing\"\nmargin = \"1pp\"\n")).unwrap_err().starts_with("gate.toml:2: metric[0]: "));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,20}|[0-9.$ %a-z]{0,12}", unit in prop::sample::select(vec!["share", "calls", "USD", "ratio"])) {
            if let Ok(Margin::Amount(amount) | Margin::Relative(amount)) = margin(&text, unit) {
                prop_assert!(amount >= 0.0 && amount.is_finite());
            }
        }
    }
}
