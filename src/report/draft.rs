//! Drafts written out as files, and where in them the findings stand: what reports about places in files share.

use std::collections::BTreeMap;

use super::shown::short;
use super::{ArmDetails, Files};
use crate::detail::{Detail, FindingDetail, PassDetail};
use crate::metric::fate;
use crate::model::Span;

/// One draft as a file. A pass that kept the draft before it has none of its own.
pub struct DraftFile<'a> {
    /// Below the report folder, with `/`. Letters, digits, `.`, `_` and `-` alone, so it is its own form in a URI.
    pub path: String,
    pub text: &'a str,
}

/// A place in a draft. Lines and columns count from 1, offsets from 0; columns and offsets in UTF-16 code units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    pub start_line: usize,
    pub start_column: usize,
    pub end_line: usize,
    /// Of what follows the last character.
    pub end_column: usize,
    pub offset: usize,
    pub length: usize,
}

/// A finding with its draft.
pub struct Located<'a> {
    pub run: &'a Detail,
    pub pass: u32,
    pub finding: &'a FindingDetail,
    /// Place in the arm's files of the draft that was criticised; None where no draft is there.
    pub file: Option<usize>,
    /// Every place the quotation stands at, in text order. None for a dropped finding.
    pub regions: Vec<(Region, &'a str)>,
    /// The same from report to report while ticket, pass, label and quotation are; no other finding of the arm has it.
    pub fingerprint: String,
}

/// One arm's drafts and findings, in the order of runs, passes and the critic's list.
pub struct ArmDrafts<'a> {
    pub arm: &'a str,
    pub files: Vec<DraftFile<'a>>,
    pub findings: Vec<Located<'a>>,
}

/// Every run that a report shows whole.
pub fn arms(details: &[ArmDetails]) -> Vec<ArmDrafts<'_>> {
    let mut folders = Names::default();
    details.iter().map(|details| arm(&details.arm, &details.runs, &format!("drafts/{}", folders.name(&details.arm)))).collect()
}

/// The drafts as files, for every form that points to them.
pub fn files(arms: &[ArmDrafts<'_>]) -> Files {
    arms.iter().flat_map(|arm| &arm.files).map(|file| (file.path.clone(), file.text.as_bytes().to_vec())).collect()
}

fn arm<'a>(name: &'a str, runs: &'a [Detail], folder: &str) -> ArmDrafts<'a> {
    let mut out = ArmDrafts { arm: name, files: vec![], findings: vec![] };
    let mut tickets = Names::default();
    let mut prints = Fingerprints::default();
    for run in runs {
        let folder = format!("{folder}/{}", tickets.name(&run.ticket));
        let sample = if run.sample > 0 { format!("sample{}-", run.sample) } else { String::new() };
        let mut incoming: Option<Incoming<'a>> = None;
        for pass in &run.passes {
            for finding in findings(pass) {
                let regions = incoming.as_ref().map_or(vec![], |draft| draft.regions(&finding.spans));
                let file = incoming.as_ref().map(|draft| draft.file);
                let fingerprint = prints.of(run, pass.pass, finding);
                out.findings.push(Located { run, pass: pass.pass, finding, file, regions, fingerprint });
            }
            if let Some(draft) = pass.draft.as_ref().filter(|draft| !draft.kept) {
                incoming = Some(Incoming::new(&draft.text, out.files.len()));
                out.files.push(DraftFile { path: format!("{folder}/{sample}pass{}.md", pass.pass), text: &draft.text });
            }
        }
    }
    out
}

fn findings(pass: &PassDetail) -> impl Iterator<Item = &FindingDetail> {
    pass.critique.iter().flat_map(|critique| critique.findings.iter().flatten())
}

/// A draft with its lines, so that places in it are found quickly.
struct Incoming<'a> {
    text: &'a str,
    file: usize,
    /// Where each line starts: byte and UTF-16 code unit. LF ends a line, alone or after CR; SARIF's default.
    lines: Vec<(usize, usize)>,
}

impl<'a> Incoming<'a> {
    fn new(text: &'a str, file: usize) -> Incoming<'a> {
        let mut lines = vec![(0, 0)];
        let mut units = 0;
        for (at, line) in text.split_inclusive('\n').scan(0, |at, line| {
            *at += line.len();
            Some((*at, line))
        }) {
            units += utf16(line);
            if line.ends_with('\n') {
                lines.push((at, units));
            }
        }
        Incoming { text, file, lines }
    }

    /// A span that does not fit the text has no place.
    fn regions(&self, spans: &[Span]) -> Vec<(Region, &'a str)> {
        let one = |span: &Span| {
            let text = span.of(self.text)?;
            let (start_line, start_column, offset) = self.position(span.start)?;
            let (end_line, end_column, end) = self.position(span.end)?;
            Some((Region { start_line, start_column, end_line, end_column, offset, length: end - offset }, text))
        };
        spans.iter().filter_map(one).collect()
    }

    /// Line, column, offset of a byte.
    fn position(&self, byte: usize) -> Option<(usize, usize, usize)> {
        let line = self.lines.partition_point(|(start, _)| *start <= byte);
        let (start, units) = *self.lines.get(line.checked_sub(1)?)?;
        let inside = utf16(self.text.get(start..byte)?);
        Some((line, inside + 1, units + inside))
    }
}

fn utf16(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() }
}

/// File names for names of others: safe on every system, each once, and the same for the same names in the same order.
#[derive(Default)]
struct Names {
    /// Lower case, since some file systems do not tell cases apart; with what it stands for.
    taken: BTreeMap<String, String>,
}

impl Names {
    fn name(&mut self, of: &str) -> String {
        let (safe, is_same) = safe(of);
        let hash = blake3::hash(of.as_bytes()).to_hex();
        let with_hash = |digits: usize| format!("{safe}-{}", &hash[..digits]);
        let candidates = is_same.then(|| safe.clone()).into_iter().chain([8, 16, 64].map(with_hash));
        for candidate in candidates {
            let holder = self.taken.entry(candidate.to_lowercase()).or_insert_with(|| of.to_owned());
            if holder == of {
                return candidate;
            }
        }
        // Only a name that holds another's whole hash comes here.
        format!("{safe}-{hash}-{}", self.taken.len())
    }
}

/// A name without anything that a path, a URI or a system could trip over, and whether it is still what it was.
fn safe(name: &str) -> (String, bool) {
    const BYTES_MAX: usize = 64;
    const RESERVED: [&str; 4] = ["con", "prn", "aux", "nul"];
    let kept = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' };
    let mut safe: String = name.chars().take(BYTES_MAX).map(kept).collect();
    let stem = safe.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let is_device = |stem: &str| {
        RESERVED.contains(&stem)
            || (stem.len() == 4 && (stem.starts_with("com") || stem.starts_with("lpt")) && stem.ends_with(|c: char| c.is_ascii_digit()))
    };
    if safe.is_empty() || safe.starts_with(['.', '-']) || safe.ends_with('.') || is_device(&stem) {
        safe = format!("_{}", safe.trim_end_matches('.'));
    }
    let is_same = safe == name;
    (safe, is_same)
}

/// Fingerprints of one arm's findings, each once.
#[derive(Default)]
struct Fingerprints {
    seen: BTreeMap<String, usize>,
}

impl Fingerprints {
    /// Nothing that moves when a draft changes elsewhere is in it. The same complaint said twice is told apart by its number.
    fn of(&mut self, run: &Detail, pass: u32, finding: &FindingDetail) -> String {
        let mut hasher = blake3::Hasher::new();
        let (sample, pass) = (run.sample.to_string(), pass.to_string());
        let label = fate::label(&finding.label);
        for part in [&run.ticket, &sample, &pass, &label, finding.quote.as_ref().unwrap_or(&String::new())] {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        let print = hasher.finalize().to_hex()[..32].to_owned();
        let count = self.seen.entry(print.clone()).or_default();
        *count += 1;
        format!("{print}:{count}")
    }
}

/// What a finding says, in one paragraph: label, severity, and the critic's own words.
pub fn message(finding: &FindingDetail) -> String {
    const WORDS_CHARS_MAX: usize = 1000;
    let named = |text: &str, none: &str| if text.trim().is_empty() { none.to_owned() } else { short(text, 100).into_owned() };
    let mut out = format!("{} ({})", named(&finding.label, "no label"), named(&finding.severity, "no severity"));
    for (field, text) in &finding.said {
        let opening = if field == "fix" { " Fix: " } else { " " };
        let end = if out.ends_with(['.', '!', '?']) { "" } else { "." };
        let end = if out.ends_with(')') { ":" } else { end };
        out = out + end + opening + &short(text, WORDS_CHARS_MAX);
    }
    if let Some(drop) = finding.drop {
        out += &format!(" [not located: {}]", drop.reason.name());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::testing::{HOSTILE, parts};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn file_names_are_safe_and_each_once() {
        let mut names = Names::default();
        for (name, want) in [
            ("pay-0001", "pay-0001"),
            ("PAY-0001", "PAY-0001-8f1e9a5b"),
            ("pay-0001", "pay-0001"),
            ("../../etc/passwd", "_.._.._etc_passwd-"),
            ("a/b", "a_b-"),
            ("a_b", "a_b"),
            ("", "_-"),
            (".", "_-"),
            ("nul", "_nul-"),
            ("com1.txt", "_com1.txt-"),
            ("-rf", "_-rf-"),
            ("end.", "_end-"),
            ("退款", "__-"),
        ] {
            let got = names.name(name);
            let hashed = want.ends_with('-') || want.starts_with("PAY");
            assert!(
                if hashed { got.starts_with(want.trim_end_matches("8f1e9a5b")) && got.len() > 8 } else { got == want },
                "{name}: {got}"
            );
        }
    }

    #[test]
    fn regions_point_at_the_quotation() {
        let text = "é👍🏽x\r\nA soon.\n\nB fee.";
        let draft = Incoming::new(text, 0);
        for (quote, want) in [
            ("x", (1, 6, 1, 7, 5, 1)),
            ("A soon.", (2, 1, 2, 8, 8, 7)),
            ("soon.\n\nB", (2, 3, 4, 2, 10, 8)),
            ("\n", (1, 8, 2, 1, 7, 1)),
            ("fee.", (4, 3, 4, 7, 19, 4)),
        ] {
            let at = text.find(quote).unwrap();
            let (r, shown) = draft.regions(&[Span::new(at, at + quote.len())])[0];
            assert_eq!((r.start_line, r.start_column, r.end_line, r.end_column, r.offset, r.length), want, "{quote:?}");
            assert_eq!(shown, quote);
        }
        // Off the end, and inside a character.
        assert!(draft.regions(&[Span::new(0, 400), Span::new(1, 2)]).is_empty());
    }

    #[test]
    fn findings_stand_in_the_draft_that_was_criticised() {
        let parts = parts("");
        let arms = arms(&parts.details);
        let paths: Vec<&str> = arms.iter().flat_map(|arm| &arm.files).map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["drafts/base/t0/pass0.md", "drafts/base/t0/pass1.md", "drafts/cand/t0/pass0.md", "drafts/cand/t0/pass1.md"]);
        for found in &arms[1].findings {
            assert_eq!((found.pass, found.file), (1, Some(0)));
            assert!(found.regions.iter().all(|(_, text)| Some(*text) == found.finding.quote.as_deref()));
        }
        let places: Vec<usize> = arms[1].findings.iter().map(|found| found.regions.len()).collect();
        assert_eq!(places, [1, 2, 0, 1]);
        assert_eq!(message(arms[1].findings[2].finding), "tone (major) [not located: not_found]");
        // The arm is no part of it: the same complaint of another arm is the same.
        let prints = |arm: usize| arms[arm].findings.iter().map(|f| f.fingerprint.as_str()).collect::<Vec<_>>();
        assert_eq!(prints(0), prints(1));
    }

    #[test]
    fn the_same_complaint_twice_has_two_fingerprints() {
        let mut parts = parts("");
        let findings = parts.details[0].runs[0].passes[1].critique.as_mut().unwrap().findings.as_mut().unwrap();
        findings.push(findings[0].clone());
        let arms = arms(&parts.details);
        let prints: Vec<&str> = arms[0].findings.iter().map(|f| f.fingerprint.as_str()).collect();
        assert_eq!(prints[0].split_once(':').unwrap().0, prints[4].split_once(':').unwrap().0);
        assert!(prints[0].ends_with(":1") && prints[4].ends_with(":2"));
    }

    #[test]
    fn names_of_others_stay_below_the_folder() {
        for text in HOSTILE {
            let parts = parts(text);
            for file in arms(&parts.details).iter().flat_map(|arm| &arm.files) {
                let pieces: Vec<&str> = file.path.split('/').collect();
                assert_eq!((pieces.len(), pieces[0]), (4, "drafts"), "{}", file.path);
                assert!(pieces.iter().all(|p| !p.is_empty() && !p.starts_with('.') && p.len() < 90), "{}", file.path);
                assert!(file.path.chars().all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c)), "{}", file.path);
            }
        }
    }

    proptest! {
        #[test]
        fn no_two_names_share_a_file(names in prop::collection::vec("[aA._\\-/]{0,4}|[aA]-[0-9a-f]{8}", 0..20)) {
            let mut files = Names::default();
            let mut seen: BTreeMap<String, &String> = BTreeMap::new();
            for name in &names {
                let file = files.name(name).to_lowercase();
                let first = seen.entry(file).or_insert(name);
                prop_assert_eq!(*first, name);
            }
        }

        #[test]
        fn offsets_agree_with_lines_and_columns(text in "[aé👍\r\n]{0,20}", from in 0usize..40, len in 0usize..20) {
            let (start, end) = (text.floor_char_boundary(from), text.floor_char_boundary(from + len));
            let draft = Incoming::new(&text, 0);
            let (region, _) = draft.regions(&[Span::new(start, end)])[0];
            let units: Vec<u16> = text.encode_utf16().collect();
            let quoted: Vec<u16> = text[start..end].encode_utf16().collect();
            prop_assert_eq!(&units[region.offset..region.offset + region.length], &quoted[..]);
            let lines: Vec<Vec<u16>> = text.split('\n').map(|line| line.encode_utf16().collect()).collect();
            let before: usize = lines[..region.start_line - 1].iter().map(|line| line.len() + 1).sum();
            prop_assert_eq!(before + region.start_column - 1, region.offset);
            let before: usize = lines[..region.end_line - 1].iter().map(|line| line.len() + 1).sum();
            prop_assert_eq!(before + region.end_column - 1, region.offset + region.length);
        }
    }
}
