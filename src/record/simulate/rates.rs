//! The named rates of a simulation: every fault that writer, critic and reviser can have, with what each preset says of it.

use crate::error::{Error, hint, unknown};

/// All rates of one simulation. Probabilities, but for `complaints`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Rates {
    pub writes_wrong: f64,
    pub writes_flawed: f64,
    pub approves: f64,
    pub unreadable: f64,
    pub complaints: f64,
    pub notices: f64,
    pub spurious_finding: f64,
    pub insists: f64,
    pub reopens: f64,
    pub paraphrases_quote: f64,
    pub paraphrase_normalised: f64,
    pub paraphrase_fuzzy: f64,
    pub unknown_severity: f64,
    pub rejects: f64,
    pub not_found: f64,
    pub applies_nothing: f64,
    pub spins: f64,
    pub reaches_unmentioned: f64,
    pub ignores_locality: f64,
    pub breaks_fact: f64,
    pub rewords: f64,
}

/// One rate, as people are told of it.
pub struct Rate {
    pub name: &'static str,
    pub about: &'static str,
    /// The largest value that makes sense; the smallest is 0.
    pub max: f64,
    /// Preset `published`, for a prose critic and for a critic with findings.
    pub published: [f64; 2],
    field: fn(&mut Rates) -> &mut f64,
}

const fn rate(name: &'static str, published: [f64; 2], field: fn(&mut Rates) -> &mut f64, about: &'static str) -> Rate {
    Rate { name, about, max: 1.0, published, field }
}

/// Every rate, in the order of the loop.
pub const ALL: [Rate; 21] = [
    rate("writes_wrong", [0.12, 0.12], |r| &mut r.writes_wrong, "writer: a fact is stated wrongly in the first draft"),
    rate("writes_flawed", [0.40, 0.40], |r| &mut r.writes_flawed, "writer: a sentence of the first draft is hedged, wordy or rude"),
    rate("approves", [0.08, 0.05], |r| &mut r.approves, "critic: a pass is approved whatever is left to find"),
    rate("unreadable", [0.0, 0.01], |r| &mut r.unreadable, "critic: the reply is cut by the token limit and cannot be read"),
    Rate { max: 6.0, ..rate("complaints", [2.8, 3.65], |r| &mut r.complaints, "critic: mean number of complaints of a critique (0 to 6)") },
    rate("notices", [0.80, 0.80], |r| &mut r.notices, "critic: a flaw of the draft is noticed in a pass"),
    rate(
        "spurious_finding",
        [0.90, 0.93],
        |r| &mut r.spurious_finding,
        "critic: a place in the critique left by true flaws is filled with a complaint about a flawless sentence",
    ),
    rate("insists", [0.60, 0.60], |r| &mut r.insists, "critic: a complaint that was not applied is raised again"),
    rate("reopens", [0.04, 0.04], |r| &mut r.reopens, "critic: a complaint that was resolved in an earlier pass is raised again"),
    rate("paraphrases_quote", [0.0, 0.07], |r| &mut r.paraphrases_quote, "critic: a quotation is not verbatim"),
    rate(
        "paraphrase_normalised",
        [0.30, 0.30],
        |r| &mut r.paraphrase_normalised,
        "critic: of those, in typography only (quotation marks, line break, no-break space, trailing dots)",
    ),
    rate(
        "paraphrase_fuzzy",
        [0.30, 0.30],
        |r| &mut r.paraphrase_fuzzy,
        "critic: of those, by a slip of the pen; the rest is beyond recognition, elided or states other digits",
    ),
    rate("unknown_severity", [0.0, 0.005], |r| &mut r.unknown_severity, "critic: a finding has a severity that the loop does not declare"),
    rate("rejects", [0.10, 0.06], |r| &mut r.rejects, "reviser: a complaint is refused (status rejected)"),
    rate("not_found", [0.0, 0.02], |r| &mut r.not_found, "reviser: a quotation is not found although it is there (status not_found)"),
    rate("applies_nothing", [0.0, 0.01], |r| &mut r.applies_nothing, "reviser: the status says applied and the draft is as before"),
    rate(
        "spins",
        [0.20, 0.365],
        |r| &mut r.spins,
        "reviser: a complaint is answered with a change that does not settle it, and is raised again",
    ),
    rate(
        "reaches_unmentioned",
        [0.61, 0.262],
        |r| &mut r.reaches_unmentioned,
        "reviser: a pass's revision changes a section that the critique never mentioned",
    ),
    rate(
        "ignores_locality",
        [0.95, 0.001],
        |r| &mut r.ignores_locality,
        "reviser: a call changes a mentioned section outside the quoted words (prose: rewrites it)",
    ),
    rate("breaks_fact", [0.105, 0.026], |r| &mut r.breaks_fact, "reviser: a run makes a true and required fact wrong"),
    rate(
        "rewords",
        [0.95, 0.0],
        |r| &mut r.rewords,
        "reviser: a sentence of a section that is rewritten gets other words (0: the least change)",
    ),
];

/// Names of the presets with what they stand for.
pub const PRESETS: [(&str, &str); 2] = [
    ("published", "rates as reported for such loops, one set for prose and one for findings"),
    ("faultless", "every rate 0: nobody makes a mistake, and there is nothing to complain about"),
];

impl Rates {
    /// A preset for a critic with or without findings, then changed name by name.
    pub fn new(preset: &str, findings: bool, changes: &[(String, f64)]) -> Result<Rates, Error> {
        let mut rates = Rates::default();
        match preset {
            "published" => ALL.iter().for_each(|rate| *(rate.field)(&mut rates) = rate.published[usize::from(findings)]),
            "faultless" => {}
            other => {
                return Err(Error::new(format!("--preset: {}", unknown(other, &PRESETS.map(|(name, _)| name)))));
            }
        }
        for (name, value) in changes {
            let known = ALL.map(|rate| rate.name);
            let rate = ALL.iter().find(|rate| rate.name == name).ok_or_else(|| {
                Error::new(format!("--rate: `{name}` is not known{}; see redraft simulate --list-rates", hint(name, &known)))
            })?;
            if !(0.0..=rate.max).contains(value) {
                return Err(Error::new(format!("--rate {name}: {value} is not between 0 and {}", rate.max)));
            }
            *(rate.field)(&mut rates) = *value;
        }
        if findings && rates.rewords > 0.0 {
            return Err(Error::new("--rate rewords: only the reviser of a prose critique rewrites freely; expected 0 for findings"));
        }
        Ok(rates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_fill_every_field_and_changes_are_checked() {
        let published = Rates::new("published", true, &[]).unwrap();
        assert_eq!((published.reaches_unmentioned, published.paraphrases_quote), (0.262, 0.07));
        assert_eq!(Rates::new("faultless", false, &[]).unwrap(), Rates::default());
        for (name, value, want) in [
            ("rejects", 0.5, Ok(0.5)),
            ("rejcts", 0.5, Err("--rate: `rejcts` is not known; did you mean `rejects`?; see redraft simulate --list-rates")),
            ("rejects", 1.5, Err("--rate rejects: 1.5 is not between 0 and 1")),
            ("rejects", f64::NAN, Err("--rate rejects: NaN is not between 0 and 1")),
        ] {
            let got = Rates::new("published", true, &[(name.to_owned(), value)]).map(|r| r.rejects).map_err(|e| e.to_string());
            assert_eq!(got, want.map_err(str::to_owned));
        }
        // Two rates that share a field would silently be one.
        for rate in &ALL {
            let mut rates = Rates::default();
            *(rate.field)(&mut rates) = 1.0;
            let set = ALL.iter().filter(|other| *(other.field)(&mut rates) == 1.0).count();
            assert_eq!(set, 1, "{}", rate.name);
        }
    }
}
