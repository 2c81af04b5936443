//! HTTP/1.1 as a server speaks it: requests read within limits, answers written whole or in pieces. What is doubtful is refused, never guessed.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Limits on one request.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub head_bytes: usize,
    pub headers: usize,
    pub body_bytes: usize,
    /// How long a connection may stay without a request.
    pub idle: Duration,
    /// From the first byte of a request to its last.
    pub request: Duration,
    /// How long a client may take no byte of its answer.
    pub write: Duration,
}

pub const LIMITS: Limits = Limits {
    head_bytes: 1 << 16,
    headers: 100,
    body_bytes: 1 << 25,
    idle: Duration::from_secs(120),
    request: Duration::from_secs(60),
    write: Duration::from_secs(60),
};

/// A request, read whole. Names of headers are lower case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    pub method: String,
    /// Path and query.
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// The client goes on with this connection.
    pub keep: bool,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }
}

/// Why no request was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bad {
    /// The client is gone, or said nothing for too long: there is nobody to answer.
    Gone,
    /// To be answered with this status, and the connection closed.
    Refused(u16, String),
}

fn refused<T>(status: u16, what: impl Into<String>) -> Result<T, Bad> {
    Err(Bad::Refused(status, what.into()))
}

/// One client's connection.
pub struct Connection {
    stream: TcpStream,
    limits: Limits,
    /// Read and not used yet.
    kept: Vec<u8>,
}

impl Connection {
    pub fn new(stream: TcpStream, limits: Limits) -> std::io::Result<Connection> {
        stream.set_write_timeout(Some(limits.write))?;
        stream.set_nodelay(true)?;
        Ok(Connection { stream, limits, kept: vec![] })
    }

    /// The next request.
    pub fn request(&mut self) -> Result<Request, Bad> {
        if self.kept.is_empty() {
            self.fill(Instant::now() + self.limits.idle).map_err(|_| Bad::Gone)?;
        }
        let until = Instant::now() + self.limits.request;
        let end = loop {
            if let Some(end) = find(&self.kept, b"\r\n\r\n") {
                break end;
            }
            if self.kept.len() > self.limits.head_bytes {
                return refused(431, format!("the head of a request is limited to {} bytes", self.limits.head_bytes));
            }
            self.fill(until)?;
        };
        if end > self.limits.head_bytes {
            return refused(431, format!("the head of a request is limited to {} bytes", self.limits.head_bytes));
        }
        let mut rest = self.kept.split_off(end + 4);
        std::mem::swap(&mut self.kept, &mut rest);
        let mut request = head(&rest[..end], self.limits.headers)?;
        let length = framing(&request)?;
        if request.header("expect").is_some_and(|expected| expected.eq_ignore_ascii_case("100-continue")) {
            self.write(b"HTTP/1.1 100 Continue\r\n\r\n").map_err(|_| Bad::Gone)?;
        }
        request.body = match length {
            Length::Known(length) => self.exactly(length, until)?,
            Length::Chunked => self.chunks(until)?,
        };
        Ok(request)
    }

    fn exactly(&mut self, length: usize, until: Instant) -> Result<Vec<u8>, Bad> {
        if length > self.limits.body_bytes {
            return refused(413, format!("the body of a request is limited to {} bytes", self.limits.body_bytes));
        }
        while self.kept.len() < length {
            self.fill(until)?;
        }
        let rest = self.kept.split_off(length);
        Ok(std::mem::replace(&mut self.kept, rest))
    }

    fn chunks(&mut self, until: Instant) -> Result<Vec<u8>, Bad> {
        let mut body = vec![];
        loop {
            let line = self.line(until)?;
            let size = line.split(';').next().unwrap_or_default().trim();
            let fine = !size.is_empty() && size.len() <= 8 && size.bytes().all(|b| b.is_ascii_hexdigit());
            let Some(size) = fine.then(|| usize::from_str_radix(size, 16).ok()).flatten() else {
                return refused(400, "a chunk of the body has no readable length");
            };
            if size == 0 {
                break;
            }
            if body.len() + size > self.limits.body_bytes {
                return refused(413, format!("the body of a request is limited to {} bytes", self.limits.body_bytes));
            }
            body.append(&mut self.exactly(size, until)?);
            if self.exactly(2, until)? != b"\r\n" {
                return refused(400, "a chunk of the body is longer than it says");
            }
        }
        // Trailers are read and forgotten.
        for _ in 0..self.limits.headers {
            if self.line(until)?.is_empty() {
                return Ok(body);
            }
        }
        refused(431, "too many trailers behind the body")
    }

    fn line(&mut self, until: Instant) -> Result<String, Bad> {
        const LINE_BYTES_MAX: usize = 4096;
        let end = loop {
            match find(&self.kept, b"\r\n") {
                Some(end) => break end,
                None if self.kept.len() > LINE_BYTES_MAX => return refused(400, "a line between the chunks of the body is too long"),
                None => self.fill(until)?,
            }
        };
        let line = self.exactly(end, until)?;
        self.exactly(2, until)?;
        String::from_utf8(line).or_else(|_| refused(400, "a line between the chunks of the body is not readable"))
    }

    fn fill(&mut self, until: Instant) -> Result<(), Bad> {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return refused(408, "the request took too long to come");
        }
        self.stream.set_read_timeout(Some(left)).map_err(|_| Bad::Gone)?;
        let mut bytes = [0; 1 << 14];
        loop {
            match self.stream.read(&mut bytes) {
                Ok(0) => return Err(Bad::Gone),
                Ok(count) => {
                    self.kept.extend_from_slice(&bytes[..count]);
                    return Ok(());
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    return refused(408, "the request took too long to come");
                }
                Err(_) => return Err(Bad::Gone),
            }
        }
    }

    pub fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.stream.write_all(bytes)
    }

    /// An answer in one piece.
    pub fn answer(&mut self, status: u16, headers: &[(String, String)], body: &[u8], keep: bool) -> std::io::Result<()> {
        let length = ("content-length".to_owned(), body.len().to_string());
        let mut bytes = head_of(status, headers.iter().chain([&length]), keep);
        bytes.extend_from_slice(body);
        self.write(&bytes)
    }

    /// The head of an answer that comes in pieces, each given to [`Connection::piece`].
    pub fn begin(&mut self, status: u16, headers: &[(String, String)], keep: bool) -> std::io::Result<()> {
        let chunked = ("transfer-encoding".to_owned(), "chunked".to_owned());
        let bytes = head_of(status, headers.iter().chain([&chunked]), keep);
        self.write(&bytes)
    }

    pub fn piece(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let size = format!("{:x}\r\n", bytes.len());
        self.write(&[size.as_bytes(), bytes, b"\r\n"].concat())
    }

    pub fn end(&mut self) -> std::io::Result<()> {
        self.write(b"0\r\n\r\n")
    }

    /// Reads what the client still sends before the connection is closed, so that it can read its answer: a close with unread bytes is a reset.
    pub fn drain(&mut self) {
        const BYTES_MAX: usize = 1 << 22;
        let until = Instant::now() + Duration::from_secs(2);
        let _ = self.stream.shutdown(std::net::Shutdown::Write);
        let mut count = 0;
        while count < BYTES_MAX && self.fill(until).is_ok() {
            count += std::mem::take(&mut self.kept).len();
        }
    }
}

fn head_of<'a>(status: u16, headers: impl Iterator<Item = &'a (String, String)>, keep: bool) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status} {}\r\n", reason(status));
    for (name, value) in headers.filter(|(name, value)| is_token(name) && is_value(value)) {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str(if keep { "connection: keep-alive\r\n\r\n" } else { "connection: close\r\n\r\n" });
    head.into_bytes()
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        409 => "Conflict",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        505 => "HTTP Version Not Supported",
        _ => "Status",
    }
}

fn find(bytes: &[u8], mark: &[u8]) -> Option<usize> {
    bytes.windows(mark.len()).position(|window| window == mark)
}

/// True for a header's name as HTTP allows it.
pub fn is_token(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

/// True for a header's value that is one line and stays one.
pub fn is_value(value: &str) -> bool {
    value.chars().all(|c| c == '\t' || !c.is_control())
}

fn head(bytes: &[u8], headers_max: usize) -> Result<Request, Bad> {
    let Ok(text) = std::str::from_utf8(bytes) else { return refused(400, "the head of the request is not UTF-8") };
    let mut lines = text.split("\r\n");
    let first = lines.next().unwrap_or_default();
    let words: Vec<&str> = first.split(' ').collect();
    let [method, target, version] = words[..] else { return refused(400, "expected a request line such as POST /v1/messages HTTP/1.1") };
    let keep = match version {
        "HTTP/1.1" => true,
        "HTTP/1.0" => false,
        _ => return refused(505, "HTTP/1.1 is spoken here"),
    };
    if !is_token(method) || !target.starts_with('/') || !target.bytes().all(|b| b.is_ascii_graphic()) {
        return refused(400, "expected a method and a path in the request line");
    }
    let mut request = Request { method: method.to_owned(), target: target.to_owned(), keep, ..Request::default() };
    for line in lines {
        let Some((name, value)) = line.split_once(':') else { return refused(400, "a header has no colon") };
        let value = value.trim_matches([' ', '\t']);
        // Also what goes on from the line before, and line ends that are no CR LF.
        if !is_token(name) || !is_value(value) {
            return refused(400, "a header holds characters that none may have");
        }
        if request.headers.len() == headers_max {
            return refused(431, format!("a request is limited to {headers_max} headers"));
        }
        request.headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    if request.header("connection").is_some_and(|said| said.to_ascii_lowercase().split(',').any(|word| word.trim() == "close")) {
        request.keep = false;
    }
    Ok(request)
}

enum Length {
    Known(usize),
    Chunked,
}

/// How long the body is. Two answers to that are none.
fn framing(request: &Request) -> Result<Length, Bad> {
    let all = |name: &str| request.headers.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str()).collect::<Vec<_>>();
    match (all("content-length")[..].as_ref(), all("transfer-encoding")[..].as_ref()) {
        ([], []) => Ok(Length::Known(0)),
        ([], [coding]) if coding.eq_ignore_ascii_case("chunked") => Ok(Length::Chunked),
        ([length], []) if length.len() <= 15 && !length.is_empty() && length.bytes().all(|b| b.is_ascii_digit()) => {
            length.parse().map(Length::Known).or_else(|_| refused(400, "content-length is no length"))
        }
        _ => refused(400, "expected one content-length, or transfer-encoding: chunked, and not both"),
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    const SMALL: Limits = Limits {
        head_bytes: 200,
        headers: 4,
        body_bytes: 20,
        idle: Duration::from_millis(300),
        request: Duration::from_millis(300),
        write: Duration::from_secs(1),
    };

    /// What is read of these bytes, given in one piece or one by one; then nothing more comes.
    fn read(bytes: &[u8], step: usize) -> Result<Request, Bad> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let mut connection = Connection::new(listener.accept().unwrap().0, SMALL).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| bytes.chunks(step).try_for_each(|piece| client.write_all(piece)));
            connection.request()
        })
    }

    #[test]
    fn requests_are_read_however_they_are_cut() {
        let length = "POST /v1/messages?beta=true HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello";
        let chunked = "POST /v1/messages?beta=true HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nhe\r\n3\r\nllo\r\n0\r\nt: 1\r\n\r\n";
        for text in [length, chunked] {
            for step in [1, 7, 1000] {
                let request = read(text.as_bytes(), step).unwrap();
                assert_eq!((request.path(), request.body.as_slice(), request.keep), ("/v1/messages", &b"hello"[..], true));
                assert_eq!(request.header("host"), Some("a"));
            }
        }
    }

    #[test]
    fn doubtful_requests_are_refused() {
        let long = format!("GET / HTTP/1.1\r\na: {}\r\n\r\n", "x".repeat(300));
        for (text, status) in [
            ("nonsense\r\n\r\n", 400),
            ("GET / HTTP/2.0\r\n\r\n", 505),
            ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
            ("GET http://elsewhere/ HTTP/1.1\r\n\r\n", 400),
            ("GET /a\tb HTTP/1.1\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nno colon\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\na : b\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\na: b\r\n folded\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\na: b\nc: d\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\na: b\rc: d\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\na: b\u{0}\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\na: 1\r\nb: 1\r\nc: 1\r\nd: 1\r\ne: 1\r\n\r\n", 431),
            (&long, 431),
            ("POST / HTTP/1.1\r\nContent-Length: 21\r\n\r\n", 413),
            ("POST / HTTP/1.1\r\nContent-Length: 999999999999999999999\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nContent-Length: +5\r\n\r\nhello", 400),
            ("POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello", 400),
            ("POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nhello", 400),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n", 413),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n", 400),
            // It is still open, and says no more.
            ("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhel", 408),
            ("POST / HTTP/1.1\r\nContent-", 408),
        ] {
            match read(text.as_bytes(), 1000) {
                Err(Bad::Refused(found, _)) => assert_eq!(found, status, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
        }
        assert_eq!(read(b"", 1), Err(Bad::Gone));
    }

    #[test]
    fn an_answer_has_no_header_of_two_lines() {
        let headers = [("a".to_owned(), "b\r\nc: d".to_owned()), ("x y".to_owned(), "1".to_owned()), ("e".to_owned(), "f".to_owned())];
        let text = String::from_utf8(head_of(200, headers.iter(), false)).unwrap();
        assert_eq!(text, "HTTP/1.1 200 OK\r\ne: f\r\nconnection: close\r\n\r\n");
    }
}
