//! `redraft proxy ARM`: an endpoint on loopback for an existing loop, which records its calls or serves the recording.

use std::ffi::OsString;
use std::io::{IsTerminal, Read};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::{Command, ExitStatus};
use std::sync::Mutex;
use std::time::Duration;

use super::record::seconds;
use super::status::Format;
use super::{Common, Exit, print, say, warn_torn};
use crate::error::Error;
use crate::proxy::http::LIMITS;
use crate::proxy::pass::Passing;
use crate::proxy::serve::Desk;
use crate::proxy::server::{Stop, serve};
use crate::proxy::slots::Slots;
use crate::proxy::tell::Session;
use crate::replay::Prepared;
use crate::report::grid::escape_terminal;

/// Record an existing loop through an HTTP endpoint on loopback, or serve its recording
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Point the loop's client at the printed address, or name the loop's command behind `--`: it is run with OPENAI_BASE_URL and ANTHROPIC_BASE_URL set, and the proxy ends with it. \
Spoken are /v1/chat/completions, /v1/responses and /v1/messages, in one piece and streamed. The client's own key is passed on and never written.

A call belongs to the slot that its headers name (x-redraft-ticket, -role, -pass, -sample, -n; pass and n are counted where they are left out), or else to the \
slot whose request it makes: what is recorded already is answered from the recording, and what the loop of loop.toml asks next is asked and recorded. \
What belongs nowhere is passed through and kept in unmapped.jsonl with the reason.

With --replay nobody is asked: a request that the recording does not have, or has in another slot, gets an error that names what differs.

It ends with the command, at the end of a terminal's input (Ctrl-D), after --until-idle, or by POST /__redraft/stop. Ctrl-C is safe too: what was answered is on the disk.

Exit code: 0 where every call was recorded or served, 3 where one was not, where recorded calls were left over, or where the command failed.

Examples:
  redraft proxy my/arm -- python my_loop.py             record
  redraft proxy my/arm --replay -- pytest tests/        serve the recording, in CI
  redraft proxy my/arm --listen 127.0.0.1:8787          for a loop that runs elsewhere on this machine
  redraft proxy my/arm --upstream http://127.0.0.1:8080 -- python my_loop.py")]
pub struct Args {
    /// Folder with a loop.toml
    #[arg(value_name = "ARM")]
    arm: PathBuf,
    /// Address to listen on; port 0 takes a free one
    #[arg(long, default_value = "127.0.0.1:0", value_name = "ADDRESS:PORT")]
    listen: SocketAddr,
    /// Allow an address that other machines reach
    #[arg(long)]
    allow_remote: bool,
    /// Where the provider is reached, such as https://openrouter.ai/api/v1
    #[arg(long, value_name = "URL", conflicts_with = "replay")]
    upstream: Option<String>,
    /// Environment variable with the key that is sent in place of the client's
    #[arg(long, value_name = "NAME", conflicts_with = "replay")]
    key_env: Option<String>,
    /// Allow plain http to another machine
    #[arg(long)]
    insecure_http: bool,
    /// Serve the recording and ask nobody
    #[arg(long)]
    replay: bool,
    /// End after so many seconds without a call
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    until_idle: Option<f64>,
    /// Seconds that one answer may take
    #[arg(long, default_value_t = 600.0, value_name = "SECONDS", value_parser = seconds)]
    timeout: f64,
    /// Seconds to reach the provider
    #[arg(long, default_value_t = 10.0, value_name = "SECONDS", value_parser = seconds)]
    connect_timeout: f64,
    /// What to print at the end
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Command to run with its calls going through the proxy
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

pub fn run(args: &Args, common: Common) -> Result<Exit, Error> {
    if !args.listen.ip().is_loopback() && !args.allow_remote {
        return Err(Error::new(format!(
            "--listen {}: whoever reaches the proxy spends your key; use a loopback address, or --allow-remote if it is meant",
            args.listen
        )));
    }
    if args.replay {
        let prepared = Prepared::open(&args.arm)?;
        return session(args, common, &prepared, None);
    }
    live::run(args, common)
}

/// Serves until the end, and tells what came of it.
fn session(args: &Args, common: Common, prepared: &Prepared, passing: Option<Passing<'_>>) -> Result<Exit, Error> {
    warn_torn(&prepared.recording);
    let (slots, notes) = Slots::new(prepared, passing.is_some())?;
    notes.iter().for_each(|note| say(&format!("warning: {note}")));
    let bind = || -> std::io::Result<_> {
        let listener = TcpListener::bind(args.listen)?;
        let address = listener.local_addr()?;
        Ok((listener, address))
    };
    let (listener, address) = bind().map_err(|e| Error::new(format!("--listen {}: failed to listen: {e}", args.listen)))?;
    let begun = Session { arm: args.arm.display().to_string(), replay: args.replay, ..Session::default() };
    let port = address.port();
    let mut hosts: Vec<String> = ["127.0.0.1", "localhost", "[::1]"].map(|host| format!("{host}:{port}")).to_vec();
    hosts.push(address.to_string());
    let desk = Desk { slots, passing, session: Mutex::new(begun), hosts, any_host: args.allow_remote };
    let url = format!("http://{address}");
    if !common.quiet || args.command.is_empty() {
        let does = if args.replay { "serves the recording" } else { "records" };
        say(&format!("{}: {does} at {url}  (OPENAI_BASE_URL={url}/v1, ANTHROPIC_BASE_URL={url})", args.arm.display()));
    }
    let stop = Stop::new(address);
    let mut ended: Option<Result<ExitStatus, Error>> = None;
    let served = std::thread::scope(|scope| {
        let (stop, desk, listener) = (&stop, &desk, &listener);
        if args.command.is_empty() && std::io::stdin().is_terminal() {
            // Not waited for: a read from a terminal ends only with the terminal's input.
            let at_end = StopByInput(address);
            std::thread::spawn(move || at_end.wait());
        }
        if let Some(seconds) = args.until_idle {
            scope.spawn(move || {
                while !stop.is_asked() {
                    std::thread::sleep(Duration::from_millis(50));
                    if stop.idle().is_some_and(|idle| idle.as_secs_f64() >= seconds) {
                        stop.ask();
                    }
                }
            });
        }
        let server = scope.spawn(move || serve(listener, desk, stop, LIMITS));
        if let Some((program, rest)) = args.command.split_first() {
            let mut command = Command::new(program);
            command.args(rest).env("OPENAI_BASE_URL", format!("{url}/v1")).env("ANTHROPIC_BASE_URL", &url).env("REDRAFT_PROXY", &url);
            ended = Some(command.status().map_err(|e| Error::new(format!("failed to run {}: {e}", program.to_string_lossy()))));
            stop.ask();
        }
        server.join().unwrap_or_else(|_| Err(Error::new("the server ended by a defect of redraft; please report it")))
    });
    let left = desk.slots.left();
    let mut told = desk.session.into_inner().unwrap_or_else(|e| e.into_inner());
    (told.unused, told.untouched, told.begun) = (left.unused.len() as u64, left.untouched as u64, left.begun.len() as u64);
    if args.replay {
        left.unused.iter().for_each(|place| told.note("unused", place));
    } else {
        left.begun.iter().for_each(|place| told.note("waiting", place));
    }
    match args.format {
        Format::Json => print(&(serde_json::to_string_pretty(&told).unwrap_or_default() + "\n"))?,
        Format::Text => print(&told.text().iter().map(|line| escape_terminal(line).into_owned() + "\n").collect::<String>())?,
    }
    served?;
    let command = ended.transpose()?;
    if let Some(status) = command.filter(|status| !status.success()) {
        say(&format!("the command ended with {status}"));
        return Ok(Exit::NoVerdict);
    }
    Ok(if told.is_fine() { Exit::Fine } else { Exit::NoVerdict })
}

/// Ends the session once standard input has ended.
struct StopByInput(SocketAddr);

impl StopByInput {
    fn wait(&self) {
        let mut bytes = [0; 256];
        let mut input = std::io::stdin().lock();
        while input.read(&mut bytes).is_ok_and(|count| count > 0) {}
        let request = format!("POST /__redraft/stop HTTP/1.1\r\nhost: {}\r\n\r\n", self.0);
        if let Ok(mut stream) = std::net::TcpStream::connect(self.0) {
            let _ = std::io::Write::write_all(&mut stream, request.as_bytes());
            let _ = stream.read(&mut bytes);
        }
    }
}

#[cfg(not(feature = "record"))]
mod live {
    use super::*;

    pub fn run(_: &Args, _: Common) -> Result<Exit, Error> {
        Err(Error::new(
            "this redraft was built without live recording, so it can only --replay; build it with the cargo feature `record`, which is on by default",
        ))
    }
}

#[cfg(feature = "record")]
mod live {
    use super::*;
    use crate::api::stream;
    use crate::arm::Arm;
    use crate::record::append::{Appender, Tail};
    use crate::record::http::{Client, Timeouts};
    use crate::record::provider::{Provider, Wanted};
    use crate::record::relay::Outgoing;

    pub fn run(args: &Args, common: Common) -> Result<Exit, Error> {
        let spec = Arm::open(&args.arm)?.spec;
        if stream::by_name(spec.wire.name()).is_none() {
            let known: Vec<&str> = stream::KNOWN.iter().map(|stream| stream.name()).collect();
            let what = format!("model.provider {} is not spoken by the proxy; expected {}", spec.wire.name(), known.join(", "));
            return Err(Error::at(&args.arm.join("loop.toml"), what));
        }
        let wanted = Wanted { base_url: args.upstream.clone(), key_env: args.key_env.clone(), insecure: args.insecure_http };
        let mut providers = vec![];
        for stream in stream::KNOWN {
            let provider = Provider::passing(stream.name(), &wanted, &|name| std::env::var(name).ok())
                .map_err(|e| Error::new(e.what.replace("--base-url", "--upstream")))?;
            providers.push((stream.name(), provider));
        }
        let (appender, found) = Appender::open(&args.arm, Some(spec.wire))?;
        if let Tail::Cut(bytes) = found.tail {
            say(&format!("warning: {}: a last line cut off by a crash ({bytes} bytes) was moved to calls.torn", appender.path().display()));
        }
        let prepared = Prepared::open(&args.arm)?;
        const CONNECTIONS: usize = 64;
        let seconds = Duration::from_secs_f64;
        let timeouts = Timeouts { connect: seconds(args.connect_timeout), total: seconds(args.timeout) };
        let local = Client::new(timeouts, CONNECTIONS, true);
        let far = Client::new(timeouts, CONNECTIONS, false);
        let loopback = providers.iter().find(|(name, _)| *name == spec.wire.name()).is_some_and(|(_, provider)| provider.is_loopback());
        let relay = |out: &Outgoing<'_>| if loopback { local.relay(out) } else { far.relay(out) };
        let passing = Passing {
            relay: &relay,
            providers,
            replace_key: args.key_env.is_some(),
            appender,
            program: &prepared.program,
            arm: &args.arm,
            aside: Mutex::new(()),
        };
        session(args, common, &prepared, Some(passing))
    }
}
