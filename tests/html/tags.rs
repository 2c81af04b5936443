//! A page's elements, read strictly: every tag closed in order, every attribute quoted, no attribute twice, no bare `<`.

use std::collections::BTreeMap;

/// One element, with all the text in it.
#[derive(Debug, Default)]
pub struct Element {
    pub name: String,
    pub attributes: BTreeMap<String, String>,
    pub text: String,
}

const VOID: [&str; 2] = ["meta", "input"];

/// All elements, in the order in which they end.
pub fn elements(page: &str) -> Result<Vec<Element>, String> {
    let mut rest = page.strip_prefix("<!DOCTYPE html>").ok_or("no document type")?;
    let (mut open, mut done): (Vec<Element>, Vec<Element>) = (vec![], vec![]);
    loop {
        let raw = open.last().filter(|element| ["script", "style"].contains(&element.name.as_str()));
        let next = raw.map_or_else(|| rest.find('<'), |element| rest.find(&format!("</{}>", element.name)));
        let Some(at) = next else { break };
        // Style and script are text to the end of their element, without references.
        let text = if raw.is_some() { rest[..at].to_owned() } else { unescaped(&rest[..at])? };
        open.iter_mut().for_each(|element| element.text.push_str(&text));
        let end = at + end_of_tag(&rest[at..])?;
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            let element = open.pop().filter(|element| element.name == name).ok_or(format!("</{name}> closes another element"))?;
            done.push(element);
            continue;
        }
        let element = element(tag.strip_suffix('/').unwrap_or(tag))?;
        let ends = VOID.contains(&element.name.as_str()) || tag.ends_with('/');
        if ends { done.push(element) } else { open.push(element) }
    }
    if open.is_empty() && rest.trim().is_empty() { Ok(done) } else { Err(format!("{} elements left open, {rest:?}", open.len())) }
}

/// Where a tag ends: the first `>` outside of quotation marks.
fn end_of_tag(tag: &str) -> Result<usize, String> {
    let mut quoted = false;
    let end = tag.char_indices().find(|(_, c)| {
        quoted ^= *c == '"';
        *c == '>' && !quoted
    });
    end.map(|(at, _)| at).ok_or_else(|| "a tag without an end".to_owned())
}

fn element(tag: &str) -> Result<Element, String> {
    let tag = tag.trim_end();
    let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric()) {
        return Err(format!("<{name}> is no element"));
    }
    let mut out = Element { name: name.to_owned(), ..Element::default() };
    while !rest.trim().is_empty() {
        rest = rest.trim_start();
        let end = rest.find(['=', ' ']).unwrap_or(rest.len());
        let (key, tail) = rest.split_at(end);
        let (value, tail) = match tail.strip_prefix("=\"") {
            Some(tail) => tail.split_once('"').ok_or("an open quotation")?,
            None if tail.starts_with('=') => return Err(format!("{key} is not quoted")),
            None => ("", tail),
        };
        if !key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == ':') {
            return Err(format!("{key:?} is no attribute"));
        }
        if out.attributes.insert(key.to_owned(), unescaped(value)?).is_some() {
            return Err(format!("{key} twice"));
        }
        rest = tail;
    }
    Ok(out)
}

fn unescaped(text: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        let end = at + rest[at..].find(';').ok_or("a bare &")?;
        out.push(match &rest[at..=end] {
            "&amp;" => '&',
            "&lt;" => '<',
            "&gt;" => '>',
            "&quot;" => '"',
            "&#39;" => '\'',
            "&#13;" => '\r',
            other => return Err(format!("unknown reference {other}")),
        });
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
    Ok(out)
}
