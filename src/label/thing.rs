//! Everything in a run that can be judged, with its digest.

use super::{Kind, Place, digest};
use crate::model::{CritiqueStatus, Run};
use crate::text::section::{self, SectionRule};

/// A finding, a critique or a draft, as labels name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thing {
    pub place: Place,
    pub of: String,
    /// Findings: rank (0 = worst; None where it is not declared) and the word, in lower case.
    pub severity: Option<(Option<u32>, String)>,
    /// Critiques: how many sections the draft has that it speaks of.
    pub sections: usize,
    /// Drafts: true where an earlier pass of the run already left this very draft.
    pub again: bool,
}

/// In the order of passes. `rule` is that of the loop's spec. What cannot be judged is not here: a critique that could not be read, an
/// approval, a pass without a draft.
pub fn things(run: &Run, rule: SectionRule) -> Vec<Thing> {
    let rule = run.drafts().next().map_or(rule, |(_, first)| rule.settle(first));
    let mut out = vec![];
    let mut drafts: Vec<&str> = vec![];
    for pass in &run.passes {
        let place = |kind, finding| Place { ticket: run.ticket.clone(), sample: run.sample, pass: pass.index, kind, finding };
        let thing = |place, of| Thing { place, of, severity: None, sections: 0, again: false };
        if let (Some(critique), Some(draft)) = (&pass.critique, drafts.last().copied())
            && critique.status == CritiqueStatus::Ok
        {
            let sections = section::sections(draft, rule);
            let of = digest::critique(critique, draft, &sections);
            out.push(Thing { sections: sections.len(), ..thing(place(Kind::Mention, None), of) });
            for (at, finding) in critique.findings.iter().flatten().enumerate() {
                let severity = Some((finding.rank, finding.severity.trim().to_lowercase()));
                let place = place(Kind::Finding, u32::try_from(at).ok());
                out.push(Thing { severity, ..thing(place, digest::finding(finding, draft)) });
            }
        }
        if let Some(draft) = pass.draft.as_deref() {
            let again = drafts.contains(&draft);
            let of = digest::draft(draft);
            out.extend([Kind::Defect, Kind::Draft].map(|kind| Thing { again, ..thing(place(kind, None), of.clone()) }));
            drafts.push(draft);
        }
    }
    out
}
