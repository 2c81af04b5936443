//! Recordings made: whoever answers the machine's asks and writes the answers down as calls.

pub mod simulate;
