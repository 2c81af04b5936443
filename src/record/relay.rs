//! A client's own request sent on to its provider: which of its headers go along, which of the answer's come back, what of either is secret.

use std::io::Read;

use super::exchange::Broken;
use super::provider::Provider;

/// A request on its way.
pub struct Outgoing<'a> {
    pub url: &'a str,
    pub headers: Vec<(String, String)>,
    pub body: &'a str,
}

/// An answer that is still to be read. Names of headers are lower case.
pub struct Incoming {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Box<dyn Read + Send>,
}

/// Sends a request on.
pub type Relay<'a> = dyn Fn(&Outgoing<'_>) -> Result<Incoming, Broken> + Sync + 'a;

/// Of one connection, not of the request.
const OF_CONNECTION: [&str; 10] =
    ["accept-encoding", "connection", "content-length", "expect", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"];
/// Hold keys of providers.
const KEYS: [&str; 4] = ["api-key", "authorization", "x-api-key", "x-goog-api-key"];
/// Of this machine's browser and proxies.
const NEVER: [&str; 4] = ["cookie", "forwarded", "proxy-authorization", "proxy-connection"];

/// The headers that go on: the client's own, less those that begin with `ours`; its key too, unless `replace` puts the environment's in its place.
pub fn onward(provider: &Provider, headers: &[(String, String)], ours: &str, replace: bool) -> Vec<(String, String)> {
    let named: Vec<String> = headers
        .iter()
        .filter(|(name, _)| name == "connection")
        .flat_map(|(_, value)| value.split(',').map(|word| word.trim().to_ascii_lowercase()))
        .collect();
    let stays = |name: &str| {
        OF_CONNECTION.contains(&name)
            || NEVER.contains(&name)
            || name.starts_with(ours)
            || name.starts_with("x-forwarded-")
            || named.iter().any(|other| other == name)
            || replace && KEYS.contains(&name)
    };
    let mut out: Vec<(String, String)> = headers.iter().filter(|(name, _)| !stays(name)).cloned().collect();
    let has_key = out.iter().any(|(name, _)| KEYS.contains(&name.as_str()));
    for (name, value) in provider.headers() {
        let is_there = out.iter().any(|(known, _)| known == name) || has_key && KEYS.contains(&name);
        if !is_there {
            out.push((name.to_owned(), value.to_owned()));
        }
    }
    out
}

/// The answer's headers that go back to the client.
pub fn back(headers: &[(String, String)]) -> Vec<(String, String)> {
    let goes = |name: &str| !OF_CONNECTION.contains(&name) && !["set-cookie", "content-encoding", "alt-svc"].contains(&name);
    headers.iter().filter(|(name, _)| goes(name)).cloned().collect()
}

/// The text without any key that went along, should an answer repeat it.
pub fn scrubbed(text: String, sent: &[(String, String)]) -> String {
    const KEY_BYTES_MIN: usize = 8;
    let keys = sent.iter().filter(|(name, _)| KEYS.contains(&name.as_str()));
    let keys = keys.map(|(_, value)| value.rsplit(' ').next().unwrap_or_default()).filter(|key| key.len() >= KEY_BYTES_MIN);
    keys.fold(text, |text, key| if text.contains(key) { text.replace(key, "[key removed]") } else { text })
}

#[cfg(test)]
mod tests {
    use super::super::provider::Wanted;
    use super::*;

    fn pairs(all: &[(&str, &str)]) -> Vec<(String, String)> {
        all.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
    }

    #[test]
    fn the_clients_headers_go_on_and_ours_do_not() {
        let env = |name: &str| (name == "MY_KEY").then(|| "sk-of-the-environment".to_owned());
        let wanted = Wanted { base_url: Some("http://127.0.0.1:1".into()), key_env: Some("MY_KEY".into()), insecure: false };
        let provider = Provider::passing("anthropic", &wanted, &env).unwrap();
        let client = pairs(&[
            ("host", "127.0.0.1:9"),
            ("x-api-key", "sk-of-the-client"),
            ("connection", "keep-alive, X-Hop"),
            ("x-hop", "1"),
            ("x-redraft-ticket", "t"),
            ("anthropic-beta", "b"),
            ("cookie", "c"),
        ]);
        let want = pairs(&[("x-api-key", "sk-of-the-client"), ("anthropic-beta", "b"), ("anthropic-version", "2023-06-01")]);
        assert_eq!(onward(&provider, &client, "x-redraft-", false), want);
        let replaced = onward(&provider, &client, "x-redraft-", true);
        assert!(replaced.contains(&("x-api-key".into(), "sk-of-the-environment".into())));
        assert_eq!(replaced.iter().filter(|(name, _)| name == "x-api-key").count(), 1);
        let without = onward(&provider, &client[2..], "x-redraft-", false);
        assert!(without.contains(&("x-api-key".into(), "sk-of-the-environment".into())));
        assert_eq!(scrubbed("key sk-of-the-client!".into(), &want), "key [key removed]!");
    }

    #[test]
    fn no_key_is_needed_where_the_client_has_one() {
        let provider = Provider::passing("openai-chat", &Wanted::default(), &|_| None).unwrap();
        assert_eq!(provider.url("/v1/chat/completions"), "https://api.openai.com/v1/chat/completions");
        assert_eq!(provider.headers().count(), 0);
        let named = Wanted { key_env: Some("NONE".into()), ..Wanted::default() };
        assert!(Provider::passing("openai-chat", &named, &|_| None).is_err());
    }
}
