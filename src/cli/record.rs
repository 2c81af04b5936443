//! `redraft record ARM`: answer an arm's open calls from a live provider, durably, within limits.

use std::path::PathBuf;

use super::pick::Pick;
use super::status::{self, Format};
use super::{Common, Exit, print, warn_torn};
use crate::arm::Coverage;
use crate::error::Error;
use crate::model::Usd;
use crate::replay::Prepared;

/// Ask a live provider for the calls that an arm lacks, and record them
#[derive(clap::Args, Debug)]
#[command(after_help = "\
The loop of ARM/loop.toml runs over its dataset. What calls.jsonl (or an arm under reuse) has, answers; what is missing is asked, written \
down, and the loop goes on. End it whenever you like: what was answered is on the disk, and the next run goes on there.

Keys come from the environment alone: OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, OPENROUTER_API_KEY, or --key-env NAME. A key goes to its own provider's host, and elsewhere only where --key-env names it. --base-url (or REDRAFT_BASE_URL_OPENAI_CHAT, REDRAFT_BASE_URL_ANTHROPIC ...) points to any server that speaks the same form.

Exit code: 0 where every run is complete, 2 where the provider refuses key or address, 3 where something is still missing.

Examples:
  redraft record my/arm --dry-run                                   what is open, what it will cost
  redraft record my/arm --max-usd 5 --rpm 500 --concurrency 8
  redraft record my/arm --first 20                                  twenty tickets to begin with
  redraft record my/arm --base-url http://127.0.0.1:8080            llama.cpp, vLLM, Ollama
  redraft record my/arm --base-url https://openrouter.ai/api/v1
  redraft record my/arm --mode all                                  a second recording, in my/arm-2")]
pub struct Args {
    /// Folder with a loop.toml
    #[arg(value_name = "ARM")]
    arm: PathBuf,
    /// new: what is missing; all: everything, as a new arm beside this one
    #[arg(long, value_enum, default_value = "new")]
    mode: Mode,
    /// Folder of the new arm, for --mode all (default: ARM-2, ARM-3 ...)
    #[arg(long, value_name = "NEW")]
    into: Option<PathBuf>,
    /// Tell what is open and what it will cost; ask nobody, write nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    pick: Pick,
    #[command(flatten)]
    live: Live,
    /// What to print
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Mode {
    New,
    All,
}

/// Whom to ask, and how much at once.
#[derive(clap::Args, Debug)]
#[cfg_attr(not(feature = "record"), allow(dead_code))]
struct Live {
    /// Where the provider is reached, such as https://openrouter.ai/api/v1
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// Environment variable that holds the key
    #[arg(long, value_name = "NAME")]
    key_env: Option<String>,
    /// Allow plain http to another machine
    #[arg(long)]
    insecure_http: bool,
    /// Calls at the same time
    #[arg(long, default_value_t = 4, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    concurrency: u16,
    /// Requests a minute
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rpm: Option<u32>,
    /// Tokens a minute, estimated before and corrected after each call
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    tpm: Option<u64>,
    /// Calls at most
    #[arg(long, value_name = "N")]
    max_calls: Option<u64>,
    /// US dollars at most; needs prices and max_tokens in loop.toml
    #[arg(long, value_name = "USD", value_parser = usd)]
    max_usd: Option<Usd>,
    /// Attempts after the first, for what may go better next time
    #[arg(long, default_value_t = 5, value_name = "N")]
    retries: u32,
    /// Longest first wait before a retry; it doubles up to a minute
    #[arg(long, default_value_t = 1000, value_name = "MS")]
    backoff_ms: u64,
    /// Seconds that one answer may take
    #[arg(long, default_value_t = 600.0, value_name = "SECONDS", value_parser = seconds)]
    timeout: f64,
    /// Seconds to reach the provider
    #[arg(long, default_value_t = 10.0, value_name = "SECONDS", value_parser = seconds)]
    connect_timeout: f64,
    /// Do not ask on a terminal before spending
    #[arg(long, short)]
    yes: bool,
}

fn usd(text: &str) -> Result<Usd, String> {
    Usd::parse(text.trim().trim_start_matches('$')).ok_or_else(|| "expected dollars such as 5 or 0.25".to_owned())
}

pub(super) fn seconds(text: &str) -> Result<f64, String> {
    let fine = |s: &f64| (0.001..=86_400.0).contains(s);
    text.parse().ok().filter(fine).ok_or_else(|| "expected seconds, up to a day".to_owned())
}

pub fn run(args: &Args, common: Common) -> Result<Exit, Error> {
    if args.into.is_some() && args.mode == Mode::New {
        return Err(Error::new("--into names the folder of a new arm; expected --mode all with it"));
    }
    if args.dry_run {
        return dry_run(args, common);
    }
    live::run(args, common)
}

fn dry_run(args: &Args, common: Common) -> Result<Exit, Error> {
    let mut prepared = Prepared::open_or_empty(&args.arm)?;
    warn_torn(&prepared.recording);
    if args.mode == Mode::All {
        prepared = prepared.without_calls()?;
    }
    let found = status::survey_of(&prepared, &args.pick.options(0)?, Coverage::All, common)?;
    match args.format {
        Format::Json => print(&status::json(vec![found]))?,
        Format::Text => print(&status::text(&args.arm, &found))?,
    }
    Ok(Exit::Fine)
}

#[cfg(not(feature = "record"))]
mod live {
    use super::*;

    pub fn run(_: &Args, _: Common) -> Result<Exit, Error> {
        Err(Error::new("this redraft was built without live recording; build it with the cargo feature `record`, which is on by default"))
    }
}

#[cfg(feature = "record")]
mod live {
    use std::io::{IsTerminal, Write};
    use std::path::Path;
    use std::sync::Mutex;
    use std::time::Duration;

    use serde::Serialize;

    use super::*;
    use crate::arm::Arm;
    use crate::cli::say;
    use crate::jsonl;
    use crate::machine::worst_case;
    use crate::progress::Progress;
    use crate::record::append::{Appender, Tail};
    use crate::record::budget::{Budget, Caps};
    use crate::record::exchange::{Caller, Counts, Post};
    use crate::record::fork::{self, Wanted as Fork};
    use crate::record::halt::Cause;
    use crate::record::http::{Client, Timeouts};
    use crate::record::live::{Outcome, record};
    use crate::record::pace::{Limits, Pace};
    use crate::record::provider::{Provider, Wanted};
    use crate::record::retry::Policy;
    use crate::record::survey::Status;
    use crate::report::grid::escape_terminal;

    pub fn run(args: &Args, common: Common) -> Result<Exit, Error> {
        let spec = Arm::open(&args.arm)?.spec;
        let wanted = &args.live;
        let spec_path = args.arm.join("loop.toml");
        for role in [&spec.writer, &spec.critic, &spec.reviser] {
            let name = role.role.name();
            if role.params.get("stream").is_some_and(|on| on == true) {
                return Err(Error::at(
                    &spec_path,
                    format!("{name}.params: stream = true asks for an answer in pieces; remove it to record whole ones"),
                ));
            }
            if wanted.max_usd.is_some() && worst_case(role, &serde_json::Value::Null).is_none() {
                let what = format!("--max-usd cannot be kept unless {name}'s model has a price and {name}.params a max_tokens");
                return Err(Error::at(&spec_path, what));
            }
        }
        // Before anything is made or written: is there a key at all?
        let about = Wanted { base_url: wanted.base_url.clone(), key_env: wanted.key_env.clone(), insecure: wanted.insecure_http };
        let provider = Provider::new(spec.wire.name(), &about, &|name| std::env::var(name).ok())?;
        let arm = target(args, common)?;
        let (appender, found) = Appender::open(&arm, Some(spec.wire))?;
        if let Tail::Cut(bytes) = found.tail {
            say(&format!("warning: {}: a last line cut off by a crash ({bytes} bytes) was moved to calls.torn", appender.path().display()));
        }
        if found.set_aside > 0 && !common.quiet {
            say(&format!("{}: {} failed calls are tried again; what they were is in calls.errors.jsonl", arm.display(), found.set_aside));
        }
        let prepared = Prepared::open(&arm)?;
        let options = args.pick.options(0)?;
        let before = status::survey_of(&prepared, &options, Coverage::All, common)?;
        if !common.quiet {
            say(&format!("{}: {} of {} runs complete; {}", arm.display(), before.complete, before.runs, status::price(&before.missing)));
        }
        if before.missing.calls_open > 0 && !agreed(wanted)? {
            return Err(Error::new("nothing was asked and nothing written"));
        }
        let threads = usize::from(wanted.concurrency);
        let seconds = Duration::from_secs_f64;
        let timeouts = Timeouts { connect: seconds(wanted.connect_timeout), total: seconds(wanted.timeout) };
        let client = Client::new(timeouts, threads, provider.is_loopback());
        let send = |post: &Post<'_>| client.send(post);
        let caller = Caller::new(
            &send,
            &provider,
            prepared.program.spec.wire,
            Policy { retries: wanted.retries, base: Duration::from_millis(wanted.backoff_ms) },
            Pace::new(Limits { requests: wanted.rpm, tokens: wanted.tpm }),
            Budget::new(Caps { calls: wanted.max_calls, cost: wanted.max_usd }),
        );
        let progress = Mutex::new(Some(Progress::new(&prepared.arm_name, before.tickets, common.quiet)));
        let tick = || {
            if let Ok(mut progress) = progress.lock()
                && let Some(progress) = progress.as_mut()
            {
                progress.tick();
            }
        };
        // Where nothing is open, the look before has seen all there is to see.
        let outcome = match before.missing.calls_open {
            0 => seen(&before),
            _ => record(&prepared, &appender, &caller, &options, threads, &tick)?,
        };
        if let Some(progress) = progress.into_inner().ok().flatten() {
            progress.finish();
        }
        let done = Done::new(&arm, before.runs, outcome, caller.counts(), caller.halt.cause());
        match args.format {
            Format::Json => print(&jsonl::pretty(&done))?,
            Format::Text => print(&done.text())?,
        }
        match caller.halt.cause() {
            Some(Cause::Refused(why)) => Err(Error::new(why)),
            _ if done.complete == done.runs => Ok(Exit::Fine),
            _ => Ok(Exit::NoVerdict),
        }
    }

    fn seen(status: &Status) -> Outcome {
        let (complete, stale) = (status.complete, status.renew.calls_open as usize);
        let faulted = status.runs.saturating_sub(complete + stale);
        let notes = status.stale.iter().map(|group| group.example.clone()).chain(status.notes.iter().cloned()).collect();
        Outcome { tickets: status.tickets, complete, stale, faulted, notes }
    }

    /// The arm that is recorded: the one named, or with `--mode all` a new one beside it.
    fn target(args: &Args, common: Common) -> Result<PathBuf, Error> {
        if args.mode == Mode::New {
            return Ok(args.arm.clone());
        }
        let new = args.into.clone().map_or_else(|| fork::beside(&args.arm), Ok)?;
        fork::fork(&args.arm, &new, Fork { reuse: false, critic_prompt: None })?;
        if !common.quiet {
            say(&format!(
                "{} is recorded anew in {}; `redraft record {}` goes on with it",
                args.arm.display(),
                new.display(),
                new.display()
            ));
        }
        Ok(new)
    }

    /// A person at a terminal who set no cap is asked once.
    fn agreed(wanted: &Live) -> Result<bool, Error> {
        let capped = wanted.max_calls.is_some() || wanted.max_usd.is_some();
        if wanted.yes || capped || !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
            return Ok(true);
        }
        let mut err = std::io::stderr();
        let _ = write!(err, "Go on? [y/N] ").and_then(|()| err.flush());
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).map_err(|e| Error::new(format!("failed to read the answer: {e}")))?;
        Ok(matches!(line.trim().to_lowercase().as_str(), "y" | "yes"))
    }

    /// What a recording came to, as it is printed.
    #[derive(Serialize)]
    struct Done {
        version: u32,
        arm: String,
        runs: usize,
        complete: usize,
        stale: usize,
        faulted: usize,
        calls_answered: u64,
        calls_failed: u64,
        requests: u64,
        tokens_input: u64,
        tokens_cached: u64,
        tokens_output: u64,
        usd: Option<Usd>,
        first_retry_ms: Option<u64>,
        stopped: Option<String>,
        notes: Vec<String>,
    }

    impl Done {
        fn new(arm: &Path, runs: usize, outcome: Outcome, counts: Counts, cause: Option<Cause>) -> Done {
            Done {
                version: 1,
                arm: arm.display().to_string(),
                runs,
                complete: outcome.complete,
                stale: outcome.stale,
                faulted: outcome.faulted,
                calls_answered: counts.answered,
                calls_failed: counts.failed,
                requests: counts.requests,
                tokens_input: counts.usage.input,
                tokens_cached: counts.usage.cached,
                tokens_output: counts.usage.output,
                usd: counts.cost,
                first_retry_ms: counts.first_retry.map(|wait| wait.as_millis() as u64),
                stopped: cause.map(|cause| match cause {
                    Cause::Budget(why) | Cause::Refused(why) | Cause::Failing(why) => why,
                    Cause::Broken(error) => error.to_string(),
                }),
                notes: outcome.notes,
            }
        }

        fn text(&self) -> String {
            let usd = self.usd.map_or("cost unknown".to_owned(), |usd| format!("${usd}"));
            let mut out = format!(
                "{}: {} calls answered, {} failed, {} requests; {usd}\n  {} tokens in ({} cached), {} out\n  {} of {} runs complete",
                self.arm,
                self.calls_answered,
                self.calls_failed,
                self.requests,
                self.tokens_input,
                self.tokens_cached,
                self.tokens_output,
                self.complete,
                self.runs
            );
            if self.stale > 0 {
                out.push_str(&format!(", {} stale (put loop.toml back, or `redraft fork` a new arm)", self.stale));
            }
            if self.faulted > 0 {
                out.push_str(&format!(", {} with a failed call (run again to retry)", self.faulted));
            }
            out.push('\n');
            if let Some(ms) = self.first_retry_ms {
                out.push_str(&format!("  soonest retry after {ms} ms\n"));
            }
            if let Some(why) = &self.stopped {
                out.push_str(&format!("  stopped: {why}\n  what was answered is recorded; the same command goes on where this ended\n"));
            }
            self.notes.iter().for_each(|note| out.push_str(&format!("  {note}\n")));
            out.lines().map(|line| escape_terminal(line).into_owned() + "\n").collect()
        }
    }
}
