//! The simulated reviser: what it does to one sentence, and what it does beside it.

use super::critic::Complaint;
use super::dice::Dice;
use super::draft::{Base, Case, Draft, Flaw, Lead, Sentence, joined, kept_words};
use super::phrases::{AGENTS, FAREWELLS, GREETINGS, HEDGES, LEADS, OFFERS, TAILS, THANKS};
use super::rates::Rates;

/// Another entry of a list than `old`.
fn other(dice: Dice, purpose: &str, n: usize, old: Option<usize>, len: usize) -> usize {
    match old {
        Some(old) if len > 1 => (old % len + 1 + dice.pick(purpose, n, len - 1)) % len,
        _ => dice.pick(purpose, n, len),
    }
}

/// The sentence as the complaint wants it; with `spins` changed, but with the flaw still in it. The change stays inside the quoted words.
pub fn settle(sentence: Sentence, complaint: &Complaint, spins: bool, dice: Dice) -> Sentence {
    let plain = |old: Option<Lead>| {
        let old = if let Some(Lead::Plain(n)) = old { Some(n) } else { None };
        Some(Lead::Plain(other(dice, "plain lead", 0, old, LEADS.len())))
    };
    let lead_only = sentence.lead_text().is_some_and(|lead| complaint.range == (0, lead.len()));
    match (complaint.about, sentence.lead) {
        (Some(flaw @ (Flaw::Wrong | Flaw::Filler)), _) if !spins => sentence.mended(flaw),
        (Some(Flaw::Hedge), _) if !spins && !lead_only => sentence.mended(Flaw::Hedge),
        (Some(Flaw::Hedge), lead) if !spins => Sentence { lead: plain(lead), ..sentence },
        (Some(Flaw::Hedge), Some(Lead::Hedge(old))) => {
            let label = HEDGES[old % HEDGES.len()].0;
            let like: Vec<usize> = (0..HEDGES.len()).filter(|n| *n != old % HEDGES.len() && HEDGES[*n].0 == label).collect();
            let lead = like.get(dice.pick("hedge for hedge", 0, like.len())).copied().unwrap_or(old);
            Sentence { lead: Some(Lead::Hedge(lead)), ..sentence }
        }
        // A hedge beside the flaw is left as it is: it is a flaw of its own.
        (_, Some(Lead::Hedge(_))) => Sentence { tail: Some(other(dice, "tail", 0, sentence.tail, TAILS.len())), ..sentence },
        (_, Some(Lead::Plain(_))) if dice.chance("drops the lead", 0, 0.5) => Sentence { lead: None, ..sentence },
        (_, lead) => Sentence { lead: plain(lead), ..sentence },
    }
}

/// True where the change of a sentence stays inside the quoted bytes.
pub fn stays_inside(before: &str, range: (usize, usize), after: &str) -> bool {
    let (head, tail) = (before.get(..range.0).unwrap_or_default(), before.get(range.1..).unwrap_or_default());
    after.len() >= head.len() + tail.len() && after.starts_with(head) && after.ends_with(tail)
}

/// The smallest change of a sentence that nobody asked for. It replaces words or adds some before the full stop, so that it can never pass
/// for a change at the edge of a quotation beside it.
pub fn nudge(sentence: Sentence, dice: Dice) -> Sentence {
    let swap = |purpose: &str, old: usize, len: usize| other(dice, purpose, sentence.id, Some(old), len);
    let base = match sentence.base {
        Base::Greeting(n) => Base::Greeting(swap("greeting", n, GREETINGS.len())),
        Base::Farewell { how, agent } => Base::Farewell { how: swap("farewell", how, FAREWELLS.len()), agent: agent % AGENTS.len() },
        Base::Thanks(n) => Base::Thanks(swap("thanks", n, THANKS.len())),
        Base::Offer(n) => Base::Offer(swap("offer", n, OFFERS.len())),
        base => return Sentence { base, tail: Some(other(dice, "tail", sentence.id, sentence.tail, TAILS.len())), ..sentence },
    };
    Sentence { base, ..sentence }
}

/// Rewrites a section of `draft`: other words in some sentences, another order. At least one sentence that may be changed is. Half of the
/// words of `origin` are kept, so that it stays the same section to any reader. False where nothing could be changed.
pub fn rewrite(
    draft: &mut Draft,
    at: usize,
    origin: &str,
    may: impl Fn(&Sentence) -> bool,
    case: &Case,
    rates: &Rates,
    dice: Dice,
) -> bool {
    const KEPT_MIN: f64 = 0.55;
    let Some(section) = draft.0.get(at).cloned() else { return false };
    let open: Vec<usize> = (0..section.len()).filter(|i| may(&section[*i])).collect();
    let Some(forced) = open.get(dice.pick("forced", at, open.len())).copied() else { return false };
    let mut made = section;
    for i in open {
        if i == forced || dice.chance("rewords", made[i].id, rates.rewords) {
            let old = made[i];
            made[i] = reworded(old, rates.rewords > 0.0, dice);
            if i != forced && kept_words(origin, &joined(&made, case)) < KEPT_MIN {
                made[i] = old;
            }
        }
    }
    // Courtesy keeps its place: thanks come first and offers last.
    let from = usize::from(made.first().is_some_and(|s| !s.is_statement()));
    let to = made.len() - usize::from(made.len() > from && made.last().is_some_and(|s| !s.is_statement()));
    if to > from + 1 && dice.chance("moves", at, rates.rewords) {
        dice.shuffle("new order", &mut made[from..to]);
    }
    draft.0[at] = made;
    true
}

fn reworded(sentence: Sentence, freely: bool, dice: Dice) -> Sentence {
    let plain = match sentence.lead {
        Some(Lead::Hedge(_)) => false,
        _ => freely && sentence.is_statement() && dice.chance("lead or tail", sentence.id, 0.5),
    };
    match sentence.lead {
        Some(Lead::Plain(_)) if plain => Sentence { lead: None, ..sentence },
        _ if plain => Sentence { lead: Some(Lead::Plain(dice.pick("new lead", sentence.id, LEADS.len()))), ..sentence },
        _ if freely && sentence.tail.is_some() && dice.chance("drops the tail", sentence.id, 0.5) => Sentence { tail: None, ..sentence },
        _ => nudge(sentence, dice),
    }
}
