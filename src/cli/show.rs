//! `redraft show ARM TICKET`: one run as a person reads it.

use std::fmt::Write;
use std::path::PathBuf;

use super::paint::Paint;
use super::{Common, Exit, print};
use crate::error::Error;
use crate::metric::{Fate, Settings, fates};
use crate::model::{Critique, CritiqueStatus, Edit, Finding, Guards, Pass, Rejection, Run, Ticket, Usd};
use crate::replay::{Filter, Options, Prepared};
use crate::report::grid::escape_terminal;
use crate::text::diff::{self, Op};

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
    /// Also print each draft whole
    #[arg(long)]
    drafts: bool,
}

pub fn run(args: &Args, common: Common) -> Result<Exit, Error> {
    let prepared = Prepared::open(&args.arm)?;
    let options = Options { jobs: 1, filter: Filter::id(&args.ticket), shard: None };
    let settings = Settings::of(&prepared.program.spec);
    let paint = Paint::stdout(common.color);
    let mut shown: Option<(String, bool)> = None;
    prepared.each(
        &options,
        |ticket, runs| {
            let run = runs.into_iter().find(|r| r.sample == args.sample)?;
            let faulted = run.fault.is_some();
            Some((page(ticket, &run, &settings, args, paint), faulted))
        },
        |made| {
            shown = made;
            Ok(())
        },
    )?;
    let Some((text, faulted)) = shown else {
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
    print(&text)?;
    Ok(if faulted { Exit::NoVerdict } else { Exit::Fine })
}

fn page(ticket: &Ticket, run: &Run, settings: &Settings, args: &Args, paint: Paint) -> String {
    let mut out = String::new();
    let calls = run.passes.iter().map(|p| p.calls.len()).sum::<usize>();
    line(
        &mut out,
        &paint.bold(&format!(
            "{}  {} passes, {calls} calls, stopped: {}",
            escape_terminal(&ticket.id),
            run.passes.len().saturating_sub(1),
            run.stop.name()
        )),
    );
    if !ticket.prompt.is_empty() {
        quote(&mut out, &paint.dim("asked"), &escape_text(&ticket.prompt));
    }
    let fates = fates(ticket, run, settings);
    let mut before = String::new();
    for (i, pass) in run.passes.iter().enumerate() {
        if args.pass.is_none_or(|k| k == pass.index) {
            one_pass(&mut out, pass, &before, fates.get(i).map_or(&[], Vec::as_slice), args, paint);
        }
        if let Some(draft) = &pass.draft {
            before.clone_from(draft);
        }
    }
    if let Some(fault) = &run.fault {
        line(&mut out, &format!("\n{} {}: {}", paint.bad("fault"), fault.at, escape_terminal(&fault.what)));
    }
    for slot in &run.unused {
        line(&mut out, &format!("{} {slot} was recorded but never asked for", paint.warn("unused")));
    }
    out
}

fn one_pass(out: &mut String, pass: &Pass, before: &str, fates: &[Option<Fate>], args: &Args, paint: Paint) {
    let cost = pass.calls.iter().map(|c| c.cost).sum::<Option<Usd>>();
    let cost = cost.map_or(String::new(), |usd| format!(", ${usd}"));
    line(
        out,
        &format!(
            "\n{}",
            paint.bold(&format!(
                "pass {}  ({} {}{cost})",
                pass.index,
                pass.calls.len(),
                if pass.calls.len() == 1 { "call" } else { "calls" }
            ))
        ),
    );
    if let Some(critique) = &pass.critique {
        show_critique(out, critique, before, fates, paint);
    }
    for edit in &pass.edits {
        show_edit(out, edit, paint);
    }
    match &pass.draft {
        Some(draft) if pass.critique.is_none() => quote(out, &paint.dim("draft 0"), &escape_text(draft)),
        Some(draft) if draft == before => line(out, &format!("  draft {}: unchanged", pass.index)),
        Some(draft) => {
            quote(out, &paint.dim(&format!("draft {} (word diff)", pass.index)), &word_diff(before, draft, paint));
            if args.drafts {
                quote(out, &paint.dim(&format!("draft {}", pass.index)), &escape_text(draft));
            }
        }
        None => {}
    }
}

fn show_critique(out: &mut String, critique: &Critique, before: &str, fates: &[Option<Fate>], paint: Paint) {
    let repairs = if critique.repairs.is_empty() { String::new() } else { format!(" (repaired: {})", critique.repairs.join(", ")) };
    match critique.status {
        CritiqueStatus::Approved => line(out, &format!("  critique: {}{repairs}", paint.good("approved"))),
        CritiqueStatus::ParseError(reason) => {
            line(out, &format!("  critique: {} ({})", paint.bad("unreadable"), reason.name()));
            quote(out, &paint.dim("reply"), &escape_text(&critique.text));
        }
        CritiqueStatus::Ok => match &critique.findings {
            None => {
                quote(out, &format!("critique{repairs}"), &escape_text(&critique.text));
                for anchor in &critique.quotations {
                    let text = anchor.spans.first().and_then(|s| s.of(before)).unwrap_or_default();
                    line(out, &format!("    quotes ({}): {}", anchor.tier.name(), escape_terminal(text)));
                }
            }
            Some(findings) => {
                line(out, &format!("  critique: {} findings{repairs}", findings.len()));
                for (i, finding) in findings.iter().enumerate() {
                    show_finding(out, i, finding, fates.get(i).copied().flatten(), paint);
                }
            }
        },
    }
}

fn show_finding(out: &mut String, i: usize, finding: &Finding, fate: Option<Fate>, paint: Paint) {
    let place = match (&finding.anchor, &finding.drop) {
        (Some(anchor), _) => {
            let many = if anchor.is_ambiguous() { format!(", {} places", anchor.spans.len()) } else { String::new() };
            let likeness = if anchor.similarity < 1.0 { format!(" {:.2}", anchor.similarity) } else { String::new() };
            paint.good(&format!("{}{likeness}{many}", anchor.tier.name()))
        }
        (None, Some(drop)) => paint.warn(&format!("dropped: {}", drop.reason.name())),
        (None, None) => String::new(),
    };
    let fate = fate.map_or_else(|| "not observed".to_owned(), |f| f.name().to_owned());
    line(
        out,
        &format!(
            "   {}. {} [{}]  {place}  {}",
            i + 1,
            escape_terminal(&finding.label),
            escape_terminal(&finding.severity),
            paint.dim(&fate)
        ),
    );
    if let Some(text) = &finding.quote {
        line(out, &format!("      \"{}\"", escape_terminal(text)));
    }
    if let (Some(id), Some(text)) = (&finding.source_id, &finding.source_quote) {
        line(out, &format!("      {}: \"{}\"", escape_terminal(id), escape_terminal(text)));
    }
    for key in ["detail", "explanation", "fix"] {
        if let Some(text) = finding.raw.get(key).and_then(|v| v.as_str()).filter(|t| !t.is_empty()) {
            line(out, &format!("      {}: {}", paint.dim(key), escape_terminal(text)));
        }
    }
}

fn show_edit(out: &mut String, edit: &Edit, paint: Paint) {
    let given: Vec<String> = edit.findings.iter().map(|i| (i + 1).to_string()).collect();
    let of = if given.is_empty() { String::new() } else { format!(" of finding {}", given.join(", ")) };
    let status = edit.status.map_or(String::new(), |s| format!(": {}", s.name()));
    let reason = edit.reason.as_deref().map_or(String::new(), |r| format!(" ({})", escape_terminal(r)));
    let nothing = if edit.after() == edit.before { ", changed nothing" } else { "" };
    line(out, &format!("  revision{of}{status}{reason}{nothing}{}", guards(edit.guards, paint)));
    if edit.guards.rejected.is_some()
        && let Some(proposed) = &edit.proposed
    {
        quote(out, &paint.dim("rejected text (word diff)"), &word_diff(&edit.before, proposed, paint));
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

fn word_diff(before: &str, after: &str, paint: Paint) -> String {
    diff::words(before, after)
        .into_iter()
        .map(|(op, text)| {
            // Colour is set line by line, so that a pager does not lose it at a line's end.
            let text = escape_text(&text);
            let mut painted = vec![];
            for piece in text.split('\n') {
                painted.push(match op {
                    _ if piece.is_empty() => String::new(),
                    Op::Equal => piece.to_owned(),
                    Op::Delete => paint.deleted(piece),
                    Op::Insert => paint.inserted(piece),
                });
            }
            painted.join("\n")
        })
        .collect()
}

/// Escapes every line on its own: line ends are the text's own.
fn escape_text(text: &str) -> String {
    text.split('\n').map(|l| escape_terminal(l.trim_end_matches('\r')).into_owned()).collect::<Vec<_>>().join("\n")
}

fn quote(out: &mut String, title: &str, text: &str) {
    line(out, &format!("  {title}"));
    for l in text.lines() {
        line(out, &format!("    | {l}"));
    }
}

fn line(out: &mut String, text: &str) {
    // Writing into a String cannot fail.
    let _ = writeln!(out, "{text}");
}
