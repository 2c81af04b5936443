//! One simulated run: writer, critic and reviser answering the machine's asks for one ticket, and the truth of what they did.

use super::answer::Said;
use super::critic::{self, Again, Complaint, Quoted};
use super::dice::Dice;
use super::draft::{Base, Case, Draft, Flaw};
use super::rates::Rates;
use super::reviser;
use super::truth::{EditTruth, FindingTruth, PassTruth, tell_fates};
use super::{voice, writer};
use crate::arm::{Send, Spec, Strategy};
use crate::model::{EditStatus, Guard, Role, Run, Slot};

/// The three models of one run, with all they know.
pub struct Cast<'a> {
    spec: &'a Spec,
    case: &'a Case,
    rates: &'a Rates,
    /// The writer's chance does not depend on the arm: arms of one seed start from the same draft.
    writer_dice: Dice,
    dice: Dice,
    draft: Draft,
    /// The last answer of a reviser, until it is known whether the loop took it.
    proposed: Option<Draft>,
    passes: Vec<Played>,
    /// The first pass in which a true fact may be made wrong, in the runs where one is.
    breaks_from: Option<u32>,
    resolved: Vec<Again>,
}

/// One pass as it was played.
struct Played {
    index: u32,
    critique: Option<&'static str>,
    complaints: Vec<Complaint>,
    outcomes: Vec<Outcome>,
    /// Which complaints each reviser call is given.
    calls: Vec<Vec<usize>>,
    asides: Asides,
    incoming: Draft,
    edits: Vec<EditTruth>,
    answered: [u32; 3],
}

/// What the reviser does with one complaint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Outcome {
    status: EditStatus,
    /// The status says applied, and the draft is as before.
    nothing: bool,
    spins: bool,
    reverted: bool,
}

/// What a pass's revision does beside what it was asked.
#[derive(Debug, Clone, Default)]
struct Asides {
    /// Call and sections that nobody mentioned.
    reach: Option<(usize, Vec<usize>)>,
    /// Call and sentence of the fact that is made wrong.
    breaks: Option<(usize, usize)>,
}

impl<'a> Cast<'a> {
    pub fn new(spec: &'a Spec, case: &'a Case, rates: &'a Rates, seed: u64, arm: &str, ticket: &str, sample: u32) -> Cast<'a> {
        let dice = Dice::new(seed, &[arm, ticket]).at(sample);
        let breaks = dice.chance("breaks_fact", 0, rates.breaks_fact);
        let breaks_from = breaks.then(|| [1, 1, 1, 2, 2, 3][dice.pick("breaks from", 0, 6)]);
        let writer_dice = Dice::new(seed, &["writer", ticket]).at(sample);
        let draft = Draft::default();
        Cast { spec, case, rates, writer_dice, dice, draft, proposed: None, passes: vec![], breaks_from, resolved: vec![] }
    }

    fn in_prose(&self) -> bool {
        !self.spec.format.has_findings()
    }

    fn is_serial(&self) -> bool {
        self.spec.strategy == Strategy::Serial
    }

    /// Answers one ask. `standing` is the loop's draft when it asked.
    pub fn answer(&mut self, slot: Slot, standing: &str) -> Said {
        self.learn(standing);
        let said = match slot.role {
            Role::Writer => self.write(),
            Role::Critic | Role::Judge => self.criticise(slot.pass),
            Role::Reviser => self.revise(slot.n as usize),
        };
        if let Some(pass) = self.passes.last_mut() {
            pass.answered[slot.role as usize % 3] += 1;
        }
        said
    }

    /// Whether the loop took the last revision, seen from the draft it goes on with.
    fn learn(&mut self, standing: &str) {
        let Some(proposed) = self.proposed.take() else { return };
        if proposed.text(self.case) == standing {
            self.draft = proposed;
            return;
        }
        let Some(pass) = self.passes.last_mut() else { return };
        if let Some(edit) = pass.edits.last_mut() {
            edit.reverted = true;
            for at in &edit.findings {
                pass.outcomes[*at].reverted = true;
            }
        }
    }

    fn write(&mut self) -> Said {
        self.draft = writer::write(self.case, self.rates, self.writer_dice);
        self.open(0, None);
        Said { text: self.draft.text(self.case), cut: false }
    }

    fn open(&mut self, index: u32, critique: Option<&'static str>) {
        self.passes.push(Played {
            index,
            critique,
            complaints: vec![],
            outcomes: vec![],
            calls: vec![],
            asides: Asides::default(),
            incoming: self.draft.clone(),
            edits: vec![],
            answered: [0; 3],
        });
    }

    fn criticise(&mut self, index: u32) -> Said {
        let dice = self.dice.at(index);
        let again = self.remember(dice);
        let in_prose = self.in_prose();
        let rules = &self.spec.rules;
        let raised = self.passes.iter().flat_map(|pass| &pass.complaints);
        let known: Vec<(String, usize)> = raised.map(|c| (c.label.clone(), c.home)).collect();
        let scene = critic::Scene {
            case: self.case,
            draft: &self.draft,
            rates: self.rates,
            severities: &rules.severities,
            again,
            known: &known,
            dice,
        };
        let approves = dice.chance("approves", 0, self.rates.approves);
        let complaints = if approves { vec![] } else { critic::complain(&scene) };
        if complaints.is_empty() {
            let by_sentinel = in_prose || (!rules.sentinel.is_empty() && dice.chance("by the sentinel", 0, 0.5));
            let text = if by_sentinel { rules.sentinel.clone() } else { voice::findings(&[]) };
            self.open(index, Some("approved"));
            return Said { text, cut: false };
        }
        let text = if in_prose { voice::prose(&complaints, dice) } else { voice::findings(&complaints) };
        if dice.chance("unreadable", 0, self.rates.unreadable) {
            self.open(index, Some("unreadable"));
            // A prose critique that was cut still says something; only one that was cut before its first word cannot be read.
            let kept = if in_prose { 0 } else { text.floor_char_boundary(text.len() * 2 / 3) };
            return Said { text: text[..kept].to_owned(), cut: true };
        }
        self.open(index, Some("ok"));
        self.plan(complaints, dice);
        Said { text, cut: false }
    }

    /// Complaints of the last pass that come back, and old ones that are dug out again.
    fn remember(&mut self, dice: Dice) -> Vec<Again> {
        let mut again = vec![];
        let old = std::mem::take(&mut self.resolved);
        for (n, old) in old.into_iter().enumerate() {
            let back = dice.chance("reopens", n, self.rates.reopens);
            if back { again.push(old) } else { self.resolved.push(old) }
        }
        let Some(pass) = self.passes.last() else { return again };
        for (n, (complaint, outcome)) in pass.complaints.iter().zip(&pass.outcomes).enumerate() {
            let it = Again { sentence: complaint.sentence, about: complaint.about, label: complaint.label.clone() };
            let applied = outcome.status == EditStatus::Applied && !outcome.reverted;
            if complaint.is_dropped() {
                continue;
            }
            if applied && !outcome.spins && !outcome.nothing {
                self.resolved.push(Again { about: None, ..it });
            } else if applied || dice.chance("insists", n, self.rates.insists) {
                again.push(it);
            }
        }
        again
    }

    /// Decides what the reviser will do in this pass, call by call.
    fn plan(&mut self, complaints: Vec<Complaint>, dice: Dice) {
        let in_prose = self.in_prose();
        let rates = self.rates;
        let outcome = |(n, complaint): (usize, &Complaint)| {
            let status = if complaint.is_dropped() || dice.chance("not_found", n, rates.not_found) {
                EditStatus::NotFound
            } else if dice.chance("rejects", n, rates.rejects) {
                EditStatus::Rejected
            } else {
                EditStatus::Applied
            };
            let nothing = status == EditStatus::Applied && dice.chance("applies_nothing", n, rates.applies_nothing);
            let spins = status == EditStatus::Applied && !nothing && dice.chance("spins", n, rates.spins);
            Outcome { status, nothing, spins, reverted: false }
        };
        let outcomes: Vec<Outcome> = complaints.iter().enumerate().map(outcome).collect();
        let mut given: Vec<usize> =
            (0..complaints.len()).filter(|at| in_prose || self.spec.send == Send::All || !complaints[*at].is_dropped()).collect();
        let rank = |at: &usize| {
            let declared = &self.spec.rules.severities;
            declared.iter().position(|s| *s == complaints[*at].severity).unwrap_or(usize::MAX)
        };
        let calls: Vec<Vec<usize>> = if self.is_serial() {
            given.sort_by_key(rank);
            given.into_iter().map(|at| vec![at]).collect()
        } else if in_prose || !given.is_empty() {
            vec![given]
        } else {
            vec![]
        };
        let asides = self.asides(&complaints, &outcomes, &calls, dice);
        if let Some(pass) = self.passes.last_mut() {
            (pass.complaints, pass.outcomes, pass.calls, pass.asides) = (complaints, outcomes, calls, asides);
        }
    }

    fn asides(&mut self, complaints: &[Complaint], outcomes: &[Outcome], calls: &[Vec<usize>], dice: Dice) -> Asides {
        let serial = self.is_serial();
        let changes =
            |call: &usize| !serial || calls[*call].iter().any(|at| outcomes[*at].status == EditStatus::Applied && !outcomes[*at].nothing);
        let candidates: Vec<usize> = (0..calls.len()).filter(changes).collect();
        let Some(call) = candidates.get(dice.pick("which call", 0, candidates.len())).copied() else { return Asides::default() };
        let mentioned = mentioned(complaints);
        let mut unmentioned: Vec<usize> = (0..self.draft.0.len()).filter(|at| !mentioned.contains(at)).collect();
        dice.shuffle("unmentioned", &mut unmentioned);
        let mut asides = Asides::default();
        if !unmentioned.is_empty() && dice.chance("reaches_unmentioned", 0, self.rates.reaches_unmentioned) {
            let count = if self.rates.rewords > 0.0 && dice.chance("reaches on", 0, 0.4) { 2 } else { 1 };
            asides.reach = Some((call, unmentioned.iter().copied().take(count).collect()));
        }
        let index = self.passes.last().map_or(0, |pass| pass.index);
        if self.breaks_from.is_some_and(|from| index >= from) {
            self.plan_break(complaints, &unmentioned, call, dice, &mut asides);
        }
        asides
    }

    /// Picks the fact that is made wrong: where nobody looked if there is one, else beside what was quoted.
    fn plan_break(&mut self, complaints: &[Complaint], unmentioned: &[usize], call: usize, dice: Dice, asides: &mut Asides) {
        let is_target = |id: usize| complaints.iter().any(|c| c.sentence == id);
        let true_fact =
            |base: Base| matches!(base, Base::Fact { fact, wrong: false } if self.case.facts.get(fact).is_some_and(|f| f.required));
        let facts: Vec<(usize, usize)> =
            self.draft.sentences().filter(|(_, s)| true_fact(s.base) && !is_target(s.id)).map(|(at, s)| (at, s.id)).collect();
        let hidden: Vec<(usize, usize)> = facts.iter().copied().filter(|(at, _)| unmentioned.contains(at)).collect();
        let from = if hidden.is_empty() { &facts } else { &hidden };
        let Some((section, id)) = from.get(dice.pick("which fact", 0, from.len())).copied() else { return };
        self.breaks_from = None;
        match &mut asides.reach {
            Some((at, sections)) => {
                asides.breaks = Some((*at, id));
                if unmentioned.contains(&section) && !sections.contains(&section) {
                    sections.push(section);
                }
            }
            None => {
                asides.breaks = Some((call, id));
                if unmentioned.contains(&section) {
                    asides.reach = Some((call, vec![section]));
                }
            }
        }
    }

    fn revise(&mut self, n: usize) -> Said {
        let Some(pass) = self.passes.last() else { return Said { text: String::new(), cut: false } };
        let given = pass.calls.get(n).cloned().unwrap_or_default();
        let serial = self.is_serial();
        let dice = self.dice.at(pass.index).at(1000 + n as u32);
        let status = given.first().map(|at| pass.outcomes[*at].status).filter(|_| serial);
        let mut after = self.draft.clone();
        let mut local = true;
        let taken = !serial || status == Some(EditStatus::Applied);
        if taken {
            for at in &given {
                local &= self.apply(&pass.complaints[*at], pass.outcomes[*at], dice.at(*at as u32), &mut after);
            }
            local &= !self.stray(pass, n, dice, &mut after);
        }
        let checked = taken && self.spec.locality != Guard::Off && !given.is_empty() && !self.in_prose();
        let edit = EditTruth {
            findings: if self.in_prose() { vec![] } else { given },
            status: status.map(|status| status.name().to_owned()),
            local: checked.then_some(local),
            changed: after != self.draft && after.text(self.case) != self.draft.text(self.case),
            reverted: false,
        };
        let text = after.text(self.case);
        let text = if serial { voice::edit(status.unwrap_or(EditStatus::NotFound), &text) } else { text };
        if taken {
            self.proposed = Some(after);
        }
        if let Some(pass) = self.passes.last_mut() {
            pass.edits.push(edit);
        }
        Said { text, cut: false }
    }

    /// Does what one complaint asks, or not. True where the change stays inside the quoted words.
    fn apply(&self, complaint: &Complaint, outcome: Outcome, dice: Dice, after: &mut Draft) -> bool {
        let Some((_, old)) = after.find(complaint.sentence) else { return true };
        if outcome.status != EditStatus::Applied || outcome.nothing {
            return true;
        }
        let new = reviser::settle(old, complaint, outcome.spins, dice);
        after.put(new);
        reviser::stays_inside(&old.text(self.case), complaint.range, &new.text(self.case))
    }

    /// What the call changes beside its complaints. True where it changes anything.
    fn stray(&self, pass: &Played, n: usize, dice: Dice, after: &mut Draft) -> bool {
        let before = after.clone();
        let is_target = |id: usize| pass.complaints.iter().any(|c| !c.is_dropped() && c.sentence == id);
        let broken = pass.asides.breaks.filter(|(call, _)| *call == n).map(|(_, id)| id);
        if let Some((_, mut sentence)) = broken.and_then(|id| after.find(id)) {
            if let Base::Fact { wrong, .. } = &mut sentence.base {
                *wrong = true;
            }
            after.put(sentence);
        }
        let origin = |at: usize| pass.incoming.section(at, self.case);
        let rewords = self.rates.rewords;
        if let Some((_, sections)) = pass.asides.reach.as_ref().filter(|(call, _)| *call == n) {
            for at in sections {
                let breaks_here = self.draft.0.get(*at).is_some_and(|s| s.iter().any(|s| Some(s.id) == broken));
                if !breaks_here || rewords > 0.0 {
                    reviser::rewrite(after, *at, &origin(*at), |_| true, self.case, self.rates, dice);
                }
            }
        }
        let given = pass.calls.get(n).map_or(&[][..], Vec::as_slice);
        let mut homes: Vec<usize> =
            given.iter().filter_map(|at| pass.complaints.get(*at)).filter(|c| !c.is_dropped()).map(|c| c.home).collect();
        homes.sort_unstable();
        homes.dedup();
        for at in homes {
            if dice.chance("ignores_locality", at, self.rates.ignores_locality) {
                reviser::rewrite(after, at, &origin(at), |s| !is_target(s.id), self.case, self.rates, dice);
            }
        }
        before != *after
    }

    /// The truth of the whole run, once the loop has ended.
    pub fn truth(mut self, run: &Run, standing: &str) -> Vec<PassTruth> {
        self.learn(standing);
        let ends: Vec<Draft> = self.passes.iter().skip(1).map(|p| p.incoming.clone()).chain([self.draft.clone()]).collect();
        let mut out = vec![];
        for (pass, end) in self.passes.iter().zip(&ends) {
            let Some(made) = run.passes.iter().find(|made| made.index == pass.index) else { continue };
            out.push(self.pass_truth(pass, end, made.draft.is_some(), run));
        }
        // Elsewhere what was applied is a matter of what can be seen in the text, and that is not known from how it was made.
        if self.is_serial() {
            tell_fates(&mut out);
        }
        if let Some(last) = out.last_mut() {
            last.stop = Some(run.stop.name().to_owned());
        }
        out
    }

    fn pass_truth(&self, pass: &Played, end: &Draft, has_draft: bool, run: &Run) -> PassTruth {
        let case = self.case;
        let (before, after) = (pass.incoming.failing(case), end.failing(case));
        let revised = has_draft && !pass.edits.is_empty();
        let mentioned = mentioned(&pass.complaints);
        let touched = pass.incoming.touched(end, case);
        let (deleted, inserted) = if revised { super::lcs::changed(&pass.incoming.text(case), &end.text(case)) } else { (0, 0) };
        let only = |of: &[String], not: &[String]| of.iter().filter(|c| !not.contains(c)).cloned().collect::<Vec<_>>();
        let [writer, critic, reviser] = pass.answered;
        PassTruth {
            v: 1,
            ticket: run.ticket.clone(),
            sample: run.sample,
            pass: pass.index,
            critique: pass.critique.map(str::to_owned),
            findings: pass.complaints.iter().zip(&pass.outcomes).map(|(c, o)| self.finding_truth(pass, c, *o)).collect(),
            edits: pass.edits.clone(),
            touched_unmentioned: revised.then(|| touched.iter().any(|at| !mentioned.contains(at))),
            mentioned: matches!(pass.critique, Some("ok" | "approved")).then_some(mentioned),
            touched: revised.then_some(touched),
            broken: revised.then(|| only(&after, &before)),
            fixed: revised.then(|| only(&before, &after)),
            failing: has_draft.then_some(after),
            chars_deleted: revised.then_some(deleted),
            chars_inserted: revised.then_some(inserted),
            calls: super::truth::Calls { writer, critic, reviser },
            stop: None,
        }
    }

    fn finding_truth(&self, pass: &Played, complaint: &Complaint, outcome: Outcome) -> FindingTruth {
        let (tier, reason) = match complaint.quoted {
            Quoted::Exact => ("exact", None),
            Quoted::Normalised => ("normalised", None),
            Quoted::Fuzzy => ("fuzzy", None),
            Quoted::Dropped(reason) => ("dropped", Some(reason.name().to_owned())),
        };
        let base = pass.incoming.find(complaint.sentence).map(|(_, s)| s.base);
        let check = match (complaint.about, base) {
            (Some(Flaw::Wrong), Some(Base::Fact { fact, .. })) => self.case.facts.get(fact).map(|f| f.check.clone()),
            _ => None,
        };
        FindingTruth {
            label: complaint.label.clone(),
            severity: complaint.severity.clone(),
            quote: complaint.quote.clone(),
            tier: tier.into(),
            reason,
            places: complaint.places.len(),
            section: complaint.section(),
            spurious: complaint.about.is_none(),
            check,
            origin: None,
            fate: None,
            applied: outcome.status == EditStatus::Applied && !outcome.reverted,
        }
    }
}

/// Sections that hold a quoted place, ascending.
fn mentioned(complaints: &[Complaint]) -> Vec<usize> {
    let mut places: Vec<usize> = complaints.iter().flat_map(|c| c.places.iter().copied()).collect();
    places.sort_unstable();
    places.dedup();
    places
}
