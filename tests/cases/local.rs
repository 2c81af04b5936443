//! Cases of the locality check, the length cap and the count of changed characters.

use redraft::model::Span;
use redraft::text::anchor::Haystack;
use redraft::text::diff;
use redraft::text::locality::{is_local, merge, within_cap};
use redraft::text::section::{SectionRule, edits, sections};
use serde_json::{Value, json};

use crate::place::THRESHOLD;
use crate::sheet::{Case, Sheet};

/// The default of `guards.growth`.
const GROWTH: u32 = 15;

/// Drafts, findings about them, and revisions in files of their own.
pub fn revisions(case: &Case, sheet: &mut Sheet) {
    let listed = if case.has("findings.json") { case.json("findings.json") } else { json!([case.json("finding.json")]) };
    let listed = listed.get("findings").cloned().unwrap_or(listed);
    let quotes: Vec<String> =
        listed.as_array().into_iter().flatten().map(|f| f["location"].as_str().unwrap_or_default().to_owned()).collect();
    let spans = |draft: &str| -> Vec<Vec<Span>> {
        let haystack = Haystack::new(draft);
        quotes.iter().map(|quote| haystack.find(quote, THRESHOLD).map_or(vec![], |anchor| anchor.spans)).collect()
    };
    sheet.each("", &Value::Object(case.expect.clone()), |sheet, field, name, want| {
        if name == "span" || name == "spans" {
            let draft = case.text("draft.txt");
            let first: Vec<Value> = spans(&draft).iter().map(|s| s.first().map_or(Value::Null, |span| both(&draft, *span))).collect();
            sheet.eq(field, want, if name == "span" { first.into_iter().next().unwrap_or_default() } else { json!(first) });
            return true;
        }
        let Some((file, chosen)) = revision_file(case, name) else { return false };
        let numbered = format!("draft{}", file.strip_prefix("revision").unwrap_or_default());
        let draft = case.text(if case.has(&numbered) { &numbered } else { "draft.txt" });
        let after = case.text(&file);
        let given = spans(&draft).into_iter().enumerate().filter(|(i, _)| chosen.as_ref().is_none_or(|chosen| chosen.contains(&(i + 1))));
        let scope = merge(given.flat_map(|(_, spans)| spans).collect());
        sheet.each(&field, want, |sheet, field, name, want| one(sheet, field, name, want, &draft, &scope, &after));
        true
    });
}

/// `ok.txt`, `revision_1`, or `revision_4 (findings 1,3: overlapping)`: the file and the numbers of the findings, where they are named.
fn revision_file(case: &Case, name: &str) -> Option<(String, Option<Vec<usize>>)> {
    let (head, rest) = name.split_once(" (").unwrap_or((name, ""));
    let file = [head.to_owned(), format!("{head}.txt")].into_iter().find(|file| case.has(file))?;
    let Some(list) = rest.strip_prefix("findings ") else { return rest.is_empty().then_some((file, None)) };
    let list = list.split([':', ')']).next()?;
    let numbers = list.split(',').map(|n| n.trim().parse().ok()).collect::<Option<Vec<usize>>>()?;
    Some((file, Some(numbers)))
}

fn one(sheet: &mut Sheet, field: String, name: &str, want: &Value, draft: &str, scope: &[Span], after: &str) -> bool {
    let changed = diff::changed(draft, after);
    match name {
        "accepted" => sheet.eq(field, want, is_local(draft, scope, after)),
        "chars_deleted" => sheet.eq(field, want, changed.deleted),
        "chars_inserted" => sheet.eq(field, want, changed.inserted),
        "untouched_paragraphs_edited" => sheet.eq(field, want, json!(untouched(draft, scope, after))),
        "merged_span" => sheet.eq(field, want, scope.first().filter(|_| scope.len() == 1).map_or(Value::Null, |span| both(draft, *span))),
        _ => return false,
    }
    true
}

/// Paragraphs of the draft that meet no span and are not the same in the revision, in order.
fn untouched(draft: &str, scope: &[Span], after: &str) -> Vec<usize> {
    let paragraphs = sections(draft, SectionRule::Paragraph);
    let edits = edits(draft, after, SectionRule::Paragraph);
    let never = |index: &usize| !scope.iter().any(|span| span.overlaps(paragraphs[*index]));
    let mut all: Vec<usize> = [edits.edited, edits.whitespace_only, edits.removed].concat().into_iter().filter(never).collect();
    all.sort_unstable();
    all
}

fn both(text: &str, span: Span) -> Value {
    let count = |at: usize| text[..at].chars().count();
    json!({"char": [count(span.start), count(span.end)], "byte": span})
}

/// A draft, later drafts, and a cap that names the original.
pub fn length_cap(case: &Case, sheet: &mut Sheet) {
    let original = case.text("original.txt");
    sheet.each("", &Value::Object(case.expect.clone()), |sheet, field, name, want| {
        match name {
            "original_chars" => sheet.eq(field, want, original.chars().count()),
            "original_bytes" => sheet.eq(field, want, original.len()),
            "cap_chars" => {
                // The largest text that the cap lets pass: found by asking it.
                let fits = |chars: usize| within_cap(&original, &"x".repeat(chars), GROWTH);
                sheet.eq(field, want, (0..=2 * original.chars().count() + 1).rev().find(|chars| fits(*chars)));
            }
            "bytes" => sheet.each(&field, want, |sheet, field, name, want| {
                let file = format!("{name}.txt");
                case.has(&file) && {
                    sheet.eq(field, want, case.bytes(&file).len());
                    true
                }
            }),
            _ => {
                // What the incoming draft was does not matter: the cap names the original.
                let file = format!("{}.txt", name.split_once(" (").map_or(name, |(head, _)| head));
                if !case.has(&file) {
                    return false;
                }
                sheet.eq(field, want, if within_cap(&original, &case.text(&file), GROWTH) { "within cap" } else { "over cap" });
            }
        }
        true
    });
}

/// Pairs of texts, `old.txt` and `new.txt` or with a name before them.
pub fn pairs(case: &Case, sheet: &mut Sheet) {
    let pair = |name: &str| -> Option<(String, String)> {
        let files = if name == "old/new" {
            ["old.txt".to_owned(), "new.txt".to_owned()]
        } else {
            ["old", "new"].map(|end| format!("{name}_{end}.txt"))
        };
        files.iter().all(|file| case.has(file)).then(|| (case.text(&files[0]), case.text(&files[1])))
    };
    sheet.each("", &Value::Object(case.expect.clone()), |sheet, field, name, want| {
        if name == "same for" {
            let all: Vec<(String, String)> = case.expect.keys().filter_map(|name| pair(name)).collect();
            let count = |_| all.iter().map(|(old, new)| diff::changed(old, new)).collect::<Vec<_>>();
            let once = count(0);
            // Eight threads on fewer cores are a loaded machine.
            let each = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..8).map(|n| scope.spawn(move || count(n))).collect::<Vec<_>>();
                threads.into_iter().all(|thread| thread.join().is_ok_and(|counted| counted == once))
            });
            sheet.holds(field, want, each, "counts that differ between threads");
            return true;
        }
        let Some((old, new)) = pair(name) else { return false };
        let changed = diff::changed(&old, &new);
        sheet.each(&field, want, |sheet, field, name, want| {
            match name {
                "chars_deleted" => sheet.eq(field, want, changed.deleted),
                "chars_inserted" => sheet.eq(field, want, changed.inserted),
                _ => return false,
            }
            true
        });
        true
    });
}
