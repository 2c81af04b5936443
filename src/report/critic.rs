//! The tables of `redraft critic` in words: for a terminal and as Markdown. docs/critic.md says what each number is.

mod csv;
mod labels;

pub use self::csv::csv;

use super::block::{self, Block};
use super::grid::{Align, Style};
use super::number::{self, grouped, percent};
use super::shown::{self, short};
use crate::compare::Listed;
use crate::critic::catch::Catches;
use crate::critic::grounding::{Grounding, Row, Side, Tiers};
use crate::critic::versus::{Same, Versus, Weights};
use crate::critic::{ArmLine, Critic};
use crate::summary::Rate;

/// Tickets named in a line.
const TICKETS_MAX: usize = 10;

pub fn text(critic: &Critic, style: Style) -> String {
    block::text(&blocks(critic), style)
}

pub fn markdown(critic: &Critic) -> String {
    block::markdown(&blocks(critic))
}

/// Every table that has something to say.
pub fn blocks(critic: &Critic) -> Vec<Block> {
    let mut out = vec![arms(&critic.arms)];
    out.extend(critic.versus.iter().map(side_by_side));
    if critic.catches.is_empty() {
        out[0].notes.push("no defect of these tickets is known: nothing can be said of what their critics caught".to_owned());
    } else {
        out.extend([caught(critic), how(critic)]);
        out.extend(critic.versus.iter().filter(|versus| !versus.classes.is_empty()).map(differences));
        out.push(strays(critic));
    }
    for of in &critic.grounding {
        out.extend([quotations(of), drops(of), recovered(of)]);
    }
    out.extend(labels::blocks(critic));
    out
}

fn left(head: &str) -> (String, Align) {
    (head.to_owned(), Align::Left)
}

fn right(head: &str) -> (String, Align) {
    (head.to_owned(), Align::Right)
}

fn rate(rate: Option<Rate>) -> String {
    number::optional(rate, |rate| format!("{}/{} {}", grouped(rate.num), grouped(rate.den), percent(rate.num, rate.den)))
}

fn named(list: &Listed) -> String {
    let some: Vec<&str> = list.tickets.iter().take(TICKETS_MAX).map(String::as_str).collect();
    let more = if list.count > some.len() as u64 { " ..." } else { "" };
    format!("{}{more}", some.join(", "))
}

fn arms(arms: &[ArmLine]) -> Block {
    let row = |arm: &ArmLine| {
        let counts = [arm.runs, arm.faults, arm.uncritiqued, arm.unreadable, arm.defects].map(grouped);
        let format = arm.format.map_or(number::ABSENT, |format| format.name());
        let mut row = vec![arm.arm.clone(), format.to_owned(), arm.context.clone().unwrap_or(number::ABSENT.to_owned())];
        row.extend(counts);
        row
    };
    let mut notes = vec![];
    for arm in arms {
        if !arm.synthetic.is_empty() {
            notes.push(format!("{}: synthetic: {}", arm.arm, arm.synthetic));
        }
        notes.extend(arm.warnings.iter().map(|warning| format!("warning: {warning}")));
    }
    Block {
        title: "Arms".into(),
        columns: ["arm", "critique format", "critic's context"]
            .map(left)
            .into_iter()
            .chain(["runs", "faults", "without a critique of draft 0", "first critique unreadable", "known defects"].map(right))
            .collect(),
        rows: arms.iter().map(row).collect(),
        notes,
        ..Block::default()
    }
}

fn side_by_side(versus: &Versus) -> Block {
    let mut rows = vec![
        row("same brief (prompt and sources)", &versus.brief),
        row("same request for draft 0", &versus.writer_request),
        row("same draft 0", &versus.draft),
    ];
    for weights in &versus.weights {
        rows.push(vec![
            format!("same {} model, as asked for", weights.role),
            yes(weights.same_requested),
            String::new(),
            requested(weights),
        ]);
        let mut answered = row(&format!("same {} model, as answered", weights.role), &weights.same_answered);
        answered[3] = models(weights);
        rows.push(answered);
    }
    let alike = match versus.alike {
        Some(true) => "the same brief, draft 0 and weights throughout, as far as names tell weights: what differs is the critic",
        Some(false) => "brief, draft 0 or weights differ: what the critics caught is told for runs with the same draft 0 alone",
        None => "not all of brief, draft 0 and weights is known: what the critics caught is told for runs with the same draft 0 alone",
    };
    let mut notes = vec![];
    let lists = [("another brief", &versus.brief.differ), ("another draft 0", &versus.draft.differ)].into_iter();
    let lists = lists.chain([("only in the baseline", &versus.only_baseline), ("only in the candidate", &versus.only_candidate)]);
    let lists = lists.map(|(what, list)| (what.to_owned(), list));
    let answered = versus.weights.iter().map(|weights| (format!("another {} answered", weights.role), &weights.same_answered.differ));
    for (what, list) in lists.chain(answered).filter(|(_, list)| list.count > 0) {
        notes.push(format!("{what}: {} ({})", grouped(list.count), named(list)));
    }
    if let Some(same) = versus.same_dataset {
        notes.push(format!("the tickets files are {}", if same { "the same" } else { "not the same" }));
    }
    Block {
        title: format!("Side by side: {} against {}", versus.candidate, versus.baseline),
        lead: vec![format!("{} runs in both; {alike}.", grouped(versus.paired))],
        columns: vec![left("held fixed"), left("same"), right("runs"), left("baseline / candidate")],
        rows,
        notes,
    }
}

fn row(what: &str, same: &Same) -> Vec<String> {
    let answer = match same {
        Same { differ, .. } if differ.count > 0 => "no",
        Same { known: 0, .. } => number::ABSENT,
        Same { unknown: 0, .. } => "yes",
        _ => "where known",
    };
    let unknown = if same.unknown > 0 && same.known > 0 { format!(" ({} not known)", grouped(same.unknown)) } else { String::new() };
    let counts =
        if same.known > 0 { format!("{} of {}{unknown}", grouped(same.same), grouped(same.known)) } else { "not known".to_owned() };
    vec![what.to_owned(), answer.to_owned(), counts, String::new()]
}

fn yes(same: Option<bool>) -> String {
    number::optional(same, |same| if same { "yes" } else { "no" }.to_owned())
}

fn requested(weights: &Weights) -> String {
    weights.requested.clone().map(|model| number::optional(model, |model| model)).join(" / ")
}

fn models(weights: &Weights) -> String {
    let list = |models: &std::collections::BTreeMap<String, u64>| {
        let some: Vec<String> = models.iter().map(|(model, n)| format!("{model} ({})", grouped(*n))).collect();
        if some.is_empty() { number::ABSENT.to_owned() } else { some.join(", ") }
    };
    weights.answered.each_ref().map(list).join(" / ")
}

fn caught(critic: &Critic) -> Block {
    let head = |arm: &ArmLine| right(&arm.arm);
    let mut columns = vec![left("class"), right("decided exactly")];
    columns.extend(critic.arms.iter().map(head));
    let mut rows: Vec<Vec<String>> = vec![];
    for class in &critic.catches {
        let mut row = vec![class.class.clone(), exact(class.decided_exactly, &class.arms)];
        row.extend(class.arms.iter().map(share));
        rows.push(row);
    }
    // Of all classes only some are decided exactly: one figure over them would be of other defects than those beside it.
    let mut total = vec!["all".to_owned(), String::new()];
    total.extend(critic.all_classes.iter().map(share));
    rows.push(total);
    Block {
        title: "What the first critique caught".into(),
        lead: vec![
            "Known defects of draft 0 that a verified finding points at, or names by class in their section, of those in a draft that a critic read [Wilson 95%].".into(),
        ],
        columns,
        rows,
        notes: vec![
            "decided exactly: an exact check of that class fails on draft 0; such a class needs no critic.".into(),
            "an unreadable critique caught nothing and counts so; a defect whose words are not in the draft, or whose draft no critic read, does not count."
                .into(),
        ],
    }
}

fn share(of: &Catches) -> String {
    match (of.low.zip(of.high), of.quoted_in_prose) {
        (Some((low, high)), _) => {
            let bound = |x: f64| number::decimal(100.0 * x, 0);
            format!("{}/{} {} [{}-{}]", grouped(of.caught), grouped(of.of), percent(of.caught, of.of), bound(low), bound(high))
        }
        (None, Some(quoted)) => format!("{} (prose; quoted {}/{})", number::ABSENT, grouped(quoted.num), grouped(quoted.den)),
        (None, None) => number::ABSENT.to_owned(),
    }
}

/// One figure where the arms have the same, else one an arm.
fn exact(all: Option<Rate>, arms: &[Catches]) -> String {
    if all.is_some() || arms.iter().all(|arm| arm.decided_exactly == arms[0].decided_exactly) {
        return rate(all.or(arms.first().and_then(|arm| arm.decided_exactly)));
    }
    arms.iter().map(|arm| rate(arm.decided_exactly)).collect::<Vec<_>>().join("; ")
}

fn how(critic: &Critic) -> Block {
    let mut rows = vec![];
    for class in &critic.catches {
        for (arm, of) in critic.arms.iter().zip(&class.arms) {
            let mut row = vec![class.class.clone(), arm.arm.clone()];
            row.extend(
                [of.by_span, of.by_class, of.by_both, of.of - of.caught, of.unreadable, of.dropped, of.absent, of.unseen].map(grouped),
            );
            rows.push(row);
        }
    }
    let heads = ["by its words", "by its class", "by both", "missed", "unreadable", "dropped", "not in draft 0", "no critique"];
    Block {
        title: "How, and why not".into(),
        columns: vec![left("class"), left("arm")].into_iter().chain(heads.map(right)).collect(),
        rows,
        notes: vec![
            "unreadable, dropped: of the missed, those whose critique could not be read, and those whose class was named by a finding that was not verified."
                .into(),
        ],
        ..Block::default()
    }
}

fn differences(versus: &Versus) -> Block {
    let mut rows = vec![];
    let mut shared = false;
    for class in &versus.classes {
        shared |= class.tickets < class.n;
        rows.push(vec![
            class.class.clone(),
            format!("{}/{}", grouped(class.baseline_caught), grouped(class.n)),
            format!("{}/{}", grouped(class.candidate_caught), grouped(class.n)),
            shown::with_interval("share", class.value, class.low, class.high),
            grouped(class.only_candidate),
            grouped(class.only_baseline),
            number::optional(class.p, number::chance),
            number::optional(class.q, number::chance),
        ]);
    }
    let mut notes =
        vec!["the same defects in the same drafts; q (Benjamini-Hochberg over the classes) is shown and gates nothing.".to_owned()];
    if shared {
        notes.push("some tickets hold several defects of a class, which share a critique: intervals and p take them for independent and are too sure.".into());
    }
    let heads = ["baseline", "candidate", "difference [Tango 95%]", "only candidate", "only baseline", "p (McNemar mid-p)", "q"];
    Block {
        title: format!("Caught by {} against {}", versus.candidate, versus.baseline),
        columns: vec![left("class")].into_iter().chain(heads.map(right)).collect(),
        rows,
        notes,
        ..Block::default()
    }
}

fn strays(critic: &Critic) -> Block {
    Block {
        title: "Findings that hit no known defect".into(),
        lead: vec![
            "Of the verified findings of first critiques. An upper bound of false alarms: a draft may have faults that nobody planted or labelled.".into(),
        ],
        columns: vec![left("arm"), right("hit none"), right("in tickets without a known defect"), right("not verified")],
        rows: critic.strays.iter().map(|of| vec![of.arm.clone(), rate(of.stray), rate(of.in_clean_tickets), grouped(of.unverified)]).collect(),
        ..Block::default()
    }
}

/// What a quotation that holds does not prove: said wherever the number stands.
const LIMITS: [&str; 2] = [
    "a source quotation that holds proves that the source says so: not that the source is still current, and not that the finding follows from it.",
    "and it says nothing of claims that no finding quotes:",
];

fn quotations(of: &Grounding) -> Block {
    let row = |what: &str, tiers: Option<&Tiers>| {
        let count = |count: fn(&Tiers) -> u64| number::optional(tiers, |tiers| share_of(count(tiers), tiers.checked));
        let mut row = vec![what.to_owned(), number::optional(tiers, |tiers| grouped(tiers.checked))];
        row.extend([count(|t| t.exact), count(|t| t.normalised), count(|t| t.fuzzy), count(|t| t.failed)]);
        row.push(number::optional(tiers, |tiers| {
            let some: Vec<String> = tiers.reasons.iter().map(|(reason, n)| format!("{reason} {}", grouped(*n))).collect();
            some.join(", ")
        }));
        row
    };
    let mut notes = vec![];
    match &of.both {
        Some(both) => notes.push(format!(
            "of {} eligible findings both quotations stand in {}, the draft's alone in {}, the source's alone in {}, neither in {}",
            grouped(of.eligible),
            grouped(both.both),
            grouped(both.draft_only),
            grouped(both.source_only),
            grouped(both.neither)
        )),
        None => notes.push("the sources are not at hand, so their quotations were not checked; give --dataset DIR".to_owned()),
    }
    if of.echoed_kept + of.echoed_dropped > 0 {
        notes.push(format!(
            "in {} kept and {} dropped findings both quotations are the same words: the source is said to say what the draft says, which is no proof of an error",
            grouped(of.echoed_kept),
            grouped(of.echoed_dropped)
        ));
    }
    if of.unsourced > 0 {
        notes.push(format!("{} of the eligible name no source", grouped(of.unsourced)));
    }
    notes.push(LIMITS[0].to_owned());
    let claims = number::optional(of.claims_uncovered, |rate| {
        format!("{} of {} claims of draft 0 are in no verified finding's quotation of it", grouped(rate.num), grouped(rate.den))
    });
    notes.push(format!("{} {claims}", LIMITS[1]));
    let critiques = format!("{} critiques, all passes ({} more could not be read)", grouped(of.critiques), grouped(of.unreadable));
    Block {
        title: format!("Grounding of {}", of.arm),
        lead: vec![format!(
            "{} findings in {critiques}: {} eligible, with a source to look up, and {} internal. Each quotation is checked whatever became of the other.",
            grouped(of.emitted),
            grouped(of.eligible),
            format_args!("{} ({})", grouped(of.internal), percent(of.internal, of.emitted))
        )],
        columns: vec![
            left("quotation"),
            right("checked"),
            right("exact"),
            right("normalised"),
            right("fuzzy"),
            right("not found"),
            left("why"),
        ],
        rows: vec![
            row("of the draft", Some(&of.draft)),
            row("of the source that is named", of.source.as_ref()),
            row("internal: of the draft as proof", Some(&of.internal_source)),
        ],
        notes,
    }
}

fn share_of(k: u64, n: u64) -> String {
    format!("{} {}", grouped(k), percent(k, n))
}

fn drops(of: &Grounding) -> Block {
    let of_share = |k: u64, n: u64| format!("{}/{} {}", grouped(k), grouped(n), percent(k, n));
    let mut rows: Vec<Vec<String>> = of
        .drops
        .iter()
        .map(|line| vec![line.reason.clone(), of_share(line.eligible, of.eligible), of_share(line.internal, of.internal)])
        .collect();
    rows.push(vec!["all".into(), of_share(of.dropped_eligible, of.eligible), of_share(of.dropped_internal, of.internal)]);
    Block {
        title: format!("Drop log of {}", of.arm),
        lead: vec!["Findings that the loop dropped, by the first reason it met: failed of those that could have failed.".into()],
        columns: vec![left("reason"), right("of eligible"), right("of internal")],
        rows,
        ..Block::default()
    }
}

/// Scalars of a quotation that a row shows.
const QUOTE_MAX: usize = 60;
/// Recovered findings that are shown; the JSON form and the log have more.
const ROWS_MAX: usize = 20;

/// Two texts from a little before they part, with what cannot be seen written out.
fn around(texts: [&str; 2]) -> [String; 2] {
    let same = texts[0].chars().zip(texts[1].chars()).take_while(|(a, b)| a == b).count();
    let from = if same > QUOTE_MAX / 2 { same - QUOTE_MAX / 3 } else { 0 };
    let cut = |text: &str| {
        let rest: String = text.chars().skip(from).collect();
        format!("{}{:?}", if from > 0 { "\u{2026}" } else { "" }, short(&rest, QUOTE_MAX))
    };
    texts.map(cut)
}

fn recovered(of: &Grounding) -> Block {
    let recovery = &of.recovery;
    let quoted = |what: &str, side: &Side| {
        let [quote, found] = around([&side.quote, &side.found].map(|text| text.as_deref().unwrap_or_default()));
        (!side.differs.is_empty()).then(|| vec![what.to_owned(), quote, found, side.differs.join(", ")])
    };
    let rows = |row: &Row| {
        let place = format!("{} pass {} #{}", row.ticket, row.pass, row.finding);
        let sides = [quoted("draft", &row.draft), row.source.as_ref().and_then(|side| quoted("source", side))];
        let lines = sides.into_iter().flatten().map(move |cells| [vec![place.clone()], cells].concat());
        lines.collect::<Vec<_>>()
    };
    let kept = recovery.normalised + recovery.fuzzy;
    let mut notes = vec![];
    if kept > 0 {
        notes.push(format!(
            "of {} that were let through, {} hit a known defect, {} hit none (at most so many were let in wrongly), of {} that is not known: read them",
            grouped(kept),
            grouped(recovery.on_defect),
            grouped(recovery.off_defect),
            grouped(recovery.unknown)
        ));
    }
    if recovery.listed.len() > ROWS_MAX || kept > recovery.listed.len() as u64 {
        notes.push("only the first are shown; --log FILE.jsonl writes every finding".into());
    }
    Block {
        title: format!("What normalising let through of {}", of.arm),
        lead: vec![format!(
            "By bytes alone {} of {} findings would have been dropped: normalising kept {} of them, the fuzzy step (draft only) {}, and {} were dropped all the same.",
            grouped(recovery.dropped_by_bytes),
            grouped(of.emitted),
            grouped(recovery.normalised),
            grouped(recovery.fuzzy),
            grouped(recovery.still_dropped)
        )],
        columns: ["finding", "quotation of", "as quoted", "as it stands", "what differs"].map(left).into(),
        rows: recovery.listed.iter().take(ROWS_MAX).flat_map(rows).collect(),
        notes,
    }
}
