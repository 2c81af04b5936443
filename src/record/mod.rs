//! Recordings made: whoever answers the machine's asks and writes the answers down as calls.

pub mod append;
pub mod aside;
pub mod batch;
pub mod budget;
pub mod clock;
pub mod exchange;
pub mod fill;
pub mod fork;
pub mod halt;
#[cfg(feature = "record")]
pub mod http;
pub mod live;
pub mod lock;
pub mod pace;
pub mod pack;
pub mod provider;
pub mod relay;
pub mod retry;
pub mod simulate;
pub mod survey;
pub mod written;
