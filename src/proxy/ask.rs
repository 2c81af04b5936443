//! What a client asks: the wire form its path stands for, its body, and the place that its own headers give it.

use serde_json::Value;

use super::http::Request;
use crate::api::stream::{self, Stream};
use crate::api::{self, Wire};
use crate::model::Role;

/// Headers of ours, which never go on.
pub const OURS: &str = "x-redraft-";

/// Where a client says that its call belongs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
    pub ticket: Option<String>,
    pub sample: Option<u32>,
    pub pass: Option<u32>,
    pub role: Option<Role>,
    pub n: Option<u32>,
}

/// A call, understood.
pub struct Asked {
    pub wire: &'static dyn Wire,
    pub stream: &'static dyn Stream,
    pub body: Value,
    /// As it came.
    pub text: String,
    pub said: Said,
    /// The client made this very call before, and had no answer to it.
    pub again: bool,
}

/// The wire form that a path stands for. A client's base URL may end in `/v1` or not.
pub fn wire(path: &str) -> Option<(&'static dyn Wire, &'static dyn Stream)> {
    let path = path.trim_end_matches('/');
    stream::KNOWN.iter().find_map(|stream| {
        let wire = api::by_name(stream.name())?;
        let short = wire.endpoint().strip_prefix("/v1")?;
        (path == wire.endpoint() || path == short).then_some((wire, *stream))
    })
}

/// Paths that are answered, for people.
pub fn paths() -> String {
    let all: Vec<&str> = stream::KNOWN.iter().filter_map(|stream| Some(api::by_name(stream.name())?.endpoint())).collect();
    all.join(", ")
}

impl Said {
    /// The error says which header is wrong.
    pub fn of(request: &Request) -> Result<Said, String> {
        let mut said = Said::default();
        for (name, value) in request.headers.iter().filter(|(name, _)| name.starts_with(OURS)) {
            let number = || value.parse::<u32>().map_err(|_| format!("{name}: expected a whole number, 0 or more"));
            match &name[OURS.len()..] {
                // Ids may be of any letters, which headers carry percent-encoded.
                "ticket" => said.ticket = Some(decoded(value).ok_or_else(|| format!("{name}: expected UTF-8, percent-encoded"))?),
                "sample" => said.sample = Some(number()?),
                "pass" => said.pass = Some(number()?),
                "n" => said.n = Some(number()?),
                "role" => {
                    let roles = [Role::Writer, Role::Critic, Role::Reviser, Role::Judge];
                    let role = roles.into_iter().find(|role| role.name() == value);
                    said.role = Some(role.ok_or_else(|| format!("{name}: expected writer, critic, reviser or judge"))?);
                }
                _ => return Err(format!("{name} is no header of redraft; expected ticket, sample, pass, role or n behind {OURS}")),
            }
        }
        Ok(said)
    }

    pub fn is_empty(&self) -> bool {
        *self == Said::default()
    }
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = || std::str::from_utf8(after.get(..2)?).ok().and_then(|two| u8::from_str_radix(two, 16).ok());
        match (*first == b'%').then(hex).flatten() {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

impl Asked {
    /// The error is a status and what to say with it.
    pub fn of(request: &Request) -> Result<Asked, (u16, String)> {
        let (wire, stream) =
            wire(request.path()).ok_or_else(|| (404, format!("{} is not passed through; spoken here are {}", request.path(), paths())))?;
        if request.method != "POST" {
            return Err((405, format!("{} is asked with POST", wire.endpoint())));
        }
        // A page in a browser can send a form to loopback without being asked, but no JSON.
        let kind = request.header("content-type").unwrap_or_default().split(';').next().unwrap_or_default().trim();
        if !kind.eq_ignore_ascii_case("application/json") {
            return Err((415, "expected content-type: application/json".to_owned()));
        }
        if request.header("content-encoding").is_some_and(|coding| !coding.eq_ignore_ascii_case("identity")) {
            return Err((415, "expected a body without content-encoding".to_owned()));
        }
        let text = String::from_utf8(request.body.clone()).map_err(|_| (400, "the body is not UTF-8".to_owned()))?;
        let body: Value = serde_json::from_str(&text).map_err(|e| (400, format!("the body is not JSON: {e}")))?;
        if !body.is_object() {
            return Err((400, "expected the body to be a JSON object".to_owned()));
        }
        let said = Said::of(request).map_err(|what| (400, what))?;
        // Sent by the providers' own libraries.
        let again = request.header("x-stainless-retry-count").is_some_and(|count| count != "0");
        Ok(Asked { wire, stream, body, text, said, again })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(target: &str, headers: &[(&str, &str)], body: &str) -> Request {
        let headers = headers.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        Request { method: "POST".into(), target: target.into(), headers, body: body.as_bytes().to_vec(), keep: true }
    }

    #[test]
    fn paths_and_headers_are_understood() {
        let json = ("content-type", "application/json; charset=utf-8");
        for (path, wire) in [
            ("/v1/chat/completions", "openai-chat"),
            ("/chat/completions", "openai-chat"),
            ("/v1/responses/", "openai-responses"),
            ("/v1/messages?beta=true", "anthropic"),
        ] {
            assert_eq!(Asked::of(&request(path, &[json], "{}")).ok().unwrap().wire.name(), wire);
        }
        for (target, headers, body, status) in [
            ("/v1/embeddings", vec![json], "{}", 404),
            ("/v1/messages", vec![], "{}", 415),
            ("/v1/messages", vec![("content-type", "text/plain")], "{}", 415),
            ("/v1/messages", vec![json, ("content-encoding", "gzip")], "{}", 415),
            ("/v1/messages", vec![json], "[]", 400),
            ("/v1/messages", vec![json], "{", 400),
            ("/v1/messages", vec![json, ("x-redraft-role", "editor")], "{}", 400),
            ("/v1/messages", vec![json, ("x-redraft-pass", "-1")], "{}", 400),
            ("/v1/messages", vec![json, ("x-redraft-tiket", "t")], "{}", 400),
        ] {
            assert_eq!(Asked::of(&request(target, &headers, body)).err().map(|(status, _)| status), Some(status), "{target} {headers:?}");
        }
        let headers = [json, ("x-redraft-ticket", "K%C3%B6ln 1%"), ("x-redraft-role", "critic"), ("x-redraft-pass", "2")];
        let said = Asked::of(&request("/v1/messages", &headers, "{}")).ok().unwrap().said;
        assert_eq!(said, Said { ticket: Some("Köln 1%".into()), pass: Some(2), role: Some(Role::Critic), ..Said::default() });
    }
}
