//! Connections: accepted up to a bound, each on a thread, until somebody ends the session.

use std::collections::HashMap;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::http::{Connection, Limits};
use super::serve::{Desk, Next, refuse};
use crate::api::stream;
use crate::error::Error;

/// Connections at the same time.
const CONNECTIONS_MAX: usize = 256;

/// The end of a session, which anybody may ask for.
pub struct Stop {
    address: SocketAddr,
    asked: AtomicBool,
    open: Mutex<HashMap<u64, TcpStream>>,
    /// Calls under way.
    busy: AtomicU64,
    /// When the last call ended.
    last: Mutex<Instant>,
    broken: Mutex<Option<Error>>,
}

impl Stop {
    pub fn new(address: SocketAddr) -> Stop {
        Stop {
            address,
            asked: AtomicBool::new(false),
            open: Mutex::default(),
            busy: AtomicU64::new(0),
            last: Mutex::new(Instant::now()),
            broken: Mutex::default(),
        }
    }

    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }

    /// Ends the session: calls under way come to their end, and no other is taken.
    pub fn ask(&self) {
        if self.asked.swap(true, Ordering::SeqCst) {
            return;
        }
        for stream in lock(&self.open).values() {
            let _ = stream.shutdown(Shutdown::Read);
        }
        // Wakes whoever waits for the next connection.
        let _ = TcpStream::connect_timeout(&self.address, Duration::from_secs(1));
    }

    /// How long nothing has been asked; None while a call is under way.
    pub fn idle(&self) -> Option<Duration> {
        (self.busy.load(Ordering::SeqCst) == 0).then(|| lock(&self.last).elapsed())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}

/// Serves until the session is ended. The error is one of the recording.
pub fn serve(listener: &TcpListener, desk: &Desk<'_>, stop: &Stop, limits: Limits) -> Result<(), Error> {
    std::thread::scope(|scope| {
        let mut number = 0;
        while !stop.is_asked() {
            let accepted = listener.accept();
            if stop.is_asked() {
                break;
            }
            let Ok((stream, _)) = accepted else {
                // No more handles, or a client that left again: others may come.
                std::thread::sleep(Duration::from_millis(10));
                continue;
            };
            let Ok(handle) = stream.try_clone() else { continue };
            let Ok(mut connection) = Connection::new(stream, limits) else { continue };
            number += 1;
            let mut open = lock(&stop.open);
            if open.len() >= CONNECTIONS_MAX {
                drop(open);
                refuse(&mut connection, stream::KNOWN[0], 503, "redraft_busy", "too many connections at the same time", false);
                continue;
            }
            open.insert(number, handle);
            drop(open);
            let spawned = std::thread::Builder::new().name("client".into()).spawn_scoped(scope, move || {
                // A defect of ours at one client must not cost the others.
                let _ = catch_unwind(AssertUnwindSafe(|| client(&mut connection, desk, stop)));
                lock(&stop.open).remove(&number);
            });
            if spawned.is_err() {
                lock(&stop.open).remove(&number);
            }
        }
    });
    lock(&stop.broken).take().map_or(Ok(()), Err)
}

/// Counts a call as under way until it is dropped, however it ends.
struct Busy<'a>(&'a Stop);

impl<'a> Busy<'a> {
    fn new(stop: &'a Stop) -> Busy<'a> {
        stop.busy.fetch_add(1, Ordering::SeqCst);
        Busy(stop)
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        *lock(&self.0.last) = Instant::now();
        self.0.busy.fetch_sub(1, Ordering::SeqCst);
    }
}

fn client(connection: &mut Connection, desk: &Desk<'_>, stop: &Stop) {
    while !stop.is_asked() {
        let request = match connection.request() {
            Ok(request) => request,
            Err(bad) => return desk.refuse_bad(connection, bad),
        };
        let busy = Busy::new(stop);
        let next = desk.answer(connection, &request);
        drop(busy);
        match next {
            Ok(Next::Keep) => {}
            Ok(Next::Close) => return,
            Ok(Next::Stop) => return stop.ask(),
            Err(error) => {
                refuse(connection, stream::KNOWN[0], 500, "redraft_broken", &error.to_string(), false);
                lock(&stop.broken).get_or_insert(error);
                return stop.ask();
            }
        }
    }
}
