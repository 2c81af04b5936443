//! Why a figure has no difference to tell, in words.

use super::pairing::Matched;
use crate::critique;
use crate::metric::How;
use crate::side::Side;
use crate::summary::Plan;

/// Figures of findings: what a critique in prose cannot show.
const OF_FINDINGS: [&str; 13] = [
    "findings_emitted",
    "findings_anchored",
    "findings_anchored_exact",
    "findings_dropped",
    "source_failed",
    "resolution",
    "reraised",
    "vanished",
    "persisted",
    "resolved_by_deletion",
    "applied",
    "applied_without_change",
    "reopened",
];

/// Of a figure that no ticket has on both sides.
pub(super) fn why(plan: &Plan, pairs: &Matched<'_>, sides: [&Side; 2]) -> String {
    if pairs.tickets.is_empty() {
        return "no ticket ran without a fault on both sides".into();
    }
    let named = ["the baseline", "the candidate"];
    let blind: Vec<(&str, &Side)> = named.into_iter().zip(sides).filter(|(_, side)| !seen(plan, side)).collect();
    let formats = || blind.iter().filter_map(|(name, side)| Some((*name, without_findings(side)?)));
    if OF_FINDINGS.contains(&plan.figure.name)
        && let Some((name, format)) = formats().next()
    {
        let who = if formats().count() == 2 { "both sides" } else { name };
        return format!("critiques of {who} are {format}, which has no findings");
    }
    let what = match plan.figure.how {
        _ if plan.figure.unit == "USD" => "without prices in the spec or recorded usage no cost is known",
        How::Ratio(..) => "nothing that it counts was seen",
        _ => "no pass has a value",
    };
    match blind.as_slice() {
        [] => "no ticket has a value on both sides".into(),
        [(name, _)] => format!("{what} in {name}"),
        _ => format!("{what} on either side"),
    }
}

/// True where some ticket of the side has a value.
fn seen(plan: &Plan, side: &Side) -> bool {
    let mut seen = false;
    for ticket in (0..side.frame.len()).filter(|ticket| side.frame.fault(*ticket).is_none()) {
        side.frame.running(plan, ticket, |_, over, under| seen |= plan.fraction(over, under).is_some_and(|(_, under)| under != 0.0));
    }
    seen
}

/// The name of the side's critique format, where it is one without findings.
fn without_findings(side: &Side) -> Option<&'static str> {
    let format = critique::by_name(side.spec.as_ref()?.get("critic")?.get("format")?.as_str()?)?;
    (!format.has_findings()).then(|| format.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_findings_are_figures() {
        assert!(OF_FINDINGS.iter().all(|name| Plan::named(name).is_some()));
    }
}
