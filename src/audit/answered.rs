//! Which model says that it answered.

use super::case::Case;
use super::{Facts, Found, Page, Rule, Severity};

pub struct AnsweringModel;
pub struct DatedAlias;

/// True where `answered` is `asked` with the date of a release, or a version, behind it.
fn is_dated(asked: &str, answered: &str) -> bool {
    let Some(rest) = answered.strip_prefix(asked) else { return false };
    let rest = rest.strip_prefix(['-', '@', ':', '_']).unwrap_or("");
    rest.bytes().filter(u8::is_ascii_digit).count() >= 3 && rest.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'-' | b'.' | b'v'))
}

/// A name without what servers put around it: `models/m`, `provider/m`, `m:latest`.
fn bare(name: &str) -> &str {
    let name = name.rsplit('/').next().unwrap_or(name);
    name.strip_suffix(":latest").unwrap_or(name)
}

fn each(case: &Case<'_>, found: &mut Found, is_of: impl Fn(&str, &str) -> bool) {
    for call in &case.calls {
        let asked = call.asked.as_ref().ok().and_then(|asked| asked.model.as_deref());
        let answered = call.reply.as_ref().and_then(|reply| reply.model.as_deref());
        let (Some(asked), Some(answered)) = (asked, answered) else { continue };
        found.judged += 1;
        let (a, b) = (bare(asked), bare(answered));
        if a != b && is_of(a, b) {
            let group = format!("{} {asked}", call.slot.role.name());
            found.add(case, call, group, format!("asked `{asked}`, and `{answered}` says that it answered"));
        }
    }
}

impl Rule for AnsweringModel {
    fn page(&self) -> &'static Page {
        &Page {
            code: "RD504",
            name: "answering-model",
            severity: Severity::Warning,
            what: "The model that says it answered is not the one that was asked (an alias with the date of a release behind it is RD505), or one alias was answered by two releases within the arm.",
            why: "A gateway that falls back to another model, or an alias that moved while the arm was recorded, makes two arms of one.",
            fix: "Ask the dated name, switch fallbacks off, and record the calls again that another model answered.",
            example: "asked `m-large`, answered by `m-small`",
        }
    }

    fn case(&self, case: &Case<'_>, found: &mut Found) {
        each(case, found, |a, b| !is_dated(a, b));
    }

    fn arm(&self, facts: &Facts, found: &mut Found) {
        for ((role, field), values) in &facts.values {
            let Some(asked) = field.strip_prefix("answered ") else { continue };
            let dated: Vec<_> = values.iter().filter(|(value, _)| is_dated(bare(asked), bare(value))).collect();
            if dated.len() > 1 {
                let names: Vec<String> = dated.iter().map(|(value, seen)| format!("`{value}` ({} calls)", seen.count)).collect();
                let what = format!("`{asked}` was answered by {} releases: {}", dated.len(), names.join(", "));
                found.push(dated[1].1.finding(format!("{} {asked}", role.name()), what));
            }
        }
    }
}

impl Rule for DatedAlias {
    fn page(&self) -> &'static Page {
        &Page {
            code: "RD505",
            name: "dated-alias",
            severity: Severity::Note,
            what: "An alias was asked, and a release of it with a date answered.",
            why: "Recorded again next month, the same loop may ask another release.",
            fix: "Write the dated name into loop.toml where the arm will be extended.",
            example: "asked `gpt-5`, answered by `gpt-5-2025-08-07`",
        }
    }

    fn case(&self, case: &Case<'_>, found: &mut Found) {
        each(case, found, is_dated);
    }
}

/// Notes which model answered which name.
pub(super) fn note(case: &Case<'_>, facts: &mut Facts) {
    for call in &case.calls {
        let asked = call.asked.as_ref().ok().and_then(|asked| asked.model.as_deref());
        if let (Some(asked), Some(answered)) = (asked, call.reply.as_ref().and_then(|reply| reply.model.as_deref())) {
            facts.note(case, call, &format!("answered {asked}"), answered.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_makes_a_release_of_an_alias() {
        for (asked, answered, want) in [
            ("gpt-5", "gpt-5-2025-08-07", true),
            ("claude-sonnet-4-5", "claude-sonnet-4-5-20250929", true),
            ("gemini-2.0-flash", "gemini-2.0-flash-001", true),
            ("gpt-5", "gpt-5-mini", false),
            ("gpt-5", "gpt-5-mini-2025-08-07", false),
            ("gpt-4", "gpt-41", false),
            ("a", "b-2025-08-07", false),
        ] {
            assert_eq!(is_dated(asked, answered), want, "{asked} {answered}");
        }
        assert_eq!((bare("models/m"), bare("m:latest")), ("m", "m"));
    }
}
