//! Requests over the network: one blocking client for all threads of a recording.

use std::io::ErrorKind;
use std::time::Duration;

use ureq::{Agent, Timeout};

use super::exchange::{Broken, Post, Raw};
use super::relay::{Incoming, Outgoing};

/// How long what may take.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    pub connect: Duration,
    /// From the first byte sent to the last received.
    pub total: Duration,
}

/// An answer is a few kilobytes; more than this, unpacked, is none.
const BODY_BYTES_MAX: u64 = 1 << 25;

pub struct Client(Agent);

impl Client {
    /// `threads` connections are kept open. A loopback address is never asked through a proxy of the environment.
    pub fn new(timeouts: Timeouts, threads: usize, loopback: bool) -> Client {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(timeouts.connect))
            .timeout_global(Some(timeouts.total))
            .max_idle_connections(threads)
            .max_idle_connections_per_host(threads)
            .user_agent(concat!("redraft/", env!("CARGO_PKG_VERSION")))
            .accept("application/json");
        let config = if loopback { config.proxy(None) } else { config };
        Client(Agent::new_with_config(config.build()))
    }

    pub fn send(&self, post: &Post<'_>) -> Result<Raw, Broken> {
        let mut request = self.0.post(post.url).content_type("application/json");
        for (name, value) in post.headers {
            request = request.header(*name, *value);
        }
        let mut response = request.send(post.body).map_err(broken)?;
        let headers = response.headers().iter();
        let headers = headers.filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))).collect();
        let status = response.status().as_u16();
        let body = response.body_mut().with_config().limit(BODY_BYTES_MAX).read_to_vec().map_err(broken)?;
        Ok(Raw { status, headers, body })
    }
}

impl Client {
    /// Sends a client's own request on, and gives its answer to be read as it comes.
    pub fn relay(&self, out: &Outgoing<'_>) -> Result<Incoming, Broken> {
        // Packed pieces would wait for each other.
        let mut request = self.0.post(out.url).header("accept-encoding", "identity");
        for (name, value) in &out.headers {
            request = request.header(name.as_str(), value.as_str());
        }
        let response = request.send(out.body).map_err(broken)?;
        let headers = response.headers().iter();
        let headers = headers.filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))).collect();
        let status = response.status().as_u16();
        let body = response.into_body().into_with_config().limit(BODY_BYTES_MAX).reader();
        Ok(Incoming { status, headers, body: Box::new(body) })
    }
}

fn broken(error: ureq::Error) -> Broken {
    use ureq::Error as E;
    let (kind, sent) = match &error {
        E::Timeout(Timeout::Resolve | Timeout::Connect) => ("timeout", false),
        E::Timeout(_) => ("timeout", true),
        E::HostNotFound | E::ConnectionFailed => ("connect", false),
        E::Io(e) => match e.kind() {
            ErrorKind::ConnectionRefused | ErrorKind::AddrNotAvailable | ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable => {
                ("connect", false)
            }
            ErrorKind::TimedOut | ErrorKind::WouldBlock => ("timeout", true),
            ErrorKind::UnexpectedEof => ("cut", true),
            // What rustls says of a certificate comes wrapped.
            ErrorKind::InvalidData if e.to_string().contains("certificate") => ("tls", false),
            _ => ("reset", true),
        },
        E::BodyExceedsLimit(_) => ("too_large", true),
        E::Tls(_) | E::Pem(_) | E::Rustls(_) => ("tls", false),
        E::BadUri(_) | E::Http(_) | E::InvalidProxyUrl => ("request", false),
        _ => ("protocol", true),
    };
    Broken { kind, what: error.to_string(), sent }
}
