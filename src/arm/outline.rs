//! What of a spec the measurements need, where the loop itself is not run: the spec that a ledger or a table carries, ours or another harness's.

use serde::Deserialize;
use serde_json::Value;

use super::file::{BoundsFile, GuardsFile};
use super::{Matching, PASSES_MAX};
use crate::error::describe;
use crate::text::section::SectionRule;

/// Keys that are missing have the defaults of loop.toml; what else a spec holds is passed over.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outline {
    pub sections: SectionRule,
    /// Percent by which a draft may outgrow the original.
    pub growth: u32,
    /// 0 where the spec is no loop of ours and names no bound.
    pub max_passes: u32,
    pub matching: Matching,
}

impl Outline {
    pub fn of(spec: &Value) -> Result<Outline, String> {
        #[derive(Deserialize)]
        struct Keys {
            version: Option<serde::de::IgnoredAny>,
            #[serde(default)]
            sections: SectionRule,
            #[serde(default)]
            guards: Guards,
            bounds: Option<Bounds>,
            #[serde(default, rename = "match")]
            matching: Matching,
        }
        #[derive(Deserialize, Default)]
        struct Guards {
            growth: Option<u32>,
        }
        #[derive(Deserialize)]
        struct Bounds {
            max_passes: Option<u32>,
        }
        let keys: Keys = serde_path_to_error::deserialize(spec).map_err(|e| describe(&e.path().to_string(), &e.inner().to_string()))?;
        let default = if keys.version.is_some() { BoundsFile::default().max_passes } else { 0 };
        let max_passes = keys.bounds.and_then(|bounds| bounds.max_passes).unwrap_or(default);
        if max_passes > PASSES_MAX {
            return Err(format!("bounds.max_passes: {max_passes} is more than {PASSES_MAX}"));
        }
        Ok(Outline {
            sections: keys.sections,
            growth: keys.guards.growth.unwrap_or(GuardsFile::default().growth),
            max_passes,
            matching: keys.matching,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_spec_of_any_harness_gives_what_it_says_and_defaults_else() {
        let of = |spec: Value| Outline::of(&spec).map(|o| (o.sections, o.growth, o.max_passes, o.matching));
        use {Matching as M, SectionRule as S};
        for (spec, want) in [
            (json!({}), Ok((S::Auto, 15, 0, M::Key))),
            (json!({"version": 1, "other": [1]}), Ok((S::Auto, 15, 3, M::Key))),
            (
                json!({"sections": "line", "guards": {"growth": 40}, "bounds": {"max_passes": 7}, "match": "slot"}),
                Ok((S::Line, 40, 7, M::Slot)),
            ),
            (json!({"sections": "lines"}), Err("sections: `lines` is not known; did you mean `line`?")),
            (json!({"bounds": {"max_passes": 1e9 as u64}}), Err("bounds.max_passes: 1000000000 is more than 1000")),
            (json!("loop"), Err("invalid type")),
        ] {
            match (of(spec.clone()), want) {
                (Ok(got), Ok(want)) => assert_eq!(got, want, "{spec}"),
                (Err(got), Err(want)) => assert!(got.starts_with(want), "{got}"),
                (got, want) => panic!("{spec}: {got:?}, not {want:?}"),
            }
        }
    }
}
