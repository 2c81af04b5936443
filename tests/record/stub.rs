//! A provider on loopback that behaves as badly as it is told to: an HTTP server of the standard library alone.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What a request said.
#[derive(Debug, Clone)]
pub struct Request {
    pub path: String,
    pub headers: HashMap<String, String>,
    pub body: String,
    pub at: Instant,
    /// How often this very body has come, from 0.
    pub again: usize,
}

/// What the server does with it.
pub enum Act {
    Answer(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// Says that the body is longer than it is, and hangs up.
    Cut(Vec<u8>),
    /// Sends the head and half of the body, then nothing for so long.
    Stall(Vec<u8>, Duration),
    /// Hangs up with a reset, without having read the request.
    Reset,
    /// Waits, then answers.
    After(Duration, Vec<u8>),
}

pub struct Stub {
    pub url: String,
    pub seen: Arc<Mutex<Vec<Request>>>,
}

impl Stub {
    /// Serves until the test's process ends.
    pub fn start(act: impl Fn(&Request) -> Act + Send + Sync + 'static) -> Stub {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(vec![]));
        let log = seen.clone();
        let act = Arc::new(act);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (act, log) = (act.clone(), log.clone());
                std::thread::spawn(move || serve(stream, &*act, &log));
            }
        });
        Stub { url, seen }
    }

    pub fn requests(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }
}

/// Answers one connection's requests until it ends.
fn serve(mut stream: TcpStream, act: &dyn Fn(&Request) -> Act, log: &Mutex<Vec<Request>>) {
    while let Some((request, length)) = peek(&stream) {
        let mut request = request;
        let mut log = log.lock().unwrap();
        request.again = log.iter().filter(|seen| seen.body == request.body).count();
        log.push(request.clone());
        drop(log);
        let act = act(&request);
        if matches!(act, Act::Reset) {
            // A socket that is closed with unread bytes sends a reset.
            return;
        }
        stream.read_exact(&mut vec![0; length]).unwrap();
        let head = |length: usize| format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n");
        let sent = match act {
            Act::Reset => return,
            Act::Answer(status, headers, body) => {
                let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
                let head = format!("HTTP/1.1 {status} Status\r\n{headers}content-length: {}\r\n\r\n", body.len());
                stream.write_all(&[head.as_bytes(), &body].concat())
            }
            Act::After(wait, body) => {
                std::thread::sleep(wait);
                stream.write_all(&[head(body.len()).as_bytes(), &body].concat())
            }
            Act::Cut(body) => {
                let _ = stream.write_all(&[head(body.len() + 100).as_bytes(), &body].concat());
                return;
            }
            Act::Stall(body, wait) => {
                let _ = stream.write_all(&[head(body.len()).as_bytes(), &body[..body.len() / 2]].concat());
                std::thread::sleep(wait);
                return;
            }
        };
        if sent.is_err() {
            return;
        }
    }
}

/// The next request, left unread, and its length.
fn peek(stream: &TcpStream) -> Option<(Request, usize)> {
    let mut bytes = vec![0; 1 << 20];
    loop {
        let count = stream.peek(&mut bytes).ok().filter(|count| *count > 0)?;
        let text = String::from_utf8_lossy(&bytes[..count]);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let mut lines = head.lines();
            let path = lines.next()?.split(' ').nth(1)?.to_owned();
            let headers: HashMap<String, String> =
                lines.filter_map(|line| line.split_once(": ")).map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
            let length: usize = headers.get("content-length")?.parse().ok()?;
            if body.len() >= length {
                let body = body[..length].to_owned();
                let request = Request { path, headers, body, at: Instant::now(), again: 0 };
                return Some((request, head.len() + 4 + length));
            }
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A gzip file of one stored block, which any reader unpacks.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let length = bytes.len() as u16;
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    out.extend(length.to_le_bytes());
    out.extend((!length).to_le_bytes());
    out.extend_from_slice(bytes);
    let crc = !bytes.iter().fold(!0u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 })
    });
    out.extend(crc.to_le_bytes());
    out.extend(u32::from(length).to_le_bytes());
    out
}
