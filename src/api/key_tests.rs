//! Cases and properties of the request key; the byte-exact inputs stand in tests/data/api.

use proptest::prelude::*;

use serde_json::{Value, json};

use super::key::{canonical, difference, difference_but, key};
use super::tests::data;

fn rows(file: &str) -> Vec<Value> {
    data(file).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn word<'a>(row: &'a Value, name: &str) -> &'a str {
    row[name].as_str().unwrap()
}

#[test]
fn golden_vectors_hold() {
    let rows = rows("key_vectors_rr1.jsonl");
    assert_eq!(rows.len(), 12);
    for row in &rows {
        assert_eq!(canonical(&row["body"], &[]), word(row, "canonical"), "{}", word(row, "name"));
        assert_eq!(key(word(row, "provider"), word(row, "endpoint"), &row["body"], &[]), word(row, "key"), "{}", word(row, "name"));
    }
}

#[test]
fn probes_hit_and_miss_as_they_must() {
    let recorded: Value = serde_json::from_str(&data("key_recorded.json")).unwrap();
    let ignore = ["request_id", "sent_at"].map(String::from);
    let want = [
        (1, None),
        (2, None),
        (3, None),
        (4, None),
        (5, Some("params.temperature: 0 -> 0.2")),
        (6, Some("params.temperature: only in the recording")),
        (7, Some("params.temperature: only in the recording")),
        (8, Some("params.max_tokens: 800 -> 900")),
        (9, Some("model: \"kp-small\" -> \"kp-large\"")),
        (
            10,
            Some(
                "messages[0].content: \"You review support replies. Reply APPROVED or a JSON list of…\" -> \"You check support replies. Reply APPROVED or a JSON list of …\"",
            ),
        ),
        (11, Some("messages[0].content: \"…ON list of findings.\" -> \"…ON list of findings.\\n\"")),
        (
            12,
            Some(
                "messages[0].content: \"You review support replies. Reply APPROVED or a JSON list of…\" -> \"Brief: refunds.\\n<draft>Refunds take 5 days.</draft>\"",
            ),
        ),
        (13, Some("messages[1].content: \"Brief: refunds.\\n<draft>Refunds take 5 days.</draft>\" -> \"Refunds take 5 days.\"")),
        (
            14,
            Some(
                "messages[1].content: \"Brief: refunds.\\n<draft>Refunds take 5 days.</draft>\" -> \"Brief: refunds.\\r\\n<draft>Refunds take 5 days.</draft>\"",
            ),
        ),
        (15, Some("params.max_tokens: 800 -> \"800\"")),
    ];
    let probes = rows("key_probes.jsonl");
    assert_eq!(probes.len(), want.len());
    for (probe, (n, difference)) in probes.iter().zip(want) {
        assert_eq!(probe["n"], n);
        let asked = &probe["request"];
        let hit = key("p", "/e", &recorded, &ignore) == key("p", "/e", asked, &ignore);
        assert_eq!(hit, difference.is_none(), "probe {n}");
        assert_eq!(difference_but(&recorded, asked, &ignore).as_deref(), difference, "probe {n}");
    }
    assert_eq!(difference(&recorded, &probes[3]["request"]).as_deref(), Some("request_id: only in the request"));
}

#[test]
fn canonical_form_is_that_of_the_standard() {
    let cases = [
        (json!({"\u{e000}": 1, "\u{1f600}": 2, "a": 3, "\u{e9}": 4}), "{\"a\":3,\"\u{e9}\":4,\"\u{1f600}\":2,\"\u{e000}\":1}"),
        (
            serde_json::from_str("[1e21, 1e-7, 0.1, -0.0, 1.0, 333333333.33333329, 1e30, 4.50, 2e-3, 123456789012345680000.0]").unwrap(),
            "[1e+21,1e-7,0.1,0,1,333333333.3333333,1e+30,4.5,0.002,123456789012345680000]",
        ),
        (json!(9007199254740993u64), "9007199254740993"),
        (json!(i64::MIN), "-9223372036854775808"),
        (json!("\u{20ac}$\u{f}\nA'B\"\\\\\"/\u{8}\u{c}\t\r\u{7f}"), "\"\u{20ac}$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\\b\\f\\t\\r\u{7f}\""),
        (
            json!({"a": [null, {"b": null, "cache_control": {}}], "stream": true, "b": {"stream": true}}),
            "{\"a\":[null,{}],\"b\":{\"stream\":true}}",
        ),
        (
            json!({"m": [{"id": "call_x", "call_id": "fc_y"}, {"tool_call_id": "call_x", "name": "call_x"}, {"id": "z"}]}),
            "{\"m\":[{\"call_id\":\"#0\",\"id\":\"#1\"},{\"name\":\"call_x\",\"tool_call_id\":\"#1\"},{\"id\":\"z\"}]}",
        ),
    ];
    for (body, want) in cases {
        assert_eq!(canonical(&body, &[]), want);
    }
}

#[test]
fn differences_are_named_as_a_person_would() {
    let long = "x".repeat(200);
    let cases = [
        (json!({"temperature": 0}), json!({"temperature": 0.7}), Some("temperature: 0 -> 0.7")),
        (json!({"seed": 1}), json!({}), Some("seed: only in the recording")),
        (json!({"a": [1, 2]}), json!({"a": [1]}), Some("a[1]: only in the recording")),
        (json!({"a": [1]}), json!({"a": [1, {"b": 2}]}), Some("a[1]: only in the request")),
        (json!({"a": {"b": [{"c": 1}]}}), json!({"a": {"b": [{"c": true}]}}), Some("a.b[0].c: 1 -> true")),
        (json!({"a": "x y"}), json!({"a": "x\u{a0}y"}), Some("a: \"x y\" -> \"x\\u{a0}y\"")),
        (json!({"a": "\u{1b}[31m\u{202e}"}), json!({"a": "q\"\\"}), Some("a: \"\\u{1b}[31m\\u{202e}\" -> \"q\\\"\\\\\"")),
        (
            json!({"a": format!("{long}a{long}")}),
            json!({"a": format!("{long}b")}),
            Some("a: \"…xxxxxxxxxxxxxxxxxxxxaxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…\" -> \"…xxxxxxxxxxxxxxxxxxxxb\""),
        ),
        (json!({"stop": {"a": 1}}), json!({"stop": ["a"]}), Some("stop: {\"a\":1} -> [\"a\"]")),
        (json!({"a": 1, "stream": true, "user": "x"}), json!({"a": 1.0, "n": null}), None),
        (json!({"id": "call_a"}), json!({"id": "call_b"}), None),
        (json!(1), json!(2), Some("body: 1 -> 2")),
    ];
    for (recorded, asked, want) in cases {
        assert_eq!(difference(&recorded, &asked).as_deref(), want, "{recorded} {asked}");
        assert_eq!(canonical(&recorded, &[]) == canonical(&asked, &[]), want.is_none(), "{recorded} {asked}");
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        prop_oneof![Just(0.0), Just(1.0), Just(0.5)].prop_map(Value::from),
        (0..3u64).prop_map(Value::from),
        "(call_[ab]|[a-c\u{e000}\u{1f600}\n]{0,2})".prop_map(Value::from),
    ];
    let name = "(id|call_id|user|cache_control|[ab\u{e000}\u{1f600}])";
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(name, inner, 0..4).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn a_difference_is_found_exactly_where_keys_differ(a in any_json(), b in any_json()) {
        let same = canonical(&a, &[]) == canonical(&b, &[]);
        prop_assert_eq!(difference(&a, &b).is_none(), same, "{} {}", a, b);
    }

    #[test]
    fn canonical_json_is_json_of_the_same_value(a in any_json()) {
        let once = canonical(&a, &[]);
        let back: Value = serde_json::from_str(&once).unwrap();
        // Numbered ids are no ids, so writing again changes nothing.
        prop_assert_eq!(canonical(&back, &[]), once);
    }
}
