//! The binary: parse, run, exit.

use std::process::ExitCode;

fn main() -> ExitCode {
    redraft::cli::main()
}
