//! The cases of tests/data/anchor (inputs byte for byte), and the ladder against its definition on arbitrary text.

use proptest::prelude::*;
use serde_json::Value;
use unicode_segmentation::UnicodeSegmentation;

use super::*;
use crate::text::normal::normalise;

const THRESHOLD: f64 = 0.80;

fn data(path: &str) -> String {
    let path = format!("{}/tests/data/anchor/{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// What a quotation should come to.
#[derive(Debug, PartialEq)]
enum Want {
    At(Tier, Vec<Span>),
    Not(DropReason),
}

fn at(tier: Tier, spans: &[(usize, usize)]) -> Want {
    Want::At(tier, spans.iter().map(|&s| s.into()).collect())
}

fn got(found: &Result<Anchor, Drop>) -> Want {
    match found {
        Ok(anchor) => Want::At(anchor.tier, anchor.spans.clone()),
        Err(drop) => Want::Not(drop.reason),
    }
}

fn similarity(found: &Result<Anchor, Drop>) -> Option<f64> {
    found.as_ref().map_or_else(|drop| drop.similarity, |anchor| Some(anchor.similarity))
}

fn check_case(case: &str, wants: &[(Want, Option<f64>)]) {
    let draft = data(&format!("{case}/draft.txt"));
    let quotes: Vec<String> = serde_json::from_str(&data(&format!("{case}/quotes.json"))).unwrap();
    assert_eq!(quotes.len(), wants.len(), "{case}");
    let haystack = Haystack::new(&draft);
    for (quote, (want, close)) in quotes.iter().zip(wants) {
        let found = haystack.find(quote, THRESHOLD);
        assert_eq!(got(&found), *want, "{case}: {quote:?}");
        if let Some(close) = close {
            assert!(similarity(&found).is_some_and(|s| (s - close).abs() < 1e-4), "{case}: {quote:?}: {found:?}");
        }
    }
}

#[test]
fn the_stored_cases_come_out_as_they_should() {
    use DropReason::{ElidedQuote, EmptyLocation, NotFound};
    use Tier::{Exact, Fuzzy, Normalised};
    check_case(
        "A01-space-crlf",
        &[
            (at(Normalised, &[(13, 70)]), Some(1.0)),
            (at(Exact, &[(37, 50)]), Some(1.0)),
            (at(Normalised, &[(94, 115)]), Some(1.0)),
            (at(Normalised, &[(72, 90)]), Some(1.0)),
        ],
    );
    check_case("A03-combining", &[(at(Normalised, &[(0, 30)]), None), (Want::Not(NotFound), None)]);
    check_case(
        "A05-degenerate-quotes",
        &[
            (Want::Not(EmptyLocation), None),
            (Want::Not(EmptyLocation), None),
            (Want::Not(EmptyLocation), None),
            (Want::Not(EmptyLocation), None),
            (at(Exact, &[(21, 22), (41, 42), (59, 60)]), None),
            (Want::Not(NotFound), Some(0.2837)),
            (at(Exact, &[(0, 60)]), None),
            (at(Exact, &[(36, 41)]), None),
        ],
    );
    check_case("A06-best-window", &[(at(Fuzzy, &[(185, 229)]), Some(0.977_273))]);
    check_case(
        "A08-not-verbatim",
        &[
            (Want::Not(ElidedQuote), None),
            // The best window ends inside "**."; a reader's ends with the full stop that the quotation has.
            (at(Fuzzy, &[(3, 33)]), Some(0.884_615)),
            (at(Exact, &[(121, 132)]), None),
            (at(Fuzzy, &[(37, 57)]), Some(0.84)),
        ],
    );
    check_case(
        "A10-cjk-emoji",
        &[
            (at(Exact, &[(9, 43)]), None),
            (at(Exact, &[(21, 34), (58, 71)]), None),
            (at(Fuzzy, &[(9, 43)]), Some(0.916_667)),
            (Want::Not(NotFound), None),
            (at(Exact, &[(112, 122)]), None),
        ],
    );
}

type MetricsSay = Result<(Tier, &'static [(usize, usize)]), DropReason>;

/// Rows whose own expectation is not what docs/metrics.md says, with what it says and why.
const METRICS_DIFFER: &[(&str, MetricsSay, &str)] = &[
    ("ligature_nfkc", Err(DropReason::NotFound), "no NFKC: three ligatures are 6 slips in 28 scalars, 0.786"),
    ("link_text_only", Ok((Tier::Fuzzy, &[(0, 46)])), "a link's address is no notation of white space, quotes or dashes: fuzzy, as read"),
    ("list_marker_kept_in_quote", Ok((Tier::Fuzzy, &[(2, 26)])), "a left-out marker is a slip"),
    ("table_cells", Ok((Tier::Fuzzy, &[(27, 44)])), "left-out cell borders are slips"),
    ("case_and_final_stop", Ok((Tier::Fuzzy, &[(0, 22)])), "no case folding: a slip"),
    ("elided_reversed", Err(DropReason::ElidedQuote), "has its own reason"),
    ("elided_swallows_negation", Err(DropReason::ElidedQuote), "an elided quotation is dropped"),
    ("digit_changed", Err(DropReason::DigitsDiffer), "another number is another statement"),
    ("negation_flipped", Err(DropReason::PolarityDiffers), "the opposite is another statement"),
    ("empty_quote", Err(DropReason::EmptyLocation), "`invalid` is called empty_location"),
    ("blank_quote", Err(DropReason::EmptyLocation), "`invalid` is called empty_location"),
];

#[test]
fn the_row_set_follows_metrics() {
    let mut differing = 0;
    for line in data("rows.jsonl").lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let name = row["name"].as_str().unwrap();
        let found = Haystack::new(row["draft"].as_str().unwrap()).find(row["quote"].as_str().unwrap(), THRESHOLD);
        let expect = &row["expect"];
        let stated = match expect["tier"].as_str() {
            Some(tier) => {
                let tier = serde_json::from_value(tier.into()).unwrap_or(Tier::Fuzzy);
                Want::At(tier, serde_json::from_value(expect["spans"].clone()).unwrap())
            }
            None => Want::Not(DropReason::NotFound),
        };
        let want = match METRICS_DIFFER.iter().find(|d| d.0 == name) {
            Some((_, want, _)) => {
                differing += 1;
                want.map_or_else(Want::Not, |(tier, spans)| at(tier, spans))
            }
            None => stated,
        };
        assert_eq!(got(&found), want, "{name}");
    }
    assert_eq!(differing, METRICS_DIFFER.len(), "every listed row is in the set");
}

#[test]
fn grounded_quotations_are_checked_each_in_its_own_text() {
    let draft = data("A11-grounded-eligible/draft.txt");
    let findings: Value = serde_json::from_str(&data("A11-grounded-eligible/findings.json")).unwrap();
    let sources: Value = serde_json::from_str(&data("A11-grounded-eligible/sources.json")).unwrap();
    let verdicts: Vec<&str> = findings["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| {
            let text = |name: &str| f[name].as_str().unwrap();
            let source = match text("source_id") {
                "internal" => Some(draft.as_str()),
                id => sources[id].as_str(),
            };
            if Haystack::new(&draft).find(text("draft_span"), THRESHOLD).is_err() {
                return "draft_span_not_found";
            }
            let Some(source) = source else { return "unknown_source" };
            if Haystack::new(source).find_verbatim(text("source_span")).is_ok() { "kept" } else { "source_span_not_found" }
        })
        .collect();
    let (draft, source) = ("draft_span_not_found", "source_span_not_found");
    assert_eq!(verdicts, ["kept", draft, "kept", source, "unknown_source", source, "kept", source, draft]);
}

fn find<'d>(draft: &'d str, quote: &str) -> Result<(Tier, Vec<&'d str>), DropReason> {
    match Haystack::new(draft).find(quote, THRESHOLD) {
        Ok(anchor) => Ok((anchor.tier, anchor.spans.iter().filter_map(|s| s.of(draft)).collect())),
        Err(drop) => Err(drop.reason),
    }
}

#[test]
fn quotations_are_found_as_a_careful_reader_would() {
    use DropReason::{DigitsDiffer, ElidedQuote, EmptyLocation, NotFound, PolarityDiffers};
    use Tier::{Exact, Fuzzy, Normalised};
    for (draft, quote, want) in [
        // What a critic puts around a quotation.
        ("Install the plug-in and restart.", "Install the plug-in.", Ok((Normalised, vec!["Install the plug-in"]))),
        ("Install the plug-in and restart.", "“Install the plug.”", Ok((Normalised, vec!["Install the plug"]))),
        ("Install the plugin and restart.", "Install the plug.", Ok((Fuzzy, vec!["Install the plugin"]))),
        ("Keep “all files” here.", "\"Keep “all files” here,\"", Ok((Normalised, vec!["Keep “all files” here"]))),
        ("We refunded it to the card in June.", "... refunded it to the card...", Ok((Normalised, vec!["refunded it to the card"]))),
        ("We refunded it to the card in June.", "We refunded ... in June.", Err(ElidedQuote)),
        ("We refunded it to the card in June.", "We refunded […] in June.", Err(ElidedQuote)),
        ("Drum roll… shared calendars are here.", "Drum roll... shared calendars", Ok((Normalised, vec!["Drum roll… shared calendars"]))),
        (
            "Drum roll… shared calendars are here.",
            "Drum roll... shared calenders are here",
            Ok((Fuzzy, vec!["Drum roll… shared calendars are here"])),
        ),
        ("Drum roll… shared calendars are here.", "shared ... calendars are here", Err(ElidedQuote)),
        // Places are counted on the normalised text; a place word for word makes the tier exact.
        ("“lock” and \"lock\"", "\"lock\"", Ok((Exact, vec!["“lock”", "\"lock\""]))),
        ("aaaa", "aa", Ok((Exact, vec!["aa", "aa", "aa"]))),
        ("one. two\nthree", "two three", Ok((Normalised, vec!["two\nthree"]))),
        // Slips.
        (
            "Fees go up. Delivery usually takes long. Ah. Delivery usually takes long.",
            "Delivery normally takes long.",
            Ok((Fuzzy, vec!["Delivery usually takes long.", "Delivery usually takes long."])),
        ),
        (
            "You have 15 days to reply. You have 30 days to reply!",
            "You have 30 day to reply.",
            Ok((Fuzzy, vec!["You have 30 days to reply!"])),
        ),
        ("- Reports: 30 requests per minute - Exports: 60 requests per minute", "- Exports: 30 requests per minute", Err(DigitsDiffer)),
        ("It is in no case refunded to a customer.", "It is in any case refunded to a customer.", Err(PolarityDiffers)),
        ("Nous sommes le 5 mars, il faut payer.", "Nous sommes le 5 mai, il faut payer.", Err(DigitsDiffer)),
        ("Kurz ja", "Kurz jo", Err(NotFound)),
        // Escaped, or as read.
        (
            "Set it to 5 & \"30s\" <b>now</b>, please.",
            "5 &amp; &quot;30s&quot; &lt;b&gt;now&lt;/b&gt;, please",
            Ok((Fuzzy, vec!["5 & \"30s\" <b>now</b>, please"])),
        ),
        (
            "See [the guide](https://x.test/a-very-long-address) first.",
            "See the guide first.",
            Ok((Fuzzy, vec!["See [the guide](https://x.test/a-very-long-address) first."])),
        ),
        ("返金額は12,800円です。", "返金額は１２,８００円です。", Ok((Fuzzy, vec!["返金額は12,800円です。"]))),
        ("返金額は12,800円です。", "返金額は１２,９００円です。", Err(DigitsDiffer)),
        // Nothing to look for.
        ("text", "\u{200d}\u{feff} \n", Err(EmptyLocation)),
        ("", "text", Err(NotFound)),
        ("", "", Err(EmptyLocation)),
        ("so... it goes", "...", Ok((Exact, vec!["..."]))),
        ("so it goes", "...", Err(ElidedQuote)),
        ("x\u{336}y here", "x", Err(NotFound)),
    ] {
        assert_eq!(find(draft, quote), want, "{quote} / {draft}");
    }
}

#[test]
fn a_word_close_to_a_known_one_is_suggested() {
    let known = ["paragraph", "line", "heading", "sentence"];
    for (word, want) in [("paragraf", Some("paragraph")), ("Lines", Some("line")), ("haeding", Some("heading")), ("auto", None), ("", None)]
    {
        assert_eq!(nearest(word, &known), want, "{word}");
    }
    assert_eq!(nearest("x", &[]), None);
}

#[test]
fn megabytes_are_survived() {
    let draft = "Lorem ipsum dolor sit amet, no 7. ".repeat(8_000);
    let haystack = Haystack::new(&draft);
    assert_eq!(haystack.find(&draft, THRESHOLD).map(|a| a.tier), Ok(Tier::Exact));
    assert!(haystack.find("Lorem ipsun dolor sit", THRESHOLD).is_ok_and(|a| a.spans.len() == 8_000));
    assert_eq!(haystack.find(&format!("x{draft}"), THRESHOLD).map_err(|d| d.reason), Err(DropReason::NotFound));
    let same = "a".repeat(300_000);
    assert!(Haystack::new(&same).find(&same[..150_000], THRESHOLD).is_ok_and(|a| a.spans.len() == 150_001));
    let flags = "🇩🇪".repeat(20_000);
    assert!(Haystack::new(&flags).find("🇩🇪", THRESHOLD).is_ok_and(|a| a.spans.len() == 20_000));
}

fn prose() -> impl Strategy<Value = String> {
    let pieces = [
        "the ",
        "fee ",
        "is not ",
        "15 ",
        "days",
        ". ",
        "\r\n",
        "\n\n",
        "“x”",
        "\"",
        "…",
        "cafe\u{301} ",
        "👍🏽",
        "🇩🇪",
        "退款",
        "5 ",
        "**",
        "[a](b)",
        "&amp;",
        "\u{200b}",
        "1. ",
        "can't ",
    ];
    let mixed = proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..24).prop_map(|v| v.concat());
    prop_oneof![4 => mixed, 1 => any::<String>()]
}

#[test]
fn when_the_work_for_a_text_is_spent_only_words_as_they_stand_are_found() {
    let haystack = Haystack::new("The fee of $15 is due at the end of this month.");
    let (exact, slipped) = ("is due at the end", "is due at teh end of this month");
    assert_eq!(haystack.find(slipped, THRESHOLD).map(|anchor| anchor.tier), Ok(Tier::Fuzzy));
    haystack.spent.set(SPENT_MAX + 1);
    assert_eq!(haystack.find(slipped, THRESHOLD), Err(Drop { reason: DropReason::NotFound, similarity: None }));
    assert_eq!(haystack.find(exact, THRESHOLD).map(|anchor| anchor.tier), Ok(Tier::Exact));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn every_span_is_of_whole_clusters_and_in_order(draft in prose(), quote in prose(), threshold in 0.0f64..1.1) {
        let haystack = Haystack::new(&draft);
        let edges: Vec<usize> = draft.grapheme_indices(true).map(|(i, _)| i).chain([draft.len()]).collect();
        let (found, verbatim) = (haystack.find(&quote, threshold), haystack.find_verbatim(&quote));
        for anchor in [&found, &verbatim].into_iter().flatten() {
            prop_assert!(!anchor.spans.is_empty());
            prop_assert!(anchor.spans.is_sorted());
            for span in &anchor.spans {
                prop_assert!(edges.binary_search(&span.start).is_ok() && edges.binary_search(&span.end).is_ok(), "{span:?} {draft:?} {quote:?}");
                prop_assert!(!span.is_empty());
            }
        }
        if let Ok(anchor) = &found && anchor.tier == Tier::Fuzzy {
            prop_assert!(anchor.similarity >= threshold && verbatim.is_err());
        }
    }

    #[test]
    fn any_piece_of_the_draft_is_found_where_it_stands(draft in prose(), a in 0usize..40, b in 0usize..40) {
        let edges: Vec<usize> = draft.grapheme_indices(true).map(|(i, _)| i).chain([draft.len()]).collect();
        let (a, b) = (a.min(b).min(edges.len() - 1), a.max(b).min(edges.len() - 1));
        let quote = &draft[edges[a]..edges[b]];
        let trimmed = normalise(quote);
        if trimmed.chars().any(char::is_alphanumeric) {
            let anchor = Haystack::new(&draft).find(quote, THRESHOLD);
            let want = Span::new(edges[a], edges[b]);
            let holds = |s: &Span| s.overlaps(want) && normalise(s.of(&draft).unwrap_or("")).trim() == trimmed.trim();
            prop_assert!(anchor.as_ref().is_ok_and(|x| x.tier == Tier::Exact && x.spans.iter().any(holds)), "{anchor:?} {quote:?} {draft:?}");
        }
    }

    #[test]
    fn what_is_found_without_normalising_is_found_by_the_ladder(
        draft in "[abK 1.,]{0,24}|[abK \n\u{212a}\u{301}\u{200b}£’é\u{200d}]{0,24}|([ab]( |\n)){0,12}",
        quote in "[abK1]( ?[abK1.,]){0,5}",
    ) {
        let haystack = Haystack::new(&draft);
        if let Some(spans) = haystack.plain_places(&quote) {
            let anchor = haystack.verbatim(&quote, &normalise(&quote));
            prop_assert_eq!(anchor, Some(Anchor { tier: Tier::Exact, spans, similarity: 1.0 }), "{:?} {:?}", quote, draft);
        }
    }
}

/// `cargo test --release --lib speed -- --ignored --nocapture` prints what one find costs.
#[test]
#[ignore = "measures, asserts nothing about time"]
fn speed_of_a_find() {
    let filler =
        "Your Growth plan includes 12 seats and 200 GB of storage.\n\nSupport answers within four hours on weekdays; **archives** stay.\n";
    let draft = format!("{}{}", data("A06-best-window/draft.txt"), filler.repeat(12));
    let draft = &draft[..1500];
    let time = |what: &str, run: &dyn Fn() -> bool| {
        // The fastest of many short batches: what the work takes when nothing else runs.
        let (batches, rounds) = (100, 50);
        let batch = || {
            let start = std::time::Instant::now();
            let hits = (0..rounds).filter(|_| run()).count();
            (start.elapsed().as_nanos() / rounds as u128, hits)
        };
        let (nanos, hits) = (0..batches).map(|_| batch()).min().unwrap();
        println!("{what}: {nanos} ns, {hits} hits of {rounds}");
    };
    let haystack = Haystack::new(draft);
    time("prepare 1,500 chars", &|| !Haystack::new(draft).text().is_empty());
    time("find 43 chars, exact", &|| haystack.find("We looked at your account again this mornin", THRESHOLD).is_ok());
    time("find 43 chars, fuzzy", &|| haystack.find("a prorated credit within two billing cycles", THRESHOLD).is_ok());
    time("find 43 chars, absent", &|| haystack.find("Parcels leave the warehouse before Tuesday.", THRESHOLD).is_ok());
}
