//! How far raters agree, as text and as JSON.

use serde::Serialize;

use super::stale_line;
use crate::cli::paint::Paint;
use crate::cli::{Exit, print};
use crate::error::Error;
use crate::label::agree::{Agreement, agreements};
use crate::label::{Kind, Labels};
use crate::number::{decimal, grouped, optional, percent, share};
use crate::replay::Gathered;
use crate::report::grid::escape_terminal;

/// What `--format json` prints.
#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    agreements: &'a [Agreement],
    stale: Vec<String>,
    judges_not_used: Vec<String>,
}

/// Things listed at most a pair; the count is always whole.
const LISTED_MAX: usize = 50;

pub fn run(gathered: &Gathered, labels: &Labels, seed: u64, json: bool, paint: Paint) -> Result<Exit, Error> {
    let found = agreements(&gathered.join, &gathered.things, seed);
    let stale: Vec<String> = gathered.join.stale.iter().map(stale_line).collect();
    let judges: Vec<String> = gathered.judge_unused.iter().map(|(ticket, slot, why)| format!("ticket {ticket}: {slot}: {why}")).collect();
    if json {
        let document = Document { version: 1, agreements: &found, stale, judges_not_used: judges };
        print(&crate::jsonl::pretty(&document))?;
    } else {
        print(&page(gathered, labels, &found, &stale, &judges, paint))?;
    }
    Ok(if found.is_empty() { Exit::NoVerdict } else { Exit::Fine })
}

fn page(gathered: &Gathered, labels: &Labels, found: &[Agreement], stale: &[String], judges: &[String], paint: Paint) -> String {
    let mut out = vec![format!("labels: {}", escape_terminal(&labels.path.display().to_string()))];
    out.extend(counts(gathered));
    for one in found {
        out.push(String::new());
        out.extend(agreement(one, paint));
    }
    if found.is_empty() {
        out.push("no two raters judged the same thing, so there is no agreement to tell".to_owned());
    }
    for (what, list) in [("stale, not used", stale), ("judge calls that are no labels", judges)] {
        if !list.is_empty() {
            out.push(format!("\n{}: {}", paint.warn(what), list.len()));
            out.extend(list.iter().map(|text| format!("  {}", escape_terminal(text))));
        }
    }
    out.join("\n") + "\n"
}

/// How much each rater judged.
fn counts(gathered: &Gathered) -> Vec<String> {
    let mut by_rater: std::collections::BTreeMap<_, [usize; 4]> = std::collections::BTreeMap::new();
    for label in &gathered.join.fresh {
        if let Some(at) = Kind::ALL.iter().position(|kind| *kind == label.place.kind) {
            by_rater.entry(&label.rater).or_default()[at] += 1;
        }
    }
    let told = |counts: [usize; 4]| {
        let parts = Kind::ALL.iter().zip(counts).filter(|(_, n)| *n > 0).map(|(kind, n)| format!("{} {n}", kind.name()));
        parts.collect::<Vec<_>>().join(", ")
    };
    by_rater.into_iter().map(|(rater, counts)| format!("  {}: {}", escape_terminal(&rater.to_string()), told(counts))).collect()
}

fn agreement(one: &Agreement, paint: Paint) -> Vec<String> {
    let [first, second] = [&one.raters[0], &one.raters[1]].map(|rater| escape_terminal(rater).into_owned());
    let mut out = vec![paint.bold(&format!("{}: {first} and {second}", one.kind.name()))];
    let units =
        if one.n == 1 { one.unit.to_owned() } else { one.unit.replacen("section", "sections", 1).replacen("finding", "findings", 1) };
    let units = if one.n != 1 && one.kind != Kind::Mention && one.kind != Kind::Finding { format!("{units}s") } else { units };
    out.push(format!("  both judged {} {units} in {} tickets", grouped(one.n), grouped(one.tickets)));
    let interval = match (one.low, one.high) {
        (Some(low), Some(high)) => format!(", 95% interval {} to {}", decimal(low, 2), decimal(high, 2)),
        _ if one.kappa.is_some() && one.observed == 1.0 => {
            ", no interval: they never differed, and draws of what never differs tell nothing".to_owned()
        }
        _ if one.kappa.is_some() => ", no interval: it takes two tickets".to_owned(),
        _ => ": both put everything into one category, so full agreement is to be expected and kappa says nothing".to_owned(),
    };
    out.push(format!(
        "  same on {}, by chance {}; kappa {}{interval}",
        share(one.observed),
        share(one.expected),
        optional(one.kappa, |kappa| decimal(kappa, 2))
    ));
    let rows: Vec<u64> = one.counts.iter().map(|row| row.iter().sum()).collect();
    let columns: Vec<u64> = (0..rows.len()).map(|j| one.counts.iter().map(|row| row[j]).sum()).collect();
    for (rater, sums) in [(&first, &rows), (&second, &columns)] {
        let said = one.categories.iter().zip(sums).map(|(name, n)| format!("{name} {n} ({})", percent(*n, one.n)));
        out.push(format!("  {rater} said: {}", said.collect::<Vec<_>>().join(", ")));
    }
    for differ in one.differ.iter().take(LISTED_MAX) {
        let sample = if differ.sample > 0 { format!(" sample {}", differ.sample) } else { String::new() };
        let finding = differ.finding.map_or(String::new(), |at| format!(" finding {}", at + 1));
        let [a, b] = [&differ.said[0], &differ.said[1]].map(|said| escape_terminal(said).into_owned());
        out.push(format!("  differ: {} pass {}{sample}{finding}: {a} / {b}", escape_terminal(&differ.ticket), differ.pass));
    }
    if one.differ.len() > LISTED_MAX {
        out.push(format!("  ... and {} more (--format json lists all)", one.differ.len() - LISTED_MAX));
    }
    out
}
