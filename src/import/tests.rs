//! No importer panics, whatever bytes it is given; bombs are refused.

use std::io::Write;
use std::path::PathBuf;

use proptest::prelude::*;

use super::input::Input;
use super::place::{Options, place};
use super::{ALL, Found, by_name, map, write};

fn input(name: &str, bytes: &[u8]) -> Input {
    Input { path: PathBuf::from(name), bytes: bytes.to_vec() }
}

/// Reads, places and packs. What comes of it does not matter, only that it comes.
fn through(bytes: &[u8]) {
    for importer in ALL {
        if let Ok(records) = importer.read(&[input("log", bytes)]) {
            let rules = map::together(&[], importer.rules()).unwrap();
            let mut placed = place(records, Options { rules: &rules, by_order: true, provider: None });
            write::package(&mut placed, importer.name(), "dataset", None);
        }
    }
}

/// Names that the formats know, with values of every type under them.
fn records() -> impl Strategy<Value = String> {
    let names = proptest::sample::select(vec![
        "custom_id",
        "url",
        "body",
        "response",
        "status_code",
        "error",
        "result",
        "type",
        "message",
        "params",
        "requests",
        "interactions",
        "request",
        "uri",
        "headers",
        "string",
        "status",
        "code",
        "resourceSpans",
        "scopeSpans",
        "spans",
        "attributes",
        "key",
        "value",
        "stringValue",
        "arrayValue",
        "values",
        "gen_ai.operation.name",
        "gen_ai.output.messages",
        "run_type",
        "outputs",
        "choices",
        "content",
        "generations",
        "data",
        "metadata",
        "call_type",
        "samples",
        "events",
        "event",
        "output",
        "stop_reason",
        "epoch",
        "id",
        "prompt",
        "llm",
        "kwargs",
        "text",
        "ticket",
        "passes",
        "draft",
        "critique",
        "parentSpanId",
        "spanId",
        "parent_run_id",
        "startTimeUnixNano",
        "messages",
        "role",
        "pass",
        "n",
    ]);
    let texts = proptest::sample::select(vec![
        "t/pass-1/critic/0",
        "/v1/chat/completions",
        "https://h/v1/messages",
        "llm",
        "generation",
        "model",
        "chat",
        "success",
        "completion",
        "succeeded",
        "attachment://x",
        "{\"a\":1}",
        "[]",
        "H4sIAAAA",
        "user",
        "writer",
        "é",
        "",
        "9999999999999999999",
        "NaN",
    ]);
    let leaf = prop_oneof![
        texts.prop_map(serde_json::Value::from),
        any::<i64>().prop_map(serde_json::Value::from),
        any::<f64>().prop_map(serde_json::Value::from),
        any::<bool>().prop_map(serde_json::Value::from),
        Just(serde_json::Value::Null),
    ];
    let value = leaf.prop_recursive(5, 64, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
            proptest::collection::btree_map(names.clone().prop_map(str::to_owned), inner, 0..6)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    });
    proptest::collection::vec(value, 1..4).prop_map(|all| all.iter().map(|v| format!("{v}\n")).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_make_an_importer_panic(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        through(&bytes);
    }

    #[test]
    fn no_records_make_an_importer_panic(text in records()) {
        through(text.as_bytes());
    }

    #[test]
    fn a_log_cut_anywhere_panics_nowhere(at in 0usize..30_000) {
        for name in ["openai_batch_output.jsonl", "vcrpy_openai_gzip.yaml", "inspect_log.eval", "otel_genai_traces.otlp.jsonl"] {
            let bytes = std::fs::read(format!("tests/data/import/{name}")).unwrap();
            through(&bytes[..at % bytes.len()]);
        }
    }
}

fn read(format: &str, bytes: &[u8]) -> Result<Vec<String>, String> {
    let records = by_name(format).unwrap().read(&[input("log", bytes)]).map_err(|e| e.to_string())?;
    Ok(records
        .into_iter()
        .map(|r| match r.found {
            Found::Call(call) => format!("{} {}", call.provider, call.status),
            Found::Other(why) => why,
        })
        .collect())
}

#[test]
fn nesting_aliases_and_bombs_are_refused() {
    let deep = "[".repeat(200_000);
    for importer in ALL {
        let got = importer.read(&[input("log", deep.as_bytes())]);
        let refused = got.as_ref().map_or_else(|_| true, |records| records.iter().all(|r| matches!(r.found, Found::Other(_))));
        assert!(refused, "{}", importer.name());
    }
    // Ten times ten times ten ... of one alias.
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let alias = format!("*a{}", level - 1);
        bomb += &format!("a{level}: &a{level} [{}]\n", vec![alias; 10].join(", "));
    }
    let said = read("vcrpy", bomb.as_bytes()).unwrap_err();
    assert!(said.starts_with("log: no YAML cassette: "), "{said}");
    // A body of 100 MiB of blanks in 100 kB of gzip.
    let mut packed = flate2::write::GzEncoder::new(vec![], flate2::Compression::default());
    packed.write_all(&vec![b' '; 100 << 20]).unwrap();
    let body = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, packed.finish().unwrap());
    let cassette = serde_json::json!({"interactions": [{
        "request": {"uri": "http://h/v1/chat/completions", "body": "{}", "headers": {}},
        "response": {"status": {"code": 200}, "headers": {}, "body": {"string": body}},
    }]});
    assert_eq!(read("vcrpy", cassette.to_string().as_bytes()).unwrap(), ["the answer's body: unpacks to more than 67108864 bytes"]);
}

#[test]
fn an_archive_that_unpacks_without_end_is_refused() {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(vec![]));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Zstd);
    zip.start_file("samples/a.json", options).unwrap();
    let block = vec![b' '; 1 << 20];
    for _ in 0..300 {
        zip.write_all(&block).unwrap();
    }
    let bytes = zip.finish().unwrap().into_inner();
    assert!(bytes.len() < 1 << 20);
    assert!(read("inspect", &bytes).unwrap_err().contains("unpacks to more than"));
}
