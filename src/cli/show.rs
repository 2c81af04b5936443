//! `redraft show ARM TICKET`: one run as a person reads it.

use std::fmt::Write;
use std::path::PathBuf;

use super::paint::Paint;
use super::{Common, Exit, print};
use crate::detail::{self, CritiqueDetail, Detail, DraftDetail, EditDetail, FindingDetail, MentionDetail, Op, PassDetail, Piece};
use crate::error::Error;
use crate::metric::Settings;
use crate::model::{Guards, Rejection};
use crate::replay::{Filter, Options, Prepared};
use crate::report::grid::escape_terminal;

/// Show one ticket's way through a loop: drafts as word diffs, findings with their fate
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Example:
  redraft show recordings/payments-qwen-1.5b/findings-batched cb-001 --pass 1")]
pub struct Args {
    /// Folder with a loop.toml and calls
    arm: PathBuf,
    /// The ticket's id
    ticket: String,
    /// Only this pass
    #[arg(long, value_name = "K")]
    pass: Option<u32>,
    /// Which run of the ticket, where the loop makes several
    #[arg(long, default_value_t = 0, value_name = "N")]
    sample: u32,
    /// Labels in place of those beside the dataset: they say which sections a critique mentions
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Also print each draft whole
    #[arg(long)]
    drafts: bool,
}

pub fn run(args: &Args, common: Common) -> Result<Exit, Error> {
    let prepared = Prepared::open_labelled(&args.arm, args.labels.as_deref())?;
    let options = Options { jobs: 1, filter: Filter::id(&args.ticket), ..Options::default() };
    let settings = Settings::of(&prepared.program.spec);
    let mut shown = None;
    prepared.each(
        &options,
        |ticket, runs| {
            let run = runs.into_iter().find(|r| r.sample == args.sample)?;
            Some(detail::of(ticket, &run, &settings))
        },
        |made| {
            shown = made;
            Ok(())
        },
    )?;
    let Some(detail) = shown else {
        let what = if args.sample > 0 {
            format!("no sample {} of ticket `{}`", args.sample, args.ticket)
        } else {
            format!("no ticket `{}` to show", args.ticket)
        };
        return Err(Error::at(
            &args.arm,
            format!("{what}; the dataset has {} tickets, of which this arm may cover only some", prepared.dataset.count),
        ));
    };
    print(&page(&detail, args, Paint::stdout(common.color)))?;
    Ok(if detail.fault.is_some() { Exit::NoVerdict } else { Exit::Fine })
}

fn page(run: &Detail, args: &Args, paint: Paint) -> String {
    let mut out = String::new();
    let (passes, calls) = (run.passes.len().saturating_sub(1), run.passes.iter().map(|p| p.calls).sum::<usize>());
    line(
        &mut out,
        &paint.bold(&format!(
            "{}  {}, {}, stopped: {}",
            escape_terminal(&run.ticket),
            counted(passes, "pass", "passes"),
            counted(calls, "call", "calls"),
            run.stop.name()
        )),
    );
    if !run.prompt.is_empty() {
        quote(&mut out, &paint.dim("asked"), &escape_text(&run.prompt));
    }
    let mut before = "";
    for pass in &run.passes {
        if args.pass.is_none_or(|k| k == pass.pass) {
            one_pass(&mut out, pass, before, args, paint);
        }
        before = pass.draft.as_ref().map_or(before, |draft| &draft.text);
    }
    if let Some(fault) = &run.fault {
        line(&mut out, &format!("\n{} {}: {}", paint.bad("fault"), fault.at, escape_terminal(&fault.what)));
    }
    for slot in &run.unused {
        line(&mut out, &format!("{} {slot} was recorded but never asked for", paint.warn("unused")));
    }
    out
}

fn one_pass(out: &mut String, pass: &PassDetail, before: &str, args: &Args, paint: Paint) {
    let cost = pass.cost.map_or(String::new(), |usd| format!(", ${usd}"));
    let calls = counted(pass.calls, "call", "calls");
    line(out, &format!("\n{}", paint.bold(&format!("pass {}  ({calls}{cost})", pass.pass))));
    if let Some(critique) = &pass.critique {
        show_critique(out, critique, before, paint);
    }
    for edit in &pass.edits {
        show_edit(out, edit, paint);
    }
    let Some(draft) = &pass.draft else { return };
    match &draft.diff {
        Some(diff) => {
            quote(out, &paint.dim(&format!("draft {} (word diff)", pass.pass)), &word_diff(diff, paint));
            if args.drafts {
                quote(out, &paint.dim(&format!("draft {}", pass.pass)), &escape_text(&draft.text));
            }
        }
        None if draft.kept => line(out, &format!("  draft {}: unchanged", pass.pass)),
        None => quote(out, &paint.dim(&format!("draft {}", pass.pass)), &escape_text(&draft.text)),
    }
    show_outcome(out, draft, paint);
}

/// What the revision did that a gate looks at: without it nobody sees why a ticket got worse.
fn show_outcome(out: &mut String, draft: &DraftDetail, paint: Paint) {
    if let Some(flaw) = &draft.non_draft {
        line(out, &format!("  {}: {flaw}", paint.bad("not a draft")));
    }
    if draft.untouched_sections_edited > 0 {
        let sections = counted(draft.untouched_sections_edited, "section", "sections");
        line(out, &format!("  {} {sections} that the critique never mentioned (strict)", paint.bad("changed")));
    }
    for check in &draft.broke {
        line(out, &format!("  {} {}", paint.bad("broke"), escape_terminal(check)));
    }
    for check in &draft.mended {
        line(out, &format!("  {} {}", paint.good("mended"), escape_terminal(check)));
    }
}

pub(super) fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

fn show_critique(out: &mut String, critique: &CritiqueDetail, before: &str, paint: Paint) {
    let repairs = if critique.repairs.is_empty() { String::new() } else { format!(" (repaired: {})", critique.repairs.join(", ")) };
    if critique.status == "approved" {
        return line(out, &format!("  critique: {}{repairs}", paint.good("approved")));
    }
    if let Some(reason) = &critique.parse_reason {
        line(out, &format!("  critique: {} ({reason})", paint.bad("unreadable")));
        return quote(out, &paint.dim("reply"), &escape_text(&critique.text));
    }
    match &critique.findings {
        None => {
            quote(out, &format!("critique{repairs}"), &escape_text(&critique.text));
            for quotation in &critique.quotations {
                let text = quotation.spans.first().and_then(|s| s.of(before)).unwrap_or_default();
                line(out, &format!("    quotes ({}): {}", quotation.tier.name(), escape_terminal(text)));
            }
        }
        Some(findings) => {
            line(out, &format!("  critique: {}{repairs}", counted(findings.len(), "finding", "findings")));
            findings.iter().enumerate().for_each(|(i, finding)| show_finding(out, i, finding, paint));
        }
    }
    show_mentions(out, &critique.mentions, paint);
    if let Some(sections) = &critique.labelled_mentions {
        let list: Vec<String> = sections.iter().map(|section| format!("section {section}")).collect();
        let list = if list.is_empty() { "nothing".to_owned() } else { list.join(", ") };
        line(out, &format!("    {}: {list} (this counts)", paint.dim("mentions by labels")));
    }
}

/// Sections are counted from 0, as everywhere. A remark on the whole is of all of them.
fn show_mentions(out: &mut String, mentions: &[MentionDetail], paint: Paint) {
    let shown = |mention: &MentionDetail| escape_terminal(&mention.words.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned();
    let mut listed = vec![];
    for mention in mentions.iter().filter(|mention| mention.evidence != "global") {
        // What is quoted stands in the critique above, word for word.
        let words = match mention.evidence {
            "quotation" | "anchor" => String::new(),
            _ => format!(": '{}'", shown(mention)),
        };
        let loose = if mention.strict { "" } else { ", loose" };
        listed.push(format!("section {} ({}{words}{loose})", mention.section, mention.evidence));
    }
    if let Some(mention) = mentions.iter().find(|mention| mention.evidence == "global") {
        listed.push(format!("all sections (global: '{}', loose)", shown(mention)));
    }
    let list = if listed.is_empty() { "nothing".to_owned() } else { listed.join(", ") };
    line(out, &format!("    {}: {list}", paint.dim("mentions")));
}

fn show_finding(out: &mut String, i: usize, finding: &FindingDetail, paint: Paint) {
    let place = match (finding.tier, &finding.drop) {
        (Some(tier), _) => {
            let many = if finding.spans.len() > 1 { format!(", {} places", finding.spans.len()) } else { String::new() };
            let likeness = finding.similarity.filter(|s| *s < 1.0).map_or(String::new(), |s| format!(" {s:.2}"));
            paint.good(&format!("{}{likeness}{many}", tier.name()))
        }
        (None, Some(drop)) => paint.warn(&format!("dropped: {}", drop.reason.name())),
        (None, None) => String::new(),
    };
    // A dropped finding has no fate.
    let fate = match finding.fate {
        Some(fate) => format!("  {}", paint.dim(fate.name())),
        None if finding.drop.is_none() => format!("  {}", paint.dim("unobserved")),
        None => String::new(),
    };
    line(out, &format!("   {}. {} [{}]  {place}{fate}", i + 1, escape_terminal(&finding.label), escape_terminal(&finding.severity)));
    if let Some(text) = &finding.quote {
        line(out, &format!("      \"{}\"", escape_terminal(text)));
    }
    if let (Some(id), Some(text)) = (&finding.source_id, &finding.source_quote) {
        line(out, &format!("      {}: \"{}\"", escape_terminal(id), escape_terminal(text)));
    }
    for (key, text) in &finding.said {
        line(out, &format!("      {}: {}", paint.dim(key), escape_terminal(text)));
    }
}

fn show_edit(out: &mut String, edit: &EditDetail, paint: Paint) {
    let given: Vec<String> = edit.findings.iter().map(|i| (i + 1).to_string()).collect();
    let of = if given.is_empty() { String::new() } else { format!(" of finding {}", given.join(", ")) };
    let status = edit.status.as_deref().map_or(String::new(), |s| format!(": {s}"));
    let reason = edit.reason.as_deref().map_or(String::new(), |r| format!(" ({})", escape_terminal(r)));
    let nothing = if edit.changed { "" } else { ", changed nothing" };
    line(out, &format!("  revision{of}{status}{reason}{nothing}{}", guards(edit.guards, paint)));
    if let Some(rejected) = &edit.rejected {
        quote(out, &paint.dim("rejected text (word diff)"), &word_diff(rejected, paint));
    }
}

fn guards(guards: Guards, paint: Paint) -> String {
    let said = |value: Option<bool>, good: &str, bad: &str| match value {
        Some(true) => format!(", {}", paint.good(good)),
        Some(false) => format!(", {}", paint.warn(bad)),
        None => String::new(),
    };
    let rejected = match guards.rejected {
        Some(Rejection::Locality) => format!(", {}", paint.bad("rejected: not local")),
        Some(Rejection::Length) => format!(", {}", paint.bad("rejected: too long")),
        None => String::new(),
    };
    said(guards.local, "local", "reached outside the scope") + &said(guards.within_cap, "within the cap", "over the cap") + &rejected
}

/// Pieces that were cut at sections are one piece here: nothing tells them apart.
fn word_diff(pieces: &[Piece], paint: Paint) -> String {
    pieces
        .chunk_by(|a, b| a.op == b.op)
        .map(|pieces| {
            // Colour is set line by line, so that a pager does not lose it at a line's end.
            let text = escape_text(&pieces.iter().map(|piece| piece.text.as_str()).collect::<String>());
            let op = pieces[0].op;
            let paint = |piece: &str| match op {
                _ if piece.is_empty() => String::new(),
                Op::Equal => piece.to_owned(),
                Op::Delete => paint.deleted(piece),
                Op::Insert => paint.inserted(piece),
            };
            text.split('\n').map(paint).collect::<Vec<_>>().join("\n")
        })
        .collect()
}

/// Escapes every line on its own: line ends are the text's own.
pub(super) fn escape_text(text: &str) -> String {
    text.split('\n').map(|l| escape_terminal(l.trim_end_matches('\r')).into_owned()).collect::<Vec<_>>().join("\n")
}

pub(super) fn quote(out: &mut String, title: &str, text: &str) {
    line(out, &format!("  {title}"));
    for l in text.lines() {
        line(out, &format!("    | {l}"));
    }
}

pub(super) fn line(out: &mut String, text: &str) {
    // Writing into a String cannot fail.
    let _ = writeln!(out, "{text}");
}
