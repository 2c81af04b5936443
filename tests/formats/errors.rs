//! What is said of broken files: exactly, so that a message is only ever changed on purpose.

use std::path::{Path, PathBuf};

use redraft::replay::{Options, Prepared};

/// An arm that is sound, in a folder of its own, with one file put in place of its own.
fn damaged(file: &str, bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in SOUND {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
    }
    let path = dir.path().join(file);
    if bytes == NO_FILE {
        std::fs::remove_file(&path).unwrap();
    } else {
        std::fs::write(&path, bytes).unwrap();
    }
    let arm = dir.path().join("arm");
    (dir, arm)
}

const NO_FILE: &[u8] = b"(no such file)";

const SOUND: [(&str, &str); 4] = [
    ("dataset/dataset.toml", "version = 1\nname = \"set\"\n"),
    ("dataset/tickets.jsonl", "{\"id\":\"A\",\"prompt\":\"p\"}\n"),
    ("arm/loop.toml", SPEC),
    ("arm/calls.jsonl", CALL),
];

const SPEC: &str = r#"version = 1
dataset = "../dataset"
match = "slot"
model = { provider = "openai-chat", name = "m" }
writer = { prompt = "{{ ticket.prompt }}" }
critic = { format = "prose", prompt = "{{ draft }}" }
reviser = { strategy = "whole", prompt = "{{ critique }}" }
bounds = { max_passes = 0 }
"#;

const CALL: &str = "{\"v\":1,\"slot\":{\"ticket\":\"A\",\"pass\":0,\"role\":\"writer\"},\"response\":{\"status\":200,\"body\":{\"choices\":[{\"message\":{\"content\":\"d\"},\"finish_reason\":\"stop\"}]}}}\n";

/// What opening and replaying the arm says, with the folder left out; empty where nothing is wrong.
fn said(arm: &Path) -> String {
    let outcome = Prepared::open(arm).and_then(|prepared| {
        let faults = std::cell::RefCell::new(vec![]);
        prepared.each(
            &Options { jobs: 1, ..Options::default() },
            |_, runs| runs,
            |runs| {
                faults.borrow_mut().extend(runs.into_iter().filter_map(|run| run.fault));
                Ok(())
            },
        )?;
        Ok(faults.into_inner().first().map_or(String::new(), |fault| format!("fault at {}: {}", fault.at, fault.what)))
    });
    let root = format!("{}/", arm.parent().unwrap().display());
    outcome.unwrap_or_else(|e| e.to_string()).replace(&root, "")
}

/// A file, what it holds, and what is said of it.
type Broken<'a> = (&'a str, &'a [u8], &'a str);

fn check(table: &[Broken<'_>]) {
    let (_dir, arm) = damaged("arm/calls.jsonl", CALL.as_bytes());
    assert_eq!(said(&arm), "");
    let mut wrong = vec![];
    for (file, bytes, want) in table {
        let (_dir, arm) = damaged(file, bytes);
        let got = said(&arm);
        if got != *want {
            wrong.push(format!("{file}: {:?}\n  said:     {got}\n  expected: {want}", String::from_utf8_lossy(bytes)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The same for edits of a sound text: what is replaced, by what, and what is said.
fn check_edits(file: &str, sound: &str, table: &[(&str, &str, &str)]) {
    let texts: Vec<String> = table.iter().map(|(from, to, _)| sound.replacen(from, to, 1)).collect();
    assert!(texts.iter().all(|text| text != sound));
    let broken: Vec<Broken<'_>> = table.iter().zip(&texts).map(|((.., want), text)| (file, text.as_bytes(), *want)).collect();
    check(&broken);
}

#[test]
fn broken_datasets_are_told_with_place_and_cure() {
    check(&[
        ("dataset/dataset.toml", NO_FILE, "arm/../dataset/dataset.toml: failed to read the dataset's description: no such file or folder"),
        ("dataset/dataset.toml", "version = 2\nname = \"s\"\n".as_bytes(), "arm/../dataset/dataset.toml: version 2 of the dataset format is not known; expected 1"),
        ("dataset/dataset.toml", "version = 1\nname = \"s\"\nlicense = \"MIT\"\n".as_bytes(), "arm/../dataset/dataset.toml:3: unknown key `license`; did you mean `licence`? (known here: version, name, about, provenance, licence)"),
        ("dataset/dataset.toml", "version = 1\n".as_bytes(), "arm/../dataset/dataset.toml:1: missing key `name`"),
        ("dataset/dataset.toml", "version = 1\nname = s\n".as_bytes(), "arm/../dataset/dataset.toml:2: string values must be quoted, expected literal string"),
        ("dataset/tickets.jsonl", NO_FILE, "arm/../dataset: no tickets.jsonl (or tickets.csv) in this dataset folder"),
        ("dataset/tickets.jsonl", "".as_bytes(), "arm/../dataset/tickets.jsonl: holds no tickets; expected one JSON object a line"),
        ("dataset/tickets.jsonl", "{\"id\":\"A\",\"prompt\":\"p\"}\n{\"id\":\"B\",\"promt\":\"p\"}\n".as_bytes(), "arm/../dataset/tickets.jsonl:2: unknown key `promt`; did you mean `prompt`? (known here: id, prompt, sources, checks, defects, tags, fields) (column 17)"),
        ("dataset/tickets.jsonl", "{\"id\":\"A\"}\n".as_bytes(), "arm/../dataset/tickets.jsonl:1: missing key `prompt` (column 10)"),
        ("dataset/tickets.jsonl", "{\"id\":7,\"prompt\":\"p\"}\n".as_bytes(), r#"arm/../dataset/tickets.jsonl:1: id: id must be a string, such as "7" (column 7)"#),
        ("dataset/tickets.jsonl", "{\"id\":\"\",\"prompt\":\"p\"}\n".as_bytes(), "arm/../dataset/tickets.jsonl:1: id: id must not be empty (column 8)"),
        ("dataset/tickets.jsonl", "{\"id\":\"A\",\"prompt\":[\"p\"]}\n".as_bytes(), "arm/../dataset/tickets.jsonl:1: prompt: invalid type: sequence, expected a string (column 19)"),
        ("dataset/tickets.jsonl", "{\"id\":\"A\",\"prompt\":\"p\"}\n\n{\"id\":\"A\",\"prompt\":\"q\"}\n".as_bytes(), "arm/../dataset/tickets.jsonl:3: ticket id `A` was already given in line 1; ids must be unique"),
        ("dataset/tickets.jsonl", "{\"id\":\"A\",\"prompt\":\"p\"\n".as_bytes(), "arm/../dataset/tickets.jsonl:1: not a complete JSON object: EOF while parsing an object (column 22)"),
        ("dataset/tickets.jsonl", "{\"id\":\"A\",\"prompt\":\"p\"}{}\n".as_bytes(), "arm/../dataset/tickets.jsonl:1: text after the end of the JSON object; expected one object a line"),
        (
            "dataset/tickets.jsonl",
            "[1]\n".as_bytes(),
            r#"arm/../dataset/tickets.jsonl:1: a list, not an object; expected one JSON object a line, such as {"...": ...}"#,
        ),
        ("dataset/tickets.jsonl", b"{\"id\":\"A\",\"prompt\":\"\xff\"}\n", "arm/../dataset/tickets.jsonl:1: not valid UTF-8; expected one JSON object"),
        ("dataset/tickets.jsonl", "{\"id\":\"A\",\"prompt\":\"p\",\"sources\":[{\"id\":\"S\",\"text\":\"t\",\"titel\":\"x\"}]}\n".as_bytes(), "arm/../dataset/tickets.jsonl:1: sources[0]: unknown key `titel`; did you mean `title`? (known here: id, title, text) (column 62)"),
        ("dataset/tickets.jsonl", "{\"id\":\"A\",\"prompt\":\"p\",\"sources\":[{\"id\":\"S\",\"text\":\"t\"},{\"id\":\"S\",\"text\":\"u\"}]}\n".as_bytes(), "arm/../dataset/tickets.jsonl:1: sources[1]: id `S` comes twice in this ticket"),
        ("dataset/tickets.jsonl", "{\"id\":\"A\",\"prompt\":\"p\",\"checks\":[{\"id\":\"c\",\"rule\":\"contain\",\"value\":\"x\"}]}\n".as_bytes(), "arm/../dataset/tickets.jsonl:1: checks[0].rule: `contain` is not known; did you mean `contains`? (known: contains, absent, regex, number, money, date, min_words, max_words, min_chars, max_chars, json_schema) (column 59)"),
        ("dataset/tickets.jsonl", "{\"id\":\"A\",\"prompt\":\"p\",\"checks\":[{\"id\":\"c\",\"rule\":\"max_words\",\"value\":\"x\"}]}\n".as_bytes(), r#"arm/../dataset/tickets.jsonl:1: checks[0] `c`: value must be a whole number, not "x""#),
        ("dataset/tickets.jsonl", "{\"id\":\"A\",\"prompt\":\"p\",\"checks\":[{\"id\":\"c\",\"rule\":\"contains\",\"value\":3}]}\n".as_bytes(), "arm/../dataset/tickets.jsonl:1: checks[0] `c`: value must be a string, not 3"),
        ("dataset/tickets.jsonl", "{\"id\":\"A\",\"prompt\":\"p\",\"checks\":[{\"id\":\"c\",\"rule\":\"regex\",\"value\":\"([\"}]}\n".as_bytes(), "arm/../dataset/tickets.jsonl:1: checks[0] `c`: not a regular expression: unclosed character class"),
        ("dataset/tickets.jsonl", "{\"id\":\"A\",\"prompt\":\"p\",\"checks\":[{\"id\":\"c\",\"rule\":\"json_schema\",\"value\":3}]}\n".as_bytes(), "arm/../dataset/tickets.jsonl:1: checks[0] `c`: value must be a JSON Schema (an object, true or false), not 3"),
        ("dataset/tickets.jsonl", "{\"id\":\"A\",\"prompt\":\"p\",\"checks\":[{\"id\":\"c\",\"rule\":\"json_schema\",\"value\":{\"$ref\":\"https://example.com/s.json\"}}]}\n".as_bytes(), "arm/../dataset/tickets.jsonl:1: checks[0] `c`: not a JSON Schema that can be used here: Resource 'https://example.com/s.json' is not present in a registry and retrieving it failed: Retrieval is disabled, cannot fetch https://example.com/s.json"),
        ("dataset/tickets.jsonl", "{\"id\":\"A\",\"prompt\":\"p\",\"checks\":[{\"id\":\"c\",\"rule\":\"json_schema\",\"value\":{\"type\":\"objekt\"}}]}\n".as_bytes(), r#"arm/../dataset/tickets.jsonl:1: checks[0] `c`: not a JSON Schema that can be used here: at `/type`: "objekt" is not valid under any of the schemas listed in the 'anyOf' keyword"#),
        ("dataset/tickets.jsonl", "{\"id\":\"A\",\"prompt\":\"p\",\"defects\":[{\"class\":\"vague\",\"quote\":\" \"}]}\n".as_bytes(), "arm/../dataset/tickets.jsonl:1: defects[0].quote: expected the draft's words; leave it out for a defect of the whole draft"),
        ("dataset/tickets.jsonl", "{\"id\":\"A\",\"prompt\":\"p\",\"checks\":[{\"id\":\"c\",\"rule\":\"absent\",\"value\":\"x\"},{\"id\":\"c\",\"rule\":\"absent\",\"value\":\"y\"}]}\n".as_bytes(), "arm/../dataset/tickets.jsonl:1: checks[1]: id `c` comes twice in this ticket"),
    ]);
    let csv = |text: &str| {
        let (dir, arm) = damaged("dataset/tickets.jsonl", NO_FILE);
        std::fs::write(dir.path().join("dataset/tickets.csv"), text).unwrap();
        said(&arm)
    };
    assert_eq!(csv("id,prompt\nA,p\n"), "");
    assert_eq!(csv("name,prompt\nA,p\n"), "arm/../dataset/tickets.csv:1: no column `id`; expected a header with id and prompt");
    assert_eq!(csv("id,prompt\nA,p\nA,q\n"), "arm/../dataset/tickets.csv:3: ticket id `A` was already given in line 2; ids must be unique");
    assert_eq!(csv("id,prompt\n,p\n"), "arm/../dataset/tickets.csv:2: id must not be empty");
}

#[test]
fn broken_loops_are_told_with_place_and_cure() {
    check(&[("arm/loop.toml", NO_FILE, "arm/loop.toml: failed to read the loop's spec: no such file or folder")]);
    check_edits(
        "arm/loop.toml",
        SPEC,
        &[
            ("version = 1", "version = 2", "arm/loop.toml: version: 2 of the loop format is not known; expected 1"),
            ("dataset = \"../dataset\"\n", "", "arm/loop.toml:1: missing key `dataset`"),
            (
                r#"match = "slot""#,
                r#"match = "slots""#,
                "arm/loop.toml:3: match: `slots` is not known; did you mean `slot`? (known: key, slot)",
            ),
            (
                r#"match = "slot""#,
                r#"mach = "slot""#,
                "arm/loop.toml:3: unknown key `mach`; did you mean `match`? (known here: version, dataset, about, synthetic, samples, coverage, reuse, match, ignore, sections, trim, model, prices, parts, writer, critic, reviser, anchor, guards, bounds, stop)",
            ),
            (
                r#"provider = "openai-chat""#,
                r#"provider = "openai-chats""#,
                "arm/loop.toml: model.provider: `openai-chats` is not known; did you mean `openai-chat`? (known: openai-chat, openai-responses, anthropic, gemini, ollama)",
            ),
            (
                r#"name = "m""#,
                r#"name = "m", temperature = 0"#,
                "arm/loop.toml:4: model: unknown key `temperature` (known here: provider, name, params)",
            ),
            (
                "writer = { prompt",
                "writer = { promt",
                "arm/loop.toml:5: writer: unknown key `promt`; did you mean `prompt`? (known here: model, system, prompt, params, response_format)",
            ),
            (
                r#"format = "prose""#,
                r#"format = "finding""#,
                "arm/loop.toml: critic.format: `finding` is not known; did you mean `findings`? (known: prose, findings, grounded)",
            ),
            (
                r#"strategy = "whole""#,
                r#"strategy = "serial""#,
                r#"arm/loop.toml: reviser.strategy: a prose critique has no findings to apply one by one; expected `whole`, or critic.format = "findings""#,
            ),
            (
                r#"strategy = "whole""#,
                r#"strategy = "parallel""#,
                "arm/loop.toml:7: reviser.strategy: `parallel` is not known (known: whole, batched, serial)",
            ),
            (
                "max_passes = 0",
                "max_passes = -1",
                "arm/loop.toml:8: bounds.max_passes: invalid value: integer `-1`, expected a whole number, 0 or more",
            ),
            (
                "max_passes = 0",
                "max_passes = 0, max_cost_usd = 1.5",
                "arm/loop.toml: bounds.max_cost_usd: cannot be kept unless writer's model has a price and writer.params a max_tokens",
            ),
            ("bounds =", "samples = 0\nbounds =", "arm/loop.toml: samples: expected at least 1"),
            ("bounds =", "anchor = { threshold = 1.5 }\nbounds =", "arm/loop.toml: anchor.threshold: 1.5 is not between 0 and 1"),
            (
                "bounds =",
                "guards = { locality = \"enforce\" }\nbounds =",
                r#"arm/loop.toml: guards: with match = "slot" the requests are unknown, so a guard can only observe; set it to "observe" or "off""#,
            ),
            (
                "bounds =",
                "sections = \"page\"\nbounds =",
                "arm/loop.toml:8: sections: `page` is not known (known: auto, paragraph, line, heading, sentence)",
            ),
            (
                "bounds =",
                "prices = { m = { input = -1, output = 1 } }\nbounds =",
                r#"arm/loop.toml: prices."m".input: -1 is not a price in US dollars"#,
            ),
            (
                r#"critic = { format = "prose","#,
                r#"critic = { format = "prose", context = "conversation", system = "s","#,
                r#"arm/loop.toml: critic.system: a conversation keeps the writer's system prompt; remove it, or set critic.context = "fresh""#,
            ),
            (
                r#"prompt = "{{ draft }}""#,
                r#"prompt = "{{ draft ""#,
                "arm/loop.toml: critic.prompt: syntax error: unexpected end of input, expected end of variable block (in critic.prompt:1)",
            ),
            (
                r#"prompt = "{{ ticket.prompt }}""#,
                r#"prompt = "{{ ticket.promt }}""#,
                "fault at writer pass 0: writer.prompt: undefined value: `ticket.promt` is undefined (in writer.prompt:1)",
            ),
            (
                r#"prompt = "{{ ticket.prompt }}""#,
                r#"prompt = "p", response_format = "{""#,
                "arm/loop.toml: writer.response_format: not JSON: EOF while parsing an object at line 1 column 1",
            ),
            (
                r#"dataset = "../dataset""#,
                r#"dataset = "../data""#,
                "arm/../data/dataset.toml: failed to read the dataset's description: no such file or folder",
            ),
            ("reviser = {", "reviser = ", "arm/loop.toml:7: unexpected key or value, expected newline, `#`"),
        ],
    );
}

#[test]
fn broken_calls_are_told_with_place_and_cure() {
    check(&[
        (
            "arm/calls.jsonl",
            NO_FILE,
            "arm: no calls.jsonl (or calls.jsonl.zst) in this arm; docs/formats.md says how to write one, and an empty file will do to begin with",
        ),
        ("arm/calls.jsonl", b"", "fault at writer pass 0: no call was recorded"),
        (
            "arm/calls.jsonl",
            format!("{CALL}{}", CALL).as_bytes(),
            "arm/calls.jsonl:2: a second call for writer pass 0, ticket `A`; the first is in line 1. It says the same: `redraft pack` makes one of the two",
        ),
        (
            "arm/calls.jsonl",
            format!("{CALL}{}", "no json\n").as_bytes(),
            "arm/calls.jsonl:2: not a complete JSON object: expected ident (column 2)",
        ),
        ("arm/calls.jsonl", format!("{CALL}{}", "{\"v\":1}\n").as_bytes(), "arm/calls.jsonl:2: missing key `slot` (column 7)"),
    ]);
    check_edits(
        "arm/calls.jsonl",
        CALL,
        &[
            (r#""v":1"#, r#""v":2"#, "arm/calls.jsonl:1: v: version 2 of the call format is not known; expected 1"),
            (r#""v":1,"#, "", "arm/calls.jsonl:1: missing key `v` (column 146)"),
            (
                r#""slot":{"ticket":"A""#,
                r#""slot":{"tickt":"A""#,
                "arm/calls.jsonl:1: slot: unknown key `tickt`; did you mean `ticket`? (known here: ticket, sample, pass, role, n) (column 22)",
            ),
            (
                r#""role":"writer""#,
                r#""role":"author""#,
                "arm/calls.jsonl:1: slot.role: `author` is not known (known: writer, critic, reviser, judge) (column 52)",
            ),
            (
                r#""pass":0"#,
                r#""pass":"0""#,
                r#"arm/calls.jsonl:1: slot.pass: invalid type: string "0", expected a whole number, 0 or more (column 38)"#,
            ),
            (
                r#""status":200"#,
                r#""status":200,"header":{}"#,
                "arm/calls.jsonl:1: response: unknown key `header`; did you mean `headers`? (known here: status, headers, body) (column 87)",
            ),
            (r#""status":200"#, r#""status":529"#, "fault at writer pass 0: no successful attempt: status 529 after 1 attempt(s)"),
            (r#""choices""#, r#""choice""#, "fault at writer pass 0: expected a chat completion with `choices[0]`, found none"),
            (
                r#""content":"d""#,
                r#""content":7"#,
                "fault at writer pass 0: expected a chat completion: invalid type: integer `7`, expected a text or a list of content parts at line 1 column 35",
            ),
        ],
    );
}
