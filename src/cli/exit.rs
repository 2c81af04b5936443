//! Exit codes: what a pipeline can act on.

use std::process::ExitCode;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// 0: it did what it was asked to.
    Fine,
    /// 1: a gate was asked for, and the candidate got worse by more than it allows.
    GateBroken,
    /// 2: the input or the command line is wrong (also what clap exits with).
    BadInput,
    /// 3: nothing can be concluded: tickets errored, or there is nothing to compare.
    NoVerdict,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Fine => 0,
            Exit::GateBroken => 1,
            Exit::BadInput => 2,
            Exit::NoVerdict => 3,
        })
    }
}
