//! A real Chromium, driven over its DevTools protocol through pipes: JSON messages that end in NUL, without a port and without a library.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// How long any answer may take before the test gives up.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct Browser {
    child: Child,
    ask: ChildStdin,
    messages: Receiver<Value>,
    next: u64,
    session: Option<String>,
    /// What the browser told unasked, in order.
    pub events: Vec<Value>,
    _profile: tempfile::TempDir,
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn required() -> bool {
    std::env::var_os("REDRAFT_BROWSER").is_some_and(|value| value == "required")
}

/// What a test needs that may not be there. Where it must be, its absence fails the test; else it is told, past the test harness, which
/// would keep it to itself.
pub fn needed<T>(found: Option<T>, what: &str, how: &str) -> Option<T> {
    assert!(found.is_some() || !required(), "{what} is missing; {how}");
    if found.is_none() {
        let _ = writeln!(std::io::stderr(), "SKIPPED: a test of the HTML report, for want of {what}; {how}");
    }
    found
}

/// A path in an environment variable, or the first of these programs that is on the search path.
fn program() -> Option<PathBuf> {
    if let Some(given) = std::env::var_os("REDRAFT_CHROMIUM") {
        return Some(given.into());
    }
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let places = std::env::split_paths(&path).flat_map(|dir| names.map(|name| dir.join(name)));
    places.into_iter().find(|place| place.is_file())
}

impl Browser {
    /// None where there is no browser, and none is required.
    pub fn start() -> Option<Browser> {
        let program = needed(
            program(),
            "a Chromium",
            "install it (Debian: apt-get install chromium) or name it in REDRAFT_CHROMIUM; REDRAFT_BROWSER=required makes it a must",
        )?;
        let profile = tempfile::tempdir().unwrap();
        let script = "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>/dev/null";
        let mut child = Command::new("sh")
            .args(["-c", script])
            .arg(program)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-background-networking"])
            .args(["--disable-dev-shm-usage", "--disable-component-update", "--remote-debugging-pipe"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("sh");
        let (ask, told) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (send, messages) = channel();
        std::thread::spawn(move || {
            let mut told = BufReader::new(told);
            let mut message = vec![];
            while told.read_until(0, &mut message).is_ok_and(|n| n > 0) {
                let value = serde_json::from_slice(message.trim_ascii_end().strip_suffix(&[0]).unwrap_or(&message)).unwrap_or_default();
                if send.send(value).is_err() {
                    return;
                }
                message.clear();
            }
        });
        let mut browser = Browser { child, ask, messages, next: 0, session: None, events: vec![], _profile: profile };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attached = browser.call("Target.attachToTarget", json!({ "targetId": target["targetId"], "flatten": true }));
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Network", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser.call("Page.setLifecycleEventsEnabled", json!({ "enabled": true }));
        Some(browser)
    }

    fn next_message(&mut self) -> Value {
        self.messages.recv_timeout(PATIENCE).expect("an answer of the browser")
    }

    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = serde_json::to_vec(&message).unwrap();
        bytes.push(0);
        self.ask.write_all(&bytes).expect("the browser listens");
        loop {
            let message = self.next_message();
            if message["id"] == id {
                assert!(message.get("error").is_none(), "{method}: {}", message["error"]);
                return message["result"].clone();
            }
            self.events.push(message);
        }
    }

    /// Opens an address and waits until the page is loaded. Events of the page before are forgotten.
    pub fn open(&mut self, url: &str) {
        self.call("Page.navigate", json!({ "url": "about:blank" }));
        self.events.clear();
        let answer = self.call("Page.navigate", json!({ "url": url }));
        assert!(answer.get("errorText").is_none(), "{url}: {}", answer["errorText"]);
        let loaded = |event: &Value| {
            let params = &event["params"];
            event["method"] == "Page.lifecycleEvent" && params["name"] == "load" && params["loaderId"] == answer["loaderId"]
        };
        while !self.events.iter().any(loaded) {
            let message = self.next_message();
            self.events.push(message);
        }
    }

    /// The value of an expression in the page.
    pub fn eval(&mut self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", params);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    /// Processor seconds that pages have taken so far: what other work on the machine does not change.
    pub fn seconds(&mut self) -> f64 {
        let session = self.session.take();
        let told = self.call("SystemInfo.getProcessInfo", json!({}));
        self.session = session;
        let processes = told["processInfo"].as_array().into_iter().flatten().filter(|process| process["type"] == "renderer");
        processes.filter_map(|process| process["cpuTime"].as_f64()).sum()
    }

    /// Every address that the page asked for.
    pub fn requests(&self) -> Vec<String> {
        let sent = self.events.iter().filter(|event| event["method"] == "Network.requestWillBeSent");
        sent.map(|event| event["params"]["request"]["url"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// What went wrong in the page: exceptions, errors on the console, and what the browser itself complains of.
    pub fn complaints(&self) -> Vec<String> {
        let bad = |event: &&Value| match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Runtime.consoleAPICalled") => ["error", "warning", "assert"].iter().any(|kind| event["params"]["type"] == *kind),
            Some("Log.entryAdded") => ["error", "warning"].iter().any(|level| event["params"]["entry"]["level"] == *level),
            _ => false,
        };
        self.events.iter().filter(bad).map(ToString::to_string).collect()
    }

    pub fn key(&mut self, key: &str) {
        let (code, text) = match key {
            "Tab" => (9, ""),
            "Enter" => (13, "\r"),
            _ => (0, key),
        };
        let press = json!({ "type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text });
        self.call("Input.dispatchKeyEvent", press);
        self.call("Input.dispatchKeyEvent", json!({ "type": "keyUp", "key": key, "code": key, "windowsVirtualKeyCode": code }));
    }

    pub fn type_text(&mut self, text: &str) {
        self.call("Input.insertText", json!({ "text": text }));
    }

    /// Window size and preferred colours.
    pub fn look(&mut self, width: u32, scheme: &str) {
        self.call(
            "Emulation.setDeviceMetricsOverride",
            json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600 }),
        );
        self.call("Emulation.setEmulatedMedia", json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] }));
    }

    /// A picture of a part of the page, for people to look at.
    pub fn picture(&mut self, path: &Path, top: f64, height: f64) {
        let width = self.eval("document.documentElement.clientWidth");
        let clip = json!({ "x": 0, "y": top, "width": width, "height": height, "scale": 1 });
        let shot = self.call("Page.captureScreenshot", json!({ "format": "png", "captureBeyondViewport": true, "clip": clip }));
        std::fs::write(path, base64(shot["data"].as_str().unwrap_or_default())).unwrap();
    }
}

/// RFC 4648, section 4, read.
fn base64(text: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => Some(c - b'A'),
        b'a'..=b'z' => Some(c - b'a' + 26),
        b'0'..=b'9' => Some(c - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let (mut out, mut bits, mut held) = (vec![], 0u32, 0);
    for six in text.bytes().filter_map(value) {
        bits = bits << 6 | u32::from(six);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
        }
    }
    out
}
