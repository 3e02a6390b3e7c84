//! Write sessions: the command, and the service as a process.

mod attacks;
mod command;
mod http;
#[cfg(unix)]
mod matrix;
mod models;
mod seed;
mod server;
