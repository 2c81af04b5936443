//! The proxy: an HTTP endpoint on loopback that an existing loop calls in place of its provider. It passes calls through and records them in their
//! slots, or serves a recording, strictly.

pub mod ask;
pub mod http;
pub mod nearest;
pub mod pass;
pub mod serve;
pub mod server;
pub mod slots;
pub mod tell;
