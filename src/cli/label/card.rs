//! What a rater is shown of one thing.

use crate::cli::paint::Paint;
use crate::cli::show::{escape_text, line, quote};
use crate::label::{Kind, Place};
use crate::model::{Finding, Run, Source, Span, Ticket};
use crate::report::grid::escape_terminal;
use crate::text::locality;
use crate::text::section::{self, SectionRule};

/// A thing with all that is needed to judge it.
#[derive(Debug, Clone)]
pub struct Card {
    pub place: Place,
    prompt: String,
    sources: Vec<Source>,
    pub draft: String,
    /// Findings: where the quotation stands in the draft.
    spans: Vec<Span>,
    finding: Option<Finding>,
    /// Mentions: the critique, and the draft's sections.
    critique: Option<String>,
    pub sections: Vec<Span>,
}

/// Everything of one kind in a run.
pub fn cards(ticket: &Ticket, run: &Run, kind: Kind, rule: SectionRule) -> Vec<Card> {
    let rule = run.drafts().next().map_or(rule, |(_, first)| rule.settle(first));
    let mut out = vec![];
    for pass in &run.passes {
        let card = |draft: &str, finding: Option<u32>| Card {
            place: Place { ticket: run.ticket.clone(), sample: run.sample, pass: pass.index, kind, finding },
            prompt: ticket.prompt.clone(),
            sources: ticket.sources.clone(),
            draft: draft.to_owned(),
            spans: vec![],
            finding: None,
            critique: None,
            sections: vec![],
        };
        match (kind, &pass.critique, run.draft_before(pass.index)) {
            (Kind::Finding, Some(critique), Some(draft)) => {
                for (at, finding) in critique.findings.iter().flatten().enumerate() {
                    let spans = finding.anchor.as_ref().map_or(vec![], |anchor| locality::merge(anchor.spans.clone()));
                    out.push(Card { spans, finding: Some(finding.clone()), ..card(draft, u32::try_from(at).ok()) });
                }
            }
            (Kind::Mention, Some(critique), Some(draft)) => {
                let sections = section::sections(draft, rule);
                out.push(Card { critique: Some(critique.text.clone()), sections, ..card(draft, None) });
            }
            (Kind::Draft | Kind::Defect, ..) => out.extend(pass.draft.as_deref().map(|draft| card(draft, None))),
            _ => {}
        }
    }
    out
}

impl Card {
    /// As text for a terminal. The severity is not in it, since it would say what the critic thinks.
    pub fn page(&self, paint: Paint) -> String {
        let mut out = String::new();
        quote(&mut out, &paint.dim("asked"), &escape_text(&self.prompt));
        for source in &self.sources {
            let title = if source.title.is_empty() { String::new() } else { format!(" ({})", escape_terminal(&source.title)) };
            quote(&mut out, &paint.dim(&format!("source {}{title}", escape_terminal(&source.id))), &escape_text(&source.text));
        }
        let draft = if self.place.kind == Kind::Mention { self.numbered() } else { self.marked(paint) };
        quote(&mut out, &paint.dim("draft"), &draft);
        if let Some(finding) = &self.finding {
            self.words(&mut out, finding, paint);
        }
        if let Some(critique) = &self.critique {
            quote(&mut out, &paint.dim("critique"), &escape_text(critique));
        }
        out
    }

    fn words(&self, out: &mut String, finding: &Finding, paint: Paint) {
        line(out, &format!("  {} {}", paint.dim("finding:"), paint.bold(&escape_terminal(&finding.label))));
        match (&finding.quote, self.spans.is_empty()) {
            (Some(text), false) => line(out, &format!("    quotes \"{}\"", escape_terminal(text))),
            (Some(text), true) => line(out, &format!("    quotes \"{}\", which was not located in the draft", escape_terminal(text))),
            (None, _) => line(out, "    quotes nothing"),
        }
        if let (Some(id), Some(text)) = (&finding.source_id, &finding.source_quote) {
            line(out, &format!("    and of {}: \"{}\"", escape_terminal(id), escape_terminal(text)));
        }
        for key in ["detail", "explanation", "fix"] {
            if let Some(text) = finding.raw.get(key).and_then(|value| value.as_str()).filter(|text| !text.is_empty()) {
                line(out, &format!("    {}: {}", paint.dim(key), escape_terminal(text)));
            }
        }
    }

    /// The draft with what is quoted set off.
    fn marked(&self, paint: Paint) -> String {
        let mut out = String::new();
        let mut at = 0;
        for span in &self.spans {
            let (Some(before), Some(quoted)) = (self.draft.get(at..span.start), span.of(&self.draft)) else { continue };
            out.push_str(&escape_text(before));
            // Line by line, so that the margin stays as it is.
            let lines: Vec<String> = escape_text(quoted).split('\n').map(|l| paint.marked(l)).collect();
            out.push_str(&lines.join("\n"));
            at = span.end;
        }
        out + &escape_text(self.draft.get(at..).unwrap_or_default())
    }

    fn numbered(&self) -> String {
        let one = |(at, span): (usize, &Span)| format!("[{at}] {}", escape_text(span.of(&self.draft).unwrap_or_default().trim_end()));
        self.sections.iter().enumerate().map(one).collect::<Vec<_>>().join("\n")
    }
}
