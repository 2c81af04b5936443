//! What labels say of a critic: spurious findings by severity, whether severity orders, precision and recall, false alarms. One block a rater:
//! people are counted together, each judge alone, and no two of them are ever mixed.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::hit::{self, Defect, Outcome};
use super::{About, Format};
use crate::label::{Answer, Kind, Label, Rater, Verdict, draft_digest};
use crate::metric::fate::label;
use crate::model::Critique;
use crate::side::Look;
use crate::stats::draw::Stream;
use crate::stats::proportion::{Share, newcombe};
use crate::stats::{CONFIDENCE, Interval, resample, wilson};

/// What one kind of rater says of one arm's critic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Labelled {
    pub arm: String,
    /// `human`, `model-reader`, `planted`, or `judge:MODEL`.
    pub rater: String,
    /// Tickets of which something was labelled.
    pub tickets: u64,
    /// Worst first. Severities without a label too.
    pub severities: Vec<SeverityRow>,
    /// Of all findings: shares by severity, each weighted with how many findings have it. Null where a severity has no label.
    pub spurious: Measure,
    /// Severities of which no finding was labelled as real or spurious.
    pub unlabelled: Vec<String>,
    pub order: Option<Order>,
    /// Real findings, over real and spurious; weighted likewise.
    pub precision: Measure,
    /// Labelled defects that the critique of their draft caught.
    pub recall: Measure,
    pub f1: Measure,
    /// Drafts labelled correct in which the critic found fault.
    pub false_alarms: Measure,
    /// Drafts labelled incorrect that the critic approved.
    pub false_approvals: Measure,
}

/// A share with its counts and interval; null over nothing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measure {
    pub num: u64,
    pub den: u64,
    /// Differs from num / den where severities were labelled in another proportion than they occur.
    pub value: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// How the 95% interval was made: `wilson` or `bootstrap by ticket`.
    pub interval: Option<String>,
}

/// Findings of one severity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SeverityRow {
    /// In lower case.
    pub severity: String,
    /// 0 = worst; null where it is not declared.
    pub rank: Option<u32>,
    /// All findings of the arm with this severity.
    pub findings: u64,
    pub real: u64,
    pub spurious: u64,
    pub unsure: u64,
    /// Raters of this kind contradict each other.
    pub disputed: u64,
    /// Spurious over real and spurious; Wilson.
    pub rate: Measure,
    /// Tickets that these findings are of.
    pub tickets: u64,
    /// The same interval by bootstrap over tickets; null for fewer than two, and where all findings were labelled alike.
    pub low_by_ticket: Option<f64>,
    pub high_by_ticket: Option<f64>,
}

/// Whether the worst severity is more often real than lesser ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Order {
    pub worst: String,
    pub lesser: Vec<String>,
    pub worst_real: Measure,
    /// Weighted with how many findings have each of the lesser severities.
    pub lesser_real: Measure,
    /// Worst minus lesser.
    pub difference: f64,
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// `newcombe`, or `wider of newcombe and bootstrap by ticket` where findings share tickets.
    pub interval: Option<String>,
    pub reading: String,
}

/// How raters of one kind who differ are resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Resolve {
    /// The word that most of them said who were sure; a tie is disputed.
    #[default]
    Majority,
    /// The word that all of them said, the unsure included; else disputed.
    Unanimous,
}

/// What raters of one kind said together of one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    Yes,
    No,
    Unsure,
    Disputed,
}

/// `yes` is the verdict that counts as yes.
fn resolve(said: &[Verdict], yes: Verdict, how: Resolve) -> Word {
    let sure = said.iter().filter(|word| **word != Verdict::Unsure).count();
    let ayes = said.iter().filter(|word| **word == yes).count();
    match (ayes, sure - ayes, how) {
        (0, 0, _) => Word::Unsure,
        (_, _, Resolve::Unanimous) if sure < said.len() => Word::Disputed,
        (_, 0, _) => Word::Yes,
        (0, _, _) => Word::No,
        (ayes, noes, Resolve::Majority) if ayes > noes => Word::Yes,
        (ayes, noes, Resolve::Majority) if ayes < noes => Word::No,
        _ => Word::Disputed,
    }
}

/// A severity, worst first.
type Severity = (Option<u32>, String);

/// Sorts what is not declared behind what is.
fn place(severity: &Severity) -> (u32, String) {
    (severity.0.unwrap_or(u32::MAX), severity.1.clone())
}

/// What labels say of one run: by rater.
#[derive(Debug, Clone, Default)]
pub struct RunLabels {
    ticket: String,
    severities: Vec<Severity>,
    groups: BTreeMap<String, Tally>,
    pub stale: Vec<String>,
}

/// Counts of one ticket.
#[derive(Debug, Clone, Default)]
struct Tally {
    /// Real, spurious, unsure, disputed.
    findings: BTreeMap<(u32, String), [u64; 4]>,
    /// Caught, of.
    defects: (u64, u64),
    /// Found fault with, of.
    correct: (u64, u64),
    /// Approved, of.
    incorrect: (u64, u64),
}

/// People are one group, each judge is one of its own.
fn group(rater: &Rater) -> String {
    match rater {
        Rater::Judge(_) => rater.to_string(),
        _ => rater.provenance().to_owned(),
    }
}

fn by_group<'a>(labels: impl Iterator<Item = &'a Label>) -> BTreeMap<String, Vec<&'a Label>> {
    let mut out: BTreeMap<String, Vec<&Label>> = BTreeMap::new();
    labels.for_each(|label| out.entry(group(&label.rater)).or_default().push(label));
    out
}

fn verdicts(labels: &[&Label]) -> Vec<Verdict> {
    labels.iter().filter_map(|label| if let Answer::Verdict(verdict) = label.answer { Some(verdict) } else { None }).collect()
}

/// Counts one run. A draft that several passes read counts at the first.
pub fn look(look: &Look<'_>, about: &About, how: Resolve) -> RunLabels {
    let run = look.run;
    let mut out = RunLabels { ticket: run.ticket.clone(), ..RunLabels::default() };
    out.stale = look.stale.iter().map(|stale| format!("{} by {}: {}", stale.place, stale.rater, stale.why)).collect();
    let mut read: Vec<&str> = vec![];
    for pass in &run.passes {
        let Some((critique, draft)) = pass.critique.as_ref().zip(run.draft_before(pass.index)) else { continue };
        for (at, finding) in critique.findings.iter().flatten().enumerate() {
            let severity = (finding.rank, finding.severity.trim().to_lowercase());
            let here = |label: &&Label| label.place.pass == pass.index && label.place.finding == u32::try_from(at).ok();
            for (group, labels) in by_group(look.labels.iter().filter(|label| label.place.kind == Kind::Finding).filter(here)) {
                let word = resolve(&verdicts(&labels), Verdict::Real, how);
                out.groups.entry(group).or_default().findings.entry(place(&severity)).or_default()[word as usize] += 1;
            }
            out.severities.push(severity);
        }
        if critique.is_readable() && !read.contains(&draft) {
            read.push(draft);
            out.draft(look, about, critique, draft, how);
        }
    }
    out
}

impl RunLabels {
    fn draft(&mut self, look: &Look<'_>, about: &About, critique: &Critique, draft: &str, how: Resolve) {
        let of = draft_digest(draft);
        let labels = |kind: Kind| look.labels.iter().filter(move |label| label.place.kind == kind).filter(|label| label.of == of);
        for (group, labels) in by_group(labels(Kind::Draft)) {
            let tally = self.groups.entry(group).or_default();
            let (counts, event) = match resolve(&verdicts(&labels), Verdict::Correct, how) {
                Word::Yes => (&mut tally.correct, !critique.approves()),
                Word::No => (&mut tally.incorrect, critique.approves()),
                Word::Unsure | Word::Disputed => continue,
            };
            *counts = (counts.0 + u64::from(event), counts.1 + 1);
        }
        let format = about.format_of(Some(critique));
        if format == Format::Prose {
            return;
        }
        for (group, labels) in by_group(labels(Kind::Defect)) {
            let known = seen_by_half(&labels);
            let defects: Vec<Defect<'_>> =
                known.iter().map(|(class, quote)| Defect { class, quote: (!quote.is_empty()).then_some(quote) }).collect();
            let rule = look.run.drafts().next().map_or(about.sections, |(_, first)| about.sections.settle(first));
            let outcomes = hit::hits(&defects, draft, rule, format, Some(critique)).outcomes;
            let caught = outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Caught { .. })).count() as u64;
            let missed = outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Missed { .. })).count() as u64;
            let counts = &mut self.groups.entry(group).or_default().defects;
            *counts = (counts.0 + caught, counts.1 + caught + missed);
        }
    }
}

/// Defects that at least half of the raters listed: same class, same words.
fn seen_by_half(labels: &[&Label]) -> Vec<(String, String)> {
    let lists: Vec<Vec<(String, String)>> = labels
        .iter()
        .filter_map(|one| {
            let Answer::Defects(list) = &one.answer else { return None };
            let mut list: Vec<(String, String)> = list.iter().map(|d| (label(&d.class), d.quote.clone())).collect();
            list.sort_unstable();
            list.dedup();
            Some(list)
        })
        .collect();
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    lists.iter().flatten().for_each(|defect| *counts.entry(defect.clone()).or_default() += 1);
    counts.into_iter().filter(|(_, n)| 2 * n >= lists.len()).map(|(defect, _)| defect).collect()
}

/// One arm in the making.
#[derive(Debug, Clone, Default)]
pub struct LabelSum {
    findings: BTreeMap<(u32, String), u64>,
    groups: BTreeMap<String, BTreeMap<String, Tally>>,
    pub stale: Vec<String>,
}

impl LabelSum {
    pub fn add(&mut self, run: RunLabels) {
        run.severities.iter().for_each(|severity| *self.findings.entry(place(severity)).or_default() += 1);
        self.stale.extend(run.stale);
        for (group, tally) in run.groups {
            let sum = self.groups.entry(group).or_default().entry(run.ticket.clone()).or_default();
            for (severity, counts) in tally.findings {
                let own = sum.findings.entry(severity).or_default();
                own.iter_mut().zip(counts).for_each(|(mine, more)| *mine += more);
            }
            let pairs = [(&mut sum.defects, tally.defects), (&mut sum.correct, tally.correct), (&mut sum.incorrect, tally.incorrect)];
            pairs.into_iter().for_each(|(mine, more)| *mine = (mine.0 + more.0, mine.1 + more.1));
        }
    }

    /// One block a rater.
    pub fn finish(&self, arm: &str) -> Vec<Labelled> {
        self.groups.iter().map(|(rater, tickets)| self.block(arm, rater, &tickets.values().collect::<Vec<_>>())).collect()
    }

    fn block(&self, arm: &str, rater: &str, tickets: &[&Tally]) -> Labelled {
        let draw = |what: &str| Stream::new(SEED, &format!("labels|{arm}|{rater}|{what}"));
        let severities: Vec<SeverityRow> = self.findings.iter().map(|(severity, n)| self.row(severity, *n, tickets, &draw)).collect();
        let all: Vec<&(u32, String)> = self.findings.keys().collect();
        let (real, spurious) = severities.iter().fold((0, 0), |sum, row| (sum.0 + row.real, sum.1 + row.spurious));
        let unlabelled: Vec<String> =
            severities.iter().filter(|row| row.real + row.spurious == 0).map(|row| row.severity.clone()).collect();
        let complete = unlabelled.is_empty();
        let precise = |chosen: &[&Tally]| self.real(&all, chosen);
        let recalled = |chosen: &[&Tally]| ratio(chosen, |tally| tally.defects);
        let precision = measure(tickets, (real, real + spurious), complete, &draw("precision"), precise);
        let recall = measure(tickets, sum(tickets, |tally| tally.defects), true, &draw("recall"), recalled);
        let balanced = |chosen: &[&Tally]| f1(precise(chosen).filter(|_| complete)?, recalled(chosen)?);
        let f1 = Measure { num: 0, den: 0, ..measure(tickets, (0, 0), true, &draw("f1"), balanced) };
        Labelled {
            arm: arm.to_owned(),
            rater: rater.to_owned(),
            tickets: tickets.len() as u64,
            spurious: measure(tickets, (spurious, real + spurious), complete, &draw("spurious"), |chosen| Some(1.0 - precise(chosen)?)),
            order: self.order(&severities, tickets, &draw("order")),
            false_alarms: measure(tickets, sum(tickets, |t| t.correct), true, &draw("alarms"), |c| ratio(c, |t| t.correct)),
            false_approvals: measure(tickets, sum(tickets, |t| t.incorrect), true, &draw("approvals"), |c| ratio(c, |t| t.incorrect)),
            severities,
            unlabelled,
            precision,
            recall,
            f1,
        }
    }

    fn row(&self, severity: &(u32, String), findings: u64, tickets: &[&Tally], draw: &impl Fn(&str) -> Stream) -> SeverityRow {
        let of = |tally: &Tally| tally.findings.get(severity).copied().unwrap_or_default();
        let [real, spurious, unsure, disputed] = tickets.iter().fold([0; 4], |mut sum, tally| {
            sum.iter_mut().zip(of(tally)).for_each(|(mine, more)| *mine += more);
            sum
        });
        let interval = wilson(spurious, real + spurious, CONFIDENCE);
        let own: Vec<&Tally> = tickets.iter().copied().filter(|tally| of(tally)[0] + of(tally)[1] > 0).collect();
        let share = |chosen: &[&Tally]| ratio(chosen, |tally| (of(tally)[1], of(tally)[0] + of(tally)[1]));
        let by_ticket = bootstrap(&own, &draw(&severity.1), share).filter(|_| own.len() > 1 && real > 0 && spurious > 0);
        SeverityRow {
            severity: severity.1.clone(),
            rank: (severity.0 != u32::MAX).then_some(severity.0),
            findings,
            real,
            spurious,
            unsure,
            disputed,
            rate: Measure {
                num: spurious,
                den: real + spurious,
                value: share(tickets),
                low: interval.map(|i| i.low),
                high: interval.map(|i| i.high),
                interval: interval.map(|_| "wilson".to_owned()),
            },
            tickets: own.len() as u64,
            low_by_ticket: by_ticket.map(|i| i.low),
            high_by_ticket: by_ticket.map(|i| i.high),
        }
    }

    /// The share of real findings over these severities, each weighted with how many findings have it. A severity that was not drawn is left out.
    fn real(&self, severities: &[&(u32, String)], tickets: &[&Tally]) -> Option<f64> {
        let (mut over, mut under) = (0.0, 0.0);
        for severity in severities {
            let counts = |tally: &&Tally| tally.findings.get(*severity).map_or((0, 0), |c| (c[0], c[0] + c[1]));
            let (real, of) = tickets.iter().map(counts).fold((0, 0), |sum, c| (sum.0 + c.0, sum.1 + c.1));
            if of > 0 {
                let weight = self.findings.get(*severity).copied().unwrap_or(0) as f64;
                over += weight * real as f64 / of as f64;
                under += weight;
            }
        }
        (under > 0.0).then(|| over / under)
    }

    fn order(&self, rows: &[SeverityRow], tickets: &[&Tally], stream: &Stream) -> Option<Order> {
        let labelled: Vec<&SeverityRow> = rows.iter().filter(|row| row.rank.is_some() && row.rate.den > 0).collect();
        let (worst, lesser) = labelled.split_first().filter(|(_, lesser)| !lesser.is_empty())?;
        let key = |row: &SeverityRow| self.findings.keys().find(|key| key.1 == row.severity && Some(key.0) == row.rank);
        let first: Vec<_> = key(worst).into_iter().collect();
        let rest: Vec<_> = lesser.iter().filter_map(|row| key(row)).collect();
        let apart = |chosen: &[&Tally]| Some(self.real(&first, chosen)? - self.real(&rest, chosen)?);
        let difference = apart(tickets)?;
        let share = |rows: &[&SeverityRow]| Share { events: rows.iter().map(|r| r.real).sum(), of: rows.iter().map(|r| r.rate.den).sum() };
        let naive = newcombe(share(lesser), share(&[*worst]), CONFIDENCE);
        let definite = |tally: &&Tally| tally.findings.values().map(|c| c[0] + c[1]).sum::<u64>();
        let shared = tickets.iter().any(|tally| definite(tally) > 1) || rest.len() > 1;
        let few = tickets.iter().filter(|t| first.iter().any(|key| t.findings.get(*key).is_some_and(|c| c[0] + c[1] > 0))).count() < 2;
        let (interval, name) = match shared {
            false => (naive, "newcombe"),
            // Draws of one ticket's findings, or of findings that are all alike, are too sure; the other interval is too sure of shared tickets.
            true => {
                let drawn = bootstrap(tickets, stream, apart).filter(|_| !few);
                let wider = drawn.zip(naive).map(|(a, b)| Interval { low: a.low.min(b.low), high: a.high.max(b.high) });
                (wider, "wider of newcombe and bootstrap by ticket")
            }
        };
        let of = |rows: &[&SeverityRow], keys: &[&(u32, String)]| {
            let share = share(rows);
            measure(tickets, (share.events, share.of), true, stream, |chosen| self.real(keys, chosen))
        };
        let names = lesser.iter().map(|row| row.severity.clone()).collect::<Vec<_>>();
        Some(Order {
            reading: reading(&worst.severity, &names.join(", "), difference, interval, few),
            worst: worst.severity.clone(),
            lesser: names,
            worst_real: of(&[*worst], &first),
            lesser_real: of(lesser, &rest),
            difference,
            low: interval.map(|i| i.low),
            high: interval.map(|i| i.high),
            interval: interval.map(|_| name.to_owned()),
        })
    }
}

/// Of draws that nobody chooses.
const SEED: u64 = 1;
const REPLICATES: u32 = 2000;

fn reading(worst: &str, lesser: &str, difference: f64, interval: Option<Interval>, few: bool) -> String {
    let apart = crate::number::distance(difference, "share");
    match interval {
        None if few => {
            format!("whether {worst} findings are more often real than {lesser} ones cannot be told: all labelled ones are of one ticket")
        }
        None => format!("whether {worst} findings are more often real than {lesser} ones cannot be told from so few"),
        Some(Interval { low, .. }) if low > 0.0 => {
            format!("in this arm, by these labels, {worst} findings are more often real than {lesser} ones, by {apart}")
        }
        Some(Interval { high, .. }) if high < 0.0 => {
            format!("in this arm, by these labels, {worst} findings are less often real than {lesser} ones, by {apart}")
        }
        Some(_) => format!(
            "it is not shown that {worst} findings are more often real than {lesser} ones, nor that they are not: the interval holds 0"
        ),
    }
}

fn f1(precision: f64, recall: f64) -> Option<f64> {
    (precision + recall > 0.0).then(|| 2.0 * precision * recall / (precision + recall))
}

fn sum(tickets: &[&Tally], counts: impl Fn(&Tally) -> (u64, u64)) -> (u64, u64) {
    tickets.iter().map(|tally| counts(tally)).fold((0, 0), |sum, c| (sum.0 + c.0, sum.1 + c.1))
}

fn ratio(tickets: &[&Tally], counts: impl Fn(&Tally) -> (u64, u64)) -> Option<f64> {
    let (events, of) = sum(tickets, counts);
    Share { events, of }.value()
}

fn bootstrap(tickets: &[&Tally], stream: &Stream, statistic: impl Fn(&[&Tally]) -> Option<f64>) -> Option<Interval> {
    let drawn = |chosen: &[usize]| statistic(&chosen.iter().map(|at| tickets[*at]).collect::<Vec<_>>());
    resample::bootstrap(*stream, tickets.len(), REPLICATES, drawn).interval(CONFIDENCE)
}

/// A share over tickets. None and all have Wilson's interval, since draws of what is all alike are too sure; `complete` false: no value.
fn measure(
    tickets: &[&Tally],
    (num, den): (u64, u64),
    complete: bool,
    stream: &Stream,
    statistic: impl Fn(&[&Tally]) -> Option<f64>,
) -> Measure {
    let value = statistic(tickets).filter(|_| complete);
    let (interval, name) = match value {
        None => (None, ""),
        Some(_) if den > 0 && (num == 0 || num == den) => (wilson(num, den, CONFIDENCE), "wilson"),
        Some(_) if tickets.len() < 2 => (None, ""),
        Some(_) => (bootstrap(tickets, stream, statistic), "bootstrap by ticket"),
    };
    Measure { num, den, value, low: interval.map(|i| i.low), high: interval.map(|i| i.high), interval: interval.map(|_| name.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(findings: &[(u32, &str, [u64; 4])]) -> Tally {
        let findings = findings.iter().map(|(rank, name, counts)| ((*rank, (*name).to_owned()), *counts)).collect();
        Tally { findings, ..Tally::default() }
    }

    fn of(population: &[(u32, &str, u64)], tickets: &[Tally]) -> Labelled {
        let mut sum = LabelSum::default();
        population.iter().for_each(|(rank, name, n)| _ = sum.findings.insert((*rank, (*name).to_owned()), *n));
        for (at, tally) in tickets.iter().enumerate() {
            sum.groups.entry("human".into()).or_default().insert(format!("t{at}"), tally.clone());
        }
        sum.finish("arm").remove(0)
    }

    fn near(got: Option<f64>, want: f64) -> bool {
        got.is_some_and(|got| (got - want).abs() < 1e-12)
    }

    #[test]
    fn raters_who_differ_are_resolved_in_two_ways() {
        use Verdict::{Real, Spurious, Unsure};
        for (said, majority, unanimous) in [
            (&[Real][..], Word::Yes, Word::Yes),
            (&[Spurious, Spurious], Word::No, Word::No),
            (&[Unsure, Unsure], Word::Unsure, Word::Unsure),
            (&[Real, Unsure], Word::Yes, Word::Disputed),
            (&[Real, Spurious], Word::Disputed, Word::Disputed),
            (&[Real, Real, Spurious], Word::Yes, Word::Disputed),
            (&[Real, Spurious, Spurious, Unsure], Word::No, Word::Disputed),
        ] {
            assert_eq!([Resolve::Majority, Resolve::Unanimous].map(|how| resolve(said, Real, how)), [majority, unanimous], "{said:?}");
        }
    }

    #[test]
    fn a_stratified_sample_is_weighted_back() {
        // 10 blocking, 90 minor; 4 of each were labelled: 1 of 4 and 3 of 4 are spurious.
        let tickets: Vec<Tally> = [(1, 0, 1, 0), (1, 0, 0, 1), (1, 0, 0, 1), (0, 1, 0, 1)]
            .iter()
            .map(|(a, b, c, d)| tally(&[(0, "blocking", [*a, *b, 0, 0]), (1, "minor", [*c, *d, 0, 0])]))
            .collect();
        let found = of(&[(0, "blocking", 10), (1, "minor", 90)], &tickets);
        assert!(near(found.spurious.value, 0.1 * 0.25 + 0.9 * 0.75) && near(found.precision.value, 0.3), "{found:?}");
        assert_eq!((found.spurious.num, found.spurious.den, found.precision.num), (4, 8, 4));
        let rows: Vec<(u64, u64, u64, Option<f64>)> =
            found.severities.iter().map(|r| (r.findings, r.real, r.spurious, r.rate.value)).collect();
        assert_eq!(rows, [(10, 3, 1, Some(0.25)), (90, 1, 3, Some(0.75))]);
        let order = found.order.unwrap();
        assert!((order.difference - 0.5).abs() < 1e-12 && order.low.unwrap() < 0.0);
        assert!(
            order.reading.starts_with("it is not shown that blocking findings are more often real than minor ones"),
            "{}",
            order.reading
        );
        // Nothing was labelled.
        assert_eq!((found.recall.value, found.f1.value, found.false_alarms.value), (None, None, None));
    }

    #[test]
    fn a_severity_without_a_label_leaves_no_value_over_all() {
        let found =
            of(&[(0, "blocking", 3), (1, "minor", 9)], &[tally(&[(1, "minor", [2, 2, 1, 1])]), tally(&[(1, "minor", [0, 1, 0, 0])])]);
        assert_eq!(
            (found.unlabelled, found.spurious.value, found.precision.value, found.order),
            (vec!["blocking".to_owned()], None, None, None)
        );
        let minor = &found.severities[1];
        assert_eq!((minor.real, minor.spurious, minor.unsure, minor.disputed, minor.rate.value), (2, 3, 1, 1, Some(0.6)));
    }

    #[test]
    fn findings_of_one_ticket_tell_no_order() {
        let found = of(
            &[(0, "blocking", 9), (1, "minor", 9)],
            &[tally(&[(0, "blocking", [9, 0, 0, 0]), (1, "minor", [0, 3, 0, 0])]), tally(&[(1, "minor", [0, 3, 0, 0])])],
        );
        let order = found.order.unwrap();
        assert_eq!((order.difference, order.low, order.high), (1.0, None, None));
        assert!(order.reading.ends_with("cannot be told: all labelled ones are of one ticket"), "{}", order.reading);
    }

    #[test]
    fn a_plain_difference_is_read_as_one() {
        let one = |rank, name, real: u64| tally(&[(rank, name, [real, 1 - real, 0, 0])]);
        let tickets: Vec<Tally> =
            (0..80).map(|at| if at < 40 { one(0, "blocking", u64::from(at < 36)) } else { one(1, "minor", u64::from(at < 44)) }).collect();
        let order = of(&[(0, "blocking", 40), (1, "minor", 40)], &tickets).order.unwrap();
        assert_eq!(order.interval.as_deref(), Some("newcombe"));
        assert_eq!(order.reading, "in this arm, by these labels, blocking findings are more often real than minor ones, by 80.0 pp");
    }

    #[test]
    fn defects_and_drafts_have_their_own_denominators() {
        let mut first = tally(&[(0, "blocking", [3, 1, 0, 0])]);
        (first.defects, first.correct, first.incorrect) = ((1, 2), (1, 1), (0, 2));
        let mut second = tally(&[]);
        second.defects = (0, 2);
        let found = of(&[(0, "blocking", 4)], &[first, second]);
        // Precision 3/4, recall 1/4.
        assert!(near(found.precision.value, 0.75) && near(found.recall.value, 0.25) && near(found.f1.value, 0.375));
        assert_eq!((found.false_alarms.num, found.false_alarms.den, found.false_alarms.interval.as_deref()), (1, 1, Some("wilson")));
        assert_eq!((found.false_approvals.num, found.false_approvals.den), (0, 2));
    }
}
