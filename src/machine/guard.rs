//! Guards: is a revision local to what was complained about, and does it keep to the length cap. Enforced, they reject it.

use crate::arm::Spec;
use crate::model::{Edit, Guard, Guards, Rejection};
use crate::text::locality;

/// Judges one proposal. `original` is the writer's draft: the cap names it, so it cannot compound over passes.
pub fn judge(spec: &Spec, edit: &Edit, original: &str) -> Guards {
    // A text that the reviser does not offer is not judged.
    let Some(proposed) = edit.proposed.as_ref().filter(|_| !edit.is_refused()) else {
        return Guards::default();
    };
    // Prose gives no findings, so there is no scope to keep to and the check did not run: None, not true.
    let applies = spec.locality != Guard::Off && !edit.findings.is_empty();
    let local = applies.then(|| locality::is_local(&edit.before, &edit.scope, proposed));
    let within_cap = (spec.length != Guard::Off).then(|| locality::within_cap(original, proposed, spec.growth));
    let rejected = if spec.locality == Guard::Enforce && local == Some(false) {
        Some(Rejection::Locality)
    } else if spec.length == Guard::Enforce && within_cap == Some(false) {
        Some(Rejection::Length)
    } else {
        None
    };
    Guards { local, within_cap, rejected }
}
