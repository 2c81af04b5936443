//! The floor of a replay: the given files read line by line into JSON values on one thread, and dropped. Nothing else.
//!
//! `parse_only FILE...` prints lines and bytes; scripts/speed holds the CPU time of `redraft replay` over the same files against it.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::process::ExitCode;

use serde_json::Value;

fn main() -> ExitCode {
    let (mut lines, mut bytes) = (0, 0);
    for path in std::env::args().skip(1) {
        match parse(&path) {
            Ok((l, b)) => (lines, bytes) = (lines + l, bytes + b),
            Err(what) => {
                eprintln!("{path}: {what}");
                return ExitCode::from(2);
            }
        }
    }
    println!("{lines} lines, {bytes} bytes");
    ExitCode::SUCCESS
}

fn parse(path: &str) -> Result<(usize, usize), String> {
    let mut input = BufReader::with_capacity(1 << 18, File::open(path).map_err(|e| e.to_string())?);
    let mut line = Vec::new();
    let (mut lines, mut bytes) = (0, 0);
    loop {
        line.clear();
        let read = input.read_until(b'\n', &mut line).map_err(|e| e.to_string())?;
        if read == 0 {
            return Ok((lines, bytes));
        }
        // Nobody looks at the value, so the optimiser must be told that it matters.
        std::hint::black_box(serde_json::from_slice::<Value>(&line).map_err(|e| format!("line {}: {e}", lines + 1))?);
        (lines, bytes) = (lines + 1, bytes + read);
    }
}
