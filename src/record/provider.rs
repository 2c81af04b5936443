//! Who is asked: where each provider is reached, how it wants to be told the key, and what of its answers may be kept. No network.

use std::fmt;

use crate::error::Error;

/// What is known of the providers, by wire form.
struct Known {
    wire: &'static str,
    base: &'static str,
    /// The environment variable that holds the key; None where no key is needed.
    key_env: Option<&'static str>,
    key_header: &'static str,
    key_prefix: &'static str,
}

const BEARER: (&str, &str) = ("authorization", "Bearer ");

const KNOWN: [Known; 5] = [
    known("openai-chat", "https://api.openai.com", Some("OPENAI_API_KEY"), BEARER),
    known("openai-responses", "https://api.openai.com", Some("OPENAI_API_KEY"), BEARER),
    known("anthropic", "https://api.anthropic.com", Some("ANTHROPIC_API_KEY"), ("x-api-key", "")),
    known("gemini", "https://generativelanguage.googleapis.com", Some("GEMINI_API_KEY"), ("x-goog-api-key", "")),
    known("ollama", "http://127.0.0.1:11434", None, BEARER),
];

const fn known(wire: &'static str, base: &'static str, key_env: Option<&'static str>, header: (&'static str, &'static str)) -> Known {
    Known { wire, base, key_env, key_header: header.0, key_prefix: header.1 }
}

/// Hosts that speak another's wire form and have a key of their own.
const GATEWAYS: [(&str, &str); 1] = [("openrouter.ai", "OPENROUTER_API_KEY")];

/// Without it the provider refuses every request.
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// What the user says about the provider; None where nothing is said.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    pub base_url: Option<String>,
    /// The environment variable that holds the key.
    pub key_env: Option<String>,
    /// Plain http to another machine is meant.
    pub insecure: bool,
}

/// A provider ready to be asked.
#[derive(Debug)]
pub struct Provider {
    base: Url,
    headers: Vec<(&'static str, Secret)>,
    key: Option<Secret>,
    /// Where the key came from, for people.
    pub key_env: Option<String>,
}

/// A text that no message and no debug output shows.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(secret)")
    }
}

impl Secret {
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl Provider {
    /// `env` looks an environment variable up. The error says what to set.
    pub fn new(wire: &str, wanted: &Wanted, env: &dyn Fn(&str) -> Option<String>) -> Result<Provider, Error> {
        Provider::with(wire, wanted, env, true)
    }

    /// The same for requests that bring a key of their own: one of the environment is wanted only where it is named.
    pub fn passing(wire: &str, wanted: &Wanted, env: &dyn Fn(&str) -> Option<String>) -> Result<Provider, Error> {
        Provider::with(wire, wanted, env, false)
    }

    fn with(wire: &str, wanted: &Wanted, env: &dyn Fn(&str) -> Option<String>, needed: bool) -> Result<Provider, Error> {
        let Some(known) = KNOWN.iter().find(|known| known.wire == wire) else {
            return Err(Error::new(format!("model.provider: `{wire}` cannot be recorded live")));
        };
        let env = |name: &str| env(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        let base_env = format!("REDRAFT_BASE_URL_{}", wire.replace('-', "_").to_uppercase());
        let named = wanted.base_url.clone().map(|url| ("--base-url".to_owned(), url)).or_else(|| env(&base_env).map(|url| (base_env, url)));
        let (said_by, text) = named.unwrap_or_else(|| (String::new(), known.base.to_owned()));
        let base = Url::parse(&text).map_err(|what| Error::new(format!("{said_by}: {what}")))?;
        if !base.secure && !base.is_loopback() && !wanted.insecure {
            return Err(Error::new(format!(
                "{said_by}: plain http to {} would send prompts and key readable by anybody on the way; use https, or --insecure-http if it is meant",
                base.host
            )));
        }
        let own_host = Url::parse(known.base).is_ok_and(|own| own.host == base.host && own.secure == base.secure);
        let gateway = GATEWAYS.iter().find(|(host, _)| base.secure && base.host == *host).map(|(_, key)| *key);
        // A key goes to its provider and nowhere else, unless it was named for this host.
        let usual = if own_host { known.key_env } else { gateway };
        let key_env = wanted.key_env.clone().or_else(|| usual.map(str::to_owned));
        let key = match &key_env {
            None => None,
            Some(name) => match env(name) {
                Some(key) if key.bytes().all(|b| b.is_ascii_graphic()) => Some(Secret(key)),
                Some(_) => return Err(Error::new(format!("the key in {name} holds characters that no key has"))),
                None if !needed && wanted.key_env.is_none() => None,
                None => {
                    return Err(Error::new(format!(
                        "no key for {}: the environment variable {name} is not set; export it, or name another with --key-env",
                        base.host
                    )));
                }
            },
        };
        let mut headers = vec![];
        if let Some(key) = &key {
            headers.push((known.key_header, Secret(format!("{}{}", known.key_prefix, key.0))));
        }
        if wire == "anthropic" {
            headers.push(("anthropic-version", Secret(ANTHROPIC_VERSION.to_owned())));
        }
        Ok(Provider { base, headers, key, key_env })
    }

    /// Where a call goes. `path` is the wire form's own, `/v1/chat/completions`; a base that ends in a version stands for the path's.
    pub fn url(&self, path: &str) -> String {
        let (scheme, base) = (if self.base.secure { "https" } else { "http" }, &self.base);
        let segments = path.trim_start_matches('/');
        let (version, rest) = segments.split_once('/').unwrap_or(("", segments));
        let last = base.path.rsplit('/').next().unwrap_or_default();
        let tail = if base.path.ends_with(&format!("/{rest}")) {
            ""
        } else if is_version(last) || last == version && !version.is_empty() {
            &path[path.len() - rest.len() - 1..]
        } else {
            path
        };
        format!("{scheme}://{}{}{tail}", base.authority, base.path)
    }

    pub fn headers(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.headers.iter().map(|(name, value)| (*name, value.expose()))
    }

    pub fn host(&self) -> &str {
        &self.base.host
    }

    pub fn is_loopback(&self) -> bool {
        self.base.is_loopback()
    }

    /// The text without the key, should an answer repeat it.
    pub fn redact(&self, text: String) -> String {
        match &self.key {
            Some(Secret(key)) if text.contains(key.as_str()) => text.replace(key.as_str(), "[key removed]"),
            _ => text,
        }
    }

    /// Of an answer's headers, those that may be kept, the key taken out of them.
    pub fn kept_headers(&self, headers: &[(String, String)]) -> Vec<(String, String)> {
        let mut out: Vec<(String, String)> = harmless(headers).map(|(name, value)| (name.clone(), self.redact(value.clone()))).collect();
        out.sort_unstable();
        out
    }
}

/// Of an answer's headers, those that tell nothing secret: request ids, rate limits, times, the model.
pub fn harmless(headers: &[(String, String)]) -> impl Iterator<Item = &(String, String)> {
    const NAMES: [&str; 9] = [
        "request-id",
        "x-request-id",
        "retry-after",
        "retry-after-ms",
        "openai-model",
        "openai-processing-ms",
        "openai-version",
        "x-generation-id",
        "anthropic-version",
    ];
    const STARTS: [&str; 2] = ["x-ratelimit-", "anthropic-ratelimit-"];
    const VALUE_MAX: usize = 200;
    let kept = |name: &str| NAMES.contains(&name) || STARTS.iter().any(|start| name.starts_with(start));
    headers.iter().filter(move |(name, value)| kept(name) && value.len() <= VALUE_MAX && value.bytes().all(|b| (0x20..0x7f).contains(&b)))
}

fn is_version(segment: &str) -> bool {
    let digits = segment.strip_prefix('v').map(|rest| rest.trim_end_matches("beta").trim_end_matches("alpha"));
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// The parts of a base URL that matter here.
#[derive(Debug, PartialEq, Eq)]
struct Url {
    secure: bool,
    /// Host and port, as written.
    authority: String,
    /// Lower case, without brackets and port.
    host: String,
    /// Without a slash at its end.
    path: String,
}

impl Url {
    fn parse(text: &str) -> Result<Url, String> {
        let expected = "expected a URL such as https://openrouter.ai/api/v1";
        let (scheme, rest) = text.trim().split_once("://").ok_or(format!("`{}` is no URL; {expected}", shown(text)))?;
        let secure = match scheme.to_ascii_lowercase().as_str() {
            "https" => true,
            "http" => false,
            _ => return Err(format!("`{scheme}` is not a scheme that is spoken here; {expected}")),
        };
        let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
        if authority.contains('@') {
            return Err(format!("a URL must not hold a password, since URLs are shown; {expected}, and --key-env for the key"));
        }
        if rest.contains(['?', '#']) {
            return Err(format!("a base URL has no query; {expected}"));
        }
        let host = match authority.strip_prefix('[') {
            Some(rest) => rest.split_once(']').map_or("", |(host, _)| host),
            None => authority.split(':').next().unwrap_or_default(),
        };
        let fine = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
        if host.is_empty() || !authority.chars().all(fine) || !path.chars().all(|c| c.is_ascii_graphic()) {
            return Err(format!("`{}` names no host; {expected}", shown(text)));
        }
        let path = path.trim_end_matches('/').to_owned();
        Ok(Url { secure, authority: authority.to_owned(), host: host.to_ascii_lowercase(), path })
    }

    fn is_loopback(&self) -> bool {
        self.host == "localhost" || self.host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }
}

/// Of a text that is no URL: without what may be a password.
fn shown(text: &str) -> &str {
    text.trim().rsplit('@').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(name: &str) -> Option<String> {
        match name {
            "OPENAI_API_KEY" => Some("sk-fake-openai\n".into()),
            "OPENROUTER_API_KEY" => Some("sk-or-fake".into()),
            "MY_KEY" => Some("mine".into()),
            "BAD_KEY" => Some("a\u{7}b".into()),
            "REDRAFT_BASE_URL_ANTHROPIC" => Some("http://127.0.0.1:9/x".into()),
            _ => None,
        }
    }

    fn provider(wire: &str, base: Option<&str>, key_env: Option<&str>, insecure: bool) -> Result<Provider, String> {
        let wanted = Wanted { base_url: base.map(str::to_owned), key_env: key_env.map(str::to_owned), insecure };
        Provider::new(wire, &wanted, &env).map_err(|e| e.to_string())
    }

    #[test]
    fn calls_go_where_the_base_url_says() {
        let chat = "/v1/chat/completions";
        for (wire, base, path, want) in [
            ("openai-chat", None, chat, "https://api.openai.com/v1/chat/completions"),
            ("openai-chat", Some("https://openrouter.ai/api/v1"), chat, "https://openrouter.ai/api/v1/chat/completions"),
            ("openai-chat", Some("http://localhost:8080"), chat, "http://localhost:8080/v1/chat/completions"),
            ("openai-chat", Some("http://localhost:8080/v1/"), chat, "http://localhost:8080/v1/chat/completions"),
            ("openai-chat", Some("http://[::1]:8080/paas/v4"), chat, "http://[::1]:8080/paas/v4/chat/completions"),
            ("openai-chat", Some("http://127.0.0.1/llm/chat/completions"), chat, "http://127.0.0.1/llm/chat/completions"),
            ("anthropic", None, "/v1/messages", "http://127.0.0.1:9/x/v1/messages"),
            ("ollama", None, "/api/chat", "http://127.0.0.1:11434/api/chat"),
            ("ollama", Some("http://127.0.0.1:1/api"), "/api/chat", "http://127.0.0.1:1/api/chat"),
            (
                "gemini",
                Some("http://127.0.0.1:1/v1beta"),
                "/v1beta/models/g:generateContent",
                "http://127.0.0.1:1/v1beta/models/g:generateContent",
            ),
        ] {
            assert_eq!(provider(wire, base, None, false).unwrap().url(path), want);
        }
    }

    #[test]
    fn a_key_goes_to_its_own_host_or_where_it_was_named_for() {
        for (base, key_env, want) in [
            (None, None, Some("Bearer sk-fake-openai")),
            (Some("https://api.openai.com/v1"), None, Some("Bearer sk-fake-openai")),
            (Some("https://openrouter.ai/api/v1"), None, Some("Bearer sk-or-fake")),
            (Some("https://example.com"), None, None),
            (Some("http://127.0.0.1:8080"), None, None),
            (Some("https://api.openai.com.example.com"), None, None),
            (Some("https://example.com"), Some("MY_KEY"), Some("Bearer mine")),
        ] {
            let provider = provider("openai-chat", base, key_env, false).unwrap();
            assert_eq!(provider.headers().find(|(name, _)| *name == "authorization").map(|(_, value)| value), want, "{base:?}");
            assert!(!format!("{provider:?}").contains("fake") && !format!("{provider:?}").contains("mine"));
        }
    }

    #[test]
    fn what_would_leak_is_refused() {
        for (base, key_env, want) in [
            (Some("http://example.com"), None, "plain http to example.com"),
            (Some("http://me:hunter2@example.com"), None, "must not hold a password"),
            (Some("me:hunter2@example.com"), None, "`example.com` is no URL"),
            (Some("ftp://example.com"), None, "not a scheme"),
            (Some("https://"), None, "names no host"),
            (Some("https://example.com/v1?key=abc"), None, "no query"),
            (None, Some("NOT_SET"), "the environment variable NOT_SET is not set"),
            (None, Some("BAD_KEY"), "characters that no key has"),
        ] {
            let error = provider("openai-chat", base, key_env, false).unwrap_err();
            assert!(error.contains(want), "{error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
        assert!(provider("openai-chat", Some("http://example.com"), None, true).is_ok());
        assert!(provider("gemini", None, None, false).unwrap_err().contains("GEMINI_API_KEY"));
    }

    #[test]
    fn of_an_answer_only_harmless_headers_are_kept() {
        let provider = provider("openai-chat", None, None, false).unwrap();
        let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let all = [
            header("x-request-id", "req_1"),
            header("set-cookie", "session=1"),
            header("openai-organization", "acme"),
            header("x-ratelimit-remaining-requests", "9"),
            header("retry-after", "sk-fake-openai"),
            header("request-id", "caf\u{e9}"),
        ];
        let want = [header("retry-after", "[key removed]"), header("x-ratelimit-remaining-requests", "9"), header("x-request-id", "req_1")];
        assert_eq!(provider.kept_headers(&all), want);
        assert_eq!(provider.redact("Incorrect key: sk-fake-openai.".into()), "Incorrect key: [key removed].");
    }
}
