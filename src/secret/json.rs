//! The strings of a JSON text where they stand, so that one can be named by its pointer and replaced without touching a byte beside it.

use std::borrow::Cow;
use std::ops::Range;

/// A string of a JSON text.
pub struct Text<'a> {
    /// With its quotation marks, in bytes of the JSON text.
    pub raw: Range<usize>,
    pub value: Cow<'a, str>,
    /// Of the nearest object around it: the name it is the value of (a list's strings have that of the list). None for a name itself.
    pub name: Option<&'a str>,
    /// RFC 6901, of the value; for a name, that of its object.
    pub pointer: &'a Pointer,
}

/// Where a value stands in a document.
#[derive(Default)]
pub struct Pointer(Vec<Step>);

enum Step {
    Name(String),
    Index(usize),
}

impl Pointer {
    /// As RFC 6901 writes it, each name passed through `shown` first: names come from data.
    pub fn written(&self, shown: impl Fn(&str) -> String) -> String {
        let mut out = String::new();
        for step in &self.0 {
            out.push('/');
            match step {
                Step::Name(name) => out.push_str(&shown(name).replace('~', "~0").replace('/', "~1")),
                Step::Index(at) => out.push_str(&at.to_string()),
            }
        }
        out
    }

    fn name(&self) -> Option<&str> {
        self.0.iter().rev().find_map(|step| match step {
            Step::Name(name) => Some(name.as_str()),
            Step::Index(_) => None,
        })
    }
}

/// Shows every string of a JSON text, names too, in order. False where the text is not JSON: then nothing was shown.
pub fn strings(json: &str, mut see: impl FnMut(Text<'_>)) -> bool {
    if serde_json::from_str::<serde::de::IgnoredAny>(json).is_err() {
        return false;
    }
    // What follows relies on the text being JSON, and only looks at what opens, closes and parts.
    let bytes = json.as_bytes();
    let mut pointer = Pointer::default();
    // True for an object.
    let mut open: Vec<bool> = vec![];
    let mut at = 0;
    while let Some(b) = bytes.get(at) {
        match b {
            b'{' => open.push(true),
            b'[' => {
                open.push(false);
                pointer.0.push(Step::Index(0));
            }
            b'}' => {
                open.pop();
                leave(&mut pointer, &open);
            }
            b']' => {
                open.pop();
                pointer.0.pop();
                leave(&mut pointer, &open);
            }
            b',' => {
                if let (Some(false), Some(Step::Index(n))) = (open.last(), pointer.0.last_mut()) {
                    *n += 1;
                }
            }
            b'"' => {
                let end = string_end(bytes, at);
                let value = decoded(&json[at..end]);
                let rest = bytes[end..].iter().position(|b| !b.is_ascii_whitespace()).map(|skip| bytes[end + skip]);
                if open.last() == Some(&true) && rest == Some(b':') {
                    see(Text { raw: at..end, value: Cow::Borrowed(&value), name: None, pointer: &pointer });
                    pointer.0.push(Step::Name(value.into_owned()));
                } else {
                    see(Text { raw: at..end, value, name: pointer.name(), pointer: &pointer });
                    leave(&mut pointer, &open);
                }
                at = end;
                continue;
            }
            b' ' | b'\t' | b'\n' | b'\r' | b':' => {}
            // A number, true, false or null.
            _ => {
                at += bytes[at..].iter().position(|b| b",]} \t\r\n".contains(b)).unwrap_or(bytes.len() - at);
                leave(&mut pointer, &open);
                continue;
            }
        }
        at += 1;
    }
    true
}

/// A value of an object has ended: its name is left.
fn leave(pointer: &mut Pointer, open: &[bool]) {
    if open.last() == Some(&true) {
        pointer.0.pop();
    }
}

/// Behind the closing mark of the string that begins at `at`.
fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while let Some(b) = bytes.get(end) {
        match b {
            b'\\' => end += 2,
            b'"' => return end + 1,
            _ => end += 1,
        }
    }
    bytes.len()
}

fn decoded(raw: &str) -> Cow<'_, str> {
    if raw.contains('\\') {
        return serde_json::from_str::<String>(raw).map_or(Cow::Borrowed(""), Cow::Owned);
    }
    Cow::Borrowed(raw.get(1..raw.len() - 1).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn all(json: &str) -> Vec<(String, String, Option<String>)> {
        let mut out = vec![];
        assert!(strings(json, |text| {
            assert_eq!(serde_json::from_str::<String>(&json[text.raw.clone()]).unwrap(), text.value);
            out.push((text.pointer.written(str::to_owned), text.value.to_string(), text.name.map(str::to_owned)));
        }));
        out
    }

    #[test]
    fn every_string_has_its_pointer() {
        let want = |rows: &[(&str, &str, Option<&str>)]| -> Vec<(String, String, Option<String>)> {
            rows.iter().map(|(a, b, c)| ((*a).to_owned(), (*b).to_owned(), c.map(str::to_owned))).collect()
        };
        assert_eq!(
            all(r#"{"a": {"b/~": ["x", 1, {"c": "y"}, "z\"\u00e9"]}, "d" : "w"}"#),
            want(&[
                ("", "a", None),
                ("/a", "b/~", None),
                ("/a/b~1~0/0", "x", Some("b/~")),
                ("/a/b~1~0/2", "c", None),
                ("/a/b~1~0/2/c", "y", Some("c")),
                ("/a/b~1~0/3", "z\"é", Some("b/~")),
                ("", "d", None),
                ("/d", "w", Some("d")),
            ])
        );
        assert_eq!(all(r#""x""#), want(&[("", "x", None)]));
        assert_eq!(all(r#"[[], {}, null, true, -1e9, "x"]"#), want(&[("/5", "x", None)]));
        assert!(!strings("{\"a\": ", |_| panic!("nothing is shown")));
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            ".{0,6}".prop_map(Value::from)
        ];
        leaf.prop_recursive(4, 24, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::hash_map(".{0,4}", inner, 0..5).prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_pointer_leads_to_its_string(value in any_json(), pretty in any::<bool>()) {
            let json = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
            let mut values = 0;
            let is_json = strings(&json, |text| {
                let there = value.pointer(&text.pointer.written(str::to_owned)).expect("a value");
                if there.is_string() && !json[text.raw.end..].trim_start().starts_with(':') {
                    values += 1;
                    assert_eq!(there.as_str(), Some(&*text.value));
                }
            });
            prop_assert!(is_json);
            fn count(value: &Value) -> usize {
                match value {
                    Value::String(_) => 1,
                    Value::Array(list) => list.iter().map(count).sum(),
                    Value::Object(map) => map.values().map(count).sum(),
                    _ => 0,
                }
            }
            prop_assert_eq!(values, count(&value));
        }
    }
}
