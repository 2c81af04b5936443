//! Templates that come from anywhere: compiled on a stack that their nesting cannot overflow, rendered with a budget of work and memory.

use std::borrow::Cow;
use std::collections::BTreeMap;

use minijinja::value::{Kwargs, StringInput, Value};
use minijinja::{Environment, Error, ErrorKind, State};

/// Most bytes that the tags of one template may hold (text between tags is free). The compiler goes one call deeper an operator, so this
/// bounds its stack; a long prompt has some hundred bytes of tags.
const CODE_BYTES_MAX: usize = 1 << 14;

/// Room for `CODE_BYTES_MAX` operators, each a few calls deep. Only what is used of it is ever backed by memory.
const STACK_BYTES: usize = CODE_BYTES_MAX << 13;

/// What one rendering may cost: about as many instructions, or 64 bytes of text made or looked at for each. A draft of ten megabytes in a
/// prompt takes a tenth of it.
pub const FUEL: u64 = 2_000_000;

/// Compiles templates into `environment`, in the order given. The error names the template.
pub fn compile(environment: &mut Environment<'static>, sources: Vec<(String, String)>) -> Result<(), String> {
    for (name, source) in &sources {
        let code = code_bytes(source);
        if code > CODE_BYTES_MAX {
            return Err(format!(
                "{name}: its tags hold {code} bytes, more than {CODE_BYTES_MAX}; move the text out of {{{{ }}}} and {{% %}}"
            ));
        }
    }
    environment.add_filter("tojson", tojson);
    environment.add_filter("join", join);
    let add = || {
        sources
            .into_iter()
            .try_for_each(|(name, source)| environment.add_template_owned(name.clone(), source).map_err(|e| format!("{name}: {e}")))
    };
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().name("templates".into()).stack_size(STACK_BYTES);
        let compiler = builder.spawn_scoped(scope, add).map_err(|e| format!("failed to start a thread for the templates: {e}"))?;
        compiler.join().unwrap_or_else(|_| Err("a template could not be compiled".into()))
    })
}

/// A piece of a template that is nothing but text and places, as most are: filling it in takes no interpreter.
pub enum Piece {
    Text(String),
    /// `{{ ticket.prompt }}` as its names.
    Place(Vec<String>),
}

/// The pieces of a template; None where it holds anything else.
pub fn pieces(source: &str) -> Option<Vec<Piece>> {
    let mut out = vec![];
    let (mut text, mut rest) = (String::new(), source);
    while let Some(at) = rest.find('{') {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        match rest.as_bytes().first() {
            Some(b'{') => {
                let (inside, after) = rest[1..].split_once("}}")?;
                let names: Vec<String> = inside.trim_matches([' ', '\n']).split('.').map(str::to_owned).collect();
                if !names.iter().all(|name| is_name(name)) {
                    return None;
                }
                out.extend([Piece::Text(std::mem::take(&mut text)), Piece::Place(names)]);
                rest = after;
            }
            Some(b'%' | b'#') => return None,
            _ => text.push('{'),
        }
    }
    text.push_str(rest);
    out.push(Piece::Text(text));
    Some(out)
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// What is larger is left to the template language, which has a budget.
const FILLED_MAX: usize = 1 << 20;

/// What most prompts are shorter than.
const ROOM: usize = 4096;

/// The template, filled in. None where a place is no text: the template language knows how such a value is written, or what is wrong with it.
pub fn fill(pieces: &[Piece], vars: &BTreeMap<&'static str, Value>) -> Option<String> {
    let mut out = String::with_capacity(ROOM);
    for piece in pieces {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Place(names) => {
                let (first, others) = names.split_first()?;
                let mut value = Cow::Borrowed(vars.get(first.as_str())?);
                for name in others {
                    value = Cow::Owned(value.get_attr(name).ok()?);
                }
                out.push_str(value.as_str()?);
            }
        }
        if out.len() > FILLED_MAX {
            return None;
        }
    }
    Some(out)
}

/// Most bytes that `join` may make: it asks the budget for what it puts between items, and not for the items.
const JOINED_MAX: usize = 1 << 26;

fn join(state: &mut State, value: &Value, joiner: Option<StringInput<'_>>, attribute: Option<&str>, named: Kwargs) -> Result<Value, Error> {
    let length = |item: &Value| item.as_str().map_or_else(|| item.to_string().len(), str::len);
    let field = attribute.or(named.peek("attribute").ok());
    let mut bytes = 0usize;
    for item in value.try_iter().into_iter().flatten() {
        bytes += field.map_or_else(|| length(&item), |name| item.get_attr(name).map_or(0, |value| length(&value)));
        if bytes > JOINED_MAX {
            return Err(Error::new(ErrorKind::OutOfFuel, format!("join: its items are more than {JOINED_MAX} bytes")));
        }
    }
    minijinja::filters::join(state, value, joiner, attribute, named)
}

/// Widest indent of `tojson`: it is the one filter whose text is made before the budget is asked.
const INDENT_MAX: i64 = 16;

fn tojson(value: &Value, indent: Option<Value>, named: Kwargs) -> Result<Value, Error> {
    let asked = indent.clone().or(named.peek::<Option<Value>>("indent").ok().flatten());
    if asked.and_then(|n| i64::try_from(n).ok()).is_some_and(|n| n > INDENT_MAX) {
        return Err(Error::new(ErrorKind::InvalidOperation, format!("tojson: indent is at most {INDENT_MAX}")));
    }
    minijinja::filters::tojson(value, indent, named)
}

/// Bytes inside `{{ }}` and `{% %}`, as the template language finds them: a delimiter in a string, in brackets, in a comment or in a raw
/// block is none.
fn code_bytes(source: &str) -> usize {
    let (mut rest, mut code) = (source, 0);
    while let Some(at) = rest.find('{') {
        let tag = &rest[at + 1..];
        rest = match tag.as_bytes().first() {
            Some(b'#') => tag[1..].find("#}").map_or("", |end| &tag[1 + end + 2..]),
            Some(b'%') => match tag_named(&tag[1..], "raw") {
                Some(body) => after_raw(body),
                None => tag_end(&tag[1..], "%}", &mut code),
            },
            Some(b'{') => tag_end(&tag[1..], "}}", &mut code),
            _ => tag,
        };
    }
    code
}

/// What follows the tag whose inside `text` starts with; its bytes are added to `code`.
fn tag_end<'t>(text: &'t str, close: &str, code: &mut usize) -> &'t str {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0i64);
    while at < bytes.len() {
        if depth == 0 && bytes[at..].starts_with(close.as_bytes()) {
            *code += at;
            return text.get(at + close.len()..).unwrap_or_default();
        }
        match bytes[at] {
            quote @ (b'"' | b'\'') => {
                at += 1;
                while at < bytes.len() && bytes[at] != quote {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    *code += bytes.len();
    ""
}

/// What follows a tag that holds nothing but `name`, where `text` starts inside it.
fn tag_named<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let blank = |c: char| c.is_ascii_whitespace();
    let inside = text.strip_prefix(['-', '+']).unwrap_or(text).trim_start_matches(blank).strip_prefix(name)?.trim_start_matches(blank);
    inside.strip_prefix(['-', '+']).unwrap_or(inside).strip_prefix("%}")
}

fn after_raw(mut body: &str) -> &str {
    while let Some(at) = body.find("{%") {
        body = &body[at + 2..];
        if let Some(rest) = tag_named(body, "endraw") {
            return rest;
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tags_are_code() {
        for (source, want) in [
            ("", 0),
            ("a { b } {c", 0),
            ("a {{ b }} c", 3),
            ("{{ {'a': {'b': 1}} }}", 17),
            ("{{ '}}' }}{{ \"\\\"}}\" }}", 14),
            ("{# {{ a #}{{ b }}", 3),
            ("{% raw %}{{ ' {# {% endraw %}{{ b }}", 3),
            ("{%- raw -%} x {%- endraw +%}{% if a %}", 6),
            ("{{ open é", 8),
            ("{{ '\\", 3),
        ] {
            assert_eq!(code_bytes(source), want, "{source}");
        }
    }

    fn outcome(source: &str) -> Result<String, String> {
        let mut environment = Environment::new();
        environment.set_fuel(Some(FUEL));
        compile(&mut environment, vec![("writer.prompt".into(), source.into())])?;
        environment.get_template("writer.prompt").unwrap().render(()).map_err(|e| e.to_string())
    }

    #[test]
    fn filling_in_is_what_the_template_language_does() {
        let case = Value::from_pairs([("prompt", Value::from("a\r\n{{ b }}")), ("n", Value::from(7))]);
        let vars = BTreeMap::from([("ticket", case), ("draft", Value::from("é\n"))]);
        let rendered = |source: &str| {
            let mut environment = Environment::new();
            environment.set_undefined_behavior(minijinja::UndefinedBehavior::Strict);
            let syntax = minijinja::syntax::SyntaxConfig::builder().keep_trailing_newline(true).build().unwrap();
            environment.set_syntax(syntax);
            let context = Value::from_pairs(vars.iter().map(|(name, value)| (*name, value.clone())));
            environment.render_str(source, context).ok()
        };
        for (source, filled) in [
            ("", true),
            ("a { b } {\n\r\n", true),
            ("<{{ ticket.prompt }}>{{draft}}\n", true),
            ("{\n{{\ndraft }}}} }}", true),
            ("{{ ticket.n }}", false),
            ("{{ ticket.none }}", false),
            ("{{ nobody }}", false),
            ("{{- draft }}", false),
            ("{{ draft|upper }}", false),
            ("{{ 'a' }}", false),
            ("{{ draft", false),
            ("{% if draft %}{{ draft }}{% endif %}", false),
            ("{# x #}", false),
        ] {
            let plain = pieces(source).and_then(|pieces| fill(&pieces, &vars));
            assert_eq!(plain.is_some(), filled, "{source}");
            if filled {
                assert_eq!(plain, rendered(source), "{source}");
            }
        }
    }

    #[test]
    fn no_nesting_overflows_the_stack() {
        let chain = |open: &str, link: &str, count: usize, close: &str| format!("{open}{}{close}", link.repeat(count));
        for (open, link, close) in [
            ("{{ 1", "+1", " }}"),
            ("{{ 1", "|string", " }}"),
            ("{{ [1]", "[0]", " }}"),
            ("{{ a", ".b", " }}"),
            ("{{ ", "-", "1 }}"),
            ("{{ ", "not ", "1 }}"),
            ("{{ ", "1 if 1 else ", "1 }}"),
            ("{{ '}}'", "~'}}'", " }}"),
            ("{% raw %}{#{% endraw %}{{ 1", "+1", " }}"),
            ("{% if 0 %}", "{% elif 0 %}", "{% endif %}"),
        ] {
            let refused = outcome(&chain(open, link, 200_000, close)).unwrap_err();
            assert!(refused.contains("its tags hold"), "{open}{link}: {refused}");
            // Just below the limit it compiles, or is refused by the compiler; it returns either way.
            let _ = outcome(&chain(open, link, (CODE_BYTES_MAX - 64) / link.len(), close));
        }
    }

    #[test]
    fn rendering_has_a_budget() {
        for source in [
            "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
            "{% for i in range(1000) %}{{ 'a' * 99999999 }}{% endfor %}",
            "{% set x = 'a' * 9999999 %}{% set x = x ~ x %}{% set x = x ~ x %}{% set x = x ~ x %}{% set x = x ~ x %}",
            "{{ ('a' * 1000000)|replace('a', 'b' * 1000000) }}",
            "{{ ('a\n' * 1000000)|indent(1000000) }}",
            "{{ [1]|batch(99999999999, 1)|list }}",
            "{{ [1]|slice(9999999999)|list }}",
            "{{ [1]|tojson(indent=99999999999) }}",
            "{{ (['a' * 100000] * 100000)|join }}",
            "{{ ([{'b': 'a' * 100000}] * 100000)|join(attribute='b') }}",
            "{{ ([{'b': 'a' * 100000}] * 100000)|join('', 'b') }}",
            "{{ ([['a' * 100000]] * 100000)|join }}",
        ] {
            let refused = outcome(source).unwrap_err();
            assert!(refused.contains("fuel") || refused.contains("indent"), "{source}: {refused}");
        }
        assert_eq!(outcome("{{ ['a', 'b', 1]|join(', ') }}").unwrap(), "a, b, 1");
        assert_eq!(outcome("{{ [{'c': 'a'}, {'c': 'b'}]|join('', attribute='c') }}").unwrap(), "ab");
        assert_eq!(outcome("{% for i in range(3) %}{{ i }}{% endfor %}").unwrap(), "012");
        assert!(outcome("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}").unwrap_err().contains("recursion"));
    }
}
