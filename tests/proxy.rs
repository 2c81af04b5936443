//! The proxy between clients and a provider on loopback: what is recorded, what is served, what is refused, and what a hostile client can do.

#![cfg(feature = "record")]

#[path = "proxy/upstream.rs"]
mod upstream;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use redraft::api;
use redraft::api::stream::{self, Events};
use serde_json::{Value, json};
use upstream::{Upstream, answer, prompt};

const KEY: &str = "sk-test-0123456789-secret";

/// One arm over a few tickets.
struct Set {
    dir: tempfile::TempDir,
    provider: &'static str,
}

impl Set {
    fn new(provider: &'static str, tickets: usize, more: &str) -> Set {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("data/dataset.toml", "version = 1\nname = \"d\"\n");
        let line = |n: usize| json!({"id": format!("t{n}"), "prompt": format!("Question {n}?")}).to_string() + "\n";
        write("data/tickets.jsonl", &(0..tickets).map(line).collect::<String>());
        let spec = format!(
            "version = 1\ndataset = \"../data\"\n{more}\n[model]\nprovider = \"{provider}\"\nname = \"m\"\nparams = {{ max_tokens = 100 }}\n\
             [writer]\nsystem = \"You write.\"\nprompt = \"W {{{{ ticket.id }}}}: {{{{ ticket.prompt }}}}\"\n\
             [critic]\nformat = \"prose\"\nprompt = \"C {{{{ ticket.id }}}}: {{{{ draft }}}}\"\n\
             [reviser]\nstrategy = \"whole\"\nprompt = \"R {{{{ ticket.id }}}}: {{{{ draft }}}} / {{{{ critique }}}}\"\n[bounds]\nmax_passes = 1\n"
        );
        write("arm/loop.toml", &spec);
        Set { dir, provider }
    }

    fn arm(&self) -> PathBuf {
        self.dir.path().join("arm")
    }

    fn proxy(&self, more: &[&str]) -> Proxy {
        Proxy::start(&self.arm(), more)
    }

    fn lines(&self, name: &str) -> Vec<Value> {
        let text = std::fs::read_to_string(self.arm().join(name)).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn run(&self, verb: &[&str]) -> Output {
        redraft().arg(verb[0]).arg(self.arm()).args(&verb[1..]).output().unwrap()
    }

    fn body(&self, user: &str, stream: bool) -> Value {
        let system = user.starts_with("W ").then_some("You write.");
        let mut turns = vec![json!({"role": "user", "content": user})];
        let mut body = json!({"model": "m", "max_tokens": 100});
        match (self.provider, system) {
            ("openai-chat", Some(system)) => turns.insert(0, json!({"role": "system", "content": system})),
            ("anthropic", Some(system)) => body["system"] = system.into(),
            (_, Some(system)) => body["instructions"] = system.into(),
            _ => {}
        }
        body[if self.provider == "openai-responses" { "input" } else { "messages" }] = turns.into();
        if stream {
            body["stream"] = true.into();
            if self.provider == "openai-chat" {
                body["stream_options"] = json!({"include_usage": true});
            }
        }
        body
    }

    /// Asks through the proxy and reads the answer as a client does.
    fn ask(&self, proxy: &Proxy, user: &str, streamed: bool, headers: &[(&str, &str)]) -> String {
        let got = proxy.post(self.path(), headers, &self.body(user, streamed).to_string());
        assert_eq!(got.status, 200, "{}", got.text());
        let wire = api::by_name(self.provider).unwrap();
        let body = if streamed { assembled(self.provider, &got.body).to_string() } else { got.text() };
        wire.reply(&body).unwrap().text
    }

    fn path(&self) -> &'static str {
        api::by_name(self.provider).unwrap().endpoint()
    }

    /// A loop of writer, critic and reviser; its last draft.
    fn reflect(&self, proxy: &Proxy, ticket: usize, streamed: bool, headers: bool) -> String {
        let id = format!("t{ticket}");
        let said = |role: &'static str| if headers { vec![("x-redraft-ticket", id.as_str()), ("X-Redraft-Role", role)] } else { vec![] };
        let draft = self.ask(proxy, &format!("W t{ticket}: Question {ticket}?"), streamed, &said("writer"));
        let critique = self.ask(proxy, &format!("C t{ticket}: {draft}"), streamed, &said("critic"));
        self.ask(proxy, &format!("R t{ticket}: {draft} / {critique}"), streamed, &said("reviser"))
    }

    /// The recording is whole, and replays.
    fn assert_replays(&self, calls: usize) {
        assert_eq!(self.lines("calls.jsonl").len(), calls);
        for verb in [["verify", "--strict"], ["replay", "--quiet"]] {
            let output = self.run(&verb);
            assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        }
    }

    fn assert_no_key(&self) {
        fn files(dir: &Path) -> Vec<PathBuf> {
            let all = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
            all.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
        }
        for file in files(self.dir.path()) {
            assert!(!String::from_utf8_lossy(&std::fs::read(&file).unwrap()).contains(KEY), "{}", file.display());
        }
    }
}

fn assembled(provider: &str, bytes: &[u8]) -> Value {
    let events: Vec<_> = Events::default().push(bytes).into_iter().filter_map(|(event, _)| event).collect();
    stream::by_name(provider).unwrap().whole(&events).unwrap()
}

fn redraft() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_redraft"));
    for name in ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        command.env_remove(name);
    }
    command
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// A running proxy; killed where a test ends early.
struct Proxy {
    child: Child,
    address: String,
}

struct Got {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Got {
    fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }
}

impl Proxy {
    fn start(arm: &Path, more: &[&str]) -> Proxy {
        let mut command = redraft();
        command.arg("proxy").arg(arm).args(more).args(["--format", "json"]).env("MY_KEY", "sk-of-the-environment");
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        while !line.contains(" at http://") {
            line.clear();
            assert!(lines.read_line(&mut line).unwrap() > 0, "the proxy did not start");
        }
        let address = line.split(" at http://").nth(1).unwrap().split(' ').next().unwrap().to_owned();
        Proxy { child, address }
    }

    fn raw(&self, bytes: &[u8]) -> Got {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let _ = stream.write_all(bytes);
        read(&mut stream)
    }

    fn post(&self, path: &str, headers: &[(&str, &str)], body: &str) -> Got {
        self.raw(self.request(path, headers, body).as_bytes())
    }

    fn request(&self, path: &str, headers: &[(&str, &str)], body: &str) -> String {
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAuthorization: Bearer {KEY}\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        )
    }

    /// Ends it; its exit code, and what it tells.
    fn stop(mut self) -> (Option<i32>, Value) {
        let got = self.raw(format!("POST /__redraft/stop HTTP/1.1\r\nHost: {}\r\n\r\n", self.address).as_bytes());
        assert_eq!(got.status, 200);
        let mut text = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
        let code = self.child.wait().unwrap().code();
        (code, serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}")))
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads one answer to its end.
fn read(stream: &mut TcpStream) -> Got {
    let mut bytes = vec![];
    let _ = stream.read_to_end(&mut bytes);
    let end =
        bytes.windows(4).position(|window| window == b"\r\n\r\n").unwrap_or_else(|| panic!("no head: {}", String::from_utf8_lossy(&bytes)));
    let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
    let mut rest = &bytes[end + 4..];
    let mut body = vec![];
    if head.contains("transfer-encoding: chunked") {
        while let Some(at) = rest.windows(2).position(|window| window == b"\r\n") {
            let size = usize::from_str_radix(std::str::from_utf8(&rest[..at]).unwrap(), 16).unwrap();
            body.extend_from_slice(&rest[at + 2..at + 2 + size]);
            rest = &rest[at + 4 + size..];
        }
    } else {
        body = rest.to_vec();
    }
    Got { status: head.split(' ').nth(1).unwrap().parse().unwrap(), head, body }
}

#[test]
fn a_loop_is_recorded_and_served_streamed_or_not_in_every_form() {
    for provider in ["openai-chat", "openai-responses", "anthropic"] {
        for streamed in [false, true] {
            let up = Upstream::start();
            let set = Set::new(provider, 2, "");
            let proxy = set.proxy(&["--upstream", &up.url]);
            let drafts: Vec<String> = (0..2).map(|ticket| set.reflect(&proxy, ticket, streamed, false)).collect();
            let (code, told) = proxy.stop();
            assert_eq!(
                (code, &told["recorded"], &told["unmapped"], &told["without_usage"]),
                (Some(0), &json!(6), &json!(0), &json!(0)),
                "{told}"
            );
            assert_eq!(up.count(), 6);
            let passed_on =
                |request: &upstream::Request| request.path == set.path() && request.head.contains(&format!("authorization: bearer {KEY}"));
            assert!(up.requests().iter().all(passed_on));
            set.assert_replays(6);
            set.assert_no_key();
            // Both ways out of one recording; recording once more asks nobody either.
            for more in [&["--replay"][..], &["--replay"], &["--upstream", &up.url]] {
                let out = if more.len() == 2 { streamed } else { !streamed };
                let proxy = set.proxy(more);
                let again: Vec<String> = (0..2).map(|ticket| set.reflect(&proxy, ticket, out, false)).collect();
                assert_eq!(again, drafts);
                let (code, told) = proxy.stop();
                assert_eq!((code, &told["served"], &told["unused"]), (Some(0), &json!(6), &json!(0)), "{told}");
            }
            assert_eq!(up.count(), 6);
        }
    }
}

#[test]
fn headers_name_slots_and_stay_here() {
    let up = Upstream::start();
    // The prompts of this loop.toml are not what the client asks.
    let set = Set::new("openai-chat", 2, "match = \"slot\"");
    let proxy = set.proxy(&["--upstream", &up.url]);
    let own = |user: &str, headers: &[(&str, &str)]| set.ask(&proxy, user, false, headers);
    for ticket in ["t0", "t1"] {
        own("own writer", &[("x-redraft-ticket", ticket), ("x-redraft-role", "writer")]);
        own("own critic", &[("x-redraft-ticket", ticket), ("x-redraft-role", "critic")]);
        own("own reviser", &[("x-redraft-ticket", ticket), ("x-redraft-role", "reviser"), ("x-redraft-pass", "1")]);
    }
    assert!(up.requests().iter().all(|request| !request.head.contains("x-redraft")));
    let slots: Vec<Value> = set.lines("calls.jsonl").into_iter().map(|line| line["slot"].clone()).collect();
    assert_eq!(slots[4], json!({"ticket": "t1", "sample": 0, "pass": 1, "role": "critic", "n": 0}));
    // No slot of this arm.
    for (headers, why) in [
        (vec![("x-redraft-ticket", "t9"), ("x-redraft-role", "writer")], "no ticket `t9`"),
        (vec![("x-redraft-role", "writer")], "x-redraft-ticket is missing"),
        (vec![("x-redraft-ticket", "t0"), ("x-redraft-role", "writer"), ("x-redraft-pass", "3")], "asked once, in pass 0"),
        (vec![("x-redraft-ticket", "t0"), ("x-redraft-role", "writer")], "another call of this session"),
    ] {
        own("lost", &headers);
        assert!(set.lines("unmapped.jsonl").last().unwrap()["reason"].as_str().unwrap().contains(why), "{why}");
    }
    let (code, told) = proxy.stop();
    assert_eq!((code, &told["recorded"], &told["unmapped"]), (Some(3), &json!(6), &json!(4)), "{told}");
    set.assert_replays(6);
    let proxy = set.proxy(&["--replay"]);
    let writer = [("x-redraft-ticket", "t1"), ("x-redraft-role", "writer")];
    assert_eq!(set.ask(&proxy, "own writer", true, &writer), answer("own writer"));
    let critic = [("x-redraft-ticket", "t1"), ("x-redraft-role", "critic")];
    let got = proxy.post(set.path(), &critic, &set.body("own critic, changed", false).to_string());
    assert_eq!(got.status, 409);
    assert!(got.text().contains("messages[0].content") && got.text().contains("ticket t1 critic pass 1"), "{}", got.text());
    let (code, told) = proxy.stop();
    assert_eq!(
        (code, &told["served"], &told["unmatched"], &told["unused"], &told["untouched"]),
        (Some(3), &json!(1), &json!(1), &json!(2), &json!(3))
    );
}

#[test]
fn replay_is_strict_and_names_the_field() {
    let up = Upstream::start();
    for provider in ["openai-chat", "anthropic"] {
        let set = Set::new(provider, 1, "");
        let proxy = set.proxy(&["--upstream", &up.url]);
        set.reflect(&proxy, 0, false, false);
        proxy.stop();
        let asked = up.count();
        let proxy = set.proxy(&["--replay", "--quiet"]);
        let mut body = set.body("W t0: Question 0?", false);
        body["temperature"] = json!(0.7);
        let got = proxy.post(set.path(), &[], &body.to_string());
        let error: Value = serde_json::from_slice(&got.body).unwrap();
        assert_eq!((got.status, error["type"] == "error"), (404, provider == "anthropic"));
        assert!(got.head.contains("x-should-retry: false"));
        let message = error["error"]["message"].as_str().unwrap();
        assert!(message.contains("ticket t0 writer pass 0") && message.contains("temperature: only in the request"), "{message}");
        // Once recorded is once served; a retry of the client's library is the same call.
        set.ask(&proxy, "W t0: Question 0?", false, &[]);
        set.ask(&proxy, "W t0: Question 0?", true, &[("x-stainless-retry-count", "1")]);
        let got = proxy.post(set.path(), &[], &set.body("W t0: Question 0?", false).to_string());
        assert!(got.status == 404 && got.text().contains("answered before as ticket t0 writer pass 0"), "{}", got.text());
        let (code, told) = proxy.stop();
        assert_eq!((code, &told["unmatched"], &told["unused"], &told["upstream"]), (Some(3), &json!(2), &json!(2), &json!(0)), "{told}");
        assert_eq!(up.count(), asked);
    }
}

#[test]
fn what_failed_broke_off_or_was_not_waited_for_is_asked_again() {
    let up = Upstream::start();
    let set = Set::new("anthropic", 1, "match = \"slot\"");
    let proxy = set.proxy(&["--upstream", &up.url]);
    let writer = [("x-redraft-ticket", "t0"), ("x-redraft-role", "writer")];
    let body = |text: &str| set.body(text, true).to_string();
    let got = proxy.post(set.path(), &writer, &body("FAIL ONCE"));
    assert!(got.status == 503 && got.text().contains("try again"));
    let got = proxy.post(set.path(), &writer, &body("CUT"));
    assert!(got.status == 200 && !String::from_utf8_lossy(&got.body).contains("message_stop"));
    // A client that leaves in the middle.
    let mut stream = TcpStream::connect(&proxy.address).unwrap();
    stream.write_all(proxy.request(set.path(), &writer, &body("SLOWLY")).as_bytes()).unwrap();
    stream.read_exact(&mut [0; 100]).unwrap();
    drop(stream);
    while set.lines("calls.errors.jsonl").len() < 3 {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(set.lines("calls.jsonl").is_empty());
    let text = set.ask(&proxy, "FAIL ONCE", true, &writer);
    assert_eq!(text, answer("FAIL ONCE"));
    let (code, told) = proxy.stop();
    assert_eq!((code, &told["recorded"], &told["failed"], &told["upstream"]), (Some(3), &json!(1), &json!(3), &json!(4)), "{told}");
    let why: Vec<String> = set.lines("calls.errors.jsonl").iter().map(|line| line["response"].to_string()).collect();
    assert!(why[0].contains("try again") && why[1].contains("broke off") && why[2].contains("went away"), "{why:?}");
    assert_eq!(set.lines("calls.jsonl").len(), 1);
}

#[test]
fn pieces_are_forwarded_as_they_come() {
    let up = Upstream::start();
    let set = Set::new("openai-chat", 1, "match = \"slot\"");
    let proxy = set.proxy(&["--upstream", &up.url]);
    let mut stream = TcpStream::connect(&proxy.address).unwrap();
    let writer = [("x-redraft-ticket", "t0"), ("x-redraft-role", "writer")];
    stream.write_all(proxy.request(set.path(), &writer, &set.body("SLOWLY", true).to_string()).as_bytes()).unwrap();
    let mut first = [0; 400];
    stream.read_exact(&mut first).unwrap();
    assert!(String::from_utf8_lossy(&first).contains("chat.completion.chunk"));
    // The provider is still at it.
    assert!(set.lines("calls.jsonl").is_empty());
    let mut rest = vec![];
    stream.read_to_end(&mut rest).unwrap();
    assert!(String::from_utf8_lossy(&rest).contains("[DONE]"));
    assert_eq!(set.lines("calls.jsonl").len(), 1);
    assert_eq!(proxy.stop().0, Some(0));
}

#[test]
fn clients_at_the_same_time_get_their_own_answers() {
    let up = Upstream::start();
    let set = Set::new("openai-chat", 8, "");
    let proxy = set.proxy(&["--upstream", &up.url]);
    let drafts = |proxy: &Proxy| -> Vec<String> {
        std::thread::scope(|scope| {
            let all: Vec<_> = (0..8)
                .map(|ticket| (ticket, &set))
                .map(|(ticket, set)| scope.spawn(move || set.reflect(proxy, ticket, ticket % 2 == 0, false)))
                .collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        })
    };
    let recorded = drafts(&proxy);
    assert_eq!(proxy.stop().0, Some(0));
    set.assert_replays(24);
    let proxy = set.proxy(&["--replay"]);
    assert_eq!(drafts(&proxy), recorded);
    assert_eq!(proxy.stop().0, Some(0));
    assert_eq!(up.count(), 24);
}

#[test]
fn hostile_clients_are_refused_and_the_others_served() {
    let up = Upstream::start();
    let set = Set::new("openai-chat", 1, "");
    let proxy = set.proxy(&["--upstream", &up.url]);
    let host = format!("Host: {}\r\n", proxy.address);
    let json = "Content-Type: application/json\r\n";
    let many = "a: b\r\n".repeat(200);
    let long = "x".repeat(70_000);
    for (request, status) in [
        ("nonsense\r\n\r\n".to_owned(), 400),
        (format!("POST /v1/chat/completions HTTP/1.1\r\n{host}{json}Content-Length: 9999999999\r\n\r\n"), 413),
        (format!("POST /v1/chat/completions HTTP/1.1\r\n{host}{json}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{{}}"), 400),
        (format!("POST /v1/chat/completions HTTP/1.1\r\n{host}{json}{many}Content-Length: 2\r\n\r\n{{}}"), 431),
        (format!("POST /v1/chat/completions HTTP/1.1\r\n{host}{json}a: {long}\r\nContent-Length: 2\r\n\r\n{{}}"), 431),
        (
            format!("POST /v1/chat/completions HTTP/1.1\r\n{host}{json}x-redraft-ticket: t0\rx-evil: 1\r\nContent-Length: 2\r\n\r\n{{}}"),
            400,
        ),
        (format!("POST /v1/chat/completions HTTP/1.1\r\n{host}{json}Connection: close\r\nContent-Length: 2\r\n\r\n[]"), 400),
        (format!("POST /v1/embeddings HTTP/1.1\r\n{host}{json}Connection: close\r\nContent-Length: 2\r\n\r\n{{}}"), 404),
        (format!("GET /v1/messages HTTP/1.1\r\n{host}Connection: close\r\n\r\n"), 405),
        (
            format!("POST /v1/messages HTTP/1.1\r\n{host}Content-Type: text/plain\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{{}}"),
            415,
        ),
        (format!("POST /v1/messages HTTP/1.1\r\nHost: evil.example\r\n{json}Connection: close\r\nContent-Length: 2\r\n\r\n{{}}"), 403),
        (
            format!(
                "POST /v1/messages HTTP/1.1\r\n{host}Origin: https://evil.example\r\n{json}Connection: close\r\nContent-Length: 2\r\n\r\n{{}}"
            ),
            403,
        ),
        (format!("POST /__redraft/stop HTTP/1.1\r\n{host}Origin: null\r\nConnection: close\r\n\r\n"), 403),
    ] {
        let got = proxy.raw(request.as_bytes());
        assert_eq!(got.status, status, "{}", &request[..request.len().min(200)]);
        assert!(serde_json::from_slice::<Value>(&got.body).unwrap()["error"]["message"].as_str().unwrap().starts_with("redraft: "));
    }
    // Left in the middle of a request; left before the answer.
    for cut in [30, 200] {
        let request = proxy.request(set.path(), &[], &set.body("W t0: Question 0?", false).to_string());
        TcpStream::connect(&proxy.address).unwrap().write_all(&request.as_bytes()[..cut]).unwrap();
    }
    assert_eq!(up.count(), 0);
    // Two requests on one connection, the second one chunked.
    let mut stream = TcpStream::connect(&proxy.address).unwrap();
    let body = set.body("W t0: Question 0?", false).to_string();
    let first = format!("POST /v1/chat/completions HTTP/1.1\r\n{host}{json}Content-Length: {}\r\n\r\n{body}", body.len());
    let second = format!(
        "POST /chat/completions HTTP/1.1\r\n{host}{json}x-stainless-retry-count: 1\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n",
        body.len()
    );
    stream.write_all((first + &second).as_bytes()).unwrap();
    let mut all = String::new();
    stream.read_to_string(&mut all).unwrap();
    assert_eq!(all.matches("HTTP/1.1 200").count(), 2, "{all}");
    assert!(!all.to_lowercase().contains("set-cookie") && all.contains("x-request-id: r1"));
    let (code, told) = proxy.stop();
    assert_eq!((code, &told["recorded"], &told["served"], &told["bad"]), (Some(3), &json!(1), &json!(1), &json!(13)), "{told}");
}

#[test]
fn addresses_keys_and_commands() {
    let up = Upstream::start();
    let set = Set::new("openai-chat", 1, "");
    let fails = |more: &[&str]| {
        let output = redraft().arg("proxy").arg(set.arm()).args(more).stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        said(&output)
    };
    assert!(fails(&["--listen", "0.0.0.0:0"]).contains("--allow-remote"));
    assert!(fails(&["--upstream", "http://example.com"]).contains("--insecure-http"));
    assert!(fails(&["--key-env", "NOT_SET"]).contains("NOT_SET"));
    assert!(fails(&["--replay"]).contains("calls.jsonl"));
    let proxy = set.proxy(&["--upstream", &up.url, "--key-env", "MY_KEY"]);
    set.reflect(&proxy, 0, false, false);
    let second = redraft().arg("proxy").arg(set.arm()).args(["--upstream", &up.url]).output().unwrap();
    assert!(said(&second).contains("another recorder"), "{}", said(&second));
    proxy.stop();
    assert!(up.requests().iter().all(|request| request.head.contains("bearer sk-of-the-environment") && !request.head.contains(KEY)));
    // The command's end is the proxy's, and its failure too.
    for (script, code) in [("test \"$OPENAI_BASE_URL\" = \"$REDRAFT_PROXY/v1\" && test -n \"$ANTHROPIC_BASE_URL\"", 0), ("exit 7", 3)] {
        let output = redraft().arg("proxy").arg(set.arm()).args(["--replay", "--", "sh", "-c", script]).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{}", said(&output));
    }
    let idle = redraft().arg("proxy").arg(set.arm()).args(["--replay", "--until-idle", "0.2"]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(idle.status.code(), Some(0), "{}", said(&idle));
    assert!(said(&idle).contains("3 recorded calls are of tickets of which nothing was asked"), "{}", said(&idle));
    assert_eq!(prompt(&set.lines("calls.jsonl")[0]["request"]["body"]), "W t0: Question 0?");
}
