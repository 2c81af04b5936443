//! A report made by hand for tests: two arms, a broken gate, runs with findings, and one text of others put wherever such a text may stand.

use super::{ArmDetails, Report};
use crate::compare::{
    Change, Comparison, Difference, Family, FigureComparison, Listed, P, Pairing, Pairs, Reading, Setup, SideLine, TicketChange,
    TicketTable, ValueChange, Word, WordOp,
};
use crate::detail;
use crate::gate::{Gate, MetricVerdict, OnInconclusive, Verdict, Worse};
use crate::metric::testing::{critique, run_of, ticket};
use crate::metric::{Better, Settings, measure};
use crate::model::{Fault, FaultKind};
use crate::summary::{Accumulator, Amount, ArmSummary, Origin, PassFigure, Summary};

/// Texts that try to be more than text, in every form that a report has.
pub const HOSTILE: [&str; 12] = [
    "",
    "plain",
    "a|b `c` **d** <img src=x onerror=alert(1)> </pre></details> <!-- x --> --> &lt; [x](javascript:a) ![y](http://x.test/p.png)",
    "@someone fixes #12, closes GH-3, see deadbeefcafe and https://x.test/o/r/issues/1",
    "line\n::set-output name=a::b\r\n::stop-commands::t\n##[error]x\n##vso[task.setvariable]y",
    "::error::x",
    "100%0A::warning::x,y:z",
    "\u{0}\u{1b}[31m\u{7}\u{fffe}\u{ffff}\u{85}\u{202e}\u{2028}]]>",
    "../../etc/passwd",
    "退款问题 👍🏽 café cafe\u{301}",
    "{0} {{1}} [a](1) \\ \"quoted\" 'single'",
    "````\n```\n# head\n- item\n| a | b |\n|---|---|",
];

pub struct Parts {
    pub summary: Summary,
    pub comparison: Comparison,
    pub gate: Gate,
    pub tickets: TicketTable,
    pub details: Vec<ArmDetails>,
}

impl Parts {
    pub fn report(&self) -> Report<'_> {
        Report {
            name: "nightly",
            summary: &self.summary,
            comparison: Some(&self.comparison),
            gate: Some(&self.gate),
            study: None,
            tickets: &self.tickets,
            details: &self.details,
            drafts: &[],
        }
    }

    /// The same without a second arm: what `replay` gives.
    pub fn alone(&self) -> Report<'_> {
        Report { comparison: None, gate: None, ..self.report() }
    }
}

/// `text` is put wherever a text of others may stand.
pub fn parts(text: &str) -> Parts {
    let (baseline, candidate) = (format!("base{text}"), format!("cand{text}"));
    Parts {
        summary: Summary::new(vec![arm(&baseline, text), arm(&candidate, text)]),
        comparison: comparison(&baseline, &candidate, text),
        gate: gate(text),
        tickets: TicketTable::default(),
        details: [baseline, candidate].into_iter().map(|arm| ArmDetails { arm, runs: vec![detail(text)], of: 3 }).collect(),
    }
}

fn origin(arm: &str, text: &str) -> Origin {
    Origin {
        arm: arm.into(),
        dataset: format!("set{text}"),
        dataset_digest: "d".into(),
        recording_digest: text.into(),
        synthetic: text.into(),
        requests_recorded: text.is_empty(),
    }
}

fn arm(name: &str, text: &str) -> ArmSummary {
    let mut run = run_of(&["A soon.\n\nB fee.\n", "A today.\n\nB fee.\n"]);
    critique(&mut run, 1, &[("vague", "A soon.")]);
    let mut faulted = run_of(&["A"]);
    faulted.ticket = format!("bad{text}");
    faulted.fault = Some(Fault { kind: FaultKind::Mismatch, at: "critic pass 1".into(), what: text.into() });
    let mut sum = Accumulator::new(origin(name, text), 1);
    for run in [run, faulted] {
        sum.add(&[measure(&ticket(), &run, &Settings::default())]);
    }
    sum.finish()
}

fn comparison(baseline: &str, candidate: &str, text: &str) -> Comparison {
    let side = |arm: &str| SideLine {
        origin: origin(arm, text),
        kind: "arm".into(),
        path: format!("recordings/{arm}"),
        tickets: 300,
        errored: 1,
        without_revision: 2,
        findings: Some(900),
        revisions: 800,
    };
    let word = |op, text: &str| Word { op, text: text.into() };
    let long: String = (0..200).map(|i| format!("word{i} ")).collect();
    let change = Change {
        family: Family::CriticPrompt,
        key: "critic.prompt".into(),
        baseline: Some(format!("old {text}")),
        candidate: Some(format!("new {text}")),
        words: vec![word(WordOp::Equal, &long), word(WordOp::Delete, &format!("old {text}")), word(WordOp::Insert, &format!("new {text}"))],
    };
    let temperature = Change {
        family: Family::Sampling,
        key: "critic.params.temperature".into(),
        baseline: Some(format!("0{text}")),
        candidate: None,
        words: vec![],
    };
    Comparison {
        version: 1,
        baseline: side(baseline),
        candidate: side(candidate),
        setup: Setup {
            known: true,
            held: vec![Family::Dataset, Family::Model],
            changed: vec![change, temperature],
            warnings: vec![format!("two families changed {text}")],
        },
        pairing: Pairing { paired: 298, only_candidate: Listed { count: 1, tickets: vec![format!("only{text}")] }, ..Pairing::default() },
        exact: false,
        figures: vec![figure("new_error", "Revisions that broke a check", "share"), figure("calls", "Model calls", "calls")],
        worse_count: 30,
        worse: (0..3).map(|i| changed(&format!("t{i}{text}"), text)).collect(),
        better_count: 1,
        better: vec![changed(&format!("up{text}"), text)],
    }
}

fn figure(name: &str, title: &str, unit: &str) -> FigureComparison {
    let at = |num: i64| PassFigure {
        pass: 3,
        num: Some(Amount::Count(num)),
        den: Some(298),
        value: Some(num as f64 / 298.0),
        mean_of_ratios: None,
        low: Some(0.01),
        high: Some(0.2),
        n: 298,
        missing: 0,
    };
    let end = Difference {
        pass: 3,
        baseline: at(7),
        candidate: at(28),
        n: 298,
        one_sided: 0,
        value: Some(21.0 / 298.0),
        low: Some(0.03),
        high: Some(0.11),
        interval: Some("tango".into()),
        test: Some("mcnemar_mid_p".into()),
        p: Some(P { different: 0.0005, greater: 0.00025, less: 0.99975 }),
        pairs: Some(Pairs { both: 2, only_candidate: 26, only_baseline: 5, neither: 265 }),
        q: None,
        reading: Reading::Worse,
    };
    FigureComparison {
        name: name.into(),
        title: title.into(),
        unit: unit.into(),
        how: "share".into(),
        better: Some(Better::Lower),
        headline: true,
        not_applicable: None,
        end: Some(end),
        rose: Listed::default(),
        fell: Listed::default(),
        at_risk: vec![],
        enrolled: vec![],
    }
}

fn changed(ticket: &str, text: &str) -> TicketChange {
    TicketChange {
        ticket: ticket.into(),
        changes: vec![ValueChange {
            figure: "new_error".into(),
            title: "Revisions that broke a check".into(),
            baseline: Some(0.0),
            candidate: Some(1.0),
        }],
        show_baseline: None,
        show_candidate: Some(format!("redraft show 'recordings/cand{text}' '{ticket}'")),
    }
}

fn gate(text: &str) -> Gate {
    let metric = |figure: &str, unit: &str, verdict: Verdict, tickets: Vec<String>| MetricVerdict {
        figure: figure.into(),
        title: "Revisions that broke a check".into(),
        unit: unit.into(),
        verdict,
        why: format!("7 of 298 became 28 of 298 {text}"),
        worse: Worse::Higher,
        margin: Some(0.02),
        baseline: Some(0.023),
        candidate: Some(0.094),
        worse_by: Some(0.07),
        low: Some(0.03),
        high: Some(0.11),
        n: 298,
        p: Some(0.0002),
        p_holm: Some(0.0004),
        p_not_worse: Some(0.99),
        pairs: (unit == "share").then_some(Pairs { both: 0, only_candidate: 28, only_baseline: 7, neither: 263 }),
        discordance: Some(0.1),
        detectable: Some(0.04),
        needed: Some(410),
        tickets_count: tickets.len() as u64,
        tickets,
    };
    Gate {
        version: 1,
        verdict: Verdict::Regressed,
        exact: false,
        reasons: vec![format!("1 ticket errored {text}")],
        alpha: 0.05,
        on_inconclusive: OnInconclusive::Pass,
        metrics: vec![
            metric("new_error", "share", Verdict::Regressed, (0..30).map(|i| format!("t{i}{text}")).collect()),
            metric("calls", "calls", Verdict::Inconclusive, vec![]),
            metric("correct", "share", Verdict::Pass, vec![format!("noise{text}")]),
        ],
    }
}

/// Two passes; findings anchored once and twice, dropped, and one that lies beyond characters of two UTF-16 units.
fn detail(text: &str) -> detail::Detail {
    let draft = format!("Hi 👍🏽 {text}\nA soon. A soon.\nB fee.\n");
    let mut run = run_of(&[&draft, &draft.replace("fee", "cost")]);
    run.ticket = format!("t0{text}");
    critique(&mut run, 1, &[("Wrong value", "B fee."), ("vague", "A soon."), ("tone", "nowhere at all"), (text, "Hi")]);
    let mut ticket = ticket();
    ticket.id.clone_from(&run.ticket);
    detail::of(&ticket, &run, &Settings::default())
}
