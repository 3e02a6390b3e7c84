//! JSON-RPC 2.0 in lines on two pipes, whichever side of the protocol speaks.
//!
//! Must never know a method: `wire` is the form of messages, `line` reads and writes whole lines.

pub(crate) mod line;
#[cfg(test)]
mod line_tests;
pub(crate) mod wire;
#[cfg(test)]
mod wire_tests;
