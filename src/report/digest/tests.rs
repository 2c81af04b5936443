//! What the digest holds, and that no text of others leaves its place.

use super::super::testing::{HOSTILE, parts};
use super::*;

const EXTENT: Extent = Extent { tickets_max: 2, diff_chars_max: 5000 };

fn whole(report: &Report<'_>) -> String {
    render(report, "", &EXTENT, usize::MAX, str::len)
}

/// Outside preformatted elements.
fn headings(text: &str) -> Vec<&str> {
    let outside =
        text.split("<pre>").enumerate().map(|(at, part)| part.split_once("</pre>").filter(|_| at > 0).map_or(part, |(_, after)| after));
    outside.flat_map(str::lines).filter(|line| line.starts_with('#')).collect()
}

#[test]
fn the_verdict_comes_first_and_every_section_is_there() {
    let parts = parts("");
    let text = whole(&parts.report());
    let want = [
        "## ❌ REGRESSED",
        "### What changed",
        "### Word diff of `critic.prompt`",
        "### Headline",
        "### Gated metrics",
        "### Tickets that got worse",
        "### Tickets that got better",
        "### How quotations were found",
        "### Errored tickets",
        "### Tickets that were not compared",
    ];
    assert_eq!(headings(&text), want);
    for line in [
        "`cand` against `base`, 298 tickets paired.",
        "> **Note:** 1 ticket errored",
        "- critic prompt: `critic.prompt`, 1 words deleted, 1 inserted",
        "- sampling: `critic.params.temperature` `0` → (not set)",
        "Held fixed: dataset, model.",
        "| Revisions that broke a check | 2.3% [1-20] 7/298 | 9.4% [1-20] 28/298 | +7.0 pp [+3.0, +11.0] | 298 | worse |",
        "| ❌ REGRESSED | Revisions that broke a check | 2.3% | 9.4% | +7.0 pp [+3.0, +11.0] | +2.0 pp |",
        "- **Revisions that broke a check**: 7 of 298 became 28 of 298",
        "  Newly broken: `t0`, `t1`, `t2`, `t3`, `t4`, `t5`, `t6`, `t7`, `t8`, `t9` and 20 more",
        "- `t0`: Revisions that broke a check no → yes",
        "  `redraft show 'recordings/cand' 't0'`",
        "- and 28 more",
        "- `cand`, `bad`: mismatch at critic pass 1:",
        "- 1 only in the candidate: `only`",
    ] {
        assert!(text.lines().any(|l| l.trim_end() == line), "{line}\n{text}");
    }
    assert!(text.contains("characters that stayed]") && text.contains("<del>old </del><ins>new </ins>"), "{text}");
}

#[test]
fn one_arm_alone_is_shown_pass_by_pass() {
    let parts = parts("");
    let text = whole(&parts.alone());
    assert_eq!(headings(&text)[..3], ["## Replayed arms", "### Headline of `base`", "### Headline of `cand`"]);
    assert!(text.contains("| Figure | Pass 0 | Pass 1 |\n|---|---:|---:|\n"), "{text}");
}

/// Markdown without code spans and preformatted elements: where a forge looks for markup and references.
fn read_by_a_forge(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['`', '<', '\\']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if rest.starts_with('\\') {
            out.push('\u{2216}');
            rest = &rest[rest.char_indices().nth(2).map_or(rest.len(), |(i, _)| i)..];
        } else if let Some(inner) = rest.strip_prefix("<pre>") {
            rest = &inner[inner.find("</pre>").expect("an end")..];
        } else if rest.starts_with('<') {
            out.push('<');
            rest = &rest[1..];
        } else {
            let fence = rest.bytes().take_while(|b| *b == b'`').count();
            let inner = &rest[fence..];
            let is_end = |at: &usize| !inner[..*at].ends_with('`') && !inner[*at + fence..].starts_with('`');
            let end = inner.match_indices(&"`".repeat(fence)).map(|(at, _)| at).find(is_end).expect("a closed code span");
            assert!(!inner[..end].contains('\n'));
            rest = &inner[end + fence..];
        }
    }
    out + rest
}

#[test]
fn no_text_of_others_is_more_than_text() {
    let shape = |text: &str| headings(text).len();
    let plain = parts("plain");
    let tags = regex::Regex::new(r"<[^>]*>").unwrap();
    let refers = regex::Regex::new(r"@\w|#\d|GH-\d|\bdeadbeef|https?://|!?\[[^\]]*\]\(|<!--").unwrap();
    let own = ["<details>", "</details>", "<summary>", "</summary>", "</pre>", "<span>", "</span>"];
    for text in HOSTILE {
        let parts = parts(text);
        for (report, like) in [(parts.report(), plain.report()), (parts.alone(), plain.alone())] {
            let shown = whole(&report);
            assert_eq!(shape(&shown), shape(&whole(&like)), "{text:?}\n{shown}");
            assert!(!shown.chars().any(|c| c != '\n' && crate::text::control::is_unsafe(c)), "{text:?}");
            assert!(!shown.contains("##[") && !shown.lines().any(|line| line.trim_start().starts_with("::")), "{text:?}");
            let read = read_by_a_forge(&shown).replace("&#8203;", "\u{200b}");
            for tag in tags.find_iter(&read) {
                assert!(own.contains(&tag.as_str()), "{tag:?} in {read}");
            }
            assert!(!refers.is_match(&read), "{:?} in {read}", refers.find(&read));
            for table in shown.split("\n\n").filter(|block| block.starts_with('|')) {
                let bars = |row: &str| row.replace("\\\\", "").replace("\\|", "").matches('|').count();
                let counts: Vec<usize> = table.lines().filter(|row| row.starts_with('|')).map(bars).collect();
                assert!(counts.windows(2).all(|pair| pair[0] == pair[1]), "{table}");
            }
        }
    }
}

#[test]
fn a_limit_cuts_between_sections_and_says_so() {
    let parts = parts(HOSTILE[2]);
    let all = whole(&parts.report());
    for limit in (6000..all.len() + 2000).step_by(97) {
        let cut = render(&parts.report(), "", &EXTENT, limit, str::len);
        assert!(cut.len() <= limit, "{} > {limit}", cut.len());
        assert_eq!(cut.contains("_Left out, for length: "), cut.len() < all.len());
    }
}

#[test]
fn the_longest_texts_leave_room_for_the_heading() {
    for text in ["@a".repeat(100_000), "\u{1}".repeat(100_000), "$".repeat(100_000), "`".repeat(100_000)] {
        let parts = parts(&text);
        let cut = render(&parts.report(), "", &EXTENT, 65_536, |text| text.encode_utf16().count());
        assert!(cut.encode_utf16().count() <= 65_536, "{}", cut.len());
        assert!(cut.starts_with("## ❌ REGRESSED"));
    }
}
