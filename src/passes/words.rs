//! What a study says, in sentences: which pass is the last whose gain is shown, what could have been missed, and of whom it is said.

use super::judge::ALPHA;
use super::{ArmPasses, PassLine, Reading, Shift};
use crate::number::{self, grouped};
use crate::stats::power;

/// `tested` is the number of passes whose gain was tested.
pub(super) fn conclusion(arm: &ArmPasses, tested: usize) -> Vec<String> {
    if arm.enrolled == 0 {
        return vec!["No ticket ran without a fault: there is nothing to say of passes.".into()];
    }
    if arm.judged == 0 {
        let why = if arm.without_first_draft == arm.enrolled { "no first draft is a draft" } else { "no ticket has a required check" };
        return vec![
            format!("There is nothing to judge by: {why}. No gain is known, which is not a gain of 0."),
            "The proxies need no checks; they say whether the loop is still busy, not whether drafts got better.".into(),
        ];
    }
    if tested == 0 {
        return vec!["No pass made a draft after pass 0: this is the writer alone, and there is no pass whose gain could be shown.".into()];
    }
    let mut out = vec![];
    let later: Vec<&PassLine> = arm.passes.iter().filter(|line| line.net.is_some() && Some(line.pass) > arm.last_gain).collect();
    match arm.passes.iter().find(|line| Some(line.pass) == arm.last_gain) {
        Some(line) => out.push(format!("Pass {} is the last pass whose gain is shown: {}{}.", line.pass, told(line), holm(line, tested))),
        None => {
            let best = later.iter().max_by(|a, b| value(a).total_cmp(&value(b)).then(b.pass.cmp(&a.pass)));
            let told = best.map_or(String::new(), |line| format!(" The most is pass {}: {}{}.", line.pass, told(line), holm(line, tested)));
            out.push(format!("No pass is shown to gain.{told}"));
        }
    }
    let losses: Vec<&PassLine> = arm.passes.iter().filter(|line| line.reading == Reading::Loss).collect();
    for line in &losses {
        out.push(format!("Pass {} is shown to lose: {}{}.", line.pass, told(line), holm(line, tested)));
    }
    let open: Vec<&PassLine> = later.iter().copied().filter(|line| line.reading == Reading::NotShown).collect();
    if !open.is_empty() {
        out.push(missed(arm, &open, tested));
    }
    let idle: Vec<String> = arm.passes.iter().filter(|line| line.drafted == 0).map(|line| line.pass.to_string()).collect();
    if !idle.is_empty() {
        out.push(format!(
            "No draft came of pass {} (approvals, closing critiques): it can gain nothing, and is paid for.",
            idle.join(", ")
        ));
    }
    if let Some(last) = arm.passes.iter().rfind(|line| line.drafted > 0).filter(|last| last.running < arm.enrolled) {
        out.push(format!(
            "Of {} tickets {} still ran in pass {}. The others had stopped; they are carried forward as they were, so that a pass is judged by what it adds to \
             all tickets, not by the hard ones that are left to it.",
            grouped(arm.enrolled),
            grouped(last.running),
            last.pass
        ));
    }
    if arm.judged < arm.enrolled {
        let left = [(arm.without_checks, "without checks"), (arm.without_first_draft, "whose first draft is none")];
        let left: Vec<String> = left.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{} {what}", grouped(*n))).collect();
        out.push(format!("Judged are {} of {} tickets; left out: {}.", grouped(arm.judged), grouped(arm.enrolled), left.join(", ")));
    }
    out
}

fn value(line: &PassLine) -> f64 {
    line.net.as_ref().and_then(|net| net.value).unwrap_or(f64::NEG_INFINITY)
}

/// "+4.3 [+1.2, +7.9] tickets per 100".
fn told(line: &PassLine) -> String {
    line.net.as_ref().map_or(String::new(), |net| format!("{} tickets per 100", per_100(net)))
}

/// A net gain with its interval: `+4.3 [+1.2, +7.9]`.
pub fn per_100(net: &Shift) -> String {
    let interval = net.low.zip(net.high).map_or(String::new(), |(low, high)| format!(" [{}, {}]", signed(low), signed(high)));
    number::optional(net.value, signed) + &interval
}

pub fn signed(x: f64) -> String {
    let text = number::decimal(x, 1);
    if x > 0.0 && text != "0.0" { format!("+{text}") } else { text }
}

fn holm(line: &PassLine, tested: usize) -> String {
    let over = if tested == 1 { String::new() } else { format!(" over {tested} passes (Holm)") };
    line.p_holm.map_or(String::new(), |p| format!(", {}{over}", number::p(p)))
}

/// What the passes that are not shown to gain could have gained unseen.
fn missed(arm: &ArmPasses, open: &[&PassLine], tested: usize) -> String {
    let passes: Vec<String> = open.iter().map(|line| line.pass.to_string()).collect();
    let (who, do_not) = if open.len() == 1 { ("Pass", "is") } else { ("Passes", "are") };
    let head = format!("{who} {} {do_not} not shown to gain, which is not shown to gain nothing", passes.join(", "));
    let largest =
        open.iter().filter_map(|line| line.detectable).fold(None, |most: Option<f64>, x| Some(most.map_or(x, |most| most.max(x))));
    let blind = open.iter().any(|line| line.detectable.is_none());
    let n = grouped(arm.judged);
    match (largest, blind) {
        (Some(most), false) => {
            format!(
                "{head}: of {n} tickets, with as many that flip as here, a gain under {} per 100 would be missed more than one time in five.",
                number::decimal(most, 1)
            )
        }
        _ => {
            let level = ALPHA / tested.max(1) as f64;
            let fewest = power::fewest_discordant(level).filter(|_| arm.samples <= 1);
            let needs = fewest.map_or(String::new(), |fewest| {
                let flips =
                    open.iter().map(|line| line.made_correct.unwrap_or(0.0) + line.made_incorrect.unwrap_or(0.0)).fold(0.0, f64::max);
                format!(" At least {} tickets must flip in a pass, all one way; at most {} did.", fewest.mid_p, number::decimal(flips, 0))
            });
            format!(
                "{head}: so few of the {n} tickets flip that even if all went one way it would be missed more than one time in five.{needs}"
            )
        }
    }
}
