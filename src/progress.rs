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

/// Plain lines: one a minute and one at the end, so that a log stays short and a long job is seen to live.
pub struct Lines {
    what: String,
    total: usize,
    done: usize,
    last: Instant,
}

const QUIET_TIME: Duration = Duration::from_secs(60);
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
            return Progress::Lines(Lines { what: what.to_owned(), total, done: 0, last: Instant::now() });
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
        if let Some(text) = self.due(Instant::now()) {
            line(&text);
        }
    }

    /// Counts one more; the line that is then due, if any.
    fn due(&mut self, now: Instant) -> Option<String> {
        self.done += 1;
        let is_due = self.done == self.total || now.saturating_duration_since(self.last) >= QUIET_TIME;
        if self.total < LINES_FROM || !is_due {
            return None;
        }
        self.last = now;
        Some(format!("{}: {}/{} tickets", self.what, self.done, self.total))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_a_minute_and_one_at_the_end() {
        let start = Instant::now();
        let lines = |total: usize, seconds_each: u64| {
            let mut lines = Lines { what: "arm".into(), total, done: 0, last: start };
            let due = (1..=total as u64).filter_map(|n| lines.due(start + Duration::from_secs(n * seconds_each)));
            due.collect::<Vec<_>>()
        };
        assert_eq!(lines(300, 0), ["arm: 300/300 tickets"]);
        assert_eq!(lines(310, 1), [60, 120, 180, 240, 300, 310].map(|n| format!("arm: {n}/310 tickets")));
        assert_eq!(lines(99, 600), Vec::<String>::new());
    }
}
