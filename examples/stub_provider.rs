//! A provider on loopback that answers every chat completion with the same text, as fast as it can: what recorders are measured and tried against.
//!
//!     cargo run --example stub_provider -- [--delay-ms N]
//!
//! prints its base URL. Answers are made up; a loop that is recorded from it should say so with `synthetic`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let delay = match arguments.as_slice() {
        [] => 0,
        [flag, delay] if flag == "--delay-ms" => delay.parse().map_err(|_| std::io::Error::other("--delay-ms takes a whole number"))?,
        _ => return Err(std::io::Error::other("usage: stub_provider [--delay-ms N]")),
    };
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("http://{}", listener.local_addr()?);
    for stream in listener.incoming() {
        let stream = stream?;
        // A client that goes away is no error.
        std::thread::spawn(move || drop(serve(stream, Duration::from_millis(delay))));
    }
    Ok(())
}

fn serve(stream: TcpStream, delay: Duration) -> std::io::Result<()> {
    let text = "Your account was charged the dispute fee of $15.00 when the dispute was opened. ".repeat(12);
    let body = format!(
        r#"{{"id":"c-1","object":"chat.completion","model":"stub","choices":[{{"index":0,"message":{{"role":"assistant","content":"{}"}},"finish_reason":"stop"}}],"usage":{{"prompt_tokens":400,"completion_tokens":220,"total_tokens":620}}}}"#,
        text.trim()
    );
    let answer = format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    let mut input = BufReader::new(stream.try_clone()?);
    let mut output = stream;
    let mut line = String::new();
    loop {
        let mut length = 0;
        loop {
            line.clear();
            if input.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().map_err(std::io::Error::other)?;
            }
        }
        let mut request = vec![0; length];
        input.read_exact(&mut request)?;
        std::thread::sleep(delay);
        output.write_all(answer.as_bytes())?;
    }
}
