//! Progress of long work, on standard error: a bar on a terminal, plain lines elsewhere, nothing when asked to be quiet.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::report::grid::escape_terminal;

/// Told of every ticket that is done; shows it as the place allows.
pub enum Progress {
    Quiet,
    Bar(ProgressBar),
    Lines(Lines),
}

/// Plain lines: one at most every tenth of the work or thirty seconds, so that a log stays short and a long job is seen to live.
pub struct Lines {
    what: String,
    total: usize,
    done: usize,
    shown: usize,
    last: Instant,
}

const QUIET_TIME: Duration = Duration::from_secs(30);
/// Work that is over before anybody could wonder needs no line.
const LINES_FROM: usize = 100;

/// What the environment says of every terminal: it takes no control sequences.
pub fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// The user wants no colour (no-color.org): set and not empty.
pub fn no_colour() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|set| !set.is_empty())
}

/// A line on standard error. Names in it may come from hostile data, so control characters are shown, not sent. Where nobody reads it any
/// more (`2>&1 | head`) it is lost, and the work and its exit code go on.
pub fn line(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", escape_terminal(text));
}

impl Progress {
    /// Work of unknown size is too short to be worth a word: only a filter leaves it unknown.
    pub fn new(what: &str, total: impl Into<Option<usize>>, quiet: bool) -> Progress {
        let Some(total) = total.into().filter(|_| !quiet) else {
            return Progress::Quiet;
        };
        if !std::io::stderr().is_terminal() || is_dumb() {
            return Progress::Lines(Lines { what: what.to_owned(), total, done: 0, shown: 0, last: Instant::now() });
        }
        let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::stderr_with_hz(10));
        let template = if no_colour() { "{prefix} [{bar:30}] {pos}/{len} {eta}" } else { "{prefix} [{bar:30.cyan}] {pos}/{len} {eta}" };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_prefix(escape_terminal(what).into_owned());
        Progress::Bar(bar)
    }

    pub fn tick(&mut self) {
        match self {
            Progress::Quiet => {}
            Progress::Bar(bar) => bar.inc(1),
            Progress::Lines(lines) => lines.tick(),
        }
    }

    /// Clears a bar; lines stay where they are.
    pub fn finish(self) {
        if let Progress::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

impl Lines {
    fn tick(&mut self) {
        self.done += 1;
        if self.total < LINES_FROM {
            return;
        }
        let tenth = self.done * 10 / self.total;
        let due = self.done == self.total || self.last.elapsed() >= QUIET_TIME;
        if tenth > self.shown || due {
            self.shown = tenth;
            self.last = Instant::now();
            line(&format!("{}: {}/{} tickets", self.what, self.done, self.total));
        }
    }
}
